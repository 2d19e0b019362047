"""Nastran bulk data: GRID, CTETRA, CHEXA, CPENTA, PSOLID, MAT1, CORD2R, RBE2 and RBE3 (as groups), DMIG matrices; free, small and large
fields. Written after the manual; no licensed program has checked it."""
from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .matrices import Labelled, symmetric
from .mesh import Maker, Mesh
from .registry import reads_mesh
from .source import FileError, Source, whole

SOLIDS = {"CTETRA": {4: "tet4", 10: "tet10"}, "CHEXA": {8: "hex8", 20: "hex20"}, "CPENTA": {6: "wedge6", 15: "wedge15"}}
TO_ABAQUS = {"hex20": [*range(12), *range(16, 20), *range(12, 16)], "wedge15": [*range(9), *range(12, 15), *range(9, 12)]}
SHELLS = {"CTRIA3": 3, "CTRIA6": 6, "CQUAD4": 4, "CQUAD8": 8, "CTRIAR": 3, "CQUADR": 4}
RIGID = "RBE2", "RBE3"
COUPLINGS = {"MPC", "RBAR", "RROD", "RJOINT", "BGSET"}  # without them the part would be another one
FREE = {"SPC", "SPC1", "SPCADD", "FORCE", "MOMENT", "PLOAD4", "GRAV", "LOAD", "EIGRL", "EIGR", "SUPORT", "SUPORT1", "TEMP", "TEMPD"}
PASSED = {"PARAM", "ENDDATA", "PSOLID", "PSHELL", "PCOMP", "MAT1", "CORD2R", "GRID", "DMIG", "SET1", "ASET", "ASET1", "QSET1", "SPOINT",
          "BEGIN"}


class Card(NamedTuple):
    """``fields`` without the name: eight for each line."""
    name: str
    fields: list[str]
    source: Source
    line: int

    def get(self, k: int) -> str:
        return self.fields[k].strip() if k < len(self.fields) else ""

    def whole(self, k: int, what: str) -> int:
        return self.source.whole(self.get(k), self.line, f"{what} of {self.name}")

    def real(self, k: int, what: str, default: float | None = 0.0) -> float:
        if not self.get(k) and default is not None:
            return default
        return self.source.real(self.get(k), self.line, f"{what} of {self.name}")


def cards(source: Source, seen: tuple[Path, ...] = ()) -> Iterator[Card]:
    """The bulk data entries, continuations joined, includes in place."""
    if source.path.resolve() in seen:
        raise source.fail(1, "includes itself")
    begin = next((n for n, t in source if re.match(r"\s*BEGIN\s+BULK", t, re.IGNORECASE)), 0)
    card: Card | None = None
    for line, text in source:
        text = text.split("$")[0].rstrip().expandtabs(8)
        if line <= begin or not text.strip():
            continue
        if found := re.match(r"\s*INCLUDE\s+['\"]?([^'\"]+)", text, re.IGNORECASE):
            if card is not None:
                yield card
            card = None
            yield from cards(source.included(found[1].strip(), line), (*seen, source.path.resolve()))
            continue
        name, fields = _split(text)
        if name == "" or name.startswith(("+", "*")):
            if card is None:
                raise source.fail(line, "continues nothing: an entry must stand before it")
            card.fields.extend(fields)
            continue
        if card is not None:
            yield card
        card = None
        if name.upper() == "ENDDATA":
            return
        card = Card(name.upper().rstrip("*"), fields, source, line)
    if card is not None:
        yield card


def _split(text: str) -> tuple[str, list[str]]:
    """Name and the fields of one line: eight, or four of large ones."""
    if "," in text:
        name, *fields = text.split(",")
        count = 4 if name.strip().endswith("*") or name.strip().startswith("*") else 8
        return name.strip(), (fields + [""] * count)[:count]
    name = text[:8].strip()
    width, count = (16, 4) if "*" in name else (8, 8)
    return name, [text[8 + width * k:8 + width * (k + 1)] for k in range(count)]


