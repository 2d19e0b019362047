"""What is connected to what: bodies that nothing holds, couplings without a carrier, frames that nobody uses, plane models."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..items.base import Frame, Item, Pair
from ..items.bodies import RigidBody
from ..items.couplings import JointPair
from ..report.finding import NOTE, WARNING, Finding, names
from .mechanism import connected
from .registry import ITEMS, check

if TYPE_CHECKING:
    from ..model import Model

FAR = 100.0  # times the usual distance of bodies


def _ends(item: Item) -> list[str]:
    """Bodies that an item acts on."""
    if item.section == "measures":
        return []
    return [f.body for f in (getattr(item, name) for name in type(item).model_fields) if isinstance(f, Frame)]


@check("inactive", "items that are switched off", ITEMS)
def inactive(model: Model) -> Iterator[Finding]:
    off = tuple(item.name for item in model if not item.active)
    if off:
        yield Finding("inactive", NOTE, off, f"{names(off)} {'is' if len(off) == 1 else 'are'} not active, and left out.",
                      "Nothing, if that is meant; active=True brings an item back.")


@check("unconnected-body", "a body that nothing acts on", ITEMS)
@check("no-support", "bodies that nothing holds", ITEMS)
def support(model: Model) -> Iterator[Finding]:
    """Bodies with no way to the ground over joints and springs."""
    order = ["ground", *(b.name for b in model.section("bodies"))]
    number = {name: k for k, name in enumerate(order)}
    ends = [_ends(item) for item in model if item.active]
    ties = [[number[e] for e in bodies if e in number] for bodies in ends if len(bodies) > 1]
    loaded = {bodies[0] for bodies in ends if len(set(bodies)) == 1}
    loose = [part for part in connected([*ties, *([k] for k in number.values())]) if 0 not in part]
    alone = [order[min(part)] for part in loose if len(part) == 1 and order[min(part)] not in loaded]
    falls, others = any(model.gravity), len(order) - 1 > len(alone)
    for name in sorted(alone, key=order.index):
        yield _unconnected(name, falls, others)
    for part in loose:
        members = tuple(order[k] for k in sorted(part))
        if members[0] not in alone:
            yield _unsupported(members, falls, bool(loaded & set(members)))


def _unconnected(name: str, falls: bool, others: bool) -> Finding:
    how = "it falls freely" if falls else "it keeps its velocity"
    remedy = "Connect it, or take it out of the model." if others else "Nothing, if free flight is what you want."
    return Finding("unconnected-body", WARNING if others else NOTE, (name,),
                   f"body {name!r}: no joint, spring or load acts on it; {how}.", remedy)


def _unsupported(members: tuple[str, ...], falls: bool, driven: bool) -> Finding:
    several = len(members) > 1
    together = f"bodies {names(members)} hang together, but" if several else f"body {members[0]!r}:"
    how = f"; {'they fall' if several else 'it falls'} freely" if falls else ""
    return Finding("no-support", WARNING if falls and not driven else NOTE, members,
                   f"{together} no joint or spring leads to the ground{how}.",
                   "Add the support that is missing; nothing, if the system is meant to float.")


@check("gear-without-carrier", "a coupling of joints with no body in common", ITEMS)
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


@check("open-pair", "curves that may part, and that nothing keeps apart", ITEMS)
def open_pairs(model: Model) -> Iterator[Finding]:
    """The gap of an open cam is a coordinate; without a stop it may become negative."""
    used = {(use.joint, use.coordinate) for item in (*model, *model.brought()) if item.active for use in item.uses()}
    for item in model.section("joints"):
        if getattr(item, "open", False) and (item.name, "displacement") not in used:
            yield Finding("open-pair", WARNING, (item.name,), f"{item.kind} {item.name!r} is open, and nothing acts on its displacement, "
                          "the "
                          "gap: its curves pass through each other.", f"Add a stop: Stop(name, {item.name!r}, \"displacement\", lower=0), "
                          "or "
                          "leave open out.")


@check("far-away", "a body far from all others", ITEMS)
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


@check("unused-frame", "named frames of the ground that nothing uses", ITEMS)
def unused_frames(model: Model) -> Iterator[Finding]:
    """Frames of bodies serve for output; those of the ground do not move."""
    used = {f.frame for item in model for f in (getattr(item, n) for n in type(item).model_fields)
            if isinstance(f, Frame) and f.body == "ground"}
    left = [name for name in model.ground.frames if name not in used]
    if left:
        yield Finding("unused-frame", NOTE, tuple(f"ground.{n}" for n in left), f"nothing uses the frame{'s' * (len(left) > 1)} "
                      f"{names(f'ground.{n}' for n in left)}.", "Remove what is left over, or use it.")
