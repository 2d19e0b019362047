"""From text to the tree of an expression. No Python is ever reached from the text.

or < and < not < comparison < + - < * / < unary minus < ^ (or **, to the right). A number may be followed by its unit; ``step`` and
``ramp`` become ordinary nodes.
"""
from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any, NamedTuple

from .expression import (
    COMPARISONS,
    CONSTANTS,
    COUNTS,
    LOGIC,
    Binary,
    Call,
    Constant,
    Node,
    Number,
    Signal,
    Unary,
    Variable,
    binary,
    call,
    is_condition,
    lookup,
    negative,
)
from .printable import MARKED, same_letters, same_name
from .units import NONE, NUMBER, SPELLING, UNITS, parse_unit, shown, suggestion, unknown_unit

LONGEST = 10_000  # characters
DEEPEST = 100     # parentheses, calls, signs and exponents within each other
FREE_UNITS = ("L", "l")  # letters that may be names all the same; the unit is then written litre
OTHER_NAMES = {"time": "t", "ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
               "sgn": "sign", "fabs": "abs", "fmod": "mod", "pow": "^", "power": "^", "square": "^", "heaviside": "step"}


@dataclass(frozen=True)
class Names:
    """What plain names stand for besides the variables of an expression: ``values``, nodes, None for a variable of that name; and
    ``tables``, which are called. ``open``: further ones may come, which are not told as unknown. ``dimensioned``: numbers keep their
    units."""
    values: Mapping[str, Node | None] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)
    open: bool = False
    dimensioned: bool = False


NO_NAMES, OPEN = Names(), Names(open=True)
KNOWN: ContextVar[Names] = ContextVar("names", default=OPEN)  # of the model that items are made for, while a text is read


class _Token(NamedTuple):
    kind: str  # number, name, mark, bad, end
    text: str
    start: int
    end: int


_TOKEN = re.compile(rf"\s*(?:(?P<number>(?a:{NUMBER}))|(?P<name>[^\W\d]{MARKED}*(?:\.{MARKED}+)*|%|°)|"
                    r"(?P<mark>\*\*|<=|>=|==|!=|[-+*/^<>(),])|(?P<bad>\S))")
