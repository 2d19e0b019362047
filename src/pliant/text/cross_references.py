"""What is wrong between items of a model: bodies, frames, joints and channels that are not there or do not fit. Found from the
items alone, before anything is compiled; the rules are those of `pliant.items.references`, which a compilation uses as well."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..channel_values.components import is_number, listed
from ..compile.reactions import names_reaction
from ..functions.channels import channels
from ..functions.expression import Node
from ..functions.function import check_expression
from ..functions.parser import Names, parse
from ..functions.rewriting import owner_of
from ..items import references as ref
from ..items.base import IDENTITY, Between, Frame, Item, Pair, did_you_mean, matrix_of, names_joint
from ..items.bodies import FrameOwner
from ..items.couplings import JointEquation
from ..items.declarations import JOINT_ACTIONS, Collected, Held, Memory
from ..items.editing import needs_inactive
from ..items.events import Event
from ..items.forces import Measure
from ..items.function_fields import functions
from ..items.groups import Group
from ..items.joints import Connection
from ..items.references import NO_DIRECTION, NO_GAP, NO_LENGTH, TIME_ALONE, one_body, sensed
from ..model import Model

Path = tuple[Any, ...]
Problem = tuple[Path, str]


def problems(model: Model, named: dict[str, set[str]]) -> Iterator[Problem]:
    """(path, message) of everything that does not fit. ``named`` holds the names of the text by section, also of items that are
    wrong themselves and are not in the model: what refers to those is not held against it."""
    check, names = _channel_check(model, named), model.names()
    for item in model:
        here = (item.section, item.name)
        for found in (_ends(model, named, item), _members(model, named, item), _coordinates(model, item), _ports(model, named, item),
                      _switched(named, item),
                      _expressions(model, item, check, names)):
            yield from ((here + path, message) for path, message in found)
    yield from _inactive(model)
    yield from _loops(model, names)
    yield from _too_many_equations(model)
    joints = named["joints"] | named["drives"]
    for name in getattr(model.settings.get("formulation"), "joints", ()):
        if name not in joints:
            yield ("simulate", "formulation", "joints", name), f"there is no joint {name!r}{did_you_mean(name, sorted(joints))}"


def _loops(model: Model, names: Names) -> Iterator[Problem]:
    """Signals of items that need each other without a state between them: one such loop."""
    owners = {f"{item.name}.{output.name}": (item, output.value) for item in model for output in item.computed()}
    done = set[str]()

    def loop(reference: str, before: tuple[str, ...]) -> tuple[str, ...]:
        if reference in before:
            return (*before[before.index(reference):], reference)
        if reference not in owners or reference in done:
            return ()
        try:
            value = owners[reference][1]
            node = parse(value, ("t",), names) if isinstance(value, str) else value
            needed = channels(node) if isinstance(node, Node) else []
        except ValueError:  # told elsewhere
            needed = []
        found = next((way for other in needed if (way := loop(other, (*before, reference)))), ())
        done.add(reference)
        return found

    for reference, (item, _) in owners.items():
        if way := loop(reference, ()):
            yield (item.section, item.name), ref.algebraic_loop(way)
            return


def _inactive(model: Model) -> Iterator[Problem]:
    """Items that refer to one that is switched off."""
    off = {item.name for item in model if not item.active}
    for name, others in model.references() if off else ():
        for other in sorted(others & off) if name in model.items and name not in off else ():
            item, needed = model[name], model[other]
            yield (item.section, name), needs_inactive(f"{needed.kind} {other!r}", other, [f"{item.kind} {name!r}"])


def _ends(model: Model, named: dict[str, set[str]], item: Item) -> Iterator[Problem]:
    """Frames and joints that an item names."""
    good = True
    for field in type(item).model_fields:
        value = getattr(item, field)
        path: Path = ("between", "ab".index(field)) if isinstance(item, Between) and field in ("a", "b") else (field,)
        if isinstance(value, Frame):
            for message in _frame(model, named, value, item.section != "measures" and field not in item.wholes):
                good = False
                yield path, message
            good = good and isinstance(_body(model, value.body), FrameOwner)
        elif names_joint(type(item), field):
            if value not in named["joints"]:
                yield path, f"there is no joint {value!r}{did_you_mean(value, sorted(named['joints'] - {item.name}))}"
    if good and isinstance(item, Pair):
        yield from _geometry(model, item)
    if good and (frames := [value for field in type(item).model_fields if isinstance(value := getattr(item, field), Frame)]):
        yield from item.misfits({frame.body: _body(model, frame.body) for frame in frames})


def _members(model: Model, named: dict[str, set[str]], item: Item) -> Iterator[Problem]:
    """Bodies that a group names; one that is wrong itself is not held against it."""
    if isinstance(item, Group):
        masses = {name: getattr(_body(model, name), "mass", 1.0) for name in named["bodies"]}
        yield from ((path, str(wrong)) for path, wrong in item.faults(masses))


def _frame(model: Model, named: dict[str, set[str]], frame: Frame, acts: bool) -> Iterator[str]:
    body = _body(model, frame.body)
    if frame.body != "ground" and frame.body not in named["bodies"]:
        yield ref.no_body(frame.body, ["ground", *sorted(named["bodies"])], named["joints"])
    elif isinstance(body, FrameOwner) and frame.frame and frame.frame not in body.frames:
        yield ref.no_frame(frame.body, frame.frame, body.frames)
    elif isinstance(body, FrameOwner):
        try:
            if body.node_of(body.local(frame)) is None and body.nodal and acts:
                yield ref.no_node(frame.body, body.frames)
        except ValueError as error:
            if acts or frame.at or frame.s is not None:
                yield str(error)


def _body(model: Model, name: str) -> Item | None:
    """The body of this name; None if it is wrong itself, also where another item has taken its name."""
    return model.ground if name == "ground" else model.items.get(name)


def _geometry(model: Model, item: Pair) -> Iterator[Problem]:
    """Two frames that are there: on one body, or at one point where there must be a distance."""
    if item.section == "joints" and (wrong := one_body(item.a, item.b)):
        yield ("between",), wrong
    elif item.as_modelled and _coincide(model, item):
        yield ("between",), NO_LENGTH
    elif item.apart and _coincide(model, item):
        yield ("between",), NO_DIRECTION
    for k, primitive in enumerate(getattr(item, "primitives", ())):
        if isinstance(primitive, tuple) and primitive[0] == "distance" and item.primitives_list()[k][1] == 0:  # type: ignore[attr-defined]
            yield ("primitives", k), NO_LENGTH


def _coincide(model: Model, item: Pair) -> bool:
    """Whether two points are one in the pose as modelled; False where a body is wrong itself or its position is not stated."""
    points = []
    for frame in (item.a, item.b):
        body = _body(model, frame.body)
        if not isinstance(body, FrameOwner) or (frame.frame and frame.frame not in body.frames):
            return False
        if item.a.body != item.b.body and body is not model.ground and not body.deforms and "position" not in body.model_fields_set:
            return False
        points.append(_world(body, frame))
    return float(np.linalg.norm(points[1] - points[0])) == 0


def _world(body: FrameOwner, frame: Frame) -> np.ndarray:
    point, _ = body.place_of(frame)
    return np.array(getattr(body, "position", (0.0, 0.0, 0.0))) + matrix_of(getattr(body, "rotation", IDENTITY)) @ point


def _coordinates(model: Model, item: Item) -> Iterator[Problem]:
    """Joints that an item uses and that do not have the coordinate it needs; channels of expressions are looked at elsewhere."""
    expressions = {path for path, *_ in functions(item)}
    for joint, coordinate, path in item.uses():
        if path not in expressions and joint in model.items and model[joint].section == "joints":
            has = getattr(model[joint], "coordinates", ())
            if coordinate not in has:
                yield path, ref.no_coordinate(joint, coordinate, has)
            elif item.section == "drives" and coordinate in getattr(model[joint], "hold", ()):
                yield path, ref.held(joint, coordinate)


def _switched(named: dict[str, set[str]], item: Item) -> Iterator[Problem]:
    """Joints that actions of events are on."""
    if isinstance(item, Event):
        for k, action in enumerate(item.do):
            for word in set(action) & set(JOINT_ACTIONS):
                if action[word] not in named["joints"]:
                    yield ("do", k, word), f"there is no joint {action[word]!r}{did_you_mean(action[word], sorted(named['joints']))}"


def _ports(model: Model, named: dict[str, set[str]], item: Item) -> Iterator[Problem]:
    """Ports that an item names; those of one that is wrong itself are not held against it."""
    wrong = set().union(*named.values()) - set(model.items)
    for flow in item.inflows():
        ports = {f"{i.name}.{o.name}".removesuffix(f".{flow.what}") for i in model for o in i.computed()
                 if isinstance(o.value, Collected) and o.name.endswith(flow.what)}
        if flow.port not in ports and owner_of(flow.port, wrong) not in wrong:
            path = ("between", "ab".index(flow.field)) if isinstance(item, Between) else (flow.field,)
            yield path, ref.no_port(flow.port, ports)


def _channel_check(model: Model, named: dict[str, set[str]]) -> Callable[[str], Any]:
    """A function of a channel that raises if expressions cannot use it."""
    bodies = {"ground": model.ground} | {b.name: b for b in model.section("bodies", inactive=True) if isinstance(b, FrameOwner)}
    joints = {j.name: getattr(j, "coordinates", ()) for j in model.section("joints", inactive=True) if not isinstance(j, JointEquation)}
    measures: dict[str, Any] = {m.name: m for m in model if isinstance(m, Measure) or m.spans()}
    others = {i.name: f"{i.kind} {i.name!r}" for i in model if i.name not in bodies | joints | measures}
    others |= {"energy": "the model", "model": "the model"}
    every = [*model, *model.brought()]
    offered = {f"{i.name}.{name}" for i in every for name, _ in i.signals()} | {f"{i.name}.{o.name}" for i in every for o in i.derived()}
    wrong = set().union(*named.values()) - set(model.items)

    def check(reference: str) -> None:
        if owner_of(reference, wrong) not in wrong:
            item = sensed(reference, bodies, joints, measures, others, offered).item
            if item in measures and _coincide(model, measures[item]):
                raise ValueError(f"measure {item!r}: {NO_GAP}")
    return check


def _observable(model: Model) -> dict[str, tuple[str, int]]:
    """All channels of a model, which items that work at ticks may use."""
    owners = [model.ground, *(b for b in model.section("bodies", inactive=True) if isinstance(b, FrameOwner))]
    frames = [place for b in owners for place in (b.name, *(f"{b.name}.{frame}" for frame in b.frames))]
    return listed(frames, {f"{i.name}.{c.name}".rstrip("."): (c.unit, c.size) for i in [*model, *model.brought()]
                           for c in i.channels()})


def _seen_at_ticks(model: Model, item: Item, reference: str) -> bool:
    """Whether an item that works at ticks looks up a channel that is no signal."""
    if not any(isinstance(value, (Held, Memory)) for value in item.discrete()):
        return False
    try:
        return is_number(reference, _observable(model))
    except KeyError:
        return False


def _expressions(model: Model, item: Item, check: Callable[[str], Any], names: Names) -> Iterator[Problem]:
    """Expressions that cannot be programs, and channels that are not there or cannot be used."""
    for path, text, variables in functions(item):
        try:
            used = check_expression(text, variables, names)
        except ValueError as error:
            yield path, str(error)
            continue
        if used and not item.senses:
            yield path, TIME_ALONE
        for reference in used if item.senses else ():
            try:
                check(reference)
            except ValueError as error:
                if not _seen_at_ticks(model, item, reference) and not _decides(model, item, path, reference):
                    yield path, str(error)


def _decides(model: Model, item: Item, path: Path, reference: str) -> bool:
    """Whether it is the condition of an event that reads what a joint exerts."""
    joints = {j.name for j in model.section("joints", inactive=True) if isinstance(j, Connection)}
    return path == ("when",) and bool(list(item.happenings())) and names_reaction(reference, joints) is not None


def _too_many_equations(model: Model) -> Iterator[Problem]:
    """Drives for which a joint has no equation left: two frames can move in six ways."""
    count: dict[str, int] = {}
    for item in model.section("drives"):
        for joint, coordinate, _ in item.uses():
            has = getattr(model.items.get(joint), "coordinates", ())
            if coordinate not in has or coordinate in getattr(model[joint], "hold", ()):
                continue
            count[joint] = count.get(joint, model[joint].equations()) + 1
            if count[joint] > 6:
                yield (item.section, item.name), (f"joint {joint!r} has {count[joint]} equations with this drive, "
                                                  "but two frames can move in 6 ways only; remove a drive")
