"""The figure of a path of equilibria: load against displacement."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .pictures import COLORS, INK, _figure, _finish
from .spectra_and_shapes import GRID

if TYPE_CHECKING:
    from ..analyses.equilibrium_path import EquilibriumPath

MARKS = {"limit point": "o", "branch point": "D"}


def path_figure(found: EquilibriumPath, channel: str, path: str | Path | None = None) -> Any:
    """The factor of the loads over a channel, or each component of one: solid where stable, dashed where not, with limit points and
    branch points. Returns the figure, and writes it to ``path``."""
    values = found[channel]
    lines = {channel: values} if values.ndim == 1 else {f"{channel}.{c}": values[:, k] for k, c in enumerate("xyz"[:values.shape[1]])}
    fig, show = _figure((7.0, 4.8), path)
    ax = fig.subplots()
    falls = np.array([stable is False for stable in found.stable])
    for k, (name, x) in enumerate(lines.items()):
        color = COLORS[k % len(COLORS)]
        ax.plot(np.where(falls, np.nan, x), found.factors, color=color, linewidth=1.5, label=name)
        ax.plot(_with_neighbours(x, falls), found.factors, "--", color=color, linewidth=1.1)
        for kind, mark in MARKS.items():
            at = [c.index for c in found.critical if c.kind == kind]
            ax.plot(x[at], found.factors[at], mark, color=color, markersize=5, markerfacecolor="white")
    ax.axhline(0.0, color=INK, linewidth=0.5)
    ax.set_xlabel(f"{channel} [{found.unit(channel)}]")
    ax.set_ylabel("load factor")
    words = [("-", "stable")] * bool((~falls).any()) + [("--", "unstable")] * bool(falls.any())
    for style, text in words if falls.any() else []:
        ax.plot([], [], style, color=INK, label=text)
    for kind in dict.fromkeys(c.kind for c in found.critical):
        ax.plot([], [], MARKS[kind], color=INK, markersize=5, markerfacecolor="white", label=kind)
    ax.legend(fontsize="small", framealpha=0.85)
    ax.grid(True, **GRID)
    ax.set_axisbelow(True)
    ax.set_title(found.model.name, fontsize="medium", loc="left")
    return _finish(fig, path, show)


def _with_neighbours(x: np.ndarray, falls: np.ndarray) -> np.ndarray:
    """Unstable places and those next to them, so that lines meet."""
    wide = falls.copy()
    wide[1:] |= falls[:-1]
    wide[:-1] |= falls[1:]
    return np.where(wide, x, np.nan)
