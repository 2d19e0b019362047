"""Modes in the recursion: they are eliminated body by body, before the rates of the joint that carries it.

The velocity of a flexible link is (V, eta); its equations [I G; G^T K] (a, eta') + (P, P_q) = wrench of its joints. With S_j the motion of
the body per mode j while its joint is held, U_j = I S_j + G_j and

    K_jl <- K_jl + S_j . U_l + G_j . S_l,   u_j = - S_j . P - P_q,j                                     [recursion-13]

Factors L D L^T of K make rates of them as those of joints: W = L^-1 U, z = L^-1 u, I <- I - sum W W^T / D, P <- P + sum W z / D.
Derivation: docs/theory/recursion.md
"""
from .jit import inlined
from .link_tables import (
    A_,
    AC,
    B_C,
    B_J,
    B_S,
    D_,
    DI,
    ELASTIC,
    HH,
    IU,
    IV,
    JJ,
    LQ,
    LS,
    MASS,
    MM,
    NM,
    NU,
    P_,
    PARENT,
    PQ,
    S_,
    TINY,
    U_,
    UU,
    WAY,
    WAYS,
)
from .so3 import add, cross, dot, mat2, matmul, mul, scale, skew, store, store2, tmul, transpose, vec, vec2
from .symmetric3 import add6, dot6, lowered, store_half, symmetric
from .vector_ops import copy


@inlined
def inertia_of(tr, i):
    """Moments of inertia of a flexible body about its reference, world axes."""
    m, o, A = tr.m, tr.ip[i, ELASTIC] + B_J, mat2(tr.w, i, A_)
    J = m[o], m[o + 1], m[o + 2], m[o + 3], m[o + 4], m[o + 5], m[o + 6], m[o + 7], m[o + 8]
    return matmul(matmul(A, J), transpose(A))


@inlined
def begin_flexible(tr, i, R):
    """A flexible body alone: its mass matrix in world axes (but for M of w), the left sides R of the equations of its modes."""
    w, m, s, o, n = tr.w, tr.m, tr.s, tr.ip[i, ELASTIC], tr.ip[i, NM]
    A, first, iv = mat2(w, i, A_), tr.ip[i, IU] + tr.ip[i, NU], tr.ip[i, IV] + 6
    store2(skew(scale(-1.0, mul(A, vec(m, o + B_C)))), w, i, HH)
    store_half(inertia_of(tr, i), w, i, JJ)
    masses = o + B_S + 6 * n
    for j in range(n):
        store2(mul(A, vec(m, o + B_S + 6 * j)), s, first + j, U_)
        store2(mul(A, vec(m, o + B_S + 6 * j + 3)), s, first + j, U_ + 3)
        s[first + j, PQ], s[first + j, LQ] = R[iv + j], R[iv + j]
    copy(m, masses, m, masses + n * n, n * n)


@inlined
def forward_modes(tr, i, factors):
    """W = L^-1 U and z = L^-1 u of the modes of a link (``factors``), or z alone."""
    s, m, n, first = tr.s, tr.m, tr.ip[i, NM], tr.ip[i, IU] + tr.ip[i, NU]
    L = tr.ip[i, ELASTIC] + B_S + (6 + n) * n
    for j in range(n):
        for l in range(j):
            f = m[L + n * j + l]
            s[first + j, UU] -= f * s[first + l, UU]
            if factors:
                for k in range(6):
                    s[first + j, U_ + k] -= f * s[first + l, U_ + k]


@inlined
def loads_of_modes(tr, i):
    """u_j = - S_j . P - P_q,j"""
    s, first = tr.s, tr.ip[i, IU] + tr.ip[i, NU]
    f, m = vec2(tr.w, i, P_), vec2(tr.w, i, P_ + 3)
    for k in range(first, first + tr.ip[i, NM]):
        s[k, UU] = -dot6(s, k, S_, f, m) - s[k, PQ]


