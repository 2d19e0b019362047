"""The whole motion that makes outputs follow what is wanted, from rest to rest: Newton's method on all instants at once.

With the positions q_k at times k h, and differences that go on at rest beyond both ends,

    v_k = sum_j d_j q_k+j / h,   a_k = sum_j e_j q_k+j / h^2,
    R(q_k, v_k, a_k, lam_k, u_k) = 0,   g(q_k) = 0,   y(q_k, v_k) = y_d(t_k)                                          [inverse-1]

No initial values are asked for. Central differences, of order 8, let what grows be bounded by its end and what decays by its start, if
there are as many motions that grow as decay; differences backward, of order 3, are for motions that all decay. docs/theory/inversion.md
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..items.errors import ModelError
from ..kernels import evaluation

if TYPE_CHECKING:
    from .servo import AtRest, Instant, Servo

MOST, SETTLED, LONGEST = 25, 1e-10, 1.0        # steps of Newton's method; the last one, and the longest, in sizes of the model or rad
LEAST = 1.0 / 64                               # step of the speed with which the motion is gone through


class Scheme(NamedTuple):
    """Weights of neighbours in a first and a second derivative, ``before`` of them earlier."""
    first: np.ndarray
    second: np.ndarray
    before: int

    @property
    def after(self) -> int:
        return len(self.first) - 1 - self.before


CENTRAL = Scheme(np.array([3, -32, 168, -672, 0, 672, -168, 32, -3]) / 840,
                 np.array([-9, 128, -1008, 8064, -14350, 8064, -1008, 128, -9]) / 5040, 4)
_BACK = np.array([-2, 9, -18, 11]) / 6         # as of BDF 3; twice for the second derivative
BACKWARD = Scheme(np.concatenate([np.zeros(3), _BACK]), np.convolve(_BACK, _BACK), 6)
FORWARD = Scheme(-BACKWARD.first[::-1], BACKWARD.second[::-1], 0)


class NotFound(Exception):
    """Newton's method leads nowhere."""


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of quaternions (w, x, y, z), one for each row."""
    w = a[:, 0] * b[:, 0] - (a[:, 1:] * b[:, 1:]).sum(1)
    return np.column_stack([w, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])])


def conjugate(a: np.ndarray) -> np.ndarray:
    return a * np.array([1.0, -1.0, -1.0, -1.0])


def turned(p: np.ndarray) -> np.ndarray:
    """x -> vector part of p (0, x), for each row of p, shape (rows, 3, 3)."""
    w, x, y, z = p.T
    return np.moveaxis(np.array([[w, -z, y], [z, w, -x], [-y, x, w]]), 2, 0)


@dataclass
class Path:
    """Unknowns at the times ``t``, ``h`` apart: positions, multipliers, turns of angles, states, inputs."""
    t: np.ndarray
    q: np.ndarray
    lam: np.ndarray
    H: np.ndarray
    states: np.ndarray
    inputs: np.ndarray

    @property
    def h(self) -> float:
        return float(self.t[1] - self.t[0])

    def finer(self) -> Path:
        """With twice as many steps, by splines."""
        from scipy.interpolate import make_interp_spline
        t = np.linspace(self.t[0], self.t[-1], 2 * len(self.t) - 1)
        q, lam, states, inputs = (make_interp_spline(self.t, x, k=5)(t) for x in (self.q, self.lam, self.states, self.inputs))
        return Path(t, q, lam, np.repeat(self.H, 2, axis=0)[:len(t)], states, inputs)


class Motion:
    """A path between two rests of a `Servo`, made to follow ``wanted`` (times, outputs). ``speed``: in parts of the true one; at 0 the
    path is one of rests."""

    def __init__(self, servo: Servo, path: Path, wanted: np.ndarray, ends: tuple[AtRest, AtRest], scheme: Scheme = CENTRAL) -> None:
        self.servo, self.path, self.wanted, self.ends, self.scheme = servo, path, wanted, ends, scheme
        self.rotations = [(int(iv), int(iq)) for iv, iq in servo.d.system.data.rotations]
        self.linear = servo.d.system.data.linear
        self.n = ends[0].instant.freedom.N.shape[1]
        self.speed, self.iterations = 1.0, 0

    # -- rates
    def _extended(self, which: str) -> np.ndarray:
        """A part of the path with the rests beyond its ends."""
        first, last = (getattr(end, which)[None] for end in self.ends)
        return np.vstack([*[first] * self.scheme.before, getattr(self.path, which), *[last] * self.scheme.after])

    def _differences(self, which: str, order: int) -> np.ndarray:
        every, count, weights = self._extended(which), len(self.path.t), (self.scheme.first, self.scheme.second)[order - 1]
        total = sum(w * every[k:k + count] for k, w in enumerate(weights))
        return np.asarray(total * (self.speed / self.path.h) ** order)

    def rates(self, order: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """v or a at all times, as the program has them, v = 2 q* q' and a = 2 q* q'' of quaternions q in body axes [inverse-2]; and
        q* q' of every rotation."""
        dq = self._differences("q", order)
        out, turns = np.zeros((len(dq), self.servo.d.system.n), dq.dtype), []
        out[:, self.linear[:, 0]] = dq[:, self.linear[:, 1]]
        for iv, iq in self.rotations:
            turns.append(product(conjugate(self.path.q[:, iq:iq + 4]), dq[:, iq:iq + 4]))
            out[:, iv:iv + 3] = 2 * turns[-1][:, 1:]
        return out, turns

    def _moved(self, at: np.ndarray, N: np.ndarray, weight: float, turns: list[np.ndarray] | None) -> np.ndarray:
        """Changes of rates at instants by motions N (instants, velocities, columns) of the positions ``at``, whose part in the rates is
        ``weight``; ``turns``: where these are the instants themselves."""
        out = weight * N
        for k, (iv, iq) in enumerate(self.rotations):
            p = weight * turned(product(conjugate(self.path.q[:, iq:iq + 4]), at[:, iq:iq + 4]))
            if turns is not None:
                p = p - turned(conjugate(turns[k]))       # of x (w, r) the vector part is w x - r x x
            out[:, iv:iv + 3] = p @ N[:, iv:iv + 3]
        return out

    # -- equations
    def instants(self) -> list[Instant]:
        s, path, x = self.servo, self.path, self.servo.d.x
        v, self.v_turns = self.rates(1)
        a, self.a_turns = self.rates(2)
        dstates, out = self._differences("states", 1), []
        for k in range(len(path.t)):
            s.put(path.q[k], path.lam[k], path.H[k], path.states[k], path.inputs[k])
            x.v[:] += v[k]
            x.a[:] += a[k]
            x.a[s.at_states] = dstates[k]
            out.append(s.instant())
            if out[-1].freedom.N.shape[1] != self.n:
                raise ModelError(f"inverse: at t = {path.t[k]:.4g} s the motion passes a singular position, where the joints allow another "
                                 "number of motions; take another way")
        return out

    def step(self) -> float:
        """One step of Newton's method; its size."""
        from scipy.sparse import bsr_matrix, diags
        from scipy.sparse.linalg import splu
        s, count, n_v = self.servo, len(self.path.t), self.servo.d.system.n_v
        found = self.instants()
        M, D, K = (np.array([getattr(i, name) for i in found]) for name in "MDK")
        N = np.array([i.freedom.N for i in found])
        closing = np.array([i.freedom.closing(i.R[i.freedom.rows][:, None]) for i in found])
        L = np.array([s.equations(i.freedom) for i in found])
        R = np.array([i.R[:n_v] for i in found])
        R[:, s.at_outputs] += self.wanted
        free, k_s = self.n, len(s.at_states)
        size = free + k_s + s.m
        motions = np.concatenate([N, closing], axis=2)
        before, after = self.scheme.before, self.scheme.after
        every_q, every_m = self._extended("q"), np.pad(motions, ((before, after), (0, 0), (0, 0)))
        blocks, changes = np.zeros((count, before + after + 1, size, size)), np.zeros((count, before + after + 1, n_v, size))
        for k in range(before + after + 1):
            at, by, here = every_q[k:k + count], every_m[k:k + count], k == before
            w1, w2 = self.scheme.first[k] * self.speed / self.path.h, self.scheme.second[k] * (self.speed / self.path.h) ** 2
            change = M @ self._moved(at, by, w2, self.a_turns if here else None)
            change += D @ self._moved(at, by, w1, self.v_turns if here else None) + (K @ by if here else 0)
            R += change[:, :, free]
            changes[:, k, :, :free] = change[:, :, :free]
            changes[:, k, :, free:free + k_s] = w1 * M[:, :, s.at_states] + (D[:, :, s.at_states] if here else 0)
            changes[:, k, :, free + k_s:] = D[:, :, s.at_inputs] if here else 0
            blocks[:, k] = L @ changes[:, k]
        columns = np.arange(count)[:, None] + np.arange(-before, after + 1)
        inside = (columns >= 0) & (columns < count)
        begins = np.concatenate([[0], np.cumsum(inside.sum(1))])
        A = bsr_matrix((blocks[inside], columns[inside], begins), shape=(count * size,) * 2).tocsr()
        left = (L @ R[:, :, None]).ravel()
        rows = 1 / np.maximum(abs(A).max(axis=1).toarray().ravel(), 1e-300)
        A = diags(rows) @ A
        scale = 1 / np.maximum(abs(A).max(axis=0).toarray().ravel(), 1e-300)
        try:
            x = scale * splu((A @ diags(scale)).tocsc(), permc_spec="NATURAL").solve(-rows * left)
        except RuntimeError:
            raise NotFound from None
        if not np.isfinite(x).all():
            raise NotFound
        return self._go(found, x.reshape(count, size), motions, changes, R)

    def _go(self, found: list[Instant], x: np.ndarray, motions: np.ndarray, changes: np.ndarray, R: np.ndarray) -> float:
        """Along a step x of all unknowns, or a part of it if it is too long."""
        s, path, free, count = self.servo, self.path, self.n, len(x)
        xi = (motions[:, :, :free] @ x[:, :free, None])[:, :, 0] + motions[:, :, free]
        by = np.where(found[0].freedom.by > 0, found[0].freedom.by, 1.0)
        force = np.maximum(abs(path.inputs).max(axis=0), abs(path.inputs + x[:, -s.m:]).max(axis=0))
        size = max(float(abs(xi / by).max()), float((abs(x[:, -s.m:]) / np.maximum(force, 1e-300)).max()) if force.any() else 0.0)
        part = min(1.0, LONGEST / max(float(abs(xi / by).max()), 1e-300))
        every = np.pad(x, ((self.scheme.before, self.scheme.after), (0, 0)))
        for k in range(len(self.scheme.first)):
            R = R + (changes[:, k] @ every[k:k + count, :, None])[:, :, 0]
        for k in range(count):
            move, q = np.zeros(s.d.system.n), path.q[k].copy()
            move[:xi.shape[1]] = part * xi[k]
            evaluation.retract(s.d.system.data, path.q[k].copy(), move, 1.0, q)
            path.q[k] = q
            path.lam[k, found[k].freedom.rows] += part * found[k].freedom.multipliers(R[k][:, None])[:, 0]
        path.states += part * x[:, free:-s.m]
        path.inputs += part * x[:, -s.m:]
        self._count_turns()
        return size

    def _count_turns(self) -> None:
        """Angles go on from instant to instant."""
        s, path, x = self.servo, self.path, self.servo.d.x
        H = self.ends[0].H
        for k in range(len(path.t)):
            s.put(path.q[k], path.lam[k], H, path.states[k], path.inputs[k])
            for program in ("rates", "history"):
                evaluation.run(s.d.system.program(program), s.d.system.data, x, 0.0, 0.0, 0.0, 0.0)
            H = path.H[k] = x.H.copy()

    def _newton(self) -> None:
        last = np.inf
        for k in range(MOST):
            size = self.step()
            self.iterations += 1
            if size <= SETTLED or (size < 1e-6 and size > last / 2):
                return
            if k > 8 and size > 0.5 * last and size > 0.1 * LONGEST:
                break
            last = size
        raise NotFound

    def solve(self) -> None:
        """At the true speed at once, or by way of slower ones, from the path of rests on."""
        done, step = 0.0, 1.0
        while done < 1.0:
            kept = Path(self.path.t, *(x.copy() for x in (self.path.q, self.path.lam, self.path.H, self.path.states, self.path.inputs)))
            self.speed = min(1.0, done + step)
            try:
                self._newton()
                done, step = self.speed, 2 * step
            except NotFound:
                self.path, step = kept, step / 2
                if step < LEAST:
                    raise ModelError(f"inverse: no motion was found beyond {done:.3g} of the speed that is wanted. Where the model moves, "
                                     "the inputs may lose their hold on the outputs, or internal motions may neither grow nor decay; take "
                                     "a longer duration, or other outputs") from None
