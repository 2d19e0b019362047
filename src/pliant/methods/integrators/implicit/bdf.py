"""Backward differentiation formulas of variable order and step: the kernel of one step. docs/theory/radau_bdf.md

    z'(t1) = sum_j a_j z(t_(1-j)),   v'(t1) = sum_j a_j v(t_(1-j)),   j = 0 ... k,   with [ggl-1] at t1 = t0 + h                   [bdf-1]

or, on index 3, z' = T^-1(z) v, M v' + C^T lam = f, C = 0 there. a_j: the derivative at t1 of the polynomial through t1, t0, ..., t_(1-k);
z of the past: logarithms relative to the newest position.
"""
from typing import Any

import numpy as np

from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.states import copy, copy_part
from ....kernels.status import DONE, NEWTON_FAILED
from ..time_loop.chosen_steps import over_allowed, share
from ..time_loop.control import BETWEEN
from . import radau
from .iterations import simplified
from .method import BRIEF, ImplicitMethod
from .stages import FINISH_BDF, ITERATE_BDF, MATRICES_BDF, NODES, add_node, ask, largest, logarithm, note_speed, scale_velocities, to_error

MULTIPLIERS = 4   # of the past, that those of the step are extrapolated from
KAPPA = 0.05      # what Newton's method may leave, of the error allowed
SLOW = 0.2        # rate of convergence beyond which matrices are made anew
FAR = 2.0         # rad: positions of the past beyond that are not used, as their logarithms would not be continuous
SAME, LOWER, HIGHER = 1.2, 1.3, 1.4  # how much shorter a step is than follows from its error, at the same, a lower and a higher order
BEGIN = 0.1       # of the step that Radau's method might take, for those that a formula is begun with
SHORT = 0.25      # of the usual step: rejected ones below that let the formula begin anew
GROWTH, FIRST_GROWTH = 2.0, 8.0     # of steps, at most; out of the first ones


@jit
def push(p, w, c, o):
    """A step was accepted: its end is the newest point. The past is seen from there."""
    past, lams, n, n_v = o.past, o.lams, o.n, p.num.state_v
    if n.bdf_t0 == c.t0:
        return
    if n.points == 0:
        n.order, n.since = 0, 0
    for j in range(min(n.points, past.shape[0] - 1), 0, -1):
        copy(past[j - 1], past[j])
        copy(lams[j - 1], lams[j])
    n.points, n.since = min(n.points + 1, past.shape[0]), n.since + 1
    past[0, 0], n.bdf_t0 = c.t0, c.t0
    if n.points > 1:
        note_speed(p, w, c)
        n.usual_h = max(past[0, 0] - past[1, 0], 0.98 * n.usual_h)
    copy_part(w.y0, 0, past[0], 1, w.y0.size)
    copy_part(o.lam, n_v, lams[0], n_v, o.lam.size - n_v)
    for j in range(n.points):
        if logarithm(p.maps, w.y0, past, j, o.chart[j]) > FAR:
            n.points = j
            break


@jit
def node(past, t1, j):
    """Time of node j: t1, then those of the past."""
    return t1 if j == 0 else past[j - 1, 0]


@jit
def weight_of(past, t1, i, nodes):
    """Of node i in the divided difference over so many nodes."""
    c = 1.0
    for j in range(nodes):
        if j != i:
            c /= node(past, t1, i) - node(past, t1, j)
    return c


@jit
def lagrange(past, t1, i, first, last, t):
    """Value at t of the polynomial that is one at node i and zero at the others."""
    c = 1.0
    for j in range(first, last):
        if j != i:
            tj = node(past, t1, j)
            c *= (t - tj) / (node(past, t1, i) - tj)
    return c


@jit
def leading(past, t1, k):
    """a_0 of order k: sum of 1 / (t1 - t_(1-j))"""
    c = 0.0
    for j in range(k):
        c += 1 / (t1 - past[j, 0])
    return c


