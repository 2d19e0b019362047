"""Bounds of an expression of time, and of its slope, over intervals of time: interval arithmetic with automatic differentiation. An
expression is a list of nodes, children first. docs/theory/expressions.md"""
from typing import NamedTuple

import numpy as np

from .expression_vm import (
    ABS,
    ADD,
    ATAN2,
    CLAMP,
    CONSTANT,
    DIV,
    EQ,
    FLOOR,
    LE,
    LT,
    MAX,
    MIN,
    MOD,
    MUL,
    NEG,
    NOT,
    POW,
    SIGN,
    SMOOTH,
    SUB,
    SURFACE,
    TABLE,
    T,
    real_function,
)
from .interval_arithmetic import inverse, known, negative, ordered, power, product, slopes, smaller, square, total, values
from .jit import index, jit
from .states import larger
from .table_bounds import same_cell, straight_piece, surface_bounds, table_bounds
from .tables import surface_value, table_interval, table_value

# operations that the stack machine has not: by names of their own, or as jumps
AND, OR, UNEQUAL, IF = 60, 61, 62, 63
# columns of bounds: low <= f <= high and falls <= f' <= rises within the interval; f at both ends of it
LOW, HIGH, FALLS, RISES, FIRST, LAST = index(0, 1, 2, 3, 4, 5)


class Nodes(NamedTuple):
    """An expression, and what is known of it over one interval."""
    code: np.ndarray    # per node: operation, up to three arguments, place of its table in val; of tables, 1 if all pieces are straight
    value: np.ndarray   # of constants
    val: np.ndarray     # tables
    varying: np.ndarray  # whether it depends on time
    kinks: int          # whether those of tables and smooth steps count as choices
    b: np.ndarray       # bounds
    open: np.ndarray    # a choice between branches may change within the interval
    once: np.ndarray    # it does so once at most, as its argument only grows or only falls there
    asked: np.ndarray   # whether the value matters


@jit
def put(e, k, value, slope, first, last):
    e.b[k, LOW], e.b[k, HIGH] = value
    e.b[k, FALLS], e.b[k, RISES] = slope
    e.b[k, FIRST], e.b[k, LAST] = first, last


@jit
def value_of(e, k):
    return e.b[k, LOW], e.b[k, HIGH]


@jit
def slope_of(e, k):
    return e.b[k, FALLS], e.b[k, RISES]


@jit
def tightened(value, slope, first, last, h):
    """By the mean value theorem, from both ends; where f grows or falls its ends are its bounds."""
    if np.isfinite(slope[0]) and np.isfinite(slope[1]) and np.isfinite(first) and np.isfinite(last):
        if slope[0] >= 0 or slope[1] <= 0:
            value = ordered(first, last)
        else:
            down, up = smaller(slope[0] * h, 0.0), larger(slope[1] * h, 0.0)
            value = larger(larger(first + down, last - up), value[0]), smaller(smaller(first + up, last - down), value[1])
    low, high = known(value[0], value[1])
    return ordered(low, high)


@jit
def jumping(e, k, low, high, first, last):
    """A function that is constant, or jumps."""
    steep = 0.0 if low == high else np.inf
    put(e, k, (low, high), (-steep, steep), first, last)


@jit
def choose(e, k, undecided, slope, many, settled):
    """Note a choice; whether it is still open: not where all are settled and it is one of rounding."""
    one_way = (slope[0] > 0 or slope[1] < 0) and np.isfinite(slope[0]) and np.isfinite(slope[1])
    e.open[k], e.once[k] = undecided, one_way and not many
    return undecided and not (settled and e.once[k])


@jit
def difference(e, a, b, h):
    """Of two nodes: its bounds and those of its slope."""
    slope = total(slope_of(e, a), negative(slope_of(e, b)))
    value = total(value_of(e, a), negative(value_of(e, b)))
    return tightened(value, slope, e.b[a, FIRST] - e.b[b, FIRST], e.b[a, LAST] - e.b[b, LAST], h), slope


