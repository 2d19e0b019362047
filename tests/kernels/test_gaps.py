"""Gaps of pairs of surfaces: against the library coal, and their derivatives against complex steps and finite differences."""
from __future__ import annotations

import os
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from gap_drivers import displaced, driver, poses, turned

from pliant.functions.table2 import Table2
from pliant.functions.table_bounds import packed2
from pliant.kernels.gaps.geometry import AWAY
from pliant.kernels.gaps.shapes import Bore, Box, Capsule, Convex, Cylinder, HeightField, HollowSphere, Plane, Sphere, parts, polytope

POSES = int(os.environ.get("PLIANT_GAP_POSES", "10000"))
POINT = (0.1, -0.2, 0.15)
ROOF = Convex(((0.3, 0.2, -0.2), (-0.3, 0.2, -0.2), (0.3, -0.2, -0.2), (-0.3, -0.2, -0.2), (0.1, 0.0, 0.3), (-0.2, 0.05, 0.25)))
BRICK, ROLL = Box(0.6, 0.4, 0.5), Capsule(0.05, 0.5)

X, Y = np.linspace(-2, 2, 9), np.linspace(-1.5, 1.5, 8)


def field(z, **more):
    return HeightField(tuple(packed2(Table2(X, Y, z(X[:, None], Y), **more))))


CUBIC = field(lambda x, y: 0.05 * x**3 - 0.1 * x * y**2 + 0.2 * x * y + 0.1 * y)  # the same polynomial in all cells
HILLS = field(lambda x, y: 0.2 * np.sin(1.7 * x) * np.cos(1.3 * y) + 0.1 * x * y)


def of(kernel, a, b, number=3):
    """Sizes of one elementary pair of two shapes."""
    return [p.sizes for p in parts(a, b) if p.kernel == kernel][number]


# sizes of an example of every pair, and how far its frames are apart
EXAMPLES = {
    "point_plane": ((*POINT, 0.05), 1.0),
    "point_sphere": ((*POINT, 0.05, 0.4), 1.0),
    "point_in_sphere": ((*POINT, 0.05, 2.5), 0.8),
    "rim_plane": ((*POINT, 0.3, 0.02, 0.05, 1.0), 1.0),
    "point_capsule": ((*POINT, 0.05, 0.3, 0.4), 0.7),
    "point_cylinder": ((*POINT, 0.05, 0.3, 0.4), 0.7),
    "point_in_cylinder": ((*POINT, 0.05, 0.9, 0.3), 0.4),
    "point_field": ((*POINT, 0.05, 5, *CUBIC.numbers), 0.4),
    "segments": ((*POINT, 0.3, 0.2, 0.4, 0.05, -0.2, 0.0, -0.3, 0.1, 0.1, 0.5, 0.08), 0.5),
    "point_box": ((*POINT, 0.05, 0.3, 0.4, 0.2), 0.7),
    "point_convex": ((*POINT, 0.05, *polytope(ROOF).numbers), 0.6),
    "edges": (of("edges", BRICK, ROOF), 0.4),
    "segment_edge": (of("segment_edge", ROLL, ROOF), 0.4),
    "vertex_segment": (of("vertex_segment", ROLL, BRICK), 0.5),
}
RARE = ("edges", "segment_edge", "vertex_segment")  # pairs that mostly cannot touch


def example(name, n, seed=0):
    """Driver, sizes, and poses where the pair can touch."""
    sizes, spread = EXAMPLES[name]
    d, sizes, rng = driver(name), np.array(sizes), np.random.default_rng(seed)
    draws = n * (400 if name == "edges" else 50 if name in RARE else 1)
    A, B = poses(rng, draws, spread), poses(rng, draws, spread)
    there = np.nonzero(d.values(sizes, A, B).g < AWAY)[0][:n]
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
    d, sizes, A, B = example(name, 200 if name in RARE else 2000)
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
    far = (f.margin > 0.04) & (size < 6) & ((name != "segments") | (f.g > -0.11))  # middle lines that cross: n turns round
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


