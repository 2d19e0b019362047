"""What a kind of item says of itself in its own file: its channels, where it is stiff, how a tree of joints carries it.

The compiler, channels, the choice of methods, checks, pictures and the viewer read it; none of them lists kinds.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..functions.expression import Node
    from .base import Frame

UNLOADED = "unloaded"                # signal of a spring between two points: its length without load
BALL = "ball"                        # a move in any direction of rotation, by a quaternion
SLIDES, TURNS = ("x", "y", "z"), ("rx", "ry", "rz")


class Channel(NamedTuple):
    """A named result of an item: unit, number of components, and how an observer and the name of the item give it."""
    name: str
    unit: str
    size: int
    compute: Callable[[Any, str], np.ndarray]


class Stiffness(NamedTuple):
    """A direction in which a force is stiff: a unit wrench (force, moment, world axes) on frame b with its opposite on a,
    stiffness and damping along it."""
    wrench: np.ndarray
    stiffness: float
    damping: float


class CoordinateUse(NamedTuple):
    """A coordinate of a joint that an item acts on or prescribes; ``path``: where the item says so in its text."""
    joint: str
    coordinate: str
    path: tuple[Any, ...] = ("joint",)


class State(NamedTuple):
    """A state z of an item, with z' = ``rate``, a function of t and signals. ``start``: a number, or a function of the signals at the
    start. ``nominal``: the size that its errors are measured in, as long as it has not been larger."""
    name: str
    unit: str
    rate: Node | str
    start: float | Node | str = 0.0
    nominal: float = 1.0


class Gauge(NamedTuple):
    """A signal that the state gives: how far the second of two frames is from the first, along an axis of that; with its rate, called
    NAME_rate."""
    name: str
    frames: tuple[int, int]
    axis: int


class Bearing(NamedTuple):
    """A signal that multipliers give: the load of a bearing or guideway by what its joint exerts, the ``levers`` of the force across the
    axis, of that along it, and of the moment, and a ``preload``. ``item``: whose it is."""
    item: str
    name: str
    joint: str
    levers: tuple[float, float, float]
    preload: float


class Output(NamedTuple):
    """A signal that an item computes from t and other signals: a channel, and a name in expressions."""
    name: str
    unit: str
    value: Node | str | Given | Law | Collected | RateOf


class Held(NamedTuple):
    """A signal that is computed at the ticks of a ``period`` [s] and held in between."""
    name: str
    unit: str
    value: Node | str | Random
    period: float


class Random(NamedTuple):
    """In place of the value of what is held: independent normal numbers of mean 0 and variance 1, by the key of their sequence."""
    key: int


class Memory(NamedTuple):
    """A discrete state: at every tick it becomes ``next``, a function of t and of signals as they are then, itself among them."""
    name: str
    unit: str
    next: Node | str
    period: float
    start: float = 0.0


class Latch(NamedTuple):
    """A discrete state that is looked at wherever a function jumps, and at all ticks: it becomes ``value``, a function of t and signals,
    itself among them. ``tells``: what `sol.events` says of a change, a word for each value 0, 1, 2, …; the last also for all above."""
    name: str
    unit: str
    value: Node | str
    start: float = 0.0
    tells: tuple[str, ...] = ()


class Told(NamedTuple):
    """A row of the table of what can happen in a run: of which item, in which ``words`` by its value, and what its two numbers are,
    VALUES, IMPACTS or WORDS."""
    item: str
    words: tuple[str, ...]
    numbers: str


VALUES, IMPACTS, WORDS = "value", "impact", "word"  # a new value; impulse and energy lost; the word alone


class RigidPoint(NamedTuple):
    """Where a rigid contact or limit is found: its item, rows of its multipliers (normal, and two tangential ones if it rubs), its place
    among memories of W and in the history; its restitutions and coefficients of friction; what is told of it, impacts and changes."""
    item: str
    rows: tuple[int, ...]
    seen: int
    phase: int
    restitution: float
    tangential: float = 0.0
    friction: float = 0.0
    static: float = 0.0
    how: int = 0  # its impacts: a number of `kernels.impacts`
    impacts: int = -1
    changes: int = -1
    angle: bool = False
    joint: str = ""      # of a limit, and its coordinate there
    coordinate: str = ""


class Play(NamedTuple):
    """A discrete state that the signal ``of`` takes along where it is more than ``half`` away from it: after every step and at all
    instants, while the discrete state ``side`` is not 0."""
    name: str
    unit: str
    of: str
    half: float
    side: str
    start: float = 0.0


class Lag(NamedTuple):
    """A signal as it was ``delay`` seconds before. ``before``: what it gives until the start has come back; None: the input then."""
    name: str
    unit: str
    of: str
    delay: float
    before: float | None


class Controls(NamedTuple):
    """A function of Python that is called at the ticks of a period: channels in, (name, unit) out, start values of its states."""
    period: float
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]
    start: tuple[float, ...]


JOINT_ACTIONS = "lock", "unlock", "release", "connect", "break"


class Switches(NamedTuple):
    """An action on a joint, ``what`` of JOINT_ACTIONS. ``here``: connected where it is, instead of as modelled, for
    which its sides must be within ``capture`` [m] and ``capture_angle`` [rad]."""
    what: str
    joint: str
    here: bool = False
    capture: float = 1e-3
    capture_angle: float = 1e-3


class Happening(NamedTuple):
    """When a condition (a number that is 0 or 1) becomes true: (name of a discrete or continuous state, value), an action on a joint, or
    None to end the run. ``once``: the first time only."""
    when: Node | str
    do: tuple[tuple[str, Node | str] | Switches | None, ...]
    once: bool = False


class Given(NamedTuple):
    """In place of the value of an output: a number that linear models have as an input."""
    value: float


class Law(NamedTuple):
    """In place of the value of an output: k x + d v + laws F(t, x, v), of trees x and v."""
    x: Node
    v: Node
    stiffness: float
    damping: float
    laws: tuple[Any, ...]


class RateOf(NamedTuple):
    """In place of the value of an output: the time derivative of a signal, formed from that of what it is of. Velocities have none."""
    signal: str


class Collected(NamedTuple):
    """In place of the value of an output: the sum of what items let flow into a port, as of a node of a network."""


class Inflow(NamedTuple):
    """What an item lets flow into a port: ``port`` (an item, or item.side), the output of it that collects such flows, the flow, and the
    field of the item that names the port."""
    port: str
    what: str
    value: Node
    field: str


class Energies(NamedTuple):
    """What an item with states adds to the balance of energy: what it has stored [J], what it loses and what is supplied to it [W]."""
    stored: Node | str | None = None
    lost: Node | str | None = None
    supplied: Node | str | None = None


class ConstantLoad(NamedTuple):
    """The constant part of a load on a frame: a force [N, or ``unit``] or ``moment`` [N m], in world axes, or in those of the frame
    if it ``turns`` with it."""
    frame: Frame
    vector: tuple[float, ...]
    moment: bool = False
    turns: bool = False
    unit: str = "N"


class TreeJoint(NamedTuple):
    """How joint coordinates carry what a joint holds: its moves one after the other from frame a to b, each in the axes that
    those before it have turned. "x", "y", "z": along an axis; "rx", "ry", "rz": about it; "ball": any rotation. ``coordinates``
    names them; "angle" and "displacement" are those of the joint itself, for drives and springs."""
    moves: tuple[str, ...]
    coordinates: tuple[str, ...]
    rates: tuple[str, ...] = ()  # where their names are others
    helical: bool = False        # it slides as it turns
    numbered: bool = False       # coordinates are numbered from the inner body on, whichever that is

    @property
    def freedom(self) -> int:
        """Number of rates."""
        return sum(3 if move == BALL else 1 for move in self.moves)

    @property
    def lengths(self) -> list[int]:
        """Which rates are those of lengths."""
        return [k for k, move in enumerate(self.moves) if move in SLIDES]

    @property
    def reversed(self) -> TreeJoint:
        """The same from b to a, where every coordinate has the opposite sign."""
        names = self.coordinates if self.numbered else self.coordinates[::-1]
        return self._replace(moves=self.moves[::-1], coordinates=names)


FREE = TreeJoint((*SLIDES, BALL), ("r.x", "r.y", "r.z", "w", "x", "y", "z"), ("v.x", "v.y", "v.z", "w.x", "w.y", "w.z"))


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about an axis."""
    c, s, R = np.cos(angle), np.sin(angle), np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[j, j], R[i, j], R[j, i] = c, c, -s, s
    return R


