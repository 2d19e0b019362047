"""Runs with steps of one length: what their drivers share."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...items.errors import ModelError
from . import stepper as st
from .base import Plan
from .run import Run

ROUNDING = 2e-16  # increments below this part of the model's size are rounding errors of the constraints


def refuse_modal(method: Any, plan: Plan, why: str) -> None:
    """For methods that know rigid bodies only."""
    flexible = plan.dynamics.directory.flexible
    if flexible:
        raise ModelError(f"simulate: integrator {method.kind}: body {next(iter(flexible))!r} is flexible; {why}. Take generalized-alpha, "
                         "Radau or an explicit method")


class FixedRun(Run):
    """One integration in progress. Steps are counted from the very start, also in a continuation. ``ctl`` begins as in `stepper`."""
    ctl: np.ndarray
    weight: np.ndarray  # 1 / characteristic length for displacements, 1 for rotations, 0 for padding

    def _control(self, plan: Plan, tolerance: float, *more: float) -> np.ndarray:
        """The numbers of ``ctl``, and the limits in ``count``."""
        d, row = plan.dynamics, plan.row
        self.count[st.END], self.count[st.STRIDE] = plan.steps, plan.stride
        return np.array([row[0], self.step, tolerance, d.gravity / d.length + 1e-9, self._rounding(self.x.q), row[0], 1.0, *more])

    def _rounding(self, q: np.ndarray) -> float:
        """What an increment cannot be told from, in sizes of the model: more for a mechanism far from the origin."""
        s, length = self.dynamics.system, self.dynamics.length
        far = float(abs(q[s.data.linear[:, 1]]).max(initial=0.0)) / length
        return ROUNDING * max(1.0, far) if s.joints else 1e-3 * ROUNDING

    def _plausible(self) -> bool:
        return bool(0 <= self.count[st.STEPS] <= self.count[st.END] and self.ctl[st.H] == self.step)

    @property
    def finished(self) -> bool:
        return bool(self.count[st.STEPS] >= self.count[st.END])

    @property
    def t(self) -> float:
        return float(self.ctl[st.T0] + self.count[st.STEPS] * self.step)

    @property
    def tried(self) -> tuple[float, float]:
        return float(self.ctl[st.T1]), float(self.ctl[st.H])

    def _restless(self) -> str:
        """The body whose position the last iteration still changed most, and its joints."""
        s = self.dynamics.system
        moved = abs(self.x.R[:s.n_v] * self.weight[:s.n_v])
        if not moved.size or not np.isfinite(moved).all():
            return ""
        tile = int(moved.argmax()) // 6
        joints = [repr(j.name) for j in s.joints if tile in j.bodies]
        held = f" with joint{'s' * (len(joints) > 1)} {', '.join(joints[:5])}" if joints else ""
        return f"; body {self.dynamics.body_of(tile)!r}{held} moves most"
