"""The helicoidal element by itself: derivatives, invariance, exact states, and its algebra near 0 and far from it."""
from decimal import Decimal, getcontext
from pathlib import Path

import numba
import numpy as np
import pytest
from beam_chains import (
    Chain,
    arc,
    energy,
    exact,
    exponential,
    gradient,
    left_tangent,
    made,
    moved,
    pair,
    positive,
    relative_error,
    rotation,
    straight,
    turned_columns,
)
from derivatives import random_rotation

from pliant.compile.beam_elements import Pose
from pliant.families import exact_beams
from pliant.families.beam_sections import sections
from pliant.families.exact_beams import BEAM
from pliant.kernels import evaluation
from pliant.kernels.contract import DISSIPATION, ELASTIC, TURNING
from pliant.kernels.helicoidal import factors
from pliant.kernels.jit import DISABLED

ANGLES = (0.0, 1e-9, 1e-4, 0.05, 0.1414, 0.1415, 0.6, 0.999, 1.001, 1.7, 2.4, 3.0)
DATA = Path(__file__).parents[1] / "support"


def tapered(rng, length):
    """A flexibility that goes from one full matrix to another."""
    F, G = (np.linalg.inv(positive(rng, 6)) for _ in range(2))
    return made.flexibility_along(lambda x: F + x * x * G, length)


def element(current, viscous, shear=True, taper=False):
    """Between random poses: full stiffness and viscosity, strained, curved and twisted as modelled."""
    def add(b, places, poses, rng):
        F, V = np.linalg.inv(positive(rng, 6)), viscous * positive(rng, 6)
        if not shear:
            F[1:3] = F[:, 1:3] = 0
        F = tapered(rng, 0.8) if taper else F
        strain = np.array([1.0, 0, 0, 0, 0, 0]) + 0.3 * rng.normal(size=6)
        made.exact_beam(b, "beam", places, 0.8, strain, F, viscosity=V, current=current)
    return add


