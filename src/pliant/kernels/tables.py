"""Tables of the stack machine. At val[i]: n, n breakpoints, 4 (n - 1) coefficients of distances from them, constant one first, n phases,
slopes before and beyond the ends (`functions.table`). Of two variables: numbers of breakpoints in x and y, 1 if slopes go on beyond the
edges, and 2 more if it is linear, the breakpoints, 16 coefficients a cell (`functions.table2`)."""
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
    further = 0.0
    if x < first or x > last:
        slope, end = (val[i + 6 * n - 3].real, first) if x < first else (val[i + 6 * n - 2].real, last)
        if order > 0:
            return slope if order == 1 else 0.0
        further, x = slope * (x - end), end
    low = table_interval(val, i, n, x)
    c, d = i + 1 + n + 4 * low, x - val[i + 1 + low].real
    if order == 0:
        return val[c].real + d * (val[c + 1].real + d * (val[c + 2].real + d * val[c + 3].real)) + further
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


@jit
def powers(order, d):
    """Derivative ``order`` of 1, d, d^2, d^3."""
    zero, one = 0 * d, 0 * d + 1
    if order == 0:
        return one, d, d * d, d * d * d
    if order == 1:
        return zero, one, 2 * d, 3 * d * d
    if order == 2:
        return zero, zero, one + one, 6 * d
    return zero, zero, zero, 6 * one


@jit
def cell_value(val, c, a, b, d, e):
    """sum c_ab d^a e^b of the coefficients at val[c], derived a and b times."""
    p, q = powers(a, d), powers(b, e)
    s = 0.0
    for k in range(4):
        s += p[k] * (val[c + 4 * k].real * q[0] + val[c + 4 * k + 1].real * q[1] + val[c + 4 * k + 2].real * q[2]
                     + val[c + 4 * k + 3].real * q[3])
    return s


@jit
def cell_of(val, i, x, y):
    """The cell of a table of two variables that a point is in, or next to."""
    n, m = int(val[i].real), int(val[i + 1].real)
    return table_interval(val, i + 2, n, x), table_interval(val, i + 2 + n, m, y)


@jit
def side(val, first, n, x, linear):
    """The number of the piece of a linear table at x; 0 for all of a cubic one, -1 before and -2 after the n breakpoints."""
    if x < val[first].real or x >= val[first + n - 1].real:
        return -1.0 if x < val[first].real else -2.0
    return 1.0 + table_interval(val, first - 1, n, x) if linear else 0.0


@jit
def surface_piece(val, i, x, y):
    """A number of the smooth piece of a table of two variables that a point is in."""
    n, m, linear = int(val[i].real), int(val[i + 1].real), val[i + 2].real >= 2
    return side(val, i + 3, n, x, linear) + 0.7548776662466927 * side(val, i + 3 + n, m, y, linear)


@jit
def along(a, beyond, extrapolated):
    """How a derivative of order a goes on ``beyond`` an edge: with its value there, times a factor, and its slope there, times another."""
    if beyond == 0:
        return 1.0, 0.0
    if a == 0:
        return 1.0, beyond if extrapolated else 0.0
    return (1.0 if a == 1 and extrapolated else 0.0), 0.0


@jit
def surface_value(val, i, a, b, x, y):
    """Derivative a by x, b by y of the table of two variables at val[i]."""
    n, m, extrapolated = int(val[i].real), int(val[i + 1].real), int(val[i + 2].real) % 2 == 1
    k, l = cell_of(val, i, x, y)
    u = min(max(x, val[i + 3].real), val[i + 2 + n].real)
    v = min(max(y, val[i + 3 + n].real), val[i + 2 + n + m].real)
    d, e, c = u - val[i + 3 + k].real, v - val[i + 3 + n + l].real, i + 3 + n + m + 16 * (k * (m - 1) + l)
    p0, p1 = along(a, x - u, extrapolated)
    q0, q1 = along(b, y - v, extrapolated)
    s = 0.0
    if p0 != 0 and q0 != 0:
        s += p0 * q0 * cell_value(val, c, a, b, d, e)
    if p1 != 0 and q0 != 0:
        s += p1 * q0 * cell_value(val, c, a + 1, b, d, e)
    if p0 != 0 and q1 != 0:
        s += p0 * q1 * cell_value(val, c, a, b + 1, d, e)
    if p1 != 0 and q1 != 0:
        s += p1 * q1 * cell_value(val, c, a + 1, b + 1, d, e)
    return s
