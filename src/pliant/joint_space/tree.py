"""A compiled model in joint coordinates: the arrays of the recursion, programs without the joints of the tree, and loops."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..families import modal
from ..families.constraints import COORDINATE, DRIVE, FACTOR
from ..families.mass_flow import FLOW
from ..families.rigid import AXES, BODY, INERTIA, MASS, OFFSET
from ..families.rotors import ROTOR
from ..families.states import STATE
from ..items.base import quaternion_of
from ..items.declarations import BALL, FREE, SLIDES, TURNS, TreeJoint
from ..items.errors import ModelError
from ..kernels import link_tables as rc
from ..kernels.contract import Family
from ..kernels.coordinates import ANGLE, KIND
from ..kernels.evaluation import Memory, run
from ..kernels.pairs import ROW
from .flexible_links import Blocks
from .limits import limited
from .loops import closed_loops
from .rotors import rotors_of
from .topology import Link, Topology, masses_of, spanning_forest
from .tree_programs import FRAME_FAMILIES, placing

KERNELS = {(): rc.AXIAL, ("rz",): rc.AXIAL, ("z",): rc.AXIAL, ("rz", "z"): rc.AXIAL, ("x", "y", "rz"): rc.PLANAR,
           (BALL,): rc.SPHERICAL, FREE.moves: rc.FREE}  # moves that are the same from either side, with kernels of their own
CROSSED = ("rz", "rx"), ("rx", "rz")  # of a universal joint
NOTHING, SINGULAR = 1e-7, 1e-9  # root of an inertia, over the largest; eigenvalue of the scaled mass matrix of a tree


class Joined(NamedTuple):
    """Where a joint is on a body that is not deformed: from its reference and in its axes (of the ground: in the world)."""
    point: np.ndarray
    axes: np.ndarray


def quaternion_product(a: Any, b: Any) -> np.ndarray:
    return np.array([a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                     a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]])


def inverse(q: Any) -> np.ndarray:
    return np.array([q[0], -q[1], -q[2], -q[3]])


class JointSpace:
    """The tree of a model. ``q``, ``u``: its coordinates and rates, in the order of `topology.links`; own coordinates of a joint are
    those of the outer body against the inner one, without zeros."""

    def __init__(self, dynamics: CompiledModel, cut: Sequence[str] = (), *, drives: bool = True) -> None:
        """``drives``: whether they prescribe coordinates; else they are left out."""
        self.with_drives = drives
        self.dynamics, self.system, self.directory = dynamics, dynamics.system, dynamics.directory
        s = self.system
        self.masses = masses_of(s)
        self.body_row = {s.owners[e]: e for family in (BODY, modal.BODY) for e in range(*s.families.get(family, (0, 0)))}
        self._refuse_others()
        try:
            self.topology: Topology = spanning_forest(self.directory, self.masses, cut)
        except ValueError as error:
            raise ModelError(f"simulate: {error}") from None
        self.links = self.topology.links
        self.number = {"ground": len(self.links)} | {link.body: i for i, link in enumerate(self.links)}
        self._joined = self._frames()
        self.tree = self._tree()
        self.cut_rows = self._cut_rows()
        self.holds_limits = self._holds_limits()
        self.loops = closed_loops(self)

    def _refuse_others(self) -> None:
        s = self.system
        for beam in self.directory.beams:
            raise ModelError(f"simulate: coordinates: body {beam!r} is a beam of many nodes, which joint coordinates do not know. Take "
                             "coordinates = 'absolute'", (beam,))
        if FLOW in s.families:
            raise ModelError(f"simulate: coordinates: {s.owners[s.families[FLOW][0]]!r} changes the mass of its body, which joint "
                             "coordinates do not know. Take coordinates = 'absolute'")
        if rubs := [p.item for p in s.rigid if len(p.rows) > 1 and p.static > 0]:
            raise ModelError(f"simulate: coordinates: the rigid contact {rubs[0]!r} has friction, which joint coordinates do not know. "
                             "Take coordinates = 'absolute'")
        if s.reactive:
            raise ModelError("simulate: coordinates: a condition reads what a joint exerts, which joint coordinates do not compute in a "
                             "step; take coordinates='absolute'")
        s.refuse_borne("simulate: coordinates", "take coordinates='absolute', or give the friction a torque or force")
        for family, (first, last) in s.families.items():  # of users: what they add to the mass matrix would be missing
            closing = (s.data.ip[first:last, ROW] >= s.n_v).all()
            if not (family.force or family in (BODY, modal.BODY, STATE, ROTOR) or family.act.tangent is None or closing):
                loaded, free = (self._left_side(family, self.dynamics.memory(), a) for a in (1.0, 0.0))
                if not np.allclose(loaded, free, rtol=1e-12, atol=0.0):
                    raise ModelError(f"simulate: coordinates: {s.owners[first]!r} ({family.name}) has inertia of its own, which joint "
                                     "coordinates do not know. Take coordinates = 'absolute'")

    def _left_side(self, family: Family, x: Memory, a: float) -> np.ndarray:
        """What a family adds to the equations of the bodies at an acceleration."""
        s = self.system
        x.a[:s.n_v] = a
        run(s.program("residual", families=[f for f in s.families if f is family or f in FRAME_FAMILIES]), s.data, x, 0.0, 0.0, 0.0, 0.0)
        return x.R[:s.n_v].copy()

    # -- links
    def record(self, link: Link) -> Any:
        """The joint of a link, as laid out."""
        assert link.joint is not None
        return self.directory.joints.get(link.joint) or self.directory.holds[link.body if link.parent == "ground" else link.parent]

    def _frames(self) -> dict[int, Joined]:
        s = self.system
        found = {frame: Joined(np.array(row[:3]), np.array(row[3:]).reshape(3, 3)) for frame, row in s.fixed}
        for frame, e in placing(s, markers=True).items():
            found[frame] = Joined(s.data.rp[e, OFFSET:OFFSET + 3], s.data.rp[e, AXES:AXES + 9].reshape(3, 3))
        return found

    def frame(self, number: int) -> Joined:
        """Where a frame is on its body."""
        return self._joined[number]

    def sides(self, link: Link) -> tuple[Joined, Joined]:
        """Of its joint: on the parent, on the body. A joint that turns freely has the axes of the bodies."""
        if link.joint is None:
            return Joined(np.zeros(3), np.eye(3)), Joined(np.zeros(3), np.eye(3))
        frames = self.joint_frames(link)
        assert frames is not None
        inner, outer = (self._joined[f] for f in frames)
        if link.tree.moves == (BALL,):
            return Joined(inner.point, np.eye(3)), Joined(outer.point, np.eye(3))
        return inner, outer

    @staticmethod
    def moving(link: Link) -> TreeJoint:
        """The moves of its joint from the parent to the body."""
        return link.tree.reversed if link.reversed and link.tree.moves not in KERNELS else link.tree

    def _tree(self) -> rc.Tree:
        n = len(self.links)
        ip, rp = np.zeros((n, rc.LINK_INTEGERS), np.int64), np.zeros((n, rc.LINK_REALS))
        rotations, linear, history = list[tuple[int, int]](), list[tuple[int, int]](), list[tuple[int, int, int]]()
        position, rate, drive, scales = 0, 0, list[int](), list[tuple[float, float]]()
        for i, link in enumerate(self.links):
            joint = self.moving(link)
            count = joint.freedom
            ip[i, [rc.IP, rc.IU, rc.NU]] = position, rate, count
            self._fill(i, link, ip, rp)
            sign = -1.0 if link.reversed else 1.0
            own = {k: ("", 0.0) for k in range(count)} | self._coordinates(link)
            for k in range(count):
                name, zero = own[k]
                drive.append(self._drive_of(link, name))
                scales.append((sign, zero))
                h = self.record(link).histories.get(name) if name and link.joint else None
                if h is not None:
                    history.append((h, rate + k, position + k))
            quaternion, before = BALL in joint.moves, len(joint.moves) - (BALL in joint.moves)
            if quaternion:
                rotations.append((rate + before, position + before))
            linear += [(rate + k, position + k) for k in range(before)]
            position, rate = position + count + quaternion, rate + count
            modes = self._modes(i, link, ip, position)
            linear += [(rate + k, position + k) for k in range(modes)]
            drive, scales = drive + [-1] * modes, scales + [(1.0, 0.0)] * modes
            position, rate = position + modes, rate + modes
        lines = list[tuple[int, ...]]()
        velocity = {int(iq): int(iv) for iv, iq in self.system.data.linear}
        for _, iq, _, _ in self.system.lines:
            lines.append((rate, position, velocity[iq], iq))
            linear.append((rate, position))
            drive, scales, position, rate = [*drive, -1], [*scales, (1.0, 0.0)], position + 1, rate + 1
        states = [(rate + k, state.iv) for k, state in enumerate(self.system.states)]
        drive, scales, rate = drive + [-1] * len(states), scales + [(1.0, 0.0)] * len(states), rate + len(states)
        blocks = Blocks(self.system, self.links, ip, self.joint_frames)
        w = np.zeros((n + 1, rc.LINK_WORK))
        w[n, [rc.A_, rc.A_ + 4, rc.A_ + 8, rc.QQ]] = 1
        self.n_q, self.n_u = position, rate

        def table(rows: list[Any], width: int) -> np.ndarray:
            return np.array(rows, np.int64).reshape(-1, width)
        at = {k: p for k, p in linear}
        driven = [(k, at[k], e) for k, e in enumerate(drive) if e >= 0]
        return rc.Tree(ip, rp, np.array(drive, np.int64), table(driven, 3), np.array(scales, float).reshape(-1, 2), table(history, 3),
                       table(rotations, 2), table(linear, 2), table(blocks.bodies, 2), table(blocks.nodes, 2), table(lines, 4),
                       table(states, 2), np.array([state.nominal for state in self.system.states], float), rotors_of(self, ip, rate),
                       np.zeros(position), np.zeros(rate), np.zeros(rate), w, np.zeros((rate, rc.RATE_WORK)), np.zeros(rc.JOINT_WORK),
                       blocks.reals())

    def _modes(self, i: int, link: Link, ip: np.ndarray, position: int) -> int:
        """How many a body has; their coordinates begin at ``position``."""
        e = self.body_row[link.body]
        ip[i, [rc.ELASTIC, rc.INNER, rc.OUTER, rc.WAYS]], ip[i, rc.IM] = -1, position
        if e in range(*self.system.families.get(modal.BODY, (0, 0))):
            ip[i, rc.NM], ip[i, rc.ELASTIC] = self.system.data.ip[e, modal.N], 0
        return int(ip[i, rc.NM])

    def joint_frames(self, link: Link) -> tuple[int, int] | None:
        """Frames of its joint on the parent and on the body; None if it floats."""
        if link.joint is None:
            return None
        r = self.record(link)
        return (r.b, r.a) if link.reversed else (r.a, r.b)

    def _coordinates(self, link: Link) -> dict[int, tuple[str, float]]:
        """{rate: (coordinate of the joint, its zero)} where they belong together."""
        if link.joint not in self.directory.joints:
            return {}
        zeros = self.record(link).zeros
        return {k: (name, zeros[name]) for k, name in enumerate(self.moving(link).coordinates) if name in zeros}

    def _drive_of(self, link: Link, coordinate: str) -> int:
        """The element that prescribes a coordinate; the first one if there are several."""
        rows = [row for row, _, joint, c in self.directory.drives.values() if joint == link.joint and c == coordinate and self.with_drives]
        elements = range(*self.system.families.get(DRIVE, (0, 0)))
        return next((e for e in elements if rows and self.system.data.ip[e, ROW] == rows[0]), -1) if coordinate else -1

    def _fill(self, i: int, link: Link, ip: np.ndarray, rp: np.ndarray) -> None:
        """The numbers of one link, except for its place among coordinates."""
        place, data = self.directory.stated[link.body], self.system.data
        inner, outer = self.sides(link)
        moves = self.moving(link).moves
        kind = rc.UNIVERSAL if moves in CROSSED else KERNELS.get(moves, rc.SERIAL)
        ip[i, [rc.PARENT, rc.KIND, rc.IQ, rc.IV]] = self.number[link.parent], kind, place.iq, place.iv
        for column, move in ((rc.TURN, "rz"), (rc.SLIDE, "z")):  # of an axial joint
            ip[i, column] = ip[i, rc.IU] + moves.index(move) if kind == rc.AXIAL and move in moves else -1
        if kind == rc.SERIAL:
            ip[i, rc.MOVES] = sum(8**k * (*SLIDES, *TURNS).index(move) for k, move in enumerate(moves))
        first, second = (0, 2) if link.reversed else (2, 0)  # of a universal joint
        ip[i, [rc.AXIS_1, rc.AXIS_2]] = first, second
        e = self.body_row[link.body]
        q_inner, q_outer = quaternion_of(inner.axes), inverse(quaternion_of(outer.axes))
        axis = inner.axes[:, first if kind == rc.UNIVERSAL else 2]
        values: dict[int, Any] = {
            rc.ARM: inner.point, rc.AXIS: axis, rc.RHO: -outer.point, rc.Q1: quaternion_product(q_inner, q_outer),
            rc.Q2: quaternion_product(quaternion_product(q_inner, (0.0, 0.0, 0.0, 1.0)), q_outer), rc.QF: q_inner, rc.QC: q_outer,
            rc.AXES: inner.axes.ravel(), rc.SECOND: outer.axes[:, second], rc.MASS: [data.rp[e, MASS]]}
        if e in range(*self.system.families.get(BODY, (0, 0))):
            values[rc.INERTIA] = data.rp[e, INERTIA:INERTIA + 9]
        for start, value in values.items():
            rp[i, start:start + len(value)] = value
        if link.tree.helical:
            rp[i, rc.LEAD], offset = self._lead(link)
            rp[i, rc.OFFSET] = -offset if link.reversed else offset

    def _lead(self, link: Link) -> tuple[float, float]:
        """Displacement per angle of a screw, and at angle 0."""
        data, record = self.system.data, self.record(link)
        row = self.directory.couplings[link.joint][0]  # type: ignore[index]
        factors = {int(data.ip[e, KIND]): data.rp[e, FACTOR] for e in range(*self.system.families[COORDINATE]) if data.ip[e, ROW] == row}
        by_angle = factors.pop(int(ANGLE))
        (by_displacement,) = factors.values()
        return -by_angle / by_displacement, record.start["displacement"] - record.zeros["displacement"]

    def weights(self) -> np.ndarray:
        """Of coordinates and rates: 1 / size of the model for lengths; for angles what they displace, in sizes of the model and at least
        1; twice that for quaternions; 0 for what is driven; of states 1 / nominal."""
        t, q, u, reach = self.tree, np.ones(self.n_q), np.ones(self.n_u), np.maximum(1.0, self._reach() / self.dynamics.length)
        for i, (link, (at, rate, count)) in enumerate(zip(self.links, t.ip[:, [rc.IP, rc.IU, rc.NU]], strict=True)):
            q[at:at + count], u[rate:rate + count] = reach[i], reach[i]
            joint = self.moving(link)
            for k in joint.lengths:
                q[at + k] = u[rate + k] = 1 / self.dynamics.length
            if BALL in joint.moves:
                first = at + joint.moves.index(BALL)
                q[first:first + 4] = 2 * reach[i]
        for at, rate, count, modes in t.ip[:, [rc.IM, rc.IU, rc.NU, rc.NM]]:
            q[at:at + modes] = u[rate + count:rate + count + modes] = 1 / self.dynamics.length
        q[t.lines[:, 1]] = u[t.lines[:, 0]] = 1 / self.dynamics.length
        q[t.driven[:, 1]], u[t.driven[:, 0]] = 0.0, 0.0
        u[t.states[:, 0]] = 1 / t.nominal
        return np.concatenate([q, u])

    def _reach(self) -> np.ndarray:
        """How far from its joint the bodies are, at most, that a link moves [m]: along the joints between them."""
        t, n = self.tree, len(self.links)
        found = np.linalg.norm(t.rp[:, rc.RHO:rc.RHO + 3], axis=1)
        beyond = np.zeros(n + 1)
        for i in range(n - 1, -1, -1):
            found[i] += beyond[i]
            p = int(t.ip[i, rc.PARENT])
            beyond[p] = max(beyond[p], float(np.linalg.norm(t.rp[i, rc.ARM:rc.ARM + 3])) + found[i])
        return found

    def body_of(self, rate: int) -> str:
        """The body that a rate moves against its parent; of a state its name."""
        if (state := rate - self.n_u + len(self.system.states)) >= 0:
            return self.system.states[state].name
        of = np.repeat(np.arange(len(self.links)), self.tree.ip[:, rc.NU] + self.tree.ip[:, rc.NM])
        return self.links[of[rate]].body

    def without_inertia(self, rate: int, M: np.ndarray) -> str:
        """Words for a rate that nothing resists, from the mass matrix of the tree: nothing is carried, or joints have come in line."""
        body = self.body_of(rate)
        link = self.links[self.number[body]]
        how = f"joint {link.joint!r} lets it move" if link.joint else "it moves freely"
        size = np.sqrt(np.maximum(np.diag(M), 0.0))
        if self._bent() or np.diag(M).min(initial=0.0) < 0:
            return (f"body {body!r}, with all that it carries, has no positive inertia any more against the way {how}: the motion has "
                    "grown beyond what flexible bodies can follow, as with too long a step")
        if not size[rate] > NOTHING * size.max(initial=0.0):
            return f"body {body!r}, with all that it carries, has no mass or inertia against the way {how}"
        free = [k for k in range(self.n_u) if self.tree.drive[k] < 0 and size[k] > 0]
        values, vectors = np.linalg.eigh(M[np.ix_(free, free)] / size[free, None] / size[free])
        if abs(values[0]) < SINGULAR:
            weights = abs(vectors[:, 0])
            owners = [self.links[self.number[self.body_of(free[k])]] for k in np.flatnonzero(weights > 0.1 * weights.max())]
            names = ", ".join(dict.fromkeys(repr(x.joint or x.body) for x in owners))
            return (f"the axes of joints {names} have come in line (gimbal lock): a motion of one is undone by the others, without "
                    "moving any mass")
        return f"body {body!r}, with all it carries, loses its inertia against the way {how} within a step, as with too long a step"

    def _bent(self) -> bool:
        """Whether a flexible body is deformed by more than its size, where its moments of inertia mean nothing."""
        ip = self.tree.ip
        return any(not abs(self.tree.q[ip[i, rc.IM]:ip[i, rc.IM] + ip[i, rc.NM]]).max(initial=0.0)
                   < self.directory.flexible[self.links[i].body].limit for i, _ in self.tree.flexible)

    def _holds_limits(self) -> bool:
        """Whether rigid limits are coordinates of the tree that do not move while they are touched; only where nothing else closes a loop.
        Their equations are none then."""
        rigid = self.system.rigid
        if not rigid or self.tree.lines.size or set(self.cut_rows.tolist()) != {row for p in rigid for row in p.rows}:
            return False
        if len(limited(self)) < len(rigid):
            return False
        self.cut_rows = self.cut_rows[:0]
        return True

    def _cut_rows(self) -> np.ndarray:
        """Equations that the tree does not satisfy by itself."""
        s = self.system
        held = {row for link in self.links if link.joint for row in self.record(link).rows}
        held |= {int(s.data.ip[e, ROW]) for e in self.tree.drive if e >= 0}
        every = {6 * j.tile + k for j in s.joints for k in range(j.used)}
        if not self.with_drives:
            held |= {row for row, *_ in self.directory.drives.values()}
        return np.array(sorted(every - held), np.int64)
