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
        self.d, self.v, self.q = d, v[:s.n_v].copy(), x.q.copy()
        x.v[:], x.a[:], x.lam[:], x.V[:] = 0, 0, 0, 0
        evaluation.run(s.program("rates"), s.data, x, t, 0.0, 0.0, 0.0)
        by_time = x.V.copy()
        derivative(d, t, 0.0, 0.0, 0.0)
        G = axes(d, self.q)
        free = Freedom(d, G)
        rows, values = [free.unit[:, None] * free.C], [-free.unit * by_time[free.rows]]
        for said in [*rates(d), *bodies(d)] if statements else []:
            rows.append(said.whole(s.n_v))
            values.append(said.values)
        self.rows, self.values = np.vstack(rows), np.concatenate(values)
        self.places = s.data.rotations
        self.w = np.array([G[iv:iv + 3, iv:iv + 3] @ self.v[iv:iv + 3] for iv, _ in self.places])
        self.by = np.where(free.by > 0, 1 / np.where(free.by > 0, free.by, 1.0), 0.0)    # displacements in sizes of the model
        self.speed = float(abs(self.by * self.v).max(initial=0.0))
        self.flexible = np.array([name in d.directory.flexible for name in s.bodies])

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

    def fit(self, turns: bool, spinning: np.ndarray, near: float | None) -> Rotation | None:
        """The rotation that keeps joints, drives and statements, next to the velocities (``near``: none if it is farther from them,
        relative to the largest rate); without ``near`` the slowest one."""
        A = self._map(turns, spinning)
        E = self.rows @ A
        U, S, V = np.linalg.svd(E) if len(E) else (np.zeros((0, 0)), np.zeros(0), np.eye(A.shape[1]))
        rank = int((HOLDS * S.max(initial=0.0) < S).sum())
        x = V[:rank].T @ ((U.T @ self.values)[:rank] / S[:rank])
        rest, wanted = V[rank:].T, self.by * (self.v if near is not None else 0 * self.v)
        if rest.shape[1]:
            x = x + rest @ np.linalg.lstsq(self.by[:, None] * (A @ rest), wanted - self.by * (A @ x), rcond=1e-12)[0]
        size = max(self.speed, float(abs(self.values).max(initial=0.0)))
        if abs(E @ x - self.values).max(initial=0.0) > HOLDS * size:
            return None
        if near is not None and abs(self.by * (A @ x - self.v)).max(initial=0.0) > near * self.speed:
            return None
        spins = np.zeros((len(self.places), 3))
        spins[spinning] = x[3 + 3 * turns:].reshape(-1, 3)
        return Rotation(x[:3], x[3:6] if turns else np.zeros(3), spins)

    def candidates(self, near: float) -> Iterator[Rotation]:
        """Axes in which the bodies turn as their velocities say: those that carry all flexible bodies first, then fixed ones; and
        at last all bodies carried by what is stated of some, since what is not stated of a hinge is its rest."""
        found: list[tuple[tuple[int, float], Rotation]] = []
        for W in (np.zeros(3), *self.w):
            spinning = np.linalg.norm(self.w - W, axis=1) > max(near, SAME) * self.speed
            turns = bool(np.linalg.norm(W) > SAME * self.speed)
            fitted = self.fit(turns, spinning, max(near, SAME))
            if fitted and all(np.linalg.norm(fitted.W - other.W) > SAME * self.speed for _, other in found):
                found.append(((int((spinning & self.flexible).sum()), float(np.linalg.norm(W))), fitted))
        yield from (rotation for _, rotation in sorted(found, key=lambda one: one[0]))
        if not near and self.speed:
            whole = self.fit(True, np.zeros(len(self.w), bool), None)
            if whole:
                yield whole
