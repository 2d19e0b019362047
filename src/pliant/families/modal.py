"""Flexible bodies with modes in a floating frame: inertia, elasticity and damping. Equations: docs/theory/flexible_body.md

Coordinates: origin p and axes R of the body-fixed frame, n modal coordinates q. All terms follow from the kinetic energy
T = m v.v / 2 + v.R (w x c + S q') + w.J w / 2 + w.B q' + q'.M q' / 2  with, by modal coordinate j,                [modal-1]

    S_j = S0_j + sum_k q_k S2_kj     B_j = B0_j + sum_k q_k (B1_kj + N2_kj)     dJ/dq_j = H_j = H0_j + sum_k q_k H2_kj

B1 is antisymmetric in k and j; S2 and N2 (symmetric) and a part of H2 are the second-order displacements of stiffening. With those the
modes have the further energy (C0 q' + X q' / 2).P X q', where X q' are the parts of S q' and B q' that S2 and N2 give, C0 q' those of S0 and
B0, and P the inverse of the rigid mass matrix: the rigid part of what second-order velocities add to q'.M q' / 2.      [modal-10]
"""
import numpy as np

from ..kernels.contract import DISSIPATION, ELASTIC, GRAVITY, KINETIC, POTENTIAL, TABLE, Family, Stage
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import accumulate, add, column, cross, dot, mat2, mul, rotation, scale, sub, tmul, vec, vec2

IQ, IV, N, POOL, SECOND = index(1, 2, 3, 4, 5)   # ip: place in q and v, modes, tables in val, those of second order (-1: none)
MASS, CENTRE, INERTIA = index(0, 1, 4)           # rp: m, c0, J0 (xx yy zz xy xz yz, as all symmetric matrices here)
# Tables, each row of n numbers: S0 3 | B0 3 | H0 6 | then for every k: H2 6 | B1 3 | M 1 | K 1 | D 1.
# Second: P in four blocks of 3x3 | then for every k: N2 3 | S2 3.
ROWS, PAIR, HEAD_2, PAIR_2 = index(12, 12, 36, 6)
# Scratch, in rows of n numbers: H, B, S now; what q' and q'' make of the tables; a row of forces; what N2 and S2 make of q.
H, B, S, DH, DB, DN, DS, AB, AN, AS, FORCE, XN, XS = index(0, 6, 9, 12, 18, 21, 24, 27, 30, 33, 36, 37, 40)
SIZE = index(43)


@inlined
def add_scaled(f, x, i, y, k, n):
    """y[k:k+n] += f x[i:i+n]. Indices without sign need no check for negative ones, which would keep it from being vectorised."""
    at, to = np.uint64(i), np.uint64(k)
    for j in range(np.uint64(n)):
        y[to + j] += f * x[at + j]


@inlined
def clear(y, k, n):
    for j in range(n):
        y[k + j] = 0


@jit
def three(x, i, n):
    """A vector whose components are n apart."""
    return x[i], x[i + n], x[i + 2 * n]


@jit
def six(x, i, n):
    """A symmetric matrix whose components are n apart."""
    xy, xz, yz = x[i + 3 * n], x[i + 4 * n], x[i + 5 * n]
    return x[i], xy, xz, xy, x[i + n], yz, xz, yz, x[i + 2 * n]


@jit
def symmetric(a):
    return a[0], a[3], a[4], a[3], a[1], a[5], a[4], a[5], a[2]


@jit
def squares(w):
    """u with w.A w = sum u_i A_i over the six components of a symmetric matrix."""
    return w[0] * w[0], w[1] * w[1], w[2] * w[2], 2 * w[0] * w[1], 2 * w[0] * w[2], 2 * w[1] * w[2]


