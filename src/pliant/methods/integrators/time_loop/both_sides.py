"""Rows on both sides of what makes velocities jump: impacts, locks, drives whose rates jump. docs/results.md"""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....kernels.state_row import parts

if TYPE_CHECKING:
    from .run import Run

NONE = 1e-12  # of the largest velocity: a change that is none


def both_sides(run: Run, before: np.ndarray, last: float) -> np.ndarray:
    """The state that a run came with, as little earlier as numbers can tell, and the one with which it goes on; nothing if no velocity
    jumped. A row that was due then, the ``last`` one so far, is the first of them; one that is still to come is the second."""
    s, after, t = run.dynamics.system, run.here(), run.t
    v = parts(np.array([before, after]), s.q0.size, s.n)["v"]
    if not abs(v[1] - v[0]).max(initial=0.0) > NONE * abs(v).max(initial=0.0):
        return np.zeros((0, before.size))
    if last >= t:
        after[0] = np.nextafter(t, np.inf)
        return after[None, :]
    before[0] = np.nextafter(t, -np.inf)
    to_come = run.c.output <= run.c.outputs and run.due[run.c.output - 1] <= t
    return np.array([before] if to_come else [before, after])
