"""The energy-momentum method: the driver of its jitted loop."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...families.loads import LOAD
from ...families.rigid import BODY
from ...kernels.contract import ELASTIC
from ...kernels.evaluation import run
from . import midpoint as mp
from . import stepper as st
from .base import Plan
from .fixed import FixedRun, refuse_modal


class EnergyMomentumRun(FixedRun):
    """One integration in progress. Rows are kept as integrated: a projection of velocities would change the energy."""
    project = False

    def __init__(self, method: Any, plan: Plan) -> None:
        refuse_modal(method, plan, "it needs bodies whose inertia does not change")
        super().__init__(method, plan)
        s, n = plan.dynamics.system, plan.dynamics.system.n
        self.weight = plan.dynamics.weights()
        residual, tangent, power, history = self.programs
        self.middle = mp.Programs(residual, tangent, power, history, s.program("residual", families=[BODY]), s.program("energy"))
        links = np.array([s.block[j.tile, k] for j in s.joints for k in j.bodies], np.int64)
        arrays: dict[str, np.ndarray] = {name: np.zeros(n) for name in mp.Middle._fields}
        arrays |= {"q0": np.zeros(s.q0.size), "q1": np.zeros(s.q0.size), "weight": self.weight, "soft": s.softness, "mass": self._masses(),
                   "links": links, "kept": np.zeros((links.size, 6, 6)), "total": plan.row[1:3].copy(), "elastic": np.zeros(2),
                   "pivots": np.zeros(6, np.int64)}
        self.work = mp.Middle(**arrays)
        elastic = any(f.act.energy for f in s.families if f is not BODY)
        self.ctl = self._control(plan, method.tolerance, float(elastic), float(not s.fixed and LOAD not in s.families))
        self.count[st.MAX_ITERATIONS] = method.max_iterations
        if plan.memory:
            self._restore(plan.memory)
        else:
            self.work.a1[:], self.work.lam1[:] = self.x.a, self.x.lam
            self.x.E[:] = 0
            run(self.middle.energy, s.data, self.x, float(plan.row[0]), 0.0, 0.0, 0.0)
            self.work.elastic[:] = self.x.E[ELASTIC]
        self._store(plan.steps // plan.stride + 1)

    def _masses(self) -> np.ndarray:
        """6x6 per body: constant for rigid ones."""
        d, s = self.dynamics, self.dynamics.system
        d.x.q[:] = self.x.q
        d._matrix()
        return np.array([d.tiles[s.block[k, k]] for k in range(s.n_v // 6)]).reshape(-1, 6, 6)

    def _state(self) -> dict[str, np.ndarray]:
        w = self.work
        return super()._state() | {"a1": w.a1, "lam1": w.lam1, "total": w.total, "elastic": w.elastic, "ctl": self.ctl}

    def _advance(self, steps: int) -> int:
        """At most so many steps in compiled code; returns the status."""
        s = self.dynamics.system
        return int(mp.advance(self.middle, s.data, s.lu, self.x, self.work, self.ctl, self.count, s.n_v, steps, self.rows))
