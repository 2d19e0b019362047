"""Instants: ticks of sampled blocks, and what happens behind a jump. docs/theory/instants.md

    t_K = t_0 + K T,   T: the base of all periods                                                        [instant-1]

Discrete values change, conditions are looked at until nothing changes any more, and the next smooth interval begins with the same step.
"""
from ....compile.discrete import ROUNDS
from ....families.discrete import INSTANT, START
from ....kernels.by_reference import reference
from ....kernels.evaluation import run as evaluate
from ....kernels.expression_vm import ASKED, CHANGED, ENDS
from ....kernels.jit import entry, jit
from ....kernels.status import CHATTERS, DONE, NOT_FINITE
from .control import NEVER
from .rows import place, react
from .settling import release

CALM, SAME = 0.0, 1e-9  # no instant, only a jump; of a period: times that are one


@jit
def time_of(c):
    """Of the tick, as calls are told.                                                                   [instant-1]"""
    return c.origin + c.tick * c.base


@jit
def way_left(c):
    """Time to the end of the smooth interval; a tick that is due at once, next to a jump, limits nothing."""
    return c.stop - c.now if c.stop > c.now else c.most


@entry
def next_tick(c, every, stops, first):
    """The next instant: the first tick from ``first`` on at which something is due. One next to a jump in time comes right behind it: there
    is no step in between."""
    best = -1
    for k in range(every.size):
        n = -(-first // every[k]) * every[k]
        best = n if best < 0 or n < best else best
    c.tick, c.instant = best, NEVER
    if best >= 0:
        t = time_of(c)
        c.instant = t if t < c.last - SAME * c.base else NEVER
        k = c.coming
        while k < stops.shape[0] - 1 and stops[k, 0] <= c.instant + c.least:
            if stops[k, 1] >= c.instant - c.least:
                c.instant = max(c.instant, stops[k, 1])
            k += 1


@jit
def take_states(p, w):
    """States that an action has set, in y0."""
    for k in range(w.states.shape[0]):
        w.y0[p.num.state_q + w.states[k, 0]] = p.x.v[w.states[k, 1]]


@jit
def happen(p, w, c, t, how):
    """Discrete values at t: DONE, c.changed if some have changed, c.structure if another structure is asked for, which Python passes;
    CHATTERS if they do not come to rest."""
    place(p, w, t, w.y0)
    if c.reactive == 1:  # of the branches that are taken now
        release(p, c)
        react(p, w, c, t, w.y0)
    c.changed = 1 if how != CALM else 0
    c.structure, p.x.W[ASKED] = 0, 0
    for _ in range(ROUNDS):
        release(p, c)
        p.x.W[CHANGED], p.x.W[ENDS] = 0, 0
        evaluate(w.update, p.d, p.x, t, float(c.tick), 0.0, how)
        take_states(p, w)
        if p.x.W[ENDS] != 0:
            c.finished = int(p.x.W[ENDS])
            if c.finished == 2:  # a controller failed
                return NOT_FINITE
        if p.x.W[ASKED] != 0:
            c.structure = 1
        if p.x.W[CHANGED] == 0 and how == CALM:
            return DONE
        if p.x.W[CHANGED] != 0:
            c.changed = 1
        how = CALM
    return CHATTERS


@jit
def at_instant(p, w, c):
    """The same at a tick; the next one follows."""
    status = happen(p, w, c, time_of(c), INSTANT)
    next_tick(c, w.every, w.stops, c.tick + 1)
    return status


@entry
def begin_discrete(problem, steps, c, starts):
    """From Python: at the start of a run, with the first tick if that is now, or behind a jump. A status."""
    p, w = reference(problem), reference(steps)
    status = happen(p, w, c, c.now, START if starts else CALM)
    if starts:
        next_tick(c, w.every, w.stops, c.tick + 1)
    return status
