"""Bodies: what has mass and coordinates, and the ground. Angles in radians, SI units."""
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr, ValidationError, model_validator

from ..functions.field_error import FieldError
from ..functions.printable import same_name
from ..functions.units import must, quantity, shown
from .base import (
    IDENTITY,
    AngularVelocity,
    Frame,
    FrameName,
    Item,
    Mass,
    Name,
    Place,
    Point,
    Rotation,
    Velocity,
    did_you_mean,
    matrix_of,
    told,
)
from .quantities import BODY, WORLD, Axes
from .references import no_position
from .shapes import Made, Moments, Shape, maker

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement


def made(cls: Any, *args: Any, **fields: Any) -> Any:
    """An item from the fields of a text model."""
    return cls(*args, **fields)


def _moments(given: Any) -> list[Any]:
    """Three principal moments, or three rows of three, in kg m^2."""
    rows = [list(r) if isinstance(r, (list, tuple)) else r for r in given] if isinstance(given, (list, tuple)) else []
    if len(rows) != 3 or {len(r) if isinstance(r, list) else None for r in rows} not in ({None}, {3}):
        raise FieldError("inertia", must(given, "must be three numbers or a 3x3 matrix [kg*m^2]"))
    try:
        return [[quantity(x, "kg*m^2") for x in r] if isinstance(r, list) else quantity(r, "kg*m^2") for r in rows]
    except ValueError as error:
        raise FieldError("inertia", str(error)) from None


def _matrix(moments: Any) -> np.ndarray:
    a = np.array(moments, float)
    return np.diag(a) if a.ndim == 1 else a


