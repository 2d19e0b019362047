"""Beams with absolute nodal coordinates and sections that deform: a node is r, r_x, r_y, r_z, linear, in two tiles. docs/theory/beams.md

r(x, y, z) = r(x) + y r_y(x) + z r_z(x), cubic along the axis with r_x, linear in r_y and r_z; a = dr/dx, b = r_y, c = r_z;
strains of Green, split into those of the axis and the rest.                                                          [slope-1]
"""
from ..kernels.contract import DISSIPATION, ELASTIC, GRAVITY, KINETIC, POTENTIAL, TABLE, Family, Stage
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import accumulate, add, dot, scale, vec
from .ancf_cable import M11, M12, M13, M14, M22, M24, first, four

QA, VA, QB, VB, POOL = index(1, 2, 3, 4, 5)        # ip: places of two nodes of 12 coordinates; strains as modelled in val, 6 x 4, 3 x 8
LENGTH, LAME, SHEAR, FACTOR, WIDTH, HEIGHT, DAMPING, TORSION = index(0, 1, 2, 3, 4, 5, 6, 7)  # rp: L, lambda, mu, k, extents, tau, k_t
MASS, SECOND_Y, SECOND_Z = index(1, 2, 3)          # rp of inertia: rho A L, rho L int y^2, rho L int z^2
GRADIENT, RATE, STRESS = index(64, 208, 352)       # scratch: derivatives of six strains by 24 coordinates, of their rates, C times both
NODES, SIZE = index(8, 24)                         # vectors and coordinates of an element
ROOT = 0.5773502691896258                          # 1/sqrt(3): two Gauss points


@inlined
def axis(x, L, y, z):
    """What the eight vectors r, r_x, r_y, r_z of A and B are multiplied with in a; in b and c it is 1 - x and x of their own"""
    N = first(x, L)
    return N[0], N[1], -y / L, -z / L, N[2], N[3], y / L, z / L


@inlined
def along(q, i, j, N):
    """a from the coordinates of the nodes at i and j"""
    u = add(add(scale(N[0], vec(q, i)), scale(N[1], vec(q, i + 3))), add(scale(N[2], vec(q, i + 6)), scale(N[3], vec(q, i + 9))))
    v = add(add(scale(N[4], vec(q, j)), scale(N[5], vec(q, j + 3))), add(scale(N[6], vec(q, j + 6)), scale(N[7], vec(q, j + 9))))
    return add(u, v)


@inlined
def across(q, i, j, x, k):
    """b (k = 6) or c (k = 9)"""
    return add(scale(1 - x, vec(q, i + k)), scale(x, vec(q, j + k)))


@inlined
def put_gradient(W, at, N, a, x, k, b):
    """W[at:] = the derivative of a.b by the coordinates, where ``a`` has the factors N and ``b`` is b, c (k = 2, 3) or nothing else (0)"""
    for n in range(NODES):
        f = N[n]
        g = ((1 - x) if n < 4 else x) * (1.0 if n % 4 == k else 0.0) if k > 0 else 0.0
        for i in range(3):
            W[at + 3 * n + i] = f * b[i] + g * a[i]


@inlined
def put_across(W, at, x, k, l, b, c):
    """The same of b.c, of b with k and c with l"""
    for n in range(NODES):
        f = (1 - x) if n < 4 else x
        g, h = f * (1.0 if n % 4 == k else 0.0), f * (1.0 if n % 4 == l else 0.0)
        for i in range(3):
            W[at + 3 * n + i] = g * c[i] + h * b[i]


@inlined
def axis_gradients(W, at, N, x, a, b, c):
    """Derivatives of E_11, E_22, E_33, 2 E_12, 2 E_13, 2 E_23 on the axis                                            [slope-2]"""
    put_gradient(W, at, N, a, x, 0, a)
    put_across(W, at + SIZE, x, 2, 2, scale(0.5, b), scale(0.5, b))
    put_across(W, at + 2 * SIZE, x, 3, 3, scale(0.5, c), scale(0.5, c))
    put_gradient(W, at + 3 * SIZE, N, a, x, 2, b)
    put_gradient(W, at + 4 * SIZE, N, a, x, 3, c)
    put_across(W, at + 5 * SIZE, x, 2, 3, b, c)


