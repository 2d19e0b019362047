"""What Python functions of a model raise. Compiled code calls them and cannot pass it on: it goes on with nan."""
from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

MOST = 10  # that are kept
_numbers = count()


class Raised(threading.local):
    """Exceptions, numbered as they came, in each thread a list of its own."""

    def __init__(self) -> None:
        self.errors: list[tuple[int, BaseException]] = []

    def add(self, error: BaseException, where: str = "") -> None:
        """Keep an exception; ``where``: the item and the time, for its message."""
        if len(self.errors) < MOST or isinstance(error, KeyboardInterrupt):
            if where:
                error.raised_in = where  # type: ignore[attr-defined]
                error.add_note(where)
            self.errors.append((next(_numbers), error))


class Failures:
    """Exceptions that functions of one model raised: its ``own``, and those of compiled functions that models share. Runs in
    other threads neither see nor clear them. Who raises one of them takes them all, so that none is left for the next run. An
    interrupt that came while a function ran is no failure of it: it is raised as soon as anybody looks."""

    def __init__(self) -> None:
        self.own = Raised()
        self.sources = [self.own]

    def __bool__(self) -> bool:
        return any(source.errors for source in self.sources)

    def add(self, error: BaseException, where: str = "") -> None:
        self.own.add(error, where)

    def listen(self, source: Raised) -> None:
        """See what a function raises that other models may use too, from now on."""
        source.errors = []
        if source not in self.sources:
            self.sources.append(source)

    def take(self) -> list[BaseException]:
        """All of them, the first one first; none are left."""
        self.look()
        return [error for _, error in sorted(pair for errors in self._empty() for pair in errors)][:MOST]

    def _empty(self) -> list[list[tuple[int, BaseException]]]:
        taken = [source.errors for source in self.sources]
        for source in self.sources:
            source.errors = []
        return taken

    def look(self) -> None:
        """Raise an interrupt, if there is one."""
        interrupts = [error for source in self.sources for _, error in source.errors if isinstance(error, KeyboardInterrupt)]
        if interrupts:
            self._empty()
            raise interrupts[0]

    @contextmanager
    def ignored(self) -> Iterator[None]:
        """What is raised inside is forgotten."""
        before = self._empty()
        try:
            yield
        finally:
            try:
                self.look()
            finally:
                for k, source in enumerate(self.sources):
                    source.errors = before[k] if k < len(before) else []
