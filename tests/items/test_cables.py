"""Cables as bodies of a model: equations, flights, frequencies, equilibria, what they hold and what they cannot, text and files."""

import re

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


def energy(sol):
    return sum(sol[f"energy.{part}"] for part in ("kinetic", "potential", "elastic", "dissipated"))


# -- equations
def jointed(turned):
    """A curved cable whose direction is held at its end and by a body in the middle of an element; a spring, a force along it, a moment."""
    m = pl.Model("jointed", gravity=(0.3, -0.7, -9.81))
    rope = pl.Beam("rope", points=ARC, profile=ROUND, material=SOFT, elements=3, damping=0.02, formulation="ancf-cable",
                   velocity=(1, 2, 3), angular_velocity=(0.3, -0.2, 0.5), frames={"third": 0.31})
    body = pl.RigidBody("load", 2.0, (1, 2, 3), com=(0.1, 0.2, -0.1), position=(0.9, 0.5, 1.3), velocity=(0, 1, 0))
    for item in (body, rope) if turned else (rope, body):
        m.add(item)
    m.add(pl.Spherical("S", m.ground, rope["start"]))
    t = (matrix_of(rope.rotation) @ rope.place_of(rope.at(0.5))[1])[:, 0]
    if turned:
        m.add(pl.Revolute("R", rope.at(0.5), "load", axis="x"))
    else:
        m.add(pl.Revolute("R", "load", rope.at(0.5), axis=t))
    m.add(pl.PointOnPlane("across", rope["end"], "load", axis="x"))
    m.add(pl.SpringDamper("F", rope.at(0.77), m.ground.frame((1, 1, 1)), 30.0, 2.0))
    m.add(pl.Force("P", "rope.third", ("1 + rope.third.velocity.x", 0, 0), axes="frame"))
    m.add(pl.Torque("T", "rope.end", np.cross(rope.axis.poses[-1].axes[:, 0], (1, 2, 3))))
    return m


@pytest.mark.parametrize("turned", [False, True])
def test_the_tangent_is_exact(turned):
    system, rng = jointed(turned).compile(exact=True).system, np.random.default_rng(5)
    c = ComplexStep(system, seed=5)
    evaluation.retract(system.data, c.real.q.copy(), rng.normal(size=system.n), 0.1, c.real.q)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-11 * abs(expected).max())


def test_joints_have_their_rates():
    """First and second time derivatives of the equations of joints, by a complex step along the motion."""
    system = jointed(False).compile(exact=True).system
    c = ComplexStep(system, seed=7)
    x, joints = c.real, slice(system.n_v, None)
    evaluation.run(system.program("rates"), system.data, x, c.t, 0.0, 0.0, 0.0)
    first, second = x.V[joints].copy(), x.R[joints].copy()
    np.testing.assert_allclose(c.residual(x.v, "q")[joints], first, atol=1e-12 * abs(first).max())
    by_q = c.memory(x.v, "q", "rates").V[joints].imag / 1e-30
    by_v = c.memory(x.a, "v", "rates").V[joints].imag / 1e-30
    np.testing.assert_allclose(by_q + by_v, second, atol=1e-12 * abs(second).max())


# -- motion
def flight(**more):
    """A soft rope with a weight at its end, thrown; the weight comes first."""
    m = pl.Model("flight")
    m.add(pl.RigidBody.box("load", (0.2, 0.2, 0.2), mass=5, position=(2.3, 0.5, 0.3)))
    m.add(pl.Beam("rope", (0.2, 0.1, 0), (2.2, 0.5, 0.3), elements=4, formulation="ancf-cable",
                  **{"profile": ROUND, "material": SOFT, "velocity": (1, 2, 3), "angular_velocity": (0.5, 3, 4)} | more))
    m.add(pl.Spherical("pin", "rope", "load", at=(2.2, 0.5, 0.3)))
    m.add(pl.Group("alone", ["rope"]))
    return m


@pytest.mark.parametrize(("more", "options", "accuracy"), [
    ({}, {"integrator": "dop853", "accuracy": 1e-9}, 1e-11), ({"damping": 0.01}, {"integrator": "radau-iia-5", "accuracy": 1e-9}, 1e-8)])