@pytest.mark.parametrize("viscous", [0.0, 1.0], ids=["elastic", "damped"])
@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
@pytest.mark.parametrize("angle", ANGLES)
def test_tangent_is_the_derivative_of_the_residual(angle, current, viscous):
    for seed in range(3):
        assert relative_error(pair(element(current, viscous), angle, seed)) < 1e-13


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
@pytest.mark.parametrize("angle", ANGLES[::3])
def test_tangent_of_tapered_elements(angle, current):
    c = pair(element(current, 1.0, taper=True), angle)
    assert c.system.data.ip[0, exact_beams.CURRENT] == 2 * current and relative_error(c) < 1e-13


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_shear_rigid_sections(current):
    assert relative_error(pair(element(current, 1.0, shear=False), 0.7)) < 1e-13


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_velocities_of_turns_follow_their_increments(current):
    found, expected = turned_columns(pair(element(current, 1.0), 0.9), 0.5, 0.3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
@pytest.mark.parametrize("taper", [False, True], ids=["uniform", "tapered"])
@pytest.mark.parametrize("angle", ANGLES)
def test_force_is_the_gradient_of_the_energy(angle, current, taper):
    expected, R = gradient(pair(element(current, 1.0, taper=taper), angle), ELASTIC)
    np.testing.assert_allclose(R, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_what_is_lost_is_what_damping_takes(current):
    """R.v of the viscous part alone, V given and C without stress, equals the power."""
    def add(b, places, poses, rng):
        d = made.screw(*poses)
        made.exact_beam(b, "beam", places, 0.8, d / 0.8, np.linalg.inv(positive(rng, 6)), viscosity=positive(rng, 6), current=current)
    c = pair(add, 1.2)
    s, x = c.system, c.real
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    taken = x.R @ x.v
    x.E[:] = 0
    evaluation.run(s.program("power"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(taken, x.E[DISSIPATION], rtol=1e-12)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_rigid_motions_and_a_thousand_turns_change_no_energy(current):
    c = pair(element(current, 0.0), 1.3)
    s, x, rng = c.system, c.real, np.random.default_rng(7)
    q, before = x.q.copy(), energy(s, x, ELASTIC)
    for _ in range(20):
        x.q[:] = moved(s, q, random_rotation(rng), 100 * rng.normal(size=3))
        np.testing.assert_allclose(energy(s, x, ELASTIC), before, rtol=1e-12)
    x.q[:], step = q, np.zeros(s.n)
    axis, angle, turn = np.array([2.0, -1.0, 2.0]) / 3, 2 * np.pi * 0.1, x.q[7:10] - x.q[:3]
    for k in range(2):
        step[6 * k + 3:6 * k + 6] = rotation(q[7 * k + 3:7 * k + 7]).T @ axis * angle  # the axis stays where it is in the nodes
    for _ in range(10_000):
        evaluation.retract(s.data, x.q.copy(), step, 1.0, x.q)
    x.q[7:10] = x.q[:3] + turn  # whole turns
    np.testing.assert_allclose(energy(s, x, ELASTIC), before, rtol=1e-12)
    x.q[10:14] *= -1  # either sign of a quaternion
    np.testing.assert_allclose(energy(s, x, ELASTIC), before, rtol=1e-12)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_either_end_may_be_the_first(current):
    """Node axes turned by half a turn about e_2: the beam begins at the other end, and forces and energy are the same."""
    back = np.diag([-1.0, 1.0, -1.0])
    swap = -np.kron(np.eye(2), back)
    forces, energies = [], []
    for turned in (False, True):
        def add(b, places, poses, rng, turned=turned):
            C, V, strain = positive(rng, 6), positive(rng, 6), np.array([1.0, 0, 0, 0, 0, 0]) + 0.3 * rng.normal(size=6)
            if turned:
                C, V, strain, places = swap @ C @ swap, swap @ V @ swap, swap @ strain, places[::-1]
            made.exact_beam(b, "beam", places, 0.8, strain, np.linalg.inv(C), viscosity=V, current=current)
        c = pair(add, 1.3)
        s, x = c.system, c.real
        if turned:
            for k in range(2):
                x.q[7 * k + 3:7 * k + 7] = np.array([[0, 0, -1, 0], [0, 0, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]]) @ x.q[7 * k + 3:7 * k + 7]
                x.v[6 * k + 3:6 * k + 6] = back @ x.v[6 * k + 3:6 * k + 6]
        evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
        R = x.R.copy()
        if turned:
            for k in range(2):
                R[6 * k + 3:6 * k + 6] = back @ R[6 * k + 3:6 * k + 6]
        forces.append(R)
        energies.append(energy(s, x, ELASTIC))
    np.testing.assert_allclose(forces[0], forces[1], rtol=0, atol=1e-13 * abs(forces[0]).max())
    np.testing.assert_allclose(*energies, rtol=1e-13)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
@pytest.mark.parametrize("n", [3, 4, 8])
def test_nodes_on_a_helix_are_in_balance(n, current):
    """EI = GJ = 1, no shear, L = 1, a moment (pi, 0, 2 pi) on the tip in its axes. Tips of other factors are in helix_tip.csv."""
    phi, F = np.array([np.pi, 0, 2 * np.pi]), np.diag([1e-2, 0, 0, 1.0, 1.0, 1.0])
    chain = Chain(straight(n), exact(F, current=current))
    for k in range(1, n + 1):
        s = k / n
        place = s * left_tangent(s * phi) @ np.array([1.0, 0, 0])
        chain.nodes[k] = np.r_[place, np.cos(s * np.linalg.norm(phi) / 2), np.sin(s * np.linalg.norm(phi) / 2) * phi / np.linalg.norm(phi)]
    R, D = chain.residual()
    R[-3:] -= phi
    assert abs(R[6:]).max() < 1e-15 * abs(D).max()  # what rounding of coordinates of size 1 makes
    np.testing.assert_allclose(chain.tip(), np.loadtxt(DATA / "helix_tip.csv", delimiter=",", skiprows=1)[-1, 1:], rtol=0, atol=1e-15)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_a_curved_and_twisted_beam_as_modelled_has_no_stress(current):
    """Whatever its section is; and the screw of its nodes is the strain of the helix that they are on."""
    rng = np.random.default_rng(4)
    strain, F = np.array([1.0, 0.1, -0.2, 0.5, 0.7, -0.4]), np.linalg.inv(positive(rng, 6))
    poses = [Pose(left_tangent(s * strain[3:]) @ strain[:3] * s, exponential(s * strain[3:])) for s in np.linspace(0, 2, 6)]

    def add(b, places, two):
        made.exact_beam(b, "beam", places, 0.4, made.screw(*two) / 0.4, F, current=current)
    assert abs(Chain(poses, add).residual()[0]).max() < 1e-12
    np.testing.assert_allclose(made.screw(*poses[:2]), 0.4 * strain, rtol=0, atol=1e-14)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_linear_statics_is_exact_at_nodes(current):
    """One element of a straight cantilever with a full section stiffness, and any small load on its end: the flexibility of the end."""
    F = np.linalg.inv(positive(np.random.default_rng(3), 6))
    chain = Chain(straight(1, 0.7), exact(F, current=current))
    _, D = chain.residual()
    expected = made.linear_stiffness(F, 0.7)
    np.testing.assert_allclose(D, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_linear_statics_of_a_tapered_element_is_exact_at_nodes(current):
    F, G = (np.linalg.inv(positive(np.random.default_rng(seed), 6)) for seed in (3, 4))
    def at(x):
        return F + x**3 * G
    chain = Chain(straight(1, 0.7), exact(made.flexibility_along(at, 0.7), current=current))
    _, D = chain.residual()
    expected = made.linear_stiffness(at, 0.7)
    np.testing.assert_allclose(D, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_roll_up(current):
    """2 pi EI / L on the end makes a full circle, exact with any number of elements."""
    F, n = np.diag([1e-4, 1e-4, 1e-4, 1.0, 1.0, 1.0]), 4
    chain = Chain(straight(n), exact(F, current=current))
    for factor in np.linspace(0.1, 1, 10):
        chain.newton(np.zeros(chain.system.n), follower=(0, 0, 2 * np.pi * factor), tolerance=1e-12)
    circle = arc(n, 1 / (2 * np.pi), 2 * np.pi)
    np.testing.assert_allclose(chain.nodes[:, :3], [pose.point for pose in circle], rtol=0, atol=1e-12)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_section_forces_of_a_small_load(current):
    """A cantilever with a small force and moment on its end: in axes of the world, which are the section's, n is constant and m linear."""
    F = np.linalg.inv(positive(np.random.default_rng(3), 6))
    chain, load, out = Chain(straight(1, 0.7), exact(F, current=current)), 1e-7 * np.array([0.3, -0.5, 0.8, 0.2, 0.6, -0.4]), np.zeros(30)
    _, D = chain.residual()
    chain.move(np.r_[np.zeros(6), np.linalg.solve(D[6:, 6:], load)])
    sections(chain.system.data, chain.x, chain.system.families[BEAM][0], 1, np.linspace(0, 1, 5), True, out)
    for xi, row in zip(np.linspace(0, 1, 5), out.reshape(5, 6), strict=True):
        expected = np.r_[load[:3], load[3:] + np.cross((0.7 * (1 - xi), 0, 0), load[:3])]
        np.testing.assert_allclose(row, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_section_forces_of_a_large_load(current):
    """At all nodes of a spatial bend they are what holds the part behind: the load in axes of the section, and its moment about it."""
    force, F = np.array([0, 2.0, 1.5]), np.linalg.inv(np.diag([1e5, 1e5, 1e5, 1.0, 1.0, 8.0]))
    chain, out = Chain(straight(4), exact(F, current=current)), np.zeros(12)
    tip, first = chain.load(force, 20, tolerance=1e-12), chain.system.families[BEAM][0]
    for k in range(4):
        sections(chain.system.data, chain.x, first + k, 1, np.array([0.0, 1.0]), True, out)
        for node, row in zip(chain.nodes[k:k + 2], out.reshape(2, 6), strict=True):
            R = rotation(node[3:])
            np.testing.assert_allclose(row, np.r_[R.T @ force, R.T @ np.cross(tip - node[:3], force)], rtol=0, atol=1e-9)


def test_more_than_three_radians_end_a_run():
    for angle, expected in ((2.9, 0.0), (3.1, np.inf)):
        c = pair(element(False, 0.0), angle)
        c.real.E[:] = 0
        evaluation.run(c.system.program("history"), c.system.data, c.real, 0.0, 0.0, 0.0, 0.0)
        assert c.real.E[TURNING] == expected


def exact_factors(t):
    """g, g', g'' from power series with 60 digits."""
    getcontext().prec = 60
    x = Decimal(t) ** 2
    bernoulli = [Decimal(1)]
    for m in range(1, 121):
        row, total = Decimal(1), Decimal(0)
        for k in range(m):
            total += row * bernoulli[k]
            row = row * (m + 1 - k) / (k + 1)
        bernoulli.append(-total / (m + 1))
    g = g1 = g2 = Decimal(0)
    factorial = Decimal(2)
    for k in range(60):
        a = abs(bernoulli[2 * k + 2]) / factorial
        g += a * x**k
        g1 += k * a * x ** (k - 1) if k else 0
        g2 += k * (k - 1) * a * x ** (k - 2) if k > 1 else 0
        factorial *= (2 * k + 3) * (2 * k + 4)
    return float(g), float(g1), float(g2)


def test_factors_are_good_to_rounding():
    run = factors if DISABLED else numba.njit(lambda t2, k, s2: factors(t2, k, s2), error_model="numpy")
    for t in (1e-8, 0.01, 0.1, 0.1414, 0.1415, 0.5, 0.999, 1.001, 1.5, 2.0):
        found, expected = run(t * t, t / 2 / np.tan(t / 2), np.sin(t / 2) ** 2), exact_factors(t)
        for a, b, size in zip(found, expected, (1, 1, 1), strict=True):
            assert abs(a - b) < 1.5e-15 * size, (t, a, b)
