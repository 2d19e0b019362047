"""What contact costs: chains of rods with limited hinges, in joint coordinates, and a slider-crank with a clearance.

    python benchmarks/contact.py [--peers] [links ...]

Chains fall for 2 s, limits of +-20 deg rigid, or compliant with the stiffness that a stop has by itself. CPU time of the time loop,
best of three; the overrun is that of rows every millisecond in a second run. --peers: MuJoCo in the same run
(peers/p8_limits_mujoco.py, interpreter in PLIANT_PEERS_PYTHON), as it is by default and in its cheapest setting with an overrun below
0.1 deg. The slider-crank of tests/items/test_clearances.py makes two turns: evaluations of accelerations of the whole run over its
contacts.
"""
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import pliant as pl
from pliant.methods.integrators.base import Plan
from pliant.methods.run_options import ACCURACY
from pliant.proofs.benchmarks import _environment, peers_folder, peers_python
from pliant.start.assembly import start_row

LENGTH, RADIUS, DENSITY, LIMIT, END = 0.1, 0.01, 1000.0, np.radians(20.0), 2.0
REPEATS, ROW = 3, 1e-3  # s
NORMAL = ACCURACY["normal"]
LAWS: dict[str, dict[str, Any]] = {"rigid": {"law": "rigid", "restitution": 0.0}, "compliant": {"restitution": 0.05}}
FEW = 10  # links: with compliant limits, whose stiffness sets the step, no more
CRANK = Path(__file__).parents[1] / "tests" / "items" / "test_clearances.py"
TWO_TURNS = 0.024


def chain(n: int, law: str) -> pl.Model:
    """Capsules as MuJoCo has them, straight and level at the start."""
    tube, balls = DENSITY * np.pi * RADIUS**2 * LENGTH, DENSITY * 4 / 3 * np.pi * RADIUS**3
    along = tube * RADIUS**2 / 2 + balls * 2 / 5 * RADIUS**2
    across = tube * (LENGTH**2 / 12 + RADIUS**2 / 4) + balls * (2 / 5 * RADIUS**2 + LENGTH**2 / 4 + 3 / 8 * LENGTH * RADIUS)
    m = pl.Model(f"chain of {n} with {law} limits", gravity=(0, 0, -9.81))
    before = m.ground.frame((0, 0, 0))
    for k in range(n):
        rod = m.add(pl.RigidBody(f"rod_{k}", tube + balls, (along, across, across), position=(LENGTH * (k + 0.5), 0, 0)))
        m.add(pl.Revolute(f"hinge_{k}", before, rod.frame((-LENGTH / 2, 0, 0)), axis="y"))
        if k:
            m.add(pl.Stop(f"limit_{k}", f"hinge_{k}", "angle", -LIMIT, LIMIT, **LAWS[law]))
        before = rod.frame((LENGTH / 2, 0, 0))
    return m


def loop(model: pl.Model) -> tuple[float, Any]:
    """Least CPU time of the loop, and the last run."""
    best, dynamics = np.inf, model.compile()
    row = start_row(dynamics)
    for _ in range(1 + REPEATS):  # the first one loads kernels
        run = pl.DOP853().run(Plan(dynamics, pl.Recursion(), row, END, accuracy=NORMAL, outputs=20))
        clock = time.process_time()
        for _ in run:
            pass
        best = min(best, time.process_time() - clock)
    return best, run


def limits(n: int, law: str) -> None:
    model = chain(n, law)
    cpu, run = loop(model)
    sol = model.simulate(END, accuracy=NORMAL, coordinates="joint", integrator=pl.DOP853(), output_step=ROW, progress=False)
    over = max(float(abs(sol[f"hinge_{k}.angle"]).max()) for k in range(1, n)) - LIMIT
    lost = float(abs(sol.energy.balance - sol.energy.balance[0]).max() / sol.energy.kinetic.max())
    hits = sum(e.what.startswith(("hits", "touches")) for e in sol.events)
    instants = len({e.t for e in sol.events})
    print(f"| {n} | pliant, {law} | {1e3 * cpu:.0f} | {run.counts()['steps']} | {1e6 * cpu / max(1, instants):.0f} | {hits} "
          f"| {np.degrees(over):.1e} | {lost:.0e} |", flush=True)


def peers() -> list[dict[str, Any]]:
    """Rows of MuJoCo."""
    folder = peers_folder()
    assert folder is not None
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(temporary) / "rows.json"
        subprocess.run([peers_python(), str(folder / "run.py"), "--json", str(target), "p8_limits"], env=_environment(),
                       stdout=subprocess.DEVNULL, check=True)
        return list(json.loads(target.read_text()))


def crank() -> None:
    """Evaluations per contact."""
    spec = importlib.util.spec_from_file_location("clearances", CRANK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print("\n| slider-crank | steps | made again | contacts | evaluations per contact | energy |\n|---|--:|--:|--:|--:|--:|")
    for form in (pl.Index1(), pl.Recursion()):
        model = module.slider_crank()
        dynamics = model.compile()
        run = pl.DOP853().run(Plan(dynamics, form, start_row(dynamics), TWO_TURNS, accuracy=NORMAL, outputs=100))
        for _ in run:
            pass
        sol = model.simulate(TWO_TURNS, accuracy=NORMAL, integrator=pl.DOP853(), formulation=form, progress=False)
        contacts, counts = sum(e.what == "touches" for e in sol.events), run.counts()
        lost = float(abs(sol.energy.balance - sol.energy.balance[0]).max() / sol.energy.kinetic.max())
        print(f"| {form.kind} | {counts['steps']} | {counts['rejected']} | {contacts} | {int(run.num.evaluations) / contacts:.0f} "
              f"| {lost:.0e} |", flush=True)


def main(links: list[int], with_peers: bool) -> None:
    print("| links | program | loop [ms] | steps | per instant [us] | impacts | overrun [deg] | energy |\n|--:|---" + "|--:" * 6 + "|")
    for n in links:
        for law in LAWS if n <= FEW else ("rigid",):
            limits(n, law)
    for r in peers() if with_peers else []:
        if r.get("skipped"):
            print(f"\n{r['peer']}: not run, {r['note']}")
        else:
            print(f"| {r['problem'].rpartition('=')[2]} | mujoco, {r['method']}, {r['note']}, step {r['h']:g} s | {1e3 * r['cpu']:.0f} "
                  f"| {r['steps']} | - | - | {r['acc']:.1e} | - |", flush=True)
    crank()


if __name__ == "__main__":
    main([int(a) for a in sys.argv[1:] if a != "--peers"] or [10, 100], "--peers" in sys.argv)
