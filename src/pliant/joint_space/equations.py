"""A problem in joint coordinates: over the tree of the joints, with loops that are cut and closed."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..items.errors import ModelError
from ..kernels import ode
from ..kernels.evaluation import Maps
from ..kernels.pivoted_qr import layout
from . import loop_partitioning, recursion
from .tree import JointSpace
from .tree_programs import programs as tree_programs

MOST_DENSE = 1200  # coordinates, or equations of cut joints, that dense linear algebra is good for


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
        p, change = _partitioned(space, p), loop_partitioning.dependent_change
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
