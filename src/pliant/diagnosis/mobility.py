"""Degrees of freedom, and parts of a model that have none."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..items.joints import Fixed
from ..report.finding import WARNING, Finding, names
from . import alignment
from .findings import Report
from .loops import Loop, drive_equations, freedom_of
from .mechanism import Block, Mechanism, connected
from .registry import RANKED, check

if TYPE_CHECKING:
    from .examination import Examination


def count(report: Report, mechanism: Mechanism, tree: int, found: list[Loop]) -> None:
    """Equations and degrees of freedom of a model. ``tree``: equations of what is like a tree."""
    columns = sum(mechanism.basis(k).shape[1] for k in mechanism.tiles)
    driving, inside = drive_equations(mechanism.blocks), sum(drive_equations(loop.component.blocks) for loop in found)
    joints = tree - (driving - inside)
    report.equations = tree + sum(loop.pose.equations for loop in found)
    report.rank = tree + sum(loop.pose.whole for loop in found)
    report.rolling, shared = mechanism.rolling()
    report.not_unique |= dict.fromkeys(shared, "forces of friction")
    report.redundant, report.drives = report.equations - report.rank, driving
    report.degrees_of_freedom_at_pose = columns - joints - sum(loop.pose.joints for loop in found)
    report.degrees_of_freedom = columns - joints - sum(loop.pose.columns - loop.freedom for loop in found)
    drives = sum(loop.generic.whole - loop.generic.joints for loop in found) + driving - inside
    report.degrees_of_freedom_after_drives = report.degrees_of_freedom - drives


@check("locked-mechanism", "joints that leave no motion", RANKED)
def locked(e: Examination) -> Iterator[Finding]:
    """Parts of the model, connected by joints to the ground, that cannot move at all."""
    if not e.complete:
        return
    m, told = e.mechanism, e.locked
    where = {k: loop for loop in e.loops for k in loop.component.tiles}
    for group in connected([m.bodies[tile] for tile in m.groups]):
        blocks = _blocks_of(m, group)
        inside = {id(where[k]): where[k] for k in group if k in where}
        if inside.keys() & told or e.off & {b.name for b in blocks}:  # that needs no more words
            continue
        moving = any(not isinstance(e.model.items.get(b.name), Fixed) for b in blocks)
        if moving and _freedom(m, group - where.keys(), blocks, list(inside.values())) == 0:
            yield _lock(e, tuple(b.name for b in m.blocks if b in blocks), list(inside.values()))


def _blocks_of(m: Mechanism, group: set[int]) -> list[Block]:
    """Joints and couplings between the bodies of a group."""
    return [b for tile, part in m.groups.items() if m.bodies[tile][0] in group for b in part if b.kind != "drive"]


def _freedom(m: Mechanism, single: set[int], blocks: list[Block], inside: list[Loop]) -> int:
    """Of a group: bodies that are in no loop, less what joints hold of them, and the freedom of its loops."""
    in_loops = {id(b) for loop in inside for b in loop.component.blocks}
    held = sum(len(m.matrix([b], list(m.bodies[b.tile]))[0][0]) for b in blocks if id(b) not in in_loops)
    return sum(m.basis(k).shape[1] for k in single) - held + sum(loop.freedom for loop in inside)


def _lock(e: Examination, items: tuple[str, ...], inside: list[Loop]) -> Finding:
    if any(loop.stuck for loop in inside):
        why = "the joints give way infinitesimally but close in no pose nearby; links are stretched out or folded flat"
    else:
        freedom = e.report.degrees_of_freedom or 0
        odd = (alignment.odd_axis(e.mechanism, loop.component, e.model, freedom, freedom_of)
               for loop in inside if e.normal is None)
        why = "; ".join(["the joints leave no degree of freedom", *filter(None, odd)])
    return Finding("locked-mechanism", WARNING, items, f"{names(items)} cannot move: {why}.",
                   "Free a joint or take one out, if this is meant to be a mechanism; nothing, if it is a rigid structure.")
