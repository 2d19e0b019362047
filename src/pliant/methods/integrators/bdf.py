"""Backward differentiation formulas of variable order and step: the kernel of one step. docs/theory/radau_bdf.md

    z'(t1) = sum_j a_j z(t_(1-j)),   v'(t1) = sum_j a_j v(t_(1-j)),   j = 0 ... k,   with [ggl-1] at t1 = t0 + h                   [bdf-1]

a_j: the derivative at t1 of the polynomial through t1, t0, ..., t_(1-k); z of the past: logarithms relative to the newest position.
"""
import numpy as np

from ...kernels.jit import jit
from ...kernels.ode import STATE_Q, STATE_V, call_status
from ...kernels.status import DONE, NEWTON_FAILED, NOT_FINITE
from .implicit import (
    BDF_T0,
    CHART,
    ETA,
    FACTORED,
    FINISH_BDF,
    HELD,
    HIGHEST,
    ITERATE_BDF,
    LAMBDA,
    LAST_ORDER,
    MATRICES_BDF,
    MOST_ITERATIONS,
    NODES,
    ORDER,
    PAST,
    POINTS,
    RIGHT,
    ROUNDING,
    SIGMA,
    SIGMA_FACTORS,
    SINCE,
    SIZE,
    TASK,
    THETA,
    TILES,
    TOLERANCE,
    USUAL_H,
    A,
    G,
    L,
    N,
    V,
    W,
    Y,
    Z,
    add_node,
    clear,
    judged,
    largest,
    logarithm,
    to_error,
)
from .one_step_loop import ASKED, BETWEEN, EPS_, EXPONENT, FIXED, KNOWN, RHS, SOLVER, STARTER, T0, WISH, H
from .radau_table import POWERS
from .stepper import AMPLIFIED

MULTIPLIERS = 4   # of the past, that those of the step are extrapolated from
KAPPA = 0.05      # what Newton's method may leave, of the error allowed
SLOW = 0.2        # rate of convergence beyond which matrices are made anew
FAR = 2.0         # rad: positions of the past beyond that are not used, as their logarithms would not be continuous
SAME, LOWER, HIGHER = 1.2, 1.3, 1.4  # how much shorter a step is than follows from its error, at the same, a lower and a higher order
BEGIN = 0.1       # of the step that Radau's method might take, for those that a formula is begun with
SHORT = 0.25      # of the usual step: rejected ones below that let the formula begin anew
GROWTH, FIRST_GROWTH = 2.0, 8.0     # of steps, at most; out of the first ones


@jit
def push(d, w, lam, tune, n_q, n_v):
    """A step was accepted: its end is the newest point. The past is seen from there."""
    o, past = w.own, w.own.past
    if o.par[BDF_T0] == tune[T0]:
        return
    if o.num[POINTS] == 0:
        o.num[ORDER], o.num[SINCE] = 0, 0
    for j in range(min(o.num[POINTS], HELD - 1), 0, -1):
        for k in range(past.shape[1]):
            past[j, k] = past[j - 1, k]
        for k in range(n_v, lam.size):
            o.S[LAMBDA + j, k] = o.S[LAMBDA + j - 1, k]
    o.num[POINTS], o.num[SINCE] = min(o.num[POINTS] + 1, HELD), o.num[SINCE] + 1
    past[0, 0], o.par[BDF_T0] = tune[T0], tune[T0]
    if o.num[POINTS] > 1:
        o.par[USUAL_H] = max(past[0, 0] - past[1, 0], 0.98 * o.par[USUAL_H])
    for k in range(w.y0.size):
        past[0, 1 + k] = w.y0[k]
    for k in range(n_v, lam.size):
        o.S[LAMBDA, k] = lam[k]
    for j in range(o.num[POINTS]):
        if logarithm(d, w.y0, past, j, o.S[CHART + j]) > FAR:
            o.num[POINTS] = j
            break


@jit
def weight_of(past, t1, i, nodes):
    """Of node i in the divided difference over so many nodes; node 0 is t1, node j is past[j - 1]."""
    ti, c = t1 if i == 0 else past[i - 1, 0], 1.0
    for j in range(nodes):
        if j != i:
            c /= ti - (t1 if j == 0 else past[j - 1, 0])
    return c


