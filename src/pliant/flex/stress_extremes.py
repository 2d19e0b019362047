"""Extremes of stresses over times, in compiled code."""
import numpy as np

from ..kernels.jit import entry, jit
from . import tensors

squared_mises = jit(tensors.squared_mises)
roots = jit(tensors.roots)


@entry
def keep_extremes(sigma, first, row, mises, mises_at, high, high_at, low, low_at):  # type: ignore[no-untyped-def]
    """Of stresses (points, 6, times) the largest von Mises stress, the largest and the smallest principal stress so far, and their times;
    points begin at ``row``, times at ``first``. Principal stresses are within 2/3 of the von Mises stress from the mean [stress-4]: where
    that is not enough they are not computed."""
    for i in range(sigma.shape[0]):
        p = row + i
        best, largest, smallest = mises[p], high[p], low[p]
        square = best * best if best >= 0 else -1.0
        for j in range(sigma.shape[2]):
            xx, yy, zz, xy, yz, xz = sigma[i, 0, j], sigma[i, 1, j], sigma[i, 2, j], sigma[i, 3, j], sigma[i, 4, j], sigma[i, 5, j]
            s2 = squared_mises(xx, yy, zz, xy, yz, xz)
            if s2 > square:
                square, mises_at[p] = s2, first + j
            mean, reach = (xx + yy + zz) / 3, 0.6666667 * np.sqrt(s2)
            if mean + reach > largest or mean - reach < smallest:
                a, b = roots(xx, yy, zz, xy, yz, xz)
                if b > largest:
                    largest, high_at[p] = b, first + j
                if a < smallest:
                    smallest, low_at[p] = a, first + j
        mises[p], high[p], low[p] = np.sqrt(square), largest, smallest
