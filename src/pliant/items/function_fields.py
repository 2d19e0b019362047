"""Fields that hold a function: a number, an expression, a table, or a Python function."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, get_args

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from ..functions.parser import KNOWN, parse
from ..functions.profiles import Profile
from ..functions.table import Table
from ..functions.units import must, quantity, shown
from .base import plain
from .declarations import JOINT_ACTIONS


def _function(variables: tuple[str, ...]) -> Any:
    def check(value: Any) -> Any:
        if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
            return quantity(plain(value), "")
        if isinstance(value, str):
            parse(value, variables, KNOWN.get())
            return value
        if isinstance(value, dict) and set(value) == {"table"}:
            if not isinstance(value["table"], dict) or not {"x", "y"} <= set(value["table"]) <= {"x", "y", "kind", "beyond"}:
                raise ValueError(f"table {shown(value['table'])} must have the entries x and y, lists of numbers, and may have kind and "
                                 "beyond")
            return Table(**value["table"])
        if isinstance(value, Profile):
            return value.expression
        if callable(value) or isinstance(value, Table):
            return value
        raise ValueError(must(value, "must be a number, an expression such as '2 * t', or a table such as {table: {x: [0, 1], y: [0, 5]}}"))
    check.variables = variables  # type: ignore[attr-defined]
    return check


def _plain_function(value: Any) -> Any:
    if isinstance(value, Table):
        return {"table": value.plain()}
    if callable(value):
        raise ValueError(f"{value!r} is a Python function and cannot be written to a file; use an expression or a Table")
    return value


_FUNCTION_SCHEMA = {"anyOf": [{"type": ["number", "string"]}, {"type": "object", "properties": {"table": {"type": "object"}},
                                                               "required": ["table"], "additionalProperties": False}]}
TimeFunction = Annotated[Any, BeforeValidator(_function(("t",))), PlainSerializer(_plain_function),
                         WithJsonSchema(_FUNCTION_SCHEMA | {"description": "function of t"})]
ForceLaw = Annotated[Any, BeforeValidator(_function(("t", "x", "v"))), PlainSerializer(_plain_function),
                     WithJsonSchema(_FUNCTION_SCHEMA | {"description": "function of t, x, v"})]


def _expression(value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(quantity(value, ""))
    if not isinstance(value, str):
        raise ValueError(must(value, "must be an expression such as '2 * A.angle'"))
    parse(value, ("t",), KNOWN.get())
    return value


_expression.variables = ("t",)  # type: ignore[attr-defined]
Expression = Annotated[str, BeforeValidator(_expression),
                       WithJsonSchema({"type": ["number", "string"], "description": "expression of t and channels"})]


def functions(item: Any) -> Iterator[tuple[tuple[Any, ...], str, tuple[str, ...]]]:
    """(path, expression, its variables) of all functions of an item that are given as text."""
    for name, field in type(item).model_fields.items():
        value, own = getattr(item, name), _variables(field.metadata)
        if name in getattr(type(item), "expressions", ()):
            yield from ((path, text, ("t",)) for path, text in _texts((name,), value))
            continue
        if own and isinstance(value, str):
            yield (name,), value, own
        elif isinstance(value, tuple):
            for k, (entry, kind) in enumerate(zip(value, kinds_of(field, len(value)), strict=False)):
                inner = _variables(getattr(kind, "__metadata__", ()))
                if inner and isinstance(entry, str):
                    yield (name, k), entry, inner
        elif isinstance(value, dict):  # parts with functions of their own
            for key, part in value.items():
                if hasattr(type(part), "model_fields"):
                    yield from (((name, key, *path), text, variables) for path, text, variables in functions(part))


def _texts(path: tuple[Any, ...], value: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
    """All texts in lists and mappings, but for the names of joints that actions are on."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict) and set(value) & set(JOINT_ACTIONS):
        return
    elif isinstance(value, (dict, list, tuple)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts((*path, key), inner)


def kinds_of(field: Any, count: int) -> tuple[Any, ...]:
    """Types of the entries of a field that is a list of so many; () where they are not known."""
    kinds = get_args(field.annotation)
    return kinds[:1] * count if kinds[1:] == (...,) else kinds


def _variables(metadata: Any) -> tuple[str, ...]:
    """Of a field that holds a function; () for other fields."""
    return next((m.func.variables for m in metadata if hasattr(getattr(m, "func", None), "variables")), ())
