"""What the ranks of a component mean: redundant equations, singular poses, drives in conflict, reactions that are not unique."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..items.errors import ModelError
from ..kernels import evaluation
from ..report.finding import ERROR, NOTE, WARNING, Finding, names
from ..report.words import MOTIONS, REACTIONS, describe, direction
from .mechanism import Block, Component, Mechanism
from .rank import Dependency, Rank, analyse, elsewhere
from .registry import RANKED, check

if TYPE_CHECKING:
    from ..model import Model
    from .examination import Examination

REPLACEMENTS = {(3, 0): "a Spherical joint", (2, 0): "a PointOnLine along {axis}", (1, 0): "a PointOnPlane with the normal {normal}",
                (3, 1): "a Universal joint", (2, 2): "a Cylindrical joint", (1, 2): "a Planar joint"}
MOMENTS = (0.0, 0.013, 0.11, 0.27, 0.41, 0.63, 0.79, 1.0)  # parts of the duration at which drives are compared


@dataclass
class Loop:
    """A component, its rank in the pose as modelled, and in poses nearby."""
    component: Component
    pose: Rank
    nearby: list[Rank]

    @property
    def generic(self) -> Rank:
        """The rank in general poses: the largest that was found."""
        return max([self.pose, *self.nearby], key=lambda r: (r.joints, r.whole))

    @property
    def stuck(self) -> bool:
        """Only infinitesimal motion: no pose nearby satisfies the joints."""
        return self.pose.freedom > 0 and not self.nearby

    @property
    def freedom(self) -> int:
        return 0 if self.stuck else self.generic.freedom

    @property
    def drive_names(self) -> set[str]:
        return {b.name for b in self.component.blocks if b.kind == "drive"}

    @property
    def structural(self) -> Rank:
        """The rank whose dependencies hold everywhere: of the pose as modelled, unless that is singular."""
        return self.pose if (self.pose.joints, self.pose.whole) == (self.generic.joints, self.generic.whole) else self.generic


def redundancy(loops: list[Loop]) -> Iterator[Finding]:
    """One note for every joint or coupling that closes a loop with equations to spare."""
    for found in loops:
        rank = found.structural
        by_block: dict[str, list[Dependency]] = {}
        for d in rank.redundant(drives=False):
            by_block.setdefault(d.block.name, []).append(d)
        for name, dependencies in by_block.items():
            yield _redundant(name, dependencies, rank, found.component)


def _in_order(component: Component, wanted: set[str]) -> list[str]:
    return [b.name for b in component.blocks if b.name in wanted]


def _redundant(name: str, dependencies: list[Dependency], rank: Rank, component: Component) -> Finding:
    block = dependencies[0].block
    others = _in_order(component, {o for d in dependencies for o in d.others})
    items = (*_in_order(component, {*others, name}),)
    count, equations = len(dependencies), len(rank.held[name])
    by = f"by {names(others)}" if others else "by its other equations"
    if block.kind == "coupling":
        return Finding("redundant-equations", NOTE, items, f"coupling {name!r} is already fixed {by}.",
                       "Leave it out, or leave it as it is: the motion is the same, its effort is not unique.")
    F = _held(rank, name, [d.parts[name] for d in dependencies])
    what = "everything it holds" if count == equations else describe(F, MOTIONS, rank.axes[name]) or "its coupling"
    verb = "are" if count > 1 and count < equations else "is"
    message = (f"joint {name!r}: {what} {verb} already fixed {by}; {count} of its {equations} equation{'s' * (equations > 1)} "
               f"{'is' if count == 1 else 'are'} redundant.")
    options = _options(F, rank.held[name], name) if others else "Leave out the equation that is there twice"
    return Finding("redundant-equations", NOTE, items, message, f"{options}, or leave it as it is: the motion is the same, of the "
                   "reactions the smallest ones are shown.")


def _held(rank: Rank, name: str, parts: list[np.ndarray]) -> np.ndarray:
    """What combinations of the equations of a block hold; where they cancel, what the equations themselves hold."""
    out = [y @ rank.held[name] for y in parts]
    for y, F in zip(parts, list(out), strict=True):
        if abs(F).max() < 1e-9 * abs(y).max():
            out += list(rank.held[name][abs(y) > 1e-6 * abs(y).max()])
    return np.array(out)


def _options(redundant: np.ndarray, held: np.ndarray, name: str) -> str:
    """What to put in place of a joint, and whether a plane model would do."""
    basis = _span(redundant)
    left = _span(held - held @ basis.T @ basis)
    options = []
    if not len(left):
        options.append(f"leave {name!r} out")
    else:
        t, r = (int(np.linalg.matrix_rank(left[:, part], tol=1e-6)) for part in (slice(0, 3), slice(3, 6)))
        if t + r == len(left) and (t, r) in REPLACEMENTS:
            V = np.linalg.svd(left[:, :3])[2]
            options.append(f"make {name!r} " + REPLACEMENTS[t, r].format(axis=direction(V[2]), normal=direction(V[0])))
    normal = plane_of(redundant)
    if normal is not None:
        word = direction(normal)
        options.append("set planar=True" if word == "z" else f'set planar="{word}"' if len(word) == 1 else f"set planar={word}")
    options.append("put a Bushing in place of a joint")
    options[0] = options[0][0].upper() + options[0][1:]
    return ", ".join(options)


def plane_of(F: np.ndarray) -> np.ndarray | None:
    """The normal, if the functionals hold the displacement along it and the two rotations across it, as in a plane loop."""
    basis = _span(F)
    if len(basis) != 3:
        return None
    along = basis[np.linalg.norm(basis[:, :3], axis=1) > 1e-6]
    normal = np.linalg.svd(along[:, :3])[2][0] if len(along) else np.zeros(3)
    wanted = np.zeros((3, 6))
    wanted[0, :3], wanted[1:, 3:] = normal, np.linalg.svd(normal[None, :])[2][1:]
    return normal if abs(wanted - wanted @ basis.T @ basis).max() < 1e-6 else None


def _span(rows: np.ndarray) -> np.ndarray:
    _, S, V = np.linalg.svd(rows)
    return np.asarray(V[:int((S > 1e-7).sum())])


# -- reactions
def not_unique(loops: list[Loop]) -> Iterator[tuple[Component, dict[str, str]]]:
    """Of every component: the part of the reactions, by joint, that internal forces can change."""
    for found in loops:
        rank, parts = found.structural, dict[str, list[np.ndarray]]()
        for d in rank.dependencies:
            for name, y in d.parts.items():
                parts.setdefault(name, []).append(y)
        kinds = {b.name: b.kind for b in found.component.blocks}
        words = {}
        for name in _in_order(found.component, set(parts)):
            F = _held(rank, name, parts[name])
            words[name] = (describe(F, REACTIONS, rank.axes[name]) if kinds[name] == "joint" else "") or "effort"
        yield found.component, words


def reactions(loops: list[Loop]) -> tuple[dict[str, str], list[Finding]]:
    """All parts of reactions that are not unique, and one note for every component that has some."""
    whole: dict[str, str] = {}
    out = []
    for _, words in not_unique(loops):
        whole |= words
        if words:
            same: dict[str, list[str]] = {}
            for name, text in words.items():
                same.setdefault(text, []).append(name)
            listed = "; ".join(f"{text} at {names(which)}" for text, which in same.items())
            out.append(Finding("non-unique-reactions", NOTE, tuple(words), f"the equations do not determine all reactions: {listed}.",
                               "Their sums are right; how the joints share them depends on stiffnesses that rigid bodies do not have. Put "
                               "a Bushing or a flexible body where it matters, or release the redundant directions."))
    return whole, out


# -- poses
def singular(mechanism: Mechanism, loops: list[Loop]) -> Iterator[Finding]:
    """Ranks that are lower in the pose as modelled than nearby."""
    for found in loops:
        pose, generic = found.pose, found.generic
        if found.stuck or pose.whole >= generic.whole:
            continue
        usual = generic.counts()
        extra = [d for d in pose.dependencies if pose.counts()[d.block.name] > usual.get(d.block.name, 0)]
        drives = [d for d in extra if d.block.kind == "drive"]
        driven = {mechanism.directory.drives[d.block.name][2] for d in drives}
        items = tuple(_in_order(found.component, {name for d in extra for name in d.parts} | driven))
        if pose.joints < generic.joints:
            message = (f"in the pose as modelled {names(items)} lie so that the mechanism has {pose.freedom} degrees of freedom "
                       f"instead of {generic.freedom}: motions branch here, and reactions are not unique.")
            yield Finding("singular-pose", WARNING, items, message, "Start a little beside this pose, say by a degree.")
        elif drives:
            stuck = any(contradiction(mechanism, pose, d, 0.0) for d in drives)
            message = (f"drive {names(d.block.name for d in drives)} acts at a dead centre: in the pose as modelled it cannot move the "
                       "mechanism, while in poses nearby it can.")
            yield Finding("singular-pose", ERROR if stuck else WARNING, items, message,
                          "Start beside the dead centre, or drive another joint.")


def by_time(mechanism: Mechanism, t: float) -> np.ndarray:
    """Velocities of all equations while everything is at rest: C_t."""
    s, x = mechanism.system, mechanism.x
    x.V[:], x.v[:], x.a[:] = 0, 0, 0
    evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
    return np.where(np.isfinite(x.V), x.V, 0.0)


def contradiction(mechanism: Mechanism, rank: Rank, dependency: Dependency, t: float) -> bool:
    """Whether the drives of a dependency move against each other or against the joints: n . C_t is not zero.   [diagnosis-5]"""
    moving = by_time(mechanism, t)
    rows = {b.name: b.rows for b in mechanism.blocks if b.kind == "drive"}
    terms = [float(y @ (rank.combinations[name] @ moving[rows[name]])) for name, y in dependency.parts.items() if name in rows]
    return abs(sum(terms)) > 1e-7 * max(1e-12, sum(map(abs, terms)))


def drives(mechanism: Mechanism, loops: list[Loop], duration: float) -> Iterator[Finding]:
    """Drives of coordinates that joints or other drives fix."""
    kinds = {b.name: b.kind for b in mechanism.blocks}
    for found in loops:
        rank = found.structural
        for d in rank.redundant(drives=True):
            ordered = _in_order(found.component, set(d.parts))
            which = [n for n in ordered if kinds[n] == "drive"]
            joints = [n for n in ordered if kinds[n] != "drive"]
            other = [n for n in which if n != d.block.name]
            items = tuple(which if other else [*which, *joints])
            by = f"drive {names(other)}" if other else f"the joints {names(joints)}"
            if _conflict(mechanism, found, rank, d, len(which), duration):
                yield Finding("conflicting-drives", ERROR, items, f"drive {d.block.name!r} moves a coordinate that {by} "
                              f"fix{'es' * (len(other) == 1)} already, and they contradict each other.",
                              "Remove a drive, or free a joint so that the mechanism can move as it is driven.")
            else:
                yield Finding("redundant-drives", WARNING, items, f"drive {d.block.name!r} prescribes a coordinate that {by} "
                              f"fix{'es' * (len(other) == 1)} already; at the start they agree.",
                              "Remove a drive; its effort is not unique, and the run stops where they no longer agree.")


def _conflict(mechanism: Mechanism, found: Loop, rank: Rank, d: Dependency, count: int, duration: float) -> bool:
    if contradiction(mechanism, rank, d, 0.0):
        return True
    if count > 1:  # later the pose is another one; only if the dependency is the same everywhere are the functions comparable
        for other in found.nearby:
            same = [e for e in other.dependencies if e.block.name == d.block.name]
            if not same or not all(_alike(d, same[0], b) for b in set(d.parts) | set(same[0].parts) if b in found.drive_names):
                return False
    return any(contradiction(mechanism, rank, d, part * duration) for part in MOMENTS)


def _alike(a: Dependency, b: Dependency, name: str) -> bool:
    """Whether a block has the same part in two dependencies, each relative to its own block."""
    x, y = (d.parts.get(name, np.zeros(1)) / d.parts[d.block.name] for d in (a, b))
    return x.shape == y.shape and bool(np.allclose(x, y, rtol=1e-6, atol=1e-6))


# -- degrees of freedom
def drive_equations(blocks: list[Block]) -> int:
    return sum(len(b.rows) for b in blocks if b.kind == "drive")


def freedom_of(model: Model) -> int | None:
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
        total += rank.columns - Loop(component, rank, elsewhere(mechanism, component, rank, q, poses=1)).freedom
    driving, inside = drive_equations(mechanism.blocks), sum(drive_equations(c.blocks) for c in components)
    return sum(mechanism.basis(k).shape[1] for k in mechanism.tiles) - (tree - (driving - inside)) - total


# -- the checks
@check("redundant-equations", "equations of joints that others fix already", RANKED)
def _redundancy(e: Examination) -> Iterator[Finding]:
    return redundancy([loop for loop in e.free if not loop.stuck])


@check("non-unique-reactions", "reactions that the equations do not determine", RANKED)
def _reactions(e: Examination) -> list[Finding]:
    return reactions([loop for loop in e.free if not loop.stuck])[1]


@check("singular-pose", "a pose in which the mechanism branches or sticks", RANKED)
def _singular(e: Examination) -> Iterator[Finding]:
    return singular(e.mechanism, e.free)


@check("conflicting-drives", "drives that contradict each other or the joints", RANKED)
@check("redundant-drives", "more drives than there is to drive", RANKED)
def _drives(e: Examination) -> Iterator[Finding]:
    return drives(e.mechanism, e.free, e.settings.length)
