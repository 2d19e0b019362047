"""Rows of beam elements between two places: what is constant of an element is computed here. Derivations: docs/theory/beams.md"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..families.exact_beams import BEAM
from .array_builder import ArrayBuilder, Place


class Pose(NamedTuple):
    """A node as modelled: place, and axes as columns; the first one is along the beam."""
    point: np.ndarray
    axes: np.ndarray


def skew(a: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), -np.asarray(a))


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """phi with exp([phi]) = R, below half a turn."""
    odd = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    s, c = np.linalg.norm(odd), (np.trace(R) - 1) / 2
    return odd * (np.arctan2(s, c) / s if s > 1e-8 else 1 + s * s / 6)


def screw(a: Pose, b: Pose) -> np.ndarray:
    """d of the helix from a to b                                                                                       [beam-1]"""
    phi, u = rotation_vector(a.axes.T @ b.axes), a.axes.T @ (b.point - a.point)
    t = np.linalg.norm(phi)
    g = (1 - t / 2 / np.tan(t / 2)) / t**2 if t > 1e-2 else 1 / 12 + t**2 / 720 + t**4 / 30240
    return np.concatenate([u - np.cross(phi, u) / 2 + g * np.cross(phi, np.cross(phi, u)), phi])


def corrected_stiffness(flexibility: np.ndarray, strain: np.ndarray, length: float) -> np.ndarray:
    """Phi^-1 with A at the given strain; no entry of the flexibility for shear need be positive                        [beam-7]"""
    gamma, K = strain[:3], strain[3:]
    A = np.block([[skew(K), np.zeros((3, 3))], [skew(gamma), skew(K)]])
    found: np.ndarray = np.linalg.inv(flexibility + length**2 / 12 * A.T @ flexibility @ A)
    return (found + found.T) / 2


def is_straight_enough(flexibility: np.ndarray, tolerance: float = 1e-12) -> bool:
    """Whether K x m vanishes for every K of this section: one stiffness about all axes, uncoupled; then the reference is enough."""
    moments = flexibility[3:, 3:]
    return bool(np.abs(moments - moments[0, 0] * np.eye(3)).max() <= tolerance * abs(moments[0, 0]))


def exact_beam(b: ArrayBuilder, item: str, places: tuple[Place, Place], length: float, strain: np.ndarray, flexibility: np.ndarray, *,
               damping: float = 0.0, viscosity: np.ndarray | None = None, current: bool = True) -> int:
    """A helicoidal element. ``strain``: screw / length as modelled. ``damping`` [s] multiplies the stiffness of the reference, unless
    a 6x6 ``viscosity`` is given. ``current``: the flexibility of bending follows the strain."""
    A, B = places
    stiffness = corrected_stiffness(flexibility, strain, length)
    V = damping * stiffness if viscosity is None else viscosity
    pool = b.shared(np.array([stiffness, flexibility]))
    ints = A.iq, A.iv, B.iq, B.iv, pool, b.shared(V) if V.any() else -1, int(current)
    return b.element(BEAM, item, ints, (length, 1 / length, *strain), tiles=(*A.tiles, *B.tiles))
