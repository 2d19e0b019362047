"""Short words on joints: ``limits`` and ``friction`` and what they stand for, items that a joint brings along."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, ValidationError, WithJsonSchema, model_validator

from ..functions.field_error import FieldError
from ..functions.units import must
from .base import Item
from .friction import JointFriction
from .stops import Stop

QUANTITY: dict[str, Any] = {"type": ["number", "string"]}
LIMITS = {"anyOf": [
    {"type": "array", "items": {"type": ["number", "string", "null"]}, "minItems": 2, "maxItems": 2},
    {"type": "object", "properties": dict.fromkeys(("lower", "upper", "stiffness", "restitution", "exponent", "slow", "law"), QUANTITY),
     "additionalProperties": False}], "description": "lower and upper limit of the coordinate, null: there is none; or fields of a stop"}


def _limits(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or len(value) != 2:
        raise ValueError(must(value, "must be two numbers, the lower and the upper limit, such as [-20 deg, 20 deg], or a mapping with "
                              "lower, upper, stiffness, restitution"))
    return {side: limit for side, limit in zip(("lower", "upper"), value, strict=True) if limit is not None}


Limits = Annotated[Any, BeforeValidator(_limits), WithJsonSchema(LIMITS)]


def brought(kind: type[Item], name: str, word: str, fields: Mapping[str, Any], **known: Any) -> Item:
    """The item that a word of a joint stands for. FieldError leads to what is wrong in the word."""
    from .messages import explain
    if twice := [key for key in ("name", "joint", *known) if key in fields]:
        raise FieldError(word, f"unknown key {twice[0]!r}", twice[0])
    try:
        return kind.model_validate({**fields, "name": f"{name}.{word}", "joint": name, **known})
    except ValidationError as error:
        path, message = next(explain(error, kind))
        raise FieldError(word, message, *path) from None


def _friction(value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError(must(value, "must be a mapping such as {torque: 0.2}, {force: 5, static: 1.2} or {coefficient: 0.1, "
                              "radius: 20 mm}"))
    return dict(value)


FRICTION = {"type": "object", "properties": {word: {} for word in (
    "coefficient", "static", "radius", "axial_radius", "length", "preload", "torque", "force", "stribeck", "viscous", "presliding",
    "damping")}, "additionalProperties": False, "description": "fields of a joint_friction"}
Rubs = Annotated[Any, BeforeValidator(_friction), WithJsonSchema(FRICTION)]


class Worded(Item):
    """Of a joint with one coordinate: ``limits`` is a stop, called NAME.limits, ``friction`` a friction, called NAME.friction."""
    if TYPE_CHECKING:
        coordinates: ClassVar[tuple[str, ...]]
    expressions: ClassVar[tuple[str, ...]] = ("friction",)
    limits: Limits | None = None
    friction: Rubs | None = None

    @model_validator(mode="after")
    def _words(self) -> Worded:
        """What was given, with numbers in place of texts."""
        for word, item in self._items():
            plain = {field: getattr(item, field) for field in getattr(self, word)}
            if own := [field for field, value in plain.items() if not isinstance(value, (int, float, str))]:
                raise FieldError(word, f"must be a number or an expression; a table or function needs a {item.kind} of its own", own[0])
            if plain != getattr(self, word):
                object.__setattr__(self, word, plain)
        return self

    def _items(self) -> Iterable[tuple[str, Item]]:
        if self.limits is not None:
            yield "limits", brought(Stop, self.name, "limits", self.limits, coordinate=self.coordinates[0])
        if self.friction is not None:
            yield "friction", brought(JointFriction, self.name, "friction", self.friction, coordinate=self.coordinates[0])

    def brings(self) -> Iterable[Item]:
        return (item for _, item in self._items())
