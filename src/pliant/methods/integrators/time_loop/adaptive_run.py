"""Runs in which flexible bodies choose their modes: after every step the loads on locked modes are looked at, and modes are added or
dropped. docs/theory/adaptive_modes.md"""
from __future__ import annotations

from typing import Any

import numpy as np

from ....compile.compiled_model import CompiledModel
from ....compile.locked_modes import LockedModes
from ....joint_space.flexible_links import renew_constants
from ....kernels.status import MORE
from ..base import Plan
from .step_run import StepRun

SUDDEN = 2.0      # times its static displacement: how far a load that comes at once takes a mode without damping
QUIET = 0.25      # of the tolerance: a mode that stays below can be dropped
OWN_PERIODS = 2   # so many of its own, and one of the lowest mode of the body, is how long it has to
RESOLVED = 1.0    # omega h: steps so short show the vibrations of a load; longer ones only what it does slowly
HEAVY = 0.99      # damping ratio: what is damped more does not vibrate
COUNT, DUE, TIME = range(3)  # of `clock`: entries of the log, what is to be looked at, when that was last
NOT, STEP, CHANGE = range(3)  # nothing; the state at the end of a step; a change of modes that this state wants


class Choice:
    """Which modes take part at the states of a run, and the vibrations that locked modes would have: each as an oscillator of its own
    under the load that it meets."""

    def __init__(self, locks: LockedModes, row: np.ndarray) -> None:
        self.locks, n = locks, locks.iq.size
        self.q, self.rate, self.static, self.slope = (np.zeros(n) for _ in range(4))
        self.since = np.full(n, np.inf)  # when an active mode became quiet
        self.mass = locks.masses(row)
        self._time()

    def _time(self) -> None:
        """Frequencies and damping ratios, and how long a mode must be quiet."""
        locks = self.locks
        self.omega = np.sqrt(locks.stiffness / self.mass)
        self.zeta = np.minimum(locks.damping / (2 * self.mass * self.omega), HEAVY)
        lowest = np.concatenate([np.full(self.omega[of].size, self.omega[of].min()) for of in locks.of.values()])
        self.hold = 2 * np.pi * np.maximum(OWN_PERIODS / self.omega, 1 / lowest)

    def state(self) -> dict[str, np.ndarray]:
        """What the future depends on."""
        return {name: getattr(self, name) for name in ("q", "rate", "static", "slope", "since", "mass")}

    def restored(self, active: np.ndarray) -> None:
        """The state has been written over by that of an earlier run, with these modes active."""
        self._time()
        self.locks.set(active)

    def size(self, q: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Amplitude of a vibration, or the displacement if it is at rest."""
        return np.hypot(q, rate / self.omega)

    def meet(self, row: np.ndarray) -> None:
        """Loads that have jumped, or have to do with other modes than before."""
        self.static[:], self.slope[:] = self.locks.static(row), 0.0

    def follow(self, row: np.ndarray, h: float) -> None:
        """The oscillators over a step, with loads that change evenly from its start to its end.                [adaptive-2]"""
        s = self.locks.static(row)
        slope, w, z = (s - self.static) / h, self.omega, self.zeta
        u, u1 = self.q - self.static, self.rate - np.where(w * h <= RESOLVED, slope, self.slope)
        wd, fade = w * np.sqrt(1 - z * z), np.exp(-z * w * h)
        c, d = fade * np.cos(wd * h), fade * np.sin(wd * h) / wd
        self.q[:], self.rate[:] = s + c * u + d * (u1 + z * w * u), slope + c * u1 - d * (w * w * u + z * w * u1)
        self.static[:], self.slope[:] = s, slope

    def loaded(self) -> np.ndarray:
        """Locked modes that are to take part."""
        locks = self.locks
        reach = np.maximum(SUDDEN * abs(self.static), self.size(self.q, self.rate))
        return np.asarray(~locks.active & (reach > locks.tolerance))

    def wanted(self, row: np.ndarray, at_once: bool = False) -> np.ndarray:
        """The modes that shall be active from here on. ``at_once``: those that are quiet are dropped without waiting."""
        locks, t = self.locks, float(row[0])
        quiet = locks.active & (self.size(*locks.displacements(row)) <= QUIET * locks.tolerance)
        self.since[:] = np.where(quiet, np.minimum(self.since, t), np.inf)
        drop = quiet & (at_once | (t - self.since >= self.hold)) & ~locks.always
        return np.asarray((locks.active | self.loaded()) & ~drop)

    def settle(self, row: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, float] | None:
        """The row with these modes active, and with those that the change brings loads on; and the change of energy [J]. None if
        that leaves the modes as they are. Added modes begin as their oscillators are, oscillators of dropped ones as these were."""
        locks, before = self.locks, self.locks.active
        q, rate = locks.displacements(row)
        q, rate = np.where(before, q, self.q), np.where(before, rate, self.rate)
        while (active != before).any():
            self.q[:], self.rate[:] = q, rate
            out, energy = locks.change(row, active, q, rate)
            self.meet(out)
            more = self.loaded()
            if not more.any():
                self.since[:] = np.inf
                return out, energy
            locks.set(before)
            self.since[before & more] = np.inf
            active = active | more
        return None


def at_start(dynamics: CompiledModel, row: np.ndarray) -> CompiledModel:
    """The model with those modes locked that do not take part where a run begins."""
    if not dynamics.directory.adaptive:
        return dynamics
    choice = Choice(LockedModes(dynamics), row)
    choice.settle(row, choice.wanted(row, at_once=True))
    return choice.locks.dynamics


class AdaptiveRun(StepRun):
    """A run with bodies that have ``adaptive``. ``log``: time, change of energy and the modes that are active from then on."""

    def __init__(self, method: Any, plan: Plan) -> None:
        self.locks = LockedModes(plan.dynamics)
        self.choice, self.log = Choice(self.locks, plan.row), list[np.ndarray]()
        self.on, self.clock = np.ones(self.locks.active.size), np.zeros(3)
        super().__init__(method, plan._replace(dynamics=self.locks.dynamics))

    @property
    def observed(self) -> CompiledModel:
        return self.locks.full

    # -- memory
    def _state(self) -> dict[str, np.ndarray]:
        own = {f"modes_{name}": array for name, array in self.choice.state().items()}
        return super()._state() | own | {"modes_on": self.on, "modes_clock": self.clock}

    def told(self) -> dict[str, np.ndarray]:
        return {"modes": np.concatenate(self.log)}

    def memory(self) -> dict[str, np.ndarray]:
        return super().memory() | self.told()

    def recall(self, memory: dict[str, np.ndarray]) -> None:
        known, width = memory.get("modes", np.zeros(0)), 2 + self.on.size
        earlier = [row for row in known.reshape(-1, width) if row[0] < self.log[0][0]] if known.size % width == 0 else []
        if earlier:  # this run has just begun
            self.log = earlier + self.log
            self.clock[COUNT] = len(self.log)
            self.checkpoint = self.checkpoint._replace(memory=self.memory())

    def _restore(self, memory: dict[str, np.ndarray]) -> None:
        width, known = 2 + self.on.size, memory.get("modes", np.zeros(0))
        super()._restore(memory)
        count = int(self.clock[COUNT])
        if not 1 <= count <= known.size // width or known.size % width:
            raise ValueError("the modes that were active are not in the file; it was written by another version of pliant, or for "
                             "another model")
        self.log = list(known.reshape(-1, width)[:count])
        self.choice.restored(self.on > 0)
        self._renew()

    def counts(self) -> dict[str, int]:
        return super().counts() | {"mode_changes": len(self.log) - 1}

    # -- the choice
    def _pass_to(self, row: np.ndarray, at_once: bool = False) -> np.ndarray:
        """A consistent row with the modes that it wants; the same one if they are those that it has. What energy a change takes counts
        as lost."""
        found = self.choice.settle(row, self.choice.wanted(row, at_once))
        if found or not self.log:
            row, energy = found or (row, 0.0)
            row[1] -= energy
            self.log.append(np.concatenate([[row[0], energy], self.locks.active]))
            self.clock[COUNT] = len(self.log)
            self._renew()
        return row

    def _renew(self) -> None:
        """What the run has of the modes that are active now."""
        self.on[:] = self.locks.active
        if self.space:
            renew_constants(self.dynamics.system, self.space.tree)

    def _begin(self, row: np.ndarray) -> None:
        self.clock[DUE], self.clock[TIME] = NOT, row[0]
        if not self.log:
            row = self.start = self._pass_to(row.copy(), at_once=True)
        else:
            here = self.locks.consistent(row)[0]
            self.choice.meet(here)
            there = self._pass_to(here)
            row = row if there is here else there
        super()._begin(row)

    def _look(self, pending: bool) -> bool:
        """At the end of a step: follow the loads, and change modes if that is wanted. False if there are rows ``pending``, which are first
        to be made consistent with the modes that they were computed with."""
        row, clock = self.here(), self.clock
        if clock[DUE] == STEP:
            self.choice.follow(row, self.t - float(clock[TIME]))
            clock[DUE], clock[TIME] = NOT, self.t
        if (self.choice.wanted(row) == self.locks.active).all():
            return True
        if pending:
            clock[DUE] = CHANGE
            return False
        clock[DUE] = NOT
        row = self.locks.consistent(row)[0]
        there = self._pass_to(row)
        if there is not row:
            super()._begin(there)
        return True

    def _advance(self, steps: int) -> int:
        rows, stored, status = self.rows, 0, MORE
        try:
            for _ in range(steps):
                if self.clock[DUE] and not self.c.pending and not self._look(stored > 0):
                    break
                self.rows = rows[stored:]
                status = super()._advance(1)
                stored += int(self.c.stored)
                if self.t > self.clock[TIME]:
                    self.clock[DUE] = STEP
                if status != MORE or self.c.pending or stored == len(rows):
                    break
        finally:
            self.rows, self.c.stored = rows, stored
        return status
