"""What a flexible body can be coloured by, besides its displacement: fields that are linear in its modal coordinates, sent once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..flex.reduced import Reduced


class Field(NamedTuple):
    """``facts``: name, unit, kind ("tensor": six components xx yy zz xy yz xz; "scalar"), and what the page needs to know; ``modes``:
    (n, points, components) for the points of the skin."""

    facts: dict[str, Any]
    modes: np.ndarray


def fields_of(part: Reduced, points: np.ndarray) -> list[Field]:
    """Stresses, where the part has them (`part.stress`: points, S and elastic constants), taken at the nearest of its points."""
    recovery = getattr(part, "stress", None)
    if recovery is None or not len(points):
        return []
    from scipy.spatial import cKDTree

    near = cKDTree(recovery.points).query(points)[1]
    E, nu = (float(np.median(x)) for x in np.asarray(recovery.elastic, float)[:, :2].T)
    facts = {"name": "stress", "unit": "Pa", "kind": "tensor", "E": E, "nu": nu}
    return [Field(facts, np.ascontiguousarray(recovery.S[near].transpose(2, 0, 1)))]
