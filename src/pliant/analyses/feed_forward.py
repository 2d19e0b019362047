"""Efforts of drives along a reference, as tables."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.table import Table
from ..functions.units import must
from ..items.base import did_you_mean
from ..items.errors import ModelError
from .motions import motion

if TYPE_CHECKING:
    from .joint_space import JointModel


def feed_forward(space: JointModel, reference: Mapping[str, Any], duration: Any, points: Any) -> dict[str, Table]:
    """tau(t) = inverse dynamics at c(t), c'(t), c''(t); a coordinate of the tree is sign (c - zero)."""
    if not isinstance(duration, (int, float)) or isinstance(duration, bool) or not 0 < duration < np.inf:
        raise ModelError(f"feed forward: duration {must(duration, 'must be a number of seconds greater than zero')}")
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 4:
        raise ModelError(f"feed forward: points {must(points, 'must be a whole number, at least 4')}")
    if space.modal:
        raise ModelError("feed forward: the model has flexible bodies, on whose modes no drive acts; use the inverse of a linear model "
                         "(m.linearize(...).inverse), or a rigid model of the arm")
    for name in reference:
        if name not in space.coordinates:
            raise ModelError(f"feed forward: there is no coordinate {name!r}{did_you_mean(str(name), space.coordinates)}")
    if missing := [name for name in space.coordinates if name not in reference]:
        raise ModelError(f"feed forward: the coordinate {missing[0]!r} has no reference; inverse dynamics needs the motion of all: "
                         f"{', '.join(space.coordinates)}")
    t = np.linspace(0.0, float(duration), int(points))
    sign, zero = space.space.tree.scale.T
    c = np.array([motion(reference[name], t, (0, 1, 2), f"feed forward: the reference of {name!r}") for name in space.coordinates])
    q, u, a = sign[:, None] * (c[:, 0] - zero[:, None]), sign[:, None] * c[:, 1], sign[:, None] * c[:, 2]
    efforts = np.array([sign * space.inverse_dynamics(q[:, k], u[:, k], a[:, k], float(t[k])) for k in range(len(t))])
    return {name: Table(t, efforts[:, k]) for k, name in enumerate(space.coordinates)}
