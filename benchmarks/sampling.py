"""What samples cost: the example two_link_arm, turned by torques of controllers at 1 kHz for 10 s, and the example six_axis_arm.

    python benchmarks/sampling.py [--repeats N]

CPU time, best of several. Three controllers follow the same law: continuous, sampled in compiled code, sampled in Python; motors lag by
5 ms, or not at all. A sample: all that it adds to a run, also the steps that end at ticks. An instant: the loop's own work at a tick, by
itself. A call of Python: what happens at a tick with it less that without, over the bare function.
"""
from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import pliant as pl
from pliant.families.discrete import INSTANT
from pliant.kernels.by_reference import opaque, reference
from pliant.kernels.jit import entry
from pliant.kernels.status import MORE
from pliant.methods.integrators.time_loop.instants import happen
from pliant.methods.integrators.time_loop.intervals import pass_instant
from pliant.methods.integrators.time_loop.step_run import StepRun

DURATION, T, LAG = 10.0, 1e-3, 5e-3           # s
AIMS = {"shoulder": 0.6, "elbow": np.pi / 2}  # rad
KP, KI, KD = 2.0, 1.0, 0.5                     # N m/rad, N m/(rad s), N m s/rad
PATH = "min(1, t)^2*(3 - 2*min(1, t))"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "examples" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def law(t: float, y: np.ndarray, x: np.ndarray) -> tuple[list[float], list[float]]:
    """The controller in Python: y has angles and their rates, x the integrals."""
    s = min(1.0, t)
    way = s * s * (3 - 2 * s)
    e1, e2 = AIMS["shoulder"] * way - y[0], AIMS["elbow"] * way - y[1]
    return [KP * e1 - KD * y[2] + x[0], KP * e2 - KD * y[3] + x[1]], [x[0] + KI * T * e1, x[1] + KI * T * e2]


def arm(kind: str, lag: float = LAG, function: Callable[..., Any] = law) -> pl.Model:
    """The arm of the example with torques in place of its drives; ``kind``: continuous, compiled, Python."""
    m: pl.Model = example("two_link_arm").model()
    for drive in ("first", "second"):
        m.remove(drive)
    if kind == "Python":
        inputs = [f"{joint}.{what}" for what in ("angle", "angle_rate") for joint in AIMS]
        m.add(pl.Controller("python", function, T, inputs, list(AIMS), [0.0, 0.0]))
    for joint, aim in AIMS.items():
        error = f"({aim}*{PATH} - {joint}.angle)"
        torque = f"{KP}*{error} - {KD}*{joint}.angle_rate + {joint}_sum.output"
        if kind == "continuous":
            m.add(pl.Integral(f"{joint}_sum", f"{KI}*{error}"))
        elif kind == "compiled":
            m.add(pl.UnitDelay(f"{joint}_sum", f"{joint}_sum.output + {KI * T}*{error}", T))
            m.add(pl.Sample(f"{joint}_torque", torque, T))
            torque = f"{joint}_torque.output"
        else:
            torque = f"python.{joint}"
        if lag:
            m.add(pl.LowPass(f"{joint}_lag", torque, lag))
            torque = f"{joint}_lag.output"
        m.add(pl.JointTorque(f"{joint}_motor", joint, torque))
    return m


