"""Surfaces of bodies where they touch: what a user says of them, and what bodies declare by their shape. docs/contact.md"""
from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.table2 import Table2
from ..functions.table_bounds import packed2
from ..functions.units import must
from .base import Frame, number, vector
from .parts import Part

if TYPE_CHECKING:
    Positive = float
    Least = float
    Length = float
    Edges = tuple[float, float, float]
    Corner = tuple[float, float, float]
else:
    Positive, Least, Length, Edges, Corner = number("m", positive=True), number("m", least=0.0), number("m"), vector("m"), vector("m")

SIZES: dict[str, tuple[str, ...]] = {  # of every kind: what it needs
    "plane": (), "sphere": ("radius",), "hollow_sphere": ("radius",), "capsule": ("radius", "length"), "cylinder": ("radius", "length"),
    "bore": ("radius",), "box": ("size",), "convex": ("points",), "height_field": ("x", "y", "z"), "tube": ("radius",)}
FEWEST = 4  # points of a hull
OPTIONS = {"cylinder": ("rounding", "crown"), "bore": ("length",), "height_field": ("touched_by",)}
WORDS = {"plane": "a plane", "sphere": "a sphere", "hollow_sphere": "a hollow sphere", "capsule": "a capsule", "cylinder": "a cylinder",
         "bore": "a bore", "box": "a box", "convex": "a convex body", "height_field": "a height field", "tube": "a tube"}


