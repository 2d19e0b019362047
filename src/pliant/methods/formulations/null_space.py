"""Accelerations in an orthonormal basis N of the motions that constraints allow, renewed at every position.

    A^T P = Q R,   Q = [Q_1 N],   a_0 = Q_1 R_1^-T g,   N^T M_s N z = N^T (f_s - M_s a_0),   a = a_0 + N z              [null-1]
    R_1 lam = Q_1^T (f_s - M_s a)

A = U C_q S and the others as in `dense`; g: what A a must be. Kim, Vanderploeg 1986, doi 10.1115/1.3260796
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
    SCALE,
    SOLUTION,
    at,
    back,
    decompose,
    forth,
    gather,
    project,
    turn,
)
from ...kernels.projection import KEPT, RENEWED, projection, ready
from ...kernels.status import DONE, NOT_FINITE, SINGULAR


@jit
def factor(p, t, renewed):
    """Q and R of [null-1] at the position in x. Which equations come first is chosen by pivoting at the ends of steps, where they hold:
    off the constraints redundant ones contradict each other, and their rank may be higher. SINGULAR where it is not that of the start."""
    d, big, n, m = p.dense, p.dense.shape[1], p.chosen[COORDINATES], p.chosen[EQUATIONS]
    order, rank = LISTS + n + m, p.chosen[RANK]
    gather(p, t)
    if rank < 0:
        renewed = RENEWED
    if renewed == RENEWED:
        for k in range(m):
            p.chosen[order + k] = k
    for i in range(m):
        k = p.chosen[order + i]
        for j in range(n):
            d[j, i] = d[2 * big + k, j]
    now = decompose(d, p.chosen, n, m, min(n, m) if renewed == RENEWED else rank, order, p.par.zero, renewed)
    if rank < 0:
        p.chosen[RANK] = now
        return DONE
    first, last = abs(d[0, 0]), abs(d[rank - 1, rank - 1])
    return DONE if rank == 0 or (now == rank and last > p.par.zero * first) else SINGULAR


@jit
def least(d, c, unit, values):
    """SOLUTION = Q_1 R_1^-T g: the smallest motion with  A w = g,  g the equations of ``values``, scaled."""
    n, m, rank, row = c[COORDINATES], c[EQUATIONS], c[RANK], at(d, SOLUTION)
    for k in range(n):
        d[row, k] = 0
    for k in range(rank):
        i = c[LISTS + n + c[LISTS + n + m + k]]
        d[row, k] = unit[i] * values[i]
    forth(d, row, rank)
    turn(d, row, n, rank, BACKWARD)


@jit
def basis(d, n, rank):
    """N in the third area."""
    b = 2 * d.shape[1]
    for k in range(n - rank):
        for i in range(n):
            d[b + k, i] = 0
        d[b + k, rank + k] = 1
        turn(d, b + k, n, rank, BACKWARD)


@jit
def rhs(p, t, y, dy):
    """Accelerations by [null-1] and what follows from them."""
    x, d, n, m, n_v = p.x, p.dense, p.chosen[COORDINATES], p.chosen[EQUATIONS], p.num.n_v
    load(p, y)
    p.num.evaluations += 1
    if factor(p, t, KEPT) != DONE:
        return SINGULAR
    for k in range(n):
        d[at(d, FORCE), k] = -d[at(d, SCALE), k] * x.R[p.chosen[LISTS + k]]
    x.V[:] = 0
    evaluate(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    for k in range(n_v, p.b.size):
        p.b[k] = -x.R[k]
    rank = p.chosen[RANK]
    least(p.dense, p.chosen, p.unit, p.b)
    basis(d, n, rank)
    if not project(d, n, n - rank):
        return SINGULAR
    total = 0.0
    for k in range(n):
        a = d[at(d, SCALE), k] * d[at(d, SOLUTION), k]
        x.a[p.chosen[LISTS + k]] = a
        total += a
    if not abs(total) < 1e300:
        return NOT_FINITE
    turn(d, at(d, FORCE), n, rank, FORWARD)
    back(d, at(d, FORCE), rank)
    for k in range(rank):
        i = p.chosen[LISTS + n + p.chosen[LISTS + n + m + k]]
        x.lam[i] = p.unit[i] * d[at(d, FORCE), k]
    derivative(p, t, dy)
    return DONE


@jit
def move(p, values):
    """p.y = what takes ``values`` of the equations away with the smallest motion:  dw = -Q_1 R_1^-T C         [null-2]"""
    for k in range(p.b.size):
        p.b[k] = -values[k]
        p.y[k] = 0
    least(p.dense, p.chosen, p.unit, p.b)
    d = p.dense
    for k in range(p.chosen[COORDINATES]):
        p.y[p.chosen[LISTS + k]] = d[at(d, SCALE), k] * d[at(d, SOLUTION), k]


*_, correct = projection("null_space", look=factor, prepare=ready, move=move)
