"""Modes against closed forms: constrained, damped, gyroscopic, and about steadily rotating states, all off axis."""
import numpy as np
import pytest

import pliant as pl

R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])  # columns: the axes of the closed forms in the world
X, Y, Z = R.T
G = 9.81


def oscillations(modes):
    """Frequencies above zero [rad/s], ascending."""
    s = modes.eigenvalues
    return np.sort(s.imag[s.imag > 0])


def holds(modes, *frequencies, tol=1e-9):
    """Each of the frequencies [rad/s] is among the modes."""
    found = oscillations(modes)
    for w in frequencies:
        assert np.min(abs(found - w)) <= tol * w, (w, found)


def test_double_pendulum():
    m = pl.Model("double pendulum", gravity=-G * Y)
    a = m.add(pl.RigidBody.point_mass("a", mass=1.3, position=-0.7 * Y))
    b = m.add(pl.RigidBody.point_mass("b", mass=1.3, position=-1.4 * Y))
    m.add(pl.Revolute("A", m.ground, a.frame(0.7 * Y), axis=Z))
    m.add(pl.Revolute("B", a, b.frame(0.7 * Y), axis=Z))
    modes = m.modes()
    np.testing.assert_allclose(oscillations(modes), np.sqrt(G / 0.7 * (2 + np.array([-1, 1]) * np.sqrt(2))), rtol=1e-12)
    np.testing.assert_allclose(modes.damping, 0, atol=1e-12)
    assert modes.stable and not modes.note
    for k, ratio in ((0, np.sqrt(2)), (1, -np.sqrt(2))):  # angle of the second over that of the first
        turn = [modes.shape(k, body)[3:].real @ Z for body in ("a", "b")]
        assert turn[1] / turn[0] == pytest.approx(ratio, rel=1e-10)
        np.testing.assert_allclose(modes.shape(k, "a")[:3].real, turn[0] * np.cross(Z, -0.7 * Y), atol=1e-12)


@pytest.mark.parametrize("damping", [0.4, 40.0])
def test_damped_oscillator(damping):
    m = pl.Model("oscillator", gravity=-G * X)
    b = m.add(pl.RigidBody.box("b", (0.1, 0.2, 0.3), mass=2.0, position=0.5 * X))
    m.add(pl.Prismatic("slide", m.ground, b, axis=X))
    m.add(pl.SpringDamper("k", m.ground, b, stiffness=50.0, damping=damping))
    modes = m.modes(state="static")
    s = np.roots([2.0, damping, 50.0])
    s = np.sort_complex(s[s.imag >= 0])
    np.testing.assert_allclose(np.sort_complex(modes.eigenvalues), s, rtol=1e-12)
    if damping < 1:
        assert modes.damping[0] == pytest.approx(damping / (2 * np.sqrt(100.0)), rel=1e-12)
        assert modes.frequencies[0] == pytest.approx(5 / (2 * np.pi), rel=1e-12)
    else:
        assert [modes.kind(k) for k in range(2)] == ["decay", "decay"]


def rotor(spin, arm=0.0, stiffness=None):
    """A disc on a hub that a bushing holds at its origin; the disc is an ``arm`` further along the axis Z."""
    m = pl.Model("rotor")
    frame = {"rotation": R}
    hub = m.add(pl.RigidBody("hub", mass=0.3, inertia=(0.01, 0.01, 0.02), **frame))
    disc = m.add(pl.RigidBody("disc", mass=4.0, inertia=(0.05, 0.05, 0.09), position=arm * Z, rotation=R,
                              angular_velocity=(0, 0, spin), velocity=(0, 0, 0)))
    m.add(pl.Revolute("bearing", hub.frame((0, 0, arm)), disc, axis="z"))
    K = np.diag([3e4, 3e4, 5e4, 800.0, 800.0, 500.0]) if stiffness is None else stiffness
    m.add(pl.Bushing("support", m.ground.frame((0, 0, 0), rotation=R), hub, stiffness=K))
    return m


@pytest.mark.parametrize("spin", [0.0, 120.0])
def test_gyroscopic_splitting(spin):
    modes = rotor(spin).modes()
    inertia, polar, k = 0.06, 0.09, 800.0
    half = polar * spin / (2 * inertia)
    holds(modes, *(np.sqrt(half**2 + k / inertia) + np.array([-1, 1]) * half), np.sqrt(3e4 / 4.3), np.sqrt(5e4 / 4.3), np.sqrt(500 / 0.02),
          tol=1e-10)
    assert modes.rigid.sum() == 1, "the free spin"
    assert not modes.frame.any() and not modes.note
    assert len(modes) == 7


def test_overhung_rotor_with_coupled_support():
    """u: displacement, phi: tilt, as complex numbers: m u'' + ... of hub and disc about the support."""
    spin, arm, kx, kt, c = 90.0, 0.25, 3e4, 2500.0, 4000.0
    K = np.diag([kx, kx, 5e4, kt, kt, 500.0])
    K[0, 4] = K[4, 0] = c     # force along x by a rotation about y, and along -y by one about x
    K[1, 3] = K[3, 1] = -c
    modes = rotor(spin, arm, K).modes()
    # with tilt t = t_y - i t_x: displacement of the disc u + arm t
    M = np.array([[4.3, 4.0 * arm], [4.0 * arm, 0.06 + 4.0 * arm**2]], complex)
    S = np.array([[kx, c], [c, kt]], complex)
    gyro = np.array([[0, 0], [0, -1j * 0.09 * spin]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, S), -np.linalg.solve(M, gyro)]])
    holds(modes, *abs(np.linalg.eigvals(A).imag), tol=1e-10)
    assert modes.stable