class FrameOwner(Item):
    """Anything with frames: bodies and the ground. Every frame has channels, see `channel_values.observer`."""
    listed: ClassVar[int] = 0
    spins: ClassVar[bool] = True   # whether its own angular velocity is among its coordinates, for expressions
    twists: ClassVar[bool] = True  # whether its sections have axes; without, its frames are points with a direction
    nodal: ClassVar[bool] = False  # whether only its nodes can be held and loaded
    deforms: ClassVar[bool] = False  # whether it is made of many nodes, which are placed and turn on their own
    frames: dict[FrameName, Place] = Field(default_factory=dict)

    def as_frame(self) -> Frame:
        return Frame(body=self.name)

    def __getitem__(self, frame: str) -> Frame:
        frame = same_name(frame) if isinstance(frame, str) else frame
        if frame not in self.frames:
            raise KeyError(f"body {self.name!r} has no frame {frame!r}{did_you_mean(frame, self.frames)}")
        return Frame(body=self.name, frame=frame)

    def frame(self, point: Any = (0.0, 0.0, 0.0), rotation: Any = None, at: Any = None) -> Frame:
        """An anonymous frame at ``point``, turned by ``rotation``, both in the body's axes; or ``at`` a point of the world."""
        return self._frame(at=at) if at is not None else self._frame(point=point, rotation=rotation)

    def _frame(self, **where: Any) -> Frame:
        try:
            return Frame(body=self.name, **where)
        except ValidationError as error:
            raise told(type(self), self.name, error) from None

    def local(self, frame: Frame) -> Frame:
        """A frame in the body's axes, also where it is given by a point of the world."""
        if frame.s is not None:
            raise ValueError(f"body {self.name!r} is no beam, so s = {frame.s:g} is no place on it; name a frame or a point")
        if frame.at is None:
            return frame
        if "position" in type(self).model_fields and "position" not in self.model_fields_set:
            raise ValueError(no_position(self.name, frame.at))
        (w, *u), position = getattr(self, "rotation", IDENTITY), getattr(self, "position", (0.0, 0.0, 0.0))
        point = matrix_of((w, *u)).T @ np.subtract(frame.at, position)
        return Frame(body=self.name, point=point.tolist(), rotation=(w, -u[0], -u[1], -u[2]))

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        return {**super().placed(fields, by), **placed_pose(fields, by)}

    def node_of(self, frame: Frame) -> Any:
        """Of a flexible body: the node that the frame is at, or the place along a beam."""
        return None

    def place_of(self, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Point and axes of a frame in the body's axes."""
        frame = self.local(frame)
        place = Place.model_validate(self.frames[frame.frame]) if frame.frame else Place()
        point = place.point if frame.point is None else frame.point
        return np.array(point), matrix_of(place.rotation if frame.rotation is None else frame.rotation)


def placed_pose(fields: dict[str, Any], by: Placement) -> dict[str, Any]:
    """Position, rotation and velocities of a body in a sub-assembly that is put elsewhere; a body without a position stays without."""
    out: dict[str, Any] = {}
    if "position" in fields:
        out["position"] = by.point(fields["position"])
    if "rotation" in fields or (by.turns and "position" in fields):
        out["rotation"] = by.turned(fields.get("rotation", IDENTITY))
    if fields.get("velocity") is not None:
        out["velocity"] = by.vector(fields["velocity"], "m/s")
    if fields.get("angular_velocity") is not None:
        out["angular_velocity"] = by.local(fields["angular_velocity"], axial=True)
    return out


class Ground(FrameOwner):
    """What does not move. Its axes are the world's."""
    kind: ClassVar[str] = "ground"
    name: str = "ground"
    frames: dict[Name, Place] = Field(default_factory=dict)  # those of a sub-assembly begin with its name

    def written(self) -> dict[str, Any]:
        """Its frames as a text has them, where they are of parameters with these."""
        plain = {name: place.model_dump(exclude_defaults=True) for name, place in self.frames.items()}
        return dict((self._recipe or {}).get("frames", plain))

    @model_validator(mode="after")
    def _always(self) -> Ground:
        if not self.active:
            raise FieldError("active", "the ground is always there")
        return self

    def build(self, layout: ModelCompiler) -> None:
        for name in self.frames:
            layout.add_marker(f"ground.{name}", self[name])


class RigidBody(FrameOwner):
    """A rigid body.

    ``position`` and ``rotation`` place the body's axes in the world; ``com`` is the centre of mass in body axes; ``inertia``
    (three numbers or 3x3) is about the centre of mass in body axes; ``velocity`` is that of the body's origin in world axes,
    ``angular_velocity`` in body axes. Velocities left out are solved for, so that the joints agree.
    """
    section: ClassVar[str] = "bodies"
    kind: ClassVar[str] = "rigid"
    mirrors: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("name", "mass", "inertia", "com", "position", "rotation", "velocity", "angular_velocity")
    mass: Mass
    inertia: Annotated[Any, Axes("body axes, about the centre of mass")] = (0.0, 0.0, 0.0)
    com: Annotated[Point, BODY] = (0.0, 0.0, 0.0)
    position: Annotated[Point, WORLD] = (0.0, 0.0, 0.0)
    rotation: Annotated[Rotation, WORLD] = IDENTITY
    velocity: Annotated[Velocity | None, WORLD] = None
    angular_velocity: Annotated[AngularVelocity | None, BODY] = None
    shape: Shape | None = None
    _made: Made | None = PrivateAttr(None)  # by which maker; None if the inertia was given

    def __setattr__(self, field: str, value: Any) -> None:
        """What a maker computed follows its numbers: ``rod.mass = 5``, ``rod.end = (1, 0, 0)``, ``disc.radius = 0.2``."""
        from .drafts import changed_recipe
        made = None if field.startswith("_") else self._made
        recipe = changed_recipe(self, field, value) if made is not None and self._recipe is not None else None
        if made is not None and field in type(made.shape).model_fields:
            made = made.changed(field, value, self.name)
            for name, given in made.fields(self.mass).items():
                super().__setattr__(name, {**self.frames, **given} if name == "frames" else given)
            self._made, self._recipe = made, recipe
            return
        super().__setattr__(field, value)
        if field == "inertia":
            self._made = self._recipe = None
        elif field == "mass" and made is not None:
            super().__setattr__("inertia", made.fields(self.mass, weighed=True)["inertia"])
            self._made, self._recipe = made._replace(density=None), recipe

    def __eq__(self, other: object) -> bool:
        """By its fields, whatever it was made of."""
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, field: str) -> Any:
        made = None if field.startswith("_") else self._made
        if made is not None and field in type(made.shape).model_fields:
            return getattr(made.shape, field)
        return super().__getattr__(field)  # type: ignore[misc]

    @model_validator(mode="before")
    @classmethod
    def _from_maker(cls, value: Any) -> Any:
        """In text a maker stands in place of the inertia: ``rod: {start: …, end: …}``."""
        return maker(value) if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _check_inertia(self) -> RigidBody:
        if isinstance(self.inertia, Moments):
            self._made = self.inertia.made
        si = _moments(self.inertia.tolist() if isinstance(self.inertia, np.ndarray) else self.inertia)
        matrix = _matrix(si)
        if not np.allclose(matrix, matrix.T, atol=1e-9 * max(1e-300, abs(matrix).max())):
            raise FieldError("inertia", f"{shown(si)} must be symmetric")
        if np.linalg.eigvalsh(matrix).min() < -1e-9 * abs(matrix).max():
            raise FieldError("inertia", f"{shown(si)} has a negative principal moment; check signs of the products of inertia")
        object.__setattr__(self, "inertia", tuple(tuple(r) if isinstance(r, list) else r for r in si))
        return self

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        out = super().placed(fields, by)
        if "rod" in fields:
            rod = fields["rod"]
            out["rod"] = {**rod, **{k: by.point(rod[k]) for k in ("start", "end") if k in rod},
                          **{k: by.vector(rod[k], "m/s") for k in ("velocity_at_start", "velocity_at_end") if rod.get(k) is not None},
                          **({"rotation": by.turned(rod.get("rotation", IDENTITY))} if by.turns else {})}
        if not by.mirror:
            return out
        if "cylinder" in fields:
            out["cylinder"] = {**fields["cylinder"], "axis": by.local(fields["cylinder"].get("axis", (0.0, 0.0, 1.0)))}
        if "com" in fields:
            out["com"] = by.local(fields["com"])
        if "inertia" in fields and np.ndim(fields["inertia"]) == 2:
            rows = [by.local(tuple(row)) for row in fields["inertia"]]
            out["inertia"] = tuple(zip(*(by.local(column) for column in zip(*rows, strict=True)), strict=True))
        out |= {"frames": {name: by.place(place) for name, place in fields["frames"].items()}} if "frames" in fields else {}
        return out | ({"shape": fields["shape"].mirrored(by)} if isinstance(fields.get("shape"), Shape) else {})

    @property
    def inertia_matrix(self) -> np.ndarray:
        """About the centre of mass, body axes [kg m^2], shape (3, 3)."""
        return _matrix(self.inertia)

    def plain(self) -> dict[str, Any]:
        """A stated position is written even where it is the default, since a body without one is placed by its joints."""
        data, given = super().plain(), self.model_fields_set
        for field in ("position", "rotation"):
            if field in given and (field == "position" or "position" not in given):
                data.setdefault(field, list(getattr(self, field)))
        return data

    def build(self, layout: ModelCompiler) -> None:
        self.place(layout)
        layout.add_marker(self.name, self.as_frame())
        for name in self.frames:
            layout.add_marker(f"{self.name}.{name}", self[name])

    def place(self, layout: ModelCompiler) -> None:
        """Its rows, without its frames."""
        from ..families import rigid

        def frame(b: Any, place: Any, number: int, point: np.ndarray, axes: np.ndarray) -> None:
            family = rigid.MARKERS if layout.marking else rigid.FRAMES
            b.element(family, self.name, (place.iq, place.iv, number, b.frames[number][1]),
                      (*(point - self.com), *axes.ravel()), tiles=place.tiles)

        position, turned = layout.placed.get(self.name, (np.array(self.position), self.rotation))
        R, com = matrix_of(turned), np.array(self.com, float)
        w = np.array(self.angular_velocity or (0.0, 0.0, 0.0))
        v = np.array(self.velocity or (0.0, 0.0, 0.0)) + R @ np.cross(w, com)
        place = layout.builder.place(self.name, (*(position + R @ com), *turned), (*v, *w), frame,
                                     len(layout.sliding.get(self.name, ())))
        layout.builder.element(rigid.BODY, self.name, (place.iq, place.iv), (self.mass, *self.inertia_matrix.ravel()),
                               tiles=place.tiles)
        layout.add_body(self, place, position, R)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        inertia = (3.0, 0.1, 0.2), (0.1, 4.0, 0.3), (0.2, 0.3, 5.0)
        return [cls("body", 2.0, inertia, (0.1, -0.2, 0.3), angular_velocity=(1.0, 2.0, 3.0))]

    # -- makers; each is also a key of a body in a text model
    @classmethod
    def rod(cls, name: str, start: Any, end: Any, mass: Any = None, **more: Any) -> RigidBody:
        """Slender rod between two points (world axes): origin at its centre, body axes parallel to the world at the start; transverse
        inertia m L^2/12, axial m r^2/2 with r = L/50, or a solid cylinder of ``radius`` (then ``density`` may stand for ``mass``).
        Frames ``start``, ``end``, ``center``. ``velocity_at_start``, ``velocity_at_end`` [m/s] state its motion in world axes (one
        alone: the other end is at rest, no spin)."""
        own = ("radius", "velocity_at_start", "velocity_at_end")
        rod: dict[str, Any] = {"start": start, "end": end, **{k: more.pop(k) for k in own if k in more}}
        return made(cls, name, rod=rod, **({} if mass is None else {"mass": mass}), **more)

    @classmethod
    def box(cls, name: str, size: Any, **more: Any) -> RigidBody:
        """Solid box with edges ``size`` [m] along the body axes, origin at its centre; give ``mass`` or ``density``."""
        return made(cls, name, box={"size": size}, **more)

    @classmethod
    def cylinder(cls, name: str, radius: Any, length: Any, axis: Any = "z", **more: Any) -> RigidBody:
        """Solid cylinder about ``axis`` of the body, origin at its centre; give ``mass`` or ``density``. Frames ``start``, ``end``."""
        return made(cls, name, cylinder={"radius": radius, "length": length, "axis": axis}, **more)

    @classmethod
    def sphere(cls, name: str, radius: Any, **more: Any) -> RigidBody:
        """Solid sphere, origin at its centre; give ``mass`` or ``density``."""
        return made(cls, name, sphere={"radius": radius}, **more)

    @classmethod
    def point_mass(cls, name: str, mass: Any, **more: Any) -> RigidBody:
        """A mass without extension. Its rotational inertia is zero: joints must leave no free rotation that moves no mass."""
        return made(cls, name, point_mass={}, mass=mass, **more)

    @classmethod
    def from_mesh(cls, name: str, file: Any, unit: str = "m", **more: Any) -> RigidBody:
        """A closed surface from an STL file (text or binary) in ``unit``; mass, centre of mass and inertia by integration
        over its volume. Give ``mass`` or ``density``. Body axes are the axes of the file."""
        return made(cls, name, mesh={"file": str(file), "unit": unit}, **more)


