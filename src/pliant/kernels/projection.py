"""States put back on their constraints, by Newton's method: positions, then velocities, with the smallest change there is. One source
for absolute and joint coordinates; each names the kernels that look at the constraints and that move the state.

    dq with C_q dq = -C,   dv with C_q dv = -(C_q v + C_t)
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .evaluation import retract
from .evaluation import run as evaluate
from .jit import index, jit, variants
from .ode import load, store_state
from .states import copy, largest, normalise, scaled
from .status import DONE, SINGULAR

CORRECTIONS, PASSES = 20, 2      # of positions and of velocities, at most
FORTH, BACK, RATES = index(0, 1, 2)
KEPT, RENEWED = index(0, 1)      # of what linear algebra chooses, such as pivots


# What the algorithms are made with.
look: Any = None     # look(p, t, renewed): the violation in x.R at the position in x. A status
prepare: Any = None  # prepare(p, t): factors at that position. A status
move: Any = None     # move(p, values): the change that takes these values of the equations away


@jit
def ready(p, t):
    """In place of `prepare`, where `look` has made the factors."""
    return DONE


@jit
def gap(p, values):
    """The largest of the equations among ``values``, in sizes of the model."""
    return scaled(values, p.unit, p.num.n_v)


@jit
def change_state(p, t, y, how):
    """With the change of `move`: the position (what it was is kept), the position as it was, or the velocities."""
    if how == FORTH:
        copy(p.x.q, p.q)
        retract(p.d, p.q, p.y, 1.0, p.x.q)
    elif how == BACK:
        copy(p.q, p.x.q)
    else:
        for k in range(p.num.n_v):
            p.x.v[k] += p.y[k]


@jit
def look_at_rates(p, t):
    """The violation of velocities in x.V."""
    p.x.V[:] = 0
    evaluate(p.rates, p.d, p.x, t, 0.0, 0.0, 0.0)


@jit
def suffices(p, before, size):
    """Whether one more correction with the same factors will do."""
    return False


# The algorithms.
def close_positions(p, t, y, renewed, tolerance):
    """dq; as it was where that does not help: next to a singular position, or rounding. A status."""
    status, anew = look(p, t, renewed), True
    if status != DONE:
        return status
    before = gap(p, p.x.R)
    for _ in range(CORRECTIONS):
        if before <= tolerance:
            break
        if anew and prepare(p, t) != DONE:
            return SINGULAR
        move(p, p.x.R)
        p.num.iterations += 1
        change_state(p, t, y, FORTH)
        status = look(p, t, KEPT)
        size = gap(p, p.x.R)
        if status != DONE or not size < before:
            change_state(p, t, y, BACK)
            return look(p, t, KEPT)
        anew = not suffices(p, before, size)
        before = size
    return DONE


def close_rates(p, t, y, anew, tolerance):
    """The same for velocities. The factors are those of the last position unless they are to be made ``anew``, or turn out to need it."""
    before, here = np.inf, False
    for k in range(PASSES):
        look_at_rates(p, t)
        size = gap(p, p.x.V)
        if size <= tolerance:
            break
        if anew if k == 0 else not here and not suffices(p, before, size):
            if prepare(p, t) != DONE:
                return SINGULAR
            here = True
        before = size
        move(p, p.x.V)
        p.num.iterations += 1
        change_state(p, t, y, RATES)
    return DONE


def corrected(p, t, y):
    """A state in absolute coordinates, put back. A status."""
    normalise(p.d, y)
    load(p, y)
    status = close_positions(p, t, y, RENEWED, p.par.tolerance)
    if status == DONE:
        status = close_rates(p, t, y, True, p.par.tolerance)
    if status != DONE:
        return status
    store_state(p, y)
    measure(p, t, y)
    return DONE


@jit
def measure(p, t, y):
    """Violations of a state, unscaled, in par."""
    load(p, y)
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    p.par.position_gap = max(p.par.position_gap, largest(p.x.R, p.num.n_v))
    look_at_rates(p, t)
    p.par.velocity_gap = max(p.par.velocity_gap, largest(p.x.V, p.num.n_v))


@jit
def leave(p, t, y):
    """No correction."""
    normalise(p.d, y)
    measure(p, t, y)
    return DONE


def projection(name: str, **parts: Any) -> tuple[Any, Any, Any]:
    """`close_positions`, `close_rates` and `corrected` with these kernels in place of `look`, `prepare`, `move` and, where they
    differ, of the others."""
    positions, rates, correct = variants(name, close_positions, close_rates, corrected, **parts)
    return positions, rates, correct
