"""check(): everything that can be said about a model before it runs."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..compile.out_of_plane import out_of_plane
from ..compile.planar import normal_vector
from ..items.base import did_you_mean
from ..items.errors import ModelError
from ..items.forces import SpringDamper
from ..items.joints import Drive, Fixed
from ..joint_space.topology import masses_of, spanning_forest
from ..kernels.state_row import parts
from ..methods.selection import cut_joints
from ..report.finding import ERROR, NOTE, WARNING, Finding, names
from ..start.assembly import start_row
from . import alignment, frequencies, loops, masses, start, structure
from .findings import HEADINGS, Report, sentence
from .mechanism import Component, Mechanism, connected
from .rank import Rank, analyse, elsewhere

if TYPE_CHECKING:
    from ..model import Model

ATTEMPTS = 20  # items with errors that are told one after the other


def check(model: Model) -> Report:
    """Degrees of freedom, redundant and conflicting joints by name and direction, and what looks wrong. Runs nothing."""
    report = Report(model.name, bodies=len(model.section("bodies")), planar=model.planar)
    found = [*masses.lint(model), *structure.lint(model)]
    usable, blocked = without_blocked(model)
    found += blocked
    settings = frequencies.Settings.of(model)
    dynamics, errors = compiled(usable)
    found += errors
    if dynamics is not None:
        cut, unknown = _cut(model, dynamics)
        found += unknown
        report.tree = spanning_forest(dynamics.directory, masses_of(dynamics.system), cut).text()
        off = list(out_of_plane(usable, dynamics))
        found += off
        found += Examination(usable, dynamics, settings, report, off).findings()
    order = list(HEADINGS)
    report.findings = sorted(dict.fromkeys(found), key=lambda f: order.index(f.severity))
    return report


def _cut(model: Model, dynamics: CompiledModel) -> tuple[list[str], list[Finding]]:
    """Joints that the options of the model name to be cut, and those that are not there."""
    named, joints = cut_joints(model.settings), dynamics.directory.joints
    told = "the formulation recursion is to cut joint {!r}, which is not there{}"
    found = [Finding("unknown-cut", ERROR, (), sentence(told.format(name, did_you_mean(name, joints))),
                     "Name joints between bodies, or leave cut out: the program chooses.") for name in named if name not in joints]
    return [name for name in named if name in joints], found


def without_blocked(model: Model) -> tuple[Model, list[Finding]]:
    """The model without items that would stop the compiler, and what is wrong with them."""
    found, out = list[Finding](), list[str]()
    driven: dict[tuple[str, str], str] = {}
    for item in model:
        if isinstance(item, Drive):
            first = driven.setdefault((item.joint, item.coordinate), item.name)
            if first != item.name:
                out.append(item.name)
                message = (f"drives {first!r} and {item.name!r} both prescribe the {item.coordinate} of joint {item.joint!r}; a coordinate "
                           "has one drive.")
                found.append(Finding("conflicting-drives", ERROR, (first, item.name), message,
                                     "Remove one of them, or add their functions."))
        elif isinstance(item, SpringDamper) and _coincide(model, item):
            out.append(item.name)
            message = f"spring {item.name!r}: its two points coincide as modelled, so that its direction is undefined."
            found.append(Finding("spring-zero-length", ERROR, (item.name,), message,
                                 "Move one of the points, or use a Bushing, which has stiffness in all directions."))
    if not out:
        return model, found
    usable = model.copy()
    for name in out:
        del usable.items[name]
    return usable, found


def _coincide(model: Model, spring: SpringDamper) -> bool:
    from ..items.base import matrix_of
    ends = []
    for frame in (spring.a, spring.b):
        try:
            owner = model[frame.body]
            point = owner.place_of(frame)[0]
        except KeyError:
            return False
        ends.append(point if frame.body == "ground" else owner.position + matrix_of(owner.rotation) @ point)
    return not np.linalg.norm(ends[1] - ends[0]) > 1e-12 * max(1e-300, float(np.linalg.norm(ends)))


def compiled(model: Model) -> tuple[CompiledModel | None, list[Finding]]:
    """The compiled model, or None and what is wrong, item by item."""
    found, out, trial = list[Finding](), list[str](), model
    for _ in range(ATTEMPTS):
        try:
            dynamics = trial.compile()
            return (None, found) if found else (dynamics, [])
        except Exception as error:  # a user's function may raise anything
            message, about = refusal(error)
            culprit = next((name for name in about if name in trial.items), None)
            if not isinstance(error, ModelError):
                culprit = _with_function(trial)
                message = f"a function of {culprit!r} raised {message}" if culprit else message
            if not set(about) & set(out):  # else it is told already
                found.append(Finding("cannot-compile", ERROR, () if culprit is None else (culprit,), sentence(message),
                                     "Correct this first; the joints are analysed when the model can be compiled."))
            if culprit is None or trial[culprit].section == "bodies":
                break
            out.append(culprit)
            trial = trial.copy()
            del trial.items[culprit]
    return None, found


def refusal(error: Exception) -> tuple[str, tuple[str, ...]]:
    """Why a model cannot be used, and the items that are named for it."""
    return (str(error), error.items) if isinstance(error, ModelError) else (f"{type(error).__name__}: {error}", ())


def _with_function(model: Model) -> str | None:
    """The item whose Python function keeps the model from being compiled."""
    for name, item in model.items.items():
        values = [x for v in item.__dict__.values() for x in (v if isinstance(v, tuple) else (v,))]
        if any(callable(v) for v in values):
            trial = model.copy()
            del trial.items[name]
            try:
                trial.compile()
                return name
            except Exception:
                continue
    return None


class Examination:
    """The part of the check that needs the compiled model."""

    def __init__(self, model: Model, dynamics: CompiledModel, settings: frequencies.Settings, report: Report,
                 told: list[Finding]) -> None:
        self.model, self.dynamics, self.settings, self.report = model, dynamics, settings, report
        self.off = {item for f in told for item in f.items}  # out of the plane: of these enough is said
        self.wrong = any(f.severity == ERROR for f in told)
        self.normal = None if model.planar is None else normal_vector(model.planar)
        self.mechanism = Mechanism(dynamics, self.normal)
        self.space = self.mechanism if self.normal is None else Mechanism(dynamics)
        self.refusal: tuple[str, tuple[str, ...]] = "", ()
        self.row = self._start()

    def _start(self) -> np.ndarray | None:
        """Consistent initial values; None, and the refusal, if there are none."""
        try:
            return start_row(self.dynamics)
        except Exception as error:  # a user's function may raise anything
            self.refusal = refusal(error)
            return None

    def findings(self) -> list[Finding]:
        starts = self.row is not None
        self.tree, components = self.mechanism.components()
        q, hopeless, found = start.assembly(self.mechanism, components, starts)
        found += start.drive_starts(self.mechanism, starts)
        found += start.many_turns(self.mechanism, self.model)
        if self.row is not None:  # where the run begins: moved by start values and drives
            q = parts(self.row[None, :], self.dynamics.system.q0.size, self.dynamics.system.n)["q"][0]
        self.mechanism.at(q)
        self.space.at(q)
        found += masses.massless(self.space, self.model)
        analysed, skipped = self._loops([c for c in components if not hopeless & {b.name for b in c.blocks}], q)
        found += skipped
        found += self._rank(analysed, q, bool(skipped or hopeless))
        found += start.jumps(self.mechanism, self.settings.length)
        self.space.at(q)
        if not starts and not any(f.code in ("joint-gap", "impossible-assembly", "drive-start") for f in found):
            found += (f for f in start.velocities(self.space) if not self.off & set(f.items))
        if not starts and not self.wrong and not any(f.severity == ERROR for f in found):
            message, about = self.refusal
            found.append(Finding("cannot-start", ERROR, tuple(n for n in about if n in self.model.items)[:1], sentence(message),
                                 "Without a consistent initial state nothing can run; correct this first."))
        s = self.dynamics.system
        v = None if self.row is None else parts(self.row[None, :], s.q0.size, s.n)["v"][0]
        found += frequencies.lint(self.model, self.dynamics, q, v, self._rates(), self.settings)
        return found

    def _rates(self) -> dict[str, float]:
        """The fastest turning of driven joints, at a few moments."""
        angles = {b.name: b.rows[0] for b in self.mechanism.blocks if b.kind == "drive" and b.directions[0][0] == "angle"}
        if not angles or self.settings.step is None:
            return {}
        seen = [abs(loops.by_time(self.mechanism, part * self.settings.length)) for part in loops.MOMENTS]
        return {name: float(max(v[row] for v in seen)) for name, row in angles.items()}

    # -- rank
    def _loops(self, components: list[Component], q: np.ndarray) -> tuple[list[loops.Loop], list[Finding]]:
        out, skipped = list[loops.Loop](), list[Finding]()
        for component in components:
            rank = analyse(self.mechanism, component)
            if rank is None:
                joints = tuple(b.name for b in component.blocks)
                skipped.append(Finding("rank-not-analysed", NOTE, (), f"{len(joints)} joints and drives, from {joints[0]!r} to "
                                       f"{joints[-1]!r}, form loops with too many equations for the analysis of redundancy; degrees of "
                                       "freedom are not counted.",
                                       "Check a smaller model of the same kind."))
                continue
            nearby = elsewhere(self.mechanism, component, rank, q)
            for each in (rank, *nearby):
                each.dependencies = [d for d in each.dependencies if d.block.kind != "drive" or d.block.name not in self.off]
            out.append(loops.Loop(component, rank, nearby))
        return out, skipped

    def _rank(self, found: list[loops.Loop], q: np.ndarray, partial: bool) -> Iterator[Finding]:
        if not partial:
            self._count(found)
        off = [(loop, *told) for loop in found for told in [self._misaligned(loop)] if told] if not partial else []
        locked = {id(loop) for loop, finding, _ in off if finding.severity == ERROR}
        for loop, finding, aligned in off:
            yield finding
            if id(loop) in locked:  # what has other reasons is seen when the axes are aligned
                yield from self._besides(loop, aligned, q)
        self.mechanism.at(q)
        free = [loop for loop in found if id(loop) not in locked]
        self.report.not_unique, _ = loops.reactions(found)
        moving = [loop for loop in free if not loop.stuck]
        yield from loops.redundancy(moving)
        yield from loops.reactions(moving)[1]
        yield from loops.singular(self.mechanism, free)
        yield from loops.drives(self.mechanism, free, self.settings.length)
        if not partial:
            yield from self._locked(found, locked)

    def _count(self, found: list[loops.Loop]) -> None:
        r, m = self.report, self.mechanism
        columns = sum(m.basis(k).shape[1] for k in m.tiles)
        driving = sum(len(b.rows) for b in m.blocks if b.kind == "drive")
        inside = sum(len(b.rows) for loop in found for b in loop.component.blocks if b.kind == "drive")
        tree = self.tree - (driving - inside)  # equations of joints
        r.equations = self.tree + sum(loop.pose.equations for loop in found)
        r.rank = self.tree + sum(loop.pose.whole for loop in found)
        r.redundant, r.drives = r.equations - r.rank, driving
        r.degrees_of_freedom_at_pose = columns - tree - sum(loop.pose.joints for loop in found)
        r.degrees_of_freedom = columns - tree - sum(loop.pose.columns - loop.freedom for loop in found)
        drives = sum(loop.generic.whole - loop.generic.joints for loop in found) + driving - inside
        r.degrees_of_freedom_after_drives = r.degrees_of_freedom - drives

    def _besides(self, loop: loops.Loop, model: Model, q: np.ndarray) -> Iterator[Finding]:
        """Singular poses and drives in conflict of a loop in the model with aligned axes."""
        mechanism = Mechanism(model.compile())
        members = {b.name for b in loop.component.blocks}
        for component in mechanism.components()[1]:
            q, left = mechanism.close(component, q)
            rank = analyse(mechanism, component) if members & {b.name for b in component.blocks} else None
            if rank is not None and left < 1e-9:
                aligned = [loops.Loop(component, rank, elsewhere(mechanism, component, rank, q))]
                mechanism.at(q)
                yield from loops.singular(mechanism, aligned)
                yield from loops.drives(mechanism, aligned, self.settings.length)

    def _misaligned(self, loop: loops.Loop) -> tuple[Finding, Model] | None:
        freedom = self.report.degrees_of_freedom
        if self.normal is not None or freedom is None:
            return None
        grounded = any(b.record is not None and "ground" in b.record.bodies for b in loop.component.blocks)
        return alignment.misaligned(self.mechanism, loop.component, self.model, freedom, loop.freedom <= (0 if grounded else 6), _freedom)

    def _locked(self, found: list[loops.Loop], told: set[int]) -> Iterator[Finding]:
        """Parts of the model, connected by joints to the ground, that cannot move at all; ``told``: loops that need no more words."""
        m = self.mechanism
        where = {k: loop for loop in found for k in loop.component.tiles}
        for group in connected([m.bodies[tile] for tile in m.groups]):
            blocks = [b for tile, part in m.groups.items() if m.bodies[tile][0] in group for b in part if b.kind != "drive"]
            inside = {id(where[k]): where[k] for k in group if k in where}
            if inside.keys() & told or self.off & {b.name for b in blocks}:
                continue
            in_loops = {id(b) for loop in inside.values() for b in loop.component.blocks}
            held = sum(len(m.matrix([b], list(m.bodies[b.tile]))[0][0]) for b in blocks if id(b) not in in_loops)
            freedom = (sum(m.basis(k).shape[1] for k in group if k not in where) - held
                       + sum(loop.freedom for loop in inside.values()))
            moving = [b for b in blocks if not isinstance(self.model.items.get(b.name), Fixed)]
            if freedom == 0 and moving:
                yield self._lock(tuple(b.name for b in m.blocks if b in blocks), list(inside.values()))

    def _lock(self, items: tuple[str, ...], inside: list[loops.Loop]) -> Finding:
        if any(loop.stuck for loop in inside):
            why = "the joints give way infinitesimally but close in no pose nearby; links are stretched out or folded flat"
        else:
            odd = (alignment.odd_axis(self.mechanism, loop.component, self.model, self.report.degrees_of_freedom or 0, _freedom)
                   for loop in inside if self.normal is None)
            why = "; ".join(["the joints leave no degree of freedom", *filter(None, odd)])
        return Finding("locked-mechanism", WARNING, items, f"{names(items)} cannot move: {why}.",
                       "Free a joint or take one out, if this is meant to be a mechanism; nothing, if it is a rigid structure.")


def _freedom(model: Model) -> int | None:
    """Degrees of freedom that the joints of a model leave, in general poses; None if it cannot be told."""
    try:
        mechanism = Mechanism(model.compile())
    except ModelError:
        return None
    tree, components = mechanism.components()
    q = mechanism.system.q0
    total = 0
    for component in components:
        q, left = mechanism.close(component, q)
        rank: Rank | None = analyse(mechanism, component)
        if rank is None or left > 1e-9:
            return None
        total += rank.columns - loops.Loop(component, rank, elsewhere(mechanism, component, rank, q, poses=1)).freedom
    driving = sum(len(b.rows) for b in mechanism.blocks if b.kind == "drive")
    inside = sum(len(b.rows) for c in components for b in c.blocks if b.kind == "drive")
    return sum(mechanism.basis(k).shape[1] for k in mechanism.tiles) - (tree - (driving - inside)) - total
