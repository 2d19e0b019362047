"""Model-reference adaptive control: a disc of unknown inertia and friction learns to turn as a reference model does.

w_m' = a (r - w_m), torque = k r - l w, k' = -g e r, l' = g e w with e = w - w_m. Known answer:
V = e^2/2 + ((k - J a)^2 + (l - J a + b)^2) / (2 g J) falls as V' = -a e^2 (Lyapunov), and the two gains come to J a and J a - b, as the
command excites them.
"""
import numpy as np

import pliant as pl

DURATION, J, B, A, G = 40.0, 0.5, 0.2, 2.0, 4.0
TOLERANCE = {"gain k [relative]": 1e-5, "gain l [relative]": 1e-5, "V + a int e^2 [of V at the start]": 1e-7, "growth of V": 1e-9}


def model() -> pl.Model:
    m = pl.Model("adaptive control")
    m.add(pl.RigidBody("disc", mass=1.0, inertia=(J / 2, J / 2, J)))
    m.add(pl.Revolute("axle", m.ground, "disc", axis="z"))
    m.add(pl.JointTorque("friction", "axle", f"-{B}*axle.angle_rate"))
    m.add(pl.Variable("r", "3*sin(t) + 2*sin(2.3*t)"))
    m.add(pl.Integral("ideal", f"{A}*(r - ideal.output)"))
    m.add(pl.Variable("error", "axle.angle_rate - ideal.output"))
    m.add(pl.Integral("k", f"-{G}*error*r"))
    m.add(pl.Integral("l", f"{G}*error*axle.angle_rate"))
    m.add(pl.JointTorque("motor", "axle", "k.output*r - l.output*axle.angle_rate"))
    m.add(pl.Integral("spent", f"{A}*error^2"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.02, accuracy="fine")


def errors(sol: pl.Solution) -> dict[str, float]:
    k, l = sol["k.output"], sol["l.output"]
    V = sol["error"]**2 / 2 + ((k - J * A)**2 + (l - J * A + B)**2) / (2 * G * J)
    return {"gain k [relative]": float(abs(k[-1] / (J * A) - 1)), "gain l [relative]": float(abs(l[-1] / (J * A - B) - 1)),
            "V + a int e^2 [of V at the start]": float(abs(V + sol["spent.output"] - V[0]).max() / V[0]),
            "growth of V": float(np.diff(V).max() / V[0])}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("k.output", "l.output", "error", path="adaptive_control.png")
