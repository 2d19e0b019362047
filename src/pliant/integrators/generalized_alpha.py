"""Generalized-alpha, HHT and Newmark with fixed steps: the driver of the jitted loop."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.loop import run
from . import stepper as st
from .choices import Plan
from .run import Run

ROUNDING = 2e-16  # increments below this part of the model's size are rounding errors of the constraints


class AlphaRun(Run):
    """One integration in progress. Steps are counted from the very start, also in a continuation."""

    def __init__(self, method: Any, plan: Plan) -> None:
        super().__init__(method, plan)
        dynamics, row, steps, stride = plan.dynamics, plan.row, plan.steps, plan.stride
        s, n = dynamics.system, dynamics.system.n
        arrays = {name: np.zeros(n) for name in st.Work._fields}
        arrays |= {"q0": np.zeros(s.q0.size), "weight": dynamics.weights(), "soft": s.softness, "total": row[1:3].copy(),
                   "power": np.zeros(2), "pivots": np.zeros(6, np.int64)}
        self.work = st.Work(**arrays)
        self.ctl = np.array([row[0], self.step, method.tolerance, dynamics.gravity / dynamics.length + 1e-9, self._rounding(self.x.q),
                             row[0], 1.0, *method.parameters])
        self.count[st.END], self.count[st.STRIDE], self.count[st.MAX_ITERATIONS] = steps, stride, method.max_iterations
        self.count[st.FULL_NEWTON] = method.newton == "full"
        self._start(plan.memory)
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

    @property
    def tried(self) -> tuple[float, float]:
        return float(self.ctl[st.T1]), float(self.ctl[st.H])

    def _restless(self) -> str:
        """The body whose position the last iteration still changed most, and its joints."""
        s = self.dynamics.system
        moved = abs(self.x.R[:s.n_v] * self.work.weight[:s.n_v])
        if not moved.size or not np.isfinite(moved).all():
            return ""
        tile = int(moved.argmax()) // 6
        joints = [repr(j.name) for j in s.joints if tile in j.bodies]
        held = f" with joint{'s' * (len(joints) > 1)} {', '.join(joints[:5])}" if joints else ""
        return f"; body {self.dynamics.body_of(tile)!r}{held} moves most"
