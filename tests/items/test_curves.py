"""Points on curves: closed forms, conservation, both coordinates, text, and what is wrong with curves."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant as pl
from pliant.functions.curve_splines import Spline

G = 9.81
CIRCLE = {"x": "0.5*cos(s)", "y": "0.5*sin(s)", "range": (0, 2 * np.pi), "closed": True}


# -- curves as splines
def spline(**fields) -> Spline:
    return pl.Curve(**fields).spline()


def test_splines_are_what_they_are_made_of():
    s = spline(circle="500 mm")
    x = np.linspace(-4, 9, 777)
    round_ = np.column_stack([0.5 * np.cos(2 * x), 0.5 * np.sin(2 * x), 0 * x])
    assert s.length == pytest.approx(np.pi, rel=1e-14) and s.flat and s.counterclockwise
    np.testing.assert_allclose(s.at(x), round_, rtol=0, atol=1e-13)
    np.testing.assert_allclose(s.curvature(x), 2.0, rtol=1e-9)
    helix = spline(x="2*cos(3*s)", y="2*sin(3*s)", z="0.5*s", range=(0, 2))
    rise = np.hypot(6, 0.5)
    assert helix.length == pytest.approx(2 * rise, rel=1e-13) and not helix.flat
    np.testing.assert_allclose(np.linalg.norm(helix.at(np.linspace(0, helix.length, 99), 1), axis=1), 1, rtol=0, atol=1e-10)
    np.testing.assert_allclose(helix.at(rise), (2 * np.cos(3), 2 * np.sin(3), 0.5), rtol=0, atol=1e-12)
    assert helix.nearest(np.array((2.5 * np.cos(3), 2.5 * np.sin(3), 0.5))) == pytest.approx(rise, abs=0.05)
    a = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    points = np.column_stack([0.5 * np.cos(a), 0.5 * np.sin(a)])
    many = spline(points=points, closed=True)
    np.testing.assert_allclose(np.linalg.norm(many.at(x), axis=1), 0.5, rtol=0, atol=1e-8)
    for p in points[::7]:
        assert np.linalg.norm(many.at(many.nearest(np.array((*p, 0.0)))) - (*p, 0.0)) < 1e-12
    ellipse, polar = spline(ellipse=(2, 1)), spline(polar="2/sqrt(cos(phi)^2 + 4*sin(phi)^2)")
    assert ellipse.length == pytest.approx(9.688448220547675, rel=1e-12) and polar.length == pytest.approx(ellipse.length, rel=1e-11)
    assert spline(line=((0, 0), ("3 m", "400 cm"))).length == pytest.approx(5.0, rel=1e-14)


@pytest.mark.parametrize(("fields", "message"), [
    ({}, "points is missing; a curve is one of points, x, polar"),
    ({"circle": 1, "polar": "2"}, "polar and circle are both given"),
    ({"circle": -1}, "circle: -1 must be greater than zero"),
    ({"points": [(0, 0), (1, 0), (2, 0)]}, "points: 3 points, must be at least 4 of an open curve"),
    ({"points": [(0, 0), (1, 0), (2, 0), (2, "1 s")]}, r"points\[3\]"),
    ({"points": [(0, 0), (1, 0), (1, 0), (2, 0)]}, r"points 1 and 2 are the same, \(1, 0, 0\)"),
    ({"points": [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]}, r"has a kink at point 2, \(2, 0, 0\): it turns by 90 degrees there"),
    ({"x": "s", "y": "abs(s - 0.25)", "range": (0, 1)}, r"has a kink at s = 0\.25, \(0\.25, .*it turns by 90 degrees there; round"),
    ({"polar": "1 + 0.1*phi*(2*pi - phi)"}, r"has a kink at phi = 6\.28\d*, \(1, "),
    ({"polar": "1 + 0.1*phi"}, r"is said to be closed, but begins at \(1, 0, 0\) and ends at \(1\.628"),
    ({"x": "s", "y": "1/s", "range": (0, 1)}, "is not a finite number at s = 0"),
    ({"x": "1"}, "has no length"),
    ({"x": "min(s, 0.5)", "y": "min(s, 0.5)"}, "stands still at s = 0.5"),
    ({"x": "s", "range": (1, 0)}, "range: 1 must be below 0"),
    ({"x": "s*A.angle"}, "x: 'A.angle' changes with the motion; a curve is an expression of s alone"),
    ({"line": ((0, 0, 0), (0, 0, 0))}, "line: .*two points, which differ")])
def test_wrong_curves(fields, message):
    m = pl.Model("wrong")
    m.add(pl.RigidBody.sphere("bead", 0.01, mass=1.0))
    with pytest.raises(ValueError, match=message):
        m.add(pl.PointOnCurve("C", "ground", "bead", curve=fields))
        m.compile()


# -- beads
def bead_on(curve, turn="x", by=0.0, **start):
    m = pl.Model("bead", gravity=tuple(pl.items.base.matrix_of(pl.rotation(turn, by)) @ (0, 0, -G)))
    m.add(pl.RigidBody("bead", 0.3, (1e-3, 1e-3, 1e-3)))
    m.add(pl.PointOnCurve("C", m.ground.frame(rotation=pl.rotation(turn, by)), "bead", curve=curve, **start))
    return m


METHODS = [({}, 1e-9), ({"coordinates": "joint"}, 1e-9), ({"integrator": pl.RadauIIA5(), "accuracy": 1e-8}, 1e-7)]


@pytest.mark.parametrize(("options", "tolerance"), METHODS)
def test_a_bead_on_a_parabola(options, tolerance):
    """(1 + 4 x^2) x'' + 4 x x'^2 + 2 g x = 0 on z = x^2; the whole is turned, so that nothing lies along an axis."""
    turn = (1, 2, 3), 0.7
    m = bead_on({"x": "s", "z": "s^2", "range": (-1, 1)}, *turn, displacement=0.4)
    sol = m.simulate(1.5, **{"accuracy": 1e-10, **options})
    place = sol["bead.position"] @ pl.items.base.matrix_of(pl.rotation(*turn))
    x = solve_ivp(lambda t, y: (y[1], -(4 * y[0] * y[1]**2 + 2 * G * y[0]) / (1 + 4 * y[0]**2)), (0, 1.5), (place[0, 0], 0.0),
                  method="DOP853", rtol=1e-13, atol=1e-14, t_eval=sol.t).y[0]
    np.testing.assert_allclose(place, np.column_stack([x, 0 * x, x**2]), rtol=0, atol=tolerance)
    E = sol.energy.kinetic + sol.energy.potential
    assert np.ptp(E) < tolerance * abs(E).max()


