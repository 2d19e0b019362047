"""A mesh as files describe it, on its way to an FE model: nodes and elements with their numbers, groups of nodes, materials."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .source import FileError, Source

if TYPE_CHECKING:
    from .matrices import Labelled

FACES: dict[int, list[tuple[int, ...]]] = {  # corners of the sides, in the order of Abaqus, inward
    4: [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)],
    8: [(0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)],
    6: [(0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0)],
}
EDGES = {  # ends of the edges, in the order of Abaqus' mid-side nodes
    4: [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    8: [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
    6: [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
}
CORNERS = {"tet4": 4, "tet10": 4, "hex8": 8, "hex20": 8, "wedge6": 6, "wedge15": 6}
COUNT = {"tet4": 4, "tet10": 10, "hex8": 8, "hex20": 20, "wedge6": 6, "wedge15": 15}


class Block(NamedTuple):
    """Elements of one kind and material: numbers in the file, nodes (e, b) by their place in `Mesh.x`."""
    kind: str
    material: str
    ids: np.ndarray
    nodes: np.ndarray


@dataclass
class Mesh:
    """Coordinates in the units of the file. ``groups``: places of nodes in ``x`` by name. ``materials``: (E, nu, rho) by name."""
    path: str
    format: str
    ids: np.ndarray
    x: np.ndarray
    blocks: list[Block]
    groups: dict[str, np.ndarray]
    materials: dict[str, tuple[float, float, float | None]]
    unsupported: Counter[str]
    notes: list[str]
    lines: dict[int, tuple[Source, int]] = field(default_factory=dict)  # of elements
    matrices: Callable[[], Labelled] | None = None  # those that the file may hold in place of elements


def side(kind: str, number: int) -> list[int]:
    """Places in an element of the nodes on one side, corners first."""
    corners = CORNERS[kind]
    face = FACES[corners][number]
    mids = [corners + k for k, (a, b) in enumerate(EDGES[corners]) if a in face and b in face] if COUNT[kind] > corners else []
    return [*face, *mids]


@dataclass
class Maker:
    """Collects what a reader finds; `mesh` checks it and numbers it."""
    source: Source
    format: str
    nodes: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    node_lines: dict[int, tuple[Source, int]] = field(default_factory=dict)
    elements: dict[int, tuple[str, str, list[int]]] = field(default_factory=dict)
    element_lines: dict[int, tuple[Source, int]] = field(default_factory=dict)
    places: dict[tuple[int, ...], int] = field(default_factory=dict)         # elements by their sorted nodes
    groups: dict[str, dict[int, None]] = field(default_factory=dict)         # node numbers
    materials: dict[str, tuple[float, float, float | None]] = field(default_factory=dict)
    unsupported: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def node(self, number: int, x: tuple[float, float, float], line: int, source: Source | None = None) -> None:
        where = source or self.source
        if number < 0:
            raise where.fail(line, f"the node number {number} must not be negative")
        if number in self.nodes:
            if self.nodes[number] != x:
                first, at = self.node_lines[number]
                raise where.fail(line, f"node {number} is defined again, at another place than in {first.path.name}:{at}; remove one")
            self.note("nodes defined twice, at the same place, were read once")
        self.nodes[number] = x
        self.node_lines[number] = (where, line)

    def element(self, number: int, kind: str, nodes: list[int], line: int, source: Source | None = None, material: str = "",
                again: bool = False) -> None:
        """``again``: an element on the nodes of another is the same one, and read once."""
        where = source or self.source
        if len(nodes) != COUNT[kind]:
            raise where.fail(line, f"element {number} has {len(nodes)} nodes, an element of this kind has {COUNT[kind]}")
        if len(set(nodes)) < len(nodes):
            raise where.fail(line, f"element {number} names a node twice: {', '.join(str(n) for n in nodes)}; collapsed ones are not read")
        if number in self.elements:
            raise where.fail(line, f"element {number} is defined again, first in {self.element_lines[number][0].path.name}:"
                                   f"{self.element_lines[number][1]}; remove one of them")
        first = self.places.setdefault(tuple(sorted(nodes)), number)
        if first != number:
            if not again:
                raise where.fail(line, f"element {number} has the nodes of element {first}; two elements in one place are not read")
            self.note("elements written again for another group were read once")
            return
        self.elements[number] = (kind, material, nodes)
        self.element_lines[number] = (where, line)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def add_to(self, group: str, nodes: Any) -> None:
        self.groups.setdefault(group, {}).update(dict.fromkeys(nodes))

    def mesh(self) -> Mesh:
        """All nodes, also unattached ones, by rising number."""
        if not self.nodes:
            raise FileError(f"{self.source.path}: has no nodes")
        ids = np.array(sorted(self.nodes), np.int64)
        x = np.array([self.nodes[int(n)] for n in ids], float)
        blocks = []
        for kind, material in dict.fromkeys((k, m) for k, m, _ in self.elements.values()):
            numbers = [n for n, (k, m, _) in self.elements.items() if (k, m) == (kind, material)]
            blocks.append(Block(kind, material, np.array(numbers), self._places(ids, numbers)))
        if not self.source.ended:
            self.note("the last line has no end: the file may be cut off")
        groups = {}
        for name, found in self.groups.items():
            inside = np.array([n for n in found if n in self.nodes], np.int64)
            if len(inside) < len(found):
                self.note(f"group {name!r} names {len(found) - len(inside)} nodes that do not exist; they were left out")
            groups[name] = np.searchsorted(ids, np.sort(inside))
        return Mesh(str(self.source.path), self.format, ids, x, blocks, groups, self.materials, self.unsupported, self.notes,
                    self.element_lines)

    def _places(self, ids: np.ndarray, numbers: list[int]) -> np.ndarray:
        wanted = np.array([self.elements[n][2] for n in numbers], np.int64)
        places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
        wrong = np.argwhere(ids[places] != wanted)
        if len(wrong):
            e, k = wrong[0]
            where, line = self.element_lines[numbers[e]]
            hint = "; nodes are numbered from 1 in this file, is the element from 0?" if wanted[e, k] == 0 else ""
            raise where.fail(line, f"element {numbers[e]} names node {wanted[e, k]}, which does not exist{hint}")
        return places
