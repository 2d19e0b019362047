"""Runs with error control go from jump to jump of the functions: what happens in between two smooth pieces."""
from __future__ import annotations

from typing import NoReturn

import numpy as np

from ...compile.compiled_model import GAP
from ...compile.consistency import POSITION
from ...items.errors import SimulationError
from ...kernels import evaluation
from ...kernels.expression_vm import JUMPS
from ...kernels.state_row import parts
from ...kernels.status import EVENT
from . import control_memory as ad
from . import stepper as st
from .base import Plan
from .run import Run
from .time_functions import time_jumps, time_scale

SAFETY = 0.25       # errors grow on their way to the end: local ones may be this part of what is asked for
FINEST = 1e-13      # smallest step, of the time
LIMITS = [ad.LAST, ad.EPS, ad.MOST, ad.LEAST, ad.WIDEST]  # entries of aim that follow from what is asked for
PASSING, NEAR_BY = 100, 1e-6  # attempts to come past a jump, and how far to go at most, in steps
UNSEEN = ("If a Python function acts on it, see that it does not jump to and fro or give random numbers; if a force changes with the "
          "direction of motion, make it smooth: tanh(v / 0.01) instead of sign(v). Otherwise look at the mechanism there: a joint may "
          "lock, a spring may be too stiff, or a force may grow without bound")
CHATTER, WINDOW = 100, 1e-4  # so many jumps in this part of the run are too many


class Pieces(Run):
    """The part of a Run that finds jumps and passes them. A method begins a piece by `_begin` from a consistent state, has the
    accumulated energies in ``totals``, the step it has come with in `aim[H1]`, and the state in ``x`` when it is asked."""
    aim: np.ndarray
    note: np.ndarray
    duration: float

    def _plan_pieces(self, plan: Plan, coarsest: int) -> None:
        """What is asked for, the jumps of functions of time, and the largest step: at least ``coarsest`` of them, and short enough
        not to pass over anything that functions of time do."""
        s, start, end = plan.dynamics.system, float(plan.row[0]), plan.end
        self.dynamics, self.duration, self.accuracy = plan.dynamics, end - start, plan.accuracy or None
        if plan.accuracy:
            self.remedy = "Ask for less accuracy, or give a fixed step"
        self.aim, self.note = np.zeros(22), np.zeros(17, np.int64)
        self.aim[ad.OUT0], self.aim[ad.OUT_STEP], self.aim[ad.LAST] = start, self.duration / plan.outputs, end
        self.aim[ad.EPS] = SAFETY * plan.accuracy / min(1.0, self.duration)
        self.aim[ad.LEAST] = FINEST * max(abs(start), abs(end), self.duration)
        self.note[ad.OUTPUT], self.note[ad.OUTPUTS] = 1, plan.outputs
        self.aim[ad.WIDEST], self.aim[ad.NOW] = GAP * max(1.0, plan.dynamics.length), start
        self.jumps: list[float] = []
        self.stops, scale = [(end, end)], np.inf
        if plan.accuracy:
            told = time_jumps(s, start, end)
            scale, sudden = time_scale(s, start, end, told)
            self.stops = [*sorted(told + sudden), (end, end)]
            self.note[ad.JUMPY] = any(not timed for _, _, timed in s.switches)
        self.aim[ad.MOST] = plan.coarser * min(self.duration / coarsest, scale / 2)

    def _restore_pieces(self, memory: dict[str, np.ndarray]) -> None:
        """The memory of an earlier run, whose outputs may have been fewer."""
        limits, outputs = self.aim[LIMITS].copy(), self.note[ad.OUTPUTS]
        self._restore(memory)
        self.aim[LIMITS], self.note[ad.OUTPUTS] = limits, outputs
        if self.accuracy:  # another method may have made the first rows
            self.note[ad.OUTPUTS] = round((self.end - self.aim[ad.OUT0]) / self.aim[ad.OUT_STEP])
        self.stops = [stop for stop in self.stops if stop[1] > self.t] or self.stops[-1:]
        self.aim[ad.STOP] = self.stops[0][0]

    def _plausible(self) -> bool:
        return bool(np.isfinite(self.aim).all() and self.aim[ad.OUT0] <= self.t <= self.end and self.aim[ad.H1] >= 0)

    @property
    def finished(self) -> bool:
        return self.t >= self.end

    @property
    def t(self) -> float:
        return float(self.aim[ad.NOW])

    @property
    def rejected(self) -> int:
        return int(self.note[ad.REJECTED])

    @property
    def widest(self) -> float:
        """Rows lie between steps: interpolated positions are open a little, and closed in the output."""
        return np.inf

    def too_fast(self, rows: np.ndarray) -> np.ndarray:
        """Never: steps are short enough."""
        return np.zeros(len(rows), bool)

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
        """After the end of a smooth piece: begin the next one, if there is one."""
        if status == EVENT:
            self._pass_event(float(self.aim[ad.AFTER]))
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
            self.totals[st.WORK] += energies[0, 0] - d.refine(before[None, :])[0][0, 0]
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
