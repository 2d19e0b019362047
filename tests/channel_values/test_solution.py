"""Channels against kinematics done by hand, and the tables made of them."""
import mechanisms
import numpy as np
import pytest
from mechanisms import CRANK, OMEGA, ROD

import pliant as pl
from pliant.channel_values.observer import quaternions
from pliant.items.base import matrix_of, quaternion_of


@pytest.fixture(scope="module")
def crank():
    return mechanisms.slider_crank().simulate(1.0, step=1e-3, output_step=5e-3)


@pytest.fixture(scope="module")
def swing():
    return mechanisms.pendulum().simulate(1.0, step=1e-3, output_step=1e-2)


def test_frames_of_a_crank_that_turns_steadily(crank):
    phi = OMEGA * crank.t
    c, s, zero = np.cos(phi), np.sin(phi), 0 * phi
    expected = {"position": np.column_stack([c, s, zero]), "velocity": OMEGA * np.column_stack([-s, c, zero]),
                "acceleration": -OMEGA**2 * np.column_stack([c, s, zero])}
    for quantity, unit_vector in expected.items():
        np.testing.assert_allclose(crank[f"crank.end.{quantity}"], CRANK * unit_vector, atol=1e-9)
        np.testing.assert_allclose(crank[f"crank.{quantity}"], CRANK / 2 * unit_vector, atol=1e-9)
    np.testing.assert_allclose(crank["crank.angular_velocity"], [(0, 0, OMEGA)] * len(phi), atol=1e-9)
    np.testing.assert_allclose(crank["crank.angular_acceleration"], 0, atol=1e-7)
    quaternion = np.column_stack([np.cos(phi / 2), zero, zero, np.sin(phi / 2)])
    np.testing.assert_allclose(crank["crank.rotation"], quaternion, atol=1e-9)


def test_joint_coordinates_of_a_slider_crank(crank):
    """x = r cos phi + sqrt(l^2 - r^2 sin^2 phi); angles count their turns."""
    phi = OMEGA * crank.t
    root = np.sqrt(ROD**2 - (CRANK * np.sin(phi))**2)
    x = CRANK * np.cos(phi) + root
    rate = -CRANK * OMEGA * np.sin(phi) * (1 + CRANK * np.cos(phi) / root)
    np.testing.assert_allclose(crank["A.angle"], phi, atol=1e-9)
    np.testing.assert_allclose(crank["A.angle_rate"], OMEGA, atol=1e-9)
    np.testing.assert_allclose(crank["D.displacement"] - crank["D.displacement"][0], x - x[0], atol=1e-9)
    np.testing.assert_allclose(crank["D.displacement_rate"], rate, atol=1e-9)
    np.testing.assert_allclose(crank["gap.distance"], x, atol=1e-9)
    np.testing.assert_allclose(crank["gap.rate"], rate, atol=1e-9)
    np.testing.assert_allclose(crank["gap.angle"], 0, atol=1e-7)
    np.testing.assert_allclose(crank["B.angle"], -np.arcsin(CRANK * np.sin(phi) / ROD) - phi, atol=1e-9)


def test_reactions_obey_newton(crank):
    """Slider: m a = C + D + m g. Crank: its drive supplies the moment about the shaft that its motion and load ask for."""
    gravity = np.array([0, -9.81, 0])
    left = 0.0755 * (crank["slider.acceleration"] - gravity)
    np.testing.assert_allclose(crank["C.force"] + crank["D.force"], left, atol=1e-8)
    arm = crank["crank.end.position"]
    moment = np.cross(crank["crank.position"], 0.36 * gravity) + np.cross(arm, -crank["B.force"])
    np.testing.assert_allclose(crank["motor.effort"], -moment[:, 2], atol=1e-8)
    np.testing.assert_allclose(crank["motor.power"], OMEGA * crank["motor.effort"], atol=1e-8)
    np.testing.assert_allclose(crank["A.torque.z"], 0, atol=1e-9)  # a hinge carries none; the drive is a channel of its own


def test_reactions_in_the_axes_of_the_joint(swing):
    np.testing.assert_allclose(swing["A.force"], swing["bob.acceleration"] - (0, -9.81, 0), atol=1e-9)
    for name in ("force", "torque"):  # axis z, frame a on the ground: a turn about z at most
        np.testing.assert_allclose(np.linalg.norm(swing[f"A.{name}_joint"], axis=1), np.linalg.norm(swing[f"A.{name}"], axis=1),
                                   atol=1e-12)
        np.testing.assert_allclose(swing[f"A.{name}_joint.z"], swing[f"A.{name}.z"], atol=1e-12)


