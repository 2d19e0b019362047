"""Friction of compliant contacts: rolling, stick without creep, LuGre, the tippe top; other shapes; nodes of flexible bodies."""
import json
from pathlib import Path

import numpy as np
import pytest
from flexible_models import rod

import pliant as pl
from pliant.items.base import matrix_of

DATA = json.loads((Path(__file__).parent / "contact_laws.json").read_text())
G = 9.81


def resting_depth(load: float, k: float) -> float:
    """Where k d^1.5 carries a load."""
    return (load / k) ** (2 / 3)


def drift(sol) -> float:
    balance = sol.energy.balance
    return abs(balance - balance[0]).max()


def billiard(**fields) -> pl.Model:
    R, k = 0.1, 1e12
    m = pl.Model("billiard", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("b", R, mass=1.0, position=(0, 0, R - resting_depth(G, k)), velocity=(3, -2, 0), angular_velocity=(4, 10, 0)))
    m.add(pl.Contact("c", m.ground, "b", stiffness=k, friction=0.2, **fields))
    return m


def test_a_ball_slides_until_it_rolls():
    """v = (5 v0 + 2 R w0 x n)/7 from 0.373 s on; then it sticks"""
    sol = billiard().simulate(0.5, accuracy=1e-8, output_step=0.01)
    assert sol["b.velocity"][-1] == pytest.approx(DATA["billiard ball R=0.1 v=(3,-2,0) w=(4,10,0) mu=0.2"]["v_roll"], abs=1e-6)
    t = sol.t[sol["c.state"] == 1][0]
    assert 0.373 < t < 0.40 and sol["c.slip_speed"][-1] < 1e-9 and drift(sol) < 1e-9
    sliding = sol.t < 0.37
    assert np.linalg.norm(sol["c.friction_force"], axis=1)[sliding][1:] == pytest.approx(0.2 * G, rel=1e-5)
    slow = billiard(rolling=0.01, spinning=0.02).simulate(0.5, accuracy=1e-6, output_step=0.1)
    assert np.linalg.norm(slow["b.velocity"][-1]) < np.linalg.norm(sol["b.velocity"][-1]) - 0.1 and drift(slow) < 1e-5


def test_an_oblique_impact_that_slips():
    """Impulses in the ratio of friction; the speed behind it is that of a rigid impact, as slip keeps its direction"""
    m = pl.Model("oblique")
    m.add(pl.RigidBody.sphere("b", 0.1, mass=1.0, position=(0, 0, 0.101), velocity=(1, 0.5, -3), angular_velocity=(2, -30, 5)))
    m.add(pl.Contact("c", m.ground, "b", stiffness=1e15, restitution=0.7, friction=0.1, friction_model="regularised", slip_speed=1e-4))
    sol = m.simulate(1e-3, accuracy=1e-7, output_step=1e-4)
    rigid = DATA["oblique impact of a sphere R=0.1 on a plane e=0.7: v=(1,0.5,-3) w=(2,-30,5)"]["mu=0.1"]
    assert sol["b.velocity"][-1] == pytest.approx(rigid["v"], abs=2e-6)
    w = matrix_of(sol["b.rotation"][-1].tolist()) @ sol["b.angular_velocity"][-1]
    assert w == pytest.approx(rigid["w"], abs=2e-4)


