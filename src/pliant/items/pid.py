"""The PID controller with two degrees of freedom, limits and anti-windup."""
from __future__ import annotations

from collections.abc import Iterable
from math import expm1, sqrt
from typing import Any, ClassVar

from pydantic import model_validator

from ..functions.expression import Number
from ..functions.field_error import FieldError
from ..functions.formula import Formula, clipped, where
from .base import Item, Switch
from .block_fields import Limits, Plain, Positive, Rate, Time, Unit
from .blocks import Computes
from .declarations import Held, Lag, Latch, Memory, Output, State
from .function_fields import TimeFunction
from .limiters import at_limit


class PID(Computes):
    """A controller of the ``measurement`` y towards the ``reference`` r, with e = r - y:

        v = kp (b r - y) + I + kd N (c r - y - f),   u = v within limits
        I' = ki e + (u - v) / Tt,   f' = N (c r - y - f),   f = c r - y at the start

    ``kp``, ``ki``, ``kd``: gains; ``N`` [1/s]: of the filter of the derivative; ``b``, ``c``: parts of the reference that the
    proportional and the derivative term see. ``limits`` of the output u, null where there is none; beyond them ``tracking_time`` Tt [s]
    brings the integral back (by default sqrt(kd/ki), without derivative kp/ki), or nothing does with ``anti_windup`` = false.
    ``start``: I at the start; ``nominal``: the size of u that errors are measured in.

    With a ``period`` T [s] it works at the ticks k T and holds its output in between:

        v_k = kp (b r - y) + I_k + kd N (c r - y - f_k),   I_k = J_k + T ki e,   J_(k+1) = I_k + T (u_k - v_k) / Tt
        f_(k+1) = f_k + (1 - exp(-N T)) (c r - y - f_k),   f_0 = c r - y                                    [pid-1]"""
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
    period: Time | None = None
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

    def _integral_rate(self) -> Formula:
        """ki e + (u - v) / Tt"""
        rate = self.ki * self.own("error")
        if not self.tracks:
            return rate
        return rate + (self.own("output") - self.own("demand")) / (self.tracking_time or (sqrt(self._ratio) if self.kd else self._ratio))

    def states(self) -> Iterable[State]:
        if self.period is not None:
            return []
        found = []
        if self.ki:
            rate = self._integral_rate()
            found.append(State("integral", self.unit, rate.node, self.start, self.nominal))
        if self.kd:
            assert self.N is not None
            e = self.c * self.own("reference") - self.own("measurement")
            found.append(State("filtered", "", (self.N * (e - self.own("filtered"))).node, e.node, self.nominal / abs(self.kd * self.N)))
        return found

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        """[pid-1]; what is called integral is J."""
        if self.period is None:
            return []
        T, found = self.period, list[Held | Memory | Latch | Lag]()
        if self.ki:
            found.append(Memory("integral", self.unit, (self.own("integral") + T * self._integral_rate()).node, T, self.start))
        if self.kd:
            assert self.N is not None
            e, f, begun = self.c * self.own("reference") - self.own("measurement"), self.own("filtered"), self.own("begun") > 0.5
            found.append(Memory("filtered", "", where(begun, f - expm1(-self.N * T) * (e - f), e).node, T))
            found.append(Memory("begun", "", Number(1.0), T))
        v = self._demand()
        if self.limits is None:
            return [*found, Held("output", self.unit, v.node, T)]
        return [*found, Held("demand", self.unit, v.node, T), Held("output", self.unit, clipped(self.own("demand"), *self.limits).node, T)]

    def _demand(self) -> Formula:
        """v"""
        r, y = self.own("reference"), self.own("measurement")
        v = self.kp * (self.b * r - y)
        if self.ki:
            v = v + self.own("integral")
            if self.period is not None:
                v = v + self.period * self.ki * self.own("error")
        if self.kd:
            assert self.N is not None
            change = self.c * r - y - self.own("filtered")
            v = v + self.kd * self.N * (change if self.period is None else where(self.own("begun") > 0.5, change, 0.0))
        return v

    def computed(self) -> Iterable[Output]:
        r, y, v = self.own("reference"), self.own("measurement"), self._demand()
        found = [Output("reference", "", self.reference), Output("measurement", "", self.measurement), Output("error", "", (r - y).node)]
        if self.period is not None:
            return found if self.limits is None else [*found, Output("saturated", "", at_limit(self.own("demand"), *self.limits).node)]
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
