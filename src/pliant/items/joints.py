"""Joints: combinations of a few constraint primitives between two joint frames.

The joint frame has its z axis along ``axis`` (given in the axes of frame ``a``). On ``b`` it is attached so that both
coincide in direction in the pose as modelled: joint coordinates are zero there, and grow as ``b`` moves against ``a`` about
(along) the axis. A joint may state the values of its coordinates, and their rates, at the start. A new joint is a class with a
list of primitives, see docs/extending.md.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from ..functions.field_error import FieldError
from ..functions.units import quantity, shown
from .base import Angle, Axis, Item, Length, Name, Pair, TimeFunction, ends_of, number, with_between
from .forces import numbers_with_units
from .shapes import Positive

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    AngleRate = float
    LengthRate = float
else:
    AngleRate, LengthRate = number("rad/s"), number("m/s")

# A primitive is a tuple: its kind and the axes (0 x, 1 y, 2 z) of the joint frames on a and b.
COINCIDENT = ("coincident",)                                # p_a = p_b: three equations, C^s
LOCK = (("d1", 0, 1), ("d1", 1, 2), ("d1", 2, 0))           # all axes parallel
PARALLEL_Z = (("d1", 0, 2), ("d1", 1, 2))                   # z axes parallel
ON_Z = (("d2", 0), ("d2", 1))                               # b's point on the z axis of a
LETTERS = {"x": 0, "y": 1, "z": 2}


def perpendicular_frame(z: np.ndarray, x: np.ndarray | None = None) -> np.ndarray:
    """Rotation matrix whose third column is ``z`` and whose first is ``x`` made perpendicular (or any)."""
    if x is None:
        x = np.eye(3)[(int(np.argmax(abs(z))) + 1) % 3]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class AxisJoint(Pair):
    """A joint with an axis: a subclass names its primitives in ``constraints`` and its coordinates."""
    section: ClassVar[str] = "joints"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = ()
    coordinates: ClassVar[tuple[str, ...]] = ()
    axis: Axis = (0.0, 0.0, 1.0)

    def joint_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis))

    def primitives_list(self) -> tuple[tuple[Any, ...], ...]:
        return self.constraints

    def zeros(self) -> dict[str, float]:
        """What is added to the joint coordinates, by name."""
        return {}

    def build(self, layout: ModelCompiler) -> None:
        layout.add_joint(self, self.primitives_list())


class Turns(AxisJoint):
    """A joint with the coordinate ``angle``; ``angle`` [rad] and ``angle_rate`` [rad/s] state its values at the start."""
    coordinates: ClassVar[tuple[str, ...]] = ("angle",)
    angle: Angle | None = None
    angle_rate: AngleRate | None = None


class Slides(AxisJoint):
    """A joint with the coordinate ``displacement``; ``displacement`` [m] and ``displacement_rate`` [m/s] state its values at the
    start."""
    coordinates: ClassVar[tuple[str, ...]] = ("displacement",)
    displacement: Length | None = None
    displacement_rate: LengthRate | None = None


class Joint(Turns, Slides):
    """Any combination of primitives, in the axes x, y, z of the joint frames (z along ``axis``, x along ``axis_x`` if given):
    ``"coincident"``; ``("d1", i, j)``: axis i of a perpendicular to axis j of b; ``("d2", i)``: axis i of a perpendicular to
    the line from a to b; ``("distance", l)``. At most six equations."""
    kind: ClassVar[str] = "joint"
    coordinates: ClassVar[tuple[str, ...]] = ("angle", "displacement")
    primitives: list[Any]
    axis_x: Axis | None = None

    @model_validator(mode="after")
    def _check(self) -> Joint:
        if self.axis_x is not None and np.linalg.norm(np.cross(self.axis, self.axis_x)) < 1e-9:
            raise FieldError("axis_x", f"{shown(self.axis_x)} is parallel to axis; give another direction")
        object.__setattr__(self, "primitives", [tuple(p) if isinstance(p, list) else p for p in self.primitives])
        rows = sum({"coincident": 3}.get(p[0], 1) for p in self.primitives_list())
        if not 1 <= rows <= 6:
            raise FieldError("primitives", f"make {rows} equations, must be 1 to 6: "
                             "two frames can move in six ways", mark=" ")
        return self

    def joint_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis), None if self.axis_x is None else np.array(self.axis_x))

    def primitives_list(self) -> tuple[tuple[Any, ...], ...]:
        made = []
        for k, p in enumerate(self.primitives):
            try:
                made.append(_primitive(p))
            except ValueError as error:
                raise FieldError("primitives", str(error), k) from None
        return tuple(made)


def _primitive(p: Any) -> tuple[Any, ...]:
    words = tuple(p) if isinstance(p, (list, tuple)) else (p,)
    match words:
        case ("coincident",):
            return COINCIDENT
        case ("d1", str(i), str(j)) if i in LETTERS and j in LETTERS:
            return "d1", LETTERS[i], LETTERS[j]
        case ("d2", str(i)) if i in LETTERS:
            return "d2", LETTERS[i]
        case ("distance", length):
            return "distance", quantity(length, "m")
    raise ValueError(f"{shown(p)} is not known; there are coincident, [d1, axis of a, axis of b], [d2, axis of a] and "
                     "[distance, length], with axes x, y, z of the joint frame")


class WithAngle(Turns):
    """A joint with the coordinate ``angle``; ``zero`` [rad] is added to it."""
    zero: Angle = 0.0

    def zeros(self) -> dict[str, float]:
        return {"angle": self.zero}


class Revolute(WithAngle):
    """Turns about ``axis``: 5 equations; coordinate ``angle``."""
    kind: ClassVar[str] = "revolute"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT, *PARALLEL_Z)


class Spherical(Pair):
    """The two points coincide: 3 equations."""
    section: ClassVar[str] = "joints"
    kind: ClassVar[str] = "spherical"

    def build(self, layout: ModelCompiler) -> None:
        layout.add_joint(self, (COINCIDENT,))


class Universal(AxisJoint):
    """Hooke's joint: the points coincide, and the cross keeps ``axis`` (fixed in a) perpendicular to ``axis_b`` (fixed in b):
    4 equations. Both axes are given in the axes of frame a in the pose as modelled."""
    kind: ClassVar[str] = "universal"
    axis_b: Axis = (1.0, 0.0, 0.0)
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT, ("d1", 2, 0))

    @model_validator(mode="after")
    def _check(self) -> Universal:
        if abs(np.dot(self.axis, self.axis_b)) > 1e-9:
            raise FieldError("axis_b", f"{shown(self.axis_b)} must be perpendicular to axis {shown(self.axis)} "
                             "in the pose as modelled")
        return self

    def joint_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis), np.array(self.axis_b))


class Prismatic(Slides):
    """Slides along ``axis``: 5 equations; coordinate ``displacement``; ``zero`` [m] is added to it."""
    kind: ClassVar[str] = "prismatic"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (*ON_Z, *LOCK)
    zero: Length = 0.0

    def zeros(self) -> dict[str, float]:
        return {"displacement": self.zero}


class Cylindrical(Turns, Slides):
    """Turns about and slides along ``axis``: 4 equations; coordinates ``angle`` and ``displacement``."""
    kind: ClassVar[str] = "cylindrical"
    coordinates: ClassVar[tuple[str, ...]] = ("angle", "displacement")
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (*ON_Z, *PARALLEL_Z)


class Planar(WithAngle):
    """Moves in the plane through a with normal ``axis``: 3 equations; coordinate ``angle``."""
    kind: ClassVar[str] = "planar"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (("d2", 2), *PARALLEL_Z)


class Fixed(AxisJoint):
    """No relative motion: 6 equations."""
    kind: ClassVar[str] = "fixed"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT, *LOCK)


class Screw(Turns, Slides):
    """Cylindrical with displacement = lead * angle / (2 pi): 5 equations. ``lead`` [m per turn], negative for a left thread."""
    kind: ClassVar[str] = "screw"
    coordinates: ClassVar[tuple[str, ...]] = ("angle", "displacement")
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (*ON_Z, *PARALLEL_Z)
    lead: Length

    def build(self, layout: ModelCompiler) -> None:
        layout.add_joint(self, self.constraints)
        layout.add_coupling(self.name, [(self.name, "displacement", 1.0), (self.name, "angle", -self.lead / (2 * np.pi))],
                            shared=self.name)


class Distance(Pair):
    """Constant distance of two points; ``length`` [m] as modelled if left out: 1 equation."""
    section: ClassVar[str] = "joints"
    kind: ClassVar[str] = "distance"
    length: Positive | None = None

    def build(self, layout: ModelCompiler) -> None:
        layout.add_joint(self, (("distance", self.length),))


class PointOnLine(Slides):
    """Point b stays on the line through a along ``axis``: 2 equations; coordinate ``displacement``."""
    kind: ClassVar[str] = "point_on_line"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = ON_Z


class PointOnPlane(AxisJoint):
    """Point b stays in the plane through a with normal ``axis``: 1 equation."""
    kind: ClassVar[str] = "point_on_plane"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (("d2", 2),)


class JointPair(Item):
    """An item between the coordinates of two joints ``a`` and ``b``, given by name or object."""
    section: ClassVar[str] = "joints"
    coupled: ClassVar[tuple[str, str]] = ("angle", "angle")  # which coordinate of a and of b
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b")
    a: str
    b: str

    @model_validator(mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        value = ends_of(value, "two joints")
        if not isinstance(value, dict):
            return value
        return {k: v.name if k in ("a", "b") and isinstance(v, Item) else v for k, v in value.items()}

    def plain(self) -> dict[str, Any]:
        return with_between(super().plain())


class Gear(JointPair):
    """Couples the angles of two joints: angle_b = ratio * angle_a (a pair of outer gears has a negative ratio). Instead of
    ``ratio`` give ``teeth`` (of a, of b): ratio = -teeth_a / teeth_b. Both joints turn against the same carrier."""
    kind: ClassVar[str] = "gear"
    ratio: float | None = None
    teeth: tuple[int, int] | None = None

    @model_validator(mode="after")
    def _check(self) -> Gear:
        if (self.ratio is None) == (self.teeth is None):
            raise ValueError(f"give either ratio or teeth, {'none is' if self.teeth is None else 'both are'} given")
        if self.a == self.b:
            raise FieldError("between", f"both joints are {self.a!r}; a gear couples two joints")
        if self.ratio is not None and not (np.isfinite(self.ratio) and self.ratio != 0):
            raise FieldError("ratio", f"{self.ratio:g} must be a finite number other than zero")
        if self.teeth is not None and min(self.teeth) < 1:
            raise FieldError("teeth", f"{shown(self.teeth)} must be at least 1 each")
        return self

    def build(self, layout: ModelCompiler) -> None:
        ratio = self.ratio if self.teeth is None else -self.teeth[0] / self.teeth[1]
        assert ratio is not None
        layout.add_coupling(self.name, [(self.b, self.coupled[1], 1.0), (self.a, self.coupled[0], -ratio)])


class RackPinion(JointPair):
    """Couples the displacement of joint ``a`` (the rack) to the angle of joint ``b`` (the pinion): displacement = radius * angle."""
    kind: ClassVar[str] = "rack_pinion"
    coupled: ClassVar[tuple[str, str]] = ("displacement", "angle")
    radius: Length

    def build(self, layout: ModelCompiler) -> None:
        layout.add_coupling(self.name, [(self.a, self.coupled[0], 1.0), (self.b, self.coupled[1], -self.radius)])


class Drive(Item):
    """Prescribes a coordinate of a joint: ``function`` of t [rad or m], a number, an expression, a Table, or a callable f(t)."""
    section: ClassVar[str] = "drives"
    kind: ClassVar[str] = "drive"
    positional: ClassVar[tuple[str, ...]] = ("joint", "coordinate", "function", "name")
    name: Name = Field(default="", validate_default=False)
    joint: str
    coordinate: Literal["angle", "displacement"]
    function: TimeFunction

    @model_validator(mode="before")
    @classmethod
    def _joint_name(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("joint"), Item):
            value = {**value, "joint": value["joint"].name}
        if isinstance(value, dict) and value.get("name") is None and "joint" in value:
            value = {**value, "name": f"{value['joint']}_drive"}
        if isinstance(value, dict) and value.get("coordinate") in ("angle", "displacement"):  # 30 mm is no angle
            numbers_with_units(value, {"function": "rad" if value["coordinate"] == "angle" else "m"})
        return value

    def build(self, layout: ModelCompiler) -> None:
        layout.add_drive(self)

    def plain(self) -> dict[str, Any]:
        data = super().plain()
        data.pop("kind")
        return data
