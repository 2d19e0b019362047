"""Error control: errors follow the accuracy, steps change without a trace, jumps are found, rows between steps are as good."""
import math

import numpy as np
import pytest
from derivatives import random_rotation
from pinned import pin
from scipy.integrate import solve_ivp

import pliant as pl


@pytest.fixture(autouse=True)
def method(monkeypatch):
    pin(monkeypatch, pl.GeneralizedAlpha(0.8))


def free_body() -> pl.Model:
    m = pl.Model("free")
    m.add(pl.RigidBody("body", mass=2.0, inertia=(0.1, 0.25, 0.3), position=(0, 0, 0), rotation=random_rotation(np.random.default_rng(1)),
                       angular_velocity=(1.0, 5.0, -2.0), velocity=(0.3, -0.2, 0.1)))
    return m


def spun(t):
    """Euler's equations."""
    I = np.array([0.1, 0.25, 0.3])
    return solve_ivp(lambda _, w: np.cross(I * w, w) / I, (0, t[-1]), [1.0, 5.0, -2.0], "DOP853", t, rtol=1e-12, atol=1e-12).y.T


def test_errors_follow_the_accuracy():
    sizes = (1e-3, 1e-4, 1e-5, 1e-6)
    errors = []
    for accuracy in sizes:
        sol = free_body().simulate(3.0, accuracy=accuracy, output_step=0.1)
        errors.append(abs(sol["body.angular_velocity"] - spun(sol.t)).max() / 5.5)
        assert errors[-1] < 10 * 3 * accuracy
    assert (np.diff(errors) < 0).all()
    assert 0.6 < np.polyfit(np.log(sizes), np.log(errors), 1)[0] < 1.2


def pendulum() -> pl.Model:
    """Off axis in space; a rod of 1 m and 1 kg released at right angles to gravity."""
    R = random_rotation(np.random.default_rng(2))
    m = pl.Model("pendulum", gravity=R @ np.array([0, -9.81, 0]))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=R @ np.array([1.0, 0, 0]), mass=1.0, radius=0.05))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis=tuple(R[:, 2])))
    return m


def swing(t):
    inertia = 0.05**2 / 4 + 1 / 12 + 0.25
    y = solve_ivp(lambda _, y: [y[1], -9.81 * 0.5 * np.cos(y[0]) / inertia], (0, t[-1]), [0.0, 0.0], "DOP853", t, rtol=1e-12, atol=1e-12).y
    return y[0], y[1], -9.81 * 0.5 * np.cos(y[0]) / inertia


def test_reactions_are_as_smooth_as_the_motion():
    """|F|^2 of the pin from the motion of the centre; a change of step that leaves a trace shows here."""
    sol = pendulum().simulate(3.0, output_step=0.003)
    angle, rate, acceleration = swing(sol.t)
    radial, tangential = -0.5 * rate**2 + 9.81 * np.sin(angle), 0.5 * acceleration + 9.81 * np.cos(angle)
    assert abs(np.linalg.norm(sol["A.force"], axis=1) - np.hypot(radial, tangential)).max() < 2e-3
    assert abs(sol["A.angle"] - angle).max() < 1e-4 and sol.quality.steps > 100


def test_rows_between_steps_do_not_change_the_steps():
    one, other = (pendulum().simulate(2.0, output_step=step) for step in (0.01, 0.0025))
    assert one.quality.steps == other.quality.steps and one.quality.rejected == other.quality.rejected
    np.testing.assert_allclose(one["A.angle"], other["A.angle"][::4], rtol=0, atol=1e-10)
    angle, rate, _ = swing(other.t)
    assert abs(other["A.angle"] - angle).max() < 1e-4 and abs(other["A.angle_rate"] - rate).max() < 1e-3
    assert max(other.quality.velocity_violation, other.quality.acceleration_violation) < 1e-9


def slider(force, **more) -> pl.Model:
    R = random_rotation(np.random.default_rng(3))
    m = pl.Model("slider")
    box = m.add(pl.RigidBody.box("box", size=(0.1, 0.1, 0.1), mass=2.0, position=(0, 0, 0), rotation=R, **more))
    m.add(pl.Prismatic("P", m.ground, box, axis=tuple(R[:, 0])))
    if force is not None:
        m.add(pl.Force("F", box, (force, 0, 0), axes="frame"))
    return m


@pytest.mark.parametrize(("force", "speed"), [
    ("if(t < 0.3, 10, 0)", 1.5), ("if(t > 0.3 and t < 0.302, 1000, 0)", 1.0), ("10*sign(1 - t)", 0.0), ("floor(t*4)", 3.5),
    ("step(t, 0.5, 0, 0.501, 2000) - step(t, 0.501, 0, 0.502, 2000)", 1.0),
    (pl.Table([0, 0.5, 0.501, 0.502, 2], [0, 0, 2000, 0, 0], "linear"), 1.0),
    (lambda t: 1000.0 if 0.503 < t < 0.505 else 0.0, 1.0), ("1 - cos(2*pi*100*t)", 1.0)])
