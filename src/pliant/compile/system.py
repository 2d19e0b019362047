"""A model compiled to flat arrays."""
from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import types

from ..families.mass_flow import CODES, FLOW
from ..families.rigid_contacts import GRIPS
from ..families.rigid_stops import STICKS
from ..families.switching import COUNT, LEVEL, SWITCHING
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.block_lu import Elimination, analyse
from ..kernels.contract import FRAME_WIDTH, PROGRAMS, STAGES, F, Family, address
from ..kernels.evaluation import Data, Memory, Program
from ..kernels.expression_vm import SCRATCH, TIME_STEP, evaluate, note_margin, value_at
from ..kernels.jit import DISABLED
from ..kernels.pairs import ROW
from .array_builder import ArrayBuilder, coupled_tiles
from .periods import common_base

INTEGERS, REALS = 12, 12                # width of ip and rp
DIFFERENCE = 1e-3                       # s: of Python functions by time, until a run says otherwise
REGULARISATION = 1e-9                   # subtracted from multiplier diagonals, relative to C M^-1 C^T
OF_POINTS = 1e-6                        # the same of rigid contacts, whose forces decide what sticks: see _scale_regularisation


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
        self.moving = np.setdiff1d(self.active[self.active < self.n_v], [state.iv for state in b.states])  # velocities that have positions
        self.families: dict[Family, tuple[int, int]] = {}
        self.owners: list[str] = []
        self.base, self.every = common_base(b.periods)
        self.data = self._tables(b)
        watched = any((f.sense.residual or f.act.residual) and f.sense.update and f.rank > 1 for f in self.families)
        self.discrete = 2 if watched else 1 if b.starts else 0  # discrete values: none, at ticks, at jumps too
        self.reactive = b.decides_by_reactions  # whether conditions read what joints exert
        self.borne = tuple(b.borne)  # items whose forces depend on what joints exert
        self.controllers, self.observed = tuple(b.controllers), tuple(b.observed)
        self.told, self.log = tuple(b.told), (SCRATCH + len(b.tab) + 1 + b.log[0], b.log[1])
        self.h0 = np.zeros(b.histories)
        self.h0[list(b.starts)] = list(b.starts.values())
        self.q0, self.v0 = np.array(b.q, float), np.zeros(self.n)
        self.v0[:self.n_v] = b.v
        self.fixed, self.n_j, self.histories, self.n_signals = b.fixed, b.n_j, b.histories, b.n_signals
        self.switchable = self._switchable(b)
        self.deciders = tuple(b.deciders)
        self.joints, self.keep, self.failures = b.joints, b.keep, b.failures
        self.switches, self.timed, self.watched, self.lines, self.sloped = b.switches, b.timed, b.watched, b.lines, b.sloped
        self.spans, self.n_choices = tuple(b.spans), len(b.tab) + 1
        self.states = tuple(b.states)
        self.slopes = tuple(b.slopes)
        slopes = [(node.iv + k, node.iq + k) for node in b.slopes for k in range(3, 3 * node.vectors)]
        self.metres = np.array(sorted(set(b.linear) - set(slopes)), np.int64).reshape(-1, 2)  # as data.linear, without
        self.slope_places = np.array(slopes, np.int64).reshape(-1, 2)                                         # these: what is no length
        self.rigid = tuple(point._replace(seen=SCRATCH + len(b.tab) + 1 + point.seen) for point in b.rigid)
        self.n_motion = min((6 * (state.iv // 6) for state in b.states), default=self.n_v)  # rows of motion, which states follow
        self.bodies, self.scratch = b.names, SCRATCH + self.n_choices + b.own + b.scratch
        self._programs: dict[Any, Program] = {}
        self._scale_regularisation()

    def _analyse(self, b: ArrayBuilder, used: list[int]) -> tuple[Elimination, dict[tuple[int, int], int]]:
        joints = {j.tile: tuple(k for k in j.bodies if k not in j.slide) for j in b.joints}
        edges = {(j.tile, k) for j in b.joints for k in j.bodies}
        edges.update(coupled_tiles(b.rows.values(), joints))
        for first, count in {(f[3], f[0]) for f in b.frames if f[0] > 1}:  # all tiles of one body are coupled
            edges |= {(i, k) for i in range(first, first + count) for k in range(first, first + count)}
        waits = np.zeros(6 * self.n_tiles)
        for j in b.joints:
            waits[6 * j.tile:6 * j.tile + j.used] = 1.0  # scaled once the Jacobian is known
        return analyse(self.n_tiles, edges, joints | {k: (j.tile,) for j in b.joints for k in j.slide}, used, waits)

    def _tables(self, b: ArrayBuilder) -> Data:
        tab, tables, ip, rp = list(b.tab), {}, [], []  # type: ignore[var-annotated]
        for family, rows in sorted(b.rows.items(), key=lambda entry: entry[0].rank):
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
            place = {-2 - k: self.every[number] if isinstance(family, str) else
                     number + (SCRATCH + len(b.tab) + 1 if family is None else self.families[family][0])
                     for k, (family, number) in enumerate(b.references)}
            ip = [tuple(place.get(i, i) for i in row) for row in ip]
        frames = np.array(b.frames, np.int64).reshape(-1, 4)
        frames[sorted(b.velocity_frames), 2] = 1
        return Data(np.array(ip, np.int64).reshape(-1, INTEGERS), np.array(rp, float).reshape(-1, REALS), frames,
                    np.array([*tab, 0], np.int64), np.array(b.val, float),
                    np.array(b.rotations, np.int64).reshape(-1, 2), np.array(b.linear, np.int64).reshape(-1, 2),
                    np.array(b.velocity_rows, np.int64))

    def _switchable(self, b: ArrayBuilder) -> np.ndarray:
        """(row, place of its level in the history) of all equations that can be off."""
        first, last = self.families.get(SWITCHING, (0, 0))
        pairs = [(ip[ROW] + k, ip[LEVEL]) for ip in self.data.ip[first:last] for k in range(ip[COUNT])]
        pairs += [(row, point.phase + (GRIPS if k else 0)) for point in b.rigid for k, row in enumerate(point.rows)]
        return np.array(pairs, np.int64).reshape(-1, 2)

    def off(self, H: np.ndarray) -> np.ndarray:
        """Rows that are off with this history."""
        return np.asarray(self.switchable[~(H[self.switchable[:, 1]] > 0), 0])

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
        return Memory(self.q0.astype(x), self.v0.astype(x), z(n), z(n), self.h0.astype(x), z(self.n_signals), X, z(jt, 6, 6),
                      z(jt, 6, 6), T, z(n), z(n), z(max(1, len(self.block)), 6, 6), z(6), W)

    def typed_data(self, x: Any = np.float64) -> Data:
        return self.data if x is np.float64 else self.data._replace(rp=self.data.rp.astype(x), val=self.data.val.astype(x))

    def program(self, name: str, x: Any = np.float64, families: Sequence[Family] | None = None) -> Program:
        """The family functions of program ``name``, stage by stage; only families in use are compiled, here and now. "matrix" is the
        tangent for cd = ck = 0, without the stiffness of forces."""
        key = name, x, None if families is None else tuple(f.name for f in families)
        if key not in self._programs:
            scalar = types.float64 if x is np.float64 else types.complex128
            calls, sensing = [], name == "update" or (name == "history" and self.follows)
            for stage in STAGES[:2] if name == "sense" else STAGES:  # frames and signals alone
                for family, rows in self.families.items():
                    which = {"matrix": "residual" if family.force else "tangent", "sense": "residual"}.get(name, name)
                    kernels = getattr(family, stage)
                    function = getattr(kernels, which)
                    if sensing and function is None and stage in ("push", "sense") and family.rank < 2:  # frames and signals
                        function = kernels.residual
                    if function is not None and (families is None or family in families):
                        calls.append((address(function, scalar), rows))
            addresses = [c[0] for c in calls]
            self._programs[key] = Program(addresses if DISABLED else np.array(addresses, np.int64),  # type: ignore[arg-type]
                                          np.array([c[1] for c in calls], np.int64).reshape(-1, 2))
        return self._programs[key]

    @property
    def follows(self) -> bool:
        """Whether something in the history follows signals after every step."""
        return any(family.sense.history is not None for family in self.families)

    def rolling(self) -> list[str]:
        """Joints with equations that hold for velocities only."""
        tiles = {int(row) // 6 for row in self.data.speeds}
        return [j.name for j in self.joints if j.tile in tiles]

    def refuse_rolling(self, who: str, why: str) -> None:
        """ModelError of what cannot do with such joints."""
        if found := self.rolling():
            raise ModelError(f"{who}: joint {found[0]!r} holds velocities only; {why}", (found[0],))

    def refuse_slopes(self, who: str, why: str) -> None:
        """ModelError of what cannot do with nodes of slopes."""
        if self.slopes:
            beam = self.slopes[0].beam
            raise ModelError(f"{who}: beam {beam!r} has slopes for coordinates, {why}; give it another formulation, such as "
                             "geometrically-exact, or take another method, such as radau-iia-5", (beam,))

    def refuse_borne(self, who: str, remedy: str) -> None:
        """ModelError of what computes forces before it knows multipliers."""
        if self.borne:
            raise ModelError(f"{who}: the load of the friction {self.borne[0]!r} is what its joint bears, which is not known there before "
                             f"accelerations are; {remedy}", self.borne)

    def deciding(self, without: Sequence[Family] = ()) -> Program:
        """Of the residual what makes choices, as users' functions do: frames and signals are placed, nothing else is added up. Empty if
        none is left ``without`` some families."""
        acting = {family for family in self.families if (act := family.act.residual) and family not in without and _runs_functions(act)}
        stages = ("push", "sense", "act") if acting or not without else ()
        calls = [(address(function), rows) for stage in stages for family, rows in self.families.items()
                 if (function := getattr(family, stage).residual) is not None and (stage != "act" or family in acting)]
        addresses = [c[0] for c in calls]
        return Program(addresses if DISABLED else np.array(addresses, np.int64),  # type: ignore[arg-type]
                       np.array([c[1] for c in calls], np.int64).reshape(-1, 2))

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

    def spent(self, x: Memory, t: float) -> str:
        """The sentence for a body that has no mass left; empty if there is none."""
        for row in range(*self.families.get(FLOW, (0, 0))):
            mass = float(value_at(t, x.Y, self.data.tab, self.data.val, self.data.tab[self.data.ip[row, CODES]], x.W))
            if not mass > 0:
                return (f"{self.owners[row]!r}: the mass of its body is no longer greater than zero, {mass:.6g} kg at t = {t:.6g} s. End "
                        "the run before that, or let its function end at what is left")
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
        """-eps C M^-1 C^T on the multiplier diagonals: small against what is there, large against its rounding errors.

        The inverse of a tile that eps alone keeps from being singular, as those of four contacts under a box are, has errors of about
        1e-16 / eps^2 in that part of its multipliers. It does not move anything, but forces of contacts must be right: they have a
        larger eps, which refinements of the solution take out again."""
        x = self.memory()
        x.H[self.switchable[:, 1]] = 1  # as if all were on
        for point in self.rigid:
            x.H[point.phase] = STICKS  # equations that are off at the start count as well
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
        from .redundancy import angular
        joint_size, angles = size[self.n_v:], angular(self)[self.n_v:]
        for alike in (angles, ~angles):  # of bodies without mass: as of other equations in the same unit
            joint_size[alike & (joint_size <= 0)] = joint_size[alike].max(initial=0.0)
        joint_size[joint_size <= 0] = joint_size.max(initial=0.0) or 1.0
        tile = {self.block[k, k]: k for k in range(self.n_tiles)}
        regularised = self.lu.fix_by < 0
        self.epsilon = np.full(self.n, REGULARISATION)
        for point in self.rigid:
            if len(point.rows) > 1:  # the same for all three, as in `kernels.complementarity`: forces are shared out alike
                three = list(point.rows)
                size[three], self.epsilon[three] = size[three].max(), OF_POINTS
        rows = np.array([6 * tile[b] + i for b, i in self.lu.fix_at], np.int64)
        self.lu.fix_by[regularised] = -(self.epsilon * size)[rows[regularised]]
        self.fix_rows = rows              # of the diagonal entries in lu.fix_by
        self.softness: np.ndarray = np.zeros(self.n)  # what the diagonal gets, by row
        self.softness[rows[regularised]] = -self.lu.fix_by[regularised]


@cache
def _runs_functions(kernel: Any) -> bool:
    """Whether a kernel, or one that it uses, runs functions of users, or makes choices of its own."""
    todo, seen = [kernel], set[int]()
    while todo:
        f = todo.pop()
        if f is evaluate or f is note_margin:
            return True
        f = getattr(f, "py_func", f)
        if isinstance(f, FunctionType) and id(f) not in seen:
            seen.add(id(f))
            todo += [f.__globals__[name] for name in f.__code__.co_names if name in f.__globals__]
    return False
