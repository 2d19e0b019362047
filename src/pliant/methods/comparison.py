"""How much two runs differ."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kernels.state_row import parts

if TYPE_CHECKING:
    from ..solution import Solution


def difference(a: Solution, b: Solution) -> float:
    """Largest difference of two runs over common rows, per second of time: positions over the size of the model, velocities over
    the largest velocity."""
    d = b.dynamics
    assert d is not None
    s, w = d.system, d.weights()
    pa, pb = parts(a.rows, s.q0.size, s.n), parts(b.rows, s.q0.size, s.n)
    scale = np.maximum(1.0, pb["t"] - pb["t"][0])
    dq = (pa["q"] - pb["q"]).copy()
    for _, iq in s.data.rotations:  # quaternions: twice the vector part, sign-free
        qa, qb = pa["q"][:, iq:iq + 4], pb["q"][:, iq:iq + 4]
        dq[:, iq:iq + 4] = 2 * (qa - qb * np.sign((qa * qb).sum(1, keepdims=True)))
    for _, iq in s.data.linear:
        dq[:, iq] /= d.length
    dv = (pa["v"] - pb["v"]) * w
    slow = 1e-3 * max(np.sqrt(d.gravity / d.length), 1 / max(1e-300, float(pb["t"][-1] - pb["t"][0])))  # at rest only rounding moves
    speed = max(slow, float(abs(pb["v"] * w).max(initial=0.0)))
    return float(max((abs(dq).max(1) / scale).max(initial=0.0), (abs(dv).max(1) / scale).max(initial=0.0) / speed))