@jit
def lagrange(past, t1, i, first, last, t):
    """Value at t of the polynomial that is one at node i and zero at the others."""
    ti, c = t1 if i == 0 else past[i - 1, 0], 1.0
    for j in range(first, last):
        if j != i:
            tj = t1 if j == 0 else past[j - 1, 0]
            c *= (t - tj) / (ti - tj)
    return c


@jit
def leading(past, t1, k):
    """a_0 of order k: sum of 1 / (t1 - t_(1-j))"""
    c = 0.0
    for j in range(k):
        c += 1 / (t1 - past[j, 0])
    return c


@jit
def predict(w, tune, n_q, n_v, k):
    """The polynomial through the past, at the end of the step; and the part of [bdf-1] that is known: rows W + 1, A + 1 and, for energies,
    W + 2."""
    o, S, past, t1 = w.own, w.own.S, w.own.past, tune[T0] + tune[H]
    sigma, m = leading(past, t1, k), min(k + 1, o.num[POINTS])
    o.par[SIGMA] = sigma
    for i in range(n_v):
        S[Z, i], S[V, i], S[N, i], S[W + 1, i], S[A + 1, i] = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n_v, S.shape[1]):
        S[L, i] = 0.0
    S[W + 2, 0], S[W + 2, 1], smooth = 0.0, 0.0, min(m, MULTIPLIERS)
    for j in range(1, m + 1):
        ahead = lagrange(past, t1, j, 1, m + 1, t1)
        slope = 0.0
        if j <= k:  # derivative at t1 of the polynomial that is one at t_(1-j): a ratio of divided differences
            slope = weight_of(past, t1, j, k + 1) / (weight_of(past, t1, 0, k + 1) * (t1 - past[j - 1, 0]))
        for i in range(n_v):
            v = past[j - 1, 1 + n_q + i]
            S[Z, i] += ahead * S[CHART + j - 1, i]
            S[V, i] += ahead * v
            S[W + 1, i] += slope * S[CHART + j - 1, i]
            S[A + 1, i] += slope * v
        if j <= smooth:
            ahead = lagrange(past, t1, j, 1, smooth + 1, t1)
            for i in range(n_v, S.shape[1]):
                S[L, i] += ahead * S[LAMBDA + j - 1, i]
        for e in range(2):
            S[W + 2, e] += slope * past[j - 1, 1 + n_q + n_v + e]
    if m == 1:  # the first step
        for i in range(n_v):
            S[V, i] = w.y0[n_q + i] + tune[H] * w.f0[n_q + i]
            S[Z, i] = tune[H] * S[V, i]


@jit
def newton(p, w, tune, code):
    """The end of the step, with matrices of an earlier one if they converge. DONE, NEWTON_FAILED, SINGULAR or NOT_FINITE."""
    o, before, theta = w.own, 0.0, 0.0
    allowed = max(o.par[ROUNDING], o.par[TOLERANCE] if code[FIXED] == 1 else KAPPA * tune[EPS_] * tune[H])
    eta, most = max(o.par[ETA], 1e-16) ** 0.8, o.num[MOST_ITERATIONS]
    if o.num[FACTORED] == 0:
        o.num[TASK] = MATRICES_BDF
        status = call_status(code[SOLVER], (p, w, tune, code))
        if status != DONE:
            return status
    o.num[TASK] = ITERATE_BDF
    for m in range(most):
        call_status(code[SOLVER], (p, w, tune, code))
        size = o.par[SIZE]
        if not size < np.inf:
            return NOT_FINITE
        if m > 0:
            theta = size / before if before > 0 else 0.0
            slow = theta >= 1 or size * theta ** (most - 1 - m) / (1 - theta) > allowed or (theta > SLOW and o.num[TILES] == 1)
            if theta > 2 or (slow and m > 1):  # the second increment has to make up for K, see `increment`
                o.par[THETA] = 1.0
                noise = o.num[TILES] == 2 and theta > 0.3 and size <= AMPLIFIED * o.par[ROUNDING]
                return DONE if noise else NEWTON_FAILED
            eta = theta / (1 - theta) if theta < 0.9 else 9.0
        before = size
        if size <= o.par[ROUNDING] or (eta * size <= allowed and (m > 0 or eta < 1)):
            o.par[ETA], o.par[THETA] = eta, theta
            return DONE
    o.par[THETA] = 1.0
    return NEWTON_FAILED


