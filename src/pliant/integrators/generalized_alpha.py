"""Generalized-alpha, index 3, fixed step: the description users see and the driver of the jitted loop."""
from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..dynamics import Dynamics, SparseFallback
from ..kernels.loop import Program, run
from ..refinement import parts
from . import stepper as st

SLICE = 0.05  # s: how long the jitted loop runs before Python looks in
ROUNDING = 2e-16  # increments below this part of the model's size are rounding errors of the constraints
FAILED = (st.NEWTON_FAILED, st.SINGULAR, st.NOT_FINITE, st.UNDERFLOW)
CHUNK = 2000  # rows of output kept by the loop before Python takes them


class SimulationError(RuntimeError):
    """The simulation stopped early. ``solution`` holds everything up to the last good step."""
    solution: Any = None


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
    """One integration in progress. Iterating yields (finished steps, rows of output so far unseen)."""

    def __init__(self, dynamics: Dynamics, method: GeneralizedAlpha, row: np.ndarray, step: float, steps: int, stride: int,
                 memory: dict[str, np.ndarray] | None = None) -> None:
        s = dynamics.system
        self.dynamics, self.method, self.step, self.stride = dynamics, method, step, stride
        self.first, self.end = row, float(row[0]) + steps * step
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
        self.count, self.fallbacks, self.helped, self.sticky = count, 0, -1, False
        self.programs = [s.program("residual"), s.program("tangent"), self._power_program(), s.program("history")]
        count[st.HISTORIES] = len(self.programs[3].rows) > 0
        count[st.POWERED] = len(self.programs[2].rows) > 0
        self._start(memory)
        self.fallback = SparseFallback(s, self.x)
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
            for name, value in memory.items():
                if name in w._fields:
                    getattr(w, name)[:] = value
                else:
                    getattr(x, name)[:] = value
            return
        w.alg[:], w.a1[:], w.lam1[:] = x.a, x.a, x.lam
        if self.count[st.POWERED]:
            x.E[:] = 0
            run(self.programs[2], self.dynamics.system.data, x, self.ctl[st.T0], 0.0, 0.0, 0.0)
            w.power[:] = x.E[3:5]

    def memory(self) -> dict[str, np.ndarray]:
        """What a continuation needs beside the last row: the state of the method, before any projection."""
        x, w = self.x, self.work
        return {"q": x.q.copy(), "v": x.v.copy(), "a": x.a.copy(), "lam": x.lam.copy(), "H": x.H.copy(), "alg": w.alg.copy(),
                "a1": w.a1.copy(), "lam1": w.lam1.copy(), "total": w.total.copy(), "power": w.power.copy()}

    @property
    def t(self) -> float:
        return float(self.ctl[st.T0] + self.count[st.STEPS] * self.step)

    @property
    def rejected(self) -> int:
        return 0

    def _loop(self, steps: int) -> int:
        """The jitted loop for so many steps; its status."""
        s = self.dynamics.system
        return int(st.advance(*self.programs, s.data, s.lu, self.x, self.work, self.ctl, self.count, s.n_v, steps, self.rows))

    def _go_on(self, status: int) -> bool:
        """Whether there is more after the loop came to its end."""
        return False

    def __iter__(self) -> Iterator[np.ndarray]:
        steps, more = 64, True
        while more:
            clock, before = time.perf_counter(), int(self.count[st.STEPS])
            once = self.count[st.FALLBACK] != 0 and not self.sticky
            status = self._loop(1 if once else steps)
            used = max(1e-6, time.perf_counter() - clock)
            steps = max(1, min(10**8, int(steps * min(4.0, SLICE / used))))
            if self.count[st.FALLBACK] != 0:
                self.fallbacks += int(self.count[st.STEPS]) - before
            if once and int(self.count[st.STEPS]) > before:  # back to the fast solver
                self.count[st.FALLBACK], self.count[st.FACTORS_OK], self.helped = 0, 0, int(self.count[st.STEPS])
            yield self.rows[:self.count[st.STORED]].copy()
            if status in FAILED:
                self._recover(status)
            more = status in FAILED or status == st.MORE or self._go_on(status)

    def _recover(self, status: int) -> None:
        """A step failed: a fault in a user's function ends the run; otherwise SciPy's solver takes the step, and stays if the next
        one needs it too."""
        failures = self.dynamics.system.failures
        if failures:
            raise failures[0]
        item = None if status == st.NEWTON_FAILED else self.dynamics.system.culprit(self.x, float(self.ctl[st.T1]))
        if item is None and status != st.NOT_FINITE and self.count[st.FALLBACK] == 0:
            self.count[st.FALLBACK], self.sticky = self.fallback.address, self.helped == int(self.count[st.STEPS])
            return
        reason = f"{item!r} gave a number that is not finite" if item else self._reason(status)
        raise SimulationError(f"stopped at t = {self.t:.6g} s: {reason} with step {self.ctl[st.H]:.3g} s. Try a smaller step; if it stops at "
                              "the same time, look at the mechanism there: a joint may lock, a spring may be too stiff, or a "
                              "function may jump")

    def _reason(self, status: int) -> str:
        if status == st.NEWTON_FAILED:
            return f"Newton's method did not converge in {self.method.max_iterations} iterations"
        if status == st.NOT_FINITE:
            return "a value became infinite or not a number"
        massless = ", ".join(self.dynamics.massless())
        return "the equations are singular" + (f" ({massless}: without rotational inertia, and no joint holds the rotation)" if massless else "")
