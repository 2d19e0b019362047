"""Sheets of A4 with tables, pictures and sentences, drawn with matplotlib: columns as wide as their texts, as many sheets as it takes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..safe_files.hdf5 import check_target

if TYPE_CHECKING:
    from .report_page import Table

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 40.0  # points
GAP = 14.0  # between columns
SMALL, TITLE, NAME = 8.0, 10.0, 17.0  # sizes of letters
LINE = 1.42  # of the size: from one line to the next
INK, SOFT, RULE = "#1c232b", "#5a6673", "#dfe4ea"
COLORS = {"error": "#c3213b", "warning": "#9a6200"}


class Sheets:
    """Pages in the making; ``y`` is where the next line begins, in points from the top."""

    def __init__(self) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self._figure, self._canvas = Figure, FigureCanvasAgg
        self.pages: list[Any] = []
        self.turn()

    def turn(self) -> None:
        """A further page."""
        self.page = self._figure(figsize=(WIDTH / 72, HEIGHT / 72))
        self._canvas(self.page)
        self.pages.append(self.page)
        self.y = MARGIN

    def room(self, height: float) -> None:
        """A further page unless there is so much room."""
        if self.y + height > HEIGHT - MARGIN and self.y > MARGIN:
            self.turn()

    def text(self, x: float, y: float, words: str, size: float = SMALL, color: str = INK, weight: str = "normal") -> None:
        at = x / WIDTH, 1 - (y + 0.8 * size) / HEIGHT
        self.page.text(*at, words, fontsize=size, color=color, weight=weight, parse_math=False, verticalalignment="baseline")

    def rule(self, x: float, y: float, width: float) -> None:
        from matplotlib.lines import Line2D

        ends = [x / WIDTH, (x + width) / WIDTH], [1 - y / HEIGHT] * 2
        self.page.add_artist(Line2D(*ends, color=RULE, linewidth=0.6, transform=self.page.transFigure))

    def heading(self, x: float, y: float, words: str) -> float:
        self.text(x, y, words, TITLE, weight="bold")
        return y + LINE * TITLE

    def picture(self, data: bytes, x: float, y: float, width: float, height: float) -> None:
        from PIL import Image

        image = Image.open(io.BytesIO(data))
        scale = min(width / image.width, height / image.height)
        box = (x / WIDTH, 1 - (y + scale * image.height) / HEIGHT, scale * image.width / WIDTH, scale * image.height / HEIGHT)
        ax = self.page.add_axes(box)
        ax.imshow(image)
        ax.set_axis_off()


def measured(words: str, size: float = SMALL, weight: str = "normal") -> float:
    """Width of a line in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return float(text_to_path.get_text_width_height_descent(words, FontProperties(size=size, weight=weight), ismath=False)[0])


def wrapped(words: str, width: float, size: float = SMALL) -> list[str]:
    """Lines that fit into a width; words that are longer are broken."""
    lines, line = [], ""
    for word in words.split():
        while measured(word, size) > width and len(word) > 1:
            cut = next(k for k in range(len(word) - 1, 0, -1) if k == 1 or measured(word[:k], size) <= width)
            lines += [line] if line else []
            lines.append(word[:cut])
            line, word = "", word[cut:]
        longer = f"{line} {word}".strip()
        if line and measured(longer, size) > width:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line] if line or not lines else lines


def columns(rows: list[tuple[str, ...]], width: float) -> list[float]:
    """Widths of columns: as their texts are, or where these are too wide, the widest ones less."""
    natural = [max(measured(row[k]) for row in rows) for k in range(len(rows[0]))]
    free = width - GAP * (len(natural) - 1)
    if sum(natural) <= free:
        return natural
    limit = max(natural)
    while sum(min(n, limit) for n in natural) > free:
        limit *= 0.97
    return [min(n, limit) for n in natural]


