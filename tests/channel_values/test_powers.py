"""Power of forces, drives and joints: integrated over time it is the change of energy; what forces are."""
import numpy as np
import pytest
from outsider.attraction import Attraction
from scipy.interpolate import CubicSpline
from sliding_models import geared

import pliant as pl
from pliant.items.base import matrix_of


def machine() -> pl.Model:
    """In space and off all axes: every kind of force, a drive, two joints in a chain, a free body."""
    m = pl.Model("machine", gravity=(0.3, 1, -9.81))
    a = m.add(pl.RigidBody("a", mass=2, inertia=(1, 2, 2.5), com=(0.1, 0.2, 0.3), position=(0.5, 0.1, 0.2),
                           rotation=pl.rotation((1, 2, 3), 0.7)))
    b = m.add(pl.RigidBody("b", mass=3, inertia=(1, 2, 2.5), position=(-0.5, 0.7, 0.2), velocity=(0, 1, 3), angular_velocity=(1, -5, 2)))
    c = m.add(pl.RigidBody("c", mass=1, inertia=(0.1, 0.2, 0.25)))
    m.add(pl.Cylindrical("A", m.ground.frame((0.5, 0.1, 0.2)), a, axis=(1, 2, 0.5), angle_rate=2.0))
    m.add(pl.Revolute("B", a, c.frame((0, 0, 0.1)), axis=(0, 1, 1)))
    m.add(pl.TorsionSpring("twist", "A", 30, "0.5*v + v^3", 0.3))
    m.add(pl.AxialSpring("axial", "A", 300, 3, 0.05))
    m.add(pl.Drive("B", "angle", "0.5*sin(3*t)", name="motor"))
    m.add(pl.SpringDamper("spring", a.frame((0.2, 0, 0)), b.frame((0, 0.1, 0)), "50*x + 20*x^3", 2, 0.5))
    m.add(pl.Bushing("mount", a, b.frame((0.1, 0.1, 0.1)), stiffness=[100, 200, 300, 10, 20, 30], damping=[1, 2, 3, 0.4, 0.5, 0.6]))
    m.add(pl.Force("push", b.frame((0.3, 0, 0.1)), ("3*cos(2*t)", "-5*A.angle_rate", 1.0), axes="frame"))
    m.add(pl.Force("more", b.frame((0.3, 0, 0.1)), (0, 0, "-2*b.velocity.z")))
    m.add(pl.Torque("turn", c, (1, "sin(t)", 2)))
    return m


ACTING = ("twist", "axial", "motor", "spring", "mount", "push", "more", "turn")


@pytest.fixture(scope="module", params=["absolute", "joint"])
def run(request) -> pl.Solution:
    return machine().simulate(2.0, accuracy=1e-9, output_step=2e-3, coordinates=request.param)


def work(sol, *names) -> np.ndarray:
    return CubicSpline(sol.t, sum(sol[f"{name}.power"] for name in names)).antiderivative()(sol.t)


def test_all_power_is_the_change_of_energy(run):
    """Kinetic and potential: what springs store has been taken from the bodies."""
    energy = run["energy.kinetic"] + run["energy.potential"]
    np.testing.assert_allclose(work(run, *ACTING), energy - energy[0], atol=1e-6)
    assert all(run.unit(f"{name}.power") == "W" and abs(run[f"{name}.power"]).max() > 0.1 for name in ACTING)


def test_loads_and_drives_supply_the_work_of_the_run():
    """With laws that are numbers: what springs give and take is elastic energy and dissipation."""
    m = machine()
    m["spring"].stiffness, m["twist"].damping = 50.0, 0.5
    sol = m.simulate(1.0, accuracy=1e-9, output_step=2e-3)
    np.testing.assert_allclose(work(sol, "motor", "push", "more", "turn"), sol.energy.work, atol=1e-6)
    lost = work(sol, "twist", "axial", "spring", "mount")
    np.testing.assert_allclose(lost, sol.energy.elastic[0] - sol.energy.elastic - sol.energy.dissipated, atol=1e-6)


def test_a_law_takes_what_it_dissipates(run):
    """The damper of the axial spring: force times rate, positive out of the bodies."""
    np.testing.assert_allclose(run["axial.power"], -run["axial.force"] * run["axial.rate"], atol=1e-9)
    np.testing.assert_allclose(run["twist.power"], -run["twist.torque"] * run["twist.rate"], atol=1e-9)
    np.testing.assert_allclose(run["spring.power"], -run["spring.force"] * run["spring.rate"], atol=1e-9)


def test_loads_are_channels_in_world_axes(run):
    """``push`` turns with the body, ``more`` acts at the same place, ``turn`` does not turn."""
    R = np.array([matrix_of(q) for q in run["b.rotation"]])
    own = np.column_stack([3 * np.cos(2 * run.t), -5 * run["A.angle_rate"], np.ones_like(run.t)])
    np.testing.assert_allclose(run["push.force"], np.einsum("nij,nj->ni", R, own), atol=1e-12)
    np.testing.assert_allclose(run["more.force.z"], -2 * run["b.velocity.z"], atol=1e-12)
    np.testing.assert_allclose(run["turn.torque"], np.column_stack([1 + 0 * run.t, np.sin(run.t), 2 + 0 * run.t]), atol=1e-12)
    assert (run.unit("push.force"), run.unit("turn.torque")) == ("N", "N*m")
    with pytest.raises(KeyError, match=r"no channel 'push\.torque'; did you mean"):
        run["push.torque"]


