"""What happened in a run, as the page marks it on its line of time: a bounded number of instants, spread over all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..items.declarations import IMPACTS
from ..kernels.event_log import KIND, TIME, X, Y
from ..results.events import EventTable, thinned

MOST = 4000  # marks that are sent
LONGEST = 200  # letters of a name
Marks = tuple[dict[str, Any], dict[str, np.ndarray]]


def marks(table: EventTable, most: int = MOST) -> Marks:
    """Header and arrays: ``kinds``, (item, what, whether an impact); of every mark its time, kind, and two numbers: value and NaN, or
    impulse and energy lost. A value that only says which word it is, is NaN."""
    log, words = table.log, table.words
    rows = thinned(table, most)
    log, words = log[rows], words[rows]
    pairs, which = np.unique(np.column_stack([log[:, KIND].astype(np.int64), words]).reshape(-1, 2), axis=0, return_inverse=True)
    told = [(table.told[k], word) for k, word in pairs]
    kinds = [[one.item[:LONGEST], one.words[word][:LONGEST], one.numbers == IMPACTS] for one, word in told]
    x = log[:, X].copy()
    x[np.array([not kinds[k][2] for k in which.ravel()], bool) & (x == words)] = np.nan
    header = {"kinds": kinds, "total": len(table) + table.omitted}
    return header, {"events:t": log[:, TIME], "events:kind": which.ravel().astype(np.uint32), "events:x": x, "events:y": log[:, Y]}
