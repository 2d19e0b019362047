"""Finite segments: the mass of the beam, frequencies that converge to those of Euler and Bernoulli with order 2, in any direction."""
import numpy as np
import pytest

import pliant as pl
from pliant.flex import mesh_beam, segments

SECTION = pl.Section.rectangle(0.02, 0.012)
SLENDER = pl.Section.rectangle(0.003, 0.002)  # shear and rotary inertia are far below the errors here
EXACT = np.array([3.516015268500151, 22.03449156466677])


def cantilever(n):
    """In a skew direction, clamped at its start; frequencies [Hz] of bending about both axes."""
    m = pl.Model("segments")
    s = segments([(0, 0, 0), (0.9, 0.6, 0.0)], SLENDER, pl.STEEL, n, up=(0, 0.1, 1))
    ends = s.add(m, "rod", position=(0.2, 0.3, -0.1), rotation=pl.rotation((1, 2, -1), 0.7))
    m.add(pl.Fixed("clamp", m.ground.frame((0.2, 0.3, -0.1)), ends["start"]))
    return m.modes().frequencies


def test_frequencies_converge_with_order_two():
    L = np.hypot(0.9, 0.6)
    exact = np.concatenate([EXACT * np.sqrt(pl.STEEL.E * I / (pl.STEEL.rho * SLENDER.area)) / L**2 for I in (SLENDER.Iy, SLENDER.Iz)])
    errors = []
    for n in (6, 12, 24):
        found = cantilever(n)
        errors.append([abs(found / f - 1).min() for f in exact / (2 * np.pi)])
    ratio = np.array(errors[:-1]) / np.array(errors[1:])
    assert (np.array(errors[-1]) < 4e-3).all() and (ratio > 3.5).all() and (ratio < 4.7).all()


def test_mass_is_that_of_the_mesh():
    points, up = [(0.1, -0.2, 0.3), (0.9, 0.3, 0.5), (1.1, 0.4, 1.2)], (0.3, -0.5, 0.8)
    s, fe = segments(points, SECTION, pl.STEEL, 7, up=up), mesh_beam(points, SECTION, pl.STEEL, 7, up=up)
    R = fe.rigid()
    whole = R.T @ (fe.M @ R)
    c = s.nodes + s.coms
    assert s.masses.sum() == pytest.approx(whole[0, 0], rel=1e-12)
    assert (s.masses @ c)[2] == pytest.approx(whole[0, 4], rel=1e-12)
    J = s.inertias.sum(axis=0) + np.einsum("k,kab->ab", s.masses, np.einsum("ka,ka->k", c, c)[:, None, None] * np.eye(3)
                                           - c[:, :, None] * c[:, None, :])
    assert np.allclose(J, whole[3:, 3:], rtol=0, atol=1e-12 * abs(J).max())


def test_large_bending():
    """A moment of 2 pi EI / L at the tip bends a cantilever to a circle; of a quarter of it to a quarter."""
    m = pl.Model("roll")
    n = 12
    L, EI = 1.0, pl.STEEL.E * SECTION.Iy
    ends = segments([(0, 0, 0), (L, 0, 0)], SECTION, pl.STEEL, n).add(m, "rod", damping=1e-3)
    m.add(pl.Fixed("clamp", m.ground, ends["start"]))
    m.add(pl.Torque("roll", ends["end"], (0, -np.pi / 2 * EI / L, 0)))
    r = 2 * L / np.pi
    assert m.static().position("rod_12.end") == pytest.approx((r, 0, r), rel=5e-3, abs=1e-6)
