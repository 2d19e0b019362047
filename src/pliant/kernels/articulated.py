"""Articulated and composite inertia of a tree: forces inward, accelerations outward. Derivation: docs/theory/recursion.md"""
from .jit import inlined, jit
from .recursion import A_, AC, C_, D_, DI, HH, INERTIA, IU, IV, JJ, LS, MASS, MM, NU, P_, PARENT, S_, TINY, U_, UU
from .so3 import add, cross, dot, mat2, matmul, mul, scale, store, store2, tmul, transpose, vec, vec2


@inlined
def symmetric(w, i, k):
    """A symmetric 3x3 matrix from its upper half."""
    return w[i, k], w[i, k + 1], w[i, k + 2], w[i, k + 1], w[i, k + 3], w[i, k + 4], w[i, k + 2], w[i, k + 4], w[i, k + 5]


@inlined
def store_half(m, w, i, k):
    w[i, k], w[i, k + 1], w[i, k + 2], w[i, k + 3], w[i, k + 4], w[i, k + 5] = m[0], m[1], m[2], m[4], m[5], m[8]


@inlined
def add_half(m, w, i, k):
    w[i, k] += m[0]
    w[i, k + 1] += m[1]
    w[i, k + 2] += m[2]
    w[i, k + 3] += m[4]
    w[i, k + 4] += m[5]
    w[i, k + 5] += m[8]


@inlined
def lowered(m, f, a, b):
    """m - f a b^T"""
    x, y, z = f * a[0], f * a[1], f * a[2]
    return (m[0] - x * b[0], m[1] - x * b[1], m[2] - x * b[2], m[3] - y * b[0], m[4] - y * b[1], m[5] - y * b[2],
            m[6] - z * b[0], m[7] - z * b[1], m[8] - z * b[2])


@inlined
def times_skew(m, d):
    """m [d]"""
    return (m[1] * d[2] - m[2] * d[1], m[2] * d[0] - m[0] * d[2], m[0] * d[1] - m[1] * d[0],
            m[4] * d[2] - m[5] * d[1], m[5] * d[0] - m[3] * d[2], m[3] * d[1] - m[4] * d[0],
            m[7] * d[2] - m[8] * d[1], m[8] * d[0] - m[6] * d[2], m[6] * d[1] - m[7] * d[0])


@inlined
def skew_times(d, m):
    """[d] m"""
    return (d[1] * m[6] - d[2] * m[3], d[1] * m[7] - d[2] * m[4], d[1] * m[8] - d[2] * m[5],
            d[2] * m[0] - d[0] * m[6], d[2] * m[1] - d[0] * m[7], d[2] * m[2] - d[0] * m[8],
            d[0] * m[3] - d[1] * m[0], d[0] * m[4] - d[1] * m[1], d[0] * m[5] - d[1] * m[2])


@inlined
def sum9(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8]


@inlined
def minus9(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5], a[6] - b[6], a[7] - b[7], a[8] - b[8]


@jit
def begin_inward(tr, R):
    """Every body alone: its mass, its inertia in world axes, and the left side R of its equations at zero acceleration."""
    w = tr.w
    for i in range(tr.ip.shape[0]):
        A, m, iv = mat2(w, i, A_), tr.rp[i, MASS], tr.ip[i, IV]
        J = matmul(matmul(A, mat2(tr.rp, i, INERTIA)), transpose(A))
        for k in range(MM, JJ):
            w[i, k] = 0
        w[i, MM], w[i, MM + 3], w[i, MM + 5] = m, m, m
        store_half(J, w, i, JJ)
        f, turn = vec(R, iv), mul(A, vec(R, iv + 3))
        store2(f, w, i, P_)
        store2(turn, w, i, P_ + 3)
        store2(f, w, i, LS)
        store2(turn, w, i, LS + 3)


