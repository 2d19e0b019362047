"""The performance table: our rows, start-up, and other programs in the same session. See benchmarks/README.md

All times are CPU seconds of one process with one thread; every row runs in its own process. Nothing here is needed to simulate.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..items.base import matrix_of
from ..items.errors import SimulationError
from ..kernels import evaluation
from ..kernels.state_row import parts
from ..methods.formulations.choices import Index3
from ..methods.integrators.base import Plan
from ..methods.integrators.choices import GeneralizedAlpha
from ..methods.integrators.time_loop.run import Run
from ..report.progress import working_on
from ..start.assembly import start_row
from .benchmark_models import Problem, problems, watched

STEP, SAMPLE, REPEATS = 1e-3, 10, 3  # s; steps between samples of the energy; the best of so many runs counts
MODULES = ("exudyn", "mujoco", "pinocchio", "pydrake")
Row = dict[str, Any]

FOURBAR = """
import pliant as pl
m = pl.Model("fourbar", gravity=(0, -9.81, 0))
left = m.add(pl.RigidBody.rod("left", start=(0, 0, 0), end=(0, 1, 0), mass=1.0, velocity_at_end=(1, 0, 0)))
top = m.add(pl.RigidBody.rod("top", start=(0, 1, 0), end=(1, 1, 0), mass=1.0))
right = m.add(pl.RigidBody.rod("right", start=(1, 0, 0), end=(1, 1, 0), mass=1.0))
m.add(pl.Revolute("A", m.ground.frame((0, 0, 0)), left["start"], axis="z"))
m.add(pl.Revolute("B", left["end"], top["start"], axis="z"))
m.add(pl.Revolute("C", top["end"], right["end"], axis="z"))
m.add(pl.Revolute("D", m.ground.frame((1, 0, 0)), right["start"], axis="z"))
m.simulate(1.0, step=1e-3, progress=False)
"""
STARTUP = {"cold: first simulation of a four-bar": (FOURBAR, 30.0),  # code, budget [s]
           "warm: import, pl.Model": ("import pliant as pl; pl.Model", 0.5),
           "warm: import, four-bar 1 s at 1 ms": (FOURBAR, 1.0)}

# our row, its peer's problem, words in the peer's method, words not in it, the ratio to reach
RATIOS: list[tuple[str, str, tuple[str, ...], tuple[str, ...], float | None]] = [
    ("fourbar2 modified", "1 fourbar N=2", ("3D", "rho=0.9", "modNewton"), (), 7.0),
    ("fourbar40 0.8 modified", "1 fourbar N=40", ("3D", "rho=0.8", "modNewton"), (), 7.0),
    ("chain10 modified", "2 chain n=10", ("redundant", "modNewton"), (), None),
    ("chain100 modified", "2 chain n=100", ("redundant", "modNewton"), (), None),
    ("chain1000 modified", "2 chain n=1000", ("redundant", "modNewton"), (), 6.0),
    ("bricard modified", "3 bricard", ("30 eq", "modNewton"), (), 4.0),
    ("fourbar2 modified", "1 fourbar N=2", ("2D",), ("rho=1 ",), 2.0),
    ("fourbar40 0.9 modified", "1 fourbar N=40", ("2D",), ("rho=1 ",), 2.0),
]


def bench(peers: bool = False, quick: bool = False) -> list[Row]:
    """All rows; `table` makes text of them. ``quick``: short runs, once. ``peers``: other programs between two runs of ours."""
    keys = list(problems())
    python = peers_python() if peers else None
    rows: list[Row] = []
    found: list[Row] = []
    for group in ("fourbar", "chain", "bricard"):
        own = [_in_process(key, quick) for key in keys if key.startswith(group)]
        if python:
            found += run_peers(python, group)
            again = [_in_process(row["key"], quick) for row in own]
            own = [_merged(before, after) for before, after in zip(own, again, strict=True)]
        rows += own
    return [*rows, *startup(1 if quick else REPEATS), *found, *(ratios(rows, found) if python else [])]


# -- our rows
def measure(key: str, quick: bool) -> Row:
    """One row, measured in this process."""
    problem = problems()[key]
    method = GeneralizedAlpha(rho=problem.rho, newton=problem.newton)  # type: ignore[arg-type]
    steps = round((problem.quick if quick else problem.duration) / STEP)
    row: Row = {"table": "pliant", "key": key, "problem": problem.name, "method": problem.method, "seconds": steps * STEP}
    build = setup = cpu = float("inf")
    for _ in range(1 if quick else REPEATS):
        clock = time.process_time()
        model = problem.build()
        built = time.process_time()
        dynamics = model.compile()
        start = start_row(dynamics)
        build, setup = min(build, built - clock), min(setup, time.process_time() - built)
        for _ in method.run(Plan.fixed(dynamics, Index3(), start, STEP, 1)):  # loads the compiled loop
            pass
        run = method.run(Plan.fixed(dynamics, Index3(), start, STEP, steps, steps))
        clock = time.process_time()
        try:
            last = [new for new in run if len(new)][-1][-1]
        except SimulationError as error:
            return row | {"failed": True, "note": str(error)}
        cpu = min(cpu, time.process_time() - clock)
    row |= {"us_per_step": 1e6 * cpu / steps, "iterations": int(run.c.iterations) / steps,
            "factorisations": int(run.c.factorisations) / steps, "build": build, "setup": setup, "rss": peak_memory()}
    row["position_error"] = _chain_error(problem, dynamics, last) if steps * STEP == problem.duration else None
    row["energy_error"], row["violation"] = accuracy(dynamics, method.run(Plan.fixed(dynamics, Index3(), start, STEP, steps, SAMPLE)),
                                                        start)
    return row


def accuracy(dynamics: CompiledModel, run: Run, start: np.ndarray) -> tuple[float, float]:
    """Largest energy error [J] and violated joint equation [m or rad] over all rows, as integrated: nothing is projected."""
    s, x = dynamics.system, dynamics.x
    energy, violation = [], 0.0
    for rows in [start[None, :], *run]:
        p = parts(rows, s.q0.size, s.n)
        for k in range(len(rows)):
            x.q[:], x.v[:], x.H[:], x.a[:], x.lam[:], x.E[:] = p["q"][k], p["v"][k], p["H"][k], 0, 0, 0
            evaluation.run(s.program("energy"), s.data, x, float(rows[k, 0]), 0.0, 0.0, 0.0)
            energy.append(x.E[:3].sum())
            evaluation.run(s.program("residual"), s.data, x, float(rows[k, 0]), 0.0, 0.0, 0.0)
            violation = max(violation, float(abs(x.R[s.n_v:]).max(initial=0.0)))
    return float(abs(np.array(energy) - energy[0]).max()), violation


def _chain_error(problem: Problem, dynamics: CompiledModel, row: np.ndarray) -> float | None:
    """Largest distance [m] of a watched link's end from the reference; None without one."""
    folder = peers_folder()
    if not problem.links or folder is None:
        return None
    reference = json.loads((folder / "chain_reference.json").read_text())[str(problem.links)]
    q = parts(row[None, :], dynamics.system.q0.size, dynamics.system.n)["q"].reshape(-1, 7)
    ends = [q[i, :3] + 0.5 * matrix_of(q[i, 3:].tolist())[:, 0] for i in watched(problem.links)]
    return float(np.linalg.norm(np.array(ends) - reference, axis=1).max())


