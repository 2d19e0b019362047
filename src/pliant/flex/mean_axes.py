"""A part in mean axes: its shapes are freed of their rigid part, so that deforming it gives no momentum to first order. Pure NumPy.

In such axes the accelerations of the frame do not stress a body: only forces at its nodes do, with the inertia forces that balance them,
and turning. So all stiffening is in the places of nodes and in the moments of inertia.                              [mean-1]
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # components of symmetric matrices, in this order
Loads = dict[tuple[Any, ...], np.ndarray]


class Shapes(NamedTuple):
    """Of a node: place, displacement and rotation by modal coordinates."""
    u0: np.ndarray
    psi_R: np.ndarray
    psi_theta: np.ndarray


def cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def rotation_of(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp([r]) and its left tangent operator (so3-4, so3-5)."""
    t2, R = float(r @ r), cross_matrix(r)
    t = np.sqrt(t2)
    b, c = ((1 - np.cos(t)) / t2, (t - np.sin(t)) / (t2 * t)) if t2 > 1e-6 else (0.5 - t2 / 24, 1 / 6 - t2 / 120)
    return np.eye(3) + np.sinc(t / np.pi) * R + b * R @ R, np.eye(3) + b * R + c * R @ R


def rigid_mass(integrals: Any) -> np.ndarray:
    """Of the undeformed body, 6x6."""
    lever = cross_matrix(integrals.c0)
    return np.block([[integrals.m * np.eye(3), -lever], [lever, np.asarray(integrals.J0)]])


def rigid_part(integrals: Any) -> np.ndarray:
    """G (6, n): mean displacements and rotations that belong to modal coordinates, rigid mass matrix^-1 (S, B0)      [mean-2]"""
    return np.asarray(_inverse(integrals) @ np.vstack([integrals.S, integrals.B0]))


def _inverse(integrals: Any) -> np.ndarray:
    return np.linalg.pinv(rigid_mass(integrals), rcond=1e-12, hermitian=True)


def integrals_in_mean_axes(i: Any, G: np.ndarray) -> Any:
    """Integrals of the shapes psi_j - g_j - h_j x u0, from the dyads int psi_j u0^T and int psi_j psi_k^T           [mean-3]"""
    n, one = len(i.Mqq), np.eye(3)
    g, h = G[:3].T, np.array([cross_matrix(x) for x in G[3:].T]).reshape(-1, 3, 3)
    E = np.trace(i.J0) / 2 * one - i.J0
    D = np.trace(i.G0, axis1=1, axis2=2)[:, None, None] / 2 * one - i.G0
    N = np.trace(i.J2, axis1=2, axis2=3)[:, :, None, None] / 2 * one - i.J2            # N[k, j] = int psi_j psi_k^T
    mixed = np.einsum("aj,kb->kjab", i.S, g) + np.einsum("jac,kbc->kjab", D, h)         # int psi_j rho_k^T
    hc = h @ np.asarray(i.c0)
    both = (i.m * np.einsum("ja,kb->kjab", g, g) + np.einsum("ja,kb->kjab", g, hc) + np.einsum("ja,kb->kjab", hc, g)
            + np.einsum("jac,cd,kbd->kjab", h, E, h))
    N = N - mixed - mixed.transpose(1, 0, 3, 2) + both
    D = D - np.einsum("ja,b->jab", g, i.c0) - h @ E
    B1 = np.stack([N[:, :, 2, 1] - N[:, :, 1, 2], N[:, :, 0, 2] - N[:, :, 2, 0], N[:, :, 1, 0] - N[:, :, 0, 1]], 1)
    C = np.vstack([i.S, i.B0])
    return type(i)(i.m, i.c0, i.J0, np.zeros((3, n)), np.zeros((3, n)), np.trace(D, axis1=1, axis2=2)[:, None, None] * one - D,
                   np.trace(N, axis1=2, axis2=3)[:, :, None, None] * one - N, B1, i.Mqq - C.T @ G)


def node_in_mean_axes(node: Shapes, G: np.ndarray) -> Shapes:
    return Shapes(node.u0, node.psi_R - G[:3] + cross_matrix(node.u0) @ G[3:], node.psi_theta - G[3:])


def load_in_mean_axes(load: Any, G: np.ndarray) -> Any:
    """A load that is spread (a `PartLoad`), of the shapes psi_j - g_j - h_j x u0 and forces f1_k - h_k x f             [spread-3]"""
    (g, h), F, Y = (G[:3], G[3:]), load.force[:, None], load.dyad
    arm = np.trace(Y) * h - Y.T @ h                                                     # sum u0 x (h_k x f)
    force1, moment1 = load.force1 - np.cross(h, F, axis=0), load.moment1 - arm
    turning = load.turning - np.cross(g, F, axis=0) - Y @ h + np.trace(Y) * h
    modal1 = load.modal1 + load.turning.T @ h - g.T @ force1 - h.T @ moment1
    return load._replace(modal=load.modal - g.T @ load.force - h.T @ load.moment, turning=turning, force1=force1, moment1=moment1,
                         modal1=modal1)


def relieved(i: Any, loads: Loads, places: dict[str, np.ndarray], spread: dict[str, np.ndarray]) -> Loads:
    """Stiffening of forces and moments at all places, of loads that are ``spread`` (their wrenches) and of turning, each with the
    accelerations of the free body that belong to it; from that of the body held, of shapes in mean axes           [mean-4]"""
    P, none, axes = _inverse(i), np.zeros_like(i.Mqq), np.eye(3)
    inertia = np.array([loads.get((kind, a), none) for kind in ("acceleration", "angular") for a in range(3)])

    def free(load: tuple[Any, ...], wrench: np.ndarray) -> np.ndarray:
        return np.asarray(loads.get(load, none) + np.einsum("a,ajk->jk", P @ wrench, inertia))
    out: Loads = {}
    zero = np.zeros(3)
    for name, u0 in places.items():
        for a, e in enumerate(axes):
            out["force", name, a] = free(("force", name, a), np.concatenate([e, np.cross(u0, e)]))
            if ("moment", name, a) in loads:
                out["moment", name, a] = free(("moment", name, a), np.concatenate([zero, e]))
    for name, wrench in spread.items():
        out["load", name] = free(("load", name), wrench)
    for a, b in SIX:
        pairs = [(a, b)] if a == b else [(a, b), (b, a)]
        W = sum(cross_matrix(axes[x]) @ cross_matrix(axes[y]) @ i.c0 for x, y in pairs)
        moment = sum(np.cross(axes[x], i.J0 @ axes[y]) for x, y in pairs)
        out["centrifugal", a, b] = free(("centrifugal", a, b), -np.concatenate([W, moment]))
    return out