def test_springs_and_bushings():
    m = pl.Model("springs")
    a = m.add(pl.RigidBody.sphere("a", 0.1, mass=2.0, position=(1.5, 0, 0), velocity=(0.5, 0, 0), angular_velocity=(0, 0, 0)))
    b = m.add(pl.RigidBody.sphere("b", 0.1, mass=2.0, position=(0, 3, 0), velocity=(0, 0.1, 0), angular_velocity=(0, 0, 0)))
    m.add(pl.SpringDamper("k", m.ground, a, 40.0, 3.0, 1.0))
    m.add(pl.Bushing("rubber", m.ground.frame((0, 3, 0)), b, stiffness=[10, 20, 30, 1, 1, 1]))
    sol = m.simulate(1.0, step=1e-3, output_step=1e-2)
    x, v = sol["a.position.x"], sol["a.velocity.x"]
    np.testing.assert_allclose(sol["k.length"], x, atol=1e-12)
    np.testing.assert_allclose(sol["k.rate"], v, atol=1e-12)
    np.testing.assert_allclose(sol["k.force"], 40 * (x - 1) + 3 * v, atol=1e-10)
    np.testing.assert_allclose(sol["k.force"], -2 * sol["a.acceleration.x"], atol=1e-9)  # positive pulls
    np.testing.assert_allclose(sol["rubber.force.y"], -20 * (sol["b.position.y"] - 3), atol=1e-10)


def test_one_channel_at_a_time_or_many_together(monkeypatch):
    """Frames are computed in blocks; a channel does not depend on how large they are."""
    from pliant.channel_values import observer
    sol = mechanisms.four_bar().simulate(0.1, step=1e-3)
    whole = {name: sol[name] for name in sol.channels}
    monkeypatch.setattr(observer, "BLOCK", 1)
    monkeypatch.setattr(observer, "BLOCKS", 2)
    single = observer.Observer(sol.dynamics, sol.rows, sol.energies)
    for name, value in whole.items():
        np.testing.assert_array_equal(single(name), value)


def test_energy(swing, crank):
    v = swing["bob.velocity"]
    spin = 0.5 * 0.4 * 0.05**2 * swing["A.angle_rate"]**2
    np.testing.assert_allclose(swing.energy.kinetic, 0.5 * (v**2).sum(1) + spin, atol=1e-12)
    np.testing.assert_allclose(swing.energy.potential, 9.81 * swing["bob.position.y"], atol=1e-12)
    assert swing.energy.drift == abs(swing.energy.balance - swing.energy.balance[0]).max()
    assert swing.energy.drift < 1e-4 < np.ptp(swing.energy.kinetic)
    for name in ("kinetic", "potential", "elastic", "dissipated", "work"):
        np.testing.assert_array_equal(crank[f"energy.{name}"], getattr(crank.energy, name))
    change = crank.energy.kinetic + crank.energy.potential
    np.testing.assert_allclose(crank.energy.work, change - change[0], atol=2e-4)


def test_components(crank):
    whole = crank["crank.end.position"]
    for k, letter in enumerate("xyz"):
        np.testing.assert_array_equal(crank[f"crank.end.position.{letter}"], whole[:, k])
    np.testing.assert_array_equal(crank["crank.rotation.w"], crank["crank.rotation"][:, 0])
    assert crank.unit("crank.end.position.x") == crank.unit("crank.end.position") == "m"


@pytest.mark.parametrize("wrong, hint", [("crank.end.positon", "did you mean 'crank.end.position'"),
                                         ("A.angel", "did you mean 'A.angle'"),
                                         ("crank.end.position.w", "no channel 'crank.end.position.w'"),
                                         ("energy.kinetic.x", "no channel"), ("nothing", "no channel 'nothing'")])
def test_unknown_channels_are_refused_with_a_hint(crank, wrong, hint):
    with pytest.raises(KeyError, match=hint):
        crank[wrong]
    with pytest.raises(KeyError, match=hint):
        crank.select(wrong)


def test_select(crank):
    assert crank.select("energy.*") == [f"energy.{e}" for e in ("kinetic", "potential", "elastic", "dissipated", "work")]
    assert crank.select("A.angle", "A.angle*", "A.force.x") == ["A.angle", "A.angle_rate", "A.force.x"]
    assert set(crank.select("*")) == set(crank.channels)


