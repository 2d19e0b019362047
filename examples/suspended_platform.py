"""Suspended platform: a box of 200 kg hangs on four springs with dampers, and is let go where the springs are unloaded.

Known answer: it heaves like one mass on the stiffness 4 k and the damping 4 c, around the static deflection m g / (4 k):
z = -d (1 - exp(-s t) (cos(w t) + s / w sin(w t))), s = 4 c / (2 m), w^2 = 4 k / m - s^2.
"""
import numpy as np

import pliant as pl

MASS, K, C, G, LENGTH = 200.0, 2e4, 300.0, 9.81, 0.8    # kg, N/m, N s/m, m/s^2, m
DURATION = 6.0
TOLERANCE = {"heave [m]": 1e-5, "deflection at the end [m]": 1e-5, "tilt [rad]": 1e-9, "energy drift [relative]": 1e-4}


def model() -> pl.Model:
    m = pl.Model("suspended platform", gravity=(0, 0, -G))
    box = m.add(pl.RigidBody.box("box", size=(2.0, 1.2, 0.1), mass=MASS))
    for i, (x, y) in enumerate([(1, 0.6), (1, -0.6), (-1, 0.6), (-1, -0.6)]):
        m.add(pl.SpringDamper(f"spring{i}", m.ground.frame((x, y, LENGTH)), box.frame((x, y, 0)), stiffness=K, damping=C,
                              length=LENGTH))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def errors(sol: pl.Solution) -> dict[str, float]:
    t, z, d, s = sol.t, sol["box.position.z"], MASS * G / (4 * K), 4 * C / (2 * MASS)
    w = np.sqrt(4 * K / MASS - s**2)
    exact = -d * (1 - np.exp(-s * t) * (np.cos(w * t) + s / w * np.sin(w * t)))
    return {"heave [m]": float(abs(z - exact).max()), "deflection at the end [m]": float(abs(z[-1] + d)),
            "tilt [rad]": float(2 * abs(sol["box.rotation"][:, 1:]).max()),
            "energy drift [relative]": float(sol.energy.drift / (MASS * G * d))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("box.position.z", "spring0.force", path="suspended_platform.png")
    sol.animate("suspended_platform.gif")