def timed(work: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """What it gives, and the best of several CPU times."""
    found, best = work(), np.inf  # the first one loads kernels
    for _ in range(repeats):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return found, best


@entry
def instants(problem, steps, c, own, count, whole):  # type: ignore[no-untyped-def]
    """So many ticks on the spot; ``whole``: with the smooth interval that begins behind each. A status."""
    p, w, o = reference(problem), reference(steps), opaque(own)
    status = MORE
    for _ in range(count):
        status = pass_instant(p, w, c, o) if whole else happen(p, w, c, c.now, INSTANT)
    return status


def cost_of_instant(work: Callable[[], Any], repeats: int, whole: bool = True, count: int = 2000) -> float:
    """CPU seconds of the loop's own work at one tick, where a run has ended."""
    made: list[StepRun] = []
    begin = StepRun.__init__

    def noted(self: StepRun, *given: Any, **more: Any) -> None:
        begin(self, *given, **more)
        made.append(self)
    StepRun.__init__ = noted  # type: ignore[method-assign]
    try:
        work()
    finally:
        StepRun.__init__ = begin  # type: ignore[method-assign]
    run = made[-1]
    kept = run.x.H.copy()

    def at_ticks() -> None:
        run.x.H[:] = kept
        instants(run.p, run.steps, run.c, run.pinned.address, count, whole)
    return timed(at_ticks, repeats)[1] / count


def cost_of_call(repeats: int) -> tuple[float, float]:
    """CPU seconds of the bare function, and of what a tick with it takes more than one with nothing to compute."""
    y, x, n = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.6]), 10_000
    empty, full = arm("continuous"), arm("Python")
    empty.add(pl.Sample("nothing", 0.0, T))
    ticks = [cost_of_instant(lambda m=m: m.simulate(0.05, progress=False), 5 * repeats, False) for m in (empty, full)]
    return timed(lambda: [law(0.5, y, x) for _ in range(n)], 5 * repeats)[1] / n, ticks[1] - ticks[0]


def two_link_arm(repeats: int) -> None:
    n, models = round(DURATION / T), {(kind, lag): arm(kind, lag) for lag in (LAG, 0.0) for kind in ("continuous", "compiled", "Python")}
    print("| controller | steps | run | per step | a sample | in steps | an instant | in steps |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    runs = dict[tuple[str, float], tuple[pl.Solution, float]]()
    for (kind, lag), m in models.items():
        def work(m: pl.Model = m) -> pl.Solution:
            return m.simulate(DURATION, output_step=0.01, progress=False)
        sol, cpu = runs[kind, lag] = timed(work, repeats if lag else 1)
        told, step, sample = "| | | |", cpu / sol.quality.steps, (cpu - runs["continuous", lag][1]) / n
        if kind != "continuous":
            here = cost_of_instant(work, repeats)
            told = f"| {1e6 * sample:.0f} µs | {sample / step:.1f} | {1e6 * here:.1f} µs | {here / step:.2f} |"
        print(f"| {kind}{'' if lag else ', no lag'} | {sol.quality.steps} | {cpu:.2f} s | {1e6 * step:.0f} µs {told}", flush=True)
    bare, call = cost_of_call(repeats)
    print(f"\nbare call {1e6 * bare:.2f} µs; one call in the run {1e6 * call:.2f} µs, {call / bare:.2f} times as much")
    calls: list[float] = []
    noted = arm("Python", function=lambda t, y, x: calls.append(t) or law(t, y, x)).simulate(DURATION, output_step=0.01, progress=False)
    differ = max(abs(noted[f"{joint}.angle"] - runs["compiled", LAG][0][f"{joint}.angle"]).max() for joint in AIMS)
    exact = "yes" if calls == [k * T for k in range(n)] else "NO"
    print(f"calls at k T to the last bit, once and in order: {exact}, {len(calls)} of them; "
          f"angles of Python and compiled code differ by {differ:.1g} rad")


def six_axis_arm(repeats: int) -> None:
    e = example("six_axis_arm")
    print("\n| six-axis arm | steps | run | one instant | instants, of the run | more than continuous, of the run |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in ("dop853", "radau-iia-5"):
        found = {}
        for period in (None, 1e-3):
            m = e.model(period)

            def work(m: pl.Model = m, name: str = name) -> pl.Solution:
                return m.simulate(e.DURATION, output_step=0.01, coordinates="joint", integrator=name, progress=False)
            found[period] = timed(work, repeats)
        (_, smooth), (sol, cpu) = found[None], found[1e-3]
        one, ticks = cost_of_instant(work, repeats), round(e.DURATION / 1e-3)
        print(f"| {name} | {sol.quality.steps} | {cpu:.2f} s | {1e6 * one:.0f} µs | {one * ticks / cpu:.1%} | {1 - smooth / cpu:.1%} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    two_link_arm(given.repeats)
    six_axis_arm(given.repeats)
