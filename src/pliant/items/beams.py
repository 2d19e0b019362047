"""Beams that deform far: bodies of many nodes, with elements between them. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema, model_validator

from ..functions.field_error import FieldError
from ..functions.units import must, shown
from .base import (
    AngularVelocity,
    Axis,
    Frame,
    FrameName,
    Item,
    Place,
    Point,
    Share,
    Velocity,
    matrix_of,
    number,
    quaternion_of,
)
from .beam_axis import BeamAxis, Pose, axis_of, default_up, skew
from .beam_fields import MaterialField, ProfileField, plain_material, plain_profile
from .beam_formulations import EXACT, FORMULATIONS, MODAL, RIGID, SECTIONED, SLOPES, TWISTLESS, node_at, pose_at, unfit
from .beam_profiles import flexibility_of, mass_of, moved, rigid_parts, section_at, unfit_material
from .bodies import FrameOwner
from .declarations import Channel
from .quantities import BODY, WORLD
from .rotations import AXES

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from ..flex.material import Material
    from ..flex.section import Section
    from .placing import Placement

MOST = 100_000   # elements of a beam
FEWEST = 4       # points of a curve
PARALLEL = 1e-6  # up and the beam: the sine of the angle between them is larger
ENDS = {"start": 0.0, "end": 1.0}
GAUSS = [((1 + x) / 2, w / 2) for x, w in np.transpose(np.polynomial.legendre.leggauss(4)).tolist()]


def _elements(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= MOST:
        raise ValueError(f"{shown(value)} must be a whole number from 1 to {MOST}")
    return int(value)


def _spelled(value: Any) -> Any:
    return value.replace("_", "-") if isinstance(value, str) else value


def _points(value: Any) -> Any:
    """Two points, or enough of them for a smooth curve."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise ValueError(must(value, "must be a list of points of three coordinates [m]"))
    if len(value) not in (2, *range(FEWEST, len(value) + 1)):
        raise ValueError(f"{len(value)} points, must be at least {FEWEST} for a curve, or two for a straight beam")
    return tuple(value)


class BeamPlace(Place):
    """A frame of a beam: at ``s`` of its length, 0 to 1; point and rotation, in the axes of its start, follow."""
    s: Share = 0.0

    @model_validator(mode="before")
    @classmethod
    def _from_point(cls, value: Any) -> Any:
        if isinstance(value, BeamPlace):
            return value
        if isinstance(value, dict) and set(value) != {"s"} and not {"s", "point", "rotation"} <= set(value):
            raise ValueError(must(value, "must be a place along the beam, from 0 to 1"))
        return value if isinstance(value, dict) else {"s": value}


if TYPE_CHECKING:
    Elements = int
    Seconds = float
    Twist = float
    Bends = str
else:
    Elements = Annotated[int, BeforeValidator(_elements)]
    Bends = Annotated[Literal[FORMULATIONS], BeforeValidator(_spelled)]
    Seconds, Twist = number("s", least=0.0), number("rad")
Along = Annotated[BeamPlace, WithJsonSchema({"type": ["number", "string"], "description": "place along the beam, 0 to 1"})]
Points = Annotated[tuple[Point, ...], BeforeValidator(_points)]


