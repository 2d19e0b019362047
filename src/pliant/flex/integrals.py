"""Inertia integrals of shapes on a mesh [flex-1]."""
from __future__ import annotations

from typing import Any

import numpy as np

from .fe import FE, MassPoints, cross_matrix, rigid_motions
from .reduced import Integrals


def integrals(fe: FE, Psi: np.ndarray) -> Integrals:
    """All integrals of the shapes ``Psi`` (dofs, n)."""
    if fe.points is not None:
        return of_points(fe.points, np.asarray(fe.points.U @ Psi), np.asarray(fe.points.T @ Psi))
    if fe.dofs == 3:
        return of_nodes(fe, Psi)
    return of_rotating_nodes(fe, Psi)


def of_points(p: MassPoints, U: np.ndarray, T: np.ndarray) -> Integrals:
    """Of beams, with the true field u + theta x y of the mass at x + y; terms that are linear in y vanish [flex-2]."""
    g, n = len(p.m), U.shape[1]
    U, T, m, x, E, Is = U.reshape(g, 3, n), T.reshape(g, 3, n), p.m, p.x, p.E, p.Is
    mU = m[:, None, None] * U
    IT = np.einsum("gab,gbj->gaj", Is, T)
    M = np.tensordot(U, mU, ((0, 1), (0, 1))) + np.tensordot(T, IT, ((0, 1), (0, 1)))
    xx = np.einsum("g,ga,gb->ab", m, x, x)
    J0 = np.trace(xx) * np.eye(3) - xx + Is.sum(axis=0)
    Xm = cross_matrix(x)
    B0 = np.einsum("gab,gbj->aj", Xm, mU) + IT.sum(axis=0)
    xu = np.einsum("gb,gaj->jab", x, mU)                                         # int psi_j u0^T
    G0 = np.trace(xu, axis1=1, axis2=2)[:, None, None] * np.eye(3) - xu - _cross_times(T, E)
    # int psi_j psi_k^T (k, j, 3, 3): displacements, and rotations theta_j~ E theta_k~^T
    P = np.einsum("gbk,gaj->kjab", U, mU, optimize=True)
    C = cross_matrix(np.moveaxis(T, 1, 2))                                       # (g, n, 3, 3)
    CE = np.einsum("gjac,gcd->gjad", C, E, optimize=True)
    Q = np.tensordot(CE, C, ((0, 3), (0, 3))).transpose(2, 0, 1, 3)              # theta_j~ E theta_k~^T
    J2 = M[:, :, None, None] * np.eye(3) - (P + Q)
    B1 = _curl(P) + np.einsum("gab,gkjb->kaj", E, _cross(T), optimize=True)
    S, c0 = mU.sum(axis=0), m @ x
    return Integrals(float(m.sum()), c0, J0, S, B0, G0, J2, B1, (M + M.T) / 2)


def _cross_times(T: np.ndarray, E: np.ndarray) -> np.ndarray:
    """sum_g theta_j~ E: (n, 3, 3)."""
    return np.einsum("gjac,gcb->jab", cross_matrix(np.moveaxis(T, 1, 2)), E, optimize=True)


def _cross(T: np.ndarray) -> np.ndarray:
    """theta_k x theta_j (g, k, j, 3)."""
    t = np.moveaxis(T, 1, 2)
    return np.cross(t[:, :, None], t[:, None])


def _curl(P: np.ndarray) -> np.ndarray:
    """int psi_k x psi_j (k, 3, j) of P[k, j] = int psi_j psi_k^T."""
    return np.stack([P[:, :, 2, 1] - P[:, :, 1, 2], P[:, :, 0, 2] - P[:, :, 2, 0], P[:, :, 1, 0] - P[:, :, 0, 1]], axis=1)


