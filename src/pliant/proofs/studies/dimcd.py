"""The study of Urkullu, Fernandez de Bustos, Garcia-Marina and Uriarte 2019 again: DIMCD, BDF and HHT on three models, their tables
2 to 4 beside ours. docs/studies/dimcd.md

Errors by their eq. 93-94 against exact references: closed forms of the two linkages, and for the top, whose data they do not give, our own
data and an explicit method of order 8 at 1e-12.
"""
# Items accept and check more than their fields say (positional frames), which mypy cannot see.
# mypy: disable-error-code="call-arg, arg-type"
from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...items.base import rotation
from ...items.bodies import RigidBody
from ...items.errors import SimulationError
from ...items.forces import Force
from ...items.joints import Spherical
from ...kernels import evaluation
from ...kernels.state_row import parts
from ...methods.formulations.choices import Index3, NullSpace, StabilizedIndex2
from ...methods.integrators.base import Integrator, Plan
from ...methods.integrators.choices import BDF, DIMCD, DOP853, HHT
from ...methods.method_option import MethodOption
from ...model import Model
from ...report.progress import working_on
from ...report.tables import table
from ...solution import Solution
from ...start.assembly import start_row
from ...text.model_files import module_model
from .. import shipped_examples
from ..verification import table as series

THRESHOLD = 1e-3        # of eq. 93, below which references do not count as their own scale
SAMPLES = 50
FACTORS = (0.5, 1.0, 2.0, 4.0)  # of the paper's step, in step studies
VIOLATION = 1e-13       # that DIMCD may leave
FASTER = 100            # times, than the paper's DIMCD
COLUMNS = ("model", "method", "setting", "steps", "cpu", "error", "energy", "violation", "of", "note")
STEPS = ("model", "step", "error", "energy")


class Case(NamedTuple):
    """A model, what is compared, and what the paper found: rows of method, step [ms], CPU time [s], total error, violation."""
    make: Callable[[], Model]
    duration: float
    step: float
    accuracy: float
    limit: float | None     # of the energy error of DIMCD [J]
    values: Callable[[Solution], np.ndarray]
    exact: Callable[[Case], np.ndarray]
    paper: tuple[tuple[str, str, float, float | None, float | None], ...]


def spinning_top() -> Model:
    """A top of 0.5 kg on a point, 150 rad/s about its axis, 3 degrees from the vertical, pushed at its centre of mass for 20 ms."""
    m = Model("spinning top", gravity=(0, 0, -9.81))
    top = m.add(RigidBody("top", mass=0.5, inertia=(0.0015, 0.0015, 0.0008), com=(0, 0, 0.1), rotation=rotation("y", np.radians(3)),
                          angular_velocity=(0, 0, 150), frames={"center": (0, 0, 0.1)}))
    m.add(Spherical("tip", m.ground, top))
    m.add(Force("push", "top.center", vector=("10 * step(t, 0.2, 0, 0.21, 1) * step(t, 0.21, 1, 0.22, 0)", 0, 0)))
    return m


def _example(name: str) -> Callable[[], Model]:
    return lambda: module_model(shipped_examples.find(f"{name}.py", shipped_examples.examples()))


def _times(case: Case) -> np.ndarray:
    return np.linspace(0, case.duration, SAMPLES + 1)[1:]


def _exact_top(case: Case) -> np.ndarray:
    sol = case.make().simulate(case.duration, accuracy=1e-12, output_step=case.duration / SAMPLES, integrator=DOP853(), progress=False)
    return _top(sol)


def _exact_series(file: str, *names: str) -> Callable[[Case], np.ndarray]:
    def exact(case: Case) -> np.ndarray:
        data = series(file)
        at = [int(np.argmin(abs(data["t"] - t))) for t in _times(case)]
        return np.stack([data[name][at] for name in names], 1)
    return exact


def _sampled(sol: Solution, *channels: str) -> np.ndarray:
    """Values at the times of comparison, which are among the rows."""
    every = (len(sol.t) - 1) // SAMPLES
    return np.stack([sol[channel][every::every] for channel in channels], 1)


