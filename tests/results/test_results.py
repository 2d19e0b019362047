"""Files of results: what is written is read back, runs go on from them, and broken files are refused."""
import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import mechanisms
import numpy as np
import pytest

import pliant as pl
from pliant.results import results_file


@pytest.fixture(scope="module")
def sol():
    return mechanisms.slider_crank().simulate(0.4, step=1e-3, output_step=4e-3)


@pytest.fixture
def path(sol, tmp_path):
    sol.save(tmp_path / "run.h5")
    return tmp_path / "run.h5"


def test_round_trip(sol, path):
    back = pl.load(path)
    np.testing.assert_array_equal(back.rows, sol.rows)
    np.testing.assert_array_equal(back.energies, sol.energies)
    assert back.channels == sol.channels
    assert back.units == sol.units
    for name in sol.channels:
        np.testing.assert_array_equal(back[name], sol[name])
    np.testing.assert_array_equal(back["crank.end.position.y"], sol["crank.end.position.y"])
    assert (back.quality, back.method, back.step, back.stride) == (sol.quality, sol.method, sol.step, sol.stride)
    assert (back.name, back.complete) == ("slider crank", True)
    assert back.energy.drift == sol.energy.drift
    assert set(back.recorded) == set(sol.channels)
    assert back.dynamics is None  # nothing was compiled for all this


def test_layout(sol, path):
    """As docs/results.md says, for readers without pliant."""
    with h5py.File(path) as f:
        assert f.attrs["pliant"] == 1
        assert f.attrs["version"] == pl.__version__
        method = {"kind": "generalized-alpha", "rho": 0.9, "newton": "modified", "tolerance": 1e-9, "max_iterations": 25}
        assert json.loads(f.attrs["method"]) == method
        assert json.loads(f.attrs["quality"])["steps"] == 400
        assert f.attrs["model"].startswith("pliant: 1")
        assert f["states"].shape == sol.rows.shape
        assert f["energies"].shape == (101, 3)
        np.testing.assert_array_equal(f["t"], sol.t)
        end = f["channels"]["crank.end.position"]
        assert end.shape == (101, 3)
        assert end.dtype == np.float64
        assert end.chunks is not None
        assert end.attrs["unit"] == "m"
        assert f["channels"]["A.angle"].shape == (101,)
        assert {"q", "v", "a", "lam"} <= set(f["memory"])
    assert os.listdir(path.parent) == ["run.h5"]  # nothing temporary is left


def test_a_loaded_run_saves_again(path, tmp_path):
    back = pl.load(path)
    back.save(path)  # over itself
    again = pl.load(path)
    np.testing.assert_array_equal(again["A.force"], back["A.force"])
    assert again.model is not None


def test_record_patterns(sol, tmp_path):
    path = tmp_path / "some.h5"
    sol.save(path, record=["A.*", "crank.end.position", "slider.velocity.x"])
    back = pl.load(path)
    assert set(back.recorded) == {*sol.select("A.*"), "crank.end.position", "slider.velocity.x"}
    assert set(sol.channels) <= set(back.channels)
    np.testing.assert_array_equal(back["crank.end.position.x"], sol["crank.end.position.x"])
    assert back.dynamics is None
    for name in ("rod.end.velocity", "motor.effort", "slider.velocity", "slider.velocity.y", "gap.rate"):  # by the model
        np.testing.assert_array_equal(back[name], sol[name])
    with pytest.raises(KeyError, match=r"did you mean 'rod.end.velocity'"):
        back["rod.end.velocty"]
    with pytest.raises(KeyError, match=r"did you mean 'A.angle'"):
        sol.save(path, record=["A.angel"])


def test_channels_are_limited_when_very_many(sol, tmp_path, monkeypatch):
    monkeypatch.setattr(results_file, "COLUMNS", 40)
    path = tmp_path / "few.h5"
    sol.save(path)
    back = pl.load(path)
    assert {"energy.kinetic", "motor.effort", "gap.rate", "crank.position", "slider.rotation"} <= set(back.recorded)
    assert not any(name.startswith("crank.end") for name in back.recorded)
    assert set(back.channels) == set(sol.channels)
    with h5py.File(path) as f:
        assert "channels, by default at most 40 columns" in f["channels"].attrs["note"]
        assert sum(np.atleast_2d(d[0]).size for d in f["channels"].values()) <= 40


