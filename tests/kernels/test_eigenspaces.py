"""Bases of eigenspaces: the same whatever basis a solver finds, and eigenvectors still."""
import io
import os
import subprocess
import sys

import numpy as np
import pytest

import pliant as pl
from pliant import flex
from pliant.flex.modes import Modes
from pliant.flex.structure import Structure
from pliant.kernels.eigenspaces import canonical, clusters, combinations

STEEL = pl.Material(2.1e11, 0.3, 7850)


def unitary(rng, n, kind):
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if kind is complex else 0)
    return np.linalg.qr(a)[0]


@pytest.mark.parametrize("kind", [float, complex])
def test_any_basis_gives_the_same_one(kind):
    rng = np.random.default_rng(2)
    values = np.array([1.0, 2.0, 2.0, 2.0, 5.0, 7.0, 7.0])
    X = unitary(rng, 9, kind)[:, :7]
    first = canonical(values, X)
    for _ in range(5):
        turned = np.array(X)
        for space in clusters(values, 7.0):
            turned[:, space] = X[:, space] @ unitary(rng, space.stop - space.start, kind)
        np.testing.assert_allclose(canonical(values, turned), first, atol=1e-13)
    np.testing.assert_allclose(first.conj().T @ first, np.eye(7), atol=1e-13)
    np.testing.assert_allclose((first * values) @ first.conj().T, (X * values) @ X.conj().T, atol=1e-12)


def test_ties_are_not_left_to_rounding():
    """Rows that are equally large: the first; columns that are +a in one and -a in another: that one positive."""
    X = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]]) / np.sqrt(2)
    rng = np.random.default_rng(3)
    for _ in range(5):
        found = canonical(np.ones(2), (X + 1e-12 * rng.standard_normal(X.shape)) @ unitary(rng, 2, float))
        np.testing.assert_allclose(found, X, atol=1e-11)


def test_vectors_that_are_not_orthogonal():
    """Any basis of a space gives the same vectors, orthonormal in M; those of a defective eigenvalue are left alone."""
    rng = np.random.default_rng(4)
    X, A = rng.standard_normal((6, 2)) + 1j * rng.standard_normal((6, 2)), rng.standard_normal((6, 6))
    M = A @ A.T + np.eye(6)
    found = [x @ combinations(x, M, x) for x in (X, X @ np.array([[1, 2j], [0.3, -1]]))]
    np.testing.assert_allclose(*found, atol=1e-12)
    np.testing.assert_allclose(found[0].conj().T @ M @ found[0], np.eye(2), atol=1e-12)
    near = np.column_stack((X[:, 0], X[:, 0] + 1e-7 * X[:, 1]))
    np.testing.assert_array_equal(combinations(near, M, near), np.eye(2))


@pytest.mark.parametrize("elements", [12, 80])
def test_modes_of_a_square_beam_lie_along_its_axes(elements, monkeypatch):
    """With full matrices and by iteration, also where the number of modes ends within a pair."""
    if elements == 12:
        monkeypatch.setattr("pliant.flex.modes.DENSE", 10**6)
    else:
        monkeypatch.setattr("pliant.flex.modes.DENSE", 0)
    mesh = flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(0.01, 0.01), STEEL, elements=elements)
    s = Structure(mesh, flex.interfaces.join(mesh, {"root": (0, 0, 0)}))
    values, Y = Modes(s, s.A).lowest(3)
    assert values[0] == pytest.approx(values[1], rel=1e-8)
    u = abs(np.asarray(s.T @ Y).reshape(len(mesh.nodes), mesh.dofs, 3)).max(0)
    y, z = u[[1, 5]].max(0), u[[2, 4]].max(0)  # displacement and rotation of bending in both planes
    small = np.minimum(y, z) / np.maximum(y, z)
    assert small.max() < 1e-5
    assert (y > z)[0] != (y > z)[1]


@pytest.mark.parametrize("damping", [None, (0, 0, 0, 2.0, 2.0, 0)])
def test_modes_of_a_model_that_share_a_frequency(damping):
    """A disc on a support that is alike in y and z, and in tilts about both: motions along the axes, with and without damping."""
    m = pl.Model("disc")
    m.add(pl.RigidBody("disc", mass=4.0, inertia=(0.05, 0.05, 0.09)))
    more = {} if damping is None else {"damping": damping}
    m.add(pl.Bushing("support", m.ground, "disc", stiffness=(3e4, 5e4, 5e4, 800, 800, 500), **more))
    modes = m.modes()
    shapes = np.array([modes.shape(k, "disc") for k in range(6)])
    assert sorted(abs(shapes).argmax(1)) == list(range(6))
    assert (np.sort(abs(shapes), axis=1)[:, -2] < 1e-9 * abs(shapes).max(1)).all()
    assert (shapes.real.sum(1) > 0).all()


@pytest.mark.parametrize("core", ["Prescott", "Haswell", "SkylakeX"])
def test_processors_give_the_same_part(core):
    """Kernels of OpenBLAS for other processors round otherwise; on processors that lack a set it takes one that they have."""
    code = ("import sys, numpy as np, pliant as pl\n"
            "section, steel = pl.Section.rectangle(0.1, 0.1), pl.Material(2.1e11, 0.3, 7850)\n"
            "mesh = pl.flex.mesh_beam([(0, 0, 0), (5, 0, 0)], section, steel, elements=20)\n"
            "part = pl.flex.reduce(mesh, interfaces={'root': (0, 0, 0), 'tip': (5, 0, 0)}, modes=5)\n"
            "np.save(sys.stdout.buffer, part.nodes['tip'].psi_R)")
    env = {**os.environ, "OPENBLAS_CORETYPE": core}
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout
    mesh = flex.mesh_beam([(0, 0, 0), (5, 0, 0)], pl.Section.rectangle(0.1, 0.1), STEEL, elements=20)
    psi = flex.reduce(mesh, interfaces={"root": (0, 0, 0), "tip": (5, 0, 0)}, modes=5).nodes["tip"].psi_R
    np.testing.assert_allclose(np.load(io.BytesIO(out)), psi, atol=1e-7 * abs(psi).max())
