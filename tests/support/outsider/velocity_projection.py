"""A formulation written outside the package: index 1, with velocities put back on the constraints after every step. Positions drift."""
from dataclasses import dataclass
from typing import ClassVar

from pliant.kernels.jit import jit
from pliant.kernels.ode import load, store_state
from pliant.kernels.projection import measure, projection
from pliant.kernels.states import normalise
from pliant.methods.formulations.base import Equations, Formulation
from pliant.methods.formulations.index1 import linearise, look, move, rhs

_, close_rates, _ = projection("velocities", look=look, prepare=linearise, move=move)


@jit
def correct(p, t, y):
    """C_q v + C_t = 0 with the least change in the metric of the masses."""
    normalise(p.d, y)
    load(p, y)
    status = close_rates(p, t, y, True, p.par.tolerance)
    store_state(p, y)
    measure(p, t, y)
    return status


@dataclass(frozen=True)
class VelocityProjection(Formulation):
    """``tolerance`` of velocities, in sizes of the model per second."""
    tolerance: float = 1e-10
    kind: ClassVar[str] = "velocity-projection"
    like: ClassVar[str] = "index-1"

    def equations(self, setting):
        p = setting.problem()
        p.par.tolerance = setting.aimed(self.tolerance)
        return Equations(p, rhs, correct)
