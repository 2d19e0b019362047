"""As many coordinates as there are degrees of freedom are integrated; the others, w_d, follow from the constraints wherever accelerations
are asked for: positions by Newton's method, then velocities, then accelerations.

    A P = Q [R_1 R_2],   w = P (w_d, w_i),   w_d = R_1^-1 (Q^T g - R_2 w_i)                             [partition-1]
    B = P [-R_1^-1 R_2; 1],   B^T M_s B w_i' = B^T (f_s - M_s a_0),   lam = Q_1 R_1^-T (f_s - M_s a)_d

A = U C_q S and the others as in `dense`; g: what A w must be. The order P of the pivots, chosen by pivoting, stays while the smallest
diagonal entry of R_1 is above ``renew`` of the largest that it has been.      Wehage, Haug 1982, doi 10.1115/1.3256318
"""
import numpy as np

from ...compile.consistency import normalise, scaled
from ...kernels.evaluation import retract
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.ode import EVALUATIONS, ITERATIONS, N_V, derivative, load, store_state
from ...kernels.pivoted_qr import (
    BACKWARD,
    CLOSE,
    COORDINATES,
    EQUATIONS,
    FORCE,
    FORWARD,
    KEPT,
    LISTS,
    PIVOT,
    RANK,
    RENEW,
    RENEWED,
    RIGHT,
    SCALE,
    SOLUTION,
    ZERO,
    at,
    back,
    forth,
    gather,
    keep_order,
    order_anew,
    project,
    smallest,
    turn,
)
from ...kernels.status import DONE, NOT_FINITE, SINGULAR
from .index1 import CORRECTIONS, measure


@jit
def choose(p):
    """A new order of the coordinates, dependent ones first; SINGULAR where the rank is not what it was at the start."""
    rank = order_anew(p.dense, p.chosen, p.par[ZERO])
    if p.chosen[RANK] < 0:
        p.chosen[RANK] = rank
    p.par[PIVOT] = smallest(p.dense, rank)
    return DONE if rank == p.chosen[RANK] else SINGULAR


@jit
def factor(p, t, renewed):
    """Q and R of [partition-1] at the position in x; if asked, with a new order where that is due."""
    gather(p, t)
    if p.chosen[RANK] < 0:
        return choose(p)
    pivot, rank = keep_order(p.dense, p.chosen), p.chosen[RANK]
    if renewed == RENEWED:
        p.par[PIVOT] = max(p.par[PIVOT], pivot) if rank > 0 else 0.0
        if pivot < p.par[RENEW] * p.par[PIVOT]:
            return choose(p)
    return DONE if pivot > p.par[ZERO] or rank == 0 else SINGULAR


@jit
def dependent(d, c, unit, values):
    """RIGHT = R_1^-1 Q^T g: the dependent coordinates with  A w = g,  g the equations of ``values``, scaled; the others zero."""
    n, m, rank, row = c[COORDINATES], c[EQUATIONS], c[RANK], at(d, RIGHT)
    for k in range(m):
        i = c[LISTS + n + k]
        d[row, k] = unit[i] * values[i]
    turn(d, row, m, rank, FORWARD)
    back(d, row, rank)


@jit
def move(p, values):
    """p.y = what takes ``values`` of the equations away, by dependent coordinates alone."""
    d, n, m = p.dense, p.chosen[COORDINATES], p.chosen[EQUATIONS]
    for k in range(p.b.size):
        p.b[k] = -values[k]
        p.y[k] = 0
    dependent(p.dense, p.chosen, p.unit, p.b)
    p.num[ITERATIONS] += 1
    for k in range(p.chosen[RANK]):
        j = p.chosen[LISTS + n + m + k]
        p.y[p.chosen[LISTS + j]] = d[at(d, SCALE), j] * d[at(d, RIGHT), k]


@jit
def close(p, t, renewed):
    """Dependent positions, then dependent velocities in x; Q and R are those of the position."""
    x, n_v = p.x, p.num[N_V]
    normalise(p.d, x.q)
    before = np.inf
    for i in range(CORRECTIONS):
        if factor(p, t, renewed if i == 0 else KEPT) != DONE:
            return SINGULAR
        size = scaled(x.R, p.unit, n_v)
        if size <= p.par[CLOSE] or not size < before:  # rounding
            break
        before = size
        move(p, x.R)
        for k in range(x.q.size):
            p.q[k] = x.q[k]
        retract(p.d, p.q, p.y, 1.0, x.q)
    for _ in range(2):
        x.V[:] = 0
        evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
        if scaled(x.V, p.unit, n_v) <= p.par[CLOSE]:
            break
        move(p, x.V)
        for k in range(n_v):
            x.v[k] += p.y[k]
    return DONE


@jit
def basis(d, c, n, rank):
    """B in the third area, and a_0 in SOLUTION from the dependent accelerations in RIGHT."""
    b, order, right, a = 2 * d.shape[1], LISTS + n + c[EQUATIONS], at(d, RIGHT), at(d, SOLUTION)
    for i in range(n):
        d[a, i] = 0
    for k in range(rank):
        d[a, c[order + k]] = d[right, k]
    for k in range(n - rank):
        for i in range(rank):
            d[right, i] = -d[i, rank + k]
        back(d, right, rank)
        for i in range(n):
            d[b + k, i] = 0
        for i in range(rank):
            d[b + k, c[order + i]] = d[right, i]
        d[b + k, c[order + rank + k]] = 1


@jit
def rhs(p, t, y, dy):
    """Accelerations by [partition-1] and what follows from them, with dependent coordinates made to fit."""
    x, d, n, m, n_v = p.x, p.dense, p.chosen[COORDINATES], p.chosen[EQUATIONS], p.num[N_V]
    load(p, y)
    p.num[EVALUATIONS] += 1
    if close(p, t, KEPT) != DONE:
        return SINGULAR
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n):
        d[at(d, FORCE), k] = -d[at(d, SCALE), k] * x.R[p.chosen[LISTS + k]]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v, p.b.size):
        p.b[k] = -x.R[k]
    rank = p.chosen[RANK]
    dependent(p.dense, p.chosen, p.unit, p.b)
    basis(d, p.chosen, n, rank)
    if not project(d, n, n - rank):
        return SINGULAR
    total, right = 0.0, at(d, RIGHT)
    for k in range(n):
        a = d[at(d, SCALE), k] * d[at(d, SOLUTION), k]
        x.a[p.chosen[LISTS + k]] = a
        total += a
    if not abs(total) < 1e300:
        return NOT_FINITE
    for k in range(m):
        d[right, k] = d[at(d, FORCE), p.chosen[LISTS + n + m + k]] if k < rank else 0.0
    forth(d, right, rank)
    turn(d, right, m, rank, BACKWARD)
    for k in range(m):
        i = p.chosen[LISTS + n + k]
        x.lam[i] = p.unit[i] * d[right, k]
    derivative(p, t, dy)
    return DONE


@jit
def correct(p, t, y):
    """The state with dependent coordinates made to fit; a new choice of them where it is due."""
    load(p, y)
    if close(p, t, RENEWED) != DONE:
        return SINGULAR
    store_state(p, y)
    measure(p, t, y)
    return DONE