@pytest.mark.parametrize("spin", [60.0, 25.0])
def test_sleeping_top(spin):
    """Upright top: I t'' - i C s t' - m g l t = 0."""
    m = pl.Model("top", gravity=-G * Z)
    top = m.add(pl.RigidBody("top", mass=2.0, inertia=(0.02, 0.02, 0.03), rotation=R, com=(0, 0, 0.3), angular_velocity=(0, 0, spin)))
    m.add(pl.Spherical("tip", m.ground, top))
    modes = m.modes()
    s = np.roots([0.02 + 2 * 0.09, -1j * 0.03 * spin, -2 * G * 0.3])
    stable = (0.03 * spin) ** 2 > 4 * (0.02 + 2 * 0.09) * 2 * G * 0.3
    assert modes.stable == stable
    if stable:
        holds(modes, *abs(s.imag), tol=1e-9)
    else:
        growing = modes.eigenvalues[np.argmax(modes.eigenvalues.real)]
        assert growing.real == pytest.approx(s.real.max(), rel=1e-9)
        assert abs(growing.imag) == pytest.approx(abs(s.imag[0]), rel=1e-9)
    assert modes.rigid.sum() == 1


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_body_turning_freely_about_a_principal_axis(axis):
    """Euler: nutation at W sqrt((I3 - I1)(I3 - I2) / (I1 I2)) seen from the body, unstable about the middle axis."""
    inertia, W = np.array([0.2, 0.35, 0.5]), 7.0
    m = pl.Model("body")
    w = np.zeros(3)
    w[axis] = W
    m.add(pl.RigidBody("body", mass=3.0, inertia=tuple(inertia), rotation=R, angular_velocity=w, velocity=(0, 0, 0)))
    modes = m.modes()
    i, j = [k for k in range(3) if k != axis]
    rate2 = W**2 * (inertia[axis] - inertia[i]) * (inertia[axis] - inertia[j]) / (inertia[i] * inertia[j])
    if rate2 > 0:
        holds(modes, np.sqrt(rate2), W, tol=1e-9)
        assert abs(modes.eigenvalues.real).max() < 1e-5  # free translation is a double eigenvalue in turning axes
    else:
        assert modes.eigenvalues.real.max() == pytest.approx(np.sqrt(-rate2), rel=1e-9)
        assert not modes.stable
    np.testing.assert_allclose(modes.frame, W * R[:, axis], rtol=1e-12)


def test_mass_that_orbits_on_a_spring():
    """Radial oscillation at sqrt(k / m + 3 W^2) where k (r - l) = m W^2 r; out of the plane at W."""
    k, mass, length, r = 80.0, 1.5, 0.4, 0.6
    W = np.sqrt(k * (r - length) / (mass * r))
    m = pl.Model("orbit")
    b = m.add(pl.RigidBody.sphere("b", 0.1, mass=mass, position=r * X, velocity=r * W * Y, angular_velocity=W * Z))
    m.add(pl.SpringDamper("k", m.ground, b, stiffness=k, length=length))
    modes = m.modes()
    np.testing.assert_allclose(modes.frame, W * Z, rtol=1e-9, atol=1e-9)
    holds(modes, np.sqrt(k / mass + 3 * W**2), W, tol=1e-8)
    assert not modes.note


def test_mass_on_two_springs_in_a_rotating_frame():
    """x'' - 2 W y' + (k_x / m - W^2) x = 0 and the like: carried by a driven table, damped along x."""
    kx, ky, c, mass, W = 90.0, 260.0, 1.7, 1.2, 5.0
    m = pl.Model("table", gravity=(0, 0, 0))
    table = m.add(pl.RigidBody("table", mass=5.0, inertia=(1, 1, 2), rotation=R))
    b = m.add(pl.RigidBody.sphere("b", 0.1, mass=mass, rotation=R))
    m.add(pl.Revolute("axle", m.ground.frame((0, 0, 0), rotation=R), table, axis="z"))
    m.add(pl.Drive("axle", "angle", f"{W} * t", name="motor"))
    m.add(pl.Bushing("springs", table, b, stiffness=(kx, ky, 1e4, 50.0, 50.0, 50.0), damping=(c, 0, 0, 0, 0, 0)))
    m["b"].angular_velocity, m["b"].velocity = (0, 0, W), (0, 0, 0)
    modes = m.modes()
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:] = [[W**2 - kx / mass, 0, -c / mass, 2 * W], [0, W**2 - ky / mass, -2 * W, 0]]
    for s in np.linalg.eigvals(A):
        if s.imag >= 0:
            assert np.min(abs(modes.eigenvalues - s)) <= 1e-10 * abs(s)
    np.testing.assert_allclose(modes.frame, W * Z, atol=1e-12)
    assert not modes.note
