"""Geneva drive of four slots: one step of the wheel, from where the pin of the crank enters a slot to where it leaves it.

Known answer: with centres 100 mm apart and a crank of 100 mm / sqrt(2), a crank angle a from the line of the centres gives the wheel
angle tan b = q sin a / (1 - q cos a), q = 1 / sqrt(2). The wheel starts and ends at rest, as the pin comes along the slot, and turns
2.41421 times as fast as the crank in the middle.
"""
import numpy as np

import pliant as pl

CENTRES, Q = 0.1, 1 / np.sqrt(2)
SPEED = 2.0
DURATION = np.pi / 2 / SPEED
TOLERANCE = {"angle of the wheel [rad]": 1e-9, "ratio of speeds": 1e-9, "torque of the crank [N*m]": 1e-6}
INERTIA = 1e-3


def model() -> pl.Model:
    m = pl.Model("geneva drive")
    start = CENTRES * Q * np.array([np.cos(np.pi / 4), -np.sin(np.pi / 4), 0])
    slot = start - (CENTRES, 0, 0)
    m.add(pl.RigidBody("crank", 0.2, (1e-4, 1e-4, 1e-4), position=(0, 0, 0), frames={"pin": tuple(start)}))
    m.add(pl.RigidBody("wheel", 0.5, (INERTIA, INERTIA, INERTIA), position=(CENTRES, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "crank", axis="z"))
    m.add(pl.Revolute("B", m.ground.frame((CENTRES, 0, 0)), "wheel", axis="z"))
    m.add(pl.PointOnCurve("slot", "wheel", "crank.pin", pl.Curve(line=(tuple(0.2 * slot), tuple(1.05 * slot)))))
    m.add(pl.Drive("A", "angle", f"{SPEED}*t", name="motor"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-10, output_step=DURATION / 90)


def exact(t: np.ndarray) -> np.ndarray:
    """Angle, speed and acceleration of the wheel."""
    a = SPEED * t - np.pi / 4
    below = 1 - 2 * Q * np.cos(a) + Q**2
    b = np.arctan2(Q * np.sin(a), 1 - Q * np.cos(a))
    b1 = SPEED * Q * (np.cos(a) - Q) / below
    b2 = SPEED**2 * Q * (Q**2 - 1) * np.sin(a) / below**2
    return np.array([b, b1, b2])


def errors(sol: pl.Solution) -> dict[str, float]:
    b, b1, b2 = exact(sol.t)
    found = -sol["B.angle"] - np.pi / 4 - b, (-sol["B.angle_rate"] - b1) / SPEED, sol["motor.effort"] - INERTIA * b2 * b1 / SPEED
    return {name: float(abs(error).max()) for name, error in zip(TOLERANCE, found, strict=True)}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
