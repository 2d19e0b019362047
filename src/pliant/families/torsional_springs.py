"""Beams of points: masses at nodes, and springs that resist the angle of two directions made of them. Derivations: docs/theory/beams.md

a = sum of A_n X_n, b = sum of B_n X_n;  u = (2 tan(theta / 2))^2 = 4 |a x b|^2 / (|a||b| + a.b)^2,  W = k (sqrt(u) - u_0)^2 / 2
                                                                                                                       [spring-beam-1]
"""
import numpy as np

from ..kernels.contract import DISSIPATION, ELASTIC, GRAVITY, KINETIC, POTENTIAL, TABLE, Family, Stage
from ..kernels.helicoidal import add9, scale9
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import accumulate, add, cross, dot, dyad, mat_add, scale, sub, vec

IQ, IV, COUNT, POOL = index(1, 2, 3, 4)   # ip of a spring: places of the first of its vectors, how many; in val A, B, place in v of each
STIFFNESS, BENT = index(0, 1)             # rp: k, u_0
QA, VA, QB, VB = index(1, 2, 3, 4)        # ip of a segment: places of its two nodes
UNLOADED, DAMPING = index(1, 2)           # rp of a segment, after k = EA / L: length, tau
HEAVY = index(3)                          # ip of inertia: whether gravity acts
MASS = index(0)                           # rp: of a vector


@inlined
def entry_of(b, e, n, which):
    return b.val[b.ip[e, POOL] + 3 * n + which]


@inlined
def offset(b, e, n):
    return int(b.val[b.ip[e, POOL] + 3 * n + 2].real)


@inlined
def directions(s, b, e):
    x = scale(0.0, vec(s.q, b.ip[e, IQ]))
    y = x
    for n in range(b.ip[e, COUNT]):
        v = vec(s.q, b.ip[e, IQ] + 3 * n)
        x, y = add(x, scale(entry_of(b, e, n, 0), v)), add(y, scale(entry_of(b, e, n, 1), v))
    return x, y


@inlined
def angle(a, b):
    """u and its derivatives by a and b, C = |a x b|^2, D, their derivatives                                      [spring-beam-2]"""
    c, p, q = cross(a, b), dot(a, a) ** 0.5, dot(b, b) ** 0.5
    C, D = dot(c, c), p * q + dot(a, b)
    Ca, Cb, Da, Db = scale(2.0, cross(b, c)), scale(2.0, cross(c, a)), add(scale(q / p, a), b), add(scale(p / q, b), a)
    f, g = 4 / (D * D), -8 * C / (D * D * D)
    return f * C, add(scale(f, Ca), scale(g, Da)), add(scale(f, Cb), scale(g, Db)), C, D, Ca, Cb, Da, Db


@inlined
def both(x, y, f):
    """f (x y^T + y x^T)"""
    return add9(dyad(scale(f, x), y, 0.0), dyad(scale(f, y), x, 0.0))


@inlined
def angle_change(a, b, C, D, Ca, Cb, Da, Db):
    """Second derivatives of u: by a and a, a and b, b and b                                                      [spring-beam-3]"""
    aa, bb, ab, D2, D3 = dot(a, a), dot(b, b), dot(a, b), D * D, D * D * D
    p, q, f, g, h, k = aa**0.5, bb**0.5, 4 / D2, -8 * C / D3, -8 / D3, 24 * C / (D2 * D2)
    u_aa = add9(dyad(scale(-2 * f, b), b, 2 * f * bb), dyad(scale(-g * q / (p * aa), a), a, g * q / p))
    u_aa = add9(u_aa, add9(both(Ca, Da, h), dyad(scale(k, Da), Da, 0.0)))
    u_bb = add9(dyad(scale(-2 * f, a), a, 2 * f * aa), dyad(scale(-g * p / (q * bb), b), b, g * p / q))
    u_bb = add9(u_bb, add9(both(Cb, Db, h), dyad(scale(k, Db), Db, 0.0)))
    u_ab = add9(dyad(scale(4 * f, a), b, -2 * f * ab), dyad(scale(-2 * f, b), a, 0.0))
    u_ab = add9(u_ab, dyad(scale(g / (p * q), a), b, g))
    u_ab = add9(u_ab, add9(dyad(scale(h, Ca), Db, 0.0), add9(dyad(scale(h, Da), Cb, 0.0), dyad(scale(k, Da), Db, 0.0))))
    return u_aa, u_ab, u_bb