@inlined
def configure(s, b, e, W):
    """H, B and S at the current q, in scratch."""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, second, iq = b.ip[e, N], b.ip[e, POOL], b.ip[e, SECOND], b.ip[e, IQ] + 7
    for j in range(3 * n):
        W[base + S * n + j] = b.val[pool + j]
        W[base + B * n + j] = b.val[pool + 3 * n + j]
    for j in range(6 * n):
        W[base + H * n + j] = b.val[pool + 6 * n + j]
    for k in range(n):
        add_scaled(s.q[iq + k], b.val, pool + (ROWS + PAIR * k) * n, W, base, 9 * n)
    if second >= 0:
        clear(W, base + XN * n, 6 * n)
        for k in range(n):
            add_scaled(s.q[iq + k], b.val, second + HEAD_2 + PAIR_2 * k * n, W, base + XN * n, 6 * n)
        add_scaled(1.0, W, base + XN * n, W, base + B * n, 6 * n)


@inlined
def rates_of(s, b, e, W):
    """DB = sum q'_k B1_k, DN, DS likewise, in scratch."""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, second, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, SECOND], b.ip[e, IV] + 6
    clear(W, base + DB * n, 9 * n)
    for k in range(n):
        add_scaled(s.v[iv + k], b.val, pool + (ROWS + PAIR * k + 6) * n, W, base + DB * n, 3 * n)
        if second >= 0:
            add_scaled(s.v[iv + k], b.val, second + HEAD_2 + PAIR_2 * k * n, W, base + DN * n, 6 * n)


@inlined
def changes_of(s, b, e, W):
    """For the tangent: DH = sum q'_k H2_k; AB, AN, AS with q''."""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, second, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, SECOND], b.ip[e, IV] + 6
    clear(W, base + DH * n, 6 * n)
    clear(W, base + AB * n, 9 * n)
    for k in range(n):
        at = pool + (ROWS + PAIR * k) * n
        add_scaled(s.v[iv + k], b.val, at, W, base + DH * n, 6 * n)
        add_scaled(s.a[iv + k], b.val, at + 6 * n, W, base + AB * n, 3 * n)
        if second >= 0:
            add_scaled(s.a[iv + k], b.val, second + HEAD_2 + PAIR_2 * k * n, W, base + AN * n, 6 * n)


@inlined
def centre(s, b, e, W):
    """c = c0 + sum_j q_j (S0_j + S_j) / 2"""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, iq = b.ip[e, N], b.ip[e, POOL], b.ip[e, IQ] + 7
    both = add(weighted(s.q, iq, n, b.val, pool), weighted(s.q, iq, n, W, base + S * n))
    return add(vec2(b.rp, e, CENTRE), scale(0.5, both))


@inlined
def moments(s, b, e, W):
    """J = J0 + sum_j q_j (H0_j + H_j) / 2"""
    base = W.size - SIZE * b.ip[e, N]
    n, h0, iq = b.ip[e, N], b.ip[e, POOL] + 6 * b.ip[e, N], b.ip[e, IQ] + 7
    k = base + H * n
    a = scale(0.5, add(weighted(s.q, iq, n, b.val, h0), weighted(s.q, iq, n, W, k)))
    d = scale(0.5, add(weighted(s.q, iq, n, b.val, h0 + 3 * n), weighted(s.q, iq, n, W, k + 3 * n)))
    a, d = add(vec2(b.rp, e, INERTIA), a), add(vec2(b.rp, e, INERTIA + 3), d)
    return symmetric((a[0], a[1], a[2], d[0], d[1], d[2]))


@inlined
def weighted(x, i, n, W, k):
    """sum_j x_j times the vectors at W[k:]"""
    a = b = c = 0 * W[k]
    at, x_, y_, z_ = np.uint64(i), np.uint64(k), np.uint64(k + n), np.uint64(k + 2 * n)
    for j in range(np.uint64(n)):
        f = x[at + j]
        a, b, c = a + f * W[x_ + j], b + f * W[y_ + j], c + f * W[z_ + j]
    return a, b, c


@inlined
def turning(s, b, e, W):
    """J' = sum_j q'_j H_j"""
    base = W.size - SIZE * b.ip[e, N]
    n, iv, k = b.ip[e, N], b.ip[e, IV] + 6, base + H * b.ip[e, N]
    a, d = weighted(s.v, iv, n, W, k), weighted(s.v, iv, n, W, k + 3 * n)
    return symmetric((a[0], a[1], a[2], d[0], d[1], d[2]))


