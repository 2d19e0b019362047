"""gmsh meshes (.msh), text formats 2.2 and 4.1; physical groups become groups of nodes, those of volumes also name materials."""
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .mesh import Maker, Mesh
from .registry import reads_mesh
from .source import FileError, Source, real, whole

SOLIDS = {4: "tet4", 11: "tet10", 5: "hex8", 17: "hex20", 6: "wedge6", 18: "wedge15"}
LOWER = {1: 2, 2: 3, 3: 4, 8: 3, 9: 6, 10: 9, 15: 1, 16: 8}  # nodes of points, lines and faces: they only name groups
OTHER = {7: "pyramid with 5 nodes", 12: "brick with 27 nodes", 13: "prism with 18 nodes", 14: "pyramid with 14 nodes",
         19: "pyramid with 13 nodes", 21: "triangle with 10 nodes", 26: "line with 4 nodes", 29: "tetrahedron with 20 nodes"}
TO_ABAQUS = {"tet10": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
             "hex20": [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15],
             "wedge15": [0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11]}


class _Section:
    """Lines between $Name and $EndName, as words."""

    def __init__(self, source: Source, name: str, first: int, last: int) -> None:
        self.source, self.name, self.at, self.last = source, name, first, last

    def words(self, least: int, what: str) -> list[str]:
        """The next line that is not empty."""
        while self.at < self.last and not self.source.lines[self.at].strip():
            self.at += 1
        if self.at >= self.last:
            raise self.source.fail(self.at + 1, f"${self.name} ends where {what} should follow; its counts are wrong or it is cut off")
        self.at += 1
        found = self.source.lines[self.at - 1].split()
        if len(found) < least:
            raise self.source.fail(self.at, f"has {len(found)} entries, {what} has at least {least}")
        return found

    def wholes(self, least: int, what: str) -> list[int]:
        found = [whole(w) for w in self.words(least, what)]
        if None in found:
            raise self.source.fail(self.at, f"{what} must be whole numbers")
        return found  # type: ignore[return-value]

    def reals(self, words: list[str]) -> tuple[float, float, float]:
        x, y, z = (real(w) for w in words[:3])
        if x is None or y is None or z is None:
            raise self.source.fail(self.at, f"{' '.join(words[:3])!r} must be three coordinates")
        return x, y, z

    def done(self) -> None:
        """Nothing may be left."""
        for k in range(self.at, self.last):
            if self.source.lines[k].strip():
                raise self.source.fail(k + 1, f"${self.name} has more lines than it said; its counts are wrong")


@reads_mesh(".msh", rank=1)
def read_gmsh(path: str | Path) -> Mesh:
    source = Source(path)
    sections = {s.name: s for s in _sections(source)}
    if "MeshFormat" not in sections:
        raise source.fail(1, "is not a gmsh mesh: it must begin with $MeshFormat")
    version, kind, *_ = sections["MeshFormat"].words(3, "version, file type and size")
    if kind != "0":
        raise source.fail(2, "is a binary gmsh mesh; save it as text: gmsh part.msh -save -o text.msh -bin 0, or Mesh.Binary = 0")
    if version not in ("2.2", "2", "4.1"):
        raise source.fail(2, f"has gmsh format {version}; 2.2 and 4.1 are read: gmsh part.msh -save -o new.msh -format msh41")
    for name in ("Nodes", "Elements"):
        if name not in sections:
            raise FileError(f"{path}: has no ${name}; the file is cut off or holds no mesh")
    maker = Maker(source, f"gmsh {version}")
    names = _names(sections.get("PhysicalNames"))
    (_read41 if version == "4.1" else _read22)(maker, sections, names)
    if "PartitionedEntities" in sections:
        maker.note("partitions of the mesh are not read")
    return maker.mesh()


def _sections(source: Source) -> Iterator[_Section]:
    name, first, seen = "", 0, set[str]()
    for line, text in source:
        text = text.strip()
        if not text.startswith("$"):
            continue
        if name and text == f"$End{name}":
            yield _Section(source, name, first, line - 1)
            name = ""
        elif name:
            raise source.fail(line, f"${name} of line {first} is not ended before {text}")
        elif text.startswith("$End"):
            raise source.fail(line, f"{text} ends nothing")
        else:
            name, first = text[1:], line
            if name in seen and name in ("Nodes", "Elements", "PhysicalNames", "Entities"):
                raise source.fail(line, f"${name} comes twice")
            seen.add(name)
    if name:
        raise source.fail(len(source.lines), f"${name} of line {first} has no $End{name}; the file is cut off")


