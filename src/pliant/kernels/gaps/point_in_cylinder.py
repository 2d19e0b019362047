"""A point with radius in the bore of B, about z from -h to h: a bearing with clearance; h may be infinite. val: the point in frame A (3),
its radius, radius R and half length h of the bore. Beyond its ends only the edge of the bore is there, not the face around it."""
from ..jit import index, jit
from ..so3 import vec
from .geometry import answer, both_round, place, place_in, turned, unit

WALL, TOP_RIM, BOTTOM_RIM = index(0, 1, 2)


@jit
def region(val, at, a, b):
    z, h = place_in(b, place(a, vec(val, at)))[2].real, val[at + 5].real
    if abs(z) <= h:
        return WALL, h - abs(z)
    return (TOP_RIM if z > 0 else BOTTOM_RIM), abs(z) - h


@jit
def on_region(val, at, a, b, number):
    """With rho = sqrt(x^2 + y^2) in frame B: wall g = R - r - rho, edges g = sqrt((R - rho)^2 + (|z| - h)^2) - r; n = -grad g  [gap-7]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    x = place_in(b, p)
    zero = 0 * x[2]
    rho, e = unit((x[0], x[1], zero), (zero + 1, zero, zero))
    u = val[at + 4] - rho
    if number == WALL:
        return answer(u - r, turned(b, (e[0], e[1], zero)), p, r)
    s = 1.0 if number == TOP_RIM else -1.0
    l, d = unit((u, zero, s * x[2] - val[at + 5]), (zero + 1, zero, zero))
    return answer(l - r, turned(b, (d[0] * e[0], d[0] * e[1], -s * d[2])), p, r)


@jit
def closest(val, at, a, b):
    """Once differentiable at the ends of the bore. On its middle line g has a tip, where it is largest."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """Zero at the edges: they are sharp."""
    r = val[at + 3]
    R = both_round(r, -val[at + 4])
    if region(val, at, a, b)[0] != WALL:
        return 0 * r, 0 * r
    return r, R
