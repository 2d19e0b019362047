"""Tables of the stack machine. At val[i]: n, n breakpoints, 4 (n - 1) coefficients of distances from them, constant one first, n phases
(`functions.table`)."""
from .jit import jit


@jit
def table_interval(val, i, n, x):
    """Between which breakpoints x is: number ``low`` is not above it, the next one is, or is the last."""
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if val[i + 1 + middle].real <= x:
            low = middle
        else:
            high = middle
    return low


@jit
def table_piece(val, i, x):
    """The number of the straight piece of a table at x: 0 for all curved ones, -1 before and -2 after the ends."""
    n = int(val[i].real)
    if x < val[i + 1].real or x >= val[i + n].real:
        return -1.0 if x < val[i + 1].real else -2.0
    low = table_interval(val, i, n, x)
    c = i + 1 + n + 4 * low
    return 0.0 if val[c + 2].real != 0 or val[c + 3].real != 0 else 1.0 + low


@jit
def table_value(val, i, order, x):
    """Derivative ``order`` of the piecewise cubic at val[i]: n, n breakpoints, 4 (n - 1) coefficients, constant one first."""
    n = int(val[i].real)
    first, last = val[i + 1].real, val[i + n].real
    if x < first or x > last:
        if order > 0:
            return 0.0
        x = first if x < first else last
    low = table_interval(val, i, n, x)
    c, d = i + 1 + n + 4 * low, x - val[i + 1 + low].real
    if order == 0:
        return val[c].real + d * (val[c + 1].real + d * (val[c + 2].real + d * val[c + 3].real))
    if order == 1:
        return val[c + 1].real + d * (2 * val[c + 2].real + 3 * d * val[c + 3].real)
    if order == 2:
        return 2 * val[c + 2].real + 6 * d * val[c + 3].real
    return 6 * val[c + 3].real


@jit
def table_phase(val, i, u):
    """Of the table at val[i]: its phases at breakpoints stand behind its coefficients."""
    n = int(val[i].real)
    first, last, phases = val[i + 1].real, val[i + n].real, i + 1 + n + 4 * (n - 1)
    if u <= first or u >= last:
        return 0.0 if u <= first else val[phases + n - 1].real
    k = table_interval(val, i, n, u)
    part = (u - val[i + 1 + k].real) / (val[i + 2 + k].real - val[i + 1 + k].real)
    return val[phases + k].real + part * (val[phases + k + 1].real - val[phases + k].real)
