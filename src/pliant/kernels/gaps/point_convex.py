"""A point with radius against a convex polytope of B, solid. val: the point in frame A (3), its radius, the polytope (`polytope`)."""
import numpy as np

from ..jit import index, jit
from ..so3 import add, dot, scale, sub, vec
from .geometry import answer, place, place_in, turned, unit
from .polytope import above, along_edge, corner_number, counts, face_of, highest, highest_but, normal, outward, vertex

BODY = index(4)
FLAT = 1e-12  # so far [m, and of the height over a face] its foot may be outside of the polytope


@jit
def distance_from_edge(val, i, e, x):
    """From its line, and how far along it the foot is, and its length."""
    p, u, l, s = along_edge(val, i, e, x)
    d = sub(x, add(p, scale(s, u)))
    return np.sqrt(dot(d, d).real), s.real, l.real


@jit
def nearest(val, i, x):
    """Region of a point outside: all feet on faces, edges and vertices that belong to the polytope are its points, and the nearest point
    is among them. Nothing is nearer than the foot on a face, and there is one such face."""
    nv, nf, ne = counts(val, i)
    for k in range(nf):
        h = above(val, i, k, x).real
        if h > 0 and highest(val, i, sub(x, scale(h, normal(val, i, k))))[1] <= FLAT * (1 + h):
            return k
    best, number = np.inf, 0
    for e in range(ne):
        d, s, l = distance_from_edge(val, i, e, x)
        if s > 0 and s < l and d < best:
            best, number = d, nf + e
    for k in range(nv):
        y = sub(x, vertex(val, i, k))
        d = np.sqrt(dot(y, y).real)
        if d <= best:
            best, number = d, nf + ne + k
    return number


@jit
def margin_of(val, i, x, number):
    """How far the point is from the border of its region, outside."""
    _, nf, ne = counts(val, i)
    if number < nf:
        foot = sub(x, scale(above(val, i, number, x).real, normal(val, i, number)))
        return max(0.0, -highest_but(val, i, foot, number))
    if number < nf + ne:
        p, u, l, s = along_edge(val, i, number - nf, x)
        d = sub(x, add(p, scale(s, u)))
        n, m = normal(val, i, face_of(val, i, number - nf, 0)), normal(val, i, face_of(val, i, number - nf, 1))
        over = min(dot(d, outward(u, n, m)).real, dot(d, outward(u, m, n)).real)
        return max(0.0, min(min(s.real, (l - s).real), over))
    margin = np.inf
    for e in range(ne):
        d, s, l = distance_from_edge(val, i, e, x)
        if corner_number(val, i, e, 0) == number - nf - ne:
            margin = min(margin, -s)
        elif corner_number(val, i, e, 1) == number - nf - ne:
            margin = min(margin, s - l)
    return max(0.0, margin)


@jit
def region(val, at, a, b):
    """Numbers of faces, then of edges, then of vertices. From inside the nearest face."""
    y = place_in(b, place(a, vec(val, at)))
    x, i = (y[0].real, y[1].real, y[2].real), at + BODY
    k, h = highest(val, i, x)
    if h <= 0:
        return k, h - highest_but(val, i, x, k)
    number = nearest(val, i, x)
    return number, margin_of(val, i, x, number)


@jit
def on_region(val, at, a, b, number):
    """In frame B: face g = h - r, h = n_k . x - d_k, also inside; edge g = |d| - r, d from the foot on its line; vertex the same from
    itself; n = -grad g                                                                                  [gap-10]"""
    p, r, i = place(a, vec(val, at)), val[at + 3], at + BODY
    _, nf, ne = counts(val, i)
    x = place_in(b, p)
    if number < nf:
        n = turned(b, normal(val, i, number))
        return answer(above(val, i, number, x) - r, scale(-1.0, n), p, r)
    if number < nf + ne:
        q, u, l, s = along_edge(val, i, number - nf, x)
        d = sub(x, add(q, scale(s, u)))
    else:
        d = sub(x, vertex(val, i, number - nf - ne))
    l, d = unit(d, (0 * x[0] + 1, 0 * x[0], 0 * x[0]))
    return answer(l - r, scale(-1.0, turned(b, d)), p, r)


@jit
def closest(val, at, a, b):
    """Once differentiable between faces, edges and vertices outside; inside, where two faces are equally near, it has a kink."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """Zero at edges and vertices: they are sharp."""
    number, r = region(val, at, a, b)[0], val[at + 3]
    return (r, r) if number < counts(val, at + BODY)[1] else (0 * r, 0 * r)
