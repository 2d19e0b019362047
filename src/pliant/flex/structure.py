"""The free structure with its interfaces, and its solutions from one factorisation.

Nodes of a rigid interface are replaced by its six unknowns, d = T y. K of the free structure is factored with six unknowns held that do not
stress it (those of the first rigid interface, else some of three nodes); G is that inverse, zero at the held ones. For loads in
equilibrium G is exact, whatever is held, up to a rigid motion. Everything else follows with small systems [flex-8].
"""
from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..functions.field_error import FieldError
from .fe import FE, TINY, cross_matrix
from .interfaces import Joined, frame_rows

DENSE = 700  # unknowns up to which eigenvalues are computed with full matrices


class Structure:
    """K, M, rigid motions R and interface rows A in the unknowns y; T leads back to those of the mesh."""

    def __init__(self, fe: FE, joined: list[Joined]) -> None:
        import scipy.sparse as sp
        self.fe, self.joined = fe, joined
        self.T = self._transformation()
        self.K, self.M = ((self.T.T @ a @ self.T).tocsc() for a in (fe.K, fe.M))
        self.K, self.M = ((a + a.T).tocsc() / 2 for a in (self.K, self.M))
        self.rows = [self._rows(i) for i in joined]
        self.A = sp.csr_matrix(sp.vstack(self.rows)) if joined else sp.csr_matrix((0, self.K.shape[0]))
        self.R = self._rigid()
        self.solves = 0
        self._constrained: dict[int, Constrained] = {}  # the rows are kept in it, so that their id stays theirs

    def _transformation(self) -> Any:
        """T: six columns for each rigid interface, then those of the free unknowns."""
        import scipy.sparse as sp
        fe, k = self.fe, self.fe.dofs
        N = k * len(fe.nodes)
        free = np.ones(N, bool)
        blocks = []
        for i in (i for i in self.joined if i.rigid):
            block = np.zeros((len(i.nodes), k, 6))
            block[:, :3, :3] = np.eye(3)
            block[:, :3, 3:] = -cross_matrix(fe.nodes[i.nodes] - i.position)
            if k == 6:
                block[:, 3:, 3:] = np.eye(3)
            dofs = (k * i.nodes[:, None] + np.arange(k)).ravel()
            free[dofs] = False
            rows, columns = np.repeat(dofs, 6), np.tile(np.arange(6), len(dofs))
            blocks.append(sp.csc_matrix((block.ravel(), (rows, columns)), shape=(N, 6)))
        rest = np.flatnonzero(free)
        one = sp.csc_matrix((np.ones(len(rest)), (rest, np.arange(len(rest)))), shape=(N, len(rest)))
        return sp.csc_matrix(sp.hstack([*blocks, one]))

    def _rows(self, i: Joined) -> Any:
        """Displacement and rotation of a frame (6, y)."""
        import scipy.sparse as sp
        if i.rigid and any(i is j for j in self.joined):
            k = 6 * [j.name for j in self.joined if j.rigid].index(i.name)
            return sp.csr_matrix((np.ones(6), (np.arange(6), np.arange(k, k + 6))), shape=(6, self.T.shape[1]))
        return self.frame(i) @ self.T

    def frame(self, i: Joined) -> Any:
        """Displacement and rotation of a frame by the unknowns of the mesh (6, dofs)."""
        import scipy.sparse as sp
        k, rows = self.fe.dofs, frame_rows(self.fe, i)
        dofs = (k * i.nodes[:, None] + np.arange(k)).ravel()
        return sp.csr_matrix((rows.ravel(), (np.repeat(np.arange(6), len(dofs)), np.tile(dofs, 6))), shape=(6, self.T.shape[0]))

    def _rigid(self) -> np.ndarray:
        """Rigid motions in y: those of the mesh for free unknowns, of the frames for interfaces."""
        R = np.zeros((self.T.shape[1], 6))
        stiff = [i for i in self.joined if i.rigid]
        for k, i in enumerate(stiff):
            R[6 * k:6 * k + 6] = motion(i.position)
        rest = self.T[:, 6 * len(stiff):]
        R[6 * len(stiff):] = rest.T @ self.fe.rigid()
        return R

    # -- solutions
    @cached_property
    def held(self) -> np.ndarray:
        """Six unknowns whose hold makes K definite and takes no load in equilibrium."""
        if any(i.rigid for i in self.joined):
            return np.arange(6)
        if self.fe.dofs == 6:
            return np.arange(6)
        from scipy.linalg import qr
        x = self.fe.nodes
        a = int(np.argmax(np.linalg.norm(x - x.mean(axis=0), axis=1)))
        b = int(np.argmax(np.linalg.norm(x - x[a], axis=1)))
        c = int(np.argmax(np.linalg.norm(np.cross(x - x[a], x[b] - x[a]), axis=1)))
        dofs = (3 * np.array([a, b, c])[:, None] + np.arange(3)).ravel()
        scale = np.array([1, 1, 1, *([1 / max(self.fe.size, 1e-300)] * 3)])
        centred = self.R @ np.linalg.inv(motion(x.mean(axis=0))) * scale
        return np.sort(dofs[qr(centred[dofs].T, pivoting=True, mode="r")[1][:6]])

    @cached_property
    def lu(self) -> Any:
        """Factors of K without the held unknowns; signs and sizes of the pivots tell whether it is positive."""
        from scipy.sparse.linalg import splu
        self.kept = np.setdiff1d(np.arange(self.K.shape[0]), self.held)
        K = self.K[self.kept][:, self.kept].tocsc()
        try:
            lu = splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        except RuntimeError:
            raise FieldError("K", "is singular: beside the six rigid motions something moves without "
                             f"resistance{self._loose(K)}") from None
        pivots = lu.U.diagonal()
        size = K.diagonal()[np.argsort(lu.perm_c)] if (lu.perm_c == lu.perm_r).all() else np.full(len(pivots), abs(K.diagonal()).max())
        ratio = pivots / np.maximum(abs(size), 1e-300)
        worst = int(np.argmin(ratio))
        if ratio[worst] < TINY:
            place = self._place(int(self.kept[np.argsort(lu.perm_c)[worst]]))
            what = "is negative: a deformation gives energy" if ratio[worst] < -TINY else "is singular: something moves without resistance"
            raise FieldError("K", f"{what} near {place}, beside the six rigid motions; "
                             "check the elements and connections there")
        return lu

    def _loose(self, K: Any) -> str:
        zero = np.flatnonzero(abs(K).max(axis=1).toarray().ravel() == 0)
        return f", at {self._place(int(self.kept[zero[0]]))}" if zero.size else ""

    def _place(self, y: int) -> str:
        rows = self.T[:, y].indices
        return self.fe.named([int(rows[0]) // self.fe.dofs])

    def G(self, f: np.ndarray) -> np.ndarray:
        """Displacements under loads f (y or y, m), with the held unknowns at zero."""
        lu = self.lu
        u = np.zeros_like(f)
        u[self.kept] = lu.solve(np.ascontiguousarray(f[self.kept]))
        self.solves += 1 if f.ndim == 1 else f.shape[1]
        return u

    def small(self, A: Any) -> tuple[np.ndarray, np.ndarray]:
        """G A^T and the matrix [A G A^T, A R; R^T A^T, 0] of rows A."""
        GA = self.G(A.T.toarray())
        AR = A @ self.R
        return GA, np.block([[A @ GA, AR], [AR.T, np.zeros((6, 6))]])

    def constrained(self, A: Any) -> Constrained:
        """Solutions with A y = 0 (or given), kept for the next time."""
        if id(A) not in self._constrained:
            self._constrained[id(A)] = Constrained(self, A)
        return self._constrained[id(A)]

    @cached_property
    def relief(self) -> tuple[np.ndarray, np.ndarray]:
        """M R and (R^T M R)^-1: for loads balanced by inertia, and motions without rigid part."""
        MR = self.M @ self.R
        return MR, np.linalg.inv(self.R.T @ MR)

    def balanced(self, f: np.ndarray) -> np.ndarray:
        """Displacements of the free structure under f and the inertia forces that balance it, without rigid part."""
        MR, inverse = self.relief
        u = self.G(f - MR @ (inverse @ (self.R.T @ f)))
        return u - self.R @ (inverse @ (MR.T @ u))


class Constrained:
    """K y + A^T l = f, A y = b, from G and a small system [flex-8]."""

    def __init__(self, structure: Structure, A: Any) -> None:
        from scipy.linalg import lu_factor
        self.s, self.A = structure, A
        self.GA, matrix = structure.small(A)
        self.scale = 1 / np.sqrt(np.maximum(abs(matrix).max(axis=1), 1e-300))
        self.factors = lu_factor(matrix * self.scale * self.scale[:, None])

    def _inner(self, b: np.ndarray) -> np.ndarray:
        from scipy.linalg import lu_solve
        scale = self.scale if b.ndim == 1 else self.scale[:, None]
        return np.asarray(scale * lu_solve(self.factors, scale * b))

    def given(self, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacements with A y = b and no loads, and the loads A^T l' on the interfaces that cause them."""
        solved = self._inner(np.concatenate((b, np.zeros((6, *b.shape[1:])))))
        k = len(b)
        return self.GA @ solved[:k] + self.s.R @ solved[k:], solved[:k]

    def solve(self, f: np.ndarray) -> np.ndarray:
        """Displacements under f with A y = 0."""
        Gf = self.s.G(f)
        k = self.A.shape[0]
        solved = self._inner(np.concatenate((self.A @ Gf, self.s.R.T @ f)))
        return Gf - self.GA @ solved[:k] + self.s.R @ -solved[k:]


def motion(x: np.ndarray) -> np.ndarray:
    """Displacement and rotation of a point x under the six rigid motions (6, 6)."""
    H = np.eye(6)
    H[:3, 3:] = -cross_matrix(x)
    return H
