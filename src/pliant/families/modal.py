"""Flexible bodies with modes in a floating frame: inertia, elasticity and damping. Equations: docs/theory/flexible_body.md

Coordinates: origin p and axes R of the body-fixed frame, n modal coordinates q. Inertia terms follow from the kinetic energy
T = m v.v / 2 + v.R (w x c + S q') + w.J w / 2 + w.B q' + q'.M q' / 2  with, by modal coordinate j,                [modal-1]

    c = c0 + S q     B_j = B0_j + sum_k q_k B1_kj     dJ/dq_j = H_j = H0_j + sum_k q_k H2_kj

B1 is antisymmetric in k and j. What stiffens when the body turns is a part of H2.
"""
from ..kernels.contract import DISSIPATION, ELASTIC, GRAVITY, KINETIC, POTENTIAL, TABLE, Family, Stage
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import accumulate, add, column, cross, dot, mat2, mul, rotation, scale, sub, tmul, vec, vec2
from ..kernels.vector_ops import add_rows, clear, copy

IQ, IV, N, POOL = index(1, 2, 3, 4)      # ip: place in q and v, modes, tables in val
MASS, CENTRE, INERTIA = index(0, 1, 4)   # rp: m, c0, J0 (xx yy zz xy xz yz, as all symmetric matrices here)
# Tables, each row of n numbers: S 3 | B0 3 | H0 6 | then for every k: H2 6 | B1 3 | M 1 | K 1 | D 1.
ROWS, PAIR = index(12, 12)
# Scratch, in rows of n numbers: H, B now; what q' and q'' make of the tables; a row of forces.
H, B, DH, DB, AB, FORCE = index(0, 6, 9, 15, 18, 21)
SIZE = index(22)


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
def squares(f, w):
    """u with f w.A w = sum u_i A_i over the six components of a symmetric matrix."""
    x, y, z = scale(f, w)
    return x * w[0], y * w[1], z * w[2], 2 * x * w[1], 2 * x * w[2], 2 * y * w[2]


@inlined
def configure(s, b, e, W):
    """H and B at the current q, in scratch."""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, iq = b.ip[e, N], b.ip[e, POOL], b.ip[e, IQ] + 7
    copy(b.val, pool + 3 * n, W, base + B * n, 3 * n)
    copy(b.val, pool + 6 * n, W, base + H * n, 6 * n)
    add_rows(s.q, iq, n, b.val, pool + ROWS * n, PAIR * n, W, base, 9 * n)


@inlined
def rates_of(s, b, e, W):
    """DB = sum q'_k B1_k, in scratch."""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, IV] + 6
    clear(W, base + DB * n, 3 * n)
    add_rows(s.v, iv, n, b.val, pool + (ROWS + 6) * n, PAIR * n, W, base + DB * n, 3 * n)


@inlined
def changes_of(s, b, e, W):
    """For the tangent: DH = sum q'_k H2_k, AB = sum q''_k B1_k."""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, IV] + 6
    clear(W, base + DH * n, 6 * n)
    clear(W, base + AB * n, 3 * n)
    add_rows(s.v, iv, n, b.val, pool + ROWS * n, PAIR * n, W, base + DH * n, 6 * n)
    add_rows(s.a, iv, n, b.val, pool + (ROWS + 6) * n, PAIR * n, W, base + AB * n, 3 * n)


@inlined
def weighted(x, i, n, W, k):
    """sum_j x_j times the vectors at W[k:]"""
    a = b = c = 0 * x[0]
    for j in range(n):
        f = x[i + j]
        a, b, c = a + f * W[k + j], b + f * W[k + n + j], c + f * W[k + 2 * n + j]
    return a, b, c


