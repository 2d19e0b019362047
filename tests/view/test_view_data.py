"""What the page is given: packages, motion against channels, skins against shapes, rows from files."""

import base64
import gzip
import time
from pathlib import Path

import flexible_models
import h5py
import mechanisms
import no_jit
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of
from pliant.view.describe import Description
from pliant.view.fields import fields_of
from pliant.view.open_viewer import Watched
from pliant.view.packing import pack, plain, to_text, unpack
from pliant.view.page import _embedded
from pliant.view.service import Service
from pliant.view.skins import _tubes, skin_of
from pliant.view.sources import FileSource, JournalSource, ModelSource, SolutionSource


@pytest.fixture(scope="module")
def flexible():
    return flexible_models.slider_crank().simulate(0.05, accuracy="draft", output_step=1e-3)


@pytest.fixture(scope="module")
def crank():
    return mechanisms.slider_crank().simulate(0.3, step=2e-3)


@pytest.mark.parametrize("shuffled", [False, True])
def test_packages_come_back(shuffled):
    rng = np.random.default_rng(0)
    arrays = {
        "a": rng.normal(size=(3, 5)).astype(np.float32),
        "b": rng.normal(size=7),
        "c": np.arange(9, dtype=np.uint32).reshape(3, 3),
        "none": np.zeros((0, 3), np.float32),
    }
    header, back = unpack(pack({"x": np.float64(0.1), "y": [np.nan, 2.0], "z": "µ"}, arrays, shuffled=shuffled))
    assert header == {"x": 0.1, "y": [None, 2], "z": "µ"}
    assert {k: v.tolist() for k, v in back.items()} == {k: v.tolist() for k, v in arrays.items()}
    assert base64.b64decode(to_text(b"PLV1"))[:2] == b"\x1f\x8b"  # gzip
    with pytest.raises(ValueError, match="not a package"):
        unpack(b"PK34....")


def test_motion_is_that_of_the_channels(flexible):
    """Columns of a place: position less origin, quaternion; then modal coordinates; in single precision."""
    d = Description(SolutionSource(flexible))
    table = d.motion(slice(0, None, 7))
    assert table.shape == (d.width, len(flexible.t[::7]))
    assert d.places == ["crank", "rod", "rod.start", "rod.end", "slider"]
    for k, place in enumerate(d.places):
        np.testing.assert_allclose(table[7 * k : 7 * k + 3].T + d.origin, flexible[f"{place}.position"][::7], atol=1e-7)
        np.testing.assert_allclose(table[7 * k + 3 : 7 * k + 7].T, flexible[f"{place}.rotation"][::7], atol=1e-7)
    np.testing.assert_allclose(table[-9:].T, flexible["rod.modal"][::7], rtol=1e-6, atol=1e-12)


def test_nodes_of_lines_are_not_places():
    """Of a boom with a rail only frames that have channels are places; what slides on it is shown at its own frame."""
    m = no_jit.load("crane_boom").model()
    d = Description(ModelSource(m))
    assert len(m["boom"].frames) > 5 and all(d.source.knows(f"{p}.position") for p in d.places)
    assert not [p for p in d.places if p.startswith("boom.rail_")]
    wheels = next(j for j in d.header["joints"] if j["name"] == "wheels")
    assert wheels["kind"] == "sliding_on_beam" and wheels["b"]["body"] == "trolley"


def test_far_models_keep_their_precision():
    m = pl.Model("far")
    m.add(pl.RigidBody.sphere("ball", 0.01, mass=1.0, position=(1e6, 0, 0), velocity=(0.1, 0, 0)))
    sol = m.simulate(1.0, step=0.1)
    d = Description(SolutionSource(sol))
    x = d.motion(slice(0, None))[0].astype(float) + d.origin[0]
    np.testing.assert_allclose(x, sol["ball.position.x"], rtol=0, atol=1e-8)
    assert d.header["low"][0] == pytest.approx(-0.06, abs=1e-6)


