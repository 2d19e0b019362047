"""Random mechanisms against equations of Newton and Euler solved by SciPy:

    python tests/support/hunt_mechanisms.py --cases 300 --seed 0
    python tests/support/hunt_mechanisms.py --calm 60 --accuracies 1e-4 1e-6 1e-8 --methods default radau-iia-5 bdf generalized-alpha

Each run is right (within 10 x accuracy x duration of the reference: positions and velocities of points in sizes of the model and in
its largest speed), refused or stopped with a sentence, or wrong. Where a change of the start by 1e-8 grows by more than GROWTH, the
motion is sensitive, and not judged.
"""
import argparse
import sys
import time
import warnings
from itertools import product

import numpy as np
from random_mechanisms import make

import pliant as pl

DURATION, ALLOWED, GROWTH, CHANGE, COARSE = 1.0, 10.0, 30.0, 1e-8, 1e-6
METHODS = {"default": None, "radau-iia-5": pl.RadauIIA5, "bdf": pl.BDF, "generalized-alpha": pl.GeneralizedAlpha}


def state_of(r, sol, k):
    """Row k of a run as a state of the reference."""
    p, q, v, w = (np.array([sol[f"{name}.{c}"][k] for name in r.names]) for c in ("position", "rotation", "velocity", "angular_velocity"))
    for body, R in enumerate(r.reference.now(0.0, r.reference.start(p, q, v, w)).R):
        p[body], v[body] = p[body] + R @ r.coms[body], v[body] + R @ np.cross(w[body], r.coms[body])
    return r.reference.start(p, q, v, w)


def last_state(r, y):
    """Positions of three points of every body, and their velocities."""
    now, points = r.reference.now(0.0, y), []
    for k in range(len(r.names)):
        for arm in np.vstack([np.zeros(3), 0.3 * np.eye(3)]):
            points.append((now.p[k] + now.R[k] @ arm, now.v[k] + now.R[k] @ np.cross(now.w[k], arm)))
    return np.array([p for p, _ in points]), np.array([v for _, v in points])


def consistent(r, y):
    """How far the start violates the equations of the reference: positions and rates."""
    values, rates, _, _, aim = r.reference.rows(r.reference.now(0.0, y))
    return float(np.abs(values - aim[:, 0]).max(initial=0.0)), float(np.abs(rates - aim[:, 1]).max(initial=0.0))


def judge(seed, accuracies=(1e-6,), methods=("default",), duration=DURATION):
    """Verdicts by method and accuracy, and what the mechanism is made of."""
    r = make(seed)
    verdicts = {}
    reference = None
    for name, accuracy in product(methods, accuracies):
        if name == "generalized-alpha" and accuracy < COARSE:  # of second order: millions of steps
            continue
        kind = METHODS[name]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sol = r.model.simulate(duration, accuracy=accuracy, progress=False, output_step=duration,
                                       **({} if kind is None else {"integrator": kind()}))
        except (pl.ModelError, pl.SimulationError) as error:
            verdicts[name, accuracy] = ("told", f"{type(error).__name__}: {error}"[:160])
            continue
        if reference is None:
            y = state_of(r, sol, 0)
            if max(consistent(r, y)) > 1e-7:
                return r, {(name, accuracy): ("wrong", f"start violates {consistent(r, y)}")}
            reference = solve(r, y, duration)
        ends, size, speed, growth = reference
        if growth > GROWTH:
            verdicts[name, accuracy] = ("sensitive", f"growth {growth:.3g}")
            continue
        p, v = last_state(r, state_of(r, sol, -1))
        error = max(np.abs(p - ends[0]).max() / size, np.abs(v - ends[1]).max() / speed) / (accuracy * duration)
        what = f"{error:.3g} x accuracy, growth {growth:.2g}, {sol.method.kind}"
        verdicts[name, accuracy] = ("right" if error <= ALLOWED else "wrong", what)
    return r, verdicts


def solve(r, y, duration):
    """The end by the reference, size and speed of the model, and how much a change of the start has grown."""
    end = r.reference.solve(y, duration, 1e-11, r.breaks)
    n = r.reference.n
    rng = np.random.default_rng(1)
    _, _, _, J, _ = r.reference.rows(r.reference.now(0.0, y))
    push = rng.normal(size=6 * n)
    if len(J):  # along what the equations leave free
        push -= np.linalg.lstsq(J, J @ push, rcond=1e-10)[0]
    start, changed = last_state(r, y), y.copy()
    push *= CHANGE / max(1e-30, np.abs(push).max())
    changed[7 * n:10 * n] += push.reshape(n, 6)[:, :3].ravel()
    changed[10 * n:13 * n] += push.reshape(n, 6)[:, 3:].ravel()
    other = r.reference.solve(changed, duration, 1e-11, r.breaks)
    a, b = last_state(r, end), last_state(r, other)
    before = np.abs(last_state(r, changed)[1] - start[1]).max()
    size = max(0.3, float(np.ptp(np.vstack([start[0], a[0], np.zeros((1, 3))]), axis=0).max()))
    speed = max(float(np.abs(start[1]).max()), float(np.abs(a[1]).max()), 1e-3)
    grown = max(np.abs(a[0] - b[0]).max(), np.abs(a[1] - b[1]).max()) / max(before, 1e-30)
    return a, size, speed, float(grown)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--accuracies", type=float, nargs="+", default=[1e-6])
    parser.add_argument("--calm", type=int, default=10**9, help="stop after so many mechanisms that are not sensitive")
    parser.add_argument("--methods", nargs="+", default=["default"], choices=list(METHODS))
    given = parser.parse_args()
    counts, wrong, calm, clock = {}, 0, 0, time.process_time()
    for seed in range(given.seed, given.seed + given.cases):
        try:
            r, verdicts = judge(seed, given.accuracies, given.methods)
        except ArithmeticError as error:
            print(f"{seed:5d} reference failed: {error}", flush=True)
            continue
        for (name, accuracy), (verdict, what) in verdicts.items():
            counts[name, accuracy, verdict] = counts.get((name, accuracy, verdict), 0) + 1
            wrong += verdict == "wrong"
            if verdict in ("wrong", "told"):
                print(f"{seed:5d} {name} {accuracy:g} {verdict}: {what} [{', '.join(r.kinds)}]", flush=True)
        calm += any(verdict in ("right", "wrong") for verdict, _ in verdicts.values())
        if calm >= given.calm:
            break
    print(f"{calm} mechanisms judged")
    for (name, accuracy, verdict), count in sorted(counts.items()):
        print(f"{name}, {accuracy:g}: {count} {verdict}")
    print(f"{time.process_time() - clock:.0f} s CPU")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
