"""Frames and loads between the nodes of an element: Jacobians, velocities, accelerations and pulls by complex steps."""
import numpy as np
import pytest
from beam_chains import STEP, made, pair, positive, relative_error, rotation, turned_columns
from derivatives import random_rotation

from pliant.families import beam_frames, bushing, loads
from pliant.kernels import evaluation
from pliant.kernels.contract import AV, AW, POWER, A, F, M, P, V, W

ANGLES = (0.0, 1e-4, 0.3, 1.2, 3.0)
XI = (0.0, 0.3, 0.8, 1.0)


def frames(b, places, poses, rng):
    for xi in XI:
        number = made.beam_frame(b, "frame", places, 0.9, xi, rng.normal(size=3), random_rotation(rng))
        b.velocity_frames.add(number)


def bushed(b, places, poses, rng):
    """A bushing between two frames of one element, which reads J, L and pulls."""
    a, c = (made.beam_frame(b, "frame", places, 0.9, xi, rng.normal(size=3), random_rotation(rng)) for xi in (0.3, 0.8))
    pool = b.pool(positive(rng, 6), positive(rng, 6), 0.1 * rng.normal(size=6))
    b.pair(bushing.BUSHING, "bushing", a, c, (pool, b.history(3)), velocity=True)


def axial(Q):
    return np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]) / 2


def along(c, direction, part, program="residual"):
    """Rates of all frames along a direction: place, spin of the axes, velocity, angular velocity."""
    z = c.memory(direction, part, program)
    found = []
    for row in z.X:
        R, dR = row[A:A + 9].real.reshape(3, 3), row[A:A + 9].imag.reshape(3, 3) / STEP
        found.append(np.r_[row[P:P + 3].imag / STEP, axial(dR @ R.T), row[V:V + 6].imag / STEP])
    return np.array(found)


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobians_are_complex_steps(angle):
    c = pair(frames, angle)
    c.tangent(0.0, 0.0, 1.0)
    s, x = c.system, c.real
    for f in range(len(XI)):
        J, L = (np.hstack(part[2 * f:2 * f + 2]) for part in (x.J, x.L))
        by_q = np.array([along(c, unit, "q")[f] for unit in np.eye(s.n)]).T
        by_v = np.array([along(c, unit, "v")[f] for unit in np.eye(s.n)]).T
        np.testing.assert_allclose(J, by_q[:6], rtol=0, atol=1e-13 * abs(J).max())
        np.testing.assert_allclose(J, by_v[6:], rtol=0, atol=1e-13 * abs(J).max())
        np.testing.assert_allclose(L, by_q[6:], rtol=0, atol=1e-13 * abs(L).max())
        np.testing.assert_allclose(x.X[f, V:V + 6], J @ x.v, rtol=0, atol=1e-13 * abs(x.v).max() * abs(J).max())


@pytest.mark.parametrize("angle", ANGLES)
def test_accelerations_are_the_rates_of_velocities(angle):
    c = pair(frames, angle)
    s, x = c.system, c.real
    evaluation.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    expected = along(c, x.v, "q", "rates")[:, 6:] + along(c, x.a, "v", "rates")[:, 6:]
    np.testing.assert_allclose(np.hstack([x.X[:, AV:AV + 3], x.X[:, AW:AW + 3]]), expected, rtol=0, atol=1e-13 * abs(expected).max())


def test_the_ends_of_a_beam_are_its_nodes():
    c = pair(frames, 1.2)
    s, x = c.system, c.real
    evaluation.run(s.program("rates"), s.data, x, 0.0, 0.0, 0.0, 0.0)
    for f, k in ((0, 0), (3, 1)):
        row = s.families[beam_frames.FRAMES][0] + f
        pool = s.data.ip[row, beam_frames.POOL]
        offset, axes = s.data.val[pool:pool + 3], s.data.val[pool + 3:pool + 12].reshape(3, 3)
        R, w = rotation(x.q[7 * k + 3:7 * k + 7]), x.v[6 * k + 3:6 * k + 6]
        np.testing.assert_allclose(x.X[f, P:P + 3], x.q[7 * k:7 * k + 3] + R @ offset, rtol=0, atol=1e-14)
        np.testing.assert_allclose(x.X[f, A:A + 9].reshape(3, 3), R @ axes, rtol=0, atol=1e-14)
        np.testing.assert_allclose(x.X[f, V:V + 3], x.v[6 * k:6 * k + 3] + R @ np.cross(w, offset), rtol=0, atol=1e-13)
        np.testing.assert_allclose(x.X[f, W:W + 3], R @ w, rtol=0, atol=1e-13)


