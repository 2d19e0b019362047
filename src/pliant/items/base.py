"""What all items of a model share: validated fields with units, places on bodies, and names.

The classes here are the schema of the text model as well; every field accepts a number in SI units or a text with a unit.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from ..functions.field_error import FieldError
from ..functions.parameters import has_expressions
from ..functions.printable import same_name
from ..functions.units import must, quantity, shown
from .errors import ItemError
from .hooks import Signalling
from .names import LONGEST as LONGEST
from .names import RESERVED as RESERVED
from .names import FrameName as FrameName
from .names import Name
from .names import Switch as Switch
from .names import did_you_mean as did_you_mean
from .names import near_miss as near_miss
from .quantities import BODY, OPEN_POINT, WORLD, Axes, In, axes_of, plain, unit_of
from .rotations import AXES, IDENTITY, Vec3, axis_of, rotation_of
from .rotations import matrix_of as matrix_of
from .rotations import quaternion_of as quaternion_of
from .rotations import rotation as rotation

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass

    from ..compile.model_compiler import ModelCompiler
    from .declarations import Channel, ConstantLoad, CoordinateUse, Stiffness
    from .placing import Placement
else:
    ModelMetaclass = type(BaseModel)


AnyAxis = str | Vec3  # a letter of AXES, or a unit vector


def number(unit: str, *, positive: bool = False, least: float | None = None, most: float | None = None) -> Any:
    """Field type: a number in SI units or a text such as "12 N/mm"; optionally > 0, >= ``least`` or <= ``most``."""
    def check(value: Any) -> float:
        x = quantity(value, unit)
        given = value if isinstance(value, str) else shown(value)
        if positive and not x > 0:
            raise ValueError(f"{given} must be greater than zero")
        if least is not None and x < least:
            raise ValueError(f"{given} must be at least {least:g}")
        if most is not None and x > most:
            raise ValueError(f"{given} must be at most {most:g}")
        return x
    note = f"number in {unit or 'SI units'}, or a text with a unit"
    return Annotated[float, In(unit), BeforeValidator(check), WithJsonSchema({"type": ["number", "string"], "description": note})]


def vector(unit: str, axes: str = "") -> Any:
    """Field type: three numbers or texts with units, given in certain ``axes``, such as "body axes"."""
    def check(value: Any) -> Vec3:
        if isinstance(value, (str, dict)) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != 3:
            raise ValueError(must(value, f"must be a list of three numbers [{unit}]"))
        return quantity(plain(value[0]), unit), quantity(plain(value[1]), unit), quantity(plain(value[2]), unit)
    entry = {"type": ["number", "string"]}
    schema = {"type": "array", "items": entry, "minItems": 3, "maxItems": 3, "description": f"three numbers in {unit or 'SI units'}"}
    return Annotated[tuple[float, float, float], In(unit), Axes(axes), BeforeValidator(check), WithJsonSchema(schema)]


Axis = Annotated[tuple[float, float, float], BeforeValidator(axis_of), WithJsonSchema(
    {"anyOf": [{"enum": list(AXES)}, {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}]})]
THREE_TURNS = {"sequence": {"type": "string"}, "about": {"enum": ["moving", "fixed"]}}


def _entries(*needed: str, more: dict[str, Any] | None = None) -> dict[str, Any]:
    """Schema of a mapping."""
    properties: dict[str, Any] = {key: {} for key in needed}
    return {"type": "object", "properties": properties | (more or {}), "required": list(needed), "additionalProperties": False}


Rotation = Annotated[tuple[float, float, float, float], PlainValidator(rotation_of), WithJsonSchema(
    {"anyOf": [{"type": "array"}, _entries("axis", "angle"), _entries("euler", more=THREE_TURNS), _entries("cardan", more=THREE_TURNS)]})]


def is_direction(field: Any) -> bool:
    """Whether a field is a direction or a rotation: its numbers are not free."""
    return any(getattr(m, "func", None) in (axis_of, rotation_of) for m in field.metadata)


def joint_name(value: Any) -> Any:
    """A joint may be given as an object."""
    return value.name if isinstance(value, Item) or hasattr(value, "as_frame") else same_name(value) if isinstance(value, str) else value


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
    Share = float
else:
    Length, Angle, Mass = number("m"), number("rad"), number("kg", least=0.0)
    Point, Velocity, AngularVelocity = vector("m"), vector("m/s"), vector("rad/s")
    Share = number("", least=0.0, most=1.0)


class Strict(BaseModel):
    """No unknown keys, assignments are checked."""
    model_config = ConfigDict(extra="forbid", validate_assignment=True, arbitrary_types_allowed=True, defer_build=True)


class Place(Strict):
    """A point and axes on a body, in the body's axes."""
    model_config = ConfigDict(extra="forbid", frozen=True)
    point: Annotated[Point, BODY] = (0.0, 0.0, 0.0)
    rotation: Annotated[Rotation, BODY] = IDENTITY

    @model_validator(mode="before")
    @classmethod
    def _from_point(cls, value: Any) -> Any:
        return {"point": value} if isinstance(value, (list, tuple, np.ndarray)) else value


BODIES: ContextVar[Collection[str]] = ContextVar("bodies", default=())  # of the text that is read: names may have points in them


