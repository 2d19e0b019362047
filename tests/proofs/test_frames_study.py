"""One beam by all its formulations: what the study measures, and what it advises."""
import csv
import json

import numpy as np
import pytest

import pliant as pl
from pliant.cli import execute
from pliant.proofs.studies import frames as study
from pliant.proofs.studies.frames import doubled, frames, measures

ALL = "geometrically-exact", "corotational", "modal", "segments", "rigid"


def cantilever(E, elements=4, formulation="modal", profile=None):
    m = pl.Model("cantilever", gravity=(0, 0, -9.81))
    m.add(pl.Beam("boom", (0, 0, 0), (0.6, 0, 0.8), profile or pl.Section.rectangle("40 mm", "20 mm"), pl.Material(E, 0.3, 1100),
                  elements=elements, damping="5 ms", formulation=formulation, frames={"half": 0.5}))
    m.add(pl.Fixed("foot", m.ground, "boom.start"))
    return m


@pytest.fixture(scope="module")
def stiff():
    return frames(cantilever(1e9), "boom", 0.15, list(ALL))


@pytest.fixture(scope="module")
def soft():
    return frames(cantilever(10e6), "boom", "400 ms", ["geometrically-exact", "modal", "rigid", "ancf-cable"])


def test_small_deflections_are_the_same(stiff):
    """Below 5 % of the length all but the rigid one agree within 1 %, and modes are enough."""
    assert 1e-3 < stiff.deflection < 0.05 and stiff.rotation < 0.1 and 0 < stiff.strain < 0.01
    assert stiff.shares["rigid"] == pytest.approx(1.0, rel=1e-3)  # the start is held: a rigid beam misses the deflection
    assert all(stiff.shares[word] < 0.01 for word in ALL if word not in ("rigid", "segments"))
    assert "modal is enough" in stiff.advice and stiff.advice.count(".") and "\n" not in stiff.advice
    assert [row["formulation"] for row in stiff.rows] == ["reference", *ALL] and [row["elements"] for row in stiff.rows][:2] == [8, 4]
    assert all(row["energy"] < 1e-4 and row["cpu"] > 0 and row["steps"] > 0 for row in stiff.rows)


def test_stress_and_strain_are_those_of_the_section(stiff):
    """Bending alone, nearly: stress is E times the strain, and that of the two formulations that know stresses."""
    stress = {row["formulation"]: row["stress"] for row in stiff.rows}
    assert stress["reference"] == pytest.approx(1e9 * stiff.strain, rel=0.05)  # with damping, which is in stresses alone
    assert stress["geometrically-exact"] == pytest.approx(stress["reference"], rel=0.02)
    assert stress["modal"] is stress["segments"] is stress["rigid"] is None


def test_a_soft_beam_needs_exact_elements(soft):
    assert soft.deflection > 0.2 and soft.rotation > 0.3
    assert "take geometrically-exact" in soft.advice and "modal is enough" not in soft.advice
    assert "profile" in soft.refused["ancf-cable"] and "ancf-cable" not in soft.shares
    assert "not ancf-cable: beam 'boom': profile" in str(soft)


def test_what_is_measured_is_the_arc():
    """A cantilever under a moment at its end is an arc: rotation M L / EI, strain M h / 2 EI, the end at the end of the arc."""
    m = cantilever(1e9, 8, "geometrically-exact")
    m.gravity = (0, 0, 0)
    EI, angle = 1e9 * 0.04 * 0.02**3 / 12, 0.7
    m.add(pl.Torque("load", "boom.end", (0, angle * EI, 0), axes="frame"))
    sol = m.simulate(1e-3, start="static", progress=False)
    deflection, rotation, strain = measures(sol, m["boom"])
    assert rotation == pytest.approx(angle, rel=1e-6) and strain == pytest.approx(angle * 0.01, rel=1e-6)
    assert deflection == pytest.approx(np.hypot(np.sin(angle) / angle - 1, (1 - np.cos(angle)) / angle), rel=1e-6)


def test_rigid_motion_is_no_deflection():
    """It flies by metres and turns by 2 rad."""
    m = pl.Model("free")
    m.add(pl.Beam("boom", (1, 2, 3), (1.6, 2, 3.8), pl.Section.circle("30 mm"), "steel", elements=3, velocity=(1, 2, 0),
                  angular_velocity=(0, 2, 0.5), damping="1 ms"))
    sol = m.simulate(1.0, accuracy=1e-7, progress=False)
    assert np.linalg.norm(sol["boom.end.position"][-1] - sol["boom.end.position"][0]) > 1.0
    assert max(measures(sol, m["boom"])) < 1e-6


