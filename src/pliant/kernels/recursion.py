"""Recursion over the bodies of a tree: positions and velocities outward, articulated inertia inward, accelerations outward.

World axes; the reference of every body is its centre of mass, so that its own equations are those of absolute coordinates,
diag(m, A I A^T) a + R = wrench of its joints, with R from the programs of the model. Derivation: docs/theory/recursion.md
"""
from typing import NamedTuple

import numpy as np

from .jit import index, inlined, jit
from .so3 import add, axis2, cross, dot, mat2, matmul, mul, rotation, scale, store, store2, tmul, transpose, vec, vec2

# kinds of joints: about and along one axis (also fixed), two crossed axes, a point, a plane, none
AXIAL, UNIVERSAL, SPHERICAL, PLANAR, FREE = index(0, 1, 2, 3, 4)
# ip of a link: row of its parent (the last one is the ground), kind; first of its coordinates and of its rates, number of rates; the
# body in q and v; rates of angle and displacement (-1: none); axes of a universal joint
PARENT, KIND, IP, IU, NU, IQ, IV, TURN, SLIDE, AXIS_1, AXIS_2 = index(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
LINK_INTEGERS = 11
# rp of a link: joint on the parent (from its centre of mass, its axes); axis there; centre of mass from the joint (own axes); two
# quaternions with q_parent^-1 q = cos(angle/2) Q1 + sin(angle/2) Q2; quaternions of the joint axes on the parent, and inverse
# on the child; displacement per angle and at angle 0; joint axes on the parent; second axis of a universal joint (own axes); mass, inertia
ARM, AXIS, RHO, Q1, Q2, QF, QC, LEAD, OFFSET, AXES, SECOND, MASS, INERTIA = index(0, 3, 6, 9, 13, 17, 21, 25, 26, 27, 36, 39, 40)
LINK_REALS = 49
# w, one row per link and one for the ground: axes, position, velocity, angular velocity; from the parent; bias acceleration; articulated
# inertia [M H; H^T J] with M and J by their upper halves; bias force; acceleration; quaternion; left side of the
# body's own equations
A_, R_, V_, W_, D_, C_, MM, HH, JJ, P_, AC, QQ, LS = index(0, 9, 12, 15, 18, 21, 27, 33, 42, 48, 54, 60, 64)
LINK_WORK = 70
# s, one row per rate: motion of the body, force U = I S, 1 / (S . U), force along it
S_, U_, DI, UU = index(0, 6, 12, 13)
RATE_WORK = 14
LOC, LAG, SPEED, SPIN, GYRO = index(0, 4, 7, 10, 13)  # of g: what the joint gives, see `joint_motion`
TINY = 1e-13  # of an inertia: none


class Tree(NamedTuple):
    """Links, parents before children, with the state in joint coordinates and the work arrays of the recursion."""
    ip: np.ndarray
    rp: np.ndarray
    drive: np.ndarray      # per rate: the element that prescribes it, or -1
    driven: np.ndarray     # (rate, position, element) of those
    scale: np.ndarray      # per rate: sign and zero, coordinate = sign * own + zero
    history: np.ndarray    # (place in H, rate, its position) of angles that are counted
    rotations: np.ndarray  # (first rate, first position) of quaternions; of all other coordinates
    linear: np.ndarray
    q: np.ndarray
    u: np.ndarray
    du: np.ndarray
    w: np.ndarray
    s: np.ndarray
    g: np.ndarray


def no_tree() -> Tree:
    """Of absolute coordinates."""
    i1, f1, two = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 2), np.int64)
    three, work = np.zeros((0, 3), np.int64), np.zeros((1, LINK_WORK))
    return Tree(np.zeros((0, LINK_INTEGERS), np.int64), np.zeros((0, LINK_REALS)), i1, three, np.zeros((0, 2)), three, two, two, f1, f1, f1,
                work, np.zeros((0, RATE_WORK)), f1)


@jit
def product(a, b):
    """Of quaternions."""
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