def test_joints_and_forces_know_their_frames(flexible):
    d = Description(SolutionSource(flexible))
    table = d.motion(slice(0, None)).astype(float)

    def world(end, row):
        column = table[7 * end["place"] : 7 * end["place"] + 7, row]
        return column[:3] + matrix_of(column[3:]) @ end["point"] if end["place"] >= 0 else np.array(end["point"])

    for joint in d.header["joints"]:
        gap = np.array([world(joint["b"], k) - world(joint["a"], k) for k in (0, 25, -1)])
        if joint["name"] == "D":
            gap = gap[:, 1:]  # it slides along x
        assert abs(gap).max() < 1e-6, joint["name"]
    assert [j["kind"] for j in d.header["joints"]] == ["revolute", "universal", "spherical", "prismatic"]
    assert d.header["joints"][0]["drives"] == ["motor"]


def test_beams_get_their_section():
    """Rings around the nodes: their middle is the node, also when it moves; corners are those of the section; a rigid turn stays one."""
    part = flexible_models.rod()
    skin = skin_of(part, 0.1)
    rings = skin.points.reshape(-1, 4, 3) if len(skin.points) % 4 == 0 else pytest.fail("four corners a ring")
    order = np.argsort(rings.mean(1)[:, 0])
    q = 1e-3 * np.random.default_rng(1).normal(size=part.n)
    nodes = part.skin.points[np.argsort(part.skin.points[:, 0])]
    np.testing.assert_allclose(rings.mean(1)[order], nodes, atol=1e-12)
    assert abs(skin.points[:, 1]).max() == pytest.approx(0.01) and abs(skin.points[:, 2]).max() == pytest.approx(0.015)
    moved = (skin.points + skin.psi @ q).reshape(-1, 4, 3).mean(1)[order]
    np.testing.assert_allclose(moved, (part.skin.points + part.skin.psi @ q)[np.argsort(part.skin.points[:, 0])], atol=1e-12)
    a, b, c = (skin.points[skin.cells[:, k]] for k in range(3))
    volume = np.einsum("ni,ni->", a, np.cross(b, c)) / 6
    assert volume == pytest.approx(0.02 * 0.03 * 1.0)  # closed, outward


def test_sections_turn_with_the_line():
    """A line bent at its middle that turns as a whole about any axis across it: every corner of its section turns with it."""
    points = np.array([(0.0, 0, 0), (1, 0, 0), (2, 0, 0)])
    turns = np.array([(0, 1.0, 0), (0, 0, 1.0)])  # about y and z; torsion, about x, is not seen
    psi = np.cross(turns[None], points[:, None]).transpose(0, 2, 1)
    outline = np.array([(0.1, 0.2), (-0.1, 0.2), (-0.1, -0.2), (0.1, -0.2)])
    skin = _tubes(points, np.array([(0, 1), (1, 2)]), psi, outline, None)
    assert len(skin.points) == 12
    np.testing.assert_allclose(skin.psi, np.cross(turns[None], skin.points[:, None]).transpose(0, 2, 1), atol=1e-12)


def test_sections_are_round_where_they_are():
    mesh = pl.flex.mesh_beam([(0, 0, 0), (0, 1, 0)], pl.Section.tube(0.05, 0.01), pl.STEEL, elements=4)
    part = pl.flex.reduce(mesh, interfaces={"start": 0}, modes=2)
    skin = skin_of(part, 0.1)
    np.testing.assert_allclose(np.linalg.norm(skin.points[:, [0, 2]], axis=1), 0.05, rtol=1e-9)


def test_rows_and_channels_of_a_file_are_those_of_the_run(crank, tmp_path):
    crank.save(tmp_path / "all.h5")
    crank.save(tmp_path / "few.h5", record=["A.*"])
    whole = Description(SolutionSource(crank))
    for name in ("all.h5", "few.h5"):
        source = FileSource(tmp_path / name)
        d = Description(source)
        for part in ("bodies", "joints", "places", "size"):
            assert plain(d.header[part]) == plain(whole.header[part])
        np.testing.assert_array_equal(d.motion(slice(3, 90, 5)), whole.motion(slice(3, 90, 5)))
        np.testing.assert_array_equal(source.read(["A.angle"], slice(5, 9))["A.angle"], crank["A.angle"][5:9])
        np.testing.assert_array_equal(source.times(slice(0, None)), crank.t)
    assert {c["name"]: c["parts"] for c in d.header["channels"]}["slider.position"] == ["x", "y", "z"]


