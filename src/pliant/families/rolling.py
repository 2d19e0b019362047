"""Rows of what rolls: a point of B in contact with A has no gap along one direction, or no relative speed along it.
Derivation: docs/theory/rolling.md

Both kinds of rows have the gradient of a contact at the arm k from the frame of B, with d = p_B - p_A, along the unit vector e:

    G = (-e, e x (d + k), e, k x e)                                                                         [rolling-1]

A position row has g = e.(d + k) with g_q = G J, a velocity row V = G u and no position at all: its R is zero.
"""
import numpy as np

from ..kernels.contract import AV, TABLE, A, Family, P, Stage
from ..kernels.jit import index, jit
from ..kernels.pairs import (
    DAMPING,
    FA,
    FB,
    GRADIENT,
    MOTION,
    PRODUCT,
    RATES,
    ROW,
    STIFFNESS,
    add_gradient,
    add_pair,
    add_wrench,
    exact,
    load_rates,
    rate_motions,
)
from ..kernels.so3 import add, axis2, cross, dot, scale, store, sub, vec, vec2

KIND, WHICH, LEVEL, KEPT = index(4, 5, 6, 7)  # ip: what rolls; direction, or side of the wheel; level; a place in the history
BLADE, RIM, BALL, WHEEL, GLOBE = index(0, 1, 2, 3, 4)  # kinds
POSITION, VELOCITY = index(0, 1)             # levels
RADIUS, HALF, CONICITY = index(0, 1, 2)      # rp; HALF of a globe is its radius, negative where B is in it


@jit
def separation(s, b, e):
    """d = p_B - p_A"""
    return sub(vec2(s.X, b.ip[e, FB], P), vec2(s.X, b.ip[e, FA], P))


@jit
def side_of(b, e):
    """1 for the wheel on the side of y of A, -1 for the other one."""
    return 1.0 - 2.0 * b.ip[e, WHICH]


@jit
def normal_of_globe(s, b, e):
    """n = +- d / |d|, and that sign over |d|"""
    d = separation(s, b, e)
    by = (1.0 if b.rp[e, HALF].real > 0 else -1.0) / np.sqrt(dot(d, d))
    return scale(by, d), by


@jit
def kept_tangent(s, b, e, n):
    """s, the direction in A that e_1 had after the last step; where there is none an axis of A across n."""
    fa, at = b.ip[e, FA], b.ip[e, KEPT]
    c = 0 if s.H[at] == 0 and s.H[at + 1] == 0 and s.H[at + 2] == 0 else 3
    if c == 3:
        x, y, z = axis2(s.X, fa, A, 0), axis2(s.X, fa, A, 1), axis2(s.X, fa, A, 2)
        return add(scale(s.H[at], x), add(scale(s.H[at + 1], y), scale(s.H[at + 2], z)))
    for k in range(1, 3):
        here, best = dot(axis2(s.X, fa, A, k), n).real, dot(axis2(s.X, fa, A, c), n).real
        if here * here < best * best:
            c = k
    return axis2(s.X, fa, A, c)


@jit
def tangents(s, b, e, n):
    """m = s - n (n.s), e_1 = m / |m|, e_2 = n x e_1"""
    along = kept_tangent(s, b, e, n)
    m = sub(along, scale(dot(n, along), n))
    first = scale(1 / np.sqrt(dot(m, m)), m)
    return m, first, cross(n, first)


@jit
def spot(s, b, e):
    """Direction e and arm k of a row; n: z of A, a: z of B                                                 [rolling-2]

        blade   e = a,          k = -R n
        rim     e an axis of A, k = -R m / |m|,  m = n - a (a.n)
        ball    e an axis of A, k = -R n
        wheel   e = a x n,      k = +- h a - (R +- c y) n,  y = y_A.d
        globe   e = e_1, e_2, n, k = -R n,                  n = +- d / |d|
    """
    kind, R = b.ip[e, KIND], b.rp[e, RADIUS]
    if kind == GLOBE:
        n, _ = normal_of_globe(s, b, e)
        _, first, second = tangents(s, b, e, n)
        return n if b.ip[e, WHICH] == 2 else first if b.ip[e, WHICH] == 0 else second, scale(-R, n)
    n, a = axis2(s.X, b.ip[e, FA], A, 2), axis2(s.X, b.ip[e, FB], A, 2)
    if kind == BLADE:
        return a, scale(-R, n)
    if kind == WHEEL:
        side, y = side_of(b, e), dot(axis2(s.X, b.ip[e, FA], A, 1), separation(s, b, e))
        return cross(a, n), sub(scale(side * b.rp[e, HALF], a), scale(R + side * b.rp[e, CONICITY] * y, n))
    along = axis2(s.X, b.ip[e, FA], A, b.ip[e, WHICH])
    if kind == BALL:
        return along, scale(-R, n)
    m = sub(n, scale(dot(a, n), a))
    return along, scale(-R / np.sqrt(dot(m, m)), m)


