"""Solid cantilevers against CalculiX (Debian package calculix-ccx, program ccx) on the same meshes: frequencies, largest difference 0.1 %.

    python benchmarks/calculix.py

Per element kind: the lowest ten frequencies of the full mesh, and of the reduced part held at its root, against CalculiX. hex8 has the
stiffness of C3D8I but not its mass, so that higher frequencies differ by their discretisation error: 0.5 % is allowed there. Nothing is
compared where ccx is not installed.
"""
from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import eigsh

import pliant as pl
from pliant.flex.fe import FE

SIZE = (1.0, 0.12, 0.1)
CASES = {"hex8": ("C3D8I", (60, 7, 6), 5e-3), "hex20": ("C3D20", (40, 4, 4), 1e-3), "tet10": ("C3D10", (24, 4, 4), 1e-3)}
MODES = 10
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
BRICK_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]


def ordered(fe: FE, element: str) -> np.ndarray:
    """Nodes of every element in CalculiX's order, found by their places."""
    body = fe.stress
    places = {tuple(np.round(x, 9)): k for k, x in enumerate(fe.nodes)}
    rows = []
    for nodes in body.dofs:  # type: ignore[union-attr]
        if element == "tet10":
            corners = fe.nodes[nodes[:4]]
            if np.linalg.det(corners[1:] - corners[0]) < 0:
                corners = corners[[0, 2, 1, 3]]
            edges = TET_EDGES
        else:
            low, high = fe.nodes[nodes].min(axis=0), fe.nodes[nodes].max(axis=0)
            corners = np.array([np.where(c, high, low) for c in CORNERS])
            edges = BRICK_EDGES if element == "hex20" else []
        x = [*corners, *((corners[a] + corners[b]) / 2 for a, b in edges)]
        rows.append([places[tuple(np.round(p, 9))] for p in x])
    return np.array(rows)


def by_calculix(fe: FE, element: str, kind: str, held: np.ndarray) -> np.ndarray:
    """Frequencies [Hz]."""
    m = pl.STEEL
    lines = ["*NODE, NSET=ALL", *(f"{k + 1}, {x[0]:.12g}, {x[1]:.12g}, {x[2]:.12g}" for k, x in enumerate(fe.nodes)),
             f"*ELEMENT, TYPE={kind}, ELSET=BODY"]
    for k, nodes in enumerate(ordered(fe, element)):
        words = [str(k + 1), *(str(n + 1) for n in nodes)]
        lines += [", ".join(words[:11]) + ("," if len(words) > 11 else ""), *([", ".join(words[11:])] if len(words) > 11 else [])]
    lines += ["*BOUNDARY", *(f"{n + 1}, 1, 3" for n in held), "*MATERIAL, NAME=M", "*ELASTIC", f"{m.E}, {m.nu}", "*DENSITY", f"{m.rho}",
              "*SOLID SECTION, ELSET=BODY, MATERIAL=M", "*STEP", "*FREQUENCY", f"{MODES}", "*END STEP"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "part.inp").write_text("\n".join(lines) + "\n")
        done = subprocess.run(["ccx", "part"], cwd=folder, capture_output=True, text=True, check=False)
        text = (Path(folder) / "part.dat").read_text() if (Path(folder) / "part.dat").exists() else ""
        found = re.findall(r"^\s+\d+\s+\S+\s+(\S+)\s+(\S+)\s+\S+\s*$", text, re.MULTILINE)
        if len(found) < MODES:
            raise RuntimeError(f"CalculiX gave no frequencies: {done.stdout[-500:]}")
    return np.array([float(f[1]) for f in found[:MODES]])


def main() -> int:
    if shutil.which("ccx") is None:
        print("CalculiX is not installed (apt-get install calculix-ccx): nothing compared")
        return 0
    failed = 0
    for element, (kind, divisions, tolerance) in CASES.items():
        fe = pl.flex.mesh_box(SIZE, divisions, pl.STEEL, element)
        held = np.flatnonzero(abs(fe.nodes[:, 0]) < 1e-9)
        free = np.setdiff1d(np.arange(fe.K.shape[0]), (3 * held[:, None] + np.arange(3)).ravel())
        K, M = (a[free][:, free].tocsc() for a in (fe.K, fe.M))
        full = np.sqrt(np.sort(eigsh(K, MODES, M, sigma=0.0, return_eigenvectors=False))) / (2 * np.pi)
        part = pl.flex.reduce(fe, {"root": {"plane": "x = 0"}}, modes=MODES + 4, stiffening=False).frequencies[:MODES]
        due = by_calculix(fe, element, kind, held)
        errors = [float(abs(f / due - 1).max()) for f in (full, part)]
        failed += max(errors) > tolerance
        print(f"{element:6s} {fe.K.shape[0]:6d} unknowns, first {due[0]:.5f} Hz: largest difference of {MODES} frequencies "
              f"{100 * errors[0]:.5f} % full mesh, {100 * errors[1]:.5f} % reduced, {100 * tolerance:g} % allowed")
    print(f"{failed} of {len(CASES)} FAILED" if failed else "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
