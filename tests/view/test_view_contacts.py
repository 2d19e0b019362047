"""What the page is given of contacts, events and structure: arrows against channels, surfaces against shapes, marks against events."""

import json
import shutil

import h5py
import numpy as np
import pytest
from interrupted import Stop

import pliant as pl
from pliant.items.base import matrix_of
from pliant.items.declarations import IMPACTS, VALUES, Told
from pliant.results.events import EventTable, thinned
from pliant.view.describe import Description
from pliant.view.event_marks import MOST, marks
from pliant.view.open_viewer import Watched
from pliant.view.packing import unpack
from pliant.view.page import _drawn, _Thinned
from pliant.view.service import Service
from pliant.view.sources import FileSource, JournalSource, SolutionSource
from pliant.view.touching import faces

S = pl.Surface
SLOPE = np.arctan(0.4)


def slope(law: str = "rigid", **more) -> pl.Model:
    """A box at rest on a slope, in the axes of the slope."""
    m = pl.Model("slope", gravity=(9.81 * np.sin(SLOPE), 0, -9.81 * np.cos(SLOPE)))
    m.add(pl.RigidBody.box("box", size=(0.2, 0.3, 0.1), mass=2, position=(0, 0, 0.05)))
    m.add(pl.Contact("touch", "ground", "box", law=law, friction=0.5, **more))
    return m


def bouncing(**more) -> pl.Model:
    m = pl.Model("ball", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.sphere("ball", radius=0.05, mass=0.5, position=(0, 0, 0.1), velocity=(0.5, 0, 0), **more))
    m.add(pl.Contact("bounce", "ground", "ball", stiffness=1e6, restitution=0.7, friction=0.3))
    return m


@pytest.fixture(scope="module")
def bounced():
    return bouncing().simulate(0.6, accuracy=1e-5, output_step=1e-3)


@pytest.fixture(scope="module")
def slid():
    return slope().simulate(0.1, accuracy=1e-6, output_step=0.01)


