"""Two segments with radius: a capsule on a capsule.
val: ends of that in frame A (3 + 3), its radius, ends of that in frame B (3 + 3), its radius."""
import numpy as np

from ..jit import index, jit
from ..so3 import add, cross, dot, scale, sub, vec
from .geometry import axis, both_round, place, unit

INNER, START, END = index(0, 1, 2)  # where on a segment; the region is 3 times that of A plus that of B
PARALLEL = 1e-20                    # squared sine of an angle that counts as zero


@jit
def ends(val, at, a, b):
    """Starts and directions of both, in the world."""
    p, q = place(a, vec(val, at)), place(b, vec(val, at + 7))
    return p, sub(place(a, vec(val, at + 3)), p), q, sub(place(b, vec(val, at + 10)), q)


@jit
def across(u, v):
    """u.u, u.v, v.v and |u x v|^2, which loses no digits between directions that are nearly parallel."""
    m = cross(u, v)
    return dot(u, u), dot(u, v), dot(v, v), dot(m, m)


@jit
def clamped(x):
    return min(max(x, 0.0), 1.0)


@jit
def part(x, xx):
    """x / xx of a segment, 0 of one without length."""
    return x / xx if xx.real > 0 else 0 * x


@jit
def middle(uv, vv, vd):
    """Of parallel segments s, with t = (v.d + s u.v) / v.v: the middle of what lies side by side, or the end that is nearest."""
    if vv.real == 0:
        return 0.0
    low, high = clamped(-vd.real / uv.real), clamped((vv.real - vd.real) / uv.real)
    return (low + high) / 2


@jit
def feet(p, u, q, v):
    """s and t in 0 ... 1 of the two nearest points p + s u and q + t v, in real numbers."""
    d = sub(p, q)
    uu, uv, vv, uxv = across(u, v)
    ud, vd = dot(u, d).real, dot(v, d).real
    uu, uv, vv, uxv = uu.real, uv.real, vv.real, uxv.real
    if uxv <= PARALLEL * uu * vv:
        s = middle(uv, vv, vd) if uu > 0 and vv > 0 else clamped(part(-ud, uu))
    else:
        s = clamped((uv * vd - vv * ud) / uxv)
    t = part(vd + s * uv, vv)
    if t < 0 or t > 1:
        t = clamped(t)
        s = clamped(part(t * uv - ud, uu))
    return s, t


@jit
def where(s):
    return START if s <= 0 else END if s >= 1 else INNER


@jit
def beyond(s, free, length):
    """How far a foot is from the end, or would be beyond it."""
    return min(s, 1 - s) * length if s > 0 and s < 1 else max(-free, free - 1) * length


@jit
def region(val, at, a, b):
    p, u, q, v = ends(val, at, a, b)
    s, t = feet(p, u, q, v)
    uu, uv, vv, _ = across(u, v)
    d = sub(p, q)
    free_s = part(t * uv.real - dot(u, d).real, uu.real)
    free_t = part(dot(v, d).real + s * uv.real, vv.real)
    margin = min(beyond(s, free_s, np.sqrt(uu.real)), beyond(t, free_t, np.sqrt(vv.real)))
    return 3 * where(s) + where(t), max(margin, 0.0)


@jit
def held_feet(p, u, q, v, number):
    """s and t where the ends are, or where the lines are nearest"""
    d = sub(p, q)
    uu, uv, vv, uxv = across(u, v)
    ud, vd = dot(u, d), dot(v, d)
    on_a, on_b = number // 3, number % 3
    s, t = 0 * ud + (1.0 if on_a == END else 0.0), 0 * ud + (1.0 if on_b == END else 0.0)
    if on_a == INNER and on_b == INNER:
        if uxv.real <= PARALLEL * (uu * vv).real:
            s = s + middle(uv, vv, vd)
        else:
            s = (uv * vd - vv * ud) / uxv
        t = part(vd + s * uv, vv)
    elif on_a == INNER:
        s = part(t * uv - ud, uu)
    elif on_b == INNER:
        t = part(vd + s * uv, vv)
    return s, t


@jit
def on_region(val, at, a, b, number):
    """x = p + s u, y = q + t v, d = y - x,  g = |d| - r_A - r_B,  n = d/|d|; d = 0: n = u x v, or an axis of B    [gap-8]
    c is half-way, or on the surface of the one that has a radius."""
    p, u, q, v = ends(val, at, a, b)
    s, t = held_feet(p, u, q, v, number)
    x, r, R = add(p, scale(s, u)), val[at + 6], val[at + 13]
    spare = unit(cross(u, v), axis(b, 0))[1]
    l, n = unit(sub(add(q, scale(t, v)), x), spare)
    g = l - r - R
    sharp_a, sharp_b = r.real == 0, R.real == 0
    c = add(x, scale(r + (g / 2 if sharp_a == sharp_b else g if sharp_a else 0 * g), n))
    return g, n[0], n[1], n[2], c[0], c[1], c[2]


@jit
def closest(val, at, a, b):
    """Once differentiable where a foot comes to an end. Kinked for parallel segments that lie side by side, where the point jumps from end
    to end; exactly parallel ones have it in the middle. A tip where the middle lines meet, as deep as both radii."""
    return on_region(val, at, a, b, region(val, at, a, b)[0])


@jit
def radii(val, at, a, b):
    """Of two ends 1/(1/r + 1/R). Of crossed sides kappa has trace 1/r + 1/R and determinant sin^2 / (r R) of their angle."""
    r, R, number = val[at + 6], val[at + 13], region(val, at, a, b)[0]
    least = both_round(r, R)
    if least.real == 0:
        return 0 * r, 0 * r
    on_a, on_b = number // 3, number % 3
    if on_a != INNER and on_b != INNER:
        return least, least
    if on_a != INNER or on_b != INNER:
        return least, (r if on_a != INNER else R)
    _, u, _, v = ends(val, at, a, b)
    uu, _, vv, uxv = across(u, v)
    trace, product = 1 / r + 1 / R, uxv / (uu * vv) / (r * R)
    rest = trace * trace / 4 - product
    large = trace / 2 + np.sqrt(rest if rest.real > 0 else 0 * rest)
    return 1 / large, large / product
