"""Blocks that work at instants: sampled signals, relays and other discrete states."""
from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import function, where
from .blocks import Block, Plain, Positive, Time
from .declarations import Held, Lag, Latch, Memory, Output


class Sample(Block):
    """The input at the ticks t_0 + k ``period`` [s], held in between."""
    kind: ClassVar[str] = "sample"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "period")
    period: Time

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Held("output", self.unit, self.own("input").node, self.period),)


class UnitDelay(Block):
    """The input of the tick before; ``start``: what it gives until the second one."""
    kind: ClassVar[str] = "unit_delay"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "period")
    period: Time
    start: Plain = 0.0

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Memory("output", self.unit, self.own("input").node, self.period, self.start),)


class Quantize(Block):
    """The nearest multiple of ``step``."""
    kind: ClassVar[str] = "quantize"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "step")
    step: Positive

    def outputs(self) -> Iterable[Output]:
        rounded = self.step * function("floor", self.own("input") / self.step + 0.5)
        return (*super().outputs(), Output("output", self.unit, rounded.node))


class Relay(Block):
    """``high`` once the input is above ``on``, ``low`` once it is below ``off``, in between as it was; ``start``: whether it is on."""
    kind: ClassVar[str] = "relay"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "on", "off")
    on: Plain
    off: Plain
    high: Plain = 1.0
    low: Plain = 0.0
    start: bool = False

    @model_validator(mode="after")
    def _hysteresis(self) -> Relay:
        if not self.off < self.on:
            raise FieldError("off", f"{self.off:g} must be below on, {self.on:g}: without a distance it switches without end")
        return self

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        u, d = self.own("input"), self.own("state")
        value = where(d > 0.5, where(u < self.off, 0.0, 1.0), where(u > self.on, 1.0, 0.0))
        return (Latch("state", "", value.node, float(self.start)),)

    def outputs(self) -> Iterable[Output]:
        return (*super().outputs(), Output("output", self.unit, (self.low + (self.high - self.low) * self.own("state")).node))


class Delay(Block):
    """The input as it was ``delay`` [s] before; ``before``: what it gives until then, the input at the start if left out. Steps are not
    longer than the delay and end where a jump of the input comes back; `Pade` is a delay with states, for linear models."""
    kind: ClassVar[str] = "delay"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "delay")
    delay: Time
    before: Plain | None = None

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Lag("output", self.unit, f"{self.name}.input", self.delay, self.before),)
