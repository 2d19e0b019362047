"""Changes of a text before it is read: ``--set bodies.crank.mass=2 kg``."""
from __future__ import annotations

from typing import Any

from ..analyses import entries
from ..functions.field_error import FieldError
from ..functions.parameters import renewed
from ..functions.rewriting import owner_of
from ..items.base import KINDS, did_you_mean
from ..items.errors import TextError
from .yaml_lines import At, Map, Seq, load_yaml, plain

AT = At("--set")
MADE = ("simulate", "ground", *entries.ENTRIES)  # mappings that a change makes if they are not there


def apply_change(data: Map, change: str) -> None:
    """``path=value``: the value is YAML."""
    path, mark, text = change.partition("=")
    keys = [k.strip() for k in path.split(".")]
    if not mark or not all(keys):
        raise TextError([f"--set {change}: write path=value, such as bodies.crank.mass=2"])
    value, _ = load_yaml(text, f"{AT} {path}")
    keys = _with_section(data, keys)
    if isinstance(inside := data.get(keys[0]), Map) and len(keys) > 1:
        name = owner_of(".".join(keys[1:]), inside)  # names may have points in them
        keys = [keys[0], name, *keys[1 + len(name.split(".")):]]
    if keys[0] == "parameters" and len(keys) == 2 and keys[1] in data["parameters"]:
        value = _of_parameter(data["parameters"], keys[1], value)
    target, last = _inside(data, path, keys), keys[-1]
    if isinstance(target, Seq):
        if not last.isdigit() or int(last) >= len(target):
            raise TextError([f"{AT} {path}: {last!r} must be a number from 0 to {len(target) - 1}"])
        target[int(last)], target.where[int(last)] = value, AT
    else:
        target[last], target.where[last] = value, AT


def _of_parameter(parameters: Map, name: str, value: Any) -> Any:
    """A plain number has the SI unit of what was there. What is wrong in the text is told when that is read."""
    try:
        return renewed(plain(parameters), {name: value})[name]
    except FieldError as error:
        if error.field == name:
            raise TextError([f"{AT} {name}: {error.rule}"]) from None
        return value


def _with_section(data: Map, keys: list[str]) -> list[str]:
    """``crank.mass`` is ``bodies.crank.mass``, as of a Python model."""
    if keys[0] in data:
        return keys
    sections = [s for s in ("parameters", *KINDS) if isinstance(data.get(s), Map) and owner_of(".".join(keys), data[s]) in data[s]]
    return next(([s, *keys] for s in sections if s == "parameters" or len(keys) > 1), keys)


def _inside(data: Map, path: str, keys: list[str]) -> Map | Seq:
    """The mapping or list that holds the last of the keys."""
    target: Any = data
    for depth, key in enumerate(keys[:-1]):
        if isinstance(target, Seq) and key.isdigit() and int(key) < len(target):
            target = target[int(key)]
        elif isinstance(target, Map) and isinstance(target.get(key), (Map, Seq)):
            target = target[key]
        elif isinstance(target, Map) and depth == 0 and key in MADE and target.get(key) is None:
            target[key], target.where[key] = Map(AT), AT
            target = target[key]
        else:
            known = target if isinstance(target, Map) else ()
            raise TextError([f"{AT} {path}: there is no {'.'.join(keys[:depth + 1])}{did_you_mean(key, known)}"])
    return target
