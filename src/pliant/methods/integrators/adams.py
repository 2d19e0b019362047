"""Adams' methods of variable order and step: prediction by Bashforth's formula, correction by Moulton's (PECE). The kernel of one step.

With nodes x_0 = 1 (the end of the step), x_1 = 0 (its start), x_2, ... (earlier ones) in steps of length h, and divided differences

    y1 = y0 + h sum_{i < q} c_i F[x_0..x_i],   c_i = int_0^1 (s - x_0) ... (s - x_{i-1}) ds                           [adams-1]

has order q; its last term is the error estimate. The prediction is the same with the nodes x_1 ... x_{q-1}. F is kept as it is; weights of
its values are computed anew in every step, so that steps may have any length. Written out as weights of F_j:

    F[x_0..x_i] = sum_j F_j / prod_{l != j} (x_j - x_l),  l = 0 .. i                                                    [adams-2]
"""
import numpy as np

from ...kernels.jit import index, jit
from ...kernels.ode import STATE_Q, STATE_V, call_status
from ...kernels.status import DONE
from .one_step_loop import ASKED, BETWEEN, EPS_, EXPONENT, FIXED, RHS, SPEED_, T0, WISH, H
from .runge_kutta import step as runge_kutta
from .stepper import copy

MOST = 12            # order
SIZE = MOST + 1      # values of F that are kept
STAGES = 16          # rows of K that Runge-Kutta steps use; then the values of F, then two of a start
TABLE = 452          # numbers of the Runge-Kutta method for starts, in front of those below
# order of the next step and of the last one (0: Runge-Kutta); values known; which one is the newest; start of the last attempt; how often
# it failed; steps at this order; the highest order; Runge-Kutta steps in a step of a start with fixed steps
ORDER, MADE, POINTS, NEWEST, LAST, FAILED, STREAK, HIGHEST, PARTS = index(*range(TABLE, TABLE + 9))
TIMES = TABLE + 9                  # of the values
NODES = TIMES + SIZE                # x_0, x_1, ...
POWERS = NODES + SIZE + 1           # coefficients of a polynomial
WEIGHTS = POWERS + SIZE + 2         # of the values in a sum
NUMBERS = WEIGHTS + SIZE + 1
BEGIN, FORGET, SHORT = 7, 5, 0.25     # values for the first step; failures before a new start; its steps, in what Runge-Kutta steps may be
HOLD, FASTER, SLOWER = 1.2, 2.0, 0.5  # a step is kept unless it may grow by more than the first; most and least change


@jit
def row(w, i):
    """Row of K with the value of F at node i > 0."""
    return STAGES + (int(w.table[NEWEST]) - (i - 1)) % SIZE


@jit
def remember(w, tune):
    """The start of the step among the values, if it is a new one."""
    t, table = tune[T0], w.table
    if table[POINTS] > 0 and t == table[LAST]:
        table[FAILED] += 1
        if table[FAILED] < FORGET or table[POINTS] == 1:
            return
        table[POINTS], table[FAILED] = 0, 0  # begin anew
    newest = (int(table[NEWEST]) + 1) % SIZE
    for k in range(w.f0.size):
        w.K[STAGES + newest, k] = w.f0[k]
    table[NEWEST], table[TIMES + newest] = newest, t
    table[POINTS], table[FAILED] = min(SIZE, table[POINTS] + 1), 0
    table[STREAK] += 1
    if table[POINTS] <= BEGIN:
        table[ORDER], table[STREAK] = min(table[HIGHEST], BEGIN + 1.0), 0


@jit
def place_nodes(table, t, h):
    """x_0, x_1, ... for all values known."""
    table[NODES], table[NODES + 1] = 1.0, 0.0
    for i in range(2, int(table[POINTS]) + 1):
        k = (int(table[NEWEST]) - (i - 1)) % SIZE
        table[NODES + i] = (table[TIMES + k] - t) / h


@jit
def multiply(table, degree, x):
    """The polynomial of this degree times (s - x)."""
    table[POWERS + degree + 1] = 0
    for k in range(degree + 1, 0, -1):
        table[POWERS + k] = table[POWERS + k - 1] - x * table[POWERS + k]
    table[POWERS] *= -x


@jit
def integral(table, degree):
    """From 0 to 1."""
    total = 0.0
    for k in range(degree + 1):
        total += table[POWERS + k] / (k + 1)
    return total


@jit
def share(table, first, j, last):
    """1 / prod (x_j - x_l), l = first .. last except j"""
    product = 1.0
    for l in range(first, last + 1):
        if l != j:
            product *= table[NODES + j] - table[NODES + l]
    return 1 / product


@jit
def weigh(table, first, last, start):
    """WEIGHTS of F_j in the terms number start and later of [adams-1], nodes first .. last."""
    table[POWERS] = 1.0
    for j in range(last + 1):
        table[WEIGHTS + j] = 0
    for i in range(first, last + 1):
        if i >= start:
            c = integral(table, i - first)
            for j in range(first, i + 1):
                table[WEIGHTS + j] += c * share(table, first, j, i)
        multiply(table, i - first, table[NODES + i])


@jit
def add(w, first, last, h, out):
    """out += h sum_j WEIGHTS_j F_j; F_0 is in f1."""
    for k in range(out.size):
        total = w.table[WEIGHTS] * w.f1[k] if first == 0 else 0.0
        for j in range(max(first, 1), last + 1):
            total += w.table[WEIGHTS + j] * w.K[row(w, j), k]
        out[k] += h * total


