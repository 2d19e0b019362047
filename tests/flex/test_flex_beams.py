"""Beams of finite elements: exact frequencies and deflections, inertia integrals by independent quadrature, any orientation."""
import numpy as np
import pytest
from beam_field import integrals_of, particles
from scipy.linalg import eigh

import pliant as pl
from pliant.flex.integrals import integrals

STEEL = pl.STEEL
THIN = pl.Section.rectangle(0.01, 0.008)
POINTS = [(0.1, -0.2, 0.3), (0.9, 0.3, 0.5), (1.1, 0.4, 1.2)]
UP = (0.3, -0.5, 0.8)
CLAMPED_FREE = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])
FREE_FREE = np.array([4.730040744862704, 7.853204624095838, 10.99560783800167])


def turned(R, points):
    return [tuple(R @ np.array(p)) for p in points]


def rotation(seed):
    q = np.random.default_rng(seed).normal(size=(3, 3))
    R = np.linalg.qr(q)[0]
    return R * np.sign(np.linalg.det(R))


def modes(fe, held=()):
    """Circular frequencies of the whole mesh."""
    free = [k for k in range(fe.K.shape[0]) if k not in held]
    return np.sqrt(abs(eigh(fe.K.toarray()[np.ix_(free, free)], fe.M.toarray()[np.ix_(free, free)], eigvals_only=True)))


def nearest(found, exact):
    return np.array([found[np.argmin(abs(found - f))] for f in exact])


@pytest.mark.parametrize("theory", ["euler-bernoulli", "timoshenko"])
def test_cantilever_and_free_beam_in_any_direction(theory):
    """Slender: rotary inertia and shear are below 1e-4 here."""
    d = np.array([0.6, -0.7, 0.5])
    d /= np.linalg.norm(d)
    s = pl.Section.rectangle(0.004, 0.003)
    fe = pl.flex.mesh_beam([(0.1, 0.2, 0.3), np.array([0.1, 0.2, 0.3]) + 2 * d], s, STEEL, 24, theory, up=(0, 1, 0.2))
    for I in (s.Iy, s.Iz):
        unit = np.sqrt(STEEL.E * I / (STEEL.rho * s.area)) / 2**2
        assert np.allclose(nearest(modes(fe, range(6)), CLAMPED_FREE**2 * unit), CLAMPED_FREE**2 * unit, rtol=1e-3)
        assert np.allclose(nearest(modes(fe)[6:], FREE_FREE**2 * unit), FREE_FREE**2 * unit, rtol=1e-3)


def test_timoshenko_cantilever():
    """Thick beam: exact frequencies of the theory, which lie 0.8 to 5 % below those without shear."""
    exact = np.array([520.8406417227, 3121.577765398, 8210.226133092, 14893.08694845])
    d = np.array([2.0, 1.0, -2.0]) / 3
    fe = pl.flex.mesh_beam([(0, 0, 0), d], pl.Section.rectangle(0.1, 0.1), pl.Material(210e9, 0.3, 7850), 40, "timoshenko")
    assert np.allclose(nearest(modes(fe, range(6)), exact), exact, rtol=1e-3)


def test_axial_and_torsional_frequencies():
    s = pl.Section.circle(0.01)
    fe = pl.flex.mesh_beam([(0, 0, 0), (0, 1.5, 0)], s, STEEL, 60)
    for speed in (np.sqrt(STEEL.E / STEEL.rho), np.sqrt(STEEL.G / STEEL.rho)):
        exact = np.pi * speed / 3 * np.array([1, 3])
        assert np.allclose(nearest(modes(fe, range(6)), exact), exact, rtol=1e-3)


