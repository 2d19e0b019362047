"""What the page asks for, as packages: the scene with an overview of the motion, rows in full, channels, and what is new."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from .describe import Description
from .event_marks import marks
from .packing import pack
from .sources import Source

OVERVIEW = 4 * 2**20  # bytes of motion sent at once
CHEAP = 400 * 2**20  # bytes that may be read from a file for it; of larger ones only some rows are looked at
ANSWER = 64 * 2**20  # bytes of one answer
POINTS = 200_000  # rows of a channel sent at once; of longer ones the extremes of equal pieces


class Service:
    """One run, for one page or several. A lock keeps the answers apart: HDF5 and compiled models are not for several threads."""

    def __init__(self, source: Source, label: str = "") -> None:
        self.source, self.label = source, label
        self.lock = threading.RLock()
        self._described: tuple[int, Description] | None = None
        self.ready: tuple[int, bytes] | None = None

    @property
    def description(self) -> Description:
        if self._described is None or self._described[0] != self.source.version:
            self._described = self.source.version, Description(self.source)
        return self._described[1]

    def overview(self) -> slice:
        """Rows that are sent at once: all, or every so many."""
        n, width = self.source.count(), max(1, self.description.width)
        stride = max(1, -(-n * width * 4 // OVERVIEW))
        if stride > 1 and n * width * 8 > CHEAP:
            stride = max(stride, -(-n // max(16, 200_000 // width)))
        return slice(0, n, stride)

    def prepare(self) -> None:
        """Make the first answer before it is asked for; trouble is told when it is."""

        def ahead() -> None:
            try:
                self.ready = self.source.version, self.scene()
            except Exception:
                self.ready = None

        with self.lock:
            thread = threading.Thread(target=ahead, daemon=True)
            thread.start()

    def scene(self, *, shuffled: bool = False, extra: dict[str, np.ndarray] | None = None) -> bytes:
        with self.lock:
            if self.ready is not None and self.ready[0] == self.source.version and not self.source.live and not shuffled:
                return self.ready[1]
            d, rows, (told, marked) = self.description, self.overview(), marks(self.source.events())
            header = d.header | {"rows": self.source.count(), "stride": rows.step, "label": self.label, "live": self.source.live}
            return pack(header | {"events": told}, d.arrays | self._whole(rows) | marked | (extra or {}), shuffled=shuffled)

    def events(self) -> bytes:
        """What happened so far, of a run that goes on."""
        with self.lock:
            return pack(*marks(self.source.events()))

    def _whole(self, rows: slice) -> dict[str, np.ndarray]:
        """Motion over rows of the run, and its last row, which is the end of the time."""
        found, n = self._motion(rows), self.source.count()
        if n and (n - 1) % rows.step:
            last = self._motion(slice(n - 1, n))
            found = {name: np.concatenate([values, last[name]], axis=-1) for name, values in found.items()}
        return found

    def rows(self, first: int, last: int, step: int = 1) -> bytes:
        """Every ``step``-th row from first to before last; ValueError if there are none such, or more than one answer holds."""
        with self.lock:
            n = self.source.count()
            if not 0 <= first < last <= n:
                raise ValueError(f"rows {first} to {last} are not among the {n} of the run")
            if not 1 <= step <= n:
                raise ValueError(f"step = {step}, must be from 1 to {n}, the rows of the run")
            if -(-(last - first) // step) * (self.description.width * 4 + 8) > ANSWER:
                raise ValueError(f"rows {first} to {last} are more than one answer holds; ask for fewer")
            return pack({"first": first, "stride": step, "total": n}, self._motion(slice(first, last, step)))

    def _motion(self, rows: slice) -> dict[str, np.ndarray]:
        return {"t": np.asarray(self.source.times(rows), np.float64), "motion": self.description.motion(rows)}

    def channel(self, name: str, step: int = 0) -> bytes:
        with self.lock:
            return pack({"name": name, "unit": self.source.units.get(name, "")}, self.values(name, step))

    def values(self, name: str, step: int = 0) -> dict[str, np.ndarray]:
        """A channel over time, column by column; KeyError if there is none of that name. ``step``: every so many rows, in place of the
        extremes of a long one."""
        n = self.source.count()
        if name not in self.source.units:
            from ..items.base import did_you_mean

            raise KeyError(f"no channel {name!r}{did_you_mean(name, self.source.units)}")
        if step < 0:
            raise ValueError(f"step = {step}, must be at least 1, or 0 for the extremes of a long channel")
        if n <= POINTS or step:
            rows = slice(0, n, max(1, step, -(-n // (10 * POINTS))))
            whole = self.source.read([name], rows)[name]
            return {"t": np.asarray(self.source.times(rows), np.float64), "values": np.asarray(whole.T, np.float64)}
        return self._extremes(name, n)

    def _extremes(self, name: str, n: int) -> dict[str, np.ndarray]:
        """Of a long channel: lowest and highest of equal pieces, so that no peak is lost."""
        step = -(-2 * n // POINTS)
        times, values = [], []
        block = max(1, 500_000 // step) * step
        for first in range(0, n, block):
            rows = slice(first, min(n, first + block))
            y, t = self.source.read([name], rows)[name], self.source.times(rows)
            y = y.reshape(len(t), -1)
            for k in range(0, len(t), step):
                piece = y[k : k + step]
                times += [t[k], t[min(len(t) - 1, k + step // 2)]]
                values += [piece.min(0), piece.max(0)]
        wide = np.array(values).T
        return {"t": np.array(times), "values": wide[0] if len(wide) == 1 else wide}

    def status(self) -> dict[str, Any]:
        with self.lock:
            self.source.poll()
            s = self.source
            return {"rows": s.count(), "live": s.live, "version": s.version, "message": s.damage}
