"""What a contact tells of itself, over its points."""
from __future__ import annotations

from typing import Any

import numpy as np

from .declarations import Channel

# numbers of a point, as `families.contacts` reports them
GAP, FORCE, RUBBING, SLIP, PLACE, NORMAL, LOST = 0, 1, slice(2, 5), slice(5, 8), slice(8, 11), slice(11, 14), 16
MEETING, TOUCHES = 14, 17
SLIPS = 1e-4  # m/s, or this part of the largest slip of the run: below that a contact sticks


def _sides(observer: Any, name: str) -> np.ndarray:
    """1 where a point has the frames in their order, -1 where they are exchanged."""
    return np.array([-1.0 if exchanged else 1.0 for *_, exchanged in observer.directory.contacts[name]])


def _nearest(observer: Any, name: str) -> np.ndarray:
    """The point that is deepest, over time."""
    x = observer.contact(name)
    return np.asarray(x[np.arange(len(x)), np.argmin(x[:, :, GAP], axis=1)])


def _gap(observer: Any, name: str) -> np.ndarray:
    return np.asarray(observer.contact(name)[:, :, GAP].min(axis=1))


def _normal_force(observer: Any, name: str) -> np.ndarray:
    return np.asarray(observer.contact(name)[:, :, FORCE].sum(axis=1))


def _friction_force(observer: Any, name: str) -> np.ndarray:
    return np.einsum("npi,p->ni", observer.contact(name)[:, :, RUBBING], _sides(observer, name))


def _force(observer: Any, name: str) -> np.ndarray:
    """On body b, world axes."""
    x = observer.contact(name)
    return np.einsum("np,npi,p->ni", x[:, :, FORCE], x[:, :, NORMAL], _sides(observer, name)) + _friction_force(observer, name)


def _slip(observer: Any, name: str) -> np.ndarray:
    """Of b against a at the deepest point, world axes; zero while they do not touch."""
    x, side = observer.contact(name), _sides(observer, name)
    deepest = np.argmin(x[:, :, GAP], axis=1)
    here = x[np.arange(len(x)), deepest]
    return np.asarray(here[:, SLIP] * (here[:, TOUCHES] * side[deepest])[:, None])


def _slip_speed(observer: Any, name: str) -> np.ndarray:
    return np.linalg.norm(_slip(observer, name), axis=1)


def _state(observer: Any, name: str) -> np.ndarray:
    """0: open, 1: sticks, 2: slips."""
    touches, speed = (observer.contact(name)[:, :, TOUCHES] > 0).any(axis=1), _slip_speed(observer, name)
    return np.where(touches, np.where(speed > SLIPS, 2.0, 1.0), 0.0)


def _point(observer: Any, name: str) -> np.ndarray:
    return _nearest(observer, name)[:, PLACE].copy()


def _center(observer: Any, name: str) -> np.ndarray:
    """Where the sum of the normal forces acts, sum F p / sum F; the deepest point while nothing pushes."""
    x = observer.contact(name)
    pushes = np.maximum(x[:, :, FORCE], 0.0)
    total = pushes.sum(axis=1)[:, None]
    acts = total > 0
    return np.where(acts, np.einsum("np,npi->ni", pushes, x[:, :, PLACE]) / np.where(acts, total, 1.0), _point(observer, name))


def _power_lost(observer: Any, name: str) -> np.ndarray:
    return np.asarray(observer.contact(name)[:, :, LOST].sum(axis=1))


CHANNELS = (Channel("gap", "m", 1, _gap), Channel("normal_force", "N", 1, _normal_force), Channel("force", "N", 3, _force),
            Channel("friction_force", "N", 3, _friction_force), Channel("slip", "m/s", 3, _slip),
            Channel("slip_speed", "m/s", 1, _slip_speed), Channel("state", "", 1, _state), Channel("point", "m", 3, _point),
            Channel("center", "m", 3, _center), Channel("power_lost", "W", 1, _power_lost))
