"""Rotations that are counted: bushings past half a turn, and fixed steps that are too long for a spin."""
import numpy as np
import pytest

import pliant as pl

METHODS = [{"accuracy": 1e-7, "coordinates": "absolute"}, {"accuracy": 1e-7, "coordinates": "joint"},
           {"step": 1e-3, "integrator": "generalized-alpha"}]


def held(speed: float, revolute: bool = True) -> pl.Model:
    """A disc of 0.2 kg m^2 on a bushing of 0.5 N m/rad about z: it stops after sqrt(0.2 / 0.5) s times its speed."""
    m = pl.Model("spun")
    m.add(pl.RigidBody("disc", 1.0, (0.1, 0.1, 0.2), angular_velocity=(0, 0, speed)))
    if revolute:
        m.add(pl.Revolute("pin", m.ground, m["disc"].frame(), axis="z"))
    m.add(pl.Bushing("mount", m.ground, m["disc"].frame(), stiffness=[0, 0, 0, 0.3, 0.4, 0.5]))
    return m


@pytest.mark.parametrize("options", METHODS)
def test_a_bushing_turns_its_body_back_from_beyond_half_a_turn(options):
    """theta = 3.58 sin(w t), w = sqrt(k / I)."""
    w = np.sqrt(0.5 / 0.2)
    sol = held(3.58 * w).simulate(4.0, **options)
    np.testing.assert_allclose(sol["pin.angle"], 3.58 * np.sin(w * sol.t), atol=2e-5 if "step" in options else 1e-6)
    np.testing.assert_allclose(sol["mount.torque.z"], -0.5 * sol["pin.angle"], atol=1e-9)
    assert sol.energy.drift < (1e-5 if "step" in options else 1e-6)


@pytest.mark.parametrize("options", METHODS)
def test_a_bushing_that_comes_to_a_whole_turn_stops_by_name(options):
    with pytest.raises(pl.SimulationError, match=r"'mount' comes to a whole turn.*torsion spring") as stopped:
        held(6.2 * np.sqrt(0.5 / 0.2)).simulate(4.0, **options)
    assert stopped.value.code == "whole-turn" and 5.0 < stopped.value.solution["pin.angle"][-1] <= 6.01


@pytest.mark.parametrize("seed", range(4))
def test_full_matrices_keep_the_energy_past_half_a_turn_or_stop(seed):
    """A tumbling body on a bushing with a full 6x6 matrix, off its centre."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    K = (root @ root.T + np.diag([5.0] * 3 + [0.2] * 3)) / 3
    m = pl.Model("tumbling")
    w = rng.normal(size=3)
    m.add(pl.RigidBody("body", 1.0, (0.3, 0.5, 0.6), angular_velocity=12 * w / np.linalg.norm(w), velocity=rng.normal(size=3)))
    m.add(pl.Bushing("mount", m.ground.frame((0.1, 0, 0)), m["body"].frame((0.1, 0, 0)), stiffness=K.tolist()))
    try:
        sol = m.simulate(5.0, accuracy=1e-8)
    except pl.SimulationError as stopped:
        assert stopped.code == "whole-turn"
        sol = stopped.solution
    assert turned(sol) > 3.3 and sol.energy.drift < 1e-5 * sol.energy.kinetic[0]


def turned(sol) -> float:
    """The largest angle of the body's rotation, continued from row to row [rad]."""
    q, largest = sol["body.rotation"], 0.0
    side = q[0]
    for now in q:
        side = now * np.sign(now @ side)
        largest = max(largest, 2 * np.arctan2(np.linalg.norm(side[1:]), side[0]))
    return largest


def rotors(speed: float, other: float) -> pl.Model:
    m = pl.Model("rotors")
    for name, w in (("one", speed), ("two", other)):
        disc = m.add(pl.RigidBody.cylinder(name, radius=0.2, length=0.1, axis="z", mass=3.0, angular_velocity=(0, 0, w)))
        m.add(pl.Revolute(f"{name}_pin", m.ground, disc, axis="z"))
    m.add(pl.Revolute("between", m["one"].frame((0, 0, 0.5)), m["two"].frame((0, 0, 0.5)), axis="z"))
    return m


@pytest.mark.parametrize("integrator", ["runge-kutta-4", "generalized-alpha"])
def test_a_fixed_step_of_half_a_turn_is_refused_by_explicit_methods_too(integrator):
    """400 rad/s in steps of 0.01 s is 4 rad a step: counted as -2.28."""
    with pytest.raises(pl.SimulationError, match=r"turns at 400 rad/s, half a turn or more in a step of 0\.01 s") as stopped:
        rotors(400.0, 0.0).simulate(1.0, step=0.01, integrator=integrator)
    assert stopped.value.code == "step-too-large"


@pytest.mark.parametrize("options", [{"integrator": "runge-kutta-4"}, {"integrator": "generalized-alpha"},
                                     {"integrator": "runge-kutta-4", "coordinates": "joint"}])
def test_bodies_that_turn_against_each_other(options):
    """200 and -200 rad/s, 2 rad a step each, but 4 rad a step between them."""
    with pytest.raises(pl.SimulationError, match=r"'between' turns at 400 rad/s, half a turn or more") as stopped:
        rotors(200.0, -200.0).simulate(1.0, step=0.01, **options)
    assert stopped.value.code == "step-too-large"


def test_an_angle_of_the_tree_needs_no_count():
    """In joint coordinates the angle is a state: 4 rad a step, exact."""
    m = pl.Model("rotor")
    disc = m.add(pl.RigidBody.cylinder("disc", radius=0.2, length=0.1, axis="z", mass=3.0, angular_velocity=(0, 0, 400.0)))
    m.add(pl.Revolute("pin", m.ground, disc, axis="z"))
    sol = m.simulate(1.0, step=0.01, integrator="runge-kutta-4", coordinates="joint")
    assert sol["pin.angle"][-1] == pytest.approx(400.0, abs=1e-9)
