"""Frames on curves that are fixed in another frame. Their place s is a coordinate of its own, without inertia.
Equations: docs/theory/curves.md

A is the frame that carries the curve, R its axes, u(s) the curve in these axes; ' is the derivative by s in formulas of u, by t else.
Where the frame TURNS it has the axes t, e, t x e, with t the unit tangent and e the third axis of A, along which the curve is flat.
"""
import numpy as np

from ..kernels.contract import AV, AW, TABLE, A, F, Family, M, P, Stage, V, W
from ..kernels.jit import index, jit
from ..kernels.so3 import accumulate2, add, axis2, cross, dot, dyad, mat2, matmul, mul, scale, store2, vec, vec2
from .body_frames import release

# ip: frame A, s in q, the frame itself, s in v, table in val, pieces of the spline, whether it is closed, whether the frame turns
BASE, SQ, FRAME, SV, POOL, PIECES, CLOSED, TURNS = index(1, 2, 3, 4, 5, 6, 7, 8)
POWERS = index(6)    # of a piece: polynomials of degree 5
BEYOND = 0.02        # of the length: how far beyond its ends an open curve goes on

# Table: length of the curve; for every piece, all of one length, and power: x, y, z.


@jit
def curve(b, e, s):
    """u, u', u'', u''' at s; not a number beyond the ends of an open curve."""
    n, pool, length = b.ip[e, PIECES], b.ip[e, POOL], b.val[b.ip[e, POOL]].real
    step, turns = length / n, 0.0
    if b.ip[e, CLOSED] == 1:
        turns = np.floor(s.real / length)
    elif not (-BEYOND * length <= s.real <= (1 + BEYOND) * length):
        s = s * np.nan
    x = s - turns * length
    k = 0
    if x.real > 0:
        k = min(int(x.real / step), n - 1)
    x, at = x - k * step, pool + 1 + 3 * POWERS * k
    u, u1, u2, u3 = vec(b.val, at + 15), scale(0.0, vec(b.val, at)), scale(0.0, vec(b.val, at)), scale(0.0, vec(b.val, at))
    for p in range(POWERS - 1):
        c = vec(b.val, at + 12 - 3 * p)
        u3 = add(scale(x, u3), scale(3.0, u2))
        u2 = add(scale(x, u2), scale(2.0, u1))
        u1 = add(scale(x, u1), u)
        u = add(scale(x, u), c)
    return u, u1, u2, u3


@jit
def turning(b, e, u1, u2, u3):
    """y with which the frame turns about e, w = y s', and its derivative: y = [u' u'' e] / u'^2                [curve-2]"""
    if b.ip[e, TURNS] == 0:
        return 0 * u1[0], 0 * u1[0]
    size, bent = dot(u1, u1), u1[0] * u2[1] - u1[1] * u2[0]
    return bent / size, (u1[0] * u3[1] - u1[1] * u3[0]) / size - 2 * bent * dot(u1, u2) / (size * size)


@jit
def own_axes(b, e, u1):
    """Axes of the frame in those of A: t, e, t x e as columns."""
    one, none = 1 + 0 * u1[0], 0 * u1[0]
    if b.ip[e, TURNS] == 0:
        return one, none, none, none, one, none, none, none, one
    f = 1 / np.sqrt(dot(u1, u1))
    x, y = f * u1[0], f * u1[1]
    return x, none, y, y, none, -x, none, one, none


@jit
def push(s, b, o):
    """p = p_A + R u,  v = v_A + w_A x R u + R u' s',  w = w_A + R e y s'                              [curve-1]"""
    for e in range(b.first, b.last):
        a, f, rate = b.ip[e, BASE], b.ip[e, FRAME], s.v[b.ip[e, SV]]
        u, u1, u2, u3 = curve(b, e, s.q[b.ip[e, SQ]])
        y, _ = turning(b, e, u1, u2, u3)
        R, w = mat2(s.X, a, A), vec2(s.X, a, W)
        arm = mul(R, u)
        store2(add(vec2(s.X, a, P), arm), s.X, f, P)
        store2(matmul(R, own_axes(b, e, u1)), s.X, f, A)
        store2(add(vec2(s.X, a, V), add(cross(w, arm), scale(rate, mul(R, u1)))), s.X, f, V)
        store2(add(w, scale(y * rate, axis2(s.X, a, A, 2))), s.X, f, W)
        release(s, f)


