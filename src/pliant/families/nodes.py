"""Frames at nodes of a modal body: they move with the body's frame and with the modes. Equations: docs/theory/flexible_body.md

In body axes a node is displaced by d = sum_j q_j (psi_j + U_j) / 2 and turned by exp([r]), r = sum_j q_j (phi_j + Y_j) / 2, with
U_j = psi_j + sum_k q_k E_kj and Y_j = phi_j + sum_k q_k G_kj; the second-order shapes E and G are those of stiffening.  [node-1]
"""
from ..kernels.contract import TABLE, F, Family, M, Stage
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import add, cross, dot, left_tangent, left_tangent_change, mat2, matmul, mul, rotation, scale, tmul, vec, vec2
from ..kernels.vector_ops import add_rows, clear, copy
from .body_frames import body_columns, place, place_rates, pull_body, pull_turns, turn_columns
from .modal import three, weighted

IQ, IV, FRAME, JTILE, N, POOL, SECOND = index(1, 2, 3, 4, 5, 6, 7)  # ip, as of a rigid frame; modes, psi and phi in val, E and G (-1: none)
OFFSET, AXES = index(0, 3)                                          # rp: undeformed place and axes in the body
U, Y, DU, DY = index(0, 3, 6, 9)                                    # scratch, in rows of n numbers: U, Y, and sum_k q'_k E_k, G_k
SIZE = index(12)


@inlined
def shapes(s, b, e, W):
    """U, Y, DU, DY in scratch."""
    base = W.size - SIZE * b.ip[e, N]
    n, pool, second = b.ip[e, N], b.ip[e, POOL], b.ip[e, SECOND]
    copy(b.val, pool, W, base, 6 * n)
    clear(W, base + DU * n, 6 * n)
    if second >= 0:
        add_rows(s.q, b.ip[e, IQ] + 7, n, b.val, second, 6 * n, W, base, 6 * n)
        add_rows(s.v, b.ip[e, IV] + 6, n, b.val, second, 6 * n, W, base + DU * n, 6 * n)


@inlined
def deformed(s, b, e, W, part):
    """sum_j q_j (psi_j + U_j) / 2, or of phi and Y"""
    base = W.size - SIZE * b.ip[e, N]
    n, iq = b.ip[e, N], b.ip[e, IQ] + 7
    return scale(0.5, add(weighted(s.q, iq, n, b.val, b.ip[e, POOL] + part * n), weighted(s.q, iq, n, W, base + part * n)))


@jit
def push(s, b, o):
    """p_F = p + R u,  R_F = R exp([r]) R_BF,  v_F = v + R (w x u + u'),  w_F = R (w + T(r) r'),  u = u0 + d       [node-2]"""
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, iq, iv, f = b.ip[e, N], b.ip[e, IQ], b.ip[e, IV], b.ip[e, FRAME]
        shapes(s, b, e, o.W)
        u, r = add(vec2(b.rp, e, OFFSET), deformed(s, b, e, o.W, U)), deformed(s, b, e, o.W, Y)
        u1, r1 = weighted(s.v, iv + 6, n, o.W, base + U * n), weighted(s.v, iv + 6, n, o.W, base + Y * n)
        place(s, f, iq, iv, rotation(s.q, iq + 3), mat2(b.rp, e, AXES), u, r, u1, r1)