@inlined
def factorise_modes(tr, i):
    """L D L^T of K in place: L below the diagonal, 1 / D in s. The number of a rate without inertia, or -1."""
    s, m, n, first = tr.s, tr.m, tr.ip[i, NM], tr.ip[i, IU] + tr.ip[i, NU]
    K = tr.ip[i, ELASTIC] + B_S + (6 + n) * n
    for j in range(n):
        row, whole = K + n * j, m[K + n * j + j].real
        for l in range(j):
            value = m[row + l]
            for r in range(l):
                value -= m[row + r] * m[K + n * l + r]  # L D of this row, L of that one
            m[row + l] = value
        d = m[row + j]
        for l in range(j):
            f = m[row + l] * s[first + l, DI]
            d -= f * m[row + l]
            m[row + l] = f
        if not d.real > TINY * whole:
            return first + j
        s[first + j, DI] = 1 / d
    return -1


@inlined
def eliminate_modes(tr, i):
    """Articulated inertia and bias of a link whose modes move freely, in w. The number of a rate without inertia, or -1.  [recursion-13]"""
    w, s, m, n, first = tr.w, tr.s, tr.m, tr.ip[i, NM], tr.ip[i, IU] + tr.ip[i, NU]
    M, H, J = symmetric(w, i, MM), mat2(w, i, HH), symmetric(w, i, JJ)
    K = tr.ip[i, ELASTIC] + B_S + (6 + n) * n
    for j in range(n):
        k = first + j
        a, b, Gf, Gm = vec2(s, k, S_), vec2(s, k, S_ + 3), vec2(s, k, U_), vec2(s, k, U_ + 3)
        store2(add(Gf, add(mul(M, a), mul(H, b))), s, k, U_)
        store2(add(Gm, add(tmul(H, a), mul(J, b))), s, k, U_ + 3)
        for l in range(j + 1):
            m[K + n * j + l] += dot6(s, first + l, U_, a, b) + dot6(s, first + l, S_, Gf, Gm)
    loads_of_modes(tr, i)
    bad = factorise_modes(tr, i)
    if bad >= 0:
        return bad
    forward_modes(tr, i, True)
    f, turn = vec2(w, i, P_), vec2(w, i, P_ + 3)
    for k in range(first, first + n):
        a, b, inverse = vec2(s, k, U_), vec2(s, k, U_ + 3), s[k, DI]
        M, H, J = lowered(M, inverse, a, a), lowered(H, inverse, a, b), lowered(J, inverse, b, b)
        f, turn = add(f, scale(inverse * s[k, UU], a)), add(turn, scale(inverse * s[k, UU], b))
    store_half(M, w, i, MM)
    store2(H, w, i, HH)
    store_half(J, w, i, JJ)
    store2(f, w, i, P_)
    store2(turn, w, i, P_ + 3)
    return -1


@inlined
def load_modes(tr, i):
    """Bias alone, with factors known: that of a link whose modes move freely, in P of w."""
    w, s, first = tr.w, tr.s, tr.ip[i, IU] + tr.ip[i, NU]
    loads_of_modes(tr, i)
    forward_modes(tr, i, False)
    f, turn = vec2(w, i, P_), vec2(w, i, P_ + 3)
    for k in range(first, first + tr.ip[i, NM]):
        u = s[k, DI] * s[k, UU]
        f, turn = add(f, scale(u, vec2(s, k, U_))), add(turn, scale(u, vec2(s, k, U_ + 3)))
    store2(f, w, i, P_)
    store2(turn, w, i, P_ + 3)


@inlined
def load_parent(tr, i):
    """The bias of link i on the modes of its parent."""
    p, at, m, s = tr.ip[i, PARENT], tr.ip[i, WAYS], tr.m, tr.s
    first, f, turn = tr.ip[p, IU] + tr.ip[p, NU], vec2(tr.w, i, P_), vec2(tr.w, i, P_ + 3)
    for j in range(tr.ip[p, NM]):
        s[first + j, PQ] += dot(vec(m, at + WAY * j), f) + dot(vec(m, at + WAY * j + 3), turn)


