"""Dense linear algebra of formulations that work in a basis of the motions which the constraints allow.

Lengths count in sizes of the model: with v = S w and the equations times U, both dimensionless,

    A = U C_q S,   M_s = S M S,   f_s = S f                                                           [dense-1]

``p.chosen``: numbers of coordinates, of equations, the rank; then the coordinates and the equations, the order of the pivots, and where
every row of the sparse equations is in these lists. ``p.dense``: four square areas - the decomposition; M_s; A, later the basis B, one
vector per row; B^T M_s B - then vectors.
"""
import numpy as np

from .evaluation import run as evaluate
from .jit import index, jit
from .projection import KEPT, RENEWED

COORDINATES, EQUATIONS, RANK, LISTS = index(0, 1, 2, 3)
FORWARD, BACKWARD = index(0, 1)  # Q^T, Q
# vectors of p.dense, after the areas
SCALE, HEAD, SIDE, RIGHT, SOLUTION, FORCE, VECTORS = index(0, 1, 2, 3, 4, 5, 6)


def layout(coordinates: np.ndarray, equations: np.ndarray, total: int) -> tuple[np.ndarray, np.ndarray]:
    """``dense`` and ``chosen`` of a model with so many sparse rows in all."""
    n, m = coordinates.size, equations.size
    big, place = max(n, m, 1), np.full(total, -1)
    place[coordinates], place[equations] = np.arange(n), n + np.arange(m)
    chosen = np.concatenate([[n, m, -1], coordinates, equations, np.arange(big), place]).astype(np.int64)
    return np.zeros((4 * big + VECTORS, big)), chosen


def same_lists(chosen: np.ndarray, fresh: np.ndarray) -> bool:
    """Whether ``chosen`` is that of the same model, in whatever order its pivots are."""
    if chosen.size == 1:
        return True
    n, m = (int(k) for k in fresh[:2])
    order, others = np.arange(LISTS + n + m, LISTS + n + m + max(n, m, 1)), np.ones(fresh.size, bool)
    others[order] = others[RANK] = False
    return bool((chosen[others] == fresh[others]).all() and (np.sort(chosen[order]) == np.arange(order.size)).all()
                and -1 <= chosen[RANK] <= min(n, m))


@jit
def at(d, vector):
    """Row of a vector in p.dense."""
    return 4 * d.shape[1] + vector


@jit
def gather(p, t):
    """C_q and M at the position in x, dense and scaled by [dense-1]: M_s in the second area, A in the third."""
    x, d, big = p.x, p.dense, p.dense.shape[1]
    n, m = p.chosen[COORDINATES], p.chosen[EQUATIONS]
    for k in range(x.a.size):
        x.a[k] = 0
        x.lam[k] = 0
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, t, 1.0, 0.0, 0.0)
    p.num.factorisations += 1
    for k in range(n):
        d[at(d, SCALE), k] = p.unit[p.chosen[LISTS + k]] * p.par.length
    for i in range(n):
        for j in range(n):
            d[big + i, j] = 0
    for i in range(m):
        for j in range(n):
            d[2 * big + i, j] = 0
    for s in range(p.lu.order.size):
        scatter(p.dense, p.chosen, p.unit, p.x.D, p.lu.diagonal[s], p.lu.order[s], p.lu.order[s])
        for i in range(p.lu.start[s], p.lu.start[s + 1]):
            scatter(p.dense, p.chosen, p.unit, p.x.D, p.lu.lower[i], p.lu.rows[i], p.lu.order[s])
            scatter(p.dense, p.chosen, p.unit, p.x.D, p.lu.upper[i], p.lu.order[s], p.lu.rows[i])


@jit
def scatter(d, c, unit, D, tile, row, column):
    """One tile of [M C^T; C 0] to its places."""
    big, n = d.shape[1], c[COORDINATES]
    place = LISTS + n + c[EQUATIONS] + big
    for j in range(6):
        l = c[place + 6 * column + j]
        if l < 0 or l >= n:
            continue
        by = d[at(d, SCALE), l]
        for i in range(6):
            k = c[place + 6 * row + i]
            if k >= n:
                d[2 * big + k - n, l] = unit[6 * row + i] * D[tile, i, j] * by
            elif k >= 0:
                d[big + k, l] = d[at(d, SCALE), k] * D[tile, i, j] * by


@jit
def exchange(d, c, rows, first, k, j):
    """Columns k and j of the first area, and their places in the order."""
    for i in range(rows):
        d[i, k], d[i, j] = d[i, j], d[i, k]
    c[first + k], c[first + j] = c[first + j], c[first + k]


@jit
def decompose(d, c, rows, columns, most, first, zero, order):
    """Householder's A P = Q R of the first area, at most so many steps; in a new order the largest remaining column comes next, until
    it is below ``zero`` of the largest of all. Reflections below the diagonal, their heads in HEAD, R on and above it. Returns the rank."""
    head, side = at(d, HEAD), at(d, SIDE)
    largest = 0.0
    for k in range(most):
        if order == RENEWED:
            best, size = k, -1.0
            for j in range(k, columns):
                d[side, j] = 0
            for i in range(k, rows):
                for j in range(k, columns):
                    d[side, j] += d[i, j] * d[i, j]
            for j in range(k, columns):
                if d[side, j] > size * (1 + 1e-12):  # the first of equals: rounding does not choose
                    best, size = j, d[side, j]
            largest = max(largest, size)
            if not size > zero * zero * largest:
                return k
            if best != k:
                exchange(d, c, rows, first, k, best)
        reflect(d, rows, columns, k, head, side)
    return most


