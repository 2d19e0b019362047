"""A round edge on a plane: the rim of a disc or wheel, or one end of a cylinder. Its axis is z of A, the plane that of x and y of B.

val: the centre in frame A (3), radius R, rounding radius r of the edge, crown e, side. With e = 0 it is a circle. A flat end that stands
on the plane touches nowhere in particular; ``e`` makes it a crown, half an ellipsoid of height e over the circle, and all is smooth. Its
top is the end face for side = 1 (outside towards z) or -1, its middle is that of the circle for side = 0.
"""
import numpy as np

from ..jit import index, jit
from ..so3 import add, dot, scale, sub, vec
from .geometry import LEAST, answer, axis, origin, place

WHOLE = index(0)


@jit
def closest(val, at, a, b):
    """t = z_A . z_B,  v = z_B - t z_A,  D = sqrt(R^2 v.v + e^2 t^2),  g = z_B . (p - side e z_A - p_B) - D - r,  n = -z_B,
    lowest point p - side e z_A - (R^2 v + e^2 t z_A) / D - r z_B; e = 0: p - R v/|v|                           [gap-4]

    Smooth but for e = 0 and z_A parallel to z_B: there g has a tip, and the point on x of A is taken."""
    z, w, R, e = axis(b, 2), axis(a, 2), val[at + 3], val[at + 5]
    t = dot(w, z)
    v = sub(z, scale(t, w))
    D2 = R * R * dot(v, v) + e * e * t * t
    p = sub(place(a, vec(val, at)), scale(val[at + 6] * e, w))
    if D2.real < LEAST:
        lowest = sub(p, scale(R + 0 * t, axis(a, 0)))
        D = 0 * D2
    else:
        D = np.sqrt(D2)
        lowest = sub(p, scale(1 / D, add(scale(R * R, v), scale(e * e * t, w))))
    r = val[at + 4]
    return answer(dot(z, sub(p, origin(b))) - D - r, scale(-1.0, z), lowest, r)


@jit
def region(val, at, a, b):
    return WHOLE, np.inf


@jit
def on_region(val, at, a, b, number):
    return closest(val, at, a, b)


@jit
def radii(val, at, a, b):
    """r + R^2 e^2 / D^3 along the axis, r + R^2 / D around it"""
    z, w, R, e, r = axis(b, 2), axis(a, 2), val[at + 3], val[at + 5], val[at + 4]
    t = dot(w, z)
    v = sub(z, scale(t, w))
    D = np.sqrt(R * R * dot(v, v) + e * e * t * t)
    if D.real * D.real < LEAST:
        return r + 0 * D, 0 * D + np.inf
    x, y = r + R * R * e * e / (D * D * D), r + R * R / D
    return (x, y) if x.real <= y.real else (y, x)
