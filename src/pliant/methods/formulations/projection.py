"""What formulations share that put states back on the constraints."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...items.errors import ModelError
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.pivoted_qr import layout
from ...kernels.states import normalise
from ...kernels.status import DONE
from .base import Setting

if TYPE_CHECKING:
    from ...kernels.ode import Problem

MOST_DENSE = 600  # equations of constraints that dense linear algebra is good for


@jit
def settle(p, t, y):
    """After a step of a method that holds the constraints: quaternions of length one, and how far the constraints hold."""
    normalise(p.d, y)
    for k in range(p.x.q.size):
        p.x.q[k] = y[k]
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    for k in range(p.num.n_v, p.x.R.size):
        p.par.position_gap = max(p.par.position_gap, abs(p.x.R[k]))
    return DONE


def reduced(setting: Setting, kind: str, tolerance: float, zero: float, renew: float = 0.0) -> Problem:
    """The problem with room for a basis of the motions that constraints allow."""
    s, p = setting.dynamics.system, setting.problem()
    coordinates, equations = s.active[s.active < s.n_v], s.active[s.active >= s.n_v]
    if equations.size > MOST_DENSE or coordinates.size > 2 * MOST_DENSE:
        raise ModelError(f"simulate: formulation {kind}: {equations.size} equations of joints and drives for "
                         f"{coordinates.size} coordinates; its matrices are full, so there may be {MOST_DENSE} for {2 * MOST_DENSE}. "
                         "Take the formulation index-1, whose matrices are sparse")
    dense, chosen = layout(coordinates, equations, s.n)
    p.par.tolerance, p.par.zero, p.par.renew = setting.aimed(tolerance), zero, renew
    return p._replace(dense=dense, chosen=chosen)
