"""Chains in joint coordinates: microseconds per step of Runge-Kutta 4 at 1 ms, rigid links and flexible ones with 6 modes.

    python benchmarks/joint_chain.py [--peers] [links ...]

Process CPU time of the time loop, the best of many short runs, as other work on the machine only adds; every row in a process of its own,
with one thread, so that its peak memory is its own. Error: as in `pliant bench`, after 1 s, against peers/chain_reference.json.
--peers: MuJoCo, Pinocchio and Drake between two runs of ours, the same chain (peers/p2_chain_*.py), with the interpreter named in
PLIANT_PEERS_PYTHON. In that table we are timed as they are: runs of 1 s, the best of three.
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
from pliant import flex
from pliant.items.base import matrix_of
from pliant.kernels.state_row import parts
from pliant.methods.integrators.base import Plan
from pliant.proofs.benchmark_models import chain, watched
from pliant.proofs.benchmarks import _environment, peak_memory, peers_folder, peers_python
from pliant.start.assembly import start_row

STEP, WORK, REPEATS = 1e-3, 20_000, 60  # s; links times steps of one run; runs
LONG, FEW = 1000, 3  # steps, runs: as the peers are timed
PEERS = {"mujoco": "RK4", "pinocchio": "ABA + RK4 (Python loop)", "drake": "runge_kutta3"}  # the method that compares with ours


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


def measure(kind: str, n: int) -> dict[str, Any]:
    """Microseconds per step, error [m] of the rigid chain, peak memory and that of the arrays of the run [MiB], in this process."""
    clock = time.process_time()
    dynamics = (chain if kind == "rigid" else flexible_chain)(n).compile()
    row = start_row(dynamics)
    setup = time.process_time() - clock
    us, run, _ = timed(dynamics, row, max(5, WORK // n), REPEATS)
    found = {"us": us, "setup": setup, "memory": peak_memory(), "arrays": size_of((run.p, run.steps), set()) / 2**20}
    if kind == "rigid":
        long, _, last = timed(dynamics, row, LONG, FEW)
        found |= {"long": long, "error": error(dynamics, last, n)}
    return found


def timed(dynamics: Any, row: np.ndarray, steps: int, repeats: int) -> tuple[float, Any, np.ndarray]:
    """Microseconds per step, best of the repeats, with the last run and its last row."""
    best = float("inf")
    for _ in range(repeats):
        run = pl.RungeKutta4().run(Plan.fixed(dynamics, pl.Recursion(), row, STEP, steps, steps))
        clock = time.process_time()
        last = [new[-1].copy() for new in run if len(new)][-1]
        best = min(best, time.process_time() - clock)
    return 1e6 * best / steps, run, last


def size_of(value: Any, seen: set[int]) -> int:
    """Bytes of the arrays in a tuple, each counted once."""
    if isinstance(value, tuple):
        return sum(size_of(one, seen) for one in value)
    if not isinstance(value, np.ndarray) or id(value) in seen:
        return 0
    seen.add(id(value))
    return value.nbytes


def error(dynamics: Any, last: np.ndarray, n: int) -> float | None:
    """Largest distance [m] of a watched link's end from the reference after 1 s; None without one."""
    folder = peers_folder()
    reference = json.loads((folder / "chain_reference.json").read_text()).get(str(n)) if folder else None
    if reference is None:
        return None
    q = parts(last[None, :], dynamics.system.q0.size, dynamics.system.n)["q"].reshape(-1, 7)
    ends = [q[i, :3] + 0.5 * matrix_of(q[i, 3:].tolist())[:, 0] for i in watched(n)]
    return float(np.linalg.norm(np.array(ends) - reference, axis=1).max())


def in_process(kind: str, n: int) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, "--row", kind, str(n)], env=_environment(), capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ROW ")]
    if not lines:
        raise SystemExit(f"{kind} chain of {n}: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
    return dict(json.loads(lines[-1][4:]))


def peers() -> list[dict[str, Any]]:
    """Rows of the other programs."""
    folder, python = peers_folder(), peers_python()
    assert folder is not None
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(temporary) / "rows.json"
        names = [f"_chain_{peer}" for peer in PEERS]
        command = [python, str(folder / "run.py"), "--json", str(target), *names]
        subprocess.run(command, env=_environment(), stdout=subprocess.DEVNULL, check=True)
        return list(json.loads(target.read_text()))


def short(value: Any, form: str) -> str:
    return "-" if value is None else format(value, form)


def main(links: list[int], with_peers: bool) -> None:
    rigid = {n: in_process("rigid", n) for n in links}
    print("| links | rigid [us/step] | per link [ns] | error [m] | memory [MiB] | arrays [MiB] | flexible, 6 modes [us/step] "
          "| per link [ns] | ratio | set-up [s] | memory [MiB] | arrays [MiB] |\n" + "|--:" * 12 + "|")
    for n in links:
        r, f = rigid[n], in_process("flexible", n)
        print(f"| {n} | {r['us']:.1f} | {1e3 * r['us'] / n:.0f} | {short(r['error'], '.1e')} | {short(r['memory'], '.0f')} "
              f"| {r['arrays']:.2f} | {f['us']:.1f} | {1e3 * f['us'] / n:.0f} | {f['us'] / r['us']:.1f} | {f['setup']:.2f} "
              f"| {short(f['memory'], '.0f')} | {f['arrays']:.2f} |", flush=True)
    if with_peers:
        others = peers()
        print("\n| links | program | method | us/step | times ours | error [m] | memory [MiB] |\n|--:|---|---|--:|--:|--:|--:|")
        for n in links:
            again = in_process("rigid", n)
            ours = min(rigid[n]["long"], again["long"])
            print(f"| {n} | pliant | RK4 | {ours:.1f} | 1 | {short(again['error'], '.1e')} | {short(again['memory'], '.0f')} |")
            for r in others:
                if r["problem"] == f"2 chain n={n}" and r["method"] == PEERS[r["peer"]] and r["h"] == STEP and not r["failed"]:
                    print(f"| {n} | {r['peer']} | {r['method']} | {r['us_per_step']:.1f} | {r['us_per_step'] / ours:.1f} "
                          f"| {short(r['acc'], '.1e')} | {short(r['rss'], '.0f')} |", flush=True)
        for r in others:
            if r.get("skipped"):
                print(f"\n{r['peer']}: not run, {r['note']}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--row"]:
        print("ROW " + json.dumps(measure(sys.argv[2], int(sys.argv[3]))))
    else:
        numbers = [int(a) for a in sys.argv[1:] if a != "--peers"]
        main(numbers or [10, 100, *([300] if "--peers" in sys.argv else []), 1000], "--peers" in sys.argv)
