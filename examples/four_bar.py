"""Four-bar linkage (IFToMM benchmark A02 with one window): a square of three uniform links of 1 m and 1 kg on the ground turns
over under gravity for 10 s, and passes through the flat position where it could fold either way.

Known answer (Bayo, Avello 1994; the linkage stays a parallelogram, so that th'' = c sin th, c = 6/5 g, th(0) = 0, th'(0) = 1
from the upward vertical): the tip of the left link is at (0.4783850577609706, 0.8781501787912093) at 10 s and at
(-0.9449081860429539, -0.3273354853189835) at 5 s; energy is kept, the benchmark asks for 0.1 J.
"""
import numpy as np

import pliant as pl

DURATION = 10.0
TOLERANCE = {"tip at 5 s [m]": 1e-3, "tip at 10 s [m]": 1e-3, "energy drift [J]": 0.1}


def model() -> pl.Model:
    m = pl.Model("four-bar", gravity=(0, -9.81, 0))
    left = m.add(pl.RigidBody.rod("left", start=(0, 0, 0), end=(0, 1, 0), mass=1.0, velocity_at_end=(1, 0, 0)))
    top = m.add(pl.RigidBody.rod("top", start=(0, 1, 0), end=(1, 1, 0), mass=1.0))
    right = m.add(pl.RigidBody.rod("right", start=(1, 0, 0), end=(1, 1, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, left["start"], axis="z"))
    m.add(pl.Revolute("B", left["end"], top["start"], axis="z"))
    m.add(pl.Revolute("C", top["end"], right["end"], axis="z"))
    m.add(pl.Revolute("D", m.ground.frame((1, 0, 0)), right["start"], axis="z"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def errors(sol: pl.Solution) -> dict[str, float]:
    tip = sol["left.end.position"]
    five, ten = np.searchsorted(sol.t, 5.0 - 1e-9), -1
    return {"tip at 5 s [m]": float(np.linalg.norm(tip[five] - (-0.9449081860429539, -0.3273354853189835, 0))),
            "tip at 10 s [m]": float(np.linalg.norm(tip[ten] - (0.4783850577609706, 0.8781501787912093, 0))),
            "energy drift [J]": sol.energy.drift}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("left.end.position.x", "left.end.position.y", "A.force", path="four_bar.png")
    sol.animate("four_bar.gif")
