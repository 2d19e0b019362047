"""Heavy top (Geradin, Cardona 2001; Bruls, Cardona, Arnold 2012): a disc of 15 kg on a stick of 1 m, its foot held at the
origin, spins at 150 rad/s about its axis, which starts horizontal; gravity -z, 2 s. A hard test for rotations.

Known answer (Euler's equations integrated to 1e-13): the centre of the disc is at (0.605550561377, 0.598957681795,
-0.52398302743) at 0.2 s and at (-0.150416822746, -0.724165591637, -0.67302226956) at 2 s.
"""
import numpy as np

import pliant as pl

DURATION = 2.0
TOLERANCE = {"centre at 0.2 s [m]": 1e-3, "centre at 2 s [m]": 1e-3, "energy drift [relative]": 1e-6}


def model() -> pl.Model:
    m = pl.Model("heavy top", gravity=(0, 0, -9.81))
    top = m.add(pl.RigidBody("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), com=(0, 1, 0),
                             angular_velocity=(0, 150, -4.61538), frames={"center": (0, 1, 0)},
                             shape={"kind": "cylinder", "points": [(0, 0.95, 0), (0, 1.05, 0)], "radius": 0.25}))
    m.add(pl.Spherical("tip", m.ground, top))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.01)


def errors(sol: pl.Solution) -> dict[str, float]:
    center, E = sol["top.center.position"], sol.energy
    return {"centre at 0.2 s [m]": float(np.linalg.norm(center[20] - (0.605550561377, 0.598957681795, -0.52398302743))),
            "centre at 2 s [m]": float(np.linalg.norm(center[-1] - (-0.150416822746, -0.724165591637, -0.67302226956))),
            "energy drift [relative]": float(E.drift / E.kinetic[0])}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("top.center.position.x", "top.center.position.y", "top.center.position.z", path="heavy_top.png")
    sol.animate("heavy_top.gif")
