"""The linkages of `pliant study loops`: own geometry for the three examples of Zhang et al., whose figures give none, in one place.

Rods of 1 m and 1 kg in the plane xy, gravity along x (example 1: along y); all joints are pins about z or slide in the plane.
A flexible rod has two modes, the first two sine waves between its ends, and a bending stiffness that keeps the faster one below 1 / h
at the step of the paper, h = 0.01 s.
"""
# Items accept and check more than their fields say (positional frames), which mypy cannot see.
# mypy: disable-error-code="call-arg, arg-type"
from __future__ import annotations

from functools import cache
from typing import Any, cast

import numpy as np

from ...flex.beams import mesh_beam
from ...flex.material import Material
from ...flex.reduced import Reduced
from ...flex.reduction import reduce
from ...flex.section import Section
from ...items.base import rotation
from ...items.bodies import RigidBody
from ...items.joints import Prismatic, Revolute
from ...items.modal import ModalBody
from ...items.springs import SpringDamper, TorsionSpring
from ...model import Model

STEP = 0.01             # s, of the paper
LENGTH, MASS = 1.0, 1.0
BENDING = 2.4           # N m^2: the modes of a free rod have 35 and 97 rad/s
ELEMENTS, MODES = 16, 2
SPRING, DAMPER = 40.0, 2.0      # N/m, N s/m along the slides of example 3
FRICTION = 0.02         # N m s, in the pins of example 3
GRAVITY = (9.81, 0.0, 0.0)
ARC = (0.0, np.pi / 6, np.pi / 2, 5 * np.pi / 6, np.pi)     # of the rods between the pins of example 3


@cache
def flexible_rod() -> Reduced:
    """Along x, from its frame ``start`` to ``end``; it bends in the plane xy only."""
    E, rho = 1e7, 1000.0
    area, I = MASS / LENGTH / rho, BENDING / E
    mesh = mesh_beam([(0, 0, 0), (LENGTH, 0, 0)], Section.general(area, I, I, 2 * I), Material(E, 0.3, rho), elements=ELEMENTS)
    x, shapes = mesh.nodes[:, 0], np.zeros((len(mesh.nodes), 6, MODES))
    for k in range(MODES):
        shapes[:, 1, k] = np.sin((k + 1) * np.pi * x / LENGTH)
        shapes[:, 5, k] = (k + 1) * np.pi / LENGTH * np.cos((k + 1) * np.pi * x / LENGTH)
    return reduce(mesh, {"start": (0, 0, 0), "end": (LENGTH, 0, 0)}, method="shapes", shapes=shapes.reshape(-1, MODES))


def add_rod(m: Model, name: str, start: np.ndarray, angle: float, flexible: bool = False) -> np.ndarray:
    """A rod from a point on, at an angle to x; its other end."""
    end = start + LENGTH * np.array([np.cos(angle), np.sin(angle), 0.0])
    if flexible:
        m.add(ModalBody(name, flexible_rod(), position=start, rotation=rotation("z", angle)))
    else:
        m.add(RigidBody.rod(name, start, end, mass=MASS))
    return end


def four_bar() -> Model:
    """Example 1: two cranks and a flexible coupler (element 3) on the ground along x, at the paper's angles q1 = q3 = 60 degrees, q2 = -60.
    The coupler is parallel to the ground then; gravity acts along y, so that the cranks swing about 90 degrees. Pin C closes the loop."""
    m = Model("four-bar with a flexible coupler", gravity=(0.0, 9.81, 0.0))
    q1, q2, q3 = np.pi / 3, -np.pi / 3, np.pi / 3
    left, right = np.zeros(3), np.array([LENGTH, 0.0, 0.0])
    end = add_rod(m, "crank", left, q1)
    add_rod(m, "coupler", end, q1 + q2, flexible=True)
    add_rod(m, "rocker", right, q3)
    m.add(Revolute("A", m.ground.frame(left), "crank.start", zero=q1))
    m.add(Revolute("B", "crank.end", "coupler.start", zero=q2))
    m.add(Revolute("D", m.ground.frame(right), "rocker.start", zero=q3))
    m.add(Revolute("C", "coupler.end", "rocker.end"))
    return m


def windows() -> Model:
    """Example 2: 27 elements, 11 rods and 16 pins: five windows side by side, bars hanging from the ground with couplers between them.
    Elements 7, 12, 17, 22 and 27 close loops; bodies 5, 11 and 21 are flexible."""
    m = Model("five windows", gravity=GRAVITY)
    angle, flexible = np.pi / 6, (5, 11, 21)
    places = [np.array([0.0, k * LENGTH, 0.0]) for k in range(6)]
    ends = [add_rod(m, f"body_{n}", p, angle, n in flexible) for n, p in zip((2, 6, 11, 16, 21, 26), places, strict=True)]
    for k in range(5):
        add_rod(m, f"body_{5 + 5 * k}", ends[k], np.pi / 2, 5 + 5 * k in flexible)
    bars, couplers = (2, 6, 11, 16, 21, 26), (5, 10, 15, 20, 25)
    m.add(Revolute("joint_1", m.ground.frame(places[0]), "body_2.start"))
    for k in range(5):
        m.add(Revolute(f"joint_{3 + 5 * k}", m.ground.frame(places[k + 1]), f"body_{bars[k + 1]}.start"))
        m.add(Revolute(f"joint_{4 + 5 * k}", f"body_{bars[k]}.end", f"body_{couplers[k]}.start"))
    for k in range(5):
        m.add(Revolute(f"joint_{7 + 5 * k}", f"body_{couplers[k]}.end", f"body_{bars[k + 1]}.end"))
    return m


def slides(rods: int = 9) -> Model:
    """Example 3: one loop of 9 rods: pins 1, 3, 5, 7, 9, slides 11, 13, 15, 17 across and along x in turn, pin 19 closes it. Body 6 is
    flexible. Springs and dampers along the slides, which nothing else holds, and a little friction in the pins. With more ``rods`` it is
    the loop of figure 22: as many pins as slides (one more, if the number is odd), every tenth rod flexible."""
    m = Model("five pins and four slides" if rods == 9 else f"loop of {rods} rods", gravity=GRAVITY)
    point, before, pins = np.zeros(3), cast(Any, m.ground.frame((0, 0, 0))), (rods + 1) // 2
    for k in range(rods):
        number, name = 1 + 2 * k, f"body_{2 + 2 * k}"
        flexible = k == 2 if rods == 9 else k % 10 == 5
        if k < pins:
            angle = ARC[k] if rods == 9 else np.pi * k / (pins - 1)
            end = add_rod(m, name, point, angle, flexible)
            m.add(Revolute(f"joint_{number}", before, f"{name}.start"))
            m.add(TorsionSpring(f"friction_{number}", f"joint_{number}", 0.0, FRICTION))
        else:
            axis, last = "yx"[(k - pins) % 2], str(before).partition(".")[0]
            end = add_rod(m, name, point, np.pi / 2 if axis == "y" else np.pi, flexible)
            m.add(Prismatic(f"joint_{number}", before, f"{name}.start", axis=axis))
            m.add(SpringDamper(f"spring_{number}", f"{last}.start", f"{name}.end", SPRING, DAMPER))
        before, point = f"{name}.end", end
    m.add(Revolute(f"joint_{2 * rods + 1}", before, m.ground.frame(point)))
    return m
