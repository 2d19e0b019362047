"""Rotation matrices and quaternions of items."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def quaternion_of(matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Unit quaternion (scalar first, scalar >= 0) of a rotation matrix."""
    R = np.asarray(matrix, float)
    k = int(np.argmax([np.trace(R), R[0, 0], R[1, 1], R[2, 2]]))
    if k == 0:
        q = np.array([1 + np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, l = k - 1, k % 3, (k + 1) % 3
        q = np.zeros(4)
        q[0], q[1 + i] = R[l, j] - R[j, l], 1 + R[i, i] - R[j, j] - R[l, l]
        q[1 + j], q[1 + l] = R[j, i] + R[i, j], R[l, i] + R[i, l]
    q /= np.linalg.norm(q) * (1 if q[0] >= 0 else -1)
    return float(q[0]), float(q[1]), float(q[2]), float(q[3])


def matrix_of(q: Sequence[float]) -> np.ndarray:
    """Rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
