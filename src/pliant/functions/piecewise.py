"""Piecewise polynomials of t from 0 on: what integrals of tables, ramps and steps are made of, in closed form."""
from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from .expression import ONE, ZERO, Lookup, Node, Number, Variable, binary, call

MOST = 200_000   # pieces
HIGHEST = 24     # powers
T = Variable("t")


class Piecewise:
    """Polynomials of t - breaks[k] from breaks[k] = 0 on to the next break, the last one for ever; coefficients by rising powers."""

    def __init__(self, breaks: np.ndarray, coefficients: np.ndarray) -> None:
        used = max(1, int(np.flatnonzero(np.any(coefficients != 0, axis=0))[-1]) + 1 if np.any(coefficients) else 1)
        self.breaks, self.coefficients = breaks, coefficients[:, :used]
        if len(breaks) > MOST or used > HIGHEST + 1:
            raise ValueError("it has too many pieces or too high powers to be integrated")

    @classmethod
    def polynomial(cls, *coefficients: float) -> Piecewise:
        return cls(np.zeros(1), np.array([coefficients], float))

    @property
    def degree(self) -> int:
        return self.coefficients.shape[1] - 1

    @property
    def number(self) -> float | None:
        """Its value, if it is a constant."""
        return float(self.coefficients[0, 0]) if len(self.breaks) == 1 and self.degree == 0 else None

    def at(self, breaks: np.ndarray) -> Piecewise:
        """The same with more breaks."""
        k = np.searchsorted(self.breaks, breaks, side="right") - 1
        shift, old = breaks - self.breaks[k], self.coefficients[k]
        new = np.zeros_like(old)
        for i in range(old.shape[1]):
            for j in range(i + 1):
                new[:, j] += comb(i, j) * shift ** (i - j) * old[:, i]
        return Piecewise(breaks, new)

    def _both(self, other: Piecewise) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        breaks = np.union1d(self.breaks, other.breaks)
        return breaks, self.at(breaks).coefficients, other.at(breaks).coefficients

    def __add__(self, other: Piecewise) -> Piecewise:
        breaks, a, b = self._both(other)
        total = np.zeros((len(breaks), max(a.shape[1], b.shape[1])))
        total[:, :a.shape[1]] += a
        total[:, :b.shape[1]] += b
        return Piecewise(breaks, total)

    def __mul__(self, other: Piecewise) -> Piecewise:
        breaks, a, b = self._both(other)
        product = np.zeros((len(breaks), a.shape[1] + b.shape[1] - 1))
        for i in range(a.shape[1]):
            product[:, i:i + b.shape[1]] += a[:, i:i + 1] * b
        return Piecewise(breaks, product)

    def scaled(self, factor: float) -> Piecewise:
        return Piecewise(self.breaks, factor * self.coefficients)

    def integral(self) -> Piecewise:
        """From 0 to t."""
        n, d = self.coefficients.shape
        whole = np.zeros((n, d + 1))
        whole[:, 1:] = self.coefficients / np.arange(1, d + 1)
        lengths = np.diff(self.breaks)[:, None] ** np.arange(d + 1)
        whole[1:, 0] = np.cumsum((whole[:-1] * lengths).sum(1))
        return Piecewise(self.breaks, whole)

    def chosen(self, levels: tuple[float, ...], choose: Callable[[np.ndarray], np.ndarray]) -> Piecewise:
        """choose(value in the middle of a piece) on pieces in which none of the levels is crossed; for lines only."""
        if self.degree > 1:
            raise ValueError("where a curve crosses a bound is not known in closed form")
        breaks, first = self.breaks, self.coefficients[:, 0]
        slope = self.coefficients[:, 1] if self.degree else np.zeros(len(breaks))
        with np.errstate(all="ignore"):
            crossed = np.concatenate([breaks + (level - first) / slope for level in levels])
        ends = np.append(breaks[1:], np.inf)
        inside = np.tile(breaks, len(levels)) < crossed
        fine = np.union1d(breaks, crossed[inside & (crossed < np.tile(ends, len(levels)))])
        middles = np.append((fine[1:] + fine[:-1]) / 2, fine[-1] + 1.0)
        k = np.searchsorted(breaks, middles, side="right") - 1
        return Piecewise(fine, choose(first[k] + slope[k] * (middles - breaks[k]))[:, None])

    def node(self) -> Node:
        """As an expression of t, if it is continuous. Powers beyond the third of a table are constants times powers of the way into its
        interval."""
        if len(self.breaks) == 1:
            return _horner(self.coefficients[0], T)
        wide = np.zeros((len(self.breaks), max(4, self.degree + 1)))
        wide[:, :self.degree + 1] = self.coefficients
        total: Node = Lookup(Pieces(self.breaks, wide[:-1, :4]), T)
        way = Lookup(Pieces(self.breaks, np.tile([0.0, 1.0, 0.0, 0.0], (len(self.breaks) - 1, 1))), T)
        for power in range(4, self.degree + 1):
            constants = np.zeros((len(self.breaks) - 1, 4))
            constants[:, 0] = wide[:-1, power]
            total = binary("+", total, binary("*", Lookup(Pieces(self.breaks, constants), T), binary("^", way, Number(float(power)))))
        beyond = call("max", binary("-", T, Number(float(self.breaks[-1]))), ZERO)
        return binary("+", total, _horner(np.append(0.0, wide[-1, 1:]), beyond))


class Pieces:
    """A table of any piecewise cubic."""
    kind = "cubic"

    def __init__(self, x: np.ndarray, coefficients: np.ndarray) -> None:
        self.x, self.coefficients, self.phases = x, np.ascontiguousarray(coefficients), np.zeros(len(x))
        self.end_slopes = 0.0, 0.0


def _horner(coefficients: np.ndarray, x: Node) -> Node:
    total: Node = ZERO
    for c in coefficients[::-1].tolist():
        total = binary("+", Number(c), binary("*", x, total))
    return total


LINE = Piecewise.polynomial(0.0, 1.0)
UNIT = Piecewise.polynomial(ONE.value)
