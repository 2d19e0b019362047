"""What happened in a run: a table of instants, in the order in which they came. docs/results.md"""
from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from ..channel_values.channel_table import PANDAS
from ..functions.printable import printable
from ..items.base import did_you_mean
from ..items.declarations import IMPACTS, VALUES, WORDS, Told
from ..kernels.event_log import KIND, TIME, WIDTH, X, Y

if TYPE_CHECKING:
    from ..solution import Solution

MOST = 1_000_000  # entries that a run keeps; later ones are counted
SHOWN = 20        # entries that are told at a glance
APART = 64        # of one row of the table of what can happen, that are told apart where entries are left out


class Happened(NamedTuple):
    """At ``t`` [s] ``what`` happened to an item. ``value``: what a latch became, such as the speed [m/s or rad/s] with which a stop was
    met; ``impulse`` [N s or N m s] and ``energy_lost`` [J] of an impact. NaN: there is no such number."""
    t: float
    item: str
    what: str
    value: float
    impulse: float
    energy_lost: float


class EventTable(Sequence[Happened]):
    """``sol.events``: entries by number, ``of(item)`` those of one item. ``omitted``: how many came after the table was full."""

    def __init__(self, log: np.ndarray, told: Sequence[Told], omitted: int = 0) -> None:
        self.log, self.told, self.omitted = log, tuple(told), omitted

    def __len__(self) -> int:
        return len(self.log)

    @overload
    def __getitem__(self, index: int) -> Happened: ...
    @overload
    def __getitem__(self, index: slice) -> EventTable: ...
    def __getitem__(self, index: int | slice) -> Happened | EventTable:
        if isinstance(index, slice):
            return EventTable(self.log[index], self.told)
        row = self.log[index]
        told, x, y = self.told[int(row[KIND])], float(row[X]), float(row[Y])
        numbers = (np.nan, x, y) if told.numbers == IMPACTS else (x if told.numbers == VALUES else np.nan, np.nan, np.nan)
        return Happened(float(row[TIME]), told.item, told.words[int(self._words(row[None, :])[0])], *numbers)

    def _words(self, log: np.ndarray) -> np.ndarray:
        """Which of its words is told of each entry."""
        last = np.array([len(told.words) - 1 for told in self.told], np.int64)[log[:, KIND].astype(np.int64)]
        return np.clip(np.ceil(np.where(np.isfinite(log[:, X]), log[:, X], 0.0)), 0, last).astype(np.int64)

    @property
    def words(self) -> np.ndarray:
        """Of each entry the number of what happened among the words that tell it."""
        return self._words(self.log)

    def __iter__(self) -> Iterator[Happened]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        more = f" and {self.omitted} later ones that were not kept" if self.omitted else ""
        return f"EventTable({len(self)} entries{more})" + "".join(f"\n{line}" for line in self.lines(SHOWN))

    def lines(self, most: int) -> list[str]:
        """The first entries as an aligned table."""
        from ..report.tables import table
        rows = [(f"{e.t:.9g}", e.item, e.what, *("" if np.isnan(x) else x for x in e[3:])) for e in self[:most]]
        text = table(("t [s]", "item", "what", "value", "impulse", "energy lost [J]"), rows).splitlines() if rows else []
        return text + ([f"  … {len(self) - most} more"] if len(self) > most else [])

    @property
    def t(self) -> np.ndarray:
        """Times [s]."""
        return np.asarray(self.log[:, TIME])

    def of(self, item: str) -> EventTable:
        """Those of one item."""
        numbers = [k for k, told in enumerate(self.told) if told.item == item]
        if not numbers:
            raise ValueError(f"nothing of {item!r} is told in this run{did_you_mean(item, [told.item for told in self.told])}")
        return EventTable(self.log[np.isin(self.log[:, KIND], numbers)], self.told)

    def to_pandas(self) -> Any:
        """A DataFrame of the same columns. Needs the extra ``tables``."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(PANDAS) from None
        return pd.DataFrame(list(self), columns=list(Happened._fields))


def events(sol: Solution) -> EventTable:
    return EventTable(sol.happened, sol.told, sol.omitted)


def thinned(table: EventTable, most: int) -> np.ndarray:
    """Numbers of entries in order of time, at most ``most``: of what happens seldom all, of the rest the first in equal pieces of time."""
    t, kind = table.t, table.log[:, KIND] * APART + np.minimum(table.words, APART - 1)
    if len(t) <= most:
        return np.argsort(t, kind="stable")
    names, number, counts = np.unique(kind, return_inverse=True, return_counts=True)
    kept, left = list[np.ndarray](), most
    for place, k in enumerate(np.argsort(counts, kind="stable")[:most]):
        rows, share = np.flatnonzero(number == k), max(1, left // (min(len(names), most) - place))
        if len(rows) > share:
            piece = np.floor((t[rows] - t[rows].min()) / (np.ptp(t[rows]) or 1.0) * share * (1 - 1e-12))
            rows = rows[np.unique(piece, return_index=True)[1]]
        kept.append(rows)
        left -= len(rows)
    found = np.concatenate(kept)
    return np.asarray(found[np.argsort(t[found], kind="stable")])


# -- files
def told_as_text(told: Sequence[Told]) -> str:
    """What can happen, as JSON."""
    return json.dumps([[one.item, list(one.words), one.numbers] for one in told])


def told_from(text: str) -> tuple[Told, ...]:
    """The other way round; ValueError if that makes no sense."""
    try:
        found = tuple(Told(printable(str(item)), tuple(printable(str(word)) for word in words), str(numbers))
                      for item, words, numbers in json.loads(text))
    except (TypeError, ValueError) as error:
        raise ValueError(f"its table of what can happen cannot be read: {error}") from None
    if not all(one.words and one.numbers in (VALUES, IMPACTS, WORDS) for one in found):
        raise ValueError("its table of what can happen has rows without words, or with unknown numbers")
    return found


def checked(log: np.ndarray, told: Sequence[Told]) -> np.ndarray:
    """A log that was read, if it fits the table of what can happen."""
    if log.ndim != 2 or log.shape[1] != WIDTH:
        raise ValueError(f"its events have the shape {log.shape}, must have four columns")
    kinds, times = log[:, KIND], log[:, TIME]
    if not (np.isin(kinds, np.arange(len(told))).all() and np.isfinite(times).all()):
        raise ValueError("its events name items that it does not know, or have no times")
    return log


class Kept:
    """The log of a run as it grows: what was kept of the run that it goes on with, and what came since."""

    def __init__(self, before: Solution | None) -> None:
        self.total = int(before.memory["events"][0]) if before is not None and "events" in before.memory else 0
        kept = before.happened[:self.total] if before is not None else np.zeros((0, int(WIDTH)))
        self.blocks, self.count, self.base = [kept], len(kept), self.total

    def add(self, log: np.ndarray) -> np.ndarray:
        """The part of it that is kept."""
        self.total += len(log)
        log = log[:max(0, MOST - self.count)]
        if len(log):
            self.blocks.append(log)
            self.count += len(log)
        return log

    @property
    def omitted(self) -> int:
        return self.total - self.count

    def whole(self) -> np.ndarray:
        self.blocks = [np.concatenate(self.blocks)]
        return self.blocks[0]
