"""The numbers of a line of nodes as the kernels of `lines` read them: splines through the shapes of its nodes. Pure NumPy and SciPy."""
from __future__ import annotations

from math import factorial
from typing import Any, NamedTuple

import numpy as np

from ..flex.mean_axes import rotation_of

DEGREE = 5      # of the splines: four derivatives are continuous
FEWEST = 4      # nodes of a line
HALF_TURN = 3.0  # rad: what a line may turn from its start


class Line(NamedTuple):
    """A line in body axes; ``pieces`` polynomials between ``knots``, whose coefficients are (piece, power, field)."""
    knots: np.ndarray
    coefficients: np.ndarray
    axes: np.ndarray         # at the start: z along the line
    second: bool

    @property
    def pieces(self) -> int:
        return len(self.knots) - 1

    def table(self) -> np.ndarray:
        """length | knots | coefficients"""
        return np.concatenate([[self.knots[-1] - self.knots[0]], self.knots, self.coefficients.ravel()])

    def at(self, s: float, order: int = 0) -> np.ndarray:
        """u0 and rho, or derivatives of them."""
        k = int(np.clip(np.searchsorted(self.knots, s, side="right") - 1, 0, self.pieces - 1))
        p = np.polynomial.Polynomial
        return np.array([p(c).deriv(order)(s - self.knots[k]) for c in self.coefficients[k, :, :6].T])

    def nearest(self, point: np.ndarray) -> float:
        """The place on the undeformed line that is next to a point."""
        from scipy.optimize import minimize_scalar
        low, high = self.knots[0], self.knots[-1]

        def far(s: float) -> float:
            return float(np.sum((self.at(s)[:3] - point) ** 2))
        tried = np.linspace(low, high, 20 * self.pieces + 1)
        best = int(np.argmin([far(s) for s in tried]))
        around = float(tried[max(best - 1, 0)]), float(tried[min(best + 1, len(tried) - 1)])
        s = float(minimize_scalar(far, bounds=around, method="bounded", options={"xatol": 1e-12 * (high - low)}).x)
        for _ in range(3):  # to rounding
            d, d1, d2 = (self.at(s, order)[:3] for order in range(3))
            d = d - point
            slope = d1 @ d1 + d2 @ d
            s = min(max(s - (d1 @ d) / slope, around[0]), around[1]) if slope > 0 else s
        return min((s, *around), key=far)

    def frame(self, s: float) -> np.ndarray:
        """Undeformed axes at s."""
        return np.asarray(rotation_of(self.at(s)[3:])[0] @ self.axes)


def spline(s: np.ndarray, values: np.ndarray, by_nodes: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Knots, and coefficients (piece, power, ...) by rising powers, six of them. ``by_nodes``: all of s are knots, also those at which
    the polynomial goes on as it is."""
    from scipy.interpolate import make_interp_spline
    p = make_interp_spline(s, values.reshape(len(s), -1), k=DEGREE if len(s) > DEGREE else 3)
    knots = s if by_nodes else np.unique(p.t)
    c = np.zeros((len(knots) - 1, DEGREE + 1, p.c.shape[1]))
    for power in range(p.k + 1):
        c[:, power] = p(knots[:-1], nu=power) / factorial(power)
    return knots, c


def line_of(points: np.ndarray, psi: np.ndarray, phi: np.ndarray, second: np.ndarray | None, by_nodes: bool = False) -> Line:
    """Of nodes in order: undeformed places (m, 3), shapes (m, 3, n), and second derivatives of displacements (m, n, 3, n) by modes;
    ``by_nodes``: with a piece between any two of them."""
    far = np.linalg.norm(np.diff(points, axis=0), axis=1)
    s = np.concatenate([[0.0], np.cumsum(far)])
    knots, along = spline(s, points)
    tangent = np.array([_slope(knots, along, x) for x in s])
    axes = _least_twist(tangent / np.linalg.norm(tangent, axis=1)[:, None])
    rho = np.array([_vector(a @ axes[0].T) for a in axes])
    if np.linalg.norm(rho, axis=1).max() > HALF_TURN:
        raise ValueError("a line that turns by more than 170 degrees from its start is not supported; divide it")
    turned = np.array([np.linalg.solve(rotation_of(r)[1], x) for r, x in zip(rho, phi, strict=True)])
    m = len(points)
    fields: list[Any] = [points, rho, psi.reshape(m, -1), turned.reshape(m, -1)]
    fields += [] if second is None else [second.reshape(m, -1)]
    knots, c = spline(s, np.hstack(fields), by_nodes)
    return Line(knots, c, axes[0], second is not None)


def _slope(knots: np.ndarray, c: np.ndarray, s: float) -> np.ndarray:
    k = int(np.clip(np.searchsorted(knots, s, side="right") - 1, 0, len(knots) - 2))
    x = s - knots[k]
    return np.asarray(sum(p * c[k, p] * x ** (p - 1) for p in range(1, c.shape[1])))


def _least_twist(z: np.ndarray) -> np.ndarray:
    """Axes with these third columns, each turned from the one before by the smallest rotation."""
    x = np.eye(3)[(int(np.argmax(abs(z[0]))) + 1) % 3]
    out = []
    for direction in z:
        x = x - (x @ direction) * direction
        x = x / np.linalg.norm(x)
        out.append(np.column_stack([x, np.cross(direction, x), direction]))
    return np.array(out)


def _vector(R: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation
    return np.asarray(Rotation.from_matrix(R).as_rotvec())
