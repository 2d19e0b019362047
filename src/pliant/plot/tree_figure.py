"""The spanning forest of a model as a figure: bodies from the ground outward, joints that carry them, and those that close loops."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..joint_space.topology import masses_of, spanning_forest

if TYPE_CHECKING:
    from ..joint_space.topology import Topology
    from ..model import Model

LABELLED = 60  # bodies, beyond which names would cover each other
BEND = 0.25    # of arcs
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # behind names


def places(topology: Topology) -> dict[str, tuple[float, float]]:
    """Of bodies: joints from the ground, and a height such that branches do not cross."""
    below: dict[str, list[str]] = {"ground": []}
    for link in topology.links:
        below.setdefault(link.parent, []).append(link.body)
        below.setdefault(link.body, [])
    found: dict[str, tuple[float, float]] = {}
    leaves, stack = 0, [("ground", 0, False)]
    while stack:
        body, depth, ready = stack.pop()
        if ready:
            heights = [found[child][1] for child in below[body]]
            found[body] = float(depth), (heights[0] + heights[-1]) / 2
        elif not below[body]:
            found[body] = float(depth), -float(leaves)
            leaves += 1
        else:
            stack.append((body, depth, True))
            stack += [(child, depth + 1, False) for child in reversed(below[body])]
    return found


def draw_tree(model: Model, path: str | Path) -> Topology:
    """Write the figure (.png, .svg, .pdf), of what `check` can look at and with the joints that the options name cut."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from ..diagnosis.checking import without_blocked
    from ..methods.selection import cut_joints
    dynamics = without_blocked(model)[0].compile()
    cut = [name for name in cut_joints(model.settings) if name in dynamics.directory.joints]
    topology = spanning_forest(dynamics.directory, masses_of(dynamics.system), cut)
    at = places(topology)
    depth, leaves = 1 + max(x for x, _ in at.values()), 1 - min(y for _, y in at.values())
    figure = Figure(figsize=(min(40.0, 2.0 + 1.8 * depth), min(40.0, 1.5 + 0.7 * leaves)), layout="constrained")
    FigureCanvasAgg(figure)
    axes, named = figure.subplots(), len(at) <= LABELLED
    for link in topology.links:
        (x0, y0), (x1, y1) = at[link.parent], at[link.body]
        axes.plot([x0, x1], [y0, y1], color="0.3" if link.joint else "0.8", linewidth=1.2, linestyle="-" if link.joint else ":", zorder=1)
        if named:
            how = f"{link.joint}\n{link.kind}" if link.joint else "floats"
            axes.text((x0 + x1) / 2, (y0 + y1) / 2, how, fontsize=6, ha="center", va="center", color="0.3", bbox=PAPER)
    for a, b in topology.cut.values():
        line = {"arrowstyle": "-", "color": "C3", "linestyle": "--", "connectionstyle": f"arc3,rad={BEND}"}
        axes.annotate("", at[b], at[a], arrowprops=line)
    for body, (x, y) in at.items():
        axes.plot(x, y, "s" if body == "ground" else "o", color="k" if body == "ground" else "C0", markersize=7, zorder=2)
        if named:
            axes.annotate(body, (x, y), (0, -9), textcoords="offset points", fontsize=7, ha="center", va="top")
    loops = f", {len(topology.cut)} joint{'s' * (len(topology.cut) > 1)} closing loops (dashed)" if topology.cut else ", no loops"
    coupled = f"; coupled by {', '.join(topology.coupled)}" if topology.coupled else ""
    axes.set_title(f"{model.name}: {topology.freedom} coordinates{loops}{coupled}", fontsize=9)
    axes.margins(0.08, 0.15)
    axes.axis("off")
    figure.draw_without_rendering()
    for joint, ends in topology.cut.items() if named else ():
        p, q = (axes.transData.transform(at[body]) for body in ends)
        x, y = axes.transData.inverted().transform((p + q) / 2 + BEND / 2 * np.array([q[1] - p[1], p[0] - q[0]]))
        axes.text(x, y, joint, fontsize=6, color="C3", ha="center", va="center", bbox=PAPER)
    figure.savefig(path, dpi=150)
    return topology
