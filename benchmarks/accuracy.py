"""Error control on trial: largest error over the run against the accuracy asked for, and against fixed steps of the same error.

    python benchmarks/accuracy.py [PROBLEM...]

For each problem and five accuracies: the largest error of positions (in sizes of the model) and velocities (in the largest one) at 200
times, steps and rejected steps, and the steps of the best fixed step with the same error. References are two fixed-step runs,
extrapolated, or for the double four-bar its one equation of motion. Passed: errors fall with the accuracy, the slope of log(error) over
log(accuracy) is between 0.6 and 1.2, and the median ratio of steps is at most 2. That is generalized-alpha; the other methods with error
control follow on two problems, their error against the accuracy over five decades: it falls, with a slope between 0.7 and 1.3.
"""
from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import pliant as pl
from pliant.kernels.state_row import parts
from pliant.proofs import shipped_examples
from pliant.text.model_files import module_model

ACCURACIES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
TIMES = 200
ALPHA = pl.GeneralizedAlpha(0.8)
OTHERS_ON = ("double four-bar", "Andrews")
OTHERS = (pl.HHT(), pl.DormandPrince54(), pl.DOP853(), pl.AdamsBashforthMoulton(), pl.RadauIIA5(), pl.BDF())


def example(name: str) -> pl.Model:
    return module_model(shipped_examples.find(name, {k: v for k, v in shipped_examples.examples().items() if v.suffix == ".py"}))


