"""Ranges of expressions: no value is ever outside, and what is never or always true is so at all points."""
import numpy as np
import pytest

from pliant.diagnosis.conditions import ANY, Conditions, Range
from pliant.functions.evaluation import values
from pliant.functions.parser import parse, parse_condition

KNOWN = {"a.x": Range(-2.0, 3.0), "b.x": Range(0.5, 4.0)}
CONDITIONS = Conditions(lambda reference: KNOWN.get(reference, ANY), Range(0.0, 10.0))


def sampled(node):
    rng = np.random.default_rng(1)
    t = np.concatenate([[0.0, 10.0], rng.uniform(0, 10, 4000)])
    a, b = (np.concatenate([[r.low, r.high], rng.uniform(*r, 4000)]) for r in KNOWN.values())
    signals = {"a.x": a, "b.x": b, "c.x": rng.normal(0, 30, 4002)}
    return values(node, t, signals.__getitem__)


@pytest.mark.parametrize("text", [
    "a.x + b.x", "a.x - b.x", "a.x - a.x", "a.x*b.x", "a.x*a.x", "a.x^2", "a.x^3", "b.x^0.5", "a.x/b.x", "b.x/a.x", "-a.x", "abs(a.x)",
    "abs(a.x - 2)", "sin(c.x)", "cos(a.x) + 2*tanh(c.x)", "sqrt(b.x)", "exp(a.x)", "min(a.x, b.x)", "max(a.x, c.x)", "mod(c.x, 3)",
    "if(a.x > 1, b.x, -b.x)", "if(b.x > 0, 1, 2)", "step(t, 1, 0, 2, 5)", "atan2(a.x, b.x)", "2*t - 5", "t*a.x", "sign(c.x)*b.x",
    "(a.x + 1)^4 - b.x", "acos(a.x/4)"])
def test_no_value_is_outside(text):
    node = parse(text)
    found, low_high = sampled(node), CONDITIONS.span(node, {})
    assert (found >= low_high.low - 1e-12).all() and (found <= low_high.high + 1e-12).all(), low_high


TRUTHS = {
    "a.x > 3.5": (0, 0), "a.x < 3.5": (1, 1), "a.x > 0": (0, 1), "a.x > 1 and a.x < 0": (0, 0), "c.x > 1 and c.x < 0": (0, 0),
    "c.x > 1 and c.x < 2": (0, 1), "c.x > 1 or c.x < 2": (0, 1), "not (a.x > 4)": (1, 1), "t > 20": (0, 0), "t >= 0": (1, 1),
    "t > 5": (0, 1), "sin(c.x) > 2": (0, 0), "abs(c.x) < 0": (0, 0), "abs(c.x) >= 0": (1, 1), "c.x == 2 and c.x > 3": (0, 0),
    "a.x == 5": (0, 0), "a.x != 5": (1, 1), "2*a.x + b.x > 10.5": (0, 0), "c.x - c.x > 0": (0, 0),
    "a.x > 2 and b.x < 1 and a.x < 1.5": (0, 0), "c.x^2 < 0": (0, 0), "c.x < c.x": (0, 0),
}


@pytest.mark.parametrize("text", TRUTHS)
def test_what_is_never_and_always_true_is_so(text):
    node = parse_condition(text)
    assert CONDITIONS.span(node, {}) == TRUTHS[text]
    true = sampled(node) > 0.5
    assert not (TRUTHS[text] == (0, 0) and true.any()) and not (TRUTHS[text] == (1, 1) and not true.all())


def test_what_is_assumed_narrows_what_follows():
    known = CONDITIONS.assume(parse_condition("c.x > 2 and a.x + c.x < 4"), {})
    assert CONDITIONS.span(parse("c.x"), known) == (2, np.inf)
    assert CONDITIONS.span(parse_condition("c.x > 1"), known).always and CONDITIONS.span(parse_condition("c.x > 2"), known).always
    assert CONDITIONS.span(parse_condition("a.x + c.x > 5"), known).never and CONDITIONS.span(parse_condition("c.x > 3"), known) == (0, 1)
    assert CONDITIONS.assume(parse_condition("c.x > 2 and c.x < 2"), {}) is None
