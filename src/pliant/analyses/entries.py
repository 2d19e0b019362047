"""The options of static, path, modes, linearize, inverse and campbell, which are also entries of a text model: checks, and their schema."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..functions.units import must, quantity, shown
from ..items.base import did_you_mean, near_miss
from ..items.errors import ModelError, OptionError

ENTRIES = {"static": ("load_steps", "tolerance"), "path": ("loads", "until", "stride", "points"), "modes": ("n", "state"),
           "linearize": ("inputs", "outputs", "state"), "inverse": ("wanted", "inputs", "duration", "tolerance"),
           "campbell": ("speeds", "n", "about")}
STATES = ("assembled", "static", "steady")
MOST = 2000            # speeds
SPEEDS = "must be a list of speeds such as [0, 50, 100] or [0 rpm, 500 rpm], or first:last:count such as 0:300:31"
TOLERANCE = 1e-10      # of equilibrium: unbalanced forces, relative to the largest force


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
            yield (key,), error.rule if isinstance(error, OptionError) else str(error)


def static_options(given: dict[str, Any]) -> dict[str, Any]:
    """Options of `static`; ModelError names the wrong one."""
    steps, tolerance = given.get("load_steps"), given.get("tolerance")
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or not 1 <= steps <= 10_000):
        raise OptionError("load_steps", must(steps, "must be a whole number from 1 to 10000"), "static: load_steps = ")
    if tolerance is not None:
        try:
            tolerance = quantity(tolerance, "")
        except ValueError as error:
            raise OptionError("tolerance", str(error), "static: tolerance: ") from None
        if not 1e-14 <= tolerance <= 1e-3:
            raise OptionError("tolerance", f"{tolerance:g} must be between 1e-14 and 1e-3", "static: tolerance = ")
    return {"load_steps": steps, "tolerance": TOLERANCE if tolerance is None else tolerance}


def path_options(given: dict[str, Any]) -> dict[str, Any]:
    """Options of `path`; ModelError names the wrong one."""
    return {key: PATH[key][1](given[key]) if given.get(key) is not None else PATH[key][0] for key in ENTRIES["path"]}


def _loads(value: Any) -> list[str]:
    words = [value] if isinstance(value, str) else list(value) if isinstance(value, (list, tuple)) else []
    if not words or not all(isinstance(v, str) for v in words):
        raise OptionError("loads", must(value, "must be a list of names of forces and torques, such as [push]"), "path: loads = ")
    return words


def _above_zero(key: str, most: float) -> Callable[[Any], float]:
    def check(value: Any) -> float:
        try:
            x = quantity(value, "")
        except ValueError as error:
            raise OptionError(key, str(error), f"path: {key}: ") from None
        if not 0 < x <= most:
            raise OptionError(key, must(value, f"must be greater than zero and at most {most:g}"), f"path: {key} = ")
        return x
    return check


def _points(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 2 <= value <= 100_000:
        raise OptionError("points", must(value, "must be a whole number from 2 to 100000"), "path: points = ")
    return int(value)


PATH: dict[str, tuple[Any, Callable[[Any], Any]]] = {  # default and check
    "loads": (None, _loads), "until": (1.0, _above_zero("until", 1e12)), "stride": (0.1, _above_zero("stride", 1.0)),
    "points": (200, _points)}


def number_of(n: Any, what: str = "modes") -> int | None:
    """How many modes."""
    if n is not None and (isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1):
        raise OptionError("n", must(n, "must be a whole number above zero"), f"{what}: n = ")
    return None if n is None else int(n)


def speeds_of(value: Any) -> np.ndarray:
    """Speeds [rad/s], ascending: a list of numbers or of texts with units, or "first:last:count"."""
    if isinstance(value, str):
        words = [word.strip() for word in value.split(":" if ":" in value else ",")]
    else:
        words = [x.item() if isinstance(x, np.generic) else x for x in value] if isinstance(value, (list, tuple, np.ndarray)) else []
    ranged = isinstance(value, str) and ":" in value
    if not words or (ranged and (len(words) != 3 or not words[2].isdigit() or not 2 <= int(words[2]) <= MOST)):
        raise OptionError("speeds", must(value, SPEEDS), "campbell: speeds = ")
    try:
        found = np.array([quantity(x, "rad/s") for x in (words[:2] if ranged else words)])
    except ValueError as error:
        raise OptionError("speeds", f"{error}; they {SPEEDS}", "campbell: speeds: ") from None
    if found.size > MOST:
        raise OptionError("speeds", f"{found.size} speeds, there must be at most {MOST}", "campbell: speeds: ")
    return np.linspace(found[0], found[1], int(words[2])) if ranged else np.unique(found)


def wanted_of(value: Any) -> dict[str, Any]:
    """Outputs and their motions."""
    if not isinstance(value, dict) or not value or not all(isinstance(k, str) for k in value):
        raise OptionError("wanted", must(value, "must be outputs and their motions, such as {arm.tip.position.x: 0.1*sin(t)}"),
                          "inverse: wanted = ")
    return value


def duration_of(value: Any) -> float:
    """Of a motion [s]."""
    try:
        T = quantity(value, "s")
    except ValueError as error:
        raise OptionError("duration", str(error), "inverse: duration: ") from None
    if not 0 < T < np.inf:
        raise OptionError("duration", must(value, "must be a time greater than zero"), "inverse: duration = ")
    return T


def _joint(value: Any) -> None:
    if not isinstance(value, str):
        raise ModelError(must(value, "must be the name of a joint"))


def _state(value: Any) -> None:
    if value not in STATES:
        near = near_miss(value, STATES) if isinstance(value, str) else ""
        raise ModelError(must(value, f"must be one of {', '.join(STATES)}") + near)


def _names(value: Any) -> None:
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise ModelError(must(value, "must be a list of names, such as [crank.position.x]"))


CHECKS: dict[str, Callable[[Any], Any]] = {
    "load_steps": lambda value: static_options({"load_steps": value}), "tolerance": lambda value: static_options({"tolerance": value}),
    "n": number_of, "state": _state, "speeds": speeds_of, "about": _joint, "inputs": _names, "outputs": _names,
    "wanted": wanted_of, "duration": duration_of, **{key: check for key, (_, check) in PATH.items()}}


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema of the entries."""
    names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    above = {"type": "number", "exclusiveMinimum": 0}
    options = {"loads": {"anyOf": [{"type": "string"}, names]}, "until": above, "stride": above | {"maximum": 1},
               "points": {"type": "integer", "minimum": 2, "maximum": 100_000},
               "load_steps": {"type": "integer", "minimum": 1, "maximum": 10_000}, "tolerance": {"type": "number"},
               "n": {"type": "integer", "minimum": 1}, "state": {"enum": list(STATES)}, "inputs": names, "outputs": names,
               "speeds": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": ["number", "string"]}, "minItems": 1}]},
               "about": {"type": "string"}, "wanted": {"type": "object", "minProperties": 1, "additionalProperties": {
                   "type": ["number", "string"]}}, "duration": {"type": ["number", "string"]}}
    return {entry: {"type": ["object", "null"], "properties": {k: options[k] for k in keys}, "additionalProperties": False}
            for entry, keys in ENTRIES.items()}
