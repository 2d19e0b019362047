"""The sensor: what is measured of a signal, with all that comes between."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from pydantic import model_validator

from ..functions.field_error import FieldError
from ..functions.formula import Formula, clipped
from .block_fields import STEADY, Limits, Plain, Positive, Start, Time
from .blocks import Filter
from .declarations import Held, Lag, Latch, Memory, Output, Play, Random, State
from .sampled import NotNegative, Seed, quantized, sequence


class Sensor(Filter):
    """y = round(limit(gain x + bias + n)), one after the other, each only if it is given. x is the input u; with ``time_constant`` tau [s]
    what a low pass gives of it, tau x' = u - x, which begins with the input at the start; with ``delay`` [s] as it was so long before.
    ``noise``: standard deviation of n, normal random numbers, a new one at every tick of the ``period`` [s]; they follow from ``seed`` and
    the name alone. ``limits`` [low, high]: its range; ``quantum``: its resolution, y is the nearest multiple. With a ``period`` y is
    computed at the ticks t_0 + k period and held in between."""
    kind: ClassVar[str] = "sensor"
    positional: ClassVar[tuple[str, ...]] = ("name", "input")
    sample: ClassVar[dict[str, Any]] = {"gain": 1.1, "bias": 0.2, "time_constant": 0.3}
    gain: Plain = 1.0
    bias: Plain = 0.0
    time_constant: Time | None = None
    delay: Time | None = None
    period: Time | None = None
    noise: NotNegative = 0.0
    seed: Seed = 0
    limits: Limits | None = None
    quantum: Positive | None = None
    start: Start = STEADY

    @model_validator(mode="after")
    def _has_ticks(self) -> Sensor:
        if self.noise > 0 and self.period is None:
            raise FieldError("noise", f"{self.noise:g} needs a period: a new random number comes at every tick of it")
        if self.noise == 0 and "seed" in self.model_fields_set and self.seed != 0:
            raise FieldError("seed", f"{self.seed} goes with noise, which is not given")
        return self

    def states(self) -> Iterable[State]:
        if self.time_constant is None:
            return ()
        lag = self.lagging("filtered", self.time_constant)
        return (lag._replace(unit="", nominal=self.nominal / (abs(self.gain) or 1.0)),)

    def _value(self) -> Formula:
        """What it shows, of the signals that it has."""
        x = self.own("delayed" if self.delay is not None else "input" if self.time_constant is None else "filtered")
        y = self.gain * x + self.bias
        if self.noise > 0:
            y = y + self.noise * self.own("unit_noise")
        if self.limits is not None:
            y = clipped(y, *self.limits)
        return y if self.quantum is None else quantized(y, self.quantum)

    def computed(self) -> Iterable[Output]:
        shown = (Output("output", self.unit, self._value().node),) if self.period is None else ()
        return *super().computed(), *shown

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag | Play]:
        if self.delay is not None:
            yield Lag("delayed", "", f"{self.name}.{'input' if self.time_constant is None else 'filtered'}", self.delay, None)
        if self.noise > 0 and self.period is not None:
            yield Held("unit_noise", "", Random(sequence(self.seed, self.name)), self.period)
        if self.period is not None:
            yield Held("output", self.unit, self._value().node, self.period)