@pytest.mark.parametrize("angle", ANGLES)
def test_pull_is_the_transposed_jacobian(angle):
    c, rng = pair(frames, angle), np.random.default_rng(2)
    s, x = c.system, c.real
    c.tangent(0.0, 0.0, 1.0)
    wrench = rng.normal(size=(len(XI), 6))
    from pliant.kernels.contract import address
    x.X[:, F:F + 3], x.X[:, M:M + 3] = wrench[:, :3], wrench[:, 3:]
    program = s.program("residual", families=[beam_frames.FRAMES])
    last = evaluation.Program(program.address[-1:], program.rows[-1:])
    assert program.address[-1] == address(beam_frames.FRAMES.pull.residual)
    evaluation.run(last, s.data, x, 0.0, 0.0, 0.0, 0.0)
    expected = sum(np.hstack(x.J[2 * f:2 * f + 2]).T @ wrench[f] for f in range(len(XI)))
    np.testing.assert_allclose(x.R, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("angle", ANGLES)
def test_tangent_of_what_holds_on_to_frames(angle):
    assert relative_error(pair(bushed, angle)) < 1e-12


def load(follows):
    """On a part of an element, changing along it, with a factor of time."""
    def add(b, places, poses, rng):
        code = b.function("2*sin(3*t) + 1", ("t",), "factor").value
        frame = made.line_load(b, "load", places, 0.9, (0.2, 0.9), rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), follows=follows)
        b.pair(loads.LOAD, "load", frame, b.frame(b.ground, (0, 0, 0)), (0, 0, code, -1, -1), (0.3, 0.0, 0.0))
    return add


@pytest.mark.parametrize("follows", [False, True], ids=["dead", "follower"])
@pytest.mark.parametrize("angle", ANGLES)
def test_tangent_of_distributed_loads(angle, follows):
    c = pair(load(follows), angle)
    assert relative_error(c, (0.0, 0.0, 1.0), (0.7, 0.5, 0.3)) < 1e-13
    found, expected = turned_columns(c, 0.5, 0.3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * abs(expected).max())


@pytest.mark.parametrize("follows", [False, True], ids=["dead", "follower"])
def test_power_of_distributed_loads(follows):
    c = pair(load(follows), 1.3)
    s, x = c.system, c.real
    evaluation.run(s.program("residual"), s.data, x, c.t, 0.0, 0.0, 0.0)
    supplied = -x.R @ x.v
    x.E[:] = 0
    evaluation.run(s.program("power"), s.data, x, c.t, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(x.E[POWER], supplied, rtol=1e-12)


def test_a_dead_force_per_length_is_what_the_cubic_makes_of_it():
    """N_1 and N_3 halves of it; the slopes +-L^2/12 times e_1 x force, which no rotation about e_1 sees."""
    def add(b, places, poses, rng):
        frame = made.line_load(b, "load", places, 0.9, (0.0, 1.0), np.array([(0, 2.0, 0)] * 2), np.zeros((2, 3)))
        b.pair(loads.LOAD, "load", frame, b.frame(b.ground, (0, 0, 0)), (0, 0, -1, -1, -1), (1.0, 0.0, 0.0))
    c = pair(add, 0.8)
    evaluation.run(c.system.program("residual"), c.system.data, c.real, 0.0, 0.0, 0.0, 0.0)
    for k, sign in ((0, 1), (1, -1)):
        R = rotation(c.real.q[7 * k + 3:7 * k + 7])
        moment = sign * 0.9**2 / 12 * np.cross((1, 0, 0), R.T @ (0, 2.0, 0))
        np.testing.assert_allclose(-c.real.R[6 * k:6 * k + 6], np.r_[0, 0.9, 0, moment], rtol=0, atol=1e-14)
