"""Runs that go on: bit for bit what they would have been without interruption; journals; and who may write which file when."""
import os
import random
import signal
import subprocess
import sys
import warnings
import zlib

import killed_control
import mechanisms
import numpy as np
import pytest
from interrupted import Stop, equal, short_intervals, spatial, stopping, without_pivots  # noqa: F401

import pliant as pl
from pliant.methods.integrators.time_loop import run as runs
from pliant.safe_files import journal as jn
from pliant.safe_files.hdf5 import hold

CASES = [(mechanisms.four_bar, 1e-3), (mechanisms.slider_crank, 1e-3), (mechanisms.box_on_springs, 1e-3), (spatial, 2e-3),
         (without_pivots, 1e-3)]
NAMES = ["redundant joints", "drive", "dissipation", "spatial", "sparse solver"]


@pytest.mark.parametrize(("model", "step"), CASES, ids=NAMES)
def test_a_longer_run_and_a_resumed_one_are_the_same(model, step, tmp_path):
    """In memory and from a file, on a row of output and off it, twice in a row."""
    m, rows = model(), 10 * step
    whole = m.simulate(100 * rows, step=step, output_step=rows)
    assert whole.quality.fallbacks == (1000 if model is without_pivots else 0)
    first = m.simulate(37 * rows, step=step, output_step=rows)
    assert 0 < first.memory["rows"][0] < 38
    assert equal(first.resume(63 * rows), whole)
    first.save(tmp_path / "first.h5", record=["energy.*"])
    between = pl.load(tmp_path / "first.h5").resume(0.5 * rows)
    assert between.t[-1] == pytest.approx(37.5 * rows)
    between.save(tmp_path / "first.h5")
    assert equal(pl.load(tmp_path / "first.h5").resume(62.5 * rows), whole)


@pytest.mark.parametrize(("model", "step"), CASES, ids=NAMES)
def test_an_interrupted_run_goes_on_to_its_planned_end(model, step, tmp_path, one_slice):
    m, rows, out = model(), 10 * step, tmp_path / "run.h5"
    whole = m.simulate(100 * rows, step=step, output_step=rows)
    with pytest.raises(Stop) as stopped:
        m.simulate(100 * rows, step=step, output_step=rows, progress=stopping(0.58), out=out)
    assert stopped.value.file == out
    assert os.listdir(tmp_path) == ["run.h5"]
    sol = pl.load(out)
    assert not sol.complete and 57 < len(sol.t) < 90 and sol.end == whole.end
    assert equal(stopped.value.solution.resume(), whole)
    assert equal(sol.resume(out=out), whole)
    assert equal(pl.load(out), whole)
    part = sol.resume(3 * rows)
    assert part.complete and part.t[-1] == pytest.approx(sol.t[-1] + 3 * rows)


def test_factors_that_would_be_lost_are_what_makes_the_difference(monkeypatch):
    """The test can fail: without the forgetting at checkpoints a continuation differs in rounding."""
    m = mechanisms.four_bar()
    whole, first = (m.simulate(t, step=1e-3, output_step=1e-2) for t in (1.0, 0.5))
    monkeypatch.setattr(runs, "MOST", 100_000)
    kept = m.simulate(1.0, step=1e-3, output_step=1e-2)
    assert not np.array_equal(kept.rows, whole.rows)
    monkeypatch.setattr(runs, "MOST", 130)
    assert equal(first.resume(0.5), whole)


def test_what_resume_needs(tmp_path):
    sol = mechanisms.pendulum().simulate(0.1, step=1e-3)
    with pytest.raises(pl.ModelError, match=r"'pendulum' is complete at t = 0.1 s; to go on give the further time"):
        sol.resume()
    with pytest.raises(pl.ModelError, match="duration = -1 s, must be greater than zero"):
        sol.resume(-1)
    old = {k: v for k, v in sol.memory.items() if k not in ("rows", "worst")}
    sol.memory = old
    with pytest.raises(pl.ModelError, match="there is no checkpoint of it, its file is of an older version"):
        sol.resume(1)
    other = mechanisms.four_bar().simulate(0.1, step=1e-3)
    other.memory["q"] = other.memory["q"][:-1]
    with pytest.raises(ValueError, match=r"does not fit the model \('q'\)"):
        other.resume(1)


