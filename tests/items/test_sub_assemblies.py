"""Models put into models: names, places, parameters; turned, moved and mirrored copies move as the original does."""
import numpy as np
import pytest
from outsider.slot_joint import PinInSlot

import pliant as pl
from pliant.items.base import Frame, matrix_of
from pliant.text.model_text import from_text, to_text

TURN = pl.rotation((0.3, -0.5, 0.8), "50 deg")
SHIFT = (0.7, -1.1, 0.4)


def leg() -> pl.Model:
    """In space, off all axes: makers and given inertias, named frames, all kinds of forces, feedback by channels; no gravity."""
    m = pl.Model("leg")
    m.parameter("L", "0.4 m")
    m.parameter("F0", "3 N")
    m.table("soft", pl.Table([-4, 0, 4], [-1, 0.2, 1]))
    m.ground.frames = {"hook": {"point": (0.5, 0.1, 1.2), "rotation": pl.rotation((1, 2, 3), 0.4)}}
    thigh = m.add(pl.RigidBody.rod("thigh", start=(0.1, 0.2, 1), end=("=0.1 m + L", 0.3, 0.6), mass="2 kg", radius=0.03,
                                   frames={"side": {"point": (0.05, 0.02, 0.1), "rotation": pl.rotation((3, 1, 2), 0.7)}}))
    inertia = ((0.03, 0.001, 0.002), (0.001, 0.04, 0.003), (0.002, 0.003, 0.05))
    foot = m.add(pl.RigidBody("foot", 1.5, inertia, (0.02, -0.03, 0.01), position=("=0.1 m + L", 0.3, 0.6),
                              rotation=pl.rotation((0.2, 1, -0.4), 0.6), angular_velocity=(0.3, -0.2, 0.4)))
    m.add(pl.RigidBody.cylinder("wheel", radius=0.1, length=0.05, axis=(0.1, 1, 0.2), mass=0.7, position=(1.0, 0.5, 0.3),
                                velocity=(0.2, -0.1, 0.3), angular_velocity=(1.0, 5.0, 2.0)))
    m.add(pl.Revolute("hip", m.ground.frame((0.1, 0.2, 1)), thigh["start"], axis=(0.2, 1, -0.3), angle_rate=0.8))
    m.add(pl.Spherical("knee", thigh["end"], foot))
    m.add(pl.SpringDamper("s", "ground.hook", foot.frame((0.1, 0.05, -0.02)), stiffness=60, damping="1.5*v + 0*x"))
    m.add(pl.TorsionSpring("ts", "hip", stiffness=5.0, damping=0.2, angle=0.3))
    m.add(pl.Measure("gap", "ground", foot))
    m.add(pl.Variable("lean", "2*thigh.side.position.y + soft(hip.angle) - ground.hook.position.z"))
    m.add(pl.Force("push", foot, ("F0*sin(5*t)", "=F0/2", "-2*foot.velocity.x + gap.distance + lean")))
    m.add(pl.Torque("twist", "wheel", (0.05, "0.1*cos(3*t)*wheel.position.y", "-0.02")))
    m.add(pl.Torque("own", foot, ("0.2*sin(4*t)", 0.1, 0.05), axes="frame"))
    m.add(pl.Force("pull", thigh["side"], (0.3, "0.2*t", -0.1), axes="frame"))
    K = np.diag([40.0, 50.0, 60.0, 2.0, 3.0, 4.0])
    K[0, 1] = K[1, 0] = 5.0
    K[2, 4] = K[4, 2] = 1.0
    K[3, 5] = K[5, 3] = 0.3
    m.add(pl.Bushing("mount", "thigh.side", "wheel", stiffness=K, damping=0.05 * K))
    m.styles["foot"] = pl.Style(color="red")
    return m