@jit
def push_tangent(s, b, o):
    """J: th_A x R u, R u', R e y; L: what v and w change by at constant v                             [curve-3]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        a, f, rate = b.ip[e, BASE], b.ip[e, FRAME], s.v[b.ip[e, SV]]
        u, u1, u2, u3 = curve(b, e, s.q[b.ip[e, SQ]])
        y, y1 = turning(b, e, u1, u2, u3)
        R, w, axis = mat2(s.X, a, A), vec2(s.X, a, W), axis2(s.X, a, A, 2)
        arm, along = mul(R, u), mul(R, u1)
        first, own, last = b.fr[a, 1], b.fr[f, 1], b.fr[f, 1] + b.fr[f, 0] - 1
        for i in range(b.fr[a, 0]):
            for k in range(6):
                th, spin = axis_of(s.J, first + i, 3, k), axis_of(s.L, first + i, 3, k)
                move = add(axis_of(s.J, first + i, 0, k), cross(th, arm))
                place(s.J, own + i, k, move, th)
                if b.fr[f, 2] == 1:
                    change = add(axis_of(s.L, first + i, 0, k), cross(spin, arm))
                    change = add(change, add(cross(w, cross(th, arm)), scale(rate, cross(th, along))))
                    place(s.L, own + i, k, change, add(spin, scale(y * rate, cross(th, axis))))
        place(s.J, last, 0, along, scale(y, axis))
        if b.fr[f, 2] == 1:
            place(s.L, last, 0, add(cross(w, along), scale(rate, mul(R, u2))), scale(y1 * rate, axis))


@jit
def axis_of(J, t, row, k):
    return J[t, row, k], J[t, row + 1, k], J[t, row + 2, k]


@jit
def place(J, t, k, move, turn):
    """Column k of a tile."""
    for i in range(3):
        J[t, i, k], J[t, 3 + i, k] = move[i], turn[i]


@jit
def push_rates(s, b, o):
    """v' = v_A' + w_A' x R u + w_A x (w_A x R u + 2 R u' s') + R (u'' s'^2 + u' s''), w' = w_A' + y s' w_A x R e + R e (y' s'^2 + y s'')
    [curve-4]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        a, f, rate, change = b.ip[e, BASE], b.ip[e, FRAME], s.v[b.ip[e, SV]], s.a[b.ip[e, SV]]
        u, u1, u2, u3 = curve(b, e, s.q[b.ip[e, SQ]])
        y, y1 = turning(b, e, u1, u2, u3)
        R, w, w1, axis = mat2(s.X, a, A), vec2(s.X, a, W), vec2(s.X, a, AW), axis2(s.X, a, A, 2)
        arm, along = mul(R, u), scale(rate, mul(R, u1))
        x = add(cross(w1, arm), cross(w, add(cross(w, arm), scale(2.0, along))))
        x = add(x, mul(R, add(scale(rate * rate, u2), scale(change, u1))))
        store2(add(vec2(s.X, a, AV), x), s.X, f, AV)
        turn = add(scale(y * rate, cross(w, axis)), scale(y1 * rate * rate + y * change, axis))
        store2(add(w1, turn), s.X, f, AW)


@jit
def hand_on(s, b, o):
    """The wrench (f, m) of the frame: f, m + R u x f to A, R u' . f + y R e . m to s. All that acts on the frame has done so. [curve-5]"""
    for e in range(b.first, b.last):
        a, f = b.ip[e, BASE], b.ip[e, FRAME]
        u, u1, u2, u3 = curve(b, e, s.q[b.ip[e, SQ]])
        y, _ = turning(b, e, u1, u2, u3)
        R, force, moment = mat2(s.X, a, A), vec2(s.X, f, F), vec2(s.X, f, M)
        accumulate2(1.0, force, s.X, a, F)
        accumulate2(1.0, add(moment, cross(mul(R, u), force)), s.X, a, M)
        o.R[b.ip[e, SV]] += dot(mul(R, u1), force) + y * dot(axis2(s.X, a, A, 2), moment)


@jit
def hand_on_tangent(s, b, o):
    """Its change at constant f, m: that of the moment on A by th_A, (R u) f^T - R u . f 1, and by s, k = R u' x f; that of the force
    on s by th_A, k + y R e x m, and by s, R u'' . f + y' R e . m                                       [curve-6]"""
    hand_on(s, b, o)
    for e in range(b.first, b.last):
        a, f, table, tiles = b.ip[e, BASE], b.ip[e, FRAME], b.ip[e, TABLE], b.fr[b.ip[e, FRAME], 0]
        u, u1, u2, u3 = curve(b, e, s.q[b.ip[e, SQ]])
        y, y1 = turning(b, e, u1, u2, u3)
        R, axis, force, moment = mat2(s.X, a, A), axis2(s.X, a, A, 2), vec2(s.X, f, F), vec2(s.X, f, M)
        arm, bend, last = mul(R, u), cross(mul(R, u1), force), tiles - 1
        K, back = dyad(arm, force, -dot(arm, force)), add(bend, scale(y, cross(axis, moment)))
        o.D[b.tab[table + tiles * last + last], 0, 0] += o.ck * (dot(mul(R, u2), force) + y1 * dot(axis, moment))
        for i in range(b.fr[a, 0]):
            for k in range(6):
                th = axis_of(s.J, b.fr[a, 1] + i, 3, k)
                o.D[b.tab[table + tiles * i + last], k, 0] += o.ck * dot(th, bend)
                o.D[b.tab[table + tiles * last + i], 0, k] += o.ck * dot(th, back)
                for j in range(b.fr[a, 0]):
                    for l in range(6):
                        o.D[b.tab[table + tiles * j + i], l, k] += o.ck * dot(axis_of(s.J, b.fr[a, 1] + j, 3, l), mul(K, th))


ON_CURVE = Family("frame on a curve", push=Stage(residual=push, tangent=push_tangent, rates=push_rates, energy=push, power=push),
                  act=Stage(residual=hand_on, tangent=hand_on_tangent), rank=1)
