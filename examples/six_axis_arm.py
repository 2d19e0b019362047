"""Six-axis arm: two flexible links, six DC motors with gears and rotors, and a sampled PID controller at 1 kHz on every joint.

Sizes: 6 bodies, 6 hinges, 16 modes of two tubes; 6 states, the currents; 24 sampled values. It begins upright, where nothing bends. Known
answer: at rest every motor carries the weights beyond its joint, and the tip is where bent and twisted tubes put it; energy is kept.
"""
import numpy as np
from scipy.spatial.transform import Rotation

import pliant as pl

DURATION, TIME, G, METAL, TUBE = 2.5, 1.2, 9.81, pl.Material(7e10, 0.33, 2700), pl.Section.tube(0.04, 0.003)
NAMES, HEIGHTS = ["column", "upper", "fore", "roll", "pitch", "tool"], [0.0, 0.4, 1.0, 1.5, 1.6, 1.7, 1.8]  # m: joints and tip, upright
MASSES, AXES, AIM = [20.0, 0.0, 0.0, 2.0, 1.5, 5.0], "zyyzyz", [0.8, 0.6, 0.9, -0.7, 0.8, 0.5]  # kg of what is rigid; rad
MOTORS = [*3 * [{"ratio": 120.0, "constant": 0.12, "resistance": 0.4, "inductance": 1e-3, "rotor_inertia": 3e-4}],
          *3 * [{"ratio": 80.0, "constant": 0.05, "resistance": 1.5, "inductance": 8e-4, "rotor_inertia": 2e-5}]]
TOLERANCE = {"currents at rest [relative]": 1e-3, "tip at rest [m]": 1e-5, "joints on their way [rad]": 0.02, "missing energy [J]": 1e-6}


def model(period: float | None = 1e-3) -> pl.Model:
    m, s = pl.Model("six-axis arm", gravity=(0, 0, -G)), f"min(1, t/{TIME})"
    for k, (name, joint, motor) in enumerate(zip(NAMES, ("J1", "J2", "J3", "J4", "J5", "J6"), MOTORS, strict=True)):
        low, high, back = HEIGHTS[k], HEIGHTS[k + 1], motor["ratio"] * motor["constant"]  # V s: what a rate of the joint induces
        if MASSES[k]:
            m.add(pl.RigidBody.rod(name, (0, 0, low), (0, 0, high), mass=MASSES[k], radius=0.05))
        else:
            mesh = pl.flex.mesh_beam([(0, 0, 0), (0, 0, high - low)], TUBE, METAL, elements=10, up=(1, 0, 0))
            part = pl.flex.reduce(mesh, interfaces={"start": 0, "end": 10}, modes=2)
            m.add(pl.ModalBody(name, part, position=(0, 0, low), damping=0.05))
        m.add(pl.Revolute(joint, f"{NAMES[k - 1]}.end" if k else m.ground, f"{name}.start", axis=AXES[k]))
        m.add(pl.PID(f"pid{k + 1}", f"{AIM[k]}*{s}^3*(10 - 15*{s} + 6*{s}^2)", f"{joint}.angle",
                     kp=40 * back, ki=200 * back, kd=back, N=200.0, c=1.0, period=period))
        m.add(pl.DCMotor(f"motor{k + 1}", joint, f"pid{k + 1}.output + {back * AIM[k] / TIME}*30*{s}^2*(1 - {s})^2", **motor))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.01, coordinates="joint")


def errors(sol: pl.Solution) -> dict[str, float]:
    p, a = np.array([(0, 0, z) for z in HEIGHTS]), np.array([(0, axis == "y", axis == "z") for axis in AXES], float)
    for k in range(5, -1, -1):  # joints, tip and axes of the rigid arm
        R = Rotation.from_rotvec(AIM[k] * a[k]).as_matrix().T
        p[k + 1:], a[k + 1:] = p[k] + (p[k + 1:] - p[k]) @ R, a[k + 1:] @ R
    middle, L, tip = (p[1:] + p[:-1]) / 2, np.diff(HEIGHTS), p[6].copy()
    W = -G * np.outer([mass or METAL.rho * TUBE.area * length for mass, length in zip(MASSES, L, strict=True)], (0, 0, 1))
    torques = [-a[k] @ np.cross(middle[k:] - p[k], W[k:]).sum(0) for k in range(6)]
    for k in (1, 2):  # a clamped tube under its own weight, and force and moment of what is beyond
        F, M, e = W[k + 1:].sum(0), np.cross(middle[k + 1:] - p[k + 1], W[k + 1:]).sum(0), (p[k + 1] - p[k]) / L[k]
        turn = (M + (2 * (1 + METAL.nu) * TUBE.Iy / TUBE.J - 1) * (e @ M) * e + np.cross(e, F / 2 + W[k] / 6) * L[k]) * L[k]
        tip += (np.cross(M / 2 + np.cross(e, F / 3 + W[k] / 8) * L[k], e) * L[k]**2 + np.cross(turn, p[6] - p[k + 1])) / METAL.E / TUBE.Iy
    carried = [sol[f"motor{k + 1}.current"][-1] * m["ratio"] * m["constant"] for k, m in enumerate(MOTORS)]
    return {"currents at rest [relative]": float(np.abs(np.subtract(carried, torques)).max() / np.abs(torques).max()),
            "tip at rest [m]": float(max(abs(sol["tool.end.position"][-1] - tip))), "missing energy [J]": float(np.ptp(sol.energy.balance)),
            "joints on their way [rad]": max(float(abs(sol[f"pid{k + 1}.error"]).max()) for k in range(6))}


if __name__ == "__main__":
    print(errors(sol := run()))
    sol.plot(*(f"motor{k}.current" for k in range(1, 7)), path="six_axis_arm.png")
