"""The end of a step, from the memory of evaluations: for methods that hold the constraints of bodies themselves."""
from ....kernels.contract import DISSIPATION, POWER
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.ode import store_state
from ....kernels.states import copy_part


@jit
def store_motion(p, w):
    """Positions and velocities of y1, accelerations of f1."""
    store_state(p, w.y1)
    copy_part(p.x.a, 0, w.f1, p.x.q.size, p.num.n_v)


@jit
def store_energies(p, w, c):
    """Powers at the end, and energies by the trapezoidal rule."""
    x, first = p.x, p.x.q.size + p.num.n_v
    x.E[:] = 0
    if p.num.powered == 1:
        evaluate(p.power, p.d, x, c.t1, 0.0, 0.0, 0.0)
    w.f1[first], w.f1[first + 1] = x.E[DISSIPATION], x.E[POWER]
    for e in range(first, first + 2):
        w.y1[e] = w.y0[e] + c.h * (w.f0[e] + w.f1[e]) / 2
