"""Convex polytopes as numbers: nv, nf, ne; vertices (3 each); faces (outer normal, distance from the origin, 4 each); edges (numbers of two
vertices and two faces, 4 each). What users of one need."""
import numpy as np

from ..jit import jit
from ..so3 import cross, dot, scale, sub, vec


@jit
def counts(val, i):
    return int(val[i].real), int(val[i + 1].real), int(val[i + 2].real)


@jit
def vertex(val, i, k):
    return vec(val, i + 3 + 3 * k)


@jit
def faces_at(val, i):
    return i + 3 + 3 * int(val[i].real)


@jit
def edges_at(val, i):
    return faces_at(val, i) + 4 * int(val[i + 1].real)


@jit
def corner_number(val, i, e, which):
    """Number of a vertex of an edge, which is 0 or 1."""
    return int(val[edges_at(val, i) + 4 * e + which].real)


@jit
def face_of(val, i, e, which):
    """Number of a face of an edge."""
    return int(val[edges_at(val, i) + 4 * e + 2 + which].real)


@jit
def normal(val, i, k):
    return vec(val, faces_at(val, i) + 4 * k)


@jit
def above(val, i, k, x):
    """Height over the plane of a face."""
    f = faces_at(val, i) + 4 * k
    return dot(vec(val, f), x) - val[f + 3]


@jit
def highest(val, i, x):
    """The face that x is highest over, or least deep under, and how high."""
    best, most = 0, -np.inf
    for k in range(int(val[i + 1].real)):
        h = above(val, i, k, x).real
        if h > most:
            best, most = k, h
    return best, most


@jit
def highest_but(val, i, x, one):
    """How high x is over all faces but one."""
    most = -np.inf
    for k in range(int(val[i + 1].real)):
        if k != one:
            most = max(most, above(val, i, k, x).real)
    return most


@jit
def outward(u, n, other):
    """Of a face with normal n the direction in it, across its edge u, that leads away from the face; other: normal beyond the edge."""
    m = cross(u, n)
    m = scale(1 / np.sqrt(dot(m, m)), m)
    return m if dot(m, other).real > 0 else scale(-1.0, m)


@jit
def along_edge(val, i, e, x):
    """Start, direction and length of an edge, and how far along it x is from its start."""
    p = vertex(val, i, corner_number(val, i, e, 0))
    u = sub(vertex(val, i, corner_number(val, i, e, 1)), p)
    l = np.sqrt(dot(u, u))
    u = scale(1 / l, u)
    return p, u, l, dot(u, sub(x, p))
