"""The spaghetti of Simo and Vu-Quoc 1986 in free flight: L = 10, EA = GA = 1e4, EI = GJ, rho A = 1, rho I = 10 per length, thrown."""
import numpy as np
from beam_items import BeamElement

import pliant as pl
from pliant.items.base import quaternion_of

PARTS, LENGTH = 10, 10.0
ALONG = np.array([-0.6, 0.8, 0.0])
AXES = np.column_stack([ALONG, np.cross((0, 0, 1), ALONG), (0, 0, 1)])
FOOT = np.array([6.0, 0, 0])


def spaghetti(*, lumped=False, formulation="exact", joint=False, order=range(PARTS + 1), stiffness=(1e4, 1e4, 1e4, 100.0, 100.0, 100.0),
              damping=0.0, offset=0.0, gravity=(0.0, 0.0, 0.0), calm=False):
    """``joint``: an arm hangs on its end, by a skew hinge; ``order`` in which nodes are added; ``offset``: first moments of node 4;
    ``calm``: it begins with its rigid motion alone."""
    m, h = pl.Model("spaghetti", gravity=gravity), LENGTH / PARTS
    for k in order:
        part, s = h * (0.5 if k in (0, PARTS) else 1), k / PARTS
        v, w = (2 + 3 * np.cos(np.pi * s), 3 * np.sin(2 * np.pi * s), 4 * np.sin(3 * s)), (np.sin(4 * s), -0.7, 0.5 - 3 * s)
        if calm:
            v, w = (2, 1, 1) + np.cross((0.3, -0.7, -1), ALONG * LENGTH * s), AXES.T @ (0.3, -0.7, -1)
        m.add(pl.RigidBody(f"node_{k}", mass=part if lumped else 1e-9, inertia=(10 * part,) * 3, position=tuple(FOOT + ALONG * h * k),
                           rotation=quaternion_of(AXES), velocity=tuple(v), angular_velocity=tuple(w)))
    for k in range(PARTS):
        m.add(BeamElement(f"part_{k}", f"node_{k}", f"node_{k + 1}", stiffness=tuple(np.diag(stiffness).ravel()), length=h,
                          mass=0.0 if lumped else h, formulation=formulation, damping=damping,
                          moment=(0.2 * offset, offset, -offset) if k == 4 else (0.0, 0.0, 0.0)))
    if joint:
        tip = FOOT + LENGTH * ALONG
        m.add(pl.RigidBody("arm", 3.0, (1.0, 2.0, 1.5), position=tuple(tip + (0.3, 1.5, 0.2))))
        m.add(pl.Revolute("hinge", f"node_{PARTS}", "arm", at=tuple(tip), axis=(1, 2, -1)))
    return m


def drift(sol):
    """Of the energy and of both momenta, in parts of themselves."""
    E = sol["energy.kinetic"] + sol["energy.potential"] + sol["energy.elastic"] + sol["energy.dissipated"]
    parts = [sol["model.momentum"], sol["model.angular_momentum"]]
    return np.array([abs(E - E[0]).max() / E[0], *(abs(p - p[0]).max() / np.linalg.norm(p[0]) for p in parts)])
