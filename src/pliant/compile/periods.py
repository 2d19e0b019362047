"""Periods of sampled items as multiples of one base: all of them tick together."""
from __future__ import annotations

from collections.abc import Sequence

from ..items.errors import ModelError

SAME = 1e-9   # relative: periods are multiples of their base within this
PARTS = 1000  # of the shortest period, that the base may be


def common_base(periods: Sequence[tuple[float, str]]) -> tuple[float, tuple[int, ...]]:
    """The longest base [s], and how many of it each period has; ModelError names two that have none in common."""
    if not periods:
        return 1.0, ()
    shortest, owner = min(periods)
    parts = 1
    for seconds, other in periods:
        found = next((n for n in range(1, PARTS + 1) if _whole(n * parts * seconds / shortest)), None)
        if found is None or found * parts > PARTS:
            raise ModelError(f"{owner} with a period of {shortest:g} s and {other} with {seconds:g} s have no common base: periods must be "
                             f"multiples of one time, which is at least the {PARTS}th part of the shortest", (owner, other))
        parts *= found
    return shortest / parts, tuple(round(parts * seconds / shortest) for seconds, _ in periods)


def _whole(x: float) -> bool:
    return abs(x - round(x)) <= SAME * max(1.0, x)
