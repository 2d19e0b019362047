"""Eigenvalues of M z'' + D z' + K z = 0 with zeros recognised by rank."""
from __future__ import annotations

import numpy as np

ZERO = 1e-11       # relative: no stiffness
SYMMETRIC = 1e-12
ROUNDING = 1e-14   # of K and D before they are projected


def solve(M: np.ndarray, D: np.ndarray, K: np.ndarray, rate: float, natural: float, decay: float) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues s with Im s >= 0 and vectors z (columns), by |s|; one zero for every motion without stiffness. ``rate`` [1/s] of the
    state, whose square K is made of; K and D over M have rounding errors of ``natural`` [1/s^2] and ``decay`` [1/s].  [modes-1]"""
    n = len(M)
    if n == 0:
        return np.zeros(0, complex), np.zeros((0, 0), complex)
    from scipy.linalg import solve_triangular
    L = np.linalg.cholesky((M + M.T) / 2)
    k, d = (solve_triangular(L, solve_triangular(L, X, lower=True).T, lower=True).T for X in (K, D))
    size = max(float(abs(k).max()), float(abs(d).max()) ** 2, rate**2)
    if abs(d).max() <= ROUNDING * decay:
        d = 0 * d
    if size <= ROUNDING * natural:
        return np.zeros(n, complex), solve_triangular(L.T, np.eye(n)).astype(complex)
    tau = np.sqrt(size)
    k, d = k / size, d / tau
    same = abs(k - k.T).max() <= SYMMETRIC
    zero = max(ZERO, ROUNDING * natural / size)
    s, y = _undamped(k, zero) if same and not abs(d).max() > 1e-15 else _general(k, d, zero)
    order = np.argsort(abs(s), kind="stable")
    return tau * s[order], solve_triangular(L.T, y[:, order])


def _undamped(k: np.ndarray, zero: float) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eigh((k + k.T) / 2)
    s, y = list[complex](), list[np.ndarray]()
    for value, vector in zip(values, vectors.T, strict=True):
        if abs(value) <= zero:
            found = [0j]
        else:
            found = [1j * np.sqrt(value)] if value > 0 else [complex(np.sqrt(-value)), complex(-np.sqrt(-value))]
        s, y = s + found, y + [vector] * len(found)
    return np.array(s), np.array(y, complex).T


def _general(k: np.ndarray, d: np.ndarray, zero: float) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues are zeros: one for every null vector of K, and a second one where D does not move it either."""
    n = len(k)
    U, S, V = np.linalg.svd(k)
    rank = int((zero < S).sum())
    idle = n - rank
    slow = np.linalg.svd(U[:, rank:].T @ d @ V[rank:].T, compute_uv=False) if idle else np.zeros(0)
    zeros = idle + int((slow <= np.sqrt(zero)).sum())
    s, x = np.linalg.eig(np.block([[np.zeros((n, n)), np.eye(n)], [-k, -d]]))
    kept = np.argsort(abs(s), kind="stable")[zeros:]
    kept = kept[s[kept].imag >= 0]
    return np.concatenate([np.zeros(idle, complex), s[kept]]), np.hstack([V[rank:].T.astype(complex), x[:n, kept]])
