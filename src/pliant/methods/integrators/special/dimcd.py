"""DIMCD, direct integration by central differences with null spaces: the step and the run. docs/theory/dimcd.md

    x' = (x_1 - x_-1) / 2h,  x'' = (x_1 - 2 x_0 + x_-1) / h^2,   x = (r, quaternion) of every body             [dimcd-1]
    N_G^T (M x'' - f(x_0, x', t_0)) = 0,  C(x_1, t_1) = 0,  |quaternions of x_1| = 1

Equilibrium at t_0, solved for x_1 by Newton's method: x_1 <- x_1 - (x_p + N_H alpha).
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....items.errors import ModelError
from ....kernels.dense import Factors, combination, factor, from_basis, lu_factorise, lu_solve, smallest, to_basis
from ....kernels.evaluation import Data
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.records import new_record, record_type
from ....kernels.so3 import add, cross, dot, scale, store, sub, vec
from ....kernels.states import copy, copy_part, copy_tile, flushed, normalise, rms
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE, SINGULAR
from ..time_loop.convergence import LIMITS, limits, small, stagnant
from ..time_loop.method import Method
from ..time_loop.rows import store_energies, store_motion

MOST_BODIES = 120  # that dense linear algebra is good for
SQUARE = 1e-6  # of the violation allowed: square of the last increment, as Newton's method leaves about this
MEMORY = record_type(LIMITS | {
    "least": "pivots below this part of the largest count as zero",
    "closed": "violation allowed",
    "length": "size of the model",
}, {
    "most_iterations": "of Newton's method",
    "begun": "whether the first equilibrium is found",
})


class Central(NamedTuple):
    """What the method remembers between steps (q0, q1, old), and its work arrays."""
    n: Any              # a record of MEMORY
    q0: np.ndarray      # positions at the time of the step
    q1: np.ndarray      # one step later
    old: np.ndarray     # one step earlier
    dq: np.ndarray      # increments of q1, and what else has its size
    z: np.ndarray       # the size of q
    y: np.ndarray       # the size of v
    weight: np.ndarray  # of accelerations
    bodies: np.ndarray  # (tile, row, column) of what bodies have on each other
    links: np.ndarray   # (tile, row in it, equation, body's v, body's q): rows of a constraint's Jacobian
    rows: np.ndarray    # of R that are constraints
    G: Factors          # constraint efforts at q0, lengths in sizes of the model
    H: Factors          # coordinate constraints at q1, lengths of quaternions below them
    gap: np.ndarray     # violations of these
    K: np.ndarray       # N_G^T A N_H
    pivots: np.ndarray  # of that


@jit
def to_rates(d, q, y, out):
    """out = (r', 2 E^T quaternion') from rates of coordinates                                              [dimcd-2]
    E^T p' = q_0 p' - p'_0 q - q x p' (vector parts)"""
    for k in range(d.linear.shape[0]):
        out[d.linear[k, 0]] = y[d.linear[k, 1]]
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        u, z = vec(q, i + 1), vec(y, i + 1)
        store(scale(2.0, sub(sub(scale(q[i], z), scale(y[i], u)), cross(u, z))), out, d.rotations[k, 0])


@jit
def lengthen(d, o, side, y):
    """Lengths in y times the size of the model. ``side``: y is like velocities (0) or like coordinates (1)."""
    for k in range(d.linear.shape[0]):
        y[d.linear[k, side]] *= o.n.length


@jit
def place(p, o, h):
    """x at the time of the step, without reactions, by [dimcd-1]; quaternions of q1 are made of length one before."""
    d, x = p.d, p.x
    normalise(d, o.q1)
    for i in range(o.rows.size):
        x.lam[o.rows[i]] = 0.0
    copy(o.q0, x.q)
    for k in range(o.dq.size):
        o.dq[k] = (o.q1[k] - o.old[k]) / (2 * h)
    to_rates(d, o.q0, o.dq, x.v)
    for k in range(o.dq.size):
        o.dq[k] = ((o.q1[k] - o.q0[k]) - (o.q0[k] - o.old[k])) / (h * h)
    to_rates(d, o.q0, o.dq, x.a)


@jit
def efforts(x, o):
    """Factors of G at the current state, from the tiles in x.D. The rank."""
    G, L = o.G.B, o.n.length
    G[:] = 0
    for k in range(o.links.shape[0]):
        tile, i, row, iv = o.links[k, 0], o.links[k, 1], o.links[k, 2], o.links[k, 3]
        for j in range(6):
            G[row, iv + j] += x.D[tile, i, j] * (L if j < 3 else 1.0)
    return factor(o.G, o.n.least, -1)


@jit
def coordinates(d, x, o, rank):
    """Factors of H, and the violations, at q1: x.D and x.R are those of q1. The gradient by a quaternion is 2 E g."""
    H, q, m = o.H.B, o.q1, o.rows.size
    H[:] = 0
    for k in range(o.links.shape[0]):
        tile, i, row, iq = o.links[k, 0], o.links[k, 1], o.links[k, 2], o.links[k, 4]
        u, g = vec(q, iq + 4), (x.D[tile, i, 3], x.D[tile, i, 4], x.D[tile, i, 5])
        turned = scale(2.0, add(scale(q[iq + 3], g), cross(u, g)))
        H[row, iq + 3] += -2 * dot(u, g)
        for j in range(3):
            H[row, iq + j] += x.D[tile, i, j] * o.n.length
            H[row, iq + 4 + j] += turned[j]
    for i in range(m):
        o.gap[i] = x.R[o.rows[i]]
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        o.gap[m + k] = -1.0
        for j in range(i, i + 4):
            H[m + k, j] = 2 * q[j]
            o.gap[m + k] += q[j] * q[j]
    factor(o.H, o.n.least, rank + d.rotations.shape[0])


@jit
def image(p, o, z):
    """o.y = A z, h^2 times the change of R with coordinates z, whose lengths come in sizes of the model and leave in m.
    A = M + h/2 dR/dv at q0 is in p.tiles."""
    lengthen(p.d, o, 1, z)
    to_rates(p.d, o.q0, z, p.r)
    o.y[:] = 0
    for k in range(o.bodies.shape[0]):
        t, r, c = o.bodies[k, 0], o.bodies[k, 1], o.bodies[k, 2]
        for i in range(6):
            for j in range(6):
                o.y[r + i] += p.tiles[t, i, j] * p.r[c + j]


@jit
def increment(p, o, h, rank):
    """o.dq = x_p + N_H alpha, to be subtracted: H x_p = C, N_G^T A N_H alpha = N_G^T (h^2 R - A x_p)       [dimcd-3]"""
    d, z, b = p.d, o.z, p.b
    free, lead = o.y.size - rank, rank + d.rotations.shape[0]
    smallest(o.H, lead, o.n.least, o.gap, o.dq)
    image(p, o, o.dq)
    for k in range(o.y.size):
        o.y[k] = h * h * p.x.R[k] - o.y[k]
    lengthen(d, o, 0, o.y)
    to_basis(o.G, rank, o.y)
    copy_part(o.y, rank, b, 0, free)
    for c in range(free):
        z[:] = 0
        z[lead + c] = 1.0
        from_basis(o.H, lead, z)
        image(p, o, z)
        lengthen(d, o, 0, o.y)
        to_basis(o.G, rank, o.y)
        for k in range(free):
            o.K[k, c] = o.y[rank + k]
    if not lu_factorise(o.K, free, o.pivots):
        return False
    lu_solve(o.K, free, o.pivots, b)
    z[:] = 0
    copy_part(b, 0, z, lead, free)
    from_basis(o.H, lead, z)
    lengthen(d, o, 1, z)
    for k in range(z.size):
        o.dq[k] += z[k]
    return True


@jit
def reactions(p, o, rank):
    """lam with C_q^T lam = -R: what equilibrium leaves (eq. 69). R without reactions is in x.R."""
    for k in range(o.y.size):
        o.y[k] = -p.x.R[k]
    lengthen(p.d, o, 0, o.y)
    combination(o.G, rank, o.y, o.gap)
    for i in range(o.rows.size):
        p.x.lam[o.rows[i]] = o.gap[i]


@jit
def linearise(p, o, h, t, rank):
    """R and A at q0, H and violations at q1; also G, as long as the rank is not known (-1). Returns that."""
    d, x = p.d, p.x
    x.D[:] = 0
    evaluate(p.tangent, d, x, t, 1.0, h / 2, 0.0)
    for k in range(o.bodies.shape[0]):
        copy_tile(x.D, o.bodies[k, 0], p.tiles, o.bodies[k, 0])
    if rank < 0:
        rank = efforts(x, o)
        p.num.factorisations += 1
    copy(x.R, x.V)
    copy(o.q1, x.q)
    x.D[:] = 0
    evaluate(p.tangent, d, x, t + h, 1.0, 0.0, 0.0)
    coordinates(d, x, o, rank)
    copy(x.V, x.R)
    return rank


@jit
def equilibrium(p, w, o, h, t):
    """x_1 from the equilibrium at the time t of q0, by exact Newton from the start value in q1; x is at t then."""
    n, before, rank = o.n, 0.0, -1
    for _ in range(n.most_iterations):
        place(p, o, h)
        threshold = max(n.tolerance * (rms(p.x.a, o.weight, p.num.n_v) + n.floor) * h * h, n.rounding)
        rank = linearise(p, o, h, t, rank)
        if not increment(p, o, h, rank):
            return SINGULAR
        p.num.iterations += 1
        for k in range(o.dq.size):
            o.q1[k] -= flushed(o.dq[k])
        size = rms(o.dq, w.weight, o.dq.size)
        if not np.isfinite(size):
            return NOT_FINITE
        rate = size / before if before > 0 else 1.0
        exact = small(n, size, rate, threshold) and size * size <= SQUARE * n.closed
        if exact or stagnant(n, size, before):
            place(p, o, h)
            evaluate(p.residual, p.d, p.x, t, 1.0, 0.0, 0.0)
            reactions(p, o, rank)
            return DONE
        before = size
    return NEWTON_FAILED


@jit
def step(p, w, c, o):
    """A step; before the first one the equilibrium at the start. A failed step leaves the state as it was."""
    if o.n.begun == 0:
        copy(o.q1, p.q)
        status = equilibrium(p, w, o, c.h, c.t0)
        if status != DONE:
            copy(p.q, o.q1)
            return status
        o.n.begun = 1
    copy(o.old, p.q)
    for k in range(o.q0.size):  # the start value is that of a constant second difference's change
        guess = 3 * (o.q1[k] - o.q0[k]) + o.old[k]
        o.old[k], o.q0[k], o.q1[k] = o.q0[k], o.q1[k], guess
    status = equilibrium(p, w, o, c.h, c.t1)
    if status != DONE:  # it changes q1 alone
        copy(o.q0, o.q1)
        copy(o.old, o.q0)
        copy(p.q, o.old)
        return status
    store_motion(p, w)
    store_energies(p, w, c)
    c.known = 1
    return DONE


def coordinate_rates(d: Data, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(r', quaternion') at velocities v: p' = p (0, w) / 2, a product of quaternions."""
    out = np.zeros_like(q)
    out[d.linear[:, 1]] = v[d.linear[:, 0]]
    for iv, iq in d.rotations:
        u, w = q[iq + 1:iq + 4], v[iv:iv + 3] / 2
        out[iq], out[iq + 1:iq + 4] = -u @ w, np.cross(u, w) + q[iq] * w
    return out


