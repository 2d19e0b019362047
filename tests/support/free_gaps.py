"""Gaps of bodies in free flight, as functions of time: what would happen if nothing touched. Independent of the product, in NumPy.

A body is a core (points, a segment, a polytope, a cylinder) with a radius about it, and moves with constant velocity and angular velocity,
or as a function says. Gaps are the distance, negative where bodies overlap; of two polytopes the largest separation along normals of faces
and of pairs of edges, which is the distance or less, negative if and only if they overlap.
"""
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

GOLDEN = 0.6180339887498949


class Core(NamedTuple):
    kind: str                                  # point, segment, polytope, disc (a cylinder about z), plane, room (the inside of a sphere)
    radius: float = 0.0
    sizes: tuple[float, ...] = ()              # half length of a segment; radius and half length of a disc
    vertices: np.ndarray = np.zeros((1, 3))

    @property
    def reach(self):
        """Largest distance of a point from the origin."""
        far = {"segment": self.sizes[:1], "disc": (np.hypot(*self.sizes) if self.kind == "disc" else 0.0,)}.get(self.kind, (0.0,))
        return max(float(np.linalg.norm(self.vertices, axis=1).max()), *far) + (0.0 if self.kind in ("plane", "room") else self.radius)

    @property
    def corners(self):
        """Points whose hull with the radius is the body."""
        return np.array([[0, 0, -self.sizes[0]], [0, 0, self.sizes[0]]]) if self.kind == "segment" else self.vertices


def box_core(size):
    return Core("polytope", vertices=np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(size) / 2)


class Pose(NamedTuple):
    p: np.ndarray  # (..., 3)
    R: np.ndarray  # (..., 3, 3)


