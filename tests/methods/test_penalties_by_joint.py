"""Penalty, damping ratio and frequency by joint: each equation is an oscillator with its own closed form."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.errors import TextError
from pliant.text.model_text import from_text, to_text

R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
RK = pl.RungeKutta4()


def step_response(t, force, penalty, damping, frequency):
    """(1 + p) z'' + 2 p damping frequency z' + p frequency^2 z = force / m, from rest: eq. 30 of one equation, alpha = p m."""
    square, decay = penalty * frequency**2 / (1 + penalty), penalty * damping * frequency / (1 + penalty)
    w = np.sqrt(square - decay**2)
    return force / (penalty * frequency**2) * (1 - np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t)))


def balls(names):
    """Balls of different masses, each held at its centre by a spherical joint, pulled along all three axes of the world."""
    m = pl.Model("balls")
    for k, name in enumerate(names):
        at = R @ (k, 0.3, -0.2)
        b = m.add(pl.RigidBody.sphere(name, 0.1, mass=2.0 + k, position=at))
        m.add(pl.Spherical(f"J{name}", m.ground.frame(at), b))
        m.add(pl.Force(f"F{name}", b, (3.0, -2.0, 1.0)))
    return m


@pytest.mark.parametrize("a", [{"penalty": 3.0, "damping": 0.1, "frequency": 50.0}, {"frequency": 25.0}])
def test_each_joint_is_an_oscillator_of_its_own(a):
    usual = {"penalty": 40.0, "damping": 0.3, "frequency": 80.0}
    form = pl.Penalty(**usual, joints={"Ja": a})
    sol = balls("ab").simulate(0.1, step=1e-4, integrator=RK, formulation=form, progress=False)
    for name, mass, numbers in (("a", 2.0, {**usual, **a}), ("b", 3.0, usual)):
        moved = sol[f"{name}.position"] - sol[f"{name}.position"][0]
        exact = np.array([step_response(sol.t, f / mass, **numbers) for f in (3.0, -2.0, 1.0)]).T
        np.testing.assert_allclose(moved, exact, rtol=0, atol=1e-8 * abs(exact).max())


def test_each_equation_of_a_joint_has_its_own():
    form = pl.Penalty(100.0, 0.2, 60.0, joints={"Ja": {"frequency": [30.0, 50.0, 80.0], "penalty": (5.0, 2.0, 9.0)}})
    sol = balls("a").simulate(0.1, step=1e-4, integrator=RK, formulation=form, progress=False)
    moved = sol["a.position"] - sol["a.position"][0]
    for k, (f, p, w) in enumerate(((3.0, 5.0, 30.0), (-2.0, 2.0, 50.0), (1.0, 9.0, 80.0))):
        exact = step_response(sol.t, f / 2.0, p, 0.2, w)
        np.testing.assert_allclose(moved[:, k], exact, rtol=0, atol=1e-8 * abs(exact).max())


