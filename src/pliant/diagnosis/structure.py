"""What is connected to what: bodies that nothing holds, couplings without a carrier, frames that nobody uses, plane models."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..compile.channel_map import JointRecord
from ..compile.compiled_model import CompiledModel, ModelError
from ..compile.planar import PARALLEL, functional, in_plane_axes, normal_vector
from ..items.base import Frame, Item, Pair, matrix_of
from ..items.bodies import RigidBody
from ..items.forces import Load, Measure
from ..items.joints import Drive, JointPair, Screw
from ..items.modal import ModalBody
from .findings import ERROR, NOTE, WARNING, Finding, names
from .mechanism import connected
from .words import vector

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


# -- plane models
def out_of_plane(model: Model, dynamics: CompiledModel) -> Iterator[Finding]:
    """Items that contradict ``planar``."""
    if model.planar is None:
        return
    n = normal_vector(model.planar)
    said = f"planar={model.planar if isinstance(model.planar, str) else vector(n)}"
    size = float(np.linalg.norm(model.gravity))
    if size and abs(n @ model.gravity) > PARALLEL * size:
        yield _plane("gravity", WARNING, f"gravity {vector(np.array(model.gravity))} m/s^2 has a part across the planes ({said}); the "
                     "planes carry it.", "Choose another normal, or another gravity.")
    for item in model:
        record = dynamics.directory.joints.get(item.name)
        if record is not None and _contradicts(item, record, n):
            yield _plane(item.name, ERROR, f"{item.kind} {item.name!r}: its axis {vector(record.axes[:, 2])} does not let it move in the "
                         f"planes ({said}).", "Turn its axis along the normal (revolute) or across it (prismatic), or leave planar out.")
        elif isinstance(item, (RigidBody, ModalBody)):
            yield from _velocity(item, n, said)
        elif isinstance(item, Load):
            yield from _load(item, model, n, said)
        elif isinstance(item, Drive) and item.joint in dynamics.directory.joints:
            along = abs(dynamics.directory.joints[item.joint].axes[:, 2] @ n)
            if not _contradicts(model[item.joint], dynamics.directory.joints[item.joint], n) and (
                    along < 1 - PARALLEL if item.coordinate == "angle" else along > PARALLEL):
                yield _plane(item.name, ERROR, f"drive {item.name!r} moves the {item.coordinate} of {item.joint!r} out of the planes "
                             f"({said}).",
                             "Drive a coordinate in the plane, or leave planar out.")


def refuse_out_of_plane(model: Model, dynamics: CompiledModel) -> None:
    """A run begins only if nothing contradicts ``planar``: ModelError in the words of the check."""
    wrong = [f for f in out_of_plane(model, dynamics) if f.severity == ERROR]
    if wrong:
        raise ModelError("\n".join(f"{f.message} {f.remedy}" for f in wrong))


def _plane(item: str, severity: str, message: str, remedy: str) -> Finding:
    return Finding("out-of-plane", severity, (item,), message, remedy)  # type: ignore[arg-type]


def _contradicts(item: Item, record: JointRecord, n: np.ndarray) -> bool:
    """Whether a joint holds mixtures of motions in and out of the plane, or everything in the plane though it is meant to move."""
    if isinstance(item, Screw):
        return True
    if {d[0] for d in record.directions} == {"distance"}:
        return abs(n @ record.offset) > (1 - PARALLEL) * float(np.linalg.norm(record.offset))
    F = np.array([functional(d, record.axes, record.axes, record.offset) for d in record.directions if d[0] != "coupling"])
    within = np.zeros((3, 6))
    within[:2, :3], within[2, 3:] = in_plane_axes(n), n
    inside, outside = F @ within.T @ within, F - F @ within.T @ within
    ranks = [int(np.linalg.matrix_rank(m, tol=PARALLEL)) for m in (F, inside, outside)]
    return ranks[1] + ranks[2] > ranks[0] or (ranks[1] == 3 and ranks[0] < 6)


def _velocity(body: RigidBody | ModalBody, n: np.ndarray, said: str) -> Iterator[Finding]:
    v, w = np.array(body.velocity or (0.0,) * 3), matrix_of(body.rotation) @ np.array(body.angular_velocity or (0.0,) * 3)
    if abs(v @ n) > PARALLEL * np.linalg.norm(v) or np.linalg.norm(w - (w @ n) * n) > PARALLEL * np.linalg.norm(w):
        yield _plane(body.name, ERROR, f"body {body.name!r}: its stated velocity {vector(v)} m/s, {vector(w)} rad/s (world axes) leads out "
                     f"of the planes ({said}).", "State velocities in the plane and spins about its normal.")


def _load(load: Load, model: Model, n: np.ndarray, said: str) -> Iterator[Finding]:
    f = np.array([float(x) if isinstance(x, (int, float)) else 0.0 for x in load.vector])
    if load.axes == "frame" and load.frame.body in model.items:
        body = model[load.frame.body]
        f = matrix_of(body.rotation) @ body.place_of(load.frame)[1] @ f
    across = (f @ n) * n if load.part == 0 else f - (f @ n) * n
    if np.linalg.norm(across) > PARALLEL * np.linalg.norm(f):
        yield _plane(load.name, WARNING, f"{load.kind} {load.name!r}: its part {vector(across)} {load.unit} acts across the planes "
                     f"({said}); they carry it.", "Leave that part out, or leave planar out.")
