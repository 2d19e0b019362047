"""The energy-momentum method in a run."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....families.loads import LOAD
from ....families.rigid import BODY
from ....kernels.contract import ELASTIC
from ....kernels.evaluation import run as evaluate
from ....kernels.records import new_record
from ..loop.convergence import limits
from ..loop.method import Method
from .energy_momentum_step import MEMORY, Middle, step


class EnergyMomentumMethod(Method):
    """[conserving-1]. Rows are kept as integrated: a projection of velocities would change the energy."""
    step = step
    holds, project = True, False
    kept = ("a0", "a1", "lam0", "lam1", "elastic")
    rigid = "it needs bodies whose inertia does not change"

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        s = run.dynamics.system
        n = new_record(MEMORY, **limits(option, run), free=not s.fixed and LOAD not in s.families,
                       stiff=any(f.act.energy for f in s.families if f is not BODY))
        links = np.array([s.block[j.tile, k] for j in s.joints for k in j.bodies], np.int64)
        vectors: dict[str, Any] = {name: np.zeros(s.n) for name in Middle._fields}
        self.own = Middle(**vectors)._replace(
            n=n, inertia=s.program("residual", families=[BODY]), energy=s.program("energy"), q1=np.zeros(s.q0.size),
            weight=run.dynamics.weights(), soft=s.softness, mass=self.masses(), links=links, elastic=np.zeros(2))

    def begun(self) -> None:
        """Steps before the first one are as if accelerations had been constant."""
        run, o, x, n_q, n_v = self.run, self.own, self.run.x, self.run.n_q, self.run.n_v
        o.n.last_t0, o.a0[:n_v], o.lam0[:] = np.nan, run.steps.f0[n_q:n_q + n_v], x.lam
        x.E[:] = 0
        evaluate(o.energy, run.dynamics.system.data, x, run.t, 0.0, 0.0, 0.0)
        o.elastic[:] = x.E[ELASTIC]
