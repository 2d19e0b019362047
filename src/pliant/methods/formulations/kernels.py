"""From a chosen formulation to its kernels and numbers."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...compile.compiled_model import CompiledModel
from ...compile.system import REGULARISATION
from ...items.errors import ModelError
from ...joint_space import loop_partitioning, recursion
from ...joint_space.tree import JointSpace
from ...joint_space.tree_programs import programs as tree_programs
from ...kernels import ode, pivoted_qr
from ...kernels.evaluation import Maps, Memory, Program
from ..method_option import MethodOption
from . import index1, null_space, partitioning
from .choices import (
    MOST_DENSE,
    AugmentedLagrangian,
    Baumgarte,
    CoordinatePartitioning,
    DirectCorrection,
    Index1,
    NullSpace,
    Partitioning,
    Penalty,
    Recursion,
    StabilizedIndex2,
)

SAME_RANK = 1e-9  # pivots below this part of the largest count as zero in coordinate partitioning
FINER, CLOSER, ROUNDING = 1e-4, 1e-5, 2e-15  # corrections aim at this part of their tolerance, of the accuracy; not below this


def problem(dynamics: CompiledModel, formulation: MethodOption, x: Memory, programs: list[Program],
            accuracy: float, space: JointSpace | None = None) -> tuple[ode.Problem, Any, Any, bool]:
    """The problem for explicit integrators, its kernels `rhs` and `correct`, and whether rows are to be projected. ``space``: the tree of a
    recursion."""
    s, n = dynamics.system, dynamics.system.n
    par, num = np.zeros(ode.OWN + 8), np.zeros(9, np.int64)
    num[ode.N_V], num[ode.POWERED] = s.n_v, len(programs[2].rows) > 0
    num[ode.STATE_Q], num[ode.STATE_V] = s.q0.size, s.n_v
    tangent = programs[1] if isinstance(formulation, StabilizedIndex2) else s.program("matrix")
    p = ode.Problem(programs[0], tangent, s.program("rates"), programs[2], s.data, s.lu, x, np.zeros_like(x.D), np.zeros(n),
                         np.zeros(n), np.zeros(n), np.zeros_like(x.q), np.zeros(6, np.int64), dynamics.unit, par, num,
                         np.zeros((1, 1)), np.zeros(1, np.int64), Maps(s.data.rotations, s.data.linear),
                         ode.Absolute(np.zeros(0)))
    if isinstance(formulation, Recursion):
        assert space is not None
        return in_joint_coordinates(space, formulation, p, accuracy)
    if isinstance(formulation, (CoordinatePartitioning, NullSpace)):
        return reduced(dynamics, formulation, p, accuracy)
    correct, project = index1.leave, False
    par[index1.PASSES] = 1
    if isinstance(formulation, Index1):
        kept = formulation.stabilization
        if isinstance(kept, Baumgarte):
            par[index1.RATE], par[index1.GAP] = 2 * kept.a, kept.b**2
        elif isinstance(kept, DirectCorrection):
            par[index1.TOLERANCE], correct, project = kept.tolerance, index1.correct, True
    elif isinstance(formulation, StabilizedIndex2):
        from ..integrators.implicit import settle
        correct, project = settle, True
    elif isinstance(formulation, (Penalty, AugmentedLagrangian)):
        par[index1.RATE], par[index1.GAP] = 2 * formulation.damping * formulation.frequency, formulation.frequency**2
        p = p._replace(lu=softened(dynamics, formulation.penalty))
        par[index1.PASSES] = 0
        if isinstance(formulation, AugmentedLagrangian):
            par[index1.PASSES], par[index1.EXACT] = formulation.max_iterations, formulation.tolerance
            par[index1.TOLERANCE], correct, project = formulation.tolerance, index1.correct, True
    par[index1.TOLERANCE] = aimed(par[index1.TOLERANCE], accuracy)
    return p, index1.rhs, correct, project


def aimed(tolerance: float, accuracy: float) -> float:
    """What corrections aim at: singular positions amplify violations, and Newton's method gets there at once."""
    return max(ROUNDING, min(FINER * tolerance, CLOSER * accuracy or np.inf))


