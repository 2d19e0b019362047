"""Rows of numbers in long arrays."""
from .jit import inlined


@inlined
def add_rows(f, m, rows, x, i, apart, y, k, n):
    """y[k:k+n] += sum_r f[m+r] x[i+r apart:i+r apart+n], three rows at a time: y is read and written less often."""
    r = 0
    while r + 3 <= rows:
        a, b, c, at = f[m + r], f[m + r + 1], f[m + r + 2], i + r * apart
        for j in range(n):
            y[k + j] = y[k + j] + a * x[at + j] + b * x[at + apart + j] + c * x[at + 2 * apart + j]
        r += 3
    while r < rows:
        for j in range(n):
            y[k + j] += f[m + r] * x[i + r * apart + j]
        r += 1


@inlined
def copy(x, i, y, k, n):
    for j in range(n):
        y[k + j] = x[i + j]


@inlined
def clear(y, k, n):
    for j in range(n):
        y[k + j] = 0
