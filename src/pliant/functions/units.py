"""Units of measurement: an own small table. Text such as "150 mm" or "12 N/mm" becomes a number in SI units.

An angle has no dimension: rad, deg and rev are plain factors, and 1 rpm = 2 pi / 60 rad/s, while 1 Hz = 1/s.
"""
from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable
from numbers import Real
from typing import NamedTuple

Dimension = tuple[float, ...]  # exponents of the base units


class Unit(NamedTuple):
    """One of it is ``factor`` SI units of dimension ``dimension``."""
    factor: float
    dimension: Dimension


BASE = ("m", "kg", "s", "A", "K", "mol", "cd")
NONE: Dimension = (0.0,) * 7
LONGEST = 100  # characters in a unit
MOST = 1e40    # no number of a model may be larger, in SI units: products of several must stay finite
SHOWN = 60     # characters of a value in a message
PREFIXES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "da": 1e1, "h": 1e2, "k": 1e3,
            "M": 1e6, "G": 1e9}
SPELLING = str.maketrans({"·": "*", "⋅": "*", "×": "*", "−": "-", "²": "^2", "³": "^3", "⁴": "^4"})


def _dimension(m: float = 0, kg: float = 0, s: float = 0, A: float = 0, K: float = 0, mol: float = 0,
               cd: float = 0) -> Dimension:
    return (float(m), float(kg), float(s), float(A), float(K), float(mol), float(cd))


_LENGTH, _MASS, _TIME, _RATE = _dimension(1), _dimension(0, 1), _dimension(0, 0, 1), _dimension(0, 0, -1)
_VOLUME = _dimension(3)
_FORCE, _TORQUE, _POWER, _PRESSURE = _dimension(1, 1, -2), _dimension(2, 1, -2), _dimension(2, 1, -3), _dimension(-1, 1, -2)
_POUND, _INCH = 0.45359237, 0.0254

# with prefixes
_PREFIXED = {
    "m": Unit(1.0, _LENGTH), "g": Unit(1e-3, _MASS), "s": Unit(1.0, _TIME), "rad": Unit(1.0, NONE), "Hz": Unit(1.0, _RATE),
    "N": Unit(1.0, _FORCE), "Nm": Unit(1.0, _TORQUE), "Nmm": Unit(1e-3, _TORQUE), "J": Unit(1.0, _TORQUE),
    "W": Unit(1.0, _POWER), "Pa": Unit(1.0, _PRESSURE), "bar": Unit(1e5, _PRESSURE), "K": Unit(1.0, _dimension(K=1)),
    "A": Unit(1.0, _dimension(A=1)), "V": Unit(1.0, _dimension(2, 1, -3, -1)), "C": Unit(1.0, _dimension(s=1, A=1)),
    "H": Unit(1.0, _dimension(2, 1, -2, -2)), "F": Unit(1.0, _dimension(-2, -1, 4, 2)), "Wb": Unit(1.0, _dimension(2, 1, -2, -1)),
    "ohm": Unit(1.0, _dimension(2, 1, -3, -2)), "Ω": Unit(1.0, _dimension(2, 1, -3, -2)), "L": Unit(1e-3, _VOLUME),
    "l": Unit(1e-3, _VOLUME), "mol": Unit(1.0, _dimension(mol=1)), "cd": Unit(1.0, _dimension(cd=1)),
}
# without
_SINGLE = {
    "min": Unit(60.0, _TIME), "h": Unit(3600.0, _TIME), "deg": Unit(math.pi / 180, NONE), "°": Unit(math.pi / 180, NONE),
    "rev": Unit(2 * math.pi, NONE), "rpm": Unit(2 * math.pi / 60, _RATE), "%": Unit(0.01, NONE), "percent": Unit(0.01, NONE),
    "litre": Unit(1e-3, _VOLUME), "tonne": Unit(1e3, _MASS), "in": Unit(_INCH, _LENGTH), "inch": Unit(_INCH, _LENGTH),
    "ft": Unit(12 * _INCH, _LENGTH), "lb": Unit(_POUND, _MASS), "lbf": Unit(_POUND * 9.80665, _FORCE),
}
UNITS: dict[str, Unit] = {
    **{prefix + name: Unit(factor * unit.factor, unit.dimension)
       for prefix, factor in PREFIXES.items() for name, unit in _PREFIXED.items()},
    **_PREFIXED, **_SINGLE, "kg": Unit(1.0, _MASS)}

