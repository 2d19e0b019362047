"""Assembly: closed forms of mechanisms brought to start values, least motion from imperfect input, and what is said if it fails."""

import numpy as np
import pytest
from derivatives import random_rotation
from mechanisms import CRANK, ROD, four_bar, slider_crank

import pliant as pl
from pliant.items.base import matrix_of

AXIS = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
TURN = random_rotation(np.random.default_rng(8))
POINTS = np.array([[0, 0, 0], [0.1, 0.5, 0], [1.3, 1.1, 0], [1.6, 0, 0]])  # joints of a crank-rocker


def linkage(points=POINTS, R=TURN, at=(0.0, 0.0, 0.0), noise=None, masses=(1.0, 1.0, 1.0), **first):
    """Four-bar in the plane across R z; ``noise`` moves the bodies as stated; ``first``: start values of its first joint."""
    m = pl.Model("linkage", gravity=(0, -9.81, 1.0))
    world = points @ R.T + np.asarray(at)
    bodies = []
    for k in range(3):
        half = (points[k + 1] - points[k]) / 2
        shift = np.zeros(3) if noise is None else noise[k]
        bodies.append(m.add(pl.RigidBody(f"b{k}", masses[k], 0.1 * masses[k] * np.ones(3), position=(world[k] + world[k + 1]) / 2 + shift,
                                         rotation=R, frames={"left": -half, "right": half})))
    m.add(pl.Revolute("A", m.ground.frame(world[0], rotation=R), bodies[0]["left"], axis="z", **first))
    m.add(pl.Revolute("B", bodies[0]["right"], bodies[1]["left"], axis="z"))
    m.add(pl.Revolute("C", bodies[1]["right"], bodies[2]["left"], axis="z"))
    m.add(pl.Revolute("D", m.ground.frame(world[3], rotation=R), bodies[2]["right"], axis="z"))
    return m


def knee(points, angle):
    """Joint C after the crank turned by ``angle``: where two circles meet, on the side where it was."""
    a = points[0] + matrix_of(pl.rotation("z", angle)) @ (points[1] - points[0])
    l1, l2 = np.linalg.norm(points[2] - points[1]), np.linalg.norm(points[3] - points[2])
    d = points[3] - a
    size = np.linalg.norm(d)
    along = (l1**2 - l2**2 + size**2) / (2 * size)
    return a + along * d / size + np.sqrt(l1**2 - along**2) * np.cross((0, 0, 1), d) / size


@pytest.mark.parametrize("angle", [0.7, -2.0, 2 * np.pi + 0.7, -13.0])
def test_a_four_bar_starts_at_the_angle_of_its_crank(angle):
    m = linkage(angle=angle, angle_rate=2.0, at=(3.0, -1.0, 2.0))
    found = m.assemble()
    sol = found.solution
    np.testing.assert_allclose(sol["b1.right.position"][0], TURN @ knee(POINTS, angle) + (3, -1, 2), atol=1e-9)
    assert sol["A.angle"][0] == pytest.approx(angle, abs=1e-11)
    assert sol["A.angle_rate"][0] == pytest.approx(2.0, abs=1e-9)
    speed = (knee(POINTS, angle + 1e-5) - knee(POINTS, angle - 1e-5)) / 2e-5 * 2.0
    np.testing.assert_allclose(sol["b1.right.velocity"][0], TURN @ speed, atol=1e-6)
    assert found.ok and max(gap.mm for gap in found.after.values()) < 1e-9
    assert m["b0"].position == linkage(at=(3.0, -1.0, 2.0))["b0"].position
    run = m.simulate(0.05, step=1e-3)
    assert run["A.angle"][0] == pytest.approx(angle, abs=1e-11) and abs(np.diff(run["A.angle"])).max() < 0.1


@pytest.mark.parametrize("angle", [3.0, -6.0])
def test_the_branch_is_kept_where_another_is_near(angle):
    """Crank-rocker whose bars could almost lie flat: half a millimetre is left, and straight on leads to the other branch."""
    d = np.array([1.6, -0.5, 0])
    size = np.linalg.norm(d)
    along = (1.3005**2 - 0.8**2 + size**2) / (2 * size)
    points = np.array([[0, 0, 0], [0, 0.5, 0], [0, 0.5, 0], [1.6, 0, 0]])
    points[2] += along * d / size + np.sqrt(1.3005**2 - along**2) * np.cross((0, 0, 1), d) / size
    sol = linkage(points, angle=angle).assemble().solution
    np.testing.assert_allclose(sol["b1.right.position"][0], TURN @ knee(points, angle), atol=1e-7)


