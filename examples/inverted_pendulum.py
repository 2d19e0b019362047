"""Inverted pendulum on a cart: the gain of a linear quadratic regulator stands the nonlinear pendulum up from 10 degrees.

Known answer: the gain for the cart of the CTMS tutorials (0.5 kg, 0.1 N s/m, pendulum of 0.2 kg, 0.006 kg m^2, 0.3 m, g = 9.8) with weights
5000 and 100 on place and angle and 1 on the force, from the Riccati equation by Schur's method; and the pendulum stands after 3 s.
"""
import numpy as np

import pliant as pl

DURATION = 3.0
GAIN = {"rail.displacement": -70.71067811865515, "rail.displacement_rate": -37.83445399345579, "pin.angle": 105.52978191603682,
        "pin.angle_rate": 20.923843749209958}
TOLERANCE = {"gain [relative]": 1e-8, "angle after 3 s [rad]": 1e-5, "place after 3 s [m]": 1e-5}


def cart(angle: float = 0.0) -> pl.Model:
    m = pl.Model("inverted pendulum", gravity=(0, -9.8, 0))
    m.add(pl.RigidBody("cart", mass=0.5, inertia=(1e-3, 1e-3, 1e-3)))
    pole = m.add(pl.RigidBody("pole", mass=0.2, inertia=(0.006, 0.006, 0.006), position=(0, 0.3, 0)))
    m.add(pl.Prismatic("rail", m.ground, "cart", axis="x"))
    m.add(pl.Revolute("pin", "cart", pole.frame((0, -0.3, 0)), axis="z", angle=angle))
    m.add(pl.JointForce("friction", "rail", "-0.1*rail.displacement_rate"))
    return m


def gain():
    lin = cart().linearize(inputs=["rail.displacement"], outputs=["pin.angle"])
    return lin.lqr({"rail.displacement": 5000, "pin.angle": 100}, 1)


def model() -> pl.Model:
    m = cart(np.deg2rad(10))
    m.add(pl.StateFeedback("balance", gain()))
    m.add(pl.JointForce("motor", "rail", "balance.output"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.01)


def errors(sol: pl.Solution) -> dict[str, float]:
    K = gain()
    return {"gain [relative]": max(abs(K[state] / exact - 1) for state, exact in GAIN.items()),
            "angle after 3 s [rad]": float(abs(sol["pin.angle"][-1])), "place after 3 s [m]": float(abs(sol["rail.displacement"][-1]))}


if __name__ == "__main__":
    sol = run()
    print(gain(), errors(sol), sol.sizing("motor"), sep="\n")
    sol.plot("pin.angle", "rail.displacement", "motor.force", path="inverted_pendulum.png")
