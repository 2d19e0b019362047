"""Symmetric 3x3 matrices by their upper halves, products of 3x3 matrices with cross products, forces and motions of six numbers."""
from .jit import inlined


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


@inlined
def dot6(x, r, i, a, b):
    """x[r, i:i+6] . (a, b)"""
    return x[r, i] * a[0] + x[r, i + 1] * a[1] + x[r, i + 2] * a[2] + x[r, i + 3] * b[0] + x[r, i + 4] * b[1] + x[r, i + 5] * b[2]


@inlined
def add6(a, b, x, r, i):
    """x[r, i:i+6] += (a, b)"""
    for k in range(3):
        x[r, i + k] += a[k]
        x[r, i + 3 + k] += b[k]
