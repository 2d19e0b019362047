"""Inertia of beams whose axis between two nodes is Hermite's cubic. Derivations: docs/theory/beams.md

r = N_1 p_A + N_2 L t_A + N_3 p_B + N_4 L t_B,  t = R e_1                                                               [beam-8]
"""
from ..kernels.contract import GRAVITY, KINETIC, POTENTIAL, TABLE, Family, Stage
from ..kernels.helicoidal import cross_mat, put_block, scale9, tmatmul
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import (
    accumulate,
    add,
    column,
    cross,
    dot,
    mat2,
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
    vec2,
)
from .exact_beams import QA, QB, VA, VB

LENGTH, M11, M12, M13, M14, M22, M23, M24, M33, M34, M44 = index(*range(11))  # rp: L; M_4 [kg]
IQ, IV, CENTRE = index(1, 2, 0)     # ip and rp of first moments at a node


@inlined
def along(v):
    """e_1 x v"""
    return 0 * v[0], -v[2], v[1]


@inlined
def curve(w, alpha):
    """alpha x e_1 + w x (w x e_1), of which R L is the second rate of L t"""
    return -w[1] * w[1] - w[2] * w[2], alpha[2] + w[0] * w[1], w[0] * w[2] - alpha[1]


@inlined
def slope_acceleration(s, L, R, iv):
    return scale(L, mul(R, curve(vec(s.v, iv + 3), vec(s.a, iv + 3))))


@inlined
def weighed(b, e, i, a, x, c, y, j, k, l):
    """M_4 of row e in places i, j, k, l times the four vectors"""
    return add(add(scale(b.rp[e, i], a), scale(b.rp[e, j], x)), add(scale(b.rp[e, k], c), scale(b.rp[e, l], y)))


@inlined
def cubic_masses(b, e, a, x, c, y):
    """M_4 (a, x, c, y)"""
    return (weighed(b, e, M11, a, x, c, y, M12, M13, M14), weighed(b, e, M12, a, x, c, y, M22, M23, M24),
            weighed(b, e, M13, a, x, c, y, M23, M33, M34), weighed(b, e, M14, a, x, c, y, M24, M34, M44))


@inlined
def forces(s, b, e, A, B):
    """The four vectors M_4 (X'' - g on p), X = (p_A, L t_A, p_B, L t_B)"""
    va, vb, L, g = b.ip[e, VA], b.ip[e, VB], b.rp[e, LENGTH], vec(b.val, GRAVITY)
    a, c = sub(vec(s.a, va), g), sub(vec(s.a, vb), g)
    return cubic_masses(b, e, a, slope_acceleration(s, L, A, va), c, slope_acceleration(s, L, B, vb))


@inlined
def add_inertia(o, va, vb, L, A, B, F):
    accumulate(1.0, F[0], o.R, va)
    accumulate(L, along(tmul(A, F[1])), o.R, va + 3)
    accumulate(1.0, F[2], o.R, vb)
    accumulate(L, along(tmul(B, F[3])), o.R, vb + 3)


@jit
def inertia(s, b, o):
    """R_p += F_p, R_th += L e_1 x R^T F_t;  F = M_4 (X'' - g on p), (L t)'' = L R (alpha x e_1 + w x (w x e_1))        [beam-10]"""
    for e in range(b.first, b.last):
        A, B = rotation(s.q, b.ip[e, QA] + 3), rotation(s.q, b.ip[e, QB] + 3)
        add_inertia(o, b.ip[e, VA], b.ip[e, VB], b.rp[e, LENGTH], A, B, forces(s, b, e, A, B))