@jit
def predict(p, w, c, o, k):
    """The polynomial through the past, at the end of the step; and the part of [bdf-1] that is known: W[1], A[1] and, for
    energies, W[2]."""
    Z, V, W, A, chart, past, n_q, n_v, t1 = o.Z, o.V, o.W, o.A, o.chart, o.past, p.num.state_q, p.num.state_v, c.t0 + c.h
    m = min(k + 1, o.n.points)
    smooth = min(m, MULTIPLIERS)
    o.n.sigma = leading(past, t1, k)
    for row in (Z[0], V[0], o.N[0], o.L[0], W[1], A[1], W[2]):
        row[:] = 0
    for j in range(1, m + 1):
        ahead, slope = lagrange(past, t1, j, 1, m + 1, t1), 0.0
        if j <= k:  # derivative at t1 of the polynomial that is one at t_(1-j): a ratio of divided differences
            slope = weight_of(past, t1, j, k + 1) / (weight_of(past, t1, 0, k + 1) * (t1 - past[j - 1, 0]))
        for i in range(n_v):
            z, v = chart[j - 1, i], past[j - 1, 1 + n_q + i]
            Z[0, i] += ahead * z
            V[0, i] += ahead * v
            W[1, i] += slope * z
            A[1, i] += slope * v
        if j <= smooth:
            ahead = lagrange(past, t1, j, 1, smooth + 1, t1)
            for i in range(n_v, o.g.size):
                o.L[0, i] += ahead * o.lams[j - 1, i]
        for e in range(2):
            W[2, e] += slope * past[j - 1, 1 + n_q + n_v + e]
    if m == 1:  # the first step
        for i in range(n_v):
            V[0, i] = w.y0[n_q + i] + c.h * w.f0[n_q + i]
            Z[0, i] = c.h * V[0, i]


@jit
def measured(p, w, c, o):
    """The error in right, over what is allowed."""
    if o.n.index3 == 1:
        scale_velocities(p, w, c, o)
    return largest(p, w, c, o.right[0], o.right[1]) / share(c)


@jit
def difference(p, w, c, o, m):
    """Local error of order m, in right: the divided difference over m + 2 nodes, times (t1 - t0) ... / a_0     [bdf-2]

    Returns the largest of it, over what is allowed."""
    past, right, n_q, n_v, t1, h = o.past, o.right, p.num.state_q, p.num.state_v, c.t0 + c.h, c.h
    right[0][:] = 0
    right[1][:] = 0
    if m + 1 > o.n.points:  # of order 1, after points were given up
        for i in range(n_v):
            v0 = w.y0[n_q + i]
            right[0, i], right[1, i] = o.Z[0, i] - h * v0, o.V[0, i] - v0 - h * w.f0[n_q + i]
        return measured(p, w, c, o)
    factor = 1 / leading(past, t1, m)
    for j in range(m):
        factor *= t1 - past[j, 0]
    for j in range(m + 2):
        a = factor * weight_of(past, t1, j, m + 2)
        for i in range(n_v):
            right[0, i] += a * (o.Z[0, i] if j == 0 else o.chart[j - 1, i])
            right[1, i] += a * (o.V[0, i] if j == 0 else past[j - 1, 1 + n_q + i])
    return measured(p, w, c, o)


@jit
def choose_order(p, w, c, o, k):
    """Errors of orders k - 1, k, k + 1 and what follows for the next step; that of order k is left in right."""
    n, best, order, lower = o.n, 0.0, k, np.inf
    ready = n.since > k
    if k > 1:
        lower = difference(p, w, c, o, k - 1)
        best, order = 1 / (LOWER * max(lower, 1e-12) ** (1 / (k - 1))), k - 1
    if ready and k < n.highest and n.points > k + 1:
        factor = 1 / (HIGHER * max(difference(p, w, c, o, k + 1), 1e-12) ** (1 / (k + 1)))
        if factor > best:
            best, order = factor, k + 1
    error = difference(p, w, c, o, k)
    factor = 1 / (SAME * max(error, 1e-12) ** (1 / k))
    if factor > best:
        best, order = factor, k
    c.exponent, c.wish = k, 1.0
    if error > 1:
        if lower < error:
            n.order, n.since = k - 1, 0
    elif ready:
        best = min(best, FIRST_GROWTH if k == 1 else GROWTH)
        if best > 1.1 or order < k:
            c.wish, n.order, n.since = max(best, 0.5), order, 0


@jit
def finish(p, w, c, o):
    """y1 and its derivative."""
    status, first = ask(p, w, c, o, FINISH_BDF), p.num.state_q + p.num.state_v
    for e in range(2):
        w.y1[first + e] = (w.f1[first + e] - o.W[2, e]) / o.n.sigma
    c.known = 1
    return status


