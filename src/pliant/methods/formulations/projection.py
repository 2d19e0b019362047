"""What formulations share that put states back on constraints, or work in a basis of the motions that these allow."""
import numpy as np

from ...items.errors import ModelError
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import jit
from ...kernels.ode import Problem, derivative, load
from ...kernels.pivoted_qr import layout, project, unscale
from ...kernels.projection import KEPT, look_at_rates, ready
from ...kernels.states import copy_part, largest, normalise
from ...kernels.status import DONE, NOT_FINITE, SINGULAR
from .base import Setting

MOST_DENSE = 600  # equations of constraints that dense linear algebra is good for

# What the two algorithms below are made with, by `variant`:
#   hold(p, t, renewed)    the state in x, if need be made to fit; its residual and its factors. A status
#   particular(d, values)  a solution of  A w = -U values
#   basis(d)               B, of all w with  A w = 0
#   multipliers(d, lam)    lam from f_s - M_s a, in force
hold = particular = basis = multipliers = ready


@jit
def settle(p, t, y):
    """After a step of a method that holds the constraints: quaternions of length one, and how far the constraints hold."""
    normalise(p.d, y)
    copy_part(y, 0, p.x.q, 0, p.x.q.size)
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    p.par.position_gap = max(p.par.position_gap, largest(p.x.R, p.num.n_v))
    return DONE


def change(p, values):
    """p.y = what takes ``values`` of the equations away."""
    particular(p.dense, values)
    unscale(p.dense, p.y)


def accelerate(p, t, y, dy):
    """Accelerations by [dense-2] and what follows from them."""
    x, d = p.x, p.dense
    load(p, y)
    p.num.evaluations += 1
    if hold(p, t, KEPT) != DONE:
        return SINGULAR
    for k in range(d.S.size):
        d.force[k] = -d.S[k] * x.R[d.coordinates[k]]
    look_at_rates(p, t)
    particular(d, x.R)
    basis(d)
    if not project(d):
        return SINGULAR
    unscale(d, x.a)
    if not largest(x.a, 0) < 1e300:
        return NOT_FINITE
    multipliers(d, x.lam)
    derivative(p, t, dy)
    return DONE


def reduced(setting: Setting, kind: str, tolerance: float, zero: float, renew: float = 0.0) -> Problem:
    """The problem with room for a basis of the motions that constraints allow."""
    s, p = setting.dynamics.system, setting.problem()
    s.refuse_borne(f"simulate: formulation {kind}", "take the formulation index-1")
    coordinates, equations = s.active[s.active < s.n_v], s.active[s.active >= s.n_v]
    n, m, place = coordinates.size, equations.size, np.full(s.n, -1)
    if m > MOST_DENSE or n > 2 * MOST_DENSE:
        raise ModelError(f"simulate: formulation {kind}: {m} equations of joints and drives for {n} coordinates; its "
                         f"matrices are full, so there may be {MOST_DENSE} for {2 * MOST_DENSE}. Take the formulation "
                         "index-1, whose matrices are sparse")
    place[coordinates], place[equations] = np.arange(n), n + np.arange(m)
    entries = [(tile, i, j, place[6 * row + i], place[6 * column + j]) for (row, column), tile in s.block.items()
               for i in range(6) for j in range(6) if place[6 * row + i] >= 0 and 0 <= place[6 * column + j] < n]
    p.par.tolerance, p.par.zero, p.par.renew = setting.aimed(tolerance), zero, renew
    return p._replace(**layout(coordinates, equations, place, p.unit[coordinates] * p.par.length, p.unit[equations],
                               equations, (n, m) if kind == "null-space" else (m, n), entries))
