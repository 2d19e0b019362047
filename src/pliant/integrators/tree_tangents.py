"""Derivatives of accelerations in joint coordinates, K = da/dz along the rates and D = da/du: one recursion with an imaginary step
for each, exact to rounding. A program of its own for complex numbers, called back from the steps of implicit methods."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..formulations.contract import STATE_Q, STATE_V, Problem
from ..formulations.kernels import in_complex_numbers
from ..formulations.recursion import rhs
from ..kernels.contract import c_address
from ..kernels.jit import entry, jit
from ..tree import JointSpace
from .stepper import DONE, SINGULAR
from .tree_solver import TANGENTS, OwnTree

ETA = 1e-30   # the imaginary step


class Tangents:
    """Fills K and D of ``own`` at own.y when it is called with a time; gives a status."""

    def __init__(self, p: Problem, space: JointSpace, own: OwnTree) -> None:
        self.real, self.own, self.complex = p, own, in_complex_numbers(p, space)
        self.y, self.f = np.zeros(own.y.size, complex), np.zeros(own.y.size, complex)
        own.num[TANGENTS], self.keep = c_address(self)

    def __call__(self, t: float, _x: float, _v: float) -> float:
        q, x, o = self.complex, self.real.x, self.own
        q.x.H[:], q.x.W[:] = x.H, x.W  # W: branches that functions have chosen
        return float(tangents_at(q, t, o.y, self.y, self.f, o.K, o.D))


@entry
def tangents_at(p: Any, t: Any, y: Any, z: Any, f: Any, K: Any, D: Any) -> Any:
    """K and D at a state y."""
    n_q, n = p.num[STATE_Q], p.num[STATE_V]
    for j in range(2 * n):
        for k in range(y.size):
            z[k] = y[k]
        if j >= n:
            z[n_q + j - n] += complex(0.0, ETA)
        else:
            move(p.maps, y, j, z)
        if rhs(p, t, z, f) != DONE:
            return SINGULAR
        for i in range(n):
            value = f[n_q + i].imag / ETA
            if j < n:
                K[i, j] = value
            else:
                D[i, j - n] = value
    return DONE


@jit
def move(maps, y, j, out):
    """out += i ETA times what rate j makes of the coordinates."""
    for k in range(maps.linear.shape[0]):
        if maps.linear[k, 0] == j:
            out[maps.linear[k, 1]] += complex(0.0, ETA)
    for k in range(maps.rotations.shape[0]):
        first, i = maps.rotations[k, 0], maps.rotations[k, 1]
        if first <= j < first + 3:
            a, b, c = j - first, (j - first + 1) % 3, (j - first + 2) % 3
            half = ETA / 2  # q (0, e_a)
            out[i] -= complex(0.0, half * y[i + 1 + a])
            out[i + 1 + a] += complex(0.0, half * y[i])
            out[i + 1 + b] += complex(0.0, half * y[i + 1 + c])
            out[i + 1 + c] -= complex(0.0, half * y[i + 1 + b])
