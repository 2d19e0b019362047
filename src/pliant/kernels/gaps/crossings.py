"""Where the lines of two segments cross, and what an edge of a polytope says about a neighbour.

An edge as numbers: its ends (3 + 3), outer normals of its two faces (3 + 3); then of its body: numbers of faces, vertices and directions of
edges, outer normals and distances from the origin of the faces (4 each), vertices, and unit vectors of the directions (3 each)."""
import numpy as np

from ..jit import jit
from ..so3 import add, cross, dot, scale, sub, vec
from .geometry import AWAY, axis, halfway, origin, turned, turned_back, unit
from .segments import feet

LENGTH = 15       # of an edge without its body
SHALLOW = 1e-9    # depth [m] that is not looked into
NEARER = 0.7      # of its depth: if bodies are less deep in each other along another direction, it is not this edge that touches
PARALLEL = 1e-12  # squared sine of an angle between lines that have no crossing
LINGER = 1e-6     # of the length of an edge: how far beyond its range a contact that pushes may go
TILT = 0.01       # [rad] so far a normal may look out of the range of an edge: flat faces on each other have their edges as corners


@jit
def normals_of(val, at):
    """Sum of the normals of an edge: a direction out of the body."""
    return add(vec(val, at + 6), vec(val, at + 9))


@jit
def crossing(p, u, q, v, out):
    """n = +-(u x v)/|u x v| along ``out``; s, t and points x = p + s u, y = q + t v, the nearest of the lines. False for parallel ones."""
    m, d = cross(u, v), sub(q, p)
    mm = dot(m, m)
    if mm.real <= PARALLEL * (dot(u, u) * dot(v, v)).real:
        return False, out, 0 * mm, 0 * mm, p, q
    n = scale((1.0 if dot(m, out).real >= 0 else -1.0) / np.sqrt(mm), m)
    s, t = dot(cross(d, v), m) / mm, dot(cross(d, u), m) / mm
    return True, n, s, t, add(p, scale(s, u)), add(q, scale(t, v))


@jit
def inside(s, length):
    """How far a foot is from the nearer end of its segment; negative beyond."""
    return min(s.real, 1 - s.real) * length


@jit
def slack_of_edge(val, at, a, n, s):
    """How far [m] an edge is from losing its contact: by its foot s, or by the direction n out of the body, which must be between the
    normals of its faces (angles times its length)."""
    u, n1, n2 = sub(vec(val, at + 3), vec(val, at)), vec(val, at + 6), vec(val, at + 9)
    length = np.sqrt(dot(u, u).real)
    m = scale(1 / length, cross(u, n1))
    turn = 1.0 if dot(m, n2).real > 0 else -1.0
    x = turned_back(a, n)  # sines of its angles from both normals, towards the other one:
    by_first, by_second = turn * dot(m, x).real, turn * dot(cross(x, n2), u).real / length
    return min(inside(s, length), length * (min(by_first, by_second) + TILT))


@jit
def faces_apart(val, at, a, i, count, b):
    """Of the faces of the body with the edge at val[at:]: the largest distance from one of them of the points of the other body, val[i:],
    all of them; negative: the least depth in which all faces have some of them."""
    nf, most = int(val[at + 12].real), -np.inf
    d = sub(origin(b), origin(a))
    for k in range(nf):
        f = at + LENGTH + 4 * k
        m = turned(a, vec(val, f))
        most = max(most, extent(val, i, count, turned_back(b, m), 1.0) + (dot(m, d) - val[f + 3]).real)
    return most


@jit
def extent(val, i, count, m, sign):
    """The least of m . x of points, times a sign."""
    least = np.inf
    for j in range(count):
        least = min(least, sign * dot(m, vec(val, i + 3 * j)).real)
    return least


@jit
def edges_apart(val, ia, na, ua, da, a, ib, nb, ub, db, b):
    """The same along all directions that are perpendicular to an edge of each. Points, their number, directions of edges, their number."""
    most, d = -np.inf, sub(origin(b), origin(a))
    for k in range(da):
        u = turned(a, vec(val, ua + 3 * k))
        for l in range(db):
            m = cross(u, turned(b, vec(val, ub + 3 * l)))
            mm = dot(m, m).real
            if mm > PARALLEL:
                m = scale(1 / np.sqrt(mm), m)
                ma, mb, between = turned_back(a, m), turned_back(b, m), dot(m, d).real
                most = max(most, extent(val, ib, nb, mb, 1.0) + extent(val, ia, na, ma, -1.0) + between)
                most = max(most, extent(val, ib, nb, mb, -1.0) + extent(val, ia, na, ma, 1.0) - between)
    return most


@jit
def points_of(val, at):
    """Where the vertices of the body with an edge stand, and their number."""
    return at + LENGTH + 4 * int(val[at + 12].real), int(val[at + 13].real)


@jit
def directions_of(val, at):
    """Where the directions of all its edges stand, and their number."""
    i, count = points_of(val, at)
    return i + 3 * count, int(val[at + 14].real)


@jit
def elsewhere(a, b):
    """The answer of a pair that cannot touch where it is."""
    n, c = axis(b, 2), scale(0.5, add(origin(a), origin(b)))
    return AWAY + 0 * n[0], n[0], n[1], n[2], c[0], c[1], c[2]


@jit
def passing(p, u, q, v, r, b):
    """What a search for touches sees of two segments with the radius r while they cannot touch where they are: | |d| - r | between their
    nearest points and a little more, so that it is never zero. It falls to that where they pass into each other between two samples."""
    s, t = feet(p, u, q, v)
    x = add(p, scale(s, u))
    l, n = unit(sub(add(q, scale(t, v)), x), axis(b, 2))
    side = 1.0 if l.real >= r.real else -1.0
    return halfway(side * (l - r) + LINGER * np.sqrt(dot(v, v).real), scale(side, n), x)


@jit
def always(val, at, a, b):
    """In place of `slack` of pairs that have a gap wherever they are."""
    return np.inf


@jit
def nowhere(val, at, a, b):
    """In place of `nearby` of such pairs."""
    return elsewhere(a, b)
