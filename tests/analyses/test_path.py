"""Paths of equilibria against shooting and closed forms: limit points, branch points, loads by name, what cannot be followed."""
import json
from pathlib import Path

import no_jit
import numpy as np
import pytest
from beam_chains import left_tangent
from scipy.optimize import brentq

import pliant as pl
from pliant.cli import execute

SUPPORT = Path(__file__).parents[1] / "support"
SOFT = pl.Material(1.0, 0.0, 1e-3)
STRAIGHT = np.eye(3)
R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


@pytest.fixture(scope="module")
def frame():
    return no_jit.load("lees_frame").model().path("load", until=2.0, stride=0.05, progress=False)


def distances(points, line):
    """Of points (n, k) to a polyline."""
    a, along = line[:-1], np.diff(line, axis=0)
    share = np.clip(((points[:, None] - a) * along).sum(2) / (along**2).sum(1), 0, 1)
    return np.linalg.norm(points[:, None] - a - share[:, :, None] * along, axis=2).min(1)


def test_limit_loads_of_lees_frame(frame):
    np.testing.assert_allclose(1e4 * np.array(frame.limits), (18556.7275, -9414.4316), rtol=1e-3)
    assert [c.kind for c in frame.critical] == ["limit point"] * 2
    assert frame.stable[0] and frame.stable[-1] and not frame.stable[frame.critical[0].index + 1]
    assert frame.ended == f"the factor is {frame.factors[-1]:.6g}" and frame.factors[-1] >= 2.0


def test_lees_frame_is_followed_through_turns_of_load_and_displacement(frame):
    P, down, right = np.loadtxt(SUPPORT / "lee_frame.csv", delimiter=",", skiprows=1).T
    reference = np.column_stack([P / 2e4, down / 120, right / 120])
    place = frame["beam.node_2.position"]
    found = np.column_stack([frame.factors / 2, (120 - place[:, 1]) / 120, (place[:, 0] - 24) / 120])
    within = found[:, 1] <= reference[:, 1].max()
    assert within.sum() > 60 and distances(found[within], np.vstack([[0, 0, 0], reference])).max() < 2e-3
    assert distances(reference, found).max() < 5e-3  # and nothing is left out
    rises = np.diff(found[:, 1]) > 0
    assert (np.diff(rises.astype(int)) != 0).sum() >= 2
    assert 120 * found[:, 1][: np.argmin(rises[30:]) + 35].max() == pytest.approx(61.003, abs=0.2)


def test_joints_carry_the_load_at_all_places(frame):
    feet = frame["foot.force"] + frame["wall.force"]
    np.testing.assert_allclose(feet, -frame["load.force"], atol=1e-3)
    np.testing.assert_allclose(frame["load.force"][:, 1], -1e4 * frame.factors, rtol=1e-12)


def test_deep_arch():
    found = no_jit.load("deep_arch").model().path("load", points=20, progress=False)
    assert found.limits[0] * 1000 == pytest.approx(897.2949, rel=1e-3)
    P, down, right = np.loadtxt(SUPPORT / "deep_arch.csv", delimiter=",", skiprows=1).T
    crown = found["arch.node_12.position"]
    line = np.vstack([[0, 0, 0], np.column_stack([P / 1000, down / 100, right / 100])])
    at = np.column_stack([found.factors, (100 - crown[:, 1]) / 100, crown[:, 0] / 100])[: found.critical[0].index]
    assert distances(at, line).max() < 3e-3


def column(load, elements=8):
    m = pl.Model("column", planar="y")
    m.add(pl.Beam("rod", (0, 0, 0), (1, 0, 0), pl.Section.general(1e6, 1.0, 1.0, 2.0), SOFT, elements=elements, shear=False))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    m.add(pl.Force("push", "rod.end", load))
    return m


def test_the_column_of_euler_branches():
    """pi^2/4 EI / L^2: the path goes on straight."""
    found = column((-10.0, 0, 0)).path(progress=False)
    assert [c.kind for c in found.critical] == ["branch point"]
    assert 10 * found.critical[0].factor == pytest.approx(np.pi**2 / 4, rel=1e-4)
    assert found["rod.end.position"][-1, 0] == pytest.approx(1.0, abs=2e-5)
    leaning = column((-10.0, 0, 0.01)).path(progress=False)
    assert not leaning.critical and all(leaning.stable) and leaning["rod.end.position"][-1, 0] < 0


