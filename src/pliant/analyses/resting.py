"""Equilibrium of a model with states: forces balance and states do not change. docs/theory/states.md

    N^T R(q, z) = 0,   g(q, 0, z) = 0                                                                   [rest-1]

by Newton's method on both together: a state may hold a body (a pressure) and a body may hold a state (the integral of a controller).
Steps are shortened until the next one would be shorter (Deuflhard 2011, 3.3). Where that ends, as at the edges of valves, the model goes to
its rest by itself, without inertia: by implicit Euler steps that grow (Kelley and Keyes 1998).
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..items.errors import ModelError
from .tangent import axes, derivative, largest_motion

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel
    from .settling import Balance, Settling

LONGEST = 0.3        # rad or sizes of the model: largest motion of a step
MOST = 200           # steps
SHORTEST = 1e-6      # part of a step that is still tried
SMALL = 1e-13        # of sizes: a step is rounding
FIRST, LAST = 1e-4, 1e7  # s: steps in time towards rest
DRIFTS = 400         # of them
EMPTY = 1e-12        # singular values below this part of the largest: nothing there


class Rest(NamedTuple):
    """At a position: balance of the motions, the matrix of [rest-1] and its left side, both without dimensions; what is ``kept``;
    the same before scaling, with what velocities do, by which a step in time differs."""
    balance: Balance
    matrix: np.ndarray
    left: np.ndarray
    kept: np.ndarray
    raw: tuple[np.ndarray, np.ndarray, np.ndarray]


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


def condensed(d: CompiledModel, t: float, N: np.ndarray, H: np.ndarray) -> np.ndarray:
    """The stiffness of motions whose states follow them."""
    places, n = [state.iv for state in d.system.states], N.shape[1]
    K, D = blocks(d, t)
    K, own = K[places] @ N, D[np.ix_(places, places)]
    rows = np.vstack([np.hstack([K, own]), kept(K, own, D[places] @ N)])
    rows = scales(rows[:, n:])[:, None] * rows
    return np.asarray(H - N.T @ D[:, places] @ np.linalg.pinv(rows[:, n:], EMPTY) @ rows[:, :n])


class Resting:
    """The search, from the position and states in the memory of ``search``."""

    def __init__(self, search: Settling) -> None:
        self.search, self.d, self.iterations = search, search.d, 0
        self.places = np.array([state.iv for state in self.d.system.states])
        self.nominal = np.array([state.nominal for state in self.d.system.states])

    def here(self) -> Rest:
        d, b = self.d, self.search.balance()
        K, D = blocks(d, self.search.t)
        N, size, rates = b.freedom.N, max(b.size, 1e-300), d.x.R[self.places]
        H = self.search.stiffness(b)
        own = K[self.places] @ N, D[np.ix_(self.places, self.places)]
        A = np.block([[H / size, N.T @ D[:, self.places] / size], list(own)])
        left = np.concatenate([b.f / size, rates])
        rows = scales(A)
        by_rates = np.zeros_like(A)
        by_rates[:, :b.f.size] = np.vstack([N.T @ D @ N / size, D[self.places] @ N])
        by_rates[b.f.size:, b.f.size:] = np.eye(len(self.places))
        return Rest(b, rows[:, None] * A, rows * left, kept(*own, D[self.places] @ N), (A, by_rates, left))

    def solved(self, at: Rest, left: np.ndarray) -> np.ndarray:
        """The least step that takes ``left`` away as far as can be."""
        U, S, V = np.linalg.svd(np.vstack([at.matrix, at.kept]), full_matrices=False)
        keep = max(S.max(initial=0.0) * EMPTY, 1e-300) < S
        left = np.concatenate([left, np.zeros(len(at.kept))])
        return np.asarray(-V[keep].T @ ((U.T @ left)[keep] / S[keep]))

    def size(self, b: Balance, dx: np.ndarray) -> float:
        """Of a step: motions in sizes of the model or rad, states in their nominal values or in what they are."""
        n = b.f.size
        states = abs(dx[n:]) / np.maximum(1.0, abs(self.d.x.v[self.places]) / self.nominal)
        moved = largest_motion(self.d, b.freedom.N @ dx[:n]) if n else 0.0
        return max(moved, float(states.max(initial=0.0)))

    def go(self, before: tuple[np.ndarray, np.ndarray, np.ndarray], b: Balance, dx: np.ndarray) -> bool:
        """From the state before along a step; whether joints could be closed."""
        d, n = self.d, b.f.size
        d.x.q[:], d.x.H[:], d.x.v[:] = before
        d.x.v[self.places] += self.nominal * dx[n:]
        self.search._move(b.freedom.N @ dx[:n], axes(d, d.x.q))
        return self.search._close()

    def settle(self) -> Balance:
        """To rest; ModelError if there is none."""
        start = self.search._state()
        try:
            return self._newton()
        except ModelError:
            self.search._go(start)
            if not self._drift():
                self.search._go(start)
                raise
            return self._newton()

    def _drift(self) -> bool:
        """Towards rest by steps of time h: f(q, dq/h, z) = 0, dz/h = g(q, dq/h, z), linear in each step. Whether h has grown to the
        last one.                                                                                       [rest-3]"""
        at, h, x = self.here(), FIRST, self.d.x
        for _ in range(DRIFTS):
            A, by_rates, left = at.raw
            A = A + by_rates / h
            rows, before = scales(A), (x.q.copy(), x.H.copy(), x.v.copy())
            dx = np.linalg.lstsq(rows[:, None] * A, -rows * left, rcond=None)[0]
            step = self.size(at.balance, dx)
            self.iterations += 1
            if not (step < 0.3 and self.go(before, at.balance, dx) and (new := self.here()).left.size == at.left.size):
                self.search._go(before)
                h /= 4
                if h < FIRST * SHORTEST:
                    return False
                continue
            at, h = new, h * (3.0 if step < 0.1 else 1.0)
            if h > LAST and step < 1e-3:
                return True
        return False

    def _newton(self) -> Balance:
        at, done, before_step = self.here(), False, np.inf
        for _ in range(MOST):
            dx = self.solved(at, at.left)
            step, n = self.size(at.balance, dx), at.balance.f.size
            if step <= SMALL or (done and not step < before_step / 2):
                self._refuse_restless(at)
                return at.balance
            before_step, done = step, step <= 1e-9
            moved = largest_motion(self.d, at.balance.freedom.N @ dx[:n]) if n else 0.0
            part, x = min(1.0, LONGEST / max(moved, 1e-300)), self.d.x
            before = x.q.copy(), x.H.copy(), x.v.copy()
            while True:
                self.iterations += 1
                closed = self.go(before, at.balance, part * dx)
                new = self.here() if closed else at
                same = closed and new.left.size == at.left.size
                if done or (same and self.size(at.balance, self.solved(at, new.left)) <= (1 - part / 4) * step):
                    break
                part /= 2
                if part < SHORTEST:
                    self.go(before, at.balance, 0 * dx)
                    self._refuse_restless(at, anyway=True)
            at = new
        self._refuse_restless(at, anyway=True)
        return at.balance

    def _refuse_restless(self, at: Rest, anyway: bool = False) -> None:
        """A state that nothing brings to rest, or forces that nothing balances."""
        left = at.left + at.matrix @ self.solved(at, at.left)
        n = at.balance.f.size
        k = int(np.argmax(abs(left[n:]))) if left.size > n else 0
        worst = float(abs(left[n:]).max(initial=0.0))
        if worst > 1e-9 * max(1.0, float(abs(at.left).max())) or (anyway and worst > 1e-9):
            state = self.d.system.states[k]
            rate = -float(self.d.x.R[state.iv]) * state.nominal
            raise ModelError(f"there is no equilibrium: {state.name!r} has no rest, it goes on changing at {rate:.4g} per s. Let its input "
                             "come to zero, or start as assembled", (state.name.rpartition(".")[0],))
        if anyway:
            from .settling import NotSettled
            raise NotSettled(f"no equilibrium was found in {self.iterations} iterations with the states of the model. Start nearer to it")
