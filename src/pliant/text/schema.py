"""JSON Schema of the text model, made from the item classes."""
from __future__ import annotations

from dataclasses import fields
from inspect import cleandoc
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema

from ..analyses.entries import schemas
from ..items import kinds as _kinds  # noqa: F401 - fills KINDS
from ..items.base import KINDS, RESERVED, Axis, Between, Frame, Item, Pair, Place, Rotation, vector
from ..items.bodies import RigidBody
from ..items.quantities import axes_of
from ..items.shapes import KINDS as SHAPES
from ..items.shapes import Shape
from ..items.style import Style

DEFAULT_KINDS = {"bodies": "rigid", "drives": "drive", "measures": "measure", "variables": "variable"}
QUANTITY: dict[str, Any] = {"type": ["number", "string"]}
COLUMN: dict[str, Any] = {"anyOf": [{"type": "array"}, {"type": ["integer", "string"], "description": "column of the file"}]}
TABLE: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": {
    "x": COLUMN, "y": COLUMN, "z": {"type": "array", "items": {"type": "array"}}, "kind": {"enum": ["cubic", "linear"]},
    "beyond": {"enum": ["held", "extrapolated"]}, "file": {"type": "string"}, "grid": {"type": "string"},
    "units": {"type": "array", "items": {"type": "string"}}}}