@reads_mesh(".bdf", ".nas", ".fem", ".dat", rank=3)
def read_bulk(path: str | Path) -> Mesh:
    source = Source(path)
    found: dict[str, list[Card]] = {}
    for card in cards(source):
        found.setdefault(card.name, []).append(card)
    maker = Maker(source, "Nastran bulk data")
    _materials(maker, found)
    _grids(maker, found)
    _solids(maker, found)
    _shells(maker, found)
    for name in RIGID:
        for card in found.get(name, []):
            maker.add_to(f"{name}_{card.get(0)}", _dependent(card))
            maker.note(f"{name} are not read as couplings: their nodes are groups, join them as interfaces")
    _others(maker, found)
    if not any(re.match(r"ENDDATA", t, re.IGNORECASE) for t in source.lines):
        maker.note("ENDDATA is missing: the file may be cut off")
    if "DMIG" in found and maker.elements:
        maker.note("DMIG matrices are left out, since there are elements")
    mesh = maker.mesh()
    mesh.matrices = lambda: dmig(path)
    return mesh


def _solids(maker: Maker, found: dict[str, list[Card]]) -> None:
    material = {c.whole(0, "the number"): f"MAT1 {c.whole(1, 'the material')}" for c in found.get("PSOLID", [])}
    for name in SOLIDS:
        for card in found.get(name, []):
            _solid(maker, card, material)


def _shells(maker: Maker, found: dict[str, list[Card]]) -> None:
    """Shells name groups of nodes; those with a property would carry loads, which is not read."""
    carrying = {c.get(0) for name in ("PSHELL", "PCOMP", "PCOMPG") for c in found.get(name, [])}
    for name, count in SHELLS.items():
        for card in found.get(name, []):
            maker.add_to(f"PID_{card.get(1)}", [card.whole(k, "a node") for k in range(2, 2 + count) if card.get(k)])
            if card.get(1) in carrying:
                maker.unsupported[f"element {name}"] += 1
            else:
                maker.note(f"elements {name} without a property only name groups")


def _others(maker: Maker, found: dict[str, list[Card]]) -> None:
    """Entries that are left out: supports and loads do no harm, others are told."""
    for name, some in found.items():
        if name in FREE:
            maker.note(f"{name} is left out: a part is free")
        elif not any(name in read for read in (PASSED, SOLIDS, SHELLS, RIGID)):
            element = name.startswith("C") and not name.startswith("CORD")
            kind = "coupling" if name in COUPLINGS else "element" if element else "entry"
            maker.unsupported[f"{kind} {name}"] += len(some)


def _materials(maker: Maker, found: dict[str, list[Card]]) -> None:
    for card in found.get("MAT1", []):
        E = card.real(1, "E", None)
        G = card.real(2, "G")
        nu = card.real(3, "NU") if card.get(3) else E / (2 * G) - 1 if G else 0.0
        maker.materials[f"MAT1 {card.whole(0, 'the number')}"] = (E, nu, card.real(4, "RHO", None) if card.get(4) else None)


def _grids(maker: Maker, found: dict[str, list[Card]]) -> None:
    systems = {card.get(0): _system(card) for card in found.get("CORD2R", [])}
    if "GRDSET" in found:
        raise found["GRDSET"][0].source.fail(found["GRDSET"][0].line, "GRDSET is not read; write coordinate systems into the GRID entries")
    for card in found.get("GRID", []):
        number = card.whole(0, "the number")
        if number < 1:
            raise card.source.fail(card.line, f"the node number {number} must be at least 1")
        x = np.array([card.real(2 + k, "a coordinate") for k in range(3)])
        if (cp := card.get(1)) not in ("", "0"):
            if cp not in systems:
                raise card.source.fail(card.line, f"the coordinate system {cp} of node {number} is not read; only CORD2R is")
            origin, axes = systems[cp]
            x = origin + axes @ x
        if card.get(5) not in ("", "0", "-1"):
            maker.note("displacement coordinate systems (CD) are not used for meshes")
        maker.node(number, (float(x[0]), float(x[1]), float(x[2])), card.line, card.source)


def _system(card: Card) -> tuple[np.ndarray, np.ndarray]:
    if card.get(1) not in ("", "0"):
        raise card.source.fail(card.line, "CORD2R in another coordinate system is not read; define it in the basic one")
    A, B, C = (np.array([card.real(2 + 3 * j + k, "a coordinate") for k in range(3)]) for j in range(3))
    z = B - A
    y = np.cross(z, C - A)
    if not np.linalg.norm(y) > 1e-12 * np.linalg.norm(z) * np.linalg.norm(C - A):
        raise card.source.fail(card.line, "the three points of CORD2R must not be in a line")
    z, y = z / np.linalg.norm(z), y / np.linalg.norm(y)
    return A, np.column_stack((np.cross(y, z), y, z))


