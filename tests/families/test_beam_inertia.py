"""Inertia of beams: exact Lagrangian mechanics of the axis field, tangents, momenta; the same of what sections have of their own."""
import numpy as np
import pytest
from beam_chains import STEP, exact, made, pair, positive, relative_error, rotation, turned_columns

from pliant.kernels import evaluation
from pliant.kernels.contract import KINETIC, POTENTIAL


def field(b, places, poses, rng):
    made.hermite_inertia(b, "mass", places, 0.9, made.axis_mass(lambda x: 1 + 2 * x, 0.9))


def nodes(b, places, poses, rng):
    for place in places:
        made.node_inertia(b, "half", place, 0.0, positive(rng, 3), rng.normal(size=3))


def whole(b, places, poses, rng):
    field(b, places, poses, rng)
    nodes(b, places, poses, rng)


INERTIAS = pytest.mark.parametrize("add", [field, nodes, whole])


@INERTIAS
def test_tangent_is_the_derivative_of_the_residual(add):
    for angle in (0.0, 0.8, 3.0):
        assert relative_error(pair(add, angle)) < 1e-13


@INERTIAS
def test_velocities_and_accelerations_of_turns_follow_their_increments(add):
    c = pair(add, 0.9)
    mass = c.reference(1.0, 0.0, 0.0)
    found, expected = turned_columns(c, 0.5, 0.3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * abs(expected).max())
    T = np.eye(c.system.n)
    for k in range(2):
        T[6 * k + 3:6 * k + 6, 6 * k + 3:6 * k + 6] = c.real.T[k].reshape(3, 3)
    np.testing.assert_allclose(c.tangent(1.0, 0.0, 0.0), mass @ T, rtol=0, atol=1e-13 * abs(mass).max())


def momenta(c, direction=None, part="q"):
    """dT/dv along the motion: T is of second order in v, so its central difference over a step of one is exact."""
    found, direction = [], np.zeros(c.system.n) if direction is None else direction.copy()  # it may be v itself
    for unit in np.eye(c.system.n)[:c.system.n_v]:
        values = []
        for sign in (1, -1):
            kept = c.real.v.copy()
            c.real.v[:] += sign * unit
            values.append(c.memory(direction, part, "energy").E[KINETIC])
            c.real.v[:] = kept
        found.append((values[0] - values[1]) / 2)
    return np.array(found)


@INERTIAS
def test_forces_are_those_of_lagrange(add):
    """d/dt dT/dv + w x dT/dw - dT/dq + dV/dq on the group of rotations, with derivatives along the motion by complex steps."""
    c = pair(add, 1.4)
    s, x = c.system, c.real
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    rate = (momenta(c, x.v, "q").imag + momenta(c, x.a, "v").imag) / STEP
    p = momenta(c).real
    for k in range(2):
        rate[6 * k + 3:6 * k + 6] += np.cross(x.v[6 * k + 3:6 * k + 6], p[6 * k + 3:6 * k + 6])
    for i, unit in enumerate(np.eye(s.n)[:s.n_v]):
        E = c.memory(unit, "q", "energy").E
        rate[i] += (E[POTENTIAL].imag - E[KINETIC].imag) / STEP
    np.testing.assert_allclose(x.R[:s.n_v], rate, rtol=0, atol=1e-13 * abs(rate).max())


def test_the_matrix_is_that_of_the_cubic_field():
    """Kinetic energy by 20 Gauss points of the velocity of the axis, and the potential energy in gravity."""
    c = pair(field, 1.1)
    s, x, L = c.system, c.real, 0.9
    x.E[:] = 0
    evaluation.run(s.program("energy"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    points, weights = np.polynomial.legendre.leggauss(20)
    A, B = (ends(x.q[7 * k:7 * k + 7], x.v[6 * k:6 * k + 6]) for k in range(2))
    kinetic = potential = 0.0
    for xi, w in zip((points + 1) / 2, weights / 2, strict=True):
        N = 1 - 3 * xi**2 + 2 * xi**3, L * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3, L * (xi**3 - xi**2)
        r, v = (sum(n * part for n, part in zip(N, (A[i], A[i + 1], B[i], B[i + 1]), strict=True)) for i in (0, 2))
        m = L * w * (1 + 2 * xi)
        kinetic += m * v @ v / 2
        potential -= m * s.data.val[:3] @ r
    np.testing.assert_allclose(x.E[[KINETIC, POTENTIAL]], (kinetic, potential), rtol=1e-13)


def ends(q, v):
    """p, t, their rates"""
    R = rotation(q[3:])
    return q[:3], R[:, 0], v[:3], R @ np.cross(v[3:], (1, 0, 0))


def test_momentum_and_angular_momentum():
    """Of elastic and inertia forces together nothing is left but d/dt of the momenta: their sums, and moments about the origin, are the
    rates of what the kinetic energy gives for common motions."""
    def add(b, places, poses, rng):
        whole(b, places, poses, rng)
        exact(np.linalg.inv(positive(rng, 6)), damping=0.3)(b, places, poses)
    c = pair(add, 0.8)
    s, x = c.system, c.real
    s.data.val[:3] = 0
    c.data = s.typed_data(np.complex128)
    evaluation.run(s.program("residual"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    force, moment = np.zeros(3), np.zeros(3)
    for k in range(2):
        R, p = rotation(x.q[7 * k + 3:7 * k + 7]), x.q[7 * k:7 * k + 3]
        force += x.R[6 * k:6 * k + 3]
        moment += R @ x.R[6 * k + 3:6 * k + 6] + np.cross(p, x.R[6 * k:6 * k + 3])

    def total(direction, part):
        """Momentum and angular momentum as complex numbers"""
        P = momenta(c, direction, part)
        z = c.memory(direction, part, "energy")
        linear, angular = np.zeros(3, complex), np.zeros(3, complex)
        for k in range(2):
            R, p = rotation(z.q[7 * k + 3:7 * k + 7]), z.q[7 * k:7 * k + 3]
            linear += P[6 * k:6 * k + 3]
            angular += R @ P[6 * k + 3:6 * k + 6] + np.cross(p, P[6 * k:6 * k + 3])
        return np.r_[linear, angular]
    rate = (total(x.v, "q").imag + total(x.a, "v").imag) / STEP
    np.testing.assert_allclose(np.r_[force, moment], rate, rtol=0, atol=1e-13 * abs(x.R).max())
