"""Events that cannot fire, that are true from the start, that undo each other without end, and joints that are caught too far away."""
from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channel_values.observer import Observer
from ..functions.channels import channels
from ..functions.evaluation import values
from ..functions.expression import Binary, Node, Number, Signal, bottom_up
from ..functions.parser import parse_condition
from ..items.actions import switches
from ..items.events import Discrete, Event, StateMachine, condition_text
from ..items.forces import Measure
from ..items.rigid_limits import RIGID
from ..report.finding import NOTE, WARNING, Finding, names
from .conditions import ANY, Conditions, Known, Range, atoms_of
from .limits import paths, stops
from .registry import RUN, check

if TYPE_CHECKING:
    from .examination import Examination

ROUNDS = 50    # of events at one instant
STATES = 200   # of discrete values that are looked at
MOMENTS = 5001  # of a run
MARGIN = 0.01  # of the range of a driven coordinate, which is known at some moments only


class Watch:
    """The events of a model, and what is known of the signals of their conditions."""

    def __init__(self, e: Examination) -> None:
        self.e, names_of = e, e.model.names()
        self.events = [item for item in e.model if item.active and isinstance(item, Event)]
        self.machines = [item for item in e.model if item.active and isinstance(item, StateMachine)]
        self.when: dict[str, Node] = {}
        for event in self.events:
            try:
                self.when[event.name] = parse_condition(condition_text(event.when), ("t",), names_of)
            except ValueError:  # told elsewhere
                continue
        self.names, self.length = names_of, e.settings.duration or inf
        self.ranges = self._ranges() if self.events or self.machines else {}
        self.conditions = Conditions(lambda reference: self.ranges.get(reference, ANY), Range(0.0, self.length))

    def _ranges(self) -> dict[str, Range]:
        """Of channels that something keeps within limits."""
        found: dict[str, Range] = {}
        for item in self.e.model:
            if isinstance(item, Measure) or item.spans():
                found[f"{item.name}.distance"] = Range(0.0, inf)
            if isinstance(item, StateMachine):
                found[f"{item.name}.state"] = Range(0.0, len(item.modes) - 1.0)
                found |= {f"{item.name}.{mode}": Range(0.0, 1.0) for mode in item.modes}
            if isinstance(item, Discrete):
                found[f"{item.name}.output"] = self._written(item)
        for stop in stops(self.e):
            if stop.law == RIGID and stop.joint in self.e.dynamics.directory.joints:
                found[f"{stop.joint}.{stop.coordinate}"] = Range(*(-inf if stop.lower is None else stop.lower,
                                                                   inf if stop.upper is None else stop.upper))
        for (joint, coordinate), path in paths(self.e).items() if self.length < inf else ():
            loose = MARGIN * (path.high - path.low)
            found[f"{joint}.{coordinate}"] = Range(path.low - loose, path.high + loose)
        return found

    def _written(self, item: Discrete) -> Range:
        """What a discrete state can be: its start, and what events give it."""
        given = [a["to"] for event in self.events for a in event.do if a.get("set") == f"{item.name}.output"]
        if any(isinstance(x, str) for x in given):
            return ANY
        every = [float(item.start), *map(float, given)]
        return Range(min(every), max(every))


@check("event-never", "an event that can never fire", RUN)
@check("event-at-start", "an event whose condition is true at the start", RUN)
def never(e: Examination) -> Iterator[Finding]:
    """A condition that is true at the start has not become true."""
    watch = Watch(e)
    see = None if e.row is None else Observer(e.dynamics, e.row[None, :], np.zeros((1, 3)))
    for event in watch.events:
        if (tree := watch.when.get(event.name)) is None:
            continue
        yield from _in_degrees(watch, event, tree)
        text, span = condition_text(event.when), watch.conditions.span(tree, {})
        if why := _why_never(watch, event, tree, span):
            yield Finding("event-never", WARNING, (event.name,), f"event {event.name!r} can never fire: {why}.",
                          "Correct the condition, or make the run longer.")
        elif event.delay is None and see is not None and _true_at_start(tree, see):
            for_good = {"break", "lock", "release", "connect", "end"} & {word for action in event.do for word in action}
            what = f" It does not {' and '.join(sorted(for_good))} anything then." if for_good - {"end"} else ""
            yield Finding("event-at-start", WARNING if for_good else NOTE, (event.name,), f"event {event.name!r}: its condition {text!r} "
                          f"is true where the run begins; it fires only after it was false and becomes true again.{what}",
                          "Turn the comparison round, if it is the wrong way; begin on the other side of it; or give the start what the "
                          "event does (start values, connected=False).")


