"""Bounds of an expression of time over many intervals (`enclosure`), and what is asked of them."""
import numpy as np

from .by_reference import reference
from .enclosure import FIRST, HIGH, LAST, LOW, ask, enclose
from .jit import entry
from .states import copy, larger


@entry
def bounds_over(nodes, begin, end, settled, out):
    """Bounds of all nodes over all intervals."""
    e = reference(nodes)
    for i in range(begin.size):
        enclose(e, begin[i], end[i], settled)
        for k in range(e.code.shape[0]):
            copy(e.b[k], out[i, k])


@entry
def undecided(nodes, begin, end, unclear, single):
    """In which intervals a choice that matters may change more than once; and in which one changes once at most."""
    e = reference(nodes)
    for i in range(begin.size):
        enclose(e, begin[i], end[i], False)
        ask(e, False)
        unclear[i], single[i] = False, False
        for k in range(e.code.shape[0]):
            if e.open[k] and e.asked[k]:
                unclear[i], single[i] = unclear[i] or not e.once[k], single[i] or e.once[k]


@entry
def excess(nodes, begin, end, part, rounding, ranges, width, worst, blind):
    """How much more than a ``part`` of its range any part of a function may change in intervals, and where it is not even finite.
    ``ranges``: of all parts, so far; changes below ``rounding`` of the size are none. ``width``: room for what parts may change."""
    e = reference(nodes)
    for i in range(begin.size):
        enclose(e, begin[i], end[i], True)
        ask(e, True)
        worst[i], blind[i] = 0.0, False
        for k in range(e.code.shape[0]):
            width[i, k] = 0.0
            if not (e.varying[k] and e.asked[k]):
                continue
            for side in (FIRST, LAST):
                if np.isfinite(e.b[k, side]):
                    ranges[k, 0], ranges[k, 1] = min(ranges[k, 0], e.b[k, side]), max(ranges[k, 1], e.b[k, side])
            width[i, k] = e.b[k, HIGH] - e.b[k, LOW]
            blind[i] = blind[i] or not np.isfinite(width[i, k])
    for k in range(e.code.shape[0]):
        low, high = ranges[k, 0], ranges[k, 1]
        allowed = max(part * (high - low), rounding * max(abs(low), abs(high))) if low <= high else 0.0
        for i in range(begin.size):
            if width[i, k] > 0:
                worst[i] = larger(worst[i], width[i, k] / max(allowed, 1e-300))
