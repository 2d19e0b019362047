"""One integration in progress: what all methods share. Rows, checkpoints, and what happens between two smooth intervals: with
error control a run goes from jump to jump of the functions."""
from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ....compile.compiled_model import GAP, CompiledModel
from ....compile.consistency import POSITION
from ....compile.discrete import ROUNDS
from ....compile.sparse_solver import SparseFallback
from ....items.errors import SimulationError
from ....kernels import evaluation
from ....kernels.evaluation import Program
from ....kernels.event_log import WIDTH
from ....kernels.expression_vm import CHANGED
from ....kernels.ode import NUM
from ....kernels.records import assign, new_record, values
from ....kernels.state_row import parts
from ....kernels.status import CHATTERS, CROWDED, ENDED, EVENT, MORE, NEWTON_FAILED, NOT_FINITE, OPEN, SINGULAR, SPUN, UNBEGUN, UNDERFLOW
from ..base import Integrator, Plan
from .both_sides import both_sides
from .control import CONTROL, FORCES, NEVER, PLACES, RATES
from .instants import next_tick
from .intervals import chatters, next_stop
from .python_functions import looks, refuse_memory
from .stops import LOOK, Stops, function_fault
from .time_functions import drive_changes, drive_jumps, outlook, whole_turns

SLICE = 0.05  # s: how long the jitted loop runs before Python looks in
FAILED = (NEWTON_FAILED, SINGULAR, NOT_FINITE, UNDERFLOW, OPEN, SPUN, UNBEGUN, CHATTERS, CROWDED)
CHUNK, ROOM = 2000, 500_000  # rows of output kept by the loop before Python takes them, and how many numbers they may have; but at least
FEWEST = 8                 # rows
LEAST, MOST, TILE_STEPS = 100, 10_000, 200_000  # steps from one checkpoint to the next, and how many tiles those may be
SAFETY = 0.25       # errors grow on their way to the end: local ones may be this part of what is asked for
FINEST = 1e-13      # smallest step, of the time
WORK = 1                     # of totals: dissipated energy, work
CHATTER, WINDOW = 100, 1e-4  # so many jumps in this part of the run are too many
# fields of records that follow from the plan and the options, and are not taken from a memory
LIMITS = ("last", "eps", "within", "most", "least", "end", "outputs", "stored", "fixed", "histories", "jumpy", "reacts", "sites", "looks",
          "size", "swing", "brief", "slowest", "caution", "span", "choices", "through", "coming", "segment", "jumps",
          "origin", "base", "instant", "events", "most_iterations", "full", "tolerance", "rounding", "floor",
          "widest", "alpha_m", "alpha_f", "beta", "gamma",
          "highest", "parts", "stiff", "free", "closed", "length", "rate", "gap", "passes", "exact", "renew", "zero", "direct", "index3")


class Checkpoint(NamedTuple):
    """From here a run can be continued as if it had not been interrupted."""
    memory: dict[str, np.ndarray]  # the method's
    rows: int                      # of output up to here, without the initial one; counted from the start of this Run
    events: int = 0                # that have happened, counted alike


