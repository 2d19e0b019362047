"""Blocks: what computes signals from signals, with or without states. Their outputs are channels and names in expressions."""
from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import Formula, of, where
from ..functions.units import shown
from .base import Item
from .block_fields import STEADY, Limits, Start, Unit
from .block_fields import Plain as Plain
from .block_fields import Positive as Positive
from .block_fields import Time as Time
from .declarations import Channel, Given, Output, State
from .function_fields import TimeFunction

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler


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
    sample: ClassVar[dict[str, Any]] = {}  # what its example needs besides
    input: TimeFunction
    unit: Unit = ""

    def computed(self) -> Iterable[Output]:
        return (Output("input", "", self.input),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", "2*J.angle_rate + sin(t)", **cls.sample)]


class Input(Computes):
    """A free input of a linear model: a number in runs, ``value``."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "input"
    positional: ClassVar[tuple[str, ...]] = ("name", "value", "unit")
    value: Plain = 0.0
    unit: Unit = ""

    def computed(self) -> Iterable[Output]:
        return (Output("output", self.unit, Given(self.value)),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("block", 2.0)]


class Integral(Block):
    """z' = input; with ``limits`` [low, high] it stops there, and goes on when the input turns back. ``start``: z at the start,
    ``nominal``: the size of z that errors are measured in."""
    kind: ClassVar[str] = "integral"
    limits: Limits | None = None
    start: Plain = 0.0
    nominal: Positive = 1.0

    @model_validator(mode="after")
    def _starts_inside(self) -> Integral:
        low, high = self.limits or (None, None)
        if (low is not None and self.start < low) or (high is not None and self.start > high):
            raise FieldError("start", f"{self.start:g} must be within the limits {shown([low, high])}")
        return self

    def states(self) -> Iterable[State]:
        rate, z = self.own("input"), self.own("output")
        low, high = self.limits or (None, None)
        if low is not None:
            rate = where((z <= low) & (self.own("input") < 0), 0.0, rate)
        if high is not None:
            rate = where((z >= high) & (self.own("input") > 0), 0.0, rate)
        return (State("output", self.unit, rate.node, self.start, self.nominal),)


class Filter(Block):
    """A block that rests when its input does. ``start``: the constant input that it had until the start, or "steady": the input at the
    start. ``nominal``: the size of the output that errors are measured in."""
    start: Start = 0.0
    nominal: Positive = 1.0

    def rested(self, factor: float = 1.0) -> Any:
        """The start of a state that is ``factor`` times a constant input."""
        return (factor * self.own("input")).node if self.start == STEADY else factor * float(self.start)

    def lagging(self, name: str, time_constant: float) -> State:
        """A state z of it with tau z' = u - z."""
        rate = (self.own("input") - self.own(name)) / time_constant
        return State(name, self.unit, rate.node, self.rested(), self.nominal)
