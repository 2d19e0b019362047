"""The entry ``simulate:`` of a text model: what is wrong with its options."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import PureWindowsPath
from typing import Any

from ..functions.units import MOST, must, quantity, shown
from ..items.base import did_you_mean
from ..items.errors import OptionError
from ..items.synonyms import method_meant
from ..methods.integrators.choices import DOP853
from ..methods.method_option import MethodOption
from ..methods.output_rows import BOTH, listed_times
from ..methods.run_options import ACCURACY, OPTIONS, STARTS, accuracy_of
from ..methods.selection import COORDINATES, KINDS, choice, chosen, in_coordinates, in_joint_coordinates

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
    methods = {what: list(_choice(what, data[what])) for what in ("integrator", "formulation") if what in data}
    yield from (((what, *path), message) for what, found in methods.items() for path, message in found)
    if not any(methods.values()) and "coordinates" not in wrong:
        yield from _together(data, "accuracy" in data.keys() - wrong)
    if "step" in data and "accuracy" in data:
        yield ("accuracy",), "give step (fixed) or accuracy (steps are chosen), not both"
    if "output_step" in data and "output_times" in data:
        yield ("output_times",), BOTH
    if {"duration", "output_times"} <= data.keys() - wrong:
        try:
            listed_times(data["output_times"], seconds(data["duration"]))
        except ValueError as error:
            yield ("output_times",), str(error)
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


def _together(data: dict[str, Any], accuracy: bool) -> Iterator[Problem]:
    """Whether integrator, formulation and accuracy fit each other."""
    named = data.get("integrator")
    try:
        form = in_coordinates(data)
        method, _ = chosen(named, form, "step" in data)
    except OptionError as error:
        yield (error.option,), error.rule
        return
    if accuracy:
        if named is None and (form is None or in_joint_coordinates(form)):
            method = DOP853()  # or another one that reaches as much
        try:
            accuracy_of(data["accuracy"], method)
        except OptionError as error:
            yield (error.option,), error.rule


def _accuracy(value: Any) -> None:
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        raise ValueError(must(value, f"must be one of {', '.join(ACCURACY)} or a number"))
    try:
        accuracy_of(value, None)
    except OptionError as error:
        raise ValueError(error.rule) from None


def _flag(value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(must(value, "must be true or false"))


def _start(value: Any) -> None:
    if value not in STARTS:
        raise ValueError(must(value, f"must be one of {', '.join(STARTS)}"))


def _coordinates(value: Any) -> None:
    if value not in COORDINATES:
        raise ValueError(must(value, f"must be one of {', '.join(COORDINATES)}"))


def _out(value: Any) -> None:
    """A text comes from anyone: it names files below its own place only, never one of the user's elsewhere."""
    place = PureWindowsPath(text(value))  # knows both kinds of separators, and drives
    if not place.name or place.drive or place.root or ".." in place.parts or value.startswith("~"):
        raise ValueError(must(value, "must be the name of a file in this folder or below, such as run.h5; another place is given by "
                                     "-o on the command line or out= in Python"))


def _times(value: Any) -> None:
    listed_times(value, None)


CHECKS: dict[str, Callable[[Any], Any]] = {"duration": seconds, "step": seconds, "output_step": seconds, "output_times": _times,
                                           "accuracy": _accuracy, "record": _texts, "out": _out, "estimate": _flag,
                                           "output_events": _flag, "start": _start, "coordinates": _coordinates}


def _choice(what: str, value: Any) -> Iterator[Problem]:
    """What is wrong with a method, or with a part of one."""
    kinds = KINDS[what]
    given = {"kind": value} if isinstance(value, str) else value
    if not isinstance(given, dict):
        yield (), must(value, f"must be a mapping such as {{kind: {next(iter(kinds))}}}")
        return
    kind = given.get("kind")
    cls = kinds.get(str(kind).replace("_", "-"))
    if kind is None or cls is None:
        at = () if isinstance(value, str) else ("kind",)
        yield at, f"unknown kind {shown(kind)} of {what}{method_meant(str(kind), kinds)}" if kind is not None else (
            f"is missing{did_you_mean('', kinds)}")
        return
    known = [f.name for f in fields(cls)]
    wrong = {key: list(_parameter(cls, key, entry, known)) for key, entry in given.items() if key != "kind"}
    yield from (((key, *path), message) for key, found in wrong.items() for path, message in found)
    try:
        choice(what, {"kind": str(kind)} | {key: given[key] for key, found in wrong.items() if not found})
    except OptionError as error:
        yield (error.option,) if error.option in known else (), error.rule


def _parameter(cls: type[MethodOption], key: str, entry: Any, known: list[str]) -> Iterator[Problem]:
    """What is wrong with one entry of a method, as far as its form goes."""
    if key not in known:
        yield (), f"unknown key {shown(key)}{did_you_mean(key, known)}"
    elif key in KINDS:
        yield from _choice(key, entry) if entry is not None else ()  # no stabilization
    elif "each" in next(f.metadata for f in fields(cls) if f.name == key):
        yield from cls.wrong_for_joints(key, entry)
    elif not isinstance(entry, (int, float, str)) or isinstance(entry, bool):
        yield (), must(entry, "must be a number or a word; leave the key out for the usual value")
    elif not isinstance(entry, str) and abs(entry) > MOST:
        yield (), f"{shown(entry)} is too large, must be within {MOST:g}"
