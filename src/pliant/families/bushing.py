"""Bushing: six-component linear spring and damper between two frames, exact for large rotations. docs/theory/forces.md

With R = R_A^T R_B, in the axes of A:  x = R_A^T (p_B - p_A),  r = the rotation vector of R,  y = (x, r) - y_0,
    Q = K y + C y',   x' = R_A^T (v_B - v_A) - w x x (w = R_A^T w_A),   r' = S(r) R_A^T (w_B - w_A),
where S = 1 - [r]/2 + d [r]^2 is the inverse left tangent operator.                                     [bushing-1]
r is continued along the motion past half a turn; at a whole turn it has no direction, and S no bound.
"""
import numpy as np

from ..kernels.contract import DISSIPATION, ELASTIC, TURNING, A, Family, P, Stage, V, W
from ..kernels.jit import index, inlined, jit
from ..kernels.pairs import DAMPING, FA, FB, GRADIENT, RATES, STIFFNESS, add_pair, add_wrench, load_rates, watch_turning
from ..kernels.so3 import (
    add,
    cross,
    dot,
    dyad,
    inverse_factor,
    mat2,
    mat_add,
    matmul,
    mul,
    rotation_vector,
    scale,
    skew,
    store,
    sub,
    tmul,
    transpose,
    vec,
    vec2,
)

POOL, TURNED = index(4, 5)                     # ip: its numbers in val: K 36, C 36, y_0 6; its r in H
MOST = 6.0                                     # rad: beyond this it is next to a whole turn
B0, Q0, Y0 = index(400, 472, 478)              # scratch: B = dy/d(motions) 6x12, Q 6, y and y' 12
SCRATCH = 490


@jit
def left_inverse(r):
    """S(r) = 1 - [r]/2 + d [r]^2"""
    t2 = dot(r, r)
    d = inverse_factor(t2)[0]
    return mat_add(dyad(scale(d, r), r, 1 - d * t2), -0.5, skew(r))


@jit
def put(W_, row, column, f, K):
    for i in range(3):
        for j in range(3):
            W_[B0 + 12 * (row + i) + column + j] = f * K[3 * i + j]


@jit
def deform(s, b, e, w):
    """y, y' to w[Y0:], B to w[B0:], Q = K y + C y' to w[Q0:], the wrench B^T Q to w[GRADIENT:]         [bushing-2]"""
    fa, fb, pool = b.ip[e, FA], b.ip[e, FB], b.ip[e, POOL]
    RA = mat2(s.X, fa, A)
    RT = transpose(RA)
    x = mul(RT, sub(vec2(s.X, fb, P), vec2(s.X, fa, P)))
    r = rotation_vector(matmul(RT, mat2(s.X, fb, A)), vec(s.H, b.ip[e, TURNED]))
    S = matmul(left_inverse(r), RT)
    for i in range(72):
        w[B0 + i] = 0
    put(w, 0, 0, -1.0, RT)
    put(w, 0, 3, 1.0, matmul(skew(x), RT))
    put(w, 0, 6, 1.0, RT)
    put(w, 3, 3, -1.0, S)
    put(w, 3, 9, 1.0, S)
    store(sub(x, vec(b.val, pool + 72)), w, Y0)
    store(sub(r, vec(b.val, pool + 75)), w, Y0 + 3)
    load_rates(s, b, e, w)
    for i in range(6):
        w[Y0 + 6 + i] = 0
        for j in range(12):
            w[Y0 + 6 + i] += w[B0 + 12 * i + j] * w[RATES + j]
    for i in range(6):
        w[Q0 + i] = 0
        for j in range(6):
            w[Q0 + i] += b.val[pool + 6 * i + j] * w[Y0 + j] + b.val[pool + 36 + 6 * i + j] * w[Y0 + 6 + j]
    for j in range(12):
        w[GRADIENT + j] = 0
        for i in range(6):
            w[GRADIENT + j] += w[B0 + 12 * i + j] * w[Q0 + i]


@jit
def bushing(s, b, o):
    """B^T Q on the left                                                                                [bushing-3]"""
    for e in range(b.first, b.last):
        deform(s, b, e, o.W)
        add_wrench(s, b, e, 1.0, o.W)


@jit
def spin_change(r, a):
    """The 3x3 matrix d(S(r) a)/dr"""
    t2 = dot(r, r)
    d, d1 = inverse_factor(t2)
    ra = dot(r, a)
    change = mat_add(dyad(scale(d, r), a, d * ra), 0.5, skew(a))  # d(-r x a / 2) = a x dr / 2
    change = mat_add(change, -2 * d, dyad(a, r, 0.0))
    return mat_add(change, 2 * d1, dyad(sub(scale(ra, r), scale(t2, a)), r, 0.0))


@jit
def spin_change_transposed(r, m):
    """The 3x3 matrix d(S(r)^T m)/dr"""
    t2 = dot(r, r)
    d, d1 = inverse_factor(t2)
    rm = dot(r, m)
    change = mat_add(dyad(scale(d, r), m, d * rm), -0.5, skew(m))
    change = mat_add(change, -2 * d, dyad(m, r, 0.0))
    return mat_add(change, 2 * d1, dyad(sub(scale(rm, r), scale(t2, m)), r, 0.0))


