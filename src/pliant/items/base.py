"""What all items of a model share: validated fields with units, places on bodies, and names.

The classes here are the schema of the text model as well; every field accepts a number in SI units or a text with a unit.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, PrivateAttr, ValidationError, WithJsonSchema, WrapValidator, model_validator

from ..functions.field_error import FieldError
from ..functions.parameters import has_expressions
from ..functions.suggestions import did_you_mean as did_you_mean
from ..functions.suggestions import near_miss as near_miss
from ..functions.units import must, quantity, shown
from .errors import ItemError
from .names import RESERVED as RESERVED
from .names import FrameName as FrameName
from .names import Name as Name
from .names import Switch as Switch
from .quantities import In, unit_of
from .turns import matrix_of as matrix_of
from .turns import quaternion_of as quaternion_of

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass

    from ..compile.model_compiler import ModelCompiler
    from .declarations import Channel, ConstantLoad, CoordinateUse, Stiffness
    from .placing import Placement
else:
    ModelMetaclass = type(BaseModel)

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
AXES |= {f"-{k}": (-a[0], -a[1], -a[2]) for k, a in list(AXES.items())}
ROUNDING = 1e-15  # a length this near to one is one: what was made a unit vector once stays as it is

Vec3 = tuple[float, float, float]
AnyAxis = str | Vec3  # a letter of AXES, or a unit vector


def number(unit: str, *, positive: bool = False, least: float | None = None) -> Any:
    """Field type: a number in SI units or a text such as "12 N/mm"; optionally > 0 or >= ``least``."""
    def check(value: Any) -> float:
        x = quantity(value, unit)
        given = value if isinstance(value, str) else shown(value)
        if positive and not x > 0:
            raise ValueError(f"{given} must be greater than zero")
        if least is not None and x < least:
            raise ValueError(f"{given} must be at least {least:g}")
        return x
    note = f"number in {unit or 'SI units'}, or a text with a unit"
    return Annotated[float, In(unit), BeforeValidator(check), WithJsonSchema({"type": ["number", "string"], "description": note})]


def vector(unit: str) -> Any:
    """Field type: three numbers or texts with units."""
    def check(value: Any) -> Vec3:
        if isinstance(value, (str, dict)) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != 3:
            raise ValueError(must(value, f"must be a list of three numbers [{unit}]"))
        return quantity(plain(value[0]), unit), quantity(plain(value[1]), unit), quantity(plain(value[2]), unit)
    entry = {"type": ["number", "string"]}
    schema = {"type": "array", "items": entry, "minItems": 3, "maxItems": 3, "description": f"three numbers in {unit or 'SI units'}"}
    return Annotated[tuple[float, float, float], In(unit), BeforeValidator(check), WithJsonSchema(schema)]


def plain(x: Any) -> Any:
    """A number of NumPy as one of Python."""
    return x.item() if isinstance(x, np.generic) else x


def _array(value: Any) -> np.ndarray:
    """As numbers, or an empty array where that is not possible."""
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        return np.zeros(0)


def _axis(value: Any) -> Vec3:
    if isinstance(value, str) and value in AXES:
        return AXES[value]
    a = _array(value)
    if a.shape != (3,) or not np.isfinite(a).all():
        raise ValueError(f"axis {shown(value)} must be one of {', '.join(AXES)} or three numbers")
    largest = float(abs(a).max())
    if largest == 0:
        raise ValueError("axis (0, 0, 0) has no direction; give at least one component")
    if not 1e-100 < largest < 1e100:  # squares must be numbers
        a = a / largest
    size = float(np.linalg.norm(a))
    a = a / size if abs(size - 1) > ROUNDING else a
    return float(a[0]), float(a[1]), float(a[2])


def rotation(axis: Any, angle: float | str) -> tuple[float, float, float, float]:
    """Unit quaternion (scalar first) of a turn by ``angle`` [rad, or a text such as "30 deg"] about ``axis``."""
    half = quantity(angle, "rad") / 2
    u = np.sin(half) * np.asarray(_axis(axis))
    return float(np.cos(half)), float(u[0]), float(u[1]), float(u[2])


def _rotation(value: Any) -> tuple[float, float, float, float]:
    if isinstance(value, dict):
        if set(value) != {"axis", "angle"}:
            raise ValueError(f"rotation {shown(value)} must have the two entries axis and angle, such as {{axis: z, angle: 30 deg}}")
        return rotation(value["axis"], value["angle"])
    a = _array(value)
    if a.shape == (3, 3):
        if not (abs(a) <= 1.1).all() or not np.allclose(a @ a.T, np.eye(3), atol=1e-6) or np.linalg.det(a) < 0:
            raise ValueError(f"rotation matrix {shown(value)} must be orthonormal and right-handed (R R^T = 1, det R = 1)")
        return quaternion_of(a)
    if a.shape != (4,) or not (abs(a) <= 1.1).all() or abs(np.linalg.norm(a) - 1) > 1e-6:
        raise ValueError(f"rotation {shown(value)} must be {{axis: z, angle: 30 deg}}, a unit quaternion [w, x, y, z], or a 3x3 matrix")
    if abs(np.linalg.norm(a) - 1) > ROUNDING:
        a = a / np.linalg.norm(a)
    return float(a[0]), float(a[1]), float(a[2]), float(a[3])


Axis = Annotated[tuple[float, float, float], BeforeValidator(_axis), WithJsonSchema(
    {"anyOf": [{"enum": list(AXES)}, {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}]})]
Rotation = Annotated[tuple[float, float, float, float], BeforeValidator(_rotation), WithJsonSchema(
    {"anyOf": [{"type": "array"}, {"type": "object", "properties": {"axis": {}, "angle": {}}, "required": ["axis", "angle"],
                                   "additionalProperties": False}]})]


def is_direction(field: Any) -> bool:
    """Whether a field is a direction or a rotation: its numbers are not free."""
    return any(getattr(m, "func", None) in (_axis, _rotation) for m in field.metadata)


def joint_name(value: Any) -> Any:
    """A joint may be given as an object."""
    return value.name if isinstance(value, Item) or hasattr(value, "as_frame") else value


JointName = Annotated[str, BeforeValidator(joint_name)]  # field type: names a joint, which must be there


def names_joint(cls: type[BaseModel] | None, field: Any) -> bool:
    """Whether a field names a joint."""
    found = cls.model_fields.get(str(field)) if cls is not None else None
    return found is not None and any(getattr(m, "func", None) is joint_name for m in found.metadata)


if TYPE_CHECKING:
    Length = float
    Angle = float
    Mass = float
    Point = Vec3
    Velocity = Vec3
    AngularVelocity = Vec3
else:
    Length, Angle, Mass = number("m"), number("rad"), number("kg", least=0.0)
    Point, Velocity, AngularVelocity = vector("m"), vector("m/s"), vector("rad/s")


def _open_point(value: Any, check: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) and has_expressions(value) else check(value)


OPEN_POINT = WrapValidator(_open_point)  # a point, or one of parameters
IDENTITY = (1.0, 0.0, 0.0, 0.0)


class Strict(BaseModel):
    """No unknown keys, assignments are checked."""
    model_config = ConfigDict(extra="forbid", validate_assignment=True, arbitrary_types_allowed=True, defer_build=True)


class Place(Strict):
    """A point and axes on a body, in the body's axes."""
    model_config = ConfigDict(extra="forbid", frozen=True)
    point: Point = (0.0, 0.0, 0.0)
    rotation: Rotation = IDENTITY

    @model_validator(mode="before")
    @classmethod
    def _from_point(cls, value: Any) -> Any:
        return {"point": value} if isinstance(value, (list, tuple, np.ndarray)) else value


