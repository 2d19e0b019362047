"""Static equilibrium against closed forms, what cannot stand still, and runs that begin in equilibrium."""
import numpy as np
import pytest
from scipy.optimize import brentq

import pliant as pl
from pliant.items.base import matrix_of
from pliant.start.assembly import start_row

R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
X, Y, Z = R.T
G = 9.81


def chain(n=12, length=0.15, span=1.2, mass=0.4):
    """Equal rods between two points at one height, hinged; given as an arc that sags."""
    m = pl.Model("chain", gravity=-G * Y)

    def ends(c):
        return np.concatenate([[0], np.cumsum(length * np.cos(c * (np.arange(n) - (n - 1) / 2)))])[-1] - span
    c = brentq(ends, 1e-3, 0.5)
    slopes = c * (np.arange(n) - (n - 1) / 2)
    points = np.vstack([[0, 0], np.cumsum(length * np.column_stack([np.cos(slopes), np.sin(slopes)]), axis=0)])
    world = points @ np.array([X, Y])
    rods = [m.add(pl.RigidBody.rod(f"r{k}", world[k], world[k + 1], mass=mass)) for k in range(n)]
    m.add(pl.Revolute("left", m.ground, rods[0]["start"], axis=Z))
    for k in range(n - 1):
        m.add(pl.Revolute(f"h{k}", rods[k]["end"], rods[k + 1]["start"], axis=Z))
    m.add(pl.Revolute("right", m.ground.frame(world[-1]), rods[-1]["end"], axis=Z))
    return m


def test_hanging_chain():
    """Catenary of rods: tan(slope k) = m g (k - (n - 1) / 2) / H, and the spans add up."""
    n, length, span, mass = 12, 0.15, 1.2, 0.4
    st = chain(n, length, span, mass).static()
    place = np.arange(n) - (n - 1) / 2
    H = brentq(lambda H: (length * np.cos(np.arctan(mass * G * place / H))).sum() - span, 1e-2, 1e3, xtol=1e-14)
    slopes = np.arctan(mass * G * place / H)
    ends = np.cumsum(length * np.column_stack([np.cos(slopes), np.sin(slopes)]), axis=0) @ np.array([X, Y])
    for k in range(n):
        np.testing.assert_allclose(st.position(f"r{k}.end"), ends[k], atol=1e-12)
    force = st["left.force"]  # on the first rod
    np.testing.assert_allclose([force @ X, force @ Y, force @ Z], [-H, n * mass * G / 2, 0], atol=1e-9)
    assert st.stable and st.degrees_of_freedom == n - 2
    assert "stable" in str(st) and not st.dynamics.unique_reactions


def test_mass_on_a_spring_and_its_channels():
    m = pl.Model("scale", gravity=-G * X)
    b = m.add(pl.RigidBody.sphere("b", 0.05, mass=3.0, position=-0.4 * X))
    m.add(pl.Prismatic("guide", m.ground, b, axis=X))
    m.add(pl.SpringDamper("k", m.ground, b, stiffness=200.0, damping=1.0, length=0.3))
    m.add(pl.Measure("gap", m.ground, b))
    st = m.static()
    length = 0.3 + 3 * G / 200
    assert st["k.length"] == pytest.approx(length, rel=1e-14)
    assert st["k.force"] == pytest.approx(3 * G, rel=1e-13)
    assert st["gap.distance"] == pytest.approx(length, rel=1e-14)
    assert st["energy.elastic"] == pytest.approx((3 * G) ** 2 / 400, rel=1e-12)
    np.testing.assert_allclose(st["guide.force"], 0, atol=1e-12)
    np.testing.assert_allclose(st["b.acceleration"], 0, atol=1e-12)
    assert st.stiffness == pytest.approx(200 * st.dynamics.length**2, rel=1e-9)


@pytest.mark.parametrize("load", [3.0, 300.0])
def test_large_deflection_of_a_torsion_spring(load):
    """k a = F l cos a: a force of constant direction on a hinged bar."""
    m = pl.Model("bar")
    b = m.add(pl.RigidBody.rod("b", (0, 0, 0), 0.5 * X, mass=1.0))
    m.add(pl.Revolute("A", m.ground, b["start"], axis=Z))
    m.add(pl.TorsionSpring("k", "A", stiffness=4.0))
    m.add(pl.Force("push", b["end"], load * Y))
    angle = brentq(lambda a: 4 * a - load * 0.5 * np.cos(a), 0, 1.6, xtol=1e-15)
    for steps in (None, 7):
        assert m.static(load_steps=steps)["A.angle"] == pytest.approx(angle, rel=1e-12)


