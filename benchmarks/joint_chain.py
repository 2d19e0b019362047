"""Chains in joint coordinates: microseconds per step of Runge-Kutta 4 at 1 ms, rigid links and flexible ones with 6 modes.

    python benchmarks/joint_chain.py [links ...]

Process CPU time of the time loop, the best of many short runs, as other work on the machine only adds. The rigid chain is that of
`pliant bench`; peers/p2_chain_*.py run the same one in MuJoCo, Pinocchio, Drake and Exudyn.
"""
import sys
import time

import pliant as pl
from pliant import flex
from pliant.bench_models import chain
from pliant.integrators.base import Plan

STEP, WORK, REPEATS = 1e-3, 20_000, 20  # s; links times steps of one run; runs


def flexible_chain(n: int) -> pl.Model:
    """Rods of 1 m and 1 kg with the six shapes of their ends, so soft that Runge-Kutta 4 bears the step."""
    mesh = flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.general(1e-3, 1e-6, 1e-6, 2e-6), pl.Material(1e7, 0.3, 1000.0), elements=8)
    part = flex.reduce(mesh, {"start": (0, 0, 0), "end": (1, 0, 0)}, modes=0)
    m = pl.Model(f"flexible chain of {n}", gravity=(0, 0, -9.81))
    before = m.ground.frame((0, 0, 0))
    for k in range(n):
        m.add(pl.ModalBody(f"link_{k}", part, position=(k, 0, 0)))
        m.add(pl.Revolute(f"joint_{k}", before, f"link_{k}.start", axis="yz"[k % 2]))
        before = f"link_{k}.end"
    return m


def per_step(model: pl.Model, n: int) -> float:
    """Microseconds."""
    dynamics = model.compile()
    row, steps, best = dynamics.assemble(), max(5, WORK // n), float("inf")
    for _ in range(REPEATS):
        run = pl.RungeKutta4().run(Plan.fixed(dynamics, pl.Recursion(), row, STEP, steps, steps))
        clock = time.process_time()
        for _ in run:
            pass
        best = min(best, time.process_time() - clock)
    return 1e6 * best / steps


if __name__ == "__main__":
    print("| links | rigid [us/step] | per link [ns] | flexible, 6 modes [us/step] | per link [ns] | ratio |\n|--:|--:|--:|--:|--:|--:|")
    for links in [int(a) for a in sys.argv[1:]] or [10, 100, 1000]:
        rigid = per_step(chain(links), links)
        soft = per_step(flexible_chain(links), links) if links <= 300 else float("nan")
        cells = f"{rigid:.1f} | {1e3 * rigid / links:.0f} | {soft:.1f} | {1e3 * soft / links:.0f} | {soft / rigid:.1f}"
        print(f"| {links} | {cells} |", flush=True)
