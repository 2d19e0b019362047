"""Equilibrium of a model with states: forces balance and states do not change. docs/theory/states.md

    N^T R(q, z) = 0,   g(q, 0, z) = 0                                                                   [rest-1]

by Newton's method on both together: a state may hold a body (a pressure) and a body may hold a state (the integral of a controller).
Steps are shortened until the next one would be shorter (Deuflhard 2011, 3.3). Where that ends, as at the edges of valves and beyond the
limits of a controller, the model goes to its rest by itself (`pseudo_time`).
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..items.errors import ModelError
from .pseudo_time import STILL, PseudoTime
from .tangent import axes, derivative, largest_motion, motion_in_words

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel
    from .settling import Balance, Settling

LONGEST = 0.3        # rad or sizes of the model: largest motion of a step
MOST = 200           # steps
SHORTEST = 1e-6      # part of a step that is still tried
SMALL = 1e-13        # of sizes: a step is rounding
SETTLED = 1e-9       # relative: forces and rates that are left at rest
EMPTY = 1e-12        # singular values below this part of the largest: nothing there


class Rest(NamedTuple):
    """At a position: balance of the motions, the matrix of [rest-1] and its left side, both without dimensions; by what their ``rows`` are
    scaled; what is ``kept``."""
    balance: Balance
    matrix: np.ndarray
    left: np.ndarray
    rows: np.ndarray
    kept: np.ndarray

    def seen_from(self, other: Rest) -> np.ndarray:
        """Its left side in the rows and for the motions of another position nearby."""
        n, left = other.balance.f.size, self.left / self.rows
        left[:n] = (self.balance.freedom.back @ other.balance.freedom.N).T @ left[:n]
        return np.asarray(other.rows * left)


def blocks(d: CompiledModel, t: float) -> tuple[np.ndarray, np.ndarray]:
    """dR/dq and dR/dv at the state in memory, world axes, the columns of states times their nominal values."""
    G, unit = axes(d, d.x.q), np.ones(d.system.n_v)
    for state in d.system.states:
        unit[state.iv] = state.nominal
    K, D = (G @ derivative(d, t, *by) @ G.T for by in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
    return K, D * unit


def scales(A: np.ndarray) -> np.ndarray:
    """1 / the largest entry of every row; 1 of rows without any."""
    largest = abs(A).max(1, initial=0.0)
    return np.asarray(1 / np.where(largest > 0, largest, 1.0))


def kept(K: np.ndarray, D: np.ndarray, G: np.ndarray) -> np.ndarray:
    """States that nothing brings to rest but that follow motions, such as pressures of oil that is locked in: combinations w of rates that
    neither positions nor states change, w^T (g_q, g_z) = 0. What moves, moves them: w^T (dz - g_v dq) = 0                [rest-2]
    ``K``, ``D``, ``G``: rows of the states by motions, states, and velocities of motions."""
    A = np.hstack([K, D])
    rows = scales(A)
    U, S, _ = np.linalg.svd(rows[:, None] * A)
    W = U[:, int((EMPTY * S.max(initial=0.0) < S).sum() if S.max(initial=0.0) > 0 else 0):].T * rows
    found = np.hstack([W @ G, W])
    return np.asarray(scales(found)[:, None] * found)


def condensed(d: CompiledModel, t: float, N: np.ndarray, H: np.ndarray, places: list[int]) -> np.ndarray:
    """The stiffness of motions whose states follow them; ``places`` of these in v."""
    n = N.shape[1]
    K, D = blocks(d, t)
    K, own = K[places] @ N, D[np.ix_(places, places)]
    rows = np.vstack([np.hstack([K, own]), kept(K, own, D[places] @ N)])
    rows = scales(rows[:, n:])[:, None] * rows
    return np.asarray(H - N.T @ D[:, places] @ np.linalg.pinv(rows[:, n:], EMPTY) @ rows[:, :n])


class Resting:
    """The search, from the position and states in the memory of ``search``. ``period``: of a step in time that the equations are those of,
    infinite for rest itself; ``way``: the motion in it so far; ``begin``: the states before it."""

    def __init__(self, search: Settling) -> None:
        self.search, self.d, self.iterations = search, search.d, 0
        self.places = np.array([state.iv for state in search.states])
        self.nominal = np.array([state.nominal for state in search.states])
        self.period, self.way, self.begin = np.inf, np.zeros(self.d.system.n_v), np.zeros(len(self.places))

    def here(self) -> Rest:
        d, b = self.d, self.search.balance()
        K, D = blocks(d, self.search.t)
        N, size, rates = b.freedom.N, max(b.size, 1e-300), d.x.R[self.places]
        own = K[self.places] @ N, D[np.ix_(self.places, self.places)]
        A = np.block([[b.H / size, N.T @ D[:, self.places] / size], list(own)])
        left, follow = np.concatenate([b.f / size, rates]), kept(*own, D[self.places] @ N)
        if self.period < np.inf:
            slowed, follow = self._slowed(b, D), follow[:0]
            moved = np.concatenate([b.freedom.back @ self.way, (d.x.v[self.places] - self.begin) / self.nominal])
            A, left = A + slowed, left + slowed @ moved
        rows = scales(A)
        return Rest(b, rows[:, None] * A, rows * left, rows, follow)

    def _slowed(self, b: Balance, D: np.ndarray) -> np.ndarray:
        """What velocities and accelerations add in a step of time h from rest: D/h + M/h^2 of motions, 1/h of states."""
        d, N, n, h, size = self.d, b.freedom.N, b.f.size, self.period, max(b.size, 1e-300)
        G = axes(d, d.x.q)
        M = G @ derivative(d, self.search.t, 1.0, 0.0, 0.0) @ G.T
        out = np.eye(n + len(self.places)) / h
        out[:n, :n] = N.T @ (D / h + M / h**2) @ N / size
        out[n:, :n] = D[self.places] @ N / h
        return out

    def solved(self, at: Rest, left: np.ndarray) -> np.ndarray:
        """The least step that takes ``left`` away as far as can be."""
        U, S, V = np.linalg.svd(np.vstack([at.matrix, at.kept]), full_matrices=False)
        keep = max(S.max(initial=0.0) * EMPTY, 1e-300) < S
        left = np.concatenate([left, np.zeros(len(at.kept))])
        return np.asarray(-V[keep].T @ ((U.T @ left)[keep] / S[keep]))

    def size(self, b: Balance, dx: np.ndarray) -> float:
        """Of a step: motions in sizes of the model or rad, states in their nominal values or in what they are."""
        n = b.f.size
        moved = largest_motion(self.d, b.freedom.N @ dx[:n]) if n else 0.0
        return max(moved, float(self.changes(dx[n:]).max(initial=0.0)))

    def changes(self, dz: np.ndarray) -> np.ndarray:
        return np.asarray(abs(dz) / np.maximum(1.0, abs(self.d.x.v[self.places]) / self.nominal))

    def go(self, before: tuple[np.ndarray, ...], b: Balance, dx: np.ndarray) -> bool:
        """From the state before along a step; whether joints could be closed."""
        d, n = self.d, b.f.size
        motion = b.freedom.N @ dx[:n]
        d.x.q[:], d.x.H[:], d.x.v[:], self.way = *before[:3], before[3] + motion
        d.x.v[self.places] += self.nominal * dx[n:]
        self.search._move(motion, axes(d, d.x.q))
        return self.search._close()

    def state(self) -> tuple[np.ndarray, ...]:
        return *self.search._state(), self.way

    def settle(self) -> Balance:
        """To rest; ModelError if none was found."""
        start, self.search.alone = self.search._state(), True
        try:
            self._settle(start)
        finally:
            self.search.alone = False
        return self.search.balance()

    def _settle(self, start: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        try:
            return self.newton(MOST)
        except ModelError:
            self.search._go(start)
        time = PseudoTime(self)
        if time.go():
            return self.newton(MOST)
        told = self._restless(time)
        self.search._go(start)
        raise told

    def newton(self, most: int, longest: float = LONGEST, shortest: float = SHORTEST, enough: float = 0.0) -> None:
        """To where nothing is left, or to where a step is less than ``enough`` of all the way."""
        at, done, before_step, all_the_way = self.here(), False, np.inf, 0.0
        for _ in range(most):
            dx = self.solved(at, at.left)
            step, n = self.size(at.balance, dx), at.balance.f.size
            if step <= max(SMALL, enough * all_the_way) or (done and not step < before_step / 2):
                if self.period == np.inf and self._unsettled(at):
                    raise ModelError("not at rest")
                return
            before_step, done = step, step <= 1e-9
            moved = largest_motion(self.d, at.balance.freedom.N @ dx[:n]) if n else 0.0
            part, before = min(1.0, longest / max(moved, 1e-300)), self.state()
            while True:
                self.iterations += 1
                closed = self.go(before, at.balance, part * dx)
                new = self.here() if closed else at
                same = closed and new.left.size == at.left.size
                if done or (same and self.size(at.balance, self.solved(at, new.seen_from(at))) <= (1 - part / 4) * step):
                    break
                part /= 2
                if part < shortest:
                    raise ModelError("no step leads nearer")
            at, all_the_way = new, max(all_the_way, step)
        raise ModelError("too many steps")

    def _unsettled(self, at: Rest) -> bool:
        """Whether forces are not balanced, or states go on changing: what no step takes away."""
        left = abs(at.left + at.matrix @ self.solved(at, at.left))
        return bool(left.max(initial=0.0) > SETTLED * max(1.0, float(abs(at.left).max(initial=0.0))))

    def _restless(self, time: PseudoTime) -> ModelError:
        """What still changed when the search ended."""
        self.period = np.inf
        self.here()
        state = self.search.states[int(np.argmax(time.changes))]
        rate = -float(self.d.x.R[state.iv]) * state.nominal
        if time.moves < STILL:
            return Restless(f"no equilibrium was found: {state.name!r} has no rest, it goes on changing at {rate:.4g} per s. Let its input "
                            "come to zero, or start as assembled", (state.name.rpartition(".")[0],))
        body, how = motion_in_words(self.d, time.motion)
        return ModelError(f"no equilibrium was found from here: body {body!r} still moves ({how}) after {self.iterations} iterations. "
                          "Start nearer to it, such as with joints where controllers want them; or nothing holds it, then add what does",
                          (body,))


class Restless(ModelError):
    """A state that nothing brings to rest."""
