"""Crane with a hoist rope: a trolley runs out by 3 m and stops; the load on its rope of 6 m and 0.8 kg/m sways on.

Known answer: while it sways, the period of a heavy string with a load at its end, from Bessel functions: with
u = 2 w sqrt((M/rho + s)/g), s from the load up, y = A J0(u) + B Y0(u), M g y' = -M w^2 y at the load, y = 0 at the trolley; longer by
1 + a^2/16 for swings of a, and as its rope stretches.
At rest the pull at the trolley is the weight, and the rope is longer by what it stretches.
"""
import numpy as np
from scipy.optimize import brentq
from scipy.special import j0, j1, y0, y1

import pliant as pl

DURATION, STOP, WAY, L, LOAD, G, D = 15.0, 3.5, 3.0, 6.0, 20.0, 9.81, 0.012
WIRE = pl.Material("1e9 Pa", 0.3, 0.8 / (np.pi * D**2 / 4))
TOLERANCE = {"pull at rest [relative]": 1e-6, "length at rest [relative]": 1e-5, "period [relative]": 2e-3, "balance [relative]": 1e-3}


def model() -> pl.Model:
    m = pl.Model("crane with a hoist rope", gravity=(0, 0, -G))
    m.add(pl.RigidBody("trolley", mass=50.0, inertia=(1, 1, 1)))
    m.add(pl.Beam("rope", (0, 0, 0), (0, 0, -L), pl.Section.circle(D / 2), WIRE, elements=8, formulation="ancf-cable", damping=0.01))
    m.add(pl.RigidBody.sphere("load", "0.1 m", mass=LOAD, position=(0, 0, -L)))
    m.add(pl.Prismatic("rail", m.ground, "trolley", axis="x"))
    m.add(pl.Spherical("eye", "trolley", "rope.start"))
    m.add(pl.Spherical("hook", "rope.end", "load"))
    m.add(pl.Drive("rail", "displacement", pl.Profile.polynomial(WAY, STOP, degree=7), name="winch"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, step=5e-3, output_step=0.02, start="static")


def period(swing: float) -> float:
    def off(w: float) -> float:
        u, top = (2 * w * np.sqrt((LOAD / 0.8 + s) / G) for s in (0.0, L))
        c = w * w / G / (2 * w**2 / G / u)  # y' = -w^2/g y, du/ds = 2 w^2 / (g u)
        J, Y = j1(u) - c * j0(u), y1(u) - c * y0(u)
        return float(j0(top) * Y - y0(top) * J)
    return 2 * np.pi / brentq(off, 0.8 * np.sqrt(G / L), 1.3 * np.sqrt(G / L)) * (1 + swing**2 / 16)


def errors(sol: pl.Solution) -> dict[str, float]:
    t, away = sol.t, sol["load.position.x"] - sol["trolley.position.x"]
    k = np.flatnonzero((t[:-1] > STOP) & (away[:-1] < 0) & (away[1:] >= 0))
    zeros = t[k] - away[k] * (t[k + 1] - t[k]) / (away[k + 1] - away[k])
    found = (zeros[-1] - zeros[0]) / (len(zeros) - 1)
    EA, weight = WIRE.E * np.pi * D**2 / 4, (LOAD + 0.8 * L / 2) * G
    swing = float(np.arcsin(abs(away[t > STOP]).max() / L))
    whole = sum(sol[f"energy.{part}"] for part in ("kinetic", "potential", "elastic", "dissipated")) - sol["energy.work"]
    return {"pull at rest [relative]": float(abs(np.linalg.norm(sol["eye.force"][0]) / ((LOAD + 0.8 * L) * G) - 1)),
            "length at rest [relative]": float(abs(-sol["load.position.z"][0] / L - 1 - weight / EA)),
            "period [relative]": abs(found / (period(swing) * np.sqrt(1 + weight / EA)) - 1),
            "balance [relative]": float(abs(whole - whole[0]).max() / sol["energy.kinetic"].max())}


if __name__ == "__main__":
    print(errors(sol := run()))
    sol.plot("load.position", path="hoist_rope.png")
