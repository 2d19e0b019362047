"""The display of progress on stderr."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

QUIET, FIRST, EVERY = 1.0, 10.0, 10.0  # s: no display before QUIET; plain lines from FIRST on, EVERY so often
REFRESH = 0.1                          # s between two pictures of the bar


def working_on(what: str) -> None:
    """One line on stderr, for work that takes minutes; nothing where nobody looks on."""
    if sys.stderr.isatty() and not os.environ.get("PLIANT_QUIET"):
        print(what, file=sys.stderr, flush=True)


def progress_display() -> Callable[[float, float], None]:
    """A display on stderr, to be called with (t, t_end): a bar on a terminal, else a line every 10 s; runs below 1 s show
    nothing. A time that goes back begins a further pass (the same run with half the step)."""
    return Progress()


class Progress:
    """See `progress_display`; ``close`` removes the bar. ``what`` stands in place of the time, for other work."""

    def __init__(self, what: str = "") -> None:
        self.what = what
        self.clock = self.began = self.shown = self.base = 0.0  # times of the first call, of this pass, of the last display
        self.last, self.turn = np.inf, 0
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.bar: Any = None

    def __call__(self, t: float, t_end: float) -> None:
        now = time.perf_counter()
        done = t / t_end if t_end > 0 else 1.0
        if t < self.last:  # the first call, or a further pass
            self.turn, self.began, self.base = self.turn + 1, now, done
            self.clock = self.clock or now
            self.close()
        self.last = t
        if self.terminal:
            if now - self.clock > QUIET and now - self.shown > REFRESH:
                self._draw(done, t, t_end, now)
                self.shown = now
            if done >= 1 - 1e-12:
                self.close()
        elif now - self.clock > FIRST and now - self.shown > EVERY:
            self.shown = now
            sys.stderr.write(f"{self._text(done, t, t_end, now)}\n")
            sys.stderr.flush()

    def _text(self, done: float, t: float, t_end: float, now: float) -> str:
        left = (now - self.began) * (1 - done) / (done - self.base) if done > self.base else np.nan
        turn = f"pass {self.turn}, " if self.turn > 1 else ""
        return f"{turn}{self.what or f't = {t:.4g} of {t_end:.4g} s'}, {100 * done:.0f} %, {_duration(left)} left"

    def _draw(self, done: float, t: float, t_end: float, now: float) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar
            console = Console(stderr=True)
            self.bar = Bar(BarColumn(), TextColumn("{task.description}"), console=console, auto_refresh=False, transient=True,
                           redirect_stdout=False, redirect_stderr=False)
            self.bar.add_task("", total=1.0)
            self.bar.start()
            console.show_cursor(True)  # a run that fails leaves the terminal as it was
        self.bar.update(0, completed=done, description=self._text(done, t, t_end, now))
        self.bar.refresh()

    def writing(self, what: str) -> Progress:
        """A further display, of a file that is written."""
        self.close()
        return Progress(what)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


def display_of(value: Any, what: str) -> Callable[[float, float], None]:
    """The display that an analysis was asked for: a function of its own, a bar (True), or none."""
    if callable(value):
        shown: Callable[[float, float], None] = value
        return shown
    return Progress(what) if value and not os.environ.get("PLIANT_QUIET") else lambda done, all_: None


def _duration(seconds: float) -> str:
    if not np.isfinite(seconds):
        return "unknown time"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
