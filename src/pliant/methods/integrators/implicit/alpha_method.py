"""Generalized-alpha, HHT and Newmark in a run: their memory, and how a smooth interval begins."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....kernels import evaluation
from ....kernels.records import new_record
from ....kernels.state_row import parts
from ..time_loop.convergence import limits
from ..time_loop.method import Method
from .alpha import in_absolute, in_joint
from .alpha_absolute import Soft
from .alpha_memory import MEMORY, Alpha, constants
from .joint import Tangents
from .method import BRIEF
from .stages import Full

PROBE = 1e-3        # of the time scale: distance of the states that the first step is chosen from
FIRST = 0.05        # error of the first step, of what is allowed
_constants = getattr(constants, "py_func", constants)  # in Python


class AlphaMethod(Method):
    """[alpha-1]. In absolute coordinates it holds the constraints itself."""
    degree, exponent, brief = 3, 2, BRIEF
    kept = ("b0", "b1", "rate", "clean", "clean0", "before", "older", "lam0", "lam1", "power0", "power1", "mass")

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        d, s, space = run.dynamics, run.dynamics.system, run.space
        self.holds, self.coarsest = space is None, 50 if space else 400
        n, n_v = (run.n_v, run.n_v) if space else (s.n, s.n_v)
        arrays = {name: np.zeros(n_v) for name in ("b0", "b1", "rate", "clean", "clean0", "before", "older", "jerk", "snap", "mass")}
        arrays |= {name: np.zeros(n) for name in ("lam0", "lam1", "dq", "y", "keep", "keep_v", "keep_lam")}
        record = new_record(MEMORY, **limits(option, run))
        if space:
            more = {"v": np.zeros(n), "a": np.zeros(n), "lam": np.zeros(n), "R": np.zeros(n), "weight": space.weights()[run.n_q:]}
            extra: Any = Full.of(n, run.n_q + n + 2)
            self.tangents = Tangents(run.p, space, extra)
            self.step = in_joint[run.c.fixed]
        else:
            x = run.x
            more = {"v": x.v, "a": x.a, "lam": x.lam, "R": x.R, "weight": d.weights()}
            extra = Soft(s.softness, np.zeros_like(x.q))
            self.step = in_absolute[run.c.fixed]
        self.own = Alpha(record, **arrays, **more, power0=np.zeros(2), power1=np.zeros(2), space=extra)
        record.alpha_m, record.alpha_f, record.beta, record.gamma = option.parameters
        record.full, record.widest = option.newton == "full", run.joint_gap

    def forget(self) -> None:
        self.own.n.factored = 0

    # -- the beginning of a smooth interval
    def begin(self, row: np.ndarray) -> None:
        n = self.own.n
        n.age, n.told, n.last_t0 = -1, -1, np.nan
        n.factored = n.cleaning = n.growing = n.grown = n.later = n.wait = n.held = n.kept = 0

    def begun(self) -> None:
        """Steps before the first one are as if accelerations had been constant; with error control as they have changed."""
        run, o, h = self.run, self.own, float(self.run.c.next)
        o.b0[:] = o.before[:] = o.older[:] = run.steps.f0[run.n_q:run.n_q + run.n_v]
        o.power0[:] = o.power1[:] = run.steps.f0[-2:]
        o.n.h1 = o.n.h2 = o.n.h_alg = h
        if not self.holds:
            return
        o.lam0[:] = o.lam1[:] = run.x.lam
        if not run.c.fixed:
            o.b0[:] += _constants(o.n)[0] * h * self._jerk
            o.before[:] -= h * self._jerk
            o.older[:] = o.before
            o.mass[:] = np.diagonal(self.masses(), 0, 1, 2).ravel()
            self._carry(h * h * self._error)

    def first_step(self) -> float:
        """From the change of accelerations shortly after the start, as the local error will be."""
        if not self.holds:
            return super().first_step()
        run, c, x, weight, d = self.run, self.run.c, self.run.x, self.own.weight, self.run.dynamics
        a, v, left = *(float(abs(y * weight).max(initial=0.0)) for y in (x.a, x.v)), float(c.stop - c.now)
        speed = max(v, np.sqrt(a), 1e-3 / run.duration)
        dt = max(float(c.least), PROBE * min(speed / max(a, 1e-300), 1 / max(v, 1e-300), run.duration, 100 * left))
        ahead = run.ahead(run.t + dt)
        try:
            d.refine(ahead[None, :])
        except ValueError:  # a function that is not finite there: the run will say so
            ahead = run.ahead(run.t)
        with np.errstate(over="ignore", invalid="ignore"):  # where nothing resists a motion; the run tells
            jerk = np.nan_to_num((parts(ahead[None, :], x.q.size, x.v.size)["a"][0] - x.a) / dt)
            self._error, self._jerk = _constants(self.own.n)[1] * jerk, jerk[:run.n_v]
        for i in d.system.data.rotations[:, 0]:
            self._error[i:i + 3] += np.cross(x.v[i:i + 3], x.a[i:i + 3]) / 12
        rate = float(abs(self._error * weight).max(initial=0.0))
        h = min(np.sqrt(FIRST * c.eps / max(rate, 1e-300)), c.most / 5, float(c.next))
        return float(min(h, left / 2))

    def _carry(self, y: np.ndarray) -> None:
        """Add to the velocities what y has across the constraints                                              [alpha-9]"""
        run, d, s, x = self.run, self.run.dynamics, self.run.dynamics.system, self.run.x
        rates, before, b = s.program("rates"), x.v.copy(), np.zeros(s.n)
        for sign, v in ((-1, before), (1, before + y)):
            x.v[:], x.V[:] = v, 0
            evaluation.run(rates, s.data, x, run.t, 0.0, 0.0, 0.0)
            b[s.n_v:] += sign * x.V[s.n_v:]
        x.v[:] = before
        d.x.q[:], d.x.v[:], d.x.H[:] = x.q, x.v, x.H
        d._matrix()
        run.steps.y0[run.n_q:run.n_q + s.n_v] += d.solve(b)[:s.n_v]
        run.steps.y1[:] = run.steps.y0
