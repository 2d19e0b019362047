"""What Radau IIA and BDF share: their memory, and how states, errors and polynomials are made of it. docs/theory/radau_bdf.md

    q = q0 exp(z),   z' = T^-1(z) (v - nu),   nu = S^-1 C^T mu,   M v' + C^T lam = f,   C(q, t) = 0,   C_q v + C_t = 0   [ggl-1]

mu is zero but for errors of the method, so S and C of nu may be those that the matrices are made of: kept over a step and longer. In
joint coordinates v are rates, lam and nu do not exist, and v' = a(t, q, v).
The memory is few arrays with many rows: kernels are given all of it, and the compiler takes its time for every array.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.records import new_record, record_type
from ....kernels.so3 import cross, dot, mul, scale, store, sub, tangent_inverse, vec
from ..loop.chosen_steps import speeds
from .tables import NODES, Radau, radau_iia_5

KEPT = 20      # directions of `anderson`
HELD = 8       # states of the past
LEAST = 6      # columns of S: three stages of two energies
M, D, K, E = range(4)  # of the tiles: [M C^T; C 0], dR/dv, dR/dq, and real factors
# Rows of S, three stages of each.
Z, V, L, N = 0, 3, 6, 9          # z, v, lam, nu
W, A = 12, 15                    # z', v' by the formula of the method
R1, R2, R3 = 18, 21, 24          # what is left of z', of the motion and velocity constraints, of position constraints
RIGHT, Y, G = 27, 30, 31         # right sides (three rows); work
P = 32                           # what Radau extrapolates from
CHART, LAMBDA, ROWS = 42, 50, 58  # of BDF: increments to the past, and multipliers of the past
ITERATE, ERROR, MATRICES, ITERATE_BDF, MATRICES_BDF, WORK, FINISH_BDF = range(7)  # tasks of the solver
MEMORY = record_type({
    "last_t0": "start of the last step",
    "last_h": "its length",
    "h_factors": "length of step that the factors are for",
    "theta": "rate of convergence",
    "eta": "and what follows from it",
    "tolerance": "where Newton's method ends, with fixed steps",
    "rounding": "where rounding begins",
    "size": "of the last increment",
    "sigma": "of BDF",
    "sigma_factors": "of its factors",
    "bdf_t0": "start of the last step of BDF",
    "usual_h": "usual length of steps of late",
}, {
    "past": "steps to extrapolate from: 0, 1, or 2 for more",
    "tiles": "state of the matrices: 0, -1 none, 1 of an earlier step, 2 of this one",
    "factored": "whether there are factors",
    "most_iterations": "of Newton's method",
    "order": "of BDF; 0: begun by Radau",
    "points": "of the past",
    "since": "steps since order or step changed",
    "highest": "order",
    "last_order": "of the last step",
    "mixed": "directions that are mixed",
    "task": "what the solver is asked for",
    "tries": "attempts to come away from a singular position",
})


class Tiles(NamedTuple):
    """Matrices in absolute coordinates."""
    real: np.ndarray     # M, D, K, and factors
    pair: np.ndarray     # complex factors


class Full(NamedTuple):
    """Matrices in joint coordinates."""
    K: np.ndarray        # da/dz, da/du
    D: np.ndarray
    real: np.ndarray     # factors
    pair: np.ndarray
    pivots: np.ndarray
    f: np.ndarray        # F(t, y)
    y: np.ndarray        # where derivatives are asked for
    tangents: np.ndarray  # address of what makes them
    right: np.ndarray    # a right side

    @classmethod
    def of(cls, n: int, n_y: int) -> Full:
        """Of n rates, and n_y numbers of a state."""
        K, D, real = (np.zeros((n, n)) for _ in range(3))
        return cls(K, D, real, np.zeros((n, n), complex), np.zeros((2, n), np.int64), np.zeros(n_y), np.zeros(n_y),
                   np.zeros(1, np.int64), np.zeros((1, n)))


class Stages(NamedTuple):
    """Matrices, stages and the past."""
    n: Any               # a record of MEMORY
    S: np.ndarray        # rows of n unknowns
    B: np.ndarray        # the same, complex: right sides and work
    mix: np.ndarray      # see `anderson`
    past: np.ndarray     # time and state
    lam: np.ndarray      # multipliers after the last evaluation
    radau: Radau
    matrices: Any        # Tiles or Full

    @classmethod
    def of(cls, columns: int, n_y: int, lam: np.ndarray, matrices: Any) -> Stages:
        """Room for so many unknowns, and numbers of a state."""
        return cls(new_record(MEMORY), np.zeros((ROWS, columns)), np.zeros((5, columns), complex), np.zeros((2 * KEPT + 5, 12 * columns)),
                   np.zeros((HELD, 1 + n_y)), lam, radau_iia_5(), matrices)


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
def size_of(weight, speed, dz, dv):
    """Weighted size of an entry of an increment: positions in sizes of the model, velocities in the largest one."""
    return weight * max(abs(dz), abs(dv) / speed)


@jit
def largest(w, c, o, n_q, n_v, z, v):
    """The same of two rows of S."""
    S, size = o.S, 0.0
    for k in range(n_v):
        s = size_of(w.weight[n_q + k], c.speed, S[z, k], S[v, k])
        if not s <= size:
            size = s
    return size


@jit
def to_error(d, w, S, n_q, n_v, z, v, factor):
    """w.error = factor times increments of positions and velocities in rows of S."""
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
def note_speed(p, w, c):
    """The largest speed so far, where no error control asks for it: increments of velocities are measured in it."""
    if c.fixed == 1:
        c.speed = speeds(p, w, w.y0, w.f0, c.speed)


@jit
def clear(P):
    for l in range(P.shape[0]):
        for k in range(P.shape[1]):
            P[l, k] = 0.0


@jit
def add_node(d, w, o, n_q, n_v, m):
    """Of the polynomial [ode-2]: its value at node m / NODES, positions from S[G], velocities from S[Y], energies from w.z."""
    S = o.S
    retract(d, w.y0, S[G], 1.0, w.z)
    for k in range(n_v):
        w.z[n_q + k] = S[Y, k]
    for l in range(NODES):
        by = o.radau.powers[l, m - 1]
        for k in range(w.z.size):
            w.P[l + 1, k] += by * (w.z[k] - w.y0[k])


@jit
def logarithm(d, q0, past, j, out):
    """out = z with q0 exp(z) = positions of the past in row j; returns the largest angle in it."""
    for k in range(d.linear.shape[0]):
        out[d.linear[k, 0]] = past[j, 1 + d.linear[k, 1]] - q0[d.linear[k, 1]]
    most = 0.0
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 1]
        a, b = vec(q0, i + 1), (past[j, i + 2], past[j, i + 3], past[j, i + 4])
        cos = q0[i] * past[j, i + 1] + dot(a, b)
        u = sub(sub(scale(q0[i], b), scale(past[j, i + 1], a)), cross(a, b))
        if cos < 0:
            cos, u = -cos, scale(-1.0, u)
        s = np.sqrt(dot(u, u))
        angle = 2 * np.arctan2(s, cos)
        store(scale(angle / s if s > 1e-8 else 2.0, u), out, d.rotations[k, 0])
        most = max(most, angle)
    return most
