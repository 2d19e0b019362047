"""Implicit methods on the stabilised index-2 form: what Radau IIA and BDF share. docs/theory/radau_bdf.md

    q = q0 exp(z),   z' = T^-1(z) (v - nu),   nu = S^-1 C^T mu,   M v' + C^T lam = f,   C(q, t) = 0,   C_q v + C_t = 0   [ggl-1]

mu is zero but for errors of the method, so S and C of nu may be those that the matrices are made of: kept over a step and longer.
The memory is few arrays with many rows: kernels are given all of it, and the compiler takes its time for every array.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compile.consistency import normalise
from ...kernels.evaluation import retract
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.ode import N_V, POSITION_GAP
from ...kernels.so3 import cross, dot, mul, scale, store, sub, tangent_inverse, vec
from ...kernels.status import DONE
from .one_step_loop import EPS_, SPEED_, H

NODES = 6      # of the polynomial for values in between: its degree
KEPT = 20      # directions of `mixing`
HELD = 8       # states of the past
M, D, K, E = range(4)  # of own.tiles: [M C^T; C 0], dR/dv, dR/dq, and real factors
# rows of own.S, three stages of: z, v, lam, nu; z', v' by the formula; what is left of z', of the motion and velocity constraints, of
# position constraints; then right sides and work
Z, V, L, N, W, A, R1, R2, R3, RIGHT, Y, G = 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 31
P, CHART, LAMBDA, ROWS = 32, 42, 50, 58  # then what Radau extrapolates from; of BDF increments to the past, and multipliers of the past
# num: whether there is a step to extrapolate from; state of the tiles (0, -1 none, 1 of an earlier step, 2 of this one) and of the factors;
# most iterations; order; points of the past; steps since order or step changed; highest order; that of the last step; directions that
# are mixed; what the solver is asked for; attempts to come away from a singular position
PAST, TILES, FACTORED, MOST_ITERATIONS, ORDER, POINTS, SINCE, HIGHEST, LAST_ORDER, MIXED, TASK, TRIES = range(12)
ITERATE, ERROR, MATRICES, ITERATE_BDF, MATRICES_BDF, WORK, FINISH_BDF = range(7)  # tasks
# par: start and length of the last step; length that the factors are for; rate of convergence, and what follows from it; where Newton's
# method ends, where rounding begins; size of the last increment; sigma of BDF, and of its factors; start of the last step of BDF,
# and its usual length of late
LAST_T0, LAST_H, H_FACTORS, THETA, ETA, TOLERANCE, ROUNDING, SIZE, SIGMA, SIGMA_FACTORS, BDF_T0, USUAL_H = range(12)


class Own(NamedTuple):
    """Matrices, stages and the past."""
    tiles: np.ndarray
    F: np.ndarray      # complex factors
    S: np.ndarray      # rows of n unknowns
    B: np.ndarray      # the same, complex: right sides and work
    mix: np.ndarray    # see `mixing`
    past: np.ndarray   # time and state
    num: np.ndarray
    par: np.ndarray
    lam: np.ndarray    # multipliers after the last evaluation

    @classmethod
    def of(cls, tiles: int, n: int, n_y: int, lam: np.ndarray | None = None) -> Own:
        """Room for so many tiles, unknowns and numbers of a state; none for methods that need no matrices."""
        return cls(np.zeros((4, tiles, 6, 6)), np.zeros((tiles, 6, 6), complex), np.zeros((ROWS, n)), np.zeros((5, n), complex),
                   np.zeros((2 * KEPT + 5, 12 * n)), np.zeros((HELD, 1 + n_y)), np.zeros(12, np.int64), np.zeros(12),
                   np.zeros(n) if lam is None else lam)


@jit
def place(p, w, i):
    """Memory at stage i."""
    S, x = w.own.S, p.x
    for k in range(p.num[N_V]):
        S[G, k], x.v[k], x.a[k] = S[Z + i, k], S[V + i, k], S[A + i, k]
    for k in range(p.num[N_V], x.lam.size):
        x.lam[k] = S[L + i, k]
    retract(p.d, w.y0, S[G], 1.0, x.q)


@jit
def rate(d, S, n_v, i):
    """S[Y] = T^-1(z) (v - nu) of stage i."""
    for k in range(n_v):
        S[Y, k] = S[V + i, k] - S[N + i, k]
    for j in range(d.rotations.shape[0]):
        k = d.rotations[j, 0]
        a = mul(tangent_inverse((S[Z + i, k], S[Z + i, k + 1], S[Z + i, k + 2])), (S[Y, k], S[Y, k + 1], S[Y, k + 2]))
        S[Y, k], S[Y, k + 1], S[Y, k + 2] = a


@jit
def defects(p, w, i, t):
    """What is left of [ggl-1] at stage i, with the sign of a right side."""
    S, x, n_v = w.own.S, p.x, p.num[N_V]
    place(p, w, i)
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(x.R.size):
        if k < n_v:
            S[R2 + i, k], S[R3 + i, k] = -x.R[k], 0.0
        else:
            S[R3 + i, k] = -x.R[k]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    rate(p.d, S, n_v, i)
    for k in range(x.R.size):
        if k < n_v:
            S[R1 + i, k] = S[Y, k] - S[W + i, k]
        else:
            S[R1 + i, k], S[R2 + i, k] = 0.0, -x.V[k]


@jit
def size_of(weight, speed, dz, dv):
    """Weighted size of an entry of an increment: positions in sizes of the model, velocities in the largest one."""
    return weight * max(abs(dz), abs(dv) / speed)


@jit
def largest(w, tune, n_q, n_v, z, v):
    """The same of two rows of own.S."""
    S, size = w.own.S, 0.0
    for k in range(n_v):
        s = size_of(w.weight[n_q + k], tune[SPEED_], S[z, k], S[v, k])
        if not s <= size:
            size = s
    return size


@jit
def to_error(d, w, n_q, n_v, z, v, factor):
    """w.error = factor times increments of positions and velocities in rows of own.S."""
    S = w.own.S
    for k in range(d.linear.shape[0]):
        w.error[d.linear[k, 1]] = factor * S[z, d.linear[k, 0]]
    for k in range(d.rotations.shape[0]):
        i, j = d.rotations[k, 1], d.rotations[k, 0]
        w.error[i] = 0.0
        for l in range(3):
            w.error[i + 1 + l] = factor * S[z, j + l] / 2
    for k in range(n_v):
        w.error[n_q + k] = factor * S[v, k]


@jit
def judged(w, tune, n_q, n_v):
    """Error of the step over what is allowed, as the loop sees it."""
    worst = 0.0
    for k in range(n_q + n_v):
        worst = max(worst, w.weight[k] * abs(w.error[k]) / (1.0 if k < n_q else tune[SPEED_]))
    return worst / (tune[EPS_] * tune[H])


@jit
def clear(P):
    for l in range(P.shape[0]):
        for k in range(P.shape[1]):
            P[l, k] = 0.0


@jit
def add_node(d, w, n_q, n_v, m, inverse):
    """Of the polynomial [ode-2]: its value at node m / NODES, positions from S[G], velocities from S[Y], energies from w.z.
    ``inverse``: where the inverse of the matrix of powers of the nodes is in the table."""
    S = w.own.S
    retract(d, w.y0, S[G], 1.0, w.z)
    for k in range(n_v):
        w.z[n_q + k] = S[Y, k]
    for l in range(NODES):
        c = w.table[inverse + l * NODES + m - 1]
        for k in range(w.z.size):
            w.P[l + 1, k] += c * (w.z[k] - w.y0[k])


@jit
def settle(p, t, y):
    """After a step: quaternions of length one, and how far the constraints hold."""
    normalise(p.d, y)
    for k in range(p.x.q.size):
        p.x.q[k] = y[k]
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    for k in range(p.num[N_V], p.x.R.size):
        p.par[POSITION_GAP] = max(p.par[POSITION_GAP], abs(p.x.R[k]))
    return DONE


@jit
def logarithm(d, q0, past, j, out):
    """out = z with q0 exp(z) = positions of the past in row j; returns the largest angle in it."""
    for k in range(d.linear.shape[0]):
        out[d.linear[k, 0]] = past[j, 1 + d.linear[k, 1]] - q0[d.linear[k, 1]]
    most = 0.0
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        a, b = vec(q0, i + 1), (past[j, i + 2], past[j, i + 3], past[j, i + 4])
        c = q0[i] * past[j, i + 1] + dot(a, b)
        u = sub(sub(scale(q0[i], b), scale(past[j, i + 1], a)), cross(a, b))
        if c < 0:
            c, u = -c, scale(-1.0, u)
        s = np.sqrt(dot(u, u))
        angle = 2 * np.arctan2(s, c)
        store(scale(angle / s if s > 1e-8 else 2.0, u), out, d.rotations[k, 0])
        most = max(most, angle)
    return most
