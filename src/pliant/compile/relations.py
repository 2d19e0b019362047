"""Equations between coordinates of joints by a function: its derivatives, and the rows that they become."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..functions.channels import channels
from ..functions.compile import Assembler
from ..functions.derivative import derivative
from ..functions.expression import TWO, ZERO, Node, Signal, Variable, binary
from ..functions.function import compile_function
from ..kernels.expression_vm import SCRATCH, value_at
from .array_builder import Equations

if TYPE_CHECKING:
    from ..functions.function import Code
    from .model_compiler import Coordinate, ModelCompiler

TIME = Variable("t")
SAMPLES, LOOKED_AT = 2001, 20  # of a function that has branches, and steps between them that are looked at closely
NARROW, LEAST = 1e-11, 1e-4    # a jump: this near, and by so much of the range of the function


def coordinate_of(reference: str) -> tuple[str, str]:
    """Joint and coordinate of a channel such as A.angle."""
    joint, _, which = reference.rpartition(".")
    return joint, which


def _jump(f: Callable[[float], float], start: float) -> tuple[float, float] | None:
    """A place within two turns, or so many metres, where a function jumps, and by how much; the largest jump that is found."""
    far = np.geomspace(1e-6, 4 * np.pi, 200)
    x = np.unique(start + np.concatenate([-far, [0.0], far, np.linspace(-4 * np.pi, 4 * np.pi, SAMPLES)]))
    y = np.array([f(at) for at in x.tolist()])
    steps = np.where(np.isfinite(np.diff(y)), abs(np.diff(y)), 0.0)
    low, high = np.percentile(y[np.isfinite(y)], [2, 98])  # poles do not count
    scale = float(high - low)
    for k in np.argsort(steps)[:-LOOKED_AT:-1].tolist():
        a, b = float(x[k]), float(x[k + 1])
        while b - a > NARROW * max(1.0, abs(start)):
            middle = (a + b) / 2
            a, b = (middle, b) if abs(f(b) - f(middle)) > abs(f(middle) - f(a)) else (a, middle)
        if LEAST * scale < (height := abs(f(b) - f(a))) < 2 * scale:  # beyond that it is a pole
            return b, height
    return None


class Relation:
    """g(c_1, c_2, ..., t) = its value in the pose as modelled."""

    def __init__(self, layout: ModelCompiler, name: str, node: Node) -> None:
        self.layout, self.name, self.node = layout, name, node
        self.where = f"joint {name!r}: function"

    def add(self, lead: tuple[str, str]) -> None:
        """The rows; the first is that of the coordinate ``lead``, whose unit the equation has."""
        from ..families.couplings import COUPLING
        b = self.layout.builder
        references = dict.fromkeys([".".join(lead), *channels(self.node)])
        found = {r: self.layout.coordinate(*coordinate_of(r), f"joint {self.name!r}") for r in references}
        code = b.function(self.node, ("t",), self.where, kinks=True)
        offset, bias = self._as_modelled(code), Assembler(b).program(self._bias())
        equations = b.equations(self.name, [f for c in found.values() for f in c.frames])
        row, shared = equations.take(), (code.value, code.by_t, bias)
        self.layout.directory.couplings[self.name] = row, "N*m" if lead[1] == "angle" else "N"
        self.layout.directory.related |= {f"{r}{rate}" for r in found for rate in ("", "_rate")}
        for reference, c in found.items():
            slope = compile_function(derivative(self.node, Signal(reference)), ("t",), b, self.where)
            b.pair(COUPLING, self.name, *c.frames, (*c.place, slope.value, *shared), (c.zero, offset), joint=equations, row=row)
            shared = -1, -1, -1
            self._answers(c, slope.by_signal, equations, row)

    def _answers(self, c: Coordinate, slopes: tuple[tuple[int, int], ...], equations: Equations, row: int) -> None:
        """Second derivatives, where the exact tangent is wanted."""
        from ..families.couplings import COUPLING_ANSWER
        if self.layout.builder.coupled:
            for slot, code in slopes:
                self.layout.add_answer(COUPLING_ANSWER, self.name, c.frames, (*c.place, -1, -1, -1), slot, code, (c.zero,), row)

    def _as_modelled(self, code: Code) -> float:
        """The value in the pose as modelled, at t = 0."""
        layout, b = self.layout, self.layout.builder
        Y = np.zeros(b.n_signals)
        for reference in channels(self.node):
            joint, which = coordinate_of(reference)
            Y[layout.signals.slot(reference)] = layout.directory.joints[joint].start[which]
        tab, val, W = np.array(b.tab, np.int64), np.array(b.val), np.zeros(SCRATCH + len(b.tab) + 1)
        value = float(value_at(0.0, Y, tab, val, code.value, W))
        if not np.isfinite(value):
            raise ValueError(f"{self.where}: it gives {value} in the pose as modelled; model another pose, or change the function")
        for reference in channels(self.node) if code.jumps else ():
            slot = layout.signals.slot(reference)

            def along(x: float, slot: int = slot) -> float:
                y = Y.copy()
                y[slot] = x
                return float(value_at(0.0, y, tab, val, code.value, W))
            if found := _jump(along, Y[slot]):
                raise ValueError(f"{self.where}: it jumps by {found[1]:.3g} at {reference} = {found[0]:.6g}, and no body can jump; let its "
                                 "branches meet there")
        return value

    def _bias(self) -> Node:
        """sum g_ij c_i' c_j' + 2 sum g_it c_i' + g_tt                                                      [coupling-3]"""
        by_t = derivative(self.node, TIME)
        total = derivative(by_t, TIME)
        for slope, rate in self._slopes(by_t):
            total = binary("+", total, binary("*", TWO, binary("*", slope, rate)))
        for first, rate_1 in self._slopes(self.node):
            for second, rate_2 in self._slopes(first):
                total = binary("+", total, binary("*", second, binary("*", rate_1, rate_2)))
        return total

    def _slopes(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """Derivatives by coordinates that are not zero, each with the rate of its coordinate."""
        for reference in channels(self.node):
            slope = derivative(node, Signal(reference))
            if slope != ZERO:
                yield slope, Signal(f"{reference}_rate")
