"""The inertia that the two bodies of a joint have along its coordinate, by themselves: stiffnesses left out are made of it."""
from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .base import Frame

TOUCH = 1e-3  # s: half a period of the two bodies on a spring that is left out


def reduced_inertia(layout: ModelCompiler, joint: Any, coordinate: str, item: str) -> float:
    """1 / (1/I_a + 1/I_b): masses along the axis of the joint, moments of inertia about it; infinite on the ground and where others are
    not known."""
    point, R = layout.world(joint.a, item)
    axis = (R @ joint.joint_axes())[:, 2] if hasattr(joint, "joint_axes") else R[:, 2]
    yielding = sum(1 / own for frame in (joint.a, joint.b) if (own := _inertia(layout, frame, point, axis, coordinate)) > 0)
    return 1 / yielding if yielding > 0 else 0.0


def _inertia(layout: ModelCompiler, frame: Frame, point: np.ndarray, axis: np.ndarray, coordinate: str) -> float:
    body = layout.owners[frame.body]
    mass: float = getattr(body, "mass", np.inf)
    if coordinate == "displacement" or mass == np.inf:
        return mass
    p, R = layout.poses[frame.body]
    arm = p + R @ np.array(getattr(body, "com", getattr(body, "center", (0.0, 0.0, 0.0)))) - point
    own = R @ np.asarray(getattr(body, "inertia_matrix", np.zeros((3, 3)))) @ R.T
    return float(axis @ own @ axis + mass * (arm @ arm - (axis @ arm) ** 2))


def usual_stiffness(layout: ModelCompiler, joint: Any, coordinate: str, item: str) -> float:
    """I (pi / T)^2: the two bodies alone touch for T = 1 ms. ValueError where they have no inertia."""
    inertia = reduced_inertia(layout, joint, coordinate, item)
    if not 0 < inertia < np.inf:
        raise ValueError(f"{item}: stiffness: is missing; the bodies of joint {joint.name!r} have no inertia along its {coordinate} to "
                         "make it of, so give it")
    return inertia * (pi / TOUCH) ** 2