def test_a_flight_keeps_energy_and_momenta(more, options, accuracy):
    sol = flight(**more).simulate(0.4, output_step=0.1, progress=False, **options)
    whole = energy(sol)
    assert sol["energy.elastic"].max() > 0.003 * whole[0]
    np.testing.assert_allclose(whole, whole[0], rtol=accuracy)
    for quantity in ("model.momentum", "model.angular_momentum"):
        value = sol[quantity]
        np.testing.assert_allclose(value, np.tile(value[0], (len(value), 1)), rtol=0, atol=1e-11 * abs(value[0]).max())


def test_it_begins_as_a_rigid_body():
    """Centre of mass, momenta and energy at the start, and those of a rigid body whose mass is on the axis."""
    m = flight()
    rope, (R, w) = m["rope"], (matrix_of(m["rope"].rotation), np.array((0.5, 3.0, 4.0)))
    sol = m.simulate(1e-3, progress=False)
    w, r = R @ w, R @ rope.center
    v, way = np.array(rope.velocity) + np.cross(w, r), np.array(rope.end) - rope.start
    spin = rope.mass / 12 * ((way @ way) * w - way * (way @ w))
    np.testing.assert_allclose(sol["alone.com.position"][0], np.array(rope.start) + r, atol=1e-12)
    np.testing.assert_allclose(sol["alone.momentum"][0], rope.mass * v, rtol=1e-9)
    np.testing.assert_allclose(sol["alone.angular_momentum_com"][0], spin, rtol=1e-9)
    assert sol["alone.kinetic_energy"][0] == pytest.approx((rope.mass * v @ v + w @ spin) / 2, rel=1e-9)
    assert sol["energy.elastic"][0] < 1e-20


@pytest.mark.parametrize("said", [{"velocity": (1.0, 2.0, 3.0)}, {"angular_velocity": (0.5, 3.0, 4.0)}, {}])
def test_what_is_not_stated_is_solved_for(said):
    """A curved cable on a pin: whatever is left out, it begins without rates of strain."""
    m = pl.Model("said")
    m.add(pl.Beam("rope", points=ARC, profile=ROUND, material=SOFT, elements=4, formulation="ancf-cable", **said))
    m.add(pl.RigidBody("load", 2.0, (1, 2, 3), position=ARC[-1], velocity=(2, 1, 0) if not said else None))
    m.add(pl.Spherical("pin", "rope.end", "load"))
    sol = m.simulate(1e-4, accuracy=1e-9, output_step=1e-4, progress=False)
    if "velocity" in said:
        np.testing.assert_allclose(sol["rope.velocity"][0], said["velocity"], rtol=1e-6)
    rope = m["rope"]
    centre = rope.axis.poses[0].point + rope.axis.poses[0].axes @ rope.center
    np.testing.assert_allclose((2 + rope.mass) * sol["model.com.position"][0], 2 * np.array(ARC[-1]) + rope.mass * centre, atol=1e-12)
    points, speeds = (np.array([sol[f"rope.node_{k}.{what}"][0] for k in range(5)]) for what in ("position", "velocity"))
    apart, rates = np.diff(points, axis=0), np.diff(speeds, axis=0)
    assert abs(np.einsum("ki,ki->k", apart, rates)).max() < 1e-6 * abs(speeds).max()  # planes of curvature may turn
    if "angular_velocity" in said:
        w = matrix_of(m["rope"].rotation) @ said["angular_velocity"]
        np.testing.assert_allclose(rates, np.cross(w, apart), atol=1e-6)


def test_a_heavy_cable_swings_as_a_rigid_one_far_round():
    """A stiff cable that is released upright falls through more than half a turn: energy stays, and angles are those of a thin rod."""
    from scipy.integrate import solve_ivp
    m = pl.Model("swing", gravity=(0, 0, -9.81), planar="y")
    m.add(pl.Beam("rope", (0, 0, 0), (0, 0, 1), ROUND, pl.Material(2e8, 0.3, 1000.0), elements=2, up="x", formulation="ancf-cable",
                  velocity=(0, 0, 0), angular_velocity=(0, -1.0, 0)))
    m.add(pl.Spherical("pin", m.ground, "rope.start"))
    assert m.check().ok
    sol = m.simulate(1.2, accuracy=1e-7, output_step=0.1, progress=False)
    whole = energy(sol)
    np.testing.assert_allclose(whole, whole[0], atol=1e-5 * sol["energy.kinetic"].max())
    tip = sol["rope.end.position"]
    exact = solve_ivp(lambda t, y: [y[1], 1.5 * 9.81 * np.sin(y[0])], (0, 1.2), [0, 1.0], "DOP853", sol.t, rtol=1e-11, atol=1e-11).y[0]
    assert abs(exact[-1]) > np.pi
    np.testing.assert_allclose(tip, np.column_stack([np.sin(exact), 0 * exact, np.cos(exact)]), atol=5e-3)
    turned = sol["rope.end.rotation"]
    assert np.isfinite(turned).all()
    along = np.array([matrix_of(q.tolist())[:, 0] for q in turned])
    np.testing.assert_allclose(along, tip / np.linalg.norm(tip, axis=1)[:, None], atol=2e-2)


