"""What functions do in time, looked at before a run: when they jump, and how short steps must be where. docs/theory/integrators.md

Expressions and tables are bounded over intervals of time, which are divided until nothing can hide in them; Python functions can
only be sampled. A law that reads other things too is looked at by its parts that read time alone.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....functions.enclosures import Enclosure
from ....functions.expression import External, Lookup, bottom_up
from ....functions.time_parts import TimePart
from ....kernels.expression_vm import CONSTANT, END, branches, sample
from .python_functions import LATER, OFFSET, PART, Limits, Stop, looked_at

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


class Outlook(NamedTuple):
    """Times right before and right after each jump, and whether a drive may jump with it; between which times steps may be how long."""
    stops: Array
    limits: Limits


def outlook(system: System, start: float, end: float, most: float) -> Outlook:
    """Of all functions of a model in a run with steps up to ``most``."""
    stops, driven, kinks = list[Stop](), list[Stop](), list[float]()
    cells = [Limits(np.array([start, end]), np.array([np.inf]))]
    for part in _distinct(system):
        if isinstance(part.node, External):
            found, limits = looked_at(system, part, start, end)
            cells += limits
        else:
            found, bends = jumps_of(system, part, start, end)
            steep, limit = resolved(Enclosure(part.node), start, end, found)
            found, cells, kinks = found + steep, [*cells, limit], kinks + bends
        stops, driven = stops + found, driven + found * part.kinks
    return Outlook(_marked(sorted(set(stops)), driven), _joined(cells, kinks, most))


def _marked(stops: list[Stop], driven: list[Stop]) -> Array:
    """Stops as rows, those that touch one of a drive with a 1."""
    rows = np.array([(*stop, 0.0) for stop in stops]).reshape(-1, 3)
    if driven:
        begin, end = np.sort(np.array(driven), axis=0).T
        rows[:, 2] = np.searchsorted(begin, rows[:, 1], side="right") > np.searchsorted(end, rows[:, 0])
    return rows


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
def jumps_of(system: System, part: TimePart, start: float, end: float) -> tuple[list[Stop], list[float]]:
    """Times right before and right after every jump of an expression of t, and times of kinks (which are jumps too, where they count as
    such). Intervals are divided until each choice between branches is the same in all of one, or its argument only grows or falls
    there; then it is bisected."""
    knots = sum(node.table.x.size for node in bottom_up(part.node) if isinstance(node, Lookup))
    enclosure = Enclosure(part.node, part.kinks or knots <= KNOTS)
    enclosure.over(np.array([start]), np.array([end]))
    if not enclosure.choices:
        return [], []
    edges = _grid(start, end)
    least, done = LATER * np.spacing(max(abs(start), abs(end))), [edges]
    begin, stop = edges[:-1], edges[1:]
    while begin.size:
        unclear = np.zeros(begin.size, bool)
        for rows in _chunks(begin.size, enclosure):
            enclosure.over(begin[rows], stop[rows])
            asked = enclosure.active()
            for node, choice in enclosure.choices:
                unclear[rows] |= choice.open & ~choice.once & asked[id(node)]
        unclear &= stop - begin > least
        parts = 16 if unclear.sum() < FEW else 4  # calls cost more than numbers, if these are few
        if unclear.sum() * len(enclosure.order) * parts > 2 * BUDGET:
            break
        cuts = np.linspace(begin[unclear], stop[unclear], parts + 1)
        begin, stop = cuts[:-1].ravel(), cuts[1:].ravel()
        done.append(cuts[1:-1].ravel())
    found = _bisected(_branch(system, part.code, enclosure.kinks), np.unique(np.concatenate(done)))
    if not enclosure.kinks or part.kinks or not found:
        return found, []
    before, after = np.array(found).T
    jump = _branch(system, part.code, False)
    same = jump(before) == jump(after)
    return [stop for stop, soft in zip(found, same, strict=True) if not soft], before[same].tolist()


def _branch(system: System, code: int, kinked: bool) -> Callable[[Array], Array]:
    """A number that changes where a function of time alone jumps (or has a kink), at given times."""
    d, x = system.data, system.memory()

    def at(points: Array) -> Array:
        out = np.zeros(points.size)
        branches(np.array([code], np.int64), np.array([kinked]), points, d.tab, d.val, x.Y, x.W, out)
        return out
    return at


def _bisected(at: Callable[[Array], Array], times: Array) -> list[Stop]:
    """Times right before and right after every change of a number between given times."""
    values, low, high = at(times), times[:-1], times[1:]
    jumps: list[Stop] = []
    value, aim = values[:-1], values[1:]
    for _ in range(ROUNDS):  # one jump of each interval, then what is left of it
        low, high, value, aim = (a[value != aim] for a in (low, high, value, aim))
        if not low.size:
            break
        last = high
        for _ in range(60):
            middle = (low + high) / 2
            same = at(middle) == value
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        jumps += zip(low.tolist(), high.tolist(), strict=True)
        low, high, value = high, last, at(high)
    later = LATER * np.spacing(max(abs(times[0]), abs(times[-1])))
    return sorted((a, min(b + later, float(times[-1]))) for a, b in jumps)


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
            stops = looked_at(system, part, start, end)[0] if isinstance(part.node, External) else jumps_of(system, part, start, end)[0]
            for before, after in stops:
                found = drive_changes(system, {name: code for name, code in codes.items() if code == part.code}, before, after)
                if any(round(x / TURN) and abs(x / TURN - round(x / TURN)) < 1e-6 for x in found.values()):
                    yield after, found


# -- how fast functions change
def resolved(enclosure: Enclosure, start: float, end: float, jumps: list[Stop]) -> tuple[list[Stop], Limits]:
    """Intervals between jumps, divided until no part of the function passes more than half of its range in one, and so long may a step
    be there; and what is so steep that it is a jump too."""
    begin, stop = _between(_grid(start, end), jumps)
    least, most = LATER * np.spacing(max(abs(start), abs(end))), np.full(begin.size, np.inf)
    ranges = {id(node): (np.inf, -np.inf) for node in enclosure.varying}
    done, stops = [(begin[:0], stop[:0], most[:0])], list[Stop]()
    while begin.size:
        excess, blind = np.zeros(begin.size), np.zeros(begin.size, bool)
        for rows in _chunks(begin.size, enclosure):
            enclosure.over(begin[rows], stop[rows], settled=True)
            excess[rows], blind[rows] = _excess(enclosure, ranges)
        narrow = stop - begin <= least
        stops += zip(begin[narrow & (excess > 1) & ~blind].tolist(), stop[narrow & (excess > 1) & ~blind].tolist(), strict=True)
        open_ = (excess > 1) & ~narrow
        if open_.sum() * len(enclosure.order) > BUDGET:
            open_[:] = False
        done.append((begin[~open_], stop[~open_], most[~open_]))
        parts = np.where(excess > 4, 4, 2)[open_]
        width, inherited = ((stop - begin)[open_] / parts).repeat(parts), np.where(blind, most, 0.0)[open_].repeat(parts)
        place = np.concatenate([np.arange(n) for n in parts]) if parts.size else np.zeros(0)
        begin, before = begin[open_].repeat(parts) + place * width, stop[open_].repeat(parts)
        stop, most = np.minimum(begin + width, before), np.maximum(width, inherited)  # a pole is not made better by shorter steps
    found = [np.concatenate(column) for column in zip(*done, strict=True)]
    order = np.argsort(found[0])
    return stops, Limits(np.append(found[0][order], end), found[2][order])


def _excess(enclosure: Enclosure, ranges: dict[int, tuple[float, float]]) -> tuple[Array, Array]:
    """How much more than allowed a function may change in intervals, and where it is not even finite. ``ranges``: of all parts, so far."""
    asked, worst, blind = enclosure.active(), np.zeros(enclosure.begin.size), np.zeros(enclosure.begin.size, bool)
    with np.errstate(all="ignore"):
        for node in enclosure.varying:
            b, mine = enclosure.bounds[id(node)], asked[id(node)]
            seen = np.concatenate([b.first[mine], b.last[mine]])
            seen = seen[np.isfinite(seen)]
            low, high = ranges[id(node)]
            low, high = min(low, seen.min(initial=np.inf)), max(high, seen.max(initial=-np.inf))
            ranges[id(node)] = low, high
            size, width = max(abs(low), abs(high)) if low <= high else 0.0, np.where(mine, b.high - b.low, 0.0)
            allowed = max(PART * (high - low), ROUNDING * size) if low <= high else 0.0
            worst = np.maximum(worst, np.where(width > 0, width / max(allowed, 1e-300), 0.0))
            blind |= mine & ~np.isfinite(width)
    return worst, blind


# -- intervals
def _grid(start: float, end: float) -> Array:
    inner = start + (end - start) / CELLS * (np.arange(CELLS - 1) + OFFSET)
    return np.concatenate([[start], inner, [end]])


def _between(edges: Array, jumps: list[Stop]) -> tuple[Array, Array]:
    """Intervals from edge to edge, without the jumps."""
    if not jumps:
        return edges[:-1], edges[1:]
    before, after = np.array(jumps).T
    inside = np.searchsorted(before, edges, side="right") - 1
    edges = edges[(inside < 0) | (edges >= after[inside])]
    begin, end = np.union1d(edges, after), np.union1d(edges, before)
    begin = begin[begin < edges[-1]]
    return begin, end[np.searchsorted(end, begin, side="right")]


def _chunks(count: int, enclosure: Enclosure) -> Iterable[slice]:
    size = max(64, 400_000 // len(enclosure.order))
    return [slice(k, min(k + size, count)) for k in range(0, count, size)]


def _joined(cells: list[Limits], kinks: list[float], most: float) -> Limits:
    """The smallest limit of all functions at each time, in few segments: neighbours are one if that takes at most twice as many steps, and
    if there is no kink between them."""
    times = np.unique(np.concatenate([kinks, *(c.times for c in cells)]))
    middle, allowed, kinked = (times[1:] + times[:-1]) / 2, np.full(times.size - 1, most), np.isin(times[:-1], kinks)
    for c in cells:
        place = np.clip(np.searchsorted(c.times, middle) - 1, 0, c.most.size - 1)
        allowed = np.minimum(allowed, c.most[place])
    ends, limits, width, needed = [float(times[0])], list[float](), 0.0, 0.0
    for stop, h, limit, kink in zip(*(a.tolist() for a in (times[1:], np.diff(times), allowed, kinked)), strict=True):
        if limits and not kink and (width + h) / min(limits[-1], limit) <= 2 * (needed + h / limit) + SPARE:
            ends[-1], limits[-1], width, needed = stop, min(limits[-1], limit), width + h, needed + h / limit
        else:
            ends.append(stop)
            limits.append(limit)
            width, needed = h, h / limit
    return Limits(np.array(ends), np.array(limits))