class Frame(Strict):
    """A place on a body by name: the body itself, one of its named frames, a point in its axes, or the point that is ``at`` a place of
    the world in the pose as modelled, with axes parallel to those of the world; on a beam also its section at ``s`` (0 to 1)."""
    model_config = ConfigDict(extra="forbid", frozen=True)
    body: str
    frame: str | None = None
    point: Annotated[Point | None, OPEN_POINT, BODY] = None
    rotation: Annotated[Rotation | None, BODY] = None
    at: Annotated[Point | None, OPEN_POINT, WORLD] = None
    s: Share | None = None

    @property
    def is_open(self) -> bool:
        """Whether a point of it has expressions of parameters, which a model is to resolve."""
        return has_expressions(self.point) or has_expressions(self.at)

    def closed(self, resolve: Any) -> Frame:
        point, at = resolve(self.point, "point"), resolve(self.at, "at")
        return Frame(body=self.body, frame=self.frame, point=point, rotation=self.rotation, at=at, s=self.s)

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = same_name(value)
            if value in BODIES.get():
                return {"body": value}
            if value.startswith("ground."):
                return {"body": "ground", "frame": value.removeprefix("ground.")}
            body, _, frame = value.rpartition(".")  # where that is the name of a body, the model knows
            return {"body": body or frame, "frame": frame if body else None}
        if hasattr(value, "as_frame"):
            return value.as_frame().model_dump()
        named = {k: same_name(value[k]) for k in ("body", "frame") if isinstance(value.get(k), str)} if isinstance(value, dict) else {}
        return {**value, **named} if named else value

    @model_validator(mode="after")
    def _one_place(self) -> Frame:
        if self.at is not None and any(k is not None for k in (self.frame, self.point, self.rotation, self.s)):
            raise ValueError("at is a point of the world, with its axes; leave out frame, point, rotation and s")
        if self.s is not None and (self.frame is not None or self.point is not None):
            raise ValueError("s is a place along a beam; leave out frame and point")
        return self

    def __str__(self) -> str:
        if place := self.point or self.at:
            return f"{self.body} at {'world ' if self.at else ''}({place[0]:g}, {place[1]:g}, {place[2]:g})"
        if self.s is not None:
            return f"{self.body} at s = {self.s:g}"
        return f"{self.body}.{self.frame}" if self.frame else self.body

    def plain(self) -> Any:
        """As written in a text model."""
        if self.point is None and self.rotation is None and self.at is None and self.s is None:
            return str(self)
        return {k: v for k, v in self.__dict__.items() if v is not None}


KINDS: dict[str, dict[str, type[Item]]] = {k: {} for k in ("bodies", "joints", "drives", "forces", "measures", "variables", "blocks")}


def told(cls: type[Item], name: Any, error: ValidationError) -> ItemError:
    """Pydantic's findings as one sentence each."""
    from .messages import dotted, explain
    known = f" {name!r}" if isinstance(name, str) else ""
    lines = [f"{dotted(path)}: {message}" if path else message for path, message in explain(error, cls)]
    found = ItemError("; ".join(f"{cls.kind or cls.__name__}{known}: {line}" for line in lines))
    found.findings = error
    return found


def _with_axes(cls: type[Item]) -> str:
    """Its documentation, with in whose axes its vectors are given."""
    said: dict[str, list[str]] = {}
    for name, field in cls.model_fields.items():
        if axes := axes_of(field):
            said.setdefault(axes, []).append(f"``{name}``")
    told = "; ".join(f"{', '.join(names)} in {axes}" for axes, names in said.items())
    return f"{cleandoc(cls.__dict__.get('__doc__') or cls.__name__)}" + (f"\n\nAxes: {told}." if told else "")


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
            raise told(cls, given, error) from None  # type: ignore[arg-type]


class Item(Signalling, Strict, metaclass=_Friendly):
    """An item of a model. The first positional arguments are the fields named in ``positional``."""
    section: ClassVar[str] = ""  # where it stands in a text model: bodies, joints, drives, forces, measures
    kind: ClassVar[str] = ""
    positional: ClassVar[tuple[str, ...]] = ("name",)
    symbol: ClassVar[str] = ""   # how pictures and the viewer show it, see docs/extending.md
    listed: ClassVar[int] = 5    # order of channels: bodies, joints, drives, couplings, springs, other forces, measures
    senses: ClassVar[bool] = True  # whether its functions may use channels, such as A.angle
    mirrors: ClassVar[bool] = False  # whether `placed` knows its mirror image
    lists: ClassVar[tuple[str, ...]] = ()  # fields that are lists of names of other items
    expressions: ClassVar[tuple[str, ...]] = ()  # fields that are lists or mappings, whose texts are expressions of t and channels
    on_points: ClassVar[bool] = False  # whether frames without axes, as of cables, will do; so they do where it acts along a line
    wholes: ClassVar[tuple[str, ...]] = ()  # fields that name a body as a whole, not a place where something acts
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
        before = dict(self.__dict__)
        try:
            super().__setattr__(field, value)
        except ValidationError as error:
            self.__dict__.update(before)  # what is refused changes nothing
            raise told(type(self), self.name, error) from None
        if not field.startswith("_") and self._recipe is not None:
            self._recipe = {**self._recipe, field: value}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if cls.section and "kind" in cls.__dict__:
            KINDS[cls.section][cls.kind] = cls
            cls.__doc__ = _with_axes(cls)

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

    def misfits(self, bodies: Mapping[str, Any]) -> Iterable[tuple[tuple[Any, ...], str]]:
        """(path, message) of what does not fit the bodies of its frames, which are there."""
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

    def slides_on(self) -> tuple[str, ...]:
        """Bodies, or the ground, that have a coordinate for its place on a line of theirs."""
        return (self.a.body,) if self.on_line else ()

    @property
    def as_modelled(self) -> bool:
        """Whether the distance of its points as modelled is what it keeps: then it cannot place a body."""
        return False
