"""A block of one's own, outside the package (docs/extending.md): a sensor that is slow and not linear."""
from collections.abc import Iterable
from typing import Any, ClassVar

from pliant.functions.formula import function
from pliant.items.block_fields import Plain, Time
from pliant.items.blocks import Filter
from pliant.items.declarations import Output, State


class SoftSensor(Filter):
    """tau z' = u - z, y = range tanh(z / range): ``time_constant`` tau [s], ``range``: what it never exceeds."""
    kind: ClassVar[str] = "soft_sensor"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "time_constant", "range")
    sample: ClassVar[dict[str, Any]] = {"time_constant": 0.1, "range": 2.0}
    time_constant: Time
    range: Plain

    def states(self) -> Iterable[State]:
        rate = (self.own("input") - self.own("slow")) / self.time_constant
        return (State("slow", self.unit, rate.node, self.rested(), self.nominal),)

    def computed(self) -> Iterable[Output]:
        y = self.range * function("tanh", self.own("slow") / self.range)
        return (*super().computed(), Output("output", self.unit, y.node))
