"""Lines of flexible bodies that are touched: what a contact with one must be, and its rows. docs/theory/sliding.md"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.field_error import FieldError
from .base import Frame
from .declarations import Channel
from .rigid_limits import RIGID

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .contacts import Contact

TUBE = "tube"


def is_line(frame: Frame, bodies: Mapping[str, Any]) -> bool:
    return frame.frame is not None and frame.frame in getattr(getattr(bodies.get(frame.body), "reduced", None), "lines", {})


def check_lines(contact: Contact, bodies: Mapping[str, Any]) -> None:
    """A line has a tube and a tube has a line, which is all that is said of it."""
    for frame, field in ((contact.a, "surface_a"), (contact.b, "surface_b")):
        surface, line = getattr(contact, field), is_line(frame, bodies)
        if frame.frame is not None and frame.frame not in getattr(bodies[frame.body], "frames", ()):
            return  # building it says so
        if line and surface is None:
            raise FieldError(field, f"is missing; {str(frame)!r} is a line of a flexible body: write its thickness, Surface.tube(radius), "
                             "in a text {kind: tube, radius: 20 mm}, or name one of its nodes")
        if line and surface.kind != TUBE:
            raise FieldError(field, f"{str(frame)!r} is a line of a flexible body; must be a tube about it, Surface.tube(radius), in a "
                             "text {kind: tube, radius: 20 mm}; other surfaces are at nodes")
        if surface is not None and surface.kind == TUBE and not line:
            raise FieldError(field, f"a tube is about a line of a flexible body, such as boom.rail; {str(frame)!r} is none. Name a line "
                             "when the part is reduced, lines={...}, or take a capsule or a cylinder")
        if line and (frame.point is not None or frame.rotation is not None):
            raise FieldError(field.removeprefix("surface_"), f"{str(frame)!r} is a line; a point or a rotation of it has no meaning, leave "
                             "it out")


def check_law_of_lines(contact: Contact) -> None:
    if contact.law == RIGID and contact._on_line:
        raise FieldError("law", "a line of a flexible body has compliant contacts only; give a stiffness in place of rigid, or take "
                         "contacts at its nodes, which may be rigid")


def add_foot(layout: ModelCompiler, contact: Contact, frames: Sequence[int], ints: Sequence[int], reals: Sequence[float],
             tiles: Sequence[int]) -> None:
    """The rows of the foot, the second of two frames, and of what the tangent has by it. ``ints``, ``reals`` and ``tiles``: of the
    contact."""
    from ..families import contacts, feet, foot_changes
    b, frame = layout.builder, next(f for f, side in zip((contact.a, contact.b), contact._sides, strict=True) if side.surface.kind == TUBE)
    rows, _ = layout.flexible[frame.body]
    number = rows.add_foot(b, layout.places[frame.body], contact.name, frame.frame, (frames[1], frames[0]),
                           ints[int(contacts.MEMORY) - 1] + int(contacts.MET))
    layout.directory.feet[contact.name] = number
    foot, room = b.row_of(feet.FRAMES, number), b.memory(foot_changes.room(len(tiles) - 1))
    b.element(foot_changes.CHANGES, contact.name, (*ints, foot, room), reals, tiles=tiles)


def _place(observer: Any, name: str) -> np.ndarray:
    return np.asarray(observer.foot(name))


PLACE = Channel("place", "m", 1, _place)
