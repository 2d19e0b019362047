"""Blocks with limits: saturation, dead band, limited rate."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..functions.formula import Formula, clipped, where
from .block_fields import STEADY, Limits, Positive, Start, Time
from .blocks import Block, Filter
from .declarations import Output, State


def at_limit(value: Formula, low: float | None, high: float | None) -> Formula:
    """1 above the upper limit, -1 below the lower one, else 0."""
    below = where(value < low, -1.0, 0.0) if low is not None else 0.0
    return where(value > high, 1.0, below) if high is not None else where(value < low, -1.0, 0.0)


class Saturation(Block):
    """The input within ``limits`` [low, high]; null where there is none. ``saturated``: 1 above, -1 below them, else 0."""
    kind: ClassVar[str] = "saturation"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "limits")
    sample: ClassVar[dict[str, Any]] = {"limits": (-1.0, 0.5)}
    limits: Limits

    def computed(self) -> Iterable[Output]:
        u = self.own("input")
        return (*super().computed(), Output("output", self.unit, clipped(u, *self.limits).node),
                Output("saturated", "", at_limit(u, *self.limits).node))


class DeadBand(Block):
    """Nothing while the input is within ``limits`` [low, high], beyond them the way from there."""
    kind: ClassVar[str] = "dead_band"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "limits")
    sample: ClassVar[dict[str, Any]] = {"limits": (-0.1, 0.2)}
    limits: Limits

    def computed(self) -> Iterable[Output]:
        u = self.own("input")
        return *super().computed(), Output("output", self.unit, (u - clipped(u, *self.limits)).node)


class RateLimit(Filter):
    """Follows the input no faster than ``rising`` and ``falling`` (as much, if left out), both per second:
    y' = (u - y) / tau within -falling and rising. It lags behind a slow input by ``time_constant`` tau [s]: without, y' would not be
    told where y = u. It begins with the input at the start."""
    kind: ClassVar[str] = "rate_limit"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "rising", "time_constant")
    sample: ClassVar[dict[str, Any]] = {"rising": 0.7, "falling": 0.4, "time_constant": 0.01}
    rising: Positive
    falling: Positive | None = None
    time_constant: Time
    start: Start = STEADY

    def states(self) -> Iterable[State]:
        return (State("output", self.unit, self.own("rate").node, self.rested(), self.nominal),)

    def computed(self) -> Iterable[Output]:
        falling = self.rising if self.falling is None else self.falling
        follow = (self.own("input") - self.own("output")) / self.time_constant
        return *super().computed(), Output("rate", "", clipped(follow, -falling, self.rising).node)
