"""Bounds of a table and of its slope over intervals."""
from __future__ import annotations

import numpy as np

from .table import Table

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
        if order == 1:  # constant beyond the ends
            beyond = (a[0] < x[0]) | (a[1] > x[-1])
            outside = (a[1] < x[0]) | (a[0] > x[-1])
            low, high = np.where(beyond, np.minimum(low, 0), low), np.where(beyond, np.maximum(high, 0), high)
            low, high = np.where(outside, 0.0, low), np.where(outside, 0.0, high)
        return low, high

    def piece(self, u: Array) -> Array:
        return np.clip(np.searchsorted(self.table.x, u, side="right") - 1, 0, self.table.x.size - 2)

    def number(self, u: Array) -> Array:
        """As the stack machine counts them: where it changes there is a kink."""
        inside = self.piece(u) + 1 if self.straight else np.zeros(u.size, int)
        return np.where(u < self.table.x[0], -1, np.where(u >= self.table.x[-1], 10**9, inside))
