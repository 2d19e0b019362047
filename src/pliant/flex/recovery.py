"""Stresses of a part by its coordinates: sigma = S q, computed once on the mesh and kept with the part [stress-1].

Solids: at nodes, from the points of integration where they are best, extrapolated in each element and averaged over the elements at a node.
Beams: at the points of the section at both ends of every element, in the element's axes, with the internal forces.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..functions.field_error import FieldError
from .beam_stress import BeamStress
from .fatigue import SN, damage
from .fe import FE
from .interfaces import Joined
from .solids import SAMPLED, Solid
from .tensors import signed_von_mises, strain

COMPONENTS = ("xx", "yy", "zz", "xy", "yz", "xz")
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
VALUES = 300_000     # stresses in a block: points times times times six


class HotSpot(NamedTuple):
    """``node`` counts the points of the recovery; ``near``: the interface whose neighbourhood it is in, or "" [stress-3]; ``time`` [s], not
    a number where only rows are known, and ``row``, the number of that time."""
    node: int
    position: np.ndarray
    value: float
    time: float
    near: str
    row: int


class Envelope(NamedTuple):
    """Extremes over times by point: largest von Mises stress, largest and smallest principal stress, and the numbers of their times."""
    von_mises: np.ndarray
    von_mises_at: np.ndarray
    largest: np.ndarray
    largest_at: np.ndarray
    smallest: np.ndarray
    smallest_at: np.ndarray


class Recovery:
    """Points (p, 3) and ``S`` (p, 6, n): components xx, yy, zz, xy, yz, xz in body axes (beams: x along the element). ``zone``: number of
    the interface that a point is near to, or -1. ``forces`` (e, 2, 6, n) of beams: N, Vy, Vz, Mx, My, Mz by q."""

    def __init__(self, points: np.ndarray, cells: np.ndarray, S: np.ndarray, elastic: np.ndarray, zone: np.ndarray, interfaces: list[str],
                 forces: np.ndarray | None = None) -> None:
        self.points, self.cells, self.S, self.elastic, self.zone, self.interfaces = points, cells, S, elastic, zone, list(interfaces)
        self.forces = forces

    @property
    def count(self) -> int:
        """Of coordinates."""
        return int(self.S.shape[2])

    def at(self, q: Any) -> np.ndarray:
        """Stress (p, 6) [Pa] for coordinates q (n)."""
        return np.asarray(self.S @ self._coordinates(q, 1))

    def strain_at(self, q: Any) -> np.ndarray:
        """Strain (p, 6), xy … as half of the change of angle."""
        return strain(self.at(q), self.elastic[:, 0], self.elastic[:, 1])

    def forces_at(self, q: Any) -> np.ndarray:
        """Internal forces of beams (e, 2, 6)."""
        if self.forces is None:
            raise ValueError("internal forces are those of beams; this part is a solid, take at(q)")
        return np.asarray(self.forces @ self._coordinates(q, 1))

    def history(self, node: int, Q: Any) -> np.ndarray:
        """Stress (times, 6) at one point for coordinates Q (times, n)."""
        self._known(node)
        return np.asarray(self._coordinates(Q, 2) @ self.S[node].T)

    def envelope(self, Q: Any, progress: Callable[[float], None] | None = None) -> Envelope:
        """Extremes over all times. Q (times, n) may be an array or what gives one for a slice, such as a dataset of a file; stresses are
        made in blocks, so that memory does not grow with the number of times or points."""
        from .stress_extremes import keep_extremes
        p, T = len(self.points), len(self._coordinates(Q, 2))
        start = (-1.0, -np.inf, np.inf)
        found = Envelope(*(a for x in start for a in (np.full(p, x), np.zeros(p, np.int64))))
        for k, (row, first, sigma) in enumerate(self._blocks(Q, T)):
            keep_extremes(sigma, first, row, *found)
            if progress is not None:
                progress(min(1.0, (k + 1) / self._count(p, T)))
        return found

    def hot_spots(self, envelope: Envelope, count: int = 10, apart: float | None = None, t: np.ndarray | None = None) -> list[HotSpot]:
        """The points of the largest von Mises stress, ``apart`` [m] from each other (default: a twentieth of the part's size). ``t``: the
        times [s] that the envelope is over."""
        apart = 0.05 * float(np.linalg.norm(np.ptp(self.points, axis=0))) if apart is None else apart
        left = np.ones(len(self.points), bool)
        found: list[HotSpot] = []
        for node in np.argsort(-envelope.von_mises, kind="stable"):
            if len(found) == count:
                break
            if left[node]:
                left &= np.linalg.norm(self.points - self.points[node], axis=1) > apart
                near = self.interfaces[self.zone[node]] if self.zone[node] >= 0 else ""
                row = int(envelope.von_mises_at[node])
                time = float("nan") if t is None else float(t[row])
                found.append(HotSpot(int(node), self.points[node], float(envelope.von_mises[node]), time, near, row))
        return found

    def damage(self, Q: Any, curve: SN, nodes: Iterable[int]) -> np.ndarray:
        """Damage over a run at some points, of the von Mises stress with the sign of the larger principal stress [stress-7]."""
        return np.array([damage(signed_von_mises(self.history(int(n), Q)), curve) for n in nodes])

    def export(self, path: str | Path, **fields: np.ndarray) -> None:
        """Write a VTK file (.vtu) with fields over the points: (p), (p, 3) or (p, 6)."""
        from .vtu import write_vtu
        write_vtu(path, self.points, self.cells, fields)

    # -- inside
    def _known(self, node: int) -> None:
        if not 0 <= node < len(self.points):
            raise FieldError("node", f"{node} must be from 0 to {len(self.points) - 1}")

    def _coordinates(self, q: Any, dimensions: int) -> Any:
        n = self.count
        shape = np.shape(q) if not hasattr(q, "shape") else q.shape
        if len(shape) != dimensions or shape[-1] != n:
            due = f"({n})" if dimensions == 1 else f"(times, {n})"
            raise FieldError("q", f"an array of shape {tuple(shape)} must be {due}, the coordinates of the part")
        return q if hasattr(q, "shape") else np.array(q, float)

    def _sizes(self, p: int, T: int) -> tuple[int, int]:
        times = min(T, 1000)
        return max(1, min(p, VALUES // (6 * max(times, 1)))), times

    def _count(self, p: int, T: int) -> int:
        rows, times = self._sizes(p, T)
        return -(-p // rows) * -(-T // times)

    def _blocks(self, Q: Any, T: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """Stresses (points, 6, times) of some points and times, and the numbers of the first ones."""
        p, n = len(self.points), self.S.shape[2]
        rows, times = self._sizes(p, T)
        for first in range(0, T, max(times, 1)):
            q = np.ascontiguousarray(np.asarray(Q[first:first + times], float).T)
            for start in range(0, p, rows):
                S = np.ascontiguousarray(self.S[start:start + rows], float).reshape(-1, n)
                yield start, first, (S @ q).reshape(-1, 6, q.shape[1])


# -- making it
def recovery_of(fe: FE, Psi: np.ndarray, joined: list[Joined], where: str = "skin") -> Recovery:
    """S of the shapes Psi (dofs, n) on the skin or on all nodes ("all")."""
    if isinstance(fe.stress, BeamStress):
        return _of_beam(fe, fe.stress, Psi)
    bodies = bodies_of(fe)
    chosen = np.unique(fe.cells) if where == "skin" and len(fe.cells) else np.arange(len(fe.nodes))
    S, elastic = nodal_stress(bodies, Psi.reshape(len(fe.nodes), 3, -1), chosen)
    place = np.full(len(fe.nodes), -1)
    place[chosen] = np.arange(len(chosen))
    return Recovery(fe.nodes[chosen], place[fe.cells], S, elastic, _zones(fe, joined)[chosen], [i.name for i in joined])


def bodies_of(fe: FE) -> list[Solid]:
    """The elements of a solid."""
    stress: Any = fe.stress
    if stress is None:
        raise FieldError("stress", "this model has matrices and no elements, so no stresses; "
                         "read the mesh they belong to")
    return list(stress.bodies) if hasattr(stress, "bodies") else [stress]


def nodal_stress(bodies: list[Solid], d: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stress (chosen, 6, columns) of displacements d (nodes, 3, columns), and E, nu (chosen, 2) [stress-1]."""
    import scipy.sparse as sp
    p, n = len(d), d.shape[2]
    place = np.full(p, -1)
    place[chosen] = np.arange(len(chosen))
    S, count, elastic = np.zeros((len(chosen), 6 * n)), np.zeros(len(chosen)), np.zeros((len(chosen), 2))
    for body in bodies:
        order = SAMPLED[body.element]
        points, nodes = body.reference(order)
        E = extrapolation(points, nodes)
        for block in body.blocks(order, 20 * (6 * n + 30) * 3):
            rows = place[block.nodes].ravel()
            inside = np.flatnonzero(rows >= 0)
            if not inside.size:
                continue
            sigma = body.stress(body.gradients(block, d))
            six = np.stack([sigma[:, :, i, j] for i, j in PLACES], axis=2)        # (e, q, 6, n)
            ends = np.einsum("bq,eqcn->ebcn", E, six, optimize=True).reshape(-1, 6 * n)
            A = sp.csr_matrix((np.ones(len(inside)), (rows[inside], inside)), shape=(len(chosen), len(rows)))
            S += A @ ends
            count += np.bincount(rows[inside], minlength=len(chosen))
            elastic[rows[inside]] = body.material.E, body.material.nu
    return (S / np.maximum(count, 1)[:, None]).reshape(len(chosen), 6, n), elastic


def extrapolation(points: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Values at the nodes by those at the points (b, q): the polynomial through the points, of first degree (products for bricks)."""
    def terms(x: np.ndarray) -> np.ndarray:
        one = np.ones(len(x))
        if len(points) == 1:
            return one[:, None]
        linear = [one, *x.T]
        if len(points) == 6:
            linear += [x[:, 0] * x[:, 2], x[:, 1] * x[:, 2]]
        if len(points) == 8:
            linear += [x[:, 0] * x[:, 1], x[:, 1] * x[:, 2], x[:, 0] * x[:, 2], x[:, 0] * x[:, 1] * x[:, 2]]
        return np.stack(linear, axis=1)
    return np.asarray(terms(nodes) @ np.linalg.inv(terms(points)))


def _zones(fe: FE, joined: list[Joined]) -> np.ndarray:
    """Which interface a node is near to: nearer to one of its nodes than the interface is large [stress-3]."""
    from scipy.spatial import cKDTree
    zone = np.full(len(fe.nodes), -1)
    best = np.full(len(fe.nodes), np.inf)
    for k, i in enumerate(joined):
        x = fe.nodes[i.nodes]
        if len(x) < 2:
            continue
        size = 2 * np.linalg.norm(x - x.mean(axis=0), axis=1).max()
        ratio = cKDTree(x).query(fe.nodes)[0] / size
        nearer = (ratio <= 1) & (ratio < best)
        zone[nearer], best[nearer] = k, ratio[nearer]
    return zone


def _of_beam(fe: FE, stress: BeamStress, Psi: np.ndarray) -> Recovery:
    """Stress at the points of the section: N/A + My z/Iy - Mz y/Iz, and that of torsion [stress-2]."""
    el, section = stress.el, stress.section
    forces = stress.end_forces(Psi)                                          # (e, 2, 6, n)
    Q, yy, zz = section.principal
    given = section.points or ((0.0, 0.0, 0.0),)
    y, z = (np.array([p[:2] for p in given]) @ Q[1:, 1:]).T
    torsion = np.array([p[2] for p in given])
    e, n, k = len(el.L), Psi.shape[1], len(given)
    S = np.zeros((e, 2, k, 6, n))
    N, Mx, My, Mz = (forces[:, :, None, c] for c in (0, 3, 4, 5))            # (e, 2, 1, n)
    S[:, :, :, 0] = N / section.area + My * (z / zz)[:, None] - Mz * (y / yy)[:, None]
    S[:, :, :, 3] = Mx * torsion[:, None]
    offset = np.einsum("eij,kj->eki", el.R[:, :, 1:], np.stack((y, z), axis=1))
    points = (fe.nodes[el.ends][:, :, None] + offset[:, None]).reshape(-1, 3)
    numbers = np.arange(2 * e * k).reshape(e, 2, k)
    cells = np.stack((numbers[:, 0], numbers[:, 1]), axis=-1).reshape(-1, 2)
    material = np.tile([el.D[0] / section.area, 0.5 * el.D[0] / section.area / (el.D[3] / section.J) - 1], (len(points), 1))
    return Recovery(points, cells, S.reshape(-1, 6, n), material, np.full(len(points), -1), [], forces)
