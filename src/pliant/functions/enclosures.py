"""What an expression of time can be within intervals of time: bounds of its value and of its slope, for many intervals at once.

Interval arithmetic with automatic differentiation (`kernels.enclosure`). A bound holds for all times of an interval, not only at samples,
so that a pulse cannot hide between them, however thin. docs/theory/expressions.md
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernels import enclosure_sweeps as sweeps
from ..kernels import expression_vm as op
from ..kernels.enclosure import AND, IF, OR, UNEQUAL, Nodes
from .compile import ONE, TWO
from .expression import Binary, Call, Lookup, Lookup2, Node, Number, Unary, Variable, bottom_up, children
from .table_bounds import packed, packed2

Array = np.ndarray
OPERATORS = TWO | {"!=": UNEQUAL, "and": AND, "or": OR, "if": IF}
UNBOUNDED = "inside", "smooth1", "smooth2"  # of derivatives alone
CHOICES = op.LT, op.LE, op.MOD, op.MIN, op.MAX, op.SIGN, op.FLOOR, op.ABS, op.CLAMP
KINKS = op.SMOOTH, op.TABLE, op.SURFACE
CHUNK = 400_000  # intervals times nodes that there is room for at once


class Bounds(NamedTuple):
    """low <= f <= high and falls <= f' <= rises within an interval of time; f at both ends of it."""
    low: Array
    high: Array
    falls: Array
    rises: Array
    first: Array
    last: Array


class Enclosure:
    """Bounds of an expression of t, of all its parts, over intervals. ``kinks``: whether those of tables and smooth steps count as
    choices between branches, as jumps do."""

    def __init__(self, root: Node, kinks: bool = False) -> None:
        self.order, self.kinks = bottom_up(root), kinks
        n, place, val = len(self.order), {id(node): k for k, node in enumerate(self.order)}, [np.zeros(0)]
        code, value, varying = np.full((n, 5), -1, np.int64), np.zeros(n), np.zeros(n, bool)
        for k, node in enumerate(self.order):
            inner = [place[id(child)] for child in children(node)]
            code[k, 0], code[k, 1:1 + len(inner)] = _operation(node), inner
            value[k] = node.value if isinstance(node, Number) else 0.0
            varying[k] = isinstance(node, Variable) or varying[inner].any()
            if isinstance(node, (Lookup, Lookup2)):
                code[k, 3:] = isinstance(node, Lookup) and (node.table.coefficients[:, 2:] == 0).all(), sum(a.size for a in val)
                val.append(packed(node.table) if isinstance(node, Lookup) else packed2(node.table))
        room = [np.zeros(n, bool) for _ in range(3)]
        self.nodes = Nodes(code, value, np.concatenate(val), varying, int(kinks), np.zeros((n, 6)), *room)
        self.chooses = not set(code[:, 0].tolist()).isdisjoint(CHOICES + KINKS * kinks)
        self.ranges = np.tile([np.inf, -np.inf], (n, 1))

    def over(self, begin: Array, end: Array, settled: bool = False) -> list[Bounds]:
        """Of all nodes in their order. ``settled``: no choice changes within an interval, except by rounding at its ends."""
        out = np.zeros((begin.size, len(self.order), 6))
        sweeps.bounds_over(self.nodes, begin, end, settled, out)
        return [Bounds(*out[:, k].T) for k in range(len(self.order))]

    def undecided(self, begin: Array, end: Array) -> tuple[Array, Array]:
        """In which intervals a choice between branches may change more than once; and in which one changes once at most, as its
        argument only grows or only falls there."""
        unclear, single = np.zeros(begin.size, bool), np.zeros(begin.size, bool)
        sweeps.undecided(self.nodes, begin, end, unclear, single)
        return unclear, single

    def excess(self, begin: Array, end: Array, part: float, rounding: float) -> tuple[Array, Array]:
        """How much more than a ``part`` of its range so far any part of the function may change in intervals, where changes below
        ``rounding`` of the size are none; and where it is not even finite."""
        worst, blind = np.zeros(begin.size), np.zeros(begin.size, bool)
        size = max(64, CHUNK // len(self.order))
        width = np.zeros((min(size, begin.size), len(self.order)))
        for first in range(0, begin.size, size):
            rows = slice(first, first + size)
            sweeps.excess(self.nodes, begin[rows], end[rows], part, rounding, self.ranges, width, worst[rows], blind[rows])
        return worst, blind


def _operation(node: Node) -> Any:
    match node:
        case Number():
            return op.CONSTANT
        case Variable():
            return op.T
        case Unary(operator=operator):
            return op.NEG if operator == "-" else op.NOT
        case Binary(operator=name) | Call(name=name) if name in OPERATORS:
            return OPERATORS[name]
        case Call(name=name) if name in ONE and name not in UNBOUNDED:
            return ONE[name]
        case Lookup():
            return op.TABLE
        case Lookup2():
            return op.SURFACE
    raise TypeError(f"{node!r} cannot be bounded")
