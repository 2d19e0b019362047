"""Joints of what rolls: rows that hold for velocities only. docs/theory/rolling.md"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.units import shown
from .base import Axis, Item, number
from .declarations import Channel
from .joint_channels import joint_channels
from .joints import AxisJoint, perpendicular_frame
from .quantities import Axes
from .references import one_body
from .rolling_channels import disc_channels, knife_channels, sphere_channels, wheelset_channels
from .shapes import Positive

if TYPE_CHECKING:
    from ..compile.channel_map import JointRecord
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement
    Conicity = float
else:
    Conicity = number("")

FLAT = 1e-3     # sine of the angle between the axis of a disc and the normal: below that it lies
STRAIGHT = 0.1  # cosine of the angle between the axle of a wheelset and the line across the rails
MODELLED = Axes("axes of frame a, in the pose as modelled")


class Rolls(AxisJoint):
    """A joint with rows on velocities."""
    rows: ClassVar[int] = 0
    touches: ClassVar[bool] = True  # whether b is not at the point of contact

    @model_validator(mode="after")
    def _check(self) -> Rolls:
        if self.touches and self.at is not None:
            raise FieldError("at", "is a point that a and b have in common, but b is the centre of what rolls; name two frames instead")
        return self

    def equations(self) -> int:
        return self.rows

    def carrier(self) -> None:
        """Its rows leave more positions than velocities: joint coordinates cut it."""

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        """A normal stays on the side of the body, also in a mirror."""
        out = super().placed(fields, by)
        if by.mirror or (by.turns and out.get("at") is not None):
            move = by.vector if out.get("at") is not None else by.local
            out |= {name: move(getattr(self, name)) for name in ("axis", "axis_b", "along") if getattr(self, name, None) is not None}
        return out

    def rolls_on(self, layout: ModelCompiler, axis_b: np.ndarray) -> Rows:
        """What takes its rows: z of frame a along ``axis``, z of frame b along ``axis_b`` (world axes)."""
        name = f"joint {self.name!r}"
        p_a, R_a = layout.world(self.a, name)
        p_b, _ = layout.world(self.b, name)
        if wrong := one_body(self.a, self.b):
            raise ValueError(f"{name}: {wrong}")
        axes = R_a @ self.joint_axes()
        frames = layout.frame(self.a, name, axes), layout.frame(self.b, name, perpendicular_frame(axis_b))
        return Rows(layout, self, layout.connect(self, (), frames, axes, p_b - p_a, {}, {}, turn=R_a.T @ axes))

    def world_axis(self, layout: ModelCompiler, axis: Any) -> np.ndarray:
        """A direction in the axes of frame a, as modelled, in the world."""
        _, R_a = layout.world(self.a, f"joint {self.name!r}")
        return np.asarray(R_a @ np.array(axis))


class Rows:
    """Takes rows of a joint, one after the other."""

    def __init__(self, layout: ModelCompiler, item: Rolls, record: JointRecord) -> None:
        self.layout, self.item, self.record = layout, item, record

    def take(self, direction: str) -> int:
        row = self.record.equations.take()
        self.record.rows.append(row)
        self.record.directions.append((direction,))
        return row

    def position(self, kind: int, which: int, *reals: float, kept: tuple[int, ...] = ()) -> None:
        """e.(d + k) = 0"""
        self._rolling((kind, which), False, reals, kept)

    def speed(self, kind: int, which: int, *reals: float, kept: tuple[int, ...] = ()) -> None:
        """G u = 0"""
        self._rolling((kind, which), True, reals, kept)

    def _rolling(self, what: tuple[int, int], speed: bool, reals: tuple[float, ...], kept: tuple[int, ...]) -> None:
        from ..families.rolling import POSITION, ROLLING, VELOCITY
        b, r = self.layout.builder, self.record
        row = self.take("speed" if speed else "gap")
        if speed:
            b.velocity_rows.append(row)
        b.pair(ROLLING, self.item.name, r.a, r.b, (*what, VELOCITY if speed else POSITION, *kept), reals, joint=r.equations, row=row,
               velocity=True)


class KnifeEdge(Rolls):
    """The point b has no velocity along ``axis``, which turns with b: a blade on ice, the ideal wheel of a cart. Nothing holds its place:
    1 equation of velocities. ``axis`` is given in the axes of frame a in the pose as modelled; velocities are against the body of a."""
    kind: ClassVar[str] = "knife_edge"
    symbol: ClassVar[str] = "diamond"
    rows: ClassVar[int] = 1
    touches: ClassVar[bool] = False

    def build(self, layout: ModelCompiler) -> None:
        from ..families.rolling import BLADE
        self.rolls_on(layout, self.world_axis(layout, self.axis)).speed(BLADE, 0)

    def channels(self) -> Iterable[Channel]:
        return *joint_channels(()), *knife_channels()


class RollingDisc(Rolls):
    """A disc of this ``radius`` [m] rolls on the plane through a, on the side to which the normal ``axis`` points, without slip: 1 equation
    of positions, 2 of velocities. b is its centre, ``axis_b`` its axis, in the axes of frame a in the pose as modelled. Its edge is sharp:
    it touches in its lowest point, also where it is tilted, and must not lie flat."""
    kind: ClassVar[str] = "rolling_disc"
    symbol: ClassVar[str] = "diamond"
    guide: ClassVar[str] = "plane"
    rows: ClassVar[int] = 3
    radius: Positive
    axis_b: Annotated[Axis, MODELLED] = (0.0, 1.0, 0.0)

    @model_validator(mode="after")
    def _upright(self) -> RollingDisc:
        if np.linalg.norm(np.cross(self.axis, self.axis_b)) < FLAT:
            raise FieldError("axis_b", f"{shown(self.axis_b)} is the normal of the plane: a disc that lies flat does not roll; its axis "
                             "must be tilted against it")
        return self

    def build(self, layout: ModelCompiler) -> None:
        from ..families.rolling import RIM
        rows = self.rolls_on(layout, self.world_axis(layout, self.axis_b))
        rows.position(RIM, 2, self.radius)
        for axis in range(2):
            rows.speed(RIM, axis, self.radius)

    def channels(self) -> Iterable[Channel]:
        return *joint_channels(()), *disc_channels(self.radius)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .bodies import RigidBody
        disc = RigidBody("wheel", mass=1.5, inertia=(0.05, 0.09, 0.05))
        return [disc, cls("J", a, "wheel", radius=0.3, axis=(0.1, -0.2, 0.9), axis_b=(0.2, 1.0, 0.3))]


class RollingSphere(Rolls):
    """A sphere of this ``radius`` [m] around b rolls without slip on the plane through a, on the side to which the normal ``axis`` points;
    or on a sphere around a, with the radius ``sphere`` [m], or ``inside`` it: 1 equation of positions, 2 of velocities. It may spin about
    the normal."""
    kind: ClassVar[str] = "rolling_sphere"
    symbol: ClassVar[str] = "diamond"
    guide: ClassVar[str] = "plane"
    rows: ClassVar[int] = 3
    radius: Positive
    sphere: Positive | None = None
    inside: bool = False

    @model_validator(mode="after")
    def _fits(self) -> RollingSphere:
        if self.inside and self.sphere is None:
            raise FieldError("sphere", "is missing: inside of which sphere does it roll? Give its radius, or leave inside out")
        if self.inside and self.sphere is not None and not self.sphere > self.radius:
            raise FieldError("sphere", f"{self.sphere:g} m must be larger than the radius {self.radius:g} m of what rolls inside it")
        return self

    @property
    def globe(self) -> float:
        """The radius of what it rolls on, negative inside of it; 0 of a plane."""
        return 0.0 if self.sphere is None else -self.sphere if self.inside else self.sphere

    def build(self, layout: ModelCompiler) -> None:
        from ..families.rolling import BALL, GLOBE
        rows = self.rolls_on(layout, self.world_axis(layout, self.axis))
        kind, kept = (GLOBE, self._tangents(rows)) if self.sphere else (BALL, ())
        reals = self.radius, self.globe
        rows.position(kind, 2, *reals, kept=kept)
        for axis in range(2):
            rows.speed(kind, axis, *reals, kept=kept)

    def _tangents(self, rows: Rows) -> tuple[int]:
        """Where the history keeps a direction across the normal of a sphere."""
        from ..families.rolling import GLOBE, TANGENTS
        b, r = rows.layout.builder, rows.record
        if not np.any(r.offset):
            raise ValueError(f"joint {self.name!r}: the centres of both spheres coincide as modelled; place {self.b.body!r} where it "
                             "touches")
        r.tangent = b.history(3)
        b.pair(TANGENTS, self.name, r.a, r.b, (GLOBE, 0, -1, r.tangent), (self.radius, self.globe), reads=True)
        return (r.tangent,)

    def channels(self) -> Iterable[Channel]:
        return *joint_channels(()), *sphere_channels(self.radius, self.globe)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .bodies import RigidBody
        ball = RigidBody("ball", mass=1.5, inertia=(0.05, 0.06, 0.07))
        return [ball, cls("J", a, "ball", radius=0.3, axis=(0.1, -0.2, 0.9))]


class Wheelset(Rolls):
    """Two conical wheels on an axle roll on two straight rails: 2 equations of positions, 3 of velocities. a is a point midway between
    the rails at their height, which are ``gauge`` [m] apart from contact to contact and go ``along`` (axes of frame a); ``axis`` is
    up. b is the middle of the axle, which points along ``axis_b`` (axes of frame a in the pose as modelled). ``radius`` [m] of the
    wheels where they touch in the middle; a wheel that goes outwards by y has the radius r + ``conicity`` y.

    Its cones are linear: the axle stays level at the height r, and what the cones lift and tilt it is left out."""
    kind: ClassVar[str] = "wheelset"
    symbol: ClassVar[str] = "diamond"
    guide: ClassVar[str] = "plane"
    rows: ClassVar[int] = 5
    radius: Positive
    gauge: Positive
    conicity: Conicity
    along: Annotated[Axis, MODELLED] = (1.0, 0.0, 0.0)
    axis_b: Annotated[Axis, MODELLED] = (0.0, 1.0, 0.0)

    @model_validator(mode="after")
    def _level(self) -> Wheelset:
        if abs(np.dot(self.axis, self.along)) > 1e-9:
            raise FieldError("along", f"{shown(self.along)} must be perpendicular to axis {shown(self.axis)}")
        if abs(np.dot(self.axis, self.axis_b)) > 1e-9:
            raise FieldError("axis_b", f"{shown(self.axis_b)} must be perpendicular to axis {shown(self.axis)}: the axle stays level")
        if abs(np.dot(np.cross(self.axis, self.along), self.axis_b)) < STRAIGHT:
            raise FieldError("axis_b", f"{shown(self.axis_b)} points along the rails; the axle must lie across them")
        if not -1 < self.conicity < 1:
            raise FieldError("conicity", f"{self.conicity:g} must be between -1 and 1")
        return self

    def joint_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis), np.array(self.along))

    def axle(self) -> np.ndarray:
        """To the side of y of the joint frame."""
        return np.array(self.axis_b) * np.sign(np.dot(np.cross(self.axis, self.along), self.axis_b))

    def build(self, layout: ModelCompiler) -> None:
        from ..families.constraints import COORDINATE, PERPENDICULAR
        from ..families.rolling import BLADE, WHEEL
        from ..kernels.coordinates import DISPLACEMENT
        rows = self.rolls_on(layout, self.world_axis(layout, self.axle()))
        b, r, z = layout.builder, rows.record, 2
        b.pair(COORDINATE, self.name, r.a, r.b, (DISPLACEMENT, z, 0, -1, -1, -1), (0.0, 1.0, self.radius), joint=r.equations,
               row=rows.take("gap"))
        b.pair(PERPENDICULAR, self.name, r.a, r.b, (z, z), joint=r.equations, row=rows.take("level"))
        rows.speed(BLADE, 0, self.radius)
        for side in range(2):
            rows.speed(WHEEL, side, self.radius, self.gauge / 2, self.conicity)

    def channels(self) -> Iterable[Channel]:
        return *joint_channels(()), *wheelset_channels(self.gauge)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .bodies import RigidBody
        wheels = RigidBody("wheels", mass=1500.0, inertia=(800.0, 100.0, 800.0))
        return [wheels, cls("J", a, "wheels", radius=0.46, gauge=1.5, conicity=0.05, axis="z", along="y", axis_b="x")]