def python_drive():
    return mechanisms.slider_crank(lambda t: 10 * t + np.sin(3 * t))


def test_a_model_with_python_functions_is_given_back(tmp_path, one_slice):
    whole = python_drive().simulate(0.5, step=5e-4, output_step=1e-2)
    with pytest.raises(Stop):
        python_drive().simulate(0.5, step=5e-4, output_step=1e-2, progress=stopping(0.6), out=tmp_path / "run.h5", record=["A.*"])
    with pytest.raises(ValueError, match=r"uses a Python function, .*Give the model to load\(path, model=\.\.\.\)"):
        pl.load(tmp_path / "run.h5").resume()
    back = pl.load(tmp_path / "run.h5", model=python_drive())
    assert set(back.recorded) == set(whole.select("A.*")) and set(back.channels) == set(whole.channels)
    assert back["rod.position"].shape == (len(back.t), 3)
    joined = back.resume()
    assert equal(joined, whole)
    assert joined.record == ["A.*"]
    with pytest.raises(ValueError, match="not the one of run 'slider crank': it has no rigid 'crank'"):
        pl.load(tmp_path / "run.h5", model=mechanisms.four_bar())
    wrong = python_drive()
    wrong.add(pl.Measure("more", "ground", "rod"))
    with pytest.raises(ValueError, match="it has other items"):
        pl.load(tmp_path / "run.h5", model=wrong)


def lift(mass=2.0, push=lambda t: 20 + np.sin(t), motor=lambda t: 0.1 * np.sin(3 * t), gravity=(0, 0, -9.81)):
    m = pl.Model("lift", gravity=gravity)
    m.add(pl.RigidBody.box("box", size=(0.1, 0.1, 0.1), mass=mass))
    m.add(pl.Force("push", "box", ("0", "0", push)))
    m.add(pl.RigidBody.box("slide", size=(0.1, 0.1, 0.1), mass=1.0, position=(0.6, 0.8, 0)))
    m.add(pl.Prismatic("P", m.ground, "slide", axis=(0.6, 0.8, 0)))
    m.add(pl.Drive("P", "displacement", motor, name="motor"))
    return m


@pytest.mark.parametrize(("change", "told"), [
    ({"mass": 3.0}, r"mass of 'box' is 3\.0, was 2\.0"), ({"gravity": (0, 0, -1.6)}, r"gravity is \(0\.0, 0\.0, -1\.6\), was \(0\.0"),
    ({"push": lambda t: 21 + np.sin(t)}, "the forces on 'box' at t = 0.2 s are not those of the run, so one of its Python functions is "),
    ({"motor": lambda t: 0.2 * np.sin(3 * t)}, "joint 'P' is open by 56.5 mm at t = 0.2 s"),
    ({"push": "20 + sin(t)"}, "vector of 'push' is another")])
def test_a_model_given_back_is_compared_by_value(tmp_path, change, told):
    """One with other numbers or functions was taken, and the run went on with it."""
    lift().simulate(0.2, output_step=0.01, out=tmp_path / "run.h5")
    with pytest.raises(ValueError, match=f"not the one of run 'lift': .*{told}.*simulate the changed model anew"):
        pl.load(tmp_path / "run.h5", model=lift(**change))
    assert pl.load(tmp_path / "run.h5", model=lift()).resume(0.1).t[-1] == pytest.approx(0.3)


