"""Rows of beam elements with slopes as coordinates, in tiles of linear coordinates. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..families import ancf_beam, ancf_cable
from .array_builder import ArrayBuilder, Place


def cubic(xi: float, length: float) -> np.ndarray:
    """What (r_A, r'_A, r_B, r'_B) are multiplied with in r"""
    return np.array([1 - 3 * xi**2 + 2 * xi**3, length * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3, length * (xi**3 - xi**2)])


def cubic_slopes(xi: float, length: float) -> np.ndarray:
    """The same in r' """
    return np.array([(6 * xi * xi - 6 * xi) / length, 1 - 4 * xi + 3 * xi * xi, (6 * xi - 6 * xi * xi) / length, 3 * xi * xi - 2 * xi])


def _gauss(n: int) -> np.ndarray:
    found: np.ndarray = (np.polynomial.legendre.leggauss(n)[0] + 1) / 2
    return found


def cable_strains(X: np.ndarray, length: float, points: int) -> tuple[np.ndarray, np.ndarray]:
    """eps at so many Gauss points and kappa at three, of X = (r_A, r'_A, r_B, r'_B) as modelled"""
    def at(xi: float) -> tuple[float, float]:
        dd = np.array([(12 * xi - 6) / length**2, (6 * xi - 4) / length, (6 - 12 * xi) / length**2, (6 * xi - 2) / length])
        a, c = cubic_slopes(xi, length) @ X, dd @ X
        return float(a @ a - 1) / 2, float(np.linalg.norm(np.cross(a, c)) / np.linalg.norm(a) ** 3)
    return np.array([at(xi)[0] for xi in _gauss(points)]), np.array([at(xi)[1] for xi in _gauss(3)])


def cable(b: ArrayBuilder, item: str, nodes: Sequence[Place], length: float, axial: float, bending: float, *, X: np.ndarray,
          damping: float = 0.0, points: int | None = None) -> int:
    """``axial`` EA, ``bending`` EI, ``X`` as modelled (4, 3), ``damping`` [s] of the stretch. ``points`` of the stretch: 4, or 3 for
    slender elements, which are too stiff with 4."""
    A, B = nodes
    count = (3 if axial * length**2 > 1e4 * bending else 4) if points is None else points
    stretch, curvature = cable_strains(X, length, count)
    curvature = np.where(curvature * length > 1e-9, curvature, 0.0)
    reals = length, axial, bending, damping, *stretch, *[0.0] * (4 - count), *curvature
    return b.element(ancf_cable.CABLE, item, (A.iq, A.iv, B.iq, B.iv, count), reals, tiles=(*A.tiles, *B.tiles))


def cable_inertia(b: ArrayBuilder, item: str, nodes: Sequence[Place], length: float, mass: float) -> int:
    A, B = nodes
    return b.element(ancf_cable.INERTIA, item, (A.iq, A.iv, B.iq, B.iv), (length, mass), tiles=(*A.tiles, *B.tiles))


def slope_strains(X: np.ndarray, length: float, width: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Six strains at four points of the axis and three at eight points beside it, of X = (r, r_x, r_y, r_z of A and of B) as modelled"""
    A, B = X[:4], X[4:]

    def axis(xi: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        a = cubic_slopes(xi, length) @ np.array([A[0], A[1], B[0], B[1]])
        return a, (1 - xi) * A[2] + xi * B[2], (1 - xi) * A[3] + xi * B[3]
    on, beside, root = [], [], 1 / np.sqrt(3)
    for xi in _gauss(4):
        a, b, c = axis(xi)
        on.append([a @ a / 2, b @ b / 2, c @ c / 2, a @ b, a @ c, b @ c])
    for xi, y, z in [((1 + i * root) / 2, j * root * width / 2, k * root * height / 2) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]:
        a, b, c = axis(xi)
        d = (y * (B[2] - A[2]) + z * (B[3] - A[3])) / length
        beside.append([a @ d + d @ d / 2, d @ b, d @ c])
    return np.array(on), np.array(beside)


def slope_beam(b: ArrayBuilder, item: str, nodes: Sequence[Place], length: float, young: float, poisson: float, width: float,
               height: float, *, X: np.ndarray, shear_factor: float = 5 / 6, torsion_factor: float = 5 / 6, damping: float = 0.0) -> int:
    """A beam with a rectangular section, ``width`` along y and ``height`` along z; ``X`` as modelled (8, 3). ``torsion_factor``: the
    torsion constant over the polar moment of area."""
    A, B = nodes
    lame, shear = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    reals = length, lame, shear, shear_factor, width, height, damping, torsion_factor
    ints = A.iq, A.iv, B.iq, B.iv, b.pool(*slope_strains(X, length, width, height))
    return b.element(ancf_beam.BEAM, item, ints, reals, tiles=(*A.tiles, *B.tiles))


def slope_beam_inertia(b: ArrayBuilder, item: str, nodes: Sequence[Place], length: float, density: float, width: float,
                       height: float) -> int:
    A, B = nodes
    mass = density * width * height * length
    reals = length, mass, mass * width**2 / 12, mass * height**2 / 12
    return b.element(ancf_beam.INERTIA, item, (A.iq, A.iv, B.iq, B.iv), reals, tiles=(*A.tiles, *B.tiles))
