"""Files that are written after a run: their progress is shown, and who asks twice to end leaves them, with all rows in the journal."""
import os
import signal
import subprocess
import sys
from pathlib import Path

import mechanisms
import pytest

import pliant as pl
from pliant.report import progress as bars

HERE = Path(__file__).parents[1] / "support"

RUN = """
import os, signal, sys
import mechanisms
from pliant.results import results_file as results
original, calls, times, stop = results._dataset, [], int(sys.argv[2]), sys.argv[3] == "stopped"
def slow(*args):
    calls.append(1)
    if 5 <= len(calls) < 5 + times:
        os.kill(os.getpid(), signal.SIGINT)
    return original(*args)
def progress(t, end):
    if stop and t >= 0.5 * end:
        os.kill(os.getpid(), signal.SIGINT)
results._dataset = slow
try:
    mechanisms.slider_crank().simulate(4.0, step=2e-4, out=sys.argv[1], progress=progress)
except KeyboardInterrupt as error:
    print("interrupted", len(error.solution.t), error.file.name, len(calls))
"""


def listening():
    """Tests that run in the background hand down signals that are ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize(("how", "times", "kept"), [("whole", 1, "run.h5"), ("whole", 2, "run.h5.part"), ("stopped", 1, "run.h5.part"),
                                                    ("stopped", 0, "run.h5")])
def test_who_asks_again_leaves_the_file(how, times, kept, tmp_path):
    """A file is finished when the user asks to end; asked once more it is left, no later than with the next channel. No row is lost, and
    the run goes on from what is there."""
    done = subprocess.run([sys.executable, "-c", RUN, tmp_path / "run.h5", str(times), how], capture_output=True, text=True, cwd=HERE,
                          preexec_fn=listening)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    _, rows, name, calls = done.stdout.split()
    assert name == kept and os.listdir(tmp_path) == [kept]
    assert (int(calls) < 8) == (kept == "run.h5.part")
    sol = pl.load(tmp_path / kept)
    assert len(sol.t) == int(rows) and sol.complete == (how == "whole" and times == 1)
    if kept == "run.h5.part" and how == "whole":
        whole = sol.resume(out=tmp_path / "run.h5", progress=False)
        assert whole.complete and whole.t[-1] == 4.0 and pl.load(tmp_path / "run.h5").complete


class Shown:
    """A display that keeps what it is told."""

    def __init__(self, what=""):
        self.what, self.files, self.told, self.closed = what, [], [], False

    def __call__(self, done, total):
        self.told.append(done / total)

    def writing(self, what):
        self.files.append(Shown(what))
        return self.files[-1]

    def close(self):
        self.closed = True


def test_the_writing_is_shown(tmp_path):
    shown = Shown()
    sol = mechanisms.slider_crank().simulate(0.1, step=1e-3, out=tmp_path / "run.h5", progress=shown)
    (file,) = shown.files
    assert file.what == "writing 'run.h5' (Ctrl-C twice leaves it; the rows are in 'run.h5.part')" and file.closed
    assert len(file.told) > len(sol.channels) and file.told == sorted(file.told) and file.told[0] == 0 and 0.9 < file.told[-1] <= 1


def test_the_bar_of_a_file(monkeypatch, capsys):
    """Lines where there is no terminal: the first after a while, then every so often."""
    monkeypatch.setattr(bars, "FIRST", 0.0)
    monkeypatch.setattr(bars, "EVERY", 0.0)
    bar = bars.Progress().writing("writing 'run.h5'")
    for k in range(3):
        bar(k, 4)
    assert "writing 'run.h5', 50 %," in capsys.readouterr().err
