"""Profiles (sections) and materials of beams as users write them: objects of `pliant.flex`, or mappings in a text."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from ..flex.material import ALUMINIUM, STEEL, Material
from ..flex.section import Section
from ..functions.field_error import FieldError
from ..functions.units import must
from .base import did_you_mean

SHAPES = "rectangle", "circle", "tube", "general"
MATERIALS = {"steel": STEEL, "aluminium": ALUMINIUM}
SECTION = "must be a section, such as pl.Section.circle(0.01), in a text {circle: {radius: 10 mm}}; there are " + ", ".join(SHAPES)
MATERIAL = "must be steel, aluminium, pl.Material(E, nu, rho), or in a text {E: 210 GPa, nu: 0.3, rho: 7850 kg/m^3}"


def _made(maker: Any, given: Any, rule: str, where: str = "") -> Any:
    """By a maker from a mapping of its arguments; ``where`` these are, for the message."""
    if not isinstance(given, Mapping):
        raise ValueError(where + must(given, rule))
    known = [key for key in signature(maker).parameters if key != "points"]
    for key in given:
        if key not in known:
            raise ValueError(f"{where}unknown key {key!r}{did_you_mean(str(key), known)}")
    for key in known:
        if signature(maker).parameters[key].default is Parameter.empty and key not in given:
            raise ValueError(f"{where}{key} is missing")
    try:
        return maker(**given)
    except FieldError as error:
        raise ValueError(f"{where}{error.told}") from None


def section_of(value: Any) -> Section:
    """Without the points where stresses of parts are wanted, which beams do not have."""
    if isinstance(value, Section):
        return replace(value, points=())
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in SHAPES:
        raise ValueError(must(dict(value) if isinstance(value, Mapping) else value, SECTION))
    (shape, data), = value.items()
    found: Section = _made(getattr(Section, shape), data, "must be a mapping of its sizes", f"{shape}: ")
    return replace(found, points=())


def material_of(value: Any) -> Material:
    if isinstance(value, str) and value in MATERIALS:
        value = MATERIALS[value]
    found: Material = value if isinstance(value, Material) else _made(Material, value, MATERIAL)
    if not found.rho > 0:
        raise ValueError("rho = 0 kg/m^3 must be greater than zero: the nodes of a beam need mass")
    return found


def plain_section(section: Section) -> dict[str, Any]:
    """As a text has it: by its values."""
    values = {key: value for key, value in asdict(section).items() if value != Section.__dataclass_fields__[key].default}
    return {"general": values}


def plain_material(material: Material) -> Any:
    return next((name for name, known in MATERIALS.items() if known == material), asdict(material))


_NUMBER = {"type": ["number", "string"]}


def _entries(maker: Any) -> dict[str, Any]:
    known = signature(maker).parameters
    properties = {key: _NUMBER for key in known if key != "points"}
    return {"type": "object", "properties": properties, "required": [k for k, p in known.items() if p.default is p.empty],
            "additionalProperties": False}


if TYPE_CHECKING:
    ProfileField = Section
    MaterialField = Material
else:
    ProfileField = Annotated[Any, BeforeValidator(section_of), WithJsonSchema({
        "type": "object", "properties": {shape: _entries(getattr(Section, shape)) for shape in SHAPES}, "minProperties": 1,
        "maxProperties": 1, "additionalProperties": False, "description": "section of a beam, by its shape"})]
    MaterialField = Annotated[Any, BeforeValidator(material_of), WithJsonSchema({
        "anyOf": [{"enum": list(MATERIALS)}, _entries(Material)], "description": "steel, aluminium, or E, nu and rho"})]
