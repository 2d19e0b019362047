"""Zeros of linear systems: what states can do while inputs hold all outputs at rest. docs/theory/inversion.md"""
from __future__ import annotations

import numpy as np

NOTHING = 1e-9   # singular values below it, of rows of length one


def zero_dynamics(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> np.ndarray:
    """The zeros [rad/s]: eigenvalues of A + B F on the largest space V whose states inputs can keep in it, with outputs at rest:

        V_0 = R^n,   V_k+1 = { x : A x + B u in V_k and C x + D u = 0 for some u }                          [zeros-1]

    There are n - r of them; r is the number of derivatives of the outputs that inputs set, their relative degree."""
    n = len(A)
    B = B / np.maximum(np.linalg.norm(np.vstack([B, D]), axis=0), 1e-300)
    V = np.eye(n)
    while True:
        out = _complement(V)
        rows, whole = np.block([[out.T @ A @ V, out.T @ B], [C @ V, D]]), np.block([[out.T @ A, out.T @ B], [C, D]])
        rows = rows / np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-300)
        _, S, Q = np.linalg.svd(rows)
        kept = Q[int((S > NOTHING).sum()):].T
        x, size, _ = np.linalg.svd(V @ kept[:V.shape[1]], full_matrices=False)
        found = x[:, size > NOTHING]
        if found.shape[1] == V.shape[1]:
            states = kept[:V.shape[1]]
            inputs = kept[V.shape[1]:] @ np.linalg.pinv(states)
            return np.linalg.eigvals(V.T @ (A @ V + B @ inputs)) if V.shape[1] else np.zeros(0)
        V = found


def _complement(V: np.ndarray) -> np.ndarray:
    """Orthonormal columns across those of V."""
    return np.linalg.svd(V, full_matrices=True)[0][:, V.shape[1]:] if V.shape[1] else np.eye(len(V))
