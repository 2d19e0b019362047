"""Shapes of rigid bodies: they give mass properties and frames, and are what pictures show."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field, ValidationError

from ..functions.field_error import FieldError
from ..functions.units import MOST, describe, must, parse_unit, quantity, shown
from .base import IDENTITY, Axis, Length, Point, Rotation, Strict, Vec3, Velocity, matrix_of, number
from .quantities import BODY, WORLD

LARGEST = 500 * 2**20  # bytes in a mesh file
MAKERS = ("rod", "box", "cylinder", "sphere", "point_mass", "mesh")
if TYPE_CHECKING:
    from .placing import Placement
    Positive = float
else:
    Positive = number("m", positive=True)


class Shape(Strict):
    """For pictures: a rod (two points), a box, a cylinder, a sphere, or the surface of a mesh file, in body axes."""
    kind: Literal["rod", "box", "cylinder", "sphere", "mesh"]
    # rod, cylinder: the two ends; box: its edges; mesh: corners, three a face
    points: Annotated[list[Point], BODY] = Field(default_factory=list)
    radius: Length = 0.0

    def mirrored(self, by: Placement) -> Shape:
        """Its mirror image; faces keep their outside."""
        points = self.points if self.kind == "box" else [by.local(p) for p in self.points]
        if self.kind == "mesh":
            points = [p for k in range(0, len(points), 3) for p in (points[k], points[k + 2], points[k + 1])]
        return self.model_copy(update={"points": points})


class Rod(Strict):
    start: Annotated[Point, WORLD]
    end: Annotated[Point, WORLD]
    radius: Positive | None = None
    velocity_at_start: Annotated[Velocity | None, WORLD] = None
    velocity_at_end: Annotated[Velocity | None, WORLD] = None
    rotation: Annotated[Rotation, WORLD] = IDENTITY  # of the body's axes; all points and velocities are in the world

    def fields(self, mass: float) -> dict[str, Any]:
        p, r = np.array(self.start), np.array(self.end)
        d = r - p
        length = float(np.linalg.norm(d))
        if length == 0:
            raise FieldError("rod", "start and end are the same point; a rod needs a length")
        R = None if self.rotation == IDENTITY else matrix_of(self.rotation)
        half = d / 2 if R is None else R.T @ d / 2
        n, radius = (d if R is None else R.T @ d) / length, self.radius or length / 50
        across = mass * length**2 / 12 + (mass * radius**2 / 4 if self.radius else 0.0)
        inertia = across * (np.eye(3) - np.outer(n, n)) + mass * radius**2 / 2 * np.outer(n, n)
        data: dict[str, Any] = {"mass": mass, "inertia": inertia.tolist(), "position": tuple((p + r) / 2), "rotation": self.rotation,
                                "frames": {"start": {"point": tuple(-half)}, "end": {"point": tuple(half)}, "center": {}},
                                "shape": {"kind": "rod", "points": [tuple(-half), tuple(half)], "radius": radius}}
        if self.velocity_at_start is not None or self.velocity_at_end is not None:
            v0, v1 = np.array(self.velocity_at_start or (0, 0, 0)), np.array(self.velocity_at_end or (0, 0, 0))
            stretch = v1 - v0 if R is None else R.T @ (v1 - v0)
            if abs(stretch @ n) > 1e-9 * (1e-30 + np.linalg.norm(v1 - v0)):
                raise FieldError("rod", "velocity_at_start and velocity_at_end would stretch it; "
                                 "their parts along the rod must agree")
            data |= {"velocity": tuple((v0 + v1) / 2), "angular_velocity": tuple(np.cross(n, stretch) / length)}
        return data

    def volume(self) -> float:
        if self.radius is None:
            raise FieldError("rod", "density needs a radius")
        return float(np.pi * self.radius**2 * np.linalg.norm(np.subtract(self.end, self.start)))


class Box(Strict):
    size: Annotated[tuple[Positive, Positive, Positive], BODY]

    def volume(self) -> float:
        return float(np.prod(self.size))

    def fields(self, mass: float) -> dict[str, Any]:
        s = np.array(self.size) ** 2
        return {"mass": mass, "inertia": tuple(mass / 12 * (s.sum() - s)), "shape": {"kind": "box", "points": [tuple(self.size)]}}


class Cylinder(Strict):
    radius: Positive
    length: Positive
    axis: Annotated[Axis, BODY] = (0.0, 0.0, 1.0)

    def volume(self) -> float:
        return float(np.pi * self.radius**2 * self.length)

    def fields(self, mass: float) -> dict[str, Any]:
        n = np.array(self.axis)
        across, along = mass * (3 * self.radius**2 + self.length**2) / 12, mass * self.radius**2 / 2
        inertia = across * (np.eye(3) - np.outer(n, n)) + along * np.outer(n, n)
        ends = [tuple(-self.length / 2 * n), tuple(self.length / 2 * n)]
        return {"mass": mass, "inertia": inertia.tolist(), "frames": {"start": {"point": ends[0]}, "end": {"point": ends[1]}},
                "shape": {"kind": "cylinder", "points": ends, "radius": self.radius}}


class Sphere(Strict):
    radius: Positive

    def volume(self) -> float:
        return float(4 / 3 * np.pi * self.radius**3)

    def fields(self, mass: float) -> dict[str, Any]:
        return {"mass": mass, "inertia": (0.4 * mass * self.radius**2,) * 3, "shape": {"kind": "sphere", "radius": self.radius}}


class PointMass(Strict):
    def volume(self) -> float:
        raise FieldError("point_mass", "it has no volume, give its mass")

    def fields(self, mass: float) -> dict[str, Any]:
        return {"mass": mass, "inertia": (0.0, 0.0, 0.0)}


def _length_unit(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(must(value, "must be a unit of length such as mm"))
    try:
        given = parse_unit(value)
    except ValueError as error:
        raise ValueError(f"{error}; a unit of length such as mm is due") from None
    if given.dimension != parse_unit("m").dimension:
        raise ValueError(f"{value!r} is the unit of {describe(given.dimension)}, a unit of length such as mm is due")
    return value


class Mesh(Strict):
    file: str
    unit: Annotated[str, BeforeValidator(_length_unit)] = "m"

    def triangles(self) -> np.ndarray:
        """Corners [m], shape (n, 3, 3)."""
        return read_stl(Path(self.file)) * quantity(f"1 {self.unit}", "m")

    def volume(self) -> float:
        return mass_properties(self.triangles())[0]

    def fields(self, mass: float) -> dict[str, Any]:
        corners = self.triangles()
        volume, com, inertia = mass_properties(corners)
        if not volume > 0:
            raise FieldError("mesh", f"file {shown(self.file)}: its volume is {volume:g} m^3; "
                             "the surface must be closed, its normals outward")
        points: list[Vec3] = [tuple(p) for p in corners.reshape(-1, 3)]
        return {"mass": mass, "com": tuple(com), "inertia": (inertia * mass / volume).tolist(),
                "shape": {"kind": "mesh", "points": points}}


class Made(NamedTuple):
    """What a body was made of, so that its inertia follows when that is changed."""
    shape: Any
    density: float | None  # None: the mass was given

    def fields(self, mass: float, weighed: bool = False) -> dict[str, Any]:
        """Of a rigid body; ``weighed``: of this mass, whatever the density is."""
        return dict(self.shape.fields(mass if weighed or self.density is None else self.density * self.shape.volume()))

    def changed(self, field: str, value: Any, name: str) -> Made:
        from .errors import ItemError
        try:
            return self._replace(shape=type(self.shape)(**{**dict(self.shape), field: value}))
        except ValidationError as error:
            raise ItemError(f"rigid {name!r}: {field}: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None


class Moments(list[Any]):
    """Moments of inertia that a maker has computed, on their way into the body."""
    made: Made


KINDS: dict[str, Any] = {"rod": Rod, "box": Box, "cylinder": Cylinder, "sphere": Sphere, "point_mass": PointMass, "mesh": Mesh}


def maker_of(shape: Any) -> str:
    """The key under which a shape stands in a text."""
    return next(key for key, kind in KINDS.items() if kind is type(shape))


def maker(data: dict[str, Any]) -> dict[str, Any]:
    """Fields of a rigid body from those of one with a maker key; what the user gives beside it wins."""
    used = [k for k in MAKERS if k in data]
    if not used:
        if "density" in data:
            raise FieldError("density", "needs a shape: rod with radius, box, cylinder, sphere or mesh", mark=" ")
        return data
    if len(used) > 1:
        raise FieldError(used[1], f"{used[0]} is given as well; a body has one shape")
    rest = {k: v for k, v in data.items() if k != used[0]}
    if not isinstance(data[used[0]], (dict, type(None))):
        raise FieldError(used[0], f"{shown(data[used[0]])} must be a mapping with the entries "
                         f"{', '.join(KINDS[used[0]].model_fields)}")
    shape = KINDS[used[0]](**(data[used[0]] or {}))
    if ("mass" in rest) == ("density" in rest):
        found = "both are" if "mass" in rest else "none is"
        raise FieldError(used[0], f"give either mass or density, {found} given")
    given = "density" if "density" in rest else "mass"
    try:
        mass = quantity(rest.pop(given), {"mass": "kg", "density": "kg/m^3"}[given])
    except ValueError as error:
        raise FieldError(given, str(error)) from None
    kept = Made(shape, mass if given == "density" else None)
    with np.errstate(all="ignore"):
        made = kept.fields(mass)
    if not (np.abs(made["inertia"]) <= MOST).all() or not made["mass"] <= MOST:
        raise FieldError(used[0], f"is too large or too heavy ({made['mass']:.3g} kg); "
                         f"mass and inertia must be within {MOST:g} in SI units")
    made["inertia"] = Moments(made["inertia"])
    made["inertia"].made = kept
    own = rest.pop("frames", {})
    if not isinstance(own, dict):
        raise FieldError("frames", must(own, "must be a mapping of names to points"))
    frames = {**made.pop("frames", {}), **own}
    for key in made.keys() & rest.keys():
        raise FieldError(used[0], f"already gives the {key}; leave one of them out", mark=" ")
    return {**made, **rest, "frames": frames}


def read_stl(path: Path) -> np.ndarray:
    """Corners of the triangles of a text or binary STL file, shape (n, 3, 3)."""
    try:
        if not path.is_file():  # a folder, a device or a pipe may never end
            raise FieldError("mesh", f"file {shown(str(path))} {'is not a file' if path.exists() else 'not found'}")
        if path.stat().st_size == 0:  # also what the system makes up while it is read, in /proc, and may never end
            raise FieldError("mesh", f"file {shown(str(path))} is empty, it is not an STL file; export the surface as STL")
        if path.stat().st_size > LARGEST:
            size = path.stat().st_size / 2**20
            raise FieldError("mesh", f"file {shown(str(path))} has {size:.0f} MB, must be at most {LARGEST // 2**20}")
        data = path.read_bytes()
    except OSError as error:
        raise FieldError("mesh", f"file {shown(str(path))} cannot be read: {error.strerror}") from None
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if count >= 0 and len(data) == 84 + 50 * count:
        records = np.frombuffer(data, np.dtype([("x", "<f4", (4, 3)), ("attribute", "<u2")]), count, 84)
        return records["x"][:, 1:].astype(float)
    if not data.lstrip().startswith(b"solid"):
        raise FieldError("mesh", f"file {shown(str(path))} is not an STL file; export the surface as STL")
    words = data.decode("ascii", "replace").split()
    numbers = [words[i + 1:i + 4] for i, word in enumerate(words) if word == "vertex"]
    try:
        corners = np.array(numbers, float)
    except ValueError:
        raise FieldError("mesh", f"file {shown(str(path))}: a vertex is not three numbers; export it anew") from None
    if len(corners) == 0 or len(corners) % 3 or corners.ndim != 2:
        raise FieldError("mesh", f"file {shown(str(path))}: {len(corners)} vertices, "
                         "must be three for every triangle; export it anew")
    return corners.reshape(-1, 3, 3)


def mass_properties(corners: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and inertia (density 1, about the centre) of a closed surface, from signed tetrahedra with the origin.

    For a tetrahedron with corners 0, a, b, c of volume V the second moment is V/20 ((a+b+c)(a+b+c)^T + aa^T + bb^T + cc^T).
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    v = np.einsum("ni,ni->n", a, np.cross(b, c)) / 6
    volume, s = v.sum(), a + b + c
    center = (v[:, None] * s).sum(0) / 4 / (volume or 1.0)
    second = np.einsum("n,ni,nj->ij", v, s, s) + sum(np.einsum("n,ni,nj->ij", v, x, x) for x in (a, b, c))
    second = second / 20 - volume * np.outer(center, center)
    return float(volume), center, np.trace(second) * np.eye(3) - second
