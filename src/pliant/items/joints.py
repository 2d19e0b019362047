"""Joints: combinations of a few constraint primitives between two joint frames.

The joint frame has its z axis along ``axis`` (given in the axes of frame ``a``). On ``b`` it is attached so that both coincide in
direction in the pose as modelled: joint coordinates are zero there, and grow as ``b`` moves against ``a`` about (along) the axis. With
``at``, one point of the world in that pose, a and b are bodies, and directions are given in world axes. A joint may state the values of
its coordinates, and their rates, at the start. A new joint is a class with a list of primitives, see docs/extending.md.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.units import shown
from .base import KINDS, Angle, Axis, Frame, Item, Length, Pair, Point, number
from .declarations import Channel, TreeJoint, fault
from .errors import ItemError
from .joint_channels import joint_channels
from .joint_primitives import COINCIDENT as COINCIDENT
from .joint_primitives import LOCK as LOCK
from .joint_primitives import ON_Z, primitive_of
from .joint_primitives import PARALLEL_Z as PARALLEL_Z
from .joint_words import Worded
from .quantities import FRAME_A, WORLD, Axes
from .references import no_coordinate
from .shapes import Positive
from .teeth import Meshing, Term

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement
    AngleRate = float
    LengthRate = float
else:
    AngleRate, LengthRate = number("rad/s"), number("m/s")


def perpendicular_frame(z: np.ndarray, x: np.ndarray | None = None) -> np.ndarray:
    """Rotation matrix whose third column is ``z`` and whose first is ``x`` made perpendicular (or any)."""
    if x is None:
        x = np.eye(3)[(int(np.argmax(abs(z))) + 1) % 3]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class Connection(Pair):
    """A joint: a subclass names its primitives in ``constraints`` and its ``coordinates``, how joint coordinates carry it
    (``tree``, None: it can only be cut), its ``symbol``, and on what it slides over the ground (``guide``: line or plane). ``at`` [m,
    world axes]: both frames are there in the pose as modelled, with axes parallel to the world; a and b are then bodies. ``hold``:
    coordinates that keep the value they have at the start. ``connected=False``: it holds nothing until an event connects it."""
    section: ClassVar[str] = "joints"
    symbol: ClassVar[str] = "diamond"
    mirrors: ClassVar[bool] = True
    kept: ClassVar[str] = "displacement"  # of two coordinates, the one that keeps its sign in a mirror image
    listed: ClassVar[int] = 1
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = ()
    coordinates: ClassVar[tuple[str, ...]] = ()
    tree: ClassVar[TreeJoint | None] = None
    guide: ClassVar[str] = ""
    at: Annotated[Point | None, WORLD] = None
    connected: bool = True
    hold: tuple[Literal["angle", "displacement"], ...] = ()

    def __setattr__(self, field: str, value: Any) -> None:
        before = dict(self.__dict__)
        if field == "at" and self.at is not None:
            self.__dict__.update({end: Frame(body=getattr(self, end).body) for end in "ab"})
        try:
            super().__setattr__(field, value)
        except ItemError:
            self.__dict__.update(before)
            raise

    @model_validator(mode="after")
    def _made_at(self) -> Connection:
        if self.at is not None:
            for k, field in enumerate("ab"):
                end = getattr(self, field)
                if end != Frame(body=end.body) and end.at != self.at:
                    raise FieldError("between", f"{shown(end.plain())} is a frame, but at makes both frames; name the body {end.body!r}, "
                                     "or leave out at", k)
                object.__setattr__(self, field, Frame(body=end.body, at=self.at))
        return self

    @model_validator(mode="after")
    def _held(self) -> Connection:
        for k, which in enumerate(self.hold):
            if which not in self.coordinates:
                raise FieldError("hold", no_coordinate(self.name, which, self.coordinates), k)
            if which in self.hold[:k]:
                raise FieldError("hold", f"{which!r} is given twice", k)
            if getattr(self, f"{which}_rate", None):
                raise FieldError("hold", f"{which!r} is held, but {which}_rate says that it moves; leave out one of them", k)
        return self

    def plain(self) -> dict[str, Any]:
        data = super().plain()
        return data if self.at is None else {**data, "between": [self.a.body, self.b.body]}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if "constraints" in cls.__dict__ and "tree" not in cls.__dict__:  # that of its base is for other equations
            cls.tree = None
        if cls.tree is not None and (wrong := fault(cls.tree, cls.constraints)):
            raise TypeError(f"joint {cls.__name__}: tree: {wrong}")
        super().__pydantic_init_subclass__(**kwargs)

    def primitives_list(self) -> tuple[tuple[Any, ...], ...]:
        return self.constraints

    @property
    def as_modelled(self) -> bool:
        return ("distance", None) in self.primitives_list()

    def carrier(self) -> type[Connection] | None:
        """The kind as which joint coordinates carry it: its own, or one of this file with the same equations."""
        own = self.primitives_list()
        if self.tree is not None and own == self.constraints:
            return type(self)
        kinds = [k for k in KINDS["joints"].values() if issubclass(k, Connection) and k.__module__ == __name__]
        known = {frozenset(k.constraints): k for k in kinds if k.tree is not None and not k.tree.helical}
        return known.get(frozenset(own)) if len(set(own)) == len(own) else None

    def flipped(self) -> tuple[str, ...]:
        """Its coordinates that have the opposite sign in its mirror image: an axis of turning becomes -M a, one of sliding M a."""
        return tuple(c for c in self.coordinates if c != self.kept) if self.kept in self.coordinates else ()

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        if fields.get("at") is not None:  # frames with axes parallel to the world, before and after
            ends = {end: Frame(body=fields[end].body) for end in "ab"}
            out = {**fields, **ends, "at": by.point(fields["at"])}
        else:
            out = super().placed(fields, by)
        if not by.mirror and not (by.turns and "at" in out):
            return out
        move = by.vector if fields.get("at") is not None else by.local
        for name in ("axis", "axis_b", "axis_x") if "axis" in type(self).model_fields else ():
            if name in type(self).model_fields and getattr(self, name) is not None:
                axial = "displacement" not in self.coordinates or self.kept == "angle"
                out[name] = move(getattr(self, name), axial=axial)
        for name in (f"{c}{rate}" for c in self.flipped() for rate in ("", "_rate")):
            if fields.get(name) is not None:
                out[name] = by.opposite(fields[name])
        return out

    def symbol_axes(self, owner: Any) -> np.ndarray:
        """Axes of its symbol in those of frame a, a frame of ``owner``: z along the axis."""
        return np.eye(3)

    def zeros(self) -> dict[str, float]:
        """What is added to the joint coordinates, by name."""
        return {}

    def build(self, layout: ModelCompiler) -> None:
        layout.add_joint(self, self.primitives_list())

    def channels(self) -> Iterable[Channel]:
        return joint_channels(self.coordinates, self.hold)

    def equations(self) -> int:
        return sum(3 if kind == "coincident" else 1 for kind, *_ in self.primitives_list()) + len(self.hold)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("J", a, b, **({"axis": (0.3, -0.5, 0.8)} if "axis" in cls.model_fields else {}))]


class AxisJoint(Connection):
    """A joint with an axis."""
    axis: Annotated[Axis, FRAME_A] = (0.0, 0.0, 1.0)

    def joint_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis))

    def symbol_axes(self, owner: Any) -> np.ndarray:
        return self.joint_axes()


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
    axis_x: Annotated[Axis | None, FRAME_A] = None

    @model_validator(mode="after")
    def _check(self) -> Joint:
        if self.axis_x is not None and np.linalg.norm(np.cross(self.axis, self.axis_x)) < 1e-9:
            raise FieldError("axis_x", f"{shown(self.axis_x)} is parallel to axis; give another direction")
        object.__setattr__(self, "primitives", [tuple(p) if isinstance(p, list) else p for p in self.primitives])
        rows = sum({"coincident": 3}.get(p[0], 1) for p in self.primitives_list())
        if not 1 <= rows <= 6:
            raise FieldError("primitives", f"make {rows} equations, must be 1 to 6: two frames can move in six ways", mark=" ")
        return self

    def joint_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis), None if self.axis_x is None else np.array(self.axis_x))

    def primitives_list(self) -> tuple[tuple[Any, ...], ...]:
        made = []
        for k, p in enumerate(self.primitives):
            try:
                made.append(primitive_of(p))
            except ValueError as error:
                raise FieldError("primitives", str(error), k) from None
        return tuple(made)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        own = ["coincident", ("d1", "x", "y"), ("d2", "z"), ("distance", 0.4)]
        return [cls("J", a, b, primitives=own, axis=(0.3, -0.5, 0.8))]


class WithAngle(Turns):
    """A joint with the coordinate ``angle``; ``zero`` [rad] is added to it."""
    zero: Angle = 0.0

    def zeros(self) -> dict[str, float]:
        return {"angle": self.zero}


class Revolute(Worded, WithAngle):
    """Turns about ``axis``: 5 equations; coordinate ``angle``, with ``limits`` [lower, upper] or those of a `Stop`."""
    kind: ClassVar[str] = "revolute"
    symbol: ClassVar[str] = "revolute"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT, *PARALLEL_Z)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("rz",), ("angle",))


class Spherical(Connection):
    """The two points coincide: 3 equations."""
    kind: ClassVar[str] = "spherical"
    symbol: ClassVar[str] = "spherical"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT,)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("ball",), ("w", "x", "y", "z"), ("w.x", "w.y", "w.z"))


class Universal(AxisJoint):
    """Hooke's joint: the points coincide, and the cross keeps ``axis`` (fixed in a) perpendicular to ``axis_b`` (fixed in b):
    4 equations. Both axes are given in the axes of frame a in the pose as modelled."""
    kind: ClassVar[str] = "universal"
    symbol: ClassVar[str] = "universal"
    axis_b: Annotated[Axis, Axes("axes of frame a, in the pose as modelled")] = (1.0, 0.0, 0.0)
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT, ("d1", 2, 0))
    tree: ClassVar[TreeJoint | None] = TreeJoint(("rz", "rx"), ("angle_1", "angle_2"), numbered=True)

    @model_validator(mode="after")
    def _check(self) -> Universal:
        if abs(np.dot(self.axis, self.axis_b)) > 1e-9:
            raise FieldError("axis_b", f"{shown(self.axis_b)} must be perpendicular to axis {shown(self.axis)} in the pose as modelled")
        return self

    def joint_axes(self) -> np.ndarray:
        return perpendicular_frame(np.array(self.axis), np.array(self.axis_b))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("J", a, b, axis=(0.3, -0.5, 0.8), axis_b=(0.8, 0.0, -0.3))]


class Prismatic(Worded, Slides):
    """Slides along ``axis``: 5 equations; coordinate ``displacement``, with ``limits`` as a revolute joint; ``zero`` [m] is added to it."""
    kind: ClassVar[str] = "prismatic"
    symbol: ClassVar[str] = "prismatic"
    guide: ClassVar[str] = "line"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (*ON_Z, *LOCK)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("z",), ("displacement",))
    zero: Length = 0.0

    def zeros(self) -> dict[str, float]:
        return {"displacement": self.zero}


class Cylindrical(Turns, Slides):
    """Turns about and slides along ``axis``: 4 equations; coordinates ``angle`` and ``displacement``."""
    kind: ClassVar[str] = "cylindrical"
    symbol: ClassVar[str] = "cylindrical"
    guide: ClassVar[str] = "line"
    coordinates: ClassVar[tuple[str, ...]] = ("angle", "displacement")
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (*ON_Z, *PARALLEL_Z)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("rz", "z"), ("angle", "displacement"))


class Planar(WithAngle):
    """Moves in the plane through a with normal ``axis``: 3 equations; coordinate ``angle``."""
    kind: ClassVar[str] = "planar"
    symbol: ClassVar[str] = "planar"
    guide: ClassVar[str] = "plane"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (("d2", 2), *PARALLEL_Z)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("x", "y", "rz"), ("x", "y", "angle"))


class Fixed(AxisJoint):
    """No relative motion: 6 equations."""
    kind: ClassVar[str] = "fixed"
    symbol: ClassVar[str] = "fixed"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (COINCIDENT, *LOCK)
    tree: ClassVar[TreeJoint | None] = TreeJoint((), ())


class Screw(Meshing, Turns, Slides):
    """Cylindrical with displacement = lead * angle / (2 pi): 5 equations. ``lead`` [m per turn], negative for a left thread.
    ``backlash`` [m], the axial play of the nut, between flanks of ``stiffness`` [N/m] that give back ``restitution`` of their speed."""
    kind: ClassVar[str] = "screw"
    symbol: ClassVar[str] = "screw"
    guide: ClassVar[str] = "line"
    coordinates: ClassVar[tuple[str, ...]] = ("angle", "displacement")
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (*ON_Z, *PARALLEL_Z)
    tree: ClassVar[TreeJoint | None] = TreeJoint(("rz",), ("angle",), helical=True)
    kept: ClassVar[str] = "angle"
    residual: ClassVar[str] = "displacement"
    lead: Length

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        out = super().placed(fields, by)
        return {**out, "lead": by.opposite(fields["lead"])} if by.mirror else out

    def build(self, layout: ModelCompiler) -> None:
        layout.add_joint(self, self.constraints)
        if self.backlash is None:
            layout.add_coupling(self.name, self.terms(), shared=self.name)

    def terms(self) -> list[Term]:
        return [(self.name, "displacement", 1.0), (self.name, "angle", -self.lead / (2 * np.pi))]

    def carrier(self) -> type[Connection] | None:
        return super().carrier() if self.backlash is None else Cylindrical

    def equations(self) -> int:
        return super().equations() + (self.backlash is None)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("J", a, b, axis=(0.3, -0.5, 0.8), lead=0.1)]


class Distance(Connection):
    """Constant distance of two points; ``length`` [m] as modelled if left out: 1 equation."""
    kind: ClassVar[str] = "distance"
    symbol: ClassVar[str] = "rod"
    length: Positive | None = None

    @model_validator(mode="after")
    def _check(self) -> Distance:
        if self.at is not None:
            raise FieldError("at", "a distance joint has two points, one on each body; name two frames instead")
        return self

    def primitives_list(self) -> tuple[tuple[Any, ...], ...]:
        return (("distance", self.length),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("J", a, b, length=1.3)]


class PointOnLine(Slides):
    """Point b stays on the line through a along ``axis``: 2 equations; coordinate ``displacement``."""
    kind: ClassVar[str] = "point_on_line"
    symbol: ClassVar[str] = "point_on_line"
    guide: ClassVar[str] = "line"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = ON_Z


class PointOnPlane(AxisJoint):
    """Point b stays in the plane through a with normal ``axis``: 1 equation."""
    kind: ClassVar[str] = "point_on_plane"
    symbol: ClassVar[str] = "planar"
    guide: ClassVar[str] = "plane"
    constraints: ClassVar[tuple[tuple[Any, ...], ...]] = (("d2", 2),)