class Beam(FrameOwner):
    """A beam that may bend, twist and stretch far: nodes that move and turn like rigid bodies, and elements between them.

    From ``start`` to ``end``, or smoothly through ``points``. ``profile``: its section, or sections at places from 0 to 1, and
    ``material``, as of ``pl.flex``; the z axis of the section is towards ``up`` and turns by ``twist`` from the start to the end.
    ``elements``: their number, of equal lengths.
    ``formulation``: how it is computed, see docs/beams.md. ``lumped``: the mass is at the nodes instead of along the axis. ``shear``:
    whether sections may lean. ``damping`` [s] times the stiffness resists rates of strain. ``velocity`` is that of its start,
    ``angular_velocity`` in the axes there; the whole beam has this motion and begins undeformed; what is left out is solved for. Frames:
    start, end, node_0, node_1, …, and ``frames``, names with places along the beam from 0 to 1; ``beam.at(0.3)`` is one without a name.
    """
    section: ClassVar[str] = "bodies"
    kind: ClassVar[str] = "beam"
    deforms: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("name", "start", "end", "profile", "material")
    start: Annotated[Point | None, WORLD] = None
    end: Annotated[Point | None, WORLD] = None
    points: Annotated[Points | None, WORLD] = None
    profile: ProfileField
    material: MaterialField | None = None
    elements: Elements = 8
    formulation: Bends = EXACT
    lumped: bool = False
    shear: bool = True
    damping: Seconds = 0.0
    up: Annotated[Axis | None, WORLD] = None
    twist: Twist = 0.0
    velocity: Annotated[Velocity | None, WORLD] = None
    angular_velocity: Annotated[AngularVelocity | None, BODY] = None
    frames: dict[FrameName, Along] = Field(default_factory=dict)  # type: ignore[assignment]
    _known: dict[str, float] = PrivateAttr(default_factory=dict)  # frames that it had without being asked

    @model_validator(mode="after")
    def _check(self) -> Beam:
        if wrong := unfit_material(self.profile, self.material, self.shear):
            raise FieldError(*wrong)
        corners = self._corners()
        far = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        if not far.min() > 1e-9 * max(1e-300, far.sum()):
            k = int(np.argmin(far))
            where = f"{shown(corners[k].tolist())} m"
            raise FieldError("end" if self.points is None else "points", f"is where start is, {where}; a beam needs a length"
                             if self.points is None else f"the points {k} and {k + 1} are the same, {where}; remove one")
        try:
            axis = self.axis
        except ValueError as error:
            raise FieldError("points", f"the axis {error}") from None
        if (leans := self._leaning(axis)) is not None:
            raise FieldError("up", f"the axis of the beam is along it at s = {leans:.3g}; take a direction across")
        if axis.turns.max() > 3.0:
            raise FieldError("elements", f"{self.elements} are too few: one turns by {np.degrees(axis.turns.max()):.0f} degrees as "
                             "modelled, and 170 are the most")
        if wrong := unfit(self):
            raise FieldError(*wrong)
        self._name_frames(axis)
        return self

    def _corners(self) -> np.ndarray:
        if self.points is not None:
            if self.start is not None or self.end is not None:
                raise FieldError("points", "take the place of start and end; leave these out")
            return np.array(self.points, float)
        for field in ("start", "end"):
            if getattr(self, field) is None:
                raise FieldError(field, "is missing; a beam needs start and end, or points")
        return np.array([self.start, self.end], float)

    def _leaning(self, axis: BeamAxis) -> float | None:
        """Where the beam is along ``up``."""
        if self.up is None:
            return None
        across = [np.linalg.norm(np.cross(self.up, pose.axes[:, 0])) for pose in axis.poses]
        return int(np.argmin(across)) / self.elements if not min(across) > PARALLEL else None

    def _name_frames(self, axis: BeamAxis) -> None:
        """Frames of the user, then those that every beam has."""
        known = self.known_frames
        given = {name: frame for name, frame in self.frames.items() if self._known.get(name) != frame.s}  # not those of other elements
        own = {name: frame for name, frame in given.items() if name not in known}
        middle = next((name for name in own if name in {f"element_{k}" for k in range(self.elements)}), None)
        if middle:
            raise FieldError("frames", f"channels call the middle of an element {middle!r}; take another name", middle)
        taken = [name for name, frame in given.items() if frame.s != known.get(name, frame.s)]
        if taken:
            raise FieldError("frames", f"the frame {taken[0]!r} is at s = {known[taken[0]]:g} of every beam; take another name", taken[0])
        first, found = axis.poses[0], {}
        for name, s in {**{name: frame.s for name, frame in own.items()}, **known}.items():
            pose = self.pose(s)
            found[name] = BeamPlace(s=s, point=tuple((first.axes.T @ (pose.point - first.point)).tolist()),
                                    rotation=quaternion_of(first.axes.T @ pose.axes))
        self.__dict__["frames"] = found
        self._known = self.known_frames

    # -- geometry
    @property
    def known_frames(self) -> dict[str, float]:
        """Those that every beam of so many elements has, and where they are."""
        return {**ENDS, **{f"node_{k}": k / self.elements for k in range(self.elements + 1)}}

    @property
    def named_frames(self) -> dict[str, float]:
        """Those of the user."""
        known = self.known_frames
        return {name: frame.s for name, frame in self.frames.items() if name not in known}

    @property
    def axis(self) -> BeamAxis:
        """Nodes as modelled."""
        points = self.points if self.points is not None else (self.start, self.end)
        return axis_of(tuple(map(tuple, points)), self.elements, self.up, self.twist)  # type: ignore[arg-type]

    def pose(self, s: float) -> Pose:
        """Of the section at s (0 to 1), as modelled; on a cable x is along the cubic between its nodes."""
        return pose_at(self, s)

    @property
    def twists(self) -> bool:  # type: ignore[override]
        return self.formulation not in TWISTLESS

    @property
    def spins(self) -> bool:  # type: ignore[override]
        return self.formulation not in (MODAL, *SLOPES)

    @property
    def position(self) -> tuple[float, float, float]:
        """Of its start, as modelled."""
        x, y, z = self.axis.poses[0].point.tolist()
        return x, y, z

    @property
    def rotation(self) -> tuple[float, float, float, float]:
        """Of its start, as modelled: x along the beam."""
        return quaternion_of(self.axis.poses[0].axes)

    @property
    def length(self) -> float:
        """Of its axis [m]."""
        return self.axis.length

    def at(self, s: Any) -> Frame:
        """The section at ``s`` of its length, 0 to 1."""
        return self._frame(s=s)

    def local(self, frame: Frame) -> Frame:
        return frame

    def node_of(self, frame: Frame) -> Any:
        """Where a frame is: along the beam, as a part with modes the name of its node, as a rigid body nowhere else than its point."""
        if self.formulation in (RIGID, MODAL):
            return node_at(self, frame) if self.formulation == MODAL else None
        return self.s_of(frame)

    def s_of(self, frame: Frame) -> float:
        """Where a frame is along the beam: a point is held by the section that is nearest to it."""
        if frame.frame:
            return self.frames[frame.frame].s
        if frame.s is not None:
            return frame.s
        first = self.axis.poses[0]
        if frame.at is not None:
            return self.axis.nearest(np.array(frame.at))
        return 0.0 if frame.point is None else self.axis.nearest(first.point + first.axes @ np.array(frame.point))

    def drawn_at(self, frame: Frame) -> tuple[str, np.ndarray, np.ndarray]:
        """For pictures: the node that is nearest to a frame, and point and axes there as modelled."""
        k = round(self.s_of(frame) * self.elements)
        point, axes = self.place_of(frame)
        node, first = self.axis.poses[k], self.axis.poses[0]
        return f"node_{k}", node.axes.T @ (first.point + first.axes @ point - node.point), node.axes.T @ first.axes @ axes

    def place_of(self, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Point and axes of a frame as modelled, in the axes of its start. A rotation is in the axes of the section."""
        first = self.axis.poses[0]
        if frame.at is not None:
            return first.axes.T @ (np.array(frame.at) - first.point), first.axes.T
        pose = self.pose(self.s_of(frame))
        point = first.axes.T @ (pose.point - first.point) if frame.point is None else np.array(frame.point)
        turned = pose.axes if frame.rotation is None else pose.axes @ matrix_of(frame.rotation)
        return point, first.axes.T @ turned

    # -- as rigid bodies have them, undeformed
    @property
    def mass(self) -> float:
        return float(sum(weight * self.mass_at(s)[0, 0] for s, weight in self.quadrature()))

    @property
    def center(self) -> np.ndarray:
        """Centre of mass [m], in the axes of its start."""
        M = self._whole
        return np.array([M[1, 5], M[2, 3], M[0, 4]]) / M[0, 0]

    @property
    def inertia_matrix(self) -> np.ndarray:
        """About the centre of mass, in the axes of its start [kg m^2]."""
        c = self.center
        return np.asarray(self._whole[3:, 3:] - self.mass * ((c @ c) * np.eye(3) - np.outer(c, c)))

    @property
    def _whole(self) -> np.ndarray:
        """6x6 mass about its start, in the axes there: mass along the axis, what sections have of their own at the nodes."""
        first, total = self.axis.poses[0], np.zeros((6, 6))
        for s, weight in self.quadrature():
            pose, m = self.axis.pose(s), np.zeros((6, 6))
            m[:3, :3] = weight * self.mass_at(s)[0, 0] * np.eye(3)
            total += moved(m, first.axes.T @ pose.axes, first.axes.T @ (pose.point - first.point))
        for pose, (_, moment, inertia) in zip(self.axis.poses, self.at_nodes(), strict=True):
            own = np.block([[np.zeros((3, 3)), -skew(moment)], [skew(moment), inertia]])
            total += moved(own, first.axes.T @ pose.axes, first.axes.T @ (pose.point - first.point))
        return total

    # -- sections
    @property
    def uniform(self) -> tuple[Section, Material]:
        """The one section and its material, of formulations that know no others; see `beam_formulations.unfit`."""
        assert self.material is not None
        return self.profile, self.material  # type: ignore[return-value]

    def quadrature(self) -> Iterable[tuple[float, float]]:
        """Places along it and lengths that they stand for [m]: four Gauss points in each element."""
        for k, length in enumerate(self.axis.lengths):
            for x, w in GAUSS:
                yield (k + x) / self.elements, float(w * length)

    def flexibility_at(self, s: float) -> np.ndarray:
        """Strains of the section at s by its forces and moments, in its axes; see `beam_profiles.flexibility_of`."""
        return flexibility_of(section_at(self.profile, s), self.material, self.shear)

    def mass_at(self, s: float) -> np.ndarray:
        """6x6 per length, about the axis, in the axes of the section."""
        return mass_of(section_at(self.profile, s), self.material)

    def at_nodes(self) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """Mass, first moments and inertia of sections that are of each node, shared evenly between the two beside them."""
        found = np.zeros((self.elements + 1, 6, 6))
        for s, weight in self.quadrature():
            k = min(int(s * self.elements), self.elements - 1)
            x, m = s * self.elements - k, weight * self.mass_at(s)
            found[k] += (1 - x) * m
            found[k + 1] += x * m
        return [rigid_parts(m) for m in found]

    # -- text
    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        out = super().placed({k: v for k, v in fields.items() if k not in ("position", "rotation")}, by)
        out = {k: v for k, v in out.items() if k not in ("position", "rotation")}
        out |= {k: by.point(fields[k]) for k in ("start", "end") if fields.get(k) is not None}
        if fields.get("points") is not None:
            out["points"] = tuple(by.point(p) for p in fields["points"])
        if by.turns:
            given = fields.get("up")
            out["up"] = by.vector(AXES[given] if isinstance(given, str) else default_up(self.axis) if given is None else given)
        return out

    def plain(self) -> dict[str, Any]:
        data = super().plain()
        data["profile"] = plain_profile(self.profile)
        if self.material is not None:
            data["material"] = plain_material(self.material)
        data.pop("frames", None)
        if self.points is not None:
            data["points"] = [list(p) for p in self.points]
        return data | ({"frames": named} if (named := self.named_frames) else {})

    def build(self, layout: ModelCompiler) -> None:
        layout.add_beam(self)
        layout.directory.sectioned.add(self.name)
        layout.add_marker(self.name, self.as_frame())
        for name in self.frames:
            layout.add_marker(f"{self.name}.{name}", self[name])

    def channels(self) -> Iterable[Channel]:
        """Of sections: at the middle of every element, at both ends and at frames of the user."""
        if self.formulation not in SECTIONED:
            return
        middles = {f"element_{k}": (k + 0.5) / self.elements for k in range(self.elements)}
        for place, s in {**ENDS, **self.named_frames, **middles}.items():
            k, x = self.axis.locate(s)
            k, x = (k - 1, 1.0) if k == self.elements else (k, x)
            yield Channel(f"{place}.force", "N", 3, partial(_section, k, x, 0))
            yield Channel(f"{place}.moment", "N*m", 3, partial(_section, k, x, 3))
            F = self.flexibility_at(s)
            yield Channel(f"{place}.strain", "", 3, partial(_strain, k, x, F[:3]))
            yield Channel(f"{place}.curvature", "rad/m", 3, partial(_strain, k, x, F[3:]))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from ..flex.section import Section
        return [cls("beam", (0.2, 0.1, 0.0), (0.9, 0.5, 0.3), Section.rectangle(0.03, 0.05), "steel", elements=2, damping=1e-4)]


def _section(element: int, xi: float, first: int, observer: Any, name: str) -> np.ndarray:
    return np.asarray(observer.section(name, slice(element, element + 1), [xi])[:, 0, 0, first:first + 3])


def _strain(element: int, xi: float, F: np.ndarray, observer: Any, name: str) -> np.ndarray:
    """Of the section against the one as modelled: stretch and two shears, or twist and two curvatures"""
    return np.asarray(observer.section(name, slice(element, element + 1), [xi], resting=True)[:, 0, 0] @ F.T)
