"""Error control: what accuracy means, dense output, smooth reactions, estimates, awkward sizes and speeds."""
import mechanisms
import numpy as np
import pytest
from closed_forms import EllipticPendulum, FreeBody, N, Pendulum, U, solved
from pinned import pin

import pliant as pl
from pliant import simulation
from pliant.kernels.records import new_record
from pliant.kernels.state_row import parts
from pliant.methods.integrators.implicit.alpha_memory import MEMORY, constants
from pliant.methods.integrators.time_loop import run as runs
from pliant.methods.output_rows import Wanted
from pliant.start.assembly import start_row


@pytest.fixture(autouse=True)
def method(monkeypatch):
    pin(monkeypatch, pl.GeneralizedAlpha(0.8))


@pytest.mark.parametrize(("problem", "accuracies"), [
    (Pendulum(), (1e-3, 1e-4, 1e-5, 1e-6)), (FreeBody(), (1e-4, 1e-5, 1e-6, 1e-7)),
    (EllipticPendulum(), (1e-3, 1e-4, 1e-5, 1e-6))], ids=["pendulum", "free body", "elliptic"])
def test_errors_fall_with_the_accuracy(problem, accuracies):
    """At rows that have nothing to do with the steps, in proportion to the accuracy, and below it times the duration."""
    m = problem.model()
    found = [problem.error(m.simulate(2.0, accuracy=a, output_step=2 / 173)) for a in accuracies]
    assert (np.diff(found) < 0).all()
    assert 0.8 < np.polyfit(np.log(accuracies), np.log(found), 1)[0] < 1.1
    assert (np.array(found) < 2 * np.array(accuracies)).all()


def test_reactions_are_as_accurate_as_the_motion():
    problem = Pendulum()
    for accuracy in (1e-3, 1e-5):
        sol = problem.model().simulate(2.0, accuracy=accuracy, output_step=2 / 1000)
        exact = problem.exact(sol.t)[3]
        assert abs(sol["A.force"] - exact).max() < 4 * accuracy * abs(exact).max()


def raw_multipliers(accuracy):
    """Multipliers of the method itself, which no projection has made smooth, at 2000 times, and those of the joint's force."""
    sol = Pendulum().model().simulate(2.0, accuracy=accuracy, output_step=1e-3)
    d = Pendulum().model().compile()
    plan = simulation._controlled(d, pl.Index3(), 2.0, accuracy, Wanted(1e-3))
    run = pl.GeneralizedAlpha(0.8).run(plan._replace(row=start_row(d)))
    rows = np.vstack(list(run))
    lam = parts(rows, d.system.q0.size, d.system.n)["lam"][:, d.system.n_v:]
    exact = parts(sol.rows[1:], d.system.q0.size, d.system.n)["lam"][:, d.system.n_v:]
    return abs(lam - exact).max() / abs(exact).max(), run.c.rejected


def test_changes_of_step_leave_multipliers_smooth():
    """Rows hold the multipliers of the step they are in, so up to a step away from the exact ones: the error falls with h, not more.
    Scaling of what velocities carry across the constraints left out, they alternate by 0.5 of their size."""
    for accuracy in (1e-4, 1e-5, 1e-6):
        error, rejected = raw_multipliers(accuracy)
        assert error < 5 * np.sqrt(accuracy)
        assert rejected <= 2


