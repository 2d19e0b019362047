"""Filters of first and second order, and the sensor. In their formulas u is the input, y the output, s = d/dt."""
from __future__ import annotations

from collections.abc import Iterable
from math import pi
from typing import Any, ClassVar

from .block_fields import STEADY, Damping, Frequency, Lead, Part, Plain, Start, Time
from .blocks import Filter
from .declarations import Output, State


class LowPass(Filter):
    """tau y' = u - y, of first order: ``time_constant`` tau [s]."""
    kind: ClassVar[str] = "low_pass"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "time_constant")
    sample: ClassVar[dict[str, Any]] = {"time_constant": 0.3}
    time_constant: Time

    def states(self) -> Iterable[State]:
        rate = (self.own("input") - self.own("output")) / self.time_constant
        return (State("output", self.unit, rate.node, self.rested(), self.nominal),)


class SecondOrder(Filter):
    """y'' + 2 zeta w y' + w^2 y = w^2 u, w = 2 pi f: ``frequency`` f [Hz], ``zeta`` the damping ratio."""
    kind: ClassVar[str] = "second_order"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "frequency", "zeta")
    sample: ClassVar[dict[str, Any]] = {"frequency": 2.0, "zeta": 0.3}
    frequency: Frequency
    zeta: Damping

    def states(self) -> Iterable[State]:
        w, y, rate = 2 * pi * self.frequency, self.own("output"), self.own("rate")
        pull = w**2 * (self.own("input") - y) - 2 * self.zeta * w * rate
        return (State("output", self.unit, rate.node, self.rested(), self.nominal), State("rate", "", pull.node, 0.0, w * self.nominal))


class LeadLag(Filter):
    """y = (1 + T1 s) / (1 + T2 s) u: ``lead`` T1, ``lag`` T2 [s]."""
    kind: ClassVar[str] = "lead_lag"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "lead", "lag")
    sample: ClassVar[dict[str, Any]] = {"lead": 0.5, "lag": 0.1}
    lead: Lead
    lag: Time

    def states(self) -> Iterable[State]:
        rate = (self.own("input") - self.own("lagged")) / self.lag
        return (State("lagged", self.unit, rate.node, self.rested(), self.nominal),)

    def computed(self) -> Iterable[Output]:
        x = self.own("lagged")
        return *super().computed(), Output("output", self.unit, (x + self.lead / self.lag * (self.own("input") - x)).node)


class Washout(Filter):
    """y = tau s / (1 + tau s) u, the changes of the input alone: ``time_constant`` tau [s]."""
    kind: ClassVar[str] = "washout"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "time_constant")
    sample: ClassVar[dict[str, Any]] = {"time_constant": 0.3}
    time_constant: Time

    def states(self) -> Iterable[State]:
        return (State("slow", self.unit, (self.own("output") / self.time_constant).node, self.rested(), self.nominal),)

    def computed(self) -> Iterable[Output]:
        return *super().computed(), Output("output", self.unit, (self.own("input") - self.own("slow")).node)


class Notch(Filter):
    """y = (s^2 + 2 d zeta w s + w^2) / (s^2 + 2 zeta w s + w^2) u, w = 2 pi f: of the ``frequency`` f [Hz] the part ``depth`` d passes;
    ``zeta`` is half the width of the notch over its frequency. By a' = w b, b' = w (u - a - 2 zeta b), y = u - 2 (1 - d) zeta b."""
    kind: ClassVar[str] = "notch"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "frequency", "zeta", "depth")
    sample: ClassVar[dict[str, Any]] = {"frequency": 2.0, "zeta": 0.3}
    frequency: Frequency
    zeta: Damping
    depth: Part = 0.0

    def states(self) -> Iterable[State]:
        w, a, b = 2 * pi * self.frequency, self.own("a"), self.own("b")
        pull = w * (self.own("input") - a - 2 * self.zeta * b)
        return State("a", self.unit, (w * b).node, self.rested(), self.nominal), State("b", self.unit, pull.node, 0.0, self.nominal)

    def computed(self) -> Iterable[Output]:
        y = self.own("input") - 2 * (1 - self.depth) * self.zeta * self.own("b")
        return *super().computed(), Output("output", self.unit, y.node)


class Sensor(Filter):
    """y = gain x + bias: x is the input, or what a low pass with ``time_constant`` tau [s] gives of it, tau x' = u - x, which begins with
    the input at the start."""
    kind: ClassVar[str] = "sensor"
    positional: ClassVar[tuple[str, ...]] = ("name", "input")
    sample: ClassVar[dict[str, Any]] = {"gain": 1.1, "bias": 0.2, "time_constant": 0.3}
    gain: Plain = 1.0
    bias: Plain = 0.0
    time_constant: Time | None = None
    start: Start = STEADY

    def states(self) -> Iterable[State]:
        if self.time_constant is None:
            return ()
        rate = (self.own("input") - self.own("filtered")) / self.time_constant
        return (State("filtered", "", rate.node, self.rested(), self.nominal / (abs(self.gain) or 1.0)),)

    def computed(self) -> Iterable[Output]:
        x = self.own("input" if self.time_constant is None else "filtered")
        return *super().computed(), Output("output", self.unit, (self.gain * x + self.bias).node)
