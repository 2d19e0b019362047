"""Recursion over the bodies of a tree: positions and velocities outward, articulated inertia inward, accelerations outward.

World axes; the reference of a rigid body is its centre of mass, of a flexible one the origin of its frame, so that its own equations
are those of absolute coordinates, M a + R = wrench of its joints, with R from the programs of the model.
Derivation: docs/theory/recursion.md
"""
import numpy as np

from .jit import inlined, jit
from .link_tables import (
    A_,
    ARM,
    AXES,
    AXIAL,
    AXIS,
    AXIS_1,
    AXIS_2,
    C_,
    D_,
    FA_,
    FC,
    FQ,
    FREE,
    FV,
    FW,
    GYRO,
    INNER,
    IP,
    IQ,
    IU,
    IV,
    KIND,
    LAG,
    LEAD,
    LOC,
    MOVES,
    N_Q,
    N_R1,
    N_R2,
    N_S,
    N_U,
    N_U1,
    N_U2,
    NM,
    NU,
    OFFSET,
    OUT_C,
    OUT_V,
    OUT_W,
    OUTER,
    OWN,
    PARENT,
    PLANAR,
    PULL,
    Q1,
    Q2,
    QC,
    QF,
    QQ,
    R_,
    RHO,
    S_,
    SECOND,
    SERIAL,
    SLIDE,
    SPEED,
    SPIN,
    TURN,
    TURNED,
    UNIVERSAL,
    V_,
    W_,
    WAY,
    WAYS,
)
from .so3 import add, axis2, cross, mat2, mul, rotation, scale, store, store2, sub, tmul, vec, vec2


@jit
def product(a, b):
    """Of quaternions."""
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


@jit
def four(x, r, i):
    return x[r, i], x[r, i + 1], x[r, i + 2], x[r, i + 3]


@jit
def mat(x, i):
    return x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5], x[i + 6], x[i + 7], x[i + 8]


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
def serial_motion(tr, i, A):
    """Of moves one after the other, seen from the parent: where they lead, velocity and bias acceleration of point and axes,
    and columns of S for the point. An axis e is carried by the turns before it, which have w and w':      [recursion-15]
    slide  d += q e,  v += u e + w x q e,  a += w' x q e + w x (w x q e) + 2 w x u e;   turn  w' += w x u e,  w += u e"""
    g, s, iu, at = tr.g, tr.s, tr.ip[i, IU], tr.ip[i, IP]
    z, moves = 0 * A[0], tr.ip[i, MOVES]
    none = z, z, z
    for k in range(3):
        x = mul(A, axis2(tr.rp, i, AXES, k))
        g[TURNED + k], g[TURNED + 3 + k], g[TURNED + 6 + k] = x[0], x[1], x[2]
    rel, w, w1, d, v, a = (1 + z, z, z, z), none, none, none, none, none
    for k in range(tr.ip[i, NU]):
        move, q, u = moves % 8, tr.q[at + k], tr.u[iu + k]
        axis, moves = move % 3, moves // 8
        e = g[TURNED + axis], g[TURNED + 3 + axis], g[TURNED + 6 + axis]
        if move < 3:
            way, slip = scale(q, e), scale(u, e)
            turning = cross(w, way)
            a = add(a, add(cross(w1, way), cross(w, add(turning, scale(2.0, slip)))))
            d, v = add(d, way), add(v, add(slip, turning))
            for j in range(iu, iu + k):
                store2(add(vec2(s, j, S_), cross(vec2(s, j, S_ + 3), way)), s, j, S_)
            store2(e, s, iu + k, S_)
            store2(none, s, iu + k, S_ + 3)
        else:
            spin = scale(u, e)
            w, w1 = add(w, spin), add(w1, cross(w, spin))
            store2(none, s, iu + k, S_)
            store2(e, s, iu + k, S_ + 3)
            rel = product(rel, axis_turn(axis, q))
            c, n, p, r = np.cos(q), np.sin(q), TURNED + (axis + 1) % 3, TURNED + (axis + 2) % 3
            for j in range(0, 9, 3):
                x, y = g[p + j], g[r + j]
                g[p + j], g[r + j] = c * x + n * y, c * y - n * x
    store(product(product(four(tr.rp, i, QF), rel), four(tr.rp, i, QC)), g, LOC)
    store(d, g, LAG)
    store(v, g, SPEED)
    store(w, g, SPIN)
    store(w1, g, GYRO)
    store(a, g, PULL)


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
    elif kind == SERIAL:
        serial_motion(tr, i, A)
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
    elif kind == SERIAL:
        for k in range(iu, iu + tr.ip[i, NU]):
            store2(add(vec2(tr.s, k, S_), cross(vec2(tr.s, k, S_ + 3), rho)), tr.s, k, S_)
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


