"""What Python functions of a model raise. Compiled code calls them and cannot pass it on: it goes on with nan."""
from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 10  # that are kept


class Failures(threading.local):
    """Exceptions that functions of one model raised, in each thread a list of its own: runs in other threads neither
    see nor clear it. Who raises one of them takes them all, so that none is left for the next run."""

    def __init__(self) -> None:
        self.raised: list[BaseException] = []

    def __bool__(self) -> bool:
        return bool(self.raised)

    def add(self, error: BaseException, where: str = "") -> None:
        """Keep an exception; ``where``: the item and the time, for its message."""
        if len(self.raised) < MOST:
            if where:
                error.raised_in = where  # type: ignore[attr-defined]
                error.add_note(where)
            self.raised.append(error)

    def take(self) -> list[BaseException]:
        """All of them, the first one first; none are left."""
        taken, self.raised = self.raised, []
        return taken

    @contextmanager
    def ignored(self) -> Iterator[None]:
        """What is raised inside is forgotten."""
        before = self.take()
        try:
            yield
        finally:
            self.raised = before
