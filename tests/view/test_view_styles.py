"""How things look on the page: styles of items, and meshes from files."""

import base64
import json

import h5py
import mechanisms
import numpy as np
import pytest

import pliant as pl
from pliant.items.meshes import read_mesh
from pliant.view.describe import Description
from pliant.view.sources import FileSource, ModelSource, SolutionSource


@pytest.fixture(scope="module")
def crank():
    return mechanisms.slider_crank().simulate(0.3, step=2e-3)


# -- styles
def test_styles_are_kept_in_text_and_apart_from_physics(tmp_path):
    m = mechanisms.slider_crank()
    text = {"color": "red", "opacity": 0.5, "trace": True}
    m.styles["crank"] = pl.Style(**text)
    m.styles["rod.end"] = pl.Style(trace=True)
    m.save(tmp_path / "m.yaml")
    back = pl.read(tmp_path / "m.yaml")
    assert back.styles == m.styles
    assert back.styles["crank"].color == "#c1121f"
    styled, plain = (x.simulate(0.05, step=1e-3) for x in (m, mechanisms.slider_crank()))
    np.testing.assert_array_equal(styled.rows, plain.rows)
    bodies = {b["name"]: b for b in Description(SolutionSource(styled)).header["bodies"]}
    assert bodies["crank"]["color"] == "#c1121f" and bodies["crank"]["opacity"] == 0.5
    assert bodies["rod"]["traced"] == ["rod.end"]


@pytest.mark.parametrize(
    "style, message",
    [
        ("{cranc: {color: red}}", r"m.yaml:\d+: style.cranc: there is no item 'cranc'; did you mean 'crank'"),
        ("{crank: {color: reddish}}", r"m.yaml:\d+: style.crank.color: .*must be a colour such as"),
        ("{crank: {colour: red}}", r"m.yaml:\d+: style.crank.colour: unknown key"),
        ("{crank.ennd: {trace: true}}", r"body 'crank' has no frame 'ennd'; did you mean 'end'"),
        ("{crank: {mesh: nothing.stl}}", r"file 'nothing.stl' not found"),
    ],
)
def test_wrong_styles_are_told_with_their_line(tmp_path, style, message):
    mechanisms.slider_crank().save(tmp_path / "m.yaml")
    with (tmp_path / "m.yaml").open("a") as file:
        file.write(f"style: {style}\n")
    with pytest.raises(ValueError, match=message):
        pl.read(tmp_path / "m.yaml")


def test_a_style_for_nothing_is_refused_in_python():
    m = mechanisms.slider_crank()
    m.styles["cranc"] = pl.Style(color="red")
    with pytest.raises(ValueError, match="style 'cranc': there is no item 'cranc'; did you mean 'crank'"):
        Description(ModelSource(m))


# -- meshes of files: one tetrahedron in every format
POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
CELLS = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def write_gltf(path, binary):
    data = POINTS.astype("<f4").tobytes() + CELLS.astype("<u2").tobytes()
    uri = {} if binary else {"uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "translation": [1, 2, 3]}, {"mesh": 0, "rotation": [0, 0, 0.5**0.5, 0.5**0.5], "scale": [2, 2, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(data), **uri}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
    }
    text = json.dumps(document).encode()
    if binary:
        text += b" " * (-len(text) % 4)
        text = (
            b"glTF"
            + (2).to_bytes(4, "little")
            + (28 + len(text) + len(data)).to_bytes(4, "little")
            + len(text).to_bytes(4, "little")
            + b"JSON"
            + text
            + len(data).to_bytes(4, "little")
            + b"BIN\0"
            + data
        )
    path.write_bytes(text)


def volume(points, cells):
    a, b, c = (points[cells[:, k]] for k in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6)


def test_meshes_are_read(tmp_path):
    (tmp_path / "a.obj").write_text(
        "# tetrahedron\n"
        + "".join("v {} {} {}\n".format(*p) for p in POINTS)
        + "".join("f {}//1 {}//1 {}//1\n".format(*(c + 1)) for c in CELLS[:3])
        + "f -3 -2 -1\n"
    )
    points, cells = read_mesh(tmp_path / "a.obj", "mm")
    assert volume(points, cells) == pytest.approx(1e-9 / 6)
    for name, binary in (("a.glb", True), ("a.gltf", False)):
        write_gltf(tmp_path / name, binary)
        points, cells = read_mesh(tmp_path / name)
        assert volume(points, cells) == pytest.approx(8 / 6)
        turned = np.array([(0, -1, 0), (1, 0, 0), (0, 0, 1)]) * 2.0
        np.testing.assert_allclose(points, POINTS @ turned.T + (1, 2, 3), atol=1e-6)


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("a.obj", "v 0 0\n", "line 1: a vertex has three coordinates"),
        ("a.obj", "v 0 0 0\nf 1 2 3\n", "holds no triangles"),
        ("a.gltf", "{}", "cannot be read"),
        ("a.gltf", "[1", "cannot be read"),
        ("a.glb", "glTF", "cannot be read"),
        ("a.dae", "x", "must end in"),
        (
            "a.gltf",
            '{"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "buffers": [{"uri": "../x.bin"}], '
            '"accessors": [{"bufferView": 0, "componentType": 5126, "count": 9, "type": "VEC3"}], "bufferViews": [{"buffer": 0}]}',
            "in another file",
        ),
    ],
)
def test_wrong_meshes_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        read_mesh(tmp_path / name)


