"""Runs that are stopped and go on: models, fixtures and comparisons."""
import numpy as np
import pytest

import pliant as pl
from pliant.items.base import matrix_of
from pliant.methods.integrators.time_loop import run as runs


@pytest.fixture(autouse=True)
def short_intervals(monkeypatch):
    """A checkpoint every 130 steps."""
    monkeypatch.setattr(runs, "LEAST", 10)
    monkeypatch.setattr(runs, "MOST", 130)


def spatial():
    """Two bodies and a hinge off all axes, damping, and a force with feedback."""
    m = pl.Model("spatial", gravity=(1.0, -2.0, -9.0))
    turn = pl.rotation((1, 2, -1), 0.7)
    a = m.add(pl.RigidBody("a", 1.3, (0.1, 0.2, 0.25), com=(0.1, 0.05, -0.1), rotation=turn, position=(0.2, -0.1, 0.3),
                           angular_velocity=(1, 2, 3)))
    b = m.add(pl.RigidBody("b", 0.7, (0.05, 0.06, 0.07), com=(0.0, 0.1, 0.1), position=(0.9, 0.4, -0.2)))
    m.add(pl.Spherical("A", m.ground.frame((0.2, -0.1, 0.3)), a))
    place = np.array([0.9, 0.4, -0.2]) - np.array([0.2, -0.1, 0.3])
    m.add(pl.Revolute("B", a.frame(tuple(matrix_of(turn).T @ place)), b, axis=(0.3, 1, 0.2)))
    m.add(pl.SpringDamper("s", m.ground.frame((2, 1, 0)), b.frame((0.1, 0.1, 0.2)), 40.0, 1.5))
    m.add(pl.Force("f", "b", ("2*sin(9*t)", "-0.3*b.velocity.y", 0)))
    return m


def without_pivots():
    """A point mass on an arm: every step needs the sparse solver."""
    m = pl.Model("point", gravity=(0.5, -9.81, 2.0))
    bob = m.add(pl.RigidBody.point_mass("bob", 1.0, position=(-1, 0.2, 0.1)))
    m.add(pl.Revolute("A", m.ground, bob.frame((1, -0.2, -0.1)), axis=(0.1, 0.3, 1)))
    return m


def equal(a, b):
    return (a.rows.tobytes() == b.rows.tobytes() and a.energies.tobytes() == b.energies.tobytes() and a.quality == b.quality
            and a.end == b.end and a.complete == b.complete)


class Stop(Exception):
    pass


def stopping(share):
    def progress(t, end):
        if t >= share * end:
            raise Stop
    return progress
