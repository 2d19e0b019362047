"""Rigid limits of coordinates: an equation that is on while the limit is touched. docs/theory/rigid_contact.md"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..functions.field_error import FieldError
from .declarations import IMPACTS, WORDS, RigidPoint, Told

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .contacts import Contact
    from .stops import Stop


def add_rigid_limit(layout: ModelCompiler, item: str, stop: Stop, side: str, factor: float, offset: float) -> None:
    """factor c - offset >= 0 for the coordinate of a stop, by an equation that is on while it is touched."""
    from ..families.rigid_stops import NUMBERS, PLACES, RIGID_STOP
    b, c = layout.builder, layout.coordinate(stop.joint, stop.coordinate, item)
    equations = b.equations(f"{stop.name}.{side}", c.frames)
    row, phase, seen = equations.take(), b.history(PLACES), b.own
    b.pair(RIGID_STOP, stop.name, *c.frames, (*c.place, phase, b.choices(1), b.memory(NUMBERS)), (c.zero, factor, offset), joint=equations,
           row=row)
    b.told += [Told(stop.name, (f"hits {side}",), IMPACTS), Told(stop.name, (f"leaves {side}", f"rests on {side}"), WORDS)]
    b.rigid.append(RigidPoint(stop.name, (row,), seen, phase, stop.restitution, impacts=len(b.told) - 2, changes=len(b.told) - 1,
                              angle=stop.coordinate == "angle", joint=stop.joint, coordinate=stop.coordinate))


def add_rigid_point(layout: ModelCompiler, name: str, kernel: str, frames: tuple[int, int], sizes: tuple[float, ...], restitution: float,
                    tangential: float, friction: float, static: float, how: int = 0) -> int:
    """A point of a rigid contact, of a pair of surfaces by the name of its kernel; its number in the family."""
    from ..families.rigid_contacts import CHOICES, NUMBERS, PLACES, rigid_contacts
    b = layout.builder
    number = sum(p.item == name for p in b.rigid)
    equations = b.equations(f"{name}.{number}", frames)
    row, phase, seen = equations.take(3), b.history(PLACES), b.own
    choice = b.choices(CHOICES)
    b.velocity_rows += [row + 1, row + 2]
    ints = b.pool(sizes), phase, choice, b.memory(NUMBERS)
    element = b.pair(rigid_contacts(kernel), name, *frames, ints, (friction, static), joint=equations, row=row, velocity=True)
    b.told += [Told(name, ("impact",), IMPACTS), Told(name, ("leaves", "touches", "sticks", "slides", "jams"), WORDS)]
    b.rigid.append(RigidPoint(name, (row, row + 1, row + 2), seen, phase, restitution, tangential, friction, static, how,
                              len(b.told) - 2, len(b.told) - 1))
    return element


RIGID = "rigid"  # as a law
HOW = {"simultaneous": 0, "sequential": 1, "poisson": 2}  # numbers of `kernels.impacts`


def add_rigid_contact(layout: ModelCompiler, contact: Contact, frames: Sequence[int], parts: Sequence[Any]) -> None:
    """All points of a contact."""
    from ..families.rigid_contacts import rigid_contacts
    e = 0.0 if contact.restitution is None else contact.restitution
    for part in parts:
        fa, fb = frames[::-1] if part.swapped else frames
        row = add_rigid_point(layout, contact.name, part.kernel, (fa, fb), part.sizes, e, contact.tangential_restitution or 0.0,
                              contact.friction, contact.friction if contact.static is None else contact.static, HOW[contact.impacts])
        layout.directory.contacts.setdefault(contact.name, []).append((rigid_contacts(part.kernel), row, part.swapped))


def wrong_for_rigid(contact: Contact) -> None:
    """What a rigid contact does not have."""
    kept = {"name", "a", "b", "surface_a", "surface_b", "law", "restitution", "friction", "static", "tangential_restitution", "impacts"}
    if other := sorted(f for f in contact.model_fields_set - kept if getattr(contact, f) is not None):
        raise FieldError(other[0], 'is of a compliant contact; leave it out, or law="rigid"')
    for field in ("restitution", "tangential_restitution"):
        if (e := getattr(contact, field)) is not None and not 0 <= e <= 1:
            raise FieldError(field, f"{e:g} must be from 0 to 1")