def of_nodes(fe: FE, Psi: np.ndarray) -> Integrals:
    """Of solids from their mass matrix: (e_a x psi) is a nodal field again [flex-1]. Exact for any M, consistent or lumped."""
    n = Psi.shape[1]
    fields = [fe.nodes.ravel()[:, None], Psi]
    turned = np.concatenate([_turned(f) for f in fields], axis=1)     # (N, 3 (1 + n)), a after j
    MT, MP = fe.M @ turned, fe.M @ Psi
    pairs = (turned.T @ MT).reshape(1 + n, 3, 1 + n, 3)               # (e_a x f_k) M (e_b x f_j)
    mixed = (turned.T @ MP).reshape(1 + n, 3, n)                      # (e_a x f_k) M psi_j
    t = rigid_motions(fe.nodes, 3)[:, :3]
    Mt = fe.M @ t
    M = Psi.T @ MP
    return Integrals(float(np.trace(t.T @ Mt) / 3), Mt.T @ fe.nodes.ravel(), _even(pairs[0, :, 0]), Mt.T @ Psi, mixed[0],
                     pairs[0, :, 1:].transpose(1, 0, 2), pairs[1:, :, 1:].transpose(0, 2, 1, 3), mixed[1:], _even(M))


def _even(a: np.ndarray) -> np.ndarray:
    return (a + a.T) / 2


def _turned(f: np.ndarray) -> np.ndarray:
    """e_a x f for a = 0, 1, 2 and all columns j of nodal fields f (N, n): (N, 3 n), a running fastest."""
    N, n = f.shape
    v = f.reshape(N // 3, 3, n)
    out = np.zeros((len(v), 3, n, 3))
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        out[:, b, :, a], out[:, c, :, a] = -v[:, c], v[:, b]  # (e_a x v)_b = -v_c, (e_a x v)_c = v_b
    return out.reshape(N, 3 * n)


def of_rotating_nodes(fe: FE, Psi: np.ndarray) -> Integrals:
    """Of given matrices with rotations, where the field inside the elements is not known: what is linear in the shapes, and Mqq, from the
    matrix, exactly; J2, B1 and the symmetric part of G0 with the mass lumped at the nodes. The other part of G0 is -1/2 B0~, without which
    energy would not be conserved."""
    lumped = of_points(p := lumped_points(fe), np.asarray(p.U @ Psi), np.asarray(p.T @ Psi))
    R = fe.rigid()
    MR, M = fe.M @ R, Psi.T @ (fe.M @ Psi)
    mass = R.T @ MR
    m = float(np.trace(mass[:3, :3]) / 3)
    c0 = np.array([mass[1, 5] - mass[2, 4], mass[2, 3] - mass[0, 5], mass[0, 4] - mass[1, 3]]) / 2
    B0 = MR[:, 3:].T @ Psi
    G0 = (lumped.G0 + np.swapaxes(lumped.G0, 1, 2)) / 2 - cross_matrix(B0.T) / 2
    return lumped._replace(m=m, c0=c0, J0=_even(mass[3:, 3:]), S=MR[:, :3].T @ Psi, B0=B0, G0=G0, Mqq=_even(M))


def lumped_points(fe: FE) -> MassPoints:
    """Rows of M summed: the mass of each node, and its rotary inertia Is as it resists a rotation of all nodes in place."""
    import scipy.sparse as sp
    p = len(fe.nodes)
    one = np.tile(np.eye(6), (p, 1))
    rows = np.asarray(fe.M @ one).reshape(p, 6, 6)
    m = np.maximum(rows[:, :3, :3].trace(axis1=1, axis2=2) / 3, 0.0)
    values, vectors = np.linalg.eigh((rows[:, 3:, 3:] + np.swapaxes(rows[:, 3:, 3:], 1, 2)) / 2)
    moments = np.maximum(values.sum(axis=1)[:, None] / 2 - values, 0.0)  # E = tr(Is)/2 - Is
    E: Any = np.einsum("gai,gi,gbi->gab", vectors, moments, vectors)
    ones, r = np.ones(3 * p), np.arange(3 * p)
    U, T = (sp.csr_matrix((ones, (r, (6 * np.arange(p)[:, None] + np.arange(k, k + 3)).ravel())), shape=(3 * p, 6 * p)) for k in (0, 3))
    return MassPoints(m, E, fe.nodes, U, T)