@inlined
def slope_change(s, b, o, iv):
    """Q with d (L t)'' = -L R Q th: cm [e_1] T + cd ([w x e_1] + [w][e_1]) T + ck [y]                                  [beam-30]"""
    w = vec(s.v, iv + 3)
    T, y, z, (x1, x2, x3) = mat2(s.T, iv // 6, 0), curve(w, vec(s.a, iv + 3)), 0 * w[0], scale(o.cd, w)
    Q = z, 2 * x2, 2 * x3, -x2, -x1, -o.cm + z, -x3, o.cm + z, -x1
    return mat_add(matmul(Q, T), o.ck, skew(y))


@inlined
def along9(M):
    """[e_1] M"""
    z = 0 * M[0]
    return z, z, z, -M[6], -M[7], -M[8], M[3], M[4], M[5]


@inlined
def put_diagonal(D, k, f):
    for i in range(3):
        D[k, i, i] += f


@jit
def inertia_tangent(s, b, o):
    """The same with its derivatives; of the pull-back also ck L [e_1][R^T F_t]                                          [beam-31]"""
    for e in range(b.first, b.last):
        va, vb, L, t, r = b.ip[e, VA], b.ip[e, VB], b.rp[e, LENGTH], b.ip[e, TABLE], b.rp
        A, B = rotation(s.q, b.ip[e, QA] + 3), rotation(s.q, b.ip[e, QB] + 3)
        F = forces(s, b, e, A, B)
        add_inertia(o, va, vb, L, A, B, F)
        aa, ab, ba, bb = b.tab[t], b.tab[t + 1], b.tab[t + 2], b.tab[t + 3]
        QA_, QB_, AB = slope_change(s, b, o, va), slope_change(s, b, o, vb), tmatmul(A, B)
        P, Q = matmul(A, QA_), matmul(B, QB_)
        put_diagonal(o.D, aa, o.cm * r[e, M11])
        put_diagonal(o.D, ab, o.cm * r[e, M13])
        put_diagonal(o.D, ba, o.cm * r[e, M13])
        put_diagonal(o.D, bb, o.cm * r[e, M33])
        put_block(o.D, aa, 0, 3, -L * r[e, M12], P)
        put_block(o.D, ab, 0, 3, -L * r[e, M14], Q)
        put_block(o.D, ba, 0, 3, -L * r[e, M23], P)
        put_block(o.D, bb, 0, 3, -L * r[e, M34], Q)
        down, over = along9(transpose(A)), along9(transpose(B))
        f = o.cm * L
        put_block(o.D, aa, 3, 0, f * r[e, M12], down)
        put_block(o.D, ab, 3, 0, f * r[e, M23], down)
        put_block(o.D, ba, 3, 0, f * r[e, M14], over)
        put_block(o.D, bb, 3, 0, f * r[e, M34], over)
        h = -L * L
        put_block(o.D, aa, 3, 3, 1.0, along9(mat_add(scale9(h * r[e, M22], QA_), o.ck * L, skew(tmul(A, F[1])))))
        put_block(o.D, ab, 3, 3, h * r[e, M24], along9(matmul(AB, QB_)))
        put_block(o.D, ba, 3, 3, h * r[e, M24], along9(tmatmul(AB, QA_)))
        put_block(o.D, bb, 3, 3, 1.0, along9(mat_add(scale9(h * r[e, M44], QB_), o.ck * L, skew(tmul(B, F[3])))))


@jit
def energy(s, b, o):
    """T = X'.(M_4 x 1) X' / 2, M_4 = integral of rho A N N^T; potential -g.integral of rho A r, of which N_i has M_i1 + M_i3   [beam-9]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        qa, qb, va, vb, L = b.ip[e, QA], b.ip[e, QB], b.ip[e, VA], b.ip[e, VB], b.rp[e, LENGTH]
        A, B = rotation(s.q, qa + 3), rotation(s.q, qb + 3)
        v, w = vec(s.v, va), vec(s.v, vb)
        x = scale(-L, mul(A, along(vec(s.v, va + 3))))
        y = scale(-L, mul(B, along(vec(s.v, vb + 3))))
        F = cubic_masses(b, e, v, x, w, y)
        o.E[KINETIC] += (dot(v, F[0]) + dot(x, F[1]) + dot(w, F[2]) + dot(y, F[3])) / 2
        F = cubic_masses(b, e, g, scale(0.0, g), g, scale(0.0, g))
        o.E[POTENTIAL] -= dot(F[0], vec(s.q, qa)) + dot(F[2], vec(s.q, qb)) + L * (dot(F[1], column(A, 0)) + dot(F[3], column(B, 0)))


@jit
def moments(s, b, o):
    """R += (R (alpha x c + w x (w x c)), c x R^T (a - g)), c the first moments of a node about its origin                [beam-33]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, R, c = b.ip[e, IV], rotation(s.q, b.ip[e, IQ] + 3), vec2(b.rp, e, CENTRE)
        w = vec(s.v, iv + 3)
        accumulate(1.0, mul(R, add(cross(vec(s.a, iv + 3), c), cross(w, cross(w, c)))), o.R, iv)
        accumulate(1.0, cross(c, tmul(R, sub(vec(s.a, iv), g))), o.R, iv + 3)


@jit
def moments_tangent(s, b, o):
    """Columns j of T, u, and of the axes, x: R (cm u x c + cd (u x (w x c) + w x (u x c)) + ck x x f); cm c x R^T and ck c x (a x x)
    with f and a, forces and acceleration in axes of the node                                                          [beam-34]"""
    moments(s, b, o)
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, R, c, k = b.ip[e, IV], rotation(s.q, b.ip[e, IQ] + 3), vec2(b.rp, e, CENTRE), b.tab[b.ip[e, TABLE]]
        w, T, a = vec(s.v, iv + 3), mat2(s.T, iv // 6, 0), tmul(R, sub(vec(s.a, iv), g))
        f = add(cross(vec(s.a, iv + 3), c), cross(w, cross(w, c)))
        uc = mat_add(scale9(-o.cd, skew(cross(w, c))), -o.cd, cross_mat(w, skew(c)))
        by_turn = mat_add(matmul(mat_add(uc, -o.cm, skew(c)), T), -o.ck, skew(f))
        put_block(o.D, k, 0, 3, 1.0, matmul(R, by_turn))
        put_block(o.D, k, 3, 0, o.cm, cross_mat(c, transpose(R)))
        put_block(o.D, k, 3, 3, o.ck, cross_mat(c, skew(a)))


@jit
def moments_energy(s, b, o):
    """T = v.R (w x c), potential -g.R c                                                                               [beam-35]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        iv, R, c = b.ip[e, IV], rotation(s.q, b.ip[e, IQ] + 3), vec2(b.rp, e, CENTRE)
        o.E[KINETIC] += dot(vec(s.v, iv), mul(R, cross(vec(s.v, iv + 3), c)))
        o.E[POTENTIAL] -= dot(g, mul(R, c))


INERTIA = Family("beam inertia", act=Stage(residual=inertia, tangent=inertia_tangent, energy=energy))
MOMENTS = Family("first moments of a node", act=Stage(residual=moments, tangent=moments_tangent, energy=moments_energy))
