"""Generalized-alpha, HHT and Newmark in a run: their memory, and how a smooth interval begins."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....kernels import evaluation
from ....kernels.records import new_record
from ....kernels.state_row import parts
from ..loop.control import TURN
from ..loop.convergence import limits
from ..loop.method import Method
from . import alpha_absolute, alpha_joint
from .alpha import MEMORY, Alpha
from .alpha_error import constants
from .joint_tangents import Tangents
from .stages import Full

PROBE = 1e-3        # of the time scale: distance of the states that the first step is chosen from
FIRST = 0.25        # error of the first step, of what is allowed
PROBES, NOTABLE = 6, 1e-6  # attempts with it, and the part of the accelerations that matters
HOP = 1e-6          # of the largest step: intervals shorter than this are not looked into


class AlphaMethod(Method):
    """[alpha-1]. In absolute coordinates it holds the constraints itself."""
    degree, exponent = 3, 2
    kept = ("b0", "b1", "rate", "before", "older", "lam0", "lam1", "power0", "power1", "mass")

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        d, s, space = run.dynamics, run.dynamics.system, run.space
        self.holds, self.coarsest = space is None, 50 if space else 400
        n, n_v = (run.n_v, run.n_v) if space else (s.n, s.n_v)
        arrays = {name: np.zeros(n_v) for name in ("b0", "b1", "rate", "before", "older", "jerk", "snap", "mass")}
        arrays |= {name: np.zeros(n) for name in ("lam0", "lam1", "dq", "y", "keep")}
        record = new_record(MEMORY, **limits(option, run))
        if space:
            more = {"v": np.zeros(n), "a": np.zeros(n), "lam": np.zeros(n), "R": np.zeros(n), "weight": space.weights()[run.n_q:]}
            extra: Any = Full.of(n, run.n_q + n + 2)
            self.tangents = Tangents(run.p, space, extra)
            self.step = alpha_joint.step
        else:
            x = run.x
            more = {"v": x.v, "a": x.a, "lam": x.lam, "R": x.R, "weight": d.weights()}
            extra = alpha_absolute.Soft(s.softness, np.zeros_like(x.q))
            self.step = alpha_absolute.step
        self.own = Alpha(record, **arrays, **more, power0=np.zeros(2), power1=np.zeros(2), space=extra)
        record.alpha_m, record.alpha_f, record.beta, record.gamma = option.parameters
        record.full, record.widest = option.newton == "full", run.joint_gap

    def forget(self) -> None:
        self.own.n.factored = 0

    # -- the beginning of a smooth interval
    def begin(self, row: np.ndarray) -> None:
        n = self.own.n
        n.age, n.last_t0 = -1, np.nan
        n.factored = n.growing = n.grown = n.later = n.wait = n.held = n.kept = 0

    def begun(self) -> None:
        """Steps before the first one are as if accelerations had been constant; with error control as they have changed."""
        run, o, c = self.run, self.own, self.run.c
        a = run.steps.f0[run.n_q:run.n_q + run.n_v]
        o.b0[:] = o.before[:] = o.older[:] = a
        o.power0[:] = o.power1[:] = run.steps.f0[-2:]
        o.n.h1 = o.n.h2 = o.n.h_alg = c.next
        if not self.holds:
            return
        o.lam0[:] = o.lam1[:] = run.x.lam
        if c.fixed:
            return
        o.mass[:] = np.diagonal(self.masses(), 0, 1, 2).ravel()
        h, jerk, error = float(c.next), self._jerk, self._error
        shift = constants.py_func(o.n)[0]
        n_v = run.n_v
        o.b0[:] += shift * h * jerk[:n_v]
        o.before[:] -= h * jerk[:n_v]
        o.older[:] = o.before
        if run.dynamics.system.n > n_v:
            self._carry(h * h * error)

    def first_step(self) -> float:
        """From the derivatives of accelerations, as the local error will be."""
        if not self.holds:
            return super().first_step()
        run, c, s, weight = self.run, self.run.c, self.run.dynamics.system, self.own.weight
        row = run.row_now()
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        _, cq, cv = constants.py_func(self.own.n)
        a, v = (float(abs(p[name] * weight).max(initial=0.0)) for name in "av")
        c.speed = max(float(c.speed), v, np.sqrt(a), 1e-3 / run.duration)
        jerk, snap = self._derivatives(row, float(c.speed) / max(a, 1e-300), 1 / max(v, 1e-300))
        error = cq * jerk
        for i in s.data.rotations[:, 0]:
            error[i:i + 3] += np.cross(p["v"][i:i + 3], p["a"][i:i + 3]) / 12
        rate = max(float(abs(error * weight).max()), float(abs(cv * snap * weight).max()) / float(c.speed))
        fastest = max((float(np.linalg.norm(p["v"][i:i + 3])) for i in s.data.rotations[:, 0]), default=0.0)
        self._jerk, self._error = jerk, error
        h = min(np.sqrt(FIRST * c.eps / max(rate, 1e-300)), c.most / 5, 0.8 * TURN / max(fastest, 1e-300))
        return float(min(h, (c.stop - c.now) / 2))

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
        w, n_q = run.steps, run.n_q
        w.y0[n_q:n_q + s.n_v] += d.solve(b)[:s.n_v]
        w.y1[:] = w.y0

    def _derivatives(self, row: np.ndarray, *scales: float) -> tuple[np.ndarray, np.ndarray]:
        """a' and a'' at the start of an interval, from accelerations at two states shortly after."""
        run, c, s, weight = self.run, self.run.c, self.run.dynamics.system, self.own.weight
        left = c.stop - c.now
        dt = PROBE * min(*scales, run.duration, 100 * left if left > HOP * c.most else np.inf)
        a0 = parts(row[None, :], s.q0.size, s.n)["a"][0]
        least = NOTABLE * (float(abs(a0 * weight).max(initial=0.0)) + float(c.speed) ** 2)
        jerk = snap = np.zeros(s.n)
        try:
            for _ in range(PROBES):
                first, _ = self._difference(row, a0, np.zeros(s.n), dt)
                jerk, snap = self._difference(row, a0, first, dt)  # along a better path
                change, size = (float(abs(x * weight).max(initial=0.0)) for x in (jerk - first, jerk))
                if change <= size / 4 or change * dt <= least:
                    break
                dt /= 20  # too far ahead
        except ValueError:  # a function that is not finite there: the run will say so
            return np.zeros(s.n), np.zeros(s.n)
        return np.nan_to_num(jerk), np.nan_to_num(snap)

    def _difference(self, row: np.ndarray, a0: np.ndarray, jerk: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """a' and a'' from accelerations after dt and 2 dt, where the motion goes with a0 and ``jerk``."""
        s = self.run.dynamics.system
        ahead = np.stack([row, row])
        p = parts(ahead, s.q0.size, s.n)
        for k, t in enumerate((dt, 2 * dt)):
            ahead[k, 0] += t
            evaluation.retract(s.data, p["q"][k].copy(), p["v"][k] + t / 2 * a0 + t * t / 6 * jerk, t, p["q"][k])
            p["v"][k] += t * a0 + t * t / 2 * jerk
        self.run.dynamics.refine(ahead)
        a1, a2 = p["a"]
        with np.errstate(over="ignore", invalid="ignore"):  # where nothing resists a motion; the run tells
            return (4 * a1 - a2 - 3 * a0) / (2 * dt), (a2 - 2 * a1 + a0) / dt**2
