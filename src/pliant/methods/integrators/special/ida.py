"""SUNDIALS IDA through scikit-sundae (extra ``ida``): a program nobody here has written integrates the same equations.

    q' = B(q) (v - C_q^T mu),  M v' + C_q^T lam = f,  C - s mu = 0,  C_q v + C_t - s lam = 0                      [ida-1]

and the rates of dissipated energy and work, with a small softness s on the multipliers. Redundant constraints are refused.
Quaternions are four plain numbers. The residual is evaluated from Python and its Jacobian by differences inside IDA: for checks, not for
speed; at singular positions its steps become very small.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ....items.errors import ModelError, SimulationError
from ....kernels import evaluation
from ....kernels.state_row import parts
from ....kernels.status import DONE, MORE, NOT_FINITE
from ..base import Plan
from ..loop.run import Run
from ..loop.stops import function_fault

SOFTNESS = 1e-6   # of the regularisation of the tile solver
FREE = 1e20       # tolerance of multipliers: they follow from the rest
MOST_STEPS = 100_000  # between two rows
PROPER = 0.01     # errors grow on their way: tolerances of a step, of the accuracy


class IDARun(Run):
    """One integration in progress, row by row."""

    def __init__(self, method: Any, plan: Plan) -> None:
        try:
            from sksundae.ida import IDA
        except ImportError as error:
            raise ModelError("simulate: integrator ida needs scikit-sundae: pip install 'pliant[ida]'") from error
        self.solver_class, self.order = IDA, method.max_order
        if not plan.dynamics.unique_reactions:
            raise ModelError("simulate: integrator ida does not bear redundant joints, which make its equations singular; pliant check "
                             "names them. Take another integrator, such as radau-iia-5 or bdf")
        super().__init__(method, plan)
        self._plan_intervals(plan, 1)
        s = self.dynamics.system
        self.rates = s.program("rates")
        self.bodies = s.active[s.active < s.n_v]
        self.equations = s.active[s.active >= s.n_v]
        self.totals = plan.row[1:3].copy()
        self.state = np.zeros(s.q0.size + s.n_v)
        if plan.memory:
            self._restore(plan.memory)
            row = self.start.copy()
            row[0], row[1:3] = self.t, self.totals
            p = parts(row[None, :], s.q0.size, s.n)
            p["q"][0][:], p["v"][0][:s.n_v] = self.state[:s.q0.size], self.state[s.q0.size:]
            self.dynamics.refine(row[None, :])
        else:
            row = plan.row
        self._begin(row)
        self._store(2)

    @property
    def tried(self) -> tuple[float, float]:
        return self.t, self.step

    def _state(self) -> dict[str, np.ndarray]:
        return super()._state() | {"state": self.state, "totals": self.totals}

    def violation(self, rows: float) -> float:
        return rows

    # -- the equations
    def _split(self, y: np.ndarray) -> list[np.ndarray]:
        """q, v, energies, lam, mu"""
        n_e = self.equations.size
        return np.split(y, np.cumsum([self.x.q.size, self.bodies.size, 2, n_e]))

    def residual(self, t: float, y: np.ndarray, yp: np.ndarray, out: np.ndarray) -> None:
        """[ida-1]"""
        s, x = self.dynamics.system, self.x
        q, v, _, lam, mu = self._split(y)
        qp, vp, ep, _, _ = self._split(yp)
        x.q[:], x.v[self.bodies], x.a[:], x.lam[:] = q, v, 0, 0
        evaluation.run(self.programs[0], s.data, x, t, 0.0, 0.0, 0.0)
        plain, gap = x.R[self.bodies].copy(), x.R[self.equations].copy()
        x.lam[self.equations] = mu
        evaluation.run(self.programs[0], s.data, x, t, 0.0, 0.0, 0.0)
        shift = np.zeros(s.n)
        shift[self.bodies] = v - (x.R[self.bodies] - plain)
        x.a[self.bodies], x.lam[self.equations] = vp, lam
        evaluation.run(self.programs[0], s.data, x, t, 0.0, 0.0, 0.0)
        motion = x.R[self.bodies].copy()
        x.V[:] = 0
        evaluation.run(self.rates, s.data, x, t, 0.0, 0.0, 0.0)
        soft = SOFTNESS * s.softness[self.equations]
        power = np.zeros(2)
        if self.num.powered:
            x.E[:] = 0
            evaluation.run(self.programs[2], s.data, x, t, 0.0, 0.0, 0.0)
            power = x.E[3:5]
        out[:] = np.concatenate([qp - self._rates(q, shift), motion, ep - power, gap - soft * mu, x.V[self.equations] - soft * lam])

    def _rates(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        d, out = self.dynamics.system.data, np.zeros_like(q)
        out[d.linear[:, 1]] = v[d.linear[:, 0]]
        for iv, iq in d.rotations:
            u, w = q[iq + 1:iq + 4], v[iv:iv + 3] / 2
            out[iq], out[iq + 1:iq + 4] = -u @ w, np.cross(u, w) + q[iq] * w
        return out

    def _residual_of_energies(self, t: float) -> np.ndarray:
        out = np.zeros_like(self.y)
        self.residual(t, self.y, self.yp, out)
        return self._split(out)[2]

    # -- the run
    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state: a solver that knows nothing of what was before."""
        s, c = self.dynamics.system, self.c
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        self._next_stop(row[0])
        c.now = row[0]
        zero = np.zeros(self.equations.size)
        self.y = np.concatenate([p["q"], p["v"][self.bodies], row[1:3], p["lam"][self.equations], zero])
        self.yp = np.concatenate([self._rates(p["q"], p["v"]), p["a"][self.bodies], np.zeros(2), zero, zero])
        self.yp[s.q0.size + self.bodies.size:][:2] = -self._residual_of_energies(float(row[0]))
        weight = np.ones(s.q0.size)
        weight[s.data.linear[:, 1]] = self.dynamics.length
        d, w = self.dynamics, self.dynamics.weights()
        speed = max(float(abs(p["v"] * w).max(initial=0.0)), np.sqrt(d.gravity / d.length), 1e-3)
        sizes = speed / w[self.bodies]
        atol = PROPER * (self.accuracy or 1e-6) * np.concatenate([weight, sizes])
        tolerance = np.concatenate([atol, np.full(2 + 2 * zero.size, FREE)])
        algebraic = np.arange(self.y.size - 2 * zero.size, self.y.size)
        self.solver = self.solver_class(self.residual, algebraic_idx=algebraic, rtol=1e-14, atol=tolerance, max_order=self.order,
                                        max_num_steps=MOST_STEPS, max_step=c.most)
        self.solver.init_step(float(row[0]), self.y, self.yp)
        self.x.H[:] = p["H"]
        self._keep()

    def _keep(self) -> None:
        n_q, s = self.x.q.size, self.dynamics.system
        self.state[:n_q], self.state[n_q:] = self.y[:n_q], 0
        self.state[n_q + self.bodies] = self.y[n_q:n_q + self.bodies.size]
        self.x.q[:], self.x.v[:s.n_v] = self.state[:n_q], self.state[n_q:]
        self.totals[:] = self._split(self.y)[2]

    def _advance(self, steps: int) -> int:
        """Up to the next row, or to the end of a smooth piece."""
        c = self.c
        c.stored = 0
        target = c.last if c.output == c.outputs else c.first + c.output * c.out_step
        t = min(float(target), float(c.stop))
        if t > self.t:
            found = self.solver.step(t, tstop=float(c.stop))
            if self.dynamics.system.failures:
                return NOT_FINITE
            if not found.success:
                raise SimulationError.stopped(self.t, f"IDA says: {found.message}", "Ask for less accuracy, "
                                              "or take another integrator",
                                              "newton-failed")
            before = self.t
            self.y, self.yp = np.asarray(found.y, float).ravel(), np.asarray(found.yp, float).ravel()
            c.now, c.h1 = t, t - before
            c.steps += 1
            self._keep()
            self.x.a[self.bodies] = self.yp[self.x.q.size:self.x.q.size + self.bodies.size]
            if c.histories:
                evaluation.run(self.programs[3], self.dynamics.system.data, self.x, t, 0.0, 0.0, 0.0)
        if t >= target:
            row = self.rows[0]
            row[:] = 0
            s = self.dynamics.system
            p = parts(self.rows[:1], s.q0.size, s.n)
            row[0], row[1:3] = t, self.totals
            p["q"][0][:], p["v"][0][:s.n_v], p["H"][0][:] = self.x.q, self.x.v[:s.n_v], self.x.H
            c.stored, c.output = 1, c.output + 1
        return DONE if t >= c.stop else MORE

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        if faults:
            raise function_fault(faults[0], self.t)
        super()._recover(status, faults)