def _top(sol: Solution) -> np.ndarray:
    return _sampled(sol, "top.center.position.x", "top.center.velocity.x")


def total_error(found: np.ndarray, exact: np.ndarray) -> float:
    """Eq. 93-94: root mean square of errors over references, each at least the threshold; rows are times, columns variables."""
    return float(np.sqrt(np.mean((abs(found - exact) / np.maximum(abs(exact), THRESHOLD)) ** 2)))


CASES: dict[str, Case] = {
    "spinning top": Case(spinning_top, 1.0, 5e-4, 1e-6, None, _top, _exact_top, (
        ("DIMCD", "0.5", 59, None, 1.59e-16), ("GSTIFF I3", "0.2-0.5", 3, None, 6.01e-15), ("WSTIFF I3", "0.1-0.5", 5, None, 2.43e-11))),
    "double four-bar": Case(
        _example("double_four_bar"), 10.0, 1e-2, 1e-6, 0.1, lambda sol: _sampled(sol, "post0.end.position.x", "post0.end.velocity.x"),
        _exact_series("A02_2_fourbar.csv", "B0x", "vB0x"), (
            ("DIMCD", "10", 98, 0.48, 1.42e-14), ("GSTIFF I3", "5-10", 1, 0.57, None), ("WSTIFF I3", "5-10", 1, 0.58, None),
            ("HHT", "3-10", 1, 1.12, None))),
    "bricard": Case(
        _example("bricard"), 10.0, 1e-2, 1e-8, 0.001, lambda sol: _sampled(sol, *(f"bar2.end.position.{k}" for k in "xyz")),
        _exact_series("A04_bricard.csv", "P3x", "P3y", "P3z"), (
            ("DIMCD", "10", 101, 0.01, 1.2e-14), ("GSTIFF I3", "5-10", 2, 0.98, None), ("WSTIFF I3", "10", 2, 0.98, None),
            ("HHT", "1.7-10", 3, 0.99, None))),
}


def study(names: list[str] | None = None) -> list[dict[str, Any]]:
    """One row per run, ours and the paper's (of == "paper"): model, method, setting, steps, cpu [s], error (eq. 94), energy [J],
    violation (root mean square over time of the norm of all position residuals, as in the paper), note. ``passed``:
    whether DIMCD keeps its limits; None for the others."""
    return [row for name in names or CASES for row in _case(name, CASES[name])]


def _case(name: str, case: Case) -> list[dict[str, Any]]:
    exact = case.exact(case)
    rows = [{"model": name, "method": method, "setting": f"{step} ms", "steps": None, "cpu": float(cpu), "error": error, "energy": None,
             "violation": gap, "of": "paper", "note": "", "passed": None} for method, step, cpu, error, gap in case.paper]
    for method, form, setting in methods(case):
        working_on(f"study: {name}, {method.kind}")
        rows.append(_row(name, case, exact, method, form, setting))
    return rows


def methods(case: Case) -> list[tuple[Integrator, MethodOption, dict[str, float]]]:
    """DIMCD and HHT with the paper's step; HHT and BDF with its tolerance as accuracy, BDF on index 3, as GSTIFF and WSTIFF are, and on the
    stabilised form of index 2."""
    chosen = {"accuracy": case.accuracy}
    return [(DIMCD(), NullSpace(), {"step": case.step}), (HHT(), Index3(), {"step": case.step}), (HHT(), Index3(), chosen),
            (BDF(), Index3(), chosen), (BDF(), StabilizedIndex2(), chosen)]