def test_capsules_and_boxes_against_coal():
    def capsules(coal):
        return coal.Capsule(0.1, 0.8), coal.Capsule(0.2, 0.6)

    def box(coal):
        return coal.Sphere(0.05), coal.Box(0.6, 0.8, 0.4)
    assert max(against_coal("segments", (0, 0, -0.4, 0, 0, 0.4, 0.1, 0, 0, -0.3, 0, 0, 0.3, 0.2), capsules, 0.4, False)) < 1e-9
    assert max(against_coal("point_box", (*POINT, 0.05, 0.3, 0.4, 0.2), box, 0.6, shift=POINT)) < 1e-9


def coal_shape(coal, shape):
    match shape:
        case Sphere():
            return coal.Sphere(shape.radius)
        case Plane():
            return coal.Halfspace(np.array([0, 0, 1.0]), 0.0)
        case Capsule():
            return coal.Capsule(shape.radius, shape.length)
        case Cylinder():
            return coal.Cylinder(shape.radius, shape.length)
        case Box():
            return coal.Box(*shape)
    vertices = coal.StdVec_Vec3s()
    vertices.extend(list(np.array(shape.points)))
    return coal.Convex.convexHull(vertices, True, None)


SHAPES = {"sphere": Sphere(0.2), "plane": Plane(), "capsule": ROLL, "cylinder": Cylinder(0.2, 0.6), "box": BRICK, "convex": ROOF}


@pytest.mark.parametrize("pair", list(combinations_with_replacement(SHAPES, 2)), ids="-".join)
def test_shapes_against_coal(pair):
    """The least gap of all elementary pairs, and its normal, where the shapes are apart."""
    coal = pytest.importorskip("coal", reason="coal is not installed: pip install coal")
    from coal_shapes import distances
    a, b = (SHAPES[name] for name in pair)
    try:
        found = parts(a, b)
    except ValueError:
        assert "cylinder" in pair or pair == ("plane", "plane")
        return
    rng = np.random.default_rng(7)
    n = POSES // 10 if len(found) > 20 else POSES
    A, B = poses(rng, n, 0.5), poses(rng, n, 0.5)
    g, normal = distances(coal_shape(coal, a), coal_shape(coal, b), A, B)
    used = g > 1e-3
    best, n = np.full(len(A), np.inf), np.zeros((len(A), 3))
    for kernel, swapped, sizes in found:
        f = driver(kernel).values(np.array(sizes), *((B, A) if swapped else (A, B)))
        less = f.g < best
        best[less], n[less] = f.g[less], (-f.n if swapped else f.n)[less]
    off = abs(best - g)[used].max(), abs(n - normal)[used].max()
    print(f"\n{pair}: {len(found)} pairs, {used.sum()} poses, gap {off[0]:.2g}, normal {off[1]:.2g}")
    assert used.sum() > 0.1 * len(A)
    assert off[0] < 1e-9 and off[1] < 1e-6