@inlined
def inner_side(tr, i):
    """The joint of link i on a flexible parent, in g: axes, quaternion and angular velocity of its node; a velocity and bias accelerations
    with which the node is a point of a rigid body that turns so.                                       [recursion-11]"""
    p, o, m, g, w = tr.ip[i, PARENT], tr.ip[i, INNER], tr.m, tr.g, tr.w
    A, wp = mat2(w, p, A_), vec2(w, p, W_)
    arm, u1, spin = mul(A, vec(m, o + N_U)), mul(A, vec(m, o + N_U1)), mul(A, vec(m, o + N_R1))
    store(product(four(w, p, QQ), (m[o + N_Q], m[o + N_Q + 1], m[o + N_Q + 2], m[o + N_Q + 3])), g, FQ)
    store(rotation(g, FQ), g, FA_)
    turning, bend = add(wp, spin), add(cross(wp, spin), mul(A, vec(m, o + N_R2)))
    lag = add(cross(wp, add(cross(wp, arm), scale(2.0, u1))), mul(A, vec(m, o + N_U2)))
    store(turning, g, FW)
    store(add(vec2(w, p, V_), sub(u1, cross(spin, arm))), g, FV)
    store(sub(lag, add(cross(bend, arm), cross(turning, cross(turning, arm)))), g, FC)
    store(bend, g, FC + 3)


@inlined
def outer_side(tr, i, own):
    """The joint of link i on a flexible body, from the quaternion of its node, in g: quaternion of the body; what its node adds to velocity
    and angular velocity. The motions of the body per mode, its node held, in s. The way from the node.          [recursion-12]"""
    o, m, g = tr.ip[i, OUTER], tr.m, tr.g
    store(product(own, (m[o + N_Q], -m[o + N_Q + 1], -m[o + N_Q + 2], -m[o + N_Q + 3])), g, OWN)
    A = rotation(g, OWN)
    rho = scale(-1.0, mul(A, vec(m, o + N_U)))
    store(mul(A, vec(m, o + N_U1)), g, OUT_V)
    store(mul(A, vec(m, o + N_R1)), g, OUT_W)
    store(mul(A, vec(m, o + N_U2)), g, OUT_C)
    store(mul(A, vec(m, o + N_R2)), g, OUT_C + 3)
    first, at = tr.ip[i, IU] + tr.ip[i, NU], o + N_S
    for j in range(tr.ip[i, NM]):
        x = scale(-1.0, mul(A, vec(m, at + 6 * j + 3)))
        store2(sub(cross(x, rho), mul(A, vec(m, at + 6 * j))), tr.s, first + j, S_)
        store2(x, tr.s, first + j, S_ + 3)
    return rho


@inlined
def parent_ways(tr, i):
    """Motions of the body per mode of its parent, in m."""
    p, o, to, m, w = tr.ip[i, PARENT], tr.ip[i, INNER], tr.ip[i, WAYS], tr.m, tr.w
    A = mat2(w, p, A_)
    beyond = sub(vec2(w, i, D_), mul(A, vec(m, o + N_U)))
    for j in range(tr.ip[p, NM]):
        x = mul(A, vec(m, o + N_S + 6 * j + 3))
        store(add(mul(A, vec(m, o + N_S + 6 * j)), cross(x, beyond)), m, to + WAY * j)
        store(x, m, to + WAY * j + 3)


@inlined
def axial_motion(tr, i, A, arm):
    """Of a joint about and along one axis: axis, local quaternion, the arm with the displacement, rates of that and of the angle."""
    rp, ip, z = tr.rp, tr.ip[i, IP], 0 * arm[0]
    e, rate, slide, slip, local = mul(A, vec2(rp, i, AXIS)), z, z + rp[i, OFFSET], z, four(rp, i, Q1)
    if tr.ip[i, TURN] >= 0:
        angle, rate = tr.q[ip], tr.u[tr.ip[i, TURN]]
        slide, slip = slide + rp[i, LEAD] * angle, rp[i, LEAD] * rate
        local = blend(rp, i, np.cos(angle / 2), np.sin(angle / 2))
    if tr.ip[i, SLIDE] >= 0:
        slide, slip = slide + tr.q[ip + tr.ip[i, SLIDE] - tr.ip[i, IU]], tr.u[tr.ip[i, SLIDE]]
    return e, local, add(arm, scale(slide, e)), scale(slip, e), scale(rate, e)


@inlined
def axial_columns(tr, i, e, rho):
    """Its columns of S."""
    z = 0 * e[0]
    if tr.ip[i, TURN] >= 0:
        store2(add(cross(e, rho), scale(tr.rp[i, LEAD], e)), tr.s, tr.ip[i, TURN], S_)
        store2(e, tr.s, tr.ip[i, TURN], S_ + 3)
    if tr.ip[i, SLIDE] >= 0:
        store2(e, tr.s, tr.ip[i, SLIDE], S_)
        store2((z, z, z), tr.s, tr.ip[i, SLIDE], S_ + 3)


