"""What a text model's checks say: pydantic's findings in the words of the text, and references between items."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from .items.base import Frame, ItemError, Pair, Place, did_you_mean
from .items.bodies import RigidBody
from .items.joints import Drive, JointPair
from .items.shapes import MAKERS, Shape
from .model import Model

NOUNS = {"bodies": "body", "joints": "joint", "drives": "drive", "forces": "force", "measures": "measure"}
NESTED: dict[str, type[BaseModel]] = {"frames": Place, "shape": Shape, "a": Frame, "b": Frame, "frame": Frame}
FRAME_RULE = "must be a frame: a text such as crank.end, or {body: crank, point: [0, 0, 0]}"
RULES = {"dict_type": "must be a mapping", "list_type": "must be a list", "tuple_type": "must be a list",
         "string_type": "must be a text",
         "bool_type": "must be true or false", "int_type": "must be a whole number", "int_parsing": "must be a whole number",
         "int_from_float": "must be a whole number", "float_type": "must be a number", "float_parsing": "must be a number"}
Path = tuple[Any, ...]


def text_keys(cls: type[BaseModel] | None) -> list[str]:
    """Keys an item may have in a text."""
    if cls is None:
        return []
    keys = [k for k in cls.model_fields if k != "name"]
    if issubclass(cls, (Pair, JointPair)):
        keys = ["between", *(k for k in keys if k not in ("a", "b"))]
    return [*keys, "density", *MAKERS] if issubclass(cls, RigidBody) else keys


def explain(error: ValidationError, cls: type[BaseModel] | None) -> Iterator[tuple[Path, str]]:
    """(path inside the item, message) of everything that pydantic found."""
    ends = cls is not None and issubclass(cls, (Pair, JointPair))
    told: set[Path] = set()
    for found in error.errors(include_url=False):
        inner = found.get("ctx", {}).get("error")
        if isinstance(inner, ItemError) and inner.findings:  # model_validate made the item by calling its class
            yield from explain(inner.findings, cls)
            continue
        loc, message = found["loc"], _message(found, cls)
        if loc == ("name",):
            loc = ()
        if loc and loc[-1] == "[key]":
            loc = loc[:-1]
        if ends and loc and loc[0] in ("a", "b"):
            missing = found["type"] == "missing" and len(loc) == 1
            loc = ("between",) if missing else ("between", 0 if loc[0] == "a" else 1, *loc[1:])
        if not loc:
            loc, message = _subject(message, cls)
        if (loc, message) not in told:
            told.add((loc, message))
            yield loc, message


def _subject(message: str, cls: type[BaseModel] | None) -> tuple[Path, str]:
    """A message about a whole item that begins with the name of a field belongs to the field."""
    word, _, rest = message.partition(" ")
    if word.rstrip(":") in text_keys(cls) and rest:
        return (word.rstrip(":"),), rest.removeprefix("= ")
    return (), message


def _message(found: Any, cls: type[BaseModel] | None) -> str:
    kind, loc, value = found["type"], found["loc"], str(found.get("input"))
    value = value if len(value) < 60 else value[:57] + "…"
    if kind == "missing":
        if cls is not None and issubclass(cls, (Pair, JointPair)) and loc[-1] in ("a", "b"):
            what = "frames, such as [ground, crank.start]" if issubclass(cls, Pair) else "joints, such as [A, B]"
            return f"is missing; give two {what}"
        return f"is missing; {_called(cls, loc)} needs it"
    if kind == "extra_forbidden":
        owner = cls if len(loc) == 1 else NESTED.get(str(loc[0]))
        return f"unknown key {loc[-1]!r}{did_you_mean(str(loc[-1]), text_keys(owner))}"
    if kind == "literal_error":
        return f"{value!r} must be {found['ctx']['expected']}"
    if kind in ("model_type", "model_attributes_type"):
        if loc and loc[-1] in ("a", "b", "frame"):
            return f"{value} {FRAME_RULE}"
        return f"{value} must be " + ("a list of three numbers or a mapping" if "frames" in loc else "a mapping")
    if kind in RULES:
        return f"{value!r} {RULES[kind]}"
    message = str(found["msg"]).removeprefix("Value error, ")
    return message.replace("Input should be", f"{value!r} must be").replace("Input", "It")


def _called(cls: type[BaseModel] | None, loc: Path) -> str:
    owner = cls if len(loc) == 1 else NESTED.get(str(loc[0]))
    if owner is None:
        return "the entry"
    kind = getattr(owner, "kind", "") or owner.__name__.lower()
    noun = NOUNS.get(getattr(owner, "section", ""), "")
    return f"a {kind}" if noun in ("", kind) or kind.endswith(noun) else f"a {kind} {noun}"


def references(model: Model, named: dict[str, set[str]]) -> Iterator[tuple[Path, str]]:
    """(path, message) of every item that refers to a body, frame or joint that is not there. ``named`` holds the names of the
    text, also of items that are wrong themselves and are not in the model."""
    for item in model:
        here = (item.section, item.name)
        for field in type(item).model_fields:
            value = getattr(item, field)
            pair = isinstance(item, (Pair, JointPair)) and field in ("a", "b")
            path = (*here, "between", "ab".index(field)) if pair else (*here, field)
            if isinstance(value, Frame):
                yield from ((path, m) for m in _frame(model, named["bodies"], value))
            elif isinstance(value, str) and (field == "joint" or (pair and isinstance(item, JointPair))):
                if value not in named["joints"]:
                    yield path, f"there is no joint {value!r}{did_you_mean(value, sorted(named['joints']))}"
        if isinstance(item, Drive) and item.joint in model.items:
            has = getattr(model[item.joint], "coordinates", ())
            if item.coordinate not in has:
                rule = f"it has {' and '.join(has)}" if has else "it has none"
                yield (*here, "coordinate"), f"joint {item.joint!r} has no coordinate {item.coordinate!r}; {rule}"


def _frame(model: Model, bodies: set[str], frame: Frame) -> Iterator[str]:
    if frame.body != "ground" and frame.body not in bodies:
        yield f"there is no body {frame.body!r}{did_you_mean(frame.body, ['ground', *sorted(bodies)])}"
    elif frame.frame and (frame.body == "ground" or frame.body in model.items):
        frames = getattr(model[frame.body], "frames", {})
        if frame.frame not in frames:
            has = did_you_mean(frame.frame, frames) or "; it has none, name it under frames"
            yield f"body {frame.body!r} has no frame {frame.frame!r}{has}"
