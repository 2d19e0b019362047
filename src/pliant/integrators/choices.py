"""The integrators that users choose from: small frozen objects, each with its orders, its stability and what it is described in.

The kernels and drivers are in files of their own, imported when a run begins. ``formulations``: kinds that make sense with the
method, the first is the default; ``refused``: why others do not.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from ..choices import Choice, one_of, within

if TYPE_CHECKING:
    import numpy as np

    from ..dynamics import Dynamics
    from .run import Run

EXPLICIT = ("index-1", "augmented-lagrangian", "penalty", "coordinate-partitioning", "null-space")
NOT_EXPLICIT = "an explicit method needs accelerations as a function of positions and velocities; take Index1() for example"


ADAMS_LIMITS = (0.17, 1.2, 1.18, 0.33, 0.39, 0.52, 0.38, 0.27, 0.19, 0.12, 0.08)  # orders 2 to 12, on the imaginary axis


class Orders(NamedTuple):
    """Error = O(h^order) in positions, velocities and multipliers, as reported."""
    position: int
    velocity: int
    multiplier: int


class Plan(NamedTuple):
    """What a run is to do: to ``end`` with rows every ``stride`` steps (fixed) or at ``outputs`` times (accuracy)."""
    dynamics: Dynamics
    formulation: Choice
    row: np.ndarray                 # the start
    end: float
    step: float = 0.0               # fixed
    steps: int = 0
    stride: int = 1
    accuracy: float = 0.0           # or chosen for this
    outputs: int = 1
    coarser: float = 1.0            # largest step, in what it would be
    memory: dict[str, Any] | None = None

    @classmethod
    def fixed(cls, dynamics: Dynamics, formulation: Choice, row: np.ndarray, step: float, steps: int, stride: int = 1) -> Plan:
        """So many steps of the same length."""
        return cls(dynamics, formulation, row, float(row[0]) + steps * step, step, steps, stride)


@dataclass(frozen=True)
class Integrator(Choice):
    """What all integrators have."""
    formulations: ClassVar[tuple[str, ...]] = ("index-3",)
    refused: ClassVar[str] = ""
    controlled: ClassVar[bool] = False  # chooses its steps for an accuracy
    finest: ClassVar[float] = 1e-12     # accuracy, beyond which rounding errors rule

    def orders(self, formulation: Choice) -> Orders:
        raise NotImplementedError

    @property
    def limit(self) -> float:
        """Fixed steps h are stable up to h omega of this size, omega the highest frequency or decay rate; inf: any."""
        return float("inf")

    def run(self, plan: Plan) -> Run:
        """The run with fixed steps, or for an accuracy."""
        raise NotImplementedError


class _Alpha(Integrator):
    """Newmark's formulas, and the step of `stepper`."""
    formulations = ("index-3",)
    refused = "it solves for positions that satisfy the constraints; take Index3()"
    controlled = True
    finest = 1e-8

    def orders(self, formulation: Choice) -> Orders:
        return Orders(2, 2, 2)


@dataclass(frozen=True)
class GeneralizedAlpha(_Alpha):
    """Generalized-alpha method of Chung and Hulbert on the Lie group, constraints at position level (index 3).

    Order 2 in positions, velocities and multipliers; unconditionally stable for linear systems; numerical damping set by
    ``rho``, the spectral radius at infinite frequency: 1 none (not for constrained systems), 0 complete.
    ``newton``: "modified" keeps factors while they converge well, "full" renews them in every iteration. An iteration ends
    when what is still to come is below ``tolerance`` times the accelerations.
    References: Chung, Hulbert 1993; Arnold, Brüls 2007; Brüls, Cardona, Arnold 2012.
    """
    rho: float = 0.9
    newton: Literal["modified", "full"] = "modified"
    tolerance: float = 1e-9
    max_iterations: int = 25

    kind: ClassVar[str] = "generalized-alpha"

    def __post_init__(self) -> None:
        within(self, "rho", 0, 1, why="0 most damping, 1 none")
        one_of(self, "newton", ("modified", "full"))
        within(self, "tolerance", 1e-15, 1, why="1e-9 is usual")
        within(self, "max_iterations", 2, 1000, int)

    def run(self, plan: Plan) -> Run:
        from .error_control import ControlledRun
        from .generalized_alpha import AlphaRun
        return ControlledRun(self, plan) if plan.accuracy else AlphaRun(self, plan)