@inlined
def rest_gradients(W, at, N, M, x, a, d, b, c):
    """Derivatives of what E_11, 2 E_12, 2 E_13 are more beside the axis: d = a - a on the axis, with factors N - M     [slope-3]"""
    K = N[0] - M[0], N[1] - M[1], N[2] - M[2], N[3] - M[3], N[4] - M[4], N[5] - M[5], N[6] - M[6], N[7] - M[7]
    for n in range(NODES):
        f, g = N[n], K[n]
        for i in range(3):
            W[at + 3 * n + i] = f * d[i] + g * (a[i] - d[i])
    put_gradient(W, at + SIZE, K, d, x, 2, b)
    put_gradient(W, at + 2 * SIZE, K, d, x, 3, c)


@inlined
def axis_strains(a, b, c):
    return dot(a, a) / 2, dot(b, b) / 2, dot(c, c) / 2, dot(a, b), dot(a, c), dot(b, c)


@inlined
def axis_stress(b, e, E):
    """lambda tr E + 2 mu E on the axis, shear across the axis with k"""
    l, m, k = b.rp[e, LAME], b.rp[e, SHEAR], b.rp[e, FACTOR]
    t = l * (E[0] + E[1] + E[2])
    return t + 2 * m * E[0], t + 2 * m * E[1], t + 2 * m * E[2], k * m * E[3], k * m * E[4], m * E[5]


@inlined
def young(b, e):
    l, m = b.rp[e, LAME], b.rp[e, SHEAR]
    return m * (3 * l + 2 * m) / (l + m)


