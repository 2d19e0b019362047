"""DIMCD, direct integration by central differences with null spaces: the jitted step and loop. docs/theory/dimcd.md

    x' = (x_1 - x_-1) / 2h,  x'' = (x_1 - 2 x_0 + x_-1) / h^2,   x = (r, quaternion) of every body                   [dimcd-1]
    N_G^T (M x'' - f(x_0, x', t_0)) = 0,  C(x_1, t_1) = 0,  |quaternions of x_1| = 1

Equilibrium at t_0, solved for x_1 by Newton's method: x_1 <- x_1 - (x_p + N_H alpha).
"""
from typing import NamedTuple

import numpy as np

from ...compile.consistency import normalise
from ...kernels.dense import combination, factor, from_basis, smallest, solve_square, to_basis
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import entry, jit
from ...kernels.so3 import add, cross, dot, scale, store, sub, vec
from ...kernels.status import DONE, MORE, NEWTON_FAILED, NOT_FINITE, SINGULAR
from .stepper import (
    AMPLIFIED,
    END,
    FACTORISATIONS,
    FLOOR,
    HISTORIES,
    ITERATIONS,
    MAX_ITERATIONS,
    POWERED,
    ROUNDING,
    STEPS,
    STORED,
    STRIDE,
    T0,
    T1,
    TOLERANCE,
    H,
    add_energy,
    copy,
    flushed,
    keep,
    rms,
)

# ctl, after those of `stepper`: rank decision; violation allowed; size of the model; whether the first equilibrium is found
LEAST, CLOSED, LENGTH, BEGUN = range(7, 11)
SQUARE = 1e-6                    # of the violation allowed: square of the last increment, as Newton's method leaves about this


class Central(NamedTuple):
    """What the method remembers between steps (q0, q1, old, total, power), and its work arrays."""
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
    total: np.ndarray
    power: np.ndarray


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
def differences(d, x, w, h):
    """x.q, x.v, x.a at the time of the step."""
    copy(w.q0, x.q)
    for k in range(w.dq.size):
        w.dq[k] = (w.q1[k] - w.old[k]) / (2 * h)
    to_rates(d, w.q0, w.dq, x.v)
    for k in range(w.dq.size):
        w.dq[k] = ((w.q1[k] - w.q0[k]) - (w.q0[k] - w.old[k])) / (h * h)
    to_rates(d, w.q0, w.dq, x.a)


@jit
def efforts(d, x, w, ctl):
    """G at the current state, from the tiles in x.D, as factors; rows of unit size, lengths in sizes of the model. The rank."""
    w.G[:] = 0
    for k in range(w.links.shape[0]):
        tile, first, iv = w.links[k, 0], w.links[k, 1], w.links[k, 2]
        for i in range(6):
            row = w.number[first + i]
            for j in range(6):
                if row >= 0:
                    w.G[row, iv + j] += x.D[tile, i, j] * (ctl[LENGTH] if j < 3 else 1.0)
    for i in range(w.rows.size):
        size = 0.0
        for j in range(w.G.shape[1]):
            size += w.G[i, j] * w.G[i, j]
        w.size[i] = np.sqrt(size) if size > 0 else 1.0
        for j in range(w.G.shape[1]):
            w.G[i, j] /= w.size[i]
    return factor(w.G, w.order_G, w.norms, w.head_G, ctl[LEAST], -1)


