"""DIMCD in a run."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....items.errors import ModelError
from ....kernels.records import new_record
from ..implicit.alpha_method import rounding
from ..loop.method import Method
from .dimcd_step import MEMORY, Central, step
from .rigid_only import refuse_modal

MOST_BODIES = 120  # that dense linear algebra is good for


class DIMCDMethod(Method):
    """[dimcd-1]. A row belongs to the time of an equilibrium, so positions are known one step further."""
    step = step
    holds = True

    def __init__(self, option: Any, run: Any) -> None:
        s = run.dynamics.system
        refuse_modal(option, run.dynamics, "its coordinates are positions and quaternions of rigid bodies")
        if s.n_v > 6 * MOST_BODIES:
            raise ModelError(f"simulate: integrator dimcd: {s.n_v // 6} bodies, its dense equations are good for up to {MOST_BODIES}; take "
                             "another integrator")
        super().__init__(option, run)
        self.own = self._arrays()
        n, d, form = self.own.n, run.dynamics, run.formulation
        n.tolerance, n.floor, n.rounding = option.tolerance, d.gravity / d.length + 1e-9, rounding(run)
        n.least, n.closed, n.length, n.most_iterations = form.rank, form.tolerance, d.length, option.max_iterations

    def _arrays(self) -> Central:
        run, s = self.run, self.run.dynamics.system
        n, n_q, bodies = s.n, s.q0.size, s.n_v // 6
        rows = np.array([6 * j.tile + i for j in s.joints for i in range(j.used)], np.int64)
        number = np.full(n, -1, np.int64)
        number[rows] = np.arange(rows.size)
        iq = {int(v) // 6: int(q) - 3 for v, q in s.data.rotations}
        links = [(s.block[j.tile, k], 6 * j.tile, 6 * k, iq[k]) for j in s.joints for k in j.bodies]
        pairs = [(t, 6 * i, 6 * k) for (i, k), t in s.block.items() if i < bodies and k < bodies]
        weight = np.full(n_q, 2.0)
        weight[s.data.linear[:, 1]] = 1 / run.dynamics.length
        m = rows.size
        made: dict[str, np.ndarray] = {name: np.zeros(n_q) for name in ("q0", "q1", "old", "dq", "z", "kept_old", "kept_q0", "kept_q1")}
        made |= {"y": np.zeros(s.n_v), "reaction": np.zeros(n), "weight": weight, "weight_v": run.dynamics.weights(),
                 "tiles": np.zeros_like(run.x.D),
                 "bodies": np.array(pairs, np.int64).reshape(-1, 3), "links": np.array(links, np.int64).reshape(-1, 4), "rows": rows,
                 "number": number, "G": np.zeros((m, s.n_v)), "H": np.zeros((m + bodies, n_q)), "gap": np.zeros(m + bodies),
                 "norms": np.zeros(m + bodies), "order_G": np.zeros(m, np.int64), "order_H": np.zeros(m + bodies, np.int64),
                 "head_G": np.zeros(m), "head_H": np.zeros(m + bodies), "size": np.zeros(m), "K": np.zeros((s.n_v, s.n_v)),
                 "b": np.zeros(s.n_v)}
        return Central(n=new_record(MEMORY), **made)

    def state(self) -> dict[str, np.ndarray]:
        o = self.own
        return {"q0": o.q0, "q1": o.q1, "old": o.old}

    def records(self) -> dict[str, Any]:
        return {"numbers": self.own.n}

    def restless(self) -> np.ndarray:
        n_v = self.run.n_v
        return np.asarray(abs(self.run.x.R[:n_v] * self.own.weight_v[:n_v]))

    def begun(self) -> None:
        """Start values: x(-h) and a guess of x(h) by Taylor's formula."""
        o, x, h = self.own, self.run.x, self.run.step
        first, second = self._rates()
        o.n.begun = 0
        o.q0[:] = x.q
        o.old[:], o.q1[:] = x.q - h * first + h * h / 2 * second, x.q + h * first + h * h / 2 * second

    def _rates(self) -> tuple[np.ndarray, np.ndarray]:
        """First and second time derivatives of the coordinates at the start: p' = p w / 2, p'' = p w' / 2 - w.w p / 4 (quaternions)."""
        s, x = self.run.dynamics.system, self.run.x
        first, second = np.zeros_like(x.q), np.zeros_like(x.q)
        first[s.data.linear[:, 1]], second[s.data.linear[:, 1]] = x.v[s.data.linear[:, 0]], x.a[s.data.linear[:, 0]]
        for iv, iq in s.data.rotations:
            p, w, a = x.q[iq:iq + 4], x.v[iv:iv + 3], x.a[iv:iv + 3]
            first[iq:iq + 4] = _turned(p, w / 2)
            second[iq:iq + 4] = _turned(p, a / 2) - w @ w / 4 * p
        return first, second


def _turned(p: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Quaternion product p (0, u)."""
    return np.append(-p[1:] @ u, p[0] * u + np.cross(p[1:], u))