def arrow_at(d: Description, item: str, role: str, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Place and force of an arrow as the page makes them of its description."""
    arrow = next(a for f in d.forces if f["name"] == item for a in f["arrows"] if a["role"] == role)
    row %= d.source.count()
    read = d.source.read([*arrow["channels"], *(arrow[k] for k in ("point", "minus") if k in arrow)], slice(row, row + 1))
    if "turn" in arrow:
        numbers = np.zeros(3)
        numbers[arrow["axis"] : arrow["axis"] + len(arrow["channels"])] = [read[c][0] for c in arrow["channels"]]
        return world(d, arrow["at"], row)[0], world(d, arrow["turn"], row)[1] @ numbers
    return read[arrow["point"]][0], read[arrow["channels"][0]][0] - (read[arrow["minus"]][0] if "minus" in arrow else 0)


def world(d: Description, end: dict, row: int) -> tuple[np.ndarray, np.ndarray]:
    point, axes = np.array(end["point"], float), matrix_of(end["rotation"])
    if end["place"] < 0:
        return point + d.origin, axes
    column = d.motion(slice(row, row + 1))[7 * end["place"] : 7 * end["place"] + 7, 0].astype(float)
    return column[:3] + d.origin + matrix_of(column[3:]) @ point, matrix_of(column[3:]) @ axes


# -- arrows
def test_forces_act_where_their_sum_does(slid):
    """The resultant of a box at rest goes through its centre: h/2 tan(slope) downhill of its middle."""
    d = Description(SolutionSource(slid))
    (place, push), (same, rub) = (arrow_at(d, "touch", role, -2) for role in ("normal", "friction"))
    np.testing.assert_allclose(place, (0.05 * np.tan(SLOPE), 0, 0), atol=1e-9)
    np.testing.assert_allclose(push, (0, 0, 2 * 9.81 * np.cos(SLOPE)), atol=1e-9)
    np.testing.assert_allclose(rub, slid["touch.friction_force"][-2], rtol=1e-15)
    np.testing.assert_array_equal(place, same)
    assert slid._observer.contact("touch")[-2, :, 1].max() < push[2] / 2  # it is the sum over several points


def test_arrows_of_a_compliant_contact_are_at_the_ball(bounced):
    """Under the ball, upwards, mu N against the slip; nothing while it flies. In joint coordinates as well, and from a file."""
    d = Description(SolutionSource(bounced))
    touching = np.flatnonzero(bounced["bounce.normal_force"] > 1.0)
    assert 5 < len(touching) < len(bounced.t) / 2
    for row in touching[[0, len(touching) // 2]]:
        place, push = arrow_at(d, "bounce", "normal", row)
        np.testing.assert_allclose(place[:2], bounced["ball.position"][row][:2], atol=1e-6)
        assert abs(place[2]) < 2e-3 and push[2] == pytest.approx(bounced["bounce.normal_force"][row]) and abs(push[:2]).max() < 1e-9
        rub = arrow_at(d, "bounce", "friction", row)[1]
        assert abs(rub[0]) < 0.31 * push[2] and abs(rub[2]) < 1e-12 and (rub[0] < 0 or row > touching[0])  # later it rolls
    assert not arrow_at(d, "bounce", "normal", 5)[1].any()


def test_arrows_in_joint_coordinates_and_from_files(bounced, tmp_path):
    tree = bouncing().simulate(0.2, accuracy=1e-5, output_step=1e-3, coordinates="joint")
    row = int(np.argmax(tree["bounce.normal_force"]))
    place, push = arrow_at(Description(SolutionSource(tree)), "bounce", "normal", row)
    np.testing.assert_allclose(place[:2], tree["ball.position"][row][:2], atol=1e-6)
    assert push[2] == pytest.approx(tree["bounce.normal_force"].max())
    bounced.save(tmp_path / "all.h5")
    bounced.save(tmp_path / "few.h5", record=["ball.*"])  # the rest is computed
    row = int(np.argmax(bounced["bounce.normal_force"]))
    for name in ("all.h5", "few.h5"):
        for role in ("normal", "friction"):
            found, due = (arrow_at(Description(s), "bounce", role, row) for s in (FileSource(tmp_path / name), SolutionSource(bounced)))
            np.testing.assert_allclose(found, due, rtol=1e-12, atol=1e-12)


def test_arrows_of_long_runs_are_of_some_rows(bounced, monkeypatch):
    """Whole rows, where plots get extremes."""
    from pliant.view import service as services

    monkeypatch.setattr(services, "POINTS", 100)
    made = Service(SolutionSource(bounced))
    got = unpack(made.channel("bounce.force", 7))[1]
    np.testing.assert_array_equal(got["values"], bounced["bounce.force"][::7].T)
    np.testing.assert_array_equal(got["t"], bounced.t[::7])
    assert len(unpack(made.channel("bounce.force"))[1]["t"]) < 120
    with pytest.raises(ValueError, match="step = -1, must be at least 1"):
        made.channel("bounce.force", -1)


def test_a_page_holds_what_its_arrows_need(bounced):
    """Also where its channels were chosen, and of a file of an earlier version, without the middle of the forces."""
    source = _Thinned(bounced, 50)
    assert _drawn(Description(source)) == ["bounce.force", "bounce.center", "bounce.friction_force"]
    source.knows = lambda name: name != "bounce.center" and name in bounced.units
    assert "bounce.point" in _drawn(Description(source))
    source.knows = lambda name: not name.startswith("bounce.")
    assert not _drawn(Description(source)) and "arrows" not in Description(source).forces[0]


def test_arrows_of_clearances_and_stops():
    """A rod that hangs in its bearing at rest: its weight; a hand that lies on a stop."""
    m = pl.Model("bearing", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.rod("rod", (0, 0, -2e-3), (0, 0, -0.402), mass=1.0))
    m.add(pl.RevoluteClearance("bearing", "ground", "rod.start", clearance=1e-3, stiffness=1e6, axis="y", length=0.1))
    m.add(pl.RigidBody.rod("hand", (1, 0, 0), (1.5, 0, 0), mass=1.0))
    m.add(pl.Revolute("hinge", "ground", "hand", at=(1, 0, 0), axis="y"))
    m.add(pl.Stop("stop", "hinge", "angle", upper=0.0, stiffness=1e4))
    sol = m.simulate(2e-3, step=1e-4)
    d = Description(SolutionSource(sol))
    arrows = [a for f in d.forces for a in f["arrows"]]
    assert [a["kind"] for a in arrows] == ["force", "force", "torque"]
    for k, arrow in enumerate(arrows[:2]):
        place, axes = world(d, arrow["at"], 0)
        np.testing.assert_allclose(place, (0, 0.1 * (k - 0.5), 0) if axes[1, 2] > 0 else (0, 0.1 * (0.5 - k), 0), atol=1e-9)
        push = axes[:, :2] @ [sol[c][0] for c in arrow["channels"]]
        np.testing.assert_allclose(push, (0, 0, sol[f"bearing.force_{k + 1}"][0]), atol=1e-6)
        assert push[2] > 10
    place, torque = arrow_at(d, "stop", "normal", -1)
    np.testing.assert_allclose(place, (1, 0, 0), atol=1e-6)
    np.testing.assert_allclose(torque, (0, sol["stop.effort"][-1], 0), atol=1e-6)
    assert torque[1] < 0  # against the weight, which turns it to larger angles


# -- surfaces
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


@pytest.mark.parametrize(
    ("surface", "volume"),
    [
        (S.sphere(0.5), 4 / 3 * np.pi * 0.5**3),
        (S.hollow_sphere(0.5), -4 / 3 * np.pi * 0.5**3),
        (S.capsule(0.5, 2.0), 4 / 3 * np.pi * 0.5**3 + 0.5 * np.pi),
        (S.cylinder(0.5, 2.0), 0.5 * np.pi),
        (S.cylinder(0.5, 2.0, crown=0.2), 0.5 * np.pi + 2 * np.pi / 2 * 0.5**2 * 0.2),
        (S.cylinder(0.5, 1.0, rounding=0.5), 4 / 3 * np.pi * 0.5**3),
        (S.box((1, 2, 3)), 6.0),
        (S.convex([*CORNERS, (0.2, 0.2, 0.2)]), 1 / 6),
    ],
)
def test_surfaces_are_closed_and_as_large_as_they_should_be(surface, volume):
    """Volume by triangles, outward; within what chords of 24 corners leave out. Every edge belongs to two triangles, once each way."""
    points, cells = faces(surface, -np.ones(3), np.ones(3))
    a, b, c = (points[cells[:, k]] for k in range(3))
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=1e-12 if surface.kind in ("box", "convex") else 0.03)
    where = {tuple(p): k for k, p in enumerate(np.unique(np.round(points, 9) + 0.0, axis=0))}
    number = [where[tuple(p)] for p in np.round(points, 9) + 0.0]
    edges = {(number[i], number[j]) for t in cells for i, j in zip(t, np.roll(t, -1), strict=True)}
    assert all((j, i) in edges for i, j in edges)


def test_a_bore_is_seen_from_inside_and_planes_are_as_large_as_the_motion():
    points, cells = faces(S.bore(0.5), -np.ones(3), 2 * np.ones(3))
    a, b, c = (points[cells[:, k]] for k in range(3))
    assert (np.einsum("ni,ni->n", np.cross(b - a, c - a)[:, :2], a[:, :2]) < 0).all()
    np.testing.assert_allclose(np.linalg.norm(points[:, :2], axis=1), 0.5)
    assert (points[:, 2].min(), points[:, 2].max()) == (-1, 2)
    points, cells = faces(S.plane(), np.array([-1, -2, -9]), np.array([1, 3, 9]))
    a, b, c = (points[cells[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0).all() and np.cross(b - a, c - a)[:, 2].sum() / 2 == pytest.approx(10.0)


def test_bodies_without_a_shape_have_their_surfaces(bounced):
    """In the axes of the body; ends as far as the surface in what is seen; a ball needs none, the ground has its plane."""
    m = pl.Model("pin in a slot")
    m.add(pl.RigidBody("plate", mass=1, inertia=(1, 1, 1)))
    m.add(pl.RigidBody("pin", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), position=(0.01, 0, 0)))
    turned = m["pin"].frame((0, 0.2, 0), pl.rotation("x", np.pi / 2))
    m.add(pl.Contact("slot", "plate", turned, surface_a=S.bore("30 mm"), surface_b=S.capsule("10 mm", 0.4), stiffness=1e8))
    d = Description(SolutionSource(m.assemble().solution))
    shapes = {b["name"]: b["shapes"] for b in d.bodies}
    assert [s["kind"] for s in shapes["plate"]] == ["mesh"] and shapes["pin"][0]["kind"] == "mesh" and not d.surfaces
    pin = d.arrays[shapes["pin"][0]["points"]]
    np.testing.assert_allclose([pin.min(0), pin.max(0)], [(-0.01, -0.01, -0.01), (0.01, 0.41, 0.01)], atol=1e-6)
    assert d.high[1] >= 0.41 - 1e-9
    m.add(pl.Contact("floor", "ground", "pin", surface_b=S.sphere(0.01), stiffness=1e8))
    m.add(pl.Contact("end", "ground", turned, surface_b=S.sphere(0.01), stiffness=1e8))
    assert len(Description(SolutionSource(m.assemble().solution)).surfaces) == 1  # one floor
    d = Description(SolutionSource(bounced))
    assert [s["kind"] for s in d.bodies[0]["shapes"]] == ["sphere"]
    (floor,) = d.header["surfaces"]
    assert floor["name"] == "bounce" and floor["end"]["place"] == -1
    points = d.arrays[floor["points"]] + np.array(floor["end"]["point"])
    assert (points[:, :2].min(0) < d.low[:2]).all() and (points[:, :2].max(0) > d.high[:2]).all() and abs(points[:, 2]).max() == 0


def test_surfaces_at_nodes_move_with_them():
    """A ball at the end of a rod, beside its own surface; the skin stays."""
    import flexible_models

    m = flexible_models.slider_crank()
    m.add(pl.Contact("tip", m.ground.frame((0, 0, -1)), "rod.end", surface_b=S.sphere(0.05), stiffness=1e6))
    d = Description(SolutionSource(m.assemble().solution))
    tip, floor = sorted(d.surfaces, key=lambda s: s["end"]["place"])[::-1]
    assert d.places[tip["end"]["place"]] == "rod.end" and floor["end"]["place"] == -1
    np.testing.assert_allclose(np.linalg.norm(d.arrays[tip["points"]], axis=1), 0.05, rtol=1e-6)
    assert "skin" in d.bodies[1] and abs((d.arrays[floor["points"]] + floor["end"]["point"])[:, 2] + 1).max() < 1e-6


# -- events
def test_marks_are_the_events(bounced, slid):
    for sol in (bounced, slid):
        header, arrays = marks(SolutionSource(sol).events())
        assert header["total"] == len(sol.events) and (np.diff(arrays["events:t"]) >= 0).all()
        told = sorted((t, *header["kinds"][k][:2]) for t, k in zip(arrays["events:t"], arrays["events:kind"], strict=True))
        assert told == sorted((e.t, e.item, e.what) for e in sol.events)
    header, arrays = marks(SolutionSource(bounced).events())
    touches = [k for k, kind in enumerate(arrays["events:kind"]) if header["kinds"][kind][1] == "touches"]
    np.testing.assert_array_equal(arrays["events:x"][touches], [e.value for e in bounced.events if e.what == "touches"])


def test_marks_of_files(bounced, tmp_path):
    whole = marks(SolutionSource(bounced).events())
    bounced.save(tmp_path / "run.h5")
    for source in (FileSource(tmp_path / "run.h5"), Watched(tmp_path / "run.h5")):
        assert unpack(Service(source).events())[0]["kinds"] == json.loads(json.dumps(whole[0]["kinds"]))
        np.testing.assert_array_equal(unpack(Service(source).scene())[1]["events:t"], whole[1]["events:t"])


def test_marks_of_a_run_that_was_cut_off(bounced, one_slice, tmp_path):
    """What its journal tells is what had happened until then."""

    def progress(t, end):
        if t > 0.6 * end:
            shutil.copy(tmp_path / "run.h5.part", tmp_path / "cut.h5.part")
            raise Stop

    with pytest.raises(Stop):
        bouncing().simulate(0.6, accuracy=1e-5, output_step=1e-3, out=tmp_path / "run.h5", progress=progress)
    source = Watched(tmp_path / "cut.h5")
    assert isinstance(source.inner, JournalSource)
    seen = source.events()
    assert 2 < len(seen) < len(bounced.events)
    np.testing.assert_array_equal(seen.log, bounced.happened[: len(seen)])


def test_runs_without_events_have_no_marks(crank_run, tmp_path):
    crank_run.save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+") as f:
        if "events" in f:
            del f["events"]  # as in files of earlier versions
    for source in (SolutionSource(crank_run), FileSource(tmp_path / "run.h5")):
        header, arrays = unpack(Service(source).scene())
        assert header["events"] == {"kinds": [], "total": 0} and len(arrays["events:t"]) == 0
        assert not header["surfaces"] and not any("arrows" in f for f in header["forces"])


@pytest.fixture(scope="module")
def crank_run():
    import mechanisms

    return mechanisms.slider_crank().simulate(0.05, step=2e-3)


def test_thousands_of_events_are_thinned_and_none_that_is_seldom_is_lost():
    """A million impacts, dense at the end, and one break: bounded, spread over time, quick."""
    n = 1_000_000
    log = np.column_stack([np.zeros(n), 1 - np.geomspace(1e-6, 1, n)[::-1], np.ones(n), np.ones(n)])
    log[777_777] = (1, log[777_777, 1], 1.0, np.nan)
    table = EventTable(log, (Told("ball", ("impact",), IMPACTS), Told("hinge", ("releases", "breaks"), VALUES)), omitted=5)
    header, arrays = marks(table)
    t, kind = arrays["events:t"], arrays["events:kind"]
    assert 0.9 * MOST < len(t) <= MOST and header["total"] == n + 5
    assert [header["kinds"][k] for k in kind if k][:1] == [["hinge", "breaks", False]] and (kind > 0).sum() == 1
    assert np.isnan(arrays["events:x"][kind > 0]).all()  # 1 says that it broke
    assert np.diff(t).max() < 5 / MOST
    many = EventTable(np.column_stack([np.arange(5000), np.arange(5000.0), np.zeros((5000, 2))]),
                      [Told(str(k), ("fires",), VALUES) for k in range(5000)])
    assert len(thinned(many, 100)) == 100


def test_names_of_hostile_files_are_data(bounced, tmp_path):
    """Also very long ones; a table that does not fit is refused."""
    bounced.save(tmp_path / "run.h5")
    evil = "</script><img src=x onerror=alert(1)>" + 5000 * "x"
    with h5py.File(tmp_path / "run.h5", "r+") as f:
        f.attrs["told"] = json.dumps([[evil, [evil, "touches"], VALUES] for _ in bounced.told])
    header, _ = unpack(Service(FileSource(tmp_path / "run.h5")).scene())
    assert all(len(text) <= 200 for kind in header["events"]["kinds"] for text in kind[:2])
    with h5py.File(tmp_path / "run.h5", "r+") as f:
        f.attrs["told"] = "[]"
    with pytest.raises(ValueError, match="items that it does not know"):
        Service(FileSource(tmp_path / "run.h5")).scene()


# -- structure
def test_joints_tell_by_which_channels_they_change():
    import no_jit

    d = Description(SolutionSource(no_jit.load("latch").model().assemble().solution))
    (hinge,) = d.joints
    assert hinge["state"] == "hinge.state" and hinge["locked"] == "hinge.locked"
    assert _drawn(d) == ["hinge.state", "hinge.locked"]
