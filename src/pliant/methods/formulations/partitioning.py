"""As many coordinates as there are degrees of freedom are integrated; the others, w_d, follow from the constraints wherever accelerations
are asked for: positions by Newton's method, then velocities, then accelerations.

    A P = Q [R_1 R_2],   w = P (w_d, w_i),   w_d = R_1^-1 (Q^T g - R_2 w_i)                             [partition-1]
    B = P [-R_1^-1 R_2; 1],   B^T M_s B w_i' = B^T (f_s - M_s a_0),   lam = Q_1 R_1^-T (f_s - M_s a)_d

A = U C_q S and the others as in `dense`; g: what A w must be. The order P of the pivots, chosen by pivoting, stays while the smallest
diagonal entry of R_1 is above ``renew`` of the largest that it has been.      Wehage, Haug 1982, doi 10.1115/1.3256318
"""

from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.ode import derivative, load
from ...kernels.pivoted_qr import (
    BACKWARD,
    COORDINATES,
    EQUATIONS,
    FORCE,
    FORWARD,
    LISTS,
    RANK,
    RIGHT,
    SCALE,
    SOLUTION,
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
from ...kernels.projection import KEPT, RENEWED, projection, ready
from ...kernels.states import normalise
from ...kernels.status import DONE, NOT_FINITE, SINGULAR


@jit
def choose(p):
    """A new order of the coordinates, dependent ones first; SINGULAR where the rank is not what it was at the start."""
    rank = order_anew(p.dense, p.chosen, p.par.zero)
    if p.chosen[RANK] < 0:
        p.chosen[RANK] = rank
    p.par.pivot = smallest(p.dense, rank)
    return DONE if rank == p.chosen[RANK] else SINGULAR


@jit
def factor(p, t, renewed):
    """Q and R of [partition-1] at the position in x; if asked, with a new order where that is due."""
    gather(p, t)
    if p.chosen[RANK] < 0:
        return choose(p)
    pivot, rank = keep_order(p.dense, p.chosen), p.chosen[RANK]
    if renewed == RENEWED:
        p.par.pivot = max(p.par.pivot, pivot) if rank > 0 else 0.0
        if pivot < p.par.renew * p.par.pivot:
            return choose(p)
    return DONE if pivot > p.par.zero or rank == 0 else SINGULAR


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
    for k in range(p.chosen[RANK]):
        j = p.chosen[LISTS + n + m + k]
        p.y[p.chosen[LISTS + j]] = d[at(d, SCALE), j] * d[at(d, RIGHT), k]


closing = projection("partitioning", look=factor, prepare=ready, move=move)
close_positions, close_rates, correct = closing


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
    x, d, n, m, n_v = p.x, p.dense, p.chosen[COORDINATES], p.chosen[EQUATIONS], p.num.n_v
    load(p, y)
    p.num.evaluations += 1
    normalise(p.d, x.q)
    if close_positions(p, t, y, KEPT, p.par.tolerance) != DONE or close_rates(p, t, y, False, p.par.tolerance) != DONE:
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
