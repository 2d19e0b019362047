"""Deep arch: 215 degrees of a circle, clamped at one foot and hinged at the other, under a load at its crown. It leans to the hinged side
and falls over.

Known answer: a limit load of 897.295 N, EI = 1e6 N m^2, radius 100 m (DaDeppo and Schmidt 1975: 8.97 EI/R^2; digits by shooting).
"""
import numpy as np

import pliant as pl

R, EI, EA, ANGLE, LIMIT, CROWN = 100.0, 1e6, 1e8, np.radians(215.0), 897.2949, (61.1417, 113.7308)  # to the right and down
TOLERANCE = {"limit load [relative]": 1e-3, "displacement there [radii]": 1e-3}


def model() -> pl.Model:
    m = pl.Model("deep arch", planar="z")
    around = np.linspace(-ANGLE / 2, ANGLE / 2, 201)
    points = np.column_stack([R * np.sin(around), R * np.cos(around), 0 * around])
    section, material = pl.Section.general(EA / EI, 1.0, 1.0, 2.0), pl.Material(EI, 0.0, 1000.0)
    m.add(pl.Beam("arch", points=points, profile=section, material=material, elements=24, shear=False, up="z"))
    m.add(pl.Fixed("clamp", m.ground.frame(points[0]), "arch.start"))
    m.add(pl.Revolute("hinge", m.ground.frame(points[-1]), "arch.end", axis="z"))
    m.add(pl.Force("load", "arch.node_12", (0, -1000.0, 0)))
    return m


def run() -> pl.Solution:
    """The places of the path, one a second."""
    return model().path("load", points=40, progress=False).motion()


def errors(sol: pl.Solution) -> dict[str, float]:
    path = model().path("load", points=40, progress=False)
    first = path.critical[0]
    crown = sol["arch.node_12.position"]
    return {"limit load [relative]": abs(first.factor * 1000 / LIMIT - 1),
            "displacement there [radii]": float(abs(abs(crown[first.index] - crown[0])[:2] - CROWN).max()) / R}


if __name__ == "__main__":
    path = model().path("load", points=40)
    print(path)
    path.plot("arch.node_12.position.y", "deep_arch.png")