@inlined
def place_link(tr, x, i):
    """Position and velocity of link i, the columns of its joint and modes, and its bias acceleration, from its parent in w.
                                                                    [recursion-1], [recursion-2], [recursion-3], [recursion-4]"""
    w, rp, g, p, iq = tr.w, tr.rp, tr.g, tr.ip[i, PARENT], tr.ip[i, IQ]
    held, moving = tr.ip[i, INNER], tr.ip[i, OUTER]
    if held < 0:
        A, wp, vp, turned = mat2(w, p, A_), vec2(w, p, W_), vec2(w, p, V_), four(w, p, QQ)
        arm = mul(A, vec2(rp, i, ARM))
    else:
        inner_side(tr, i)
        A, wp, vp, turned = mat(g, FA_), vec(g, FW), vec(g, FV), (g[FQ], g[FQ + 1], g[FQ + 2], g[FQ + 3])
        arm = mul(mat2(w, p, A_), vec(tr.m, held + N_U))
    z = 0 * arm[0]
    speed, gyro, spin = (z, z, z), (z, z, z), (z, z, z)
    if tr.ip[i, KIND] == AXIAL:
        e, local, arm, speed, spin = axial_motion(tr, i, A, arm)
    else:
        joint_motion(tr, i, A)
        local, e = (g[LOC], g[LOC + 1], g[LOC + 2], g[LOC + 3]), arm
        arm, speed = add(arm, vec(g, LAG)), vec(g, SPEED)
    own = product(turned, local)
    store(own, x.q, iq + 3)
    B = rotation(x.q, iq + 3)
    rho = mul(B, vec2(rp, i, RHO)) if moving < 0 else outer_side(tr, i, own)
    if tr.ip[i, KIND] == AXIAL:
        axial_columns(tr, i, e, rho)
    else:
        turning_motion(tr, i, A, B, rho)
        spin, gyro = vec(g, SPIN), vec(g, GYRO)
    d, wi = add(arm, rho), add(wp, spin)
    across = cross(wp, arm)
    v, bend = add(add(vp, across), speed), add(cross(wp, spin), gyro)
    lag = cross(wp, add(across, scale(2.0, speed)))
    if tr.ip[i, KIND] == SERIAL:
        lag = add(lag, vec(g, PULL))
    if held >= 0:
        bend, lag = add(bend, vec(g, FC + 3)), add(lag, add(vec(g, FC), cross(vec(g, FC + 3), arm)))
    if moving >= 0:
        own = g[OWN], g[OWN + 1], g[OWN + 2], g[OWN + 3]
        store(own, x.q, iq + 3)
        B, wi, v = rotation(x.q, iq + 3), sub(wi, vec(g, OUT_W)), sub(v, vec(g, OUT_V))
        bend = sub(bend, add(cross(wi, vec(g, OUT_W)), vec(g, OUT_C + 3)))
        lag = sub(lag, add(scale(2.0, cross(wi, vec(g, OUT_V))), vec(g, OUT_C)))
    store2(own, w, i, QQ)
    store2(B, w, i, A_)
    store2(add(vec2(w, p, R_), d), w, i, R_)
    store2(add(v, cross(wi, rho)), w, i, V_)
    store2(wi, w, i, W_)
    store2(d, w, i, D_)
    if held >= 0:
        parent_ways(tr, i)
    known_accelerations(tr, i, add(lag, add(cross(wi, cross(wi, rho)), cross(bend, rho))), bend)


@inlined
def known_accelerations(tr, i, lag, bend):
    """Of link i: what depends on velocities, and on driven coordinates, whose accelerations are known."""
    for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
        if tr.drive[k] >= 0:
            lag, bend = add(lag, scale(tr.du[k], vec2(tr.s, k, S_))), add(bend, scale(tr.du[k], vec2(tr.s, k, S_ + 3)))
    store2(lag, tr.w, i, C_)
    store2(bend, tr.w, i, C_ + 3)


@jit
def outward(tr, x):
    """Positions and velocities of all bodies in x and w, columns S and bias accelerations."""
    w = tr.w
    for i in range(tr.ip.shape[0]):
        place_link(tr, x, i)
        store(vec2(w, i, R_), x.q, tr.ip[i, IQ])
        store(vec2(w, i, V_), x.v, tr.ip[i, IV])
        store(tmul(mat2(w, i, A_), vec2(w, i, W_)), x.v, tr.ip[i, IV] + 3)
    for k in range(tr.lines.shape[0]):
        x.q[tr.lines[k, 3]], x.v[tr.lines[k, 2]] = tr.q[tr.lines[k, 1]], tr.u[tr.lines[k, 0]]
    for k in range(tr.states.shape[0]):
        x.v[tr.states[k, 1]] = tr.u[tr.states[k, 0]]
