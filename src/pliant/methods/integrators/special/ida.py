"""SUNDIALS IDA through scikit-sundae (extra ``ida``): a program nobody here has written integrates the same equations.

    q' = B(q) (v - C_q^T mu),  M v' + C_q^T lam = f,  C - s mu = 0,  C_q v + C_t - s lam = 0                    [ida-1]

and the rates of dissipated energy and work, with a small softness s on the multipliers. Redundant constraints are
refused. Quaternions are four plain numbers. The residual is evaluated from Python, its Jacobian by differences inside
IDA: for checks, not for speed; at singular positions its steps become very small.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ....items.errors import ModelError, SimulationError
from ....kernels import evaluation
from ....kernels.state_row import parts
from ....kernels.status import DONE, MORE, NOT_FINITE
from ..base import Plan
from ..time_loop.run import Run
from .dimcd import coordinate_rates

SOFTNESS = 1e-6   # of the regularisation of the tile solver
FREE = 1e20       # tolerance of multipliers: they follow from the rest
MOST_STEPS = 100_000  # between two rows
PROPER = 0.01     # errors grow on their way: tolerances of a step, of the accuracy


class IDARun(Run):
    """One integration in progress, row by row. ``y``, ``yp``: q, v, energies, lam, mu and their rates."""

    def __init__(self, method: Any, plan: Plan) -> None:
        try:
            from sksundae.ida import IDA
        except ImportError as error:
            raise ModelError("simulate: integrator ida needs scikit-sundae: pip install 'pliant[ida]'") from error
        self.solver_class, self.order = IDA, method.max_order
        if not plan.dynamics.unique_reactions:
            raise ModelError("simulate: integrator ida does not bear redundant joints, which make its equations "
                             "singular; pliant check names them. Take another integrator, such as radau-iia-5 or bdf")
        if plan.dynamics.system.discrete:
            raise ModelError("simulate: integrator ida: it cannot stop at instants of sampled blocks, events or delays; take another, such "
                             "as bdf or radau-iia-5")
        super().__init__(method, plan)
        self._plan_intervals(plan, 1)
        s = self.dynamics.system
        self.rates = s.program("rates")
        self.bodies, self.equations = s.active[s.active < s.n_v], s.active[s.active >= s.n_v]
        self.totals, row = plan.row[1:3].copy(), plan.row
        if plan.memory:
            self._restore(plan.memory)
            row = self.ahead(self.t)
            self.dynamics.refine(row[None, :])
        self._begin(row)
        self._store()

    @property
    def tried(self) -> tuple[float, float]:
        return self.t, self.step

    def _state(self) -> dict[str, np.ndarray]:
        return super()._state() | {"totals": self.totals}

    def _split(self, y: np.ndarray) -> list[np.ndarray]:
        return np.split(y, np.cumsum([self.x.q.size, self.bodies.size, 2, self.equations.size]))

    def _run(self, program: evaluation.Program, t: float) -> None:
        evaluation.run(program, self.dynamics.system.data, self.x, t, 0.0, 0.0, 0.0)

    def residual(self, t: float, y: np.ndarray, yp: np.ndarray, out: np.ndarray) -> None:
        """[ida-1]"""
        s, x, bodies, equations = self.dynamics.system, self.x, self.bodies, self.equations
        q, v, _, lam, mu = self._split(y)
        qp, vp, ep, _, _ = self._split(yp)
        x.q[:], x.v[bodies], x.a[:], x.lam[:] = q, v, 0, 0
        self._run(self.programs[0], t)
        plain, gap = x.R[bodies].copy(), x.R[equations].copy()
        x.lam[equations] = mu
        self._run(self.programs[0], t)
        shift = np.zeros(s.n)
        shift[bodies] = v - (x.R[bodies] - plain)
        x.a[bodies], x.lam[equations] = vp, lam
        self._run(self.programs[0], t)
        motion = x.R[bodies].copy()
        x.V[:], x.E[:] = 0, 0
        self._run(self.rates, t)
        if self.num.powered:
            self._run(self.programs[2], t)
        soft = SOFTNESS * s.softness[equations]
        out[:] = np.concatenate([qp - coordinate_rates(s.data, q, shift), motion, ep - x.E[3:5], gap - soft * mu,
                                 x.V[equations] - soft * lam])

    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state: a solver that knows nothing of what was before."""
        s, c, d, w = self.dynamics.system, self.c, self.dynamics, self.dynamics.weights()
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        self._next_stop(row[0])
        c.now = row[0]
        zero = np.zeros(self.equations.size)
        self.y = np.concatenate([p["q"], p["v"][self.bodies], row[1:3], p["lam"][self.equations], zero])
        rates = coordinate_rates(s.data, p["q"], p["v"])
        self.yp = np.concatenate([rates, p["a"][self.bodies], np.zeros(2), zero, zero])
        self.residual(float(row[0]), self.y, self.yp, np.zeros_like(self.y))
        self._split(self.yp)[2][:] = self.x.E[3:5]
        weight = np.ones(s.q0.size)
        weight[s.metres[:, 1]] = d.length
        speed = max(float(abs(p["v"] * w).max(initial=0.0)), np.sqrt(d.gravity / d.length), 1e-3)
        unit = speed / np.where(w > 0, w, 1.0)
        for state in s.states:
            unit[state.iv] = max(state.nominal, abs(p["v"][state.iv]))
        atol = PROPER * (self.accuracy or 1e-6) * np.concatenate([weight, unit[self.bodies]])
        atol = np.concatenate([atol, np.full(2 + 2 * zero.size, FREE)])
        algebraic = np.arange(self.y.size - 2 * zero.size, self.y.size)
        self.solver = self.solver_class(self.residual, algebraic_idx=algebraic, rtol=1e-14, atol=atol,
                                        max_order=self.order, max_num_steps=MOST_STEPS, max_step=c.most)
        self.solver.init_step(float(row[0]), self.y, self.yp)
        self.x.H[:] = p["H"]
        self._keep()

    def _pass_limit(self) -> None:
        """The solver keeps its largest step for life."""
        self._begin(self.ahead(self.t))

    def _keep(self) -> None:
        """What the solver has come to, in x."""
        self.x.q[:], self.x.v[self.bodies], self.totals[:] = self._split(self.y)[:3]
        self.x.a[self.bodies] = self._split(self.yp)[1]

    def _advance(self, steps: int) -> int:
        """Up to the next row, or to the end of a smooth piece."""
        c = self.c
        c.stored = 0
        due = c.output <= c.outputs
        target = self.due[c.output - 1] if due else c.last
        t = min(float(target), float(c.stop))
        if t > self.t:
            found = self.solver.step(t, tstop=float(c.stop))
            if self.dynamics.system.failures:
                return NOT_FINITE
            if not found.success:
                raise SimulationError.stopped(self.t, f"IDA says: {found.message}",
                                              "Ask for less accuracy, or take another integrator", "newton-failed")
            self.y, self.yp = np.asarray(found.y, float).ravel(), np.asarray(found.yp, float).ravel()
            c.h1, c.now = t - self.t, t
            c.steps += 1
            self._keep()
            if c.histories:
                self._run(self.programs[3], t)
        if due and t >= target:
            self.rows[0] = self.ahead(self.t)
            self.rows[0, 0] = t
            c.stored, c.output = 1, c.output + 1
        return DONE if t >= c.stop else MORE