def put_table(sheets: Sheets, table: Table, x: float, width: float) -> None:
    """At ``y``, row by row, over further pages."""
    rows = ([table.heads] if table.heads else []) + table.rows
    sheets.room(LINE * (TITLE + 3 * SMALL))
    sheets.y = sheets.heading(x, sheets.y, table.title)
    if not rows:
        sheets.text(x, sheets.y, "none", color=SOFT)
        sheets.y += 2 * LINE * SMALL
        return
    widths = columns(rows, width)
    for k, row in enumerate(rows):
        cells = [wrapped(cell, w) for cell, w in zip(row, widths, strict=True)]
        height = LINE * SMALL * max(map(len, cells)) + 3
        sheets.room(height)
        at = x
        for i, (lines, w) in enumerate(zip(cells, widths, strict=True)):
            soft = (k == 0) if table.heads else (i == 0)
            for n, line in enumerate(lines):
                sheets.text(at, sheets.y + 1.5 + n * LINE * SMALL, line, color=SOFT if soft else INK)
            at += w + GAP
        sheets.y += height
        sheets.rule(x, sheets.y, width)
    sheets.y += LINE * SMALL


def write_pdf(name: str, tables: list[Table], findings: list[tuple[str, str, str]], figures: list[tuple[str, bytes]], path: Path) -> None:
    """The report as PDF."""
    from matplotlib.backends.backend_pdf import PdfPages

    with PdfPages(check_target(path)) as file:
        for page in pages(name, tables, findings, figures):
            file.savefig(page)


def pages(name: str, tables: list[Table], findings: list[tuple[str, str, str]], figures: list[tuple[str, bytes]]) -> list[Any]:
    """Run and quality beside each other, figures, the model, and what a check says."""
    sheets, whole = Sheets(), WIDTH - 2 * MARGIN
    half = (whole - 2 * GAP) / 2
    sheets.text(MARGIN, sheets.y, name, NAME, weight="bold")
    sheets.y += 1.7 * NAME
    _beside(sheets, tables[:2], half)
    for k, (caption, data) in enumerate(figures[:2]):
        sheets.picture(data, MARGIN + k * (half + 2 * GAP), sheets.y, half, 150)
        sheets.text(MARGIN + k * (half + 2 * GAP), sheets.y + 152, caption, color=SOFT)
    sheets.y += 170 if figures else 0
    for caption, data in figures[2:]:
        sheets.room(195)
        sheets.picture(data, MARGIN, sheets.y, whole, 175)
        sheets.y += 175
        for line in wrapped(caption, whole):
            sheets.text(MARGIN, sheets.y, line, color=SOFT)
            sheets.y += LINE * SMALL
        sheets.y += SMALL
    rest = list(tables[2:])
    while rest:
        pair = len(rest) > 1 and all(_narrow(table, half) for table in rest[:2])
        _beside(sheets, rest[:2], half) if pair else put_table(sheets, rest[0], MARGIN, whole)
        rest = rest[2 if pair else 1 :]
    sheets.room(4 * LINE * SMALL)
    sheets.y = sheets.heading(MARGIN, sheets.y, "Check")
    for severity, told, remedy in findings:
        _finding(sheets, severity, f"{told} {remedy}".strip(), whole)
    return sheets.pages


def _narrow(table: Table, width: float) -> bool:
    """Whether every text fits into its column."""
    rows = [table.heads, *table.rows] if table.heads else table.rows
    return bool(rows) and sum(max(measured(row[k]) for row in rows) for k in range(len(rows[0]))) + GAP * (len(rows[0]) - 1) <= width


def _beside(sheets: Sheets, tables: list[Table], half: float) -> None:
    """Two tables beside each other, on one sheet."""
    sheets.room(max(LINE * TITLE + (LINE * SMALL + 3) * (1 + len(table.rows)) for table in tables))
    top, ends = sheets.y, []
    for k, table in enumerate(tables):
        sheets.y = top
        put_table(sheets, table, MARGIN + k * (half + 2 * GAP), half)
        ends.append(sheets.y)
    sheets.y = max(ends)


def _finding(sheets: Sheets, severity: str, words: str, whole: float) -> None:
    indent = 44.0
    lines = wrapped(words, whole - indent)
    for k, line in enumerate(lines):
        sheets.room(LINE * SMALL)
        if k == 0:
            sheets.text(MARGIN, sheets.y, severity, color=COLORS.get(severity, SOFT), weight="bold")
        sheets.text(MARGIN + indent, sheets.y, line)
        sheets.y += LINE * SMALL
    sheets.y += 3
