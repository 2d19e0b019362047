"""What ends a run early: each in a sentence that names item and time, with a code, and with everything that was computed."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import kill_runs
import mechanisms
import numpy as np
import pytest

import pliant as pl
from pliant import cli
from pliant.proofs.benchmark_models import fourbars
from pliant.results import results_file

HERE = Path(__file__).parents[1] / "support"


# -- codes
def stuck():
    m = pl.Model("stuck")
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("hinge", m.ground, rod["start"]))
    m.add(pl.Fixed("weld", m.ground.frame((1, 0, 0)), rod["end"]))
    m.add(pl.Drive("hinge", "angle", "t^2"))
    return m


def point():
    m = pl.Model("point")
    m.add(pl.RigidBody.point_mass("bob", 1.0))
    return m


def pushed(function):
    m = mechanisms.pendulum()
    m.add(pl.Force("push", "bob", (function, 0, 0)))
    return m


def blown(function):
    m = pl.Model("free")
    m.add(pl.RigidBody.box("box", (0.1, 0.2, 0.3), mass=1.0))
    m.add(pl.Force("push", "box", (0, function, 0)))
    return m


def raises(t):
    if t > 0.0505:
        raise RuntimeError("sensor table ended")
    return [0.0, t][1]


def leaves(t):
    if t > 0.0505:
        sys.exit(7)
    return [0.0, t][1]


@pytest.mark.parametrize(("model", "options", "code", "sentence"), [
    (lambda: fourbars(2), {"step": 0.05, "integrator": pl.GeneralizedAlpha(max_iterations=2)}, "newton-failed",
     r"t = 0.35 s: .* 2 iterations \(step no. 8; body 'bar_\d' with joints 'pivot_\d'.* moves most\) with step 0.05 s. Try a smaller step"),
    (point, {"step": 1e-3}, "singular-matrix", "'bob': without rotational inertia"),
    (lambda: pushed("sqrt(0.0505 - t)"), {"step": 1e-3}, "not-finite", r"t = 0.05 s: 'push' gave a number that is not finite"),
    (lambda: blown("exp(1e4*t)"), {"step": 1e-3}, "not-finite", r"t = 0.\d+ s: .*finite"),
    (stuck, {"step": 1e-3}, "joint-open", "joint 'hinge' is open by"),
    (lambda: pushed(raises), {"step": 1e-3}, "user-function", r"t = 0.05 s: RuntimeError: sensor table ended - raised in force 'push'"),
    (lambda: pushed(leaves), {"step": 1e-3}, "user-function", r"SystemExit: 7 - raised in force 'push'"),
])
def test_codes(model, options, code, sentence, tmp_path):
    """In memory, and in the file, which can be read as it is."""
    with pytest.raises(pl.SimulationError, match=sentence) as stopped:
        model().simulate(1.0, out=tmp_path / "run.h5", **options)
    error = stopped.value
    assert error.code == code and error.file == tmp_path / "run.h5"
    back = pl.load(error.file)
    assert not back.complete and back.end == pytest.approx(1.0)
    assert np.array_equal(back.rows, error.solution.rows) and np.isfinite(back.rows).all()
    assert f"{len(back.t)} rows up to t = " in error.__notes__[-1]
    assert os.listdir(tmp_path) == ["run.h5"]


def test_a_function_that_fails_at_the_start_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("early.py").write_text("import pliant as pl\ndef f(t):\n    raise KeyError('boom')\nmodel = pl.Model('m')\n"
                                "model.add(pl.RigidBody('b', 1.0, (1, 1, 1)))\nmodel.add(pl.Force('push', 'b', (f, 0, 0)))\n")
    assert cli.execute(["run", "early.py", "--duration", "1", "--step", "1e-3"]) == 1
    assert capsys.readouterr().err == "KeyError: boom - raised in force 'push': vector, asked for t = 0 s\n"
    assert os.listdir(tmp_path) == ["early.py"] or "__pycache__" in os.listdir(tmp_path)


# -- places that cannot be written are found before the run
@pytest.mark.parametrize("place", ["nowhere/run.h5", "folder.h5", "pipe.h5", "readonly/run.h5"])
def test_bad_places(place, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder.h5")
    os.mkdir("readonly")
    os.mkfifo("pipe.h5")
    if place.startswith("readonly"):
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    ran = []
    with pytest.raises(OSError, match=f"cannot write '{place}': .*(make it or choose another|give the name|choose another)"):
        mechanisms.pendulum().simulate(1.0, step=1e-3, out=place, progress=lambda *_: ran.append(1))
    assert not ran
    if not place.startswith("readonly"):
        mechanisms.pendulum().save("p.yaml")
        assert cli.execute(["run", "p.yaml", "--duration", "1", "--step", "1e-3", "-o", place]) == 1
        assert place in capsys.readouterr().err
    assert not os.listdir("readonly") and not os.listdir("folder.h5") and not list(tmp_path.glob("*.part"))


# -- the command line in processes of its own
LONG = """\
pliant: 1
name: long
gravity: [0, 0, -9.81]
bodies:
  a: {rod: {start: [0, 0, 0], end: [1, 0, 0]}, mass: 1}
  b: {rod: {start: [1, 0, 0], end: [2, 0.3, 0]}, mass: 1}
