"""Assembly: consistent positions and velocities at the start, from input that may be imperfect. The model is never changed."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._facade import work_of
from ..compile.compiled_model import GAP, Extent
from ..items.base import Item, matrix_of, quaternion_of
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.expression_vm import value_at
from ..kernels.state_row import row_width
from . import velocity_solver
from .position_solver import PositionSolver, Target, all_motions, flipped, motions

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel
    from ..solution import Solution

NEAR, TURN = 0.01, np.radians(1.0)  # placed bodies may move by this part of the model's size, and turn so far [rad]
SAME = 1e-9                         # a start value and a drive agree, in rad or sizes of the model
TRIES = 8                           # orientations from which bodies without a stated one are placed
SHOWN = 5                           # joints and bodies that a message lists
Pose = tuple[np.ndarray, tuple[float, float, float, float]]


@dataclass
class Assembly:
    """How the mechanism fits together at the start: gaps of joints before and after, and how far bodies were moved.

    ``ok``: the joints are closed and everything stated holds. If not, ``note`` says why, and the pose is the nearest one.
    """
    ok: bool
    before: dict[str, Extent]                        # per joint, as modelled
    after: dict[str, Extent]
    moved: dict[str, Extent]                         # per body: of its centre of mass, and turned
    placed: tuple[str, ...]                          # bodies without a stated position, which their joints placed
    stated: dict[str, float]                         # start values by joint coordinate, "A.angle": rad or m
    row: np.ndarray = field(repr=False)              # the state, as in the rows of results
    dynamics: CompiledModel = field(repr=False)
    note: str = ""

    def __str__(self) -> str:
        lines = ["assembled" if self.ok else f"not assembled: {self.note}"]
        lines += [f"  joint {name}: open by {gap} as modelled, {self.after[name]} now" for name, gap in self.before.items()
                  if max(gap.largest, self.after[name].largest) > 1e-9]
        lines += [f"  body {name}: placed by its joints" for name in self.placed]
        lines += [f"  body {name}: moved by {way}" for name, way in self.moved.items() if way.largest > 1e-9]
        lines += [f"  {name} = {value:.6g} at the start" for name, value in self.stated.items()]
        return "\n".join(lines if len(lines) > 1 else [*lines, "  nothing had to be moved"])

    def _repr_html_(self) -> str:
        from ..report.display import Text
        return Text(self)._repr_html_()

    @property
    def solution(self) -> Solution:
        """The pose as a run of one row, for pictures and channels."""
        return work_of("Assembly.solution")(self)

    def snapshot(self, path: str | Path | None = None, **options: Any) -> Any:
        """Draw the pose, see `pliant.plot.pictures.snapshot`."""
        return self.solution.snapshot(path, **options)


def assemble(d: CompiledModel) -> Assembly:
    """The consistent start, its row included; ModelError, with the nearest pose, if there is none."""
    return Assembler(d).run()


def start_row(d: CompiledModel) -> np.ndarray:
    """The row of consistent initial values; ``d.assembly`` says how bodies were moved to get there."""
    d.assembly = assemble(d)
    d.x.q[:] = d.assembly.row[3:3 + d.system.q0.size]
    d.unique_reactions = d.redundant() == 0
    return d.assembly.row.copy()


def begin(d: CompiledModel) -> None:
    """The pose as modelled, with the angles that belong to it."""
    s, x = d.system, d.x
    x.q[:], x.v[:], x.a[:], x.lam[:], x.H[:] = s.q0, s.v0, 0, 0, s.h0
    for joint in d.directory.joints.values():
        for coordinate, history in joint.histories.items():
            x.H[history] = joint.start[coordinate]
    _count(d)


def _count(d: CompiledModel) -> None:
    """The turns of angles at the current position."""
    for program in ("rates", "history"):
        evaluation.run(d.system.program(program), d.system.data, d.x, 0.0, 0.0, 0.0, 0.0)


def start_states(d: CompiledModel) -> None:
    """States that begin with a function of signals, which may be of states that begin so themselves."""
    s, x, starts = d.system, d.x, d.directory.starts
    places = [d.directory.states[name].iv for name in starts]
    late = set[str]()  # still changing when all that follow from others are known
    for k in range(2 * len(starts) + 1 if starts else 0):
        evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        values = [float(value_at(0.0, x.Y, s.data.tab, s.data.val, code, x.W)) for code in starts.values()]
        changed = [name for name, old, new in zip(starts, x.v[places], values, strict=True) if old != new]
        x.v[places] = values
        if s.failures or not np.isfinite(values).all():
            d.not_finite()
        if not changed:
            return
        late |= set(changed) if k > len(starts) else set()
    if not late:
        return
    names = sorted(late)
    raise ModelError(f"the states {', '.join(map(repr, names))} need each other at the start; give one of them a number to start with",
                     tuple(name.rpartition(".")[0] for name in names))


class Assembler:
    """One assembly: gaps closed, then start values reached, then velocities and accelerations."""

    def __init__(self, d: CompiledModel) -> None:
        self.d = d
        begin(d)
        self.before = d.openings(self.violations())
        if any(not np.isfinite(gap.largest) for gap in self.before.values()):
            d.not_finite()
        self.targets = self.all_targets()

    def violations(self, drives: bool = False) -> np.ndarray:
        """Equations of joints at the current position; with or without those of drives."""
        s, x = self.d.system, self.d.x
        evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        left = x.R.copy()
        if not drives:
            left[[row for row, *_ in self.d.directory.drives.values()]] = 0
        return left

    def all_targets(self) -> list[Target]:
        """Values that joints and drives state; a drive and a start value of one coordinate must agree."""
        d, out = self.d, {}
        for name, joint in d.directory.joints.items():
            for which, value in joint.stated.items():
                if not which.endswith("_rate"):
                    out[name, which] = Target(f"{which} of joint {name!r}", name, joint, which, value)
        s, x = d.system, d.x
        for drive, code in d.directory.codes.items():
            _, _, joint_name, which = d.directory.drives[drive]
            value = float(value_at(0.0, x.Y, s.data.tab, s.data.val, code, x.W))
            if s.failures or not np.isfinite(value):
                d.not_finite()
            known = out.get((joint_name, which))
            size = 1.0 if which == "angle" else d.length
            if known and not abs(known.value - value) <= SAME * size:
                unit = "rad" if which == "angle" else "m"
                raise ModelError(f"the {known.label} is said to be {known.value:g} {unit} at the start, but drive {drive!r} gives "
                                 f"{value:g} {unit} there; leave out the start value or change one of them", (known.item, drive))
            out[joint_name, which] = Target(f"drive {drive!r}", drive, d.directory.joints[joint_name], which, value)
        return list(out.values())

    def run(self) -> Assembly:
        d, x = self.d, self.d.x
        self.close_gaps()
        if self.targets:
            self.reach_targets()
        self.close_exactly()
        velocity_solver.solve(d)
        start_states(d)
        if d.system.failures or not np.isfinite(x.v).all():
            d.not_finite()
        result = self.result()
        try:
            d.refine(result.row[None, :])
        except ModelError:
            raise
        except ValueError as error:
            raise ModelError(str(error)) from error
        if d.system.failures or not np.isfinite(result.row).all():
            d.not_finite()
        return result

    def close_gaps(self) -> None:
        """Joints that are open as modelled, by the least motion of bodies; placed ones may move a little only."""
        d = self.d
        if all(gap.largest <= GAP * max(1.0, d.length) for gap in self.before.values()):
            return
        closed = PositionSolver(d).follow() or self.bent()
        wrong = flipped(d)
        far = {name: Extent.of(*way) for name, way in motions(d, d.system.q0).items()
               if name not in d.unplaced and (way[0] > NEAR * d.length or way[1] > TURN)}
        if closed and not wrong and not far:
            return
        wide = {name: gap for name, gap in self.before.items() if gap.largest > GAP * max(1.0, d.length)}
        note = f"the bodies do not fit together as modelled: {_open(wide)}. "
        if not closed:
            left = d.openings(self.violations())
            note += f"They cannot be closed: in the nearest pose {_open({k: g for k, g in left.items() if g.largest > 1e-9})}. "
        elif wrong:
            note += f"They close only with the axes of {_names('joint', wrong)} turned the wrong way. "
        else:
            ways = "; ".join(f"body {name!r} by {way}" for name, way in _largest(far))
            note += (f"Closing them would move {ways}, and a body whose place is stated is moved by no more than "
                     f"{Extent.of(NEAR * d.length, TURN)}. ")
        self.fail(note + "Move the bodies or the frames of these joints so that they meet, or leave out position and rotation of a body: "
                  "it is then placed by its joints. A joint that is made at one point of the world, at=(x, y, z), has no gap",
                  tuple(name for name, _ in _largest(wide)))

    def bent(self, relative: bool = False) -> bool:
        """Whether everything is reached when modal bodies may also be deformed; tried where bodies as they are do not fit."""
        d = self.d
        return bool(d.directory.flexible) and PositionSolver(d, self.targets if relative else (), all_motions(d), relative).follow()

    def reach_targets(self) -> None:
        """From the closed pose to the stated values of joint coordinates, the way the mechanism would go."""
        d = self.d
        closing = PositionSolver(d, self.targets, relative=True)
        reached, wrong = closing.follow() or self.bent(relative=True), flipped(d)
        if reached and not wrong:
            return
        left = closing.values()[0][closing.rows.size:]
        missed = {t.label: Extent.of(0.0, abs(v)) if t.coordinate == "angle" else Extent.of(abs(v) * d.length, 0.0)
                  for t, v in zip(self.targets, left, strict=True)}
        said = ", ".join(f"{t.label} = {t.value:g} {'rad' if t.coordinate == 'angle' else 'm'}" for t in self.targets[:SHOWN])
        note = f"the start values cannot be reached ({said}): "
        if reached:
            note += f"only with the axes of {_names('joint', wrong)} turned the wrong way"
        else:
            gaps = _open({k: g for k, g in d.openings(self.violations()).items() if g.largest > 1e-9})
            misses = "; ".join(f"{label} is missed by {gap}" for label, gap in _largest(missed) if gap.largest > 1e-9)
            note += "in the nearest pose " + "; ".join(part for part in (misses, gaps) if part)
        self.fail(f"{note}. State fewer of them, or values within the "
                  "reach of the mechanism", tuple(t.item for t in self.targets))

    def close_exactly(self) -> None:
        """What is left after that, and gaps that are rounding errors of the input."""
        d, s, x = self.d, self.d.system, self.d.x
        for k in range(10):
            left = self.violations(drives=True)
            if abs(left[s.n_v:]).max(initial=0.0) < 1e-15 * max(1.0, d.length):
                break
            d._matrix(velocity_solver.heavy_modes(d) if k < 5 else None)  # bodies are moved, not deformed
            evaluation.retract(s.data, x.q.copy(), d.solve(np.concatenate([np.zeros(s.n_v), -left[s.n_v:]])), 1.0, x.q)
        _count(d)
        self.leave_beams()

    def leave_beams(self) -> None:
        """Nodes of beams stay where they are: what moves one of them would bend the beam."""
        d = self.d
        far = {name: Extent.of(*way) for name, way in motions(d, d.system.q0).items() if max(way[0] / d.length, way[1]) > GAP}
        if moved := [beam for beam, record in d.directory.beams.items() if not far.keys().isdisjoint(record.nodes)]:
            ways = "; ".join(f"{name!r} by {way}" for name, way in _largest({k: w for beam in moved for k, w in far.items()
                                                                           if k in d.directory.beams[beam].nodes}))
            self.fail(f"joints or start values would move nodes of beam {moved[0]!r} at the start: {ways}. A beam begins undeformed where "
                      "it is modelled; give its points as they are at the start, and leave out start values that turn or move it",
                      tuple(moved))

    def result(self, note: str = "") -> Assembly:
        d, s, x = self.d, self.d.system, self.d.x
        row = np.zeros(row_width(s.q0.size, s.n, s.histories))
        for start, part in zip(np.cumsum([3, s.q0.size, s.n, s.n, s.n]), (x.q, x.v, x.a, x.lam, x.H), strict=True):
            row[start:start + part.size] = part
        moved = {name: Extent.of(*way) for name, way in motions(d, s.q0).items()}
        stated = {f"{name}.{which}": value for name, joint in d.directory.joints.items() for which, value in joint.stated.items()}
        return Assembly(not note, self.before, d.openings(self.violations()), moved, tuple(d.unplaced), stated, row, d, note)

    def fail(self, note: str, items: tuple[str, ...]) -> None:
        self.d.x.v[:] = 0
        error = ModelError(note, items)
        error.assembly = self.result(note)
        raise error


def _largest(extents: dict[str, Extent]) -> list[tuple[str, Extent]]:
    return sorted(extents.items(), key=lambda item: -item[1].largest)[:SHOWN]


def _open(gaps: dict[str, Extent]) -> str:
    return "; ".join(f"joint {name!r} is open by {gap}" for name, gap in _largest(gaps))


def _names(noun: str, names: Iterable[str]) -> str:
    return ", ".join(f"{noun} {name!r}" for name in names)


# -- bodies without a stated place
def unplaced(item: Item) -> tuple[bool, bool]:
    """Whether a body's position, and its rotation, are left to its joints. A body with a position has axes parallel to the world
    unless it says otherwise."""
    given = item.model_fields_set
    if getattr(item, "deforms", False):  # it is where its points are
        return False, False
    return "position" not in given, not {"position", "rotation"} & given


def place(d: CompiledModel, bodies: dict[str, tuple[bool, bool]]) -> dict[str, Pose]:
    """Position and rotation of bodies whose place was not stated, by their joints: moved, and turned only if that is not enough.
    Empty if they fit as they are."""
    begin(d)
    stated = d.directory.stated
    moves = np.concatenate([np.arange(3) + stated[name].iv for name in bodies])
    turns = np.array([stated[name].iv + k for name, (_, turn) in bodies.items() if turn for k in (3, 4, 5)], np.int64)
    closing = PositionSolver(d, free=moves)
    if np.linalg.norm(closing.values()[0]) <= closing.closed:
        return {}
    closing.solve(0.0, closing.closed, 50)
    left = float(np.linalg.norm(closing.values()[0]))
    if left > NEAR and turns.size:
        pose, closing = closing.state(), PositionSolver(d, free=np.sort(np.concatenate([moves, turns])))
        if not _turned(closing, turns):
            closing.go(pose)
    return _poses(d, bodies)


def _turned(closing: PositionSolver, turns: np.ndarray) -> bool:
    """Whether bodies that may turn fit somewhere, from several orientations."""
    d, pose = closing.d, closing.state()
    for k in range(TRIES):
        closing.go(pose)
        turn = np.zeros(d.system.n)
        turn[turns] = np.random.default_rng(k).uniform(-2, 2, turns.size) if k else 1e-3
        evaluation.retract(d.system.data, pose[0], turn, 1.0, d.x.q)
        closing.solve(0.0, closing.closed, 200)
        if float(np.linalg.norm(closing.values()[0])) <= NEAR and not flipped(d):
            return True
    return False


def _poses(d: CompiledModel, bodies: dict[str, tuple[bool, bool]]) -> dict[str, Pose]:
    out = {}
    for name in bodies:
        said = d.directory.stated[name]
        q = d.x.q[said.iq:said.iq + 7]
        R = matrix_of(q[3:].tolist())
        out[name] = q[:3] - R @ said.com, quaternion_of(R)
    return out
