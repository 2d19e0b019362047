"""Controllers in Python within a run: the compiled loop calls them by their addresses at instants."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....channel_values.observer import Observer
from ....kernels.contract import c_address
from ....kernels.expression_vm import ENDS, SCRATCH
from ....kernels.state_row import parts, row_width

if TYPE_CHECKING:
    from ....compile.array_builder import ControllerEntry
    from .run import Run

FAULT = 2.0  # in W[ENDS]: a controller failed


class Call:
    """One controller in one run. It reads signals, or other channels of the present state, and writes to the history."""

    def __init__(self, run: Run, entry: ControllerEntry) -> None:
        self.x, self.dynamics, self.item = run.x, run.dynamics, entry.item
        self.inputs = np.maximum(entry.inputs, 0).astype(np.int64)
        self.others = {k: entry.item.inputs[k] for k, slot in enumerate(entry.inputs) if slot < 0}
        self.outputs, self.states = (run.x.H[part[0]:part[-1] + 1] if part else run.x.H[:0] for part in (entry.outputs, entry.states))
        self.address, self.keep = c_address(self)
        run.x.W[SCRATCH + run.dynamics.system.n_choices + entry.memory] = self.address

    def __call__(self, t: float, _x: float, _v: float) -> float:
        x, failures = self.x, self.dynamics.system.failures
        try:
            y = x.Y[self.inputs]
            if self.others:
                self._look_up(t, y)
            self.item.call(t, y, self.outputs, self.states)
        except BaseException as error:
            failures.add(error, f"in controller {self.item.name!r}, called at t = {t:.6g} s")
            x.W[ENDS] = FAULT
        return 0.0

    def _look_up(self, t: float, y: np.ndarray) -> None:
        """Channels that are no signals, such as accelerations and reactions: before the outputs change."""
        s, x, d = self.dynamics.system, self.x, self.dynamics
        row = np.zeros(row_width(s.q0.size, s.n, s.histories))
        p: dict[str, Any] = parts(row[None, :], s.q0.size, s.n)
        row[0], p["q"][0], p["v"][0], p["H"][0] = t, x.q, x.v, x.H
        d.refine(row[None, :], project=False)
        observer = Observer(d, row[None, :], np.zeros((1, 3)))
        for k, name in self.others.items():
            y[k] = float(observer(name)[0])


def bound(run: Run) -> list[Call]:
    """All controllers of a model, for a run."""
    return [Call(run, entry) for entry in run.dynamics.system.controllers]
