"""What a condition can be at all: intervals of expressions, with what is known of their signals.

A comparison is an interval within 0 and 1: (0, 0) is never true, (1, 1) always, (0, 1) may be either.   [diagnosis-10]
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, pi
from typing import NamedTuple

from ..functions.expression import Binary, Call, Node, Number, Signal, Unary, Variable, bottom_up


class Range(NamedTuple):
    low: float = -inf
    high: float = inf

    def within(self, other: Range) -> Range:
        return Range(max(self.low, other.low), min(self.high, other.high))

    @property
    def never(self) -> bool:
        """Of a condition."""
        return self.high == 0

    @property
    def always(self) -> bool:
        return self.low == 1


ANY, MAYBE, NEVER, ALWAYS = Range(), Range(0, 1), Range(0, 0), Range(1, 1)
BOUNDED = {"sin": Range(-1, 1), "cos": Range(-1, 1), "tanh": Range(-1, 1), "sign": Range(-1, 1), "atan": Range(-pi / 2, pi / 2),
           "asin": Range(-pi / 2, pi / 2), "acos": Range(0, pi), "atan2": Range(-pi, pi), "sqrt": Range(0, inf), "exp": Range(0, inf),
           "cosh": Range(1, inf), "clamp": Range(0, 1), "smooth": Range(0, 1), "inside": Range(0, 1)}
Known = Mapping[Node, Range]
Signals = Callable[[str], Range]


class Conditions:
    """``of``: the range of a channel, by its name; ``t``: of the time."""

    def __init__(self, of: Signals, t: Range) -> None:
        self.of, self.t = of, t

    def span(self, root: Node, known: Known) -> Range:
        """Of an expression, or of a condition. ``known``: of parts of it."""
        found: dict[int, Range] = {}
        for node in bottom_up(root):
            inner = [found[id(part)] for part in parts_of(node)]
            own = self._span(node, inner, known)
            found[id(node)] = own.within(known[node]) if known and _hashable(node) and node in known else own
        return found[id(root)]

    def _span(self, node: Node, inner: list[Range], known: Known) -> Range:
        match node:
            case Number(value=value):
                return Range(value, value)
            case Variable(name="t"):
                return self.t
            case Signal(reference=reference):
                return self.of(reference)
            case Unary(operator="-"):
                return Range(-inner[0].high, -inner[0].low)
            case Unary():
                return Range(1 - inner[0].high, 1 - inner[0].low)
            case Binary(operator="and"):
                both = Range(min(inner[0].low, inner[1].low), min(inner[0].high, inner[1].high))
                return NEVER if both.high and self.assume(node, known) is None else both
            case Binary(operator="or"):
                return Range(max(inner[0].low, inner[1].low), max(inner[0].high, inner[1].high))
            case Binary(operator=operator):
                return _binary(operator, inner[0], inner[1], _hashable(node) and node.left == node.right)
            case Call(name="if"):
                c, a, b = inner
                return a if c.always else b if c.never else Range(min(a.low, b.low), max(a.high, b.high))
            case Call(name=name):
                return _call(name, inner)
        return ANY

    def assume(self, condition: Node, known: Known) -> dict[Node, Range] | None:
        """What is known besides where a condition is true; None where it cannot be."""
        out, atoms = dict(known), list(atoms_of(condition))
        for atom in atoms:
            if isinstance(atom, Binary) and atom.operator in ("<", "<=", "=="):
                a, b = self.span(atom.left, out), self.span(atom.right, out)
                if atom.operator == "==":
                    a, b = a.within(b), a.within(b)
                elif a.low > b.high or (a.low == b.high and atom.operator == "<"):
                    return None
                for node, own in ((atom.left, a.within(Range(high=b.high))), (atom.right, b.within(Range(low=a.low)))):
                    if own.low > own.high:
                        return None
                    if _hashable(node) and not isinstance(node, Number):
                        out[node] = own
            elif self.span(atom, out).never:
                return None
            if _hashable(atom):
                out[atom] = ALWAYS
        return None if any(self.span(atom, out).never for atom in atoms) else out


def atoms_of(condition: Node) -> list[Node]:
    """What must all be true."""
    if isinstance(condition, Binary) and condition.operator == "and":
        return [*atoms_of(condition.left), *atoms_of(condition.right)]
    return [condition]


def parts_of(node: Node) -> tuple[Node, ...]:
    """Those of which a range can be computed."""
    match node:
        case Unary(operand=a):
            return (a,)
        case Binary(left=a, right=b):
            return a, b
        case Call(arguments=arguments):
            return arguments
    return ()


def _hashable(node: Node) -> bool:
    try:
        hash(node)
    except TypeError:
        return False
    return True


def _binary(operator: str, a: Range, b: Range, same: bool) -> Range:
    match operator:
        case "<":
            return NEVER if a.low >= b.high or same else ALWAYS if a.high < b.low else MAYBE
        case "<=":
            return NEVER if a.low > b.high else ALWAYS if a.high <= b.low or same else MAYBE
        case "==" | "!=":
            apart, one = a.within(b).low > a.within(b).high, a == b and a.low == a.high
            sure = NEVER if apart else ALWAYS if one else MAYBE
            return sure if operator == "==" else Range(1 - sure.high, 1 - sure.low)
        case "+":
            return Range(a.low + b.low, a.high + b.high)
        case "-":
            return Range(0, 0) if same else Range(a.low - b.high, a.high - b.low)
        case "*":
            return _products(a, b, square=same)
        case "/":
            return _products(a, Range(1 / b.high, 1 / b.low)) if b.low > 0 or b.high < 0 else ANY
        case "^":
            return _power(a, b)
    return ANY


def _products(a: Range, b: Range, square: bool = False) -> Range:
    found = [x * y if x and y else 0.0 for x in a for y in b]  # 0 times infinite: what is bounded by 0
    return Range(max(min(found), 0.0) if square else min(found), max(found))


def _power(a: Range, b: Range) -> Range:
    if b.low != b.high or not isfinite(b.low) or b.low <= 0:
        return Range(0, inf) if a.low >= 0 else ANY
    try:
        ends = [abs(x) ** b.low if isfinite(x) else inf for x in a]
    except OverflowError:
        return ANY
    if a.low >= 0:
        return Range(*ends)
    return Range(0 if a.high >= 0 else ends[1], max(ends)) if b.low % 2 == 0 else ANY


def _call(name: str, inner: list[Range]) -> Range:
    if name == "abs":
        a = inner[0]
        return Range(0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high)), max(abs(a.low), abs(a.high)))
    if name == "min":
        return Range(min(r.low for r in inner), min(r.high for r in inner))
    if name == "max":
        return Range(max(r.low for r in inner), max(r.high for r in inner))
    if name == "mod" and inner[1].low > 0:
        return Range(0.0, inner[1].high)
    return BOUNDED.get(name, ANY)
