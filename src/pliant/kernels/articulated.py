"""Articulated and composite inertia of a tree: forces inward, accelerations outward. Derivation: docs/theory/recursion.md"""
from .elastic_links import (
    accelerate_modes,
    begin_flexible,
    eliminate_modes,
    inertial_forces,
    join_parent,
    load_modes,
    load_parent,
    moved_by_modes,
    moved_by_parent,
)
from .jit import inlined, jit
from .link_tables import (
    A_,
    AC,
    B_S,
    C_,
    D_,
    DI,
    ELASTIC,
    HH,
    INERTIA,
    INNER,
    IU,
    IV,
    JJ,
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
from .so3 import accumulate, add, cross, dot, mat2, matmul, mul, scale, store, store2, tmul, transpose, vec, vec2
from .symmetric3 import add6, add_half, dot6, lowered, minus9, skew_times, store_half, sum9, symmetric, times_skew


@jit
def begin_inward(tr, R):
    """Every body alone: its mass matrix in world axes, and the left side R of its equations at zero acceleration."""
    w = tr.w
    for i in range(tr.ip.shape[0]):
        A, m, iv = mat2(w, i, A_), tr.rp[i, MASS], tr.ip[i, IV]
        for k in range(MM, JJ):
            w[i, k] = 0
        w[i, MM], w[i, MM + 3], w[i, MM + 5] = m, m, m
        if tr.ip[i, ELASTIC] < 0:
            store_half(matmul(matmul(A, mat2(tr.rp, i, INERTIA)), transpose(A)), w, i, JJ)
        else:
            begin_flexible(tr, i, R)
        f, turn = vec(R, iv), mul(A, vec(R, iv + 3))
        store2(f, w, i, P_)
        store2(turn, w, i, P_ + 3)
        store2(f, w, i, LS)
        store2(turn, w, i, LS + 3)


@inlined
def join(w, i, p, M, H, J):
    """The inertia of link i at the reference of its parent, added to that.     J + [d] H - H^T [d] - [d] M [d] = J + [d] K - H^T [d]"""
    d = vec2(w, i, D_)
    K = minus9(H, times_skew(M, d))
    add_half(M, w, p, MM)
    for j in range(9):
        w[p, HH + j] += K[j]
    add_half(minus9(sum9(J, skew_times(d, K)), times_skew(transpose(H), d)), w, p, JJ)


@jit
def inward(tr):
    """Articulated inertia and bias, from the leaves to the ground. The number of a rate without inertia, or -1.
                                                                                                    [recursion-5], [recursion-6]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        if tr.ip[i, NM] > 0:
            bad = eliminate_modes(tr, i)
            if bad >= 0:
                return bad
        M, H, J = symmetric(w, i, MM), mat2(w, i, HH), symmetric(w, i, JJ)
        f, m = vec2(w, i, P_), vec2(w, i, P_ + 3)
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] < 0:
                a, b = vec2(s, k, S_), vec2(s, k, S_ + 3)
                Uf, Um = add(mul(M, a), mul(H, b)), add(tmul(H, a), mul(J, b))
                D = dot(a, Uf) + dot(b, Um) + tr.rotors[k]
                whole = (M[0].real + M[4].real + M[8].real) * dot(a, a).real + (J[0].real + J[4].real + J[8].real) * dot(b, b).real
                if not D.real > TINY * whole:
                    return k
                inverse, u = 1 / D, -dot(a, f) - dot(b, m)
                store2(Uf, s, k, U_)
                store2(Um, s, k, U_ + 3)
                s[k, DI], s[k, UU] = inverse, u
                M, H, J = lowered(M, inverse, Uf, Uf), lowered(H, inverse, Uf, Um), lowered(J, inverse, Um, Um)
                f, m = add(f, scale(inverse * u, Uf)), add(m, scale(inverse * u, Um))
        a, b = vec2(w, i, C_), vec2(w, i, C_ + 3)
        f, m = add(f, add(mul(M, a), mul(H, b))), add(m, add(tmul(H, a), mul(J, b)))
        store_half(M, w, i, MM)
        store2(H, w, i, HH)
        store_half(J, w, i, JJ)
        store2(f, w, i, P_)
        store2(m, w, i, P_ + 3)
        p = tr.ip[i, PARENT]
        if p < ground:
            join(w, i, p, M, H, J)
            if tr.ip[i, INNER] >= 0:
                join_parent(tr, i, M, H, J)
            carry_inward(tr, i, p)
    return -1


@inlined
def carry_inward(tr, i, p):
    """The bias of a link on its parent."""
    f, m = vec2(tr.w, i, P_), vec2(tr.w, i, P_ + 3)
    if tr.ip[i, INNER] >= 0:
        load_parent(tr, i)
    add6(f, add(m, cross(vec2(tr.w, i, D_), f)), tr.w, p, P_)


@inlined
def carried(tr, i):
    """The acceleration of a link that its parent gives it."""
    p = tr.ip[i, PARENT]
    b = vec2(tr.w, p, AC + 3)
    return add(vec2(tr.w, p, AC), cross(b, vec2(tr.w, i, D_))), b


@jit
def accelerate(tr, x):
    """Accelerations from the ground to the leaves: of the joints and modes in du, of the bodies in w and x.a.     [recursion-7]"""
    w, s = tr.w, tr.s
    for i in range(tr.ip.shape[0]):
        iv, first = tr.ip[i, IV], tr.ip[i, IU] + tr.ip[i, NU]
        a, b = carried(tr, i)
        a, b = add(a, vec2(w, i, C_)), add(b, vec2(w, i, C_ + 3))
        if tr.ip[i, INNER] >= 0:
            a, b = moved_by_parent(tr, i, a, b)
        for k in range(first - 1, tr.ip[i, IU] - 1, -1):
            if tr.drive[k] < 0:
                rate = (s[k, UU] - dot(vec2(s, k, U_), a) - dot(vec2(s, k, U_ + 3), b)) * s[k, DI]
                tr.du[k] = rate
                a, b = add(a, scale(rate, vec2(s, k, S_))), add(b, scale(rate, vec2(s, k, S_ + 3)))
        if tr.ip[i, NM] > 0:
            accelerate_modes(tr, i, a, b)
            for j in range(tr.ip[i, NM]):
                tr.du[first + j], x.a[iv + 6 + j] = s[first + j, UU], s[first + j, UU]
            a, b = moved_by_modes(tr, i, a, b)
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)
        store(a, x.a, iv)
        store(tmul(mat2(w, i, A_), b), x.a, iv + 3)


@jit
def respond(tr, out, x):
    """out += M^-1 (forces along the rates), and with it the accelerations of the bodies in x.a: the forces are in the columns P of w (of
    modes in those of s, of joints themselves in u of s), on the left side of the equations, and are used up. Needs the articulated inertia.
                                                                                                    [recursion-8]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        if tr.ip[i, NM] > 0:
            load_modes(tr, i)
        force, m, p = vec2(w, i, P_), vec2(w, i, P_ + 3), tr.ip[i, PARENT]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] < 0:
                u = -s[k, UU] - dot(vec2(s, k, S_), force) - dot(vec2(s, k, S_ + 3), m)
                s[k, UU] = u
                force, m = add(force, scale(u * s[k, DI], vec2(s, k, U_))), add(m, scale(u * s[k, DI], vec2(s, k, U_ + 3)))
        store2(force, w, i, P_)
        store2(m, w, i, P_ + 3)
        if p < ground:
            carry_inward(tr, i, p)
    for i in range(ground):
        iv, first = tr.ip[i, IV], tr.ip[i, IU] + tr.ip[i, NU]
        a, b = carried(tr, i)
        if tr.ip[i, INNER] >= 0:
            a, b = moved_by_parent(tr, i, a, b)
        for k in range(first - 1, tr.ip[i, IU] - 1, -1):
            if tr.drive[k] < 0:
                rate = (s[k, UU] - dot(vec2(s, k, U_), a) - dot(vec2(s, k, U_ + 3), b)) * s[k, DI]
                out[k] += rate
                a, b = add(a, scale(rate, vec2(s, k, S_))), add(b, scale(rate, vec2(s, k, S_ + 3)))
        if tr.ip[i, NM] > 0:
            accelerate_modes(tr, i, a, b)
            for j in range(tr.ip[i, NM]):
                out[first + j] += s[first + j, UU]
                x.a[iv + 6 + j] += s[first + j, UU]
            a, b = moved_by_modes(tr, i, a, b)
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)
        accumulate(1.0, a, x.a, iv)
        accumulate(1.0, tmul(mat2(w, i, A_), b), x.a, iv + 3)