class DIMCDMethod(Method):
    """[dimcd-1]. A row belongs to the time of an equilibrium, so positions are known one step further."""
    step = step
    holds = True
    kept = ("q0", "q1", "old")
    rigid = "its coordinates are positions and quaternions of rigid bodies"
    stateless = "it is written in positions, which states have none"

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        d, s, form = run.dynamics, run.dynamics.system, run.formulation
        n_q, bodies = s.q0.size, s.n_v // 6
        s.refuse_rolling("simulate: integrator dimcd", "its null spaces are of positions; take another, such as dop853 or "
                         "generalized-alpha")
        s.refuse_slopes("simulate: integrator dimcd", "and the method knows positions and quaternions of rigid bodies")
        if bodies > MOST_BODIES:
            raise ModelError(f"simulate: integrator dimcd: {bodies} bodies, its dense equations are good for up to "
                             f"{MOST_BODIES}; take another integrator")
        n = new_record(MEMORY, **limits(option, run), least=form.rank, closed=form.tolerance, length=d.length)
        rows = [(j, i) for j in s.joints for i in range(j.used)]
        iq = {int(v) // 6: int(q) - 3 for v, q in s.data.rotations}
        links = [(s.block[j.tile, k], i, row, 6 * k, iq[k]) for row, (j, i) in enumerate(rows) for k in j.bodies]
        pairs = [(t, 6 * i, 6 * k) for (i, k), t in s.block.items() if i < bodies and k < bodies]
        G, H = Factors.of(len(rows), s.n_v), Factors.of(len(rows) + bodies, n_q)
        made: dict[str, Any] = {name: np.zeros(n_q) for name in ("q0", "q1", "old", "dq", "z")}
        self.own = Central(
            n=n, **made, y=np.zeros(s.n_v), weight=d.weights(), bodies=np.array(pairs, np.int64).reshape(-1, 3),
            links=np.array(links, np.int64).reshape(-1, 5), rows=np.array([6 * j.tile + i for j, i in rows], np.int64),
            G=G, H=H, gap=np.zeros(len(rows) + bodies), K=np.zeros((s.n_v, s.n_v)),
            pivots=np.zeros(s.n_v, np.int64))

    def begun(self) -> None:
        """Start values: x(-h) and a guess of x(h) by Taylor's formula, p'' = p w' / 2 - w.w p / 4 of quaternions."""
        o, x, h, data = self.own, self.run.x, self.run.step, self.run.dynamics.system.data
        first, second = coordinate_rates(data, x.q, x.v), coordinate_rates(data, x.q, x.a)
        for iv, iq in data.rotations:
            w = x.v[iv:iv + 3]
            second[iq:iq + 4] -= w @ w / 4 * x.q[iq:iq + 4]
        o.n.begun = 0
        o.q0[:] = x.q
        o.old[:], o.q1[:] = x.q - h * first + h * h / 2 * second, x.q + h * first + h * h / 2 * second
