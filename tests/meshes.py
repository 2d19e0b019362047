"""Small meshes of every kind of solid element, as `Mesh`, and their text in the formats of FE programs: sample files are made by this."""
from __future__ import annotations

from collections import Counter

import numpy as np

from pliant.flex.readers.build import fe_of_mesh
from pliant.flex.readers.mesh import CORNERS, EDGES, Block, Mesh

KINDS = ("tet4", "tet10", "hex8", "hex20", "wedge6", "wedge15")
SPLIT = {6: [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)], 8: [(0, 1, 2, 3, 4, 5, 6, 7)]}
TETS = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]  # along one diagonal: neighbours fit
SIZE = (0.2, 0.04, 0.02)


def box(kind="hex20", divisions=(2, 1, 1), size=SIZE, bend=0.0, seed=5):
    """A box with groups left and right (x = 0, x = largest); nodes not on its surface, or with ``bend`` mid-side nodes, are moved."""
    counts = np.array(divisions)
    grid = {}
    x = []

    def node(place):
        key = tuple(np.round(place, 9))
        if key not in grid:
            grid[key] = len(x)
            x.append(np.array(place, float))
        return grid[key]

    h = np.array(size) / counts
    corners = CORNERS[kind]
    cells = TETS if corners == 4 else SPLIT[corners]
    rows = []
    for i in np.ndindex(*counts):
        eight = [(np.array(i) + c) * h for c in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))]
        for cell in cells:
            p = [eight[k] for k in cell]
            mids = [(p[a] + p[b]) / 2 for a, b in EDGES[corners]] if kind not in ("tet4", "hex8", "wedge6") else []
            rows.append([node(y) for y in (*p, *mids)])
    x, rows = np.array(x), np.array(rows)
    left, right = np.flatnonzero(x[:, 0] < 1e-9), np.flatnonzero(x[:, 0] > size[0] - 1e-9)
    if bend:
        move = np.random.default_rng(seed).normal(scale=bend * h.min() / 4, size=x.shape)
        surface = (x < 1e-9).any(axis=1) | (x > np.array(size) - 1e-9).any(axis=1)
        x = x + np.where(surface[:, None], 0, move)
        x[:, 1] += bend * x[:, 0] ** 2   # straight edges along x become curved
    return Mesh("made", "made", np.arange(1, len(x) + 1), x, [Block(kind, "STEEL", np.arange(1, len(rows) + 1), rows)],
                {"left": left, "right": right}, {"STEEL": (210e9, 0.3, 7850.0)}, Counter(), [])


def fe_of(mesh, material=None):
    return fe_of_mesh(mesh, material, "m, kg, s", "consistent", False)
