"""Recursion over the bodies of a tree: positions and velocities outward, articulated inertia inward, accelerations outward.

World axes; the reference of every body is its centre of mass, so that its own equations are those of absolute coordinates,
diag(m, A I A^T) a + R = wrench of its joints, with R from the programs of the model. Derivation: docs/theory/recursion.md
"""
from typing import NamedTuple

import numpy as np

from .jit import index, inlined, jit
from .so3 import add, axis2, cross, mat2, mul, rotation, scale, store, store2, tmul, vec, vec2

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
def joint_motion(tr, i, A):
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
    """Positions and velocities of all bodies in x and w, columns S and bias accelerations.
                                                                    [recursion-1], [recursion-2], [recursion-3], [recursion-4]"""
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
            joint_motion(tr, i, A)
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
