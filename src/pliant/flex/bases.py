"""Shapes by method [flex-9]. Shapes still may contain rigid motion; it is removed afterwards."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..functions.field_error import FieldError
from ..kernels.eigenspaces import canonical
from .modes import Modes
from .structure import Structure

METHODS = ("craig-bampton", "free", "static-correction", "krylov", "shapes")
MOTIONS, LOADS = ("x", "y", "z", "rx", "ry", "rz"), ("fx", "fy", "fz", "mx", "my", "mz")


class Basis:
    """Shapes of one method, for any number of modes."""

    def __init__(self, structure: Structure, method: str, shapes: Any = None) -> None:
        self.s, self.method = structure, method
        self.given = None if shapes is None else _given(structure, shapes)
        held = structure.A if method == "craig-bampton" else None
        self.modes = Modes(structure, held)
        self.fixed: np.ndarray | None = None  # shapes of the interfaces
        self.chain: list[np.ndarray] = []     # of krylov

    @property
    def available(self) -> int:
        if self.method == "krylov":
            return max(0, self.modes.available - self.s.A.shape[0])
        return self.modes.available

    def count(self, limit: float) -> int:
        """Modes up to a frequency limit [Hz]; for krylov a number that grows with the limit."""
        return min(self.modes.below(limit), self.available)

    def shapes(self, n: int) -> tuple[np.ndarray, list[str], dict[str, int]]:
        """Shapes (y, …), their names, and how many there are of each kind."""
        if self.method == "shapes":
            assert self.given is not None
            k = self.given.shape[1]
            return self.given, [f"shape {j + 1}" for j in range(k)], {"given": k}
        if self.method == "free":
            return self.modes.lowest(n)[1], [f"free {j + 1}" for j in range(n)], {"free": n}
        if self.fixed is None:
            self.fixed = self._static() if self.method == "craig-bampton" else self.s.balanced(self.s.A.T.toarray())
        words = MOTIONS if self.method == "craig-bampton" else LOADS
        first = 1 if self.method == "craig-bampton" else 0
        names = [f"{i.name}.{w}" for i in self.s.joined[first:] for w in words]
        if self.method == "krylov":
            return self._krylov(n)
        V = self.modes.lowest(n)[1]
        kind, own = ("static", "normal") if self.method == "craig-bampton" else ("attachment", "free")
        return np.hstack((self.fixed, V)), [*names, *(f"{own} {j + 1}" for j in range(n))], {kind: len(names), own: n}

    def _static(self) -> np.ndarray:
        """Unit displacements and rotations of all interfaces but the first: with those of the first they would contain rigid motion."""
        b = np.eye(self.s.A.shape[0])[:, 6:]
        return self.s.constrained(self.s.A).given(b)[0] if b.shape[1] else np.zeros((self.s.K.shape[0], 0))

    def _krylov(self, n: int) -> tuple[np.ndarray, list[str], dict[str, int]]:
        """Shapes of interface loads, then those of the inertia forces of the last ones, made orthonormal."""
        if n > self.available:
            raise FieldError("modes", f"{n} are asked for, there are {self.available}; "
                             "ask for fewer or refine the mesh")
        s, V = self.s, self.fixed
        assert V is not None
        block = V = _orthonormalise(s, V, V[:, :0])
        start = V.shape[1]
        while V.shape[1] - start < n:
            block = _orthonormalise(s, s.balanced(s.M @ block), V)
            if not block.shape[1]:
                raise FieldError("modes", f"{n} are asked for, the chain of loads gives "
                                 f"{V.shape[1] - start}; ask for fewer")
            V = np.hstack((V, block))
        V = V[:, :start + n]
        return V, [*(f"load {j + 1}" for j in range(start)), *(f"krylov {j + 1}" for j in range(n))], {"attachment": start, "krylov": n}


def _orthonormalise(s: Structure, X: np.ndarray, V: np.ndarray) -> np.ndarray:
    """X without its part along V, mass-orthonormal; what is dependent is dropped."""
    scale = np.sqrt(np.einsum("ij,ij->j", X, s.M @ X))
    X = X / np.maximum(scale, 1e-300)
    for k in range(2):
        X = X - V @ (V.T @ (s.M @ X))
        M = X.T @ (s.M @ X)
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        good = values > (1e-10 if k == 0 else 0.5)
        if k == 0:
            X = canonical(values[good], X @ (vectors[:, good] / np.sqrt(values[good])))[:, ::-1]
        else:  # orthonormal but for rounding: as they are, and not turned
            X = X @ (vectors[:, good] / np.sqrt(values[good])) @ (vectors[:, good].T if good.all() else np.eye(int(good.sum())))
    return X


def _given(s: Structure, shapes: Any) -> np.ndarray:
    """Given shapes in y: over all unknowns of the mesh, as (dofs, n) or (nodes, dofs per node, n)."""
    a = np.array(shapes, float)
    p, k = len(s.fe.nodes), s.fe.dofs
    if a.ndim == 3 and a.shape[:2] == (p, k):
        a = a.reshape(p * k, -1)
    if a.ndim != 2 or a.shape[0] != p * k or not a.shape[1] or not np.isfinite(a).all():
        raise FieldError("shapes", f"an array of shape {np.shape(shapes)} must be ({p * k}, "
                         f"number) or ({p}, {k}, number), with finite entries")
    y = np.zeros((s.K.shape[0], a.shape[1]))
    stiff = [i for i in s.joined if i.rigid]
    for j, i in enumerate(stiff):
        y[6 * j:6 * j + 6] = s.frame(i) @ a
    y[6 * len(stiff):] = s.T[:, 6 * len(stiff):].T @ a
    off = abs(s.T @ y - a).max() / max(abs(a).max(), 1e-300)
    if off > 1e-6:
        raise FieldError("shapes", f"they deform a rigid interface ({off:.2g} of the largest displacement); take "
                         "coupling='average' for them")
    return y
