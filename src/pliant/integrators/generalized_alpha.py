"""Generalized-alpha, index 3: the description users see and, for fixed steps, the driver of the jitted loop."""
from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..dynamics import GAP, Dynamics, SparseFallback
from ..kernels.loop import Program, run
from ..refinement import parts
from . import stepper as st

SLICE = 0.05  # s: how long the jitted loop runs before Python looks in
ROUNDING = 2e-16  # increments below this part of the model's size are rounding errors of the constraints
FAILED = (st.NEWTON_FAILED, st.SINGULAR, st.NOT_FINITE, st.UNDERFLOW, st.OPEN)
CHUNK = 2000  # rows of output kept by the loop before Python takes them
LEAST, MOST, TILE_STEPS = 100, 10_000, 200_000  # steps from one checkpoint to the next, and how many tiles those may be
AIDED, STICKY, LATEST = range(3)  # of Run.aid: steps by the sparse solver, whether it stays, the last one it took alone
KEPT = [st.STEPS, st.ITERATIONS, st.FACTORISATIONS]  # counts that a continuation goes on with


class SimulationError(RuntimeError):
    """The simulation stopped early. ``solution`` holds everything up to the last good step, ``code`` names the kind of failure
    and ``file`` is where the rows are on disk, if they are."""
    solution: Any = None
    file: Path | None = None

    def __init__(self, message: str, code: str = "failed") -> None:
        super().__init__(message)
        self.code = code


class Checkpoint(NamedTuple):
    """From here a run can be continued as if it had not been interrupted."""
    memory: dict[str, np.ndarray]  # the method's
    rows: int                      # of output up to here, without the initial one; counted from the start of this Run


