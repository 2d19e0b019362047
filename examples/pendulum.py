"""Simple pendulum (IFToMM benchmark A01): a point mass of 1 kg on a massless rod of 1 m falls from rest at (-1, 0) for 10 s.

Known answer: with w^2 = g / l and amplitude 90 degrees the angle psi from the downward vertical is an elliptic function,
sin(psi / 2) = k sn(K - w t, k), k^2 = 1/2; at 10 s the mass is at (-0.2750874625761169, -0.9614192050991251). The benchmark
(Gonzalez et al. 2006) asks for 1e-3 m, sampled every 0.1 s, and an energy drift below 5e-5 J.
"""
import numpy as np
from scipy.special import ellipj, ellipk

import pliant as pl

DURATION, OUTPUT_STEP = 10.0, 0.1
TOLERANCE = {"position [m]": 1e-3, "energy drift [J]": 5e-5}


def model() -> pl.Model:
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    bob = m.add(pl.RigidBody.point_mass("bob", mass=1.0, position=(-1, 0, 0)))
    m.add(pl.Revolute("pivot", m.ground, bob.frame((1, 0, 0)), axis="z"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=OUTPUT_STEP)


def exact(t: np.ndarray) -> np.ndarray:
    """Position of the mass [m], shape (n, 3)."""
    sn = ellipj(ellipk(0.5) - np.sqrt(9.81) * t, 0.5)[0]
    psi = -2 * np.arcsin(np.sqrt(0.5) * sn)
    return np.stack([np.sin(psi), -np.cos(psi), np.zeros_like(t)], axis=1)


def errors(sol: pl.Solution) -> dict[str, float]:
    return {"position [m]": float(abs(sol["bob.position"] - exact(sol.t)).max()), "energy drift [J]": sol.energy.drift}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("bob.position.x", "bob.position.y", "pivot.force", path="pendulum.png")
    sol.animate("pendulum.gif")
