"""A point with radius inside of a hollow sphere about the origin of B: a spherical joint with clearance. val: the point in frame A (3),
its radius, inner radius of B."""
import numpy as np

from ..jit import index, jit
from ..so3 import sub, vec
from .geometry import answer, axis, both_round, origin, place, unit

WHOLE = index(0)


@jit
def closest(val, at, a, b):
    """d = p - p_B,  g = R_B - r_A - |d|,  n = d/|d|: smooth but for d = 0, where n = z_B: there g is largest    [gap-3]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    l, n = unit(sub(p, origin(b)), axis(b, 2))
    return answer(val[at + 4] - r - l, n, p, r)


@jit
def region(val, at, a, b):
    return WHOLE, np.inf


@jit
def on_region(val, at, a, b, number):
    return closest(val, at, a, b)


@jit
def radii(val, at, a, b):
    r = both_round(val[at + 3], -val[at + 4])
    return r, r
