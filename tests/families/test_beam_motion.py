"""Beams in the engine, and their vibrations: energy and momenta of a flight, frequencies, what damping takes."""
from itertools import pairwise

import numpy as np
import pytest
from beam_chains import ArrayBuilder, made, no_frame, rotation, straight
from beam_items import BeamElement

import pliant as pl
from pliant.compile.system import System
from pliant.kernels import evaluation

LENGTH, PARTS, SPIN = 10.0, 4, np.array([0.1, 0.4, 0.9])
STIFFNESS = np.diag([1e3, 1e3, 1e3, 50.0, 50.0, 80.0])


def flight(formulation, damping):
    """A soft rod of 1 kg/m that turns about all axes and bends."""
    m, L = pl.Model("flight", gravity=(0, 0, 0)), LENGTH / PARTS
    for k in range(PARTS + 1):
        place, inertia = np.array([L * k, 0, 0]), 0.25 if k in (0, PARTS) else 0.5
        m.add(pl.RigidBody(f"node_{k}", mass=1e-3, inertia=(inertia,) * 3, position=tuple(place), angular_velocity=tuple(SPIN),
                           velocity=tuple((1 + 0.3 * np.sin(k)) * np.cross(SPIN, place))))
    for k in range(PARTS):
        m.add(BeamElement(f"part_{k}", f"node_{k}", f"node_{k + 1}", stiffness=tuple(STIFFNESS.ravel()), length=L, mass=L, damping=damping,
                          formulation=formulation))
    return m


def momenta(sol, row):
    """Momentum and angular momentum about the origin, of nodes and, at 10 Gauss points of each element, of its axis."""
    s, L = sol.dynamics.system, LENGTH / PARTS
    q, v = np.split(sol.rows[row, 3:3 + s.q0.size + s.n], [s.q0.size])
    linear, angular, ends = np.zeros(3), np.zeros(3), []
    for k in range(PARTS + 1):
        p, R, dp, w = q[7 * k:7 * k + 3], rotation(q[7 * k + 3:7 * k + 7]), v[6 * k:6 * k + 3], v[6 * k + 3:6 * k + 6]
        inertia = 0.25 if k in (0, PARTS) else 0.5
        linear, angular = linear + 1e-3 * dp, angular + 1e-3 * np.cross(p, dp) + R @ w * inertia
        ends.append((p, L * R[:, 0], dp, L * R @ np.cross(w, (1, 0, 0))))
    for (p, t, dp, dt), (z, u, dz, du) in pairwise(ends):
        for x, weight in zip(*np.polynomial.legendre.leggauss(10), strict=True):
            x = (x + 1) / 2
            N = np.array([1 - 3 * x**2 + 2 * x**3, x - 2 * x**2 + x**3, 3 * x**2 - 2 * x**3, x**3 - x**2])
            r, rate = N @ np.array([p, t, z, u]), N @ np.array([dp, dt, dz, du])
            linear, angular = linear + weight / 2 * L * rate, angular + weight / 2 * L * np.cross(r, rate)
    return np.r_[linear, angular]


@pytest.mark.parametrize("formulation", ["exact", "corotational"])
def test_a_flight_keeps_energy_and_momenta(formulation):
    sol = flight(formulation, 0.0).simulate(2.0, accuracy=1e-9, output_step=0.5, progress=False)
    energy = sum(sol[f"energy.{part}"] for part in ("kinetic", "potential", "elastic"))
    assert sol["energy.elastic"].max() > 0.01 * energy[0]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    start = momenta(sol, 0)
    for row in range(1, len(sol.rows)):
        np.testing.assert_allclose(momenta(sol, row), start, rtol=0, atol=1e-9 * abs(start).max())


@pytest.mark.parametrize("formulation", ["exact", "corotational"])
def test_damping_balances(formulation):
    """With generalized-alpha, which uses the tangent: what is lost is dissipated, and momenta stay."""
    sol = flight(formulation, 0.02).simulate(1.0, step=1e-3, output_step=0.5, integrator=pl.GeneralizedAlpha(rho=0.999), progress=False)
    energy = sum(sol[f"energy.{part}"] for part in ("kinetic", "potential", "elastic"))
    assert sol["energy.dissipated"][-1] > 0.001 * energy[0]
    np.testing.assert_allclose(energy + sol["energy.dissipated"], energy[0], rtol=1e-6)
    assert sol.quality.iterations < 4 * sol.quality.steps


def cantilever_frequency(n, inertia):
    """The lowest, of a slender beam with EI = rho A = L = 1."""
    b, F, h = ArrayBuilder((0.0, 0.0, 0.0)), np.diag([1e-8, 0, 0, 1.0, 1.0, 1.0]), 1 / n
    places = [b.place(f"node {k}", (*pose.point, 1, 0, 0, 0), (0,) * 6, no_frame) for k, pose in enumerate(straight(n))]
    for k in range(n):
        made.exact_beam(b, "beam", places[k:k + 2], h, np.r_[1.0, np.zeros(5)], F)
        if inertia == "hermite":
            made.hermite_inertia(b, "beam", places[k:k + 2], h, made.axis_mass(lambda x: 1.0, h))
        for place in places[k:k + 2]:
            made.node_inertia(b, "beam", place, 0.0 if inertia == "hermite" else h / 2, 1e-10 * np.eye(3))
    s = System(b)
    x, program, found = s.memory(), s.program("tangent"), []
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)):
        x.D[:] = 0
        evaluation.run(program, s.data, x, 0.0, *coefficients)
        found.append(s.dense(x.D)[6:, 6:])
    return 1 / np.sqrt(np.linalg.eigvals(np.linalg.solve(found[1], found[0])).real.max())


def test_the_lowest_frequency_of_a_cantilever():
    """1.8751^2, of Euler and Bernoulli: order 4 with the cubic field, order 2 with mass at nodes alone."""
    exact = 1.875104068711961**2
    cubic = [cantilever_frequency(n, "hermite") / exact - 1 for n in (2, 4, 8)]
    assert 0 < cubic[-1] < 3e-6
    assert np.log2(np.array(cubic[:-1]) / cubic[1:]).min() > 3.8
    lumped = [1 - cantilever_frequency(n, "lumped") / exact for n in (4, 8, 16)]
    assert abs(np.log2(np.array(lumped[:-1]) / lumped[1:]) - 2).max() < 0.2
