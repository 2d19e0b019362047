"""Channels of joints: their coordinates and rates, and what they exert."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .declarations import Channel

UNITS = {"angle": "rad", "displacement": "m"}


def joint_channels(coordinates: tuple[str, ...], held: tuple[str, ...] = ()) -> Iterator[Channel]:
    """Of a joint with these coordinates, some of them held."""
    for c in coordinates:
        value, rate = {"angle": (_angle, _angle_rate), "displacement": (_displacement, _displacement_rate)}[c]
        yield Channel(c, UNITS[c], 1, value)
        yield Channel(f"{c}_rate", f"{UNITS[c]}/s", 1, rate)
    if coordinates:
        yield Channel("power", "W", 1, _power)
    for c in held:
        yield Channel(f"{c}_effort", "N*m" if c == "angle" else "N", 1, _HOLDING[c])
    yield Channel("force", "N", 3, lambda observer, name: observer.reaction(name)[:, :3].copy())
    yield Channel("torque", "N*m", 3, lambda observer, name: observer.reaction(name)[:, 3:].copy())
    yield Channel("force_joint", "N", 3, lambda observer, name: _in_joint(observer, name, slice(0, 3)))
    yield Channel("torque_joint", "N*m", 3, lambda observer, name: _in_joint(observer, name, slice(3, 6)))


def _power(observer: Any, name: str) -> np.ndarray:
    """What acts along its coordinates supplies: drives, springs and couplings. The reaction supplies nothing.          [power-3]"""
    total = np.zeros(len(observer.rows))
    for item, use in observer.directory.across.get(name, ()):
        if hasattr(item, "power_on"):  # of several coordinates
            total += item.power_on(observer, use)
        elif f"{item.name}.power" in observer.catalogue:
            total += observer(f"{item.name}.power")
    return total
def held_by(joint: str, coordinate: str) -> str:
    """The name under which the equation of a held coordinate is found among those of drives."""
    return f"{joint}.{coordinate}"


def _holding(coordinate: str) -> Callable[[Any, str], np.ndarray]:
    """The torque or force on b with which a coordinate is held."""
    def effort(observer: Any, name: str) -> np.ndarray:
        row, factor, *_ = observer.directory.drives[held_by(name, coordinate)]
        return np.asarray(-factor * observer.parts["lam"][:, row])
    return effort


_HOLDING = {c: _holding(c) for c in UNITS}


def _in_joint(observer: Any, name: str, part: slice) -> np.ndarray:
    """In the axes of the joint on a."""
    j = observer.directory.joints[name]
    return np.einsum("nij,kj,ni->nk", observer.axes(j.a), j.turn, observer.reaction(name)[:, part])


def _displacement(observer: Any, name: str) -> np.ndarray:
    j = observer.directory.joints[name]
    a, b = j.ends("displacement")
    d = observer.position(b) - observer.position(a)
    return np.einsum("ni,ni->n", observer.axes(a)[:, :, 2], d) + j.zeros["displacement"]


def _displacement_rate(observer: Any, name: str) -> np.ndarray:
    a, b = observer.directory.joints[name].ends("displacement")
    d, w = observer.position(b) - observer.position(a), observer.angular_velocity(a)
    v = observer.velocity(b) - observer.velocity(a) - np.cross(w, d)
    return np.einsum("ni,ni->n", observer.axes(a)[:, :, 2], v)


def _turned(observer: Any, a: int, b: int) -> tuple[np.ndarray, ...]:
    """Axes x and y of a, x of b, and its cosine and sine against them."""
    Ra, u = observer.axes(a), observer.axes(b)[:, :, 0]
    x, y = Ra[:, :, 0], Ra[:, :, 1]
    return x, y, u, np.einsum("ni,ni->n", x, u), np.einsum("ni,ni->n", y, u)


def _angle(observer: Any, name: str) -> np.ndarray:
    j = observer.directory.joints[name]
    *_, cos, sin = _turned(observer, *j.ends("angle"))
    angle = np.arctan2(sin, cos) + j.zeros["angle"]
    near = observer.parts["H"][:, j.histories["angle"]]
    return np.asarray(angle + 2 * np.pi * np.round((near - angle) / (2 * np.pi)))


def _angle_rate(observer: Any, name: str) -> np.ndarray:
    a, b = observer.directory.joints[name].ends("angle")
    x, y, u, cos, sin = _turned(observer, a, b)
    G = np.cross(cos[:, None] * y - sin[:, None] * x, u) / (cos**2 + sin**2)[:, None]  # see coordinate-2
    return np.einsum("ni,ni->n", G, observer.angular_velocity(a) - observer.angular_velocity(b))
