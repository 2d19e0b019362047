"""Strains of beams in a step: the mean of both ends in the place of those in the middle, which a rotation shortens.
docs/theory/conserving.md

    e_ref + e(q_m) - (e(q_0) + e(q_1)) / 2  in the place of  e_ref                                                       [conserving-7]
"""
from typing import Any, NamedTuple

import numpy as np

from ....families.corotational import LENGTH
from ....families.exact_beams import QA, QB, STRAIN, screw, strain
from ....kernels.jit import inlined, jit
from ....kernels.so3 import add, dot, scale, store2, sub, vec, vec2


class Strains(NamedTuple):
    """Rows of exact beams, and of corotational ones, whose strain is that of the chord alone; what they are at the start of the step."""
    exact: tuple[int, int]
    chords: tuple[int, int]
    start: np.ndarray

    @classmethod
    def of(cls, exact: tuple[int, int], chords: tuple[int, int]) -> "Strains":
        return cls(exact, chords, np.zeros((max(exact[1], chords[1]), 6)))


class Pose(NamedTuple):
    """Nodes, as kernels of elements read them."""
    q: Any


@inlined
def strain_at(d, q, e):
    """d / L of beam-1"""
    _, phi, u, g, _, _ = screw(Pose(q), d, e)
    return strain(d, e, phi, u, g)


@inlined
def chord(d, q, e):
    x = sub(vec(q, d.ip[e, QB]), vec(q, d.ip[e, QA]))
    return np.sqrt(dot(x, x))


@jit
def begin_strains(d, o, q):
    """Of the start."""
    for e in range(o.exact[0], o.exact[1]):
        gamma, K = strain_at(d, q, e)
        store2(gamma, o.start, e, 0)
        store2(K, o.start, e, 3)
    for e in range(o.chords[0], o.chords[1]):
        o.start[e, 0] = chord(d, q, e)


@jit
def mean_strains(d, o, q1, q, rp):
    """rp <- the tables of elements with [conserving-7]"""
    for e in range(o.exact[0], o.exact[1]):
        (x, y), (a, b) = strain_at(d, q, e), strain_at(d, q1, e)
        store2(add(sub(x, scale(0.5, add(a, vec2(o.start, e, 0)))), vec2(d.rp, e, STRAIN)), rp, e, STRAIN)
        store2(add(sub(y, scale(0.5, add(b, vec2(o.start, e, 3)))), vec2(d.rp, e, STRAIN + 3)), rp, e, STRAIN + 3)
    for e in range(o.chords[0], o.chords[1]):
        rp[e, LENGTH] = d.rp[e, LENGTH] + chord(d, q, e) - (o.start[e, 0] + chord(d, q1, e)) / 2