def compare(whole, own, name, body, p, R, mirror=""):
    n = np.eye(3)[:, "xyz".index(mirror)] if mirror else np.zeros(3)
    M = np.eye(3) - 2 * np.outer(n, n)
    size = abs(own[f"{body}.position"]).max() + 1
    np.testing.assert_allclose(whole[f"{name}.{body}.position"], p + own[f"{body}.position"] @ (R @ M).T, atol=1e-10 * size)
    np.testing.assert_allclose(whole[f"{name}.{body}.velocity"], own[f"{body}.velocity"] @ (R @ M).T,
                               atol=1e-10 * (1 + abs(own[f"{body}.velocity"]).max()))
    due = np.array([R @ M @ matrix_of(q) @ M for q in own[f"{body}.rotation"]])
    found = np.array([matrix_of(q) for q in whole[f"{name}.{body}.rotation"]])
    np.testing.assert_allclose(found, due, atol=1e-10)


@pytest.mark.parametrize("mirror", ["", "x", "y", "z"])
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_copies_move_as_the_original(mirror, coordinates):
    """Turned by 50 degrees about an axis in space, moved, mirrored."""
    options = {"accuracy": 1e-12, "coordinates": coordinates, "output_step": 0.02}
    own = leg().simulate(0.3, **options)
    m = pl.Model("robot")
    m.add(leg(), name="left", position=SHIFT, rotation=TURN, mirror=mirror)
    whole = m.simulate(0.3, **options)
    for body in ("thigh", "foot", "wheel"):
        compare(whole, own, "left", body, np.array(SHIFT), matrix_of(TURN), mirror)
    for scalar in ("hip.angle", "hip.angle_rate", "s.length", "s.force", "ts.torque", "gap.distance", "lean"):
        np.testing.assert_allclose(whole[f"left.{scalar}"], own[scalar], atol=1e-10 * (1 + abs(own[scalar]).max()), err_msg=scalar)


def test_as_it_is_to_the_bit():
    """Neither moved nor turned; and the parameters of two copies are apart."""
    m = pl.Model("robot")
    left = m.add(leg(), name="left")
    np.testing.assert_array_equal(m.simulate(0.1).rows, leg().simulate(0.1).rows)
    assert left["knee"] is m["left.knee"] and left["thigh"].name == "left.thigh" and len(list(left)) == 14
    m.add(leg(), name="right", position=(0, 2, 0), mirror="y", parameters={"L": "0.5 m"})
    assert m.values["left.L"] == 0.4 and m.values["right.L"] == 0.5
    assert m["right.thigh"].end == pytest.approx((0.6, 1.7, 0.6))
    other = m.with_({"left.L": 0.3, "left.thigh.mass": "4 kg"})
    due = pl.Model("robot")
    due.add(leg().with_({"L": 0.3, "thigh.mass": 4.0}), name="left")
    due.add(leg().with_(L=0.5), name="right", position=(0, 2, 0), mirror="y")
    np.testing.assert_array_equal(other.simulate(0.05).rows, due.simulate(0.05).rows)
    assert m.styles["left.foot"].color == "#c1121f"


@pytest.mark.parametrize("mirror", ["", "y"])
def test_text_and_parameters_of_turned_copies(mirror):
    m = pl.Model("robot")
    m.parameter("d", "0.7 m")
    m.add(leg(), name="left", position=("=d", -1.1, 0.4), rotation=TURN, mirror=mirror)
    again = from_text(to_text(m))
    assert to_text(again) == to_text(m)
    np.testing.assert_array_equal(again.simulate(0.05).rows, m.simulate(0.05).rows)
    due = pl.Model("robot")
    due.parameter("d", "0.7 m")
    due.add(leg().with_(L=0.6, F0=5.0), name="left", position=(0.2, -1.1, 0.4), rotation=TURN, mirror=mirror)
    changed = again.with_({"left.L": 0.6, "left.F0": 5.0, "d": 0.2})
    for name, item in due.items.items():
        for field in type(item).model_fields:
            a, b = getattr(item, field), getattr(changed[name], field)
            if isinstance(a, Frame) and a.point is not None:
                a, b = a.point, b.point
            if isinstance(a, tuple) and all(isinstance(x, float) for x in a):
                assert b == pytest.approx(a, abs=1e-12), (name, field)


