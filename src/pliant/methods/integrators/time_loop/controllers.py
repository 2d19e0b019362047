"""Controllers in Python within a run: the compiled loop calls them by their addresses at instants."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....channel_values.components import is_number
from ....channel_values.observer import Observer, catalogue
from ....items.errors import ModelError
from ....kernels.contract import c_address
from ....kernels.expression_vm import ENDS, SCRATCH
from ....kernels.state_row import parts, row_width

if TYPE_CHECKING:
    from ....compile.array_builder import ControllerEntry
    from .step_run import StepRun

FAULT = 2.0  # in W[ENDS]: a controller failed


class Look:
    """Channels that are no signals, such as accelerations and reactions, as they are when an instant begins."""

    def __init__(self, run: StepRun) -> None:
        self.run, self.t = run, np.nan
        self.observer: Observer | None = None
        known = catalogue(run.dynamics)
        for channel, where in run.dynamics.system.observed:
            try:
                good = is_number(channel, known)
            except KeyError as error:
                raise ModelError(f"{where}: {error.args[0]}") from None
            if not good:
                raise ModelError(f"{where}: channel {channel!r} has several components; name one, such as {channel}.x")

    def __call__(self, t: float, channel: str) -> float:
        if t != self.t or self.observer is None:
            self.observer, self.t = self._observer(t), t
        return float(self.observer(channel)[0])

    def _observer(self, t: float) -> Observer:
        d, x = self.run.dynamics, self.run.x
        s = d.system
        row = np.zeros((1, row_width(s.q0.size, s.n, s.histories)))
        p: dict[str, Any] = parts(row, s.q0.size, s.n)
        p["t"][0], p["q"][0], p["v"][0], p["H"][0] = t, x.q, x.v, x.H
        p["dissipated"][0], p["work"][0] = self.run.steps.y0[-2:]
        return Observer(d, row, d.refine(row, project=False)[0])


class Call:
    """One controller in one run. It reads signals, or other channels of the present state, and writes to the history."""

    def __init__(self, run: StepRun, entry: ControllerEntry, look: Look) -> None:
        self.x, self.failures, self.item, self.look = run.x, run.dynamics.system.failures, entry.item, look
        self.inputs = np.maximum(entry.inputs, 0).astype(np.int64)
        self.others = {k: entry.item.inputs[k] for k, slot in enumerate(entry.inputs) if slot < 0}
        self.outputs, self.states = (run.x.H[part[0]:part[-1] + 1] if part else run.x.H[:0] for part in (entry.outputs, entry.states))
        self.address, self.keep = c_address(self)
        run.x.W[SCRATCH + run.dynamics.system.n_choices + entry.memory] = self.address

    def __call__(self, t: float, _x: float, _v: float) -> float:
        x = self.x
        try:
            y = x.Y.take(self.inputs)
            for k, name in self.others.items():
                y[k] = self.look(t, name)
            self.item.call(t, y, self.outputs, self.states)
        except BaseException as error:
            self.failures.add(error, f"in {self.item.kind} {self.item.name!r}, called at t = {t:.6g} s")
            x.W[ENDS] = FAULT
        return 0.0


def bound(run: StepRun) -> list[Call]:
    """All controllers of a model, for a run."""
    look = Look(run)
    return [Call(run, entry, look) for entry in run.dynamics.system.controllers]
