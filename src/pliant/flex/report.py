"""The report of a reduced part: what was kept, and how far it agrees with the full mesh."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .load_participation import load_name, percent

if TYPE_CHECKING:
    from .reduced import Reduced

SHOWN = 12      # lines of a table
MISSED = 1e-3   # part of a load that is worth a word


class Report(NamedTuple):
    """`print` it, or take ``data``."""
    data: dict[str, Any]
    text: str

    @staticmethod
    def of(part: Reduced) -> Report:
        i = part.integrals
        data = {**part.facts, "coordinates": part.names, "frequencies": part.frequencies.tolist(), "mass": i.m,
                "centre_of_mass": (i.c0 / i.m).tolist(), "frames": {name: node.u0.tolist() for name, node in part.nodes.items()},
                "loads": {name: {"force": load.force.tolist(), "moment": load.moment.tolist()} for name, load in part.loads.items()}}
        lines = [*_head(part, data), *_kinds(data), *_frequencies(data), *_effective(data), *_loads(data), *_missed(part, data)]
        return Report(data, "\n".join(lines))

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        return self.data


def _head(part: Reduced, data: dict[str, Any]) -> list[str]:
    centre = ", ".join(f"{c:.6g}" for c in data["centre_of_mass"])
    lines = [f"{part.n} elastic coordinates, {part.integrals.m:.6g} kg, centre of mass ({centre}) m"]
    if "nodes" in data:
        lines.append(f"from {data['nodes']} nodes, {data['unknowns']} unknowns ({data['source']}); {data['method']}, {data['frame']} "
                     f"frame; geometric stiffening: {data['stiffening']}")
    for name, at in data["frames"].items():
        joined = "" if name in data.get("interfaces", [name]) else " (not joined)"
        lines.append(f"  {name} at ({', '.join(f'{c:.6g}' for c in at)}) m{joined}")
    for name, load in data["loads"].items():
        force, moment = (", ".join(f"{c:.6g}" for c in load[k]) for k in ("force", "moment"))
        lines.append(f"  load {name!r}: force ({force}) N, moment ({moment}) N m about the origin")
    return lines


def _kinds(data: dict[str, Any]) -> list[str]:
    if "kinds" not in data:
        return []
    counts = ", ".join(f"{n} {kind}" for kind, n in data["kinds"].items())
    dropped = f", {data['removed']['dependent']} dependent" if data["removed"]["dependent"] else ""
    names = data["coordinates"]
    some = ", ".join(names[:4]) + (f", … {names[-1]}" if len(names) > 4 else "")
    return [f"shapes: {counts}; removed: {data['removed']['rigid']} rigid{dropped}; coordinates: {some}"]


def _frequencies(data: dict[str, Any]) -> list[str]:
    lines = []
    for key, what in (("free", "free"), ("held", f"held at {data.get('interfaces', ['?'])[0] if data.get('interfaces') else '?'}")):
        table = data.get(key)
        if not table or not table["full"]:
            continue
        lines += ["", f"frequencies [Hz], {what}:   full mesh      reduced    error"]
        rows = list(zip(table["full"], table["reduced"], table["error"], strict=False))
        for k, (full, reduced, error) in enumerate(rows[:SHOWN]):
            lines.append(f"  {k + 1:3d} {full:25.6g} {reduced:12.6g} {100 * error:7.3f} %")
        if len(rows) > SHOWN:
            worst = int(np.argmax(np.abs(table["error"])))
            lines.append(f"  … {len(rows)} in all, the largest error is {100 * table['error'][worst]:.3f} % of number {worst + 1}")
        if len(table["reduced"]) < len(table["full"]):
            lines.append(f"  {len(table['full']) - len(table['reduced'])} more of the full mesh have no counterpart")
    return lines


def _effective(data: dict[str, Any]) -> list[str]:
    if "effective_mass" not in data:
        return []
    return ["", "effective mass (moved when the first interface is shaken): "
            + ", ".join(f"{a} {100 * x:.2f} %" for a, x in zip("xyz", data["effective_mass"], strict=True))]


def _loads(data: dict[str, Any]) -> list[str]:
    table = data.get("unit_loads")
    if not table or not table["loads"]:
        return []
    worst = int(np.argmax(np.abs(table["error"])))
    how = f"held at {table['held']}" if table["held"] else "free, balanced by inertia"
    text = f"unit loads ({how}): {len(table['loads'])} agree with the full mesh within {percent(abs(table['error'][worst]))}"
    if abs(table["error"][worst]) > 1e-3:
        text += f" (worst: {table['loads'][worst]}); method='craig-bampton' or 'static-correction' is exact for them"
    return ["", text]


def _missed(part: Reduced, data: dict[str, Any]) -> list[str]:
    """Static loads that the shapes represent least [stress-5]."""
    if part.represented is None:
        return []
    found = {load_name(load): part_of for load, part_of in part.represented.missed().items()}
    data["missed"] = found
    worst = [(name, x) for name, x in sorted(found.items(), key=lambda item: -item[1])[:3] if x > MISSED]
    if not worst:
        return [f"loads that the shapes cannot follow: less than {100 * MISSED:g} % of any"]
    return ["loads that the shapes cannot follow: " + ", ".join(f"{percent(x)} of the {name}" for name, x in worst)
            + "; see represented and enrich if such loads act"]