@jit
def coordinates(d, x, w, ctl, rank):
    """H and the violations at q1, as factors with so many rows; x.D and x.R are those of q1."""
    w.H[:] = 0
    m, L = w.rows.size, ctl[LENGTH]
    for k in range(w.links.shape[0]):
        tile, first, iq = w.links[k, 0], w.links[k, 1], w.links[k, 3]
        for i in range(6):
            row = w.number[first + i]
            if row >= 0:
                for j in range(3):
                    w.H[row, iq + j] += x.D[tile, i, j] * L
                s, u = from_angles(w.q1, iq + 3, (x.D[tile, i, 3], x.D[tile, i, 4], x.D[tile, i, 5]))
                w.H[row, iq + 3] += s
                for j in range(3):
                    w.H[row, iq + 4 + j] += u[j]
    for i in range(m):
        w.gap[i] = x.R[w.rows[i]]
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        w.gap[m + k] = -1.0
        for j in range(4):
            w.H[m + k, i + j] = 2 * w.q1[i + j]
            w.gap[m + k] += w.q1[i + j] * w.q1[i + j]
    for i in range(w.H.shape[0]):
        size = 0.0
        for j in range(w.H.shape[1]):
            size += w.H[i, j] * w.H[i, j]
        size = np.sqrt(size) if size > 0 else 1.0
        for j in range(w.H.shape[1]):
            w.H[i, j] /= size
        w.gap[i] /= size
    factor(w.H, w.order_H, w.norms, w.head_H, ctl[LEAST], rank + d.rotations.shape[0])


@jit
def image(d, w, ctl, z):
    """w.y = A z, h^2 times the change of R with coordinates z, whose lengths come in sizes of the model and leave in m"""
    for k in range(d.linear.shape[0]):
        z[d.linear[k, 1]] *= ctl[LENGTH]
    to_rates(d, w.q0, z, w.reaction)
    w.y[:] = 0
    for k in range(w.bodies.shape[0]):
        t, r, c = w.bodies[k, 0], w.bodies[k, 1], w.bodies[k, 2]
        for i in range(6):
            for j in range(6):
                w.y[r + i] += w.tiles[t, i, j] * w.reaction[c + j]


@jit
def to_efforts(d, w, ctl, rank, y):
    """y = Q_G^T y, lengths in sizes of the model."""
    for k in range(d.linear.shape[0]):
        y[d.linear[k, 0]] *= ctl[LENGTH]
    to_basis(w.G, rank, y)


@jit
def increment(d, x, w, ctl, rank):
    """w.dq = x_p + N_H alpha, to be subtracted: H x_p = C, N_G^T A N_H alpha = N_G^T (h^2 R - A x_p)     [dimcd-3]"""
    h, n_v, n_q, z = ctl[H], w.y.size, w.dq.size, w.z
    free, lead = n_v - rank, rank + d.rotations.shape[0]
    smallest(w.H, w.order_H, w.head_H, lead, ctl[LEAST], w.gap, w.dq)
    image(d, w, ctl, w.dq)
    for k in range(n_v):
        w.y[k] = h * h * x.R[k] - w.y[k]
    to_efforts(d, w, ctl, rank, w.y)
    for k in range(free):
        w.b[k] = w.y[rank + k]
    for c in range(free):
        z[:] = 0
        z[lead + c] = 1.0
        from_basis(w.H, lead, z)
        image(d, w, ctl, z)
        to_efforts(d, w, ctl, rank, w.y)
        for k in range(free):
            w.K[k, c] = w.y[rank + k]
    if not solve_square(w.K, w.b, free):
        return False
    z[:] = 0
    for c in range(free):
        z[lead + c] = w.b[c]
    from_basis(w.H, lead, z)
    for k in range(d.linear.shape[0]):
        z[d.linear[k, 1]] *= ctl[LENGTH]
    for k in range(n_q):
        w.dq[k] += z[k]
    return True


@jit
def reactions(d, x, w, ctl, rank):
    """lam with C_q^T lam = -R: what equilibrium leaves (eq. 69). R without reactions is in x.R."""
    for k in range(w.y.size):
        w.y[k] = -x.R[k]
    for k in range(d.linear.shape[0]):
        w.y[d.linear[k, 0]] *= ctl[LENGTH]
    combination(w.G, w.order_G, w.head_G, rank, w.y, w.gap)
    for i in range(w.rows.size):
        x.lam[w.rows[i]] = w.gap[i] / w.size[i]


@jit
def silence(x, w):
    for i in range(w.rows.size):
        x.lam[w.rows[i]] = 0.0


