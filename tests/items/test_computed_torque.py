"""Computed torque by a model of the arm in the loop: e'' + kd e' + kp e = 0 for any rigid arm, in space."""
import numpy as np
import pytest
from scipy.linalg import expm

import pliant as pl
from pliant.items.errors import ItemError, ModelError
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

KP, KD = 30.0, 7.0


def arm(gravity=(0.7, -0.4, -9.81)) -> pl.Model:
    """Six joints with axes, bodies and centres of mass in any direction; one slides, every second one is turned round, one carries two
    bodies, and the first forks."""
    rng = np.random.default_rng(3)
    m = pl.Model("arm", gravity=gravity)
    before, at = "ground", np.zeros(3)
    for k in range(6):
        A, quaternion = rng.normal(size=(3, 3)), rng.normal(size=4)
        m.add(pl.RigidBody(f"b{k}", mass=1.0 + 0.3 * k, inertia=(0.02 * A @ A.T + 0.05 * np.eye(3)).tolist(), com=0.1 * rng.normal(size=3),
                           position=at + 0.2 * rng.normal(size=3), rotation=quaternion / np.linalg.norm(quaternion)))
        inner = m.ground if before == "ground" else m[before]
        sides = [inner.frame(at=at), m[f"b{k}"].frame(at=at)]
        m.add((pl.Prismatic if k == 2 else pl.Revolute)(f"J{k}", *(sides[::-1] if k % 2 else sides), axis=rng.normal(size=3)))
        before, at = f"b{0 if k == 3 else k}", at + 0.3 * rng.normal(size=3)
    m.add(pl.RigidBody("tool", mass=0.7, inertia=(0.01, 0.02, 0.03), position=at))
    m.add(pl.Fixed("flange", m["b5"].frame(at=at), "tool"))
    return m


NAMES = ["J0.angle", "J1.angle", "J2.displacement", "J3.angle", "J4.angle", "J5.angle"]
REFERENCE = {c: f"{0.3 + 0.1 * k}*sin({1 + 0.3 * k}*t) + {0.1 * k}" for k, c in enumerate(NAMES)}


def motors(m: pl.Model, block: str = "control") -> pl.Model:
    for c in NAMES:
        joint, _, which = c.partition(".")
        m.add((pl.JointTorque if which == "angle" else pl.JointForce)(f"M{joint}", joint, f"{block}.{joint}_{which}"))
    return m


def controlled(**more) -> pl.Model:
    m = arm()
    m.add(pl.ComputedTorque("control", dict(reversed(REFERENCE.items())), KP, KD, model=arm(), **more))
    return motors(m)


def error_of(sol: pl.Solution) -> float:
    """The largest difference from the solution of e'' + kd e' + kp e = 0."""
    A, worst = np.array([[0, 1], [-KP, -KD]]), 0.0
    for k, c in enumerate(NAMES):
        start = np.array([0.1 * k, (0.3 + 0.1 * k) * (1 + 0.3 * k)])
        exact = [(expm(A * t) @ start)[0] for t in sol.t]
        worst = max(worst, float(abs(sol[f"control.error_{c.replace('.', '_')}"] - exact).max()))
    return worst


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_errors_of_six_joints_obey_their_own_equation(coordinates):
    sol = controlled().simulate(1.0, output_step=0.1, accuracy=1e-10, coordinates=coordinates)
    assert error_of(sol) < 1e-10


def test_the_linear_model_has_these_poles_alone():
    """Exact derivatives of the formulas: s^2 + kd s + kp six times about any rest."""
    m = arm()
    m.add(pl.ComputedTorque("control", {c: 0.0 for c in NAMES}, KP, KD, model=arm()))
    lin = motors(m).linearize(["J0.angle"], ["J0.angle"])
    left = lin.A @ lin.A + KD * lin.A + KP * np.eye(12)
    assert not lin.note and abs(left).max() < 1e-10 * abs(lin.A).max()**2


def test_efforts_are_those_of_inverse_dynamics():
    m, space = controlled(), arm().joint_space()
    sol = m.simulate(0.4, output_step=0.1)
    sign, zero = space.space.tree.scale.T
    names = space.coordinates
    command = np.array([sol[f"control.command_{c.replace('.', '_')}"] for c in names]).T
    c, v = (np.array([sol[f"{name}{end}"] for name in names]).T for end in ("", "_rate"))
    for k in range(len(sol.t)):
        tau = sign * space.inverse_dynamics(sign * (c[k] - zero), sign * v[k], sign * command[k])
        assert [sol[f"control.{name.replace('.', '_')}"][k] for name in names] == pytest.approx(tau, abs=1e-10)


def test_held_efforts_come_near_to_it():
    errors = [error_of(controlled(period=T).simulate(0.5, output_step=0.1)) for T in (0.02, 0.01)]
    assert 1e-4 < errors[1] < 0.6 * errors[0]


