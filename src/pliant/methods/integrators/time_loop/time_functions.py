"""What functions do in time, looked at before a run: when they jump, and how short steps must be where. docs/theory/integrators.md

Expressions and tables are bounded over intervals of time, which are divided until nothing can hide in them; Python functions can
only be sampled. A law that reads other things too is looked at by its parts that read time alone.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....functions.enclosures import Enclosure
from ....functions.expression import External, Lookup, bottom_up
from ....functions.time_parts import TimePart
from ....kernels.branch_search import bisect, merge
from ....kernels.expression_vm import CONSTANT, END, branches, sample
from .python_functions import LATER, OFFSET, PART, Limits, looked_at

if TYPE_CHECKING:
    from ....compile.system import System

CELLS = 64          # intervals to begin with
ROUNDING = 1e-12    # of its size: changes below are none
ROUNDS = 20         # jumps in an interval
FEW = 500           # intervals
BUDGET = 4_000_000  # intervals times parts of a function, at most, on one level
KNOTS = 500         # of the tables of a function: then steps end at their kinks
TURN = 2 * np.pi
SPARE = 8           # steps that may be wasted in a segment, besides as many as it needs

Array = np.ndarray
NO_STOPS = np.zeros((0, 2))


class Outlook(NamedTuple):
    """Times right before and right after each jump, and whether a drive may jump with it; between which times steps may be how long."""
    stops: Array
    limits: Limits


def outlook(system: System, start: float, end: float, most: float) -> Outlook:
    """Of all functions of a model in a run with steps up to ``most``."""
    stops, driven, kinks = [NO_STOPS], [NO_STOPS], [np.zeros(0)]
    cells = [Limits(np.array([start, end]), np.array([np.inf]))]
    for part in _distinct(system):
        if isinstance(part.node, External):
            jumps, limits = looked_at(system, part, start, end)
            cells, found = cells + limits, np.array(jumps).reshape(-1, 2)
        else:
            enclosure = enclosed(part)
            found, bends = jumps_of(system, part, start, end, enclosure)
            steep, limit = resolved(enclosure, start, end, found)
            found, cells, kinks = np.vstack([found, steep]), [*cells, limit], [*kinks, bends]
        stops, driven = [*stops, found], [*driven, found] if part.kinks else driven
    return Outlook(_marked(np.vstack(stops), np.vstack(driven)), _joined(cells, np.concatenate(kinks), most))


def _marked(stops: Array, driven: Array) -> Array:
    """Stops in order, each once, and those that touch one of a drive with a 1."""
    stops = stops[np.lexsort((stops[:, 1], stops[:, 0]))]
    stops = stops[np.append(True, (stops[1:] != stops[:-1]).any(1))[:len(stops)]]
    begin, end = np.sort(driven, axis=0).T
    touched = np.searchsorted(begin, stops[:, 1], side="right") > np.searchsorted(end, stops[:, 0])
    return np.column_stack([stops, touched])


def _distinct(system: System) -> list[TimePart]:
    """Each function once, however many items use it."""
    tab, val, found = system.data.tab, system.data.val, dict[tuple[Any, ...], TimePart]()
    for part in system.timed:
        key: list[Any] = [part.kinks]
        code = part.code
        while tab[code] != END:
            key += [int(tab[code]), float(val[tab[code + 1]]) if tab[code] == CONSTANT else int(tab[code + 1])]
            code += 2
        found.setdefault(tuple(key), part)
    return list(found.values())


# -- jumps
def enclosed(part: TimePart) -> Enclosure:
    """Bounds of an expression; its kinks count where it is a drive's, or has tables that are not too long."""
    knots = sum(node.table.x.size for node in bottom_up(part.node) if isinstance(node, Lookup))
    return Enclosure(part.node, part.kinks or knots <= KNOTS)


