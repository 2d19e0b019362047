"""One package of data for the page: a JSON header and little-endian arrays. Layout: docs/viewer.md

    b"PLV1", length of the header (uint32), the header, then the arrays, each at a multiple of eight bytes.

``header["arrays"]`` lists them: name, dtype, shape, first byte (counted from the end of the header, rounded up to eight), and whether
their bytes are shuffled: first all first bytes of the numbers, then all second ones, and so on, which packs far better.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import Any

import numpy as np

from ..report.json_values import json_value

MAGIC = b"PLV1"
DTYPES = {"float32": "<f4", "float64": "<f8", "uint32": "<u4"}


def pack(header: dict[str, Any], arrays: dict[str, np.ndarray], *, shuffled: bool = False) -> bytes:
    """The package as bytes. Arrays are float32, float64 or uint32."""
    listed, pieces, start = [], [], 0
    for name, array in arrays.items():
        kind = array.dtype.name
        data = np.ascontiguousarray(array, DTYPES[kind])
        body = shuffle(data) if shuffled else data.tobytes()
        listed.append({"name": name, "dtype": kind, "shape": list(array.shape), "start": start, "shuffled": shuffled})
        pieces += [body, bytes(-len(body) % 8)]
        start += len(body) + -len(body) % 8
    head = json.dumps(plain(header | {"arrays": listed}), allow_nan=False, separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 8) % 8)
    return b"".join([MAGIC, len(head).to_bytes(4, "little"), head, *pieces])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What `pack` was given."""
    if data[:4] != MAGIC:
        raise ValueError("this is not a package of the viewer")
    first = 8 + int.from_bytes(data[4:8], "little")
    header = json.loads(data[8:first])
    arrays = {}
    for a in header.pop("arrays"):
        dtype, count = np.dtype(DTYPES[a["dtype"]]), math.prod(a["shape"])
        body = data[first + a["start"] : first + a["start"] + count * dtype.itemsize]
        if a["shuffled"]:
            body = np.frombuffer(body, np.uint8).reshape(dtype.itemsize, count).T.tobytes()
        arrays[a["name"]] = np.frombuffer(body, dtype).reshape(a["shape"])
    return header, arrays


def shuffle(data: np.ndarray) -> bytes:
    return data.reshape(-1).view(np.uint8).reshape(-1, data.dtype.itemsize).T.tobytes()


def to_text(package: bytes) -> str:
    """For a page: packed with gzip, as base64."""
    return base64.b64encode(gzip.compress(package, 9, mtime=0)).decode()


def plain(value: Any) -> Any:
    """As JSON knows it, floats with as many digits as they need."""
    return json_value(value, lambda x: int(x) if x.is_integer() and abs(x) < 1e15 else x)
