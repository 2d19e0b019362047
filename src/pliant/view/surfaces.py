"""Surfaces of all bodies over a run, in full precision: what files for other programs hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..items.base import quaternion_of
from ..items.bodies import FrameOwner
from ..items.modal import ModalBody
from ..plot.connected import enlarged
from .describe import Description, _matrices
from .fields import Field, fields_of
from .skins import skin_of
from .sources import Source
from .triangles import joined, triangles


class Surface(NamedTuple):
    """Of one body: points (p, 3) in its axes, triangles (c, 3), and for flexible ones psi (p, 3, n) and fields."""

    name: str
    color: str
    points: np.ndarray
    cells: np.ndarray
    psi: np.ndarray | None
    fields: list[Field]


class Motion(NamedTuple):
    """Over some rows: times (n), and by body positions (n, 3), quaternions (n, 4) and modal coordinates (n, modes)."""

    t: np.ndarray
    position: dict[str, np.ndarray]
    rotation: dict[str, np.ndarray]
    modal: dict[str, np.ndarray]


def surfaces(source: Source) -> list[Surface]:
    """Of all bodies."""
    d, out = Description(source), []
    for body in d.bodies:
        owner = d.owners.get(body["name"])
        if isinstance(owner, ModalBody):
            skin = skin_of(owner.reduced, d.symbol)
            out.append(Surface(body["name"], body["color"], skin.points, skin.cells, skin.psi, fields_of(owner.reduced, skin.points)))
        else:
            points, cells = joined([triangles(shape, d.arrays) for shape in body["shapes"]])
            out.append(Surface(body["name"], body["color"], points, cells, None, []))
    return out


def motion(source: Source, parts: list[Surface], frames: int, deformation: float = 1.0) -> Motion:
    """At most ``frames`` rows, spread over the run; the deformation of flexible bodies enlarged, as in `pliant.plot.connected`."""
    n = source.count()
    step = max(1, -(-n // frames))
    rows = slice(0, n, step)
    names = [f"{p.name}.{q}" for p in parts for q in ("position", "rotation", *(["modal"] if p.psi is not None else []))]
    found = source.read(names, rows)
    pick = {q: {p.name: found[f"{p.name}.{q}"] for p in parts if f"{p.name}.{q}" in found} for q in ("position", "rotation", "modal")}
    made = Motion(np.asarray(source.times(rows)), pick["position"], pick["rotation"], pick["modal"])
    return made if deformation == 1 else enlarged_motion(source, made, np.arange(n)[rows], deformation)


def enlarged_motion(source: Source, moved: Motion, rows: np.ndarray, factor: float) -> Motion:
    """The same with bodies where they are drawn when the deformation is so many times as large."""
    modal = {name: factor * q for name, q in moved.modal.items()}
    if source.model is None:
        return moved._replace(modal=modal)
    owners: dict[str, Any] = {b.name: b for b in source.model.section("bodies") if isinstance(b, FrameOwner)}
    owners["ground"] = source.model.ground
    drawn = enlarged(source.model, owners, lambda name: source.read([name], slice(0, source.count()))[name][rows], _matrices, factor)
    turns = {name: _continuous(np.array([quaternion_of(R) for R in axes])) for name, axes in drawn.axes.items()}
    return moved._replace(position=drawn.position, rotation=turns, modal=modal)


def _continuous(q: np.ndarray) -> np.ndarray:
    """Quaternions of the same rotations without jumps of their sign."""
    q[1:] *= np.cumprod(np.where((q[1:] * q[:-1]).sum(1) < 0, -1.0, 1.0))[:, None]
    return q


def at(part: Surface, moved: Motion, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in the world and displacements by deformation, world axes, at one row: x = p + R (u0 + psi q)."""
    R = _matrices(moved.rotation[part.name][row : row + 1])[0]
    u = np.zeros_like(part.points) if part.psi is None else part.psi @ moved.modal[part.name][row]
    return moved.position[part.name][row] + (part.points + u) @ R.T, u @ R.T