def test_sub_assemblies_within_each_other():
    pair = pl.Model("pair")
    pair.add(leg(), name="left")
    pair.add(leg(), name="right", mirror="y", position=(0, 0.1, 0))
    m = pl.Model("walker")
    m.add(pair, name="front", position=SHIFT, rotation=TURN)
    m.add(pl.SpringDamper("tie", "front.left.foot", m["front.right.foot"], stiffness=10.0))
    m.add(pl.Force("f", "front.left.thigh.side", ("front.left.hip.angle*front.right.F0", 0, 0)))
    assert m["tie"].b.body == "front.right.foot"
    assert to_text(from_text(to_text(m))) == to_text(m)
    sol = m.simulate(0.05)
    assert sol["front.left.foot.position"].shape[1] == 3 and sol["tie.length"][0] > 0
    body = sol["front.left.thigh.angular_velocity"]
    np.testing.assert_allclose(sol["front.left.thigh.side.angular_velocity"], body, atol=1e-12)


def test_joints_of_all_kinds_mirrored():
    """Each alone on a body in flight against the ground: coordinates keep their sign, or are told to have the other."""
    kinds = [(pl.Revolute, {}), (pl.Prismatic, {}), (pl.Cylindrical, {}), (pl.Planar, {}), (pl.Universal, {"axis_b": (0.8, 0, -0.3)}),
             (pl.Fixed, {}), (pl.Screw, {"lead": 0.1}), (pl.PointOnLine, {}), (pl.PointOnPlane, {}),
             (pl.Joint, {"primitives": [("d2", "x"), ("d2", "y"), ("d1", "x", "z"), ("d1", "y", "z")]})]
    for kind, more in kinds:
        part = pl.Model("part")
        body = part.add(pl.RigidBody("b", 2.0, ((0.3, 0.01, 0.02), (0.01, 0.4, 0.03), (0.02, 0.03, 0.5)), (0.1, -0.2, 0.15),
                                     position=(0.3, 0.4, -0.2), rotation=pl.rotation((1, -2, 0.5), 0.8)))
        place = part.ground.frame((0.3, 0.4, -0.2), pl.rotation((0.2, 0.3, 1), 0.5))
        joint = part.add(kind("J", place, body, axis=(0.3, -0.5, 0.8), **more))
        part.add(pl.Force("f", body.frame((0.2, 0.1, 0.05)), ("3*sin(4*t)", 2.0, "-1 + b.velocity.y")))
        part.add(pl.Torque("tq", body, (0.3, "0.5*cos(2*t)", 0.2)))
        options = {"accuracy": 1e-12, "output_step": 0.05}
        own = part.simulate(0.4, **options)
        m = pl.Model("m")
        m.add(part, name="r", position=SHIFT, rotation=TURN, mirror="x")
        whole = m.simulate(0.4, **options)
        compare(whole, own, "r", "b", np.array(SHIFT), matrix_of(TURN), "x")
        for coordinate in joint.coordinates:
            sign = -1 if coordinate in joint.flipped() else 1
            np.testing.assert_allclose(whole[f"r.J.{coordinate}"], sign * own[f"J.{coordinate}"], atol=1e-9, err_msg=kind.__name__)
    assert pl.Screw("S", "ground", "b", lead=0.1).flipped() == ("displacement",)


def part_with(*items, bodies=("b",)) -> pl.Model:
    part = pl.Model("part")
    for name in bodies:
        part.add(pl.RigidBody(name, 1.0, (1, 1, 1), position=(1, 0, 0)))
    for item in items:
        part.add(item)
    return part


@pytest.mark.parametrize(("items", "placing", "message"), [
    ([pl.Cylindrical("C", "ground", "b"), pl.Drive("C", "angle", "t")], {"mirror": "x"},
     "drive 'C_drive' of 'part' acts on the angle of joint"),
    ([pl.Cylindrical("C", "ground", "b"), pl.TorsionSpring("s", "C", 1.0)], {"mirror": "x"}, "torsion_spring 's'.*opposite sign"),
    ([pl.Force("f", "b", (lambda t: t, 0, 0))], {"rotation": TURN}, "force 'f' of 'part': vector: a Python function cannot be turned"),
    ([pl.Force("f", "b", (pl.Table([0, 1], [0, 1]), "t", 0))], {"rotation": TURN}, "a Table cannot be turned.*name the table"),
    ([], {"name": "x y"}, "name: name 'x y' must be a word"), ([], {"name": "b"}, "the name 'b' is taken"),
    ([], {"name": "a.b"}, "must be a word"), ([], {"mirror": "w"}, "mirror: 'w' must be x, y or z"),
    ([], {"position": (0, 0)}, "position.*three numbers"), ([], {"position": ("1 kg", 0, 0)}, "position"),
    ([], {"rotation": 30}, "rotation.*must be"), ([], {"rotation": {"axis": "z", "angle": "=a"}}, "rotation: must be of numbers"),
    ([], {"parameters": 3}, "parameters: 3 must be a mapping"), ([], {"position": None}, "position"), ([], {"mirror": 2}, "mirror"),
    ([], {"parameters": {"K": 1}}, "has no parameter 'K'"), ([], {"name": "ground"}, "reserved")])
