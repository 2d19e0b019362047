"""Reports, figures and films as a notebook shows them. All texts are escaped; nothing here needs IPython."""
from __future__ import annotations

import base64
import html
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .tables import cell

MOST = 60  # rows of a table
LEFT, RIGHT = "text-align:left;padding:2px 14px 2px 0;vertical-align:top", "text-align:right;padding:2px 14px"
SOFT = "color:#5a6673;font-weight:500"
COLORS = {"error": "#c3213b", "warning": "#9a6200", "note": "#3c6ea8"}


def in_notebook() -> bool:
    """Whether Python runs behind a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


class Text(str):
    """A report as text, which a notebook shows as text and not as a Python string."""

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.35">{html.escape(self)}</pre>'

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


class Film:
    """An animation as the bytes of a .gif: a notebook shows it below the cell, `save` writes it."""

    def __init__(self, data: bytes, title: str) -> None:
        self.data, self.title = data, title

    def __repr__(self) -> str:
        return f"Film({self.title!r}: {len(self.data) / 1024:.0f} kB; save(path) writes it as .gif)"

    def save(self, path: str | Path) -> Path:
        """Write the .gif."""
        from ..safe_files.hdf5 import check_target
        if Path(path).suffix.lower() != ".gif":
            raise ValueError(f"film {str(path)!r}: its name must end in .gif; sol.animate(path) writes .mp4 as well")
        target = check_target(path)
        target.write_bytes(self.data)
        return target

    def _repr_html_(self) -> str:
        return f'<img alt="{html.escape(self.title, quote=True)}" src="data:image/gif;base64,{base64.b64encode(self.data).decode()}">'


def page(title: str, *parts: str) -> str:
    """A report: its title and tables."""
    return f'<div class="pliant"><p style="margin:4px 0"><b>{html.escape(title)}</b></p>{"".join(parts)}</div>'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Labels and values."""
    rows = "".join(f'<tr><th style="{LEFT};{SOFT}">{html.escape(str(k))}</th><td style="{LEFT}">{html.escape(str(v))}</td></tr>'
                   for k, v in pairs)
    return f"<table>{rows}</table>"


def html_table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table; of long ones the first rows."""
    data = list(rows)
    top = "".join(f'<th style="{LEFT};{SOFT}">{html.escape(h)}</th>' for h in head)
    body = "".join(f"<tr>{''.join(_entry(x) for x in row)}</tr>" for row in data[:MOST])
    more = f'<p style="color:#5a6673">and {len(data) - MOST} more rows</p>' if len(data) > MOST else ""
    name = f'<caption style="text-align:left;color:#5a6673">{html.escape(caption)}</caption>' if caption else ""
    return f"<table>{name}<tr>{top}</tr>{body}</table>{more}"


def _entry(x: Any) -> str:
    number = isinstance(x, (int, float)) and not isinstance(x, bool)
    return f'<td style="{RIGHT if number else LEFT}">{html.escape(cell(x))}</td>'


def finding(severity: str, head: str, message: str, remedy: str) -> str:
    """What a check says of something."""
    e = html.escape
    return (f'<p style="margin:4px 0;padding-left:8px;border-left:3px solid {COLORS.get(severity, "#3c6ea8")}">'
            f'<b>{e(severity)}</b> {e(head)}<br>{e(message)}<br><span style="color:#5a6673">{e(remedy)}</span></p>')