def test_the_page_is_told_as_many_components_as_channels_have(tmp_path):
    """Also of forces along one axis; from a run, from files with and without a model."""
    m = pl.Model("springs", gravity=(0, 0, -9.81))
    body = m.add(pl.RigidBody("body", 1.0, (1, 1, 1)))
    m.add(pl.Cylindrical("joint", m.ground, body))
    m.add(pl.AxialSpring("k", "joint", 100.0))
    m.add(pl.TorsionSpring("c", "joint", 100.0))
    m.add(pl.Bushing("bush", m.ground, body, stiffness=(10.0,) * 6))
    sol = m.simulate(0.05, step=1e-2, out=tmp_path / "run.h5", record=["k.*", "*.position", "*.rotation", "energy.*"])
    letters = {1: [], 3: ["x", "y", "z"], 4: ["w", "x", "y", "z"]}
    expected = {name: letters[1 if sol[name].ndim == 1 else sol[name].shape[1]] for name in sol.channels}
    assert {c["name"]: c["parts"] for c in SolutionSource(sol).channels()} == expected and expected["k.force"] == []
    source = FileSource(tmp_path / "run.h5")
    assert {c["name"]: c["parts"] for c in source.channels()} == expected
    source.model, source.units = None, source.recorded
    assert {c["name"]: c["parts"] for c in source.channels()} == {name: expected[name] for name in source.recorded}


def test_runs_without_a_model_are_shown_by_their_channels(tmp_path):
    sol = mechanisms.slider_crank(lambda t: 10 * t).simulate(0.1, step=2e-3)
    sol.save(tmp_path / "run.h5")
    d = Description(FileSource(tmp_path / "run.h5"))
    assert [j["name"] for j in d.header["joints"]] == [j["name"] for j in Description(SolutionSource(sol)).header["joints"]]
    with h5py.File(tmp_path / "run.h5", "r+") as f:
        del f.attrs["shown"]  # as in files of earlier versions
    d = Description(FileSource(tmp_path / "run.h5"))
    assert [b["name"] for b in d.header["bodies"]] == ["crank", "rod", "slider"] and not d.header["joints"]
    assert next(s["kind"] for s in d.header["bodies"][0]["shapes"]) == "link"
    sol.save(tmp_path / "none.h5", record=["A.*"])
    with pytest.raises(ValueError, match="cannot be drawn: its file holds neither"):
        Description(FileSource(tmp_path / "none.h5"))


def test_a_journal_is_read_on(tmp_path):
    """Half of the journal of a run, then all of it, then the file of results."""
    model = mechanisms.slider_crank()
    from pliant.safe_files import journal as jn

    seen = []

    def keep(t, end):
        part = tmp_path / "run.h5.part"
        if part.exists() and jn.has_rows(part):
            seen.append(part.read_bytes())

    sol = model.simulate(4.0, step=2e-4, out=tmp_path / "run.h5", progress=keep)
    assert seen
    part = tmp_path / "live.h5.part"
    part.write_bytes(seen[0])
    source = JournalSource(part)
    first = source.count()
    assert 0 < first < len(sol.t)
    np.testing.assert_array_equal(source.times(slice(0, None)), sol.t[:first])
    with part.open("ab") as file:
        file.write(seen[-1][len(seen[0]) :])
    source.poll()
    assert first <= source.count() <= len(sol.t)
    np.testing.assert_allclose(
        source.read(["slider.position"], slice(0, None))["slider.position"], sol["slider.position"][: source.count()]
    )
    watched = Watched(part)
    part.unlink()
    (tmp_path / "run.h5").rename(tmp_path / "live.h5")
    before = watched.version
    watched.poll()
    assert watched.count() == len(sol.t) and watched.version != before and watched.complete


