"""Cams by the motion that they shall give: rises, dwells and returns by named laws, and the profile for a follower."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .curve_splines import Spline, by_length, where

LAWS = ("cycloidal", "polynomial", "harmonic")
FULL = 1e-9  # rad: the segments together are one turn
FINE = 400   # parts of a segment


class Segment(NamedTuple):
    """From lift ``start`` to ``end`` [m] within an ``angle`` [rad] by a law; a dwell if they are the same."""
    law: str
    angle: float
    start: float
    end: float


def law(name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s(x) from 0 to 1 and its derivatives: x - sin(2 pi x) / (2 pi), 10 x^3 - 15 x^4 + 6 x^5, (1 - cos(pi x)) / 2"""
    if name == "cycloidal":
        a = 2 * np.pi
        return x - np.sin(a * x) / a, 1 - np.cos(a * x), a * np.sin(a * x)
    if name == "harmonic":
        return (1 - np.cos(np.pi * x)) / 2, np.pi / 2 * np.sin(np.pi * x), np.pi**2 / 2 * np.cos(np.pi * x)
    return x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x)**2, 60 * x * (1 - x) * (1 - 2 * x)


def lift(segments: Sequence[Segment], angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """h over the angle of the cam, and its first and second derivative."""
    ends = np.cumsum([0.0, *(s.angle for s in segments)])
    angle = np.mod(angle, 2 * np.pi)
    k = np.clip(np.searchsorted(ends, angle, side="right") - 1, 0, len(segments) - 1)
    h, h1, h2 = np.zeros((3, *angle.shape))
    for i, s in enumerate(segments):
        of, rise = k == i, s.end - s.start
        y, y1, y2 = law(s.law, (angle[of] - ends[i]) / s.angle)
        h[of], h1[of], h2[of] = s.start + rise * y, rise * y1 / s.angle, rise * y2 / s.angle**2
    return h, h1, h2


def profile(segments: Sequence[Segment], base: float, follower: str, radius: float) -> Spline:
    """The curve that gives a follower along x the lift h as the cam turns about z: with e the direction of the follower on the cam,
    f = de/da, a flat face touches at (b + h) e + h' f, a roller at (b + rho + h) e - rho n, a knife at (b + h) e       [curve-7]"""
    total = sum(s.angle for s in segments)
    if abs(total - 2 * np.pi) > FULL:
        raise ValueError(f"motion: its angles are {np.degrees(total):.6g} degrees together, must be 360")
    if abs(segments[-1].end - segments[0].start) > FULL * base:
        raise ValueError(f"motion: ends at a lift of {segments[-1].end:g} m, must come back to {segments[0].start:g} m")

    def at(a: np.ndarray, order: int = 0) -> np.ndarray:
        h, h1, h2 = (y[..., None] for y in lift(segments, a))
        e = np.stack([np.cos(a), -np.sin(a), 0 * a], axis=-1)
        f = np.stack([-np.sin(a), -np.cos(a), 0 * a], axis=-1)
        if follower == "flat":
            return (base + h) * e + h1 * f if order == 0 else (base + h + h2) * f
        c = base + radius + h
        if order == 0:
            n = (c * e - h1 * f) / np.sqrt(c**2 + h1**2)
            return np.asarray(c * e - radius * n)
        size = np.sqrt(c**2 + h1**2)
        bent = (c**2 + 2 * h1**2 - c * h2) / size**3
        return np.asarray((h1 * e + c * f) * (1 - radius * bent))
    grid = np.concatenate([np.linspace(a, b, FINE, endpoint=False) for a, b in _spans(segments)] + [[2 * np.pi]])
    size = _signed(segments, base, follower, radius, grid)
    if size.min() <= 0:
        k = int(np.argmin(size))
        raise ValueError(f"is undercut at {np.degrees(grid[k]):.4g} degrees, {where(at(grid[k:k + 1])[0])}: the lift changes too fast; "
                         "take a larger base, a smaller roller, or a larger angle")
    return by_length(at, grid, True)


def _signed(segments: Sequence[Segment], base: float, follower: str, radius: float, a: np.ndarray) -> np.ndarray:
    """How fast the profile goes on; negative where it would go back."""
    h, h1, h2 = lift(segments, a)
    if follower == "flat":
        return np.asarray(base + h + h2)
    c = base + radius + h
    return np.asarray(1 - radius * (c**2 + 2 * h1**2 - c * h2) / (c**2 + h1**2)**1.5)


def _spans(segments: Sequence[Segment]) -> list[tuple[float, float]]:
    ends = np.cumsum([0.0, *(s.angle for s in segments)])
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
