"""CPU time to a given accuracy, ours against the best setting of Exudyn in the same run.

Double four-bar, 10 s, largest error of the first tip 1e-6 m; Andrews' squeezer, 0.03 s, largest error of its angles 1e-8 rad. Ours: the
accuracy is refined tenfold until the error is reached, best of three. Exudyn: benchmarks/peers/p6_time_to_accuracy_exudyn.py refines the
step of four settings; where none reaches the error, both are compared at the best that Exudyn reaches.
Run by `make benchmarks`, which sets PLIANT_PEERS_PYTHON; without it only our side is measured.
"""
import json
import os
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pliant as pl
from pliant.proofs import verification

HERE = Path(__file__).parent
PROBLEMS = {"double four-bar": ("A02_double_four_bar", 0, 1e-6), "andrews": ("A03_andrews", 2, 1e-8)}  # case, its check, error to reach
METHODS = [pl.DOP853(), pl.DormandPrince54(), pl.RadauIIA5()]


def ours(problem: str, target: float, method: object) -> dict[str, object]:
    """The cheapest run of a method that reaches the target."""
    case, number, _ = PROBLEMS[problem]
    model, duration, options, checks = verification.CASES[case]
    m, rows = model(), {"output_step": options["output_step"]} if "output_step" in options else {}
    for k in range(3, 13):
        try:
            sol = m.simulate(duration, accuracy=10.0**-k, integrator=method, progress=False, **rows)
        except pl.SimulationError as error:
            return {"method": method.kind, "note": str(error)[:80]}
        error = verification._worst(*checks(sol)[number])["error"]
        if error <= target:
            times = []
            for _ in range(3):
                clock = time.process_time()
                m.simulate(duration, accuracy=10.0**-k, integrator=method, progress=False, **rows)
                times.append(time.process_time() - clock)
            return {"method": method.kind, "accuracy": 10.0**-k, "error": error, "cpu": min(times), "steps": sol.quality.steps}
    return {"method": method.kind, "note": "not reached"}


def theirs() -> list[dict[str, object]]:
    python = os.environ.get("PLIANT_PEERS_PYTHON")
    if not python:
        print("PLIANT_PEERS_PYTHON is not set: Exudyn is not measured")
        return []
    reference = files("pliant").joinpath("data", "A02_2_fourbar.csv")
    done = subprocess.run([python, HERE / "peers" / "p6_time_to_accuracy_exudyn.py", str(reference)], cwd=HERE / "peers",
                          capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main() -> int:
    rows, good = theirs(), True
    for problem, (_, _, target) in PROBLEMS.items():
        peers = [row for row in rows if row["problem"] == problem and "error" in row]
        for row in peers:
            print(f"  exudyn {row['method']:32s} h {row['h']:.3g}  error {row['error']:.2e}  cpu {row['cpu']:.3f} s")
        reached = [row for row in peers if row["error"] <= target]
        best = min(reached, key=lambda row: row["cpu"]) if reached else min(peers, key=lambda row: row["error"], default=None)
        level = target if reached or best is None else best["error"]
        found = [ours(problem, level, method) for method in METHODS]
        for row in found:
            told = "  ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items() if k != "method")
            print(f"  pliant {row['method']:20s} {told}")
        mine = min((row["cpu"] for row in found if "cpu" in row), default=float("inf"))
        if best is not None:
            ratio = best["cpu"] / mine
            good = good and ratio >= 10
            print(f"{problem}: to {level:.2g}: {mine:.3f} s against {best['cpu']:.3f} s of Exudyn, {ratio:.0f} times less")
        else:
            print(f"{problem}: to {level:.2g}: {mine:.3f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