def in_joint_coordinates(space: JointSpace, formulation: Recursion, p: ode.Problem,
                         accuracy: float) -> tuple[ode.Problem, Any, Any, bool]:
    """The same over the tree of the joints."""
    kept, par = formulation.stabilization, p.par
    programs, correct, project = tree_programs(space), recursion.leave, False
    if isinstance(kept, Baumgarte):
        par[recursion.RATE], par[recursion.GAP] = 2 * kept.a, kept.b**2
    elif isinstance(kept, (DirectCorrection, Partitioning)):
        par[recursion.TOLERANCE], correct, project = aimed(kept.tolerance, accuracy), recursion.correct, True
    par[recursion.DIRECT] = formulation.jacobian == "differentiation"
    p.num[ode.STATE_Q], p.num[ode.STATE_V], p.num[ode.POWERED] = space.n_q, space.n_u, len(programs.power.rows) > 0
    maps = Maps(space.tree.rotations, space.tree.linear)
    joints = ode.Joints(np.ones(1), space.tree, space.loops, programs.forces, programs.gaps, programs.jacobian, programs.rates,
                             np.zeros(space.n_u), np.zeros(space.n_u), 0)
    without: Any = dict.fromkeys(("tangent", "rates", "lu", "tiles", "b", "r", "pivots", "dense"), ())  # passing arrays takes time
    p = p._replace(maps=maps, power=programs.power, joints=joints, **without)
    change: Any = recursion.change
    if isinstance(kept, Partitioning):
        p, change = _partitioned(space, p), loop_partitioning.dependent_change
        par[loop_partitioning.RENEW] = kept.renew
    return p._replace(joints=joints._replace(move=ode.address(change, p, p.x.R, joints.change))), recursion.rhs, correct, project


def _partitioned(space: JointSpace, p: ode.Problem) -> ode.Problem:
    free, rows = int((space.tree.drive < 0).sum()), int((space.loops.active == 1).sum())
    if max(free, rows) > 2 * MOST_DENSE:
        raise ModelError(f"simulate: formulation recursion: {rows} equations of cut joints for {free} coordinates; partitioning has full "
                         f"matrices, so there may be {2 * MOST_DENSE}. Take direct-correction, which goes loop by loop")
    dense_, chosen = loop_partitioning.layout(space)
    return p._replace(dense=dense_, chosen=chosen)


def reduced(dynamics: CompiledModel, formulation: CoordinatePartitioning | NullSpace, p: ode.Problem,
            accuracy: float) -> tuple[ode.Problem, Any, Any, bool]:
    """The same for a basis of the motions that constraints allow."""
    s, par = dynamics.system, p.par
    coordinates, equations = s.active[s.active < s.n_v], s.active[s.active >= s.n_v]
    if equations.size > MOST_DENSE or coordinates.size > 2 * MOST_DENSE:
        raise ModelError(f"simulate: formulation {formulation.kind}: {equations.size} equations of joints and drives for "
                         f"{coordinates.size} coordinates; its matrices are full, so there may be {MOST_DENSE} for {2 * MOST_DENSE}. "
                         "Take the formulation index-1, whose matrices are sparse")
    work, chosen = pivoted_qr.layout(coordinates, equations, s.n)
    par[pivoted_qr.CLOSE] = aimed(formulation.tolerance, accuracy)
    par[pivoted_qr.LENGTH] = dynamics.length
    part = isinstance(formulation, CoordinatePartitioning)
    par[pivoted_qr.ZERO], par[pivoted_qr.RENEW] = (SAME_RANK, formulation.renew) if part else (formulation.rank, 0.0)  # type: ignore[union-attr]
    module: Any = partitioning if part else null_space
    return p._replace(dense=work, chosen=chosen), module.rhs, module.correct, True


def softened(dynamics: CompiledModel, penalty: float) -> Any:
    """The factorisation with -C M^-1 C^T / penalty on the multiplier diagonals."""
    lu = dynamics.system.lu
    fix_by = lu.fix_by.copy()
    soft = fix_by < 0
    fix_by[soft] /= REGULARISATION * penalty
    return lu._replace(fix_by=fix_by)
