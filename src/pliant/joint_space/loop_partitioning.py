"""Loops in joint coordinates: corrections by dependent coordinates alone, chosen by pivoting of the Jacobian of the cut joints."""
from ..kernels.closed_loops import sweep
from ..kernels.jit import jit
from ..kernels.pivoted_qr import dependent, partition, unscale
from ..kernels.projection import KEPT, RENEWED
from ..kernels.status import DONE

ZERO = 1e-9  # of the largest pivot: equations that depend on others


@jit
def fill(p):
    """A = U J S: equations and lengths in sizes of the model. J by sweeps, from the tiles in x.D."""
    lp, d, first = p.joints.loops, p.dense, p.joints.tree.u.size
    for cut in range(lp.tile.size):
        sweep(p.joints.tree, lp, p.x.D, cut, False)
    for e in range(lp.pair_tiles.shape[0]):
        cut = lp.pair_tiles[e, 0]
        if lp.pair_tiles[e, 1] == cut:
            for i in range(lp.pair_start[e], lp.pair_start[e + 1]):
                for r in range(6):
                    put(d, first + 6 * cut + r, lp.pairs[i, 2], lp.Z[lp.pairs[i, 0], r])
    for k in range(lp.sliding.shape[0]):
        for r in range(6):
            put(d, first + 6 * lp.sliding[k, 4] + r, lp.sliding[k, 5], p.x.D[lp.sliding[k, 2], r, 0])


@jit
def put(d, row, rate, value):
    """What a rate does in a row of cut joints, if that is one of the equations."""
    k, l = d.place[row], d.place[rate]
    if k >= 0:
        d.A[k, l] = d.U[k] * value * d.S[l]


@jit
def factor(p):
    """Q and R of A with the order that is known, or a new one where its pivots have become small."""
    d = p.dense
    if d.rank[0] >= 0:
        _, pivot = partition(d, ZERO, KEPT)
        p.par.pivot = max(p.par.pivot, pivot)
        if pivot > p.par.renew * p.par.pivot:
            return
    d.rank[0], p.par.pivot = partition(d, ZERO, RENEWED)


@jit
def dependent_change(p, R, out):
    """out: the change of dependent coordinates or rates that takes the equations among R away, A w = -U R  [loops-4]"""
    fill(p)
    factor(p)
    dependent(p.dense, R)
    unscale(p.dense, out)
    return DONE
