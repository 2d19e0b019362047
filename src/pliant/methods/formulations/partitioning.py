"""As many coordinates as there are degrees of freedom are integrated; the others, w_d, follow from the constraints
wherever accelerations are asked for: positions by Newton's method, then velocities, then accelerations.

    A P = Q [R_1 R_2],   w = P (w_d, w_i),   w_d = R_1^-1 (Q^T g - R_2 w_i)                             [partition-1]
    B = P [-R_1^-1 R_2; 1],   B^T M_s B w_i' = B^T (f_s - M_s a_0),   lam = Q_1 R_1^-T (f_s - M_s a)_d

A = U C_q S and the others as in `pivoted_qr`; g: what A w must be. The order P of the pivots, chosen by pivoting, stays
while the smallest diagonal entry of R_1 is above ``renew`` of the largest that it has been.
Wehage, Haug 1982, doi 10.1115/1.3256318
"""
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit, variant
from ...kernels.pivoted_qr import BACKWARD, back, dependent, forth, gather, partition, turn
from ...kernels.projection import KEPT, RENEWED, projection, ready
from ...kernels.states import normalise
from ...kernels.status import DONE, SINGULAR
from .projection import accelerate, change


@jit
def factor(p, t, renewed):
    """Q and R of [partition-1] at the position in x; if asked, with a new order where that is due. SINGULAR where the
    rank is not what it was at the start."""
    d, rank = p.dense, p.dense.rank[0]
    gather(p, t)
    if rank == 0 and d.U.size > 0:  # no equation holds anything at the start
        return SINGULAR
    if rank >= 0:
        _, pivot = partition(d, p.par.zero, KEPT)
        if renewed == RENEWED:
            p.par.pivot = max(p.par.pivot, pivot) if rank > 0 else 0.0
        if renewed == KEPT or not pivot < p.par.renew * p.par.pivot:
            return DONE if pivot > p.par.zero or rank == 0 else SINGULAR
    now, p.par.pivot = partition(d, p.par.zero, RENEWED)
    d.rank[0] = now if rank < 0 else rank
    return DONE if now == d.rank[0] and (now > 0 or d.U.size == 0) else SINGULAR


move = variant(change, "partitioning", particular=dependent)
close_positions, close_rates, correct = projection("partitioning", look=factor, prepare=ready, move=move)


@jit
def hold(p, t, renewed):
    """Dependent positions and velocities in x made to fit, then the residual."""
    x, tolerance = p.x, p.par.tolerance
    normalise(p.d, x.q)
    if close_positions(p, t, x.q, renewed, tolerance) != DONE or close_rates(p, t, x.q, False, tolerance) != DONE:
        return SINGULAR
    evaluate(p.residual, p.d, x, t, 0.0, 0.0, 0.0)
    return DONE


@jit
def basis(d):
    """B = P [-R_1^-1 R_2; 1]"""
    order, right, rank = d.order, d.right, d.rank[0]
    d.B[:] = 0
    for k in range(d.S.size - rank):
        for i in range(rank):
            right[i] = -d.F[i, rank + k]
        back(d.F, right, rank)
        for i in range(rank):
            d.B[k, order[i]] = right[i]
        d.B[k, order[rank + k]] = 1


@jit
def multipliers(d, lam):
    """lam = Q_1 R_1^-T (f_s - M_s a)_d"""
    d.right[:] = 0
    for k in range(d.rank[0]):
        d.right[k] = d.force[d.order[k]]
    forth(d.F, d.right, d.rank[0])
    turn(d, d.right, BACKWARD)
    for k in range(d.U.size):
        lam[d.rows[k]] = d.U[k] * d.right[k]


rhs = variant(accelerate, "partitioning", hold=hold, particular=dependent, basis=basis, multipliers=multipliers)