def test_small_gaps_are_closed_by_the_least_motion_whatever_the_masses():
    """Bodies are stated up to 2 mm away from a pose that fits: all together they are moved by less than back to it."""
    noise = np.random.default_rng(1).uniform(-2e-3, 2e-3, (3, 3))
    light, heavy = (linkage(noise=noise, masses=masses).assemble() for masses in ((1, 1, 1), (1e-3, 10, 1)))
    assert light.ok and 1 < max(gap.mm for gap in light.before.values()) < 10
    assert max(gap.mm for gap in light.after.values()) < 1e-11
    way = {name: np.hypot(move.mm, 1e3 * light.dynamics.length * np.radians(move.degrees)) for name, move in light.moved.items()}
    assert sum(w**2 for w in way.values()) < 1.001 * (1e6 * noise**2).sum()
    for channel in ("b0.position", "b1.right.position", "b2.rotation"):
        np.testing.assert_allclose(light.solution[channel], heavy.solution[channel], atol=1e-12)
    turned = linkage(R=np.eye(3), noise=noise @ TURN).assemble()
    np.testing.assert_allclose(light.solution["b1.right.position"], turned.solution["b1.right.position"] @ TURN.T, atol=1e-10)
    assert "joint B: open by" in str(light) and "body b1: moved by" in str(light)
    assert linkage(noise=noise).simulate(0.05, step=1e-3).quality.position_violation < 1e-9


def test_a_start_value_moves_no_other_joint_of_a_chain():
    """What hangs on the joint moves as one piece, what it hangs on stays, whatever the masses."""
    def chain(**state):
        m = pl.Model("chain")
        before, point = m.ground.frame((0.2, 0, 0), rotation=TURN), np.array([0.2, 0, 0])
        for k in range(4):
            origin = point - TURN @ (0, 0.1, 0)
            body = m.add(pl.RigidBody(f"b{k}", 10.0**(k - 2), (1, 1, 1), position=origin, rotation=TURN))
            ends = (f"J{k}", before, body.frame((0, 0.1, 0)))
            m.add(pl.Spherical(*ends) if k == 2 else pl.Cylindrical(*ends, axis=np.roll(AXIS, k), **(state if k == 1 else {})))
            before, point = body.frame((0.3, 0.2, 0)), origin + TURN @ (0.3, 0.2, 0)
        return m.assemble().solution
    a, b = chain(angle="50 deg", displacement="30 mm", displacement_rate="2 mm/s"), chain()
    for name in ("J0.angle", "J0.displacement", "J3.angle", "J3.displacement"):
        np.testing.assert_allclose(a[name], 0, atol=1e-10)
    np.testing.assert_allclose([a["J1.angle"][0], a["J1.displacement"][0], a["J1.displacement_rate"][0]],
                               [np.radians(50), 0.03, 0.002], atol=1e-10)
    np.testing.assert_allclose(a["b0.position"], b["b0.position"], atol=1e-10)
    turned = [matrix_of(a[f"b{k}.rotation"][0]) @ TURN.T for k in (1, 2, 3)]
    np.testing.assert_allclose(turned, [turned[0]] * 3, atol=1e-9)
    np.testing.assert_allclose(turned[0], matrix_of(pl.rotation(TURN @ np.roll(AXIS, 1), "50 deg")), atol=1e-9)


