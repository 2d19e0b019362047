"""Points between the nodes of a beam element: place, axes and motion at xi of its length, and wrenches there.

r by the cubic of beam-8, R = R_A exp(xi phi), phi = log(R_A^T R_B). The spin of these axes, in the axes of A, is
P_A w_A + P_B w_B with P_A = 1 - xi T S, P_B = xi T S^T, T = left_tangent(xi phi), S the inverse of left_tangent(phi).   [beam-17]
"""
from ..kernels.contract import TABLE
from ..kernels.helicoidal import (
    factors,
    left_inverse,
    left_inverse_change,
    logarithm,
    put_block,
    relative_quaternion,
    scale9,
    tmatmul,
)
from ..kernels.jit import inlined
from ..kernels.so3 import (
    accumulate,
    add,
    column,
    dot,
    left_tangent,
    left_tangent_change,
    mat_add,
    matmul,
    mul,
    rotation,
    scale,
    skew,
    sub,
    tmul,
    transpose,
    vec,
)
from .exact_beams import QA, QB, VA, VB


@inlined
def cubic(xi):
    """N_1 to N_4"""
    x2, x3 = xi * xi, xi * xi * xi
    return 1 - 3 * x2 + 2 * x3, xi - 2 * x2 + x3, 3 * x2 - 2 * x3, x3 - x2


@inlined
def cubic_rate(xi):
    """Their derivatives by xi"""
    x2 = xi * xi
    return 6 * x2 - 6 * xi, 1 - 4 * xi + 3 * x2, 6 * xi - 6 * x2, 3 * x2 - 2 * xi


@inlined
def turns(s, b, e):
    """R_A, R_B, phi, g, g', S"""
    qa, qb = b.ip[e, QA] + 3, b.ip[e, QB] + 3
    c, v = relative_quaternion(s.q, qa, qb)
    phi, k, s2 = logarithm(c, v)
    g, g1, _ = factors(dot(phi, phi), k, s2)
    return rotation(s.q, qa), rotation(s.q, qb), phi, g, g1, left_inverse(phi, g)


@inlined
def shares(xi, phi, S):
    """T, P_A, P_B"""
    T = left_tangent(scale(xi, phi))
    return T, mat_add((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), -xi, matmul(T, S)), scale9(xi, matmul(T, transpose(S)))


@inlined
def combine(N, L, a, x, b, y):
    """N_1 a + N_2 L x + N_3 b + N_4 L y"""
    return add(add(scale(N[0], a), scale(N[1] * L, x)), add(scale(N[2], b), scale(N[3] * L, y)))


@inlined
def along(v):
    """e_1 x v"""
    return 0 * v[0], -v[2], v[1]


@inlined
def along9(M):
    """[e_1] M"""
    z = 0 * M[0]
    return z, z, z, -M[6], -M[7], -M[8], M[3], M[4], M[5]


@inlined
def slope_rate(R, w):
    """t' = R (w x e_1)"""
    return mul(R, (0 * w[0], w[2], -w[1]))


@inlined
def position(s, b, e, L, N, A, B):
    return combine(N, L, vec(s.q, b.ip[e, QA]), column(A, 0), vec(s.q, b.ip[e, QB]), column(B, 0))


@inlined
def spin(wa, xi, T, phi1):
    """w_A + xi T phi', in the axes of A"""
    return add(wa, scale(xi, mul(T, phi1)))


@inlined
def angle_rate(S, wa, wb):
    """phi' = S^T w_B - S w_A"""
    return sub(tmul(S, wb), mul(S, wa))


@inlined
def angle_rate_change(phi, wa, wb, g, g1):
    """d phi' / d phi at constant w"""
    M = left_inverse_change(scale(-1.0, phi), wb, g, g1)
    return mat_add(scale9(-1.0, M), -1.0, left_inverse_change(phi, wa, g, g1))


@inlined
def on_nodes(L, N, A, B, PA, PB, f, m):
    """Force and moment on both nodes: N f,  L N e_1 x R^T f + P^T R_A^T m                                             [beam-21]"""
    turn = tmul(A, m)
    return (scale(N[0], f), add(scale(N[1] * L, along(tmul(A, f))), tmul(PA, turn)),
            scale(N[2], f), add(scale(N[3] * L, along(tmul(B, f))), tmul(PB, turn)))


@inlined
def pull_point(o, b, e, L, N, A, B, PA, PB, f, m):
    """R += J^T (f, m)"""
    va, vb = b.ip[e, VA], b.ip[e, VB]
    fa, ma, fb, mb = on_nodes(L, N, A, B, PA, PB, f, m)
    accumulate(1.0, fa, o.R, va)
    accumulate(1.0, fb, o.R, vb)
    accumulate(1.0, ma, o.R, va + 3)
    accumulate(1.0, mb, o.R, vb + 3)


@inlined
def turn_changes(o, b, e, L, N, xi, A, B, phi, g, g1, S, T, f, m):
    """D += ck times the change of what beam-21 makes of constant f and m: with z = T^T R_A^T m,
    R_thA = ... + R_A^T m - xi S^T z,  R_thB = ... + xi S z                                                            [beam-22]"""
    t, turn, ck = b.ip[e, TABLE], tmul(A, m), o.ck
    z = tmul(T, turn)
    St = transpose(S)
    K = scale9(-xi, left_tangent_change(scale(-xi, phi), turn))  # of z by phi
    Zb, Za = left_inverse_change(phi, z, g, g1), left_inverse_change(scale(-1.0, phi), z, g, g1)
    by_a, by_b = mat_add(tmatmul(T, skew(turn)), -1.0, matmul(K, S)), matmul(K, St)  # of z by th_A, th_B
    on_aa = mat_add(skew(turn), -xi, mat_add(tmatmul(S, by_a), 1.0, matmul(Za, S)))
    on_aa = mat_add(on_aa, N[1] * L, along9(skew(tmul(A, f))))
    on_bb = mat_add(scale9(xi, mat_add(matmul(S, by_b), 1.0, matmul(Zb, St))), N[3] * L, along9(skew(tmul(B, f))))
    put_block(o.D, b.tab[t], 3, 3, ck, on_aa)
    put_block(o.D, b.tab[t + 1], 3, 3, -xi * ck, mat_add(tmatmul(S, by_b), -1.0, matmul(Za, St)))
    put_block(o.D, b.tab[t + 2], 3, 3, xi * ck, mat_add(matmul(S, by_a), -1.0, matmul(Zb, S)))
    put_block(o.D, b.tab[t + 3], 3, 3, ck, on_bb)


@inlined
def add_wrench_change(o, b, e, L, N, A, B, PA, PB, side, j, F, M):
    """D += J^T (F; M) in columns j to j+2 of the tile of a node: changes of the wrench by its place or its turns"""
    t, turn = b.ip[e, TABLE] + side, tmatmul(A, M)
    k, l = b.tab[t], b.tab[t + 2]
    put_block(o.D, k, 0, j, N[0], F)
    put_block(o.D, l, 0, j, N[2], F)
    put_block(o.D, k, 3, j, 1.0, mat_add(tmatmul(PA, turn), N[1] * L, along9(tmatmul(A, F))))
    put_block(o.D, l, 3, j, 1.0, mat_add(tmatmul(PB, turn), N[3] * L, along9(tmatmul(B, F))))
