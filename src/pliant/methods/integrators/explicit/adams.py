"""Adams' methods of variable order and step: prediction by Bashforth's formula, correction by Moulton's (PECE).

With nodes x_0 = 1 (the end of the step), x_1 = 0 (its start), x_2, ... (earlier ones), in h, and divided differences

    y1 = y0 + h sum_{i < q} c_i F[x_0..x_i],   c_i = int_0^1 (s - x_0) ... (s - x_{i-1}) ds                   [adams-1]

has order q; its last term is the error estimate. The prediction is the same with the nodes x_1 ... x_{q-1}. F is kept
as it is; weights of its values are computed anew in every step, so that steps may have any length. As weights of F_j:

    F[x_0..x_i] = sum_j F_j / prod_{l != j} (x_j - x_l),  l = 0 .. i                                          [adams-2]
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.records import new_record, record_type
from ....kernels.states import copy
from ....kernels.status import DONE
from ..time_loop.chosen_steps import over_allowed
from ..time_loop.control import BETWEEN
from ..time_loop.method import Method
from .runge_kutta import step as runge_kutta
from .tableaus import Tableau, tableau

MOST = 12            # order
SIZE = MOST + 1      # values of F that are kept
MEMORY = record_type({"last": "start of the last attempt"}, {
    "order": "of the next step",
    "made": "of the last one; 0: by Runge-Kutta",
    "points": "values of F known",
    "newest": "which one is",
    "failed": "how often the last attempt was made",
    "streak": "steps at this order",
    "highest": "order",
    "parts": "Runge-Kutta steps in a step of a start with fixed steps",
})
BEGIN, FORGET = 7, 5  # values for the first step; failures before a new start
SHORT = 0.25          # its steps, in what Runge-Kutta steps may be
FINE = 8              # orders above this begin with so many Runge-Kutta steps per step, whose order is 8
HOLD, FASTER, SLOWER = 1.2, 2.0, 0.5  # a step is kept unless it may grow by more than the first; most, least change


class Past(NamedTuple):
    """What Adams' methods remember: values of F at earlier steps and their times; and weights of a step."""
    n: Any               # a record of MEMORY
    values: np.ndarray   # of F
    times: np.ndarray
    nodes: np.ndarray    # x_0, x_1, ...
    powers: np.ndarray   # coefficients of a polynomial
    weights: np.ndarray  # of the values in a sum
    kept: np.ndarray     # state and slope at the start of a step in parts
    start: Tableau       # of the method that begins


@jit
def row(o, i):
    """Of the value at node i > 0."""
    return (o.n.newest - (i - 1) + SIZE) % SIZE


@jit
def remember(w, c, o):
    """The start of the step among the values, if it is a new one."""
    n = o.n
    if n.points > 0 and c.t0 == n.last:
        n.failed += 1
        if n.failed < FORGET or n.points == 1:
            return
        n.points = 0  # begin anew
    n.newest = (n.newest + 1) % SIZE
    copy(w.f0, o.values[n.newest])
    o.times[n.newest], n.last = c.t0, c.t0
    n.points, n.failed = min(SIZE, n.points + 1), 0
    n.streak += 1
    if n.points <= BEGIN:
        n.order, n.streak = min(n.highest, BEGIN + 1), 0


@jit
def place_nodes(o, t, h):
    """x_0, x_1, ... for all values known."""
    o.nodes[0], o.nodes[1] = 1.0, 0.0
    for i in range(2, o.n.points + 1):
        o.nodes[i] = (o.times[row(o, i)] - t) / h


@jit
def multiply(o, degree, x):
    """The polynomial of this degree times (s - x)."""
    o.powers[degree + 1] = 0
    for k in range(degree + 1, 0, -1):
        o.powers[k] = o.powers[k - 1] - x * o.powers[k]
    o.powers[0] *= -x


@jit
def share(o, first, j, last):
    """1 / prod (x_j - x_l), l = first .. last except j: of F_j in [adams-2]"""
    product = 1.0
    for l in range(first, last + 1):
        if l != j:
            product *= o.nodes[j] - o.nodes[l]
    return 1 / product


@jit
def weigh(o, first, last, start):
    """WEIGHTS of F_j in the terms number start and later of [adams-1], nodes first .. last."""
    o.powers[0] = 1.0
    o.weights[:] = 0
    for i in range(first, last + 1):
        if i >= start:
            c = 0.0
            for k in range(i - first + 1):
                c += o.powers[k] / (k + 1)
            for j in range(first, i + 1):
                o.weights[j] += c * share(o, first, j, i)
        multiply(o, i - first, o.nodes[i])


@jit
def add(w, o, first, last, h, out):
    """out += h sum_j WEIGHTS_j F_j; F_0 is in f1."""
    for k in range(out.size):
        total = o.weights[0] * w.f1[k] if first == 0 else 0.0
        for j in range(max(first, 1), last + 1):
            total += o.weights[j] * o.values[row(o, j), k]
        out[k] += h * total


@jit
def formula(w, o, first, last, h):
    """y1 by the nodes first .. last: the prediction without the end of the step, the correction with it."""
    weigh(o, first, last, first)
    copy(w.y0, w.y1)
    add(w, o, first, last, h, w.y1)


