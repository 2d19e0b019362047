"""The formulations that users choose from: small frozen objects. The kernels are in files of their own."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from ..method_option import MethodOption, bounded
from .base import Equations, Formulation, Setting

if TYPE_CHECKING:
    from ...joint_space.tree import JointSpace

BY_JOINT = {"each": ("penalty", "damping", "frequency")}
SAME_RANK = 1e-9  # pivots below this part of the largest count as zero in coordinate partitioning


@dataclass(frozen=True)
class Baumgarte(MethodOption):
    """C'' + 2 a C' + b^2 C = 0 instead of C'' = 0: violations die away like those of an oscillator.     Baumgarte 1972

    ``a``, ``b`` in 1/s; a = b is critical damping. Too large values make the equations stiff.
    """
    a: float = bounded(10.0, 0, 1e6)
    b: float = bounded(10.0, 0, 1e6)

    kind: ClassVar[str] = "baumgarte"


@dataclass(frozen=True)
class DirectCorrection(MethodOption):
    """After every step positions, then velocities, are put back on the constraints by Newton's method, each to ``tolerance``
    (in sizes of the model, velocities in these per second) and better, with the smallest change in the metric of the masses."""
    tolerance: float = bounded(1e-10, 1e-15, 1e-2)

    kind: ClassVar[str] = "direct-correction"


@dataclass(frozen=True)
class Partitioning(MethodOption):
    """Of joint coordinates: after every step those that depend on the others, by the equations of the loops, are put back on these, to
    ``tolerance`` as in DirectCorrection; the independent ones stay as they were integrated. Which are dependent is chosen by pivoting, and
    anew where the smallest pivot falls below ``renew`` of the largest that it has been.       Wehage, Haug 1982"""
    tolerance: float = bounded(1e-10, 1e-15, 1e-2)
    renew: float = bounded(0.3, 0.0, 0.99)

    kind: ClassVar[str] = "partitioning"


STABILIZATIONS: dict[str, type[MethodOption]] = {c.kind: c for c in (Baumgarte, DirectCorrection, Partitioning)}


@dataclass(frozen=True)
class Index3(Formulation):
    """M v' + C_q^T lam = f, C(q, t) = 0: constraints on positions, as they stand. For implicit methods that hold them at every
    step. Redundant constraints are survived (regularised, and the smallest multipliers reported)."""
    kind: ClassVar[str] = "index-3"

    def equations(self, setting: Setting) -> Equations:
        from ...kernels.projection import leave
        from .index1 import rhs
        return Equations(setting.problem(setting.programs[1]), rhs, leave)


@dataclass(frozen=True)
class StabilizedIndex2(Formulation):
    """q' = v - M^-1 C_q^T mu, M v' + C_q^T lam = f, C = 0, C_q v + C_t = 0: both levels hold at every step, mu takes up the
    difference. Gear, Gupta, Leimkuhler 1985. Redundant constraints are survived."""
    kind: ClassVar[str] = "stabilized-index-2"

    def equations(self, setting: Setting) -> Equations:
        from .index1 import rhs
        from .projection import settle
        return Equations(setting.problem(setting.programs[1]), rhs, settle)


@dataclass(frozen=True)
class Index1(Formulation):
    """M v' + C_q^T lam = f, C_q v' = gamma: an ordinary differential equation in q and v, lam is solved for. Constraints hold for
    accelerations only; ``stabilization`` keeps positions and velocities from drifting away: None, Baumgarte(a, b) or
    DirectCorrection(tolerance). Redundant constraints are survived."""
    stabilization: Baumgarte | DirectCorrection | None = field(default_factory=DirectCorrection)

    kind: ClassVar[str] = "index-1"

    def __post_init__(self) -> None:
        if not isinstance(self.stabilization, (Baumgarte, DirectCorrection, type(None))):
            self.refuse("stabilization", f"{self.stabilization!r}, must be None, Baumgarte(a, b) or DirectCorrection(tolerance)")

    @property
    def holds_branch(self) -> bool:
        return isinstance(self.stabilization, (DirectCorrection, Partitioning))

    def equations(self, setting: Setting) -> Equations:
        from ...kernels.projection import leave
        from .index1 import correct, rhs
        p, kept = setting.problem(), self.stabilization
        if isinstance(kept, DirectCorrection):
            p.par.tolerance = setting.aimed(kept.tolerance)
            return Equations(p, rhs, correct)
        if isinstance(kept, Baumgarte):
            p.joints.rate[:], p.joints.gap[:] = 2 * kept.a, kept.b**2
        return Equations(p, rhs, leave, False)


@dataclass(frozen=True)
class Recursion(Formulation):
    """Joint coordinates: accelerations by recursion over a spanning tree of the joints, without a matrix of the system; joints that close
    loops are cut, and their equations hold by multipliers as in Index1, with its ``stabilization`` or Partitioning. Rigid and modal bodies;
    work is proportional to the number of bodies. ``cut``: joints that shall be cut, separated by commas; as few equations as possible if
    left out. ``jacobian`` of their equations in the correction after a step: "sweep" along the paths to the ground, or direct
    "differentiation", which costs the square of the number of links.
    Vereshchagin 1974; Featherstone 1983. Redundant constraints are survived."""
    stabilization: Baumgarte | DirectCorrection | Partitioning | None = field(default_factory=DirectCorrection)
    cut: str = ""
    jacobian: str = "sweep"

    kind: ClassVar[str] = "recursion"

    def __post_init__(self) -> None:
        if not isinstance(self.stabilization, (Baumgarte, DirectCorrection, Partitioning, type(None))):
            self.refuse("stabilization", f"{self.stabilization!r}, must be None, Baumgarte(a, b), DirectCorrection(tolerance) "
                        "or Partitioning(tolerance, renew)")
        if not isinstance(self.cut, str):
            self.refuse("cut", f"{self.cut!r}, must be a text of joints, separated by commas")
        if self.jacobian not in ("sweep", "differentiation"):
            self.refuse("jacobian", f"{self.jacobian!r}, must be sweep or differentiation")

    @property
    def holds_branch(self) -> bool:
        return isinstance(self.stabilization, (DirectCorrection, Partitioning))

    def equations(self, setting: Setting, space: JointSpace | None = None) -> Equations:
        """``space``: the tree, if it is at hand."""
        from ...joint_space.equations import in_joint_coordinates
        from ...joint_space.tree import JointSpace
        space, kept = space or JointSpace(setting.dynamics, self.cut_joints), self.stabilization
        p = setting.problem()
        p.par.direct = self.jacobian == "differentiation"
        if isinstance(kept, Baumgarte):
            p.par.rate, p.par.gap = 2 * kept.a, kept.b**2
        elif kept is not None:
            p.par.tolerance = setting.aimed(kept.tolerance)
        if partitioned := isinstance(kept, Partitioning):
            p.par.renew = kept.renew
        corrected = partitioned or isinstance(kept, DirectCorrection)
        return Equations(*in_joint_coordinates(space, p, partitioned, corrected), corrected, space)

    @property
    def cut_joints(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.cut.split(",") if name.strip())


@dataclass(frozen=True)
class Penalty(Formulation):
    """(M + C_q^T alpha C_q) v' = f + C_q^T alpha (gamma - 2 damping frequency C' - frequency^2 C): every equation a stiff spring,
    damper and mass instead of a multiplier.     Bayo, Garcia de Jalon, Serna 1988

    ``penalty``: alpha in units of the mass that the equation moves, 1 / (C M^-1 C^T). Constraints hold to about 1 / penalty.
    ``joints``: other numbers for single joints and drives, {"A": {"penalty": 1e4, "frequency": 50}}; a list has one for each equation.
    Redundant constraints and singular positions are survived.
    """
    penalty: float = bounded(1e7, 1, 1e12)
    damping: float = bounded(1.0, 0, 1e3)
    frequency: float = bounded(10.0, 0, 1e6)
    joints: dict[str, dict[str, float | list[float]]] = field(default_factory=dict, hash=False, metadata=BY_JOINT)

    kind: ClassVar[str] = "penalty"

    @property
    def holds_branch(self) -> bool:
        return False

    def equations(self, setting: Setting) -> Equations:
        from ...kernels.projection import leave
        from .index1 import rhs, softened
        p = softened(setting, self.penalty, self.damping, self.frequency, self.joints)
        p.par.passes = 0
        return Equations(p, rhs, leave, False)


@dataclass(frozen=True)
class AugmentedLagrangian(Formulation):
    """The penalty method with multipliers that are iterated until the equations hold for accelerations to ``tolerance``:
    lam <- lam + alpha (C'' + 2 damping frequency C' + frequency^2 C); then positions and velocities are projected in the same way.
    Bayo, Garcia de Jalon, Serna 1988; Bayo, Ledesma 1996. ``joints`` as of Penalty. Redundant constraints and singular positions are
    survived."""
    penalty: float = bounded(1e7, 1, 1e12)
    damping: float = bounded(1.0, 0, 1e3)
    frequency: float = bounded(10.0, 0, 1e6)
    tolerance: float = bounded(1e-10, 1e-14, 1e-2)
    max_iterations: int = bounded(20, 1, 1000)
    joints: dict[str, dict[str, float | list[float]]] = field(default_factory=dict, hash=False, metadata=BY_JOINT)

    kind: ClassVar[str] = "augmented-lagrangian"

    def equations(self, setting: Setting) -> Equations:
        from .index1 import correct, rhs, softened
        p = softened(setting, self.penalty, self.damping, self.frequency, self.joints)
        p.par.passes, p.par.exact, p.par.tolerance = self.max_iterations, self.tolerance, setting.aimed(self.tolerance)
        return Equations(p, rhs, correct)


@dataclass(frozen=True)
class CoordinatePartitioning(Formulation):
    """As many coordinates as there are degrees of freedom are integrated, the others follow from the constraints. A pivoted QR
    decomposition of C_q chooses them, and anew when the smallest pivot falls below ``renew`` of what it was: errors grow fast as a
    choice gets worse.   Wehage, Haug 1982

    Dense linear algebra: up to 600 equations. Redundant constraints are survived; at a singular position, where no choice is
    good, the run stops and names it, unless a step passes it.
    """
    renew: float = bounded(0.5, 1e-6, 0.9)
    tolerance: float = bounded(1e-10, 1e-14, 1e-2)

    kind: ClassVar[str] = "coordinate-partitioning"

    def equations(self, setting: Setting) -> Equations:
        from .partitioning import correct, rhs
        from .projection import reduced
        return Equations(reduced(setting, self.kind, self.tolerance, SAME_RANK, self.renew), rhs, correct)


@dataclass(frozen=True)
class NullSpace(Formulation):
    """N^T M N z'' = N^T (f - M a_0): accelerations in an orthonormal basis N of the motions that constraints allow, by a pivoted QR
    decomposition of C_q; pivots below ``rank`` of the largest count as zero.   Kim, Vanderploeg 1986

    Dense linear algebra: up to 600 equations. Redundant constraints are survived; where the rank changes, the run stops and
    names the position, unless a step passes it.
    """
    rank: float = bounded(1e-9, 1e-14, 1e-2)
    tolerance: float = bounded(1e-10, 1e-14, 1e-2)

    kind: ClassVar[str] = "null-space"

    def equations(self, setting: Setting) -> Equations:
        from .null_space import correct, rhs
        from .projection import reduced
        return Equations(reduced(setting, self.kind, self.tolerance, self.rank), rhs, correct)
