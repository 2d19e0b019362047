"""Flexible parts as text: a YAML file that describes mesh, material, interfaces and reduction. Problems have file and line, as in models.

    pliant: 1
    material: steel                     # or aluminium, or {E: 210 GPa, nu: 0.3, rho: 7850 kg/m^3}
    mesh: {beam: {points: [[0, 0, 0], [450 mm, 0, 0]], section: {circle: {radius: 8 mm}}, elements: 20}}
    interfaces: {start: 0, end: [450 mm, 0, 0]}
    reduce: {modes: 6}

A mesh of an FE program: ``mesh: {file: {path: rod.msh, units: "mm, t, s"}}``; its material may be in the file.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import flex
from ..flex.interfaces import PlaceError
from ..functions.field_error import FieldError
from ..functions.units import must, shown
from ..items.base import did_you_mean
from ..items.errors import TextError
from ..items.messages import dotted
from .yaml_lines import Map, Problem, load_yaml, locate, located, plain

if TYPE_CHECKING:
    from ..flex.fe import FE
    from ..flex.reduced import Reduced

VERSION = 1
TOP = ("pliant", "material", "mesh", "interfaces", "frames", "lines", "loads", "reduce")
PLACES = ("interfaces", "frames", "lines", "loads")
MATERIALS = {"steel": "STEEL", "aluminium": "ALUMINIUM"}
MESHES, SECTIONS = ("beam", "box", "file"), ("rectangle", "circle", "tube", "general")
FOREIGN = ("fe", "interfaces", "frames", "lines", "shapes", "loads", "load_shapes", "material", "self")  # arguments that are not keys
Path_ = tuple[Any, ...]


def read_part(path: str | Path) -> tuple[FE, Callable[..., Reduced]]:
    """The mesh that a file describes, and how it is reduced."""
    from .model_text import _contents
    data, problems = load_yaml(_contents(Path(path)), str(path))
    if not isinstance(data, Map):
        raise TextError([f"{path}:1: a part is a mapping that begins with 'pliant: {VERSION}'; it is {shown(data)}"])
    reader = _Part(data, problems, Path(path).parent)
    return reader.mesh(), reader.reduce


class _Part:
    """One text on its way to a part."""

    def __init__(self, data: Map, problems: list[Problem], folder: Path) -> None:
        self.data, self.problems, self.folder = data, problems, folder
        for key in data:
            if key not in TOP:
                self.note((key,), f"unknown key {shown(key)}{did_you_mean(key, TOP)}")
        if data.get("pliant") != VERSION or isinstance(data.get("pliant"), bool):
            self.note(("pliant",), f"{must(data.get('pliant'), f'must be {VERSION}')}; a part begins with 'pliant: {VERSION}'")

    def note(self, path: Path_, message: str) -> None:
        self.problems.append(Problem(locate(self.data, path), f"{dotted(path)}: {message}"))

    def stop(self) -> None:
        """Raise if there are problems."""
        if self.problems:
            raise TextError([str(p) for p in self.problems])

    def mesh(self) -> FE:
        self.fe: Any = None
        kind, data, path = self.one_of(("mesh",), MESHES)
        material = self.material() if kind != "file" or "material" in self.data else None
        if kind == "beam":
            section = self.section((*path, "section"))
            options = self.options(path, data, flex.mesh_beam, ("section",))
            if section is not None and material is not None and options is not None:
                self.fe = self.call(path, flex.mesh_beam, options | {"section": section, "material": material})
        elif kind == "box":
            options = self.options(path, data, flex.mesh_box)
            if material is not None and options is not None:
                self.fe = self.call(path, flex.mesh_box, options | {"material": material})
        elif kind == "file":
            options = self.options(path, data, flex.read)
            if options is not None:
                files = {k: self.folder / str(options[k]) for k in ("path", "mesh") if k in options}
                self.fe = self.call(path, flex.read, options | files | {"material": material})
        self.checked = self.options(("reduce",), self.data.get("reduce"), flex.reduce)
        for key in PLACES:
            if key in self.data and not isinstance(self.data[key], Map):
                self.note((key,), must(plain(self.data[key]), "must be a mapping of names to places, such as {start: 0}"))
        self.stop()
        found: FE = self.fe
        return found

    def reduce(self, how: Callable[..., Reduced] | None = None, **more: Any) -> Reduced:
        """By `flex.reduce`, or ``how`` with further options."""
        assert self.checked is not None
        places = {key: plain(self.data.get(key)) for key in PLACES}
        made = self.call(("reduce",), how or flex.reduce, {"fe": self.fe, **places, **self.checked, **more})
        self.stop()
        found: Reduced = made
        return found

    def material(self) -> Any:
        value = plain(self.data.get("material"))
        if isinstance(value, str) and value in MATERIALS:
            return getattr(flex, MATERIALS[value])
        if not isinstance(value, dict):
            self.note(("material",), must(value, f"must be {' or '.join(MATERIALS)}, or have the entries E, nu, rho"))
            return None
        options = self.options(("material",), self.data["material"], flex.Material)
        return None if options is None else self.call(("material",), flex.Material, options)

    def section(self, path: Path_) -> Any:
        kind, data, path = self.one_of(path, SECTIONS)
        if not kind:
            return None
        options = self.options(path, data, getattr(flex.Section, kind))
        return None if options is None else self.call(path, getattr(flex.Section, kind), options)

    def one_of(self, path: Path_, kinds: tuple[str, ...]) -> tuple[str, Any, Path_]:
        """The single entry of the mapping at ``path``: its key, which is one of ``kinds``, and what belongs to it."""
        value: Any = self.data
        for key in path:
            value = value.get(key) if isinstance(value, Map) else None
        if not isinstance(value, Map) or len(value) != 1 or next(iter(value)) not in kinds:
            unknown = [k for k in value if k not in kinds] if isinstance(value, Map) else []
            rule = f"must be a mapping with one entry: {' or '.join(kinds)}"
            self.note((*path, *unknown[:1]), f"unknown key {shown(unknown[0])}{did_you_mean(unknown[0], kinds)}" if unknown else
                      must(plain(value), rule))
            return "", None, path
        kind = next(iter(value))
        return kind, value[kind], (*path, kind)

    def options(self, path: Path_, data: Any, function: Any, others: tuple[str, ...] = ()) -> dict[str, Any] | None:
        """Entries for a function: its arguments by name; None if some are unknown or missing."""
        arguments = {k: p for k, p in inspect.signature(function).parameters.items() if k not in FOREIGN}
        if not isinstance(data, Map):
            self.note(path, must(plain(data), f"must be a mapping with the entries {', '.join(arguments)}"))
            return None
        before = len(self.problems)
        for key in data:
            if key not in arguments:
                self.note((*path, key), f"unknown key {shown(key)}{did_you_mean(key, arguments)}")
        for key, argument in arguments.items():
            if key not in data and argument.default is inspect.Parameter.empty:
                self.note((*path, key), f"is missing; {path[-1]} needs it")
        return None if len(self.problems) > before else {k: v for k, v in plain(data).items() if k not in others}

    def call(self, path: Path_, function: Callable[..., Any], options: dict[str, Any]) -> Any:
        """Call; what is refused is told at the entry it is about."""
        try:
            with located(str(locate(self.data, path))):
                return function(**options)
        except ValueError as error:
            self.note(*_place(path, error, self.data))
        return None


def _place(path: Path_, error: ValueError, data: Map) -> tuple[Path_, str]:
    """Path and message of an error: what is about an argument or an interface belongs to its entry."""
    if isinstance(error, PlaceError):
        section, name, *entry = error.path
        inside = bool(entry) and isinstance(data[section][name], Map) and entry[0] in data[section][name]
        return ((section, name, entry[0]), error.rule) if inside else ((section, name), error.told)
    if not isinstance(error, FieldError):
        return path, str(error)
    where: Any = data
    for key in path:
        where = where[key] if isinstance(where, Map) else None
    if isinstance(where, Map) and error.field in where:
        return (*path, error.field), error.rule
    return ((error.field,), error.rule) if error.field in data else (path, error.told)
