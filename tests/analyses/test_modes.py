"""Modes against closed forms: constrained, damped, gyroscopic, and about steadily rotating states, all off axis."""
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant as pl
from pliant.items.base import matrix_of

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


LENGTHS = {"crank": 0.5, "coupler": 0.7, "rocker": 0.6}      # of a four-bar whose ground pivots are 0.8 apart, on a slider
MASSES = {"crank": 1.0, "coupler": 2.0, "rocker": 1.5, "slider": 3.0}
ANCHOR, STIFF, REST, LIFT, TALL = (-0.4, 1.1), 150.0, 0.45, 900.0, 0.6


def four_bar_angles(a):
    """Angles of coupler and rocker for that of the crank, by intersecting circles; any scalar type."""
    r1, r2, r3 = LENGTHS.values()
    d = np.array([0.8 - r1 * np.cos(a), -r1 * np.sin(a)])
    dist = np.sqrt(d[0] ** 2 + d[1] ** 2)
    along = (r2**2 - r3**2 + dist**2) / (2 * dist)
    up = np.sqrt(r2**2 - along**2)
    c = (along * d + up * np.array([-d[1], d[0]])) / dist          # from B to C
    return np.arctan(c[1] / c[0]), np.arctan((r1 * np.sin(a) + c[1]) / (r1 * np.cos(a) + c[0] - 0.8)) + np.pi * (
        (r1 * np.cos(a) + c[0] - 0.8).real < 0)


def places(x):
    """Centres and angles of crank, coupler, rocker, slider for x = (height of the slider, angle of the crank)."""
    y, a = x
    b, c = four_bar_angles(a)
    r1, r2, r3 = LENGTHS.values()

    def at(r, w):
        return np.array([r * np.cos(w), r * np.sin(w)])
    up = np.array([0, y])
    return [(up + at(r1 / 2, a), a), (up + at(r1, a) + at(r2 / 2, b), b), (up + np.array([0.8, 0]) + at(r3 / 2, c), c), (up, 0 * a)]


def potential(x):
    found = places(x)
    d = found[1][0] - np.array(ANCHOR)
    V = sum(m * G * p[1] for m, (p, _) in zip(MASSES.values(), found, strict=True))
    return V + STIFF / 2 * (np.sqrt(d @ d) - REST) ** 2 + LIFT / 2 * (np.sqrt((x[0] + TALL) ** 2) - TALL) ** 2


def slopes(x):
    """dV/dx by complex steps."""
    return np.array([potential(x + 1j * 1e-30 * e).imag / 1e-30 for e in np.eye(2)])


def suspended_four_bar(x):
    m = pl.Model("suspended four-bar", gravity=-G * Y)
    r = LENGTHS
    b = four_bar_angles(x[1])[0]
    P = {"A": (0, x[0]), "B": (r["crank"] * np.cos(x[1]), x[0] + r["crank"] * np.sin(x[1])), "D": (0.8, x[0])}
    P["C"] = P["B"][0] + r["coupler"] * np.cos(b), P["B"][1] + r["coupler"] * np.sin(b)
    P = {k: p[0] * X + p[1] * Y for k, p in P.items()}
    slider = m.add(pl.RigidBody("slider", mass=MASSES["slider"], inertia=(0.1, 0.1, 0.1), position=P["A"]))
    ends = {"crank": "AB", "coupler": "BC", "rocker": "DC"}
    bars = [m.add(pl.RigidBody.rod(n, P[i], P[j], mass=MASSES[n])) for n, (i, j) in ends.items()]
    m.add(pl.Prismatic("lift", m.ground, slider, axis=Y))
    m.add(pl.Revolute("A", slider, bars[0]["start"], axis=Z))
    m.add(pl.Revolute("B", bars[0]["end"], bars[1]["start"], axis=Z))
    m.add(pl.Revolute("C", bars[1]["end"], bars[2]["end"], axis=Z))
    m.add(pl.Revolute("D", slider.frame(0.8 * X), bars[2]["start"], axis=Z))
    m.add(pl.SpringDamper("k", m.ground.frame(ANCHOR[0] * X + ANCHOR[1] * Y), bars[1]["center"], stiffness=STIFF, length=REST))
    m.add(pl.SpringDamper("air", m.ground.frame(-TALL * Y), slider, stiffness=LIFT, length=TALL))
    return m


