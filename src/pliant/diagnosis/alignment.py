"""Axes slightly out of line: snap them into line, and see whether the loop can move then."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..items.base import Frame, matrix_of
from ..items.joints import AxisJoint
from ..kernels.contract import P
from ..report.finding import ERROR, WARNING, Finding, names
from .mechanism import Component, Mechanism

if TYPE_CHECKING:
    from ..model import Model

WIDEST = np.radians(5.0)   # axes farther apart are meant to be
EXACT = 1e-9               # rad: axes nearer are parallel
OFFSET = 0.05              # of the model's size: lines farther apart are meant to be


@dataclass
class Line:
    """The axis of a joint: a point and a direction in the world."""
    name: str
    point: np.ndarray
    axis: np.ndarray
    bodies: tuple[str, str]


@dataclass
class Snap:
    """New axes (and shifts of the joint) that bring joints into line; ``others`` they are in line with then."""
    what: str                              # "parallel", "perpendicular", "meet in one point", "lie on one line"
    axes: dict[str, np.ndarray]
    shifts: dict[str, np.ndarray]
    others: list[str]
    angles: dict[str, float]

    def without(self, name: str) -> Snap:
        axes, shifts = ({k: v for k, v in part.items() if k != name} for part in (self.axes, self.shifts))
        return Snap(self.what, axes, shifts, [*self.others, name], self.angles)

    @property
    def moved(self) -> list[str]:
        return list(dict.fromkeys([*self.axes, *self.shifts]))


def lines(mechanism: Mechanism, component: Component, model: Model) -> list[Line]:
    """Axes of the joints of a component that have one."""
    out = []
    for block in component.blocks:
        item = model.items.get(block.name)
        if block.kind == "joint" and isinstance(item, AxisJoint) and item.coordinates and block.record is not None:
            axis = mechanism.axis(block)
            assert axis is not None
            out.append(Line(block.name, mechanism.x.X[block.record.b, P:P + 3].copy(), axis.copy(), block.record.bodies))
    return out


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Between two lines, 0 to pi/2; ``a`` is a unit vector."""
    cosine = a @ b
    return float(np.arctan2(np.linalg.norm(a - cosine * b / (b @ b)), abs(cosine) / np.linalg.norm(b)))


def proposals(found: list[Line], size: float) -> Iterator[Snap]:
    """Ways in which nearly aligned axes may have been meant."""
    if len(found) < 2:
        return
    yield from _parallel(found)
    yield from _concurrent(found, size)
    yield from _coaxial(found, size)


def _parallel(found: list[Line], widest: float = WIDEST) -> Iterator[Snap]:
    """All axes along the most common one, or across it."""
    all_axes = np.array([line.axis for line in found])
    cosines = all_axes @ all_axes.T
    apart = np.linalg.norm(all_axes[:, None, :] - cosines[:, :, None] * all_axes[None, :, :], axis=2)  # sines of all angles
    reference = found[int(np.argmax((apart < EXACT).sum(1)))]
    u, axes, angles, others = reference.axis, dict[str, np.ndarray](), dict[str, float](), list[str]()
    crossed = False
    for line in found:
        off = angle(line.axis, u)
        across = abs(np.pi / 2 - off)
        if EXACT < off < widest:
            axes[line.name], angles[line.name] = u * np.sign(line.axis @ u), off
        elif EXACT < across < widest:
            flat = line.axis - (line.axis @ u) * u
            axes[line.name], angles[line.name], crossed = flat / np.linalg.norm(flat), across, True
        else:
            others.append(line.name)
    if axes:
        yield Snap("perpendicular" if crossed and len(axes) == 1 else "parallel", axes, {}, others, angles)


def _concurrent(found: list[Line], size: float) -> Iterator[Snap]:
    """All axes through one point: that of all but one of them, or the one nearest to all."""
    if not 3 <= len(found) <= 60 or np.linalg.eigvalsh(np.sum([np.eye(3) - np.outer(k.axis, k.axis) for k in found], axis=0))[0] < 1e-3:
        return
    by_name = {line.name: line for line in found}
    for members in (*([line for line in found if line is not off] for off in found), found):
        across = [np.eye(3) - np.outer(line.axis, line.axis) for line in members]
        normal = np.sum(across, axis=0)
        if len(members) < 2 or np.linalg.eigvalsh(normal)[0] < 1e-3:
            continue  # parallel
        center = np.linalg.solve(normal, np.sum([a @ line.point for a, line in zip(across, members, strict=True)], axis=0))
        aims = {line.name: center - line.point for line in found if np.linalg.norm(center - line.point) > 1e-6 * size}
        off = {name: angle(by_name[name].axis, aim) for name, aim in aims.items()}
        wrong = {name: a for name, a in off.items() if a > EXACT}
        if wrong and max(wrong.values()) < WIDEST and (members is found or len(wrong) == 1):
            axes = {n: aims[n] / np.linalg.norm(aims[n]) * np.sign(aims[n] @ by_name[n].axis) for n in wrong}
            yield Snap("meet in one point", axes, {}, [n for n in by_name if n not in wrong], wrong)


