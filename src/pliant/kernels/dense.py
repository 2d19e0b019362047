"""Dense linear algebra for null spaces: pivoted QR of a transposed matrix, and a small solver. Rows are contiguous.

    B^T P = Q R:  row k of B belongs to the equation order[k]; its reflector is B[k, k:], R^T is below the diagonal.
"""
import numpy as np

from .jit import jit


@jit
def factor(B, order, norms, head, least, rank):
    """Overwrite the rows of B by Householder reflectors (unit vectors in B[k, k:]) and R^T (B[j, k] for j > k, its diagonal in
    ``head``), the row with the largest rest first. Stops where no rest is above ``least`` times the largest row; if ``rank`` >= 0, after
    so many rows instead. Returns the rank."""
    m, n = B.shape
    largest = 0.0
    for i in range(m):
        order[i], norms[i] = i, 0.0
        for j in range(n):
            norms[i] += B[i, j] * B[i, j]
        largest = max(largest, norms[i])
    for k in range(min(m, n)):
        p = k
        for i in range(k, m):
            norms[i] = 0.0
            for j in range(k, n):
                norms[i] += B[i, j] * B[i, j]
            if norms[i] > norms[p]:
                p = i
        if k == rank or (rank < 0 and not norms[p] > least * least * largest):
            return k
        if p != k:
            order[k], order[p] = order[p], order[k]
            norms[k], norms[p] = norms[p], norms[k]
            for j in range(n):
                B[k, j], B[p, j] = B[p, j], B[k, j]
        size = np.sqrt(norms[k])
        head[k] = -size if B[k, k] > 0 else size
        B[k, k] -= head[k]
        length = np.sqrt(2 * size * (size + abs(B[k, k] + head[k])))
        for j in range(k, n):
            B[k, j] = B[k, j] / length if length > 0 else 0.0
        for i in range(k + 1, m):
            f = 0.0
            for j in range(k, n):
                f += B[k, j] * B[i, j]
            for j in range(k, n):
                B[i, j] -= 2 * f * B[k, j]
    return min(m, n)


@jit
def reflect(B, k, y):
    """y = (1 - 2 u u^T) y with the reflector of row k."""
    f = 0.0
    for j in range(k, y.size):
        f += B[k, j] * y[j]
    for j in range(k, y.size):
        y[j] -= 2 * f * B[k, j]


@jit
def from_basis(B, rank, y):
    """y = Q y"""
    for k in range(rank - 1, -1, -1):
        reflect(B, k, y)


@jit
def to_basis(B, rank, y):
    """y = Q^T y"""
    for k in range(rank):
        reflect(B, k, y)


@jit
def smallest(B, order, head, rank, least, b, y):
    """The smallest y with B y = b for the first ``rank`` equations in order; those with tiny pivots are left out."""
    for j in range(y.size):
        y[j] = 0.0
    for k in range(rank):
        f = b[order[k]]
        for j in range(k):
            f -= B[k, j] * y[j]
        y[k] = f / head[k] if abs(head[k]) > least * abs(head[0]) else 0.0
    from_basis(B, rank, y)


@jit
def combination(B, order, head, rank, y, out):
    """out with B^T out = y, as far as that goes; y is overwritten. Equations beyond the rank get zero."""
    to_basis(B, rank, y)
    for i in range(out.size):
        out[i] = 0.0
    for k in range(rank - 1, -1, -1):
        f = y[k]
        for i in range(k + 1, rank):
            f -= B[i, k] * out[order[i]]
        out[order[k]] = f / head[k]


@jit
def solve_square(K, b, n):
    """Overwrite b by K^-1 b, Gauss with partial pivoting; False when singular."""
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(K[i, k]) > abs(K[p, k]):
                p = i
        if not abs(K[p, k]) > 0:
            return False
        if p != k:
            b[k], b[p] = b[p], b[k]
            for j in range(n):
                K[k, j], K[p, j] = K[p, j], K[k, j]
        for i in range(k + 1, n):
            f = K[i, k] / K[k, k]
            b[i] -= f * b[k]
            for j in range(k + 1, n):
                K[i, j] -= f * K[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= K[k, j] * b[j]
        b[k] /= K[k, k]
    return True


@jit
def lu_factorise(A, n, pivots):
    """L U of A in place, by rows with partial pivoting; False when singular."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        pivots[k] = best
        if not abs(A[best, k]) > 0:
            return False
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        inverse = 1 / A[k, k]
        for i in range(k + 1, n):
            f = A[i, k] * inverse
            A[i, k] = f
            if f != 0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return True


@jit
def lu_solve(A, n, pivots, b, row):
    """Overwrite b[row, :n] by A^-1 of it."""
    for k in range(n):
        b[row, k], b[row, pivots[k]] = b[row, pivots[k]], b[row, k]
    for i in range(n):
        value = b[row, i]
        for j in range(i):
            value -= A[i, j] * b[row, j]
        b[row, i] = value
    for i in range(n - 1, -1, -1):
        value = b[row, i]
        for j in range(i + 1, n):
            value -= A[i, j] * b[row, j]
        b[row, i] = value / A[i, i]
