"""The stack machine that runs the functions users write: expressions, tables, and calls of Python.

A program is a run of pairs (opcode, operand) in ``tab``, ended by END; constants and tables stand in ``val``. One value is
left on the stack ``W``. Functions are evaluated on the real parts and extended by their slopes, f(a) + f'(a) i b, which is all
a complex step needs: no branch cuts, no complex transcendental functions, and one compiled version for both scalar types.
"""
import numpy as np

from .contract import call_python
from .differences import rate
from .jit import entry, index, inlined, jit
from .tables import surface_piece, surface_value, table_piece, table_value

SCRATCH = 590                    # length of W, then follow the choices of all programs, each with its margin behind it
STACK = 64                       # entries of it that a program may use; functions.compile checks it
TIME_STEP = index(508)           # of differences by time of Python functions: half of the widest one
HELD, JUMPS, KINKS = index(509, 510, 511)  # whether choices are held; entries that change when a function takes another branch
CHANGED, ENDS, LIVE = index(585, 586, 587)  # whether a discrete value has changed, whether the run is to end, whether it is one at all
BEGINS, STOPS = index(588, 589)  # first and last time of the smooth interval of the run
ASKED = index(507)               # whether another structure is asked for at an instant
BEYOND = index(584)              # whether a function is held on a branch that it would have left
SLOPE = -77.0                    # in place of a choice: what stands behind it is the rate of the margin before
LEAST = 1e-300                   # in place of zero in logarithms

END = 0
# push one value: val[operand], Y[operand], t, x, v, and the function at address operand with its derivatives
CONSTANT, SIGNAL, T, X, V, EXTERNAL, EXTERNAL_T, EXTERNAL_TT, EXTERNAL_X, EXTERNAL_V = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
# take two, push one; comparisons push 1 or 0
ADD, SUB, MUL, DIV, POW, ATAN2, MOD, MIN, MAX, LT, LE, EQ = 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22
# take one, push one; tables: at val[operand], with 0 to 3 derivatives
NEG, SQUARE, NOT, TABLE, TABLE_1, TABLE_2, TABLE_3 = 23, 24, 25, 26, 27, 28, 29
SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, SQRT = 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41
ABS, SIGN, FLOOR, CLAMP, INSIDE, SMOOTH, SMOOTH_1, SMOOTH_2 = 42, 43, 44, 45, 46, 47, 48, 49
# skip operand entries of tab; JUMP_UNLESS takes one and skips if it is 0
JUMP, JUMP_UNLESS = 50, 51
# keeps the argument of a steep function; operand: which one, see functions.compile
WATCH = 52
# takes two, pushes one: at val[operand] where a table of two variables is, and how often it is derived by each
SURFACE = 53
POWER, PLACE, SPEED = 2, 8, 9    # operands of it: of a^b, b log|a|; of Python functions, x and v


@inlined
def mark(W, slot, choice, pc):
    """Note a choice between branches. Sums of choices with weights of their place in the program are the same as long as every
    choice is; the weights are multiples of the golden ratio, so that no two sets of choices share a sum."""
    W[slot] += choice * (0.5 + (pc * 0.6180339887498949) % 1.0)


@inlined
def hold(W, choice, pc):
    """The choice itself; where choices are held, the first one made at this place since they were forgotten (made NaN): functions then
    go on smoothly beyond their jumps."""
    if W[HELD].real == 0:
        return choice
    if np.isnan(W[SCRATCH + pc].real):
        W[SCRATCH + pc] = choice
    if W[SCRATCH + pc].real != choice:
        W[BEYOND] = 1
    return W[SCRATCH + pc].real


@inlined
def note_margin(W, pc, margin):
    """How far a choice that is held is from another one, in what is compared; negative beyond the jump."""
    if W[HELD].real != 0:
        W[SCRATCH + pc + 1] = margin


@inlined
def note_slope(W, pc, rate):
    """The rate of the margin before, as of a gap."""
    if W[HELD].real != 0:
        W[SCRATCH + pc], W[SCRATCH + pc + 1] = SLOPE, rate


