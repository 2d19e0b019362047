"""sol.events: what happened, in the order in which it came; in files, journals and continuations bit for bit."""
import h5py
import numpy as np
import pytest
from interrupted import Stop, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant import cli
from pliant.items.declarations import IMPACTS, VALUES, Told
from pliant.results import events, results_file

ALL = {"accuracy": 1e-8, "output_step": 0.02, "progress": False}
WAY = 0.3  # between the stops


def cart() -> pl.Model:
    """From one stop to the other, without other forces, from 0 with the speed 1."""
    m = pl.Model("cart")
    m.add(pl.RigidBody("b", 2.0, (1, 1, 1), position=(0, 0, 0)))
    m.add(pl.Prismatic("P", m.ground, "b", axis=(0.3, -0.5, 0.8), displacement_rate=1.0))
    m.add(pl.Stop("s", "P", "displacement", -0.2, 0.1, stiffness=1e6, restitution=0.8))
    m.add(pl.Discrete("passed"))
    m.add(pl.Event("gate", "P.displacement > 0.05", [pl.Set("passed.output", "passed.output + 1")]))
    m.add(pl.StateMachine("side", ["near", "far"], [("near", "far", "P.displacement > 0.06"), ("far", "near", "P.displacement < 0")]))
    return m


@pytest.fixture(scope="module")
def whole() -> pl.Solution:
    return cart().simulate(3.0, **ALL)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_what_happens_is_told_when_it_does(coordinates, whole):
    """Speeds fall by the restitution; between two stops there is the way over the speed."""
    found = (whole if coordinates == "absolute" else cart().simulate(3.0, coordinates=coordinates, **ALL)).events
    assert [(e.item, e.what) for e in found[:7]] == [
        ("gate", "fires"), ("side", "becomes far"), ("s", "touches upper"), ("s", "leaves upper"), ("side", "becomes near"),
        ("s", "touches lower"), ("s", "leaves lower")]
    assert [e.t for e in found[:3]] == pytest.approx([0.05, 0.06, 0.1], abs=1e-9)
    stop = found.of("s")
    touched, left = stop[::2], stop[1::2]
    assert len(touched) >= 5 and [e.value for e in touched] == pytest.approx(0.8 ** np.arange(len(touched)), rel=1e-7)
    gone = touched.t[1:] - left.t[:len(touched) - 1]
    assert gone == pytest.approx(WAY / 0.8 ** np.arange(1, len(touched)), rel=1e-7)
    assert all(np.isnan([e.impulse, e.energy_lost]).all() for e in found) and (np.diff(found.t) >= 0).all()
    with pytest.raises(ValueError, match="nothing of 'S' is told in this run; did you mean 's'"):
        found.of("S")


def test_with_fixed_steps_at_the_ends_of_steps():
    found = cart().simulate(0.5, step=1e-3, progress=False).events
    assert [e.what for e in found[:4]] == ["fires", "becomes far", "touches upper", "leaves upper"]
    assert abs(found.t - 1e-3 * np.round(found.t / 1e-3)).max() < 1e-12


def test_changes_of_rigid_contacts_have_no_value(tmp_path):
    """And a contact that is open when a check looks at it takes no reaction from anything."""
    m = pl.Model("drop", gravity=(0, 0, -10))
    m.add(pl.RigidBody.box("b", (0.1, 0.1, 0.1), mass=2.0, position=(0, 0, 0.1)))
    m.add(pl.Contact("floor", "ground", "b", law="rigid", friction=0.5))
    assert m.check().unique_reactions
    sol = m.simulate(0.2, **ALL)
    sol.save(tmp_path / "run.h5")
    for found in (sol.events, pl.load(tmp_path / "run.h5").events):
        assert {e.what for e in found} == {"impact", "sticks"} and np.isnan([e.value for e in found]).all()
        assert sum(e.impulse for e in found if e.what == "impact") == pytest.approx(2.0, rel=1e-9)


