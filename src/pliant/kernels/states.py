"""Whole vectors and states: copies, sizes, quaternions of length one."""
import numpy as np

from .jit import inlined, jit


@jit
def copy(a, b):
    """b = a. (A slice assignment would do, but its error message costs 1.7 s of compilation.)"""
    for k in range(a.size):
        b[k] = a[k]


@jit
def copy_part(a, i, b, j, n):
    """b[j:j + n] = a[i:i + n]"""
    for k in range(n):
        b[j + k] = a[i + k]


@jit
def copy_tile(a, i, b, j):
    """b[j] = a[i], 6 x 6."""
    for k in range(6):
        for l in range(6):
            b[j, k, l] = a[i, k, l]


@jit
def flushed(x):
    """x, or zero when it is so small that its products would be denormal, which processors treat a hundred times slower."""
    return 0 * x if x.real * x.real + x.imag * x.imag < 1e-200 else x


@inlined
def larger(a, b):
    """The larger one; nan if one of them is."""
    return b if b > a or b != b else a


@jit
def largest(x, first):
    """Largest magnitude from ``first`` on; nan if there is one."""
    size = 0.0
    for k in range(first, x.size):
        size = larger(size, abs(x[k]))
    return size


@jit
def scaled(x, unit, first):
    """Largest weighted magnitude from ``first`` on; nan if there is one."""
    size = 0.0
    for k in range(first, x.size):
        size = larger(size, abs(x[k]) * unit[k])
    return size


@jit
def rms(x, w, n):
    """Root mean square of the weighted real parts."""
    total = 0.0
    for k in range(n):
        total += (w[k] * x[k].real) ** 2
    return np.sqrt(total / n) if n > 0 else 0.0


@jit
def normalise(maps, q):
    """Quaternions of length one: over many steps rounding changes them, and with them the sizes of bodies."""
    for k in range(maps.rotations.shape[0]):
        i = maps.rotations[k, 1]
        size = np.sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3])
        for j in range(4):
            q[i + j] /= size
