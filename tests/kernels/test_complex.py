"""The whole loop in complex128: a complex step through 60 time steps differentiates the result by a parameter."""
import numpy as np

import pliant as pl
from pliant.families import rigid
from pliant.kernels.status import DONE, MORE
from pliant.methods.integrators import stepper as st


def mechanism(mass):
    m = pl.Model("pair", gravity=(0, 0, -9.81))
    first = m.add(pl.RigidBody("first", mass=1.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    second = m.add(pl.RigidBody("second", mass=mass, inertia=(0.3, 0.2, 0.5), position=(1.2, 0.1, 0.3)))
    m.add(pl.Revolute("A", m.ground, first.frame((-0.5, 0, 0)), axis="y"))
    m.add(pl.Spherical("B", first.frame((0.5, 0, 0)), second.frame((-0.2, -0.1, -0.3))))
    m.add(pl.SpringDamper("S", m.ground, second, stiffness=30.0, damping=2.0))
    return m


def advance(mass, kind, steps=60, h=2e-3):
    """Positions after some steps from rest, from zero accelerations (the same start whatever the mass)."""
    s = mechanism(mass.real).compile().system
    data, x = s.typed_data(kind), s.memory(kind)
    row = s.families[rigid.BODY][0] + 1
    data.rp[row, rigid.MASS] = mass
    x.v[:] = 0
    z = [np.zeros(s.n, kind) for _ in range(8)]
    weight = np.zeros(s.n)
    weight[:s.n_v] = 1
    work = st.Work(*z[:7], np.zeros(s.q0.size, kind), z[7], weight, s.softness, np.zeros(2, kind), np.zeros(2, kind), np.zeros(6, np.int64))
    count = np.zeros(12, np.int64)
    count[st.END], count[st.STRIDE], count[st.MAX_ITERATIONS], count[st.FULL_NEWTON] = steps, steps, 25, 1
    rows = np.zeros((4, 3 + s.q0.size + 3 * s.n + s.histories), kind)
    programs = [s.program(p, kind) for p in ("residual", "tangent", "energy", "history")]
    ctl = np.array([0.0, h, 1e-12, 9.81, 1e-15, 0.0, 1.0, *pl.GeneralizedAlpha(0.9).parameters])
    status = st.advance(*programs, data, s.lu, x, work, ctl, count, s.n_v, 10**6, rows)
    assert status in (DONE, MORE)
    assert count[st.STEPS] == steps
    return x.q.copy()


def test_derivative_by_a_mass_equals_differences():
    step = 1e-30
    exact = advance(2.0 + 1j * step, np.complex128).imag / step
    d = 1e-4
    differences = (advance(2.0 + d, np.float64) - advance(2.0 - d, np.float64)) / (2 * d)
    assert abs(exact).max() > 1e-4
    np.testing.assert_allclose(exact, differences, atol=1e-7 * abs(exact).max() + 1e-9)
    np.testing.assert_allclose(advance(2.0 + 0j, np.complex128).real, advance(2.0, np.float64), atol=1e-12)
