"""Anderson's acceleration of Newton's method with kept matrices, for steps that pass a singular position: there constraints lose their
rank or change its sign from stage to stage, and the iteration diverges in a few directions.     Anderson 1965; Walker, Ni 2011

    x <- x + f - sum_j (q_j . f) g_j                                                                      [mix-1]

q_j: changes of the increment f, made orthonormal; g_j: the same combinations of those of x + f.

The unknowns are the rows Z, V, L, N of three stages, one after the other.
"""
from ....kernels.jit import jit
from .stages import KEPT

V, L, N, UNKNOWNS = 3, 6, 9, 12  # where velocities, multipliers and nu begin among the rows of unknowns
SCALE, X, F_BEFORE, X_BEFORE, F, DIRECTIONS = range(6)  # rows of mix; then those of q_j, then those of g_j


@jit
def scaled(w, c, o, n_q, n_v, force):
    """Units of the unknowns: positions in sizes of the model, velocities in the largest one, multipliers in ``force``."""
    n = o.g.size
    o.n.mixed = 0
    for row in range(UNKNOWNS):
        multiplier = L <= row < N
        for k in range(n):
            by = 0.0
            if k < n_v and not multiplier:
                by = w.weight[n_q + k] / (1.0 if row < V else c.speed)
            elif k >= n_v and multiplier:
                by = 1 / force
            o.mix[SCALE, row * n + k] = by


@jit
def gather(mix, S, row):
    """A row of mix from the unknowns."""
    n = S.shape[1]
    for i in range(UNKNOWNS):
        for k in range(n):
            mix[row, i * n + k] = mix[SCALE, i * n + k] * S[i, k]


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
def learn(a, n):
    """A new direction from the last two increments."""
    m = n.mixed - 1
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
    n.mixed += 1


@jit
def mix(a, S, memory):
    """[mix-1] after an iteration, with the unknowns before it in row X."""
    n = S.shape[1]
    gather(a, S, F)
    subtract(a, 1.0, X, F)
    if memory.mixed > KEPT:
        memory.mixed = 0
    if memory.mixed > 0:
        learn(a, memory)
    else:
        memory.mixed = 1
    for k in range(a.shape[1]):
        a[F_BEFORE, k], a[X_BEFORE, k] = a[F, k], a[X, k]
        a[X, k] += a[F, k]
    for j in range(memory.mixed - 1):
        c = product(a, DIRECTIONS + j, F)
        subtract(a, c, DIRECTIONS + j, F)
        subtract(a, c, DIRECTIONS + KEPT + j, X)
    for i in range(UNKNOWNS):
        for k in range(n):
            if a[SCALE, i * n + k] > 0:
                S[i, k] = a[X, i * n + k] / a[SCALE, i * n + k]
