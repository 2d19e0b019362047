"""The section forces of a helicoidal element and their derivative by its strain. Derivations: docs/theory/beams.md

Symmetric 6x6 matrices are three 3x3 blocks (nn, nm, mm): forces with forces, forces with moments, moments with moments.
"""
from .helicoidal import add9, block3, cross_mat, from_columns, mat_cross, scale9, tmatmul
from .jit import inlined, jit
from .so3 import add, column, cross, mat_add, mul, skew, sub, tmul, transpose


@jit
def ldl3(M):
    """M = l d l^T of a symmetric positive matrix: (l_10, l_20, l_21, 1/d_0, 1/d_1, 1/d_2)"""
    d0 = 1 / M[0]
    a, b = M[3] * d0, M[6] * d0
    d1 = 1 / (M[4] - a * M[3])
    x = M[7] - a * M[6]
    c = x * d1
    return a, b, c, d0, d1, 1 / (M[8] - b * M[6] - c * x)


@jit
def half3(f, x):
    """l^-1 x"""
    y = x[1] - f[0] * x[0]
    return x[0], y, x[2] - f[1] * x[0] - f[2] * y


@jit
def solve3(f, x):
    """(l d l^T)^-1 x"""
    y = half3(f, x)
    z = y[2] * f[5]
    w = y[1] * f[4] - f[2] * z
    return y[0] * f[3] - f[0] * w - f[1] * z, w, z


@jit
def half9(f, M):
    return from_columns(half3(f, column(M, 0)), half3(f, column(M, 1)), half3(f, column(M, 2)))


@jit
def solve9(f, M):
    return from_columns(solve3(f, column(M, 0)), solve3(f, column(M, 1)), solve3(f, column(M, 2)))


@jit
def squares9(f, M, N):
    """M^T d^-1 N"""
    D = (f[3] * N[0], f[3] * N[1], f[3] * N[2], f[4] * N[3], f[4] * N[4], f[4] * N[5], f[5] * N[6], f[5] * N[7], f[5] * N[8])
    return tmatmul(M, D)


@inlined
def corrected(F, G, H, tapered, gamma, K):
    """Phi = F + A^T G A - H A - A^T H, A = ([K] 0; [gamma] [K]), as factors: of its block mm, X = Phi_mm^-1 Phi_mn, of the rest. F is the
    mean of the flexibility, H that of sigma F, G that of sigma^2 F; H = 0 unless the element is ``tapered``             [beam-7]"""
    (Fnn, Fnm, Fmm), (Gnn, Gnm, Gmm), (Hnn, Hnm, Hmm) = F, G, H
    Fmn, Gmn = transpose(Fnm), transpose(Gnm)
    P1 = add9(mat_cross(Gnn, K), mat_cross(Gnm, gamma))
    P2 = add9(mat_cross(Gmn, K), mat_cross(Gmm, gamma))
    Q2 = mat_cross(Gmm, K)
    if tapered:
        Hmn = transpose(Hnm)
        P1, P2, Q2 = mat_add(P1, -1.0, Hnn), mat_add(P2, -1.0, Hmn), mat_add(Q2, -1.0, Hmm)
        Fnn = mat_add(Fnn, -1.0, add9(mat_cross(Hnn, K), mat_cross(Hnm, gamma)))
        Fmn = mat_add(Fmn, -1.0, add9(mat_cross(Hmn, K), mat_cross(Hmm, gamma)))
        Fmm = mat_add(Fmm, -1.0, mat_cross(Hmm, K))
    nn = mat_add(Fnn, -1.0, add9(cross_mat(K, P1), cross_mat(gamma, P2)))
    mn = mat_add(Fmn, -1.0, cross_mat(K, P2))
    m = ldl3(mat_add(Fmm, -1.0, cross_mat(K, Q2)))
    X = solve9(m, mn)
    return m, X, ldl3(mat_add(nn, -1.0, tmatmul(mn, X)))


@inlined
def solve(factors, x, y):
    """Phi^-1 (x, y)"""
    m, X, r = factors
    n = solve3(r, sub(x, tmul(X, y)))
    return n, sub(solve3(m, y), mul(X, n))


@inlined
def times(F, x, y):
    """F (x, y)"""
    Fnn, Fnm, Fmm = F
    return add(mul(Fnn, x), mul(Fnm, y)), add(tmul(Fnm, x), mul(Fmm, y))