_POWERS = {"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6, "^": 8, "**": 8}
_NOT, _MINUS = 3, 7


def _width(c: str) -> int:
    """Columns that a character takes on a screen."""
    return 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1


def _strange(text: str) -> str:
    """A remark on the first letter that may only look like one of those meant, or nothing."""
    c = next((c for c in text if not c.isascii() and not unicodedata.name(c, "").startswith("LATIN")), "")
    return f" ({c!r} is {unicodedata.name(c, hex(ord(c)))})" if c else ""


class _Parser:
    def __init__(self, text: str, variables: Collection[str], names: Names) -> None:
        self.written, self.text = same_letters(text), same_letters(text).translate(SPELLING)
        self.variables, self.names = tuple(variables), names
        self.reserved = {*variables, *CONSTANTS, *COUNTS, *names.values, *names.tables, "and", "or", "not"}
        self.tokens = [_Token(m.lastgroup or "", m.group(m.lastgroup or 0), m.start(m.lastgroup or 0), m.end())
                       for m in _TOKEN.finditer(self.text)]
        self.tokens.append(_Token("end", "", len(self.text.rstrip()), len(self.text)))
        self.i = self.depth = 0

    def fail(self, what: str, token: _Token) -> ValueError:
        """The error, with the neighbourhood of the place as it was written and a caret under it."""
        at = place = 0
        while at < len(self.written) and place < token.start:  # one character may have become two
            place += len(self.written[at].translate(SPELLING))
            at += 1
        first = max(0, at - 60)
        line = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in self.written[first:at + 40])
        return ValueError(f"{what} (column {at + 1})\n    {line}\n    {' ' * sum(map(_width, line[:at - first]))}^")

    def next(self) -> _Token:
        self.i += 1
        return self.tokens[self.i - 1]

    def expect(self, mark: str, why: str) -> None:
        token = self.next()
        if token.text != mark:
            raise self.fail(f"{mark!r} is due {why}" + (f" instead of {token.text!r}" if token.text else ""), token)

    def whole(self) -> Node:
        node = self.number(0, self.tokens[0])
        token = self.tokens[self.i]
        if token.kind in ("number", "name") or token.text == "(":
            raise self.fail(f"an operator is missing before {token.text!r}; write for example '2 * t'", token)
        if token.kind != "end":
            remark = "; the decimal mark is a point" if token.text == "," else _strange(token.text)
            raise self.fail(f"unexpected {token.text!r}{remark}", token)
        return node

    def whole_condition(self) -> Node:
        """A condition and nothing else."""
        node = self.condition(self.parse(0), self.tokens[0])
        if (token := self.tokens[self.i]).kind != "end":
            raise self.fail(f"unexpected {token.text!r}{_strange(token.text)}", token)
        return node

    def number(self, power: int, token: _Token) -> Node:
        node = self.parse(power)
        if is_condition(node):
            raise self.fail("a number is due, this is a condition; conditions stand in 'if(condition, a, b)' only", token)
        return node

    def condition(self, node: Node, token: _Token) -> Node:
        if not is_condition(node):
            raise self.fail("a condition is due, this is a number; compare it, as in 't > 1'", token)
        return node

    def parse(self, power: int) -> Node:
        """An operand and all operators that bind more strongly than ``power``."""
        self.depth += 1
        start = self.tokens[self.i]
        if self.depth > DEEPEST:
            raise self.fail(f"nested more than {DEEPEST} deep; split the expression or use a table", start)
        left = self.operand()
        while (token := self.tokens[self.i]).kind in ("mark", "name") and _POWERS.get(token.text, 0) > power:
            left = self.operation(left, self.next(), start)
        self.depth -= 1
        return left

    def operation(self, left: Node, token: _Token, start: _Token) -> Node:
        operator, power = token.text, _POWERS[token.text]
        after = self.tokens[self.i]
        if operator in LOGIC:
            return Binary(operator, self.condition(left, start), self.condition(self.parse(power), after))
        if is_condition(left):
            raise self.fail(f"{operator!r} cannot follow a condition; for a chain write 'a < b and b < c'", token)
        right = self.number(power - (power == 8), after)
        if operator in (">", ">="):
            return Binary(operator.replace(">", "<"), right, left)
        node = binary(operator.replace("**", "^"), left, right)
        if isinstance(node, Binary) and isinstance(left, Number) and isinstance(right, Number) and operator not in COMPARISONS:
            raise self.fail(f"{left.value:g} {operator} {right.value:g} is not a finite number", token)
        return node

    def operand(self) -> Node:
        token = self.next()
        if token.text == "(":
            node = self.parse(0)
            self.expect(")", "here")
            return node
        if token.text == "-":
            return negative(self.number(_MINUS, self.tokens[self.i]))
        if token.text == "+":
            return self.number(_MINUS, self.tokens[self.i])
        if token.text == "not":
            return Unary("not", self.condition(self.parse(_NOT), self.tokens[self.i - 1]))
        if token.kind == "number":
            return self.literal(token)
        if token.kind == "name" and token.text not in LOGIC:
            return self.name(token)
        if token.kind == "bad":
            raise self.fail(f"the character {token.text!r} has no meaning here{_strange(token.text)}", token)
        raise self.fail(f"a number or name is due {'instead of ' + repr(token.text) if token.text else 'at the end'}", token)

    def literal(self, token: _Token) -> Node:
        value, first, dimension = float(token.text), self.i, NONE
        after = self.tokens[first]
        if after.kind == "name" and "." not in after.text and after.text not in self.reserved:
            if after.text not in UNITS:
                raise self.fail(unknown_unit(after.text), after)
            self.skip_unit()
            try:
                factor, dimension = parse_unit(self.text[after.start:self.tokens[self.i - 1].end])
                value *= factor
            except ValueError as error:
                raise self.fail(str(error), after) from None
        if not math.isfinite(value):
            raise self.fail(f"{token.text[:20]} is too large, must be below 1.8e308", token)
        return Constant(value, dimension) if self.names.dimensioned else Number(value)

    def is_unit(self, i: int) -> bool:
        token = self.tokens[min(i, len(self.tokens) - 1)]
        return token.kind == "name" and token.text in UNITS and token.text not in self.reserved

    def skip_unit(self) -> None:
        """Past the longest run of unit names, with exponents, joined by * or / or a blank."""
        while True:
            self.i += 1
            if self.tokens[self.i].text in ("^", "**"):
                exponent = self.i + 1 + (self.tokens[self.i + 1].text in ("-", "+"))
                if self.tokens[min(exponent, len(self.tokens) - 1)].kind == "number":
                    self.i = exponent + 1
            joined = self.tokens[self.i].text in ("*", "/")
            if not self.is_unit(self.i + joined):
                return
            self.i += joined

    def name(self, token: _Token) -> Node:
        name = token.text
        if name in self.variables:
            return Variable(name)
        if name in CONSTANTS:
            return Number(CONSTANTS[name])
        if same_name(name) in self.names.values:
            return self.names.values[same_name(name)] or Variable(same_name(name))
        if self.tokens[self.i].text == "(" and ("." not in name or same_name(name) in self.names.tables or self.names.open):
            return self.function(token)
        if "." in name:
            return Signal(same_name(name))
        if name in COUNTS:
            raise self.fail(f"{name!r} is a function; write '{name}(...)'", token)
        if name in self.names.tables:
            raise self.fail(f"{name!r} is a table; write '{name}(...)'", token)
        if name in UNITS and name not in FREE_UNITS:
            raise self.fail(f"{name!r} is a unit, it must follow a number directly; write for example '1 {name}'", token)
        before = self.tokens[self.i - 3].text if self.i >= 3 and self.tokens[self.i - 2].text in ("*", "/") else ""
        if before and name not in FREE_UNITS and before not in FREE_UNITS and self.is_unit(self.i - 3):
            raise self.fail(unknown_unit(name), token)  # 12 N/mn
        if self.names.open:
            return Variable(name)
        known = (*self.variables, *CONSTANTS, *self.names.values)
        listed = ", ".join(known[:25]) + ", …" * (len(known) > 25)
        other = "and functions" if self.names.dimensioned else "functions, and channels such as 'joint.angle'"
        raise self.fail(f"unknown name {shown(name)}; known are {listed}, {other}"
                        + self.meant(name, (*known, *COUNTS, *self.names.tables)), token)

    def meant(self, name: str, known: Collection[str]) -> str:
        other = OTHER_NAMES.get(name.lower(), "")
        return (f"; did you mean {other!r}?" if other in (*known, "^") else suggestion(name, known)) + _strange(name)

    def function(self, token: _Token) -> Node:
        name, arguments = token.text, list[Node]()
        table = self.names.tables.get(same_name(name))
        count = COUNTS.get(name, 0) if table is None else table.variables
        if not count and not self.names.open:
            known = (*COUNTS, *self.names.tables)
            remedy = self.meant(name, known) or f"; there are {', '.join(sorted(known))}"
            raise self.fail(f"unknown function {shown(name)}{remedy}", token)
        while not arguments or self.tokens[self.i].text == ",":
            self.i += 1  # the parenthesis, or the comma
            start = self.tokens[self.i]
            if name == "if" and not arguments:
                arguments.append(self.condition(self.parse(0), start))
            else:
                arguments.append(self.number(0, start))
        self.expect(")", f"after the arguments of {name!r}")
        if not count:  # not known yet: all that counts is what it reads
            return reduce(partial(binary, "+"), arguments)
        many = name in ("min", "max") and len(arguments) > 2
        if len(arguments) != count and not many:
            given = f"{len(arguments)} {'is' if len(arguments) == 1 else 'are'}"
            raise self.fail(f"{name!r} takes {count} argument{'s' * (count > 1)}, {given} given", token)
        if table is not None:
            return lookup(table, *arguments)
        if name in ("step", "ramp"):
            return self.transition(name, arguments, token)
        node = call(name, *arguments[:3 if name == "if" else 2])
        for argument in arguments[2:] if many else ():
            node = call(name, node, argument)
        if isinstance(node, Call) and all(isinstance(a, Number) for a in node.arguments):
            raise self.fail(f"{name} of {', '.join(f'{a.value:g}' for a in node.arguments if isinstance(a, Number))} "
                            "is not a finite number", token)
        return node

    def transition(self, name: str, arguments: list[Node], token: _Token) -> Node:
        """ramp(x, x0, x1) = clamp(u), step(x, x0, y0, x1, y1) = y0 + (y1 - y0) smooth(u), with u = (x - x0) / (x1 - x0)"""
        x, x0, x1 = (arguments[i] for i in ((0, 1, 3) if name == "step" else (0, 1, 2)))
        if isinstance(x0, Number) and x0 == x1:
            raise self.fail(f"{name!r} begins and ends at {x0.value:g}; the ends must differ", token)
        u = binary("/", binary("-", x, x0), binary("-", x1, x0))
        if name == "ramp":
            return call("clamp", u)
        return binary("+", arguments[2], binary("*", binary("-", arguments[4], arguments[2]), call("smooth", u)))