@jit
def compare(e, k, op, a, b, h, settled):
    d, slope = difference(e, a, b, h)
    if op in (EQ, UNEQUAL):
        x = 1.0 if (d[0] == 0 and d[1] == 0) == (op == EQ) else 0.0
        put(e, k, (x, x), (0.0, 0.0), x, x)  # but for single times
        return
    strict, middle = op == LT, (d[0] + d[1]) / 2
    undecided = holds(d[0], strict) != holds(d[1], strict)
    x = 1.0 if holds(middle, strict) else 0.0
    if choose(e, k, undecided, slope, False, settled):
        first, last = e.b[a, FIRST] - e.b[b, FIRST], e.b[a, LAST] - e.b[b, LAST]
        jumping(e, k, 0.0, 1.0, 1.0 if holds(first, strict) else 0.0, 1.0 if holds(last, strict) else 0.0)
    else:
        jumping(e, k, x, x, x, x)


@jit
def holds(x, strict):
    return x < 0 or (x == 0 and not strict)


@jit
def both(e, k, op, a, b):
    """Of ``and`` and ``or``."""
    x, y = e.b[a], e.b[b]
    if op == AND:
        jumping(e, k, min(x[LOW], y[LOW]), min(x[HIGH], y[HIGH]), min(x[FIRST], y[FIRST]), min(x[LAST], y[LAST]))
    else:
        jumping(e, k, max(x[LOW], y[LOW]), max(x[HIGH], y[HIGH]), max(x[FIRST], y[FIRST]), max(x[LAST], y[LAST]))


@jit
def quotient(x, y, dx, dy):
    """Bounds and those of the slope."""
    over = inverse(y)
    value = product(x, over)
    return value, product(total(dx, negative(product(value, dy))), over)


@jit
def arithmetic(e, k, op, a, b):
    x, y, dx, dy = value_of(e, a), value_of(e, b), slope_of(e, a), slope_of(e, b)
    x0, x1, y0, y1 = e.b[a, FIRST], e.b[a, LAST], e.b[b, FIRST], e.b[b, LAST]
    if op == ADD:
        put(e, k, total(x, y), total(dx, dy), x0 + y0, x1 + y1)
    elif op == SUB:
        put(e, k, total(x, negative(y)), total(dx, negative(dy)), x0 - y0, x1 - y1)
    elif op == MUL:
        put(e, k, product(x, y), total(product(dx, y), product(x, dy)), x0 * y0, x1 * y1)
    elif op == DIV:
        value, slope = quotient(x, y, dx, dy)
        put(e, k, value, slope, x0 / y0, x1 / y1)
    else:
        raised(e, k, a, b)


@jit
def raised(e, k, a, b):
    """a^b"""
    x, y, dx, dy = value_of(e, a), value_of(e, b), slope_of(e, a), slope_of(e, b)
    first, last = e.b[a, FIRST] ** e.b[b, FIRST], e.b[a, LAST] ** e.b[b, LAST]
    if e.code[b, 0] == CONSTANT:
        n = e.value[b]
        put(e, k, power(x, n), product(product(power(x, n - 1), (n, n)), dx), first, last)
        return
    log = known(np.log(x[0]) if x[0] > 0 else np.nan, np.log(x[1]) if x[1] > 0 else np.nan)
    grown = product(y, log)
    value = known(np.exp(grown[0]), np.exp(grown[1]))
    put(e, k, value, product(value, total(product(dy, log), product(y, product(dx, inverse(x))))), first, last)


@jit
def step_bounds(e, k, op, value, slope, first, last, settled):
    """Of floor and sign, which passes 0 at one time only: least and largest, and at the ends of the interval."""
    low, high = real_function(op, value[0]), real_function(op, value[1])
    if choose(e, k, low != high, slope, op == FLOOR and high - low > 1, settled):
        return low, high, real_function(op, first), real_function(op, last)
    middle = real_function(op, (value[0] + value[1]) / 2)
    return middle, middle, middle, middle


@jit
def modulo(e, k, a, b, h, settled):
    """a - b floor(a / b)"""
    x, y, dx, dy = value_of(e, a), value_of(e, b), slope_of(e, a), slope_of(e, b)
    x0, x1, y0, y1 = e.b[a, FIRST], e.b[a, LAST], e.b[b, FIRST], e.b[b, LAST]
    turns, rate = quotient(x, y, dx, dy)
    turns = tightened(turns, rate, x0 / y0, x1 / y1, h)
    low, high, first, last = step_bounds(e, k, np.int64(FLOOR), turns, rate, x0 / y0, x1 / y1, settled)
    steep = 0.0 if low == high else np.inf
    whole, jump = product(y, (low, high)), total(product(dy, (low, high)), product(y, (-steep, steep)))
    low, high = total(x, negative(whole))
    put(e, k, (larger(low, min(y[0], 0.0)), smaller(high, max(y[1], 0.0))), total(dx, negative(jump)), x0 - y0 * first, x1 - y1 * last)


