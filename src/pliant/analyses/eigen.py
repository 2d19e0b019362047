"""Eigenvalues of M z'' + D z' + K z = 0 with zeros recognised by rank."""
from __future__ import annotations

import numpy as np

ZERO = 1e-11       # relative: no stiffness
SYMMETRIC = 1e-12
ROUNDING = 1e-14   # of K and D before they are projected
FAINT = 1e-2       # rad or sizes of the model for a nominal value of a state: motions below that are next to nothing


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
    tau, stiff = np.sqrt(size), max(float(abs(k).max()), rate**2)
    k, d = k / size, d / tau
    same = abs(k - k.T).max() <= SYMMETRIC
    zero = max(ZERO * stiff / size, ROUNDING * natural / size)  # however strong the damping of other motions is
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


def first_order(A: np.ndarray, n: int, nominal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of x' = A x with x = (z, z', states). Vectors have 1 as their largest z, or as the largest state over its nominal value
    where motions are next to nothing beside it."""
    from scipy.linalg import matrix_balance
    size = len(A)
    unit = np.concatenate([np.ones(2 * n), nominal])
    B, T = matrix_balance(A * unit / unit[:, None], permute=False)
    tau = max(float(abs(B).max()), 1e-300)
    powers, P = [0], np.eye(size)
    for _ in range(3):  # zeros may be triple: a free motion, and its integral
        P = P @ (B / tau)
        powers.append(size - int(np.linalg.matrix_rank(P, tol=ZERO * max(1.0, float(abs(P).max())))))
    s, x = np.linalg.eig(B)
    order = np.argsort(abs(s), kind="stable")
    kept = order[powers[-1]:]
    kept = kept[s[kept].imag >= 0]
    null = np.linalg.svd(B / tau)[2][size - powers[1]:].T if powers[1] else np.zeros((size, 0))
    values = np.concatenate([np.zeros(powers[1], complex), s[kept]])
    vectors = np.hstack([null.astype(complex), x[:, kept]])
    vectors = (unit * np.diag(T))[:, None] * vectors
    for k in range(values.size):
        motion, state = float(abs(vectors[:n, k]).max(initial=0.0)), float(abs(vectors[2 * n:, k] / nominal).max(initial=0.0))
        if motion > FAINT * state:
            vectors[:, k] /= motion
        else:
            first = vectors[2 * n + int(np.argmax(abs(vectors[2 * n:, k]) / nominal)), k]
            vectors[:, k] *= nominal[int(np.argmax(abs(vectors[2 * n:, k]) / nominal))] / first
    return values, vectors
