"""Crane boom with a moving trolley: a load hangs on a rope of 5 m from a trolley, which runs out along a flexible boom.

Known answer: a trolley that speeds up for exactly one period of the pendulum, and slows down likewise, leaves its load hanging still;
and at rest the tip of the boom sags as a beam under its own weight and that of trolley and load.
"""
import numpy as np

import pliant as pl

LENGTH, WIDTH, HEIGHT, G = 12.0, 0.25, 0.4, 9.81
TROLLEY, LOAD, ROPE, FIRST, SPEED = 300.0, 1500.0, 5.0, 2.0, 1.3
PERIOD = 2 * np.pi * np.sqrt(ROPE / G)
DURATION = 12.0
METAL = pl.Material(2.1e11, 0.3, 7850)
TOLERANCE = {"sag of the tip at rest [relative]": 1e-3, "swing of the load at rest, of that underway": 5e-3, "energy drift [J]": 0.01}


def model() -> pl.Model:
    mesh = pl.flex.mesh_beam([(0, 0, 0), (LENGTH, 0, 0)], pl.Section.rectangle(WIDTH, HEIGHT), METAL, elements=24)
    boom = pl.flex.reduce(mesh, interfaces={"root": (0, 0, 0), "tip": (LENGTH, 0, 0)}, modes=5,
                          lines={"rail": {"from": (0, 0, 0), "to": (LENGTH, 0, 0)}})
    m = pl.Model("crane boom", gravity=(0, 0, -G))
    m.add(pl.ModalBody("boom", boom, position=(0, 0, 0), damping=0.05))
    m.add(pl.RigidBody.box("trolley", (0.8, 0.4, 0.4), mass=TROLLEY, position=(FIRST, 0, 0)))
    m.add(pl.RigidBody.sphere("load", 0.5, mass=LOAD, position=(FIRST, 0, -ROPE)))
    m.add(pl.Fixed("tower", m.ground, "boom.root"))
    m.add(pl.SlidingOnBeam("wheels", "boom.rail", "trolley", turning="none"))
    m.add(pl.Distance("rope", "trolley", "load", length=ROPE))
    way = f"{SPEED}*{PERIOD}/2"  # of speeding up: half of what the speed gives
    m.add(pl.Drive("wheels", "displacement", f"if(t < {PERIOD}, {FIRST} + {SPEED}/{2 * PERIOD}*t^2, if(t < {2 * PERIOD}, {FIRST} + 2*{way} "
                                             f"- {SPEED}/{2 * PERIOD}*({2 * PERIOD} - t)^2, {FIRST} + 2*{way}))", name="winch"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.02, start="static")


def errors(sol: pl.Solution) -> dict[str, float]:
    EI, a = METAL.E * WIDTH * HEIGHT**3 / 12, FIRST + SPEED * PERIOD
    sag = METAL.rho * WIDTH * HEIGHT * G * LENGTH**4 / (8 * EI) + (TROLLEY + LOAD) * G * a**2 * (3 * LENGTH - a) / (6 * EI)
    swing, rest = sol["load.position.x"] - sol["trolley.position.x"], sol.t > 2 * PERIOD + 0.5
    height = sol["boom.tip.position.z"][rest]
    return {"sag of the tip at rest [relative]": float(abs(-(height.max() + height.min()) / 2 / sag - 1)),
            "swing of the load at rest, of that underway": float(abs(swing[rest]).max() / abs(swing).max()),
            "energy drift [J]": sol.energy.drift}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("boom.tip.position.z", "wheels.displacement_rate", path="crane_boom.png")
    sol.animate("crane_boom.gif")
