"""Rest of models with states, far from where they begin: beyond the limits of controllers, where nothing depends on the position."""
import numpy as np
import pytest

import pliant as pl

G = 9.81


def cart(goal, **more):
    """On a rail without friction, pushed by 1 N at most."""
    m = pl.Model("cart")
    m.add(pl.RigidBody("cart", mass=1.0, inertia=(1, 1, 1)))
    m.add(pl.Prismatic("rail", m.ground, "cart", axis=(0.36, 0.48, -0.8)))
    m.add(pl.PID("pid", goal, "rail.displacement", kp=40, kd=10, N=100, limits=(-1, 1), **more))
    m.add(pl.LowPass("drive", "pid.output", "10 ms"))
    m.add(pl.JointForce("motor", "rail", "drive.output"))
    return m


def arm(goal, start, limit=20.0):
    """Against its weight, whose moment at rest is 9.81 cos(angle)."""
    m = pl.Model("arm", gravity=(0, 0, -G))
    rod = m.add(pl.RigidBody.rod("rod", (0, 0, 0), (1, 0, 0), mass=2.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis="-y", angle=start))
    m.add(pl.PID("pid", goal, "A.angle", kp=200, ki=100, kd=40, N=200, limits=(-limit, limit), unit="N*m"))
    m.add(pl.LowPass("drive", "pid.output", "10 ms"))
    m.add(pl.JointTorque("T", "A", "drive.output"))
    return m


def motor(voltage, **pid):
    m = pl.Model("motor")
    m.add(pl.RigidBody("rotor", mass=1.0, inertia=(0.01, 0.01, 0.01)))
    m.add(pl.Revolute("shaft", m.ground, "rotor", axis="z"))
    if pid:
        m.add(pl.PID("pid", measurement="shaft.angle", kp=100, ki=50, kd=10, N=100, limits=(-12, 12), **pid))
    m.add(pl.Integral("current", f"({voltage} - current.output - 0.01*shaft.angle_rate)/0.5"))
    m.add(pl.JointTorque("torque", "shaft", "0.01*current.output - 0.1*shaft.angle_rate"))
    return m


@pytest.mark.parametrize("goal", [0.5, -5.0, 50.0])
@pytest.mark.parametrize("more", [{}, {"ki": 2.0}, {"ki": 2.0, "anti_windup": False}], ids=["PD", "PID", "windup"])
def test_beyond_the_limits_of_a_controller(goal, more):
    """At the start 1 N acts, whatever the position is. Forces balance: the position is the goal, and no force is left."""
    st = cart(goal, **more).static()
    assert st["rail.displacement"] == pytest.approx(goal, rel=1e-9)
    assert abs(st["motor.force"]) < 1e-9 and st.unbalanced < 1e-9


@pytest.mark.parametrize(("goal", "start"), [(2.5, 0.0), (1.0, -1.0), (0.4, 0.5)])
def test_beyond_the_limits_against_a_weight(goal, start):
    st = arm(goal, start).static()
    moment = G * np.cos(goal)
    np.testing.assert_allclose([st["A.angle"], st["pid.integral"], st["drive.output"]], [goal, moment, moment], rtol=1e-9)


def test_a_controller_that_is_too_weak_rests_at_its_limit():
    """5 N m carry the arm where it hangs so much: 9.81 cos(angle) = 5."""
    st = arm(0.3, -1.0, 5.0).static()
    assert abs(st["A.angle"]) == pytest.approx(np.arccos(5 / G), rel=1e-9) and st["drive.output"] == pytest.approx(5, rel=1e-9)


def test_many_turns_of_a_motor():
    m = motor("pid.output", reference=300.0, tracking_time=0.5)
    sol = m.simulate(1.0, start="static")
    assert abs(sol["shaft.angle"] - 300).max() < 1e-9
    assert abs(sol["current.output"]).max() < 1e-9


def test_what_was_not_found_is_told_as_such():
    """A motor that turns freely has no rest; the program only knows that it found none."""
    with pytest.raises(pl.ModelError, match=r"no equilibrium was found from here: body 'rotor' still moves \(rotation about z\) after"):
        motor("1").static()


def test_what_has_no_rest_is_named_among_what_has():
    """Also far from the rest of the others: they come to theirs."""
    m = motor("pid.output", reference=10.0, tracking_time=0.5)
    m.add(pl.Integral("clock", "3 + 0*t"))
    with pytest.raises(pl.ModelError, match=r"'clock\.output' has no rest, it goes on changing at 3 per s"):
        m.static()
