"""The numbers of Radau IIA with three stages."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

NODES = 6  # of the polynomial for values in between: its degree


class Radau(NamedTuple):
    """A^-1 = X diag(real, pair, conj pair) Y.     Hairer, Wanner II, IV.5 (5.12) and IV.8"""
    c: np.ndarray
    A: np.ndarray
    inverse: np.ndarray    # of A
    real: float            # eigenvalues of that
    pair: complex
    X_real: np.ndarray     # columns of X
    X_pair: np.ndarray     # real and imaginary part
    Y_real: np.ndarray     # rows of Y
    Y_pair: np.ndarray
    basis: np.ndarray      # coefficient of s^(l+1) in the polynomial through stage i
    bubble: np.ndarray     # coefficients of the polynomial with slope 1 at the start whose slope is zero at the stages
    ahead_v: np.ndarray    # from values at earlier stages to coefficients behind the step
    ahead_l: np.ndarray
    powers: np.ndarray     # coefficients of s, s^2, ... of the polynomial that is zero at 0, from its values at the nodes k / NODES


def radau_iia_5() -> Radau:
    r = np.sqrt(6)
    c = np.array([(4 - r) / 10, (4 + r) / 10, 1.0])
    A = np.array([[(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
                  [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225], [(16 - r) / 36, (16 + r) / 36, 1 / 9]])
    inverse = np.linalg.inv(A)
    values, X = np.linalg.eig(inverse)
    real, upper = int(np.argmin(abs(values.imag))), int(np.argmax(values.imag))
    Y = np.linalg.inv(X)
    bubble = np.polynomial.Polynomial.fromroots(c).integ()
    back = np.array([c[0] - 1, c[1] - 1, -1.0])
    s = np.arange(1, NODES + 1) / NODES
    return Radau(c, A, inverse, float(values[real].real), complex(values[upper]), X[:, real].real.copy(),
                 np.stack([X[:, upper].real, X[:, upper].imag]), Y[real].real.copy(), np.stack([Y[upper].real, Y[upper].imag]),
                 np.linalg.inv(c[:, None] ** np.arange(1, 4)), bubble.coef[1:] / bubble.coef[1],
                 np.linalg.inv(back[:, None] ** np.arange(1, 4)), np.linalg.inv(back[:2, None] ** np.arange(1, 3)),
                 np.linalg.inv(s[:, None] ** np.arange(1, NODES + 1)))