def names_in(text: str, variables: Collection[str] = ("t",)) -> set[str]:
    """Plain names of an expression that are not known without a model."""
    known = {*variables, *CONSTANTS, *COUNTS, *UNITS, "and", "or", "not"} - set(FREE_UNITS)
    names = {match["name"] for match in _TOKEN.finditer(text.translate(SPELLING))}
    return {name for name in names if name and "." not in name and name not in known}


def parse(text: str, variables: Collection[str] = ("t",), names: Names = NO_NAMES) -> Node:
    """The expression ``text`` as a tree. ``variables`` are the plain names it may use, besides ``names``; dotted names are signals."""
    return _parser(text, variables, names).whole()


def parse_condition(text: str, variables: Collection[str] = ("t",), names: Names = NO_NAMES) -> Node:
    """A condition, such as ``A.angle > 1 and t < 2``, as a tree."""
    return _parser(text, variables, names).whole_condition()


def _parser(text: str, variables: Collection[str], names: Names) -> _Parser:
    if len(text) > LONGEST:
        raise ValueError(f"the expression {text[:20]!r}… has {len(text)} characters, must be at most {LONGEST}; use a table")
    if not text.strip():
        raise ValueError("the expression is empty; write for example '10 N * sin(2*pi*t)'")
    return _Parser(text, variables, names)
