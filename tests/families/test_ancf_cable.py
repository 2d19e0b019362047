"""Cables with slopes: derivatives, invariance, constant states, and what is known of slender cantilevers."""
import numpy as np
import pytest
from beam_chains import STEP, energy, gradient, relative_error
from derivatives import ComplexStep, random_rotation

from pliant.compile import slope_elements as made
from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.system import System
from pliant.kernels import evaluation
from pliant.kernels.contract import DISSIPATION, ELASTIC, KINETIC, POTENTIAL

STRAIGHT = np.array([[0.0, 0, 0], [1, 0, 0], [0.8, 0, 0], [1, 0, 0]])
POINTS = pytest.mark.parametrize("points", [3, 4])
CURVED = pytest.mark.parametrize("curved", [False, True], ids=["straight", "curved"])


def random_cable(points, curved, damping=0.0, mass=False, seed=3):
    rng = np.random.default_rng(seed)
    b, now = ArrayBuilder((0.3, 0.2, -9.81)), STRAIGHT + 0.2 * rng.normal(size=(4, 3))
    modelled = STRAIGHT + 0.2 * curved * rng.normal(size=(4, 3))
    nodes = [b.slope_place("", "", now[k:k + 2], rng.normal(size=6), None) for k in (0, 2)]
    if mass:
        made.cable_inertia(b, "mass", nodes, 0.8, 1.7)
    else:
        made.cable(b, "cable", nodes, 0.8, 3.0, 1.3, X=modelled, damping=damping, points=points)
    return ComplexStep(System(b))


@CURVED
@POINTS
@pytest.mark.parametrize("damping", [0.0, 0.6])
def test_tangent_is_the_derivative_of_the_residual(points, curved, damping):
    for seed in range(3):
        assert relative_error(random_cable(points, curved, damping, seed=seed)) < 1e-13


@CURVED
@POINTS
def test_force_is_the_gradient_of_the_energy(points, curved):
    expected, R = gradient(random_cable(points, curved), ELASTIC)
    np.testing.assert_allclose(R, expected, rtol=0, atol=1e-13 * abs(expected).max())


@POINTS
def test_what_is_lost_is_what_damping_takes(points):
    c, d = (random_cable(points, False, damping) for damping in (0.6, 0.0))
    for part in (c, d):
        evaluation.run(part.system.program("residual"), part.system.data, part.real, 0.0, 0.0, 0.0, 0.0)
    taken = (c.real.R - d.real.R) @ c.real.v
    c.real.E[:] = 0
    evaluation.run(c.system.program("power"), c.system.data, c.real, 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(c.real.E[DISSIPATION], taken, rtol=1e-12)


@CURVED
@POINTS
def test_rigid_motions_change_no_energy(points, curved):
    c, rng = random_cable(points, curved), np.random.default_rng(7)
    X, before = c.real.q.reshape(4, 3).copy(), energy(c.system, c.real, ELASTIC)
    for _ in range(20):
        R, shift = random_rotation(rng), 100 * rng.normal(size=3)
        moved = X @ R.T
        moved[[0, 2]] += shift
        c.real.q[:] = moved.ravel()
        np.testing.assert_allclose(energy(c.system, c.real, ELASTIC), before, rtol=1e-12)


@CURVED
@POINTS
def test_either_end_may_be_the_first(points, curved):
    c = random_cable(points, curved)
    b, now, modelled = ArrayBuilder((0, 0, 0)), c.real.q.reshape(4, 3)[[2, 3, 0, 1]].copy(), STRAIGHT.copy()
    rng = np.random.default_rng(3)
    rng.normal(size=(4, 3))
    modelled = (STRAIGHT + 0.2 * curved * rng.normal(size=(4, 3)))[[2, 3, 0, 1]]
    now[[1, 3]] *= -1
    modelled[[1, 3]] *= -1
    nodes = [b.slope_place("", "", now[k:k + 2], np.zeros(6), None) for k in (0, 2)]
    made.cable(b, "cable", nodes, 0.8, 3.0, 1.3, X=modelled, points=points)
    s = System(b)
    np.testing.assert_allclose(energy(s, s.memory(), ELASTIC), energy(c.system, c.real, ELASTIC), rtol=1e-12)


def test_inertia_is_lagranges_with_a_constant_matrix():
    c = random_cable(3, False, mass=True)
    assert relative_error(c, (1.0, 0.0, 0.0), (0.7, 0.5, 0.3)) < 1e-13
    s, x = c.system, c.real
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    mass = c.tangent(1.0, 0.0, 0.0)
    np.testing.assert_allclose(x.v @ mass @ x.v / 2, energy(s, x, KINETIC), rtol=1e-13)
    gravity = np.array([c.memory(unit, "q", "energy").E[POTENTIAL].imag / STEP for unit in np.eye(s.n)])
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(x.R, mass @ x.a + gravity, rtol=0, atol=1e-13 * abs(x.R).max())


class Cantilever:
    """A cable along x, clamped at its start."""

    def __init__(self, n, axial, bending, **options):
        b = ArrayBuilder((0.0, 0.0, 0.0))
        X = np.array([[[k / n, 0, 0], [1.0, 0, 0]] for k in range(n + 1)])
        nodes = [b.slope_place("", "", x, 0 * x, None) for x in X]
        for k in range(n):
            made.cable(b, "cable", nodes[k:k + 2], 1 / n, axial, bending, X=X[k:k + 2].reshape(4, 3), **options)
        self.system = System(b)
        self.x = self.system.memory()

    def equilibrium(self, load):
        s, x = self.system, self.x
        for _ in range(100):
            x.D[:] = 0
            evaluation.run(s.program("tangent"), s.data, x, 0.0, 0.0, 0.0, 1.0)
            step = np.r_[np.zeros(6), np.linalg.solve(s.dense(x.D)[6:, 6:], (load - x.R)[6:])]
            step *= min(1.0, 0.3 / abs(step).max())
            x.q[:] += step
            if abs(step).max() < 1e-10:
                return
        raise AssertionError("no equilibrium")


@POINTS
def test_a_slender_cantilever_is_the_elastica(points):
    """P L^2 / EI = 10: tips converge to those of Bisshopp and Drucker; order 3 and better."""
    errors = []
    for n in (4, 8, 16):
        beam, load = Cantilever(n, 1e4, 1.0, points=points), None
        for axial in (1e2, 1e4, 1e6):  # a softer cable first
            stiffer = Cantilever(n, axial, 1.0, points=points)
            if load is not None:
                stiffer.x.q[:] = beam.x.q
            beam, load = stiffer, np.zeros(stiffer.system.n)
            for part in (1.0,) if axial > 1e2 else np.linspace(0.1, 1, 10):
                load[-5] = 10 * part
                beam.equilibrium(load)
        errors.append(np.linalg.norm(beam.x.q[-6:-4] - (1 - 0.55499559775375, 0.8106090248803)))
    assert errors[-1] < 5e-4 and np.log2(np.array(errors[:-1]) / errors[1:]).min() > 2.5


def test_small_loads_give_the_deflection_of_euler_and_bernoulli():
    beam = Cantilever(1, 1e4, 1.3, points=3)
    load = np.zeros(12)
    load[7] = 1e-7
    beam.equilibrium(load)
    np.testing.assert_allclose(beam.x.q[7], 1e-7 / (3 * 1.3), rtol=1e-9)
