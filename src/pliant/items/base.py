"""What all items of a model share: validated fields with units, places on bodies, and names.

The classes here are the schema of the text model as well; every field accepts a number in SI units or a text with a unit.
"""
from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema, model_validator

from ..functions.field_error import FieldError
from ..functions.units import must, quantity, shown
from .errors import ItemError
from .quantities import In, unit_of
from .rotations import AXES, IDENTITY, Vec3, axis_of, rotation_of
from .rotations import matrix_of as matrix_of
from .rotations import quaternion_of as quaternion_of
from .rotations import rotation as rotation

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass

    from ..compile.model_compiler import ModelCompiler
    from .declarations import Channel, ConstantLoad, CoordinateUse, Stiffness
else:
    ModelMetaclass = type(BaseModel)

LONGEST = 100     # letters in a name
OTHER_WORDS = {"weld": "fixed", "welded": "fixed", "lock": "fixed", "locked": "fixed", "hinge": "revolute", "pin": "revolute",
               "slider": "prismatic", "ball": "spherical", "hooke": "universal"}  # of engineers -> kinds
RESERVED = {"ground", "energy", "t", "pi", "e"}

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


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.isidentifier():
        raise ValueError(f"name {shown(value)} must be a word of letters, digits and _ that does not begin with a digit")
    if len(value) > LONGEST:
        raise ValueError(f"name {shown(value)} must have at most {LONGEST} letters")
    if value in RESERVED:
        raise ValueError(f"name {value!r} is reserved; choose another")
    return value


Name = Annotated[str, BeforeValidator(_name)]
Axis = Annotated[tuple[float, float, float], BeforeValidator(axis_of), WithJsonSchema(
    {"anyOf": [{"enum": list(AXES)}, {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}]})]
THREE_TURNS = {"sequence": {"type": "string"}, "about": {"enum": ["moving", "fixed"]}}


def _entries(*needed: str, more: dict[str, Any] | None = None) -> dict[str, Any]:
    """Schema of a mapping."""
    properties: dict[str, Any] = {key: {} for key in needed}
    return {"type": "object", "properties": properties | (more or {}), "required": list(needed), "additionalProperties": False}


Rotation = Annotated[tuple[float, float, float, float], BeforeValidator(rotation_of), WithJsonSchema(
    {"anyOf": [{"type": "array"}, _entries("axis", "angle"), _entries("euler", more=THREE_TURNS), _entries("cardan", more=THREE_TURNS)]})]


def joint_name(value: Any) -> Any:
    """A joint may be given as an object."""
    return value.name if isinstance(value, Item) else value


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


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The end of an error message: a near miss (at least ``cutoff`` alike), or what there is."""
    names = [str(k) for k in known]
    if near := near_miss(word, names, cutoff):
        return near
    listed = ", ".join(names[:25])
    listed = listed if len(names) <= 25 and len(listed) <= 250 else listed[:200].rpartition(",")[0] + ", …"
    return f"; there {'is' if len(names) == 1 else 'are'} {listed}" if names else ""


def near_miss(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The same for a near miss only; empty if there is none."""
    names = list(known)
    same = word.lower(), OTHER_WORDS.get(word.lower())
    near = [n for n in names if n.lower() in same] or difflib.get_close_matches(word[:LONGEST], names, 1, cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""


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
    """A place on a body by name: the body itself, one of its named frames, a point in its axes, or the point that is ``at`` a place of
    the world in the pose as modelled, with axes parallel to those of the world."""
    model_config = ConfigDict(extra="forbid", frozen=True)
    body: str
    frame: str | None = None
    point: Point | None = None
    rotation: Rotation | None = None
    at: Point | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            body, _, frame = value.partition(".")
            return {"body": body, "frame": frame or None}
        if hasattr(value, "as_frame"):
            return value.as_frame().model_dump()
        return value

    @model_validator(mode="after")
    def _one_place(self) -> Frame:
        if self.at is not None and any(k is not None for k in (self.frame, self.point, self.rotation)):
            raise ValueError("at is a point of the world, with its axes; leave out frame, point and rotation")
        return self

    def __str__(self) -> str:
        if place := self.point or self.at:
            return f"{self.body} at {'world ' if self.at else ''}({place[0]:g}, {place[1]:g}, {place[2]:g})"
        return f"{self.body}.{self.frame}" if self.frame else self.body

    def plain(self) -> Any:
        """As written in a text model."""
        if self.point is None and self.rotation is None and self.at is None:
            return str(self)
        return self.model_dump(exclude_none=True)


KINDS: dict[str, dict[str, type[Item]]] = {k: {} for k in ("bodies", "joints", "drives", "forces", "measures")}


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
    name: Name

    def __setattr__(self, field: str, value: Any) -> None:
        if field == "name":
            raise ItemError(f"{self.kind} {self.name!r}: its name is fixed, since other items refer to it; make a new item")
        before = dict(self.__dict__)
        try:
            super().__setattr__(field, value)
        except ValidationError as error:
            self.__dict__.update(before)  # what is refused changes nothing
            raise _told(type(self), self.name, error) from None

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
