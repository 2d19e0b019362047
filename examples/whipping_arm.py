"""Very flexible robot arm: a strip of spring steel with a load at its tip is turned by a right angle in 0.5 s and left to swing.

Known answer: the work of the motor is the energy of the arm; its torque is the rate of the angular momentum; when it stands, the tip
swings about the new direction at the frequency of a cantilever of mass m with the load M at its end: x the first root of
1 + cos x cosh x + x M/m (cos x sinh x - sin x cosh x) = 0. With damping
that is a time T in the material, it is less by sqrt(1 - (T w/2)^2). On its way the tip is a radian behind the motor.
"""
import numpy as np
from scipy.optimize import brentq

import pliant as pl

DURATION, STOP, TURN, L, LOAD, DAMPING = 5.0, 0.5, np.pi / 2, 0.5, 0.05, 0.012
STRIP = pl.Section.rectangle("1 mm", "20 mm")
TOLERANCE = {"energy [relative]": 1e-4, "impulse [relative]": 5e-3, "frequency [relative]": 5e-3, "direction [rad]": 5e-3}


def model() -> pl.Model:
    m = pl.Model("very flexible robot arm", planar="z")
    m.add(pl.Beam("arm", (0, 0, 0), (L, 0, 0), STRIP, "steel", up="z", elements=8, damping=DAMPING))
    m.add(pl.RigidBody("load", LOAD, inertia=(2.6e-6, 2.6e-6, 2.6e-6), position=(L, 0, 0)))
    m.add(pl.Fixed("grip", "arm.end", "load"))
    m.add(pl.Revolute("shoulder", m.ground, "arm.start", axis="z"))
    m.add(pl.Drive("shoulder", "angle", pl.Profile.polynomial(TURN, STOP, degree=7), name="motor"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, step=1e-3, output_step=2e-3, integrator="energy-decaying")


def lag(sol: pl.Solution) -> np.ndarray:
    """Of the tip behind the motor, seen from the shoulder [rad]."""
    p, a = sol["load.position"], sol["shoulder.angle"]
    return np.arctan2(p[:, 1] * np.cos(a) - p[:, 0] * np.sin(a), p[:, 0] * np.cos(a) + p[:, 1] * np.sin(a))


def errors(sol: pl.Solution) -> dict[str, float]:
    t, swing = sol.t, lag(sol)
    whole = sum(sol[f"energy.{part}"] for part in ("kinetic", "elastic", "dissipated")) - sol["energy.work"]
    impulse = np.concatenate([[0.0], np.cumsum((sol["motor.effort"][1:] + sol["motor.effort"][:-1]) / 2 * np.diff(t))])
    momentum = sol["model.angular_momentum"][:, 2]
    mass, EI = pl.STEEL.rho * STRIP.area * L, pl.STEEL.E * STRIP.Iz
    x = brentq(lambda x: 1 + np.cos(x) * np.cosh(x) + x * LOAD / mass * (np.cos(x) * np.sinh(x) - np.sin(x) * np.cosh(x)), 0.5, 1.875)
    w = x**2 * np.sqrt(EI / (mass * L**3))
    late = t > 3.0  # by then it swings little
    up = [k for k in np.flatnonzero(late)[:-1] if swing[k] < 0 <= swing[k + 1]]
    zeros = [t[k] - swing[k] * (t[k + 1] - t[k]) / (swing[k + 1] - swing[k]) for k in up]
    rate = 2 * np.pi * (len(zeros) - 1) / (zeros[-1] - zeros[0])
    return {"energy [relative]": float(abs(whole - whole[0]).max() / sol["energy.kinetic"].max()),
            "impulse [relative]": float(abs(impulse - momentum).max() / abs(momentum).max()),
            "frequency [relative]": float(abs(rate / (w * np.sqrt(1 - (DAMPING * w / 2) ** 2)) - 1)),
            "direction [rad]": float(abs(swing[t > DURATION - 2 * np.pi / rate].mean()))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("load.position", path="whipping_arm.png")
