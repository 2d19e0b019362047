"""Slider-crank: a motor turns the crank at a constant rate; gravity acts across the slider's path.

Known answer: with crank r, rod l and crank angle a = w t the slider is at x = r cos a + sqrt(l^2 - r^2 sin^2 a). At a constant
rate the motor's power is what the energy E(a) of the mechanism gains, so that its torque is T = dE/da, in closed form below.
"""
import numpy as np

import pliant as pl

R, L, RATE, G = 0.15, 0.45, 20.0, 9.81                  # m, m, rad/s, m/s^2
CRANK, ROD, SLIDER = 0.36, 0.5, 0.8                     # kg
DURATION = 1.0
TOLERANCE = {"slider [m]": 1e-9, "torque [N m]": 1e-6, "energy drift [J]": 1e-3}


def model() -> pl.Model:
    m = pl.Model("slider crank", gravity=(0, -G, 0))
    crank = m.add(pl.RigidBody.rod("crank", start=(0, 0, 0), end=(R, 0, 0), mass=CRANK))
    rod = m.add(pl.RigidBody.rod("rod", start=(R, 0, 0), end=(R + L, 0, 0), mass=ROD))
    slider = m.add(pl.RigidBody.box("slider", size=(0.08, 0.05, 0.05), mass=SLIDER, position=(R + L, 0, 0)))
    m.add(pl.Revolute("A", m.ground, crank["start"], axis="z"))
    m.add(pl.Revolute("B", crank["end"], rod["start"], axis="z"))
    m.add(pl.Revolute("C", rod["end"], slider, axis="z"))
    m.add(pl.Prismatic("D", m.ground, slider, axis="x"))
    m.add(pl.Drive("A", "angle", f"{RATE} * t", name="motor"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION)


def energy(a: np.ndarray) -> np.ndarray:
    """Kinetic and potential energy [J] at crank angle a, also for complex a."""
    s, c = R * np.sin(a), R * np.cos(a)
    b = np.sqrt(L**2 - s**2)
    dx, turn = -s - s * c / b, -c / b                    # of the slider and the rod, per crank angle
    J = CRANK * R**2 / 3 + ROD * (((dx - s) / 2)**2 + (c / 2)**2 + L**2 / 12 * turn**2) + SLIDER * dx**2
    return J * RATE**2 / 2 + G * s / 2 * (CRANK + ROD)


def errors(sol: pl.Solution) -> dict[str, float]:
    a = RATE * sol.t
    x = R * np.cos(a) + np.sqrt(L**2 - (R * np.sin(a))**2)
    torque = np.imag(energy(a + 1e-30j)) / 1e-30         # dE/da by a complex step
    return {"slider [m]": float(abs(sol["slider.position.x"] - x).max()),
            "torque [N m]": float(abs(sol["motor.effort"] - torque).max()), "energy drift [J]": sol.energy.drift}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("slider.position.x", "motor.effort", "C.force", path="slider_crank.png")
    sol.animate("slider_crank.gif")
