"""Large and moderate deflections in floating frames: a beam of several bodies fixed to each other, and one whose ends are held."""
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import pliant as pl
from pliant import flex

L, (B, H), STEEL = 2.0, (0.05, 0.01), pl.Material(2e11, 0.3, 7800)
A, I = B * H, B * H**3 / 12
EA, EI = STEEL.E * A, STEEL.E * I


def elastica(load):
    """Tip of a cantilever under a force across it, load = P L^2 / (E I): theta'' = -load cos(theta), theta(0) = theta'(1) = 0."""
    def tip(k):
        def slopes(s, y):
            return y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])
        return solve_ivp(slopes, (0, 1), (0, k, 0, 0), rtol=1e-11, atol=1e-12).y[:, -1]
    return L * tip(brentq(lambda k: tip(k)[1], 0.0, 1.2 * load))[2:]


def cantilever(bodies, load):
    """Of so many parts that are all alike, turned in space."""
    turn = pl.items.base.matrix_of(pl.rotation((1, -2, 0.5), 1.3))
    mesh = flex.mesh_beam([(0, 0, 0), (L / bodies, 0, 0)], pl.Section.rectangle(B, H), STEEL, elements=8)
    part = flex.reduce(mesh, {"start": (0, 0, 0), "end": (L / bodies, 0, 0)}, modes=0)
    m = pl.Model("substructures")
    for k in range(bodies):
        m.add(pl.ModalBody(f"b{k}", part, position=turn @ (k * L / bodies, 0, 0), rotation=turn))
        m.add(pl.Fixed(f"f{k}", m.ground if k == 0 else f"b{k - 1}.end", f"b{k}.start"))
    m.add(pl.Force("load", f"b{bodies - 1}.end", turn @ (0, 0, load * EI / L**2)))
    return turn.T @ m.static()[f"b{bodies - 1}.end.position"]


@pytest.mark.parametrize(("load", "most"), [(1.0, 1e-5), (3.0, 1.2e-4)])  # deflections of 30 and 60 % of the length
def test_substructures_bend_as_the_elastica(load, most):
    exact = np.array([elastica(load)[0], 0.0, elastica(load)[1]])
    errors = [np.linalg.norm(cantilever(n, load) - exact) / L for n in (2, 4)]
    assert errors[1] < most
    assert errors[0] / errors[1] > 12  # fourth order in the number of bodies


@cache
def halves():
    mesh = flex.mesh_beam([(0, 0, 0), (L, 0, 0)], pl.Section.rectangle(B, H), STEEL, elements=16)
    return flex.reduce(mesh, {"start": (0, 0, 0), "end": (L, 0, 0), "middle": (L / 2, 0, 0)}, modes=5)


@pytest.mark.parametrize("load", [20.0, 1000.0])
def test_a_beam_whose_ends_are_held_stiffens(load):
    """By the tension that bending makes: E I w'''' - N w'' = P in the middle, N = E A / (2 L) times the integral of w'^2. At the larger
    load the middle moves by seven radii of gyration, a tenth of what it would without tension."""
    def slope(x, N):
        k = np.sqrt(N / EI)
        return load / (2 * N) * (1 - np.cosh(k * x) / np.cosh(k * L / 2))
    N = brentq(lambda N: EA / L * quad(lambda x: slope(x, N) ** 2, 0, L / 2)[0] - N, 1e-3, 1e6)
    middle = quad(lambda x: slope(x, N), 0, L / 2)[0]
    m = pl.Model("held beam")
    m.add(pl.ModalBody("beam", halves()))
    m.add(pl.Universal("A", m.ground, "beam.start", axis="z", axis_b="y"))
    m.add(pl.Spherical("B", m.ground.frame((L, 0, 0)), "beam.end"))
    m.add(pl.Force("load", "beam.middle", (0, 0, load)))
    found = m.static()
    assert found["beam.middle.position"][2] == pytest.approx(middle, rel=2e-3)
    assert found["B.force"][0] == pytest.approx(N, rel=1e-3)
