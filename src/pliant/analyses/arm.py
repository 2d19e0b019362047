"""A rigid arm as numbers in its home position, where all coordinates are zero."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..families.rigid import BODY, INERTIA, MASS
from ..items.errors import ModelError
from ..kernels.contract import GRAVITY

if TYPE_CHECKING:
    from .joint_space import JointModel


def arm(space: JointModel) -> dict[str, Any]:
    """Of every coordinate its axis and a point on it, what it carries with the next one, in world axes; `pliant.items.arm`."""
    s, d = space.dynamics.system, space.dynamics
    _look_at(space)
    sign, zero = space.space.tree.scale.T[:, :space.u.size]
    home = -sign * zero
    bodies = {s.owners[e]: s.data.rp[e] for e in range(*s.families[BODY])}
    axes, last, at = list[dict[str, Any]](), {"ground": 0}, 0
    for link in space.topology.links:
        J, carrier = space.jacobian(link.body, home), last[link.parent]
        placed = space.frame(link.body, home)
        for k in range(at, at + space.space.moving(link).freedom):
            turn, slide = sign[k] * J[3:, k], sign[k] * J[:3, k]
            slides = not np.linalg.norm(turn) > 0.5
            axes.append({"parent": carrier, "slides": slides, "axis": _plain(slide if slides else turn),
                         "point": _plain(placed.position if slides else placed.position + np.cross(turn, slide)), "mass": 0.0,
                         "com": (0.0, 0.0, 0.0), "inertia": np.zeros((3, 3)), "rotor": float(space.space.tree.rotors[k])})
            carrier, at = len(axes), at + 1
        last[link.body] = carrier
        if carrier:
            offset = np.array(d.model[link.body].com, float)
            I = placed.axes @ bodies[link.body][INERTIA:INERTIA + 9].reshape(3, 3) @ placed.axes.T
            _add(axes[carrier - 1], float(bodies[link.body][MASS]), placed.position + placed.axes @ offset, I)
    for axis in axes:
        axis["inertia"] = tuple(_plain(row) for row in axis["inertia"])
    return {"gravity": _plain(s.data.val[GRAVITY:GRAVITY + 3]), "axes": axes, "coordinates": list(space.coordinates)}


def _plain(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in np.where(abs(np.asarray(values)) < 1e-15, 0.0, values))


def _add(axis: dict[str, Any], mass: float, com: np.ndarray, inertia: np.ndarray) -> None:
    """One more body on an axis."""
    total = axis["mass"] + mass
    if total > 0:
        d = com - np.array(axis["com"])
        axis["inertia"] = axis["inertia"] + axis["mass"] * mass / total * (d @ d * np.eye(3) - np.outer(d, d))
        axis["com"] = _plain((axis["mass"] * np.array(axis["com"]) + mass * com) / total)
    axis["mass"], axis["inertia"] = total, axis["inertia"] + inertia


def _look_at(space: JointModel) -> None:
    """Whether it is a tree of rigid bodies whose coordinates are channels."""
    if space.space.loops.tile.size:
        names = ", ".join(repr(name) for name in space.topology.cut) or "a coupling of joints"
        raise ModelError(f"computed torque: the model has loops (cut at {names}), where efforts are not unique; take a tree, or efforts "
                         "of its drives as feed_forward")
    if space.modal or space.dynamics.system.lines:
        raise ModelError("computed torque: the model has flexible bodies, on whose modes no motor acts; give a rigid model of the arm, or "
                         "take the inverse (m.inverse) as feed_forward")
    for name in space.coordinates:
        if not name.endswith((".angle", ".displacement")):
            raise ModelError(f"computed torque: {name!r} is no angle or displacement of a joint; give a model with revolute, prismatic, "
                             "cylindrical and fixed joints")
