"""Rows of a run made consistent, and which of them can be kept."""
from __future__ import annotations

import numpy as np

from ....compile.consistency import POSITION
from ....items.errors import SimulationError, raised_in
from .run import Run
from .stops import CANNOT_CLOSE, function_fault


def refined(run: Run, rows: np.ndarray) -> tuple[int, np.ndarray, np.ndarray, BaseException | None]:
    """Rows refined in place, how many of them are good, their energies and report, and why the next one is not."""
    dynamics = run.dynamics
    try:
        energies, report = dynamics.refine(rows, run.project)
    except Exception as error:
        if len(rows) > 1:  # keep those before the bad one
            half = len(rows) // 2
            first = refined(run, rows[:half])
            if first[3]:
                return first
            later = refined(run, rows[half:])
            return first[0] + later[0], np.vstack([first[1], later[1]]), np.vstack([first[2], later[2]]), later[3]
        return 0, np.zeros((0, 3)), np.zeros((0, 4)), _explained(error, float(rows[0, 0]))
    finite = np.isfinite(rows).all(1) & np.isfinite(energies).all(1)
    fast = run.too_fast(rows)
    bent = run.too_bent(rows)
    closed = report[:, POSITION] <= run.widest
    doubtful = np.flatnonzero(~(report[:, POSITION] <= CANNOT_CLOSE * run.joint_gap) & finite)
    if run.project and doubtful.size:  # open as they came; and still open?
        closed[doubtful] &= dynamics.refine(rows[doubtful])[1][:, POSITION] <= CANNOT_CLOSE * run.joint_gap
    good = int(np.argmin(np.append(finite & ~fast & ~bent & closed, False)))
    if good == len(rows):
        return good, energies, report, None
    known = run.bent if bent[good] else run.spun if fast[good] else run.opened
    reason = known(rows[good]) if finite[good] else SimulationError.stopped(
        rows[good, 0], "a speed, force or energy is too large to be a finite number", "Look for a force that grows without bound, and for "
        "units", "not-finite")
    return good, energies[:good], report[:good], reason


def _explained(error: BaseException, t: float) -> BaseException:
    """Why a row could not be refined."""
    if raised_in(error):
        return function_fault(error, t)
    return SimulationError(f"stopped at t = {t:.6g} s: {error}", "not-finite") if isinstance(error, ValueError) else error
