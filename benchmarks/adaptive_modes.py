"""Modes that come and go: steps, CPU time and error of the example struck_boom with more modes and for longer, against all of its modes.

    python benchmarks/adaptive_modes.py
"""
from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import numpy as np

import pliant as pl


def boom(adaptive: str | None) -> pl.Model:
    """The example, with a part of 22 modes."""
    spec = importlib.util.spec_from_file_location("struck_boom", Path(__file__).parents[1] / "examples" / "struck_boom.py")
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    m: pl.Model = example.model(adaptive)
    mesh = pl.flex.mesh_beam([(0, 0, 0), (2, 0, 0)], pl.Section.rectangle(0.030, 0.020), pl.ALUMINIUM, elements=24)
    m["boom"].reduced = pl.flex.reduce(mesh, {"tail": (0, 0, 0), "tip": (2, 0, 0)}, modes=10, frame="mean-axis", method="static-correction")
    return m


def timed(adaptive: str | None, **options: object) -> tuple[pl.Solution, float]:
    """A run, and the better of two CPU times."""
    m, best = boom(adaptive), np.inf
    for _ in range(2):
        start = time.process_time()
        sol = m.simulate(2.0, accuracy=1e-6, output_step=5e-4, progress=False, **options)
        best = min(best, time.process_time() - start)
    return sol, best


def main() -> None:
    print("| method | tolerance | steps | CPU time | active | error |\n|---|---|--:|--:|--:|--:|")
    for integrator in ("dop853", "radau-iia-5"):
        exact = None
        for tolerance in (None, "5 um", "50 um"):
            sol, cpu = timed(tolerance, integrator=integrator)
            exact = exact or sol
            error = 1e3 * abs(sol["boom.tip.position"] - exact["boom.tip.position"]).max()
            active = sol.active_modes("boom").sum(1).mean() if tolerance else sol.part("boom").n
            print(f"| {integrator} | {tolerance or 'all modes'} | {sol.quality.steps} | {cpu:.1f} s | {active:.3g} | {error:.2g} mm |")


if __name__ == "__main__":
    main()
