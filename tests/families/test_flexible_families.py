"""The modal body: its equations against mass points and against Lagrange's equations of its own energies, in random spatial states."""
import numpy as np
import pytest
from derivatives import STEP, ComplexStep, random_rotation
from point_masses import MODES, Points, add_body, random_loads, skew
from scipy.linalg import expm

from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.system import System
from pliant.families import modal
from pliant.flex import mean_axes
from pliant.items.base import matrix_of
from pliant.kernels import evaluation

GRAVITY = (0.3, -0.7, -9.81)


def body_alone(stiffening: bool, gravity=(0.0, 0.0, 0.0), seed=3, modes=MODES):
    """A modal body with one node, and the points it is made of."""
    rng = np.random.default_rng(seed)
    b, points = ArrayBuilder(gravity), Points(rng, modes)
    q, v = rng.normal(size=7 + modes), rng.normal(size=6 + modes)
    q[3:7] /= np.linalg.norm(q[3:7])
    place = add_body(b, "body", points, q, v, random_loads(rng, modes, ("node",)) if stiffening else {}, rng)
    b.frame(place, rng.normal(size=3), random_rotation(rng))
    return ComplexStep(System(b)), points


def residual(c):
    s = c.system
    evaluation.run(s.program("residual", families=[modal.BODY]), s.data, c.real, c.t, 0.0, 0.0, 0.0)
    return c.real.R[s.active].copy()


