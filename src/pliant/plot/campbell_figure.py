"""The Campbell diagram: frequencies over the speed of rotation."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .pictures import COLORS, INK, PALE, _figure, _finish
from .spectra_and_shapes import GRID

if TYPE_CHECKING:
    from ..analyses.campbell import Campbell

MARKS = {"forward": "^", "backward": "v"}
GROWS = 1e-6     # damping ratio below minus this: the motion grows


def campbell_figure(found: Campbell, path: str | Path | None = None, orders: Sequence[float] = (1, 2, 3)) -> Any:
    """Branches as lines, triangles up and down where they whirl forward and backward, crosses where they grow, and dashed lines of the
    ``orders`` of rotation. Returns the figure, and writes it to ``path``."""
    fig, show = _figure((7.4, 5.2), path)
    ax, speeds, used = fig.subplots(), found.speeds, set()
    top = float(np.nanmax(found.frequencies, initial=0.0)) or 1.0
    for b, line in enumerate(found.frequencies):
        color = COLORS[b % len(COLORS)]
        ax.plot(speeds, line, color=color, linewidth=1.3, marker="." if speeds.size < 40 else None, markersize=4)
        for whirl, mark in MARKS.items():
            at = [k for k, w in enumerate(found.whirl[b]) if w == whirl]
            used |= {whirl} if at else set()
            ax.plot(speeds[at], line[at], mark, color=color, markersize=5)
        grows = found.damping[b] < -GROWS
        used |= {"grows"} if grows.any() else set()
        ax.plot(speeds[grows], line[grows], "x", color="#c1121f", markersize=7)
    _labels(ax, found, 0.03 * top)
    for order in orders:
        _order(ax, float(speeds.min()), float(speeds.max()), float(order), 1.06 * top)
    ax.set_ylim(0, 1.06 * top)
    ax.set_xlim(speeds.min(), speeds.max() if np.ptp(speeds) else speeds.max() + 1)
    ax.set_xlabel("speed [rad/s]")
    ax.set_ylabel("frequency [Hz]")
    ax.grid(True, **GRID)
    ax.set_axisbelow(True)
    other = ax.secondary_xaxis("top", functions=(lambda x: x * 30 / np.pi, lambda x: x * np.pi / 30))
    other.set_xlabel("[rpm]", fontsize="small")
    words = {"forward": ("^", INK, "whirl forward"), "backward": ("v", INK, "whirl backward"), "grows": ("x", "#c1121f", "grows")}
    for word in (w for w in words if w in used):
        mark, color, text = words[word]
        ax.plot([], [], mark, color=color, label=text, markersize=5)
    if used:
        ax.legend(fontsize="small", framealpha=0.85, loc="upper left")
    ax.set_title(found.model.name, fontsize="medium", loc="left")
    return _finish(fig, path, show)


def _labels(ax: Any, found: Campbell, near: float) -> None:
    """The numbers of the branches at their right ends, those that end together in one."""
    ends: list[tuple[float, float, list[int]]] = []
    for b, line in enumerate(found.frequencies):
        k = int(np.flatnonzero(np.isfinite(line))[-1])
        same = [names for x, y, names in ends if x == found.speeds[k] and abs(y - line[k]) < near]
        if same:
            same[0].append(b)
        else:
            ends.append((float(found.speeds[k]), float(line[k]), [b]))
    for x, y, names in ends:
        ax.annotate(", ".join(map(str, names)), (x, y), xytext=(5, 0), textcoords="offset points", fontsize="small", color=INK, va="center",
                    annotation_clip=False)


def _order(ax: Any, first: float, last: float, order: float, top: float) -> None:
    """Frequency = order x speed / 2 pi, with its name where it leaves the figure."""
    ends = np.array([first, last])
    ax.plot(ends, order * ends / (2 * np.pi), "--", color=PALE, linewidth=0.9, zorder=1)
    x = min(last, 2 * np.pi * top / order) if order > 0 else last
    ax.annotate(f"{order:g}x", (x, order * x / (2 * np.pi)), xytext=(-3, -8), textcoords="offset points", fontsize="small", color=INK,
                ha="right", va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
