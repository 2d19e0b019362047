"""Sections of beams by their matrices, as programs for composite blades give them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..functions.field_error import FieldError
from ..functions.units import must, shown

ALIKE = 1e-9  # of the largest entry: entries that must be equal differ by less
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class SectionMatrices:
    """A section by its 6x6 ``stiffness`` and 6x6 ``mass`` per length, about the axis of the beam, in SI units.

    Strains and forces are those along x (the beam), y and z, then twist and curvatures about x, y and z: EA [N], shear stiffnesses [N], GJ
    and EI [N m^2] on the diagonal for a section without couplings. The mass is that of a rigid slice, m = 1 kg/m on the first three places
    of the diagonal, its first moments beside them and its inertia, in the same order. Both are symmetric and positive."""
    stiffness: Rows
    mass: Rows

    def __post_init__(self) -> None:
        for field in ("stiffness", "mass"):
            object.__setattr__(self, field, _positive(field, getattr(self, field)))
        M = np.array(self.mass)
        m, c = M[0, 0], np.array([0.0, M[2, 3], M[0, 4]]) / M[0, 0]
        rigid = np.block([[m * np.eye(3), m * np.cross(np.eye(3), c).T], [m * np.cross(np.eye(3), c), M[3:, 3:]]])
        if abs(rigid - M).max() > ALIKE * abs(M).max():
            i, j = np.unravel_index(np.argmax(abs(rigid - M)), M.shape)
            raise FieldError("mass", f"row {i + 1}, column {j + 1}: {shown(float(M[i, j]))} must be {shown(float(rigid[i, j]))}, as of a "
                             "rigid slice: m in the first three places of the diagonal, and m (0, z, -y; -z, 0, 0; y, 0, 0) above",
                             before="section: ")

    @property
    def flexibility(self) -> np.ndarray:
        found: np.ndarray = np.linalg.inv(self.stiffness)
        return (found + found.T) / 2


def _positive(field: str, given: Any) -> Rows:
    try:
        A = np.array(given, float)
    except (TypeError, ValueError):
        A = np.empty(0)
    if A.shape != (6, 6) or not np.isfinite(A).all():
        raise FieldError(field, must(given, "must be six rows of six numbers (SI units)"), before="section: ")
    if abs(A - A.T).max() > ALIKE * abs(A).max():
        i, j = np.unravel_index(np.argmax(abs(A - A.T)), A.shape)
        raise FieldError(field, f"row {i + 1}, column {j + 1}: {shown(float(A[i, j]))} must be {shown(float(A[j, i]))}, as in the other "
                         "half; the matrix is symmetric", before="section: ")
    A, size = (A + A.T) / 2, np.sqrt(np.abs(np.diag(A)))
    if not (np.diag(A) > 0).all():
        k = int(np.argmin(np.diag(A)))
        raise FieldError(field, f"row {k + 1}, column {k + 1}: {shown(float(A[k, k]))} must be greater than zero", before="section: ")
    least = float(np.linalg.eigvalsh(A / np.outer(size, size))[0])
    if least <= 1e-14:
        raise FieldError(field, f"the matrix is not positive: some motion would have no stiffness or mass, or a negative one (least "
                         f"eigenvalue {least:.2g} with a diagonal of ones); couplings are smaller than the root of the product of their "
                         "two diagonal entries", before="section: ")
    return tuple(tuple(float(x) for x in row) for row in A)
