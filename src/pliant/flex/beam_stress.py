"""Geometric stiffness of beams: the energy of second order of the section's forces, from the true field of displacements [flex-6].

With a = u', b = theta', t = theta (element axes) and the forces N, Vy, Vz and moments Mx, My, Mz on the section:
1/2 N (a.a + b.(Is/A) b) + a.(b x m) + Vy a.(t x ey) + Vz a.(t x ez) + Mx/2 (by tz - bz ty), m = (0, -Mz, My). Third moments of the section
(zero if it is symmetric) are left out. The part of N bends back (tension), those of V and M give lateral buckling.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .beams import GAUSS, WEIGHTS, Elements
from .fe import MassPoints
from .loads import Field
from .section import Section

CHUNK = 4_000_000  # numbers in a block of products


class BeamStress:
    """See `fe.Stress`."""

    def __init__(self, el: Elements, points: MassPoints, lumped: bool, section: Section) -> None:
        self.el, self.points, self.lumped, self.section = el, points, lumped, section

    def end_forces(self, d: np.ndarray) -> np.ndarray:
        """N, Vy, Vz, Mx, My, Mz on the sections at both ends (e, 2, 6, columns), in the axes of the elements."""
        el = self.el
        ends = np.einsum("eij,ejk,ekl->eil", el.stiffness, el.turn, d[el.dofs], optimize=True)
        return np.stack((-ends[:, :6], ends[:, 6:]), axis=1)

    def resultants(self, d: np.ndarray, fields: list[Field | None]) -> np.ndarray:
        """Forces and moments on the sections (6, loads, e, g): end forces K d - f, linear between the ends."""
        el = self.el
        ends = np.einsum("eij,ejk,ekl->lei", el.stiffness, el.turn, d[el.dofs], optimize=True)
        for k, field in enumerate(fields):
            if field is not None and not self.lumped:
                ends[k] -= self._distributed(field)
        first, last = -ends[:, :, :6], ends[:, :, 6:]
        return np.moveaxis(first[:, :, None] * (1 - GAUSS)[:, None] + last[:, :, None] * GAUSS[:, None], 3, 0)

    def _distributed(self, field: Field) -> np.ndarray:
        """Loads at the ends (e, 12) of each element, in its axes."""
        el, mp = self.el, self.points
        shape = (len(el.L), len(GAUSS), 3)
        force, moment = (np.einsum("egi,eij->egj", f.reshape(shape), el.R) for f in field.on(mp))
        return np.einsum("egi,egij->ej", force, el.U) + np.einsum("egi,egij->ej", moment, el.T)

    def project(self, d: np.ndarray, fields: list[Field | None], V: np.ndarray) -> np.ndarray:
        """V^T K_g V for every column of d: (loads, n, n)."""
        el, n = self.el, V.shape[1]
        forces = self.resultants(d, fields) * (el.L[:, None] * WEIGHTS)  # (6, loads, e, g)
        out = np.zeros((d.shape[1], n * n))
        step = max(1, CHUNK // (6 * len(GAUSS) * n * n + 1))
        for first in range(0, len(el.L), step):
            part = slice(first, first + step)
            local = el.turn[part] @ V[el.dofs[part]]
            a, b, t = (f[part] @ local[:, None] for f in (el.dU, el.dT, el.T))  # (e, g, 3, n)
            for force, product in zip(forces, _products(a, b, t, el.E), strict=True):
                out += force[:, part].reshape(len(out), -1) @ product.reshape(-1, n * n)
        return out.reshape(-1, n, n)


def _products(a: np.ndarray, b: np.ndarray, t: np.ndarray, E: np.ndarray) -> Any:
    """Matrices (e, g, n, n) that N, Vy, Vz, Mx, My, Mz multiply, one after the other."""
    def outer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x[..., :, None] * y[..., None, :]

    def both(m: np.ndarray) -> np.ndarray:
        return m + np.swapaxes(m, -1, -2)

    (ax, ay, az), (bx, by, bz), (tx, ty, tz) = (np.moveaxis(f, 2, 0) for f in (a, b, t))
    yy, zz = E[1, 1], E[2, 2]
    yield (outer(ax, ax) + outer(ay, ay) + outer(az, az) + (yy + zz) * outer(bx, bx) + zz * outer(by, by) + yy * outer(bz, bz))
    yield both(outer(az, tx) - outer(ax, tz))            # t x ey = (-tz, 0, tx)
    yield both(outer(ax, ty) - outer(ay, tx))            # t x ez = (ty, -tx, 0)
    yield both(outer(by, tz) - outer(bz, ty)) / 2
    yield both(outer(ax, by) - outer(ay, bx))            # b x ez
    yield both(outer(ax, bz) - outer(az, bx))            # b x (-ey) = (bz, 0, -bx)
