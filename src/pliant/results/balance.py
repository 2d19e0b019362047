"""Why a run is not to be trusted though nothing stopped it: energies that do not add up, which no joint and no step shows; and singular
positions, where several branches go on, passed by a formulation that does not keep to its own."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..compile import redundancy
from ..kernels import evaluation
from ..kernels.state_row import parts

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel
    from ..solution import Solution

ALLOWED = 30.0       # times accuracy times seconds, of the energy that was exchanged
FIXED = 0.05         # the same of runs with a fixed step, of which no accuracy is known
ROUNDING = 1e-9      # of the energies, and of lifting the model by its size
AT_REST = 1e-7       # of the kinetic energy of moving through the model once in the run
DEPENDENT = 1e-6     # singular values below this part of the largest: equations that depend on others
LARGE, ROWS = 400, 2000    # equations, rows: more are not looked at
STEEP = 2.5          # a singular value that comes down as a straight line reaches zero within so many rows


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
    return (f"{e.drift:.3g} J are not accounted for, of {exchanged:.3g} J exchanged: "
            + ("the step may be too long" if sol.accuracy is None else f"more than the accuracy {sol.accuracy:g} allows"))


def branch(sol: Solution) -> str:
    """A sentence if a singular position is passed with a formulation that does not keep to its branch; empty otherwise.

    The smallest singular value of the independent equations comes down as |t - t0| and goes up again.
    """
    d = sol.dynamics
    if d is None or getattr(sol.formulation, "holds_branch", True) or len(sol.t) < 5:
        return ""
    rows = redundancy.equations(d.system)
    if not 0 < len(rows) <= LARGE:
        return ""
    every = -(-len(sol.t) // ROWS)
    s = _smallest(d, sol.rows[::every], rows)
    for k in range(2, len(s) - 2):
        left, right = s[k - 2] - s[k - 1], s[k + 2] - s[k + 1]
        if s[k] <= min(s[k - 1], s[k + 1]) and s[k - 1] <= STEEP * left and s[k + 1] <= STEEP * right:
            return (f"the mechanism passes a singular position at t = {sol.t[k * every]:.4g} s, which {sol.formulation} may leave along "
                    "another branch: index-1 and recursion with their default stabilization, DirectCorrection(), keep to it")
    return ""


def _smallest(d: CompiledModel, states: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Of the singular values of the equations that are independent in most states, over the largest."""
    s, x = d.system, d.memory()
    p, program, found = parts(states, s.q0.size, s.n), s.program("tangent"), []
    for k in range(len(states)):
        x.q[:], x.H[:], x.D[:] = p["q"][k], p["H"][k], 0
        evaluation.run(program, s.data, x, float(states[k, 0]), 1.0, 0.0, 0.0)
        C = np.asarray(s.dense(x.D)[np.ix_(rows, np.arange(s.n_v))])
        found.append(np.linalg.svd(redundancy.scaled(C, d.unit[rows], redundancy.lengths(s, d.length)), compute_uv=False))
    S = np.array(found)
    rank = int(np.median((S / S[:, :1] > DEPENDENT).sum(1)))
    return S[:, rank - 1] / S[:, 0]
