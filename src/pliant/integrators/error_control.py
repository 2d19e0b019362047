"""Runs with error control: smooth pieces between the jumps of functions, each begun from consistent values."""
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..dynamics import GAP
from ..kernels import loop
from ..kernels.machine import JUMPS
from ..refinement import POSITION, parts
from . import adaptive, local_error
from . import control_memory as ad
from . import stepper as st
from .choices import Plan
from .generalized_alpha import AlphaRun
from .run import STICKY, SimulationError
from .time_functions import time_jumps, time_scale

PROBE = 1e-3        # of the time scale: distance of the states that the first step is chosen from
SAFETY = 0.25       # errors grow on their way to the end: local ones may be this part of what is asked for
FIRST = 0.25        # error of the first step, of what is allowed
LIMITS = [ad.LAST, ad.EPS, ad.MOST, ad.LEAST, ad.WIDEST]  # entries of aim that follow from what is asked for
COARSEST = 400      # steps at least
FINEST = 1e-13      # smallest step, of the time
PROBES, NOTABLE = 6, 1e-6  # attempts with it, and the part of the accelerations that matters
HOP = 1e-6          # of a step: pieces shorter than this are passed by one term of Taylor's series
PASSING, NEAR_BY = 100, 1e-6  # attempts to come past a jump, and how far to go at most, in steps
UNSEEN = ("If a Python function acts on it, see that it does not jump to and fro or give random numbers; if a force changes with the "
          "direction of motion, make it smooth: tanh(v / 0.01) instead of sign(v). Otherwise look at the mechanism there: a joint may "
          "lock, a spring may be too stiff, or a force may grow without bound")
CHATTER, WINDOW = 100, 1e-4  # so many jumps in this part of the run are too many