@jit
def extreme(e, k, op, a, b, h, settled):
    """Of min and max."""
    d, rate = difference(e, a, b, h)
    choose(e, k, d[0] < 0 and d[1] > 0, rate, False, settled)
    x, y = e.b[a], e.b[b]
    first = d[1] <= 0 if op == MIN else d[0] >= 0
    second = d[0] > 0 if op == MIN else d[1] < 0
    slope = smaller(x[FALLS], y[FALLS]), larger(x[RISES], y[RISES])
    if first or second:
        slope = (x[FALLS], x[RISES]) if first else (y[FALLS], y[RISES])
    if op == MIN:
        put(e, k, (smaller(x[LOW], y[LOW]), smaller(x[HIGH], y[HIGH])), slope, smaller(x[FIRST], y[FIRST]), smaller(x[LAST], y[LAST]))
    else:
        put(e, k, (larger(x[LOW], y[LOW]), larger(x[HIGH], y[HIGH])), slope, larger(x[FIRST], y[FIRST]), larger(x[LAST], y[LAST]))


@jit
def angle(e, k, a, b):
    """Of atan2(a, b)."""
    y, x, first, last = value_of(e, a), value_of(e, b), (e.b[a, FIRST], e.b[b, FIRST]), (e.b[a, LAST], e.b[b, LAST])
    ends = np.arctan2(first[0], first[1]), np.arctan2(last[0], last[1])
    if x[0] <= 0 and y[0] <= 0 and y[1] >= 0:
        put(e, k, (-np.pi, np.pi), (-np.inf, np.inf), ends[0], ends[1])
        return
    p, q, r, s = np.arctan2(y[0], x[0]), np.arctan2(y[0], x[1]), np.arctan2(y[1], x[0]), np.arctan2(y[1], x[1])
    turning = total(product(x, slope_of(e, a)), negative(product(y, slope_of(e, b))))
    put(e, k, (smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s))),
        product(turning, inverse(total(square(x), square(y)))), ends[0], ends[1])


@jit
def either(e, k, c, a, b):
    """Of if(c, a, b)."""
    x, y = e.b[a], e.b[b]
    first, last = (x if e.b[c, FIRST] > 0 else y)[FIRST], (x if e.b[c, LAST] > 0 else y)[LAST]
    if e.b[c, LOW] > 0 or e.b[c, HIGH] == 0:
        z = x if e.b[c, LOW] > 0 else y
        put(e, k, (z[LOW], z[HIGH]), (z[FALLS], z[RISES]), first, last)
    else:
        put(e, k, (smaller(x[LOW], y[LOW]), larger(x[HIGH], y[HIGH])), (-np.inf, np.inf), first, last)


@jit
def side(op, x):
    """A number that changes at the kinks of abs, and of a ramp or smooth step."""
    if op == ABS:
        return 0.0 if x == 0 else (-1.0 if x < 0 else 1.0)
    return 0.0 if x < 0 else (1.0 if x < 1 else 2.0)


@jit
def function(e, k, op, a, settled):
    """Of one argument."""
    x, dx, first, last = value_of(e, a), slope_of(e, a), e.b[a, FIRST], e.b[a, LAST]
    if op == NEG:
        put(e, k, negative(x), negative(dx), -first, -last)
    elif op == NOT:
        put(e, k, (1 - x[1], 1 - x[0]), negative(dx), 1 - first, 1 - last)
    elif op in (SIGN, FLOOR):
        low, high, f0, f1 = step_bounds(e, k, op, x, dx, first, last, settled)
        jumping(e, k, low, high, f0, f1)
    else:
        if op in (ABS, CLAMP) or (op == SMOOTH and e.kinks == 1):
            choose(e, k, side(op, x[0]) != side(op, x[1]), dx, False, settled)
        value, slope = values(op, x), slopes(op, x)
        put(e, k, known(value[0], value[1]), product(known(slope[0], slope[1]), dx), real_function(op, first), real_function(op, last))