def test_an_interrupt_inside_a_function_does_not_haunt_the_continuation():
    """Ctrl-C while a Python function runs is noted by the compiled code that called it."""
    state = {"armed": True}

    def push(t):
        if 0.25 < t < 0.2515 and state.pop("armed", False):  # not when it is looked at before the run
            raise KeyboardInterrupt
        return [1.0, t][0]
    m = mechanisms.pendulum()
    m.add(pl.Force("f", "bob", (push, 0, 0)))
    with pytest.raises(KeyboardInterrupt) as stopped:
        m.simulate(0.5, step=1e-3, output_step=1e-2)
    assert stopped.value.solution.t[-1] == pytest.approx(0.25)
    assert equal(stopped.value.solution.resume(), m.simulate(0.5, step=1e-3, output_step=1e-2))


# -- journals
@pytest.fixture
def part(tmp_path, one_slice, monkeypatch):
    """run.h5.part as a kill leaves it, and the whole run."""
    whole = spatial().simulate(2.0, step=2e-3, output_step=2e-2)
    with monkeypatch.context() as patch:
        patch.setattr("pliant.results.results_file.conclude", lambda *_: None)
        with pytest.raises(Stop):
            spatial().simulate(2.0, step=2e-3, output_step=2e-2, progress=stopping(0.6), out=tmp_path / "run.h5", record=["A.*", "a.*"])
    return tmp_path / "run.h5.part", whole


def test_a_journal_is_a_run(part):
    path, whole = part
    for name in (path, path.with_name("run.h5")):  # which is not there
        sol = pl.load(name)
        assert repr(sol).endswith("incomplete in 'run.h5.part')") and "are kept in 'run.h5.part'" in sol.summary()
        assert np.array_equal(sol.rows, whole.rows[:len(sol.t)])
        assert sol.channels == whole.channels and sol.units == whole.units
        for channel in ("a.position", "A.force", "energy.work", "B.torque"):
            assert np.array_equal(sol[channel], whole[channel][:len(sol.t)])
        assert sol.quality.steps >= 600 and sol.record == ["A.*", "a.*"] and sol.end == whole.end
    assert equal(sol.resume(out=path.with_name("run.h5")), whole)
    assert os.listdir(path.parent) == ["run.h5"]
    assert set(pl.load(path.with_name("run.h5")).recorded) == set(whole.select("A.*", "a.*"))


def test_a_journal_cut_anywhere_gives_the_rows_before(part):
    path, whole = part
    data, rng = path.read_bytes(), random.Random(7)
    ends = [0, 5, len(jn.MAGIC), len(jn.MAGIC) + 7, *(rng.randrange(len(data)) for _ in range(40)), len(data) - 1]
    lengths = set()
    for end in ends:
        path.write_bytes(data[:end])
        if end < len(jn.MAGIC):
            with pytest.raises(ValueError, match=r"not an HDF5 file|holds no rows"):
                pl.load(path)
            continue
        try:
            sol = pl.load(path)
        except ValueError as error:
            assert "holds no rows: the run was cut off before its first" in str(error)
            continue
        lengths.add(len(sol.t))
        assert np.array_equal(sol.rows, whole.rows[:len(sol.t)])
    assert len(lengths) > 5
    assert equal(sol.resume(), whole)


def test_a_damaged_record_ends_the_journal(part):
    path, whole = part
    data, rng = bytearray(path.read_bytes()), random.Random(3)
    for _ in range(40):
        place = rng.randrange(len(jn.MAGIC), len(data))
        damaged = data.copy()
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            sol = pl.load(path)
        except ValueError as error:
            assert "holds no rows" in str(error) or "is damaged" in str(error)
            continue
        assert np.array_equal(sol.rows, whole.rows[:len(sol.t)])


