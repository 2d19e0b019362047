"""Models as YAML, written."""
from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic_core import PydanticSerializationError

from ..items.base import Item
from ..items.drafts import plain_recipe
from ..items.errors import ModelError
from ..items.modal import ModalBody
from ..methods.method_option import MethodOption
from ..model import SECTIONS, Model
from .styles import plain_style
from .yaml_lines import VERSION, scalar

WIDTH = 120  # of written lines


def write(model: Model, path: str | Path) -> None:
    """Write a model as YAML."""
    from ..safe_files.hdf5 import check_target
    text = to_text(model, Path(path).parent)
    check_target(path).write_text(text, encoding="utf-8")


def to_text(model: Model, folder: Path | None = None) -> str:
    """The model as YAML. A model with Python functions has no text; use expressions or a Table. Files of parts are written as seen
    from ``folder``, or as they are found from anywhere."""
    return text_of(model, folder, lambda item: _plain_item(item, folder))


def text_of(model: Model, folder: Path | None, written: Callable[[Item], dict[str, Any]], stored: bool = False) -> str:
    """The model as YAML, with items as ``written`` gives them; ``stored``: together with the meshes of its styles."""
    lines = [f"pliant: {VERSION}", f"name: {_flow(model.name)}"]
    lines += _entry("parameters", {name: p.given for name, p in model.parameters.items()}, 0) if model.parameters else []
    lines += ["tables:", *(line for name, table in model.tables.items() for line in _entry(name, table.plain(), 1))] if model.tables else []
    lines += [f"gravity: {_flow(model.gravity_as_written or model.gravity)}"]
    lines += [f"planar: {_flow(model.planar)}"] if model.planar is not None else []
    if model.ground.frames:
        lines += ["ground:", *_entry("frames", model.ground.written(), 1)]
    for section in SECTIONS:
        items = model.section(section, inactive=True)
        lines += [f"{section}:"] if items else []
        for item in items:
            lines += _entry(item.name, written(item), 1)
    styles = {name: plain_style(style, lambda file: _seen_from(file, folder), stored) for name, style in model.styles.items()}
    lines += (["style:"] if styles else []) + [line for name, data in styles.items() for line in _entry(name, data, 1)]
    if model.settings:
        settings = {k: v for k, v in model.settings.items() if v is not None}
        settings = {k: v.plain() if isinstance(v, MethodOption) else v for k, v in settings.items()}
        lines += _entry("simulate", settings, 0)
    for entry, data in model.analyses.items():
        lines += _entry(entry, {k: v for k, v in data.items() if v is not None}, 0)
    return "\n".join(lines) + "\n"


def _plain_item(item: Item, folder: Path | None) -> dict[str, Any]:
    data = plain_item(item)
    return data | ({"reduced": _seen_from(Path(data["reduced"]).absolute(), folder)} if isinstance(item, ModalBody) else {})


def plain_item(item: Item) -> dict[str, Any]:
    """An item as written in a text; an error names it."""
    try:
        return plain_recipe(item, item.plain())
    except ValueError as error:
        reason = error.__cause__ if isinstance(error, PydanticSerializationError) and error.__cause__ else error
        raise ModelError(f"{item.section}.{item.name}: {reason}") from None


def _seen_from(file: Path, folder: Path | None) -> str:
    if folder is not None and file.is_relative_to(folder.absolute()):
        return file.relative_to(folder.absolute()).as_posix()
    return str(file)


def _entry(key: str, value: Any, level: int) -> list[str]:
    """``key: value``, in one line if it fits, else a line for each entry of a mapping."""
    line = f"{'  ' * level}{key}: {_flow(value)}"
    if len(line) <= WIDTH or not isinstance(value, dict) or not value:
        return [line]
    return [f"{'  ' * level}{key}:", *(inner for k, v in value.items() for inner in _entry(str(k), v, level + 1))]


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(str(k))}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 and str(value) != "-0.0":
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, Path)):
        return _word(str(value))
    if hasattr(value, "tolist"):
        return _flow(value.tolist())
    raise ModelError(f"{value!r} ({type(value).__name__}) cannot be written to a text model; use numbers, texts and lists")


_PLAIN = re.compile(r"\w[\w./*+^()<>= -]*", re.ASCII)


def _word(text: str) -> str:
    """Without quotes where YAML reads it back as the same text."""
    if _PLAIN.fullmatch(text) and not text.endswith(" ") and scalar(text) == text:
        return text
    escaped = {"\\": "\\\\", '"': '\\"'}
    return '"' + "".join(escaped.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in text) + '"'
