"""Rolling disc: a thin disc of 1 kg and 0.5 m radius, leaning by 20 degrees, rolls on a plane in a circle of 2 m; 5 s.

Known answer: balance of moments about the point of contact. The disc goes round with 1.13203115199 rad/s, leans as it did, and needs a
coefficient of friction of 0.238923607.
"""
import numpy as np

import pliant as pl

DURATION = 5.0
R, CIRCLE, LEAN, RATE = 0.5, 2.0, np.radians(20), 1.1320311519884159
TOLERANCE = {"rate of turning [relative]": 1e-7, "height of the centre [m]": 1e-7, "friction [relative]": 1e-6, "slip [m/s]": 1e-9}


def model() -> pl.Model:
    m = pl.Model("rolling disc", gravity=(0, 0, -9.81))
    up, out = np.cos(LEAN), np.sin(LEAN)
    about = -CIRCLE / R * RATE + RATE * out  # about its axis
    disc = m.add(pl.RigidBody("disc", mass=1.0, inertia=(R**2 / 4, R**2 / 4, R**2 / 2), position=(0, 0, R * up),
                              rotation=pl.rotation((1, 0, 0), np.pi / 2 - LEAN), angular_velocity=(0, RATE * up, about),
                              shape={"kind": "cylinder", "points": [(0, 0, -0.01), (0, 0, 0.01)], "radius": R}))
    m.add(pl.RollingDisc("roll", m.ground, disc, radius=R, axis="z", axis_b=(0, -up, out)))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.01)


def errors(sol: pl.Solution) -> dict[str, float]:
    x, y, z = (sol["disc.position"] - (0, CIRCLE - R * np.sin(LEAN), 0)).T
    angle = np.unwrap(np.arctan2(y, x))
    return {"rate of turning [relative]": float(abs((angle[-1] - angle[0]) / DURATION / RATE - 1)),
            "height of the centre [m]": float(np.ptp(z)),
            "friction [relative]": float(abs(sol["roll.friction_ratio"] / 0.238923607226531 - 1).max()),
            "slip [m/s]": sol.quality.velocity_violation}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("disc.position.x", "disc.position.y", "roll.friction_ratio", path="rolling_disc.png")
    sol.animate("rolling_disc.gif")
