"""Cams and pairs of curves: closed forms of lift and force, lift-off, both coordinates, planes in space, and what is wrong."""
import numpy as np
import pytest
from derivatives import STEP, ComplexStep

import pliant as pl
from pliant.items.base import matrix_of
from pliant.kernels import evaluation

E, R, MASS, K, F0, G = 0.02, 0.06, 0.5, 2000.0, 30.0, 9.81
LIFTOFF = 107.19374981779488  # rad/s: F0 + m g + 2 k e = m e w^2
BIG = matrix_of(pl.rotation((1, 2, 3), 0.7))


def driven_cam(speed, follower="flat", turned=False, order=1, **more):
    """An eccentric disc that turns with a given speed, from its lowest place; the follower above it is pressed down by a spring."""
    turn = pl.rotation((1, 2, 3), 0.7) if turned else (1.0, 0, 0, 0)
    T = BIG if turned else np.eye(3)
    m = pl.Model("cam", gravity=tuple(T @ (0, -G, 0)))
    radius = more.get("radius", 0.0)
    bodies = [pl.RigidBody("cam", 1.0, (1e-3, 1e-3, 2e-3), position=(0, 0, 0), rotation=turn),
              pl.RigidBody("follower", MASS, (1e-3, 1e-3, 1e-3), position=tuple(T @ (0, R - E + radius, 0)), rotation=turn)]
    for body in bodies[::order]:
        m.add(body)
    ground = m.ground.frame(rotation=turn)
    m.add(pl.Revolute("A", ground, "cam", axis="z"))
    m.add(pl.Drive("A", "angle", f"{speed}*t", name="motor"))
    m.add(pl.Prismatic("guide", ground, "follower", axis="y"))
    m.add(pl.Cam("C", m["cam"].frame((0, -E, 0)), "follower", profile=pl.Curve(circle=R), follower=follower, **more))
    m.add(pl.AxialSpring("spring", "guide", K, displacement=-F0 / K))
    return m


@pytest.mark.parametrize(("options", "turned", "order"), [
    ({}, False, 1), ({}, True, -1), ({"coordinates": "joint"}, True, 1), ({"integrator": pl.RadauIIA5(), "accuracy": 1e-8}, False, 1)])
def test_the_force_on_a_flat_follower_and_the_speed_of_lift_off(options, turned, order):
    """y = e (1 - cos w t), N = F0 + m g + k e (1 - cos w t) + m e w^2 cos w t, which is zero at the top for the speed of lift-off."""
    m = driven_cam(LIFTOFF, turned=turned, order=order)
    sol = m.simulate(2 * np.pi / LIFTOFF, **{"accuracy": 1e-8, "output_step": 2 * np.pi / LIFTOFF / 200, **options})
    c = np.cos(LIFTOFF * sol.t)
    np.testing.assert_allclose(sol["guide.displacement"], E * (1 - c), rtol=0, atol=1e-9)
    force = F0 + MASS * G + K * E * (1 - c) + MASS * E * LIFTOFF**2 * c
    np.testing.assert_allclose(sol["C.normal_force"], force, rtol=0, atol=1e-6 * force.max())
    assert abs(sol["C.normal_force"].min()) < 1e-6 * force.max()
    np.testing.assert_allclose(np.mod(sol["C.place"] - R * np.pi / 2 + R * LIFTOFF * sol.t + 1, 2 * np.pi * R),
                               np.mod(1 + 0 * sol.t, 2 * np.pi * R), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("follower", "radius"), [("roller", 0.015), ("knife", 0.0)])
def test_rollers_and_knives(follower, radius):
    """y = -e cos w t + sqrt((R + rho)^2 - e^2 sin^2 w t)"""
    m = driven_cam(40.0, follower, True, **({"radius": radius} if radius else {}))
    sol = m.simulate(0.3, accuracy=1e-8)
    c, s, far = np.cos(40 * sol.t), np.sin(40 * sol.t), R + radius
    lift = -E * c + np.sqrt(far**2 - E**2 * s**2) - (far - E)
    np.testing.assert_allclose(sol["guide.displacement"], lift, rtol=0, atol=1e-9)
    joint = m.simulate(0.1, accuracy=1e-8, coordinates="joint", output_step=0.01)
    whole = m.simulate(0.1, accuracy=1e-8, coordinates="absolute", output_step=0.01)
    np.testing.assert_allclose(joint["C.normal_force"], whole["C.normal_force"], rtol=0, atol=1e-6 * abs(whole["C.normal_force"]).max())


