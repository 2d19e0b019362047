"""`pliant flex reduce`: the text of a part, its report and file, and errors with file and line."""
import json

import numpy as np
import pytest

import pliant as pl
from pliant.cli import execute
from pliant.flex import Reduced, mesh_beam, mesh_box, reduce

BEAM = """\
pliant: 1
material: {E: 70 GPa, nu: 0.3, rho: 2700 kg/m^3}
mesh:
  beam:
    points: [[0, 0, 0], [450 mm, 0, 0], [0.5, 100 mm, 0]]
    section: {rectangle: {width: 20 mm, height: 1 cm}}
    elements: 12
    theory: timoshenko
interfaces:
  start: 0
  end: [500 mm, 0.1, 0]
frames:
  knee: {point: [0.45, 0, 0]}
reduce: {modes: 4, method: craig-bampton}
"""
BOX = """\
pliant: 1
material: steel
mesh: {box: {size: [100 mm, 20 mm, 10 mm], divisions: [6, 2, 1], element: hex8}}
interfaces:
  start: {plane: x = 0}
  end: {plane: x = 100 mm, coupling: average}
reduce: {frequency_limit: 5 kHz, frame: mean-axis}
"""


def run(tmp_path, text, *options):
    (tmp_path / "part.yaml").write_text(text)
    return execute(["flex", "reduce", str(tmp_path / "part.yaml"), *options])


def test_beam(tmp_path, capsys):
    assert run(tmp_path, BEAM, "-o", str(tmp_path / "rod.h5")) == 0
    told = capsys.readouterr().out
    assert "10 elastic coordinates" in told and "knee at (0.45, 0, 0) m (not joined)" in told and "written:" in told
    found = Reduced.load(tmp_path / "rod.h5")
    section, material = pl.Section.rectangle(0.02, 0.01), pl.Material(70e9, 0.3, 2700)
    fe = mesh_beam([(0, 0, 0), (0.45, 0, 0), (0.5, 0.1, 0)], section, material, 12, "timoshenko")
    due = reduce(fe, {"start": 0, "end": 12}, modes=4)
    assert np.array_equal(found.Kqq, due.Kqq) and set(found.nodes) == {"start", "end", "knee"}


def test_box_as_json(tmp_path, capsys):
    assert run(tmp_path, BOX, "--json") == 0
    data = json.loads(capsys.readouterr().out)
    fe = mesh_box((0.1, 0.02, 0.01), (6, 2, 1), pl.STEEL, "hex8")
    places = {"start": {"plane": "x = 0"}, "end": {"plane": "x = 0.1", "coupling": "average"}}
    due = reduce(fe, places, frequency_limit=5000, frame="mean-axis")
    assert data["frequencies"] == pytest.approx(due.frequencies.tolist()) and data["frame"] == "mean-axis"


WRONG = [
    (BEAM.replace("elements", "element"), "part.yaml:7: mesh.beam.element: unknown key 'element'; did you mean 'elements'?"),
    (BEAM.replace("70 GPa", "70 kg"), "part.yaml:2: material.E: '70 kg' is a mass [kg], a pressure"),
    (BEAM.replace(", rho: 2700 kg/m^3", ""), "part.yaml:2: material.rho: is missing; material needs it"),
    (BEAM.replace("width: 20 mm", "width: -2 mm"), "part.yaml:6: mesh.beam.section.rectangle.width: '-2 mm' must be greater than zero"),
    (BEAM.replace("rectangle", "rectangel"), "part.yaml:6: mesh.beam.section.rectangel: unknown key 'rectangel'; did you mean 'rectangle"),
    (BEAM.replace("elements: 12", "elements: many"), "part.yaml:7: mesh.beam.elements: 'many' must be a whole number of at least 2"),
    (BEAM.replace("end: [500 mm", "end: [501 mm"), "part.yaml:11: interfaces.end: point [0.501, 0.1, 0] is not on a node; the nearest"),
    (BEAM.replace("point: [0.45, 0, 0]", "point: [0.45, 0]"), "part.yaml:13: frames.knee.point: [0.45, 0] must be three coordinates [m]"),
    (BEAM.replace("modes: 4", "modes: 400"), "part.yaml:14: reduce.modes: 400 are asked for, there are 66"),
    (BEAM.replace("modes: 4, ", ""), "part.yaml:14: reduce: modes: give either modes (their number) or frequency_limit"),
    (BEAM.replace("modes: 4", "modes: 4, stiffening: 3"), "part.yaml:14: reduce.stiffening: 3 must be true or false"),
    (BEAM.replace("pliant: 1", "pliant: 2"), "part.yaml:1: pliant: 2 must be 1"),
    (BEAM.replace("  start: 0\n  end: [500 mm, 0.1, 0]\n", "  start: {nodes: x}\n"),
     "part.yaml:10: interfaces.start.nodes: 'x' must be whole numbers"),
    (BOX.replace("x = 0}", "x = 7}"), "part.yaml:5: interfaces.start: no node is in the plane"),
    (BOX.replace("x = 0}", "x = 3 kg}"), "part.yaml:5: interfaces.start.plane: '3 kg' is a mass [kg]"),
    (BOX.replace("5 kHz", "5 mm"), "part.yaml:7: reduce.frequency_limit: '5 mm' is a length [m]"),
    (BOX.replace("average", "soft"), "part.yaml:6: interfaces.end.coupling: 'soft' must be rigid or average"),
    (BOX.replace("steel", "steal"), "part.yaml:2: material: 'steal' must be steel or aluminium, or have the entries E, nu, rho"),
    (BOX.replace("{box:", "{sphere:"), "part.yaml:3: mesh.sphere: unknown key 'sphere'"),
    (BOX.replace("interfaces:", "interfaces: 5 #").replace("  start", "# ").replace("  end", "# "),
     "part.yaml:4: interfaces: 5 must be a mapping of names to places"),
    ("[1, 2]", "part.yaml:1: a part is a mapping"),
]


@pytest.mark.parametrize("text, words", WRONG, ids=range(len(WRONG)))
def test_errors_have_their_line(tmp_path, capsys, text, words):
    assert run(tmp_path, text) == 1
    assert words in capsys.readouterr().err


def test_several_problems_at_once_and_no_file_is_written(tmp_path, capsys):
    text = BEAM.replace("70 GPa", "70 kg").replace("theory", "theorie").replace("modes", "mods")
    assert run(tmp_path, text, "-o", str(tmp_path / "rod.h5")) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 3
    assert not (tmp_path / "rod.h5").exists()
    assert run(tmp_path, BEAM, "-o", str(tmp_path / "rod.txt")) == 1
    assert execute(["flex", "reduce", str(tmp_path / "none.yaml")]) == 1
