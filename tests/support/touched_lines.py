"""Balls that touch lines of flexible bodies."""
from __future__ import annotations

from functools import cache

import exact_beams
import numpy as np
from contact_tangents import FRICTIONS, LAWS, compared
from derivatives import ComplexStep
from sliding_models import bow

import pliant as pl
from pliant.families.contacts import MEMORY, MET
from pliant.flex.reduced import Reduced
from pliant.items.base import matrix_of
from pliant.kernels import evaluation
from pliant.kernels.contract import F
from pliant.kernels.pairs import FB

TURN, PLACE = (0.5, -0.1, 0.7, 0.5), np.array([0.3, -0.2, 0.5])
SPIN = np.array([2.0, 0.4, -0.6])          # of the beam, in its own axes
TUBE, BALL = pl.Surface.tube("20 mm"), 0.05


def bent(gravity=(0.0, 0.0, 0.0)):
    """A soft beam that is curved as made, off all axes, spinning and vibrating; its points and axes at the start."""
    m, part = pl.Model("touched line", gravity=gravity), bow()
    m.add(pl.ModalBody("beam", part, rotation=TURN, position=PLACE, velocity=(0.1, 0.2, -0.3), angular_velocity=SPIN,
                       modal={"mode 1": 0.05, "mode 2": -0.03}))
    return m, np.array([part.nodes[n].u0 for n in part.lines["rail"]]), matrix_of(TURN)


def floating(order=1, share=6.4, away=(0.0, 0.03, 0.075), **fields):
    """A ball that comes to the spinning beam in space, beside its node ``share`` and so far from it; ``order`` -1: ball and sides first."""
    m, line, R = bent()
    k = int(np.clip(share, 0, len(line) - 2))
    at = line[k] + (share - k) * (line[k + 1] - line[k]) + np.array(away)
    speed = np.array([0.1, 0.2, -0.3]) + R @ (np.cross(SPIN, at) + (0.5, -0.6, -1.0))
    m.add(pl.RigidBody.sphere("ball", BALL, mass=0.7, position=PLACE + R @ at, velocity=speed, angular_velocity=(3.0, -2.0, 5.0)))
    sides = [("beam.rail", TUBE), ("ball", pl.Surface.sphere(BALL))][::order]
    m.add(pl.Contact("c", *(frame for frame, _ in sides), surface_a=sides[0][1], surface_b=sides[1][1], **fields))
    return m if order == 1 else exchanged(m)


def exchanged(m):
    """The same with the bodies in the other order."""
    new = pl.Model(m.name, gravity=m.gravity)
    for item in [*list(m.section("bodies"))[::-1], *(i for i in m if i.section != "bodies")]:
        new.add(item)
    return new


def two_beams(order=1, **fields):
    """A ball at a node of a second flexible body, which is turned otherwise."""
    m, line, R = bent()
    part, other = bow(), pl.rotation((1, 2, -1), 0.9)
    at = PLACE + R @ (0.6 * line[6] + 0.4 * line[7] + (0.01, 0.03, 0.05))
    end = part.nodes["end"].u0
    speed = np.array([0.1, 0.2, -0.3]) + R @ (np.cross(SPIN, R.T @ (at - PLACE)) + (0.4, -0.6, -1.0))
    m.add(pl.ModalBody("other", part, rotation=other, position=at - matrix_of(other) @ end, velocity=speed,
                       angular_velocity=(-0.1, 0.05, 0.2), modal={"mode 1": 0.02, "mode 2": 0.03}))
    sides = [("beam.rail", TUBE), ("other.end", pl.Surface.sphere(0.06))][::order]
    m.add(pl.Contact("c", *(frame for frame, _ in sides), surface_a=sides[0][1], surface_b=sides[1][1], **fields))
    return m if order == 1 else exchanged(m)