@jit
def four(x, r, i):
    return x[r, i], x[r, i + 1], x[r, i + 2], x[r, i + 3]


@inlined
def blend(rp, i, c, s):
    """cos Q1 + sin Q2"""
    return (c * rp[i, Q1] + s * rp[i, Q2], c * rp[i, Q1 + 1] + s * rp[i, Q2 + 1], c * rp[i, Q1 + 2] + s * rp[i, Q2 + 2],
            c * rp[i, Q1 + 3] + s * rp[i, Q2 + 3])


@jit
def axis_turn(k, angle):
    """Quaternion of a turn about axis k."""
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    z = 0 * s
    return c, s if k == 0 else z, s if k == 1 else z, s if k == 2 else z


@jit
def joint_motion(tr, i, A, wp):
    """What a joint that is not axial gives, in g: local quaternion, displacement and its rate, and for a universal joint the relative
    angular velocity and its own bias. Angular velocities of quaternions are in body axes and need those first."""
    ip, iu, kind, g = tr.ip[i, IP], tr.ip[i, IU], tr.ip[i, KIND], tr.g
    for k in range(LAG, GYRO + 3):
        g[k] = 0
    if kind == UNIVERSAL:
        rel = product(axis_turn(tr.ip[i, AXIS_1], tr.q[ip]), axis_turn(tr.ip[i, AXIS_2], tr.q[ip + 1]))
        store(product(product(four(tr.rp, i, QF), rel), four(tr.rp, i, QC)), g, LOC)
    elif kind == PLANAR:
        store(blend(tr.rp, i, np.cos(tr.q[ip + 2] / 2), np.sin(tr.q[ip + 2] / 2)), g, LOC)
        x, y = mul(A, axis2(tr.rp, i, AXES, 0)), mul(A, axis2(tr.rp, i, AXES, 1))
        store(add(scale(tr.q[ip], x), scale(tr.q[ip + 1], y)), g, LAG)
        store(add(scale(tr.u[iu], x), scale(tr.u[iu + 1], y)), g, SPEED)
        store(scale(tr.u[iu + 2], mul(A, vec2(tr.rp, i, AXIS))), g, SPIN)
        store2(x, tr.s, iu, S_)
        store2(y, tr.s, iu + 1, S_)
    else:
        first = ip + 3 if kind == FREE else ip
        store((tr.q[first], tr.q[first + 1], tr.q[first + 2], tr.q[first + 3]), g, LOC)
        if kind == FREE:
            store(vec(tr.q, ip), g, LAG)
            store(vec(tr.u, iu), g, SPEED)


@jit
def turning_motion(tr, i, A, B, rho):
    """The rest, where the axes B of the body are needed: columns of S, relative angular velocity, and what changes it."""
    iu, kind, g = tr.ip[i, IU], tr.ip[i, KIND], tr.g
    z = 0 * rho[0]
    none = z, z, z
    if kind == UNIVERSAL:
        e, f = mul(A, vec2(tr.rp, i, AXIS)), mul(B, vec2(tr.rp, i, SECOND))
        store(add(scale(tr.u[iu], e), scale(tr.u[iu + 1], f)), g, SPIN)
        store(scale(tr.u[iu] * tr.u[iu + 1], cross(e, f)), g, GYRO)
        columns(tr, iu, e, rho)
        columns(tr, iu + 1, f, rho)
    elif kind == PLANAR:
        for k in range(2):
            store2(none, tr.s, iu + k, S_ + 3)
        columns(tr, iu + 2, mul(A, vec2(tr.rp, i, AXIS)), rho)
    else:
        first = iu
        if kind == FREE:
            first += 3
            for k in range(3):
                for j in range(6):
                    tr.s[iu + k, S_ + j] = 1.0 if j == k else 0.0
        store(mul(B, vec(tr.u, first)), g, SPIN)
        for k in range(3):
            columns(tr, first + k, (B[k], B[3 + k], B[6 + k]), rho)


