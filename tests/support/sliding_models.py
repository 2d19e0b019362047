"""Models in which something slides along a flexible body."""
from functools import cache

import numpy as np

import pliant as pl

STEEL, SOFT = pl.Material(2e11, 0.3, 7800), pl.Material(2e9, 0.3, 2000)
L, B, H = 4.0, 0.06, 0.08


@cache
def bow(height=0.1, length=2.0, elements=16, material=SOFT, section=(0.03, 0.04), modes=2):
    """A soft beam that is bent as made, in the x-y plane."""
    x = np.linspace(0, length, elements + 1)
    points = np.column_stack([x, height * np.sin(np.pi * x / length), 0 * x])
    mesh = pl.flex.mesh_beam(points, pl.Section.rectangle(*section), material, elements=elements)
    return pl.flex.reduce(mesh, {"start": points[0], "end": points[-1]}, modes=modes, lines={"rail": range(elements + 1)})


def crane(turning="axis"):
    """In space, turning and swinging: a soft bent boom, a load on it between springs."""
    m = pl.Model("crane", gravity=(0.3, -0.5, -9.81))
    boom = m.add(pl.ModalBody("boom", bow(), position=(0, 0, 0)))
    load = m.add(pl.RigidBody("load", mass=0.5, inertia=(0.002, 0.003, 0.004), com=(0.05, 0.02, -0.03)))
    m.add(pl.Revolute("A", m.ground, boom["start"], axis=(0.2, 1, 0.1)))
    m.add(pl.TorsionSpring("T", "A", 100.0))
    m.add(pl.SlidingOnBeam("S", boom["rail"], load, turning=turning, displacement=0.7, displacement_rate=0.5))
    m.add(pl.AxialSpring("K", "S", 20.0, 0.1, 0.9))
    return m


def floating(turning):
    """Free in space, spinning off all axes, vibrating."""
    m = pl.Model("floating")
    beam = m.add(pl.ModalBody("beam", bow(), rotation=(0.5, -0.1, 0.7, 0.5), position=(0.3, -0.2, 0.5), velocity=(0.1, 0.2, -0.3),
                              angular_velocity=(2.0, 0.4, -0.6), modal={"mode 1": 0.05, "mode 2": -0.03}))
    load = m.add(pl.RigidBody("load", mass=0.8, inertia=(0.002, 0.003, 0.004), com=(0.05, 0.02, -0.03)))
    m.add(pl.SlidingOnBeam("S", beam["rail"], load, turning=turning, displacement=0.7, displacement_rate=1.5))
    return m


def geared():
    """Two loads on one boom: a rack moves one, a drive the other."""
    m = pl.Model("geared", gravity=(0.3, -0.5, -9.81))
    boom = m.add(pl.ModalBody("boom", bow(), position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, boom["start"], axis=(0.2, 1, 0.1)))
    m.add(pl.TorsionSpring("T", "A", 100.0))
    m.add(pl.RigidBody("load", mass=0.5, inertia=(0.002, 0.003, 0.004), com=(0.05, 0.02, -0.03)))
    m.add(pl.RigidBody("other", mass=0.4, inertia=(0.003, 0.003, 0.004)))
    m.add(pl.RigidBody("pinion", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 2.0, 0)))
    m.add(pl.Revolute("P", m.ground.frame((0, 2.0, 0)), "pinion", axis="z", angle_rate=3.0))
    m.add(pl.SlidingOnBeam("S", boom["rail"], "load", turning="none"))
    m.add(pl.SlidingOnBeam("R", boom["rail"], "other"))
    m.add(pl.RackPinion("G", "S", "P", radius=0.2))
    m.add(pl.Drive("R", "displacement", "1.2 + 0.2*sin(4*t)", name="winch"))
    return m
