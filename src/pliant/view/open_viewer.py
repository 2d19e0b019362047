"""Ways in: runs and models from files or from Python, to the browser or a notebook."""

from __future__ import annotations

import contextlib
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..report.display import in_notebook
from ..safe_files import journal as jn
from .service import Service
from .sources import FileSource, JournalSource, ModelSource, SolutionSource, Source

if TYPE_CHECKING:
    from ..solution import Solution

MODELS = (".yaml", ".yml", ".py")


class Watched(Source):
    """A file that may change its kind: the journal of a run that goes on, then its file of results; or a model that is edited."""

    def __init__(self, path: Path, changes: tuple[str, ...] = ()) -> None:
        self.path, self.changes = path.absolute(), changes
        self.target = Path(str(self.path).removesuffix(".part"))
        self.replaced, self.trouble = 0, ""
        self.inner = self._open()
        self._stamp = self._changed()
        self._mirror()

    def _open(self) -> Source:
        if self.path.suffix.lower() in MODELS:
            from ..text.model_files import load_model

            return ModelSource(load_model(str(self.path), self.changes))
        part = jn.part_of(self.target)
        for file in (self.path, part):
            if file.is_file() and jn.is_journal(file):
                if file == part and self.target.is_file() and not jn.is_written(part):
                    continue
                return JournalSource(file)
        if not self.target.is_file():
            raise FileNotFoundError(f"there is no file {str(self.path)!r}; 'pliant run MODEL -o path' writes results")
        return FileSource(self.target)

    def _mirror(self) -> None:
        """What is told of the source is what is told of the file as it is now."""
        for field in ("name", "model", "complete", "live", "note", "units", "findings"):
            setattr(self, field, getattr(self.inner, field))
        self.version = 1000 * self.replaced + self.inner.version
        self.damage = self.trouble or self.inner.damage

    def _changed(self) -> int:
        """When the model was written last."""
        return self.path.stat().st_mtime_ns if isinstance(self.inner, ModelSource) and self.path.exists() else 0

    def poll(self) -> None:
        try:
            self.inner.poll()
            ended = isinstance(self.inner, JournalSource) and not self.inner.live and not self.inner.path.exists()
            if (now := self._changed()) != self._stamp or (ended and self.target.is_file()):
                self._stamp, self.trouble = now, ""
                self.inner = self._open()
                self.replaced += 1
        except Exception as error:  # the page says so and keeps what it has
            self.trouble = str(error)
        self._mirror()

    def count(self) -> int:
        return self.inner.count()

    def times(self, rows: slice) -> Any:
        return self.inner.times(rows)

    def read(self, names: Any, rows: slice) -> Any:
        return self.inner.read(names, rows)

    def events(self) -> Any:
        return self.inner.events()

    def facts(self) -> list[tuple[str, str]]:
        return self.inner.facts()


def services(paths: list[str], changes: tuple[str, ...] = ()) -> list[Service]:
    """Runs or models from files, ready to be shown."""
    several = len(paths) > 1
    return [Service(Watched(Path(path), changes), Path(path).name if several else "") for path in paths]


def view(sols: list[Solution], *, browser: bool = True, port: int = 0, wait: bool | None = None) -> Any:
    """Show runs: in a notebook as a widget, else in the browser by a server in this process; returns the widget or the server.
    ``wait``: until Ctrl-C; by default a script does, since the server ends with it, and an interactive session does not."""
    several = len(sols) > 1
    made = [Service(SolutionSource(sol), f"{k + 1} {sol.name}" if several else "") for k, sol in enumerate(sols)]
    if in_notebook():
        from .notebook import widget

        return widget(made)
    from .server import Server

    server = Server(made, port)
    if wait is None:
        wait = browser and not hasattr(sys, "ps1") and not sys.flags.interactive
    if browser:
        webbrowser.open(server.url)
    if not wait:
        return server.start()
    print(f"{server.url}  (Ctrl-C ends)", file=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    return server
