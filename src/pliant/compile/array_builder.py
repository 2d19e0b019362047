"""What items call, one after the other, to become rows of the arrays of a model."""
from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..functions.channels import channels
from ..functions.compile import Assembler
from ..functions.expression import Node
from ..functions.failures import Failures
from ..functions.function import Code, asked_by_branches, compile_function
from ..functions.parser import NO_NAMES, Names
from ..functions.time_parts import TimePart
from ..items.declarations import RigidPoint, Told
from ..items.errors import ModelError
from ..kernels.contract import Family

PERIOD = "period"  # among references


@dataclass(frozen=True)
class Place:
    """Where the coordinates of a body are: its tiles (none for the ground) and the start of its part of q."""
    name: str
    tiles: tuple[int, ...]
    iq: int
    make_frame: Callable[..., None]  # of builder, place, number of the frame, point, axes and, of a flexible body, the node
    lines: tuple[tuple[int, int], ...] = ()  # of frames that slide on it: the tile of each, and its place in q
    parts: Callable[[Any, np.ndarray, np.ndarray], tuple[Place, np.ndarray, np.ndarray]] | None = None  # of a body of many nodes: by the
    # node of a frame the place that has it, and its point and axes there

    @property
    def iv(self) -> int:
        return 6 * self.tiles[0]


class SlopeNode(NamedTuple):
    """A node of slopes: the beam that has it, its own name, its places in v and q, and how many vectors of three it has; the first is a
    place, the others slopes."""
    beam: str
    name: str
    iv: int
    iq: int
    vectors: int


@dataclass
class Equations:
    """The tile of multipliers of one joint, filled from its first row on."""
    name: str
    tile: int
    bodies: tuple[int, ...]
    used: int = 0
    slide: tuple[int, ...] = ()  # tiles of coordinates without inertia, which are eliminated after this one

    def take(self, n: int = 1) -> int:
        """The next n rows, in the numbering of R."""
        if self.used + n > 6:
            raise ModelError(f"joint {self.name!r}: {self.used + n} equations for two frames, "
                             "which can move in 6 ways only; remove primitives or drives", (self.name,))
        self.used += n
        return 6 * self.tile + self.used - n


class StateEntry(NamedTuple):
    """A state z of an item: its name, its place in v, and the size that errors of it are measured in."""
    name: str
    iv: int
    nominal: float


class Switchable(NamedTuple):
    """Equations that can be off: rows of a tile, and the place in the history of their level, on where it is positive."""
    equations: Equations
    rows: tuple[int, ...] | None  # in the numbering of R; None: all of the tile
    place: int


class ControllerEntry(NamedTuple):
    """A controller in Python: its item, the places of its inputs in Y (-1: a channel that is no signal), those of its outputs and states
    in the history, and its number among memories of W."""
    item: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    states: tuple[int, ...]
    memory: int


@dataclass
class Row:
    """One element: integers after the block table, reals, tiles of its block table, and the item it belongs to."""
    item: str
    ints: tuple[int, ...]
    reals: tuple[float, ...]
    row_tiles: tuple[int, ...]
    column_tiles: tuple[int, ...]
    coupled: bool


def coupled_tiles(families: Iterable[list[Row]], joints: Container[int]) -> Iterator[tuple[int, int]]:
    """Tiles of bodies that elements couple, and of joints whose multipliers others answer to; those that joints couple are known from the
    joints."""
    for r in (row for rows in families for row in rows if row.coupled or row.row_tiles != row.column_tiles):
        answers = r.row_tiles != r.column_tiles
        bodies, columns = ([k for k in tiles if k >= 0 and (k not in joints or of_joints)]
                           for tiles, of_joints in ((r.row_tiles, False), (r.column_tiles, answers)))
        yield from product(bodies, columns)


def _no_signals(reference: str) -> int:
    raise ValueError(f"unknown reference {reference!r}")