_WORDS = {
    NONE: "an angle or plain number", _LENGTH: "a length", _MASS: "a mass", _TIME: "a time", _RATE: "a rate",
    _FORCE: "a force", _TORQUE: "a torque or energy", _POWER: "a power", _PRESSURE: "a pressure", _VOLUME: "a volume",
    _dimension(2): "an area", _dimension(1, 0, -1): "a velocity", _dimension(1, 0, -2): "an acceleration",
    _dimension(0, 0, -2): "an angular acceleration", _dimension(0, 1, -2): "a stiffness", _dimension(0, 1, -1): "a damping",
    _dimension(2, 1): "a moment of inertia", _dimension(2, 1, -1): "a rotational damping", _dimension(-3, 1): "a density",
    _dimension(4): "a second moment of area", _dimension(K=1): "a temperature", _dimension(A=1): "a current",
    _dimension(2, 1, -3, -1): "a voltage", _dimension(2, 1, -3, -2): "a resistance", _dimension(2, 1, -2, -2): "an inductance",
    _dimension(-2, -1, 4, 2): "a capacitance", _dimension(3, 0, -1): "a flow", _dimension(2, 1, -2, -1): "a torque per current or flux",
}
_REMEDY = {"t": "; for 1000 kg write 'tonne'", "degC": "; write 'K'"}
_LONG = {"m": "meter metre", "kg": "kilogram kilo kgs kilogramme", "g": "gram gramme gr", "s": "second sec", "min": "minute",
         "h": "hour hr",
         "N": "newton", "N*m": "newtonmeter newtonmetre", "deg": "degree degs", "rad": "radian", "rev": "revolution turn cycle",
         "Hz": "hertz", "Pa": "pascal", "J": "joule", "W": "watt", "V": "volt", "A": "ampere amp", "K": "kelvin",
         "mm": "millimeter millimetre", "cm": "centimeter centimetre", "km": "kilometer kilometre",
         "um": "micrometer micron", "kN": "kilonewton", "ms": "millisecond",
         "L": "liter ltr", "in": "inches", "ft": "foot feet", "lb": "pound lbm", "tonne": "ton", "rpm": "rpms"}
_NAMES = {word + s: unit for unit, words in _LONG.items() for word in words.split() for s in ("", "s")}  # units written in full


def shown(value: object, most: int = SHOWN) -> str:
    """A value as messages show it: short whatever it is, texts in quotes, numbers and truth values as in a text model."""
    value = value.tolist() if hasattr(value, "tolist") else value  # NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        digits = str(value) if value.bit_length() < 4096 else hex(value)
        return digits if len(digits) <= most else f"{digits[:20]}… ({len(digits)} digits)"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, str):
        return repr(value) if len(value) <= most else f"{value[:most - 10]!r}… ({len(value)} characters)"
    if isinstance(value, dict):
        inner = ", ".join(f"{str(k)[:20]}: {shown(v, most // 2)}" for k, v in list(value.items())[:6])
        return _cut("{" + inner + (", …" if len(value) > 6 else "") + "}", most)
    if isinstance(value, (list, tuple)):
        inner = ", ".join(shown(v, most // 2) for v in value[:12]) + (", …" if len(value) > 12 else "")
        return _cut(f"[{inner}]" if isinstance(value, list) else f"({inner})", most)
    return _cut(repr(value), most) if value is not None else "nothing"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most - 1] + "…"


def must(value: object, rule: str) -> str:
    """``5 must be a list``; for no value at all ``no value is given, it must be a list``."""
    return f"no value is given, it {rule}" if value is None else f"{shown(value)} {rule}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'a', 'b'?`` with the same word in other letters or the nearest of the known words, or nothing."""
    names = list(known)
    near = [w for w in names if w.lower() == word.lower()][:3] or difflib.get_close_matches(word[:SHOWN], names, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(w) for w in near)}?" if near else ""


