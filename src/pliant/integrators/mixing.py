"""Anderson's acceleration of Newton's method with kept matrices, for steps that pass a singular position: there constraints lose their
rank or change its sign from stage to stage, and the iteration diverges in a few directions.     Anderson 1965; Walker, Ni 2011

    x <- x + f - sum_j (q_j . f) g_j,   q_j: changes of the increment f, made orthonormal;   g_j: the same combinations of those of x + f   [mix-1]
"""
from ..formulations.contract import N_V
from ..kernels.jit import jit
from .implicit import KEPT, MIXED
from .one_step_loop import SPEED_

SCALE, X, F_BEFORE, X_BEFORE, F, DIRECTIONS = range(6)  # rows of own.mix; then those of q_j, then those of g_j


@jit
def scaled(p, w, tune, force):
    """Units of the unknowns: positions in sizes of the model, velocities in the largest one, multipliers in ``force``."""
    o, n, n_q = w.own, w.own.Z.shape[1], p.x.q.size
    o.num[MIXED] = 0
    for part in range(4):
        for k in range(n):
            c = 0.0
            if k < p.num[N_V] and part != 2:
                c = w.weight[n_q + k] / (1.0 if part == 0 else tune[SPEED_])
            elif k >= p.num[N_V] and part == 2:
                c = 1 / force
            for i in range(3):
                o.mix[SCALE, (3 * part + i) * n + k] = c


@jit
def gather(o, row):
    """A row of own.mix from the unknowns."""
    n = o.Z.shape[1]
    for i in range(3):
        for k in range(n):
            for part, u in ((0, o.Z), (1, o.V), (2, o.L), (3, o.N)):
                l = (3 * part + i) * n + k
                o.mix[row, l] = o.mix[SCALE, l] * u[i, k]


@jit
def product(a, i, j):
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * a[j, k]
    return total


@jit
def subtract(a, c, i, j):
    """Row j minus c times row i."""
    for k in range(a.shape[1]):
        a[j, k] -= c * a[i, k]


@jit
def learn(o):
    """A new direction from the last two increments."""
    a, m = o.mix, o.num[MIXED] - 1
    q, g = DIRECTIONS + m, DIRECTIONS + KEPT + m
    for k in range(a.shape[1]):
        a[q, k] = a[F, k] - a[F_BEFORE, k]
        a[g, k] = a[q, k] + a[X, k] - a[X_BEFORE, k]
    for j in range(m):
        c = product(a, DIRECTIONS + j, q)
        subtract(a, c, DIRECTIONS + j, q)
        subtract(a, c, DIRECTIONS + KEPT + j, g)
    size = product(a, q, q) ** 0.5
    if not size > 0:
        return
    for k in range(a.shape[1]):
        a[q, k] /= size
        a[g, k] /= size
    o.num[MIXED] += 1


@jit
def mix(o):
    """[mix-1] after an iteration, with the unknowns before it in row X."""
    a, n = o.mix, o.Z.shape[1]
    gather(o, F)
    subtract(a, 1.0, X, F)
    if o.num[MIXED] > KEPT:
        o.num[MIXED] = 0
    if o.num[MIXED] > 0:
        learn(o)
    else:
        o.num[MIXED] = 1
    for k in range(a.shape[1]):
        a[F_BEFORE, k], a[X_BEFORE, k] = a[F, k], a[X, k]
        a[X, k] += a[F, k]
    for j in range(o.num[MIXED] - 1):
        c = product(a, DIRECTIONS + j, F)
        subtract(a, c, DIRECTIONS + j, F)
        subtract(a, c, DIRECTIONS + KEPT + j, X)
    for i in range(3):
        for k in range(n):
            for part, u in ((0, o.Z), (1, o.V), (2, o.L), (3, o.N)):
                l = (3 * part + i) * n + k
                if a[SCALE, l] > 0:
                    u[i, k] = a[X, l] / a[SCALE, l]
