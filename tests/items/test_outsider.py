"""A joint, a force law, a block, an element, an integrator and a formulation made outside of the package (tests/support/outsider)."""
import numpy as np
import pytest
from derivatives import ComplexStep
from outsider.attraction import Attraction
from outsider.gyrostat import Gyrostat
from outsider.slot_joint import PinInSlot
from outsider.soft_sensor import SoftSensor

import pliant as pl
from pliant.methods.automatic import candidates, fastest_rate
from pliant.methods.integrators.time_loop.fixed_steps import fixed_steps
from pliant.plot.scene import scene
from pliant.start.assembly import start_row
from pliant.text.model_text import from_text, to_text
from pliant.view.describe import Description
from pliant.view.sources import SolutionSource


def tangent_error(model):
    c = ComplexStep(model.compile(exact=True).system)
    c.system.data.val[:3] = (0.3, -0.7, -9.81)
    expected = c.reference(0.7, 0.5, 0.3)
    return abs(c.tangent(0.7, 0.5, 0.3) - expected).max() / abs(expected).max()


def test_joint():
    """A pin falling along a slot inclined by 30 degrees: x = g sin(30 deg) t^2 / 2; it keeps the spin about its own axis."""
    m = pl.Model("slot", gravity=(0, 0, -9.81))
    slope = np.array([np.cos(np.pi / 6), 0, -np.sin(np.pi / 6)])
    joint = PinInSlot("slot", "ground", "pin", axis=slope)
    spin = 3 * joint.joint_axes()[:, 1]
    m.add(pl.RigidBody("pin", mass=2.0, inertia=(0.1, 0.1, 0.1), angular_velocity=spin))
    m.add(joint)
    sol = m.simulate(1.0, step=1e-3, integrator=pl.GeneralizedAlpha(tolerance=1e-10))
    expected = 0.5 * 9.81 * 0.5 * sol.t**2
    np.testing.assert_allclose(sol["slot.displacement"], expected, atol=1e-9)
    np.testing.assert_allclose(sol["pin.angular_velocity"][-1], spin, atol=1e-9)
    assert tangent_error(m) < 1e-12


def test_force_law():
    """A circular orbit about a fixed centre: v^2 = c / (m r), period 2 pi r / v."""
    m = pl.Model("orbit")
    radius, mass, strength = 2.0, 0.5, 3.0
    speed = np.sqrt(strength / (mass * radius))
    planet = m.add(pl.RigidBody.sphere("planet", 0.1, mass=mass, position=(radius, 0, 0), velocity=(0, speed * 0.6, speed * 0.8),
                                       angular_velocity=(0, 0, 0)))
    m.add(Attraction("pull", m.ground, planet, strength=strength))
    sol = m.simulate(2 * np.pi * radius / speed, step=2e-3)
    np.testing.assert_allclose(np.linalg.norm(sol["planet.position"], axis=1), radius, atol=1e-5)
    np.testing.assert_allclose(sol["planet.position"][-1], (radius, 0, 0), atol=1e-4)
    assert sol.energy.drift < 1e-6
    other = pl.Model("two")
    bodies = [other.add(pl.RigidBody.sphere(n, 0.1, mass=1.0, position=p)) for n, p in (("a", (0, 0, 0)), ("b", (1, 0.3, 0.2)))]
    other.add(Attraction("pull", bodies[0].frame((0.1, 0.2, 0.3)), bodies[1].frame((0.1, 0, 0)), strength=2.0))
    assert tangent_error(other) < 1e-12


def held(law) -> pl.Model:
    """A body that slides across the line to the ground on which a law holds it."""
    m = pl.Model("held", settings={"duration": 1.0, "step": 1e-3})
    body = m.add(pl.RigidBody.sphere("body", 0.1, mass=1.0, position=(1, 0, 0)))
    m.add(pl.Prismatic("slide", m.ground.frame((1, 0, 0)), body, axis="y"))
    m.add(law(m.ground, body))
    return m


