"""Frames between the nodes of a beam element. Derivations: docs/theory/beams.md"""
from ..kernels.contract import AV, AW, A, F, Family, M, P, Stage, V, W
from ..kernels.helicoidal import cross_mat, scale9
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import (
    add,
    cross,
    exponential,
    left_tangent_change,
    mat_add,
    matmul,
    mul,
    scale,
    skew,
    store2,
    transpose,
    vec,
    vec2,
)
from .beam_inertia import curve
from .beam_points import (
    add_wrench_change,
    angle_rate,
    angle_rate_change,
    combine,
    cubic,
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

FRAME, JTILE, POOL = index(5, 6, 7)     # ip: row in X, first of two tiles in J; in val: offset 3, axes 9, both in those of the section
LENGTH, XI = index(0, 1)                # rp


@inlined
def axes_in(b, e):
    k = b.ip[e, POOL] + 3
    x = b.val
    return x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7], x[k + 8]


@inlined
def arm_of(b, e, xi, RA, phi):
    """R s in world axes, and R"""
    R = matmul(RA, exponential(scale(xi, phi)))
    return mul(R, vec(b.val, b.ip[e, POOL])), R


@jit
def push(s, b, o):
    """p_F = r + R s,  R_F = R R_SF,  v_F = r' + w_F x R s,  w_F = R_A (w_A + xi T phi')                               [beam-18]"""
    for e in range(b.first, b.last):
        va, vb, f, L, xi = b.ip[e, VA], b.ip[e, VB], b.ip[e, FRAME], b.rp[e, LENGTH], b.rp[e, XI]
        RA, RB, phi, _, _, S = turns(s, b, e)
        N, (T, _, _) = cubic(xi), shares(xi, phi, S)
        arm, R = arm_of(b, e, xi, RA, phi)
        wa, wb = vec(s.v, va + 3), vec(s.v, vb + 3)
        w = mul(RA, spin(wa, xi, T, angle_rate(S, wa, wb)))
        v = combine(N, L, vec(s.v, va), slope_rate(RA, wa), vec(s.v, vb), slope_rate(RB, wb))
        store2(add(position(s, b, e, L, N, RA, RB), arm), s.X, f, P)
        store2(matmul(R, axes_in(b, e)), s.X, f, A)
        store2(add(v, cross(w, arm)), s.X, f, V)
        store2(w, s.X, f, W)
        release(s, f)


@inlined
def store_jacobian(J, t, N_p, N_t, R, arm, turn):
    """One tile: v = N_p v_p + N_t R (w x e_1) + (turn w) x arm, w_F = turn w"""
    over = cross_mat(arm, turn)
    for i in range(3):
        for k in range(3):
            J[t, i, k] = N_p * (i == k)
            J[t, i, 3 + k] = -over[3 * i + k]
            J[t, 3 + i, 3 + k] = turn[3 * i + k]
        J[t, i, 4] -= N_t * R[3 * i + 2]  # R (e_2 x e_1) = -R e_3
        J[t, i, 5] += N_t * R[3 * i + 1]


