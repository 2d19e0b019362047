"""Curves as splines over their length: what the kernels of curves read, and what is wrong with a curve. Pure NumPy and SciPy."""
from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import factorial
from typing import NamedTuple

import numpy as np

POWERS = 6                # of a piece: polynomials of degree 5, with four continuous derivatives
SAMPLES = 2048            # in which a curve is followed at first
SHARP = np.radians(60.0)  # a turn from one point to the next that no smooth curve is meant by
KINK = 1e-3               # rad: a turn of the direction within a millionth of the range
EXACT, MOST = 1e-14, 2048  # of the length: how well the spline meets the curve; pieces at most
OPEN = 1e-9               # of the length: a closed curve may be open by this
EDGE = 1e-9               # of the length: places at the ends of an open curve that rounding moves


class Spline(NamedTuple):
    """A curve r(s) over its length s from its start; ``coefficients`` (piece, power, axis) of pieces of one length."""
    length: float
    coefficients: np.ndarray
    closed: bool

    @property
    def pieces(self) -> int:
        return len(self.coefficients)

    def table(self) -> np.ndarray:
        """length | coefficients"""
        return np.concatenate([[self.length], self.coefficients.ravel()])

    def at(self, s: float | np.ndarray, order: int = 0) -> np.ndarray:
        """r or a derivative of it; of many places (..., 3)."""
        s = np.asarray(s, float)
        s = np.mod(s, self.length) if self.closed else s
        step = self.length / self.pieces
        k = np.clip((s / step).astype(int), 0, self.pieces - 1)
        x, out = (s - k * step)[..., None], np.zeros((*s.shape, 3))
        for p in range(POWERS - 1, order - 1, -1):
            out = out * x + self.coefficients[k, p] * factorial(p) / factorial(p - order)
        return out

    def places(self, count: int = 0) -> np.ndarray:
        """So many, the ends of an open curve among them."""
        count = count or 4 * self.pieces
        return np.linspace(0, self.length, count, endpoint=not self.closed)

    def nearest(self, point: np.ndarray) -> float:
        """The place next to a point."""
        tried = self.places()
        s = float(tried[np.argmin(np.sum((self.at(tried) - point) ** 2, axis=1))])
        step = tried[1] - tried[0]
        for _ in range(30):
            d, d1, d2 = self.at(s) - point, self.at(s, 1), self.at(s, 2)
            slope = d1 @ d1 + d2 @ d
            change = -(d1 @ d) / slope if slope > 0 else 0.0
            s += float(np.clip(change, -step, step))
            if not self.closed:
                s = float(np.clip(s, 0, self.length))
            if abs(change) < 1e-15 * self.length:
                break
        return float(np.mod(s, self.length)) if self.closed else s

    @property
    def flat(self) -> bool:
        """Whether it stays in the plane z = 0 of its axes."""
        return bool(abs(self.at(self.places())[:, 2]).max() <= 1e-9 * self.length)

    @property
    def counterclockwise(self) -> bool:
        """Whether a closed curve of the plane has its inside on its left."""
        r, r1 = self.at(self.places()), self.at(self.places(), 1)
        return bool(np.sum(r[:, 0] * r1[:, 1] - r[:, 1] * r1[:, 0]) > 0)

    def curvature(self, s: np.ndarray) -> np.ndarray:
        """Of a curve of the plane; positive where it bends to its left."""
        d, d2 = self.at(s, 1), self.at(s, 2)
        return np.asarray((d[..., 0] * d2[..., 1] - d[..., 1] * d2[..., 0]) / np.sum(d * d, axis=-1) ** 1.5)

    def reversed(self) -> Spline:
        """The same curve, run through the other way."""
        return fitted(lambda s: self.at(self.length - s), self.length, self.closed)


def where(r: np.ndarray) -> str:
    return f"({r[0]:.4g}, {r[1]:.4g}, {r[2]:.4g})"


def spline_of(f: Callable[[np.ndarray], np.ndarray], low: float, high: float, closed: bool, name: str = "s") -> Spline:
    """Of a curve f (m,) -> (m, 3) over a range; ValueError says what is wrong with it. ``name`` of the variable, in messages."""
    u = np.linspace(low, high, SAMPLES + 1)
    r = f(u)
    if not np.isfinite(r).all():
        k = int(np.argmin(np.isfinite(r).all(axis=1)))
        raise ValueError(f"is not a finite number at {name} = {u[k]:g}")
    size = float(np.sum(np.linalg.norm(np.diff(r, axis=0), axis=1)))
    if not size > 0:
        raise ValueError("has no length")
    if closed and np.linalg.norm(r[-1] - r[0]) > OPEN * size:
        raise ValueError(f"is said to be closed, but begins at {where(r[0])} and ends at {where(r[-1])}")
    _refuse_kinks(f, u, r, closed, name)
    along = _interpolated(u, r, closed)
    return by_length(along, u, closed)


