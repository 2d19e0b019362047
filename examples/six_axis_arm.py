"""Six-axis arm: two flexible links, six DC motors with gears, and a sampled PID controller at 1 kHz on every joint.

Sizes: 6 bodies, 6 hinges, 16 modes of the two tubes; 6 states, the currents; 24 sampled values. It begins upright, where nothing bends,
and turns all joints at once in 1.5 s. Known answer: at rest every motor has the current that carries the weights beyond its joint, and the
tip is where the bent and twisted tubes put it; energy is kept.
"""
import numpy as np

import pliant as pl

DURATION, TIME, PERIOD, G = 4.0, 1.5, 1e-3, 9.81
METAL, RADIUS, WALL = pl.Material(7e10, 0.33, 2700), 0.03, 0.0025
HEIGHTS = [0.0, 0.4, 1.0, 1.5, 1.6, 1.7, 1.8]   # m: of the joints in the upright arm, and of the tip
AXES = ["z", "y", "y", "z", "y", "z"]
AIM = [0.8, 0.6, 0.9, -0.7, 0.8, 0.5]           # rad
LARGE = {"ratio": 120.0, "constant": 0.12, "resistance": 0.4, "inductance": 1e-3, "rotor_inertia": 3e-4}
SMALL = {"ratio": 80.0, "constant": 0.05, "resistance": 1.5, "inductance": 8e-4, "rotor_inertia": 2e-5}
MASSES = {"column": 20.0, "roll": 2.0, "pitch": 1.5, "tool": 5.0}
TOLERANCE = {"currents at rest [of the largest]": 2e-3, "tip at rest [m]": 5e-5, "joints underway [rad]": 0.01, "energy that is missing [J]": 1e-3}


def tube(length: float):
    mesh = pl.flex.mesh_beam([(0, 0, 0), (0, 0, length)], pl.Section.tube(RADIUS, WALL), METAL, elements=10, up=(1, 0, 0))
    return pl.flex.reduce(mesh, interfaces={"start": (0, 0, 0), "end": (0, 0, length)}, modes=2)


def model(**controller) -> pl.Model:
    m = pl.Model("six-axis arm", gravity=(0, 0, -G))
    names = ["column", "upper", "fore", "roll", "pitch", "tool"]
    for name, low, high in zip(names, HEIGHTS, HEIGHTS[1:], strict=False):
        if name in MASSES:
            m.add(pl.RigidBody.rod(name, (0, 0, low), (0, 0, high), mass=MASSES[name], radius=0.05))
        else:
            m.add(pl.ModalBody(name, tube(high - low), position=(0, 0, low), damping=0.05))
    for k, (axis, aim) in enumerate(zip(AXES, AIM, strict=True)):
        joint, motor, s = f"J{k + 1}", LARGE if k < 3 else SMALL, f"min(1, t/{TIME})"
        m.add(pl.Revolute(joint, f"{names[k - 1]}.end" if k else m.ground, f"{names[k]}.start", axis=axis))
        back = motor["ratio"] * motor["constant"]   # V s: what the wanted rate induces
        m.add(pl.PID(f"pid{k + 1}", f"{aim}*{s}^3*(10 - 15*{s} + 6*{s}^2)", f"{joint}.angle", kp=40 * back, ki=200 * back, kd=1.0 * back, N=200.0,
                     **{"period": PERIOD, **controller}))
        m.add(pl.DCMotor(f"motor{k + 1}", joint, f"pid{k + 1}.output + {back * aim / TIME}*30*{s}^2*(1 - {s})^2", **motor))
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.01)
