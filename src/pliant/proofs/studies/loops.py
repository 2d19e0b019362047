"""The study of Zhang et al. again: closed loops in joint coordinates with no stabilisation, and with violations corrected directly, the
Jacobian of the correction by sweeps along two paths (Algorithm 1) or by direct differentiation (Algorithm 2); Baumgarte's stabilisation and
coordinate partitioning beside them. docs/studies/loops.md

The figures of the paper give no geometry in its text: ours is in `loops_models`. Times are compared with the paper's tables 1 to 3.
"""
from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...joint_space.services import loop_jacobian_at
from ...kernels import evaluation
from ...kernels.state_row import parts
from ...methods.formulations.choices import Baumgarte, DirectCorrection, Partitioning, Recursion
from ...methods.integrators.base import Plan
from ...methods.integrators.choices import RungeKutta4
from ...model import Model
from ...report.progress import working_on
from ...report.tables import table
from ...solution import Solution
from ...start.assembly import start_row
from . import loops_models as models

Kept = Baumgarte | DirectCorrection | Partitioning | None
TOLERANCE = 1e-10       # on both levels, with correction
FASTER = 100            # times, per step, than the paper
REPEATS = 5             # the best time counts: other work on the machine only adds
PIECES, STEPS, TURNS = 10, 200, 15  # the algorithms are compared in so many pieces of a run of so many steps, in turn so many times
RODS = (100, 200, 300, 500)
WORK = 100_000          # links that Algorithm 2 passes, times rates, in the Jacobians that are made in a row to measure the time of one
WAYS: dict[str, tuple[Kept, str]] = {
    "none": (None, "sweep"), "algorithm 1": (DirectCorrection(TOLERANCE), "sweep"),
    "algorithm 2": (DirectCorrection(TOLERANCE), "differentiation")}
OTHERS: dict[str, tuple[Kept, str]] = {  # that the paper speaks of
    "Baumgarte, 5 / s": (Baumgarte(5.0, 5.0), "sweep"), "Baumgarte, 50 / s": (Baumgarte(50.0, 50.0), "sweep"),
    "partitioning": (Partitioning(TOLERANCE), "sweep")}
COLUMNS = ("example", "time", *WAYS, "2 over 1", "paper none", "paper 1", "paper 2", "faster", "violation", "rates", "passed")
COMPARED = ("example", "way", "over none", "violation", "rates")


class Example(NamedTuple):
    """A linkage, the joints that close its loops, and the paper's table: simulated time [s], CPU times [s] of the three ways."""
    make: Callable[[], Model]
    cut: str
    paper: tuple[tuple[float, float, float, float], ...]


EXAMPLES = {
    "1": Example(models.four_bar, "C", ((50, 19.036, 19.766, 24.875), (100, 38.017, 38.531, 44.547), (200, 79.593, 80.985, 87.516))),
    "2": Example(models.windows, "joint_7, joint_12, joint_17, joint_22, joint_27",
                 ((50, 73.125, 73.469, 88.593), (100, 146.969, 148.625, 177.89), (200, 296.516, 311.297, 371.703))),
    "3": Example(models.slides, "joint_19", ((50, 34.922, 35.641, 42.968), (100, 75, 78.235, 96.391), (200, 144.75, 151.297, 181.25)))}


