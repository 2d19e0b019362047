"""A point with radius on a plane: also a sphere, an end of a capsule, a vertex. The plane is that of x and y of B, its body below it.
val: the point in frame A (3), its radius.
"""
import numpy as np

from ..jit import index, jit
from ..so3 import dot, scale, sub, vec
from .geometry import answer, axis, origin, place

WHOLE = index(0)


@jit
def closest(val, at, a, b):
    """g = z_B . (p - p_B) - r,  n = -z_B: smooth everywhere                                             [gap-1]"""
    z, p, r = axis(b, 2), place(a, vec(val, at)), val[at + 3]
    return answer(dot(z, sub(p, origin(b))) - r, scale(-1.0, z), p, r)


@jit
def region(val, at, a, b):
    return WHOLE, np.inf


@jit
def on_region(val, at, a, b, number):
    return closest(val, at, a, b)


@jit
def radii(val, at, a, b):
    return val[at + 3], val[at + 3]
