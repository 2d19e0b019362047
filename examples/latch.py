"""Latch: a flap falls, a latch catches it at 40 degrees and lets it go after a second; hanging straight down, its hinge breaks.

Known answer: the latch takes all energy of the fall, m g l sin 40; from rest there the flap comes down with w^2 = 2 m g l (1 - sin 40) / I,
and flies on a parabola, turning at that rate.
"""
import numpy as np

import pliant as pl

DURATION = 2.0  # s
MASS, REACH, INERTIA, G, CATCH = 2.0, 0.4, 0.15, 9.81, float(np.radians(40))  # kg, m, kg m^2 about the centre
TOLERANCE = {"energy that the latch takes [relative]": 1e-8, "rate as the hinge breaks [relative]": 1e-8, "flight [m]": 1e-8,
             "energy balance [J]": 1e-8}


def model() -> pl.Model:
    m = pl.Model("latch", gravity=(0, 0, -G))
    m.add(pl.RigidBody("flap", mass=MASS, inertia=(0.1, INERTIA, 0.08), position=(REACH, 0, 0)))
    m.add(pl.Revolute("hinge", "ground", "flap", at=(0, 0, 0), axis="y"))
    m.add(pl.Event("catch", f"hinge.angle > {CATCH!r}", [pl.Lock("hinge")], once=True))
    m.add(pl.Event("let_go", f"hinge.angle > {0.999 * CATCH!r}", [pl.Unlock("hinge")], delay=1.0))
    m.add(pl.Event("snap", "hinge.angle > pi/2", [pl.Break("hinge")]))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-10, output_step=1e-3)


def errors(sol: pl.Solution) -> dict[str, float]:
    caught, broken = sol.events.of("hinge")[0], sol.events.of("hinge")[-1]
    fall, w = MASS * G * REACH * np.sin(CATCH), np.sqrt(2 * MASS * G * REACH * (1 - np.sin(CATCH)) / (INERTIA + MASS * REACH**2))
    flies = sol.t > broken.t
    t = sol.t[flies] - broken.t
    path = np.column_stack([-w * REACH * t, 0 * t, -REACH - G * t**2 / 2])
    return {"energy that the latch takes [relative]": abs(caught.energy_lost / fall - 1),
            "rate as the hinge breaks [relative]": float(abs(sol["flap.angular_velocity.y"][flies] / w - 1).max()),
            "flight [m]": float(abs(sol["flap.position"][flies] - path).max()), "energy balance [J]": float(np.ptp(sol.energy.balance))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    print(sol.events)
    sol.plot("hinge.angle", "hinge.locked").savefig("latch.png")
