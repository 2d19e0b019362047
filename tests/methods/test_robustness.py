"""Awkward models: stiff springs, rest, contradictions, many turns, functions that misbehave, extreme sizes. Each found a fault once."""
import math

import numpy as np
import pytest

import pliant as pl
from pliant.start.assembly import start_row


@pytest.mark.parametrize(("stiffness", "step", "mass", "speed"), [(1e8, 1e-2, 1.0, 3), (1e9, 1e-2, 1.0, 3), (1e9, 2e-3, 0.1, 5),
                                                                 (1e12, 1e-3, 1.0, 1)])
def test_a_stiff_spring_does_not_lead_newton_astray(stiffness, step, mass, speed):
    """A spring so stiff that it is a rod: energy of a pendulum. Kept factors once led to another root and 1e6 J."""
    m = pl.Model("stiff", gravity=(0, 0, -9.81))
    bob = m.add(pl.RigidBody.box("bob", size=(0.1, 0.1, 0.1), mass=mass, position=(0, 0, -1), velocity=(speed, 0, 0)))
    m.add(pl.SpringDamper("rod", m.ground, bob, stiffness=stiffness))
    modified, full = (m.simulate(1.0, step=step, integrator=pl.GeneralizedAlpha(newton=n)) for n in ("modified", "full"))
    assert modified.energy.drift < 0.02
    np.testing.assert_allclose(modified["bob.position"], full["bob.position"], atol=1e-4)


def test_accuracy_of_a_model_at_rest_is_found_at_once():
    m = pl.Model("rest", gravity=(0, 0, -9.81))
    body = m.add(pl.RigidBody("body", 2.0, (0.1, 0.2, 0.25), com=(0.1, 0.2, 0.3)))
    m.add(pl.Fixed("weld", m.ground, body))
    assert m.simulate(0.05, accuracy="draft").quality.steps <= 800


@pytest.mark.parametrize(("function", "error"), [("t", pl.ModelError), ("t^2", pl.SimulationError)])
def test_contradictions_are_told_and_not_run(function, error):
    """A welded body whose hinge is driven: refused at the start, or stopped where the joints come apart."""
    m = pl.Model("stuck")
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("hinge", m.ground, rod["start"]))
    m.add(pl.Fixed("weld", m.ground.frame((1, 0, 0)), rod["end"]))
    m.add(pl.Drive("hinge", "angle", function))
    with pytest.raises(error, match="joint 'hinge'"):
        m.simulate(0.1, step=1e-3)


def test_zero_may_be_more_than_a_turn():
    m = pl.Model("zero")
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("hinge", m.ground, rod["start"], zero=10.0))
    m.add(pl.TorsionSpring("spring", "hinge", 2.0))
    sol = m.simulate(0.01, step=1e-3)
    assert sol["hinge.angle"][0] == pytest.approx(10.0)
    assert sol["spring.torque"][0] == pytest.approx(20.0)


def test_a_fast_python_drive_starts_right():
    """Its derivatives at the start are differences over the step of the run: work over whole periods is zero."""
    w = 2 * np.pi * 250
    m = pl.Model("fast")
    box = m.add(pl.RigidBody.box("box", size=(0.1, 0.1, 0.1), mass=1.0))
    m.add(pl.Prismatic("slide", m.ground, box, axis="x"))
    m.add(pl.Drive("slide", "displacement", lambda t: 1e-3 * math.sin(w * t)))
    sol = m.simulate(0.004, step=1e-5)
    assert sol.energy.drift < 1e-3 * 0.5 * (1e-3 * w) ** 2


TABLE, BUFFER = np.linspace(1, 2, 200), np.zeros(1)


def looks_up(t):
    return TABLE[int(t * 100)]


def fails(t):
    raise KeyError("boom")


def rod_with(item):
    m = pl.Model("rod")
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, rod["start"]))
    m.add(item)
    return m


def test_an_index_past_the_end_of_an_array_is_an_error():
    with pytest.raises(pl.SimulationError, match=r"stopped at t = 1.99 s: IndexError: index 200 .* in force 'f': vector") as error:
        rod_with(pl.Force("f", "rod", (looks_up, 0, 0))).simulate(3.0, step=1e-2)
    assert error.value.code == "user-function"
    assert isinstance(error.value.__cause__, IndexError)
    assert error.value.solution.t[-1] == pytest.approx(1.99)


@pytest.mark.parametrize(("item", "error", "message"), [
    (pl.Force("f", "rod", ("1/t", 0, 0)), pl.ModelError, "'f': its force or function is not a finite number at t = 0"),
    (pl.Force("f", "rod", ("sqrt(t-1)", 0, 0)), pl.ModelError, "'f': its force"),
    (pl.Force("f", "rod", (fails, 0, 0)), KeyError, "boom"),
    (pl.Drive("A", "angle", "sqrt(t)", name="d"), pl.ModelError, "'d': its function or one of its first two"),
    (pl.Drive("A", "angle", "t^1.5", name="d"), pl.ModelError, "'d': its function"),
    (pl.Drive("A", "angle", fails), KeyError, "boom"),
])
def test_functions_that_fail_at_the_start_are_named(item, error, message):
    with pytest.raises(error, match=message):
        rod_with(item).simulate(0.1, step=1e-3)


def test_a_function_that_fails_later_is_named_and_the_rows_are_kept():
    with pytest.raises(pl.SimulationError, match="'f' gave a number that is not finite") as error:
        rod_with(pl.Torque("f", "rod", (0, 0, "sqrt(0.5-t)"))).simulate(1.0, step=1e-3)
    assert error.value.solution.t[-1] == pytest.approx(0.5, abs=0.01)
    assert not error.value.solution.complete


