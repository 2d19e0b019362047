"""Two frames and the screw between them: H_A^-1 H_B = exp(d), d = (S(phi) u, phi), as tuples. Derivations: docs/theory/beams.md

Matrices are 9-tuples as in so3. phi is below half a turn; the series near 0 and the closed forms elsewhere are good to rounding.
"""
import numpy as np

from .jit import inlined, jit
from .so3 import add, column, cross, dot, dyad, mat_add, matmul, mul, scale, skew, transpose, vec

SHORT, LONG = 0.02, 1.0  # squared angles up to which five terms and fourteen terms are exact to rounding


@jit
def scale9(s, M):
    return s * M[0], s * M[1], s * M[2], s * M[3], s * M[4], s * M[5], s * M[6], s * M[7], s * M[8]


@jit
def add9(M, N):
    return M[0] + N[0], M[1] + N[1], M[2] + N[2], M[3] + N[3], M[4] + N[4], M[5] + N[5], M[6] + N[6], M[7] + N[7], M[8] + N[8]


@jit
def from_columns(a, b, c):
    return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]


@jit
def tmatmul(M, N):
    """M^T N"""
    return matmul(transpose(M), N)


@jit
def cross_mat(a, M):
    """[a] M"""
    return from_columns(cross(a, column(M, 0)), cross(a, column(M, 1)), cross(a, column(M, 2)))


@jit
def mat_cross(M, a):
    """M [a]"""
    x, y, z = cross((M[0], M[1], M[2]), a), cross((M[3], M[4], M[5]), a), cross((M[6], M[7], M[8]), a)
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


@jit
def block3(x, k, width):
    """The 3x3 matrix at x[k:] whose rows are ``width`` apart."""
    i, j = k + width, k + 2 * width
    return x[k], x[k + 1], x[k + 2], x[i], x[i + 1], x[i + 2], x[j], x[j + 1], x[j + 2]


@inlined
def put_block(D, k, i, j, f, M):
    """D[k, i:i+3, j:j+3] += f M"""
    for r in range(3):
        for c in range(3):
            D[k, i + r, j + c] += f * M[3 * r + c]


@jit
def times6(x, k, a, b):
    """The 6x6 matrix at x[k:] times (a, b), as two vectors."""
    i = k + 18
    return (add(mul(block3(x, k, 6), a), mul(block3(x, k + 3, 6), b)), add(mul(block3(x, i, 6), a), mul(block3(x, i + 3, 6), b)))


@jit
def relative_quaternion(q, i, j):
    """(c, v) of the rotation from q[i:i+4] to q[j:j+4], of the sign for which it is below half a turn."""
    w, a, x, b = q[i], vec(q, i + 1), q[j], vec(q, j + 1)
    c, ab = w * x + dot(a, b), cross(a, b)
    v = (w * b[0] - x * a[0] - ab[0], w * b[1] - x * a[1] - ab[1], w * b[2] - x * a[2] - ab[2])
    if c.real < 0:
        return -c, scale(-1.0, v)
    return c, v


@inlined
def logarithm(c, v):
    """phi = 2 atan(|v| / c) v / |v|, k = (t/2) cot(t/2) and sin(t/2)^2, t = |phi|                              [beam-25]"""
    v2 = dot(v, v)
    x = v2 / (c * c)
    if x.real < 5e-3:  # atan(y) / y, x = y^2
        f = (1 - x * (1 / 3 - x * (1 / 5 - x * (1 / 7 - x * (1 / 9 - x * (1 / 11 - x * (1 / 13 - x / 15))))))) / c
    else:
        s = np.sqrt(v2)
        f = np.arctan(s / c) / s
    return scale(2 * f, v), f * c, v2 / (c * c + v2)


@inlined
def factors(t2, k, s2):
    """g = (1 - (t/2) cot(t/2)) / t^2 with its first and second derivative by t^2; k and s2 from `logarithm`      [beam-26]"""
    if t2.real < SHORT:
        return (1 / 12 + t2 * (1 / 720 + t2 * (1 / 30240 + t2 * (1 / 1209600 + t2 * (1 / 47900160 + t2 * (691 / 1307674368000))))),
                1 / 720 + t2 * (2 / 30240 + t2 * (3 / 1209600 + t2 * (4 / 47900160 + t2 * (5 * 691 / 1307674368000)))),
                2 / 30240 + t2 * (6 / 1209600 + t2 * (12 / 47900160 + t2 * (20 * 691 / 1307674368000 + t2 * (30 / 74724249600)))))
    if t2.real < LONG:
        return long_series(t2)
    g = (1 - k) / t2
    k1 = (k / t2 - 0.25 / s2) / 2
    g1 = (-k1 - g) / t2
    k2 = (k1 / t2 - k / (t2 * t2) + 0.25 * k / (t2 * s2)) / 2
    return g, g1, (-k2 - 2 * g1) / t2


@jit
def long_series(t2):
    """The same from the series of |B_n| t^(n-2) / n!, n = 2, 4, ... 30, with the numbers of Bernoulli."""
    g = g1 = g2 = 0 * t2
    for a in (2.267952452337683e-24, 8.953517427037546e-23, 3.534707039629467e-21, 1.3954464685812522e-19, 5.5090028283602295e-18,
              2.174868698558062e-16, 8.586062056277845e-15, 3.3896802963225827e-13, 1.3382536530684679e-11, 691 / 1307674368000,
              1 / 47900160, 1 / 1209600, 1 / 30240, 1 / 720, 1 / 12):
        g2, g1, g = g2 * t2 + g1, g1 * t2 + g, g * t2 + a
    return g, g1, 2 * g2


@jit
def left_inverse(r, g):
    """S(r) = 1 - [r]/2 + g [r]^2, the inverse of so3.left_tangent; its transpose belongs to -r                       [beam-1]"""
    return mat_add(dyad(scale(g, r), r, 1 - g * dot(r, r)), -0.5, skew(r))


@jit
def left_inverse_change(r, x, g, g1):
    """Z(r, x) = d(S(r) x)/dr = [x]/2 - g ([r x x] + [r][x]) + 2 g' (r x (r x x)) r^T                                  [beam-27]"""
    y = cross(r, x)
    K = mat_add(dyad(add(scale(2 * g1, cross(r, y)), scale(-g, x)), r, g * dot(r, x)), 0.5, skew(x))
    return mat_add(K, -g, skew(y))


@jit
def left_inverse_rate(r, w, g, g1):
    """The derivative of S(r) along w: -[w]/2 + g ([w][r] + [r][w]) + 2 g' (r.w) [r]^2                                [beam-28]"""
    f, rw = 2 * g1 * dot(r, w), dot(r, w)
    K = mat_add(dyad(scale(g, r), w, -2 * g * rw), -0.5, skew(w))
    return add9(K, dyad(add(scale(g, w), scale(f, r)), r, -f * dot(r, r)))


@jit
def left_inverse_second(r, x, w, g, g1, g2):
    """d(Z(r, x) w)/dr at constant w                                                                                  [beam-29]"""
    rx, wx, rw = cross(r, x), cross(w, x), dot(r, w)
    rrx = cross(r, rx)
    across = scale(2 * g1, add(cross(w, rx), cross(r, wx)))
    K = dyad(add(across, scale(4 * g2 * rw, rrx)), r, 0.0)
    K = mat_add(K, 2 * g1, dyad(rrx, w, 0.0))
    K = mat_add(K, -g, add9(cross_mat(w, skew(x)), skew(wx)))
    return mat_add(K, -2 * g1 * rw, add9(skew(rx), cross_mat(r, skew(x))))
