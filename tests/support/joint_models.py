"""Spatial models with every kind of joint, for comparisons of joint and absolute coordinates."""
import numpy as np

import pliant as pl
from pliant.items.base import KINDS

CARRIERS = ("revolute", "prismatic", "cylindrical", "screw", "universal", "spherical", "planar", "fixed")


def _axis(rng) -> np.ndarray:
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def _joint(kind: str, name: str, a, b, rng) -> pl.Joint:
    axis = _axis(rng)
    if kind == "universal":
        other = np.cross(axis, _axis(rng))
        return pl.Universal(name, a, b, axis=axis, axis_b=other / np.linalg.norm(other))
    if kind == "spherical":
        return pl.Spherical(name, a, b)
    return pl.Screw(name, a, b, axis=axis, lead=0.3) if kind == "screw" else KINDS["joints"][kind](name, a, b, axis=axis)


def tree(kinds, seed: int = 0, floating: bool = False, springs: bool = True) -> pl.Model:
    """A random tree, one body per joint, every second one with its joint the other way round."""
    rng = np.random.default_rng(seed)
    m = pl.Model("tree", gravity=(1.5, -2.0, -9.0))
    bodies = [m.ground]
    if floating:
        bodies = [m.add(pl.RigidBody("base", mass=2.0, inertia=(0.3, 0.4, 0.5), com=(0.1, 0.0, -0.05), position=(0.2, 0.1, 0.3),
                                     rotation=pl.rotation(_axis(rng), 0.7), angular_velocity=(0.5, -0.8, 0.3)))]
    places = {"ground": (np.zeros(3), np.eye(3)), "base": (np.array([0.2, 0.1, 0.3]), None)}
    for k, kind in enumerate(kinds):
        parent = bodies[int(rng.integers(max(0, len(bodies) - 3), len(bodies)))]
        p = places[parent.name][0] + rng.normal(size=3)
        body = m.add(pl.RigidBody(f"b{k}", mass=1 + rng.random(), inertia=0.2 + 0.05 * rng.random(3), com=0.2 * rng.normal(size=3),
                                  position=p, rotation=pl.rotation(_axis(rng), 2 * rng.random())))
        places[body.name] = p, None
        meet = p + 0.4 * rng.normal(size=3)
        sides = [_at(m, body_, meet) for body_ in (parent, body)]
        if k % 2:
            sides.reverse()
        m.add(_joint(kind, f"j{k}", *sides, rng))
        bodies.append(body)
    if springs:
        m.add(pl.SpringDamper("spring", m.ground.frame((0.5, 0.2, 1.0)), bodies[-1].frame((0.1, 0.2, 0.0)), 20.0, 1.5))
        turning = next((f"j{k}" for k, kind in enumerate(kinds) if kind == "revolute"), None)
        if turning:
            m.add(pl.TorsionSpring("torsion", turning, 3.0, 0.2, 0.1))
    return m


def _at(m: pl.Model, body, point):
    """A frame of a body at a point of the world, axes parallel to the body's."""
    if body.name == "ground":
        return m.ground.frame(point)
    from pliant.items.base import matrix_of
    R = matrix_of(body.rotation)
    return body.frame(R.T @ (np.asarray(point) - np.asarray(body.position)))


def closed_chain(n: int = 6, seed: int = 3, last: str = "spherical") -> pl.Model:
    """A spatial chain from the ground back to it: revolute joints about random axes, and one of another kind."""
    rng = np.random.default_rng(seed)
    m = pl.Model("closed chain", gravity=(0.5, -3.0, -8.0))
    points = np.array([[np.cos(a), np.sin(a), 0.3 * np.sin(2 * a)] for a in np.linspace(0, 1.5 * np.pi, n + 1)])
    before = m.ground.frame(points[0])
    for k in range(n):
        rod = m.add(pl.RigidBody.rod(f"rod{k}", points[k], points[k + 1], mass=1.0, radius=0.05))
        m.add(pl.Revolute(f"j{k}", before, rod["start"], axis=_axis(rng)))
        before = rod["end"]
    m.add(_joint(last, "end", before, m.ground.frame(points[-1]), rng))
    return m
