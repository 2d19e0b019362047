"""Slider-crank at 5000 rpm whose pin at the slider has a play of 0.5 mm: the journal flies from side to side of its bearing.

Known answer: equations of the plane mechanism by SciPy's DOP853 at 1e-12 from contact to contact, with the law of Lankarani and Nikravesh
(1990), e = 0.9, and the stiffness of Hertz for a steel journal of 9.5 mm in a bearing of 10 mm. The first twelve contacts are met; later
ones are chaotic.
"""
import numpy as np

import pliant as pl

SPEED, CRANK, ROD, PLAY = 5000 * np.pi / 30, 0.05, 0.12, 0.5e-3  # rad/s, m
DURATION = 0.0042  # s, a third of a turn
STEEL = 4 / 3 / (2 * (1 - 0.3**2) / 207e9) * np.sqrt(0.01 * 0.0095 / PLAY)  # N/m^1.5
TOUCHES = (2.2728603203978735e-4, 6.370564301652416e-4, 7.497002798396115e-4, 1.0859470338733248e-3, 1.2058161279639066e-3,
           1.5514860013203732e-3, 1.7150817862751704e-3, 2.872495289566458e-3, 3.1698429124957747e-3, 3.3540939687345755e-3,
           3.8713149107283e-3, 4.0801933878226926e-3)
MEETING = (4.385783145280292, 2.756949152972982, 1.826699074796222, 1.101851177420536)  # m/s, of the first four
TOLERANCE = {"times of twelve contacts [s]": 1e-10, "speeds of meeting [m/s]": 1e-8, "energy balance [relative]": 1e-9}


def model() -> pl.Model:
    m = pl.Model("slider crank with clearance", planar=True)
    m.add(pl.RigidBody("crank", 0.3, (1e-4, 1e-4, 1e-4), position=(0, 0, 0)))
    m.add(pl.RigidBody("rod", 0.21, (2.5e-4, 2.5e-4, 2.5e-4), com=(ROD / 2, 0, 0), position=(CRANK, 0, 0)))
    m.add(pl.RigidBody("slider", 0.14, (1e-4, 1e-4, 1e-4), position=(CRANK + ROD, 0, 0)))
    m.add(pl.Revolute("main", m.ground, "crank", at=(0, 0, 0), axis="z"))
    m.add(pl.Revolute("pin", "crank", "rod", at=(CRANK, 0, 0), axis="z", angle_rate=-SPEED * (1 + CRANK / ROD)))  # journal at rest
    m.add(pl.Prismatic("guide", m.ground, "slider", at=(CRANK + ROD, 0, 0), axis="x", displacement_rate=0))
    m.add(pl.Drive("main", "angle", f"{SPEED!r}*t", name="motor"))
    m.add(pl.RevoluteClearance("bearing", "slider", m["rod"].frame((ROD, 0, 0)), clearance=PLAY, stiffness=STEEL, restitution=0.9,
                               law="lankarani-nikravesh"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-8, output_step=1e-5)


def errors(sol: pl.Solution) -> dict[str, float]:
    met = [e for e in sol.events.of("bearing") if e.what == "touches"]
    times, speeds = np.array([e.t for e in met]), np.array([e.value for e in met[:4]])
    return {"times of twelve contacts [s]": float(abs(times - TOUCHES).max()),
            "speeds of meeting [m/s]": float(abs(speeds - MEETING).max()),
            "energy balance [relative]": float(np.ptp(sol.energy.balance) / sol.energy.kinetic.max())}


if __name__ == "__main__":
    sol = run()
    print(errors(sol), sol.events, sep="\n")
    sol.plot("bearing.eccentricity", "bearing.force", path="slider_crank_clearance.png")