MOTION = [("cycloidal", "120 deg", "12 mm"), ("harmonic", "30 deg", "12 mm"), ("polynomial", "90 deg", 0.004), ("cycloidal", "1 rad", 0.0),
          ("cycloidal", 2 * np.pi / 3 - 1, 0)]


@pytest.mark.parametrize(("follower", "radius"), [("flat", 0.0), ("knife", 0.0), ("roller", 0.01)])
def test_a_cam_gives_the_motion_that_it_is_made_for(follower, radius):
    m = pl.Model("cam")
    more = {"radius": radius} if radius else {}
    m.add(pl.RigidBody("cam", 1.0, (1e-3, 1e-3, 2e-3), position=(0, 0, 0)))
    m.add(pl.RigidBody("follower", 0.5, (1e-3, 1e-3, 1e-3), position=(0.04 + radius, 0, 0)))
    m.add(pl.Revolute("A", "ground", "cam", axis="z"))
    m.add(pl.Drive("A", "angle", "10*t"))
    m.add(pl.Prismatic("guide", "ground", "follower", axis="x"))
    made = pl.Curve(cam={"base": 0.04, "motion": MOTION, "follower": follower, **more})
    m.add(pl.Cam("C", "cam", "follower", made, follower, **more, **({"axis": "x"} if follower == "flat" else {})))
    sol = m.simulate(0.2 * np.pi, accuracy=1e-8, output_step=0.2 * np.pi / 360)
    a, h = 10 * sol.t, np.zeros(sol.t.size)
    x, y, z = a / (2 * np.pi / 3), (a - 5 * np.pi / 6) / (np.pi / 2), a - 4 * np.pi / 3
    h = np.where(a < 2 * np.pi / 3, 0.012 * (x - np.sin(2 * np.pi * x) / (2 * np.pi)), 0.012)
    h = np.where(a > 5 * np.pi / 6, 0.012 - 0.008 * y**3 * (10 - 15 * y + 6 * y**2), h)
    h = np.where(a > 4 * np.pi / 3, 0.004 * (1 - z + np.sin(2 * np.pi * z) / (2 * np.pi)), h)
    h = np.where(z > 1, 0.0, h)
    np.testing.assert_allclose(sol["guide.displacement"], h, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("fields", "message"), [
    ({"motion": [("cycloidal", "100 deg", 0.01)]}, "motion: its angles are 100 degrees together, must be 360"),
    ({"motion": [("cycloidal", "360 deg", 0.01)]}, "motion: ends at a lift of 0.01 m, must come back to 0 m"),
    ({"motion": [("cycloidal", "20 deg", 0.03), ("cycloidal", "340 deg", 0)]}, r"is undercut at 15 degrees, \(0\.04274, "),
    ({"motion": [("square", "360 deg", 0)]}, "cycloidal"), ({"follower": "roller"}, "radius: must be greater than zero for a roller")])
def test_wrong_motions_of_cams(fields, message):
    m = pl.Model("wrong")
    m.add(pl.RigidBody("f", 1.0, (1, 1, 1), position=(0.05, 0, 0)))
    with pytest.raises(ValueError, match=message):
        m.add(pl.Cam("C", "ground", "f", {"cam": {"base": 0.04, "motion": MOTION, "follower": "flat"} | fields}, "flat", axis="x"))
        m.compile()


