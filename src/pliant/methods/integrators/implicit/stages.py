"""What Radau IIA and BDF share: their memory, and how states, errors and polynomials are made of it. docs/theory/radau_bdf.md

    q = q0 exp(z),   z' = T^-1(z) (v - nu),   nu = S^-1 C^T mu,   M v' + C^T lam = f,   C(q, t) = 0,   C_q v + C_t = 0   [ggl-1]

mu is zero but for errors of the method, so S and C of nu may be those that the matrices are made of: kept over a step and longer. In
joint coordinates v are rates, lam and nu do not exist, and v' = a(t, q, v).
"""
from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple, cast

import numpy as np

from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.records import new_record, record_type
from ....kernels.so3 import cross, dot, mul, scale, store, sub, tangent_inverse, vec
from ....kernels.states import copy_part, larger
from ..time_loop.speeds import ONSET, is_state, speeds

KEPT = 20      # directions of `iterations`
HELD = 8       # states of the past
LEAST = 6      # columns: three stages of two energies
M, D, K, E = range(4)  # of the tiles: [M C^T; C 0], dR/dv, dR/dq, and real factors
NODES = 6      # of the polynomial for values in between: its degree
ITERATE, ERROR, MATRICES, ITERATE_BDF, MATRICES_BDF, WORK, FINISH_BDF = range(7)  # tasks of the solver
ROWS = {"Z": 3, "V": 3, "L": 3, "N": 3,  # z, v, lam, nu of three stages: the unknowns
        "W": 3, "A": 3,                  # z', v' by the formula of the method
        "R": 9,                          # what is left of z', of motion and velocity constraints, of position constraints
        "right": 5,                      # right sides (three), and work: y and g
        "v_ahead": 3, "lam_ahead": 2,    # of Radau: what velocities and multipliers are extrapolated by
        "z_error": 1, "v_error": 1, "e_error": 1, "start": 1, "energies": 1,  # errors, start of v and lam, energies at stages
        "chart": HELD, "lams": HELD}     # of BDF: increments to the past, and multipliers of the past
MEMORY = record_type({
    "last_t0, last_h": "start of the last step, and its length",
    "h_factors": "length of step that the factors are for",
    "theta, eta": "rate of convergence, and what follows from it",
    "tolerance": "where Newton's method ends, with fixed steps",
    "rounding": "where rounding begins",
    "size": "of the last increment",
    "sigma, sigma_factors": "of BDF, and of its factors",
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
    "index3": "whether BDF holds constraints of positions only",
    "last_order": "of the last step",
    "mixed": "directions that are mixed",
    "task": "what the solver is asked for",
    "tries": "attempts to come away from a singular position",
})


class Radau(NamedTuple):
    """A^-1 = X diag(real, pair, conj pair) Y.     Hairer, Wanner II, IV.5 (5.12) and IV.8"""
    c: np.ndarray
    A: np.ndarray
    inverse: np.ndarray    # of A
    real: float            # eigenvalues of that
    pair: complex
    X_real: np.ndarray     # columns of X
    X_pair: np.ndarray     # real and imaginary part
    Y_real: np.ndarray     # rows of Y
    Y_pair: np.ndarray
    basis: np.ndarray      # coefficient of s^(l+1) in the polynomial through stage i
    bubble: np.ndarray     # coefficients of the polynomial with slope 1 at the start whose slope is zero at the stages
    ahead_v: np.ndarray    # from values at earlier stages to coefficients behind the step
    ahead_l: np.ndarray
    powers: np.ndarray     # coefficients of s, s^2, ... of the polynomial that is zero at 0, from its values at the nodes k / NODES


