"""Contacts that stick and structure that has changed, in runs that kill themselves; as a program:

    python tests/support/killed_contacts.py CASE FILE
"""
import os
import signal
import sys

import pliant as pl
from pliant.methods.integrators.time_loop import run as runs

G = 9.81


def resting(**law) -> pl.Model:
    """A box that falls onto a floor, slides, sticks and is pushed to and fro, less than it bears; a ball that bounces beside it."""
    m = pl.Model("resting", gravity=(0.5, 0, -G))
    m.add(pl.RigidBody.box("box", (0.2, 0.3, 0.1), mass=2.0, position=(0, 0, 0.051), velocity=(0.2, 0.1, 0), angular_velocity=(0, 0, 1)))
    m.add(pl.RigidBody.sphere("ball", 0.05, mass=0.5, position=(0.5, 0, 0.3), angular_velocity=(3, 4, 5)))
    m.add(pl.Force("push", "box", ("2*sin(40*t)", "1.5*cos(31*t)", 0)))
    m.add(pl.Contact("feet", m.ground, "box", friction=0.5, **law))
    m.add(pl.Contact("bounce", m.ground, "ball", friction=0.2, **law))
    return m


def breaking() -> pl.Model:
    """A pendulum in space whose hinge breaks as the force in it grows; then it falls and strikes the floor."""
    m = pl.Model("breaking", gravity=(0, 1.0, -G))
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(0.6, 0, 0), mass=1.0, radius=0.02))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis=(0.1, 1, 0)))
    m.add(pl.Event("snap", "A.force.z > 15", [pl.Break("A")]))
    m.add(pl.Contact("c", m.ground.frame((0, 0, -0.8)), rod["end"], surface_a="plane", surface_b=pl.Surface.sphere(0.02), stiffness=1e6,
                     restitution=0.6, friction=0.3))
    return m


CASES = {"bristle": (lambda: resting(stiffness=1e7), 0.8), "rigid": (lambda: resting(law="rigid"), 0.8), "break": (breaking, 0.8)}
DEADLY = 0.6  # part of a run
FINE = {"accuracy": 1e-6, "integrator": pl.DOP853()}
OPTIONS = {"output_step": 0.01, **FINE}


def deadly(t, end):
    if t >= DEADLY * end:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    runs.LEAST, runs.MOST, runs.SLICE = 10, 130, 1e-4  # as in `interrupted.short_intervals` and `one_slice`
    model, duration = CASES[sys.argv[1]]
    model().simulate(duration, out=sys.argv[2], progress=deadly, **OPTIONS)