def test_a_continuation_tells_the_same(whole, tmp_path):
    """After an interrupt, from the journal that a kill leaves, and in a file: bit for bit."""
    out = tmp_path / "run.h5"
    with pytest.raises(Stop) as stopped:
        cart().simulate(3.0, out=out, **ALL | {"progress": stopping(0.6)})
    early = stopped.value.solution
    assert 0 < early.memory["events"][0] <= len(early.events) < len(whole.events)
    for sol in (early, pl.load(out)):
        assert sol.happened.tobytes() == early.happened.tobytes()
        done = sol.resume(progress=False)
        assert done.happened.tobytes() == whole.happened.tobytes() and done.told == whole.told
        assert done.rows.tobytes() == whole.rows.tobytes()
    done.save(out)
    assert [e[:3] for e in pl.load(out).events] == [e[:3] for e in whole.events]
    assert pl.load(out).happened.tobytes() == whole.happened.tobytes()


def test_the_journal_has_them(whole, tmp_path, monkeypatch):
    """As a kill leaves it: the run goes on from there as if nothing had been."""
    monkeypatch.setattr(results_file, "conclude", lambda sol, journal, *more, **options: journal.path)
    out = tmp_path / "run.h5"
    with pytest.raises(Stop):
        cart().simulate(3.0, out=out, **ALL | {"progress": stopping(0.6)})
    part = tmp_path / "run.h5.part"
    assert not out.exists()
    sol = pl.load(part)
    assert len(sol.events) >= sol.memory["events"][0] > 0
    assert sol.resume(progress=False).happened.tobytes() == whole.happened.tobytes()


def test_too_much_is_counted(whole, tmp_path, monkeypatch):
    """The first ones stay, and how many there were is told, in files and continuations too."""
    monkeypatch.setattr(events, "MOST", 5)
    with pytest.raises(Stop) as stopped:
        cart().simulate(3.0, **ALL | {"progress": stopping(0.6)})
    sol = stopped.value.solution.resume(progress=False)
    assert len(sol.events) == 5 and sol.events.omitted == len(whole.events) - 5
    assert sol.happened.tobytes() == whole.happened[:5].tobytes() and "later ones that were not kept" in repr(sol.events)
    sol.save(tmp_path / "run.h5")
    assert pl.load(tmp_path / "run.h5").events.omitted == sol.events.omitted


def test_the_command(whole, tmp_path, capsys):
    whole.save(tmp_path / "run.h5")
    assert cli.execute(["events", str(tmp_path / "run.h5"), "--item", "s"]) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[1].split()[:4] == ["0.1", "s", "touches", "upper"] and "fires" not in told
    assert cli.execute(["events", str(tmp_path / "run.h5"), "--json"]) == 0


def test_models_without_events_have_no_log(tmp_path):
    m = pl.Model("free")
    m.add(pl.RigidBody("b", 2.0, (1, 1, 1)))
    sol = m.simulate(0.1, step=0.01, progress=False)
    assert len(sol.events) == 0 and sol.dynamics.system.log[1] == 0 and "events" not in sol.memory


def test_impacts_have_impulse_and_loss():
    """What rigid contacts and locks write: the same record with two numbers."""
    told = [Told("a", ("strikes",), IMPACTS), Told("b", ("off", "on"), VALUES)]
    found = events.EventTable(np.array([[0, 0.5, 2.0, 0.25], [1, 0.6, 1.0, np.nan]]), told)
    assert found[0] == events.Happened(0.5, "a", "strikes", pytest.approx(np.nan, nan_ok=True), 2.0, 0.25)
    assert found[1].what == "on" and np.isnan(found[1].impulse)
    assert list(found.to_pandas().columns) == list(events.Happened._fields)


def test_a_damaged_log_is_told(whole, tmp_path):
    whole.save(file := tmp_path / "run.h5")
    with h5py.File(file, "r+") as f:
        f["events"][0, 0] = 99
    with pytest.raises(ValueError, match="its events name items that it does not know"):
        pl.load(file)
