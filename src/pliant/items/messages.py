"""What is wrong with one item: pydantic's findings in the words of a text model."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ..functions.field_error import FieldError
from ..functions.units import must, shown
from .base import Between, Frame, Pair, Place, did_you_mean, names_joint
from .bodies import RigidBody
from .errors import ItemError
from .quantities import axes_of
from .shapes import MAKERS, Shape
from .synonyms import field_meant, value_meant

NOUNS = {"bodies": "body", "joints": "joint", "drives": "drive", "forces": "force", "measures": "measure", "variables": "variable",
         "blocks": "block"}
NESTED: dict[str, type[BaseModel]] = {"frames": Place, "shape": Shape, **dict.fromkeys(("a", "b", "frame", "axes", "reaction"), Frame)}
FRAME_RULE = "must be a frame: a text such as crank.end, or {body: crank, point: [0, 0, 0]}"
NUMBERS = ("none", "one", "two", "three", "four", "five", "six")
RULES = {"dict_type": "must be a mapping", "list_type": "must be a list", "tuple_type": "must be a list",
         "string_type": "must be a text", "bool_type": "must be true or false",
         "int_type": "must be a whole number", "int_parsing": "must be a whole number",
         "int_from_float": "must be a whole number", "int_parsing_size": "must be a whole number with fewer digits",
         "float_type": "must be a number", "float_parsing": "must be a number", "finite_number": "must be a finite number"}
NO_VALUE = "missing", "extra_forbidden", "no_such_attribute"
Path = tuple[Any, ...]


def fields_of(cls: type[BaseModel]) -> list[str]:
    """Fields of an item besides its name, its own before what all have."""
    return sorted((k for k in cls.model_fields if k != "name"), key=lambda k: k == "active")


def text_keys(cls: type[BaseModel] | None) -> list[str]:
    """Keys an item may have in a text."""
    if cls is None:
        return []
    keys = [k for k in fields_of(cls) if not cls.model_fields[k].exclude]
    if issubclass(cls, Between):
        keys = ["between", *(k for k in keys if k not in ("a", "b"))]
    return [*keys, "density", *MAKERS] if issubclass(cls, RigidBody) else keys


def explain(error: ValidationError, cls: type[BaseModel] | None) -> Iterator[tuple[Path, str]]:
    """(path inside the item, message) of everything that pydantic found."""
    ends = cls is not None and issubclass(cls, Between)
    told: set[Path] = set()
    for found in error.errors(include_url=False):
        inner = found.get("ctx", {}).get("error")
        if isinstance(inner, ItemError) and inner.findings:  # model_validate made the item by calling its class
            yield from explain(inner.findings, cls)
            continue
        loc, message = found["loc"], _message(found, cls) + _axes(found, inner, cls)
        if loc == ("name",):
            loc = ()
        if loc and (loc[-1] == "[key]" or (found["type"] == "missing" and isinstance(loc[-1], int))):
            loc = loc[:-1]
        if ends and loc and loc[0] in ("a", "b"):
            missing = found["type"] == "missing" and len(loc) == 1
            loc = ("between",) if missing else ("between", 0 if loc[0] == "a" else 1, *loc[1:])
        if not loc and isinstance(inner, FieldError) and inner.field in text_keys(cls):
            loc, message = inner.path, inner.rule + _in_axes(cls, inner.path)
        if (loc, message) not in told:
            told.add((loc, message))
            yield loc, message


def _axes(found: Any, inner: Any, cls: type[BaseModel] | None) -> str:
    """The end of a message about a value that is given in certain axes."""
    return "" if found["type"] in NO_VALUE or isinstance(inner, FieldError) else _in_axes(cls, found["loc"])


def _in_axes(cls: type[BaseModel] | None, loc: Path) -> str:
    for owner, key in [(cls, loc[0]), *((NESTED.get(str(loc[0])), k) for k in loc[1:])] if loc else []:
        field = owner.model_fields.get(str(key)) if owner is not None else None
        if field is not None and (axes := axes_of(field)):
            return f" ({axes})"
    return ""


def _message(found: Any, cls: type[BaseModel] | None) -> str:
    kind, loc, value = found["type"], found["loc"], found.get("input")
    if kind == "missing":
        return _missing(loc, value, cls)
    if kind == "extra_forbidden":
        owner = cls if len(loc) == 1 else NESTED.get(str(loc[0]))
        return f"unknown key {shown(loc[-1])}{field_meant(str(loc[-1]), text_keys(owner))}"
    if kind == "no_such_attribute":
        fields = fields_of(cls) if cls else []
        return f"unknown attribute {shown(loc[-1])}{did_you_mean(str(loc[-1]), fields)}"
    if rule := _rule(found, cls):
        return must(value, rule)
    message = str(found["msg"]).removeprefix("Value error, ")
    return message.replace("Input should be", f"{shown(value)} must be").replace("Input", "It")


def _rule(found: Any, cls: type[BaseModel] | None) -> str:
    """What the value must be; empty where pydantic's own words are kept."""
    kind, loc = found["type"], found["loc"]
    last = loc[-1] if loc else ""
    if kind == "literal_error":
        return f"must be {found['ctx']['expected']}{value_meant(str(found.get('input')), loc, found['ctx']['expected'])}"
    if kind in ("too_long", "too_short"):
        return f"must be a list of {_entries(cls, loc[0] if loc else '')}"
    if kind in ("model_type", "model_attributes_type"):
        if last in ("a", "b", "frame", "axes", "reaction"):
            return FRAME_RULE
        return "must be a list of three numbers or a mapping" if "frames" in loc else "must be a mapping"
    if kind == "string_type" and names_joint(cls, last):
        return "must be the name of a joint, such as A"
    rule = RULES.get(kind, "")
    return f"{rule} of names to points" if rule and last == "frames" else rule


def _missing(loc: Path, value: Any, cls: type[BaseModel] | None) -> str:
    if loc and isinstance(loc[-1], int):
        return must(value, f"must be a list of {_entries(cls, loc[0])}")
    if cls is not None and issubclass(cls, Between) and loc[-1] in ("a", "b"):
        what = "frames, such as [ground, crank.start]" if issubclass(cls, Pair) else "joints, such as [A, B]"
        return f"is missing; give two {what}"
    return f"is missing; {_called(cls, loc)} needs it"


def _entries(cls: type[BaseModel] | None, field: Any) -> str:
    """How many entries a field has, in words."""
    kind = cls.model_fields[field].annotation if cls is not None and field in cls.model_fields else None
    count = next((len(get_args(k)) for k in (kind, *get_args(kind)) if get_origin(k) is tuple), 0)
    return f"{NUMBERS[count]} entries" if 0 < count < len(NUMBERS) else "the right length"


def _called(cls: type[BaseModel] | None, loc: Path) -> str:
    owner = cls if len(loc) == 1 else NESTED.get(str(loc[0]))
    if owner is None:
        return "the entry"
    kind = getattr(owner, "kind", "") or owner.__name__.lower()
    noun = NOUNS.get(getattr(owner, "section", ""), "")
    return f"a {kind}" if noun in ("", kind) or kind.endswith(noun) else f"a {kind} {noun}"


def dotted(path: tuple[Any, ...]) -> str:
    """As in messages: ``joints.A.between[0]``."""
    return "".join(f"[{k}]" if isinstance(k, int) else f".{word(str(k))}" for k in path).removeprefix(".")


def word(key: str) -> str:
    """A key as it is, unless it is long, empty or would tear the line apart."""
    key = key if len(key) <= 60 else key[:59] + "…"
    return key if key.isprintable() and key else repr(key)
