"""Balanced truncation of linear systems."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..functions.units import must
from ..items.errors import ModelError
from .linear_system import LinearSystem, OperatingPoint

STABLE = 1e-8   # relative to the fastest motion: one that decays slower is kept


class Reduced(LinearSystem):
    """``hankel``: Hankel singular values of all that decays, the largest first; ``kept``: number of states of what does not, which are
    kept as they are; ``bound``: the largest singular value of the error of the response at any frequency is at most this, 2 (sum of
    the values left out)."""

    def __init__(self, whole: LinearSystem, matrices: tuple[np.ndarray, ...], hankel: np.ndarray, kept: int) -> None:
        self.A, self.B, self.C, self.D = matrices
        n, at = len(self.A), whole.operating_point
        self.hankel, self.kept, self.whole = hankel, kept, whole
        self.states = [f"kept_{k + 1}" for k in range(kept)] + [f"balanced_{k + 1}" for k in range(n - kept)]
        self.inputs, self.outputs = list(whole.inputs), list(whole.outputs)
        self.bound = float(2 * hankel[n - kept:].sum())
        self._at = OperatingPoint(("",) * n, np.zeros(n), at.inputs, at.outputs)

    @property
    def name(self) -> str:
        return f"{self.whole.name}, {len(self.A)} states"

    @property
    def operating_point(self) -> OperatingPoint:
        return self._at

    def __repr__(self) -> str:
        return f"Reduced({self.name!r}: {self.kept} kept, error of the response at most {self.bound:.3g})"


def reduced(s: LinearSystem, n: Any) -> Reduced:
    """Split off what does not decay, balance the rest by square roots of its gramians, and truncate that."""
    N = len(s.A)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= N:
        raise ModelError(f"reduced: n {must(n, f'must be a whole number from 0 to {N}, the states that there are')}")
    A, B, C, kept = _split(s.A, s.B, s.C)
    if n < kept:
        values = np.linalg.eigvals(A[:kept, :kept]).real
        raise ModelError(f"reduced: {kept} states of the model do not decay (real parts of eigenvalues from {values.min():.3g} to "
                         f"{values.max():.3g} 1/s) and cannot be left out; n = {n}, must be at least {kept}")
    left, right, hankel = _balanced(A[kept:, kept:], B[kept:], C[:, kept:], n - kept)
    V = np.zeros((N, n))
    W = np.zeros((N, n))
    V[:kept, :kept] = W[:kept, :kept] = np.eye(kept)
    V[kept:, kept:], W[kept:, kept:] = right, left
    return Reduced(s, (W.T @ A @ V, W.T @ B, C @ V, s.D.copy()), hankel, kept)


def _split(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Coordinates in which A has two blocks, first that of motions which do not decay; their number."""
    from scipy.linalg import schur, solve_sylvester
    if not len(A):
        return A, B, C, 0
    limit = -STABLE * abs(np.linalg.eigvals(A)).max()
    T, Z, k = schur(A, output="real", sort=lambda re, im=0.0: re >= limit)
    X = solve_sylvester(T[:k, :k], -T[k:, k:], -T[:k, k:]) if 0 < k < len(A) else np.zeros((k, len(A) - k))
    change = np.eye(len(A))
    change[:k, k:] = X
    undo = np.eye(len(A))
    undo[:k, k:] = -X
    return undo @ T @ change, undo @ Z.T @ B, C @ Z @ change, k


def _balanced(A: np.ndarray, B: np.ndarray, C: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W, V with W^T V = 1 of the n largest Hankel values; all of these."""
    from scipy.linalg import solve_continuous_lyapunov
    if not len(A):
        return np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0)
    reach, seen = _root(solve_continuous_lyapunov(A, -B @ B.T)), _root(solve_continuous_lyapunov(A.T, -C.T @ C))
    U, values, Vt = np.linalg.svd(seen.T @ reach)
    if n and values[n - 1] <= 1e-15 * max(values[0], 1e-300):
        useful = int((values > 1e-15 * max(values[0], 1e-300)).sum())
        raise ModelError(f"reduced: only {useful} states that decay are both reached by inputs and seen by outputs; ask for "
                         f"{n - useful} states fewer")
    by = 1 / np.sqrt(values[:n])
    return seen @ U[:, :n] * by, reach @ Vt[:n].T * by, values


def _root(P: np.ndarray) -> np.ndarray:
    """S with S S^T = P, positive semidefinite up to rounding."""
    values, vectors = np.linalg.eigh((P + P.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))