def through(points: np.ndarray, closed: bool) -> Spline:
    """Through points (m, 3), in order; the first is not given again where it is closed."""
    p = np.vstack([points, points[:1]]) if closed else points
    far = np.linalg.norm(np.diff(p, axis=0), axis=1)
    if not far.all():
        k = int(np.argmin(far))
        raise ValueError(f"points {k} and {(k + 1) % len(points)} are the same, {where(p[k])}")
    way = np.diff(p, axis=0) / far[:, None]
    before = np.roll(way, 1, axis=0) if closed else way[:-1]
    turn = np.arccos(np.clip(np.sum(before * (way if closed else way[1:]), axis=1), -1, 1))
    if turn.size and turn.max() > SHARP:
        k = int(np.argmax(turn)) + (0 if closed else 1)
        raise ValueError(f"has a kink at point {k}, {where(p[k])}: it turns by {np.degrees(turn.max()):.0f} degrees there; a smooth curve "
                         "needs more points where it bends, and a corner must be rounded")
    u = np.concatenate([[0.0], np.cumsum(far)])
    return by_length(_interpolated(u, p, closed), u, closed)


def _interpolated(u: np.ndarray, r: np.ndarray, closed: bool) -> Callable[..., np.ndarray]:
    from scipy.interpolate import make_interp_spline
    if closed:
        r = np.vstack([r[:-1], r[:1]])
        return make_interp_spline(u, r, k=5, bc_type="periodic")
    return make_interp_spline(u, r, k=min(5, 3 if len(u) < 6 else 5))


def by_length(r: Callable[..., np.ndarray], u: np.ndarray, closed: bool) -> Spline:
    """From any variable, in intervals u, to the length."""
    x, weight = np.polynomial.legendre.leggauss(8)
    fine = u if len(u) > 512 else np.concatenate(
        [np.linspace(a, b, 65)[:-1] for a, b in pairwise(u)] + [u[-1:]])
    half = np.diff(fine) / 2

    def speed(v: np.ndarray) -> np.ndarray:
        return np.linalg.norm(r(v, 1), axis=-1)
    each = half * (speed((fine[:-1] + half)[:, None] + half[:, None] * x) @ weight)
    s = np.concatenate([[0.0], np.cumsum(each)])
    length = float(s[-1])

    def at(wanted: np.ndarray) -> np.ndarray:
        k = np.clip(np.searchsorted(s, wanted, side="right") - 1, 0, len(half) - 1)
        v = fine[k] + 2 * half[k] * (wanted - s[k]) / each[k]
        for _ in range(6):
            h = (v - fine[k]) / 2
            done = s[k] + h * (speed((fine[k] + h)[:, None] + h[:, None] * x) @ weight)
            v = v - (done - wanted) / speed(v)
        return np.asarray(r(np.clip(v, u[0], u[-1])))
    return fitted(at, length, closed)


def fitted(r: Callable[[np.ndarray], np.ndarray], length: float, closed: bool) -> Spline:
    """A spline with as many pieces as it needs to meet the curve r(s) everywhere."""
    pieces, before = 32, np.inf
    while True:
        pieces *= 2
        knots = np.linspace(0, length, pieces + 1)
        p = _interpolated(knots, r(knots), closed)
        c = np.zeros((pieces, POWERS, 3))
        for power in range(POWERS):
            c[:, power] = p(knots[:-1], power) / factorial(power)
        found, between = Spline(length, c, closed), (knots[:-1] + knots[1:]) / 2
        error = float(np.linalg.norm(found.at(between) - r(between), axis=1).max()) / length
        if error < EXACT or pieces >= MOST or error > before / 2:
            return found
        before = error


def _refuse_kinks(f: Callable[[np.ndarray], np.ndarray], u: np.ndarray, r: np.ndarray, closed: bool, name: str) -> None:
    """Look closely where it turns most."""
    if closed:
        u, r = np.append(u, u[-1] + u[1] - u[0]), np.vstack([r, r[1:2]])
    way = np.diff(r, axis=0)
    far = np.linalg.norm(way, axis=1)
    if not far.all():
        k = int(np.argmin(far))
        raise ValueError(f"stands still at {name} = {u[k]:g}, {where(r[k])}")
    turn = 1 - np.sum(way[1:] * way[:-1], axis=1) / (far[1:] * far[:-1])
    span = float(u[-1] - u[0])

    def wrapped(v: np.ndarray) -> np.ndarray:
        return f(np.where(v > u[-1 - closed], v - (u[-1 - closed] - u[0]), v)) if closed else f(v)
    for k in np.argsort(turn)[-3:]:
        middle, step = u[k + 1], u[1] - u[0]
        while step > 1e-7 * span:  # towards the sharpest place within
            near = np.linspace(middle - step, middle + step, 9)
            p = np.diff(wrapped(np.clip(near, u[0], u[-1])), axis=0)
            p = p / np.maximum(np.linalg.norm(p, axis=1), 1e-300)[:, None]
            angles = np.linalg.norm(np.diff(p, axis=0), axis=1)
            middle, step = near[1 + int(np.argmax(angles))], step / 4
        if angles.max() > KINK:
            at, sharp = wrapped(np.array([middle]))[0], np.degrees(np.arccos(np.clip(p[0] @ p[-1], -1, 1)))
            raise ValueError(f"has a kink at {name} = {middle:.6g}, {where(at)}: it turns by {sharp:.3g} degrees there; "
                             "round the corner, or make several curves of it")