def violations(case: Case, method: Integrator, form: MethodOption, setting: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Times and the norm of the residuals of all position constraints there, in the states as the method has them: after every step if
    these are fixed, else at 500 times."""
    dynamics = case.make().compile()
    s, start = dynamics.system, start_row(dynamics)
    steps = round(case.duration / setting.get("step", case.duration / 500))
    plan = Plan.fixed(dynamics, form, start, case.step, steps) if "step" in setting else Plan(
        dynamics, form, start, case.duration, accuracy=setting["accuracy"], outputs=steps)
    rows = np.vstack([new.copy() for new in method.run(plan) if len(new)])
    p, x, found = parts(rows, s.q0.size, s.n), dynamics.memory(), np.zeros(len(rows))
    for k in range(len(rows)):
        x.q[:], x.v[:], x.a[:], x.lam[:], x.H[:] = p["q"][k], 0, 0, 0, p["H"][k]
        evaluation.run(s.program("residual"), s.data, x, rows[k, 0], 0.0, 0.0, 0.0)
        found[k] = np.linalg.norm(x.R[s.n_v:])
    return p["t"].copy(), found


def step_study(names: list[str] | None = None) -> list[dict[str, Any]]:
    """Figures 5, 10 and 16: total error and largest change of energy of DIMCD with half, one, two and four times the paper's step."""
    found = []
    for name in names or CASES:
        case = CASES[name]
        exact = case.exact(case)
        for factor in FACTORS:
            working_on(f"study: {name}, steps")
            sol = case.make().simulate(case.duration, step=factor * case.step, output_step=case.duration / SAMPLES, integrator=DIMCD(),
                                       progress=False)
            found.append({"model": name, "step": f"{1e3 * factor * case.step:g} ms", "error": total_error(case.values(sol), exact),
                          "energy": sol.energy.drift})
    return found


def _row(name: str, case: Case, exact: np.ndarray, method: Integrator, form: MethodOption, setting: dict[str, float]) -> dict[str, Any]:
    (kind, value), = setting.items()
    told = f"{1e3 * value:g} ms" if kind == "step" else f"accuracy {value:g}"
    row: dict[str, Any] = {"model": name, "method": method.kind, "setting": told, "of": "ours", "note": "", "passed": None}
    row["method"] += f", {form.kind}" if isinstance(method, BDF) else ""
    options: dict[str, Any] = {"integrator": method, "formulation": form, "output_step": case.duration / SAMPLES, "progress": False}
    options |= setting
    try:
        case.make().simulate(case.duration / SAMPLES, **options)  # loads kernels
        model, clock = case.make(), time.process_time()
        sol = model.simulate(case.duration, **options)
    except SimulationError as error:
        return row | {"note": error.summary, "passed": False if isinstance(method, DIMCD) else None}
    row |= {"cpu": time.process_time() - clock, "steps": sol.quality.steps, "error": total_error(case.values(sol), exact),
            "energy": sol.energy.drift, "violation": float(np.sqrt(np.mean(violations(case, method, form, setting)[1] ** 2)))}
    if isinstance(method, DIMCD):
        kept = {"energy": case.limit is None or row["energy"] <= case.limit, "violation": row["violation"] <= VIOLATION,
                "CPU time": FASTER * row["cpu"] <= case.paper[0][2]}
        row["passed"] = all(kept.values())
        beyond = "".join(f"; {what} beyond its limit" for what, ok in kept.items() if not ok)
        row["note"] = f"{case.paper[0][2] / row['cpu']:.0f} times faster than the paper's{beyond}"
    return row


def shown(rows: list[dict[str, Any]], steps: list[dict[str, Any]] | None = None) -> str:
    """As tables."""
    def cell(value: Any) -> Any:
        return f"{value:.3g}" if isinstance(value, float) else "" if value is None else value
    heads = {"cpu": "cpu [s]", "error": "error (94)", "energy": "energy [J]", "violation": "violation (rms)"}

    def lines(columns: tuple[str, ...], found: list[dict[str, Any]]) -> str:
        return table(tuple(heads.get(k, k) for k in columns), [[cell(row.get(k)) for k in columns] for row in found], indent="")
    return lines(COLUMNS, rows) + (f"\n\nDIMCD with other steps\n{lines(STEPS, steps)}" if steps else "")