def moved(joint: TreeJoint, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Way from a to b and axes of b, in the axes of the joint on a, at values of the coordinates (no ball)."""
    way, R = np.zeros(3), np.eye(3)
    for move, value in zip(joint.moves, values, strict=True):
        if move in SLIDES:
            way += value * R[:, SLIDES.index(move)]
        else:
            R = R @ turn(TURNS.index(move), value)
    return way, R


def fault(joint: TreeJoint, constraints: tuple[tuple[Any, ...], ...]) -> str:
    """What is wrong with a tree joint for the equations of its joint; nothing if all is well."""
    rows = sum(3 if kind == "coincident" else 1 for kind, *_ in constraints) + joint.helical
    if known := [move for move in joint.moves if move not in (*SLIDES, *TURNS, BALL)]:
        return f"the move {known[0]!r} is not known; there are {', '.join((*SLIDES, *TURNS))} and {BALL}"
    if joint.freedom + rows != 6:
        return f"{joint.freedom} moves and {rows} equations are not six together"
    if BALL in joint.moves:
        alone = joint.moves == (BALL,) and set(constraints) == {("coincident",)}
        return "" if alone else "a ball must be its only move, with coincident points"
    if len(joint.coordinates) != len(joint.moves):
        return f"{len(joint.moves)} moves and {len(joint.coordinates)} names of coordinates"
    turns = [move for move in joint.moves if move in TURNS]
    if len(set(turns)) < len(turns):
        return "turns must be about different axes: as modelled they would be in line"
    way, R = moved(joint, 0.7 + 0.31 * np.arange(len(joint.moves)) ** 2)
    for primitive in constraints:
        if abs(_gap(primitive, way, R)) > 1e-12:
            return f"its moves break the equation {primitive}"
    return ""


def _gap(primitive: tuple[Any, ...], way: np.ndarray, R: np.ndarray) -> float:
    """By how much an equation of a joint is not satisfied; what is no equation of directions never is."""
    match primitive:
        case ("coincident",):
            return float(abs(way).max())
        case ("d1", i, j):
            return float(R[i, j])
        case ("d2", i):
            return float(way[i])
    return np.inf
