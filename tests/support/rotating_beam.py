"""Frequencies of a uniform Euler-Bernoulli beam, clamped to a hub and turning about an axis across it: finite elements of the differential
equation, independent of the program.

    (EI w'')'' - (T w')' = m (s^2 + W^2 [lag]) w,   T(x) = m W^2 (r (L - x) + (L^2 - x^2) / 2)

All without dimensions: L = m = EI = 1, the speed eta = W sqrt(m L^4 / EI), the hub radius r in lengths of the beam.
"""
import numpy as np
from scipy.linalg import eigh

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(6)


def frequencies(eta: float, hub: float, lag: bool = False, elements: int = 60) -> np.ndarray:
    """Ascending, in sqrt(EI / m L^4)."""
    h, n = 1 / elements, 2 * (elements + 1)
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(elements):
        rows = slice(2 * e, 2 * e + 4)
        for point, weight in zip(POINTS, WEIGHTS, strict=True):
            s, w = (1 + point) / 2, weight * h / 2
            x = (e + s) * h
            shape = np.array([1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)])
            slope = np.array([-6 * s + 6 * s**2, h * (1 - 4 * s + 3 * s**2), 6 * s - 6 * s**2, h * (3 * s**2 - 2 * s)]) / h
            bend = np.array([-6 + 12 * s, h * (6 * s - 4), 6 - 12 * s, h * (6 * s - 2)]) / h**2
            tension = eta**2 * (hub * (1 - x) + (1 - x**2) / 2)
            K[rows, rows] += w * (np.outer(bend, bend) + tension * np.outer(slope, slope) - (eta**2 * np.outer(shape, shape) if lag else 0))
            M[rows, rows] += w * np.outer(shape, shape)
    return np.sqrt(eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True))
