"""Parallelogram with a flexible coupler: both cranks turn at 60 rad/s, the coupler moves on a circle without turning and bends.

Known answer: every point of the coupler has the acceleration r w^2, so it is a beam between pins under a harmonic load: at the middle
it swings by sum_k 4 / (pi k) sin(k pi / 2) r w^2 / (w_k^2 - w^2), k odd, w_k its frequencies, once the start has died away.
"""
import numpy as np

import pliant as pl

DURATION, R, L, RATE, SIDE = 2.0, 0.05, 0.8, 60.0, 0.008
STEEL = pl.Material(2.1e11, 0.3, 7850)
TOLERANCE = {"deflection [relative]": 0.01, "coupler end [m]": 1e-5}


def model() -> pl.Model:
    line = [(0, R, 0), (L, R, 0)]
    mesh = pl.flex.mesh_beam([(0, 0, 0), (L, 0, 0)], pl.Section.rectangle(SIDE, SIDE), STEEL, elements=20)
    part = pl.flex.reduce(mesh, interfaces={"left": (0, 0, 0), "right": (L, 0, 0)}, modes=4, frames={"middle": (L / 2, 0, 0)})
    m = pl.Model("parallelogram with a flexible coupler")
    for name, x in (("left", 0.0), ("right", L)):
        m.add(pl.RigidBody.rod(name, start=(x, 0, 0), end=(x, R, 0), mass=0.2))
    m.add(pl.ModalBody("coupler", part, position=line[0], damping=0.05))
    m.add(pl.Revolute("A", m.ground, "left.start"))
    m.add(pl.Revolute("B", "left.end", "coupler.left"))
    m.add(pl.Revolute("C", "coupler.right", "right.end"))
    m.add(pl.Revolute("D", m.ground.frame((L, 0, 0)), "right.start"))
    m.add(pl.Drive("A", "angle", f"{RATE} * t", name="motor"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, step=2e-4, output_step=2e-3)


def errors(sol: pl.Solution) -> dict[str, float]:
    late, a = sol.t > 1.5, RATE * sol.t
    ends = (sol["coupler.left.position"] + sol["coupler.right.position"]) / 2
    found = (sol["coupler.middle.position"] - ends)[late, 1]
    first = (np.pi / L) ** 2 * np.sqrt(STEEL.E * SIDE**2 / 12 / STEEL.rho)
    k = np.arange(1, 20, 2)
    size = np.sum(4 / (np.pi * k) * np.sin(k * np.pi / 2) * R * RATE**2 / ((first * k**2) ** 2 - RATE**2))
    swing = np.linalg.lstsq(np.stack([np.cos(a), np.sin(a)], 1)[late], found, rcond=None)[0]
    left = np.stack([-R * np.sin(a), R * np.cos(a), 0 * a], 1)
    return {"deflection [relative]": float(abs(np.linalg.norm(swing) / size - 1)),
            "coupler end [m]": float(abs(sol["coupler.left.position"] - left).max())}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.animate("flexible_four_bar.gif")