@jit
def push_tangent(s, b, o):
    """J = [1, -R [u], R U; 0, R, R T Y]                                                                  [node-3]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, t = b.ip[e, N], b.ip[e, JTILE]
        shapes(s, b, e, o.W)
        R, r = rotation(s.q, b.ip[e, IQ] + 3), deformed(s, b, e, o.W, Y)
        RT = matmul(R, left_tangent(r))
        body_columns(s, t, R, mul(R, add(vec2(b.rp, e, OFFSET), deformed(s, b, e, o.W, U))))
        for k in range(n):
            move, x = mul(R, three(o.W, base + U * n + k, n)), mul(RT, three(o.W, base + Y * n + k, n))
            for i in range(3):
                s.J[t + 1 + k // 6, i, k % 6] = move[i]
                s.J[t + 1 + k // 6, 3 + i, k % 6] = x[i]
        if b.fr[b.ip[e, FRAME], 2] == 1:
            velocity_change(s, b, o, e, R, r)


@inlined
def velocity_change(s, b, o, e, R, r):
    """L: by rotations -R [w x u + u'] and -R [w + T r'], by modes R (w x U_k + DU_k) and R (K Y_k + T DY_k)  [node-4]"""
    base = o.W.size - SIZE * b.ip[e, N]
    n, t, iv = b.ip[e, N], b.ip[e, JTILE], b.ip[e, IV]
    w, r1, T = vec(s.v, iv + 3), weighted(s.v, iv + 6, n, o.W, base + Y * n), left_tangent(r)
    u = add(vec2(b.rp, e, OFFSET), deformed(s, b, e, o.W, U))
    K = left_tangent_change(r, r1)
    turn_columns(s, t, R, add(cross(w, u), weighted(s.v, iv + 6, n, o.W, base + U * n)), add(w, mul(T, r1)))
    for k in range(n):
        move = mul(R, add(cross(w, three(o.W, base + U * n + k, n)), three(o.W, base + DU * n + k, n)))
        x = mul(R, add(mul(K, three(o.W, base + Y * n + k, n)), mul(T, three(o.W, base + DY * n + k, n))))
        for i in range(3):
            s.L[t + 1 + k // 6, i, k % 6] = move[i]
            s.L[t + 1 + k // 6, 3 + i, k % 6] = x[i]


@jit
def push_rates(s, b, o):
    """v_F' = v' + R (w' x u + w x (w x u + 2 u') + u''),  w_F' = R (w' + w x T r' + T r'' + K r')              [node-5]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, iq, iv, f = b.ip[e, N], b.ip[e, IQ], b.ip[e, IV] + 6, b.ip[e, FRAME]
        shapes(s, b, e, o.W)
        u, r = add(vec2(b.rp, e, OFFSET), deformed(s, b, e, o.W, U)), deformed(s, b, e, o.W, Y)
        u1, r1 = weighted(s.v, iv, n, o.W, base + U * n), weighted(s.v, iv, n, o.W, base + Y * n)
        u2 = add(weighted(s.a, iv, n, o.W, base + U * n), weighted(s.v, iv, n, o.W, base + DU * n))
        r2 = add(weighted(s.a, iv, n, o.W, base + Y * n), weighted(s.v, iv, n, o.W, base + DY * n))
        place_rates(s, f, iv - 6, rotation(s.q, iq + 3), u, r, u1, r1, u2, r2)


@jit
def pull(s, b, o):
    """R += J^T (force, moment)                                                                          [node-6]"""
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, iv, f = b.ip[e, N], b.ip[e, IV], b.ip[e, FRAME]
        shapes(s, b, e, o.W)
        u, r = add(vec2(b.rp, e, OFFSET), deformed(s, b, e, o.W, U)), deformed(s, b, e, o.W, Y)
        force, moment = pull_body(s, o, f, iv, rotation(s.q, b.ip[e, IQ] + 3), u)
        moment = tmul(left_tangent(r), moment)
        add_rows(force, 0, 3, o.W, base + U * n, n, o.R, iv + 6, n)
        add_rows(moment, 0, 3, o.W, base + Y * n, n, o.R, iv + 6, n)


@jit
def pull_tangent(s, b, o):
    """D += ck dJ^T/dq (force, moment); bars in body axes, m = T^T of the moment                               [node-7]
    turn-turn [u][f] + [m], turn-mode U_k x f, mode-turn U_j x f + T Y_j x m, mode-mode E_kj.f + G_kj.T^T m - Y_j.K(-r, m) Y_k"""
    pull(s, b, o)
    for e in range(b.first, b.last):
        base = o.W.size - SIZE * b.ip[e, N]
        n, f, table, tiles, second = b.ip[e, N], b.ip[e, FRAME], b.ip[e, TABLE], (b.ip[e, N] + 11) // 6, b.ip[e, SECOND]
        shapes(s, b, e, o.W)
        R, r = rotation(s.q, b.ip[e, IQ] + 3), deformed(s, b, e, o.W, Y)
        u, force, moment = add(vec2(b.rp, e, OFFSET), deformed(s, b, e, o.W, U)), tmul(R, vec2(s.X, f, F)), tmul(R, vec2(s.X, f, M))
        T, K = left_tangent(r), left_tangent_change(scale(-1.0, r), moment)
        pull_turns(o, b.tab[table], u, force, moment)
        turned = tmul(T, moment)
        for k in range(n):
            x, y = three(o.W, base + U * n + k, n), three(o.W, base + Y * n + k, n)
            bend, Ky = cross(x, force), mul(K, y)
            row = add(bend, cross(mul(T, y), moment))
            to, at = b.tab[table + tiles * (1 + k // 6)], b.tab[table + 1 + k // 6]
            for i in range(3):
                o.D[to, k % 6, 3 + i] += o.ck * row[i]
                o.D[at, 3 + i, k % 6] += o.ck * bend[i]
            for j in range(n):
                g = -dot(three(o.W, base + Y * n + j, n), Ky)
                if second >= 0:
                    g += dot(three(b.val, second + 6 * k * n + j, n), force) + dot(three(b.val, second + (6 * k + 3) * n + j, n), turned)
                o.D[b.tab[table + tiles * (1 + j // 6) + 1 + k // 6], j % 6, k % 6] += o.ck * g


FRAMES = Family("node", push=Stage(residual=push, tangent=push_tangent, rates=push_rates, energy=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent))
MARKERS = Family("node marker", push=Stage(rates=push_rates))  # frames that are only looked at
ACCELERATED = Family("accelerated node", push=Stage(residual=push_rates, tangent=push_rates))  # once more, for inertia on them
