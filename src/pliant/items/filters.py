"""Filters of first and second order. In their formulas u is the input, y the output, s = d/dt."""
from __future__ import annotations

from collections.abc import Iterable
from math import pi
from typing import Any, ClassVar

from .block_fields import Damping, Frequency, Lead, Part, Time
from .blocks import Filter
from .declarations import Output, State


class LowPass(Filter):
    """tau y' = u - y, of first order: ``time_constant`` tau [s]."""
    kind: ClassVar[str] = "low_pass"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "time_constant")
    sample: ClassVar[dict[str, Any]] = {"time_constant": 0.3}
    time_constant: Time

    def states(self) -> Iterable[State]:
        return (self.lagging("output", self.time_constant),)


class Resonant(Filter):
    """A filter with ``frequency`` [Hz] and damping ratio ``zeta``."""
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "frequency", "zeta")
    sample: ClassVar[dict[str, Any]] = {"frequency": 2.0, "zeta": 0.3}
    frequency: Frequency
    zeta: Damping

    @property
    def w(self) -> float:
        """[rad/s]"""
        return 2 * pi * self.frequency


class SecondOrder(Resonant):
    """y'' + 2 zeta w y' + w^2 y = w^2 u, w = 2 pi f: ``frequency`` f [Hz], ``zeta`` the damping ratio."""
    kind: ClassVar[str] = "second_order"

    def states(self) -> Iterable[State]:
        w, y, rate = self.w, self.own("output"), self.own("rate")
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
        return (self.lagging("lagged", self.lag),)

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
        return (self.lagging("slow", self.time_constant),)

    def computed(self) -> Iterable[Output]:
        return *super().computed(), Output("output", self.unit, (self.own("input") - self.own("slow")).node)


class Notch(Resonant):
    """y = (s^2 + 2 d zeta w s + w^2) / (s^2 + 2 zeta w s + w^2) u, w = 2 pi f: of the ``frequency`` f [Hz] the part ``depth`` d passes;
    ``zeta`` is half the width of the notch over its frequency. By a' = w b, b' = w (u - a - 2 zeta b), y = u - 2 (1 - d) zeta b."""
    kind: ClassVar[str] = "notch"
    positional: ClassVar[tuple[str, ...]] = ("name", "input", "frequency", "zeta", "depth")
    depth: Part = 0.0

    def states(self) -> Iterable[State]:
        w, a, b = self.w, self.own("a"), self.own("b")
        pull = w * (self.own("input") - a - 2 * self.zeta * b)
        return State("a", self.unit, (w * b).node, self.rested(), self.nominal), State("b", self.unit, pull.node, 0.0, self.nominal)

    def computed(self) -> Iterable[Output]:
        y = self.own("input") - 2 * (1 - self.depth) * self.zeta * self.own("b")
        return *super().computed(), Output("output", self.unit, y.node)
