"""Solid elements on meshes from files: curved sides are taken as they are. Shape functions are polynomials that are 1 at their node and 0
at the others; nodes are in the order of Abaqus. Stiffness and geometric stiffness are those of `solids.Solid` [flex-4]."""
from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from .material import Material
from .readers.mesh import CORNERS, EDGES, FACES
from .solids import STIFFNESS, Block, Solid, per_block

CORNER = 0.25  # a negative Jacobian at a corner is refused above this part of the largest: nodes in the wrong order
_HEX = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
_TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
_WEDGE = [(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
_PLACES = {4: _TET, 8: _HEX, 6: _WEDGE}
_LINEAR = {4: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], 8: [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)],
           6: [(a, b, c) for a, b in ((0, 0), (1, 0), (0, 1)) for c in (0, 1)]}
_MORE = {"tet10": [(2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1), (1, 0, 1)],
         "hex20": [(2, 0, 0), (2, 1, 0), (2, 0, 1), (2, 1, 1), (0, 2, 0), (1, 2, 0), (0, 2, 1), (1, 2, 1), (0, 0, 2), (1, 0, 2), (0, 1, 2),
                   (1, 1, 2)],
         "wedge15": [(a, b, c) for a, b in ((2, 0), (1, 1), (0, 2)) for c in (0, 1)] + [(0, 0, 2), (1, 0, 2), (0, 1, 2)]}


@cache
def places(kind: str) -> np.ndarray:
    """Natural coordinates of the nodes (b, 3)."""
    corners = np.array(_PLACES[CORNERS[kind]], float)
    if kind not in _MORE:
        return corners
    return np.concatenate((corners, [(corners[a] + corners[b]) / 2 for a, b in EDGES[CORNERS[kind]]]))


def monomials(powers: list[tuple[int, int, int]], x: np.ndarray) -> np.ndarray:
    """(points, powers)"""
    return np.stack([np.prod(x**np.array(p), axis=1) for p in powers], axis=1)


def slopes(powers: list[tuple[int, int, int]], x: np.ndarray) -> np.ndarray:
    """Derivatives by the natural coordinates (points, powers, 3)."""
    found = np.zeros((len(x), len(powers), 3))
    for j, p in enumerate(powers):
        for k in range(3):
            if p[k]:
                lower = np.array(p) - np.eye(3, dtype=int)[k]
                found[:, j, k] = p[k] * np.prod(x**lower, axis=1)
    return found