def test_boxes_on_a_slope_stick_or_slide():
    """tan = 0.5, 0.99 and 1.01 mu: the first two give elastically and stay, without creep; the third is accelerated as Coulomb has it"""
    th, k, found = 0.4, 1e8, []
    m = pl.Model("slope", gravity=(G * np.sin(th), 0, -G * np.cos(th)))
    for n, ratio in enumerate((0.5, 0.99, 1.01)):
        d = resting_depth(G * np.cos(th) / 4, k)
        m.add(pl.RigidBody.box(f"b{n}", (0.2, 0.2, 0.02), mass=1.0, position=(0, n, 0.01 - d)))
        m.add(pl.Contact(f"c{n}", m.ground, f"b{n}", stiffness=k, friction=np.tan(th) / ratio, stick_length=1e-5))
    sol = m.simulate(20.0, accuracy=1e-8, output_step=1.0)
    for n in range(3):
        found.append(sol[f"b{n}.position"][:, 0])
        assert sol[f"c{n}.normal_force"] == pytest.approx(G * np.cos(th), rel=1e-4)
    assert found[0][-1] == pytest.approx(0.5e-5, rel=0.01) and abs(found[1][-1]) < 1e-3
    assert abs(found[0][5:] - found[0][5]).max() < 1e-12 and abs(found[1][10:] - found[1][10]).max() < 1e-12
    gain = (sol["b2.velocity"][-1, 0] - sol["b2.velocity"][10, 0]) / (sol.t[-1] - sol.t[10])
    assert gain == pytest.approx(G * (np.sin(th) - np.tan(th) / 1.01 * np.cos(th)), rel=1e-6)
    assert set(sol["c0.state"][1:]) == {1.0} and set(sol["c2.state"][1:]) == {2.0}


@pytest.mark.parametrize(("accuracy", "within"), [(1e-8, 1e-7), (1e-10, 4e-9)])
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_stick_slip_of_lugre(coordinates, accuracy, within):
    """Canudas de Wit and others 1995: 1 kg pulled by a spring at 0.1 m/s; the times of slip are those of Radau and LSODA at 1e-11, which
    agree to 4e-9 s"""
    load, d = 0.5 * G, 1e-5
    m = pl.Model("lugre", gravity=(0, 0, -G))
    m.add(pl.RigidBody("carriage", 0.5, (1, 1, 1)))
    shoe = m.add(pl.RigidBody.sphere("shoe", 0.1, mass=0.5, position=(0, 0, 0.1 - d)))
    m.add(pl.Prismatic("P", m.ground, "carriage", axis="x"))
    m.add(pl.Prismatic("Z", m["carriage"].frame((0, 0, 0.1 - d)), shoe, axis="z"))
    m.add(pl.JointForce("pull", "P", "2*(0.1*t - P.displacement)"))
    m.add(pl.Contact("c", m.ground, shoe, stiffness=load / d**1.5, friction=1 / load, static=1.5 / load, stribeck_speed=0.001,
                     viscous=0.4 / load, friction_model="lugre", bristle_stiffness=1e5 / load, bristle_damping=1e5**0.5 / load))
    m.add(pl.Discrete("n", 0))
    m.add(pl.Event("slips", "P.displacement_rate > 0.01", [pl.Set("n.output", 1)]))
    sol = m.simulate(21.0, accuracy=accuracy, integrator=pl.RadauIIA5(), coordinates=coordinates, output_step=1.0)
    assert sol.events.of("slips").t == pytest.approx([7.458014670842895, 13.820734491909029, 20.183454312975147], abs=within)


def test_friction_that_is_viscous_alone():
    """u' = -(1/m + R^2/I) c N u of the slip of a ball that lies in its contact, without a coefficient; R to the point of contact"""
    k, m_, R, c = 1e8, 0.5, 0.05, 0.05
    d = resting_depth(m_ * G, k)
    m = pl.Model("ball", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("ball", R, mass=m_, position=(0, 0, R - d), velocity=(1, 0, 0)))
    m.add(pl.Contact("c", m.ground, "ball", stiffness=k, viscous=c))
    sol = m.simulate(1.0, accuracy=1e-8)
    arm = 0.05 - d / 2  # the point of action is in the middle of both surfaces
    rate = (1 / m_ + arm**2 / (0.4 * m_ * R**2)) * c * m_ * G
    slip = sol["ball.velocity"][:, 0] - arm * sol["ball.angular_velocity"][:, 1]
    assert sol["c.friction_force"][0] == pytest.approx([-c * m_ * G, 0, 0], rel=1e-9)
    assert abs(slip - np.exp(-rate * sol.t)).max() < 1e-6


