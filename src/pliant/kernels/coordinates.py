"""Scalar coordinates of two frames: what drives, gears, springs, measures and expressions are made of.

    displacement   c = a . d                 a: axis of A,  d = p_B - p_A                        [coordinate-1]
    angle          c = atan2(y . u, x . u)   x, y: the two axes of A after ``a``,  u: that x of B    [coordinate-2]
    distance       c = |d|                                                                       [coordinate-3]

``gradient`` is dc/dx for the twelve motions x of the pair (see pairs), ``hessian`` the derivative of that gradient along x.
Then  c' = gradient . u  and  c'' = gradient . u' + u . hessian u.                               [coordinate-4]
"""
import numpy as np

from .contract import AV, A, P
from .jit import index, jit
from .pairs import FA, FB, GRADIENT, RATES, STIFFNESS, clear_stiffness, load_rates, put
from .so3 import add, axis2, cross, dot, dyad, mat_add, scale, skew, store, sub, vec, vec2

DISPLACEMENT, ANGLE, DISTANCE = index(0, 1, 2)
KIND, AXIS, HISTORY = index(4, 5, 6)  # ip of every element with a coordinate: its kind, its axis, its place in State.H
ZERO = index(0)                       # rp: what is added to the angle or displacement


@jit
def unwrap(angle, near):
    """The angle plus the whole turns that bring it next to ``near``."""
    return angle + 2 * np.pi * np.floor((near.real - angle.real) / (2 * np.pi) + 0.5)


@jit
def arc_tangent(y, x):
    """atan2 for any scalar type."""
    if abs(x.real) > abs(y.real):
        a = np.arctan(y / x)
        if x.real < 0:
            a += np.pi if y.real >= 0 else -np.pi
        return a
    return (np.pi / 2 if y.real > 0 else -np.pi / 2) - np.arctan(x / y)


@jit
def angle_of(X, fa, fb, k):
    """Angle of B against A about axis k of A, within one turn."""
    u = axis2(X, fb, A, (k + 1) % 3)
    return arc_tangent(dot(axis2(X, fa, A, (k + 2) % 3), u), dot(axis2(X, fa, A, (k + 1) % 3), u))


@jit
def coordinate(s, b, e, W):
    """The value c, with W[GRADIENT:] filled."""
    fa, fb, kind, k = b.ip[e, FA], b.ip[e, FB], b.ip[e, KIND], b.ip[e, AXIS]
    for i in range(12):
        W[GRADIENT + i] = 0
    if kind == ANGLE:
        x, y, u = axis2(s.X, fa, A, (k + 1) % 3), axis2(s.X, fa, A, (k + 2) % 3), axis2(s.X, fb, A, (k + 1) % 3)
        cs, sn = dot(x, u), dot(y, u)
        G = scale(1 / (cs * cs + sn * sn), cross(sub(scale(cs, y), scale(sn, x)), u))
        store(G, W, GRADIENT + 3)
        store(scale(-1.0, G), W, GRADIENT + 9)
        return unwrap(arc_tangent(sn, cs) + b.rp[e, ZERO], s.H[b.ip[e, HISTORY]])
    d = sub(vec2(s.X, fb, P), vec2(s.X, fa, P))
    if kind == DISPLACEMENT:
        n = axis2(s.X, fa, A, k)
        store(cross(n, d), W, GRADIENT + 3)
        c = dot(n, d) + b.rp[e, ZERO]
    else:
        c = np.sqrt(dot(d, d))
        n = scale(1 / c, d)
    store(scale(-1.0, n), W, GRADIENT)
    store(n, W, GRADIENT + 6)
    return c


@jit
def hessian(s, b, e, f, W):
    """W[STIFFNESS:] = f times the derivative of the gradient along the motions of the pair. Needs W[GRADIENT:]."""
    fa, fb, kind, k = b.ip[e, FA], b.ip[e, FB], b.ip[e, KIND], b.ip[e, AXIS]
    clear_stiffness(W)
    d = sub(vec2(s.X, fb, P), vec2(s.X, fa, P))
    if kind == DISPLACEMENT:
        n = axis2(s.X, fa, A, k)
        N = skew(n)
        put(W, 0, 3, f, N)       # d(-n) = -th_A x n = [n] th_A
        put(W, 6, 3, -f, N)
        put(W, 3, 3, f, dyad(n, d, -dot(n, d)))
        put(W, 3, 0, -f, N)
        put(W, 3, 6, f, N)
    elif kind == DISTANCE:
        n = vec(W, GRADIENT + 6)
        N = dyad(scale(-1.0, n), n, 1.0)
        l = dot(n, d)
        for i in range(2):
            for j in range(2):
                put(W, 6 * i, 6 * j, (1 - 2 * abs(i - j)) * f / l, N)
    else:
        x, y, u, G = axis2(s.X, fa, A, (k + 1) % 3), axis2(s.X, fa, A, (k + 2) % 3), axis2(s.X, fb, A, (k + 1) % 3), vec(W, GRADIENT + 3)
        cs, sn = dot(x, u), dot(y, u)
        ex, ey, r = cross(x, u), cross(y, u), 1 / (cs * cs + sn * sn)
        # G = r (cs ey - sn ex);  d(cs) = (th_A - th_B) . ex,  d(sn) = (th_A - th_B) . ey
        turn = mat_add(dyad(ey, ex, 0.0), -1.0, dyad(ex, ey, 0.0))
        turn = mat_add(turn, -2.0, dyad(G, add(scale(cs, ex), scale(sn, ey)), 0.0))
        on_a = mat_add(turn, cs, dyad(y, u, -sn))
        on_a = mat_add(on_a, -sn, dyad(x, u, -cs))
        on_b = mat_add(scale9(-1.0, turn), cs, dyad(scale(-1.0, u), y, sn))
        on_b = mat_add(on_b, -sn, dyad(scale(-1.0, u), x, cs))
        for i in range(2):
            put(W, 3 + 6 * i, 3, (1 - 2 * i) * f * r, on_a)
            put(W, 3 + 6 * i, 9, (1 - 2 * i) * f * r, on_b)


@jit
def scale9(s, m):
    return s * m[0], s * m[1], s * m[2], s * m[3], s * m[4], s * m[5], s * m[6], s * m[7], s * m[8]


@jit
def rate(s, b, e, W):
    """c' = gradient . u"""
    load_rates(s, b, e, W)
    c = 0 * W[GRADIENT]
    for i in range(12):
        c += W[GRADIENT + i] * W[RATES + i]
    return c


@jit
def acceleration(s, b, e, W):
    """c'' = gradient . u' + u . hessian u. Needs the accelerations of the frames and W[GRADIENT:]."""
    fa, fb = b.ip[e, FA], b.ip[e, FB]
    hessian(s, b, e, 1.0, W)
    load_rates(s, b, e, W)
    c = 0 * W[GRADIENT]
    for i in range(6):
        c += W[GRADIENT + i] * s.X[fa, AV + i] + W[GRADIENT + 6 + i] * s.X[fb, AV + i]
    for i in range(12):
        for j in range(12):
            c += W[RATES + i] * W[STIFFNESS + 12 * i + j] * W[RATES + j]
    return c