# -- vibration and equilibrium
def cantilever(elements=8, load=None, area=1.0, **more):
    """EI = L = 1 and rho A = 1; its direction is held at its start."""
    m = pl.Model("cantilever")
    E = 1e6 if area == 1 else 100.0
    m.add(pl.Beam("beam", (0, 0, 0), (1, 0, 0), pl.Section.general(area, 1 / E, 1 / E, 2 / E), pl.Material(E, 0.3, 1 / area),
                  elements=elements, formulation="ancf-cable", **more))
    m.add(pl.Revolute("clamp", m.ground, "beam.start", axis="x"))
    if load is not None:
        m.add(pl.Force("P", "beam.end", load))
    return m


def test_frequencies_of_a_cantilever():
    modes = cantilever().modes()
    expected = np.repeat(np.array([1.87510407, 4.69409113, 7.85475744]) ** 2 / (2 * np.pi), 2)
    np.testing.assert_allclose(modes.frequencies[:6], expected, rtol=1e-3)
    tip = modes.shape(0, "beam.node_8")
    assert np.linalg.norm(tip[4:]) / np.linalg.norm(tip[1:3]) == pytest.approx(1.3765, rel=1e-3)  # slope of the first shape


def test_the_elastica():
    """P L^2 / EI = 10, with 32 elements; the moment of the clamp is load times arm."""
    sol = cantilever(32, (0, 0, 10.0), area=1e3).static().solution
    x, _, z = sol["beam.end.position"][0]
    np.testing.assert_allclose((x, z), elastica_tip(10.0), rtol=5e-3)
    np.testing.assert_allclose(sol["clamp.force"][0], (0, 0, -10), atol=1e-6)
    np.testing.assert_allclose(sol["clamp.torque"][0], (0, 10 * x, 0), atol=1e-6)
    assert not {"clamp.angle", "beam.start.force"} & set(sol.channels)


def test_a_moment_across_bends_it_into_an_arc():
    m = cantilever(8)
    m.add(pl.Torque("M", "beam.end", (0, -np.pi / 2, 0)))
    x, _, z = m.static().solution["beam.end.position"][0]
    np.testing.assert_allclose((x, z), (2 / np.pi, 2 / np.pi), rtol=2e-3)


def test_a_clamped_cable_in_a_plane():
    m = cantilever(4, (0, 0, 0.5))
    m.planar = "y"
    report = m.check()
    assert report.ok and report.degrees_of_freedom == 4 * 5 - 3 and report.redundant == 0
    assert abs(m.simulate(0.1, progress=False)["beam.end.position"][:, 1]).max() < 1e-12


# -- texts, files, pictures
def test_a_text_has_all_of_it():
    m = flight(damping=1e-3)
    again = from_text(to_text(m))
    assert to_text(again) == to_text(m) and again["rope"] == m["rope"]
    assert from_text(to_text(m).replace("ancf-cable", "ancf_cable"))["rope"] == m["rope"]


def test_a_run_is_saved_and_goes_on_bit_for_bit(tmp_path):
    whole = flight().simulate(0.2, step=2e-3, progress=False)
    flight().simulate(0.1, step=2e-3, progress=False, out=tmp_path / "run.h5")
    first = pl.load(tmp_path / "run.h5")
    assert np.array_equal(first["rope.node_3.position"], whole["rope.node_3.position"][:len(first.t)])
    assert np.array_equal(first.resume(0.1)["rope.end.position"], whole["rope.end.position"])


