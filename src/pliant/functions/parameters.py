"""Parameters: numbers with names, and expressions of them that carry their dimension. ``=2*L + 10 mm`` is a number where one is due.

Sums, comparisons and branches need one dimension, exponents and arguments of sin, exp, … none; an angle has none either.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .expression import COUNTS, FUNCTIONS, INNER, Binary, Call, Constant, Node, Number, Unary, Variable, bottom_up
from .field_error import FieldError
from .parser import FREE_UNITS, Names, parse
from .printable import same_name
from .units import NONE, UNITS, Dimension, describe, in_si, parse_unit, quantity, shown, unit_in

MARK = "="
LONGEST = 100            # letters in a name
RESERVED = {"t": "the time", "x": "the stretch in laws of springs", "v": "its rate in laws of springs", "pi": "a constant",
            "e": "a constant", "ground": "the ground", "energy": "taken by channels of energies", "model": "taken by channels of the model"}
SAME = ("+", "-", "<", "<=", "==", "!=", "min", "max", "mod", "atan2")  # operations that need one dimension
KEEP = ("abs", "min", "max", "mod")                               # functions whose value has that of their argument


class Measured(float):
    """A number in SI units with a dimension: the value of an expression of parameters, whose text it remembers."""
    dimension: Dimension
    text: str

    def __new__(cls, value: float, dimension: Dimension, text: str) -> Measured:
        made = super().__new__(cls, value)
        made.dimension, made.text = dimension, text
        return made

    def __getnewargs__(self) -> tuple[float, Dimension, str]:  # type: ignore[override]
        return float(self), self.dimension, self.text

    def told(self) -> str:
        """As messages show it."""
        return f"{self.text!r}, {float(self):.6g} in SI units,"


@dataclass(frozen=True)
class Parameter:
    """``given``: as it was written, a number, a text with a unit, or an expression of other parameters."""
    name: str
    given: Any
    value: Measured

    @property
    def unit(self) -> str:
        """Of its value, in SI units; empty for a plain number."""
        return "" if self.value.dimension == NONE else describe(self.value.dimension).rpartition("[")[2].rstrip("]")


class _Value(NamedTuple):
    number: float
    dimension: Dimension


def is_expression(value: Any) -> bool:
    """Whether a value is a text that begins with ``=``."""
    return isinstance(value, str) and value.lstrip().startswith(MARK)


def check_name(name: Any, known: Callable[[str], str]) -> str:
    """The name of a parameter, a variable or a table; ``known(name)`` says what else has it, or nothing."""
    name = same_name(name) if isinstance(name, str) else name
    if not isinstance(name, str) or not all(word.isidentifier() for word in name.split(".")) or len(name) > LONGEST:
        raise ValueError(f"name {shown(name)} must be a word of letters, digits and _ that does not begin with a digit")
    if name in UNITS and name not in FREE_UNITS:
        raise ValueError(f"name {name!r} is a unit ({describe(UNITS[name].dimension)}); choose another, such as '{name}_0'")
    if name in RESERVED:
        raise ValueError(f"name {name!r} is {RESERVED[name]}; choose another")
    if name in COUNTS or name in ("and", "or", "not"):
        raise ValueError(f"name {name!r} is a function of expressions; choose another")
    if taken := known(name):
        raise ValueError(f"name {name!r} is {taken}; choose another")
    return name


# -- values
def measured(text: str, values: Mapping[str, Measured]) -> Measured:
    """The value of ``=…``."""
    inner = text.lstrip()[len(MARK):]
    if not inner.strip():
        raise ValueError(f"{shown(text)} has nothing after {MARK!r}; write for example '=2*L'")
    node = parse(inner, (), Names(values=dict.fromkeys(values), dimensioned=True))
    found: dict[int, _Value] = {}
    for part in bottom_up(node):
        found[id(part)] = _value(part, found, values)
    number, dimension = found[id(node)]
    if not math.isfinite(number):
        raise ValueError(f"{shown(text)} is not a finite number")
    return Measured(number, dimension, text.strip())


def _value(node: Node, found: Mapping[int, _Value], values: Mapping[str, Measured]) -> _Value:
    match node:
        case Number(value=value):
            return _Value(value, NONE)
        case Constant(value=value, dimension=dimension):
            return _Value(value, dimension)
        case Variable(name=name):
            return _Value(float(values[name]), values[name].dimension)
        case Unary(operator=operator, operand=a):
            x = found[id(a)]
            return x._replace(number=-x.number if operator == "-" else float(x.number == 0))
        case Binary(operator=operator, left=a, right=b):
            return _operation(operator, found[id(a)], found[id(b)])
        case Call(name="if", arguments=(c, a, b)):
            x, y = found[id(a)], found[id(b)]
            _same("if", x, y)
            return x if found[id(c)].number else y
        case Call(name=name, arguments=arguments):
            return _function(name, [found[id(a)] for a in arguments])
    raise ValueError("tables and channels cannot stand here; a number is made of parameters")


def _same(what: str, *values: _Value) -> None:
    for v in values[1:]:
        if v.dimension != values[0].dimension:
            raise ValueError(f"{what!r} of {describe(values[0].dimension)} and {describe(v.dimension)}; give numbers their units, "
                             "such as 10 mm")


def _plain(what: str, v: _Value) -> float:
    if v.dimension != NONE:
        raise ValueError(f"{what} must be a plain number, it is {describe(v.dimension)}")
    return v.number


def _operation(operator: str, a: _Value, b: _Value) -> _Value:
    if operator in SAME:
        _same(operator, a, b)
    match operator:
        case "+" | "-":
            return a._replace(number=a.number + b.number if operator == "+" else a.number - b.number)
        case "*" | "/":
            sign = 1 if operator == "*" else -1
            dimension = tuple(x + sign * y for x, y in zip(a.dimension, b.dimension, strict=True))
            return _Value(_computed(lambda x, y: x * y if sign == 1 else x / y, a.number, b.number, text=operator), dimension)
        case "^":
            n = _plain("an exponent", b)
            return _Value(_computed(math.pow, a.number, n, text="^"), tuple(n * d for d in a.dimension))
        case "and" | "or":
            return _Value(float((a.number and b.number) if operator == "and" else (a.number or b.number)), NONE)
    compared = {"<": a.number < b.number, "<=": a.number <= b.number, "==": a.number == b.number, "!=": a.number != b.number}
    return _Value(float(compared[operator]), NONE)


def _function(name: str, a: list[_Value]) -> _Value:
    f = FUNCTIONS.get(name) or INNER[name]
    if name in SAME:
        _same(name, *a)
    elif name == "sqrt":
        return _Value(_computed(f, a[0].number, text=name), tuple(d / 2 for d in a[0].dimension))
    elif name not in (*KEEP, "sign"):
        _plain(f"the argument of {name}", a[0])
    return _Value(_computed(f, *(x.number for x in a), text=name), a[0].dimension if name in KEEP else NONE)


def _computed(f: Callable[..., float], *numbers: float, text: str) -> float:
    try:
        return float(f(*numbers))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{text} of {', '.join(f'{x:g}' for x in numbers)} is not a finite number") from None


# -- parameters of a model
def evaluated(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Parameters as they were written, each with its value; those that need each other are named."""
    made: dict[str, Parameter] = {}
    underway: list[str] = []

    def value(name: str) -> Measured:
        if name in made:
            return made[name].value
        if name in underway:
            loop = " -> ".join([*underway[underway.index(name):], name])
            raise FieldError(name, f"parameters need each other: {loop}; give one of them a number")
        underway.append(name)
        try:
            made[name] = Parameter(name, given[name], _of(given[name], _Lazy(given, value)))
        except FieldError:
            raise
        except ValueError as error:
            raise FieldError(name, str(error)) from None
        underway.pop()
        return made[name].value
    for name in given:
        value(name)
    return {name: made[name] for name in given}


