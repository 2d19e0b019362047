"""What an expression of time can be within intervals of time: bounds of its value and of its slope, for many intervals at once.

Interval arithmetic with automatic differentiation. A bound holds for all times of an interval, not only at samples, so that a pulse
cannot hide between them, however thin. docs/theory/expressions.md
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from .expression import Binary, Call, Lookup, Lookup2, Node, Number, Unary, Variable, bottom_up, children
from .table_bounds import Cells, Pieces

Array = np.ndarray
WHOLE = 2 * np.pi


class Bounds(NamedTuple):
    """low <= f <= high and falls <= f' <= rises within an interval of time; f at both ends of it."""
    low: Array
    high: Array
    falls: Array
    rises: Array
    first: Array
    last: Array


class Choice(NamedTuple):
    """A choice between branches: where it may change within the interval, and where it changes once at most in each direction of its
    argument, which only grows or only falls there."""
    open: Array
    once: Array


Pair = tuple[Array, Array]


def _known(low: Array, high: Array) -> Pair:
    """Nothing is known where a bound is not a number."""
    lost = np.isnan(low) | np.isnan(high)
    return np.where(lost, -np.inf, low), np.where(lost, np.inf, high)


def _product(a: Pair, b: Pair) -> Pair:
    all_four = [x * y for x in a for y in b]
    zero = ((a[0] == 0) & (a[1] == 0)) | ((b[0] == 0) & (b[1] == 0))
    low, high = _known(np.minimum.reduce(all_four), np.maximum.reduce(all_four))
    return np.where(zero, 0.0, low), np.where(zero, 0.0, high)


def _inverse(a: Pair) -> Pair:
    spans = (a[0] <= 0) & (a[1] >= 0)
    return np.where(spans, -np.inf, 1 / a[1]), np.where(spans, np.inf, 1 / a[0])


def _sum(a: Pair, b: Pair) -> Pair:
    return _known(a[0] + b[0], a[1] + b[1])


def _negative(a: Pair) -> Pair:
    return -a[1], -a[0]


def _square(a: Pair) -> Pair:
    x, y = a[0] * a[0], a[1] * a[1]
    return np.where((a[0] < 0) & (a[1] > 0), 0.0, np.minimum(x, y)), np.maximum(x, y)


def _sine(a: Pair, shift: float = 0.0) -> Pair:
    """Of sin(x + shift)."""
    x, y = np.sin(a[0] + shift), np.sin(a[1] + shift)
    turns = [(np.floor((end + shift - top) / WHOLE)) for top in (np.pi / 2, -np.pi / 2) for end in a]
    low, high = np.minimum(x, y), np.maximum(x, y)
    lost = ~(np.isfinite(a[0]) & np.isfinite(a[1]))
    return np.where((turns[2] != turns[3]) | lost, -1.0, low), np.where((turns[0] != turns[1]) | lost, 1.0, high)


def _tangent(a: Pair) -> Pair:
    same = np.floor(a[0] / np.pi + 0.5) == np.floor(a[1] / np.pi + 0.5)
    return np.where(same, np.tan(a[0]), -np.inf), np.where(same, np.tan(a[1]), np.inf)


def _even(f: Callable[[Array], Array], a: Pair) -> Pair:
    """Of a function that grows with |x|."""
    x, y = f(a[0]), f(a[1])
    return np.where((a[0] < 0) & (a[1] > 0), f(np.zeros(1)), np.minimum(x, y)), np.maximum(x, y)


def _rising(f: Callable[[Array], Array]) -> Callable[[Pair], Pair]:
    return lambda a: (f(a[0]), f(a[1]))


def _smooth(u: Array) -> Array:
    u = np.clip(u, 0, 1)
    return cast(Array, u * u * (3 - 2 * u))


def _smooth_slope(a: Pair) -> Pair:
    x, y = np.clip(a[0], 0, 1), np.clip(a[1], 0, 1)
    ends = 6 * x * (1 - x), 6 * y * (1 - y)
    return np.minimum(*ends), np.where((x < 0.5) & (y > 0.5), 1.5, np.maximum(*ends))


def _sides(a: Pair, slopes: tuple[float, float, float]) -> Pair:
    """The slope of a ramp: before 0, between 0 and 1, beyond 1."""
    found = [np.where(x < 0, slopes[0], np.where(x > 1, slopes[2], slopes[1])) for x in a]
    through = (a[0] < 1) & (a[1] > 0)
    return np.where(through, np.minimum(np.minimum(*found), slopes[1]), np.minimum(*found)), \
        np.where(through, np.maximum(np.maximum(*found), slopes[1]), np.maximum(*found))