def _in_degrees(watch: Watch, event: Event, tree: Node) -> Iterator[Finding]:
    """An angle that is compared with a round number of more than a turn."""
    for node in bottom_up(tree):
        for angle, number in ((node.left, node.right), (node.right, node.left)) if isinstance(node, Binary) else ():
            joint, _, what = angle.reference.rpartition(".") if isinstance(angle, Signal) else ("", "", "")
            if what == "angle" and joint in watch.e.dynamics.directory.joints and isinstance(number, Number) \
                    and abs(number.value) > 2 * np.pi and (2 * number.value).is_integer():
                yield Finding("many-turns", NOTE, (event.name,), f"event {event.name!r} compares the angle of joint {joint!r} with "
                              f"{number.value:g} rad, which is {abs(number.value) / (2 * np.pi):.3g} turns.",
                              f"Write '{number.value:g} deg' if degrees are meant; angles are in radians.")


def _why_never(watch: Watch, event: Event, tree: Node, span: Range) -> str:
    """Empty if it may fire."""
    text, length = condition_text(event.when), watch.length
    if span.never:
        told = [words for atom in atoms_of(tree) if (words := _impossible(watch.conditions, atom))]
        return f"its condition {text!r} is never true{'; ' if told else ''}{' and '.join(told)}"
    if span.always and event.delay is None:
        return f"its condition {text!r} is always true, and so never becomes true"
    if event.delay is not None and event.delay >= length:
        return f"its delay of {event.delay:g} s is not shorter than the run, {length:g} s"
    if equal := next((node for node in bottom_up(tree) if _asks_for_equality(watch, node)), None):
        side = next(reference for reference in channels(equal))
        return f"its condition {text!r} asks for equality, and {side} passes a number without being equal to it at any step"
    if not channels(tree) and event.delay is None and length < inf:
        true = values(tree, np.linspace(0.0, length, MOMENTS), lambda reference: np.zeros(1)) > 0.5
        if true[0] and not (true[1:] & ~true[:-1]).any():
            return f"its condition {text!r} is true from the start and does not become true again"
    return ""


def _asks_for_equality(watch: Watch, node: Node) -> bool:
    """Of something that changes smoothly: a coordinate, a place, a distance or a speed."""
    smooth = {f"{joint}.{c}{rate}" for joint, record in watch.e.dynamics.directory.joints.items() for c in record.zeros
              for rate in ("", "_rate")}
    return isinstance(node, Binary) and node.operator == "==" and any(
        reference in smooth or reference.endswith(".distance") or {"position", "velocity"} & set(reference.split(".")[-2:])
        for reference in channels(node))


def _impossible(conditions: Conditions, atom: Node) -> str:
    """Within what a signal is that is compared with something outside of it."""
    if not isinstance(atom, Binary) or not conditions.span(atom, {}).never:
        return ""
    for side in (atom.left, atom.right):
        own = conditions.span(side, {})
        if not isinstance(side, Number) and own != ANY:
            name = side.reference if isinstance(side, Signal) else getattr(side, "name", "") or "what it compares"
            low, high = (f"{x:.6g}" for x in own)
            return f"{name} is " + (f"at most {high}" if own.low == -inf else f"at least {low}" if own.high == inf else f"from {low} to "
                                                                                                                        f"{high}")
    return ""


def _true_at_start(tree: Node, see: Observer) -> bool:
    try:
        return bool(values(tree, see.parts["t"], see)[0] > 0.5)
    except (KeyError, ValueError, TypeError):  # a channel that is not there is told elsewhere
        return False


# -- cycles
@check("event-cycle", "events that undo each other without end", RUN)
def cycles(e: Examination) -> Iterator[Finding]:
    """What must follow from one event at the same instant, until what was before is there again."""
    watch, told = Watch(e), set[frozenset[str]]()
    for found in (*_event_cycles(watch), *_mode_cycles(watch)):
        if frozenset(found) not in told:
            told.add(frozenset(found))
            room = "Let them fire at different values, with room between (a hysteresis)"
            if len(found) == 1:
                yield Finding("event-cycle", WARNING, found, f"state machine {found[0]!r} goes round its modes without end: where one "
                              "transition is taken, the others of the circle are due at the same instant.", f"{room}.")
            else:
                yield Finding("event-cycle", WARNING, found, f"events {names(found)} undo each other without end: each makes the condition "
                              "of the next one true at the same instant.", f"{room}, or by once=True or a delay.")


Discretes = tuple[tuple[str, float | None], ...]


def _event_cycles(watch: Watch) -> Iterator[tuple[str, ...]]:
    """From all discrete values that events can bring about, one after the other."""
    start: dict[str, float | None] = {f"{item.name}.output": float(item.start) for item in watch.e.model if isinstance(item, Discrete)}
    seen, todo = set[Discretes](), [start]
    while todo and len(seen) < STATES:
        now = todo.pop()
        if (key := tuple(sorted(now.items()))) in seen:
            continue
        seen.add(key)
        for event in watch.events:
            tree = watch.when.get(event.name)
            known = None if tree is None or event.delay is not None else watch.conditions.assume(tree, _known(now))
            if known is None:
                continue
            moving = {node: own for node, own in known.items() if not set(channels(node)) & now.keys()}
            after = _follow(watch, event, now, moving)
            if isinstance(after, tuple):
                yield after
            else:
                todo.append(after)


