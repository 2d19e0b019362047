"""Directions that joints hold, and mechanisms that move in planes: which bodies must be held in theirs."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import shown
from ..items.base import AXES, AnyAxis, axis_of

if TYPE_CHECKING:
    from .channel_map import JointRecord

PARALLEL = 1e-6  # rad: axes this near are parallel


def normal_of(planar: Any) -> AnyAxis | None:
    """The normal of the planes a model moves in, as the user may say it: true means z, false and nothing none."""
    if planar is None or planar is False:
        return None
    if planar is True:
        return "z"
    try:
        vector = axis_of(planar)
    except (ValueError, TypeError):
        raise FieldError("planar", f"{shown(planar)} must be true (the normal of the planes is z), one of x, "
                         "y, z, or three numbers",
                         mark=" ") from None
    return planar if isinstance(planar, str) and planar in AXES else vector


def normal_vector(planar: AnyAxis) -> np.ndarray:
    return np.array(axis_of(planar))


def in_plane_axes(normal: np.ndarray) -> np.ndarray:
    """Two unit vectors across ``normal``, as rows."""
    first = np.eye(3)[int(np.argmin(abs(normal)))]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def functional(direction: tuple[Any, ...], A: np.ndarray, B: np.ndarray, d: np.ndarray) -> np.ndarray:
    """What an equation of a joint holds: the coefficients of the relative displacement of b's point and of the relative
    rotation, world axes, shape (6,). ``A``, ``B``: axes of the joint frames as columns, d = p_B - p_A.      [diagnosis-1]"""
    kind, *axes = direction
    out = np.zeros(6)
    if kind == "coincident":
        out[axes[0]] = 1.0
    elif kind == "d1":
        out[3:] = np.cross(A[:, axes[0]], B[:, axes[1]])
    elif kind in ("d2", "displacement"):
        out[:3] = A[:, axes[0]]
    elif kind == "distance":
        out[:3] = d / max(float(np.linalg.norm(d)), 1e-300)
    elif kind == "angle":
        out[3:] = A[:, axes[0]]
    return out


def unheld(joints: Iterable[JointRecord], bodies: Iterable[str], normal: np.ndarray) -> list[str]:
    """Bodies to be held in their planes, so that all others are held by their joints to those or to the ground."""
    t = in_plane_axes(normal)
    across = np.zeros((3, 6))
    across[0, :3], across[1:, 3:] = normal, t
    ties: dict[str, list[str]] = {}
    for record in joints:
        held = np.array([functional(direction, record.axes, record.axes, record.offset) for direction in record.directions])
        if record.untwisted:  # along the axis of such a body nothing turns
            held = np.vstack([held.reshape(-1, 6), np.concatenate([np.zeros(3), record.axes[:, 2]])])
        _, sizes, rows = np.linalg.svd(held.reshape(-1, 6))
        basis = rows[:int((sizes > PARALLEL).sum())]
        if abs(across - across @ basis.T @ basis).max() < PARALLEL:  # it holds the displacement along the normal and both tilts
            a, b = record.bodies
            ties.setdefault(a, []).append(b)
            ties.setdefault(b, []).append(a)
    found, held_bodies = list[str](), set[str]()

    def spread(start: str) -> None:
        todo = [start]
        while todo:
            body = todo.pop()
            if body not in held_bodies:
                held_bodies.add(body)
                todo += ties.get(body, ())
    spread("ground")
    for body in bodies:
        if body not in held_bodies:
            found.append(body)
            spread(body)
    return found
