"""The axis of a beam as modelled: nodes at equal lengths, with axes whose first one is along the beam. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..functions.curve_splines import Spline, through

ON_NODE = 1e-9  # of an element: nearer to a node it is at the node
FINE = 16       # parts of an element in which the turn of the axis is summed up
TRIED = 8       # points of an element from which the nearest one to a point is looked for


class Pose(NamedTuple):
    """A node as modelled: place, and axes as columns; the first one is along the beam."""
    point: np.ndarray
    axes: np.ndarray


def skew(a: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), np.asarray(a))


def exponential(r: np.ndarray) -> np.ndarray:
    t, K = float(np.linalg.norm(r)), skew(r)
    found: np.ndarray = np.eye(3) + np.sinc(t / np.pi) * K + np.sinc(t / 2 / np.pi) ** 2 / 2 * K @ K
    return found


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """phi with exp([phi]) = R, below half a turn."""
    odd = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    s, c = np.linalg.norm(odd), (np.trace(R) - 1) / 2
    return odd * (np.arctan2(s, c) / s if s > 1e-8 else 1 + s * s / 6)


def screw(a: Pose, b: Pose) -> np.ndarray:
    """d of the helix from a to b                                                                                       [beam-1]"""
    phi, u = rotation_vector(a.axes.T @ b.axes), a.axes.T @ (b.point - a.point)
    t = np.linalg.norm(phi)
    g = (1 - t / 2 / np.tan(t / 2)) / t**2 if t > 1e-2 else 1 / 12 + t**2 / 720 + t**4 / 30240
    return np.concatenate([u - np.cross(phi, u) / 2 + g * np.cross(phi, np.cross(phi, u)), phi])


class BeamAxis(NamedTuple):
    """Nodes, and of each element its length, its strains d_0 / L, and by which angle it turns on the way from node to node [rad]."""
    poses: tuple[Pose, ...]
    lengths: np.ndarray
    strains: np.ndarray
    turns: np.ndarray

    @property
    def length(self) -> float:
        return float(self.lengths.sum())

    def locate(self, s: float) -> tuple[int, float]:
        """The element of a place s (0 to 1), and where it is in it; at a node: its number, and 0."""
        n = len(self.lengths)
        k, node = min(int(s * n), n - 1), round(s * n)
        return (node, 0.0) if abs(s * n - node) < ON_NODE else (k, s * n - k)

    def pose(self, s: float) -> Pose:
        """Of the section at s: on the cubic of the inertia, with axes that turn evenly                                   [beam-8, 17]"""
        k, x = self.locate(s)
        if x == 0:
            return self.poses[k]
        (p, P), (q, Q), L = self.poses[k], self.poses[k + 1], self.lengths[k]
        from_p = (1 - 3 * x**2 + 2 * x**3) * p + (x - 2 * x**2 + x**3) * L * P[:, 0]
        return Pose(from_p + (3 * x**2 - 2 * x**3) * q + (x**3 - x**2) * L * Q[:, 0], P @ exponential(x * rotation_vector(P.T @ Q)))

    def nearest(self, point: np.ndarray) -> float:
        """The s of the section that is nearest to a point."""
        def far(s: float) -> float:
            return float(np.linalg.norm(self.pose(s).point - point))
        n = TRIED * len(self.lengths)
        best = min(range(n + 1), key=lambda k: far(k / n))
        low, high, golden = max(best - 1, 0) / n, min(best + 1, n) / n, (np.sqrt(5) - 1) / 2
        while high - low > 1e-9:
            a, b = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, b) if far(a) < far(b) else (a, high)
        middle, node = (low + high) / 2, round((low + high) / 2 * n / TRIED) / n * TRIED
        return float(node if abs(middle - node) < 1e-7 else middle)


def _across(x: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Axes with x first, and z as near to ``up`` as it can be."""
    z = up - (up @ x) * x
    z /= np.linalg.norm(z) or 1.0
    return np.column_stack((x, np.cross(z, x), z))


def _curve(points: np.ndarray) -> Spline | None:
    """Through the points; None if they are on a straight line, one after the other."""
    way = points[-1] - points[0]
    along = points @ way / (way @ way) if way.any() else np.zeros(len(points))
    off = np.linalg.norm(points - points[0] - np.outer(along - along[0], way), axis=1).max()
    straight = len(points) == 2 or (way.any() and off < 1e-12 * np.linalg.norm(way) and np.diff(along).min() > 0)
    return None if straight else through(points, False)


def points_along(points: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """So many points at equal lengths, and the directions there."""
    curve, places = _curve(points), np.linspace(0, 1, count)
    if curve is None:
        way = points[-1] - points[0]
        return points[0] + places[:, None] * way, np.tile(way / np.linalg.norm(way), (count, 1))
    found, tangents = curve.at(places * curve.length), curve.at(places * curve.length, 1)
    return found, tangents / np.linalg.norm(tangents, axis=1)[:, None]


def _upright(tangents: np.ndarray) -> tuple[float, float, float]:
    """The direction that ``up`` is where it is left out."""
    return (0.0, 0.0, 1.0) if abs(tangents[:, 2]).max() < 0.999 else (0.0, 1.0, 0.0)


def default_up(axis: BeamAxis) -> tuple[float, float, float]:
    return _upright(np.array([pose.axes[:, 0] for pose in axis.poses]))


@lru_cache(maxsize=64)
def axis_of(points: tuple[tuple[float, float, float], ...], elements: int, up: tuple[float, float, float] | None,
            twist: float) -> BeamAxis:
    """Nodes along a straight line or a smooth curve through points. The z axis of the section is towards ``up`` (the world's z; its y where
    the beam is along z somewhere), and turns about the beam by ``twist`` [rad] from the start to the end."""
    fine, ways = points_along(np.array(points, float), FINE * elements + 1)
    at, tangents = fine[::FINE], ways[::FINE]
    z = np.array(_upright(tangents) if up is None else up)
    poses = tuple(Pose(p, _across(t, z) @ exponential(np.array([twist * k / elements, 0.0, 0.0])))
                  for k, (p, t) in enumerate(zip(at, tangents, strict=True)))
    screws = np.array([screw(a, b) for a, b in pairwise(poses)])
    lengths = np.linalg.norm(screws[:, :3], axis=1)
    steps = 2 * np.arcsin(np.minimum(1.0, np.linalg.norm(np.diff(ways, axis=0), axis=1) / 2))
    turns = np.hypot(steps.reshape(elements, FINE).sum(1), twist / elements)
    return BeamAxis(poses, lengths, screws / lengths[:, None], turns)
