"""The viewer in a notebook: the page in a frame, which asks Python for what it needs. Needs the extra ``notebook``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .page import page_for
from .service import Service

HEIGHT = 620  # px


def widget(services: list[Service], height: int = HEIGHT) -> Any:
    """A widget that shows some runs."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError(
            "the viewer in a notebook needs anywidget: pip install pliant[notebook]; or write a page, sol.to_html('run.html')"
        ) from None

    class Viewer(anywidget.AnyWidget):
        _esm = Path(__file__).parent / "widget.js"
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)

        def __init__(self) -> None:
            super().__init__(page=page_for(len(services), "frame"), height=height)
            self.on_msg(self._asked)

        def _asked(self, _: Any, question: dict[str, Any], __: Any) -> None:
            told, data = answer(services, question)
            self.send({"id": question.get("id"), "error": told}, [data] if data else [])

    return Viewer()


def answer(services: list[Service], question: dict[str, Any]) -> tuple[str, bytes]:
    """What is asked, or a message why not."""
    try:
        service = services[int(question["run"])]
        if question["what"] == "rows":
            return "", service.rows(int(question["first"]), int(question["last"]), int(question.get("step", 1)))
        if question["what"] == "channel":
            return "", service.channel(str(question["name"]), int(question.get("step", 0)))
        return "", service.scene()
    except (KeyError, ValueError, IndexError, TypeError, OSError) as error:
        return str(error.args[0]) if error.args else type(error).__name__, b""