@jit
def moved_globe(s, b, e, ta, dd):
    """Of a globe: dn = +- (dd - n (n.dd)) / |d|, and tangents that follow"""
    n, by = normal_of_globe(s, b, e)
    m, first, _ = tangents(s, b, e, n)
    along = kept_tangent(s, b, e, n)
    dn, turn = scale(by, sub(dd, scale(dot(n, dd), n))), cross(ta, along)
    dm = sub(turn, add(scale(dot(n, along), dn), scale(dot(dn, along) + dot(n, turn), n)))
    d1 = scale(1 / np.sqrt(dot(m, m)), sub(dm, scale(dot(first, dm), first)))
    d2 = add(cross(dn, first), cross(n, d1))
    return dn if b.ip[e, WHICH] == 2 else d1 if b.ip[e, WHICH] == 0 else d2, scale(-b.rp[e, RADIUS], dn)


@jit
def moved(s, b, e, ta, tb, dd):
    """Changes of e and k by the rotations ta of A and tb of B, and the displacement dd of B against A      [rolling-3]"""
    kind, R = b.ip[e, KIND], b.rp[e, RADIUS]
    if kind == GLOBE:
        return moved_globe(s, b, e, ta, dd)
    n, a = axis2(s.X, b.ip[e, FA], A, 2), axis2(s.X, b.ip[e, FB], A, 2)
    dn, da = cross(ta, n), cross(tb, a)
    if kind == BLADE:
        return da, scale(-R, dn)
    if kind == WHEEL:
        side, across, d = side_of(b, e), axis2(s.X, b.ip[e, FA], A, 1), separation(s, b, e)
        y, dy = dot(across, d), dot(across, dd) + dot(cross(ta, across), d)
        c = side * b.rp[e, CONICITY]
        dk = sub(scale(side * b.rp[e, HALF], da), add(scale(R + c * y, dn), scale(c * dy, n)))
        return add(cross(da, n), cross(a, dn)), dk
    de = cross(ta, axis2(s.X, b.ip[e, FA], A, b.ip[e, WHICH]))
    if kind == BALL:
        return de, scale(-R, dn)
    m = sub(n, scale(dot(a, n), a))
    dm = sub(dn, add(scale(dot(a, n), da), scale(dot(da, n) + dot(a, dn), a)))
    mm = dot(m, m)
    return de, scale(-R / np.sqrt(mm), sub(dm, scale(dot(m, dm) / mm, m)))


@jit
def gradient(s, b, e, W):
    """W[GRADIENT:] = G; returns e.(d + k)                                                                  [rolling-1]"""
    n, k = spot(s, b, e)
    arm = add(separation(s, b, e), k)
    store(scale(-1.0, n), W, GRADIENT)
    store(cross(n, arm), W, GRADIENT + 3)
    store(n, W, GRADIENT + 6)
    store(cross(k, n), W, GRADIENT + 9)
    return dot(n, arm)


@jit
def turned(s, b, e, W, at):
    """W[MOTION:] = the change of G along the motion W[at:] of the pair                                     [rolling-4]"""
    ta, tb, dd = vec(W, at + 3), vec(W, at + 9), sub(vec(W, at + 6), vec(W, at))
    n, k = spot(s, b, e)
    dn, dk = moved(s, b, e, ta, tb, dd)
    arm = add(separation(s, b, e), k)
    store(scale(-1.0, dn), W, MOTION)
    store(add(cross(dn, arm), cross(n, add(dd, dk))), W, MOTION + 3)
    store(dn, W, MOTION + 6)
    store(add(cross(dk, n), cross(k, dn)), W, MOTION + 9)


@jit
def unit_motion(W, at, m):
    """W[at:] = the m-th motion of the pair."""
    for i in range(12):
        W[at + i] = 0
    W[at + m] = 1


