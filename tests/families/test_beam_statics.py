"""Beams of exact and of corotational elements against closed forms and shooting: errors, orders, no locking."""
from pathlib import Path

import numpy as np
import pytest
from beam_chains import Chain, arc, corotational, exact, left_tangent, straight
from rods_by_shooting import strip_by_shooting

ELASTICA = np.array([1 - 0.55499559775375, 0.8106090248803])  # Bisshopp and Drucker 1945, elliptic integrals, P L^2 / EI = 10
BEND = np.array([47.1504385736, 15.684800534, 53.4748587918])  # Bathe and Bolourchi 1979 on the exact arc: shooting
HELIX = Path(__file__).parents[1] / "support" / "helix_tip.csv"
INEXTENSIBLE = np.diag([1e-8, 0, 0, 1.0, 1.0, 1.0])
BAR = np.diag([1e-7, 2e-7, 2e-7, 1.2e-6, 1.2e-6, 1.2e-6])  # 1 x 1, E = 1e7, nu = 0
STRIP = np.diag([1e5, 1e5, 1e5, 1.0, 1.0, 8.0])


def elastica(n, element):
    return np.linalg.norm(Chain(straight(n), element).load((0, 10.0, 0), 20)[:2] - ELASTICA)


def bend(n, element):
    return Chain(arc(n, 100.0, np.pi / 4), element).load((0, 0, 600.0), 25) - BEND


def orders(errors):
    return np.log2(np.array(errors[:-1]) / errors[1:])


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_elastica(current):
    errors = [elastica(n, exact(INEXTENSIBLE, current=current)) for n in (4, 8, 16)]
    assert np.all(np.array(errors) < (1e-3, 6e-5, 4e-6)), errors
    assert orders(errors).min() > 3.5


def test_the_bend_of_45_degrees():
    assert np.abs(bend(8, exact(BAR))).max() < 1e-3
    for current in (False, True):
        assert orders([np.linalg.norm(bend(n, exact(BAR, current=current))) for n in (4, 8, 16)]).min() > 3.5


def test_a_strip_needs_the_correction_at_the_current_strain():
    """EI 1 : 8, GJ 1, spatial load: order 4, and 2 with the flexibility of the reference."""
    force, tips = np.array([0.0, 2.0, 1.5]), {}
    for current in (False, True):
        for n in (4, 8, 16):
            chain = Chain(straight(n), exact(np.linalg.inv(STRIP), current=current))
            tips[current, n] = chain.load(force, 30)
    root = chain.residual()[0][3:6]
    reference = strip_by_shooting(np.linalg.inv(STRIP), force, -root)
    errors = {current: [np.linalg.norm(tips[current, n] - reference) for n in (4, 8, 16)] for current in (False, True)}
    assert errors[True][-1] < 1e-6
    assert orders(errors[True]).min() > 3.5
    assert np.all(np.abs(orders(errors[False]) - 2) < 0.2)


@pytest.mark.parametrize("current", [False, True], ids=["reference", "current"])
def test_slender_beams_do_not_lock(current):
    """Length : height = 1e4, so EA L^2 / EI = 1.2e9: the elastica from the equilibrium of a softer beam."""
    def section(stretch):
        return np.diag([stretch, 2.4 * stretch, 2.4 * stretch, 1.0, 1.0, 1.0])
    chain = Chain(straight(8), exact(section(1e-5), current=current))
    chain.load((0, 10.0, 0), 20)
    slender, load = Chain(straight(8), exact(section(1 / 1.2e9), current=current)), np.zeros(chain.system.n)
    slender.x.q[:] = chain.x.q
    load[-5] = 10.0
    slender.newton(load, tolerance=1e-9, longest=0.1)
    assert np.linalg.norm(slender.tip()[:2] - ELASTICA) < 6e-5


def test_a_follower_moment_winds_a_helix():
    """At load factor 0.4, from the straight rod; nodes are exact."""
    factor, *tip = np.loadtxt(HELIX, delimiter=",", skiprows=1)[3]
    phi = factor * np.array([np.pi, 0, 2 * np.pi])
    chain = Chain(straight(4), exact(np.diag([1e-2, 0, 0, 1.0, 1.0, 1.0])))
    for part in np.linspace(0.1, 1, 10):
        chain.newton(np.zeros(chain.system.n), follower=part * phi, tolerance=1e-11)
    np.testing.assert_allclose(chain.tip(), tip, rtol=0, atol=1e-10)
    np.testing.assert_allclose(chain.tip(), left_tangent(phi) @ (1, 0, 0), rtol=0, atol=1e-10)


def test_corotational_elements_are_of_order_two():
    errors = [elastica(n, corotational(INEXTENSIBLE)) for n in (8, 16, 32)]
    assert np.all(np.abs(orders(errors) - 2) < 0.1) and errors[-1] < 0.005
    errors = [np.linalg.norm(bend(n, corotational(BAR))) for n in (8, 16, 32)]
    assert np.all(np.abs(orders(errors) - 2) < 0.1) and errors[-1] < 0.005 * np.linalg.norm(BEND)
