"""Rows of bodies without inertia about an axis are refined by compiled factors, to what least squares give."""
import numpy as np
import pytest

import pliant as pl
from pliant.compile.compiled_model import CompiledModel


def rods():
    """A chain of slender rods, off all axes, and a point mass on a stick that has none."""
    m = pl.Model("rods", gravity=(0.3, -1, -9.81))
    one = m.add(pl.RigidBody("one", 1.0, (0.1, 0.1, 0.0), com=(0, 0, 0.5)))
    two = m.add(pl.RigidBody("two", 2.0, (0.0, 0.3, 0.3), com=(0.4, 0, 0), position=(0, 0, 1)))
    m.add(pl.Revolute("A", m.ground, one, axis=(1, 2, 0.5), angle_rate=2.0))
    m.add(pl.Revolute("B", one.frame((0, 0, 1)), two, axis=(0.2, 1, 0.3), angle_rate=-1.0))
    bob = m.add(pl.RigidBody("bob", 0.5, (0, 0, 0), position=(0.8, 0, 1)))
    m.add(pl.Fixed("C", two.frame((0.8, 0, 0)), bob))
    return m


def test_equal_to_least_squares(monkeypatch):
    m = rods()
    sol = m.simulate(1.0, output_step=0.05)
    d, states = sol.dynamics, np.array(sol._observer.rows)
    changed = states + 1e-7 * np.random.default_rng(1).standard_normal(states.shape) * (np.arange(states.shape[1]) > 2)
    slow = changed.copy()
    for row in slow:
        d._refine_by_least_squares(row, np.zeros(3), np.zeros(4), True)
    monkeypatch.setattr(CompiledModel, "_refine_by_least_squares", lambda *_: pytest.fail("row by row"))
    energies, report = d.refine(changed)
    np.testing.assert_allclose(changed, slow, atol=1e-9 * abs(slow).max())
    assert report[:, 3].max() < 1e-12 and np.isfinite(energies).all()
    np.testing.assert_allclose(energies.sum(1) - energies.sum(1)[0], 0, atol=2e-5 * abs(energies).max())
