"""Runs of Adams' methods: what they remember from step to step."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import adams
from . import one_step_loop as osl
from .implicit import Own
from .one_step import OneStepRun
from .tableaus import table

FINE = 8  # orders above this begin with so many Runge-Kutta steps per step, whose order is 8


class MultiStepRun(OneStepRun):
    """One integration in progress; values of F at earlier steps are in ``steps.K``, numbers that change in ``steps.table``."""

    def _kernel(self) -> tuple[Any, ...]:
        numbers = np.zeros(adams.NUMBERS)
        start = table("dop853")[0]
        assert start.size == adams.TABLE
        numbers[:adams.TABLE], highest = start, self.method.max_order  # type: ignore[attr-defined]
        numbers[adams.HIGHEST], numbers[adams.PARTS] = highest, FINE if highest > FINE else 1
        return numbers, adams.STAGES + adams.SIZE + 2, max(highest, 7), adams.BEGIN, (adams.step,), Own.of(0, 0, 0)

    def _state(self) -> dict[str, np.ndarray]:
        return super()._state() | {"table": self.steps.table, "values": self.steps.K.reshape(-1)}

    def _begin(self, row: np.ndarray) -> None:
        numbers = self.steps.table
        numbers[[adams.POINTS, adams.FAILED, adams.STREAK]], self.tune[osl.EXPONENT] = 0, adams.BEGIN
        super()._begin(row)

    def _first(self) -> float:
        return adams.SHORT * super()._first()
