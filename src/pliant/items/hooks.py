"""What items with memory, or with signals of their own, say of themselves; others leave all of it as it is. docs/extending.md"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .base import Frame, Item
    from .declarations import Bearing, Controls, Energies, Gauge, Happening, Held, Inflow, Lag, Latch, Memory, Output, Play, State
    from .placing import Placement


class Signalling:
    """The compiler asks these."""

    def look_around(self, bodies: Mapping[str, Any]) -> None:
        """Bodies of the model by name, and the ground: before all that follows is asked."""

    def states(self) -> Iterable[State]:
        """What it integrates."""
        return ()

    def computed(self) -> Iterable[Output]:
        """Signals that it computes."""
        return ()

    def gauges(self, layout: ModelCompiler) -> Iterable[Gauge | Bearing]:
        """Distances of frames, and loads of bearings, that its own formulas use."""
        return ()

    def derived(self) -> Iterable[Output]:
        """Signals that are computed only where an expression uses them: what it exerts, for example."""
        return ()

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag | Play]:
        """Values that change at instants only."""
        return ()

    def controller(self) -> Controls | None:
        """A function of Python that it calls at ticks."""
        return None

    def happenings(self) -> Iterable[Happening]:
        """What it does when conditions become true."""
        return ()

    def signals(self) -> list[tuple[str, str]]:
        """Names and units of its states and outputs."""
        found = [(state.name, state.unit) for state in self.states()] + [(output.name, output.unit) for output in self.computed()]
        controller = self.controller()
        return found + [(value.name, value.unit) for value in self.discrete()] + list(controller.outputs if controller else ())

    def inflows(self) -> Iterable[Inflow]:
        """What it lets flow into ports, which collect it."""
        return ()

    def spans(self) -> tuple[Frame, Frame] | None:
        """Its two points, if their distance and its rate are signals of it: NAME.distance, NAME.rate."""
        return None

    def brings(self) -> Iterable[Item]:
        """Further items that its short words stand for; their names begin with its own."""
        return ()

    def completed(self, layout: ModelCompiler, items: Mapping[str, Item]) -> Self:
        """Itself, with what it takes from the bodies as they are placed, where that was left out."""
        return self

    def reversed(self, fields: dict[str, Any], by: Placement) -> dict[str, Any] | None:
        """``fields`` where the coordinate that it acts on has the opposite sign, in a mirror image; None: that cannot be."""
        return None

    def energies(self) -> Energies | None:
        """What its states add to the balance of energy."""
        return None
