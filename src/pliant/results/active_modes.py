"""Which modes of bodies with ``adaptive`` took part in a run, and when that changed."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..items.base import did_you_mean
from ..items.modal import ModalBody

if TYPE_CHECKING:
    from ..solution import Solution


class ModeChange(NamedTuple):
    """At ``t`` [s] modes of ``body`` were ``added`` or ``dropped``, by the numbers of its channel ``modal``; ``energy`` [J]: what all
    changes at that time added to that of the model, less than zero if they took some."""
    t: float
    body: str
    added: tuple[int, ...]
    dropped: tuple[int, ...]
    energy: float


def _log(sol: Solution) -> tuple[dict[str, slice], np.ndarray]:
    """{body: its columns} and rows of time, change of energy, and which modes are active from then on."""
    if sol.model is None:
        raise ValueError(f"the modes of this run are not known: {sol.stored.note if sol.stored else 'it has no model'}")
    sizes = {b.name: b.reduced.n for b in sol.model.section("bodies") if isinstance(b, ModalBody) and b.adaptive is not None}
    ends = 2 + np.cumsum([0, *sizes.values()])
    found = {name: slice(int(i), int(j)) for name, i, j in zip(sizes, ends[:-1], ends[1:], strict=True)}
    known = sol.memory.get("modes", np.zeros(0))
    if known.size % ends[-1]:
        raise ValueError("the modes of this run are not those of its model; it was written by another version of pliant")
    return found, known.reshape(-1, ends[-1])


def _columns(bodies: dict[str, slice], body: str) -> slice:
    if body not in bodies:
        raise ValueError(f"{body!r} is no body whose modes are chosen during a run (adaptive){did_you_mean(body, bodies)}")
    return bodies[body]


def active_modes(sol: Solution, body: str) -> np.ndarray:
    """(rows, modes): a row at the time of a change is from before it."""
    bodies, log = _log(sol)
    columns = _columns(bodies, body)
    if not len(log):
        return np.ones((len(sol.t), columns.stop - columns.start), bool)
    at = np.maximum(np.searchsorted(log[:, 0], sol.t, side="left") - 1, 0)
    return np.asarray(log[at][:, columns] > 0)


def mode_changes(sol: Solution, body: str | None = None) -> list[ModeChange]:
    """All changes of one body, or of all. Those at the start are against all modes."""
    bodies, log = _log(sol)
    names, out = list(bodies) if body is None else [body], []
    before = np.ones(log.shape[1])
    for row in log:
        for name in names:
            was, now = (x[_columns(bodies, name)] > 0 for x in (before, row))
            if (was != now).any():
                added, dropped = (tuple(int(k) + 1 for k in np.flatnonzero(x)) for x in (now & ~was, was & ~now))
                out.append(ModeChange(float(row[0]), name, added, dropped, float(row[1])))
        before = row
    return out
