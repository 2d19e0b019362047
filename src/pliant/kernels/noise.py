"""Random numbers from counters: the same for the same seed and count, whatever the steps of a run are.

    splitmix64: Steele, Lea, Flood 2014, doi 10.1145/2660193.2660195; two of them give a normal one by Box and Muller 1958
"""
import numpy as np

from .jit import entry, jit


@jit
def mixed(x):
    """The number that splitmix64 gives first from the state x (uint64)."""
    z = x + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit
def unit(key, k):
    """Evenly distributed in 0 < u <= 1."""
    return (float(mixed(mixed(np.uint64(key)) ^ np.uint64(k)) >> np.uint64(11)) + 1.0) * 2.0**-53


@jit
def normal(key, k):
    """Number k of a sequence of independent normal numbers with mean 0 and variance 1."""
    return np.sqrt(-2 * np.log(unit(key, 2 * k))) * np.cos(2 * np.pi * unit(key, 2 * k + 1))


@entry
def first_of(x):
    """`mixed`, from Python."""
    return mixed(x)


@entry
def normals(key, first, out):
    """A part of a sequence, from Python."""
    for k in range(out.size):
        out[k] = normal(key, first + k)