def stiff_spring() -> pl.Model:
    """A block on a stiff, lightly damped spring at the end of a swinging arm, held by a soft one: 36 Hz against 1 Hz."""
    m = pl.Model("stiff spring", gravity=(0, 0, -9.81))
    arm = m.add(pl.RigidBody.rod("arm", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    block = m.add(pl.RigidBody.box("block", size=(0.1, 0.2, 0.15), mass=2.0, position=(1.5, 0, 0)))
    m.add(pl.Revolute("A", m.ground, arm["start"], axis="y"))
    m.add(pl.SpringDamper("stiff", arm["end"], block, stiffness=1e5, damping=20.0))
    m.add(pl.SpringDamper("soft", arm, block.frame((0, 0.1, 0)), stiffness=200.0))
    return m


def swinging_frame(t: np.ndarray) -> np.ndarray:
    """Position and velocity of the tips of the double four-bar, whose posts turn by phi: 3 phi'' = 3.5 g sin(phi), phi'(0) = 1."""
    from scipy.integrate import solve_ivp
    exact = solve_ivp(lambda _, y: [y[1], 3.5 / 3 * 9.81 * np.sin(y[0])], (0, t[-1]), [0.0, 1.0], "DOP853", t, rtol=1e-13, atol=1e-13)
    phi, rate = exact.y
    return np.stack([np.sin(phi), np.cos(phi), rate * np.cos(phi), -rate * np.sin(phi)], 1)


PROBLEMS: dict[str, tuple[Callable[[], pl.Model], float, int]] = {  # model, duration [s], steps of the reference
    "double four-bar": (lambda: example("double_four_bar"), 10.0, 0),
    "Andrews": (lambda: example("andrews"), 0.03, 120_000),
    "heavy top": (lambda: example("heavy_top"), 2.0, 400_000),
    "stiff spring": (stiff_spring, 2.0, 200_000),
}


def error(sol: pl.Solution, reference: np.ndarray) -> float:
    """Largest difference from the reference rows."""
    d = sol.dynamics
    assert d is not None
    if reference.shape[1] == 4:
        tip = np.hstack([sol["post0.end.position"][:, :2], sol["post0.end.velocity"][:, :2]]) - reference
        return float(max(abs(tip[:, :2]).max() / d.length, abs(tip[:, 2:]).max() / abs(reference[:, 2:]).max()))
    s, w = d.system, d.weights()
    a, b = parts(sol.rows, s.q0.size, s.n), parts(reference, s.q0.size, s.n)
    dq = a["q"] - b["q"]
    for _, i in s.data.rotations:
        p, q = a["q"][:, i:i + 4], b["q"][:, i:i + 4]
        dq[:, i:i + 4] = 2 * (p - q * np.sign((p * q).sum(1, keepdims=True)))
    dq[:, s.data.linear[:, 1]] /= d.length
    return float(max(abs(dq).max(), abs((a["v"] - b["v"]) * w).max() / abs(b["v"] * w).max()))


def fixed(m: pl.Model, duration: float, steps: int) -> pl.Solution:
    return m.simulate(duration, step=duration / steps, output_step=duration / TIMES, progress=False)


def study(name: str, accuracies: tuple[float, ...] = ACCURACIES) -> dict[str, Any]:
    make, duration, fine = PROBLEMS[name]
    m = make()
    if fine:
        once, twice = (fixed(m, duration, fine * k).rows for k in (1, 2))
        reference = (4 * twice - once) / 3
    else:  # steps that fine would lose digits in its singular positions
        reference = swinging_frame(np.linspace(0, duration, TIMES + 1))
    curve = []
    for steps in (400, 1000, 2000, 4000, 10_000, 40_000, 100_000, 400_000):
        try:
            curve.append((error(fixed(m, duration, steps), reference), steps))
        except pl.SimulationError:
            continue  # too large a step for this problem
    sizes, counts = np.log(np.array(curve)[::-1]).T
    rows = []
    for accuracy in accuracies:
        sol = m.simulate(duration, accuracy=accuracy, integrator=ALPHA, output_step=duration / TIMES, progress=False)
        e, q = error(sol, reference), sol.quality
        same = float(np.exp(np.interp(np.log(e), sizes, counts)))
        rows.append({"accuracy": accuracy, "error": e, "steps": q.steps, "rejected": q.rejected, "fixed": same,
                     "ratio": (q.steps + q.rejected) / same})
    errors = np.array([r["error"] for r in rows])
    slope = float(np.polyfit(np.log(accuracies), np.log(errors), 1)[0])
    ratio = float(np.median([r["ratio"] for r in rows]))
    return {"problem": name, "rows": rows, "slope": slope, "ratio": ratio,
            "passed": bool((np.diff(errors) < 0).all() and 0.6 <= slope <= 1.2 and ratio <= 2)}


def follow(name: str, method: Any) -> dict[str, Any]:
    """Errors of another method over five decades of accuracy. Andrews' mechanism is easy: there the coarsest accuracies are met by the
    largest step allowed."""
    make, duration, _ = PROBLEMS[name]
    m, coarsest = make(), 1e-3 if method.finest > 1e-9 else 1e-5 if name == "Andrews" else 1e-3 if method == pl.BDF() else 1e-4
    reference = m.simulate(duration, accuracy=1e-12, integrator=pl.DOP853(), output_step=duration / TIMES, progress=False)
    accuracies = coarsest * 10.0 ** -np.arange(5)
    found = []
    for accuracy in accuracies:
        sol = m.simulate(duration, accuracy=accuracy, integrator=method, output_step=duration / TIMES, progress=False)
        found.append((error(sol, reference.rows), sol.quality.steps))
    errors = np.array(found)[:, 0]
    slope = float(np.polyfit(np.log(accuracies), np.log(errors), 1)[0])
    return {"problem": name, "method": method.kind, "accuracies": accuracies.tolist(), "errors": errors.tolist(),
            "steps": [n for _, n in found], "slope": slope, "passed": bool((np.diff(errors) < 0).all() and 0.7 <= slope <= 1.3)}


def main(names: list[str]) -> int:
    failed = 0
    for name in [n for n in names if n in PROBLEMS] or list(PROBLEMS):
        result = study(name)
        failed += not result["passed"]
        if "--json" in names:
            print(json.dumps(result))
            continue
        verdict = "passed" if result["passed"] else "FAILED"
        print(f"{name}: slope {result['slope']:.2f}, steps over fixed steps {result['ratio']:.2f} (median), {verdict}")
        for r in result["rows"]:
            print(f"  accuracy {r['accuracy']:.0e}  error {r['error']:.2e}  steps {r['steps']:6d}  rejected {r['rejected']:4d}  "
                  f"fixed steps of this error {r['fixed']:8.0f}  ratio {r['ratio']:.2f}")
    for name in [n for n in names if n in OTHERS_ON] or ([] if names else OTHERS_ON):
        for method in OTHERS:
            result = follow(name, method)
            failed += not result["passed"]
            rows = zip(result["accuracies"], result["errors"], result["steps"], strict=True)
            told = "  ".join(f"{a:.0e}: {e:.1e} ({n})" for a, e, n in rows)
            print(f"{name}, {method.kind}: slope {result['slope']:.2f}, {'passed' if result['passed'] else 'FAILED'}; error (steps) {told}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
