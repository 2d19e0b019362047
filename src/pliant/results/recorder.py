"""What a run has given so far: its rows in memory and in the journal, and the checkpoint from which it can be continued."""
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ..items.errors import SimulationError
from ..methods.integrators.time_loop.run import Run
from ..solution import Quality, Solution
from .events import Kept

if TYPE_CHECKING:
    from ..model import Model
    from ..safe_files.journal import Journal


class RowTable:
    """Rows, energies and report of a run, in arrays as long as they are expected to become. The system gives memory where they are
    written; there is never a second copy of them."""

    def __init__(self, expected: int, *first: np.ndarray) -> None:
        self.arrays = [np.empty((max(expected, len(block)), block.shape[1])) for block in first]
        self.count = 0
        self.add(*first)

    def add(self, *blocks: np.ndarray) -> None:
        end = self.count + len(blocks[0])
        if end > len(self.arrays[0]):  # more than was expected
            self.arrays = [np.concatenate([array[:self.count], np.empty((end - self.count + end // 2, array.shape[1]))])
                           for array in self.arrays]
        for array, block in zip(self.arrays, blocks, strict=True):
            array[self.count:end] = block
        self.count = end

    def so_far(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, energies and report."""
        rows, energies, report = (array[:self.count] for array in self.arrays)
        return rows, energies, report


class RunRecorder:
    """Rows of a run as they come, in memory and in the journal if there is one; and the last checkpoint that belongs to them."""

    def __init__(self, run: Run, start: np.ndarray, journal: Journal | None, before: Solution | None) -> None:
        self.run, self.journal, self.before = run, journal, before
        if before is None:
            rows = start[None, :].copy()
            energies, report = run.dynamics.refine(rows)
        else:
            n = int(before.memory["rows"][0])
            rows, energies, report = before.rows[:n], before.energies[:n], np.zeros((n, 4))
            report[0] = before.memory["worst"]
            run.recall(before.memory)
        self.table, self.base, self.seen = RowTable(len(rows) + run.rows_to_come, rows, energies, report), len(rows), run.checkpoint
        self.worst, self.events = report.max(0), Kept(before)
        self.memory = self._memory()

    def _memory(self) -> dict[str, np.ndarray]:
        rows = np.array([self.base + self.run.checkpoint.rows])
        events = {"events": np.array([self.events.base + self.run.checkpoint.events])} if self.run.dynamics.system.told else {}
        return self.run.checkpoint.memory | {"rows": rows, "worst": self.worst.copy()} | events

    def _take_events(self) -> None:
        """What has happened since, also to the journal."""
        while self.run.happened:
            new = self.events.add(self.run.happened.pop(0))
            if self.journal:
                self.journal.note_events(new, self.events.omitted)

    def begin(self, sol: Solution) -> None:
        """The journal starts with what there is."""
        if self.journal:
            from ..channel_values.observer import catalogue
            from .kept_models import part_images
            from .results_file import describe
            units = {name: unit for name, (unit, _) in catalogue(self.run.dynamics).items()}
            with self._writing():
                before = self.before if self.before and self.before.stored and self.before.stored.file == self.journal.path else None
                self.journal.begin(describe(sol) | {"units": units, "unique_reactions": sol.quality.unique_reactions},
                                   len(before.rows) if before else 0, part_images(sol))
                self.journal.add(*self.table.so_far(), self.run.counts())
                if self.events.count:
                    self.journal.note_events(self.events.whole(), self.events.omitted)
                self._take_events()
                self.journal.mark(self.memory, first=True)

    def add(self, rows: np.ndarray, energies: np.ndarray, report: np.ndarray) -> None:
        with self._writing():
            self.table.add(rows, energies, report)
            self._take_events()
            if len(rows):
                self.worst = np.maximum(self.worst, report.max(0))
                if self.journal:
                    self.journal.add(rows, energies, report, self.run.counts())

    @property
    def last(self) -> np.ndarray:
        """The last row."""
        return np.asarray(self.table.so_far()[0][-1])

    def mark(self) -> None:
        """Note the checkpoint of the run, if it is a new one; all rows up to it are in."""
        if self.run.checkpoint is not self.seen:
            with self._writing():
                self._take_events()
                self.seen, self.memory = self.run.checkpoint, self._memory()
                if self.journal:
                    self.journal.mark(self.memory)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """What is half done would contradict itself: an interrupt waits. A full disk ends the run."""
        from ..safe_files.hdf5 import uninterrupted
        try:
            with uninterrupted():
                yield
        except OSError as error:
            assert self.journal is not None
            why, part = os.strerror(error.errno) if error.errno else str(error), repr(str(self.journal.path))
            safe = f"{self.journal.rows} rows are safe there" if self.journal.safe else "what was there before is still there"
            raise SimulationError.stopped(self.run.t, f"cannot write {part}: {why}", f"But {safe}; "
                                          "make room and resume from it",
                                          "not-written") from error

    def solution(self, model: Model, end: float, complete: bool) -> Solution:
        run = self.run
        rows, energies, report = self.table.so_far()
        position, velocity, acceleration = (float(x) for x in report.max(0)[:3])
        quality = Quality(*run.violations(position, velocity), acceleration, **run.counts())  # type: ignore[arg-type]
        quality.unique_reactions = run.dynamics.unique_reactions
        for new in run.happened:
            self.events.add(new)
        run.happened.clear()
        sol = Solution(model, run.observed, rows, energies, quality, complete=complete, method=run.method, formulation=run.formulation,
                        step=run.step, stride=run.stride, memory=self.memory | run.told(), end=end, accuracy=run.accuracy)
        sol.happened, sol.told, sol.omitted = self.events.whole(), run.dynamics.system.told, self.events.omitted
        return sol
