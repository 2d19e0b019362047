"""Boxes that lie flat on each other: the corners of the area they share carry, as deep as they are, and nothing else does."""
from __future__ import annotations

import numpy as np
import pytest
from gap_drivers import driver, turn

from pliant.kernels.gaps.shapes import Box, Capsule, parts

DEPTH = 1e-5


def pose(place, turned=0.0, tilt=(0.0, 0.0)):
    R = turn(np.array([[0, 0, turned]]))[0] @ turn(np.array([[*tilt, 0]]))[0]
    return np.array([[*place, *R.ravel()]])


def touching(a, b, A, B):
    """Gaps, normals and points of all elementary pairs that overlap; normals from a to b."""
    g, n, c = [], [], []
    for kernel, swapped, sizes in parts(a, b):
        f = driver(kernel).values(np.array(sizes), *((B, A) if swapped else (A, B)))
        if f.g[0] < 0:
            g.append(f.g[0])
            n.append(-f.n[0] if swapped else f.n[0])
            c.append(f.c[0])
    return np.array(g), np.array(n), np.array(c)


@pytest.mark.parametrize("degrees, corners", [(0.0, 4), (30.0, 8), (45.0, 8), (80.0, 8)])
@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-6])
def test_equal_boxes(degrees, corners, tilt):
    """Turned against each other they share an octagon, whose corners are crossings of edges; not turned, those are vertices."""
    if degrees == 0 and tilt:
        return
    box, A = Box(1, 1, 1), pose((0, 0, 1 - DEPTH), np.radians(degrees), (tilt, 0.3 * tilt))
    g, n, c = touching(box, box, A, pose((0, 0, 0)))
    distinct = np.unique(c.round(6), axis=0)
    below = (A[0, 3:].reshape(3, 3)[:, 2] @ (c - A[0, :3]).T) + 0.5  # height of the points over the bottom of the upper box
    assert len(distinct) == corners and abs(n - [0, 0, -1]).max() < 1e-5
    assert abs(g + DEPTH).max() < 2 * tilt + 1e-12 and abs(below).max() < DEPTH
    assert abs(c.mean(axis=0) - [0, 0, 0.5 - DEPTH / 2])[:2].max() < 1e-6


def test_a_small_box_on_a_large_one_has_its_four_vertices():
    """Its upright edges cross those of the large one far inside: they do not touch."""
    g, n, c = touching(Box(0.4, 0.3, 0.2), Box(2, 2, 1), pose((0.3, -0.2, 0.6 - DEPTH), 0.4), pose((0, 0, 0)))
    assert len(g) == 4 and abs(g + DEPTH).max() < 1e-15 and abs(n - [0, 0, -1]).max() < 1e-14
    assert np.allclose(c.mean(axis=0), [0.3, -0.2, 0.5], rtol=0, atol=1e-14)


def test_a_capsule_across_a_box_touches_two_edges():
    """Longer than the box is wide: neither of its ends is above it."""
    A = np.array([[0, 0, 0.6 - DEPTH, *turn(np.array([[0, np.pi / 2, 0]]))[0].ravel()]])
    g, n, c = touching(Capsule(0.1, 3.0), Box(2, 2, 1), A, pose((0, 0, 0)))
    assert len(g) == 2 and abs(g + DEPTH).max() < 1e-15 and abs(n - [0, 0, -1]).max() < 1e-14
    assert np.allclose(np.sort(c[:, 0]), [-1, 1], rtol=0, atol=1e-14)