def radau_iia_5() -> Radau:
    r = np.sqrt(6)
    c = np.array([(4 - r) / 10, (4 + r) / 10, 1.0])
    A = np.array([[(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
                  [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225], [(16 - r) / 36, (16 + r) / 36, 1 / 9]])
    inverse = np.linalg.inv(A)
    values, X = np.linalg.eig(inverse)
    real, upper = int(np.argmin(abs(values.imag))), int(np.argmax(values.imag))
    Y = np.linalg.inv(X)
    bubble = np.polynomial.Polynomial.fromroots(c).integ()
    back = np.array([c[0] - 1, c[1] - 1, -1.0])
    s = np.arange(1, NODES + 1) / NODES
    return Radau(c, A, inverse, float(values[real].real), complex(values[upper]), X[:, real].real.copy(),
                 np.stack([X[:, upper].real, X[:, upper].imag]), Y[real].real.copy(), np.stack([Y[upper].real, Y[upper].imag]),
                 np.linalg.inv(c[:, None] ** np.arange(1, 4)), bubble.coef[1:] / bubble.coef[1],
                 np.linalg.inv(back[:, None] ** np.arange(1, 4)), np.linalg.inv(back[:2, None] ** np.arange(1, 3)),
                 np.linalg.inv(s[:, None] ** np.arange(1, NODES + 1)))


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
    tangents: Any = 0    # addresses of the kernel that makes K and D, of what it needs, and of the kernel for accelerations
    needed: Any = 0
    accelerations: Any = 0

    @classmethod
    def of(cls, n: int, n_y: int) -> Full:
        """Of n rates, and n_y numbers of a state."""
        K, D, real = (np.zeros((n, n)) for _ in range(3))
        return cls(K, D, real, np.zeros((n, n), complex), np.zeros((2, n), np.int64), np.zeros(n_y))


# B: complex right sides and work; mix: see `iterations`; past: times and states; lam: multipliers after the last evaluation
FIELDS = "n", "S", *ROWS, "y", "g", "B", "mix", "past", "lam", "radau", "matrices"
Stages = cast(Any, namedtuple("Stages", FIELDS))


def new_stages(columns: int, n_y: int, lam: np.ndarray, matrices: Tiles | Full) -> Any:
    """Room for so many unknowns, and numbers of a state. ``n``: a record of MEMORY."""
    S, rows, first = np.zeros((sum(ROWS.values()), columns)), {}, 0
    for name, count in ROWS.items():
        rows[name] = S[first:first + count] if count > 1 else S[first]
        first += count
    R, right, mix = rows.pop("R").reshape(3, 3, columns), rows["right"], np.zeros((2 * KEPT + 5, 12 * columns))
    return Stages(n=new_record(MEMORY), S=S, R=R, **rows, y=right[3], g=right[4], B=np.zeros((5, columns), complex), mix=mix,
                  past=np.zeros((HELD, 1 + n_y)), lam=lam, radau=radau_iia_5(), matrices=matrices)


@jit
def ask(p, w, c, o, task):
    """The solver is to do this. A status."""
    o.n.task = task
    return call_status(w.call.solver, (p, w, c, o))


@jit
def rate(d, o, n_v, i):
    """o.y = T^-1(z) (v - nu) of stage i."""
    y, z = o.y, o.Z[i]
    for k in range(n_v):
        y[k] = o.V[i, k] - o.N[i, k]
    for j in range(d.rotations.shape[0]):
        k = d.rotations[j, 0]
        store(mul(tangent_inverse(vec(z, k)), vec(y, k)), y, k)


@jit
def size_of(w, n_q, k, dz, dv):
    """Weighted size of an entry of an increment: positions in sizes of the model, velocities in their speed. States have no position."""
    change = abs(dv) / w.speed[k]
    return w.weight[n_q + k] * (change if is_state(w, k) else max(abs(dz), change))


@jit
def largest(p, w, c, dz, dv):
    """The largest of those."""
    size = 0.0
    for k in range(p.num.state_v):
        size = larger(size, size_of(w, p.num.state_q, k, dz[k], dv[k]))
    return size


@jit
def scale_velocities(p, w, c, o):
    """On index 3 errors and increments of velocities count as what they do to positions in a step, h dv: dv itself has errors of order
    1 / h where step or order change, which positions do not see."""
    for k in range(p.num.state_v):
        if not is_state(w, k):
            o.right[1, k] *= c.h * w.speed[k]


@jit
def to_error(p, w, dz, dv, factor):
    """w.error = factor times increments of positions and velocities, in numbers of a state."""
    maps = p.maps
    for k in range(maps.linear.shape[0]):
        w.error[maps.linear[k, 1]] = factor * dz[maps.linear[k, 0]]
    for k in range(maps.rotations.shape[0]):
        i, j = maps.rotations[k, 1], maps.rotations[k, 0]
        w.error[i] = 0.0
        for l in range(3):
            w.error[i + 1 + l] = factor * dz[j + l] / 2
    for k in range(p.num.state_v):
        w.error[p.num.state_q + k] = factor * dv[k]


@jit
def note_speed(p, w, c):
    """Speeds so far, where no error control asks for them: increments of velocities are measured in these."""
    if c.fixed == 1:
        speeds(p, w, c, c.t0, w.y0, w.f0, ONSET)


@jit
def add_node(p, w, o, m):
    """Of the polynomial [ode-2]: its value at node m / NODES, positions from o.g, velocities from o.y, energies from w.z."""
    copy_part(o.y, 0, w.z, p.num.state_q, p.num.state_v)
    retract(p.maps, w.y0, o.g, 1.0, w.z)
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
