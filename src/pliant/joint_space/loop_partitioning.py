"""Loops in joint coordinates: corrections by dependent coordinates alone, chosen by pivoting of the Jacobian of the cut joints."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kernels.closed_loops import FIRST, LINK, MODES, sweep
from ..kernels.jit import jit
from ..kernels.link_tables import IU, NM, NU
from ..kernels.pivoted_qr import (
    COORDINATES,
    EQUATIONS,
    FORWARD,
    LISTS,
    RANK,
    RIGHT,
    SCALE,
    VECTORS,
    at,
    back,
    keep_order,
    order_anew,
    smallest,
    turn,
)
from ..kernels.status import DONE

if TYPE_CHECKING:
    from .tree import JointSpace

ZERO = 1e-9  # of the largest pivot: equations that depend on others


@jit
def fill(p):
    """A = U J S in the third area: equations and lengths in sizes of the model. J by sweeps, from the tiles in x.D."""
    tr, lp, d, c = p.joints.tree, p.joints.loops, p.dense, p.chosen
    big, n, m = d.shape[1], c[COORDINATES], c[EQUATIONS]
    for i in range(m):
        for j in range(n):
            d[2 * big + i, j] = 0
    place = LISTS + n + m + big
    for cut in range(lp.tile.size):
        sweep(tr, lp, p.x.D, cut, False)
        for e in range(lp.path_start[cut], lp.path_start[cut + 1]):
            i, z = lp.path[e, LINK], lp.path[e, FIRST]
            modes = tr.ip[i, IU] + tr.ip[i, NU]
            for k in range(tr.ip[i, IU], modes + tr.ip[i, NM]):
                if tr.drive[k] >= 0:
                    continue
                put(lp, d, c, p.unit, cut, c[place + k], z if k < modes else lp.path[e, MODES] + k - modes)
                z += 1
    for k in range(lp.sliding.shape[0]):
        cut, column = lp.sliding[k, 4], c[place + lp.sliding[k, 5]]
        for r in range(6):
            row = c[place + p.joints.tree.u.size + 6 * cut + r]
            if row >= 0:
                d[2 * big + row, column] = p.unit[6 * lp.tile[cut] + r] * p.x.D[lp.sliding[k, 2], r, 0] * d[at(d, SCALE), column]


@jit
def put(lp, d, c, unit, cut, column, z):
    """A column of the equations of one cut joint."""
    big, rows = d.shape[1], c.size - 6 * lp.tile.size
    for r in range(6):
        row = c[rows + 6 * cut + r]
        if row >= 0:
            d[2 * big + row, column] = unit[6 * lp.tile[cut] + r] * lp.Z[z, r] * d[at(d, SCALE), column]


@jit
def choose(p):
    """A new order, dependent coordinates first."""
    p.chosen[RANK] = order_anew(p.dense, p.chosen, ZERO)
    p.par.pivot = smallest(p.dense, p.chosen[RANK])


@jit
def factor(p):
    """Q and R of A with the order that is known, or a new one where its pivots have become small."""
    if p.chosen[RANK] < 0:
        choose(p)
        return
    pivot = keep_order(p.dense, p.chosen)
    p.par.pivot = max(p.par.pivot, pivot)
    if not pivot > p.par.renew * p.par.pivot:
        choose(p)


@jit
def dependent_change(p, R, out):
    """out: the change of dependent coordinates or rates that takes away the equations among R, A w = -U R                  [loops-4]"""
    lp, d, c = p.joints.loops, p.dense, p.chosen
    n, m = c[COORDINATES], c[EQUATIONS]
    fill(p)
    factor(p)
    rows, row = c.size - 6 * lp.tile.size, at(d, RIGHT)
    for cut in range(lp.tile.size):
        for r in range(6):
            if c[rows + 6 * cut + r] >= 0:
                d[row, c[rows + 6 * cut + r]] = -p.unit[6 * lp.tile[cut] + r] * R[6 * lp.tile[cut] + r]
    turn(d, row, m, c[RANK], FORWARD)
    back(d, row, c[RANK])
    for k in range(out.size):
        out[k] = 0
    for k in range(c[RANK]):
        j = c[LISTS + n + m + k]
        out[c[LISTS + j]] = d[at(d, SCALE), j] * d[row, k]
    return DONE


def layout(space: JointSpace) -> tuple[np.ndarray, np.ndarray]:
    """``dense`` and ``chosen``: of the latter the last part says where rates and rows of cut joints are among those that count."""
    loops, weights = space.loops, space.weights()[space.n_q:]
    free, rows = np.flatnonzero(space.tree.drive < 0), np.flatnonzero(loops.active == 1)
    n, m, place = free.size, rows.size, np.full(space.n_u + loops.active.size, -1)
    big = max(n, m, 1)
    place[free], place[space.n_u + rows] = np.arange(n), np.arange(m)
    dense = np.zeros((4 * big + VECTORS, big))
    dense[4 * big + SCALE, :n] = 1 / weights[free]
    return dense, np.concatenate([[n, m, -1], free, rows, np.arange(big), place]).astype(np.int64)
