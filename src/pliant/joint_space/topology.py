"""Spanning forest of a mechanism: which joints carry bodies from the ground outward, and which close loops.

Joints of the tree are those with the most equations, so that few equations are left to close loops; among equals driven ones first, then
those near the ground, which keeps paths short. Where that leaves a body without mass at the end of a branch, free to move, its joints come
first instead: the loop is cut elsewhere. A body that no joint of the tree reaches floats: it is the base of a tree of its own.
Joints that events switch on and off are always cut.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..families import modal
from ..families.rigid import BODY, MASS
from ..items.base import did_you_mean
from ..items.declarations import FREE, TreeJoint

if TYPE_CHECKING:
    from ..compile.channel_map import ChannelMap, JointRecord
    from ..compile.system import System

@dataclass(frozen=True)
class Link:
    """A body and the joint that carries it; ``parent`` may be "ground". ``joint``: None for a base that floats."""
    body: str
    parent: str
    joint: str | None
    kind: str
    tree: TreeJoint
    reversed: bool = False  # the body is on the first side of its joint


@dataclass(frozen=True)
class Topology:
    """Links, parents before children; joints that close loops, with their bodies; joints between joints (gears), whose equations count
    as a loop."""
    links: tuple[Link, ...]
    cut: dict[str, tuple[str, str]]
    coupled: tuple[str, ...] = ()

    @property
    def freedom(self) -> int:
        """Coordinates of the tree."""
        return sum(link.tree.freedom for link in self.links)

    def path(self, body: str) -> list[str]:
        """Bodies from this one to the ground."""
        parent, found = {link.body: link.parent for link in self.links}, []
        while body != "ground":
            found.append(body)
            body = parent[body]
        return found

    def loop(self, joint: str) -> list[str]:
        """Bodies of the loop that a cut joint closes, from one side of it to the other."""
        a, b = (self.path(body) for body in self.cut[joint])
        top = "ground"
        while a and b and a[-1] == b[-1]:
            top = a.pop()
            b.pop()
        return [*a, top, *b[::-1]]

    def text(self) -> str:
        """The forest as indented lines, and the loops."""
        below: dict[str, list[Link]] = {}
        for link in self.links:
            below.setdefault(link.parent, []).append(link)
        lines, stack = ["ground"], [(link, 1) for link in reversed(below.get("ground", []))]
        while stack:
            link, depth = stack.pop()
            how = f"{link.joint}, {link.kind}" if link.joint else "floats"
            lines.append(f"{'  ' * depth}{link.body}  ({how})")
            stack += [(child, depth + 1) for child in reversed(below.get(link.body, []))]
        for joint in self.cut:
            bodies = self.loop(joint)
            shown = " - ".join(bodies if len(bodies) <= 8 else [*bodies[:4], "...", *bodies[-3:]])
            lines.append(f"loop closed by {joint}: {shown}")
        lines += [f"joints coupled by {name}" for name in self.coupled]
        return "\n".join(lines)


def carried(record: JointRecord) -> tuple[str, TreeJoint] | None:
    """The kind as which a joint carries a body, and how; None: it can only be cut. So is one with more equations than its kind."""
    if record.carrier is None or record.carrier.tree is None or len(record.rows) + record.carrier.tree.freedom != 6:
        return None
    return record.carrier.kind, record.carrier.tree


def masses_of(system: System) -> dict[str, float]:
    """Of the bodies of a compiled model [kg]."""
    rows = [e for family in (BODY, modal.BODY) for e in range(*system.families.get(family, (0, 0)))]
    return {system.owners[e]: float(system.data.rp[e, MASS]) for e in rows}


def spanning_forest(directory: ChannelMap, masses: dict[str, float], cut: Sequence[str] = ()) -> Topology:
    """The forest of a compiled model; ``masses`` of its bodies [kg]; ``cut``: joints that must close loops."""
    nodes = {node for beam in directory.beams.values() for node in beam.nodes}  # a beam counts as one body
    masses = {body: m for body, m in masses.items() if body not in nodes} | {beam: directory.masses[beam] for beam in directory.beams}
    joints = directory.joints | {f"plane of {body}": record for body, record in directory.holds.items() if body not in nodes}
    for name in cut:
        if name not in directory.joints:
            raise ValueError(f"Recursion: cut: there is no joint {name!r}{did_you_mean(name, directory.joints)}")
    near = _distances(masses, [r.bodies for r in joints.values()])
    driven = {joint for _, _, joint, _ in directory.drives.values()}
    kinds = {name: kind for name, r in joints.items() if name not in cut and name not in directory.switched and (kind := carried(r))}
    spins = {body: round(float(np.linalg.norm(s.values[3:])), 9) if s.which[3] else np.inf for body, s in directory.stated.items()}
    spins |= {name: spins[beam.nodes[0]] for name, beam in directory.beams.items()}

    coupled = tuple(name for name in directory.couplings if name not in directory.joints)

    def forest(first: Iterable[str]) -> Topology:
        def place(name: str) -> tuple[bool, int, bool, int]:
            bodies = joints[name].bodies
            return not set(bodies) & set(first), kinds[name][1].freedom, name not in driven, sum(near[b] for b in bodies)
        return _grown(joints, kinds, _chosen(joints, sorted(kinds, key=place), masses), masses, spins, coupled)
    found = forest(())
    if loose := _loose(found, masses, driven):
        other = forest(loose)
        if len(_loose(other, masses, driven)) < len(loose):
            return other
    return found


def _chosen(joints: dict[str, JointRecord], order: Iterable[str], bodies: Iterable[str]) -> dict[str, list[str]]:
    """The joints of the tree at every body: in this order, those that close no loop."""
    group = {body: body for body in ("ground", *bodies)}
    chosen: dict[str, list[str]] = {body: [] for body in group}
    for name in order:
        a, b = (_root(group, body) for body in joints[name].bodies)
        if a != b:
            group[a] = b
            for body in joints[name].bodies:
                chosen[body].append(name)
    return chosen


def _loose(topology: Topology, masses: dict[str, float], driven: set[str]) -> list[str]:
    """Bodies that, with all they carry, have no mass, and whose joint lets them move."""
    carried = dict(masses)
    for link in reversed(topology.links):
        carried[link.parent] = carried.get(link.parent, 0.0) + carried[link.body]
    free = [x for x in topology.links if x.tree.freedom > 1 or (x.tree.freedom == 1 and x.joint not in driven)]
    return [x.body for x in free if not carried[x.body] > 0]


def _grown(joints: dict[str, JointRecord], kinds: dict[str, tuple[str, TreeJoint]], chosen: dict[str, list[str]], masses: dict[str, float],
           spins: dict[str, float], coupled: tuple[str, ...]) -> Topology:
    """Links outward from the ground, then from a base of every part that is not connected to it: of bodies whose turning is stated
    the slowest, else the heaviest."""
    links: list[Link] = []
    seen, used = {"ground"}, set()

    def grow(start: str) -> None:
        queue = [start]
        for body in queue:  # it grows
            for name in chosen[body]:
                a, b = joints[name].bodies
                other = b if a == body else a
                if other not in seen:
                    seen.add(other)
                    used.add(name)
                    links.append(Link(other, body, name, kinds[name][0], kinds[name][1], other == a))
                    queue.append(other)
    grow("ground")
    for base in sorted(masses, key=lambda body: (spins[body], -masses[body])):
        if base not in seen:
            seen.add(base)
            links.append(Link(base, "ground", None, "free", FREE))
            grow(base)
    return Topology(tuple(links), {name: r.bodies for name, r in joints.items() if name not in used}, coupled)


def _root(group: dict[str, str], body: str) -> str:
    while group[body] != body:
        group[body] = group[group[body]]
        body = group[body]
    return body


def _distances(bodies: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Joints between a body and the ground."""
    near: dict[str, set[str]] = {}
    for a, b in pairs:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    found, queue = {"ground": 0}, ["ground"]
    for body in queue:
        for other in near.get(body, ()):
            if other not in found:
                found[other] = found[body] + 1
                queue.append(other)
    return {"ground": 0} | {body: found.get(body, 0) for body in bodies}