def jumps_of(system: System, part: TimePart, start: float, end: float, enclosure: Enclosure) -> tuple[Array, Array]:
    """Times right before and right after every jump of an expression of t, and times of kinks (which are jumps too, where they count as
    such). Intervals are divided until each choice between branches is the same in all of one, or its argument only grows or falls
    there; then it is bisected. What hangs on a choice that changes is not known around the jump: there intervals are cut in two."""
    if not enclosure.chooses:
        return NO_STOPS, np.zeros(0)
    edges, branch = _grid(start, end), _Branch(system, part.code)
    least, done = LATER * np.spacing(max(abs(start), abs(end))), [edges]
    begin, stop = edges[:-1], edges[1:]
    while begin.size:
        unclear, single = enclosure.undecided(begin, stop)
        unclear &= stop - begin > least
        parts = 16 if unclear.sum() < FEW else 4  # calls cost more than numbers, if these are few
        if unclear.sum() * len(enclosure.order) * parts > 2 * BUDGET:
            break
        low, high, single = begin[unclear], stop[unclear], single[unclear]
        before, after = branch.cut(low[single], high[single], enclosure.kinks)
        single[single] = found = before < after
        low, high, left, right = low[~single], high[~single], low[single], high[single]
        cuts = np.linspace(low, high, parts + 1)
        begin = np.concatenate([cuts[:-1].ravel(), left, after[found]])
        stop = np.concatenate([cuts[1:].ravel(), before[found], right])
        done += [cuts[1:-1].ravel(), before[found], after[found]]
    stops = branch.changes(np.unique(np.concatenate(done)), enclosure.kinks)
    if not enclosure.kinks or part.kinks or not len(stops):
        return stops, np.zeros(0)
    before, after = stops.T
    same = branch.at(before, False) == branch.at(after, False)
    return stops[~same], before[same]


class _Branch:
    """A number that changes where a function of time alone jumps (or, if that is asked for, has a kink)."""

    def __init__(self, system: System, code: int) -> None:
        d, x = system.data, system.memory()
        self.code, self.pools = code, (d.tab, d.val, x.Y, x.W)

    def at(self, times: Array, kinked: bool) -> Array:
        out = np.zeros(times.size)
        branches(np.array([self.code], np.int64), np.array([kinked]), np.ascontiguousarray(times), *self.pools, out)
        return out

    def cut(self, low: Array, high: Array, kinked: bool) -> tuple[Array, Array]:
        """Times right before and right after one change of it in each interval; the same time twice where it is the same at both ends."""
        low, value = low.copy(), self.at(low, kinked)
        high = np.where(self.at(high, kinked) == value, low, high)
        bisect(self.code, kinked, low, high, value, *self.pools)
        return low, high

    def changes(self, times: Array, kinked: bool) -> Array:
        """Times right before and right after every change of it between given times."""
        values, low, last, found = self.at(times, kinked), times[:-1], times[1:], [NO_STOPS]
        value, aim = values[:-1], values[1:]
        for _ in range(ROUNDS):  # one jump of each interval, then what is left of it
            low, last, aim = (a[value != aim] for a in (low, last, aim))
            if not low.size:
                break
            before, low = self.cut(low, last, kinked)
            found.append(np.column_stack([before, low]))
            value = self.at(low, kinked)
        stops, later = np.vstack(found), LATER * np.spacing(max(abs(times[0]), abs(times[-1])))
        stops[:, 1] = np.minimum(stops[:, 1] + later, times[-1])
        return stops[np.argsort(stops[:, 0], kind="stable")]


# -- drives
def drive_changes(system: System, codes: dict[str, int], before: float, after: float) -> dict[str, float]:
    """By how much the functions of drives change from right before to right after a time; those that do."""
    d, x, found = system.data, system.memory(), dict[str, float]()
    for name, code in codes.items():
        values = np.zeros(2)
        with system.failures.ignored():
            sample(code, np.array([before, after]), d.tab, d.val, x.Y, x.W, values)
        if values[0] != values[1]:
            found[name] = float(values[1] - values[0])
    return found


def drive_jumps(system: System, codes: Iterable[int], stops: Array) -> Array:
    """The largest change of any drive at each of these stops."""
    d, x, most, times = system.data, system.memory(), np.zeros(len(stops)), np.ascontiguousarray(stops[:, :2].ravel())
    for code in codes:
        values = np.zeros(times.size)
        with system.failures.ignored():
            sample(code, times, d.tab, d.val, x.Y, x.W, values)
        most = np.fmax(most, abs(np.diff(values.reshape(-1, 2), axis=1)[:, 0]))
    return most