@pytest.mark.parametrize(("joint", "values", "options"), [
    (pl.Revolute, {"angle": 0.9, "angle_rate": -1.5}, {"zero": 0.2}),
    (pl.Planar, {"angle": -4.0, "angle_rate": 0.5}, {}),
    (pl.Prismatic, {"displacement": 0.3, "displacement_rate": 1.0}, {"zero": 0.1}),
    (pl.Cylindrical, {"angle": 7.0, "angle_rate": 1.0, "displacement": -0.2, "displacement_rate": 0.4}, {}),
    (pl.Screw, {"angle": 3.0, "angle_rate": 2.0}, {"lead": 0.1}),
    (pl.Screw, {"displacement": 0.05, "displacement_rate": 0.1}, {"lead": 0.1}),
    (pl.PointOnLine, {"displacement": 0.25, "displacement_rate": -0.3}, {}),
    (pl.Joint, {"angle": 0.4, "displacement": 0.1}, {"primitives": [("d2", "x"), ("d2", "y"), ("d1", "x", "z"), ("d1", "y", "z")]}),
])
def test_start_values_of_every_joint(joint, values, options):
    """Between two bodies in space: channels begin with what was stated, and the joint is closed by the geometry of its bodies."""
    rng = np.random.default_rng(4)
    RA, RB = random_rotation(rng), random_rotation(rng)
    p_a, p_b = np.array([0.4, 0.1, -0.2]), np.array([-0.1, 0.3, 0.2])
    m = pl.Model("pair", gravity=(1.0, -2.0, -9.0))
    a = m.add(pl.RigidBody("A", 2.0, (0.3, 0.4, 0.5), rotation=RA, position=(0, 0, 0)))
    b = m.add(pl.RigidBody("B", 1.0, (0.1, 0.2, 0.15), rotation=RB, position=RA @ p_a - RB @ p_b))
    m.add(pl.Spherical("ball", m.ground, a))
    m.add(joint("J", a.frame(p_a), b.frame(p_b), axis=AXIS, **values, **options))
    sol = m.simulate(0.01, step=1e-3)
    for name, value in values.items():
        assert sol[f"J.{name}"][0] == pytest.approx(value, abs=1e-10), name
    Ra, Rb = (matrix_of(sol[f"{n}.rotation"][0]) for n in "AB")
    seen = Ra.T @ (sol["B.position"][0] + Rb @ p_b - sol["A.position"][0] - Ra @ p_a)
    if joint is not pl.Planar:
        np.testing.assert_allclose(np.cross(seen, AXIS), 0, atol=1e-10)
    if "displacement" in values:
        assert seen @ AXIS == pytest.approx(values["displacement"] - options.get("zero", 0.0), abs=1e-10)
    if joint is not pl.PointOnLine:
        turn = values.get("angle", values.get("displacement", 0.0) * 2 * np.pi / options.get("lead", np.inf)) \
            - (options.get("zero", 0.0) if joint is pl.Revolute else 0.0)
        np.testing.assert_allclose(Ra.T @ Rb @ RB.T @ RA, matrix_of(pl.rotation(AXIS, turn)), atol=1e-9)


def test_unloaded_lengths_and_zeros_are_those_of_the_pose_as_modelled():
    def model(**start):
        m = pl.Model("reference", gravity=(0, -9.81, 0))
        rod = m.add(pl.RigidBody.rod("rod", (0, 0, 0), (1, 0, 0), 1.0))
        m.add(pl.Revolute("A", m.ground, rod["start"], axis="z", zero=0.1, **start))
        m.add(pl.SpringDamper("S", m.ground.frame((0, 1, 0)), rod["end"], stiffness=100.0))
        m.add(pl.TorsionSpring("T", "A", 5.0, angle=0.1))
        m.add(pl.Bushing("B", m.ground, rod, stiffness=[0, 0, 0, 7, 7, 7]))
        return m.assemble().solution
    at_rest, moved = model(), model(angle=0.6)
    np.testing.assert_allclose([at_rest["S.force"][0], at_rest["T.torque"][0], at_rest["B.torque"][0, 2]], 0, atol=1e-12)
    length = np.linalg.norm(np.array([np.cos(0.5), np.sin(0.5)]) - (0, 1))
    assert moved["S.force"][0] == pytest.approx(100 * (length - np.sqrt(2)), abs=1e-9)
    assert moved["T.torque"][0] == pytest.approx(5 * 0.5, abs=1e-9)
    assert moved["B.torque"][0, 2] == pytest.approx(-7 * 0.5, abs=1e-9)


@pytest.mark.parametrize("start", [1e-4, 0.5, 2.5, -4.0, 25.0])
def test_a_drive_moves_the_mechanism_to_its_first_value(start):
    """A slider crank, modelled in its dead centre, to any angle and number of turns; the slider stays on its side."""
    m = slider_crank(f"{start} + 10*t")
    found = m.assemble()
    x = CRANK * np.cos(start) + np.sqrt(ROD**2 - (CRANK * np.sin(start))**2)
    assert found.solution["slider.position.x"][0] == pytest.approx(x, abs=1e-10)
    assert found.solution["A.angle"][0] == pytest.approx(start, abs=1e-11)
    assert found.moved["crank"].degrees > 0 and "body crank: moved by" in str(found)
    assert m.simulate(0.01, step=1e-3)["A.angle"][-1] == pytest.approx(start + 0.1, abs=1e-9)