@dataclass
class ArrayBuilder:
    """Collects bodies, then joints, then everything else."""
    gravity: Sequence[float]
    coupled: bool = False  # whether joints add their body-body geometric blocks to the tangent (exact, 20-40 % slower)
    q: list[float] = field(default_factory=list)
    v: list[float] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    rotations: list[tuple[int, int]] = field(default_factory=list)
    linear: list[tuple[int, int]] = field(default_factory=list)
    slopes: list[SlopeNode] = field(default_factory=list)
    frames: list[tuple[int, int, int, int]] = field(default_factory=list)
    fixed: list[tuple[int, list[float]]] = field(default_factory=list)
    velocity_frames: set[int] = field(default_factory=set)
    n_j: int = 0
    joints: list[Equations] = field(default_factory=list)
    velocity_rows: list[int] = field(default_factory=list)  # of R: equations that hold for velocities only
    rows: dict[Family, list[Row]] = field(default_factory=dict)
    tab: list[int] = field(default_factory=list)
    val: list[float] = field(default_factory=list)
    keep: list[Any] = field(default_factory=list)
    failures: Failures = field(default_factory=Failures)
    references: list[tuple[Family | str | None, int]] = field(default_factory=list)
    decides_by_reactions: bool = False          # whether conditions read what joints exert
    borne: list[str] = field(default_factory=list)  # items whose forces depend on it
    asked: set[str] = field(default_factory=set)  # signals that branches of functions and instants depend on
    periods: list[tuple[float, str]] = field(default_factory=list)  # of sampled items, and who they are
    controllers: list[ControllerEntry] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)  # what can happen
    rigid: list[RigidPoint] = field(default_factory=list)
    log: tuple[int, int] = 0, 0                      # where among memories of W it is noted, and how often at most
    observed: list[tuple[str, str]] = field(default_factory=list)  # channels that are looked up at instants, and for whom
    starts: dict[int, float] = field(default_factory=dict)  # of discrete values: place in the history, value at the start
    histories: int = 1
    n_signals: int = 1
    timed: list[TimePart] = field(default_factory=list)  # functions, and parts of functions, that change with t alone
    watched: list[int] = field(default_factory=list)     # where in tab arguments of steep functions are kept
    switches: list[tuple[int, bool, bool]] = field(default_factory=list)  # functions with jumps: code, kinks count, of t alone
    sloped: bool = False                                                  # a function changes with the motion
    signal: Callable[[str], int] = _no_signals
    chain: Callable[[Node], list[tuple[int, Node]]] | None = None  # derivatives of expressions by signals, where these hang on others
    names: list[str] = field(default_factory=list)  # of bodies, as their rotations are listed
    scratch: int = 0                                # numbers that elements need at the end of W, all the same ones
    lines: list[tuple[str, int, float, float]] = field(default_factory=list)  # joints that slide: s in q, ends
    spans: list[float] = field(default_factory=list)  # of curves: how large they are
    own: int = 0                                    # numbers in W that belong to one element each
    tables: dict[int, int] = field(default_factory=dict)  # of `shared`, where they start
    known: Names = NO_NAMES                         # of parameters, variables and tables, in expressions
    states: list[StateEntry] = field(default_factory=list)
    switchables: list[Switchable] = field(default_factory=list)
    deciders: list[Any] = field(default_factory=list)  # what changes the structure at instants, see time_loop.structure

    def __post_init__(self) -> None:
        self.val += map(float, self.gravity)
        self.ground = Place("ground", (), -1, _fixed_frame)

    def place(self, name: str, q: Sequence[float], v: Sequence[float], make_frame: Callable[..., None], lines: int = 0) -> Place:
        """A body with position, quaternion and n further coordinates; v likewise; and places of so many frames that slide on it, each in
        a tile of its own. Bodies come before joints."""
        if self.joints:
            raise ValueError("bodies must be placed before joints")
        n, iq, tile = len(v) - 6, len(self.q), len(self.used)
        count = 1 + (n + 5) // 6
        iv = 6 * tile
        self.q += map(float, q)
        self.v += [*map(float, v), *[0.0] * (6 * count - len(v))]
        self.used += [6] + [min(6, n - 6 * k) for k in range(count - 1)]
        self.names.append(name)
        self.rotations.append((iv + 3, iq + 3))
        self.linear += [(iv + k, iq + k) for k in range(3)] + [(iv + 6 + k, iq + 7 + k) for k in range(n)]
        return Place(name, tuple(range(tile, tile + count)), iq, make_frame, self.slides(lines))

    def slope_place(self, beam: str, name: str, X: Any, v: Any, make_frame: Callable[..., None]) -> Place:
        """A node of slopes, X = (r, r', ...) in rows, two vectors to a tile, or of a place alone; v likewise."""
        if self.joints:
            raise ValueError("nodes must be placed before joints")
        n, iq, tile = int(np.size(X)), len(self.q), len(self.used)
        self.q += map(float, np.ravel(X))
        tiles = (n + 5) // 6
        self.v += [*map(float, np.ravel(v)), *[0.0] * (6 * tiles - n)]
        self.used += [min(6, n - 6 * k) for k in range(tiles)]
        self.linear += [(6 * tile + k, iq + k) for k in range(n)]
        self.slopes.append(SlopeNode(beam, name, 6 * tile, iq, n // 3))
        return Place(name, tuple(range(tile, tile + tiles)), iq, make_frame)

    def slides(self, lines: int) -> tuple[tuple[int, int], ...]:
        """Places of so many frames that slide: the tile of each, and its place in q."""
        if self.joints:
            raise ValueError("what slides must be placed before joints")
        found = tuple((len(self.used) + k, len(self.q) + k) for k in range(lines))
        self.q += [0.0] * lines
        self.v += [0.0] * (6 * lines)
        self.used += [1] * lines
        self.linear += [(6 * t, i) for t, i in found]
        return found

    def state(self, name: str, start: float, nominal: float, fresh: bool) -> int:
        """A state z: a velocity of unit mass without a position; returns its place in v. Those of one item share tiles, six in each;
        ``fresh``: the first one of an item."""
        if self.joints:
            raise ValueError("states must be placed before joints")
        if fresh or self.used[-1] == 6:
            self.used.append(0)
            self.v += [0.0] * 6
        iv = 6 * len(self.used) - 6 + self.used[-1]
        self.used[-1] += 1
        self.v[iv] = start
        self.states.append(StateEntry(name, iv, nominal))
        return iv

    def frame(self, place: Place, point: Any, axes: Any = None, node: Any = None) -> int:
        """A frame on a body, in its axes, of a flexible one at a node; returns its number."""
        given = np.asarray(point, float), np.eye(3) if axes is None else np.asarray(axes, float)
        if place.parts is not None:
            (place, *given), node = place.parts(node, *given), None  # type: ignore[assignment]
        number = self.bare_frame(place)
        place.make_frame(self, place, number, *given, *(() if node is None else (node,)))
        return number

    def bare_frame(self, place: Place) -> int:
        """The number of a frame on a body that an element of the caller places."""
        self.frames.append((len(place.tiles), self.n_j, 0, place.tiles[0] if place.tiles else 0))
        self.n_j += len(place.tiles)
        return len(self.frames) - 1

    def sliding_frame(self, place: Place, number: int) -> tuple[int, int]:
        """A frame that moves with a body, or the ground, and with a coordinate of a line of it, and the one that shows that coordinate."""
        tile = place.lines[number][0]
        for first in ((*place.tiles, tile)[0], tile):
            self.frames.append((tile - first + 1, self.n_j, 0, first))
            self.n_j += tile - first + 1
        return len(self.frames) - 2, len(self.frames) - 1

    def tiles_of(self, frame: int) -> tuple[int, ...]:
        n, _, _, first = self.frames[frame]
        return tuple(range(first, first + n))

    def equations(self, name: str, frames: Sequence[int]) -> Equations:
        """A new tile of multipliers; it waits for all bodies of ``frames`` in the elimination."""
        bodies = tuple(dict.fromkeys(k for f in frames for k in self.tiles_of(f)))
        self.joints.append(Equations(name, len(self.used) + len(self.joints), bodies))
        return self.joints[-1]

    def switchable(self, equations: Equations, place: int, rows: Sequence[int] | None = None) -> None:
        """A tile of equations, or some ``rows`` of it, that are on while the number at a ``place`` of the history is positive. The place is
        `discrete(start)`; no row belongs to two."""
        self.switchables.append(Switchable(equations, None if rows is None else tuple(sorted(rows)), place))

    def decides(self, decider: Any) -> None:
        """An object with ``pass_instant(dynamics, row)``: it acts at instants at which the update program has set W[ASKED]."""
        if decider not in self.deciders:
            self.deciders.append(decider)

    def close_switches(self) -> None:
        """Elements of all that is switchable, when the equations of every tile are known."""
        from ..families.switching import SWITCHING
        for equations, given, place in self.switchables:
            first = 6 * equations.tile
            rows = np.arange(first, first + equations.used) if given is None else np.array(given)
            tiles = (*equations.bodies, equations.tile)
            for part in np.split(rows, 1 + np.flatnonzero(np.diff(rows) > 1)):
                ints = (-1, -1, part[0], part.size, place, self.memory(part.size), len(tiles))
                self.element(SWITCHING, equations.name, ints, tiles=tiles, coupled=False)

    def element(self, family: Family, item: str, ints: Sequence[int], reals: Sequence[float] = (), *,
                tiles: Sequence[int] = (), columns: Sequence[int] | None = None, coupled: bool = True) -> int:
        """One row of a family: its block table covers tiles x columns. Returns its number within the family."""
        rows = self.rows.setdefault(family, [])
        reals = tuple(map(float, reals))
        rows.append(Row(item, tuple(map(int, ints)), reals, tuple(tiles), tuple(tiles if columns is None else columns), coupled))
        return len(rows) - 1

    def pair(self, family: Family, item: str, a: int, b: int, ints: Sequence[int], reals: Sequence[float] = (), *,
             joint: Equations | None = None, row: int = -1, velocity: bool = False, reads: bool = False) -> int:
        """An element between two frames; ``velocity`` when it depends on their velocities, ``reads`` when it adds no forces."""
        if velocity:
            self.velocity_frames |= {a, b}
        tiles = () if reads else (*self.tiles_of(a), *self.tiles_of(b), joint.tile if joint else -1)
        return self.element(family, item, (a, b, row, *ints), reals, tiles=tiles, coupled=joint is None or self.coupled)

    def row_of(self, family: Family, number: int) -> int:
        """A reference to another element, for the integers of an element: resolved when the tables are made."""
        self.references.append((family, number))
        return -1 - len(self.references)

    def memory(self, size: int) -> int:
        """So many numbers of W that keep what an element wrote from one stage to the next: where they begin, as `row_of`."""
        self.references.append((None, self.own))
        self.own += size
        return -1 - len(self.references)

    def period(self, seconds: float, owner: str) -> int:
        """A reference to a period, for the integers of an element: it becomes a number of base periods."""
        self.periods.append((seconds, owner))
        self.references.append((PERIOD, len(self.periods) - 1))
        return -1 - len(self.references)

    def discrete(self, start: float) -> int:
        """The place of a discrete value in the history."""
        place = self.history()
        self.starts[place] = start
        return place

    def pool(self, *arrays: Any) -> int:
        """Numbers of variable count; returns where they start."""
        start = len(self.val)
        for x in arrays:
            self.val += map(float, np.ravel(x))
        return start

    def shared(self, table: np.ndarray) -> int:
        """The same for a table that many elements have: stored once. Bodies of the same part then fit better in the processor's cache."""
        key = hash(table.tobytes())
        if key not in self.tables or not np.array_equal(self.val[self.tables[key]:self.tables[key] + table.size], table.ravel()):
            self.tables[key] = self.pool(table)
        return self.tables[key]

    def function(self, function: Any, variables: tuple[str, ...], where: str, kinks: bool = False) -> Code:
        """The programs of a function; ``kinks``: whether a kink of it makes the motion jump, as that of a drive does."""
        code = compile_function(function, variables, self, where, rates=kinks)
        if code.jumps or (kinks and code.kinks):
            self.switches.append((code.value, kinks, code.timed))
        self.asked |= asked_by_branches(code.node) if code.jumps else set()
        self.timed += [part._replace(kinks=kinks, where=where) for part in code.parts]
        self.watched += code.watched
        self.sloped = self.sloped or code.by_x >= 0 or code.by_v >= 0 or len(code.by_signal) > 0
        return code

    def choices(self, count: int) -> int:
        """Places in W of choices that elements make and hold, each with its margin behind it: where the first one is, after SCRATCH."""
        place = len(self.tab) + 1  # behind the margin of the last instruction before
        self.tab += [0] * (1 + 2 * count)
        self.switches.append((place, False, False))
        return place

    def sampled(self, function: Any, variables: tuple[str, ...], where: str) -> Code:
        """The same for a function that is asked at instants only, so that its jumps are none of the motion."""
        code = compile_function(function, variables, self, where)
        self.asked |= set(channels(code.node))
        return code

    def program(self, node: Node) -> int:
        """The program of an expression alone; where it starts in ``tab``."""
        return Assembler(self).program(node)

    def history(self, numbers: int = 1) -> int:
        """The first of so many places in the history."""
        self.histories += numbers
        return self.histories - numbers

    def new_signal(self) -> int:
        self.n_signals += 1
        return self.n_signals - 1


def _fixed_frame(b: ArrayBuilder, place: Place, number: int, point: np.ndarray, axes: np.ndarray) -> None:
    b.fixed.append((number, [*point, *axes.ravel()]))
