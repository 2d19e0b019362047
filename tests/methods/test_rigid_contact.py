"""Rigid contacts and limits: closed forms, references that others computed, derivatives, and what must not change anything."""
from pathlib import Path

import numpy as np
import pytest
from derivatives import ComplexStep, random_body, random_rotation
from rigid_points import RigidPoints, corners

import pliant as pl
from pliant.compile.array_builder import ArrayBuilder
from pliant.compile.system import System
from pliant.families import rigid_contacts as rc
from pliant.families.rigid_stops import OPEN, SLIDES, STICKS
from pliant.kernels import evaluation, impacts
from pliant.kernels.state_row import parts
from pliant.text.model_text import from_text
from pliant.text.model_writing import to_text

G = 9.81
ROCKING = np.genfromtxt(Path(__file__).parents[1] / "support" / "rocking_block.csv", delimiter=",", names=True)
METHODS = (pl.DOP853(), pl.RadauIIA5(), pl.BDF())


def point(kernel, sizes, phase, bodies="rigid rigid", seed=0):
    """A point between two random frames, in a state; directions and multipliers are random."""
    rng = np.random.default_rng(seed)
    b = ArrayBuilder((0.3, -0.7, -9.81), coupled=True)
    make = {"rigid": random_body, "ground": lambda b, name, rng: b.ground}
    places = [make[kind](b, f"body {k}", rng) for k, kind in enumerate(bodies.split())]
    fb, fa = (b.frame(place, rng.normal(size=3), random_rotation(rng)) for place in places)
    joint = b.equations("joint", (fa, fb))
    row, h = joint.take(3), b.history(rc.PLACES)
    b.velocity_rows += [row + 1, row + 2]
    b.pair(rc.rigid_contacts(kernel), "joint", fa, fb, (b.pool(sizes), h, b.choices(rc.CHOICES), b.memory(rc.NUMBERS)), (0.4, 0.5),
           joint=joint, row=row, velocity=True)
    c = ComplexStep(System(b))
    along = rng.normal(size=3)
    c.real.H[[h, h + rc.EDGE, h + rc.GRIPS]] = phase, 1, phase == STICKS
    c.real.H[h + rc.ALONG:h + rc.ALONG + 3] = along / np.linalg.norm(along)
    return c, row


@pytest.mark.parametrize("bodies", ["rigid rigid", "rigid ground", "ground rigid"])
@pytest.mark.parametrize("phase", [OPEN, SLIDES, STICKS])
@pytest.mark.parametrize(("kernel", "sizes"), [("point_plane", (0.3, -0.2, 0.1, 0.4)), ("point_sphere", (0.3, -0.2, 0.1, 0.4, 0.5))])
def test_derivatives_are_exact(kernel, sizes, phase, bodies):
    c, row = point(kernel, sizes, phase, bodies)
    for coefficients in ((1.0, 0.0, 0.0), (0.7, 0.5, 0.3)):
        expected = c.reference(*coefficients)
        found = c.tangent(*coefficients)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * abs(expected).max())
    s, x = c.system, c.real
    x.V[:] = 0
    evaluation.run(s.program("rates"), s.data, x, c.t, 0.0, 0.0, 0.0)
    on = [row + k for k in range({OPEN: 0, SLIDES: 1, STICKS: 3}[phase])]
    moved = c.memory(x.v, "q", "rates").V[on].imag + c.memory(x.a, "v", "rates").V[on].imag
    np.testing.assert_allclose(x.R[on], moved / 1e-30, rtol=0, atol=1e-11 * max(1.0, abs(x.R).max()))
    assert not x.R[[r for r in range(row, row + 3) if r not in on]].any()