@jit
def push_tangent(s, b, o):
    """J = [N_1 1, -N_2 L R_A [e_1], N_3 1, -N_4 L R_B [e_1]; 0, R_A P_A, 0, R_A P_B], moved by R s                       [beam-19]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        f, t, L, xi = b.ip[e, FRAME], b.ip[e, JTILE], b.rp[e, LENGTH], b.rp[e, XI]
        RA, RB, phi, g, g1, S = turns(s, b, e)
        N, (T, PA, PB), (arm, _) = cubic(xi), shares(xi, phi, S), arm_of(b, e, xi, RA, phi)
        on_a, on_b = matmul(RA, PA), matmul(RA, PB)
        store_jacobian(s.J, t, N[0], N[1] * L, RA, arm, on_a)
        store_jacobian(s.J, t + 1, N[2], N[3] * L, RB, arm, on_b)
        if b.fr[f, 2] == 1:
            velocity_change(s, b, e, N, RA, RB, phi, g, g1, S, T, arm, on_a, on_b)


@inlined
def store_change(L, t, slope, over, turn):
    for i in range(3):
        for k in range(3):
            L[t, i, 3 + k] = slope[3 * i + k] - over[3 * i + k]
            L[t, 3 + i, 3 + k] = turn[3 * i + k]


@inlined
def velocity_change(s, b, e, N, RA, RB, phi, g, g1, S, T, arm, on_a, on_b):
    """L: of r' by turns -N_2 L R_A [w_A x e_1]; of w_F = R_A y, R_A (th_A x y + xi (xi K(xi phi, phi') + T d phi'/d phi) d phi);
    of w_F x R s the change of both factors                                                                           [beam-20]"""
    t, L, xi, w = b.ip[e, JTILE], b.rp[e, LENGTH], b.rp[e, XI], vec2(s.X, b.ip[e, FRAME], W)
    wa, wb = vec(s.v, b.ip[e, VA] + 3), vec(s.v, b.ip[e, VB] + 3)
    phi1 = angle_rate(S, wa, wb)
    y = spin(wa, xi, T, phi1)
    K = scale9(xi, left_tangent_change(scale(xi, phi), phi1))
    K = scale9(xi, mat_add(K, 1.0, matmul(T, angle_rate_change(phi, wa, wb, g, g1))))
    turn_a = matmul(RA, mat_add(scale9(-1.0, skew(y)), -1.0, matmul(K, S)))
    turn_b = matmul(RA, matmul(K, transpose(S)))
    slope_a = scale9(-N[1] * L, matmul(RA, skew((0 * w[0], wa[2], -wa[1]))))
    slope_b = scale9(-N[3] * L, matmul(RB, skew((0 * w[0], wb[2], -wb[1]))))
    store_change(s.L, t, slope_a, mat_add(cross_mat(arm, turn_a), 1.0, cross_mat(w, cross_mat(arm, on_a))), turn_a)
    store_change(s.L, t + 1, slope_b, mat_add(cross_mat(arm, turn_b), 1.0, cross_mat(w, cross_mat(arm, on_b))), turn_b)


@jit
def push_rates(s, b, o):
    """w_F' = R_A (w_A x y + y'), y' = alpha_A + xi (T phi'' + xi K(xi phi, phi') phi'), v_F' = r'' + w_F' x R s + w_F x (w_F x R s);
    phi'' = S^T alpha_B - S alpha_A + (d phi'/d phi) phi'                                                              [beam-23]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        va, vb, f, L, xi = b.ip[e, VA], b.ip[e, VB], b.ip[e, FRAME], b.rp[e, LENGTH], b.rp[e, XI]
        RA, RB, phi, g, g1, S = turns(s, b, e)
        N, (T, _, _), (arm, _) = cubic(xi), shares(xi, phi, S), arm_of(b, e, xi, RA, phi)
        wa, wb, aa, ab = vec(s.v, va + 3), vec(s.v, vb + 3), vec(s.a, va + 3), vec(s.a, vb + 3)
        phi1 = angle_rate(S, wa, wb)
        phi2 = add(angle_rate(S, aa, ab), mul(angle_rate_change(phi, wa, wb, g, g1), phi1))
        y1 = add(spin(aa, xi, T, phi2), scale(xi * xi, mul(left_tangent_change(scale(xi, phi), phi1), phi1)))
        turn = mul(RA, add(cross(wa, spin(wa, xi, T, phi1)), y1))
        move = combine(N, L, vec(s.a, va), mul(RA, curve(wa, aa)), vec(s.a, vb), mul(RB, curve(wb, ab)))
        w = vec2(s.X, f, W)
        store2(add(move, add(cross(turn, arm), cross(w, cross(w, arm)))), s.X, f, AV)
        store2(turn, s.X, f, AW)


@jit
def pull(s, b, o):
    """R += J^T (force, moment + R s x force)"""
    for e in range(b.first, b.last):
        xi, f = b.rp[e, XI], b.ip[e, FRAME]
        RA, RB, phi, _, _, S = turns(s, b, e)
        _, PA, PB = shares(xi, phi, S)
        arm, _ = arm_of(b, e, xi, RA, phi)
        force = vec2(s.X, f, F)
        pull_point(o, b, e, b.rp[e, LENGTH], cubic(xi), RA, RB, PA, PB, force, add(vec2(s.X, f, M), cross(arm, force)))


@jit
def pull_tangent(s, b, o):
    """D += ck (what turns do to the pull of a constant wrench, and to R s x force)"""
    pull(s, b, o)
    for e in range(b.first, b.last):
        L, xi, f = b.rp[e, LENGTH], b.rp[e, XI], b.ip[e, FRAME]
        RA, RB, phi, g, g1, S = turns(s, b, e)
        N, (T, PA, PB), (arm, _) = cubic(xi), shares(xi, phi, S), arm_of(b, e, xi, RA, phi)
        force = vec2(s.X, f, F)
        turn_changes(o, b, e, L, N, xi, RA, RB, phi, g, g1, S, T, force, add(vec2(s.X, f, M), cross(arm, force)))
        none = scale9(0.0, RA)
        for side in range(2):
            turn = matmul(RA, PA) if side == 0 else matmul(RA, PB)
            add_wrench_change(o, b, e, L, N, RA, RB, PA, PB, side, 3, none, scale9(o.ck, cross_mat(force, cross_mat(arm, turn))))


FRAMES = Family("beam frame", push=Stage(residual=push, tangent=push_tangent, rates=push_rates, energy=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent))
MARKERS = Family("beam marker", push=Stage(rates=push_rates))  # frames that are only looked at
ACCELERATED = Family("accelerated beam frame", push=Stage(residual=push_rates, tangent=push_rates))  # once more, for inertia on them
