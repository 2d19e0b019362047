"""Rows at any distance and at listed times: with chosen and fixed steps, of all kinds of runs, resumed bit for bit."""
import mechanisms
import numpy as np
import pytest
from interrupted import Stop, equal, short_intervals, stopping  # noqa: F401

import pliant as pl
from pliant.cli import execute
from pliant.methods.integrators.time_loop.control import CONTROL
from pliant.methods.output_rows import Wanted, parts_of, rows_of
from pliant.text.model_text import from_text, to_text

METHODS = [{}, {"integrator": "radau-iia-5"}, {"integrator": "generalized-alpha"}, {"integrator": "bdf"}, {"coordinates": "joint"},
           {"step": 1e-3}, {"step": 1e-3, "integrator": "runge-kutta-4"}, {"step": 1e-3, "coordinates": "joint"}]


@pytest.mark.parametrize("options", METHODS, ids=str)
def test_rows_are_where_they_were_asked_for_and_are_those_of_a_run_with_all_rows(options):
    m, options = mechanisms.four_bar(), options | {"progress": False}
    fine = m.simulate(0.5, output_step=0.01, **options)
    uneven = m.simulate(0.5, output_step=0.15, **options)
    np.testing.assert_allclose(uneven.t, [0, 0.15, 0.3, 0.45, 0.5], rtol=1e-15)
    listed = m.simulate(0.5, output_times=["10 ms", 0.2, 0.33], **options)
    assert listed.t.tolist() == [0.0, 0.01, 0.2, 0.33] and listed.complete and listed.end == 0.5
    for sol, rows in ((uneven, [0, 15, 30, 45, 50]), (listed, [0, 1, 20, 33])):
        np.testing.assert_allclose(sol.rows[:, 3:], fine.rows[rows, 3:], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("options", METHODS, ids=str)
def test_resumed_bit_for_bit(options, tmp_path, one_slice):
    """Stopped on the way, and gone on with; from a file, where the listed times are kept."""
    m, options = mechanisms.four_bar(), options | {"progress": False} | ({} if "step" in options else {"accuracy": 1e-8})
    for rows in ({"output_step": 0.15}, {"output_times": [0.01, 0.2, 0.33, 0.71, 0.9]}):
        whole = m.simulate(1.0, **options, **rows)
        with pytest.raises(Stop) as stopped:
            m.simulate(1.0, **options | {"progress": stopping(0.5)}, **rows, out=tmp_path / f"{next(iter(rows))}.h5")
        part = stopped.value.solution
        assert len(part.t) < len(whole.t)
        assert equal(part.resume(progress=False), whole)
        assert equal(pl.load(tmp_path / f"{next(iter(rows))}.h5").resume(progress=False), whole)
        check_longer(whole.resume(0.5, progress=False), whole, rows)


def check_longer(longer, whole, rows):
    """All rows of the first run but its end, if that is not on the grid; and one at the end."""
    n = len(whole.t) if "output_times" in rows else len(whole.t) - 1
    assert longer.t[-1] == pytest.approx(1.5) and len(longer.t) == (n + 1 if "output_times" in rows else 11)
    states = slice(3, whole.rows.shape[1] - whole.dynamics.system.histories)  # turns are counted at ends of steps
    np.testing.assert_allclose(longer.rows[:n, states], whole.rows[:n, states], rtol=1e-6, atol=1e-6)


def test_ida_keeps_the_same_rows():
    pytest.importorskip("sksundae")
    sol = mechanisms.pendulum().simulate(0.3, integrator="ida", output_times=[0.1, 0.25], progress=False)
    assert sol.t.tolist() == [0.0, 0.1, 0.25]
    assert mechanisms.pendulum().simulate(0.3, integrator="ida", output_step=0.2, progress=False).t.tolist() == [0.0, 0.2, 0.3]


def test_a_method_that_takes_over_keeps_the_rows_that_were_asked_for(monkeypatch):
    """Rows of the second method are counted from the start of the run."""
    from pliant.methods import automatic
    m, rows = mechanisms.box_on_springs(), [0.013, 0.2, 0.31, 0.77, 1.0]
    monkeypatch.setattr(automatic, "STABLE", 1e-4)
    monkeypatch.setattr(automatic, "RESOLVED", 1e9)
    monkeypatch.setattr(automatic, "FIRST_LOOK", 20)
    sol = m.simulate(1.0, output_times=rows, progress=False, accuracy=1e-8)
    assert "taken at" in sol.why and sol.t.tolist() == [0.0, *rows]
    assert m.simulate(1.0, output_step=0.3, progress=False, accuracy=1e-8).t == pytest.approx([0, 0.3, 0.6, 0.9, 1])


@pytest.mark.parametrize("rows", [{"output_step": 0.3}, {"output_times": [0.1, 0.4]}, {}], ids=str)
def test_estimates_compare_the_same_rows(rows):
    """With a step whose number of steps is no multiple of the stride the rows of the second run were others."""
    m = mechanisms.four_bar()
    for options in ({"step": 0.5 / 1001}, {"integrator": "radau-iia-5", "accuracy": 1e-6}):
        sol = m.simulate(0.5, **options, **rows, estimate=True, progress=False)
        assert sol.quality.estimate is not None and sol.quality.estimate < 1e-3


def test_a_method_without_error_control_takes_a_step_on_which_rows_fall():
    sol = mechanisms.pendulum().simulate(0.2, integrator="newmark", accuracy=1e-2, output_step=0.15, progress=False)
    assert sol.t == pytest.approx([0, 0.15, 0.2])


@pytest.mark.parametrize(("options", "told"), [
    ({"step": 0.01, "output_step": 0.033},
     r"at most 0\.001 s, much shorter than step = 0\.01 s; give an output_step .* 0\.0333333333 s, step = 0\.001 s"),
    ({"step": 0.01, "output_step": 0.1 * np.pi}, "no step divides them and the duration of 1 s"),
    ({"step": 0.01, "output_times": [0.1, 0.1001]}, r"step = 0\.0001 s, or an accuracy and an integrator that chooses its steps"),
    ({"output_step": 0.1, "output_times": [0.5]}, "not both"),
    ({"output_times": [0.5, 1.5]}, r"1\.5 s must be within the run of 1 s"),
    ({"output_times": [-1, 0.5]}, "-1 s must be within the run"),
    ({"output_times": [0.0]}, "0 s must be within the run of 1 s, after its start"),
    ({"output_times": [0.5, 0.2]}, r"0\.2 s comes after 0\.5 s, times must increase"),
    ({"output_times": [0.5, 0.5]}, "times must increase"),
    ({"output_times": 0.5}, "must be a list of times"),
    ({"output_times": []}, "must be a list of times"),
    ({"output_times": ["1 kg"]}, "kg"),
], ids=str)
def test_refused(options, told):
    with pytest.raises(pl.ModelError, match=told):
        mechanisms.four_bar().simulate(1.0, **options, progress=False)


def test_the_option_given_here_replaces_the_other_one_of_the_model():
    m = mechanisms.four_bar()
    m.settings["output_step"] = 0.1
    assert m.simulate(0.2, output_times=[0.05], progress=False).t.tolist() == [0.0, 0.05]
    m.settings = {"output_times": [0.05]}
    assert m.simulate(0.2, output_step=0.1, progress=False).t == pytest.approx([0, 0.1, 0.2])


def test_rows_are_counted_before_the_run():
    assert rows_of(1.0, None, Wanted(0.3), 10) == 5 and rows_of(1.0, 0.01, Wanted(0.3), 10) == 5
    assert rows_of(1.0, None, Wanted(times=np.array([0.1, 0.2])), 10) == 3
    assert rows_of(1.0, 1 / 1501, Wanted(), 10) == 1 + 751
    assert parts_of(1.0, Wanted(0.3)) == 10 and parts_of(1.0, Wanted(0.1 * np.pi)) is None


def test_text():
    m = mechanisms.four_bar()
    m.settings = {"duration": 0.5, "output_times": [0, 0.1, 0.25]}
    again = from_text(to_text(m))
    assert again.settings["output_times"] == [0, 0.1, 0.25]
    assert again.simulate(progress=False).t.tolist() == [0.0, 0.1, 0.25]


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    m = mechanisms.four_bar()
    m.settings = {"duration": 0.5, "output_step": 0.1}
    m.save("m.yaml")
    for options, times in ((["--output-times", "0, 0.1, 250 ms"], [0.0, 0.1, 0.25]), (["--output-step", "0.3"], [0.0, 0.3, 0.5])):
        assert execute(["run", "m.yaml", "--no-progress", *options]) == 0
        assert pl.load("m.h5").t.tolist() == times
    m.settings = {"duration": 0.5}
    m.save("m.yaml")
    assert execute(["run", "m.yaml", "--no-progress", "--set", "simulate.output_times=[0.1, 0.2]"]) == 0
    assert pl.load("m.h5").t.tolist() == [0.0, 0.1, 0.2] and "0 to 0.5 s, 3 rows" in capsys.readouterr().out
    assert execute(["run", "m.yaml", "--no-progress", "--output-times", "0.1, 0.05"]) == 1
    assert "simulate: output_times: 0.05 s comes after 0.1 s, times must increase" in capsys.readouterr().err


def test_the_number_of_the_next_row_in_a_file_must_be_one_of_the_rows():
    """Compiled code reads the times of rows by it."""
    sol = mechanisms.four_bar().simulate(0.5, output_times=[0.1, 0.4], progress=False)
    place = list(CONTROL.names).index("output")
    for number in (-3.0, 0.0, 5.0, 1e6):
        sol.memory["control"][place] = number
        with pytest.raises(ValueError, match="contradicts its step and times"):
            sol.resume(0.1, progress=False)