@inlined
def pull_of_inertia(s, b, e, W, c, w, alpha):
    """f of modal-2: alpha x c + w x (w x c) + 2 w x c' + S q'' + S' q'"""
    base = W.size - SIZE * b.ip[e, N]
    n, iv = b.ip[e, N], b.ip[e, IV] + 6
    f = add(cross(alpha, c), cross(w, add(cross(w, c), scale(2.0, weighted(s.v, iv, n, W, base + S * n)))))
    return add(f, add(weighted(s.a, iv, n, W, base + S * n), weighted(s.v, iv, n, W, base + DS * n)))


@jit
def rigid_part(val, i, x, y):
    """P (x, y)"""
    return (add(mul(nine(val, i), x), mul(nine(val, i + 9), y)), add(mul(nine(val, i + 18), x), mul(nine(val, i + 27), y)))


@jit
def nine(x, i):
    return x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5], x[i + 6], x[i + 7], x[i + 8]


@inlined
def second_accelerations(s, b, e, W):
    """P of (X q')' and of (C0 q' + X q')'                                                                [modal-11]"""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, second, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, SECOND], b.ip[e, IV] + 6
    x = add(weighted(s.a, iv, n, W, base + XS * n), weighted(s.v, iv, n, W, base + DS * n))
    y = add(weighted(s.a, iv, n, W, base + XN * n), weighted(s.v, iv, n, W, base + DN * n))
    move, turn = rigid_part(b.val, second, x, y)
    g, h = rigid_part(b.val, second, weighted(s.a, iv, n, b.val, pool), weighted(s.a, iv, n, b.val, pool + 3 * n))
    return move, turn, add(move, g), add(turn, h)


@inlined
def second_forces(s, b, e, W):
    """FORCE += C0^T P (X q')' + X^T P (C0 q' + X q')'                                                    [modal-12]"""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, F = b.ip[e, N], b.ip[e, POOL], base + FORCE * b.ip[e, N]
    move, turn, move_all, turn_all = second_accelerations(s, b, e, W)
    for i in range(3):
        add_scaled(move[i], b.val, pool + i * n, W, F, n)
        add_scaled(turn[i], b.val, pool + (3 + i) * n, W, F, n)
        add_scaled(move_all[i], W, base + (XS + i) * n, W, F, n)
        add_scaled(turn_all[i], W, base + (XN + i) * n, W, F, n)


