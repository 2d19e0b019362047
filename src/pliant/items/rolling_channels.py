"""Channels of what rolls: where it touches, with which forces, and how much friction that takes."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .declarations import Channel

Values = Callable[[Any, str], np.ndarray]


def multipliers(observer: Any, name: str) -> np.ndarray:
    """Of the rows of a joint, with the sign of forces on b."""
    return np.asarray(-observer.parts["lam"][:, observer.directory.joints[name].rows])


def knife_channels() -> Iterator[Channel]:
    yield Channel("side_force", "N", 1, lambda observer, name: multipliers(observer, name)[:, 0])


def disc_channels(radius: float) -> Iterator[Channel]:
    def point(observer: Any, name: str) -> np.ndarray:
        """The lowest point of the edge."""
        j = observer.directory.joints[name]
        n, a = observer.axes(j.a)[:, :, 2], observer.axes(j.b)[:, :, 2]
        m = n - a * np.einsum("ni,ni->n", a, n)[:, None]
        return np.asarray(observer.position(j.b) - radius * m / np.linalg.norm(m, axis=1)[:, None])
    yield from contact_channels(point, plane_axes)


def plane_axes(observer: Any, name: str) -> np.ndarray:
    """Two tangents and the normal of a plane, as columns."""
    return np.asarray(observer.axes(observer.directory.joints[name].a))


def sphere_channels(radius: float, globe: float) -> Iterator[Channel]:
    def globe_axes(observer: Any, name: str) -> np.ndarray:
        """As the rows have them: e_1 follows the direction that the history keeps."""
        j = observer.directory.joints[name]
        d = observer.position(j.b) - observer.position(j.a)
        n = np.sign(globe) * d / np.linalg.norm(d, axis=1)[:, None]
        s = np.einsum("nij,nj->ni", observer.axes(j.a), observer.parts["H"][:, j.tangent:j.tangent + 3])
        m = s - n * np.einsum("ni,ni->n", n, s)[:, None]
        first = m / np.linalg.norm(m, axis=1)[:, None]
        return np.stack([first, np.cross(n, first), n], axis=2)
    axes = globe_axes if globe else plane_axes

    def point(observer: Any, name: str) -> np.ndarray:
        return np.asarray(observer.position(observer.directory.joints[name].b) - radius * axes(observer, name)[:, :, 2])
    yield from contact_channels(point, axes)


def contact_channels(point: Values, axes: Values) -> Iterator[Channel]:
    """Of rows along the normal and two tangents, in this order."""
    def friction(observer: Any, name: str) -> np.ndarray:
        return np.einsum("nij,nj->ni", axes(observer, name)[:, :, :2], multipliers(observer, name)[:, 1:3])

    def used(observer: Any, name: str) -> np.ndarray:
        forces = multipliers(observer, name)
        return _ratio(np.linalg.norm(forces[:, 1:3], axis=1), forces[:, 0])
    yield Channel("contact_point", "m", 3, point)
    yield Channel("normal_force", "N", 1, lambda observer, name: multipliers(observer, name)[:, 0])
    yield Channel("friction_force", "N", 3, friction)
    yield Channel("friction_ratio", "", 1, used)


def _ratio(friction: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """The coefficient of friction that is needed; infinite where the plane would have to pull."""
    return np.where(normal > 0, friction / np.where(normal > 0, normal, 1.0), np.where(friction > 0, np.inf, 0.0))


def wheelset_channels(gauge: float) -> Iterator[Channel]:
    """Of rows: height, level, lateral, and along on the side of y and on the other one."""
    def side(observer: Any, name: str) -> np.ndarray:
        j = observer.directory.joints[name]
        d = observer.position(j.b) - observer.position(j.a)
        return np.einsum("ni,ni->n", observer.axes(j.a)[:, :, 1], d)

    def yaw(observer: Any, name: str) -> np.ndarray:
        j = observer.directory.joints[name]
        A, axle = observer.axes(j.a), observer.axes(j.b)[:, :, 2]
        return np.arctan2(-np.einsum("ni,ni->n", A[:, :, 0], axle), np.einsum("ni,ni->n", A[:, :, 1], axle))

    def normal(sign: float) -> Values:
        """F / 2 and what keeps the axle level: (h - y) N_left - (h + y) N_right = the moment of that row."""
        def force(observer: Any, name: str) -> np.ndarray:
            f = multipliers(observer, name)
            return np.asarray(f[:, 0] / 2 + sign * (f[:, 1] + side(observer, name) * f[:, 0]) / gauge)
        return force

    def along(row: int) -> Values:
        return lambda observer, name: multipliers(observer, name)[:, row]
    yield Channel("lateral", "m", 1, side)
    yield Channel("yaw", "rad", 1, yaw)
    yield Channel("lateral_force", "N", 1, along(2))
    for word, sign, row in (("left", 1.0, 3), ("right", -1.0, 4)):
        yield Channel(f"{word}_normal_force", "N", 1, normal(sign))
        yield Channel(f"{word}_traction", "N", 1, along(row))
