"""Instants at which the structure changes, or velocities jump: deciders act on a row, round after round. docs/theory/structure.md"""
from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ....items.errors import SimulationError
from ....kernels.event_log import WIDTH
from ....kernels.pivoted_qr import RANK

if TYPE_CHECKING:
    from ....compile.compiled_model import CompiledModel
    from ....compile.structure import Changed
    from .step_run import StepRun

ROUNDS = 100  # of changes at one instant


class Decider(Protocol):
    """What `ArrayBuilder.decides` is given. The same for all runs: what is asked for stands in the history of the row."""

    def pass_instant(self, dynamics: CompiledModel, row: np.ndarray) -> Changed | None:
        """None where nothing is asked of it. ``row`` may be written to. Energy that is lost, or work, is added to row[1] and row[2]."""


class Change:
    """One instant of a run."""

    def __init__(self, run: StepRun) -> None:
        self.run, self.rounds, self.names = run, 0, list[str]()

    def passed(self, row: np.ndarray) -> np.ndarray:
        """The row behind one round of all deciders."""
        run, d = self.run, self.run.dynamics
        self.rounds, self.names = self.rounds + 1, [] if self.rounds < ROUNDS - 1 else self.names
        for decider in d.system.deciders:
            if (made := decider.pass_instant(d, row)) is not None:
                row = made.row
                self.names += [name for name in made.names if name not in self.names]
                for number, x, y in made.told:
                    self._tell(float(row[0]), number, x, y)
        if self.rounds >= ROUNDS:
            raise SimulationError.stopped(run.t, f"{', '.join(map(repr, self.names))} change the structure of the model again and again at "
                                          "one instant", "Look at their conditions: what one does, another undoes", "chattering")
        if run.p.chosen.size > 1:  # which equations or coordinates are independent is to be chosen anew
            run.p.chosen[RANK], run.p.par.pivot = -1, 0.0
        return row

    def _tell(self, t: float, number: int, x: float, y: float) -> None:
        """As `kernels.event_log.note` does."""
        (log, room), W = self.run.dynamics.system.log, self.run.x.W
        n, width = int(W[log]), int(WIDTH)
        W[log] = n + 1
        if n < room:
            W[log + 1 + width * n:log + 1 + width * (n + 1)] = number, t, x, y
