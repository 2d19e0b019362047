"""Values of expressions at many times or places at once, from arrays of the variables and channels that they use."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .expression import Binary, Call, Lookup, Lookup2, Node, Number, Signal, Unary, Variable, bottom_up

Array = np.ndarray


def _smooth(u: Array) -> Array:
    u = np.clip(u, 0, 1)
    return np.asarray(u * u * (3 - 2 * u))


ONE: dict[str, Callable[[Array], Array]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign, "floor": np.floor,
    "clamp": lambda u: np.clip(u, 0, 1), "smooth": _smooth, "inside": lambda u: ((u >= 0) & (u <= 1)).astype(float),
    "smooth1": lambda u: 6 * np.clip(u, 0, 1) * (1 - np.clip(u, 0, 1)), "smooth2": lambda u: np.where((u >= 0) & (u <= 1), 6 - 12 * u, 0.0)}
TWO: dict[str, Callable[[Array, Array], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "^": np.power, "<": np.less, "<=": np.less_equal, "==": np.equal,
    "!=": np.not_equal, "and": np.logical_and, "or": np.logical_or, "atan2": np.arctan2, "min": np.minimum, "max": np.maximum,
    "mod": lambda a, b: a - b * np.floor(a / b)}


def values(root: Node, variables: Array | Mapping[str, Array], channel: Callable[[str], Array]) -> Array:
    """Of an expression at times t, or with other variables of one length by name; ``channel`` gives those of a channel."""
    named: Mapping[str, Array] = variables if isinstance(variables, Mapping) else {"t": variables}
    found: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in bottom_up(root):
            found[id(node)] = _value(node, found, named, channel)
    return np.broadcast_to(np.asarray(found[id(root)], float), next(iter(named.values())).shape)


def _value(node: Node, found: dict[int, Any], variables: Mapping[str, Array], channel: Callable[[str], Array]) -> Any:
    match node:
        case Number(value=value):
            return value
        case Variable(name=name):
            return variables[name]
        case Signal(reference=reference):
            return channel(reference)
        case Unary(operator=operator, operand=a):
            return -found[id(a)] if operator == "-" else np.logical_not(found[id(a)])
        case Binary(operator=operator, left=a, right=b):
            return TWO[operator](np.asarray(found[id(a)]), np.asarray(found[id(b)]))
        case Call(name="if", arguments=(c, a, b)):
            return np.where(found[id(c)], found[id(a)], found[id(b)])
        case Call(name=name, arguments=(a, b)):
            return TWO[name](found[id(a)], found[id(b)])
        case Call(name=name, arguments=(a,)):
            return ONE[name](found[id(a)])
        case Lookup(table=table, argument=a, order=order):
            return table.evaluate(found[id(a)], order)
        case Lookup2(table=table, x=a, y=b, by=by):
            return table.evaluate(found[id(a)], found[id(b)], by)
    raise TypeError(f"{node!r} has no values")
