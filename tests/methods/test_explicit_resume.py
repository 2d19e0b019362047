"""Interrupted runs of explicit methods go on bit for bit; and what such runs meet on the way: bodies without inertia, without joints,
spinning fast."""
import numpy as np
import pytest
import spatial
from interrupted import Stop, equal, short_intervals, stopping, without_pivots  # noqa: F401
from interrupted import spatial as chain

import pliant as pl
from pliant.methods.comparison import difference

METHODS = [pl.RungeKutta4(), pl.DormandPrince54(), pl.DOP853(), pl.AdamsBashforthMoulton(), pl.CentralDifferences()]
FORMS = [pl.Index1(), pl.AugmentedLagrangian(), pl.CoordinatePartitioning(), pl.NullSpace()]
PAIRS = [(m, FORMS[0]) for m in METHODS] + [(METHODS[2], f) for f in FORMS[1:]]


STEPS = {"fixed": {"step": 1e-3}, "accuracy": {"accuracy": 1e-11}}
CASES = [pytest.param(m, f, options, id=f"{kind}-{m.kind}-{f.kind}") for kind, options in STEPS.items() for m, f in PAIRS
         if kind == "fixed" or m.controlled]


@pytest.mark.parametrize(("method", "form", "options"), CASES)
def test_an_interrupted_run_goes_on_bit_for_bit(method, form, options, tmp_path, one_slice):
    out, m = tmp_path / "run.h5", spatial.four_bar()
    given = {"integrator": method, "formulation": form, "output_step": 2e-3, **options}
    whole = m.simulate(0.4, **given)
    with pytest.raises(Stop):
        m.simulate(0.4, progress=stopping(0.58), out=out, **given)
    sol = pl.load(out)
    assert not sol.complete
    assert equal(sol.resume(), whole)


@pytest.mark.parametrize("method", [pl.RungeKutta4(), pl.CentralDifferences()], ids=lambda x: x.kind)
def test_without_error_control_a_step_is_found(method, tmp_path):
    """Halved until two runs agree; the last one is the one that is kept, and goes on with its step."""
    exact = spatial.four_bar().simulate(0.4, integrator=pl.DOP853(), accuracy=1e-11, output_step=1e-2)
    sol = spatial.four_bar().simulate(0.4, integrator=method, accuracy=1e-4, output_step=1e-2, out=tmp_path / "run.h5")
    assert difference(sol, exact) <= 1.1 * sol.quality.estimate <= 1.1e-4
    assert len(pl.load(tmp_path / "run.h5").t) == 41 and sol.accuracy is None
    longer = pl.load(tmp_path / "run.h5").resume(0.1)
    np.testing.assert_array_equal(longer.rows[:41], sol.rows)
    with pytest.raises(pl.ModelError, match="would take a step below"):
        spatial.four_bar().simulate(0.1, integrator=pl.Newmark(), accuracy=1e-8, output_step=0.1)


@pytest.mark.parametrize("method", METHODS, ids=lambda x: x.kind)
def test_a_body_without_rotational_inertia(method):
    """A point mass on an arm, against the method that has no such trouble."""
    options = {"accuracy": 1e-5} if method.controlled else {"step": 1e-3}
    sol = without_pivots().simulate(0.1, integrator=method, output_step=0.05, **options)
    exact = without_pivots().simulate(0.1, accuracy=1e-6, output_step=0.05)
    np.testing.assert_allclose(sol["bob.position"], exact["bob.position"], atol=1e-5)


@pytest.mark.parametrize("method", METHODS, ids=lambda x: x.kind)
def test_turns_of_a_fast_shaft_are_counted(method):
    m = pl.Model("shaft")
    shaft = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("A", m.ground, shaft, axis=(0.3, -0.5, 0.8), angle_rate=1e3))
    options = {"accuracy": 1e-6} if method.controlled else {"step": 1e-5}
    sol = m.simulate(0.2, integrator=method, output_step=0.02, **options)
    np.testing.assert_allclose(sol["A.angle"], 1e3 * sol.t, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=lambda x: x.kind)
def test_free_bodies_without_joints(method):
    """Angular momentum in space, and energy, of a tumbling body."""
    m = pl.Model("free")
    m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.25), angular_velocity=(3, 0.1, 2), velocity=(1, 2, 3)))
    options = {"accuracy": 1e-9} if method.controlled else {"step": 1e-4}
    sol = m.simulate(1.0, integrator=method, output_step=0.1, **options)
    assert sol.energy.drift < 1e-6 * sol.energy.kinetic[0]
    np.testing.assert_allclose(sol["b.position"], np.outer(sol.t, (1, 2, 3)), atol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=lambda x: x.kind)
@pytest.mark.parametrize(("force", "code"), [(lambda t: 1 / 0 if t > 0.05 else 1.0, "user-function"),
                                             (lambda t: np.nan if t > 0.05 else 1.0, "not-finite")], ids=["raises", "nan"])
def test_functions_that_break_keep_the_rows(method, force, code):
    m = chain()
    m.add(pl.Force("g", "b", (force, 0, 0)))
    options = {"accuracy": 1e-5} if method.controlled else {"step": 1e-3}
    with pytest.raises(pl.SimulationError) as stopped:
        m.simulate(0.1, integrator=method, output_step=1e-3, **options)
    assert stopped.value.code == code and 0.04 < stopped.value.solution.t[-1] <= 0.051


def test_turns_are_counted_on_by_ida():
    """What it goes on from is a checkpoint, not the start of the run."""
    pytest.importorskip("sksundae")
    m = pl.Model("shaft")
    shaft = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("A", m.ground, shaft, axis=(0.3, -0.5, 0.8), angle_rate=30.0))
    sol = m.simulate(0.5, integrator=pl.IDA(), accuracy=1e-6, output_step=1e-3).resume(0.5)
    np.testing.assert_allclose(sol["A.angle"], 30 * sol.t, atol=1e-4)
