"""Small mechanisms that several tests run."""
import math

import pliant as pl

OMEGA, CRANK, ROD = 10.0, 0.15, 0.3  # of the slider crank: rad/s, m


def slider_crank(function="10 * t") -> pl.Model:
    m = pl.Model("slider crank", gravity=(0, -9.81, 0))
    crank = m.add(pl.RigidBody.rod("crank", (0, 0, 0), (CRANK, 0, 0), mass=0.36))
    rod = m.add(pl.RigidBody.rod("rod", (CRANK, 0, 0), (CRANK + ROD, 0, 0), mass=0.2))
    slider = m.add(pl.RigidBody("slider", mass=0.0755, inertia=(1e-5, 1e-5, 1e-5), position=(CRANK + ROD, 0, 0)))
    m.add(pl.Revolute("A", m.ground, crank["start"], axis="z"))
    m.add(pl.Revolute("B", crank["end"], rod["start"], axis="z"))
    m.add(pl.Revolute("C", rod["end"], slider, axis="z"))
    m.add(pl.Prismatic("D", m.ground, slider, axis="x"))
    m.add(pl.Drive("A", "angle", function, name="motor"))
    m.add(pl.Measure("gap", m.ground, slider))
    return m


def four_bar() -> pl.Model:
    m = pl.Model("four-bar", gravity=(0, -9.81, 0))
    left = m.add(pl.RigidBody.rod("left", start=(0, 0, 0), end=(0, 1, 0), mass=1.0, velocity_at_end=(1, 0, 0)))
    top = m.add(pl.RigidBody.rod("top", start=(0, 1, 0), end=(1, 1, 0), mass=1.0))
    right = m.add(pl.RigidBody.rod("right", start=(1, 0, 0), end=(1, 1, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground.frame((0, 0, 0)), left["start"], axis="z"))
    m.add(pl.Revolute("B", left["end"], top["start"], axis="z"))
    m.add(pl.Revolute("C", top["end"], right["end"], axis="z"))
    m.add(pl.Revolute("D", m.ground.frame((1, 0, 0)), right["start"], axis="z"))
    return m


def box_on_springs() -> pl.Model:
    m = pl.Model("box on springs", gravity=(0, 0, -9.81))
    box = m.add(pl.RigidBody.box("box", (1.0, 0.6, 0.4), mass=20, position=(0, 0, 1), velocity=(0, 0, 1),
                                 angular_velocity=(0, 0.8, 0)))
    for k, (x, y) in enumerate([(-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3)]):
        m.add(pl.SpringDamper(f"k{k}", m.ground.frame((1.8 * x, 1.8 * y, 0)), box.frame((x, y, -0.2)), 1500, 5.0))
    return m


def pendulum(start: float = math.pi / 2) -> pl.Model:
    """A point-like mass 1 kg at 0.8 m from the origin, ``start`` [rad] from hanging down."""
    m = pl.Model("pendulum", gravity=(0, -9.81, 0))
    bob = m.add(pl.RigidBody.sphere("bob", 0.05, mass=1.0, position=(0.8 * math.sin(start), -0.8 * math.cos(start), 0)))
    m.add(pl.Revolute("A", m.ground, bob.frame((-0.8 * math.sin(start), 0.8 * math.cos(start), 0)), axis="z"))
    return m