def peak_memory() -> float | None:
    """Peak resident memory of this process [MiB]; None where the system does not tell. (getrusage would count the parent's.)"""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)


def _environment(**more: str) -> dict[str, str]:
    """One thread; modules are kept as bytecode, as they are for every user."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **dict.fromkeys(threads, "1"), **more}


def _in_process(key: str, quick: bool) -> Row:
    """A row measured in a process of its own, so that its memory is its own."""
    working_on(f"bench: {key}")
    code = f"import json; from pliant.proofs.benchmarks import measure; print('ROW ' + json.dumps(measure({key!r}, {quick!r})))"
    done = subprocess.run([sys.executable, "-c", code], env=_environment(), capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ROW ")]
    if lines:
        return dict(json.loads(lines[-1][4:]))
    problem = problems()[key]
    return {"table": "pliant", "key": key, "problem": problem.name, "method": problem.method, "failed": True,
            "note": (done.stderr.strip().splitlines() or ["no output"])[-1]}


def _merged(before: Row, after: Row) -> Row:
    """Two runs around a peer's: the mean of the times, both kept."""
    if before.get("failed") or after.get("failed"):
        return before if before.get("failed") else after
    both = [before["us_per_step"], after["us_per_step"]]
    return before | {"us_per_step": sum(both) / 2, "before_after": both, "setup": min(before["setup"], after["setup"])}


