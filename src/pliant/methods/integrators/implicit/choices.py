"""Implicit integrators: orders, stability, and what they are described in. The kernels are imported when a run begins."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from ...method_option import MethodOption, bounded, one_of
from ..base import Integrator, Orders

if TYPE_CHECKING:
    from ..time_loop.method import Method
    from ..time_loop.step_run import StepRun


class _Alpha(Integrator):
    """Newmark's formulas with averaged accelerations. ``parameters``: alpha_m, alpha_f, beta, gamma."""
    formulations = ("index-3", "recursion")
    order = 2
    refused = "it solves for positions that satisfy the constraints, not for accelerations or projections; take Index3()"
    controlled = True
    finest = 1e-8
    def scheme(self, run: StepRun) -> Method:
        from .alpha_method import AlphaMethod
        return AlphaMethod(self, run)


@dataclass(frozen=True)
class GeneralizedAlpha(_Alpha):
    """Generalized-alpha method of Chung and Hulbert on the Lie group, constraints at position level (index 3).

    Order 2 in positions, velocities and multipliers; unconditionally stable for linear systems; numerical damping set by
    ``rho``, the spectral radius at infinite frequency: 1 none (not for constrained systems), 0 complete.
    ``newton``: "modified" keeps factors while they converge well, "full" renews them in every iteration. An iteration ends
    when what is still to come is below ``tolerance`` times the accelerations.
    References: Chung, Hulbert 1993; Arnold, Brüls 2007; Brüls, Cardona, Arnold 2012.
    """
    rho: float = bounded(0.9, 0, 1, "0 most damping, 1 none")
    newton: Literal["modified", "full"] = one_of("modified", "full")
    tolerance: float = bounded(1e-9, 1e-15, 1, "1e-9 is usual")
    max_iterations: int = bounded(25, 2, 1000)

    kind: ClassVar[str] = "generalized-alpha"

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        am, af = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        return am, af, 0.25 * (1 + af - am) ** 2, 0.5 + af - am


@dataclass(frozen=True)
class HHT(_Alpha):
    """The method of Hilber, Hughes and Taylor, constraints at position level (index 3): alpha_m = 0, alpha_f = -alpha,
    beta = (1 - alpha)^2 / 4, gamma = 1/2 - alpha in the formulas of generalized-alpha. In this form, Newmark's formulas get
    (1 + alpha) a_1 - alpha a_0; for a constant mass matrix that is the classical one, which averages forces.

    Order 2 in positions, velocities and multipliers; unconditionally stable for linear systems. ``alpha`` from -1/3 (most damping)
    to 0 (none; not for constrained systems). The default -0.1 damps the highest frequencies by 0.82 per step, about as
    GeneralizedAlpha(0.8), and low ones more. ``newton``, ``tolerance``, ``max_iterations`` as of GeneralizedAlpha.
    References: Hilber, Hughes, Taylor 1977; Negrut, Rampalli, Ottarsson, Sajdak 2007; Arnold, Brüls 2007.
    """
    alpha: float = bounded(-0.1, -1 / 3, 0, "-1/3 most damping, 0 none")
    newton: Literal["modified", "full"] = one_of("modified", "full")
    tolerance: float = bounded(1e-9, 1e-15, 1, "1e-9 is usual")
    max_iterations: int = bounded(25, 2, 1000)

    kind: ClassVar[str] = "hht"

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        return 0.0, -self.alpha, 0.25 * (1 - self.alpha) ** 2, 0.5 - self.alpha