def _solid(maker: Maker, card: Card, material: dict[int, str]) -> None:
    fields = [f.strip() for f in card.fields[2:]]
    while fields and not fields[-1]:
        fields.pop()
    kind = SOLIDS[card.name].get(len(fields))
    if kind is None or "" in fields:
        counts = " or ".join(str(k) for k in SOLIDS[card.name])
        raise card.source.fail(card.line, f"{card.name} {card.get(0)} has {len([f for f in fields if f])} nodes, {counts} are read")
    nodes = [card.source.whole(f, card.line, "a node number") for f in fields]
    nodes = [nodes[k] for k in TO_ABAQUS.get(kind, range(len(nodes)))]
    number = card.whole(0, "the number")
    PID = card.whole(1, "the property") if card.get(1) else number
    maker.add_to(f"PID_{PID}", nodes)
    maker.element(number, kind, nodes, card.line, card.source, material.get(PID, ""))


def _dependent(card: Card) -> list[int]:
    if card.name == "RBE2":
        return [n for f in card.fields[3:] if (n := whole(f)) is not None and "." not in f]
    nodes, skip = [], False
    for f in card.fields[4:]:
        f = f.strip()
        if f.upper() in ("UM", "ALPHA"):
            break
        if "." in f:
            skip = True          # a weight; the components follow
        elif f and skip:
            skip = False
        elif (n := whole(f)) is not None:
            nodes.append(n)
    return nodes


def dmig(path: str | Path) -> Labelled:
    """The stiffness and mass among the DMIG matrices: the names that begin with K and M."""
    source = Source(path)
    names: dict[str, dict[tuple[int, int, int, int], float]] = {}
    for card in cards(source):
        if card.name == "DMIG":
            _dmig(card, names)
        elif card.name == "GRID" and card.get(5) not in ("", "0"):
            raise card.source.fail(card.line, "displacements in another coordinate system (CD) are not read with matrices")
    if not names:
        raise FileError(f"{path}: has neither solid elements nor DMIG matrices")
    chosen = []
    for letter, what in (("K", "stiffness"), ("M", "mass")):
        found = [n for n in names if n.startswith(letter)]
        if len(found) != 1:
            raise FileError(f"{path}: one DMIG matrix named {letter}… is needed as the {what}; there are {', '.join(names)}")
        chosen.append(names[found[0]])
    labels = sorted({k[:2] for m in chosen for k in m} | {k[2:] for m in chosen for k in m})
    place = {label: k for k, label in enumerate(labels)}
    K, M = (symmetric(np.array([place[k[2:]] for k in m]), np.array([place[k[:2]] for k in m]), np.array(list(m.values())), len(labels))
            for m in chosen)
    return Labelled(f"DMIG matrices of {source.path.name}", np.array(labels, np.int64), K, M)


def _dmig(card: Card, names: dict[str, dict[tuple[int, int, int, int], float]]) -> None:
    name = card.get(0).upper()
    if card.get(1) == "0":
        if card.get(3) not in ("1", "2"):
            raise card.source.fail(card.line, f"DMIG {name} has numbers of type {card.get(3)}; real ones (1, 2) are read")
        if card.get(2) not in ("1", "6"):
            raise card.source.fail(card.line, f"DMIG {name} has the form {card.get(2)}; square (1) and symmetric (6) ones are read")
        names.setdefault(name, {})
        return
    if name not in names:
        raise card.source.fail(card.line, f"DMIG {name} has a column before its head")
    column = (card.whole(1, "the node"), card.whole(2, "the component"))
    for k in range(4, len(card.fields), 4):
        if not any(f.strip() for f in card.fields[k:k + 4]):
            continue
        row = (card.whole(k, "a node"), card.whole(k + 1, "a component"))
        if not (1 <= row[1] <= 6 and 1 <= column[1] <= 6):
            raise card.source.fail(card.line, f"DMIG {name} has scalar points; only components 1 to 6 of nodes are read")
        names[name][*column, *row] = names[name].get((*column, *row), 0.0) + card.real(k + 2, "a value", None)