@jit
def forces(s, b, o):
    """R += [m (a - g) + R f,  c x (a - g) + J w' + B q'' + J' w + B' q' + w x (J w + B q'),
    S_j.(a - g) + B_j.w' + 2 w.B1' q' - w.H_j w / 2 + M q'' + K q + D q']  with a - g in body axes         [modal-2]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, pool, iq, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, IQ], b.ip[e, IV]
        configure(s, b, e, o.W)
        rates_of(s, b, e, o.W)
        A, w, alpha, a = rotation(s.q, iq + 3), vec(s.v, iv + 3), vec(s.a, iv + 3), sub(vec(s.a, iv), g)
        a_B, c, J = tmul(A, a), centre(s, b, e, o.W), moments(s, b, e, o.W)
        accumulate(1.0, add(scale(b.rp[e, MASS], a), mul(A, pull_of_inertia(s, b, e, o.W, c, w, alpha))), o.R, iv)
        Bv, Ba = weighted(s.v, iv + 6, n, o.W, base + B * n), weighted(s.a, iv + 6, n, o.W, base + B * n)
        moment = add(cross(c, a_B), add(mul(J, alpha), add(Ba, mul(turning(s, b, e, o.W), w))))
        moment = add(moment, weighted(s.v, iv + 6, n, o.W, base + DN * n))
        accumulate(1.0, add(moment, cross(w, add(mul(J, w), Bv))), o.R, iv + 3)
        clear(o.W, base + FORCE * n, n)
        for k in range(n):
            at = pool + (ROWS + PAIR * k + 9) * n
            add_scaled(s.a[iv + 6 + k], b.val, at, o.W, base + FORCE * n, n)
            add_scaled(s.q[iq + 7 + k], b.val, at + n, o.W, base + FORCE * n, n)
            add_scaled(s.v[iv + 6 + k], b.val, at + 2 * n, o.W, base + FORCE * n, n)
        u, w2 = squares(w), scale(2.0, w)
        for i in range(6):
            add_scaled(-0.5 * u[i], o.W, base + (H + i) * n, o.W, base + FORCE * n, n)
        for i in range(3):
            add_scaled(a_B[i], o.W, base + (S + i) * n, o.W, base + FORCE * n, n)
            add_scaled(alpha[i], o.W, base + (B + i) * n, o.W, base + FORCE * n, n)
            add_scaled(w2[i], o.W, base + (DB + i) * n, o.W, base + FORCE * n, n)
        if b.ip[e, SECOND] >= 0:
            second_forces(s, b, e, o.W)
        for j in range(n):
            o.R[iv + 6 + j] += o.W[base + FORCE * n + j]


@inlined
def rigid_tangent(s, b, o, e, c, J, f):
    """The tile of the frame's own motion                                                                 [modal-3]"""
    base = o.W.size - SIZE * b.ip[e, N]
    n, iv, k = b.ip[e, N], b.ip[e, IV], b.tab[b.ip[e, TABLE]]
    A, w, T = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv + 3), mat2(s.T, iv // 6, 0)
    a_B = tmul(A, sub(vec(s.a, iv), vec(b.val, GRAVITY)))
    c1, J1 = weighted(s.v, iv + 6, n, o.W, base + S * n), turning(s, b, e, o.W)
    wc, spin = add(cross(w, c), scale(2.0, c1)), add(mul(J, w), weighted(s.v, iv + 6, n, o.W, base + B * n))
    for j in range(3):
        u, x = column(T, j), (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        uc, Ju = cross(u, c), mul(J, u)
        move = add(scale(o.cm, uc), add(scale(o.cd, add(cross(u, wc), cross(w, uc))), scale(o.ck, cross(x, f))))
        turn = add(scale(o.cm, Ju), scale(o.cd, add(mul(J1, u), add(cross(u, spin), cross(w, Ju)))))
        move, turn, lever = mul(A, move), add(turn, scale(o.ck, cross(c, cross(a_B, x)))), cross(c, tmul(A, x))
        o.D[k, j, j] += o.cm * b.rp[e, MASS]
        for i in range(3):
            o.D[k, i, 3 + j] += move[i]
            o.D[k, 3 + i, j] += o.cm * lever[i]
            o.D[k, 3 + i, 3 + j] += turn[i]


@inlined
def coupling_tangent(s, b, o, e):
    """Tiles between the frame's motion and the modes                                                      [modal-4]"""
    base = o.W.size - SIZE * b.ip[e, N]
    n, iv, table, tiles = b.ip[e, N], b.ip[e, IV], b.ip[e, TABLE], (b.ip[e, N] + 11) // 6
    A, w, alpha, T = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv + 3), vec(s.a, iv + 3), mat2(s.T, iv // 6, 0)
    a_B = tmul(A, sub(vec(s.a, iv), vec(b.val, GRAVITY)))
    for k in range(n):
        i = base + k
        Sk, Bk, Hk = three(o.W, i + S * n, n), three(o.W, i + B * n, n), six(o.W, i + H * n, n)
        DSk, DNk, DBk = three(o.W, i + DS * n, n), three(o.W, i + DN * n, n), three(o.W, i + DB * n, n)
        Hw = mul(Hk, w)
        move = add(scale(o.cm, Sk), scale(2 * o.cd, add(cross(w, Sk), DSk)))
        by_q = add(add(cross(alpha, Sk), cross(w, add(cross(w, Sk), scale(2.0, DSk)))), three(o.W, i + AS * n, n))
        move = mul(A, add(move, scale(o.ck, by_q)))
        turn = add(scale(o.cm, Bk), scale(o.cd, add(add(Hw, cross(w, Bk)), scale(2.0, DNk))))
        by_q = add(add(cross(Sk, a_B), mul(Hk, alpha)), sub(three(o.W, i + AN * n, n), three(o.W, i + AB * n, n)))
        by_q = add(by_q, add(mul(six(o.W, i + DH * n, n), w), cross(w, add(Hw, sub(DNk, DBk)))))
        turn = add(turn, scale(o.ck, by_q))
        row = add(tmul(T, add(scale(o.cm, Bk), scale(o.cd, sub(scale(2.0, DBk), Hw)))), scale(o.ck, cross(Sk, a_B)))
        push = mul(A, Sk)
        at, to, r = b.tab[table + 1 + k // 6], b.tab[table + tiles * (1 + k // 6)], k % 6
        for i in range(3):
            o.D[at, i, r] += move[i]
            o.D[at, 3 + i, r] += turn[i]
            o.D[to, r, i] += o.cm * push[i]
            o.D[to, r, 3 + i] += row[i]


@inlined
def second_column(b, o, e, k):
    """Column k of (C0 + X)^T P (cm X + 2 cd X' + ck X'') + cm X^T P C0, to FORCE"""
    base = o.W.size - SIZE * b.ip[e, N]
    n, pool, second, i, F = b.ip[e, N], b.ip[e, POOL], b.ip[e, SECOND], base + k, base + FORCE * b.ip[e, N]
    x = add(scale(o.cm, three(o.W, i + XS * n, n)), scale(2 * o.cd, three(o.W, i + DS * n, n)))
    y = add(scale(o.cm, three(o.W, i + XN * n, n)), scale(2 * o.cd, three(o.W, i + DN * n, n)))
    x, y = add(x, scale(o.ck, three(o.W, i + AS * n, n))), add(y, scale(o.ck, three(o.W, i + AN * n, n)))
    move, turn = rigid_part(b.val, second, x, y)
    g, h = rigid_part(b.val, second, scale(o.cm, three(b.val, pool + k, n)), scale(o.cm, three(b.val, pool + 3 * n + k, n)))
    for c in range(3):
        add_scaled(move[c], b.val, pool + c * n, o.W, F, n)
        add_scaled(turn[c], b.val, pool + (3 + c) * n, o.W, F, n)
        add_scaled(move[c] + g[c], o.W, base + (XS + c) * n, o.W, F, n)
        add_scaled(turn[c] + h[c], o.W, base + (XN + c) * n, o.W, F, n)


@inlined
def modal_tangent(s, b, o, e):
    """Tiles among the modes, column by column                                                            [modal-5]"""
    base = o.W.size - SIZE * b.ip[e, N]
    n, pool, second, iv, table, tiles = b.ip[e, N], b.ip[e, POOL], b.ip[e, SECOND], b.ip[e, IV], b.ip[e, TABLE], (b.ip[e, N] + 11) // 6
    w, alpha = vec(s.v, iv + 3), vec(s.a, iv + 3)
    a_B = tmul(rotation(s.q, b.ip[e, IQ] + 3), sub(vec(s.a, iv), vec(b.val, GRAVITY)))
    u, x, F = squares(w), add(scale(2 * o.cd, w), scale(o.ck, alpha)), base + FORCE * n
    if second >= 0:
        _, _, move, turn = second_accelerations(s, b, e, o.W)
        a_B, alpha = add(a_B, move), add(alpha, turn)
    for k in range(n):
        at = pool + (ROWS + PAIR * k) * n
        clear(o.W, F, n)
        for i in range(6):
            add_scaled(-0.5 * o.ck * u[i], b.val, at + i * n, o.W, F, n)
        for i in range(3):
            add_scaled(x[i], b.val, at + (6 + i) * n, o.W, F, n)
        add_scaled(o.cm, b.val, at + 9 * n, o.W, F, n)
        add_scaled(o.ck, b.val, at + 10 * n, o.W, F, n)
        add_scaled(o.cd, b.val, at + 11 * n, o.W, F, n)
        if second >= 0:
            at = second + HEAD_2 + PAIR_2 * k * n
            for i in range(3):
                add_scaled(o.ck * alpha[i], b.val, at + i * n, o.W, F, n)
                add_scaled(o.ck * a_B[i], b.val, at + (3 + i) * n, o.W, F, n)
            second_column(b, o, e, k)
        for t in range(tiles - 1):
            block = b.tab[table + tiles * (1 + t) + 1 + k // 6]
            for j in range(6 * t, min(6 * t + 6, n)):
                o.D[block, j - 6 * t, k % 6] += o.W[F + j]


@jit
def forces_tangent(s, b, o):
    """All derivatives of modal-2, those of M(q) a included"""
    forces(s, b, o)
    for e in range(b.first, b.last):
        iv = b.ip[e, IV]
        configure(s, b, e, o.W)
        rates_of(s, b, e, o.W)
        changes_of(s, b, e, o.W)
        c, J = centre(s, b, e, o.W), moments(s, b, e, o.W)
        rigid_tangent(s, b, o, e, c, J, pull_of_inertia(s, b, e, o.W, c, vec(s.v, iv + 3), vec(s.a, iv + 3)))
        coupling_tangent(s, b, o, e)
        modal_tangent(s, b, o, e)


@jit
def energy(s, b, o):
    """T of modal-1; potential - g.(m p + R c); elastic q.K q / 2                                          [modal-6]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, pool, iq, iv, m = b.ip[e, N], b.ip[e, POOL], b.ip[e, IQ], b.ip[e, IV], b.rp[e, MASS]
        configure(s, b, e, o.W)
        A, v, w = rotation(s.q, iq + 3), vec(s.v, iv), vec(s.v, iv + 3)
        c, c1 = centre(s, b, e, o.W), weighted(s.v, iv + 6, n, o.W, base + S * n)
        spin = add(mul(moments(s, b, e, o.W), w), scale(2.0, weighted(s.v, iv + 6, n, o.W, base + B * n)))
        o.E[KINETIC] += (m * dot(v, v) + dot(w, spin)) / 2 + dot(v, mul(A, add(cross(w, c), c1)))
        if b.ip[e, SECOND] >= 0:
            x, y = weighted(s.v, iv + 6, n, o.W, base + XS * n), weighted(s.v, iv + 6, n, o.W, base + XN * n)
            move, turn = rigid_part(b.val, b.ip[e, SECOND], x, y)
            first = weighted(s.v, iv + 6, n, b.val, pool), weighted(s.v, iv + 6, n, b.val, pool + 3 * n)
            o.E[KINETIC] += dot(add(first[0], scale(0.5, x)), move) + dot(add(first[1], scale(0.5, y)), turn)
        o.E[POTENTIAL] -= dot(g, add(scale(m, vec(s.q, iq)), mul(A, c)))
        for k in range(n):
            at = pool + (ROWS + PAIR * k + 9) * n
            for j in range(n):
                o.E[KINETIC] += s.v[iv + 6 + k] * b.val[at + j] * s.v[iv + 6 + j] / 2
                o.E[ELASTIC] += s.q[iq + 7 + k] * b.val[at + n + j] * s.q[iq + 7 + j] / 2


@jit
def power(s, b, o):
    """P = q'.D q'                                                                                        [modal-7]"""
    for e in range(b.first, b.last):
        n, iv = b.ip[e, N], b.ip[e, IV] + 6
        for k in range(n):
            at = b.ip[e, POOL] + (ROWS + PAIR * k + 11) * n
            for j in range(n):
                o.E[DISSIPATION] += s.v[iv + k] * b.val[at + j] * s.v[iv + j]


BODY = Family("modal body", act=Stage(residual=forces, tangent=forces_tangent, energy=energy, power=power))