def test_what_a_solution_says_about_itself(crank):
    assert "'slider crank': 0 to 1 s, 201 rows" in repr(crank)
    assert "incomplete" not in repr(crank)
    assert crank.units["motor.effort"] == "N*m"
    assert crank.quality.position_violation < 1e-9


def test_quaternions_of_matrices():
    """They are those of the single conversion up to sign, and follow each other without jumps."""
    rng = np.random.default_rng(0)
    q = rng.normal(size=(50, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    R = np.array([matrix_of(x) for x in q])
    found = quaternions(R)
    np.testing.assert_allclose(np.array([matrix_of(x) for x in found]), R, atol=1e-14)
    np.testing.assert_allclose(abs((found * [quaternion_of(r) for r in R]).sum(1)), 1, atol=1e-14)
    assert (np.einsum("ni,ni->n", found[1:], found[:-1]) >= 0).all()
    half_turns = quaternions(np.array([np.diag(d) for d in ((1.0, -1, -1), (-1, 1, -1), (-1, -1, 1), (1, 1, 1))]))
    np.testing.assert_allclose(abs(half_turns), np.eye(4)[[1, 2, 3, 0]], atol=1e-15)


def test_gears_have_an_effort_and_leave_the_hinges_free():
    """A wheel driven with acceleration 4 through a gear of ratio -2: the gear turns the second wheel by J alpha."""
    m = pl.Model("gear")
    for k in range(2):
        wheel = m.add(pl.RigidBody.cylinder(f"wheel{k}", 0.1, 0.02, mass=2.0, position=(0.3 * k, 0, 0)))
        m.add(pl.Revolute(f"H{k}", m.ground.frame((0.3 * k, 0, 0)), wheel, axis="z"))
    m.add(pl.Gear("mesh", "H0", "H1", ratio=-2.0))
    m.add(pl.Drive("H0", "angle", "2 * t^2", name="motor"))
    sol = m.simulate(0.5, step=1e-3, output_step=1e-2)
    J = 0.5 * 2.0 * 0.1**2
    np.testing.assert_allclose(sol["H1.angle"], -4 * sol.t**2, atol=1e-9)
    np.testing.assert_allclose(abs(sol["mesh.effort"]), 8 * J, atol=1e-9)
    np.testing.assert_allclose(sol["motor.effort"], 4 * J + 2 * 8 * J, atol=1e-9)
    for name in ("H0.torque", "H1.torque", "H0.force", "H1.force"):
        np.testing.assert_allclose(sol[name], 0, atol=1e-9)


def test_forces_at_the_same_frames_and_at_their_own():
    """Two springs about one hinge act at the same frames, each tells its own torque; those that act alone are computed in one pass."""
    m = pl.Model("springs", gravity=(0, 0, -9.81))
    b = m.add(pl.RigidBody.box("b", (0.2, 0.3, 0.4), mass=2.0, position=(0.5, 0, 0), frames={"end": (0.3, 0.1, 0.2)}))
    m.add(pl.Revolute("A", m.ground, b.frame((-0.5, 0, 0)), axis=(0, 1, 0.3)))
    m.add(pl.TorsionSpring("soft", "A", stiffness=3.0))
    m.add(pl.TorsionSpring("hard", "A", stiffness=50.0, damping=0.2))
    for k in range(3):
        m.add(pl.SpringDamper(f"s{k}", m.ground.frame((0.2 * k, 1, 2)), "b.end", stiffness=10.0 * (k + 1), length=0.5))
    sol = m.simulate(0.5, output_step=0.05)
    np.testing.assert_allclose(abs(sol["soft.torque"]), 3 * abs(sol["A.angle"]), atol=1e-9)
    np.testing.assert_allclose(abs(sol["hard.torque"]), abs(50 * sol["A.angle"] + 0.2 * sol["A.angle_rate"]), atol=1e-9)
    for k in range(3):
        length = np.linalg.norm(sol["b.end.position"] - [0.2 * k, 1, 2], axis=1)
        np.testing.assert_allclose(abs(sol[f"s{k}.force"]), abs(10 * (k + 1) * (length - 0.5)), atol=1e-9)
    assert len([key for key in sol._observer._forces if key[0] == "force"]) == 6, "both ends of three springs, once"
