"""One integration in progress: what all methods share. Rows, checkpoints, and what to say when a step fails."""
from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ....compile.compiled_model import GAP, SparseFallback
from ....items.errors import SimulationError, raised_in
from ....kernels.evaluation import Program
from ....kernels.ode import NUM
from ....kernels.records import assign, new_record, values
from ....kernels.state_row import parts
from ....kernels.status import MORE, NEWTON_FAILED, NOT_FINITE, OPEN, SINGULAR, UNDERFLOW
from ..base import Integrator, Plan
from .control import CONTROL

SLICE = 0.05  # s: how long the jitted loop runs before Python looks in
FAILED = (NEWTON_FAILED, SINGULAR, NOT_FINITE, UNDERFLOW, OPEN)
CHUNK = 2000  # rows of output kept by the loop before Python takes them
LEAST, MOST, TILE_STEPS = 100, 10_000, 200_000  # steps from one checkpoint to the next, and how many tiles those may be
# fields of records that follow from the plan and the options, and are not taken from a memory
LIMITS = ("last", "eps", "most", "least", "end", "stride", "outputs", "stored", "fixed", "histories", "jumpy",
          "most_iterations", "full", "tolerance", "rounding", "floor", "widest", "alpha_m", "alpha_f", "beta", "gamma",
          "highest", "parts", "stiff", "free", "closed", "length", "rate", "gap", "passes", "exact", "renew", "zero", "direct")


class Checkpoint(NamedTuple):
    """From here a run can be continued as if it had not been interrupted."""
    memory: dict[str, np.ndarray]  # the method's
    rows: int                      # of output up to here, without the initial one; counted from the start of this Run


def function_fault(error: BaseException, t: float) -> BaseException:
    """What a user's function raised, as a sentence that names the item; an interrupt that came while it ran stays one."""
    if isinstance(error, KeyboardInterrupt):
        return error
    where = raised_in(error) or "in a function of the model"
    told = SimulationError.stopped(t, f"{type(error).__name__}: {error} - raised {where}", "Make the function give "
                                   "a number at all times and positions it is asked for", "user-function")
    told.__cause__ = error
    return told