def test_loads_of_time_are_not_stepped_over(force, speed):
    sol = slider(force).simulate(2.0)
    assert sol["P.displacement_rate"][-1] == pytest.approx(speed, abs=2e-5)


def test_jumps_of_time_are_ends_of_steps():
    sol = slider("if(t < 0.3, 10, if(t < 0.7, -20, 0))").simulate(1.0, output_step=0.01)
    t = sol.t
    v = np.where(t < 0.3, 5 * t, np.where(t < 0.7, 1.5 - 10 * (t - 0.3), -2.5))
    assert abs(sol["P.displacement_rate"] - v).max() < 1e-9 and sol.quality.steps < 500


def test_bounces_keep_their_energy():
    """Contact as a spring on one side: free fall, half a period of a spring that also carries the weight, free fall."""
    m = pl.Model("bounce", gravity=(0, 0, -9.81))
    ball = m.add(pl.RigidBody.sphere("ball", radius=0.05, mass=1.0, position=(0, 0, 0.5)))
    m.add(pl.Prismatic("P", m.ground, ball, axis="z"))
    m.add(pl.SpringDamper("ground_spring", m.ground.frame((0, 0, -1)), ball, stiffness="if(x < 0, 1e4*x, 0)", length=1.0))
    sol = m.simulate(3.0, output_step=0.001)
    omega, v = 100.0, np.sqrt(2 * 9.81 * 0.5)
    sag = 9.81 / omega**2
    contact = 2 / omega * (np.pi - np.arctan2(v / omega, sag))
    top = 2 * v / 9.81 + contact
    peaks = sol.t[1:-1][np.diff(np.sign(np.diff(sol["P.displacement"]))) < 0]
    np.testing.assert_allclose(peaks[:3], top * np.arange(1, len(peaks[:3]) + 1), atol=2e-3)
    height = sol["ball.position.z"]
    assert height[sol.t > 0.3].max() == pytest.approx(0.5, abs=2e-5)


def test_a_kink_of_a_drive_is_an_impact_and_a_jump_of_it_an_error():
    m = slider(None)
    m.add(pl.Drive("P", "displacement", "0.2*ramp(t, 0.25, 0.75)", name="motor"))
    sol = m.simulate(1.0, output_step=0.05)
    np.testing.assert_allclose(sol["P.displacement"], 0.2 * np.clip((sol.t - 0.25) / 0.5, 0, 1), atol=1e-9)
    assert sol["P.displacement_rate"][10] == pytest.approx(0.4, abs=1e-9)
    m["motor"].function = "if(t < 0.5, 0, 0.1)"
    with pytest.raises(pl.SimulationError, match="motor") as stopped:
        m.simulate(1.0)
    assert stopped.value.code == "drive-jump" and stopped.value.solution.t[-1] <= 0.5


def test_friction_that_switches_to_and_fro_ends_in_a_sentence():
    m = slider("-5*sign(P.displacement_rate)", velocity=tuple(0.5 * random_rotation(np.random.default_rng(3))[:, 0]))
    with pytest.raises(pl.SimulationError, match="tanh") as stopped:
        m.simulate(1.0)
    assert stopped.value.code == "chattering" and stopped.value.solution.t[-1] > 0.15
    smooth = slider("-5*tanh(P.displacement_rate/0.001)", velocity=m["box"].velocity)
    assert smooth.simulate(1.0)["P.displacement"][-1] == pytest.approx(0.05, abs=1e-4)


def test_singular_poses_are_passed():
    """The double four-bar falls through flat poses in which it could fold; its one equation of motion knows nothing of them."""
    from pliant.proofs.shipped_examples import examples, find
    m = pl.read(find("double_four_bar.yaml", examples()))
    m.settings = {}
    sol = m.simulate(3.0, output_step=0.05)
    phi = solve_ivp(lambda _, y: [y[1], 3.5 / 3 * 9.81 * np.sin(y[0])], (0, 3), [0.0, 1.0], "DOP853", sol.t, rtol=1e-12, atol=1e-12).y[0]
    np.testing.assert_allclose(sol["post0.end.position.x"], np.sin(phi), atol=5e-5)


def test_the_estimate_is_near_the_error():
    sol = pendulum().simulate(3.0, accuracy=1e-4, output_step=0.05, estimate=True)
    error = abs(sol["A.angle"] - swing(sol.t)[0]).max() / 3
    assert sol.quality.estimate is not None and error / 5 < sol.quality.estimate < 50 * error


