"""A solid of 100 000 unknowns reduced to 30 coordinates, with stiffening and report: its time against one factorisation of the stiffness
matrix (splu, MMD_AT_PLUS_A, symmetric mode). Passed: at most five times as long.

    python benchmarks/flex_reduction.py [DIVISIONS ACROSS, default 9]

Takes some minutes and 6 GB.
"""
from __future__ import annotations

import sys
import time

import numpy as np
from scipy.sparse.linalg import splu

import pliant as pl

FACTOR = 5.0


def main(across: int = 9) -> int:
    fe = pl.flex.mesh_box((1.0, 0.1, 0.1), (10 * across, across, across), pl.STEEL, "hex20")
    free = np.repeat(abs(fe.nodes[:, 0]) > 1e-9, 3)  # held at one face
    K = fe.K[free][:, free].tocsc()
    start = time.process_time()
    splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    one = time.process_time() - start
    print(f"{fe.K.shape[0]} unknowns: one factorisation {one:.1f} s (processor time)", flush=True)
    start = time.process_time()
    part = pl.flex.reduce(fe, {"a": {"plane": "x = 0"}, "b": {"plane": "x = 1"}}, modes=24)
    whole = time.process_time() - start
    print(f"reduced to {part.n} coordinates in {whole:.1f} s: {whole / one:.2f} times as long, {part.facts['solves']} solutions for shapes")
    print("passed" if whole < FACTOR * one else f"FAILED: more than {FACTOR:g} times")
    return 0 if whole < FACTOR * one else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
