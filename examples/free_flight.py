"""Free flight: a bent rod is thrown, turning and vibrating; nothing acts on it.

Known answer: its centre of mass goes straight on at a constant speed, and its energy stays, though rotation and vibration exchange some.
"""
import numpy as np

import pliant as pl

DURATION = 2.0
LINE = [(0, 0, 0), (0.9, 0, 0), (1.3, 0.8, 0.3)]
TOLERANCE = {"centre of mass [m]": 1e-8, "energy drift [relative]": 1e-6}


def model() -> pl.Model:
    mesh = pl.flex.mesh_beam(LINE, pl.Section.rectangle(0.010, 0.006), pl.Material(7e10, 0.33, 2700), elements=10)
    part = pl.flex.reduce(mesh, modes=3)  # free modes in mean axes: deforming moves no centre of mass
    m = pl.Model("free flight")
    m.add(pl.ModalBody("body", part, velocity=(0.3, -0.2, 0.1), angular_velocity=(3.0, -2.5, 3.2), modal=(0.02, -0.01, 0.005)))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-7, output_step=0.01)


def errors(sol: pl.Solution) -> dict[str, float]:
    i = sol.model["body"].reduced.integrals
    axes = np.array([pl.items.base.matrix_of(q) for q in sol["body.rotation"]])
    centre = sol["body.position"] + axes @ (i.c0 / i.m)
    straight = centre[0] + sol.t[:, None] * (centre[-1] - centre[0]) / sol.t[-1]
    return {"centre of mass [m]": float(abs(centre - straight).max()),
            "energy drift [relative]": float(sol.energy.drift / sol.energy.balance[0])}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.animate("free_flight.gif")
