"""Stable inversion of linear systems: inputs for a motion of the outputs, bounded whatever the zeros are."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.table import Table
from ..functions.units import must, shown
from ..items.base import did_you_mean
from ..items.errors import ModelError
from .motions import motion
from .zeros import zero_dynamics

if TYPE_CHECKING:
    from .linear_system import LinearSystem

AXIS = 1e-6          # relative: real part of a zero whose motion would neither grow nor decay
SAMPLES = 1024       # in the duration of the motion
MOST = 2**19         # in all
CHUNK = 4096
CANCELLED = 1e-6     # relative: distance of a zero from the eigenvalue that it cancels
BEGINS, ONE_PERCENT = 1e-6, 0.01   # of the peak: where a table of inputs begins, and what counts as acting before


class Inversion:
    """``u`` (times, inputs) over ``t`` [s], the motion ``wanted`` (times, outputs) goes from 0 to ``duration``; ``begin``, ``end`` [s]:
    beyond them inputs are at rest to 1e-6 of their peak; ``pre_actuation`` [s]: how long before the motion they pass 1 % of it. ``zeros``
    [rad/s] of the system; ``residual``: the largest error of the outputs in a run of the linear model, in parts of the stroke (nan if
    that is unstable)."""
    residual = math.nan

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str], t: np.ndarray, u: np.ndarray, wanted: np.ndarray, duration: float,
                 zeros: np.ndarray) -> None:
        self.t, self.u, self.wanted, self.duration, self.zeros = t, u, wanted, duration, zeros
        self.inputs, self.outputs = list(inputs), list(outputs)
        from_start, from_end = abs(u - u[0]), abs(u - u[-1])
        peak = abs(u - u[0]).max(initial=0.0)
        moved = np.flatnonzero((from_start > BEGINS * peak).any(1))
        rests = np.flatnonzero((from_end > BEGINS * peak).any(1))
        self.begin = min(float(t[max(moved[0] - 1, 0)]), 0.0) if moved.size else 0.0
        self.end = max(float(t[min(rests[-1] + 1, len(t) - 1)]), duration) if rests.size else duration
        early = np.flatnonzero((from_start > ONE_PERCENT * peak).any(1))
        self.pre_actuation = max(0.0, -float(t[early[0]])) if early.size else 0.0

    def table(self, name: str | None = None) -> Table:
        """The input of this name (the only one, if left out) over the time of a run, which begins with it: the motion itself begins
        ``-begin`` later."""
        if name is None and len(self.inputs) > 1:
            raise ModelError(f"inversion: there are {len(self.inputs)} inputs; name one of {', '.join(self.inputs)}")
        if name is not None and name not in self.inputs:
            raise ModelError(f"inversion: there is no input {name!r}{did_you_mean(name, self.inputs)}")
        return self._over_time(self.u[:, self.inputs.index(name) if name else 0])

    def _over_time(self, values: np.ndarray) -> Table:
        some = (self.t >= self.begin) & (self.t <= self.end)
        kept = values[some]
        kept[0], kept[-1] = values[0], values[-1]     # at rest
        return Table(self.t[some] - self.t[some][0], kept)

    def __repr__(self) -> str:
        return (f"Inversion({', '.join(self.inputs)} from {self.begin:.4g} to {self.end:.4g} s for a motion of {self.duration:g} s; "
                f"error of a linear run {self.residual:.2g} of the stroke)")


def shown_zeros(s: LinearSystem) -> np.ndarray:
    """Zeros without those next to an eigenvalue: a motion that inputs do not reach or outputs do not see."""
    zeros, poles, size = all_zeros(s), s.eigenvalues, float(np.linalg.norm(s.A))
    near = abs(zeros[:, None] - poles) <= CANCELLED * abs(poles) + 1e-9 * size
    return np.asarray(zeros[~near.any(1)])


def all_zeros(s: LinearSystem) -> np.ndarray:
    """Of the system in states of like size."""
    from scipy.linalg import matrix_balance
    A, (scale, _) = matrix_balance(s.A, permute=False, separate=True)
    return zero_dynamics(A, s.B / scale[:, None], s.C * scale, s.D)


def inverse(s: LinearSystem, wanted: Any, duration: Any, tolerance: float) -> Inversion:
    """U(w) = G(i w)^-1 Y(w) over a window so long that inputs are at rest at its ends                 [inversion-1]"""
    m = s.B.shape[1]
    if len(s.C) != m or not m:
        raise ModelError(f"inversion: {len(s.C)} outputs and {m} inputs; must be as many outputs as inputs, at least one")
    if not isinstance(duration, (int, float)) or isinstance(duration, bool) or not (duration > 0 and math.isfinite(duration)):
        raise ModelError(f"inversion: duration {must(duration, 'must be a number of seconds greater than zero')}")
    if not 0 < tolerance < 0.1:
        raise ModelError(f"inversion: tolerance = {shown(tolerance)}, must be greater than 0 and less than 0.1")
    functions = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]
    if len(functions) != m:
        raise ModelError(f"inversion: {len(functions)} motions are wanted, must be {m}: one for each of {', '.join(s.outputs)}")
    zeros = looked_at(s)
    slowest = float(abs(zeros.real).min()) if zeros.size else math.inf
    reach = -math.log(tolerance) / slowest
    step = duration / SAMPLES
    while True:
        margin = max(1.2 * reach, duration / 4)
        count = math.ceil((duration + 2 * margin) / step)
        if count > MOST:
            raise ModelError(f"inversion: the zero at {_slow(zeros):.4g} 1/s is so slow that inputs would act {margin:.3g} s before and "
                             f"after a motion of {duration:g} s; take another output, or a longer motion")
        t = -margin + step * np.arange(count)
        y, y2 = sampled(functions, t, duration, s.outputs)
        u = _solved(s, y, y2, step)
        part = max(2, int(0.05 * margin / step))
        if max(np.ptp(u[:part], axis=0).max(), np.ptp(u[-part:], axis=0).max()) < tolerance * abs(u).max():
            found = Inversion(s.inputs, s.outputs, t, u, y, float(duration), zeros)
            found.residual = _residual(s, t, u, y)
            return found
        reach = 2 * margin


def looked_at(s: LinearSystem) -> np.ndarray:
    """The zeros, none of them on the imaginary axis."""
    zeros, size = shown_zeros(s), float(np.linalg.norm(s.A))
    if np.linalg.matrix_rank(s.transfer([1j * size * 0.37 + 0.61 * size])[0]) < len(s.C):
        raise ModelError(f"inversion: the inputs {', '.join(s.inputs)} cannot move the outputs {', '.join(s.outputs)} independently of "
                         "each other; choose others")
    for z in zeros:
        if abs(z.real) <= AXIS * max(abs(z), 1e-6 * size):
            rest = "at zero: the output can rest while its input does not"
            what = f"at {abs(z.imag) / (2 * np.pi):.4g} Hz" if abs(z) > 1e-6 * size else rest
            raise ModelError(f"inversion: the system has a zero on the imaginary axis, {what}; a motion that the outputs do not show would "
                             "go on for ever. Give it damping, or take another output")
    return zeros


def _slow(zeros: np.ndarray) -> complex:
    return complex(zeros[abs(zeros.real).argmin()])


def sampled(functions: Sequence[Any], t: np.ndarray, duration: float, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The changes that are wanted and their second derivatives; at rest outside of the motion."""
    at, moves = np.clip(t, 0.0, duration), (t >= 0) & (t <= duration)
    y, y2 = np.zeros((len(t), len(functions))), np.zeros((len(t), len(functions)))
    for k, f in enumerate(functions):
        first, second = motion(f, at, (0, 2), f"inversion: the motion wanted of {names[k]}")
        y[:, k], y2[moves, k] = first - first[0], second[moves]
    return y, y2


