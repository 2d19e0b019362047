"""Profiles (sections) and materials of beams as users write them: objects of `pliant.flex`, or mappings in a text."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from ..flex.material import ALUMINIUM, STEEL, Material
from ..flex.section import Section
from ..flex.section_matrices import SectionMatrices
from ..functions.field_error import FieldError
from ..functions.units import must
from .base import did_you_mean
from .beam_profiles import Profile, Sections

SHAPES = "rectangle", "circle", "tube", "general"
MADE: dict[str, Any] = {shape: getattr(Section, shape) for shape in SHAPES} | {"matrices": SectionMatrices}
MATERIALS = {"steel": STEEL, "aluminium": ALUMINIUM}
SECTION = "must be a section, such as pl.Section.circle(0.01), in a text {circle: {radius: 10 mm}}; there are " + ", ".join(MADE) + "; or "\
    "sections at places from 0 to 1, {0: ..., 1: ...}"
MATERIAL = "must be steel, aluminium, pl.Material(E, nu, rho), or in a text {E: 210 GPa, nu: 0.3, rho: 7850 kg/m^3}"


def _made(maker: Any, given: Any, rule: str, where: str = "") -> Any:
    """By a maker from a mapping of its arguments; ``where`` these are, for the message."""
    if not isinstance(given, Mapping):
        raise ValueError(where + must(given, rule))
    known = list(signature(maker).parameters)
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


def profile_of(value: Any) -> Profile:
    """A section, or sections at places."""
    if isinstance(value, Sections):
        return value
    if isinstance(value, Mapping) and value and all(_place(key) is not None for key in value):
        made = [(_place(key), section_of(one, f"at s = {key}: ")) for key, one in value.items()]
        return Sections(tuple(sorted(made, key=lambda pair: pair[0])))  # type: ignore[arg-type]
    return section_of(value)


def _place(key: Any) -> float | None:
    """A place along the beam as a key."""
    try:
        return None if isinstance(key, bool) else float(key)
    except (TypeError, ValueError):
        return None


def section_of(value: Any, where: str = "") -> Section | SectionMatrices:
    if isinstance(value, (Section, SectionMatrices)):
        return value
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in MADE:
        raise ValueError(where + must(dict(value) if isinstance(value, Mapping) else value, SECTION))
    (shape, data), = value.items()
    found: Section | SectionMatrices = _made(MADE[shape], data, "must be a mapping of its sizes", f"{where}{shape}: ")
    return found


def material_of(value: Any) -> Material:
    if isinstance(value, str) and value in MATERIALS:
        value = MATERIALS[value]
    found: Material = value if isinstance(value, Material) else _made(Material, value, MATERIAL)
    if not found.rho > 0:
        raise ValueError("rho = 0 kg/m^3 must be greater than zero: the nodes of a beam need mass")
    return found


def plain_profile(profile: Profile) -> dict[Any, Any]:
    """As a text has it: sections by their sizes, or by their values."""
    if isinstance(profile, Sections):
        return {s: plain_profile(section) for s, section in profile.places}
    if isinstance(profile, SectionMatrices):
        return {"matrices": {key: [list(row) for row in getattr(profile, key)] for key in ("stiffness", "mass")}}
    if profile.made:
        shape, *sizes = profile.made
        return {shape: dict(zip(signature(MADE[shape]).parameters, sizes, strict=True))}
    fields = Section.__dataclass_fields__
    values = {key: value for key, value in asdict(profile).items() if key != "made" and value != fields[key].default}
    return {"general": values | ({"points": [list(p) for p in profile.points]} if profile.points else {})}


def plain_material(material: Material) -> Any:
    return next((name for name, known in MATERIALS.items() if known == material), asdict(material))


_NUMBER = {"type": ["number", "string"]}
_SIX = {"type": "array", "minItems": 6, "maxItems": 6}
_POINTS = {"type": "array", "items": {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 3}}
_ROWS = {**_SIX, "items": {**_SIX, "items": {"type": "number"}}}


def _entries(maker: Any, entry: dict[str, Any] = _NUMBER) -> dict[str, Any]:
    known = signature(maker).parameters
    properties = {key: _POINTS if key == "points" else entry for key in known}
    return {"type": "object", "properties": properties, "required": [k for k, p in known.items() if p.default is p.empty],
            "additionalProperties": False}


_ONE = {"type": "object", "properties": {shape: _entries(made, _ROWS if shape == "matrices" else _NUMBER) for shape, made in MADE.items()},
        "minProperties": 1, "maxProperties": 1, "additionalProperties": False, "description": "section of a beam, by its shape"}
if TYPE_CHECKING:
    ProfileField = Profile
    MaterialField = Material
else:
    ProfileField = Annotated[Any, BeforeValidator(profile_of), WithJsonSchema({"anyOf": [_ONE, {
        "type": "object", "patternProperties": {"^[0-9.]": _ONE}, "additionalProperties": False,
        "description": "sections at places along the beam, from 0 to 1"}]})]
    MaterialField = Annotated[Any, BeforeValidator(material_of), WithJsonSchema({
        "anyOf": [{"enum": list(MATERIALS)}, _entries(Material)], "description": "steel, aluminium, or E, nu and rho"})]
