"""Rows of numbers in long arrays. Indices are without sign: a check for negative ones would keep the loops from being vectorised, or make
gathered and scattered ones of them, which takes twice the time."""
import numpy as np

from .jit import inlined


@inlined
def add_scaled(f, x, i, y, k, n):
    """y[k:k+n] += f x[i:i+n]"""
    at, to = np.uint64(i), np.uint64(k)
    for j in range(np.uint64(n)):
        y[to + j] += f * x[at + j]


@inlined
def add_rows(f, m, rows, x, i, apart, y, k, n):
    """y[k:k+n] += sum_r f[m+r] x[i+r apart:i+r apart+n], three rows at a time: y is read and written less often."""
    r, to = 0, np.uint64(k)
    while r + 3 <= rows:
        a, b, c, at = f[m + r], f[m + r + 1], f[m + r + 2], np.uint64(i + r * apart)
        bt, ct = at + np.uint64(apart), at + np.uint64(2 * apart)
        for j in range(np.uint64(n)):
            y[to + j] = y[to + j] + a * x[at + j] + b * x[bt + j] + c * x[ct + j]
        r += 3
    while r < rows:
        add_scaled(f[m + r], x, i + r * apart, y, k, n)
        r += 1


@inlined
def copy(x, i, y, k, n):
    at, to = np.uint64(i), np.uint64(k)
    for j in range(np.uint64(n)):
        y[to + j] = x[at + j]


@inlined
def clear(y, k, n):
    to = np.uint64(k)
    for j in range(np.uint64(n)):
        y[to + j] = 0
