"""Runs with error control go from jump to jump of the functions: what happens between two smooth intervals."""
from __future__ import annotations

from typing import NoReturn

import numpy as np

from ....compile.compiled_model import GAP
from ....compile.consistency import POSITION
from ....items.errors import SimulationError
from ....kernels import evaluation
from ....kernels.expression_vm import JUMPS
from ....kernels.records import values
from ....kernels.state_row import parts
from ....kernels.status import EVENT
from ..base import Plan
from .run import Run
from .time_functions import time_jumps, time_scale

SAFETY = 0.25       # errors grow on their way to the end: local ones may be this part of what is asked for
FINEST = 1e-13      # smallest step, of the time
PASSING, NEAR_BY = 100, 1e-6  # attempts to come past a jump, and how far to go at most, in steps
UNSEEN = ("If a Python function acts on it, see that it does not jump to and fro or give random numbers; if a force changes with the "
          "direction of motion, make it smooth: tanh(v / 0.01) instead of sign(v). Otherwise look at the mechanism there: a joint may "
          "lock, a spring may be too stiff, or a force may grow without bound")
WORK = 1                     # of totals: dissipated energy, work
CHATTER, WINDOW = 100, 1e-4  # so many jumps in this part of the run are too many


class SmoothIntervals(Run):
    """The part of a Run that finds jumps and passes them. A kind of run begins an interval by `_begin` from a consistent state, has the
    accumulated energies in ``totals``, the step it has come with in ``c.h1``, and the state in ``x`` when it is asked."""
    duration: float
    watched = False  # joints that open and bodies that turn too fast end the run

    def _plan_intervals(self, plan: Plan, coarsest: int) -> None:
        """What is asked for, the jumps of functions of time, and the largest step: at least ``coarsest`` of them, and short enough
        not to pass over anything that functions of time do."""
        s, c, start, end = plan.dynamics.system, self.c, float(plan.row[0]), plan.end
        self.duration, self.accuracy = end - start, plan.accuracy or None
        c.first = c.now = start
        c.last, c.out_step, c.output, c.outputs = end, self.duration / plan.outputs, 1, plan.outputs
        c.fixed, c.end, c.stride = not plan.accuracy, plan.steps, plan.stride
        c.eps = SAFETY * plan.accuracy / min(1.0, self.duration)
        c.least = FINEST * max(abs(start), abs(end), self.duration)
        self.jumps: list[float] = []
        self.stops, scale = [(end, end)], np.inf
        if plan.accuracy:
            self.remedy = "Ask for less accuracy, or give a fixed step"
            told = time_jumps(s, start, end)
            scale, sudden = time_scale(s, start, end, told)
            self.stops = [*sorted(told + sudden), (end, end)]
            c.jumpy = any(not timed for _, _, timed in s.switches)
        c.most = plan.coarser * min(self.duration / coarsest, scale / 2)

    def _restore(self, memory: dict[str, np.ndarray]) -> None:
        super()._restore(memory)
        if self.accuracy:  # another method may have made the first rows
            self.c.outputs = round((self.end - self.c.first) / self.c.out_step)
        self.stops = [stop for stop in self.stops if stop[1] > self.t] or self.stops[-1:]
        self.c.stop = self.stops[0][0]

    def _plausible(self) -> bool:
        c = self.c
        good = bool(np.isfinite(values(c)).all() and c.first <= self.t <= self.end and c.h1 >= 0)
        return good and (not c.fixed or (0 <= c.steps <= c.end and c.next == self.step))

    @property
    def finished(self) -> bool:
        return self.t >= self.end

    @property
    def t(self) -> float:
        return float(self.c.now)

    @property
    def widest(self) -> float:
        """Rows between steps are interpolated: open a little, and closed in the output."""
        return super().widest if self.watched else np.inf

    def too_fast(self, rows: np.ndarray) -> np.ndarray:
        """Chosen steps are short enough."""
        return super().too_fast(rows) if self.watched else np.zeros(len(rows), bool)

    @property
    def totals(self) -> np.ndarray:
        """Dissipated energy and work so far."""
        raise NotImplementedError

    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state: the first step."""
        raise NotImplementedError

    def _worst_body(self) -> str:
        """The body with the largest error in the last step."""
        raise NotImplementedError

    def _go_on(self, status: int) -> bool:
        """After the end of a smooth interval: begin the next one, if there is one."""
        if status == EVENT:
            self._pass_event(float(self.c.after))
        elif self.t < self.end:
            self._restart(self.stops[0][1])
        else:
            return False
        return True

    def _ahead(self, t: float) -> np.ndarray:
        """The state at a time shortly after the last step."""
        x, s, row, dt = self.x, self.dynamics.system, np.zeros(self.start.size), t - self.t
        p = parts(row[None, :], s.q0.size, s.n)
        row[0], row[1:3] = t, self.totals
        evaluation.retract(s.data, x.q, x.v + dt / 2 * x.a, dt, p["q"][0])
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
            self.totals[WORK] += energies[0, 0] - d.refine(before[None, :])[0][0, 0]
            row[1:3] = self.totals
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
            evaluation.run(self.programs[0], self.dynamics.system.data, x, float(row[0]), 1.0, 0.0, 0.0)
            x.q[:], x.v[:] = kept
            if x.W[JUMPS] != self.c.branch or dt > NEAR_BY * max(self.c.usual, self.c.h1):
                break
            dt *= 2
        self._begin(row)

    def _count_jump(self, t: float, unseen: bool = False) -> None:
        """Too many of them in a short time end the run."""
        self.jumps = [*self.jumps[-CHATTER:], t]
        if len(self.jumps) > CHATTER and t - self.jumps[0] < WINDOW * self.duration:
            times = f"{CHATTER} times within {t - self.jumps[0]:.3g} s"
            if unseen:
                raise SimulationError.stopped(t, f"the acceleration of {self._worst_body()!r} jumps {times}", UNSEEN,
                                              "step-underflow")
            raise SimulationError.stopped(t, f"a function switches to and fro, {times}",
                                          "Make its jump smooth: tanh(v / 0.01) instead of sign(v), "
                                          "step(x, 0, 0, 0.001, 1) instead of if(x > 0, 1, 0)", "chattering")

    def _drive_jumps(self, row: np.ndarray) -> NoReturn:
        """The error that names the drives whose functions have jumped."""
        d = self.dynamics
        opened = d.open_joints(row)  # and the equations in d.x.R
        drives = {name: abs(d.x.R[k]) for name, (k, *_) in d.directory.drives.items()}
        names = [repr(name) for name, gap in drives.items() if gap > 1e-3 * max(drives.values())]
        what = f"drive{'s' * (len(names) > 1)} {', '.join(names[:5])} jump{'s' * (len(names) == 1)}" if names else "a drive jumps"
        raise SimulationError.stopped(row[0], f"{what} ({opened})",
                                      "Let its function pass on without a jump, for example by step(t, t0, y0, t1, y1)",
                                      "drive-jump")
