"""Position control of a DC motor: a PID controller turns it by 10 rad; the voltage is limited to 12 V, and anti-windup brings its
integral back.

Known answer: while the voltage is at its limit the motor is a linear system, whose angle after 5 s is a matrix exponential; at 10 s and
20 s two independent programs for stiff equations give the same 10 digits.
"""
import numpy as np
from scipy.linalg import expm

import pliant as pl

J, B, K, R, L, LIMIT, DURATION = 0.01, 0.1, 0.01, 1.0, 0.5, 12.0, 20.0
AT_10, AT_20 = 9.576871905421, 9.998313018713   # rad
TOLERANCE = {"at the limit [rad]": 1e-8, "later [rad]": 1e-8}


def model() -> pl.Model:
    m = pl.Model("motor position")
    rotor = m.add(pl.RigidBody("rotor", mass=1.0, inertia=(J, J, J)))
    m.add(pl.Revolute("shaft", m.ground, rotor, axis="z"))
    m.add(pl.PID("pid", 10.0, "shaft.angle", kp=100, ki=50, kd=10, N=100, limits=(-LIMIT, LIMIT), tracking_time=0.5, unit="V"))
    m.add(pl.Integral("current", f"(pid.output - {R}*current.output - {K}*shaft.angle_rate)/{L}", unit="A"))
    m.add(pl.JointTorque("torque", "shaft", f"{K}*current.output - {B}*shaft.angle_rate"))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, accuracy=1e-8, output_step=0.1)


def errors(sol: pl.Solution) -> dict[str, float]:
    A = np.array([[0, 1, 0, 0], [0, -B / J, K / J, 0], [0, -K / L, -R / L, 1 / L], [0, 0, 0, 0]])  # angle, rate, current, voltage
    at = {t: float(sol["shaft.angle"][np.searchsorted(sol.t, t - 1e-6)]) for t in (5.0, 10.0, 20.0)}
    limited = (expm(5 * A) @ [0, 0, 0, LIMIT])[0]
    return {"at the limit [rad]": abs(at[5.0] - limited), "later [rad]": max(abs(at[10.0] - AT_10), abs(at[20.0] - AT_20))}


if __name__ == "__main__":
    sol = run()
    print(errors(sol))
    sol.plot("shaft.angle", "pid.output", "pid.integral", path="motor_position.png")
