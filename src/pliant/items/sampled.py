"""Blocks that work at instants: sampled signals, relays and other discrete states, random numbers, delays."""
from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema, model_validator

from ..functions.field_error import FieldError
from ..functions.formula import Formula, function, where
from ..functions.units import must
from .base import Item, number
from .blocks import Block, Computes, Plain, Positive, Time, Unit
from .declarations import Held, Lag, Latch, Memory, Output, Random


def _seed(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**31:
        raise ValueError(must(value, "must be a whole number from 0 to 2147483647"))
    return int(value)


if TYPE_CHECKING:
    NotNegative = float
    Seed = int
else:
    NotNegative = number("", least=0.0)
    Seed = Annotated[int, BeforeValidator(_seed), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 2**31 - 1})]


def sequence(seed: int, name: str) -> int:
    """The key of a sequence of random numbers."""
    return int.from_bytes(sha256(f"{seed} {name}".encode()).digest()[:6], "big")


def quantized(value: Formula, step: float) -> Formula:
    """The nearest multiple of a step; upwards from the middle."""
    return step * function("floor", value / step + 0.5)


class Sample(Block):
    """The input at the ticks t_0 + k ``period`` [s], held in between."""
    kind: ClassVar[str] = "sample"
    sample: ClassVar[dict[str, Any]] = {"period": 0.01}
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "period")
    period: Time

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Held("output", self.unit, self.own("input").node, self.period),)


class UnitDelay(Block):
    """The input of the tick before; ``start``: what it gives until the second one."""
    kind: ClassVar[str] = "unit_delay"
    sample: ClassVar[dict[str, Any]] = {"period": 0.01}
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "period")
    period: Time
    start: Plain = 0.0

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Memory("output", self.unit, self.own("input").node, self.period, self.start),)


class Quantize(Block):
    """The nearest multiple of ``step``."""
    kind: ClassVar[str] = "quantize"
    sample: ClassVar[dict[str, Any]] = {"step": 0.1}
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "step")
    step: Positive

    def computed(self) -> Iterable[Output]:
        return (*super().computed(), Output("output", self.unit, quantized(self.own("input"), self.step).node))


class Relay(Block):
    """``high`` once the input is above ``on``, ``low`` once it is below ``off``, in between as it was; ``start``: whether it is on."""
    kind: ClassVar[str] = "relay"
    sample: ClassVar[dict[str, Any]] = {"on": 0.2, "off": -0.1}
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
        return (Latch("state", "", value.node, float(self.start), ("switches off", "switches on")),)

    def computed(self) -> Iterable[Output]:
        return (*super().computed(), Output("output", self.unit, (self.low + (self.high - self.low) * self.own("state")).node))


class Noise(Computes):
    """Normal random numbers with standard deviation ``deviation`` about ``mean``, a new one at every tick of the ``period`` [s]. They
    follow from ``seed`` and the name alone: the same in every run, whatever its steps are, and after a resume."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "noise"
    positional: ClassVar[tuple[str, ...]] = ("name", "deviation", "period", "seed")
    deviation: NotNegative
    period: Time
    seed: Seed = 0
    mean: Plain = 0.0
    unit: Unit = ""

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Held("unit_noise", "", Random(sequence(self.seed, self.name)), self.period),)

    def computed(self) -> Iterable[Output]:
        return (Output("output", self.unit, (self.mean + self.deviation * self.own("unit_noise")).node),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("block", 0.1, 0.01, 3)]


class Delay(Block):
    """The input as it was ``delay`` [s] before; ``before``: what it gives until then, the input at the start if left out. Steps are not
    longer than the delay and end where a jump of the input comes back; `Pade` is a delay with states, for linear models."""
    kind: ClassVar[str] = "delay"
    sample: ClassVar[dict[str, Any]] = {"delay": 0.05}
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "delay")
    delay: Time
    before: Plain | None = None

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Lag("output", self.unit, f"{self.name}.input", self.delay, self.before),)
