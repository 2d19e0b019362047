"""The block diagram of a model: blocks, drives, sensors and variables as boxes, the mechanism as one box or several, and who reads what."""
from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..compile.signal_graph import MECHANICAL, WHOLE, Read, SignalGraph, functions_of
from ..functions.channels import channels
from ..functions.parser import parse
from ..items.declarations import Lag, Latch
from ..items.function_fields import functions
from ..report.json_values import json_value
from .layers import PITCH, Layout, Net, Node, Point

if TYPE_CHECKING:
    from ..items.base import Item
    from ..model import Model

COLOURS = {"mechanism": "#e3e7ec", "acts on the mechanism": "#fbdcc4", "with states": "#d3e4fa", "computed": "#ffffff",
           "sampled": "#e6d8f5", "switches": "#fdf0b5", "not there": "#f8c9c9"}
BOX, LABEL, LINE = 8.0, 6.0, 0.8   # points: names, texts beside them, lines
LONGEST, LINES = 34, 4             # letters of a text, lines of a label
PIXELS, DPI = 16000, 150           # of a side of a picture at most
AHEAD, BACK = "#33475b", "#b3452c"
HEAD = 0.07                        # inches: of arrows


class Box(NamedTuple):
    """``name`` of an item, or of the bodies of a mechanism; ``role``: what its colour tells; ``notes``: kind, period."""
    name: str
    role: str
    notes: tuple[str, ...]


class Arrow(NamedTuple):
    """``target`` reads ``signals`` of ``source``, is set by it, or (of a mechanism) has it act on these joints and bodies."""
    source: str
    target: str
    signals: tuple[str, ...]


class Diagram:
    """``boxes`` by name and ``arrows``; ``save("diagram.svg")``, ``print(diagram)``; notebooks show it."""

    def __init__(self, model: Model) -> None:
        self.model, self.graph = model.name, SignalGraph(model)
        self.boxes: dict[str, Box] = {}
        self.arrows: list[Arrow] = []
        found: dict[tuple[str, str], list[str]] = {}
        shown = self._shown()
        for read in self.graph.reads:
            if read.item in shown and read.owner != "ground":
                for source, signal in self._sources(read):
                    if source != read.item or self._by_itself(read):
                        _add(found, source, read.item, signal)
        for name in shown:
            for body in self.graph.acts.get(name, ()):
                for k in self.graph.parts_of(body):
                    _add(found, name, self._part(k), f"on {self._where(self.graph.items[name], body)}")
        for item in shown.values():
            self.boxes[item.name] = Box(item.name, self._role(item), self._notes(item))
        for name in dict.fromkeys(name for ends in found for name in ends if name not in self.boxes):
            number = next((k for k in range(len(self.graph.parts)) if self._part(k) == name), None)
            self.boxes[name] = Box(name, *(("not there", ()) if number is None else ("mechanism", self._members(number))))
        self.arrows = [Arrow(a, b, tuple(signals)) for (a, b), signals in found.items()]

    # -- what there is
    def _shown(self) -> dict[str, Item]:
        """Items with boxes: blocks, variables and drives, what has signals, uses functions, or is read."""
        owners = {read.owner for read in self.graph.reads if read.item != read.owner}
        return {name: item for name, item in self.graph.items.items() if item.section not in MECHANICAL
                and (item.section != "forces" or name in owners or item.signals() or functions_of(item))}

    def _sources(self, read: Read) -> Iterable[tuple[str, str]]:
        """The boxes that give a signal, and what it is called there."""
        item = self.graph.items.get(read.owner)
        if item is not None and read.owner == read.item and item.spans() and read.reference.rpartition(".")[2] in ("distance", "rate"):
            return [(self._part(k), read.reference) for k in self.graph.acted(read.owner)]
        if read.owner in WHOLE or (item is not None and item.section in MECHANICAL):
            return [(self._part(k), read.reference) for k in self.graph.parts_of(read.owner)]
        if read.sets:
            return [(read.owner, f"sets {read.of}".rstrip())]
        return [(read.owner, read.reference.removeprefix(f"{read.owner}."))]

    def _by_itself(self, read: Read) -> bool:
        """Whether it is the user who lets an item use its own signal; what a block does within is not shown."""
        texts = (channels(parse(text, names, self.graph.names)) for _, text, names in functions(self.graph.items[read.item]))
        return any(read.reference in found for found in texts)

    def _part(self, k: int) -> str:
        """The name of a mechanism."""
        part = self.graph.parts[k]
        alone = len(self.graph.parts) == 1 and "mechanism" not in self.graph.items
        return "mechanism" if alone else part[0] if len(part) == 1 else f"{part[0]} … {part[-1]}"

    def _members(self, k: int) -> tuple[str, ...]:
        part = self.graph.parts[k]
        joints = sum(item.section == "joints" and k in self.graph.parts_of(name) for name, item in self.graph.items.items())
        names = part if len(part) <= 3 else [*part[:2], f"… {len(part) - 2} more"]
        return *(("mechanism",) if self._part(k) != "mechanism" else ()), ", ".join(names), f"{joints} joint{'s' * (joints != 1)}"

    def _where(self, item: Item, body: str) -> str:
        joints = [use.joint for use in item.uses()]
        return joints[0] if joints else body

    def _role(self, item: Item) -> str:
        if item.name in self.graph.acts:
            return "acts on the mechanism"
        if item.name in self.graph.periods:
            return "sampled"
        if list(item.happenings()) or any(isinstance(value, Latch) for value in item.discrete()):
            return "switches"
        return "with states" if list(item.states()) or any(isinstance(v, Lag) for v in item.discrete()) else "computed"

    def _notes(self, item: Item) -> tuple[str, ...]:
        period, late = self.graph.periods.get(item.name), [v.delay for v in item.discrete() if isinstance(v, Lag)]
        ends = any(action is None for happening in item.happenings() for action in happening.do)
        return (item.kind.replace("_", " "), *([f"every {_time(period)}"] if period is not None else ()),
                *(f"{_time(delay)} late" for delay in late), *(["ends the run"] if ends else ()))

    # -- telling
    def __str__(self) -> str:
        lines = [f"  {a.source} -> {a.target}: {', '.join(a.signals)}" for a in self.arrows]
        return "\n".join([f"diagram of {self.model!r}: {len(self.boxes)} boxes, {len(self.arrows)} arrows", *lines])

    def __repr__(self) -> str:
        return f"Diagram({self.model!r}: {len(self.boxes)} boxes, {len(self.arrows)} arrows)"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        made: dict[str, Any] = json_value({"name": self.model, "boxes": [box._asdict() for box in self.boxes.values()],
                                        "arrows": [arrow._asdict() for arrow in self.arrows]})
        return made

    def save(self, path: str | Path) -> None:
        """Write a picture (.svg, .png, .pdf)."""
        from matplotlib import rc_context
        with rc_context({"svg.hashsalt": "pliant"}):
            figure = drawn(self)
            dpi = min(DPI, PIXELS / max(figure.get_size_inches()))
            figure.savefig(path, dpi=dpi, **({"metadata": {"Date": None}} if Path(path).suffix == ".svg" else {}))

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        figure = drawn(self)
        figure.savefig(file, format="png", dpi=min(100, PIXELS / max(figure.get_size_inches())))
        return file.getvalue()


