"""Shapes of rigid bodies for the page: of their makers, from a file named by their style, or from their inertia and what holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..flex.outlines import outline_of
from ..flex.section import Section
from ..items.base import matrix_of, quaternion_of
from ..items.meshes import surface_of
from .skins import outward
from .triangles import Triangles

Shapes = list[dict[str, Any]]


def dress(body: Any, style: Any, held: list[np.ndarray], symbol: float, size: float, arrays: dict[str, np.ndarray], prefix: str,
          touched: Sequence[Triangles] = ()) -> Shapes:
    """Shapes in body axes; large ones are put into ``arrays``. Points that hold the body and lie outside are linked to it. A body without
    a shape has the surfaces ``touched`` by contacts, if there are any."""
    if style is not None and style.mesh is not None:
        corners, cells = surface_of(style)
        points = np.array(style.position) + corners @ matrix_of(style.rotation).T
        return [_mesh(points, cells, arrays, f"{prefix}.mesh")]
    shape = getattr(body, "shape", None)
    if shape is None and not touched:
        return _from_inertia(body, held, symbol, size)
    made: Shapes = []
    middle, outside = np.zeros(3), lambda x: True
    if shape is None:
        made += [_mesh(points, cells, arrays, f"{prefix}.surface{k}") for k, (points, cells) in enumerate(touched)]
        low, high = (find([find(points, axis=0) for points, _ in touched], axis=0) for find in (np.min, np.max))
        middle, outside = np.clip(np.array(getattr(body, "com", np.zeros(3))), low, high), lambda x: bool(((x < low) | (x > high)).any())
    elif shape.kind in ("rod", "cylinder"):
        p, q = np.array(shape.points[0]), np.array(shape.points[1])
        middle, radius = (p + q) / 2, shape.radius
        made.append({"kind": "cylinder", "start": p, "end": q, "radius": radius, "marked": shape.kind == "cylinder"})
        outside = lambda x: _off(x, p, q) > max(1.001 * radius, 1e-6 * size)  # noqa: E731
    elif shape.kind == "box":
        half = np.array(shape.points[0]) / 2
        made.append({"kind": "box", "size": shape.points[0]})
        outside = lambda x: bool((abs(x) > half * 1.001).any())  # noqa: E731
    elif shape.kind == "sphere":
        made.append({"kind": "sphere", "radius": shape.radius})
        outside = lambda x: float(np.linalg.norm(x)) > 1.001 * shape.radius  # noqa: E731
    else:
        corners = np.array(shape.points, float)
        points, which = np.unique(np.round(corners, 12), axis=0, return_inverse=True)
        made.append(_mesh(points, which.reshape(-1, 3), arrays, f"{prefix}.mesh"))
        low, high = corners.min(0), corners.max(0)
        outside = lambda x: bool(((x < low) | (x > high)).any())  # noqa: E731
    return made + [_link(middle, x, 0.35 * symbol) for x in _distinct(held, size) if outside(x)]


def _from_inertia(body: Any, held: list[np.ndarray], symbol: float, size: float) -> Shapes:
    """Bars between what holds the body, and an ellipsoid that has its inertia, as long as that is neither tiny nor huge."""
    com = np.array(getattr(body, "com", (0.0, 0.0, 0.0)), float)
    points = _distinct(held, size)
    made: Shapes = []
    if len(points) == 2:
        made.append(_link(points[0], points[1], 0.5 * symbol))
        p, q = points
        if _off(com, p, q) > 0.5 * symbol:
            made.append(_link((p + q) / 2, com, 0.35 * symbol))
    else:
        made += [_link(com, x, 0.4 * symbol) for x in points if np.linalg.norm(x - com) > 1e-6 * size]
    axes, half = np.eye(3), np.full(3, 0.8 * symbol)
    mass = float(getattr(body, "mass", 0.0) or 0.0)
    if mass > 0:
        moments, axes = np.linalg.eigh(body.inertia_matrix)
        squares = 2.5 / mass * (moments.sum() - 2 * moments)
        most = 1.3 * symbol if len(points) > 1 else max(2.0 * symbol, 0.045 * size) if points else 0.25 * size
        half = np.clip(np.sqrt(np.maximum(squares, 0.0)), min(0.8 * symbol, most), most)
        axes = axes * np.sign(np.linalg.det(axes))
    made.append({"kind": "ellipsoid", "center": com, "half": half, "rotation": quaternion_of(axes)})
    return made


def _mesh(points: np.ndarray, cells: np.ndarray, arrays: dict[str, np.ndarray], name: str) -> dict[str, Any]:
    arrays[f"{name}.points"], arrays[f"{name}.cells"] = points.astype(np.float32), cells.astype(np.uint32)
    return {"kind": "mesh", "points": f"{name}.points", "cells": f"{name}.cells"}


def piece(section: Section, halves: np.ndarray, arrays: dict[str, np.ndarray], prefix: str) -> dict[str, Any]:
    """A prism along x, with its ends closed, that has the outline of a section."""
    outline = np.array(outline_of(section))
    n = len(outline)
    a, ends = np.arange(n), np.array([[-halves[0], 0.0, 0.0], [halves[1], 0.0, 0.0]])
    ring, first = np.column_stack([np.zeros(n), outline]), np.full(n, 2 * n)
    points, b = np.vstack([ends[0] + ring, ends[1] + ring, ends]), np.roll(a, -1)
    cells = [np.column_stack(c) for c in ((a, b, b + n), (a, b + n, a + n), (first, b, a), (first + 1, a + n, b + n))]
    return _mesh(points, outward(points, np.vstack(cells)), arrays, f"{prefix}.piece")


def _link(p: np.ndarray, q: np.ndarray, radius: float) -> dict[str, Any]:
    return {"kind": "link", "start": p, "end": q, "radius": radius}


def _distinct(points: list[np.ndarray], size: float) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    for p in points:
        if all(np.linalg.norm(p - x) > 1e-6 * size for x in found):
            found.append(p)
    return found


def _off(x: np.ndarray, p: np.ndarray, q: np.ndarray) -> float:
    """Distance of x from the segment."""
    d = q - p
    s = np.clip((x - p) @ d / (d @ d), 0.0, 1.0)
    return float(np.linalg.norm(x - p - s * d))
