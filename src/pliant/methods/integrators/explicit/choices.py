"""Explicit integrators: orders, stability, and what they are described in. The kernels are imported when a run begins."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...method_option import bounded
from ..base import Integrator, Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..time_loop.method import Method
    from ..time_loop.run import Run
    from ..time_loop.step_run import StepRun

EXPLICIT = ("index-1", "recursion", "augmented-lagrangian", "penalty", "coordinate-partitioning", "null-space")
NOT_EXPLICIT = "an explicit method needs accelerations as a function of positions and velocities; take Index1() for example"
ADAMS_LIMITS = (0.17, 1.2, 1.18, 0.33, 0.39, 0.52, 0.38, 0.27, 0.19, 0.12, 0.08)  # orders 2 to 12, on the imaginary axis


class _RungeKutta(Integrator):
    formulations = EXPLICIT
    refused = NOT_EXPLICIT
    stable: ClassVar[float]

    @property
    def limit(self) -> float:
        return self.stable

    def scheme(self, run: StepRun) -> Method:
        from .runge_kutta import RungeKutta
        return RungeKutta(self, run)


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
    max_order: int = bounded(12, 2, 12)

    kind: ClassVar[str] = "adams-bashforth-moulton"
    formulations: ClassVar[tuple[str, ...]] = EXPLICIT
    refused: ClassVar[str] = NOT_EXPLICIT
    controlled: ClassVar[bool] = True

    @property
    def limit(self) -> float:
        return ADAMS_LIMITS[self.max_order - 2]

    def scheme(self, run: StepRun) -> Method:
        from .adams import Adams
        return Adams(self, run)


@dataclass(frozen=True)
class CentralDifferences(_RungeKutta):
    """Explicit central differences: one evaluation per step, fixed step, rotations on their group.

    Order 2; stable up to h omega = 2; without damping energy does not drift. For short steps that stiff springs, beams or contacts ask for
    anyway. Without a step and an accuracy a run takes 0.9 of the longest stable step at its start; every 500 steps, and at the start, a
    step that is longer than that ends it with the name of what vibrates. ``rotary_scale`` multiplies the inertia by which sections of beams
    resist turning, for a longer step: of slender beams turns at nodes are the fastest, and matter least.
    Reference: Verlet 1967; Belytschko, Liu, Moran, Nonlinear Finite Elements for Continua and Structures, 6.2.
    """
    rotary_scale: float = bounded(1.0, 1.0, 1e4, "1 leaves it as it is")

    kind: ClassVar[str] = "central-differences"
    order: ClassVar[int] = 2
    stable: ClassVar[float] = 2.0
    steadies: ClassVar[bool] = True

    def run(self, plan: Plan) -> Run:
        from ...stability import with_rotary
        return super().run(plan._replace(dynamics=with_rotary(plan.dynamics, self.rotary_scale)))

    def watch(self, run: Run) -> Callable[[], None] | None:
        from ...stability import StepLook
        return StepLook(run)

    def scheme(self, run: StepRun) -> Method:
        from .central_differences import CentralDifferencesMethod
        return CentralDifferencesMethod(self, run)
