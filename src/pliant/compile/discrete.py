"""Discrete values, events and their actions as rows: last of all, when every signal has its place."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..items.base import did_you_mean
from ..items.declarations import VALUES, Controls, Held, Lag, Latch, Memory, Play, Switches, Told
from ..items.errors import ModelError
from ..kernels.event_log import WIDTH
from .array_builder import ControllerEntry
from .reactions import Reactions
from .signals import Declared, Primitive

if TYPE_CHECKING:
    from ..functions.expression import Node
    from ..functions.function import Code
    from ..items.base import Item
    from ..kernels.contract import Family
    from .model_compiler import ModelCompiler

ROUNDS = 10                       # in which conditions must come to rest at an instant
FEWEST, USUAL, ROOM = 16, 256, 20_000  # steps for which there is room to note what happens, at least and at most; and for how much


class Look:
    """In place of a controller: a channel that is no signal."""
    kind = "look at channel"

    def __init__(self, channel: str) -> None:
        self.name, self.inputs = channel, (channel,)

    def call(self, t: float, y: np.ndarray, outputs: np.ndarray, states: np.ndarray) -> None:
        if not np.isfinite(y[0]):
            raise ValueError(f"channel {self.name!r} is {y[0]}")
        outputs[0] = y[0]


class Discrete:
    """Places of discrete values, by the names of their signals."""

    def __init__(self, layout: ModelCompiler) -> None:
        self.layout = layout
        self.places: dict[str, int] = {}   # of memories, plays and latches, in the history
        self.lags: dict[str, Lag] = {}
        self.rows: dict[str, int] = {}     # of these, in their family
        self.reactions, self.deciding = Reactions(layout), False  # whether what is compiled is a condition
        self.telling: list[tuple[Family, int, int]] = []  # what happens: family and row, and its number in the table

    def every(self, item: Item) -> float:
        """The period of an item that works at ticks, else zero: also of one with a state or delay, which works in between."""
        values = list(item.discrete())
        if any(isinstance(v, Lag) for v in values) or list(item.states()):
            return 0.0
        return min((v.period for v in values if isinstance(v, (Held, Memory))), default=0.0)

    def declare(self, item: Item) -> None:
        b, where = self.layout.builder, f"{item.kind} {item.name!r}"
        for value in item.discrete():
            name = f"{item.name}.{value.name}".rstrip(".")
            if isinstance(value, Lag):
                self.lags[name] = value
            elif isinstance(value, Held):
                place, period = b.discrete(0.0), b.period(value.period, where)
                self.layout.signals.offered[name] = Declared(value.value, where, place, period, every=value.period)
            else:
                self.places[name] = b.discrete(value.start)
        if controller := item.controller():
            self._declare_controller(item, controller, where)

    def _declare_controller(self, item: Item, c: Controls, where: str) -> None:
        """Its outputs are signals that are held; its row stands before them, after all that it reads."""
        from ..families.signals import COMPUTED
        b, signals = self.layout.builder, self.layout.signals
        outputs, states = tuple(b.discrete(0.0) for _ in c.outputs), tuple(b.discrete(x) for x in c.start)
        period, done = b.period(c.period, where), list[bool]()

        def ready() -> None:
            if done:
                return
            done.append(True)
            slots = tuple(self._slot(reference, where) for reference in c.inputs)
            b.controllers.append(ControllerEntry(item, slots, outputs, states, b.own))
            b.element(COMPUTED, item.name, (-1, -1, -1, -1, -1, period, 0, -1, b.memory(1)))
        for (name, _), place in zip(c.outputs, outputs, strict=True):
            signals.offered[f"{item.name}.{name}"] = Declared(None, where, place, -1, ready)

    def _slot(self, reference: str, where: str) -> int:
        """Of a signal; -1 for another channel, which is looked up when the controller is called."""
        try:
            return self.layout.signals.slot(reference)
        except ValueError as error:
            if not self.layout.signals.is_channel(error):
                raise
            self.layout.builder.observed.append((reference, where))
            return -1

    def look_up(self, reference: str, period: float, where: str) -> int:
        """The signal of a channel that is none, such as a reaction, as it is at the ticks of a block."""
        from ..families.signals import COMPUTED
        b = self.layout.builder
        place, slot = b.discrete(0.0), b.new_signal()
        b.controllers.append(ControllerEntry(Look(reference), (-1,), (place,), (), b.own))
        b.element(COMPUTED, reference, (-1, -1, -1, -1, -1, b.period(period, where), 0, -1, b.memory(1)))
        b.element(COMPUTED, reference, (-1, -1, -1, -1, place, -1, slot))
        b.observed.append((reference, where))
        return slot

    def build(self, item: Item) -> None:
        """Rows of its memories, plays, latches and events."""
        from ..families import discrete as family
        b, signals, where = self.layout.builder, self.layout.signals, f"{item.kind} {item.name!r}"
        for value in item.discrete():
            name = f"{item.name}.{value.name}".rstrip(".")
            if isinstance(value, Memory):
                signals.every = value.period
                code = b.sampled(value.next, ("t",), where)
                signals.every = 0.0
                ints = (code.value, self.places[name], b.period(value.period, where), signals.slot(name), b.new_signal())
                b.element(family.MEMORY, item.name, (-1, -1, -1, *ints))
            elif isinstance(value, Play):
                of, side = signals.slot(value.of), self.places[value.side]
                b.element(family.PLAY, item.name, (-1, -1, -1, of, self.places[name], side), (value.half,))
            elif isinstance(value, Latch):
                code = self._condition(value.value, where)
                row = b.element(family.LATCH, item.name, (-1, -1, -1, code.value, self.places[name], -1, signals.slot(name)))
                if value.tells:
                    self.tell(family.LATCH, row, Told(item.name, value.tells, VALUES))
        for happening in item.happenings():
            code, slot = self._condition(happening.when, where), b.new_signal()
            row = b.element(family.EVENT, item.name, (-1, -1, -1, code.value, b.discrete(0.0), happening.once, slot))
            self.tell(family.EVENT, row, Told(item.name, ("fires",), VALUES))
            for action in happening.do:
                self._act(item, action, slot, where)

    def _condition(self, value: Node | str, where: str) -> Code:
        """What is looked at where functions jump; it may read what joints exert."""
        self.deciding = True
        try:
            return self.layout.builder.function(value, ("t",), where)
        finally:
            self.deciding = False

    def tell(self, family: Family, row: int, told: Told) -> None:
        """What happens at this row of a family is noted during a run. Its integers end before TOLD, LOG and ROOM, which follow."""
        self.telling.append((family, row, self.note(told)))

    def note(self, told: Told) -> int:
        """The number of something that can happen, and that Python tells."""
        self.layout.builder.told.append(told)
        return len(self.layout.builder.told) - 1

    def _make_log(self) -> None:
        """Room for what happens in some steps, however restless all rows are."""
        b, most = self.layout.builder, ROUNDS * len(self.layout.builder.told)
        if not most:
            return
        room = most * max(FEWEST, min(USUAL, ROOM // most))
        b.log = b.own, room
        place = b.memory(1 + int(WIDTH) * room)
        for family, row, number in self.telling:
            entry = b.rows[family][row]
            entry.ints = (*entry.ints, number, place, room)

    def lag(self, name: str) -> Primitive:
        """The signal of a delay; what it is of is known when all rows are in."""
        from ..families.delays import DELAY, SIZE
        b, lag = self.layout.builder, self.lags[name]
        slot, place = b.new_signal(), b.discrete(lag.before or 0.0)
        ints = (-1, -1, -1, -1, place, -1, slot, -1, b.memory(int(SIZE)))
        self.rows[name] = b.element(DELAY, name.rpartition(".")[0], ints, (lag.delay, lag.before is None))
        return Primitive(slot, DELAY, self.rows[name], ())

    def close(self) -> None:
        """The inputs of delays, and where is noted what happens."""
        from ..families.delays import DELAY
        b, done = self.layout.builder, 0
        while done < len(self.rows):  # an input may use further ones
            for name in list(self.rows)[done:]:
                row, of = b.rows[DELAY][self.rows[name]], self.lags[name].of
                row.ints = (*row.ints[:7], self.layout.signals.slot(of), row.ints[8])
                if self.layout.signals.borne([of]):
                    raise ModelError(f"delay {name.rpartition('.')[0]!r}: {of!r} depends on what a joint exerts, which is not known within "
                                     "a step; delay what the load is made of", (name.rpartition(".")[0],))
                done += 1
        b.decides_by_reactions = b.decides_by_reactions or self.layout.signals.borne(b.asked)
        self._make_log()

    def _act(self, item: Item, action: tuple[str, object] | Switches | None, slot: int, where: str) -> None:
        from ..families import discrete as family
        b = self.layout.builder
        if action is None:
            b.element(family.ACTION, item.name, (-1, -1, -1, -1, -1, family.TO_END, slot))
            return
        if isinstance(action, Switches):
            place, number = self.layout.structure.asked(action, where)
            code = b.sampled(number, ("t",), where)
            b.element(family.ACTION, item.name, (-1, -1, -1, code.value, place, family.TO_STRUCTURE, slot))
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