@jit
def columns(tr, k, e, rho):
    """Rate k turns about the axis e through the joint."""
    store2(cross(e, rho), tr.s, k, S_)
    store2(e, tr.s, k, S_ + 3)


@jit
def outward(tr, x):
    """Positions and velocities of all bodies in x and w, columns S and bias accelerations.             [recursion-1] to [recursion-4]"""
    n, w, rp, g = tr.ip.shape[0], tr.w, tr.rp, tr.g
    for i in range(n):
        p, iq, iv, iu = tr.ip[i, PARENT], tr.ip[i, IQ], tr.ip[i, IV], tr.ip[i, IU]
        A, wp = mat2(w, p, A_), vec2(w, p, W_)
        arm = mul(A, vec2(rp, i, ARM))
        z = 0 * arm[0]
        speed, gyro, spin = (z, z, z), (z, z, z), (z, z, z)
        if tr.ip[i, KIND] == AXIAL:
            e, angle, rate, slide, slip = mul(A, vec2(rp, i, AXIS)), z, z, rp[i, OFFSET], z
            if tr.ip[i, TURN] >= 0:
                angle, rate = tr.q[tr.ip[i, IP]], tr.u[tr.ip[i, TURN]]
                slide, slip = slide + rp[i, LEAD] * angle, rp[i, LEAD] * rate
                local = blend(rp, i, np.cos(angle / 2), np.sin(angle / 2))
            else:
                local = four(rp, i, Q1)
            if tr.ip[i, SLIDE] >= 0:
                slide, slip = slide + tr.q[tr.ip[i, IP] + tr.ip[i, SLIDE] - iu], tr.u[tr.ip[i, SLIDE]]
            arm, speed, spin = add(arm, scale(slide, e)), scale(slip, e), scale(rate, e)
        else:
            joint_motion(tr, i, A, wp)
            local, e = (g[LOC], g[LOC + 1], g[LOC + 2], g[LOC + 3]), arm
            arm, speed = add(arm, vec(g, LAG)), vec(g, SPEED)
        own = product(four(w, p, QQ), local)
        store(own, x.q, iq + 3)
        store2(own, w, i, QQ)
        B = rotation(x.q, iq + 3)
        rho = mul(B, vec2(rp, i, RHO))
        if tr.ip[i, KIND] == AXIAL:
            if tr.ip[i, TURN] >= 0:
                k = tr.ip[i, TURN]
                store2(add(cross(e, rho), scale(rp[i, LEAD], e)), tr.s, k, S_)
                store2(e, tr.s, k, S_ + 3)
            if tr.ip[i, SLIDE] >= 0:
                k = tr.ip[i, SLIDE]
                store2(e, tr.s, k, S_)
                store2((z, z, z), tr.s, k, S_ + 3)
        else:
            turning_motion(tr, i, A, B, rho)
            spin, gyro = vec(g, SPIN), vec(g, GYRO)
        d, wi = add(arm, rho), add(wp, spin)
        r = add(vec2(w, p, R_), d)
        across = cross(wp, arm)
        v = add(add(vec2(w, p, V_), across), add(speed, cross(wi, rho)))
        bend = add(cross(wp, spin), gyro)
        lag = add(cross(wp, add(across, scale(2.0, speed))), add(cross(wi, cross(wi, rho)), cross(bend, rho)))
        store2(B, w, i, A_)
        store2(r, w, i, R_)
        store2(v, w, i, V_)
        store2(wi, w, i, W_)
        store2(d, w, i, D_)
        for k in range(iu, iu + tr.ip[i, NU]):
            if tr.drive[k] >= 0:  # a known acceleration
                lag, bend = add(lag, scale(tr.du[k], vec2(tr.s, k, S_))), add(bend, scale(tr.du[k], vec2(tr.s, k, S_ + 3)))
        store2(lag, w, i, C_)
        store2(bend, w, i, C_ + 3)
        store(r, x.q, iq)
        store(v, x.v, iv)
        store(tmul(B, wi), x.v, iv + 3)


