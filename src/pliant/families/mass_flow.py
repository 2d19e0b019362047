"""Rigid bodies whose mass, inertia and centre of mass are functions of time: what is added to the equations of the body as it is at
the start. Equations: docs/theory/mass_flow.md

All in body axes against the reference point of the body, its centre of mass at the start: m, d, J mass, centre of mass and inertia
about the reference point, P = (m d)' - m' x momentum of what flows inside, f = -m' the flow out at x with the relative velocity u.
"""
import numpy as np

from ..kernels.contract import GRAVITY, KINETIC, POTENTIAL, POWER, TABLE, Family, Stage
from ..kernels.expression_vm import evaluate
from ..kernels.jit import index, jit
from ..kernels.so3 import accumulate, add, column, cross, dot, dyad, mat2, mat_add, mul, rotation, scale, sub, tmul, vec

# ip: the body in q and v, where the codes of its functions are in tab: m, m', m''; d, d', d'' by axis; the inertia about the centre of
# mass J and J' (xx, yy, zz, xy, xz, yz); u by axis
IQ, IV, CODES, POOL = index(1, 2, 3, 4)
M_CODES, D_CODES, J_CODES, U_CODES = index(0, 3, 12, 24)
OF_MASS, OF_INERTIA, OF_SPREAD, OF_PLACE = index(0, 1, 10, 19)  # val: m and J at the start; second moment and mean place of the exits


@jit
def nine(x, i):
    return x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5], x[i + 6], x[i + 7], x[i + 8]


@jit
def value(s, b, o, e, k):
    code = b.tab[b.ip[e, CODES] + k]
    zero = 0 * s.H[0]
    if code < 0:
        return zero
    return evaluate(s.t, zero, zero, s.Y, b.tab, b.val, code, o.W)


@jit
def three(s, b, o, e, k, step):
    return value(s, b, o, e, k), value(s, b, o, e, k + step), value(s, b, o, e, k + 2 * step)


@jit
def symmetric(s, b, o, e, k):
    xx, yy, zz = value(s, b, o, e, k), value(s, b, o, e, k + 2), value(s, b, o, e, k + 4)
    xy, xz, yz = value(s, b, o, e, k + 6), value(s, b, o, e, k + 8), value(s, b, o, e, k + 10)
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


@jit
def content(s, b, o, e):
    """m, m'; m d, (m d)'; J, J' about the reference point; P, P'                                      [flow-1]"""
    m, m1, m2 = three(s, b, o, e, M_CODES, 1)
    if not m.real > 0:
        m = m * np.nan
    d, d1, d2 = three(s, b, o, e, D_CODES, 3), three(s, b, o, e, D_CODES + 1, 3), three(s, b, o, e, D_CODES + 2, 3)
    x = vec(b.val, b.ip[e, POOL] + OF_PLACE)
    first, second = scale(m, d), add(scale(m1, d), scale(m, d1))
    third = add(scale(m2, d), add(scale(2 * m1, d1), scale(m, d2)))
    size, change = dot(d, d), 2 * dot(d, d1)
    J = mat_add(symmetric(s, b, o, e, J_CODES), -m, dyad(d, d, -size))
    K = mat_add(symmetric(s, b, o, e, J_CODES + 1), -m1, dyad(d, d, -size))
    K = mat_add(mat_add(K, -m, dyad(d, d1, -change)), -m, dyad(d1, d, 0 * m))
    return m, m1, first, second, J, K, sub(second, scale(m1, x)), sub(third, scale(m2, x))


@jit
def moved(s, b, o, e, c, w):
    """What flows adds on the left, in body axes: 2 w x P + P' + f u; J' w + f (G w + x x u), G the second moment of the exits  [flow-2]"""
    m1, K, P, P1 = c[1], c[5], c[6], c[7]
    pool = b.ip[e, POOL]
    u, x = three(s, b, o, e, U_CODES, 1), vec(b.val, pool + OF_PLACE)
    G = nine(b.val, pool + OF_SPREAD)
    force = add(add(scale(2.0, cross(w, P)), P1), scale(-m1, u))
    return force, sub(mul(K, w), scale(m1, add(mul(G, w), cross(x, u))))


