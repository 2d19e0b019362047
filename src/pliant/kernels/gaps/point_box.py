"""A point with radius against a box of B, solid, from -h to h along its three axes.
val: the point in frame A (3), its radius, the three half lengths h."""
import numpy as np

from ..jit import jit
from ..so3 import vec
from .geometry import answer, origin, place, place_in, turned, unit

EDGE = 1e-12  # of a half length: so far beyond an edge a point is still above the face, as those of equal boxes on each other


@jit
def region(val, at, a, b):
    """sum 3^i side_i over the axes, side 0 beside, 1 above, 2 below: faces 1, 2, 3, 6, 9, 18, then edges and vertices. From inside the
    nearest face."""
    x = place_in(b, place(a, vec(val, at)))
    number, face, margin, best, power, out = 0, 0, np.inf, -np.inf, 1, False
    for i in range(3):
        over = abs(x[i].real) - val[at + 4 + i].real
        here = power if x[i].real > 0 else 2 * power
        power *= 3
        margin = min(margin, abs(over - EDGE * val[at + 4 + i].real))
        if over > EDGE * val[at + 4 + i].real:
            number += here
            out = True
        if over > best:
            best, face = over, here
    if out:
        return number, margin
    second, away, power, near = -np.inf, -np.inf, 1, face
    y = place_in(b, origin(a))
    for i in range(3):
        over, h = abs(x[i].real) - val[at + 4 + i].real, val[at + 4 + i].real
        if over < best:
            second = max(second, over)
        else:
            margin = abs(x[i].real)
        if over >= best - EDGE * h and abs(y[i].real) / h > away:  # on an edge: above the face that A is beyond
            away, near = abs(y[i].real) / h, power if x[i].real > 0 else 2 * power
        power *= 3
    return near, min((best - second) / np.sqrt(2.0), margin)


@jit
def part(x, h, number):
    """What of d an axis has, and in which sense."""
    if number == 0:
        return 0 * x, 0.0
    return (x - h, 1.0) if number == 1 else (x + h, -1.0)


@jit
def on_region(val, at, a, b, number):
    """In frame B d_i = x_i -+ h_i along the axes that the point is beside of, else 0. g = |d| - r,  n = -d/|d|; one axis alone:
    g = +-d - r, also inside                                                                              [gap-9]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    x = place_in(b, p)
    dx, sx = part(x[0], val[at + 4], number % 3)
    dy, sy = part(x[1], val[at + 5], (number // 3) % 3)
    dz, sz = part(x[2], val[at + 6], number // 9)
    zero = 0 * x[0]
    if abs(sx) + abs(sy) + abs(sz) == 1:
        return answer(sx * dx + sy * dy + sz * dz - r, turned(b, (zero - sx, zero - sy, zero - sz)), p, r)
    l, d = unit((dx, dy, dz), (zero + 1, zero, zero))
    return answer(l - r, turned(b, (-d[0], -d[1], -d[2])), p, r)


@jit
def closest(val, at, a, b):
    """Once differentiable between faces, edges and vertices outside; inside, where two faces are equally near, it has a kink."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """Zero at edges and vertices: they are sharp."""
    number, r = region(val, at, a, b)[0], val[at + 3]
    sides = (number % 3 != 0) + ((number // 3) % 3 != 0) + (number // 9 != 0)
    return (r, r) if sides == 1 else (0 * r, 0 * r)
