"""Files of other programs are not replaced, and names in files do not steer the terminal."""
import h5py
import mechanisms
import numpy as np
import pytest

import pliant as pl
from pliant import cli, flex
from pliant.functions.printable import printable
from pliant.safe_files.hdf5 import is_own

RED = "\x1b[31m"


def thesis(path):
    with h5py.File(path, "w") as f:
        f["measured"] = np.arange(5.0)
    return path


@pytest.fixture(scope="module")
def sol():
    return mechanisms.slider_crank().simulate(0.05, step=1e-3, progress=False)


MODEL = """
pliant: 1
bodies: {rod: {rod: {start: [0, 0, 0], end: [1, 0, 0]}, mass: 1}}
joints: {A: {kind: revolute, between: [ground, rod.start], axis: z}}
simulate: {duration: 0.01, step: 1e-3, out: thesis.h5}
"""


def test_a_file_of_another_program_is_never_replaced(sol, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before = thesis(tmp_path / "thesis.h5").read_bytes()
    (tmp_path / "notes.h5").write_text("no HDF5 at all")
    (tmp_path / "model.yaml").write_text(MODEL)
    part = flex.reduce(flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.circle(0.01), pl.Material(2e11, 0.3, 7800), elements=4),
                       {"start": 0}, modes=1)
    for name in ("thesis.h5", "notes.h5"):
        for write in (sol.save, part.save, lambda out: mechanisms.slider_crank().simulate(0.01, step=1e-3, out=out, progress=False)):
            with pytest.raises(FileExistsError, match=f"cannot write '{name}': the file there was not written by pliant"):
                write(name)
    for command in (["run", "model.yaml"], ["run", "model.yaml", "-o", "notes.h5"]):
        assert cli.execute(command) == 1
        assert "was not written by pliant and would be lost" in capsys.readouterr().err
    with pytest.raises(FileExistsError):
        pl.read("model.yaml").simulate()
    assert (tmp_path / "thesis.h5").read_bytes() == before and not list(tmp_path.glob("*.part"))


def test_own_files_and_empty_ones_are(sol, tmp_path):
    file = tmp_path / "run.h5"
    file.touch()
    sol.save(file)
    assert is_own(file)
    with h5py.File(file, "r+") as f:
        f.attrs["comment"] = "changed by another program: the seal is gone"
    sol.save(file)
    assert len(pl.load(file).t) == len(sol.t)


def test_control_characters_of_names_do_not_reach_the_terminal(sol, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sol.save("run.h5")
    with h5py.File("run.h5", "r+") as f:
        f.attrs["name"] = f"{RED}crank\u202e"
        f.attrs["model"], f.attrs["model_note"] = "", f"{RED}lost"
        f["channels/A.angle"].attrs["unit"] = f"{RED}rad"
        f["channels"].attrs["others"] = "{}"
    loaded = pl.load("run.h5")
    assert loaded.name == "\\x1b[31mcrank\\u202e" and loaded.unit("A.angle") == "\\x1b[31mrad" and "\x1b" not in loaded.summary()
    for command in (["plot", "run.h5", "A.angle"], ["plot", "run.h5", f"{RED}A"], ["report", "run.h5"], ["animate", "run.h5"],
                    ["export", "run.h5"], ["resume", "run.h5", "--duration", "1"], ["run", f"{RED}model.yaml"]):
        cli.execute(command)
        said = capsys.readouterr()
        assert "\x1b" not in said.out + said.err and said.out + said.err
    with h5py.File("run.h5", "r+") as f:
        f["channels"].move("A.angle", f"{RED}A.angle")
    with pytest.raises(ValueError, match=r"the name '\\x1b\[31mA.angle' of a channel has control characters"):
        pl.load("run.h5")


def test_what_is_printable_stays():
    text = "Körper, größe 5 m², 角度 \u00a0–\n\tzweite Zeile"
    assert printable(text) == text
    assert printable("a\x00\x9b\u2028\u200f\udcff") == "a\\x00\\x9b\\u2028\\u200f\\udcff"
