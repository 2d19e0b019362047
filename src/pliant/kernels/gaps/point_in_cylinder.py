"""A point with radius in the bore of B, a round hole about z through a plate from -h to h: a bearing with clearance; h may be infinite.
val: the point in frame A (3), its radius, radius R and half length h of the bore."""
import numpy as np

from ..jit import jit
from ..so3 import vec
from .geometry import answer, both_round, place, place_in, turned, unit
from .point_cylinder import BOTTOM, BOTTOM_RIM, SIDE, TOP, TOP_RIM, nearest


@jit
def region(val, at, a, b):
    """By u = R - rho and w = |z| - h: an edge of the bore where both are positive, else the wall (SIDE) or face with the larger one."""
    x = place_in(b, place(a, vec(val, at)))
    return nearest(val[at + 4].real - np.sqrt(x[0].real * x[0].real + x[1].real * x[1].real), x[2].real, val[at + 5].real)


@jit
def on_region(val, at, a, b, number):
    """With rho = sqrt(x^2 + y^2), u = R - rho and the side s of z = +-1 in frame B: wall g = u - r, faces g = s z - h - r,
    edges g = sqrt(u^2 + (s z - h)^2) - r; n = -grad g                                                   [gap-7]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    x = place_in(b, p)
    zero = 0 * x[2]
    rho, e = unit((x[0], x[1], zero), (zero + 1, zero, zero))
    u, s = val[at + 4] - rho, (-1.0 if number in (BOTTOM, BOTTOM_RIM) else 1.0)
    if number == SIDE:
        return answer(u - r, turned(b, (e[0], e[1], zero)), p, r)
    w = s * x[2] - val[at + 5]
    if number in (TOP, BOTTOM):
        return answer(w - r, turned(b, (zero, zero, zero - s)), p, r)
    l, d = unit((u, zero, w), (zero + 1, zero, zero))
    return answer(l - r, turned(b, (d[0] * e[0], d[0] * e[1], -s * d[2])), p, r)


@jit
def closest(val, at, a, b):
    """Once differentiable between wall, edges and faces outside of the plate. On the middle line g has a tip, where it is largest; inside
    of the plate a kink where wall and face are equally near."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """Zero at the edges: they are sharp."""
    number, r = region(val, at, a, b)[0], val[at + 3]
    R = both_round(r, -val[at + 4])
    if number == SIDE:
        return r, R
    return (0 * r, 0 * r) if number in (TOP_RIM, BOTTOM_RIM) else (r, r)