def test_long_channels_keep_their_peaks(crank, monkeypatch):
    from pliant.view import service

    monkeypatch.setattr(service, "POINTS", 40)
    got = Service(SolutionSource(crank)).values("slider.velocity")
    assert got["values"].shape[0] == 3 and len(got["t"]) <= 42
    assert got["values"][0].max() == crank["slider.velocity.x"].max()
    assert got["values"][0].min() == crank["slider.velocity.x"].min()


def test_overviews_of_large_runs_are_thinned(crank, monkeypatch):
    from pliant.view import service

    monkeypatch.setattr(service, "OVERVIEW", 4096)
    one = Service(SolutionSource(crank))
    header, arrays = unpack(one.scene())
    assert header["stride"] > 1 and header["rows"] == len(crank.t)
    assert (len(crank.t) - 1) % header["stride"]  # the end is sent all the same
    np.testing.assert_array_equal(arrays["t"], [*crank.t[:: header["stride"]], crank.t[-1]])
    _, some = unpack(one.rows(10, 20, 4))
    np.testing.assert_array_equal(some["t"], crank.t[10:20:4])
    with pytest.raises(ValueError, match="step = 0, must be from 1"):
        one.rows(0, 20, 0)
    _, block = unpack(one.rows(10, 20))
    np.testing.assert_array_equal(block["t"], crank.t[10:20])
    monkeypatch.setattr(service, "ANSWER", 100)
    with pytest.raises(ValueError, match="more than one answer holds"):
        one.rows(0, 20)
    with pytest.raises(ValueError, match="are not among the"):
        one.rows(0, len(crank.t) + 1)


def test_models_are_shown_with_findings():
    m = mechanisms.slider_crank()
    m.add(pl.RigidBody.sphere("loose", 0.01, mass=0.1, position=(0.2, 0.2, 0)))
    source = ModelSource(m)
    assert source.count() == 1
    assert ("unconnected-body", ["loose"]) in [(f["code"], f["items"]) for f in source.findings]
    assert Description(source).header["kind"] == "model"


def test_a_model_that_does_not_fit_is_shown_as_near_as_it_can_be():
    m = mechanisms.slider_crank()
    m["rod"].position = (0.3, 0.05, 0)
    source = ModelSource(m)
    assert "do not fit together" in source.note
    assert any(f["severity"] == "error" for f in source.findings)


def test_loads_with_functions_are_known_over_time():
    """A force that turns with its frame and grows with t; a torque that follows an angle."""
    m = mechanisms.pendulum()
    body = m.section("bodies")[0]
    m.add(pl.Force("push", body, ("2 * t", 0, 0), axes="frame"))
    m.add(pl.Force("weight", body, (0, 0, -3.0)))
    sol = m.simulate(0.3, step=1e-3)
    got = Service(SolutionSource(sol)).values("push.force")
    due = np.array([matrix_of(q) @ (2 * t, 0, 0) for q, t in zip(sol[f"{body.name}.rotation"], sol.t, strict=True)])
    np.testing.assert_allclose(got["values"].T, due, atol=1e-9)
    forces = {f["name"]: f for f in Description(SolutionSource(sol)).header["forces"]}
    assert forces["push"]["channel"] == "push.force" and forces["weight"]["vector"] == [0, 0, -3.0]
    assert forces["weight"]["channel"] is None  # known without
    _, arrays = unpack(gzip.decompress(base64.b64decode(_embedded(sol, 100, ["A.angle"], ""))))
    shown = arrays["channel:push.force"].T  # in a page with other channels too
    np.testing.assert_allclose(shown, due[np.linspace(0, len(due) - 1, len(shown)).round().astype(int)], atol=1e-6)


