"""Lines of nodes that frames slide along: places in order, each a node of a beam or a layer of a solid."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import must, shown
from .fe import FE
from .interfaces import TOLERANCE, Interface, Joined, as_interface, join
from .user_values import three

FEWEST = 4       # places: splines run through them
MOST = 400       # layers of a solid that are taken for layers
RULE = "must be {from: point, to: point}, or a list of at least four places in order"


def joined_lines(fe: FE, lines: Mapping[str, Any] | None) -> dict[str, list[Joined]]:
    """Places of all lines on the mesh, named ``line_0``, ``line_1``, …; problems name the line."""
    if lines is not None and not isinstance(lines, Mapping):
        raise FieldError("lines", f"{shown(lines)} must be a mapping of names to lines, such as {{'rail': "
                         f"{{'from': (0, 0, 0), "
                         "'to': (5, 0, 0)}}")
    found = {}
    for name, value in (lines or {}).items():
        try:
            if not isinstance(name, str) or not name.isidentifier():
                raise ValueError("its name must be a word of letters, digits and _")
            places = _places(fe, value)
            if len(places) < FEWEST:
                raise ValueError(f"it has {len(places)} places, must have at least {FEWEST}; refine the mesh along it, or name more")
            one = join(fe, {f"{name}_{k}": place for k, place in enumerate(places)}, "average", "place")
        except ValueError as error:
            raise ValueError(f"line {name!r}: {error}") from None
        gaps = np.linalg.norm(np.diff([j.position for j in one], axis=0), axis=1)
        if gaps.min() <= TOLERANCE * fe.size:
            k = int(np.argmin(gaps))
            raise ValueError(f"line {name!r}: places {k} and {k + 1} are at the same point; name each once, in order")
        found[name] = one
    return found


def _places(fe: FE, value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        if set(value) != {"from", "to"}:
            raise ValueError(must(dict(value), RULE))
        start, end = three("from", value["from"]), three("to", value["to"])
        if np.linalg.norm(end - start) <= TOLERANCE * fe.size:
            raise ValueError("from and to are the same point")
        return _between(fe, start, end)
    if isinstance(value, str) or not isinstance(value, (list, tuple, range, np.ndarray)):
        raise ValueError(must(value, RULE))
    return [as_interface(place, "average") for place in value]


def _between(fe: FE, start: np.ndarray, end: np.ndarray) -> list[Interface]:
    """The nodes on a straight line, by distance; of a solid the layers across it that have nodes enough to tell how they turn."""
    way = end - start
    length = float(np.linalg.norm(way))
    along, near = (fe.nodes - start) @ way / length, TOLERANCE * fe.size
    inside = np.flatnonzero((along >= -near) & (along <= length + near))
    if fe.dofs == 6:
        off = np.linalg.norm(fe.nodes[inside] - start - np.outer(along[inside], way / length), axis=1)
        on = inside[off <= near]
        return [Interface(node=int(k)) for k in on[np.argsort(along[on])]]
    order = inside[np.argsort(along[inside])]
    layers = np.split(order, np.flatnonzero(np.diff(along[order]) > near) + 1) if order.size else []
    full = [layer for layer in layers if _spread(fe.nodes[layer])]
    if len(layers) > MOST or len(full) < FEWEST:
        raise ValueError(f"the nodes between from and to do not lie in layers across the line ({len(layers)} distances, {len(full)} with "
                         "at least three nodes that are not in a line); give a list of places, each with its nodes")
    return [Interface(nodes=layer, coupling="average", position=start + along[layer].mean() * way / length) for layer in full]


def _spread(x: np.ndarray) -> bool:
    sizes = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) if len(x) > 2 else np.zeros(3)
    return bool(sizes[1] > 1e-6 * max(sizes[0], 1e-300))