@dataclass
class Study:
    """``rows``: one per example and simulated time, CPU times by way; ``others``: per example and way of all, CPU time over that of none,
    the largest violations after any step; ``scaling``: microseconds of one Jacobian by number of rods; ``histories``: per example and way
    the violation of positions and rates of its last cut joint over time."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    scaling: list[dict[str, Any]] = field(default_factory=list)
    histories: dict[tuple[str, str], tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return all(row["passed"] for row in self.rows) and all(row["ratio"] > 1 for row in self.scaling)

    def __str__(self) -> str:
        shown = table(COLUMNS, [[_short(row[k]) for k in COLUMNS] for row in self.rows], indent="")
        others = table(COMPARED, [[_short(row[k]) for k in COMPARED] for row in self.others], indent="")
        heads = "rods", "algorithm 1 [us]", "algorithm 2 [us]", "ratio"
        rods = table(heads, [[_short(row[k]) for k in ("rods", "sweep", "differentiation", "ratio")] for row in self.scaling], indent="")
        return (f"CPU times [s], RK4 at {models.STEP:g} s, own geometry\n{shown}\n\nall ways, the longest time\n{others}\n\n"
                f"one Jacobian of a loop\n{rods}")

    def plot(self, path: str | Path) -> None:
        """Violations of the three examples, and times of the Jacobian over the number of rods."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        figure = Figure(figsize=(10.0, 7.0), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, 2).ravel()
        for (name, way), (t, gap, _) in self.histories.items():
            axes[int(name) - 1].semilogy(t[1:], np.maximum(gap[1:], 1e-18), label=way, linewidth=0.7)
        for name, a in zip(EXAMPLES, axes, strict=False):
            a.set(title=f"example {name}: {EXAMPLES[name].make().name}", xlabel="time [s]", ylabel="violation [m or rad]")
        rods = [row["rods"] for row in self.scaling]
        for key, label in (("sweep", "algorithm 1"), ("differentiation", "algorithm 2")):
            axes[3].loglog(rods, [row[key] for row in self.scaling], "o-", label=label)
        axes[3].set(title="one Jacobian of a loop", xlabel="rods", ylabel="time [us]")
        for a in axes:
            a.grid(True, alpha=0.3)
            a.legend(fontsize=7)
        figure.savefig(path, dpi=120)


def _short(value: Any) -> Any:
    return f"{value:.3g}" if isinstance(value, float) else value


def study(times: tuple[float, ...] | None = None, rods: tuple[int, ...] = RODS, repeats: int = REPEATS) -> Study:
    """All of it; ``times``: only these of the simulated times."""
    found = Study()
    for name, example in EXAMPLES.items():
        for row in example.paper:
            if times is None or row[0] in times:
                working_on(f"study: example {name}, {row[0]:g} s")
                found.rows.append(_row(name, example, row, repeats))
        working_on(f"study: example {name}, violations")
        longest = max(row["time"] for row in found.rows)
        found.others += all_ways(name, example, longest)
        for way in WAYS | OTHERS:
            found.histories[name, way] = history(example, way, longest)
    for n in rods:
        working_on(f"study: {n} rods")
        found.scaling.append(scaling(n))
    return found


def formulation(example: Example, way: str) -> Recursion:
    kept, jacobian = (WAYS | OTHERS)[way]
    return Recursion(kept, example.cut, jacobian)


def run(example: Example, way: str, duration: float) -> tuple[Solution, float]:
    """A whole run, and the CPU time that it takes."""
    clock = time.process_time()
    sol = example.make().simulate(duration, step=models.STEP, output_step=1.0, integrator=RungeKutta4(), progress=False,
                                  formulation=formulation(example, way))
    return sol, time.process_time() - clock


def all_ways(name: str, example: Example, duration: float) -> list[dict[str, Any]]:
    """Each once, in turn, after a short run that loads kernels."""
    for way in OTHERS:
        run(example, way, 1.0)
    runs = {way: run(example, way, duration) for way in WAYS | OTHERS}
    return [{"example": name, "way": way, "over none": took / runs["none"][1], "violation": sol.quality.position_violation,
             "rates": sol.quality.velocity_violation} for way, (sol, took) in runs.items()]


def _row(name: str, example: Example, paper: tuple[float, ...], repeats: int) -> dict[str, Any]:
    """Whole runs of the three ways in turn, the best of each; and how the two algorithms compare."""
    row, best = dict[str, Any](), dict.fromkeys(WAYS, np.inf)
    for k in range(repeats + 1):  # the first one loads kernels
        for way in WAYS:
            sol, took = run(example, way, paper[0] if k else 1.0)
            if k:
                best[way] = min(best[way], took)
                if way == "algorithm 1":
                    row = {"violation": sol.quality.position_violation, "rates": sol.quality.velocity_violation}
    ratio = compared(example, paper[0])
    faster = min(theirs / ours for theirs, ours in zip(paper[1:], best.values(), strict=True))
    return {"example": name, "time": paper[0], **best, "2 over 1": ratio, "paper none": paper[1], "paper 1": paper[2],
            "paper 2": paper[3], "faster": faster, **row, "passed": faster >= FASTER and max(row.values()) <= TOLERANCE and ratio > 1}


