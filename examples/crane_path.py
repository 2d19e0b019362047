"""Crane: the forces on trolley and winch that carry a load along a path and leave it at rest (servo constraints on the load).

Known answer: the load gives all of the motion. Its rope is along (x'', z'' + g), with the tension T = m |(x'', z'' + g)|; the trolley on
its rail is at X = x - z x''/(z'' + g), and its force M X'' + m x''. In a run with these forces the load follows its path, though nothing
but the forces is prescribed.
"""
import numpy as np

import pliant as pl

TROLLEY, DRUM, LOAD, ROPE, G, TIME, DURATION = 4.5, 0.5, 2.0, 1.5, 9.81, 2.0, 2.0
X, Z = pl.Profile.polynomial(3.0, TIME, degree=9), pl.Profile.polynomial(0.5, TIME, degree=9)
TOLERANCE = {"tension [relative]": 1e-6, "trolley [m]": 1e-6, "force [relative, in the mean]": 1e-4, "load in a run [of the stroke]": 1e-4}


def crane() -> pl.Model:
    m = pl.Model("crane", gravity=(0, 0, -G))
    m.add(pl.RigidBody("trolley", mass=TROLLEY, inertia=(1, 1, 1)))
    m.add(pl.RigidBody.point_mass("drum", mass=DRUM))
    m.add(pl.RigidBody.point_mass("load", mass=LOAD, position=(0, 0, -ROPE)))
    m.add(pl.Prismatic("rail", m.ground, "trolley", axis="x"))
    m.add(pl.Revolute("swing", "trolley", "drum", axis="y"))
    m.add(pl.Prismatic("rope", "drum", m["load"].frame((0, 0, ROPE)), axis="-z"))
    return m


def inversion():
    return crane().inverse({"load.position.x": X, "load.position.z": Z}, ["rail.displacement", "rope.displacement"], TIME)


def model() -> pl.Model:
    return inversion().model()


def run() -> pl.Solution:
    return inversion().simulate(output_step=0.01)


def errors(sol: pl.Solution) -> dict[str, float]:
    found = inversion()
    t = found.t
    a, b, depth = X.evaluate(t, 2), Z.evaluate(t, 2) + G, Z.evaluate(t) - ROPE
    tension, place = LOAD * np.hypot(a, b), X.evaluate(t) - depth * a / b
    a1, a2, b1, b2 = X.evaluate(t, 3), X.evaluate(t, 4), Z.evaluate(t, 3), Z.evaluate(t, 4)
    r1, r2 = (a1 * b - a * b1) / b**2, a2 / b - (2 * a1 * b1 + a * b2) / b**2 + 2 * a * b1**2 / b**3
    force = (TROLLEY + DRUM) * (a - (b - G) * a / b - 2 * Z.evaluate(t, 1) * r1 - depth * r2) + LOAD * a
    return {"tension [relative]": float(abs(found.u[:, 1] + tension).max() / tension.max()),
            "trolley [m]": float(abs(found["trolley.position.x"] - place).max()),
            "force [relative, in the mean]": float(abs(found.u[:, 0] - force).mean() / abs(force).mean()),
            "load in a run [of the stroke]": found.error(sol)}


if __name__ == "__main__":
    print(inversion(), errors(run()))
