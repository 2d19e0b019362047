"""Closed forms of dry friction and impacts at the accuracy 1e-8; rigid contacts as limits of compliant ones; both coordinates."""
import numpy as np
import pytest
from rolling_models import disc, wheelset

import pliant as pl

G = 9.81
EXPLICIT = {"integrator": pl.DOP853()}


def sliding_block(friction, x=0.0, velocity=0.0, spring=0.0) -> pl.Model:
    m = pl.Model("block", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("b", (0.1, 0.1, 0.1), mass=1.0, position=(x, 0, 0.05), velocity=(velocity, 0, 0)))
    m.add(pl.Force("k", "b", (f"-{spring}*b.position.x", 0, 0)))
    m.add(pl.Contact("c", "ground", "b", law="rigid", friction=friction))
    return m


def test_a_block_on_a_spring_and_one_that_is_thrown():
    """Half swings of pi/10 about +-mu m g / k, until friction holds it; v0 / (mu g) and v0^2 / (2 mu g)."""
    sol = sliding_block(0.2, x=0.2, spring=100.0).simulate(2.0, accuracy=1e-8, **EXPLICIT,
                                                          output_times=[*(np.arange(1, 6) * np.pi / 10), 2.0])
    assert sol["b.position"][1:, 0] == pytest.approx([-0.16076, 0.12152, -0.08228, 0.04304, -0.0038, -0.0038], abs=1e-9)
    assert [e.t for e in sol.events if e.what == "sticks"] == pytest.approx([np.pi / 2] * 4, abs=1e-9)
    sol = sliding_block(0.3, velocity=3.0).simulate(2.0, accuracy=1e-8, **EXPLICIT)
    assert [e.t for e in sol.events if e.what == "sticks"] == pytest.approx([1.01936799184506] * 4, abs=1e-9)
    assert sol["b.position"][-1, 0] == pytest.approx(1.52905198776758, rel=1e-9)


@pytest.mark.parametrize(("place", "stop", "pivot"), [(1.0, 2.89330261120402, 1.4466513056020105), (2 / 3, 4.339953916806031, 0.0),
                                                      (0.4, 7.23325652801005, -2.893302611204019)])
def test_a_rod_that_strikes_a_post_along_its_length(place, stop, pivot):
    """Impulses of the post and, by the momentum that is left, of the hinge: none in the centre of percussion."""
    m, r, t, beside = pl.Model("rod", gravity=(0, 0, -G)), 0.01, 0.4833337135933114, 1e-7
    m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, m["rod"]["start"], axis="y"))
    m.add(pl.Contact("c", m["rod"].frame((place - 0.5, 0, 0)), m.ground.frame((-r, 0, -place), pl.rotation("y", np.pi / 2)),
                     surface_a=pl.Surface.sphere(r), surface_b="plane", law="rigid", restitution=0.6))
    sol = m.simulate(1.0, accuracy=1e-8, output_times=[t - beside, t + beside], **EXPLICIT)
    hit = sol.events[0]
    assert hit.t == pytest.approx(t, abs=1e-9)
    assert (hit.impulse, hit.energy_lost) == pytest.approx((stop, 3.1392), rel=1e-9)
    change = sol["rod.velocity"][2, 0] - sol["rod.velocity"][1, 0]  # nothing else acts along x as it hangs
    assert change - hit.impulse == pytest.approx(pivot, abs=1e-8)


def painleve(degrees, mu) -> pl.Model:
    """A rod of 1 m that leans by the angle and is pushed along; it jams if 1 + 3 cos (cos - mu sin) < 0."""
    a, half, r = np.radians(degrees), 0.5, 1e-9
    m = pl.Model("rod", gravity=(0, 0, -G))
    m.add(pl.RigidBody("rod", mass=1.0, inertia=(half**2 / 3, half**2 / 3, 1e-4), position=(0, 0, half * np.sin(a) + r),
                       velocity=(-1.0, 0, 0), rotation=pl.rotation("y", np.pi / 2 - a)))
    m.add(pl.Contact("tip", m["rod"].frame((0, 0, -half)), "ground", surface_a=pl.Surface.sphere(r), law="rigid", friction=mu))
    return m


@pytest.mark.parametrize(("mu", "degrees", "jams"), [(1.4, 55.5857, False), (1.4, 55.5859, True), (1.4, 69.9518, True),
                                                     (1.4, 69.9520, False), (1.3333, 63.434949, False), (1.3334, 63.434949, True)])
def test_where_a_rod_begins_to_jam(mu, degrees, jams):
    """Between 55.58581 and 69.95187 degrees for 1.4; at 63.43495 from 4/3 on."""
    sol = painleve(degrees, mu).simulate(1e-5, accuracy=1e-8)
    assert ("jams" in [e.what for e in sol.events]) == jams


