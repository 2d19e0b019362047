"""Equilibria along a path on which the loads grow and fall: steps of one length, and the places where they turn. docs/theory/statics.md"""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..items.errors import ModelError
from .loading import EVEN, At, Loading

LIMIT, BRANCH = "limit point", "branch point"
MOST = 12        # iterations of a step
DESIRED = 4      # after which the next step is as long
ROUNDING = 1e-11 # a motion that is none
NEARLY = 1e-7    # motions below do not grow smaller than rounding for ever
BENT = 0.5       # the cosine between two steps of a path that is not lost
SHORTEST = 1e-4  # of the longest step
CLOSE = 1e-6     # of a step: places where a path turns
SINGLE = 0.2     # of the largest factor: what a step may add to it
UNMOVED = 1e-10  # rad or sizes of the model, by the largest factor
HALVINGS = 60


class Point(NamedTuple):
    """A place on the path: its state, the way that led there and the direction, both (motions, factor), the second one of length one by
    motions; negative stiffnesses, None where the stiffness is not symmetric; which place of these it is, if any."""
    at: At
    way: np.ndarray
    direction: np.ndarray
    negative: int | None
    kind: str = ""

    @property
    def rising(self) -> float:
        """The change of the factor along the path."""
        return float(self.direction[-1])


class Follower:
    """From the equilibrium in the memory of a loading, in steps of the length ``stride``: root mean square over bodies of displacements, in
    sizes of the model, and of rotations [rad]. ``until``: the largest factor."""

    def __init__(self, loading: Loading, stride: float, until: float) -> None:
        self.loading, self.longest, self.length, self.until = loading, stride, stride, until
        system = loading.d.system
        self.scale = np.zeros(system.n)
        self.scale[system.active[loading.bodies]] = 1 / loading.by[loading.bodies]
        self.scale /= np.sqrt(len(system.data.rotations))

    def _size(self, xi: np.ndarray) -> float:
        return float(np.linalg.norm(self.scale * xi))

    def here(self, way: np.ndarray) -> Point:
        """Of the position in memory, reached along ``way``."""
        x = self.loading
        if not x.linearise():
            raise Lost("the stiffness of the model is singular")
        along = np.append(x.solve(-x.load) * (self.scale > 0), 1.0)
        size = self._size(along[:-1])
        if not size < np.inf:
            raise Lost("nothing resists the loads")
        if size * self.until < UNMOVED:
            raise Lost("the loads do not move the model")
        along /= size
        if self._cosine(along, way) < 0:
            along = -along
        return Point(x.at(), way, along, None if x.uneven() > EVEN else x.negative())

    def _cosine(self, a: np.ndarray, b: np.ndarray) -> float:
        """Between two ways; by the factor where there was none."""
        x, y = self.scale * a[:-1], self.scale * b[:-1]
        return float(x @ y) / max(float(np.linalg.norm(x) * np.linalg.norm(y)), 1e-300) if y.any() else float(np.sign(a[-1] * b[-1]))

    def step(self, start: Point, length: float) -> tuple[Point, int]:
        """A step from a place, and its iterations; Lost if it leads nowhere.

            |B^-1 (way + d)| = length,   d = x_1 + dp x_2,   K x_1 = -R,   K x_2 = -dR/dp,                     [path-1]

        of both dp the one whose way has the smaller angle to the one before."""
        x = self.loading
        x.go(start.at)
        way, before = length * start.direction, np.inf
        self._move(way)
        count = 0
        while count < MOST:
            count += 1
            if not x.linearise():
                raise Lost("the stiffness of the model is singular")
            x.iterations += 1
            one, two = (x.solve(right) for right in (-x.left, -x.load))
            dp = self._change(way[:-1], one, two, length)
            d = np.append(one + dp * two, dp)
            moved = x.motion(d[:-1])
            if not moved < 1.0:
                raise Lost("a step does not come to an end")
            self._move(d)
            way = way + np.append(d[:-1] * (self.scale > 0), dp)
            if moved < ROUNDING or (before < NEARLY and moved > before / 2):
                break
            before = moved
        else:
            raise Lost("a step does not come to an end")
        if self._cosine(way, start.direction) < BENT:
            raise Lost("the path turns too sharply")
        if not x._possible():
            raise Lost("an element of a beam is strained too far; take more elements")
        return self.here(way), count

    def _move(self, d: np.ndarray) -> None:
        self.loading.move(d[:-1])
        self.loading.part += float(d[-1])

    def _change(self, way: np.ndarray, one: np.ndarray, two: np.ndarray, length: float) -> float:
        """dp of path-1"""
        w, u, v = (self.scale * part for part in (way, one, two))
        a, b, c = v @ v, (w + u) @ v, (w + u) @ (w + u) - length**2
        root = b * b - a * c
        if not root >= 0 or not a > 0:
            raise Lost("a step does not come to an end")
        return float(max(((-b + sign * np.sqrt(root)) / a for sign in (1, -1)), key=lambda dp: (w + u + dp * v) @ w))

    def follow(self, points: int) -> Iterator[Point]:
        """Places on the path, those where it turns among them; ends where the factor is beyond ``until``. Lost if it cannot go on."""
        n = self.loading.d.system.n
        now = self.here(np.append(np.zeros(n), 1.0))
        yield now
        for _ in range(points - 1):
            length = min(self.length, SINGLE * self.until / max(abs(now.rising), 1e-300))
            while True:
                try:
                    new, count = self.step(now, length)
                    break
                except Lost:
                    length /= 2
                    if length < SHORTEST * self.longest and length < SHORTEST * SINGLE * self.until / max(abs(now.rising), 1e-300):
                        raise
            yield from self._between(now, new, length)
            yield new
            if abs(new.at.part) >= self.until:
                return
            self.length = min(self.longest, length * float(np.clip(np.sqrt(DESIRED / count), 0.5, 2.0)))
            now = new

    def _between(self, a: Point, b: Point, length: float) -> Iterator[Point]:
        """Places of the step from a to b where the factor turns, and where stiffnesses change their signs otherwise."""
        turns = a.rising * b.rising < 0
        if turns:
            found = self._turn(a, b, length)
            yield found._replace(kind=LIMIT)
        if a.negative is not None and b.negative is not None and abs(b.negative - a.negative) > int(turns):
            yield self._change_of_sign(a, b, length)._replace(kind=BRANCH)

    def _turn(self, a: Point, b: Point, length: float) -> Point:
        """Where the factor does not change along the path: regula falsi of Illinois on dp/ds by the length of the step."""
        low, high, f, g, best = 0.0, length, a.rising, b.rising, b
        for _ in range(HALVINGS):
            middle = high - g * (high - low) / (g - f)
            try:
                best = self.step(a, middle)[0]
            except Lost:
                break
            h = best.rising
            if h * g < 0:
                low, f = high, g
            else:
                f /= 2
            high, g = middle, h
            if abs(high - low) < CLOSE * length or abs(h) < CLOSE * max(abs(a.rising), abs(b.rising)):
                break
        return best

    def _change_of_sign(self, a: Point, b: Point, length: float) -> Point:
        low, high, best = 0.0, length, b
        while high - low > CLOSE * length:
            middle = (low + high) / 2
            try:
                found = self.step(a, middle)[0]
            except Lost:
                break
            if found.negative == a.negative:
                low = middle
            else:
                high, best = middle, found
        return best


class Lost(ModelError):
    """The path cannot be followed from a place."""
