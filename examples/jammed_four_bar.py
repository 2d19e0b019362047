"""Four-bar with a very flexible coupler: its rocker is jammed, the crank turns on all the same, and the coupler, a strip of spring steel,
buckles, bends into a bow and springs back as the crank comes round.

Known answer: between its pins the strip is an elastica. Of the distance d of the pins follows k, d/L = 2 E(k)/K(k) - 1, of it the force
(2 K/pi)^2 pi^2 EI/L^2 and the rise k L/K; the torque of the motor is that force on the arm of the crank.
(The mass of the strip takes part in a five-hundredth of it.)
"""
import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import pliant as pl

DURATION, R, ROCKER, BASE = 8.0, 0.1, 0.3, 0.5
BEGIN = np.arctan2(-ROCKER, -BASE)  # where the pins are farthest apart
STRIP = pl.Section.rectangle("0.8 mm", "20 mm")
TOLERANCE = {"force [relative]": 3e-3, "rise [relative]": 2e-4, "torque [relative]": 3e-3, "balance [relative]": 1e-5}


def model() -> pl.Model:
    pin, eye = (R * np.cos(BEGIN), R * np.sin(BEGIN), 0), (BASE, ROCKER, 0)
    m = pl.Model("four-bar with a jammed rocker", planar="z")
    m.add(pl.RigidBody.rod("crank", start=(0, 0, 0), end=pin, mass=0.2))
    m.add(pl.Beam("coupler", pin, eye, STRIP, "steel", up="z", elements=12, damping=2e-4))
    m.add(pl.RigidBody.rod("rocker", start=(BASE, 0, 0), end=eye, mass=0.3))
    m.add(pl.Revolute("A", m.ground, "crank.start", axis="z"))
    m.add(pl.Revolute("B", "crank.end", "coupler.start", axis="z"))
    m.add(pl.Revolute("C", "coupler.end", "rocker.end", axis="z"))
    m.add(pl.Fixed("jam", m.ground.frame((BASE, 0, 0)), "rocker.start"))
    m.add(pl.Drive("A", "angle", pl.Profile.polynomial(-2 * np.pi, DURATION, degree=5), name="motor"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, step=1e-3, output_step=0.02, integrator="energy-decaying")


def errors(sol: pl.Solution) -> dict[str, float]:
    a, b = sol["coupler.start.position"], sol["coupler.end.position"]
    chord = b - a
    d, L, EI = np.linalg.norm(chord, axis=1), sol.model["coupler"].length, pl.STEEL.E * STRIP.Iz
    bent = d < 0.97 * L                                  # far enough from buckling
    m = np.array([brentq(lambda m, part=part: 2 * ellipe(m) / ellipk(m) - 1 - part, 1e-9, 0.999) for part in d[bent] / L])  # k^2
    force, rise = (2 * ellipk(m)) ** 2 * EI / L**2, np.sqrt(m) * L / ellipk(m)
    across = np.cross(chord, sol["coupler.node_6.position"] - a)[bent, 2] / d[bent]
    along = ((sol["B.force"] + sol["C.force"]) / 2 * chord).sum(1)[bent] / d[bent]
    torque = -np.cross(a, -chord / d[:, None])[bent, 2] * force
    whole = sum(sol[f"energy.{part}"] for part in ("kinetic", "elastic", "dissipated")) - sol["energy.work"]
    return {"force [relative]": float(abs(along / force - 1).max()), "rise [relative]": float(abs(abs(across) / rise - 1).max()),
            "torque [relative]": float(abs(sol["motor.effort"][bent] - torque).max() / abs(torque).max()),
            "balance [relative]": float(abs(whole - whole[0]).max() / sol["energy.elastic"].max())}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.animate("jammed_four_bar.gif")
