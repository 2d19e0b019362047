"""Corotational beams: a linear stiffness in axes E that follow the element. Derivations: docs/theory/beams.md

e_1 of E is along the chord d = p_B - p_A, l long; E is turned the least from R_m = R_A exp(phi/2), phi = log(R_A^T R_B). With
X = exp(phi/2), c = R_m^T e_1, P the least rotation of e_x to c:  E = R_m P,  Q_A = P^T X^T R_A0^T,  Q_B = P^T X R_B0^T,
y = (l - l_0, log Q_A, log Q_B),  W = y.K y / 2                                                                         [eicr-1]
"""
import numpy as np

from ..kernels.contract import DISSIPATION, ELASTIC, TABLE, Family, Stage
from ..kernels.helicoidal import left_inverse, left_inverse_change, relative_quaternion
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import (
    accumulate,
    add,
    column,
    cross,
    dot,
    dyad,
    exponential,
    inverse_factor,
    mat2,
    mat_add,
    matmul,
    mul,
    rotation,
    rotation_vector,
    scale,
    skew,
    sub,
    tmul,
    transpose,
    vec,
)
from .beam_points import cubic, position, turns
from .exact_beams import QA, QB, VA, VB, history

POOL = index(5)                              # ip; val[POOL:]: K of y 7x7, R_A0 9, R_B0 9, both axes in those of E as modelled
LENGTH, DAMPING = index(0, 1)                # rp: l_0; tau, so that tau K y' is viscous


@inlined
def read9(x, k):
    return x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7], x[k + 8]


@inlined
def least_turn(c):
    """P with P e_x = c, about an axis across both"""
    f = 1 / (1 + c[0])
    return c[0], -c[1], -c[2], c[1], 1 - c[1] * c[1] * f, -c[1] * c[2] * f, c[2], -c[1] * c[2] * f, 1 - c[2] * c[2] * f


@jit
def placed(s, b, e):
    """l, E, eta = (c_2, c_3) / (1 + c_1), rho = tan(t/4) phi / t, E^T R_A, E^T R_B, P"""
    qa, qb = b.ip[e, QA], b.ip[e, QB]
    d = sub(vec(s.q, qb), vec(s.q, qa))
    l = np.sqrt(dot(d, d))
    w, v = relative_quaternion(s.q, qa + 3, qb + 3)
    rho = scale(1 / (1 + w), v)
    r2 = dot(rho, rho)
    f = 2 / (1 + r2)
    X = mat_add(dyad(scale(f, rho), rho, 1 - f * r2), f, skew(rho))  # Cayley: 1 + f ([rho] + [rho]^2)
    Rm = matmul(rotation(s.q, qa + 3), X)
    c = tmul(Rm, scale(1 / l, d))
    P = least_turn(c)
    Pt = transpose(P)
    return l, matmul(Rm, P), (c[1] / (1 + c[0]), c[2] / (1 + c[0])), rho, matmul(Pt, transpose(X)), matmul(Pt, X), P


@inlined
def deformation(s, b, e, l, RA, RB):
    """y of eicr-1 as l - l_0 and two rotation vectors"""
    k, zero = b.ip[e, POOL] + 49, (0 * l, 0 * l, 0 * l)
    qa, qb, l0 = b.ip[e, QA], b.ip[e, QB], b.rp[e, LENGTH]
    d = sub(vec(s.q, qb), vec(s.q, qa))
    a = rotation_vector(matmul(RA, transpose(read9(b.val, k))), zero)
    c = rotation_vector(matmul(RB, transpose(read9(b.val, k + 9))), zero)
    return (dot(d, d) - l0 * l0) / (l + l0), a, c


@inlined
def inverse_of(r):
    """S(r), g, g'"""
    g, g1 = inverse_factor(dot(r, r))
    return left_inverse(r, g), g, g1


@jit
def motion(l, eta, rho, RA, RB, SA, SB, d, wa, wb):
    """Of a motion (d in axes E, w in those of the nodes): spin of E, l', y' of both rotations                            [eicr-2]"""
    m = scale(0.5, add(add(wa, wb), cross(rho, sub(wb, wa))))
    y, z = -d[2] / l, d[1] / l
    spin = m[0] + eta[0] * (m[1] + y) + eta[1] * (m[2] + z), y, z
    return spin, m, mul(SA, sub(mul(RA, wa), spin)), mul(SB, sub(mul(RB, wb), spin))


