"""Newton's method of implicit stages, with matrices that are kept."""
import numpy as np

from ....kernels.jit import jit
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE
from ..loop.control import AMPLIFIED
from .stages import ask


@jit
def allowed(c, o, kappa):
    """Increments that Newton's method may leave: with fixed steps as the user says, otherwise a part of the error allowed."""
    return max(o.n.rounding, o.n.tolerance if c.fixed == 1 else kappa * c.eps * c.h)


@jit
def simplified(p, w, c, o, task, kappa, patience, slow_rate, worst):
    """A task of the solver again and again, until what is still to come is small. DONE, NEWTON_FAILED or NOT_FINITE. Slow convergence is
    borne for ``patience`` increments; ``slow_rate`` is too slow for matrices of an earlier step; ``worst``: of eta, see `stages`."""
    n, before, theta, enough = o.n, 0.0, 0.0, allowed(c, o, kappa)
    eta, most = max(n.eta, 1e-16) ** 0.8, n.most_iterations
    for m in range(most):
        ask(p, w, c, o, task)
        size = n.size
        if not size < np.inf:
            return NOT_FINITE
        if m > 0:
            theta = size / before if before > 0 else 0.0
            slow = theta >= 1 or size * theta ** (most - 1 - m) / (1 - theta) > enough or (theta > slow_rate and n.tiles == 1)
            if theta > 2 or (slow and m > patience):
                n.theta = 1.0
                noise = n.tiles == 2 and theta > 0.3 and size <= AMPLIFIED * n.rounding
                return DONE if noise else NEWTON_FAILED
            eta = min(worst, theta / (1 - theta)) if theta < 1 else worst
        before = size
        if size <= n.rounding or (eta * size <= enough and (m > 0 or eta < 1)):
            n.eta, n.theta = eta, theta
            return DONE
    n.theta = 1.0
    return NEWTON_FAILED
