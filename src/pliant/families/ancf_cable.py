"""Cables with absolute nodal coordinates: a node is a place and a slope, six linear coordinates in one tile. docs/theory/beams.md

r = N_1 r_A + N_2 L r'_A + N_3 r_B + N_4 L r'_B;  eps = (r'.r' - 1)/2,  kappa = |r' x r''| / |r'|^3,
W = integral of EA (eps - eps_0)^2 / 2 + EI (kappa - kappa_0)^2 / 2                                                     [cable-1]
"""
import numpy as np

from ..kernels.contract import DISSIPATION, ELASTIC, GRAVITY, KINETIC, POTENTIAL, TABLE, Family, Stage
from ..kernels.helicoidal import add9, scale9
from ..kernels.jit import index, inlined, jit
from ..kernels.so3 import accumulate, add, cross, dot, dyad, mat_add, scale, sub, vec

QA, VA, QB, VB, POINTS = index(1, 2, 3, 4, 5)    # ip: places in q and v; how many points of the stretch, 3 or 4
LENGTH, EA, EI, DAMPING = index(0, 1, 2, 3)      # rp: L, EA, EI, tau of the stretch
STRETCH, CURVATURE = index(4, 8)                 # rp, as modelled: eps at these points, kappa at three
MASS = index(1)                                  # rp of inertia, after L: rho A L
GAUSS3, FAR, NEAR = 0.7745966692414834, 0.8611363115940526, 0.3399810435848563  # Gauss points on -1 to 1
M11, M12, M13, M14, M22, M24 = 156 / 420, 22 / 420, 54 / 420, -13 / 420, 4 / 420, -3 / 420  # integrals of products of cubics
WEIGHT_FAR, WEIGHT_NEAR = 0.3478548451374538, 0.6521451548625461


@inlined
def three(i):
    """Gauss point on 0 to 1, and its weight, of three"""
    return 0.5 + 0.5 * GAUSS3 * (i - 1), (8.0 if i == 1 else 5.0) / 18


@inlined
def four(i):
    """The same of four"""
    x = (NEAR if i == 2 else -NEAR) if i == 1 or i == 2 else (FAR if i == 3 else -FAR)
    return 0.5 + 0.5 * x, (WEIGHT_NEAR if i == 1 or i == 2 else WEIGHT_FAR) / 2


@inlined
def first(x, L):
    """What X = (r_A, r'_A, r_B, r'_B) is multiplied with in r' """
    z = 0 * L  # so that all four are of one kind
    return (6 * x * x - 6 * x) / L, 1 - 4 * x + 3 * x * x + z, (6 * x - 6 * x * x) / L, 3 * x * x - 2 * x + z


@inlined
def second(x, L):
    """The same of r'' """
    return (12 * x - 6) / (L * L), (6 * x - 4) / L, (6 - 12 * x) / (L * L), (6 * x - 2) / L


@inlined
def combined(x, i, j, N):
    """Sum of the nodes' vectors at x[i:] and x[j:] times N"""
    return add(add(scale(N[0], vec(x, i)), scale(N[1], vec(x, i + 3))), add(scale(N[2], vec(x, j)), scale(N[3], vec(x, j + 3))))


@inlined
def add_vector(o, b, e, N, f, a):
    """R += f N a"""
    va, vb = b.ip[e, VA], b.ip[e, VB]
    accumulate(f * N[0], a, o.R, va)
    accumulate(f * N[1], a, o.R, va + 3)
    accumulate(f * N[2], a, o.R, vb)
    accumulate(f * N[3], a, o.R, vb + 3)


