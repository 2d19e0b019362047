"""Abaqus and CalculiX input files (.inp): nodes, solid elements, sets, surfaces, materials, sections, includes. Steps, supports and loads
are left out: a part is free."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from .mesh import CORNERS, COUNT, FACES, Maker, Mesh, side
from .registry import reads_mesh
from .source import Source, whole

KINDS = {"C3D4": "tet4", "C3D10": "tet10", "C3D8": "hex8", "C3D20": "hex20", "C3D6": "wedge6", "C3D15": "wedge15"}
SUFFIX = re.compile(r"(C3D(?:4|6|8|10|15|20))(R|I|M|H|RH|IH|MH|T)?")
PASSED = {"HEADING", "PREPRINT", "RESTART", "PART", "ENDPART", "ASSEMBLY", "ENDASSEMBLY", "ENDINSTANCE", "EXPANSION", "CONDUCTIVITY",
          "SPECIFICHEAT", "PHYSICALCONSTANTS", "USERMATERIAL", "DEPVAR"}
LOWER = re.compile(r"(CPS|CPE|CAX|T2D|T3D|SFM3D|M3D|S)\d\w*")  # faces and lines: without a section they only name groups
MANY = 1_000_000  # numbers of a set that may be generated before what they number
MAKING = {"SYSTEM", "NGEN", "NCOPY", "NFILL", "NMAP", "ELGEN", "ELCOPY"}
COUPLINGS = {"TIE", "EQUATION", "MPC", "CONTACTPAIR", "EMBEDDEDELEMENT"}  # without them the part would be another one
LOADS = {"BOUNDARY": "supports", "CLOAD": "loads", "DLOAD": "loads", "DSLOAD": "loads"}


@reads_mesh(".inp", rank=2)
def read_inp(path: str | Path) -> Mesh:
    source = Source(path)
    reader = _Inp(source)
    reader.read(source)
    return reader.mesh()


class _Inp:
    """One input file on its way."""

    def __init__(self, source: Source) -> None:
        self.maker = Maker(source, "Abaqus/CalculiX input")
        self.node_sets: dict[str, dict[int, None]] = {}
        self.element_sets: dict[str, dict[int, None]] = {}
        self.surfaces: dict[str, list[tuple[str, str, Source, int]]] = {}
        self.sections: list[tuple[str, str, Source, int]] = []
        self.others: dict[int, tuple[str, list[int]]] = {}   # elements that are not solids
        self.carrying: set[str] = set()                      # element sets with a section
        self.names: dict[str, str] = {}           # sets as they are first written
        self.material = ""
        self.values: dict[str, dict[str, float]] = {}
        self.depth: list[Path] = []
        self.step = False

    # -- keywords
    def read(self, source: Source) -> None:
        if source.path.resolve() in self.depth:
            raise source.fail(1, "includes itself")
        self.depth.append(source.path.resolve())
        lines = [(n, t) for n, t in source if t.strip() and not t.lstrip().startswith("**")]
        k = 0
        while k < len(lines):
            number, text = lines[k]
            if not text.lstrip().startswith("*"):
                raise source.fail(number, f"{text.strip()[:40]!r}: data without a keyword; a line such as *NODE must stand before")
            k += 1
            while text.rstrip().endswith(",") and k < len(lines):
                text = f"{text.rstrip()} {lines[k][1]}"
                k += 1
            first = k
            while k < len(lines) and not lines[k][1].lstrip().startswith("*"):
                k += 1
            self.keyword(source, number, text, lines[first:k])
        self.depth.pop()

    def keyword(self, source: Source, line: int, text: str, data: list[tuple[int, str]]) -> None:
        word, *options = (p.strip() for p in text.strip()[1:].split(","))
        name = re.sub(r"[\s_-]", "", word).upper()
        given = {}
        for option in options:
            key, _, value = option.partition("=")
            given[re.sub(r"\s", "", key).upper()] = value.strip().strip('"')
        if name in ("STEP", "ENDSTEP"):
            self.step = name == "STEP"
            return
        if self.step and name != "INCLUDE":
            self.maker.note("steps are left out: a part is free")
            return
        method: Callable[..., None] | None = getattr(self, f"on_{name.lower()}", None)
        if name.endswith("SECTION") or name in ("MASS", "SPRING", "DASHPOT", "ROTARYINERTIA"):
            self.carrying.add(given.get("ELSET", "").upper())
        if method is not None:
            method(source, line, given, data)
        elif name in MAKING:
            raise source.fail(line, f"*{word.upper()} makes or moves nodes or elements, which is not read; let it write the whole mesh")
        elif name in COUPLINGS:
            self.maker.unsupported[f"coupling *{word.upper()}"] += 1
        elif name in LOADS:
            self.maker.note(f"{LOADS[name]} (*{word.upper()}) are left out: a part is free")
        elif name not in PASSED:
            self.maker.unsupported[f"*{word.upper()}"] += 1

    def on_include(self, source: Source, line: int, given: dict[str, str], _: list[tuple[int, str]]) -> None:
        if "INPUT" not in given:
            raise source.fail(line, "*INCLUDE needs INPUT=file")
        self.read(source.included(given["INPUT"], line))

    def on_instance(self, source: Source, line: int, given: dict[str, str], data: list[tuple[int, str]]) -> None:
        if data:
            raise source.fail(line, "*INSTANCE moves the part; instances that are moved or turned are not read, export the part alone")
        if "instance" in self.names:
            raise source.fail(line, "there is more than one *INSTANCE; export one part alone")
        self.names["instance"] = given.get("NAME", "")

    def on_node(self, source: Source, _: int, given: dict[str, str], data: list[tuple[int, str]]) -> None:
        if given.get("SYSTEM", "R").upper() != "R":
            raise source.fail(_, f"*NODE with SYSTEM={given['SYSTEM']}: only rectangular coordinates are read")
        found: dict[int, None] = {}
        for line, text in data:
            words = _words(text)
            if not 2 <= len(words) <= 7:
                raise source.fail(line, f"a node has a number and three coordinates; there are {len(words)} entries")
            number = source.whole(words[0], line, "a node number")
            if number < 1:
                raise source.fail(line, f"the node number {number} must be at least 1")
            x, y, z = (source.real(w, line, "a coordinate") if w else 0.0 for w in (*words[1:4], "", "")[:3])
            self.maker.node(number, (x, y, z), line, source)
            found[number] = None
        if given.get("NSET"):
            self.set(self.node_sets, given["NSET"], found)

    def on_element(self, source: Source, line: int, given: dict[str, str], data: list[tuple[int, str]]) -> None:
        kind = given.get("TYPE", "").upper()
        match = SUFFIX.fullmatch(kind)
        name = KINDS[match[1]] if match else ""
        if match and match[2]:
            self.maker.note(f"{kind} is read as {name}, integrated fully" + (" with bubbles" if name == "hex8" else ""))
        if not kind:
            raise source.fail(line, "*ELEMENT needs TYPE=")
        found: dict[int, None] = {}
        pending: list[str] = []
        first = line
        for at, text in data:
            first = first if pending else at
            pending += _words(text)
            if text.rstrip().endswith(",") and (not name or len(pending) < COUNT[name] + 1):
                continue
            numbers = [source.whole(w, first, "a whole number") for w in pending if w]
            pending = []
            if name:
                self.maker.element(numbers[0], name, numbers[1:], first, source)
            else:
                self.others[numbers[0]] = (kind, numbers[1:])
            found[numbers[0]] = None
        if pending:
            raise source.fail(first, f"the element {pending[0]} is not complete; the file is cut off")
        if given.get("ELSET"):
            self.set(self.element_sets, given["ELSET"], found)

    def nodes_of(self, element: int) -> list[int]:
        if element in self.maker.elements:
            return self.maker.elements[element][2]
        return self.others.get(element, ("", []))[1]

    # -- sets
    def set(self, sets: dict[str, dict[int, None]], name: str, found: dict[int, None]) -> None:
        self.names.setdefault(name.upper(), name)
        sets.setdefault(name.upper(), {}).update(found)

    def on_nset(self, source: Source, line: int, given: dict[str, str], data: list[tuple[int, str]]) -> None:
        if "ELSET" in given:
            if given["ELSET"].upper() not in self.element_sets:
                raise source.fail(line, f"*NSET: there is no element set {given['ELSET']!r} so far")
            found = {n: None for e in self.element_sets[given["ELSET"].upper()] for n in self.nodes_of(e)}
        else:
            found = self.members(source, given, data, self.node_sets)
        self.set(self.node_sets, self.named(source, line, given, "NSET"), found)

    def on_elset(self, source: Source, line: int, given: dict[str, str], data: list[tuple[int, str]]) -> None:
        self.set(self.element_sets, self.named(source, line, given, "ELSET"), self.members(source, given, data, self.element_sets))

    def named(self, source: Source, line: int, given: dict[str, str], key: str) -> str:
        if not given.get(key):
            raise source.fail(line, f"*{key} needs {key}=name")
        return given[key]

    def members(self, source: Source, given: dict[str, str], data: list[tuple[int, str]],
                sets: dict[str, dict[int, None]]) -> dict[int, None]:
        found: dict[int, None] = {}
        for line, text in data:
            words = [w for w in _words(text) if w]
            if "GENERATE" in given:
                first, last, step = ([source.whole(w, line) for w in words] + [1])[:3] if len(words) in (2, 3) else (0, -1, 0)
                if step < 1 or last < first:
                    raise source.fail(line, "GENERATE needs first, last and a step of at least 1")
                found |= dict.fromkeys(self.existing(range(first, last + 1, step)))
                continue
            for word in words:
                number = whole(word)
                name = word.strip('"').rpartition(".")[2].upper()
                if number is not None:
                    found[number] = None
                elif name in sets:
                    found |= sets[name]
                else:
                    raise source.fail(line, f"{word!r} is neither a number nor a set that was defined before")
        return found

    def existing(self, numbers: range) -> Iterable[int]:
        """Of a long range those that were defined before."""
        if len(numbers) <= MANY:
            return numbers
        return [n for found in (self.maker.nodes, self.maker.elements, self.others) for n in found if n in numbers]

    def on_surface(self, source: Source, line: int, given: dict[str, str], data: list[tuple[int, str]]) -> None:
        kind = given.get("TYPE", "ELEMENT").upper()
        name = self.named(source, line, {"SURFACE": given.get("NAME", "")}, "SURFACE")
        self.names.setdefault(name.upper(), name)
        entries = self.surfaces.setdefault(name.upper(), [])
        for at, text in data:
            words = _words(text)
            face = "" if kind == "NODE" else words[1].upper() if len(words) > 1 else "?"
            entries.append((words[0], face, source, at))

    # -- materials
    def on_material(self, source: Source, line: int, given: dict[str, str], _: list[tuple[int, str]]) -> None:
        self.material = self.named(source, line, {"MATERIAL": given.get("NAME", "")}, "MATERIAL").upper()
        self.values.setdefault(self.material, {})

    def on_elastic(self, source: Source, line: int, given: dict[str, str], data: list[tuple[int, str]]) -> None:
        if given.get("TYPE", "ISO").upper() not in ("ISO", "ISOTROPIC"):
            raise source.fail(line, f"*ELASTIC, TYPE={given['TYPE']}: only isotropic materials are read; import matrices instead")
        at, words = (data[0][0], _words(data[0][1])) if data else (line, [])
        if len(words) < 2:
            raise source.fail(at, "*ELASTIC needs Young's modulus and Poisson's ratio")
        self.values.setdefault(self.material, {}).update(E=source.real(words[0], at), nu=source.real(words[1], at))
        if len(data) > 1:
            self.maker.note("materials that depend on temperature: the first line of values was taken")

    def on_density(self, source: Source, line: int, _: dict[str, str], data: list[tuple[int, str]]) -> None:
        if not data:
            raise source.fail(line, "*DENSITY needs a value")
        self.values.setdefault(self.material, {})["rho"] = source.real(_words(data[0][1])[0], data[0][0])

    def on_solidsection(self, source: Source, line: int, given: dict[str, str], _: list[tuple[int, str]]) -> None:
        if "COMPOSITE" in given:
            raise source.fail(line, "*SOLID SECTION, COMPOSITE: layers are not read; import matrices instead")
        self.sections.append((given.get("ELSET", "").upper(), given.get("MATERIAL", "").upper(), source, line))

    # -- together
    def count_others(self) -> None:
        carrying = {e for name in self.carrying for e in self.element_sets.get(name, {})}
        for number, (kind, _) in self.others.items():
            if LOWER.fullmatch(kind) and number not in carrying:
                self.maker.note(f"elements of type {kind} without a section only name groups")
            else:
                self.maker.unsupported[f"element type {kind}"] += 1

    def mesh(self) -> Mesh:
        m = self.maker
        self.count_others()
        for elset, material, source, line in self.sections:
            if elset not in self.element_sets:
                raise source.fail(line, f"*SOLID SECTION: there is no element set {elset!r}")
            if material not in self.values:
                raise source.fail(line, f"*SOLID SECTION: there is no material {material!r}")
            for e in self.element_sets[elset]:
                if e in m.elements:
                    kind, _, nodes = m.elements[e]
                    m.elements[e] = (kind, material, nodes)
        for name, v in self.values.items():
            if "E" in v:
                m.materials[name] = (v["E"], v["nu"], v.get("rho"))
        for name, found in self.element_sets.items():
            m.add_to(self.names[name], (n for e in found for n in self.nodes_of(e)))
        for name, found in self.node_sets.items():
            m.groups.pop(self.names[name], None)
            m.add_to(self.names[name], found)
        for name, entries in self.surfaces.items():
            for entry in entries:
                m.add_to(self.names[name], self.on_side(*entry))
        return m.mesh()

    def on_side(self, what: str, face: str, source: Source, line: int) -> dict[int, None]:
        number, name = whole(what), what.rpartition(".")[2].upper()
        if not face:  # a surface of nodes
            if number is None and name not in self.node_sets:
                raise source.fail(line, f"{what!r} is neither a node nor a set of nodes")
            return self.node_sets[name] if number is None else {number: None}
        elements = {number: None} if number is not None else self.element_sets.get(name)
        side_number = whole(face[1:]) if face.startswith("S") else None
        if elements is None or side_number is None:
            raise source.fail(line, f"{what}, {face}: a surface names elements or a set of them, and a side S1 to S6")
        found: dict[int, None] = {}
        for e in elements:
            if e in self.maker.elements:
                kind, _, nodes = self.maker.elements[e]
                if not 1 <= side_number <= len(FACES[CORNERS[kind]]):
                    raise source.fail(line, f"element {e} has no side {face}")
                found |= dict.fromkeys(nodes[k] for k in side(kind, side_number - 1))
        return found


def _words(text: str) -> list[str]:
    words = [w.strip() for w in text.split(",")]
    return words[:-1] if len(words) > 1 and not words[-1] else words
