"""System: a model compiled to flat arrays. ArrayBuilder: what items call, one after the other, to become rows of those arrays."""
from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numba import types

from ..functions.failures import Failures
from ..functions.function import Code, compile_function
from ..functions.time_parts import TimePart
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.block_lu import Elimination, analyse
from ..kernels.contract import FRAME_WIDTH, PROGRAMS, STAGES, F, Family, address
from ..kernels.evaluation import Data, Memory, Program
from ..kernels.expression_vm import SCRATCH, TIME_STEP
from ..kernels.jit import DISABLED

INTEGERS, REALS = 12, 12                # width of ip and rp
DIFFERENCE = 1e-3                       # s: of Python functions by time, until a run says otherwise
REGULARISATION = 1e-9                   # subtracted from multiplier diagonals, relative to C M^-1 C^T


@dataclass(frozen=True)
class Place:
    """Where the coordinates of a body are: its tiles (none for the ground) and the start of its part of q."""
    name: str
    tiles: tuple[int, ...]
    iq: int
    make_frame: Callable[..., None]  # of builder, place, number of the frame, point, axes and, of a flexible body, the node
    lines: tuple[tuple[int, int], ...] = ()  # of frames that slide on it: the tile of each, and its place in q

    @property
    def iv(self) -> int:
        return 6 * self.tiles[0]


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


@dataclass
class Row:
    """One element: integers after the block table, reals, tiles of its block table, and the item it belongs to."""
    item: str
    ints: tuple[int, ...]
    reals: tuple[float, ...]
    row_tiles: tuple[int, ...]
    column_tiles: tuple[int, ...]
    coupled: bool


def _coupled_tiles(families: Iterable[list[Row]], joints: Container[int]) -> Iterator[tuple[int, int]]:
    """Tiles of bodies that elements couple; those of joints are known from the joints."""
    for r in (row for rows in families for row in rows if row.coupled or row.row_tiles != row.column_tiles):
        of_bodies = [[k for k in tiles if k >= 0 and k not in joints] for tiles in (r.row_tiles, r.column_tiles)]
        yield from product(*of_bodies)


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
    frames: list[tuple[int, int, int, int]] = field(default_factory=list)
    fixed: list[tuple[int, list[float]]] = field(default_factory=list)
    velocity_frames: set[int] = field(default_factory=set)
    n_j: int = 0
    joints: list[Equations] = field(default_factory=list)
    rows: dict[Family, list[Row]] = field(default_factory=dict)
    tab: list[int] = field(default_factory=list)
    val: list[float] = field(default_factory=list)
    keep: list[Any] = field(default_factory=list)
    failures: Failures = field(default_factory=Failures)
    references: list[tuple[Family | None, int]] = field(default_factory=list)
    histories: int = 1
    n_signals: int = 1
    timed: list[TimePart] = field(default_factory=list)  # functions, and parts of functions, that change with t alone
    watched: list[int] = field(default_factory=list)     # where in tab arguments of steep functions are kept
    switches: list[tuple[int, bool, bool]] = field(default_factory=list)  # functions with jumps: code, kinks count, of t alone
    signal: Callable[[str], int] = _no_signals
    names: list[str] = field(default_factory=list)  # of bodies, as their rotations are listed
    scratch: int = 0                                # numbers that elements need at the end of W, all the same ones
    lines: list[tuple[str, int, float, float]] = field(default_factory=list)  # joints that slide: s in q, ends
    own: int = 0                                    # numbers in W that belong to one element each
    tables: dict[int, int] = field(default_factory=dict)  # of `shared`, where they start

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
        slides = tuple((tile + count + k, iq + 7 + n + k) for k in range(lines))
        self.q += [0.0] * lines
        self.v += [0.0] * (6 * lines)
        self.used += [1] * lines
        self.linear += [(6 * t, i) for t, i in slides]
        return Place(name, tuple(range(tile, tile + count)), iq, make_frame, slides)

    def frame(self, place: Place, point: Any, axes: Any = None, node: str | None = None) -> int:
        """A frame on a body, in its axes, of a flexible one at a node; returns its number."""
        number = len(self.frames)
        self.frames.append((len(place.tiles), self.n_j, 0, place.tiles[0] if place.tiles else 0))
        self.n_j += len(place.tiles)
        given = np.asarray(point, float), np.eye(3) if axes is None else np.asarray(axes, float)
        place.make_frame(self, place, number, *given, *(() if node is None else (node,)))
        return number

    def sliding_frame(self, place: Place, number: int) -> tuple[int, int]:
        """A frame that moves with a body and with a coordinate of a line of it, and the one that shows that coordinate."""
        tile = place.lines[number][0]
        for first in (place.tiles[0], tile):
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
        self.timed += [part._replace(kinks=kinks, where=where) for part in code.parts]
        self.watched += code.watched
        return code

    def history(self, numbers: int = 1) -> int:
        """The first of so many places in the history."""
        self.histories += numbers
        return self.histories - numbers

    def new_signal(self) -> int:
        self.n_signals += 1
        return self.n_signals - 1

    def system(self) -> System:
        return System(self)