@jit
def transmit(tr, effort):
    """The wrench of every joint on its body in P of w, and what it does along the rates: effort = S . P. From the accelerations of the
    bodies (of modes in du) and the left sides of their equations, inward.                              [recursion-9]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground):
        if tr.ip[i, ELASTIC] >= 0:
            inertial_forces(tr, i)
            continue
        A, m, a = mat2(w, i, A_), tr.rp[i, MASS], vec2(w, i, AC)
        turn = mul(A, mul(mat2(tr.rp, i, INERTIA), tmul(A, vec2(w, i, AC + 3))))
        store2(add(scale(m, a), vec2(w, i, LS)), w, i, P_)
        store2(add(turn, vec2(w, i, LS + 3)), w, i, P_ + 3)
    for i in range(ground - 1, -1, -1):
        f, m, p, first = vec2(w, i, P_), vec2(w, i, P_ + 3), tr.ip[i, PARENT], tr.ip[i, IU] + tr.ip[i, NU]
        for k in range(tr.ip[i, IU], first):
            effort[k] = dot6(s, k, S_, f, m)
        for k in range(first, first + tr.ip[i, NM]):
            effort[k] = dot6(s, k, S_, f, m) + s[k, PQ]
        if p < ground:
            carry_inward(tr, i, p)


@jit
def follow(tr, rates):
    """Accelerations of the bodies in w for given ones of the joints and modes; driven coordinates count as given, too."""
    w, s = tr.w, tr.s
    for i in range(tr.ip.shape[0]):
        first = tr.ip[i, IU] + tr.ip[i, NU]
        a, b = carried(tr, i)
        a, b = add(a, vec2(w, i, C_)), add(b, vec2(w, i, C_ + 3))
        if tr.ip[i, INNER] >= 0:
            a, b = moved_by_parent(tr, i, a, b)
        for k in range(tr.ip[i, IU], first):
            a, b = add(a, scale(rates[k], vec2(s, k, S_))), add(b, scale(rates[k], vec2(s, k, S_ + 3)))
        for k in range(first, first + tr.ip[i, NM]):
            s[k, UU], tr.du[k] = rates[k], rates[k]
        a, b = moved_by_modes(tr, i, a, b)
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)


@jit
def composite(tr, M):
    """The mass matrix M_p = H^T M H of the tree: of every rate the force that the composite of all bodies above needs, carried inward.
                                                                                                    [recursion-10]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        m, H, J, p = symmetric(w, i, MM), mat2(w, i, HH), symmetric(w, i, JJ), tr.ip[i, PARENT]
        first, n = tr.ip[i, IU] + tr.ip[i, NU], tr.ip[i, NM]
        K = tr.ip[i, ELASTIC] + B_S + (6 + n) * n
        for k in range(tr.ip[i, IU], first + n):
            a, b = vec2(s, k, S_), vec2(s, k, S_ + 3)
            f, turn = add(mul(m, a), mul(H, b)), add(tmul(H, a), mul(J, b))
            if k >= first:
                f, turn = add(f, vec2(s, k, U_)), add(turn, vec2(s, k, U_ + 3))
            for l in range(first, first + n):  # forces on the modes of this link
                s[l, PQ] = dot6(s, l, U_, a, b)
                if k >= first:
                    s[l, PQ] += tr.m[K + n * max(k - first, l - first) + min(k - first, l - first)]
            along(tr, i, k, f, turn, M)
            M[k, k] += tr.rotors[k]
        if p < ground:
            join(w, i, p, m, H, J)
            if tr.ip[i, INNER] >= 0:
                join_parent(tr, i, m, H, J)


@jit
def along(tr, i, k, f, turn, M):
    """Column k of M: what a force on link i and its modes (in P of s) does along the rates from there to the ground."""
    w, s, m, j, ground = tr.w, tr.s, tr.m, i, tr.ip.shape[0]
    while j < ground:
        first = tr.ip[j, IU] + tr.ip[j, NU]
        for l in range(tr.ip[j, IU], first + tr.ip[j, NM]):
            M[k, l] = dot6(s, l, S_, f, turn)
            if l >= first:
                M[k, l] += s[l, PQ]
            M[l, k] = M[k, l]
        p, at = tr.ip[j, PARENT], tr.ip[j, WAYS]
        if tr.ip[j, INNER] >= 0:
            for l in range(tr.ip[p, NM]):
                s[tr.ip[p, IU] + tr.ip[p, NU] + l, PQ] = dot(vec(m, at + WAY * l), f) + dot(vec(m, at + WAY * l + 3), turn)
        elif p < ground:
            for l in range(tr.ip[p, NM]):
                s[tr.ip[p, IU] + tr.ip[p, NU] + l, PQ] = 0
        turn, j = add(turn, cross(vec2(w, j, D_), f)), p