@jit
def times7(x, k, u, a, c):
    """The 7x7 matrix at x[k:] times (u, a, c)"""
    y0, y1, y2, y3, y4, y5, y6 = row7(x, k, u, a, c), row7(x, k + 7, u, a, c), row7(x, k + 14, u, a, c), row7(x, k + 21, u, a, c), \
        row7(x, k + 28, u, a, c), row7(x, k + 35, u, a, c), row7(x, k + 42, u, a, c)
    return y0, (y1, y2, y3), (y4, y5, y6)


@inlined
def row7(x, k, u, a, c):
    return x[k] * u + x[k + 1] * a[0] + x[k + 2] * a[1] + x[k + 3] * a[2] + x[k + 4] * c[0] + x[k + 5] * c[1] + x[k + 6] * c[2]


@inlined
def moving(s, b, e, E):
    """v_B - v_A in axes E, w_A, w_B"""
    va, vb = b.ip[e, VA], b.ip[e, VB]
    return tmul(E, sub(vec(s.v, vb), vec(s.v, va))), vec(s.v, va + 3), vec(s.v, vb + 3)


@jit
def strained(s, b, e):
    """All that `placed` gives, S of both rotations with their factors, y, and (N, m_A, m_B) = K (y + tau y')"""
    at = placed(s, b, e)
    l, E, eta, rho, RA, RB, _ = at
    u, a, c = deformation(s, b, e, l, RA, RB)
    SA, SB = inverse_of(a), inverse_of(c)
    f, tau = times7(b.val, b.ip[e, POOL], u, a, c), b.rp[e, DAMPING]
    if tau.real != 0:
        d, wa, wb = moving(s, b, e, E)
        _, _, a1, c1 = motion(l, eta, rho, RA, RB, SA[0], SB[0], d, wa, wb)
        g = times7(b.val, b.ip[e, POOL], tau * d[0], scale(tau, a1), scale(tau, c1))
        f = f[0] + g[0], add(f[1], g[1]), add(f[2], g[2])
    return at, SA, SB, (u, a, c), f


@inlined
def wrench(l, eta, rho, RA, RB, N, MA, MB):
    """F on B in axes E, the moments on A and B in axes of the nodes; MA = S_A^T m_A: of the motion eicr-2 by virtual power [eicr-3]"""
    M = add(MA, MB)
    F = N, -(M[2] + M[0] * eta[1]) / l, (M[1] + M[0] * eta[0]) / l
    x = -M[0] / 2, -M[0] / 2 * eta[0], -M[0] / 2 * eta[1]
    y = cross(x, rho)
    return F, add(tmul(RA, MA), sub(x, y)), add(tmul(RB, MB), add(x, y))


@jit
def elastic(s, b, o):
    """Left side: -E F, E F and the moments of eicr-3"""
    for e in range(b.first, b.last):
        (l, E, eta, rho, RA, RB, _), SA, SB, _, (N, ma, mb) = strained(s, b, e)
        F, on_a, on_b = wrench(l, eta, rho, RA, RB, N, tmul(SA[0], ma), tmul(SB[0], mb))
        add_forces(o, b, e, E, F, on_a, on_b)


@inlined
def add_forces(o, b, e, E, F, on_a, on_b):
    va, vb, force = b.ip[e, VA], b.ip[e, VB], mul(E, F)
    accumulate(-1.0, force, o.R, va)
    accumulate(1.0, on_a, o.R, va + 3)
    accumulate(1.0, force, o.R, vb)
    accumulate(1.0, on_b, o.R, vb + 3)


@inlined
def geometry_change(eta, rho, P, RA, RB, spin, m, wa, wb):
    """d eta and d rho: c' = P (0, spin_3, -spin_2) - m x c; rho as of Rodrigues, halved twice                             [eicr-4]"""
    c = column(P, 0)
    dc = sub(mul(P, (0 * spin[0], spin[2], -spin[1])), cross(m, c))
    f = 1 / (1 + c[0])
    turn = sub(wb, tmul(RB, mul(RA, wa)))
    rr = dot(rho, rho)
    d = add(scale(0.25 * (1 - rr), turn), scale(0.5, add(cross(rho, turn), scale(dot(rho, turn), rho))))
    return (f * (dc[1] - eta[0] * dc[0]), f * (dc[2] - eta[1] * dc[0])), d