joints:
  A: {kind: revolute, between: [ground, a.start], axis: y}
  B: {kind: spherical, between: [a.end, b.start]}
simulate: {duration: 2000, step: 1e-4, output_step: 1e-2}
"""


STARTED = []  # processes
PATIENCE = 300  # s, on a busy machine


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Processes find the kernels in the cache: compiling them takes its time on a busy machine."""
    from pliant.text.model_text import from_text
    from_text(LONG).simulate(0.01)


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.communicate()


def listening():
    """Tests that run in the background hand down signals that are ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def started(folder, *args, until=None, code="import pliant.cli; pliant.cli.main()"):
    """A command in a process, returned when a file has grown to a size."""
    process = subprocess.Popen([sys.executable, "-c", code, *args], cwd=folder, text=True, preexec_fn=listening,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    STARTED.append(process)
    limit = time.monotonic() + PATIENCE
    while until and process.poll() is None and time.monotonic() < limit:
        file = folder / until[0]
        if file.exists() and file.stat().st_size >= until[1]:
            break
        time.sleep(0.005)
    return process


def ended(process, number=None):
    if number is not None:
        process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    return process.returncode, out, err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_keep_the_rows(number, code, tmp_path):
    (tmp_path / "long.yaml").write_text(LONG)
    process = started(tmp_path, "run", "long.yaml", "--json", until=("long.h5.part", 50_000))
    returned, out, _ = ended(process, number)
    data = json.loads(out)
    assert returned == code and data["error"]["kind"] == "interrupted" and data["file"] == "long.h5"
    sol = pl.load(tmp_path / "long.h5")
    assert len(sol.t) == data["rows"] > 20 and not sol.complete and sol.end == 2000
    assert sorted(os.listdir(tmp_path)) == ["long.h5", "long.yaml"]


@pytest.mark.parametrize("after", [0.25, 0.5, 0.75])
def test_an_interrupt_before_the_first_row(after, tmp_path):
    """While modules are loaded, the model is read or assembled: nothing is written, or the first rows."""
    (tmp_path / "long.yaml").write_text(LONG)
    process = started(tmp_path, "run", "long.yaml", code="import pliant.cli; print(flush=True); pliant.cli.main()")
    process.stdout.readline()
    time.sleep(after)
    returned, _, err = ended(process, signal.SIGINT)
    assert returned == 130 and "interrupted" in err
    assert set(os.listdir(tmp_path)) <= {"long.yaml", "long.h5"}


def test_an_interrupt_while_kernels_are_compiled(tmp_path, monkeypatch):
    (tmp_path / "long.yaml").write_text(LONG)
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / "cache"))
    process = started(tmp_path, "run", "long.yaml")
    assert "compiling its kernels" in process.stderr.readline()
    time.sleep(0.7)
    returned, _, err = ended(process, signal.SIGINT)
    assert returned == 130 and err.strip() == "interrupted"
    assert sorted(os.listdir(tmp_path)) == ["cache", "long.yaml"]


SAVING = """
import os, signal, sys
import mechanisms
from pliant.results import results_file as results
original, calls = results._dataset, []
def slow(*args):
    calls.append(1)
    if len(calls) == 5:
        os.kill(os.getpid(), signal.SIGINT)
    return original(*args)
