"""Gaps of pairs of surfaces: against the library coal, and their derivatives against complex steps and finite differences."""
from __future__ import annotations

import os
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from gap_drivers import Driver, displaced, poses

POSES = int(os.environ.get("PLIANT_GAP_POSES", "10000"))
POINT = (0.1, -0.2, 0.15)
# sizes of an example of every pair, and how far its frames are apart
EXAMPLES = {
    "point_plane": ((*POINT, 0.05), 1.0),
    "point_sphere": ((*POINT, 0.05, 0.4), 1.0),
    "point_in_sphere": ((*POINT, 0.05, 2.5), 0.8),
    "rim_plane": ((*POINT, 0.3, 0.02, 0.05, 1.0), 1.0),
    "point_capsule": ((*POINT, 0.05, 0.3, 0.4), 0.7),
    "point_cylinder": ((*POINT, 0.05, 0.3, 0.4), 0.7),
    "point_in_cylinder": ((*POINT, 0.05, 0.9, 0.3), 0.4),
}


@cache
def driver(name):
    return Driver(import_module(f"pliant.kernels.gaps.{name}"))


def example(name, n, seed=0):
    """Driver, sizes, and poses where the pair can touch."""
    sizes, spread = EXAMPLES[name]
    d, sizes, rng = driver(name), np.array(sizes), np.random.default_rng(seed)
    A, B = poses(rng, n, spread), poses(rng, n, spread)
    there = d.values(sizes, A, B).g < 1e8
    return d, sizes, A[there], B[there]


def gradients(f, A, B):
    """[contact-1] in NumPy"""
    return np.concatenate([-f.n, -np.cross(f.c - A[:, :3], f.n), f.n, np.cross(f.c - B[:, :3], f.n)], axis=1)


def differences(d, sizes, A, B, motion, h=1e-3):
    """Derivative of G along a motion by eight evaluations, to h^8."""
    G = 0.0
    for k, weight in ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)):
        for sign in (1, -1):
            a = displaced(A, motion, sign * k * h) if motion < 6 else A
            b = displaced(B, motion - 6, sign * k * h) if motion >= 6 else B
            G = G + sign * weight / h * gradients(d.values(sizes, a, b), a, b)
    return G


@pytest.mark.parametrize("name", EXAMPLES)
def test_gap_normal_and_point_belong_together(name):
    d, sizes, A, B = example(name, 2000)
    f = d.values(sizes, A, B)
    assert np.isfinite(f.all).all() and abs(np.linalg.norm(f.n, axis=1) - 1).max() < 1e-13
    assert np.array_equal(f.held, f.all) and f.margin.min() >= 0
    assert (f.radii[:, 0] <= f.radii[:, 1]).all()


@pytest.mark.parametrize("name", EXAMPLES)
def test_derivatives(name):
    """G is the gradient of g by a complex step; H that of G by twelve complex steps, which need no invariance, and by differences."""
    d, sizes, A, B = example(name, 400)
    U = np.random.default_rng(3).normal(size=(len(A), 12))
    x, f = d.derived(sizes, A, B, U), d.values(sizes, A, B)
    size = 1 + abs(x.H).max((1, 2))
    assert abs(x.by[:, 0] - x.G).max() < 1e-12 and abs(x.G - gradients(f, A, B)).max() < 1e-14
    assert (abs(x.H - x.G_by).max((1, 2)) / size).max() < 1e-12
    assert (abs(x.bias - np.einsum("ei,eij,ej->e", U, x.H, U)) / size).max() < 1e-11
    assert (abs(np.einsum("ei,eij->ej", f.n, x.by[:, 1:4])).max(1) / size).max() < 1e-12  # n keeps its length
    far = (f.margin > 0.02) & (size < 6)
    assert far.sum() > 30
    A, B, H = A[far], B[far], x.H[far]
    wrong = [abs(differences(d, sizes, A, B, k) - H[:, :, k]).max(1) for k in range(12)]
    assert np.max(wrong) < 1e-11


