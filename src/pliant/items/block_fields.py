"""Field types of blocks: units, numbers, limits, coefficients, matrices, and where a block begins."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema

from ..functions.units import must, parse_unit, quantity, shown
from .base import number, plain
from .quantities import In

STEADY = "steady"
NUMBER = {"type": ["number", "string"]}


def unit_field(value: Any) -> Any:
    """A unit."""
    if not isinstance(value, str):
        raise ValueError(must(value, "must be a unit such as m/s"))
    parse_unit(value)
    return value


def _part(value: Any) -> float:
    x = quantity(plain(value), "")
    if not 0 <= x < 1:
        raise ValueError(f"{shown(value)} must be at least 0 and less than 1")
    return x


def _start(value: Any) -> float | str:
    if isinstance(value, str) and value.strip() == STEADY:
        return STEADY
    try:
        return quantity(plain(value), "")
    except ValueError as error:
        raise ValueError(f"{error}; or steady") from None


def _row(value: Any, rule: str) -> tuple[float, ...]:
    if isinstance(value, (str, dict)) or not isinstance(value, (Sequence, np.ndarray)):
        raise ValueError(must(value, rule))
    return tuple(quantity(plain(x), "") for x in value)


def _limits(value: Any) -> tuple[float | None, float | None]:
    rule = "must be two numbers, the lower and the upper limit, such as [-12, 12]; null where there is none"
    if isinstance(value, (str, dict)) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != 2:
        raise ValueError(must(value, rule))
    low, high = (None if x is None else quantity(plain(x), "") for x in value)
    if low is None and high is None:
        raise ValueError(must(value, "must have at least one number"))
    if low is not None and high is not None and not low < high:
        raise ValueError(f"{shown([low, high])} is the wrong way round: the lower limit comes first, and must be less than the upper one")
    return low, high


def _coefficients(value: Any) -> tuple[float, ...]:
    rule = "must be a list of numbers, the coefficients from the highest power of s down, such as [1, 2, 5]"
    found = _row([value] if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else value, rule)
    if not found:
        raise ValueError(must(value, rule))
    return found


def _matrix(value: Any) -> tuple[tuple[float, ...], ...]:
    rule = "must be a matrix of numbers, a list of its rows, such as [[0, 1], [-4, -2]]"
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        value = [[value]]
    if isinstance(value, (str, dict)) or not isinstance(value, (Sequence, np.ndarray)) or not len(value):
        raise ValueError(must(value, rule))
    rows = tuple(_row(row, rule) for row in value)
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ValueError(f"its rows have {', '.join(str(len(row)) for row in rows)} entries, all must have as many")
    return rows


def _count(value: Any) -> int:
    found = plain(value)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ValueError(must(value, "must be a whole number, at least 1"))
    return found


def _states(value: Any) -> tuple[float, ...] | str:
    if isinstance(value, str) and value.strip() == STEADY:
        return STEADY
    return _row(value, "must be a list of numbers, one for every state, or steady")


def _nominal(value: Any) -> float | tuple[float, ...]:
    several = isinstance(value, (list, tuple, np.ndarray))
    found = _row(value, "") if several else (quantity(plain(value), ""),)
    if not all(x > 0 for x in found):
        raise ValueError(f"{shown(value)} must be greater than zero")
    return found if several else found[0]


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(must(value, "must be a list of names"))
    for name in value:
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(must(name, "must be a word of letters, digits and _ that does not begin with a digit"))
    return tuple(value)


if TYPE_CHECKING:
    Unit = str
    Plain = float
    Positive = float
    Damping = float
    Time = float
    Lead = float
    Frequency = float
    Rate = float
    Part = float
    Start = float | str
    Limits = tuple[float | None, float | None]
    Coefficients = tuple[float, ...]
    Matrix = tuple[tuple[float, ...], ...]
    Count = int
    States = tuple[float, ...] | str
    Names = tuple[str, ...]
    Nominal = float | tuple[float, ...]
else:
    Unit = Annotated[str, BeforeValidator(unit_field)]
    Plain, Positive, Damping = number(""), number("", positive=True), number("", least=0.0)
    Time, Lead = number("s", positive=True), number("s", least=0.0)
    Frequency, Rate = number("Hz", positive=True), number("1/s", positive=True)
    Part = Annotated[float, In(""), BeforeValidator(_part), WithJsonSchema(NUMBER)]
    Start = Annotated[Any, BeforeValidator(_start), WithJsonSchema(NUMBER | {"description": "number, or steady"})]
    Limits = Annotated[Any, BeforeValidator(_limits), WithJsonSchema(
        {"type": "array", "items": {"type": ["number", "string", "null"]}, "minItems": 2, "maxItems": 2})]
    Coefficients = Annotated[Any, BeforeValidator(_coefficients), WithJsonSchema(
        {"anyOf": [NUMBER, {"type": "array", "items": NUMBER, "minItems": 1}]})]
    Matrix = Annotated[Any, BeforeValidator(_matrix), WithJsonSchema(
        {"anyOf": [NUMBER, {"type": "array", "items": {"type": "array", "items": NUMBER}}]})]
    Count = Annotated[int, BeforeValidator(_count), WithJsonSchema({"type": "integer", "minimum": 1})]
    States = Annotated[Any, BeforeValidator(_states), WithJsonSchema({"anyOf": [{"const": STEADY}, {"type": "array", "items": NUMBER}]})]
    Names = Annotated[Any, BeforeValidator(_names), WithJsonSchema({"type": "array", "items": {"type": "string"}})]
    Nominal = Annotated[Any, BeforeValidator(_nominal), WithJsonSchema({"anyOf": [NUMBER, {"type": "array", "items": NUMBER}]})]
