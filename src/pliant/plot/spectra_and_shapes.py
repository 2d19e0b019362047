"""Further figures: one channel over another, spectra, and shapes of flexible parts; in the style of `pictures`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.eigenspaces import canonical
from .colors import COLORS
from .pictures import LINES, _figure, _finish

if TYPE_CHECKING:
    from ..flex.reduced import Reduced
    from ..solution import Solution

GRID = {"color": "#e3e3e3", "linewidth": 0.6}
SHAPES = 6  # of a part in one figure


def phase(sol: Solution, x: str, y: str | Sequence[str], path: str | Path | None = None) -> Any:
    """Channels over another one, the start marked by a dot. Returns the figure, and writes it to ``path``."""
    over = _lines(sol, [x])
    if len(over) != 1:
        raise ValueError(f"phase: {x!r} has the components {', '.join(over)}; name one of them for the axis")
    name, across = next(iter(over.items()))
    lines = _lines(sol, [y] if isinstance(y, str) else list(y))
    if not lines:
        raise ValueError(f"phase: name at least one channel to plot over {x!r}")
    fig, show = _figure((5.6, 4.8), path)
    ax = fig.subplots()
    for k, (label, values) in enumerate(lines.items()):
        ax.plot(across, values, color=COLORS[k % len(COLORS)], linewidth=1.1, label=label)
        ax.plot(across[0], values[0], "o", color=COLORS[k % len(COLORS)], markersize=5)
    _labelled(
        ax, _with_unit(sol, name), _with_unit(sol, next(iter(lines))) if len(lines) == 1 else f"[{sol.unit(next(iter(lines)))}]", sol.name
    )
    if len(lines) > 1:
        ax.legend(fontsize="small", framealpha=0.85)
    return _finish(fig, path, show)


def spectrum_of(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and amplitudes of a channel: its mean taken off, with a Hann window; the amplitude of a sine is its own.
    Rows at uneven times are interpolated to even ones first."""
    n = len(t)
    if n < 8:
        raise ValueError(f"spectrum: {n} rows, there must be at least 8")
    even = np.linspace(t[0], t[-1], n)
    y = values if np.allclose(t, even, rtol=0, atol=1e-9 * (t[-1] - t[0])) else np.interp(even, t, values)
    window = np.hanning(n)
    amplitudes = 2 * abs(np.fft.rfft((y - y.mean()) * window)) / window.sum()
    return np.fft.rfftfreq(n, (t[-1] - t[0]) / (n - 1)), amplitudes


def spectrum(sol: Solution, channels: str | Sequence[str], path: str | Path | None = None) -> Any:
    """Amplitudes over frequency, one axis per unit. Returns the figure, and writes it to ``path``."""
    lines = _lines(sol, [channels] if isinstance(channels, str) else list(channels))
    if not lines:
        raise ValueError("spectrum: name at least one channel")
    units = list(dict.fromkeys(sol.unit(name) for name in lines))
    fig, show = _figure((7.0, 1.0 + 2.4 * len(units)), path)
    for ax, unit in zip(fig.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0], units, strict=True):
        top = 0.0
        for k, (name, values) in enumerate((n, v) for n, v in lines.items() if sol.unit(n) == unit):
            f, a = spectrum_of(sol.t, values)
            ax.plot(f[1:], a[1:], color=COLORS[k % len(COLORS)], linewidth=1.1, label=name)
            top = max(top, float(a[1:].max()))
        if top > 0:
            ax.set_yscale("log")
            ax.set_ylim(1e-6 * top, 3 * top)
        _labelled(ax, "", f"amplitude [{unit}]" if unit else "amplitude", "")
        ax.legend(fontsize="small", framealpha=0.85)
    fig.axes[-1].set_xlabel("frequency [Hz]")
    fig.axes[0].set_title(sol.name, fontsize="medium", loc="left")
    return _finish(fig, path, show)


def shapes(part: Reduced, path: str | Path | None = None, modes: Sequence[int] | None = None) -> Any:
    """Shapes of a flexible part with its frame held, the lowest first; ``modes``: their numbers from 1 (default: the first six)."""
    if part.skin is None or not part.n:
        raise ValueError("shapes: the part has no skin or no coordinates; parts made from integrals have no picture")
    from scipy.linalg import eigh

    squares, vectors = eigh(part.Kqq, part.integrals.Mqq)
    vectors = canonical(squares, vectors)
    chosen = list(range(1, min(SHAPES, part.n) + 1)) if modes is None else [int(k) for k in modes]
    for k in chosen:
        if not 1 <= k <= part.n:
            raise ValueError(f"shapes: mode {k} must be from 1 to {part.n}")
    across = min(3, len(chosen))
    down = -(-len(chosen) // across)
    fig, show = _figure((3.2 * across, 2.6 * down), path)
    size = float(np.linalg.norm(np.ptp(part.skin.points, axis=0)))
    for i, k in enumerate(chosen):
        u = part.skin.psi @ vectors[:, k - 1]
        _shape(fig.add_subplot(down, across, i + 1, projection="3d"), part, u * 0.12 * size / max(1e-300, float(abs(u).max())))
        fig.axes[-1].set_title(f"{k}: {np.sqrt(max(squares[k - 1], 0.0)) / (2 * np.pi):.4g} Hz", fontsize="small")
    return _finish(fig, path, show)


def _shape(ax: Any, part: Reduced, u: np.ndarray) -> None:
    """The undeformed part in grey and the shape in colour."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    skin = part.skin
    assert skin is not None
    pairs = [(0, 1)] if skin.cells.shape[1] == 2 else [(0, 1), (1, 2), (2, 0)]
    edges = np.unique(np.sort(np.vstack([skin.cells[:, list(p)] for p in pairs]), axis=1), axis=0)
    edges = edges[:: max(1, len(edges) // 4000)]
    amount = np.linalg.norm(u, axis=1)
    moved = skin.points + u
    ax.add_collection3d(Line3DCollection(skin.points[edges], colors="#c9c9c9", linewidths=0.6))
    made = Line3DCollection(moved[edges], cmap="viridis", linewidths=1.4 if len(pairs) == 1 else 0.7)
    made.set_array(amount[edges].mean(1))
    ax.add_collection3d(made)
    middle, half = (moved.max(0) + moved.min(0)) / 2, max(float(np.ptp(moved, axis=0).max()) / 2, 1e-12)
    for axis, m in zip("xyz", middle, strict=True):
        getattr(ax, f"set_{axis}lim")(m - half, m + half)
    ax.set_box_aspect((1, 1, 1), zoom=1.35)
    ax.set_axis_off()


def _lines(sol: Solution, patterns: list[str]) -> dict[str, np.ndarray]:
    lines = {name: values for name, values in sol.table(patterns).items() if name != "t"}
    if len(lines) > LINES:
        raise ValueError(f"{len(lines)} lines are too many to read, at most {LINES}; name fewer channels or components (.x)")
    return lines


def _with_unit(sol: Solution, name: str) -> str:
    unit = sol.unit(name)
    return f"{name} [{unit}]" if unit else name


def _labelled(ax: Any, x: str, y: str, title: str) -> None:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True, **GRID)
    ax.set_axisbelow(True)
    if title:
        ax.set_title(title, fontsize="medium", loc="left")
