"""Frames on nodes of slopes: points, and directions made of slopes. Derivations: docs/theory/beams.md

p = sum of P_n X_n,  a = sum of A_n X_n,  b = sum of B_n X_n  over the vectors X_n of one node or of two; t = a / |a|.
With b: axes t, e_2, e_3 by Gram and Schmidt. Without, as on a cable: t alone, which has no twist.                       [slope-10]
"""
from ..kernels.contract import AV, AW, TABLE, A, F, Family, M, P, Stage, V, W
from ..kernels.helicoidal import scale9
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import accumulate, add, cross, dot, mat_add, matmul, scale, skew, store2, sub, vec, vec2
from .body_frames import release

IQ, IV, FRAME, JTILE, COUNT, POOL, ACROSS = index(1, 2, 3, 4, 5, 6, 7)  # ip: places of the first vector; row in X; tile in J; vectors;
POINT, ALONG, BESIDE, OFFSET = index(0, 1, 2, 3)                        # in val: P, A, B of each and how far behind IV it is, axes 9, t
UNTURNED = 1e-12                                                        # as modelled 3; whether there is b. Axes turn the shortest way


@inlined
def place_in_v(b, e, n):
    return b.ip[e, IV] + offset(b, e, n)


@inlined
def offset(b, e, n):
    return int(b.val[b.ip[e, POOL] + 4 * n + OFFSET].real)


@inlined
def coefficient(b, e, n, which):
    return b.val[b.ip[e, POOL] + 4 * n + which]


@inlined
def of_q(s, b, e, which):
    """Sum over vectors of q"""
    x = scale(0.0, vec(s.q, b.ip[e, IQ]))
    for n in range(b.ip[e, COUNT]):
        x = add(x, scale(coefficient(b, e, n, which), vec(s.q, b.ip[e, IQ] + 3 * n)))
    return x


@inlined
def of_v(x, b, e, which):
    """The same of v or its rates"""
    y = scale(0.0, vec(x, b.ip[e, IV]))
    for n in range(b.ip[e, COUNT]):
        y = add(y, scale(coefficient(b, e, n, which), vec(x, place_in_v(b, e, n))))
    return y


@inlined
def axes_of(s, b, e):
    """(t, e_2, e_3, |a|, h = |b across t|, b); without b, e_2 and e_3 are zero, h is one                             [slope-10]"""
    a = of_q(s, b, e, ALONG)
    size = dot(a, a) ** 0.5
    t = scale(1 / size, a)
    c = of_q(s, b, e, BESIDE)
    if b.ip[e, ACROSS] == 0:
        none = scale(0.0, t)
        return t, none, none, size, 1.0 + 0 * size, none
    over = sub(c, scale(dot(c, t), t))
    h = dot(over, over) ** 0.5
    e2 = scale(1 / h, over)
    return t, e2, cross(t, e2), size, h, c


@inlined
def spin(g, a1, b1):
    """w = t x a' / |a| + t (e_3.b' - (b.t) e_3.a' / |a|) / h                                                         [slope-11]"""
    t, _, e3, size, h, c = g
    return add(scale(1 / size, cross(t, a1)), scale((dot(e3, b1) - dot(c, t) * dot(e3, a1) / size) / h, t))


@inlined
def spin_change(g, a1, b1, da, db):
    """Of w by a, b at constant a', b': all vectors of the axes turn with psi = w(da, db)                             [slope-12]"""
    t, e2, e3, size, h, c = g
    psi = spin(g, da, db)
    dt, d2, d3, dsize = cross(psi, t), cross(psi, e2), cross(psi, e3), dot(t, da)
    dh, along, dalong = dot(db, e2) + dot(c, d2), dot(c, t), dot(db, t) + dot(c, dt)
    s = (dot(e3, b1) - along * dot(e3, a1) / size) / h
    ds = (dot(d3, b1) - (dalong * dot(e3, a1) + along * dot(d3, a1)) / size + along * dot(e3, a1) * dsize / (size * size)) / h
    first = scale(1 / size, sub(cross(dt, a1), scale(dsize / size, cross(t, a1))))
    return add(first, add(scale(s, dt), scale(ds - s * dh / h, t)))


@inlined
def moments(g, m):
    """What a moment does on a and b: (m x t / |a| - (b.t)(t.m) e_3 / (h |a|), (t.m) e_3 / h)                         [slope-13]"""
    t, _, e3, size, h, c = g
    on_b = scale(dot(t, m) / h, e3)
    return sub(scale(1 / size, cross(m, t)), scale(dot(c, t) / size, on_b)), on_b


@inlined
def moments_change(g, m, da, db):
    """Of slope-13 by a and b                                                                                         [slope-14]"""
    t, e2, e3, size, h, c = g
    psi = spin(g, da, db)
    dt, d2, d3, dsize = cross(psi, t), cross(psi, e2), cross(psi, e3), dot(t, da)
    dh, along, dalong = dot(db, e2) + dot(c, d2), dot(c, t), dot(db, t) + dot(c, dt)
    on_b, tm = scale(dot(t, m) / h, e3), dot(t, m)
    d_b = add(scale(dot(dt, m) / h - tm * dh / (h * h), e3), scale(tm / h, d3))
    d_a = sub(scale(1 / size, cross(m, dt)), scale(dsize / (size * size), cross(m, t)))
    d_a = sub(d_a, add(scale(along / size, d_b), scale((dalong - along * dsize / size) / size, on_b)))
    return d_a, d_b


@inlined
def unit(k, x):
    """The k-th unit vector, of the kind of x"""
    z = 0 * x
    return z + (1.0 if k == 0 else 0.0), z + (1.0 if k == 1 else 0.0), z + (1.0 if k == 2 else 0.0)