def test_an_open_cam_lifts_off_and_lands():
    """Slower than the speed of lift-off the follower stays on the cam; faster it leaves it where the closed form has no force."""
    def run(speed):
        m = driven_cam(speed, open=True)
        m.add(pl.Stop("contact", "C", "displacement", lower=0, stiffness=1e8, restitution=0.3))
        return m.simulate(1.1 * 2 * np.pi / speed, accuracy=1e-8, output_step=2 * np.pi / speed / 400)
    assert run(0.9 * LIFTOFF)["C.displacement"].max() < 1e-6
    speed = 1.15 * LIFTOFF
    sol = run(speed)
    leaves = np.arccos((F0 + MASS * G + K * E) / (K * E - MASS * E * speed**2)) / speed
    told = [(e.t, e.what) for e in sol.events if e.t > 1e-3]
    assert [what for _, what in told[:2]] == ["leaves lower", "touches lower"]
    assert told[0][0] == pytest.approx(leaves, abs=2e-6) and sol["C.displacement"].max() > 5e-3


def pair_of_discs(rod):
    """Two eccentric discs, of which one is made of points; with ``rod`` one between their centres in place of the curves."""
    m = pl.Model("discs", gravity=tuple(BIG @ (0, -G, 0)))
    turn = pl.rotation((1, 2, 3), 0.7)
    ground, at = m.ground.frame(rotation=turn), tuple(BIG @ (0.3, 0, 0))
    m.add(pl.RigidBody("one", 1.0, (0.01, 0.01, 0.02), position=(0, 0, 0), rotation=turn))
    m.add(pl.RigidBody("two", 0.5, (0.01, 0.01, 0.01), position=at, rotation=turn))
    m.add(pl.Revolute("A", ground, "one", axis="z", angle_rate=2.0))
    m.add(pl.Revolute("B", m.ground.frame(at, turn), "two", axis="z"))
    a, b = m["one"].frame((0, 0.03, 0)), m["two"].frame((0.0, -0.02, 0))
    if rod:
        m.add(pl.Distance("C", a, b))
        return m
    s = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    points = (np.hypot(0.3, 0.05) - 0.12) * np.column_stack([np.cos(s), np.sin(s)])
    m.add(pl.CurveOnCurve("C", a, b, pl.Curve(circle=0.12), pl.Curve(points=points.tolist(), closed=True)))
    return m


@pytest.mark.parametrize("options", [{}, {"coordinates": "joint"}])
def test_two_discs_move_as_with_a_rod_between_their_centres(options):
    sol, known = (pair_of_discs(rod).simulate(1.0, **{"accuracy": 1e-8, "output_step": 0.01, **options}) for rod in (False, True))
    assert np.ptp(known["A.angle"]) > 0.8
    for channel in ("A.angle", "B.angle"):
        np.testing.assert_allclose(sol[channel], known[channel], rtol=0, atol=1e-7)
    tied = np.linalg.norm(known["C.force"], axis=1)
    np.testing.assert_allclose(abs(sol["C.normal_force"]), tied, rtol=0, atol=1e-5 * tied.max())


@pytest.mark.parametrize("m", [pair_of_discs(False), driven_cam(40.0, turned=True), driven_cam(40.0, "roller", True, radius=0.01)],
                         ids=["discs", "flat", "roller"])
def test_tangent_velocity_and_bias_off_the_constraints(m):
    """Against a complex step, with bodies turned and moved any way in space, so that curves are not in one plane any more."""
    c, rng = ComplexStep(m.compile(exact=True).system), np.random.default_rng(3)
    s, x, n_v = c.system, c.real, c.system.n_v
    evaluation.retract(s.data, x.q.copy(), rng.normal(size=s.n), 0.4, x.q)
    x.v[c.rows[c.rows < n_v]] = rng.normal(size=(c.rows < n_v).sum())
    for coefficients in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        expected = c.reference(*coefficients)
        np.testing.assert_allclose(c.tangent(*coefficients), expected, rtol=0, atol=1e-12 * max(1.0, abs(expected).max()))
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, c.t, 0.0, 0.0, 0.0)
    g1, g2, driven = x.V[n_v:].copy(), x.R[n_v:].copy(), [row - n_v for row, *_ in m.compile().directory.drives.values()]
    moved = (c.memory(x.v, "q", "rates").V[n_v:].imag.copy() + c.memory(x.a, "v", "rates").V[n_v:].imag) / STEP
    for found, wanted in ((g1, c.residual(x.v, "q")[n_v:]), (g2, moved)):
        found, wanted = np.delete(found, driven), np.delete(wanted, driven)  # functions of time have rates of their own
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * max(1, abs(wanted).max()))