@inlined
def side(p):
    """xi, y and z of eight points, as parts of L and the extents"""
    return 0.5 + 0.5 * ROOT * (2 * (p // 4) - 1), 0.5 * ROOT * (2 * (p // 2 % 2) - 1), 0.5 * ROOT * (2 * (p % 2) - 1)


@inlined
def strains_at(s, b, e, p, W):
    """Point p of twelve, four on the axis and eight beside it: strains over those as modelled and their rates, with gradients in
    scratch; its weight; how many strains. Of three, the last three of six are zero."""
    L, qa, qb, va, vb, k = b.rp[e, LENGTH], b.ip[e, QA], b.ip[e, QB], b.ip[e, VA], b.ip[e, VB], b.ip[e, POOL]
    o = 0 * L
    if p < 4:
        x, weight = four(p)
        N = axis(x, L, o, o)
        a, c, d = along(s.q, qa, qb, N), across(s.q, qa, qb, x, 6), across(s.q, qa, qb, x, 9)
        u, v, w = along(s.v, va, vb, N), across(s.v, va, vb, x, 6), across(s.v, va, vb, x, 9)
        axis_gradients(W, GRADIENT, N, x, a, c, d)
        axis_gradients(W, RATE, N, x, u, v, w)
        E, i = axis_strains(a, c, d), k + 6 * p
        E = (E[0] - b.val[i], E[1] - b.val[i + 1], E[2] - b.val[i + 2], E[3] - b.val[i + 3], E[4] - b.val[i + 4], E[5] - b.val[i + 5])
        rate = dot(a, u), dot(c, v), dot(d, w), dot(a, v) + dot(u, c), dot(a, w) + dot(u, d), dot(c, w) + dot(v, d)
        return E, rate, weight * L * b.rp[e, WIDTH] * b.rp[e, HEIGHT], 6
    x, y, z = side(p - 4)
    N, M = axis(x, L, y * b.rp[e, WIDTH], z * b.rp[e, HEIGHT]), axis(x, L, o, o)
    a, c, d = along(s.q, qa, qb, N), across(s.q, qa, qb, x, 6), across(s.q, qa, qb, x, 9)
    u, v, w = along(s.v, va, vb, N), across(s.v, va, vb, x, 6), across(s.v, va, vb, x, 9)
    a0, u0 = along(s.q, qa, qb, M), along(s.v, va, vb, M)
    f, g = add(a, scale(-1.0, a0)), add(u, scale(-1.0, u0))
    rest_gradients(W, GRADIENT, N, M, x, a, f, c, d)
    rest_gradients(W, RATE, N, M, x, u, g, v, w)
    i = k + 24 + 3 * (p - 4)
    E = ((dot(a, a) - dot(a0, a0)) / 2 - b.val[i], dot(f, c) - b.val[i + 1], dot(f, d) - b.val[i + 2], o, o, o)
    rate = dot(a, u) - dot(a0, u0), dot(f, v) + dot(g, c), dot(f, w) + dot(g, d), o, o, o
    return E, rate, L * b.rp[e, WIDTH] * b.rp[e, HEIGHT] / 8, 3


@inlined
def stress_of(b, e, E, count):
    """Of six strains on the axis, or of three beside it, where Poisson's ratio is zero                              [slope-4]"""
    if count == 6:
        return axis_stress(b, e, E)
    m = b.rp[e, SHEAR] * b.rp[e, TORSION]
    return young(b, e) * E[0], m * E[1], m * E[2], 0 * E[0], 0 * E[0], 0 * E[0]


@inlined
def mixed(E, f, rate):
    return E[0] + f * rate[0], E[1] + f * rate[1], E[2] + f * rate[2], E[3] + f * rate[3], E[4] + f * rate[4], E[5] + f * rate[5]


@jit
def elastic(s, b, o):
    """R += sum over points of w S dE/dX, S of E + tau E'                                                             [slope-5]"""
    for e in range(b.first, b.last):
        for p in range(12):
            E, rate, weight, count = strains_at(s, b, e, p, o.W)
            S = stress_of(b, e, mixed(E, b.rp[e, DAMPING], rate), count)
            for k in range(count):
                f = weight * S[k]
                for i in range(12):
                    o.R[b.ip[e, VA] + i] += f * o.W[GRADIENT + SIZE * k + i]
                    o.R[b.ip[e, VB] + i] += f * o.W[GRADIENT + SIZE * k + 12 + i]


@inlined
def pair_of(N, M, x, p, S, n, m):
    """Of S d2E/dX2 the factor of the unit matrix between the vectors n and m of the nodes; N and M: factors in a and in a on the axis"""
    f, g = (1 - x) if n < 4 else x, (1 - x) if m < 4 else x
    bn, cn, bm, cm = f * (n % 4 == 2), f * (n % 4 == 3), g * (m % 4 == 2), g * (m % 4 == 3)
    if p < 4:
        shear = S[3] * (N[n] * bm + bn * N[m]) + S[4] * (N[n] * cm + cn * N[m]) + S[5] * (bn * cm + cn * bm)
        return S[0] * N[n] * N[m] + S[1] * bn * bm + S[2] * cn * cm + shear
    h, i = N[n] - M[n], N[m] - M[m]
    return S[0] * (N[n] * N[m] - M[n] * M[m]) + S[1] * (h * bm + bn * i) + S[2] * (h * cm + cn * i)


@jit
def add_pairs(b, o, e, p, weight, S):
    """D += ck weight S d2E/dX2"""
    t, L = b.ip[e, TABLE], b.rp[e, LENGTH]
    z = 0 * L
    (x, _), y = four(p), (z, z)
    if p >= 4:
        x, v, w = side(p - 4)
        y = v * b.rp[e, WIDTH], w * b.rp[e, HEIGHT]
    N, M = axis(x, L, y[0], y[1]), axis(x, L, z, z)
    for n in range(NODES):
        for m in range(NODES):
            f = o.ck * weight * pair_of(N, M, x, p, S, n, m)
            block, i, j = b.tab[t + 4 * (n // 2) + m // 2], 3 * (n % 2), 3 * (m % 2)
            for r in range(3):
                o.D[block, i + r, j + r] += f


@jit
def add_products(o, b, e, weight, count):
    """D += weight times W[GRADIENT:]^T W[STRESS:]"""
    for tile in range(16):
        block, row, column = b.tab[b.ip[e, TABLE] + tile], GRADIENT + 6 * (tile // 4), STRESS + 6 * (tile % 4)
        for k in range(count):
            for i in range(6):
                f = weight * o.W[row + SIZE * k + i]
                for j in range(6):
                    o.D[block, i, j] += f * o.W[column + SIZE * k + j]


@jit
def elastic_tangent(s, b, o):
    """w (dE/dX^T C (ck dE/dX + tau (ck dE'/dX + cd dE/dX)) + ck S d2E/dX2)                                           [slope-6]"""
    elastic(s, b, o)
    for e in range(b.first, b.last):
        tau = b.rp[e, DAMPING]
        for p in range(12):
            E, rate, weight, count = strains_at(s, b, e, p, o.W)
            S = stress_of(b, e, mixed(E, tau, rate), count)
            for j in range(SIZE):
                i = GRADIENT + j
                x = (o.W[i], o.W[i + SIZE], o.W[i + 2 * SIZE], o.W[i + 3 * SIZE], o.W[i + 4 * SIZE], o.W[i + 5 * SIZE])
                i = RATE + j
                y = (o.W[i], o.W[i + SIZE], o.W[i + 2 * SIZE], o.W[i + 3 * SIZE], o.W[i + 4 * SIZE], o.W[i + 5 * SIZE])
                x = mixed(scale6(o.ck + tau * o.cd, x), tau * o.ck, y)
                z = stress_of(b, e, x, count)
                for k in range(count):
                    o.W[STRESS + SIZE * k + j] = z[k]
            add_products(o, b, e, weight, count)
            add_pairs(b, o, e, p, weight, S)


@inlined
def scale6(f, x):
    return f * x[0], f * x[1], f * x[2], f * x[3], f * x[4], f * x[5]


@inlined
def product(S, E, count):
    y = S[0] * E[0] + S[1] * E[1] + S[2] * E[2]
    return y + S[3] * E[3] + S[4] * E[4] + S[5] * E[5] if count == 6 else y


@jit
def energy(s, b, o):
    """W = sum over points of w S E / 2                                                                              [slope-7]"""
    for e in range(b.first, b.last):
        for p in range(12):
            E, _, weight, count = strains_at(s, b, e, p, o.W)
            o.E[ELASTIC] += weight * product(stress_of(b, e, E, count), E, count) / 2


@jit
def power(s, b, o):
    """Lost: tau times C of the rates"""
    for e in range(b.first, b.last):
        for p in range(12):
            _, rate, weight, count = strains_at(s, b, e, p, o.W)
            o.E[DISSIPATION] += b.rp[e, DAMPING] * weight * product(stress_of(b, e, rate, count), rate, count)


@inlined
def mass(b, e, n, m):
    """Of the constant matrix the factor of the unit matrix between the vectors n and m                              [slope-8]"""
    L, M = b.rp[e, LENGTH], b.rp[e, MASS]
    i, j = n % 4, m % 4
    if i >= 2 or j >= 2:
        second = b.rp[e, SECOND_Y] if i == 2 else b.rp[e, SECOND_Z]
        return second * ((1 / 3 if n // 4 == m // 4 else 1 / 6) if i == j else 0.0)
    x = 2 * (n // 4) + i, 2 * (m // 4) + j
    k, l = (x[0], x[1]) if x[0] <= x[1] else (x[1], x[0])
    if k == l:
        return M * (M11 if k % 2 == 0 else M22 * L * L)
    if k == 0:
        return M * (M12 * L if l == 1 else M13 if l == 2 else M14 * L)
    if k == 1:
        return M * (-M14 * L if l == 2 else M24 * L * L)
    return -M * M12 * L


@jit
def inertia(s, b, o):
    """R += M (X'' - g on r)                                                                                         [slope-9]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        for n in range(NODES):
            to = (b.ip[e, VA] if n < 4 else b.ip[e, VB]) + 3 * (n % 4)
            for m in range(NODES):
                f, at = mass(b, e, n, m), (b.ip[e, VA] if m < 4 else b.ip[e, VB]) + 3 * (m % 4)
                accumulate(f, vec(s.a, at), o.R, to)
                if m % 4 == 0:
                    accumulate(-f, g, o.R, to)


@jit
def inertia_tangent(s, b, o):
    inertia(s, b, o)
    for e in range(b.first, b.last):
        t = b.ip[e, TABLE]
        for n in range(NODES):
            for m in range(NODES):
                f, k = o.cm * mass(b, e, n, m), b.tab[t + 4 * (n // 2) + m // 2]
                for r in range(3):
                    o.D[k, 3 * (n % 2) + r, 3 * (m % 2) + r] += f


@jit
def inertia_energy(s, b, o):
    """X'.M X' / 2, potential -g.M (X on r)"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        for n in range(NODES):
            i, at = (b.ip[e, VA] if n < 4 else b.ip[e, VB]) + 3 * (n % 4), (b.ip[e, QA] if n < 4 else b.ip[e, QB]) + 3 * (n % 4)
            for m in range(NODES):
                f, j = mass(b, e, n, m), (b.ip[e, VA] if m < 4 else b.ip[e, VB]) + 3 * (m % 4)
                o.E[KINETIC] += f * dot(vec(s.v, i), vec(s.v, j)) / 2
                if m % 4 == 0:
                    o.E[POTENTIAL] -= f * dot(g, vec(s.q, at))


BEAM = Family("beam of slopes", force=True, elastic=True, act=Stage(residual=elastic, tangent=elastic_tangent, energy=energy, power=power))
INERTIA = Family("inertia of a beam of slopes", act=Stage(residual=inertia, tangent=inertia_tangent, energy=inertia_energy))
