"""Accelerations in an orthonormal basis N of the motions that constraints allow, renewed at every position.

    A^T P = Q R,   Q = [Q_1 N],   a_0 = Q_1 R_1^-T g,   N^T M_s N z = N^T (f_s - M_s a_0),   a = a_0 + N z   [null-1]
    R_1 lam = Q_1^T (f_s - M_s a)

A = U C_q S and the others as in `pivoted_qr`; g: what A a must be. Kim, Vanderploeg 1986, doi 10.1115/1.3260796
"""
from ...kernels.jit import jit, variant
from ...kernels.pivoted_qr import BACKWARD, FORWARD, back, decompose, forth, gather, turn
from ...kernels.projection import RENEWED, projection, ready
from ...kernels.status import DONE, SINGULAR
from .projection import accelerate, change


@jit
def factor(p, t, renewed):
    """Q and R of [null-1] at the position in x. Which equations come first is chosen by pivoting at the ends of steps,
    where they hold: off the constraints redundant ones contradict each other, and their rank may be higher. SINGULAR
    where it is not that of the start."""
    d, rank, zero = p.dense, p.dense.rank[0], p.par.zero
    gather(p, t)
    now = decompose(d, d.A.T, zero, RENEWED if rank < 0 else renewed)
    d.rank[0] = now if rank < 0 else rank
    if d.rank[0] == 0:  # no equation at all, or none that holds anything here
        return DONE if d.U.size == 0 else SINGULAR
    good = rank < 0 or (now == rank and abs(d.F[rank - 1, rank - 1]) > zero * abs(d.F[0, 0]))
    return DONE if good else SINGULAR


@jit
def least(d, values):
    """The smallest solution Q_1 R_1^-T g of  A w = g = -U values, for corrections  dw = -Q_1 R_1^-T U C     [null-2]"""
    d.solution[:] = 0
    for k in range(d.rank[0]):
        i = d.order[k]
        d.solution[k] = -d.U[i] * values[d.rows[i]]
    forth(d.F, d.solution, d.rank[0])
    turn(d, d.solution, BACKWARD)


@jit
def basis(d):
    """B = N"""
    rank = d.rank[0]
    d.B[:] = 0
    for k in range(d.S.size - rank):
        d.B[k, rank + k] = 1
        turn(d, d.B[k], BACKWARD)


@jit
def multipliers(d, lam):
    """R_1 lam = Q_1^T (f_s - M_s a)"""
    turn(d, d.force, FORWARD)
    back(d.F, d.force, d.rank[0])
    for k in range(d.rank[0]):
        i = d.order[k]
        lam[d.rows[i]] = d.U[i] * d.force[k]


rhs = variant(accelerate, "null_space", hold=factor, particular=least, basis=basis, multipliers=multipliers)
move = variant(change, "null_space", particular=least)
*_, correct = projection("null_space", look=factor, prepare=ready, move=move)
