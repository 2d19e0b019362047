"""Blocks: what computes signals from signals, with or without states. Their outputs are channels and names in expressions."""
from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator

from ..functions.formula import Formula, of
from ..functions.units import must, parse_unit
from .base import Item, number
from .declarations import Channel, Given, Output, State
from .function_fields import TimeFunction

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement


def _unit(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(must(value, "must be a unit such as m/s"))
    parse_unit(value)
    return value


if TYPE_CHECKING:
    Unit = str
    Plain = float
    Positive = float
    Time = float
else:
    Unit = Annotated[str, BeforeValidator(_unit)]
    Plain, Positive, Time = number(""), number("", positive=True), number("s", positive=True)


def _values(name: str, observer: Any, item: str) -> np.ndarray:
    """Of a signal of an item over the rows of a run."""
    return np.asarray(observer.signal(f"{item}.{name}"))


class Computes(Item):
    """An item with states and outputs: all of them are channels."""
    listed: ClassVar[int] = 7
    mirrors: ClassVar[bool] = True

    def build(self, layout: ModelCompiler) -> None:
        """Its states and outputs are all there is."""

    def own(self, name: str) -> Formula:
        """One of its states or outputs, in a formula."""
        return of(f"{self.name}.{name}")

    def channels(self) -> Iterable[Channel]:
        return [Channel(name, unit, 1, partial(_values, name)) for name, unit in self.signals()]


class Block(Computes):
    """``input``: a number, an expression of t and channels, a Table of t or a callable f(t); ``unit`` of the output, for plots and
    tables."""
    section: ClassVar[str] = "blocks"
    positional: ClassVar[tuple[str, ...]] = ("name", "input")
    input: TimeFunction
    unit: Unit = ""

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        return fields

    def outputs(self) -> Iterable[Output]:
        return (Output("input", "", self.input),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", "2*J.angle_rate + sin(t)")]


class Input(Computes):
    """A free input of a linear model: a number in runs, ``value``."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "input"
    positional: ClassVar[tuple[str, ...]] = ("name", "value")
    value: Plain = 0.0
    unit: Unit = ""

    def outputs(self) -> Iterable[Output]:
        return (Output("output", self.unit, Given(self.value)),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("block", 2.0)]


class Integral(Block):
    """z' = input; ``start``: z at the start, ``nominal``: the size of z that errors are measured in."""
    kind: ClassVar[str] = "integral"
    start: Plain = 0.0
    nominal: Positive = 1.0

    def states(self) -> Iterable[State]:
        return (State("output", self.unit, self.own("input").node, self.start, self.nominal),)


class LowPass(Block):
    """tau z' = input - z, of first order: ``time_constant`` tau [s]."""
    kind: ClassVar[str] = "low_pass"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "time_constant")
    time_constant: Time
    start: Plain = 0.0
    nominal: Positive = 1.0

    def states(self) -> Iterable[State]:
        rate = (self.own("input") - self.own("output")) / self.time_constant
        return (State("output", self.unit, rate.node, self.start, self.nominal),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", "2*J.angle_rate + sin(t)", 0.3)]
