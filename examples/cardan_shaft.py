"""Cardan shaft: two shafts at an angle of 30 degrees, joined by a universal joint; the first is driven at a constant rate.

Known answer: with the fork of the first shaft across the plane of the shafts at the start, the angles a (in) and b (out) are
related by tan b = tan a cos(bend); the output turns unevenly, with the rate a' cos(bend) / (1 - sin^2 a sin^2 bend), between
a' cos(bend) and a' / cos(bend). The drive torque is the output's inertia times its acceleration, times the ratio of the rates
(power balance).
"""
import numpy as np

import pliant as pl

BEND, RATE = np.radians(30), 10.0                       # rad, rad/s
DURATION = 2.0
TOLERANCE = {"angle [rad]": 1e-9, "rate [rad/s]": 1e-9, "torque [N m]": 1e-6}


def model() -> pl.Model:
    m = pl.Model("cardan shaft")
    out = np.array([np.cos(BEND), np.sin(BEND), 0])
    first = m.add(pl.RigidBody.cylinder("first", radius=0.02, length=0.5, axis="x", mass=4.0, position=(-0.25, 0, 0)))
    second = m.add(pl.RigidBody.cylinder("second", radius=0.02, length=0.5, axis=out, mass=4.0, position=0.25 * out))
    m.add(pl.Revolute("A", m.ground.frame((-0.5, 0, 0)), first["start"], axis="x"))
    m.add(pl.Revolute("B", m.ground.frame(0.5 * out), second["end"], axis=out))
    m.add(pl.Universal("cross", first["end"], second["start"], axis="z", axis_b=(-np.sin(BEND), np.cos(BEND), 0)))
    m.add(pl.Drive("A", "angle", f"{RATE} * t", name="motor"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def errors(sol: pl.Solution) -> dict[str, float]:
    a, c = RATE * sol.t, np.cos(BEND)
    turns = np.round(a / np.pi) * np.pi                 # b goes along with a from one half turn to the next
    b = turns + np.arctan(c * np.tan(a - turns))
    ratio = c / (np.cos(a)**2 + c**2 * np.sin(a)**2)    # db/da
    slope = c * (1 - c**2) * np.sin(2 * a) / (np.cos(a)**2 + c**2 * np.sin(a)**2)**2
    inertia = 4.0 * 0.02**2 / 2
    return {"angle [rad]": float(abs(sol["B.angle"] - b).max()),
            "rate [rad/s]": float(abs(sol["B.angle_rate"] - RATE * ratio).max()),
            "torque [N m]": float(abs(sol["motor.effort"] - inertia * RATE**2 * slope * ratio).max())}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("A.angle_rate", "B.angle_rate", "motor.effort", path="cardan_shaft.png")
    sol.animate("cardan_shaft.gif")
