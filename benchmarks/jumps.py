"""What a jump costs, in CPU times of a step: a run with jumps, less its steps and a run without, over the number of jumps. The
look ahead, which finds the times of all jumps before the run begins, is part of that; the last column is without it.

    python benchmarks/jumps.py [jumps ...]
"""
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import pliant as pl
from pliant.methods.integrators.time_loop.time_functions import outlook

ROUNDS, SPACE = 3, 0.005  # s from jump to jump


def pulses(jumps: int, law: str) -> pl.Model:
    """A mass on a spring; a pulse every 10 ms that begins and ends by time, or where a slide passes marks."""
    m = pl.Model("pulses")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.1, 0.1), mass=2.0, velocity=(0, 0, 1)))
    m.add(pl.SpringDamper("s", m.ground.frame((-1, 0, 0)), b, stiffness=100.0, length=1.0))
    if "slide" in law:
        m.add(pl.RigidBody.box("slide", size=(0.1, 0.1, 0.1), mass=2.0, velocity=(0, 0, 1)))
    if jumps:
        m.add(pl.Force("f", b, (law, 0, 0)))
    return m


def by_time(jumps: int) -> pl.Model:
    return pulses(jumps, "if(mod(t, 0.01) < 0.005, 1, 0)")


def by_place(jumps: int) -> pl.Model:
    return pulses(jumps, "if(mod(slide.position.z, 0.01) < 0.005, 1, 0)")


def by_drive(jumps: int) -> pl.Model:
    """A pendulum on an arm that is driven to and fro, at speeds that jump."""
    m = pl.Model("zigzag", gravity=(0, -9.81, 0))
    arm = m.add(pl.RigidBody.rod("arm", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    rod = m.add(pl.RigidBody.rod("rod", start=(1, 0, 0), end=(2, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, arm["start"], axis="z"))
    m.add(pl.Revolute("B", arm["end"], rod["start"], axis="z"))
    t = SPACE * np.arange(jumps + 2)
    m.add(pl.Drive("A", "angle", pl.Table(t, 1e-3 * (np.arange(t.size) % 2), "linear") if jumps else 0.0))
    return m


class Case(NamedTuple):
    name: str
    model: Callable[[int], pl.Model]
    integrator: pl.DOP853 | pl.GeneralizedAlpha
    coordinates: str
    accuracy: float
    finer: float        # for many steps, whose cost is that of one


ALPHA, DOP = pl.GeneralizedAlpha(), pl.DOP853()
CASES = [Case("time, DOP853", by_time, DOP, "absolute", 1e-5, 1e-9), Case("place, DOP853", by_place, DOP, "absolute", 1e-5, 1e-9),
         Case("time, alpha", by_time, ALPHA, "absolute", 1e-4, 1e-6), Case("place, alpha", by_place, ALPHA, "absolute", 1e-4, 1e-6),
         Case("time, alpha, joint", by_time, ALPHA, "joint", 1e-4, 1e-6), Case("drive, DOP853", by_drive, DOP, "absolute", 1e-5, 1e-9),
         Case("drive, DOP853, joint", by_drive, DOP, "joint", 1e-5, 1e-9), Case("drive, alpha", by_drive, ALPHA, "absolute", 1e-4, 1e-6)]


def cost(case: Case, jumps: int, duration: float, accuracy: float) -> tuple[float, int]:
    """Least CPU time, and steps."""
    best, steps, model = float("inf"), 0, case.model(jumps)
    for _ in range(ROUNDS):
        begin = time.process_time()
        run = model.simulate(duration, output_step=duration / 10, accuracy=accuracy, integrator=case.integrator,
                             coordinates=case.coordinates)
        best, steps = min(best, time.process_time() - begin), run.quality.steps
    return best, steps


def looking_ahead(model: pl.Model, duration: float) -> float:
    """Least CPU time."""
    system, best = model.compile().system, float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        outlook(system, 0.0, duration, duration / 50)
        best = min(best, time.process_time() - begin)
    return best


def main() -> None:
    print("| jumps | by, with | run | look ahead | per jump | per step | ratio | in the loop |\n|--:|---|--:|--:|--:|--:|--:|--:|")
    for jumps in [int(a) for a in sys.argv[1:]] or [200, 2000, 20_000]:
        duration = SPACE * jumps
        for case in CASES:
            few, n_few = cost(case, 0, duration, case.accuracy)
            many, n_many = cost(case, 0, 20 * duration, case.finer)
            step = (many - few) / (n_many - n_few)
            taken, steps = cost(case, jumps, duration, case.accuracy)
            ahead = looking_ahead(case.model(jumps), duration)
            jump = (taken - few - step * (steps - n_few)) / jumps
            print(f"| {jumps} | {case.name} | {taken:.2f} s | {1e3 * ahead:.0f} ms | {1e6 * jump:.0f} µs "
                  f"| {1e6 * step:.1f} µs | {jump / step:.1f} | {(jump - ahead / jumps) / step:.1f} |", flush=True)


if __name__ == "__main__":
    main()
