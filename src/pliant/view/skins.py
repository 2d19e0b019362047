"""Skins of flexible bodies: triangles that follow the modes. Beams, kept as lines, get their section; parts without a mesh bars between
their nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..flex.reduced import Reduced, Skin
from ..items.joints import perpendicular_frame

ROUND = 16  # corners of a bar whose section is not known


def skin_of(part: Reduced, thin: float) -> Skin:
    """Points, triangles and psi. ``thin``: radius of bars whose section is not known."""
    if part.skin is None:
        nodes = list(part.nodes.values())
        points = np.array([node.u0 for node in nodes]).reshape(-1, 3)
        psi = np.array([node.psi_R for node in nodes]).reshape(-1, 3, part.n)
        lines = np.array([(0, k) for k in range(1, len(nodes))], np.int64).reshape(-1, 2)
        return _tubes(points, lines, psi, _circle(thin), None)
    points, cells, psi = part.skin
    if cells.shape[1] != 2:
        return Skin(points, outward(points, cells), psi)
    section: dict[str, Any] = part.facts.get("outline") or {}
    outline = np.array(section["points"], float) if section else _circle(thin)
    return _tubes(points, cells, psi, outline, section.get("up"))


def outward(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Triangles of a closed surface, all turned so that it holds a positive volume."""
    a, b, c = (points[cells[:, k]] - points.mean(0) for k in range(3))
    return cells[:, ::-1] if np.einsum("ni,ni->", a, np.cross(b, c)) < 0 else cells


def _circle(radius: float) -> np.ndarray:
    s = 2 * np.pi * np.arange(ROUND) / ROUND
    return radius * np.column_stack([np.cos(s), np.sin(s)])


def _tubes(points: np.ndarray, lines: np.ndarray, psi: np.ndarray, outline: np.ndarray, up: Any) -> Skin:
    """A ring of points at both ends of every line, which turns with the line: by the difference of the displacements of its ends over its
    length. Rings of neighbouring lines that continue each other are joined; torsion is not seen."""
    rings, cells, shapes, count = [], [], [], 0
    k, corners = len(outline), np.arange(len(outline))
    slopes = _slopes(points, lines, psi)
    ends = np.bincount(lines.ravel(), minlength=len(points))
    for i, j in lines:
        t = points[j] - points[i]
        axes = _axes(t, up)
        offsets = outline @ axes[:, 1:].T
        for node in (i, j):
            turn = slopes[node] if ends[node] == 2 else _slope(points, psi, i, j)
            rings.append(points[node] + offsets)
            shapes.append(psi[node] + np.cross(turn[None], offsets[:, :, None], axis=1))
        a, b = count + corners, count + k + corners
        a1, b1 = np.roll(a, -1), np.roll(b, -1)
        cells += [np.column_stack([a, a1, b1]), np.column_stack([a, b1, b])]
        fan = np.column_stack([np.zeros(k - 2, int), corners[1:-1], corners[2:]])
        cells += [count + fan[:, ::-1]] if ends[i] == 1 else []
        cells += [count + k + fan] if ends[j] == 1 else []
        count += 2 * k
    if not rings:
        return Skin(points, np.zeros((0, 3), np.int64), psi)
    return _merged(np.concatenate(rings), np.concatenate(cells), np.concatenate(shapes))


def _slope(points: np.ndarray, psi: np.ndarray, i: int, j: int) -> np.ndarray:
    """Rotation of the line from i to j by mode, without its torsion: t x (psi_j - psi_i) / |t|^2, shape (3, n)."""
    t = points[j] - points[i]
    return np.cross(t[:, None], psi[j] - psi[i], axis=0) / (t @ t)


def _slopes(points: np.ndarray, lines: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """At nodes between two lines: the mean of both."""
    out, seen = np.zeros_like(psi), np.zeros(len(points))
    for i, j in lines:
        turn = _slope(points, psi, i, j)
        for node in (i, j):
            out[node] += turn
            seen[node] += 1
    return out / np.maximum(seen, 1)[:, None, None]


def _axes(t: np.ndarray, up: Any) -> np.ndarray:
    """Axes of a section: x along the line, z towards up."""
    from ..flex.beams import _axes as of_beam

    try:
        return np.asarray(of_beam(t, up))
    except ValueError:
        return perpendicular_frame(t / np.linalg.norm(t))[:, [2, 0, 1]]


def _merged(points: np.ndarray, cells: np.ndarray, psi: np.ndarray) -> Skin:
    """Rings at the same place are one, if they move alike."""
    size = float(np.ptp(points, axis=0).max()) or 1.0
    key = np.round(points / size, 9)
    _, first, which = np.unique(key, axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    alike = np.abs(psi - psi[first][which]).max() <= 1e-9 * max(1e-300, float(abs(psi).max(initial=0.0)))
    if not alike:
        return Skin(points, cells, psi)
    return Skin(points[first], which[cells], psi[first])
