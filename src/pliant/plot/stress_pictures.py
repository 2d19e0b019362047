"""Picture of the stresses of a flexible body: its skin in the colours of the largest von Mises stress, and the stress over time where it is
largest."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..flex.tensors import principal, signed_von_mises
from .colors import COLORS
from .pictures import INK, _figure, _finish

if TYPE_CHECKING:
    from ..results.stresses import BodyStress

SPOTS = 3  # marked


def stress_picture(stress: BodyStress, path: str | Path | None = None, node: int | None = None) -> Any:
    """``node``: the point whose history is drawn (default: the first hot spot)."""
    e, spots = stress.envelope(), stress.hot_spots(SPOTS)
    node = spots[0].node if node is None else node
    history = stress.history(node) / 1e6
    fig, show = _figure((7.5, 6.0), path)
    top, bottom = fig.subplots(2, 1, height_ratios=(1.3, 1))
    x = _seen(stress.recovery.points)
    shown = _colours(top, x, stress.recovery.cells, e.von_mises / 1e6)
    fig.colorbar(shown, ax=top, label="largest von Mises stress [MPa]", shrink=0.8)
    for k, spot in enumerate(spots):
        top.plot(*x[spot.node, :2], "o", markersize=5, markerfacecolor="none", markeredgecolor=INK)
        top.annotate(str(k + 1), x[spot.node, :2], xytext=(4, 4), textcoords="offset points", color=INK, fontsize="small")
    top.set_aspect("equal")
    top.set_axis_off()
    top.set_title(f"{stress.body}, {stress.t[0]:.4g} to {stress.t[-1]:.4g} s", fontsize="medium", loc="left")
    low, high = principal(history)
    for k, (name, values) in enumerate((("von Mises, signed", signed_von_mises(history)), ("largest principal", high),
                                        ("smallest principal", low))):
        bottom.plot(stress.t, values, ("-", "--", ":")[k], color=COLORS[k], linewidth=1.2, label=name)
    at = ", ".join(f"{c:.4g}" for c in stress.recovery.points[node])
    bottom.set(xlabel="t [s]", ylabel=f"stress [MPa] at\n({at}) m")
    bottom.grid(True, color="#e3e3e3", linewidth=0.6)
    bottom.legend(fontsize="small", framealpha=0.85)
    return _finish(fig, path, show)


def _seen(points: np.ndarray) -> np.ndarray:
    """Points with their two longest directions first, and a little of the third in both: the body seen from the front."""
    order = np.argsort(-np.ptp(points, axis=0), kind="stable")
    x, y, z = points[:, order].T
    if np.linalg.det(np.eye(3)[order]) < 0:
        z = -z
    return np.stack((x + 0.25 * z, y + 0.2 * z, z), axis=1)


def _colours(ax: Any, x: np.ndarray, cells: np.ndarray, values: np.ndarray) -> Any:
    """Triangles or lines, those in front last."""
    from matplotlib.collections import LineCollection
    front = np.argsort(x[cells, 2].mean(axis=1), kind="stable")
    cells = cells[front]
    if cells.shape[1] == 3:
        return ax.tripcolor(x[:, 0], x[:, 1], cells, values, shading="gouraud", cmap="turbo")
    drawn = LineCollection(list(x[cells, :2]), array=values[cells].mean(axis=1), cmap="turbo", linewidths=3.0)
    ax.add_collection(drawn)
    ax.autoscale_view()
    return drawn