@jit
def rate_change(s, b, e, at, SA, SB, y, dl, da, dc, spin, deta, drho, th):
    """d(y') along a motion at constant velocities                                                                        [eicr-5]"""
    l, E, eta, rho, RA, RB, _ = at
    d, wa, wb = moving(s, b, e, E)
    turning, m, _, _ = motion(l, eta, rho, RA, RB, SA[0], SB[0], d, wa, wb)
    d1, m1 = cross(d, spin), scale(0.5, cross(drho, sub(wb, wa)))
    y1, z1 = -(d1[2] + turning[1] * dl) / l, (d1[1] - turning[2] * dl) / l
    x1 = m1[0] + eta[0] * (m1[1] + y1) + eta[1] * (m1[2] + z1) + deta[0] * (m[1] + turning[1]) + deta[1] * (m[2] + turning[2])
    xa, xb = sub(mul(RA, wa), turning), sub(mul(RB, wb), turning)
    xa1 = sub(sub(mul(RA, cross(th[0], wa)), cross(spin, mul(RA, wa))), (x1, y1, z1))
    xb1 = sub(sub(mul(RB, cross(th[1], wb)), cross(spin, mul(RB, wb))), (x1, y1, z1))
    a1 = add(mul(SA[0], xa1), mul(left_inverse_change(y[1], xa, SA[1], SA[2]), da))
    c1 = add(mul(SB[0], xb1), mul(left_inverse_change(y[2], xb, SB[1], SB[2]), dc))
    return d1[0], a1, c1


@inlined
def wrench_change(s, b, o, e, x, k, th, turn):
    """Change of (E F, moments) along dp_B - dp_A = E k, turns th of the nodes; ``turn``: T th, what w changes by          [eicr-6]"""
    at, SA, SB, y, (N, ma, mb) = x
    l, E, eta, rho, RA, RB, P = at
    pool, tau, ck, cd = b.ip[e, POOL], b.rp[e, DAMPING], o.ck, o.cd
    spin, m, da, dc = motion(l, eta, rho, RA, RB, SA[0], SB[0], k, th[0], th[1])
    deta, drho = geometry_change(eta, rho, P, RA, RB, spin, m, th[0], th[1])
    dl = k[0]
    u1, a1, c1 = ck * dl, scale(ck, da), scale(ck, dc)
    if tau.real != 0:
        u2, a2, c2 = rate_change(s, b, e, at, SA, SB, y, dl, da, dc, spin, deta, drho, th)
        _, _, a3, c3 = motion(l, eta, rho, RA, RB, SA[0], SB[0], k, turn[0], turn[1])
        u1 += tau * (ck * u2 + cd * dl)
        a1, c1 = add(a1, scale(tau, add(scale(ck, a2), scale(cd, a3)))), add(c1, scale(tau, add(scale(ck, c2), scale(cd, c3))))
    N1, ma1, mb1 = times7(b.val, pool, u1, a1, c1)
    MA, MB = tmul(SA[0], ma), tmul(SB[0], mb)
    MA1 = sub(tmul(SA[0], ma1), scale(ck, mul(left_inverse_change(scale(-1.0, y[1]), ma, SA[1], SA[2]), da)))
    MB1 = sub(tmul(SB[0], mb1), scale(ck, mul(left_inverse_change(scale(-1.0, y[2]), mb, SB[1], SB[2]), dc)))
    F, _, _ = wrench(l, eta, rho, RA, RB, N, MA, MB)
    F1, on_a, on_b = wrench(l, eta, rho, RA, RB, N1, MA1, MB1)
    M0, z = MA[0] + MB[0], 0 * l
    more = z, -ck * (M0 * deta[1] + F[1] * dl) / l, ck * (M0 * deta[0] - F[2] * dl) / l
    h = -M0 / 2 * ck
    p, q = (z, h * deta[0], h * deta[1]), add(cross((z, h * deta[0], h * deta[1]), rho), cross((h, h * eta[0], h * eta[1]), drho))
    back_a = add(cross(tmul(RA, MA), th[0]), tmul(RA, cross(spin, MA)))
    back_b = add(cross(tmul(RB, MB), th[1]), tmul(RB, cross(spin, MB)))
    force = mul(E, add(add(F1, more), scale(ck, cross(spin, F))))
    return force, add(on_a, add(scale(ck, back_a), sub(p, q))), add(on_b, add(scale(ck, back_b), add(p, q)))