def _root(a: Pair) -> Pair:
    """Of 1 / sqrt(1 - x^2)."""
    return _inverse(tuple(np.sqrt(x) for x in _sum((np.ones(1), np.ones(1)), _negative(_square(a)))))  # type: ignore[arg-type]


# name: f, bounds of f, bounds of its slope, over those of its argument
SMOOTH: dict[str, tuple[Callable[[Array], Array], Callable[[Pair], Pair], Callable[[Pair], Pair]]] = {
    "sin": (np.sin, _sine, lambda a: _sine(a, np.pi / 2)),
    "cos": (np.cos, lambda a: _sine(a, np.pi / 2), lambda a: _negative(_sine(a))),
    "tan": (np.tan, _tangent, lambda a: _sum((np.ones(1), np.ones(1)), _square(_tangent(a)))),
    "asin": (np.arcsin, _rising(np.arcsin), _root),
    "acos": (np.arccos, lambda a: (np.arccos(a[1]), np.arccos(a[0])), lambda a: _negative(_root(a))),
    "atan": (np.arctan, _rising(np.arctan), lambda a: _inverse(_sum((np.ones(1), np.ones(1)), _square(a)))),
    "sinh": (np.sinh, _rising(np.sinh), lambda a: _even(np.cosh, a)),
    "cosh": (np.cosh, lambda a: _even(np.cosh, a), _rising(np.sinh)),
    "tanh": (np.tanh, _rising(np.tanh), lambda a: _negative(_sum(_square(_rising(np.tanh)(a)), (-np.ones(1), -np.ones(1))))),
    "exp": (np.exp, _rising(np.exp), _rising(np.exp)),
    "log": (np.log, _rising(np.log), lambda a: _inverse((np.maximum(a[0], 0), a[1]))),
    "sqrt": (np.sqrt, _rising(np.sqrt), lambda a: (0.5 / np.sqrt(a[1]), 0.5 / np.sqrt(np.maximum(a[0], 0)))),
    "abs": (np.abs, lambda a: _even(np.abs, a), lambda a: (np.where(a[0] < 0, -1.0, 1.0), np.where(a[1] > 0, 1.0, -1.0))),
    "clamp": (lambda u: np.clip(u, 0, 1), _rising(lambda u: np.clip(u, 0, 1)), lambda a: _sides(a, (0.0, 1.0, 0.0))),
    "smooth": (_smooth, _rising(_smooth), _smooth_slope),
}
STEPS: dict[str, Callable[[Array], Array]] = {"sign": np.sign, "floor": np.floor}


