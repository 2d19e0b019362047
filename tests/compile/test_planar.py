"""Models that move in planes by declaration: what the joints do not hold there is held, and nothing else changes."""
import jsonschema
import numpy as np
import pytest
import sick_bodies  # noqa: F401 - fills SICK
from cases import SICK, four_bar, rod, slider_crank
from transform import transformed

import pliant as pl
from pliant.items.errors import TextError
from pliant.start.assembly import start_row
from pliant.text.model_text import from_text, to_text
from pliant.text.schema import schema

G = 9.81


def turn():
    Q, R = np.linalg.qr(np.random.default_rng(11).standard_normal((3, 3)))
    Q *= np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


def double_pendulum(kind, planar=None) -> pl.Model:
    m = pl.Model("double pendulum", gravity=(0, -G, 0), planar=planar)
    rod(m, "first", (0, 0, 0), (0.8, 0.1, 0))
    rod(m, "second", (0.8, 0.1, 0), (1.2, 0.7, 0), 2.0)
    m.add(kind("A", m.ground, "first.start"))
    m.add(kind("B", "first.end", "second.start"))
    return m


def test_ball_joints_in_a_plane_are_pins():
    pins, balls = double_pendulum(pl.Revolute).simulate(1.0, step=1e-3), double_pendulum(pl.Spherical, True).simulate(1.0, step=1e-3)
    np.testing.assert_allclose(balls["second.end.position"], pins["second.end.position"], atol=1e-8)
    np.testing.assert_allclose(balls["A.force"], pins["A.force"], atol=1e-5)


@pytest.mark.parametrize("R", [np.eye(3), turn()], ids=["z", "oblique"])
def test_a_push_across_does_not_lead_out_of_the_plane(R):
    """In space the ball joints would give way at once; in the plane a push across changes nothing."""
    def end(m, push):
        if push:
            m.add(pl.Force("push", "second", (0.0, 0.0, 5.0)))
        return transformed(m, R).simulate(0.5, step=1e-3)["second.end.position"]
    still = end(double_pendulum(pl.Spherical, True), False)
    pushed = end(double_pendulum(pl.Spherical, True), True)
    np.testing.assert_allclose(pushed, still, atol=1e-8)
    assert abs(pushed @ R[:, 2]).max() < 1e-9
    assert abs(end(double_pendulum(pl.Spherical), True) @ R[:, 2]).max() > 0.1


def test_a_free_body_flies_in_its_plane():
    """A plate with unequal moments of inertia, pushed and twisted across its plane at x = 0.3: the flight of a projectile."""
    m = pl.Model("plate", gravity=(0, 0, -G), planar="x")
    m.add(pl.RigidBody("plate", 2.0, (0.02, 0.03, 0.04), position=(0.3, 0, 0), rotation=pl.rotation((1, 0, 0), 0.4),
                       velocity=(0, 3, 4), angular_velocity=(5, 0, 0)))
    m.add(pl.Force("push", m["plate"].frame((0, 0.1, 0)), (7, 0, 0)))
    m.add(pl.Torque("twist", "plate", (0, 1, 2)))
    sol = m.simulate(1.0, step=1e-3)
    t = sol.t
    np.testing.assert_allclose(sol["plate.position"], np.column_stack([0.3 + 0 * t, 3 * t, 4 * t - G * t**2 / 2]), atol=1e-6)
    np.testing.assert_allclose(sol["plate.angular_velocity"], np.tile([5.0, 0, 0], (len(t), 1)), atol=1e-8)


@pytest.mark.parametrize(("kinds", "held"), [
    (("Revolute", "Revolute"), []), (("Spherical", "Revolute"), ["first"]), (("Revolute", "Spherical"), ["second"]),
    (("Spherical", "Spherical"), ["first", "second"]), (("Cylindrical", "Revolute"), ["first"]), (("Fixed", "PointOnLine"), ["second"])])
def test_only_bodies_that_the_joints_do_not_hold_are_held(kinds, held):
    for R in (np.eye(3), turn()):
        m = double_pendulum(pl.Revolute, True)
        for joint, kind in zip("AB", kinds, strict=True):
            old = m.items.pop(joint)
            m.add(getattr(pl, kind)(joint, old.a, old.b))
        d = transformed(m, R).compile().directory
        assert list(d.holds) == held
        assert [d.holds[b].equations.name for b in held] == [f"plane of {b}" for b in held]


def test_slides_in_the_plane_hold_and_slides_across_do_not():
    for axis, held in (("x", []), ((0.6, 0.8, 0), []), ("z", ["box"]), ((0, 0.1, 1), ["box"])):
        m = pl.Model("slide", planar=True)
        m.add(pl.RigidBody.box("box", (1, 1, 1), mass=1.0))
        m.add(pl.Prismatic("P", m.ground, "box", axis=axis))
        assert list(m.compile().directory.holds) == held


