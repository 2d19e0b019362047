"""Fuzzy controller: nine rules on the error and the speed of a trolley bring it to where it should be.

Each rule says "if the error is low / zero / high and the speed is back / none / forth, then push so much". Known answer: memberships are
triangles whose sum is 1 and "and" is the product, so that the force is the bilinear interpolation of the table of rules; the trolley
comes to rest at 0.5 m.
"""
import numpy as np
from scipy.interpolate import RegularGridInterpolator

import pliant as pl

DURATION, GOAL, WIDTH, SPEED = 8.0, 0.5, 0.4, 1.0
SETS = ("low", "zero", "high"), ("back", "none", "forth")
RULES = {("low", "back"): 0, ("low", "none"): -20, ("low", "forth"): -30, ("zero", "back"): 15, ("zero", "none"): 0, ("zero", "forth"): -15,
         ("high", "back"): 30, ("high", "none"): 20, ("high", "forth"): 0}  # N
TOLERANCE = {"place at the end [m]": 1e-3, "speed at the end [m/s]": 1e-3, "force against its table [N]": 1e-9}


def model() -> pl.Model:
    m = pl.Model("fuzzy controller")
    m.add(pl.RigidBody("trolley", mass=2.0, inertia=(0.1, 0.1, 0.1)))
    m.add(pl.Prismatic("rail", m.ground, "trolley", axis="x"))
    m.add(pl.JointForce("friction", "rail", "-3*rail.displacement_rate"))
    m.add(pl.Variable("error", f"({GOAL} - rail.displacement)/{WIDTH}"))
    m.add(pl.Variable("speed", f"rail.displacement_rate/{SPEED}"))
    for names, x in zip(SETS, ("error", "speed"), strict=True):
        m.add(pl.Variable(names[0], f"min(max(-{x}, 0), 1)"))
        m.add(pl.Variable(names[1], f"max(1 - abs({x}), 0)"))
        m.add(pl.Variable(names[2], f"min(max({x}, 0), 1)"))
    m.add(pl.JointForce("motor", "rail", " + ".join(f"{push}*{a}*{b}" for (a, b), push in RULES.items())))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.02)


def errors(sol: pl.Solution) -> dict[str, float]:
    table = np.array([[RULES[a, b] for b in SETS[1]] for a in SETS[0]], float)
    points = np.clip(np.stack([sol["error"], sol["speed"]], 1), -1, 1)
    exact = RegularGridInterpolator(((-1, 0, 1), (-1, 0, 1)), table)(points)
    return {"place at the end [m]": float(abs(sol["rail.displacement"][-1] - GOAL)),
            "speed at the end [m/s]": float(abs(sol["rail.displacement_rate"][-1])),
            "force against its table [N]": float(abs(sol["motor.force"] - exact).max())}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("rail.displacement", "motor.force", path="fuzzy_controller.png")