@jit
def flow(s, b, o):
    """m (a - g) + R (w' x m d + w x (w x m d) + what flows), m d x R^T (a - g) + J w' + w x J w + what flows; without what the body as
    it is at the start has of it                                                                        [flow-3]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, pool, c = b.ip[e, IV], b.ip[e, POOL], content(s, b, o, e)
        m, md, J = c[0] - b.val[pool + OF_MASS], c[2], mat_add(c[4], -1.0, nine(b.val, pool + OF_INERTIA))
        R, w, w1, fall = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv + 3), vec(s.a, iv + 3), sub(vec(s.a, iv), g)
        force, moment = moved(s, b, o, e, c, w)
        accumulate(m, fall, o.R, iv)
        accumulate(1.0, mul(R, add(add(cross(w1, md), cross(w, cross(w, md))), force)), o.R, iv)
        accumulate(1.0, add(cross(md, tmul(R, fall)), add(add(mul(J, w1), cross(w, mul(J, w))), moment)), o.R, iv + 3)


@jit
def flow_tangent(s, b, o):
    """The derivatives of flow-3 by a, v and turns of the body                                          [flow-4]"""
    flow(s, b, o)
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, pool, k, c = b.ip[e, IV], b.ip[e, POOL], b.tab[b.ip[e, TABLE]], content(s, b, o, e)
        m, m1, md, J, P = c[0] - b.val[pool + OF_MASS], c[1], c[2], mat_add(c[4], -1.0, nine(b.val, pool + OF_INERTIA)), c[6]
        R, w, w1, T = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv + 3), vec(s.a, iv + 3), mat2(s.T, iv // 6, 0)
        force, _ = moved(s, b, o, e, c, w)
        bracket = add(add(cross(w1, md), cross(w, cross(w, md))), force)
        fall, H = tmul(R, sub(vec(s.a, iv), g)), mat_add(c[5], -m1, nine(b.val, pool + OF_SPREAD))
        for j in range(3):
            u = column(T, j)  # what a turn about axis j makes of w and w'
            axis = 1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2)
            by_a, by_w = mul(R, cross(u, md)), mul(R, add(add(cross(u, cross(w, md)), cross(w, cross(u, md))), scale(2.0, cross(u, P))))
            turn = mul(R, cross(axis, bracket))
            back = cross(md, (R[3 * j], R[3 * j + 1], R[3 * j + 2]))
            gyro = add(add(cross(w, mul(J, u)), cross(u, mul(J, w))), mul(H, u))
            tilt, spin = cross(md, cross(fall, axis)), mul(J, u)
            o.D[k, j, j] += o.cm * m
            for i in range(3):
                o.D[k, 3 + i, j] += o.cm * back[i]
                o.D[k, i, 3 + j] += o.cm * by_a[i] + o.cd * by_w[i] + o.ck * turn[i]
                o.D[k, 3 + i, 3 + j] += o.cm * spin[i] + o.cd * gyro[i] + o.ck * tilt[i]


@jit
def flow_energy(s, b, o):
    """m v^2 / 2 + v . R w x m d + w . J w / 2 and -g . (m p + R m d), without those of the body at the start   [flow-5]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, pool, c = b.ip[e, IV], b.ip[e, POOL], content(s, b, o, e)
        m, md, J = c[0] - b.val[pool + OF_MASS], c[2], mat_add(c[4], -1.0, nine(b.val, pool + OF_INERTIA))
        R, v, w = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv), vec(s.v, iv + 3)
        o.E[KINETIC] += (m * dot(v, v) + dot(w, mul(J, w))) / 2 + dot(v, mul(R, cross(w, md)))
        o.E[POTENTIAL] -= dot(g, add(scale(m, vec(s.q, b.ip[e, IQ])), mul(R, md)))


@jit
def flow_power(s, b, o):
    """What the flow does to the body, and what leaves takes away: -v . force - w . moment + dT/dt + dV/dt at rest of all else  [flow-6]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, c = b.ip[e, IV], content(s, b, o, e)
        m1, md1, K = c[1], c[3], c[5]
        R, v, w = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv), vec(s.v, iv + 3)
        force, moment = moved(s, b, o, e, c, w)
        o.E[POWER] -= dot(v, mul(R, force)) + dot(w, moment)
        o.E[POWER] += (m1 * dot(v, v) + dot(w, mul(K, w))) / 2 + dot(v, mul(R, cross(w, md1)))
        o.E[POWER] -= dot(g, add(scale(m1, vec(s.q, b.ip[e, IQ])), mul(R, md1)))


FLOW = Family("mass flow", act=Stage(residual=flow, tangent=flow_tangent, energy=flow_energy, power=flow_power))