@inlined
def within(u, low):
    """Distance of u from the nearer end of low .. low + 1; negative outside."""
    return min(u - low, low + 1 - u)


@jit
def continued(op, x):
    """An argument that is outside of the domain of a root or logarithm because the function is held beyond its jump, at the end of it."""
    if op == SQRT:
        return max(x, 0.0)
    if op == LOG:
        return max(x, LEAST)
    return min(1.0, max(-1.0, x)) if op in (ASIN, ACOS) else x


@jit
def shape(op, u):
    """Ramp from 0 to 1 over 0 <= u <= 1 (CLAMP), its slope; smooth step u^2 (3 - 2 u), its first and second derivative."""
    if u < 0 or u > 1:
        return 1.0 if u > 1 and op in (CLAMP, SMOOTH) else 0.0
    if op == CLAMP:
        return u
    if op == INSIDE:
        return 1.0
    if op == SMOOTH:
        return u * u * (3 - 2 * u)
    if op == SMOOTH_1:
        return 6 * u * (1 - u)
    return 6 - 12 * u


@jit
def real_function(op, x):
    if op == SIN:
        return np.sin(x)
    if op == COS:
        return np.cos(x)
    if op == TAN:
        return np.tan(x)
    if op == ASIN:
        return np.arcsin(x)
    if op == ACOS:
        return np.arccos(x)
    if op == ATAN:
        return np.arctan(x)
    if op == SINH:
        return np.sinh(x)
    if op == COSH:
        return np.cosh(x)
    if op == TANH:
        return np.tanh(x)
    if op == EXP:
        return np.exp(x)
    if op == LOG:
        return np.log(x)
    if op == SQRT:
        return np.sqrt(x)
    if op == ABS:
        return -x if x < 0 else x
    if op == SIGN:
        return 1.0 if x > 0 else (-1.0 if x < 0 else x)
    if op == FLOOR:
        return np.floor(x)
    return shape(op, x)


@jit
def real_slope(op, x):
    if op == SIN:
        return np.cos(x)
    if op == COS:
        return -np.sin(x)
    if op == TAN:
        return 1 + np.tan(x) ** 2
    if op == ASIN:
        return 1 / np.sqrt(1 - x * x)
    if op == ACOS:
        return -1 / np.sqrt(1 - x * x)
    if op == ATAN:
        return 1 / (1 + x * x)
    if op == SINH:
        return np.cosh(x)
    if op == COSH:
        return np.sinh(x)
    if op == TANH:
        return 1 - np.tanh(x) ** 2
    if op == EXP:
        return np.exp(x)
    if op == LOG:
        return 1 / x
    if op == SQRT:
        return 0.5 / np.sqrt(x)
    if op == ABS:
        return 1.0 if x > 0 else (-1.0 if x < 0 else 0.0)
    if op < CLAMP or op == INSIDE or x < 0 or x > 1:
        return 0.0
    if op == CLAMP:
        return 1.0
    if op == SMOOTH:
        return 6 * x * (1 - x)
    return 6 - 12 * x if op == SMOOTH_1 else -12.0


@jit
def power_slopes(a, b):
    """Derivatives of a^b by a and by b."""
    return 0.0 if b == 0 else b * a ** (b - 1), a**b * np.log(a)


@jit
def difference(op, f, t, x, v, h):
    """The function at address ``f``, or a derivative of it by differences: by t up to 2 h away."""
    if op == EXTERNAL:
        return call_python(f, t, x, v)
    if op == EXTERNAL_X:
        d = 1e-6 * (1e-3 + abs(x))
        return (call_python(f, t, x + d, v) - call_python(f, t, x - d, v)) / (2 * d)
    if op == EXTERNAL_V:
        d = 1e-6 * (1e-3 + abs(v))
        return (call_python(f, t, x, v + d) - call_python(f, t, x, v - d)) / (2 * d)
    return rate(f, 1 if op == EXTERNAL_T else 2, t, x, v, 2 * h)