def turn(axis, angle):
    """Rotation matrices about a unit vector."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * K + (1 - c) * (K @ K)


class Flight(NamedTuple):
    """p0 + v t, turning with w (world axes) from R0; or a pose that a function gives, with the largest speed of a point within a reach."""
    p0: np.ndarray
    v: np.ndarray = np.zeros(3)
    w: np.ndarray = np.zeros(3)
    R0: np.ndarray = np.eye(3)
    path: Callable | None = None
    fastest: Callable | None = None

    def at(self, t):
        t = np.asarray(t, float)
        if self.path:
            return self.path(t)
        speed = np.linalg.norm(self.w)
        R = turn(self.w / speed, speed * t) @ self.R0 if speed > 0 else np.broadcast_to(self.R0, (*t.shape, 3, 3))
        return Pose(self.p0 + np.multiply.outer(t, self.v), R)

    def speed(self, reach):
        return self.fastest(reach) if self.fastest else float(np.linalg.norm(self.v) + np.linalg.norm(self.w) * reach)


def to_box(x, half):
    d = abs(x) - half
    return np.linalg.norm(np.maximum(d, 0), axis=-1) + np.minimum(d.max(axis=-1), 0)


def to_segment(x, a, b):
    """Distance of points from segments."""
    u = b - a
    s = np.clip(((x - a) * u).sum(-1) / (u * u).sum(-1), 0, 1)
    return np.linalg.norm(x - a - s[..., None] * u, axis=-1)


def to_hull(x, core):
    """Signed distance of points (..., 3) from a polytope."""
    hull = ConvexHull(core.vertices)
    outside = (x @ hull.equations[:, :3].T + hull.equations[:, 3])
    best = np.full(x.shape[:-1], np.inf)
    for k, (i, j, l) in enumerate(hull.simplices):
        a, b, c, n = *hull.points[[i, j, l]], hull.equations[k, :3]
        foot = x - outside[..., k, None] * n
        inside = np.ones(x.shape[:-1], bool)
        for p, q, r in ((a, b, c), (b, c, a), (c, a, b)):
            side = np.cross(n, q - p)
            inside &= ((foot - p) @ side) * ((r - p) @ side) >= 0
        best = np.minimum(best, np.where(inside, abs(outside[..., k]),
                                         np.minimum(to_segment(x, a, b), np.minimum(to_segment(x, b, c), to_segment(x, c, a)))))
    return np.where(outside.max(-1) < 0, outside.max(-1), best)


def to_solid(x, core):
    """Of points in the axes of a body from it, without radii."""
    if core.kind == "disc":
        u, w = np.hypot(x[..., 0], x[..., 1]) - core.sizes[0], abs(x[..., 2]) - core.sizes[1]
        return np.hypot(np.maximum(u, 0), np.maximum(w, 0)) + np.minimum(np.maximum(u, w), 0)
    if core.kind == "plane":
        return x[..., 2]
    if core.kind == "room":
        return core.radius - np.linalg.norm(x, axis=-1)
    if core.kind == "segment":
        return to_segment(x, *core.corners)
    if core.kind == "point":
        return np.linalg.norm(x, axis=-1)
    half = core.vertices.max(0)
    return to_box(x, half) if len(core.vertices) == 8 and (abs(abs(core.vertices) - half) < 1e-15).all() else to_hull(x, core)


def least(f, n=60):
    """The lowest value over 0 .. 1 of a convex function of arrays."""
    a, b = f(0) * 0, f(0) * 0 + 1
    low = np.minimum(f(0.0), f(1.0))
    for _ in range(n):
        c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        x, y = f(c[..., None]), f(d[..., None])
        left = x < y
        a, b, low = np.where(left, a, c), np.where(left, d, b), np.minimum(low, np.minimum(x, y))
    return low


def apart(p, R, one, other):
    """Of two polytopes, the first at the place p with the axes R in those of the second."""
    U, V = ConvexHull(one.vertices), ConvexHull(other.vertices)
    x, y, gap = p[..., None, :] + np.einsum("...ij,vj->...vi", R, one.vertices), other.vertices, np.full(p.shape[:-1], -np.inf)

    def along(n):
        a, b = np.einsum("...vk,...k->...v", x, n), np.einsum("vk,...k->...v", y, n)
        return np.maximum(a.min(-1) - b.max(-1), b.min(-1) - a.max(-1))
    for n in V.equations[:, :3]:
        gap = np.maximum(gap, along(np.broadcast_to(n, p.shape)))
    for n in U.equations[:, :3]:
        gap = np.maximum(gap, along(R @ n))
    for u in edges_of(U):
        for v in edges_of(V):
            n = np.cross(R @ u, v)
            size = np.linalg.norm(n, axis=-1, keepdims=True)
            gap = np.where(size[..., 0] > 1e-7, np.maximum(gap, along(n / np.maximum(size, 1e-7))), gap)
    return gap


def edges_of(hull):
    """Unit directions of edges of a hull, each once; not of lines between triangles of one face."""
    found, faces = [], {}
    for k, triangle in enumerate(hull.simplices):
        for a, b in zip(triangle, np.roll(triangle, 1), strict=True):
            faces.setdefault((min(a, b), max(a, b)), []).append(hull.equations[k, :3])
    for (a, b), (m, n) in faces.items():
        u = (hull.points[a] - hull.points[b]) / np.linalg.norm(hull.points[a] - hull.points[b])
        if m @ n < 1 - 1e-12 and not any(np.linalg.norm(np.cross(u, w)) < 1e-9 for w in found):
            found.append(u)
    return np.array(found)


def gap_of(a, b):
    """A function of poses: the gap of core a against core b."""
    def gap(at_a, at_b):
        back = np.swapaxes(at_b.R, -1, -2)
        p, R = (back @ (at_a.p - at_b.p)[..., None])[..., 0], back @ at_a.R  # of a in the axes of b
        if a.kind == "polytope" and b.kind == "polytope":
            found = np.linalg.norm(p, axis=-1) - a.reach - b.reach
            near = found < 0
            found[near] = apart(p[near], R[near], a, b)
            return found
        x, r = p[..., None, :] + np.einsum("...ij,vj->...vi", R, a.corners), a.radius + (0.0 if b.kind in ("plane", "room") else b.radius)
        if b.kind in ("plane", "room") or a.kind == "point":
            return to_solid(x, b).min(-1) - r
        return least(lambda s: to_solid(x[..., 0, :] + s * (x[..., 1, :] - x[..., 0, :]), b)) - r
    return gap


def first_below(f, rate, end, fine):
    """The first time at which f is negative, NaN if it never is; and its lowest value until then. Where positive, f may be less than a
    distance that changes no faster than ``rate``. Intervals in which that cannot be negative are left out, others are divided until they
    are ``fine``, as a value."""
    edges = np.linspace(0.0, end, 1001)
    a, h, lowest = edges[:-1], end / 1000, np.inf
    while True:
        x, y = f(a), f(a + h)
        lowest = min(lowest, float(min(x.min(), y.min())))
        below = np.flatnonzero((x < 0) | (y < 0))
        if below.size:
            a, x, y = a[:below[0] + 1], x[:below[0] + 1], y[:below[0] + 1]
        near = (x + y) / 2 - rate * h / 2 < 0
        a, x, y = a[near], x[near], y[near]
        if not a.size:
            return np.nan, lowest
        if rate * h < fine or h < 1e-15 * end:
            return (float(a[-1] + h) if below.size else np.nan), lowest
        if a.size > 300_000:
            raise ValueError("too many near misses")
        h /= 8
        a = (a[:, None] + h * np.arange(8)).ravel()