@jit
def polynomial(p, w, c, o, k):
    """The polynomial of the formula at the nodes."""
    past, n_q, n_v, t1 = o.past, p.num.state_q, p.num.state_v, c.t0 + c.h
    first = n_q + n_v
    w.P[:] = 0
    for m in range(1, NODES + 1):
        o.g[:] = 0
        o.y[:] = 0
        w.z[first], w.z[first + 1] = 0.0, 0.0
        for j in range(k + 1):
            by = lagrange(past, t1, j, 0, k + 1, c.t0 + m / NODES * c.h)
            for i in range(n_v):
                o.g[i] += by * (o.Z[0, i] if j == 0 else o.chart[j - 1, i])
                o.y[i] += by * (o.V[0, i] if j == 0 else past[j - 1, 1 + n_q + i])
            for i in range(first, first + 2):
                w.z[i] += by * (w.y1[i] if j == 0 else past[j - 1, 1 + i])
        add_node(p, w, o, m)


@jit
def begin(p, w, c, o):
    """A step of Radau's method, short enough for those that follow."""
    n, fixed = o.n, c.fixed == 1
    if n.last_order > 0:  # after steps of the formula
        n.past, n.tiles, n.factored = 0, 0, 0
        status = call_status(w.call.rhs, (p, c.t0, w.y0, w.f0))
        if status != DONE:
            return status
    n.last_order, n.order = 0, 0
    status = call_status(w.call.starter, (p, w, c, o))
    if status == DONE and not fixed:
        error = over_allowed(p, w, c, w.error, False)
        c.exponent, c.wish = 5, min(GROWTH, max(0.5, BEGIN * max(error, 1e-12) ** -0.2))
    return status


@jit
def begin_anew(p, w, c, o):
    """The same from here, where the formula has failed: by a step that is not too short, as rounding errors count for less in it."""
    n, longer = o.n, 0.5 * o.n.usual_h / c.h
    n.points = 1
    if c.fixed == 1 or longer < 1:
        return begin(p, w, c, o)
    n.order, c.wish = 0, longer
    return NEWTON_FAILED


@jit
def formula(p, w, c, o, k):
    """A step of order k: with matrices of an earlier step if they are good enough. A status."""
    n, status, sigma = o.n, NEWTON_FAILED, leading(o.past, c.t0 + c.h, k)
    n.last_order, n.tiles = k, 1
    if not (n.theta < SLOW and 0.5 * n.sigma_factors < sigma < 2 * n.sigma_factors):
        n.factored = 0
    for _ in range(2):
        predict(p, w, c, o, k)
        status = DONE if n.factored == 1 else ask(p, w, c, o, MATRICES_BDF)
        if status == DONE:
            status = simplified(p, w, c, o, ITERATE_BDF, KAPPA, 1, SLOW, 9.0)
        if status == DONE or n.tiles == 2:
            break
        n.factored = 0
    if status != DONE:
        n.factored = 0
    return status


@jit
def step(p, w, c, o):
    """A step, or the polynomial of the last one. Where Newton's method fails, or error control a second time, a singular position is near:
    the formula is begun anew with Radau's method, which passes it."""
    n, fixed = o.n, c.fixed == 1
    if c.asked == BETWEEN:
        if n.last_order == 0:
            return call_status(w.call.starter, (p, w, c, o))
        polynomial(p, w, c, o, n.last_order)
        return DONE
    push(p, w, c, o)
    if (n.order == 0 or fixed) and n.points <= n.highest:
        return begin(p, w, c, o)
    if n.order == 0:
        n.order, n.factored = n.highest, 0
    k = min(n.order, max(1, n.points - 1))
    if formula(p, w, c, o, k) != DONE:
        return begin_anew(p, w, c, o)
    if not fixed:
        choose_order(p, w, c, o, k)
        to_error(p, w, o.right[0], o.right[1], 1.0)
        if over_allowed(p, w, c, w.error, False) > 1 and c.h < SHORT * o.n.usual_h:
            return begin_anew(p, w, c, o)
    return finish(p, w, c, o)


class BDFMethod(ImplicitMethod):
    """[bdf-1]"""
    step = step
    starter = radau.step
    brief = BRIEF
    caution = BEGIN

    def __init__(self, option: Any, run: Any) -> None:
        super().__init__(option, run)
        self.own.n.highest, self.own.n.index3 = option.max_order, run.formulation.kind == "index-3"
