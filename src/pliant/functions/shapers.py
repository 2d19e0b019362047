"""Input shapers: impulses that a command is convolved with, so that it leaves no vibration of certain modes."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .channels import channels
from .parser import parse
from .profiles import Profile
from .rewriting import rewritten
from .table import Table
from .units import must, quantity, shown

KINDS = ("ZV", "ZVD", "EI")
CLOSE = 1e-9  # relative: impulses so near to each other are one


class Shaper:
    """Impulses of ``amplitudes`` (their sum is 1) at ``times`` [s], from 0 on. ``a * b``: both, one after the other."""

    def __init__(self, times: Any, amplitudes: Any) -> None:
        order = np.argsort(times, kind="stable")
        self.times, self.amplitudes = np.asarray(times, float)[order], np.asarray(amplitudes, float)[order]

    @staticmethod
    def of_mode(frequency: Any, damping: float = 0.0, kind: str = "ZV", tolerance: float = 0.05) -> Shaper:
        """For one mode: ``frequency`` |s| / 2 pi [Hz] and ``damping`` ratio, as `modes` has them. "ZV" leaves no vibration if both are
        exact, "ZVD" none to first order of an error of the frequency, "EI" at most ``tolerance`` in as wide a band as that allows."""
        f, z = quantity(frequency, "Hz"), float(damping)
        if not (f > 0 and math.isfinite(f)):
            raise ValueError(f"shaper: frequency = {shown(frequency)}, must be greater than zero; a rigid motion or a decay has none")
        if not 0 <= z < 1:
            raise ValueError(f"shaper: damping = {shown(damping)}, must be from 0 to less than 1; what does not oscillate needs no shaper")
        if kind not in KINDS:
            raise ValueError(f"shaper: kind = {shown(kind)}, must be one of {', '.join(KINDS)}")
        half, K = 0.5 / (f * math.sqrt(1 - z * z)), math.exp(-math.pi * z / math.sqrt(1 - z * z))
        if kind == "EI":
            return _extra_insensitive(f, z, tolerance)
        zv = Shaper((0, half), (1 / (1 + K), K / (1 + K)))
        return zv if kind == "ZV" else zv * zv

    @staticmethod
    def of(modes: Any, numbers: int | Iterable[int], kind: str = "ZV", tolerance: float = 0.05) -> Shaper:
        """For modes of a model by their numbers in `m.modes()`, from 0 on."""
        wanted = [numbers] if isinstance(numbers, (int, np.integer)) else list(numbers)
        if not wanted:
            raise ValueError("shaper: no mode is named; give numbers of modes, such as [1, 2]")
        made = None
        for k in wanted:
            if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k < len(modes):
                raise IndexError(f"shaper: mode {must(k, f'must be a number from 0 to {len(modes) - 1}')}")
            if modes.kind(k) != "oscillation":
                raise ValueError(f"shaper: mode {k} is no oscillation but a {modes.kind(k)}; shapers are for modes that vibrate")
            one = Shaper.of_mode(float(modes.frequencies[k]), min(max(float(modes.damping[k]), 0.0), 1.0), kind, tolerance)
            made = one if made is None else made * one
        assert made is not None
        return made

    def __mul__(self, other: Shaper) -> Shaper:
        t = (self.times[:, None] + other.times[None, :]).ravel()
        a = (self.amplitudes[:, None] * other.amplitudes[None, :]).ravel()
        order = np.argsort(t, kind="stable")
        times, amplitudes = list[float](), list[float]()
        for x, y in zip(t[order], a[order], strict=True):
            if times and x - times[-1] <= CLOSE * t.max():
                amplitudes[-1] += y
            else:
                times.append(float(x))
                amplitudes.append(float(y))
        return Shaper(times, amplitudes)

    @property
    def duration(self) -> float:
        """By how much a command becomes longer."""
        return float(self.times[-1])

    def vibration(self, frequency: Any, damping: float = 0.0) -> np.ndarray:
        """What is left of the vibration of a mode, in parts of that of an unshaped impulse: e^(-z w t_n) |sum A_i e^((z w + i w_d) t_i)|"""
        w = 2 * np.pi * np.asarray(frequency, float)[..., None]
        s = w * (damping + 1j * math.sqrt(1 - damping**2))
        return np.asarray(abs((self.amplitudes * np.exp(s * (self.times - self.times[-1]))).sum(-1)))

    def shape(self, command: Any) -> Any:
        """sum of A_i r(t - t_i): of a Profile a Profile, of a Table a Table, of an expression of t an expression. Before t = 0 expressions
        are as at 0."""
        if isinstance(command, Profile):
            return self._profile(command)
        if isinstance(command, Table):
            return self._table(command)
        if isinstance(command, str):
            if used := channels(parse(command, ("t",))):
                raise ValueError(f"shaper: the command {shown(command)} uses the channel {used[0]}; a shaper is for functions of t alone")
            parts = [f"{float(a)!r}*({_later(command, float(t))})" for t, a in zip(self.times, self.amplitudes, strict=True)]
            return " + ".join(parts)
        raise ValueError(f"shaper: the command {must(command, 'must be a Profile, a Table of t, or an expression of t')}")

    def _profile(self, command: Profile) -> Profile:
        breaks = _distinct((command.breaks[:, None] + self.times).ravel())
        degree = command.coefficients.shape[1]
        rows = []
        for a, b in pairwise(breaks):
            middle, row = (a + b) / 2, np.zeros(degree)
            for t, amplitude in zip(self.times, self.amplitudes, strict=True):
                values = [float(command.evaluate(middle - t, order)) / math.factorial(order) for order in range(degree)]
                row += amplitude * _moved(np.array(values), a - middle)
            rows.append(row)
        return Profile(breaks, rows)

    def _table(self, command: Table) -> Table:
        x = _distinct((command.x[:, None] + self.times).ravel())
        y = sum(a * command.evaluate(x - t) for t, a in zip(self.times, self.amplitudes, strict=True))
        return Table(x, y, command.kind, command.beyond)

    def __repr__(self) -> str:
        pairs = ", ".join(f"{a:.6g} at {t:.6g} s" for t, a in zip(self.times, self.amplitudes, strict=True))
        return f"Shaper({pairs})"


def _later(command: str, by: float) -> str:
    """An expression of t, later by so much."""
    return rewritten(command, lambda name: f"max(t - {by!r}, 0)" if name == "t" else None)


def _distinct(values: np.ndarray) -> np.ndarray:
    out = np.sort(values)
    return out[np.concatenate([[True], np.diff(out) > CLOSE * max(np.ptp(out), 1e-300)])]


def _moved(c: np.ndarray, by: float) -> np.ndarray:
    """Coefficients of the powers of x - by, from those of x."""
    out = np.zeros_like(c)
    for k in range(len(c)):
        for i in range(k, len(c)):
            out[k] += c[i] * math.comb(i, k) * by ** (i - k)
    return out


def _extra_insensitive(f: float, z: float, tolerance: float) -> Shaper:
    """Three impulses: |V| = tolerance and d|V|/dw = 0 at w, V = 0 at a frequency below and at one above."""
    if not 0 < tolerance < 0.5:
        raise ValueError(f"shaper: tolerance = {shown(tolerance)}, must be greater than 0 and less than 0.5")
    from scipy.optimize import root
    side = math.acos((1 - tolerance) / (1 + tolerance)) / math.pi

    def left(x: np.ndarray, at: float) -> complex:
        """The sum at at * w, times in periods of the damped mode."""
        t, a = np.array([0, x[2], x[3]]), np.array([x[0], x[1], 1 - x[0] - x[1]])
        s = 2 * np.pi * at * (z / math.sqrt(1 - z * z) + 1j)
        return complex((a * np.exp(s * (t - t[-1]))).sum())

    def equations(x: np.ndarray) -> list[float]:
        low, high, h = left(x, x[4]), left(x, x[5]), 1e-4
        slope = (abs(left(x, 1 + h)) - abs(left(x, 1 - h))) / (2 * h)
        return [low.real, low.imag, high.real, high.imag, abs(left(x, 1.0)) - tolerance, slope]

    x0 = np.array([(1 + tolerance) / 4, (1 - tolerance) / 2, 0.5, 1.0, 1 - side, 1 + side])
    found = _followed(root, equations, x0, z)
    times = np.array([0, found[2], found[3]]) / (f * math.sqrt(1 - z * z))
    return Shaper(times, (found[0], found[1], 1 - found[0] - found[1]))


def _followed(root: Any, equations: Any, x0: np.ndarray, z: float) -> Sequence[float]:
    found = root(equations, x0, tol=1e-13)
    if not found.success and max(abs(np.array(equations(found.x)))) > 1e-9:
        raise ValueError(f"shaper: there is no EI shaper for damping = {z:g} with this tolerance; use ZVD")
    return list(found.x)
