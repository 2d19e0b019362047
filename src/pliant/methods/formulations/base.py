"""What a run asks of a formulation: the model as a problem for integrators, and the kernels that go with it."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..method_option import MethodOption

if TYPE_CHECKING:
    from ...compile.compiled_model import CompiledModel
    from ...joint_space.tree import JointSpace
    from ...kernels.evaluation import Memory, Program
    from ...kernels.ode import Problem

FINER, CLOSER, ROUNDING = 1e-4, 1e-5, 2e-15  # corrections aim at this part of their tolerance, of the accuracy; not below this


class Setting(NamedTuple):
    """The run that a formulation is for. ``programs``: residual, tangent, power, history; ``num``: the record of sizes and counters."""
    dynamics: CompiledModel
    x: Memory
    programs: list[Program]
    num: Any
    accuracy: float = 0.0

    @classmethod
    def single(cls, dynamics: CompiledModel, x: Memory | None = None) -> Setting:
        """For single evaluations, without a run."""
        from ...kernels.ode import NUM
        from ...kernels.records import new_record
        s = dynamics.system
        programs = [s.program(name) for name in ("residual", "tangent", "power", "history")]
        num = new_record(NUM, powered=len(programs[2].rows) > 0, borne=bool(s.borne))
        return cls(dynamics, dynamics.memory() if x is None else x, programs, num)

    def problem(self, tangent: Program | None = None) -> Problem:
        """The model as it is. ``tangent``: another program for matrices than [M C^T; C 0] alone."""
        from ...kernels import ode
        from ...kernels.evaluation import Maps
        from ...kernels.records import new_record
        s, x, n = self.dynamics.system, self.x, self.dynamics.system.n
        self.num.n_v, self.num.state_q, self.num.state_v = s.n_v, s.q0.size, s.n_v
        par = new_record(ode.PAR, passes=2 if s.rigid else 1, length=self.dynamics.length)
        return ode.Problem(self.programs[0], tangent or s.program("matrix"), s.program("rates"), self.programs[2], s.data, s.lu, x,
                           np.zeros_like(x.D), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros_like(x.q), np.zeros(6, np.int64),
                           self.dynamics.unit, par, self.num, (), np.zeros(1, np.int64),
                           Maps(s.data.rotations, s.data.linear), ode.Absolute(np.zeros(0), np.zeros(n), np.zeros(n)))

    def aimed(self, tolerance: float) -> float:
        """What corrections aim at: singular positions amplify violations, and Newton's method gets there at once."""
        return max(ROUNDING, min(FINER * tolerance, CLOSER * self.accuracy or np.inf))


class Equations(NamedTuple):
    """What a formulation makes of a model. ``rhs(p, t, y, dy)`` gives y' = F(t, y), ``correct(p, t, y)`` puts a state back on the
    constraints; both are kernels that return a status, or None. ``project``: whether rows are projected; ``space``: the tree of joint
    coordinates."""
    problem: Problem
    rhs: Any = None
    correct: Any = None
    project: bool = True
    space: JointSpace | None = None


FORMULATIONS: dict[str, type[Formulation]] = {}  # by kind; a class registers itself when it is defined


@dataclass(frozen=True)
class Formulation(MethodOption):
    """What all formulations have. ``like``: the kind of another one; integrators that take that one take this one too."""
    like: ClassVar[str] = ""

    @property
    def holds_branch(self) -> bool:
        """Whether states are put back on the constraints, so that a singular position is not left along another branch."""
        return True

    def __init_subclass__(cls) -> None:
        if "kind" in cls.__dict__:
            FORMULATIONS[cls.kind] = cls

    def equations(self, setting: Setting) -> Equations:
        """The problem that integrators solve, with its kernels."""
        raise NotImplementedError(f"{type(self).__name__} must define equations(setting)")
