"""What happened in a run, as thin lines across plots over time."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.units import must
from ..kernels.event_log import KIND
from ..results.events import EventTable, thinned

if TYPE_CHECKING:
    from ..solution import Solution

LINES = 1500      # of one plot
LABELS = 40       # of one plot, as far as they have room
ROOM = 0.022      # of its width: what a label needs
TOGETHER = 3      # told of one instant
INK = "#7a8490"


def chosen(sol: Solution, events: Any) -> EventTable:
    """All events, for True, or those of an item or of several."""
    table: EventTable = sol.events
    if events is True:
        return table
    names = [events] if isinstance(events, str) else events
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"plot: events: {must(events, 'must be True, or the names of items such as [bounce, hinge]')}")
    numbers = [k for name in names for k, told in enumerate(table.of(name).told) if told.item == name]
    return EventTable(table.log[np.isin(table.log[:, KIND], numbers)], table.told)


def draw(table: EventTable, axes: Sequence[Any], span: tuple[float, float]) -> None:
    """Lines in all plots, and in the uppermost one what happened, where there is room for it."""
    from matplotlib.patheffects import withStroke

    rows = thinned(table, LINES)
    t = table.t[rows]
    for ax in axes:
        ax.vlines(np.unique(t), 0, 1, transform=ax.get_xaxis_transform(), color=INK, linewidth=0.6, alpha=0.7, zorder=1)
    end, count, length = -np.inf, 0, (span[1] - span[0]) or 1.0
    for at in np.unique(t):
        if at < end + ROOM * length or count == LABELS:
            continue
        here = [table[int(k)] for k in rows[np.searchsorted(t, at):np.searchsorted(t, at, "right")]]
        told = list(dict.fromkeys(f"{event.item} {event.what}" for event in here))
        words = ", ".join(told[:TOGETHER]) + (" …" if len(told) > TOGETHER else "")
        axes[0].annotate(words, (at, 1.0), xycoords=("data", "axes fraction"), xytext=(1.5, -3), va="top",
                         textcoords="offset points", rotation=90, fontsize=6.5, color="#4a525d", zorder=6, annotation_clip=False,
                         parse_math=False, path_effects=[withStroke(linewidth=2, foreground="white")])
        end, count = at, count + 1
