"""Flying spaghetti (Simo, Vu-Quoc 1986): a beam of 10 m is pushed and turned at one end for 2.5 s, curls up and flies on, writhing.

Known answer: its ends, from two spectral solutions of the beam equations that differ by less than 1 mm until then; the push gives
20 N s and carries the centre of mass along x = 3 + 0.4 t^2, then 5.5 + 2 (t - 2.5); after it the energy stays what it is.
"""
import numpy as np

import pliant as pl

DURATION, PUSHED, EI = 8.0, 2.5, 100.0  # EA = GA = 1e4 N, 1 kg/m, 10 kg m
ENDS = {2.5: (4.9630, 4.4760, 3.5832, 6.1119), 5.0: (9.783, 8.204, 8.074, 1.759)}  # s: loaded end, free end [m]
TOLERANCE = {"ends [lengths]": 1e-3, "centre of mass [lengths]": 1e-5, "momentum [relative]": 5e-6, "energy [relative]": 1e-11}
SECTION = pl.SectionMatrices(np.diag([1e4, 1e4, 1e4, EI, EI, EI]), np.diag([1.0, 1.0, 1.0, 20.0, 10.0, 10.0]))


def model() -> pl.Model:
    m = pl.Model("flying spaghetti", planar="z")
    m.add(pl.Beam("spaghetti", (6, 0, 0), (0, 8, 0), SECTION, elements=48))
    m.add(pl.Force("push", "spaghetti.start", (f"if(t < {PUSHED}, 8, 0)", 0, 0)))
    m.add(pl.Torque("turn", "spaghetti.start", (0, 0, f"if(t < {PUSHED}, -80, 0)")))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, step=2.5e-3, output_step=0.05, integrator="energy-momentum")


def errors(sol: pl.Solution) -> dict[str, float]:
    t, start, end = sol.t, sol["spaghetti.start.position"], sol["spaghetti.end.position"]
    free = t > PUSHED + 1e-9
    center = np.stack([np.where(free, 5.5 + 2 * (t - PUSHED), 3 + 0.4 * t**2), 0 * t + 4, 0 * t], 1)
    energy = (sol["energy.kinetic"] + sol["energy.elastic"])[free]
    rows = {at: int(np.argmin(abs(t - at))) for at in ENDS}
    return {"ends [lengths]": max(float(abs(np.hstack([start[k, :2], end[k, :2]]) - ENDS[at]).max()) for at, k in rows.items()) / 10,
            "centre of mass [lengths]": float(abs(sol["model.com.position"] - center).max() / 10),
            "momentum [relative]": float(abs(sol["model.momentum"][free] / 20 - (1, 0, 0)).max()),
            "energy [relative]": float(np.ptp(energy) / energy[0])}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.animate("flying_spaghetti.gif")
