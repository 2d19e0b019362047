"""What cases for `check` are made of. A case has what must be found in a mechanism, no more and no less: {(code, items)} of errors and
warnings; where ``notes`` is given, of notes as well (else they are not compared)."""
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pliant as pl

DEGREE = np.radians(1.0)


@dataclass
class Case:
    build: Callable[[], pl.Model]
    expected: set[tuple[str, tuple[str, ...]]]
    notes: set[tuple[str, tuple[str, ...]]] | None = None

    @property
    def name(self) -> str:
        return self.build.__name__


SICK: list[Case] = []
HEALTHY: list[Case] = []


def sick(*expected: tuple[str, str], notes: list[tuple[str, str]] | None = None):
    """Items are given as one text, separated by blanks."""
    def add(build):
        SICK.append(Case(build, _pairs(expected), None if notes is None else _pairs(notes)))
        return build
    return add


def healthy(*notes: tuple[str, str]):
    def add(build):
        HEALTHY.append(Case(build, set(), _pairs(notes)))
        return build
    return add


def _pairs(found):
    return {(code, tuple(items.split())) for code, items in found}


def rod(m, name, start, end, mass=1.0, **more):
    return m.add(pl.RigidBody.rod(name, start, end, mass=mass, **more))


def four_bar(axis_c="z", name="four-bar", **more) -> pl.Model:
    """Crank 0.3, coupler 0.9, rocker 0.6, ground 0.8: no special position."""
    m = pl.Model(name, gravity=(0, -9.81, 0), **more)
    a, b, d = np.zeros(3), np.array([0.1, 0.28, 0]), np.array([0.8, 0, 0])
    c = d + 0.6 * np.array([np.cos(1.3), np.sin(1.3), 0])
    rod(m, "crank", a, b)
    rod(m, "coupler", b, c, 2.0)
    rod(m, "rocker", d, c)
    m.add(pl.Revolute("A", m.ground, "crank.start"))
    m.add(pl.Revolute("B", "crank.end", "coupler.start"))
    m.add(pl.Revolute("C", "coupler.end", "rocker.end", axis=axis_c))
    m.add(pl.Revolute("D", m.ground.frame(d), "rocker.start"))
    return m


LOOP = [("redundant-equations", "A B C D"), ("non-unique-reactions", "A B C D")]


def door(second=pl.Revolute, shift=0.0) -> pl.Model:
    m = pl.Model("door", gravity=(0, 0, -9.81))
    leaf = m.add(pl.RigidBody.box("leaf", (0.8, 0.04, 2.0), mass=30, position=(0.4, 0, 1)))
    m.add(pl.Revolute("upper", m.ground.frame((0, 0, 1.8)), leaf.frame((-0.4, 0, 0.8))))
    if second is pl.Bushing:
        m.add(pl.Bushing("lower", m.ground.frame((0, 0, 0.2)), leaf.frame((-0.4, 0, -0.8)), stiffness=[1e6, 1e6, 1e6, 0, 0, 0],
                         damping=[1e3, 1e3, 1e3, 0, 0, 0]))
    else:
        m.add(second("lower", m.ground.frame((shift, 0, 0.2)), leaf.frame((shift - 0.4, 0, -0.8))))
    return m


def slider_crank(slide="x", angle=0.6, driven=None, **more) -> pl.Model:
    m = pl.Model("slider crank", gravity=(0, -9.81, 0), **more)
    pin = 0.15 * np.array([np.cos(angle), np.sin(angle), 0])
    end = np.array([pin[0] + np.sqrt(0.45**2 - pin[1]**2), 0, 0])
    rod(m, "crank", (0, 0, 0), pin, 0.36)
    rod(m, "link", pin, end, 0.5)
    m.add(pl.RigidBody.box("slider", (0.08, 0.05, 0.05), mass=0.8, position=end))
    m.add(pl.Revolute("A", m.ground, "crank.start"))
    m.add(pl.Revolute("B", "crank.end", "link.start"))
    m.add(pl.Revolute("C", "link.end", "slider"))
    m.add(pl.Prismatic("D", m.ground.frame(end), "slider", axis=slide))
    if driven:
        m.add(pl.Drive(*driven, name="motor"))
    return m


def spherical_four_bar(off=0.0) -> pl.Model:
    """Four axes through the origin; ``off`` turns that of C away."""
    m = pl.Model("wrist")
    u = np.array([(1, 0, 0.2), (0.6, 0.7, 0.3), (-0.3, 0.8, 0.5), (-0.5, 0.1, 0.8)])
    u /= np.linalg.norm(u, axis=1)[:, None]
    for name, i, j in (("first", 0, 1), ("second", 1, 2), ("third", 2, 3)):
        rod(m, name, u[i], u[j])
    side = np.cross(u[2], (0.3, 0.1, 0.9))
    axis_c = np.cos(off) * u[2] + np.sin(off) * side / np.linalg.norm(side)
    m.add(pl.Revolute("A", m.ground.frame(u[0]), "first.start", axis=u[0]))
    m.add(pl.Revolute("B", "first.end", "second.start", axis=u[1]))
    m.add(pl.Revolute("C", "second.end", "third.start", axis=axis_c))
    m.add(pl.Revolute("D", m.ground.frame(u[3]), "third.end", axis=u[3]))
    return m


def gear_pair() -> pl.Model:
    m = pl.Model("gears")
    for name, x in (("pinion", 0.0), ("wheel", 0.15)):
        m.add(pl.RigidBody.cylinder(name, 0.05 + x / 3, 0.03, mass=1.0, position=(x, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "pinion"))
    m.add(pl.Revolute("B", m.ground.frame((0.15, 0, 0)), "wheel"))
    m.add(pl.Gear("mesh", "A", "B", teeth=(20, 40)))
    return m


def parallelogram(angle, *drives) -> pl.Model:
    m = pl.Model("parallelogram")
    up = 0.4 * np.array([np.cos(angle), np.sin(angle), 0])
    base = np.array([1.0, 0, 0])
    rod(m, "left", (0, 0, 0), up)
    rod(m, "top", up, up + base, 2.0)
    rod(m, "right", base, base + up)
    m.add(pl.Revolute("A", m.ground, "left.start"))
    m.add(pl.Revolute("B", "left.end", "top.start"))
    m.add(pl.Revolute("C", "top.end", "right.end"))
    m.add(pl.Revolute("D", m.ground.frame(base), "right.start"))
    for name, joint, function in drives:
        m.add(pl.Drive(joint, "angle", function, name=name))
    return m


TEN_SECONDS = {"duration": 10.0}


def pendulum(**settings):
    m = pl.Model("pendulum", gravity=(0, 0, -9.81), settings=TEN_SECONDS | settings)
    rod(m, "bar", (0, 0, 0), (1, 0, 0))
    m.add(pl.Revolute("A", m.ground, "bar.start", axis="y"))
    return m


def swinging(*items, **settings):
    m = pendulum(**settings)
    for item in items:
        m.add(item)
    return m
