"""What forces supply to the bodies they act on: power, from what they exert and how their frames move."""
from __future__ import annotations

from typing import Any

import numpy as np

from .declarations import Channel


def _power(observer: Any, name: str) -> np.ndarray:
    """f.(v_b - v_a - w_a x d) + m.(w_b - w_a): force f and moment m on b, and the opposite on a, d from a to b      [power-1]"""
    r, wrench = observer.record(name), observer.effort(name)
    w = observer.angular_velocity(r.a)
    v = observer.velocity(r.b) - observer.velocity(r.a) - np.cross(w, observer.position(r.b) - observer.position(r.a))
    return np.asarray(np.einsum("ni,ni->n", wrench[:, :3], v) + np.einsum("ni,ni->n", wrench[:, 3:], observer.angular_velocity(r.b) - w))


POWER = Channel("power", "W", 1, _power)  # of a force between two frames, whose parts balance each other


def load_channels(part: int) -> tuple[Channel, Channel]:
    """Of a force (``part`` 0) or torque (3) on frame a alone: itself, world axes, and what it supplies, f.v or m.w   [power-2]"""
    def vector(observer: Any, name: str) -> np.ndarray:
        return np.asarray(observer.effort(name, "a")[:, part:part + 3].copy())

    def power(observer: Any, name: str) -> np.ndarray:
        rate = observer.angular_velocity if part else observer.velocity
        return np.einsum("ni,ni->n", vector(observer, name), rate(observer.record(name).a))

    return Channel("torque" if part else "force", "N*m" if part else "N", 3, vector), Channel("power", "W", 1, power)
