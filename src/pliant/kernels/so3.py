"""3-vectors and rotations as tuples: no allocation, any scalar type. A 3x3 matrix is a 9-tuple, row by row.

[a] is the matrix of the cross product, [a] b = a x b. Rotation increments are right increments in body axes:
R exp([r]). Derivations: docs/theory/rotations.md.
"""
import numpy as np

from .jit import jit


@jit
def vec(x, i):
    return x[i], x[i + 1], x[i + 2]


@jit
def store(a, x, i):
    for k in range(len(a)):
        x[i + k] = a[k]


@jit
def accumulate(s, a, x, i):
    for k in range(3):
        x[i + k] += s * a[k]


@jit
def vec2(x, r, i):
    """Three numbers of row r. (A view x[r] would cost two atomic counts of references, more than the arithmetic.)"""
    return x[r, i], x[r, i + 1], x[r, i + 2]


@jit
def mat2(x, r, i):
    return (x[r, i], x[r, i + 1], x[r, i + 2], x[r, i + 3], x[r, i + 4], x[r, i + 5], x[r, i + 6], x[r, i + 7], x[r, i + 8])


@jit
def store2(a, x, r, i):
    for k in range(len(a)):
        x[r, i + k] = a[k]


@jit
def accumulate2(s, a, x, r, i):
    for k in range(3):
        x[r, i + k] += s * a[k]


@jit
def axis2(x, r, i, k):
    """Column k of the matrix stored at x[r, i:i+9]."""
    return x[r, i + k], x[r, i + 3 + k], x[r, i + 6 + k]


@jit
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jit
def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jit
def scale(s, a):
    return s * a[0], s * a[1], s * a[2]


@jit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit
def column(m, k):
    return m[k], m[3 + k], m[6 + k]


@jit
def mul(m, a):
    return (m[0] * a[0] + m[1] * a[1] + m[2] * a[2], m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
            m[6] * a[0] + m[7] * a[1] + m[8] * a[2])


@jit
def tmul(m, a):
    """m^T a"""
    return (m[0] * a[0] + m[3] * a[1] + m[6] * a[2], m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
            m[2] * a[0] + m[5] * a[1] + m[8] * a[2])


@jit
def transpose(m):
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@jit
def matmul(m, n):
    a, b, c = mul(m, (n[0], n[3], n[6])), mul(m, (n[1], n[4], n[7])), mul(m, (n[2], n[5], n[8]))
    return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]


@jit
def mat_add(m, s, n):
    """m + s n"""
    return (m[0] + s * n[0], m[1] + s * n[1], m[2] + s * n[2], m[3] + s * n[3], m[4] + s * n[4], m[5] + s * n[5],
            m[6] + s * n[6], m[7] + s * n[7], m[8] + s * n[8])


@jit
def dyad(a, b, d):
    """a b^T + d 1"""
    return (a[0] * b[0] + d, a[0] * b[1], a[0] * b[2], a[1] * b[0], a[1] * b[1] + d, a[1] * b[2],
            a[2] * b[0], a[2] * b[1], a[2] * b[2] + d)


@jit
def skew(a):
    """[a]"""
    z = 0 * a[0]
    return z, -a[2], a[1], a[2], z, -a[0], -a[1], a[0], z


@jit
def rotation(q, i):
    """Rotation matrix of the unit quaternion q[i:i+4], scalar first."""
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    return (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))


@jit
def sine_ratios(t2):
    """sin t / t and (1 - cos t) / t^2 as functions of t^2."""
    if t2.real < 1e-2:
        return (1 - t2 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72))),
                0.5 - t2 / 24 * (1 - t2 / 30 * (1 - t2 / 56 * (1 - t2 / 90))))
    t = np.sqrt(t2)
    return np.sin(t) / t, (1 - np.cos(t)) / t2


@jit
def inverse_factor(t2):
    """d = (1 - (t/2) cot(t/2)) / t^2 and its derivative by t^2; d belongs to the inverse tangent operator."""
    if t2.real < 2e-2:
        return (1 / 12 + t2 * (1 / 720 + t2 * (1 / 30240 + t2 * (1 / 1209600 + t2 / 47900160))),
                1 / 720 + t2 * (2 / 30240 + t2 * (3 / 1209600 + 4 * t2 / 47900160)))
    s, c = sine_ratios(t2)
    d = (1 - s / c / 2) / t2
    return d, ((0.5 / c - 1) / t2 - d) / (2 * t2)


@jit
def tangent_inverse(r):
    """T with exp(r + T a) = exp(r) exp(a) to first order: 1 + [r]/2 + d [r]^2                        [so3-1]"""
    t2 = dot(r, r)
    d = inverse_factor(t2)[0]
    return mat_add(dyad(scale(d, r), r, 1 - d * t2), 0.5, skew(r))


