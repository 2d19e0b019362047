"""Surfaces from files, for the look of bodies: STL, OBJ and glTF (.gltf with its own buffers, .glb)."""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import quantity, shown
from .base import matrix_of
from .shapes import LARGEST, read_stl

if TYPE_CHECKING:
    from .style import Style

ENDINGS = (".stl", ".obj", ".gltf", ".glb")
COMPONENT = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Surface(NamedTuple):
    """Points [m] (p, 3) and triangles (c, 3)."""
    points: np.ndarray
    cells: np.ndarray

    def same_as(self, other: Any) -> bool:
        """Whether another surface is equal to this one."""
        return isinstance(other, Surface) and all(np.array_equal(a, b) for a, b in zip(self, other, strict=True))


def surface_of(style: Style) -> Surface:
    """The mesh that a style names: kept with it, or in a file."""
    if style.kept is not None:
        return style.kept
    assert style.mesh is not None
    path = Path(style.mesh)
    return _surface(path, path.stat().st_mtime_ns if path.is_file() else 0, style.unit)


@lru_cache(maxsize=16)
def _surface(path: Path, changed: int, unit: str) -> Surface:
    return Surface(*read_mesh(path, unit))


def read_mesh(path: Path, unit: str = "m") -> tuple[np.ndarray, np.ndarray]:
    """Points [m] (p, 3) and triangles (c, 3) of a file."""
    what = shown(str(path))
    if path.suffix.lower() not in ENDINGS:
        raise FieldError("mesh", f"file {what} must end in {', '.join(ENDINGS)}")
    if not path.is_file():
        raise FieldError("mesh", f"file {what} {'is not a file' if path.exists() else 'not found'}")
    if path.stat().st_size > LARGEST:
        raise FieldError("mesh", f"file {what} has {path.stat().st_size / 2**20:.0f} MB, "
                         f"must be at most {LARGEST // 2**20}")
    try:
        if path.suffix.lower() == ".stl":
            corners = read_stl(path).reshape(-1, 3)
            points, which = np.unique(corners, axis=0, return_inverse=True)
            cells = which.reshape(-1, 3)
        elif path.suffix.lower() == ".obj":
            points, cells = _obj(path.read_text(encoding="utf-8", errors="replace"))
        else:
            points, cells = _gltf(path)
    except FieldError:  # it says all
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FieldError("mesh", f"file {what} cannot be read: {error}; export it anew") from None
    if not len(cells) or cells.min() < 0 or cells.max() >= len(points) or not np.isfinite(points).all():
        raise FieldError("mesh", f"file {what} holds no triangles between finite points; export its surface")
    return points * quantity(f"1 {unit}", "m"), cells


def _obj(text: str) -> tuple[np.ndarray, np.ndarray]:
    points: list[list[float]] = []
    cells: list[tuple[int, int, int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words and words[0] == "v":
            if len(words) < 4:
                raise ValueError(f"line {number}: a vertex has three coordinates")
            points.append([float(x) for x in words[1:4]])
        elif words and words[0] == "f":
            at = [int(w.partition("/")[0]) for w in words[1:]]
            at = [k - 1 if k > 0 else len(points) + k for k in at]
            if len(at) < 3:
                raise ValueError(f"line {number}: a face has at least three corners")
            cells += [(at[0], at[k], at[k + 1]) for k in range(1, len(at) - 1)]
    return np.array(points, float).reshape(-1, 3), np.array(cells, np.int64).reshape(-1, 3)


def _gltf(path: Path) -> tuple[np.ndarray, np.ndarray]:
    data = path.read_bytes()
    binary = b""
    if data[:4] == b"glTF":
        length = int.from_bytes(data[12:16], "little")
        document = json.loads(data[20 : 20 + length])
        binary = data[28 + length :]
    else:
        document = json.loads(data)
    buffers = [_buffer(b, binary) for b in document.get("buffers", [])]
    points: list[np.ndarray] = []
    cells: list[np.ndarray] = []

    def visit(number: int, above: np.ndarray, depth: int) -> None:
        node = document["nodes"][number]
        here = above @ _transform(node)
        for p in document["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []:
            if p.get("mode", 4) != 4:
                continue
            x = _accessor(document, buffers, p["attributes"]["POSITION"]).astype(float)
            which = _accessor(document, buffers, p["indices"]).astype(np.int64).ravel() if "indices" in p else np.arange(len(x))
            cells.append(which.reshape(-1, 3) + sum(map(len, points)))
            points.append(x @ here[:3, :3].T + here[:3, 3])
        for child in node.get("children", []) if depth < 50 else []:
            visit(child, here, depth + 1)

    roots = document["scenes"][document.get("scene", 0)]["nodes"] if document.get("scenes") else range(len(document["nodes"]))
    for root in roots:
        visit(root, np.eye(4), 0)
    return np.concatenate(points or [np.zeros((0, 3))]), np.concatenate(cells or [np.zeros((0, 3), np.int64)])


def _buffer(described: dict[str, Any], binary: bytes) -> bytes:
    uri = described.get("uri")
    if uri is None:
        return binary
    if not uri.startswith("data:"):
        raise FieldError("mesh", "its numbers are in another file; export it as .glb, in one piece")
    return base64.b64decode(uri.partition(",")[2])


def _accessor(document: dict[str, Any], buffers: list[bytes], number: int) -> np.ndarray:
    a = document["accessors"][number]
    view = document["bufferViews"][a["bufferView"]]
    dtype, width = np.dtype(COMPONENT[a["componentType"]]), WIDTH[a["type"]]
    start, step = view.get("byteOffset", 0) + a.get("byteOffset", 0), view.get("byteStride") or width * dtype.itemsize
    data = buffers[view["buffer"]]
    if a["count"] <= 0 or start < 0 or start + step * (a["count"] - 1) + width * dtype.itemsize > len(data):
        raise ValueError("its numbers are cut off")
    return np.ndarray((a["count"], width), dtype, data, start, (step, dtype.itemsize))


def _transform(node: dict[str, Any]) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    T = np.eye(4)
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    T[:3, :3] = matrix_of((w, x, y, z)) * np.array(node.get("scale", (1, 1, 1)), float)
    T[:3, 3] = node.get("translation", (0, 0, 0))
    return T
