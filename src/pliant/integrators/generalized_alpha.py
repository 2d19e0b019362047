"""Generalized-alpha, index 3: the description users see and, for fixed steps, the driver of the jitted loop."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ..dynamics import Dynamics
from ..kernels.loop import run
from . import stepper as st
from .run import Run

ROUNDING = 2e-16  # increments below this part of the model's size are rounding errors of the constraints


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Generalized-alpha method of Chung and Hulbert on the Lie group, constraints at position level (index 3).

    Order 2 in positions, velocities and multipliers; unconditionally stable for linear systems; numerical damping set by
    ``rho``, the spectral radius at infinite frequency: 1 none (not for constrained systems), 0 complete.
    ``newton``: "modified" keeps factors while they converge well, "full" renews them in every iteration. An iteration ends
    when what is still to come is below ``tolerance`` times the accelerations.
    References: Chung, Hulbert 1993; Arnold, Brüls 2007; Brüls, Cardona, Arnold 2012.
    """
    rho: float = 0.9
    newton: Literal["modified", "full"] = "modified"
    tolerance: float = 1e-9
    max_iterations: int = 25

    kind: ClassVar[str] = "generalized-alpha"
    order: ClassVar[dict[str, int]] = {"position": 2, "velocity": 2, "multiplier": 2}

    def __post_init__(self) -> None:
        for name, kind in (("rho", (int, float)), ("tolerance", (int, float)), ("max_iterations", int)):
            if not isinstance(getattr(self, name), kind) or isinstance(getattr(self, name), bool):
                raise ValueError(f"GeneralizedAlpha: {name} = {getattr(self, name)!r}, must be a number")
        if not 0 <= self.rho <= 1:
            raise ValueError(f"GeneralizedAlpha: rho = {self.rho:g}, must be between 0 (most damping) and 1 (none)")
        if self.newton not in ("modified", "full"):
            raise ValueError(f"GeneralizedAlpha: newton = {self.newton!r}, must be 'modified' or 'full'")
        if not 0 < self.tolerance < 1:
            raise ValueError(f"GeneralizedAlpha: tolerance = {self.tolerance:g}, must be between 0 and 1; 1e-9 is usual")
        if not 2 <= self.max_iterations <= 1000:
            raise ValueError(f"GeneralizedAlpha: max_iterations = {self.max_iterations}, must be from 2 to 1000")


class AlphaRun(Run):
    """Fixed steps. ``steps`` counts from the very start, also for a continuation."""

    def __init__(self, dynamics: Dynamics, method: GeneralizedAlpha, row: np.ndarray, step: float, steps: int, stride: int,
                 memory: dict[str, np.ndarray] | None = None) -> None:
        super().__init__(dynamics, method, row, step, float(row[0]) + steps * step, stride)
        s, n = dynamics.system, dynamics.system.n
        arrays = {name: np.zeros(n) for name in st.Work._fields}
        arrays |= {"q0": np.zeros(s.q0.size), "weight": dynamics.weights(), "soft": s.softness, "total": row[1:3].copy(),
                   "power": np.zeros(2), "pivots": np.zeros(6, np.int64)}
        self.work = st.Work(**arrays)
        self.ctl = np.array([row[0], step, method.rho, method.tolerance, dynamics.gravity / dynamics.length + 1e-9,
                             self._rounding(self.x.q), row[0], 1.0])
        self.count[st.END], self.count[st.STRIDE], self.count[st.MAX_ITERATIONS] = steps, stride, method.max_iterations
        self.count[st.FULL_NEWTON] = method.newton == "full"
        self._start(memory)
        self._store(steps // stride + 1)

    def _rounding(self, q: np.ndarray) -> float:
        """What an increment cannot be told from, in sizes of the model: more for a mechanism far from the origin."""
        s, length = self.dynamics.system, self.dynamics.length
        far = float(abs(q[s.data.linear[:, 1]]).max(initial=0.0)) / length
        return ROUNDING * max(1.0, far) if s.joints else 1e-3 * ROUNDING

    def _start(self, memory: dict[str, np.ndarray] | None) -> None:
        """History of the method: that of an earlier run, or a start from the consistent accelerations."""
        w, x = self.work, self.x
        if memory:
            self._restore(memory)
        else:
            w.alg[:], w.a1[:], w.lam1[:] = x.a, x.a, x.lam
            if self.count[st.POWERED]:
                x.E[:] = 0
                run(self.programs[2], self.dynamics.system.data, x, self.ctl[st.T0], 0.0, 0.0, 0.0)
                w.power[:] = x.E[3:5]

    def _state(self) -> dict[str, np.ndarray]:
        return super()._state() | self.work._asdict() | {"ctl": self.ctl}

    def _plausible(self) -> bool:
        return bool(0 <= self.count[st.STEPS] <= self.count[st.END] and self.ctl[st.H] == self.step)

    @property
    def finished(self) -> bool:
        return bool(self.count[st.STEPS] >= self.count[st.END])

    @property
    def t(self) -> float:
        return float(self.ctl[st.T0] + self.count[st.STEPS] * self.step)

    def _advance(self, steps: int) -> int:
        """At most so many steps in compiled code; returns the status."""
        s = self.dynamics.system
        return int(st.advance(*self.programs, s.data, s.lu, self.x, self.work, self.ctl, self.count, s.n_v, steps, self.rows))
