"""Runs with error control: smooth pieces between the jumps of functions, each begun from consistent values."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...items.errors import SimulationError
from ...kernels import evaluation
from ...kernels.expression_vm import JUMPS
from ...kernels.state_row import parts
from ...kernels.status import OPEN, UNDERFLOW
from . import adaptive, local_error
from . import control_memory as ad
from . import stepper as st
from .base import Plan
from .generalized_alpha import AlphaRun
from .pieces import UNSEEN, Pieces
from .run import STICKY

PROBE = 1e-3        # of the time scale: distance of the states that the first step is chosen from
FIRST = 0.25        # error of the first step, of what is allowed
COARSEST = 400      # steps at least
PROBES, NOTABLE = 6, 1e-6  # attempts with it, and the part of the accelerations that matters
HOP = 1e-6          # of a step: pieces shorter than this are passed by one term of Taylor's series


class ControlledRun(Pieces, AlphaRun):
    """One integration in progress, to the accuracy ``epsilon`` per second (per run, if that is shorter)."""

    def __init__(self, method: Any, plan: Plan) -> None:
        s = plan.dynamics.system
        self._plan_pieces(plan, COARSEST)
        arrays = {name: np.zeros(s.n) for name in ad.History._fields}
        arrays |= {"q": np.zeros(s.q0.size), "H0": np.zeros(s.histories), **{name: np.zeros(2) for name in ("total0", "power0", "power1")}}
        self.history = ad.History(**arrays)
        self.massless = bool(plan.dynamics.massless())
        super().__init__(method, plan._replace(step=self.duration / plan.outputs, steps=plan.outputs, stride=1))
        self._choose_solver()

    def _start(self, memory: dict[str, np.ndarray] | None) -> None:
        """The memory of an earlier run, whose outputs may have been fewer; or a first piece."""
        if memory:
            self._restore_pieces(memory)
        else:
            s, d = self.dynamics.system, self.dynamics
            d._matrix()
            for k in range(s.n_v // 6):
                self.history.mass[6 * k:6 * k + 6] = np.diag(d.tiles[s.block[k, k]])
            self._begin(self.start)

    def _state(self) -> dict[str, np.ndarray]:
        more = {f"control_{name}": array for name, array in self.history._asdict().items()}
        return super()._state() | more | {"aim": self.aim, "note": self.note}

    @property
    def totals(self) -> np.ndarray:
        return self.work.total

    def violation(self, rows: float) -> float:
        return float(self.aim[ad.GAP])

    def _advance(self, steps: int) -> int:
        """At most so many steps; first what is left to keep of the last one, as a checkpoint cannot lie between its rows."""
        s, rates = self.dynamics.system, self.dynamics.system.program("rates")
        residual, tangent, power, history = self.programs
        return int(adaptive.advance(residual, tangent, rates, power, history, s.data, s.lu, self.x, self.work, self.history, self.ctl,
                                    self.count, self.aim, self.note, s.n_v, 0 if self.pending else steps, self.rows))

    @property
    def pending(self) -> bool:
        """Whether the last step has passed output times that there was no room for."""
        return bool(self.count[st.STORED] == len(self.rows))

    def _choose_solver(self) -> None:
        """Bodies without inertia have no pivots: the solver of last resort from the start, as wrong factors would also spoil what
        a change of step does."""
        if self.massless:
            self.count[st.FALLBACK], self.aid[STICKY] = self.fallback.address, True

    def _note(self) -> None:
        if not self.pending:
            super()._note()
            self._choose_solver()

    # -- the beginning of a smooth piece
    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state: the first step, and a memory of the method as if it had made steps before."""
        s, x, w, aim = self.dynamics.system, self.x, self.work, self.aim
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        for name in ("q", "v", "a", "lam", "H"):
            getattr(x, name)[:] = p[name]
        self.stops = [stop for stop in self.stops if stop[1] > row[0]]
        aim[ad.NOW], aim[ad.STOP] = row[0], self.stops[0][0] if self.stops else self.end
        shift, cq, cv = local_error.constants.py_func(self.ctl)
        a, v = (float(abs(p[name] * w.weight).max(initial=0.0)) for name in "av")
        aim[ad.SPEED] = max(aim[ad.SPEED], v, np.sqrt(a), 1e-3 / self.duration)
        jerk, snap = self._derivatives(row, aim[ad.SPEED] / max(a, 1e-300), 1 / max(v, 1e-300))
        error = cq * jerk
        for i in s.data.rotations[:, 0]:
            error[i:i + 3] += np.cross(p["v"][i:i + 3], p["a"][i:i + 3]) / 12
        rate = max(float(abs(error * w.weight).max()), float(abs(cv * snap * w.weight).max()) / aim[ad.SPEED])
        h, left = min(np.sqrt(FIRST * aim[ad.EPS] / max(rate, 1e-300)), aim[ad.MOST] / 5, self._turning(p["v"])), aim[ad.STOP] - aim[ad.NOW]
        if self.stops and left <= HOP * h:
            self._restart(self.stops[0][1])
        else:
            self._remember(min(h, left / 2), shift, jerk, error)

    def _turning(self, v: np.ndarray) -> float:
        """The step in which the fastest body turns by what is allowed."""
        fastest = max((float(np.linalg.norm(v[i:i + 3])) for i in self.dynamics.system.data.rotations[:, 0]), default=0.0)
        return 0.8 * adaptive.TURN / max(fastest, 1e-300)

    def _remember(self, h: float, shift: float, jerk: np.ndarray, error: np.ndarray) -> None:
        """alg at t + Delta h, the acceleration one step before, and the velocity error that steps of h carry      [alpha-9]"""
        s, x, w, aim, note = self.dynamics.system, self.x, self.work, self.aim, self.note
        w.alg[:], w.a1[:], w.lam1[:] = x.a + shift * h * jerk, x.a - h * jerk, x.lam
        self.history.a2[:] = w.a1
        aim[[ad.H_ALG, ad.H1, ad.H2, ad.NEXT]], aim[[ad.H_BAD, ad.USUAL]] = h, 0.0
        note[[ad.AGE, ad.STAGNANT, ad.GROWN, ad.LATER, ad.WAIT, ad.HELD, ad.TARGET]] = 0
        self.count[st.FACTORS_OK], note[ad.FRESH] = 0, 1
        if s.n > s.n_v:
            self._carry(h * h * error)
        if self.count[st.POWERED]:
            x.E[:] = 0
            evaluation.run(self.programs[2], s.data, x, self.t, 0.0, 0.0, 0.0)
            w.power[:] = x.E[3:5]
        evaluation.run(self.programs[0], s.data, x, self.t, 1.0, 0.0, 0.0)
        aim[ad.BRANCH] = x.W[JUMPS]

    def _carry(self, y: np.ndarray) -> None:
        """Add to the velocities what y has across the constraints."""
        d, s, x = self.dynamics, self.dynamics.system, self.x
        rates, before, b = s.program("rates"), x.v.copy(), np.zeros(s.n)
        for sign, v in ((-1, before), (1, before + y)):
            x.v[:], x.V[:] = v, 0
            evaluation.run(rates, s.data, x, self.t, 0.0, 0.0, 0.0)
            b[s.n_v:] += sign * x.V[s.n_v:]
        x.v[:] = before
        d.x.q[:], d.x.v[:], d.x.H[:] = x.q, x.v, x.H
        d._matrix()
        x.v[:s.n_v] += d.solve(b)[:s.n_v]

    def _derivatives(self, row: np.ndarray, *scales: float) -> tuple[np.ndarray, np.ndarray]:
        """a' and a'' at the start of a piece, from accelerations at two states shortly after."""
        s = self.dynamics.system
        left = self.aim[ad.STOP] - self.aim[ad.NOW]
        dt = PROBE * min(*scales, self.duration, 100 * left if left > HOP * self.aim[ad.MOST] else np.inf)
        a0 = parts(row[None, :], s.q0.size, s.n)["a"][0]
        least = NOTABLE * (float(abs(a0 * self.work.weight).max(initial=0.0)) + self.aim[ad.SPEED] ** 2)
        jerk = snap = np.zeros(s.n)
        try:
            for _ in range(PROBES):
                first, _ = self._difference(row, a0, np.zeros(s.n), dt)
                jerk, snap = self._difference(row, a0, first, dt)  # along a better path
                change, size = (float(abs(x * self.work.weight).max(initial=0.0)) for x in (jerk - first, jerk))
                if change <= size / 4 or change * dt <= least:
                    break
                dt /= 20  # too far ahead
        except ValueError:  # a function that is not finite there: the run will say so
            return np.zeros(s.n), np.zeros(s.n)
        return np.nan_to_num(jerk), np.nan_to_num(snap)

    def _difference(self, row: np.ndarray, a0: np.ndarray, jerk: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """a' and a'' from accelerations after dt and 2 dt, where the motion goes with a0 and ``jerk``."""
        s = self.dynamics.system
        ahead = np.stack([row, row])
        p = parts(ahead, s.q0.size, s.n)
        for k, t in enumerate((dt, 2 * dt)):
            ahead[k, 0] += t
            evaluation.retract(s.data, p["q"][k].copy(), p["v"][k] + t / 2 * a0 + t * t / 6 * jerk, t, p["q"][k])
            p["v"][k] += t * a0 + t * t / 2 * jerk
        self.dynamics.refine(ahead)
        a1, a2 = p["a"]
        with np.errstate(over="ignore", invalid="ignore"):  # where nothing resists a motion; the run tells
            return (4 * a1 - a2 - 3 * a0) / (2 * dt), (a2 - 2 * a1 + a0) / dt**2

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        if status == OPEN and not faults:
            row = np.zeros(self.rows.shape[1])
            p = parts(row[None, :], self.x.q.size, self.x.v.size)
            row[0], p["q"][0][:], p["H"][0][:] = self.t, self.x.q, self.x.H
            raise self.opened(row)
        if status == UNDERFLOW and not faults:  # no other solver would help
            raise SimulationError.stopped(self.t, f"the accuracy {self.accuracy:g} is not reached however "
                                          "small the step, as the "
                                          f"acceleration of {self._worst_body()!r} changes too fast", UNSEEN, "step-underflow")
        super()._recover(status, faults)

    def _worst_body(self) -> str:
        """The body with the largest error in the last step."""
        sizes = np.maximum(abs(self.history.jerk), abs(self.history.snap) / self.aim[ad.SPEED]) * self.work.weight
        return self.dynamics.body_of(int(np.argmax(np.nan_to_num(sizes))) // 6)
