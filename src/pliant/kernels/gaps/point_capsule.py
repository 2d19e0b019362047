"""A point with radius against a capsule of B, about z from -h to h.
val: the point in frame A (3), its radius, radius R and half length h."""
from ..jit import index, jit
from ..so3 import vec
from .geometry import answer, both_round, place, place_in, turned, unit

SIDE, TOP, BOTTOM = index(0, 1, 2)


@jit
def region(val, at, a, b):
    z, h = place_in(b, place(a, vec(val, at)))[2].real, val[at + 5].real
    if abs(z) <= h:
        return SIDE, h - abs(z)
    return (TOP if z > 0 else BOTTOM), abs(z) - h


@jit
def on_region(val, at, a, b, number):
    """d = (x, y, z -+ h at the ends, 0 beside) in frame B,  g = |d| - r - R,  n = -d/|d|; |d| = 0: n = -x_B      [gap-5]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    x = place_in(b, p)
    z = 0 * x[2] if number == SIDE else x[2] - val[at + 5] if number == TOP else x[2] + val[at + 5]
    l, d = unit((x[0], x[1], z), (0 * z + 1, 0 * z, 0 * z))
    return answer(l - r - val[at + 4], turned(b, (-d[0], -d[1], -d[2])), p, r)


@jit
def closest(val, at, a, b):
    """Once differentiable at the ends of the side: curvature jumps there. A tip on the middle line, as deep as R."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    r, R = val[at + 3], both_round(val[at + 3], val[at + 4])
    return R, (r if region(val, at, a, b)[0] == SIDE else R)
