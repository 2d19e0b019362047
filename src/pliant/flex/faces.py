"""The surface of a mesh of solids: its outer faces with shape functions of their own, for loads on them. Faces are found by the natural
coordinates of the nodes, so that any order of them will do."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .isoparametric import _simplex, monomials, slopes
from .readers.mesh import CORNERS
from .solids import Solid

POWERS = {3: [(0, 0), (1, 0), (0, 1)], 4: [(0, 0), (1, 0), (0, 1), (1, 1)],
          6: [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)],
          8: [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2)]}
ORDER = 7           # of the integration
TOLERANCE = 1e-9    # of natural coordinates


class Faces(NamedTuple):
    """Faces of one kind: nodes (m, k), values (q, k) and slopes (q, k, 2) of the shape functions, weights (q), and the sign (m) with which
    x_u x x_v points outward."""
    nodes: np.ndarray
    values: np.ndarray
    slopes: np.ndarray
    weights: np.ndarray
    outward: np.ndarray


class Side(NamedTuple):
    """A side of an element of some kind: which of its nodes it has, and their coordinates (k, 2) on it."""
    local: np.ndarray
    uv: np.ndarray
    triangle: bool


def sides(kind: str, X: np.ndarray) -> list[Side]:
    """By the natural coordinates (b, 3) of the nodes, of bricks from -1 or 0 to 1, else of a unit triangle."""
    x, y, z = X.T
    if CORNERS[kind] == 8:
        planes = [(X[:, a] - limit(X[:, a]), [k for k in range(3) if k != a], False) for a in range(3) for limit in (np.min, np.max)]
    elif CORNERS[kind] == 4:
        planes = [(X[:, a], [k for k in range(3) if k != a], True) for a in range(3)] + [(x + y + z - 1, [0, 1], True)]
    else:
        planes = [(z - z.min(), [0, 1], True), (z - z.max(), [0, 1], True)]
        planes += [(x, [1, 2], False), (y, [0, 2], False), (x + y - 1, [0, 2], False)]
    made = []
    for gap, axes, triangle in planes:
        local = np.flatnonzero(abs(gap) < TOLERANCE)
        uv = X[local][:, axes]
        if not triangle:
            low, high = uv.min(axis=0), uv.max(axis=0)
            uv = 2 * (uv - low) / (high - low) - 1
        made.append(Side(local, uv, triangle))
    return made


def shape_functions(side: Side) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (q, k), slopes (q, k, 2) and weights (q) at the points of integration."""
    if side.triangle:
        points, weights = _simplex(2, ORDER)
    else:
        line = np.polynomial.legendre.leggauss(ORDER // 2 + 1)
        points = np.stack(np.meshgrid(line[0], line[0], indexing="ij"), axis=-1).reshape(-1, 2)
        weights = np.outer(line[1], line[1]).ravel()
    powers = [(a, b, 0) for a, b in POWERS[len(side.local)]]

    def flat(p: np.ndarray) -> np.ndarray:
        return np.column_stack((p, np.ones(len(p))))
    inverse = np.linalg.inv(monomials(powers, flat(side.uv)))
    return monomials(powers, flat(points)) @ inverse, np.einsum("qpk,pb->qbk", slopes(powers, flat(points))[:, :, :2], inverse), weights


def outer_faces(bodies: Sequence[Solid], chosen: np.ndarray) -> list[Faces]:
    """Faces that one element alone has, all of whose nodes are among the ``chosen`` (nodes, bool)."""
    found, keys, widest = list[tuple[Side, np.ndarray, np.ndarray]](), list[np.ndarray](), 8
    for body in bodies:
        centre = body.nodes[body.dofs].mean(axis=1)
        for side in sides(body.element, body.reference(1)[1]):
            nodes = body.dofs[:, side.local]
            key = np.full((len(nodes), widest), -1)
            key[:, :nodes.shape[1]] = np.sort(nodes, axis=1)
            found.append((side, nodes, centre))
            keys.append(key)
    _, first, count = np.unique(np.concatenate(keys), axis=0, return_index=True, return_counts=True)
    outer = np.zeros(sum(len(k) for k in keys), bool)
    outer[first[count == 1]] = True
    x, start, made = bodies[0].nodes, 0, list[Faces]()
    for side, nodes, centre in found:
        mine = outer[start:start + len(nodes)] & chosen[nodes].all(axis=1)
        start += len(nodes)
        if mine.any():
            N, dN, w = shape_functions(side)
            places = x[nodes[mine]]
            normal = np.cross(*np.moveaxis(np.einsum("qbk,fbi->fqki", dN, places).mean(axis=1), 1, 0))
            made.append(Faces(nodes[mine], N, dN, w, np.sign(np.einsum("fi,fi->f", normal, places.mean(axis=1) - centre[mine]))))
    return made


def solids_of(stress: Any) -> list[Solid]:
    """The solid elements behind a geometric stiffness; none for beams and matrices."""
    return [stress] if isinstance(stress, Solid) else list(getattr(stress, "bodies", ()))
