"""A run as one .glb file: bodies are animated nodes, modes of flexible bodies are morph targets whose weights are the modal coordinates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from .sources import Source
from .surfaces import Motion, Surface, motion, surfaces

FRAMES = 600  # moments kept unless the user says otherwise
FLOAT, UINT = 5126, 5125


class _Builder:
    """Buffers and accessors of a document."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.document: dict[str, Any] = {"asset": {"version": "2.0", "generator": "pliant"}, "scene": 0, "bufferViews": [], "accessors": []}

    def put(self, values: np.ndarray, kind: str, target: int | None = None, *, bounds: bool = False) -> int:
        integer = values.dtype.kind in "iu"
        array = np.ascontiguousarray(values, "<u4" if integer else "<f4")
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        view |= {"target": target} if target else {}
        self.data += array.tobytes()
        made: dict[str, Any] = {
            "bufferView": len(self.document["bufferViews"]),
            "componentType": UINT if integer else FLOAT,
            "count": array.size if kind == "SCALAR" else len(array),
            "type": kind,
        }
        if bounds:
            flat = array.reshape(made["count"], -1)
            made |= {"min": flat.min(0).tolist(), "max": flat.max(0).tolist()}
        self.document["bufferViews"].append(view)
        self.document["accessors"].append(made)
        return len(self.document["accessors"]) - 1

    def bytes(self) -> bytes:
        self.document["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps(self.document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + bytes(-len(self.data) % 4)
        head = b"glTF" + (2).to_bytes(4, "little") + (28 + len(text) + len(data)).to_bytes(4, "little")
        return head + len(text).to_bytes(4, "little") + b"JSON" + text + len(data).to_bytes(4, "little") + b"BIN\0" + data


def write_gltf(source: Source, path: Path, frames: int = FRAMES, deformation: float = 1.0) -> None:
    """Write the run; z or another axis up is turned to y, as the format has it. ``deformation``: as in `surfaces.motion`."""
    parts = [p for p in surfaces(source) if len(p.cells)]
    moved = motion(source, parts, frames, deformation)
    b = _Builder()
    doc = b.document
    doc["materials"] = [
        {
            "name": p.name,
            "doubleSided": False,
            "pbrMetallicRoughness": {"baseColorFactor": _linear(p.color), "metallicFactor": 0.1, "roughnessFactor": 0.6},
        }
        for p in parts
    ]
    doc["meshes"] = [_mesh(b, p, k) for k, p in enumerate(parts)]
    doc["nodes"] = [
        {
            "name": p.name,
            "mesh": k,
            "translation": moved.position[p.name][0].tolist(),
            "rotation": np.roll(moved.rotation[p.name][0], -1).tolist(),
        }
        for k, p in enumerate(parts)
    ]
    gravity = np.array(source.model.gravity) if source.model else np.zeros(3)
    root: dict[str, Any] = {"name": source.name, "children": list(range(len(parts)))}
    if abs(gravity[2]) > 0.5 * np.linalg.norm(gravity) > 0:
        root["rotation"] = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
    doc["nodes"].append(root)
    doc["scenes"] = [{"name": source.name, "nodes": [len(parts)]}]
    if len(moved.t) > 1:
        doc["animations"] = [_animation(b, parts, moved, source.name)]
    path.write_bytes(b.bytes())


def _mesh(b: _Builder, part: Surface, number: int) -> dict[str, Any]:
    """Corners are not shared between triangles, so that edges are sharp; morph targets move points and normals."""
    corners = part.points[part.cells].reshape(-1, 3)
    normals = _normals(corners)
    primitive: dict[str, Any] = {
        "attributes": {"POSITION": b.put(corners, "VEC3", 34962, bounds=True), "NORMAL": b.put(normals, "VEC3", 34962)},
        "material": number,
    }
    mesh: dict[str, Any] = {"name": part.name, "primitives": [primitive]}
    if part.psi is not None and part.psi.shape[2]:
        shapes = part.psi[part.cells].reshape(-1, 3, part.psi.shape[2])
        primitive["targets"] = [{"POSITION": b.put(shapes[:, :, k], "VEC3", 34962, bounds=True)} for k in range(shapes.shape[2])]
        mesh["weights"] = [0.0] * shapes.shape[2]
    return mesh


def _normals(corners: np.ndarray) -> np.ndarray:
    a, c, d = (corners[k::3] for k in range(3))
    n = np.cross(c - a, d - a)
    return np.repeat(n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300), 3, axis=0)


def _animation(b: _Builder, parts: list[Surface], moved: Motion, name: str) -> dict[str, Any]:
    t = b.put((moved.t - moved.t[0])[:, None], "SCALAR", bounds=True)
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for k, part in enumerate(parts):
        tracks = [("translation", moved.position[part.name], "VEC3"), ("rotation", np.roll(moved.rotation[part.name], -1, axis=1), "VEC4")]
        if part.name in moved.modal and moved.modal[part.name].shape[1]:
            tracks.append(("weights", moved.modal[part.name].reshape(-1, 1), "SCALAR"))
        for path, values, kind in tracks:
            channels.append({"sampler": len(samplers), "target": {"node": k, "path": path}})
            samplers.append({"input": t, "output": b.put(values, kind), "interpolation": "LINEAR"})
    return {"name": name, "channels": channels, "samplers": samplers}


def _linear(color: str) -> list[float]:
    c = (
        np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        if len(color) == 7
        else np.array([int(x * 2, 16) for x in color[1:4]]) / 255
    )
    return [*np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).round(5).tolist(), 1.0]