def test_a_slider_may_be_stated_from_a_dead_centre():
    """The displacement does not change to first order there, so the mechanism must leave by chance, to either side."""
    m = slider_crank()
    del m.items["motor"]
    m["D"].displacement = -0.1
    sol = m.assemble().solution
    assert sol["slider.position.x"][0] == pytest.approx(CRANK + ROD - 0.1, abs=1e-10)
    cos = (0.35**2 + CRANK**2 - ROD**2) / (2 * 0.35 * CRANK)
    assert abs(sol["A.angle"][0]) == pytest.approx(np.arccos(cos), abs=1e-6)


def test_redundant_joints_follow_too():
    """Bricard's linkage, whose equations are redundant in every pose."""
    import no_jit
    m = no_jit.load("bricard").model()
    name = next(iter(m.section("joints"))).name
    m[name].angle = -0.4
    found = m.assemble()
    assert found.solution[f"{name}.angle"][0] == pytest.approx(-0.4, abs=1e-10)
    assert max(max(gap) for gap in found.after.values()) < 1e-9
    assert found.moved["bar2"].mm > 10


def test_bodies_without_a_place_are_placed_by_their_joints():
    m = pl.Model("placed", gravity=(0, 0, -9.81))
    arm = m.add(pl.RigidBody("arm", 1.0, (1, 1, 1), position=(1, 2, 3), rotation=TURN))
    box = m.add(pl.RigidBody.box("box", (0.1, 0.1, 0.1), mass=1.0))
    last = m.add(pl.RigidBody("last", 1.0, (1, 1, 1), rotation=pl.rotation(AXIS, 0.7), com=(0.3, 0, 0)))
    m.add(pl.Fixed("weld", m.ground.frame((1, 2, 3)), arm))
    m.add(pl.Prismatic("P", arm.frame((0.5, 0, 0)), box.frame((0, 0.3, 0)), axis=AXIS, displacement=0.2))
    m.add(pl.Spherical("Q", box.frame((0, 0, 1)), last.frame((0, 0, -0.5))))
    m.add(pl.SpringDamper("S", m.ground, last, stiffness=1.0))
    found = m.assemble()
    sol = found.solution
    assert found.placed == ("box", "last")
    assert sol["P.displacement"][0] == pytest.approx(0.2, abs=1e-10)
    point = sol["box.position"][0] + (0, 0.3, 0) - (np.array([1, 2, 3]) + TURN @ (0.5, 0, 0))
    np.testing.assert_allclose(np.cross(point, TURN @ AXIS), 0, atol=1e-10)
    np.testing.assert_allclose(sol["box.rotation"][0], (1, 0, 0, 0), atol=1e-10)  # not turned without need
    np.testing.assert_allclose(sol["last.rotation"][0], pl.rotation(AXIS, 0.7), atol=1e-10)
    hung = sol["box.position"][0] + (0, 0, 1) + matrix_of(pl.rotation(AXIS, 0.7)) @ (0, 0, 0.5)
    np.testing.assert_allclose(sol["last.position"][0], hung, atol=1e-10)
    still = m.copy()
    still["P"].displacement = None
    assert still.assemble().solution["S.force"][0] == pytest.approx(0, abs=1e-9)  # unloaded where its joints place it
    assert m["box"].position == (0, 0, 0)


def test_a_coupler_is_turned_into_its_place():
    m = pl.Model("coupler")
    posts = [m.add(pl.RigidBody.rod(n, p, np.add(p, (0, 0, 1)), 1.0)) for n, p in (("left", (0, 0, 0)), ("right", (1, 0.5, 0)))]
    bar = m.add(pl.RigidBody.cylinder("bar", 0.02, np.sqrt(1.25), mass=1.0))
    for name, post in zip("AD", posts, strict=True):
        m.add(pl.Revolute(name, m.ground.frame(np.subtract(post.position, (0, 0, 0.5))), post["start"], axis="y"))
    m.add(pl.Spherical("B", posts[0]["end"], bar["start"]))
    m.add(pl.Spherical("C", posts[1]["end"], bar["end"]))
    found = m.assemble()
    np.testing.assert_allclose(found.solution["bar.end.position"][0], (1, 0.5, 1), atol=1e-9)
    assert max(move.mm for move in found.moved.values()) < 1e-6
    m.add(pl.RigidBody("else", 1.0, (1, 1, 1), position=(0.3, 0, 0)))
    m.add(pl.Revolute("X", m.ground, "else"))
    with pytest.raises(pl.ModelError, match=r"as modelled: joint 'X' is open by 300 mm\. Closing them would move body 'else' by 300 mm,"):
        m.assemble()  # a gap elsewhere does not keep it from its place