def whole_turns(system: System, codes: dict[str, int], start: float, end: float) -> Iterator[tuple[float, dict[str, float]]]:
    """Times at which drives jump by whole turns, and by how much: positions stay as they are, turns are lost."""
    for part in system.timed:
        if part.kinks:
            stops = np.array(looked_at(system, part, start, end)[0]) if isinstance(part.node, External) \
                else jumps_of(system, part, start, end, enclosed(part))[0]
            for before, after in stops.tolist():
                found = drive_changes(system, {name: code for name, code in codes.items() if code == part.code}, before, after)
                if any(round(x / TURN) and abs(x / TURN - round(x / TURN)) < 1e-6 for x in found.values()):
                    yield after, found


# -- how fast functions change
def resolved(enclosure: Enclosure, start: float, end: float, jumps: Array) -> tuple[Array, Limits]:
    """Intervals between jumps, divided until no part of the function passes more than half of its range in one, and so long may a step
    be there; and what is so steep that it is a jump too."""
    begin, stop = _between(_grid(start, end), jumps)
    least, most = LATER * np.spacing(max(abs(start), abs(end))), np.full(begin.size, np.inf)
    done, stops = [(begin[:0], stop[:0], most[:0])], [NO_STOPS]
    while begin.size:
        excess, blind = enclosure.excess(begin, stop, PART, ROUNDING)
        narrow = stop - begin <= least
        steep = narrow & (excess > 1) & ~blind
        stops.append(np.column_stack([begin[steep], stop[steep]]))
        open_ = (excess > 1) & ~narrow
        if open_.sum() * len(enclosure.order) > BUDGET:
            open_[:] = False
        done.append((begin[~open_], stop[~open_], most[~open_]))
        parts = np.where(excess > 4, 4, 2)[open_]
        width, inherited = ((stop - begin)[open_] / parts).repeat(parts), np.where(blind, most, 0.0)[open_].repeat(parts)
        place = np.arange(parts.sum()) - (np.cumsum(parts) - parts).repeat(parts)
        begin, before = begin[open_].repeat(parts) + place * width, stop[open_].repeat(parts)
        stop, most = np.minimum(begin + width, before), np.maximum(width, inherited)  # a pole is not made better by shorter steps
    found = [np.concatenate(column) for column in zip(*done, strict=True)]
    order = np.argsort(found[0])
    return np.vstack(stops), Limits(np.append(found[0][order], end), found[2][order])


# -- intervals
def _grid(start: float, end: float) -> Array:
    inner = start + (end - start) / CELLS * (np.arange(CELLS - 1) + OFFSET)
    return np.concatenate([[start], inner, [end]])


def _between(edges: Array, jumps: Array) -> tuple[Array, Array]:
    """Intervals from edge to edge, without the jumps."""
    if not len(jumps):
        return edges[:-1], edges[1:]
    before, after = jumps.T
    inside = np.searchsorted(before, edges, side="right") - 1
    edges = edges[(inside < 0) | (edges >= after[inside])]
    begin, end = np.union1d(edges, after), np.union1d(edges, before)
    begin = begin[begin < edges[-1]]
    return begin, end[np.searchsorted(end, begin, side="right")]


def _joined(cells: list[Limits], kinks: Array, most: float) -> Limits:
    """The smallest limit of all functions at each time, in few segments: neighbours are one if that takes at most twice as many steps, and
    if there is no kink between them."""
    times = np.unique(np.concatenate([kinks, *(c.times for c in cells)]))
    middle, allowed, kinked = (times[1:] + times[:-1]) / 2, np.full(times.size - 1, most), np.isin(times[:-1], kinks)
    for c in cells:
        place = np.clip(np.searchsorted(c.times, middle) - 1, 0, c.most.size - 1)
        allowed = np.minimum(allowed, c.most[place])
    ends, limits = np.full(times.size, times[0]), np.zeros(times.size)
    count = merge(times, allowed, kinked, SPARE, ends[1:], limits)
    return Limits(ends[:count + 1], limits[:count])
