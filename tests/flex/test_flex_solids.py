"""Solids: patch tests, bending without locking, exact inertia integrals, couplings."""
import numpy as np
import pytest
from beam_field import integrals_of

import pliant as pl
from pliant.flex.integrals import integrals
from pliant.flex.interfaces import join
from pliant.flex.reduced import Integrals
from pliant.flex.solids import Solid, solid
from pliant.flex.structure import Structure

MAT = pl.Material(210e9, 0.3, 7850)
KINDS = {"hex8": (3, 2, 2), "hex20": (2, 2, 1), "tet10": (2, 1, 2)}


def distorted(element):
    """A mesh with inner nodes and edges moved, scikit-fem's own."""
    import skfem
    axes = [np.linspace(0, s, n + 1) for s, n in zip((0.3, 0.2, 0.1), (3, 3, 2), strict=True)]
    mesh = (skfem.MeshTet if element == "tet10" else skfem.MeshHex).init_tensor(*axes)
    p = mesh.p.copy()
    inner = ((p > 1e-9) & (p < np.array([[0.3], [0.2], [0.1]]) - 1e-9)).all(axis=0)
    p[:, inner] += np.random.default_rng(2).normal(scale=0.008, size=(3, inner.sum()))
    return solid(type(mesh)(p, mesh.t), element, MAT)


@pytest.mark.parametrize("element", KINDS)
def test_constant_strain_is_exact_on_a_distorted_mesh(element):
    """Patch test: linear displacements given on the surface appear inside, with the exact energy."""
    fe = distorted(element)
    grad = np.random.default_rng(1).normal(size=(3, 3))
    u = (fe.nodes @ grad.T).ravel()
    x = fe.nodes
    surface = (abs(x) < 1e-9).any(axis=1) | (abs(x - [0.3, 0.2, 0.1]) < 1e-9).any(axis=1)
    free = np.repeat(~surface, 3)
    assert free.sum() >= 12
    K = fe.K.toarray()
    inside = np.linalg.solve(K[np.ix_(free, free)], -K[np.ix_(free, ~free)] @ u[~free])
    assert np.allclose(inside, u[free], rtol=0, atol=1e-10)
    strain = (grad + grad.T) / 2
    lam, mu = MAT.E * MAT.nu / ((1 + MAT.nu) * (1 - 2 * MAT.nu)), MAT.G
    energy = (lam * np.trace(strain)**2 + 2 * mu * (strain**2).sum()) * 0.3 * 0.2 * 0.1
    assert u @ K @ u == pytest.approx(energy, rel=1e-10)


@pytest.mark.parametrize("element, divisions, tolerance",
                         [("hex8", (20, 1, 1), 2e-3), ("hex20", (20, 1, 1), 5e-3), ("tet10", (40, 1, 1), 2e-2)])
def test_bending_does_not_lock(element, divisions, tolerance):
    """Length 100 times the height, one element through it. Plain bricks of that shape are 20 times too stiff."""
    mat = pl.Material(210e9, 0.0, 7850)
    L, b, h = 1.0, 0.02, 0.01
    fe = pl.flex.mesh_box((L, b, h), divisions, mat, element)
    r = pl.flex.reduce(fe, {"root": {"plane": "x = 0"}, "tip": {"plane": "x = 1"}}, modes=4)
    table = r.report().data["unit_loads"]
    full = dict(zip(table["loads"], table["full"], strict=True))
    assert full["tip.fz"] == pytest.approx(L**3 / (3 * mat.E * b * h**3 / 12), rel=tolerance)
    assert full["tip.fy"] == pytest.approx(L**3 / (3 * mat.E * h * b**3 / 12), rel=tolerance)
    assert full["tip.fx"] == pytest.approx(L / (mat.E * b * h), rel=1e-9)
    assert r.frequencies[0] == pytest.approx(3.516015268500151 * np.sqrt(mat.E * h**2 / 12 / mat.rho) / (2 * np.pi), rel=tolerance)


def test_hex8_would_lock_without_its_bubbles(monkeypatch):
    monkeypatch.setattr(Solid, "condensed", lambda self, K: (K[:, :24, :24], np.zeros((len(K), 9, 24))))
    fe = pl.flex.mesh_box((1.0, 0.02, 0.01), (20, 1, 1), MAT, "hex8")
    r = pl.flex.reduce(fe, {"root": {"plane": "x = 0"}, "tip": {"plane": "x = 1"}}, modes=2)
    assert r.frequencies[0] > 3 * 3.516 * np.sqrt(MAT.E * 0.01**2 / 12 / MAT.rho) / (2 * np.pi)


