"""How fast a compiled model can vibrate or decay at a pose, its joints held."""
from __future__ import annotations

import numpy as np

from ..kernels import evaluation
from ..kernels.block_lu import factorise, solve_refined, subtract_image
from ..kernels.contract import A, P
from ..kernels.state_row import parts
from .channel_map import ForceRecord
from .compiled_model import CompiledModel

DENSE = 240  # coordinates up to which eigenvalues are computed; beyond that by iteration
KRYLOV = 60  # columns of a basis for the extreme ones


class Vibration:
    """M, C and the forces of a model linearised at a pose at rest: D = cm M + cd dR/dv + ck dR/dq. ``z``: states of blocks and drives,
    all zero if left out, and ``H``, the history, that of the start; ``t``: the time of functions."""

    def __init__(self, dynamics: CompiledModel, q: np.ndarray, z: np.ndarray | None = None, H: np.ndarray | None = None,
                 t: float = 0.0) -> None:
        s = self.system = dynamics.system
        self.dynamics, self.x, self.t = dynamics, dynamics.memory(), t
        self.x.q[:], self.x.v[:] = q, 0
        for joint in dynamics.directory.joints.values() if H is None else ():
            for coordinate, history in joint.histories.items():
                self.x.H[history] = joint.start[coordinate]
        if z is not None:
            self.x.v[[state.iv for state in s.states]] = z
        if H is not None:
            self.x.H[:] = H
        self.M, self.damping, self.K = (self._tiles(*c) for c in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        self.factors, self.pivots = self.M.copy(), np.zeros(6, np.int64)
        self.solvable = bool(factorise(self.factors, s.lu, self.pivots))

    @classmethod
    def at(cls, dynamics: CompiledModel, row: np.ndarray) -> Vibration:
        """Where a row is, with its states: limits, valves and mode switches decide how stiff a model is. Bodies are at rest."""
        s = dynamics.system
        p = parts(row[None, :], s.q0.size, s.n)
        return cls(dynamics, p["q"][0], p["v"][0][[state.iv for state in s.states]], p["H"][0], float(row[0]))

    def record(self, name: str) -> ForceRecord:
        """The frames of a force."""
        return self.dynamics.directory.forces[name]

    def position(self, frame: int) -> np.ndarray:
        """Of a frame at the pose, world axes."""
        return self.x.X[frame, P:P + 3]

    def axes(self, frame: int) -> np.ndarray:
        return self.x.X[frame, A:A + 9].reshape(3, 3)

    def _tiles(self, cm: float, cd: float, ck: float) -> np.ndarray:
        self.x.D[:] = 0
        evaluation.run(self.system.program("tangent"), self.system.data, self.x, self.t, cm, cd, ck)
        return self.x.D.copy()

    def response(self, force: np.ndarray) -> np.ndarray | None:
        """Accelerations that a force causes with all joints and drives held; None where the equations cannot be solved."""
        s = self.system
        y, r = np.zeros(s.n), np.zeros(s.n)
        if not self.solvable or not solve_refined(self.M, self.factors, s.lu, force, y, r, s.n_v) < 1e-6:
            return None
        y[s.n_v:] = 0
        return y

    def image(self, tiles: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rows of motion of a matrix times v."""
        out = np.zeros(self.system.n)
        subtract_image(tiles, self.system.lu, v, out)
        out[self.system.n_v:] = 0
        return -out

    def fastest(self) -> tuple[float, np.ndarray]:
        """Largest natural frequency [rad/s] on the manifold of the joints, and its motion."""
        mode = self._by_eigenvalues() if self.system.n_v <= DENSE else self._by_iteration()
        if mode is None:
            return 0.0, np.zeros(self.system.n)
        v = mode
        square = float(v @ self.image(self.K, v)) / max(1e-300, float(v @ self.image(self.M, v)))
        return float(np.sqrt(max(0.0, square))), v

    def _by_eigenvalues(self) -> np.ndarray | None:
        """The largest eigenvalue of  Z^T K Z u = w^2 Z^T M Z u,  C_q Z = 0                                   [diagnosis-7]"""
        s, n = self.system, self.system.n_v
        w = self.dynamics.weights()[:n]
        E = np.where(w > 0, 1 / np.where(w > 0, w, 1.0), 0.0)
        M, K = s.dense(self.M), s.dense(self.K)
        C = M[n:, :n] * E
        size = np.linalg.norm(C, axis=1)
        _, S, V = np.linalg.svd(C / np.where(size > 0, size, 1.0)[:, None])
        Z = E[:, None] * V[int((S > 1e-9).sum()):].T
        Mz, Kz = Z.T @ M[:n, :n] @ Z, Z.T @ (K[:n, :n] + K[:n, :n].T) @ Z / 2
        values, U = np.linalg.eigh(Mz)
        keep = values > 1e-14 * max(values.max(initial=0.0), 1e-300)
        if not keep.any():
            return None
        W = U[:, keep] / np.sqrt(values[keep])
        squares, modes = np.linalg.eigh(W.T @ Kz @ W)
        out = np.zeros(s.n)
        out[:n] = Z @ W @ modes[:, int(np.argmax(squares))]
        return out

    def rates(self) -> tuple[float, float, float]:
        """The largest natural frequency [rad/s], the largest rate [1/s] at which dampers alone would stop a motion, on the
        manifold: from the largest eigenvalues of M^-1 K and M^-1 D, to about 1e-4, and sooner than by `fastest`; and the rate of
        the amplitude's decay of that fastest vibration."""
        (V, K), (_, D) = (self._projected(tiles) for tiles in (self.K, self.damping))
        squares, modes = np.linalg.eigh((K + K.T) / 2)
        fastest = V.T @ modes[:, -1] if squares.size else np.zeros(self.system.n)
        return (float(np.sqrt(max(0.0, squares.max(initial=0.0)))), float(abs(np.linalg.eigvals(D)).max(initial=0.0)),
                float(fastest @ self.image(self.damping, fastest)) / 2)

    def _projected(self, tiles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A Krylov space of M^-1 A, in a basis that is orthonormal in the masses, and the matrix on it, whose extreme eigenvalues are
        those of M^-1 A on the manifold of the joints.                                             Golub, Van Loan 2013, 10.1, 10.5"""
        V, MV, images, known = [], [], [], 0.0
        y = self.response(self._random()) if tiles.any() else None
        for k in range(KRYLOV):
            size = 0.0 if y is None else float(np.sqrt(max(0.0, y @ self.image(self.M, y))))
            if y is None or not size > 1e-12 * known:  # the space is whole
                break
            V.append(y / size)
            MV.append(self.image(self.M, V[-1]))
            images.append(self.image(tiles, V[-1]))
            if k % 5 == 4 and self._settled(np.array(V) @ np.array(images).T):
                break
            y = self.response(images[-1])
            known = max(known, float(abs(y @ MV[-1])) if y is not None else 0.0)
            for _ in range(2 if y is not None else 0):
                y = y - np.array(V).T @ (np.array(MV) @ y)
        return (np.array(V), np.array(V) @ np.array(images).T) if V else (np.zeros((0, self.system.n)), np.zeros((0, 0)))

    @staticmethod
    def _settled(H: np.ndarray) -> bool:
        """Whether the largest eigenvalue is as it was three columns before."""
        now, before = (float(abs(np.linalg.eigvals(part)).max(initial=0.0)) for part in (H, H[:-3, :-3]))
        return abs(now - before) <= 1e-5 * now

    def _random(self) -> np.ndarray:
        v = np.zeros(self.system.n)
        v[self.system.active] = np.random.default_rng(5).standard_normal(self.system.active.size)
        v[self.system.n_v:] = 0
        return v

    def _by_iteration(self) -> np.ndarray | None:
        """The same by powers of M^-1 K, each solved with the joints."""
        v = self._random()
        for _ in range(60):
            y = self.response(self.image(self.K, v))
            if y is None or not abs(y).max() > 0:
                return None
            v = y / abs(y).max()
        return v


def highest_frequency(dynamics: CompiledModel, q: np.ndarray | None = None) -> float:
    """Largest natural frequency [rad/s] of a compiled model at rest at q (default: as modelled), joints and drives held."""
    return Vibration(dynamics, dynamics.system.q0 if q is None else q).fastest()[0]
