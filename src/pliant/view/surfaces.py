"""Surfaces of all bodies over a run, in full precision: what files for other programs hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..items.modal import ModalBody
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


def motion(source: Source, parts: list[Surface], frames: int) -> Motion:
    """At most ``frames`` rows, spread over the run."""
    n = source.count()
    step = max(1, -(-n // frames))
    rows = slice(0, n, step)
    names = [f"{p.name}.{q}" for p in parts for q in ("position", "rotation", *(["modal"] if p.psi is not None else []))]
    found = source.read(names, rows)
    pick = {q: {p.name: found[f"{p.name}.{q}"] for p in parts if f"{p.name}.{q}" in found} for q in ("position", "rotation", "modal")}
    return Motion(np.asarray(source.times(rows)), pick["position"], pick["rotation"], pick["modal"])


def at(part: Surface, moved: Motion, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in the world and displacements by deformation, world axes, at one row: x = p + R (u0 + psi q)."""
    R = _matrices(moved.rotation[part.name][row : row + 1])[0]
    u = np.zeros_like(part.points) if part.psi is None else part.psi @ moved.modal[part.name][row]
    return moved.position[part.name][row] + (part.points + u) @ R.T, u @ R.T
