"""Beams with slopes of sections: derivatives, invariance, what a constant strain and small loads make."""
import numpy as np
import pytest
from beam_chains import STEP, energy, gradient, relative_error
from derivatives import ComplexStep, random_rotation

from pliant.compile import slope_elements as made
from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.system import System
from pliant.kernels import evaluation
from pliant.kernels.contract import DISSIPATION, ELASTIC, KINETIC, POTENTIAL

L, WIDTH, HEIGHT, E, NU = 0.8, 0.3, 0.2, 10.0, 0.3
MODELLED = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [L, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])


def element(damping=0.0, mass=False, seed=3, now=None):
    rng = np.random.default_rng(seed)
    b, X = ArrayBuilder((0.3, 0.2, -9.81)), MODELLED + 0.2 * rng.normal(size=(8, 3)) if now is None else now
    nodes = [b.slope_place("", "", X[k:k + 4], rng.normal(size=12), None) for k in (0, 4)]
    if mass:
        made.slope_beam_inertia(b, "beam", nodes, L, 1.7, WIDTH, HEIGHT)
    else:
        modelled = MODELLED + 0.1 * rng.normal(size=(8, 3)) if now is None else MODELLED
        made.slope_beam(b, "beam", nodes, L, E, NU, WIDTH, HEIGHT, X=modelled, damping=damping)
    return ComplexStep(System(b))


@pytest.mark.parametrize("damping", [0.0, 0.6])
def test_tangent_is_the_derivative_of_the_residual(damping):
    for seed in range(3):
        assert relative_error(element(damping, seed=seed)) < 1e-13


def test_force_is_the_gradient_of_the_energy():
    expected, R = gradient(element(), ELASTIC)
    np.testing.assert_allclose(R, expected, rtol=0, atol=1e-13 * abs(expected).max())


def test_what_is_lost_is_what_damping_takes():
    c, d = element(0.6), element()
    for part in (c, d):
        evaluation.run(part.system.program("residual"), part.system.data, part.real, 0.0, 0.0, 0.0, 0.0)
    taken = (c.real.R - d.real.R) @ c.real.v
    c.real.E[:] = 0
    evaluation.run(c.system.program("power"), c.system.data, c.real, 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(c.real.E[DISSIPATION], taken, rtol=1e-12)


def test_rigid_motions_change_no_energy():
    c, rng = element(), np.random.default_rng(7)
    X, before = c.real.q.reshape(8, 3).copy(), energy(c.system, c.real, ELASTIC)
    for _ in range(20):
        moved = X @ random_rotation(rng).T
        moved[[0, 4]] += 100 * rng.normal(size=3)[None]
        c.real.q[:] = moved.ravel()
        np.testing.assert_allclose(energy(c.system, c.real, ELASTIC), before, rtol=1e-12)


def test_a_bar_under_tension_gets_thinner_by_poissons_ratio():
    """Constant strain: no force on the sections, the energy E A eps^2 L / 2."""
    eps = 0.1  # of Green
    stretch, shrink = np.sqrt(1 + 2 * eps), np.sqrt(1 - 2 * NU * eps)
    now = MODELLED * np.array([1.0, shrink, shrink])
    now[:, 0] *= stretch
    c = element(now=now)
    c.real.v[:] = 0
    evaluation.run(c.system.program("residual"), c.system.data, c.real, 0.0, 0.0, 0.0, 0.0)
    force = c.real.R.reshape(8, 3)
    np.testing.assert_allclose(force[[2, 3, 6, 7]], 0, atol=1e-15)
    np.testing.assert_allclose(force[4], (E * WIDTH * HEIGHT * eps * stretch, 0, 0), rtol=0, atol=1e-14)
    np.testing.assert_allclose(energy(c.system, c.real, ELASTIC), E * WIDTH * HEIGHT * L * eps**2 / 2, rtol=1e-12)


def test_inertia_is_that_of_the_field():
    c = element(mass=True)
    assert relative_error(c, (1.0, 0.0, 0.0), (0.7, 0.5, 0.3)) < 1e-13
    s, x, kinetic = c.system, c.real, 0.0
    points, weights = np.polynomial.legendre.leggauss(6)
    A, B = x.v.reshape(2, 4, 3)
    for xi, u in zip((points + 1) / 2, weights / 2, strict=True):
        N = 1 - 3 * xi**2 + 2 * xi**3, L * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3, L * (xi**3 - xi**2)
        for eta, v in zip(points / 2, weights / 2, strict=True):
            for zeta, w in zip(points / 2, weights / 2, strict=True):
                across = WIDTH * eta * ((1 - xi) * A[2] + xi * B[2]) + HEIGHT * zeta * ((1 - xi) * A[3] + xi * B[3])
                rate = N[0] * A[0] + N[1] * A[1] + N[2] * B[0] + N[3] * B[1] + across
                kinetic += 1.7 * WIDTH * HEIGHT * L * u * v * w * rate @ rate / 2
    np.testing.assert_allclose(energy(s, x, KINETIC), kinetic, rtol=1e-12)
    gravity = np.array([c.memory(unit, "q", "energy").E[POTENTIAL].imag / STEP for unit in np.eye(s.n)])
    mass = c.tangent(1.0, 0.0, 0.0)
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(x.R, mass @ x.a + gravity, rtol=0, atol=1e-13 * abs(x.R).max())


def cantilever(n, young, poisson, load):
    """Deflection of the end of a bar of length 1, 0.1 x 0.1, for a small load (12 numbers on the last node)."""
    b, X = ArrayBuilder((0.0, 0.0, 0.0)), [np.array([[k / n, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]) for k in range(n + 1)]
    nodes = [b.slope_place("", "", x, 0 * x, None) for x in X]
    for k in range(n):
        made.slope_beam(b, "beam", nodes[k:k + 2], 1 / n, young, poisson, 0.1, 0.1, X=np.concatenate(X[k:k + 2]))
    s = System(b)
    x = s.memory()
    evaluation.run(s.program("tangent"), s.data, x, 0.0, 0.0, 0.0, 1.0)
    return np.linalg.solve(s.dense(x.D)[12:, 12:], np.r_[np.zeros(12 * n - 12), load])[-12:]


def test_a_cantilever_bends_as_timoshenkos_beam():
    """P L^3 / 3EI + P L / kGA and T L / GJ with the polar moment and k; order 2 in bending."""
    young, poisson = 100.0, 0.3
    EI, GA = young * 1e-4 / 12, young / 2.6 * 0.01
    expected = 1 / (3 * EI) + 1 / (5 / 6 * GA)
    errors = [1 - cantilever(n, young, poisson, np.eye(12)[1])[1] / expected for n in (4, 8, 16)]
    assert 0 < errors[-1] < 0.01
    assert np.log2(np.array(errors[:-1]) / errors[1:]).min() > 1.8
    couple = np.zeros(12)  # about x: along z on r_y, against y on r_z
    couple[8], couple[10] = 0.5, -0.5
    turn = cantilever(16, young, poisson, couple)[8]
    np.testing.assert_allclose(turn, 1 / (5 / 6 * young / 2.6 * 2e-4 / 12), rtol=0.02)