class Frame(Strict):
    """A place on a body by name: the body itself, one of its named frames, or a point in its axes."""
    model_config = ConfigDict(extra="forbid", frozen=True)
    body: str
    frame: str | None = None
    point: Annotated[Point | None, OPEN_POINT] = None
    rotation: Rotation | None = None

    @property
    def is_open(self) -> bool:
        """Whether its point has expressions of parameters, which a model is to resolve."""
        return has_expressions(self.point)

    def closed(self, resolve: Any) -> Frame:
        return Frame(body=self.body, frame=self.frame, point=resolve(self.point, "point"), rotation=self.rotation)

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            if value.startswith("ground."):
                return {"body": "ground", "frame": value.removeprefix("ground.")}
            body, _, frame = value.rpartition(".")  # where that is the name of a body, the model knows
            return {"body": body or frame, "frame": frame if body else None}
        if hasattr(value, "as_frame"):
            return value.as_frame().model_dump()
        return value

    def __str__(self) -> str:
        if self.point is not None:
            return f"{self.body} at ({self.point[0]:g}, {self.point[1]:g}, {self.point[2]:g})"
        return f"{self.body}.{self.frame}" if self.frame else self.body

    def plain(self) -> Any:
        """As written in a text model."""
        if self.point is None and self.rotation is None:
            return str(self)
        return {k: v for k, v in self if v is not None}


