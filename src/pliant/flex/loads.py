"""Loads a moving body feels from its own mass: unit reference loads of geometric stiffening."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .fe import cross_matrix

if TYPE_CHECKING:
    from .distributed import Spread
    from .fe import FE, MassPoints

PRODUCTS = [(a, b) for a in range(3) for b in range(a, 3)]


class Field(NamedTuple):
    """Inertia forces -dm (a + W x) of the mass at x: an acceleration that is linear in place; perhaps with a load that is ``spread``."""
    a: np.ndarray
    W: np.ndarray
    spread: Spread | None = None

    def on(self, points: MassPoints) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment (g, 3) on mass points: the moment is int y x (-W y) over the section, [flex-2]."""
        EW = points.E @ self.W.T  # (E W^T)_jk = int y_j (W y)_k
        moment = np.stack([EW[:, 1, 2] - EW[:, 2, 1], EW[:, 2, 0] - EW[:, 0, 2], EW[:, 0, 1] - EW[:, 1, 0]], axis=1)
        force = -points.m[:, None] * (self.a + points.x @ self.W.T)
        return force + self.spread.f if self.spread is not None and self.spread.inside else force, -moment

    def vector(self, fe: FE) -> np.ndarray:
        """Nodal loads of the whole model."""
        inertia = self._replace(spread=None)._inertia(fe)
        return inertia if self.spread is None else inertia + self.spread.vector()

    def _inertia(self, fe: FE) -> np.ndarray:
        if fe.points is not None:
            force, moment = self.on(fe.points)
            return np.asarray(fe.points.U.T @ force.ravel() + fe.points.T.T @ moment.ravel())
        field = np.zeros((len(fe.nodes), fe.dofs))
        field[:, :3] = self.a + fe.nodes @ self.W.T
        if fe.dofs == 6:
            field[:, 3:] = [(self.W[2, 1] - self.W[1, 2]) / 2, (self.W[0, 2] - self.W[2, 0]) / 2, (self.W[1, 0] - self.W[0, 1]) / 2]
        return -np.asarray(fe.M @ field.ravel())


def inertia_loads() -> dict[tuple[Any, ...], Field]:
    """Loads by name: accelerations of the origin, angular accelerations, products of angular velocities [flex-5]."""
    one, zero = np.eye(3), np.zeros((3, 3))
    found: dict[tuple[Any, ...], Field] = {("acceleration", k): Field(one[k], zero) for k in range(3)}
    found |= {("angular", k): Field(np.zeros(3), cross_matrix(one[k])) for k in range(3)}
    for a, b in PRODUCTS:
        W = np.outer(one[a], one[b]) - one if a == b else np.outer(one[a], one[b]) + np.outer(one[b], one[a])
        found["centrifugal", a, b] = Field(np.zeros(3), W)
    return found
