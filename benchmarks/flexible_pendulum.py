"""A modal pendulum against Exudyn on the same mesh and with the same modes: tip path, and time per step for two meshes.

Usage:  PLIANT_PEERS_PYTHON=PYTHON taskset -c 0 python benchmarks/flexible_pendulum.py
Solid bar 1 x 0.05 x 0.05 m, E = 1e9 Pa, nu = 0.3, 2000 kg/m^3, bricks of 8 nodes; 14 modes, step 1 ms, 1 s, generalized-alpha with
rho 0.9, modified Newton, without stiffening (Exudyn has none). Times are CPU times of the time loop, best of 3, ours before and after the
peer's. For the paths Exudyn gets the weight of every node as a load: of its own gravity Exudyn 1.13 takes the moment on the undeformed
body, which alone makes 3.4e-4 m.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import pliant as pl
from pliant.start.assembly import start_row

MESHES = ((40, 4), (80, 6))  # bricks along and across: 3 075 and 11 907 unknowns
PEER = Path(__file__).parent / "peers" / "p5_ffrf_exudyn.py"


def mesh(nx: int, ny: int) -> tuple[np.ndarray, Any, Any]:
    """Nodes, K and M, node by node."""
    import skfem as fe
    from skfem.models.elasticity import lame_parameters, linear_elasticity
    across = np.linspace(-0.025, 0.025, ny + 1)
    m = fe.MeshHex.init_tensor(np.linspace(0, 1, nx + 1), across, across)
    basis = fe.Basis(m, fe.ElementVector(fe.ElementHex1()), intorder=3)
    mass = fe.BilinearForm(lambda u, v, w: 2000.0 * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2])).assemble(basis)
    K, order = linear_elasticity(*lame_parameters(1e9, 0.3)).assemble(basis), basis.nodal_dofs.T.ravel()
    return m.p.T.copy(), K[order][:, order].tocsr(), mass[order][:, order].tocsr()


def part(nodes: np.ndarray, K: Any, M: Any) -> pl.flex.Reduced:
    faces = {"left": {"plane": "x = 0"}, "right": {"plane": "x = 1"}}
    return pl.flex.reduce(pl.flex.from_matrices(nodes, K, M), interfaces=faces, modes=8)


def model(reduced: pl.flex.Reduced) -> pl.Model:
    m = pl.Model("modal pendulum", gravity=(0, -9.81, 0))
    m.add(pl.ModalBody("bar", reduced, stiffening="off"))
    m.add(pl.Revolute("hinge", m.ground, "bar.left", axis="z"))
    return m


def timed(m: pl.Model) -> float:
    """Microseconds per step."""
    from pliant.methods.integrators.base import Plan
    best = np.inf
    for _ in range(4):  # the first one loads kernels
        d = m.compile()
        plan = Plan.fixed(d, pl.Index3(), start_row(d), 1e-3, 10_000, 10_000)
        run = pl.GeneralizedAlpha(0.9).run(plan)
        clock = time.process_time()
        for _ in run:
            pass
        best = min(best, (time.process_time() - clock) / 10_000)
    return 1e6 * best


def peer(nodes: np.ndarray, K: Any, M: Any, path: bool) -> tuple[dict[str, Any], np.ndarray | None]:
    python = os.environ.get("PLIANT_PEERS_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "mesh.npz", Path(folder) / "path.npy"
        arrays = {f"{name}_{part}": getattr(X, part) for name, X in (("K", K), ("M", M)) for part in ("data", "indices", "indptr")}
        np.savez(file, nodes=nodes, **arrays)
        done = subprocess.run([python, str(PEER), str(file), *([str(out)] if path else [])], capture_output=True, text=True, check=True,
                              cwd=PEER.parent)
        row = next(json.loads(line[4:]) for line in done.stdout.splitlines() if line.startswith("ROW "))
        return row, np.load(out) if path else None


if __name__ == "__main__":
    print("| unknowns | ours [us/step] | Exudyn [us/step] | ratio |\n|--:|--:|--:|--:|")
    for k, (nx, ny) in enumerate(MESHES):
        data = mesh(nx, ny)
        m = model(part(*data))
        before = timed(m)
        row, path = peer(*data, path=k == 0)
        ours = (before + timed(m)) / 2
        print(f"| {3 * len(data[0])} | {ours:.1f} | {row['us_per_step']:.1f} | {row['us_per_step'] / ours:.1f} |", flush=True)
        if path is not None:
            sol = m.simulate(1.0, step=1e-4, output_step=0.01, integrator=pl.GeneralizedAlpha(0.9), progress=False)
            difference = max(np.linalg.norm(sol["bar.right.position"][np.argmin(abs(sol.t - t))] - x) for t, *x in path)
    print(f"\ntip paths of the first mesh differ by {difference:.2g} m at most")