@inlined
def shown_axes(b, e, g):
    """(t, e_2, e_3) times the axes in the section; of a cable those as modelled, turned the shortest way with t      [slope-15]"""
    k, n = b.ip[e, POOL] + 4 * b.ip[e, COUNT], b.val
    own = n[k], n[k + 1], n[k + 2], n[k + 3], n[k + 4], n[k + 5], n[k + 6], n[k + 7], n[k + 8]
    t, e2, e3, _, _, _ = g
    if b.ip[e, ACROSS] == 1:
        return matmul((t[0], e2[0], e3[0], t[1], e2[1], e3[1], t[2], e2[2], e3[2]), own)
    first = vec(n, k + 9)
    u, more = cross(first, t), 1 + dot(first, t)
    U = skew(u)
    by = 1 / more if more.real > UNTURNED else 0 * more
    return add_own(mat_add(scale9(by, matmul(U, U)), 1.0, U), own)


@inlined
def add_own(U, own):
    """(1 + U) own"""
    return mat_add(matmul(U, own), 1.0, own)


@jit
def push(s, b, o):
    """p, axes of slope-15, v = sum of P_n X_n', w of slope-11"""
    for e in range(b.first, b.last):
        f, g = b.ip[e, FRAME], axes_of(s, b, e)
        store2(of_q(s, b, e, POINT), s.X, f, P)
        store2(shown_axes(b, e, g), s.X, f, A)
        store2(of_v(s.v, b, e, POINT), s.X, f, V)
        store2(spin(g, of_v(s.v, b, e, ALONG), of_v(s.v, b, e, BESIDE)), s.X, f, W)
        release(s, f)


@jit
def push_tangent(s, b, o):
    """J: P_n for places, A_n dw/da' + B_n dw/db' for turns; L: the same of dw/da, dw/db"""
    push(s, b, o)
    for e in range(b.first, b.last):
        g, f, first = axes_of(s, b, e), b.ip[e, FRAME], b.ip[e, JTILE]
        a1, b1 = of_v(s.v, b, e, ALONG), of_v(s.v, b, e, BESIDE)
        none = scale(0.0, g[0])
        for n in range(b.ip[e, COUNT]):
            t, at = first + offset(b, e, n) // 6, offset(b, e, n) % 6
            for k in range(3):
                x = unit(k, g[3])
                x_a, x_b = scale(coefficient(b, e, n, ALONG), x), scale(coefficient(b, e, n, BESIDE), x)
                w, change = spin(g, x_a, x_b), none
                if b.fr[f, 2] == 1:
                    change = spin_change(g, a1, b1, x_a, x_b)
                for i in range(3):
                    s.J[t, i, at + k] = coefficient(b, e, n, POINT) * x[i]
                    s.J[t, 3 + i, at + k] = w[i]
                    s.L[t, i, at + k] = none[i]
                    s.L[t, 3 + i, at + k] = change[i]


@jit
def push_rates(s, b, o):
    """v' = sum of P_n X_n'',  w' = w(a'', b'') + what a', b' change of w                                              [slope-16]"""
    push(s, b, o)
    for e in range(b.first, b.last):
        f, g, a1, b1 = b.ip[e, FRAME], axes_of(s, b, e), of_v(s.v, b, e, ALONG), of_v(s.v, b, e, BESIDE)
        store2(of_v(s.a, b, e, POINT), s.X, f, AV)
        turn = add(spin(g, of_v(s.a, b, e, ALONG), of_v(s.a, b, e, BESIDE)), spin_change(g, a1, b1, a1, b1))
        store2(turn, s.X, f, AW)


@jit
def pull(s, b, o):
    """R += P_n force + A_n, B_n times slope-13"""
    for e in range(b.first, b.last):
        force, (on_a, on_b) = vec2(s.X, b.ip[e, FRAME], F), moments(axes_of(s, b, e), vec2(s.X, b.ip[e, FRAME], M))
        for n in range(b.ip[e, COUNT]):
            i = place_in_v(b, e, n)
            accumulate(coefficient(b, e, n, POINT), force, o.R, i)
            accumulate(coefficient(b, e, n, ALONG), on_a, o.R, i)
            accumulate(coefficient(b, e, n, BESIDE), on_b, o.R, i)


@jit
def pull_tangent(s, b, o):
    """D += ck slope-14"""
    pull(s, b, o)
    for e in range(b.first, b.last):
        g, m, count = axes_of(s, b, e), vec2(s.X, b.ip[e, FRAME], M), b.ip[e, COUNT]
        tiles = offset(b, e, count - 1) // 6 + 1
        for n in range(count):
            for k in range(3):
                x = unit(k, g[3])
                x_a, x_b = scale(o.ck * coefficient(b, e, n, ALONG), x), scale(o.ck * coefficient(b, e, n, BESIDE), x)
                d_a, d_b = moments_change(g, m, x_a, x_b)
                for l in range(count):
                    t = b.tab[b.ip[e, TABLE] + tiles * (offset(b, e, l) // 6) + offset(b, e, n) // 6]
                    alpha, beta = coefficient(b, e, l, ALONG), coefficient(b, e, l, BESIDE)
                    for i in range(3):
                        o.D[t, offset(b, e, l) % 6 + i, offset(b, e, n) % 6 + k] += alpha * d_a[i] + beta * d_b[i]


FRAMES = Family("slope frame", push=Stage(residual=push, tangent=push_tangent, rates=push_rates, energy=push, power=push),
                pull=Stage(residual=pull, tangent=pull_tangent))
MARKERS = Family("slope marker", push=Stage(rates=push_rates))  # frames that are only looked at
ACCELERATED = Family("accelerated slope frame", push=Stage(residual=push_rates, tangent=push_rates))  # once more, for inertia on them