def diagram(model: Model, path: str | Path | None = None) -> Diagram:
    """Who reads what in a model, written as a picture if ``path`` is given (.svg, .png, .pdf)."""
    if path is not None and Path(path).suffix.lower() not in (".svg", ".png", ".pdf"):
        raise ValueError(f"diagram: {str(path)!r} must end in .svg, .png or .pdf")
    made = Diagram(model)
    if path is not None:
        made.save(path)
    return made


def _add(found: dict[tuple[str, str], list[str]], source: str, target: str, signal: str) -> None:
    signals = found.setdefault((source, target), [])
    if signal not in signals:
        signals.append(signal)


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST - 1]}…"


def _label(signals: tuple[str, ...]) -> list[str]:
    """Lines beside an arrow."""
    lines = [_short(signal) for signal in signals]
    return lines if len(lines) <= LINES else [*lines[:LINES - 1], f"… {len(lines) - LINES + 1} more"]


class _Texts:
    """Widths of texts, in inches."""

    def __init__(self) -> None:
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import text_to_path
        self.measure, self.font = text_to_path.get_text_width_height_descent, FontProperties

    def width(self, lines: Iterable[str], size: float) -> float:
        font = self.font(size=size)
        return max((self.measure(line, font, False)[0] / 72 for line in lines), default=0.0)