KINDS: dict[str, dict[str, type[Item]]] = {k: {} for k in ("bodies", "joints", "drives", "forces", "measures", "variables")}


def _told(cls: type[Item], name: Any, error: ValidationError) -> ItemError:
    """Pydantic's findings as one sentence each."""
    from .messages import dotted, explain
    known = f" {name!r}" if isinstance(name, str) else ""
    lines = [f"{dotted(path)}: {message}" if path else message for path, message in explain(error, cls)]
    told = ItemError("; ".join(f"{cls.kind or cls.__name__}{known}: {line}" for line in lines))
    told.findings = error
    return told


class _Friendly(ModelMetaclass):
    """Items made in Python report wrong values in the words of a text model (which uses model_validate and locates them itself)."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if has_expressions((args, kwargs)) and len(args) <= len(cls.positional):  # type: ignore[attr-defined]
            from .drafts import Draft
            return Draft(cls, {**dict(zip(cls.positional, args, strict=False)), **kwargs})  # type: ignore[arg-type, attr-defined]
        try:
            return super().__call__(*args, **kwargs)
        except ValidationError as error:
            given = kwargs.get("name", args[0] if args and cls.positional[0] == "name" else None)  # type: ignore[attr-defined]
            raise _told(cls, given, error) from None  # type: ignore[arg-type]


class Item(Strict, metaclass=_Friendly):
    """An item of a model. The first positional arguments are the fields named in ``positional``."""
    section: ClassVar[str] = ""  # where it stands in a text model: bodies, joints, drives, forces, measures
    kind: ClassVar[str] = ""
    positional: ClassVar[tuple[str, ...]] = ("name",)
    symbol: ClassVar[str] = ""   # how pictures and the viewer show it, see docs/extending.md
    listed: ClassVar[int] = 5    # order of channels: bodies, joints, drives, couplings, springs, other forces, measures
    senses: ClassVar[bool] = True  # whether its functions may use channels, such as A.angle
    mirrors: ClassVar[bool] = False  # whether `placed` knows its mirror image
    name: Name
    active: Switch = True  # an item that is not is left out when the model is compiled
    _recipe: dict[str, Any] | None = PrivateAttr(None)  # its fields as they were written, where they are of parameters

    def __setattr__(self, field: str, value: Any) -> None:
        if field == "name":
            raise ItemError(f"{self.kind} {self.name!r}: its name is fixed, since other items refer to it; in a model write "
                            f"m.rename({self.name!r}, ...)")
        if has_expressions(value) and not field.startswith("_"):
            raise ItemError(f"{self.kind} {self.name!r}: {field}: an item does not know the parameters of its model; "
                            f"write m.set('{self.name}.{field}', ...)")
        try:
            super().__setattr__(field, value)
        except ValidationError as error:
            raise _told(type(self), self.name, error) from None
        if not field.startswith("_") and self._recipe is not None:
            self._recipe = {**self._recipe, field: value}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if cls.section and "kind" in cls.__dict__:
            KINDS[cls.section][cls.kind] = cls

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(self.positional):
            raise TypeError(f"{type(self).__name__} takes {len(self.positional)} positional arguments "
                            f"({', '.join(self.positional)}), {len(args)} given")
        given = dict(zip(self.positional, args, strict=False))
        for field in given.keys() & kwargs.keys():
            raise TypeError(f"{type(self).__name__}: {field} given twice")
        super().__init__(**given, **kwargs)

    def build(self, layout: ModelCompiler) -> None:
        """Add this item's rows to the builder, and note where its results are found."""
        raise NotImplementedError(f"{type(self).__name__} must define build(layout)")

    def channels(self) -> Iterable[Channel]:
        """Its named results."""
        return ()

    def stiffnesses(self, at: Any) -> Iterable[Stiffness]:
        """Directions of constant stiffness of a force at a pose, which has ``record(name)``, ``position(frame)``, ``axes(frame)``."""
        return ()

    def equations(self) -> int:
        """How many equations a joint or drive brings."""
        return 0

    def uses(self) -> Iterable[CoordinateUse]:
        """Coordinates of joints that it acts on; of a drive those that it prescribes."""
        return ()

    def loads(self) -> Iterable[ConstantLoad]:
        """What it exerts on frames whatever the state is."""
        return ()

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        """``fields``, as given, where a sub-assembly with this item is put elsewhere: frames on the ground go with it. What else it gives
        in world axes, or what a mirror changes, its kind moves."""
        return {name: by.frame(value) if isinstance(value, Frame) else value for name, value in fields.items()}

    def units(self) -> dict[str, str]:
        """Units of its fields, where they are numbers."""
        return {name: unit for name, field in type(self).model_fields.items() if (unit := unit_of(field))}

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        """A small use of this kind between two frames, for tests of every kind: what it needs, and last itself."""
        raise NotImplementedError(f"{cls.__name__} must define example(a, b)")

    def plain(self) -> dict[str, Any]:
        """As written in a text model: the fields that differ from their defaults."""
        data = self.model_dump(exclude={"name"}, exclude_defaults=True)
        return {"kind": self.kind, **{k: _simple(getattr(self, k), v) for k, v in data.items()}}


