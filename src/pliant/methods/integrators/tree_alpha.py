"""Newmark's formulas with averaged accelerations in joint coordinates: one step of generalized-alpha, HHT and Newmark on u' = a(t, q, u).

    z = h u0 + h^2 ((1/2 - beta) b0 + beta b1),   u1 = u0 + h ((1 - gamma) b0 + gamma b1),   q1 = q0 exp(z)
    (1 - alpha_m) b1 + alpha_m b0 = (1 - alpha_f) a(t1, q1, u1) + alpha_f a0                          [tree-2]
"""
import numpy as np

from ...kernels.dense import lu_factorise, lu_solve
from ...kernels.jit import jit
from ...kernels.ode import FACTORISATIONS, ITERATIONS, STATE_Q, STATE_V, call_status
from ...kernels.status import DONE, NEWTON_FAILED, NOT_FINITE, SINGULAR
from .implicit import (
    FACTORED,
    H_FACTORS,
    LAMBDA,
    LAST_H,
    LAST_T0,
    MOST_ITERATIONS,
    PAST,
    RIGHT,
    ROUNDING,
    THETA,
    TILES,
    TOLERANCE,
    V,
    Z,
    clear,
    largest,
    to_error,
)
from .one_step_loop import ASKED, BETWEEN, EPS_, FIXED, KNOWN, RHS, T0, H
from .tree_solver import renew, state_of

AVERAGED, NEXT, BEFORE, RATE = LAMBDA, LAMBDA + 1, LAMBDA + 2, LAMBDA + 3  # rows of own.S: b0, b1, a one step before, a0
ALPHA_M, ALPHA_F, BETA, GAMMA = range(4)  # of the table
KAPPA = 0.02      # what Newton's method may leave, of the error allowed
SLOW = 0.1        # rate of convergence beyond which matrices are made anew


@jit
def remember(w, tune, n_q, n):
    """After an accepted step b1 is the next b0; b = a at the start."""
    o, S = w.own, w.own.S
    if o.par[LAST_T0] == tune[T0]:
        return
    o.num[PAST] = min(o.num[PAST] + 1, 2)
    for k in range(n):
        if o.num[PAST] == 1:
            S[AVERAGED, k], S[BEFORE, k] = w.f0[n_q + k], w.f0[n_q + k]
        else:
            S[AVERAGED, k], S[BEFORE, k] = S[NEXT, k], S[RATE, k]
        S[RATE, k] = w.f0[n_q + k]
    if o.num[PAST] == 2:
        o.par[LAST_H] = tune[T0] - o.par[LAST_T0]
    o.par[LAST_T0] = tune[T0]
    if o.num[TILES] == 2:
        o.num[TILES] = 1


@jit
def place(w, tune, n_q, n):
    """z and u1 by the formulas."""
    S, h, c = w.own.S, tune[H], w.table
    for k in range(n):
        u0 = w.y0[n_q + k]
        S[Z, k] = h * u0 + h * h * ((0.5 - c[BETA]) * S[AVERAGED, k] + c[BETA] * S[NEXT, k])
        S[V, k] = u0 + h * ((1 - c[GAMMA]) * S[AVERAGED, k] + c[GAMMA] * S[NEXT, k])


@jit
def matrices(p, w, tune):
    """(1 - alpha_m) - (1 - alpha_f) (h gamma D + h^2 beta K) and its factors."""
    o, n, h, c = w.own, p.num[STATE_V], tune[H], w.table
    if o.num[TILES] == 0:
        status = renew(p, w, tune[T0] + h, 0)
        if status != DONE:
            return status
        o.num[TILES], o.num[FACTORED] = 2, 0
    if o.num[FACTORED] == 1 and o.par[H_FACTORS] == h:
        return DONE
    for i in range(n):
        for j in range(n):
            o.E[i, j] = -(1 - c[ALPHA_F]) * h * (c[GAMMA] * o.D[i, j] + h * c[BETA] * o.K[i, j])
        o.E[i, i] += 1 - c[ALPHA_M]
    p.num[FACTORISATIONS] += 1
    if not lu_factorise(o.E, n, o.pivots[0]):
        return SINGULAR
    o.num[FACTORED], o.par[H_FACTORS] = 1, h
    return DONE