@pytest.mark.parametrize("modes", [1, 6, 8])
def test_equations_are_newtons_for_mass_points(modes):
    """sum over points of m a . dv/dv_i: accelerations by a complex step of velocities along the motion."""
    c, points = body_alone(False, GRAVITY, modes=modes)
    x, n = c.real, modes
    R, v, w, q, qd = matrix_of(x.q[3:7]), x.v[:3], x.v[3:6], x.q[7:7 + n], x.v[6:6 + n]
    z = [R @ (np.eye(3) + 1j * STEP * skew(w)), v + 1j * STEP * x.a[:3], w + 1j * STEP * x.a[3:6], q + 1j * STEP * qd,
         qd + 1j * STEP * x.a[6:6 + n]]
    a = points.velocities(*z).imag / STEP - np.array(GRAVITY)
    basis = [np.split(e, [3, 6]) for e in np.eye(6 + n)]
    J = np.array([points.velocities(R, e[0], e[1], q, e[2]) for e in basis])
    expected = np.einsum("p,pi,kpi->k", points.mass, a, J)
    expected[6:] += points.K @ q + points.D @ qd
    np.testing.assert_allclose(residual(c), expected, rtol=0, atol=1e-11 * abs(expected).max())
    evaluation.run(c.system.program("energy"), c.system.data, x, c.t, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(x.E[0], 0.5 * points.mass @ (points.velocities(R, v, w, q, qd) ** 2).sum(1), rtol=1e-12)


@pytest.mark.parametrize("stiffening", [False, True])
def test_equations_are_lagranges(stiffening):
    """d/dt dT/dv + w x dT/dw - dT/dq + dV/dq, with momenta by differences of the quadratic T, which are exact."""
    c, points = body_alone(stiffening, GRAVITY)
    s, x, z = c.system, c.real, c.complex
    rows, units = s.active, np.eye(s.n)

    def energies(dq, dv, v):
        z.v[:], z.E[:] = v, 0
        evaluation.retract(c.data, x.q.astype(complex), dq.astype(complex), 1j * STEP, z.q)
        z.v[:] += 1j * STEP * dv
        evaluation.run(s.program("energy", np.complex128), c.data, z, c.t, 0.0, 0.0, 0.0)
        return z.E.copy()
    none = np.zeros(s.n)
    momenta = np.array([(energies(x.v, x.a, x.v + e)[0] - energies(x.v, x.a, x.v - e)[0]) / 2 for e in units[rows]])
    gradient = np.array([energies(e, none, x.v).imag / STEP for e in units[rows]])
    expected = momenta.imag / STEP - gradient[:, 0] + gradient[:, 1] + gradient[:, 2]
    expected[3:6] += np.cross(x.v[3:6], momenta.real[3:6])
    expected[6:] += points.D @ x.v[6:6 + MODES]
    np.testing.assert_allclose(residual(c), expected, rtol=0, atol=1e-11 * abs(expected).max())


@pytest.mark.parametrize("stiffening", [False, True])
def test_mass_matrix_is_the_hessian_of_the_kinetic_energy(stiffening):
    c, _ = body_alone(stiffening)
    s, x = c.system, c.real
    units = np.eye(s.n)[s.active]

    def kinetic(v):
        x.v[:], x.E[:] = v, 0
        evaluation.run(s.program("energy"), s.data, x, c.t, 0.0, 0.0, 0.0)
        return float(x.E[0])
    single = [kinetic(e) for e in units]
    expected = np.array([[kinetic(e + f) - a - b for f, b in zip(units, single, strict=True)] for e, a in zip(units, single, strict=True)])
    np.testing.assert_allclose(c.tangent(1.0, 0.0, 0.0), expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_stiffening_adds_loads_times_matrices():
    """In the modal equations stiffening is sum p_k K_k q for products p of w."""
    (with_, _), (without, _) = body_alone(True, GRAVITY), body_alone(False, GRAVITY)
    loads = random_loads(_after_points(), MODES, ("node",))
    for c in (with_, without):
        for name in "qva":
            getattr(c.real, name)[:] = getattr(with_.real, name)
    w, q = with_.real.v[3:6], with_.real.q[7:7 + MODES]
    gain = sum(w[i] * w[j] * loads["centrifugal", i, j] for i in range(3) for j in range(i, 3))
    difference = (residual(with_) - residual(without))[6:]
    np.testing.assert_allclose(difference, gain @ q, rtol=0, atol=1e-11 * abs(residual(without)).max())


def _after_points(seed=3):
    """The random numbers as `body_alone` has them when it makes loads."""
    rng = np.random.default_rng(seed)
    Points(rng, MODES)
    rng.normal(size=7 + MODES), rng.normal(size=6 + MODES)
    return rng


@pytest.mark.parametrize("stiffening", [False, True])
def test_tangent_is_the_derivative_of_the_residual(stiffening):
    c, _ = body_alone(stiffening, GRAVITY)
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_mean_axes_are_another_description_of_the_same_points():
    """Integrals of shapes without their rigid part, against the points themselves; their momentum is zero to first order."""
    points = Points(np.random.default_rng(11))
    G = mean_axes.rigid_part(points.integrals)
    found = mean_axes.integrals_in_mean_axes(points.integrals, G)
    points.psi = points.psi - G[:3] + skew(points.u0) @ G[3:]
    for name, a, b in zip(found._fields, found, points.integrals, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * abs(points.integrals.Mqq).max(), err_msg=name)
    assert abs(points.integrals.S).max() < 1e-12 and abs(points.integrals.B0).max() < 1e-12


def test_node_moves_and_turns_with_the_modes():
    """p + R (u0 + psi q - q.K q / 2 of forces), R exp(phi q - q.K q / 2 of moments) R_BF"""
    c, _ = body_alone(True)
    s, x = c.system, c.real
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    loads, q = random_loads(_after_points(), MODES, ("node",)), x.q[7:7 + MODES]
    row = s.families[next(f for f in s.families if f.name == "node")][0]
    tables = s.data.val[s.data.ip[row, 6]:][:6 * MODES].reshape(2, 3, MODES)
    d, r = (tables[k] @ q - np.array([q @ loads[kind, "node", i] @ q for i in range(3)]) / 2 for k, kind in enumerate(("force", "moment")))
    R, u0, axes = matrix_of(x.q[3:7]), s.data.rp[row, :3], s.data.rp[row, 3:12].reshape(3, 3)
    np.testing.assert_allclose(x.X[0, :3], x.q[:3] + R @ (u0 + d), rtol=0, atol=1e-13)
    np.testing.assert_allclose(x.X[0, 3:12].reshape(3, 3), R @ expm(skew(r)) @ axes, rtol=0, atol=1e-13)
