"""Implicit methods on the stabilised index-2 form: what Radau IIA and BDF share. docs/theory/radau_bdf.md

    q = q0 exp(z),   z' = T^-1(z) (v - nu),   nu = S^-1 C^T mu,   M v' + C^T lam = f,   C(q, t) = 0,   C_q v + C_t = 0   [ggl-1]

mu is zero but for errors of the method, so S and C of nu may be those that the matrices are made of: kept over a step and longer.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..formulations.contract import FACTORISATIONS, N_V, POSITION_GAP
from ..kernels.jit import jit
from ..kernels.loop import retract
from ..kernels.loop import run as evaluate
from ..kernels.so3 import mul, scale, store, sub, tangent_inverse, vec
from ..kernels.tiles import factorise, solve, subtract_image
from ..refinement import normalise
from .one_step_loop import SPEED_
from .stepper import DONE, SINGULAR

NODES = 6     # of the polynomial for values in between: its degree
KEPT = 12     # directions of `mixing`
# num: whether there is a step to extrapolate from; whether D and K (with the matrix M) are known, and the factors; most iterations; order;
# points of the past; steps since the order or the step changed; whether the last attempt was accepted is seen from its start
PAST, KNOWN_TILES, FACTORED, MOST_ITERATIONS, ORDER, POINTS, SINCE, HIGHEST, LAST_ORDER, MIXED = range(10)
# par: start and length of the last attempt; of the factors; rate of convergence; where Newton's method ends, and where rounding begins
LAST_T0, LAST_H, H_FACTORS, ETA, TOLERANCE, ROUNDING, THETA = range(7)


class Own(NamedTuple):
    """Matrices, stages and the past. Arrays of one dimension: n unknowns of the tiles; the second ones complex."""
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    E: np.ndarray      # factors, real and complex
    F: np.ndarray
    Z: np.ndarray      # stages x n: increments of positions, velocities, multipliers, nu
    V: np.ndarray
    L: np.ndarray
    N: np.ndarray
    W: np.ndarray      # z' and v' by the formula of the method
    A: np.ndarray
    R1: np.ndarray     # what is left of z', of the motion and velocity constraints, of position constraints
    R2: np.ndarray
    R3: np.ndarray
    a1: np.ndarray
    a2: np.ndarray
    a3: np.ndarray
    ay: np.ndarray
    ag: np.ndarray
    b1: np.ndarray
    b2: np.ndarray
    b3: np.ndarray
    by: np.ndarray
    bg: np.ndarray
    mix: np.ndarray    # see `mixing`
    P: np.ndarray      # what is extrapolated, and the error
    t: np.ndarray      # the past: times, states
    y: np.ndarray
    num: np.ndarray
    par: np.ndarray

    @classmethod
    def of(cls, tiles: int, n: int, n_y: int, rows: int = 10, past: int = 8) -> Own:
        """Room for so many tiles and unknowns; none for methods that need no matrices."""
        block = (tiles, 6, 6)
        matrices = [np.zeros(block) for _ in range(4)] + [np.zeros(block, complex)]
        stages = [np.zeros((3, n)) for _ in range(9)]
        vectors = [np.zeros(n) for _ in range(5)] + [np.zeros(n, complex) for _ in range(5)]
        return cls(*matrices, *stages, *vectors, np.zeros((2 * KEPT + 5, 12 * n)), np.zeros((rows, n)), np.zeros(past), np.zeros((past, n_y)), np.zeros(10, np.int64),
                   np.zeros(10))


@jit
def combine(M, D, K, s, out):
    """out = M + s D + s^2 K"""
    for k in range(M.shape[0]):
        for i in range(6):
            for j in range(6):
                out[k, i, j] = M[k, i, j] + s * (D[k, i, j] + s * K[k, i, j])


@jit
def take(D, M, out):
    """out = D - M; D = 0"""
    for k in range(M.shape[0]):
        for i in range(6):
            for j in range(6):
                out[k, i, j] = D[k, i, j] - M[k, i, j]
                D[k, i, j] = 0


@jit
def tiles_of(p, o, t):
    """M with C, D and K at the state in memory: constraint tiles do not depend on the coefficients."""
    x = p.x
    for k in range(o.M.shape[0]):
        for i in range(6):
            for j in range(6):
                o.M[k, i, j] = 0
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
    take(x.D, o.M, o.K)
    for k in range(o.M.shape[0]):
        for i in range(6):
            for j in range(6):
                o.M[k, i, j] = o.K[k, i, j]
    evaluate(p.tangent, p.d, x, t, 1.0, 1.0, 0.0)
    take(x.D, o.M, o.D)
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 1.0)
    take(x.D, o.M, o.K)


@jit
def factored(p, o, s, E):
    """E = factors for sigma = 1 / s."""
    combine(o.M, o.D, o.K, s, E)
    p.num[FACTORISATIONS] += 1
    return DONE if factorise(E, p.lu, p.pivots) else SINGULAR


@jit
def reachable(p, o, r, out):
    """out = -C t, S t + C^T mu = 0, C t = r: what of r the constraints can follow. The rest, of redundant equations, is nothing but
    their curvature, for which no multiplier is to be asked."""
    solve(o.E, p.lu, r)
    for k in range(r.size):
        out[k] = 0
        if k >= p.num[N_V]:
            r[k] = 0
    subtract_image(o.M, p.lu, r, out)


@jit
def increment(p, o, factors, sigma, r1, r2, r3, y, g):
    """The linear equations of a step, S = M + D / sigma + K / sigma^2:                                  [ggl-2]

        sigma dz - dv + dnu = r1,   (sigma M + D) dv + K dz + C^T dlam = r2,   C dz = r3,   C dv = r4,   dnu = S0^-1 C^T dmu

    r1: rows of motion; r2: rows of motion, then r4; r3: rows of constraints. In their place dz; dv and dlam; and y = dnu."""
    n, n_v = y.size, p.num[N_V]
    for k in range(n):
        y[k] = 0
    subtract_image(o.M, p.lu, r1, y)
    for k in range(n):
        y[k] = 0 * y[k] if k < n_v else r2[k] - y[k] - sigma * r3[k]
    solve(o.E, p.lu, y)
    for k in range(n):
        g[k] = (r1[k] - y[k]) / sigma if k < n_v else 0 * g[k]
        r3[k] = 0
    subtract_image(o.K, p.lu, g, r3)
    for k in range(n):
        r2[k], r1[k] = ((r2[k] + r3[k]) / (sigma * sigma), 0 * r1[k]) if k < n_v else (r2[k], r2[k])
    reachable(p, o, r1, r3)
    for k in range(n_v, n):
        r2[k] = -r3[k] / sigma
    solve(factors, p.lu, r2)
    for k in range(n):
        if k < n_v:
            r1[k] = r2[k] + g[k]
            r2[k] *= sigma
        else:
            r2[k] *= sigma * sigma


@jit
def place(p, w, i):
    """Memory at stage i."""
    o, x = w.own, p.x
    for k in range(p.num[N_V]):
        o.ag[k], x.v[k], x.a[k] = o.Z[i, k], o.V[i, k], o.A[i, k]
    for k in range(p.num[N_V], x.lam.size):
        x.lam[k] = o.L[i, k]
    retract(p.d, w.y0, o.ag, 1.0, x.q)


@jit
def rate(p, o, i):
    """o.ay = T^-1(z) (v - nu) of stage i."""
    for k in range(p.num[N_V]):
        o.ay[k] = o.V[i, k] - o.N[i, k]
    for j in range(p.d.rotations.shape[0]):
        k = p.d.rotations[j, 0]
        z = o.Z[i, k], o.Z[i, k + 1], o.Z[i, k + 2]
        store(mul(tangent_inverse(z), vec(o.ay, k)), o.ay, k)


@jit
def defects(p, w, i, t):
    """What is left of [ggl-1] at stage i, with the sign of a right side."""
    o, x, n_v = w.own, p.x, p.num[N_V]
    place(p, w, i)
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(x.R.size):
        if k < n_v:
            o.R2[i, k], o.R3[i, k] = -x.R[k], 0.0
        else:
            o.R3[i, k] = -x.R[k]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    rate(p, o, i)
    for k in range(x.R.size):
        if k < n_v:
            o.R1[i, k] = o.ay[k] - o.W[i, k]
        else:
            o.R1[i, k], o.R2[i, k] = 0.0, -x.V[k]


@jit
def size_of(p, w, tune, k, dz, dv):
    """Weighted size of an entry of an increment: positions in sizes of the model, velocities in the largest one."""
    c = w.weight[p.x.q.size + k]
    return c * max(abs(dz), abs(dv) / tune[SPEED_])


@jit
def to_state(p, w, v, out):
    """Into ``out``, in the order of y: an increment of positions in own.ag at the start, and of velocities."""
    n_q, d, z = p.x.q.size, p.d, w.own.ag
    for k in range(d.linear.shape[0]):
        out[d.linear[k, 1]] = z[d.linear[k, 0]]
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        out[i] = 0.0
        store(scale(0.5, vec(z, d.rotations[k, 0])), out, i + 1)
    for k in range(p.num[N_V]):
        out[n_q + k] = v[k]


@jit
def clear(P):
    for l in range(P.shape[0]):
        for k in range(P.shape[1]):
            P[l, k] = 0.0


@jit
def add_node(p, w, m, inverse):
    """Of the polynomial [ode-2]: its value at node m / NODES, positions from own.ag, velocities from own.ay, energies from own.bg.
    ``inverse``: where the inverse of the matrix of powers of the nodes is in the table."""
    n_q, n_v, o = p.x.q.size, p.num[N_V], w.own
    retract(p.d, w.y0, o.ag, 1.0, w.z)
    for k in range(n_v):
        w.z[n_q + k] = o.ay[k]
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
def logarithm(d, q0, q, j, out):
    """z with q0 exp(z) = the positions in row j of q, and the largest angle in it."""
    for k in range(d.linear.shape[0]):
        out[d.linear[k, 0]] = q[j, d.linear[k, 1]] - q0[d.linear[k, 1]]
    largest = 0.0
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        a, b = vec(q0, i + 1), (q[j, i + 1], q[j, i + 2], q[j, i + 3])
        c = q0[i] * q[j, i] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
        u = sub(scale(q0[i], b), scale(q[j, i], a))
        u = u[0] - (a[1] * b[2] - a[2] * b[1]), u[1] - (a[2] * b[0] - a[0] * b[2]), u[2] - (a[0] * b[1] - a[1] * b[0])
        if c < 0:
            c, u = -c, scale(-1.0, u)
        s = np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
        angle = 2 * np.arctan2(s, c)
        store(scale(angle / s if s > 1e-8 else 2.0, u), out, d.rotations[k, 0])
        largest = max(largest, angle)
    return largest