# -- start-up
def startup(repeats: int = REPEATS) -> list[Row]:
    """CPU seconds of whole fresh processes: kernels not yet compiled, and compiled."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (code, budget) in STARTUP.items():
            working_on(f"bench: start-up, {name}")
            cold = name.startswith("cold")
            runs = [_cpu_seconds(code, Path(folder) / (f"kernels{k}" if cold else "kernels0"))
                    for k in range(repeats if cold else REPEATS)]
            note, seconds = next((note for _, note in runs if note), ""), min(used for used, _ in runs)
            rows.append({"table": "start-up", "problem": name, "seconds": None if note else seconds, "first": runs[0][0],
                         "budget": budget, "failed": bool(note), "note": note,
                         "verdict": "failed" if note else _verdict(budget, seconds)})
    return rows


def _cpu_seconds(code: str, cache: Path) -> tuple[float, str]:
    """CPU seconds of a fresh interpreter from start to exit, and what went wrong."""
    import resource
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = _environment(PLIANT_CACHE=str(cache))
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, (done.stderr.strip().splitlines() or ["stopped"])[-1] if done.returncode else ""


def _verdict(large: float | None, small: float | None) -> str:
    return "" if large is None or small is None else "ok" if small <= large else "missed"


# -- other programs
def peers_folder() -> Path | None:
    """benchmarks/peers of a source tree; None in an installed package."""
    for base in (Path(__file__).parents[3], Path.cwd()):
        folder = base / "benchmarks" / "peers"
        if (folder / "run.py").is_file():
            return folder
    return None


def peers_python() -> str:
    """An interpreter that has at least one of the other programs: $PLIANT_PEERS_PYTHON or this one."""
    if peers_folder() is None:
        raise RuntimeError("bench: benchmarks/peers is not here; run it from the source tree")
    check = f"import importlib.util as u, sys; sys.exit(not any(u.find_spec(m) for m in {MODULES!r}))"
    for python in filter(None, (os.environ.get("PLIANT_PEERS_PYTHON"), sys.executable)):
        try:
            if subprocess.run([python, "-c", check], capture_output=True).returncode == 0:
                return python
        except OSError as error:
            raise RuntimeError(f"bench: PLIANT_PEERS_PYTHON = {python!r} cannot be run: {error}") from None
    raise RuntimeError("bench: no other program is installed. Make an environment with 'pip install exudyn mujoco pin drake "
                       "numpy scipy' and name its interpreter in PLIANT_PEERS_PYTHON")


def run_peers(python: str, group: str) -> list[Row]:
    """Raw rows of benchmarks/peers/run.py for one group of problems."""
    working_on(f"bench: peers, {group} (minutes)")
    folder = peers_folder()
    assert folder is not None
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(temporary) / "rows.json"
        done = subprocess.run([python, str(folder / "run.py"), "--json", str(target), f"_{group}_"], env=_environment(),
                              capture_output=True, text=True)
        if not target.is_file():
            raise RuntimeError(f"bench: benchmarks/peers/run.py stopped: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
        return [{"table": "peers", **row} for row in json.loads(target.read_text())]


def ratios(own: Iterable[Row], found: Iterable[Row]) -> list[Row]:
    """Exudyn's fastest matching row over ours, same step. A failed row has no ratio."""
    ours = {row["key"]: row for row in own}
    found = [r for r in found if r["peer"].startswith("exudyn") and r.get("h") == STEP]
    rows: list[Row] = []
    for key, problem, words, without, target in RATIOS:
        best = _fastest([r for r in found if r["problem"] == problem], words, without)
        mine, theirs = ours[key].get("us_per_step"), best["us_per_step"]
        ratio = theirs / mine if theirs and mine else None
        rows.append({"table": "ratio", "problem": ours[key]["problem"], "ours": ours[key]["method"], "us_ours": mine,
                     "peer": best["method"], "us_peer": theirs, "ratio": ratio, "target": target,
                     "failed": ratio is None, "verdict": "failed" if ratio is None else _verdict(ratio, target)})
    return rows


