"""Stress tensors as six components xx, yy, zz, xy, yz, xz along the last axis."""
from __future__ import annotations

import numpy as np

TINY = 1e-300  # added where zero would divide zero


def squared_mises(xx, yy, zz, xy, yz, xz):  # type: ignore[no-untyped-def]
    """Of numbers or arrays; also compiled (`extremes`)."""
    a, b, c = xx - yy, yy - zz, zz - xx
    return 0.5 * (a * a + b * b + c * c) + 3 * (xy * xy + yz * yz + xz * xz)


def roots(xx, yy, zz, xy, yz, xz):  # type: ignore[no-untyped-def]
    """Smallest and largest principal stress, in closed form [stress-4]. Of numbers or arrays; also compiled."""
    mean = (xx + yy + zz) / 3
    a, b, c = xx - mean, yy - mean, zz - mean
    r = np.sqrt((a * a + b * b + c * c + 2 * (xy * xy + yz * yz + xz * xz)) / 6)
    det = a * b * c + 2 * xy * yz * xz - a * yz * yz - b * xz * xz - c * xy * xy
    angle = np.arccos(np.maximum(np.minimum(det / (2 * r * r * r + TINY), 1.0), -1.0)) / 3
    return mean + 2 * r * np.cos(angle + 2 * np.pi / 3), mean + 2 * r * np.cos(angle)


def von_mises(s: np.ndarray) -> np.ndarray:
    """Of stresses (…, 6)."""
    return np.asarray(np.sqrt(squared_mises(*(s[..., k] for k in range(6)))))


def principal(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest principal stress of stresses (…, 6)."""
    low, high = roots(*(s[..., k] for k in range(6)))
    return np.asarray(low), np.asarray(high)


def signed_von_mises(s: np.ndarray) -> np.ndarray:
    """Von Mises stress with the sign of the principal stress of larger size."""
    low, high = principal(s)
    return np.where(high + low >= 0, 1.0, -1.0) * von_mises(s)


def strain(s: np.ndarray, E: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """Strain of stress (p, 6) by Hooke; shear strains are those of the tensor."""
    found = (1 + nu)[:, None] * s
    found[:, :3] -= nu[:, None] * s[:, :3].sum(axis=1, keepdims=True)
    return np.asarray(found / E[:, None])
