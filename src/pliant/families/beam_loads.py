"""Forces and moments per length of a part of a beam element, times a factor. Derivations: docs/theory/beams.md

As of loads that are spread over other bodies, the frame of an element has one velocity, the power for a factor of one; what acts along
it is the factor.                                                                                                     [beam-32]
"""
from ..kernels.by_reference import reference
from ..kernels.contract import Batch, F, Family, Stage, State, V
from ..kernels.helicoidal import cross_mat, mat_cross, scale9
from ..kernels.jit import entry, index, inlined, jit
from ..kernels.so3 import accumulate, add, column, cross, dot, exponential, mat_add, matmul, mul, scale, skew, store2, vec
from .beam_points import (
    add_wrench_change,
    angle_rate,
    combine,
    cubic,
    cubic_rate,
    on_nodes,
    position,
    pull_point,
    shares,
    slope_rate,
    spin,
    turn_changes,
    turns,
)
from .body_frames import release
from .exact_beams import VA, VB

FRAME, JTILE, FOLLOWS, POOL = index(5, 6, 7, 8)  # ip: row in X, first of two tiles in J; 1 when it turns with the section; in val: f 3 at
# the first place and its change to the last one 3, likewise m, in axes of the world or of the section
LENGTH, FIRST, SPAN = index(0, 1, 2)             # rp: L; where the loaded part begins, and how long it is, in units of L
GAUSS = 0.7745966692414834                       # sqrt(3 / 5); weights 5/18, 8/18, 5/18


@inlined
def point(b, e, i):
    """xi of a Gauss point, and force and moment there times its weight, as they are given"""
    u, k, x = 0.5 + 0.5 * GAUSS * (i - 1), b.ip[e, POOL], b.val
    h = (8.0 if i == 1 else 5.0) / 18 * b.rp[e, SPAN] * b.rp[e, LENGTH]
    f, m = add(vec(x, k), scale(u, vec(x, k + 3))), add(vec(x, k + 6), scale(u, vec(x, k + 9)))
    return b.rp[e, FIRST] + u * b.rp[e, SPAN], scale(h, f), scale(h, m)


@inlined
def tangent(s, b, e, xi, A, B):
    """r' by s"""
    L = b.rp[e, LENGTH]
    return scale(1 / L, position(s, b, e, L, cubic_rate(xi), A, B))


@inlined
def acting(s, b, e, xi, A, B, phi, f, m):
    """Force and moment in world axes. Those that follow turn with the section, R = R_A exp(xi phi), and the force by the small angle from
    its first axis to the axis of the beam besides: f = R f_0 + c x R f_0, c = R e_1 x r'                              [beam-36]"""
    if b.ip[e, FOLLOWS] == 1:
        R = matmul(A, exponential(scale(xi, phi)))
        f, c = mul(R, f), cross(column(R, 0), tangent(s, b, e, xi, A, B))
        return add(f, cross(c, f)), mul(R, m)
    return f, m


@jit
def idle(s, b, o):
    for e in range(b.first, b.last):
        release(s, b.ip[e, FRAME])


@jit
def push(s, b, o):
    """v_F = sum over points of w L (f.r' + m.w), along the first axis of the world                                     [beam-37]"""
    for e in range(b.first, b.last):
        va, vb, frame, rate = b.ip[e, VA], b.ip[e, VB], b.ip[e, FRAME], 0 * s.v[0]
        A, B, phi, _, _, S = turns(s, b, e)
        wa, wb = vec(s.v, va + 3), vec(s.v, vb + 3)
        phi1 = angle_rate(S, wa, wb)
        for i in range(3):
            xi, f, m = point(b, e, i)
            T, _, _ = shares(xi, phi, S)
            f, m = acting(s, b, e, xi, A, B, phi, f, m)
            v = combine(cubic(xi), b.rp[e, LENGTH], vec(s.v, va), slope_rate(A, wa), vec(s.v, vb), slope_rate(B, wb))
            rate += dot(f, v) + dot(m, mul(A, spin(wa, xi, T, phi1)))
        store2((rate, 0 * rate, 0 * rate), s.X, frame, V)
        release(s, frame)


@inlined
def add_to_row(J, t, force, moment):
    for i in range(3):
        J[t, 0, i] += force[i]
        J[t, 0, 3 + i] += moment[i]