@inlined
def add_matrix(o, b, e, N, M, f, K):
    """D += f N_i M_j K"""
    t = b.ip[e, TABLE]
    for i in range(4):
        for j in range(4):
            k, y = b.tab[t + 2 * (i // 2) + j // 2], f * N[i] * M[j]
            for r in range(3):
                for c in range(3):
                    o.D[k, 3 * (i % 2) + r, 3 * (j % 2) + c] += y * K[3 * r + c]


@inlined
def add_matrices(o, b, e, N, M, aa, ab, bb):
    """D += N_i N_j aa + N_i M_j ab + M_i N_j ab^T + M_i M_j bb"""
    t = b.ip[e, TABLE]
    for i in range(4):
        for j in range(4):
            k = b.tab[t + 2 * (i // 2) + j // 2]
            x, y, z, w = N[i] * N[j], N[i] * M[j], M[i] * N[j], M[i] * M[j]
            for r in range(3):
                for c in range(3):
                    o.D[k, 3 * (i % 2) + r, 3 * (j % 2) + c] += (x * aa[3 * r + c] + w * bb[3 * r + c]) + (y * ab[3 * r + c]
                                                                                                   + z * ab[3 * c + r])


@inlined
def stretch(a):
    return (dot(a, a) - 1) / 2


@inlined
def stretch_point(count, p):
    return three(p) if count == 3 else four(p)


@inlined
def squared_curvature(a, b):
    """kappa^2 = |a x b|^2 / |a|^6 and its derivatives by a = r' and b = r''                                             [cable-2]"""
    c, rho = cross(a, b), dot(a, a)
    f = 1 / (rho * rho * rho)
    cc = dot(c, c)
    return f * cc, sub(scale(2 * f, cross(b, c)), scale(6 * f * cc / rho, a)), scale(2 * f, cross(c, a))


@inlined
def curvature_change(a, b):
    """Second derivatives of kappa^2: by a and a, a and b, b and b                                                       [cable-3]"""
    c, rho = cross(a, b), dot(a, a)
    f, cc, ab, bb = 1 / (rho * rho * rho), dot(c, c), dot(a, b), dot(b, b)
    ga, gb = scale(2.0, cross(b, c)), scale(2.0, cross(c, a))  # of cc
    k = -6 * f / rho
    aa = dyad(scale(-2 * f, b), b, 2 * f * bb + k * cc)
    aa = add9(aa, add9(dyad(scale(k, ga), a, 0.0), dyad(scale(k, a), ga, 0.0)))
    aa = add9(aa, dyad(scale(48 * f * cc / (rho * rho), a), a, 0.0))
    by = add9(dyad(scale(4 * f, a), b, -2 * f * ab), add9(dyad(scale(-2 * f, b), a, 0.0), dyad(scale(k, a), gb, 0.0)))
    return aa, by, dyad(scale(-2 * f, a), a, 2 * f * rho)


@inlined
def bending(b, e, p, square):
    """dW/d(kappa^2) per length, and its derivative; a straight reference needs no root                                 [cable-4]"""
    k0, EI_ = b.rp[e, CURVATURE + p], b.rp[e, EI]
    if k0.real == 0:
        return EI_ / 2, 0 * square
    k = np.sqrt(square)
    return EI_ / 2 * (1 - k0 / k), EI_ * k0 / (4 * k * square)


@jit
def elastic(s, b, o):
    """R += sum over points of w L (N' dW/dr' + N'' dW/dr''); the stretch with EA tau eps'                              [cable-5]"""
    for e in range(b.first, b.last):
        L, qa, qb, va, vb, tau = b.rp[e, LENGTH], b.ip[e, QA], b.ip[e, QB], b.ip[e, VA], b.ip[e, VB], b.rp[e, DAMPING]
        for p in range(b.ip[e, POINTS]):
            x, weight = stretch_point(b.ip[e, POINTS], p)
            N = first(x, L)
            a = combined(s.q, qa, qb, N)
            n = b.rp[e, EA] * (stretch(a) - b.rp[e, STRETCH + p] + tau * dot(a, combined(s.v, va, vb, N)))
            add_vector(o, b, e, N, weight * L * n, a)
        for p in range(3):
            x, weight = three(p)
            N, M = first(x, L), second(x, L)
            square, by_a, by_b = squared_curvature(combined(s.q, qa, qb, N), combined(s.q, qa, qb, M))
            f, _ = bending(b, e, p, square)
            add_vector(o, b, e, N, weight * L * f, by_a)
            add_vector(o, b, e, M, weight * L * f, by_b)


@inlined
def stretch_tangent(s, b, o, e, L):
    """EA (a a^T + eps 1), and of the damped part a a'^T and cd a a^T"""
    qa, qb, va, vb, tau = b.ip[e, QA], b.ip[e, QB], b.ip[e, VA], b.ip[e, VB], b.rp[e, DAMPING]
    for p in range(b.ip[e, POINTS]):
        x, weight = stretch_point(b.ip[e, POINTS], p)
        N, k = first(x, L), weight * L * b.rp[e, EA]
        a, a1 = combined(s.q, qa, qb, N), combined(s.v, va, vb, N)
        n = stretch(a) - b.rp[e, STRETCH + p] + tau * dot(a, a1)
        add_matrix(o, b, e, N, N, k, dyad(a, add(scale(o.ck + o.cd * tau, a), scale(o.ck * tau, a1)), o.ck * n))


@jit
def elastic_tangent(s, b, o):
    """All second derivatives of cable-1"""
    elastic(s, b, o)
    for e in range(b.first, b.last):
        L, qa, qb = b.rp[e, LENGTH], b.ip[e, QA], b.ip[e, QB]
        stretch_tangent(s, b, o, e, L)
        for p in range(3):
            x, weight = three(p)
            N, M, k = first(x, L), second(x, L), o.ck * weight * L
            a, c = combined(s.q, qa, qb, N), combined(s.q, qa, qb, M)
            square, ga, gb = squared_curvature(a, c)
            aa, ab, bb = curvature_change(a, c)
            f, f1 = bending(b, e, p, square)
            by = mat_add(scale9(k * f, ab), k * f1, dyad(ga, gb, 0.0))
            aa, bb = mat_add(scale9(k * f, aa), k * f1, dyad(ga, ga, 0.0)), mat_add(scale9(k * f, bb), k * f1, dyad(gb, gb, 0.0))
            add_matrices(o, b, e, N, M, aa, by, bb)


@jit
def energy(s, b, o):
    """W of cable-1"""
    for e in range(b.first, b.last):
        L, qa, qb = b.rp[e, LENGTH], b.ip[e, QA], b.ip[e, QB]
        for p in range(b.ip[e, POINTS]):
            x, weight = stretch_point(b.ip[e, POINTS], p)
            eps = stretch(combined(s.q, qa, qb, first(x, L))) - b.rp[e, STRETCH + p]
            o.E[ELASTIC] += weight * L * b.rp[e, EA] * eps * eps / 2
        for p in range(3):
            x, weight = three(p)
            square, _, _ = squared_curvature(combined(s.q, qa, qb, first(x, L)), combined(s.q, qa, qb, second(x, L)))
            k0 = b.rp[e, CURVATURE + p]
            more = k0 * k0 - 2 * k0 * np.sqrt(square) if k0.real != 0 else 0 * square
            o.E[ELASTIC] += weight * L * b.rp[e, EI] * (square + more) / 2


@jit
def power(s, b, o):
    """Lost: integral of EA tau eps'^2                                                                                  [cable-6]"""
    for e in range(b.first, b.last):
        L, qa, qb, va, vb, k = b.rp[e, LENGTH], b.ip[e, QA], b.ip[e, QB], b.ip[e, VA], b.ip[e, VB], b.rp[e, EA] * b.rp[e, DAMPING]
        for p in range(b.ip[e, POINTS]):
            x, weight = stretch_point(b.ip[e, POINTS], p)
            N = first(x, L)
            rate = dot(combined(s.q, qa, qb, N), combined(s.v, va, vb, N))
            o.E[DISSIPATION] += k * weight * L * rate * rate


@inlined
def masses(L):
    """Row by row of the matrix of X, a factor of the mass"""
    a, b = M11 + 0 * L, M13 + 0 * L
    return ((a, L * M12, b, L * M14), (L * M12, L * L * M22, -L * M14, L * L * M24),
            (b, -L * M14, a, -L * M12), (L * M14, L * L * M24, -L * M12, L * L * M22))


@jit
def inertia(s, b, o):
    """R += M (X'' - g on r), a constant matrix                                                                          [cable-7]"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        va, vb, m, M = b.ip[e, VA], b.ip[e, VB], b.rp[e, MASS], masses(b.rp[e, LENGTH])
        for i in range(4):
            row = M[i]
            F = sub(combined(s.a, va, vb, row), scale(row[0] + row[2], g))
            accumulate(m, F, o.R, (va if i < 2 else vb) + 3 * (i % 2))


@jit
def inertia_tangent(s, b, o):
    inertia(s, b, o)
    for e in range(b.first, b.last):
        t, f, M = b.ip[e, TABLE], o.cm * b.rp[e, MASS], masses(b.rp[e, LENGTH])
        for i in range(4):
            row = M[i]
            for j in range(4):
                for c in range(3):
                    o.D[b.tab[t + 2 * (i // 2) + j // 2], 3 * (i % 2) + c, 3 * (j % 2) + c] += f * row[j]


@jit
def inertia_energy(s, b, o):
    """X'.M X' / 2, potential -g.M (X on r)"""
    g = vec(b.val, GRAVITY)
    for e in range(b.first, b.last):
        qa, qb, va, vb, m, M = b.ip[e, QA], b.ip[e, QB], b.ip[e, VA], b.ip[e, VB], b.rp[e, MASS], masses(b.rp[e, LENGTH])
        for i in range(4):
            row = M[i]
            at, v = (qa if i < 2 else qb) + 3 * (i % 2), (va if i < 2 else vb) + 3 * (i % 2)
            o.E[KINETIC] += m * dot(vec(s.v, v), combined(s.v, va, vb, row)) / 2
            o.E[POTENTIAL] -= m * (row[0] + row[2]) * dot(g, vec(s.q, at))


CABLE = Family("cable", act=Stage(residual=elastic, tangent=elastic_tangent, energy=energy, power=power), force=True, elastic=True)
INERTIA = Family("cable inertia", act=Stage(residual=inertia, tangent=inertia_tangent, energy=inertia_energy))