@inlined
def symmetric(w, i, k):
    """A symmetric 3x3 matrix from its upper half."""
    return w[i, k], w[i, k + 1], w[i, k + 2], w[i, k + 1], w[i, k + 3], w[i, k + 4], w[i, k + 2], w[i, k + 4], w[i, k + 5]


@inlined
def store_half(m, w, i, k):
    w[i, k], w[i, k + 1], w[i, k + 2], w[i, k + 3], w[i, k + 4], w[i, k + 5] = m[0], m[1], m[2], m[4], m[5], m[8]


@inlined
def add_half(m, w, i, k):
    w[i, k] += m[0]
    w[i, k + 1] += m[1]
    w[i, k + 2] += m[2]
    w[i, k + 3] += m[4]
    w[i, k + 4] += m[5]
    w[i, k + 5] += m[8]


@inlined
def lowered(m, f, a, b):
    """m - f a b^T"""
    x, y, z = f * a[0], f * a[1], f * a[2]
    return (m[0] - x * b[0], m[1] - x * b[1], m[2] - x * b[2], m[3] - y * b[0], m[4] - y * b[1], m[5] - y * b[2],
            m[6] - z * b[0], m[7] - z * b[1], m[8] - z * b[2])


@inlined
def times_skew(m, d):
    """m [d]"""
    return (m[1] * d[2] - m[2] * d[1], m[2] * d[0] - m[0] * d[2], m[0] * d[1] - m[1] * d[0],
            m[4] * d[2] - m[5] * d[1], m[5] * d[0] - m[3] * d[2], m[3] * d[1] - m[4] * d[0],
            m[7] * d[2] - m[8] * d[1], m[8] * d[0] - m[6] * d[2], m[6] * d[1] - m[7] * d[0])


@inlined
def skew_times(d, m):
    """[d] m"""
    return (d[1] * m[6] - d[2] * m[3], d[1] * m[7] - d[2] * m[4], d[1] * m[8] - d[2] * m[5],
            d[2] * m[0] - d[0] * m[6], d[2] * m[1] - d[0] * m[7], d[2] * m[2] - d[0] * m[8],
            d[0] * m[3] - d[1] * m[0], d[0] * m[4] - d[1] * m[1], d[0] * m[5] - d[1] * m[2])


@inlined
def sum9(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8]


@inlined
def minus9(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5], a[6] - b[6], a[7] - b[7], a[8] - b[8]


@jit
def begin_inward(tr, R):
    """Every body alone: its mass, its inertia in world axes, and the left side R of its equations at zero acceleration."""
    w = tr.w
    for i in range(tr.ip.shape[0]):
        A, m, iv = mat2(w, i, A_), tr.rp[i, MASS], tr.ip[i, IV]
        J = matmul(matmul(A, mat2(tr.rp, i, INERTIA)), transpose(A))
        for k in range(MM, JJ):
            w[i, k] = 0
        w[i, MM], w[i, MM + 3], w[i, MM + 5] = m, m, m
        store_half(J, w, i, JJ)
        f, turn = vec(R, iv), mul(A, vec(R, iv + 3))
        store2(f, w, i, P_)
        store2(turn, w, i, P_ + 3)
        store2(f, w, i, LS)
        store2(turn, w, i, LS + 3)


