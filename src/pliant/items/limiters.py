"""Blocks with limits: saturation, dead band, backlash, limited rate."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..functions.formula import Formula, clipped, function, where
from .block_fields import STEADY, Limits, Plain, Positive, Start, Time
from .blocks import Block, Filter
from .declarations import Held, Lag, Latch, Memory, Output, Play, RateOf, State

SLACK, ROUNDING = 1e-12, 1e-14  # of the width, and of the output: less is no contact
CREEP = 1e-8                    # widths, and widths per second: less than that back is rest, and its sign that of rounding


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


class Backlash(Block):
    """Play of ``width`` w: y = u - w/2 while the input u pushes it up, u + w/2 while it pushes it down; when u turns back, y stays where it
    is until u has crossed the gap. ``start``: y before the start; if u is more than w/2 away, it has pushed y along. ``side``: 1 and -1 on
    contact, 0 in the gap. It is located where u turns back, u' = 0, and where it comes into contact; so u' must be a signal: u is of
    positions, states and t."""
    kind: ClassVar[str] = "backlash"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "width")
    sample: ClassVar[dict[str, Any]] = {"width": 0.1}
    width: Positive
    start: Plain = 0.0

    def computed(self) -> Iterable[Output]:
        u, side, half, reach = self.own("input"), self.own("side"), self.width / 2, self._reach()
        free = function("min", function("max", self.own("held"), u - reach), u + reach)
        y = where(side > 0.5, u - half, where(side < -0.5, u + half, free))
        return (*super().computed(), Output("input_rate", "", RateOf(f"{self.name}.input")), Output("output", self.unit, y.node))

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag | Play]:
        u, rate, held, side, half, reach = *map(self.own, ("input", "input_rate", "held", "side")), self.width / 2, self._reach()
        creep = CREEP * self.width
        up = where((rate < -creep) | (u - half < held - creep), 0.0, 1.0)  # or the input has jumped back
        down = where((rate > creep) | (u + half > held + creep), 0.0, -1.0)
        free = where(u - reach > held, 1.0, where(u + reach < held, -1.0, 0.0))
        value = where(side > 0.5, up, where(side < -0.5, down, free))
        return Play("held", self.unit, f"{self.name}.input", half, f"{self.name}.side", self.start), Latch("side", "", value.node)

    def _reach(self) -> Formula:
        """How far the input goes from the output that it does not move: a little more than w/2, or rounding would be contact."""
        return self.width * (0.5 + SLACK) + ROUNDING * function("sqrt", self.own("held") ** 2)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Any]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", "2*J.angle + sin(t)", **cls.sample)]


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
