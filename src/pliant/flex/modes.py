"""Lowest modes of the structure, free or held at interfaces, by inverse iteration with the one factorisation there is [flex-8]."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..functions.field_error import FieldError
from ..kernels.eigenspaces import canonical, clusters
from .structure import DENSE, Structure

ACCURACY = 1e-10  # of eigenvalues by iteration
BEYOND = 2        # modes more than are asked for, to see where an eigenspace ends


class Modes:
    """Modes with A y = 0, or free ones without rigid part if A is None; more are computed when they are asked for."""

    def __init__(self, structure: Structure, A: Any = None) -> None:
        self.s, self.A = structure, A
        self.available = structure.K.shape[0] - (6 if A is None else A.shape[0])
        self.values, self.vectors = np.zeros(0), np.zeros((structure.K.shape[0], 0))
        self._solve: Callable[[np.ndarray], np.ndarray] | None = None

    @property
    def solve(self) -> Callable[[np.ndarray], np.ndarray]:
        if self._solve is None:
            self._solve = self.s.balanced if self.A is None else self.s.constrained(self.A).solve
        return self._solve

    def lowest(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Circular frequencies squared (k) and mass-normalised vectors (y, k)."""
        if k > self.available:
            raise FieldError("modes", f"{k} are asked for, there are {self.available}; "
                             "ask for fewer or refine the mesh")
        if k > len(self.values):
            self.values, self.vectors = self._all() if self.s.K.shape[0] <= DENSE else self._iterate(k)
        return self.values[:k], self.vectors[:, :k]

    def below(self, limit: float, most: int | None = None) -> int:
        """How many modes have frequencies [Hz] up to the limit (at most ``most``)."""
        most = self.available if most is None else min(most, self.available)
        k = min(12, most)
        while True:
            values, _ = self.lowest(k)
            count = int((values <= (2 * np.pi * limit) ** 2).sum())
            if count < k or k == most:
                return count
            k = min(2 * k, most)

    def _all(self) -> tuple[np.ndarray, np.ndarray]:
        """Every mode, with full matrices; M may be singular, so M y = K y / w^2 is solved where K is definite."""
        from scipy.linalg import eigh, null_space
        s = self.s
        assert s.lu is not None  # says what is wrong with K, if anything is
        A = (s.M @ s.R).T if self.A is None else self.A.toarray()
        Z = null_space(A / np.maximum(abs(A).max(axis=1, keepdims=True), 1e-300))
        K, M = (Z.T @ (a @ Z) for a in (s.K, s.M))
        inverse, y = eigh((M + M.T) / 2, (K + K.T) / 2)
        good = np.flatnonzero(inverse > 1e-15 * inverse[-1])[::-1]
        self.available = len(good)
        values = 1 / inverse[good]
        return values, canonical(values, Z @ y[:, good] / np.sqrt(inverse[good]), 0.0)

    def _iterate(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """At least k modes, to the end of the last eigenspace: of a part of one, rounding would choose which."""
        from scipy.sparse.linalg import LinearOperator, eigsh
        s = self.s
        N = s.K.shape[0]
        if k > N // 2:
            raise FieldError("modes", f"{k} are asked for of a mesh with {N} unknowns; "
                             "by iteration at most half of them can be had")
        start = self.solve(s.M @ np.random.default_rng(1).standard_normal(N))
        inverse = LinearOperator((N, N), matvec=lambda f: self.solve(f.ravel()), dtype=float)
        more = k
        while True:
            more = min(more + BEYOND, N // 2)
            values, vectors = eigsh(s.K, more, s.M, sigma=0.0, OPinv=inverse, v0=start, tol=ACCURACY,
                                    ncv=min(N, max(2 * more + 1, more + 20)))
            order = np.argsort(values)
            values, vectors = values[order], vectors[:, order]
            last = clusters(values, 0.0)[-1].start  # it may have more modes than were found
            if last >= k or more == N // 2:
                break
        known = last if last >= k else more
        vectors = vectors[:, :known] / np.sqrt(np.einsum("ij,ij->j", vectors[:, :known], s.M @ vectors[:, :known]))
        return values[:known], canonical(values[:known], vectors, 0.0)


def hertz(values: np.ndarray) -> np.ndarray:
    """Frequencies [Hz] of squared circular ones."""
    return np.sqrt(np.maximum(values, 0.0)) / (2 * np.pi)
