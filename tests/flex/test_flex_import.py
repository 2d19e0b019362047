"""Commands for files of FE programs, parts of them in text, and stresses over a run."""
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import pliant as pl
from pliant.cli import execute
from pliant.flex import Reduced
from pliant.flex.tensors import von_mises
from pliant.results.stresses import BodyStress
from pliant.solution import Solution

SAMPLES = Path(__file__).parents[1] / "support" / "samples"


def test_import_reports(capsys):
    assert execute(["flex", "import", str(SAMPLES / "box_mm.inp"), "--units", "mm, t, s"]) == 0
    told = capsys.readouterr().out
    for words in ("read: 20 nodes, 1 hex20, 60 unknowns", "units: mm, t, s, as given", "mass 1.256 kg, size 0.2 x 0.09 x 0.02 m",
                  "group 'left': 8 nodes", "unattached: no nodes", "not supported: nothing", "frequencies of the free part [Hz]:",
                  "unit load on 'right'", "unit loads: in equilibrium"):
        assert words in told, told
    assert execute(["flex", "import", str(SAMPLES / "box22.msh"), "--material", "210 GPa, 0.3, 7850 kg/m^3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    fe = pl.flex.read(SAMPLES / "box.inp")
    assert data["mass"] == pytest.approx(fe.mass) and data["groups"] == {"left": 8, "right": 8, "STEEL": 20}
    x = data["unit_loads"]["right"]
    assert all(u > 0 for u in x)


@pytest.mark.parametrize("file, options", [("box_mm.inp", ["--units", "mm, t, s"]),
                                           ("box22.msh", ["--material", "210 GPa, 0.3, 7850 kg/m^3"]),
                                           ("box.op4", ["--mesh", "box.inp"]), ("box_dmig.bdf", [])])
def test_the_text_at_the_end_of_the_report_makes_a_part(file, options, tmp_path, monkeypatch, capsys):
    """Also with a group whose name is no word."""
    for name in {file, "box.inp"}:
        text = (SAMPLES / name).read_text()
        (tmp_path / name).write_text(text.replace("NSET=left", "NSET=left face").replace('"left"', '"left: face"'))
    monkeypatch.chdir(tmp_path)
    assert execute(["flex", "import", file, *options]) == 0
    told = capsys.readouterr().out
    (tmp_path / "part.yaml").write_text("\n".join(line[2:] for line in told.partition("part.h5':\n")[2].splitlines()) + "\n")
    if "dmig" in file:  # no groups
        assert "# interfaces:" in told
    assert execute(["flex", "reduce", "part.yaml", "-o", "part.h5"]) == 0, capsys.readouterr().err
    part = Reduced.load("part.h5")
    assert part.integrals.m == pytest.approx(1.256) and list(part.nodes) == ([] if "dmig" in file else ["left_face", "right"]
                                                                             if "msh" not in file else ["left__face", "right"])
    assert (part.stress is None) == ("dmig" in file)


def test_unit_load_of_a_bar():
    """A free bar pulled at its end, balanced by inertia: the mean displacement of the end against the centre of mass is F L / (3 E A)."""
    from meshes import box, fe_of

    from pliant.flex.readers.report import import_report
    mesh = box("hex8", (8, 1, 1))  # equal forces at the corners are a constant pressure
    fe = fe_of(mesh, pl.Material(210e9, 0.0, 7850))
    data = import_report(fe).data
    assert data["unit_loads"]["right"][0] == pytest.approx(0.2 / (3 * 210e9 * 0.04 * 0.02), rel=0.01)


def test_import_refuses(capsys):
    assert execute(["flex", "import", str(SAMPLES / "box_mm.inp")]) == 1
    assert "units='mm, t, s'" in capsys.readouterr().err
    assert execute(["flex", "import", str(SAMPLES / "box22.msh")]) == 1
    assert "1 elements of 'STEEL' have no material" in capsys.readouterr().err
    assert execute(["flex", "import", str(SAMPLES / "box22.msh"), "--material", "wood"]) == 1
    assert "must be steel, aluminium" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_run_calculix(tmp_path, capsys):
    shutil.copy(SAMPLES / "box.inp", tmp_path)
    assert execute(["flex", "run-calculix", str(tmp_path / "box.inp")]) == 0
    told = capsys.readouterr().out
    assert "written:" in told and "CalculiX matrices box_matrices.sti, .mas, nodes of" in told
    assert 'mesh: {file: {path: box_matrices.sti, units: "m, kg, s", mesh: box.inp}}' in told
    assert {p.name for p in tmp_path.iterdir()} == {"box.inp", *(f"box_matrices.{e}" for e in ("inp", "sti", "mas", "dof"))}
    for end in ("sti", "mas", "dof"):  # the committed ones are those of CalculiX
        assert (tmp_path / f"box_matrices.{end}").read_text() == (SAMPLES / f"box_matrices.{end}").read_text()
    (tmp_path / "bad.inp").write_text((tmp_path / "box.inp").read_text().replace("*ELASTIC\n210e9, 0.3\n", ""))
    assert execute(["flex", "run-calculix", str(SAMPLES / "box22.msh"), "--units", "m, kg, s"]) == 1
    assert "CalculiX reads input files, with the ending .inp" in capsys.readouterr().err
    shutil.copy(SAMPLES / "box_mm.inp", tmp_path)
    assert execute(["flex", "run-calculix", str(tmp_path / "box_mm.inp")]) == 1  # units are asked before it runs
    assert "units='mm, t, s'" in capsys.readouterr().err and not (tmp_path / "box_mm_matrices.sti").exists()
    with pytest.raises(ValueError, match=r"bad\.inp: CalculiX could not make its matrices: "):
        from pliant.flex.readers.calculix import run_calculix
        run_calculix(tmp_path / "bad.inp")
    assert not list(tmp_path.glob("bad_*"))


def test_without_calculix(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert execute(["flex", "run-calculix", str(SAMPLES / "box.inp")]) == 1
    assert "ccx) is not installed" in capsys.readouterr().err


def test_a_part_of_a_file(tmp_path, capsys):
    """The mesh is found beside the text; groups are interfaces; stresses are kept."""
    shutil.copy(SAMPLES / "box_mm.inp", tmp_path)
    (tmp_path / "part.yaml").write_text("pliant: 1\nmesh: {file: {path: box_mm.inp, units: 'mm, t, s'}}\n"
                                        "interfaces: {a: left, b: {group: right, coupling: average}}\nreduce: {modes: 3, stress: true}\n")
    assert execute(["flex", "reduce", str(tmp_path / "part.yaml"), "-o", str(tmp_path / "part.h5")]) == 0
    found = Reduced.load(tmp_path / "part.h5")
    fe = pl.flex.read(SAMPLES / "box.inp")
    due = pl.flex.reduce(fe, {"a": "left", "b": {"group": "right", "coupling": "average"}}, modes=3)
    assert np.allclose(found.frequencies, due.frequencies, rtol=1e-9) and found.stress is not None
    (tmp_path / "part.yaml").write_text("pliant: 1\nmesh: {file: {path: box_mm.inp, unit: 'mm, t, s'}}\nreduce: {modes: 3}\n")
    assert execute(["flex", "reduce", str(tmp_path / "part.yaml")]) == 1
    assert "did you mean 'units'" in capsys.readouterr().err


# -- stresses over a run
class Run(dict):
    """A run as `Solution` shows it."""
    part, stored = Solution.part, None

    def __init__(self, part, q, t):
        super().__init__({"rod.modal": q})
        self.shown, self.t = {"rod": SimpleNamespace(reduced=part), "block": SimpleNamespace()}, t


def test_stress_over_a_run(tmp_path):
    fe = pl.flex.read(SAMPLES / "box.inp")
    part = pl.flex.reduce(fe, {"a": "left", "b": "right"}, modes=1, stress=True)
    t = np.linspace(0, 2, 41)
    q = np.outer(np.sin(3 * t), np.arange(1.0, part.n + 1) * 1e-6)
    sol = Run(part, q, t)
    s = Solution.stress(sol, "rod")
    assert isinstance(s, BodyStress)
    assert np.allclose(Solution.stress(sol, "rod", t[7]), part.stress.at(q[7]))
    assert np.allclose(s.at((t[7] + t[8]) / 2), part.stress.at((q[7] + q[8]) / 2))
    told = []
    e = s.envelope(told.append)
    assert told[-1] == 1 and s.envelope() is e
    assert e.von_mises.max() == pytest.approx(max(von_mises(part.stress.at(x)).max() for x in q))
    assert "near interface" in s.summary() and len(s.hot_spots(2, apart=0.05)) == 2
    assert list(s.damage(pl.flex.SN(1e3, 1e6, 5), [3, 4])) == [3, 4]
    first = s.between(0, 0.5)
    assert first.t[-1] == 0.5 and first.envelope().von_mises.max() == pytest.approx(von_mises(first.recovery.at(q[10])).max())
    assert np.array_equal(s.history(3), part.stress.history(3, q))
    s.plot(tmp_path / "rod.png")
    assert (tmp_path / "rod.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match="there are no rows from 3 to 4 s"):
        s.between(3, 4)
    s.export(tmp_path / "now.vtu", 0.5)
    s.export(tmp_path / "all.vtu")
    assert b"time_of_von_mises" in (tmp_path / "all.vtu").read_bytes()
    for body, words in (("block", "is not a flexible body"), ("rod", "with stress=True")):
        with pytest.raises(ValueError, match=words):
            BodyStress(Run(pl.flex.reduce(fe, {"a": "left"}, modes=1), q, t), body)
    with pytest.raises(ValueError, match="t = 3 s must be from 0 to 2 s"):
        s.at(3)


def test_the_mesh_of_the_connecting_rod_is_its_drawing():
    """Mass and centre of mass by the outline: shank, fillets, rings and bores; curved sides are kept by bricks with 20 nodes."""
    from make_connecting_rod import DEPTH, ENDS, FILLET, LENGTH, WIDTH
    x = np.linspace(-ENDS["BIG"][1], LENGTH + ENDS["SMALL"][1], 200_001)
    half, bore = np.full_like(x, WIDTH / 2), np.zeros_like(x)
    for (c, outer, inner), side in zip(ENDS.values(), (1, -1), strict=True):
        d, reach = side * (x - c), np.sqrt((outer + FILLET) ** 2 - (WIDTH / 2 + FILLET) ** 2)
        half = np.where(d < reach, WIDTH / 2 + FILLET - np.sqrt(np.clip(FILLET**2 - (reach - d) ** 2, 0, None)), half)
        half = np.where(d < reach * outer / (outer + FILLET), np.sqrt(np.clip(outer**2 - d**2, 0, None)), half)
        bore += np.sqrt(np.clip(inner**2 - d**2, 0, None))
    m = 7850e-9 * DEPTH * 2 * (half - bore)
    fe = pl.flex.read(Path(__file__).parents[2] / "examples" / "connecting_rod.inp", units="mm, t, s")
    assert fe.mass == pytest.approx(np.trapezoid(m, x), rel=1e-4)
    one = np.tile([1.0, 0, 0], len(fe.nodes))
    centre = one @ (fe.M @ (one * np.repeat(fe.nodes[:, 0], 3))) / fe.mass
    assert centre == pytest.approx(np.trapezoid(m * x, x) / np.trapezoid(m, x) / 1000, rel=1e-4)


def test_stress_of_a_body_under_its_weight():
    """A cantilever let go and damped comes to rest with the static stress."""
    part = pl.flex.reduce(pl.flex.read(SAMPLES / "box.inp"), {"a": "left", "b": "right"}, modes=3, stress="all")
    m = pl.Model("cantilever", gravity=(0, 0, -9.81))
    m.add(pl.ModalBody("rod", part, damping=0.5))
    m.add(pl.Fixed("clamp", m.ground, "rod.a"))
    sol = m.simulate(0.05)
    due = part.stress.at(np.linalg.solve(part.Kqq, part.integrals.S.T @ [0, 0, -9.81]))
    assert np.allclose(sol.stress("rod", 0.05), due, rtol=0, atol=1e-4 * abs(due).max())
    assert sol.stress("rod").envelope().von_mises.max() > von_mises(due).max()
