"""Discrete values, events and their actions as rows: last of all, when every signal has its place."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..items.base import did_you_mean
from ..items.declarations import Held, Latch, Memory
from ..items.errors import ModelError
from .signals import Declared

if TYPE_CHECKING:
    from ..items.base import Item
    from .model_compiler import ModelCompiler


class Discrete:
    """Places of discrete values, by the names of their signals."""

    def __init__(self, layout: ModelCompiler) -> None:
        self.layout = layout
        self.places: dict[str, int] = {}   # of memories and latches, in the history
        self.held: set[str] = set()

    def declare(self, item: Item) -> None:
        b, where = self.layout.builder, f"{item.kind} {item.name!r}"
        for value in item.discrete():
            name = f"{item.name}.{value.name}".rstrip(".")
            if isinstance(value, Held):
                place, period = b.discrete(0.0), b.period(value.period, where)
                self.layout.signals.offered[name] = Declared(value.value, where, place, period)
                self.held.add(name)
            else:
                self.places[name] = b.discrete(value.start)

    def build(self, item: Item) -> None:
        """Rows of its memories, latches and events."""
        from ..families import discrete as family
        b, signals, where = self.layout.builder, self.layout.signals, f"{item.kind} {item.name!r}"
        for value in item.discrete():
            name = f"{item.name}.{value.name}".rstrip(".")
            if isinstance(value, Memory):
                code = b.sampled(value.next, ("t",), where)
                ints = (code.value, self.places[name], b.period(value.period, where), signals.slot(name), b.new_signal())
                b.element(family.MEMORY, item.name, (-1, -1, -1, *ints))
            elif isinstance(value, Latch):
                code = b.function(value.value, ("t",), where)
                b.element(family.LATCH, item.name, (-1, -1, -1, code.value, self.places[name], -1, signals.slot(name)))
        for happening in item.happenings():
            code, slot = b.function(happening.when, ("t",), where), b.new_signal()
            b.element(family.EVENT, item.name, (-1, -1, -1, code.value, b.discrete(0.0), -1, slot))
            for action in happening.do:
                self._act(item, action, slot, where)

    def _act(self, item: Item, action: tuple[str, object] | None, slot: int, where: str) -> None:
        from ..families import discrete as family
        b = self.layout.builder
        if action is None:
            b.element(family.ACTION, item.name, (-1, -1, -1, -1, -1, family.TO_END, slot))
            return
        target, value = action
        states = self.layout.directory.states
        if target in self.places:
            place, kind = self.places[target], family.TO_HISTORY
        elif target in states:
            place, kind = states[target].iv, family.TO_STATE
        else:
            known = [*self.places, *states]
            raise ModelError(f"{where}: there is no state {target!r} to set{did_you_mean(target, known)}; states of blocks and drives, "
                             "discrete ones among them, can be set", (item.name,))
        code = b.sampled(value, ("t",), where)
        b.element(family.ACTION, item.name, (-1, -1, -1, code.value, place, kind, slot))
