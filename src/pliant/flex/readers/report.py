"""The report of an import: what was read, what was not, units, masses, frequencies, and unit loads on the groups."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..fe import FE
from ..interfaces import join
from ..modes import Modes, hertz
from ..structure import Structure

FREQUENCIES, GROUPS, SOME = 6, 6, 8


class ImportReport(NamedTuple):
    """`print` it, or take ``data``."""
    data: dict[str, Any]
    text: str

    def __str__(self) -> str:
        return self.text


def import_report(fe: FE) -> ImportReport:
    """Of an FE model that was read. Frequencies are of the free part; unit loads are on groups that are faces, balanced by inertia."""
    names = {nodes.tobytes(): name for name, nodes in fe.groups.items()}  # of equal groups the last: programs put theirs first
    joined = [i for name in names.values() if (i := _face(fe, name))][:GROUPS]
    s = Structure(fe, joined)
    values = Modes(Structure(fe, [])).lowest(min(FREQUENCIES, fe.K.shape[0] - 6))[0]
    data = {**fe.facts, "unknowns": fe.K.shape[0], "mass": fe.mass, "size": np.ptp(fe.nodes, axis=0).tolist(),
            "frequencies": hertz(values).tolist()}
    if joined:
        A = s.A.T.toarray()
        u = s.balanced(A)
        own = np.einsum("ij,ij->j", A, u).reshape(-1, 6)[:, :3]
        residual = abs(s.K @ u - (A - s.relief[0] @ (s.relief[1] @ (s.R.T @ A)))).max() / abs(A).max()
        data["unit_loads"] = {i.name: row.tolist() for i, row in zip(joined, own, strict=True)}
        data["unit_load_residual"] = float(residual)
    return ImportReport(data, "\n".join(_lines(data)))


def _face(fe: FE, name: str) -> Any:
    """A group as an averaging interface; None if it cannot hold a rotation, or is the whole part."""
    try:
        found = join(fe, {"group": {"group": name, "coupling": "average"}})[0]
    except ValueError:
        return None
    return None if len(found.nodes) == len(fe.nodes) else found._replace(name=name)


def _lines(data: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{n} {kind}" for kind, n in data["elements"].items())
    size = " x ".join(f"{x:.5g}" for x in data["size"])
    head = f"{data['matrices']}, nodes of {data['file']}" if "matrices" in data else f"{data['file']}: {data['format']}"
    lines = [head, f"read: {data['nodes']} nodes, {counts or 'matrices'}, {data['unknowns']} unknowns",
             data["units"], f"mass {data['mass']:.6g} kg, size {size} m"]
    for name, count in data["groups"].items():
        lines.append(f"  group {name!r}: {count} nodes")
    loose = data["unattached"]
    if loose:
        more = ", …" if len(loose) > SOME else ""
        lines.append(f"unattached: {len(loose)} nodes belong to no element and were left out ({', '.join(map(str, loose[:SOME]))}{more})")
    else:
        lines.append("unattached: no nodes")
    if data["unsupported"]:
        lines.append("not supported, left out: " + ", ".join(f"{n} of {what}" for what, n in data["unsupported"].items()))
    else:
        lines.append("not supported: nothing")
    lines += [f"note: {note}" for note in data["notes"]]
    lines.append("frequencies of the free part [Hz]: " + ", ".join(f"{f:.6g}" for f in data["frequencies"]))
    for name, row in data.get("unit_loads", {}).items():
        lines.append(f"unit load on {name!r}: " + ", ".join(f"{a} {u:.4g}" for a, u in zip("xyz", row, strict=True))
                     + " m/N (free, balanced by inertia)")
    if "unit_load_residual" in data:
        good = "in equilibrium" if data["unit_load_residual"] < 1e-6 else "NOT in equilibrium: the matrices are doubtful"
        lines.append(f"unit loads: {good} within {data['unit_load_residual']:.1g}")
    return lines