@jit
def newton(p, w, tune, code):
    """b1 with the matrices there are. A status."""
    o, S, n_q, n, h, c, before = w.own, w.own.S, p.num[STATE_Q], p.num[STATE_V], tune[H], w.table, 0.0
    allowed = max(o.par[ROUNDING], o.par[TOLERANCE] if code[FIXED] == 1 else KAPPA * tune[EPS_] * tune[H])
    o.par[THETA] = 1.0
    for m in range(o.num[MOST_ITERATIONS]):
        p.num[ITERATIONS] += 1
        place(w, tune, n_q, n)
        state_of(p, w, 0)
        status = call_status(code[RHS], (p, tune[T0] + h, w.z, o.f))
        if status != DONE:
            return status
        for k in range(n):
            S[RIGHT, k] = ((1 - c[ALPHA_F]) * o.f[n_q + k] + c[ALPHA_F] * S[RATE, k] - (1 - c[ALPHA_M]) * S[NEXT, k]
                           - c[ALPHA_M] * S[AVERAGED, k])
        lu_solve(o.E, n, o.pivots[0], S, RIGHT)
        for k in range(n):
            S[NEXT, k] += S[RIGHT, k]
            S[RIGHT, k], S[RIGHT + 1, k] = h * h * c[BETA] * S[RIGHT, k], h * c[GAMMA] * S[RIGHT, k]
        size = largest(w, tune, n_q, n, RIGHT, RIGHT + 1)
        if not size < np.inf:
            return NOT_FINITE
        theta = size / before if m > 0 and before > 0 else 0.0
        if m > 0 and theta >= 1 and size > o.par[ROUNDING]:
            return NEWTON_FAILED
        if m > 0:
            o.par[THETA] = theta
        if size <= o.par[ROUNDING] or (m > 0 and size * theta / (1 - min(theta, 0.9)) <= allowed):
            return DONE
        before = size
    return NEWTON_FAILED


@jit
def errors(p, w, tune, n_q, n):
    """h^2 (beta - 1/6) (a1 - a0) of positions, h^3 / 12 a'' of velocities."""
    o, S, h = w.own, w.own.S, tune[H]
    last = o.par[LAST_H] if o.num[PAST] == 2 else h
    for k in range(n):
        change = w.f1[n_q + k] - S[RATE, k]
        bend = change - h / last * (S[RATE, k] - S[BEFORE, k]) if o.num[PAST] == 2 else change
        S[RIGHT, k], S[RIGHT + 1, k] = h * h * (w.table[BETA] - 1 / 6) * change, h / 6 * h / (h + last) * bend
    to_error(p.maps, w, n_q, n, RIGHT, RIGHT + 1, 1.0)


@jit
def polynomial(w, h):
    """Cubic, by the slopes at both ends."""
    clear(w.P)
    for k in range(w.z.size):
        d, a, b = w.y1[k] - w.y0[k], h * w.f0[k], h * w.f1[k]
        w.P[1, k], w.P[2, k], w.P[3, k] = a, 3 * d - 2 * a - b, a + b - 2 * d


@jit
def step(p, w, tune, code):
    """A step, or the polynomial of the last one."""
    o, S, n_q, n, h = w.own, w.own.S, p.num[STATE_Q], p.num[STATE_V], tune[H]
    if code[ASKED] == BETWEEN:
        polynomial(w, h)
        return DONE
    remember(w, tune, n_q, n)
    if o.par[THETA] > SLOW:
        o.num[TILES] = 0
    status = NEWTON_FAILED
    for _ in range(2):
        for k in range(n):
            S[NEXT, k] = S[AVERAGED, k]
        place(w, tune, n_q, n)
        status = matrices(p, w, tune)
        if status == DONE:
            status = newton(p, w, tune, code)
        if status == DONE or o.num[TILES] == 2:
            break
        o.num[TILES] = 0
    if status != DONE:
        return status
    place(w, tune, n_q, n)
    state_of(p, w, 0)
    for k in range(n_q + n):
        w.y1[k] = w.z[k]
    status = call_status(code[RHS], (p, tune[T0] + h, w.y1, w.f1))
    for k in range(n_q + n, w.y1.size):
        w.y1[k] = w.y0[k] + h / 2 * (w.f0[k] + w.f1[k])
    errors(p, w, tune, n_q, n)
    code[KNOWN] = 1
    return status
