"""Python functions, looked at before a run. Nothing tells what they do between two times: they are sampled, and where they change fast
intervals are bisected. docs/theory/integrators.md"""
from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....functions.expression import External
from ....functions.time_parts import TimePart
from ....items.errors import ModelError
from ....kernels.contract import C_FUNCTION, _interpreted
from ....kernels.jit import DISABLED
from .control import NOISE

if TYPE_CHECKING:
    from ....compile.system import System

SAMPLES = 20_000    # of compiled functions
FEWER, FEWEST = 2_000, 200  # of those that Python runs, and of those that take their time
SLOW = 5e-5         # s for one call
OFFSET = 0.6180339887  # of samples, in their distances: jumps like to be at round times
PART = 0.5          # of its range that a function may pass between two samples, and then in a step
STEEP, MANY, ROUNDS = 10.0, 1000, 3  # a change that much larger than those beside it may be a jump; but not so many; next to each other
AGAIN = 8           # times that are asked for twice
STATES = ((0.0, 0.0), (0.011, -0.23), (-0.4, 1.3))  # x and v for functions of these too
LATER = 4           # ulps: at a jump itself a function may still have the slope before it

Array = np.ndarray
Stop = tuple[float, float]


class Limits(NamedTuple):
    """Between ``times`` steps are at most ``most`` long, one number for each interval."""
    times: Array
    most: Array


class Sampled:
    """Values of a Python function at given times, for one x and v."""

    def __init__(self, system: System, node: External, x: float = 0.0, v: float = 0.0) -> None:
        self.f, self.failures, self.x, self.v = _interpreted[node.address] if DISABLED else C_FUNCTION(node.address), system.failures, x, v

    def __call__(self, times: Array) -> Array:
        with self.failures.ignored():  # the run will say so, if it gets there
            values = np.array([self.f(t, self.x, self.v) for t in times.tolist()])
            for error in self.failures.take():
                if isinstance(error, KeyboardInterrupt):
                    raise error
        return values


def looked_at(system: System, part: TimePart, start: float, end: float) -> tuple[list[Stop], list[Limits]]:
    """Jumps, and how long steps may be; those of t, x and v for a few values of x and v."""
    assert isinstance(part.node, External)
    found, limits = list[Stop](), list[Limits]()
    for x, v in STATES[:part.node.arguments]:
        jumps, limit = _sampled(Sampled(system, part.node, x, v), part.node.fast, start, end)
        found += jumps
        limits.append(limit)
    return found, limits


def looks(system: System) -> int:
    """At how many places of a run functions of x and v are looked at: fewer if Python runs one."""
    found = [part.node.fast for part in system.timed if isinstance(part.node, External) and part.node.arguments == 3]
    return 0 if not found else SAMPLES if all(found) else FEWER


def _sampled(at: Sampled, fast: bool, start: float, end: float) -> tuple[list[Stop], Limits]:
    count = FEWEST if _cost(at, start, end) > SLOW else SAMPLES if fast else FEWER
    times = np.concatenate([[start], start + (end - start) / count * (np.arange(count - 1) + OFFSET), [end]])
    values, least = at(times), LATER * np.spacing(max(abs(start), abs(end)))
    if not np.isfinite(values).any():
        return [], Limits(times[[0, -1]], np.array([np.inf]))
    times, values, stops = _with_jumps(at, times, values, least)
    divided, calls, jumps = np.zeros(times.size - 1, bool), 0, np.diff(times) <= least
    while True:
        with np.errstate(invalid="ignore"):
            steep = abs(np.diff(values)) > _allowed(values)
        rows = np.flatnonzero(steep & ~jumps & (np.diff(times) > least))
        calls += rows.size
        if not rows.size or calls > 10 * count:
            break
        middle = (times[rows] + times[rows + 1]) / 2
        values, times = np.insert(values, rows + 1, at(middle)), np.insert(times, rows + 1, middle)
        divided[rows] = True
        divided, jumps = np.insert(divided, rows + 1, True), np.insert(jumps, rows + 1, False)
    narrow = steep & ~jumps & (np.diff(times) <= least)
    stops += zip(times[:-1][narrow].tolist(), times[1:][narrow].tolist(), strict=True)
    return [(a, min(b + least, end)) for a, b in stops], Limits(times, np.where(divided & ~narrow, np.diff(times), np.inf))


def _cost(at: Sampled, start: float, end: float) -> float:
    """Of a call [s], not counting what other programs take: the same function is sampled in the same way in every run."""
    found = []
    for times in np.linspace(start, end, 20).reshape(5, 4):
        clock = perf_counter()
        at(times)
        found.append((perf_counter() - clock) / times.size)
    return min(found)


def _allowed(values: Array) -> float:
    """Change from sample to sample."""
    good = values[np.isfinite(values)]
    return max(PART * float(np.ptp(good)), NOISE * float(abs(good).max()))


def _with_jumps(at: Sampled, times: Array, values: Array, least: float) -> tuple[Array, Array, list[Stop]]:
    """Samples with those right before and right after jumps. A change that is large next to those beside it is bisected, always the half
    with more of it: a jump stays as large as it is."""
    stops: list[Stop] = []
    for _ in range(ROUNDS):
        with np.errstate(invalid="ignore"):
            change = np.nan_to_num(abs(np.diff(values)))
        beside = np.maximum(np.pad(change, 2)[:-4], np.pad(change, 2)[4:])  # two samples away: a jump may be next to another one
        rows = np.flatnonzero((change > STEEP * beside) & (change > NOISE * abs(values[np.isfinite(values)]).max())
                              & (np.diff(times) > least))
        if not rows.size or rows.size > MANY:
            break
        low, high, f, g = times[rows], times[rows + 1], values[rows], values[rows + 1]
        for _ in range(60):
            middle = (low + high) / 2
            h = at(middle)
            first = abs(h - f) > abs(g - h)
            low, f = np.where(first, low, middle), np.where(first, f, h)
            high, g = np.where(first, middle, high), np.where(first, h, g)
        found = abs(g - f) > change[rows] / 2
        if not found.any():
            break
        stops += zip(low[found].tolist(), high[found].tolist(), strict=True)
        more = np.concatenate([times, low[found], high[found]])
        times, place = np.unique(more, return_index=True)
        values = np.concatenate([values, f[found], g[found]])[place]
    return times, values, stops


def refuse_memory(system: System, start: float, end: float) -> None:
    """A function is asked at any times in any order, also several times: one that remembers gives other answers then."""
    for part in system.timed:
        if isinstance(part.node, External):
            times = start + (end - start) / AGAIN * (np.arange(AGAIN) + OFFSET)
            for x, v in STATES[:part.node.arguments]:
                at = Sampled(system, part.node, x, v)
                first, again = at(times), at(times[::-1])[::-1]
                other = ~((abs(first - again) <= NOISE * np.nanmax(abs(first), initial=0.0)) | (np.isnan(first) & np.isnan(again)))
                for k in np.flatnonzero(other)[:1]:
                    raise ModelError(
                        f"{part.where}: its Python function gave {first[k]:.6g} for t = {times[k]:.6g} s, and {again[k]:.6g} when it was "
                        "asked for that time again; it must depend on its arguments alone, as a run asks for times in any order. Take "
                        "out what it remembers and random numbers: give a controller's law by channels, or its output as a table")
