"""What the pairs share: places and directions of a pose, unit vectors that are always finite, and the answer."""
import numpy as np

from ..jit import index, jit
from ..so3 import add, dot, scale, sub

AWAY = 1e9            # gap [m] of a pair that cannot touch where it is
NOWHERE = index(-1)   # its region
LEAST = 1e-200        # square of a length that counts as zero


@jit
def origin(a):
    return a[0], a[1], a[2]


@jit
def axis(a, k):
    """Column k of the axes of a pose."""
    return a[3 + k], a[6 + k], a[9 + k]


@jit
def turned(a, x):
    """A x: a direction in world axes."""
    return (a[3] * x[0] + a[4] * x[1] + a[5] * x[2], a[6] * x[0] + a[7] * x[1] + a[8] * x[2], a[9] * x[0] + a[10] * x[1] + a[11] * x[2])


@jit
def turned_back(a, x):
    """A^T x: a direction of the world in the axes of the frame."""
    return (a[3] * x[0] + a[6] * x[1] + a[9] * x[2], a[4] * x[0] + a[7] * x[1] + a[10] * x[2], a[5] * x[0] + a[8] * x[1] + a[11] * x[2])


@jit
def place(a, x):
    """p + A x: a place of the frame in the world."""
    return add(origin(a), turned(a, x))


@jit
def place_in(b, x):
    """A^T (x - p): a place of the world in the frame."""
    return turned_back(b, sub(x, origin(b)))


@jit
def unit(d, spare):
    """|d| and d/|d|; where d is zero, zero and ``spare``."""
    l2 = dot(d, d)
    if l2.real < LEAST:
        return 0 * l2, spare
    l = np.sqrt(l2)
    return l, scale(1 / l, d)


@jit
def answer(g, n, p, r):
    """(g, n, c) of a point p of A with radius r: c = p + (r + g/2) n, or p + g n if r is zero."""
    c = add(p, scale(r + (g / 2 if r.real > 0 else g), n))
    return g, n[0], n[1], n[2], c[0], c[1], c[2]


@jit
def halfway(g, n, x):
    """(g, n, c) with c half-way from the point x of A."""
    c = add(x, scale(g / 2, n))
    return g, n[0], n[1], n[2], c[0], c[1], c[2]


@jit
def both_round(r, s):
    """1 / (1/r + 1/s), radius of two that touch; s negative: r is inside of it. 0 for a point, inf where they are the same or both flat."""
    if r.real == 0 or s.real == 0:
        return 0 * r
    return 1 / (1 / r + 1 / s)