def test_nodes_stay_where_they_are():
    """With twice the elements node 1 is node 2: of joints, forces and in expressions; the model itself is as it was."""
    m = cantilever(1e9)
    m.add(pl.RigidBody.sphere("bob", "20 mm", mass="0.1 kg", position=m["boom"].pose(0.25).point.tolist()))
    m.add(pl.Spherical("pin", "boom.node_1", "bob"))
    m.add(pl.Force("push", "boom.half", ("3*boom.node_3.position.x", 0, 0)))
    before = m["push"].plain(), m["pin"].plain(), m["boom"].elements
    finer = doubled(m, "boom")
    assert finer["pin"].a.frame == "node_2" and finer["push"].plain()["vector"][0] == "3*boom.node_6.position.x"
    assert (m["push"].plain(), m["pin"].plain(), m["boom"].elements) == before and finer["boom"].elements == 8
    finer.compile()
    found = frames(m, "boom", 0.02, ["rigid", "corotational"], tip="boom.node_2.position")
    half = frames(m, "boom", 0.02, ["rigid", "corotational"], tip="boom.half.position")
    assert found.rows[1]["tip"] == pytest.approx(half.rows[1]["tip"], rel=1e-6)


def test_what_has_no_reference_is_refused():
    """The middle of an element is elsewhere if there are twice as many; a reference is ten times as accurate."""
    m = cantilever(1e9, formulation="corotational")
    m.add(pl.Sample("sensor", "boom.element_1.moment.y", "1 ms"))
    with pytest.raises(pl.ModelError, match=r"boom\.element_1\.moment\.y .* elsewhere on the reference"):
        frames(m, "boom", 0.01)
    with pytest.raises(pl.ModelError, match="accuracy 1e-12 must be between"):
        frames(cantilever(1e9), "boom", 0.01, accuracy=1e-12)


def test_a_beam_at_rest():
    """It begins in equilibrium, as the model says: nothing moves, and the energy error is of what is stored."""
    m = cantilever(1e9)
    m.settings = {"start": "static", "integrator": "hht", "step": 1.0}
    found = frames(m, "boom", 0.01, ["corotational"])
    assert np.ptp(found.paths["reference"], axis=0).max() < 1e-6 and found.deflection > 0.02
    assert max(row["energy"] for row in found.rows) < 1e-9


def test_runs_that_take_too_long_are_stopped(monkeypatch):
    monkeypatch.setattr(study, "LEAST", 0.0)
    monkeypatch.setattr(study, "PATIENCE", 1e-9)
    found = frames(cantilever(1e9), "boom", 0.05, ["modal"])
    assert "stopped at" in found.refused["modal"] and "there is no run of it" in found.advice


def test_too_few_elements_are_told():
    tapered = {0: pl.Section.rectangle("40 mm", "20 mm"), 1: pl.Section.rectangle("4 mm", "2 mm")}
    found = frames(cantilever(1e9, 1, "geometrically-exact", tapered), "boom", 0.1, ["geometrically-exact", "modal"])
    assert "take more elements" in found.advice and "sections that change" in found.refused["modal"]


def test_from_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cantilever(1e9).save("boom.yaml")
    words = ["study", "frames", "boom.yaml", "--body", "boom", "--duration", "20 ms", "--formulation", "modal", "--formulation", "rigid"]
    assert execute([*words, "-o", "boom.png", "-o", "boom.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["formulation"] for row in found["rows"]] == ["reference", "modal", "rigid"] and "modal is enough" in found["advice"]
    with open("boom.csv") as file:
        assert len(list(csv.DictReader(file))) == 3
    assert (tmp_path / "boom.png").stat().st_size > 5000
    for arguments, told in ((["boom.yaml"], "needs --body"), (["--body", "boom"], "needs a MODEL"),
                            (["boom.yaml", "--body", "bom"], "boom"), (["boom.yaml", "--body", "foot"], "no beam"),
                            (["boom.yaml", "--body", "boom", "--formulation", "modl"], "modal"),
                            (["boom.yaml", "--body", "boom", "--tip", "boom.end.positon"], "boom.end.position"),
                            (["boom.yaml", "--body", "boom", "--limit", "3"], "takes no --limit"),
                            (["boom.yaml", "--body", "boom", "-o", "boom.doc"], "ends in .csv, .png")):
        assert execute(["study", "frames", *arguments]) == 1 and told in capsys.readouterr().err, arguments
