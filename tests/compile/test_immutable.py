"""Runs of a compiled model share its System, which nothing changes: what they change is in their own memory."""
import math
import threading

import numpy as np
import pytest

import pliant as pl
from pliant.compile.system import System
from pliant.methods.integrators.base import INTEGRATORS, Plan
from pliant.methods.integrators.time_loop.refined_rows import refined
from pliant.methods.output_rows import Wanted
from pliant.simulation import _fixed
from pliant.start.assembly import start_row

SKIPPED = ("_programs", "failures", "keep")  # made on demand; of each thread; callbacks


def swung(t):
    return 0.5 * math.sin(3 * t) + 0.1 * t * t


def pushed(t):
    return 2.0 * math.cos(5 * t)


def stretched(t, x, v):
    return 40 * x + 3 * v + math.sin(t)


def arm() -> pl.Model:
    """Python functions move the first link, push at the end of the second, and are a spring to it."""
    m = pl.Model("arm", gravity=(0, -9.81, 0))
    a = m.add(pl.RigidBody.rod("a", start=(0, 0, 0), end=(0.5, 0, 0), mass=1.0))
    b = m.add(pl.RigidBody.rod("b", start=(0.5, 0, 0), end=(0.9, 0.2, 0.1), mass=0.6))
    m.add(pl.Revolute("A", m.ground, a["start"]))
    m.add(pl.Spherical("B", a["end"], b["start"]))
    m.add(pl.Drive("A", "angle", swung, name="motor"))
    m.add(pl.Force("push", b["end"], (0, pushed, 0)))
    m.add(pl.SpringDamper("spring", m.ground.frame((1, 1, 0)), b["end"], stiffness=stretched))
    return m


def arrays(value, path="system"):
    """All numbers in an object, by their place: of arrays, lists, tuples, dictionaries, and objects of this package."""
    if isinstance(value, np.ndarray):
        return {path: (value.shape, value.dtype.str, value.tobytes())}
    if isinstance(value, (int, float, str)):
        return {path: value}
    if isinstance(value, dict):
        parts = {repr(k): v for k, v in value.items()}
    elif isinstance(value, (list, tuple)):
        parts = {str(k): v for k, v in enumerate(value)}
    elif type(value).__module__.startswith("pliant.compile"):
        parts = {k: v for k, v in vars(value).items() if k not in SKIPPED}
    else:
        return {}
    return {k: v for name, part in parts.items() for k, v in arrays(part, f"{path}.{name}").items()}


@pytest.fixture
def unchanged(monkeypatch):
    """At the end every System that was made during a test is as it was when it was made."""
    made, build = [], System.__init__

    def noted(self, b):
        build(self, b)
        made.append((self, arrays(self)))
    monkeypatch.setattr(System, "__init__", noted)
    yield made
    assert made
    for system, before in made:
        after = arrays(system)
        assert {"system.data.4", "system.lu.9", "system.softness"} <= before.keys() == after.keys()
        assert [k for k in before if before[k] != after[k]] == []


def kinds():
    for kind, method in INTEGRATORS.items():
        if method.__module__.startswith("pliant."):
            yield from ((kind, "step", None) for _ in range(method.fixed))
            yield from ((kind, "accuracy", None) for _ in range(method.controlled))
            if "recursion" in method.formulations:
                yield kind, "step" if method.fixed else "accuracy", "joint"


@pytest.mark.parametrize(("kind", "how", "coordinates"), list(kinds()))
def test_runs(kind, how, coordinates, unchanged):
    if kind == "ida":
        pytest.importorskip("sksundae")
    sol = arm().simulate(0.02, integrator=kind, coordinates=coordinates, **{how: 2e-3 if how == "step" else 1e-4})
    assert sol.complete and np.isfinite(sol["motor.effort"]).all()


def test_analyses(unchanged):
    m = arm()
    assert m.check() and m.static() and m.modes() and m.modes(state="static")
    assert m.linearize(["push.y"], ["b.position.y"])
    m.joint_space().accelerations()
    sol = m.simulate(0.05, step=2e-3, estimate=True, start="static")
    sol.resume(0.05)
    assert m.modes(state=(sol, 0.03))


def rows_of(run):
    """All rows of a run, as they are kept."""
    for new in run:
        refined(run, new)
        yield from new


@pytest.mark.parametrize("method", [pl.GeneralizedAlpha(), pl.RungeKutta4()], ids=lambda m: m.kind)
def test_runs_side_by_side(method, one_slice):
    """Runs of one compiled model with different steps, a row of one after a row of the other, give what each gives
    alone."""
    def made(dynamics, h):
        form = pl.Index3() if method.kind == "generalized-alpha" else pl.Index1()
        return rows_of(method.run(_fixed(dynamics, form, 0.2, h, Wanted(0.02))._replace(row=start_row(dynamics))))
    both, alone = arm().compile(), [np.array(list(made(arm().compile(), h))) for h in (2e-2, 1e-3)]
    together = np.array(list(zip(made(both, 2e-2), made(both, 1e-3), strict=True)))
    for k in (0, 1):
        assert np.array_equal(together[:, k], alone[k])


class Faults:
    """Two functions of a force. In thread "one" the first fails, and the second, called right after it, waits until
    the run in thread "two" has ended by a failure of its own."""

    def __init__(self):
        self.failed, self.ended = threading.Event(), threading.Event()

    def first(self, t):
        name = threading.current_thread().name
        if name in ("one", "two") and t > 0.05 and not (name == "one" and self.failed.is_set()):
            raise RuntimeError(f"fault {name}")
        return 0.0

    def second(self, t):
        if threading.current_thread().name == "one" and t > 0.05:
            self.failed.set()
            assert self.ended.wait(60)
        return 0.0

    def model(self):
        m = pl.Model("body", gravity=(0, 0, -9.81))
        m.add(pl.RigidBody.box("b", size=(0.1, 0.2, 0.3), mass=1.0))
        m.add(pl.Force("push", "b", (lambda t: self.first(t), lambda t: self.second(t), 0)))
        return m


@pytest.mark.parametrize("shared", [True, False], ids=["one model", "two models"])
def test_failures_in_threads(shared):
    faults, told = Faults(), {}
    one = faults.model().compile()
    models = {"one": one, "two": one if shared else faults.model().compile()}
    runs = {name: pl.RungeKutta4().run(Plan.fixed(d, pl.Index1(), start_row(d), 1e-2, 20))
            for name, d in models.items()}

    def work(name):
        try:
            assert name == "one" or faults.failed.wait(60)
            for _ in runs[name]:
                pass
        except Exception as error:
            told[name] = error
        finally:
            if name == "two":
                faults.ended.set()
    threads = [threading.Thread(target=work, args=(name,), name=name) for name in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: (error.code, str(error.__cause__)) for name, error in told.items()} == {
        name: ("user-function", f"fault {name}") for name in runs}
    assert not any(d.system.failures for d in models.values())  # here nothing failed


def late(t):
    if t > 1:
        raise ValueError("too late")
    return [0.0, t][1]


def test_a_failure_is_told_once():
    """What a function raised at one row is not the fault of the next one."""
    m = pl.Model("body")
    m.add(pl.RigidBody.box("b", size=(0.1, 0.2, 0.3), mass=1.0))
    m.add(pl.Force("push", "b", (late, 0, 0)))
    d = m.compile()
    row = start_row(d)
    bad = row.copy()
    bad[0] = 2.0
    with pytest.raises(ValueError, match="too late"):
        d.refine(bad[None, :])
    d._refine_by_least_squares(row, np.zeros(3), np.zeros(4), True)
    assert np.isfinite(row).all()