class Run(Stops):
    """One integration in progress. Iterating yields the rows of output so far unseen.

    Every ``interval`` steps, a number that depends on the model alone, what is kept for speed is forgotten and ``checkpoint``
    is renewed. A Run that begins with its memory does exactly the same arithmetic. ``c.steps`` counts from the very start,
    also for a continuation. A kind of run has `_advance`, begins an interval by `_begin` from a consistent state, has the
    accumulated energies in ``totals``, the step it has come with in ``c.h1``, the state in ``x`` when it is asked, and
    calls `_store` at the end of its own initialisation.
    """
    accuracy: float | None = None  # of error control
    remedy = "Try a smaller step"
    project = True                 # rows are made consistent before they are kept
    watched = False                # joints that open end the run
    aliased = False                # bodies that turn too fast for its fixed step end the run
    totals: np.ndarray             # dissipated energy and work so far
    look = 0                       # number of a step after which who iterates is given the turn

    def __init__(self, method: Integrator, plan: Plan) -> None:
        s = plan.dynamics.system
        self.dynamics = plan.dynamics.for_run()
        self.method, self.formulation, self.stride = method, plan.formulation, plan.stride
        self.start, self.end = plan.row, plan.end
        self.step, self.due, self.listed = plan.step or plan.apart(), plan.times(), plan.listed is not None  # of the output, if chosen
        self.both = plan.both or "both" in (plan.memory or {})  # rows on both sides of what makes velocities jump
        self.x = self.dynamics.memory()
        p = parts(plan.row[None, :], s.q0.size, s.n)
        for name in ("q", "v", "a", "lam", "H"):
            getattr(self.x, name)[:] = p[name][0]
        self.c, self.num = new_record(CONTROL), new_record(NUM, borne=bool(plan.dynamics.system.borne))
        self.c.latest, self.c.fixed, self.c.echo = -1, not plan.accuracy, NEVER
        self.fallback = SparseFallback(s, self.x)
        self.happened, self.events = list[np.ndarray](), 0
        self.interval = max(LEAST, min(MOST, TILE_STEPS // s.n_tiles))
        s.failures.take()  # of an earlier run
        self.programs = [s.program("residual"), s.program("tangent"), self._power_program(), s.program("history"),
                         s.program("update", families=None if s.discrete else [])]
        self.c.histories, self.num.powered = len(self.programs[3].rows) > 0, len(self.programs[2].rows) > 0

    def _plan_intervals(self, plan: Plan, coarsest: int) -> None:
        """What is asked for, the jumps of functions of time, and the largest step: at least ``coarsest`` of them, and where functions of
        time do something short enough not to pass over it."""
        s, c, start, end = plan.dynamics.system, self.c, float(plan.row[0]), plan.end
        self.duration, self.accuracy = end - start, plan.accuracy or None
        c.first = c.now = start
        c.last, c.end = end, plan.steps
        c.output, c.outputs = 1 + int(np.searchsorted(self.due, start, "right")), len(self.due)
        c.eps, c.within = SAFETY * plan.accuracy / min(1.0, self.duration), plan.accuracy
        c.least, c.span = FINEST * max(abs(start), abs(end), self.duration), WINDOW * self.duration
        most, self.jumped = self.duration / coarsest, np.zeros(CHATTER + 1)
        self.stops, self.limits = np.array([[end, end, 0.0]]), np.array([[end, most]])
        refuse_memory(s, start, end)
        if plan.accuracy:
            self.remedy = "Ask for less accuracy, or give a fixed step"
            ahead, limits = outlook(s, start, end, most)
            codes = list(plan.dynamics.directory.codes.values())
            ahead[:, 2] = np.where(ahead[:, 2] > 0, np.where(drive_jumps(s, codes, ahead) > self.joint_gap, PLACES, RATES), FORCES)
            self.stops, self.limits = np.vstack([ahead, self.stops]), np.column_stack([limits.times[1:], limits.most])
            c.jumpy, c.looks = any(not timed for _, _, timed in s.switches), looks(s)
        else:
            for t, changes in whole_turns(s, plan.dynamics.directory.codes, start, end):  # no step would notice
                self.drive_jumped(plan.row, changes, t)
        self.limits[:, 1] *= plan.coarser
        c.most = self.limits[0, 1]
        self._plan_instants(plan)

    def _plan_instants(self, plan: Plan) -> None:
        """Ticks from the start of the whole run on; of one that goes on after another those that are still to come."""
        s, c, start = self.dynamics.system, self.c, float(plan.row[0])
        c.reactive = s.reactive
        c.origin, c.base, c.events = start if plan.origin is None else plan.origin, s.base, s.discrete
        c.begun = start > c.origin
        first = int(np.floor((start - c.origin) / s.base + 1e-9)) + 1 if c.begun else 0
        next_tick(c, np.array(s.every, np.int64), self.stops, first)

    def _store(self) -> None:
        """Room for rows, and the first checkpoint: the last thing that the initialisation of a method does."""
        self.rows = np.zeros((min(CHUNK, 1 + len(self.due), max(FEWEST, ROOM // self.start.size)), self.start.size))
        self._take_events()
        self.checkpoint, self.emitted, self.noted = Checkpoint(self.memory(), 0, self.events), 0, int(self.c.steps)

    def _take_events(self) -> None:
        """What compiled code has noted since the last time, to ``happened``."""
        log, room = self.dynamics.system.log
        if room and (n := int(self.x.W[log])):
            self.happened.append(self.x.W[log + 1:log + 1 + WIDTH * min(n, room)].reshape(-1, WIDTH).copy())
            self.events += min(n, room)
            self.x.W[log] = 0

    @property
    def most_noted(self) -> int:
        """Steps until Python must look in, so that there is room for all that may happen in them and right behind."""
        told, room, rounds = self.dynamics.system.told, self.dynamics.system.log[1], ROUNDS if self.c.events else 1
        return max(1, room // (rounds * len(told)) - 2) if room else 10**9

    @property
    def rows_to_come(self) -> int:
        """Rows of output that are still due."""
        return int(self.c.outputs - self.c.output) + 1

    @property
    def observed(self) -> CompiledModel:
        """The model that rows are read with."""
        return self.dynamics

    def told(self) -> dict[str, np.ndarray]:
        """What a run tells of itself beside its rows, as arrays of its memory."""
        return {}

    def recall(self, memory: dict[str, np.ndarray]) -> None:
        """What an earlier run told, with which this one goes on."""

    @property
    def finished(self) -> bool:
        return self.t >= self.end

    @property
    def t(self) -> float:
        return float(self.c.now)

    @property
    def tried(self) -> tuple[float, float]:
        """End and length of the last step that was tried."""
        return float(self.c.t0 + self.c.h), float(self.c.h)

    def _state(self) -> dict[str, np.ndarray]:
        """All arrays that the future depends on, by name; kinds of runs add theirs."""
        x = self.x
        return {"q": x.q, "v": x.v, "a": x.a, "lam": x.lam, "H": x.H}

    def _records(self) -> dict[str, Any]:
        """The same of records."""
        return {"control": self.c}

    def _advance(self, steps: int) -> int:
        """At most so many steps in compiled code; returns the status."""
        raise NotImplementedError

    def _begin(self, row: np.ndarray) -> None:
        """From a consistent state: the first step."""
        raise NotImplementedError

    def _power_program(self) -> Program:
        """Runs after every step where something dissipates or does work; empty otherwise."""
        s = self.dynamics.system
        return s.program("power", families=None if any(f.act.power for f in s.families) else [])

    def memory(self) -> dict[str, np.ndarray]:
        """What a continuation needs: the state of the method itself, before any projection of rows."""
        own = {name: array.ravel().copy() for name, array in self._state().items()} | {k: values(r) for k, r in self._records().items()}
        return own | ({"due": self.due.copy()} if self.listed else {}) | ({"both": np.ones(1)} if self.both else {})

    def counts(self) -> dict[str, int]:
        """What the run cost so far, by the names of Quality."""
        names = {"steps": "steps", "iterations": "iterations", "factorisations": "factorisations", "fallbacks": "aided",
                 "rejected": "rejected"}
        return {name: int(self.c[field]) for name, field in names.items()}

    def _restore(self, memory: dict[str, np.ndarray]) -> None:
        """The memory of an earlier run, whose outputs may have been fewer."""
        c, state, records = self.c, self._state(), self._records()
        for name, size in ({k: a.size for k, a in state.items()} | {k: len(r.dtype) for k, r in records.items()}).items():
            if name not in memory or memory[name].shape != (size,):
                raise ValueError(f"the state of the method in the file does not fit the model ({name!r}); it was written by "
                                 "another version of pliant, or for another model")
        for name, array in state.items():
            array[...] = memory[name].reshape(array.shape)
        for name, record in records.items():
            assign(record, memory[name], LIMITS)
        if c.fixed:
            c.output = 1 + int(np.searchsorted(self.due, self.t + 0.5 * self.step, "right"))
        if not self._plausible():
            raise ValueError("the state of the method in the file contradicts its step and times; the file is damaged")
        self.num.fallback = self.fallback.address if c.sticky else 0
        next_tick(c, np.array(self.dynamics.system.every, np.int64), self.stops, int(c.tick))
        self._next_stop(self.t)

    def _plausible(self) -> bool:
        """Whether a state that was read fits the times and steps of this Run."""
        c = self.c
        good = bool(np.isfinite(values(c)).all() and c.first <= self.t <= self.end and c.h1 >= 0
                    and 1 <= c.output <= c.outputs + 1)
        return good and (not c.fixed or (0 <= c.steps <= c.end and c.next == self.step))

    def _next_stop(self, t: float) -> None:
        """The smooth interval that begins at t, and where it ends."""
        next_stop(self.c, self.stops, self.limits, t)

    def _forget(self) -> None:
        """What is kept of earlier factorisations would not be there after an interruption."""

    def _note(self) -> None:
        """A checkpoint, if one is due."""
        steps = int(self.c.steps)
        if steps % self.interval == 0 and steps > self.noted and not (self.finished or self.c.pending or self.c.structure):
            self._forget()  # once: attempts that fail from here on keep what they have made
            self.checkpoint, self.noted = Checkpoint(self.memory(), self.emitted, self.events), steps

    @property
    def joint_gap(self) -> float:
        """How far a joint may be open."""
        return GAP * max(1.0, self.dynamics.length)

    @property
    def widest(self) -> float:
        """The same in a row. Rows between steps are interpolated: open a little, and closed in the output."""
        return self.joint_gap if self.watched else np.inf

    def violations(self, position: float, velocity: float) -> tuple[float, float]:
        """The largest of the constraints, given those of the rows."""
        return position, velocity

    def _go_on(self, status: int) -> bool:
        """After the end of a smooth interval: begin the next one, if there is one."""
        if status == ENDED:
            self.end = self.t
            return False
        if status == EVENT:
            self._pass_event(float(self.c.after))
        elif self.t < self.stops[self.c.coming, 0]:
            self._pass_limit()
        elif self.t < self.end:
            self._restart(float(self.stops[self.c.coming, 1]))
        else:
            return False
        return True

    def _pass_limit(self) -> None:
        """From here on steps may be longer, or must be shorter."""
        self._next_stop(self.t)

    def ahead(self, t: float) -> np.ndarray:
        """The state in ``x``, carried on to a time shortly after the last step, as a row."""
        x, s, row, dt = self.x, self.dynamics.system, np.zeros(self.start.size), t - self.t
        p = {name: part[0] for name, part in parts(row[None, :], s.q0.size, s.n).items()}
        row[0], row[1:3] = t, self.totals
        evaluation.retract(s.data, x.q, x.v + dt / 2 * x.a, dt, p["q"])
        p["v"][:], p["a"][:], p["lam"][:], p["H"][:] = x.v + dt * x.a, x.a, x.lam, x.H
        return row

    def here(self) -> np.ndarray:
        """The last accepted state, as a row."""
        return self.ahead(self.t)

    @property
    def only_forces(self) -> bool:
        """Whether a jump changes accelerations alone, which the method asks for anew: the state stays consistent."""
        return False

    def _restart(self, t: float) -> None:
        """Past a jump of a function of time: positions stay, velocities that a drive changes are those of an inelastic impact, whose
        impulse does work."""
        d, row = self.dynamics, self.ahead(t)
        self._count_jump(t)
        if self.only_forces:
            return self._begin(row)
        before, told = self.ahead(self.t), row.copy()
        changes = drive_changes(d.system, d.directory.codes, self.t, t)
        energies, report = d.refine(row[None, :])
        if max(map(abs, changes.values()), default=0.0) > self.joint_gap:
            self.drive_jumped(told, changes)
        if not report[0, POSITION] <= self.joint_gap:  # they were open before
            raise self.opened(told)
        if any(kinks for _, kinks, _ in d.system.switches):
            self.totals[WORK] += energies[0, 0] - d.refine(before[None, :])[0][0, 0]
            row[1:3] = self.totals
        self._begin(row)

    def _pass_event(self, t: float) -> None:
        """From behind a jump, to which it may still be a little way."""
        row = self.ahead(max(t, self.t))
        if not self.only_forces:
            self.dynamics.refine(row[None, :])
        self._count_jump(t)
        self._begin(row)

    def _count_jump(self, t: float) -> None:
        """Too many of them in a short time end the run; those of rigid contacts come to an end, or are told."""
        if self.dynamics.system.rigid:
            return
        if chatters(self.c, self.jumped, t):
            raise self.chattering(self.jumped)

    def __iter__(self) -> Iterator[np.ndarray]:
        c, steps, more, last = self.c, 64, True, -np.inf
        while more:
            clock, before = time.perf_counter(), int(c.steps)
            once = self.num.fallback != 0 and not c.sticky
            ahead = self.look - before if self.look > before else steps
            status = self._advance(1 if once else min(steps, ahead, self.most_noted, self.interval - before % self.interval))
            used, done = max(1e-6, time.perf_counter() - clock), int(c.steps) - before
            steps = max(1, min(4 * steps, 10**8, int(SLICE / used * max(1, done))))
            failed = status in FAILED
            faults, interrupt = self._faults()  # the rows before are refined first, and have none of their own
            if self.num.fallback != 0:
                c.aided += done
            if once and done and not failed:  # back to the fast solver
                self.num.fallback, c.latest = 0, before + done
                self._forget()
            self.emitted += int(c.stored)
            self._take_events()
            if not failed:
                self._note()
            last = float(self.rows[c.stored - 1, 0]) if c.stored else last
            yield self.rows[:c.stored].copy()
            if interrupt is not None:
                raise interrupt
            if failed:
                self._recover(status, faults)
            from_here = self.here() if self.both and not failed and status != MORE else None
            more = failed or status == MORE or self._go_on(status)
            if from_here is not None and more and len(sides := both_sides(self, from_here, last)):
                self.emitted += len(sides)
                yield sides

    def _faults(self) -> tuple[list[BaseException], KeyboardInterrupt | None]:
        """What functions of the user raised, or an interrupt that came while one ran."""
        try:
            return self.dynamics.system.failures.take(), None
        except KeyboardInterrupt as error:
            return [], error

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        """A step failed: a fault in a user's function ends the run; otherwise SciPy's solver takes the step, and stays if the next
        one needs it too."""
        s = self.dynamics.system
        if faults:
            raise function_fault(faults[0], self.t)
        if status == CHATTERS:
            raise self.restless_conditions(self.t) if self.x.W[CHANGED] else self.chattering(self.jumped)
        if status == CROWDED:
            raise self.crowded()
        if beyond := s.beyond(self.x.q):
            raise SimulationError(f"stopped at t = {self.t:.6g} s: {beyond}", "end-of-line")
        if status != NEWTON_FAILED and (spent := s.spent(self.x, self.tried[0])):
            raise SimulationError(f"stopped at t = {self.t:.6g} s: {spent}", "not-finite")
        item = None if status == NEWTON_FAILED else s.culprit(self.x, self.tried[0])
        if item is None and self.num.fallback == 0:  # bad pivots may also show as numbers that are not finite
            self.num.fallback, self.c.sticky = self.fallback.address, self.c.latest == self.c.steps
            return
        code, reason = self.reason(status, item)
        raise SimulationError.stopped(self.t, f"{reason} with step {self.tried[1]:.3g} s", f"{self.remedy}; {LOOK}", code)
