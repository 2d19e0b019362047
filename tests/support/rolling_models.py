"""Models of what rolls, with known motions."""
import numpy as np

import pliant as pl

G = 9.81
SLOPE, STEEP = np.radians(30), np.radians(75)
TILT = pl.rotation((1.0, 2.0, -0.5), 0.7)  # of whole models, off all axes


def turned(v, by=TILT):
    """A vector of a model in a frame that is turned."""
    from pliant.items.base import matrix_of
    return tuple(matrix_of(by) @ np.array(v, float))


def blade():
    """A blade on a slope, x downhill, turning with 2 rad/s; it starts at rest along the fall line."""
    m = pl.Model("blade", gravity=(G * np.sin(SLOPE), 0, -G * np.cos(SLOPE)))
    m.add(pl.RigidBody("blade", mass=2.0, inertia=(0.1, 0.2, 0.3), angular_velocity=(0, 0, 2.0)))
    m.add(pl.Planar("plane", "ground", "blade", axis="z"))
    m.add(pl.KnifeEdge("edge", "ground", "blade", axis="y"))
    return m


def disc(radius=0.5, theta=STEEP, spin=(0.3, 0.5, 6.0), by=(1.0, 0.0, 0.0, 0.0), others=0):
    """A thin disc of 1 kg at the origin, its axis at the angle theta from the vertical; ``spin``: about the horizontal tangent, up the
    disc, about its axis. The whole turned by ``by``, with other bodies before it."""
    s, c = np.sin(theta), np.cos(theta)
    m = pl.Model("disc", gravity=turned((0, 0, -G), by))
    for k in range(others):
        m.add(pl.RigidBody(f"other_{k}", mass=2.0, inertia=(1, 2, 3), position=(3, k, 0)))
    from pliant.items.rotations import product
    m.add(pl.RigidBody("disc", mass=1.0, inertia=(radius**2 / 4, radius**2 / 4, radius**2 / 2), position=turned((0, 0, radius * s), by),
                       rotation=product(by, pl.rotation((1, 0, 0), theta)), angular_velocity=spin))
    m.add(pl.RollingDisc("roll", "ground", "disc", radius=radius, axis=turned((0, 0, 1), by), axis_b=turned((0, -s, c), by)))
    return m


def turntable(speed=5.0, radius=0.1):
    """A sphere on a table that turns."""
    m = pl.Model("turntable", gravity=(0, 0, -G))
    m.add(pl.RigidBody("table", mass=30.0, inertia=(1, 1, 2)))
    m.add(pl.Revolute("axle", "ground", "table"))
    m.add(pl.Drive("axle", "angle", f"{speed}*t", name="motor"))
    m.add(pl.RigidBody("ball", mass=2.0, inertia=(0.4 * 2 * radius**2,) * 3, position=(0.8, 0, radius), velocity=(0.3, 0.4, 0)))
    m.add(pl.RollingSphere("roll", "table", "ball", radius=radius))
    return m


def globe(angle, inside=False, radius=0.1, sphere=1.0, by=(1.0, 0.0, 0.0, 0.0), **how):
    """A ball of 2 kg on a sphere, at an angle from the top, or in a bowl, at an angle from its bottom."""
    way = sphere - radius if inside else sphere + radius
    at = way * np.array([np.sin(angle), 0, -np.cos(angle) if inside else np.cos(angle)])
    m = pl.Model("globe", gravity=turned((0, 0, -G), by))
    m.add(pl.RigidBody("ball", mass=2.0, inertia=(0.4 * 2 * radius**2,) * 3, position=turned(at, by), **how))
    m.add(pl.RollingSphere("roll", "ground", "ball", radius=radius, sphere=sphere, inside=inside))
    return m


def wheelset(lateral=1e-4, speed=1.0, yaw=0.0):
    """Two conical wheels on rails, a little beside the middle."""
    m = pl.Model("wheelset", gravity=(0, 0, -G))
    m.add(pl.RigidBody("wheels", mass=1500.0, inertia=(800.0, 100.0, 800.0), position=(0, lateral, 0.46), velocity=(speed, 0, 0)))
    m.add(pl.Wheelset("track", "ground", "wheels", radius=0.46, gauge=1.5, conicity=0.05))
    return m
