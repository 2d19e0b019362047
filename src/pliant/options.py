"""The entry ``simulate:`` of a text model: what is wrong with its options."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from .dynamics import ModelError
from .functions.units import MOST, must, quantity, shown
from .integrators.generalized_alpha import INTEGRATORS, GeneralizedAlpha
from .items.base import did_you_mean
from .simulation import ACCURACY, OPTIONS, STARTS, accuracy_of, integrator_of

ROWS = 10_000_000  # of output
Problem = tuple[tuple[Any, ...], str]


def problems(data: dict[str, Any], keys: list[str]) -> Iterator[Problem]:
    """(path, message) of everything that is wrong with the options that have a value, and with the names of all."""
    for key in keys:
        if key not in OPTIONS:
            yield (key,), f"unknown option {shown(key)}{did_you_mean(key, OPTIONS)}"
    wrong = set()
    for key, check in CHECKS.items():
        if key in data:
            try:
                check(data[key])
            except ValueError as error:
                wrong.add(key)
                yield (key,), str(error)
    if "integrator" in data:
        yield from ((("integrator", *path), message) for path, message in _integrator(data["integrator"]))
    if "step" in data and "accuracy" in data:
        yield ("accuracy",), "give step (fixed) or accuracy (steps are chosen), not both"
    if {"duration", "output_step"} <= data.keys() - wrong:
        duration, distance = seconds(data["duration"]), seconds(data["output_step"])
        if duration > ROWS * distance:
            yield ("output_step",), f"{distance:g} s makes more than {ROWS:g} rows in {duration:g} s; choose a larger one"


def seconds(value: Any) -> float:
    """A time above zero."""
    x = quantity(value, "s")
    if not x > 0:
        raise ValueError(f"{value if isinstance(value, str) else shown(value)} must be greater than zero")
    return x


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ValueError(f"{must(value, 'must be a text')}; put it in quotes")
    return value


def _texts(value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ValueError(must(value, "must be a list of channel patterns, such as ['crank.*']"))


def _accuracy(value: Any) -> None:
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        raise ValueError(must(value, f"must be one of {', '.join(ACCURACY)} or a number"))
    try:
        accuracy_of(value)
    except ModelError as error:
        raise ValueError(str(error).removeprefix("simulate: accuracy ")) from None


def _flag(value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(must(value, "must be true or false"))


def _start(value: Any) -> None:
    if value not in STARTS:
        raise ValueError(must(value, f"must be one of {', '.join(STARTS)}"))


CHECKS: dict[str, Callable[[Any], Any]] = {"duration": seconds, "step": seconds, "output_step": seconds, "accuracy": _accuracy,
                                           "record": _texts, "out": text, "estimate": _flag, "start": _start}


def integrator(value: Any) -> GeneralizedAlpha:
    """The method that ``integrator:`` of a text stands for."""
    value = {"kind": value} if isinstance(value, str) else value
    return integrator_of({**value, "kind": value["kind"].replace("_", "-")})


def _integrator(value: Any) -> Iterator[Problem]:
    given = {"kind": value} if isinstance(value, str) else value
    if not isinstance(given, dict):
        yield (), must(value, f"must be a mapping such as {{kind: {next(iter(INTEGRATORS))}}}")
        return
    kind = given.get("kind")
    cls = INTEGRATORS.get(str(kind).replace("_", "-"))
    if kind is None or cls is None:
        at = () if isinstance(value, str) else ("kind",)
        yield at, f"unknown kind {shown(kind)} of integrator{did_you_mean(str(kind), INTEGRATORS)}" if kind is not None else (
            f"is missing{did_you_mean('', INTEGRATORS)}")
        return
    known = [f.name for f in fields(cls)]
    good: dict[str, Any] = {"kind": str(kind)}
    for key, entry in given.items():
        if key not in known:
            if key != "kind":
                yield (key,), f"unknown key {shown(key)}{did_you_mean(key, known)}"
        elif not isinstance(entry, (int, float, str)) or isinstance(entry, bool):
            yield (key,), must(entry, "must be a number or a word; leave the key out for the usual value")
        elif not isinstance(entry, str) and abs(entry) > MOST:
            yield (key,), f"{shown(entry)} is too large, must be within {MOST:g}"
        else:
            good[key] = entry
    try:
        integrator(good)
    except ModelError as error:  # such as "simulate: GeneralizedAlpha: rho = 2, must be ..."
        told = str(error).removeprefix("simulate: ").removeprefix(f"{cls.__name__}: ")
        found = re.match(r"(\w+) = (.*)", told, re.DOTALL)
        if found and found[1] in known:
            yield (found[1],), found[2]
        else:
            yield (), told
