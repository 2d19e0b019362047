"""The 14 figures with curves of Urkullu et al. 2019, drawn from our runs: figures 5 to 8 (top), 10 to 14 (double four-bar), 16 to 20
(Bricard). docs/studies/dimcd.md"""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...methods.integrators.choices import BDF, DIMCD
from ...report.progress import working_on
from ...solution import Solution
from .dimcd import CASES, FACTORS, Case, methods, violations

ROWS = 500
# per model: figures of steps, of motions by integrator with their channels, of the violation, of energies by integrator
PANELS: dict[str, tuple[Any, ...]] = {
    "spinning top": (("5", "top.center.position.x"), (("6", "top.center.position.x"), ("7", "top.center.velocity.x")), "8", None),
    "double four-bar": (("10", ""), (("12", "post0.end.position.x"), ("13", "post0.end.velocity.x")), "11", "14"),
    "bricard": (("16", ""), (("18", "bar2.end.position.x"), ("19", "bar2.end.position.z")), "17", "20")}


def _curve(sol: Solution, channel: str) -> np.ndarray:
    """A channel, or the change of the energy."""
    return sol[channel] if channel else np.asarray(sol.energy.balance - sol.energy.balance[0])


def _runs(case: Case) -> tuple[dict[str, Solution], dict[str, Solution]]:
    """DIMCD with several steps, and all methods."""
    def run(**options: Any) -> Solution:
        return case.make().simulate(case.duration, output_step=case.duration / ROWS, progress=False, **options)
    lengths = [k * case.step for k in FACTORS if k * case.step <= case.duration / ROWS]
    steps = {f"{1e3 * h:g} ms": run(integrator=DIMCD(), step=h) for h in lengths}
    others = {}
    for method, form, setting in methods(case):
        (kind, value), = setting.items()
        name = f"{method.kind}{f', {form.kind}' if isinstance(method, BDF) else ''}, {kind} {value:g}"
        others[name] = run(integrator=method, formulation=form, **setting)
    return steps, others


def draw(path: str | Path) -> None:
    """All of them on one page, with the paper's numbers."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    figure = Figure(figsize=(16.0, 10.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(3, 5)
    for row, (name, (steps, motions, gap, energy)) in zip(axes, PANELS.items(), strict=True):
        case = CASES[name]
        working_on(f"study: figures of {name}")
        by_step, by_method = _runs(case)
        panels = [(*steps, by_step), *((*m, by_method) for m in motions), *([(energy, "", by_method)] if energy else [])]
        for a, (number, channel, runs) in zip(row, panels, strict=False):
            for label, sol in runs.items():
                a.plot(sol.t, _curve(sol, channel), linewidth=0.8, label=label)
            a.set(title=f"figure {number}: {name}", xlabel="time [s]", ylabel=channel or "change of energy [J]")
        t, norm = violations(case, *methods(case)[0])
        row[-1].semilogy(t, np.maximum(norm, 1e-19), linewidth=0.6, label="dimcd")
        row[-1].set(title=f"figure {gap}: {name}", xlabel="time [s]", ylabel="norm of position residuals")
        if not energy:
            row[3].set_visible(False)
    for a in axes.ravel():
        a.grid(True, alpha=0.3)
        if a.get_visible():
            a.legend(fontsize=6)
    figure.savefig(path, dpi=100)