results._dataset = slow
try:
    if sys.argv[2] == "simulate":
        mechanisms.slider_crank().simulate(0.1, step=1e-3, out=sys.argv[1])
    else:
        mechanisms.slider_crank().simulate(0.1, step=1e-3).save(sys.argv[1])
except KeyboardInterrupt as error:
    print("interrupted", getattr(error, "file", None))
"""


@pytest.mark.parametrize("how", ["simulate", "save"])
def test_an_interrupt_while_the_file_is_written(how, tmp_path):
    """The file is finished first."""
    done = subprocess.run([sys.executable, "-c", SAVING, tmp_path / "run.h5", how], capture_output=True, text=True, cwd=HERE,
                          preexec_fn=listening)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"interrupted {tmp_path / 'run.h5' if how == 'simulate' else None}\n"
    assert pl.load(tmp_path / "run.h5").complete and os.listdir(tmp_path) == ["run.h5"]


def test_kill_and_resume_on_the_command_line(tmp_path):
    """SIGKILL cannot be handled: the journal is there, can be looked at and resumed; exit codes 0 and 1 of resume."""
    (tmp_path / "long.yaml").write_text(LONG.replace("duration: 2000", "duration: 6"))
    whole = pl.read(tmp_path / "long.yaml").simulate()
    process = started(tmp_path, "run", "long.yaml", until=("long.h5.part", 50_000))
    process.kill()
    process.communicate()
    assert sorted(os.listdir(tmp_path)) == ["long.h5.part", "long.yaml"]
    assert ended(started(tmp_path, "export", "long.h5.part", "a.position", "-o", "a.csv"))[0] == 0
    code, out, err = ended(started(tmp_path, "resume", "long.h5", "--json"))
    data = json.loads(out)
    assert (code, err) == (0, "") and data["complete"] and data["file"] == "long.h5" and data["end"] == pytest.approx(6)
    sol = pl.load(tmp_path / "long.h5")
    assert np.array_equal(sol.rows, whole.rows) and sol.quality == whole.quality
    code, _, err = ended(started(tmp_path, "resume", "long.h5"))
    assert code == 1 and "is complete at t = 6 s; to go on give the further time" in err
    code, out, _ = ended(started(tmp_path, "resume", "long.h5", "--duration", "500 ms", "-o", "more.h5"))
    assert code == 0 and "0 to 6.5 s" in out and len(pl.load(tmp_path / "more.h5").t) == 651


def test_the_command_line_tells_of_a_later_journal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mechanisms.pendulum().simulate(0.1, step=1e-3, out="run.h5")
    with monkeypatch.context() as patch:
        patch.setattr(results_file, "conclude", lambda *_: None)
        mechanisms.pendulum().simulate(0.1, step=1e-3, out="run.h5")
    os.utime("run.h5.part", (2e9, 2e9))
    assert cli.execute(["export", "run.h5", "bob.position"]) == 0
    assert capsys.readouterr().err == ("'run.h5' holds an earlier run: a later one was cut off and is in 'run.h5.part', "
                                       "which can be loaded as well\n")


def test_resume_takes_a_python_model(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("late.py").write_text("import pliant as pl\nend = 0.1\ndef f(t):\n    return 1 / (t < end)\nmodel = pl.Model('m')\n"
                               "model.add(pl.RigidBody('b', 1.0, (1, 1, 1)))\nmodel.add(pl.Force('push', 'b', (f, 0, 0)))\n")
    assert cli.execute(["run", "late.py", "--duration", "0.2", "--step", "1e-3"]) == 2
    assert cli.execute(["resume", "late.h5"]) == 1
    assert "uses a Python function" in capsys.readouterr().err
    Path("late.py").write_text(Path("late.py").read_text().replace("0.1", "9"))
    assert cli.execute(["resume", "late.h5", "--model", "late.py"]) == 0
    sol = pl.load("late.h5")
    assert sol.complete and sol["b.velocity.x"][-1] == pytest.approx(0.2)


# -- a full disk
FULL = """
import resource, sys
import pliant.cli
if sys.argv.pop(1) == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), -1))
pliant.cli.main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files, which stands for a full disk")
def test_a_disk_that_fills_up_during_the_run(tmp_path):
    (tmp_path / "long.yaml").write_text(LONG.replace("duration: 2000", "duration: 4"))
    whole = pl.read(tmp_path / "long.yaml").simulate()
    code, _, err = ended(started(tmp_path, "full", "150000", "run", "long.yaml", code=FULL))
    sol = pl.load(tmp_path / "long.h5")
    assert code == 2 and f"long.h5.part': File too large. But {len(sol.t)} rows are safe there; make room and resume from it" in err
    assert sorted(os.listdir(tmp_path)) == ["long.h5.part", "long.yaml"]
    assert 20 < len(sol.t) < 401 and np.array_equal(sol.rows, whole.rows[:len(sol.t)])
    before = (tmp_path / "long.h5.part").read_bytes()
    code, _, err = ended(started(tmp_path, "full", "20000", "resume", "long.h5.part", code=FULL))
    assert code == 2 and "what was there before is still there" in err
    assert (tmp_path / "long.h5.part").read_bytes() == before and sorted(os.listdir(tmp_path)) == ["long.h5.part", "long.yaml"]


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files, which stands for a full disk")
def test_a_disk_that_is_full_when_the_file_is_written(tmp_path):
    """The journal of all rows is smaller than the file with its channels."""
    (tmp_path / "long.yaml").write_text(LONG.replace("duration: 2000", "duration: 1"))
    whole = pl.read(tmp_path / "long.yaml").simulate()
    code, out, _ = ended(started(tmp_path, "full", "120000", "run", "long.yaml", "--json", code=FULL))
    data = json.loads(out)
    assert code == 2 and data["code"] == "not-written" and data["file"] == "long.h5.part"
    assert "All 101 rows are safe in 'long.h5.part'; resume from it when there is room" in data["error"]["message"]
    code, *_ = ended(started(tmp_path, "resume", "long.h5.part"))
    assert code == 0 and np.array_equal(pl.load(tmp_path / "long.h5").rows, whole.rows)
    assert sorted(os.listdir(tmp_path)) == ["long.h5", "long.yaml"]


