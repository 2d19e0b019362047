"""Fields that hold a function: a number, an expression, a table, or a Python function."""
from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from ..functions.expression import parse
from ..functions.table import Table
from ..functions.units import must, quantity, shown
from .base import plain


def _function(variables: tuple[str, ...]) -> Any:
    def check(value: Any) -> Any:
        if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
            return quantity(plain(value), "")
        if isinstance(value, str):
            parse(value, variables)
            return value
        if isinstance(value, dict) and set(value) == {"table"}:
            if not isinstance(value["table"], dict) or not {"x", "y"} <= set(value["table"]) <= {"x", "y", "kind"}:
                raise ValueError(f"table {shown(value['table'])} must have the entries x and y, lists of numbers, and may have kind")
            return Table(**value["table"])
        if callable(value) or isinstance(value, Table):
            return value
        raise ValueError(must(value, "must be a number, an expression such as '2 * t', or a table such as {table: {x: [0, 1], y: [0, 5]}}"))
    check.variables = variables  # type: ignore[attr-defined]
    return check


def _plain_function(value: Any) -> Any:
    if isinstance(value, Table):
        return {"table": {"x": value.x.tolist(), "y": value.y.tolist(), "kind": value.kind}}
    if callable(value):
        raise ValueError(f"{value!r} is a Python function and cannot be written to a file; use an expression or a Table")
    return value


_FUNCTION_SCHEMA = {"anyOf": [{"type": ["number", "string"]}, {"type": "object", "properties": {"table": {"type": "object"}},
                                                               "required": ["table"], "additionalProperties": False}]}
TimeFunction = Annotated[Any, BeforeValidator(_function(("t",))), PlainSerializer(_plain_function),
                         WithJsonSchema(_FUNCTION_SCHEMA | {"description": "function of t"})]
ForceLaw = Annotated[Any, BeforeValidator(_function(("t", "x", "v"))), PlainSerializer(_plain_function),
                     WithJsonSchema(_FUNCTION_SCHEMA | {"description": "function of t, x, v"})]
