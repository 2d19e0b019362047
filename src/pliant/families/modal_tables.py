"""The numbers of a modal body as its kernels read them, from inertia integrals and stiffening. Pure NumPy, once per model.

Stiffening comes as matrices K of loads p: the elastic force gains sum_k p_k K_k q. Such a matrix is also the second-order displacement
that its load works on, with the opposite sign. For forces and moments at a node that is its place [node-1]: taken there, the same forces
come out, with their reactions. For products of w it is the moments of inertia, [modal-10]; accelerations act on the modes alone.
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
    """S | B0 | H0 | for every k: H2 | B1 | M | K | D, with rows of n numbers. ``loads``: of those the products of w change H2."""
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


def mass_matrix(integrals: Any, q: np.ndarray, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray:
    """Of all coordinates in body axes, at a deformation, with moments of inertia less what products of w give.    [modal-10]"""
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


def stout(integrals: Any, K: np.ndarray, loads: dict[tuple[Any, ...], np.ndarray], size: float) -> bool:
    """Whether a body (coordinates in metres) is in mean axes and keeps positive masses in any deformation up to a tenth of its size, if
    products of w are taken from its moments of inertia. A straight rod, which has next to none about its axis, does not."""
    if any(load[0] in ("acceleration", "angular") for load in loads):
        return False
    soft, rng = 1 / np.maximum(np.diag(K), 1e-300), np.random.default_rng(7)
    for _ in range(40):
        q = rng.standard_normal(len(K)) * soft
        if least_mass(mass_matrix(integrals, q * 0.1 * size / np.abs(q).max(), loads)) <= 0:
            return False
    return True


def body_second(integrals: Any, loads: dict[tuple[Any, ...], np.ndarray], centrifugal: bool = True) -> np.ndarray | None:
    """G | for every k: K by angular accelerations | by accelerations | by products of w (unless they are in the moments of inertia).

    G: displacements and rotations of the body on average that belong to modal coordinates (none in mean axes).        [modal-11]
    """
    n, M = len(integrals.Mqq), mass_matrix(integrals, np.zeros(len(integrals.Mqq)), {})
    none = np.zeros((n, n))
    names = [(kind, i) for kind in ("angular", "acceleration") for i in range(3)]
    names += [("centrifugal", i, j) for i, j in SIX] if centrifugal else []
    tables = np.array([*(loads.get(name, none) for name in names), *[none] * (12 - len(names))])
    G = np.linalg.pinv(M[:6, :6], rcond=1e-12, hermitian=True) @ M[:6, 6:]
    return np.concatenate([G.ravel(), tables.transpose(1, 0, 2).ravel()]) if tables.any() else None


def node_tables(psi_R: np.ndarray, psi_theta: np.ndarray) -> np.ndarray:
    """psi | phi"""
    return np.concatenate([np.asarray(psi_R).ravel(), np.asarray(psi_theta).ravel()])


def node_second(n: int, name: str, second: np.ndarray | None, loads: dict[tuple[Any, ...], np.ndarray]) -> np.ndarray | None:
    """For every k: E | G, of the forces at the node; ``second`` where no force was computed there."""
    own = {("force", name, i): -np.asarray(second)[i] for i in range(3)} if second is not None else {}
    return _second(n, {**own, **loads}, ("force", name), ("moment", name), -1.0)
