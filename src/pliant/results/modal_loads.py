"""Loads of a flexible body over a run, by the names of `Stiffening`, and how much of them its modes can follow [stress-5]."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..channel_values.observer import Observer
    from ..flex.load_participation import Indicator
    from ..solution import Solution

Loads = dict[tuple[Any, ...], np.ndarray]
ROWS = 10_000  # looked at for the summary


def recorded_loads(sol: Solution, body: str) -> Loads:
    """{load: values over time} of a flexible body: accelerations of its frame less gravity, its rotation, all forces and moments that
    joints, drives and forces exert at its frames, in body axes, and factors of loads that are spread over it."""
    part = sol.part(body)
    if sol._observer is None or sol.model is None:
        raise ValueError(f"{body!r}: the loads of this run cannot be computed: {sol.stored.note if sol.stored else 'it has no model'}")
    return _loads(sol._observer, np.array(sol.model.gravity), part, body)


def _loads(observer: Observer, gravity: np.ndarray, part: Any, body: str) -> Loads:
    A = observer.axes(observer.directory.frames[body])
    a = np.einsum("tji,tj->ti", A, observer(f"{body}.acceleration") - gravity)
    w, turn = observer(f"{body}.angular_velocity"), observer(f"{body}.angular_acceleration")
    found: Loads = {("acceleration", k): a[:, k] for k in range(3)} | {("angular", k): turn[:, k] for k in range(3)}
    found |= {("centrifugal", i, j): w[:, i] * w[:, j] for i in range(3) for j in range(i, 3)}
    known = None if part.represented is None else set(part.represented.loads)
    record = observer.directory.flexible[body]
    shares: list[tuple[int, str, Any]] = [(frame, node, 1.0) for frame, node in record.frames.items()]
    for frame, (line, place) in record.sliders.items():
        shares += [(frame, node, share) for node, share in _shares(part, line, observer.parts["q"][:, place])]
    for frame, (line, contact) in record.feet.items():
        shares += [(frame, node, share) for node, share in _shares(part, line, observer.foot(contact))]
    for frame, node, share in shares:
        wrench = observer.wrench(frame)
        for kind, values in (("force", wrench[:, :3]), ("moment", wrench[:, 3:])):
            inside = np.einsum("tji,tj->ti", A, values)
            for load in ((kind, node, k) for k in range(3)):
                if known is None or load in known:
                    found[load] = found.get(load, 0.0) + share * inside[:, load[2]]
    for item, name in record.spread.items():
        if known is None or ("load", name) in known:
            found["load", name] = found.get(("load", name), 0.0) + observer(f"{item}.factor")
    return found


def _shares(part: Any, line: str, s: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Nodes of a line and what each bears of a load at s (times): the two beside it, as a bar between them would have it."""
    nodes = part.lines[line]
    at = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff([part.nodes[n].u0 for n in nodes], axis=0), axis=1))))
    for k, node in enumerate(nodes):
        unit = np.zeros(len(nodes))
        unit[k] = 1.0
        yield node, np.interp(s, at, unit)


def indicator(sol: Solution, body: str) -> Indicator:
    """The part of the loads of a run that the modes of a body cannot follow."""
    represented = sol.part(body).represented
    if represented is None:
        raise ValueError(f"{body!r}: its part does not know what its modes can follow; reduce it from a mesh")
    found: Indicator = represented.of(recorded_loads(sol, body))
    return found


def missed(sol: Solution) -> dict[str, dict[str, Any]]:
    """{body: part of the load, time, name of the load} of all flexible bodies that know it, from at most `ROWS` rows."""
    whole = sol._observer
    if whole is None or sol.model is None or not whole.directory.flexible:
        return {}
    stride = -(-len(whole.rows) // ROWS)
    observer = whole if stride == 1 else type(whole)(whole.dynamics, np.ascontiguousarray(whole.rows[::stride]), whole.energies[::stride])
    found = {}
    for body in observer.directory.flexible:
        if not hasattr(sol.model[body], "reduced"):  # a beam makes its part as it needs it
            continue
        part = sol.part(body)
        if part.represented is not None:
            told = part.represented.of(_loads(observer, np.array(sol.model.gravity), part, body))
            found[body] = {"missed": told.worst, "time": float(observer.rows[told.time, 0]), "load": told.name}
    return found
