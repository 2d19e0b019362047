"""The entries ``static:``, ``modes:`` and ``linearize:`` of a text model: what is wrong with their options, and their schema."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..dynamics import ModelError
from ..functions.units import must, shown
from ..items.base import did_you_mean
from .modes import MODES, number_of
from .states import STATES
from .statics import STATIC, checked
from .transfer import LINEARIZE

ENTRIES = {"static": STATIC, "modes": MODES, "linearize": LINEARIZE}


def problems(entry: str, data: dict[str, Any], keys: list[str]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """(path, message) of everything that is wrong with the options that have a value, and with the names of all."""
    for key in keys:
        if key not in ENTRIES[entry]:
            yield (key,), f"unknown option {shown(key)}{did_you_mean(key, ENTRIES[entry])}"
    for key, value in data.items():
        try:
            if key in CHECKS:
                CHECKS[key](value)
        except ValueError as error:
            told = str(error).removeprefix(f"{entry}: ").removeprefix(key).removeprefix(" = ").removeprefix(": ")
            yield (key,), told


def _state(value: Any) -> None:
    if value not in STATES:
        near = did_you_mean(value, STATES) if isinstance(value, str) else ""
        raise ModelError(must(value, f"must be one of {', '.join(STATES)}") + near * near.startswith("; did"))


def _names(value: Any) -> None:
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise ModelError(must(value, "must be a list of names, such as [crank.position.x]"))


CHECKS: dict[str, Callable[[Any], Any]] = {
    "load_steps": lambda value: checked({"load_steps": value}), "tolerance": lambda value: checked({"tolerance": value}),
    "n": number_of, "state": _state, "inputs": _names, "outputs": _names}


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema of the entries."""
    names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    options = {"load_steps": {"type": "integer", "minimum": 1, "maximum": 10_000}, "tolerance": {"type": "number"},
               "n": {"type": "integer", "minimum": 1}, "state": {"enum": list(STATES)}, "inputs": names, "outputs": names}
    return {entry: {"type": ["object", "null"], "properties": {k: options[k] for k in keys}, "additionalProperties": False}
            for entry, keys in ENTRIES.items()}