@cache
def shape(kind: str, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points of integration (q, 3), weights (q), values (q, b) and slopes (q, b, 3)."""
    x, w = rule(CORNERS[kind], order)
    powers = _LINEAR[CORNERS[kind]] + _MORE.get(kind, [])
    inverse = np.linalg.inv(monomials(powers, places(kind)))
    return x, w, monomials(powers, x) @ inverse, np.einsum("qpk,pb->qbk", slopes(powers, x), inverse)


@cache
def corner_slopes(kind: str) -> np.ndarray:
    powers = _LINEAR[CORNERS[kind]] + _MORE.get(kind, [])
    inverse = np.linalg.inv(monomials(powers, places(kind)))
    return np.einsum("qpk,pb->qbk", slopes(powers, places(kind)[:CORNERS[kind]]), inverse)


@cache
def rule(corners: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights that integrate polynomials of the order exactly (or more)."""
    line = np.polynomial.legendre.leggauss(order // 2 + 1)
    if corners == 8:
        g = np.stack(np.meshgrid(line[0], line[0], line[0], indexing="ij"), axis=-1).reshape(-1, 3)
        return g, np.einsum("i,j,k->ijk", line[1], line[1], line[1]).ravel()
    if corners == 4:
        return _simplex(3, order)
    t, wt = _simplex(2, order)
    x = np.concatenate([np.column_stack((t, np.full(len(t), z))) for z in line[0]])
    return x, np.concatenate([wt * v for v in line[1]])


def _simplex(dim: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangle or tetrahedron: its centre, the symmetric rule with dim + 1 points, or products of Gauss and Jacobi rules."""
    volume = 1 / 2 if dim == 2 else 1 / 6
    if order <= 1:
        return np.full((1, dim), 1 / (dim + 1)), np.array([volume])
    if order == 2:
        b = 1 / 6 if dim == 2 else (5 - np.sqrt(5)) / 20
        x = np.full((dim + 1, dim), b)
        x[np.arange(1, dim + 1), np.arange(dim)] = 1 - dim * b
        return x, np.full(dim + 1, volume / (dim + 1))
    from scipy.special import roots_jacobi
    n = order // 2 + 1
    rules = [((1 + x) / 2, w / 2**(k + 1)) for k in range(dim) for x, w in [roots_jacobi(n, k, 0)]]  # weight (1 - s)^k
    grids = np.meshgrid(*(r[0] for r in reversed(rules)), indexing="ij")
    weights = np.prod(np.meshgrid(*(r[1] for r in reversed(rules)), indexing="ij"), axis=0)
    left = np.ones_like(grids[0])
    found: list[np.ndarray] = []
    for s in grids:
        found.append(left * s)
        left = left * (1 - s)
    return np.stack(found, axis=-1).reshape(-1, dim), weights.ravel()


class ElementError(ValueError):
    """An element that cannot be used; ``element`` is its number in the file."""

    def __init__(self, element: int, message: str) -> None:
        super().__init__(message)
        self.element = element


class Isoparametric(Solid):
    """Elements of one kind and material on a mesh with nodes ``x``; ``ids`` are their numbers in the file, for messages."""

    def __init__(self, x: np.ndarray, cells: np.ndarray, kind: str, material: Material, ids: np.ndarray) -> None:
        self.nodes, self.dofs, self.element, self.ids = x, cells, kind, ids
        self.of_material(material)
        self._check()

    def _check(self) -> None:
        """Elements must not be turned inside out, neither at points of integration nor clearly at corners."""
        dN = np.concatenate((shape(self.element, STIFFNESS[self.element])[3], corner_slopes(self.element)))
        inner = len(dN) - CORNERS[self.element]
        for first in range(0, len(self.dofs), 20_000):
            part = slice(first, first + 20_000)
            det = np.linalg.det(np.einsum("qbk,ebi->eqki", dN, self.nodes[self.dofs[part]]))
            wrong = (det[:, :inner].min(axis=1) <= 0) | (det.min(axis=1) < -CORNER * abs(det).max(axis=1))
            if (bad := np.flatnonzero(wrong)).size:
                e = first + int(bad[0])
                at = ", ".join(f"{c:.6g}" for c in self.nodes[self.dofs[e]].mean(axis=0))
                more = f" ({len(bad)} such elements)" if len(bad) > 1 else ""
                how = "turned inside out: its nodes are in the wrong order" if det[bad[0]].max() <= 0 else "too distorted"
                told = f"element {self.ids[e]} ({self.element}) at ({at}) is {how}{more}; mesh the part again there"
                raise ElementError(int(self.ids[e]), told)

    def blocks(self, order: int, columns: int) -> Iterator[Block]:
        x, w, N, dN = shape(self.element, order)
        step = per_block(columns)
        for first in range(0, len(self.dofs), step):
            part = slice(first, min(first + step, len(self.dofs)))
            X = self.nodes[self.dofs[part]]
            J = np.einsum("qbk,ebi->eqki", dN, X, optimize=True)
            gradients = dN @ np.swapaxes(np.linalg.inv(J), 2, 3)
            det = np.linalg.det(J)
            if self.element == "hex8":
                gradients = np.concatenate((gradients, self._natural_bubbles(X, x, det)), axis=2)
            yield Block(self.dofs[part], gradients, N, det * w, part)

    def _natural_bubbles(self, X: np.ndarray, x: np.ndarray, det: np.ndarray) -> np.ndarray:
        J = np.einsum("bk,ebi->eki", np.array(_HEX) / 8, X)
        ratio = np.linalg.det(J)[:, None] / det
        return np.asarray(np.einsum("qk,eik,eq->eqki", -2 * x, np.linalg.inv(J), ratio))

    def reference(self, order: int) -> tuple[np.ndarray, np.ndarray]:
        return rule(CORNERS[self.element], order)[0], places(self.element)

    def skin(self) -> np.ndarray:
        return skin_of([self])


def skin_of(bodies: list[Isoparametric]) -> np.ndarray:
    """Triangles (t, 3) of the sides that only one element has, outward, through mid-side nodes too."""
    corner_sets, triangles = [], []
    for body in bodies:
        corners = CORNERS[body.element]
        mid = {frozenset(e): corners + k for k, e in enumerate(EDGES[corners])} if len(places(body.element)) > corners else {}
        for face in FACES[corners]:
            key = np.full((len(body.dofs), 4), -1)
            key[:, :len(face)] = np.sort(body.dofs[:, face], axis=1)
            corner_sets.append(key)
            triangles.append([body.dofs[:, list(t)] for t in _split(face[::-1], mid)])
    _, first, count = np.unique(np.concatenate(corner_sets), axis=0, return_index=True, return_counts=True)
    outer = np.zeros(sum(len(k) for k in corner_sets), bool)
    outer[first[count == 1]] = True
    found, start = [], 0
    for key, parts in zip(corner_sets, triangles, strict=True):
        found += [t[outer[start:start + len(key)]] for t in parts]
        start += len(key)
    return np.concatenate(found)


def _split(face: tuple[int, ...], mid: dict[Any, int]) -> list[tuple[int, int, int]]:
    if not mid:
        return [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
    m = [mid[frozenset((face[k], face[(k + 1) % len(face)]))] for k in range(len(face))]
    return [(face[k], m[k], m[k - 1]) for k in range(len(face))] + [(m[0], m[k], m[k + 1]) for k in range(1, len(m) - 1)]