@inlined
def push(op, k, t, x, v, Y, val, W, top):
    if op == CONSTANT:
        W[top] = val[k]
    elif op == SIGNAL:
        W[top] = Y[k]
    elif op == T:
        W[top] = t
    elif op == X:
        W[top] = x
    elif op == V:
        W[top] = v
    else:
        h = W[TIME_STEP].real
        W[top] = difference(op, k, t, x.real, v.real, h)
        if op == EXTERNAL and x.imag != 0:
            W[top] += difference(np.int64(EXTERNAL_X), k, t, x.real, v.real, h) * (x - x.real)
        if op == EXTERNAL and v.imag != 0:
            W[top] += difference(np.int64(EXTERNAL_V), k, t, x.real, v.real, h) * (v - v.real)


@inlined
def apply_two(op, W, top, pc):
    a, b = W[top], W[top + 1]
    if op == ADD:
        W[top] = a + b
    elif op == SUB:
        W[top] = a - b
    elif op == MUL:
        W[top] = a * b
    elif op == DIV:
        W[top] = a / b
    elif op == POW and a.real < 0 and W[BEYOND].real != 0 and b.real != np.floor(b.real):
        W[top] = 0  # goes on from zero, as all its derivatives do
    elif op == POW:
        W[top] = a.real**b.real
        if a.imag != 0:
            W[top] += power_slopes(a.real, b.real)[0] * (a - a.real)
        if b.imag != 0:
            W[top] += power_slopes(a.real, b.real)[1] * (b - b.real)
    elif op == ATAN2:
        W[top] = np.arctan2(a.real, b.real)
        if a.imag != 0 or b.imag != 0:
            W[top] += (b.real * (a - a.real) - a.real * (b - b.real)) / (a.real * a.real + b.real * b.real)
    elif op == MOD:
        choice = hold(W, np.floor(a.real / b.real), pc)
        note_margin(W, pc, within(a.real / b.real, choice))
        W[top] = a - b * choice
        mark(W, JUMPS, choice, pc)
    elif op in (MIN, MAX):
        first = a.real <= b.real if op == MIN else a.real >= b.real
        choice = hold(W, 1.0 if first or a.real != a.real else 0.0, pc)
        note_margin(W, pc, (a.real - b.real) * (1 if (op == MAX) == (choice == 1) else -1))
        W[top] = a if choice == 1 else b
        mark(W, JUMPS, choice, pc)
    elif op in (LT, LE):
        choice = hold(W, 1.0 if a.real < b.real or (op == LE and a.real == b.real) else 0.0, pc)
        note_margin(W, pc, b.real - a.real if choice == 1 else a.real - b.real)
        W[top] = choice
        mark(W, JUMPS, choice, pc)
    else:
        W[top] = 1.0 if a.real == b.real else 0.0


@inlined
def apply_one(op, k, val, W, top, pc):
    a = W[top]
    if op == NEG:
        W[top] = -a
    elif op == SQUARE:
        W[top] = a * a
    elif op == NOT:
        W[top] = 1.0 if a.real == 0 else 0.0
    elif op <= TABLE_3:
        W[top] = table_value(val, k, op - TABLE, a.real)
        if op == TABLE:
            mark(W, KINKS, table_piece(val, k, a.real), pc)
        if a.imag != 0:
            W[top] += (table_value(val, k, op - TABLE + 1, a.real) if op < TABLE_3 else 0.0) * (a - a.real)
    else:
        x = continued(op, a.real) if W[BEYOND].real != 0 else a.real
        W[top] = real_function(op, x)
        if a.imag != 0 and x == a.real:
            W[top] += real_slope(op, x) * (a - x)
        if op in (SIGN, FLOOR):
            W[top] = hold(W, W[top].real, pc)
            note_margin(W, pc, within(x, W[top].real) if op == FLOOR else W[top].real * x if W[top].real != 0 else -abs(x))
            mark(W, JUMPS, W[top].real, pc)
        elif op in (ABS, CLAMP):
            side = hold(W, (1.0 if a.real < 0 else 0.0) + (2.0 if a.real < 1 and op == CLAMP else 0.0), pc)
            note_margin(W, pc, within(x, 0.0) if side == 2 else x - (1.0 if op == CLAMP else 0.0) if side == 0 else -x)
            mark(W, JUMPS, side, pc)
            if W[HELD].real != 0:  # 3: below, 2: on, 0: above the ramp; 1: negative, 0: positive
                W[top] = (-a if side == 1 else a) if op == ABS else (0 * a if side == 3 else a if side == 2 else 0 * a + 1)
        elif op == SMOOTH:
            mark(W, KINKS, (1.0 if a.real < 0 else 0.0) + (2.0 if a.real < 1 else 0.0), pc)


