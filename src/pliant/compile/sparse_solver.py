"""The solver of last resort: SciPy's sparse factors and least squares, where tiles have no good pivots."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import evaluation
from ..kernels.contract import c_address
from .system import System


def sparse_least_squares(A: Any, b: np.ndarray) -> np.ndarray:
    """By factors of the scaled matrix where these solve it, otherwise by iteration, which finds the smallest solution of singular ones."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import lsmr, splu
    rows = 1 / np.maximum(abs(A).max(1).toarray().ravel(), 1e-300)
    columns = 1 / np.maximum((diags_array(rows) @ abs(A)).max(0).toarray().ravel(), 1e-300)
    scaled, right = (diags_array(rows) @ A @ diags_array(columns)).tocsc(), rows * b
    try:
        factors = splu(scaled)
        y = factors.solve(right)
        y += factors.solve(right - scaled @ y)
        if abs(right - scaled @ y).max(initial=0.0) <= 1e-12 * max(abs(right).max(initial=0.0), abs(y).max(initial=0.0)):
            return np.asarray(columns * y)
    except (RuntimeError, ValueError):  # singular, or not finite
        pass
    return np.asarray(columns * lsmr(scaled, right, atol=1e-13, btol=1e-13)[0])


def pattern(system: System) -> tuple[Any, np.ndarray]:
    """The active equations as a SciPy sparse matrix in CSC form, and which number of the tiles each of its entries is."""
    from scipy.sparse import coo_array
    pairs = np.array(list(system.block), np.int64).reshape(-1, 2)
    numbers = np.array(list(system.block.values()), np.int64)
    i = (6 * pairs[:, 0, None, None] + np.arange(6)[None, :, None]) + np.zeros((1, 1, 6), np.int64)
    j = (6 * pairs[:, 1, None, None] + np.arange(6)[None, None, :]) + np.zeros((1, 6, 1), np.int64)
    entries = 36.0 * numbers[:, None] + np.arange(36)  # none of them is left out for being zero
    full = coo_array((entries.ravel(), (i.ravel(), j.ravel())), shape=(system.n, system.n)).tocsr()
    matrix = full[system.active][:, system.active].tocsc()
    matrix.sort_indices()
    return matrix, matrix.data.astype(np.int64)


def sparse_matrix(system: System, tiles: np.ndarray) -> Any:
    """The active equations with the numbers of the tiles."""
    matrix, entries = pattern(system)
    matrix.data = tiles.ravel()[entries]
    return matrix


class SparseFallback:
    """SciPy's LU behind the address that the time step calls when tile pivots are bad. Call it with 0 to factorise, 1 to solve. ``soft``:
    what is added to diagonals of multipliers, as to ``lu.fix_at``; penalties are less than the system's own."""

    def __init__(self, system: System, x: evaluation.Memory) -> None:
        self.system, self.x, self.factors, self.soft = system, x, None, system.lu.fix_by
        self.pattern: tuple[Any, np.ndarray] | None = None  # made as it is called
        self.address, self._keep = c_address(self)

    def __call__(self, what: float, _x: float, _v: float) -> float:
        try:
            return self._run(what)
        except BaseException as error:  # compiled code cannot pass it on
            if not isinstance(error, Exception):  # an interrupt
                self.system.failures.add(error)
            self.x.R[:] = np.nan
            return 0.0

    def _run(self, what: float) -> float:
        from scipy.sparse.linalg import splu
        s = self.system
        if what == 0.0:
            (tile, row), fixed = np.transpose(s.lu.fix_at), self.soft < 0
            self.x.D[tile[fixed], row[fixed], row[fixed]] += self.soft[fixed]
            if self.pattern is None:
                self.pattern = pattern(s)
            matrix, entries = self.pattern
            matrix.data[:] = self.x.D.ravel()[entries]
            try:
                self.factors = splu(matrix)
            except RuntimeError:  # exactly singular
                return 0.0
            return 1.0
        solution = np.zeros(s.n)
        solution[s.active] = self.factors.solve(self.x.R[s.active])  # type: ignore[attr-defined]
        self.x.R[:] = solution
        return 1.0