@jit
def error_of(p, w, c, o, q):
    """The last term of [adams-1] for order q in z, over what is allowed."""
    weigh(o, 0, q - 1, q - 1)
    w.z[:] = 0
    add(w, o, 0, q - 1, c.h, w.z)
    return over_allowed(p, w, c, w.z, False)


@jit
def factor(error, q):
    """By which the step may change at order q."""
    return 0.9 * max(error, 1e-16) ** (-1.0 / (q - 1))


@jit
def choose_order(p, w, c, o, q, error):
    """The order of the next step, and what it wants its length to be: the order with the longest step; a lower one also
    where terms do not fall; a higher one after q steps at this order."""
    best, by = q, factor(error, q)
    lower = error_of(p, w, c, o, q - 1) if q > 2 else np.inf
    lowest = error_of(p, w, c, o, q - 2) if q > 3 else lower
    if q > 2 and (max(lower, lowest) <= error or factor(lower, q - 1) > by):
        best, by = q - 1, max(by, factor(lower, q - 1))
    elif q < o.n.highest and o.n.points >= q and o.n.streak >= q:
        higher = error_of(p, w, c, o, q + 1)
        if higher < error and factor(higher, q + 1) > by:
            best, by = q + 1, factor(higher, q + 1)
    if best != q:
        o.n.streak = 0
    o.n.order = best
    c.wish = max(SLOWER, by) if by < 1 else 1.0 if by < HOLD else min(FASTER, by)


@jit
def begin(p, w, c, o):
    """A step of a start with fixed steps: by Runge-Kutta steps of a part of the length."""
    t, h, n, status = c.t0, c.h, o.n.parts, DONE
    copy(w.y0, o.kept[0])
    copy(w.f0, o.kept[1])
    for i in range(n):
        c.t0, c.h = t + i * h / n, h / n
        status = runge_kutta(p, w, c, o.start)
        if status == DONE and i + 1 < n:
            copy(w.y1, w.y0)
            status = call_status(w.call.rhs, (p, c.t0 + c.h, w.y0, w.f0))
        if status != DONE:
            break
    c.t0, c.h = t, h
    copy(o.kept[0], w.y0)
    copy(o.kept[1], w.f0)
    return status


@jit
def between(w, o, h, q):
    """Coefficients of the integral of the polynomial through F at the nodes 0 .. q - 1."""
    w.P[:] = 0
    o.powers[0] = 1.0
    for i in range(q):
        for j in range(i + 1):
            o.weights[j] = share(o, 0, j, i)
        w.z[:] = 0
        add(w, o, 0, i, 1.0, w.z)  # F[x_0..x_i]
        for l in range(i + 1):
            for k in range(w.z.size):
                w.P[l + 1, k] += h * o.powers[l] / (l + 1) * w.z[k]
        multiply(o, i, o.nodes[i])


@jit
def step(p, w, c, o):
    """A step by [adams-1], or the polynomial of the last one."""
    n, h = o.n, c.h
    if c.asked == BETWEEN:
        if n.made == 0:
            return runge_kutta(p, w, c, o.start)
        place_nodes(o, c.t0, h)
        between(w, o, h, n.made)
        return DONE
    remember(w, c, o)
    n.made = 0
    q = n.highest if c.fixed == 1 else n.order
    if n.points < q - 1 and c.fixed == 1:
        return begin(p, w, c, o)
    if n.points < q - 1:
        c.exponent, status = BEGIN, runge_kutta(p, w, c, o.start)
        by = SHORT * factor(over_allowed(p, w, c, w.error, False), BEGIN + 1)  # shorter than need be, as Adams' are
        c.wish = min(FASTER, max(SLOWER, by)) if status == DONE else 0.0
        return status
    n.made = q
    place_nodes(o, c.t0, h)
    formula(w, o, 1, q - 1, h)
    status = call_status(w.call.rhs, (p, c.t0 + h, w.y1, w.f1))
    if status != DONE:
        return status
    formula(w, o, 0, q - 1, h)
    if c.fixed == 0:
        c.exponent = 2  # of rejected steps: what earlier nodes add to the error does not fall with the step
        error = error_of(p, w, c, o, q)
        copy(w.z, w.error)
        choose_order(p, w, c, o, q, error)
    return DONE


@jit
def anew(p, w, c, o):
    """Without a past."""
    o.n.points, o.n.failed, o.n.streak, c.exponent = 0, 0, 0, BEGIN
    return DONE


class Adams(Method):
    """[adams-1]"""
    step, anew = step, anew
    stages, exponent, caution = 16, BEGIN, SHORT
    kept = ("times", "values")

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        highest, n = option.max_order, run.n_q + run.n_v + 2
        numbers = new_record(MEMORY, highest=highest, parts=FINE if highest > FINE else 1)
        self.own = Past(numbers, np.zeros((SIZE, n)), np.zeros(SIZE), np.zeros(SIZE + 1), np.zeros(SIZE + 2),
                        np.zeros(SIZE + 1), np.zeros((2, n)), tableau("dop853")[0])
        self.degree = max(highest, 7)

    def sound(self) -> bool:
        n = self.own.n
        orders = min(n.order, n.made) >= 0 and max(n.order, n.made) <= n.highest
        return bool(0 <= n.points <= SIZE and 0 <= n.newest < SIZE and orders)
