"""Dense linear algebra of formulations that work in a basis of the motions which the constraints allow.

Lengths count in sizes of the model: with v = S w and the equations times U, both dimensionless,

    A = U C_q S,   M_s = S M S,   f_s = S f                                                                 [dense-1]
    X P = Q R   with X = A or A^T
"""
from typing import Any, NamedTuple

import numpy as np

from .evaluation import run as evaluate
from .jit import index, jit
from .projection import RENEWED

RANK, LISTS = 2, 3               # of p.chosen: after the numbers of coordinates and equations; before the lists
FORWARD, BACKWARD = index(0, 1)  # Q^T, Q


class Dense(NamedTuple):
    """Of n coordinates and m equations. The last four are parts of p.chosen, which the memory of a run keeps."""
    entries: np.ndarray      # of M_s and A: tile of x.D, row and column in it, row of [M_s; A], column
    F: np.ndarray            # Q and R: reflections below the diagonal, R on and above it
    A: np.ndarray
    M: np.ndarray            # M_s
    B: np.ndarray            # the basis, one vector per row
    G: np.ndarray            # B^T M_s B, later its factor
    S: np.ndarray            # the diagonal
    U: np.ndarray            # the diagonal
    head: np.ndarray         # first entries of the reflections
    side: np.ndarray
    right: np.ndarray
    solution: np.ndarray     # w or its derivative
    force: np.ndarray        # f_s
    rows: np.ndarray         # of the equations in x.R
    coordinates: np.ndarray  # where they are among velocities
    order: np.ndarray        # of the pivots
    place: np.ndarray        # where velocities and rows are among coordinates and equations, -1 if nowhere
    rank: np.ndarray         # one number, -1 before it is known


def layout(coordinates: np.ndarray, equations: np.ndarray, place: np.ndarray, S: np.ndarray, U: np.ndarray,
           rows: np.ndarray, shape: tuple[int, int], entries: Any = ()) -> dict[str, Any]:
    """``dense`` and ``chosen`` of a problem. ``shape``: that of X; ``entries``: none where masses do not matter."""
    n, m, big = S.size, U.size, max(S.size, U.size, 1)
    chosen = np.concatenate([[n, m, -1], coordinates, equations, np.arange(big), place]).astype(np.int64)
    _, rank, coordinates, _, order, place = np.split(chosen, np.cumsum([RANK, 1, n, m, big]))
    M, B, G = np.zeros((3, n, n) if entries else (3, 0, 0))
    head, side, right, solution, force = np.zeros((5, big))
    dense = Dense(np.array(entries, np.int64).reshape(-1, 5), np.zeros(shape), np.zeros((m, n)), M, B, G, S, U,
                  head, side, right, solution, force, rows, coordinates, order, place, rank)
    return {"dense": dense, "chosen": chosen}


def same_lists(p: Any, fresh: np.ndarray) -> bool:
    """Whether p.chosen, read from a file, is what it was for the same model, in whatever order the pivots are."""
    order, known = LISTS + fresh[0] + fresh[1] + np.arange(p.dense.F.shape[1]), fresh.copy()
    known[RANK], known[order] = p.chosen[RANK], p.chosen[order]
    return bool((p.chosen == known).all() and (np.sort(known[order]) == np.arange(order.size)).all()
                and -1 <= known[RANK] <= min(fresh[:RANK]))


@jit
def gather(p, t):
    """A and M_s at the position in x."""
    x, d, n = p.x, p.dense, p.dense.S.size
    x.a[:] = 0
    x.lam[:] = 0
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
    p.num.factorisations += 1
    for e in range(d.entries.shape[0]):
        k, l = d.entries[e, 3], d.entries[e, 4]
        value = x.D[d.entries[e, 0], d.entries[e, 1], d.entries[e, 2]]
        if k < n:
            d.M[k, l] = d.S[k] * value * d.S[l]
        else:
            d.A[k - n, l] = d.U[k - n] * value * d.S[l]


@jit
def decompose(d, X, zero, renewed):
    """Householder's X P = Q R. In a new order the largest remaining column comes next, until it is below ``zero`` of
    the largest of all; else as many steps as the rank. Returns their number."""
    F, order, (rows, columns), largest = d.F, d.order, d.F.shape, 0.0
    most = min(rows, columns) if renewed == RENEWED else d.rank[0]
    for j in range(columns):
        if renewed == RENEWED:
            order[j] = j
        for i in range(rows):
            F[i, j] = X[i, order[j]]
    for k in range(most):
        if renewed == RENEWED:
            j, size = largest_column(d, k)
            largest = max(largest, size)
            if not size > zero * zero * largest:
                return k
            for i in range(rows):
                F[i, k], F[i, j] = F[i, j], F[i, k]
            order[k], order[j] = order[j], order[k]
        reflect(d, k)
    return most