def test_a_damaged_kind_ends_the_journal(part):
    """A record of rows that passed for another kind would leave a gap."""
    path, whole = part
    data = path.read_bytes()
    starts = [i for i in range(len(data)) if data.startswith(jn.ROWS, i)]
    assert len(starts) > 2
    for start in starts[:3]:
        for bit in range(8 * len(jn.ROWS)):
            damaged = bytearray(data)
            damaged[start + bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            try:
                sol = pl.load(path)
            except ValueError:
                continue
            assert np.array_equal(sol.rows, whole.rows[:len(sol.t)])


def test_an_earlier_run_and_the_journal_of_a_later_one(part):
    path, whole = part
    target = path.with_name("run.h5")
    whole.save(target)
    os.utime(path, ns=(1, target.stat().st_mtime_ns - 10**9))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pl.load(target).complete
    os.utime(path, ns=(1, target.stat().st_mtime_ns + 10**9))
    with pytest.warns(UserWarning, match=r"holds an earlier run: a later one was cut off and is in 'run.h5.part'"):
        assert equal(pl.load(target), whole)


def test_two_runs_never_write_the_same_file(tmp_path, one_slice):
    m, out = mechanisms.pendulum(), tmp_path / "run.h5"
    said = []

    def meanwhile(t, end):
        if t > 0.1 and not said:
            with pytest.raises(BlockingIOError, match=rf"another run is writing it \(process {os.getpid()}\); wait for its end") as refused:
                m.simulate(1.0, step=1e-2, out=out)
            said.append(refused)
            assert len(pl.load(out).t) > 5  # but it can be looked at
    sol = m.simulate(1.0, step=1e-3, output_step=1e-2, progress=meanwhile, out=out)
    assert said and np.array_equal(pl.load(out).rows, sol.rows)
    assert os.listdir(tmp_path) == ["run.h5"]


def test_an_earlier_journal_stays_until_the_new_run_has_a_checkpoint(part, one_slice):
    path, _ = part
    target, before = path.with_name("run.h5"), path.read_bytes()
    mechanisms.pendulum().simulate(0.1, step=1e-2).save(target)
    with pytest.raises(Stop) as stopped:  # 130 steps are the first interval
        mechanisms.pendulum().simulate(1.0, step=1e-3, progress=stopping(0.05), out=target)
    assert stopped.value.file is None and "are not kept on disk" in stopped.value.__notes__[0]
    assert path.read_bytes() == before
    assert sorted(os.listdir(path.parent)) == ["run.h5", "run.h5.part"]
    with pytest.raises(Stop) as stopped:
        mechanisms.pendulum().simulate(1.0, step=1e-3, progress=stopping(0.5), out=target)
    assert stopped.value.file == path
    assert pl.load(path).name == "pendulum"
    with pytest.warns(UserWarning, match="earlier run"):
        assert len(pl.load(target).t) == 11
    done = mechanisms.pendulum().simulate(1.0, step=1e-3, out=target)
    assert equal(pl.load(target), done)
    assert os.listdir(path.parent) == ["run.h5"]


def test_a_continuation_that_stops_at_once_loses_nothing(part, one_slice):
    path, whole = part
    before, rows = path.read_bytes(), len(pl.load(path).t)
    with pytest.raises(Stop) as stopped:
        pl.load(path).resume(progress=stopping(0), out=path.with_name("run.h5"))
    assert stopped.value.file == path and path.read_bytes() == before and os.listdir(path.parent) == ["run.h5.part"]
    with pytest.raises(Stop) as stopped:
        pl.load(path).resume(progress=stopping(0.9), out=path.with_name("run.h5"))
    assert stopped.value.file == path.with_name("run.h5") and len(pl.load(path.with_name("run.h5")).t) > rows
    assert equal(pl.load(path.with_name("run.h5")).resume(), whole)


def test_an_existing_file_is_replaced_by_a_complete_run_only(tmp_path, one_slice):
    m, out = mechanisms.pendulum(), tmp_path / "run.h5"
    whole = m.simulate(1.0, step=1e-3, output_step=1e-2, out=out)
    with pytest.raises(Stop) as stopped:
        m.simulate(1.0, step=1e-3, output_step=1e-2, progress=stopping(0.5), out=out)
    assert stopped.value.file == tmp_path / "run.h5.part"
    with pytest.warns(UserWarning, match="earlier run"):
        assert equal(pl.load(out), whole)
    assert equal(pl.load(tmp_path / "run.h5.part").resume(out=out), whole)
    assert os.listdir(tmp_path) == ["run.h5"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "run.h5").symlink_to(tmp_path / "store" / "real.h5")
    mechanisms.pendulum().simulate(0.1, step=1e-3, out=tmp_path / "run.h5")
    assert (tmp_path / "run.h5").is_symlink() and os.listdir(tmp_path / "store") == ["real.h5"]
    assert pl.load(tmp_path / "run.h5").complete


def test_a_foreign_part_is_not_touched(tmp_path):
    (tmp_path / "run.h5.part").write_text("notes")
    with pytest.raises(ValueError, match=r"'run.h5.part' beside it is not a journal of pliant; move it away"):
        mechanisms.pendulum().simulate(0.1, step=1e-3, out=tmp_path / "run.h5")
    assert (tmp_path / "run.h5.part").read_text() == "notes"


def test_what_a_killed_writer_left_is_removed(tmp_path):
    (tmp_path / ".run.h5.17.tmp").write_bytes(b"half")
    with open(tmp_path / ".run.h5.18.tmp", "wb") as held:
        hold(held, exclusive=True)
        mechanisms.pendulum().simulate(0.1, step=1e-2).save(tmp_path / "run.h5")
    assert sorted(os.listdir(tmp_path)) == [".run.h5.18.tmp", "run.h5"]


def test_a_run_that_never_began_leaves_the_earlier_journal(part):
    path, _ = part
    before = path.read_bytes()
    m = mechanisms.pendulum()
    m.add(pl.Fixed("far", m.ground.frame((3, 0, 0)), "bob"))
    with pytest.raises(pl.ModelError):
        m.simulate(0.1, step=1e-3, out=path.with_name("run.h5"))
    assert path.read_bytes() == before and os.listdir(path.parent) == ["run.h5.part"]
    with pytest.raises(pl.ModelError):
        m.simulate(0.1, step=1e-3, out=path.with_name("new.h5"))
    assert os.listdir(path.parent) == ["run.h5.part"]


def test_a_journal_that_cannot_be_read_does_not_hide_the_file(tmp_path):
    sol = mechanisms.pendulum().simulate(0.1, step=1e-3, out=tmp_path / "run.h5")
    body = (1).to_bytes(4, "little") + b"["
    (tmp_path / "run.h5.part").write_bytes(jn.MAGIC + jn.PREFIX.pack(jn.HEAD, len(body), zlib.crc32(body, zlib.crc32(jn.HEAD))) + body)
    assert equal(pl.load(tmp_path / "run.h5"), sol)
    mechanisms.pendulum().simulate(0.1, step=1e-3, out=tmp_path / "run.h5")
    assert os.listdir(tmp_path) == ["run.h5"]


def test_a_run_that_is_cut_off_remembers_that_reactions_are_not_unique(tmp_path):
    seen = []

    def look(t, end):
        seen.append(pl.load(tmp_path / "run.h5.part").quality.unique_reactions)
    whole = mechanisms.slider_crank().simulate(0.1, step=1e-3, out=tmp_path / "run.h5", progress=look)
    assert not whole.quality.unique_reactions
    assert seen
    assert not any(seen)


def test_killed_with_controllers_it_goes_on_bit_for_bit(tmp_path):
    """SIGKILL in the middle of a call: a sampled block in compiled code, one in Python, and noise."""
    out = tmp_path / "run.h5"
    whole = killed_control.model().simulate(killed_control.DURATION, output_step=0.01)
    done = subprocess.run([sys.executable, killed_control.__file__, out], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    sol = pl.load(out, model=killed_control.model())
    assert not sol.complete and 0 < sol.memory["rows"][0] <= len(sol.t) <= 36
    assert np.array_equal(sol.rows, whole.rows[:len(sol.t)])
    assert equal(sol.resume(out=out), whole)
    assert equal(pl.load(out, model=killed_control.model()), whole)