def drawn(d: Diagram) -> Any:
    """As a figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    texts, grouped = _Texts(), dict[tuple[str, tuple[str, ...]], list[str]]()
    for arrow in d.arrows:
        if arrow.source != arrow.target:
            grouped.setdefault((arrow.source, arrow.signals), []).append(arrow.target)
    nets = [Net(source, targets, texts.width(_label(signals), LABEL) + 0.06, PITCH / 2 + len(_label(signals)) * 1.25 * LABEL / 72)
            for (source, signals), targets in grouped.items()]
    own = {a.source: a.signals for a in d.arrows if a.source == a.target}
    sizes = {name: (max(texts.width([_short(name)], BOX) * 1.1, texts.width([_short(n) for n in box.notes], LABEL)) + 0.2,
                    (1.35 * BOX + len(box.notes) * 1.25 * LABEL) / 72 + 0.12) for name, box in d.boxes.items()}
    layout = Layout(sizes, nets, [name for name, box in d.boxes.items() if box.role == "mechanism"])
    (x0, y0), (x1, y1) = layout.corners
    roles = list(dict.fromkeys(box.role for box in d.boxes.values()))
    margin, top, foot = 0.15, 0.35, 0.3
    told = 1.1 * texts.width([_short(d.model)], BOX + 1), sum(texts.width([role], LABEL) + 0.35 for role in roles)
    width = max(x1 - x0, *told) + 2 * margin
    height = y1 - y0 + top + foot
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(x0 - margin, x0 - margin + width), ylim=(y0 - foot, y0 - foot + height))
    axes.axis("off")
    axes.text(x0, y1 + top - 0.12, _short(d.model), fontsize=BOX + 1, va="top", parse_math=False, fontweight="bold")
    lines = {AHEAD: _Lines(), BACK: _Lines()}
    for k, ((_, signals), net) in enumerate(zip(grouped, nets, strict=True)):
        colour = BACK if len(net.back) == len(net.targets) else AHEAD
        lines[colour].add(net)
        x, y = layout.sides(net.source)[1], layout.node[net.source].exits[k]
        axes.text(x + 0.04, y + 0.015, "\n".join(_label(signals)), fontsize=LABEL, va="bottom", color=colour, parse_math=False,
                  linespacing=1.15, zorder=3)
    for name, box in d.boxes.items():
        _draw_box(axes, layout, box, layout.node[name])
        if name in own:
            _draw_loop(axes, lines[BACK], layout, name, ", ".join(_label(own[name])))
    for colour, found in lines.items():
        found.draw(axes, colour)
    x = x0
    for role in roles:
        axes.add_patch(_patch(x, y0 - foot + 0.1, 0.14, 0.1, COLOURS[role]))
        axes.text(x + 0.18, y0 - foot + 0.15, role, fontsize=LABEL, va="center", parse_math=False)
        x += texts.width([role], LABEL) + 0.35
    return figure


def _patch(x: float, y: float, width: float, height: float, colour: str) -> Any:
    from matplotlib.patches import FancyBboxPatch
    return FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.04", facecolor=colour, edgecolor=AHEAD,
                          linewidth=LINE, zorder=2)


def _draw_box(axes: Any, layout: Layout, box: Box, node: Node) -> None:
    left, right = layout.sides(box.name)
    axes.add_patch(_patch(left, node.y - node.height / 2, right - left, node.height, COLOURS[box.role]))
    text = 1.35 * BOX + len(box.notes) * 1.25 * LABEL
    y = node.y + text / 144
    middle = (left + right) / 2
    axes.text(middle, y - 0.65 * BOX / 72, _short(box.name), fontsize=BOX, ha="center", va="center", fontweight="bold", parse_math=False,
              zorder=3)
    for k, note in enumerate(box.notes):
        axes.text(middle, y - (1.35 * BOX + (k + 0.6) * 1.25 * LABEL) / 72, _short(note), fontsize=LABEL, ha="center", va="center",
                  color="0.3", parse_math=False, zorder=3)


def _draw_loop(axes: Any, lines: _Lines, layout: Layout, name: str, label: str) -> None:
    """Of a block that uses itself: over its box."""
    node, (left, right), out = layout.node[name], layout.sides(name), 0.07
    top = node.y + node.height / 2
    up, down = top + 0.06, top - 0.06
    lines.arrow([(right, down), (right + out, down), (right + out, up), (left - out, up), (left - out, down), (left, down)])
    axes.text(right + out + 0.02, top + 0.02, label, fontsize=LABEL, color=BACK, va="bottom", parse_math=False)


class _Lines:
    """Of one colour, drawn together."""

    def __init__(self) -> None:
        self.pieces: list[list[Point]] = []
        self.heads: list[list[Point]] = []
        self.dots: list[Point] = []

    def add(self, net: Net) -> None:
        self.pieces += net.pieces
        self.dots += net.dots
        for points in net.ends:
            self.arrow(points)

    def arrow(self, points: list[Point]) -> None:
        """With a head at the end, which is always to the right."""
        x, y = points[-1]
        self.pieces.append([*points[:-1], (x - HEAD / 2, y)])
        self.heads.append([(x, y), (x - HEAD, y + HEAD / 3), (x - HEAD, y - HEAD / 3)])

    def draw(self, axes: Any, colour: str) -> None:
        from matplotlib.collections import LineCollection, PolyCollection
        axes.add_collection(LineCollection(self.pieces, colors=colour, linewidths=LINE, capstyle="round", zorder=1), autolim=False)
        axes.add_collection(PolyCollection(self.heads, facecolors=colour, edgecolors="none", zorder=1), autolim=False)
        axes.plot([x for x, _ in self.dots], [y for _, y in self.dots], "o", markersize=2.2, color=colour, zorder=1)
