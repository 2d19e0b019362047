"""The automatic choice on trial: its CPU time against the best method of the same error, on the models of `choice_models.py`.

    python benchmarks/choice.py [--default] [--json FILE] [MODEL...]

For each model: the default at the accuracy "normal", its error against a reference of accuracy 1e-10; then DOP853, Radau IIA and
generalized-alpha in absolute and in joint coordinates, with accuracies around the one that gives the same error; times between two of
these by interpolation of logarithms. CPU time of the whole of `simulate` with 50 rows, the best of two. ``--default``: only the
first, for comparing two versions. Errors: `pliant.methods.comparison.difference`; below 1e-7 they count as 1e-7, a hundredth of what
is asked for.
"""
from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from typing import Any

os.environ |= {"PLIANT_QUIET": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # NumPy asks as it is imported

import numpy as np
from choice_models import models

import pliant as pl
from pliant.methods.comparison import difference

ROWS, REPEATS, AGAIN, LEAST = 50, 2, 2, 1e-7
ACCURACIES = tuple(10.0 ** -k for k in range(2, 9))
LONG = 4.0   # times as long as the best so far: given up
METHODS = {"DOP853": pl.DOP853(), "Radau": pl.RadauIIA5(), "gen-alpha": pl.GeneralizedAlpha(0.8)}
WAYS = [f"{kind} {coordinates}" for kind in METHODS for coordinates in ("absolute", "joint")]


class TooLong(Exception):
    """A run that cannot be the fastest."""


class Trial:
    """A model, and the CPU time [s] and error of its runs: the least of all times that were measured."""

    def __init__(self, model: pl.Model, duration: float) -> None:
        self.model, self.duration, self.rows = model, duration, {"output_step": duration / ROWS}
        model.simulate(duration, **self.rows)  # kernels are loaded
        self.known: dict[tuple[str, float], tuple[float, float]] = {}  # (method and coordinates, accuracy): time, error
        self.seconds, self.sol = self.timed()
        self.reference = reference(model, duration, self.sol)
        self.error = difference(self.sol, self.reference)

    def timed(self, limit: float = np.inf, **options: Any) -> tuple[float, pl.Solution]:
        """The least CPU time of some runs, and the last one; TooLong from ``limit`` on."""
        best, sol = np.inf, None
        for _ in range(REPEATS):
            start = time.process_time()

            def watch(_t: float, _end: float, start: float = start) -> None:
                if time.process_time() - start > limit:
                    raise TooLong
            sol = self.model.simulate(self.duration, **self.rows, **options, progress=watch)
            best = min(best, time.process_time() - start)
            if best > 1:
                break
        assert sol is not None
        return best, sol

    def run(self, way: str, accuracy: float, limit: float = np.inf, again: bool = False) -> tuple[float, float]:
        """Time and error of a method in coordinates; infinite where it takes longer than ``limit``."""
        if (way, accuracy) not in self.known or again:
            kind, coordinates = way.rsplit(" ", 1)
            before = self.known.get((way, accuracy), (np.inf, 0.0))
            try:
                seconds, sol = self.timed(limit, integrator=METHODS[kind], coordinates=coordinates, accuracy=accuracy)
                self.known[way, accuracy] = min(seconds, before[0]), max(difference(sol, self.reference), 1e-14)
            except TooLong:
                self.known[way, accuracy] = np.inf, np.inf
        return self.known[way, accuracy]

    def bracket(self, way: str, error: float, limit: float) -> list[float]:
        """The accuracies, at a distance of ten, between which a method has this error; one, if the coarsest is good enough; none where it
        takes longer than ``limit``."""
        k = 3
        while self.run(way, ACCURACIES[k], limit)[1] > error:
            if self.known[way, ACCURACIES[k]][0] > limit or k + 1 == len(ACCURACIES):
                return []
            k += 1
        while k > 0 and self.run(way, ACCURACIES[k - 1], limit)[1] <= error:
            k -= 1
        return list(ACCURACIES[max(0, k - 1):k + 1])

    def between(self, way: str, accuracies: list[float], error: float) -> float:
        """The time at this error, by interpolation of logarithms."""
        if len(accuracies) < 2:
            return self.known[way, accuracies[0]][0] if accuracies else np.inf
        (t0, e0), (t1, e1) = (self.known[way, a] for a in accuracies)
        if not np.isfinite(t0):
            return t1
        part = np.log(e0 / error) / np.log(e0 / e1) if e0 > e1 else 1.0
        return float(min(t1, np.exp(np.log(t0) + part * np.log(t1 / t0))))


def reference(model: pl.Model, duration: float, sol: pl.Solution) -> pl.Solution:
    """The same method with an accuracy of 1e-10; in absolute coordinates where rounding in closed loops does not let it."""
    options: dict[str, Any] = {"output_step": duration / ROWS, "integrator": sol.method, "accuracy": 1e-10}
    try:
        return model.simulate(duration, formulation=sol.formulation, **options)
    except pl.SimulationError:
        return model.simulate(duration, coordinates="absolute", **options)


def measure(name: str, only_default: bool) -> dict[str, Any]:
    build, duration = models()[name]
    trial = Trial(build(), duration)
    sol = trial.sol
    found: dict[str, Any] = {"model": name, "seconds": trial.seconds, "steps": sol.quality.steps, "error": trial.error,
                             "chosen": f"{sol.method.kind}, {'joint' if sol.formulation.kind == 'recursion' else 'absolute'}",
                             "why": sol.why}
    if only_default:
        return found
    error, brackets = max(trial.error, LEAST), {}
    for way in WAYS:
        limit = LONG * min([trial.seconds, *(trial.between(*known, error) for known in brackets.items())])
        try:
            brackets[way] = trial.bracket(way, error, limit)
        except Exception as problem:  # not for this model, or it stopped
            found.setdefault("failed", {})[way] = str(problem)[:100]
            brackets[way] = []
    best = min(WAYS, key=lambda way: trial.between(way, brackets[way], error))
    for _ in range(AGAIN if trial.seconds < 1 else 1):  # in turn, as the machine is not always as fast
        trial.seconds = min(trial.seconds, trial.timed()[0])
        for accuracy in brackets[best]:
            trial.run(best, accuracy, again=True)
    found |= {way: trial.between(way, brackets[way], error) for way in WAYS}
    found["seconds"], found["best way"] = trial.seconds, best
    found["best"] = min(trial.seconds, *(found[way] for way in WAYS))
    found["ratio"] = trial.seconds / found["best"]
    return found


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown."""
    lines = ["| model | chosen | steps | error/s | CPU [ms] | " + " | ".join(WAYS) + " | over the best |", "|---" * (len(WAYS) + 6) + "|"]
    for row in rows:
        cells = ["-" if not np.isfinite(row[c]) else f"{1e3 * row[c]:.0f}" for c in WAYS]
        lines.append(f"| {row['model']} | {row['chosen']} | {row['steps']} | {row['error']:.0e} | {1e3 * row['seconds']:.0f} | "
                     + " | ".join(cells) + f" | {row['ratio']:.2f} |")
    ratios = [row["ratio"] for row in rows]
    return "\n".join([*lines, "", f"Over the best: {statistics.median(ratios):.2f} in the median, {max(ratios):.2f} at most."])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--default", action="store_true")
    parser.add_argument("--json")
    given = parser.parse_args()
    rows = []
    for name in given.models or models():
        rows.append(measure(name, given.default))
        print(json.dumps(rows[-1]), flush=True)
        if given.json:
            with open(given.json, "w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)
    if not given.default:
        print(table(rows))


if __name__ == "__main__":
    main()
