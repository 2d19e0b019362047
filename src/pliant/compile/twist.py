"""What may act on a body whose sections have no axes, such as a cable: it has points, and the direction of its axis there.

Moments of a joint must be across that direction in every pose: of its equations those may stay which read no other axis of the body than
this one. That two axes are parallel can be said by the other two of either body.                                      [slope-17]
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..items.joint_primitives import PARALLEL_Z
from ..items.references import no_twist

if TYPE_CHECKING:
    from ..items.base import Pair
    from ..items.forces import Load
    from .model_compiler import ModelCompiler

Equations = tuple[tuple[Any, ...], ...]
PARALLEL = 1e-6  # sine of the angle of an axis and the cable: below, it is along the cable
SWAPPED = (("d1", 2, 0), ("d1", 2, 1))  # PARALLEL_Z, by the other two axes of b


def along(layout: ModelCompiler, frame: Any, item: str) -> np.ndarray:
    """The direction of the axis of a body at a frame, as modelled, in world axes."""
    owner = layout.owners[frame.body]
    pose: np.ndarray = owner.pose(owner.s_of(frame)).axes[:, 0]  # type: ignore[attr-defined]
    return pose


def without_twist(layout: ModelCompiler, item: Pair, axes: np.ndarray, primitives: Equations) -> Equations:
    """The equations of a joint, as they are written where one of its bodies has no twist; ValueError if they hold it."""
    loose = [not layout.owners[end.body].twists for end in (item.a, item.b)]
    if not any(loose):
        return primitives
    name = f"joint {item.name!r}"
    held = next(end.body for end, free in zip((item.a, item.b), loose, strict=True) if free)
    if wrong := next((w for w in ("angle", "angle_rate") if getattr(item, w, None) is not None or w in getattr(item, "hold", ())), ""):
        raise ValueError(f"{name}: {wrong} is of a turn about an axis, but {no_twist(held)}")
    if loose[0] and set(PARALLEL_Z) <= set(primitives):
        primitives = (*(p for p in primitives if p not in PARALLEL_Z), *SWAPPED)
    for end, free, place in zip((item.a, item.b), loose, (1, 2), strict=True):
        directions = along(layout, end, name) if free else np.zeros(3)
        for kind, *which in primitives if free else ():
            read = which[place - 1] if kind == "d1" else which[0] if kind == "d2" and place == 1 else None
            if read is not None and np.linalg.norm(np.cross(directions, axes[:, read])) > PARALLEL:
                raise ValueError(f"{name} holds more of {end.body!r} than it has: {no_twist(end.body)}")
    return primitives


def check_load(layout: ModelCompiler, load: Load) -> None:
    """ValueError for a moment along a cable, and for a force that turns with axes which it has not."""
    item = f"{load.kind} {load.name!r}"
    for frame in (load.frame, *([load.reaction] if load.reaction is not None else [])):
        if layout.owner(frame, item).twists:
            continue
        t = along(layout, frame, item)
        ((_, constant, moment, turns, _),) = load.loads()
        if turns:
            axes, given = layout.world(load.frame, item)[1].T @ t, [c if isinstance(c, (int, float)) else 1.0 for c in load.vector]
            if moment or np.linalg.norm(np.cross(axes, given)) > PARALLEL * np.linalg.norm(given):
                raise ValueError(f"{item} turns with {frame.body!r}, which only a force along its axis can do: {no_twist(frame.body)}")
        elif moment and abs(t @ constant) > PARALLEL * np.linalg.norm(constant):
            raise ValueError(f"{item} has a part along the axis of {frame.body!r}, which does not feel it: {no_twist(frame.body)}")