def test_a_stiff_law_is_seen_by_the_choice_of_methods_and_by_checks():
    """c / r^3 across the line, as stiff as a spring along the slide: omega = sqrt(k / m)."""
    own = held(lambda a, b: Attraction("pull", a, b, strength=2e8))
    spring = held(lambda a, b: pl.AxialSpring("pull", "slide", stiffness=2e8))
    for m in (own, spring):
        d = m.compile()
        row = start_row(d)
        assert fastest_rate(d, row) == pytest.approx(np.sqrt(2e8), rel=1e-3)
        assert candidates(d, row, 1.0, 1e-5)[0].method.kind == "radau-iia-5"
    told, expected = ([(f.code, f.items, f.message) for f in m.check().findings] for m in (own, spring))
    assert told == expected and "spring 'pull' vibrates at 2.25 kHz without damping" in told[0][2]


def test_a_law_has_channels_and_is_drawn(tmp_path):
    m = held(lambda a, b: Attraction("pull", a, b, strength=3.0))
    m["body"].velocity = (0, 0.5, 0)
    sol = m.simulate(0.5, step=1e-2, out=tmp_path / "run.h5", record=["pull.*"])
    r = np.linalg.norm(sol["body.position"], axis=1)
    np.testing.assert_allclose(sol["pull.distance"], r, rtol=1e-14)
    np.testing.assert_allclose(sol["pull.force"], -3.0 * sol["body.position"] / r[:, None]**3, rtol=1e-13, atol=1e-13)
    assert sol.unit("pull.force") == "N" and np.array_equal(sol["pull.force.y"], sol["pull.force"][:, 1])
    assert np.array_equal(pl.load(tmp_path / "run.h5")["pull.force"], sol["pull.force"])
    page = Description(SolutionSource(sol)).header
    (law,), parts = page["forces"], {c["name"]: c["parts"] for c in page["channels"]}
    assert law["symbol"] == "spring" and law["b"]["body"] == "body"
    assert parts["pull.force"] == ["x", "y", "z"] and parts["pull.distance"] == []
    ends = scene(sol, sol.t).springs["pull"]
    np.testing.assert_allclose(ends[1], sol["body.position"])
    assert m.static().to_dict()["channels"]["pull.distance"] == pytest.approx(1.0)


def test_block():
    """tanh of the answer of first order to a ramp, t - tau (1 - exp(-t / tau)); from a text, and in feedback with an exact tangent."""
    m = pl.Model("sensor")
    ball = m.add(pl.RigidBody.sphere("ball", 0.1, mass=1.0, position=(1, 0, 0)))
    m.add(SoftSensor("soft", "t", "200 ms", 2.0))
    sol = from_text(to_text(m)).simulate(3.0, accuracy=1e-9, output_step=0.5)
    slow = sol.t - 0.2 * (1 - np.exp(-sol.t / 0.2))
    np.testing.assert_allclose(sol["soft.output"], 2 * np.tanh(slow / 2), atol=1e-8)
    m["soft"].input = "ball.position.x*ball.velocity.y"
    m.add(pl.Force("f", ball, ("3*soft.output", "soft.slow^2", "t")))
    assert tangent_error(m) < 1e-12


def test_element():
    """A free symmetric gyrostat precesses: with I = (A, A, C), w = (w1, w2, n) turns at k = ((C - A) n + h) / A in body axes."""
    A, C, n, h = 2.0, 3.0, 1.5, 4.0
    m = pl.Model("gyrostat")
    m.add(Gyrostat("body", mass=1.0, inertia=(A, A, C), rotor=(0, 0, h), angular_velocity=(0.3, 0, n)))
    sol = m.simulate(4.0, step=1e-3)
    k = ((C - A) * n + h) / A
    w = sol["body.angular_velocity"]
    np.testing.assert_allclose(w[:, 0], 0.3 * np.cos(k * sol.t), atol=2e-5)
    np.testing.assert_allclose(w[:, 1], 0.3 * np.sin(k * sol.t), atol=2e-5)
    assert tangent_error(m) < 1e-12


def test_a_new_family_or_another_model_does_not_recompile_the_loop():
    m = pl.Model("free")
    m.add(pl.RigidBody("body", 1.0, (1, 2, 3)))
    m.simulate(0.01, step=1e-3)
    before = len(fixed_steps.signatures), sum(fixed_steps.stats.cache_misses.values())
    test_joint()
    test_force_law()
    test_element()
    assert (len(fixed_steps.signatures), sum(fixed_steps.stats.cache_misses.values())) == before