@jit
def order_anew(d, c, zero):
    """Q and R of A, from the third area, in a new order, dependent coordinates first. Returns the rank."""
    big, n, m = d.shape[1], c[COORDINATES], c[EQUATIONS]
    order = LISTS + n + m
    for k in range(n):
        c[order + k] = k
        for i in range(m):
            d[i, k] = d[2 * big + i, k]
    return decompose(d, c, m, n, min(n, m), order, zero, RENEWED)


@jit
def keep_order(d, c):
    """The same in the order that is known. Returns the smallest pivot."""
    big, n, m = d.shape[1], c[COORDINATES], c[EQUATIONS]
    order = LISTS + n + m
    for k in range(n):
        for i in range(m):
            d[i, k] = d[2 * big + i, c[order + k]]
    decompose(d, c, m, n, c[RANK], order, 0.0, KEPT)
    return smallest(d, c[RANK])


@jit
def smallest(d, rank):
    """The smallest pivot."""
    size = np.inf
    for k in range(rank):
        size = min(size, abs(d[k, k]))
    return size


@jit
def reflect(d, rows, columns, k, head, side):
    """The reflection that makes zeros below the diagonal of column k."""
    size = 0.0
    for i in range(k, rows):
        size += d[i, k] * d[i, k]
    size = -np.sqrt(size) if d[k, k] > 0 else np.sqrt(size)
    d[head, k] = 0
    if size == 0:
        return
    top = d[k, k] - size  # u = (top, below); H = 1 - u u^T / (size * -top)
    by = 1 / (size * top)
    d[head, k] = top
    d[k, k] = size
    for j in range(k + 1, columns):
        d[side, j] = top * d[k, j]
    for i in range(k + 1, rows):
        for j in range(k + 1, columns):
            d[side, j] += d[i, k] * d[i, j]
    for j in range(k + 1, columns):
        d[side, j] *= by
        d[k, j] += top * d[side, j]
    for i in range(k + 1, rows):
        for j in range(k + 1, columns):
            d[i, j] += d[i, k] * d[side, j]


@jit
def turn(d, vector, rows, rank, way):
    """Q^T or Q times a vector. ``vector``: its row in p.dense."""
    head = at(d, HEAD)
    for s in range(rank):
        k = rank - 1 - s if way == BACKWARD else s
        top = d[head, k]
        if top == 0:
            continue
        total = top * d[vector, k]
        for i in range(k + 1, rows):
            total += d[i, k] * d[vector, i]
        total /= d[k, k] * top
        d[vector, k] += top * total
        for i in range(k + 1, rows):
            d[vector, i] += d[i, k] * total


@jit
def back(d, vector, rank):
    """R_1^-1 times the first entries of a vector."""
    for s in range(rank):
        k = rank - 1 - s
        total = d[vector, k]
        for j in range(k + 1, rank):
            total -= d[k, j] * d[vector, j]
        d[vector, k] = total / d[k, k]


@jit
def forth(d, vector, rank):
    """R_1^-T times the first entries of a vector."""
    for k in range(rank):
        d[vector, k] /= d[k, k]
        for j in range(k + 1, rank):
            d[vector, j] -= d[k, j] * d[vector, k]


@jit
def weight(d, row, out, n):
    """out = M_s times a vector; rows of p.dense."""
    big = d.shape[1]
    for i in range(n):
        total = 0.0
        for j in range(n):
            if d[big + i, j] != 0:
                total += d[big + i, j] * d[row, j]
        d[out, i] = total


@jit
def cholesky(d, free):
    """The fourth area = L L^T, L in its lower half; False where it is not positive."""
    g = 3 * d.shape[1]
    for k in range(free):
        size = d[g + k, k]
        for i in range(k):
            d[g + k, k] -= d[g + k, i] * d[g + k, i]
        if not d[g + k, k] > 1e-14 * size:
            return False
        d[g + k, k] = np.sqrt(d[g + k, k])
        for j in range(k + 1, free):
            for i in range(k):
                d[g + j, k] -= d[g + j, i] * d[g + k, i]
            d[g + j, k] /= d[g + k, k]
    right = at(d, RIGHT)
    for k in range(free):
        for i in range(k):
            d[right, k] -= d[g + k, i] * d[right, i]
        d[right, k] /= d[g + k, k]
    for s in range(free):
        k = free - 1 - s
        for i in range(k + 1, free):
            d[right, k] -= d[g + i, k] * d[right, i]
        d[right, k] /= d[g + k, k]
    return True


@jit
def project(d, n, free):
    """B^T M_s B z = B^T (f_s - M_s a_0), then SOLUTION = a_0 + B z and FORCE = f_s - M_s SOLUTION                     [dense-2]

    B in the third area, f_s in FORCE, a_0 in SOLUTION. False if the masses do not allow it."""
    b, g = 2 * d.shape[1], 3 * d.shape[1]
    side, right, a, force = at(d, SIDE), at(d, RIGHT), at(d, SOLUTION), at(d, FORCE)
    weight(d, a, side, n)
    for k in range(free):
        d[right, k] = 0
        for i in range(n):
            d[right, k] += d[b + k, i] * (d[force, i] - d[side, i])
    for k in range(free):
        weight(d, b + k, side, n)
        for j in range(k, free):
            total = 0.0
            for i in range(n):
                total += d[b + j, i] * d[side, i]
            d[g + j, k] = total
    if not cholesky(d, free):
        return False
    for k in range(free):
        for i in range(n):
            d[a, i] += d[b + k, i] * d[right, k]
    weight(d, a, side, n)
    for i in range(n):
        d[force, i] -= d[side, i]
    return True