def test_a_tippe_top():
    """cos of the tilt after 0.5 s, rolling and slipping on a point (SciPy, rigid contact; here to the depth of the contact)"""
    R, k, tilt, load = 0.015, 1e12, 0.1, 0.058820428380471745
    up = np.array([0, -np.sin(tilt), np.cos(tilt)])
    m = pl.Model("tippe top", gravity=(0, 0, -G))
    m.add(pl.RigidBody("top", 0.006, (8e-7, 8e-7, 7e-7), com=(0, 0, -0.003), position=(0, 0, R - resting_depth(load, k)),
                       rotation=pl.rotation("x", tilt), angular_velocity=(0, 0, 180), velocity=tuple(np.cross(180 * up, 0.003 * up))))
    m.add(pl.Contact("c", m.ground, "top", surface_b=pl.Surface.sphere(R), stiffness=k, friction=0.3, friction_model="regularised",
                     slip_speed=0.01))
    sol = m.simulate(0.5, accuracy=1e-8, output_step=0.1)
    assert matrix_of(sol["top.rotation"][-1].tolist())[2, 2] == pytest.approx(0.9337878614415837, abs=1e-7)
    assert sol["c.normal_force"][-1] == pytest.approx(0.06669244386606278, rel=1e-5)


def test_other_shapes_carry_and_keep_energy():
    """A box dropped on a corner, a capsule, a cylinder on its edge, and a ball in a bore: all come to bounce; what is lost is counted"""
    m = pl.Model("shapes", gravity=(0, 0, -G))
    tilt = pl.rotation((1, 2, 0.5), 0.7)
    bodies = {"box": pl.RigidBody.box("box", (0.1, 0.2, 0.15), mass=1.0, position=(0, 0, 0.2), rotation=tilt),
              "drum": pl.RigidBody.cylinder("drum", 0.1, 0.2, axis="y", mass=1.0, position=(2, 0, 0.25), rotation=tilt)}
    for name, body in bodies.items():
        m.add(body)
        m.add(pl.Contact(f"on {name}".replace(" ", "_"), m.ground, name, stiffness=1e6, restitution=0.5, friction=0.3,
                         friction_model="regularised", slip_speed=0.01))
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(1, 0.03, 0)))
    bore = m.ground.frame((1, 0, 0), pl.rotation("y", np.pi / 2))
    m.add(pl.Contact("in_bore", bore, "ball", surface_a=pl.Surface.bore(0.1), stiffness=1e6, restitution=0.5))
    sol = m.simulate(0.35, accuracy=1e-8, output_step=0.01)
    assert drift(sol) < 1e-7
    for contact in ("on_box", "on_drum", "in_bore"):
        assert {e.what for e in sol.events.of(contact)} == {"touches", "leaves"} and sol[f"{contact}.gap"].min() > -0.01
        assert sol[f"{contact}.normal_force"].max() > 10


def test_a_node_of_a_flexible_body_is_struck():
    """A ball against the end of a free flexible rod, and one against its start that is held: momentum stays, energy is counted"""
    m = pl.Model("rod")
    flexible = m.add(pl.ModalBody("rod", rod(), damping=0.01))
    m.add(pl.RigidBody.sphere("ball", 0.02, mass=0.1, position=(1, 0, 0.05), velocity=(0, 0, -1)))
    m.add(pl.Contact("c", flexible["end"], "ball", surface_a=pl.Surface.sphere(0.02), stiffness=1e7, restitution=0.8))
    sol = m.simulate(0.015, accuracy=1e-8, output_step=1e-4)
    assert sol["c.normal_force"].max() > 100 and sol.events.of("c")[0].t == pytest.approx(0.01, abs=1e-9)
    momentum = sol["model.momentum"]
    assert abs(momentum - [0, 0, -0.1]).max() < 1e-10 and drift(sol) < 1e-8
    assert sol["rod.end.velocity"][-1, 2] < -0.05