class Run:
    """One integration in progress. Iterating yields the rows of output so far unseen.

    Every ``interval`` steps, a number that depends on the model alone, what is kept for speed is forgotten and ``checkpoint``
    is renewed. A Run that begins with its memory does exactly the same arithmetic. ``c.steps`` counts from the very start,
    also for a continuation. A kind of run has `_state`, `_advance`, `finished` and `t`, and calls `_store` at the end of its own
    initialisation.
    """
    accuracy: float | None = None  # of error control
    remedy = "Try a smaller step"
    project = True                 # rows are made consistent before they are kept

    def __init__(self, method: Integrator, plan: Plan) -> None:
        s = plan.dynamics.system
        self.dynamics = plan.dynamics.for_run()
        self.method, self.formulation, self.stride = method, plan.formulation, plan.stride
        self.start, self.end = plan.row, plan.end
        self.step = plan.step or (plan.end - float(plan.row[0])) / plan.outputs  # of the output, if steps are chosen
        self.x = self.dynamics.memory()
        p = parts(plan.row[None, :], s.q0.size, s.n)
        for name in ("q", "v", "a", "lam", "H"):
            getattr(self.x, name)[:] = p[name][0]
        self.c, self.num = new_record(CONTROL), new_record(NUM)
        self.c.latest = -1
        self.fallback = SparseFallback(s, self.x)
        self.interval = max(LEAST, min(MOST, TILE_STEPS // s.n_tiles))
        s.failures.take()  # of an earlier run
        self.programs = [s.program("residual"), s.program("tangent"), self._power_program(), s.program("history")]
        self.c.histories, self.num.powered = len(self.programs[3].rows) > 0, len(self.programs[2].rows) > 0

    def _store(self, rows: int) -> None:
        """Room for rows, and the first checkpoint: the last thing that the initialisation of a method does."""
        self.rows = np.zeros((min(CHUNK, rows), self.start.size))
        self.checkpoint, self.emitted, self.noted = Checkpoint(self.memory(), 0), 0, int(self.c.steps)

    @property
    def t(self) -> float:
        raise NotImplementedError

    @property
    def finished(self) -> bool:
        raise NotImplementedError

    @property
    def tried(self) -> tuple[float, float]:
        """End and length of the last step that was tried."""
        raise NotImplementedError

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

    def _plausible(self) -> bool:
        """Whether a state that was read fits the times and steps of this Run."""
        return True

    def _power_program(self) -> Program:
        """Runs after every step where something dissipates or does work; empty otherwise."""
        s = self.dynamics.system
        return s.program("power", families=None if any(f.act.power for f in s.families) else [])

    def memory(self) -> dict[str, np.ndarray]:
        """What a continuation needs: the state of the method itself, before any projection of rows."""
        return {name: array.ravel().copy() for name, array in self._state().items()} | {k: values(r) for k, r in self._records().items()}

    def counts(self) -> dict[str, int]:
        """What the run cost so far, by the names of Quality."""
        names = {"steps": "steps", "iterations": "iterations", "factorisations": "factorisations", "fallbacks": "aided",
                 "rejected": "rejected"}
        return {name: int(self.c[field]) for name, field in names.items()}

    def _restore(self, memory: dict[str, np.ndarray]) -> None:
        """The memory of an earlier run, whose outputs may have been fewer."""
        records = self._records()
        for name, size in {**{k: a.size for k, a in self._state().items()}, **{k: len(r.dtype) for k, r in records.items()}}.items():
            if name not in memory or memory[name].shape != (size,):
                raise ValueError(f"the state of the method in the file does not fit the model ({name!r}); it was written by another "
                                 "version of pliant, or for another model")
        for name, array in self._state().items():
            array[...] = memory[name].reshape(array.shape)
        for name, record in records.items():
            assign(record, memory[name], LIMITS)
        if not self._plausible():
            raise ValueError("the state of the method in the file contradicts its step and times; the file is damaged")
        self.num.fallback = self.fallback.address if self.c.sticky else 0

    def _forget(self) -> None:
        """What is kept of earlier factorisations would not be there after an interruption."""

    def _note(self) -> None:
        """A checkpoint, if one is due."""
        steps = int(self.c.steps)
        if steps % self.interval == 0:
            self._forget()
            if steps > self.noted and not self.finished and not self.c.pending:
                self.checkpoint, self.noted = Checkpoint(self.memory(), self.emitted), steps

    @property
    def joint_gap(self) -> float:
        """How far a joint may be open."""
        return GAP * max(1.0, self.dynamics.length)

    @property
    def widest(self) -> float:
        """The same in a row."""
        return self.joint_gap

    def violation(self, rows: float) -> float:
        """Largest violation of the position constraints, given that of the rows."""
        return rows

    def velocity_violation(self, rows: float) -> float:
        """The same for velocities."""
        return rows

    def turning(self, rows: np.ndarray) -> np.ndarray:
        """How fast bodies turn, rows x bodies [rad/s]."""
        s = self.dynamics.system
        v, first = parts(rows, s.q0.size, s.n)["v"], s.data.rotations[:, 0]
        return np.sqrt(sum(v[:, first + k] ** 2 for k in range(3)))

    def too_fast(self, rows: np.ndarray) -> np.ndarray:
        """Rows at which a body makes half a turn or more in a step, so that turns cannot be counted."""
        return np.asarray((self.turning(rows) * self.step >= np.pi).any(1))

    def spun(self, row: np.ndarray) -> SimulationError:
        """Why a run cannot go on from such a row."""
        speeds = self.turning(row[None, :])[0]
        k = int(np.argmax(speeds))
        body = self.dynamics.body_of(int(self.dynamics.system.data.rotations[k, 0]) // 6)
        return SimulationError.stopped(row[0], f"body {body!r} turns at {speeds[k]:.4g} rad/s, "
                                       "half a turn or more in a step of "
                                       f"{self.step:.3g} s, so that turns cannot be counted",
                                       f"Take a step below {1 / speeds[k]:.2g} s, or give accuracy instead", "step-too-large")

    def too_bent(self, rows: np.ndarray) -> np.ndarray:
        """Rows at which a modal body is deformed by more than its own size: linear modes mean nothing there."""
        s, out = self.dynamics.system, np.zeros(len(rows), bool)
        q = parts(rows, s.q0.size, s.n)["q"]
        for body in self.dynamics.directory.flexible.values():
            out |= (abs(q[:, body.iq:body.iq + body.scale.size]) > body.limit).any(1)
        return out

    def bent(self, row: np.ndarray) -> SimulationError:
        """Why a run cannot go on from such a row."""
        name = next(n for n, body in self.dynamics.directory.flexible.items()
                    if (abs(row[3 + body.iq:3 + body.iq + body.scale.size]) > body.limit).any())
        body = self.dynamics.model[name] if self.dynamics.model is not None else None
        if body is not None and body.stiffening == "off" and body.reduced.stiffening is not None:
            remedy = "Nothing stiffens it when it spins or is pulled: switch that on, stiffening='on'"
        else:
            explicit = self.accuracy is None and self.method.limit < np.inf
            remedy = (f"{'The fixed step may be too long for its modes (check tells), its' if explicit else 'Its'} loads may be too large "
                      "or its stiffness too small (look at the units), or it buckles; modes are good for small deformations")
        return SimulationError.stopped(row[0], f"the flexible body {name!r} is deformed by "
                                       "more than its own size", remedy, "deformation")

    def opened(self, row: np.ndarray) -> SimulationError:
        """Why a run cannot go on from a row."""
        opened = self.dynamics.open_joints(row) or "a joint opened"
        return SimulationError.stopped(row[0], opened, "Joints and drives may contradict each other, "
                                       "a heavy load may hang on a very "
                                       "light body, or the step is too large", "joint-open")

    def _go_on(self, status: int) -> bool:
        """Whether there is more to do after the compiled loop came to its end."""
        return False

    def __iter__(self) -> Iterator[np.ndarray]:
        s, c, steps, more = self.dynamics.system, self.c, 64, True
        while more:
            clock, before = time.perf_counter(), int(c.steps)
            once = self.num.fallback != 0 and not c.sticky
            status = self._advance(1 if once else min(steps, self.interval - before % self.interval))
            used, done = max(1e-6, time.perf_counter() - clock), int(c.steps) - before
            steps = max(1, min(4 * steps, 10**8, int(SLICE / used * max(1, done))))
            failed = status in FAILED
            faults = s.failures.take()  # the rows before are refined first, and have none of their own
            if self.num.fallback != 0:
                c.aided += done
            if once and done and not failed:  # back to the fast solver
                self.num.fallback, c.latest = 0, before + done
                self._forget()
            self.emitted += int(c.stored)
            if not failed:
                self._note()
            yield self.rows[:c.stored].copy()
            if failed:
                self._recover(status, faults)
            more = failed or status == MORE or self._go_on(status)

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        """A step failed: a fault in a user's function ends the run; otherwise SciPy's solver takes the step, and stays if the next
        one needs it too."""
        s = self.dynamics.system
        if faults:
            raise function_fault(faults[0], self.t)
        if beyond := s.beyond(self.x.q):
            raise SimulationError(f"stopped at t = {self.t:.6g} s: {beyond}", "end-of-line")
        item = None if status == NEWTON_FAILED else s.culprit(self.x, self.tried[0])
        if item is None and self.num.fallback == 0:  # bad pivots may also show as numbers that are not finite
            self.num.fallback, self.c.sticky = self.fallback.address, self.c.latest == self.c.steps
            return
        code, reason = self._reason(status, item)
        raise SimulationError.stopped(self.t, f"{reason} with step {self.tried[1]:.3g} s", f"{self.remedy}; "
                                      "if it stops at the same time, "
                                      "look at the mechanism there: a joint may lock, a spring may be too stiff, or a function may jump",
                                      code)

    def _reason(self, status: int, item: str | None) -> tuple[str, str]:
        """Code and words of a failed step."""
        if item:
            return "not-finite", f"{item!r} gave a number that is not finite"
        if status == NOT_FINITE:
            return "not-finite", "a value became infinite or not a number"
        if status == SINGULAR:
            massless = ", ".join(self.dynamics.massless())
            why = f" ({massless}: without rotational inertia, and no joint holds the rotation)" if massless else ""
            return "singular-matrix", f"the equations are singular{why}"
        return "newton-failed", (f"Newton's method did not converge in {self.method.max_iterations} iterations "  # type: ignore[attr-defined]
                                 f"(step no. {int(self.c.steps) + 1}{self._restless()})")

    def _restless(self) -> str:
        """Who kept Newton's method from converging, if that is known."""
        return ""