def _names(section: _Section | None) -> dict[tuple[int, int], str]:
    """Names of physical groups by dimension and number."""
    names: dict[tuple[int, int], str] = {}
    if section is None:
        return names
    for _ in range(section.wholes(1, "the number of names")[0]):
        line = " ".join(section.words(3, "a physical name"))
        dimension, number, name = line.split(maxsplit=2)
        key = (section.source.whole(dimension, section.at), section.source.whole(number, section.at))
        names[key] = name.strip().strip('"')
    section.done()
    return names


def _name(names: dict[tuple[int, int], str], dimension: int, tag: int) -> str:
    return names.get((dimension, tag), f"{('point', 'line', 'surface', 'volume')[min(max(dimension, 0), 3)]}_{tag}")


def _read22(maker: Maker, sections: dict[str, _Section], names: dict[tuple[int, int], str]) -> None:
    s = sections["Nodes"]
    for _ in range(s.wholes(1, "the number of nodes")[0]):
        words = s.words(4, "a node")
        maker.node(maker.source.whole(words[0], s.at, "a node number"), s.reals(words[1:]), s.at)
    s.done()
    s = sections["Elements"]
    for _ in range(s.wholes(1, "the number of elements")[0]):
        number, kind, tags, *rest = s.wholes(4, "an element")
        if not 0 <= tags <= len(rest):
            raise maker.source.fail(s.at, f"element {number} says it has {tags} tags")
        dimension = _dimension(kind)
        group = _name(names, dimension, rest[0]) if tags and rest[0] else ""
        _element(maker, s, number, kind, rest[tags:], [group] if group else [])
    s.done()


def _dimension(kind: int) -> int:
    return {15: 0, 1: 1, 8: 1, 26: 1, 2: 2, 3: 2, 9: 2, 10: 2, 16: 2, 21: 2}.get(kind, 3)


def _read41(maker: Maker, sections: dict[str, _Section], names: dict[tuple[int, int], str]) -> None:
    groups = _entities(sections.get("Entities"), names)
    s = sections["Nodes"]
    blocks, total, *_ = s.wholes(4, "counts of nodes")
    for _ in range(blocks):
        count = s.wholes(4, "a block of nodes")[3]
        numbers = [s.wholes(1, "a node number")[0] for _ in range(count)]
        for number in numbers:
            maker.node(number, s.reals(s.words(3, "coordinates")), s.at)
    s.done()
    if len(maker.nodes) != total:
        raise maker.source.fail(s.last, f"{len(maker.nodes)} nodes are given, {total} are announced")
    s = sections["Elements"]
    blocks, total, *_ = s.wholes(4, "counts of elements")
    found = 0
    for _ in range(blocks):
        dimension, entity, kind, count = s.wholes(4, "a block of elements")[:4]
        for _ in range(count):
            number, *nodes = s.wholes(2, "an element")
            _element(maker, s, number, kind, nodes, groups.get((dimension, entity), []))
            found += 1
    s.done()
    if found != total:
        raise maker.source.fail(s.last, f"{found} elements are given, {total} are announced")


def _entities(section: _Section | None, names: dict[tuple[int, int], str]) -> dict[tuple[int, int], list[str]]:
    """Physical groups of the parts of the geometry."""
    groups: dict[tuple[int, int], list[str]] = {}
    if section is None:
        return groups
    for dimension, count in enumerate(section.wholes(4, "counts of points, curves, surfaces and volumes")[:4]):
        place = 4 if dimension == 0 else 7
        for _ in range(count):
            words = section.words(place + 1, "a part of the geometry")
            number = section.source.whole(words[0], section.at)
            tags = section.source.whole(words[place], section.at)
            if not 0 <= tags <= len(words) - place - 1:
                raise section.source.fail(section.at, f"says it is in {tags} groups, and names {len(words) - place - 1}")
            physical = [abs(section.source.whole(w, section.at)) for w in words[place + 1:place + 1 + tags]]
            groups[dimension, number] = [_name(names, dimension, tag) for tag in physical]
    return groups


def _element(maker: Maker, s: _Section, number: int, kind: int, nodes: list[int], groups: list[str]) -> None:
    for group in groups:
        maker.add_to(group, nodes)
    if kind in SOLIDS:
        name = SOLIDS[kind]
        order = TO_ABAQUS.get(name)
        if order is not None and len(nodes) == len(order):
            nodes = [nodes[k] for k in order]
        maker.element(number, name, nodes, s.at, material=groups[0] if groups else "", again=True)
    elif kind in LOWER:
        if len(nodes) != LOWER[kind]:
            raise maker.source.fail(s.at, f"element {number} has {len(nodes)} nodes, its type {kind} has {LOWER[kind]}")
    else:
        maker.unsupported[f"gmsh element type {kind} ({OTHER.get(kind, 'unknown')})"] += 1
        if kind in (12, 13, 14):
            maker.note("elements with nodes inside their faces are not read: mesh with Mesh.SecondOrderIncomplete = 1")
