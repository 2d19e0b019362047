"""Beams of points and torsional springs as bodies of a model: equations, flights, frequencies, equilibria, what they cannot hold."""

import numpy as np
import pytest
from closed_forms import elastica_tip
from derivatives import ComplexStep

import pliant as pl
from pliant.items.base import matrix_of
from pliant.kernels import evaluation
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

SOFT, ROUND = pl.Material(2e6, 0.3, 1000.0), pl.Section.circle(0.04)
ARC = [(np.sin(a), 0.2 * a, 1 - np.cos(a)) for a in np.linspace(0, 2, 9)]
PARTS = ("kinetic", "potential", "elastic", "dissipated")


def rod(*ends, **more):
    given = {"profile": ROUND, "material": SOFT, "elements": 4, "formulation": "torsional-springs"} | more
    return pl.Beam("rod", *ends, **given)


# -- equations
def jointed(turned):
    """A curved beam on a pin; its direction is held at a node and between nodes, places at both; damped; a moment at its end."""
    m = pl.Model("jointed", gravity=(0.3, -0.7, -9.81))
    beam = rod(points=ARC, damping=0.02, velocity=(1, 2, 3), angular_velocity=(0.3, -0.2, 0.5), frames={"third": 0.31})
    body = pl.RigidBody("load", 2.0, (1, 2, 3), com=(0.1, 0.2, -0.1), position=(0.9, 0.5, 1.3), velocity=(0, 1, 0))
    for item in (body, beam) if turned else (beam, body):
        m.add(item)
    m.add(pl.Spherical("S", m.ground, beam["start"]))
    m.add(pl.Revolute("R", beam["node_2"], "load", axis="x"))
    m.add(pl.PointOnPlane("across", beam["end"], "load", axis="x"))
    m.add(pl.SpringDamper("F", beam.at(0.77), m.ground.frame((1, 1, 1)), 30.0, 2.0))
    m.add(pl.Force("P", "rod.third", ("1 + rod.third.velocity.x", 0, 0), axes="frame"))
    m.add(pl.Torque("T", "rod.end", np.cross(beam.axis.poses[-1].axes[:, 0], (1, 2, 3))))
    return m


@pytest.mark.parametrize("turned", [False, True])
def test_the_tangent_is_exact(turned):
    system, rng = jointed(turned).compile(exact=True).system, np.random.default_rng(5)
    c = ComplexStep(system, seed=5)
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.1, c.real.q)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-11 * abs(expected).max())


# -- motion
@pytest.mark.parametrize(("more", "accuracy"), [({}, 1e-9), ({"damping": 0.01}, 1e-8)])
def test_a_flight_keeps_energy_and_momenta(more, accuracy):
    """Thrown with a weight behind it in the list; at the start centre, momenta and energy are those of its masses as a rigid body."""
    m = pl.Model("flight")
    m.add(pl.RigidBody.box("load", (0.2, 0.2, 0.2), mass=5, position=(2.3, 0.5, 0.3)))
    beam = m.add(rod((0.2, 0.1, 0), (2.2, 0.5, 0.3), velocity=(1, 2, 3), angular_velocity=(0.5, 3, 4), **more))
    m.add(pl.Spherical("pin", "rod", "load", at=(2.2, 0.5, 0.3)))
    m.add(pl.Group("alone", ["rod"]))
    sol = m.simulate(0.3, output_step=0.1, integrator="dop853", accuracy=1e-9, progress=False)
    whole = sum(sol[f"energy.{part}"] for part in PARTS)
    assert sol["energy.elastic"].max() > 1e-3 * whole[0] and sol["energy.elastic"][0] < 1e-20
    np.testing.assert_allclose(whole, whole[0], rtol=accuracy)
    for quantity in ("model.momentum", "model.angular_momentum"):
        value = sol[quantity]
        np.testing.assert_allclose(value, np.tile(value[0], (len(value), 1)), rtol=0, atol=1e-9 * abs(value[0]).max())
    R, shares = matrix_of(beam.rotation), beam.mass / 4 * np.array([0.5, 1, 1, 1, 0.5])
    points = np.linspace(beam.start, beam.end, 5)
    speeds = np.array(beam.velocity) + np.cross(R @ np.array(beam.angular_velocity), points - points[0])
    np.testing.assert_allclose(sol["alone.momentum"][0], shares @ speeds, rtol=1e-9)
    middle = shares @ points / beam.mass
    spin = np.cross(points - middle, speeds * shares[:, None]).sum(0)
    np.testing.assert_allclose(sol["alone.angular_momentum_com"][0], spin, rtol=2e-3)  # and that of both end slopes
    np.testing.assert_allclose(sol["alone.com.position"][0], middle, atol=1e-12)


