"""Other texts inside a text: ``include: {left: {file: leg.yaml, position: [0, 1, 0], parameters: {L: 0.4 m}}}``."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..functions.field_error import FieldError
from ..functions.units import must, shown
from ..items.assemblies import add_model
from ..items.base import did_you_mean
from ..items.errors import ItemError, ModelError, TextError
from ..model import Model
from .yaml_lines import Map, load_yaml, plain

if TYPE_CHECKING:
    from .model_text import _Reader

KEYS = ("file", "position", "rotation", "mirror", "parameters")
EXAMPLE = "such as {file: leg.yaml, position: [0, 1, 0]}"
DEEPEST, MOST = 20, 1000  # texts within each other, and all together


def add_includes(reader: _Reader, model: Model) -> None:
    """Sub-assemblies from other files. What is wrong in those is told with their own lines."""
    for name, value in reader.mapping(("include",), reader.data.get("include"), f"names to files, {EXAMPLE}").items():
        here, before = ("include", name), len(reader.problems)
        if not isinstance(value, Map):
            reader.note(here, must(plain(value), f"must be a mapping {EXAMPLE}"))
            continue
        for key in value:
            if key not in KEYS:
                reader.note((*here, key), f"unknown key {shown(key)}{did_you_mean(str(key), KEYS)}")
        given = {k: v for k, v in plain(value).items() if v is not None}
        if not isinstance(given.get("parameters", {}), dict):
            reader.note((*here, "parameters"), must(given["parameters"], "must be a mapping of names to numbers"))
        file = _file(reader, here, given.get("file"))
        if file is None or len(reader.problems) > before:
            continue
        try:
            part = reader.inner(file).model()
        except TextError as error:
            reader.included += error.lines
            continue
        try:
            add_model(model, part, name, **{k: given[k] for k in KEYS[1:] if k in given})
        except FieldError as error:
            _tell(reader, here, error)
        except (ItemError, ModelError) as error:
            inner = error.__cause__ or error.__context__
            if isinstance(inner, FieldError) and inner.field in (*KEYS, "name"):
                _tell(reader, here, inner)
            else:
                reader.note(here, str(error))


def _tell(reader: _Reader, here: tuple[Any, ...], error: FieldError) -> None:
    known = error.field in KEYS
    parameter = error.field.removeprefix(f"{here[1]}.") if not known else ""
    if known or error.field == "name":
        reader.note((*here, *error.path) if known else here, error.rule)
    else:
        reader.note((*here, "parameters", parameter), error.rule)


def _file(reader: _Reader, here: tuple[Any, ...], name: Any) -> Path | None:
    """The text beside the one that includes it, or below; None if there is something wrong with it, which is told."""
    path = (*here, "file")
    if not isinstance(name, str) or not name:
        reader.note(path, "is missing; name a text model" if name is None else must(name, "must be the name of a text model"))
        return None
    try:
        file = (reader.folder / name).resolve()
        below = file.is_relative_to(reader.folder.resolve())
    except (OSError, ValueError):
        reader.note(path, f"file {shown(name)} cannot be read: its name is wrong")
        return None
    if not below:
        reader.note(path, f"file {shown(name)} must be in the folder of the model, or below it")
        return None
    if file in reader.chain:
        loop = [*reader.chain[reader.chain.index(file):], file]
        reader.note(path, f"texts include each other: {' -> '.join(f.name for f in loop)}; take one of them out")
        return None
    reader.count[0] += 1
    if len(reader.chain) > DEEPEST or reader.count[0] > MOST:
        reader.note(path, f"texts are included more than {DEEPEST} deep, or more than {MOST} of them; put them together")
        return None
    before = len(reader.problems)
    reader.file(path, name, "a text model")
    return file if len(reader.problems) == before else None


def later(data: Map, change: str) -> tuple[str, Any] | None:
    """A change of what an included text has, ``left.L=0.3``: (path, value), which is made when all is read; None for any other."""
    path, mark, text = change.partition("=")
    names = data.get("include")
    if not mark or not isinstance(names, Map) or path.strip().partition(".")[0] not in names:
        return None
    return path.strip(), plain(load_yaml(text, f"--set {path}")[0])


def make_changes(model: Model, changes: list[tuple[str, Any]]) -> None:
    for path, value in changes:
        try:
            model.set(path, value)
        except ValueError as error:
            raise TextError([f"--set {path}: {error}"]) from None
