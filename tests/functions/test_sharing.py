"""Python functions are compiled once for all runs: what is compiled takes memory as long as the process lives."""
import gc
import math
import os

import numpy as np
import pytest

import pliant as pl
from pliant.functions import function
from pliant.functions.sameness import signature_of
from pliant.kernels.jit import DISABLED


def pushed(f):
    """A body of 1 kg on a slide: v(t) is the integral of f."""
    m = pl.Model("pushed")
    m.add(pl.RigidBody("b", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.Prismatic("slide", m.ground.frame(), m["b"].frame(), axis="x"))
    m.add(pl.Force("push", m["b"].frame(), (f, 0, 0)))
    return m


def speed(f):
    return pushed(f).simulate(0.01, step=1e-3, progress=False)["b.velocity.x"][-1]


def resident():
    """Memory of the process [MB]."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


@pytest.mark.skipif(DISABLED or not os.path.exists("/proc/self/statm"), reason="nothing is compiled, or the system does not tell")
def test_runs_leave_nothing_behind():
    """2 MB were lost by every run: 40 here."""
    def run():
        assert speed(lambda t: 2 + 0 * t) == pytest.approx(0.02, rel=1e-9)
    for _ in range(3):
        run()
    gc.collect()
    before = resident()
    for _ in range(20):
        run()
    gc.collect()
    assert resident() - before < 4


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_the_same_function_is_compiled_once():
    def rate(a):
        return lambda t: a + 0 * t
    found = function._shared.cache_info().misses
    assert [speed(rate(a)) for a in (2.0, 4.0, 2.0, 4.0)] == pytest.approx([0.02, 0.04, 0.02, 0.04], rel=1e-9)
    assert function._shared.cache_info().misses == found + 2


FACTOR = 2.0


def test_values_from_outside_are_those_of_the_run(monkeypatch):
    def f(t):
        return FACTOR + 0 * t
    assert speed(f) == pytest.approx(0.02, rel=1e-9)
    monkeypatch.setitem(globals(), "FACTOR", 6.0)
    assert speed(f) == pytest.approx(0.06, rel=1e-9)


def test_models_that_share_a_function_have_their_own_faults():
    def f(t):
        if t > 0.005:
            raise ValueError("too late")
        return 2 * t
    first, second = pushed(f), pushed(f)
    for model in (first, second):
        with pytest.raises(pl.SimulationError, match=r"(?s)too late.*push"):
            model.simulate(0.01, step=1e-3, progress=False)
        assert model.simulate(0.004, step=1e-3, progress=False).complete  # nothing is left for the next run


def test_what_is_the_same_to_a_compiler():
    def make(a, b=1.0):
        return lambda t, c=b: a * t + c
    same = signature_of(make(1.0))
    assert same == signature_of(make(1.0)) and same is not None
    assert all(same != signature_of(make(*other)) for other in ((1,), (True,), (2.0,), (-1.0,), (1.0, 2.0), ((1.0,),)))
    assert signature_of(make(0.0)) != signature_of(make(-0.0)) and signature_of(make(math.nan)) == signature_of(make(math.nan))
    for changing in (np.ones(3), [1.0], {}, object()):
        assert signature_of(make(changing)) is None
    assert signature_of(lambda t: math.sin(t) + np.cos(t)) is not None


def test_very_many_versions_of_one_function_are_interpreted(monkeypatch):
    monkeypatch.setattr(function, "MOST_VERSIONS", 2)
    rates = [speed(lambda t, a=a: a + 0 * t) for a in (1.0, 2.0, 3.0, 4.0)]
    assert rates == pytest.approx([0.01, 0.02, 0.03, 0.04], rel=1e-9)
