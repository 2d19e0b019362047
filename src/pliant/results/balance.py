"""Whether the energies of a run add up: what it has too much or too little is an error that no joint and no step shows."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..solution import Solution

ALLOWED = 30.0       # times accuracy times seconds, of the energy that was exchanged
FIXED = 0.05         # the same of runs with a fixed step, of which no accuracy is known
ROUNDING = 1e-9      # of the energies, and of lifting the model by its size
AT_REST = 1e-7       # of the kinetic energy of moving through the model once in the run


def doubt(sol: Solution) -> str:
    """A sentence if the balance of energies is off by far more than the accuracy allows; empty if it is not.

    Exchanged is the largest of kinetic energy, of the changes of potential and elastic energy and of work, and of what was lost.
    """
    e, d = sol.energy, sol.dynamics
    if d is None or sol.model is None or len(sol.t) < 2 or not np.isfinite(e.balance).all():
        return ""
    time, mass = float(sol.t[-1] - sol.t[0]), sum(float(getattr(body, "mass", 0.0)) for body in sol.model.section("bodies"))
    exchanged = float(max(e.kinetic.max(), e.dissipated.max(), *(np.ptp(part) for part in (e.potential, e.elastic, e.work))))
    rounding = (ROUNDING * (max(float(abs(part).max()) for part in (e.kinetic, e.potential, e.elastic)) + mass * d.gravity * d.length)
                + AT_REST * mass * (d.length / max(time, 1e-300)) ** 2)
    allowed = FIXED if sol.accuracy is None else ALLOWED * sol.accuracy * max(1.0, time)
    if not e.drift > allowed * exchanged + rounding:
        return ""
    told = (f"{e.drift:.3g} J are not accounted for, of {exchanged:.3g} J exchanged: "
            + ("the step may be too long" if sol.accuracy is None else f"more than the accuracy {sol.accuracy:g} allows"))
    if not getattr(sol.formulation, "holds_branch", True):
        told += (f"; with {sol.formulation} a singular position may be left along another branch: index-1 and recursion with their "
                 "default stabilization, DirectCorrection(), keep to it")
    return told
