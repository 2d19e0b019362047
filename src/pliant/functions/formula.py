"""Expressions written in Python as formulas: blocks and drives give the rates of their states so.

    u, z = of("pid.input"), of("pid.integral")
    (u - z) / tau
"""
from __future__ import annotations

from typing import Any

from .expression import Binary, Node, Number, Signal, Unary, Variable, binary, call, lookup, negative


class Formula:
    """A tree with arithmetic; comparisons give conditions for `where`."""
    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __add__(self, other: Any) -> Formula:
        return Formula(binary("+", self.node, node_of(other)))

    def __radd__(self, other: Any) -> Formula:
        return Formula(binary("+", node_of(other), self.node))

    def __sub__(self, other: Any) -> Formula:
        return Formula(binary("-", self.node, node_of(other)))

    def __rsub__(self, other: Any) -> Formula:
        return Formula(binary("-", node_of(other), self.node))

    def __mul__(self, other: Any) -> Formula:
        return Formula(binary("*", self.node, node_of(other)))

    def __rmul__(self, other: Any) -> Formula:
        return Formula(binary("*", node_of(other), self.node))

    def __truediv__(self, other: Any) -> Formula:
        return Formula(binary("/", self.node, node_of(other)))

    def __rtruediv__(self, other: Any) -> Formula:
        return Formula(binary("/", node_of(other), self.node))

    def __pow__(self, other: Any) -> Formula:
        return Formula(binary("^", self.node, node_of(other)))

    def __neg__(self) -> Formula:
        return Formula(negative(self.node))

    def __lt__(self, other: Any) -> Formula:
        return Formula(Binary("<", self.node, node_of(other)))

    def __le__(self, other: Any) -> Formula:
        return Formula(Binary("<=", self.node, node_of(other)))

    def __gt__(self, other: Any) -> Formula:
        return Formula(Binary("<", node_of(other), self.node))

    def __ge__(self, other: Any) -> Formula:
        return Formula(Binary("<=", node_of(other), self.node))

    def __and__(self, other: Formula) -> Formula:
        return Formula(Binary("and", self.node, other.node))

    def __or__(self, other: Formula) -> Formula:
        return Formula(Binary("or", self.node, other.node))

    def __invert__(self) -> Formula:
        return Formula(Unary("not", self.node))

    def __bool__(self) -> bool:
        raise TypeError("a formula has no truth value while it is written; use where(condition, a, b)")


def node_of(value: Any) -> Node:
    """The tree of a formula or number."""
    return value.node if isinstance(value, Formula) else Number(float(value))


def of(reference: str) -> Formula:
    """A channel."""
    return Formula(Signal(reference))


def function(name: str, *arguments: Any) -> Formula:
    """A function of expressions, such as sin or tanh."""
    return Formula(call(name, *map(node_of, arguments)))


def where(condition: Formula, yes: Any, no: Any) -> Formula:
    """One of two, by a condition."""
    return Formula(call("if", condition.node, node_of(yes), node_of(no)))


def table(values: Any, *arguments: Any) -> Formula:
    """A Table at its arguments."""
    return Formula(lookup(values, *map(node_of, arguments)))


def clipped(value: Any, low: float | None, high: float | None) -> Formula:
    """Within limits; None: there is none."""
    found = Formula(node_of(value))
    if low is not None:
        found = function("max", found, low)
    return found if high is None else function("min", found, high)


TIME = Formula(Variable("t"))