def ball(restitution=0.8, drop=1.0):
    m = pl.Model("ball", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("b", size=(0.1, 0.1, 0.1), mass=1.0))
    m.add(pl.Prismatic("P", "ground", "b", axis="z"))
    m.add(pl.Stop("s", "P", "displacement", lower=-drop, restitution=restitution, law="rigid"))
    return m


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_ball_bounces_until_it_rests(coordinates):
    """Impacts, the time of rest as the limit of their geometric series, energy."""
    sol = ball().simulate(4.2, accuracy=1e-8, coordinates=coordinates, progress=False)
    t = np.sqrt(2 / G)
    times = t + np.concatenate([[0], np.cumsum(2 * t * 0.8 ** np.arange(1, 60))])
    hits = [e for e in sol.events if e.what == "hits lower"]
    assert len(hits) > 40
    assert abs(np.array([e.t for e in hits]) - times[:len(hits)]).max() < 4e-9
    assert hits[0].impulse == pytest.approx(1.8 * G * t, rel=1e-8)
    assert hits[0].energy_lost == pytest.approx(G * (1 - 0.8**2), rel=1e-8)
    rest = next(e for e in sol.events if e.what == "rests on lower")
    assert rest.t == pytest.approx(4.06371276887158, abs=1e-8)
    assert sol["P.displacement"][-1] == pytest.approx(-1, abs=1e-12)
    assert sol["s.effort"][-1] == pytest.approx(G, rel=1e-12)
    total = sol["energy.kinetic"] + sol["energy.potential"] + sol["energy.dissipated"] - sol["energy.work"]
    assert np.ptp(total) < 1e-9
    assert sol["P.displacement"].min() > -1 - 1e-10


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_pendulum_on_a_stop(coordinates):
    """Impacts and impulses of a rod that falls from the horizontal on a stop at its lowest position, e = 0.6."""
    m = pl.Model("rod", gravity=(0, 0, -G))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis="y"))
    m.add(pl.Stop("s", "A", "angle", upper="90 deg", restitution=0.6, law="rigid"))
    sol = m.simulate(3.9, accuracy=1e-8, coordinates=coordinates, progress=False)
    hits = [e for e in sol.events if e.what == "hits upper"]
    times = 0.4833337135933114, 1.3434340137165968, 2.1761811709529537, 2.999994423938182, 3.8206953379282793
    assert [e.t for e in hits] == pytest.approx(times, abs=1e-9)
    assert hits[0].impulse == pytest.approx(2.89330261120402, rel=1e-9)
    assert hits[0].energy_lost == pytest.approx(3.1392, rel=1e-9)


def block(friction, slope, size=(0.2, 0.3, 0.1), turned=False):
    """And a second body; ``turned``: everything in the opposite order."""
    m = pl.Model("slope", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    b = pl.RigidBody.box("b", size=size, mass=2.0, position=(0, 0, size[2] / 2))
    c = pl.RigidBody("c", mass=2.0, inertia=(1, 2, 3), position=(0.3, 0.3, 0.2))
    for body in (c, b) if turned else (b, c):
        m.add(body)
    sizes = corners(*(x / 2 for x in size))
    m.add(RigidPoints("touch", "b", "ground", sizes=sizes[::-1] if turned else sizes, friction=friction))
    return m


def test_a_block_sticks_or_slides():
    """At tan = 0.99 mu it stays for 100 s, at 1.01 mu it goes g (sin - mu cos) t^2 / 2. The order of bodies and points changes
    no more than the accuracy allows."""
    sol = block(0.5, np.arctan(0.99 * 0.5)).simulate(100.0, accuracy=1e-8, progress=False)
    assert abs(sol["b.position"] - sol["b.position"][0]).max() < 1e-12
    slope, ends = np.arctan(1.01 * 0.5), []
    for turned in (False, True):
        sol = block(0.5, slope, turned=turned).simulate(5.0, accuracy=1e-8, progress=False)
        way = 0.5 * G * (np.sin(slope) - 0.5 * np.cos(slope)) * sol.t**2
        assert abs(sol["b.position"][:, 0] - way).max() < 1e-6 * way[-1]
        ends.append(sol["b.position"][-1])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
def test_a_sliding_ball_begins_to_roll(method):
    m = pl.Model("billiard", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("s", radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(3, -2, 0), angular_velocity=(4, 10, 0)))
    m.add(RigidPoints("c", "s", "ground", sizes=[(0, 0, 0, 0.1)], friction=0.2))
    sol = m.simulate(1.0, accuracy=1e-8, integrator=method, output_times=[0.37297942259693306, 1.0], progress=False)
    assert [e.t for e in sol.events if e.what == "sticks"] == pytest.approx([0.37297942259693306], abs=1e-8)
    np.testing.assert_allclose(sol["s.position"][1], (1.0123727184773899, -0.6607064057431385, 0.1), rtol=0, atol=1e-7)
    np.testing.assert_allclose(sol["s.velocity"][-1], (2.428571428571429, -1.542857142857143, 0), rtol=0, atol=1e-7)


@pytest.mark.parametrize(("friction", "v"), [(0.1, (0.4976344617505909, 0.4120860308063534, 2.1)), (0.5, (-1 / 7, 0.3, 2.1))])
def test_an_oblique_impact(friction, v):
    """It slips throughout, or sticks in the end."""
    m = pl.Model("oblique", gravity=(0, 0, 0))
    m.add(pl.RigidBody.sphere("s", radius=0.1, mass=1.0, position=(0, 0, 0.4), velocity=(1, 0.5, -3), angular_velocity=(2, -30, 5)))
    m.add(RigidPoints("c", "s", "ground", sizes=[(0, 0, 0, 0.1)], friction=friction, restitution=0.7))
    sol = m.simulate(0.2, accuracy=1e-8, progress=False)
    np.testing.assert_allclose(sol["s.velocity"][-1], v, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("how", "after"), [(impacts.SIMULTANEOUS, (-1 / 3, 2 / 3, 2 / 3)), (impacts.SEQUENTIAL, (0, 0, 1))])
def test_three_balls_in_touch(how, after):
    """Balls and contacts in any order."""
    for order in ((0, 1, 2), (2, 0, 1)):
        m = pl.Model("cradle", gravity=(0, 0, 0))
        for i in order:
            x, v = 0.2 * i - 0.1 * (i == 0), 1.0 * (i == 0)
            m.add(pl.RigidBody.sphere(f"b{i}", radius=0.1, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0)))
        for i in order[:2] if order[0] == 0 else (1, 0):
            m.add(RigidPoints(f"c{i}", f"b{i}", f"b{i + 1}", kernel="point_sphere", sizes=[(0, 0, 0, 0.1, 0.1)], restitution=1.0, how=how))
        sol = m.simulate(0.5, accuracy=1e-8, progress=False)
        np.testing.assert_allclose([sol[f"b{i}.velocity"][-1, 0] for i in range(3)], after, rtol=0, atol=1e-10)


