"""A run for ParaView and other readers of VTK: one file of surfaces (.vtp) for every moment, and a collection (.pvd) that lists them."""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from .sources import Source
from .surfaces import Motion, Surface, at, motion, surfaces

FRAMES = 200  # files written unless the user says otherwise
TYPES = {"f": ("Float64", "<f8"), "i": ("Int64", "<i8")}


def write_vtk(source: Source, path: Path, frames: int = FRAMES, deformation: float = 1.0) -> list[Path]:
    """Write RUN.pvd and a folder RUN_vtk beside it; returns the collection and how many files it lists. ``deformation``: as in
    `surfaces.motion`; displacements and stresses are written as they are in the run."""
    parts = surfaces(source)
    moved = motion(source, parts, frames, deformation)
    folder = path.with_name(f"{path.stem}_vtk")
    folder.mkdir(exist_ok=True)
    lines, files = [], []
    for row, t in enumerate(moved.t):
        file = folder / f"{path.stem}_{row:05d}.vtp"
        file.write_text(_poly(parts, moved, row, deformation), encoding="utf-8")
        files.append(file)
        lines.append(f'<DataSet timestep="{float(t)!r}" part="0" file={quoteattr(f"{folder.name}/{file.name}")}/>')
    text = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n<Collection>\n'
    path.write_text(text + "\n".join(lines) + "\n</Collection>\n</VTKFile>\n", encoding="utf-8")
    return [path, *files]


def _poly(parts: list[Surface], moved: Motion, row: int, factor: float = 1.0) -> str:
    """All bodies at one moment; cells know their body, points their displacement by deformation, and stresses where there are some."""
    points, shifts, cells, bodies, stress = [], [], [], [], []
    start = 0
    for k, part in enumerate(parts):
        x, u = at(part, moved, row)
        points.append(x)
        shifts.append(u / (factor or 1.0))
        cells.append(part.cells + start)
        bodies.append(np.full(len(part.cells), k))
        field = next((f for f in part.fields if f.facts["kind"] == "tensor"), None)
        sigma = np.zeros((len(x), 6))
        if field is not None:
            sigma = np.einsum("npi,n->pi", field.modes, moved.modal[part.name][row] / (factor or 1.0))
        stress.append(_von_mises(sigma))
        start += len(x)
    data = [_array("displacement", np.concatenate(shifts))]
    data += [_array("von_mises", np.concatenate(stress))] if any(p.fields for p in parts) else []
    all_cells = np.concatenate(cells)
    return "\n".join(
        [
            '<?xml version="1.0"?>',
            '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
            "<PolyData>",
            f"<FieldData>{_array('TimeValue', np.array([moved.t[row]]))}</FieldData>",
            f'<Piece NumberOfPoints="{start}" NumberOfPolys="{len(all_cells)}">',
            "<PointData>",
            *data,
            "</PointData>",
            "<CellData>",
            _array("body", np.concatenate(bodies)),
            "</CellData>",
            "<Points>",
            _array("Points", np.concatenate(points)),
            "</Points>",
            "<Polys>",
            _array("connectivity", all_cells.ravel()),
            _array("offsets", 3 * np.arange(1, len(all_cells) + 1)),
            "</Polys>",
            "</Piece>",
            "</PolyData>",
            "</VTKFile>",
            "",
        ]
    )


def _array(name: str, values: np.ndarray) -> str:
    kind, dtype = TYPES[values.dtype.kind]
    data = np.ascontiguousarray(values, dtype).tobytes()
    width = values.shape[1] if values.ndim == 2 else 1
    text = base64.b64encode(struct.pack("<Q", len(data)) + data).decode()
    tuples = f' NumberOfTuples="{len(values)}"' if name == "TimeValue" else ""
    return f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}"{tuples} format="binary">{text}</DataArray>'


def _von_mises(s: np.ndarray) -> np.ndarray:
    a = s[:, :3]
    return np.asarray(np.sqrt(((a - np.roll(a, 1, axis=1)) ** 2).sum(1) / 2 + 3 * (s[:, 3:] ** 2).sum(1)))
