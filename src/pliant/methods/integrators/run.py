"""One integration in progress: what all methods share. Rows, checkpoints, and what to say when a step fails."""
from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...compile.compiled_model import GAP, SparseFallback
from ...items.errors import SimulationError, raised_in
from ...kernels.evaluation import Program
from ...kernels.state_row import parts
from ...kernels.status import MORE, NEWTON_FAILED, NOT_FINITE, OPEN, SINGULAR, UNDERFLOW
from . import stepper as st
from .base import Integrator, Plan

SLICE = 0.05  # s: how long the jitted loop runs before Python looks in
FAILED = (NEWTON_FAILED, SINGULAR, NOT_FINITE, UNDERFLOW, OPEN)
CHUNK = 2000  # rows of output kept by the loop before Python takes them
LEAST, MOST, TILE_STEPS = 100, 10_000, 200_000  # steps from one checkpoint to the next, and how many tiles those may be
AIDED, STICKY, LATEST = range(3)  # of Run.aid: steps by the sparse solver, whether it stays, the last one it took alone
KEPT = [st.STEPS, st.ITERATIONS, st.FACTORISATIONS]  # counts that a continuation goes on with


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
    is renewed. A Run that begins with its memory does exactly the same arithmetic. ``count[STEPS]`` counts from the very start,
    also for a continuation.
    A method has `_state`, `_advance`, `finished` and `t`, and calls `_store` at the end of its own initialisation.
    """
    accuracy: float | None = None  # of error control
    remedy = "Try a smaller step"
    project = True                 # rows are made consistent before they are kept

    def __init__(self, method: Integrator, plan: Plan) -> None:
        s = plan.dynamics.system
        self.dynamics, self.method, self.formulation, self.stride = plan.dynamics, method, plan.formulation, plan.stride
        self.start, self.end = plan.row, plan.end
        self.step = plan.step or (plan.end - float(plan.row[0])) / plan.outputs  # of the output, if steps are chosen
        self.x = s.memory()
        p = parts(plan.row[None, :], s.q0.size, s.n)
        for name in ("q", "v", "a", "lam", "H"):
            getattr(self.x, name)[:] = p[name][0]
        self.count, self.aid = np.zeros(12, np.int64), np.array([0, 0, -1])
        self.fallback = SparseFallback(s, self.x)
        self.interval = max(LEAST, min(MOST, TILE_STEPS // s.n_tiles))
        s.failures.clear()  # of an earlier run
        self.programs = [s.program("residual"), s.program("tangent"), self._power_program(), s.program("history")]
        self.count[st.HISTORIES] = len(self.programs[3].rows) > 0
        self.count[st.POWERED] = len(self.programs[2].rows) > 0

    def _store(self, rows: int) -> None:
        """Room for rows, and the first checkpoint: the last thing that the initialisation of a method does."""
        self.rows = np.zeros((min(CHUNK, rows), self.start.size))
        self.checkpoint, self.emitted = Checkpoint(self.memory(), 0), 0

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
        """All arrays that the future depends on, by name; methods add theirs."""
        x = self.x
        return {"q": x.q, "v": x.v, "a": x.a, "lam": x.lam, "H": x.H, "count": self.count, "aid": self.aid}

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
        memory = {name: array.ravel().copy() for name, array in self._state().items()}
        memory["count"][[k for k in range(self.count.size) if k not in KEPT]] = 0
        return memory

    def counts(self) -> dict[str, int]:
        """What the run cost so far, by the names of Quality."""
        steps, iterations, factorisations = (int(n) for n in self.count[KEPT])
        return {"steps": steps, "iterations": iterations, "factorisations": factorisations,
                "fallbacks": int(self.aid[AIDED]), "rejected": self.rejected}

    def _restore(self, memory: dict[str, np.ndarray]) -> None:
        for name, array in self._state().items():
            if name not in memory or memory[name].shape != (array.size,):
                raise ValueError(f"the state of the method in the file does not fit the model ({name!r}); it was written by another "
                                 "version of pliant, or for another model")
            if name == "count":  # the others are limits, switches and addresses of this Run
                array[KEPT] = memory[name][KEPT]
            else:
                array[...] = memory[name].reshape(array.shape)
        if not self._plausible():
            raise ValueError("the state of the method in the file contradicts its step and times; the file is damaged")
        self.count[st.FALLBACK] = self.fallback.address if self.aid[STICKY] else 0

    def _note(self) -> None:
        """A checkpoint, if one is due. What is kept of earlier factorisations would not be there after an interruption."""
        steps = int(self.count[st.STEPS])
        if steps % self.interval == 0 and steps > self.checkpoint.memory["count"][st.STEPS] and not self.finished:
            self.count[st.FACTORS_OK] = 0
            self.checkpoint = Checkpoint(self.memory(), self.emitted)

    @property
    def widest(self) -> float:
        """How far a joint may be open in a row."""
        return GAP * max(1.0, self.dynamics.length)

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

    @property
    def rejected(self) -> int:
        """Steps made again by error control."""
        return 0

    def _go_on(self, status: int) -> bool:
        """Whether there is more to do after the compiled loop came to its end."""
        return False

    def __iter__(self) -> Iterator[np.ndarray]:
        s, steps, more = self.dynamics.system, 64, True
        while more:
            clock, before = time.perf_counter(), int(self.count[st.STEPS])
            once = self.count[st.FALLBACK] != 0 and not self.aid[STICKY]
            status = self._advance(1 if once else min(steps, self.interval - before % self.interval))
            used, done = max(1e-6, time.perf_counter() - clock), int(self.count[st.STEPS]) - before
            steps = max(1, min(4 * steps, 10**8, int(SLICE / used * max(1, done))))
            failed = status in FAILED
            faults = s.failures[:]  # the rows before are refined first, and have none of their own
            s.failures.clear()
            if self.count[st.FALLBACK] != 0:
                self.aid[AIDED] += done
            if once and done and not failed:  # back to the fast solver
                self.count[st.FALLBACK], self.count[st.FACTORS_OK], self.aid[LATEST] = 0, 0, before + done
            self.emitted += int(self.count[st.STORED])
            if not failed:
                self._note()
            yield self.rows[:self.count[st.STORED]].copy()
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
        if item is None and self.count[st.FALLBACK] == 0:  # bad pivots may also show as numbers that are not finite
            self.count[st.FALLBACK], self.aid[STICKY] = self.fallback.address, self.aid[LATEST] == self.count[st.STEPS]
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
        return "newton-failed", (f"Newton's method did not converge in {self.count[st.MAX_ITERATIONS]} iterations "
                                 f"(step no. {int(self.count[st.STEPS]) + 1}{self._restless()})")

    def _restless(self) -> str:
        """Who kept Newton's method from converging, if that is known."""
        return ""
