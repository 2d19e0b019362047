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

ROWS, REPEATS, LEAST = 50, 2, 1e-7
ACCURACIES = tuple(10.0 ** -k for k in range(2, 9))
LONG = 6.0   # times as long as the best so far: given up
METHODS = {"DOP853": pl.DOP853, "Radau": pl.RadauIIA5, "gen-alpha": pl.GeneralizedAlpha}


def timed(model: pl.Model, duration: float, repeats: int = REPEATS, **options: Any) -> tuple[float, pl.Solution]:
    """CPU time [s], and the run."""
    best, sol = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        sol = model.simulate(duration, output_step=duration / ROWS, **options)
        best = min(best, time.process_time() - start)
        if best > 1:
            break
    assert sol is not None
    return best, sol


def at_error(model: pl.Model, duration: float, reference: pl.Solution, error: float, limit: float, **options: Any) -> float:
    """CPU time of a method at this error; infinite where it fails or takes longer than ``limit``."""
    known: dict[int, tuple[float, float]] = {}

    def run(k: int) -> tuple[float, float]:
        if k not in known:
            seconds, sol = timed(model, duration, accuracy=ACCURACIES[k], **options)
            known[k] = seconds, max(difference(sol, reference), 1e-14)
        return known[k]
    k = 3
    while run(k)[1] > error:
        if known[k][0] > limit or k + 1 == len(ACCURACIES):
            return np.inf
        k += 1
    while k > 0 and run(k - 1)[1] <= error:
        k -= 1
    if k == 0 or run(k - 1)[1] <= error:
        return run(k)[0]
    (t0, e0), (t1, e1) = known[k - 1], known[k]
    part = np.log(e0 / error) / np.log(e0 / e1) if e0 > e1 else 1.0
    return float(min(t1, np.exp(np.log(t0) + part * np.log(t1 / t0))))


def measure(name: str, only_default: bool) -> dict[str, Any]:
    build, duration = models()[name]
    model = build()
    model.simulate(duration, output_step=duration / ROWS)  # kernels are loaded
    seconds, sol = timed(model, duration)
    reference = model.simulate(duration, output_step=duration / ROWS, integrator=sol.method, formulation=sol.formulation, accuracy=1e-10)
    found: dict[str, Any] = {"model": name, "seconds": seconds, "steps": sol.quality.steps, "error": difference(sol, reference),
                             "chosen": f"{sol.method.kind}, {'joint' if sol.formulation.kind == 'recursion' else 'absolute'}",
                             "why": sol.why}
    if only_default:
        return found
    error, best = max(found["error"], LEAST), seconds
    for kind, method in METHODS.items():
        for coordinates in ("absolute", "joint"):
            try:
                integrator = method(0.8) if kind == "gen-alpha" else method()
                t = at_error(model, duration, reference, error, LONG * best, integrator=integrator, coordinates=coordinates)
            except Exception as problem:  # not for this model, or it stopped
                found.setdefault("failed", {})[f"{kind} {coordinates}"] = str(problem)[:100]
                t = np.inf
            found[f"{kind} {coordinates}"] = t
            best = min(best, t)
    found["best"], found["ratio"] = best, seconds / best
    return found


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown."""
    columns = [f"{kind} {where}" for kind in METHODS for where in ("absolute", "joint")]
    lines = ["| model | chosen | steps | error/s | CPU [ms] | " + " | ".join(columns) + " | over the best |",
             "|---" * (len(columns) + 6) + "|"]
    for row in rows:
        cells = ["-" if not np.isfinite(row[c]) else f"{1e3 * row[c]:.0f}" for c in columns]
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
