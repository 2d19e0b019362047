"""Rods by shooting: what statics of beams is compared with."""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from pliant.items.beam_axis import skew


def strip_by_shooting(flexibility, force, guess):
    """Where the end is of a straight Cosserat rod of length 1, with a force on it in world axes; ``guess``: the moment at its root."""
    def rhs(s, z):
        R, m = z[3:12].reshape(3, 3), z[12:]
        n = R.T @ force
        strain = flexibility @ np.r_[n, m] + (1, 0, 0, 0, 0, 0)
        return np.r_[R @ strain[:3], (R @ skew(strain[3:])).ravel(), -np.cross(strain[3:], m) - np.cross(strain[:3], n)]

    def end(m):
        start = np.r_[np.zeros(3), np.eye(3).ravel(), m]
        return solve_ivp(rhs, (0, 1), start, rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
    z = end(fsolve(lambda m: end(m)[12:], guess, xtol=1e-12))
    assert abs(z[12:]).max() < 1e-10
    return z[:3]
