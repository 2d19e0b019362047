"""What all integrators have, and what a run is told to do."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..method_option import MethodOption
from ..output_rows import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...compile.compiled_model import CompiledModel
    from ..formulations.base import Equations, Setting
    from .time_loop.method import Method
    from .time_loop.run import Run
    from .time_loop.step_run import StepRun


class Orders(NamedTuple):
    """Error = O(h^order) in positions, velocities and multipliers, as reported."""
    position: int
    velocity: int
    multiplier: int


class Plan(NamedTuple):
    """What a run is to do: to ``end`` with rows every ``stride`` steps (fixed) or at ``outputs`` times (accuracy), and at the end; or at
    times that are listed."""
    dynamics: CompiledModel
    formulation: MethodOption
    row: np.ndarray                 # the start
    end: float
    step: float = 0.0               # fixed
    steps: int = 0
    stride: int = 1
    accuracy: float = 0.0           # or chosen for this
    outputs: int = 1
    distance: float = 0.0           # of rows, counted from ``origin``, if it does not divide the time
    origin: float | None = None     # where rows are counted from, if not from the start
    listed: np.ndarray | None = None  # times of rows
    both: bool = False              # rows also on both sides of what makes velocities jump
    coarser: float = 1.0            # largest step, in what it would be
    memory: dict[str, Any] | None = None

    @classmethod
    def fixed(cls, dynamics: CompiledModel, formulation: MethodOption, row: np.ndarray, step: float, steps: int, stride: int = 1,
              listed: np.ndarray | None = None) -> Plan:
        """So many steps of the same length."""
        return cls(dynamics, formulation, row, float(row[0]) + steps * step, step, steps, stride, listed=listed)

    def times(self) -> np.ndarray:
        """Of all rows after the origin."""
        if self.listed is not None:
            return self.listed
        start = float(self.row[0]) if self.origin is None else self.origin
        if self.step:
            out: np.ndarray = start + np.append(np.arange(self.stride, self.steps, self.stride), self.steps) * self.step
        else:
            distance = self.apart()
            out = start + np.arange(1, 1 + count(self.end - start, distance)) * distance
        out[-1] = self.end
        return out

    def apart(self) -> float:
        """Distance of rows of a run whose steps are chosen."""
        start = float(self.row[0]) if self.origin is None else self.origin
        return self.distance or (self.end - start) / (self.outputs if self.listed is None else len(self.listed))


INTEGRATORS: dict[str, type[Integrator]] = {}  # by kind; a class registers itself when it is defined


@dataclass(frozen=True)
class Integrator(MethodOption):
    """What all integrators have. ``formulations``: kinds that make sense with the method, the first is the default; ``refused``:
    why others do not."""
    formulations: ClassVar[tuple[str, ...]] = ("index-3",)
    refused: ClassVar[str] = ""
    order: ClassVar[int]
    controlled: ClassVar[bool] = False  # chooses its steps for an accuracy
    fixed: ClassVar[bool] = True        # takes a fixed step
    changes_modes: ClassVar[bool] = True  # a run may go on with other modes of a flexible body
    steadies: ClassVar[bool] = False    # takes a step that is stable where none is asked for
    finest: ClassVar[float] = 1e-12     # accuracy, beyond which rounding errors rule

    def __init_subclass__(cls) -> None:
        if "kind" in cls.__dict__:
            INTEGRATORS[cls.kind] = cls

    def orders(self, formulation: MethodOption) -> Orders:
        """Of all three, unless a method says more: ``max_order``, where users choose it."""
        order = getattr(self, "max_order", None) or self.order
        return Orders(order, order, order)

    @property
    def limit(self) -> float:
        """Fixed steps h are stable up to h omega of this size, omega the highest frequency or decay rate; inf: any."""
        return float("inf")

    def watch(self, run: Run) -> Callable[[], None] | None:
        """Looks at a run while it goes on, and may end it."""
        return None

    def equations(self, setting: Setting, formulation: Any) -> Equations:
        """What it solves."""
        made: Equations = formulation.equations(setting)
        return made

    def scheme(self, run: StepRun) -> Method:
        """The method in a run: its step, its memory."""
        raise NotImplementedError(f"{type(self).__name__} must define scheme(run)")

    def run(self, plan: Plan) -> Run:
        """The run with fixed steps, or for an accuracy."""
        if plan.dynamics.directory.adaptive:
            from .time_loop.adaptive_run import AdaptiveRun
            return AdaptiveRun(self, plan)
        from .time_loop.step_run import StepRun
        return StepRun(self, plan)
