"""Small electric circuits by modified nodal analysis: currents of inductors and voltages of capacitors are states. docs/theory/drives.md

All that carries no state is solved once, when the model is made: with inductors as sources of current and capacitors as sources of voltage
the network of resistors is linear, so that every voltage and current is a fixed sum of states and sources.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from ..functions.expression import ZERO
from ..functions.field_error import FieldError
from ..functions.formula import Formula, function, where
from ..functions.units import quantity
from .base import Item, Strict, ends_of, number, with_between
from .blocks import Computes
from .declarations import Energies, Output, State
from .function_fields import TimeFunction
from .names import FrameName
from .quantities import with_unit

if TYPE_CHECKING:
    Resistance = float
    Plain = float
else:
    Resistance, Plain = number("ohm", positive=True), number("")

GROUND = "ground"
UNITS = {"resistor": "ohm", "inductor": "H", "capacitor": "F", "voltage": "V", "current": "A"}
SWITCHES = 4          # at most: there is a matrix for every combination
ALONE = 1e-12         # part of a resistance: diodes do not see each other


class Element(Strict):
    """``kind`` resistor [ohm], inductor [H], capacitor [F] with ``value`` and, of the last two, ``start`` [A, V]; voltage or current, a
    source whose ``value`` is a number, an expression of t and channels, a Table or f(t); switch, closed where ``value`` > 0; diode, from a
    to b. The last two have resistances ``on`` and ``off`` [ohm], a diode conducts beyond ``forward`` [V]. Currents are positive from node
    a to node b through the element, voltages are those of a over b."""
    kind: Literal["resistor", "inductor", "capacitor", "voltage", "current", "switch", "diode"]
    a: str
    b: str
    value: TimeFunction = 0.0
    start: Plain = 0.0
    on: Resistance = 1e-2
    off: Resistance = 1e6
    forward: Plain = 0.0

    @model_validator(mode="before")
    @classmethod
    def _ends(cls, value: Any) -> Any:
        value = ends_of(value, "two nodes, such as [in, ground]")
        if isinstance(value, dict) and value.get("kind") in UNITS and "value" in value:
            value = {**value, "value": with_unit(value["value"], UNITS[value["kind"]], "value")}
        return value

    @model_validator(mode="after")
    def _check(self) -> Element:
        if self.a == self.b:
            raise FieldError("between", f"both ends are at node {self.a!r}")
        if self.kind in ("resistor", "inductor", "capacitor"):
            if not isinstance(self.value, (int, float)) or not quantity(self.value, "") > 0:
                raise FieldError("value", f"{self.value!r} must be a number greater than zero [{UNITS[self.kind]}]")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        """As it stands in a text: with ``between``."""
        found = handler.resolve_ref_schema(handler(core))
        ends = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2, "description": "two nodes"}
        found["properties"] = {"between": ends, **{k: v for k, v in found["properties"].items() if k not in ("a", "b")}}
        return found | {"required": ["kind", "between"]}

    def plain(self) -> dict[str, Any]:
        more = self.model_dump(exclude={"kind", "a", "b"}, exclude_defaults=True)
        return with_between({"kind": self.kind, "a": self.a, "b": self.b, **more})


class Circuit(Computes):
    """A circuit of named ``elements`` between named nodes, one of which is ``ground``. Channels: NAME.ELEMENT.voltage and .current."""
    section: ClassVar[str] = "blocks"
    kind: ClassVar[str] = "circuit"
    positional: ClassVar[tuple[str, ...]] = ("name", "elements")
    elements: dict[FrameName, Element]

    @model_validator(mode="after")
    def _check(self) -> Circuit:
        if not self.elements:
            raise FieldError("elements", "there are none; give at least one")
        _refuse_loops(self.elements)
        _refuse_cuts(self.elements)
        if (count := len(self._of("switch"))) > SWITCHES:
            raise FieldError("elements", f"{count} switches; there may be {SWITCHES}, since the network is solved for every combination")
        for closed in product((False, True), repeat=count):
            self._solved(closed)
        return self

    def plain(self) -> dict[str, Any]:
        return super().plain() | {"elements": {name: element.plain() for name, element in self.elements.items()}}

    def _of(self, *kinds: str) -> list[str]:
        return [name for name, element in self.elements.items() if element.kind in kinds]

    def _known(self) -> list[str]:
        """What the network is solved for: states, sources, and currents that diodes carry when they conduct."""
        signal = {"inductor": "current", "capacitor": "voltage", "voltage": "value", "current": "value", "diode": "conducted"}
        return [f"{name}.{signal[element.kind]}" for name, element in self.elements.items() if element.kind in signal]

    def _solved(self, closed: Sequence[bool]) -> tuple[np.ndarray, np.ndarray]:
        """Voltages and currents of all elements by what is known, for switches closed or not                [circuit-1]"""
        names, known = list(self.elements), self._known()
        nodes = [n for n in dict.fromkeys(n for e in self.elements.values() for n in (e.a, e.b)) if n != GROUND]
        fixed = self._of("voltage", "capacitor")
        switch = dict(zip(self._of("switch"), closed, strict=True))
        A, B = np.zeros((len(names), len(nodes))), np.zeros((len(names), len(known)))   # of incidence; currents and voltages given
        G, N = np.zeros(len(names)), len(nodes)
        for k, (name, e) in enumerate(self.elements.items()):
            for node, sign in ((e.a, 1.0), (e.b, -1.0)):
                if node != GROUND:
                    A[k, nodes.index(node)] = sign
            if e.kind in ("resistor", "switch", "diode"):
                G[k] = 1 / (e.value if e.kind == "resistor" else e.on if switch.get(name) else e.off)
            if (signal := next((s for s in known if s.split(".")[0] == name), None)) is not None:
                B[k, known.index(signal)] = 1.0
        rows = [names.index(name) for name in fixed]
        free = [k for k in range(len(names)) if k not in rows]
        M = np.block([[A.T @ (G[:, None] * A), A[rows].T], [A[rows], np.zeros((len(rows), len(rows)))]])
        x = np.linalg.solve(M, np.vstack([-A[free].T @ B[free], B[rows]]))
        voltage = A @ x[:N]
        current = G[:, None] * voltage + B
        current[rows] = x[N:]
        self._refuse_coupled(voltage, names, known)
        return voltage, current

    def _refuse_coupled(self, voltage: np.ndarray, names: list[str], known: list[str]) -> None:
        """Diodes whose voltages depend on the currents of others: which of them conduct would have to be searched for."""
        diodes = self._of("diode")
        K = voltage[np.ix_([names.index(d) for d in diodes], [known.index(f"{d}.conducted") for d in diodes])]
        for i, j in np.argwhere(abs(K) > ALONE * abs(K).max(initial=0.0)):
            if i != j:
                raise FieldError("elements", f"diodes {diodes[i]!r} and {diodes[j]!r} see each other through resistors, so that which of "
                                 "them conducts is not told by the states alone; put a capacitor or a voltage source between them")

    def _chosen(self, name: str, which: int) -> Formula:
        """The voltage (0) or current (1) of an element as a sum of what is known, by the positions of switches."""
        switches, row, known = self._of("switch"), list(self.elements).index(name), self._known()

        def of_known(closed: tuple[bool, ...]) -> Formula:
            values = self._solved(closed)[which][row]
            return sum((float(c) * self.own(s) for c, s in zip(values, known, strict=True) if c != 0), Formula(ZERO))

        def search(closed: tuple[bool, ...]) -> Formula:
            if len(closed) == len(switches):
                return of_known(closed)
            return where(self.own(f"{switches[len(closed)]}.value") > 0, search((*closed, True)), search((*closed, False)))
        return search(())

    def _conducted(self, name: str) -> Formula:
        """Current of a diode beyond that of its resistance ``off``: max(v - forward, 0) / (on + R), with v and R of the network without
        it                                                                                              [circuit-2]"""
        switches, row, known, e = self._of("switch"), list(self.elements).index(name), self._known(), self.elements[name]
        own = known.index(f"{name}.conducted")

        def search(closed: tuple[bool, ...]) -> Formula:
            if len(closed) < len(switches):
                return where(self.own(f"{switches[len(closed)]}.value") > 0, search((*closed, True)), search((*closed, False)))
            values = self._solved(closed)[0][row]
            others = [(float(c), s) for k, (c, s) in enumerate(zip(values, known, strict=True)) if c != 0 and k != own]
            v = sum((c * self.own(s) for c, s in others), Formula(ZERO))
            return function("max", v - e.forward, 0.0) / (e.on - values[own])
        return search(())

    def states(self) -> Iterable[State]:
        for name in self._of("inductor"):
            yield State(f"{name}.current", "A", (self.own(f"{name}.voltage") / self.elements[name].value).node, self.elements[name].start)
        for name in self._of("capacitor"):
            yield State(f"{name}.voltage", "V", (self.own(f"{name}.current") / self.elements[name].value).node, self.elements[name].start)

    def computed(self) -> Iterable[Output]:
        for name, e in self.elements.items():
            if e.kind in ("voltage", "current", "switch"):
                yield Output(f"{name}.value", UNITS.get(e.kind, ""), e.value)
            if e.kind == "diode":
                yield Output(f"{name}.conducted", "A", self._conducted(name).node)
            if e.kind != "capacitor":
                yield Output(f"{name}.voltage", "V", self._chosen(name, 0).node)
            if e.kind != "inductor":
                yield Output(f"{name}.current", "A", self._chosen(name, 1).node)

    def energies(self) -> Energies:
        def power(*kinds: str) -> Formula:
            return sum((self.own(f"{n}.voltage") * self.own(f"{n}.current") for n in self._of(*kinds)), Formula(ZERO))
        stored = Formula(ZERO)
        for kind, signal in (("inductor", "current"), ("capacitor", "voltage")):
            stored = sum((self.elements[n].value / 2 * self.own(f"{n}.{signal}") ** 2 for n in self._of(kind)), stored)
        return Energies(stored.node, power("resistor", "switch", "diode").node, (-power("voltage", "current")).node)

    @classmethod
    def example(cls, a: Any, b: Any) -> list[Item]:
        from .joints import Revolute
        elements = {"U": ("voltage", "in", GROUND, "5*sin(t) + J.angle"), "R": ("resistor", "in", "mid", 10.0),
                    "L": ("inductor", "mid", "out", 0.1), "C": ("capacitor", "out", GROUND, 1e-2), "D": ("diode", GROUND, "mid", 0.0),
                    "S": ("switch", "out", GROUND, "sin(3*t)"), "I": ("current", GROUND, "out", "0.1*cos(t)")}
        made = {n: {"kind": k, "a": x, "b": y, "value": v} for n, (k, x, y, v) in elements.items()}
        return [Revolute("J", a, b, axis=(0.3, -0.5, 0.8)), cls("block", made)]


def _refuse_loops(elements: dict[str, Element]) -> None:
    """A loop of capacitors and voltage sources alone: their voltages are not free."""
    tree: dict[str, list[tuple[str, str]]] = {}

    def way(start: str, end: str) -> list[str] | None:
        seen, paths = {start}, [(start, list[str]())]
        for node, path in paths:  # it grows
            if node == end:
                return path
            for name, other in tree.get(node, ()):
                if other not in seen:
                    seen.add(other)
                    paths.append((other, [*path, name]))
        return None
    for name, e in elements.items():
        if e.kind in ("capacitor", "voltage"):
            if (path := way(e.a, e.b)) is not None:
                told = ", ".join(repr(n) for n in (*path, name))
                raise FieldError("elements", f"{told} are a loop of capacitors and voltage sources alone, where a jump of a voltage is an "
                                 "infinite current; put a small resistor into it")
            tree.setdefault(e.a, []).append((name, e.b))
            tree.setdefault(e.b, []).append((name, e.a))


def _refuse_cuts(elements: dict[str, Element]) -> None:
    """Nodes that only inductors and sources of current connect with the ground: their currents are not free."""
    reached, grown = {GROUND}, True
    while grown:
        grown = False
        for e in elements.values():
            if e.kind not in ("inductor", "current") and (e.a in reached) != (e.b in reached):
                reached |= {e.a, e.b}
                grown = True
    cut = sorted({n for e in elements.values() for n in (e.a, e.b)} - reached)
    if cut:
        names = [name for name, e in elements.items() if e.kind in ("inductor", "current") and (e.a in reached) != (e.b in reached)]
        told = ", ".join(repr(n) for n in cut)
        if not names:
            raise FieldError("elements", f"nothing connects {told} with the node 'ground'")
        raise FieldError("elements", f"nodes {told} are connected with 'ground' by inductors and current sources alone ("
                         f"{', '.join(repr(n) for n in names)}), whose currents would jump with each other; put a resistor across one")