def _coaxial(found: list[Line], size: float) -> Iterator[Snap]:
    """Hinges between the same two bodies on one line: the second is moved to the axis of the first."""
    for i, first in enumerate(found):
        for second in found[i + 1:]:
            if {*first.bodies} != {*second.bodies}:
                continue
            u, apart = first.axis, first.point - second.point
            shift, off = apart - (apart @ u) * u, angle(u, second.axis)
            far = float(np.linalg.norm(shift))
            if off < WIDEST and far < OFFSET * size and (off > EXACT or far > EXACT * size):
                axes = {second.name: u * np.sign(u @ second.axis)} if off > EXACT else {}
                yield Snap("lie on one line", axes, {second.name: shift} if far > EXACT * size else {}, [first.name], {second.name: off})


def apply(model: Model, snap: Snap) -> Model:
    """A copy with the joints snapped."""
    other = model.copy()
    poses = {b.name: (np.array(b.position), matrix_of(b.rotation)) for b in model.section("bodies")}  # type: ignore[attr-defined]
    poses["ground"] = np.zeros(3), np.eye(3)
    for name in snap.moved:
        item = other.items[name]
        assert isinstance(item, AxisJoint)
        if name in snap.axes:
            R = poses[item.a.body][1] @ model[item.a.body].place_of(item.a)[1]
            item.axis = tuple(R.T @ snap.axes[name])
        for end in ("a", "b") if name in snap.shifts else ():
            frame: Frame = getattr(item, end)
            point, turn = model[frame.body].place_of(frame)
            setattr(item, end, Frame(body=frame.body, point=tuple(point + poses[frame.body][1].T @ snap.shifts[name]), rotation=turn))
    return other


def misaligned(mechanism: Mechanism, component: Component, model: Model, freedom: int, locked: bool,
               freedom_of: Callable[[Model], int | None]) -> tuple[Finding, Model] | None:
    """The axes of a component that keep it from moving, and the model with aligned ones. ``freedom``: of the whole model,
    ``freedom_of``: of a changed one; ``locked``: nothing in the component moves as it is."""
    for snap in proposals(lines(mechanism, component, model), mechanism.length):
        gained = freedom_of(apply(model, snap))
        if gained is None or gained <= freedom:
            continue
        for name in snap.moved if len(snap.moved) > 1 else ():
            less = snap.without(name)
            if less.moved and freedom_of(apply(model, less)) == gained:
                snap = less
        return _finding(mechanism, snap, freedom, gained, locked), apply(model, snap)
    return None


def odd_axis(mechanism: Mechanism, component: Component, model: Model, freedom: int, freedom_of: Callable[[Model], int | None]) -> str:
    """Words on the one axis of a locked component that is not parallel (or perpendicular) to the others, if it could move else."""
    found = lines(mechanism, component, model)
    for snap in _parallel(found, np.pi / 4) if len(found) > 2 else ():
        if len(snap.axes) == 1 and (freedom_of(apply(model, snap)) or 0) > freedom:
            (name, off), = snap.angles.items()
            return f"the axis of joint {name!r} is {_degrees(off)} out of {snap.what} with {names(snap.others)}"
    return ""


def _finding(mechanism: Mechanism, snap: Snap, freedom: int, gained: int, locked: bool) -> Finding:
    of_pair = snap.others if snap.what == "lie on one line" else []
    items = tuple(n for n in mechanism.directory.joints if n in (*snap.moved, *of_pair))
    size = []
    if snap.axes:
        size.append(f"by up to {_degrees(max(snap.angles[n] for n in snap.axes))}" if len(snap.axes) > 1 else
                    f"by {_degrees(snap.angles[next(iter(snap.axes))])}")
    size += [f"by {1e3 * float(np.linalg.norm(s)):.3g} mm" for s in snap.shifts.values()]
    relation = {"parallel": "out of parallel", "perpendicular": "out of perpendicular", "lie on one line": "out of line",
                "meet in one point": "off the point where the others meet"}[snap.what]
    whose = f"the axis of joint {items[0]!r} is" if len(items) == 1 else f"the axes of joints {names(items)} are"
    others = [n for n in snap.others if n not in items]
    against = f" with {names(others)}" if others and snap.what != "meet in one point" else ""
    effect = "locks the loop" if locked else "takes a motion from the loop"
    return Finding("misaligned-axes", ERROR if locked else WARNING, items, f"{whose} {relation}{against} {' and '.join(size)}, and that "
                   f"{effect}: the model has {freedom} degree{'s' * (freedom != 1)} of freedom, with aligned axes it has {gained}.",
                   "Align the axis (give all axes in the same world direction), make one joint of the loop spherical or a Bushing, or "
                   "make a link flexible.")


def _degrees(a: float) -> str:
    return f"{np.degrees(a):.3g} degrees"
