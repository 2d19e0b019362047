"""Names of a model, and where their results are found in the arrays of its System."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..items.base import matrix_of
from .array_builder import Equations, StateEntry

if TYPE_CHECKING:
    from ..functions.expression import Node
    from ..items.adaptive import AdaptiveModes
    from ..items.base import Item
    from ..items.declarations import Channel, CoordinateUse
    from ..items.joints import Connection
    from ..kernels.contract import Family

ACROSS = "+"  # behind the name of a node: its slopes across the beam
Z = 2  # joint coordinates are about and along the z axis of the joint frame


@dataclass
class JointRecord:
    """What the channels of a joint are read from."""
    a: int
    b: int
    rows: list[int]
    equations: Equations
    zeros: dict[str, float]                                  # what is added to the raw coordinates
    start: dict[str, float] = field(default_factory=dict)    # their values in the pose as modelled
    turn: np.ndarray = field(default_factory=lambda: np.eye(3))  # joint axes in the axes of frame a
    histories: dict[str, int] = field(default_factory=dict)  # the count of turns of its angle
    tangent: int = -1                                        # where the history keeps a direction of what rolls on a sphere
    length: float | None = None
    stated: dict[str, float] = field(default_factory=dict)   # start values of its coordinates and rates, where the user gave them
    lock: tuple[int, ...] = ()                               # axes of a and b that its equations keep parallel
    bodies: tuple[str, str] = ("", "")
    directions: list[tuple[Any, ...]] = field(default_factory=list)  # of its rows: what each equation holds, see planes.functional
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))      # joint axes in the world, as modelled
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))  # from a to b in the world, as modelled
    counter: tuple[int, int] | None = None                   # frames whose displacement is the place on a line
    untwisted: bool = False                                  # a body of it has no twist, so that there is no turn about its axis
    carrier: type[Connection] | None = None                  # the kind as which joint coordinates carry it

    def ends(self, coordinate: str) -> tuple[int, int]:
        """The frames that a coordinate is of."""
        return self.counter if self.counter and coordinate == "displacement" else (self.a, self.b)


@dataclass
class ForceRecord:
    """Of a force: its frames, and its rows in a family."""
    a: int
    b: int
    family: Family
    row: int
    count: int = 0
    spans: bool = False  # its ends tell how large the model is


@dataclass
class StatedVelocity:
    """The velocities a user stated: of the body's origin (world axes) and angular (body axes)."""
    iv: int
    which: list[bool]
    values: np.ndarray
    iq: int
    com: np.ndarray  # the centre of mass in body axes
    slopes: bool = False  # of a node of slopes: of its place, and the rates of its slope

    def map(self, q: np.ndarray) -> np.ndarray:
        """From the velocities of the centre of mass to those stated, 6x6, at a position: v_origin = v + R [com] w"""
        x, y, z = self.com
        origin = np.eye(6)
        if self.slopes:
            return origin
        origin[:3, 3:] = matrix_of(q[self.iq + 3:self.iq + 7].tolist()) @ np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return origin


@dataclass
class Flexible:
    """The modal coordinates of a body: where they are in q and v, and what a modal coordinate of the user is in those (metres, as
    everything that is not an angle: the root of the mean square of its displacements)."""
    iq: int
    iv: int
    scale: np.ndarray      # coordinate in q = scale * coordinate of the user
    inertia: np.ndarray    # of the undeformed body about its centre of mass
    stated: bool           # whether the user stated rates
    limit: float           # the largest size that linear modes are good for, in q
    frames: dict[int, str]  # frames that joints and forces act on: number -> node
    sliders: dict[int, tuple[str, int]]  # frames on lines: number -> line, place of its coordinate in q
    feet: dict[int, tuple[str, str]]     # frames where lines are touched: number -> line, contact
    adaptive: AdaptiveModes | None = None  # which modes take part is decided in the run
    spread: dict[str, str] = field(default_factory=dict)  # items that apply loads of its part: item -> load


class BeamRecord(NamedTuple):
    """Of a beam: names of its nodes, among bodies of the system, and the row of its first element in its family; the family, if forces in
    its sections are known."""
    nodes: tuple[str, ...]
    row: int
    family: Family | None = None


class ChannelMap:
    """Names of the model, and where their results are found in the arrays of the System."""

    def __init__(self) -> None:
        self.frames: dict[str, int] = {}            # body, body.frame -> frame number
        self.joints: dict[str, JointRecord] = {}
        self.drives: dict[str, tuple[int, float, str, str]] = {}  # row, factor, joint, coordinate
        self.codes: dict[str, int] = {}             # of the functions of drives
        self.rates: dict[str, tuple[int, int, int]] = {}  # of those by Python functions: value and derivatives
        self.forces: dict[str, ForceRecord] = {}
        self.contacts: dict[str, list[tuple[Family, int, bool]]] = {}  # family, row, frames exchanged
        self.feet: dict[str, int] = {}                       # of contacts with lines: where they are on them, a row of `families.feet`
        self.measures: dict[str, tuple[int, ...]] = {}       # frames a, b, and whose axes
        self.groups: dict[str, tuple[str, ...]] = {}         # their bodies
        self.channels: dict[str, tuple[str, Channel]] = {}   # of items, as they are listed: whose it is, and what
        self.masses: dict[str, float] = {}          # of bodies [kg]
        self.switched: set[str] = set()             # joints that can be off
        self.stated: dict[str, StatedVelocity] = {}
        self.holds: dict[str, JointRecord] = {}     # hidden joints that keep bodies in their planes, by body
        self.across: dict[str, list[tuple[Item, CoordinateUse]]] = {}  # what acts on coordinates of a joint
        self.couplings: dict[str, tuple[int, str]] = {}  # row, unit of its effort
        self.terms: dict[str, dict[tuple[str, str], float]] = {}  # of couplings: joint, coordinate -> its factor
        self.related: set[str] = set()              # signals that functions of couplings use
        self.flexible: dict[str, Flexible] = {}     # modal bodies
        self.beams: dict[str, BeamRecord] = {}      # bodies of many nodes
        self.sectioned: set[str] = set()            # bodies whose frames are sections: their angular velocities are in axes of their own
        self.states: dict[str, StateEntry] = {}     # of items, by the name of their channel
        self.starts: dict[str, int] = {}            # of states that begin with a function of signals: its program
        self.inputs: dict[str, int] = {}            # free inputs: their rows among entries
        self.signals: dict[str, int] = {}           # channels that are signals: their places in Y
        self.variables: dict[str, Node] = {}        # their expressions
        self.relations: dict[str, Node] = {}        # of couplings by a function: what is kept

    def whole(self, node: str) -> str:
        """The beam that a node belongs to; other bodies are whole."""
        node = node.removesuffix(ACROSS)
        return next((name for name, beam in self.beams.items() if node in beam.nodes), node)

    @property
    def adaptive(self) -> list[str]:
        """Bodies whose modes are chosen during a run."""
        return [name for name, body in self.flexible.items() if body.adaptive is not None]
