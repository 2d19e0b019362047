"""Rigid contacts at a state: what is seen of them, and linear equations of the model with all of them off, from which Delassus' matrix of
those that touch, and the accelerations that they would have, follow. docs/theory/rigid_contact.md
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....compile import redundancy
from ....families.rigid_contacts import ACROSS, TANGENTS
from ....families.rigid_stops import GAP, OPEN, SPEED, STICKS
from ....kernels import evaluation
from ....kernels.block_lu import factorise, solve_refined
from ....kernels.contract import KINETIC
from ....kernels.state_row import parts

if TYPE_CHECKING:
    from .step_run import StepRun


class Touching(NamedTuple):
    """Contacts that touch at a state: their numbers; three rows each of Delassus' matrix and of the relative speeds; what a unit impulse of
    each row does to velocities and to multipliers."""
    which: list[int]
    D: np.ndarray
    u: np.ndarray
    Y: np.ndarray


class RigidState:
    """Of a run."""

    def __init__(self, run: StepRun) -> None:
        self.run, self.dynamics, self.points = run, run.dynamics, run.dynamics.system.rigid

    def _place(self, row: np.ndarray) -> None:
        """The state in the memory of the model, without multipliers."""
        x, s = self.dynamics.x, self.dynamics.system
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        x.q[:], x.v[:], x.H[:], x.a[:], x.lam[:] = p["q"], p["v"], p["H"], 0.0, 0.0
        self.t = float(row[0])

    def _phases(self, value: float | None, which: Any = None) -> None:
        for k in range(len(self.points)) if which is None else which:
            self.dynamics.x.H[self.points[k].phase] = OPEN if value is None else value

    def _evaluate(self, program: str) -> None:
        s, x = self.dynamics.system, self.dynamics.x
        x.V[:] = 0
        evaluation.run(s.program(program), s.data, x, self.t, 0.0, 0.0, 0.0)

    def seen(self, what: int, k: int) -> float:
        """What the last evaluation has left of a contact."""
        return float(self.dynamics.x.W[self.points[k].seen + what])

    def gaps(self) -> np.ndarray:
        """Of all contacts as if none pushed: features that have left each other are `AWAY`."""
        H = self.dynamics.x.H.copy()
        self._phases(None)
        self._evaluate("residual")
        self.dynamics.x.H[:] = H
        return np.array([self.seen(GAP, k) for k in range(len(self.points))])

    def _size(self, k: int) -> float:
        return 1.0 if self.points[k].angle else self.dynamics.length

    def _rates(self, which: list[int], what: int) -> np.ndarray:
        """Speeds or accelerations, three of every contact."""
        self._evaluate("rates")
        out = np.zeros(3 * len(which))
        for i, k in enumerate(which):
            for j in range(len(self.points[k].rows)):
                out[3 * i + j] = self.seen(what + 2 * j, k)
        return out

    # -- linear equations with all contacts off
    def _factorise(self) -> None:
        d = self.dynamics
        self._phases(None)
        d._linearise(self.t)
        self.sound = bool(np.isfinite(d.x.D).all()) and bool(factorise(d.x.D, d.lu, d.pivots))

    def _solve(self, b: np.ndarray) -> np.ndarray:
        """[M C^T; C 0] y = b"""
        d = self.dynamics
        if self.sound and solve_refined(d.tiles, d.x.D, d.lu, b, d.y, d.r, d.system.n_v) < 1e-9:
            return d.y.copy()
        return d.least_squares(b)

    def touching(self, which: list[int]) -> Touching:
        """Delassus' matrix of contacts, and their speeds."""
        d, s, n = self.dynamics, self.dynamics.system, 3 * len(which)
        u = self._rates(which, SPEED)
        self._phases(STICKS, which)
        d._linearise(self.t)
        C = redundancy.jacobian(s, d.tiles)
        number = {int(r): i for i, r in enumerate(redundancy.equations(s))}
        rows = [[number[r] for r in self.points[k].rows] for k in which]
        W = np.zeros((n, s.n))
        for i, of in enumerate(rows):
            for j, r in enumerate(of):
                line = C[r] if isinstance(C, np.ndarray) else C[[r]].toarray()[0]
                W[3 * i + j, :s.n_v] = line
        self._factorise()
        Y = np.array([self._solve(w) if w.any() else np.zeros(s.n) for w in W])
        D = W[:, :s.n_v] @ Y[:, :s.n_v].T
        return Touching(which, (D + D.T) / 2, u, Y)

    def _accelerations(self) -> np.ndarray:
        """Of the model with all contacts off, and its multipliers."""
        d, s = self.dynamics, self.dynamics.system
        d.x.a[:], d.x.lam[:] = 0, 0
        self._evaluate("residual")
        b = np.zeros(s.n)
        b[:s.n_v] = -d.x.R[:s.n_v]
        self._evaluate("rates")
        b[s.n_v:] = -d.x.R[s.n_v:]
        return self._solve(b)

    # -- of points
    def _tangents(self, k: int) -> np.ndarray:
        """Both of a contact, in the world, as rows."""
        at = self.points[k].seen + TANGENTS
        return self.dynamics.x.W[at:at + 6].reshape(2, 3).copy()

    def _edge(self, k: int) -> float:
        """The axis of B that its tangents are made of."""
        return float(self.dynamics.x.W[self.points[k].seen + ACROSS])

    def _speed(self) -> float:
        """Of the model, in its sizes per second."""
        d = self.dynamics
        return max(float(abs(d.x.v * d.weights()).max(initial=0.0)), float(self.run.c.slowest), 1e-12)

    def _kinetic(self, v: np.ndarray) -> float:
        """The energy with these velocities."""
        x = self.dynamics.x
        kept, x.v[:], x.E[:] = x.v.copy(), v, 0
        self._evaluate("energy")
        x.v[:] = kept
        return float(x.E[KINETIC])