def test_resume_after_load_is_the_uninterrupted_run(tmp_path):
    """Up to where Newton's method stops: its factors are made anew."""
    options = {"step": 1e-3, "output_step": 1e-2, "integrator": pl.GeneralizedAlpha(tolerance=1e-12)}
    whole = mechanisms.four_bar().simulate(2.0, **options)
    first = mechanisms.four_bar().simulate(1.0, **options)
    first.save(tmp_path / "first.h5", record=["A.*"])
    joined = pl.load(tmp_path / "first.h5").resume(1.0, progress=False)
    np.testing.assert_allclose(joined.t, whole.t, atol=1e-12)
    for name in ("top.center.position", "top.velocity", "right.end.acceleration", "A.force", "A.angle", "energy.kinetic"):
        np.testing.assert_allclose(joined[name], whole[name], atol=1e-9)
    assert joined.quality.steps == 2000
    joined.save(tmp_path / "first.h5")
    np.testing.assert_array_equal(pl.load(tmp_path / "first.h5")["B.force"], joined["B.force"])


def test_resume_keeps_work_and_dissipation(tmp_path):
    model = mechanisms.box_on_springs()
    whole = model.simulate(0.4, step=1e-3, output_step=1e-2)
    model.simulate(0.2, step=1e-3, output_step=1e-2, out=tmp_path / "first.h5")
    joined = pl.load(tmp_path / "first.h5").resume("200 ms", progress=False)
    np.testing.assert_allclose(joined.energy.dissipated, whole.energy.dissipated, atol=1e-9)
    assert joined.energy.drift < 1e-2 * whole.energy.dissipated[-1]


def test_python_functions_leave_a_file_without_model(sol, tmp_path):
    path = tmp_path / "function.h5"
    mechanisms.slider_crank(lambda t: 10 * t).simulate(0.1, step=1e-3, out=path, record=["A.*"])
    back = pl.load(path)
    assert back.model is None
    assert back.name == "slider crank"
    np.testing.assert_allclose(back["A.angle"], 10 * back.t, atol=1e-9)
    assert set(back.channels) == set(sol.select("A.*"))
    with pytest.raises(KeyError, match="drive 'motor' uses a Python function"):
        back["rod.position"]
    with pytest.raises(ValueError, match="cannot be resumed: drive 'motor' uses a Python function"):
        back.resume(0.1)
    with h5py.File(path) as f:
        assert f.attrs["model"] == ""
        assert "use an expression or a Table" in f.attrs["model_note"]


def test_an_incomplete_run_is_kept_and_marked(tmp_path):
    model = mechanisms.pendulum()
    model.add(pl.Force("bad", "bob", ["sqrt(0.05 - t)", 0, 0]))
    with pytest.raises(pl.SimulationError) as stopped:
        model.simulate(0.1, step=1e-3)
    stopped.value.solution.save(tmp_path / "part.h5")
    back = pl.load(tmp_path / "part.h5")
    assert back.complete is False
    assert "incomplete" in repr(back)
    assert back.t[-1] == pytest.approx(0.05, abs=1.5e-3)
    assert np.isfinite(back["bob.position"]).all()


def test_resume_after_a_failure_starts_from_the_last_row(tmp_path):
    """The method's own memory is that of the failed step, so it is dropped."""
    model = mechanisms.pendulum()
    model.add(pl.Force("bad", "bob", ["sqrt(0.05 - t)", 0, 0]))
    with pytest.raises(pl.SimulationError) as stopped:
        model.simulate(0.1, step=1e-3, output_step=1e-2)
    stopped.value.solution.save(tmp_path / "part.h5")
    back = pl.load(tmp_path / "part.h5")
    back.model.items.pop("bad")
    joined = back.resume(0.05, progress=False)
    jumps = abs(np.diff(joined["bob.position"], axis=0) - joined["bob.velocity"][1:] * np.diff(joined.t)[:, None]).max()
    assert jumps < 9.81 * 0.01**2
    assert joined.complete


def test_a_model_of_other_width_is_not_used(sol, tmp_path):
    path = tmp_path / "other.h5"
    sol.save(path, record=["A.angle"])
    mechanisms.pendulum().save(tmp_path / "other.yaml")
    with h5py.File(path, "r+") as f:
        f.attrs["model"] = (tmp_path / "other.yaml").read_text()
    back = pl.load(path)
    assert back["A.angle"].shape == sol.t.shape
    with pytest.raises(KeyError, match="written by another version"):
        back["rod.position"]
    with pytest.raises(ValueError, match="cannot be resumed"):
        back.resume(0.1)


