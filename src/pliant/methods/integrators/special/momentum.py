"""Momenta of a model that nothing holds, given back by a rigid motion of the whole. docs/theory/conserving.md

    P, L of (v + rigid) = those before,   rigid = (u + O x (p - c), R^T O)                                               [decaying-3]
"""
from typing import Any, NamedTuple

import numpy as np

from ....kernels.block_lu import subtract_image
from ....kernels.dense import lu_factorise, lu_solve
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import jit
from ....kernels.so3 import accumulate, add, cross, mul, rotation, store, sub, tmul, vec
from ....kernels.states import copy_tile


class Whole(NamedTuple):
    """Work arrays."""
    pole: np.ndarray     # where turns are about
    target: np.ndarray   # P, L before
    found: np.ndarray    # now
    by: np.ndarray       # P, L by six rigid motions
    pivots: np.ndarray
    y: np.ndarray        # a rigid motion
    D: np.ndarray        # factors that wait

    @classmethod
    def of(cls, n: int, tiles: Any) -> "Whole":
        return cls(np.zeros(3), np.zeros(6), np.zeros(6), np.zeros((6, 6)), np.zeros(6, np.int64), np.zeros(n), np.zeros_like(tiles))


@jit
def copy_tiles(a, b):
    """b = a"""
    for k in range(a.shape[0]):
        copy_tile(a, k, b, k)


@jit
def momenta(p, o, y, out):
    """P, and L about the pole, of velocities y with the masses in o.M"""
    d, x, c = p.d, p.x, vec(o.whole.pole, 0)
    out[:] = 0
    x.R[:] = 0
    subtract_image(o.M, p.lu, y, x.R)
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0], d.rotations[k, 1]
        f = vec(x.R, i - 3)
        accumulate(-1.0, f, out, 0)
        accumulate(-1.0, add(cross(sub(vec(x.q, iq - 3), c), f), mul(rotation(x.q, iq), vec(x.R, i))), out, 3)


@jit
def turned(p, o, e, w, y):
    """y <- velocity e and angular velocity w of the whole about the pole"""
    d, x, c = p.d, p.x, vec(o.whole.pole, 0)
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0], d.rotations[k, 1]
        store(add(e, cross(w, sub(vec(x.q, iq - 3), c))), y, i - 3)
        store(tmul(rotation(x.q, iq), w), y, i)


@jit
def remember(p, o):
    """Momenta of x; the pole is in the middle of the places."""
    d, n = p.d, p.d.rotations.shape[0]
    o.whole.pole[:] = 0
    for k in range(n):
        accumulate(1 / n, vec(p.x.q, d.rotations[k, 1] - 3), o.whole.pole, 0)
    momenta(p, o, p.x.v, o.whole.target)


@jit
def restore(p, o, t):
    """x gets the momenta that were remembered. Whether it could. Factors in x.D stay."""
    x, m = p.x, o.whole
    copy_tiles(x.D, m.D)
    x.D[:] = 0
    evaluate(o.matrix, p.d, x, t, 1.0, 0.0, 0.0)
    copy_tiles(x.D, o.M)
    copy_tiles(m.D, x.D)
    momenta(p, o, x.v, m.found)
    for k in range(6):
        m.found[k] = m.target[k] - m.found[k]
    for k in range(6):
        e, w = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)), (1.0 * (k == 3), 1.0 * (k == 4), 1.0 * (k == 5))
        turned(p, o, e, w, m.y)
        momenta(p, o, m.y, m.by[k])
    for i in range(6):
        for j in range(i):
            m.by[i, j], m.by[j, i] = m.by[j, i], m.by[i, j]
    if not lu_factorise(m.by, 6, m.pivots):
        return False
    lu_solve(m.by, 6, m.pivots, m.found)
    turned(p, o, vec(m.found, 0), vec(m.found, 3), m.y)
    for k in range(p.num.n_v):
        x.v[k] += m.y[k]
    return True
