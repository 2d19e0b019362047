"""A vertex of a polytope against the side of a capsule. val: the vertex in frame A (3), number of its edges, their unit vectors away from
it (3 each), then the ends of the segment in frame B (3 + 3), its radius."""
import numpy as np

from ..jit import index, jit
from ..so3 import add, cross, dot, scale, sub, vec
from .crossings import LINGER, TILT, elsewhere, inside, passing
from .geometry import NOWHERE, axis, place, turned, unit

TOUCHED = index(0)


@jit
def other(val, at):
    """Where the segment stands."""
    return at + 4 + 3 * int(val[at + 3].real)


@jit
def foot(val, at, a, b):
    """The vertex, direction of the segment, and where it is nearest: t and p + t v."""
    x, i = place(a, vec(val, at)), other(val, at)
    p = place(b, vec(val, i))
    v = sub(place(b, vec(val, i + 3)), p)
    t = dot(v, sub(x, p)) / dot(v, v)
    return x, v, t, add(p, scale(t, v))


@jit
def region(val, at, a, b):
    """TOUCHED where the foot is on the segment and the vertex is the nearest of its body, seen from there; else NOWHERE."""
    x, v, t, y = foot(val, at, a, b)
    d = sub(y, x)
    slack = inside(t, np.sqrt(dot(v, v).real))
    for k in range(int(val[at + 3].real)):
        along = dot(turned(a, vec(val, at + 4 + 3 * k)), d).real
        slack = min(slack, TILT * np.sqrt(dot(d, d).real) - along)
    return (TOUCHED, slack) if slack >= 0 else (NOWHERE, -slack)


@jit
def on_region(val, at, a, b, number):
    """d from the vertex to the foot,  g = |d| - R,  n = d/|d|                                             [gap-13]"""
    if number == NOWHERE:
        return elsewhere(a, b)
    x, v, _, y = foot(val, at, a, b)
    R = val[other(val, at) + 6]
    l, n = unit(sub(y, x), unit(cross(v, axis(b, 0)), axis(b, 1))[1])
    c = add(x, scale(l - R, n))
    return l - R, n[0], n[1], n[2], c[0], c[1], c[2]


@jit
def closest(val, at, a, b):
    """Smooth while the vertex touches; g jumps to and from AWAY where an edge or face, or an end of the segment, takes over."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """The vertex is sharp."""
    return 0 * val[at], 0 * val[at]


@jit
def slack(val, at, a, b):
    """How far [m] the pair is from losing its contact, and a little more: rounding is no end of it."""
    number, margin = region(val, at, a, b)
    v = foot(val, at, a, b)[1]
    return (margin if number != NOWHERE else -margin) + LINGER * np.sqrt(dot(v, v).real)


@jit
def nearby(val, at, a, b):
    """While it has none: see `passing`."""
    i, x = other(val, at), place(a, vec(val, at))
    q = place(b, vec(val, i))
    return passing(x, scale(0.0, x), q, sub(place(b, vec(val, i + 3)), q), val[i + 6], b)
