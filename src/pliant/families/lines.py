"""Frames that slide along a line of nodes of a modal body. Their place s is a coordinate of its own, without inertia: what slides has it.
Equations: docs/theory/sliding.md

In body axes the frame is at u and turned by exp([r]), both splines of s whose values at the nodes are those of [node-1]:

    u = u0(s) + sum_j q_j (psi_j(s) + sum_k q_k E_kj(s) / 2),   r = rho(s) + sum_j q_j phi_j(s)                   [line-1]

With s as coordinate number n, U_j = du/dq_j and Y_j = dr/dq_j, all equations of nodes hold as they are; only what the second
derivatives of u and r are differs: E_kj among modes, U_j' and Y_j' between a mode and s, u'' and r'' of s alone.     [line-2]
"""
import numpy as np

from ..kernels.contract import AV, TABLE, F, Family, M, P, Stage, V
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import add, cross, dot, left_tangent, left_tangent_change, mat2, mul, rotation, scale, store2, tmul, vec, vec2
from ..kernels.vector_ops import add_rows, clear
from .body_frames import body_columns, place, place_rates, pull_body, pull_turns, release, turn_columns
from .modal import three

# ip: the body in q and v, frame, modes, tables in val, pieces of the splines, whether there is E, s in q and v, own numbers in W
IQ, IV, FRAME, N, POOL, PIECES, SECOND, SQ, SV, OWN = index(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
AXES = index(0)                     # rp: axes at the start of the line, in the body
POWERS = index(6)                   # of a piece: polynomials of degree 5
# In W, in rows of n + 1 numbers: U, Y; their derivatives by s; DU_k = sum_j q'_j u_kj, DY; then u, r (6); then values and two
# derivatives of the splines (3 (6 + 6 n)), of sum_k q_k E_k (3 times 3 n), a row of 3 n, and E (3 n^2).
U, Y, US, YS, DU, DY, PLACE = index(0, 3, 6, 9, 12, 15, 18)
BEYOND = 0.02                       # of the length: how far beyond its ends a line goes on

# Tables: length; knots; then for every piece and power: u0, rho (6) | psi, phi (6 n) | for every k: E (3 n) if there is E.


def memory(n: int) -> int:
    """Numbers in W."""
    return 18 * (n + 1) + 6 + 3 * (6 + 6 * n) + 12 * n + 3 * n * n


@jit
def piece(b, e, s):
    """The piece of the line that s is in. Beyond the ends the outer ones go on a little."""
    knots, last = b.ip[e, POOL] + 1, b.ip[e, PIECES]
    k = 0
    while k < last - 1 and s.real >= b.val[knots + k + 1].real:
        k += 1
    return k


@inlined
def spot(s, b, e, W):
    """The place s of the frame, and how fast it slides."""
    return s.q[b.ip[e, SQ]], s.v[b.ip[e, SV]]


@inlined
def columns(b, e):
    """What moves the frame on the body: its modes, and s as the last one."""
    return b.ip[e, N] + 1


@inlined
def raise_power(x, W, at, m, y, i):
    """A step of Horner's rule for m polynomials, their first and second derivatives, in W[at:]; y[i:] are the coefficients."""
    f, g, h = at, at + m, at + 2 * m
    for j in range(m):
        W[h + j] = W[h + j] * x + 2 * W[g + j]
        W[g + j] = W[g + j] * x + W[f + j]
        W[f + j] = W[f + j] * x + y[i + j]


@jit
def splines(s, b, e, W, at):
    """Values and derivatives of all splines at s, in W[at:]: first of u0, rho, psi, phi, then of sum_k q_k E_k; a row of 3 n; E."""
    n, (place, _), iq = b.ip[e, N], spot(s, b, e, W), b.ip[e, IQ] + 7
    k = piece(b, e, place)
    knots, last, second, first = b.ip[e, POOL] + 1, b.ip[e, PIECES], b.ip[e, SECOND] == 1, 6 + 6 * n
    width, beyond, x = first + (3 * n * n if second else 0 * n), BEYOND * b.val[b.ip[e, POOL]].real, place - b.val[knots + k]
    if not (b.val[knots].real - beyond <= place.real <= b.val[knots + last].real + beyond):
        x = x * np.nan
    curved, row, E = at + 3 * first, at + 3 * first + 9 * n, at + 3 * first + 12 * n
    clear(W, at, 3 * first + 12 * n + 3 * n * n)
    for p in range(POWERS - 1, -1, -1):
        c = knots + last + 1 + (k * POWERS + p) * width
        raise_power(x, W, at, first, b.val, c)
        if second:
            clear(W, row, 3 * n)
            add_rows(s.q, iq, n, b.val, c + first, 3 * n, W, row, 3 * n)
            raise_power(x, W, curved, 3 * n, W, row)
            for j in range(3 * n * n):
                W[E + j] = W[E + j] * x + b.val[c + first + j]


@jit
def shapes(s, b, e, W):
    """U, Y, US, YS, DU, DY, and u and r, in W.                                                        [line-1], [line-2]"""
    n, c, base, iq, iv, (_, rate) = b.ip[e, N], b.ip[e, N] + 1, b.ip[e, OWN], b.ip[e, IQ] + 7, b.ip[e, IV] + 6, spot(s, b, e, W)
    G, m = base + PLACE * c + 6, 6 + 6 * n
    splines(s, b, e, W, G)
    H, E = G + 3 * m, G + 3 * m + 12 * n
    for i in range(6):
        f0, f1, f2, d = W[G + i], W[G + m + i], W[G + 2 * m + i], 0 * rate
        for j in range(n):
            k, l = G + 6 + i * n + j, H + i * n + j
            h0, h1, h2 = (W[l], W[l + 3 * n], W[l + 6 * n]) if i < 3 else (0 * rate, 0 * rate, 0 * rate)
            q, y = s.q[iq + j], W[k + m] + h1
            W[base + (U + i) * c + j], W[base + (US + i) * c + j], W[base + (DU + i) * c + j] = W[k] + h0, y, rate * y
            f0, f1, f2 = f0 + q * (W[k] + h0 / 2), f1 + q * (W[k + m] + h1 / 2), f2 + q * (W[k + 2 * m] + h2 / 2)
            d += s.v[iv + j] * y
        W[base + PLACE * c + i], W[base + (U + i) * c + n], W[base + (US + i) * c + n] = f0, f1, f2
        W[base + (DU + i) * c + n] = d + rate * f2
    if b.ip[e, SECOND] == 1:
        for i in range(3):
            add_rows(s.v, iv, n, W, E + i * n, 3 * n, W, base + (DU + i) * c, n)


@inlined
def sum_of(x, iv, at, W, base, n):
    """sum_k x_k W_k over modes and s"""
    y = scale(x[at], three(W, base + n, n + 1))
    for k in range(n):
        y = add(y, scale(x[iv + k], three(W, base + k, n + 1)))
    return y


@jit
def push(s, b, o):
    """[node-2] with [line-1]"""
    for e in range(b.first, b.last):
        n, c, base, iq, iv, f = b.ip[e, N], b.ip[e, N] + 1, b.ip[e, OWN], b.ip[e, IQ], b.ip[e, IV], b.ip[e, FRAME]
        shapes(s, b, e, o.W)
        u, r, at = vec(o.W, base + PLACE * c), vec(o.W, base + PLACE * c + 3), b.ip[e, SV]
        u1, r1 = sum_of(s.v, iv + 6, at, o.W, base + U * c, n), sum_of(s.v, iv + 6, at, o.W, base + Y * c, n)
        place(s, f, iq, iv, rotation(s.q, iq + 3), mat2(b.rp, e, AXES), u, r, u1, r1)


@jit
def push_tangent(s, b, o):
    """J of [node-3] and L of [node-4], with a column for s in the last tile"""
    push(s, b, o)
    for e in range(b.first, b.last):
        n, c, base, iv = b.ip[e, N], b.ip[e, N] + 1, b.ip[e, OWN], b.ip[e, IV]
        t, last = b.fr[b.ip[e, FRAME], 1], b.fr[b.ip[e, FRAME], 0] - 1
        R, w = rotation(s.q, b.ip[e, IQ] + 3), vec(s.v, iv + 3)
        u, r = vec(o.W, base + PLACE * c), vec(o.W, base + PLACE * c + 3)
        T, velocity = left_tangent(r), b.fr[b.ip[e, FRAME], 2] == 1
        u1, r1 = sum_of(s.v, iv + 6, b.ip[e, SV], o.W, base + U * c, n), sum_of(s.v, iv + 6, b.ip[e, SV], o.W, base + Y * c, n)
        K = left_tangent_change(r, r1)
        body_columns(s, t, R, mul(R, u))
        if velocity:
            turn_columns(s, t, R, add(cross(w, u), u1), add(w, mul(T, r1)))
        for k in range(columns(b, e)):
            tile, col = (t + 1 + k // 6, k % 6) if k < n else (t + last, 0 * k)
            Uk, Yk = three(o.W, base + U * c + k, c), three(o.W, base + Y * c + k, c)
            move, x = mul(R, Uk), mul(R, mul(T, Yk))
            bent = mul(R, add(cross(w, Uk), three(o.W, base + DU * c + k, c)))
            turned = mul(R, add(mul(K, Yk), mul(T, three(o.W, base + DY * c + k, c))))
            for i in range(3):
                s.J[tile, i, col], s.J[tile, 3 + i, col] = move[i], x[i]
                if velocity:
                    s.L[tile, i, col], s.L[tile, 3 + i, col] = bent[i], turned[i]


@jit
def push_rates(s, b, o):
    """[node-5] with u'' = sum_k U_k q_k'' + DU_k q_k', of s as well"""
    push(s, b, o)
    for e in range(b.first, b.last):
        n, c, base, iv, f, at = b.ip[e, N], b.ip[e, N] + 1, b.ip[e, OWN], b.ip[e, IV] + 6, b.ip[e, FRAME], b.ip[e, SV]
        u, r = vec(o.W, base + PLACE * c), vec(o.W, base + PLACE * c + 3)
        u1, r1 = sum_of(s.v, iv, at, o.W, base + U * c, n), sum_of(s.v, iv, at, o.W, base + Y * c, n)
        u2 = add(sum_of(s.a, iv, at, o.W, base + U * c, n), sum_of(s.v, iv, at, o.W, base + DU * c, n))
        r2 = add(sum_of(s.a, iv, at, o.W, base + Y * c, n), sum_of(s.v, iv, at, o.W, base + DY * c, n))
        place_rates(s, f, iv - 6, rotation(s.q, b.ip[e, IQ] + 3), u, r, u1, r1, u2, r2)


@jit
def pull(s, b, o):
    """R += J^T (force, moment), [node-6]"""
    for e in range(b.first, b.last):
        n, c, base, iv, f = b.ip[e, N], b.ip[e, N] + 1, b.ip[e, OWN], b.ip[e, IV], b.ip[e, FRAME]
        u, r = vec(o.W, base + PLACE * c), vec(o.W, base + PLACE * c + 3)
        force, moment = pull_body(s, o, f, iv, rotation(s.q, b.ip[e, IQ] + 3), u)
        moment = tmul(left_tangent(r), moment)
        for k in range(columns(b, e)):
            to = iv + 6 + k if k < n else b.ip[e, SV]
            o.R[to] += dot(three(o.W, base + U * c + k, c), force) + dot(three(o.W, base + Y * c + k, c), moment)


@jit
def pull_tangent(s, b, o):
    """D += ck dJ^T/dq (force, moment), [node-7] with the second derivatives of [line-2]"""
    pull(s, b, o)
    for e in range(b.first, b.last):
        n, c, base, f, table, tiles = b.ip[e, N], b.ip[e, N] + 1, b.ip[e, OWN], b.ip[e, FRAME], b.ip[e, TABLE], b.fr[b.ip[e, FRAME], 0]
        R, E = rotation(s.q, b.ip[e, IQ] + 3), base + PLACE * c + 6 + 3 * (6 + 6 * n) + 12 * n
        u, r = vec(o.W, base + PLACE * c), vec(o.W, base + PLACE * c + 3)
        force, moment = tmul(R, vec2(s.X, f, F)), tmul(R, vec2(s.X, f, M))
        T, K = left_tangent(r), left_tangent_change(scale(-1.0, r), moment)
        turned = tmul(T, moment)
        pull_turns(o, b.tab[table], u, force, moment)
        for k in range(columns(b, e)):
            Uk, Yk, tile, col = three(o.W, base + U * c + k, c), three(o.W, base + Y * c + k, c), tiles - 1, 0 * k
            if k < n:
                tile, col = 1 + k // 6, k % 6
            bend, Ky = cross(Uk, force), mul(K, Yk)
            row = add(bend, cross(mul(T, Yk), moment))
            for i in range(3):
                o.D[b.tab[table + tiles * tile], col, 3 + i] += o.ck * row[i]
                o.D[b.tab[table + tile], 3 + i, col] += o.ck * bend[i]
            for j in range(columns(b, e)):
                g = -dot(three(o.W, base + Y * c + j, c), Ky)
                if k == n or j == n:
                    l = j if k == n else k
                    g += dot(three(o.W, base + US * c + l, c), force) + dot(three(o.W, base + YS * c + l, c), turned)
                elif b.ip[e, SECOND] == 1:
                    g += dot(three(o.W, E + 3 * n * k + j, n), force)
                to, column_ = (1 + j // 6, j % 6) if j < n else (tiles - 1, 0 * j)
                o.D[b.tab[table + tiles * to + tile], column_, col] += o.ck * g


# -- the place as a length: a frame at (0, 0, s) of the world, which drives, springs and gears of its displacement act on
COUNT_Q, COUNT_V, COUNT, COUNT_J = index(1, 2, 3, 4)  # ip: s in q and v, frame, its tile in J


@jit
def counter(s, b, o):
    """p = (0, 0, s)                                                                                      [line-3]"""
    none = 0 * s.H[0], 0 * s.H[0]
    for e in range(b.first, b.last):
        f = b.ip[e, COUNT]
        store2((none[0], none[1], s.q[b.ip[e, COUNT_Q]]), s.X, f, P)
        store2((none[0], none[1], s.v[b.ip[e, COUNT_V]]), s.X, f, V)
        release(s, f)


@jit
def counter_tangent(s, b, o):
    counter(s, b, o)
    for e in range(b.first, b.last):
        s.J[b.ip[e, COUNT_J], 2, 0] = 1.0


@jit
def counter_rates(s, b, o):
    counter(s, b, o)
    for e in range(b.first, b.last):
        s.X[b.ip[e, COUNT], AV + 2] = s.a[b.ip[e, COUNT_V]]


@jit
def counter_pull(s, b, o):
    for e in range(b.first, b.last):
        o.R[b.ip[e, COUNT_V]] += s.X[b.ip[e, COUNT], F + 2]


FRAMES = Family("line", push=Stage(residual=push, tangent=push_tangent, rates=push_rates, energy=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent))
COUNTERS = Family("counter", push=Stage(residual=counter, tangent=counter_tangent, rates=counter_rates, energy=counter, power=counter),
                  pull=Stage(residual=counter_pull, tangent=counter_pull))
