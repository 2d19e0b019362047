"""Blocks: what computes signals from signals, with or without states. Their outputs are channels and names in expressions."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import field_validator

from ..functions.formula import Formula, of
from ..functions.units import must, parse_unit
from .base import Item, number
from .declarations import Channel, Output, State
from .function_fields import TimeFunction

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .placing import Placement


def signal_values(observer: Any, reference: str) -> np.ndarray:
    """Of a signal over the rows of a run."""
    return np.asarray(observer.signal(reference))


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
        for found in (*self.states(), *self.outputs()):
            yield Channel(found.name, found.unit, 1, lambda observer, item, name=found.name: signal_values(observer, f"{item}.{name}"))


class Block(Computes):
    """``input``: a number, an expression of t and channels, a Table of t or a callable f(t); ``unit`` of the output, for plots and
    tables."""
    section: ClassVar[str] = "blocks"
    positional: ClassVar[tuple[str, ...]] = ("name", "input")
    input: TimeFunction
    unit: str = ""

    @field_validator("unit", mode="before")
    @classmethod
    def _unit(cls, value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError(must(value, "must be a unit such as m/s"))
        parse_unit(value)
        return value

    def placed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any]:
        return fields

    def outputs(self) -> Iterable[Output]:
        return (Output("input", "", self.input),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", "2*J.angle_rate + sin(t)")]


class Integral(Block):
    """z' = input; ``start``: z at the start, ``nominal``: the size of z that errors are measured in."""
    kind: ClassVar[str] = "integral"
    start: number("") = 0.0
    nominal: number("", positive=True) = 1.0

    def states(self) -> Iterable[State]:
        return (State("output", self.unit, self.own("input").node, self.start, self.nominal),)


class LowPass(Block):
    """tau z' = input - z, of first order: ``time_constant`` tau [s]."""
    kind: ClassVar[str] = "low_pass"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "time_constant")
    time_constant: number("s", positive=True)
    start: number("") = 0.0
    nominal: number("", positive=True) = 1.0

    def states(self) -> Iterable[State]:
        rate = (self.own("input") - self.own("output")) / self.time_constant
        return (State("output", self.unit, rate.node, self.start, self.nominal),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", "2*J.angle_rate + sin(t)", 0.3)]