# -- kill -9; tests/support/kill_runs.py does it fifty times
def test_kill_at_random_moments(capsys):
    assert kill_runs.main(2, 11, ["chain of 40"]) == 0, capsys.readouterr().out


LOST = """
import os, signal, time
import pliant.cli, pliant.text.model_files
original = pliant.text.model_files.load_model
def swallow(*args):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except BaseException:
        pass
    return original(*args)
pliant.text.model_files.load_model = swallow
pliant.cli.main()
"""


def test_an_interrupt_that_a_library_catches_is_not_lost(tmp_path):
    (tmp_path / "long.yaml").write_text(LONG)
    returned, _, err = ended(started(tmp_path, "run", "long.yaml", code=LOST))
    assert returned == 130 and "interrupted" in err


def test_an_interrupt_that_compiled_code_has_lost(monkeypatch):
    """Between Python and a compiled function it becomes a SystemError, once in some dozens of runs."""
    from pliant.commands import base, runs
    monkeypatch.setattr(runs, "asked", [base.Terminated(signal.SIGTERM)])
    stopped = runs._stopped(SystemError("returned NULL without setting an exception"))
    assert stopped.code == 143 and str(stopped) == "interrupted"
    monkeypatch.setattr(runs, "asked", [])
    assert runs._stopped(SystemError("another one")).code == base.FAILED
