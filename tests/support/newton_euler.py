"""Equations of Newton and Euler written by hand, for SciPy: a reference that shares no line with the package.

Bodies have the position and velocity of their centre of mass (world axes), a quaternion and an angular velocity w (body axes):

    m v' = f,    I w' + w x I w = m_body,    J a = f''(t) - b(x, v)

J a + b is the second time derivative of the equations of joints, drives and couplings; multipliers follow from J M^-1 J^T, by least
squares where equations are redundant. Joint angles, and rotation vectors of bushings, are states of their own, integrated from their
rates: nothing has to count turns.
"""
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag


def cross(a, b):
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def left_rate(r):
    """S(r): the rate of a rotation vector is S times the angular velocity in the axes that it is seen from."""
    angle, R = np.linalg.norm(r), skew(r)
    d = 1 / 12 if angle < 1e-4 else 1 / angle**2 - (1 + np.cos(angle)) / (2 * angle * np.sin(angle))
    return np.eye(3) - R / 2 + d * R @ R


class Place(NamedTuple):
    """A frame: number of its body (-1: the ground), point from the centre of mass and axes, in body axes."""
    body: int
    point: np.ndarray
    axes: np.ndarray


class Vector(NamedTuple):
    """A vector that moves with bodies: value, rate, second derivative without accelerations, and Jacobian of the rate."""
    x: np.ndarray
    rate: np.ndarray
    bias: np.ndarray
    J: np.ndarray

    def __sub__(self, other):
        return Vector(*(a - b for a, b in zip(self, other, strict=True)))


class Row(NamedTuple):
    """A scalar equation or coordinate: the same of numbers."""
    x: float
    rate: float
    bias: float
    J: np.ndarray


def product(f: Vector, g: Vector) -> Row:
    return Row(f.x @ g.x, f.rate @ g.x + f.x @ g.rate, f.bias @ g.x + 2 * f.rate @ g.rate + f.x @ g.bias, g.x @ f.J + f.x @ g.J)


@dataclass
class Now:
    """All bodies at one moment."""
    t: float
    p: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray
    n: int
    angles: dict = field(default_factory=dict)
    vectors: dict = field(default_factory=dict)
    known: dict = field(default_factory=dict)  # points and axes so far

    def _known(self, place, k):
        """The point of a frame (k = -1) or one of its axes."""
        key = id(place), k
        if key not in self.known:
            self.known[key] = self._moved(place.body, place.point if k < 0 else place.axes[:, k], k >= 0)
        return self.known[key]

    def _moved(self, body, local, fixed):
        if body < 0:
            return Vector(np.array(local, float), np.zeros(3), np.zeros(3), np.zeros((3, 6 * self.n)))
        R, w, J = self.R[body], self.w[body], np.zeros((3, 6 * self.n))
        turned = cross(w, local)
        J[:, 6 * body + 3:6 * body + 6] = -R @ skew(local)
        x, rate = R @ local, R @ turned
        if not fixed:
            x, rate = x + self.p[body], rate + self.v[body]
            J[:, 6 * body:6 * body + 3] = np.eye(3)
        return Vector(x, rate, R @ cross(w, turned), J)

    def point(self, place):
        return self._known(place, -1)

    def axis(self, place, k):
        return self._known(place, k)

    def spin(self, place):
        """Angular velocity, world axes, with its Jacobian."""
        J = np.zeros((3, 6 * self.n))
        if place.body < 0:
            return np.zeros(3), J
        J[:, 6 * place.body + 3:6 * place.body + 6] = self.R[place.body]
        return self.R[place.body] @ self.w[place.body], J

    def turn(self, a, b, name=None) -> Row:
        """The angle about the z axis of a, with axes that stay parallel."""
        z, (wa, Ja), (wb, Jb) = self.axis(a, 2), self.spin(a), self.spin(b)
        return Row(self.angles.get(name, 0.0), z.x @ (wb - wa), z.rate @ (wb - wa), z.x @ (Jb - Ja))

    def slide(self, a, b) -> Row:
        return product(self.axis(a, 2), self.point(b) - self.point(a))