def test_closed_loop_on_springs_equals_the_hand_linearisation():
    """Lagrange's equations of the two coordinates by hand: equilibrium dV = 0, M from velocities of centres, K = d2V."""
    x = np.array([-0.1, 1.2])
    for _ in range(50):
        K = np.array([(slopes(x + h) - slopes(x - h)) / 2e-5 for h in 1e-5 * np.eye(2)])
        x = x - np.linalg.solve(K, slopes(x))
    assert abs(slopes(x)).max() < 1e-12
    h, M = 1e-3, np.zeros((2, 2))
    K = np.array([(8 * (slopes(x + e) - slopes(x - e)) - slopes(x + 2 * e) + slopes(x - 2 * e)) / (12 * h) for e in h * np.eye(2)])
    moves = [places(x + 1j * 1e-30 * e) for e in np.eye(2)]
    for k, (name, mass) in enumerate(MASSES.items()):
        J = np.array([[*(mv[k][0].imag / 1e-30), np.imag(mv[k][1]) / 1e-30] for mv in moves])
        inertia = mass * LENGTHS[name] ** 2 / 12 if name in LENGTHS else 0.0
        M += J @ np.diag([mass, mass, inertia]) @ J.T
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K))))
    m = suspended_four_bar(x + (0.03, -0.05))   # not where it comes to rest
    modes = m.modes(state="static")
    np.testing.assert_allclose(oscillations(modes), exact, rtol=1e-9)
    assert modes.degrees_of_freedom == 2 and not modes.linearisation.d.unique_reactions
    st = m.static()
    assert st["k.length"] == pytest.approx(np.linalg.norm(places(x)[1][0] - ANCHOR), rel=1e-11)
    assert "no equilibrium" in m.modes().note and not m.modes(state=st).note
    np.testing.assert_allclose(m.modes(1, st).frequencies, exact[:1] / (2 * np.pi), rtol=1e-9)


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


def test_words_pictures_and_numbers(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    modes = rotor(120.0).modes(4)
    assert len(modes) == 4 and modes.kind(0) == "rigid"
    text, data = str(modes), modes.to_dict()
    assert "7 degrees of freedom" in text and "disc: rotation about (0.8, 0, -0.6)" in text
    assert data["modes"][1]["eigenvalue"][1] == modes.eigenvalues[1].imag
    motion = modes.motion(1, amplitude=0.05)
    assert motion.t[-1] == pytest.approx(1 / modes.damped_frequencies[1])
    turn = 0.05 * modes.shape(1, "hub")[3:].real
    np.testing.assert_allclose(matrix_of(motion["hub.rotation"][0]), Rotation.from_rotvec(turn).as_matrix() @ R, atol=1e-12)
    assert np.linalg.norm(turn) == pytest.approx(0.05, rel=0.5)
    modes.snapshot(1, tmp_path / "mode.png")
    heading = modes.snapshot(1).axes[0].get_title("left")
    assert heading == f"{modes.linearisation.d.model.name}   mode 1, {modes.damped_frequencies[1]:.4g} Hz"  # no time: it has none
    assert modes.snapshot(0).axes[0].get_title("left").endswith("mode 0, decays at 0 1/s") == (modes.eigenvalues[0] == 0)
    assert modes.snapshot(1, title="first bending").axes[0].get_title("left") == "first bending"
    modes.animate(1, tmp_path / "mode.gif", fps=5)
    assert (tmp_path / "mode.png").stat().st_size > 1000 and (tmp_path / "mode.gif").stat().st_size > 1000
    with pytest.raises(IndexError, match="mode 4 must be a number from 0 to 3"):
        modes.snapshot(4)
    with pytest.raises(KeyError, match=r"no body 'disk'; did you mean 'disc'\?"):
        modes.shape(0, "disk")
    with pytest.raises(pl.ModelError, match="n = 0 must be a whole number above zero"):
        rotor(0.0).modes(0)


def test_mass_matrix_must_not_vanish():
    m = pl.Model("needle", gravity=-G * Y)
    b = m.add(pl.RigidBody("needle", mass=1.0, inertia=(0, 0, 0), position=-Y))
    m.add(pl.Spherical("tip", m.ground, b.frame(Y)))
    with pytest.raises(pl.ModelError, match="'needle' cannot be without moments of inertia here; give them some"):
        m.modes()


def test_rounding_of_stiff_supports_is_no_stiffness():
    """A door on a hinge and a stiff bushing, out of balance by nothing: it turns freely."""
    m = pl.Model("door", gravity=-G * Z)
    leaf = m.add(pl.RigidBody.box("leaf", (0.8, 0.04, 2.0), mass=30.0, position=0.4 * X, rotation=R))
    m.add(pl.Revolute("upper", m.ground.frame(0.9 * Z), leaf.frame((-0.4, 0, 0.9)), axis=Z))
    m.add(pl.Bushing("lower", m.ground.frame(-0.9 * Z, rotation=R), leaf.frame((-0.4, 0, -0.9)), stiffness=(1e8, 1e8, 1e8, 0, 0, 0),
                     damping=(1e3, 1e3, 1e3, 0, 0, 0)))
    modes = m.modes()
    assert modes.rigid.tolist() == [True] and modes.stable and not modes.note
    assert m.static().stable is None
