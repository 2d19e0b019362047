"""Readers, checks, commands and kinds of items from outside, on the command line: only what the user names is imported."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from meshes import box, fe_of

import pliant as pl
from pliant import cli
from pliant.commands.base import cli as group
from pliant.commands.plugins import offered
from pliant.diagnosis import registry as checks
from pliant.flex.readers import registry as readers
from pliant.items.base import KINDS

OUTSIDER = Path(__file__).parents[1] / "support" / "outsider"
SLOT = """pliant: 1
gravity: [0, 0, -9.81]
bodies: {pin: {mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {slot: {kind: pin_in_slot, between: [ground, pin], axis: z}}
simulate: {duration: 0.1, step: 1 ms}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; afterwards nothing from outside is known any more."""
    monkeypatch.chdir(tmp_path)
    readers.mesh_readers()  # those of the package, which register when they are first asked for, stay
    monkeypatch.setattr(readers, "_MESHES", dict(readers._MESHES))
    monkeypatch.setattr(checks, "CODES", dict(checks.CODES))
    for stage, functions in checks.CHECKS.items():
        monkeypatch.setitem(checks.CHECKS, stage, list(functions))
    monkeypatch.setattr(group, "commands", dict(group.commands))
    monkeypatch.setitem(KINDS, "joints", {k: v for k, v in KINDS["joints"].items() if k != "pin_in_slot"})
    for name in [name for name in sys.modules if name.startswith("pliant_plugin_")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def ask(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    code = cli.execute([*args, "--json"])
    return code, json.loads(capsys.readouterr().out)


def plain(mesh: Any) -> str:
    """The text that outsider/plain_mesh.py reads."""
    block, = mesh.blocks
    lines = [f"node {n} " + " ".join(map(repr, x.tolist())) for n, x in zip(mesh.ids, mesh.x, strict=True)]
    lines += [f"{block.kind} {n} " + " ".join(str(mesh.ids[k]) for k in row) for n, row in zip(block.ids, block.nodes, strict=True)]
    lines += [f"group {name} " + " ".join(str(mesh.ids[k]) for k in nodes) for name, nodes in mesh.groups.items()]
    return "\n".join(lines) + "\n"


def test_a_reader(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command, by a text, and from Python: the same matrices as those of the mesh."""
    mesh = box("hex20", (2, 1, 1))
    Path("part.plain").write_text(plain(mesh))
    Path("part.yaml").write_text("pliant: 1\nmaterial: steel\nmesh: {file: {path: part.plain}}\n"
                                 "interfaces: {left: left, right: right}\nreduce: {modes: 4}\n")
    assert cli.execute(["flex", "import", "part.plain"]) == 1
    assert "'.plain' is none of .msh, .inp" in capsys.readouterr().err
    plugin = ["--plugin", str(OUTSIDER / "plain_mesh.py")]
    code, data = ask(capsys, *plugin, "flex", "import", "part.plain", "--material", "steel")
    assert code == 0 and data["elements"] == {"hex20": 2} and data["groups"] == {"left": 8, "right": 8}
    code, data = ask(capsys, *plugin, "flex", "reduce", "part.yaml")
    assert code == 0 and data["mass"] == pytest.approx(fe_of(mesh, pl.flex.STEEL).mass)
    found, due = pl.flex.read("part.plain", material=pl.flex.STEEL), fe_of(mesh, pl.flex.STEEL)
    np.testing.assert_array_equal(found.K.toarray(), due.K.toarray())
    Path("part.plain").write_text("node 1 0 0 0\nnodes\n")
    assert cli.execute(["flex", "import", "part.plain"]) == 1
    assert capsys.readouterr().err.startswith("part.plain:2: must begin with node, group or one of tet4")


def test_endings_of_readers_are_small_and_begin_with_a_point() -> None:
    for wrong in ("xyz", ".XYZ"):
        with pytest.raises(ValueError, match="must begin with a point"):
            readers.reads_mesh(wrong)


def test_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    m = pl.Model("cellar")
    m.add(pl.RigidBody.sphere("ball", 0.1, mass=30, position=(0, 0, -0.5)))
    m.add(pl.Spherical("A", m.ground.frame((0, 0, 0.2)), m["ball"].frame((0, 0, 0.7))))
    m.save("model.yaml")
    assert ask(capsys, "check", "model.yaml")[1]["findings"] == []
    code, data = ask(capsys, "--plugin", str(OUTSIDER / "floor.py"), "check", "model.yaml")
    assert code == 0 and [(f["code"], f["items"]) for f in data["findings"]] == [("below-the-floor", ["ball"]), ("no-gravity", [])]
    assert data["findings"][0]["message"] == "body 'ball' begins 0.5 m below the floor."
    assert checks.CODES["no-gravity"] == "a model without gravity"


def test_a_code_is_given_once_and_a_stage_is_known() -> None:
    with pytest.raises(ValueError, match="the code 'joint-gap' is taken"):
        checks.check("joint-gap", "another meaning", checks.ITEMS)
    with pytest.raises(ValueError, match="stage 'later' must be one of items, modelled"):
        checks.check("new", "meaning", "later")


def test_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    Path("model.yaml").write_text("pliant: 1\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}, b: {mass: 0.5, inertia: [1, 1, 1]}}\n")
    assert cli.execute(["weigh", "model.yaml"]) == 1
    assert "No such command" in capsys.readouterr().err
    plugin = ["--plugin", str(OUTSIDER / "weigh.py")]
    assert cli.execute([*plugin, "weigh", "model.yaml"]) == 0
    assert capsys.readouterr().out == "2.5 kg\n"
    assert ask(capsys, *plugin, "weigh", "model.yaml", "--set", "bodies.a.mass=3") == (0, {"mass": 3.5})
    assert cli.execute([*plugin, "--help"]) == 0
    assert "Print the mass of MODEL." in capsys.readouterr().out


def test_a_text_with_a_joint_from_outside(capsys: pytest.CaptureFixture[str]) -> None:
    """It falls freely along the slot: g t^2 / 2. A run goes on with the plugin too."""
    Path("slot.yaml").write_text(SLOT)
    assert cli.execute(["run", "slot.yaml"]) == 1
    assert "unknown kind 'pin_in_slot'" in capsys.readouterr().err
    plugin = ["--plugin", str(OUTSIDER / "slot_joint.py")]
    assert ask(capsys, *plugin, "run", "slot.yaml", "--no-progress")[0] == 0
    assert pl.load("slot.h5")["slot.displacement"][-1] == pytest.approx(-9.81 * 0.1**2 / 2, rel=1e-6)
    code, _ = ask(capsys, *plugin, *plugin, "resume", "slot.h5", "--duration", "0.1", "--no-progress")
    assert code == 0 and pl.load("slot.h5").t[-1] == pytest.approx(0.2)


def test_a_text_imports_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("evil.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    for line in ("plugin: evil.py", "plugins: [evil]"):
        Path("model.yaml").write_text(f"{SLOT}{line}\n")
        assert cli.execute(["run", "model.yaml"]) == 1
        assert f"unknown key '{line.partition(':')[0]}'" in capsys.readouterr().err
    assert not Path("ran").exists()


@pytest.mark.parametrize(("name", "text", "told"), [
    ("missing.py", None, "--plugin missing.py: file not found"),
    ("no_such_module", None, "--plugin no_such_module: there is no such module"),
    ("bad.py", "x = 1\ny = x / 0\n", "bad.py:2: ZeroDivisionError: division by zero"),
    ("cut.py", "def f(:\n", "cut.py:1: SyntaxError: "),
    ("lost.py", "import no_such_module\n", "lost.py:1: ModuleNotFoundError: ")])
def test_plugins_that_cannot_be_imported(name: str, text: str | None, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    if text is not None:
        Path(name).write_text(text)
    assert cli.execute(["--plugin", name, "schema"]) == 1
    assert told in capsys.readouterr().err
    assert not [name for name in sys.modules if name.startswith("pliant_plugin_")]


def test_a_plugin_finds_its_neighbours_and_what_it_prints_is_no_answer(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "shop").mkdir()
    (here / "shop" / "words.py").write_text("GREETING = 'hello'\n")
    (here / "shop" / "greet.py").write_text("import words\nprint(words.GREETING)\n")
    assert cli.execute(["--plugin", "shop/greet.py", "schema"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) and err == "hello\n"
    assert str(here / "shop") not in sys.path


def test_a_command_of_an_installed_package(here: Path) -> None:
    """Entry points: the list of commands names the package and imports nothing; a call does."""
    info = here / "site" / "shop-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pliant.commands]\nweigh = shop_weigh:weigh\nbroken = shop_weigh:Path\n")
    source = (OUTSIDER / "weigh.py").read_text()
    (here / "site" / "shop_weigh.py").write_text(f"from pathlib import Path\nPath('imported').touch()\n{source}")
    Path("model.yaml").write_text("pliant: 1\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n")
    path = os.pathsep.join([str(here / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pliant.cli", *args]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert "weigh      Of the package shop." in run("--help").stdout and not Path("imported").exists()
    done = run("weigh", "model.yaml")
    assert (done.returncode, done.stdout) == (0, "2 kg\n") and Path("imported").exists()
    assert "Print the mass of MODEL." in run("weigh", "--help").stdout
    done = run("broken")
    assert done.returncode == 1 and "shop_weigh:Path is not a command" in done.stderr


def test_help_imports_nothing_heavy() -> None:
    code = ("import sys; from pliant import cli; cli.execute(['--help']); "
            "print([m for m in ('numpy', 'numba', 'scipy', 'h5py', 'matplotlib', 'pydantic', 'rich', 'ruamel.yaml') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_every_module_of_commands_is_found() -> None:
    folder = Path(cli.__file__).parent / "commands"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} <= {n.rpartition(".")[2] for n in sys.modules
                                                                         if n.startswith("pliant.commands.")}
    assert {"run", "check", "flex", "view", "static", "verify"} <= set(group.commands)
    assert not set(offered()) & set(group.commands)