@jit
def rate_change(s, b, e, w, row, j):
    """d(y'[row]) along motion j at constant u                                                          [bushing-4]"""
    fa, fb = b.ip[e, FA], b.ip[e, FB]
    side, k = j // 6, j % 6
    RA, unit = mat2(s.X, fa, A), (1.0 * (k % 3 == 0), 1.0 * (k % 3 == 1), 1.0 * (k % 3 == 2))
    x, r = tmul(RA, sub(vec2(s.X, fb, P), vec2(s.X, fa, P))), add(vec(w, Y0 + 3), vec(b.val, b.ip[e, POOL] + 75))
    move, wa = tmul(RA, sub(vec2(s.X, fb, V), vec2(s.X, fa, V))), tmul(RA, vec2(s.X, fa, W))
    spin = tmul(RA, sub(vec2(s.X, fb, W), vec2(s.X, fa, W)))
    th = tmul(RA, unit)
    if k < 3:  # displacement: x' = ... - w x x
        change = scale(2.0 * side - 1, cross(wa, th))
        return -change[row] if row < 3 else 0 * x[0]
    dr = tmul(RA, scale(2.0 * side - 1, unit))
    dr = mul(left_inverse(r), dr)
    d_spin = mul(spin_change(r, spin), dr)
    if side == 0:  # everything seen from A turns back
        d_move = sub(cross(move, th), add(cross(cross(wa, th), x), cross(wa, cross(x, th))))
        d_spin = add(d_spin, mul(left_inverse(r), cross(spin, th)))
        return d_move[row] if row < 3 else d_spin[row - 3]
    return 0 * x[0] if row < 3 else d_spin[row - 3]


@jit
def wrench_change(s, b, e, w, j):
    """d(B^T) Q along motion j at constant Q: to w[RATES:]                                              [bushing-5]"""
    fa, fb = b.ip[e, FA], b.ip[e, FB]
    side, k = j // 6, j % 6
    RA, unit = mat2(s.X, fa, A), (1.0 * (k % 3 == 0), 1.0 * (k % 3 == 1), 1.0 * (k % 3 == 2))
    x, r = tmul(RA, sub(vec2(s.X, fb, P), vec2(s.X, fa, P))), add(vec(w, Y0 + 3), vec(b.val, b.ip[e, POOL] + 75))
    f, m = vec(w, Q0), vec(w, Q0 + 3)
    # wrench: force R_A f on B, moment R_A S^T m on B, and on A the opposite plus the moment -R_A (x x f)
    zero = scale(0.0, f)
    on_b, turn, arm = zero, zero, zero
    if k < 3:
        arm = cross(scale(2.0 * side - 1, tmul(RA, unit)), f)
    else:
        dr = mul(left_inverse(r), tmul(RA, scale(2.0 * side - 1, unit)))
        turn = mul(RA, mul(spin_change_transposed(r, m), dr))
        if side == 0:
            on_b = cross(unit, mul(RA, f))
            turn = add(turn, cross(unit, mul(RA, tmul(left_inverse(r), m))))
            th = tmul(RA, unit)
            arm = add(cross(cross(x, th), f), cross(th, cross(x, f)))
    arm = mul(RA, arm)
    store(scale(-1.0, on_b), w, RATES)
    store(sub(scale(-1.0, turn), arm), w, RATES + 3)
    store(on_b, w, RATES + 6)
    store(turn, w, RATES + 9)


@jit
def bushing_tangent(s, b, o):
    """K = d(B^T) Q + B^T (K B + C dy'/dx),  C = B^T C B                                                [bushing-6]"""
    bushing(s, b, o)
    for e in range(b.first, b.last):
        w, pool = o.W, b.ip[e, POOL]
        deform(s, b, e, w)
        for j in range(12):
            wrench_change(s, b, e, w, j)
            for i in range(12):
                w[STIFFNESS + 12 * i + j] = w[RATES + i]
                w[DAMPING + 12 * i + j] = 0
            for k in range(6):
                change = rate_change(s, b, e, w, k, j)
                for l in range(6):
                    K, C = b.val[pool + 6 * l + k], b.val[pool + 36 + 6 * l + k]
                    for i in range(12):
                        w[STIFFNESS + 12 * i + j] += w[B0 + 12 * l + i] * (K * w[B0 + 12 * k + j] + C * change)
                        w[DAMPING + 12 * i + j] += w[B0 + 12 * l + i] * C * w[B0 + 12 * k + j]
        add_pair(s, b, o, e, True)


@inlined
def add_quadratic(s, b, o, which, factor, at, matrix):
    """E += factor y.A y with the six numbers at W[at:] and a matrix of the pool"""
    for e in range(b.first, b.last):
        w, pool = o.W, b.ip[e, POOL] + matrix
        deform(s, b, e, w)
        for i in range(6):
            for j in range(6):
                o.E[which] += factor * (w[at + i] * b.val[pool + 6 * i + j] * w[at + j])


@jit
def bushing_energy(s, b, o):
    """E = y.K y / 2                                                                                    [bushing-7]"""
    add_quadratic(s, b, o, ELASTIC, 0.5, Y0, 0)


@jit
def bushing_power(s, b, o):
    """Lost: y'.C y'                                                                                    [bushing-8]"""
    add_quadratic(s, b, o, DISSIPATION, 1.0, Y0 + 6, 36)


@jit
def bushing_history(s, b, o):
    """H = r. Next to a whole turn, or beyond one, where r comes out on the other side: E[TURNING] = infinity          [bushing-9]"""
    for e in range(b.first, b.last):
        fa, fb, h = b.ip[e, FA], b.ip[e, FB], b.ip[e, TURNED]
        before = vec(s.H, h)
        r = rotation_vector(matmul(transpose(mat2(s.X, fa, A)), mat2(s.X, fb, A)), before)
        watch_turning(s, b, o, e)
        if dot(r, r).real > MOST * MOST or (dot(r, r).real > np.pi**2 and dot(r, before).real < 0):
            o.E[TURNING] = np.inf
        else:
            store(r, s.H, h)


BUSHING = Family("bushing", act=Stage(residual=bushing, tangent=bushing_tangent, energy=bushing_energy, power=bushing_power,
                                      history=bushing_history),
                 force=True, elastic=True)
