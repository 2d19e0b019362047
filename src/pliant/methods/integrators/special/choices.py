"""Integrators of their own kind: orders, stability, and what they are described in. The kernels are imported when a run begins."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ...method_option import bounded
from ..base import Integrator, Plan

if TYPE_CHECKING:
    from ...formulations.base import Equations, Setting
    from ..time_loop.method import Method
    from ..time_loop.run import Run
    from ..time_loop.step_run import StepRun


@dataclass(frozen=True)
class EnergyMomentum(Integrator):
    """Conserves energy: implicit midpoint rule with the Cayley map for rotations and a discrete gradient for forces and constraints,
    constraints at position level (index 3), fixed step.

    Order 2 in positions, velocities and multipliers. Kinetic + potential + elastic + dissipated energy - work stays what it was, to
    rounding, whatever the step; dissipated energy and work are those of the midpoints. Linear and angular momentum of models that nothing
    holds are kept likewise. Stable also where linear analysis says nothing; no numerical damping, so what is stiffer than the step resolves
    keeps ringing. Velocities fulfil the constraints to order 2 and are reported as they are. An iteration ends
    when what is still to come is below ``tolerance`` times the accelerations, or rounding.
    References: Simo, Wong 1991; Gonzalez 1996, 1999; Betsch, Steinmann 2001.
    """
    tolerance: float = bounded(1e-12, 1e-15, 1e-3, "energy is kept as well as this")
    max_iterations: int = bounded(25, 2, 1000)

    kind: ClassVar[str] = "energy-momentum"
    order: ClassVar[int] = 2
    refused: ClassVar[str] = "its discrete gradients are those of constraints on positions; take Index3()"

    def scheme(self, run: StepRun) -> Method:
        from .energy_momentum import EnergyMomentumMethod
        return EnergyMomentumMethod(self, run)


@dataclass(frozen=True)
class EnergyDecaying(EnergyMomentum):
    """Never gains energy, and damps what the step does not resolve: the energy-momentum method, and after each step a filter of velocities
    and positions that is taken as far as it lowers the energy. Constraints at position level (index 3), fixed step.

    Order 2 in positions, velocities and multipliers. Of a vibration of frequency omega a step takes the part (1 - rho) s^2 of the velocity,
    s = z^2 / (4 + z^2), z = h omega: the part ``rho`` of the fastest ones is left, and at 50 steps a period a vibration loses
    (1 - rho) 0.08 % of its energy in a period. Momenta of models that nothing holds are kept to rounding.
    For stiff beams at steps that follow their slow motion. After Bauchau, Theron 1996; Armero, Romero 2001.
    """
    rho: float = bounded(0.5, 0.0, 0.99, "what is left of the fastest vibrations in a step")

    kind: ClassVar[str] = "energy-decaying"


@dataclass(frozen=True)
class DIMCD(Integrator):
    """Direct integration by central differences: equations of second order kept in (r, quaternion) of every body, equilibrium at t
    solved for x(t + h) by exact Newton, constraints by null spaces of coordinates and efforts with rank decisions, fixed step.

    Order 2 in positions, velocities and multipliers; stable for h omega < 2, no damping. Constraints hold to rounding.
    Reactions are recovered from the equilibrium; reported ones come from positions and velocities as with every
    method. Dense linear algebra: up to 120 bodies. Redundant constraints are survived, singular positions where no step falls on them.
    ``tolerance``: an iteration ends when what is still to come is below this times the accelerations.
    Reference: Urkullu, Fernandez de Bustos, Garcia-Marina, Uriarte 2019.
    """
    tolerance: float = bounded(1e-9, 1e-15, 1, "1e-9 is usual")
    max_iterations: int = bounded(25, 2, 1000)

    formulations: ClassVar[tuple[str, ...]] = ("null-space",)
    kind: ClassVar[str] = "dimcd"
    order: ClassVar[int] = 2
    refused: ClassVar[str] = "its null spaces are part of the method; take NullSpace(), or leave the formulation out"

    def scheme(self, run: StepRun) -> Method:
        from .dimcd import DIMCDMethod
        return DIMCDMethod(self, run)

    def equations(self, setting: Setting, formulation: Any) -> Equations:
        from ...formulations.base import Equations
        return Equations(setting.problem(setting.programs[1]))


@dataclass(frozen=True)
class IDA(Integrator):
    """SUNDIALS IDA: backward differentiation formulas of variable order and step, as an independent check of the others.

    Orders 1 to ``max_order``, which is at most 5; stable on the left half plane up to order 2, nearly so up to 5. No fixed step.
    Interpreted residual: slow. Needs the extra ``ida`` (scikit-sundae). A run that is resumed begins anew at its checkpoint.
    Reference: Hindmarsh et al. 2005, SUNDIALS, doi 10.1145/1089014.1089020.
    """
    max_order: int = bounded(5, 1, 5)

    kind: ClassVar[str] = "ida"
    formulations: ClassVar[tuple[str, ...]] = ("stabilized-index-2",)
    refused: ClassVar[str] = "it is given the stabilised equations of index 2; take StabilizedIndex2()"
    controlled: ClassVar[bool] = True
    fixed: ClassVar[bool] = False
    finest: ClassVar[float] = 1e-10
    changes_modes: ClassVar[bool] = False

    def run(self, plan: Plan) -> Run:
        from .ida import IDARun
        return IDARun(self, plan)
