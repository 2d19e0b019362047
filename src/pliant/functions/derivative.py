"""Derivatives of expressions, symbolically. Subexpressions are shared, not copied."""
from __future__ import annotations

from collections.abc import Callable

from .expression import (
    ONE,
    TWO,
    ZERO,
    Binary,
    Call,
    External,
    Lookup,
    Lookup2,
    Node,
    Number,
    Signal,
    Unary,
    Variable,
    binary,
    bottom_up,
    call,
    negative,
)


def _one_minus_square(u: Node) -> Node:
    return binary("-", ONE, binary("^", u, TWO))


SLOPES: dict[str, Callable[[Node], Node]] = {
    "sin": lambda u: call("cos", u),
    "cos": lambda u: negative(call("sin", u)),
    "tan": lambda u: binary("+", ONE, binary("^", call("tan", u), TWO)),
    "asin": lambda u: binary("^", _one_minus_square(u), Number(-0.5)),
    "acos": lambda u: negative(binary("^", _one_minus_square(u), Number(-0.5))),
    "atan": lambda u: binary("/", ONE, binary("+", ONE, binary("^", u, TWO))),
    "sinh": lambda u: call("cosh", u),
    "cosh": lambda u: call("sinh", u),
    "tanh": lambda u: _one_minus_square(call("tanh", u)),
    "exp": lambda u: call("exp", u),
    "log": lambda u: binary("/", ONE, u),
    "sqrt": lambda u: binary("*", Number(0.5), binary("^", u, Number(-0.5))),
    "abs": lambda u: call("sign", u),
    "sign": lambda u: ZERO,
    "floor": lambda u: ZERO,
    "clamp": lambda u: call("inside", u),
    "inside": lambda u: ZERO,
    "smooth": lambda u: call("smooth1", u),
    "smooth1": lambda u: call("smooth2", u),
    "smooth2": lambda u: binary("*", Number(-12.0), call("inside", u)),
}
EXTERNAL = {("value", "t"): "t", ("t", "t"): "tt", ("value", "x"): "x", ("value", "v"): "v"}


def _binary(node: Binary, da: Node, db: Node) -> Node:
    a, b = node.left, node.right
    match node.operator:
        case "+" | "-":
            return binary(node.operator, da, db)
        case "*":
            return binary("+", binary("*", da, b), binary("*", a, db))
        case "/":
            return binary("/", binary("-", da, binary("*", node, db)), b)
        case "^" if db == ZERO:
            return binary("*", binary("*", b, binary("^", a, binary("-", b, ONE))), da)
        case "^":  # a^b (b' log a + b a' / a)
            return binary("*", node, binary("+", binary("*", db, call("log", a)), binary("/", binary("*", b, da), a)))
    return ZERO  # comparisons, logic


def _call(node: Call, d: tuple[Node, ...]) -> Node:
    a = node.arguments
    if all(x == ZERO for x in d):
        return ZERO
    match node.name:
        case "if":
            return call("if", a[0], d[1], d[2])
        case "min":
            return call("if", Binary("<=", a[0], a[1]), *d)
        case "max":
            return call("if", Binary("<=", a[1], a[0]), *d)
        case "mod":
            return binary("-", d[0], binary("*", d[1], call("floor", binary("/", *a))))
        case "atan2":
            square = binary("+", binary("^", a[0], TWO), binary("^", a[1], TWO))
            return binary("/", binary("-", binary("*", a[1], d[0]), binary("*", a[0], d[1])), square)
    return binary("*", SLOPES[node.name](a[0]), d[0])


def _surface(node: Lookup2, dx: Node, dy: Node) -> Node:
    most, (i, j), parts = 1 if node.table.kind == "linear" else 3, node.by, list[Node]()
    for slope, by, order in ((dx, (i + 1, j), i), (dy, (i, j + 1), j)):
        parts.append(binary("*", Lookup2(node.table, node.x, node.y, by), slope) if order < most else ZERO)
    return binary("+", *parts)


def _external(node: External, by: Variable) -> Node:
    if by.name != "t" and node.arguments == 1:
        return ZERO
    kind = EXTERNAL.get((node.kind, by.name))
    if kind is None:
        raise ValueError(f"the derivative {node.kind!r} of a Python function has no derivative by {by.name!r}; "
                         "use an expression")
    return External(node.address, node.arguments, kind, node.fast)


def derivative(root: Node, by: Variable | Signal) -> Node:
    """d root / d by, other variables and signals held constant; ZERO if it is zero everywhere."""
    d: dict[int, Node] = {}
    for node in bottom_up(root):
        match node:
            case Variable() | Signal() if node == by:
                result: Node = ONE
            case Unary(operator="-", operand=a):
                result = negative(d[id(a)])
            case Binary(left=a, right=b):
                result = _binary(node, d[id(a)], d[id(b)])
            case Call(arguments=arguments):
                result = _call(node, tuple(d[id(a)] for a in arguments))
            case Lookup(table=table, argument=a, order=order):
                smooth = order < (1 if table.kind == "linear" else 3)
                result = binary("*", Lookup(table, a, order + 1), d[id(a)]) if smooth else ZERO
            case Lookup2(x=a, y=b):
                result = _surface(node, d[id(a)], d[id(b)])
            case External() if isinstance(by, Variable):
                result = _external(node, by)
            case _:
                result = ZERO
        d[id(node)] = result
    return d[id(root)]
