"""Envelope of stresses over a run: a skin of 200 000 triangles, 20 modes and 10 000 times must need at most 1 GB, with progress.

The part is made up (a sphere with smooth shapes, as kept with a part), the modal coordinates come from a file, as those of a long run.
Points are checked against all stresses of theirs. Exit code 1 if memory, progress or values are wrong."""
from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

from pliant.flex import Recovery, principal, von_mises

ACROSS, MODES, TIMES, LIMIT = 1001, 20, 10_000, 1e9


def sphere() -> tuple[np.ndarray, np.ndarray]:
    """Points and 200 000 triangles."""
    u, v = np.meshgrid(np.linspace(0.01, np.pi - 0.01, 101), np.linspace(0, 2 * np.pi, ACROSS), indexing="ij")
    points = np.stack((np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)), axis=-1).reshape(-1, 3)
    i = (np.arange(100)[:, None] * ACROSS + np.arange(ACROSS - 1)).ravel()
    return points, np.concatenate((np.stack((i, i + 1, i + ACROSS), 1), np.stack((i + 1, i + ACROSS + 1, i + ACROSS), 1)))


def part() -> Recovery:
    points, cells = sphere()
    rng = np.random.default_rng(1)
    S = np.stack([np.sin(points @ rng.normal(scale=3, size=(3, 6)) + rng.normal(size=6)) for _ in range(MODES)], axis=2) * 1e8
    return Recovery(points, cells, S, np.tile([210e9, 0.3], (len(points), 1)), np.full(len(points), -1), [])


def coordinates(path: Path) -> None:
    """Modal coordinates of a vibration with beats, written in pieces."""
    rng = np.random.default_rng(2)
    frequency, phase, size = 2 * np.pi * np.sort(rng.uniform(5, 400, MODES)), rng.uniform(0, 6, MODES), 1 / np.arange(1.0, MODES + 1)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("modal", (TIMES, MODES), "f8")
        for first in range(0, TIMES, 1000):
            t = np.arange(first, min(first + 1000, TIMES))[:, None] * 1e-3
            data[first:first + 1000] = size * np.sin(frequency * t + phase) * (1 + 0.3 * np.sin(7 * t + phase))


def main() -> int:
    recovery = part()
    told: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.h5"
        coordinates(file)
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, time.perf_counter()
        with h5py.File(file) as run:
            found = recovery.envelope(run["modal"], told.append)
            seconds = time.perf_counter() - start
            Q = run["modal"][:]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    good = True
    for p in np.random.default_rng(3).integers(len(recovery.points), size=50):
        sigma = recovery.history(int(p), Q)
        low, high = principal(sigma)
        for value, at, all_ in ((found.von_mises, found.von_mises_at, von_mises(sigma)), (found.largest, found.largest_at, high),
                                (found.smallest, found.smallest_at, low)):
            extreme = all_.min() if all_ is low else all_.max()
            good &= bool(abs(value[p] - extreme) <= 1e-9 * abs(all_).max() and abs(all_[at[p]] - extreme) <= 1e-9 * abs(all_).max())
    steady = len(told) > 100 and told == sorted(told) and told[-1] == 1.0
    print(f"skin of {len(recovery.cells)} triangles, {len(recovery.points)} points, {MODES} modes, {TIMES} times: {seconds:.1f} s")
    print(f"peak memory {peak / 1e6:.0f} MB (limit {LIMIT / 1e6:.0f}; {before / 1e6:.0f} before, with the shapes): {_said(peak <= LIMIT)}")
    print(f"progress told {len(told)} times, rising to 1: {_said(steady)}; 50 points against all their stresses: {_said(good)}")
    return 0 if peak <= LIMIT and steady and good else 1


def _said(good: bool) -> str:
    return "passed" if good else "FAILED"


if __name__ == "__main__":
    sys.exit(main())
