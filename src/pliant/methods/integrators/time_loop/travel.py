"""The end of the travel of a driven linkage: the last position that its drives can bring it to, and which links are in line there."""
from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ....compile import redundancy
from ....compile.compiled_model import CompiledModel
from ....compile.consistency import POSITION
from ....items.errors import SimulationError
from ....kernels import evaluation
from ....kernels.contract import P
from ....kernels.state_row import parts

CODES = ("newton-failed", "singular-matrix", "not-finite", "joint-open", "step-underflow", "step-too-large", "singular-pose")
CLOSED, FAR = 1e-9, 0.3  # sizes of the model: a joint open by more, a position farther away is not the next one
NEXT = 1e-3              # of the run: what can be reached so much later is no end
FINEST, TRIES = 1e-13, 300
LOST = 0.05              # of the singular value at the start: it vanishes
TAKES_PART = 0.1         # of the largest part of a singular vector
STRAIGHT = 0.02          # rad


def end_of_travel(run: Any, rows: list[np.ndarray], error: SimulationError) -> SimulationError | None:
    """The error that tells of the end of the travel, or that no position is left, if that is what has stopped a run. ``rows``: good ones,
    the latest first."""
    d: CompiledModel = run.dynamics
    if error.code not in CODES or not d.directory.drives or redundancy.equations(d.system).size > redundancy.DENSE:
        return None
    goal = run.t + max(2 * abs(run.tried[1]), NEXT * (run.end - float(run.start[0])))
    try:
        row = next((row for row in rows if _closed(d, row[None, :].copy())), None)
        last = None if row is None else _last_position(d, row.copy(), goal)
        found = None if last is None else _lost(d, run.start, last)
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):  # what cannot be computed there is told as it was
        return None
    if last is None:
        return None
    if found is None:
        return _contradiction(d, float(last[0]), error)
    named, many = ", ".join(repr(name) for name in found.drives), len(found.drives) > 1
    lines = [f"{a!r} and {b!r}" for a, b in found.in_line]
    where = f"{', '.join(lines[:3])} are in line" if lines else f"at joints {', '.join(map(repr, found.joints[:6]))}"
    what = f"drive{'s' * many} {named} {'have' if many else 'has'} brought the linkage to the end of its travel ({where})"
    remedy = "End the run before that, let the drive turn back, or change the lengths of the links"
    return SimulationError.stopped(float(last[0]), what, remedy, "end-of-travel")


def _contradiction(d: CompiledModel, t: float, error: SimulationError) -> SimulationError | None:
    """The error that says so, if a joint opened that cannot be closed: what the drives ask for was never there to be reached."""
    if error.code != "joint-open":
        return None
    named = ", ".join(repr(name) for name in d.directory.drives)
    what = f"{error.reason}, and cannot be closed: drive{'s' * (len(d.directory.drives) > 1)} {named} and the joints contradict each other"
    told = SimulationError.stopped(t, what, "Remove a drive, or free a joint so that the mechanism can move as it is driven", error.code)
    told.final = True
    return told


def _closed(d: CompiledModel, row: np.ndarray) -> bool:
    """Whether the joints can be closed at a row (1, n), which is made consistent."""
    d.refine(row)
    return bool(np.isfinite(row).all() and d.refine(row)[1][0, POSITION] <= CLOSED * max(1.0, d.length))


def _last_position(d: CompiledModel, row: np.ndarray, goal: float) -> np.ndarray | None:
    """The last one that can be reached from a row on, as a row; None if it goes on to the time ``goal``."""
    s, w, dt = d.system, d.weights(), (goal - float(row[0])) / 4
    for _ in range(TRIES):
        if dt < FINEST * max(1.0, abs(goal)):
            break
        new, step = row[None, :].copy(), min(dt, goal - float(row[0]))
        p = parts(new, s.q0.size, s.n)
        new[0, 0] += step
        good = bool((abs(p["v"][0]) * w * step).max(initial=0.0) < FAR)
        if good:
            evaluation.retract(s.data, p["q"][0].copy(), p["v"][0], step, p["q"][0])
            good = _closed(d, new)
            moved = abs(new[0, 3:3 + s.q0.size] - row[3:3 + s.q0.size])
            moved[s.metres[:, 1]] /= d.length
            good = good and bool(moved.max(initial=0.0) < FAR)
        row, dt = (new[0], 1.5 * dt) if good else (row, dt / 2)
        if row[0] >= goal:
            return None
    return row


class Lost(NamedTuple):
    """What loses its independence: drives, joints, and pairs of links in line there."""
    drives: list[str]
    joints: list[str]
    in_line: list[tuple[str, str]]


def _lost(d: CompiledModel, start: np.ndarray, last: np.ndarray) -> Lost | None:
    rows = redundancy.equations(d.system)
    _, before = _decomposed(d, start, rows)
    rank = int((redundancy.ZERO * before[0] < before).sum()) if before.size else 0
    U, now = _decomposed(d, last, rows)
    if not rank or now[rank - 1] / now[0] > LOST * before[rank - 1] / before[0]:
        return None
    part = dict(zip(rows.tolist(), abs(U[:, rank - 1]), strict=True))
    least = TAKES_PART * max(part.values())
    drives = [name for name, (row, *_) in d.directory.drives.items() if part[row] > least]
    joints = [name for name, j in d.directory.joints.items() if any(part.get(row, 0.0) > least for row in j.rows)]
    return Lost(drives, joints, _in_line(d, joints)) if drives else None


def _decomposed(d: CompiledModel, row: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Left singular vectors and singular values of the equations of joints and drives at a row; frames are placed there."""
    s, x = d.system, d.x
    p = parts(row[None, :], s.q0.size, s.n)
    x.q[:], x.H[:], x.D[:] = p["q"][0], p["H"][0], 0
    evaluation.run(s.program("tangent"), s.data, x, float(row[0]), 1.0, 0.0, 0.0)
    U, S, _ = np.linalg.svd(redundancy.scaled(redundancy.jacobian(s, x.D), d.unit[rows], redundancy.lengths(s, d.length)))
    return U, S


def _in_line(d: CompiledModel, joints: list[str]) -> list[tuple[str, str]]:
    """Pairs of bodies that share a joint and lie in one line with it and their next joints."""
    records = [d.directory.joints[name] for name in joints]
    points = {id(j): d.x.X[j.b, P:P + 3].copy() for j in records}
    found = []
    for middle in records:
        for one, two in combinations([j for j in records if j is not middle], 2):
            for a, b in (middle.bodies, middle.bodies[::-1]):
                if a in one.bodies and b in two.bodies and "ground" not in (a, b):
                    u, v = points[id(middle)] - points[id(one)], points[id(two)] - points[id(middle)]
                    if 0 < np.linalg.norm(np.cross(u, v)) + 1e-300 <= STRAIGHT * np.linalg.norm(u) * np.linalg.norm(v):
                        found.append((a, b))
    return list(dict.fromkeys(found))
