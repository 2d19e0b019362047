"""Finite segments of a beam as items of a model: rigid bodies and bushings."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..flex.segments import Segments
from ..functions.field_error import FieldError
from ..functions.units import shown
from .base import IDENTITY, Frame, matrix_of
from .bodies import RigidBody
from .springs import Bushing

if TYPE_CHECKING:
    from ..model import Model


def add_segments(segments: Segments, model: Model, name: str, position: Any, rotation: Any, damping: float) -> dict[str, Frame]:
    """See `Segments.add`."""
    if isinstance(damping, bool) or not isinstance(damping, (int, float)) or not damping >= 0:
        raise FieldError("damping", f"{shown(damping)} must be a time [s] of at least 0")
    probe = RigidBody(name, 1.0, position=position, rotation=IDENTITY if rotation is None else rotation)
    R, at = matrix_of(probe.rotation), np.array(probe.position)
    frames = segments.frames()
    bodies = [model.add(RigidBody(f"{name}_{k}", segments.masses[k], segments.inertias[k], tuple(segments.coms[k]), tuple(at + R @ node),
                                  probe.rotation, frames=frames[k])) for k, node in enumerate(segments.nodes)]
    for k, (a, b) in enumerate(segments.pairs):
        model.add(Bushing(f"{name}_spring_{k + 1}", bodies[a][f"spring_{k + 1}"], bodies[b][f"spring_{k + 1}"],
                          stiffness=tuple(segments.stiffness[k]), damping=tuple(damping * segments.stiffness[k])))
    return {"start": bodies[0]["start"], "end": bodies[-1]["end"]}
