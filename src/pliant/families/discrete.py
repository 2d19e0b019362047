"""Discrete values: numbers of the history that change at instants only, by the program `update`. docs/theory/instants.md

An instant is a tick K of the common base of all periods (o.ck = 1, o.cm = K), or where a function has jumped (o.ck = 0); at the start of a
run o.ck = 2. What has a period is due if K is a multiple of it. Rows in order: values that are held from instant to instant stand
among computed signals, in order of flow; then memories take their next values, all at once; then latches, events and their actions, which
are repeated until nothing changes (W[CHANGED]). Plays alone also change after every step.
"""
import numpy as np

from ..kernels.contract import Family, Stage
from ..kernels.event_log import note
from ..kernels.expression_vm import ASKED, CHANGED, ENDS, evaluate
from ..kernels.jit import index, jit
from .signals import CODE, PLACE, SLOT, due

NEXT = index(8)              # ip: a place in Y for the next value
INPUT, SIDE = index(4, 6)    # ip of a play: the signal that takes it along; the place in H that says whether it does
HALF = index(0)              # rp of it: half of its width
INSTANT, START = 1.0, 2.0    # o.ck
TO_HISTORY, TO_STATE, TO_END, TO_STRUCTURE = index(0, 1, 2, 3)  # of actions
TARGET = index(6)            # ip of an action: which of these
ONCE = index(6)              # ip of an event: whether it fires no second time
TOLD, LOG, ROOM = index(8, 9, 10)  # ip of a latch or event: its row of what can happen, -1: not told; where in W that is noted, how many


@jit
def value(s, b, o, e):
    zero = 0 * s.H[0]
    return evaluate(s.t, zero, zero, s.Y, b.tab, b.val, b.ip[e, CODE], o.W)


@jit
def remember(s, b, o):
    """d <- f(t, signals), all at once"""
    for e in range(b.first, b.last):
        if due(b, o, e):
            s.Y[b.ip[e, NEXT]] = value(s, b, o, e)
    for e in range(b.first, b.last):
        if due(b, o, e):
            s.H[b.ip[e, PLACE]] = s.Y[b.ip[e, NEXT]]


@jit
def look(s, b, o):
    """Only so that the margins of choices are known."""
    for e in range(b.first, b.last):
        value(s, b, o, e)


@jit
def tell(s, b, o, e, x):
    """What happens here is noted, if it is told."""
    if b.ip[e, TOLD] >= 0:
        note(o.W, b.ip[e, LOG], b.ip[e, ROOM], b.ip[e, TOLD], s.t.real, x, np.nan)


@jit
def latch(s, b, o):
    """d <- f(t, d, signals) at every instant and jump"""
    for e in range(b.first, b.last):
        new = value(s, b, o, e)
        if new.real != s.H[b.ip[e, PLACE]].real:
            s.H[b.ip[e, PLACE]] = new
            s.Y[b.ip[e, SLOT]] = new
            o.W[CHANGED] = 1
            tell(s, b, o, e, new.real)


@jit
def follow(s, b, o):
    """d <- d within u - half and u + half, on contact                                                  [play-1]"""
    for e in range(b.first, b.last):
        if s.H[b.ip[e, SIDE]].real != 0:
            u, d, half = s.Y[b.ip[e, INPUT]], s.H[b.ip[e, PLACE]], b.rp[e, HALF]
            s.H[b.ip[e, PLACE]] = u - half if d.real < (u - half).real else u + half if d.real > (u + half).real else d


@jit
def event(s, b, o):
    """Whether a condition has become true: in its slot of Y for the actions that follow"""
    for e in range(b.first, b.last):
        now, before = value(s, b, o, e).real != 0, s.H[b.ip[e, PLACE]].real != 0
        fires = now and not before and o.ck != START
        s.Y[b.ip[e, SLOT]] = 1.0 if fires else 0.0
        s.H[b.ip[e, PLACE]] = 1.0 if now or (b.ip[e, ONCE] == 1 and before) else 0.0
        if fires:
            o.W[CHANGED] = 1
            tell(s, b, o, e, np.nan)


@jit
def act(s, b, o):
    """d <- f or z <- f, another structure or the end of the run, if the event of the slot has come"""
    for e in range(b.first, b.last):
        if s.Y[b.ip[e, SLOT]].real == 0:
            continue
        if b.ip[e, TARGET] == TO_END:
            o.W[ENDS] = 1
        elif b.ip[e, TARGET] == TO_STATE:
            s.v[b.ip[e, PLACE]] = value(s, b, o, e)
        else:
            s.H[b.ip[e, PLACE]] = value(s, b, o, e)
            if b.ip[e, TARGET] == TO_STRUCTURE:
                o.W[ASKED] = 1


MEMORY = Family("memory", sense=Stage(update=remember), rank=4)
PLAY = Family("play", sense=Stage(history=follow, update=follow), rank=4)
LATCH = Family("latch", sense=Stage(residual=look, update=latch), rank=5)
EVENT = Family("event", sense=Stage(residual=look, update=event), rank=6)
ACTION = Family("action", sense=Stage(update=act), rank=7)