def test_a_geneva_drive_turns_as_its_table_says():
    """Four slots: the pin of the crank in a straight slot of the wheel, from where it enters to where it leaves, with angles and ratios of
    speeds of the closed form."""
    centre, radius = 0.1, 0.1 / np.sqrt(2)
    m = pl.Model("geneva")
    start = np.pi / 4
    pin = (radius * np.cos(start), -radius * np.sin(start), 0)
    m.add(pl.RigidBody("crank", 0.2, (1e-4, 1e-4, 1e-4), position=(0, 0, 0), frames={"pin": pin}))
    m.add(pl.RigidBody("wheel", 0.5, (1e-3, 1e-3, 1e-3), position=(centre, 0, 0)))
    m.add(pl.Revolute("A", "ground", "crank", axis="z"))
    m.add(pl.Revolute("B", m.ground.frame((centre, 0, 0)), "wheel", axis="z"))
    slot = np.array(pin) - (centre, 0, 0)
    m.add(pl.PointOnCurve("slot", "wheel", "crank.pin", curve=pl.Curve(line=((0.1 * slot).tolist(), (1.1 * slot).tolist()))))
    m.add(pl.Drive("A", "angle", "t", name="motor"))
    sol = m.simulate(np.pi / 2, accuracy=1e-8, output_step=np.pi / 12)
    degrees = np.arange(-45, 46, 15)
    table = [(-0.7853981633974483, 0.0), (-0.739457696861404, 0.40824829046386274), (-0.5235987755982987, 1.366025403784437),
             (0.0, 2.4142135623730874), (0.5235987755982987, 1.366025403784437), (0.739457696861404, 0.40824829046386274),
             (0.7853981633974483, 0.0)]
    np.testing.assert_allclose(sol["A.angle"], np.radians(degrees) + np.pi / 4, rtol=0, atol=1e-12)
    np.testing.assert_allclose(-sol["B.angle"] - np.pi / 4, [beta for beta, _ in table], rtol=0, atol=1e-9)
    np.testing.assert_allclose(-sol["B.angle_rate"], [ratio for _, ratio in table], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("fields", "message"), [
    ({"follower": "roller"}, "radius: must be greater than zero for a roller"),
    ({"follower": "knife", "radius": 0.1}, "radius: a knife follower has none; leave it out"),
    ({"follower": "roller", "radius": 0.5, "profile": {"polar": "1 + 0.3*cos(3*phi)"}},
     r"radius: the roller of 0\.5 m does not reach the bottom of the profile at \(.*\), which is hollow with a radius of 0\.\d+ m"),
    ({"follower": "flat", "profile": {"polar": "1 + 0.3*cos(3*phi)"}}, r"profile: is straight or hollow at \(.*a flat follower needs"),
    ({"follower": "flat", "axis": (0, 1, 1)}, "axis: the face is not perpendicular to the plane of the profile: 45 degrees off"),
    ({"follower": "knife", "profile": {"x": "s", "z": "s^2"}}, r"profile: leaves the plane z = 0 of its frame at \(1, 0, 1\)"),
    ({"follower": "knife", "profile": {"x": "s", "y": "abs(s - 0.5)"}}, r"its curve has a kink at s = 0\.5, \(0\.5, ")])
def test_wrong_cams(fields, message):
    m = pl.Model("wrong")
    m.add(pl.RigidBody("f", 1.0, (1, 1, 1), position=(0, 2, 0)))
    with pytest.raises(ValueError, match=message):
        m.add(pl.Cam("C", "ground", "f", **{"profile": {"circle": 1.0}, **fields}))
        m.compile()


def test_planes_that_do_not_agree():
    m = pl.Model("wrong")
    m.add(pl.RigidBody("f", 1.0, (1, 1, 1), position=(0, 2, 0.1), rotation=pl.rotation("x", 0.1)))
    with pytest.raises(ValueError, match=r"the planes of its curves do not agree: they are 5\.73 degrees and 0\.1 m apart"):
        m.add(pl.CurveOnCurve("C", "ground", "f", {"circle": 1.0}, {"circle": 0.5}))
        m.compile()
