"""Matrices with labels of their rows, from FE programs, on their way to an FE model."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..fe import FE
from .mesh import Mesh
from .systems import Units

ZERO = 1e-14   # rotations of solids: rows that are zero against the largest entry
LARGE = 1e30   # entries that stand for supports


class Labelled(NamedTuple):
    """K and M (sparse, whole) with the node number and direction (1 to 6) of every row; rows None: 6 (or 3) for each node by rising
    number."""
    what: str
    rows: np.ndarray | None
    K: Any
    M: Any


def symmetric(i: np.ndarray, j: np.ndarray, v: np.ndarray, N: int) -> Any:
    """The whole matrix of triplets that hold one triangle, or both."""
    import scipy.sparse as sp
    a = sp.csr_matrix((v, (i, j)), shape=(N, N))
    low, high = abs(sp.tril(a, -1)).sum(), abs(sp.triu(a, 1)).sum()
    return a if low > 0 and high > 0 else a + a.T - sp.diags_array(a.diagonal())


def fe_of_matrices(found: Labelled, mesh: Mesh, units: Units) -> tuple[FE, np.ndarray]:
    """The FE model of the nodes that have unknowns, node by node, and the places of these nodes in the mesh."""
    import scipy.sparse as sp
    rows = _default_rows(found, mesh) if found.rows is None else found.rows
    K, M = (sp.csr_matrix(a) for a in (found.K, found.M))
    for name, a in (("K", K), ("M", M)):
        if a.nnz and abs(a.data).max() > LARGE:
            raise ValueError(f"{found.what}: {name} has entries of {abs(a.data).max():g}, which stand for supports; "
                             "leave them out of the FE model")
    keep = np.ones(len(rows), bool)
    turns = rows[:, 1] > 3
    if turns.any():
        size = np.asarray(abs(K).max(axis=1).toarray()).ravel() / abs(K.data).max(), np.asarray(abs(M).max(axis=1).toarray()).ravel()
        if ((size[0] < ZERO) & (size[1] <= ZERO * abs(M.data).max()))[turns].all():
            keep = ~turns
    rows = rows[keep]
    K, M = K[keep][:, keep], M[keep][:, keep]
    empty = np.asarray(abs(K).sum(axis=1)).ravel() + np.asarray(abs(M).sum(axis=1)).ravel() == 0
    loose = np.isin(rows[:, 0], [n for n in np.unique(rows[empty, 0]) if empty[rows[:, 0] == n].all()]) if empty.any() else empty
    rows, K, M = rows[~loose], K[~loose][:, ~loose], M[~loose][:, ~loose]
    k = 6 if (rows[:, 1] > 3).any() else 3
    ids = np.unique(rows[:, 0])
    place = np.minimum(np.searchsorted(mesh.ids, ids), len(mesh.ids) - 1)
    if (mesh.ids[place] != ids).any():
        missing = ids[mesh.ids[place] != ids]
        raise ValueError(f"{found.what}: the node {missing[0]} ({len(missing)} in all) has unknowns but no coordinates in {mesh.path}; "
                         "give the mesh that belongs to the matrices")
    position = k * np.searchsorted(ids, rows[:, 0]) + rows[:, 1] - 1
    if len(position) < k * len(ids):
        absent = int(np.setdiff1d(np.arange(k * len(ids)), position)[0])
        raise ValueError(f"{found.what}: node {ids[absent // k]} has no unknown in direction {absent % k + 1} "
                         f"({k * len(ids) - len(position)} such); supports and couplings (MPC) must be left out of the FE model")
    order = np.argsort(position)
    scale = np.tile([1.0] * 3 + [units.length] * (k - 3), len(ids))
    S = sp.diags_array(scale)
    K, M = (S @ a[order][:, order] @ S * factor for a, factor in ((K, units.stiffness), (M, units.mass)))
    return FE(mesh.x[place] * units.length, K, M, what=found.what), place


def _default_rows(found: Labelled, mesh: Mesh) -> np.ndarray:
    """All directions of all nodes, by rising number."""
    N, p = found.K.shape[0], len(mesh.ids)
    if N not in (3 * p, 6 * p):
        raise ValueError(f"{found.what}: {N} rows for {p} nodes in {mesh.path}; there must be {3 * p} or {6 * p}, all of all nodes")
    k = N // p
    return np.column_stack((np.repeat(mesh.ids, k), np.tile(np.arange(1, k + 1), p)))
