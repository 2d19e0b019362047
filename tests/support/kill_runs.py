"""Kill runs at random moments: every file opens, no reported row is lost, and the end is that of the run that nobody killed, bit for bit.

    python tests/support/kill_runs.py --times 56 [--seed N]

Every third run is killed a second time while it is resumed. Prints a line per run and exits with 1 if any fails.
"""
from __future__ import annotations

import argparse
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import killed_contacts
import mechanisms
import numpy as np

import pliant as pl
from pliant.methods.integrators.base import Plan
from pliant.proofs.benchmark_models import chain, fourbars

# model, duration, step or accuracy, output_step [s]: some seconds of computing each
CASES = {"double four-bar": (lambda: fourbars(2), 4.0, {"step": 2e-5}, 1e-3), "chain of 40": (lambda: chain(40), 4.0, {"step": 4e-4}, 4e-3),
         "box on springs": (mechanisms.box_on_springs, 6.0, {"step": 2e-5}, 1e-2),
         "slider crank": (mechanisms.slider_crank, 4.0, {"step": 2e-5}, 1e-3)}
CASES |= {f"{name} in contact": (model, 12 * duration, killed_contacts.FINE, 1e-2)
          for name, (model, duration) in killed_contacts.CASES.items()}


def reported(path: Path):
    """A function for ``progress`` that leaves the time reached in a file, where the kill cannot take it back."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    return lambda t, end: os.pwrite(file, struct.pack("<d", t), 0)


def child(case: str, out: Path) -> None:
    """A run, or if there is a part of one its continuation."""
    model, duration, options, output_step = CASES[case]
    progress = reported(out.with_suffix(".time"))
    if any(out.with_name(name).exists() for name in (out.name, f"{out.name}.part")):
        pl.load(out).resume(progress=progress, out=out)
    else:
        model().simulate(duration, **options, output_step=output_step, progress=progress, out=out)


def killed(case: str, out: Path, after: float) -> float:
    """Start a run in a process of its own, kill it so many seconds after its first report; returns the last time reported."""
    told = out.with_suffix(".time")
    told.unlink(missing_ok=True)
    process = subprocess.Popen([sys.executable, __file__, "--child", case, str(out)])
    while process.poll() is None and not (told.exists() and told.stat().st_size == 8):
        time.sleep(0.002)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    if process.wait() not in (0, -signal.SIGKILL):
        raise AssertionError(f"the run itself failed with {process.returncode}")
    return float(struct.unpack("<d", told.read_bytes())[0])


def interval(whole: pl.Solution) -> int:
    """Steps from one checkpoint to the next."""
    return whole.method.run(Plan.fixed(whole.dynamics, whole.formulation, whole.rows[0], whole.step, 1)).interval


def trial(case: str, whole: pl.Solution, seconds: float, rng: random.Random, twice: bool) -> tuple[bool, str]:
    """Kill, open, compare, resume, compare; whether all is well, and the figures."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.h5"
        times = [killed(case, out, rng.uniform(0, seconds))]
        if twice and not (out.exists() and pl.load(out).complete):
            times.append(killed(case, out, rng.uniform(0, 0.5 * seconds)))
        sol = pl.load(out)
        rows = len(sol.t)
        missing = max(0, int((times[-1] - sol.t[-1]) / (whole.t[1] - whole.t[0]) + 1e-6))
        same = np.array_equal(sol.rows, whole.rows[:rows]) and np.array_equal(sol.energies, whole.energies[:rows])
        back = 0
        if not sol.complete:
            back = rows - int(sol.memory["rows"][0])
            sol = sol.resume(progress=False, out=out)
        file = pl.load(out)
        same = same and np.array_equal(file.rows, whole.rows) and np.array_equal(file.energies, whole.energies)
        same = same and file.events.log.tobytes() == sol.events.log.tobytes() == whole.events.log.tobytes()
        same = same and sol.quality == whole.quality and file.complete and sorted(os.listdir(folder)) == ["run.h5", "run.time"]
    figures = f"{case}: killed at {', '.join(f't = {t:.4f}' for t in times)} s; {rows} of {len(whole.t)} rows on disk, {missing} " \
              f"reported rows missing, {back} rows computed again, {'end equal bit for bit' if same else 'DIFFERENT'}"
    return same and missing == 0 and ("step" not in CASES[case][2] or back * whole.stride <= interval(whole)), figures


def main(times: int, seed: int, cases: list[str], share: float = 1.05) -> int:
    """``times`` kills, spread evenly over the cases; returns how many went wrong. ``share`` of a run within which it is killed."""
    rng, failed = random.Random(seed), 0
    wholes = {}
    for case in cases:
        model, duration, options, output_step = CASES[case]
        model().simulate(100 * output_step, **options, output_step=output_step)  # compiled before the clock runs
        clock = time.perf_counter()
        wholes[case] = model().simulate(duration, **options, output_step=output_step, progress=False), time.perf_counter() - clock
        whole, seconds = wholes[case]
        checkpoints = f", a checkpoint every {interval(whole)} steps" if "step" in options else ""
        print(f"{case}: {whole.quality.steps} steps in {seconds:.1f} s{checkpoints}", flush=True)
    for k in range(times):
        case = cases[k % len(cases)]
        whole, seconds = wholes[case]
        good, figures = trial(case, whole, share * seconds, rng, twice=k % 3 == 2)
        failed += not good
        print(f"{k + 1:3d} {'ok    ' if good else 'FAILED'} {figures}", flush=True)
    print(f"{times - failed} of {times} runs survived (seed {seed})")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=56)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--cases", nargs="+", choices=[*CASES], default=[*CASES])
    parser.add_argument("--child", nargs=2)
    given = parser.parse_args()
    if given.child:
        child(given.child[0], Path(given.child[1]))
    else:
        sys.exit(main(given.times, random.randrange(10**6) if given.seed is None else given.seed, given.cases) > 0)
