"""The numbers of a modal body as its kernels read them, from inertia integrals and stiffening. Pure NumPy, once per model.

Stiffening comes as matrices K of loads p: the elastic force gains sum_k p_k K_k q. Every such matrix is also the second-order
displacement that its load works on, with the opposite sign: an acceleration a - g on the centre of mass, an angular acceleration on
int u x, products of w on the moments of inertia, forces and moments at a node on its place. Taken there, in the kinetic energy and
in the places of nodes, the same forces come out, with their reactions: momentum and energy are conserved.      [modal-8]
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # components of symmetric matrices, in this order


def loads_of(stiffening: Any) -> dict[tuple[Any, ...], np.ndarray]:
    """{load: K}, symmetric; empty without stiffening."""
    if stiffening is None:
        return {}
    return {tuple(load): (np.asarray(K) + np.asarray(K).T) / 2 for load, K in zip(stiffening.loads, stiffening.K, strict=True)}


def body_reals(integrals: Any) -> list[float]:
    """m, c0, J0"""
    return [float(integrals.m), *map(float, integrals.c0), *(float(integrals.J0[i][j]) for i, j in SIX)]


def body_tables(integrals: Any, K: np.ndarray, D: np.ndarray, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray:
    """S0 | B0 | H0 | for every k: H2 | B1 | M | K | D, with rows of n numbers."""
    n, G0, J2 = len(K), np.asarray(integrals.G0), np.asarray(integrals.J2)
    H0, H2 = G0 + G0.transpose(0, 2, 1), J2 + J2.transpose(0, 1, 3, 2)
    H2 = (H2 + H2.transpose(1, 0, 2, 3)) / 2
    B1 = np.asarray(integrals.B1).transpose(1, 0, 2)  # component, k, j
    B1 = (B1 - B1.transpose(0, 2, 1)) / 2
    h2 = np.array([H2[:, :, i, j] for i, j in SIX])
    for c, (i, j) in enumerate(SIX):
        if ("centrifugal", i, j) in loads:  # - w.H_j w / 2 must give + w_i w_j K q
            h2[c] -= loads["centrifugal", i, j] * (2 if i == j else 1)
    pairs = np.concatenate([h2, B1, np.asarray(integrals.Mqq)[None], np.asarray(K)[None], np.asarray(D)[None]])
    heads = [np.asarray(integrals.S), np.asarray(integrals.B0), np.array([H0[:, i, j] for i, j in SIX])]
    return np.concatenate([*(h.reshape(-1, n).ravel() for h in heads), pairs.transpose(1, 0, 2).ravel()])


def _second(n: int, loads: dict[tuple[Any, ...], np.ndarray], first: Sequence[Any], last: Sequence[Any], sign: float) -> np.ndarray | None:
    """For every k: three rows of ``first``, three of ``last``; None if all are zero."""
    tables = np.array([sign * loads.get((*part, i), np.zeros((n, n))) for part in (first, last) for i in range(3)])
    return tables.transpose(1, 0, 2).ravel() if tables.any() else None


def body_second(integrals: Any, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray | None:
    """P | for every k: N2 | S2; P is the inverse of the rigid mass matrix of the undeformed body, in four blocks."""
    tables = _second(len(integrals.Mqq), loads, ("angular",), ("acceleration",), 1.0)
    if tables is None:
        return None
    c = np.asarray(integrals.c0, float)
    lever = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    P = np.linalg.pinv(np.block([[integrals.m * np.eye(3), -lever], [lever, np.asarray(integrals.J0)]]), hermitian=True)
    return np.concatenate([*(P[i:i + 3, j:j + 3].ravel() for i in (0, 3) for j in (0, 3)), tables])


def node_tables(psi_R: np.ndarray, psi_theta: np.ndarray) -> np.ndarray:
    """psi | phi"""
    return np.concatenate([np.asarray(psi_R).ravel(), np.asarray(psi_theta).ravel()])


def node_second(n: int, name: str, second: np.ndarray | None, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray | None:
    """For every k: E | G, of the forces at the node; ``second`` where no force was computed there."""
    own = {("force", name, i): -np.asarray(second)[i] for i in range(3)} if second is not None else {}
    return _second(n, {**own, **loads}, ("force", name), ("moment", name), -1.0)
