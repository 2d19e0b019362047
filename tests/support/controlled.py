"""Models that controllers are designed for."""
import numpy as np

import pliant as pl


def cart(angle: float = 0.0, gravity: float = 9.8) -> pl.Model:
    """The inverted pendulum of the CTMS tutorials, on a rail that is askew in space."""
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    m = pl.Model("inverted pendulum", gravity=-gravity * R[:, 1])
    m.add(pl.RigidBody("pole", mass=0.2, inertia=(0.006, 0.006, 0.006), position=0.3 * R[:, 1]))
    m.add(pl.RigidBody("cart", mass=0.5, inertia=(1e-3, 1e-3, 1e-3)))
    m.add(pl.Prismatic("rail", m.ground, "cart", axis=R[:, 0]))
    m.add(pl.Revolute("pin", "cart", m["pole"].frame(-0.3 * R[:, 1]), axis=R[:, 2], angle=angle))
    m.add(pl.JointForce("friction", "rail", "-0.1*rail.displacement_rate"))
    return m


def arm(shift: float = 0.0) -> pl.Model:
    """Two turns and a slide in space; the second joint is used from its other side. It starts on REFERENCE, or ``shift`` rad off it."""
    m = pl.Model("arm", gravity=(0.5, 0, -9.81))
    m.add(pl.RigidBody("ram", mass=1, inertia=(0.004, 0.02, 0.02), position=(0.8, 0, 0.4)))
    m.add(pl.RigidBody("column", mass=3, inertia=(0.05, 0.06, 0.04), position=(0, 0, 0.2)))
    m.add(pl.RigidBody("upper", mass=2, inertia=(0.01, 0.05, 0.05), position=(0.3, 0, 0.4)))
    m.add(pl.Revolute("A", m.ground, m["column"].frame((0, 0, -0.2)), axis="z", angle=0.2 + shift, angle_rate=0.0))
    m.add(pl.Revolute("B", m["upper"].frame((-0.3, 0, 0)), m["column"].frame((0, 0, 0.2)), axis=(0, 1, 0.1), angle_rate=1.0))
    m.add(pl.Prismatic("C", m["upper"].frame((0.3, 0, 0)), m["ram"].frame((-0.2, 0, 0)), axis="x",
                       displacement_rate=float(REFERENCE["C.displacement"].evaluate(0.0, 1))))
    return m


TIMES = np.linspace(0, 1, 60)
REFERENCE = {"A.angle": pl.Profile.polynomial(1.2, 1.0, 7, start=0.2), "B.angle": "0.5*sin(2*t)",
             "C.displacement": pl.Table(TIMES, 0.2 * np.sin(TIMES)**3)}