def test_a_bead_on_a_helix_and_the_end_of_it():
    """It slides with g sin(slope); the wire pushes with what gravity and the curvature r a'^2 ask for."""
    r, rise = 0.4, 0.1
    length = np.hypot(r, rise)
    m = bead_on({"x": f"{r}*cos(s)", "y": f"{r}*sin(s)", "z": f"-{rise}*s", "range": (0, 30)}, displacement=0.0)
    sol = m.simulate(1.5, accuracy=1e-10)
    a = G * rise / length
    np.testing.assert_allclose(sol["C.displacement"], a * sol.t**2 / 2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(sol["C.displacement_rate"], a * sol.t, rtol=0, atol=1e-9)
    phi, w = a * sol.t**2 / 2 / length, a * sol.t / length
    inwards = np.column_stack([-np.cos(phi), -np.sin(phi), 0 * phi])
    tangent = np.column_stack([-r * np.sin(phi), r * np.cos(phi), 0 * phi - rise]) / length
    force = 0.3 * (r * w[:, None]**2 * inwards + a * tangent + np.array((0, 0, G)))
    np.testing.assert_allclose(sol["C.force"], force, rtol=0, atol=1e-7)
    with pytest.raises(pl.SimulationError, match=r"joint 'C' has come to the end of its line, at 12\.36\d+ m \(0 to") as stopped:
        m.simulate(4.0)
    assert stopped.value.code == "end-of-line" and stopped.value.solution["C.displacement"][-1] > 12.0
    with pytest.raises(pl.ModelError, match=r"joint 'C': displacement: 13 must be from 0 to 12\.36\d*, the length of its curve"):
        bead_on({"x": f"{r}*cos(s)", "y": f"{r}*sin(s)", "z": f"-{rise}*s", "range": (0, 30)}, displacement=13).compile()


def hoop(order):
    """A tilted hoop that spins freely about the vertical, and a bead on it."""
    m = pl.Model("hoop", gravity=(0, 0, -G))
    bodies = [pl.RigidBody("hoop", 0.5, (0.06, 0.05, 0.04), position=(0, 0, 0), rotation=pl.rotation("x", 1.2), com=(0.01, 0.0, 0.02)),
              pl.RigidBody("bead", 0.3, (1e-4, 1e-4, 1e-4), position=(0.5, 0, 0))]
    for body in bodies[::order]:
        m.add(body)
    m.add(pl.Revolute("A", m.ground, m["hoop"].frame(rotation=pl.rotation("x", -1.2)), axis="z", angle_rate=5.0))
    m.add(pl.PointOnCurve("C", "hoop", "bead", curve=CIRCLE, displacement=0.2, displacement_rate=1.0))
    return m


def test_a_bead_on_a_spinning_hoop():
    """Energy and the angular momentum about the vertical stay; the order of bodies and the coordinates change nothing."""
    runs = [hoop(order).simulate(2.0, accuracy=1e-10, output_step=0.01, **more)
            for order, more in ((1, {}), (-1, {}), (1, {"coordinates": "joint"}))]
    sol = runs[0]
    E = sol.energy.kinetic + sol.energy.potential
    assert np.ptp(E) < 1e-8 and np.ptp(sol["C.displacement"]) > 1.0
    spin = sol["model.angular_momentum"][:, 2]
    assert np.ptp(spin) < 1e-9 and spin[0] > 0.3
    for other in runs[1:]:
        np.testing.assert_allclose(other["C.displacement"], sol["C.displacement"], rtol=0, atol=1e-7)
        np.testing.assert_allclose(other["A.angle"], sol["A.angle"], rtol=0, atol=1e-7)
        np.testing.assert_allclose(other["C.force"], sol["C.force"], rtol=0, atol=1e-5)


def test_a_driven_point_goes_round_and_round(tmp_path):
    """From a text; the place counts rounds, and what drives it does the work."""
    (tmp_path / "m.yaml").write_text("""pliant: 1
name: round
gravity: [0, 0, -9.81]
parameters: {r: 500 mm}
bodies:
  bead: {kind: rigid, mass: 0.2 kg, inertia: [1e-4, 1e-4, 1e-4]}
joints:
  C: {kind: point_on_curve, between: [ground, bead], curve: {x: r*cos(s), z: r*sin(s), range: [0, "=2*pi"], closed: true}}
drives:
  D: {joint: C, coordinate: displacement, function: 2 m/s * t + 1 m/s^2 * t^2}
simulate: {duration: 2}
""")
    m = pl.read(tmp_path / "m.yaml")
    sol = m.simulate()
    s = 2 * sol.t + sol.t**2
    np.testing.assert_allclose(sol["C.displacement"], s, rtol=0, atol=1e-9)
    np.testing.assert_allclose(sol["bead.position"], 0.5 * np.column_stack([np.cos(2 * s), 0 * s, np.sin(2 * s)]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(sol["D.effort"], 0.2 * (2 + G * np.cos(2 * s)), rtol=0, atol=1e-6)
    m.save(tmp_path / "again.yaml")
    np.testing.assert_array_equal(pl.read(tmp_path / "again.yaml").simulate()["C.displacement"], sol["C.displacement"])
