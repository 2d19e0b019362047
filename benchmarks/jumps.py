"""What a jump costs, in CPU times of a step: a run with pulses of force, less its steps and a run without, over the number of jumps. The
look ahead, which finds the times of all jumps before the run begins, is part of that; the last column is without it.

    python benchmarks/jumps.py [pulses ...]
"""
import sys
import time

import pliant as pl
from pliant.methods.integrators.time_loop.time_functions import outlook

ROUNDS = 3


def block(pulses: int, timed: bool) -> pl.Model:
    """A mass on a spring; a pulse every 10 ms that begins and ends by time, or where a slide passes marks."""
    m = pl.Model("pulses")
    b = m.add(pl.RigidBody.box("b", size=(0.1, 0.1, 0.1), mass=2.0, velocity=(0, 0, 1)))
    m.add(pl.SpringDamper("s", m.ground.frame((-1, 0, 0)), b, stiffness=100.0, length=1.0))
    if pulses:
        m.add(pl.Force("f", b, ("if(mod(t, 0.01) < 0.005, 1, 0)" if timed else "if(mod(b.position.z, 0.01) < 0.005, 1, 0)", 0, 0)))
    return m


def cost(model: pl.Model, duration: float, **options: object) -> tuple[float, int]:
    """Least CPU time, and steps."""
    best, steps = float("inf"), 0
    for _ in range(ROUNDS):
        begin = time.process_time()
        steps = model.simulate(duration, output_step=duration / 10, **options).quality.steps
        best = min(best, time.process_time() - begin)
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
    print("| jumps | by | run | look ahead | per jump | per step | ratio | in the loop |\n|--:|---|--:|--:|--:|--:|--:|--:|")
    for pulses in [int(a) for a in sys.argv[1:]] or [100, 1000, 10_000]:
        duration = 0.01 * pulses
        few, n_few = cost(block(0, True), duration, integrator=pl.DOP853(), accuracy=1e-5)
        many, n_many = cost(block(0, True), 20 * duration, integrator=pl.DOP853(), accuracy=1e-9)
        step = (many - few) / (n_many - n_few)
        for timed in (True, False):
            taken, steps = cost(block(pulses, timed), duration, integrator=pl.DOP853(), accuracy=1e-5)
            ahead = looking_ahead(block(pulses, timed), duration)
            jump = (taken - few - step * (steps - n_few)) / (2 * pulses)
            print(f"| {2 * pulses} | {'time' if timed else 'place'} | {taken:.2f} s | {1e3 * ahead:.0f} ms | {1e6 * jump:.0f} µs "
                  f"| {1e6 * step:.1f} µs | {jump / step:.1f} | {(jump - ahead / (2 * pulses)) / step:.1f} |")


if __name__ == "__main__":
    main()
