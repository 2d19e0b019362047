"""One impact of two bodies by themselves, as the law of a contact makes it: how long, how deep, and what it gives back.

    m x'' = -F(x, x'),  x = 0,  x' = v  until x = 0 again, or until F would pull; m = 1 / (1/m_A + 1/m_B)          [diagnosis-8]
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..functions.evaluation import values
from ..functions.expression import Variable, bottom_up
from ..functions.parser import Names, parse
from ..functions.table import Table
from ..items.contact_damping import deepest, restitution_of

if TYPE_CHECKING:
    from ..items.contacts import Contact

Law = Callable[[float, float], float]
FINDS, TIRES = 1e-9, 20000  # relative error of an impact by steps, and their largest number
LONGEST = 100.0  # s


class Impact(NamedTuple):
    """``gives``: part of the speed that comes back, nan if nothing does within LONGEST."""
    speed: float
    lasts: float
    depth: float
    gives: float


def impact_of(contact: Contact, mass: float, speed: float, names: Names) -> Impact | None:
    """Of a compliant contact; None where its law cannot be computed here."""
    if contact.force is None and contact.law not in ("linear", "impact"):
        (k, p), x = contact.spring(), contact.damping_factor()
        a = x * speed / max(speed, contact.slow)
        depth = deepest(k, p, a, mass, speed)
        return Impact(speed, 3 * (mass / (k * speed ** (p - 1))) ** (1 / (p + 1)), depth, restitution_of(a))
    law = law_of(contact, names)
    return None if law is None else by_steps(law, mass, speed)


def law_of(contact: Contact, names: Names) -> Law | None:
    """F(x, v) of a linear law, of an impact function, or of an expression; None of a Python function."""
    if contact.force is not None:
        return _written(contact.force, names)
    (k, p), c, ramp = contact.spring(), contact.damping or 0.0, contact.ramp

    def push(x: float, v: float) -> float:
        u = min(max(x / ramp, 0.0), 1.0) if ramp else 1.0
        return float(k * max(x, 0.0) ** p + c * v * u * u * (3 - 2 * u))
    return push


def _written(force: Any, names: Names) -> Law | None:
    """A law of the user; none that changes with time."""
    if callable(force) or isinstance(force, Table):
        return None
    tree = parse(force if isinstance(force, str) else repr(float(force)), ("t", "x", "v"), names)
    if Variable("t") in bottom_up(tree):
        return None

    def none(reference: str) -> np.ndarray:
        return np.full(1, np.nan)
    return lambda x, v: float(values(tree, {"t": np.zeros(1), "x": np.array([x]), "v": np.array([v])}, none)[0])


def by_steps(law: Law, mass: float, speed: float) -> Impact:
    """By Heun's steps with those of Bogacki and Shampine, order 3, whose error chooses them."""
    def rate(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -max(law(y[0], y[1]), 0.0) / mass if y[0] >= 0 else 0.0])
    with np.errstate(all="ignore"):  # a law that is infinite somewhere
        return _steps(rate, law, speed)


def _steps(rate: Callable[[np.ndarray], np.ndarray], law: Law, speed: float) -> Impact:
    y, t, depth, h = np.array([0.0, speed]), 0.0, 0.0, 1e-9
    for _ in range(TIRES):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + 3 * h / 4 * k2)
        new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        error = h * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - rate(new) / 8)
        off = float(max(abs(error[0]) / max(depth, h * speed), abs(error[1]) / speed)) / FINDS
        if not np.isfinite(off):
            return Impact(speed, np.nan, np.nan, np.nan)
        if off <= 1:
            t, y, before = t + h, new, y
            depth = max(depth, float(y[0]))
            if y[0] <= 0 or (y[1] < 0 and law(y[0], y[1]) <= 0):  # it parts, perhaps before the depth is back at zero
                a, b = (before[0], y[0]) if y[0] <= 0 else (law(before[0], before[1]), law(y[0], y[1]))
                part = float(a / (a - b)) if a > b else 1.0
                return Impact(speed, t - (1 - part) * h, depth, -float(before[1] + part * (y[1] - before[1])) / speed)
            if t > LONGEST:
                break
        h *= min(5.0, max(0.2, 0.9 * max(off, 1e-12) ** (-1 / 3)))
    return Impact(speed, np.nan, depth, np.nan)
