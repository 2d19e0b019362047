"""The energy-momentum method in a run."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....families.loads import LOAD
from ....families.rigid import BODY
from ....kernels.contract import ELASTIC
from ....kernels.evaluation import run as evaluate
from ....kernels.records import new_record
from ..implicit.alpha_method import rounding
from ..loop.method import Method
from .energy_momentum_step import MEMORY, Middle, step
from .rigid_only import refuse_modal


class EnergyMomentumMethod(Method):
    """[conserving-1]. Rows are kept as integrated: a projection of velocities would change the energy."""
    step = step
    holds, project = True, False

    def __init__(self, option: Any, run: Any) -> None:
        refuse_modal(option, run.dynamics, "it needs bodies whose inertia does not change")
        super().__init__(option, run)
        d, s = run.dynamics, run.dynamics.system
        links = np.array([s.block[j.tile, k] for j in s.joints for k in j.bodies], np.int64)
        arrays: dict[str, Any] = {name: np.zeros(s.n) for name in Middle._fields}
        arrays |= {"n": new_record(MEMORY), "inertia": s.program("residual", families=[BODY]), "energy": s.program("energy"),
                   "q1": np.zeros(s.q0.size), "weight": d.weights(), "soft": s.softness, "mass": self._masses(), "links": links,
                   "kept": np.zeros((links.size, 6, 6)), "elastic": np.zeros(2)}
        self.own = Middle(**arrays)
        n = self.own.n
        n.tolerance, n.floor, n.rounding = option.tolerance, d.gravity / d.length + 1e-9, rounding(run)
        n.most_iterations, n.stiff = option.max_iterations, any(f.act.energy for f in s.families if f is not BODY)
        n.free = not s.fixed and LOAD not in s.families

    def _masses(self) -> np.ndarray:
        """6x6 per body: constant for rigid ones."""
        d, s = self.run.dynamics, self.run.dynamics.system
        d.x.q[:] = self.run.x.q
        d._matrix()
        return np.array([d.tiles[s.block[k, k]] for k in range(s.n_v // 6)]).reshape(-1, 6, 6)

    def state(self) -> dict[str, np.ndarray]:
        o = self.own
        return {"a0": o.a0, "a1": o.a1, "lam0": o.lam0, "lam1": o.lam1, "elastic": o.elastic}

    def records(self) -> dict[str, Any]:
        return {"numbers": self.own.n}

    def restless(self) -> np.ndarray:
        n_v = self.run.n_v
        return np.asarray(abs(self.run.x.R[:n_v] * self.own.weight[:n_v]))

    def back(self) -> None:
        self.run.x.lam[:] = self.own.lam0

    def begun(self) -> None:
        run, s, x = self.run, self.run.dynamics.system, self.run.x
        self.own.n.last_t0, self.own.n.made = np.nan, 0
        x.E[:] = 0
        evaluate(self.own.energy, s.data, x, run.t, 0.0, 0.0, 0.0)
        self.own.elastic[:] = x.E[ELASTIC]