def _fastest(rows: list[Row], words: Iterable[str], without: Iterable[str]) -> Row:
    """The fastest row of a method with these words and without those; one without a time if none ran."""
    named = [(r["method"] + " ", r) for r in rows]
    match = [r for method, r in named if all(w in method for w in words) and not any(w in method for w in without)]
    ran = [r for r in match if not r["failed"]]
    if ran:
        return min(ran, key=lambda r: float(r["us_per_step"]))
    return {"method": match[0]["method"] if match else " ".join(words), "us_per_step": None}


# -- text
def _number(form: str, factor: float = 1.0) -> Callable[[Any], str]:
    return lambda value: "-" if value is None else format(factor * value, form)


TEXT: dict[str, tuple[str, Callable[[Any], str]]] = {
    "problem": ("problem", str), "method": ("method", str), "peer": ("peer", str), "ours": ("ours", str),
    "verdict": ("verdict", str), "seconds": ("seconds", _number(".3g")), "first": ("first of the runs", _number(".3g")),
    "us_per_step": ("us/step", _number(".1f")), "h": ("h [s]", _number("g")), "budget": ("budget", _number("g")),
    "iterations": ("iterations/step", _number(".2f")), "factorisations": ("factors/step", _number(".3f")),
    "energy_error": ("energy error [J]", _number(".1e")), "violation": ("violation [m, rad]", _number(".0e")),
    "position_error": ("position error [m]", _number(".1e")), "build": ("build [ms]", _number(".0f", 1e3)),
    "setup": ("set-up [ms]", _number(".0f", 1e3)), "rss": ("memory [MiB]", _number(".0f")),
    "us_ours": ("ours [us/step]", _number(".1f")), "us_peer": ("peer [us/step]", _number(".1f")),
    "ratio": ("ratio", _number(".1f")), "target": ("target", _number("g")), "acc": ("error", _number(".1e")),
    "acc_what": ("of", str),
}
COLUMNS = {
    "pliant": ("problem", "method", "seconds", "us_per_step", "iterations", "factorisations", "energy_error", "violation",
               "position_error", "build", "setup", "rss"),
    "start-up": ("problem", "seconds", "first", "budget", "verdict"),
    "peers": ("problem", "peer", "method", "h", "us_per_step", "acc", "acc_what", "rss"),
    "ratio": ("problem", "ours", "us_ours", "peer", "us_peer", "ratio", "target", "verdict"),
}
NEEDED = {"us_per_step", "us_peer", "ratio"}  # a failed row says so here


def table(rows: list[Row]) -> str:
    """The rows as Markdown, one table of each kind."""
    out = []
    for name, columns in COLUMNS.items():
        chosen = [r for r in rows if r["table"] == name]
        if not chosen:
            continue
        out.append("| " + " | ".join(TEXT[c][0] for c in columns) + " |\n|" + "---|" * len(columns))
        for r in chosen:
            none = "not run" if r.get("skipped") else "failed" if r.get("failed") else "-"
            cells = [(none if c in NEEDED else "-") if r.get(c) is None else TEXT[c][1](r[c]) for c in columns]
            out.append("| " + " | ".join(cell.replace("max|E-E0|", "largest energy error") for cell in cells) + " |")
        notes = [f"- {r['problem']}, {r.get('method') or r.get('peer', '')}: {r['note']}" for r in chosen
                 if r.get("failed") and r.get("note")]
        out += ["", *notes, ""] if notes else [""]
    return "\n".join(out)
