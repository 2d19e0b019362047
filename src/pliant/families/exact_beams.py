"""Geometrically exact beams: two nodes with the motion of a helix between them. Derivations: docs/theory/beams.md

Nodes have the coordinates of rigid bodies; e_1 of their axes is along the beam.  d = log(H_A^-1 H_B) = (S(phi) u, phi),
phi = log(R_A^T R_B), u = R_A^T (p_B - p_A); strains per length d / L.                                                [beam-1]
"""
import numpy as np

from ..kernels.contract import DISSIPATION, ELASTIC, TABLE, TURNING, Family, Stage
from ..kernels.flexibility import current_forces, current_stiffness, section_forces
from ..kernels.helicoidal import (
    add9,
    block3,
    cross_mat,
    factors,
    left_inverse,
    left_inverse_change,
    left_inverse_rate,
    left_inverse_second,
    logarithm,
    mat_cross,
    put_block,
    relative_quaternion,
    scale9,
    times6,
    tmatmul,
)
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import (
    accumulate,
    add,
    cross,
    dot,
    dyad,
    exponential,
    left_tangent,
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

QA, VA, QB, VB = index(1, 2, 3, 4)  # ip of every element between two nodes: their places in q and v
POOL, VISCOSITY, CURRENT = index(5, 6, 7)  # in val Phi_0^-1 36 and F, G, H of beam-7, 36 each; 6x6 viscosity
# in val or -1; 1: Phi follows the strain, 2: of a tapered element, with H
TAPERED = index(2)
LENGTH, INVERSE, STRAIN = index(0, 1, 2)  # rp: L, 1/L, d_0 / L (6)
MOST = 3.0  # rad between the nodes of an element


@inlined
def screw(s, b, e):
    """R_A, phi, u, g, g', g'' of an element"""
    qa, qb = b.ip[e, QA], b.ip[e, QB]
    A = rotation(s.q, qa + 3)
    c, v = relative_quaternion(s.q, qa + 3, qb + 3)
    phi, k, s2 = logarithm(c, v)
    u = tmul(A, sub(vec(s.q, qb), vec(s.q, qa)))
    g, g1, g2 = factors(dot(phi, phi), k, s2)
    return A, phi, u, g, g1, g2


@inlined
def strain(b, e, phi, u, g):
    """d / L as (gamma, K)"""
    r = b.rp[e, INVERSE]
    pu = cross(phi, u)
    return scale(r, add(u, add(scale(-0.5, pu), scale(g, cross(phi, pu))))), scale(r, phi)


@inlined
def node_rates(s, b, e, A, phi, u, g):
    """w_A, w_B, w = R_A^T (v_B - v_A) and u' = w - w_A x u, phi' = S^T w_B - S w_A"""
    va, vb = b.ip[e, VA], b.ip[e, VB]
    wa, wb, w = vec(s.v, va + 3), vec(s.v, vb + 3), tmul(A, sub(vec(s.v, vb), vec(s.v, va)))
    S = left_inverse(phi, g)
    return wa, wb, w, sub(w, cross(wa, u)), sub(tmul(S, wb), mul(S, wa))


@inlined
def strain_rate(s, b, e, A, phi, u, g, g1):
    """(S u' + Z(phi, u) phi', phi') / L                                                                             [beam-13]"""
    r = b.rp[e, INVERSE]
    _, _, _, u1, phi1 = node_rates(s, b, e, A, phi, u, g)
    move = add(mul(left_inverse(phi, g), u1), mul(left_inverse_change(phi, u, g, g1), phi1))
    return scale(r, move), scale(r, phi1)


@inlined
def stress(s, b, e, A, phi, u, g, g1):
    """(n, m) of beam-2 or, with Phi at the current strain, of beam-11, and what is viscous"""
    k = b.ip[e, POOL]
    gamma, K = strain(b, e, phi, u, g)
    x, y = sub(gamma, vec2(b.rp, e, STRAIN)), sub(K, vec2(b.rp, e, STRAIN + 3))
    if b.ip[e, CURRENT] >= 1:
        n, m = current_forces(b.val, k + 36, b.ip[e, CURRENT] == TAPERED, gamma, K, x, y)
    else:
        n, m = times6(b.val, k, x, y)
    if b.ip[e, VISCOSITY] >= 0:
        n1, m1 = viscous(s, b, e, A, phi, u, g, g1)
        return add(n, n1), add(m, m1)
    return n, m


@jit
def viscous(s, b, e, A, phi, u, g, g1):
    x, y = strain_rate(s, b, e, A, phi, u, g, g1)
    return times6(b.val, b.ip[e, VISCOSITY], x, y)


@inlined
def couple(phi, u, n, m, g, g1):
    """mu = m + Z(phi, u)^T n, with y and Q of its derivative                                                          [beam-3]"""
    pu, pn, nu = dot(phi, u), dot(phi, n), dot(n, u)
    Q = pn * pu - dot(phi, phi) * nu
    y = sub(add(scale(pu, n), scale(pn, u)), scale(2 * nu, phi))
    return add(m, add(scale(-0.5, cross(u, n)), add(scale(g, y), scale(2 * g1 * Q, phi)))), y, Q


@inlined
def add_forces(o, b, e, A, S, u, f, mu):
    """R_pB += R_A f, R_pA -= R_A f, R_thB += S mu, R_thA += f x u - S^T mu                                           [beam-4]"""
    va, vb, F = b.ip[e, VA], b.ip[e, VB], mul(A, f)
    accumulate(-1.0, F, o.R, va)
    accumulate(1.0, F, o.R, vb)
    accumulate(1.0, sub(cross(f, u), tmul(S, mu)), o.R, va + 3)
    accumulate(1.0, mul(S, mu), o.R, vb + 3)


@jit
def elastic(s, b, o):
    """(n, m) = C e + V e', e = d / L - d_0 / L; W = (L/2) e.C e                                                       [beam-2]"""
    for e in range(b.first, b.last):
        A, phi, u, g, g1, _ = screw(s, b, e)
        n, m = stress(s, b, e, A, phi, u, g, g1)
        mu, _, _ = couple(phi, u, n, m, g, g1)
        S = left_inverse(phi, g)
        add_forces(o, b, e, A, S, u, tmul(S, n), mu)


@inlined
def blocks_of(x, k):
    """nn, nm, mm of the symmetric matrix at x[k:]"""
    return block3(x, k, 6), block3(x, k + 3, 6), block3(x, k + 21, 6)


@inlined
def quadratic(C, S, Z, r):
    """r (S Z; 0 1)^T C (S Z; 0 1): blocks uu, u phi, phi phi"""
    nn, nm, mm = C
    NS, X = matmul(nn, S), mat_add(nm, 1.0, matmul(nn, Z))
    Y = add9(mm, tmatmul(nm, Z))
    return scale9(r, tmatmul(S, NS)), scale9(r, tmatmul(S, X)), scale9(r, add9(tmatmul(Z, X), Y))


@inlined
def curvature(phi, u, n, g, g1, g2, y, Q):
    """Y = d(S^T n)/dphi and the derivative of Z^T n by phi                                                            [beam-5]"""
    pn, nu = cross(phi, n), dot(n, u)
    Y = mat_add(dyad(add(scale(2 * g1, cross(phi, pn)), scale(-g, n)), phi, g * dot(phi, n)), -0.5, skew(n))
    Y = mat_add(Y, -g, skew(pn))
    z = add(scale(2 * g1, y), scale(4 * g2 * Q, phi))
    G = mat_add(dyad(z, phi, 2 * g1 * Q - 2 * g * nu), 2 * g1, dyad(phi, y, 0.0))
    return Y, add9(G, add9(dyad(scale(g, n), u, 0.0), dyad(scale(g, u), n, 0.0)))


@inlined
def stiffness(s, b, e, A, phi, u, g, g1, g2):
    """n, m, f, mu and the derivative of (f, mu) by (u, phi): uu, u phi, phi phi; n and m with their viscous part"""
    k, r = b.ip[e, POOL], b.rp[e, INVERSE]
    S, Z = left_inverse(phi, g), left_inverse_change(phi, u, g, g1)
    gamma, K = strain(b, e, phi, u, g)
    x, z = sub(gamma, vec2(b.rp, e, STRAIN)), sub(K, vec2(b.rp, e, STRAIN + 3))
    if b.ip[e, CURRENT] >= 1:
        n, m, nn, nm, mm = current_stiffness(b.val, k + 36, b.ip[e, CURRENT] == TAPERED, gamma, K, x, z)
    else:
        n, m = times6(b.val, k, x, z)
        nn, nm, mm = blocks_of(b.val, k)
    if b.ip[e, VISCOSITY] >= 0:
        n1, m1 = viscous(s, b, e, A, phi, u, g, g1)
        n, m = add(n, n1), add(m, m1)
    uu, up, pp = quadratic((nn, nm, mm), S, Z, r)
    mu, y, Q = couple(phi, u, n, m, g, g1)
    Y, G = curvature(phi, u, n, g, g1, g2, y, Q)
    up = add9(up, Y)
    return tmul(S, n), mu, uu, up, add9(pp, G)


@jit
def viscous_change(s, b, e, A, phi, u, g, g1, g2):
    """Derivative of the viscous (f, mu) at constant n and m: by the place uu, u phi, phi u, phi phi, of A's turn in w; and by the
    rates of (u, phi)                                                                                                 [beam-14]"""
    r, k = b.rp[e, INVERSE], b.ip[e, VISCOSITY]
    S, Z = left_inverse(phi, g), left_inverse_change(phi, u, g, g1)
    wa, wb, w, u1, phi1 = node_rates(s, b, e, A, phi, u, g)
    back = scale(-1.0, phi)
    turn = mat_add(scale9(-1.0, left_inverse_change(back, wb, g, g1)), -1.0, left_inverse_change(phi, wa, g, g1))  # of phi' by phi
    by_u = mat_add(left_inverse_rate(phi, phi1, g, g1), -1.0, mat_cross(S, wa))  # of S u' + Z phi'
    by_phi = add9(left_inverse_change(phi, u1, g, g1), left_inverse_second(phi, u, phi1, g, g1, g2))
    by_phi = add9(by_phi, matmul(Z, turn))
    by_turn = mat_cross(S, w)
    nn, nm, mm = blocks_of(b.val, k)
    SN, XT = scale9(r, tmatmul(S, nn)), scale9(r, add9(transpose(nm), tmatmul(Z, nn)))  # what rates of forces do to f and mu
    SM, Y = scale9(r, tmatmul(S, nm)), scale9(r, add9(mm, tmatmul(Z, nm)))
    place = matmul(SN, by_u), add9(matmul(SN, by_phi), matmul(SM, turn)), matmul(XT, by_u), add9(matmul(XT, by_phi), matmul(Y, turn))
    rates = matmul(SN, S), add9(SM, matmul(SN, Z)), add9(Y, matmul(XT, Z))
    return place, (matmul(SN, by_turn), matmul(XT, by_turn)), rates


@inlined
def add_columns(o, b, e, side, j, force, on_a, on_b):
    """Columns j to j+2 of the tile of node A (side 0) or B: of the force on B, of both moments"""
    t = b.ip[e, TABLE] + side
    k, l = b.tab[t], b.tab[t + 2]
    put_block(o.D, k, 0, j, -1.0, force)
    put_block(o.D, l, 0, j, 1.0, force)
    put_block(o.D, k, 3, j, 1.0, on_a)
    put_block(o.D, l, 3, j, 1.0, on_b)


@jit
def elastic_tangent(s, b, o):
    """d phi = S^T th_B - S th_A, d u = R_A^T (dp_B - dp_A) + [u] th_A; d(S mu) = S d mu + Z(phi, mu) d phi,
    d(S^T mu) = S^T d mu - Z(-phi, mu) d phi, d(R_A f) = R_A (d f + th_A x f)                                          [beam-6]"""
    for e in range(b.first, b.last):
        A, phi, u, g, g1, g2 = screw(s, b, e)
        S = left_inverse(phi, g)
        f, mu, uu, up, pp = stiffness(s, b, e, A, phi, u, g, g1, g2)
        add_forces(o, b, e, A, S, u, f, mu)
        St, ck = transpose(S), o.ck
        f, mu = scale(ck, f), scale(ck, mu)
        uu, up, pu, pp = scale9(ck, uu), scale9(ck, up), scale9(ck, transpose(up)), scale9(ck, pp)
        Fa, Ma, Fb, Mb, Fp, Mp = scale9(0.0, S), scale9(0.0, S), scale9(0.0, S), scale9(0.0, S), uu, pu
        if b.ip[e, VISCOSITY] >= 0:
            place, turned, (vuu, vup, vpp) = viscous_change(s, b, e, A, phi, u, g, g1, g2)
            uu, up, pu, pp = mat_add(uu, ck, place[0]), mat_add(up, ck, place[1]), mat_add(pu, ck, place[2]), mat_add(pp, ck, place[3])
            TA, TB, cd = mat2(s.T, b.ip[e, VA] // 6, 0), mat2(s.T, b.ip[e, VB] // 6, 0), o.cd
            Fa = mat_add(scale9(ck, turned[0]), cd, matmul(mat_add(mat_cross(vuu, u), -1.0, matmul(vup, S)), TA))
            Ma = mat_add(scale9(ck, turned[1]), cd, matmul(mat_add(tmatmul(vup, skew(u)), -1.0, matmul(vpp, S)), TA))
            Fb, Mb = scale9(cd, matmul(vup, matmul(St, TB))), scale9(cd, matmul(vpp, matmul(St, TB)))
            Fp, Mp = mat_add(uu, cd, vuu), mat_add(pu, cd, transpose(vup))
        At, f_x = transpose(A), skew(f)
        Fp, Mp = matmul(Fp, At), matmul(Mp, At)
        force, on_a, on_b = matmul(A, Fp), add9(cross_mat(f, At), scale9(-1.0, add9(cross_mat(u, Fp), tmatmul(S, Mp)))), matmul(S, Mp)
        add_columns(o, b, e, 1, 0, force, on_a, on_b)
        add_columns(o, b, e, 0, 0, scale9(-1.0, force), scale9(-1.0, on_a), scale9(-1.0, on_b))
        Zp, Zm = left_inverse_change(phi, mu, g, g1), left_inverse_change(scale(-1.0, phi), mu, g, g1)
        Fa = add9(Fa, mat_add(mat_cross(uu, u), -1.0, matmul(up, S)))
        Ma = add9(Ma, mat_add(mat_cross(pu, u), -1.0, matmul(pp, S)))
        on_a = mat_add(mat_cross(f_x, u), -1.0, add9(cross_mat(u, Fa), add9(tmatmul(S, Ma), matmul(Zm, S))))
        add_columns(o, b, e, 0, 3, matmul(A, mat_add(Fa, -1.0, f_x)), on_a, mat_add(matmul(S, Ma), -1.0, matmul(Zp, S)))
        Fb, Mb = add9(Fb, matmul(up, St)), add9(Mb, matmul(pp, St))
        on_a = mat_add(matmul(Zm, St), -1.0, add9(cross_mat(u, Fb), tmatmul(S, Mb)))
        add_columns(o, b, e, 1, 3, matmul(A, Fb), on_a, add9(matmul(S, Mb), matmul(Zp, St)))


@jit
def middle(b, e, gamma, K, x, y):
    """(n, m) = Phi^-1 (x, y)"""
    k = b.ip[e, POOL]
    if b.ip[e, CURRENT] >= 1:
        return section_forces(b.val, k + 36, b.ip[e, CURRENT] == TAPERED, gamma, K, x, y)
    return times6(b.val, k, x, y)


@jit
def elastic_energy(s, b, o):
    """W = (L/2) e.Phi^-1 e                                                                                             [beam-7]"""
    for e in range(b.first, b.last):
        _, phi, u, g, _, _ = screw(s, b, e)
        gamma, K = strain(b, e, phi, u, g)
        x, y = sub(gamma, vec2(b.rp, e, STRAIN)), sub(K, vec2(b.rp, e, STRAIN + 3))
        n, m = middle(b, e, gamma, K, x, y)
        o.E[ELASTIC] += (dot(x, n) + dot(y, m)) * b.rp[e, LENGTH] / 2


@jit
def power(s, b, o):
    """Lost: L e'.V e'                                                                                                 [beam-15]"""
    for e in range(b.first, b.last):
        if b.ip[e, VISCOSITY] >= 0:
            A, phi, u, g, g1, _ = screw(s, b, e)
            x, y = strain_rate(s, b, e, A, phi, u, g, g1)
            n, m = times6(b.val, b.ip[e, VISCOSITY], x, y)
            o.E[DISSIPATION] += (dot(x, n) + dot(y, m)) * b.rp[e, LENGTH]


@jit
def history(s, b, o):
    """E[TURNING] = infinity where the nodes of an element have turned by more than 3 rad against each other"""
    for e in range(b.first, b.last):
        c, v = relative_quaternion(s.q, b.ip[e, QA] + 3, b.ip[e, QB] + 3)
        phi, _, _ = logarithm(c, v)
        if dot(phi, phi).real > MOST * MOST:
            o.E[TURNING] = np.inf


@jit
def section(s, b, e, xi):
    """n and m at s = xi L, of the forces on node A, f and S^T mu + u x f, that go on unchanged to the section:
    n = exp(-xi phi) f,  m = exp(-xi phi) (S^T mu + (u - T(xi phi) xi S u) x f)                                          [beam-16]"""
    A, phi, u, g, g1, _ = screw(s, b, e)
    n, m = stress(s, b, e, A, phi, u, g, g1)
    mu, _, _ = couple(phi, u, n, m, g, g1)
    S, r = left_inverse(phi, g), scale(xi, phi)
    f, R = tmul(S, n), exponential(r)
    m = add(tmul(S, mu), cross(sub(u, scale(xi, mul(left_tangent(r), mul(S, u)))), f))
    return tmul(R, f), tmul(R, m)


BEAM = Family("exact beam", act=Stage(residual=elastic, tangent=elastic_tangent, energy=elastic_energy, power=power, history=history),
              force=True, elastic=True)
