"""Files of flexible runs are whole: parts, stresses and pictures are in them, without the files that the parts came from."""
import json
import os
import shutil

import h5py
import numpy as np
import pytest
import verify_files as vf

import pliant as pl
from pliant import cli
from pliant.safe_files import journal as jn
from pliant.view.sources import FileSource, JournalSource

NAMES = ("two bodies of one part", "text, one file", "Python function")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """{name: (run in memory, its file in another place)}"""
    return {name: vf.saved(name, tmp_path_factory.mktemp("run")) for name in NAMES}


@pytest.fixture(scope="module")
def elsewhere(runs):
    """{name: what another process sees}, which has neither the models nor the parts."""
    return dict(zip(runs, vf.opened_elsewhere(*(file for _, file in runs.values())), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_a_process_without_the_parts_sees_what_is_in_memory(runs, elsewhere, name):
    sol, file = runs[name]
    here = vf.seen(sol)
    assert any(key.startswith("stress") for key in here)
    if name == "Python function":
        assert elsewhere[name].pop("continued") == "run 'swinging' cannot be resumed" and here.pop("continued")
    assert elsewhere[name] == here
    assert file.stat().st_size <= vf.room(sol, file)


def test_a_part_is_kept_once_and_compressed(runs):
    with h5py.File(runs["two bodies of one part"][1]) as f:
        assert list(f["parts"]) == ["part 0"] and json.loads(f.attrs["bodies"]) == {"link0": "part 0", "link1": "part 0"}
        assert f["parts/part 0/stress/S"].compression == "gzip"
        assert f["parts/part 0/stress/S"].id.get_storage_size() < 0.9 * f["parts/part 0/stress/S"].nbytes
    model = pl.load(runs["two bodies of one part"][1]).model
    assert model["link0"].reduced is model["link1"].reduced


def test_a_python_function_is_told_and_all_else_is_there(runs, tmp_path, capsys):
    sol, file = runs["Python function"]
    loaded = pl.load(file)
    assert loaded.model is None and "force 'push' uses a Python function" in loaded.stored.note
    assert set(loaded.shown.items) == set(sol.model.items)
    assert np.array_equal(loaded.stress("link0", 5e-4), sol.stress("link0", 5e-4))
    with pytest.raises(ValueError, match=r"cannot be resumed: force 'push' uses a Python function.*load\(path, model=\.\.\.\)"):
        loaded.resume(1e-3)
    whole = pl.load(file, model=vf.pushed(vf.rod()))
    assert np.array_equal(whole.resume(5e-4, progress=False).rows, sol.resume(5e-4, progress=False).rows)
    loaded.save(tmp_path / "again.h5")  # also without the model nothing is lost
    again = pl.load(tmp_path / "again.h5")
    assert np.array_equal(again.stress("link0", 5e-4), sol.stress("link0", 5e-4)) and len(again.shown.items) == len(sol.model.items)
    os.environ["MPLBACKEND"] = "Agg"
    assert cli.execute(["report", str(file), "-o", str(tmp_path / "sheet.html")]) == 0
    assert "the model of the run is not in its file (force 'push' uses a Python function" in capsys.readouterr().err
    page = (tmp_path / "sheet.html").read_text()
    assert "link0" in page and "hook" in page and "holds no whole model" in page
    assert FileSource(file).note == loaded.stored.note
    assert cli.execute(["flex", "stress", str(file)]) == 0
    assert "MPa" in capsys.readouterr().out


def test_a_run_that_was_cut_off_is_whole_too(tmp_path):
    copies = []

    def cut(t, end):
        if t > 5e-4 and not copies:
            copies.append(shutil.copy(tmp_path / "run.h5.part", tmp_path / "cut.h5.part"))
    sol = vf.swinging(vf.rod()).simulate(1e-3, output_step=1e-4, out=tmp_path / "run.h5", progress=cut, **vf.STEP)
    assert copies
    loaded = pl.load(tmp_path / "cut.h5.part")
    assert 1 <= len(loaded.t) <= len(sol.t) and np.array_equal(loaded.stress("link0", 0.0), sol.stress("link0", 0.0))
    assert np.array_equal(loaded.resume(progress=False).rows, sol.rows)
    assert JournalSource(tmp_path / "cut.h5.part").model["link0"].reduced.same_as(vf.rod())


def test_files_without_parts_are_read_as_before(runs, tmp_path):
    file = shutil.copy(runs["text, one file"][1], tmp_path / "old.h5")
    with h5py.File(file, "r+") as f:
        del f["parts"], f.attrs["bodies"], f.attrs["shown"]
    sol = pl.load(file)
    assert sol.model is None and "cannot be read" in sol.stored.note and len(sol["link0.position"]) == vf.ROWS
    with pytest.raises(ValueError, match="load it together with its model"):
        sol.stress("link0")


def test_a_surface_that_is_gone_does_not_take_the_model_with_it(tmp_path):
    surface = tmp_path / "bob.obj"
    surface.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    m = vf.swinging(vf.rod())
    m.styles["bob"] = pl.Style(mesh=str(surface), color="red")
    m.simulate(1e-3, output_step=1e-4, progress=False, **vf.STEP).save(tmp_path / "run.h5")
    surface.unlink()
    style = pl.load(tmp_path / "run.h5").model.styles["bob"]
    assert np.array_equal(style.kept.points[style.kept.cells[0]], [(0, 0, 0), (1, 0, 0), (0, 1, 0)]) and style.color == "#c1121f"


def bomb(group, name):
    """100 GB of zeros in some kB: HDF5 would expand it chunk by chunk."""
    group.create_dataset(name, (10**6, 6, 2000), "<f8", chunks=(1, 6, 2000), compression="gzip", shuffle=True)
    group[name][0] = 1.0


def wide_chunk(group, name):
    group.create_dataset(name, (12, 6, 9), "<f8", chunks=(2**20, 6, 9), maxshape=(None, 6, 9), compression="gzip", shuffle=True)
    group[name][0] = 1.0


HOSTILE = {
    "a part elsewhere": ("part 0", lambda g, n: g.__setitem__(n, h5py.ExternalLink("secret.h5", "/")), "'part 0' is a link"),
    "a part that is a table": ("part 0", lambda g, n: g.create_dataset(n, data=1.0), "'part 0' is not a group"),
    "an empty part": ("part 0", lambda g, n: g.create_group(n), "'names' is missing"),
    "a bomb": ("part 0/stress/S", bomb, "must have"),
    "a bomb of psi": ("part 0/skin/psi", bomb, "the file has fewer"),
    "a wide chunk": ("part 0/stiffening/K", wide_chunk, "the file has fewer"),
    "another filter": ("part 0/skin/psi", lambda g, n: g.create_dataset(n, data=np.ones((99, 3, 9)), compression="lzf"), "compressed"),
    "stresses of other points": ("part 0/stress/zone", lambda g, n: g.create_dataset(n, data=np.zeros(3)), "must have"),
    "cells of no points": ("part 0/stress/cells", lambda g, n: g.create_dataset(n, data=np.full((1, 2), 1e9)), "do not fit each other"),
    "stresses of other coordinates": ("part 0/stress/S", None, "must be of 9"),
    "numbers that are not finite": ("part 0/Kqq", lambda g, n: g.create_dataset(n, data=np.full((9, 9), np.nan)), "not finite|symmetric")}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_parts(runs, kind, tmp_path, monkeypatch):
    """The rows are there, the parts are refused in a sentence, and nothing large is made."""
    import resource
    monkeypatch.chdir(tmp_path)
    os.mkfifo("secret.h5")  # to open it would hang the test
    shutil.copy(runs["text, one file"][1], "bad.h5")
    name, make, sentence = HOSTILE[kind]
    with h5py.File("bad.h5", "r+") as f:
        parent, _, last = f"parts/{name}".rpartition("/")
        points = len(f["parts/part 0/stress/points"])
        del f[parent][last]
        if make:
            make(f[parent], last)
        else:
            f[parent].create_dataset(last, data=np.ones((points, 6, 2)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sol = pl.load("bad.h5")
    with pytest.raises(ValueError, match=sentence) as refused:
        sol.stress("link0")
    assert "'bad.h5'" in str(refused.value) or str(tmp_path) in str(refused.value)
    assert sol.model is None and sentence.split("|")[0].split()[0].strip("'") in sol.stored.note
    assert "cannot be read" in FileSource(tmp_path / "bad.h5").note
    assert sol.snapshot() is not None  # by its channels
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB


@pytest.mark.parametrize("attached", [{"part 0": 10**12}, {"part 0": "x"}, {"part 1": 8}, [1], {"part 0": -3}])
def test_hostile_attachments_of_journals(attached, tmp_path):
    journal = jn.Journal(tmp_path / "run.h5")
    facts = {"name": "x", "model": "pliant: 1", "model_note": "", "step": 1.0, "stride": 1, "end": 1.0, "layout": {}, "record": None,
             "method": {"kind": "generalized-alpha"}, "units": {}, "bodies": {"link0": "part 0"}}
    journal.begin(facts, attached={"part 0": b"no HDF5 file"})
    journal.add(np.zeros((1, 9)), np.zeros((1, 3)), np.zeros((1, 4)), {"steps": 1, "iterations": 1, "factorisations": 1, "fallbacks": 0})
    journal.mark({})
    journal.close()
    sol = pl.load(tmp_path / "run.h5.part")
    with pytest.raises(ValueError, match="a part cannot be read"):
        sol.part("link0")
    _, head, arrays = next(iter(jn.records(tmp_path / "run.h5.part")))
    with pytest.raises(ValueError, match="attached"):
        jn.attached(head | {"attached": attached}, arrays)
