"""Fatigue: rainflow counting as in ASTM E1049-85, S-N curves, and the linear sum of damage (Palmgren and Miner) [stress-7]."""
from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..functions.units import quantity, shown


class Cycles(NamedTuple):
    """Ranges and means of cycles, with 0.5 or 1 as their count, in the order in which they close."""
    ranges: np.ndarray
    means: np.ndarray
    counts: np.ndarray

    def table(self) -> dict[float, float]:
        """Counts by range, rising."""
        found: dict[float, float] = {}
        for r, c in sorted(zip(self.ranges.tolist(), self.counts.tolist(), strict=True)):
            found[r] = found.get(r, 0.0) + c
        return found


def turning_points(values: Any) -> np.ndarray:
    """The first and last value, and those where the direction changes."""
    x = np.asarray(values, float).ravel()
    if not np.isfinite(x).all():
        raise ValueError("values: must be finite")
    if not x.size:
        return x
    x = x[np.concatenate(([True], np.diff(x) != 0))]
    if len(x) < 3:
        return x
    slope = np.sign(np.diff(x))
    return x[np.concatenate(([True], slope[1:] != slope[:-1], [True]))]


def rainflow(values: Any) -> Cycles:
    """Cycles of a history, E1049-85, 5.4.4: a range counts as half a cycle if it holds the start, and at the end."""
    stack: list[float] = []
    found: list[tuple[float, float, float]] = []

    def add(a: float, b: float, count: float) -> None:
        found.append((abs(b - a), (a + b) / 2, count))

    for point in turning_points(values).tolist():
        stack.append(point)
        while len(stack) >= 3:
            x, y = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if x < y:
                break
            if len(stack) == 3:  # y holds the start
                add(stack[0], stack[1], 0.5)
                stack.pop(0)
            else:
                add(stack[-3], stack[-2], 1.0)
                del stack[-3:-1]
    for a, b in itertools.pairwise(stack):
        add(a, b, 0.5)
    return Cycles(*(np.array(c, float) for c in zip(*found, strict=True))) if found else Cycles(*(np.zeros(0) for _ in range(3)))


@dataclass(frozen=True)
class SN:
    """Cycles to failure N = cycles (amplitude / S)^slope for stress amplitudes S above ``amplitude`` [Pa]; below it with ``below`` as the
    slope (None: no damage). ``strength``: ultimate strength [Pa] for Goodman's correction of the mean stress (None: none)."""
    amplitude: float
    cycles: float
    slope: float
    below: float | None = None
    strength: float | None = None

    def __post_init__(self) -> None:
        for name in ("amplitude", "strength"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, quantity(getattr(self, name), "Pa"))
        for name in ("amplitude", "cycles", "slope", "below", "strength"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and value > 0):
                raise ValueError(f"SN: {name}: {shown(value)} must be greater than zero")

    def life(self, amplitude: Any, mean: Any = 0.0) -> np.ndarray:
        """Cycles to failure."""
        S, m = np.broadcast_arrays(np.asarray(amplitude, float), np.asarray(mean, float))
        if self.strength is not None:
            left = 1 - np.clip(m, 0, None) / self.strength
            S = np.where(left > 0, S / np.maximum(left, 1e-300), np.inf)
        with np.errstate(divide="ignore", over="ignore"):
            ratio = self.amplitude / S
            low = np.full(S.shape, np.inf) if self.below is None else self.cycles * ratio**self.below
            return np.asarray(np.where(self.amplitude <= S, self.cycles * ratio**self.slope, low))


def damage(history: Any, curve: SN) -> float:
    """Sum of n/N over the cycles of a stress history [Pa]; failure is expected at 1."""
    c = rainflow(history)
    return float((c.counts / curve.life(c.ranges / 2, c.means)).sum())
