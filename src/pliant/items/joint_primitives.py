"""The equations that joints are made of."""
from __future__ import annotations

from typing import Any

from ..functions.units import quantity, shown

# A primitive is a tuple: its kind and the axes (0 x, 1 y, 2 z) of the joint frames on a and b.
COINCIDENT = ("coincident",)                                # p_a = p_b: three equations, C^s
LOCK = (("d1", 0, 1), ("d1", 1, 2), ("d1", 2, 0))           # all axes parallel
PARALLEL_Z = (("d1", 0, 2), ("d1", 1, 2))                   # z axes parallel
ON_Z = (("d2", 0), ("d2", 1))                               # b's point on the z axis of a
LETTERS = {"x": 0, "y": 1, "z": 2}


def primitive_of(p: Any) -> tuple[Any, ...]:
    """As it is written in a list of primitives."""
    words = tuple(p) if isinstance(p, (list, tuple)) else (p,)
    match words:
        case ("coincident",):
            return COINCIDENT
        case ("d1", str(i), str(j)) if i in LETTERS and j in LETTERS:
            return "d1", LETTERS[i], LETTERS[j]
        case ("d2", str(i)) if i in LETTERS:
            return "d2", LETTERS[i]
        case ("distance", length):
            return "distance", quantity(length, "m")
    raise ValueError(f"{shown(p)} is not known; there are coincident, [d1, axis of a, axis of b], [d2, axis of a] and [distance, length], "
                     "with axes x, y, z of the joint frame")
