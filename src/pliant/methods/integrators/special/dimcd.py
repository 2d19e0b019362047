"""DIMCD in a run."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....items.errors import ModelError
from ....kernels.dense import Factors
from ....kernels.records import new_record
from ..loop.convergence import limits
from ..loop.method import Method
from .coordinate_rates import coordinate_rates
from .dimcd_step import MEMORY, Central, step

MOST_BODIES = 120  # that dense linear algebra is good for


class DIMCDMethod(Method):
    """[dimcd-1]. A row belongs to the time of an equilibrium, so positions are known one step further."""
    step = step
    holds = True
    kept = ("q0", "q1", "old")
    rigid = "its coordinates are positions and quaternions of rigid bodies"

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        d, s, form = run.dynamics, run.dynamics.system, run.formulation
        n_q, bodies = s.q0.size, s.n_v // 6
        if bodies > MOST_BODIES:
            raise ModelError(f"simulate: integrator dimcd: {bodies} bodies, its dense equations are good for up to "
                             f"{MOST_BODIES}; take another integrator")
        n = new_record(MEMORY, **limits(option, run), least=form.rank, closed=form.tolerance, length=d.length)
        rows = [(j, i) for j in s.joints for i in range(j.used)]
        iq = {int(v) // 6: int(q) - 3 for v, q in s.data.rotations}
        links = [(s.block[j.tile, k], i, row, 6 * k, iq[k]) for row, (j, i) in enumerate(rows) for k in j.bodies]
        pairs = [(t, 6 * i, 6 * k) for (i, k), t in s.block.items() if i < bodies and k < bodies]
        G, H = Factors.of(len(rows), s.n_v), Factors.of(len(rows) + bodies, n_q)
        made: dict[str, Any] = {name: np.zeros(n_q) for name in ("q0", "q1", "old", "dq", "z")}
        self.own = Central(
            n=n, **made, y=np.zeros(s.n_v), weight=d.weights(), bodies=np.array(pairs, np.int64).reshape(-1, 3),
            links=np.array(links, np.int64).reshape(-1, 5), rows=np.array([6 * j.tile + i for j, i in rows], np.int64),
            G=G, H=H, gap=np.zeros(len(rows) + bodies), K=np.zeros((s.n_v, s.n_v)))

    def begun(self) -> None:
        """Start values: x(-h) and a guess of x(h) by Taylor's formula, p'' = p w' / 2 - w.w p / 4 of quaternions."""
        o, x, h, data = self.own, self.run.x, self.run.step, self.run.dynamics.system.data
        first, second = coordinate_rates(data, x.q, x.v), coordinate_rates(data, x.q, x.a)
        for iv, iq in data.rotations:
            w = x.v[iv:iv + 3]
            second[iq:iq + 4] -= w @ w / 4 * x.q[iq:iq + 4]
        o.n.begun = 0
        o.q0[:] = x.q
        o.old[:], o.q1[:] = x.q - h * first + h * h / 2 * second, x.q + h * first + h * h / 2 * second
