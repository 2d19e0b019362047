"""What is connected to what: bodies that nothing holds, couplings without a carrier, frames that nobody uses, plane models."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..items.base import Frame, Item, Pair
from ..items.bodies import RigidBody
from ..items.couplings import JointPair
from ..items.forces import Load, Measure
from ..report.finding import NOTE, WARNING, Finding, names
from .mechanism import connected

if TYPE_CHECKING:
    from ..model import Model

FAR = 100.0  # times the usual distance of bodies


def lint(model: Model) -> Iterator[Finding]:
    """What can be seen from the items alone."""
    yield from support(model)
    yield from carriers(model)
    yield from far_away(model)
    yield from unused_frames(model)


def _ends(item: Item) -> list[str]:
    """Bodies that an item acts on."""
    if isinstance(item, Measure):
        return []
    return [f.body for f in (getattr(item, name) for name in type(item).model_fields) if isinstance(f, Frame)]


def support(model: Model) -> Iterator[Finding]:
    """Bodies with no way to the ground over joints and springs."""
    order = ["ground", *(b.name for b in model.section("bodies"))]
    number = {name: k for k, name in enumerate(order)}
    ties = [[number[e] for e in _ends(item) if e in number] for item in model if isinstance(item, Pair)]
    loaded = {e for item in model if isinstance(item, Load) for e in _ends(item)}
    parts = connected([*ties, *([k] for k in number.values())])
    falls = any(model.gravity)
    alone = [order[min(p)] for p in parts if len(p) == 1 and 0 not in p and order[min(p)] not in loaded]
    others = len(order) - 1 > len(alone)
    for name in sorted(alone, key=order.index):
        how = "it falls freely" if falls else "it keeps its velocity"
        yield Finding("unconnected-body", WARNING if others else NOTE, (name,), f"body {name!r}: no joint, spring or load acts on it; "
                      f"{how}.",
                      "Connect it, or take it out of the model." if others else "Nothing, if free flight is what you want.")
    for part in parts:
        members = tuple(order[k] for k in sorted(part))
        if 0 in part or members[0] in alone:
            continue
        driven = bool(loaded & set(members))
        together = f"bodies {names(members)} hang together, but" if len(members) > 1 else f"body {members[0]!r}:"
        yield Finding("no-support", WARNING if falls and not driven else NOTE, members, f"{together} no joint or spring leads to the ground"
                      f"{'; they fall freely' * (falls and len(members) > 1)}{'; it falls freely' * (falls and len(members) == 1)}.",
                      "Add the support that is missing; nothing, if the system is meant to float.")


def carriers(model: Model) -> Iterator[Finding]:
    """Gears and racks couple angles against one body: their joints must share it."""
    for item in model.section("joints"):
        if isinstance(item, JointPair) and item.a in model.items and item.b in model.items:
            bodies = [{j.a.body, j.b.body} for j in (model[item.a], model[item.b]) if isinstance(j, Pair)]
            if len(bodies) == 2 and not bodies[0] & bodies[1]:
                message = (f"{item.kind} {item.name!r}: joint {item.a!r} is between {names(sorted(bodies[0]))}, joint {item.b!r} between "
                           f"{names(sorted(bodies[1]))}; no body carries both axes, so the teeth would not stay in mesh.")
                yield Finding("gear-without-carrier", WARNING, (item.name, item.a, item.b), message,
                              "Let both joints turn against the same body (the housing).")


def far_away(model: Model) -> Iterator[Finding]:
    """A body at a distance out of proportion."""
    bodies = [b for b in model.section("bodies") if isinstance(b, RigidBody)]
    if len(bodies) < 3:
        return
    points = np.array([b.position for b in bodies])
    away = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    usual = float(np.median(away)) or float(np.sort(away)[len(away) // 2:].min())
    for body, distance in zip(bodies, away, strict=True):
        if usual > 0 and distance > FAR * usual:
            yield Finding("far-away", WARNING, (body.name,), f"body {body.name!r} starts {distance:.3g} m from the middle of the model, "
                          f"the others within about {usual:.3g} m.", "Check the units of its position.")


def unused_frames(model: Model) -> Iterator[Finding]:
    """Frames of bodies serve for output; those of the ground do not move."""
    used = {f.frame for item in model for f in (getattr(item, n) for n in type(item).model_fields)
            if isinstance(f, Frame) and f.body == "ground"}
    left = [name for name in model.ground.frames if name not in used]
    if left:
        yield Finding("unused-frame", NOTE, tuple(f"ground.{n}" for n in left), f"nothing uses the frame{'s' * (len(left) > 1)} "
                      f"{names(f'ground.{n}' for n in left)}.", "Remove what is left over, or use it.")
