"""Bounds of expressions over intervals hold at every time in them, and become narrow with them."""
import random

import numpy as np
import pytest

from pliant.functions.enclosures import Enclosure
from pliant.functions.expression import Lookup
from pliant.functions.function import _programs, _Trial
from pliant.functions.parser import parse
from pliant.functions.table import Table
from pliant.functions.time_parts import is_plain, time_parts

ONE = ["sin", "cos", "tan", "atan", "tanh", "exp", "abs", "sqrt", "floor", "sign", "sinh", "cosh", "log", "asin", "acos"]


def random_text(rng, depth):
    if depth == 0:
        return rng.choice(["t", "t", "t - 1.3", "2*t", "0.7", "(t - 2)/0.1", "3"])
    a, b, c, d = (random_text(rng, depth - 1) for _ in range(4))
    return rng.choice([
        f"({a}) + ({b})", f"({a}) - ({b})", f"({a})*({b})", f"({a})/({b})", f"{rng.choice(ONE)}({a})", f"{rng.choice(ONE)}({a})",
        f"min({a}, {b})", f"max({a}, {b})", f"mod({a}, {rng.choice(['0.3', '1.1', '2'])})", f"step({a}, 0, 0.5, 1, 2)",
        f"ramp({a}, -1, 1)", f"if({a} < {b}, {c}, {d})", f"if({a} >= {b} and t > 1, {c}, {d})",
        f"if(not ({a} < {b}) or t < 3, {c}, {d})", f"({a})^{rng.choice(['2', '3', '4', '-1', '0.5', '1.5', '-2'])}", f"atan2({a}, {b})"])


def values(node, times):
    return Enclosure(node).over(times, times)[-1].first


def assert_within(node, begin, end):
    bounds = Enclosure(node).over(begin, end)[-1]
    for s in np.linspace(0, 1, 30):
        f = values(node, np.minimum(begin + s * (end - begin), end))
        close = 1e-9 * (1 + abs(f))
        assert (~np.isfinite(f) | ((f >= bounds.low - close) & (f <= bounds.high + close))).all()


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold(seed):
    rng, r, made = random.Random(seed), np.random.default_rng(seed), 0
    while made < 40:
        try:
            node = parse(random_text(rng, rng.choice([1, 2, 3])))
        except ValueError:
            continue
        if rng.random() < 0.3:
            x = np.sort(r.uniform(-1, 5, rng.randrange(3, 30)))
            node = Lookup(Table(x, r.normal(size=x.size), rng.choice(["linear", "cubic"])), node)
        begin = np.sort(r.uniform(0, 4, 12))
        assert_within(node, begin, begin + r.choice([1e-3, 0.1, 1], 12))
        made += 1


def test_bounds_become_narrow():
    """With the interval, also of functions whose variable occurs more than once."""
    for text in ("t*(1 - t)", "sin(3*t)*exp(-t)", "1/(1e-3 + (t - 0.5)^2)", "t^3 - t^2 + t", "step(t, 0.2, 1, 0.7, 2)*cos(t)"):
        node = parse(text)
        begin = np.linspace(0, 1, 10_001)[:-1]
        b = Enclosure(node).over(begin, begin + 1e-4)[-1]
        change = abs(np.diff(values(node, np.append(begin, 1.0))))
        assert (b.high - b.low <= 1.1 * change + 1e-3 * change.max()).all()


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_tables_over_any_interval(kind):
    r = np.random.default_rng(3)
    for _ in range(30):
        n = r.integers(3, 40)
        table = Table(np.sort(r.uniform(-1, 5, n)), r.normal(size=n), kind)
        begin = r.uniform(-2, 6, 40)
        end = begin + r.choice([0.01, 0.3, 2], 40)
        begin[0], end[0], begin[1] = -np.inf, np.inf, -np.inf
        low, high, falls, rises, _, _ = Enclosure(Lookup(table, parse("t"))).over(begin, end)[-1]
        a, b = np.clip(begin, -3, 8), np.clip(end, -3, 8)
        for s in np.linspace(0, 1, 40):
            f, g = (table.evaluate(a + u * (b - a)) for u in (s, min(1.0, s + 1e-6)))
            slope = (g - f) / (1e-6 * (b - a))
            assert ((f >= low - 1e-12) & (f <= high + 1e-12)).all()
            assert ((slope >= falls - 1e-4 * (1 + abs(falls))) & (slope <= rises + 1e-4 * (1 + abs(rises)))).all() or s == 1


def test_parts_of_time_alone():
    names = ("t", "x", "v")
    assert time_parts(parse("sin(t)*x + exp(t)", names)) == [parse("exp(t)"), parse("sin(t)")]
    assert [is_plain(p) for p in time_parts(parse("3*t^2*x + tanh(t)*v + a.b*(1/t)", names))] == [False, False, True]


@pytest.mark.parametrize(("text", "count"), [
    ("sin(t + a.b)", 1), ("tanh(exp(-t^2) + x)", 1), ("x/3 + 1/(2*x)", 1), ("x^2 + x^3 + x^0.5 + 2^x", 1), ("sin(t)*x + t*v", 0),
    ("exp(t)/3 + x/t", 0), ("step(x, 0, 1, 2, 3)", 1), ("(1 + v^2)^(-2)", 1)])
def test_steep_functions_of_the_motion_keep_their_arguments(text, count):
    names = ("t", "x", "v")
    assert len(_programs(parse(text, names), names, _Trial()).watched) == count
