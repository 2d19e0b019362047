"""Equilibrium by Newton's method on the motions that the joints allow, guarded so that it goes downhill. docs/theory/linearisation.md"""
from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..items.errors import ModelError
from ..kernels import evaluation
from ..kernels.contract import F
from .loading import without_loads
from .resting import Resting, condensed
from .tangent import FAR, Freedom, axes, derivative, gone, largest_motion, load, motion_in_words, new_row, refuse_what_moves_on

LONGEST = 0.3        # rad or sizes of the model: largest motion of an iteration
MOST = 500           # iterations
LEVEL = 1e-11        # relative: no stiffness
ROUNDING = 1e-15     # relative: forces balance to the last digit
CLOSED = 1e-15       # relative to the size of the model (or to its distance from the origin): joints are closed


class Balance(NamedTuple):
    """At a position: forces f on the free motions (left side) and their stiffness H, the size of what acts there, and a stiffness that
    would be rounding, all [J]."""
    freedom: Freedom
    f: np.ndarray
    H: np.ndarray
    size: float
    none: float



class Settling:
    """The search for the equilibrium of a model (compiled ``exact``), from the position in memory, with functions of time at t.
    States that are ``held`` stay as they are."""
    remedy = "Start nearer to it, or bring the loads on in more steps: static(load_steps=20)"

    def __init__(self, d: CompiledModel, t: float, tolerance: float, held: Collection[str] = ()) -> None:
        self.states = [state for state in d.system.states if state.name not in held]
        self.d, self.t, self.tolerance, self.iterations, self.part, self.way = d, t, tolerance, 0, 1.0, 0.0
        self.alone = False  # stiffness is that of motions with all states held
        s = d.system
        refuse_what_moves_on(d)
        load(d, new_row(d, t, d.x.q, d.x.H, d.x.v))
        self.start = d.x.q.copy(), d.x.H.copy(), d.x.v.copy()
        self.unloaded = without_loads(d)
        self.weight = d.gravity * d.length * d.heaviest
        self.radius = LONGEST * np.sqrt(len(s.data.rotations) + len(s.slopes))

    # -- forces
    def _derivative(self) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness and left side of the equations of motion, with ``part`` of gravity and loads."""
        d, n_v = self.d, self.d.system.n_v
        if self.part == 1:
            return derivative(d, self.t, 0.0, 0.0, 1.0), d.x.R[:n_v].copy()
        K0 = derivative(d, self.t, 0.0, 0.0, 1.0, *self.unloaded)
        R0 = d.x.R[:n_v].copy()
        K = derivative(d, self.t, 0.0, 0.0, 1.0)
        return K0 + self.part * (K - K0), R0 + self.part * (d.x.R[:n_v] - R0)

    def balance(self) -> Balance:
        """Forces f = N^T R and stiffness H = N^T K N at the current position, K with the reactions there   [static-1]"""
        d = self.d
        d.x.lam[:] = 0
        R, G = self._derivative()[1], axes(d, d.x.q)
        free = Freedom(d, G)
        d.x.lam[free.rows] = free.multipliers((G @ R)[:, None])[:, 0]
        K, R = self._derivative()
        self.K = G @ K @ G.T
        acting = np.hstack([d.length * d.x.X[:, F:F + 3], d.x.X[:, F + 3:F + 6]])
        size = max(self.weight, float(abs(acting).max(initial=0.0)))
        none = 1e-14 * max(size, float(abs(free.by**2 * np.diag(self.K)).max(initial=0.0)))
        H = free.N.T @ self.K @ free.N
        if self.states and not self.alone:
            H = condensed(d, self.t, free.N, H, [state.iv for state in self.states])
        return Balance(free, free.N.T @ (G @ R), H, size, none)

    # -- motion
    def _state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.d.x.q.copy(), self.d.x.H.copy(), self.d.x.v.copy()

    def _go(self, state: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        self.d.x.q[:], self.d.x.H[:], self.d.x.v[:] = state

    def _move(self, eta: np.ndarray, G: np.ndarray) -> None:
        d, dq = self.d, np.zeros(self.d.system.n)
        dq[:d.system.n_v] = G.T @ eta
        evaluation.retract(d.system.data, d.x.q.copy(), dq, 1.0, d.x.q)

    def _close(self) -> bool:
        """The joints, after a motion along their free directions."""
        d, s = self.d, self.d.system
        far = max(1.0, float(abs(d.x.q[s.data.linear[:, 1]]).max(initial=0.0)) / d.length)
        before = np.inf
        for _ in range(12):
            evaluation.run(s.program("residual"), s.data, d.x, self.t, 0.0, 0.0, 0.0)
            size = float(abs(d.unit * d.x.R)[s.n_v:].max(initial=0.0))
            if size <= CLOSED * far or (size > before / 2 and before < 1e-12 * far):
                break
            if not size < 2 * before:
                return False
            before = size
            d.x.lam[:] = 0
            derivative(d, self.t, 0.0, 0.0, 0.0)
            G = axes(d, d.x.q)
            free = Freedom(d, G)
            self._move(free.closing(d.x.R[free.rows][:, None])[:, 0], G)
        else:
            return False
        for program in ("rates", "history"):
            evaluation.run(s.program(program), s.data, d.x, self.t, 0.0, 0.0, 0.0)
        return True

    def _step(self, b: Balance) -> np.ndarray:
        """dz = -(H + s 1)^-1 f: the smallest s >= 0 that leads downhill, and not farther than the radius              [static-2]"""
        values, Q = np.linalg.eigh((b.H + b.H.T) / 2)
        largest = float(abs(values).max(initial=0.0))
        g = Q.T @ b.f
        idle = (abs(values) <= max(LEVEL * largest, b.none)) & (abs(g) <= self.tolerance * b.size)
        values, g = np.where(idle, max(largest, 1.0), values), np.where(idle, 0.0, g)

        def length(s: float) -> float:
            with np.errstate(divide="ignore", invalid="ignore"):  # at a singular s there is none
                return float(np.linalg.norm(g / (values + s)))
        low = max(0.0, -float(values.min()))
        if values.min() > LEVEL * largest and length(0.0) <= self.radius:
            s = 0.0
        else:
            low, high = low, low + float(np.linalg.norm(g)) / self.radius + 1e-300
            for _ in range(60):
                s = (low + high) / 2
                low, high = (low, s) if length(s) <= self.radius else (s, high)
            s = high
        if abs(b.H - b.H.T).max(initial=0.0) <= 1e-12 * largest:
            return np.asarray(-Q @ (g / (values + s)))
        H = Q.T @ b.H @ Q + s * np.eye(len(values))
        H[idle], H[:, idle] = 0, 0
        H[idle, idle] = 1
        return np.asarray(-Q @ np.linalg.solve(H, g))

    def settle(self) -> Balance:
        """To equilibrium under ``part`` of the loads; ModelError if there is none."""
        if self.states:
            resting = Resting(self)
            try:
                return resting.settle()
            finally:
                self.iterations += resting.iterations
        b, G = self.balance(), axes(self.d, self.d.x.q)
        radius = self.radius
        for _ in range(MOST):
            size = float(abs(b.f).max(initial=0.0))
            if size <= ROUNDING * b.size:
                return b
            self.iterations += 1
            dz, before = self._step(b), self._state()
            eta = b.freedom.N @ dz
            self._move(eta, G)
            closed = self._close()
            new = self.balance() if closed else b
            less = float(abs(new.f).max(initial=0.0))
            if size <= max(self.tolerance * b.size, b.none) and not less < size / 2:  # rounding, of stiff bodies that of their forces
                if not (closed and less < size):
                    self._go(before)
                return self.balance()
            if closed and self._better(b, new, dz, eta):
                b, G = new, axes(self.d, self.d.x.q)
                self.radius = min(radius, 2 * self.radius)
                self._check_distance(eta)
                continue
            self._go(before)
            self.radius = float(np.linalg.norm(dz)) / 3
            if self.radius < 1e-14:
                break
        raise NotSettled(f"no equilibrium was found in {self.iterations} iterations; {self._left(b)} is not balanced. {self.remedy}")

    def _better(self, b: Balance, new: Balance, dz: np.ndarray, eta: np.ndarray) -> bool:
        """Whether a step led downhill, or to smaller forces."""
        slope, now = float(b.f @ dz), float(new.f @ (new.freedom.back @ eta)) if new.f.shape == b.f.shape else np.inf
        return now <= 0 or now <= 0.9 * abs(slope) or float(abs(new.f).max(initial=0.0)) < float(abs(b.f).max(initial=0.0))

    def _left(self, b: Balance) -> str:
        k = int(np.argmax(abs(b.f)))
        body, how = motion_in_words(self.d, b.freedom.N[:, k])
        return f"a part of {abs(b.f[k]) / max(b.size, 1e-300):.2g} of the forces, on a motion of {body!r} ({how}),"

    def _check_distance(self, eta: np.ndarray) -> None:
        self.way += largest_motion(self.d, eta)
        if self.way > FAR:
            gone(self.d, eta)

    def again(self) -> None:
        """Back to the start."""
        self._go(self.start)
        self.way = 0.0
        self.radius = LONGEST * np.sqrt(len(self.d.system.data.rotations) + len(self.d.system.slopes))


class NotSettled(ModelError):
    """No equilibrium was reached."""
