"""Shapes of the scene as triangles, for files: points (p, 3) and cells (c, 3), in body axes, outward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..items.base import matrix_of
from ..items.joints import perpendicular_frame

AROUND = 24  # corners of a circle
Triangles = tuple[np.ndarray, np.ndarray]


def triangles(shape: dict[str, Any], arrays: dict[str, np.ndarray]) -> Triangles:
    """Of one shape of `shapes.dress`."""
    kind = shape["kind"]
    if kind == "mesh":
        return arrays[shape["points"]].astype(float), arrays[shape["cells"]].astype(np.int64)
    if kind == "box":
        return block(np.array(shape["size"]) / 2)
    if kind in ("sphere", "ellipsoid"):
        points, cells = ball()
        if kind == "sphere":
            return points * shape["radius"], cells
        return np.array(shape["center"]) + points * shape["half"] @ matrix_of(shape["rotation"]).T, cells
    p, q = np.array(shape["start"], float), np.array(shape["end"], float)
    return _drum(p, q, float(shape["radius"]))


def joined(parts: list[Triangles]) -> Triangles:
    """Several surfaces as one."""
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    if not parts:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    return np.concatenate([p for p, _ in parts]), np.concatenate([c + s for (_, c), s in zip(parts, starts, strict=False)])


def block(half: np.ndarray) -> Triangles:
    """A box about the origin."""
    corners = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * half
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, np.array([c for a, b, d, e in sides for c in ((a, b, d), (a, d, e))])


def ball() -> Triangles:
    """Of radius 1, with a ring of points on its equator."""
    rows = AROUND // 2
    v, u = np.pi * np.arange(1, rows) / rows, 2 * np.pi * np.arange(AROUND) / AROUND
    rings = np.array([(np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)) for b in v for a in u])
    points = np.vstack([(0, 0, 1), rings, (0, 0, -1)])
    k, last = np.arange(AROUND), len(points) - 1
    n = (k + 1) % AROUND
    cells = [np.column_stack([0 * k, 1 + k, 1 + n])]
    for r in range(rows - 2):
        a, b = 1 + r * AROUND, 1 + (r + 1) * AROUND
        cells += [np.column_stack([a + k, b + k, b + n]), np.column_stack([a + k, b + n, a + n])]
    end = 1 + (rows - 2) * AROUND
    cells.append(np.column_stack([end + k, 0 * k + last, end + n]))
    return points, np.vstack(cells)


def _drum(p: np.ndarray, q: np.ndarray, radius: float) -> Triangles:
    d = q - p
    axes = perpendicular_frame(d / np.linalg.norm(d))
    s = 2 * np.pi * np.arange(AROUND) / AROUND
    ring = radius * np.column_stack([np.cos(s), np.sin(s), 0 * s]) @ axes.T
    points = np.vstack([p + ring, q + ring, p, q])
    k = np.arange(AROUND)
    n = (k + 1) % AROUND
    return points, np.vstack(
        [
            np.column_stack([k, n, AROUND + n]),
            np.column_stack([k, AROUND + n, AROUND + k]),
            np.column_stack([0 * k + 2 * AROUND, n, k]),
            np.column_stack([0 * k + 2 * AROUND + 1, AROUND + k, AROUND + n]),
        ]
    )


def tube(profile: Sequence[tuple[float, float]]) -> Triangles:
    """What a line of points (r, z) sweeps about the z axis; outward if it goes up outside. Where r is zero it ends in a point."""
    s = 2 * np.pi * np.arange(AROUND) / AROUND
    around = np.column_stack([np.cos(s), np.sin(s)])
    points, cells, k, n = list[np.ndarray](), list[np.ndarray](), np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    for j, (r, z) in enumerate(profile):
        points.append(np.column_stack([r * around, np.full(AROUND, z)]))
        a, b = (j - 1) * AROUND, j * AROUND
        if j and profile[j - 1][0] > 0:
            cells.append(np.column_stack([a + k, a + n, b + n if r > 0 else b + 0 * k]))
        if j and r > 0:
            cells.append(np.column_stack([a + k if profile[j - 1][0] > 0 else a + 0 * k, b + n, b + k]))
    return np.vstack(points), np.vstack(cells)
