"""Margins of choices, by which jumps of the motion are found: computed without inertia and sums of forces they are what all of the
residual gives."""
import numpy as np
import pytest

import pliant as pl
from pliant.compile.system import System
from pliant.kernels.evaluation import run
from pliant.kernels.expression_vm import HELD, SCRATCH


def crowded() -> pl.Model:
    """Laws that choose in forces, springs, torques along joints, a coupling and a drive; others that do not."""
    m = pl.Model("crowded", gravity=(0, 0, -9.81))
    a, b, c = (m.add(pl.RigidBody.box(n, size=(0.1, 0.2, 0.3), mass=2.0, position=(k, 0.3 * k, 0))) for k, n in enumerate("abc"))
    m.add(pl.Revolute("A", m.ground, a, axis=(1, 2, 3)))
    m.add(pl.Revolute("B", m.ground.frame((1, 0.3, 0)), b, axis="z"))
    m.add(pl.Drive("B", "angle", "if(t < 1, 0.3*t, 0.3)"))
    m.add(pl.SpringDamper("plain", a, c, stiffness=100.0, length=1.0))
    m.add(pl.SpringDamper("stop", b, c, stiffness="if(x > 0.2, 50*x, 0)", length=1.0))
    m.add(pl.TorsionSpring("friction", "A", stiffness="-sign(v)*abs(x)"))
    m.add(pl.Force("f", c, ("if(mod(c.position.z + 0.1, 0.2) < 0.1, 1, floor(A.angle))", "max(c.velocity.y, 0)", 0)))
    return m


def margins(system: System, program, x) -> np.ndarray:
    choices = x.W[SCRATCH:SCRATCH + system.n_choices]
    choices[:], x.W[HELD] = np.nan, 1
    run(program, system.data, x, 0.4, 0.0, 0.0, 0.0)
    return choices.copy()


@pytest.mark.parametrize("seed", range(3))
def test_they_are_those_of_the_residual(seed):
    system, r = crowded().compile().system, np.random.default_rng(seed)
    x, other = system.memory(), system.memory()
    q, v = system.q0 + 0.3 * r.normal(size=x.q.size), r.normal(size=x.v.size)
    for memory in (x, other):
        memory.q[:], memory.v[:] = q, v
    all_of_it, few = margins(system, system.program("residual"), x), margins(system, system.deciding(), other)
    assert np.isfinite(few).sum() >= 14
    np.testing.assert_array_equal(few, all_of_it)
    assert len(system.deciding().rows) < len(system.program("residual").rows)