def test_a_cable_in_a_sub_assembly_that_is_turned():
    inner, m = cantilever(2), pl.Model("outer")
    m.add(inner, name="left", position=(1, 2, 3), rotation=pl.rotation((1, 1, 0), "70 deg"))
    assert m.modes().frequencies[0] == pytest.approx(inner.modes().frequencies[0], rel=1e-9)


def test_pictures_follow_its_motion(tmp_path):
    from pliant.plot.scene import scene
    from pliant.view.describe import Description
    from pliant.view.sources import SolutionSource
    sol = cantilever(3, (0, 0.5, 0)).simulate(0.5, step=5e-3, output_step=0.1, progress=False)
    line = scene(sol, sol.t).bodies[0].lines("thick", len(sol.t) - 1)
    np.testing.assert_allclose(line[-1], sol["beam.end.position"][-1], atol=1e-12)
    sol.snapshot(tmp_path / "cable.png")
    shown = Description(SolutionSource(sol))
    assert [body["name"] for body in shown.header["bodies"]] == ["beam", "beam.node_1", "beam.node_2", "beam.node_3"]
    sol.to_html(tmp_path / "cable.html")


# -- what is refused
def test_what_a_cable_cannot_hold_is_refused_by_name():
    axis = (2, 0.4, 0.3)
    for items, told in (
            ((pl.Fixed("F", "ground", "rope.start"),), "joint 'F' holds more of 'rope' than it has: the sections of"),
            ((pl.Revolute("F", "ground", "rope.start", axis="z"),), "joint 'F' holds more of 'rope'"),
            ((pl.Revolute("F", "rope.start", "ground", axis="z"),), "joint 'F' holds more of 'rope'"),
            ((pl.Prismatic("F", "rope.start", "ground", axis="x"),), "joint 'F' holds more of 'rope'"),
            ((pl.Revolute("F", "ground", "rope.start", axis=axis, angle=0.1),), "joint 'F': angle is of a turn about an axis"),
            ((pl.Revolute("F", "ground", "rope.start", axis=axis), pl.Drive("F", "angle", "t")), "joint 'F' has no coordinate 'angle'"),
            ((pl.Torque("F", "rope.end", (1, 0, 0)),), "torque 'F' has a part along the axis of 'rope'"),
            ((pl.Torque("F", "rope.end", (1, 0, 0), axes="frame"),), "torque 'F' turns with 'rope'"),
            ((pl.Force("F", "rope.end", (1, 2, 0), axes="frame"),), "force 'F' turns with 'rope'"),
            ((pl.Bushing("F", "ground", "rope.end", stiffness=(1, 1, 1, 1, 1, 1)),), "bushing 'F': the sections of 'rope'"),
            ((pl.Force("F", "load", ("rope.angular_velocity.x", 0, 0)),), "'rope.angular_velocity.x' of body 'rope' cannot be used"),
    ):
        m = flight()
        for item in items:
            m.add(item)
        with pytest.raises(ValueError, match=re.escape(told)):
            m.compile()
        assert any(told in f.message for f in m.check().select("error"))
    m = flight()
    m.add(pl.Spherical("S", "ground", m["rope"].frame((0, 0.1, 0))))
    with pytest.raises(ValueError, match=r"beam 'rope': a point 100 mm beside the axis of a cable is no place on it"):
        m.compile()


def test_what_a_cable_is_not_made_for_is_refused_by_name():
    with pytest.raises(ValueError, match=r"profile: Iy = .* a cable does not know how its section is turned"):
        flight(profile=pl.Section.rectangle(0.01, 0.02))
    with pytest.raises(ValueError, match=r"lumped: a cable has its mass along its axis"):
        flight(lumped=True)
    for options in ({"integrator": "dimcd", "step": 1e-3}, {"integrator": "energy-momentum", "step": 1e-3}):
        with pytest.raises(ValueError, match=r"beam 'rope' has slopes for coordinates"):
            flight().simulate(0.01, progress=False, **options)
    with pytest.raises(ValueError, match=r"'rope' is a beam of many nodes, which joint .* Take coordinates = 'absolute'"):
        flight().simulate(0.01, coordinates="joint", progress=False)
    with pytest.raises(ValueError, match=r"beam 'rope' has slopes for coordinates"):
        flight().modes(state="steady")