@pytest.mark.parametrize("theory", ["euler-bernoulli", "timoshenko"])
def test_deflection_is_exact_with_one_element(theory):
    L, s = 0.7, pl.Section.rectangle(0.08, 0.1)
    d = np.array([1.0, 2.0, 2.0]) / 3
    fe = pl.flex.mesh_beam([(0, 0, 0), L * d], s, STEEL, 1, theory, up=(0, 0, 1))
    z = np.array([0, 0, 1.0]) - d[2] * d
    z /= np.linalg.norm(z)
    y = np.cross(z, d)
    K = fe.K.toarray()[6:, 6:]
    shear = theory == "timoshenko"
    for direction, I in ((z, s.Iy), (y, s.Iz)):
        u = np.linalg.solve(K, np.concatenate((direction, np.zeros(3))))
        exact = L**3 / (3 * STEEL.E * I) + shear * L / (5 / 6 * STEEL.G * s.area)
        assert u[:3] @ direction == pytest.approx(exact, rel=1e-10)
        assert u[3:] @ np.cross(d, direction) == pytest.approx(L**2 / (2 * STEEL.E * I), rel=1e-10)
    assert np.linalg.solve(K, np.concatenate((np.zeros(3), d)))[3:] @ d == pytest.approx(L / (STEEL.G * s.J), rel=1e-10)


@pytest.mark.parametrize("theory", ["euler-bernoulli", "timoshenko"])
def test_integrals_are_those_of_the_true_field(theory):
    """A thick, bent beam in space, with random shapes, against a sum over particles."""
    width, height = 0.15, 0.11
    s = pl.Section.rectangle(width, height)
    fe = pl.flex.mesh_beam(POINTS, s, STEEL, [3, 2], theory, up=UP)
    Psi = np.random.default_rng(3).normal(size=(fe.K.shape[0], 5))
    shear = 5 / 6 * STEEL.G * s.area if theory == "timoshenko" else np.inf
    m, x, psi = particles(fe.nodes, fe.cells, np.array(UP), Psi, STEEL.rho, width, height, (STEEL.E * s.Iz / shear, STEEL.E * s.Iy / shear))
    found = integrals(fe, Psi)
    for name, value, due in zip(found._fields, found, integrals_of(m, x, psi), strict=True):
        assert abs(value - due).max() < 1e-11 * abs(due).max(), name
    assert abs(Psi.T @ (fe.M @ Psi) - found.Mqq).max() < 1e-11 * abs(found.Mqq).max()
    q, dq, w, v = (np.random.default_rng(k).normal(size=n) for k, n in ((1, 5), (2, 5), (3, 3), (4, 3)))
    energy = 0.5 * m @ ((v + np.cross(w, x + psi @ q) + psi @ dq) ** 2).sum(axis=1)
    i = found
    G = i.G0 + np.einsum("k,kjab->jab", q, i.J2)
    J = i.J0 + np.einsum("j,jab->ab", q, i.G0 + np.swapaxes(i.G0, 1, 2)) + np.einsum("j,k,jkab->ab", q, q, i.J2)
    c, B = i.c0 + i.S @ q, i.B0 + np.einsum("k,kaj->aj", q, i.B1)
    assert 0.5 * (i.m * v @ v + 2 * v @ np.cross(w, c) + 2 * v @ i.S @ dq + w @ J @ w + 2 * w @ B @ dq + dq @ i.Mqq @ dq) == \
        pytest.approx(energy, rel=1e-12)
    assert np.allclose(np.einsum("j,jab->ab", q, G), J - i.J0 - np.einsum("j,jba->ab", q, i.G0), rtol=0, atol=1e-10 * abs(J).max())


def test_integrals_turn_with_the_mesh():
    R, t = rotation(5), np.array([0.2, -0.4, 0.7])
    s = pl.Section.rectangle(0.05, 0.03)
    one = pl.flex.mesh_beam(POINTS, s, STEEL, 6, up=UP)
    two = pl.flex.mesh_beam(np.array(turned(R, POINTS)) + t, s, STEEL, 6, up=R @ UP)
    Psi = np.random.default_rng(4).normal(size=(one.K.shape[0], 4))
    a, b = integrals(one, Psi), integrals(two, (R @ Psi.reshape(-1, 3, 4)).reshape(Psi.shape))
    aS = R @ a.S
    T = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    G = R @ a.G0 @ R.T + np.einsum("j,ab->jab", t @ aS, np.eye(3)) - np.einsum("aj,b->jab", aS, t)
    assert np.allclose(b.S, aS, atol=1e-12) and np.allclose(b.B0, R @ a.B0 + T @ aS, atol=1e-11)
    assert np.allclose(b.G0, G, atol=1e-11) and np.allclose(b.J2, R @ a.J2 @ R.T, atol=1e-11)
    assert np.allclose(b.B1, R @ a.B1, atol=1e-11) and np.allclose(b.c0, R @ a.c0 + a.m * t, atol=1e-12)
    assert np.allclose(modes(one)[6:], modes(two)[6:], rtol=1e-7)


