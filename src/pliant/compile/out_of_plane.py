"""Items that contradict the plane in which a model is declared to move."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..items.base import Item, matrix_of
from ..items.declarations import ConstantLoad
from ..items.errors import ModelError
from ..report.finding import ERROR, WARNING, Finding
from ..report.words import vector
from .channel_map import JointRecord
from .compiled_model import CompiledModel
from .planar import PARALLEL, functional, in_plane_axes, normal_vector

if TYPE_CHECKING:
    from ..model import Model


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
    for item in (i for i in model if i.active):
        record = dynamics.directory.joints.get(item.name)
        if record is not None and not record.untwisted and _contradicts(record, n):
            yield _plane(item.name, ERROR, f"{item.kind} {item.name!r}: its axis {vector(record.axes[:, 2])} does not let it move in the "
                         f"planes ({said}).", "Turn its axis along the normal (revolute) or across it (prismatic), or leave planar out.")
        elif item.section == "bodies":
            yield from _velocity(item, n, said)
        elif item.section == "drives":
            yield from _drive(item, dynamics, n, said)
        for load in item.loads():
            yield from _load(item, load, model, n, said)


def refuse_out_of_plane(model: Model, dynamics: CompiledModel) -> None:
    """A run begins only if nothing contradicts ``planar``: ModelError in the words of the check."""
    wrong = [f for f in out_of_plane(model, dynamics) if f.severity == ERROR]
    if wrong:
        raise ModelError("\n".join(f"{f.message} {f.remedy}" for f in wrong))


def _plane(item: str, severity: str, message: str, remedy: str) -> Finding:
    return Finding("out-of-plane", severity, (item,), message, remedy)  # type: ignore[arg-type]


def _contradicts(record: JointRecord, n: np.ndarray) -> bool:
    """Whether a joint holds mixtures of motions in and out of the plane, or everything in the plane though it is meant to move."""
    if any(d[0] == "coupling" for d in record.directions):  # of a screw: it slides as it turns
        return True
    if {d[0] for d in record.directions} == {"distance"}:
        return abs(n @ record.offset) > (1 - PARALLEL) * float(np.linalg.norm(record.offset))
    F = np.array([functional(d, record.axes, record.axes, record.offset) for d in record.directions])
    within = np.zeros((3, 6))
    within[:2, :3], within[2, 3:] = in_plane_axes(n), n
    inside, outside = F @ within.T @ within, F - F @ within.T @ within
    ranks = [int(np.linalg.matrix_rank(m, tol=PARALLEL)) for m in (F, inside, outside)]
    return ranks[1] + ranks[2] > ranks[0] or (ranks[1] == 3 and ranks[0] < 6)


def _velocity(body: Any, n: np.ndarray, said: str) -> Iterator[Finding]:
    v, w = np.array(body.velocity or (0.0,) * 3), matrix_of(body.rotation) @ np.array(body.angular_velocity or (0.0,) * 3)
    if abs(v @ n) > PARALLEL * np.linalg.norm(v) or np.linalg.norm(w - (w @ n) * n) > PARALLEL * np.linalg.norm(w):
        yield _plane(body.name, ERROR, f"body {body.name!r}: its stated velocity {vector(v)} m/s, {vector(w)} rad/s (world axes) leads out "
                     f"of the planes ({said}).", "State velocities in the plane and spins about its normal.")


def _drive(drive: Item, dynamics: CompiledModel, n: np.ndarray, said: str) -> Iterator[Finding]:
    for joint, coordinate, _ in drive.uses():
        record = dynamics.directory.joints.get(joint)
        if record is None or _contradicts(record, n):
            continue
        along = abs(record.axes[:, 2] @ n)
        if along < 1 - PARALLEL if coordinate == "angle" else along > PARALLEL:
            yield _plane(drive.name, ERROR,
                         f"drive {drive.name!r} moves the {coordinate} of {joint!r} out of the planes ({said}).",
                         "Drive a coordinate in the plane, or leave planar out.")


def _load(item: Item, load: ConstantLoad, model: Model, n: np.ndarray, said: str) -> Iterator[Finding]:
    f = np.array(load.vector)
    if load.turns and load.frame.body in model.items:
        body = model[load.frame.body]
        f = matrix_of(body.rotation) @ body.place_of(load.frame)[1] @ f
    across = f - (f @ n) * n if load.moment else (f @ n) * n
    if np.linalg.norm(across) > PARALLEL * np.linalg.norm(f):
        unit = "N*m" if load.moment and load.unit == "N" else load.unit
        told = f"{item.kind} {item.name!r}: its part {vector(across)} {unit} acts across the planes ({said}); they carry it."
        yield _plane(item.name, WARNING, told, "Leave that part out, or leave planar out.")