def test_lateral_buckling():
    """4.0126 sqrt(EI GJ) / L^2 (Prandtl 1899)"""
    m = pl.Model("strip")
    m.add(pl.Beam("rod", (0, 0, 0), (1, 0, 0), pl.Section.general(1e6, 1e3, 1.0, 2.0), SOFT, elements=8, shear=False))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    m.add(pl.Force("push", "rod.end", (0, 0, 6.0)))
    found = m.path(progress=False)
    assert found.critical[0].kind == "branch point" and 6 * found.critical[0].factor == pytest.approx(4.0126, rel=2e-3)


def truss(turn=STRAIGHT, rise=0.3, weight=0.0):
    """Two springs of length l0 to a mass in a guide: P = 2 k (l0 / l - 1) y at the height y."""
    m = pl.Model("truss", gravity=-weight * turn[:, 1])
    top = m.add(pl.RigidBody.sphere("top", 0.05, mass=1.0, position=turn @ (0, rise, 0)))
    m.add(pl.Prismatic("guide", m.ground, top, axis=turn[:, 1]))
    length = float(np.hypot(1, rise))
    for k, x in enumerate((-1.0, 1.0)):
        m.add(pl.SpringDamper(f"k{k}", m.ground.frame(turn @ (x, 0, 0)), top, stiffness=100.0, damping=0.0, length=length))
    m.add(pl.Force("push", top, -10.0 * turn[:, 1]))
    return m, lambda y: 200.0 * (length / np.hypot(1, y) - 1) * y


@pytest.mark.parametrize(("turn", "weight"), [(STRAIGHT, 0.0), (R, 0.0), (R, 0.4)])
def test_a_truss_of_springs_snaps_through(turn, weight):
    """Closed form; the weight stays, the force grows."""
    m, force = truss(turn, weight=weight)
    found = m.path("push", until=1.0, stride=0.04, progress=False)
    y = found["top.position"] @ turn[:, 1]
    np.testing.assert_allclose(10 * found.factors + weight, force(y), atol=1e-9)
    c = np.hypot(1, 0.3) ** (1 / 3)
    at = np.sqrt(c * c - 1)
    assert 10 * found.limits[0] + weight == pytest.approx(force(at), rel=1e-6)
    assert 10 * found.limits[1] + weight == pytest.approx(force(-at), rel=1e-6)
    np.testing.assert_allclose(y[[c.index for c in found.critical]], (at, -at), atol=1e-4)
    assert y[-1] < -0.3 and found.stable[0] and found.stable[-1]


def test_gravity_and_loads_grow_together_or_by_name():
    m = pl.Model("bar", gravity=(0, -9.81, 0))
    b = m.add(pl.RigidBody.rod("b", (0, 0, 0), (0.5, 0, 0), mass=2.0))
    m.add(pl.Revolute("A", m.ground, b["start"], axis="z"))
    m.add(pl.TorsionSpring("k", "A", stiffness=4.0))
    m.add(pl.Force("push", b["end"], (0, 12.0, 0)))
    for names, still, grows in ((None, 0.0, 12 * 0.5 - 2 * 9.81 * 0.25), ("push", -2 * 9.81 * 0.25, 12 * 0.5)):
        found = m.path(names, progress=False)
        assert found.factors[0] == 0 and found.factors[-1] >= 1
        for factor, angle in zip(found.factors, found["A.angle"], strict=True):
            expected = brentq(lambda a, p=factor, s=still, g=grows: 4 * a - (s + p * g) * np.cos(a), -1.6, 1.6, xtol=1e-15)
            assert angle == pytest.approx(expected, abs=1e-10)


def test_loads_that_turn_with_the_body():
    m = pl.Model("follower")
    m.add(pl.Beam("rod", (0, 0, 0), (1, 0, 0), pl.Section.general(1e6, 1.0, 1.0, 2.0), SOFT, elements=6, shear=False))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    m.add(pl.Force("push", "rod.end", (0, 5.0, 0), axes="frame"))
    found = m.path(progress=False)
    assert set(found.stable[1:]) == {None} and not found.critical
    np.testing.assert_allclose(found["rod.end.position"][-1], m_static(m, found.factors[-1]), atol=1e-8)


