"""Bounds of tables and of their slopes over intervals."""
from __future__ import annotations

import numpy as np

from .table import Table
from .table2 import Table2

Array = np.ndarray
Pair = tuple[Array, Array]


class Pieces:
    """Bounds of a table and of its slope over any interval: exact for whole pieces, by Bernstein's form for parts of them."""

    def __init__(self, table: Table) -> None:
        self.table, c, h = table, table.coefficients, np.diff(table.x)
        self.straight = bool((c[:, 2:] == 0).all())
        self.levels = [self._doubled(*bounds) for bounds in (self._bernstein(c, h, 0), self._bernstein(c, h, 1))]

    @staticmethod
    def _bernstein(c: Array, h: Array, order: int) -> Pair:
        """Of the cubics with coefficients c over distances from 0 to h, or of their slopes."""
        if order == 0:
            b = [c[:, 0], c[:, 0] + h * c[:, 1] / 3, c[:, 0] + h * (2 * c[:, 1] + h * c[:, 2]) / 3,
                 c[:, 0] + h * (c[:, 1] + h * (c[:, 2] + h * c[:, 3]))]
        else:
            b = [c[:, 1], c[:, 1] + h * c[:, 2], c[:, 1] + h * (2 * c[:, 2] + 3 * h * c[:, 3])]
        return np.minimum.reduce(b), np.maximum.reduce(b)

    @staticmethod
    def _doubled(low: Array, high: Array) -> list[Pair]:
        """The same over 1, 2, 4, ... pieces."""
        levels = [(low, high)]
        while 2 ** len(levels) <= levels[0][0].size:
            k, (low, high) = 2 ** (len(levels) - 1), levels[-1]
            levels.append((np.minimum(low[:-k], low[k:]), np.maximum(high[:-k], high[k:])))
        return levels

    def _whole(self, order: int, begin: Array, end: Array) -> Pair:
        """Of pieces from ``begin`` to ``end``, without that."""
        low, high, count = np.full(begin.size, np.inf), np.full(begin.size, -np.inf), end - begin
        level = np.where(count > 0, np.log2(np.maximum(count, 1)).astype(int), -1)
        for k, (lows, highs) in enumerate(self.levels[order]):
            rows = np.flatnonzero(level == k)
            for first in (begin[rows], end[rows] - 2**k):
                low[rows], high[rows] = np.minimum(low[rows], lows[first]), np.maximum(high[rows], highs[first])
        return low, high

    def _part(self, order: int, piece: Array, u: Array, v: Array) -> Pair:
        """Of one piece, from u to v."""
        c, d = self.table.coefficients[piece], u - self.table.x[piece]
        moved = np.stack([c[:, 0] + d * (c[:, 1] + d * (c[:, 2] + d * c[:, 3])), c[:, 1] + d * (2 * c[:, 2] + 3 * d * c[:, 3]),
                          c[:, 2] + 3 * d * c[:, 3], c[:, 3]], 1)
        return self._bernstein(moved, v - u, order)

    def __call__(self, order: int, a: Pair) -> Pair:
        x = self.table.x
        u, v = (np.clip(np.nan_to_num(end, posinf=np.inf, neginf=-np.inf), x[0], x[-1]) for end in a)
        i, j = (self.piece(end) for end in (u, v))
        low, high = self._part(order, i, u, np.minimum(v, x[i + 1]))
        for more in (self._part(order, j, np.maximum(u, x[j]), v), self._whole(order, i + 1, j)):
            low, high = np.minimum(low, more[0]), np.maximum(high, more[1])
        for slope, end, before, all_of in ((self.table.end_slopes[0], x[0], a[0] < x[0], a[1] < x[0]),
                                           (self.table.end_slopes[1], x[-1], a[1] > x[-1], a[0] > x[-1])):
            if order == 1:  # straight beyond the ends
                low, high = np.where(before, np.minimum(low, slope), low), np.where(before, np.maximum(high, slope), high)
                low, high = np.where(all_of, slope, low), np.where(all_of, slope, high)
            elif slope:
                at = [self.table.evaluate(np.where(before, np.nan_to_num(limit), end)) for limit in a]
                low, high = np.minimum(low, np.minimum(*at)), np.maximum(high, np.maximum(*at))
                lost = before & ~(np.isfinite(a[0]) & np.isfinite(a[1]))
                low, high = np.where(lost, -np.inf, low), np.where(lost, np.inf, high)
        return low, high

    def piece(self, u: Array) -> Array:
        return np.clip(np.searchsorted(self.table.x, u, side="right") - 1, 0, self.table.x.size - 2)

    def number(self, u: Array) -> Array:
        """As the stack machine counts them: where it changes there is a kink."""
        inside = self.piece(u) + 1 if self.straight else np.zeros(u.size, int)
        return np.where(u < self.table.x[0], -1, np.where(u >= self.table.x[-1], 10**9, inside))


class Cells:
    """Bounds of a table of two variables and of its slopes over rectangles: those of all cells that they touch in x, and in y."""

    def __init__(self, table: Table2) -> None:
        self.table = table
        self.found = {by: table.bounds(by) for by in ((0, 0), (1, 0), (0, 1))}

    def _cells(self, grid: Array, a: Pair) -> tuple[Array, Array]:
        first, last = (np.clip(np.searchsorted(grid, np.nan_to_num(end, posinf=np.inf, neginf=-np.inf), side="right") - 1, 0, grid.size - 2)
                       for end in a)
        return first, last

    def __call__(self, by: tuple[int, int], x: Pair, y: Pair) -> Pair:
        low, high = self.found[by]
        bounds = []
        for grid, a, axis in ((self.table.x, x, 1), (self.table.y, y, 0)):
            lows, highs, (first, last) = low.min(axis), high.max(axis), self._cells(grid, a)
            bounds.append((np.array([lows[i:j + 1].min() for i, j in zip(first, last, strict=True)]),
                           np.array([highs[i:j + 1].max() for i, j in zip(first, last, strict=True)])))
        found = np.maximum(bounds[0][0], bounds[1][0]), np.minimum(bounds[0][1], bounds[1][1])
        outside = self.beyond(x, y)
        if self.table.beyond == "extrapolated":
            return np.where(outside, -np.inf, found[0]), np.where(outside, np.inf, found[1])
        if by == (0, 0):
            return found
        return np.where(outside, np.minimum(found[0], 0), found[0]), np.where(outside, np.maximum(found[1], 0), found[1])

    def beyond(self, x: Pair, y: Pair) -> Array:
        """Whether a rectangle is not all within the edges."""
        t = self.table
        return (x[0] < t.x[0]) | (x[1] > t.x[-1]) | (y[0] < t.y[0]) | (y[1] > t.y[-1])

    def same_piece(self, x: Pair, y: Pair) -> Array:
        """Whether a rectangle has no kink in it."""
        if self.table.kind != "linear":
            return ~self.beyond(x, y)
        pairs = [self._cells(grid, a) for grid, a in ((self.table.x, x), (self.table.y, y))]
        return ~self.beyond(x, y) & (pairs[0][0] == pairs[0][1]) & (pairs[1][0] == pairs[1][1])
