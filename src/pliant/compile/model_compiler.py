"""From items to a System: Layout gives items what they need to build themselves and notes what their channels are read from."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..families import constraints
from ..items.base import Frame, did_you_mean
from ..items.errors import MissingItem
from ..items.joints import perpendicular_frame
from ..items.references import NO_DIRECTION, NO_GAP, NO_LENGTH, TIME_ALONE, no_coordinate, no_frame, no_line, no_node, one_body, sensed
from ..kernels.coordinates import ANGLE, DISPLACEMENT, DISTANCE
from .channel_map import ChannelMap, Flexible, ForceRecord, JointRecord, StatedVelocity, Z
from .planar import unheld
from .system import ArrayBuilder, Place, System

if TYPE_CHECKING:
    from ..items.base import Pair
    from ..items.bodies import FrameOwner, RigidBody
    from ..items.forces import Bushing, JointSpring, Load, Measure
    from ..items.joints import Drive
    from ..items.modal import ModalBody
    from ..items.sliding import SlidingOnBeam

KINDS = {"angle": ANGLE, "displacement": DISPLACEMENT, "distance": DISTANCE}


def _parallel(pairs: set[tuple[int, int]]) -> tuple[int, ...]:
    """Axes that d1 equations keep parallel: axis k of b perpendicular to the two others of a, or the other way round; all three
    from three equations on. They are parallel as modelled, never antiparallel."""
    if len(pairs) >= 3:
        return 0, 1, 2
    return tuple(k for k in range(3) if {((k + 1) % 3, k), ((k + 2) % 3, k)} <= pairs or {(k, (k + 1) % 3), (k, (k + 2) % 3)} <= pairs)


class ModelCompiler:
    """One compilation: bodies first, then joints, then everything else."""

    def __init__(self, gravity: Any, owners: dict[str, FrameOwner], exact: bool = False,
                 placed: dict[str, tuple[np.ndarray, tuple[float, float, float, float]]] | None = None,
                 sliding: Mapping[str, int] | None = None) -> None:
        self.builder = ArrayBuilder(gravity, coupled=exact)
        self.placed = placed or {}  # position and rotation of bodies that their joints placed
        self.builder.signal = self._signal
        self.owners = owners
        self.sliding = sliding or {}                # how many joints slide along lines of a body
        self.flexible: dict[str, tuple[Any, list[int]]] = {}  # tables of modal bodies, and places for what slides on them
        self.places: dict[str, Place] = {"ground": self.builder.ground}
        self.poses: dict[str, tuple[np.ndarray, np.ndarray]] = {"ground": (np.zeros(3), np.eye(3))}
        self.directory = ChannelMap()
        self.marking = False
        self.signals: dict[str, tuple[int, int, tuple[int, int]]] = {}  # reference -> slot, row of the family, frames
        self.markers: list[tuple[str, Frame]] = []
        self.measured: dict[str, tuple[Frame, Frame]] = {}

    # -- frames
    def add_body(self, body: RigidBody | ModalBody, place: Place, position: np.ndarray, axes: np.ndarray, rates: Any = None) -> None:
        """A body that was placed: its pose as modelled and what the user said of its velocities; ``rates``: these as they are in v."""
        self.places[body.name], self.poses[body.name] = place, (position, axes)
        v, w = body.velocity, body.angular_velocity
        values = np.array([*(v or (0.0,) * 3), *(w or (0.0,) * 3)]) if rates is None else np.concatenate(rates)
        said = [v is not None] * 3 + [w is not None] * 3
        self.directory.stated[body.name] = StatedVelocity(place.iv, said, values, place.iq, np.array(body.com))

    def add_flexible(self, body: ModalBody, place: Place, rows: Any) -> None:
        """Where the modal coordinates of a body are, and what they mean."""
        self.directory.flexible[body.name] = Flexible(place.iq + 7, place.iv + 6, rows.scale, body.inertia_matrix,
                                                      body.modal_rate is not None, body.size, rows.frames, rows.sliders)

    def owner(self, frame: Frame, item: str) -> FrameOwner:
        if frame.body not in self.owners:
            near = did_you_mean(frame.body, self.owners)
            raise MissingItem(f"{item}: there is no body {frame.body!r}{near}", frame.body)
        owner = self.owners[frame.body]
        if frame.frame and frame.frame not in owner.frames:
            raise ValueError(f"{item}: {no_frame(frame.body, frame.frame, owner.frames)}")
        return owner

    def world(self, frame: Frame, item: str) -> tuple[np.ndarray, np.ndarray]:
        """Position and axes of a frame in the pose as modelled."""
        point, axes = self.owner(frame, item).place_of(frame)
        p, R = self.poses[frame.body]
        return p + R @ point, R @ axes

    def frame(self, frame: Frame, item: str, axes: np.ndarray | None = None, reads: bool = False) -> int:
        """A row of the frame table; ``axes`` [world axes, as modelled] replace those of the frame. ``reads``: nothing acts there."""
        owner = self.owner(frame, item)
        try:
            node = owner.node_of(frame)
        except ValueError as error:
            raise ValueError(f"{item}: {error}") from None
        if node is None and frame.body in self.directory.flexible and not (reads or self.marking):
            raise ValueError(f"{item}: {no_node(frame.body, owner.frames)}")
        marker = f"{frame.body}.{frame.frame}"
        if frame.frame and frame.frame in getattr(owner, "along", ()) and marker not in dict(self.markers) and not self.marking:
            self.add_marker(marker, owner[frame.frame])
        point, own = owner.place_of(frame)
        return self.builder.frame(self.places[frame.body], point, own if axes is None else self.poses[frame.body][1].T @ axes, node)

    def add_marker(self, name: str, frame: Frame) -> None:
        """A frame with channels; it is evaluated for output only."""
        self.markers.append((name, frame))

    # -- joints
    def add_joint(self, item: Pair, primitives: tuple[tuple[Any, ...], ...]) -> None:
        b, name = self.builder, f"joint {item.name!r}"
        p_a, R_a = self.world(item.a, name)
        p_b, _ = self.world(item.b, name)
        if wrong := one_body(item.a, item.b):
            raise ValueError(f"{name}: {wrong}")
        axes = R_a @ item.joint_axes() if hasattr(item, "joint_axes") else R_a
        fa, fb = self.frame(item.a, name, axes), self.frame(item.b, name, axes)
        equations = b.equations(item.name, (fa, fb))
        record = JointRecord(fa, fb, [], equations, {}, turn=R_a.T @ axes, bodies=(item.a.body, item.b.body), axes=axes, offset=p_b - p_a)
        given = item.zeros() if hasattr(item, "zeros") else {}
        raw = {"angle": 0.0, "displacement": float(axes[:, Z] @ (p_b - p_a))}
        record.start = {c: given.get(c, 0.0) for c in getattr(item, "coordinates", ())}
        record.zeros = {c: value - raw[c] for c, value in record.start.items()}
        self._equations(item, record, primitives)

    def add_sliding(self, item: SlidingOnBeam) -> None:
        """The place on the line is a coordinate of the body; b is there in the pose as modelled."""
        b, name = self.builder, f"joint {item.name!r}"
        p_b, _ = self.world(item.b, name)
        if wrong := one_body(item.a, item.b):
            raise ValueError(f"{name}: {wrong}")
        self.owner(item.a, name)
        if item.a.body not in self.flexible or item.a.frame not in self.owners[item.a.body].reduced.lines:  # type: ignore[attr-defined]
            raise ValueError(f"{name}: {no_line(item.a, self.owners[item.a.body])}")
        rows, left = self.flexible[item.a.body]
        (p, R), place = self.poses[item.a.body], self.places[item.a.body]
        line = rows.line(item.a.frame)
        s = line.nearest(R.T @ (p_b - p))
        axes = R @ line.frame(s)
        fa, counter = b.sliding_frame(place, number := left.pop(0))
        rows.add_line(b, place, number, item, (fa, counter))
        fb = self.frame(item.b, name, axes)
        equations = b.equations(item.name, (fa, fb))
        equations.slide = (place.lines[number][0],)
        record = JointRecord(fa, fb, [], equations, {}, bodies=(item.a.body, item.b.body), axes=axes, offset=p_b - p - R @ line.at(s)[:3],
                             counter=(b.frame(b.ground, (0, 0, 0)), counter))
        b.q[place.lines[number][1]] = s
        record.start = {c: s if c == "displacement" else 0.0 for c in item.coordinates}
        record.zeros = dict.fromkeys(record.start, 0.0)
        self._equations(item, record, item.primitives_list())

    def _equations(self, item: Pair, record: JointRecord, primitives: tuple[tuple[Any, ...], ...]) -> None:
        b, fa, fb, equations = self.builder, record.a, record.b, record.equations
        record.stated = {k: v for c in record.start for k in (c, f"{c}_rate") if (v := getattr(item, k, None)) is not None}
        record.lock = _parallel({(axis[0], axis[1]) for kind, *axis in primitives if kind == "d1"})
        self.directory.joints[item.name] = record
        for kind, *axis in primitives:
            row = equations.take(3 if kind == "coincident" else 1)
            record.rows += range(row, row + (3 if kind == "coincident" else 1))
            record.directions += [(kind, k) for k in range(3)] if kind == "coincident" else [(kind, *axis)]
            if kind == "distance":
                length = float(np.linalg.norm(record.offset)) if axis[0] is None else axis[0]
                if length == 0:
                    raise ValueError(f"joint {item.name!r}: {NO_LENGTH}")
                record.length = length
                b.pair(constraints.COORDINATE, item.name, fa, fb, (DISTANCE, 0, 0, -1, -1, -1), (0.0, 1.0, length),
                       joint=equations, row=row)
            else:
                family = {"coincident": constraints.COINCIDENT, "d1": constraints.PERPENDICULAR, "d2": constraints.IN_PLANE}[kind]
                b.pair(family, item.name, fa, fb, axis, joint=equations, row=row)
        if "angle" in getattr(item, "coordinates", ()):
            record.histories["angle"] = b.history()
            b.pair(constraints.TURNS, item.name, fa, fb, (ANGLE, Z, record.histories["angle"]), (record.zeros["angle"],),
                   reads=True)

    def hold_in_planes(self, normal: np.ndarray) -> None:
        """A hidden planar joint for every body that the joints do not hold in its plane across ``normal``."""
        b, axes = self.builder, perpendicular_frame(normal)
        for body in unheld(self.directory.joints.values(), [name for name in self.owners if name != "ground"], normal):
            position, R = self.poses[body]
            fa, fb = b.frame(b.ground, position, axes), b.frame(self.places[body], np.zeros(3), R.T @ axes)
            equations = b.equations(f"plane of {body}", (fa, fb))
            record = JointRecord(fa, fb, [], equations, {}, bodies=("ground", body), axes=axes)
            for family, axis in ((constraints.IN_PLANE, (Z,)), (constraints.PERPENDICULAR, (0, Z)), (constraints.PERPENDICULAR, (1, Z))):
                record.rows.append(equations.take())
                record.directions.append(("d2" if len(axis) == 1 else "d1", *axis))
                b.pair(family, equations.name, fa, fb, axis, joint=equations, row=record.rows[-1])
            self.directory.holds[body] = record

    def joint(self, name: str, coordinate: str, item: str) -> JointRecord:
        if name not in self.directory.joints:
            raise MissingItem(f"{item}: there is no joint {name!r}{did_you_mean(name, self.directory.joints)}", name)
        record = self.directory.joints[name]
        if coordinate not in record.zeros:
            raise ValueError(f"{item}: {no_coordinate(name, coordinate, record.zeros)}")
        return record

    def add_coupling(self, name: str, terms: list[tuple[str, str, float]], shared: str | None = None) -> None:
        """factor_1 c_1 + factor_2 c_2 = its value in the pose as modelled; ``shared``: in the tile of that joint."""
        b, item = self.builder, f"joint {name!r}"
        records = [self.joint(joint, coordinate, item) for joint, coordinate, _ in terms]
        if shared:
            equations = records[0].equations
        else:
            equations = b.equations(name, [f for r, (_, coordinate, _) in zip(records, terms, strict=True) for f in r.ends(coordinate)])
        row = equations.take()
        self.directory.couplings[name] = row, "N*m" if terms[0][1] == "angle" else "N"
        if shared:
            self.directory.joints[shared].rows.append(row)
            self.directory.joints[shared].directions.append(("coupling",))
        for record, (_, coordinate, factor) in zip(records, terms, strict=True):
            b.pair(constraints.COORDINATE, name, *record.ends(coordinate),
                   (KINDS[coordinate], Z, record.histories.get(coordinate, 0), -1, -1, -1),
                   (record.zeros[coordinate], factor, factor * record.start[coordinate]),
                   joint=equations, row=row)

    def add_drive(self, drive: Drive) -> None:
        b, item = self.builder, f"drive {drive.name!r}"
        record = self.joint(drive.joint, drive.coordinate, item)
        code = b.function(drive.function, ("t",), f"{item}: function", kinks=True)
        if code.by_signal:
            raise ValueError(f"{item}: {TIME_ALONE}")
        ends = record.ends(drive.coordinate)
        equations = record.equations if ends == (record.a, record.b) else b.equations(drive.name, ends)
        row = equations.take()
        b.pair(constraints.DRIVE, drive.name, *ends,
               (KINDS[drive.coordinate], Z, record.histories.get(drive.coordinate, 0), code.value, code.by_t, code.by_tt),
               (record.zeros[drive.coordinate], 1.0, 0.0), joint=equations, row=row)
        self.directory.drives[drive.name] = row, 1.0, drive.joint, drive.coordinate
        self.directory.codes[drive.name] = code.value

    # -- forces
    def add_spring(self, name: str, kind: str, a: Frame, b: Frame, stiffness: Any, damping: Any, rest: float | None) -> None:
        item = f"spring {name!r}"
        fa, fb = self.frame(a, item), self.frame(b, item)
        distance = float(np.linalg.norm(self.world(b, item)[0] - self.world(a, item)[0]))
        if distance == 0:
            raise ValueError(f"{item}: {NO_DIRECTION}")
        self._spring(name, kind, fa, fb, 0, 0.0, stiffness, damping, distance if rest is None else rest)

    def add_joint_spring(self, spring: JointSpring, rest: float) -> None:
        which = spring.coordinate
        record = self.joint(spring.joint, which, f"spring {spring.name!r}")
        self._spring(spring.name, which, *record.ends(which), record.histories.get(which, 0), record.zeros[which], spring.stiffness,
                     spring.damping, rest)
        self.directory.springs[spring.name].joint = spring.joint

    def _spring(self, name: str, kind: str, fa: int, fb: int, history: int, zero: float, stiffness: Any, damping: Any,
                rest: float) -> None:
        from ..families import signals, springs  # families are imported when a model uses them: it saves time at the start
        b = self.builder
        constant = [float(f) if isinstance(f, (int, float)) else 0.0 for f in (stiffness, damping)]
        laws = [(which, f) for which, f in (("stiffness", stiffness), ("damping", damping)) if not isinstance(f, (int, float))]
        for k, (which, law) in enumerate(laws or [("", None)]):
            code = None if law is None else b.function(law, ("t", "x", "v"), f"spring {name!r}: {which}")
            codes = (-1, -1, -1) if code is None else (code.value, code.by_x, code.by_v)
            ints, reals = (KINDS[kind], Z, history, *codes), (zero, *(constant if k == 0 else (0.0, 0.0)), rest)
            row = b.pair(springs.SPRING, name, fa, fb, ints, reals, velocity=True)
            if k == 0:
                self.directory.springs[name] = ForceRecord(kind, fa, fb, row, max(1, len(laws)))
            for slot, derivative in code.by_signal if code else ():
                signal_row, frames = self._signal_of(slot)
                b.element(signals.SPRING_ANSWER, name, (fa, fb, -1, *ints, b.row_of(signals.SENSE, signal_row), derivative), reals,
                          tiles=(*b.tiles_of(fa), *b.tiles_of(fb)), columns=(*b.tiles_of(frames[0]), *b.tiles_of(frames[1])))

    def add_bushing(self, bushing_: Bushing) -> None:
        from ..families import bushing
        item = f"bushing {bushing_.name!r}"
        (p_a, R_a), (p_b, _) = self.world(bushing_.a, item), self.world(bushing_.b, item)
        fa, fb = self.frame(bushing_.a, item), self.frame(bushing_.b, item, R_a)  # no relative rotation as modelled
        pool = self.builder.pool(bushing_.matrix("stiffness"), bushing_.matrix("damping"), R_a.T @ (p_b - p_a), np.zeros(3))
        row = self.builder.pair(bushing.BUSHING, bushing_.name, fa, fb, (pool,), velocity=True)
        self.directory.bushings[bushing_.name] = fa, fb, row

    def add_load(self, load: Load) -> None:
        from ..families import loads, signals
        b, item = self.builder, f"{load.kind} {load.name!r}"
        f, ground = self.frame(load.frame, item), b.frame(b.ground, (0, 0, 0))
        constant = [float(v) if isinstance(v, (int, float)) else 0.0 for v in load.vector]
        codes = [None if isinstance(v, (int, float)) else b.function(v, ("t",), f"{item}: vector") for v in load.vector]
        ints = (load.part, int(load.axes == "frame"), *(-1 if c is None else c.value for c in codes))
        b.pair(loads.LOAD, load.name, f, ground, ints, constant)
        for k, code in enumerate(codes):
            for slot, derivative in code.by_signal if code else ():
                row, frames = self._signal_of(slot)
                b.element(signals.LOAD_ANSWER, load.name, (f, ground, -1, *ints, k, b.row_of(signals.SENSE, row), derivative),
                          tiles=b.tiles_of(f), columns=(*b.tiles_of(frames[0]), *b.tiles_of(frames[1])))

    def add_measure(self, measure: Measure) -> None:
        item = f"measure {measure.name!r}"
        self.marking = True
        self.measured[measure.name] = measure.a, measure.b
        self.directory.measures[measure.name] = self.frame(measure.a, item), self.frame(measure.b, item)
        self.marking = False

    # -- signals
    def _signal_of(self, slot: int) -> tuple[int, tuple[int, int]]:
        return next((row, frames) for s, row, frames in self.signals.values() if s == slot)

    def _signal(self, reference: str) -> int:
        """The slot of a channel that an expression refers to; made on first use."""
        from ..families import signals
        if reference not in self.signals:
            kind, axis, history, zero, order, frames = self._resolve(reference)
            slot = self.builder.new_signal()
            row = self.builder.pair(signals.SENSE, reference, *frames, (KINDS[kind], axis, history, slot, order), (zero,),
                                    velocity=True, reads=True)
            self.signals[reference] = slot, row, frames
        return self.signals[reference][0]

    def _resolve(self, reference: str) -> tuple[str, int, int, float, int, tuple[int, int]]:
        found = sensed(reference, self.owners, {name: r.zeros for name, r in self.directory.joints.items()}, self.measured)
        order = int(found.rate)
        if found.frame is not None:
            ground = self.builder.frame(self.builder.ground, (0, 0, 0))
            return found.coordinate, found.axis, 0, 0.0, order, (ground, self.frame(found.frame, reference, reads=True))
        if found.item in self.measured:
            if not np.any(np.subtract(*(self.world(f, reference)[0] for f in self.measured[found.item]))):
                raise ValueError(f"measure {found.item!r}: {NO_GAP}")
            fa, fb = (self.frame(f, reference) for f in self.measured[found.item])
            return found.coordinate, 0, 0, 0.0, order, (fa, fb)
        record, c = self.directory.joints[found.item], found.coordinate
        return c, Z, record.histories.get(c, 0), record.zeros[c], order, record.ends(c)

    def system(self) -> System:
        """All rows are in: place the frames that are only looked at, and compile."""
        self.marking = True
        for name, frame in self.markers:
            self.directory.frames[name] = self.frame(frame, name)
        self.marking = False
        return self.builder.system()
