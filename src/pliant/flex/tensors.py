"""Stress tensors as six components xx, yy, zz, xy, yz, xz along the last axis."""
from __future__ import annotations

import numpy as np


def von_mises(s: np.ndarray) -> np.ndarray:
    """Of stresses (…, 6)."""
    xx, yy, zz, xy, yz, xz = (s[..., k] for k in range(6))
    return np.asarray(np.sqrt(0.5 * ((xx - yy)**2 + (yy - zz)**2 + (zz - xx)**2) + 3 * (xy * xy + yz * yz + xz * xz)))


def principal(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest principal stress of stresses (…, 6), in closed form [stress-4]."""
    xx, yy, zz, xy, yz, xz = (s[..., k] for k in range(6))
    mean = (xx + yy + zz) / 3
    a, b, c = xx - mean, yy - mean, zz - mean
    shear = xy * xy + yz * yz + xz * xz
    r = np.sqrt((a * a + b * b + c * c + 2 * shear) / 6)
    det = a * b * c + 2 * xy * yz * xz - a * yz * yz - b * xz * xz - c * xy * xy
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = np.where(r > 0, det / (2 * r**3), 0.0)
    angle = np.arccos(np.clip(cosine, -1, 1)) / 3
    return mean + 2 * r * np.cos(angle + 2 * np.pi / 3), mean + 2 * r * np.cos(angle)


def signed_von_mises(s: np.ndarray) -> np.ndarray:
    """Von Mises stress with the sign of the principal stress of larger size."""
    low, high = principal(s)
    return np.where(high + low >= 0, 1.0, -1.0) * von_mises(s)


def strain(s: np.ndarray, E: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """Strain of stress (p, 6) by Hooke; shear strains are those of the tensor."""
    found = (1 + nu)[:, None] * s
    found[:, :3] -= nu[:, None] * s[:, :3].sum(axis=1, keepdims=True)
    return np.asarray(found / E[:, None])