def rocking(**options):
    b, h = 0.1, 0.5
    tilt = 0.9 * np.arctan(b / h)
    at = (b - b * np.cos(tilt) + h * np.sin(tilt), 0, b * np.sin(tilt) + h * np.cos(tilt))
    m = pl.Model("rocking", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("b", size=(0.2, 0.3, 1.0), mass=2.0, position=at, rotation=pl.rotation("y", tilt)))
    m.add(RigidPoints("c", "b", "ground", sizes=corners(b, 0.15, h, below=True), friction=1.0))
    return m.simulate(7.0, accuracy=1e-8, progress=False, **options)


@pytest.mark.parametrize(("method", "error"), [(pl.DOP853(), 3e-9), (None, 1e-7)])
def test_a_block_rocks(method, error):
    """Twelve impacts from corner to corner, each of which leaves 1 - 1.5 sin^2 alpha of the rate. Radau, which is chosen, has errors of
    the accuracy per second."""
    sol = rocking(integrator=method)
    hits = np.unique([e.t for e in sol.events if e.what == "impact"])
    assert abs(hits[:12] - ROCKING["t_impact"][:12]).max() < error
    total = sol["energy.kinetic"] + sol["energy.potential"] + sol["energy.dissipated"]
    assert np.ptp(total) < error
    assert np.unique(sol.t).size == sol.t.size


def test_a_stack_of_boxes():
    """Ten boxes of the same size, their corners above each other, carry what is above them and stay."""
    m, half = pl.Model("stack", gravity=(0, 0, -G)), 0.05
    for i in range(10):
        m.add(pl.RigidBody.box(f"b{i}", size=(0.2, 0.2, 0.1), mass=1.0, position=(0, 0, half * (2 * i + 1))))
        feet = corners(0.1, 0.1, half, below=True)
        m.add(RigidPoints(f"c{i}", f"b{i}", "ground", sizes=feet, friction=0.5) if i == 0 else
              RigidPoints(f"c{i}", f"b{i}", f"b{i - 1}", kernel="point_box", sizes=[(*f, 0.1, 0.1, half) for f in feet], friction=0.5))
    sol = m.simulate(100.0, accuracy=1e-6, progress=False)
    s, n_q = sol.dynamics.system, sol.dynamics.system.q0.size
    last = parts(sol.rows[-1:], n_q, s.n)
    for i in range(10):
        assert abs(sol[f"b{i}.position"] - sol[f"b{i}.position"][0]).max() < 1e-12
        bears = -sum(last["lam"][0, p.rows[0]] + last["H"][0, p.phase + rc.SHARE] for p in s.rigid if p.item == f"c{i}")
        assert bears == pytest.approx((10 - i) * G, rel=1e-9)


