"""The numbers of implicit methods."""
from __future__ import annotations

import numpy as np

from .implicit import NODES


def powers() -> np.ndarray:
    """Coefficients of s, s^2, ... of the polynomial that is zero at 0, from its values at the nodes k / NODES."""
    s = np.arange(1, NODES + 1) / NODES
    return np.linalg.inv(s[:, None] ** np.arange(1, NODES + 1)).ravel()


def radau_iia_5() -> np.ndarray:
    """In the order of `radau`.     Hairer, Wanner II, IV.5 (5.12) and IV.8"""
    r = np.sqrt(6)
    c = np.array([(4 - r) / 10, (4 + r) / 10, 1.0])
    A = np.array([[(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
                  [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225], [(16 - r) / 36, (16 + r) / 36, 1 / 9]])
    inverse = np.linalg.inv(A)
    values, X = np.linalg.eig(inverse)
    real, upper = int(np.argmin(abs(values.imag))), int(np.argmax(values.imag))
    Y = np.linalg.inv(X)
    x, y = X[:, real].real, Y[real].real
    basis = np.linalg.inv(c[:, None] ** np.arange(1, 4))  # coefficient of s^l, stage
    bubble = np.polynomial.Polynomial.fromroots(c).integ()
    back = np.array([c[0] - 1, c[1] - 1, -1.0])
    ahead_v = np.linalg.inv(back[:, None] ** np.arange(1, 4))
    ahead_l = np.linalg.inv(back[:2, None] ** np.arange(1, 3))
    b = values[upper]
    parts = [c, A.ravel(), inverse.ravel(), [values[real].real], [b.real, b.imag], x, X[:, upper].real, X[:, upper].imag, y,
             Y[upper].real, Y[upper].imag, basis[0], ahead_v.ravel(), ahead_l.ravel(), basis.ravel(), bubble.coef[1:] / bubble.coef[1],
             powers()]
    return np.concatenate(parts)