@pytest.mark.parametrize("said", [{"velocity": (1.0, 2.0, 3.0)}, {"velocity": (1.0, 2.0, 3.0), "angular_velocity": (0.5, 3.0, 4.0)}])
def test_what_is_not_stated_is_solved_for(said):
    """A curved beam with a weight on a pin begins without rates of strain; planes of its curvature may turn."""
    m = pl.Model("said")
    m.add(rod(points=ARC, **said))
    m.add(pl.RigidBody("load", 2.0, (1, 2, 3), position=ARC[-1]))
    m.add(pl.Spherical("pin", "rod.end", "load"))
    sol = m.simulate(1e-4, accuracy=1e-9, output_step=1e-4, progress=False)
    points, speeds = (np.array([sol[f"rod.node_{k}.{what}"][0] for k in range(5)]) for what in ("position", "velocity"))
    apart, rates = points - points[0], speeds - speeds[0]
    for near in (1, 2):  # lengths, and angles between segments
        way, change = points[near:] - points[:-near], speeds[near:] - speeds[:-near]
        assert abs(np.einsum("ki,ki->k", way, change)).max() < 1e-6 * abs(speeds).max()
    if "angular_velocity" in said:
        np.testing.assert_allclose(rates, np.cross(matrix_of(m["rod"].rotation) @ said["angular_velocity"], apart), atol=1e-5)


# -- vibration and equilibrium
def cantilever(elements, load=None, area=1e3):
    """EI = L = rho A = 1, held in its direction at its start."""
    m = pl.Model("cantilever")
    E = 100.0 if area > 1 else 1e6
    m.add(rod((0, 0, 0), (1, 0, 0), profile=pl.Section.general(area, 1 / E, 1 / E, 2 / E), material=pl.Material(E, 0.3, 1 / area),
              elements=elements))
    m.add(pl.Revolute("clamp", m.ground, "rod.start", axis="x"))
    if load is not None:
        m.add(pl.Force("P", "rod.end", load))
    return m


def test_the_elastica():
    """P L^2 / EI = 10 with 32 elements within 0.5 %; half of them have 3 to 5 times the error."""
    errors = []
    for elements in (16, 32):
        st = cantilever(elements, (0, 0, 10.0)).static()
        x, _, z = st.position("rod.end")
        errors.append(np.hypot(*(np.array((x, z)) - elastica_tip(10.0))))
        np.testing.assert_allclose(st["clamp.torque"], (0, 10 * x, 0), atol=1e-6)
    assert errors[1] < 5e-3 * min(elastica_tip(10.0)) and 3 < errors[0] / errors[1] < 5


def test_frequencies_of_a_cantilever():
    """Of order 2."""
    expected = np.repeat(np.array([1.87510407, 4.69409113, 7.85475744]) ** 2 / (2 * np.pi), 2)
    errors = [abs(cantilever(n, area=1.0).modes().frequencies[:6] / expected - 1).max() for n in (8, 16)]
    assert errors[1] < 0.04 and errors[0] / errors[1] > 3


# -- texts, planes, refusals
def test_a_plane_holds_it_and_a_text_has_it():
    m = cantilever(4, (0, 0, 0.5))
    m.planar, m.gravity = "y", (0, 0, -1)
    again = from_text(to_text(m))
    assert to_text(again) == to_text(m) and again["rod"] == m["rod"]
    report = again.check()
    assert report.ok and report.degrees_of_freedom == 2 * 5 + 2 * 2 - 3
    sol = again.simulate(0.1, progress=False)
    assert abs(sol["rod.end.position"][:, 1]).max() < 1e-12 < abs(sol["rod.end.position"][-1, 2])


def test_what_it_cannot_hold_is_refused_by_name():
    for item, told in ((pl.Fixed("F", "ground", "rod.end"), r"joint 'F' holds more of 'rod' than it has"),
                       (pl.Torque("F", "rod.end", (1, 0, 0)), r"torque 'F' has a part along the axis of 'rod'"),
                       (pl.Spherical("F", "ground", cantilever(2)["rod"].frame((0.5, 0.1, 0))), r"beam 'rod': a point 100 mm beside")):
        m = cantilever(4)
        m.add(item)
        with pytest.raises(ValueError, match=told):
            m.compile()
    with pytest.raises(ValueError, match=r"angular_velocity: is of all points of the beam"):
        rod((0, 0, 0), (1, 0, 0), angular_velocity=(0, 1, 0))
    with pytest.raises(ValueError, match=r"profile: .* a beam of torsional springs does not know how its section is turned"):
        rod((0, 0, 0), (1, 0, 0), profile=pl.Section.rectangle(0.1, 0.2))
