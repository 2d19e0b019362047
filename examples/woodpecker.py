"""Woodpecker toy (Glocker 1995): a bird on a spring swings on a sleeve that jams on its pole and slips down, and knocks with its beak.

As in the reference all is linear in both angles: three points, the beak and the edges of the sleeve, follow them by couplings and meet the
pole with friction. The beak gives back half of its speed, the edges nothing.

Known answer: Glocker's equations solved from instant to instant, trying all states of the contacts at each: a cycle of 0.145976 s and a
fall of 19.4454 mm. It draws its neighbours in to 0.84 of their distance only, so the run begins on it. Moreau's midpoint rule, with steps
down to 5e-7 s, has 0.14599 s and 19.454 mm.
"""
import numpy as np

import pliant as pl

CYCLE, KNOCKS = 0.145976065144, (0.004431561555, 0.007532915214, 0.008112436752, 0.045255538235, 0.047984272268)
DURATION, PERIOD, DROP, BACK = 2 * CYCLE, 0.14599, 0.019454, -0.52966  # s; s, m, rad by Moreau's rule
R0, RM, HM, LM, LG, HS, LS = 2.5e-3, 3.1e-3, 5.8e-3, 10e-3, 15e-3, 20e-3, 20.1e-3  # m, Glocker's names: pole, sleeve, hinge, bird, beak
TOLERANCE = {"times of knocks [s]": 1e-9, "rates after two cycles [relative]": 1e-8, "Moreau's period [relative]": 1e-3,
             "Moreau's drop [relative]": 1e-3, "Moreau's lowest swing [rad]": 1e-3, "energy balance [relative]": 1e-8}


def model() -> pl.Model:
    m = pl.Model("woodpecker", gravity=(0, -9.81, 0), planar=True)
    m.add(pl.RigidBody("sleeve", 3e-4, (5e-9,) * 3, position=(0, 0, 0), shape={"kind": "box", "points": [(2 * RM, 2 * HM, 2 * RM)]}))
    bird = {"kind": "rod", "points": [(-LS, HS, 0), (LS / 2, -LG, 0)], "radius": 3e-3}
    m.add(pl.RigidBody("bird", 4.5e-3, (7e-7,) * 3, position=(LM + LG, 0, 0), shape=bird))
    m.add(pl.PointOnLine("fall", m.ground, "sleeve", axis="y", displacement_rate=-0.34655218621))
    m.add(pl.Planar("tilt", m.ground, "sleeve", angle=-0.00693493251, angle_rate=31.588845702))
    m.add(pl.PointOnLine("bird_fall", m.ground, "bird", at=(LM + LG, 0, 0), axis="y"))
    m.add(pl.Planar("swing", m.ground, "bird", angle=0, angle_rate=14.463710297))
    m.add(pl.Coupling("hinge", "bird_fall.displacement", f"fall.displacement + {LM}*tilt.angle + {LG}*swing.angle"))
    m.add(pl.Planar("neck", "sleeve", "bird"))
    m.add(pl.TorsionSpring("spring", "neck", 5.6e-3))
    pole, fixed = m.ground.frame((R0, 0, 0), pl.rotation("y", np.pi / 2)), [("d1", "x", "y"), ("d1", "y", "z"), ("d1", "z", "x")]
    for name, x, across, up in (("beak", LM + LG - LS, f"-{HS}*swing.angle", f"{LM}*tilt.angle + {LG - LS}*swing.angle"),
                                ("top", RM, f"-{HM}*tilt.angle", f"{RM}*tilt.angle"), ("foot", RM, f"{HM}*tilt.angle", f"{RM}*tilt.angle")):
        m.add(pl.RigidBody.sphere(name, 1e-3, mass=0, position=(x + 1e-3, 0, 0)))
        m.add(pl.Joint(f"{name}_x", m.ground, name, axis="x", primitives=fixed))
        m.add(pl.Joint(f"{name}_y", m.ground, name, axis="y", axis_x="z", primitives=[("d2", "x")]))
        m.add(pl.Coupling(f"{name}_across", f"{name}_x.displacement", across))
        m.add(pl.Coupling(f"{name}_up", f"{name}_y.displacement", f"fall.displacement + {up}"))
        m.add(pl.Contact(f"{name}_on_pole", pole, name, law="rigid", restitution=0.5 if name == "beak" else 0, friction=0.3))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-8, output_step=CYCLE / 300)


def errors(sol: pl.Solution) -> dict[str, float]:
    hits = np.array([e.t for e in sol.events if e.what == "impact"])
    rates, e = np.array([sol[f"{name}_rate"][[0, -1]] for name in ("fall.displacement", "tilt.angle", "swing.angle")]), sol.energy
    found = (hits - [*KNOCKS, *np.add(KNOCKS, CYCLE)], rates[:, 1] / rates[:, 0] - 1, (hits[5] - hits[0]) / PERIOD - 1,
             np.ptp(sol["fall.displacement"][[0, -1]]) / 2 / DROP - 1, sol["swing.angle"].min() - BACK, np.ptp(e.balance) / e.kinetic.max())
    return {name: float(abs(error).max()) for name, error in zip(TOLERANCE, found, strict=True)}


if __name__ == "__main__":
    sol = run()
    print(errors(sol), sol.events, sep="\n")
    sol.plot("swing.angle", "tilt.angle", "fall.displacement", path="woodpecker.png")
