"""Rigid limits of coordinates: an equation that is on while the limit is touched. docs/theory/rigid_contact.md"""
from __future__ import annotations

from typing import TYPE_CHECKING

from .declarations import IMPACTS, VALUES, RigidPoint, Told

if TYPE_CHECKING:
    from ..compile.model_compiler import ModelCompiler
    from .stops import Stop


def add_rigid_limit(layout: ModelCompiler, item: str, stop: Stop, side: str, factor: float, offset: float) -> None:
    """factor c - offset >= 0 for the coordinate of a stop, by an equation that is on while it is touched."""
    from ..families.rigid_stops import NUMBERS, PLACES, RIGID_STOP
    b, c = layout.builder, layout.coordinate(stop.joint, stop.coordinate, item)
    equations = b.equations(f"{stop.name}.{side}", c.frames)
    row, phase, seen = equations.take(), b.history(PLACES), b.own
    b.pair(RIGID_STOP, stop.name, *c.frames, (*c.place, phase, b.choice(), b.memory(NUMBERS)), (c.zero, factor, offset), joint=equations,
           row=row)
    b.told += [Told(stop.name, (f"hits {side}",), IMPACTS), Told(stop.name, (f"leaves {side}", f"rests on {side}"), VALUES)]
    b.rigid.append(RigidPoint(stop.name, (row,), seen, phase, stop.restitution, impacts=len(b.told) - 2, changes=len(b.told) - 1,
                              angle=stop.coordinate == "angle"))


def add_rigid_point(layout: ModelCompiler, name: str, kernel: str, frames: tuple[int, int], sizes: tuple[float, ...], restitution: float,
                    tangential: float, friction: float, static: float, how: int = 0) -> None:
    """A point of a rigid contact, of a pair of surfaces by the name of its kernel."""
    from ..families.rigid_contacts import CHOICES, NUMBERS, PLACES, rigid_contacts
    b = layout.builder
    number = sum(p.item == name for p in b.rigid)
    equations = b.equations(f"{name}.{number}", frames)
    row, phase, seen = equations.take(3), b.history(PLACES), b.own
    choice = b.choice(CHOICES)
    b.velocity_rows += [row + 1, row + 2]
    b.pair(rigid_contacts(kernel), name, *frames, (b.pool(sizes), phase, choice, b.memory(NUMBERS)), (friction, static), joint=equations,
           row=row, velocity=True)
    b.told += [Told(name, ("impact",), IMPACTS), Told(name, ("leaves", "touches", "sticks", "slides", "jams"), VALUES)]
    b.rigid.append(RigidPoint(name, (row, row + 1, row + 2), seen, phase, restitution, tangential, friction, static, how,
                              len(b.told) - 2, len(b.told) - 1))