@inlined
def add_column(o, t, b, side, j, sign, force, on_a, on_b):
    k, l = b.tab[t + side], b.tab[t + 2 + side]
    for i in range(3):
        o.D[k, i, j] -= sign * force[i]
        o.D[k, 3 + i, j] += sign * on_a[i]
        o.D[l, i, j] += sign * force[i]
        o.D[l, 3 + i, j] += sign * on_b[i]


@jit
def elastic_tangent(s, b, o):
    """Column by column of the nine motions dp_B - dp_A, th_A, th_B"""
    elastic(s, b, o)
    for e in range(b.first, b.last):
        t, x = b.ip[e, TABLE], strained(s, b, e)
        E = x[0][1]
        TA, TB, none = mat2(s.T, b.ip[e, VA] // 6, 0), mat2(s.T, b.ip[e, VB] // 6, 0), scale(0.0, column(E, 0))
        for j in range(9):
            part, i = j // 3, j % 3
            unit = add(none, (1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2)))
            k = tmul(E, unit) if part == 0 else none
            th = unit if part == 1 else none, unit if part == 2 else none
            turn = column(TA, i) if part == 1 else none, column(TB, i) if part == 2 else none
            force, on_a, on_b = wrench_change(s, b, o, e, x, k, th, turn)
            if part == 0:
                add_column(o, t, b, 0, i, -1.0, force, on_a, on_b)
                add_column(o, t, b, 1, i, 1.0, force, on_a, on_b)
            else:
                add_column(o, t, b, part - 1, 3 + i, 1.0, force, on_a, on_b)


@jit
def section(s, b, e, xi):
    """n and m at xi, of the forces on node A, -E F and the moment of eicr-3, that go on unchanged to the section: with r of beam-8 and
    R = R_A exp(xi phi),  n = R^T E F,  m = R^T ((r - p_A) x -E F - R_A M_A)                                              [eicr-10]"""
    (l, E, eta, rho, RA, RB, _), SA, SB, _, (N, ma, mb) = strained(s, b, e)
    F, on_a, _ = wrench(l, eta, rho, RA, RB, N, tmul(SA[0], ma), tmul(SB[0], mb))
    A, B, phi, _, _, _ = turns(s, b, e)
    force, R = mul(E, F), matmul(A, exponential(scale(xi, phi)))
    way = sub(position(s, b, e, b.rp[e, LENGTH], cubic(xi), A, B), vec(s.q, b.ip[e, QA]))
    return tmul(R, force), tmul(R, sub(cross(force, way), mul(A, on_a)))


@jit
def energy(s, b, o):
    """W = y.K y / 2                                                                                                      [eicr-7]"""
    for e in range(b.first, b.last):
        l, _, _, _, RA, RB, _ = placed(s, b, e)
        u, a, c = deformation(s, b, e, l, RA, RB)
        N, ma, mb = times7(b.val, b.ip[e, POOL], u, a, c)
        o.E[ELASTIC] += (u * N + dot(a, ma) + dot(c, mb)) / 2


@jit
def power(s, b, o):
    """Lost: tau y'.K y'                                                                                                  [eicr-8]"""
    for e in range(b.first, b.last):
        (l, E, eta, rho, RA, RB, _), SA, SB, _, _ = strained(s, b, e)
        d, wa, wb = moving(s, b, e, E)
        _, _, a, c = motion(l, eta, rho, RA, RB, SA[0], SB[0], d, wa, wb)
        N, ma, mb = times7(b.val, b.ip[e, POOL], d[0], a, c)
        o.E[DISSIPATION] += b.rp[e, DAMPING] * (d[0] * N + dot(a, ma) + dot(c, mb))


COROTATIONAL = Family("corotational beam", force=True, elastic=True,
                      act=Stage(residual=elastic, tangent=elastic_tangent, energy=energy, power=power, history=history))
