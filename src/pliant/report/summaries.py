"""What is said about models and runs: plain text tables, the same facts as data, and the display of progress."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..items.base import Frame, Item, Pair, matrix_of
from ..items.bodies import RigidBody
from ..items.joints import JointPair
from ..items.modal import ModalBody
from ..results.modal_loads import missed, told

if TYPE_CHECKING:
    from ..model import Model
    from ..solution import Solution

QUIET, FIRST, EVERY = 1.0, 10.0, 10.0  # s: no display before QUIET; plain lines from FIRST on, EVERY so often
REFRESH = 0.1                          # s between two pictures of the bar
COUNTED = "counted (redundant equations not removed)"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], indent: str = "  ") -> str:
    """Aligned columns: numbers to the right, texts to the left."""
    data = list(rows)
    cells = [[_cell(x) for x in row] for row in data]
    right = [bool(data) and all(isinstance(r[k], (int, float)) and not isinstance(r[k], bool) for r in data)
             for k in range(len(head))]
    widths = [max(len(head[k]), *(len(c[k]) for c in cells), 0) for k in range(len(head))]
    lines = [[h.rjust(w) if r else h.ljust(w) for h, w, r in zip(line, widths, right, strict=True)]
             for line in [list(head), *cells]]
    return "\n".join(indent + "  ".join(line).rstrip() for line in lines)


def _cell(x: Any) -> str:
    if isinstance(x, bool) or x is None:
        return {True: "yes", False: "no", None: "-"}[x]
    if isinstance(x, (float, np.floating)):
        return f"{x:.6g}"
    if isinstance(x, (list, tuple, np.ndarray)):
        return "(" + ", ".join(f"{v + 0.0:.6g}" for v in x) + ")"
    return str(x)


class _Count:
    """Takes the place of a ModelCompiler and counts the equations of joints and drives."""

    def __init__(self) -> None:
        self.equations = 0

    def add_joint(self, item: Item, primitives: Iterable[Sequence[Any]]) -> None:
        self.equations += sum(3 if p[0] == "coincident" else 1 for p in primitives)

    def add_sliding(self, item: Any) -> None:
        """The place on the line is one coordinate more."""
        self.add_joint(item, item.primitives_list())
        self.equations -= 1

    def add_coupling(self, name: str, terms: Any, shared: str | None = None) -> None:
        self.equations += 1

    def add_drive(self, drive: Item) -> None:
        self.equations += 1


def equations(item: Item) -> int:
    """How many equations a joint or drive brings."""
    count: Any = _Count()
    item.build(count)
    return int(count.equations)


def model_data(model: Model) -> dict[str, Any]:
    """Masses, centres of mass in the world [m], principal inertias [kg m^2], joints, and degrees of freedom by counting."""
    bodies: list[dict[str, Any]] = []
    for body in model.section("bodies"):
        if isinstance(body, RigidBody):
            center = np.array(body.position) + matrix_of(body.rotation) @ np.array(body.com)
            bodies.append({"name": body.name, "kind": body.kind, "mass": body.mass, "center_of_mass": center.tolist(),
                           "principal_inertia": np.linalg.eigvalsh(body.inertia_matrix).tolist()})
        elif isinstance(body, ModalBody):
            center = np.array(body.position) + matrix_of(body.rotation) @ body.center
            bodies.append({"name": body.name, "kind": body.kind, "mass": body.mass, "center_of_mass": center.tolist(),
                           "principal_inertia": np.linalg.eigvalsh(body.inertia_matrix).tolist(), "modal_coordinates": body.reduced.n})
    joints: list[dict[str, Any]] = [{"name": j.name, "kind": j.kind, "between": _ends(j), "equations": equations(j)}
                                    for j in model.section("joints")]
    drives = [{"name": d.name, "joint": getattr(d, "joint", ""), "coordinate": getattr(d, "coordinate", ""),
               "function": _function(getattr(d, "function", "")), "equations": equations(d)} for d in model.section("drives")]
    others = {s: [{"name": f.name, "kind": f.kind, "between": _ends(f)} for f in model.section(s)]
              for s in ("forces", "measures")}
    mass = sum(b["mass"] for b in bodies)
    center = sum((b["mass"] * np.array(b["center_of_mass"]) for b in bodies), np.zeros(3)) / (mass or 1.0)
    total = sum(equations(x) for s in ("joints", "drives") for x in model.section(s))
    return {"name": model.name, "gravity": list(model.gravity), "bodies": bodies, "joints": joints, "drives": drives, **others,
            "total_mass": mass, "center_of_mass": center.tolist(), "equations": total,
            "degrees_of_freedom_counted": 6 * len(bodies) + sum(b.get("modal_coordinates", 0) for b in bodies) - total}


def _ends(item: Item) -> str:
    if isinstance(item, (Pair, JointPair)):
        return f"{item.a} - {item.b}"
    places = [str(getattr(item, f)) for f in type(item).model_fields if f == "joint" or isinstance(getattr(item, f), Frame)]
    return ", ".join(places)


def _function(value: Any) -> str:
    return f"Table of {len(value.x)} points" if type(value).__name__ == "Table" else getattr(value, "__name__", str(value))


def summary(model: Model) -> str:
    """Masses, centres of mass, inertias, joints and counts of a model, as text tables."""
    d = model_data(model)
    out = [f"model {d['name']!r}, gravity {_cell(d['gravity'])} m/s^2"]
    parts = (("bodies", ("name", "mass [kg]", "centre of mass, world [m]", "principal inertia [kg m^2]"),
              ("name", "mass", "center_of_mass", "principal_inertia")),
             ("joints", ("name", "kind", "between", "equations"), ("name", "kind", "between", "equations")),
             ("drives", ("name", "joint", "coordinate", "function"), ("name", "joint", "coordinate", "function")),
             ("forces", ("name", "kind", "on"), ("name", "kind", "between")),
             ("measures", ("name", "between"), ("name", "between")))
    for section, head, keys in parts:
        if d[section]:
            out += ["", section, table(head, [[row[k] for k in keys] for row in d[section]])]
    modal = sum(b.get("modal_coordinates", 0) for b in d["bodies"])
    out += ["", f"total mass {d['total_mass']:.6g} kg, centre of mass {_cell(d['center_of_mass'])} m",
            f"degrees of freedom: {6 * len(d['bodies'])} of {len(d['bodies'])} bodies"
            f"{f' + {modal} modal' if modal else ''} - {d['equations']} equations = "
            f"{d['degrees_of_freedom_counted']} {COUNTED}"]
    return "\n".join(out)


def run_data(sol: Solution) -> dict[str, Any]:
    """Facts of a run: times, method, cost, violations, energy balance."""
    q = asdict(sol.quality)
    return {"name": sol.name, "complete": bool(sol.complete), "start": float(sol.t[0]), "end": float(sol.t[-1]),
            "rows": len(sol.t), "method": sol.method.plain(),
            "formulation": sol.formulation.plain() if sol.formulation else None, "why": sol.why,
            "step": float(sol.step), "accuracy": sol.accuracy, "quality": q,
            "energy_drift": sol.energy.drift, "missed_by_modes": missed(sol)}


def run_summary(sol: Solution) -> str:
    """What was run, how well it satisfies its equations, and its energy balance."""
    d = run_data(sol)
    q = d["quality"]
    steps = max(1, q["steps"])
    rejected = f" ({q['rejected']} more rejected)" if q["rejected"] else ""
    cost = f"{q['steps']} steps{rejected}, {q['iterations'] / steps:.2f} iterations a step, {q['factorisations']} factorisations"
    lines = [("time", f"{d['start']:g} to {d['end']:g} s, {d['rows']} rows"),
             ("method", f"{sol.method}, {sol.formulation}" if sol.formulation else str(sol.method)),
             *([("", sol.why)] if sol.why else []),
             ("step", f"{d['step']:.6g} s, {cost}" if d["accuracy"] is None else
              f"chosen for the accuracy {d['accuracy']:g}, {(d['end'] - d['start']) / steps:.3g} s on average, {cost}")]
    if q["fallbacks"]:
        lines.append(("fallbacks", f"{q['fallbacks']} steps were solved by the slower sparse solver"))
    lines += [("violations", f"position {q['position_violation']:.2g}, velocity {q['velocity_violation']:.2g}, "
                             f"acceleration {q['acceleration_violation']:.2g} (largest; SI units)"),
              ("energy drift", f"{d['energy_drift']:.3g} J (kinetic + potential + elastic + dissipated - work)")]
    if not q["unique_reactions"]:
        lines.append(("reactions", "not unique (redundant joints): the smallest ones are given"))
    if q["estimate"] is not None:
        lines.append(("estimate", f"{q['estimate']:.2g} relative error per second, from a second run with other steps"))
    lines += told(d["missed_by_modes"])
    stopped = f"stopped early at t = {d['end']:.6g} s of {sol.end:.6g}; the rows up to there are kept{sol.source}"
    lines.append(("state", "complete" if d["complete"] else stopped))
    return "\n".join([f"run of {d['name']!r}", *(f"  {k:<13} {v}" for k, v in lines)])


def working_on(what: str) -> None:
    """One line on stderr, for work that takes minutes; nothing where nobody looks on."""
    if sys.stderr.isatty() and not os.environ.get("PLIANT_QUIET"):
        print(what, file=sys.stderr, flush=True)


def progress_display() -> Callable[[float, float], None]:
    """A display on stderr, to be called with (t, t_end): a bar on a terminal, else a line every 10 s; runs below 1 s show
    nothing. A time that goes back begins a further pass (the same run with half the step)."""
    return Progress()


class Progress:
    """See `progress_display`; ``close`` removes the bar. ``what`` stands in place of the time, for other work."""

    def __init__(self, what: str = "") -> None:
        self.what = what
        self.clock = self.began = self.shown = self.base = 0.0  # times of the first call, of this pass, of the last display
        self.last, self.turn = np.inf, 0
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.bar: Any = None

    def __call__(self, t: float, t_end: float) -> None:
        now = time.perf_counter()
        done = t / t_end if t_end > 0 else 1.0
        if t < self.last:  # the first call, or a further pass
            self.turn, self.began, self.base = self.turn + 1, now, done
            self.clock = self.clock or now
            self.close()
        self.last = t
        if self.terminal:
            if now - self.clock > QUIET and now - self.shown > REFRESH:
                self._draw(done, t, t_end, now)
                self.shown = now
            if done >= 1 - 1e-12:
                self.close()
        elif now - self.clock > FIRST and now - self.shown > EVERY:
            self.shown = now
            sys.stderr.write(f"{self._text(done, t, t_end, now)}\n")
            sys.stderr.flush()

    def _text(self, done: float, t: float, t_end: float, now: float) -> str:
        left = (now - self.began) * (1 - done) / (done - self.base) if done > self.base else np.nan
        turn = f"pass {self.turn}, " if self.turn > 1 else ""
        return f"{turn}{self.what or f't = {t:.4g} of {t_end:.4g} s'}, {100 * done:.0f} %, {_duration(left)} left"

    def _draw(self, done: float, t: float, t_end: float, now: float) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar
            console = Console(stderr=True)
            self.bar = Bar(BarColumn(), TextColumn("{task.description}"), console=console, auto_refresh=False, transient=True,
                           redirect_stdout=False, redirect_stderr=False)
            self.bar.add_task("", total=1.0)
            self.bar.start()
            console.show_cursor(True)  # a run that fails leaves the terminal as it was
        self.bar.update(0, completed=done, description=self._text(done, t, t_end, now))
        self.bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


def _duration(seconds: float) -> str:
    if not np.isfinite(seconds):
        return "unknown time"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
