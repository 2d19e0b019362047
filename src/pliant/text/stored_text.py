"""Models as text that files of runs keep together with their flexible parts: names of parts stand in place of files, each part once, and
names of Python functions, which no file can hold, in place of these."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..functions.table import Table
from ..items.base import Item
from ..items.meshes import surface_of
from ..items.modal import ModalBody
from ..items.style import Style
from ..model import Model
from .model_text import _Reader
from .model_writing import plain_item, text_of

if TYPE_CHECKING:
    from ..flex.reduced import Reduced

PYTHON = "python function "


class StoredText(NamedTuple):
    """``parts``: flexible parts, and surfaces of meshes of styles; ``lost``: items with functions that are not in the text."""
    text: str
    parts: dict[str, Any]
    lost: list[str]


def to_stored(model: Model) -> StoredText:
    """The text of a model and what is kept beside it; ModelError if it has none."""
    parts: dict[str, Any] = {}
    lost: list[str] = []

    def written(item: Item) -> dict[str, Any]:
        named = {k: _named(v) for k, v in item.__dict__.items()}
        if changed := {k: v for k, v in named.items() if v is not item.__dict__[k]}:
            lost.append(f"{item.kind} {item.name!r}")
            item = item.model_copy(update=changed)
        if not isinstance(item, ModalBody):
            return plain_item(item)
        name = next((name for name, part in parts.items() if item.reduced.same_as(part)), f"part {len(parts)}")
        parts.setdefault(name, item.reduced)
        return plain_item(item.model_copy(update={"_file": name}))
    whole = model.copy()
    whole.styles = {name: _with_mesh(style, parts) for name, style in model.styles.items()}
    return StoredText(text_of(whole, None, written, stored=True), parts, lost)


def _with_mesh(style: Style, parts: dict[str, Any]) -> Style:
    """A style with its mesh kept among the parts, each once; as it is where the mesh cannot be read."""
    try:
        surface = surface_of(style) if style.mesh else None
    except ValueError:  # whoever draws it says what is wrong
        return style
    if surface is None:
        return style
    name = next((name for name, part in parts.items() if surface.same_as(part)), f"mesh {len(parts)}")
    parts.setdefault(name, surface)
    return style.keeping(name, surface)


def from_stored(text: str, parts: dict[str, Any]) -> Model:
    """The model of a text with its parts. Functions that are not in it say so when they are asked."""
    def replaced(fields: dict[str, Any]) -> dict[str, Any]:
        fields = {k: _lost(v) for k, v in fields.items()}
        return fields | {k: parts[fields[k]] for k in ("reduced", "mesh") if isinstance(fields.get(k), str) and fields[k] in parts}
    return _Reader(text, "model", Path(), (), replaced).model()


def parts_of(model: Model) -> dict[str, Reduced]:
    """Parts of a model by body."""
    return {body.name: body.reduced for body in model.section("bodies", inactive=True) if isinstance(body, ModalBody)}


def _named(value: Any) -> Any:
    """Python functions by a text that names them; the same object if there are none."""
    if isinstance(value, tuple):
        named = tuple(map(_named, value))
        return named if any(a is not b for a, b in zip(named, value, strict=True)) else value
    if callable(value) and not isinstance(value, Table):
        return f"{PYTHON}{getattr(value, '__name__', type(value).__name__)}"
    return value


def _lost(value: Any) -> Any:
    """What stands for Python functions, as functions that only say that they are not there."""
    if isinstance(value, list):
        return [_lost(x) for x in value]
    return Lost(value) if isinstance(value, str) and value.startswith(PYTHON) else value


@dataclass(frozen=True)
class Lost:
    """A function that only says that it is not there; of two, all that can be compared is the name."""
    name: str

    def __call__(self, *_: float) -> float:
        raise ValueError(f"the {self.name} is not in the file; give the model of the run: load(path, model=...)")
