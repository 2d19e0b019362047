"""From items to a System: Layout gives items what they need to build themselves and notes what their channels are read from."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..families import constraints
from ..functions.expression import Node
from ..functions.parser import NO_NAMES, Names
from ..items.base import Frame, Pair, did_you_mean
from ..items.declarations import Bearing, Gauge
from ..items.errors import MissingItem, ModelError, missing_in
from ..items.groups import MODEL, TOGETHER
from ..items.joint_channels import held_by
from ..items.joints import Planar, perpendicular_frame
from ..items.references import NO_DIRECTION, NO_LENGTH, no_body, no_coordinate, no_frame, no_node, no_twist, one_body
from ..kernels.coordinates import ANGLE, DISPLACEMENT, DISTANCE
from .array_builder import ArrayBuilder, Place
from .channel_map import ChannelMap, Flexible, ForceRecord, JointRecord, StatedVelocity, Z
from .discrete import Discrete
from .planar import unheld
from .relations import Relation
from .sensing import KINDS, Sensing
from .signals import Declared, Signals
from .structure import OFF, Structure
from .system import System
from .twist import check_load, without_twist

if TYPE_CHECKING:
    from ..functions.function import Code
    from ..items.base import Item
    from ..items.beams import Beam
    from ..items.bodies import FrameOwner, RigidBody
    from ..items.distributed_loads import LineLoad
    from ..items.forces import Load
    from ..items.modal import ModalBody
    from ..kernels.contract import Family


class Coordinate(NamedTuple):
    """A coordinate of a joint: its frames; kind, axis and history, as elements have them; what is added to it."""
    frames: tuple[int, int]
    place: tuple[int, int, int]
    zero: float


def _parallel(pairs: set[tuple[int, int]]) -> tuple[int, ...]:
    """Axes that d1 equations keep parallel: axis k of b perpendicular to the two others of a, or the other way round; all three
    from three equations on. They are parallel as modelled, never antiparallel."""
    if len(pairs) >= 3:
        return 0, 1, 2
    return tuple(k for k in range(3) if {((k + 1) % 3, k), ((k + 2) % 3, k)} <= pairs or {(k, (k + 1) % 3), (k, (k + 2) % 3)} <= pairs)


class ModelCompiler(Sensing):
    """One compilation: bodies first, then joints, then everything else."""
    distance: ClassVar[tuple[int, int, int]] = (DISTANCE, Z, 0)  # kind, axis and history, as elements have them

    def __init__(self, gravity: Any, owners: dict[str, FrameOwner], exact: bool = False,
                 placed: dict[str, tuple[np.ndarray, tuple[float, float, float, float]]] | None = None,
                 sliding: Mapping[str, int] | None = None, names: Names = NO_NAMES) -> None:
        self.builder = ArrayBuilder(gravity, coupled=exact, known=names)
        self.placed = placed or {}  # position and rotation of bodies that their joints placed
        self.owners = owners
        self.sliding = {name: list(range(n)) for name, n in (sliding or {}).items()}  # places for what slides along lines of a body
        self.flexible: dict[str, tuple[Any, list[int]]] = {}  # tables of modal bodies, and places for what slides on them
        ground = self.builder.ground = replace(self.builder.ground, lines=self.builder.slides(len(self.sliding.get("ground", ()))))
        self.places: dict[str, Place] = {"ground": ground}
        self.poses: dict[str, tuple[np.ndarray, np.ndarray]] = {"ground": (np.zeros(3), np.eye(3))}
        self.directory = ChannelMap()
        self.items: list[Item] = []
        self.used: dict[str, list[tuple[Frame, bool]]] = {}  # by body: frames that items have, and whether something may act there
        self.marking = False
        self.building: Item | None = None  # who builds itself
        self.discrete, self.structure = Discrete(self), Structure(self)
        self.signals = Signals(self.builder, self._primitive, self._rate, self.discrete.look_up)
        self.given: dict[str, float] = {}  # free inputs
        self.flows: dict[str, Declared] = {}
        self.builder.signal, self.builder.chain = self.signals.slot, self.signals.chain
        self.markers: list[tuple[str, Frame]] = []
        self.measured: dict[str, tuple[Frame, Frame]] = {}
        self.gauges: dict[str, tuple[Gauge, int]] = {}
        self.bearings: dict[str, Bearing] = {}

    def add(self, items: Iterable[Item]) -> None:
        """Items build themselves."""
        for item in items:
            with self._told(item):
                self.building = item
                item.build(self)
            self._equations_of(item)
            self.items.append(item)

    @contextmanager
    def _told(self, item: Item) -> Iterator[None]:
        """What is wrong with an item knows it, and what it misses."""
        try:
            yield
        except ModelError:
            raise
        except ValueError as error:
            raise ModelError(str(error), (item.name, *missing_in(error))) from error

    # -- frames
    def add_body(self, body: RigidBody | ModalBody, place: Place, position: np.ndarray, axes: np.ndarray, rates: Any = None) -> None:
        """A body that was placed: its pose as modelled and what the user said of its velocities; ``rates``: these as they are in v."""
        self.places[body.name], self.poses[body.name] = place, (position, axes)
        self.directory.masses[body.name] = float(body.mass)
        v, w = body.velocity, body.angular_velocity
        values = np.array([*(v or (0.0,) * 3), *(w or (0.0,) * 3)]) if rates is None else np.concatenate(rates)
        said = [v is not None] * 3 + [w is not None] * 3
        self.directory.stated[body.name] = StatedVelocity(place.iv, said, values, place.iq, np.array(body.com))

    def add_beam(self, beam: Beam) -> None:
        """A body of many nodes."""
        from .beam_bodies import add_beam
        add_beam(self, beam)

    def loaded_elements(self, load: LineLoad, beam: Beam) -> list[int]:
        """Frames along which the factor of a load acts, one for each element of a beam that bears it."""
        from .beam_bodies import line_load
        return line_load(self, load, beam)

    def add_flexible(self, body: ModalBody, place: Place, rows: Any) -> None:
        """Where the modal coordinates of a body are, and what they mean."""
        self.directory.flexible[body.name] = Flexible(place.iq + 7, place.iv + 6, rows.scale, body.inertia_matrix,
                                                      body.modal_rate is not None, body.size, rows.frames, rows.sliders, rows.feet,
                                                      body.adaptive)

    def owner(self, frame: Frame, item: str) -> FrameOwner:
        if frame.body not in self.owners:
            raise MissingItem(f"{item}: {no_body(frame.body, self.owners, self.directory.joints)}", frame.body)
        owner = self.owners[frame.body]
        if frame.frame and frame.frame not in owner.frames:
            raise ValueError(f"{item}: {no_frame(frame.body, frame.frame, owner.frames)}")
        try:
            owner.local(frame)
        except ValueError as error:
            raise ValueError(f"{item}: {error}") from None
        return owner

    def world(self, frame: Frame, item: str) -> tuple[np.ndarray, np.ndarray]:
        """Position and axes of a frame in the pose as modelled."""
        point, axes = self.owner(frame, item).place_of(frame)
        p, R = self.poses[frame.body]
        return p + R @ point, R @ axes

    def frame(self, frame: Frame, item: str, axes: np.ndarray | None = None, reads: bool = False, points: bool = False) -> int:
        """A row of the frame table; ``axes`` [world axes, as modelled] replace those of the frame. ``reads``: nothing acts there.
        ``points``: what acts there needs no axes of sections."""
        owner = self.owner(frame, item)
        try:
            node = owner.node_of(frame)
        except ValueError as error:
            raise ValueError(f"{item}: {error}") from None
        if node is None and owner.nodal and not (reads or self.marking):
            raise ValueError(f"{item}: {no_node(frame.body, owner.frames)}")
        if not (owner.twists or points or reads or self.marking or self._on_points()):
            raise ValueError(f"{item}: {no_twist(frame.body)}")
        marker = f"{frame.body}.{frame.frame}"
        if frame.frame and frame.frame in getattr(owner, "along", ()) and marker not in dict(self.markers) and not self.marking:
            self.add_marker(marker, owner[frame.frame])
        point, own = owner.place_of(frame)
        return self.builder.frame(self.places[frame.body], point, own if axes is None else self.poses[frame.body][1].T @ axes, node)

    def _on_points(self) -> bool:
        """Whether the item that builds itself needs no axes of its frames."""
        return self.building is not None and (self.building.on_points or bool(getattr(self.building, "apart", False)))

    def check_load(self, load: Load) -> None:
        """A load on a body without twist must do without."""
        check_load(self, load)

    def add_marker(self, name: str, frame: Frame) -> None:
        """A frame with channels; it is evaluated for output only."""
        self.markers.append((name, frame))

    def marker(self, frame: Frame, item: str) -> int:
        """A row of the frame table that is only looked at."""
        self.marking = True
        number = self.frame(frame, item)
        self.marking = False
        return number

    # -- joints
    def add_joint(self, item: Pair, primitives: tuple[tuple[Any, ...], ...]) -> JointRecord:
        """A joint between the frames of an item; its axes are those that its ``joint_axes`` gives."""
        name = f"joint {item.name!r}"
        p_a, R_a = self.world(item.a, name)
        p_b, _ = self.world(item.b, name)
        if wrong := one_body(item.a, item.b):
            raise ValueError(f"{name}: {wrong}")
        axes = R_a @ item.joint_axes() if hasattr(item, "joint_axes") else R_a
        primitives = without_twist(self, item, axes, primitives)
        frames = self.frame(item.a, name, axes, points=True), self.frame(item.b, name, axes, points=True)
        given = item.zeros() if hasattr(item, "zeros") else {}
        start = {c: given.get(c, 0.0) for c in getattr(item, "coordinates", ()) if c != "angle" or self.twisting(item)}
        raw = {"angle": 0.0, "displacement": float(axes[:, Z] @ (p_b - p_a))}
        return self.connect(item, primitives, frames, axes, p_b - p_a, start, raw, turn=R_a.T @ axes)

    def twisting(self, item: Pair) -> bool:
        """Whether both bodies have axes, so that there is an angle between them."""
        return all(self.owners[end.body].twists for end in (item.a, item.b) if end.body in self.owners)

    def connect(self, item: Pair, primitives: tuple[tuple[Any, ...], ...], frames: tuple[int, int], axes: np.ndarray,
                offset: np.ndarray, start: dict[str, float], raw: dict[str, float], **more: Any) -> JointRecord:
        """The equations of a joint between two frames; ``axes`` and ``offset`` from a to b in the world, as modelled.
        ``start``: the values of its coordinates there, ``raw``: what is measured."""
        equations = self.builder.equations(item.name, frames)
        record = JointRecord(*frames, [], equations, {c: value - raw[c] for c, value in start.items()}, start,
                             bodies=(item.a.body, item.b.body), axes=axes, offset=offset, **more)
        record.untwisted = not self.twisting(item)
        record.carrier = item.carrier() if hasattr(item, "carrier") else None
        record.stated = {k: v for c in start for k in (c, f"{c}_rate") if (v := getattr(item, k, None)) is not None}
        record.lock = _parallel({(axis[0], axis[1]) for kind, *axis in primitives if kind == "d1"})
        self.directory.joints[item.name] = record
        self._equations(item.name, record, primitives)
        if "angle" in start:
            record.histories["angle"] = self.builder.history()
            self.builder.pair(constraints.TURNS, item.name, *frames, (ANGLE, Z, record.histories["angle"]),
                              (record.zeros["angle"],), reads=True)
        for which in getattr(item, "hold", ()):
            code = self.builder.function(record.stated.get(which, start[which]), ("t",), f"joint {item.name!r}: hold", kinks=True)
            self.add_drive(held_by(item.name, which), item.name, which, code)
        if not getattr(item, "connected", True):
            self.structure.joint(item.name, start=OFF)
        return record

    def add_drive(self, name: str, joint: str, which: str, code: Code) -> None:
        """The equation that prescribes a coordinate of a joint as a function of time."""
        b, record, c = self.builder, self.directory.joints[joint], self.coordinate(joint, which, name)
        equations = record.equations if c.frames == (record.a, record.b) else b.equations(name, c.frames)
        row = equations.take()
        b.pair(constraints.DRIVE, name, *c.frames, (*c.place, code.value, code.by_t, code.by_tt), (c.zero, 1.0, 0.0),
               joint=equations, row=row)
        self.directory.drives[name] = row, 1.0, joint, which
        self.directory.codes[name] = code.value

    def _equations(self, name: str, record: JointRecord, primitives: tuple[tuple[Any, ...], ...]) -> None:
        b, fa, fb, equations = self.builder, record.a, record.b, record.equations
        for kind, *axis in primitives:
            row = equations.take(3 if kind == "coincident" else 1)
            record.rows += range(row, row + (3 if kind == "coincident" else 1))
            record.directions += [(kind, k) for k in range(3)] if kind == "coincident" else [(kind, *axis)]
            if kind == "distance":
                length = float(np.linalg.norm(record.offset)) if axis[0] is None else axis[0]
                if length == 0:
                    raise ValueError(f"joint {name!r}: {NO_LENGTH}")
                record.length = length
                b.pair(constraints.COORDINATE, name, fa, fb, (DISTANCE, 0, 0, -1, -1, -1), (0.0, 1.0, length),
                       joint=equations, row=row)
            else:
                family = {"coincident": constraints.COINCIDENT, "d1": constraints.PERPENDICULAR, "d2": constraints.IN_PLANE}[kind]
                b.pair(family, name, fa, fb, axis, joint=equations, row=row)

    def hold_in_planes(self, normal: np.ndarray) -> None:
        """A hidden planar joint for every body that the joints do not hold in its plane across ``normal``."""
        b, axes = self.builder, perpendicular_frame(normal)
        loose = self.structure.loose()
        firm = [record for name, record in self.directory.joints.items() if name not in loose]
        beams = self.directory.beams
        bodies = [part for name in self.owners if name != "ground" for part in (beams[name].nodes if name in beams else (name,))]
        slopes = {node.name: node.vectors for node in self.builder.slopes}
        if thick := [node.beam for node in self.builder.slopes if node.vectors > 2]:
            raise ValueError(f"planar: the sections of beam {thick[0]!r} may leave the planes as they deform; leave planar out, or give "
                             "the beam another formulation")
        for body in unheld([self._by_nodes(record) for record in firm] if beams else firm, bodies, normal):
            position, R = self.poses[body]
            if body in slopes:  # the place, and the slope across the normal
                axes = perpendicular_frame(normal, R[:, 0])
            constraints_there = (("d2", 2), ("d1", 2, 0))[:slopes[body]] if body in slopes else Planar.constraints
            fa, fb = b.frame(b.ground, position, axes), b.frame(self.places[body], np.zeros(3), R.T @ axes)
            equations = b.equations(f"plane of {body}", (fa, fb))
            record = JointRecord(fa, fb, [], equations, {}, bodies=("ground", body), axes=axes, carrier=Planar)
            self._equations(equations.name, record, constraints_there)
            self.directory.holds[body] = record

    def _by_nodes(self, record: JointRecord) -> JointRecord:
        """With the nodes of beams that a joint holds in place of these."""
        nodes = {self.places[node].tiles: node for beam in self.directory.beams.values() for node in beam.nodes}
        ends = zip(record.bodies, (record.a, record.b), strict=True)
        a, b = (nodes.get(self.builder.tiles_of(frame), body) for body, frame in ends)
        return replace(record, bodies=(a, b))

    def joint(self, name: str, coordinate: str, item: str) -> JointRecord:
        if name not in self.directory.joints:
            raise MissingItem(f"{item}: there is no joint {name!r}{did_you_mean(name, self.directory.joints)}", name)
        record = self.directory.joints[name]
        if coordinate not in record.zeros:
            raise ValueError(f"{item}: {no_coordinate(name, coordinate, record.zeros)}")
        return record

    def coordinate(self, joint: str, which: str, item: str) -> Coordinate:
        """What elements along a coordinate of a joint need."""
        record = self.joint(joint, which, item)
        return Coordinate(record.ends(which), (KINDS[which], Z, record.histories.get(which, 0)), record.zeros[which])

    @staticmethod
    def component(frames: tuple[int, int], axis: int) -> Coordinate:
        """The same of the way from one frame to another, along an axis of the first."""
        return Coordinate(frames, (DISPLACEMENT, axis, 0), 0.0)

    def distance_of(self, a: Frame, b: Frame, item: str) -> Coordinate:
        """The same along the line of two points."""
        if not np.any(np.subtract(self.world(b, item)[0], self.world(a, item)[0])):
            raise ValueError(f"{item}: {NO_DIRECTION}")
        return Coordinate((self.frame(a, item), self.frame(b, item)), self.distance, 0.0)

    def add_coupling(self, name: str, terms: list[tuple[str, str, float]], shared: str | None = None) -> None:
        """factor_1 c_1 + factor_2 c_2 = its value in the pose as modelled; ``shared``: in the tile of that joint."""
        b, item = self.builder, f"joint {name!r}"
        found = [self.coordinate(joint, which, item) for joint, which, _ in terms]
        if shared:
            equations = self.directory.joints[terms[0][0]].equations
        else:
            equations = b.equations(name, [f for c in found for f in c.frames])
        row = equations.take()
        self.directory.couplings[name] = row, "N*m" if terms[0][1] == "angle" else "N"
        self.directory.terms[name] = {(joint, which): factor for joint, which, factor in terms}
        if shared:
            self.directory.joints[shared].rows.append(row)
            self.directory.joints[shared].directions.append(("coupling",))
        for c, (joint, which, factor) in zip(found, terms, strict=True):
            b.pair(constraints.COORDINATE, name, *c.frames, (*c.place, -1, -1, -1),
                   (c.zero, factor, factor * self.directory.joints[joint].start[which]), joint=equations, row=row)

    def add_relation(self, name: str, node: Node, joint: str, which: str) -> None:
        """node(coordinates, t) = its value in the pose as modelled; in the unit of the coordinate ``which`` of ``joint``."""
        Relation(self, name, node).add((joint, which))

    # -- forces
    def add_force(self, name: str, family: Family, a: int, b: int, ints: Sequence[int] = (),
                  reals: Sequence[float] = (), velocity: bool = False) -> None:
        """A row of a force between two frames, where its channels find it; several of one item follow each other."""
        row = self.builder.pair(family, name, a, b, ints, reals, velocity=velocity)
        self.directory.forces.setdefault(name, ForceRecord(a, b, family, row)).count += 1

    def add_answer(self, family: Family, name: str, frames: tuple[int, int], ints: Sequence[int], slot: int,
                   derivative: int, reals: Sequence[float] = (), equation: int = -1) -> None:
        """The tangent of a force between two frames by a signal that its function uses; ``equation``: whose multiplier it has."""
        b = self.builder
        tiles = (*b.tiles_of(frames[0]), *b.tiles_of(frames[1]))
        self.signals.add_answer(family, name, (*frames, equation, *ints), slot, derivative, reals, tiles)

    def system(self) -> System:
        """All rows are in: place the frames that are only looked at, list the channels, and compile."""
        for name, frame in self.markers:
            self.directory.frames[name] = self.marker(frame, name)
        for item in self.items:
            with self._told(item):
                self.discrete.build(item)
        self.directory.signals = {name: self.signals.slot(name) for name in self._offered()}
        self.discrete.close()
        self.builder.close_switches()
        listed = sorted(self.items, key=lambda item: item.listed)
        self.directory.channels = {f"{item.name}.{c.name}".rstrip("."): (item.name, c) for item in listed for c in item.channels()
                                   if not (c.name in ("angle", "angle_rate") and isinstance(item, Pair) and item.section == "joints"
                                           and not self.twisting(item))}
        self.directory.channels |= self.structure.channels()
        for item in self.items:
            for use in {(use.joint, use.coordinate): use for use in item.uses()}.values():  # each coordinate once
                self.directory.across.setdefault(use.joint, []).append((item, use))
        if sum(self.directory.masses.values()) > 0:
            self.directory.groups[MODEL] = tuple(self.directory.masses)
            self.directory.channels |= {f"{MODEL}.{c.name}": (MODEL, c) for c in TOGETHER}
        return System(self.builder)
