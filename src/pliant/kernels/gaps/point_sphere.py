"""A point with radius against a sphere about the origin of B, from outside. val: the point in frame A (3), its radius, radius of B."""
import numpy as np

from ..jit import index, jit
from ..so3 import sub, vec
from .geometry import answer, axis, both_round, origin, place, unit

WHOLE = index(0)


@jit
def closest(val, at, a, b):
    """d = p_B - p,  g = |d| - r_A - R_B,  n = d/|d|: smooth but for d = 0, where n = z_B                      [gap-2]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    l, n = unit(sub(origin(b), p), axis(b, 2))
    return answer(l - r - val[at + 4], n, p, r)


@jit
def region(val, at, a, b):
    return WHOLE, np.inf


@jit
def on_region(val, at, a, b, number):
    return closest(val, at, a, b)


@jit
def radii(val, at, a, b):
    r = both_round(val[at + 3], val[at + 4])
    return r, r
