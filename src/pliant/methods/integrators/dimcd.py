"""DIMCD: the driver of its jitted loop."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...items.errors import ModelError
from ...kernels.evaluation import run
from . import central
from . import stepper as st
from .base import Plan
from .fixed import FixedRun, refuse_modal

MOST_BODIES = 120  # that dense linear algebra is good for


class CentralRun(FixedRun):
    """One integration in progress. A row belongs to the time of an equilibrium, so positions are known one step further."""

    def __init__(self, method: Any, plan: Plan) -> None:
        s = plan.dynamics.system
        refuse_modal(method, plan, "its coordinates are positions and quaternions of rigid bodies")
        if s.n_v > 6 * MOST_BODIES:
            raise ModelError(f"simulate: integrator dimcd: {s.n_v // 6} bodies, its dense equations are good for up to {MOST_BODIES}; take "
                             "another integrator")
        super().__init__(method, plan)
        self.weight = plan.dynamics.weights()
        self.work = self._arrays(plan)
        form: Any = plan.formulation
        length = plan.dynamics.length
        self.ctl = self._control(plan, method.tolerance, form.rank, form.tolerance, length, 0.0)
        self.count[st.MAX_ITERATIONS] = method.max_iterations
        if plan.memory:
            self._restore(plan.memory)
        else:
            self._begin()
        self._store(plan.steps // plan.stride + 1)

    def _arrays(self, plan: Plan) -> central.Central:
        s = plan.dynamics.system
        n, n_q, bodies = s.n, s.q0.size, s.n_v // 6
        rows = np.array([6 * j.tile + i for j in s.joints for i in range(j.used)], np.int64)
        number = np.full(n, -1, np.int64)
        number[rows] = np.arange(rows.size)
        iq = {int(v) // 6: int(q) - 3 for v, q in s.data.rotations}
        links = [(s.block[j.tile, k], 6 * j.tile, 6 * k, iq[k]) for j in s.joints for k in j.bodies]
        pairs = [(t, 6 * i, 6 * k) for (i, k), t in s.block.items() if i < bodies and k < bodies]
        weight = np.full(n_q, 2.0)
        weight[s.data.linear[:, 1]] = 1 / plan.dynamics.length
        m = rows.size
        made: dict[str, np.ndarray] = {name: np.zeros(n_q) for name in ("q0", "q1", "old", "dq", "z", "kept_old", "kept_q0", "kept_q1")}
        made |= {"y": np.zeros(s.n_v), "reaction": np.zeros(n), "weight": weight, "weight_v": self.weight, "tiles": np.zeros_like(self.x.D),
                 "bodies": np.array(pairs, np.int64).reshape(-1, 3), "links": np.array(links, np.int64).reshape(-1, 4), "rows": rows,
                 "number": number, "G": np.zeros((m, s.n_v)), "H": np.zeros((m + bodies, n_q)), "gap": np.zeros(m + bodies),
                 "norms": np.zeros(m + bodies), "order_G": np.zeros(m, np.int64), "order_H": np.zeros(m + bodies, np.int64),
                 "head_G": np.zeros(m), "head_H": np.zeros(m + bodies), "size": np.zeros(m), "K": np.zeros((s.n_v, s.n_v)),
                 "b": np.zeros(s.n_v), "total": plan.row[1:3].copy(), "power": np.zeros(2)}
        return central.Central(**made)

    def _begin(self) -> None:
        """Start values: x(-h) and a guess of x(h) by Taylor's formula."""
        w, x, h = self.work, self.x, self.step
        first, second = self._rates()
        w.q0[:] = x.q
        w.old[:], w.q1[:] = x.q - h * first + h * h / 2 * second, x.q + h * first + h * h / 2 * second
        if self.count[st.POWERED]:
            x.E[:] = 0
            run(self.programs[2], self.dynamics.system.data, x, float(self.start[0]), 0.0, 0.0, 0.0)
            w.power[:] = x.E[3:5]

    def _rates(self) -> tuple[np.ndarray, np.ndarray]:
        """First and second time derivatives of the coordinates at the start: p' = p w / 2, p'' = p w' / 2 - w.w p / 4 (quaternions)."""
        s, x = self.dynamics.system, self.x
        first, second = np.zeros_like(x.q), np.zeros_like(x.q)
        first[s.data.linear[:, 1]], second[s.data.linear[:, 1]] = x.v[s.data.linear[:, 0]], x.a[s.data.linear[:, 0]]
        for iv, iq in s.data.rotations:
            p, w, a = x.q[iq:iq + 4], x.v[iv:iv + 3], x.a[iv:iv + 3]
            first[iq:iq + 4] = _turned(p, w / 2)
            second[iq:iq + 4] = _turned(p, a / 2) - w @ w / 4 * p
        return first, second

    def _state(self) -> dict[str, np.ndarray]:
        w = self.work
        return super()._state() | {"q0": w.q0, "q1": w.q1, "old": w.old, "total": w.total, "power": w.power, "ctl": self.ctl}

    def _advance(self, steps: int) -> int:
        """At most so many steps in compiled code; returns the status."""
        s = self.dynamics.system
        return int(central.advance(*self.programs, s.data, self.x, self.work, self.ctl, self.count, s.n_v, steps, self.rows))


def _turned(p: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Quaternion product p (0, u)."""
    return np.append(-p[1:] @ u, p[0] * u + np.cross(p[1:], u))
