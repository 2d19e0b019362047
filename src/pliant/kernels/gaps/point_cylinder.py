"""A point with radius against a solid cylinder of B about z, from -h to h, flat ends; h may be infinite.
val: the point in frame A (3), its radius, radius R and half length h."""
import numpy as np

from ..jit import index, jit
from ..so3 import vec
from .geometry import answer, both_round, place, place_in, turned, unit

SIDE, TOP, BOTTOM, TOP_RIM, BOTTOM_RIM = index(0, 1, 2, 3, 4)


@jit
def nearest(u, z, h):
    """Region and margin by the distances from the side, u, and from the ends, w = |z| - h; both negative inside."""
    w = abs(z) - h
    if u > 0 and w > 0:
        return (TOP_RIM if z > 0 else BOTTOM_RIM), min(u, w)
    if u >= w:
        return SIDE, min(-w, (u - w) / np.sqrt(2.0))
    return (TOP if z > 0 else BOTTOM), min(min(-u, (w - u) / np.sqrt(2.0)), abs(z))


@jit
def region(val, at, a, b):
    """By u = rho - R and w = |z| - h: a rim where both are positive, else the face with the larger one."""
    x = place_in(b, place(a, vec(val, at)))
    return nearest(np.sqrt(x[0].real * x[0].real + x[1].real * x[1].real) - val[at + 4].real, x[2].real, val[at + 5].real)


@jit
def on_region(val, at, a, b, number):
    """With rho = sqrt(x^2 + y^2) and the side s of z = +-1 in frame B: side g = rho - R - r, ends g = s z - h - r,
    rims g = sqrt((rho - R)^2 + (s z - h)^2) - r; n = -grad g                                            [gap-6]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    x = place_in(b, p)
    zero = 0 * x[2]
    rho, e = unit((x[0], x[1], zero), (zero + 1, zero, zero))
    u, s = rho - val[at + 4], (-1.0 if number in (BOTTOM, BOTTOM_RIM) else 1.0)
    if number == SIDE:
        return answer(u - r, turned(b, (-e[0], -e[1], zero)), p, r)
    w = s * x[2] - val[at + 5]
    if number in (TOP, BOTTOM):
        return answer(w - r, turned(b, (zero, zero, zero - s)), p, r)
    l, d = unit((u, zero, w), (zero + 1, zero, zero))
    return answer(l - r, turned(b, (-d[0] * e[0], -d[0] * e[1], -s * d[2])), p, r)


@jit
def closest(val, at, a, b):
    """Once differentiable between faces and rims outside; inside, where two faces are equally near, it has a kink, and on the middle
    line a tip."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """Zero at a rim: it is sharp."""
    number, r, R = region(val, at, a, b)[0], val[at + 3], val[at + 4]
    if number == SIDE:
        return both_round(r, R), r
    return (r, r) if number in (TOP, BOTTOM) else (0 * r, 0 * r)