def test_a_ball_that_is_thrown_without_spin():
    """It rolls after 2 v0 / (7 mu g), with 5 v0 / 7."""
    m = pl.Model("thrown", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("b", 0.1, mass=1.0, position=(0, 0, 0.1), velocity=(2, 0, 0)))
    m.add(pl.Contact("c", "ground", "b", law="rigid", friction=0.2))
    t = 0.29124799767001597
    sol = m.simulate(0.5, accuracy=1e-8, output_times=[t, 0.5], **EXPLICIT)
    assert [e.t for e in sol.events if e.what == "sticks"] == pytest.approx([t], abs=1e-9)
    assert sol["b.velocity"][-1, 0] == pytest.approx(1.4285714285714286, rel=1e-8)
    assert sol["b.position"][1, 0] == pytest.approx(0.4992822817200274, rel=1e-8)


# -- two routes
def bounces(**law) -> pl.Model:
    m = pl.Model("bounces", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("b", 0.05, mass=0.5, position=(0, 0, 0.55)))
    m.add(pl.Contact("c", "ground", "b", restitution=0.8, **law))
    return m


def oblique(**law) -> pl.Model:
    """Slips throughout the impact."""
    m = pl.Model("oblique", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("b", 0.1, mass=1.0, position=(0, 0, 0.11), velocity=(1, 0.5, -3), angular_velocity=(2, -30, 5)))
    regular = {} if law.get("law") else {"friction_model": "regularised", "slip_speed": 1e-5}
    m.add(pl.Contact("c", "ground", "b", restitution=0.7, friction=0.1, **regular, **law))
    return m


def rod_on_post(**law) -> pl.Model:
    m, r = pl.Model("rod", gravity=(0, 0, -G)), 0.01
    m.add(pl.RigidBody.rod("b", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, m["b"]["start"], axis="y"))
    m.add(pl.Contact("c", m["b"].frame((0.5, 0, 0)), m.ground.frame((-r, 0, -1), pl.rotation("y", np.pi / 2)),
                     surface_a=pl.Surface.sphere(r), surface_b="plane", restitution=0.6, **law))
    return m


@pytest.mark.parametrize(("model", "T"), [(bounces, 1.2), (oblique, 0.3), (rod_on_post, 0.7)])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_compliant_contacts_come_to_rigid_ones(model, T, exponent):
    """At the rate of the time of contact, k^(-1/(p + 1)), which is that of the depth [law-4]."""
    how, errors = {"accuracy": 1e-8, "output_times": [T], **EXPLICIT}, []
    def end(sol):
        return np.concatenate([sol["b.position"][-1], sol["b.velocity"][-1]])
    rigid = end(model(law="rigid").simulate(T, **how))
    stiffness = np.array([1e6, 1e8]) * (1 if exponent == 1 else 1e4)
    errors = [abs(end(model(stiffness=k, exponent=exponent).simulate(T, **how)) - rigid).max() for k in stiffness]
    assert errors[1] < 5e-3 and errors[0] / errors[1] == pytest.approx(100 ** (1 / (exponent + 1)), rel=0.05)


def two_links(**law) -> pl.Model:
    """A double pendulum in space that strikes a floor with its end."""
    m, r = pl.Model("links", gravity=(1.0, 0, -G)), 0.02
    a = m.add(pl.RigidBody.rod("a", start=(0, 0, 0), end=(0.6, 0, 0), mass=1.0, radius=0.02))
    b = m.add(pl.RigidBody.rod("b", start=(0.6, 0, 0), end=(1.1, 0.1, 0), mass=0.8, radius=0.02))
    m.add(pl.Revolute("A", m.ground, a["start"], axis=(0.2, 1, 0)))
    m.add(pl.Revolute("B", a["end"], b["start"], axis=(0, 1, 0.3)))
    m.add(pl.Contact("c", m.ground.frame((0, 0, -0.8)), b["end"], surface_a="plane", surface_b=pl.Surface.sphere(r), **law))
    return m


def limited() -> pl.Model:
    m = two_links(law="rigid", restitution=0.5)
    m.add(pl.Stop("s", "B", "angle", lower=-0.6, upper=0.4, law="rigid", restitution=0.7))
    m.add(pl.Stop("u", "A", "angle", upper=0.9, stiffness=1e5, restitution=0.5))
    return m


@pytest.mark.parametrize(("model", "T"), [
    (lambda: two_links(law="rigid", restitution=0.5), 0.8),
    (lambda: two_links(stiffness=1e6, restitution=0.5, friction=0.4, stick_length=1e-4), 0.8), (limited, 0.8),
    (disc, 1.0), (lambda: wheelset(lateral=1e-2), 5.0)], ids=["rigid", "compliant", "stops", "disc", "wheelset"])
def test_absolute_and_joint_coordinates_agree(model, T):
    ends = []
    for coordinates in ("absolute", "joint"):
        sol = model().simulate(T, accuracy=1e-10, coordinates=coordinates, output_times=[T], **EXPLICIT)
        bodies = [name[:-9] for name in sol.channels if name.endswith(".position") and name.count(".") == 1]
        state = np.concatenate([sol[f"{b}.{what}"][-1] for b in bodies for what in ("position", "velocity")])
        ends.append((state, [e.t for e in sol.events]))
    assert ends[0][0] == pytest.approx(ends[1][0], abs=1e-8) and ends[0][1] == pytest.approx(ends[1][1], abs=1e-8)
    assert ends[0][1] or "roll" in sol.channels or T > 0.8  # the others strike something
