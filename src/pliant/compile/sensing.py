"""What items declare of states and signals, and what expressions refer to: the part of a compilation that senses."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..functions.channels import channels
from ..functions.expression import ZERO, Node, Number, Signal
from ..functions.parser import KNOWN, parse
from ..items.base import Frame, Pair
from ..items.declarations import UNLOADED, Bearing, Collected, Gauge, Given
from ..items.errors import MissingItem
from ..items.references import NO_GAP, NO_RATE, Sensed, rate_name, sensed
from ..kernels.coordinates import ANGLE, DISPLACEMENT, DISTANCE
from .channel_map import ChannelMap, Z
from .signals import Declared, Primitive, Signals

if TYPE_CHECKING:
    from ..items.base import Item
    from ..items.bodies import FrameOwner
    from .array_builder import ArrayBuilder, Place
    from .discrete import Discrete

KINDS = {"angle": ANGLE, "displacement": DISPLACEMENT, "distance": DISTANCE}


class Sensing:
    """Of a `ModelCompiler`, which has the rest."""
    builder: ArrayBuilder
    directory: ChannelMap
    signals: Signals
    discrete: Discrete
    given: dict[str, float]
    flows: dict[str, Declared]  # rates of states
    measured: dict[str, tuple[Frame, Frame]]
    owners: dict[str, FrameOwner]
    places: dict[str, Place]
    items: list[Item]
    gauges: dict[str, tuple[Gauge, int]]  # by the names of their signals: 0 value, 1 rate
    bearings: dict[str, Bearing]
    frame: Any
    world: Any

    def declare(self, items: Iterable[Item]) -> None:
        """Places of states, and names of signals, of all items: any of them may use any other."""
        before = KNOWN.set(self.builder.known)  # items may look into expressions
        try:
            self._declare(items)
        finally:
            KNOWN.reset(before)

    def _declare(self, items: Iterable[Item]) -> None:
        items, collected = list(items), dict[str, list[Node]]()
        self.signals.named |= {item.name for item in items}
        for item in items:
            item.look_around(self.owners)
            if ends := item.spans():
                self.measured[item.name] = ends
            for k, state in enumerate(item.states()):
                name = f"{item.name}.{state.name}"
                self.builder.state(name, state.start if isinstance(state.start, (int, float)) else 0.0, state.nominal, k == 0)
                self.directory.states[name] = self.builder.states[-1]
                self.flows[name] = Declared(state.rate, f"{item.kind} {item.name!r}")
            self.discrete.declare(item)
            for gauge in item.gauges(cast(Any, self)):
                if isinstance(gauge, Bearing):
                    self.bearings[f"{item.name}.{gauge.name}"] = gauge
                    continue
                for order, rate in enumerate(("", "_rate")):
                    self.gauges[f"{item.name}.{gauge.name}{rate}"] = gauge, order
            for output in item.computed():
                name = f"{item.name}.{output.name}".rstrip(".")
                if isinstance(output.value, Given):
                    self.given[name] = output.value.value
                elif isinstance(output.value, Collected):
                    collected[name] = []
                else:
                    self.signals.offered[name] = Declared(output.value, f"{item.kind} {item.name!r}", every=self.discrete.every(item))
            for output in item.derived():
                self.signals.derived[f"{item.name}.{output.name}"] = Declared(cast(Any, output.value), f"{item.kind} {item.name!r}")
            if isinstance(item, Pair) and item.spans():
                self._declare_span(item)
        self.signals.collect(items, collected)

    def _declare_span(self, item: Pair) -> None:
        """Distance and rate of two points, and the length that is unloaded, as stated or as modelled."""
        self.measured[item.name], where, length = (item.a, item.b), f"{item.kind} {item.name!r}", getattr(item, "length", None)
        if length is None:
            length = float(np.linalg.norm(self.world(item.b, where)[0] - self.world(item.a, where)[0]))
        self.signals.derived[f"{item.name}.{UNLOADED}"] = Declared(Number(length), where)

    def _offered(self) -> list[str]:
        """Signals of items."""
        return [*self.directory.states, *self.given, *self.discrete.places, *self.discrete.lags, *self.signals.offered]

    def _equations_of(self, item: Item) -> None:
        """Rates of its states, and what it adds to the balance of energy."""
        where = f"{item.kind} {item.name!r}"
        for state in item.states():
            from ..families.states import STATE, STATE_ANSWER
            entry = self.directory.states[f"{item.name}.{state.name}"]
            code, tiles, reals = self.builder.function(state.rate, ("t",), where), (entry.iv // 6,), (1 / entry.nominal,)
            self.builder.element(STATE, item.name, (-1, -1, -1, entry.iv, code.value), reals, tiles=tiles)
            if not isinstance(state.start, (int, float)):
                start = parse(state.start, ("t",), self.builder.known) if isinstance(state.start, str) else state.start
                self.directory.starts[entry.name] = self.builder.program(start)
            for slot, derivative in code.by_signal:
                ints = (-1, -1, -1, entry.iv, -1, -1, -1, -1, -1)
                self.signals.add_answer(STATE_ANSWER, item.name, ints, slot, derivative, reals, tiles)
        for kind, value in zip(("stored", "lost", "supplied"), item.energies() or (), strict=False):
            if value is not None:
                from ..families.states import LEDGERS
                code = self.builder.function(value, ("t",), where)
                self.builder.element(LEDGERS[kind], item.name, (-1, -1, -1, -1, code.value))

    def _primitive(self, reference: str) -> Primitive:
        """A signal that the state gives."""
        from ..families.signals import (  # families are imported when a model uses them: it saves time at the start
            ENTRY,
            GIVEN,
            OF_H,
            OF_V,
            SENSE,
        )
        b, state = self.builder, self.directory.states.get(reference)
        if reference in self.discrete.lags:
            return self.discrete.lag(reference)
        if self.discrete.deciding and not self.signals.underway and (found := self.discrete.reactions.signal(reference)) is not None:
            return found
        if reference in self.bearings:
            return self.discrete.reactions.bearing(self.bearings[reference])
        slot = b.new_signal()
        if reference in self.gauges:
            gauge, order = self.gauges[reference]
            row = b.pair(SENSE, reference, *gauge.frames, (DISPLACEMENT, gauge.axis, 0, slot, order), velocity=True, reads=True)
            return Primitive(slot, SENSE, row, (*b.tiles_of(gauge.frames[0]), *b.tiles_of(gauge.frames[1])))
        if state is not None:
            row = b.element(ENTRY, reference, (-1, -1, -1, state.iv, -1, -1, slot, OF_V), (1.0,))
            return Primitive(slot, ENTRY, row, (state.iv // 6,))
        if (place := self.discrete.places.get(reference)) is not None:
            row = b.element(ENTRY, reference, (-1, -1, -1, -1, place, -1, slot, OF_H), (1.0,))
            return Primitive(slot, ENTRY, row, ())
        if reference in self.given:
            row = b.element(ENTRY, reference, (-1, -1, -1, -1, -1, -1, slot, GIVEN), (self.given[reference],))
            self.directory.inputs[reference] = row
            return Primitive(slot, ENTRY, row, ())
        if (entry := self._entry(self._sensed(reference))) is not None:
            iv, iq, order, factor = entry
            row = b.element(ENTRY, reference, (-1, -1, -1, iv, iq, -1, slot, order), (factor,))
            return Primitive(slot, ENTRY, row, (iv // 6,))
        kind, axis, history, zero, order, frames = self._resolve(reference)
        row = b.pair(SENSE, reference, *frames, (KINDS[kind], axis, history, slot, order), (zero,), velocity=True, reads=True)
        return Primitive(slot, SENSE, row, (*b.tiles_of(frames[0]), *b.tiles_of(frames[1])))

    def _rate(self, reference: str) -> Node:
        """The time derivative of a primitive signal, as a tree; ValueError if no signal gives it."""
        if reference in self.flows:
            name = f"rate of {reference}"
            self.signals.derived.setdefault(name, self.flows[reference])
            return Signal(name)
        if reference in self.given or reference in self.discrete.places:
            return ZERO
        if reference in self.discrete.lags or (found := self._sensed(reference)).rate:
            raise ValueError(NO_RATE.format(reference))
        return Signal(rate_name(reference, found))

    def _entry(self, found: Sensed) -> tuple[int, int, int, float] | None:
        """Where a channel that is an entry of v or q is found: places, which of the two, and its factor."""
        from ..families.signals import OF_Q, OF_V
        if found.coordinate == "spin":
            return self.places[found.item].iv + 3 + found.axis, -1, int(OF_V), 1.0
        if found.coordinate == "modal":
            body = self.directory.flexible[found.item]
            return body.iv + found.axis, body.iq + found.axis, int(OF_V if found.rate else OF_Q), 1 / float(body.scale[found.axis])
        return None

    def add_variable(self, name: str, expression: str) -> None:
        """An expression with a name; its channels must be there."""
        try:
            node = parse(expression, ("t",), self.builder.known)
            for reference in channels(node):
                self._sensed(reference)
        except ValueError as error:
            raise ValueError(f"variable {name!r}: {error}") from error
        self.directory.variables[name] = node

    def _sensed(self, reference: str) -> Sensed:
        joints = {name: r.zeros for name, r in self.directory.joints.items()}
        offered = [*self._offered(), *self.signals.derived]
        try:
            return sensed(reference, self.owners, joints, self.measured, offered=offered)
        except MissingItem as error:  # of an item that is there, but whose channels are no signals
            others = {item.name: f"{item.kind} {item.name!r}" for item in self.items if item.name == error.name}
            if not others:
                raise
            return sensed(reference, self.owners, joints, self.measured, others, offered)

    def _resolve(self, reference: str) -> tuple[str, int, int, float, int, tuple[int, int]]:
        found = self._sensed(reference)
        order = int(found.rate)
        if found.frame is not None:
            ground = self.builder.frame(self.builder.ground, (0, 0, 0))
            return found.coordinate, found.axis, 0, 0.0, order, (ground, self.frame(found.frame, reference, reads=True))
        if found.item in self.measured:
            if not np.any(np.subtract(*(self.world(f, reference)[0] for f in self.measured[found.item]))):
                raise ValueError(f"measure {found.item!r}: {NO_GAP}")
            fa, fb = (self.frame(f, reference) for f in self.measured[found.item])
            return found.coordinate, 0, 0, 0.0, order, (fa, fb)
        record, c = self.directory.joints[found.item], found.coordinate
        return c, Z, record.histories.get(c, 0), record.zeros[c], order, record.ends(c)
