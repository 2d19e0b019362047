"""What is told of an item when it is clicked: pairs of label and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..functions.table import Table
from ..items.base import Frame, Item, Strict, unit_of
from ..items.beams import Beam
from ..items.bodies import RigidBody
from ..items.modal import ModalBody
from ..items.springs import Bushing

HIDDEN = ("name", "frames", "shape", "reduced", "inertia")
LABELS = {"com": "centre of mass", "a": "from", "b": "to"}
AT_START = ("position", "rotation", "velocity", "angular_velocity")  # of bodies: the page shows where they are now
RAYLEIGH = {"mass": "1/s", "stiffness": "s"}
SIX = {"stiffness": ("N/m", "N*m/rad"), "damping": ("N*s/m", "N*m*s/rad")}
FUNCTIONS = ("function", "speed", "acceleration", "vector", "torque", "force")  # in the unit of their numbers
LONGEST = 160  # letters
LISTED = 3     # numbers or points; of longer lists the number is told


def facts_of(item: Item) -> list[tuple[str, str]]:
    out = [("kind", item.kind.replace("_", " "))]
    body = isinstance(item, (RigidBody, ModalBody, Beam))
    if isinstance(item, (RigidBody, ModalBody, Beam)):
        out.append(("mass", with_unit(f"{item.mass:.6g}", "kg")))
        moments = np.linalg.eigvalsh(item.inertia_matrix)
        out.append(("principal inertia", with_unit(", ".join(f"{x:.4g}" for x in moments), "kg*m^2")))
    if isinstance(item, ModalBody):
        out.append(("modal coordinates", str(item.reduced.n)))
        out.append(("first frequencies", with_unit(", ".join(f"{x:.4g}" for x in item.reduced.frequencies[:3]), "Hz")))
    units = item.units()
    for field, described in type(item).model_fields.items():
        value = getattr(item, field)
        if field in HIDDEN or value is None or (field == "mass" and len(out) > 1) or value == described.default:
            continue
        label = f"{field.replace('_', ' ')} at the start" if body and field in AT_START else LABELS.get(field, field.replace("_", " "))
        out.append((label, _told(item, field, value, units.get(field, ""))))
    return out


def _told(item: Item, field: str, value: Any, unit: str) -> str:
    """A value as people read it."""
    if isinstance(item, Bushing) and field in SIX:
        matrix, (slides, turns) = item.matrix(field), SIX[field]
        first, last = (", ".join(f"{x:.6g}" for x in part) for part in (matrix.diagonal()[:3], matrix.diagonal()[3:]))
        coupled = ", with coupling" if np.count_nonzero(matrix - np.diag(matrix.diagonal())) else ""
        return f"{with_unit(first, slides)}; {with_unit(last, turns)}{coupled}"
    if isinstance(value, Mapping):
        units = RAYLEIGH if isinstance(item, ModalBody) and field == "damping" else {}
        return ", ".join(f"{key} {with_unit(shown(entry), units.get(key, ''))}" for key, entry in value.items())
    text = shown(value)
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    if _numeric(value):
        return with_unit(text, unit)
    return f"{text} [{unit_shown(unit)}]" if unit and field in FUNCTIONS else text  # a law of a spring gives its force, no stiffness


def _numeric(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_numeric(v) for v in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def with_unit(text: str, unit: str) -> str:
    return f"{text} {unit_shown(unit)}" if unit else text


def unit_shown(unit: str) -> str:
    return unit.replace("*", " ").replace("^2", "²").replace("^3", "³")


def shown(value: Any, digits: int = 6) -> str:
    """A number, a name, a function, or a list of them."""
    if value is None:
        return "as modelled"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{value:.{digits}g}"
    if isinstance(value, (tuple, list)):
        return ", ".join(f"({shown(v)})" if isinstance(v, (tuple, list)) else shown(v) for v in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {shown(entry)}" for key, entry in value.items())
    if isinstance(value, Table):
        return f"{value.kind} table of {len(value.x)} points, {value.x[0]:.4g} to {value.x[-1]:.4g}"
    if isinstance(value, Strict) and not isinstance(value, Frame):
        return parts_of(value)
    return "a Python function" if callable(value) and not isinstance(value, Frame) else str(value)


def parts_of(value: Strict) -> str:
    """What is given of a surface, a curve or an element of a circuit, its kind first; long lists are counted."""
    fields, told = type(value).model_fields, []
    for name in value.model_dump(exclude_defaults=True, exclude={"kind"}):
        x, word = getattr(value, name), name.replace("_", " ")
        long = isinstance(x, (tuple, list)) and len(x) > LISTED
        told.append(f"{len(x)} {word}" if long else f"{word} {with_unit(shown(x), unit_of(fields[name]))}")
    return ", ".join([str(value.kind).replace("_", " "), *told] if "kind" in fields else told)  # type: ignore[attr-defined]
