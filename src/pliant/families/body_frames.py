"""What frames on bodies share, rigid or flexible: with u the place of a frame in the body, R the body's axes and
r the rotation vector of a deformed frame, [rigid-4] to [rigid-8] and [node-2] to [node-7]."""
from ..kernels.contract import AV, AW, A, F, M, P, V, W
from ..kernels.jit import inlined
from ..kernels.so3 import (
    accumulate,
    add,
    column,
    cross,
    dot,
    dyad,
    exponential,
    left_tangent,
    left_tangent_change,
    mat_add,
    matmul,
    mul,
    scale,
    skew,
    store2,
    tmul,
    vec,
    vec2,
)


@inlined
def release(s, f):
    """No forces yet."""
    none = 0 * s.H[0], 0 * s.H[0], 0 * s.H[0]
    store2(none, s.X, f, F)
    store2(none, s.X, f, M)


@inlined
def place(s, f, iq, iv, R, axes, u, r, u1, r1):
    """A deformed frame with ``axes`` in the undeformed body; u1, r1: rates of u and r."""
    w = vec(s.v, iv + 3)
    store2(add(vec(s.q, iq), mul(R, u)), s.X, f, P)
    store2(matmul(R, matmul(exponential(r), axes)), s.X, f, A)
    store2(add(vec(s.v, iv), mul(R, add(cross(w, u), u1))), s.X, f, V)
    store2(mul(R, add(w, mul(left_tangent(r), r1))), s.X, f, W)
    release(s, f)


@inlined
def place_rates(s, f, iv, R, u, r, u1, r1, u2, r2):
    """Its accelerations; u2, r2: second rates of u and r."""
    w, w1, T = vec(s.v, iv + 3), vec(s.a, iv + 3), left_tangent(r)
    move = add(add(cross(w1, u), cross(w, add(cross(w, u), scale(2.0, u1)))), u2)
    turn = add(add(w1, cross(w, mul(T, r1))), add(mul(T, r2), mul(left_tangent_change(r, r1), r1)))
    store2(add(vec(s.a, iv), mul(R, move)), s.X, f, AV)
    store2(mul(R, turn), s.X, f, AW)


@inlined
def body_columns(s, t, R, arm):
    """J by the motion of the body, in tile t; ``arm`` = R u."""
    for k in range(3):
        x = column(R, k)
        move = cross(x, arm)
        for i in range(3):
            s.J[t, i, k] = 1.0 * (i == k)
            s.J[t, i, 3 + k] = move[i]
            s.J[t, 3 + i, 3 + k] = x[i]


@inlined
def turn_columns(s, t, R, velocity, spin):
    """L by turns of the body: -R [velocity], -R [spin], both against the body's origin and in its axes."""
    move9, turn9 = matmul(R, skew(velocity)), matmul(R, skew(spin))
    for i in range(3):
        for k in range(3):
            s.L[t, i, 3 + k] = -move9[3 * i + k]
            s.L[t, 3 + i, 3 + k] = -turn9[3 * i + k]


@inlined
def pull_body(s, o, f, iv, R, u):
    """The wrench of a frame to the motion of its body; returns force and moment in body axes."""
    force, moment = tmul(R, vec2(s.X, f, F)), tmul(R, vec2(s.X, f, M))
    accumulate(1.0, vec2(s.X, f, F), o.R, iv)
    accumulate(1.0, add(cross(u, force), moment), o.R, iv + 3)
    return force, moment


@inlined
def pull_turns(o, tile, u, force, moment):
    """D += ck ([u] [force] + [moment]), all in body axes."""
    K = mat_add(dyad(force, u, -dot(u, force)), 1.0, skew(moment))
    for i in range(3):
        for j in range(3):
            o.D[tile, 3 + i, 3 + j] += o.ck * K[3 * i + j]
