"""The longest stable step of explicit central differences: found at the start of a run, and looked at while it goes on.

    h omega < 2;  with viscous forces of the rate d = 2 zeta omega  h < 2 / (sqrt(omega^2 + d^2) + d)                    [central-2]
"""
from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compile.vibration import Vibration
from ..families.rigid import BODY, INERTIA
from ..functions.units import quantity
from ..items.errors import OptionError, SimulationError
from .automatic import vibration_rates

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..compile.compiled_model import CompiledModel
    from .integrators.time_loop.run import Run

PART = 0.9       # of the longest stable step: what is chosen
EVERY, CLOSE = 500, 50  # steps between looks; where the step is near the limit
NEAR = 0.95      # of the limit
SURE = 1.001     # times the limit: beyond it a step is refused


def with_rotary(dynamics: CompiledModel, scale: float) -> CompiledModel:
    """The model with the inertia of sections, at the nodes of its beams, times ``scale``."""
    if dynamics.rotary_scale == scale:
        return dynamics
    other, s = copy(dynamics), copy(dynamics.system)
    nodes = {node for beam in dynamics.directory.beams.values() for node in beam.nodes}
    rows = [e for e in range(*s.families.get(BODY, (0, 0))) if s.owners[e] in nodes]
    if not rows:
        raise OptionError("integrator", "rotary_scale is of beams, and the model has none; leave it out", "simulate: integrator: ")
    rp = s.data.rp.copy()
    rp[rows, INERTIA:INERTIA + 9] *= scale / dynamics.rotary_scale
    s.data, other.system, other.rotary_scale = s.data._replace(rp=rp), s, scale
    return other


def longest(dynamics: CompiledModel, row: np.ndarray) -> float:
    """By the fastest vibration and the largest rate of decay at a state, joints held; inf where nothing pushes back."""
    w, d, _ = vibration_rates(dynamics, row)
    return 2 / (np.hypot(w, d) + d) if max(w, d) > 0 else np.inf


def fastest_body(dynamics: CompiledModel, row: np.ndarray) -> tuple[str, float]:
    """What moves most in the fastest vibration, by energy, and its frequency [Hz]."""
    vibration = Vibration.at(dynamics, row)
    w, mode = vibration.fastest()
    shares = (mode * vibration.image(vibration.M, mode)).reshape(-1, 6).sum(1)
    return dynamics.body_of(int(np.argmax(shares[:dynamics.system.n_motion // 6]))), w / (2 * np.pi)


def stable_step(method: Any, dynamics: CompiledModel, start: Callable[[], np.ndarray], settings: dict[str, Any], why: str) -> str:
    """Where neither a step nor an accuracy is asked for, a step is put into the settings; why."""
    if settings.get("step") is not None or settings.get("accuracy") is not None:
        return why
    row, dynamics = start(), with_rotary(dynamics, method.rotary_scale)
    h = PART * longest(dynamics, row)
    if not h < np.inf:
        return why
    name, frequency = fastest_body(dynamics, row)
    settings["step"] = min(h, float(quantity(settings["duration"], "s")))
    return f"the step is {h:.4g} s, {PART:g} of the longest stable one: {name!r} vibrates at {frequency:.4g} Hz"


class StepLook:
    """Looks at the step of a run at its start and now and then: stiffness may grow."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._look(run.start)

    def __call__(self) -> None:
        if self.run.look <= self.run.c.steps and np.isfinite(row := self.run.here()).all():
            self._look(row)

    def _look(self, row: np.ndarray) -> None:
        h, most = self.run.step, longest(self.run.dynamics, row)
        self.run.look = int(self.run.c.steps) + (CLOSE if h > NEAR * most else EVERY)
        if h > SURE * most:
            name, frequency = fastest_body(self.run.dynamics, row)
            what = (f"the fixed step of {h:.4g} s is longer than {most:.4g} s, the longest that is stable with "
                    f"{self.run.method.kind}: {name!r} vibrates at {frequency:.4g} Hz")
            raise SimulationError.stopped(float(row[0]), what, f"Take a step below {PART * most:.2g} s, or leave the step out at the "
                                          "start, or take an implicit method", "step-unstable")