def test_what_is_refused_leaves_the_model_as_it_was(items, placing, message):
    m = pl.Model("m")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    before = to_text(m)
    with pytest.raises(ValueError, match=message):
        m.add(part_with(*items), **{"name": "p", **placing})
    assert to_text(m) == before


def test_names_that_clash():
    m = pl.Model("m")
    m.add(part_with(), name="left")
    with pytest.raises(ValueError, match=r"'left' is that of a sub-assembly, which has 'left.b'; choose another"):
        m.add(pl.RigidBody("left", 1.0, (1, 1, 1), frames={"b": (0, 0, 0)}))
    with pytest.raises(ValueError, match=r"taken, by 'left.b'"):
        m.add(part_with(), name="left")
    with pytest.raises(ValueError, match=r"'left.b' is there itself"):
        m.add(pl.RigidBody("left.b.c", 1.0, (1, 1, 1)))
    with pytest.raises(ValueError, match="sub-assembly"):
        m.parameter("left", 3.0)
    with pytest.raises(TypeError, match="with a name"):
        m.add(part_with())
    with pytest.raises(TypeError, match="not added with 'postion'; did you mean 'position'"):
        m.add(part_with(), name="x", postion=(0, 0, 1))
    with pytest.raises(TypeError, match="not for an item"):
        m.add(pl.RigidBody("c", 1.0), name="x")


def test_gravity_and_planes():
    part = part_with()
    part.gravity = (0, 0, -1.6)
    m = pl.Model("m", gravity=(0, 0, -9.81))
    with pytest.warns(UserWarning, match="gravity is that of model 'm'"):
        m.add(part, name="a")
    part.gravity, part.planar = (0, 0, 0), "z"
    with pytest.raises(pl.ModelError, match="is planar"):
        m.add(part, name="b")
    m.planar = "x"
    m.add(part, name="b", rotation=pl.rotation("y", "90 deg"))


def test_bodies_that_their_joints_place():
    """A chain without positions, turned: where the joints of the part put it."""
    part = pl.Model("part")
    for k in range(2):
        part.add(pl.RigidBody(f"b{k}", 1.0, (1, 2, 3), frames={"start": (-0.5, 0, 0), "end": (0.5, 0, 0)}))
    part.add(pl.Revolute("A", part.ground.frame((1, 2, 3)), "b0.start", axis="y"))
    part.add(pl.Revolute("B", "b0.end", "b1.start", axis="z"))
    part.add(pl.Force("f", "b1.end", (1, 2, 3)))
    own = part.simulate(0.2, accuracy=1e-12)
    for rotation, mirror in ((TURN, ""), (TURN, "z"), ((1, 0, 0, 0), "")):
        m = pl.Model("m")
        m.add(part, name="p", position=SHIFT, rotation=rotation, mirror=mirror)
        compare(m.simulate(0.2, accuracy=1e-12), own, "p", "b1", np.array(SHIFT), matrix_of(rotation), mirror)