def compared(example: Example, duration: float) -> float:
    """CPU time of Algorithm 2 over that of Algorithm 1. The difference of few per cent is less than what other work on a machine does to
    whole runs: both make the same short pieces of the run, one after the other, and of every piece the best time counts."""
    dynamics = example.make().compile()
    steps = round(duration / models.STEP)
    plan = Plan.fixed(dynamics, formulation(example, "algorithm 1"), start_row(dynamics), models.STEP, steps, max(1, steps // PIECES))
    total = dict.fromkeys(list(WAYS)[1:], 0.0)
    for start in np.vstack([new.copy() for new in RungeKutta4().run(plan) if len(new)])[:PIECES]:
        start[0], best = 0.0, dict.fromkeys(total, np.inf)
        for k in range(TURNS):
            for way in list(total)[::1 if k % 2 else -1]:
                run = RungeKutta4().run(Plan.fixed(dynamics, formulation(example, way), start, models.STEP, STEPS, STEPS))
                clock = time.process_time()
                for _ in run:
                    pass
                best[way] = min(best[way], time.process_time() - clock)
        total = {way: total[way] + best[way] for way in total}
    return total["algorithm 2"] / total["algorithm 1"]


def history(example: Example, way: str, duration: float, outputs: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times and the largest violation of the last cut joint, of positions and of rates, in the states as the run has them."""
    dynamics = example.make().compile()
    steps, s = round(duration / models.STEP), dynamics.system
    plan = Plan.fixed(dynamics, formulation(example, way), start_row(dynamics), models.STEP, steps, max(1, steps // outputs))
    rows = np.vstack([new.copy() for new in RungeKutta4().run(plan) if len(new)])
    joint = dynamics.directory.joints[example.cut.rpartition(", ")[2]].rows
    p, x = parts(rows, s.q0.size, s.n), dynamics.memory()
    gaps = np.zeros((len(rows), 2))
    for k in range(len(rows)):
        x.q[:], x.v[:], x.a[:], x.H[:], x.V[:] = p["q"][k], p["v"][k], 0, p["H"][k], 0
        evaluation.run(s.program("residual"), s.data, x, rows[k, 0], 0.0, 0.0, 0.0)
        gaps[k, 0] = abs(x.R[joint]).max()
        evaluation.run(s.program("rates"), s.data, x, rows[k, 0], 0.0, 0.0, 0.0)
        gaps[k, 1] = abs(x.V[joint]).max()
    return p["t"].copy(), gaps[:, 0], gaps[:, 1]


def scaling(rods: int) -> dict[str, Any]:
    """Microseconds of one Jacobian of the loop of so many rods, by both algorithms, without what both need."""
    space, times = models.slides(rods).joint_space(cut=f"joint_{2 * rods + 1}"), max(1, WORK // rods**2)
    y, J = np.concatenate([space.q, space.u, [0.0, 0.0]]), np.zeros((6 * space.space.loops.tile.size, space.u.size))
    found: dict[str, Any] = {"rods": rods}
    for way, swept in (("sweep", True), ("differentiation", False)):
        loop_jacobian_at(space.p, 0.0, y, swept, 1, J)
        best, n = np.inf, rods * times if swept else times
        for _ in range(10):
            clock = time.process_time()
            loop_jacobian_at(space.p, 0.0, y, swept, n, J)
            best = min(best, time.process_time() - clock)
        found[way] = 1e6 * best / n
    return found | {"ratio": found["differentiation"] / found["sweep"]}
