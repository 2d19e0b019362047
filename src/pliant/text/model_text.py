"""The text model: YAML in and out. All problems of a text are reported at once, each with its line."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..analyses import entries
from ..compile.planar import normal_of
from ..functions.field_error import FieldError
from ..functions.parameters import Parameter, check_name, has_expressions, resolved
from ..functions.parser import KNOWN, Names
from ..functions.printable import same_letters, same_name
from ..functions.rewriting import clash
from ..functions.units import must, shown
from ..items import kinds as _kinds  # noqa: F401 - fills KINDS
from ..items.base import BODIES, KINDS, Between, Item, did_you_mean, number, vector
from ..items.bodies import Ground
from ..items.errors import TextError
from ..items.messages import NOUNS, dotted, explain, text_keys
from ..items.modal import ModalBody
from ..items.naming import settle
from ..items.shapes import KINDS as SHAPES
from ..items.shapes import MAKERS
from ..items.synonyms import key_meant, kind_meant
from ..methods.selection import choice
from ..model import SECTIONS, Model
from ..safe_files.hdf5 import is_hdf5
from ..safe_files.journal import is_journal
from . import cross_references, simulate_options
from .changes import apply_change
from .includes import add_includes, later, make_changes
from .model_writing import to_text, write
from .named_values import read_parameters, read_tables
from .schema import DEFAULT_KINDS, schema
from .styles import read_styles
from .yaml_lines import LARGEST, VERSION, Map, Problem, load_yaml, locate, located, missing_blank, plain

__all__ = ["TextError", "from_text", "read", "schema", "to_text", "write"]

Replaced = Callable[[dict[str, Any]], dict[str, Any]]
TOP = ("pliant", "name", "parameters", "tables", "include", "gravity", "planar", "ground", *SECTIONS, "style", "simulate", *entries.ENTRIES)
EXAMPLES = {"bodies": "mass: 2 kg, inertia: [1, 1, 1]", "joints": "kind: revolute, between: [ground, crank.start]",
            "drives": "joint: A, coordinate: angle, function: 2 * t", "forces": "kind: force, frame: crank, vector: [0, 0, 1]",
            "measures": "between: [ground, crank.end]", "variables": "expression: 2 * A.angle", "blocks": "kind: integral, input: sin(t)"}
MASS, DENSITY = TypeAdapter(number("kg", least=0.0)), TypeAdapter(number("kg/m^3", positive=True))


def read(path: str | Path, *, changes: Iterable[str] = ()) -> Model:
    """Read a YAML model. ``changes`` such as ``bodies.crank.mass=2 kg`` replace values before the model is checked."""
    return _Reader(_contents(Path(path)), str(path), Path(path).parent, changes).model()


def _contents(file: Path) -> str:
    try:
        if not file.exists():
            raise TextError([f"{file}: file not found"])
        if not file.is_file():  # reading a device or a pipe may never end
            raise TextError([f"{file}: is {'a folder' if file.is_dir() else 'not a file'}; a model is a YAML file"])
        if is_hdf5(file) or is_journal(file):
            raise TextError([f"{file}: is a file of results or of a part, not a model; pl.load({str(file)!r}) reads results"])
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, TextError):
            raise
        raise TextError([f"{shown(str(file))}: cannot be read: {getattr(error, 'strerror', None) or error}"]) from None
    if len(data) > LARGEST:
        raise TextError([f"{file}: {file.stat().st_size / 2**20:.0f} MB, must be at most {LARGEST // 2**20} MB"])
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:4]:
        raise TextError([f"{file}:1: looks like UTF-16 text; save it as UTF-8"])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TextError([f"{file}:{line}: byte {error.start} is not UTF-8 text; a model is a YAML file, save it as UTF-8"]) from None


def from_text(text: str, source: str = "model") -> Model:
    """A model from YAML text; ``source`` names it in messages. Relative files are looked for in the current directory."""
    return _Reader(text, source, Path(), ()).model()


class _Reader:
    """One text on its way to a Model. Problems are collected, not raised."""

    def __init__(self, text: str, source: str, folder: Path, changes: Iterable[str], replaced: Replaced | None = None) -> None:
        self.folder, self.replaced = folder, replaced  # replaced: of a text that is stored with what it names
        self.chain: tuple[Path, ...] = ((folder / Path(source).name).resolve(),)  # of texts that include each other, this one last
        self.count, self.included = [0], list[str]()  # how many texts are included in all, and what is wrong in them
        self.parameters: dict[str, Parameter] = {}
        self.named: dict[str, str] = {}  # names of parameters and tables, and what they are
        self.data, self.problems = load_yaml(same_letters(text), source)
        if not isinstance(self.data, Map):
            found = "it is empty" if self.data is None else f"it is {shown(self.data)}"
            raise TextError([f"{source}:1: a model is a mapping that begins with 'pliant: {VERSION}'; {found}"])
        self.later = []
        for change in changes:
            if (inner := later(self.data, change)) is not None:
                self.later.append(inner)
            else:
                apply_change(self.data, same_letters(change))

    def inner(self, file: Path) -> _Reader:
        """Of a text that this one includes."""
        reader = _Reader(_contents(file), str(self.folder / file.relative_to(self.folder.resolve())), file.parent, ())
        reader.chain, reader.count = (*self.chain, file), self.count
        return reader

    def note(self, path: tuple[Any, ...], message: str) -> None:
        self.problems.append(Problem(locate(self.data, path), f"{dotted(path)}: {message}"))

    def model(self) -> Model:
        self.top()
        name = self.one(("name",), simulate_options.text, "model")
        self.parameters = read_parameters(self)
        gravity = self.one(("gravity",), TypeAdapter(vector("m/s^2")).validate_python, (0.0, 0.0, 0.0))
        model = Model(name, gravity, self.settings(), self.one(("planar",), _planar, None))
        model.parameters, model.tables = self.parameters, read_tables(self)
        if has_expressions(written := plain(self.data.get("gravity"))):
            model.gravity_as_written = written
        model.analyses = self.analyses()
        add_includes(self, model)
        self.parameters = model.parameters
        self.named |= {n: f"{self.named.get(n, 'an item')} of a text that is included" for n in model._all() if n not in self.named}
        inside = {section: {i.name for i in model.section(section, inactive=True)} for section in SECTIONS}
        if self.included:
            raise TextError([*(str(p) for p in self.problems), *self.included])
        items = list(self.entries())
        self.add_ground(model)
        bodies = BODIES.set({*map(same_name, self.section_names("bodies")), *inside["bodies"]})
        known = KNOWN.set(Names({**model.names().values, **dict.fromkeys(self.section_names("variables"))}, model.tables))
        try:
            for path, data in items:
                item = self.item(path, data)
                if item is not None and item.name not in model.items:
                    model.items[item.name] = item
        finally:
            KNOWN.reset(known)
            BODIES.reset(bodies)
        model.styles |= read_styles(self, model)
        named = {section: set(map(same_name, self.section_names(section))) | inside[section] for section in SECTIONS}
        settle(model.items, set().union(*named.values()))
        for path, message in cross_references.problems(model, named):
            self.note(path, message)
        if self.problems:
            ordered = sorted(self.problems, key=lambda p: p.at.line)  # what has no line comes first
            raise TextError([str(p) for p in ordered])
        make_changes(model, self.later)
        return model

    def top(self) -> None:
        for key in self.data:
            if key not in TOP:
                self.note((key,), f"unknown key {shown(key)}{key_meant(key, TOP)}")
        if "pliant" not in self.data:
            self.problems.append(Problem(self.data.at, f"pliant: is missing; a model begins with 'pliant: {VERSION}'"))
        elif self.data["pliant"] != VERSION or isinstance(self.data["pliant"], bool):
            found = self.data["pliant"]
            self.note(("pliant",), f"version {shown(found)} of the text model is not known; this program reads {VERSION}")

    def one(self, path: tuple[str, ...], check: Callable[[Any], Any], default: Any) -> Any:
        """A single value, checked."""
        value: Any = self.data
        for key in path:
            if not isinstance(value, Map) or value.get(key) is None:
                return default
            value = value[key]
        try:
            return check(self.resolved(plain(value)))
        except ValidationError as error:
            for inner, message in explain(error, None):
                self.note((*path, *inner), message)
        except FieldError as error:
            self.note((*path, *(k for k in error.path if k != "")), error.rule)
        except ValueError as error:
            self.note(path, str(error))
        return default

    def resolved(self, value: Any) -> Any:
        """With numbers in place of expressions of parameters."""
        return resolved(value, {name: p.value for name, p in self.parameters.items()})

    def mapping(self, path: tuple[str, ...], value: Any, of: str) -> Map:
        """The mapping at ``path``; nothing counts as an empty one."""
        if isinstance(value, Map):
            return value
        if value is not None:
            self.note(path, f"must be a mapping of {of}, found {shown(value)}")
        return Map(self.data.at)

    def settings(self) -> dict[str, Any]:
        data = self.mapping(("simulate",), self.data.get("simulate"), "options to values")
        settings = {k: v for k, v in plain(data).items() if v is not None}
        found = list(simulate_options.problems(self.of_entry("simulate", settings), list(data)))
        for path, message in found:
            self.note(("simulate", *path), message)
        for what in ("integrator", "formulation"):
            if what in settings and not any(path[0] == what for path, _ in found):
                settings[what] = choice(what, settings[what])
        return settings

    def of_entry(self, entry: str, options: dict[str, Any]) -> dict[str, Any]:
        """Options with numbers in place of expressions; those that are wrong are told, and left out."""
        found = {}
        for key, value in options.items():
            try:
                found[key] = self.resolved(value)
            except FieldError as error:
                self.note((entry, key, *(k for k in error.path if k != "")), error.rule)
        return found

    def analyses(self) -> dict[str, dict[str, Any]]:
        """Options of the other analyses, by name."""
        found = {}
        for entry in (e for e in entries.ENTRIES if e in self.data):
            data = self.mapping((entry,), self.data[entry], "options to values")
            found[entry] = {k: v for k, v in plain(data).items() if v is not None}
            for path, message in entries.problems(entry, self.of_entry(entry, found[entry]), list(data)):
                self.note((entry, *path), message)
        return found

    def ground(self) -> Ground:
        data = self.mapping(("ground",), self.data.get("ground"), "the one entry frames")
        for key in data:
            if key != "frames":
                self.note(("ground", key), f"unknown key {shown(key)}; the ground has frames")
        frames = plain(data.get("frames"))
        frames = {} if frames is None else frames
        try:
            ground = Ground.model_validate({"frames": self.resolved(frames)})
            ground._recipe = {"name": "ground", "frames": frames} if has_expressions(frames) else None
            return ground
        except FieldError as error:
            self.note(("ground", "frames", *error.path), error.rule)
        except ValidationError as error:
            for inner, message in explain(error, Ground):
                self.note(("ground", *inner), message)
        return Ground()

    def add_ground(self, model: Model) -> None:
        """Frames of the ground, with those of texts that are included."""
        own, given = self.ground(), model.ground
        if given.frames:
            written = {**given.written(), **own.written()}
            own.__dict__["frames"] = {**given.frames, **own.frames}
            own._recipe = {"name": "ground", "frames": written} if has_expressions(written) else None
        model.ground = own

    def section_names(self, section: str) -> list[str]:
        data = self.data.get(section)
        return list(data) if isinstance(data, Map) else []

    def entries(self) -> Iterable[tuple[tuple[str, str], Map]]:
        """All items as written: ((section, name), data)."""
        used: dict[str, tuple[str, str]] = {}
        for section in SECTIONS:
            for name, value in self.mapping((section,), self.data.get(section), f"names to {section}").items():
                if name in self.named:
                    self.note((section, name), f"the name {name!r} is taken by {self.named[name]}; names are unique in a model")
                if section == "variables":
                    self.one_of_names(section, name)
                if section == "variables" and isinstance(value, (str, int, float)):
                    value = Map(locate(self.data, (section, name)))
                    value["expression"], value.where["expression"] = self.data[section][name], value.at
                if (same := same_name(name)) in used:
                    taken = dotted(used[same])
                    self.note((section, name), f"the name {name!r} is taken by {taken}; names are unique in a model")
                elif wrong := clash(same, (*used, *self.named)):
                    self.note((section, name), wrong)
                used.setdefault(same, (section, name))
                if isinstance(value, Map):
                    yield (section, name), value
                else:
                    self.note((section, name), must(value, f"must be a mapping such as {{{EXAMPLES[section]}}}")
                              + (missing_blank(value) if isinstance(value, str) else ""))

    def one_of_names(self, section: str, name: str) -> None:
        try:
            check_name(name, lambda n: "")
        except ValueError as error:
            self.note((section, name), str(error))

    def item(self, path: tuple[str, str], data: Map) -> Item | None:
        section, name = path
        cls = self.kind(path, data)
        if cls is None:
            return None
        before = len(self.problems)
        fields = self.own_fields(path, cls, {k: v for k, v in plain(data).items() if k != "kind"})
        fields = self.replaced(fields) if self.replaced else fields
        written = fields
        try:
            fields = self.resolved(fields)
        except FieldError as error:
            self.note((*path, *error.path), error.rule)
            return None
        makers = [k for k in MAKERS if k in fields] if section == "bodies" and "mesh" in text_keys(cls) else []
        if len(makers) == 1:
            fields = self.maker(path, makers[0], fields)
        if cls is ModalBody and isinstance(fields.get("reduced"), str):
            fields["reduced"] = self.file((*path, "reduced"), fields["reduced"], "the file of a reduced part")
            if len(self.problems) > before:
                return None
        try:
            with located(f"{locate(self.data, path)}: {dotted(path)}"):
                item = cls.model_validate({**fields, "name": name})
            if has_expressions(written):
                item._recipe = {"name": name, **{k: written[k] if has_expressions(written.get(k)) else v for k, v in fields.items()}}
            return None if len(self.problems) > before else item
        except ValidationError as error:
            for inner, message in explain(error, cls):
                self.note((*path, *inner), message)
        except (TypeError, ArithmeticError, OSError) as error:  # from an item defined outside
            self.note(path, f"cannot be understood: {error}")
        return None

    def own_fields(self, path: tuple[str, str], cls: type[Item], fields: dict[str, Any]) -> dict[str, Any]:
        """Without fields that are no keys of a text, which are told."""
        ends = ("a", "b") if issubclass(cls, Between) else ()
        foreign = {k: fields.pop(k) for k in list(fields) if k in ("name", *ends)}
        for key in foreign:
            remedy = "the name stands before the colon" if key == "name" else "write between: [a, b]"
            self.note((*path, key), f"unknown key {key!r}; {remedy}")
        if {"a", "b"} <= foreign.keys():
            fields.setdefault("between", [foreign["a"], foreign["b"]])
        return fields

    def kind(self, path: tuple[str, str], data: Map) -> type[Item] | None:
        section, known = path[0], KINDS[path[0]]
        word = data.get("kind", DEFAULT_KINDS.get(section))
        if word is None:
            self.note((*path, "kind"), f"is missing{did_you_mean('', known)}")
            return None
        if not isinstance(word, str):
            self.note((*path, "kind"), f"{shown(word)} must be a word{did_you_mean('', known)}")
            return None
        kind = word.replace("-", "_")
        if kind in known:
            return known[kind]
        self.note((*path, "kind"), f"unknown kind {shown(word)} of {NOUNS[section]}{kind_meant(word, section)}")
        return None

    def maker(self, path: tuple[str, str], key: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Check the shape, the mass and the density by themselves, so that problems have their line. Where there are some, a
        stand-in takes the place of the shape, for the sake of the other fields."""
        before = len(self.problems)
        spec = fields[key] if fields[key] is not None else {}
        try:
            SHAPES[key].model_validate(spec)
        except ValidationError as error:
            for inner, message in explain(error, SHAPES[key]):
                self.note((*path, key, *inner), message)
        self.one((*path, "mass"), MASS.validate_python, None)
        self.one((*path, "density"), DENSITY.validate_python, None)
        if key == "mesh" and isinstance(spec, dict) and isinstance(spec.get("file"), str):
            fields = {**fields, "mesh": {**spec, "file": self.file((*path, "mesh", "file"), spec["file"])}}
        if len(self.problems) == before:
            return {**fields, key: fields[key] or {}}
        return {"mass": 1.0, **{k: v for k, v in fields.items() if k not in (key, "mass", "density")}}

    def file(self, path: tuple[str, ...], name: str, what: str = "an STL file") -> str:
        """The file beside the text."""
        file = self.folder / name
        try:
            if not file.is_file():
                found = "is not a file" if file.exists() else "not found"
                self.note(path, f"file {shown(name)} {found}; give {what}, seen from the folder of the model")
        except (OSError, ValueError) as error:
            self.note(path, f"file {shown(name)} cannot be read: {getattr(error, 'strerror', None) or 'its name is wrong'}")
        return str(file)


def _planar(value: Any) -> Any:
    try:
        return normal_of(value)
    except FieldError as error:
        raise ValueError(error.rule) from None