@jit
def allowed(p, w, tune, error):
    """A local error over what is allowed, as the loop judges it."""
    n_q, n_v, worst = p.num[STATE_Q], p.num[STATE_V], 0.0
    for k in range(n_q + n_v):
        e = w.weight[k] * abs(error[k]) / (1.0 if k < n_q else tune[SPEED_])
        if not e <= worst:
            worst = e
    return worst / (tune[H] * tune[EPS_])


@jit
def error_of(p, w, tune, q):
    """The last term of [adams-1] for order q in z, over what is allowed."""
    weigh(w.table, 0, q - 1, q - 1)
    for k in range(w.z.size):
        w.z[k] = 0
    add(w, 0, q - 1, tune[H], w.z)
    return allowed(p, w, tune, w.z)


@jit
def factor(error, q):
    """By which the step may change at order q."""
    return 0.9 * max(error, 1e-16) ** (-1.0 / (q - 1))


@jit
def choose_order(p, w, tune, q, error):
    """The order of the next step, and what it wants its length to be: the order with the longest step; a lower one also where terms do
    not fall; a higher one after q steps at this order."""
    table, best, by = w.table, q, factor(error, q)
    lower = error_of(p, w, tune, q - 1) if q > 2 else np.inf
    lowest = error_of(p, w, tune, q - 2) if q > 3 else lower
    if q > 2 and (max(lower, lowest) <= error or factor(lower, q - 1) > by):
        best, by = q - 1, max(by, factor(lower, q - 1))
    elif q < table[HIGHEST] and table[POINTS] >= q and table[STREAK] >= q:
        higher = error_of(p, w, tune, q + 1)
        if higher < error and factor(higher, q + 1) > by:
            best, by = q + 1, factor(higher, q + 1)
    if best != q:
        table[STREAK] = 0
    table[ORDER] = best
    tune[WISH] = max(SLOWER, by) if by < 1 else 1.0 if by < HOLD else min(FASTER, by)


@jit
def begin(p, w, tune, code):
    """A step of a start with fixed steps: by Runge-Kutta steps of a part of the length."""
    t, h, n, kept = tune[T0], tune[H], int(w.table[PARTS]), STAGES + SIZE
    for k in range(w.y0.size):
        w.K[kept, k], w.K[kept + 1, k] = w.y0[k], w.f0[k]
    status = DONE
    for i in range(n):
        tune[T0], tune[H] = t + i * h / n, h / n
        status = runge_kutta(p, w, tune, code)
        if status == DONE and i + 1 < n:
            copy(w.y1, w.y0)
            status = call_status(code[RHS], (p, tune[T0] + tune[H], w.y0, w.f0))
        if status != DONE:
            break
    tune[T0], tune[H] = t, h
    for k in range(w.y0.size):
        w.y0[k], w.f0[k] = w.K[kept, k], w.K[kept + 1, k]
    return status


@jit
def begin_controlled(p, w, tune, code):
    """A step of a start with error control: Runge-Kutta steps shorter than need be, as Adams' are."""
    tune[EXPONENT] = BEGIN
    status = runge_kutta(p, w, tune, code)
    if status == DONE:
        by = SHORT * factor(allowed(p, w, tune, w.error), BEGIN + 1)
        tune[WISH] = min(FASTER, max(SLOWER, by))
    return status


@jit
def between(w, h, q):
    """Coefficients of the integral of the polynomial through F at the nodes 0 .. q - 1."""
    table = w.table
    for l in range(w.P.shape[0]):
        for k in range(w.z.size):
            w.P[l, k] = 0
    table[POWERS] = 1.0
    for i in range(q):
        for k in range(w.z.size):  # F[x_0..x_i]
            w.z[k] = share(table, 0, 0, i) * w.f1[k]
        for j in range(1, i + 1):
            by, r = share(table, 0, j, i), row(w, j)
            for k in range(w.z.size):
                w.z[k] += by * w.K[r, k]
        for l in range(i + 1):
            for k in range(w.z.size):
                w.P[l + 1, k] += h * table[POWERS + l] / (l + 1) * w.z[k]
        multiply(table, i, table[NODES + i])


@jit
def step(p, w, tune, code):
    """A step by [adams-1], or the polynomial of the last one."""
    table, h = w.table, tune[H]
    if code[ASKED] == BETWEEN:
        if table[MADE] == 0:
            return runge_kutta(p, w, tune, code)
        place_nodes(table, tune[T0], h)
        between(w, h, int(table[MADE]))
        return DONE
    remember(w, tune)
    table[LAST] = tune[T0]
    table[MADE] = 0
    if code[FIXED] == 1 and table[POINTS] < table[HIGHEST] - 1:
        return begin(p, w, tune, code)
    if code[FIXED] == 0 and table[POINTS] < table[ORDER] - 1:
        return begin_controlled(p, w, tune, code)
    q = int(table[HIGHEST] if code[FIXED] == 1 else table[ORDER])
    table[MADE] = q
    place_nodes(table, tune[T0], h)
    copy(w.y0, w.y1)
    weigh(table, 1, q - 1, 1)
    add(w, 1, q - 1, h, w.y1)
    status = call_status(code[RHS], (p, tune[T0] + h, w.y1, w.f1))
    if status != DONE:
        return status
    copy(w.y0, w.y1)
    weigh(table, 0, q - 1, 0)
    add(w, 0, q - 1, h, w.y1)
    if code[FIXED] == 1:
        return DONE
    tune[EXPONENT] = 2  # of rejected steps: what earlier nodes add to the error does not fall with the step
    error = error_of(p, w, tune, q)
    copy(w.z, w.error)
    choose_order(p, w, tune, q, error)
    return DONE
