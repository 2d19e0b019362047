"""Work-precision diagrams: the error of every method on a model against the CPU time it takes."""
from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...functions.units import quantity
from ...items.base import did_you_mean
from ...items.errors import ModelError, SimulationError
from ...methods.comparison import difference
from ...methods.formulations.base import FORMULATIONS
from ...methods.integrators.base import Integrator
from ...methods.integrators.choices import DOP853, INTEGRATORS
from ...methods.method_option import MethodOption
from ...report.progress import working_on
from ...report.tables import table

if TYPE_CHECKING:
    from ...model import Model
    from ...solution import Solution

ROWS = 200              # at which runs are compared
LADDER = 8              # settings per method
ACCURACIES = [10.0**-k for k in range(3, 3 + LADDER)]
STEPS = [200 * 4**k for k in range(LADDER)]
REFERENCES = (1e-11, 1e-10)  # accuracies of the two runs that give the reference and its uncertainty
WARM = 0.01             # of the duration: a run before the clock, that loads kernels
COLUMNS = ("integrator", "formulation", "setting", "error", "cpu", "steps", "note")


@dataclass
class Study:
    """Rows: integrator, formulation, setting (an accuracy or a step), error (relative, per second), cpu [s], steps, note."""
    model: str
    duration: float
    reference: str
    uncertainty: float
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __str__(self) -> str:
        shown = [[_short(row.get(key)) for key in COLUMNS] for row in self.rows]
        head = f"{self.model!r}, {self.duration:g} s; reference: {self.reference}, known to {self.uncertainty:.1g}"
        return f"{head}\n{table(COLUMNS, shown, indent='')}"

    def to_csv(self, path: str | Path) -> None:
        """One line per run."""
        lines = [",".join(COLUMNS)] + [",".join(str(row.get(k, "")).replace(",", ";") for k in COLUMNS) for row in self.rows]
        Path(path).write_text("\n".join(lines) + "\n")

    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """Points (error, cpu) of every method whose runs came to their end, above the uncertainty of the reference."""
        out: dict[str, list[tuple[float, float]]] = {}
        for row in self.rows:
            if row["error"] is not None and row["error"] > 3 * self.uncertainty:
                out.setdefault(f"{row['integrator']}, {row['formulation']}", []).append((row["error"], row["cpu"]))
        return out

    def plot(self, path: str | Path) -> None:
        """The diagram: lower is faster, left is better."""
        from ...plot.colors import COLORS
        from ...plot.pictures import _figure, _finish
        from ...plot.spectra_and_shapes import GRID
        figure, show = _figure((9.0, 6.0), path)
        axes = figure.subplots()
        for k, (name, points) in enumerate(self.curves().items()):
            style = {"marker": "os^vDP*X<>"[k % 10], "linestyle": ("-", "--", ":")[k // 10 % 3], "linewidth": 1.1}
            style |= {"color": COLORS[k % len(COLORS)], "markersize": 5}
            axes.loglog(*zip(*points, strict=True), label=name, **style)
        axes.invert_xaxis()
        axes.set_xlabel("largest error, relative and per second")
        axes.set_ylabel("CPU time [s]")
        axes.set_title(f"{self.model}, {self.duration:g} s", fontsize="medium", loc="left")
        axes.grid(True, which="major", **GRID)
        axes.legend(fontsize="x-small", framealpha=0.85)
        _finish(figure, path, show)


def _short(value: Any) -> Any:
    return f"{value:.3g}" if isinstance(value, float) else "" if value is None else value


def pairs(names: list[str] | None) -> Iterator[tuple[Integrator, MethodOption]]:
    """Integrators with each of their formulations: all of them, or those whose kinds are named."""
    for name in names or []:
        if name not in INTEGRATORS and name not in FORMULATIONS:
            raise ModelError(f"study: there is no method {name!r}{did_you_mean(name, [*INTEGRATORS, *FORMULATIONS])}")
    for kind, cls in INTEGRATORS.items():
        for form in cls.formulations:
            asked = not names or ((kind in names or not set(names) & set(INTEGRATORS)) and (
                form in names or not set(names) & set(FORMULATIONS)))
            if asked and form in FORMULATIONS:
                yield cls(), FORMULATIONS[form]()


def work_precision(model: Model, duration: float | None = None, methods: list[str] | None = None, limit: float = 10.0) -> Study:
    """Run every method (or those of the kinds named) with finer and finer settings until one run takes more than ``limit`` seconds.

    The reference is DOP853 at a high accuracy; a second run at a lower one tells how well it is known.
    """
    length, chosen = float(quantity(model.settings.get("duration", 1.0) if duration is None else duration, "s")), list(pairs(methods))
    model = model.copy()
    model.settings = {}
    exact, other = (model.simulate(length, integrator=DOP853(), accuracy=a, output_step=length / ROWS, progress=False) for a in REFERENCES)
    study = Study(model.name, length, f"{DOP853.kind} at {REFERENCES[0]:g}", difference(other, exact))
    for method, form in chosen:
        working_on(f"study: {method.kind}, {form.kind}")
        study.rows += _ladder(model, length, method, form, exact, limit)
    return study


def _ladder(model: Model, length: float, method: Integrator, form: MethodOption, exact: Solution, limit: float) -> Iterator[dict[str, Any]]:
    settings = [("accuracy", a) for a in ACCURACIES if a >= method.finest] if method.controlled else [("step", length / n) for n in STEPS]
    for k, (name, value) in enumerate(settings):
        row: dict[str, Any] = {"integrator": method.kind, "formulation": form.kind, "setting": f"{name} {value:.2g}", "error": None,
                               "cpu": None, "steps": None, "note": ""}
        options: dict[str, Any] = {"integrator": method, "formulation": form, "output_step": length / ROWS, "progress": False, name: value}
        try:
            if k == 0:
                model.simulate(WARM * length, **{**options, "output_step": WARM * length})
            clock = time.process_time()
            sol = model.simulate(length, **options)
            row["cpu"] = time.process_time() - clock
            row["error"], row["steps"] = difference(sol, exact), sol.quality.steps
        except SimulationError as error:
            row["note"] = error.summary
        except ModelError as error:
            row["note"] = str(error).partition(". ")[0]
        yield row
        if isinstance(row["cpu"], float) and row["cpu"] > limit / 4:
            return
