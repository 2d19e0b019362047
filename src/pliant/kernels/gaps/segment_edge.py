"""A segment with radius across an edge of a polytope. val: its ends in frame A (3 + 3), its radius, its unit vector (3),
the edge of B (`crossings`)."""
import numpy as np

from ..jit import index, jit
from ..so3 import dot, scale, sub, vec
from .crossings import (
    LINGER,
    NEARER,
    SHALLOW,
    crossing,
    directions_of,
    edges_apart,
    elsewhere,
    faces_apart,
    inside,
    normals_of,
    passing,
    points_of,
    slack_of_edge,
)
from .geometry import NOWHERE, answer, place, turned

CROSSED, EDGE = index(0, 10)


@jit
def lines(val, at, a, b):
    """Starts and directions in the world."""
    p, q = place(a, vec(val, at)), place(b, vec(val, at + EDGE))
    return p, sub(place(a, vec(val, at + 3)), p), q, sub(place(b, vec(val, at + EDGE + 3)), q)


@jit
def out_of_b(val, at, b):
    return scale(-1.0, turned(b, normals_of(val, at + EDGE)))


@jit
def apart(val, at, a, b):
    """The largest distance, negative: least depth, of the middle line and B along normals of faces, and of pairs of edges."""
    i = at + EDGE
    (vb, nb), (ub, db) = points_of(val, i), directions_of(val, i)
    return max(faces_apart(val, i, b, at, 2, a), edges_apart(val, at, 2, at + 7, 1, a, vb, nb, ub, db, b))


@jit
def region(val, at, a, b):
    """CROSSED where both feet are on their segments, -n looks out of B, and, if the middle line is inside, it is not less deep along
    another direction; else NOWHERE."""
    p, u, q, v = lines(val, at, a, b)
    found, n, s, t, x, y = crossing(p, u, q, v, out_of_b(val, at, b))
    if not found:
        return NOWHERE, 0.0
    slack = min(inside(s, np.sqrt(dot(u, u).real)), slack_of_edge(val, at + EDGE, b, scale(-1.0, n), t))
    g = dot(n, sub(y, x)).real
    if g < -SHALLOW and slack >= 0:
        slack = min(slack, NEARER * g - apart(val, at, a, b))
    return (CROSSED, slack) if slack >= 0 else (NOWHERE, -slack)


@jit
def on_region(val, at, a, b, number):
    """u, v: directions, n = +-(u x v)/|u x v| into B,  g = n . (q - p) - r                                [gap-12]"""
    p, u, q, v = lines(val, at, a, b)
    found, n, _, _, x, y = crossing(p, u, q, v, out_of_b(val, at, b))
    if number == NOWHERE or not found:
        return elsewhere(a, b)
    r = val[at + 6]
    return answer(dot(n, sub(y, x)) - r, n, x, r)


@jit
def closest(val, at, a, b):
    """Smooth while they cross; g jumps to and from AWAY where an end of the segment, a vertex or a face takes over."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """The edge is sharp."""
    return 0 * val[at], 0 * val[at]


@jit
def slack(val, at, a, b):
    """How far [m] the pair is from losing its contact, and a little more: rounding is no end of it."""
    number, margin = region(val, at, a, b)
    return (margin if number != NOWHERE else -margin) + LINGER * length(val, at)


@jit
def nearby(val, at, a, b):
    """While it has none: see `passing`."""
    p, u, q, v = lines(val, at, a, b)
    return passing(p, u, q, v, val[at + 6], b)


@jit
def length(val, at):
    u = sub(vec(val, at + EDGE + 3), vec(val, at + EDGE))
    return np.sqrt(dot(u, u).real)
