"""Hydraulic crane: a flexible boom of 4 m and a jib of 2.5 m with 400 kg, two cylinders with servo valves and PID controllers.

Sizes: 3 bodies, 2 hinges, 18 modes of the boom; 12 states: 4 pressures, 4 of spools, 4 of controllers. Pressures that carry it, spools that
feed leakage and integrals of controllers are found for the start. Known answer: it rests until it is told to move, and energy is kept.
"""
import numpy as np

import pliant as pl

DURATION, MOVE, TIME = 6.0, 0.5, 3.0        # s: of the run; when it moves, and how long
TURNS = {"hinge": 0.2, "elbow": -0.2}       # rad
OPEN = {"hinge": 0.18, "elbow": -0.5}       # rad/s with the valve full open
CYLINDER = {"rod_diameter": 0.04, "cap_volume": "0.2 l", "rod_volume": "0.2 l", "viscous_friction": 4000.0, "leakage": 1e-12, "air": 0.005,
            "bore": 0.12, "stroke": 1.0, "cap_pressure": "80 bar", "rod_pressure": "60 bar"}
TOLERANCE = {"motion before the move [rad]": 1e-9, "distance from the aim [rad]": 0.01, "energy that is missing [relative]": 1e-8}


def add_axis(m: pl.Model, joint: str) -> None:
    """A controller that adds to what the wanted rate needs, and a valve."""
    s, way, sign = f"max(0, min(1, (t - {MOVE})/{TIME}))", TURNS[joint], np.sign(OPEN[joint])
    m.add(pl.PID(f"{joint}_pid", f"{way}*{s}^3*(10 - 15*{s} + 6*{s}^2)", f"{joint}.angle", kp=4.0, ki=1.0, kd=0.05, N=50.0,
                 limits=(-1.0, 1.0), nominal=0.1))
    m.add(pl.DirectionalValve(f"{joint}_valve", f"{way / TIME / OPEN[joint]}*30*{s}^2*(1 - {s})^2 + {sign}*{joint}_pid.output",
                              supply="supply", tank="tank", a=f"{joint}_cylinder.cap", b=f"{joint}_cylinder.rod",
                              rated_flow="60 l/min", rated_drop="35 bar", frequency=60.0))


def model() -> pl.Model:
    mesh = pl.flex.mesh_beam([(0, 0, 0), (4, 0, 0)], pl.Section.rectangle(0.1, 0.2), pl.STEEL, elements=20)
    part = pl.flex.reduce(mesh, interfaces={"root": (0, 0, 0), "lug": (1.2, 0, 0), "bracket": (2.8, 0, 0), "tip": (4, 0, 0)}, modes=0)
    m = pl.Model("hydraulic crane", gravity=(0, 0, -9.81))
    m.add(pl.ModalBody("boom", part, position=(0, 0, 0), damping=0.02))
    m.add(pl.RigidBody.rod("jib", (4, 0, 0), (6.5, 0, -0.4), mass=120.0, radius=0.06))
    m.add(pl.RigidBody.sphere("load", 0.25, mass=400.0, position=(6.5, 0, -0.4)))
    m.add(pl.Revolute("hinge", m.ground, "boom.root", axis=(0, -1, 0)))
    m.add(pl.Revolute("elbow", "boom.tip", "jib.start", axis=(0, -1, 0)))
    m.add(pl.Fixed("hook", "jib.end", "load"))
    m.add(pl.HydraulicCylinder("hinge_cylinder", m.ground.frame((0.2, 0, -1.2)), "boom.lug", closed=1.0, **CYLINDER))
    m.add(pl.HydraulicCylinder("elbow_cylinder", "boom.bracket", m["jib"].frame((-0.9, 0, 0.55)), closed=1.2, **CYLINDER))
    m.add(pl.HydraulicSupply("supply", "210 bar"))
    m.add(pl.HydraulicSupply("tank", "1 bar"))
    for joint in TURNS:
        add_axis(m, joint)
    return m


def run() -> pl.Solution:
    return model().simulate(DURATION, output_step=0.02, start="static", coordinates="joint")


def errors(sol: pl.Solution) -> dict[str, float]:
    before, balance = sol.t <= MOVE, sol.energy.balance
    return {"motion before the move [rad]": max(float(np.ptp(sol[f"{joint}.angle"][before])) for joint in TURNS),
            "distance from the aim [rad]": max(abs(float(sol[f"{joint}.angle"][-1]) - turn) for joint, turn in TURNS.items()),
            "energy that is missing [relative]": float(abs(balance - balance[0]).max() / abs(sol.energy.work).max())}


if __name__ == "__main__":
    print(errors(sol := run()))
    sol.plot("hinge.angle", "elbow.angle", "hinge_cylinder.cap.pressure", path="hydraulic_crane.png")