def against_coal(name, sizes, shapes, spread, separated=True, shift=(0, 0, 0), seed=1):
    """Largest difference of gaps and of normals."""
    coal = pytest.importorskip("coal", reason="coal is not installed: pip install coal")
    from coal_shapes import distances, shifted
    rng = np.random.default_rng(seed)
    A, B = poses(rng, POSES, spread), poses(rng, POSES, spread)
    g, n = distances(*shapes(coal), shifted(A, shift), B)
    f = driver(name).values(np.array(sizes), A, B)
    used = g > 1e-3 if separated else np.isfinite(g)
    assert used.mean() > 0.1 and (separated or 0.02 < (g < 0).mean() < 0.98)
    off = abs(f.g - g)[used].max(), abs(f.n - n)[used].max()
    print(f"\n{name}: {used.sum()} poses, gap {off[0]:.2g}, normal {off[1]:.2g}")
    return off


def test_points_on_planes_and_spheres_against_coal():
    def on_plane(coal):
        return coal.Sphere(0.05), coal.Halfspace(np.array([0, 0, 1.0]), 0.0)

    def two(coal):
        return coal.Sphere(0.05), coal.Sphere(0.4)
    assert max(against_coal("point_plane", (*POINT, 0.05), on_plane, 1.0, False, POINT)) < 1e-13
    assert max(against_coal("point_sphere", (*POINT, 0.05, 0.4), two, 0.5, False, POINT)) < 1e-12


def test_points_on_capsules_and_cylinders_against_coal():
    def capsule(coal):
        return coal.Sphere(0.05), coal.Capsule(0.3, 0.8)

    def cylinder(coal):
        return coal.Sphere(0.05), coal.Cylinder(0.3, 0.8)

    def vertex(coal):
        return coal.Sphere(0.0), coal.Cylinder(0.3, 0.8)
    assert max(against_coal("point_capsule", (*POINT, 0.05, 0.3, 0.4), capsule, 0.4, False, POINT)) < 1e-12
    assert max(against_coal("point_cylinder", (*POINT, 0.05, 0.3, 0.4), cylinder, 0.6, shift=POINT)) < 1e-9
    assert max(against_coal("point_cylinder", (*POINT, 0.0, 0.3, 0.4), vertex, 0.6, shift=POINT)) < 1e-9


def test_rims_on_planes_against_coal():
    """The lower end of a cylinder; and a crowned rim, which is an ellipsoid."""
    coal = pytest.importorskip("coal", reason="coal is not installed: pip install coal")
    from coal_shapes import distances
    rng = np.random.default_rng(2)
    A, B = poses(rng, POSES, 0.5), poses(rng, POSES, 0.5)
    plane, d = coal.Halfspace(np.array([0, 0, 1.0]), 0.0), driver("rim_plane")
    g, n = distances(coal.Cylinder(0.3, 0.8), plane, A, B)
    ends = [d.values(np.array([0, 0, z, 0.3, 0.0, 0.0, side]), A, B) for z, side in ((0.4, 1), (-0.4, -1))]
    assert abs(np.minimum(ends[0].g, ends[1].g) - g).max() < 1e-14 and abs(ends[0].n - n).max() < 1e-14
    g, _ = distances(coal.Ellipsoid(0.3, 0.3, 0.05), plane, A, B)
    crowned = d.values(np.array([0, 0, 0, 0.3, 0.02, 0.05, 0.0]), A, B)
    assert abs(crowned.g + 0.02 - g).max() < 1e-14 and (g < 0).mean() > 0.1


def test_a_ball_in_a_hollow_sphere_of_known_place():
    """Ball of radius 1 at (0.3, 0.4, 0) in one of radius 2: 2 - 1 - 0.5; half-way between 1.5 and 2 along (0.6, 0.8, 0)."""
    d = driver("point_in_sphere")
    A, B = np.zeros((1, 12)), np.array([[0.0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, 1]])
    A[0, 3::4], A[0, :3] = 1, (0.2, 0.4, 0)
    f = d.values(np.array([0.1, 0, 0, 1.0, 2.0]), A, B)
    assert np.allclose(f.all[0], [0.5, 0.6, 0.8, 0, 1.05, 1.4, 0], rtol=0, atol=1e-15) and np.allclose(f.radii, 2.0)


def test_centre_on_centre_is_finite():
    A = np.zeros((1, 12))
    A[0, 3::4] = 1
    for name in ("point_sphere", "point_in_sphere"):
        d, sizes = driver(name), np.array([0, 0, 0, 0.05, 0.4])
        f, x = d.values(sizes, A, A), d.derived(sizes, A, A)
        assert np.isfinite(f.all).all() and np.isfinite(x.H).all() and abs(np.linalg.norm(f.n) - 1) < 1e-15
        assert abs(abs(f.g[0]) - (0.45 if name == "point_sphere" else 0.35)) < 1e-15