def test_an_interrupt_in_a_python_function_is_not_dropped():
    """It comes once; the step that it spoils would be made again, shorter, and the run would go on."""
    left = [100]

    def force(t):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return math.sin(t)
    m = slider("0")
    m.add(pl.Force("f", "box", (force, 0, 0)))
    left[0] = 10**9
    calls = 10**9 - left[0] if m.simulate(0.2, accuracy=1e-7).complete else 0
    for when in (calls // 2, calls - 20):
        left[0] = when
        with pytest.raises(KeyboardInterrupt):
            m.simulate(0.2, accuracy=1e-7)


@pytest.mark.parametrize("force", ["10*sin(20*t)", "if(P.displacement > 0.02, -400, 30)"])
def test_an_interrupted_run_goes_on_bit_for_bit(force, tmp_path):
    def stop(t, _):
        if t > 0.6:
            raise KeyboardInterrupt
    whole = slider(force).simulate(1.0, accuracy=1e-7, output_step=0.0005)
    with pytest.raises(KeyboardInterrupt):
        slider(force).simulate(1.0, accuracy=1e-7, output_step=0.0005, out=tmp_path / "run.h5", progress=stop)
    resumed = pl.load(tmp_path / "run.h5").resume(progress=False)
    assert np.array_equal(resumed.rows, whole.rows) and np.array_equal(resumed.energies, whole.energies)
    assert resumed.quality == whole.quality


# -- rounding errors across the constraints
def governor(damping: float) -> pl.Model:
    """A shaft that turns freely about an axis in space, two arms with balls pinned to it, a slider held by springs from their middles."""
    R = random_rotation(np.random.default_rng(5))
    X, Z = R[:, 0], R[:, 2]
    m = pl.Model("governor", gravity=-9.81 * Z)
    shaft = m.add(pl.RigidBody("shaft", mass=0.3, inertia=(0.025, 0.025, 5e-6), position=0.5 * Z, rotation=R))
    slider = m.add(pl.RigidBody("slider", mass=3.0, inertia=(0.005, 0.005, 0.005), position=0.5 * Z, rotation=R))
    m.add(pl.Revolute("bearing", m.ground, shaft.frame((0, 0, -0.5)), axis=Z, angle_rate=2 * np.pi))
    m.add(pl.Prismatic("slide", shaft, slider, axis="z"))
    for name, side in (("left", -1), ("right", 1)):
        arm = side * np.sin(np.pi / 6) * X - np.cos(np.pi / 6) * Z
        rod = m.add(pl.RigidBody.rod(name, Z, Z + arm, mass=0.3, radius=0.02))
        ball = m.add(pl.RigidBody.sphere(f"{name}_ball", 0.1, mass=5.0, position=Z + arm))
        m.add(pl.Fixed(f"{name}_end", rod["end"], ball))
        m.add(pl.Revolute(f"{name}_pin", shaft.frame((0, 0, 0.5)), rod["start"], axis="y"))
        m.add(pl.SpringDamper(f"{name}_spring", slider, rod, stiffness=8e5, damping=damping))
    return m


def governed(damping, end):
    """Angle of the arms and place of the slider by Lagrange's equations; the moment of momentum about the axis stays."""
    across, axial = 0.3 * (3 * 0.02**2 + 1) / 12 + 0.3 / 4 + 5 * (0.4 * 0.1**2 + 1), 0.3 * 0.02**2 / 2 + 5 * 0.4 * 0.1**2

    def turned(a):
        return 5e-6 + 0.005 + 2 * (across * np.sin(a) ** 2 + axial * np.cos(a) ** 2)

    def length(a, z):
        x, y = np.sin(a) / 2, 1 - np.cos(a) / 2 - z
        return math.hypot(x, y), (x * np.cos(a) + y * np.sin(a)) / 2 / math.hypot(x, y), -y / math.hypot(x, y)

    def slope(_, state):
        a, z, da, dz = state
        l, la, lz = length(a, z)
        force = 8e5 * (l - length(*start[:2])[0]) + damping * (la * da + lz * dz)
        rate = 2 * np.pi * turned(start[0]) / turned(a)
        return [da, dz, (rate**2 * (across - axial) * np.sin(a) * np.cos(a) - 9.81 * (0.15 + 5) * np.sin(a) - force * la) / across,
                -9.81 - 2 * force * lz / 3]
    start = [np.pi / 6, 0.5, 0.0, 0.0]
    return solve_ivp(slope, (0, end), start, "Radau", rtol=1e-10, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("integrator", [pl.GeneralizedAlpha(0.8), pl.HHT()])
@pytest.mark.parametrize("damping", [4e5, 4e6])
def test_stiff_dampers_do_not_make_rounding_an_error(damping, integrator):
    """The motion begins with a decay in 1e-5 or 1e-6 s. Dampers make accelerations of the rounding of velocities, and differences of those
    did not fall with the step: it shrank to nothing."""
    sol = governor(damping).simulate(1.0, accuracy=1e-6, integrator=integrator, output_step=1.0)
    angle, z, _, speed = governed(damping, 1.0)
    assert abs(sol["left_pin.angle"][-1]) == pytest.approx(abs(angle - np.pi / 6), abs=1e-6)
    assert sol["slide.displacement"][-1] == pytest.approx(z - 0.5, abs=1e-6)
    assert sol["slide.displacement_rate"][-1] == pytest.approx(speed, abs=1e-5)
    assert sol.quality.steps < 60_000