@jit
def push_tangent(s, b, o):
    """J = sum over points of w L (what beam-21 makes of f and m), one row"""
    push(s, b, o)
    for e in range(b.first, b.last):
        t = b.ip[e, JTILE]
        A, B, phi, _, _, S = turns(s, b, e)
        for i in range(6):
            s.J[t, 0, i] = 0
            s.J[t + 1, 0, i] = 0
        for i in range(3):
            xi, f, m = point(b, e, i)
            _, PA, PB = shares(xi, phi, S)
            f, m = acting(s, b, e, xi, A, B, phi, f, m)
            fa, ma, fb, mb = on_nodes(b.rp[e, LENGTH], cubic(xi), A, B, PA, PB, f, m)
            add_to_row(s.J, t, fa, ma)
            add_to_row(s.J, t + 1, fb, mb)


@jit
def pull(s, b, o):
    """R += J^T g, g what acts along the frame                                                                         [beam-32]"""
    for e in range(b.first, b.last):
        g = s.X[b.ip[e, FRAME], F]
        A, B, phi, _, _, S = turns(s, b, e)
        for i in range(3):
            xi, f, m = point(b, e, i)
            _, PA, PB = shares(xi, phi, S)
            f, m = acting(s, b, e, xi, A, B, phi, scale(g, f), scale(g, m))
            pull_point(o, b, e, b.rp[e, LENGTH], cubic(xi), A, B, PA, PB, f, m)


@inlined
def follow(s, b, o, e, xi, A, B, phi, PA, PB, f, m):
    """D += ck J^T (df; dm), with turns psi = R_A (P_A th_A + P_B th_B) of the section, e = R e_1, f and m of R f_0 and R m_0:
    dm = psi x m,  df = -([f] + [f][r'][e] + [c][f]) psi - [f][e] dr'                                                  [beam-24]"""
    L, N, N1 = b.rp[e, LENGTH], cubic(xi), cubic_rate(xi)
    R, r1 = matmul(A, exponential(scale(xi, phi))), tangent(s, b, e, xi, A, B)
    f, m, axis = mul(R, f), mul(R, m), column(R, 0)
    by_r = scale9(-o.ck, cross_mat(f, skew(axis)))
    by_turn = mat_add(scale9(-o.ck, cross_mat(f, cross_mat(r1, skew(axis)))), -o.ck, skew(f))
    by_turn = mat_add(by_turn, -o.ck, cross_mat(cross(axis, r1), skew(f)))
    none = scale9(0.0, by_r)
    for side in range(2):
        turn, Q = (matmul(A, PA), A) if side == 0 else (matmul(A, PB), B)
        F = mat_add(matmul(by_turn, turn), -N1[1 + 2 * side], mat_cross(matmul(by_r, Q), (1.0, 0.0, 0.0)))
        add_wrench_change(o, b, e, L, N, A, B, PA, PB, side, 3, F, scale9(-o.ck, cross_mat(m, turn)))
        add_wrench_change(o, b, e, L, N, A, B, PA, PB, side, 0, scale9(N1[2 * side] / L, by_r), none)


@jit
def pull_tangent(s, b, o):
    """The same with beam-22 and, of a load that follows, beam-24"""
    pull(s, b, o)
    for e in range(b.first, b.last):
        L, g = b.rp[e, LENGTH], s.X[b.ip[e, FRAME], F]
        A, B, phi, h, h1, S = turns(s, b, e)
        for i in range(3):
            xi, f, m = point(b, e, i)
            T, PA, PB = shares(xi, phi, S)
            f, m = scale(g, f), scale(g, m)
            if b.ip[e, FOLLOWS] == 1:
                follow(s, b, o, e, xi, A, B, phi, PA, PB, f, m)
            f, m = acting(s, b, e, xi, A, B, phi, f, m)
            turn_changes(o, b, e, L, cubic(xi), xi, A, B, phi, h, h1, S, T, f, m)


@entry
def resultant(d, x, first, last, out):
    """Force of the factor one on elements in rows of the tables, and its moment about the origin of the world, six numbers of ``out``; of
    the memory x of a system positions count."""
    s = reference(State(0.0, x.q, x.v, x.a, x.lam, x.H, x.Y, x.X, x.J, x.L, x.T))
    b = reference(Batch(first, last, d.ip, d.rp, d.fr, d.tab, d.val))
    for e in range(first, last):
        A, B, phi, _, _, _ = turns(s, b, e)
        for i in range(3):
            xi, f, m = point(b, e, i)
            f, m = acting(s, b, e, xi, A, B, phi, f, m)
            accumulate(1.0, f, out, 0)
            accumulate(1.0, add(m, cross(position(s, b, e, b.rp[e, LENGTH], cubic(xi), A, B), f)), out, 3)


FRAMES = Family("beam load", push=Stage(residual=idle, tangent=push_tangent, rates=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent))