def test_dense_output_does_not_depend_on_where_rows_are():
    """Other rows: the same steps, and the same values at common times."""
    m = EllipticPendulum().model()
    one, two, three = (m.simulate(2.0, accuracy=1e-4, output_step=h) for h in (0.02, 0.002, 2.0))
    assert one.quality.steps == two.quality.steps == three.quality.steps
    np.testing.assert_allclose(two.rows[::10], one.rows, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(three.rows[-1], one.rows[-1], rtol=1e-9, atol=1e-12)
    assert one.quality.velocity_violation < 1e-13 and one.quality.acceleration_violation < 1e-12
    place = two["s.position"]
    assert abs(place @ N).max() < 1e-14 and abs(two["b.start.position"] - place).max() < 1e-13


def test_turns_are_counted_between_rows_and_in_long_steps():
    """1600 turns of a shaft off all axes, with ten rows: a step may not turn it by more than half a turn."""
    m = pl.Model("shaft")
    shaft = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("A", m.ground, shaft, axis=tuple(N), angle_rate=1e4))
    for rows in (10, 999):
        sol = m.simulate(1.0, output_step=1 / rows)
        np.testing.assert_allclose(sol["A.angle"], 1e4 * sol.t, atol=1e-7)
    m = pl.Model("run up")
    shaft = m.add(pl.RigidBody("b", 2.0, (0.1, 0.1, 0.1)))
    m.add(pl.Revolute("A", m.ground, shaft, axis=tuple(N)))
    m.add(pl.Drive("A", "angle", "500*t^2"))
    sol = m.simulate(2.0, output_step=0.25)
    np.testing.assert_allclose(sol["A.angle"], 500 * sol.t**2, atol=1e-9)


def test_energy_is_balanced_between_steps():
    """Damping, a drive and a force: kinetic and potential energy, what is dissipated and the work, at rows between steps."""
    m = EllipticPendulum().model()
    m.add(pl.TorsionSpring("k", "A", stiffness=5.0, damping=0.6))
    m.add(pl.SpringDamper("d", m.ground.frame((-1, 0, 0.5)), m["s"], stiffness=40.0, damping=3.0))
    m.add(pl.Force("f", m["s"], ("3*sin(9*t)", "2*cos(4*t)", 1.0)))
    drifts = []
    for accuracy in (1e-4, 1e-6):
        sol = m.simulate(3.0, accuracy=accuracy, output_step=3 / 613)
        drifts.append(sol.energy.drift / sol.energy.kinetic.max())
        assert sol.energy.dissipated[-1] > 0.3 * sol.energy.kinetic.max()
    assert drifts[0] < 1e-3 and drifts[1] < drifts[0] / 50


# -- estimates
@pytest.mark.parametrize("options", [{"accuracy": 1e-3}, {"accuracy": 1e-5}, {"step": 2e-3}])
def test_the_estimate_is_near_the_error(options):
    problem = EllipticPendulum()
    sol = problem.model().simulate(2.0, output_step=0.01, estimate=True, **options)
    _, th, _, dth = problem.exact(sol.t)
    scale = np.maximum(1.0, sol.t)
    true = max((abs(sol["A.angle"] - th) / scale).max(), (abs(sol["A.angle_rate"] - dth) / scale).max() / abs(dth).max())
    assert true / 3 < sol.quality.estimate < 3 * true
    assert problem.model().simulate(0.1, step=1e-2).quality.estimate is None


def test_the_estimate_of_steps_that_are_as_long_as_they_may_be():
    """400 steps whatever the accuracy: the other run makes 800."""
    problem = FreeBody()
    sol = problem.model().simulate(1.0, accuracy=0.05, output_step=0.01, estimate=True)
    assert sol.quality.steps < 420
    assert problem.error(sol) / 3 < sol.quality.estimate < 3 * problem.error(sol)


def test_an_estimate_in_text(tmp_path):
    text = ("pliant: 1\nbodies:\n  b: {kind: rigid, mass: 1 kg, inertia: [1, 2, 3], angular_velocity: [1, 2, 3]}\n"
            "simulate: {duration: 1 s, accuracy: draft, estimate: %s}\n")
    (tmp_path / "m.yaml").write_text(text % "true")
    sol = pl.read(tmp_path / "m.yaml").simulate()
    assert 0 < sol.quality.estimate < 1e-3


# -- sizes and speeds
@pytest.mark.parametrize(("size", "mass", "duration"), [(1e-3, 1e-6, 0.05), (1.0, 1.0, 1.0), (1e3, 1e6, 50.0)])
def test_sizes(size, mass, duration):
    """A spatial double pendulum of millimetres and grams, of metres, of kilometres: energy."""
    m = pl.Model("double pendulum", gravity=(0, 0, -9.81))
    a = m.add(pl.RigidBody.rod("a", start=(0, 0, 0), end=(size, 0, 0), mass=mass))
    b = m.add(pl.RigidBody.rod("b", start=(size, 0, 0), end=(size, size, 0), mass=mass))
    m.add(pl.Revolute("A", m.ground, a["start"], axis="y"))
    m.add(pl.Revolute("B", a["end"], b["start"], axis="x"))
    sol = m.simulate(duration)
    assert sol.energy.drift < 1e-4 * sol.energy.kinetic.max()
    assert sol.quality.steps < 6000