@jit
def apply_surface(k, val, W, top, pc):
    """A table of two variables, and its change with both."""
    x, y, i, a, b = W[top], W[top + 1], int(val[k].real), int(val[k + 1].real), int(val[k + 2].real)
    W[top] = surface_value(val, i, a, b, x.real, y.real)
    if x.imag != 0 and a < 3:
        W[top] += surface_value(val, i, a + 1, b, x.real, y.real) * (x - x.real)
    if y.imag != 0 and b < 3:
        W[top] += surface_value(val, i, a, b + 1, x.real, y.real) * (y - y.real)
    if a == 0 and b == 0:
        mark(W, KINKS, surface_piece(val, i, x.real, y.real), pc)


@inlined
def watch(k, x, v, W, top, pc):
    """Keep the argument of a steep function, where choices are held; its margin stays unknown, which tells it from a choice."""
    if W[HELD].real == 0:
        return
    if k in (PLACE, SPEED):
        W[SCRATCH + pc] = x.real if k == PLACE else v.real
    else:
        W[SCRATCH + pc] = W[top].real if k != POWER else W[top].real * np.log(max(abs(W[top - 1].real), LEAST))


@jit
def evaluate(t, x, v, Y, tab, val, pc, W):
    """Run the program that starts at tab[pc]; Y are the signals, W the stack."""
    top = -1
    W[BEYOND] = 0
    while tab[pc] != END:
        op, k = tab[pc], tab[pc + 1]
        pc += 2
        if op <= EXTERNAL_V:
            top += 1
            push(op, k, t, x, v, Y, val, W, top)
        elif op <= EQ:
            top -= 1
            apply_two(op, W, top, pc)
        elif op <= SMOOTH_2:
            apply_one(op, k, val, W, top, pc)
        elif op == JUMP:
            pc += k
        elif op == WATCH:
            watch(k, x, v, W, top, pc)
        elif op == SURFACE:
            top -= 1
            apply_surface(k, val, W, top, pc)
        else:
            top -= 1
            if hold(W, 1.0 if W[top + 1].real == 0 else 0.0, pc) == 1:
                pc += k
    return W[0]


@entry
def branches(codes, kinked, times, tab, val, Y, W, out):
    """out[i]: a number that changes where one of the functions of time alone jumps (or, if it is ``kinked``, has a kink)."""
    for i in range(times.size):
        W[JUMPS] = 0
        for j in range(codes.size):
            W[KINKS] = 0
            evaluate(times[i], 0 * W[0], 0 * W[0], Y, tab, val, codes[j], W)
            if kinked[j]:
                W[JUMPS] += W[KINKS]
        out[i] = W[JUMPS].real


@entry
def sample(code, times, tab, val, Y, W, out):
    """Values of a function of time alone."""
    for i in range(times.size):
        out[i] = evaluate(times[i], 0 * W[0], 0 * W[0], Y, tab, val, code, W).real


@entry
def value_at(t, Y, tab, val, code, W):
    """A function of time and signals, for Python."""
    return evaluate(t, 0.0, 0.0, Y, tab, val, code, W)