def renewed(given: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with other values, as they are written: plain numbers have the SI unit of what was there. FieldError if a value has
    another dimension."""
    known, out = evaluated(given), dict(given)
    for name, value in changes.items():
        due = known[name].value.dimension
        if not isinstance(value, (str, Measured)) and due != NONE:
            value = in_si(quantity(value, ""), due)
        out[name] = value
    for name, parameter in evaluated(out).items():
        if name in changes and parameter.value.dimension not in (known[name].value.dimension, NONE):
            wanted, found = describe(known[name].value.dimension), describe(parameter.value.dimension)
            raise FieldError(name, f"{shown(changes[name])} is {found}, {wanted} is due")
    return out


class _Lazy(Mapping[str, Measured]):
    """Values by name, each computed when it is asked for."""

    def __init__(self, given: Mapping[str, Any], value: Callable[[str], Measured]) -> None:
        self.given, self.value = given, value

    def __getitem__(self, name: str) -> Measured:
        return self.value(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


def _of(given: Any, values: Mapping[str, Measured]) -> Measured:
    """The value of a parameter: a number, a text with a unit, or ``=…``."""
    if is_expression(given):
        return measured(given, values)
    if isinstance(given, Measured):
        return given
    if isinstance(given, str):
        unit = unit_in(given)
        quantity(given, "" if unit[:1] in "*/+-," else unit)  # what is no number is told
        return Measured(quantity(given, unit), parse_unit(unit).dimension, given.strip())
    return Measured(quantity(given, ""), NONE, shown(given))


# -- values with expressions in them
def has_expressions(value: Any) -> bool:
    """Whether an expression of parameters stands anywhere in a value: a text, lists, mappings, frames."""
    if isinstance(value, str):
        return is_expression(value)
    if isinstance(value, Mapping):
        return any(map(has_expressions, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(has_expressions, value))
    return bool(getattr(value, "is_open", False))


def resolved(value: Any, values: Mapping[str, Measured], path: tuple[Any, ...] = ()) -> Any:
    """The same with numbers in place of expressions; FieldError with the path of one that is wrong."""
    if is_expression(value):
        try:
            return measured(value, values)
        except ValueError as error:
            raise FieldError(path[0] if path else "", f"{shown(value)}: {error}", *path[1:]) from None
    if isinstance(value, Mapping):
        return {k: resolved(v, values, (*path, k)) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        entries = [resolved(v, values, (*path, k)) for k, v in enumerate(value)]
        return entries if isinstance(value, list) else tuple(entries)
    if getattr(value, "is_open", False):
        return value.closed(lambda inner, *at: resolved(inner, values, (*path, *at)))
    return value