@jit
def turn(q, i, r, out):
    """out[i:i+4] = q[i:i+4] * exp(r)                                                                 [so3-2]"""
    t2 = dot(r, r) / 4
    s, b = sine_ratios(t2)
    w, u, c, d = q[i], vec(q, i + 1), 1 - t2 * b, scale(s / 2, r)
    out[i] = w * c - dot(u, d)
    store(add(cross(u, d), add(scale(w, d), scale(c, u))), out, i + 1)


@jit
def quaternion(R):
    """(c, u) = (cos t/2, sin t/2 n) of a rotation matrix, of either sign: by the largest of its four squares."""
    trace = R[0] + R[4] + R[8]
    k, most = 3, trace.real
    for i in range(3):
        if R[4 * i].real > most:
            k, most = i, R[4 * i].real
    odd = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    if k == 3:
        c = np.sqrt(1 + trace) / 2
        return c, scale(1 / (4 * c), odd)
    i, j, l = k, (k + 1) % 3, (k + 2) % 3
    x = np.sqrt(1 + 2 * R[4 * i] - trace) / 2
    y, z, f = (R[3 * i + j] + R[3 * j + i]) / (4 * x), (R[3 * i + l] + R[3 * l + i]) / (4 * x), odd[i] / (4 * x)
    if k == 0:
        return f, (x, y, z)
    return (f, (z, x, y)) if k == 1 else (f, (y, z, x))


@jit
def rotation_vector(R, near):
    """r with exp([r]) = R, below 2 pi: of the two of a quaternion's signs the one next to ``near``, on the sphere of quaternions
    r = 2 atan2(|u|, c) u / |u|                                                                       [so3-3]"""
    c, u = quaternion(R)
    t2 = (near[0].real * near[0].real + near[1].real * near[1].real + near[2].real * near[2].real) / 4
    s, b = sine_ratios(t2)
    side = (1 - t2 * b) * c.real + s / 2 * (near[0].real * u[0].real + near[1].real * u[1].real + near[2].real * u[2].real)
    if side < 0:
        c, u = -c, scale(-1.0, u)
    s2 = dot(u, u)
    if s2.real < 1e-4 and c.real > 0:  # 2 arcsin(s) / s
        return scale(2 + s2 / 3 * (1 + 9 * s2 / 20 * (1 + 25 * s2 / 42 * (1 + 49 * s2 / 72))), u)
    s = np.sqrt(s2)
    if c.real * c.real > s2.real:
        t = np.arctan(s / c)
        if c.real < 0:
            t += np.pi
    else:
        t = np.pi / 2 - np.arctan(c / s)
    return scale(2 * t / s, u)


@jit
def exponential(r):
    """The rotation matrix exp([r]) = 1 + s [r] + b [r]^2                                             [so3-4]"""
    t2 = dot(r, r)
    s, b = sine_ratios(t2)
    return mat_add(dyad(scale(b, r), r, 1 - b * t2), s, skew(r))


@jit
def left_factors(t2):
    """b = (1 - cos t) / t^2 and c = (t - sin t) / t^3 with their derivatives by t^2."""
    if t2.real < 0.25:
        b = 0.5 - t2 * (1 / 24 - t2 * (1 / 720 - t2 * (1 / 40320 - t2 * (1 / 3628800 - t2 * (1 / 479001600 - t2 / 87178291200)))))
        c = 1 / 6 - t2 * (1 / 120 - t2 * (1 / 5040 - t2 * (1 / 362880 - t2 * (1 / 39916800 - t2 * (1 / 6227020800 - t2 / 1307674368000)))))
        db = -1 / 24 + t2 * (2 / 720 - t2 * (3 / 40320 - t2 * (4 / 3628800 - t2 * (5 / 479001600 - t2 * (6 / 87178291200)))))
        dc = -1 / 120 + t2 * (2 / 5040 - t2 * (3 / 362880 - t2 * (4 / 39916800 - t2 * (5 / 6227020800 - t2 * (6 / 1307674368000)))))
        return b, c, db, dc
    s, b = sine_ratios(t2)
    c = (1 - s) / t2
    return b, c, (s - 2 * b) / (2 * t2), (b - 3 * c) / (2 * t2)


@jit
def left_tangent(r):
    """T with exp(r + d) = exp(T d) exp(r) to first order: 1 + b [r] + c [r]^2; its transpose belongs to -r  [so3-5]"""
    t2 = dot(r, r)
    b, c, _, _ = left_factors(t2)
    return mat_add(dyad(scale(c, r), r, 1 - c * t2), b, skew(r))


@jit
def left_tangent_change(r, x):
    """K with d(T(r) x) = K dr: -b [x] - c ([r x x] + [r][x]) + 2 (b' r x x + c' r x (r x x)) r^T         [so3-6]"""
    b, c, db, dc = left_factors(dot(r, r))
    rx = cross(r, x)
    K = dyad(add(scale(2 * db, rx), scale(2 * dc, cross(r, rx))), r, 0.0)
    K = mat_add(K, -b, skew(x))
    K = mat_add(K, -c, skew(rx))
    return mat_add(K, -c, dyad(x, r, -dot(r, x)))  # [r][x] = x r^T - r.x 1