def _fixed_frame(b: ArrayBuilder, place: Place, number: int, point: np.ndarray, axes: np.ndarray) -> None:
    b.fixed.append((number, [*point, *axes.ravel()]))


class System:
    """The compiled model: immutable arrays, the symbolic factorisation, and programs of addresses made on demand.
    All runs share it; what they change is in memories."""

    def __init__(self, b: ArrayBuilder) -> None:
        n_bodies = len(b.used)
        self.n_tiles = n_bodies + len(b.joints)
        self.n_v, self.n = 6 * n_bodies, 6 * self.n_tiles
        used = b.used + [j.used for j in b.joints]
        self.lu, self.block = self._analyse(b, used)
        self.active = np.array([6 * k + i for k, n in enumerate(used) for i in range(n)], np.int64)
        self.families: dict[Family, tuple[int, int]] = {}
        self.owners: list[str] = []
        self.data = self._tables(b)
        self.q0, self.v0 = np.array(b.q, float), np.zeros(self.n)
        self.v0[:self.n_v] = b.v
        self.fixed, self.n_j, self.histories, self.n_signals = b.fixed, b.n_j, b.histories, b.n_signals
        self.joints, self.keep, self.failures = b.joints, b.keep, b.failures
        self.switches, self.timed, self.watched, self.lines = b.switches, b.timed, b.watched, b.lines
        self.n_choices = len(b.tab) + 1
        self.bodies, self.scratch = b.names, SCRATCH + self.n_choices + b.own + b.scratch
        self._programs: dict[Any, Program] = {}
        self._scale_regularisation()

    def _analyse(self, b: ArrayBuilder, used: list[int]) -> tuple[Elimination, dict[tuple[int, int], int]]:
        joints = {j.tile: tuple(k for k in j.bodies if k not in j.slide) for j in b.joints}
        edges = {(j.tile, k) for j in b.joints for k in j.bodies}
        edges.update(_coupled_tiles(b.rows.values(), joints))
        for first, count in {(f[3], f[0]) for f in b.frames if f[0] > 1}:  # all tiles of one body are coupled
            edges |= {(i, k) for i in range(first, first + count) for k in range(first, first + count)}
        waits = np.zeros(6 * self.n_tiles)
        for j in b.joints:
            waits[6 * j.tile:6 * j.tile + j.used] = 1.0  # scaled once the Jacobian is known
        return analyse(self.n_tiles, edges, joints | {k: (j.tile,) for j in b.joints for k in j.slide}, used, waits)

    def _tables(self, b: ArrayBuilder) -> Data:
        tab, tables, ip, rp = list(b.tab), {}, [], []  # type: ignore[var-annotated]
        for family, rows in b.rows.items():
            self.families[family] = len(ip), len(ip) + len(rows)
            for r in rows:
                key = r.row_tiles, r.column_tiles, r.coupled
                if key not in tables:
                    tables[key] = len(tab)
                    joint = -1 if r.coupled else r.row_tiles[-1]
                    tab += [self.block.get((i, j), -1) if r.coupled or joint in (i, j) else -1
                            for i in r.row_tiles for j in r.column_tiles]
                ip.append((tables[key], *r.ints, *[-1] * (INTEGERS - 1 - len(r.ints))))
                rp.append((*r.reals, *[0.0] * (REALS - len(r.reals))))
                self.owners.append(r.item)
        if b.references:
            place = {-2 - k: number + (SCRATCH + len(b.tab) + 1 if family is None else self.families[family][0])
                     for k, (family, number) in enumerate(b.references)}
            ip = [tuple(place.get(i, i) for i in row) for row in ip]
        frames = np.array(b.frames, np.int64).reshape(-1, 4)
        frames[sorted(b.velocity_frames), 2] = 1
        return Data(np.array(ip, np.int64).reshape(-1, INTEGERS), np.array(rp, float).reshape(-1, REALS), frames,
                    np.array([*tab, 0], np.int64), np.array(b.val, float),
                    np.array(b.rotations, np.int64).reshape(-1, 2), np.array(b.linear, np.int64).reshape(-1, 2))

    def memory(self, x: Any = np.float64) -> Memory:
        """Fresh memory at the initial state."""
        def z(*shape: int) -> np.ndarray:
            return np.zeros(shape, x)
        X = z(max(1, len(self.data.fr)), FRAME_WIDTH)
        X[:, [3, 7, 11]] = 1
        for frame, row in self.fixed:
            X[frame, :12] = row
        n, jt, W = self.n, max(1, self.n_j), z(self.scratch)
        W[TIME_STEP] = DIFFERENCE
        T = z(self.n_tiles, 9)
        T[:, [0, 4, 8]] = 1
        return Memory(self.q0.astype(x), self.v0.astype(x), z(n), z(n), z(self.histories), z(self.n_signals), X, z(jt, 6, 6),
                      z(jt, 6, 6), T, z(n), z(n), z(max(1, len(self.block)), 6, 6), z(6), W)

    def typed_data(self, x: Any = np.float64) -> Data:
        return self.data if x is np.float64 else self.data._replace(rp=self.data.rp.astype(x), val=self.data.val.astype(x))

    def program(self, name: str, x: Any = np.float64, families: Sequence[Family] | None = None) -> Program:
        """The family functions of program ``name``, stage by stage; only families in use are compiled, here and now. "matrix" is the
        tangent for cd = ck = 0, without the stiffness of forces."""
        key = name, x, None if families is None else tuple(f.name for f in families)
        if key not in self._programs:
            scalar = types.float64 if x is np.float64 else types.complex128
            calls = []
            for stage in STAGES:
                for family, rows in self.families.items():
                    which = name if name != "matrix" else "residual" if family.force else "tangent"
                    function = getattr(getattr(family, stage), which)
                    if function is not None and (families is None or family in families):
                        calls.append((address(function, scalar), rows))
            addresses = [c[0] for c in calls]
            self._programs[key] = Program(addresses if DISABLED else np.array(addresses, np.int64),  # type: ignore[arg-type]
                                          np.array([c[1] for c in calls], np.int64).reshape(-1, 2))
        return self._programs[key]

    def dense(self, D: np.ndarray) -> np.ndarray:
        """The stored tiles as one matrix, for tests and small models."""
        full = np.zeros((self.n, self.n), D.dtype)
        for (i, j), k in self.block.items():
            full[6 * i:6 * i + 6, 6 * j:6 * j + 6] = D[k]
        return full

    def culprit(self, x: Memory, t: float, program: str = "residual") -> str | None:
        """The item whose element gives numbers that are not finite at the state in ``x``; None if there is none."""
        column = PROGRAMS.index(program)
        first = [f for f in self.families if f.push[column] or f.sense[column]]
        before = self.program(program, families=first)
        for family, (start, end) in self.families.items():
            function = family.act[column] or family.sense[column]
            for row in range(start, end) if function is not None else ():
                rows = np.vstack([before.rows, [[row, row + 1]]]).astype(np.int64)
                addresses = [*before.address, address(function)]
                x.X[:, F:F + 6], x.V[:], x.D[:] = 0, 0, 0
                single = Program(addresses if DISABLED else np.array(addresses, np.int64), rows)  # type: ignore[arg-type]
                evaluation.run(single, self.data, x, t, 1.0, 0.0, 0.0)
                if not all(np.isfinite(part).all() for part in (x.R, x.V, x.X, x.D)):
                    return self.owners[row]
        return None

    def beyond(self, q: np.ndarray) -> str:
        """The sentence for a joint that has left its line; empty if there is none."""
        for name, iq, low, high in self.lines:
            if not low <= q[iq] <= high:
                at = min(max(q[iq], low), high)
                return (f"joint {name!r} has come to the end of its line, at {at:.6g} m ({low:g} to {high:g} m). End "
                        "the run before that, hold it by a drive or a spring, or take a longer line")
        return ""

    def check_finite(self, x: Memory, t: float, *programs: str) -> None:
        """Raise what a user's function raised, or a sentence that names the item with numbers that are not finite."""
        if self.failures:
            raise self.failures.take()[0]
        for program in programs:
            item = self.culprit(x, t, program)
            if item:
                what = {"residual": "force or function", "tangent": "slope, the change of its force or function with the motion,"}.get(
                    program, "function or one of its first two time derivatives")
                raise ModelError(f"{item!r}: its {what} is not a finite number at t = {t:g} s; "
                                 "look for divisions by zero, roots and powers, and for points that coincide", (item,))

    def _scale_regularisation(self) -> None:
        """-eps C M^-1 C^T on the multiplier diagonals: small against what is there, large against its rounding errors."""
        x = self.memory()
        evaluation.run(self.program("tangent"), self.data, x, 0.0, 1.0, 0.0, 0.0)
        if self.failures or not (np.isfinite(x.D).all() and np.isfinite(x.R).all()):
            self.check_finite(self.memory(), 0.0, "residual", "tangent")
        size = np.zeros(self.n)
        pairs = [(j.tile, k) for j in self.joints for k in j.bodies]
        if pairs:
            C = x.D[[self.block[p] for p in pairs]]
            M = x.D[[self.block[k, k] for _, k in pairs]]
            with np.errstate(all="ignore"):
                try:
                    flexibility = np.einsum("pij,pjk,pik->pi", C, np.linalg.pinv(M), C)
                except np.linalg.LinAlgError:  # beyond what can be computed with
                    flexibility = np.full((len(pairs), 6), np.nan)
                np.add.at(size.reshape(-1, 6), [j for j, _ in pairs], flexibility)
            for joint in self.joints:
                if not np.isfinite(size[6 * joint.tile:6 * joint.tile + 6]).all():
                    raise ModelError(f"joint {joint.name!r}: the masses or inertias of its bodies are far too "
                                     "small or too large to compute with; check their units", (joint.name,))
        joint_size = size[self.n_v:]
        joint_size[joint_size <= 0] = joint_size.max(initial=0.0) or 1.0
        tile = {self.block[k, k]: k for k in range(self.n_tiles)}
        rows = np.array([6 * tile[b] + i for b, i in self.lu.fix_at], np.int64)
        regularised = self.lu.fix_by < 0
        self.lu.fix_by[regularised] = -REGULARISATION * size[rows[regularised]]
        self.fix_rows = rows              # of the diagonal entries in lu.fix_by
        self.softness: np.ndarray = np.zeros(self.n)  # what the diagonal gets, by row
        self.softness[rows[regularised]] = -self.lu.fix_by[regularised]