def test_a_stated_place_is_written_and_read_again(tmp_path):
    m = pl.Model("text")
    m.add(pl.RigidBody("free", 1.0, (1, 1, 1)))
    m.add(pl.RigidBody("here", 1.0, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.RigidBody("so", 1.0, (1, 1, 1), rotation=(1, 0, 0, 0)))
    m.add(pl.Cylindrical("J", m.ground, "free", angle="30 deg", angle_rate="2 rad/s", displacement="5 mm", displacement_rate="1 mm/s"))
    m.save(tmp_path / "m.yaml")
    again = pl.read(tmp_path / "m.yaml")
    stated = {name: {"position", "rotation"} & again[name].model_fields_set for name in ("free", "here", "so")}
    assert stated == {"free": set(), "here": {"position"}, "so": {"rotation"}}
    J = again["J"]
    assert (J.angle, J.angle_rate, J.displacement, J.displacement_rate) == pytest.approx((np.pi / 6, 2, 0.005, 0.001), abs=1e-15)
    with pytest.raises(ValueError, match="unknown key 'angle'"):
        pl.Fixed("F", "a", "b", angle=1.0)
    with pytest.raises(ValueError, match="angle"):
        pl.Revolute("R", "a", "b", angle="3 mm")


def far_apart():
    m = pl.Model("far", gravity=(0, -9.81, 0))
    for name, x in (("left", 0.0), ("right", 3.0)):
        m.add(pl.RigidBody.rod(name, (x, 0, 0), (x, 1, 0), 1.0))
        m.add(pl.Revolute(f"to_{name}", m.ground.frame((x, 0, 0)), m[name]["start"]))
    m.add(pl.Revolute("knee", m["left"]["end"], m["right"]["end"]))
    return m


def test_a_gap_that_cannot_be_closed_is_told_joint_by_joint(tmp_path):
    """Two rods of 1 m on pins 3 m apart: stretched towards each other 1 m is missing, shared by three joints."""
    with pytest.raises(pl.ModelError, match=r"'knee' is open by 3000 mm.*cannot be closed: in the nearest pose .*333 mm") as error:
        far_apart().simulate(1.0, step=1e-3)
    found = error.value.assembly
    assert not found.ok and found.before["knee"].mm == pytest.approx(3000)
    np.testing.assert_allclose([gap.mm for gap in found.after.values()], 1000 / 3, rtol=1e-3)
    assert found.moved["left"].degrees == pytest.approx(90, abs=0.2)
    found.snapshot(tmp_path / "pose.png")
    assert (tmp_path / "pose.png").stat().st_size > 1000
    assert "not assembled" in str(found)


def test_placed_bodies_are_not_moved_far():
    m = linkage(noise=np.array([[0, 0, 0], [0.2, 0, 0], [0, 0, 0]]))
    with pytest.raises(pl.ModelError, match=r"body 'b1' by .* mm.*no more than .* mm and 1 degrees.*leave out position") as error:
        m.assemble()
    assert error.value.assembly.before["B"].mm == pytest.approx(200)
    assert max(gap.mm for gap in error.value.assembly.after.values()) < 1e-6  # it could be closed: the pose shows how


def test_joints_are_not_assembled_the_wrong_way_round():
    """The equations of a weld hold after half a turn as well."""
    m = pl.Model("flip")
    rod = m.add(pl.RigidBody.rod("rod", (0, 0, 0), (1, 0, 0), 1.0))
    m.add(pl.Revolute("hinge", m.ground, rod["start"], angle=np.pi))
    m.add(pl.Fixed("weld", m.ground, rod["start"]))
    with pytest.raises(pl.ModelError, match="axes of joint 'weld' turned the wrong way"):
        m.assemble()


def test_start_values_out_of_reach_are_told_in_degrees():
    m = linkage()
    m["D"].angle, m["A"].angle = 0.2, 0.0
    with pytest.raises(pl.ModelError, match=r"angle of joint 'A' = 0 rad, angle of joint 'D' = 0.2 rad.*missed by .* degrees") as error:
        m.assemble()
    assert not error.value.assembly.ok


@pytest.mark.parametrize(("changes", "message"), [
    ({"A": {"angle": 0.3}}, "angle of joint 'A' is said to be 0.3 rad at the start, but drive 'motor' gives 0 rad"),
    ({"A": {"angle_rate": 3}}, "drive 'motor' and the angle_rate of 'A'"),
    ({"crank": {"angular_velocity": (0, 0, 9)}}, "drive 'motor' and the angular_velocity of 'crank'"),
    ({"slider": {"velocity": (0, 1, 0)}}, "the velocity of 'slider' cannot be"),
])
def test_statements_in_conflict_with_a_drive_are_named(changes, message):
    m = slider_crank()
    for item, fields in changes.items():
        for field, value in fields.items():
            setattr(m[item], field, value)
    with pytest.raises(pl.ModelError, match=message):
        m.assemble()


def test_stated_velocities_of_bodies_are_those_in_the_start_pose():
    """Of the origin, with the centre of mass elsewhere, after the body was turned to its start value."""
    m = pl.Model("turned")
    body = m.add(pl.RigidBody("b", 2.0, (0.1, 0.2, 0.3), com=(0.3, 0.1, -0.2), position=(1, 2, 3), rotation=TURN, velocity=(0, 0, 0),
                              angular_velocity=tuple(2 * AXIS)))
    m.add(pl.Revolute("J", m.ground.frame((1, 2, 3), rotation=TURN), body, axis=AXIS, angle=0.7))
    sol = m.assemble().solution
    assert sol["J.angle_rate"][0] == pytest.approx(2.0, abs=1e-9)
    np.testing.assert_allclose(sol["b.velocity"][0], 0, atol=1e-9)


def test_stated_velocities_in_conflict_name_each_other():
    m = four_bar()
    m["D"].angle_rate = 3.0
    with pytest.raises(pl.ModelError, match="velocity of 'left' and the angle_rate of 'D' cannot all hold"):
        m.simulate(0.1, step=1e-3)
    m["D"].angle_rate = -1.0
    assert m.assemble().ok
    m["left"].velocity = m["left"].angular_velocity = None
    m["A"].angle_rate, m["D"].angle_rate = -2.0, None
    assert m.assemble().solution["left.end.velocity"][0] == pytest.approx([2, 0, 0], abs=1e-10)


def test_a_large_model_is_assembled_too():
    """Beyond full matrices: a chain of 60 with every body stated a little off, and a start value."""
    from pliant.proofs.benchmark_models import chain
    m, rng = chain(60), np.random.default_rng(0)
    for body in m.section("bodies"):
        body.position = np.array(body.position) + 1e-4 * rng.normal(size=3)
        body.velocity = body.angular_velocity = None
    m["joint_9"].angle, m["joint_5"].angle_rate = 0.4, 1.0
    found = m.assemble()
    assert found.solution["joint_9.angle"][0] == pytest.approx(0.4, abs=1e-10)
    assert found.solution["joint_5.angle_rate"][0] == pytest.approx(1.0, abs=1e-10)
    assert max(max(gap) for gap in found.after.values()) < 1e-9
    assert abs(found.solution["joint_30.angle"][0]) < 1e-3


def test_a_flat_pose_is_reached():
    """In a singular position equations are closed slowly: what is left of them is no reason to refuse the start."""
    m = four_bar_of_equal_sides()
    m["A"].angle = -np.pi / 2
    start = m.assemble()
    assert max(gap.mm for gap in start.after.values()) < 1e-4
    assert start.solution["A.angle"][0] == pytest.approx(-np.pi / 2, abs=1e-5)  # of which equations see the square


def four_bar_of_equal_sides():
    m = pl.Model("parallelogram", gravity=(0, -9.81, 0))
    left = m.add(pl.RigidBody.rod("left", start=(0, 0, 0), end=(0, 1, 0), mass=1.0))
    top = m.add(pl.RigidBody.rod("top", start=(0, 1, 0), end=(1.5, 1, 0), mass=1.0))
    right = m.add(pl.RigidBody.rod("right", start=(1.5, 0, 0), end=(1.5, 1, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, left["start"]))
    m.add(pl.Revolute("B", left["end"], top["start"]))
    m.add(pl.Revolute("C", top["end"], right["end"]))
    m.add(pl.Revolute("D", m.ground.frame((1.5, 0, 0)), right["start"]))
    return m
