"""The PID controller with two degrees of freedom, limits and anti-windup."""
from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any, ClassVar

from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import clipped
from .base import Item, Switch
from .block_fields import Limits, Plain, Positive, Rate, Time, Unit
from .blocks import Computes
from .declarations import Output, State
from .function_fields import TimeFunction
from .limiters import at_limit


class PID(Computes):
    """A controller of the ``measurement`` y towards the ``reference`` r, with e = r - y:

        v = kp (b r - y) + I + kd N (c r - y - f),   u = v within limits
        I' = ki e + (u - v) / Tt,   f' = N (c r - y - f),   f = c r - y at the start

    ``kp``, ``ki``, ``kd``: gains; ``N`` [1/s]: of the filter of the derivative; ``b``, ``c``: parts of the reference that the
    proportional and the derivative term see. ``limits`` of the output u, null where there is none; beyond them ``tracking_time`` Tt [s]
    brings the integral back (by default sqrt(kd/ki), without derivative kp/ki), or nothing does with ``anti_windup`` = false.
    ``start``: I at the start; ``nominal``: the size of u that errors are measured in."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "pid"
    positional: ClassVar[tuple[str, ...]] = ("name", "reference", "measurement")
    reference: TimeFunction
    measurement: TimeFunction
    kp: Plain = 0.0
    ki: Plain = 0.0
    kd: Plain = 0.0
    N: Rate | None = None
    b: Plain = 1.0
    c: Plain = 0.0
    limits: Limits | None = None
    tracking_time: Time | None = None
    anti_windup: Switch = True
    start: Plain = 0.0
    unit: Unit = ""
    nominal: Positive = 1.0

    @model_validator(mode="after")
    def _complete(self) -> PID:
        if not (self.kp or self.ki or self.kd):
            raise FieldError("kp", "all gains are zero, so the output is; give kp, ki or kd")
        if self.kd and self.N is None:
            raise FieldError("kd", "needs N [1/s], the bandwidth of the filter of the derivative; write for example N = 100")
        if self.start and not self.ki:
            raise FieldError("start", f"{self.start:g} is that of the integral, and there is none without ki")
        if self.tracking_time is not None and not self.tracks:
            why = "limits" if self.limits is None else "ki" if not self.ki else "anti_windup"
            raise FieldError("tracking_time", f"has no meaning without {why}; leave it out")
        if self.tracks and self.tracking_time is None and not self._ratio > 0:
            raise FieldError("limits", "need tracking_time [s] with these gains, in which the integral comes back; or anti_windup = false")
        return self

    @property
    def tracks(self) -> bool:
        """Whether something brings the integral back."""
        return self.limits is not None and self.anti_windup and self.ki != 0

    @property
    def _ratio(self) -> float:
        return (self.kd if self.kd else self.kp) / self.ki

    def states(self) -> Iterable[State]:
        found = []
        if self.ki:
            rate = self.ki * self.own("error")
            if self.tracks:
                time = self.tracking_time or (sqrt(self._ratio) if self.kd else self._ratio)
                rate = rate + (self.own("output") - self.own("demand")) / time
            found.append(State("integral", self.unit, rate.node, self.start, self.nominal))
        if self.kd:
            assert self.N is not None
            e = self.c * self.own("reference") - self.own("measurement")
            found.append(State("filtered", "", (self.N * (e - self.own("filtered"))).node, e.node, self.nominal / abs(self.kd * self.N)))
        return found

    def computed(self) -> Iterable[Output]:
        r, y = self.own("reference"), self.own("measurement")
        v = self.kp * (self.b * r - y)
        if self.ki:
            v = v + self.own("integral")
        if self.kd:
            assert self.N is not None
            v = v + self.kd * self.N * (self.c * r - y - self.own("filtered"))
        found = [Output("reference", "", self.reference), Output("measurement", "", self.measurement), Output("error", "", (r - y).node)]
        if self.limits is None:
            return *found, Output("output", self.unit, v.node)
        demand = self.own("demand")
        return (*found, Output("demand", self.unit, v.node), Output("output", self.unit, clipped(demand, *self.limits).node),
                Output("saturated", "", at_limit(demand, *self.limits).node))

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)),
                cls("block", "sin(t)", "J.angle", kp=3.0, ki=2.0, kd=0.5, N=20.0, b=0.8, c=0.3, limits=(-2.0, 1.0))]
