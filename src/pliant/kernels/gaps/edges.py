"""An edge of one polytope against an edge of another. val: the edge of A (`crossings`), then that of B."""
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
    normals_of,
    passing,
    points_of,
    slack_of_edge,
)
from .geometry import NOWHERE, halfway, place, turned

CROSSED = index(0)


@jit
def other(val, at):
    """Where the edge of B stands."""
    i, count = directions_of(val, at)
    return i + 3 * count


@jit
def lines(val, at, a, b):
    """Starts and directions in the world."""
    i = other(val, at)
    p, q = place(a, vec(val, at)), place(b, vec(val, i))
    return p, sub(place(a, vec(val, at + 3)), p), q, sub(place(b, vec(val, i + 3)), q)


@jit
def apart(val, at, a, b):
    """The largest distance, negative: least depth, of the bodies along normals of faces and of pairs of edges."""
    i = other(val, at)
    (va, na), (vb, nb), (ua, da), (ub, db) = points_of(val, at), points_of(val, i), directions_of(val, at), directions_of(val, i)
    faces = max(faces_apart(val, at, a, vb, nb, b), faces_apart(val, i, b, va, na, a))
    return max(faces, edges_apart(val, va, na, ua, da, a, vb, nb, ub, db, b))


@jit
def region(val, at, a, b):
    """CROSSED where both feet are on the edges, n looks out of A and -n out of B, and, if they overlap, they do not less along another
    direction; else NOWHERE."""
    p, u, q, v = lines(val, at, a, b)
    found, n, s, t, x, y = crossing(p, u, q, v, turned(a, normals_of(val, at)))
    if not found:
        return NOWHERE, 0.0
    slack = min(slack_of_edge(val, at, a, n, s), slack_of_edge(val, other(val, at), b, scale(-1.0, n), t))
    g = dot(n, sub(y, x)).real
    if g < -SHALLOW and slack >= 0:
        slack = min(slack, NEARER * g - apart(val, at, a, b))
    return (CROSSED, slack) if slack >= 0 else (NOWHERE, -slack)


@jit
def on_region(val, at, a, b, number):
    """u, v: directions, n = +-(u x v)/|u x v| out of A,  g = n . (q - p),  c half-way between the feet            [gap-11]"""
    p, u, q, v = lines(val, at, a, b)
    found, n, _, _, x, y = crossing(p, u, q, v, turned(a, normals_of(val, at)))
    if number == NOWHERE or not found:
        return elsewhere(a, b)
    return halfway(dot(n, sub(y, x)), n, x)


@jit
def closest(val, at, a, b):
    """Smooth while the edges cross; g jumps to and from AWAY where other features take over, some of which touch then."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """They are sharp."""
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
    return passing(p, u, q, v, 0 * val[at], b)


@jit
def length(val, at):
    u = sub(vec(val, at + 3), vec(val, at))
    return np.sqrt(dot(u, u).real)
