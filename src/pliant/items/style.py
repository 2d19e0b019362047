"""How items look in the viewer, kept apart from what they are: nothing here changes a result."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, PrivateAttr, WithJsonSchema

from ..functions.units import must, shown
from .base import IDENTITY, Point, Rotation, Strict, did_you_mean, number
from .bodies import FrameOwner
from .quantities import BODY
from .shapes import _length_unit

if TYPE_CHECKING:
    from ..model import Model
    from .meshes import Surface
    Share = float
else:
    Share = number("", least=0.0)

NAMED = {"red": "#c1121f", "orange": "#d95f02", "yellow": "#e0b000", "green": "#2a9d5c", "blue": "#1f77b4", "purple": "#6a4c93",
         "pink": "#b5179e", "brown": "#8c6d1f", "black": "#1a1a1a", "grey": "#7a7f87", "gray": "#7a7f87", "white": "#f5f5f5",
         "steel": "#8e99a6", "brass": "#b5a642", "copper": "#b87333"}


def _color(value: Any) -> Any:
    if isinstance(value, str) and value.lower() in NAMED:
        return NAMED[value.lower()]
    if isinstance(value, str) and re.fullmatch(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})", value):
        return value.lower()
    raise ValueError(must(value, f'must be a colour such as "#1f77b4", or one of {", ".join(NAMED)}'))


Color = Annotated[str, BeforeValidator(_color), WithJsonSchema({"type": "string", "description": "a colour such as #1f77b4, or its name"})]


class Style(Strict):
    """Look of a body, or of a frame such as "crank.end": ``color``, ``opacity`` (0 to 1), ``hidden``, ``trace`` (its path is drawn).
    Of a body also ``mesh``, a file (.stl, .obj, .gltf, .glb) in ``unit`` that is shown in place of its shape, at ``position`` [m] and
    ``rotation`` in body axes."""
    color: Color | None = None
    opacity: Share = 1.0
    hidden: bool = False
    trace: bool = False
    mesh: str | None = None
    unit: Annotated[str, BeforeValidator(_length_unit)] = "m"
    position: Annotated[Point, BODY] = (0.0, 0.0, 0.0)
    rotation: Annotated[Rotation, BODY] = IDENTITY
    _kept: tuple[str, Any] | None = PrivateAttr(default=None)  # the mesh of a run in a file, and its name there

    @property
    def kept(self) -> Surface | None:
        """The mesh, if a file of a run holds it."""
        return self._kept[1] if self._kept and self._kept[0] == self.mesh else None

    def keeping(self, name: str, surface: Surface) -> Style:
        """The same with its mesh kept under a name."""
        other = self.model_copy(update={"mesh": name, "unit": "m"})
        other._kept = name, surface
        return other


def unknown_name(model: Model, name: str) -> str:
    """What is wrong with the name a style is given for; "" if it is an item, or a frame of a body."""
    if name in model.items:
        return ""
    body, _, frame = name.rpartition(".")
    owner = model.items.get(body)
    if isinstance(owner, FrameOwner) and frame:
        return "" if frame in owner.frames else f"body {body!r} has no frame {shown(frame)}{did_you_mean(frame, owner.frames)}"
    return f"there is no item {shown(name)}{did_you_mean(name, model.items)}"
