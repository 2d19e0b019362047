"""Implicit methods in joint coordinates: q = q0 exp(z), z' = T^-1(z) u, u' = a(t, q, u) by recursion, loops closed.

Derivatives K = da/dz and D = da/du are exact, by recursive passes (`joint_space.tree_derivatives`). Equations of a step,

    sigma dz - du = r1,   sigma du - K dz - D du = r2:   (sigma^2 - sigma D - K) dz = r2 + sigma r1 - D r1     [tree-1]
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ....joint_space.recursion import rhs
from ....joint_space.tree import JointSpace
from ....joint_space.tree_derivatives import Slopes, slopes_at
from ....joint_space.tree_programs import closing_programs, tangent_program
from ....kernels.by_reference import opaque
from ....kernels.dense import lu_factorise, lu_solve
from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.link_tables import INNER, OUTER, PARENT
from ....kernels.ode import Problem, address, call_status
from ....kernels.pinned import Pinned
from ....kernels.states import copy, copy_part
from ....kernels.status import DONE, SINGULAR
from ....kernels.variation_fields import FIELD
from .stages import Full, rate


@jit
def tangents(p, m, t, y):
    """K and D at a state. A status."""
    return call_status(m.tangents, (p, opaque(m.needed), m.accelerations, t, y, m.K, m.D))


@jit
def state_of(p, w, o, i):
    """The state of stage i in w.z; energies are of no account."""
    copy(w.y0, w.z)
    copy_part(o.V[i], 0, w.z, p.num.state_q, p.num.state_v)
    copy(o.Z[i], o.g)
    retract(p.maps, w.y0, o.g, 1.0, w.z)


@jit
def factored(m, one, cd, ck, out, pivots):
    """Factors of one - cd D - ck K. A status."""
    n = out.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = -cd * m.D[i, j] - ck * m.K[i, j]
        out[i, i] += one
    return DONE if lu_factorise(out, n, pivots) else SINGULAR


@jit
def defects(p, w, c, o, i, t):
    m, n_q, n = o.matrices, p.num.state_q, p.num.state_v
    state_of(p, w, o, i)
    status = call_status(w.call.rhs, (p, t, w.z, m.f))
    rate(p.maps, o, n, i)
    for k in range(n):
        o.R[0, i, k], o.R[1, i, k] = o.y[k] - o.W[i, k], m.f[n_q + k] - o.A[i, k]
    return status


@jit
def linearise(p, w, c, o):
    if o.n.tiles < 0:
        return tangents(p, o.matrices, c.t0, w.y0)
    state_of(p, w, o, 1)
    return tangents(p, o.matrices, c.t0 + o.radau.c[1] * c.h, w.z)


@jit
def factor_pair(p, o, h):
    m, real, pair = o.matrices, o.radau.real / h, o.radau.pair / h
    status = factored(m, real * real, real, 1.0, m.real, m.pivots[0])
    return factored(m, pair * pair, pair, 1.0, m.pair, m.pivots[1]) if status == DONE else status


@jit
def factor_bdf(p, w, c, o):
    m, sigma = o.matrices, o.n.sigma
    state_of(p, w, o, 0)
    status = tangents(p, m, c.t0 + c.h, w.z)
    return factored(m, sigma * sigma, sigma, 1.0, m.real, m.pivots[0]) if status == DONE else status


@jit
def increment(o, factors, pivots, sigma, r):
    """[tree-1]: the first rows of r hold r1 and r2, then dz and du; the next one is used."""
    D, n = o.matrices.D, factors.shape[0]
    for i in range(n):
        value = r[1, i] + sigma * r[0, i]
        for j in range(n):
            value -= D[i, j] * r[0, j]
        r[2, i] = value
    lu_solve(factors, n, pivots, r[2])
    for k in range(n):
        r[1, k] = sigma * r[2, k] - r[0, k]
        r[0, k] = r[2, k]


@jit
def solve_pair(p, o, h):
    m = o.matrices
    increment(o, m.real, m.pivots[0], o.radau.real / h, o.right)
    increment(o, m.pair, m.pivots[1], o.radau.pair / h, o.B)


@jit
def solve_bdf(p, o, sigma):
    for l in range(2):
        copy(o.R[l, 0], o.right[l])
    increment(o, o.matrices.real, o.matrices.pivots[0], sigma, o.right)


@jit
def filtered(p, w, c, o):
    copy(o.g, o.right[1])
    increment(o, o.matrices.real, o.matrices.pivots[0], o.radau.real / c.h, o.right)


@jit
def power_at(p, w, c, o, i, t):
    f, n_y = o.matrices.f, w.z.size
    state_of(p, w, o, i)
    call_status(w.call.rhs, (p, t, w.z, f))
    o.right[0, i], o.right[0, 3 + i] = f[n_y - 2], f[n_y - 1]


@jit
def finish_bdf(p, w, c, o):
    state_of(p, w, o, 0)
    copy(w.z, w.y1)
    return call_status(w.call.rhs, (p, c.t0 + c.h, w.y1, w.f1))


class Tangents:
    """``matrices`` of n rates for a problem. What the kernel that makes them needs lives as long as this object."""

    def __init__(self, p: Problem, space: JointSpace, n: int, n_y: int) -> None:
        m, needed = Full.of(n, n_y), slopes(space)
        self.pinned, code = Pinned(needed), address(rhs, p, 0.0, m.f, m.f)
        self.matrices = m._replace(tangents=address(slopes_at, p, needed, code, 0.0, m.f, m.K, m.D), needed=self.pinned.address,
                                   accelerations=code)


def slopes(space: JointSpace) -> Slopes:
    """Tables and work arrays for a tree."""
    s, tree = space.system, space.tree
    n, tiles, parents = len(space.links), s.n_v // 6, tree.ip[:, PARENT]
    children = [np.flatnonzero(parents == i) for i in range(n)]
    of_place = {int(place): int(e) for e, place in tree.nodes}
    nodes = np.array([[of_place.get(int(row[side]), -1) for side in (INNER, OUTER)] for row in tree.ip], np.int64).reshape(-1, 2)
    stored = np.array(sorted((c, r, k) for (r, c), k in s.block.items() if r < tiles and c < tiles), np.int64).reshape(-1, 3)
    names = ("rp", "scale", "q", "u", "du", "w", "s", "g", "m")
    of_complex: Any = tree._replace(**{name: getattr(tree, name).astype(complex) for name in names})
    x = s.memory(np.complex128)
    Q, V, M = (np.zeros((max(1, len(s.block)), 6, 6)) for _ in range(3))
    gaps, rates = closing_programs(space, np.complex128)

    def z(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    def whole(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)
    return Slopes(tangent_program(space), gaps, rates, s.typed_data(np.complex128), x, of_complex, Q, V, M, stored, start=whole(tiles + 1),
                  entries=whole(len(stored), 4), child_start=np.cumsum([0, *map(len, children)]).astype(np.int64),
                  children=np.concatenate([*children, []]).astype(np.int64), nodes=nodes, F=z(s.n), a=z(s.n), P=z(n + 1, 6),
                  field=z(n + 1, FIELD), moved=whole(n + 1), dq=z(s.n_v), dv=z(s.n_v), da=z(s.n_v), dR=z(s.n_v), gap=z(s.n),
                  out=z(space.n_u), f=z(space.n_q + space.n_u + 2))
