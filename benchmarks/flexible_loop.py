"""A closed loop with a flexible coupler against Exudyn's floating frame, same mesh and same modes, in the plane and in space.

Usage:  PLIANT_PEERS_PYTHON=PYTHON python benchmarks/flexible_loop.py
The solid bar of flexible_pendulum.py (1 x 0.05 x 0.05 m, E = 1e9 Pa, 3 075 unknowns, 14 modes, no stiffening, as Exudyn has none) between
two rigid cranks of 1 kg on revolute joints, with balls at its ends; released under gravity, 1 s. Ours: DOP853 at 1e-9 in joint coordinates,
and generalized-alpha with the same step as Exudyn's. What the deformation does is the difference to a bar 10 000 times as stiff.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from flexible_pendulum import mesh

import pliant as pl

PEER = Path(__file__).parent / "peers" / "p7_flexible_loop_exudyn.py"
MODES, MASS, INERTIA, STEP = 8, 1.0, 0.01, 1e-4
MIDDLE = {"middle": {"plane": "x = 0.5", "coupling": "average"}}  # the mean of the nodes there
AGREE = 2e-5  # m: in paths of a metre, in 1 s
LOOPS = {"plane": ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), "spatial": ((0.2, 0.1, 1.0), (-0.1, 0.3, 1.0))}
CRANKS = {"left": ((-0.2, -0.25, 0.0), (0.0, 0.0, 0.0)), "right": ((1.1, -0.5, 0.0), (1.0, 0.0, 0.0))}


def part(nodes: np.ndarray, K: Any, M: Any) -> pl.flex.Reduced:
    faces = {"left": {"plane": "x = 0"}, "right": {"plane": "x = 1"}}
    return pl.flex.reduce(pl.flex.from_matrices(nodes, K, M), interfaces=faces, modes=MODES, frames=MIDDLE)


def model(reduced: pl.flex.Reduced, loop: str) -> pl.Model:
    m = pl.Model(f"{loop} four-bar with a flexible coupler", gravity=(0, -9.81, 0))
    m.add(pl.ModalBody("bar", reduced, stiffening="off"))
    for (name, (pin, end)), axis in zip(CRANKS.items(), LOOPS[loop], strict=True):
        center = (np.array(pin) + end) / 2
        m.add(pl.RigidBody(f"crank_{name}", mass=MASS, inertia=(INERTIA,) * 3, position=center,
                           frames={"pin": pin - center, "end": end - center}))
        m.add(pl.Revolute(f"pin_{name}", m.ground.frame(pin), f"crank_{name}.pin", axis=axis))
        m.add(pl.Spherical(f"ball_{name}", f"crank_{name}.end", f"bar.{name}"))
    return m


def paths(sol: pl.Solution) -> np.ndarray:
    """Of the middle and the right end of the bar."""
    return np.hstack([sol["bar.middle.position"], sol["bar.right.position"]])


def peer(nodes: np.ndarray, K: Any, M: Any, loop: str) -> np.ndarray:
    python = os.environ.get("PLIANT_PEERS_PYTHON", sys.executable)
    data = {"modes": MODES, "mass": MASS, "inertia": INERTIA, "step": STEP} | {
        name: {"pin": pin, "end": end, "axis": axis} for (name, (pin, end)), axis in zip(CRANKS.items(), LOOPS[loop], strict=True)}
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("mesh.npz", "data.json", "paths.npy")]
        arrays = {f"{name}_{part}": getattr(X, part) for name, X in (("K", K), ("M", M)) for part in ("data", "indices", "indptr")}
        np.savez(files[0], nodes=nodes, **arrays)
        files[1].write_text(json.dumps(data))
        done = subprocess.run([python, str(PEER), *map(str, files)], capture_output=True, text=True, cwd=PEER.parent)
        if done.returncode:
            sys.exit(f"the peer failed: {done.stdout[-500:]} {done.stderr[-500:]}")
        return np.load(files[2])


def main() -> int:
    nodes, K, M = mesh(40, 4)
    soft, hard = part(nodes, K, M), part(nodes, 1e4 * K, M)
    worst = 0.0
    print("| loop | ours, two methods | ours and Exudyn | what the deformation does |\n|---|--:|--:|--:|")
    for loop in LOOPS:
        options: dict[str, Any] = {"output_step": 0.01, "progress": False}
        a = paths(model(soft, loop).simulate(1.0, accuracy=1e-9, integrator=pl.DOP853(), coordinates="joint", **options))
        b = paths(model(soft, loop).simulate(1.0, step=STEP, integrator=pl.GeneralizedAlpha(0.9), **options))
        stiff = paths(model(hard, loop).simulate(1.0, step=STEP, integrator=pl.GeneralizedAlpha(0.9), **options))
        theirs = peer(nodes, K, M, loop)
        t = np.linspace(0, 1, len(a))
        at = [int(np.argmin(abs(t - x))) for x in theirs[:, 0]]
        between = float(abs(b[at] - theirs[:, 1:]).max())
        worst = max(worst, between)
        print(f"| {loop} | {abs(a - b).max():.2g} m | {between:.2g} m | {abs(b - stiff).max():.2g} m |", flush=True)
    return 0 if worst <= AGREE else 1


if __name__ == "__main__":
    sys.exit(main())
