"""Expressions as trees of nodes. What is constant is computed at once."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Number:
    value: float


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Signal:
    """A value of the running model, such as ``A.angle_rate``."""
    reference: str


@dataclass(frozen=True, slots=True)
class Unary:
    """- or not"""
    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """+ - * / ^ < <= == != and or"""
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function of FUNCTIONS or INNER, or ``if``."""
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Lookup:
    """Derivative ``order`` of a table."""
    table: Any
    argument: Node
    order: int = 0


@dataclass(frozen=True, slots=True)
class Lookup2:
    """Derivative of a table of two variables, ``by`` so many times each."""
    table: Any
    x: Node
    y: Node
    by: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number of a dimension, in SI units; only in expressions of parameters, which are computed and not compiled."""
    value: float
    dimension: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class External:
    """The compiled or Python function at ``address``, of t or of t, x and v; ``kind`` is value, t, tt, x or v; ``fast``: compiled."""
    address: int
    arguments: int
    kind: str = "value"
    fast: bool = False


Node = Number | Constant | Variable | Signal | Unary | Binary | Call | Lookup | Lookup2 | External
ZERO, ONE, TWO = Number(0.0), Number(1.0), Number(2.0)


def _clamp(u: float) -> float:
    return 0.0 if u < 0 else min(u, 1.0)


CONSTANTS = {"pi": math.pi, "e": math.e}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp, "log": math.log,
    "sqrt": math.sqrt, "abs": abs, "sign": lambda x: float((x > 0) - (x < 0)), "min": min, "max": max,
    "floor": lambda x: float(math.floor(x)), "mod": lambda x, y: x - y * math.floor(x / y)}
INNER: dict[str, Callable[..., float]] = {  # what step and ramp and their derivatives are made of
    "clamp": _clamp, "inside": lambda u: float(0 <= u <= 1), "smooth": lambda u: _clamp(u) ** 2 * (3 - 2 * _clamp(u)),
    "smooth1": lambda u: 6 * _clamp(u) * (1 - _clamp(u)), "smooth2": lambda u: 6 - 12 * u if 0 <= u <= 1 else 0.0}
COUNTS = {name: 1 for name in FUNCTIONS} | {"atan2": 2, "mod": 2, "min": 2, "max": 2, "if": 3, "step": 5, "ramp": 3}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LOGIC = ("and", "or")
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "^": math.pow}


def _fold(f: Callable[..., float], arguments: tuple[Node, ...]) -> Number | None:
    """The value if all arguments are numbers and it is finite."""
    numbers = [a.value for a in arguments if isinstance(a, Number)]
    if len(numbers) < len(arguments):
        return None
    try:
        value = f(*numbers)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return Number(value) if math.isfinite(value) else None


def negative(a: Node) -> Node:
    if isinstance(a, Unary) and a.operator == "-":
        return a.operand
    return Number(-a.value) if isinstance(a, Number) else Unary("-", a)


def binary(operator: str, a: Node, b: Node) -> Node:
    """The operation, simplified where one side is 0 or 1."""
    folded = _fold(_ARITHMETIC[operator], (a, b)) if operator in _ARITHMETIC else None
    if folded:
        return folded
    if (b == ZERO and operator in "+-") or (b == ONE and operator in "*/^"):
        return a
    if a == ZERO and operator in "+-":
        return b if operator == "+" else negative(b)
    if a == ONE and operator == "*":
        return b
    if (operator == "*" and ZERO in (a, b)) or (operator == "/" and a == ZERO and b != ZERO):
        return ZERO
    if operator == "^" and b == ZERO:
        return ONE
    return Binary(operator, a, b)


def call(name: str, *arguments: Node) -> Node:
    if name == "if":
        both = arguments[1] is arguments[2] or (arguments[1] == ZERO and arguments[2] == ZERO)  # whole trees are never compared
        return arguments[1] if both else Call(name, arguments)
    return _fold(FUNCTIONS.get(name) or INNER[name], arguments) or Call(name, arguments)


def lookup(table: Any, *arguments: Node) -> Node:
    """A table at its arguments; of one of two variables, where one is a number, the table of the other."""
    if table.variables == 1:
        (x,) = arguments
        return Number(float(table.evaluate(x.value))) if isinstance(x, Number) else Lookup(table, x)
    x, y = arguments
    if isinstance(y, Number):
        return lookup(table.slice_y(y.value), x)
    return lookup(table.slice_x(x.value), y) if isinstance(x, Number) else Lookup2(table, x, y)


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Unary(operand=a) | Lookup(argument=a):
            return (a,)
        case Binary(left=a, right=b) | Lookup2(x=a, y=b):
            return (a, b)
        case Call(arguments=arguments):
            return arguments
    return ()


def bottom_up(root: Node) -> list[Node]:
    """Every node once, children first. Shared nodes stay shared and nothing recurses, however long the expression."""
    order: list[Node] = []
    seen: set[int] = set()
    todo: list[tuple[Node, bool]] = [(root, False)]
    while todo:
        node, ready = todo.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            todo.append((node, True))
            todo.extend((child, False) for child in reversed(children(node)))
    return order


def is_condition(node: Node) -> bool:
    return (isinstance(node, Binary) and node.operator in (*COMPARISONS, *LOGIC)) or (
        isinstance(node, Unary) and node.operator == "not")
