"""What events do: a state is set, the run ends, joints are locked, released, connected and broken."""
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema

from ..functions.parser import KNOWN, parse
from ..functions.units import must, quantity, shown
from .base import joint_name, plain
from .declarations import JOINT_ACTIONS, Switches

CAPTURE, CAPTURE_ANGLE = 1e-3, 1e-3
_FORMS = "{set: mode.output, to: 2}, {end: true}, or one of lock, unlock, release, connect and break with a joint, such as {lock: hinge}"
_UNITS = {"capture": "m", "capture_angle": "rad"}


def Set(state: str, to: Any) -> dict[str, Any]:
    """An action of an event: a state, discrete or continuous, becomes ``to``, a number or an expression of t and channels."""
    return {"set": state, "to": to}


def End() -> dict[str, Any]:
    """An action of an event: the run ends."""
    return {"end": True}


def Lock(joint: Any) -> dict[str, Any]:
    """An action of an event: the joint stands still from here on, where it is. What moves is stopped by an impulse."""
    return {"lock": joint_name(joint)}


def Unlock(joint: Any) -> dict[str, Any]:
    """An action of an event: a lock is opened; velocities stay as they are."""
    return {"unlock": joint_name(joint)}


def Release(joint: Any) -> dict[str, Any]:
    """An action of an event: the joint, with its drives and its lock, holds nothing any more; velocities stay as they are."""
    return {"release": joint_name(joint)}


def Break(joint: Any) -> dict[str, Any]:
    """An action of an event: as `Release`, for good."""
    return {"break": joint_name(joint)}


def Connect(joint: Any, at: str = "modelled", capture: Any = CAPTURE, capture_angle: Any = CAPTURE_ANGLE) -> dict[str, Any]:
    """An action of an event: a joint that was released, or has ``connected=False``, holds from here on. What moves is stopped by an
    impulse. ``at``: "modelled", its sides must be within ``capture`` [m] and ``capture_angle`` [rad] and are closed; or "here", a fixed
    joint holds them where they are."""
    made = {"connect": joint_name(joint)}
    if at != "modelled":
        made["at"] = at
    return made | {name: value for name, value, usual in (("capture", capture, CAPTURE), ("capture_angle", capture_angle, CAPTURE_ANGLE))
                   if value != usual}


def _actions(value: Any) -> Any:
    if isinstance(value, (str, dict)) or not isinstance(value, (list, tuple)) or not value:
        raise ValueError(must(value, f"must be a list of actions with at least one: {_FORMS}"))
    return tuple(_action(action) for action in value)


def _action(action: Any) -> dict[str, Any]:
    if isinstance(action, dict) and (words := set(action) & set(JOINT_ACTIONS)):
        return _on_joint(action, *words) if len(words) == 1 else _refuse(action)
    if isinstance(action, dict) and set(action) == {"end"}:
        if action["end"] is not True:
            raise ValueError(must(action["end"], "of end must be true; leave it out otherwise"))
        return {"end": True}
    if not (isinstance(action, dict) and set(action) == {"set", "to"} and isinstance(action["set"], str)):
        _refuse(action)
    to = plain(action["to"])
    if isinstance(to, bool) or not isinstance(to, (int, float, str)):
        raise ValueError(must(to, "of to must be a number, or an expression such as '2*A.angle'"))
    if isinstance(to, str):
        parse(to, ("t",), KNOWN.get())
    elif not np.isfinite(to):
        raise ValueError(f"{shown(to)} of to must be finite")
    return {"set": action["set"], "to": to}


def _refuse(action: Any) -> Any:
    raise ValueError(must(action, f"must be {_FORMS}"))


def _on_joint(action: dict[str, Any], word: str) -> dict[str, Any]:
    """An action on a joint, checked."""
    known = {word, "at", *_UNITS} if word == "connect" else {word}
    if not set(action) <= known:
        raise ValueError(f"{', '.join(sorted(set(action) - known))} of {word} is not known; {word} has {', '.join(sorted(known - {word}))}"
                         if known - {word} else f"{word} has nothing but the name of a joint, got {shown(action)}")
    joint = joint_name(action[word])
    if not (isinstance(joint, str) and joint):
        raise ValueError(must(action[word], f"of {word} must be the name of a joint"))
    made: dict[str, Any] = {word: joint}
    if "at" in action:
        if action["at"] not in ("here", "modelled"):
            raise ValueError(must(action["at"], "of at must be here or modelled"))
        made["at"] = action["at"]
    for name, unit in _UNITS.items():
        if name in action:
            made[name] = quantity(action[name], unit)
            if not (np.isfinite(made[name]) and made[name] > 0):
                raise ValueError(must(action[name], f"of {name} must be greater than zero"))
    return made


def switches(action: dict[str, Any]) -> Switches | None:
    """What an action on a joint says; None of another."""
    for word in JOINT_ACTIONS:
        if word in action:
            return Switches(word, action[word], action.get("at") == "here", action.get("capture", CAPTURE),
                            action.get("capture_angle", CAPTURE_ANGLE))
    return None


def _entry(properties: dict[str, Any], *needed: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


_SIZE = {"type": ["number", "string"]}
_ENTRY = {"anyOf": [_entry({"set": {"type": "string"}, "to": {"type": ["number", "string"]}}, "set", "to"),
                    _entry({"end": {"const": True}}, "end"),
                    *(_entry({word: {"type": "string"}}, word) for word in JOINT_ACTIONS if word != "connect"),
                    _entry({"connect": {"type": "string"}, "at": {"enum": ["here", "modelled"]}, "capture": _SIZE, "capture_angle": _SIZE},
                           "connect")]}
if TYPE_CHECKING:
    Actions = tuple[dict[str, Any], ...]
else:
    Actions = Annotated[tuple[dict[str, Any], ...], BeforeValidator(_actions),
                        WithJsonSchema({"type": "array", "items": _ENTRY, "minItems": 1})]