class Surface(Part):
    """A surface about the origin of a frame, in its axes: ``plane`` (its outward normal is z); ``sphere`` or ``hollow_sphere`` (its inside)
    of a ``radius`` [m]; ``capsule`` about z with the ``length`` of its middle line; ``cylinder`` about z, whose edges may have a
    ``rounding`` and whose ends a ``crown``; ``bore`` (the inside of a hollow cylinder); ``box`` with edges ``size``; ``convex``, the hull
    of ``points``; ``height_field``, smooth through heights ``z[i][j]`` at ``x[i]``, ``y[j]``, its body below it: spheres touch it, and if
    ``touched_by`` is "vertices" corners of boxes and convex bodies and ends of capsules too, between which a bulge would pass. ``tube``:
    of a ``radius`` about a line of a flexible body as it is deformed, with round ends; spheres touch it."""
    kind: Literal["plane", "sphere", "hollow_sphere", "capsule", "cylinder", "bore", "box", "convex", "height_field", "tube"]
    radius: Positive | None = None
    length: Positive | None = None
    rounding: Least | None = None
    crown: Least | None = None
    size: Edges | None = None
    points: tuple[Corner, ...] | None = None
    x: tuple[Length, ...] | None = None
    y: tuple[Length, ...] | None = None
    z: tuple[tuple[Length, ...], ...] | None = None
    touched_by: Literal["spheres", "vertices"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"kind": value.replace("-", "_")}
        if not isinstance(value, (dict, Surface)):
            raise ValueError(must(value, "must be a surface such as {kind: sphere, radius: 20 mm}"))
        return value

    @model_validator(mode="after")
    def _has_sizes(self) -> Surface:
        for size in SIZES[self.kind]:
            if getattr(self, size) is None:
                raise FieldError(size, f"is missing; {WORDS[self.kind]} needs it")
        for size in set(type(self).model_fields) - {"kind", *SIZES[self.kind], *OPTIONS.get(self.kind, ())}:
            if getattr(self, size) is not None:
                raise FieldError(size, f"{WORDS[self.kind]} has none; leave it out")
        if self.size is not None and not min(self.size) > 0:
            raise FieldError("size", f"{list(self.size)} must be three lengths greater than zero")
        if self.points is not None and len(self.points) < FEWEST:
            raise FieldError("points", f"{len(self.points)} points, must be at least {FEWEST} that are not in a plane")
        if self.kind == "cylinder":
            self._fits()
        if self.kind == "height_field":
            try:
                _ = self.heights
            except ValueError as error:
                raise FieldError("z", str(error)) from None
        return self

    def _fits(self) -> None:
        """What a cylinder has at its edges and ends is no larger than itself."""
        r, l = self.radius or 0.0, self.length or 0.0
        if (self.rounding or 0.0) > min(r, l / 2):
            raise FieldError("rounding", f"{self.rounding:g} m is more than the cylinder has, a radius of {r:g} m and half a length of "
                             f"{l / 2:g} m; take a smaller one, or a capsule")
        if (self.crown or 0.0) > min(r, l / 2):
            raise FieldError("crown", f"{self.crown:g} m is more than the cylinder has, a radius of {r:g} m and half a length of "
                             f"{l / 2:g} m; it is the height of a flat bulge")

    @classmethod
    def plane(cls) -> Surface:
        """The plane of x and y of the frame; the body is below it."""
        return cls(kind="plane")

    @classmethod
    def sphere(cls, radius: Any) -> Surface:
        return cls(kind="sphere", radius=radius)

    @classmethod
    def hollow_sphere(cls, radius: Any) -> Surface:
        """The inside of a sphere."""
        return cls(kind="hollow_sphere", radius=radius)

    @classmethod
    def capsule(cls, radius: Any, length: Any) -> Surface:
        """A cylinder about z with round ends; ``length`` of its middle line."""
        return cls(kind="capsule", radius=radius, length=length)

    @classmethod
    def cylinder(cls, radius: Any, length: Any, rounding: Any = None, crown: Any = None) -> Surface:
        """About z, with flat ends. ``rounding``: radius of its edges; ``crown``: height of its ends over their edge."""
        return cls(kind="cylinder", radius=radius, length=length, rounding=rounding, crown=crown)

    @classmethod
    def bore(cls, radius: Any, length: Any = None) -> Surface:
        """The inside of a hollow cylinder about z; without end if no ``length`` is given."""
        return cls(kind="bore", radius=radius, length=length)

    @classmethod
    def box(cls, size: Any) -> Surface:
        """With edges ``size`` [m] along the axes of the frame."""
        return cls(kind="box", size=size)

    @classmethod
    def convex(cls, points: Any) -> Surface:
        """The hull of points in the axes of the frame."""
        return cls(kind="convex", points=tuple(map(tuple, points)))

    @classmethod
    def height_field(cls, x: Any, y: Any, z: Any, touched_by: str | None = None) -> Surface:
        """A smooth surface through heights ``z[i][j]`` [m] at ``x[i]``, ``y[j]``, above the plane of x and y of the frame."""
        rows = tuple(tuple(row) for row in np.asarray(z, dtype=object))
        return cls(kind="height_field", x=tuple(x), y=tuple(y), z=rows, touched_by=touched_by)

    @classmethod
    def tube(cls, radius: Any) -> Surface:
        """About a line of a flexible body, with round ends."""
        return cls(kind="tube", radius=radius)

    @property
    def heights(self) -> Table2:
        """Of a height field."""
        return Table2(self.x, self.y, self.z)

    @property
    def bend(self) -> float | None:
        """Radius of curvature [m] of what has the same everywhere: inf of a plane, negative from inside; None of others."""
        r = self.radius or 0.0
        return {"plane": inf, "sphere": r, "hollow_sphere": -r}.get(self.kind)

    @property
    def extent(self) -> float:
        """A length [m] that tells how large it is; inf of a plane."""
        if self.points is not None:
            return float(np.ptp(np.array(self.points), axis=0).min()) / 2 or 1.0
        if self.x is not None and self.y is not None:
            return min(self.x[-1] - self.x[0], self.y[-1] - self.y[0]) / 2
        return min(self.size) / 2 if self.size is not None else self.radius or inf

    @property
    def shape(self) -> Any:
        """As `kernels.gaps.shapes` has it."""
        from ..kernels.gaps import shapes as s
        r, l = self.radius or 0.0, self.length or inf
        match self.kind:
            case "plane":
                return s.Plane()
            case "sphere":
                return s.Sphere(r)
            case "hollow_sphere":
                return s.HollowSphere(r)
            case "capsule":
                return s.Capsule(r, l)
            case "cylinder":
                return s.Cylinder(r, l, self.rounding or 0.0, self.crown or 0.0)
            case "bore":
                return s.Bore(r, l)
            case "box":
                return s.Box(*(self.size or (0.0, 0.0, 0.0)))
            case "height_field":
                return s.HeightField(tuple(packed2(self.heights)), self.touched_by or "spheres")
            case "tube":
                return s.Tube(r)
        return s.Convex(self.points or ())

    def plain(self) -> Any:
        """As written in a text model."""
        data = {k: [list(p) for p in v] if k in ("points", "z") else list(v) if k in ("size", "x", "y") else v
                for k, v in self.__dict__.items() if v is not None}
        return self.kind if len(data) == 1 else data


class Side(NamedTuple):
    """A surface of a body, and the direction of its z axis in the axes of the frame."""
    surface: Surface
    along: tuple[float, float, float] = (0.0, 0.0, 1.0)


def own_surface(frame: Frame, owners: Mapping[str, Any]) -> Side | None:
    """What a frame without a stated surface has: the ground a plane, a body its shape about its origin; None where that is not known."""
    if frame.body == "ground":
        return Side(Surface.plane())
    shape = getattr(owners.get(frame.body), "shape", None)
    if shape is None or frame.frame or frame.point is not None or frame.rotation is not None or frame.at is not None:
        return None
    if shape.kind == "sphere":
        return Side(Surface.sphere(shape.radius))
    if shape.kind == "box":
        return Side(Surface.box(shape.points[0]))
    if shape.kind == "cylinder":
        way = np.subtract(shape.points[1], shape.points[0])
        length = float(np.linalg.norm(way))
        along = way / length
        if np.allclose(np.add(shape.points[1], shape.points[0]), 0, rtol=0, atol=1e-12 * length):
            return Side(Surface.cylinder(shape.radius, length), (float(along[0]), float(along[1]), float(along[2])))
    return None
