"""Central differences in the form of velocities at the ends of steps: the kernel of one step.

    q1 = q0 exp(h v0 + h^2/2 a0),   a1 = a(t + h, q1, v0 + h a0),   v1 = v0 + h/2 (a0 + a1)                 [central-1]

One evaluation of accelerations per step: the next one begins with a1. Energies by the trapezoidal rule.
"""
from ....kernels.evaluation import retract
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.status import DONE
from ..time_loop.control import BETWEEN
from ..time_loop.method import Method
from ..time_loop.rows import hermite


@jit
def step(p, w, c, o):
    """A step by [central-1], or the cubic polynomial through both ends of the last one."""
    h, n_q, n_v = c.h, p.num.state_q, p.num.state_v
    if c.asked == BETWEEN:
        hermite(w, h)
        return DONE
    for k in range(n_v):
        p.y[k] = w.y0[n_q + k] + h / 2 * w.f0[n_q + k]
        w.z[n_q + k] = w.y0[n_q + k] + h * w.f0[n_q + k]
    retract(p.maps, w.y0, p.y, h, w.z)
    status = call_status(w.call.rhs, (p, c.t0 + h, w.z, w.f1))
    for k in range(w.z.size):
        w.y1[k] = w.z[k] if k < n_q else w.y0[k] + h / 2 * (w.f0[k] + w.f1[k])
    c.known = 1
    return status


class CentralDifferencesMethod(Method):
    """[central-1]"""
    step = step
