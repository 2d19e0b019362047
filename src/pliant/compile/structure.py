"""Structure that changes: joints that are switched on and off at instants, and locks of their coordinates. docs/theory/structure.md

A joint that can be off has a level in the history, and a place for what is asked of it; a lock has a tile of equations of its own, and the
frozen place and axes in the history. What is switched on stops relative motion at once, as a plastic impact:

    [M C^T; C 0] [dv; mu] = [0; -(C v + C_t)],   lost = mu . (C v + C_t) / 2                          [structure-1]
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..families.held import HELD_AXES, HELD_PLACE
from ..items.base import did_you_mean
from ..items.declarations import IMPACTS, VALUES, Channel, Switches, Told
from ..items.errors import MissingItem, ModelError, SimulationError
from ..kernels import evaluation
from ..kernels.block_lu import factorise
from ..kernels.contract import A, P
from ..kernels.state_row import parts

if TYPE_CHECKING:
    from .array_builder import Equations
    from .channel_map import JointRecord
    from .compiled_model import CompiledModel
    from .model_compiler import ModelCompiler

OFF, ON, HERE, BROKEN, NOTHING = 0.0, 1.0, 2.0, -1.0, 9.0  # levels, and what is asked for: ON as modelled, HERE where it is
FROZEN = 12                      # numbers: a place and axes
TURNS = ((0, 1), (1, 2), (2, 0))  # pairs of axes whose equations hold turns about z, x and y


class Changed(NamedTuple):
    """What a decider has made of an instant: ``row``, a consistent state; ``told``: (number in the table of what can happen, x, y);
    ``names``: of the items that asked for it."""
    row: np.ndarray
    told: tuple[tuple[int, float, float], ...] = ()
    names: tuple[str, ...] = ()


@dataclass(eq=False)
class Switch:
    """What is on or off: the joint, places in the history, its equations; numbers of what is told."""
    joint: str
    level: int
    asked: int
    equations: Equations | None = None
    frozen: int = -1             # where its place and axes are kept
    ends: tuple[int, int] = (0, 0)  # its frames
    told_on: int = -1
    told_off: int = -1
    joins: str = "joint"         # or "lock", "here"
    capture: tuple[float, float] = (np.inf, np.inf)

    @property
    def rows(self) -> np.ndarray:
        """Its equations, those of drives of the joint among them."""
        assert self.equations is not None
        return 6 * self.equations.tile + np.arange(self.equations.used)


class JointSwitches:
    """The decider of joints and locks."""

    def __init__(self) -> None:
        self.joints: dict[str, Switch] = {}
        self.heres: dict[str, Switch] = {}   # of joints that are connected where they are
        self.locks: dict[str, Switch] = {}

    def pass_instant(self, d: CompiledModel, row: np.ndarray) -> Changed | None:
        """What was asked for is done: together, as one plastic impact."""
        H = _history(d, row)
        before, on, told, names = row.copy(), list[Switch](), list[tuple[int, float, float]](), list[str]()
        for switch in (*self.joints.values(), *self.heres.values(), *self.locks.values()):
            asked, level = self._asked(switch, H), float(H[switch.level])
            if asked == NOTHING or level == BROKEN or ((asked > 0) == (level > 0) and asked != BROKEN):
                continue
            names.append(switch.joint)
            H[switch.level] = min(asked, ON)
            if asked > 0:
                on.append(switch)
                if asked == HERE:
                    freeze(d, row, switch)
            else:
                told.append((switch.told_off, float(asked == BROKEN), np.nan))
        H[[s.asked for s in (*self.joints.values(), *self.heres.values(), *self.locks.values())]] = NOTHING
        if not names:
            return None
        parts(row[None, :], d.system.q0.size, d.system.n)["lam"][0, d.system.off(H)] = 0
        told += impact(d, before, row, on)
        return Changed(row, tuple(told), tuple(names))

    def _asked(self, switch: Switch, H: np.ndarray) -> float:
        """What is asked of a switch, also by what is asked of its joint."""
        asked, joint = float(H[switch.asked]), self.joints.get(switch.joint)
        if joint is None or switch is joint:
            return asked
        if switch.joins == "here":  # released with its joint, and not needed where that holds
            return float(H[joint.asked]) if H[joint.asked] <= 0 else OFF if H[joint.level] > 0 else asked
        return asked if self.holds(switch.joint, H) else OFF

    def holds(self, name: str, H: np.ndarray) -> bool:
        """Whether a joint holds."""
        return name not in self.joints or any(name in kind and H[kind[name].level] > 0 for kind in (self.joints, self.heres))


def _history(d: CompiledModel, row: np.ndarray) -> np.ndarray:
    return np.asarray(parts(row[None, :], d.system.q0.size, d.system.n)["H"][0])


def freeze(d: CompiledModel, row: np.ndarray, switch: Switch) -> None:
    """Place and axes of b in those of a, as they are, to the history of the row."""
    s, x = d.system, d.x
    p = parts(row[None, :], s.q0.size, s.n)
    x.q[:], x.v[:], x.H[:] = p["q"][0], p["v"][0], p["H"][0]
    evaluation.run(s.program("rates"), s.data, x, float(row[0]), 0.0, 0.0, 0.0)
    a, b = x.X[switch.ends[0]], x.X[switch.ends[1]]
    Ra, Rb = a[A:A + 9].reshape(3, 3), b[A:A + 9].reshape(3, 3)
    p["H"][0, switch.frozen:switch.frozen + FROZEN] = [*(Ra.T @ (b[P:P + 3] - a[P:P + 3])), *(Ra.T @ Rb).ravel()]


def impact(d: CompiledModel, before: np.ndarray, row: np.ndarray, on: list[Switch]) -> list[tuple[int, float, float]]:
    """The row made consistent with its levels. Relative velocities of what is switched ``on`` end by impulses: these are told, and the
    energy lost is added to that of the row, work of drives to theirs."""
    if not on:
        d.refine(row[None, :])
        return []
    s, x, t = d.system, d.x, float(row[0])
    p = parts(row[None, :], s.q0.size, s.n)
    old = d.refine(before[None, :].copy(), project=False)[0][0].sum()
    _capture(d, row, on)
    v = p["v"][0].copy()
    d.refine(row[None, :])  # closes what is captured
    x.q[:], x.v[:], x.H[:] = p["q"][0], v, p["H"][0]
    d._linearise(t)
    good = factorise(x.D, s.lu, d.pivots)
    V, by_time = _rates(d, t), _rates(d, t, still=True)
    b = np.zeros(s.n)
    b[s.n_v:] = -V[s.n_v:]
    y = d.solve(b) if good else d.least_squares(b)
    p["v"][0, :s.n_v] = v[:s.n_v] + y[:s.n_v]
    new = d.refine(row[None, :])[0][0].sum()
    work = float(y[s.n_v:] @ by_time[s.n_v:])
    row[1] += old - new + work
    row[2] += work
    return [(one.told_on, _size(d, y[one.rows], one), float(y[one.rows] @ V[one.rows]) / 2) for one in on]


def _rates(d: CompiledModel, t: float, still: bool = False) -> np.ndarray:
    """C v + C_t, or C_t alone."""
    x, v = d.x, d.x.v.copy()
    if still:
        x.v[:] = 0
    x.a[:], x.V[:] = 0, 0
    evaluation.run(d.system.program("rates"), d.system.data, x, t, 0.0, 0.0, 0.0)
    x.v[:] = v
    return x.V.copy()


def _size(d: CompiledModel, impulses: np.ndarray, switch: Switch) -> float:
    """Of the impulse [N s], or of the angular one [N m s] where there is no other."""
    lengths = ~d.angular[switch.rows]
    return float(np.linalg.norm(impulses[lengths] if lengths.any() else impulses))


def _capture(d: CompiledModel, row: np.ndarray, on: list[Switch]) -> None:
    """Joints that are to be closed must be near enough."""
    s, x = d.system, d.x
    p = parts(row[None, :], s.q0.size, s.n)
    x.q[:], x.v[:], x.lam[:], x.H[:] = p["q"][0], p["v"][0], 0, p["H"][0]
    evaluation.run(s.program("residual"), s.data, x, float(row[0]), 0.0, 0.0, 0.0)
    for one in on:
        R, angular = x.R[one.rows], d.angular[one.rows]
        gap, turn = float(np.linalg.norm(R[~angular])), float(np.linalg.norm(R[angular]))
        if gap > one.capture[0] or turn > one.capture[1]:
            what = (f"joint {one.joint!r} cannot be connected: its sides are {1e3 * gap:.3g} mm and {np.degrees(turn):.3g} degrees apart, "
                    f"which is more than its capture, {1e3 * one.capture[0]:.3g} mm and {np.degrees(one.capture[1]):.3g} degrees")
            remedy = "Connect it nearer to its pose as modelled, with a larger capture, or at: here"
            raise SimulationError.stopped(float(row[0]), what, remedy, "too-far")


class Structure:
    """What can be switched, as a model is compiled."""

    def __init__(self, layout: ModelCompiler) -> None:
        self.layout, self.decider = layout, JointSwitches()

    def joint(self, name: str, start: float = ON) -> Switch:
        """The switch of a joint."""
        if name not in self.decider.joints:
            b, record = self.layout.builder, self.layout.directory.joints[name]
            if record.counter is not None:
                raise ModelError(f"joint {name!r} slides along a line and cannot be switched on and off", (name,))
            switch = self.decider.joints[name] = self._new(name, start, "connects", "is released", "breaks")
            switch.equations = record.equations
            self.layout.directory.switched.add(name)
            b.switchable(record.equations, switch.level)
        return self.decider.joints[name]

    def here(self, name: str, item: str) -> Switch:
        """That of a fixed joint which is connected where it is."""
        if name not in self.decider.heres:
            record = self.layout.directory.joints[name]
            if len(record.rows) < 6 or set(record.lock) != {0, 1, 2}:
                raise ModelError(f"{item}: joint {name!r} cannot be connected at: here, only a fixed joint can; leave out at, and give a "
                                 "capture", (name,))
            switch = self.decider.heres[name] = self._new(name, OFF, "connects", "is released", "breaks")
            switch.joins = "here"
            self._hold(switch, (0, 1, 2), TURNS)
        return self.decider.heres[name]

    def lock(self, name: str) -> Switch:
        """The lock of a joint: equations of all motions that it leaves free."""
        if name not in self.decider.locks:
            directory = self.layout.directory
            record, drives = directory.joints[name], [drive for drive, (_, _, joint, _) in directory.drives.items() if joint == name]
            if drives:
                raise ModelError(f"joint {name!r} cannot be locked: drive {drives[0]!r} moves it. Let the drive stand still, or leave one "
                                 "of them out", (name, drives[0]))
            if record.counter is not None:
                raise ModelError(f"joint {name!r} slides along a line and cannot be locked; hold it by a spring", (name,))
            if not any(free_of(record)):
                raise ModelError(f"joint {name!r} cannot be locked: it leaves no motion free", (name,))
            switch = self.decider.locks[name] = self._new(name, OFF, "locks", "unlocks")
            switch.joins = "lock"
            self._hold(switch, *free_of(record))
        return self.decider.locks[name]

    def _new(self, name: str, start: float, on: str, *off: str) -> Switch:
        b, note = self.layout.builder, self.layout.discrete.note
        b.decides(self.decider)
        record = self.layout.directory.joints[name]
        return Switch(name, b.discrete(start), b.discrete(NOTHING), ends=(record.a, record.b),
                      told_on=note(Told(name, (on,), IMPACTS)), told_off=note(Told(name, off, VALUES)))

    def _hold(self, switch: Switch, places: tuple[int, ...], turns: tuple[tuple[int, int], ...]) -> None:
        """Equations that hold b where it was against a."""
        b, frames = self.layout.builder, switch.ends
        switch.frozen = b.histories
        for number in (*np.zeros(3), *np.eye(3).ravel()):
            b.discrete(number)
        switch.equations = equations = b.equations(f"{switch.joins} of {switch.joint}", frames)
        for axis in places:
            b.pair(HELD_PLACE, switch.joint, *frames, (axis, switch.frozen), joint=equations, row=equations.take())
        for i, j in turns:
            b.pair(HELD_AXES, switch.joint, *frames, (i, switch.frozen, j), joint=equations, row=equations.take())
        b.switchable(equations, switch.level)

    def loose(self) -> set[str]:
        """Joints that hold nothing at some time."""
        actions = [action for item in self.layout.items for happening in item.happenings() for action in happening.do]
        released = {action.joint for action in actions if isinstance(action, Switches) and action.what in ("release", "break")}
        return released | set(self.decider.joints)

    def channels(self) -> dict[str, tuple[str, Channel]]:
        """NAME.state of joints that can be off: 1, or 0, -1 where it is broken; NAME.locked of those with a lock: 1 or 0."""
        decider, found = self.decider, dict[str, tuple[str, Channel]]()
        for name, switch in decider.joints.items():
            also = [decider.heres[name].level] if name in decider.heres else []
            found[f"{name}.state"] = name, Channel("state", "", 1, _level(switch.level, *also))
        for name, switch in decider.locks.items():
            found[f"{name}.locked"] = name, Channel("locked", "", 1, _level(switch.level))
        return found

    def asked(self, action: Switches, item: str) -> tuple[int, float]:
        """A place in the history and what is written there, for an action on a joint."""
        joints, what, name = self.layout.directory.joints, action.what, action.joint
        if name not in joints:
            raise MissingItem(f"{item}: there is no joint {name!r} to {what}{did_you_mean(name, joints)}", name)
        match what:
            case "lock":
                return self.lock(name).asked, HERE
            case "unlock":
                return self.lock(name).asked, OFF
            case "connect":
                switch = self.joint(name)
                if action.here:
                    return self.here(name, item).asked, HERE
                switch.capture = action.capture, action.capture_angle
                return switch.asked, ON
        return self.joint(name).asked, BROKEN if what == "break" else OFF


def _level(*places: int) -> Callable[[Any, str], np.ndarray]:
    """The level of a switch over the rows; of two the higher one."""
    return lambda observer, name: np.asarray(observer.parts["H"][:, places].max(1))


def free_of(record: JointRecord) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Axes along which a joint leaves b free, and pairs of axes whose equations hold the turns that it leaves free."""
    kinds = [kind for kind, *_ in record.directions]
    along = () if "coincident" in kinds else tuple(k for k in range(3) if ("d2", k) not in record.directions)
    if ("coupling",) in record.directions:  # a screw: its turning holds it all
        along = ()
    if len(record.lock) == 3:
        return along, ()
    if len(record.lock) == 1:
        k = record.lock[0]
        return along, (((k + 1) % 3, (k + 2) % 3),)
    return along, TURNS
