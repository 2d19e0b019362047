"""Dense linear algebra for null spaces: pivoted QR of a transposed matrix, and a small solver. Rows are contiguous."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .jit import jit


class Factors(NamedTuple):
    """B^T P = Q R of a matrix B, one row per equation, made of length one first. Row k belongs to the equation order[k]; its
    reflector, a unit vector, is B[k, k:], R^T is below the diagonal (B[j, k], j > k), and the diagonal of R in ``head``."""
    B: np.ndarray
    order: np.ndarray
    head: np.ndarray
    sizes: np.ndarray  # that rows had
    norms: np.ndarray  # squares of what is left of them

    @classmethod
    def of(cls, m: int, n: int) -> Factors:
        """Room for m equations of n unknowns."""
        return cls(np.zeros((m, n)), np.zeros(m, np.int64), np.zeros(m), np.zeros(m), np.zeros(m))


@jit
def squares(f, first):
    """norms of the rows from ``first`` on, there; the number of the longest one."""
    longest = first
    for i in range(first, f.B.shape[0]):
        f.norms[i] = 0.0
        for j in range(first, f.B.shape[1]):
            f.norms[i] += f.B[i, j] * f.B[i, j]
        if f.norms[i] > f.norms[longest]:
            longest = i
    return longest


@jit
def make_unit_rows(f):
    """Rows of B of length one."""
    squares(f, 0)
    for i in range(f.B.shape[0]):
        f.sizes[i] = np.sqrt(f.norms[i]) if f.norms[i] > 0 else 1.0
        for j in range(f.B.shape[1]):
            f.B[i, j] /= f.sizes[i]


@jit
def swap_rows(f, i, k):
    f.order[k], f.order[i] = f.order[i], f.order[k]
    f.norms[k], f.norms[i] = f.norms[i], f.norms[k]
    for j in range(f.B.shape[1]):
        f.B[k, j], f.B[i, j] = f.B[i, j], f.B[k, j]


@jit
def factor(f, least, rank):
    """Factors of the matrix in B, the row with the largest rest first. Stops where no rest is above ``least`` times the largest row; if
    ``rank`` >= 0, after so many rows instead. Returns the rank."""
    B, head, norms = f.B, f.head, f.norms
    m, n = B.shape
    make_unit_rows(f)
    largest = 0.0
    for i in range(m):
        f.order[i] = i
    for k in range(min(m, n)):
        p = squares(f, k)
        largest = norms[p] if k == 0 else largest
        if k == rank or (rank < 0 and not norms[p] > least * least * largest):
            return k
        if p != k:
            swap_rows(f, p, k)
        size = np.sqrt(norms[k])
        head[k] = -size if B[k, k] > 0 else size
        B[k, k] -= head[k]
        length = np.sqrt(2 * size * (size + abs(B[k, k] + head[k])))
        for j in range(k, n):
            B[k, j] = B[k, j] / length if length > 0 else 0.0
        for i in range(k + 1, m):
            reflect(B, k, B[i])
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
def from_basis(f, rank, y):
    """y = Q y"""
    for k in range(rank - 1, -1, -1):
        reflect(f.B, k, y)


@jit
def to_basis(f, rank, y):
    """y = Q^T y"""
    for k in range(rank):
        reflect(f.B, k, y)


@jit
def smallest(f, rank, least, b, y):
    """The smallest y with B y = b for the first ``rank`` equations in order; those with tiny pivots are left out."""
    y[:] = 0
    for k in range(rank):
        left = b[f.order[k]] / f.sizes[f.order[k]]
        for j in range(k):
            left -= f.B[k, j] * y[j]
        y[k] = left / f.head[k] if abs(f.head[k]) > least * abs(f.head[0]) else 0.0
    from_basis(f, rank, y)


@jit
def combination(f, rank, y, out):
    """out with B^T out = y, as far as that goes; y is overwritten. Equations beyond the rank get zero."""
    to_basis(f, rank, y)
    out[:] = 0
    for k in range(rank - 1, -1, -1):
        left = y[k]
        for i in range(k + 1, rank):
            left -= f.B[i, k] * out[f.order[i]]
        out[f.order[k]] = left / f.head[k]
    for i in range(f.sizes.size):
        out[i] /= f.sizes[i]


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
def lu_solve(A, n, pivots, b):
    """Overwrite b by A^-1 of it."""
    for k in range(n):
        b[k], b[pivots[k]] = b[pivots[k]], b[k]
    for i in range(n):
        for j in range(i):
            b[i] -= A[i, j] * b[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= A[i, j] * b[j]
        b[i] /= A[i, i]