def test_channels_of_the_model_and_of_groups_are_listed_with_their_components(tmp_path):
    m = mechanisms.slider_crank()
    m.add(pl.Group("moving", ["rod", "crank"]))
    sol = m.simulate(0.1, step=2e-3)
    sol.save(tmp_path / "run.h5")
    for source in (SolutionSource(sol), FileSource(tmp_path / "run.h5")):
        listed = {c["name"]: (c["unit"], "".join(c["parts"])) for c in source.channels()}
        assert listed["model.com.position"] == ("m", "xyz") and listed["moving.angular_momentum"] == ("kg*m^2/s", "xyz")
        assert listed["moving.kinetic_energy"] == ("J", "") and listed["gap.rotation_vector"] == ("rad", "xyz")
        assert listed["A.power"] == ("W", "")


def test_stresses_of_the_skin_are_those_of_the_part():
    mesh = pl.flex.mesh_box((0.3, 0.04, 0.03), (6, 2, 2), pl.STEEL, element="hex8")
    part = pl.flex.reduce(mesh, interfaces={"root": {"plane": {"point": (0, 0, 0), "normal": (1, 0, 0)}}}, modes=3, stress="skin")
    skin = skin_of(part, 1.0)
    (field,) = fields_of(part, skin.points)
    q = np.random.default_rng(3).normal(size=part.n)
    near = np.argmin(np.linalg.norm(part.stress.points[None] - skin.points[:, None], axis=2), axis=1)
    np.testing.assert_allclose(part.stress.points[near], skin.points, atol=1e-12)
    np.testing.assert_allclose(np.einsum("npi,n->pi", field.modes, q), part.stress.at(q)[near], rtol=1e-9, atol=1e-3)
    assert field.facts["E"] == pl.STEEL.E and field.facts["nu"] == pl.STEEL.nu


def sparse(group, name, shape):
    """A dataset that is in the file, but takes no room on the disk."""
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((4096, *shape[1:]))
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    plan.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    space = h5py.h5s.create_simple(shape)
    return h5py.Dataset(h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, plan))


def test_a_file_of_ten_gigabytes_opens_at_once(tmp_path):
    """Of its 10 GB a few MB are read: the bytes that this process reads are counted."""
    mechanisms.slider_crank(lambda t: 10 * t).simulate(0.01, step=1e-3).save(tmp_path / "small.h5")
    rows = 3_400_000
    with h5py.File(tmp_path / "small.h5") as small, h5py.File(tmp_path / "run.h5", "w") as f:
        f.attrs.update(small.attrs)
        for name in ("t", "states", "energies"):
            sparse(f, name, (rows, *small[name].shape[1:]))
        channels = f.create_group("channels", track_order=True)
        channels.attrs.update(small["channels"].attrs)
        for name, one in small["channels"].items():
            sparse(channels, name, (rows, *one.shape[1:])).attrs["unit"] = one.attrs["unit"]
        small.copy("memory", f)
    found = (tmp_path / "run.h5").stat()
    assert found.st_size > 10e9
    if found.st_blocks * 512 > 1e9:
        pytest.skip("this disk has no sparse files")
    before, start = bytes_read(), time.perf_counter()
    service = Service(Watched(tmp_path / "run.h5"))
    header, arrays = unpack(service.scene())
    _, some = unpack(service.rows(2_000_000, 2_001_000))
    assert time.perf_counter() - start < 10  # about one; reading it all takes minutes
    assert bytes_read() - before < 100e6
    assert header["rows"] == rows and arrays["motion"].shape[1] > 50 and some["motion"].shape[1] == 1000


def bytes_read():
    try:
        return int(Path("/proc/self/io").read_text().split()[1])
    except OSError:  # not on this system
        return 0


def test_what_slides_is_seen():
    """Nodes of a line are no places of the page; the joint is at what slides, with z along the line."""
    from examples_of import example
    m = example("crane_boom")()
    header = Description(SolutionSource(m.simulate(0.05, step=1e-3))).header
    joint = next(j for j in header["joints"] if j["name"] == "wheels")
    body = next(b for b in header["bodies"] if b["name"] == "boom")
    assert set(body["nodes"]) == {"root", "tip", "rail"} and joint["a"]["name"] == "boom.rail"
    w, x, y, z = joint["axes"]
    assert abs(np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]) - (1, 0, 0)).max() < 1e-12