@inlined
def by_square(b, e, u):
    """dW/du and its derivative; modelled straight no root is taken                                               [spring-beam-4]"""
    k, u0 = b.rp[e, STIFFNESS], b.rp[e, BENT]
    if u0.real == 0:
        return k / 2, 0 * u
    return k / 2 * (1 - u0 / np.sqrt(u)), k * u0 / (4 * u * np.sqrt(u))


@jit
def elastic(s, b, o):
    """R += dW/du (A_n du/da + B_n du/db)"""
    for e in range(b.first, b.last):
        x, y = directions(s, b, e)
        u, by_a, by_b, _, _, _, _, _, _ = angle(x, y)
        f, _ = by_square(b, e, u)
        for n in range(b.ip[e, COUNT]):
            i = b.ip[e, IV] + offset(b, e, n)
            accumulate(f * entry_of(b, e, n, 0), by_a, o.R, i)
            accumulate(f * entry_of(b, e, n, 1), by_b, o.R, i)


@jit
def elastic_tangent(s, b, o):
    """All second derivatives of W"""
    elastic(s, b, o)
    for e in range(b.first, b.last):
        x, y = directions(s, b, e)
        u, by_a, by_b, C, D, Ca, Cb, Da, Db = angle(x, y)
        f, f1 = by_square(b, e, u)
        u_aa, u_ab, u_bb = angle_change(x, y, C, D, Ca, Cb, Da, Db)
        aa = mat_add(scale9(o.ck * f, u_aa), o.ck * f1, dyad(by_a, by_a, 0.0))
        ab = mat_add(scale9(o.ck * f, u_ab), o.ck * f1, dyad(by_a, by_b, 0.0))
        bb = mat_add(scale9(o.ck * f, u_bb), o.ck * f1, dyad(by_b, by_b, 0.0))
        count = b.ip[e, COUNT]
        tiles = offset(b, e, count - 1) // 6 + 1
        for n in range(count):
            for m in range(count):
                i, j = offset(b, e, n), offset(b, e, m)
                t = b.tab[b.ip[e, TABLE] + tiles * (i // 6) + j // 6]
                A, B, F, G = entry_of(b, e, n, 0), entry_of(b, e, n, 1), entry_of(b, e, m, 0), entry_of(b, e, m, 1)
                for r in range(3):
                    for c in range(3):
                        o.D[t, i % 6 + r, j % 6 + c] += A * F * aa[3 * r + c] + B * G * bb[3 * r + c] + (A * G * ab[3 * r + c]
                                                                                                      + B * F * ab[3 * c + r])


@jit
def energy(s, b, o):
    """W of spring-beam-1"""
    for e in range(b.first, b.last):
        x, y = directions(s, b, e)
        u, _, _, _, _, _, _, _, _ = angle(x, y)
        u0 = b.rp[e, BENT]
        more = u0 * u0 - 2 * u0 * np.sqrt(u) if u0.real != 0 else 0 * u
        o.E[ELASTIC] += b.rp[e, STIFFNESS] * (u + more) / 2


@inlined
def pull(s, b, e):
    """n, l, and how much longer with tau times the rate: d = x_B - x_A, n = d / l, l - L + tau n.d'                [spring-beam-6]"""
    d = sub(vec(s.q, b.ip[e, QB]), vec(s.q, b.ip[e, QA]))
    l = dot(d, d) ** 0.5
    n = scale(1 / l, d)
    d1 = sub(vec(s.v, b.ip[e, VB]), vec(s.v, b.ip[e, VA]))
    return n, l, l - b.rp[e, UNLOADED] + b.rp[e, DAMPING] * dot(n, d1), d1


@jit
def axial(s, b, o):
    """R_B += k (l - L + tau l') n, minus at A"""
    for e in range(b.first, b.last):
        n, _, more, _ = pull(s, b, e)
        accumulate(b.rp[e, STIFFNESS] * more, n, o.R, b.ip[e, VB])
        accumulate(-b.rp[e, STIFFNESS] * more, n, o.R, b.ip[e, VA])


@jit
def axial_tangent(s, b, o):
    """k ((ck + cd tau) n n^T + ck (more (1 - n n^T) + tau n (d' - l' n)^T) / l)"""
    axial(s, b, o)
    for e in range(b.first, b.last):
        n, l, more, d1 = pull(s, b, e)
        k, tau, t = b.rp[e, STIFFNESS], b.rp[e, DAMPING], b.ip[e, TABLE]
        across = scale(o.ck * tau / l, sub(d1, scale(dot(n, d1), n)))
        K = dyad(scale(k, n), add(scale(o.ck + o.cd * tau - o.ck * more / l, n), across), k * o.ck * more / l)
        for i in range(2):
            for j in range(2):
                for r in range(3):
                    for c in range(3):
                        o.D[b.tab[t + 2 * i + j], r, c] += (1 - 2 * abs(i - j)) * K[3 * r + c]


@jit
def axial_energy(s, b, o):
    for e in range(b.first, b.last):
        d = sub(vec(s.q, b.ip[e, QB]), vec(s.q, b.ip[e, QA]))
        more = dot(d, d) ** 0.5 - b.rp[e, UNLOADED]
        o.E[ELASTIC] += b.rp[e, STIFFNESS] * more * more / 2


@jit
def axial_power(s, b, o):
    for e in range(b.first, b.last):
        n, _, _, d1 = pull(s, b, e)
        o.E[DISSIPATION] += b.rp[e, STIFFNESS] * b.rp[e, DAMPING] * dot(n, d1) ** 2


@jit
def length(s, b, o):
    """R += k (x.x - 1)/2 x of a slope x: it keeps the length one, which nothing else feels                       [spring-beam-5]"""
    for e in range(b.first, b.last):
        x = vec(s.q, b.ip[e, IQ])
        accumulate(b.rp[e, STIFFNESS] * (dot(x, x) - 1) / 2, x, o.R, b.ip[e, IV])


@jit
def length_tangent(s, b, o):
    length(s, b, o)
    for e in range(b.first, b.last):
        x, k, i = vec(s.q, b.ip[e, IQ]), o.ck * b.rp[e, STIFFNESS], b.ip[e, IV] % 6
        K, t = dyad(scale(k, x), x, k * (dot(x, x) - 1) / 2), b.tab[b.ip[e, TABLE]]
        for r in range(3):
            for c in range(3):
                o.D[t, i + r, i + c] += K[3 * r + c]


@jit
def length_energy(s, b, o):
    for e in range(b.first, b.last):
        x = vec(s.q, b.ip[e, IQ])
        strain = (dot(x, x) - 1) / 2
        o.E[ELASTIC] += b.rp[e, STIFFNESS] * strain * strain / 2


@jit
def inertia(s, b, o):
    """R += m (X'' - g, of a place)"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        accumulate(b.rp[e, MASS], sub(vec(s.a, b.ip[e, IV]), scale(b.ip[e, HEAVY] * 1.0, g)), o.R, b.ip[e, IV])


@jit
def inertia_tangent(s, b, o):
    inertia(s, b, o)
    for e in range(b.first, b.last):
        t, i = b.tab[b.ip[e, TABLE]], b.ip[e, IV] % 6
        for c in range(3):
            o.D[t, i + c, i + c] += o.cm * b.rp[e, MASS]


@jit
def inertia_energy(s, b, o):
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        v, m = vec(s.v, b.ip[e, IV]), b.rp[e, MASS]
        o.E[KINETIC] += m * dot(v, v) / 2
        o.E[POTENTIAL] -= m * b.ip[e, HEAVY] * dot(g, vec(s.q, b.ip[e, IQ]))


AXIAL = Family("stretch of a segment", act=Stage(residual=axial, tangent=axial_tangent, energy=axial_energy, power=axial_power),
               force=True, elastic=True)
SPRING = Family("torsional spring of a beam", act=Stage(residual=elastic, tangent=elastic_tangent, energy=energy), force=True,
                elastic=True)
LENGTH = Family("length of a slope", act=Stage(residual=length, tangent=length_tangent, energy=length_energy), force=True, elastic=True)
INERTIA = Family("mass of a vector", act=Stage(residual=inertia, tangent=inertia_tangent, energy=inertia_energy))
