"""The numbers of a modal body as its kernels read them, from inertia integrals and stiffening. Pure NumPy, once per model.

Stiffening comes as matrices K of loads p: the elastic force gains sum_k p_k K_k q. Such a matrix is also the second-order displacement
that its load works on, with the opposite sign. For forces and moments at a node that is its place [node-1], for products of w the
moments of inertia [modal-8]: taken there, the same forces come out, with their reactions, so that momentum and energy are conserved.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..flex.mean_axes import SIX


def loads_of(stiffening: Any) -> dict[tuple[Any, ...], np.ndarray]:
    """{load: K}, symmetric; empty without stiffening."""
    if stiffening is None:
        return {}
    return {tuple(load): (np.asarray(K) + np.asarray(K).T) / 2 for load, K in zip(stiffening.loads, stiffening.K, strict=True)}


def body_reals(integrals: Any) -> list[float]:
    """m, c0, J0"""
    return [float(integrals.m), *map(float, integrals.c0), *(float(integrals.J0[i][j]) for i, j in SIX)]


def body_tables(integrals: Any, K: np.ndarray, D: np.ndarray, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray:
    """S | B0 | H0 | for every k: H2 | B1 | M | K | D, with rows of n numbers. ``loads``: of those the products of w change H2."""
    G0, J2 = np.asarray(integrals.G0), np.asarray(integrals.J2)
    H0, H2 = G0 + G0.transpose(0, 2, 1), J2 + J2.transpose(0, 1, 3, 2)
    H2 = (H2 + H2.transpose(1, 0, 2, 3)) / 2
    B1 = np.asarray(integrals.B1).transpose(1, 0, 2)  # component, k, j
    B1 = (B1 - B1.transpose(0, 2, 1)) / 2
    h2 = np.array([H2[:, :, i, j] for i, j in SIX])
    for c, (i, j) in enumerate(SIX):
        if ("centrifugal", i, j) in loads:  # - w.H_j w / 2 must give + w_i w_j K q                       [modal-8]
            h2[c] -= loads["centrifugal", i, j] * (2 if i == j else 1)
    pairs = np.concatenate([h2, B1, np.asarray(integrals.Mqq)[None], np.asarray(K)[None], np.asarray(D)[None]])
    heads = [np.asarray(integrals.S), np.asarray(integrals.B0), np.array([H0[:, i, j] for i, j in SIX])]
    return np.concatenate([*(h.ravel() for h in heads), pairs.transpose(1, 0, 2).ravel()])


def mass_matrix(integrals: Any, q: np.ndarray, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray:
    """Of all coordinates in body axes, at a deformation, with moments of inertia less what products of w give."""
    i, c = integrals, integrals.c0 + integrals.S @ q
    J = i.J0 + np.einsum("j,jab->ab", q, i.G0 + np.swapaxes(i.G0, 1, 2)) + np.einsum("j,k,jkab->ab", q, q, i.J2)
    for a, b in SIX:
        if ("centrifugal", a, b) in loads:
            J[[a, b], [b, a]] -= q @ loads["centrifugal", a, b] @ q * (1.0 if a == b else 0.5)
    lever = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    B = i.B0 + np.einsum("k,kaj->aj", q, i.B1)
    return np.block([[i.m * np.eye(3), -lever, i.S], [lever, (J + J.T) / 2, B], [i.S.T, B.T, i.Mqq]])


def least_mass(M: np.ndarray) -> float:
    """The smallest eigenvalue of a mass matrix whose diagonal is made one."""
    size = np.sqrt(np.maximum(np.diag(M), 1e-300))
    return float(np.linalg.eigvalsh(M / size[:, None] / size)[0])


def node_tables(psi_R: np.ndarray, psi_theta: np.ndarray) -> np.ndarray:
    """psi | phi"""
    return np.concatenate([np.asarray(psi_R).ravel(), np.asarray(psi_theta).ravel()])


def node_second(n: int, name: str, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray | None:
    """For every k: E | G, -K of the forces and moments at the node; None if all are zero."""
    tables = np.array([-loads.get((kind, name, i), np.zeros((n, n))) for kind in ("force", "moment") for i in range(3)])
    return tables.transpose(1, 0, 2).ravel() if tables.any() else None