@inlined
def centre(s, b, e):
    """c = c0 + S q"""
    return add(vec2(b.rp, e, CENTRE), weighted(s.q, b.ip[e, IQ] + 7, b.ip[e, N], b.val, b.ip[e, POOL]))


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
def turning(s, b, e, W):
    """J' = sum_j q'_j H_j"""
    base = W.size - SIZE * b.ip[e, N]
    n, iv, k = b.ip[e, N], b.ip[e, IV] + 6, base + H * b.ip[e, N]
    a, d = weighted(s.v, iv, n, W, k), weighted(s.v, iv, n, W, k + 3 * n)
    return symmetric((a[0], a[1], a[2], d[0], d[1], d[2]))


@inlined
def pull_of_inertia(s, b, e, c, w, alpha):
    """f of modal-2: w' x c + w x (w x c + 2 S q') + S q''"""
    n, pool, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, IV] + 6
    f = add(cross(alpha, c), cross(w, add(cross(w, c), scale(2.0, weighted(s.v, iv, n, b.val, pool)))))
    return add(f, weighted(s.a, iv, n, b.val, pool))


@jit
def forces(s, b, o):
    """R += [m (a - g) + R f,  c x (a - g) + J w' + B q'' + J' w + w x (J w + B q'),
    S_j.(a - g) + B_j.w' + 2 w.B1' q' - w.H_j w / 2 + M q'' + K q + D q']  with a - g in body axes   [modal-2]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, pool, iq, iv = b.ip[e, N], b.ip[e, POOL], b.ip[e, IQ], b.ip[e, IV]
        configure(s, b, e, o.W)
        rates_of(s, b, e, o.W)
        A, w, alpha, a = rotation(s.q, iq + 3), vec(s.v, iv + 3), vec(s.a, iv + 3), sub(vec(s.a, iv), g)
        a_B, c, J = tmul(A, a), centre(s, b, e), moments(s, b, e, o.W)
        accumulate(1.0, add(scale(b.rp[e, MASS], a), mul(A, pull_of_inertia(s, b, e, c, w, alpha))), o.R, iv)
        Bv, Ba = weighted(s.v, iv + 6, n, o.W, base + B * n), weighted(s.a, iv + 6, n, o.W, base + B * n)
        moment = add(cross(c, a_B), add(mul(J, alpha), add(Ba, mul(turning(s, b, e, o.W), w))))
        accumulate(1.0, add(moment, cross(w, add(mul(J, w), Bv))), o.R, iv + 3)
        F = base + FORCE * n
        clear(o.W, F, n)
        masses = pool + (ROWS + 9) * n
        add_rows(s.a, iv + 6, n, b.val, masses, PAIR * n, o.W, F, n)
        add_rows(s.q, iq + 7, n, b.val, masses + n, PAIR * n, o.W, F, n)
        add_rows(s.v, iv + 6, n, b.val, masses + 2 * n, PAIR * n, o.W, F, n)
        add_rows(squares(-0.5, w), 0, 6, o.W, base + H * n, n, o.W, F, n)
        add_rows(a_B, 0, 3, b.val, pool, n, o.W, F, n)
        add_rows(alpha, 0, 3, o.W, base + B * n, n, o.W, F, n)
        add_rows(scale(2.0, w), 0, 3, o.W, base + DB * n, n, o.W, F, n)
        for j in range(n):
            o.R[iv + 6 + j] += o.W[F + j]


@inlined
def rigid_tangent(s, b, o, e, c, J, f):
    """The tile of the frame's own motion                                                                 [modal-3]"""
    base = o.W.size - SIZE * b.ip[e, N]
    n, iv, k = b.ip[e, N], b.ip[e, IV], b.tab[b.ip[e, TABLE]]
    A, w, T = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv + 3), mat2(s.T, iv // 6, 0)
    a_B = tmul(A, sub(vec(s.a, iv), vec(b.val, GRAVITY)))
    c1, J1 = weighted(s.v, iv + 6, n, b.val, b.ip[e, POOL]), turning(s, b, e, o.W)
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
    n, iv, table, tiles, pool = b.ip[e, N], b.ip[e, IV], b.ip[e, TABLE], (b.ip[e, N] + 11) // 6, b.ip[e, POOL]
    A, w, alpha, T = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv + 3), vec(s.a, iv + 3), mat2(s.T, iv // 6, 0)
    a_B = tmul(A, sub(vec(s.a, iv), vec(b.val, GRAVITY)))
    for k in range(n):
        i = base + k
        Sk, Bk, Hk, DBk = three(b.val, pool + k, n), three(o.W, i + B * n, n), six(o.W, i + H * n, n), three(o.W, i + DB * n, n)
        Hw, wS = mul(Hk, w), cross(w, Sk)
        move = add(scale(o.cm, Sk), scale(2 * o.cd, wS))
        move = mul(A, add(move, scale(o.ck, add(cross(alpha, Sk), cross(w, wS)))))
        turn = add(scale(o.cm, Bk), scale(o.cd, add(Hw, cross(w, Bk))))
        by_q = add(cross(Sk, a_B), sub(mul(Hk, alpha), three(o.W, i + AB * n, n)))
        by_q = add(by_q, add(mul(six(o.W, i + DH * n, n), w), cross(w, sub(Hw, DBk))))
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
def modal_tangent(s, b, o, e):
    """Tiles among the modes, column by column                                                            [modal-5]"""
    base = o.W.size - SIZE * b.ip[e, N]
    n, pool, iv, table, tiles = b.ip[e, N], b.ip[e, POOL], b.ip[e, IV], b.ip[e, TABLE], (b.ip[e, N] + 11) // 6
    w, alpha = vec(s.v, iv + 3), vec(s.a, iv + 3)
    u, x, F = squares(-0.5 * o.ck, w), add(scale(2 * o.cd, w), scale(o.ck, alpha)), base + FORCE * n
    factors = u[0], u[1], u[2], u[3], u[4], u[5], x[0], x[1], x[2], o.cm, o.ck, o.cd
    for k in range(n):
        clear(o.W, F, n)
        add_rows(factors, 0, PAIR, b.val, pool + (ROWS + PAIR * k) * n, n, o.W, F, n)
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
        c, J = centre(s, b, e), moments(s, b, e, o.W)
        rigid_tangent(s, b, o, e, c, J, pull_of_inertia(s, b, e, c, vec(s.v, iv + 3), vec(s.a, iv + 3)))
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
        c, c1 = centre(s, b, e), weighted(s.v, iv + 6, n, b.val, pool)
        spin = add(mul(moments(s, b, e, o.W), w), scale(2.0, weighted(s.v, iv + 6, n, o.W, base + B * n)))
        o.E[KINETIC] += (m * dot(v, v) + dot(w, spin)) / 2 + dot(v, mul(A, add(cross(w, c), c1)))
        o.E[POTENTIAL] -= dot(g, add(scale(m, vec(s.q, iq)), mul(A, c)))
        for k in range(n):
            at = pool + (ROWS + PAIR * k + 9) * n
            for j in range(n):
                o.E[KINETIC] += s.v[iv + 6 + k] * b.val[at + j] * s.v[iv + 6 + j] / 2
                o.E[ELASTIC] += s.q[iq + 7 + k] * b.val[at + n + j] * s.q[iq + 7 + j] / 2


@jit
def power(s, b, o):
    """q'.D q' is lost                                                                                    [modal-7]"""
    for e in range(b.first, b.last):
        n, iv = b.ip[e, N], b.ip[e, IV] + 6
        for k in range(n):
            at = b.ip[e, POOL] + (ROWS + PAIR * k + 11) * n
            for j in range(n):
                o.E[DISSIPATION] += s.v[iv + k] * b.val[at + j] * s.v[iv + j]


BODY = Family("modal body", act=Stage(residual=forces, tangent=forces_tangent, energy=energy, power=power), elastic=True)