@pytest.mark.parametrize("mass", [1e-15, 1e-9, 1.0, 1e9])
def test_masses_of_any_size(mass):
    """A force at the first pin of a double pendulum let go from the horizontal: 2/7 of one weight."""
    m = pl.Model("double", gravity=(0, 0, -9.81))
    first, second = (m.add(pl.RigidBody.rod(n, start=(x, 0, 0), end=(x + 1e-5, 0, 0), mass=mass)) for n, x in (("a", 0.0), ("b", 1e-5)))
    m.add(pl.Revolute("A", m.ground, first["start"], axis="y"))
    m.add(pl.Revolute("B", first["end"], second["start"], axis="y"))
    sol = m.simulate(1e-3, step=1e-5)
    assert sol["A.force.z"][0] / (mass * 9.81) == pytest.approx(2 / 7, rel=1e-9)


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_far_from_the_origin(far):
    m = pl.Model("far", gravity=(0, 0, -9.81))
    rod = m.add(pl.RigidBody.rod("rod", start=(far, 0, 0), end=(far + 1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground.frame((far, 0, 0)), rod["start"], axis="y"))
    assert m.simulate(0.5, step=1e-3).energy.drift < 1e-3


def test_a_point_mass_that_can_turn_is_named():
    m = pl.Model("point")
    m.add(pl.RigidBody.point_mass("bob", 1.0))
    with pytest.raises(pl.SimulationError, match="'bob': without rotational inertia"):
        m.simulate(0.1, step=1e-3)


def test_resume_ends_where_it_is_asked_to():
    m = rod_with(pl.Torque("f", "rod", (0, 0, 1.0)))
    sol = m.simulate(2.5, step=1e-3).resume("1 s")
    assert sol.t[-1] == pytest.approx(3.5, abs=1e-9)


def test_a_run_keeps_its_own_model():
    m = rod_with(pl.Torque("f", "rod", (0, 0, 1.0)))
    sol = m.simulate(0.1, step=1e-3)
    m["rod"].frames["late"] = {"point": (1, 2, 3)}
    m["rod"].mass = 7.0
    assert sol.model["rod"].mass == 1.0
    assert "late" not in sol.model["rod"].frames
    with pytest.raises(ValueError, match="gravity"):
        m.gravity = (0, "x", 1)


def test_least_squares_of_large_models():
    """Regular equations by factors, singular ones with the smallest solution; a chain of light links, which the tile solver leaves."""
    from scipy.sparse import csr_array

    from pliant.compile.sparse_solver import sparse_least_squares
    rng = np.random.default_rng(5)
    scale = 10.0 ** rng.uniform(-6, 6, 40)
    A = scale[:, None] * (rng.normal(size=(40, 40)) * (rng.random((40, 40)) < 0.3) + 5 * np.eye(40))
    x = rng.normal(size=40)
    np.testing.assert_allclose(sparse_least_squares(csr_array(A), A @ x), x, rtol=1e-9)
    B = np.diag(np.arange(40.0))  # one row and column of zeros
    B[0, 0] = 0
    np.testing.assert_allclose(sparse_least_squares(csr_array(B), B @ x), [0, *x[1:]], atol=1e-9)
    m, before = pl.Model("chain", gravity=(0, 0, -9.81)), None
    for k in range(400):
        link = m.add(pl.RigidBody.rod(f"r{k}", start=(0.1 * k, 0, 0), end=(0.1 * k + 0.1, 0, 0), mass=0.1, radius=0.01))
        m.add(pl.Revolute(f"j{k}", before["end"] if before else m.ground, link["start"], axis=(0, 1, 0.1)))
        before = link
    d = m.compile()
    energies, report = d.refine(start_row(d)[None, :])
    assert report.max() < 1e-9 and np.isfinite(energies).all()


@pytest.mark.parametrize(("mass", "driven"), [(0.0, False), (1e-9, False), (0.0, True)])
def test_a_body_without_inertia_moves_what_it_is_coupled_to(mass, driven):
    """A slider, and a shoe twice as fast that a spring holds, x'' = -4 k/m x, or a drive moves. The sparse solver kept the error of its
    regularisation, 1 % at any accuracy; and that took 1/J of a small wheel for 1/m of the shoe, so that 2e-4 of the energy was lost."""
    m = pl.Model("shoe")
    m.add(pl.RigidBody("slider", 0.3, (1, 1, 1)))
    m.add(pl.RigidBody("wheel", 0.3, (5e-9, 5e-9, 5e-9), position=(0, 1, 0)))
    m.add(pl.RigidBody.point_mass("shoe", mass, position=(1, 0, 0)))
    m.add(pl.Prismatic("S", m.ground, "slider", axis="x", displacement=0.01))
    m.add(pl.Prismatic("P", m.ground, "shoe", axis="x"))
    m.add(pl.Revolute("R", m.ground, "wheel", at=(0, 1, 0), axis="z"))
    m.add(pl.Coupling("C", "P.displacement", "2*S.displacement"))
    m.add(pl.Drive("P", "displacement", "0.02*cos(20*t)") if driven else pl.AxialSpring("spring", "P", 30.0))
    sol = m.simulate(1.0, accuracy=1e-10, coordinates="absolute", integrator=pl.DOP853())
    assert sol.quality.fallbacks == sol.quality.steps
    np.testing.assert_allclose(sol["S.displacement"], 0.01 * np.cos(np.sqrt(120 / (0.3 + 4 * mass)) * sol.t), atol=1e-11)
    assert np.ptp(sol.energy.balance) < 1e-9 * sol.energy.kinetic.max()