def function_fault(error: BaseException, t: float) -> BaseException:
    """What a user's function raised, as a sentence that names the item; an interrupt that came while it ran stays one."""
    if isinstance(error, KeyboardInterrupt):
        return error
    where = getattr(error, "__notes__", ["in a function of the model"])[-1]
    told = SimulationError(f"stopped at t = {t:.6g} s: {type(error).__name__}: {error} - raised {where}. Make the function give a number "
                           "at all times and positions it is asked for", "user-function")
    told.__cause__ = error
    return told


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Generalized-alpha method of Chung and Hulbert on the Lie group, constraints at position level (index 3).

    Order 2 in positions, velocities and multipliers; unconditionally stable for linear systems; numerical damping set by
    ``rho``, the spectral radius at infinite frequency: 1 none (not for constrained systems), 0 complete.
    ``newton``: "modified" keeps factors while they converge well, "full" renews them in every iteration. An iteration ends
    when what is still to come is below ``tolerance`` times the accelerations.
    References: Chung, Hulbert 1993; Arnold, Brüls 2007; Brüls, Cardona, Arnold 2012.
    """
    rho: float = 0.9
    newton: Literal["modified", "full"] = "modified"
    tolerance: float = 1e-9
    max_iterations: int = 25

    kind: ClassVar[str] = "generalized-alpha"
    order: ClassVar[dict[str, int]] = {"position": 2, "velocity": 2, "multiplier": 2}

    def __post_init__(self) -> None:
        for name, kind in (("rho", (int, float)), ("tolerance", (int, float)), ("max_iterations", int)):
            if not isinstance(getattr(self, name), kind) or isinstance(getattr(self, name), bool):
                raise ValueError(f"GeneralizedAlpha: {name} = {getattr(self, name)!r}, must be a number")
        if not 0 <= self.rho <= 1:
            raise ValueError(f"GeneralizedAlpha: rho = {self.rho:g}, must be between 0 (most damping) and 1 (none)")
        if self.newton not in ("modified", "full"):
            raise ValueError(f"GeneralizedAlpha: newton = {self.newton!r}, must be 'modified' or 'full'")
        if not 0 < self.tolerance < 1:
            raise ValueError(f"GeneralizedAlpha: tolerance = {self.tolerance:g}, must be between 0 and 1; 1e-9 is usual")
        if not 2 <= self.max_iterations <= 1000:
            raise ValueError(f"GeneralizedAlpha: max_iterations = {self.max_iterations}, must be from 2 to 1000")


INTEGRATORS = {GeneralizedAlpha.kind: GeneralizedAlpha}


class Run:
    """One integration in progress, with fixed steps. Iterating yields the rows of output so far unseen.

    Every ``interval`` steps, a number that depends on the model alone, kept factors are forgotten and ``checkpoint`` is renewed. A Run
    that begins with its memory does exactly the same arithmetic. ``steps`` counts from the very start, also for a continuation.
    """

    def __init__(self, dynamics: Dynamics, method: GeneralizedAlpha, row: np.ndarray, step: float, steps: int, stride: int,
                 memory: dict[str, np.ndarray] | None = None) -> None:
        s = dynamics.system
        self.dynamics, self.method, self.step, self.stride = dynamics, method, step, stride
        self.start, self.end = row, float(row[0]) + steps * step
        self.x, n = s.memory(), s.n
        p = parts(row[None, :], s.q0.size, n)
        self.x.q[:], self.x.v[:], self.x.H[:] = p["q"][0], p["v"][0], p["H"][0]
        self.x.a[:], self.x.lam[:] = p["a"][0], p["lam"][0]
        arrays = {name: np.zeros(n) for name in st.Work._fields}
        arrays |= {"q0": np.zeros(s.q0.size), "weight": dynamics.weights(), "soft": s.softness, "total": row[1:3].copy(),
                   "power": np.zeros(2), "pivots": np.zeros(6, np.int64)}
        self.work = st.Work(**arrays)
        self.ctl = np.array([row[0], step, method.rho, method.tolerance, dynamics.gravity / dynamics.length + 1e-9,
                             self._rounding(p["q"][0]), row[0], 1.0])
        count = np.zeros(12, np.int64)
        count[st.END], count[st.STRIDE], count[st.MAX_ITERATIONS] = steps, stride, method.max_iterations
        count[st.FULL_NEWTON] = method.newton == "full"
        self.count, self.aid = count, np.array([0, 0, -1])
        self.fallback = SparseFallback(s, self.x)
        self.interval = max(LEAST, min(MOST, TILE_STEPS // s.n_tiles))
        s.failures.clear()  # of an earlier run
        self.programs = [s.program("residual"), s.program("tangent"), self._power_program(), s.program("history")]
        count[st.HISTORIES] = len(self.programs[3].rows) > 0
        count[st.POWERED] = len(self.programs[2].rows) > 0
        self._start(memory)
        self.rows = np.zeros((min(CHUNK, steps // stride + 1), row.size))

    def _rounding(self, q: np.ndarray) -> float:
        """What an increment cannot be told from, in sizes of the model: more for a mechanism far from the origin."""
        s, length = self.dynamics.system, self.dynamics.length
        far = float(abs(q[s.data.linear[:, 1]]).max(initial=0.0)) / length
        return ROUNDING * max(1.0, far) if s.joints else 1e-3 * ROUNDING

    def _power_program(self) -> Program:
        """Runs after every step where something dissipates or does work; empty otherwise."""
        s = self.dynamics.system
        return s.program("power", families=None if any(f.act.power for f in s.families) else [])

    def _start(self, memory: dict[str, np.ndarray] | None) -> None:
        """History of the method: that of an earlier run, or a start from the consistent accelerations."""
        w, x = self.work, self.x
        if memory:
            self._restore(memory)
        else:
            w.alg[:], w.a1[:], w.lam1[:] = x.a, x.a, x.lam
            if self.count[st.POWERED]:
                x.E[:] = 0
                run(self.programs[2], self.dynamics.system.data, x, self.ctl[st.T0], 0.0, 0.0, 0.0)
                w.power[:] = x.E[3:5]
        self.checkpoint, self.emitted = Checkpoint(self.memory(), 0), 0

    # -- checkpoints
    def _state(self) -> dict[str, np.ndarray]:
        """All arrays that the future depends on, by name; methods with more of them add theirs."""
        x = self.x
        state = {"q": x.q, "v": x.v, "a": x.a, "lam": x.lam, "H": x.H, **self.work._asdict()}
        return state | {"ctl": self.ctl, "count": self.count, "aid": self.aid}

    def memory(self) -> dict[str, np.ndarray]:
        """What a continuation needs: the state of the method itself, before any projection of rows."""
        memory = {name: array.copy() for name, array in self._state().items()}
        memory["count"][[k for k in range(self.count.size) if k not in KEPT]] = 0
        return memory

    def counts(self) -> dict[str, int]:
        """What the run cost so far, by the names of Quality."""
        steps, iterations, factorisations = (int(n) for n in self.count[KEPT])
        return {"steps": steps, "iterations": iterations, "factorisations": factorisations,
                "fallbacks": int(self.aid[AIDED]), "rejected": self.rejected}

    def _restore(self, memory: dict[str, np.ndarray]) -> None:
        for name, array in self._state().items():
            if name not in memory or memory[name].shape != array.shape:
                raise ValueError(f"the state of the method in the file does not fit the model ({name!r}); it was written by another "
                                 "version of pliant, or for another model")
            if name == "count":  # the others are limits, switches and addresses of this Run
                array[KEPT] = memory[name][KEPT]
            else:
                array[...] = memory[name]
        if not self._plausible():
            raise ValueError("the state of the method in the file contradicts its step and times; the file is damaged")
        self.count[st.FALLBACK] = self.fallback.address if self.aid[STICKY] else 0

    def _plausible(self) -> bool:
        return bool(0 <= self.count[st.STEPS] <= self.count[st.END] and self.ctl[st.H] == self.step)

    @property
    def finished(self) -> bool:
        return bool(self.count[st.STEPS] >= self.count[st.END])

    def _note(self) -> None:
        """A checkpoint, if one is due. What is kept of earlier factorisations would not be there after an interruption."""
        steps = int(self.count[st.STEPS])
        if steps % self.interval == 0 and steps > self.checkpoint.memory["count"][st.STEPS] and not self.finished:
            self.count[st.FACTORS_OK] = 0
            self.checkpoint = Checkpoint(self.memory(), self.emitted)

    @property
    def t(self) -> float:
        return float(self.ctl[st.T0] + self.count[st.STEPS] * self.step)

    accuracy: float | None = None  # of error control
    remedy = "Try a smaller step"

    @property
    def widest(self) -> float:
        """How far a joint may be open in a row."""
        return GAP * max(1.0, self.dynamics.length)

    def violation(self, rows: float) -> float:
        """Largest violation of the position constraints, given that of the rows."""
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
        return SimulationError(f"stopped at t = {row[0]:.6g} s: body {body!r} turns at {speeds[k]:.4g} rad/s, half a turn or more in a "
                               f"step of {self.step:.3g} s, so that turns cannot be counted. Take a step below {1 / speeds[k]:.2g} s, or "
                               "give accuracy instead", "step-too-large")

    def opened(self, row: np.ndarray) -> SimulationError:
        """Why a run cannot go on from a row."""
        opened = self.dynamics.open_joints(row) or "a joint opened"
        return SimulationError(f"stopped at t = {row[0]:.6g} s: {opened}. Joints and drives may contradict each other, a heavy "
                               "load may hang on a very light body, or the step is too large", "joint-open")

    @property
    def rejected(self) -> int:
        """Steps made again by error control."""
        return 0

    def _advance(self, steps: int) -> int:
        """At most so many steps in compiled code; returns the status."""
        s = self.dynamics.system
        return int(st.advance(*self.programs, s.data, s.lu, self.x, self.work, self.ctl, self.count, s.n_v, steps, self.rows))

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
            more = failed or status == st.MORE or self._go_on(status)

    def _recover(self, status: int, faults: list[BaseException]) -> None:
        """A step failed: a fault in a user's function ends the run; otherwise SciPy's solver takes the step, and stays if the next
        one needs it too."""
        s = self.dynamics.system
        if faults:
            raise function_fault(faults[0], self.t)
        item = None if status == st.NEWTON_FAILED else s.culprit(self.x, float(self.ctl[st.T1]))
        if item is None and self.count[st.FALLBACK] == 0:  # bad pivots may also show as numbers that are not finite
            self.count[st.FALLBACK], self.aid[STICKY] = self.fallback.address, self.aid[LATEST] == self.count[st.STEPS]
            return
        code, reason = self._reason(status, item)
        raise SimulationError(f"stopped at t = {self.t:.6g} s: {reason} with step {self.ctl[st.H]:.3g} s. {self.remedy}; if it "
                              "stops at the same time, look at the mechanism there: a joint may lock, a spring may be too stiff, or a "
                              "function may jump", code)

    def _reason(self, status: int, item: str | None) -> tuple[str, str]:
        """Code and words of a failed step."""
        if item:
            return "not-finite", f"{item!r} gave a number that is not finite"
        if status == st.NOT_FINITE:
            return "not-finite", "a value became infinite or not a number"
        if status == st.SINGULAR:
            massless = ", ".join(self.dynamics.massless())
            why = f" ({massless}: without rotational inertia, and no joint holds the rotation)" if massless else ""
            return "singular-matrix", f"the equations are singular{why}"
        return "newton-failed", (f"Newton's method did not converge in {self.method.max_iterations} iterations "
                                 f"(step no. {int(self.count[st.STEPS]) + 1}{self._restless()})")

    def _restless(self) -> str:
        """The body whose position the last iteration still changed most, and its joints."""
        s = self.dynamics.system
        moved = abs(self.x.R[:s.n_v] * self.work.weight[:s.n_v])
        if not moved.size or not np.isfinite(moved).all():
            return ""
        tile = int(moved.argmax()) // 6
        joints = [repr(j.name) for j in s.joints if tile in j.bodies]
        held = f" with joint{'s' * (len(joints) > 1)} {', '.join(joints[:5])}" if joints else ""
        return f"; body {self.dynamics.body_of(tile)!r}{held} moves most"
