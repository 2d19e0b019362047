"""What an energy-decaying step has more than one that conserves energy: a filter of what it does not resolve. docs/theory/conserving.md

    v <- v - k S^2 v,  q <- q - k S^2 (q_1 - q_0) / 2,   S = 1 - D^-1 M,  D = M + h^2/4 K on the constraints, k = 1 - rho   [decaying-1]

accepted where it lowers the energy, else with half of it, or not at all.
"""
from typing import NamedTuple

import numpy as np

from ....kernels.block_lu import subtract_image
from ....kernels.contract import ELASTIC, KINETIC, POTENTIAL, POWER
from ....kernels.evaluation import Program, retract
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import inlined, jit
from ....kernels.so3 import mul, rotation, store, store2, tmul, vec
from ....kernels.states import copy, copy_part, normalise, scaled
from ....kernels.status import DONE
from ....kernels.tile_solver import factors, solved
from .momentum import Whole, copy_tiles, remember, restore

TRIES = 5            # parts of the filter: 1, 1/2, 1/4 …
CLOSINGS = 4         # Newton's method on joints
CLOSED = 1e-12       # sizes of the model


class Filter(NamedTuple):
    """Programs and work arrays."""
    rho: float
    n_motion: int
    free: bool            # nothing holds the model: its momenta are kept
    elastic: Program      # forces that push back
    matrix: Program
    total: Program        # the energy
    M: np.ndarray         # tiles of [M C^T; C 0]
    v1: np.ndarray        # as the step left them
    a1: np.ndarray
    q1: np.ndarray
    u: np.ndarray         # what is taken off positions
    w: np.ndarray         # and off velocities
    whole: Whole


@inlined
def still(p, o):
    """Velocities of what moves are zero."""
    for k in range(o.n_motion):
        p.x.v[k] = 0.0


@jit
def image(p, o, y):
    """x.R <- [M C^T; C 0] y, y a motion"""
    p.x.R[:] = 0
    subtract_image(o.M, p.lu, y, p.x.R)
    for k in range(p.x.R.size):
        p.x.R[k] = -p.x.R[k]


@jit
def less(p, o, y):
    """y <- y - D^-1 x.R, motions alone"""
    solved(p)
    for k in range(y.size):
        y[k] = y[k] - p.x.R[k] if k < o.n_motion else 0.0


@jit
def fast_part(p, o, y):
    """y <- S y"""
    image(p, o, y)
    p.x.R[p.num.n_v:] = 0
    less(p, o, y)


@jit
def pushes(p, o, t, q, y):
    """y <- forces that push back at q, those on places in axes of their nodes"""
    copy(q, p.x.q)
    evaluate(o.elastic, p.d, p.x, t, 0.0, 0.0, 0.0)
    copy(p.x.R, y)
    for k in range(p.d.rotations.shape[0]):
        i = p.d.rotations[k, 0] - 3
        store(tmul(rotation(q, p.d.rotations[k, 1]), vec(y, i)), y, i)


@jit
def change_of_forces(p, w, c, o):
    """x.R <- h^2/8 (F_1 - F_0), each node's change in its own axes                                      [decaying-2]"""
    d, h = p.d, c.h
    copy_part(w.y0, 0, p.q, 0, p.x.q.size)
    pushes(p, o, c.t0, p.q, o.u)
    pushes(p, o, c.t1, o.q1, o.w)
    p.x.R[:] = 0
    for k in range(o.n_motion):
        p.x.R[k] = h * h / 8 * (o.w[k] - o.u[k])
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 0] - 3
        store(mul(rotation(o.q1, d.rotations[k, 1]), vec(p.x.R, i)), p.x.R, i)


@jit
def matrices(p, c, o):
    """M, and factors of D, at the end of the step. A status."""
    x, h = p.x, c.h
    for k in range(x.T.shape[0]):
        store2((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), x.T, k, 0)
    x.D[:] = 0
    evaluate(o.matrix, p.d, x, c.t1, 1.0, 0.0, 0.0)
    copy_tiles(x.D, o.M)
    x.D[:] = 0
    evaluate(p.tangent, p.d, x, c.t1, 1.0, 0.0, h * h / 4)
    p.num.factorisations += 1
    return factors(p)


@jit
def directions(p, w, c, o):
    """u and w: what unresolved motions there are. A status."""
    x, n_v = p.x, p.num.n_v
    still(p, o)
    x.a[:] = 0
    status = matrices(p, c, o)
    if status != DONE:
        return status
    change_of_forces(p, w, c, o)
    o.u[:] = 0
    less(p, o, o.u)
    fast_part(p, o, o.u)
    for k in range(n_v):
        o.u[k] = -o.u[k]
    copy(o.q1, x.q)
    copy(o.v1, x.v)
    x.V[:] = 0
    evaluate(p.rates, p.d, x, c.t1, 0.0, 0.0, 0.0)
    copy(o.v1, o.w)
    o.w[o.n_motion:] = 0
    image(p, o, o.w)
    for k in range(n_v, x.R.size):
        x.R[k] -= x.V[k]
    less(p, o, o.w)
    fast_part(p, o, o.w)
    return DONE


@jit
def closed(p, c, o):
    """Joints as near as they were, by Newton's method. Whether they are."""
    x, before = p.x, 1e300
    for _ in range(CLOSINGS):
        evaluate(p.residual, p.d, x, c.t1, 0.0, 0.0, 0.0)
        gap = scaled(x.R, p.unit, p.num.n_v)
        if gap <= CLOSED:
            return True
        if not gap < before:
            return False
        before = gap
        x.R[:p.num.n_v] = 0
        solved(p)
        copy(x.q, p.q)
        retract(p.d, p.q, x.R, -1.0, x.q)
    return False


@jit
def energy(p, o, t):
    p.x.E[:] = 0
    evaluate(o.total, p.d, p.x, t, 0.0, 0.0, 0.0)
    return p.x.E[KINETIC] + p.x.E[POTENTIAL] + p.x.E[ELASTIC]


@jit
def power(p, o, t, y, by):
    """Of loads at velocities ``by`` times y."""
    for k in range(o.n_motion):
        p.x.v[k] = by * y[k]
    p.x.E[:] = 0
    evaluate(p.power, p.d, p.x, t, 0.0, 0.0, 0.0)
    return p.x.E[POWER]


@jit
def filtered(p, w, c, o):
    """The state at the end of the step, in x, without what the step does not resolve; its work on loads. As it was where that would
    not lower the energy."""
    x, work = p.x, 0.0
    normalise(p.d, x.q)
    copy(x.q, o.q1)
    copy(x.v, o.v1)
    copy(x.a, o.a1)
    before, good = energy(p, o, c.t1), directions(p, w, c, o) == DONE
    if good and p.num.powered == 1:
        copy(o.q1, x.q)
        work = power(p, o, c.t1, o.u, -1.0) - power(p, o, c.t1, o.u, 0.0)
    if o.free and good:
        copy(o.q1, x.q)
        copy(o.v1, x.v)
        remember(p, o)
    part, found = 1 - o.rho, False
    for _ in range(TRIES):
        if not good or found:
            break
        retract(p.d, o.q1, o.u, -part, x.q)
        normalise(p.d, x.q)
        found = closed(p, c, o)
        for k in range(p.num.n_v):
            x.v[k] = o.v1[k] - part * o.w[k]
        if o.free and found:
            found = restore(p, o, c.t1)
        found = found and energy(p, o, c.t1) <= before + part * work
        part = part if found else part / 2
    if not found:
        copy(o.q1, x.q)
        copy(o.v1, x.v)
    copy(o.a1, x.a)
    return part * work if found else 0.0
