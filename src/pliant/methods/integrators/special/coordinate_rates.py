"""Rates of positions and quaternions, in NumPy: where a run begins, and for solvers that are called from Python."""
import numpy as np

from ....kernels.evaluation import Data


def coordinate_rates(d: Data, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(r', quaternion') at velocities v: p' = p (0, w) / 2, a product of quaternions."""
    out = np.zeros_like(q)
    out[d.linear[:, 1]] = v[d.linear[:, 0]]
    for iv, iq in d.rotations:
        u, w = q[iq + 1:iq + 4], v[iv:iv + 3] / 2
        out[iq], out[iq + 1:iq + 4] = -u @ w, np.cross(u, w) + q[iq] * w
    return out