@pytest.mark.parametrize("build", [
    lambda: double_pendulum(pl.Spherical, True), lambda: four_bar(planar=True), lambda: slider_crank(planar=True),
    lambda: double_pendulum(pl.Cylindrical, True)], ids=["balls", "four-bar", "slider crank", "sleeves"])
def test_freedom_in_the_plane_is_freedom_in_space_with_the_holds(build):
    m = transformed(build(), turn())
    d = m.compile()
    rows = [row for row in d.system.active if row >= d.system.n_v]
    start_row(d)
    d._matrix()
    C = d.system.dense(d.tiles)[np.ix_(rows, range(d.system.n_v))]
    report = m.check()
    assert report.redundant == 0
    assert report.degrees_of_freedom == d.system.n_v - np.linalg.matrix_rank(C, tol=1e-9)


def test_holds_are_not_seen(tmp_path):
    m = double_pendulum(pl.Spherical, True)
    sol = m.simulate(0.2, step=1e-3)
    assert not [c for c in sol.channels if "plane" in c]
    weight = sum(m[b].mass for b in ("first", "second")) * G
    momentum = sum(m[b].mass * sol[f"{b}.acceleration"] for b in ("first", "second"))
    np.testing.assert_allclose(sol["A.force"] + (0, -weight, 0), momentum, atol=1e-8)  # balance of the whole
    sol.save(tmp_path / "run.h5")
    back = pl.load(tmp_path / "run.h5")
    assert back.model.planar == "z"
    np.testing.assert_array_equal(back["B.force"], sol["B.force"])
    again, on = (run.resume(0.1, progress=False)["second.position"] for run in (back, sol))
    np.testing.assert_allclose(again, on, atol=1e-12)


@pytest.mark.parametrize(("given", "kept", "written"), [
    (True, "z", "planar: z"), ("x", "x", "planar: x"), (False, None, None), (None, None, None),
    ((0, 3, 4), (0, 0.6, 0.8), "planar: [0, 0.6, 0.8]")])
def test_the_declaration_is_kept(given, kept, written, tmp_path):
    m = four_bar(planar=given)
    assert m.planar == kept == m.copy().planar
    text = to_text(m)
    assert [line for line in text.splitlines() if line.startswith("planar")] == ([written] if written else [])
    m.save(tmp_path / "m.yaml")
    assert pl.read(tmp_path / "m.yaml").planar == kept


@pytest.mark.parametrize(("text", "kept"), [("true", "z"), ("false", None), ("null", None), ("y", "y"), ("-z", "-z"),
                                            ("[0, 0, 2]", (0, 0, 1))])
def test_the_declaration_in_text(text, kept):
    data = f"pliant: 1\nplanar: {text}\nbodies: {{b: {{sphere: {{radius: 0.1}}, mass: 1}}}}\n"
    assert from_text(data).planar == kept
    value = {"true": True, "false": False, "null": None, "[0, 0, 2]": [0, 0, 2]}.get(text, text)
    jsonschema.validate({"pliant": 1, "planar": value}, schema())


@pytest.mark.parametrize("wrong", ["q", "3", "[0, 0, 0]", "[1, 2]", "{x: 1}"])
def test_a_wrong_declaration_is_located(wrong):
    rule = r"must be true \(the normal of the planes is z\), one of x, y, z, or three numbers"
    with pytest.raises(TextError, match=f"^model:2: planar: .* {rule}$"):
        from_text(f"pliant: 1\nplanar: {wrong}\n")
    with pytest.raises(ValueError, match=r"model 'm': planar 'q' must be"):
        pl.Model("m", planar="q")


@pytest.mark.parametrize("case", [c for c in SICK if c.name.startswith("plane_model_with")], ids=lambda c: c.name)
@pytest.mark.parametrize("R", [np.eye(3), turn()], ids=["z", "oblique"])
def test_what_contradicts_the_declaration_does_not_run(case, R):
    """In the sentences of the check; what the planes carry (loads, gravity) does not stand in the way."""
    m = transformed(case.build(), R)
    wrong = m.check().select("error")
    for begin in (m.assemble, lambda: m.simulate(0.01, step=1e-3)):
        with pytest.raises(pl.ModelError) as caught:
            begin()
        assert str(caught.value).splitlines() == [f"{f.message} {f.remedy}" for f in wrong if f.code == "out-of-plane"]
    assert wrong


def test_loads_across_the_planes_are_carried():
    m = four_bar(planar=True)
    m.gravity = (0, -9, -3)
    m.add(pl.Force("push", "coupler", (1, 2, 3)))
    assert m.check().ok and m.simulate(0.01, step=1e-3).complete
