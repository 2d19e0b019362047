"""Signals of a model as they are asked for: primitive ones, and those that are computed from others, in order of flow, each with its
derivatives by primitive ones. docs/theory/states.md"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..functions.channels import channels
from ..functions.derivative import derivative
from ..functions.expression import ONE, ZERO, External, Lookup, Node, Number, Signal, Variable, binary, bottom_up
from ..functions.parser import parse
from ..functions.substitution import substituted
from ..functions.table import Table
from ..items.declarations import Law, Random, RateOf
from ..items.errors import MissingItem, ModelError
from ..items.references import NO_RATE_OF_PYTHON, algebraic_loop, no_port

if TYPE_CHECKING:
    from ..items.base import Item
    from ..kernels.contract import Family
    from .array_builder import ArrayBuilder


class Primitive(NamedTuple):
    """A signal that the state gives: its slot in Y, the row of its family that senses it, and the tiles whose unknowns change it."""
    slot: int
    family: Family
    row: int
    tiles: tuple[int, ...]


class Computed(NamedTuple):
    """A signal of other signals: its slot, and its derivatives by primitive ones."""
    slot: int
    slopes: dict[str, Node]
    node: Node = ZERO  # as a tree; of what is held nothing


class Declared(NamedTuple):
    """What an item offers as a signal: an expression, and the item in words. What is held has a ``place`` in the history, and a
    ``period``; what a controller writes there has no value, but ``ready`` makes the row that writes it."""
    value: Node | str | Law | Random | RateOf | None
    where: str
    place: int = -1
    period: int = -1
    ready: Callable[[], None] | None = None
    every: float = 0.0  # period of the item, if it works at ticks: then it may use any channel


class Signals:
    """By reference. ``find`` makes primitive ones, ``rate`` gives their time derivatives; ``offered``: those that items compute."""

    def __init__(self, builder: ArrayBuilder, find: Callable[[str], Primitive], rate: Callable[[str], Node],
                 look_up: Callable[[str, float, str], int]) -> None:
        self.builder, self.find, self.rate, self.look_up = builder, find, rate, look_up
        self.every, self.where = 0.0, ""  # period of what is being computed, and whose it is
        self.named = {"energy", "model"}  # what has channels
        self.looked: dict[tuple[str, float], int] = {}  # channels that are no signals, at the ticks of a period
        self.primitive: dict[str, Primitive] = {}
        self.computed: dict[str, Computed] = {}
        self.offered: dict[str, Declared] = {}
        self.derived: dict[str, Declared] = {}  # those that are computed only if they are used
        self.underway: list[str] = []
        self.by_slot: dict[int, Primitive] = {}
        self.slope_slots: dict[str, int] = {}

    def collect(self, items: Iterable[Item], sums: dict[str, list[Node]]) -> None:
        """What items let flow into ports, added up there; ``sums``: by the outputs that do."""
        for item in items:
            for flow in item.inflows():
                if (name := f"{flow.port}.{flow.what}") not in sums:
                    ports = {n.removesuffix(f".{flow.what}") for n in sums if n.endswith(f".{flow.what}")}
                    raise ModelError(f"{item.kind} {item.name!r}: {flow.field}: {no_port(flow.port, ports)}", (item.name,))
                sums[name].append(flow.value)
        for name, flows in sums.items():
            total: Node = ZERO
            for value in flows:
                total = binary("+", total, value)
            self.offered[name] = Declared(total, f"port {name.rpartition('.')[0]!r}")

    def slot(self, reference: str) -> int:
        """The place of a signal in Y; made on first use, after all that it needs."""
        if reference in self.slope_slots:
            return self.slope_slots[reference]
        if reference in self.offered or reference in self.derived:
            return self._compute(reference).slot
        if reference in self.primitive:
            return self.primitive[reference].slot
        key = reference, self.every
        if key in self.looked:
            return self.looked[key]
        try:
            found = self.find(reference)
        except ValueError as error:
            if not self.every or not self.is_channel(error):
                raise
            self.looked[key] = self.look_up(reference, self.every, self.where)
            return self.looked[key]
        self.primitive[reference] = self.by_slot[found.slot] = found
        return found.slot

    def is_channel(self, error: ValueError) -> bool:
        """Whether what is no signal may be another channel: if it is of something that is there."""
        return error.name in self.named if isinstance(error, MissingItem) else not isinstance(error, ModelError)

    def _compute(self, reference: str) -> Computed:
        """A computed signal; those that need each other without a state between them are named."""
        if reference in self.computed:
            return self.computed[reference]
        if reference in self.underway:
            names = [*self.underway[self.underway.index(reference):], reference]
            raise ModelError(algebraic_loop(names), tuple(name.rpartition(".")[0] for name in names[1:]))
        self.underway.append(reference)
        outer = self.every
        try:
            from ..families.signals import COMPUTED, RANDOM
            declared, b = self.offered.get(reference) or self.derived[reference], self.builder
            held, self.every, self.where = declared.place >= 0, declared.every, declared.where
            if declared.ready is not None:
                declared.ready()
                slot = b.new_signal()
                b.element(COMPUTED, declared.where, (-1, -1, -1, -1, declared.place, -1, slot))
                self.computed[reference] = Computed(slot, {})
                return self.computed[reference]
            if isinstance(declared.value, Random):
                slot = b.new_signal()
                b.element(COMPUTED, declared.where, (-1, -1, -1, int(RANDOM), declared.place, declared.period, slot, declared.value.key))
                self.computed[reference] = Computed(slot, {})
                return self.computed[reference]
            value = (self._of_law(declared.value) if isinstance(declared.value, Law) else
                     self._rate_of(declared.value.signal, declared.where) if isinstance(declared.value, RateOf) else declared.value)
            code = (b.sampled if held else b.function)(value, ("t",), declared.where)
            slot = b.new_signal()
            b.element(COMPUTED, declared.where, (-1, -1, -1, code.value, declared.place, declared.period, slot))
            self.computed[reference] = Computed(slot, {}) if held else Computed(slot, self._slopes(reference, code.node), code.node)
        finally:
            self.every = outer
            self.underway.pop()
        return self.computed[reference]

    def _of_law(self, law: Law) -> Node:
        """What a spring exerts, as a tree of the signals of its stretch and rate."""
        total = binary("+", binary("*", Number(law.stiffness), law.x), binary("*", Number(law.damping), law.v))
        for one in law.laws:
            if callable(one):
                raise ModelError("its law is a function of Python, which expressions cannot use; write it as an expression or a Table")
            node = Lookup(one, law.x) if isinstance(one, Table) else parse(one, ("t", "x", "v"), self.builder.known)
            total = binary("+", total, substituted(node, {"x": law.x, "v": law.v}))
        return total

    def _rate_of(self, reference: str, where: str) -> Node:
        """y' = df/dt + sum of df/dy_j y_j' over the signals of an expression; what is held has none                [signal-5]"""
        try:
            if reference not in self.offered and reference not in self.derived:
                return self.rate(reference)
            node = self._compute(reference).node
            if any(isinstance(part, External) for part in bottom_up(node)):
                raise ValueError(NO_RATE_OF_PYTHON)
        except ValueError as error:
            if isinstance(error, ModelError):
                raise
            asking = next(name for name in reversed(self.underway) if name in self.offered)
            raise ModelError(f"{where}: {error}", (asking.rpartition(".")[0],)) from None
        total = derivative(node, Variable("t"))
        for inner in channels(node):
            if (outer := derivative(node, Signal(inner))) != ZERO:
                name = f"d({inner})/dt"
                self.derived.setdefault(name, Declared(RateOf(inner), where))
                total = binary("+", total, binary("*", outer, Signal(name)))
        return total

    def _slopes(self, reference: str, node: Node) -> dict[str, Node]:
        """By primitive signals: numbers, or signals of the tangent program."""
        from ..families.signals import SLOPE
        found = dict[str, Node]()
        for primitive, slope in self.by_primitive(node).items():
            if isinstance(slope, (Number, Signal)):
                found[primitive] = slope
                continue
            code, name = self.builder.program(slope), f"d({reference})/d({primitive})"
            self.slope_slots[name] = slot = self.builder.new_signal()
            self.builder.element(SLOPE, name, (-1, -1, -1, code, -1, -1, slot))
            found[primitive] = Signal(name)
        return found

    def by_primitive(self, node: Node) -> dict[str, Node]:
        """df/dp = sum of df/dy_j dy_j/dp over the signals of an expression                                [signal-4]"""
        total = dict[str, Node]()
        for reference in channels(node):
            outer = derivative(node, Signal(reference))
            if outer == ZERO:
                continue
            if (reference, self.every) in self.looked:
                continue
            inner = {reference: ONE} if reference in self.primitive else self._compute(reference).slopes
            for primitive, slope in inner.items():
                total[primitive] = binary("+", total.get(primitive, ZERO), binary("*", outer, slope))
        return {primitive: slope for primitive, slope in total.items() if slope != ZERO}

    def borne(self, references: Iterable[str]) -> bool:
        """Whether one of these signals, or one behind them, is what a joint exerts."""
        from ..families.signals import BEARING
        todo, seen = list(references), set[str]()
        while todo:
            reference = todo.pop()
            if reference in self.primitive and self.primitive[reference].family is BEARING:
                return True
            if reference in self.computed and reference not in seen:
                todo += channels(self.computed[reference].node)
            seen.add(reference)
        return False

    def chain(self, node: Node) -> list[tuple[int, Node]]:
        """(slot, derivative) of an expression by all primitive signals behind it."""
        return [(self.slot(primitive), slope) for primitive, slope in self.by_primitive(node).items()]

    def add_answer(self, family: Family, name: str, ints: Sequence[int], slot: int, derivative: int, reals: Sequence[float],
                   tiles: Sequence[int]) -> None:
        """The tangent of what acts on ``tiles`` by a primitive signal; ``ints``: nine of them, those of the element itself."""
        from ..families.signals import BEARING
        b, seen = self.builder, self.by_slot[slot]
        if seen.family is BEARING:  # it answers to multipliers
            family = family._replace(name=f"{family.name} to a load", force=False)
        if seen.tiles:
            b.element(family, name, (*ints, b.row_of(seen.family, seen.row), derivative), reals, tiles=tiles, columns=seen.tiles)
