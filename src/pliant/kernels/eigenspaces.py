"""Bases of eigenspaces that rounding cannot turn.

Of a frequency that several modes share, an eigenvalue solver finds the space of the shapes, and in it some directions that rounding
chose: they differ from processor to processor. Here they are chosen by the shapes: X -> X Q with Q unitary, found row by row,

    x_1: as large as possible in the row r_1 where that can be largest;  x_2: zero there, and so on in r_2;  ...        [basis-1]

The norm of a row of X is how large a shape of the space can be there, and X Q has the same norms: the result does not depend on the X
that was found. Of rows that are as good as each other up to LIKE the first is taken, so that neither symmetry nor rounding decides;
entries in rows r_1, r_2, ... are positive.
"""
from __future__ import annotations

from itertools import pairwise

import numpy as np

SAME = 1e-8        # relative: eigenvalues so near are one
ROUNDING = 1e-15   # of the largest eigenvalue: no solver tells apart what differs less
LIKE = 1e-3        # relative: entries so near are equally large
APART = 1e-3       # least singular value of unit vectors that span a space; less: vectors of a defective eigenvalue


def clusters(values: np.ndarray, scale: float) -> list[slice]:
    """Runs of equal ones among values in order; ``scale``: the largest eigenvalue that they were computed with."""
    near = abs(np.diff(values)) <= SAME * np.maximum(abs(values[1:]), abs(values[:-1])) + ROUNDING * scale
    edges = [0, *(np.flatnonzero(~near) + 1), len(values)]
    return [slice(int(a), int(b)) for a, b in pairwise(edges) if b > a]


def canonical(values: np.ndarray, vectors: np.ndarray, scale: float | None = None) -> np.ndarray:
    """Vectors (columns, orthonormal in some metric) of values in order, with a basis of every eigenspace by [basis-1]; also their signs."""
    out, scale = np.array(vectors), float(abs(values).max(initial=0.0)) if scale is None else scale
    for space in clusters(values, scale):
        out[:, space] = aligned(out[:, space])
    return out


def foremost(sizes: np.ndarray) -> int:
    """Where the largest is; of those that are as large up to LIKE, the first."""
    return int(np.argmax(sizes >= (1 - LIKE) * sizes.max(initial=0.0)))


def aligned(X: np.ndarray) -> np.ndarray:
    """The columns of X turned among themselves by [basis-1]."""
    return np.asarray(X @ turn(X))


def turn(X: np.ndarray) -> np.ndarray:
    """The unitary Q of [basis-1]."""
    n = X.shape[1]
    Q = np.eye(n, dtype=X.dtype)
    for k in range(n):
        rest = X @ Q[:, k:]
        sizes = np.linalg.norm(rest, axis=1)
        r = foremost(sizes)
        if not sizes[r] > 0:
            break
        first = rest[r].conj() / sizes[r]
        P = np.linalg.qr(np.column_stack((first, np.eye(n - k))))[0]
        P[:, 0] = first
        Q[:, k:] = Q[:, k:] @ P
    return Q


def combinations(X: np.ndarray, M: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """T so that X T are vectors of one eigenvalue of any matrix, orthonormal in M, and ``rows`` T is as in [basis-1]. An eigenvalue that
    is defective has fewer vectors than columns; they stay as they are, and so do those that move no mass."""
    sizes = np.einsum("ij,ij->j", X.conj(), M @ X).real
    if not sizes.min() > 0:
        return np.eye(X.shape[1])
    T = np.diag(1 / np.sqrt(sizes))
    values, V = np.linalg.eigh((X @ T).conj().T @ M @ X @ T)
    if not values[0] > APART**2:
        return np.eye(X.shape[1])
    T = T @ (V / np.sqrt(values))
    return np.asarray(T @ turn(rows @ T))
