"""Corotational beams by themselves: derivatives, invariance, and the linear stiffness they carry."""
import numpy as np
import pytest
from beam_chains import (
    Chain,
    corotational,
    energy,
    exact,
    exponential,
    gradient,
    made,
    moved,
    pair,
    positive,
    relative_error,
    straight,
    turned_columns,
    two_nodes,
)
from derivatives import random_rotation

from pliant.compile.beam_elements import Pose
from pliant.kernels import evaluation
from pliant.kernels.contract import DISSIPATION, ELASTIC

ANGLES = (0.0, 1e-4, 0.3, 1.2, 2.4, 3.0)


def element(damping):
    """Any 12x12 matrix that rigid motions do not stress: of a strained section, modelled with turned nodes."""
    def add(b, places, poses, rng):
        modelled = two_nodes(rng, 0.4)
        stiffness = made.linear_stiffness(np.linalg.inv(positive(rng, 6)), np.linalg.norm(modelled[1].point - modelled[0].point))
        made.corotational_beam(b, "beam", places, modelled, stiffness, damping)
    return add


@pytest.mark.parametrize("damping", [0.0, 0.7])
@pytest.mark.parametrize("angle", ANGLES)
def test_tangent_is_the_derivative_of_the_residual(angle, damping):
    for seed in range(3):
        assert relative_error(pair(element(damping), angle, seed)) < 1e-12


def test_velocities_of_turns_follow_their_increments():
    found, expected = turned_columns(pair(element(0.7), 0.9), 0.5, 0.3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("angle", ANGLES)
def test_force_is_the_gradient_of_the_energy(angle):
    expected, R = gradient(pair(element(0.0), angle), ELASTIC)
    np.testing.assert_allclose(R, expected, rtol=0, atol=1e-13 * abs(expected).max())


def test_what_is_lost_is_what_damping_takes():
    c, d = pair(element(0.7), 1.3), pair(element(0.0), 1.3)
    for part in (c, d):
        evaluation.run(part.system.program("residual"), part.system.data, part.real, 0.0, 0.0, 0.0, 0.0)
    taken = (c.real.R - d.real.R) @ c.real.v
    c.real.E[:] = 0
    evaluation.run(c.system.program("power"), c.system.data, c.real, 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(c.real.E[DISSIPATION], taken, rtol=1e-12)


def test_rigid_motions_change_no_energy():
    c = pair(element(0.0), 1.3)
    s, x, rng = c.system, c.real, np.random.default_rng(7)
    q, before = x.q.copy(), energy(c.system, c.real, ELASTIC)
    for _ in range(20):
        x.q[:] = moved(s, q, random_rotation(rng), 100 * rng.normal(size=3))
        np.testing.assert_allclose(energy(s, x, ELASTIC), before, rtol=1e-12)


def test_either_end_may_be_the_first():
    """The same element from B to A, node axes turned by half a turn about their second axis."""
    rng, back = np.random.default_rng(8), np.diag([-1.0, 1.0, -1.0])
    modelled, now = two_nodes(rng, 0.4), two_nodes(rng, 1.1)
    F, swap = np.linalg.inv(positive(rng, 6)), np.diag([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])

    def turned(poses):
        return [Pose(pose.point, pose.axes @ back) for pose in poses[::-1]]
    energies = []
    for start, poses, flexibility in ((modelled, now, F), (turned(modelled), turned(now), swap @ F @ swap)):
        def add(b, places, _, start=start, flexibility=flexibility):
            stiffness = made.linear_stiffness(flexibility, np.linalg.norm(start[1].point - start[0].point))
            made.corotational_beam(b, "beam", places, start, stiffness)
        chain = Chain(poses, add)
        energies.append(energy(chain.system, chain.x, ELASTIC))
    np.testing.assert_allclose(*energies, rtol=1e-12)


def test_its_first_tangent_is_the_linear_stiffness():
    """In axes of the element, also of an element that is modelled somewhere in space; and that of the exact element, when straight."""
    F, rng = np.linalg.inv(positive(np.random.default_rng(2), 6)), np.random.default_rng(1)
    E, shift = random_rotation(rng), rng.normal(size=3)
    poses = [Pose(shift + E @ pose.point, E @ exponential((0.1 * k, 0.2, -0.3 * k))) for k, pose in enumerate(straight(1, 0.7))]
    _, D = Chain(poses, corotational(F)).residual()
    axes, turn = made.chord_axes(*poses), np.zeros((12, 12))
    for k, pose in enumerate(poses):
        turn[6 * k:6 * k + 3, 6 * k:6 * k + 3], turn[6 * k + 3:6 * k + 6, 6 * k + 3:6 * k + 6] = axes, pose.axes.T @ axes
    expected = turn @ made.linear_stiffness(F, 0.7) @ turn.T
    np.testing.assert_allclose(D, expected, rtol=0, atol=1e-12 * abs(D).max())
    _, D = Chain(straight(1, 0.7), corotational(F)).residual()
    _, K = Chain(straight(1, 0.7), exact(F)).residual()
    np.testing.assert_allclose(D, K, rtol=0, atol=1e-12 * abs(D).max())


@pytest.mark.parametrize("shear", [0.0, 1.0], ids=["Euler-Bernoulli", "Timoshenko"])
def test_linear_stiffness_is_that_of_the_textbooks(shear):
    """Przemieniecki 1968: with Phi = 12 EI / (GA L^2)."""
    L, EA, GA, GJ, EI = 0.7, 5.0, 3.0, 2.0, 1.5
    phi = 12 * EI / (GA * L**2) * shear
    K = made.linear_stiffness(np.diag([1 / EA, shear / GA, shear / GA, 1 / GJ, 1 / EI, 1 / EI]), L)
    bend = EI / (1 + phi) * np.array([[12 / L**3, 6 / L**2, -12 / L**3, 6 / L**2], [6 / L**2, (4 + phi) / L, -6 / L**2, (2 - phi) / L],
                                      [-12 / L**3, -6 / L**2, 12 / L**3, -6 / L**2], [6 / L**2, (2 - phi) / L, -6 / L**2, (4 + phi) / L]])
    np.testing.assert_allclose(K[np.ix_([1, 5, 7, 11], [1, 5, 7, 11])], bend, rtol=1e-12)
    np.testing.assert_allclose(K[np.ix_([0, 6], [0, 6])], EA / L * np.array([[1, -1], [-1, 1]]), rtol=1e-12)
    np.testing.assert_allclose(K[np.ix_([3, 9], [3, 9])], GJ / L * np.array([[1, -1], [-1, 1]]), rtol=1e-12)