@jit
def along_rates(W, at):
    """W[at:] . u"""
    c = 0 * W[at]
    for i in range(12):
        c += W[at + i] * W[RATES + i]
    return c


@jit
def rolling(s, b, o):
    """R += e.(d + k), or V = G u and R as it is; lam G on the pair"""
    for e in range(b.first, b.last):
        row, g = b.ip[e, ROW], gradient(s, b, e, o.W)
        if b.ip[e, LEVEL] == VELOCITY:
            load_rates(s, b, e, o.W)
            o.V[row] = along_rates(o.W, GRADIENT)
        else:
            o.R[row] += g - b.rp[e, HALF] if b.ip[e, KIND] == GLOBE else g
        add_wrench(s, b, e, s.lam[row], o.W)


@jit
def add_rate_row(s, b, o, e):
    """Row (G (cd J T + ck L) + ck H J) / cd of a velocity row, H u-th derivative of V; its column is G J   [rolling-6]"""
    row = b.ip[e, ROW] % 6
    load_rates(s, b, e, o.W)
    for m in range(12):  # W[DAMPING:] = how V changes with the motions at constant u
        unit_motion(o.W, PRODUCT, m)
        turned(s, b, e, o.W, PRODUCT)
        o.W[DAMPING + m] = along_rates(o.W, MOTION)
    na = b.fr[b.ip[e, FA], 0]
    size = na + b.fr[b.ip[e, FB], 0] + 1
    for side in range(2):
        f, first, part = b.ip[e, FA + side], side * na, 6 * side
        for i in range(b.fr[f, 0]):
            j = b.fr[f, 1] + i
            c = b.tab[b.ip[e, TABLE] + size * (size - 1) + first + i]
            ct = b.tab[b.ip[e, TABLE] + size * (first + i) + size - 1]
            rate_motions(s, b, o, f, i)
            for k in range(6):
                plain, whole = 0 * o.W[GRADIENT], 0 * o.W[GRADIENT]
                for r in range(6):
                    g = o.W[GRADIENT + part + r]
                    plain += g * s.J[j, r, k]
                    whole += g * o.W[MOTION + 6 * r + k] + o.ck * o.W[DAMPING + part + r] * s.J[j, r, k]
                o.D[c, row, k] += whole / o.cd
                o.D[ct, k, row] += plain


@jit
def rolling_tangent(s, b, o):
    """A position row: G J. A velocity row is scaled so that it is G J as well where steps are short        [rolling-6]"""
    rolling(s, b, o)
    for e in range(b.first, b.last):
        gradient(s, b, e, o.W)
        if b.ip[e, LEVEL] == VELOCITY and o.cd != 0:
            add_rate_row(s, b, o, e)
        else:
            add_gradient(s, b, o, e, 1.0)
        if exact(b, e):
            for m in range(12):
                unit_motion(o.W, PRODUCT, m)
                turned(s, b, e, o.W, PRODUCT)
                for r in range(12):
                    o.W[STIFFNESS + 12 * r + m] = s.lam[b.ip[e, ROW]] * o.W[MOTION + r]
            add_pair(s, b, o, e, False)


@jit
def rolling_rates(s, b, o):
    """V = G u,  R += G u' + G' u: the first and second derivative of a gap, or a speed and its first one   [rolling-5]"""
    for e in range(b.first, b.last):
        fa, fb, row = b.ip[e, FA], b.ip[e, FB], b.ip[e, ROW]
        gradient(s, b, e, o.W)
        load_rates(s, b, e, o.W)
        o.V[row] = along_rates(o.W, GRADIENT)
        turned(s, b, e, o.W, RATES)
        c = along_rates(o.W, MOTION)
        for i in range(6):
            c += o.W[GRADIENT + i] * s.X[fa, AV + i] + o.W[GRADIENT + 6 + i] * s.X[fb, AV + i]
        o.R[row] += c


@jit
def keep_tangents(s, b, o):
    """H = e_1 in the axes of A: the tangents turn as little as they can                                     [rolling-8]"""
    for e in range(b.first, b.last):
        n, _ = normal_of_globe(s, b, e)
        _, first, _ = tangents(s, b, e, n)
        for k in range(3):
            s.H[b.ip[e, KEPT] + k] = dot(axis2(s.X, b.ip[e, FA], A, k), first)


ROLLING = Family("rolling", act=Stage(rolling, rolling_tangent, rolling_rates))
TANGENTS = Family("tangents", act=Stage(history=keep_tangents))