class _RungeKutta(Integrator):
    formulations = EXPLICIT
    refused = NOT_EXPLICIT
    order: ClassVar[int]
    stable: ClassVar[float]

    def orders(self, formulation: Choice) -> Orders:
        return Orders(self.order, self.order, self.order)

    @property
    def limit(self) -> float:
        return self.stable

    def run(self, plan: Plan) -> Run:
        from .one_step import OneStepRun
        return OneStepRun(self, plan)


@dataclass(frozen=True)
class RungeKutta4(_RungeKutta):
    """The classical Runge-Kutta method: explicit, four stages, fixed step.

    Order 4; stable on the imaginary axis up to h omega = 2.83; dense output by cubic Hermite polynomials, of the same order.
    Reference: Kutta 1901; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.1.
    """
    kind: ClassVar[str] = "runge-kutta-4"
    order: ClassVar[int] = 4
    stable: ClassVar[float] = 2.8


@dataclass(frozen=True)
class DormandPrince54(_RungeKutta):
    """The pair of Dormand and Prince: explicit, seven stages of which the last is the first of the next step, error control.

    Order 5 with an error estimate of order 4; stable on the imaginary axis up to h omega = 1; dense output of local order 5.
    References: Dormand, Prince 1980; Shampine 1986.
    """
    kind: ClassVar[str] = "dormand-prince-54"
    order: ClassVar[int] = 5
    stable: ClassVar[float] = 1.0
    controlled: ClassVar[bool] = True


@dataclass(frozen=True)
class DOP853(_RungeKutta):
    """The method of Dormand and Prince of order 8: explicit, twelve stages, error control by estimates of orders 5 and 3.

    Stable on the imaginary axis up to h omega = 5.9. Dense output of local order 8 with three more stages. For high accuracies of motions
    without stiff springs.
    Reference: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.5-6.
    """
    kind: ClassVar[str] = "dop853"
    order: ClassVar[int] = 8
    stable: ClassVar[float] = 5.9
    controlled: ClassVar[bool] = True


@dataclass(frozen=True)
class AdamsBashforthMoulton(Integrator):
    """Adams' formulas, predicted by Bashforth's and corrected by Moulton's (PECE): explicit, two evaluations per step whatever the order,
    variable order up to ``max_order`` and variable step, error control.

    With fixed steps the order is ``max_order`` in positions, velocities and multipliers, begun by steps of DOP853; stability shrinks with
    the order (imaginary axis: h omega up to 1.2 for order 4, 0.38 for 8, 0.08 for 12). Dense output of the order of the step.
    For smooth motions whose evaluation is costly; every jump of a function begins anew with small steps.
    References: Shampine, Gordon 1975; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, III.
    """
    max_order: int = 12

    kind: ClassVar[str] = "adams-bashforth-moulton"
    formulations: ClassVar[tuple[str, ...]] = EXPLICIT
    refused: ClassVar[str] = NOT_EXPLICIT
    controlled: ClassVar[bool] = True

    def __post_init__(self) -> None:
        within(self, "max_order", 2, 12, int)

    def orders(self, formulation: Choice) -> Orders:
        return Orders(self.max_order, self.max_order, self.max_order)

    @property
    def limit(self) -> float:
        return ADAMS_LIMITS[self.max_order - 2]

    def run(self, plan: Plan) -> Run:
        from .multi_step import MultiStepRun
        return MultiStepRun(self, plan)


@dataclass(frozen=True)
class CentralDifferences(_RungeKutta):
    """Explicit central differences: one evaluation per step, fixed step, rotations on their group.

    Order 2; stable up to h omega = 2; without damping energy does not drift. For short steps that stiff springs or contacts ask for anyway.
    Reference: Verlet 1967; Belytschko, Liu, Moran, Nonlinear Finite Elements for Continua and Structures, 6.2.
    """
    kind: ClassVar[str] = "central-differences"
    order: ClassVar[int] = 2
    stable: ClassVar[float] = 2.0


INTEGRATORS: dict[str, type[Integrator]] = {c.kind: c for c in (
    GeneralizedAlpha, RungeKutta4, DormandPrince54, DOP853, AdamsBashforthMoulton, CentralDifferences)}
