"""Who reads what: the signals of a model as its items declare them, before anything is compiled. Diagrams and checks look at it."""
from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..functions.channels import channels
from ..functions.expression import Number, Signal
from ..functions.parser import KNOWN, Names, parse
from ..functions.rewriting import owner_of
from ..functions.table import Table
from ..items.base import Frame, Pair
from ..items.declarations import Collected, Held, Lag, Law, Memory, Play, RateOf, Switches
from ..items.function_fields import functions

if TYPE_CHECKING:
    from ..items.base import Item
    from ..model import Model

MECHANICAL = "bodies", "joints", "measures"  # sections whose channels the mechanism gives
WHOLE = "energy", "model"                    # first words of channels of all bodies together


class Read(NamedTuple):
    """``item`` needs the signal ``reference`` of ``owner`` (an item) for its own signal ``of``; "": for what it does itself. ``sets``: it
    does not read, but is set at instants."""
    item: str
    of: str
    owner: str
    reference: str
    sets: bool = False


class SignalGraph:
    """``reads``: all of them. ``acts``: bodies that items act on. ``parts``: sets of bodies that hang together without the ground, a
    mechanism each. ``periods`` [s] of what is sampled."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.items = {item.name: item for item in model if item.active}
        variables = {v.name: Signal(v.name) for v in self.items.values() if v.section == "variables"}
        self.names = Names({**{n: Number(float(p.value)) for n, p in model.parameters.items()}, **variables}, dict(model.tables))
        before = KNOWN.set(self.names)
        try:
            flows = self._flows()
            self.reads = [read for item in self.items.values() for read in dict.fromkeys(self._reads(item, flows))]
            self.touched = {name: self._bodies(item) for name, item in self.items.items()}
            self.periods = {name: found for name, item in self.items.items() if (found := _period(item)) is not None}
        finally:
            KNOWN.reset(before)
        self.acts = {name: bodies for name, bodies in self.touched.items() if bodies and self.items[name].section in ("forces", "drives")}
        self.parts = self._together()
        self.numbers = {body: k for k, part in enumerate(self.parts) for body in part}

    # -- reading
    def _reads(self, item: Item, flows: dict[str, list[Any]]) -> Iterator[Read]:
        for of, value in _declared(item):
            for one in flows.get(f"{item.name}.{of}", ()) if isinstance(value, Collected) else (value,):
                yield from (self._read(item, of, reference) for reference in self._references(one))
        if controller := item.controller():
            yield from (self._read(item, of, reference) for of, _ in controller.outputs for reference in controller.inputs)
        for happening in item.happenings():
            for reference in self._references(happening.when):
                yield self._read(item, "", reference)
            for target, value in (action for action in happening.do if action and not isinstance(action, Switches)):
                yield from (self._read(item, "", reference) for reference in self._references(value))
                owner = owner_of(target, self.items)
                yield Read(owner, target[len(owner) + 1:], item.name, target, True)
        if item.section not in (*MECHANICAL, "blocks"):
            for _, text, names in functions(item):
                yield from (self._read(item, "", reference) for reference in channels(parse(text, names, self.names)))

    def _read(self, item: Item, of: str, reference: str) -> Read:
        return Read(item.name, of, "ground" if reference.startswith("ground.") else owner_of(reference, self.items), reference)

    def _references(self, value: Any) -> list[str]:
        """Channels in an expression, a tree or a law."""
        if isinstance(value, Law):
            laws = (parse(law, ("t", "x", "v"), self.names) for law in value.laws if isinstance(law, str))
            return [reference for tree in (value.x, value.v, *laws) for reference in channels(tree)]
        if isinstance(value, str):
            value = parse(value, ("t",), self.names)
        return channels(value) if hasattr(value, "__dataclass_fields__") else []  # a number, a table or a function of t has none

    def _flows(self) -> dict[str, list[Any]]:
        """What items let flow into ports, by the outputs that collect it."""
        found: dict[str, list[Any]] = {}
        for item in self.items.values():
            for flow in item.inflows():
                found.setdefault(f"{flow.port}.{flow.what}", []).append(flow.value)
        return found

    # -- acting
    def _bodies(self, item: Item) -> list[str]:
        """That it touches, without the ground."""
        joints = [self.items[use.joint] for use in item.uses() if use.joint in self.items]
        ends = [frame for x in (item, *joints) for frame in (getattr(x, name) for name in type(x).model_fields) if isinstance(frame, Frame)]
        listed = [name for field in item.lists for name in getattr(item, field) if self._section(name) == "bodies"]
        return list(dict.fromkeys([*(self._body(end) for end in ends if end.body != "ground"), *listed]))

    def _section(self, name: str) -> str:
        return self.items[name].section if name in self.items else ""

    def _body(self, frame: Frame) -> str:
        """A text left.knee is a frame of left, or the body left.knee."""
        whole = f"{frame.body}.{frame.frame}"
        return whole if frame.body not in self.items and whole in self.items else frame.body

    def _together(self) -> list[list[str]]:
        part = {item.name: [item.name] for item in self.items.values() if item.section == "bodies"}
        for name, touched in self.touched.items():
            if self._section(name) == "joints" or (self._section(name) == "forces" and isinstance(self.items[name], Pair)):
                found = {id(part[b]): part[b] for b in touched if b in part}
                whole = [b for one in found.values() for b in one]
                part.update(dict.fromkeys(whole, whole))
        return list({id(one): one for one in part.values()}.values())

    def parts_of(self, owner: str) -> list[int]:
        """The mechanisms that a body, joint or measure belongs to, or the energies of the whole model; none for other items, and what the
        ground carries alone."""
        if owner in WHOLE:
            return list(range(len(self.parts)))
        if self._section(owner) not in MECHANICAL:
            return []
        return list(dict.fromkeys(self.numbers[body] for body in (owner, *self.touched[owner]) if body in self.numbers))

    # -- influence
    @cached_property
    def _readers(self) -> dict[str, set[str]]:
        """What each signal has influence on at once; "part 0" is a mechanism."""
        found: dict[str, set[str]] = {}
        for read in self.reads:
            origins = [f"part {k}" for k in self.parts_of(read.owner)] or [read.owner if read.sets else read.reference]
            if read.owner == read.item and read.reference in (f"{read.item}.distance", f"{read.item}.rate"):
                origins = [f"part {k}" for k in self.acted(read.item)]
            for origin in origins:
                found.setdefault(origin, set()).add(f"{read.item}.{read.of}".rstrip("."))
        for name in self.acts:
            for of in {name, *(f"{name}.{signal}" for signal, _ in self.items[name].signals())}:
                found.setdefault(of, set()).update(f"part {k}" for k in self.acted(name))
        return found

    def drives(self, *references: str) -> set[str]:
        """All signals that these have influence on, by way of the mechanism too."""
        found, todo = set[str](), list(references)
        while todo:
            new = self._readers.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return found

    def fed_back(self) -> set[str]:
        """Signals that have influence on themselves: more than one in a strongly connected part of the graph, or read by itself."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components
        number: dict[str, int] = {}
        pairs = [tuple(number.setdefault(name, len(number)) for name in (a, b)) for a, others in self._readers.items() for b in others]
        if not pairs:
            return set()
        rows, columns = zip(*pairs, strict=True)
        ring = connected_components(coo_matrix((np.ones(len(pairs)), (rows, columns)), (len(number),) * 2), connection="strong")[1]
        count = np.bincount(ring)
        return {name for name, k in number.items() if count[ring[k]] > 1 or name in self._readers.get(name, ())}

    def acted(self, name: str) -> list[int]:
        """The mechanisms that an item acts on."""
        return list(dict.fromkeys(k for body in self.acts.get(name, ()) for k in self.parts_of(body)))


def _declared(item: Item) -> Iterator[tuple[str, Any]]:
    """Its signals, and what each is computed from."""
    yield from ((state.name, state.rate) for state in item.states())
    for output in (*item.computed(), *item.derived()):
        yield output.name, Signal(output.value.signal) if isinstance(output.value, RateOf) else output.value
    for value in item.discrete():
        if isinstance(value, (Lag, Play)):
            yield value.name, Signal(value.of)
        else:
            yield value.name, value.next if isinstance(value, Memory) else value.value


def _period(item: Item) -> float | None:
    controller = item.controller()
    found = [controller.period] if controller else [v.period for v in item.discrete() if isinstance(v, (Held, Memory))]
    return min(found, default=None)


def functions_of(item: Item) -> bool:
    """Whether it holds a function of time: a text, a table or one of Python."""
    values = [x for v in item.__dict__.values() for x in (v if isinstance(v, tuple) else (v,))]
    return any(True for _ in functions(item)) or any(isinstance(v, Table) or callable(v) for v in values)