@jit
def equilibrium(residual, tangent, d, x, w, ctl, count, t, n_v):
    """x_1 from the equilibrium at the time t of q0, by exact Newton from the start value in q1; then x is the state at t. A status."""
    h, before, rank = ctl[H], 0.0, -1
    for _ in range(count[MAX_ITERATIONS]):
        normalise(d, w.q1)  # derivatives of rotations are those of unit quaternions
        silence(x, w)
        differences(d, x, w, h)
        threshold = max(ctl[TOLERANCE] * (rms(x.a, w.weight_v, n_v) + ctl[FLOOR]) * h * h, ctl[ROUNDING])
        x.D[:] = 0
        evaluate(tangent, d, x, t, 1.0, h / 2, 0.0)
        for k in range(w.bodies.shape[0]):
            tile = w.bodies[k, 0]
            for i in range(6):
                for j in range(6):
                    w.tiles[tile, i, j] = x.D[tile, i, j]
        if rank < 0:
            rank = efforts(d, x, w, ctl)
            count[FACTORISATIONS] += 1
        copy(x.R, x.V)
        copy(w.q1, x.q)
        x.D[:] = 0
        evaluate(tangent, d, x, t + h, 1.0, 0.0, 0.0)
        coordinates(d, x, w, ctl, rank)
        copy(x.V, x.R)
        if not increment(d, x, w, ctl, rank):
            return SINGULAR
        count[ITERATIONS] += 1
        size = 0.0
        for k in range(w.dq.size):
            w.q1[k] -= flushed(w.dq[k])
            size += (w.weight[k] * w.dq[k]) ** 2
        size = np.sqrt(size / w.dq.size)
        if not np.isfinite(size):
            return NOT_FINITE
        rate = size / before if before > 0 else 1.0
        stagnant = before > 0 and rate > 0.3 and size <= AMPLIFIED * ctl[ROUNDING]
        small = size <= ctl[ROUNDING] or (rate < 1 and size * rate / (1 - rate) <= threshold)
        if (small and size * size <= SQUARE * ctl[CLOSED]) or stagnant:
            normalise(d, w.q1)
            silence(x, w)
            differences(d, x, w, h)
            evaluate(residual, d, x, t, 1.0, 0.0, 0.0)
            reactions(d, x, w, ctl, rank)
            return DONE
        before = size
    return NEWTON_FAILED


@jit
def shift(w):
    """One step on: the start value of x_1 is that of a constant second difference's change."""
    for k in range(w.q0.size):
        guess = 3 * (w.q1[k] - w.q0[k]) + w.old[k]
        w.old[k], w.q0[k], w.q1[k] = w.q0[k], w.q1[k], guess


@entry
def advance(residual, tangent, power, history, d, x, w, ctl, count, n_v, max_steps, rows):
    """Steps until the end, a full store, or max_steps; before the first one the equilibrium at the start, which is not counted. A failed
    step leaves the state as it was."""
    count[STORED] = 0
    for _ in range(max_steps):
        if count[STEPS] >= count[END]:
            return DONE
        begun = ctl[BEGUN] != 0
        ctl[T1] = ctl[T0] + (count[STEPS] + 1) * ctl[H] if begun else ctl[T0]
        copy(w.old, w.kept_old)
        copy(w.q0, w.kept_q0)
        copy(w.q1, w.kept_q1)
        if begun:
            shift(w)
        status = equilibrium(residual, tangent, d, x, w, ctl, count, ctl[T1], n_v)
        if status != DONE:
            copy(w.kept_old, w.old)
            copy(w.kept_q0, w.q0)
            copy(w.kept_q1, w.q1)
            return status
        if not begun:
            ctl[BEGUN] = 1
            continue
        count[STEPS] += 1
        if count[HISTORIES] == 1:
            evaluate(history, d, x, ctl[T1], 0.0, 0.0, 0.0)
        if count[POWERED] == 1:
            add_energy(power, d, x, w, ctl, count)
        if count[STEPS] % count[STRIDE] == 0 or count[STEPS] == count[END]:
            keep(x, w, ctl, count, rows)
            if count[STORED] == rows.shape[0]:
                return MORE
    return MORE
