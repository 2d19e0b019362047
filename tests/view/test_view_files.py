"""Files for other programs: what they hold against channels of the run, read back by their own rules."""

import base64
import json
import re
import sys
import xml.etree.ElementTree as ET

import flexible_models
import mechanisms
import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant import cli
from pliant.items.base import matrix_of
from pliant.items.meshes import read_mesh
from pliant.view.gltf import write_gltf
from pliant.view.skins import skin_of
from pliant.view.sources import SolutionSource
from pliant.view.surfaces import at, motion, surfaces
from pliant.view.triangles import triangles
from pliant.view.vtk import write_vtk


@pytest.fixture(scope="module")
def flexible():
    return flexible_models.slider_crank().simulate(0.05, accuracy="draft", output_step=1e-3)


@pytest.mark.parametrize(
    "shape, volume",
    [
        ({"kind": "box", "size": (1, 2, 3)}, 6.0),
        ({"kind": "sphere", "radius": 2.0}, 32 / 3 * np.pi),
        ({"kind": "cylinder", "start": (1, 0, 0), "end": (1, 3, 4), "radius": 0.5}, 5 * np.pi / 4),
        ({"kind": "link", "start": (0, 0, 0), "end": (0, 0, 2), "radius": 0.5}, np.pi / 2),
        ({"kind": "ellipsoid", "center": (3, 0, 0), "half": (1, 2, 3), "rotation": pl.rotation((1, 1, 0), 0.7)}, 8 * np.pi),
    ],
)
def test_shapes_are_closed_and_outward(shape, volume):
    points, cells = triangles(shape, {})
    a, b, c = (points[cells[:, k]] for k in range(3))
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=0.05)
    edges = np.sort(np.vstack([cells[:, [0, 1]], cells[:, [1, 2]], cells[:, [2, 0]]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()  # each edge has two sides


def arrays_of(file):
    root = ET.parse(file).getroot()
    out = {}
    for a in root.iter("DataArray"):
        data = base64.b64decode(a.text)
        assert int.from_bytes(data[:8], "little") == len(data) - 8
        values = np.frombuffer(data[8:], {"Float64": "<f8", "Int64": "<i8"}[a.get("type")])
        width = int(a.get("NumberOfComponents"))
        out[a.get("Name")] = values.reshape(-1, width) if width > 1 else values
    return root, out


def test_vtk_holds_the_deformed_surfaces(flexible, tmp_path):
    files = write_vtk(SolutionSource(flexible), tmp_path / "run.pvd", frames=10)
    listed = ET.parse(tmp_path / "run.pvd").getroot().findall(".//DataSet")
    assert len(listed) == len(files) - 1 <= 10
    row = 3
    t = float(listed[row].get("timestep"))
    k = int(np.argmin(abs(flexible.t - t)))
    assert flexible.t[k] == t
    root, found = arrays_of(tmp_path / listed[row].get("file"))
    assert root.get("type") == "PolyData" and found["TimeValue"][0] == t
    cells = found["connectivity"].reshape(-1, 3)
    rod = np.unique(cells[found["body"] == 1])
    skin = skin_of(flexible.model["rod"].reduced, 1.0)
    R = matrix_of(flexible["rod.rotation"][k])
    u = skin.psi @ flexible["rod.modal"][k]
    np.testing.assert_allclose(found["Points"][rod], flexible["rod.position"][k] + (skin.points + u) @ R.T, atol=1e-12)
    np.testing.assert_allclose(found["displacement"][rod], u @ R.T, atol=1e-12)
    assert found["offsets"].tolist() == list(range(3, 3 * len(cells) + 1, 3))


def document_of(path):
    data = path.read_bytes()
    assert data[:4] == b"glTF" and int.from_bytes(data[8:12], "little") == len(data)
    length = int.from_bytes(data[12:16], "little")
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def accessor(document, data, number):
    a = document["accessors"][number]
    view = document["bufferViews"][a["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    values = np.frombuffer(data, "<f4", a["count"] * width, view["byteOffset"])
    return values.reshape(-1, width) if width > 1 else values


def test_gltf_moves_and_deforms_as_the_run(flexible, tmp_path):
    """Animated by its own rules: base + sum of targets times weights, turned and shifted by the node."""
    write_gltf(SolutionSource(flexible), tmp_path / "run.glb")
    document, data = document_of(tmp_path / "run.glb")
    node = next(k for k, n in enumerate(document["nodes"]) if n["name"] == "rod")
    tracks = {
        c["target"]["path"]: document["animations"][0]["samplers"][c["sampler"]]
        for c in document["animations"][0]["channels"]
        if c["target"]["node"] == node
    }
    mesh = document["meshes"][document["nodes"][node]["mesh"]]["primitives"][0]
    base = accessor(document, data, mesh["attributes"]["POSITION"])
    targets = np.array([accessor(document, data, t["POSITION"]) for t in mesh["targets"]])
    times = accessor(document, data, tracks["weights"]["input"])
    weights = accessor(document, data, tracks["weights"]["output"]).reshape(len(times), -1)
    part = next(p for p in surfaces(SolutionSource(flexible)) if p.name == "rod")
    moved = motion(SolutionSource(flexible), [part], 10**6)
    for row in (0, 20, 50):
        x, y, z, w = accessor(document, data, tracks["rotation"]["output"])[row]
        world = (base + np.tensordot(weights[row], targets, 1)) @ matrix_of((w, x, y, z)).T + accessor(
            document, data, tracks["translation"]["output"]
        )[row]
        np.testing.assert_allclose(world, at(part, moved, row)[0][part.cells].reshape(-1, 3), atol=1e-6)
        assert times[row] == pytest.approx(flexible.t[row])
    _points, cells = read_mesh(tmp_path / "run.glb")  # our own reader takes it as well
    assert len(cells) > 100


def test_the_command_writes_all_formats(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mechanisms.slider_crank().simulate(0.05, step=1e-3).save("crank.h5")
    assert cli.execute(["export", "crank.h5", "--to", "csv,html,vtk,gltf", "--frames", "20"]) == 0
    for name in ("crank.csv", "crank.html", "crank.pvd", "crank.glb"):
        assert (tmp_path / name).stat().st_size > 500
    assert len(list((tmp_path / "crank_vtk").iterdir())) <= 20
    assert cli.execute(["export", "crank.h5", "--to", "glft"]) == 1
    assert "did you mean 'gltf'" in capsys.readouterr().err
    assert cli.execute(["export", "crank.h5", "--to", "csv,html", "-o", "a.csv"]) == 1
    assert cli.execute(["export", "crank.h5", "--to", "gltf", "-o", "a.gltf"]) == 1
    assert "choose a name with that ending" in capsys.readouterr().err


def test_the_report_tells_what_the_run_tells(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    m = mechanisms.slider_crank()
    m.name = "crank <b>&</b>"
    sol = m.simulate(0.05, step=1e-3)
    sol.save("crank.h5")
    assert cli.execute(["report", "crank.h5", "slider.position.x", "energy.*"]) == 0
    text = (tmp_path / "crank_report.html").read_text()
    assert "<h1>crank &lt;b&gt;&amp;&lt;/b&gt;</h1>" in text
    assert f"{sol.energy.drift:.3g} J" in text and "0 to 0.05 s, 51 rows" in text and "prismatic" in text
    assert text.count("<img") == 3 and "http" not in text.replace("http-equiv", "")
    assert cli.execute(["report", "crank.h5", "-o", "crank.pdf"]) == 0
    data = (tmp_path / "crank.pdf").read_bytes()
    assert data.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", data)) == 1
    assert cli.execute(["report", "crank.h5", "-o", "crank.doc"]) == 1
    assert "must end in .html or .pdf" in capsys.readouterr().err


def colours(path):
    pixels = np.asarray(Image.open(path).convert("RGB"), int)
    return int((np.ptp(pixels, axis=2) > 60).sum())


def test_shaded_pictures_and_films(flexible, tmp_path):
    """Where the extra is installed: flexible and rigid bodies are seen, and move."""
    pytest.importorskip("pyvista", reason="the extra video is not installed")
    flexible.render(tmp_path / "a.png", 0.03, size=(320, 200))
    flexible.render(tmp_path / "b.png", 0.03, size=(320, 200), color_by="displacement")
    assert colours(tmp_path / "a.png") > 300 and colours(tmp_path / "b.png") > 300
    film = Image.open(flexible.render(tmp_path / "run.gif", size=(200, 120), fps=2))
    assert film.n_frames == 9


def test_pictures_that_are_refused(flexible, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"must end in \.png, \.jpg, \.gif, \.mp4"):
        flexible.render(tmp_path / "a.bmp")
    with pytest.raises(ValueError, match="t = 9 s is outside the run"):
        flexible.render(tmp_path / "a.png", 9.0)
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(ImportError, match=r"pip install pliant\[video\]"):
        flexible.render(tmp_path / "a.png")