@jit
def lookup(e, k, a, settled):
    """Of a table."""
    x, val, i, n = value_of(e, a), e.val, e.code[k, 4], int(e.val[e.code[k, 4]])
    if e.kinks == 1:
        straight = e.code[k, 3] == 1
        other = straight_piece(val, i, x[0], straight) != straight_piece(val, i, x[1], straight)
        choose(e, k, other, slope_of(e, a), table_interval(val, i, n, x[1]) - table_interval(val, i, n, x[0]) > 1, settled)
    put(e, k, table_bounds(val, i, 0, x), product(table_bounds(val, i, 1, x), slope_of(e, a)),
        table_value(val, i, 0, e.b[a, FIRST]), table_value(val, i, 0, e.b[a, LAST]))


@jit
def surface(e, k, a, b, settled):
    """Of a table of two variables."""
    x, y, val, i = value_of(e, a), value_of(e, b), e.val, e.code[k, 4]
    if e.kinks == 1:
        choose(e, k, not same_cell(val, i, x, y), slope_of(e, a), True, settled)
    put(e, k, surface_bounds(val, i, 0, x, y),
        total(product(surface_bounds(val, i, 1, x, y), slope_of(e, a)), product(surface_bounds(val, i, 2, x, y), slope_of(e, b))),
        surface_value(val, i, 0, 0, e.b[a, FIRST], e.b[b, FIRST]), surface_value(val, i, 0, 0, e.b[a, LAST], e.b[b, LAST]))


@jit
def enclose(e, begin, end, settled):
    """All bounds over an interval. ``settled``: no choice changes within it, except by rounding at its ends."""
    h = end - begin
    for k in range(e.code.shape[0]):
        op, a, b, c = e.code[k, 0], e.code[k, 1], e.code[k, 2], e.code[k, 3]
        e.open[k], e.once[k] = False, False
        if op == CONSTANT:
            put(e, k, (e.value[k], e.value[k]), (0.0, 0.0), e.value[k], e.value[k])
            continue
        if op == T:
            put(e, k, (begin, end), (1.0, 1.0), begin, end)
            continue
        if op == TABLE:
            lookup(e, k, a, settled)
        elif op == SURFACE:
            surface(e, k, a, b, settled)
        elif op == IF:
            either(e, k, a, b, c)
        elif op in (AND, OR):
            both(e, k, op, a, b)
        elif op in (LT, LE, EQ, UNEQUAL):
            compare(e, k, op, a, b, h, settled)
        elif op == MOD:
            modulo(e, k, a, b, h, settled)
        elif op in (MIN, MAX):
            extreme(e, k, op, a, b, h, settled)
        elif op == ATAN2:
            angle(e, k, a, b)
        elif op <= POW:
            arithmetic(e, k, op, a, b)
        else:
            function(e, k, op, a, settled)
        e.b[k, LOW], e.b[k, HIGH] = tightened(value_of(e, k), slope_of(e, k), e.b[k, FIRST], e.b[k, LAST], h)


@jit
def nonzero(e, k):
    return e.b[k, LOW] != 0 or e.b[k, HIGH] != 0


@jit
def ask(e, settled):
    """Of which parts the value matters: not in branches that are not taken, nor where it is multiplied by zero, nor of what is compared
    only, once it is settled how that ends."""
    n = e.code.shape[0]
    for k in range(n):
        e.asked[k] = k == n - 1
    for k in range(n - 1, 0, -1):
        if not e.asked[k]:
            continue
        op, a, b, c = e.code[k, 0], e.code[k, 1], e.code[k, 2], e.code[k, 3]
        if settled and (op in (LT, LE, SIGN, FLOOR)) and e.b[k, LOW] == e.b[k, HIGH]:
            continue
        if op == IF:
            e.asked[a] = True
            e.asked[b] = e.asked[b] or e.b[a, HIGH] > 0
            e.asked[c] = e.asked[c] or e.b[a, LOW] == 0
        elif op == MUL:
            e.asked[a], e.asked[b] = e.asked[a] or nonzero(e, b), e.asked[b] or nonzero(e, a)
        else:
            if a >= 0:
                e.asked[a] = True
            if b >= 0:
                e.asked[b] = True
