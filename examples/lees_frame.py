"""Lee's frame: a column and a beam, hinged at their far ends and rigidly joined at the corner, under a load near it. The frame snaps
through: on the path of its equilibria the load and the displacement below it turn back.

Known answer: limit loads of 18556.73 and -9414.43 N, and the place of the load there (Lee, Manuel and Rossow 1968; digits by shooting).
"""
import numpy as np

import pliant as pl

L, E, AREA, INERTIA, LOAD = 120.0, 7.2e6, 6.0, 2.0, 10e3
LIMITS = {18556.7275: (26.8806, 48.7351), -9414.4316: (90.1957, 58.2168)}  # load: to the right, down
TOLERANCE = {"limit loads [relative]": 1e-3, "displacements there [sizes]": 1e-3}


def model() -> pl.Model:
    m = pl.Model("Lee's frame", planar="z")
    section, material = pl.Section.general(AREA, INERTIA, INERTIA, 2 * INERTIA), pl.Material(E, 0.0, 1000.0)
    for name, start, end in (("column", (0, 0, 0), (0, L, 0)), ("beam", (0, L, 0), (L, L, 0))):
        m.add(pl.Beam(name, start, end, section, material, elements=10, shear=False))
    m.add(pl.Revolute("foot", m.ground, "column.start", axis="z"))
    m.add(pl.Fixed("corner", "column.end", "beam.start"))
    m.add(pl.Revolute("wall", m.ground.frame((L, L, 0)), "beam.end", axis="z"))
    m.add(pl.Force("load", "beam.node_2", (0, -LOAD, 0)))
    return m


def run() -> pl.Solution:
    """The places of the path, one a second."""
    return model().path("load", until=2.0, progress=False).motion()


def errors(sol: pl.Solution) -> dict[str, float]:
    path = model().path("load", until=2.0, progress=False)
    turns = [c for c in path.critical if c.kind == "limit point"]
    moved = np.abs(sol["beam.node_2.position"] - sol["beam.node_2.position"][0])[[c.index for c in turns], :2]
    return {"limit loads [relative]": max(abs(c.factor * LOAD / P - 1) for c, P in zip(turns, LIMITS, strict=True)),
            "displacements there [sizes]": float(abs(moved - list(LIMITS.values())).max()) / L}


if __name__ == "__main__":
    path = model().path("load", until=2.0)
    print(path)
    path.plot("beam.node_2.position.y", "lees_frame.png")