def test_little_happens_in_few_steps():
    rest = pl.Model("rest", gravity=(0, 0, -9.81))
    rest.add(pl.Fixed("weld", rest.ground, rest.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.25), com=(0.1, 0.2, 0.3)))))
    fall = pl.Model("fall", gravity=tuple(-9.81 * N))
    fall.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.25), velocity=(1, 2, 3)))
    hung = pl.Model("hung", gravity=(0, 0, -9.81))
    body = hung.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.25), position=(0, 0, -1)))
    hung.add(pl.SpringDamper("s", hung.ground, body, stiffness=196.2, length=0.9))
    for m in (rest, fall, hung, mechanisms.pendulum(0.0)):
        sol = m.simulate(10.0, accuracy="fine")
        assert sol.quality.steps < 450 and sol.quality.rejected == 0
    sol = fall.simulate(10.0)
    np.testing.assert_allclose(sol["b.position"], np.outer(sol.t, (1, 2, 3)) - 4.905 * np.outer(sol.t**2, N), atol=1e-9)


@pytest.mark.parametrize("duration", [1e-9, 1e-6, 1e-3])
def test_short_runs(duration):
    sol = Pendulum().model().simulate(duration)
    assert sol.quality.steps < 420 and sol.t[-1] == duration
    phi, *_ = Pendulum().exact(sol.t)
    np.testing.assert_allclose(sol["A.angle"], phi, atol=1e-9 * duration + 1e-14)


def test_a_long_run_of_a_slow_pendulum():
    """100 swings of 20 s: the error is below the accuracy times the time."""
    m = pl.Model("slow", gravity=(0, 0, -9.81))
    bob = m.add(pl.RigidBody.sphere("bob", 0.1, mass=1.0, position=(0.0, 0, -100.0)))
    m.add(pl.Revolute("A", m.ground, bob.frame((0, 0, 100.0)), axis=(1, 0, 0), angle_rate=0.01))
    sol = m.simulate(2000.0, accuracy=1e-5)
    phi, _ = solved(lambda _, y: [y[1], -9.81 * 100 / (100.0**2 + 0.4 * 0.01) * np.sin(y[0])], [0.0, 0.01], sol.t)
    assert (abs(sol["A.angle"] - phi) < 1e-5 * np.maximum(1, sol.t)).all()
    assert sol.quality.steps < 60_000


def test_high_spin():
    """1e4 rad/s about an axis that is not quite a principal one: precession of the free symmetric body, closed form."""
    m = pl.Model("spin")
    spin, wobble, A, C = 1e4, 10.0, 0.1, 0.25
    m.add(pl.RigidBody("b", 2.0, (A, A, C), angular_velocity=(wobble, 0, spin)))
    sol = m.simulate(0.002, accuracy="fine", output_step=2e-5)
    turn = (C - A) / A * spin * sol.t
    exact = np.stack([wobble * np.cos(turn), wobble * np.sin(turn), spin + 0 * turn], 1)
    assert abs(sol["b.angular_velocity"] - exact).max() < 1e-7 * spin


