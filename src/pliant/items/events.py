"""Events and state machines: what happens when conditions become true."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema, model_validator

from ..functions.field_error import FieldError
from ..functions.formula import TIME, Formula, where
from ..functions.parser import KNOWN, parse, parse_condition
from ..functions.units import must
from .actions import Actions, Set, switches
from .base import Item, did_you_mean
from .block_fields import Time
from .blocks import Computes, Plain, Unit
from .declarations import Happening, Held, Lag, Latch, Memory, Output

NEVER = -1e15  # a time
OPENING, CLOSING = "if(", ", 1, 0)"  # a condition as a number


def _condition(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(must(value, "must be a condition such as 'A.angle > 1'"))
    if value.startswith(OPENING) and value.endswith(CLOSING):
        parse(value, ("t",), KNOWN.get())
        return value
    parse_condition(value, ("t",), KNOWN.get())
    return f"{OPENING}{value}{CLOSING}"


def condition_text(value: str) -> str:
    """A condition as it was written."""
    return value[len(OPENING):-len(CLOSING)] if value.startswith(OPENING) and value.endswith(CLOSING) else value


_condition.variables = ("t",)  # type: ignore[attr-defined]
if TYPE_CHECKING:
    Condition = str
else:
    Condition = Annotated[str, BeforeValidator(_condition), PlainSerializer(condition_text),
                          WithJsonSchema({"type": "string", "description": "condition of t and channels, such as A.angle > 1"})]


class Discrete(Computes):
    """A discrete state: a number that only events change. ``start``: its value at the start."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "discrete"
    positional: ClassVar[tuple[str, ...]] = ("name", "start")
    start: Plain = 0.0
    unit: Unit = ""

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        return (Latch("output", self.unit, self.own("output").node, self.start),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        return [cls("block", 2.0)]


class Event(Computes):
    """When the condition ``when`` becomes true, its actions ``do`` are taken, in their order: `Set`, `End`, `Lock`, `Unlock`, `Release`,
    `Connect` and `Break`. With error control the instant is located to rounding; with a fixed step conditions are looked at after every
    step. A condition that is true at the start has not become true. ``once``: it fires no second time. ``delay`` [s]: it fires when the
    condition has been true for so long."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "event"
    positional: ClassVar[tuple[str, ...]] = ("name", "when", "do")
    expressions: ClassVar[tuple[str, ...]] = ("do",)
    when: Condition
    do: Actions
    once: bool = False
    delay: Time | None = None

    def computed(self) -> Iterable[Output]:
        return () if self.delay is None else (Output("holds", "", self.when),)

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        """Of a delay: since when the condition is true."""
        if self.delay is not None:
            since = where(self.own("since") > NEVER / 2, self.own("since"), TIME)
            yield Latch("since", "s", where(self.own("holds") > 0.5, since, NEVER).node, NEVER)

    def happenings(self) -> Iterable[Happening]:
        when: Any = self.when
        if self.delay is not None:
            since = self.own("since")
            when = where((since > NEVER / 2) & (since + self.delay <= TIME), 1.0, 0.0).node
        return (Happening(when, tuple(None if "end" in a else switches(a) or (a["set"], a["to"]) for a in self.do), self.once),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), Discrete("d"), cls("block", "J.angle > 0.2", [Set("d.output", "2*J.angle")])]


def _names(value: Any) -> Any:
    good = isinstance(value, (list, tuple)) and len(value) > 1 and all(isinstance(v, str) and v.isidentifier() for v in value)
    if not good or len(set(value)) < len(value):
        raise ValueError(must(value, "must be a list of at least two different names, such as [closed, open]"))
    return tuple(value)


def _transitions(value: Any) -> Any:
    if isinstance(value, (str, dict)) or not isinstance(value, (list, tuple)) or not value:
        raise ValueError(must(value, "must be a list of [from, to, condition] with at least one"))
    made = []
    for entry in value:
        if not (isinstance(entry, (list, tuple)) and len(entry) == 3 and all(isinstance(x, str) for x in entry)):
            raise ValueError(must(entry, "must be [from, to, condition], such as [closed, open, A.angle > 1]"))
        made.append((entry[0], entry[1], _condition(entry[2])))
    return tuple(made)


def _plain_transitions(value: Any) -> Any:
    return [[a, b, condition_text(when)] for a, b, when in value]


if TYPE_CHECKING:
    Names = tuple[str, ...]
    Transitions = tuple[tuple[str, str, str], ...]
else:
    Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
    Transitions = Annotated[tuple[Any, ...], BeforeValidator(_transitions), PlainSerializer(_plain_transitions),
                            WithJsonSchema({"type": "array", "items": {"type": "array", "items": {"type": "string"}, "minItems": 3,
                                                                       "maxItems": 3}, "minItems": 1})]


class StateMachine(Computes):
    """One of several ``modes``, by name; it begins in the first one. ``transitions``: [from, to, condition], of which the first whose
    condition holds is taken. Channels: ``state``, the number of the present one, and for every mode whether it is, such as
    valve.open."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "state_machine"
    positional: ClassVar[tuple[str, ...]] = ("name", "modes", "transitions")
    modes: Names
    transitions: Transitions

    @model_validator(mode="after")
    def _known(self) -> StateMachine:
        for one in (x for a, b, _ in self.transitions for x in (a, b)):
            if one not in self.modes:
                raise FieldError("transitions", f"there is no mode {one!r}{did_you_mean(one, self.modes)}")
        if reserved := {"state", *(f"to_{k}" for k in range(len(self.transitions)))} & set(self.modes):
            raise FieldError("modes", f"{min(reserved)!r} is a channel of every state machine; give that mode another name")
        return self

    def computed(self) -> Iterable[Output]:
        conditions = [Output(f"to_{k}", "", when) for k, (_, _, when) in enumerate(self.transitions)]
        present = [Output(name, "", where(self._is(k), 1.0, 0.0).node) for k, name in enumerate(self.modes)]
        return (*conditions, *present)

    def _is(self, k: int) -> Formula:
        state = self.own("state")
        return (state > k - 0.5) & (state < k + 0.5)

    def discrete(self) -> Iterable[Held | Memory | Latch | Lag]:
        value: Any = self.own("state")
        for k, (a, b, _) in reversed(list(enumerate(self.transitions))):
            value = where(self._is(self.modes.index(a)) & (self.own(f"to_{k}") > 0.5), float(self.modes.index(b)), value)
        return (Latch("state", "", value.node, tells=tuple(f"becomes {mode}" for mode in self.modes)),)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        changes = [("closed", "open", "J.angle > 0.2"), ("open", "closed", "J.angle_rate > 0.5 or t > 5")]
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", ["closed", "open"], changes)]
