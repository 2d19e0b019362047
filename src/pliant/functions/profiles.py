"""Profiles of motion from rest to rest: piecewise polynomials of t, exact as expressions."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .table import Table
from .units import quantity, shown

# s(x) of degree 2 k + 1 from 0 to 1 with k derivatives zero at both ends, powers k + 1 and up
DEGREES = {3: (3, -2), 5: (10, -15, 6), 7: (35, -84, 70, -20), 9: (126, -420, 540, -315, 70)}


class Profile:
    """y over t, polynomials between ``breaks`` [s] with ``coefficients`` (pieces, powers) of the time since the break before; at rest
    before and after. ``expression`` is the same as a text for drives, loads and blocks."""

    def __init__(self, breaks: Any, coefficients: Sequence[Any]) -> None:
        self.breaks = np.asarray(breaks, float)
        degree = max(len(c) for c in coefficients)
        self.coefficients = np.array([[*c, *[0.0] * (degree - len(c))] for c in coefficients], float)

    @staticmethod
    def polynomial(distance: float, duration: Any, degree: int = 5, begin: Any = 0.0, start: float = 0.0) -> Profile:
        """One polynomial of ``degree`` 3, 5, 7 or 9 whose first 1, 2, 3 or 4 derivatives are zero at both ends; it goes from ``start`` by
        ``distance`` in ``duration`` [s], ``begin`` [s] is when it does."""
        if degree not in DEGREES:
            raise ValueError(f"profile: degree = {shown(degree)}, must be 3, 5, 7 or 9")
        T, t0 = _positive("duration", duration, "s"), quantity(begin, "s")
        c = [0.0] * (degree + 1)
        c[0] = float(start)
        for k, factor in enumerate(DEGREES[degree]):
            power = (degree + 1) // 2 + k
            c[power] = factor * float(distance) / T**power
        return Profile((t0, t0 + T), [c])

    @staticmethod
    def double_s(distance: float, speed: float, acceleration: float, jerk: float, begin: Any = 0.0, start: float = 0.0) -> Profile:
        """The fastest motion from ``start`` by ``distance`` within limits of speed, acceleration and jerk, all in the unit of the
        distance and seconds: up to seven pieces of constant jerk."""
        if distance == 0 or not math.isfinite(distance):
            raise ValueError(f"profile: distance = {shown(distance)}, must be a finite number other than 0")
        v, a, j = (_positive(name, x, "") for name, x in (("speed", speed), ("acceleration", acceleration), ("jerk", jerk)))
        tj, ta, tv = s_times(abs(distance), v, a, j)
        pieces = [(tj, 1), (ta - 2 * tj, 0), (tj, -1), (tv, 0), (tj, -1), (ta - 2 * tj, 0), (tj, 1)]
        t, state, breaks, rows = quantity(begin, "s"), np.array([start, 0.0, 0.0]), [quantity(begin, "s")], []
        for length, sign in pieces:
            if length <= 1e-12 * (2 * ta + tv):
                continue
            x, x1, x2 = state
            x3 = math.copysign(j, distance) * sign
            rows.append((x, x1, x2 / 2, x3 / 6))
            h = length
            state = np.array([x + h * (x1 + h * (x2 / 2 + h * x3 / 6)), x1 + h * (x2 + h * x3 / 2), x2 + h * x3])
            t += length
            breaks.append(t)
        return Profile(breaks, rows)

    @property
    def begin(self) -> float:
        return float(self.breaks[0])

    @property
    def end(self) -> float:
        return float(self.breaks[-1])

    @property
    def duration(self) -> float:
        return self.end - self.begin

    def evaluate(self, t: Any, order: int = 0) -> np.ndarray:
        """y at ``t``, a number or an array, or a derivative of it."""
        t = np.asarray(t, float)
        inside = np.clip(t, self.begin, self.end)
        k = np.clip(np.searchsorted(self.breaks, inside, side="right") - 1, 0, len(self.coefficients) - 1)
        d, out = inside - self.breaks[k], np.zeros(t.shape)
        for power in range(self.coefficients.shape[1] - 1, order - 1, -1):
            out = out * d + self.coefficients[k, power] * math.perm(power, order)
        return np.asarray(out if order == 0 else np.where((t < self.begin) | (t > self.end), 0.0, out))

    __call__ = evaluate

    @property
    def expression(self) -> str:
        """As a text of t; nothing is lost."""
        text = repr(float(self.evaluate(self.end)))
        for k in reversed(range(len(self.coefficients))):
            piece, x = repr(float(self.coefficients[k, -1])), f"(t - {float(self.breaks[k])!r})" if self.breaks[k] else "t"
            for c in reversed(self.coefficients[k, :-1]):
                piece = f"({piece}*{x} + {float(c)!r})" if c else f"{piece}*{x}"
            text = f"if(t < {float(self.breaks[k + 1])!r}, {piece}, {text})"
        return f"if(t < {self.begin!r}, {float(self.coefficients[0, 0])!r}, {text})"

    def table(self, points: int = 401) -> Table:
        """Points of it, the ends of its pieces among them; `expression` is exact."""
        t = np.union1d(np.linspace(self.begin, self.end, points), self.breaks)
        return Table(t, self.evaluate(t))

    def __repr__(self) -> str:
        first, last = self.evaluate(self.breaks[[0, -1]])
        return f"Profile({len(self.coefficients)} pieces, {self.begin:g} to {self.end:g} s, {first:g} to {last:g})"


def _positive(name: str, value: Any, unit: str) -> float:
    x = quantity(value, unit)
    if not (x > 0 and math.isfinite(x)):
        raise ValueError(f"profile: {name} = {shown(value)}, must be greater than zero and finite")
    return float(x)


def s_times(distance: float, v: float, a: float, j: float) -> tuple[float, float, float]:
    """Of a double S from rest to rest: of constant jerk, of speeding up altogether, at constant speed."""
    tj, ta = (a / j, a / j + v / a) if v * j >= a * a else (math.sqrt(v / j), 2 * math.sqrt(v / j))
    tv = distance / v - ta
    if tv >= 0:
        return tj, ta, tv
    if distance >= 2 * a**3 / j**2:
        tj = a / j
        return tj, tj / 2 + math.sqrt((tj / 2) ** 2 + distance / a), 0.0
    tj = (distance / (2 * j)) ** (1 / 3)
    return tj, 2 * tj, 0.0