def tangent_error(m, seed=1):
    """Of the exact tangent against complex steps, while they touch and bristles are bent."""
    c = ComplexStep(m.compile(exact=True).system, seed=seed)
    s = c.system
    c.real.H[:] = 0
    evaluation.run(s.program("update"), s.data, c.real, c.t, 0.0, 0.0, 0.0)
    c.tangent(0.0, 0.0, 1.0)
    for family, (first, last) in s.families.items():
        for e in range(first, last) if family.name.startswith("contact") else ():
            assert c.real.H[s.data.ip[e, MEMORY] + MET] > 0 and abs(c.real.X[s.data.ip[e, FB], F:F + 3]).max() > 0
            c.real.H[s.data.ip[e, MEMORY] + MET] = 0.3
    for k, state in enumerate(s.states):
        c.real.v[state.iv] = (-1) ** k * 0.55 * state.nominal
    return compared(c)


# -- a straight beam on two supports that bends along z, with exact sines as shapes; turned, so that nothing is along an axis
SPAN, WIDE, MODES, HELD = 1.2, 0.03, 4, (0.5, -0.1, 0.7, 0.5)
MASS, OMEGA = 2.0, 40.0 * np.arange(1, MODES + 1) ** 2


def sines(x):
    return np.sqrt(2 / MASS) * np.sin(np.outer(np.arange(1, MODES + 1) * np.pi / SPAN, x))


@cache
def straight(nodes=100, stiff=1.0):
    """The middle is no node of its line, but one by itself."""
    at = {f"n{k}": x for k, x in enumerate(np.linspace(0, SPAN, nodes))} | {"middle": SPAN / 2}
    p = exact_beams.part(SPAN, WIDE, MASS, sines, stiff * OMEGA, at)
    return Reduced(p.names, p.integrals, p.Kqq, p.nodes, lines={"rail": [f"n{k}" for k in range(nodes)]})


def crossing(place, velocity, spin=(0.0, 0.0, 0.0), gravity=(0.0, 0.0, -9.81), node=None, order=1, stiff=1.0, turns=True, **fields):
    """A ball at a place of the beam, in its axes, as gravity is; ``node``: a sphere there instead of the line; ``turns``: or it is too
    heavy to turn."""
    R = matrix_of(HELD)
    m = pl.Model("crossing", gravity=R @ gravity)
    m.add(pl.ModalBody("beam", straight(stiff=stiff), position=PLACE, rotation=HELD))
    m.add(pl.RigidBody("ball", 0.5, (0.4 * 0.5 * BALL**2 if turns else 1e6,) * 3, position=PLACE + R @ place, velocity=R @ velocity,
                       angular_velocity=R @ spin))
    m.add(pl.Fixed("A", m.ground.frame(PLACE, HELD), "beam.held"))
    surface = TUBE if node is None else pl.Surface.sphere(TUBE.radius)
    sides = [(f"beam.{node or 'rail'}", surface), ("ball", pl.Surface.sphere(BALL))][::order]
    m.add(pl.Contact("c", *(frame for frame, _ in sides), surface_a=sides[0][1], surface_b=sides[1][1], **fields))
    return m


def hinged(height=0.0695, **fields):
    """A ball comes to a soft bent beam that hangs on a hinge."""
    m, line = pl.Model("hinged", gravity=(0.3, -0.5, -9.81)), bent()[1]
    m.add(pl.ModalBody("beam", bow(), position=(0, 0, 0)))
    m.add(pl.Revolute("A", m.ground, "beam.start", axis=(0.2, 1, 0.1)))
    m.add(pl.TorsionSpring("T", "A", 100.0))
    m.add(pl.RigidBody.sphere("ball", BALL, mass=0.3, position=(line[8] + line[9]) / 2 + (0, 0.01, height), velocity=(0.8, 0.05, -0.2),
                              angular_velocity=(1, 5, -2)))
    m.add(pl.Contact("c", "beam.rail", "ball", surface_a=TUBE, stiffness=1e6, **fields))
    return m


__all__ = ["FRICTIONS", "LAWS", "bent", "crossing", "exchanged", "floating", "hinged", "straight", "tangent_error", "two_beams"]
