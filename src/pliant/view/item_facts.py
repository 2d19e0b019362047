"""What is told of an item when it is clicked: pairs of label and text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..items.base import Frame, Item
from ..items.bodies import RigidBody
from ..items.modal import ModalBody

HIDDEN = ("name", "frames", "shape", "reduced", "inertia")
UNITS = {
    "mass": "kg",
    "com": "m",
    "position": "m",
    "velocity": "m/s",
    "angular_velocity": "rad/s",
    "length": "m",
    "lead": "m",
    "radius": "m",
}
LONGEST = 120  # letters


def facts_of(item: Item) -> list[tuple[str, str]]:
    out = [("kind", item.kind.replace("_", " "))]
    if isinstance(item, (RigidBody, ModalBody)):
        out.append(("mass", f"{item.mass:.6g} kg"))
        moments = np.linalg.eigvalsh(item.inertia_matrix)
        out.append(("principal inertia", f"{', '.join(f'{x:.4g}' for x in moments)} kg m²"))
    if isinstance(item, ModalBody):
        out.append(("modal coordinates", str(item.reduced.n)))
        low = item.reduced.frequencies[:3]
        out.append(("first frequencies", f"{', '.join(f'{x:.4g}' for x in low)} Hz"))
    for field in type(item).model_fields:
        value = getattr(item, field)
        if field in HIDDEN or value is None or (field == "mass" and len(out) > 1) or value == type(item).model_fields[field].default:
            continue
        text = _shown(value)
        out.append((field.replace("_", " "), f"{text} {UNITS.get(field, '')}".strip()))
    return out


def _shown(value: Any) -> str:
    if isinstance(value, Frame):
        return str(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (tuple, list)):
        text = f"({', '.join(_shown(v) for v in value)})"
    else:
        text = "a Python function" if callable(value) else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