@pytest.mark.parametrize("pair", [("box", "box"), ("capsule", "box"), ("convex", "box")], ids="-".join)
def test_what_overlaps_has_a_pair_that_says_so(pair):
    """Bodies with corners that overlap by little have elementary pairs that touch, the deepest as deep as coal says; none while apart."""
    coal = pytest.importorskip("coal", reason="coal is not installed: pip install coal")
    from coal_shapes import distances
    a, b = (SHAPES[name] for name in pair)
    rng, n = np.random.default_rng(7), max(POSES // 20, 200)
    A, B = poses(rng, n, 0.35), poses(rng, n, 0.35)
    shapes = coal_shape(coal, a), coal_shape(coal, b)
    g, normal = distances(*shapes, A, B)
    for depth in (-1e-4, 1e-4, 1e-3):
        moved = A.copy()
        moved[:, :3] += normal * (g + depth)[:, None]
        true, _ = distances(*shapes, moved, B)
        right = abs(true + depth) < 1e-9  # not where another depth has become less, or coal has gone wrong
        least = np.full(n, np.inf)
        for kernel, swapped, sizes in parts(a, b):
            least = np.minimum(least, driver(kernel).values(np.array(sizes), *((B, moved) if swapped else (moved, B))).g)
        ratio = least[right] / -depth
        assert right.mean() > 0.95 and (abs(ratio - 1) < 1e-6).mean() > 0.95
        assert ratio.min() > 0 and ratio.max() < 1 / 0.7 + 1e-9


def test_nothing_jumps_at_borders_of_regions():
    """Poses where the nearest feature changes, by bisection: from both sides the same gap and normal outside of bodies."""
    rng = np.random.default_rng(11)
    for name in ("point_capsule", "point_cylinder", "point_in_cylinder", "segments", "point_box", "point_convex"):
        (sizes, spread), d = EXAMPLES[name], driver(name)
        sizes, A, B = np.array(sizes), poses(rng, 400, spread), poses(rng, 400, spread)
        low, high = A.copy(), A.copy()
        high[:, :3] += rng.normal(size=(400, 3)) * 0.3
        start = d.values(sizes, low, B).region
        differ = d.values(sizes, high, B).region != start
        low, high, start, B = low[differ], high[differ], start[differ], B[differ]
        for _ in range(60):
            middle = (low + high) / 2
            same = (d.values(sizes, middle, B).region == start)[:, None]
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        f, h = d.values(sizes, low, B), d.values(sizes, high, B)
        outside = f.g > 0
        assert outside.sum() > 20 and np.minimum(f.margin, h.margin).max() < 1e-12
        assert abs(f.g - h.g).max() < 1e-12 and abs(f.n - h.n)[outside].max() < 1e-6


def identity(*place):
    return np.array([[*place, 1, 0, 0, 0, 1, 0, 0, 0, 1]], dtype=float)


def test_singular_poses_are_finite():
    """Centres, middle lines, parallel and crossing lines, a cylinder that stands, a field that has no such place."""
    line = (0, 0, -0.5, 0, 0, 0.5)
    singular = {
        "point_sphere": ((0, 0, 0, 0.05, 0.4), -0.45), "point_in_sphere": ((0, 0, 0, 0.05, 0.4), 0.35),
        "point_capsule": ((0, 0, 0.1, 0.05, 0.3, 0.4), -0.35), "point_cylinder": ((0, 0, 0, 0.05, 0.3, 0.4), -0.35),
        "point_in_cylinder": ((0, 0, 0, 0.05, 0.3, 0.4), 0.25), "rim_plane": ((0, 0, 0.2, 0.3, 0, 0, 1), 0.2),
        "segments": ((*line, 0.1, *line, 0.2), -0.3), "point_box": ((0, 0, 0, 0.05, 0.3, 0.3, 0.3), -0.35),
        "point_convex": ((0, 0, 0, 0.05, *polytope(Box(1, 1, 1)).numbers), -0.55)}
    for name, (sizes, g) in singular.items():
        d, sizes = driver(name), np.array(sizes, float)
        f, x = d.values(sizes, identity(0, 0, 0), identity(0, 0, 0)), d.derived(sizes, identity(0, 0, 0), identity(0, 0, 0))
        assert np.isfinite(f.all).all() and np.isfinite(x.H).all() and np.isfinite(x.bias).all(), name
        assert abs(f.g[0] - g) < 1e-15 and abs(np.linalg.norm(f.n) - 1) < 1e-15, name
    for name in RARE:
        d, sizes = driver(name), np.array(EXAMPLES[name][0])
        f, x = d.values(sizes, identity(0, 0, 0), identity(0, 0, 0)), d.derived(sizes, identity(0, 0, 0), identity(0, 0, 0))
        assert np.isfinite(f.all).all() and np.isfinite(x.H).all(), name


def test_the_foot_on_a_field_is_the_nearest_point_of_all():
    """Against all points of a fine grid; on a tilted plane; on a parabola z = x^2 / (2 R), whose curvature is 1/R at its bottom."""
    d, rng = driver("point_field"), np.random.default_rng(4)
    places = rng.uniform((-1.9, -1.4, -0.5), (1.9, 1.4, 3.0), size=(300, 3))
    A, B = poses(rng, 300, 1.0), np.repeat(identity(0, 0, 0), 300, axis=0)
    A[:, :3] = places
    f = d.values(np.array([0, 0, 0, 0.0, 5, *HILLS.numbers]), A, B)
    x, y = np.meshgrid(np.linspace(-2, 2, 401), np.linspace(-1.5, 1.5, 301), indexing="ij")
    z = Table2(X, Y, 0.2 * np.sin(1.7 * X[:, None]) * np.cos(1.3 * Y) + 0.1 * X[:, None] * Y).evaluate(x, y)
    there = f.g < AWAY
    assert there.mean() > 0.6
    for e in np.nonzero(there)[0]:
        nearest = np.sqrt(((x - places[e, 0])**2 + (y - places[e, 1])**2 + (z - places[e, 2])**2).min())
        assert nearest - 1e-4 / nearest < abs(f.g[e]) < nearest + 1e-12
    tilted = field(lambda x, y: 0.3 * x - 0.2 * y + 0.1)
    f, normal = d.values(np.array([0, 0, 0, 0.0, 5, *tilted.numbers]), A, B), np.array([-0.3, 0.2, 1]) / np.sqrt(1.13)
    there, height = f.g < AWAY, (places - [0, 0, 0.1]) @ normal
    assert there.sum() > 100 and abs(f.g - height)[there].max() < 1e-14 and abs(f.n + normal)[there].max() < 1e-14
    valley = field(lambda x, y: x**2 / (2 * 0.8) + 0 * y)
    f = d.values(np.array([0, 0, 0, 0.2, 5, *valley.numbers]), identity(0, 0.2, 0.3), identity(0, 0, 0))
    assert np.allclose(f.all[0], [0.1, 0, 0, -1, 0, 0.2, 0.05], rtol=0, atol=1e-14)
    assert np.allclose(f.radii, [[0.2, 1 / (1 / 0.2 - 1 / 0.8)]], rtol=1e-12)


def test_complex_poses_and_sizes_give_complex_gradients():
    """As all kernels are used when a model is differentiated: g, n and c by a step of pose and radius, along with H of the real parts."""
    for name in ("point_field", "segments"):
        d, sizes, A, B = example(name, 50)
        rng = np.random.default_rng(5)
        u, w = rng.normal(size=(2, len(A), 6))
        z = sizes.astype(complex)
        z[3 if name == "point_field" else 6] += 1e-30j
        a, b = (np.array([p[:3] + 1e-30j * v[:3] for p, v in zip(P, V, strict=True)]) for P, V in ((A, u), (B, w)))
        a, b = (np.concatenate([o, P[:, 3:] + 1e-30j * turned(P, V[:, 3:])], axis=1) for o, P, V in ((a, A, u), (b, B, w)))
        found, x = d.in_complex(z, a, b), d.derived(sizes, A, B)
        wanted = np.einsum("eij,ej->ei", x.by, np.concatenate([u, w], axis=1))
        wanted[:, 0] -= 1
        assert abs(found[:, 0].imag / 1e-30 - wanted[:, 0]).max() < 1e-12
        assert abs(found[:, 1:4].imag / 1e-30 - wanted[:, 1:4]).max() < 1e-11
        assert abs(found[:, 19:].imag).max() == 0 and abs(found[:, 19:].real - x.H.reshape(-1, 144)).max() < 1e-9
        assert abs(found[:, 7:19].imag / 1e-30 - np.einsum("eij,ej->ei", x.G_by, np.concatenate([u, w], axis=1))).max() < 1e-9


def test_parallel_capsules_touch_in_the_middle_of_what_is_side_by_side():
    d, line = driver("segments"), (0, 0, -0.5, 0, 0, 0.5)
    f = d.values(np.array([*line, 0.1, *line, 0.2]), identity(0, 0, 0), identity(0.5, 0, 0.4))
    assert np.allclose(f.all[0], [0.2, 1, 0, 0, 0.2, 0, 0.2], rtol=0, atol=1e-14)
    assert abs(f.radii[0, 0] - 0.2 / 3) < 1e-15 and np.isinf(f.radii[0, 1])


def test_radii_of_crossed_capsules():
    """Perpendicular ones of radii r and R: two cylinders, 1/R_1 = 1/r, 1/R_2 = 1/R; a ball on a cylinder: 1/r + 1/R and 1/r."""
    d, line = driver("segments"), (0, 0, -0.5, 0, 0, 0.5)
    f = d.values(np.array([-0.5, 0, 0, 0.5, 0, 0, 0.1, *line, 0.2]), identity(0, 0.5, 0), identity(0, 0, 0))
    assert np.allclose(f.radii, [[0.1, 0.2]], rtol=1e-14)
    f = driver("point_cylinder").values(np.array([0, 0, 0, 0.1, 0.2, 1.0]), identity(0.4, 0, 0), identity(0, 0, 0))
    assert np.allclose(f.radii, [[0.2 / 3, 0.1]], rtol=1e-14)
    lies = np.array([[0, 0, -1, 0, 0, 1, 0, 1, 0, -1, 0, 0.0]])
    f = driver("rim_plane").values(np.array([0, 0, 0, 0.3, 0.01, 0, 1]), identity(0, 0, 0), lies)
    assert np.allclose(f.radii, [[0.01, 0.31]], rtol=1e-14)


def test_every_pair_of_shapes_has_a_row_or_a_reason():
    some = [Sphere(0.1), HollowSphere(1.0), Plane(), Capsule(0.1, 1.0), Cylinder(0.1, 1.0), Bore(1.0, np.inf), Box(1, 1, 1), ROOF, HILLS]
    for a, b in product(some, some):
        try:
            there, back = parts(a, b), parts(b, a)
        except ValueError as error:
            assert len(str(error).partition(": ")[2]) > 20
            continue
        key = [sorted((p.kernel, p.swapped != turn) for p in found) for found, turn in ((there, False), (back, True))]
        assert len(there) > 0 and (key[0] == key[1] or type(a) is type(b) or len(there) == len(back))
    assert [len(parts(Box(1, 1, 1), b)) for b in (Plane(), Sphere(1), Box(1, 1, 1), Capsule(0.1, 1))] == [8, 1, 160, 22]
    with pytest.raises(ValueError, match="make it infinite"):
        parts(Box(1, 1, 1), Bore(1.0, 2.0))
    with pytest.raises(ValueError, match="not in a plane"):
        parts(Convex(((0, 0, 0), (1, 0, 0), (0, 1, 0))), Plane())
    with pytest.raises(ValueError, match="touched_by: vertices"):
        parts(HILLS, Box(1, 1, 1))
    assert [p.kernel for p in parts(HILLS._replace(touched_by="vertices"), Box(1, 1, 1))] == 8 * ["point_field"]
    with pytest.raises(ValueError, match="must be cubic"):
        parts(Sphere(0.1), field(lambda x, y: x * y, kind="linear"))
    with pytest.raises(ValueError, match="pairs of edges"):
        ball = Convex(tuple(map(tuple, np.random.default_rng(0).normal(size=(60, 3)))))
        parts(ball, ball)


def test_a_ball_in_a_hollow_sphere_of_known_place():
    """Ball of radius 1 at (0.3, 0.4, 0) in one of radius 2: 2 - 1 - 0.5; half-way between 1.5 and 2 along (0.6, 0.8, 0)."""
    d = driver("point_in_sphere")
    A, B = np.zeros((1, 12)), np.array([[0.0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, 1]])
    A[0, 3::4], A[0, :3] = 1, (0.2, 0.4, 0)
    f = d.values(np.array([0.1, 0, 0, 1.0, 2.0]), A, B)
    assert np.allclose(f.all[0], [0.5, 0.6, 0.8, 0, 1.05, 1.4, 0], rtol=0, atol=1e-15) and np.allclose(f.radii, 2.0)
