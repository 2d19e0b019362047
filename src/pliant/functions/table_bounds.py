"""Tables with bounds of their pieces behind them, for `kernels.table_bounds`."""
from __future__ import annotations

import numpy as np

from .table import Table
from .table2 import Table2

Array = np.ndarray


def _bernstein(c: Array, h: Array, order: int) -> tuple[Array, Array]:
    """Bounds of cubics with coefficients c over distances from 0 to h, or of their slopes."""
    if order == 0:
        b = [c[:, 0], c[:, 0] + h * c[:, 1] / 3, c[:, 0] + h * (2 * c[:, 1] + h * c[:, 2]) / 3,
             c[:, 0] + h * (c[:, 1] + h * (c[:, 2] + h * c[:, 3]))]
    else:
        b = [c[:, 1], c[:, 1] + h * c[:, 2], c[:, 1] + h * (2 * c[:, 2] + 3 * h * c[:, 3])]
    return np.minimum.reduce(b), np.maximum.reduce(b)


def _doubled(bounds: tuple[Array, Array]) -> list[Array]:
    """The same over 1, 2, 4, ... pieces: the least of all, then the largest."""
    found = []
    for one, of_two in zip(bounds, (np.minimum, np.maximum), strict=True):
        level, k = one, 1
        while k <= one.size:
            found.append(np.append(level, np.zeros(one.size - level.size)))
            level, k = of_two(level[:-k], level[k:]), 2 * k
    return found


def packed(table: Table) -> Array:
    """See `kernels.tables`; and behind it bounds."""
    c, h = table.coefficients, np.diff(table.x)
    bounds = [level for order in (0, 1) for level in _doubled(_bernstein(c, h, order))]
    return np.concatenate([[table.x.size], table.x, c.ravel(), np.zeros(table.x.size), table.end_slopes, *bounds])


def packed2(table: Table2) -> Array:
    """The same of two variables."""
    flags, bounds = (table.beyond == "extrapolated") + 2 * (table.kind == "linear"), list[Array]()
    for by in ((0, 0), (1, 0), (0, 1)):
        low, high = table.bounds(by)
        bounds += [low.min(1), high.max(1), low.min(0), high.max(0)]
    return np.concatenate([[table.x.size, table.y.size, flags], table.x, table.y, table.coefficients.ravel(), *bounds])
