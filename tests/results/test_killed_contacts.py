"""SIGKILL in contact, in stick and after a break: what was written opens, and goes on bit for bit, with its events."""
import signal
import subprocess
import sys

import killed_contacts as kc
import numpy as np
import pytest
from interrupted import equal, short_intervals  # noqa: F401

import pliant as pl


def same_events(a, b):
    return a.log.tobytes() == b.log.tobytes() and [e.what for e in a] == [e.what for e in b]


@pytest.mark.parametrize("case", kc.CASES)
def test_killed_in_contact(case, tmp_path, one_slice):
    out, (model, duration) = tmp_path / "run.h5", kc.CASES[case]
    whole = model().simulate(duration, **kc.OPTIONS)
    done = subprocess.run([sys.executable, kc.__file__, case, out], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    sol = pl.load(out)
    assert not sol.complete and 0 < sol.memory["rows"][0] <= len(sol.t) < len(whole.t)
    assert np.array_equal(sol.rows, whole.rows[:len(sol.t)])
    if case == "break":
        assert sol["A.state"][-1] == -1 and whole["c.normal_force"].max() > 1
    else:
        assert sol["feet.state"][-1] == 1 and len(sol.events.of("bounce")) > 0
    past = [e for e in whole.events if e.t <= sol.t[-1]]
    assert [(e.t, e.item, e.what) for e in sol.events][:len(past)] == [(e.t, e.item, e.what) for e in past]
    again = sol.resume(out=out)
    assert equal(again, whole) and same_events(again.events, whole.events)
    file = pl.load(out)
    assert equal(file, whole) and same_events(file.events, whole.events)