def test_a_moment_that_follows_winds_a_helix_to_its_end():
    """Where Newton's method from the straight rod does not go: nodes are exact (EI = GJ)."""
    m = pl.Model("helix")
    m.add(pl.Beam("rod", (0, 0, 0), (1, 0, 0), pl.Section.general(1e6, 1.0, 1.0, 2.0), SOFT, elements=8, shear=False))
    m.add(pl.Fixed("clamp", m.ground, "rod.start"))
    m.add(pl.Torque("turn", "rod.end", (np.pi, 0, 2 * np.pi), axes="frame"))
    found = m.path(progress=False)
    for factor, tip in zip(found.factors, found["rod.end.position"], strict=True):
        np.testing.assert_allclose(tip, left_tangent(factor * np.array([np.pi, 0, 2 * np.pi]))[:, 0], atol=1e-9)


def m_static(m, factor):
    other = m.copy()
    other.items["push"] = pl.Force("push", "rod.end", (0, 5.0 * factor, 0), axes="frame")
    return other.static().position("rod.end")


def test_tables_pictures_and_dictionaries(frame, tmp_path):
    assert "limit point" in str(frame) and "load" in str(frame)
    data = frame.to_dict()
    assert data["critical"][0]["kind"] == "limit point" and len(data["factors"]) == len(frame.rows)
    frame.plot("beam.node_2.position.y", tmp_path / "path.png")
    frame.plot("beam.node_2.position", tmp_path / "all.svg")
    assert (tmp_path / "path.png").stat().st_size > 5000
    sol = frame.motion()
    np.testing.assert_array_equal(sol["beam.node_2.position"], frame["beam.node_2.position"])
    with pytest.raises(KeyError, match="no potential"):
        frame["energy.potential"]
    with pytest.raises(KeyError, match="did you mean"):
        frame["beam.node_2.positon"]


@pytest.mark.parametrize(("options", "message"), [
    ({"loads": "pull"}, "path: loads: there is no force or torque 'pull'"), ({"loads": 3}, "path: loads = 3 must be a list of names"),
    ({"until": -1}, "path: until = -1 must be greater than zero"), ({"stride": 2.0}, "path: stride = 2 must be .* at most 1"),
    ({"points": 1}, "path: points = 1 must be a whole number from 2"), ({"until": "1 m"}, "path: until")])
def test_wrong_options_are_explained(options, message):
    with pytest.raises(pl.ModelError, match=message):
        truss()[0].path(**options)


def test_what_has_no_path_is_told():
    m = pl.Model("wheel")
    b = m.add(pl.RigidBody.cylinder("wheel", 0.2, 0.05, mass=2.0))
    m.add(pl.Revolute("axle", m.ground, b, axis="z"))
    with pytest.raises(pl.ModelError, match="no loads that could grow; add a Force"):
        m.path(progress=False)
    m.add(pl.Torque("motor", b, (0, 0, 1.0)))
    with pytest.raises(pl.ModelError, match="path: "):
        m.path(progress=False)
    still = pl.Model("held")
    b = still.add(pl.RigidBody.rod("b", (0, 0, 0), (0, -1, 0), mass=1.0))
    still.add(pl.Fixed("A", still.ground, b["start"]))
    still.add(pl.Force("push", b["end"], (1.0, 0, 0)))
    with pytest.raises(pl.ModelError, match="path: it cannot be begun: the loads do not move the model"):
        still.path(progress=False)
    m.add(pl.Integral("sum", "axle.angle"))
    with pytest.raises(pl.ModelError, match="path: 'sum' has states"):
        m.path(progress=False)


def test_in_a_text_and_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    m, _ = truss()
    m.analyses["path"] = {"loads": ["push"], "until": 1.0, "stride": 0.04}
    m.save("truss.yaml")
    again = pl.read("truss.yaml")
    assert again.analyses == m.analyses
    np.testing.assert_allclose(again.path(progress=False).factors, m.path(progress=False).factors, atol=1e-12)
    assert execute(["path", "truss.yaml", "--show", "top.position.y", "-o", "truss.png"]) == 0
    assert "limit point" in capsys.readouterr().out and (tmp_path / "truss.png").exists()
    assert execute(["path", "truss.yaml", "--load", "push", "--stride", "0.02", "--show", "top.position.y", "-o", "t.svg", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["critical"][0]["kind"] == "limit point" and len(data["channels"]["top.position.y"]) == len(data["factors"])
    for wrong in (["--load", "pull"], ["-o", "t.png"], ["--show", "top.positon", "-o", "t.png"], ["-o", "t.txt", "--show", "top.position"]):
        assert execute(["path", "truss.yaml", *wrong]) != 0
