"""Functions of time alone, looked at before a run: when they jump, and how fast they change."""
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from timeit import repeat
from typing import TYPE_CHECKING

import numpy as np

from ....kernels.expression_vm import CONSTANT, END, branches, sample

if TYPE_CHECKING:
    from ....compile.system import System

SAMPLES = 20_000    # where functions of time are looked at
SLOW = 1e-3         # s for 20 of these
ROUNDS = 20         # jumps between two of these
LATER = 4           # ulps: at a jump itself a function may still have the slope before it
STEEP, MANY = 10.0, 1000  # a change between two samples that much larger than next to them may be a jump; but not so many of them
PART, NARROW = 1e-3, 0.05  # it begins and ends with this part of it, and lasts a smaller part of the time between samples


def time_scale(system: System, start: float, end: float, stops: list[tuple[float, float]]) -> tuple[float, list[tuple[float, float]]]:
    """The shortest time in which a function of time alone passes its range, between jumps; not less than it is sampled at. Steps may
    not be longer: where nothing moves yet, they could pass a pulse or whole periods without a sign of it. And further jumps, of
    functions that do not tell of them: times right before and right after each."""
    d, x, dt = system.data, system.memory(), (end - start) / SAMPLES
    times = start + dt * (np.arange(SAMPLES) + 0.6180339887)
    inside = np.ones(SAMPLES - 1, bool)
    inside[np.clip(np.searchsorted(times, [low for low, _ in stops]) - 1, 0, SAMPLES - 2)] = False
    shortest = np.inf
    found: list[tuple[float, float]] = []
    for code in system.timed:
        def at(points: np.ndarray, code: int = code) -> np.ndarray:
            values = np.zeros(points.size)
            with system.failures.ignored():  # the run will say so, if it gets there
                sample(code, points, d.tab, d.val, x.Y, x.W, values)
            return values
        if min(repeat(partial(at, times[::SAMPLES // 20]), number=1, repeat=3)) > SLOW:
            continue  # a Python function that takes its time
        out, smooth = at(times), inside.copy()
        if not np.isfinite(out).all():
            continue
        steep, jumps = _sudden(at, times, out, inside)
        smooth[steep] = False
        found += jumps
        height, change = np.ptp(out), abs(np.diff(out))[smooth].max(initial=0.0)
        if change > 1e-9 * abs(out).max():
            shortest = min(shortest, dt * max(1.0, height / change))
    return shortest, sorted(set(found))


def _sudden(at: Callable[[np.ndarray], np.ndarray], times: np.ndarray, values: np.ndarray,
            inside: np.ndarray) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Jumps by their size alone: where a change between two samples, which is large next to those beside it, happens in a small part
    of the time between them. Their samples; and the jumps, or the two ends of what is steep."""
    change = abs(np.diff(values)) * inside
    beside = np.maximum(np.pad(change, 2)[:-4], np.pad(change, 2)[4:])  # two samples away: a jump may be next to another one
    rows = np.flatnonzero((change > STEEP * beside) & (change > 1e-6 * np.ptp(values)))
    if rows.size > MANY:
        return rows[:0], []
    before, begin = _passing(at, times, rows, values[rows], PART * change[rows])
    end, after = _passing(at, times, rows, values[rows], (1 - PART) * change[rows])
    short = after - before < NARROW * (times[1] - times[0])
    later = LATER * np.spacing(abs(times).max())
    stops = []
    for a, b, c, d in zip(*(part[short].tolist() for part in (before, begin, end, after)), strict=True):
        stops += [(a, d + later)] if d - a <= later else [(a, b), (c, d)]
    return rows[short], stops


def _passing(at: Callable[[np.ndarray], np.ndarray], times: np.ndarray, rows: np.ndarray, start: np.ndarray,
             change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times right before and right after a function has changed by so much since the samples ``rows``, by bisection."""
    low, high = times[rows], times[rows + 1]
    for _ in range(60):
        middle = (low + high) / 2
        early = abs(at(middle) - start) < change
        low, high = np.where(early, middle, low), np.where(early, high, middle)
    return low, high


def time_jumps(system: System, start: float, end: float) -> list[tuple[float, float]]:
    """Times right before and right after every jump of functions that depend on time alone."""
    timed = [(code, kinks) for code, kinks, of_time in system.switches if of_time]
    if not timed:
        return []
    codes, kinked, d = np.array([c for c, _ in timed], np.int64), np.array([k for _, k in timed]), system.data
    x = system.memory()

    def at(times: np.ndarray) -> np.ndarray:
        out = np.zeros(times.size)
        branches(codes, kinked, times, d.tab, d.val, x.Y, x.W, out)
        return out
    times = np.union1d(np.linspace(start, end, SAMPLES + 1), _written(system, codes, start, end))
    found, low, high = at(times), times[:-1], times[1:]
    jumps: list[tuple[float, float]] = []
    value, aim = found[:-1], found[1:]
    for _ in range(ROUNDS):  # one jump of each interval, then what is left of it
        low, high, value, aim = (part[value != aim] for part in (low, high, value, aim))
        last = high
        for _ in range(60):
            middle = (low + high) / 2
            same = at(middle) == value
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        jumps += zip(low.tolist(), high.tolist(), strict=True)
        low, high, value = high, last, at(high)
    later = LATER * np.spacing(max(abs(start), abs(end)))
    return sorted((a, min(b + later, end)) for a, b in jumps)


def _written(system: System, codes: np.ndarray, start: float, end: float) -> np.ndarray:
    """Times that stand in functions as numbers, and those half way between: jumps are often there, as close together as one likes."""
    tab, val, found = system.data.tab, system.data.val, {start, end}
    for code in codes.tolist():
        while tab[code] != END:
            if tab[code] == CONSTANT:
                found.add(float(val[tab[code + 1]]))
            code += 2
    times = np.array(sorted(t for t in found if start <= t <= end))
    return np.union1d(times, (times[1:] + times[:-1]) / 2)