def test_flexible_bodies_are_moved_and_have_no_mirror_image():
    from pliant.items.modal import ModalBody
    part = pl.Model("part")
    part.add(ModalBody.example("ground", "ground")[0])
    part.add(pl.Revolute("J", "ground", "flexible.start", axis="y"))
    part.add(pl.Force("F", "flexible.end", (0, 0, "100*sin(20*t)")))
    own = part.simulate(0.05, accuracy=1e-10, output_step=0.01)
    m = pl.Model("m")
    m.add(part, name="p", position=SHIFT, rotation=TURN)
    whole = m.simulate(0.05, accuracy=1e-10, output_step=0.01)
    for frame in ("flexible", "flexible.end"):
        np.testing.assert_allclose(whole[f"p.{frame}.position"], SHIFT + own[f"{frame}.position"] @ matrix_of(TURN).T, atol=1e-12)
        np.testing.assert_allclose(whole[f"p.{frame}.angular_velocity"], own[f"{frame}.angular_velocity"], atol=1e-10)
    np.testing.assert_allclose(whole["p.flexible.modal"], own["flexible.modal"], atol=1e-12)
    with pytest.raises(pl.ModelError, match="modal 'flexible' of 'part' has no mirror image"):
        m.add(part, name="q", mirror="x")


def test_files_pictures_and_pages(tmp_path):
    m = pl.Model("robot")
    m.add(leg(), name="left", rotation=TURN, mirror="y")
    m.styles["left.thigh.end"] = pl.Style(trace=True)
    sol = m.simulate(0.05, out=tmp_path / "run.h5")
    loaded = pl.load(tmp_path / "run.h5")
    assert to_text(loaded.model) == to_text(m)
    np.testing.assert_array_equal(loaded.resume(0.05).rows, sol.resume(0.05).rows)
    np.testing.assert_array_equal(loaded["left.thigh.side.angular_velocity"], sol["left.thigh.side.angular_velocity"])
    sol.plot("left.hip.angle", "left.hip.angle_rate", path=tmp_path / "a.png")
    sol.snapshot(tmp_path / "b.png", names=True)
    sol.to_html(tmp_path / "c.html")
    assert m["left"]["knee"] is m["left.knee"] and "left.thigh" in m.summary() and m.check().findings is not None


def test_couplings_and_ground_frames_mirrored():
    """A rack, a pinion and a second gear, driven; a joint at a named frame of the ground with another point."""
    part = pl.Model("part")
    part.ground.frames = {"hook": {"point": (1, 2, 3), "rotation": pl.rotation("x", 0.5)}}
    for name, x, y in (("g", 1, 2), ("rack", 1, 2.5), ("g2", 1.5, 2)):
        part.add(pl.RigidBody(name, 1.0, (0.1, 0.2, 0.3), position=(x, y, 3)))
    part.add(pl.Revolute("R", "ground.hook", "g", axis=(0.2, 0.3, 1)))
    part.add(pl.Prismatic("P", part.ground.frame((1, 2.5, 3)), "rack", axis=(1, 0.2, 0.1)))
    part.add(pl.Revolute("R2", Frame(body="ground", frame="hook", point=(1.5, 2, 3)), "g2", axis=(0.2, 0.3, 1)))
    part.add(pl.RackPinion("rp", "P", "R", radius=0.2))
    part.add(pl.Gear("gear", "R", "R2", ratio=-2))
    part.add(pl.AxialSpring("spring", "P", 30.0, 1.0, 0.1))
    part.add(pl.Drive("R", "angle", "0.5*t^2 + 0.3*sin(3*t)", name="d"))
    options = {"accuracy": 1e-11, "output_step": 0.05}
    own, m = part.simulate(0.5, **options), pl.Model("m")
    m.add(part, name="q", position=SHIFT, rotation=TURN, mirror="y")
    whole = m.simulate(0.5, **options)
    for body in ("g", "rack", "g2"):
        compare(whole, own, "q", body, np.array(SHIFT), matrix_of(TURN), "y")
    for effort in ("d.effort", "gear.effort", "rp.effort", "spring.force"):
        np.testing.assert_allclose(whole[f"q.{effort}"], own[effort], atol=1e-10 * (1 + abs(own[effort]).max()), err_msg=effort)


def test_a_model_put_into_itself_and_kinds_from_outside():
    m = leg()
    m.add(m, name="again", position=(0, 3, 0))
    assert len(m.items) == 28 and m["again.thigh"].start == pytest.approx((0.1, 3.2, 1))
    part = part_with(PinInSlot("J", "ground", "b", axis="x"))
    m.add(part, name="turned", rotation=TURN)
    with pytest.raises(pl.ModelError, match="pin_in_slot 'J' of 'part' has no mirror image"):
        m.add(part, name="mirrored", mirror="x")
