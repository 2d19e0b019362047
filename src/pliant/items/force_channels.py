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
    """Of a force (``part`` 0) or torque (3) on frame a, with its opposite on the body of b or not: itself, world axes, and its power
    f.(v_a - v_b - w_b x r) or m.(w_a - w_b), r from b to a                                                        [power-2]"""
    def vector(observer: Any, name: str) -> np.ndarray:
        return np.asarray(observer.effort(name, "a")[:, part:part + 3].copy())

    def power(observer: Any, name: str) -> np.ndarray:
        r, rate = observer.record(name), observer.angular_velocity if part else observer.velocity
        v = rate(r.a) - rate(r.b)
        if not part:
            v = v - np.cross(observer.angular_velocity(r.b), observer.position(r.a) - observer.position(r.b))
        return np.einsum("ni,ni->n", vector(observer, name), v)

    return Channel("torque" if part else "force", "N*m" if part else "N", 3, vector), Channel("power", "W", 1, power)