@jit
def inward(tr):
    """Articulated inertia and bias, from the leaves to the ground. The number of a rate without inertia, or -1.
                                                                                                    [recursion-5], [recursion-6]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        M, H, J = symmetric(w, i, MM), mat2(w, i, HH), symmetric(w, i, JJ)
        f, m = vec2(w, i, P_), vec2(w, i, P_ + 3)
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] < 0:
                a, b = vec2(s, k, S_), vec2(s, k, S_ + 3)
                Uf, Um = add(mul(M, a), mul(H, b)), add(tmul(H, a), mul(J, b))
                D = dot(a, Uf) + dot(b, Um)
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
            d = vec2(w, i, D_)
            K = minus9(H, times_skew(M, d))
            # J + [d] H - H^T [d] - [d] M [d] = J + [d] K - H^T [d]
            add_half(M, w, p, MM)
            for j in range(9):
                w[p, HH + j] += K[j]
            add_half(minus9(sum9(J, skew_times(d, K)), times_skew(transpose(H), d)), w, p, JJ)
            turn = add(m, cross(d, f))
            for j in range(3):
                w[p, P_ + j] += f[j]
                w[p, P_ + 3 + j] += turn[j]
    return -1


@jit
def accelerate(tr, x):
    """Accelerations from the ground to the leaves: of the joints in du, of the bodies in w and x.a.     [recursion-7]"""
    w, s = tr.w, tr.s
    for i in range(tr.ip.shape[0]):
        p, d, iv = tr.ip[i, PARENT], vec2(w, i, D_), tr.ip[i, IV]
        b = vec2(w, p, AC + 3)
        a = add(add(vec2(w, p, AC), cross(b, d)), vec2(w, i, C_))
        b = add(b, vec2(w, i, C_ + 3))
        for k in range(tr.ip[i, IU] + tr.ip[i, NU] - 1, tr.ip[i, IU] - 1, -1):
            if tr.drive[k] < 0:
                rate = (s[k, UU] - dot(vec2(s, k, U_), a) - dot(vec2(s, k, U_ + 3), b)) * s[k, DI]
                tr.du[k] = rate
                a, b = add(a, scale(rate, vec2(s, k, S_))), add(b, scale(rate, vec2(s, k, S_ + 3)))
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)
        store(a, x.a, iv)
        store(tmul(mat2(w, i, A_), b), x.a, iv + 3)


@jit
def respond(tr, out, x):
    """out += M^-1 (forces along the rates), and with it the accelerations of the bodies in x.a: the forces are in the columns P of w, on
    the left side of the equations of the bodies, and are used up. Needs the articulated inertia.           [recursion-8]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        force, m, p = vec2(w, i, P_), vec2(w, i, P_ + 3), tr.ip[i, PARENT]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            if tr.drive[k] < 0:
                u = -dot(vec2(s, k, S_), force) - dot(vec2(s, k, S_ + 3), m)
                s[k, UU] = u
                force, m = add(force, scale(u * s[k, DI], vec2(s, k, U_))), add(m, scale(u * s[k, DI], vec2(s, k, U_ + 3)))
        if p < ground:
            turn = add(m, cross(vec2(w, i, D_), force))
            for j in range(3):
                w[p, P_ + j] += force[j]
                w[p, P_ + 3 + j] += turn[j]
    for i in range(ground):
        p, iv = tr.ip[i, PARENT], tr.ip[i, IV]
        b = vec2(w, p, AC + 3)
        a = add(vec2(w, p, AC), cross(b, vec2(w, i, D_)))
        for k in range(tr.ip[i, IU] + tr.ip[i, NU] - 1, tr.ip[i, IU] - 1, -1):
            if tr.drive[k] < 0:
                rate = (s[k, UU] - dot(vec2(s, k, U_), a) - dot(vec2(s, k, U_ + 3), b)) * s[k, DI]
                out[k] += rate
                a, b = add(a, scale(rate, vec2(s, k, S_))), add(b, scale(rate, vec2(s, k, S_ + 3)))
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)
        turn = tmul(mat2(w, i, A_), b)
        for j in range(3):
            x.a[iv + j] += a[j]
            x.a[iv + 3 + j] += turn[j]


@jit
def transmit(tr, effort):
    """The wrench of every joint on its body in P of w, and what it does along the rates: effort = S . P. From the accelerations of the
    bodies and the left sides of their equations, inward.                                              [recursion-9]"""
    w, ground = tr.w, tr.ip.shape[0]
    for i in range(ground):
        A, m, a = mat2(w, i, A_), tr.rp[i, MASS], vec2(w, i, AC)
        turn = mul(A, mul(mat2(tr.rp, i, INERTIA), tmul(A, vec2(w, i, AC + 3))))
        for j in range(3):
            w[i, P_ + j] = m * a[j] + w[i, LS + j]
            w[i, P_ + 3 + j] = turn[j] + w[i, LS + 3 + j]
    for i in range(ground - 1, -1, -1):
        f, m, p = vec2(w, i, P_), vec2(w, i, P_ + 3), tr.ip[i, PARENT]
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            effort[k] = dot(vec2(tr.s, k, S_), f) + dot(vec2(tr.s, k, S_ + 3), m)
        if p < ground:
            turn = add(m, cross(vec2(w, i, D_), f))
            for j in range(3):
                w[p, P_ + j] += f[j]
                w[p, P_ + 3 + j] += turn[j]


@jit
def follow(tr, rates):
    """Accelerations of the bodies in w for given ones of the joints; driven coordinates count as given, too."""
    w, s = tr.w, tr.s
    for i in range(tr.ip.shape[0]):
        p, b = tr.ip[i, PARENT], vec2(w, tr.ip[i, PARENT], AC + 3)
        a = add(add(vec2(w, p, AC), cross(b, vec2(w, i, D_))), vec2(w, i, C_))
        b = add(b, vec2(w, i, C_ + 3))
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            a, b = add(a, scale(rates[k], vec2(s, k, S_))), add(b, scale(rates[k], vec2(s, k, S_ + 3)))
        store2(a, w, i, AC)
        store2(b, w, i, AC + 3)


@jit
def composite(tr, M):
    """The mass matrix M_p = H^T M H of the tree: of every rate the force that the composite of all bodies above needs, carried inward.
                                                                                                    [recursion-10]"""
    w, s, ground = tr.w, tr.s, tr.ip.shape[0]
    for i in range(ground - 1, -1, -1):
        m, H, J = symmetric(w, i, MM), mat2(w, i, HH), symmetric(w, i, JJ)
        for k in range(tr.ip[i, IU], tr.ip[i, IU] + tr.ip[i, NU]):
            a, b = vec2(s, k, S_), vec2(s, k, S_ + 3)
            f, turn, j = add(mul(m, a), mul(H, b)), add(tmul(H, a), mul(J, b)), i
            while j < ground:
                for l in range(tr.ip[j, IU], tr.ip[j, IU] + tr.ip[j, NU]):
                    M[k, l] = dot(vec2(s, l, S_), f) + dot(vec2(s, l, S_ + 3), turn)
                    M[l, k] = M[k, l]
                turn, j = add(turn, cross(vec2(w, j, D_), f)), tr.ip[j, PARENT]
        p = tr.ip[i, PARENT]
        if p < ground:
            d = vec2(w, i, D_)
            K = minus9(H, times_skew(m, d))
            add_half(m, w, p, MM)
            for j in range(9):
                w[p, HH + j] += K[j]
            add_half(minus9(sum9(J, skew_times(d, K)), times_skew(transpose(H), d)), w, p, JJ)
