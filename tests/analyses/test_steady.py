"""Steady rotation, as state and as start, against closed forms, all off axis; and what is told of states that are no equilibrium."""
import json

import numpy as np
import pytest
from flexible_models import STEEL
from scipy.optimize import brentq

import pliant as pl
from pliant import flex
from pliant.analyses.rotation import Rotation
from pliant.analyses.tangent import load
from pliant.analyses.turning import Turning
from pliant.cli import execute
from pliant.items.base import matrix_of
from pliant.kernels import evaluation
from pliant.kernels.state_row import parts
from pliant.start.assembly import start_row

R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])  # columns: the axes of the closed forms in the world
X, Y, Z = R.T
G = 9.81
WRIGHT = {1: (3.681646814, 22.18101115, 61.84176259, 3.54323627), 12: (13.1701505, 37.6031123, 79.6144785, 5.42704928)}  # flap 1-3, lag 1


def run(model, duration, **options):
    return model.simulate(duration, progress=False, **options)


@pytest.fixture(scope="module")
def part():
    mesh = flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(0.01, 0.01), STEEL, elements=16)
    return flex.reduce(mesh, interfaces={"root": (0, 0, 0), "tip": (1, 0, 0)}, modes=10)


UNIT = np.sqrt(STEEL.E * 0.01**2 / 12 / STEEL.rho)


def blade(part, rate, driven=True, **options):
    m = pl.Model("blade")
    m.add(pl.ModalBody("blade", part, rotation=R, **options))
    m.add(pl.Revolute("hub", m.ground, "blade.root", axis=Z, angle_rate=None if driven else rate))
    if driven:
        m.add(pl.Drive("hub", "angle", f"{rate!r}*t", name="motor"))
    return m


# -- closed forms
@pytest.mark.parametrize("eta", WRIGHT)
def test_rotating_blade(part, eta):
    """Frequencies of Wright et al. 1982; the extension of the tip is tan(kL)/k - L."""
    rate = float(eta * UNIT)
    modes = blade(part, rate).modes(state="steady")
    found = 2 * np.pi * modes.frequencies / UNIT
    for x in WRIGHT[eta]:
        assert abs(found - x).min() < 1e-3 * x
    np.testing.assert_allclose(modes.frame, rate * Z, atol=1e-9 * rate)
    assert not modes.note and not modes.doubtful
    k = rate * np.sqrt(STEEL.rho / STEEL.E)
    for model in (blade(part, rate), blade(part, rate, driven=False)):
        sol = run(model, 0.01, start="steady")
        assert abs(np.ptp(sol["blade.modal"], axis=0)).max() < 1e-6 * abs(sol["blade.modal"]).max()
        out = np.linalg.norm(sol["blade.tip.position"], axis=1) - 1
        assert out[0] == pytest.approx(np.tan(k) / k - 1, rel=1e-3)
        np.testing.assert_allclose(sol["hub.angle_rate"], rate, rtol=1e-9)


def governor(rate, angle, drive=None):
    """A ball on an arm of 0.5 m, hinged on a shaft that turns about Z; nothing is said of the ball's velocity."""
    m = pl.Model("governor", gravity=-G * Z)
    shaft = m.add(pl.RigidBody("shaft", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0), rotation=R))
    arm = 0.5 * (np.sin(angle) * X - np.cos(angle) * Z)
    ball = m.add(pl.RigidBody.point_mass("ball", mass=2.0, position=arm))
    m.add(pl.Revolute("axle", m.ground, shaft, axis=Z))
    m.add(pl.Revolute("hinge", shaft, ball.frame(-arm), axis="y"))
    m.add(pl.Drive("axle", "angle", drive or f"{rate}*t", name="motor"))
    return m


