"""Generalized-alpha, HHT and Newmark with fixed steps: the driver of the jitted loop."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.evaluation import run
from . import stepper as st
from .base import Plan
from .fixed import FixedRun


class AlphaRun(FixedRun):
    """One integration in progress."""

    def __init__(self, method: Any, plan: Plan) -> None:
        super().__init__(method, plan)
        s, n = plan.dynamics.system, plan.dynamics.system.n
        self.weight = plan.dynamics.weights()
        arrays = {name: np.zeros(n) for name in st.Work._fields}
        arrays |= {"q0": np.zeros(s.q0.size), "weight": self.weight, "soft": s.softness, "total": plan.row[1:3].copy(),
                   "power": np.zeros(2), "pivots": np.zeros(6, np.int64)}
        self.work = st.Work(**arrays)
        self.ctl = self._control(plan, method.tolerance, *method.parameters)
        self.count[st.MAX_ITERATIONS], self.count[st.FULL_NEWTON] = method.max_iterations, method.newton == "full"
        self._start(plan.memory)
        self._store(plan.steps // plan.stride + 1)

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

    def _advance(self, steps: int) -> int:
        """At most so many steps in compiled code; returns the status."""
        s = self.dynamics.system
        return int(st.advance(*self.programs, s.data, s.lu, self.x, self.work, self.ctl, self.count, s.n_v, steps, self.rows))