@pytest.mark.parametrize("accuracy", [1e-3, 1e-5])
def test_bodies_without_inertia(accuracy):
    """A point mass on an arm needs the sparse solver, also in the estimate and in changes of step: tension of the pendulum."""
    m = pl.Model("point", gravity=tuple(G := np.array([1.0, -9.0, 2.0])))
    bob = m.add(pl.RigidBody.point_mass("bob", 1.0, position=tuple(U)))
    m.add(pl.Revolute("A", m.ground, bob.frame(tuple(-U)), axis=tuple(N)))
    sol = m.simulate(1.0, accuracy=accuracy)
    other = np.cross(N, U)
    phi, rate = solved(lambda _, y: [y[1], G @ (np.cos(y[0]) * other - np.sin(y[0]) * U)], [0, 0], sol.t)
    assert abs(sol["A.angle"] - phi).max() < 2 * accuracy
    e = np.cos(phi)[:, None] * U + np.sin(phi)[:, None] * other
    tension = (sol["A.force"] * e).sum(1)
    np.testing.assert_allclose(tension, -rate**2 - e @ G, atol=50 * accuracy)
    assert sol.quality.fallbacks == sol.quality.steps < 3000


def test_accuracies_beyond_rounding_end():
    """The differences of index 3 are noisy at 1e-8: steps stay where they are, the run goes on."""
    problem = Pendulum()
    sol = problem.model().simulate(0.1, accuracy=1e-8)
    assert problem.error(sol) < 1e-8 and sol.quality.rejected < sol.quality.steps / 5


def test_singular_poses_are_passed():
    """A parallelogram of unequal masses through its flat poses: bars stay parallel."""
    m = pl.Model("parallelogram", gravity=(0, -9.81, 0))
    left = m.add(pl.RigidBody.rod("left", start=(0, 0, 0), end=(0, 1, 0), mass=1.0, velocity_at_end=(1, 0, 0)))
    top = m.add(pl.RigidBody.rod("top", start=(0, 1, 0), end=(1, 1, 0), mass=2.0))
    right = m.add(pl.RigidBody.rod("right", start=(1, 0, 0), end=(1, 1, 0), mass=4.0))
    for name, a, b in (("A", m.ground.frame((0, 0, 0)), left["start"]), ("B", left["end"], top["start"]), ("C", top["end"], right["end"]),
                       ("D", m.ground.frame((1, 0, 0)), right["start"])):
        m.add(pl.Revolute(name, a, b, axis="z"))
    for accuracy in (1e-3, 1e-5):
        sol = m.simulate(5.0, accuracy=accuracy)
        assert abs(sol["A.angle"] - sol["D.angle"]).max() < 1e-10
        assert abs(sol["A.angle"][-1]) > 3 and sol.quality.steps < 12_000
        assert sol.energy.drift < 30 * accuracy * sol.energy.kinetic.max()


def test_screws_and_gears():
    """A nut falls along its screw, off all axes: constant acceleration; with gears see the examples."""
    lead, mass, J = 0.05, 2.0, 0.02
    m = pl.Model("screw", gravity=tuple(-9.81 * N))
    nut = m.add(pl.RigidBody("nut", mass, (J, J, J)))
    m.add(pl.Screw("s", m.ground, nut, axis=tuple(N), lead=lead))
    sol = m.simulate(2.0)
    k = lead / (2 * np.pi)
    np.testing.assert_allclose(sol["s.displacement"], -9.81 * mass * k**2 / (mass * k**2 + J) * sol.t**2 / 2, rtol=1e-8, atol=1e-12)


def test_the_time_of_a_step_does_not_depend_on_the_slices(monkeypatch):
    """Python looks in after every step or hardly ever: the same run."""
    from pliant.methods.integrators.time_loop import run
    found = []
    for slice_ in (1e-9, 10.0):
        monkeypatch.setattr(run, "SLICE", slice_)
        found.append(EllipticPendulum().model().simulate(0.5, accuracy=1e-4))
    assert np.array_equal(found[0].rows, found[1].rows) and found[0].quality == found[1].quality


NAMES = "alpha_m", "alpha_f", "beta", "gamma"


def test_constants_of_the_method():
    """alpha-6 for rho = 1, the trapezoidal rule: 1/6 - 1/4, and no shift."""
    shift, cq, cv = constants.py_func(new_record(MEMORY, **dict(zip(NAMES, pl.GeneralizedAlpha(1.0).parameters, strict=True))))
    assert (shift, cq, cv) == pytest.approx((0, 1 / 6 - 1 / 4, 1 / 6 - 1 / 4))
    assert runs.SAFETY <= 1
