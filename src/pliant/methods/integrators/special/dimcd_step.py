"""DIMCD, direct integration by central differences with null spaces: the jitted step and loop. docs/theory/dimcd.md

    x' = (x_1 - x_-1) / 2h,  x'' = (x_1 - 2 x_0 + x_-1) / h^2,   x = (r, quaternion) of every body                   [dimcd-1]
    N_G^T (M x'' - f(x_0, x', t_0)) = 0,  C(x_1, t_1) = 0,  |quaternions of x_1| = 1

Equilibrium at t_0, solved for x_1 by Newton's method: x_1 <- x_1 - (x_p + N_H alpha).
"""
from typing import Any, NamedTuple

import numpy as np

from ....kernels.contract import DISSIPATION, POWER
from ....kernels.dense import combination, factor, from_basis, smallest, solve_square, to_basis
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.records import record_type
from ....kernels.so3 import add, cross, dot, scale, store, sub, vec
from ....kernels.states import copy, flushed, normalise, rms
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE, SINGULAR
from ..loop.control import AMPLIFIED

SQUARE = 1e-6                    # of the violation allowed: square of the last increment, as Newton's method leaves about this
MEMORY = record_type({
    "tolerance": "an iteration ends when what is still to come is below this times the accelerations",
    "floor": "or times this",
    "rounding": "but not below this",
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
    y: np.ndarray       # the size of v
    reaction: np.ndarray
    z: np.ndarray       # the size of q
    kept_old: np.ndarray  # as they were before the step
    kept_q0: np.ndarray
    kept_q1: np.ndarray
    weight: np.ndarray  # of increments of q
    weight_v: np.ndarray
    tiles: np.ndarray   # M + h/2 dR/dv at q0
    bodies: np.ndarray  # (tile, row, column) of what bodies have on each other
    links: np.ndarray   # (tile, first row in v, body's v, body's q): a constraint's Jacobian
    rows: np.ndarray    # of R that are constraints
    number: np.ndarray  # of the row of R among them
    G: np.ndarray       # constraint efforts at q0: factors
    H: np.ndarray       # coordinate constraints at q1, lengths of quaternions below them
    gap: np.ndarray
    norms: np.ndarray
    order_G: np.ndarray
    order_H: np.ndarray
    head_G: np.ndarray
    head_H: np.ndarray
    size: np.ndarray    # of the rows of G before they were scaled
    K: np.ndarray       # N_G^T A N_H
    b: np.ndarray


@jit
def to_rates(d, q, y, out):
    """out = (r', 2 E^T quaternion') from rates of coordinates: E^T p' = q_0 p' - p'_0 q - q x p' (vector parts)      [dimcd-2]"""
    for k in range(d.linear.shape[0]):
        out[d.linear[k, 0]] = y[d.linear[k, 1]]
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        u, z = vec(q, i + 1), vec(y, i + 1)
        store(scale(2.0, sub(sub(scale(q[i], z), scale(y[i], u)), cross(u, z))), out, d.rotations[k, 0])


@jit
def from_angles(q, i, g):
    """2 E g: the gradient by a quaternion from that by right increments."""
    u = vec(q, i + 1)
    return -2 * dot(u, g), scale(2.0, add(scale(q[i], g), cross(u, g)))


@jit
def differences(d, x, o, h):
    """x.q, x.v, x.a at the time of the step."""
    copy(o.q0, x.q)
    for k in range(o.dq.size):
        o.dq[k] = (o.q1[k] - o.old[k]) / (2 * h)
    to_rates(d, o.q0, o.dq, x.v)
    for k in range(o.dq.size):
        o.dq[k] = ((o.q1[k] - o.q0[k]) - (o.q0[k] - o.old[k])) / (h * h)
    to_rates(d, o.q0, o.dq, x.a)


@jit
def efforts(x, o):
    """G at the current state, from the tiles in x.D, as factors; rows of unit size, lengths in sizes of the model. The rank."""
    o.G[:] = 0
    for k in range(o.links.shape[0]):
        tile, first, iv = o.links[k, 0], o.links[k, 1], o.links[k, 2]
        for i in range(6):
            row = o.number[first + i]
            for j in range(6):
                if row >= 0:
                    o.G[row, iv + j] += x.D[tile, i, j] * (o.n.length if j < 3 else 1.0)
    for i in range(o.rows.size):
        size = 0.0
        for j in range(o.G.shape[1]):
            size += o.G[i, j] * o.G[i, j]
        o.size[i] = np.sqrt(size) if size > 0 else 1.0
        for j in range(o.G.shape[1]):
            o.G[i, j] /= o.size[i]
    return factor(o.G, o.order_G, o.norms, o.head_G, o.n.least, -1)


@jit
def coordinates(d, x, o, rank):
    """H and the violations at q1, as factors with so many rows; x.D and x.R are those of q1."""
    o.H[:] = 0
    m, L = o.rows.size, o.n.length
    for k in range(o.links.shape[0]):
        tile, first, iq = o.links[k, 0], o.links[k, 1], o.links[k, 3]
        for i in range(6):
            row = o.number[first + i]
            if row >= 0:
                for j in range(3):
                    o.H[row, iq + j] += x.D[tile, i, j] * L
                s, u = from_angles(o.q1, iq + 3, (x.D[tile, i, 3], x.D[tile, i, 4], x.D[tile, i, 5]))
                o.H[row, iq + 3] += s
                for j in range(3):
                    o.H[row, iq + 4 + j] += u[j]
    for i in range(m):
        o.gap[i] = x.R[o.rows[i]]
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        o.gap[m + k] = -1.0
        for j in range(4):
            o.H[m + k, i + j] = 2 * o.q1[i + j]
            o.gap[m + k] += o.q1[i + j] * o.q1[i + j]
    for i in range(o.H.shape[0]):
        size = 0.0
        for j in range(o.H.shape[1]):
            size += o.H[i, j] * o.H[i, j]
        size = np.sqrt(size) if size > 0 else 1.0
        for j in range(o.H.shape[1]):
            o.H[i, j] /= size
        o.gap[i] /= size
    factor(o.H, o.order_H, o.norms, o.head_H, o.n.least, rank + d.rotations.shape[0])


@jit
def image(d, o, z):
    """o.y = A z, h^2 times the change of R with coordinates z, whose lengths come in sizes of the model and leave in m"""
    for k in range(d.linear.shape[0]):
        z[d.linear[k, 1]] *= o.n.length
    to_rates(d, o.q0, z, o.reaction)
    o.y[:] = 0
    for k in range(o.bodies.shape[0]):
        t, r, c = o.bodies[k, 0], o.bodies[k, 1], o.bodies[k, 2]
        for i in range(6):
            for j in range(6):
                o.y[r + i] += o.tiles[t, i, j] * o.reaction[c + j]


@jit
def to_efforts(d, o, rank, y):
    """y = Q_G^T y, lengths in sizes of the model."""
    for k in range(d.linear.shape[0]):
        y[d.linear[k, 0]] *= o.n.length
    to_basis(o.G, rank, y)


@jit
def increment(d, x, o, h, rank):
    """o.dq = x_p + N_H alpha, to be subtracted: H x_p = C, N_G^T A N_H alpha = N_G^T (h^2 R - A x_p)     [dimcd-3]"""
    n_v, n_q, z = o.y.size, o.dq.size, o.z
    free, lead = n_v - rank, rank + d.rotations.shape[0]
    smallest(o.H, o.order_H, o.head_H, lead, o.n.least, o.gap, o.dq)
    image(d, o, o.dq)
    for k in range(n_v):
        o.y[k] = h * h * x.R[k] - o.y[k]
    to_efforts(d, o, rank, o.y)
    for k in range(free):
        o.b[k] = o.y[rank + k]
    for c in range(free):
        z[:] = 0
        z[lead + c] = 1.0
        from_basis(o.H, lead, z)
        image(d, o, z)
        to_efforts(d, o, rank, o.y)
        for k in range(free):
            o.K[k, c] = o.y[rank + k]
    if not solve_square(o.K, o.b, free):
        return False
    z[:] = 0
    for c in range(free):
        z[lead + c] = o.b[c]
    from_basis(o.H, lead, z)
    for k in range(d.linear.shape[0]):
        z[d.linear[k, 1]] *= o.n.length
    for k in range(n_q):
        o.dq[k] += z[k]
    return True


@jit
def reactions(d, x, o, rank):
    """lam with C_q^T lam = -R: what equilibrium leaves (eq. 69). R without reactions is in x.R."""
    for k in range(o.y.size):
        o.y[k] = -x.R[k]
    for k in range(d.linear.shape[0]):
        o.y[d.linear[k, 0]] *= o.n.length
    combination(o.G, o.order_G, o.head_G, rank, o.y, o.gap)
    for i in range(o.rows.size):
        x.lam[o.rows[i]] = o.gap[i] / o.size[i]


@jit
def silence(x, o):
    for i in range(o.rows.size):
        x.lam[o.rows[i]] = 0.0


@jit
def equilibrium(p, o, h, t):
    """x_1 from the equilibrium at the time t of q0, by exact Newton from the start value in q1; then x is the state at t. A status."""
    d, x, n, n_v, before, rank = p.d, p.x, o.n, p.num.n_v, 0.0, -1
    for _ in range(n.most_iterations):
        normalise(d, o.q1)  # derivatives of rotations are those of unit quaternions
        silence(x, o)
        differences(d, x, o, h)
        threshold = max(n.tolerance * (rms(x.a, o.weight_v, n_v) + n.floor) * h * h, n.rounding)
        x.D[:] = 0
        evaluate(p.tangent, d, x, t, 1.0, h / 2, 0.0)
        for k in range(o.bodies.shape[0]):
            tile = o.bodies[k, 0]
            for i in range(6):
                for j in range(6):
                    o.tiles[tile, i, j] = x.D[tile, i, j]
        if rank < 0:
            rank = efforts(x, o)
            p.num.factorisations += 1
        copy(x.R, x.V)
        copy(o.q1, x.q)
        x.D[:] = 0
        evaluate(p.tangent, d, x, t + h, 1.0, 0.0, 0.0)
        coordinates(d, x, o, rank)
        copy(x.V, x.R)
        if not increment(d, x, o, h, rank):
            return SINGULAR
        p.num.iterations += 1
        size = 0.0
        for k in range(o.dq.size):
            o.q1[k] -= flushed(o.dq[k])
            size += (o.weight[k] * o.dq[k]) ** 2
        size = np.sqrt(size / o.dq.size)
        if not np.isfinite(size):
            return NOT_FINITE
        rate = size / before if before > 0 else 1.0
        stagnant = before > 0 and rate > 0.3 and size <= AMPLIFIED * n.rounding
        small = size <= n.rounding or (rate < 1 and size * rate / (1 - rate) <= threshold)
        if (small and size * size <= SQUARE * n.closed) or stagnant:
            normalise(d, o.q1)
            silence(x, o)
            differences(d, x, o, h)
            evaluate(p.residual, d, x, t, 1.0, 0.0, 0.0)
            reactions(d, x, o, rank)
            return DONE
        before = size
    return NEWTON_FAILED


@jit
def shift(o):
    """One step on: the start value of x_1 is that of a constant second difference's change."""
    for k in range(o.q0.size):
        guess = 3 * (o.q1[k] - o.q0[k]) + o.old[k]
        o.old[k], o.q0[k], o.q1[k] = o.q0[k], o.q1[k], guess


@jit
def step(p, w, c, o):
    """A step; before the first one the equilibrium at the start. A failed step leaves the state as it was."""
    x, n_q, n_v, h = p.x, p.x.q.size, p.num.n_v, c.h
    if o.n.begun == 0:
        copy(o.q1, o.kept_q1)
        status = equilibrium(p, o, h, c.t0)
        if status != DONE:
            copy(o.kept_q1, o.q1)
            return status
        o.n.begun = 1
    copy(o.old, o.kept_old)
    copy(o.q0, o.kept_q0)
    copy(o.q1, o.kept_q1)
    shift(o)
    status = equilibrium(p, o, h, c.t1)
    if status != DONE:
        copy(o.kept_old, o.old)
        copy(o.kept_q0, o.q0)
        copy(o.kept_q1, o.q1)
        return status
    for k in range(n_q):
        w.y1[k] = x.q[k]
    for k in range(n_v):
        w.y1[n_q + k], w.f1[n_q + k] = x.v[k], x.a[k]
    c.known, e = 1, n_q + n_v
    x.E[:] = 0
    if p.num.powered == 1:
        evaluate(p.power, p.d, x, c.t1, 0.0, 0.0, 0.0)
    w.f1[e], w.f1[e + 1] = x.E[DISSIPATION], x.E[POWER]
    w.y1[e], w.y1[e + 1] = w.y0[e] + h * (w.f0[e] + w.f1[e]) / 2, w.y0[e + 1] + h * (w.f0[e + 1] + w.f1[e + 1]) / 2
    return DONE