@pytest.mark.parametrize("element", KINDS)
@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_mass_of_a_box(element, mass):
    size, at = np.array([0.3, 0.2, 0.1]), np.array([0.1, -0.2, 0.4])
    fe = pl.flex.mesh_box(size, KINDS[element], MAT, element, origin=at, mass=mass)
    i = integrals(fe, np.zeros((fe.K.shape[0], 0)))
    m = MAT.rho * size.prod()
    assert i.m == pytest.approx(m, rel=1e-12) and i.c0 / m == pytest.approx(at + size / 2, rel=1e-12)
    if mass == "consistent":
        c = at + size / 2
        J = m * ((c @ c) * np.eye(3) - np.outer(c, c)) + m / 12 * np.diag((size**2).sum() - size**2)
        assert np.allclose(i.J0, J, rtol=0, atol=1e-11 * abs(J).max())


@pytest.mark.parametrize("element", KINDS)
def test_integrals_are_those_of_the_field(element):
    """Against a sum over the points of a fine quadrature of scikit-fem's own interpolation."""
    import skfem
    fe = distorted(element)
    body = fe.stress
    Psi = np.random.default_rng(3).normal(size=(fe.K.shape[0], 3))
    basis = skfem.Basis(body.mesh, body.shape, intorder=2 if element == "hex8" else 5 if element == "hex20" else 4)
    m = (MAT.rho * basis.dx).ravel()
    x, psi = np.array([basis.interpolate(fe.nodes[:, a]) for a in range(3)]), np.array(
        [[basis.interpolate(Psi.reshape(-1, 3, 3)[:, a, j].copy()) for j in range(3)] for a in range(3)])
    due = integrals_of(m, x.reshape(3, -1).T, psi.reshape(3, 3, -1).transpose(2, 0, 1))
    found = integrals(fe, Psi)
    for name, value, other in zip(Integrals._fields, found, due, strict=True):
        assert abs(value - other).max() < 1e-11 * abs(other).max(), name


def test_integrals_of_lumped_masses():
    fe = pl.flex.mesh_box((0.3, 0.2, 0.1), (3, 2, 1), MAT, "hex20", mass="lumped")
    Psi = np.random.default_rng(4).normal(size=(fe.K.shape[0], 4))
    due = integrals_of(fe.M.diagonal()[::3], fe.nodes, Psi.reshape(-1, 3, 4))
    for name, value, other in zip(Integrals._fields, integrals(fe, Psi), due, strict=True):
        assert abs(value - other).max() < 1e-12 * abs(other).max(), name


def test_average_coupling_squeezes_nothing():
    """Tension and bending of one row of bricks between averaged faces are those of a free bar, in spite of lateral contraction."""
    L, b, h = 1.0, 0.2, 0.1
    fe = pl.flex.mesh_box((L, b, h), (4, 1, 1), MAT, "hex8")
    full = {}
    for coupling in ("average", "rigid"):
        r = pl.flex.reduce(fe, {"a": {"plane": "x = 0"}, "b": {"plane": "x = 1"}}, modes=2, coupling=coupling)
        table = r.report().data["unit_loads"]
        full[coupling] = dict(zip(table["loads"], table["full"], strict=True))
        assert abs(np.array(table["error"])).max() < 1e-8
    assert full["average"]["b.fx"] == pytest.approx(L / (MAT.E * b * h), rel=1e-9)
    assert full["average"]["b.my"] == pytest.approx(L / (MAT.E * b * h**3 / 12), rel=1e-9)
    assert full["average"]["b.mz"] == pytest.approx(L / (MAT.E * h * b**3 / 12), rel=1e-9)
    assert all(full["rigid"][k] < 0.999 * full["average"][k] for k in ("b.fx", "b.my", "b.mz"))


@pytest.mark.parametrize("weights", ["uniform", "mass"])
def test_average_frame_follows_rigid_motion_and_keeps_wrenches(weights):
    fe = pl.flex.mesh_box((0.3, 0.2, 0.1), (3, 2, 2), MAT, "hex8")
    at = np.array([0.5, 0.3, -0.2])
    s = Structure(fe, join(fe, {"f": {"box": [[0.2, 0, 0], [0.3, 0.2, 0.05]], "coupling": "average", "weights": weights, "position": at}}))
    A, R = s.rows[0].toarray(), fe.rigid()
    t, w = np.array([0.3, 0.1, -0.2]), np.array([0.5, -0.4, 0.2])
    assert A @ R @ [*t, *w] == pytest.approx([*(t + np.cross(w, at)), *w], abs=1e-12)
    force, moment = np.array([3.0, 1, -2]), np.array([0.2, 0.5, -0.1])
    nodal = (A.T @ [*force, *moment]).reshape(-1, 3)
    assert nodal.sum(axis=0) == pytest.approx(force, abs=1e-12)
    assert np.cross(fe.nodes - at, nodal).sum(axis=0) == pytest.approx(moment, abs=1e-12)


def test_skin_is_closed_and_outward():
    for element, divisions in KINDS.items():
        fe = pl.flex.mesh_box((0.3, 0.2, 0.1), divisions, MAT, element)
        r = pl.flex.reduce(fe, {"a": {"plane": "x = 0"}}, modes=1)
        a, b, c = (r.skin.points[r.skin.cells[:, k]] for k in range(3))
        assert np.einsum("ti,ti->", a, np.cross(b, c)) / 6 == pytest.approx(0.006, rel=1e-12)