def _solved(s: LinearSystem, y: np.ndarray, y2: np.ndarray, step: float) -> np.ndarray:
    """By FFT over the motion and its way back, which make one period; where frequencies are high, of its second derivative ``y2``."""
    count = len(y)
    Y = np.fft.rfft(np.vstack([y, y[-1] - y]), axis=0)
    w = 2 * np.pi * np.fft.rfftfreq(2 * count, step)
    Y2 = np.fft.rfft(np.vstack([y2, -y2]), axis=0)
    better = abs(Y2).max(axis=0) < w[:, None] ** 2 * abs(Y).max(axis=0)          # which of the two has less rounding in it
    Y[better] = (Y2 / -np.maximum(w[:, None], w[1]) ** 2)[better]
    U, unit = np.zeros_like(Y), np.eye(len(s.A))
    at = 1j * w
    at[0] = 1e-6 * w[1]                     # the limit at rest, also where the system has poles there
    for k in range(0, len(w), CHUNK):
        part = slice(k, k + CHUNK)
        states = np.linalg.solve(at[part, None, None] * unit - s.A, np.broadcast_to(s.B.astype(complex), (len(at[part]), *s.B.shape)))
        U[part] = np.linalg.solve(s.C @ states + s.D, Y[part, :, None])[..., 0]
    U[-1] = U[-1].real
    return np.asarray(np.fft.irfft(U, 2 * count, axis=0)[:count])


def _residual(s: LinearSystem, t: np.ndarray, u: np.ndarray, wanted: np.ndarray) -> float:
    """A run of the linear model with inputs that are linear in every step, from rest."""
    from scipy.linalg import expm
    values, size = s.eigenvalues, max(float(np.linalg.norm(s.A)), 1e-300)
    stroke = abs(wanted).max(initial=0.0)
    if (values.real > 1e-6 * size).any() or not stroke:
        return math.nan
    n, m = s.B.shape
    h = float(t[1] - t[0])
    big = np.zeros((n + 2 * m, n + 2 * m))
    big[:n, :n], big[:n, n:n + m], big[n:n + m, n + m:] = s.A * h, s.B * h, np.eye(m)
    F = expm(big)
    F0, F1, F2 = F[:n, :n], F[:n, n:n + m] - F[:n, n + m:], F[:n, n + m:]
    given = u - u[0]
    forced = given[:-1] @ F1.T + given[1:] @ F2.T
    x, worst = np.zeros(n), 0.0
    for k in range(len(t) - 1):
        x = F0 @ x + forced[k]
        worst = max(worst, float(abs(s.C @ x + s.D @ given[k + 1] - wanted[k + 1]).max()))
    return worst / stroke
