"""Steady rotations: motions that go on for ever, carried by axes that turn at a constant rate; and which of them velocities state."""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..items.base import matrix_of
from ..kernels import evaluation
from ..start.velocity_solver import bodies, rates
from .tangent import Freedom, axes, cross_matrix, derivative

SAME = 1e-6      # relative: velocities of a start agree with a rotation
HOLDS = 1e-8     # relative: joints, drives and statements hold
MANY = 100       # bodies: beyond, velocities that are not stated are taken as they are


class Rotation(NamedTuple):
    """Axes turn with ``W`` [rad/s], their points move with ``drift`` + W x p [m/s] (world axes); body k turns with ``spin[k]`` [rad/s]
    in them, which is constant in its own axes:

        v = drift + W x p,   w = R^T W + spin,   v' = W x v,   w' = -spin x R^T W                    [steady-1]
    """
    drift: np.ndarray
    W: np.ndarray
    spin: np.ndarray

    def at(self, d: CompiledModel, q: np.ndarray, speed: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations at a position, all rates multiplied by ``speed``; coordinates of deformation rest."""
        v, a = np.zeros(d.system.n), np.zeros(d.system.n)
        drift, W, spin = speed * self.drift, speed * self.W, speed * self.spin
        for k, (iv, iq) in enumerate(d.system.data.rotations):
            own = matrix_of(q[iq:iq + 4].tolist()).T @ W
            v[iv - 3:iv], v[iv:iv + 3] = drift + np.cross(W, q[iq - 3:iq]), own + spin[k]
            a[iv - 3:iv], a[iv:iv + 3] = np.cross(W, v[iv - 3:iv]), -np.cross(spin[k], own)
        return v, a


# -- which rotation is stated
class Stated:
    """What is known of the velocities at a position (in memory, with velocities v): joints and drives, and what users stated."""

    def __init__(self, d: CompiledModel, t: float, v: np.ndarray, statements: bool) -> None:
        s, x = d.system, d.x
        s.refuse_slopes("steady rotation", "which the search for it does not turn")
        self.d, self.q, self.G = d, x.q.copy(), axes(d, x.q)
        x.v[:], x.a[:], x.lam[:], x.V[:] = 0, 0, 0, 0
        evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        by_time = x.V.copy()
        derivative(d, t, 0.0, 0.0, 0.0)
        free = Freedom(d, self.G)
        rows, values = [free.unit[:, None] * free.C], [-free.unit * by_time[free.rows]]
        for said in [*rates(d), *bodies(d)] if statements else []:
            rows.append(said.whole(s.n_v))
            values.append(said.values)
        self.rows, self.values = np.vstack(rows), np.concatenate(values)
        self.places = s.data.rotations
        self.by = np.where(free.by > 0, 1 / np.where(free.by > 0, free.by, 1.0), 0.0)    # displacements in sizes of the model
        self.flexible = np.array([name in d.directory.flexible for name in s.bodies])
        self._go(v[:s.n_v])

    def _go(self, v: np.ndarray) -> None:
        """With these velocities."""
        self.v = v.copy()
        self.w = np.array([self.G[iv:iv + 3, iv:iv + 3] @ self.v[iv:iv + 3] for iv, _ in self.places])
        self.speed = float(abs(self.by * self.v).max(initial=0.0))

    def _map(self, turns: bool, spinning: np.ndarray) -> np.ndarray:
        """Columns: velocities of drift, of W (if the axes turn), and of the spins of these bodies."""
        n = self.d.system.n_v
        A = np.zeros((n, 3 + 3 * turns + 3 * int(spinning.sum())))
        at = 3 + 3 * turns
        for k, (iv, iq) in enumerate(self.places):
            A[iv - 3:iv, :3] = np.eye(3)
            if turns:
                A[iv - 3:iv, 3:6] = -cross_matrix(self.q[iq - 3:iq])
                A[iv:iv + 3, 3:6] = matrix_of(self.q[iq:iq + 4].tolist()).T
            if spinning[k]:
                A[iv:iv + 3, at:at + 3] = np.eye(3)
                at += 3
        return A

    def fit(self, turns: bool, spinning: np.ndarray, near: float) -> Rotation | None:
        """The rotation that keeps joints, drives and statements, next to the velocities; none if it is farther from them than
        ``near``, relative to the largest rate."""
        A = self._map(turns, spinning)
        E = self.rows @ A
        U, S, V = np.linalg.svd(E) if len(E) else (np.zeros((0, 0)), np.zeros(0), np.eye(A.shape[1]))
        rank = int((HOLDS * S.max(initial=0.0) < S).sum())
        x = V[:rank].T @ ((U.T @ self.values)[:rank] / S[:rank])
        rest = V[rank:].T
        if rest.shape[1]:
            x = x + rest @ np.linalg.lstsq(self.by[:, None] * (A @ rest), self.by * (self.v - A @ x), rcond=1e-12)[0]
        size = max(self.speed, float(abs(self.values).max(initial=0.0)))
        if abs(E @ x - self.values).max(initial=0.0) > HOLDS * size:
            return None
        if abs(self.by * (A @ x - self.v)).max(initial=0.0) > near * self.speed:
            return None
        spins = np.zeros((len(self.places), 3))
        spins[spinning] = x[3 + 3 * turns:].reshape(-1, 3)
        return Rotation(x[:3], x[3:6] if turns else np.zeros(3), spins)

    def candidates(self, near: float) -> Iterator[Rotation]:
        """Axes in which the bodies turn as their velocities say. At last with other velocities: what is stated of some bodies carries as
        many others as must move, and no more."""
        yield from self._by_velocities(near)
        slow = None if near else self._slowest()
        if slow is not None:
            self._go(slow)
            yield from self._by_velocities(0.0)

    def _by_velocities(self, near: float) -> Iterator[Rotation]:
        """Axes that carry all flexible bodies first, then fixed ones."""
        found: list[tuple[tuple[int, float], Rotation]] = []
        for W in (np.zeros(3), *self.w):
            spinning = np.linalg.norm(self.w - W, axis=1) > max(near, SAME) * self.speed
            turns = bool(np.linalg.norm(W) > SAME * self.speed)
            fitted = self.fit(turns, spinning, max(near, SAME))
            if fitted and all(np.linalg.norm(fitted.W - other.W) > SAME * self.speed for _, other in found):
                found.append(((int((spinning & self.flexible).sum()), float(np.linalg.norm(W))), fitted))
        yield from (rotation for _, rotation in sorted(found, key=lambda one: one[0]))

    def _slowest(self) -> np.ndarray | None:
        """Velocities of a rotation of as few bodies as joints, drives and statements allow; those tied to the ground rest first."""
        n, count = self.d.system.n_v, len(self.places)
        if not self.speed or count > MANY:
            return None
        moving = np.ones(count, bool)
        each = [self._map(False, np.arange(count) == k) for k in range(count)]     # columns: drift of all, and the turning of one
        for k, (iv, _) in enumerate(self.places):
            each[k][:, :3] = np.eye(n)[:, iv - 3:iv]
        for k in sorted(range(count), key=lambda k: not self._grounded()[k]):
            moving[k] = False
            A = np.hstack([each[j] for j in np.flatnonzero(moving)]) if moving.any() else np.zeros((n, 1))
            moving[k] = not self._can(A)
        A = self._map(True, np.zeros(count, bool))
        for iv in self.places[~moving, 0]:
            A[iv - 3:iv + 3] = 0
        if not moving.any() or not self._can(A):
            return None
        return np.asarray(A @ np.linalg.lstsq(self.rows @ A, self.values, rcond=1e-9)[0])

    def _can(self, A: np.ndarray) -> bool:
        """Whether joints, drives and statements can hold with velocities that are combinations of these columns."""
        E = self.rows @ A
        x = np.linalg.lstsq(E, self.values, rcond=1e-9)[0]
        return bool(abs(E @ x - self.values).max(initial=0.0) <= HOLDS * max(self.speed, float(abs(self.values).max(initial=0.0))))

    def _grounded(self) -> list[bool]:
        """Bodies that a joint or a force ties to the ground."""
        d, tied = self.d, set[str]()
        fr = d.system.data.fr
        pairs = [*((j.a, j.b) for j in d.directory.joints.values()), *((f.a, f.b) for f in d.directory.forces.values())]
        for pair in pairs:
            ends = [d.body_of(int(fr[f][3])) if fr[f][0] else "" for f in pair]
            tied |= set(ends) if "" in ends else set()
        return [name in tied for name in d.system.bodies]
