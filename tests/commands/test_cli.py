"""The command line: what it writes, its exit codes, and --json."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sample_models import SLIDER_CRANK

import pliant as pl
from pliant import cli, simulation

PENDULUM = """\
import pliant as pl

def model():
    m = pl.Model("pendulum", gravity=(0, -9.81, 0), settings={"duration": 0.05, "step": 0.01})
    bob = m.add(pl.RigidBody.rod("bob", start=(0, 0, 0), end=(1, 0, 0), mass=1))
    m.add(pl.Revolute("pivot", m.ground, bob["start"]))
    return m
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crank.yaml").write_text(SLIDER_CRANK)
    (tmp_path / "pendulum.py").write_text(PENDULUM)
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.execute(list(args))
    out = capsys.readouterr()
    return code, out.out, out.err


def ask(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    """With --json: exactly one object on stdout."""
    code, out, _ = call(capsys, *args, "--json")
    assert out.count("\n") == 1
    data = json.loads(out)
    assert isinstance(data, dict)
    return code, data


def test_run_plot_export_animate(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "run", "crank.yaml", "--step", "0.5 ms", "--output-step", "0.5 ms", "--no-progress")
    assert (code, err) == (0, "")
    assert "run of 'slider crank'" in out and "complete" in out and "crank.h5" in out
    sol = pl.load(here / "crank.h5")
    assert len(sol.t) == 201 and sol.t[-1] == pytest.approx(0.1)
    assert sol["A.angle"][-1] == pytest.approx(15.0, abs=1e-9)
    assert ask(capsys, "plot", "crank.h5", "slider.position.x", "A.angle") == (
        0, {"file": "crank.png", "channels": ["slider.position.x", "A.angle"]})
    assert (here / "crank.png").read_bytes()[:4] == b"\x89PNG"
    code, out, _ = call(capsys, "export", "crank.h5", "slider.position.x", "--to", "csv", "-o", "x.csv")
    assert code == 0 and (here / "x.csv").read_text().splitlines()[0] == "t [s],slider.position.x [m]"
    code, out, err = call(capsys, "export", "crank.h5", "--to", "xls")
    assert code == 1 and "is not a format of this program; there are csv, html, vtk, gltf" in err
    code, _, err = call(capsys, "plot", "crank.h5", "slider.positon.x")
    assert code == 1 and err.startswith("no channel 'slider.positon.x'; did you mean")
    code, _, err = call(capsys, "plot", "none.h5", "t")
    assert code == 1 and "none.h5" in err


def test_run_to_accuracy_with_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, data = ask(capsys, "run", "crank.yaml", "--accuracy", "draft", "--duration", "20 ms", "-o", "out.h5",
                     "--set", "bodies.crank.mass=2 kg")
    assert code == 0 and data["complete"] and data["end"] == pytest.approx(0.02) and data["file"] == "out.h5"
    assert data["quality"]["estimate"] is None and data["quality"]["steps"] > 0 and data["accuracy"] == 1e-3
    loaded = pl.load("out.h5")
    assert loaded.model is None or loaded.model["crank"].mass == 2.0


def test_a_python_model(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, data = ask(capsys, "run", "pendulum.py", "--set", "bodies.bob.mass=3 kg", "--set", "gravity=[0, 0, -1]",
                     "--set", "simulate.step=5 ms")
    assert code == 0 and data["quality"]["steps"] == 10 and (here / "pendulum.h5").is_file()
    code, data = ask(capsys, "summary", "pendulum.py", "--set", "bob.mass=3 kg")
    assert data["total_mass"] == 3.0
    for change, message in {"bob.mas=1": "--set bob.mas: 'bob' has no field 'mas'; did you mean 'mass'?",
                            "bob.mass=-1": "--set bob.mass: rigid 'bob': mass: -1 must be at least 0",
                            "bib.mass=1": "--set bib.mass: model 'pendulum' has no item 'bib'; did you mean 'bob'?",
                            "simulate.stp=1": "--set simulate.stp: unknown option 'stp'; did you mean 'step'?",
                            "bob.frames.end.point=1": "--set bob.frames.end.point: of a Python model gravity, planar, ITEM.FIELD, and "
                                                      "simulate.OPTION or that of another analysis can be set"}.items():
        assert call(capsys, "summary", "pendulum.py", "--set", change) == (1, "", message + "\n")


@pytest.mark.parametrize(("text", "message"), [
    ("x = 1", "m.py: its 'model' must be a pliant Model or a function that returns one, found NoneType"),
    ("model = 1 +", "m.py:1: SyntaxError: invalid syntax"),
    ("\nmodel = undefined", "m.py:2: NameError: name 'undefined' is not defined"),
    ("import pliant as pl\ndef model():\n    pl.RigidBody('a', mass=-1)", "m.py:3: rigid 'a': mass: -1 must be at least 0"),
])
def test_wrong_python_models(here: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    (here / "m.py").write_text(text)
    assert call(capsys, "summary", "m.py") == (1, "", message + "\n")


def test_a_wrong_model_is_1(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.yaml").write_text(SLIDER_CRANK.replace("0.36 kg", "-1").replace("axis: x", "axs: x"))
    lines = ["bad.yaml:5: bodies.crank.mass: -1 must be at least 0", "bad.yaml:12: joints.D.axs: unknown key 'axs'; did you mean 'axis'?"]
    assert call(capsys, "run", "bad.yaml") == (1, "", "\n".join(lines) + "\n")
    assert ask(capsys, "run", "bad.yaml") == (1, {"error": {"kind": "model", "message": "\n".join(lines)}, "problems": lines})
    code, _, err = call(capsys, "run", "bad.yaml", "--debug")
    assert code == 1 and "Traceback" in err
    assert not list(here.glob("*.h5"))


@pytest.mark.parametrize("args", [["run"], ["fly"], ["run", "none.yaml"], ["run", "x.txt"], ["run", "crank.yaml", "--steps", "1"],
                                  ["run", "crank.yaml", "--step", "1", "--accuracy", "fine"], ["run", "crank.yaml", "--step", "1 kg"],
                                  ["run", "crank.yaml", "--step", "1 ms", "-o", "no/such/folder.h5"], ["examples", "nonesuch"]])
def test_wrong_arguments_are_1_without_a_traceback(here: Path, capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    code, out, err = call(capsys, *args)
    assert (code, out) == (1, "") and err and "Traceback" not in err and "unexpected" not in err
    code, data = ask(capsys, *args)
    assert code == 1 and data["error"]["message"]


@pytest.mark.parametrize("command", ["resume", "plot", "export", "animate"])
def test_a_model_is_not_a_run(here: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    code, out, err = call(capsys, command, "crank.yaml", *(["A.angle"] if command == "plot" else []))
    assert (code, out) == (1, "")
    assert err.splitlines()[0] == "crank.yaml is a model, not a run; pliant run crank.yaml starts it"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that refuses files in no ordinary way")
@pytest.mark.parametrize("args", [["run", "crank.yaml", "-o", "/proc/x.h5"], ["examples", "--copy", "/proc/x"]])
def test_impossible_places_are_told_in_a_sentence(here: Path, capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    code, out, err = call(capsys, *args)
    assert (code, out) == (1, "") and "Errno" not in err and err.startswith("cannot ") and "'/proc/x" in err


def test_a_failed_simulation_is_2_and_its_rows_are_kept(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("root.yaml").write_text("pliant: 1\nbodies: {b: {box: {size: [1, 1, 1]}, mass: 1}}\n"
                                 "forces: {bad: {kind: force, frame: b, vector: [sqrt(0.0105 - t), 0, 0]}}\n"
                                 "simulate: {duration: 0.1, step: 1e-3}\n")
    code, out, err = call(capsys, "run", "root.yaml", "-o", "part.h5")
    assert (code, out) == (2, "") and "'bad' gave a number that is not finite" in err
    assert "11 rows up to t = 0.01 s are kept in part.h5" in err
    assert len(pl.load("part.h5").t) == 11
    code, data = ask(capsys, "run", "root.yaml")
    assert code == 2 and data["error"]["kind"] == "simulation" and data["file"] == "root.h5" and data["rows"] == 11
    assert data["code"] == "not-finite" and sorted(p.name for p in here.glob("*.h5*")) == ["part.h5", "root.h5"]


def test_an_interrupt_is_130(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "simulate", interrupted)
    assert call(capsys, "run", "crank.yaml") == (130, "", "interrupted\n")


def test_schema_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    from pliant.text.model_text import schema
    assert ask(capsys, "schema") == (0, schema())
    code, out, _ = call(capsys, "schema")
    assert code == 0 and json.loads(out) == schema()
    commands = {(name,): c for name, c in cli.cli.commands.items()}
    commands |= {("flex", name): c for name, c in cli.cli.commands["flex"].commands.items()}
    for args in ([], ["--help"], *([*names, "--help"] for names in commands)):
        code, out, _ = call(capsys, *args)
        assert code == 0 and out.startswith("Usage: pliant") and "..." not in out.partition("Commands:")[2]  # no text is cut
    del commands["flex",]
    assert all({"--json", "--debug"} <= {o for p in c.params for o in p.opts} for c in commands.values())


def test_examples(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, data = ask(capsys, "examples")
    assert code == 0 and all(data["examples"].values())
    name = next(iter(data["examples"]))
    code, shown = ask(capsys, "examples", name)
    assert code == 0 and shown["text"]
    assert call(capsys, "examples", name, "--copy", "mine")[0] == 0
    assert (here / "mine" / shown["file"]).read_text() == shown["text"]
    code, _, err = call(capsys, "examples", name, "--copy", "mine")
    assert code == 1 and "exists" in err
    assert call(capsys, "examples", "connecting_rod", "--copy", "rod")[0] == 0
    assert {p.name for p in (here / "rod").iterdir()} == {"connecting_rod.py", "connecting_rod.inp"}


def test_verify_and_bench_print_tables(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import types
    row = {"name": "a", "quantity": "x [m]", "value": 1.0, "reference": 1.0, "error": float("nan"), "tolerance": 1e-9,
           "passed": True, "steps": 3, "seconds": 0.1}
    book = types.SimpleNamespace(verify=lambda names, accuracy: [row, {**row, "name": "b", "passed": names == ["b"]}])
    monkeypatch.setitem(sys.modules, "pliant.proofs.verification", book)
    code, out, _ = call(capsys, "verify")
    assert code == 1 and "FAILED" in out and out.endswith("1 of 2 passed\n")
    code, data = ask(capsys, "verify", "b")
    assert code == 0 and data["passed"] and data["results"][0]["error"] is None
    stub = types.SimpleNamespace(bench=lambda peers, quick: [{"problem": "chain", "quick": quick}], table=lambda rows: f"{len(rows)} row")
    monkeypatch.setitem(sys.modules, "pliant.proofs.benchmarks", stub)
    code, out, _ = call(capsys, "bench", "--quick")
    assert code == 0 and out == "1 row\n"
    assert ask(capsys, "bench")[1] == {"results": [{"problem": "chain", "quick": False}]}


def test_the_module_runs_and_help_is_light(here: Path) -> None:
    code = ("import sys, pliant.cli as c; r = c.execute(['--help']); "
            "print(r, [m for m in ('numpy', 'numba', 'rich', 'pydantic') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))
    assert done.stdout.endswith("0 []\n")


LATE = """
import pliant as pl
def late(t):
    if t > 0.05:
        raise RuntimeError("sensor table ended")
    return [1.0][0]
print("hello")
def model():
    m = pl.Model("late")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    m.add(pl.Force("f", "b", (late, 0, 0)))
    return m
"""


def test_a_fault_in_a_function_keeps_the_rows_and_is_2(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    Path("late.py").write_text(LATE)
    code, data = ask(capsys, "run", "late.py", "--duration", "1", "--step", "1e-3")
    assert code == 2 and data["file"] == "late.h5" and data["rows"] > 10
    assert "RuntimeError: sensor table ended" in data["error"]["message"]


def test_output_must_not_be_the_input_and_must_be_named_for_what_it_is(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    text = "pliant: 1\nbodies: {b: {box: {size: [1, 1, 1]}, mass: 1}}\nsimulate: {duration: 0.1, step: 1e-2, record: [b.positio]}\n"
    Path("m.yaml").write_text(text)
    code, _, err = call(capsys, "run", "m.yaml", "-o", "m.yaml")
    assert code == 1 and "is the file that is read" in err and Path("m.yaml").read_text() == text
    code, _, err = call(capsys, "run", "m.yaml", "-o", "m.csv")
    assert code == 1 and "written as .h5" in err
    code, _, err = call(capsys, "run", "m.yaml")
    assert code == 1 and "no channel matches 'b.positio'" in err and not Path("m.h5").exists()
