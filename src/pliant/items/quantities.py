"""Numbers that may be written with a unit where an expression may stand as well."""
from __future__ import annotations

import re
from typing import Any, NamedTuple, get_args

import numpy as np
from pydantic import WrapValidator

from ..functions.field_error import FieldError
from ..functions.parameters import Measured, has_expressions


class In(NamedTuple):
    """Among the notes of a field's type: the unit of its numbers."""
    unit: str


class Axes(NamedTuple):
    """Among the notes of a field's type: in whose axes its vector, matrix or rotation is given. Documentation, schema and errors of the
    item say it."""
    which: str


def plain(x: Any) -> Any:
    """A number of NumPy as one of Python."""
    return x.item() if isinstance(x, np.generic) else x


def _open_point(value: Any, check: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) and has_expressions(value) else check(value)


OPEN_POINT = WrapValidator(_open_point)  # a point, or one of parameters
WORLD, BODY, FRAME_A = Axes("world axes"), Axes("body axes"), Axes("axes of frame a")


def axes_of(field: Any) -> str:
    """In whose axes a field is given, as its type says; empty where it has none."""
    return next((note.which for note in _notes(field) if isinstance(note, Axes) and note.which), "")


def unit_of(field: Any) -> str:
    """Of a field of an item, as its type says; empty where it has none."""
    return next((note.unit for note in _notes(field) if isinstance(note, In)), "")


def _notes(field: Any) -> list[Any]:
    notes, types = list(field.metadata), [field.annotation]
    for kind in types:  # a number or nothing: Annotated[...] | None
        notes += getattr(kind, "__metadata__", ())
        types += get_args(kind)
    return notes


def numbers_with_units(value: Any, units: dict[str, str]) -> Any:
    """Texts that are plain quantities become numbers, with their dimension checked; expressions stay."""
    if not isinstance(value, dict):
        return value
    return value | {field: with_unit(value[field], unit, field) for field, unit in units.items() if field in value}


def with_unit(given: Any, unit: str, field: str, *at: int) -> Any:
    """One of them; ``at``: its place in a list."""
    from ..functions.units import quantity
    if not isinstance(given, Measured) and not (isinstance(given, str) and _is_quantity(given)):
        return given
    try:
        return quantity(given, unit)
    except ValueError as error:
        raise FieldError(field, str(error), *at) from None


def _is_quantity(text: str) -> bool:
    """A number and perhaps a unit: nothing that needs the expression machine."""
    from ..functions.units import parse_unit
    match = re.fullmatch(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*(\S.*)?", text)
    if not match:
        return False
    try:
        if match[1]:
            parse_unit(match[1])
    except ValueError:
        return False
    return True