class Enclosure:
    """Bounds of an expression of t, of all its parts, over intervals. ``kinks``: whether those of tables and smooth steps count as
    choices. ``held``: values of nodes that are taken as constant, by their identity."""

    def __init__(self, root: Node, kinks: bool = False, held: Mapping[int, float] | None = None) -> None:
        self.order, self.kinks, self.held = bottom_up(root), kinks, held or {}
        self.pieces: dict[int, Any] = {id(n): Pieces(n.table) if isinstance(n, Lookup) else Cells(n.table)
                                       for n in self.order if isinstance(n, (Lookup, Lookup2))}
        self.bounds: dict[int, Bounds] = {}
        self.choices: list[tuple[Node, Choice]] = []
        self.settled = False

    @cached_property
    def varying(self) -> list[Node]:
        """All but numbers and what is held."""
        found: dict[int, bool] = {}
        for n in self.order:
            found[id(n)] = id(n) not in self.held and (isinstance(n, Variable) or any(found[id(c)] for c in children(n)))
        return [n for n in self.order if found[id(n)]]

    def over(self, begin: Array, end: Array, settled: bool = False) -> None:
        """Compute all bounds. ``settled``: no choice changes within an interval, except by rounding at its ends."""
        self.settled, self.choices, self.bounds = settled, [], {}
        self.begin, self.end = begin, end
        with np.errstate(all="ignore"):
            for node in self.order:
                found = self._of(node)
                self.bounds[id(node)] = found if isinstance(node, (Number, Variable)) else self._tightened(found)

    def _constant(self, value: float) -> Bounds:
        x, zero = np.full(self.begin.size, value), np.zeros(self.begin.size)
        return Bounds(x, x, zero, zero, x, x)

    def _of(self, node: Node) -> Bounds:
        if id(node) in self.held:
            return self._constant(self.held[id(node)])
        match node:
            case Number(value=value):
                return self._constant(value)
            case Variable():
                one = np.ones(self.begin.size)
                return Bounds(self.begin, self.end, one, one, self.begin, self.end)
            case Unary(operator=operator, operand=x):
                a = self.bounds[id(x)]
                if operator == "-":
                    return Bounds(-a.high, -a.low, -a.rises, -a.falls, -a.first, -a.last)
                return Bounds(1 - a.high, 1 - a.low, -a.rises, -a.falls, 1 - a.first, 1 - a.last)
            case Binary(operator=operator, left=x, right=y):
                return self._binary(operator, self.bounds[id(x)], self.bounds[id(y)], node)
            case Call(name="if", arguments=(c, x, y)):
                return self._either(*(self.bounds[id(n)] for n in (c, x, y)))
            case Call(name=name, arguments=(x, y)):
                return self._pair(name, self.bounds[id(x)], self.bounds[id(y)], node)
            case Call(name=name, arguments=(x,)):
                return self._single(name, self.bounds[id(x)], node)
            case Lookup(argument=x):
                return self._lookup(self.pieces[id(node)], self.bounds[id(x)], node)
            case Lookup2(x=x, y=y):
                return self._surface(self.pieces[id(node)], self.bounds[id(x)], self.bounds[id(y)], node)
        raise TypeError(f"{node!r} cannot be bounded")

    def _tightened(self, b: Bounds) -> Bounds:
        """By the mean value theorem, from both ends; where f grows or falls its ends are its bounds."""
        h = self.end - self.begin
        smooth = np.isfinite(b.falls) & np.isfinite(b.rises) & np.isfinite(b.first) & np.isfinite(b.last)
        low = np.maximum(b.first + np.minimum(b.falls * h, 0), b.last - np.maximum(b.rises * h, 0))
        high = np.minimum(b.first + np.maximum(b.rises * h, 0), b.last - np.minimum(b.falls * h, 0))
        one_way = smooth & ((b.falls >= 0) | (b.rises <= 0))
        low = np.where(one_way, np.minimum(b.first, b.last), np.where(smooth, np.maximum(low, b.low), b.low))
        high = np.where(one_way, np.maximum(b.first, b.last), np.where(smooth, np.minimum(high, b.high), b.high))
        low, high = _known(low, high)
        return b._replace(low=np.minimum(low, high), high=np.maximum(low, high))

    def _difference(self, a: Bounds, b: Bounds) -> Bounds:
        return self._tightened(Bounds(*_sum((a.low, a.high), (-b.high, -b.low)), *_sum((a.falls, a.rises), (-b.rises, -b.falls)),
                                      a.first - b.first, a.last - b.last))

    def _binary(self, operator: str, a: Bounds, b: Bounds, node: Binary) -> Bounds:
        if operator in ("<", "<="):
            return self._comparison(operator, self._difference(a, b), node)
        if operator in ("==", "!="):
            d = self._difference(a, b)
            x, zero = np.where(((d.low == 0) & (d.high == 0)) == (operator == "=="), 1.0, 0.0), np.zeros(self.begin.size)
            return Bounds(x, x, zero, zero, x, x)  # but for single times
        if operator in ("and", "or"):
            f = np.minimum if operator == "and" else np.maximum
            return self._jumping(f(a.low, b.low), f(a.high, b.high), f(a.first, b.first), f(a.last, b.last))
        if operator == "^":
            return self._power(a, b, node.right)
        return self._arithmetic(operator, a, b)

    def _arithmetic(self, operator: str, a: Bounds, b: Bounds) -> Bounds:
        x, y, dx, dy = (a.low, a.high), (b.low, b.high), (a.falls, a.rises), (b.falls, b.rises)
        if operator in "+-":
            if operator == "+":
                return Bounds(*_sum(x, y), *_sum(dx, dy), a.first + b.first, a.last + b.last)
            return Bounds(*_sum(x, _negative(y)), *_sum(dx, _negative(dy)), a.first - b.first, a.last - b.last)
        if operator == "*":
            return Bounds(*_product(x, y), *_sum(_product(dx, y), _product(x, dy)), a.first * b.first, a.last * b.last)
        over = _inverse(y)
        value = _product(x, over)
        return Bounds(*value, *_product(_sum(dx, _negative(_product(value, dy))), over), a.first / b.first, a.last / b.last)

    def _power(self, a: Bounds, b: Bounds, exponent: Node) -> Bounds:
        x, first, last = (a.low, a.high), a.first**b.first, a.last**b.last
        if isinstance(exponent, Number):
            n = exponent.value
            slope = _product(_power(x, n - 1), (np.full(1, n), np.full(1, n)))
            return Bounds(*_power(x, n), *_product(slope, (a.falls, a.rises)), first, last)
        log = tuple(np.log(np.where(end > 0, end, np.nan)) for end in x)
        low, high = _known(*_rising(np.exp)(_product((b.low, b.high), _known(*log))))
        steep = _sum(_product((b.falls, b.rises), _known(*log)), _product((b.low, b.high), _product((a.falls, a.rises), _inverse(x))))
        return Bounds(low, high, *_product((low, high), steep), first, last)

    def _jumping(self, low: Array, high: Array, first: Array, last: Array) -> Bounds:
        """A function that is constant, or jumps."""
        steep = np.where(low == high, 0.0, np.inf)
        return Bounds(low, high, -steep, steep, first, last)

    def _choice(self, node: Node, undecided: Array, argument: Bounds, many: Array | bool = False) -> Array:
        """Note a choice; where it is still open: not where all are settled and it is one of rounding."""
        one_way = (argument.falls > 0) | (argument.rises < 0)
        once = one_way & np.isfinite(argument.falls) & np.isfinite(argument.rises) & ~np.asarray(many)
        self.choices.append((node, Choice(undecided, once)))
        return undecided & ~once if self.settled else undecided

    def _comparison(self, operator: str, d: Bounds, node: Node) -> Bounds:
        def holds(x: Array) -> Array:
            return x < 0 if operator == "<" else x <= 0
        undecided = holds(d.low) != holds(d.high)
        middle, free = np.where(holds((d.low + d.high) / 2), 1.0, 0.0), self._choice(node, undecided, d)
        return self._jumping(np.where(free, 0.0, middle), np.where(free, 1.0, middle),
                             *(np.where(free, holds(end), middle) for end in (d.first, d.last)))

    def _either(self, c: Bounds, a: Bounds, b: Bounds) -> Bounds:
        yes, no = c.low > 0, c.high == 0
        def chosen(x: Array, y: Array, both: Array) -> Array:
            return np.where(yes, x, np.where(no, y, both))
        return Bounds(chosen(a.low, b.low, np.minimum(a.low, b.low)), chosen(a.high, b.high, np.maximum(a.high, b.high)),
                      chosen(a.falls, b.falls, np.full(yes.size, -np.inf)), chosen(a.rises, b.rises, np.full(yes.size, np.inf)),
                      np.where(c.first > 0, a.first, b.first), np.where(c.last > 0, a.last, b.last))

    def _pair(self, name: str, a: Bounds, b: Bounds, node: Node) -> Bounds:
        if name == "mod":
            turns = self._stepped(np.floor, self._tightened(self._arithmetic("/", a, b)), node)
            found = self._arithmetic("-", a, self._arithmetic("*", b, turns))
            low, high = np.maximum(found.low, np.minimum(b.low, 0)), np.minimum(found.high, np.maximum(b.high, 0))
            return found._replace(low=low, high=high)
        if name in ("min", "max"):
            d, f = self._difference(a, b), np.minimum if name == "min" else np.maximum
            self._choice(node, (d.low < 0) & (d.high > 0), d)
            first = d.high <= 0 if name == "min" else d.low >= 0
            second = d.low > 0 if name == "min" else d.high < 0
            falls, rises = (np.where(first, x, np.where(second, y, g(x, y)))
                            for x, y, g in ((a.falls, b.falls, np.minimum), (a.rises, b.rises, np.maximum)))
            return Bounds(f(a.low, b.low), f(a.high, b.high), falls, rises, f(a.first, b.first), f(a.last, b.last))
        y, x = (a.low, a.high), (b.low, b.high)
        corners = [np.arctan2(p, q) for p in y for q in x]
        cut = (b.low <= 0) & (a.low <= 0) & (a.high >= 0)
        low, high = np.where(cut, -np.pi, np.minimum.reduce(corners)), np.where(cut, np.pi, np.maximum.reduce(corners))
        turning = _sum(_product(x, (a.falls, a.rises)), _negative(_product(y, (b.falls, b.rises))))
        slope = _product(turning, _inverse(_sum(_square(x), _square(y))))
        return Bounds(low, high, np.where(cut, -np.inf, slope[0]), np.where(cut, np.inf, slope[1]),
                      np.arctan2(a.first, b.first), np.arctan2(a.last, b.last))

    def _stepped(self, f: Callable[[Array], Array], a: Bounds, node: Node) -> Bounds:
        low, high, middle = f(a.low), f(a.high), f((a.low + a.high) / 2)
        free = self._choice(node, low != high, a, high - low > 1)
        return self._jumping(*(np.where(free, x, middle) for x in (low, high, f(a.first), f(a.last))))

    def _single(self, name: str, a: Bounds, node: Node) -> Bounds:
        if name in STEPS:
            return self._stepped(STEPS[name], a, node)
        f, value, slope = SMOOTH[name]
        x = a.low, a.high
        if name in ("abs", "clamp") or (name == "smooth" and self.kinks):
            side = [np.sign(end) if name == "abs" else np.where(end < 0, 0, np.where(end < 1, 1, 2)) for end in x]
            self._choice(node, side[0] != side[1], a)
        return Bounds(*_known(*value(x)), *_product(_known(*slope(x)), (a.falls, a.rises)), f(a.first), f(a.last))

    def _lookup(self, pieces: Pieces, a: Bounds, node: Node) -> Bounds:
        x = a.low, a.high
        if self.kinks:
            numbers = [pieces.number(end) for end in x]
            self._choice(node, numbers[0] != numbers[1], a, pieces.piece(x[1]) - pieces.piece(x[0]) > 1)
        ends = (pieces.table.evaluate(end) for end in (a.first, a.last))
        return Bounds(*pieces(0, x), *_product(pieces(1, x), (a.falls, a.rises)), *ends)

    def _surface(self, cells: Cells, a: Bounds, b: Bounds, node: Node) -> Bounds:
        x, y = (a.low, a.high), (b.low, b.high)
        if self.kinks:
            self._choice(node, ~cells.same_piece(x, y), a, np.ones(a.low.size, bool))
        slopes = _sum(_product(cells((1, 0), x, y), (a.falls, a.rises)), _product(cells((0, 1), x, y), (b.falls, b.rises)))
        ends = (cells.table.evaluate(u, v) for u, v in ((a.first, b.first), (a.last, b.last)))
        return Bounds(*cells((0, 0), x, y), *slopes, *ends)

    def active(self) -> dict[int, Any]:
        """In which intervals the value of each part matters: not in branches that are not taken, nor where it is multiplied by zero, nor
        of what is compared only, once it is settled how that ends."""
        found: dict[int, Any] = {id(self.order[-1]): np.ones(self.begin.size, bool)}
        for node in reversed(self.order):
            mine = found.setdefault(id(node), np.zeros(self.begin.size, bool))
            for child, where in zip(children(node), self._asked(node), strict=True):
                found[id(child)] = found.get(id(child), False) | (mine & where)
        return found

    def _asked(self, node: Node) -> list[Any]:
        if isinstance(node, Call) and node.name == "if":
            c = self.bounds[id(node.arguments[0])]
            return [True, c.high > 0, c.low == 0]
        if isinstance(node, Binary) and node.operator == "*":
            a, b = (self.bounds[id(n)] for n in (node.left, node.right))
            return [(b.low != 0) | (b.high != 0), (a.low != 0) | (a.high != 0)]
        compared = (isinstance(node, Binary) and node.operator in ("<", "<=")) or (isinstance(node, Call) and node.name in STEPS)
        if self.settled and compared:
            b = self.bounds[id(node)]
            return [b.low != b.high] * len(children(node))
        return [True] * len(children(node))


def _power(x: Pair, n: float) -> Pair:
    """Of x^n for a number n."""
    if n == 0:
        return np.ones(1), np.ones(1)
    if n < 0:
        return _inverse(_power(x, -n))
    low, high = (end**n if n % 1 == 0 else np.where(end < 0, np.nan, end)**n for end in x)
    if n % 2 == 0:
        return np.where((x[0] < 0) & (x[1] > 0), 0.0, np.minimum(low, high)), np.maximum(low, high)
    return _known(low, high)
