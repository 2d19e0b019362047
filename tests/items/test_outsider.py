"""A joint, a force law and an element, each in one file outside the package (tests/support/outsider, described in docs/extending.md)."""
import numpy as np
from derivatives import ComplexStep
from outsider.attraction import Attraction
from outsider.gyrostat import Gyrostat
from outsider.slot_joint import PinInSlot

import pliant as pl
from pliant.methods.integrators import stepper


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
    before = len(stepper.advance.signatures), sum(stepper.advance.stats.cache_misses.values())
    test_joint()
    test_force_law()
    test_element()
    assert (len(stepper.advance.signatures), sum(stepper.advance.stats.cache_misses.values())) == before