@inlined
def conjugate(G, H, tapered, gamma, K, n, m):
    """(a, b) = G A (n, m) - H (n, m)"""
    a, b = times(G, cross(K, n), add(cross(gamma, n), cross(K, m)))
    if tapered:
        x, y = times(H, n, m)
        a, b = sub(a, x), sub(b, y)
    return a, b


@inlined
def effective(n, m, a, b):
    """n - n x b, m - (n x a + m x b): what works on the strain                                                        [beam-11]"""
    return sub(n, cross(n, b)), sub(m, add(cross(n, a), cross(m, b)))


@inlined
def load_flexibility(x, k):
    """The three blocks of the symmetric 6x6 matrix at x[k:]"""
    return block3(x, k, 6), block3(x, k + 3, 6), block3(x, k + 21, 6)


@jit
def current_forces(x, k, tapered, gamma, K, e, f):
    """What works on the strain where F, G, H are at x[k:]; e, f: the strain over the one without stress."""
    F, G, H = load_flexibility(x, k), load_flexibility(x, k + 36), load_flexibility(x, k + 72)
    n, m = solve(corrected(F, G, H, tapered, gamma, K), e, f)
    a, b = conjugate(G, H, tapered, gamma, K, n, m)
    return effective(n, m, a, b)


@jit
def section_forces(x, k, tapered, gamma, K, e, f):
    """(n, m) = Phi^-1 (e, f) in the middle of the element"""
    F, G, H = load_flexibility(x, k), load_flexibility(x, k + 36), load_flexibility(x, k + 72)
    return solve(corrected(F, G, H, tapered, gamma, K), e, f)


@inlined
def leaned(G, n, m):
    """G B, B = (0 -[n]; -[n] -[m]): blocks 11, 12, 21, 22"""
    Gnn, Gnm, Gmm = G
    return (scale9(-1.0, mat_cross(Gnm, n)), mat_add(scale9(-1.0, mat_cross(Gnn, n)), -1.0, mat_cross(Gnm, m)),
            scale9(-1.0, mat_cross(Gmm, n)), mat_add(scale9(-1.0, mat_cross(transpose(Gnm), n)), -1.0, mat_cross(Gmm, m)))


@jit
def current_stiffness(x, k, tapered, gamma, K, e, f):
    """As current_forces, and (1 - Q)^T Phi^-1 (1 - Q) - B^T G B, Q = (A^T G - H) B + ([b] [a]; 0 [b])                 [beam-12]"""
    F, G, H = load_flexibility(x, k), load_flexibility(x, k + 36), load_flexibility(x, k + 72)
    factors = corrected(F, G, H, tapered, gamma, K)
    n, m = solve(factors, e, f)
    a, b = conjugate(G, H, tapered, gamma, K, n, m)
    T11, T12, T21, T22 = leaned(G, n, m)
    one = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    H11 = mat_add(mat_add(one, 1.0, add9(cross_mat(K, T11), cross_mat(gamma, T21))), -1.0, skew(b))
    H12 = mat_add(add9(cross_mat(K, T12), cross_mat(gamma, T22)), -1.0, skew(a))
    H21 = cross_mat(K, T21)
    H22 = mat_add(mat_add(one, 1.0, cross_mat(K, T22)), -1.0, skew(b))
    if tapered:
        S11, S12, S21, S22 = leaned(H, n, m)
        H11, H12, H21, H22 = add9(H11, S11), add9(H12, S12), add9(H21, S21), add9(H22, S22)
    low, X, rest = factors
    U1, U2 = half9(rest, mat_add(H11, -1.0, tmatmul(X, H21))), half9(rest, mat_add(H12, -1.0, tmatmul(X, H22)))
    V1, V2 = half9(low, H21), half9(low, H22)
    nn = mat_add(add9(squares9(rest, U1, U1), squares9(low, V1, V1)), -1.0, cross_mat(n, T21))
    nm = mat_add(add9(squares9(rest, U1, U2), squares9(low, V1, V2)), -1.0, cross_mat(n, T22))
    mm = mat_add(add9(squares9(rest, U2, U2), squares9(low, V2, V2)), -1.0, add9(cross_mat(n, T12), cross_mat(m, T22)))
    x, y = effective(n, m, a, b)
    return x, y, nn, nm, mm
