"""An integrator written outside the package: the method of Heun, order 2, with the error of Euler's method.

    y1 = y0 + h/2 (f0 + F(t1, y0 + h f0)),   error = h/2 (F(t1, y0 + h f0) - f0)
"""
from dataclasses import dataclass
from typing import ClassVar

from pliant.kernels.jit import jit
from pliant.kernels.ode import call_status
from pliant.kernels.status import DONE
from pliant.methods.integrators.base import Integrator, Orders
from pliant.methods.integrators.time_loop.control import BETWEEN
from pliant.methods.integrators.time_loop.method import Method


@jit
def step(p, w, c, o):
    h = c.h
    if c.asked == BETWEEN:  # the cubic polynomial by values and slopes at both ends of the step just made
        for k in range(w.z.size):
            d, a, b = w.y1[k] - w.y0[k], h * w.f0[k], h * w.f1[k]
            w.P[1, k], w.P[2, k], w.P[3, k] = a, 3 * d - 2 * a - b, a + b - 2 * d
        return DONE
    for k in range(w.z.size):
        w.z[k] = w.y0[k] + h * w.f0[k]
    status = call_status(w.call.rhs, (p, c.t0 + h, w.z, w.f1))
    for k in range(w.z.size):
        w.error[k] = h / 2 * (w.f1[k] - w.f0[k])
        w.y1[k] = w.y0[k] + h / 2 * (w.f0[k] + w.f1[k])
    return status


class HeunMethod(Method):
    step = step
    exponent = 1.0  # of the error per second in h


@dataclass(frozen=True)
class Heun(Integrator):
    """Explicit, order 2, error control; stable on the imaginary axis for very short steps only."""
    kind: ClassVar[str] = "heun"
    formulations: ClassVar[tuple[str, ...]] = ("index-1", "recursion")
    controlled: ClassVar[bool] = True

    def orders(self, formulation):
        return Orders(2, 2, 2)

    def scheme(self, run):
        return HeunMethod(self, run)
