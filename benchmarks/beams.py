"""A very flexible pendulum against the beams of Exudyn: microseconds per step and per iteration, and the tip after a second.

    python benchmarks/beams.py [--peers] [elements ...]

Beam of 1 m, pinned at one end, horizontal at rest, 1 s under its weight: rho A = 1 kg/m, EA = 1500 N, EI = 0.05 N m^2, a rubber section of
2 cm x 2 cm; generalized-alpha with rho 0.9, modified Newton, steps of 1 ms. Process CPU time of the time loop, the best of several runs.
Every row of ours states how its correction of bending is made: at the current strain (GJ of the section), or at the reference, which is
exact where GJ = EI. The tip is compared with that of the same beam with twice the finest elements and a fifth of the step.
--peers: the same pendulum in Exudyn (peers/p4_beam_exudyn.py), between two runs of ours, with the interpreter named in
PLIANT_PEERS_PYTHON.
"""
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
from pliant.proofs.benchmarks import _environment, peers_folder, peers_python
from pliant.start.assembly import start_row

ELEMENTS, STEP, STEPS = [8, 16, 32, 128], 1e-3, 1000
FINEST, FINE = 256, 2e-4           # of the reference
LEAST, ENOUGH = 3, 2.0             # runs of a row; s in which there may be more
E, NU, RHO, SIDE = 3.75e6, 0.3, 2500.0, 0.02
KINDS = {"Hermite mass": {}, "Hermite mass, GJ = EI": {"round": True}, "lumped mass": {"lumped": True},
         "lumped mass, GJ = EI": {"round": True, "lumped": True}, "corotational": {"formulation": "corotational"}}
LARGE = [100, 1000, 10_000]


def section(alike: bool) -> pl.Section:
    """2 cm x 2 cm; ``alike``: as stiff in torsion as in bending."""
    second = SIDE**4 / 12
    return pl.Section.general(SIDE**2, second, second, 2 * (1 + NU) * second if alike else 2 * 0.845 * second)


def pendulum(n: int, round: bool = False, **options: Any) -> pl.Model:
    m = pl.Model("soft pendulum", gravity=(0, -9.81, 0))
    m.add(pl.Beam("beam", (0, 0, 0), (1, 0, 0), section(round), pl.Material(E, NU, RHO), elements=n, **options))
    m.add(pl.Revolute("hinge", m.ground, "beam.start", axis="z"))
    return m


def run(dynamics: Any, row: np.ndarray, step: float, steps: int) -> tuple[float, Any, np.ndarray]:
    """CPU seconds of the loop, the run, its last row."""
    made = pl.GeneralizedAlpha(0.9).run(Plan.fixed(dynamics, pl.Index3(), row, step, steps, steps))
    clock = time.process_time()
    last = [new[-1].copy() for new in made if len(new)][-1]
    return time.process_time() - clock, made, last


def tip(dynamics: Any, row: np.ndarray) -> np.ndarray:
    """Position of the last node."""
    from pliant.kernels.state_row import parts
    return np.array(parts(row[None, :], dynamics.system.q0.size, dynamics.system.n)["q"][0, -7:-4])


def measure(n: int, steps: int = STEPS, step: float = STEP, **options: Any) -> dict[str, Any]:
    clock = time.process_time()
    dynamics = pendulum(n, **options).compile()
    row = start_row(dynamics)
    setup, best, spent, runs = time.process_time() - clock, np.inf, 0.0, 0
    while runs < LEAST or (spent < ENOUGH and runs < 20):
        seconds, made, last = run(dynamics, row, step, steps)
        best, spent, runs = min(best, seconds), spent + seconds, runs + 1
    iterations = int(made.c.iterations) / steps
    return {"us": 1e6 * best / steps, "iterations": iterations, "factors": int(made.c.factorisations) / steps,
            "tip": tip(dynamics, last), "setup": setup}


def reference(**options: Any) -> np.ndarray:
    dynamics = pendulum(FINEST, **options).compile()
    return tip(dynamics, run(dynamics, start_row(dynamics), FINE, round(STEP * STEPS / FINE))[2])


def peers() -> list[dict[str, Any]]:
    folder = peers_folder()
    assert folder is not None
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(temporary) / "rows.json"
        command = [peers_python(), str(folder / "run.py"), "--json", str(target), "p4_beam"]
        subprocess.run(command, env=_environment(), stdout=subprocess.DEVNULL, check=True)
        return list(json.loads(target.read_text()))


def print_ours(found: dict[tuple[str, int], dict[str, Any]], exact: dict[str, np.ndarray]) -> None:
    print("| beam | elements | us/step | iterations/step | factors/step | us/iteration | tip error [m] |\n|---|--:|--:|--:|--:|--:|--:|")
    for (kind, n), r in found.items():
        print(f"| {kind} | {n} | {r['us']:.1f} | {r['iterations']:.2f} | {r['factors']:.3f} | {r['us'] / r['iterations']:.2f} "
              f"| {np.linalg.norm(r['tip'] - exact[kind]):.1e} |", flush=True)


def print_peers(rows: list[dict[str, Any]], ours: dict[tuple[str, int], float], exact: np.ndarray) -> None:
    print("\n| Exudyn | elements | us/step | iterations/step | us/iteration | tip error [m] | over ours, Hermite | GJ = EI | lumped "
          "| lumped, GJ = EI |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for r in rows:
        if r.get("skipped") or r["failed"]:
            print(f"| {r['method']} | not run: {r['note']} |" + " |" * 8)
            continue
        n, name = int(r["problem"].split()[2]), r["method"].split(" gen")[0] + (", full Newton" if "fullNewton" in r["method"] else "")
        at = np.array(r["note"].split("[")[1].split("]")[0].split(), float)
        away = f"{np.linalg.norm(at - exact):.1e}" if " at " not in r["note"] else "-"
        ratios = [f"{r['us_per_step'] / ours[kind, n]:.1f}" for kind in list(KINDS)[:4]]
        print(f"| {name} | {n} | {r['us_per_step']:.1f} | {r['newton'] / r['steps']:.2f} | {r['us_per_newton']:.2f} | {away} | "
              + " | ".join(ratios) + " |", flush=True)


def main(elements: list[int], with_peers: bool) -> None:
    found = {(kind, n): measure(n, **options) for kind, options in KINDS.items() for n in elements}
    exact = {kind: reference(**options) for kind, options in KINDS.items()}
    print_ours(found, exact)
    if with_peers:
        rows = peers()
        again = {key: measure(key[1], **KINDS[key[0]])["us"] for key in found if key[0] in list(KINDS)[:4]}
        print_peers(rows, {key: (found[key]["us"] + us) / 2 for key, us in again.items()}, exact["Hermite mass"])
    print("\n| elements | us/step | per element [ns] | set-up [s] |\n|--:|--:|--:|--:|")
    for n in LARGE:
        r = measure(n, steps=max(20, 20_000 // n), lumped=True)
        print(f"| {n} | {r['us']:.0f} | {1e3 * r['us'] / n:.0f} | {r['setup']:.2f} |", flush=True)


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if a != "--peers"]
    main([int(a) for a in given] or ELEMENTS, "--peers" in sys.argv)
