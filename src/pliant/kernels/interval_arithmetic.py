"""Arithmetic of intervals: bounds (low, high) of functions over bounds of their arguments. Bounds that are not numbers are lost: nothing
is known then."""
import numpy as np

from .expression_vm import ABS, ACOS, ASIN, ATAN, CLAMP, COS, COSH, EXP, LOG, SIN, SINH, SMOOTH, SQRT, TAN, TANH, real_function
from .jit import inlined, jit
from .states import larger

WHOLE = 2 * np.pi


@inlined
def smaller(a, b):
    """The smaller one; nan if one of them is."""
    return b if b < a or b != b else a


@jit
def known(low, high):
    if np.isnan(low) or np.isnan(high):
        return -np.inf, np.inf
    return low, high


@jit
def ordered(x, y):
    return smaller(x, y), larger(x, y)


@jit
def product(a, b):
    if (a[0] == 0 and a[1] == 0) or (b[0] == 0 and b[1] == 0):
        return 0.0, 0.0
    p, q, r, s = a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]
    return known(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)))


@jit
def inverse(a):
    if a[0] <= 0 and a[1] >= 0:
        return -np.inf, np.inf
    return 1 / a[1], 1 / a[0]


@jit
def total(a, b):
    return known(a[0] + b[0], a[1] + b[1])


@jit
def negative(a):
    return -a[1], -a[0]


@jit
def square(a):
    low, high = ordered(a[0] * a[0], a[1] * a[1])
    return 0.0 if a[0] < 0 and a[1] > 0 else low, high


@jit
def sine(a, shift):
    """Of sin(x + shift)."""
    if not (np.isfinite(a[0]) and np.isfinite(a[1])):
        return -1.0, 1.0
    x, y = a[0] + shift, a[1] + shift
    low, high = ordered(np.sin(x), np.sin(y))
    top, bottom = np.pi / 2, -np.pi / 2
    return (-1.0 if np.floor((x - bottom) / WHOLE) != np.floor((y - bottom) / WHOLE) else low,
            1.0 if np.floor((x - top) / WHOLE) != np.floor((y - top) / WHOLE) else high)


@jit
def tangent(a):
    if np.floor(a[0] / np.pi + 0.5) == np.floor(a[1] / np.pi + 0.5):
        return np.tan(a[0]), np.tan(a[1])
    return -np.inf, np.inf


@jit
def even(op, a, at_zero):
    """Of a function that grows with |x|."""
    low, high = ordered(real_function(op, a[0]), real_function(op, a[1]))
    return at_zero if a[0] < 0 and a[1] > 0 else low, high


@jit
def rising(op, a):
    return real_function(op, a[0]), real_function(op, a[1])


@jit
def root(a):
    """Of 1 / sqrt(1 - x^2)."""
    low, high = total((1.0, 1.0), negative(square(a)))
    return inverse((np.sqrt(low), np.sqrt(high)))


@jit
def power(x, n):
    """Of x^n for a number n."""
    if n == 0:
        return 1.0, 1.0
    m = abs(n)
    if m % 1 != 0 and x[0] < 0:
        low, high = -np.inf, np.inf
    elif m == 2:
        low, high = square(x)
    else:
        low, high = (np.sqrt(x[0]), np.sqrt(x[1])) if m == 0.5 else (x[0]**m, x[1]**m)
        if m % 2 == 0:
            low, high = ordered(low, high)
            low = 0.0 if x[0] < 0 and x[1] > 0 else low
        else:
            low, high = known(low, high)
    return inverse((low, high)) if n < 0 else (low, high)


@jit
def values(op, a):
    """Of a function of one argument."""
    if op in (SIN, COS):
        return sine(a, 0.0 if op == SIN else np.pi / 2)
    if op == TAN:
        return tangent(a)
    if op == ACOS:
        return np.arccos(a[1]), np.arccos(a[0])
    if op in (COSH, ABS):
        return even(op, a, 1.0 if op == COSH else 0.0)
    return rising(op, a)


@jit
def ramp_slope(x):
    return 1.0 if 0 <= x <= 1 else 0.0


@jit
def smooth_slopes(a):
    x, y = min(max(a[0], 0.0), 1.0), min(max(a[1], 0.0), 1.0)
    low, high = ordered(6 * x * (1 - x), 6 * y * (1 - y))
    return low, 1.5 if x < 0.5 and y > 0.5 else high


@jit
def slopes(op, a):
    """Of its slope."""
    if op == SIN:
        return sine(a, np.pi / 2)
    if op == COS:
        return negative(sine(a, 0.0))
    if op == TAN:
        return total((1.0, 1.0), square(tangent(a)))
    if op in (ASIN, ACOS):
        return root(a) if op == ASIN else negative(root(a))
    if op == ATAN:
        return inverse(total((1.0, 1.0), square(a)))
    if op == SINH:
        return even(np.int64(COSH), a, 1.0)
    if op == COSH:
        return rising(np.int64(SINH), a)
    if op == TANH:
        return negative(total(square(rising(op, a)), (-1.0, -1.0)))
    if op == EXP:
        return rising(op, a)
    if op == LOG:
        return inverse((max(a[0], 0.0), a[1]))
    if op == SQRT:
        return 0.5 / np.sqrt(a[1]), 0.5 / np.sqrt(max(a[0], 0.0))
    if op == ABS:
        return -1.0 if a[0] < 0 else 1.0, 1.0 if a[1] > 0 else -1.0
    if op == CLAMP:
        low, high = ordered(ramp_slope(a[0]), ramp_slope(a[1]))
        return low, 1.0 if a[0] < 1 and a[1] > 0 else high
    if op == SMOOTH:
        return smooth_slopes(a)
    return -np.inf, np.inf