def _known(discretes: dict[str, float | None]) -> dict[Node, Range]:
    return {Signal(name): Range(value, value) for name, value in discretes.items() if value is not None}


def _follow(watch: Watch, event: Event, now: dict[str, float | None], moving: Known) -> dict[str, float | None] | tuple[str, ...]:
    """The discrete values when all is quiet again, or the events that go on without end; ``moving``: what stays during an instant."""
    spent, rounds, fired = set[str](), list[tuple[Discretes, tuple[str, ...]]](), [event]
    for _ in range(ROUNDS):
        before = {other.name: _truth(watch, other, now, moving) for other in watch.events if other.name in watch.when}
        before[event.name] = Range(1, 1) if event in fired else before[event.name]
        spent |= {one.name for one in fired if one.once}
        now = _acted(fired, now)
        if now is None:
            return {}
        fired = [other for other in watch.events if other.name in watch.when and other.delay is None and other.name not in spent
                 and before[other.name].never and _truth(watch, other, now, moving).always]
        if not fired:
            return now
        step = tuple(sorted(now.items())), tuple(sorted(one.name for one in fired))
        if step in rounds:
            circle = rounds[rounds.index(step):]
            return tuple(dict.fromkeys(name for _, some in circle for name in some))
        rounds.append(step)
    return now


def _truth(watch: Watch, event: Event, now: dict[str, float | None], moving: Known) -> Range:
    return watch.conditions.span(watch.when[event.name], {**moving, **_known(now)})


def _acted(fired: list[Event], now: dict[str, float | None]) -> Any:
    """The discrete values after the actions of events; None where one changes something that is no discrete value."""
    after = dict(now)
    for event in fired:
        for action in event.do:
            if action.get("set") not in now:
                return None
            after[action["set"]] = None if isinstance(action["to"], str) else float(action["to"])
    return after


def _mode_cycles(watch: Watch) -> Iterator[tuple[str, ...]]:
    """A state machine whose transitions follow from each other."""
    for machine in watch.machines:
        try:
            changes = [(a, b, parse_condition(condition_text(when), ("t",), watch.names)) for a, b, when in machine.transitions]
        except ValueError:  # told elsewhere
            continue
        for _, mode, when in changes:
            known, been = watch.conditions.assume(when, {}), list[str]()
            while known is not None and mode not in been:
                been.append(mode)
                due = [watch.conditions.span(tree, known) for a, _, tree in changes if a == mode]
                ways = [b for a, b, _ in changes if a == mode]
                sure = next((k for k, truth in enumerate(due) if truth.high > 0), None)
                if sure is None or not due[sure].always:  # the first that may be taken must be taken
                    break
                mode = ways[sure]
            else:
                if known is not None:
                    yield (machine.name,)
                    break


# -- joints that are caught
@check("capture", "a joint that is to be connected from too far away", RUN)
def too_far(e: Examination) -> Iterator[Finding]:
    """A condition on the distance of the two sides of a joint, against what its action bridges."""
    watch = Watch(e)
    for event in watch.events:
        for action in map(switches, event.do):
            joint = None if action is None else e.model.items.get(action.joint)
            if action is None or joint is None or action.what != "connect" or action.here or event.name not in watch.when:
                continue
            sides = {str(joint.a), str(joint.b)} if hasattr(joint, "a") and hasattr(joint, "b") else set()
            for atom in atoms_of(watch.when[event.name]):
                measure = _measured(e, atom)
                if measure is None or {str(measure[0].a), str(measure[0].b)} != sides or measure[1] <= action.capture * (1 + 1e-9):
                    continue
                yield Finding("capture", WARNING, (event.name, action.joint), f"event {event.name!r} connects joint {action.joint!r} "
                              f"where its sides come as near as {1e3 * measure[1]:.4g} mm, but bridges {1e3 * action.capture:.4g} mm "
                              "(capture); the run would stop there.", "Fire nearer, give a larger capture, or hold the sides where they "
                              "are: at=\"here\", of a fixed joint.")


def _measured(e: Examination, atom: Node) -> tuple[Measure, float] | None:
    """The measure of a distance that must be below a number, and the number."""
    if isinstance(atom, Binary) and atom.operator in ("<", "<=") and isinstance(atom.left, Signal) and isinstance(atom.right, Number):
        head, _, what = atom.left.reference.rpartition(".")
        item = e.model.items.get(head)
        if what == "distance" and isinstance(item, Measure):
            return item, atom.right.value
    return None
