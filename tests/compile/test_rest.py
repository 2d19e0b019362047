"""Rows of a mechanism at rest: accelerations are rounding errors there, and no sign of equations that cannot be solved."""
import numpy as np
import pytest

import pliant as pl
from pliant.compile.compiled_model import CompiledModel


def held_press() -> pl.Model:
    """A slider-crank in the plane, turned by 0.4 rad and then held; its joints are redundant in space."""
    m = pl.Model("press", gravity=(0, -9.81, 0))
    m.add(pl.RigidBody.rod("crank", start=(0, 0, 0), end=(0.3, 0.4, 0), mass=2.0))
    m.add(pl.RigidBody.rod("rod", start=(0.3, 0.4, 0), end=(1.5, 0, 0), mass=3.0))
    m.add(pl.RigidBody.box("slider", (0.1, 0.1, 0.1), mass=4.0, position=(1.5, 0, 0)))
    m.add(pl.Revolute("O", m.ground, "crank.start", axis="z"))
    m.add(pl.Revolute("A", "crank.end", "rod.start", axis="z"))
    m.add(pl.Revolute("B", "rod.end", "slider", axis="z"))
    m.add(pl.Prismatic("P", m.ground.frame((1.5, 0, 0)), "slider", axis="x"))
    m.add(pl.Drive("O", "angle", "step(t, 0, 0, 0.5, 0.4)", name="motor"))
    return m


def test_rows_at_rest_are_refined_in_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them by least squares in NumPy, which takes a hundred times as long; the moment of the motor is that of the weights."""
    slow = []
    usual = CompiledModel._refine_by_least_squares
    monkeypatch.setattr(CompiledModel, "_refine_by_least_squares", lambda self, row, *more: (slow.append(row[0]), usual(self, row, *more)))
    sol = held_press().simulate(1.0, output_step=0.01)
    assert not slow
    angle = np.arctan2(0.4, 0.3) + 0.4
    weights = 9.81 * (2.0 + 3.0) * 0.25 * np.cos(angle)  # d/d(angle) of the potential energy
    assert sol["motor.effort"][sol.t > 0.55] == pytest.approx(weights, rel=1e-9)
    assert abs(sol["rod.acceleration"][sol.t > 0.55]).max() < 1e-9