def test_product_moment_is_a_turned_section():
    a = 0.4
    b, h = 0.03, 0.01
    straight = pl.Section.rectangle(b, h)
    c, s = np.cos(a), np.sin(a)
    Iz, Iy, Iyz = c * c * straight.Iz + s * s * straight.Iy, s * s * straight.Iz + c * c * straight.Iy, c * s * (straight.Iz - straight.Iy)
    general = pl.Section.general(b * h, Iy, Iz, straight.J, Iyz=Iyz)
    one = pl.flex.mesh_beam([(0, 0, 0), (1, 0, 0)], general, STEEL, 3)
    two = pl.flex.mesh_beam([(0, 0, 0), (1, 0, 0)], straight, STEEL, 3, up=(0, -s, c))  # y of the section is (0, c, s)
    for x, y in ((one.K, two.K), (one.M, two.M)):
        assert abs(x - y).max() < 1e-12 * abs(x).max()


def test_lumped_mass_converges():
    """Second order, and the same whole."""
    exact = CLAMPED_FREE[1]**2 * np.sqrt(STEEL.E * THIN.Iy / (STEEL.rho * THIN.area))
    errors = []
    for n in (20, 40):
        fe = pl.flex.mesh_beam([(0, 0, 0), (1, 0, 0)], THIN, STEEL, n, mass="lumped")
        assert fe.mass == pytest.approx(STEEL.rho * THIN.area, rel=1e-12)
        errors.append(1 - nearest(modes(fe, range(6)), [exact])[0] / exact)
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_elements_are_spread_by_length_and_a_ring_closes():
    fe = pl.flex.mesh_beam([(0, 0, 0), (3, 0, 0), (3, 1, 0)], THIN, STEEL, 8)
    assert len(fe.nodes) == 9 and np.linalg.norm(np.diff(fe.nodes, axis=0), axis=1) == pytest.approx([0.5] * 8)
    angle = np.linspace(0, 2 * np.pi, 41)
    ring = np.column_stack((np.cos(angle), np.sin(angle), 0 * angle))
    ring[-1] = ring[0]
    fe = pl.flex.mesh_beam(0.3 * ring, THIN, STEEL, 40, up=(0, 0, 1))
    exact = 6 / np.sqrt(5) * np.sqrt(STEEL.E * THIN.Iz / (STEEL.rho * THIN.area * 0.3**4))  # two waves in the plane
    assert len(fe.nodes) == 40 and nearest(modes(fe)[6:], [exact]) == pytest.approx(exact, rel=0.01)


def test_sections():
    square, strip = pl.Section.rectangle(0.02, 0.02).J, pl.Section.rectangle(0.1, 0.001).J
    assert square / 0.02**4 == pytest.approx(0.1405770, rel=1e-6)
    assert strip * 3 / (0.1 * 0.001**3) == pytest.approx(1 - 0.63025 * 0.01, rel=1e-5)
    tube, disc, hole = pl.Section.tube(0.03, 0.01), pl.Section.circle(0.03), pl.Section.circle(0.02)
    for field in ("area", "Iy", "Iz", "J"):
        assert getattr(tube, field) == pytest.approx(getattr(disc, field) - getattr(hole, field), rel=1e-12)
    assert pl.Section.rectangle("20 mm", "1 cm").area == pytest.approx(2e-4)