def test_augmented_lagrangian_holds_joints_whatever_their_penalties():
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    a = m.add(pl.RigidBody.rod("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    b = m.add(pl.RigidBody.rod("b", (1, 0, 0), (1.6, 0.3, 0.2), mass=0.5))
    m.add(pl.Revolute("A", m.ground, a["start"], axis="z"))
    m.add(pl.Spherical("B", a["end"], b["start"]))
    forms = (pl.AugmentedLagrangian(), pl.AugmentedLagrangian(max_iterations=200, joints={"B": {"penalty": 30.0, "frequency": 3.0}}))
    one, other = (m.simulate(0.5, step=1e-3, integrator=RK, formulation=form, progress=False) for form in forms)
    np.testing.assert_allclose(other["b.position"], one["b.position"], rtol=0, atol=1e-8)
    assert other.quality.position_violation < 1e-9 and other.quality.iterations > 2 * one.quality.iterations


# -- words
TEXT = """pliant: 1
bodies:
  b: {kind: rigid, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}
joints:
  hold: {kind: spherical, between: [ground, b]}
simulate:
  duration: 0.01
  step: 1 ms
  integrator: runge-kutta-4
  formulation: {kind: penalty, penalty: 50, joints: {hold: {frequency: 30, damping: [0.1, 0.2, 0.3]}}}
"""


def test_text_and_files(tmp_path):
    m = from_text(TEXT)
    wanted = pl.Penalty(50, joints={"hold": {"frequency": 30, "damping": [0.1, 0.2, 0.3]}})
    assert m.settings["formulation"] == wanted and from_text(to_text(m)).settings["formulation"] == wanted
    usual = from_text(TEXT.replace(", joints: {hold: {frequency: 30, damping: [0.1, 0.2, 0.3]}}", ""))
    assert "joints" not in to_text(usual).split("simulate")[1]
    m.simulate(out=tmp_path / "run.h5", progress=False)
    assert pl.load(tmp_path / "run.h5").formulation == wanted
    assert hash(wanted) == hash(pl.Penalty(50)) and "joints" not in str(pl.Penalty())


@pytest.mark.parametrize(("old", "new", "message"), [
    ("{hold:", "{hould:", r":10: simulate.formulation.joints.hould: there is no joint 'hould'; did you mean 'hold'\?"),
    ("frequency: 30", "freqency: 30", ":10: simulate.formulation.joints.hold.freqency: unknown key 'freqency'; there are penalty"),
    ("frequency: 30", "frequency: -3", ":10: simulate.formulation.joints.hold.frequency: -3 must be a number from 0 to 1e"),
    ("joints: {hold: {frequency: 30, damping: [0.1, 0.2, 0.3]}}", "joints: [hold]", ":10: simulate.formulation.joints: must be a mapping"),
])
def test_wrong_entries_are_located(old, new, message):
    with pytest.raises(TextError, match=message):
        from_text(TEXT.replace(old, new))


@pytest.mark.parametrize(("joints", "message"), [
    ({"hould": {"penalty": 3.0}}, r"simulate: formulation: joints: there is no joint 'hould'; did you mean 'hold'\?"),
    ({"hold": {"penalty": [3.0, 4.0]}}, "hold: penalty has 2 numbers, must be one, or one for each of its 3 equations"),
])
def test_what_does_not_fit_the_model_is_refused(joints, message):
    with pytest.raises(pl.ModelError, match=message):
        from_text(TEXT).simulate(formulation=pl.Penalty(joints=joints), progress=False)


def test_wrong_numbers_are_refused_at_once():
    for joints, message in (({"A": {"penalty": 0.0}}, "A.penalty: 0.0 must be a number from 1 to 1e"), ({"A": {}}, "must be a mapping"),
                            ("A", "'A', must be a mapping of joints to penalty, damping, frequency")):
        with pytest.raises(ValueError, match=message):
            pl.Penalty(joints=joints)


@pytest.mark.parametrize("inertia", [(0.1, 0.2, 0.3), (0.1, 0.2, 0.0)], ids=["tiles", "sparse solver"])
def test_the_solver_of_last_resort_holds_no_harder(inertia):
    """Held by a penalty in its weight, (1 + alpha) C'' + alpha (2 zeta w C' + w^2 C) = g; a body with no inertia about an axis, which the
    sparse solver is for, was held by the regularisation instead: 1e-10 m. Multipliers that are iterated hold it in both."""
    m = pl.Model("held", gravity=(2.0, -3.0, -6.0))
    m.add(pl.RigidBody("b", mass=2.0, inertia=inertia, rotation=pl.rotation((1, 2, 3), "40 deg")))
    m.add(pl.Fixed("F", m.ground, "b"))
    sol = m.simulate(1.0, output_step=0.1, accuracy=1e-7, formulation=pl.Penalty(penalty=10, frequency=10), integrator=pl.DOP853())
    assert (sol.quality.fallbacks > 0) == (inertia[2] == 0)
    part = 10 / 11
    c, w = 10 * part, np.sqrt(100 * part - 100 * part**2)
    fall = 7.0 / 1000 * (1 - np.exp(-c * sol.t) * (np.cos(w * sol.t) + c / w * np.sin(w * sol.t)))
    np.testing.assert_allclose(sol["b.position"], np.outer(fall, (2 / 7, -3 / 7, -6 / 7)), atol=1e-8)
    sol = m.simulate(1.0, output_step=0.5, accuracy=1e-7, formulation=pl.AugmentedLagrangian(penalty=10), integrator=pl.DOP853())
    assert abs(sol["b.position"]).max() < 1e-12 and sol["F.force"][-1] == pytest.approx((-4, 6, 12), rel=1e-9)
