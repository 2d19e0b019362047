"""Matrices with labels of their rows, from FE programs, on their way to an FE model."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..fe import FE
from .mesh import Mesh
from .source import about
from .systems import Units

ZERO = 1e-14   # rotations of solids: rows that are zero against the largest entry
LARGE = 1e30   # entries that stand for supports
BUBBLES = 9    # unknowns of the incompatible modes of a brick


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
        if not a.nnz:
            raise ValueError(f"{found.what}: {name}: all its entries are zero")
        if abs(a.data).max() > LARGE:
            raise ValueError(f"{found.what}: {name} has entries of {abs(a.data).max():g}, which stand for supports; "
                             "leave them out of the FE model")
    rows, K, M = _without_bubbles(mesh, *_without_nothing(rows, K, M))
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
    with about(found.what):
        return FE(mesh.x[place] * units.length, K, M, what=found.what, ids=ids), place


def _without_nothing(rows: np.ndarray, K: Any, M: Any) -> tuple[np.ndarray, Any, Any]:
    """Without rotations of solids, and without nodes, that have neither stiffness nor mass."""
    largest_K, largest_M = (np.asarray(abs(a).max(axis=1).toarray()).ravel() / abs(a.data).max() for a in (K, M))
    nothing = (largest_K < ZERO) & (largest_M <= ZERO)
    turns = rows[:, 1] > 3
    keep = ~turns if nothing[turns].all() else np.ones(len(rows), bool)
    empty = (largest_K == 0) & (largest_M == 0)
    keep &= ~empty | np.isin(rows[:, 0], rows[~empty & keep, 0])
    return rows[keep], K[keep][:, keep], M[keep][:, keep]


def _without_bubbles(mesh: Mesh, rows: np.ndarray, K: Any, M: Any) -> tuple[np.ndarray, Any, Any]:
    """Without the unknowns that CalculiX gives to the incompatible modes of each C3D8I, under numbers beyond those of the nodes: nine for
    an element, eliminated statically."""
    import scipy.sparse as sp
    inner = rows[:, 0] > mesh.ids[-1]
    if not inner.any() or inner.sum() % BUBBLES:
        return rows, K, M
    inside = np.flatnonzero(inner)[np.lexsort((rows[inner, 1], rows[inner, 0]))]
    blocks = K[inside][:, inside].tobsr((BUBBLES, BUBBLES))
    if not np.array_equal(blocks.indices, np.arange(len(inside) // BUBBLES)) or len(blocks.data) * BUBBLES != len(inside):
        return rows, K, M
    inverse = sp.bsr_matrix((np.linalg.inv(blocks.data), blocks.indices, blocks.indptr), shape=blocks.shape)
    follow = -inverse @ K[inside][:, ~inner]
    outer = np.flatnonzero(~inner)
    T = sp.csr_matrix(sp.vstack((sp.eye_array(len(outer)), follow)))
    order = np.concatenate((outer, inside))
    mesh.notes.append(f"{len(inside)} unknowns of incompatible modes (C3D8I) were eliminated statically")
    K, M = (T.T @ a[order][:, order] @ T for a in (K, M))
    return rows[~inner], K, M


def _default_rows(found: Labelled, mesh: Mesh) -> np.ndarray:
    """All directions of all nodes, by rising number."""
    N, p = found.K.shape[0], len(mesh.ids)
    if N not in (3 * p, 6 * p):
        raise ValueError(f"{found.what}: {N} rows for {p} nodes in {mesh.path}; there must be {3 * p} or {6 * p}, all of all nodes")
    k = N // p
    return np.column_stack((np.repeat(mesh.ids, k), np.tile(np.arange(1, k + 1), p)))