WORD = r"[^\s\d.:\[\]{}-][^\s.:\[\]{}-]*"
NAMES = {"pattern": rf"^{WORD}(\.{WORD})*$", "not": {"enum": sorted(RESERVED)}}  # points: in a sub-assembly
WORDS = {"pattern": rf"^{WORD}$", "not": {"enum": sorted(RESERVED)}}
REF = "#/$defs/{model}"


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the text model, for editors."""
    classes: list[type[BaseModel]] = [cls for kinds in KINDS.values() for cls in kinds.values()]
    classes += [Place, Style, *SHAPES.values()]
    places, whole = models_json_schema([(cls, "validation") for cls in classes], ref_template=REF)
    found = whole["$defs"]
    called = {cls: places[cls, "validation"]["$ref"].rpartition("/")[2] for cls in classes}  # two classes may have one name
    items = {called[c] for c in classes if issubclass(c, Item)}
    definitions = {name: _without_titles(found[name]) for name in found if name not in items}
    for other in (Place, Frame, Style, Shape, *SHAPES.values()):
        _say_axes(other, definitions[other.__name__].get("properties", {}))
    definitions["Frame"] = {"anyOf": [{"type": "string", "description": "body or body.frame"}, definitions["Frame"]]}
    definitions["AdaptiveModes"] = {"anyOf": [QUANTITY, definitions["AdaptiveModes"]]}
    definitions["Place"] = {"anyOf": [{"$ref": "#/$defs/Point"}, definitions["Place"]]}
    definitions["Point"] = TypeAdapter(vector("m")).json_schema()
    sections = {}
    for section, kinds in KINDS.items():
        for cls in kinds.values():
            definitions[called[cls]] = _item(cls, _without_titles(found[called[cls]]), DEFAULT_KINDS.get(section))
        options = [{"$ref": REF.format(model=called[cls])} for cls in kinds.values()]
        one = options[0] if len(options) == 1 else {"oneOf": options}
        sections[section] = {"type": ["object", "null"], "propertyNames": NAMES,
                             "additionalProperties": {"anyOf": [QUANTITY, one]} if section == "variables" else one}
    frames = {"type": ["object", "null"], "propertyNames": NAMES, "additionalProperties": {"$ref": "#/$defs/Place"}}
    properties = {
        "pliant": {"const": 1, "description": "version of the text model"}, "name": {"type": "string"},
        "parameters": {"type": ["object", "null"], "propertyNames": NAMES, "additionalProperties": QUANTITY,
                       "description": "numbers with names: 0.3 m, or =2*L of other parameters; =2*L then stands where a number is due"},
        "tables": {"type": ["object", "null"], "propertyNames": NAMES, "additionalProperties": TABLE,
                   "description": "tables of one variable (x, y) or two (x, y, z[i][j]) that expressions call by name"},
        "include": {"type": ["object", "null"], "propertyNames": WORDS, "additionalProperties": _include(),
                    "description": "other texts as sub-assemblies, by name; what they have is called left.knee and so on"},
        "gravity": TypeAdapter(vector("m/s^2")).json_schema() | {"description": "three numbers in m/s^2; in world axes"},
        "planar": {"anyOf": [{"type": ["boolean", "null"]}, TypeAdapter(Axis).json_schema()],
                   "description": "all bodies move in planes with this normal, in world axes; true means z"},
        "ground": {"type": ["object", "null"], "properties": {"frames": frames}, "additionalProperties": False},
        **sections, "style": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/Style"}},
        "simulate": _simulate(), **schemas()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "pliant model", "type": "object",
            "properties": properties, "required": ["pliant"], "additionalProperties": False,
            "$defs": dict(sorted(definitions.items()))}


def _item(cls: type[Item], found: dict[str, Any], default: str | None) -> dict[str, Any]:
    """An item as it stands in a text: without its name, with ``kind``, ``between`` and the makers."""
    properties = {k: v for k, v in found["properties"].items() if k != "name" and not cls.model_fields[k].exclude}
    _say_axes(cls, properties)
    required = [k for k in found.get("required", ()) if k != "name"]
    if issubclass(cls, Between):
        end = {"$ref": "#/$defs/Frame"} if issubclass(cls, Pair) else {"type": "string", "description": "name of a joint or port"}
        properties = {"between": {"type": "array", "items": end, "minItems": 2, "maxItems": 2},
                      **{k: v for k, v in properties.items() if k not in ("a", "b")}}
        required = ["between", *(k for k in required if k not in ("a", "b"))]
    kind: dict[str, Any] = {"enum": sorted({cls.kind, cls.kind.replace("_", "-")})}
    out: dict[str, Any] = {"type": "object", "description": cleandoc(cls.__doc__ or ""),
                           "properties": {"kind": kind, **properties},
                           "required": required if cls.kind == default else ["kind", *required], "additionalProperties": False}
    if "oneOf" in found:
        out["oneOf"] = found["oneOf"]
    if issubclass(cls, RigidBody):
        makers: dict[str, Any] = {key: {"$ref": REF.format(model=shape.__name__)} for key, shape in SHAPES.items()}
        makers["point_mass"] = {"anyOf": [makers["point_mass"], {"type": "null"}]}
        out["properties"] |= {"density": QUANTITY | {"description": "number in kg/m^3, or a text with a unit"}, **makers}
        out["required"] = [k for k in out["required"] if k != "mass"]
        out["oneOf"] = [{"required": ["mass"]}, {"required": ["density"]}]
    return out


def _include() -> dict[str, Any]:
    parameters = {"type": "object", "propertyNames": NAMES, "additionalProperties": QUANTITY}
    return {"type": "object", "required": ["file"], "additionalProperties": False, "properties": {
        "file": {"type": "string", "description": "a text model in the folder of this one, or below"},
        "position": TypeAdapter(vector("m")).json_schema(), "rotation": TypeAdapter(Rotation).json_schema(),
        "mirror": {"enum": ["x", "y", "z"], "description": "mirrored through the plane across this axis, before it is turned and moved"},
        "parameters": parameters}}


def _choices(what: str) -> dict[str, Any]:
    """The methods that an option may name: by kind, or with parameters."""
    from ..methods.selection import KINDS
    methods: list[dict[str, Any]] = []
    for kind, cls in KINDS[what].items():
        made = _without_titles(TypeAdapter(cls).json_schema())
        spelled = {"enum": sorted({kind, kind.replace("-", "_")})}
        known = {f.name for f in fields(cls)}
        options = {k: _choices(k) if k in KINDS else v for k, v in made.get("properties", {}).items() if k in known}
        methods.append({"type": "object", "properties": {"kind": spelled, **options},
                        "required": ["kind"], "additionalProperties": False, "description": cleandoc(cls.__doc__ or "")})
        methods.append(spelled)
    return {"anyOf": methods if what != "stabilization" else [*methods, {"type": "null"}]}


def _simulate() -> dict[str, Any]:
    from ..methods.integrators.base import Integrator
    from ..methods.run_options import ACCURACY, OPTIONS, STARTS
    from ..methods.selection import COORDINATES
    seconds = QUANTITY | {"description": "number in s, or a text with a unit"}
    known_options = {"duration": seconds, "step": seconds, "output_step": seconds,
                     "output_times": {"type": "array", "items": seconds, "minItems": 1}, "output_events": {"type": "boolean"},
                     "integrator": _choices("integrator"), "formulation": _choices("formulation"),
                     "estimate": {"type": "boolean"}, "coordinates": {"enum": list(COORDINATES)}, "start": {"enum": list(STARTS)},
                     "accuracy": {"anyOf": [{"enum": list(ACCURACY)}, {"type": "number", "minimum": Integrator.finest, "maximum": 0.1}]},
                     "record": {"type": "array", "items": {"type": "string"}}, "out": {"type": "string"}}
    return {"type": ["object", "null"], "properties": {k: known_options.get(k, {}) for k in OPTIONS},
            "additionalProperties": False}


def _say_axes(cls: type[BaseModel], properties: dict[str, Any]) -> None:
    """In whose axes fields are given, in their descriptions."""
    for name in properties.keys() & cls.model_fields.keys():
        if axes := axes_of(cls.model_fields[name]):
            known = properties[name].get("description", "")
            properties[name] = {**properties[name], "description": f"{known}; in {axes}" if known else f"in {axes}"}


def _without_titles(found: Any) -> Any:
    """Pydantic titles every field with its own name; a field may be called title, a schema may not."""
    if isinstance(found, list):
        return [_without_titles(v) for v in found]
    if not isinstance(found, dict):
        return found
    return {k: {n: _without_titles(s) for n, s in v.items()} if k == "properties" else _without_titles(v)
            for k, v in found.items() if k != "title"}
