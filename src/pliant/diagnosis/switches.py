"""Actions of events on joints that can change nothing."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..items.actions import switches
from ..items.events import Event
from ..report.finding import WARNING, Finding, names
from .registry import ITEMS, check

if TYPE_CHECKING:
    from ..model import Model


@check("idle-action", "an action on a joint that changes nothing", ITEMS)
def idle(model: Model) -> Iterator[Finding]:
    """What is never connected cannot lock or break, what is never released needs no connection, what never locks cannot be unlocked."""
    events = [item for item in model if item.active and isinstance(item, Event)]
    asked = [(event.name, action) for event in events for action in map(switches, event.do) if action]
    does: dict[str, set[str]] = {}
    for _, action in asked:
        does.setdefault(action.joint, set()).add(action.what)
    off = {item.name for item in model if not getattr(item, "connected", True)}
    for joint in sorted(off):
        if "connect" not in does.get(joint, ()):
            yield Finding("idle-action", WARNING, (joint,), f"joint {joint!r} has connected: false, and no event connects it.",
                          "Add an event with Connect, or take the joint out of the model.")
    yield from _undone(events)
    for event, action in asked:
        if why := _why_not(action.what, does[action.joint], action.joint in off):
            told = f"event {event!r} can never {action.what} joint {action.joint!r}: {why}."
            yield Finding("idle-action", WARNING, (event, action.joint), told, "Take the action out, or add what must come before.")


OPPOSITE = {"lock": "unlock", "unlock": "lock", "connect": "release", "release": "connect"}


def _undone(events: list[Event]) -> Iterator[Finding]:
    """What two actions do at the same condition, one after the other, is nothing."""
    done: dict[tuple[str, float, str, str], str] = {}
    for event in events:
        for action in map(switches, event.do):
            if action is not None and action.what in OPPOSITE:
                key = event.when, event.delay or 0.0, action.joint
                if other := done.get((*key, OPPOSITE[action.what])):
                    both = dict.fromkeys((other, event.name))
                    yield Finding("idle-action", WARNING, (*both, action.joint), f"{names(both)} {OPPOSITE[action.what]} and {action.what} "
                                  f"joint {action.joint!r} at the same condition.", "Give them different conditions.")
                done[*key, action.what] = event.name


def _why_not(what: str, does: set[str], off: bool) -> str:
    """Why an action never changes anything, in view of all that is done to the joint; empty if it may."""
    if what == "connect" and not off and "release" not in does:
        return "it is broken for good by then" if "break" in does else "it holds from the start, and nothing releases it"
    if what == "unlock" and "lock" not in does:
        return "nothing locks it"
    if what not in ("connect", "unlock") and off and "connect" not in does:
        return "it holds nothing, and nothing connects it"
    return ""
