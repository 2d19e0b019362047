"""VTK unstructured grids (.vtu) of lines and triangles, readable by ParaView and PyVista: XML with raw data behind it."""
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

KINDS = {2: 3, 3: 5}  # VTK's numbers of lines and triangles
TYPES = {"f": ("Float64", "<f8"), "i": ("Int64", "<i8"), "u": ("UInt8", "u1")}


def write_vtu(path: str | Path, points: np.ndarray, cells: np.ndarray, fields: Mapping[str, np.ndarray]) -> None:
    """Fields are over points: (p), or (p, k)."""
    for name, value in fields.items():
        if len(value) != len(points):
            raise ValueError(f"{name}: {len(value)} values for {len(points)} points")
    if len(cells) and cells.shape[1] not in KINDS:
        raise ValueError(f"cells: {cells.shape[1]} points for each; they must be lines or triangles")
    blocks: list[bytes] = []

    def array(name: str, value: np.ndarray) -> str:
        kind, form = TYPES["f" if value.dtype.kind == "f" else "u" if value.dtype == np.uint8 else "i"]
        data = np.ascontiguousarray(value, form).tobytes()
        offset = sum(len(b) for b in blocks)
        blocks.append(len(data).to_bytes(8, "little") + data)
        width = value.shape[1] if value.ndim == 2 else 1
        return f'<DataArray type="{kind}" Name="{_escaped(name)}" NumberOfComponents="{width}" format="appended" offset="{offset}"/>'

    c = cells.shape[1] if len(cells) else 3
    data = "".join(array(name, np.asarray(value)) for name, value in fields.items())
    place = array("Points", np.asarray(points, float))
    numbers = (array("connectivity", cells.reshape(-1).astype(np.int64)) + array("offsets", c * np.arange(1, len(cells) + 1))
               + array("types", np.full(len(cells), KINDS[c], np.uint8)))
    head = (f'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">'
            f'<UnstructuredGrid><Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}"><PointData>{data}</PointData>'
            f'<Points>{place}</Points><Cells>{numbers}</Cells></Piece></UnstructuredGrid><AppendedData encoding="raw">_')
    Path(path).write_bytes(head.encode() + b"".join(blocks) + b"</AppendedData></VTKFile>\n")


def _escaped(name: str) -> str:
    from xml.sax.saxutils import escape
    return escape(name, {'"': "&quot;"})
