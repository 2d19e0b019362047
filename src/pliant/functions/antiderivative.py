"""Integrals of functions of time in closed form: sums of piecewise polynomials (numbers, tables, steps, ramps, branches at given times)
and of waves (sin, cos, exp, sinh, cosh of a line)."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .expression import Binary, Call, External, Lookup, Node, Number, Signal, Unary, Variable, binary, bottom_up, call
from .parser import NO_NAMES, Names, parse
from .piecewise import HIGHEST, LINE, UNIT, Piecewise, T
from .table import Table

INTEGRALS = {"sin": ("cos", -1.0), "cos": ("sin", 1.0), "exp": ("exp", 1.0), "sinh": ("cosh", 1.0), "cosh": ("sinh", 1.0)}
VALUE = {"sin": np.sin, "cos": np.cos, "exp": np.exp, "sinh": np.sinh, "cosh": np.cosh}
REMEDY = "use function= with the position, or a table of the speed or acceleration"
Wave = tuple[float, str, float, float]  # factor, name, a and k: factor * name(a + k t)


@dataclass
class Sum:
    """A piecewise polynomial and waves."""
    smooth: Piecewise
    waves: list[Wave] = field(default_factory=list)

    @classmethod
    def of(cls, function: Any, names: Names = NO_NAMES) -> Sum:
        """A function of t as users give it; ValueError if its integral is not known in closed form."""
        if isinstance(function, Table):
            return cls(_looked_up(Lookup(function, T), LINE))
        if isinstance(function, (int, float)):
            return cls(Piecewise.polynomial(float(function)))
        if not isinstance(function, str):
            raise ValueError(f"a Python function cannot be integrated in closed form; {REMEDY}")
        done: dict[int, Sum] = {}
        try:
            for node in bottom_up(root := parse(function, ("t",), names)):
                done[id(node)] = _sum(node, done)
        except ValueError as error:
            raise ValueError(f"its integral is not known in closed form: {error}; {REMEDY}") from None
        return done[id(root)]

    def pure(self) -> Piecewise:
        if self.waves:
            raise ValueError(f"{self.waves[0][1]} is multiplied by a function of t, or inside of one")
        return self.smooth

    def plus(self, other: Sum, sign: float = 1.0) -> Sum:
        return Sum(self.smooth + other.smooth.scaled(sign), [*self.waves, *((sign * c, name, a, k) for c, name, a, k in other.waves)])

    def times(self, other: Sum) -> Sum:
        for one, by in ((self, other), (other, self)):
            if not by.waves and (factor := by.smooth.number) is not None:
                return Sum(one.smooth.scaled(factor), [(factor * c, name, a, k) for c, name, a, k in one.waves])
        return Sum(self.pure() * other.pure())

    def integral(self) -> Sum:
        """From 0 to t."""
        start, waves = 0.0, list[Wave]()
        for c, name, a, k in self.waves:
            other, sign = INTEGRALS[name]
            waves.append((c * sign / k, other, a, k))
            start += c * sign / k * float(VALUE[other](a))
        return Sum(self.smooth.integral() + Piecewise.polynomial(-start), waves)

    def node(self) -> Node:
        total = self.smooth.node()
        for c, name, a, k in self.waves:
            angle = binary("+", Number(a), binary("*", Number(k), T))
            total = binary("+", total, binary("*", Number(c), call(name, angle)))
        return total


def _sum(node: Node, done: dict[int, Sum]) -> Sum:
    match node:
        case Number(value=value):
            return Sum(Piecewise.polynomial(value))
        case Variable():
            return Sum(LINE)
        case Unary(operator="-", operand=x):
            return Sum(Piecewise.polynomial(0.0)).plus(done[id(x)], -1.0)
        case Unary(operand=x):
            return Sum(UNIT + done[id(x)].pure().scaled(-1.0))
        case Binary(operator=operator, left=x, right=y):
            return _binary(operator, done[id(x)], done[id(y)])
        case Call(name="if", arguments=(c, x, y)):
            chosen = done[id(c)].pure()
            return Sum(chosen * done[id(x)].pure() + (UNIT + chosen.scaled(-1.0)) * done[id(y)].pure())
        case Call(name=name, arguments=arguments):
            return _call(name, [done[id(a)] for a in arguments])
        case Lookup(argument=x):
            return Sum(_looked_up(node, done[id(x)].pure()))
        case Signal() | External():
            raise ValueError("it must depend on t alone")
    raise ValueError("it is no function of t")


def _binary(operator: str, a: Sum, b: Sum) -> Sum:
    match operator:
        case "+" | "-":
            return a.plus(b, 1.0 if operator == "+" else -1.0)
        case "*":
            return a.times(b)
        case "/":
            divisor = b.pure().number
            if not divisor:
                raise ValueError("it divides by a function of t")
            return a.times(Sum(Piecewise.polynomial(1 / divisor)))
        case "^":
            power = b.pure().number
            if power is None or not 0 <= power <= HIGHEST or power != int(power):
                raise ValueError(f"it has a power that is no whole number up to {HIGHEST}")
            result = UNIT
            for _ in range(int(power)):
                result = result * a.pure()
            return Sum(result)
        case "<" | "<=":
            return Sum((a.pure() + b.pure().scaled(-1.0)).chosen((0.0,), lambda x: (x < 0).astype(float)))
        case "and":
            return Sum(a.pure() * b.pure())
        case "or":
            return Sum(a.pure() + b.pure() + (a.pure() * b.pure()).scaled(-1.0))
    raise ValueError(f"{operator!r} is not among what is integrated")


def _call(name: str, arguments: list[Sum]) -> Sum:
    x = arguments[0].pure()
    if name in INTEGRALS:
        if len(x.breaks) > 1 or x.degree != 1:
            raise ValueError(f"{name} is not of a straight line a + k*t")
        return Sum(Piecewise.polynomial(0.0), [(1.0, name, *x.coefficients[0].tolist())])
    if name in ("clamp", "smooth"):
        within = x.chosen((0.0, 1.0), lambda u: ((u > 0) & (u < 1)).astype(float))
        w = within * x + x.chosen((1.0,), lambda u: (u >= 1).astype(float))
        return Sum(w if name == "clamp" else w * w * (Piecewise.polynomial(3.0) + w.scaled(-2.0)))
    if name in ("abs", "sign"):
        sign = x.chosen((0.0,), np.sign)
        return Sum(sign if name == "sign" else sign * x)
    if name in ("min", "max"):
        difference = x + arguments[1].pure().scaled(-1.0)
        first = difference.chosen((0.0,), lambda d: ((d < 0) == (name == "min")).astype(float))
        return Sum(arguments[1].pure() + first * difference)
    raise ValueError(f"{name} is not among what is integrated")


def _looked_up(node: Lookup, x: Piecewise) -> Piecewise:
    """A table of a + k t, straight beyond its ends."""
    table = node.table
    if len(x.breaks) > 1 or x.degree != 1 or not x.coefficients[0, 1] > 0:
        raise ValueError("a table is not of a rising line a + k*t")
    a, k = x.coefficients[0]
    times, powers = (table.x - a) / k, k ** np.arange(4)
    before, beyond = (k * slope for slope in table.end_slopes)
    pieces = np.vstack([table.coefficients * powers, [float(table.y[-1]), beyond, 0.0, 0.0]])
    begin = min(0.0, float(times[0]) - 1.0)
    first = np.array([[float(table.y[0]) + before * (begin - float(times[0])), before, 0.0, 0.0]])
    whole = Piecewise(np.concatenate([[begin], times]), np.vstack([first, pieces]))
    return whole.at(np.unique(np.append(0.0, times[times > 0])))
