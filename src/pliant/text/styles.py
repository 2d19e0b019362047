"""Styles in a text model: the mapping ``style:`` of items, or frames of bodies, to how they look."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

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
        if reader.replaced and isinstance(data, dict) and not Path(str(data.get("mesh") or "")).is_file():
            data.pop("mesh", None)  # of a stored text: the body is shown with its own shape
        if isinstance(data, dict) and isinstance(data.get("mesh"), str):
            data["mesh"] = reader.file(("style", name, "mesh"), data["mesh"], "a file .stl, .obj, .gltf or .glb")

        def checked(_: Any, data: Any = data) -> Style:
            return Style.model_validate(data)
        style = reader.one(("style", name), checked, None)
        found |= {str(name): style} if style else {}
    return found


def plain_style(style: Style, seen: Callable[[Path], str]) -> dict[str, Any]:
    """As written in a text; ``seen``: how a file is called there."""
    data = style.model_dump(exclude_defaults=True)
    return data | ({"mesh": seen(Path(style.mesh).absolute())} if style.mesh else {})