def unknown_unit(name: str) -> str:
    """For errors: what is wrong with this name, and what may be meant."""
    full = _NAMES.get(name) or _NAMES.get(name.lower())
    remedy = _REMEDY.get(name) or (f"; did you mean {full!r}?" if full else suggestion(name, UNITS))
    return f"unknown unit {shown(name)}{remedy or '; write for example N, mm, kg*m^2 or deg/s'}"


def _power(unit: Unit, exponent: float) -> Unit:
    return Unit(unit.factor**exponent, tuple(exponent * d for d in unit.dimension))


def _product(a: Unit, b: Unit) -> Unit:
    return Unit(a.factor * b.factor, tuple(d + e for d, e in zip(a.dimension, b.dimension, strict=True)))


_TOKEN = re.compile(r"\s*(?:(?P<name>[^\W\d_]+|%|°)|(?P<number>\d+(?:\.\d+)?)|(?P<mark>\*\*|[*/^()+-])|(?P<bad>\S))")


class _Parser:
    """unit = term {("*" | "/" | blank) term};  term = (name | "1" | "(" unit ")") ["^" number]"""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [(m.lastgroup or "", m.group(m.lastgroup or 0)) for m in _TOKEN.finditer(text.translate(SPELLING))]
        self.tokens.append(("end", ""))
        self.i = 0

    def fail(self, what: str) -> ValueError:
        return ValueError(f"unit {shown(self.text)}: {what}")

    def take(self, *marks: str) -> str:
        kind, text = self.tokens[self.i]
        if kind != "mark" or text not in marks:
            return ""
        self.i += 1
        return text

    def whole(self) -> Unit:
        unit = self.product()
        kind, text = self.tokens[self.i]
        if kind != "end":
            remedy = f"for a power write '^{text}'" if kind == "number" else "write for example 'N*s/m' or 'm/s^2'"
            raise self.fail(f"unexpected {text!r}; {remedy}")
        return unit

    def product(self) -> Unit:
        unit, divided = self.term(), False
        while True:
            mark = self.take("*", "/")
            if not mark and self.tokens[self.i][0] != "name" and self.tokens[self.i] != ("mark", "("):
                return unit
            if not mark and divided:
                raise self.fail("a blank after '/' is ambiguous; write 'N/(m*s)' or 'N/m*s'")
            unit = _product(unit, _power(self.term(), -1 if mark == "/" else 1))
            divided |= mark == "/"

    def term(self) -> Unit:
        kind, text = self.tokens[self.i]
        self.i += 1
        if kind == "name":
            if text not in UNITS:
                raise ValueError(unknown_unit(text)) if text == self.text.strip() else self.fail(unknown_unit(text))
            unit = UNITS[text]
        elif kind == "number" and text == "1":
            unit = Unit(1.0, NONE)
        elif text == "(":
            unit = self.product()
            if not self.take(")"):
                raise self.fail("')' is missing")
        else:
            raise self.fail(f"a unit is due {'instead of ' + repr(text) if text else 'at the end'}; write for example 'N*s/m'")
        return _power(unit, self.exponent()) if self.take("^", "**") else unit

    def exponent(self) -> float:
        sign = -1.0 if self.take("-", "+") == "-" else 1.0
        kind, text = self.tokens[self.i]
        self.i += 1
        if kind != "number" or float(text) > 12:
            raise self.fail(f"the exponent {text!r} must be a number up to 12; write for example 'm^2'")
        return sign * float(text)


def parse_unit(text: str) -> Unit:
    """The unit that a text such as "N*s/m", "N m", "kg*m^2", "1/s" or "" (none) stands for."""
    if len(text) > LONGEST:
        raise ValueError(f"unit {text[:20]!r}...: {len(text)} characters, must be at most {LONGEST}")
    unit = _Parser(text).whole() if text.strip() else Unit(1.0, NONE)
    if not 1e-100 < unit.factor < 1e100:
        raise ValueError(f"unit {text!r}: one of it is {unit.factor:g} SI units, must be within 1e-100 and 1e100; "
                         "use smaller exponents")
    return unit