def test_a_model_that_cannot_be_read_is_said_so(path):
    with h5py.File(path, "r+") as f:
        f.attrs["model"] = "bodies: 3"
    back = pl.load(path)
    assert back.model is None
    assert back["A.angle"].size
    with pytest.raises(ValueError, match="the model in the file cannot be read"):
        back.resume(0.1)


def test_broken_files_are_refused(path, tmp_path):
    def refused(name, text):
        with pytest.raises(ValueError, match=text) as error:
            pl.load(tmp_path / name)
        assert name in str(error.value)
    whole = path.read_bytes()
    (tmp_path / "short.h5").write_bytes(whole[:len(whole) // 2])
    refused("short.h5", "is truncated")
    (tmp_path / "empty.h5").write_bytes(b"")
    refused("empty.h5", "is not an HDF5 file")
    (tmp_path / "text.h5").write_text("t,x\n0,1\n")
    refused("text.h5", "is not an HDF5 file")
    with h5py.File(tmp_path / "foreign.h5", "w") as f:
        f["states"] = np.zeros(3)
    refused("foreign.h5", "not of results of pliant")
    (tmp_path / "newer.h5").write_bytes(whole)
    with h5py.File(tmp_path / "newer.h5", "r+") as f:
        f.attrs["pliant"] = 2
    refused("newer.h5", "has format 2.*pip install --upgrade")
    (tmp_path / "damaged.h5").write_bytes(whole)
    with h5py.File(tmp_path / "damaged.h5", "r+") as f:
        del f["memory"]
    refused("damaged.h5", "is damaged")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        pl.load(tmp_path / "none.h5")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        pl.load(tmp_path)


def test_the_old_file_stays_until_the_new_one_is_complete(path, sol, monkeypatch):
    before = path.read_bytes()
    def fails(*_):
        raise OSError(28, "No space left on device")
    with monkeypatch.context() as patch:
        patch.setattr(results_file, "_dataset", fails)
        with pytest.raises(OSError, match=r"cannot write .*run.h5.*No space left on device; make room"):
            sol.save(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fails)
        with pytest.raises(OSError, match="No space left"):
            sol.save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["run.h5"]


FULL = """
import os, resource, sys
import mechanisms
sol = mechanisms.slider_crank().simulate(0.4, step=1e-3)
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(sys.argv[1]) // 3, -1))
try:
    sol.save(sys.argv[1])
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files, which stands for a full disk")
def test_a_full_disk(path):
    """One sentence, the old file untouched, and the program goes on to its end: a failed write inside HDF5 would crash it."""
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True, cwd=Path(__file__).parents[1] / "support")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith(f"cannot write {str(path)!r}: File too large; make room")
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["run.h5"]


def test_places_that_cannot_be_written(sol, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere.*; make it"):
        sol.save(tmp_path / "nowhere" / "run.h5")
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        sol.save(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="read-only; choose another"):
        sol.save(tmp_path / "run.h5")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that refuses files in no ordinary way")
@pytest.mark.parametrize(("file", "why"), [("/proc/run{}", "no file can be made in that folder"),
                                           (300 * "n" + "{}", "the name is too long")])
def test_impossible_places_are_told_in_a_sentence(sol, tmp_path, monkeypatch, file, why):
    monkeypatch.chdir(tmp_path)
    writers = {".h5": sol.save, ".csv": sol.table().to_csv, ".png": sol.snapshot, ".yaml": sol.model.save,
               ".hdf5": lambda out: sol.model.simulate(0.01, step=1e-3, out=out)}
    for ending, write in writers.items():
        name = file.format(ending)
        with pytest.raises(OSError) as caught:
            write(name)
        assert str(caught.value) == f"cannot write {name!r}: {why}; choose another place"
    assert os.listdir(tmp_path) == []


def test_reading_leaves_the_file_free(path, sol):
    back = pl.load(path)
    assert back["A.angle"].size
    with h5py.File(path, "r+") as f:  # fails if we still held it
        f.attrs["seen"] = True
    mechanisms.slider_crank("5 * t").simulate(0.1, step=1e-3, out=path)
    with pytest.raises(ValueError, match="holds another run than when it was loaded; load it again"):
        back["A.angle"]


def test_a_relative_path_survives_a_change_of_folder(path, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(path.parent)
    back = pl.load("run.h5")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert back["A.angle"].size