@dataclass
class Reference:
    """masses, inertias (body axes, about the centre of mass); ``equations``: functions of Now that give Rows, with the values that
    these and their two derivatives shall have (a function of t, or None: zero); ``forces``: functions of Now that give a
    generalised force of 6 n numbers. ``turning``: joints whose angle is a state, name -> (a, b, start); ``bushed``: the same for
    rotation vectors."""
    masses: list
    inertias: list
    gravity: np.ndarray
    equations: list[tuple[Callable, Callable | None]] = field(default_factory=list)
    forces: list[Callable] = field(default_factory=list)
    turning: dict = field(default_factory=dict)
    bushed: dict = field(default_factory=dict)

    @property
    def n(self):
        return len(self.masses)

    @cached_property
    def inverse(self):
        """Of the mass matrix."""
        return block_diag(*(part for m, inertia in zip(self.masses, self.inertias, strict=True)
                            for part in (np.eye(3) / m, np.linalg.inv(inertia))))

    def now(self, t, y):
        n = self.n
        p, q, v, w = (part.reshape(n, -1) for part in np.split(y[:13 * n], [3 * n, 7 * n, 10 * n]))
        made = Now(t, p, np.array([rotation(x) for x in q]), v, w, n)
        made.angles = dict(zip(self.turning, y[13 * n:], strict=False))
        first = 13 * n + len(self.turning)
        made.vectors = {name: y[first + 3 * k:first + 3 * k + 3] for k, name in enumerate(self.bushed)}
        return made

    def start(self, p, q, v, w):
        return np.concatenate([np.ravel(p), np.ravel(q), np.ravel(v), np.ravel(w), [start for *_, start in self.turning.values()],
                               np.zeros(3 * len(self.bushed))])

    def rows(self, now):
        """All equations: values, rates, second derivatives without accelerations, Jacobian, and what these shall be."""
        values, aims = [], []
        for make, aim in self.equations:
            rows = make(now)
            values += rows
            aims += [(0.0, 0.0, 0.0) if aim is None else aim(now.t)] * len(rows)
        if not values:
            return np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, 6 * self.n)), np.zeros((0, 3))
        return (*(np.array([r[k] for r in values]) for k in range(3)), np.array([r.J for r in values]), np.array(aims))

    def accelerations(self, now):
        Q, inverse = np.zeros(6 * self.n), self.inverse
        for k, (m, inertia) in enumerate(zip(self.masses, self.inertias, strict=True)):
            w = now.w[k]
            Q[6 * k:6 * k + 3] = m * self.gravity
            Q[6 * k + 3:6 * k + 6] = -cross(w, inertia @ w)
        for force in self.forces:
            Q += force(now)
        _, _, bias, J, aim = self.rows(now)
        a = inverse @ Q
        if len(J):
            a = a - inverse @ J.T @ np.linalg.lstsq(J @ inverse @ J.T, J @ a + bias - aim[:, 2], rcond=1e-11)[0]
        return a

    def slope(self, t, y):
        n, now = self.n, self.now(t, y)
        a = self.accelerations(now).reshape(n, 6)
        q = y[3 * n:7 * n].reshape(n, 4)
        dq = np.array([0.5 * np.concatenate([[-x[1:] @ w], x[0] * w + cross(x[1:], w)]) for x, w in zip(q, now.w, strict=True)])
        turns = [now.turn(a_, b_).rate for a_, b_, _ in self.turning.values()]
        vectors = [left_rate(now.vectors[name]) @ axes(now, a_).T @ (now.spin(b_)[0] - now.spin(a_)[0])
                   for name, (a_, b_) in self.bushed.items()]
        return np.concatenate([now.v.ravel(), dq.ravel(), a[:, :3].ravel(), a[:, 3:].ravel(), turns, *vectors])

    def solve(self, y, duration, tolerance, breaks=()):
        """The state at the end; steps end at ``breaks``, times at which functions have kinks."""
        times = [0.0, *sorted(t for t in breaks if 0 < t < duration), duration]
        for t0, t1 in pairwise(times):
            found = solve_ivp(self.slope, (t0, t1), y, method="DOP853", rtol=tolerance, atol=tolerance * 1e-2)
            if not found.success:
                raise ArithmeticError(found.message)
            y = found.y[:, -1]
        return y


def axes(now, place):
    return place.axes if place.body < 0 else now.R[place.body] @ place.axes