@pytest.mark.parametrize("angle", [0.2, 1.3])
def test_governor_finds_the_angle_that_lasts(angle):
    """cos a = g / W^2 l; small motions with W sin a. Newton's method alone would find the arm hanging down from 0.2 rad."""
    rate = 7.0
    exact = np.arccos(G / (rate**2 * 0.5))
    modes = governor(rate, angle).modes(state="steady")
    assert 2 * np.pi * modes.frequencies[0] == pytest.approx(rate * np.sin(exact), rel=1e-9)
    lin = governor(rate, angle).linearize(["hinge.angle"], ["hinge.angle", "hinge.angle_rate"], state="steady")
    np.testing.assert_allclose(abs(lin.eigenvalues), rate * np.sin(exact), rtol=1e-9)
    assert not lin.note and lin.D[1, 0] == 0
    sol = run(governor(rate, angle), 0.3, start="steady")
    np.testing.assert_allclose(-sol["ball.position"] @ Z / 0.5, np.cos(exact), rtol=1e-9)


def yoke(W, spin, stiffness):
    m = pl.Model("yoke")
    bodies = [m.add(pl.RigidBody(name, mass=1.0, inertia=inertia, rotation=R))
              for name, inertia in (("table", (0.1, 0.1, 0.1)), ("yoke", (0.02, 0.03, 0.05)), ("wheel", (0.04, 0.07, 0.04)))]
    m.add(pl.Revolute("axle", m.ground.frame((0, 0, 0), rotation=R), bodies[0], axis="z", angle_rate=W))
    m.add(pl.Revolute("tilt", *bodies[:2], axis="x"))
    m.add(pl.Revolute("spin", *bodies[1:], axis="y", angle_rate=spin))
    m.add(pl.TorsionSpring("k", "tilt", stiffness=stiffness))
    return m


def test_wheel_that_spins_in_a_turning_yoke():
    """The gyroscopic moment on the wheel tilts the yoke against a spring: two rotations at once."""
    W, s, k = 3.0, 40.0, 25.0

    def left(a):
        wheel = -0.07 * (s + W * np.sin(a)) * np.cos(a) + 0.04 * W * np.cos(a) * np.sin(a)
        return k * a + W * (wheel + (0.05 - 0.03) * W * np.sin(a) * np.cos(a))
    m = yoke(W, s, k)
    sol = run(m, 0.5, start="steady")
    np.testing.assert_allclose(sol["tilt.angle"], brentq(left, -1, 1), rtol=1e-9)
    np.testing.assert_allclose(sol["spin.angle_rate"], s, rtol=1e-9)
    assert "no equilibrium" not in m.modes(state="steady").note


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_unbalanced_rotor_below_and_above_its_critical_speed(ratio):
    """The shaft is bent by e m W^2 / (k - M W^2); above the critical speed it is no minimum of anything, and lasts."""
    k, e = 3e4, 1e-3
    m = pl.Model("rotor")
    hub = m.add(pl.RigidBody("hub", mass=0.5, inertia=(0.01, 0.01, 0.01), rotation=R, velocity=(0, 0, 0), angular_velocity=(0, 0, 0)))
    disc = m.add(pl.RigidBody("disc", mass=4.0, inertia=(0.05, 0.05, 0.09), com=(e, 0, 0), position=(0, 0, 0), rotation=R))
    W = ratio * np.sqrt(k / 4.5)
    m.add(pl.Revolute("bearing", hub, disc, axis="z", angle_rate=W))
    m.add(pl.Bushing("support", m.ground.frame((0, 0, 0), rotation=R), hub, stiffness=(k, k, 5e4, 800, 800, 500)))
    sol = run(m, 0.02, start="steady")
    np.testing.assert_allclose(np.linalg.norm(sol["hub.position"], axis=1), abs(e * 4.0 * W**2 / (k - 4.5 * W**2)), rtol=1e-9)
    assert abs(sol["hub.angular_velocity"]).max() < 1e-9
    modes = m.modes(state="steady")
    assert modes.stable and not modes.doubtful
    whirl = np.sqrt(k / 4.5) + np.array([-1, 1]) * W    # seen from axes that turn
    for x in abs(whirl):
        assert abs(2 * np.pi * modes.frequencies - x).min() < 1e-3 * x


