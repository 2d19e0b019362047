"""How fast a model moves: what errors of velocities are measured in, and what stiffness is compared with. docs/theory/explicit.md

A speed in sizes of the model per second: of centres of mass and modes, and of rotations as far as they move anything else: a body is
held at points, by joints and springs, and whose points are all on its axis of rotation is a wheel. Flexible bodies count with all of
their rotation, which their modes feel.                                                                                [ode-6]
"""
from __future__ import annotations

import numpy as np

from ..items.base import matrix_of
from ..kernels import evaluation
from ..kernels.contract import P
from .compiled_model import CompiledModel

FAR = 10.0  # a point of a flexible body in each direction, in PART size: at least as fast as the body turns
PART = 0.1  # of the model's size: who is held so far from its axis moves others as fast as it turns


def held_points(dynamics: CompiledModel) -> np.ndarray:
    """Where bodies are held: the place of their angular velocity in v, and r / (PART size), in body axes."""
    s, x, rows = dynamics.system, dynamics.memory(), []
    evaluation.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    places = {int(iv) // 6: (int(iv), int(iq)) for iv, iq in s.data.rotations}
    for frame in dynamics.held_frames():
        tiles, _, _, first = s.data.fr[frame]
        if tiles > 0 and int(first) in places:  # a place on a curve of the ground turns nothing
            iv, iq = places[int(first)]
            R = matrix_of(s.q0[iq:iq + 4].tolist())
            rows.append([iv, *(R.T @ (x.X[frame, P:P + 3] - s.q0[iq - 3:iq]) / (PART * dynamics.length))])
    for body in dynamics.directory.flexible:
        rows += [[int(s.data.rotations[s.bodies.index(body), 0]), *r] for r in FAR * np.eye(3)]
    return np.unique(np.array(rows).reshape(-1, 4), axis=0)


def common_speed(dynamics: CompiledModel, points: np.ndarray, rates: np.ndarray) -> float:
    """Of velocities of the bodies, or of accelerations in their place; `time_loop.speeds` has the same compiled."""
    spins = rates[points[:, 0].astype(int)[:, None] + np.arange(3)]
    with np.errstate(over="ignore", invalid="ignore"):  # where nothing resists a motion; the run tells
        swept = np.minimum(*(np.linalg.norm(part, axis=1) for part in (spins, np.cross(spins, points[:, 1:]))))
    s = dynamics.system
    linear = max(abs(rates[s.metres[:, 0]]).max(initial=0.0) / dynamics.length, abs(rates[s.slope_places[:, 0]]).max(initial=0.0))
    return max(float(linear), float(swept.max(initial=0.0)))