@jit
def difference(w, tune, n_q, n_v, m):
    """Local error of order m in rows RIGHT and RIGHT + 1: the divided difference over m + 2 nodes, times (t1 - t0) ... / a_0     [bdf-2]"""
    S, past, t1, h = w.own.S, w.own.past, tune[T0] + tune[H], tune[H]
    for i in range(n_v):
        v0 = w.y0[n_q + i]
        S[RIGHT, i], S[RIGHT + 1, i] = 0.0, 0.0
        if m + 1 > w.own.num[POINTS]:  # of order 1, after points were given up
            S[RIGHT, i], S[RIGHT + 1, i] = S[Z, i] - h * v0, S[V, i] - v0 - h * w.f0[n_q + i]
    if m + 1 > w.own.num[POINTS]:
        return
    c = 1 / leading(past, t1, m)
    for j in range(m):
        c *= t1 - past[j, 0]
    for j in range(m + 2):
        a = c * weight_of(past, t1, j, m + 2)
        for i in range(n_v):
            S[RIGHT, i] += a * (S[Z, i] if j == 0 else S[CHART + j - 1, i])
            S[RIGHT + 1, i] += a * (S[V, i] if j == 0 else past[j - 1, 1 + n_q + i])


@jit
def choose_order(w, tune, n_q, n_v, k):
    """Errors of orders k - 1, k, k + 1 and what follows for the next step; that of order k is left in rows RIGHT and RIGHT + 1."""
    num, allowed = w.own.num, tune[EPS_] * tune[H]
    best, order, lower = 0.0, k, np.inf
    ready = num[SINCE] > k
    if k > 1:
        difference(w, tune, n_q, n_v, k - 1)
        lower = largest(w, tune, n_q, n_v, RIGHT, RIGHT + 1) / allowed
        best, order = 1 / (LOWER * max(lower, 1e-12) ** (1 / (k - 1))), k - 1
    if ready and k < num[HIGHEST] and num[POINTS] > k + 1:
        difference(w, tune, n_q, n_v, k + 1)
        higher = largest(w, tune, n_q, n_v, RIGHT, RIGHT + 1) / allowed
        factor = 1 / (HIGHER * max(higher, 1e-12) ** (1 / (k + 1)))
        if factor > best:
            best, order = factor, k + 1
    difference(w, tune, n_q, n_v, k)
    error = largest(w, tune, n_q, n_v, RIGHT, RIGHT + 1) / allowed
    factor = 1 / (SAME * max(error, 1e-12) ** (1 / k))
    if factor > best:
        best, order = factor, k
    tune[EXPONENT], tune[WISH] = k, 1.0
    if error > 1:
        if lower < error:
            num[ORDER], num[SINCE] = k - 1, 0
    elif ready:
        best = min(best, FIRST_GROWTH if k == 1 else GROWTH)
        if best > 1.1 or order < k:
            tune[WISH], num[ORDER], num[SINCE] = max(best, 0.5), order, 0


@jit
def finish(p, w, tune, code):
    """y1 and its derivative."""
    w.own.num[TASK] = FINISH_BDF
    status = call_status(code[SOLVER], (p, w, tune, code))
    n, sigma = p.num[STATE_Q] + p.num[STATE_V], w.own.par[SIGMA]
    for e in range(2):
        w.y1[n + e] = (w.f1[n + e] - w.own.S[W + 2, e]) / sigma
    code[KNOWN] = 1
    return status


