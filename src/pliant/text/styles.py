"""Styles in a text model: the mapping ``style:`` of items, or frames of bodies, to how they look."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..functions.printable import printable
from ..items.meshes import Surface
from ..items.style import Style, unknown_name
from ..model import Model
from .yaml_lines import plain


def read_styles(reader: Any, model: Model) -> dict[str, Style]:
    """Styles of a text; problems are noted by the reader (`text._Reader`) with their lines."""
    found: dict[str, Style] = {}
    for name, value in reader.mapping(("style",), reader.data.get("style"), "names to styles").items():
        wrong = unknown_name(model, str(name))
        if wrong:
            if not reader.problems:  # items with problems are not in the model
                reader.note(("style", name), wrong)
            continue
        data = plain(value)
        kept = _kept(reader, name, data) if reader.replaced and isinstance(data, dict) and data.get("mesh") else None
        if isinstance(data, dict) and isinstance(data.get("mesh"), str) and kept is None:
            data["mesh"] = reader.file(("style", name, "mesh"), data["mesh"], "a file .stl, .obj, .gltf or .glb")

        def checked(_: Any, data: Any = data) -> Style:
            return Style.model_validate(data)
        style = reader.one(("style", name), checked, None)
        found |= {str(name): style.keeping(data["mesh"], kept) if kept else style} if style else {}
    return found


def _kept(reader: Any, name: str, data: dict[str, Any]) -> Surface | None:
    """The mesh of a stored text, which the file holds; where it does not and the mesh is not where it was, the body has its own shape."""
    found = reader.replaced({"mesh": data["mesh"]})["mesh"]
    if isinstance(found, Surface):
        return found
    if not Path(str(found)).is_file():
        warnings.warn(f"style of {name!r}: the mesh {printable(str(found))!r} is neither in the file of the run nor where it was; the body "
                      "is shown with its ordinary shape", stacklevel=2)
        del data["mesh"]
    return None


def plain_style(style: Style, seen: Callable[[Path], str], stored: bool = False) -> dict[str, Any]:
    """As written in a text; ``seen``: how a file is called there; ``stored``: meshes are kept beside the text, by name."""
    data = style.model_dump(exclude_defaults=True)
    if style.kept is not None and not stored:
        warnings.warn(f"the mesh {style.mesh!r} is in the file of a run only and left out of the text", stacklevel=2)
        del data["mesh"]
        return data
    return data | ({"mesh": seen(Path(style.mesh).absolute())} if style.mesh and style.kept is None else {})
