"""Studies of methods: two against each other, and error against work."""
import csv
import json

import pytest
import spatial

import pliant as pl
from pliant.cli import execute
from pliant.proofs.shipped_examples import examples, find
from pliant.proofs.studies.cross import cross
from pliant.proofs.studies.work_precision import work_precision


def test_two_methods_agree():
    found = cross(spatial.four_bar(), 0.5)
    assert found.methods == ("dop853 (recursion)", "radau-iia-5 (stabilized-index-2)")
    assert 0 < found.worst < 1e-4 and {row["channel"] for row in found.rows} >= {"A.force", "coupler.position", "energy.kinetic"}
    given = cross(spatial.four_bar(), 0.2, 1e-5, (pl.GeneralizedAlpha(0.8), pl.BDF()))
    assert given.methods == ("generalized-alpha (index-3)", "bdf (stabilized-index-2)") and 0 < given.worst < 1e-2


def test_the_methods_of_the_model_is_the_first(tmp_path):
    m = spatial.four_bar()
    m.settings = {"duration": "200 ms", "integrator": "bdf"}
    found = cross(m)
    assert found.methods == ("bdf (stabilized-index-2)", "dop853 (index-1)") and found.duration == pytest.approx(0.2)


def test_forces_of_point_masses_are_compared_with_sense():
    """A pendulum whose hinge carries no torque; Radau's method does not do without rotational inertia."""
    found = cross(pl.read(find("pendulum.yaml", examples())), 1.0)
    assert found.methods[1] == "generalized-alpha (index-3)" and found.worst < 1e-4


def test_work_and_precision(tmp_path):
    found = work_precision(spatial.four_bar(), 0.2, ["dop853", "index-1", "radau-iia-5", "stabilized-index-2"], limit=3.0)
    kinds = {row["integrator"] for row in found.rows}
    assert kinds == {"dop853", "radau-iia-5"}
    good = [row for row in found.rows if row["integrator"] == "dop853" and row["error"] is not None]
    assert good[0]["error"] > good[-1]["error"] and good[-1]["error"] < 1e-8
    found.to_csv(tmp_path / "work.csv")
    with open(tmp_path / "work.csv") as file:
        assert len(list(csv.DictReader(file))) == len(found.rows)
    found.plot(tmp_path / "work.png")
    assert (tmp_path / "work.png").stat().st_size > 5000


def test_from_the_command_line(tmp_path, capsys):
    model = str(find("four_bar.yaml", examples()))
    assert execute(["verify", "--cross", model, "--duration", "200 ms", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["worst"] < 1e-4
    for arguments, told in ((["study", "work-precision", model, "-o", "work.doc"], "ends in .csv, .png"),
                            (["verify", "--duration", "1"], "--duration is for --cross"),
                            (["verify", "heavy_top", "--cross", model], "not both"),
                            (["study", "work-precision", model, "--method", "dop"], "dop853")):
        assert execute(arguments) == 1 and told in capsys.readouterr().err
