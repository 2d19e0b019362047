"""Memory of runs: once what their rows take, told before, refused if it cannot be had."""
import tracemalloc

import h5py
import numpy as np
import pytest

import pliant as pl
from pliant.cli import main
from pliant.methods.output_rows import Wanted, rows_of, usual_rows
from pliant.results import memory

BODIES = 60
WIDTH = 3 + 7 * BODIES + 18 * (BODIES + 1) + 2  # t and two energies, q, v, a, lam, and the history of the joint


def swarm() -> pl.Model:
    m = pl.Model("swarm")
    for k in range(BODIES):
        m.add(pl.RigidBody.sphere(f"b{k}", 0.1, mass=1.0, position=(k, 0, 0), velocity=(0, 0.1 * k, 0)))
    m.add(pl.Revolute("pin", m.ground, "b0", axis="y"))
    return m


def peak(work):
    tracemalloc.start()
    try:
        sol = work()
        return sol, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def model():
    m = swarm()
    m.simulate(1.0, step=0.5, progress=False)
    m.simulate(1.0, output_step=0.5, progress=False)
    return m


@pytest.mark.parametrize("options", [{"output_step": 2.5e-4}, {"step": 2.5e-4, "output_step": 2.5e-4}], ids=["chosen", "fixed"])
def test_a_run_takes_its_rows_once(model, options):
    """Once they were kept in pieces, put together at the end, and 2000 of them in the loop: more than three times their size."""
    rows = round(1.0 / options["output_step"]) + 1
    sol, most = peak(lambda: model.simulate(1.0, progress=False, **options))
    assert sol.rows.shape[0] == rows and sol.t[-1] == 1.0
    assert sol["b7.position"][-1] == pytest.approx([7, 0.7, 0], rel=1e-9, abs=1e-12)
    assert most < 1.3 * sol.rows.nbytes
    assert sol.rows.base.shape == sol.rows.shape  # as many as were expected


def test_rows_of_runs_that_stop_and_go_on(model):
    def early(t, end):
        if t > 0.5:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt) as stopped:
        model.simulate(1.0, step=5e-4, output_step=1e-3, progress=early)
    part = stopped.value.solution
    assert 500 <= len(part.t) < 1001 and part.t[-1] == pytest.approx(1e-3 * (len(part.t) - 1))
    whole = part.resume(progress=False)
    assert whole.rows.shape[0] == 1001 and np.array_equal(whole.rows[:len(part.t)], part.rows)
    longer = whole.resume(0.5, progress=False)
    assert longer.rows.shape[0] == 1501 and np.array_equal(longer.rows[:1001], whole.rows)


def test_an_estimate_compares_rows_piece_by_piece(model):
    sol, most = peak(lambda: model.simulate(1.0, output_step=2.5e-4, estimate=True, progress=False))
    assert sol.quality.estimate is not None and sol.quality.estimate < 1e-5
    assert most < 2.6 * sol.rows.nbytes  # of two runs


def test_files_are_written_in_small_pieces(model, tmp_path):
    sol = model.simulate(1.0, step=2.5e-4, output_step=2.5e-4, progress=False)
    sol.save(tmp_path / "run.h5", record=["b0.position"])
    with h5py.File(tmp_path / "run.h5") as f:
        assert f["states"].shape == sol.rows.shape and 8 * np.prod(f["states"].chunks) <= 2**22
    assert np.array_equal(pl.load(tmp_path / "run.h5").rows, sol.rows)


@pytest.mark.parametrize(("width", "rows"), [(100, 1000), (50_000, 1000), (50_001, 500), (215_003, 200), (10**6, 100)])
def test_usual_rows_of_large_models_are_fewer(width, rows):
    """5000 bodies with joints, 215 003 numbers in a row: once 1000 rows of 1.7 GB."""
    assert usual_rows(width) == rows
    assert rows_of(0.02, None, Wanted(), width) == rows + 1 and rows_of(0.02, 1e-6, Wanted(), width) == rows + 1
    assert rows_of(0.02, 1e-6, Wanted(1e-6), width) == 20_001 and rows_of(0.02, None, Wanted(1e-6), width) == 20_001


def test_rows_that_cannot_fit_are_refused_before_the_run(model, monkeypatch):
    """1 000 000 001 rows of 1523 numbers, eight bytes each."""
    def never(t, end):
        raise AssertionError("it runs")
    monkeypatch.setattr(memory, "available", lambda: 4e9)
    told = f"simulate: 1000000001 rows of {WIDTH} numbers take 12.2 TB of memory, and 4 GB are available; keep fewer rows: output_step = "
    for options in ({}, {"step": 1e-9}, {"integrator": "radau-iia-5"}):
        with pytest.raises(pl.ModelError) as refused:
            model.simulate(1.0, output_step=1e-9, progress=never, **options)
        assert str(refused.value) == told + "5e-06 s"
    assert 8 * WIDTH * 200_001 < 4e9
    with pytest.raises(pl.ModelError, match=r"of 2 runs take 24\.4 TB"):
        model.simulate(1.0, output_step=1e-9, estimate=True, progress=never)
    sol = model.simulate(1e-3, step=1e-3, progress=False)
    monkeypatch.setattr(memory, "available", lambda: 1e6)
    with pytest.raises(pl.ModelError, match="go on for a shorter time"):
        sol.resume(1e6, progress=never)


def test_the_system_tells_how_much_memory_there_is():
    room = memory.available()
    assert room is not None and 1e7 < room < 1e14


TEXT = """pliant: 1
name: ball
bodies:
  b: {mass: 1, inertia: [0.1, 0.1, 0.1]}
simulate: {duration: 10, output_step: 1.0e-4}
"""


def test_it_is_told_in_a_text_and_by_the_commands(tmp_path, monkeypatch, capsys):
    """100 001 rows of 3 + 7 + 18 + 1 numbers."""
    (tmp_path / "ball.yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "available", lambda: 2e7)
    monkeypatch.setattr("pliant.diagnosis.size_of_run.available", lambda: 2e7)
    with pytest.raises(SystemExit) as ended:
        main(["run", "ball.yaml", "-o", "ball.h5"])
    assert ended.value.code == 1
    told = capsys.readouterr().err
    assert "100001 rows of" in told and "and 20 MB are available; keep fewer rows: output_step = 0.0002 s" in told
    assert not list(tmp_path.glob("ball.h5*"))
    found = pl.read("ball.yaml").check()
    assert [f.severity for f in found.findings if f.code == "large-run"] == ["error"]
    monkeypatch.setattr("pliant.diagnosis.size_of_run.available", lambda: 1e9)
    monkeypatch.setattr("pliant.diagnosis.size_of_run.LARGE", 2e7)
    with pytest.raises(SystemExit) as ended:
        main(["check", "ball.yaml"])
    assert ended.value.code == 0
    assert "large-run" in capsys.readouterr().out