def _symbol(dimension: Dimension) -> str:
    parts = [name if d == 1 else f"{name}^{d:g}" for name, d in zip(BASE, dimension, strict=True) if d]
    named = {d: n for n, (f, d) in reversed(_PREFIXED.items()) if f == 1 and n in ("N", "W", "Pa", "V", "ohm", "C")}
    named |= {_RATE: "1/s", _TORQUE: "N*m", _dimension(0, 1, -2): "N/m", _dimension(0, 1, -1): "N*s/m", NONE: "-",
              _dimension(1, 0, -1): "m/s", _dimension(1, 0, -2): "m/s^2"}
    return named.get(dimension) or "*".join(parts)


def in_si(number: float, dimension: Dimension) -> str | float:
    """A number in SI units as a text with its unit; as it is where it has none."""
    return f"{number!r} {_symbol(dimension)}" if dimension != NONE else number


def describe(dimension: Dimension, symbol: str = "") -> str:
    """For errors: "a mass [kg]"."""
    return f"{_WORDS.get(dimension, 'a quantity')} [{symbol or _symbol(dimension)}]"


NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(rf"\s*([+-]?{NUMBER})\s*(.*?)\s*", re.DOTALL | re.ASCII)


def quantity(value: object, unit: str) -> float:
    """``value`` in SI units: a number is taken as it is, a text ("150 mm") is converted; a text without unit counts as SI.

    ``unit`` is the unit that is due, for example "m", "N/m", "rad" or "" (a plain number).
    """
    due = parse_unit(unit).dimension
    rule = f"must be a number or a text such as '2 {unit}'" if unit else "must be a number"
    if isinstance(value, str):
        number = _from_text(value, unit, due)
    elif isinstance(value, Real) and not isinstance(value, bool):
        given = getattr(value, "dimension", NONE)  # of an expression of parameters
        if given not in (NONE, due):
            raise ValueError(f"{value.text!r} is {describe(given)}, {describe(due, unit)} is due")  # type: ignore[attr-defined]
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    else:
        raise ValueError(must(value, rule))
    if math.isnan(number):
        raise ValueError(f"{shown(value)} must be finite; {describe(due, unit)} is due")
    if abs(number) > MOST:
        raise ValueError(f"{shown(value)} is too large, must be finite and within {MOST:g} in SI units; {describe(due, unit)} is due")
    return number


def unit_in(text: str) -> str:
    """The unit of a text such as "150 mm"; empty where that is none, which `quantity` tells."""
    found = _QUANTITY.fullmatch(text) if len(text) <= 2 * LONGEST else None
    return found[2] if found else ""


def _from_text(value: str, unit: str, due: Dimension) -> float:
    example = f"2 {unit}".strip()
    found = _QUANTITY.fullmatch(value) if len(value) <= 2 * LONGEST else None
    if not found:
        if value in UNITS:
            raise ValueError(f"{value!r} is a unit without a number; write for example '2 {value}'")
        rule = "must begin with a number" if len(value) <= 2 * LONGEST else "must be a number and a unit"
        raise ValueError(f"{shown(value)} {rule}; write for example {example!r}")
    number, text = float(found[1]), found[2]
    if not text:
        return number
    if text[0] == ",":
        raise ValueError(f"{shown(value)}: the decimal mark is a point; write {shown(value.strip().replace(',', '.', 1))}")
    if text[0] in "*/+-" and not re.match(r"/\s*[^\W\d]", text):
        raise ValueError(f"{shown(value)} is more than a number and its unit; an expression begins with '=': {shown('=' + value.strip())}")
    try:
        given = parse_unit(text)
    except ValueError as error:
        remedy = f"; write {'1' + text!r} for {text!r}" if text[0] == "/" else ""
        raise ValueError(f"{shown(value)}: {error}{remedy}") from None
    if given.dimension != due:
        raise ValueError(f"{shown(value)} is {describe(given.dimension)}, {describe(due, unit)} is due")
    return number * given.factor