@jit
def polynomial(p, w, tune, k):
    """The polynomial of the formula at the nodes."""
    S, past, n_q, n_v, t1 = w.own.S, w.own.past, p.num[STATE_Q], p.num[STATE_V], tune[T0] + tune[H]
    clear(w.P)
    for m in range(1, NODES + 1):
        for i in range(n_v):
            S[G, i], S[Y, i] = 0.0, 0.0
        first = n_q + n_v
        w.z[first], w.z[first + 1] = 0.0, 0.0
        for j in range(k + 1):
            c = lagrange(past, t1, j, 0, k + 1, tune[T0] + m / NODES * tune[H])
            for i in range(n_v):
                S[G, i] += c * (S[Z, i] if j == 0 else S[CHART + j - 1, i])
                S[Y, i] += c * (S[V, i] if j == 0 else past[j - 1, 1 + n_q + i])
            for i in range(first, first + 2):
                w.z[i] += c * (w.y1[i] if j == 0 else past[j - 1, 1 + i])
        add_node(p.maps, w, n_q, n_v, m, POWERS)


@jit
def begin(p, w, tune, code):
    """A step of Radau's method, short enough for those that follow."""
    num, fixed = w.own.num, code[FIXED] == 1
    if num[LAST_ORDER] > 0:  # after steps of the formula
        num[PAST], num[TILES], num[FACTORED] = 0, 0, 0
        status = call_status(code[RHS], (p, tune[T0], w.y0, w.f0))
        if status != DONE:
            return status
    num[LAST_ORDER], num[ORDER] = 0, 0
    status = call_status(code[STARTER], (p, w, tune, code))
    if status == DONE and not fixed:
        error = judged(w, tune, p.num[STATE_Q], p.num[STATE_V])
        tune[EXPONENT], tune[WISH] = 5, min(GROWTH, max(0.5, BEGIN * max(error, 1e-12) ** -0.2))
    return status


@jit
def begin_anew(p, w, tune, code):
    """The same from here, where the formula has failed: by a step that is not too short, as rounding errors count for less in it."""
    num, longer = w.own.num, 0.5 * w.own.par[USUAL_H] / tune[H]
    num[POINTS] = 1
    if code[FIXED] == 1 or longer < 1:
        return begin(p, w, tune, code)
    num[ORDER], tune[WISH] = 0, longer
    return NEWTON_FAILED


@jit
def formula(p, w, tune, code, k):
    """A step of order k: with matrices of an earlier step if they are good enough. A status."""
    o, num, n_v, n_q = w.own, w.own.num, p.num[STATE_V], p.num[STATE_Q]
    status, sigma = NEWTON_FAILED, leading(o.past, tune[T0] + tune[H], k)
    num[LAST_ORDER], num[TILES] = k, 1
    if not (o.par[THETA] < SLOW and 0.5 * o.par[SIGMA_FACTORS] < sigma < 2 * o.par[SIGMA_FACTORS]):
        num[FACTORED] = 0
    for _ in range(2):
        predict(w, tune, n_q, n_v, k)
        status = newton(p, w, tune, code)
        if status == DONE or num[TILES] == 2:
            break
        num[FACTORED] = 0
    if status != DONE:
        num[FACTORED] = 0
    return status


@jit
def step(p, w, tune, code):
    """A step, or the polynomial of the last one. Where Newton's method fails, or error control a second time, a singular position is near:
    the formula is begun anew with Radau's method, which passes it."""
    num, n_v, n_q, fixed = w.own.num, p.num[STATE_V], p.num[STATE_Q], code[FIXED] == 1
    if code[ASKED] == BETWEEN:
        if num[LAST_ORDER] == 0:
            return call_status(code[STARTER], (p, w, tune, code))
        polynomial(p, w, tune, num[LAST_ORDER])
        return DONE
    push(p.maps, w, w.own.lam, tune, n_q, n_v)
    if (num[ORDER] == 0 or fixed) and num[POINTS] <= num[HIGHEST]:
        return begin(p, w, tune, code)
    if num[ORDER] == 0:
        num[ORDER], num[FACTORED] = num[HIGHEST], 0
    k = min(num[ORDER], max(1, num[POINTS] - 1))
    if formula(p, w, tune, code, k) != DONE:
        return begin_anew(p, w, tune, code)
    if not fixed:
        choose_order(w, tune, n_q, n_v, k)
        to_error(p.maps, w, n_q, n_v, RIGHT, RIGHT + 1, 1.0)
        if judged(w, tune, n_q, n_v) > 1 and tune[H] < SHORT * w.own.par[USUAL_H]:
            return begin_anew(p, w, tune, code)
    return finish(p, w, tune, code)
