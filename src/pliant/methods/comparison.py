"""How much two runs differ, what that tells of their errors, and how a small difference grows."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..items.errors import SimulationError
from ..kernels import evaluation
from ..kernels.state_row import parts

if TYPE_CHECKING:
    from ..compile.compiled_model import CompiledModel
    from ..solution import Solution

PARTED = 0.1         # sizes of the model, or of the largest velocity: runs so far apart have nothing in common
SMALL = 0.05         # differences below it still grow as small ones do
LASTING = 5          # rows: a shorter difference is that of the time of a jump
ALIKE = 1.2          # times as many steps: with fewer, the errors of two runs are nearly the same
FASTER, MUCH = 10.0, 50.0  # in the second half of the time, and over all: faster than a power of time grows (t^3: 8)
BLOCK = 100          # rows that are compared at a time
COARSEST = 0.01      # accuracy that a second run with longer steps may have
DISTURBANCE, FINE = 0.1, 1e-8  # of the accuracy; with fixed steps


def differences(a: Solution, b: Solution) -> np.ndarray:
    """Largest difference of two runs in each of their common rows: positions over the size of the model, velocities over the largest
    velocity."""
    fastest, n = speed(b), min(len(a.rows), len(b.rows))
    return np.concatenate([_apart(a.rows[k:min(k + BLOCK, n)], b.rows[k:min(k + BLOCK, n)], b, fastest) for k in range(0, n, BLOCK)])


def _apart(first: np.ndarray, second: np.ndarray, b: Solution, fastest: float) -> np.ndarray:
    """The same of some rows of each."""
    d = b.dynamics
    assert d is not None
    s, w = d.system, d.weights()
    pa, pb = parts(first, s.q0.size, s.n), parts(second, s.q0.size, s.n)
    dq = pa["q"] - pb["q"]
    for _, iq in s.data.rotations:  # quaternions: twice the vector part, sign-free
        qa, qb = pa["q"][:, iq:iq + 4], pb["q"][:, iq:iq + 4]
        dq[:, iq:iq + 4] = 2 * (qa - qb * np.sign((qa * qb).sum(1, keepdims=True)))
    dq[:, s.metres[:, 1]] /= d.length
    dv = (pa["v"] - pb["v"]) * w
    return np.asarray(np.maximum(abs(dq).max(1, initial=0.0), abs(dv).max(1, initial=0.0) / fastest))


def speed(sol: Solution) -> float:
    """The largest velocity of a run, in sizes of the model per second."""
    d = sol.dynamics
    assert d is not None
    p, w = parts(sol.rows, d.system.q0.size, d.system.n), d.weights()
    slow = 1e-3 * max(np.sqrt(d.gravity / d.length), 1 / max(1e-300, float(p["t"][-1] - p["t"][0])))  # at rest only rounding moves
    return max(slow, *(float(abs(p["v"][k:k + BLOCK] * w).max(initial=0.0)) for k in range(0, len(sol.rows), BLOCK)))


def difference(a: Solution, b: Solution) -> float:
    """The largest of them, per second of time."""
    return float((differences(a, b) / np.maximum(1.0, b.t - b.t[0])).max(initial=0.0))


def lasting(apart: np.ndarray) -> np.ndarray:
    """The least of a few rows from each on: where a jump comes a little earlier in one run, they differ for a moment only."""
    n = min(LASTING, len(apart))
    return np.lib.stride_tricks.sliding_window_view(np.append(apart, np.full(n - 1, np.inf)), n).min(1)


def parted(a: Solution, b: Solution) -> float | None:
    """When two runs have nothing in common any more; None if they stay together."""
    beyond = np.flatnonzero(lasting(differences(a, b)) > PARTED)
    return float(b.t[beyond[0]]) if beyond.size else None


def estimate(sol: Solution, other: Callable[[bool], Solution], again: Callable[[np.ndarray], Solution], order: int, coarse: bool) -> None:
    """The error of a run in ``quality.estimate``, from another one with steps twice as long if it is ``coarse`` or half as long, or why
    there is none. ``other(coarse)`` makes it; where such steps are not to be had, those of the other kind are tried. ``again``: the
    run from another start; it tells whether differences grow beyond measure."""
    q = sol.quality
    try:
        found = other(coarse)
        if coarse and _steps(sol, found) < ALIKE:  # as long as they may be
            found, coarse = other(False), False
    except SimulationError as error:
        q.no_estimate = f"the second run stopped: {error.reason}"
        return
    ratio, when = _steps(sol, found), parted(sol, found)
    if when is not None:
        q.no_estimate = f"the two runs have nothing in common after t = {when:.4g} s"
    elif ratio < ALIKE:
        q.no_estimate = "the second run took the same steps"
    else:
        q.estimate = (1.0 if coarse else ratio**order) / (ratio**order - 1) * difference(sol, found)
    if when is not None or _grown(sol.t, lasting(differences(sol, found)), 0.0)[1] > FASTER:
        watch_growth(sol, again)


def _steps(a: Solution, b: Solution) -> float:
    """How many times more steps one run has than the other; two at most, which the difference of their errors is expected from."""
    few, many = sorted((max(1, a.quality.steps), max(1, b.quality.steps)))
    return min(2.0, many / few)


def watch_growth(sol: Solution, again: Callable[[np.ndarray], Solution]) -> None:
    """``quality.growth`` and ``quality.sensitive``: a second run from a start that differs a little."""
    q, d = sol.quality, sol.dynamics
    assert d is not None
    start = disturbed(d, sol.rows[0], max(FINE, DISTURBANCE * (sol.accuracy or 0.0)), speed(sol))
    try:
        near = again(start)
    except SimulationError:
        return
    apart = differences(sol, near)
    if apart[0] <= 0:  # the drives leave no freedom
        q.sensitive, q.growth = False, 0.0
        return
    end, faster, largest = _grown(sol.t, lasting(apart), float(apart[0]))
    q.growth, q.growth_time = largest / float(apart[0]), end
    q.sensitive = bool(faster > FASTER and q.growth > MUCH)


def _grown(t: np.ndarray, apart: np.ndarray, first: float) -> tuple[float, float, float]:
    """Until when differences are small; how much they grow in the second half of that time; and what they have become."""
    most = np.maximum.accumulate(np.maximum(apart, first))
    k = int(np.argmax(np.append(most > SMALL, True)))
    k = min(k, len(t) - 1)
    half = int(np.searchsorted(t, (t[0] + t[k]) / 2))
    return float(t[k] - t[0]), float(most[k] / max(most[half], 1e-300)), float(most[k])


def disturbed(d: CompiledModel, row: np.ndarray, size: float, speed: float) -> np.ndarray:
    """A start in which positions and velocities differ by this part of the size of the model and of the speed, made consistent."""
    s, w, out, rng = d.system, d.weights(), row[None, :].copy(), np.random.default_rng(0)
    p = {name: part[0] for name, part in parts(out, s.q0.size, s.n).items()}
    way = np.zeros((2, s.n))
    np.divide(rng.uniform(-1, 1, way.shape), w, out=way, where=w > 0)
    evaluation.retract(s.data, p["q"].copy(), way[0], size, p["q"])
    p["v"] += size * speed * way[1]
    d.refine(out)
    return np.asarray(out[0])
