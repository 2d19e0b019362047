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
from . import loops
from .mechanism import Component, Mechanism
from .rank import analyse, elsewhere
from .registry import RANKED, check

if TYPE_CHECKING:
    from ..model import Model
    from .examination import Examination

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
    if not 3 <= len(found) <= 60 or _nearly_parallel(_across(found)):
        return
    for members in (*([line for line in found if line is not off] for off in found), found):
        across = _across(members)
        if len(members) < 2 or _nearly_parallel(across):
            continue
        lines_at = np.sum([a @ line.point for a, line in zip(across, members, strict=True)], axis=0)
        snap = _through(np.linalg.solve(np.sum(across, axis=0), lines_at), found, size)
        if snap.axes and max(snap.angles.values()) < WIDEST and (members is found or len(snap.axes) == 1):
            yield snap


def _across(found: list[Line]) -> list[np.ndarray]:
    """For every line the matrix that takes what is across its axis."""
    return [np.eye(3) - np.outer(line.axis, line.axis) for line in found]


def _nearly_parallel(across: list[np.ndarray]) -> bool:
    return bool(np.linalg.eigvalsh(np.sum(across, axis=0))[0] < 1e-3)


def _through(center: np.ndarray, found: list[Line], size: float) -> Snap:
    """All axes turned so that they pass through a point; those that do so already stay."""
    by_name = {line.name: line for line in found}
    aims = {line.name: center - line.point for line in found if np.linalg.norm(center - line.point) > 1e-6 * size}
    off = {name: angle(by_name[name].axis, aim) for name, aim in aims.items()}
    wrong = {name: a for name, a in off.items() if a > EXACT}
    axes = {n: aims[n] / np.linalg.norm(aims[n]) * np.sign(aims[n] @ by_name[n].axis) for n in wrong}
    return Snap("meet in one point", axes, {}, [n for n in by_name if n not in wrong], wrong)


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


def misaligned_loop(e: Examination, loop: loops.Loop) -> tuple[Finding, Model] | None:
    """The same for a loop of a model in space."""
    freedom = e.report.degrees_of_freedom
    if e.normal is not None or freedom is None:
        return None
    grounded = any(b.record is not None and "ground" in b.record.bodies for b in loop.component.blocks)
    locked = loop.freedom <= (0 if grounded else 6)
    return misaligned(e.mechanism, loop.component, e.model, freedom, locked, loops.freedom_of)


@check("misaligned-axes", "axes slightly out of line that lock a loop", RANKED)
def out_of_line(e: Examination) -> Iterator[Finding]:
    """What was found for every loop; of loops that are locked also what has other reasons."""
    for loop, finding, aligned in e.misaligned:
        yield finding
        if id(loop) in e.locked:
            yield from _besides(loop, aligned, e.q, e.settings.length)


def _besides(loop: loops.Loop, model: Model, q: np.ndarray, duration: float) -> Iterator[Finding]:
    """Singular poses and drives in conflict of a loop in the model with aligned axes."""
    mechanism = Mechanism(model.compile())
    members = {b.name for b in loop.component.blocks}
    for component in mechanism.components()[1]:
        q, left = mechanism.close(component, q)
        rank = analyse(mechanism, component) if members & {b.name for b in component.blocks} else None
        if rank is not None and left < 1e-9:
            found = [loops.Loop(component, rank, elsewhere(mechanism, component, rank, q))]
            mechanism.at(q)
            yield from loops.singular(mechanism, found)
            yield from loops.drives(mechanism, found, duration)


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