def test_a_mesh_of_the_style_is_placed(tmp_path, crank):
    write_gltf(tmp_path / "a.glb", True)
    m = mechanisms.slider_crank()
    m.styles["slider"] = pl.Style(mesh=str(tmp_path / "a.glb"), unit="cm", position=(0.1, 0, 0), rotation=pl.rotation("x", "90 deg"))
    d = Description(ModelSource(m))
    shape = next(b for b in d.header["bodies"] if b["name"] == "slider")["shapes"][0]
    source, _ = read_mesh(tmp_path / "a.glb", "cm")
    np.testing.assert_allclose(d.arrays[shape["points"]], source @ np.array([(1, 0, 0), (0, 0, -1), (0, 1, 0)]).T + (0.1, 0, 0), atol=1e-7)


# -- meshes of runs in files
def meshed(folder):
    """Two bodies with one mesh, a third with the same in millimetres, turned and moved."""
    lines = [f"v {x} {y} {z}" for x, y, z in POINTS.tolist()] + ["f " + " ".join(str(k + 1) for k in cell) for cell in CELLS.tolist()]
    (folder / "look.obj").write_text("\n".join(lines))
    m = mechanisms.slider_crank()
    for body in ("crank", "rod"):
        m.styles[body] = pl.Style(mesh=str(folder / "look.obj"), color="red")
    m.styles["slider"] = pl.Style(mesh=str(folder / "look.obj"), unit="mm", position=(0.1, 0, 0), rotation=pl.rotation("z", "90 deg"))
    return m


def drawn_meshes(source):
    made = Description(source)
    shapes = {b["name"]: b["shapes"][0] for b in made.header["bodies"]}
    return {name: (made.arrays[s["points"]], made.arrays[s["cells"]]) for name, s in shapes.items() if s["kind"] == "mesh"}


def test_a_file_of_a_run_holds_its_meshes(tmp_path):
    """Each once; the picture is the same when the mesh's own file is gone. It was lost without a word."""
    (tmp_path / "here").mkdir()
    m = meshed(tmp_path / "here")
    sol = m.simulate(0.02, step=1e-3, out=tmp_path / "run.h5")
    before = drawn_meshes(SolutionSource(sol))
    assert set(before) == {"crank", "rod", "slider"}
    np.testing.assert_allclose(before["slider"][0][:, 1].max(), 1e-3, atol=1e-9)
    (tmp_path / "here" / "look.obj").unlink()
    with h5py.File(tmp_path / "run.h5") as f:
        assert len(f["parts"]) == 2  # in metres and in millimetres
    pl.load(tmp_path / "run.h5").save(tmp_path / "again.h5")
    for source in (SolutionSource(pl.load(tmp_path / "run.h5")), FileSource(tmp_path / "run.h5"), FileSource(tmp_path / "again.h5")):
        after = drawn_meshes(source)
        assert set(after) == set(before)
        for name, (points, cells) in before.items():
            np.testing.assert_array_equal(after[name][0], points)
            np.testing.assert_array_equal(after[name][1], cells)


def test_a_text_of_a_loaded_model_leaves_meshes_out(tmp_path):
    meshed(tmp_path).simulate(0.02, step=1e-3, out=tmp_path / "run.h5")
    with pytest.warns(UserWarning, match="is in the file of a run only and left out of the text"):
        pl.load(tmp_path / "run.h5").model.save(tmp_path / "m.yaml")
    assert pl.read(tmp_path / "m.yaml").styles["crank"] == pl.Style(color="red")


def test_a_journal_holds_its_meshes(tmp_path):
    m = meshed(tmp_path)
    seen = []

    def watched(t, end):
        (tmp_path / "look.obj").unlink(missing_ok=True)  # the run goes on, and another process looks
        seen.append(set(drawn_meshes(SolutionSource(pl.load(tmp_path / "run.h5.part")))))
    m.simulate(0.02, step=1e-3, out=tmp_path / "run.h5", progress=watched)
    assert seen and all(found == {"crank", "rod", "slider"} for found in seen)


def test_a_mesh_that_is_nowhere_is_told(tmp_path):
    sol = meshed(tmp_path).simulate(0.02, step=1e-3)
    (tmp_path / "look.obj").unlink()
    sol.save(tmp_path / "run.h5")
    with pytest.warns(UserWarning, match="style of 'crank': the mesh '.*look.obj' is neither in the file of the run nor where it was"):
        assert pl.load(tmp_path / "run.h5").model.styles["crank"].mesh is None