@dataclass(frozen=True)
class Newmark(_Alpha):
    """Newmark's method, constraints at position level (index 3), without error control.

    ``gamma`` = 1/2: order 2 in positions, velocities and multipliers, no damping. With joints it is then weakly unstable: across the
    constraints errors alternate in sign and grow with the number of steps, until Newton's method fails; short runs are good, as
    reported velocities and multipliers come from a projection. ``gamma`` > 1/2: order 1, damping. Unconditionally stable for linear systems
    if 2 beta >= gamma >= 1/2. The defaults damp the highest frequencies by 0.98 per step; beta = (gamma + 1/2)^2 / 4 damps most.
    ``newton``, ``tolerance``, ``max_iterations`` as of GeneralizedAlpha.
    References: Newmark 1959; Hughes, The Finite Element Method, 9; Cardona, Géradin 1989 on the instability.
    """
    beta: float = 0.255025
    gamma: float = bounded(0.51, 0.5, 1.5, "below 1/2 it is unstable")
    newton: Literal["modified", "full"] = one_of("modified", "full")
    tolerance: float = bounded(1e-9, 1e-15, 1, "1e-9 is usual")
    max_iterations: int = bounded(25, 2, 1000)

    kind: ClassVar[str] = "newmark"
    controlled: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.within("beta", self.gamma / 2, 2, "unstable below gamma / 2")

    @property
    def parameters(self) -> tuple[float, float, float, float]:
        return 0.0, 0.0, self.beta, self.gamma

    def orders(self, formulation: MethodOption) -> Orders:
        return Orders(2, 2, 2) if self.gamma == 0.5 else Orders(1, 1, 1)


class _Implicit(Integrator):
    formulations: ClassVar[tuple[str, ...]] = ("stabilized-index-2", "recursion")
    refused = "it holds the constraints of positions and of velocities at every step; take StabilizedIndex2()"
    controlled = True


@dataclass(frozen=True)
class RadauIIA5(_Implicit):
    """Radau IIA with three stages: implicit, collocation at c = (4 - sqrt 6) / 10, (4 + sqrt 6) / 10, 1, error control.

    Order 5 in positions and velocities, and in multipliers, which are those of the reported positions and velocities; L-stable: stiff
    springs and dampers do not limit the step. Dense output of order 5. The error is estimated by a formula of order 3.
    With fixed steps an iteration ends below ``tolerance``: increments in sizes of the model, velocities in their speeds.
    References: Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8 and VII.4; Gear, Gupta, Leimkuhler 1985.
    """
    tolerance: float = bounded(1e-14, 1e-15, 1e-2)
    max_iterations: int = bounded(25, 2, 100)

    kind: ClassVar[str] = "radau-iia-5"
    order: ClassVar[int] = 5

    def scheme(self, run: StepRun) -> Method:
        from .radau import RadauIIA5Method
        return RadauIIA5Method(self, run)


@dataclass(frozen=True)
class BDF(_Implicit):
    """Backward differentiation formulas with variable coefficients: order 1 to ``max_order``, chosen with the step; fixed steps are of
    order ``max_order``, begun by those of Radau IIA.

    Order max_order in positions, velocities and multipliers, which are those of the reported positions and velocities. A-stable up to
    order 2, A(alpha) above (alpha = 86, 73, 52 degrees for 3, 4, 5): weakly damped fast vibrations make orders above 2 unstable, and need
    short steps or a lower max_order. Dense output by the polynomial of the formula. ``tolerance`` as in RadauIIA5.
    On Index3() constraints hold for positions only, and error control looks at positions and at h times velocities; the formula is begun
    by Radau IIA on the stabilised form there too. Reported velocities fulfil the constraints by a projection.
    References: Gear 1971; Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in DAE, 1996, 3.2 and 5.2.
    """
    max_order: int = bounded(5, 1, 5, "beyond that they are not stable")
    tolerance: float = bounded(1e-14, 1e-15, 1e-2)
    max_iterations: int = bounded(25, 2, 100)

    kind: ClassVar[str] = "bdf"
    formulations: ClassVar[tuple[str, ...]] = ("stabilized-index-2", "index-3", "recursion")
    refused: ClassVar[str] = "it holds the constraints at every step; take StabilizedIndex2() or Index3()"

    def scheme(self, run: StepRun) -> Method:
        from .bdf import BDFMethod
        return BDFMethod(self, run)