def test_texts_and_sub_assemblies_have_the_same_arm():
    m, top = controlled(), pl.Model("cell", gravity=(0.7, -0.4, -9.81))
    top.add(m, name="left", position=(1, 2, 3))
    alone, again = m.simulate(0.3, output_step=0.1), from_text(to_text(m)).simulate(0.3, output_step=0.1)
    assert again["J4.angle"] == pytest.approx(alone["J4.angle"], abs=1e-12)
    assert top.simulate(0.3, output_step=0.1)["left.J4.angle"] == pytest.approx(alone["J4.angle"], abs=1e-8)


@pytest.mark.parametrize("mirror", ["", "y"])
def test_an_arm_is_turned_and_mirrored_with_its_sub_assembly(mirror):
    m = pl.Model("part", gravity=(0.5, 1.0, -9.81))
    m.add(pl.RigidBody.rod("upper", (0, 0, 0), (0.5, 0.1, 0.2), mass=2.0, radius=0.05))
    m.add(pl.RigidBody.rod("lower", (0.5, 0.1, 0.2), (0.9, 0.3, 0), mass=1.0, radius=0.05))
    m.add(pl.Revolute("A", m.ground, "upper.start", axis=(0.1, 0.9, 0.2)))
    m.add(pl.Revolute("B", "upper.end", "lower.start", axis="y"))
    m.add(pl.ComputedTorque("control", {"A.angle": 0.4, "B.angle": -0.3}, KP, KD, model=m))
    m.add(pl.JointTorque("first", "A", "control.A_angle"))
    m.add(pl.JointTorque("second", "B", "control.B_angle"))
    top = pl.Model("cell", gravity=m.gravity)
    top.add(m, name="left", position=(1, 2, 3), rotation={"axis": "x", "angle": 0.7}, mirror=mirror)
    sol = top.simulate(0.5, output_step=0.1, accuracy=1e-10)
    exact = [(expm(np.array([[0, 1], [-KP, -KD]]) * t) @ [0.4, 0])[0] for t in sol.t]
    assert sol["left.control.error_A_angle"] == pytest.approx(exact, abs=1e-9)


def test_rotors_and_springs_count():
    """A rotor is part of the arm; a spring is compensated by its own signal."""
    m = pl.Model("pendulum", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.rod("rod", (0, 0, 0), (1, 0, 0), mass=2.0))
    m.add(pl.Revolute("A", m.ground, "rod.start", axis="y"))
    m.add(pl.TorsionSpring("spring", "A", stiffness=20.0))
    m.add(pl.RotorInertia("rotor", "A", 1e-3, 10.0))
    m.add(pl.ComputedTorque("control", {"A.angle": "0.5*sin(3*t)"}, KP, KD, {"A.angle": "20*A.angle"}, model=m))
    m.add(pl.JointTorque("motor", "A", "control.A_angle"))
    sol = m.simulate(1.0, output_step=0.1, accuracy=1e-10)
    exact = [(expm(np.array([[0, 1], [-KP, -KD]]) * t) @ [0, 1.5])[0] for t in sol.t]
    assert sol["control.error_A_angle"] == pytest.approx(exact, abs=1e-9)


ONE = {"axis": (0, 0, 1)}


@pytest.mark.parametrize(("model", "says"), [
    ({"axes": []}, "must be a list of axes with at least one"),
    ({"axes": [{"point": (0, 0, 0)}]}, r"axes\[0\]: axis is missing"),
    ({"axes": [{"axis": (0, 0, 0)}]}, r"axes\[0\].axis must not be zero"),
    ({"axes": [{**ONE, "parent": 7}]}, r"axes\[0\]: parent 7 must be the number of the axis"),
    ({"axes": [{**ONE, "parent": 2}, {**ONE, "parent": 1}]}, "axes 1, 2 carry each other in a ring"),
    ({"axes": [{**ONE, "mas": 1}]}, r"unknown entry 'mas'; did you mean 'mass'"),
    ({"axes": [{**ONE, "com": (0, 1)}]}, r"axes\[0\].com: .* must be 3 entries"),
    ({"axes": [ONE, ONE]}, "model: it has 2 entries, must have 1"),
    (3.0, "must be a model of the arm, or its numbers")])
def test_wrong_arms_are_told(model, says):
    with pytest.raises(ItemError, match=says):
        pl.ComputedTorque("c", {"A.angle": 0.0}, 1.0, 1.0, model=model)


def test_models_that_are_no_arms_are_told():
    with pytest.raises(ItemError, match=r"the coordinate 'J1\.angle' of the model has no reference"):
        pl.ComputedTorque("c", {"J0.angle": 0.0}, 1.0, 1.0, model=arm())
    m = pl.Model("ball")
    m.add(pl.RigidBody.rod("rod", (0, 0, 0), (1, 0, 0), mass=2.0))
    m.add(pl.Spherical("S", m.ground, "rod.start"))
    with pytest.raises((ItemError, ModelError), match="is no angle or displacement of a joint"):
        pl.ComputedTorque("c", {"S.w": 0.0}, 1.0, 1.0, model=m)