def test_following_force():
    """k a = F l for a force that turns with the bar: more than a whole turn."""
    m = pl.Model("bar")
    b = m.add(pl.RigidBody.rod("b", (0, 0, 0), (0.5, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, b["start"], axis="z"))
    m.add(pl.TorsionSpring("k", "A", stiffness=4.0))
    m.add(pl.Force("push", b["end"], (0, 60.0, 0), axes="frame"))
    assert m.static()["A.angle"] == pytest.approx(60 * 0.5 / 4, rel=1e-12)


def pendulum(angle, **more):
    m = pl.Model("pendulum", gravity=-G * Y)
    b = m.add(pl.RigidBody.rod("rod", (0, 0, 0), np.sin(angle) * X - np.cos(angle) * Y, mass=2.0, **more))
    m.add(pl.Revolute("A", m.ground, b["start"], axis=Z))
    return m


@pytest.mark.parametrize("angle", [0.4, np.pi / 2, 2.6, -3.0])
def test_pendulum_hangs_down(angle):
    st = pendulum(angle).static()
    np.testing.assert_allclose(st.position("rod"), -0.5 * Y, atol=1e-13)
    assert st.stable


def test_inverted_pendulum_stands_but_is_unstable():
    st = pendulum(np.pi).static()
    np.testing.assert_allclose(st.position("rod"), 0.5 * Y, atol=1e-12)
    assert st.stable is False
    assert st.stiffness == pytest.approx(-2 * G * 0.5 / (0.5 / st.dynamics.length) ** 2, rel=1e-9)  # for 1 size, not 1 rad
    assert st.falls == ["rod: rotation about (0.8, 0, -0.6)"]
    assert "unstable" in st.summary()


def test_what_can_move_freely_is_named():
    m = pl.Model("wheel", gravity=-G * Y)
    b = m.add(pl.RigidBody.cylinder("wheel", 0.2, 0.05, mass=2.0))
    m.add(pl.Revolute("axle", m.ground, b, axis="z"))
    st = m.static()
    assert st.stable is None and st.free == ["wheel: rotation about z"]


def test_what_falls_has_no_equilibrium():
    m = pl.Model("stone", gravity=(0, 0, -G))
    m.add(pl.RigidBody.sphere("stone", 0.1, mass=1.0))
    with pytest.raises(pl.ModelError, match=r"no equilibrium: body 'stone' goes on moving \(translation along z\), and nothing holds it"):
        m.static()


def test_drives_hold_their_coordinates():
    m = pendulum(0.0)
    b = m.add(pl.RigidBody.rod("lower", -Y, -Y + 0.6 * X, mass=1.0))
    m.add(pl.Revolute("B", m["rod"]["end"], b["start"], axis=Z))
    m.add(pl.Drive("A", "angle", "0.3 + 2 * t", name="motor"))
    st = m.static()
    assert st["A.angle"] == pytest.approx(0.3, rel=1e-12)
    end = np.sin(0.3) * X - np.cos(0.3) * Y
    np.testing.assert_allclose(st.position("lower"), end - 0.3 * Y, atol=1e-12)
    assert st["motor.effort"] == pytest.approx(G * np.sin(0.3) * (2.0 * 0.5 + 1.0), rel=1e-12)


def suspended():
    """A closed loop in space on springs, with redundant hinges."""
    m = pl.Model("suspended four-bar", gravity=(1.0, -G, 2.0))
    P = {k: R @ p for k, p in {"A": (0, 0, 0), "B": (0.1, 0.5, 0), "C": (0.7, 0.6, 0), "D": (0.8, 0, 0)}.items()}
    one, two, three = (m.add(pl.RigidBody.rod(n, P[a], P[b], mass=w)) for n, a, b, w in
                       (("one", "A", "B", 1.0), ("two", "B", "C", 2.0), ("three", "D", "C", 1.5)))
    m.add(pl.Revolute("A", m.ground, one["start"], axis=Z))
    m.add(pl.Revolute("B", one["end"], two["start"], axis=Z))
    m.add(pl.Revolute("C", two["end"], three["end"], axis=Z))
    m.add(pl.Revolute("D", m.ground.frame(P["D"]), three["start"], axis=Z))
    m.add(pl.SpringDamper("k", m.ground.frame(R @ (-0.5, 0.9, 0.2)), two["center"], stiffness=90.0, damping=0.1, length=0.5))
    return m


@pytest.mark.parametrize("make", [suspended, chain])
def test_a_run_from_equilibrium_stays_at_rest(make):
    m = make()
    for how in ({"accuracy": "normal"}, {"step": 1e-3}):
        sol = m.simulate(2.0, start="static", output_step=0.05, progress=False, **how)
        s = sol.dynamics.system
        q, v = sol.rows[:, 3:3 + s.q0.size], sol.rows[:, 3 + s.q0.size:3 + s.q0.size + s.n]
        assert abs(q - q[0]).max() < 1e-10
        assert "accuracy" in how or abs(v).max() < 1e-10  # iterations of error control end at 1e-9 of velocities
    st = m.static()
    np.testing.assert_allclose(q[0], st.row[3:3 + s.q0.size], atol=1e-12)
    moving = m.simulate(0.3, step=1e-3, output_step=0.05, progress=False)
    assert abs(moving.rows[:, 3:3 + s.q0.size] - q[0]).max() > 1e-3


def test_start_is_one_of_two_words_and_at_rest():
    m = suspended()
    with pytest.raises(pl.ModelError, match="start = 'statik', must be one of assembled, static"):
        m.simulate(1.0, start="statik")
    with pytest.raises(pl.ModelError, match="start: static begins at rest, but 'rod' states a velocity"):
        pendulum(0.4, angular_velocity=Z).simulate(1.0, start="static")


@pytest.mark.parametrize(("options", "message"), [
    ({"load_steps": 0}, "load_steps = 0 must be a whole number from 1 to 10000"), ({"load_steps": 2.5}, "load_steps = 2.5 must be"),
    ({"tolerance": 1.0}, "tolerance = 1 must be between"), ({"tolerance": "x"}, "tolerance")])
def test_wrong_options_are_explained(options, message):
    with pytest.raises(pl.ModelError, match=message):
        pendulum(0.3).static(**options)


def test_beside_a_following_force_a_wheel_turns_freely():
    """Two bars with a force that stays across the second: k2 (a2 - a1) = F l2, k1 a1 = F (l2 + l1 cos(a2 - a1)). Stiffness is not
    symmetric, and has a direction without any."""
    m = pl.Model("bars and wheel")
    one = m.add(pl.RigidBody.rod("one", (0, 0, 0), 0.5 * X, mass=1.0))
    two = m.add(pl.RigidBody.rod("two", 0.5 * X, 0.8 * X, mass=1.0))
    wheel = m.add(pl.RigidBody.cylinder("wheel", 0.1, 0.05, mass=0.5, position=0.8 * X, rotation=R))
    m.add(pl.Revolute("A", m.ground, one["start"], axis=Z))
    m.add(pl.Revolute("B", one["end"], two["start"], axis=Z))
    m.add(pl.Revolute("C", two["end"], wheel, axis=Z))
    m.add(pl.TorsionSpring("k1", "A", stiffness=12.0))
    m.add(pl.TorsionSpring("k2", "B", stiffness=5.0))
    m.add(pl.Force("push", two["end"], 9.0 * Y, axes="frame"))
    st = m.static()
    bend = 9.0 * 0.3 / 5.0
    assert st["B.angle"] == pytest.approx(bend, rel=1e-11)
    assert st["A.angle"] == pytest.approx(9.0 * (0.3 + 0.5 * np.cos(bend)) / 12.0, rel=1e-11)
    assert st.stable is None and st.free == ["wheel: rotation about (0.8, 0, -0.6)"]


def test_steps_lead_downhill_and_not_too_far():
    from pliant.analyses.settling import Balance, Settling
    m = chain(4, span=0.55)
    d = m.compile(exact=True)
    start_row(d)
    search, rng = Settling(d, 0.0, 1e-10), np.random.default_rng(1)
    for skew in (0.0, 0.01):
        for _ in range(50):
            H = rng.standard_normal((5, 5))
            f = rng.standard_normal(5) * 10.0 ** rng.uniform(-6, 2)
            dz = search._step(Balance(search.balance().freedom, f, H + H.T + skew * (H - H.T), 1.0, 0.0))
            assert f @ dz < 0 and np.linalg.norm(dz) <= (1 + 5 * skew) * search.radius * (1 + 1e-9)


def test_a_chain_that_nearly_stands_falls_all_the_way():
    m = pl.Model("four pendulums", gravity=-G * Y)
    start, last = np.zeros(3), m.ground
    for k, angle in enumerate((3.1, 3.2, 0.2, 2.9)):
        end = start + 0.4 * (np.sin(angle) * X - np.cos(angle) * Y)
        b = m.add(pl.RigidBody.rod(f"r{k}", start, end, mass=1.0 + k))
        m.add(pl.Revolute(f"h{k}", last.frame(start) if k == 0 else last["end"], b["start"], axis=Z))
        start, last = end, b
    st = m.static()
    for k in range(4):
        np.testing.assert_allclose(st.position(f"r{k}.end"), -0.4 * (k + 1) * Y, atol=1e-12)
    assert st.stable


def test_half_the_load_is_half_of_gravity_and_of_forces():
    from pliant.analyses.settling import Settling
    m = pl.Model("bar", gravity=-G * Y)
    b = m.add(pl.RigidBody.rod("b", (0, 0, 0), 0.5 * X, mass=2.0))
    m.add(pl.Revolute("A", m.ground, b["start"], axis=Z))
    m.add(pl.TorsionSpring("k", "A", stiffness=4.0, angle=0.1))
    m.add(pl.Force("push", b["end"], ["0 N", "12 N * exp(-t)", 0]))
    d = m.compile(exact=True)
    start_row(d)
    search = Settling(d, 0.0, 1e-10)
    for part in (0.25, 0.5, 1.0):
        search.part = part
        search.settle()

        def moment(a, part=part):
            return 4 * (a - 0.1) + part * (2 * G * 0.25 * np.cos(a) - 12 * 0.5 * (np.cos(a) * Y[1] - np.sin(a) * X[1]))
        angle = brentq(moment, -2, 2, xtol=1e-15)
        assert d.x.H[d.directory.joints["A"].histories["angle"]] == pytest.approx(angle, rel=1e-10)


def test_drives_move_from_the_start():
    m = pendulum(0.0)
    m.add(pl.Drive("A", "angle", "0.3 + 2 * t", name="motor"))
    d = m.compile()
    d.start = "static"
    row = start_row(d)
    k = 3 + d.system.q0.size
    np.testing.assert_allclose(matrix_of(row[6:10]) @ row[k + 3:k + 6], 2 * Z, atol=1e-12)
    sol = m.simulate(0.1, start="static", progress=False)
    np.testing.assert_allclose(sol["A.angle"], 0.3 + 2 * sol.t, atol=1e-8)


def test_a_long_chain_falls_all_the_way():
    """80 rods from a straight line: sparse matrices; nothing resists at first."""
    m, last = pl.Model("chain", gravity=-G * Y), None
    for k in range(80):
        b = m.add(pl.RigidBody.rod(f"r{k}", 0.1 * k * X, 0.1 * (k + 1) * X, mass=0.4))
        m.add(pl.Revolute(f"h{k}", m.ground if last is None else last["end"], b["start"], axis=Z))
        last = b
    st = m.static()
    assert st.stable and st.degrees_of_freedom == 80
    for k in (0, 40, 79):
        np.testing.assert_allclose(st.position(f"r{k}.end"), -0.1 * (k + 1) * Y, atol=1e-10)
    np.testing.assert_allclose(st["h0.force"], 80 * 0.4 * G * Y, atol=1e-6)


def test_a_wheel_that_is_driven_never_stops():
    m = pl.Model("wheel")
    b = m.add(pl.RigidBody.cylinder("wheel", 0.2, 0.05, mass=2.0))
    m.add(pl.Revolute("axle", m.ground, b, axis="z"))
    m.add(pl.Torque("motor", b, (0, 0, 1.0)))
    with pytest.raises(pl.ModelError, match=r"no equilibrium: body 'wheel' goes on moving \(rotation about z\)"):
        m.static()
