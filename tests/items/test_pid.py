"""The PID controller on the angle of a DC motor, with published numbers and figures of two independent methods; rest with an integral."""
import numpy as np
import pytest
from closed_forms import N

import pliant as pl

LEAVES = 7.441082986  # s: where the voltage leaves its limit


def motor(voltage: str) -> pl.Model:
    """J 0.01 kg m^2, b 0.1 N m s, k 0.01 N m/A, R 1 ohm, L 0.5 H, about an axis in space; the rotor has its centre of mass on it."""
    m = pl.Model("motor", gravity=(1, 2, -9.81))
    rotor = m.add(pl.RigidBody("rotor", mass=1.0, inertia=(0.01, 0.01, 0.01)))
    m.add(pl.Revolute("J", m.ground, rotor, axis=tuple(N)))
    m.add(pl.Integral("i", f"({voltage} - 1*i.output - 0.01*J.angle_rate)/0.5", unit="A"))
    m.add(pl.JointTorque("T", "J", "0.01*i.output - 0.1*J.angle_rate"))
    return m


def controlled(**options) -> pl.Model:
    m = motor("pid.output")
    m.add(pl.PID("pid", 10.0, "J.angle", kp=100, ki=50, kd=10, N=100, limits=(-12, 12), unit="V", **options))
    return m


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_motor(coordinates):
    sol = motor("1").simulate(1.0, output_step=0.1, accuracy=1e-10, coordinates=coordinates, integrator=pl.DOP853())
    np.testing.assert_allclose([sol["J.angle_rate"][1], sol["i.output"][1]], [0.00685553718061, 0.181264482200], atol=1e-12)
    np.testing.assert_allclose([sol["J.angle_rate"][-1], sol["i.output"][-1]], [0.0830371111708, 0.864130154823], atol=1e-12)


@pytest.mark.parametrize(("accuracy", "error"), [(1e-10, 1e-8), ("fine", 1e-5)])
@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_angle_of_the_motor(accuracy, error, coordinates):
    m = controlled(tracking_time=0.5)
    sol = m.simulate(20.0, accuracy=accuracy, coordinates=coordinates, output_step=5.0)
    np.testing.assert_allclose(sol["J.angle"][[1, 2, 4]], [5.275477400771, 9.576871905421, 9.998313018713], atol=error)
    sol = m.simulate(LEAVES, accuracy=accuracy, coordinates=coordinates, output_step=LEAVES)
    e, rate = 10 - sol["J.angle"][-1], sol["J.angle_rate"][-1]
    slope = -100 * rate + 50 * e - 10 * 100 * (rate + 100 * (-sol["J.angle"][-1] - sol["pid.filtered"][-1]))  # v' where u = v
    assert abs((sol["pid.demand"][-1] - 12) / slope) < error


@pytest.mark.parametrize(("accuracy", "error"), [(1e-10, 1e-8), ("fine", 1e-5)])
def test_without_anti_windup(accuracy, error):
    sol = controlled(anti_windup=False).simulate(20.0, accuracy=accuracy, output_step=5.0)
    np.testing.assert_allclose(sol["J.angle"][2], 11.269449832393, atol=error)
    np.testing.assert_allclose(sol["J.angle"][4], 15.2171776, atol=max(error, 5e-8))  # as many digits are given
    assert sol["pid.saturated"].tolist() == [1, 1, 1, 1, -1]


def test_unsaturated_it_is_its_transfer_function():
    """b, c and both inputs, against linear theory: kp (b r - y) + ki/s (r - y) + kd N s/(s + N) (c r - y)."""
    m = pl.Model("plain")
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=1.0))
    for name in "ry":
        m.add(pl.Input(name))
    m.add(pl.PID("pid", "r.output", "y.output", kp=3, ki=2, kd=0.5, N=20, b=0.8, c=0.3))
    f = np.array([0.05, 1.0, 30.0])
    found, s = m.linearize(inputs=["r.output", "y.output"], outputs=["pid.output"]).response(f)[:, 0], 2j * np.pi * f
    late = 0.5 * 20 * s / (s + 20)
    np.testing.assert_allclose(found[:, 0], 0.8 * 3 + 2 / s + 0.3 * late, rtol=1e-10)
    np.testing.assert_allclose(found[:, 1], -3 - 2 / s - late, rtol=1e-10)


def test_only_what_is_asked_for():
    """A P controller has no states; the tracking time follows from the gains."""
    assert list(pl.PID("p", 1, "J.angle", kp=2).states()) == []
    assert [s.name for s in pl.PID("p", 1, "J.angle", kp=2, ki=1).states()] == ["integral"]
    m = motor("pid.output")
    m.add(pl.PID("pid", 10.0, "J.angle", kp=100, ki=50, kd=10, N=100, limits=(-12, 12)))
    same = controlled(tracking_time=np.sqrt(10 / 50))
    np.testing.assert_array_equal(*(x.simulate(3.0, output_step=1.0)["J.angle"] for x in (m, same)))


def test_rest_with_an_integral():
    """The controller holds a pendulum at its reference: its integral is the moment of the weight."""
    m = pl.Model("held", gravity=(0, 0, -9.81))
    arm = m.add(pl.RigidBody.rod("arm", (0, 0, 0), (1, 0, 0), mass=2.0))
    m.add(pl.Revolute("A", m.ground, arm["start"], axis="-y", angle=0.4))
    m.add(pl.PID("pid", 0.5, "A.angle", kp=200, ki=100, kd=40, N=200, limits=(-50, 50), unit="N*m"))
    m.add(pl.LowPass("drive", "pid.output", "10 ms"))
    m.add(pl.JointTorque("T", "A", "drive.output"))
    weight = 2.0 * 9.81 * 0.5 * np.cos(0.5)
    st = m.static()
    np.testing.assert_allclose([st["A.angle"], st["pid.integral"], st["drive.output"]], [0.5, weight, weight], rtol=1e-9)
    sol = m.simulate(1.0, start="static")
    assert abs(sol["A.angle"] - 0.5).max() < 1e-9
    assert abs(sol["pid.output"] - weight).max() < 1e-6


@pytest.mark.parametrize(("fields", "message"), [
    ({}, "kp: all gains are zero"), ({"kp": 1, "kd": 2}, r"kd: needs N \[1/s\].*write for example N = 100"),
    ({"kp": 1, "start": 2}, "start: 2 is that of the integral, and there is none without ki"),
    ({"kp": 1, "ki": 1, "tracking_time": 1}, "tracking_time: has no meaning without limits"),
    ({"kp": 1, "limits": (-1, 1), "tracking_time": 1}, "tracking_time: has no meaning without ki"),
    ({"ki": 1, "limits": (-1, 1)}, r"limits: need tracking_time \[s\] with these gains.*or anti_windup = false"),
    ({"kp": 1, "limits": (1, -1)}, r"limits: \[1, -1\] is the wrong way round"),
    ({"kp": 1, "limits": (None, None)}, "limits: .* must have at least one number"),
    ({"kp": 1, "kd": 1, "N": -3}, "N: -3 must be greater than zero"), ({"kp": np.nan}, "kp: nan must be finite")])
def test_controllers_that_are_refused(fields, message):
    with pytest.raises(pl.ItemError, match=message):
        pl.PID("pid", 1, "J.angle", **fields)