def _simple(value: Any, dumped: Any) -> Any:
    if isinstance(value, Frame):
        return value.plain()
    if isinstance(dumped, tuple):
        return [_simple(None, v) for v in dumped]
    return dumped


def ends_of(value: Any, what: str) -> Any:
    """The fields a and b from ``between: [a, b]``."""
    if not isinstance(value, dict) or "between" not in value:
        return value
    between = value["between"]
    if not isinstance(between, (list, tuple)) or len(between) != 2:
        raise FieldError("between", must(between, f"must be a list of {what}"))
    return {**{k: v for k, v in value.items() if k != "between"}, "a": between[0], "b": between[1]}


def with_between(data: dict[str, Any]) -> dict[str, Any]:
    """The other way round, for writing."""
    ends = [data.pop("a"), data.pop("b")]
    return {"kind": data.pop("kind"), "between": ends, **data}


class Between(Item):
    """An item between two others, ``a`` and ``b``; in text ``between: [a, b]``."""
    positional: ClassVar[tuple[str, ...]] = ("name", "a", "b")
    ends: ClassVar[str] = ""  # what they are, in messages
    a: Any
    b: Any

    @model_validator(mode="before")
    @classmethod
    def _from_between(cls, value: Any) -> Any:
        return ends_of(value, cls.ends)

    def plain(self) -> dict[str, Any]:
        return with_between(super().plain())


class Pair(Between):
    """An item between two frames."""
    ends: ClassVar[str] = "two frames, such as [ground, crank.start]"
    apart: ClassVar[bool] = False    # whether it acts along the line of its two points, so that they must not coincide
    on_line: ClassVar[bool] = False  # whether a is a line of its body, which has a coordinate for the place on it
    a: Frame
    b: Frame

    @property
    def as_modelled(self) -> bool:
        """Whether the distance of its points as modelled is what it keeps: then it cannot place a body."""
        return False
