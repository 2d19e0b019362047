"""A problem in joint coordinates: over the tree of the joints, with loops that are cut and closed. Corrections change all
coordinates, or dependent ones alone, chosen by pivoting of the Jacobian of the cut joints."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..items.errors import ModelError
from ..kernels import ode
from ..kernels.closed_loops import sweep
from ..kernels.evaluation import Maps
from ..kernels.jit import jit
from ..kernels.pivoted_qr import dependent, layout, partition, unscale
from ..kernels.projection import KEPT, RENEWED
from ..kernels.status import DONE
from . import recursion
from .tree import JointSpace
from .tree_programs import programs as tree_programs

MOST_DENSE = 1200  # coordinates, or equations of cut joints, that dense linear algebra is good for
ZERO = 1e-9        # of the largest pivot: equations that depend on others


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


def in_joint_coordinates(space: JointSpace, p: ode.Problem, partitioned: bool, corrected: bool) -> tuple[ode.Problem, Any, Any]:
    """The problem over the tree, its kernels `rhs` and `correct`. ``partitioned``: corrections change dependent coordinates alone."""
    programs = tree_programs(space)
    p.num.state_q, p.num.state_v, p.num.powered = space.n_q, space.n_u, len(programs.power.rows) > 0
    joints = ode.Joints(np.ones(1), space.tree, space.loops, programs.forces, programs.gaps, programs.jacobian, programs.rates,
                        np.zeros(space.n_u), np.zeros(space.n_u), 0)
    without: Any = dict.fromkeys(("tangent", "rates", "lu", "tiles", "b", "r", "pivots", "dense"), ())  # passing arrays takes time
    p = p._replace(maps=Maps(space.tree.rotations, space.tree.linear), power=programs.power, joints=joints, **without)
    change: Any = recursion.change
    if partitioned:
        p, change = _partitioned(space, p), dependent_change
    p = p._replace(joints=joints._replace(move=ode.address(change, p, p.x.R, joints.change)))
    return p, recursion.rhs, recursion.correct if corrected else recursion.leave


def _partitioned(space: JointSpace, p: ode.Problem) -> ode.Problem:
    """With room for a partition. Places: of rates, and of rows of cut joints, each among those that count."""
    loops, free, equations = space.loops, np.flatnonzero(space.tree.drive < 0), np.flatnonzero(space.loops.active == 1)
    n, m, place = free.size, equations.size, np.full(space.n_u + loops.active.size, -1)
    if max(n, m) > MOST_DENSE:
        raise ModelError(f"simulate: formulation recursion: {m} equations of cut joints for {n} coordinates; "
                         f"partitioning has full matrices, so there may be {MOST_DENSE}. Take direct-correction, which "
                         "goes loop by loop")
    place[free], place[space.n_u + equations] = np.arange(n), np.arange(m)
    scale, rows = 1 / space.weights()[space.n_q:][free], 6 * loops.tile[equations // 6] + equations % 6
    return p._replace(**layout(free, equations, place, scale, p.unit[rows], rows, (m, n)))