def test_joints_have_the_power_of_what_acts_across_them(run):
    np.testing.assert_allclose(run["A.power"], run["twist.power"] + run["axial.power"], atol=1e-12)
    np.testing.assert_array_equal(run["B.power"], run["motor.power"])


def test_joints_without_coordinates_have_none():
    m = pl.Model("ball", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody("a", mass=1, inertia=(1, 1, 1), com=(1, 0, 0)))
    m.add(pl.Spherical("S", m.ground, "a"))
    m.add(pl.Measure("gap", m.ground, "a"))
    sol = m.simulate(0.1)
    assert "S.power" not in sol.units
    reaction = np.einsum("ni,ni->n", sol["S.force"], sol["a.velocity"]) + np.einsum("ni,ni->n", sol["S.torque"], sol["a.angular_velocity"])
    assert abs(reaction).max() < 1e-12  # no work


def gearbox() -> pl.Model:
    """Motor on one shaft, brake on the other."""
    m = pl.Model("gearbox")
    for k, name in enumerate(("slow", "fast")):
        m.add(pl.RigidBody.cylinder(name, radius=0.1, length=0.1, mass=5, position=(0.3 * k, 0, 0)))
        m.add(pl.Revolute(f"{name}_shaft", m.ground.frame((0.3 * k, 0, 0)), name, axis="z"))
    m.add(pl.Gear("gear", "slow_shaft", "fast_shaft", ratio=-3.0))
    m.add(pl.Drive("slow_shaft", "angle", "2*t + 0.1*sin(5*t)", name="motor"))
    m.add(pl.TorsionSpring("brake", "fast_shaft", damping=0.4))
    return m


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_gear_carries_power_from_joint_to_joint(coordinates):
    """What the motor supplies beyond the change of its wheel's energy leaves through the gear and reaches the brake."""
    sol = gearbox().simulate(1.0, coordinates=coordinates, accuracy=1e-9, output_step=1e-3)
    through = sol["fast_shaft.power"] - sol["brake.power"]
    np.testing.assert_allclose(sol["slow_shaft.power"], sol["motor.power"] - through, atol=1e-9)
    own = 0.5 * 5 * 0.1**2 / 2 * sol["slow_shaft.angle_rate"] ** 2
    np.testing.assert_allclose(CubicSpline(sol.t, own)(sol.t, 1)[5:-5], sol["slow_shaft.power"][5:-5], atol=1e-5)
    assert abs(through).max() > 1.0


def test_what_slides_on_a_flexible_body():
    """A rack moves one load, a winch another; the boom stores energy, whose spring at the root is an item."""
    sol = geared().simulate(0.3, accuracy=1e-9, output_step=5e-4)
    inside = sol.energy.elastic - 50 * sol["A.angle"] ** 2 + sol.energy.dissipated
    energy = sol.energy.kinetic + sol.energy.potential + inside
    np.testing.assert_allclose(work(sol, "T", "winch"), energy - energy[0], atol=1e-6 * np.ptp(sol.energy.kinetic) + 1e-7)
    np.testing.assert_allclose(sol["S.power"], -sol["P.power"], atol=1e-8 * abs(sol["S.power"]).max())
    assert abs(sol["S.power"]).max() > 0.1


def test_many_forces_are_computed_together(monkeypatch):
    """One pass over the rows for all loads, one for all springs."""
    from pliant.channel_values import observer
    m, passes, once = pl.Model("many"), [], observer.observe_forces
    for k in range(20):
        m.add(pl.RigidBody(f"b{k}", mass=1, inertia=(1, 1, 1), position=(k, 0, 0)))
        m.add(pl.Force(f"f{k}", f"b{k}", (f"{k}*t", 0, 0)))
        m.add(pl.SpringDamper(f"s{k}", m.ground.frame((k, 1, 0)), f"b{k}", 3.0))
    sol = m.simulate(0.1)
    monkeypatch.setattr(observer, "observe_forces", lambda *args: passes.append(1) or once(*args))
    powers = [sol[f"{kind}{k}.power"] for kind in "fs" for k in range(20)]
    assert len(passes) == 2 and np.isfinite(powers).all()
    np.testing.assert_allclose(sol["f7.force.x"], 7 * sol.t, rtol=1e-14)


def test_files_without_a_model_keep_them(tmp_path):
    """A law in Python cannot be stored; what was recorded can be read."""
    m = machine()
    m["turn"].vector = (1, lambda t: np.sin(t), 2)
    sol = m.simulate(0.1, accuracy=1e-7)
    sol.save(tmp_path / "run.h5")
    back = pl.load(tmp_path / "run.h5")
    for channel in ("turn.torque", "turn.power", "A.power", "mount.power"):
        np.testing.assert_array_equal(back[channel], sol[channel])
        assert back.unit(channel) == sol.unit(channel)


def test_a_law_from_outside_has_the_power_of_any_pair():
    """The channel of the package serves items of others."""
    from pliant.items.force_channels import POWER

    class Pulls(Attraction):
        def channels(self):
            return *super().channels(), POWER

    m = pl.Model("pair")
    m.add(pl.RigidBody("a", mass=1, inertia=(1, 1, 1), velocity=(0, 1, 0)))
    m.add(pl.RigidBody("b", mass=2, inertia=(1, 1, 1), position=(1, 0.5, 0.2)))
    m.add(Pulls("F", "a", "b", strength=2.0))
    sol = m.simulate(0.3, accuracy=1e-9, output_step=1e-3)
    np.testing.assert_allclose(work(sol, "F"), sol.energy.kinetic - sol.energy.kinetic[0], atol=1e-8)
