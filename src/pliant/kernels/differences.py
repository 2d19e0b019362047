"""Derivatives by time of Python functions, which nobody has written down: by differences, and by a complex step."""
import numpy as np

from .contract import call_python
from .jit import jit

FINER = 9              # the finest difference is 4^-FINER of the widest
AGREE = 10.0           # times the error of a difference, within which a complex step is believed
COMPLEX_STEP = np.inf  # as v, asks a Python function of t for its rate by a complex step; nan if it has none


@jit
def by_time(f, order, t, x, v, widest):
    """Derivative 1 or 2 by t of the function at address ``f``, and its error: central differences D(h), extrapolated to sixth order
    from h, h/4 and h/16. Of h, powers of two up to ``widest`` (t + h is exact), the one where extrapolations differ least, with the
    rounding of f and of its argument; from small to large, so that no oscillation is taken for a slower one.               [diff-1]"""
    h = 2.0 ** (np.floor(np.log2(widest)) - 2 * FINER)
    middle, best, answer, last, before, d1, d2 = call_python(f, t, x, v), np.inf, np.nan, 0.0, 0.0, 0.0, 0.0
    for k in range(FINER + 1):
        a, b = call_python(f, t - h, x, v), call_python(f, t + h, x, v)
        slope = (b - a) / (2 * h)
        d = slope if order == 1 else (a + b - 2 * middle) / (h * h)
        if k >= 2:
            fine, coarse = d2 + (d2 - d1) / 15, d1 + (d1 - d) / 15
            found = fine + (fine - coarse) / 255
            change = abs(found - last)
            error = change + before / 64 + 4e-16 * (abs(a) + abs(middle) + abs(b) + abs(t * slope)) / (h / 16) ** order
            if k > 2:
                if error <= best:
                    best, answer = error, found
                elif error > 1e3 * best:
                    break
                before = change
            last = found
        d2, d1, h = d1, d, 4 * h
    return answer, best


@jit
def rate(f, order, t, x, v, widest):
    """The same by a complex step, f' = Im f(t + i e) / e, and f'' by differences of that, where the function takes complex numbers and the
    two agree: one that has abs or a table in it may give another number.                                                   [diff-2]"""
    answer, error = by_time(f, order, t, x, v, widest)
    exact, left = call_python(f, t, x, COMPLEX_STEP), 0.0
    if exact == exact and order == 2:
        exact, left = by_time(f, 1, t, x, COMPLEX_STEP, widest)
    return exact if abs(exact - answer) <= AGREE * error + left else answer
