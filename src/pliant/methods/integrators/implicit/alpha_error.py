"""The local error of a step of generalized-alpha, and what a change of step needs to stay smooth. docs/theory/integrators.md"""
import numpy as np

from ....kernels.jit import jit
from ....kernels.ode import load
from ....kernels.so3 import accumulate, cross, vec
from ....kernels.states import copy, copy_part
from ....kernels.status import DONE, OPEN
from ..time_loop.chosen_steps import judge, share
from ..time_loop.speeds import is_state, turning
from .alpha_absolute import cleaned, renew, rescale, tangential
from .alpha_memory import constants
from .stages import to_error

REFRESH = 20       # steps that factors are kept: the estimate needs them near the current position
FORCE = 20.0       # a jump of multipliers that much larger than that of inertia forces is one of a singular position
LONG = 4           # iterations of a step that is not followed by a longer one
HOLD = 20          # steps that are not made longer after a singular position
NOISE = 0.1        # of an error that is too large: if rounding may be so much of it, accelerations are cleaned
APART = 3          # steps that lie between accelerations of one estimate


@jit
def local_errors(p, w, c, o):
    """jerk = c_q a' (+ w x w' / 12 of rotations), snap = c_v a'', from accelerations of four times; alternating parts, which
    the method carries across the constraints, drop out of these differences                               [alpha-7]"""
    _, cq, cv = constants(o.n)
    h, h1, h2, told = c.h, o.n.h1, o.n.h2, o.n.told
    for i in range(o.b0.size):
        s0 = (o.clean[i] - o.clean0[i]) / h
        o.jerk[i] = cq * (s0 if told == 0 else (o.clean[i] - o.before[i]) / (h + h1))
        o.snap[i] = 0
        if told >= 2:
            s1, s2 = (o.clean0[i] - o.before[i]) / h1, (o.before[i] - o.older[i]) / h2
            o.snap[i] = cv * ((s0 - s1) / (h + h1) + (s1 - s2) / (h1 + h2))
        elif is_state(w, i):  # it has no position to tell of its error
            o.snap[i] = 2 * cv * (s0 - (o.clean0[i] - o.before[i]) / h1) / (h + h1)
    for j in range(p.maps.rotations.shape[0]):
        i = p.maps.rotations[j, 0]
        accumulate(1 / 12, cross(vec(o.v, i), vec(o.a, i)), o.jerk, i)


@jit
def passed_singular(o):
    """Whether multipliers jumped so much more than inertia forces that the estimate tells of a singular position: smaller steps
    would only come closer to it."""
    force, inertia = 0.0, 0.0
    for i in range(o.b0.size, o.lam.size):
        force = max(force, abs(o.lam[i] - o.lam0[i]))
    for i in range(o.b0.size):
        inertia = max(inertia, o.mass[i] * abs(o.a[i] - o.rate[i]))
    return force > FORCE * inertia


def gauged(p, w, c, o, t):
    """The error of the step over what is allowed, from accelerations `clean`."""
    local_errors(p, w, c, o)
    tangential(p, w, c, o, t, o.jerk)
    tangential(p, w, c, o, t, o.snap)
    to_error(p, w, o.jerk, o.snap, c.h * c.h * c.h)
    return judge(p, w, c)


def controlled(p, w, c, o, t1):
    """The error, with new factors before it says no; and the wish for the next step: unchanged unless it pays. A status."""
    n, n_q, n_v, error = o.n, p.num.state_q, o.b0.size, 0.0
    n.gap = 0.0
    for attempt in range(2):
        if n.cleaning == 1:
            cleaned(p, w, c, o, t1)
        else:
            copy_part(o.a, 0, o.clean, 0, n_v)
        error = gauged(p, w, c, o, t1)
        if error <= 1 or n_v == o.lam.size or n.kept <= 1 or attempt == 1 or not renew(p, w, c, o, t1):
            break
    if error <= 1:
        if n.gap > n.widest:
            return OPEN
        p.par.position_gap = max(p.par.position_gap, n.gap)
    slow = p.num.factorisations > n.made and p.num.iterations - n.begun > LONG
    n.held = max(LONG, n.held - 1) if slow else max(0, n.held - 1)
    if error > 1 and passed_singular(o):
        for k in range(n_q + n_v):
            w.error[k] /= 1.01 * error
        error, n.held = 1.0, HOLD
    factor, c.wish = 0.9 / np.sqrt(max(error, 1e-4)), 1.0
    known = n.cleaning == 0 or n.told > 1
    if error <= 1 and n.held == 0 and factor > 1.2 and n.later == 0 and known:
        c.wish, n.growing = min(factor, 2.0), 1
    elif error <= 1 and n.held == 0 and factor < 0.95:
        c.wish = max(factor, 0.5)
    return DONE


@jit
def largest(w, n_q, y):
    """Of velocities, in their speeds."""
    most = 0.0
    for i in range(y.size):
        most = max(most, w.weight[n_q + i] * abs(y[i]) / w.speed[i])
    return most


def look_for_noise(p, w, c, o):
    """Before a step is made again: how much of its error may be rounding. Rounding errors of accelerations lie across the constraints of
    their time, which turn; and forces of velocities carry them along the constraints. If they count, accelerations are cleaned from
    here on; differences with those before tell nothing.                                                  [alpha-11]"""
    n, x, n_q, n_v = o.n, p.x, p.num.state_q, o.b0.size
    load(p, w.y0)
    copy_part(o.rate, 0, x.a, 0, n_v)
    copy_part(o.lam0, n_v, x.lam, n_v, o.lam.size - n_v)
    if n.factored == 0 and not renew(p, w, c, o, c.t0):
        return
    cleaned(p, w, c, o, c.t0)
    for i in range(n_v):
        o.snap[i] = o.rate[i] - o.clean[i]
    across = APART * c.h * turning(p, w.y0) * largest(w, n_q, o.snap)
    tangential(p, w, c, o, c.t0, o.snap)
    if abs(constants(n)[2]) * c.h * (largest(w, n_q, o.snap) + across) > NOISE * c.e_bad * share(c):
        copy(o.clean, o.clean0)
        n.cleaning, n.told = 1, 0


def prepare(p, w, c, o):
    """Before a step: the memory of the method for its length, and factors that are not too old                  [alpha-9]

    b0 belongs to t + Delta h, so it moves by Delta (h - h_old) a'. The velocities carry the error c_q h^2 a' across the constraints, which
    is seen as C_q v + C_t: it is scaled by (h / h_old)^2. Without this the multipliers would oscillate. What the
    iteration left of the position constraints is removed, as its effect grows with 1 / h^2.
    """
    n, h = o.n, c.h
    if n.age > 0 and h != n.h_alg:
        shift = constants(n)[0]
        for i in range(o.b0.size):
            o.b0[i] += shift * (h - n.h_alg) * (o.clean0[i] - o.before[i]) / n.h1
        if o.lam.size > o.b0.size and n.held == 0:
            rescale(p, w, c, o)
    n.h_alg = h
    if c.grown == 1 and n.cleaning == 0 and o.lam.size > o.b0.size:
        look_for_noise(p, w, c, o)
    if n.made != p.num.factorisations:
        n.made, n.kept = p.num.factorisations, 0
    n.kept += 1
    if n.kept > REFRESH:
        n.factored = 0
    n.begun = p.num.iterations