def test_a_rod_that_jams():
    """Painlevé's rod, 1 + 3 cos (cos - mu sin) < 0, pushed against its slip: no force goes with sliding. It stops at once, with the impulse
    that does that."""
    angle, half, mu = np.radians(63.0), 0.5, 1.4
    c, s = half * np.cos(angle), half * np.sin(angle)
    assert 1 + 3 * np.cos(angle) * (np.cos(angle) - mu * np.sin(angle)) < 0
    m = pl.Model("rod", gravity=(0, 0, -G))
    m.add(pl.RigidBody("rod", mass=1.0, inertia=(half**2 / 3, half**2 / 3, 1e-4), position=(0, 0, s), velocity=(-1.0, 0, 0),
                       rotation=pl.rotation("y", np.pi / 2 - angle)))
    m.add(RigidPoints("tip", "rod", "ground", sizes=[(0, 0, -half, 0)], friction=mu))
    sol = m.simulate(1e-3, accuracy=1e-8, progress=False)
    jam = sol.events[0]
    D = np.array([[1 + 3 * np.cos(angle)**2, 3 * np.cos(angle) * np.sin(angle)], [0, 1 + 3 * np.sin(angle)**2]])
    D[1, 0] = D[0, 1]
    found = [np.linalg.solve(D * [[1, sign], [sign, 1]], [0.0, 1.0]) for sign in (1, -1)]
    assert jam.what == "impact"
    assert jam.impulse in [pytest.approx(np.linalg.norm(P), rel=1e-8) for P in found if P[0] > 0]
    assert [e.what for e in sol.events][1] == "jams"
    tip = sol["rod.velocity"][0] + np.cross(sol["rod.angular_velocity"][0], (-c, 0, -s))  # the rod turns about y alone
    np.testing.assert_allclose(tip, 0, rtol=0, atol=1e-12)
    assert sol["energy.kinetic"][0] < 0.5


def test_a_contact_of_bodies_with_shapes():
    """The same item as compliant contacts, by its law: channels, text, and a box that is thrown flat onto the floor."""
    m = pl.Model("thrown", gravity=(0, 0, -G))
    m.add(pl.RigidBody.box("box", size=(0.4, 0.3, 0.2), mass=2.0, position=(0, 0, 0.5), velocity=(1.0, 0.4, 0)))
    m.add(pl.Contact("floor", "box", "ground", law="rigid", friction=0.5))
    m = from_text(to_text(m))
    sol = m.simulate(1.0, accuracy=1e-8, progress=False)
    t, speed = np.sqrt(2 * 0.4 / G), np.hypot(1, 0.4)
    assert [e.t for e in sol.events if e.what == "impact"] == pytest.approx([t] * 4, abs=1e-9)
    assert sum(e.energy_lost for e in sol.events if e.what == "impact") == pytest.approx((G * t)**2 + speed**2, rel=1e-9)
    assert speed < 0.5 * G * t  # the impact may take mu times the speed that it falls with: it sticks at once
    here = sol.t > t + 1e-6
    np.testing.assert_allclose(sol["floor.normal_force"][here], 2 * G, rtol=1e-9)
    np.testing.assert_allclose(sol["floor.force"][here], np.tile((0, 0, -2 * G), (here.sum(), 1)), rtol=0, atol=1e-8)
    assert set(sol["floor.state"][here]) == {1.0} and set(sol["floor.state"][sol.t < t]) == {0.0}
    assert abs(sol["floor.gap"][here]).max() < 1e-12 and sol["floor.gap"].min() > -1e-12
    np.testing.assert_allclose(sol["floor.gap"][sol.t < t], 0.4 - G * sol.t[sol.t < t]**2 / 2, rtol=0, atol=1e-9)


def test_what_is_refused():
    for wrong, said in (({"stiffness": 1e5}, "stiffness: is of a compliant contact"), ({"restitution": 1.1}, "must be from 0 to 1"),
                        ({"law": "restitution", "stiffness": 1e5, "impacts": "poisson"}, "impacts: is of a rigid contact")):
        with pytest.raises(ValueError, match=said):
            pl.Contact("c", "b", "ground", **{"law": "rigid"} | wrong)
    m = pl.Model("sunk")
    m.add(pl.RigidBody.sphere("s", radius=0.1, mass=1.0, position=(0, 0, 0.09)))
    m.add(pl.Contact("c", "s", "ground", law="rigid"))
    with pytest.raises(pl.ModelError, match=r"'c' is rigid and overlaps by 0\.01 m at the start"):
        m.simulate(1.0, accuracy=1e-6, progress=False)
    with pytest.raises(pl.ModelError, match="'s' is rigid: the instants of its impacts are found by error control"):
        ball().simulate(1.0, step=1e-3, progress=False)
    with pytest.raises(pl.ModelError, match="holds constraints itself"):
        ball().simulate(1.0, accuracy=1e-6, integrator=pl.GeneralizedAlpha(), progress=False)
    with pytest.raises(pl.ModelError, match="'touch' has friction, which joint coordinates do not know"):
        block(0.5, 0.1).simulate(1.0, accuracy=1e-6, coordinates="joint", progress=False)
    with pytest.raises(ValueError, match="stiffness: is of a compliant stop"):
        pl.Stop("s", "A", "angle", 0, 1, law="rigid", stiffness=3)
    with pytest.raises(ValueError, match="must be from 0 to 1"):
        pl.Stop("s", "A", "angle", 0, 1, law="rigid", restitution=1.2)
    with pytest.raises(ValueError, match='with law="rigid" it may be 0'):
        pl.Stop("s", "A", "angle", 0, 1, restitution=0)
