"""Bounds of tables of the stack machine (`tables`) over intervals. Behind a table stand those of its pieces: of the value, then of the
slope, the least and the largest of 1, 2, 4, ... pieces from each on. Behind one of two variables, of the value and of its slopes by x
and y: the least and the largest in cells of each x, and of each y (`functions.table_bounds`)."""
import numpy as np

from .interval_arithmetic import ordered, smaller
from .jit import jit
from .states import larger
from .tables import table_interval, table_value

FAR = 1.7976931348623157e308  # the largest number


@jit
def levels(pieces):
    """How many powers of two are not more than that."""
    found = 0
    while 2 ** found <= pieces:
        found += 1
    return found


@jit
def whole(val, i, n, order, begin, end):
    """Of pieces from ``begin`` to ``end``, without that."""
    if end <= begin:
        return np.inf, -np.inf
    m, k = n - 1, levels(end - begin) - 1
    low = i + 6 * n - 1 + (2 * order * levels(m) + k) * m
    high, last = low + levels(m) * m, end - 2 ** k
    return smaller(val[low + begin], val[low + last]), larger(val[high + begin], val[high + last])


@jit
def part(val, i, n, order, piece, u, v):
    """Of one piece from u to v, by Bernstein's form."""
    c, d, h = i + 1 + n + 4 * piece, u - val[i + 1 + piece], v - u
    c0, c1 = val[c] + d * (val[c + 1] + d * (val[c + 2] + d * val[c + 3])), val[c + 1] + d * (2 * val[c + 2] + 3 * d * val[c + 3])
    c2, c3 = val[c + 2] + 3 * d * val[c + 3], val[c + 3]
    if order == 1:
        b1, b2 = c1 + h * c2, c1 + h * (2 * c2 + 3 * h * c3)
        return smaller(c1, smaller(b1, b2)), larger(c1, larger(b1, b2))
    b1, b2, b3 = c0 + h * c1 / 3, c0 + h * (2 * c1 + h * c2) / 3, c0 + h * (c1 + h * (c2 + h * c3))
    return smaller(smaller(c0, b1), smaller(b2, b3)), larger(larger(c0, b1), larger(b2, b3))


@jit
def joined(a, b):
    return smaller(a[0], b[0]), larger(a[1], b[1])


@jit
def finite(x):
    return min(max(x, -FAR), FAR)


@jit
def outside(val, i, order, a, slope, end, before, all_of, found):
    """With what is beyond one end, where a table is straight."""
    if order == 1:
        if all_of:
            return slope, slope
        return joined(found, (slope, slope)) if before else found
    if slope == 0:
        return found
    if before and not (np.isfinite(a[0]) and np.isfinite(a[1])):
        return -np.inf, np.inf
    return joined(found, ordered(table_value(val, i, 0, finite(a[0]) if before else end),
                                 table_value(val, i, 0, finite(a[1]) if before else end)))


@jit
def table_bounds(val, i, order, a):
    """Of the table at val[i] (order 0), or of its slope (1)."""
    n = int(val[i])
    first, last = val[i + 1], val[i + n]
    u, v = min(max(a[0], first), last), min(max(a[1], first), last)
    j, k = table_interval(val, i, n, u), table_interval(val, i, n, v)
    found = part(val, i, n, order, j, u, min(v, val[i + 2 + j]))
    found = joined(found, part(val, i, n, order, k, max(u, val[i + 1 + k]), v))
    found = joined(found, whole(val, i, n, order, j + 1, k))
    found = outside(val, i, order, a, val[i + 6 * n - 3], first, a[0] < first, a[1] < first, found)
    return outside(val, i, order, a, val[i + 6 * n - 2], last, a[1] > last, a[0] > last, found)


@jit
def straight_piece(val, i, u, straight):
    """A number that changes where a table has a kink, as the stack machine counts them."""
    n = int(val[i])
    if u < val[i + 1] or u >= val[i + n]:
        return -1 if u < val[i + 1] else -2
    return table_interval(val, i, n, u) + 1 if straight else 0


# -- of two variables
@jit
def within(val, first, count, k, j):
    """The least and the largest of cells k to j: the largest stand behind the least."""
    low, high = np.inf, -np.inf
    for c in range(k, j + 1):
        low, high = smaller(low, val[first + c]), larger(high, val[first + count + c])
    return low, high


@jit
def cells(val, grid, n, a):
    """The first and the last that bounds touch; ``grid``: place in front of n breakpoints."""
    return table_interval(val, grid, n, a[0]), table_interval(val, grid, n, a[1])


@jit
def beyond_edges(val, i, x, y):
    """Whether a rectangle is not all within the edges."""
    n, m = int(val[i]), int(val[i + 1])
    return x[0] < val[i + 3] or x[1] > val[i + 2 + n] or y[0] < val[i + 3 + n] or y[1] > val[i + 2 + n + m]


@jit
def surface_bounds(val, i, by, x, y):
    """Over a rectangle, of the value (by = 0) or of its slope by x (1) or y (2): those of all cells that it touches in x, and in y."""
    n, m = int(val[i]), int(val[i + 1])
    at = i + 3 + n + m + 16 * (n - 1) * (m - 1) + by * 2 * (n + m - 2)
    j, k = cells(val, i + 2, n, x)
    rows = within(val, at, n - 1, j, k)
    j, k = cells(val, i + 2 + n, m, y)
    columns = within(val, at + 2 * (n - 1), m - 1, j, k)
    low, high = larger(rows[0], columns[0]), smaller(rows[1], columns[1])
    if beyond_edges(val, i, x, y):
        if int(val[i + 2]) % 2 == 1:  # extrapolated
            return -np.inf, np.inf
        if by > 0:
            return smaller(low, 0.0), larger(high, 0.0)
    return low, high


@jit
def same_cell(val, i, x, y):
    """Whether a rectangle has no kink in it."""
    if beyond_edges(val, i, x, y):
        return False
    if val[i + 2] < 2:  # cubic
        return True
    n, m = int(val[i]), int(val[i + 1])
    j, k = cells(val, i + 2, n, x)
    l, o = cells(val, i + 2 + n, m, y)
    return j == k and l == o