@jit
def inward(tr):
    """Articulated inertia and bias, from the leaves to the ground. The number of a rate without inertia, or -1.  [recursion-5], [recursion-6]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        M, H, J = symmetric(w, i, MM), mat2(w, i, HH), symmetric(w, i, JJ)
        f, m = vec2(w, i, P_), vec2(w, i, P_ + 3)
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] < 0:
                a, b = vec2(s, k, S_), vec2(s, k, S_ + 3)
                Uf, Um = add(mul(M, a), mul(H, b)), add(tmul(H, a), mul(J, b))
                D = dot(a, Uf) + dot(b, Um)
                whole = (M[0].real + M[4].real + M[8].real) * dot(a, a).real + (J[0].real + J[4].real + J[8].real) * dot(b, b).real
                if not D.real > TINY * whole:
                    return k
                inverse, u = 1 / D, -dot(a, f) - dot(b, m)
                store2(Uf, s, k, U_)
                store2(Um, s, k, U_ + 3)
                s[k, DI], s[k, UU] = inverse, u
                M, H, J = lowered(M, inverse, Uf, Uf), lowered(H, inverse, Uf, Um), lowered(J, inverse, Um, Um)
                f, m = add(f, scale(inverse * u, Uf)), add(m, scale(inverse * u, Um))
        a, b = vec2(w, i, C_), vec2(w, i, C_ + 3)
        f, m = add(f, add(mul(M, a), mul(H, b))), add(m, add(tmul(H, a), mul(J, b)))
        store_half(M, w, i, MM)
        store2(H, w, i, HH)
        store_half(J, w, i, JJ)
        store2(f, w, i, P_)
        store2(m, w, i, P_ + 3)
        p = tr.ip[i, PARENT]
        if p < ground:
            d = vec2(w, i, D_)
            K = minus9(H, times_skew(M, d))
            # J + [d] H - H^T [d] - [d] M [d] = J + [d] K - H^T [d]
            add_half(M, w, p, MM)
            for j in range(9):
                w[p, HH + j] += K[j]
            add_half(minus9(sum9(J, skew_times(d, K)), times_skew(transpose(H), d)), w, p, JJ)
            turn = add(m, cross(d, f))
            for j in range(3):
                w[p, P_ + j] += f[j]
                w[p, P_ + 3 + j] += turn[j]
    return -1


@jit
def accelerate(tr, x):
    """Accelerations from the ground to the leaves: of the joints in du, of the bodies in w and x.a.     [recursion-7]"""
    w, s = tr.w, tr.s
    for i in range(tr.ip.shape[0]):
        p, d, iv = tr.ip[i, PARENT], vec2(w, i, D_), tr.ip[i, IV]
        b = vec2(w, p, AC + 3)
        a = add(add(vec2(w, p, AC), cross(b, d)), vec2(w, i, C_))
        b = add(b, vec2(w, i, C_ + 3))
        for k in range(tr.ip[i, IU] + tr.ip[i, NU] - 1, tr.ip[i, IU] - 1, -1):
            if tr.drive[k] < 0:
                rate = (s[k, UU] - dot(vec2(s, k, U_), a) - dot(vec2(s, k, U_ + 3), b)) * s[k, DI]
                tr.du[k] = rate
                a, b = add(a, scale(rate, vec2(s, k, S_))), add(b, scale(rate, vec2(s, k, S_ + 3)))
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)
        store(a, x.a, iv)
        store(tmul(mat2(w, i, A_), b), x.a, iv + 3)


@jit
def respond(tr, out, x, f):
    """out += f M^-1 (forces along the rates), and with it the accelerations of the bodies in x.a: the forces are in the columns P of w, on
    the left side of the equations of the bodies, and are used up. Needs the articulated inertia.           [recursion-8]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        force, m, p = vec2(w, i, P_), vec2(w, i, P_ + 3), tr.ip[i, PARENT]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] < 0:
                u = -dot(vec2(s, k, S_), force) - dot(vec2(s, k, S_ + 3), m)
                s[k, UU] = u
                force, m = add(force, scale(u * s[k, DI], vec2(s, k, U_))), add(m, scale(u * s[k, DI], vec2(s, k, U_ + 3)))
        if p < ground:
            turn = add(m, cross(vec2(w, i, D_), force))
            for j in range(3):
                w[p, P_ + j] += force[j]
                w[p, P_ + 3 + j] += turn[j]
    for i in range(ground):
        p, iv = tr.ip[i, PARENT], tr.ip[i, IV]
        b = vec2(w, p, AC + 3)
        a = add(vec2(w, p, AC), cross(b, vec2(w, i, D_)))
        for k in range(tr.ip[i, IU] + tr.ip[i, NU] - 1, tr.ip[i, IU] - 1, -1):
            if tr.drive[k] < 0:
                rate = (s[k, UU] - dot(vec2(s, k, U_), a) - dot(vec2(s, k, U_ + 3), b)) * s[k, DI]
                out[k] += f * rate
                a, b = add(a, scale(rate, vec2(s, k, S_))), add(b, scale(rate, vec2(s, k, S_ + 3)))
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)
        turn = tmul(mat2(w, i, A_), b)
        for j in range(3):
            x.a[iv + j] += f * a[j]
            x.a[iv + 3 + j] += f * turn[j]