@jit
def largest_column(d, k):
    """From column k on, and the square of its length from row k on."""
    F, side, (rows, columns), best, size = d.F, d.side, d.F.shape, k, -1.0
    side[:] = 0
    for i in range(k, rows):
        for j in range(k, columns):
            side[j] += F[i, j] * F[i, j]
    for j in range(k, columns):
        if side[j] > size * (1 + 1e-12):  # the first of equals: rounding does not choose
            best, size = j, side[j]
    return best, size


@jit
def reflect(d, k):
    """The reflection that makes zeros below the diagonal of column k."""
    F, side, (rows, columns), size = d.F, d.side, d.F.shape, 0.0
    for i in range(k, rows):
        size += F[i, k] * F[i, k]
    size = -np.sqrt(size) if F[k, k] > 0 else np.sqrt(size)
    d.head[k] = 0
    if size == 0:
        return
    top = F[k, k] - size  # u = (top, below); H = 1 - u u^T / (size * -top)
    by = 1 / (size * top)
    d.head[k] = top
    F[k, k] = size
    for j in range(k + 1, columns):
        side[j] = top * F[k, j]
    for i in range(k + 1, rows):
        for j in range(k + 1, columns):
            side[j] += F[i, k] * F[i, j]
    for j in range(k + 1, columns):
        side[j] *= by
        F[k, j] += top * side[j]
    for i in range(k + 1, rows):
        for j in range(k + 1, columns):
            F[i, j] += F[i, k] * side[j]


@jit
def turn(d, x, way):
    """x = Q^T x or Q x"""
    F, rows, rank = d.F, d.F.shape[0], d.rank[0]
    for s in range(rank):
        k = rank - 1 - s if way == BACKWARD else s
        top = d.head[k]
        if top == 0:
            continue
        total = top * x[k]
        for i in range(k + 1, rows):
            total += F[i, k] * x[i]
        total /= F[k, k] * top
        x[k] += top * total
        for i in range(k + 1, rows):
            x[i] += F[i, k] * total


@jit
def back(R, x, n):
    """x = R^-1 x, the first n rows."""
    for s in range(n):
        k = n - 1 - s
        total = x[k]
        for j in range(k + 1, n):
            total -= R[k, j] * x[j]
        x[k] = total / R[k, k]


@jit
def forth(R, x, n):
    """x = R^-T x, the first n rows."""
    for k in range(n):
        x[k] /= R[k, k]
        for j in range(k + 1, n):
            x[j] -= R[k, j] * x[k]


@jit
def partition(d, zero, renewed):
    """A P = Q [R_1 R_2], dependent coordinates first. Returns the rank and the smallest pivot."""
    rank, size = decompose(d, d.A, zero, renewed), np.inf
    for k in range(rank):
        size = min(size, abs(d.F[k, k]))
    return rank, size


@jit
def dependent(d, values):
    """The solution w_d = R_1^-1 Q^T g, w_i = 0 of  A w = g = -U values."""
    for k in range(d.U.size):
        d.right[k] = -d.U[k] * values[d.rows[k]]
    turn(d, d.right, FORWARD)
    back(d.F, d.right, d.rank[0])
    d.solution[:] = 0
    for k in range(d.rank[0]):
        d.solution[d.order[k]] = d.right[k]


@jit
def unscale(d, out):
    """out = S w"""
    out[:] = 0
    for k in range(d.S.size):
        out[d.coordinates[k]] = d.S[k] * d.solution[k]


@jit
def weigh(d, x):
    """side = M_s x"""
    n = d.S.size
    for i in range(n):
        total = 0.0
        for j in range(n):
            if d.M[i, j] != 0:
                total += d.M[i, j] * x[j]
        d.side[i] = total


@jit
def cholesky(G, n):
    """G = R^T R from its upper half, which R overwrites; False where it is not positive."""
    for k in range(n):
        size = G[k, k]
        for i in range(k):
            for j in range(k, n):
                G[k, j] -= G[i, j] * G[i, k]
        if not G[k, k] > 1e-14 * size:
            return False
        G[k, k] = np.sqrt(G[k, k])
        for j in range(k + 1, n):
            G[k, j] /= G[k, k]
    return True


@jit
def project(d):
    """B^T M_s B z = B^T (f_s - M_s a_0),   a = a_0 + B z                                                   [dense-2]

    a takes the place of a_0 in ``solution``, f_s - M_s a that of f_s in ``force``. False if masses do not allow it."""
    B, side, right, a, force, n, free = d.B, d.side, d.right, d.solution, d.force, d.S.size, d.S.size - d.rank[0]
    weigh(d, a)
    for k in range(free):
        right[k] = 0
        for i in range(n):
            right[k] += B[k, i] * (force[i] - side[i])
    for k in range(free):
        weigh(d, B[k])
        for j in range(k, free):
            total = 0.0
            for i in range(n):
                total += B[j, i] * side[i]
            d.G[k, j] = total
    if not cholesky(d.G, free):
        return False
    forth(d.G, right, free)
    back(d.G, right, free)
    for k in range(free):
        for i in range(n):
            a[i] += B[k, i] * right[k]
    weigh(d, a)
    for i in range(n):
        force[i] -= side[i]
    return True