class ControlledRun(AlphaRun):
    """One integration in progress, to the accuracy ``epsilon`` per second (per run, if that is shorter)."""

    def __init__(self, method: Any, plan: Plan) -> None:
        dynamics, start, end, outputs, coarser = plan.dynamics, float(plan.row[0]), plan.end, plan.outputs, plan.coarser
        s = dynamics.system
        self.accuracy = accuracy = plan.accuracy
        self.duration = end - start
        arrays = {name: np.zeros(s.n) for name in ad.History._fields}
        arrays |= {"q": np.zeros(s.q0.size), "H0": np.zeros(s.histories), **{name: np.zeros(2) for name in ("total0", "power0", "power1")}}
        self.history = ad.History(**arrays)
        self.aim, self.note = np.zeros(21), np.zeros(17, np.int64)
        self.aim[ad.OUT0], self.aim[ad.OUT_STEP], self.aim[ad.LAST] = start, self.duration / outputs, end
        self.aim[ad.EPS] = SAFETY * accuracy / min(1.0, self.duration)
        self.aim[ad.LEAST] = FINEST * max(abs(start), abs(end), self.duration)
        self.note[ad.OUTPUT], self.note[ad.OUTPUTS] = 1, outputs
        self.note[ad.JUMPY] = any(not timed for _, _, timed in s.switches)
        self.aim[ad.WIDEST], self.aim[ad.NOW] = GAP * max(1.0, dynamics.length), start
        told = time_jumps(s, start, end)
        scale, sudden = time_scale(s, start, end, told)
        self.stops = [*sorted(told + sudden), (end, end)]
        self.aim[ad.MOST] = coarser * min(self.duration / COARSEST, scale / 2)
        self.jumps: list[float] = []
        self.massless = bool(dynamics.massless())
        super().__init__(method, plan._replace(step=self.duration / outputs, steps=outputs, stride=1))
        self._choose_solver()

    def _start(self, memory: dict[str, np.ndarray] | None) -> None:
        """The memory of an earlier run, whose outputs may have been fewer; or a first piece."""
        if memory:
            limits, outputs = self.aim[LIMITS].copy(), self.note[ad.OUTPUTS]
            self._restore(memory)
            self.aim[LIMITS], self.note[ad.OUTPUTS] = limits, outputs
            self.stops = [stop for stop in self.stops if stop[1] > self.t]
            self.aim[ad.STOP] = self.stops[0][0]
        else:
            s, d = self.dynamics.system, self.dynamics
            d._matrix()
            for k in range(s.n_v // 6):
                self.history.mass[6 * k:6 * k + 6] = np.diag(d.tiles[s.block[k, k]])
            self._begin(self.start)

    def _state(self) -> dict[str, np.ndarray]:
        more = {f"control_{name}": array for name, array in self.history._asdict().items()}
        return super()._state() | more | {"aim": self.aim, "note": self.note}

    def _plausible(self) -> bool:
        return bool(np.isfinite(self.aim).all() and self.aim[ad.OUT0] <= self.t <= self.end and self.aim[ad.H1] > 0)

    remedy = "Ask for less accuracy, or give a fixed step"

    @property
    def finished(self) -> bool:
        return self.t >= self.end

    @property
    def widest(self) -> float:
        """Rows lie between steps: interpolated positions are open a little, and closed in the output."""
        return np.inf

    def violation(self, rows: float) -> float:
        return float(self.aim[ad.GAP])

    def too_fast(self, rows: np.ndarray) -> np.ndarray:
        """Never: steps are short enough."""
        return np.zeros(len(rows), bool)

    @property
    def t(self) -> float:
        return float(self.aim[ad.NOW])

    @property
    def rejected(self) -> int:
        return int(self.note[ad.REJECTED])

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

    def _go_on(self, status: int) -> bool:
        """After the end of a smooth piece: begin the next one, if there is one."""
        if status == st.EVENT:
            self._pass_event(float(self.aim[ad.AFTER]))
        elif self.t < self.end:
            self._restart(self.stops[0][1])
        else:
            return False
        return True

    # -- the beginning of a smooth piece
    def _ahead(self, t: float) -> np.ndarray:
        """The state at a time shortly after the last step."""
        x, s, row, dt = self.x, self.dynamics.system, np.zeros(self.start.size), t - self.t
        p = parts(row[None, :], s.q0.size, s.n)
        row[0], row[1:3] = t, self.work.total
        loop.retract(s.data, x.q, x.v + dt / 2 * x.a, dt, p["q"][0])
        p["v"][0][:], p["H"][0][:] = x.v + dt * x.a, x.H
        return row

    def _restart(self, t: float) -> None:
        """Past a jump of a function of time: positions stay, velocities that a drive changes are those of an inelastic impact, whose
        impulse does work."""
        d, row, before = self.dynamics, self._ahead(t), self._ahead(self.t)
        self._count_jump(t)
        told = row.copy()
        energies, report = d.refine(row[None, :])
        if not report[0, POSITION] <= GAP * max(1.0, d.length):
            self._drive_jumps(told)
        if any(kinks for _, kinks, _ in d.system.switches):
            self.work.total[st.WORK] += energies[0, 0] - d.refine(before[None, :])[0][0, 0]
            row[1:3] = self.work.total
        self._begin(row)

    def _pass_event(self, t: float) -> None:
        """Past a jump that depends on the motion: as far as it takes to be on the other side of it; or from behind one that only the
        error told of."""
        if t < self.t:
            row = self._ahead(self.t)
            self.dynamics.refine(row[None, :])
            self._count_jump(self.t, unseen=True)
            return self._begin(row)
        self._count_jump(t)
        x, kept, dt = self.x, (self.x.q.copy(), self.x.v.copy()), max(t - self.t, 4 * np.spacing(abs(self.t)))
        for _ in range(PASSING):
            row = self._ahead(self.t + dt)
            self.dynamics.refine(row[None, :])
            p = parts(row[None, :], x.q.size, x.v.size)
            x.q[:], x.v[:] = p["q"][0], p["v"][0]
            loop.run(self.programs[0], self.dynamics.system.data, x, float(row[0]), 1.0, 0.0, 0.0)
            x.q[:], x.v[:] = kept
            if x.W[JUMPS] != self.aim[ad.BRANCH] or dt > NEAR_BY * max(self.aim[[ad.USUAL, ad.H1]]):
                break
            dt *= 2
        self._begin(row)

    def _count_jump(self, t: float, unseen: bool = False) -> None:
        """Too many of them in a short time end the run."""
        self.jumps = [*self.jumps[-CHATTER:], t]
        if len(self.jumps) > CHATTER and t - self.jumps[0] < WINDOW * self.duration:
            times = f"{CHATTER} times within {t - self.jumps[0]:.3g} s"
            if unseen:
                raise SimulationError(f"stopped at t = {t:.6g} s: the acceleration of {self._worst_body()!r} jumps {times}. {UNSEEN}",
                                      "step-underflow")
            raise SimulationError(f"stopped at t = {t:.6g} s: a function switches to and fro, {times}. Make its jump smooth: "
                                  "tanh(v / 0.01) instead of sign(v), step(x, 0, 0, 0.001, 1) instead of if(x > 0, 1, 0)", "chattering")

    def _drive_jumps(self, row: np.ndarray) -> NoReturn:
        """The error that names the drives whose functions have jumped."""
        d = self.dynamics
        opened = d.open_joints(row)  # and the equations in d.x.R
        drives = {name: abs(d.x.R[k]) for name, (k, *_) in d.directory.drives.items()}
        names = [repr(name) for name, gap in drives.items() if gap > 1e-3 * max(drives.values())]
        what = f"drive{'s' * (len(names) > 1)} {', '.join(names[:5])} jump{'s' * (len(names) == 1)}" if names else "a drive jumps"
        raise SimulationError(f"stopped at t = {row[0]:.6g} s: {what} ({opened}). Let its function pass on without a jump, for example "
                              "by step(t, t0, y0, t1, y1)", "drive-jump")

    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state: the first step, and a memory of the method as if it had made steps before."""
        s, x, w, aim = self.dynamics.system, self.x, self.work, self.aim
        p = {name: value[0] for name, value in parts(row[None, :], s.q0.size, s.n).items()}
        for name in ("q", "v", "a", "lam", "H"):
            getattr(x, name)[:] = p[name]
        self.stops = [stop for stop in self.stops if stop[1] > row[0]]
        aim[ad.NOW], aim[ad.STOP] = row[0], self.stops[0][0] if self.stops else self.end
        shift, cq, cv = local_error.constants.py_func(self.ctl[st.RHO])
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
            loop.run(self.programs[2], s.data, x, self.t, 0.0, 0.0, 0.0)
            w.power[:] = x.E[3:5]
        loop.run(self.programs[0], s.data, x, self.t, 1.0, 0.0, 0.0)
        aim[ad.BRANCH] = x.W[JUMPS]

    def _carry(self, y: np.ndarray) -> None:
        """Add to the velocities what y has across the constraints."""
        d, s, x = self.dynamics, self.dynamics.system, self.x
        rates, before, b = s.program("rates"), x.v.copy(), np.zeros(s.n)
        for sign, v in ((-1, before), (1, before + y)):
            x.v[:], x.V[:] = v, 0
            loop.run(rates, s.data, x, self.t, 0.0, 0.0, 0.0)
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
            loop.retract(s.data, p["q"][k].copy(), p["v"][k] + t / 2 * a0 + t * t / 6 * jerk, t, p["q"][k])
            p["v"][k] += t * a0 + t * t / 2 * jerk
        self.dynamics.refine(ahead)
        a1, a2 = p["a"]
        return (4 * a1 - a2 - 3 * a0) / (2 * dt), (a2 - 2 * a1 + a0) / dt**2

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        if status == st.OPEN and not faults:
            row = np.zeros(self.rows.shape[1])
            p = parts(row[None, :], self.x.q.size, self.x.v.size)
            row[0], p["q"][0][:], p["H"][0][:] = self.t, self.x.q, self.x.H
            raise self.opened(row)
        if status == st.UNDERFLOW and not faults:  # no other solver would help
            raise SimulationError(f"stopped at t = {self.t:.6g} s: the accuracy {self.accuracy:g} is not reached however small the step, "
                                  f"as the acceleration of {self._worst_body()!r} changes too fast. {UNSEEN}", "step-underflow")
        super()._recover(status, faults)

    def _worst_body(self) -> str:
        """The body with the largest error in the last step."""
        sizes = np.maximum(abs(self.history.jerk), abs(self.history.snap) / self.aim[ad.SPEED]) * self.work.weight
        return self.dynamics.body_of(int(np.argmax(np.nan_to_num(sizes))) // 6)