def test_free_flight_of_a_flexible_body(part):
    """A beam with a block at its tip, spun about an axis that is none of its own: it comes to turn about one, deformed, and goes on so."""
    m, W = pl.Model("club"), 60.0
    beam = m.add(pl.ModalBody("beam", part, rotation=R, velocity=np.cross(W * Z, -0.7 * X - 0.03 * Y), angular_velocity=(0, 0, W)))
    m.add(pl.RigidBody.box("block", (0.1, 0.2, 0.05), mass=0.5, position=X + 0.1 * Y + 0.02 * Z, rotation=R))
    m.add(pl.Fixed("weld", beam["tip"], m["block"].frame((0, -0.1, -0.02))))
    sol = run(m, 0.05, start="steady", accuracy=1e-10)
    q = sol["beam.modal"]
    assert abs(np.ptp(q, axis=0)).max() < 1e-5 * abs(q).max() and abs(q).max() > 1e-3
    for name in ("beam", "block"):
        spin = np.einsum("tij,tj->ti", [matrix_of(r) for r in sol[f"{name}.rotation"]], sol[f"{name}.angular_velocity"])
        np.testing.assert_allclose(spin, np.tile(W * Z, (len(sol.t), 1)), atol=1e-6 * W)


def test_derivative_of_the_search(part):
    """[steady-2] against differences of the forces, at a state that is far from balanced, with a rotation of axes and a spin."""
    m = pl.Model("two")
    for k, at in enumerate(((0.3, 0.1, -0.2), (-0.4, 0.2, 0.1))):
        modal = 1e-3 * np.random.default_rng(k).uniform(-1, 1, part.n)
        m.add(pl.ModalBody(f"b{k}", part, position=at, rotation=matrix_of(pl.rotation((1, 2 - k, 3), 0.7 + k)), modal=modal))
    m.add(pl.Bushing("k", "b0.tip", "b1.root", stiffness=(900, 700, 500, 30, 20, 10), damping=(9, 7, 5, 1, 2, 3)))
    m.add(pl.SpringDamper("s", m.ground.frame((0.2, 1, 1)), "b1.tip", stiffness=300.0, damping=20.0, length=0.5))
    d = m.compile(exact=True)
    load(d, start_row(d))
    rotation = Rotation(np.array([0.3, -0.2, 0.1]), np.array([2.0, -5.0, 7.0]), np.array([[1.0, 0.5, -3.0], [0.0, 2.0, 0.0]]))
    search = Turning(d, 0.0, 1e-10, rotation, False)
    K, q, n_v = search._derivative()[0], d.x.q.copy(), d.system.n_v
    found, h = np.zeros_like(K), 1e-6
    for j in d.system.active[d.system.active < n_v]:
        e, sides = np.zeros(d.system.n), []
        e[j] = 1
        for step in (h, -h):
            evaluation.retract(d.system.data, q, e, step, d.x.q)
            sides.append(search._derivative()[1].copy())
        found[:, j] = (sides[0] - sides[1]) / (2 * h)
    active = np.ix_(*2 * [d.system.active[d.system.active < n_v]])
    np.testing.assert_allclose(K[active], found[active], rtol=0, atol=1e-8 * abs(K).max())


# -- refusals
@pytest.mark.parametrize(("change", "message"), [
    ({"drive": "7*t + t^2"}, "drive 'motor' does not move at a constant rate"),
    ({"gravity": X + Z}, "a moment later body 'ball' accelerates .* Gravity must be along the axis"),
])
def test_what_does_not_go_on_is_refused(change, message):
    m = governor(7.0, 1.0, change.get("drive"))
    m.gravity = tuple(-G * change.get("gravity", Z))
    for how in (lambda: m.modes(state="steady"), lambda: run(m, 0.1, start="steady")):
        with pytest.raises(pl.ModelError, match=f"there is no steady rotation: {message}"):
            how()


def test_a_mechanism_that_moves_in_itself_has_no_steady_rotation():
    m = pl.Model("double pendulum")
    a = m.add(pl.RigidBody.rod("a", (0, 0, 0), X, mass=1.0))
    b = m.add(pl.RigidBody.rod("b", X, 1.5 * X, mass=1.0))
    m.add(pl.Revolute("A", m.ground, a["start"], axis=Z, angle_rate=2.0))
    m.add(pl.Revolute("B", a["end"], b["start"], axis=Z, angle_rate=5.0))
    with pytest.raises(pl.ModelError, match="there is no steady rotation"):
        m.modes(state="steady")