@inlined
def join_parent(tr, i, M, H, J):
    """The articulated inertia of link i on the modes of its parent: G += X^T I N, K += N^T I N with its motions N per mode."""
    p, at, m, s = tr.ip[i, PARENT], tr.ip[i, WAYS], tr.m, tr.s
    n, first, d = tr.ip[p, NM], tr.ip[p, IU] + tr.ip[p, NU], vec2(tr.w, i, D_)
    K = tr.ip[p, ELASTIC] + B_S + (6 + n) * n
    for j in range(n):
        a, b = vec(m, at + WAY * j), vec(m, at + WAY * j + 3)
        f, turn = add(mul(M, a), mul(H, b)), add(tmul(H, a), mul(J, b))
        store(f, m, at + WAY * j + 6)
        store(turn, m, at + WAY * j + 9)
        add6(f, add(turn, cross(d, f)), s, first + j, U_)
        for l in range(j + 1):
            m[K + n * j + l] += (dot(a, vec(m, at + WAY * l + 6)) + dot(b, vec(m, at + WAY * l + 9)))


@inlined
def moved_by_parent(tr, i, a, b):
    """Acceleration (a, b) of link i, with what the modes of its parent add; theirs are in u of s."""
    p, at, m = tr.ip[i, PARENT], tr.ip[i, WAYS], tr.m
    first = tr.ip[p, IU] + tr.ip[p, NU]
    for j in range(tr.ip[p, NM]):
        f = tr.s[first + j, UU]
        a, b = add(a, scale(f, vec(m, at + WAY * j))), add(b, scale(f, vec(m, at + WAY * j + 3)))
    return a, b


@inlined
def moved_by_modes(tr, i, a, b):
    """Acceleration (a, b) of link i, with what its own modes add."""
    first = tr.ip[i, IU] + tr.ip[i, NU]
    for k in range(first, first + tr.ip[i, NM]):
        a, b = add(a, scale(tr.s[k, UU], vec2(tr.s, k, S_))), add(b, scale(tr.s[k, UU], vec2(tr.s, k, S_ + 3)))
    return a, b


@inlined
def accelerate_modes(tr, i, a, b):
    """eta' = L^-T D^-1 (z - W . a) of link i, in u of s, from the acceleration of the link without them."""
    s, m, n, first = tr.s, tr.m, tr.ip[i, NM], tr.ip[i, IU] + tr.ip[i, NU]
    L = tr.ip[i, ELASTIC] + B_S + (6 + n) * n
    for j in range(n - 1, -1, -1):
        k = first + j
        value = (s[k, UU] - dot6(s, k, U_, a, b)) * s[k, DI]
        for l in range(j + 1, n):
            value -= m[L + n * l + j] * s[first + l, UU]
        s[k, UU] = value


@inlined
def inertial_forces(tr, i):
    """M a of a flexible link with its left sides, in P of w and of the modes."""
    w, m, s, o, n = tr.w, tr.m, tr.s, tr.ip[i, ELASTIC], tr.ip[i, NM]
    A, a, b, first = mat2(w, i, A_), vec2(w, i, AC), vec2(w, i, AC + 3), tr.ip[i, IU] + tr.ip[i, NU]
    c = mul(A, vec(m, o + B_C))
    f, turn = add(scale(tr.rp[i, MASS], a), cross(b, c)), add(cross(c, a), mul(inertia_of(tr, i), b))
    masses = o + B_S + 6 * n
    for j in range(n):
        S, B = mul(A, vec(m, o + B_S + 6 * j)), mul(A, vec(m, o + B_S + 6 * j + 3))
        f, turn = add(f, scale(tr.du[first + j], S)), add(turn, scale(tr.du[first + j], B))
        value = s[first + j, LQ] + dot(S, a) + dot(B, b)
        for l in range(n):
            value += m[masses + n * j + l] * tr.du[first + l]
        s[first + j, PQ] = value
    store2(add(f, vec2(w, i, LS)), w, i, P_)
    store2(add(turn, vec2(w, i, LS + 3)), w, i, P_ + 3)
