"""Stresses of a beam by the forces in its sections, in axes of the sections: coordinates are N, Vy, Vz, Mx, My, Mz at both ends of every
element, one after the other."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .material import Material
from .recovery import Recovery
from .section import Section


class SectionRecovery(Recovery):
    """As of a part, with stresses that are of one section each: ``S`` (p, 6, 6) by the forces of section ``which`` (p)."""

    def __init__(self, points: np.ndarray, cells: np.ndarray, S: np.ndarray, which: np.ndarray, elastic: np.ndarray) -> None:
        super().__init__(points, cells, S, elastic, np.full(len(points), -1), [])
        self.which = which

    @property
    def count(self) -> int:
        return 6 * int(self.which[-1] + 1)

    def at(self, q: Any) -> np.ndarray:
        forces = self._coordinates(q, 1).reshape(-1, 6)
        return np.asarray(np.einsum("pcf,pf->pc", self.S, forces[self.which]))

    def forces_at(self, q: Any) -> np.ndarray:
        return np.asarray(self._coordinates(q, 1).reshape(-1, 2, 6))

    def history(self, node: int, Q: Any) -> np.ndarray:
        self._known(node)
        first = 6 * self.which[node]
        return np.asarray(self._coordinates(Q, 2)[:, first:first + 6] @ self.S[node].T)

    def _blocks(self, Q: Any, T: int) -> Iterator[tuple[int, int, np.ndarray]]:
        p = len(self.points)
        rows, times = self._sizes(p, T)
        for first in range(0, T, max(times, 1)):
            forces = np.asarray(Q[first:first + times], float).reshape(-1, self.count // 6, 6)
            for start in range(0, p, rows):
                part = slice(start, start + rows)
                yield start, first, np.einsum("pcf,tpf->pct", self.S[part], forces[:, self.which[part]])


def recovery_of_sections(sections: Sequence[Section], places: Sequence[tuple[np.ndarray, np.ndarray]],
                         material: Material) -> SectionRecovery:
    """Of the sections at both ends of every element and their places, point and axes: N/A + z K_y - y K_z with the moments of the section
    for the curvatures, and the stress of torsion"""
    points, S, which, cells = [], list[np.ndarray](), list[int](), list[tuple[int, int]]()
    for k, (section, (at, axes)) in enumerate(zip(sections, places, strict=True)):
        bend = np.linalg.inv([[section.Iy, -section.Iyz], [-section.Iyz, section.Iz]])
        given = section.points or ((0.0, 0.0, 0.0),)
        if k % 2:
            cells += [(len(S) - len(sections[k - 1].points or given[:1]) + i, len(S) + i)
                      for i in range(min(len(given), len(sections[k - 1].points or given[:1])))]
        for y, z, torsion in given:
            row = np.zeros((6, 6))
            row[0, 0], row[3, 3], row[0, 4:] = 1 / section.area, torsion, np.array([z, -y]) @ bend
            points.append(at + axes @ (0.0, y, z))
            S.append(row)
            which.append(k)
    elastic = np.tile([material.E, material.nu], (len(S), 1))
    return SectionRecovery(np.array(points), np.array(cells), np.array(S), np.array(which), elastic)
