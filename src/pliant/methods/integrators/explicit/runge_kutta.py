"""Explicit Runge-Kutta methods: the kernel of one step.

    k_i = F(t + c_i h, y0 + h sum_j a_ij k_j),   y1 = y0 + h sum_i b_i k_i                              [rk-1]
    error = h sum_i e_i k_i,   y(t + s h) = y0 + h sum_i k_i sum_l d_il s^l                             [rk-2]
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ....kernels.jit import inlined, jit
from ....kernels.ode import call_status
from ....kernels.states import copy
from ....kernels.status import DONE
from ..time_loop.control import BETWEEN
from ..time_loop.method import Method
from .tableaus import tableau


@inlined
def advance(w, a, n, h, y):
    """y = y0 + h sum_j a_j k_j, j < n"""
    for k in range(y.size):
        total = 0.0
        for j in range(n):
            if a[j] != 0:
                total += a[j] * w.K[j, k]
        y[k] = w.y0[k] + h * total


@inlined
def stage(p, w, c, o, i):
    """k_i; DONE if it could be computed."""
    advance(w, o.A[i], i, c.h, w.z)
    status = call_status(w.call.rhs, (p, c.t0 + o.c[i] * c.h, w.z, w.f1))
    if status == DONE:
        copy(w.f1, w.K[i])
    return status


@jit
def errors(w, o, h, m):
    """[rk-2]; with a second estimate e2 as in DOP853: e^2 / sqrt(e^2 + 0.01 e2^2), for the whole vector."""
    big, small = 0.0, 0.0
    for k in range(w.error.size):
        first, second = 0.0, 0.0
        for i in range(m):
            first += o.e[i] * w.K[i, k]
            second += o.e2[i] * w.K[i, k]
        w.error[k] = h * first
        big, small = big + (w.weight[k] * first) ** 2, small + (w.weight[k] * second) ** 2
    if small > 0:
        factor = np.sqrt(big / (big + 0.01 * small))
        for k in range(w.error.size):
            w.error[k] *= factor


@jit
def between(p, w, c, o):
    """The coefficients of [ode-2], with stages that only these need; f1 is left as it is."""
    m, n = o.stages, o.A.shape[0]
    copy(w.f1, w.error)
    copy(w.f1, w.K[m])
    for i in range(m + 1, n):
        if stage(p, w, c, o, i) != DONE:
            copy(w.K[m], w.K[i])
    w.P[:] = 0
    for l in range(1, o.D.shape[1]):
        for k in range(w.z.size):
            total = 0.0
            for i in range(n):
                total += o.D[i, l] * w.K[i, k]
            w.P[l, k] = c.h * total
    copy(w.error, w.f1)


@jit
def step(p, w, c, o):
    """A step, or the polynomial of the last one."""
    m = o.stages
    if c.asked == BETWEEN:
        between(p, w, c, o)
        return DONE
    copy(w.f0, w.K[0])
    for i in range(1, m):
        status = stage(p, w, c, o, i)
        if status != DONE:
            return status
    advance(w, o.b, m, c.h, w.y1)
    if o.end == 1:  # the error needs F at the end
        status = call_status(w.call.rhs, (p, c.t0 + c.h, w.y1, w.f1))
        if status != DONE:
            return status
        copy(w.f1, w.K[m])
        c.known = 1
    errors(w, o, c.h, m + o.end)
    return DONE


class RungeKutta(Method):
    """One of the methods of `tableaus`."""
    step = step

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        self.own, self.exponent = tableau(option.kind)
        self.stages, self.degree = self.own.A.shape[0], self.own.D.shape[1] - 1