@jit
def transmit(tr, effort):
    """The wrench of every joint on its body in P of w, and what it does along the rates: effort = S . P. From the accelerations of the
    bodies and the left sides of their equations, inward.                                              [recursion-9]"""
    w, ground = tr.w, tr.ip.shape[0]
    for i in range(ground):
        A, m, a = mat2(w, i, A_), tr.rp[i, MASS], vec2(w, i, AC)
        turn = mul(A, mul(mat2(tr.rp, i, INERTIA), tmul(A, vec2(w, i, AC + 3))))
        for j in range(3):
            w[i, P_ + j] = m * a[j] + w[i, LS + j]
            w[i, P_ + 3 + j] = turn[j] + w[i, LS + 3 + j]
    for i in range(ground - 1, -1, -1):
        f, m, p = vec2(w, i, P_), vec2(w, i, P_ + 3), tr.ip[i, PARENT]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            effort[k] = dot(vec2(tr.s, k, S_), f) + dot(vec2(tr.s, k, S_ + 3), m)
        if p < ground:
            turn = add(m, cross(vec2(w, i, D_), f))
            for j in range(3):
                w[p, P_ + j] += f[j]
                w[p, P_ + 3 + j] += turn[j]


@jit
def follow(tr, rates):
    """Accelerations of the bodies in w for given ones of the joints; driven coordinates count as given, too."""
    w, s = tr.w, tr.s
    for i in range(tr.ip.shape[0]):
        p, b = tr.ip[i, PARENT], vec2(w, tr.ip[i, PARENT], AC + 3)
        a = add(add(vec2(w, p, AC), cross(b, vec2(w, i, D_))), vec2(w, i, C_))
        b = add(b, vec2(w, i, C_ + 3))
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            a, b = add(a, scale(rates[k], vec2(s, k, S_))), add(b, scale(rates[k], vec2(s, k, S_ + 3)))
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)


@jit
def composite(tr, M):
    """The mass matrix M_p = H^T M H of the tree: of every rate the force that the composite of all bodies above needs, carried inward.
                                                                                                    [recursion-10]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        m, H, J = symmetric(w, i, MM), mat2(w, i, HH), symmetric(w, i, JJ)
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            a, b = vec2(s, k, S_), vec2(s, k, S_ + 3)
            f, turn, j = add(mul(m, a), mul(H, b)), add(tmul(H, a), mul(J, b)), i
            while j < ground:
                for l in range(tr.ip[j, IU], tr.ip[j, IU] + tr.ip[j, NU]):
                    M[k, l] = dot(vec2(s, l, S_), f) + dot(vec2(s, l, S_ + 3), turn)
                    M[l, k] = M[k, l]
                turn, j = add(turn, cross(vec2(w, j, D_), f)), tr.ip[j, PARENT]
        p = tr.ip[i, PARENT]
        if p < ground:
            d = vec2(w, i, D_)
            K = minus9(H, times_skew(m, d))
            add_half(m, w, p, MM)
            for j in range(9):
                w[p, HH + j] += K[j]
            add_half(minus9(sum9(J, skew_times(d, K)), times_skew(transpose(H), d)), w, p, JJ)