def test_at_rest_it_is_the_equilibrium():
    m = pl.Model("weight", gravity=-G * Z)
    b = m.add(pl.RigidBody.box("b", (0.1, 0.1, 0.1), mass=2.0, position=-0.3 * Z))
    m.add(pl.Prismatic("guide", m.ground, b, axis=Z))
    m.add(pl.SpringDamper("k", m.ground, b, stiffness=50.0, length=0.2))
    modes = m.modes(state="steady")
    assert modes.frequencies[0] == pytest.approx(5 / (2 * np.pi), rel=1e-12) and not modes.note


# -- states that are no equilibrium
def test_a_rotor_that_is_not_deformed_is_told(part, tmp_path, monkeypatch, capsys):
    """Undeformed, the blade seems softer as it turns: every frequency is marked, and the remedy is right."""
    rate = float(6 * UNIT)
    m = blade(part, rate)
    with pytest.warns(UserWarning, match="this state is no equilibrium: 'blade' accelerates .*state=\"steady\" is about the rotation"):
        wrong = m.modes(4)
    text, data = str(wrong), wrong.to_dict()
    assert "WARNING: this state is no equilibrium" in text
    assert all(line.count("?") == 2 for line in text.splitlines()[-4:])
    assert wrong.doubtful and data["doubtful"] and all(mode["doubtful"] for mode in data["modes"])
    right = m.modes(4, "steady")
    assert not right.doubtful and "?" not in str(right) and not right.to_dict()["modes"][0]["doubtful"]
    lag, flap = 4.26322542, 7.360373019
    np.testing.assert_allclose(2 * np.pi * right.frequencies[:2] / UNIT, (lag, flap), rtol=1e-3)
    monkeypatch.chdir(tmp_path)
    part.save("part.h5")
    blade("part.h5", rate).save("blade.yaml")
    assert execute(["modes", "blade.yaml", "--state", "steady", "--json"]) == 0
    assert 2 * np.pi * json.loads(capsys.readouterr().out)["modes"][0]["frequency"] / UNIT == pytest.approx(lag, rel=1e-3)
    assert execute(["modes", "blade.yaml", "-n", "1"]) == 0
    shown = capsys.readouterr()
    assert "WARNING" in shown.out and not shown.err
    assert execute(["run", "blade.yaml", "--start", "steady", "--set", "simulate.duration=0.01", "--json"]) == 0
    q = pl.load("blade.h5")["blade.modal"]
    assert abs(np.ptp(q, axis=0)).max() < 1e-6 * abs(q).max()


def test_turning_axes_are_found_in_a_run_that_has_almost_settled(part):
    """0.2 s of a damped run leave vibrations of some per cent; modes are about the rotation next to that, and say so."""
    rate = float(6 * UNIT)
    m = blade(part, rate, damping=0.02)
    sol = run(m, 0.2, start="assembled", accuracy="draft")
    q = sol["blade.modal"]
    assert np.ptp(q[-20:], axis=0).max() > 1e-4 * abs(q[-1]).max()
    found, right = m.modes(6, (sol, 0.2)), m.modes(6, "steady")
    np.testing.assert_allclose(found.eigenvalues, right.eigenvalues, rtol=1e-6)
    np.testing.assert_allclose(found.frame, right.frame, rtol=1e-6, atol=1e-9 * rate)
    assert not found.doubtful and "about the steady rotation next to this state" in found.note


def test_run_rows_of_a_steady_state(part):
    """The row of a run begun in steady rotation is steady itself, later too, with the axes turned."""
    rate = float(2 * UNIT)
    sol = run(blade(part, rate), 0.05, start="steady", accuracy=1e-10)
    found = blade(part, rate).modes(4, (sol, 0.05))
    right = blade(part, rate).modes(4, "steady")
    np.testing.assert_allclose(found.eigenvalues, right.eigenvalues, rtol=1e-6)
    p = parts(sol.rows, sol.dynamics.system.q0.size, sol.dynamics.system.n)
    assert abs(p["v"][:, sol.dynamics.modal_rows("blade")]).max() < 1e-6
