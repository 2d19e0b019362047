"""Rigid limits of a tree at an instant, in compiled code: what `rigid_passage` does to them in Python, with sweeps over the tree instead
of matrices. docs/theory/rigid_contact.md

    0 <= P  perpendicular to  u+ - least >= 0,  least = max(0, -e u);    0 <= F  perpendicular to  a >= 0                [limits-1]

Which limits are held is found by exchange: all that contradict their state change it at once, while that helps, and then one at a time,
which comes to an end (Murty 1974; Judice and Pires 1994). One sweep gives all P and u+ of a guess, or all F and a.
"""
import numpy as np

from ....families.rigid_stops import OPEN, ROOM, SLIDES
from ....joint_space.limits import (
    CHANGES,
    IMPACTS,
    PHASE,
    RATE,
    RESTITUTION,
    SIGN,
    SIZE,
    gap,
    margins,
    pressed,
    taken,
    thrown,
)
from ....kernels.by_reference import reference
from ....kernels.event_log import note
from ....kernels.impacts import GAIN
from ....kernels.jit import entry, index, jit
from ....kernels.states import copy
from ....kernels.status import DONE, NOT_FINITE
from .rigid_passage import CROWD, LEAVES, REST, ROUNDING, SLIGHT, TOUCH, TOUCHES

IMPULSES, FORCES = index(0, 1)
TRIES = index(5)       # exchanges of all that do not help, before they go one by one
NONE = 1e-12           # of the largest: nothing


@jit
def look(p, w, c, s, t, y):
    """Margins at a state."""
    margins(p, s, y, c.reacts == 1)
    return DONE


@jit
def take(p, w, c, s):
    """As an interval begins: what the history says is held."""
    c.reacts = 1 if taken(p, s, w.y0) > 0 else 0
    return DONE


@jit
def answer(p, s, t, y, what):
    """What follows from a guess."""
    return thrown(p, s, t, y) if what == IMPULSES else pressed(p, s, t, y)


@jit
def largest(s, x):
    most = 0.0
    for i in range(x.size):
        most = max(most, abs(x[i]) if s.part[i] == 1 else 0.0)
    return most


@jit
def contradicts(s, i, what, pull, miss):
    """Whether limit i is held though it would have to pull, or let go though it closes."""
    if s.part[i] == 0 or (what == IMPULSES and s.rests[i] == 1):
        return False
    if s.on[i] == 1:
        return (s.P[i] if what == IMPULSES else s.F[i]) < -pull
    return (s.after[i] - s.least[i] if what == IMPULSES else s.a[i]) < -miss


@jit
def exchanged(p, s, t, y, what):
    """Those that are held, among those that take part, from a guess on. A status: NOT_FINITE also where there is no end.  [limits-1]"""
    n, fewest, left = s.on.size, s.on.size + 1, TRIES
    for _ in range(20 * n + 100):
        status = answer(p, s, t, y, what)
        if status != DONE:
            return status
        pull = NONE * largest(s, s.P if what == IMPULSES else s.F)
        miss = NONE * max(largest(s, s.v if what == IMPULSES else s.a), largest(s, s.least) if what == IMPULSES else 0.0)
        wrong, last = 0, 0
        for i in range(n):
            if contradicts(s, i, what, pull, miss):
                wrong, last = wrong + 1, i
        if wrong == 0:
            return DONE
        left = TRIES if wrong < fewest else left - 1
        fewest = min(fewest, wrong)
        for i in range(n):
            if i == last or (left > 0 and contradicts(s, i, what, pull, miss)):
                s.on[i] = 1 - s.on[i]
    return NOT_FINITE


@jit
def see(p, w, c, s):
    """What touches, and its speeds; whether something closes."""
    closes, still = False, REST * max(c.speed, c.slowest)
    for i in range(s.on.size):
        s.v[i] = s.rp[i, SIGN] * w.y0[p.num.state_q + s.ip[i, RATE]]
        s.touch[i] = 1 if p.x.H[s.ip[i, PHASE]] != OPEN or gap(s, w.y0, i) <= TOUCH * s.rp[i, SIZE] else 0
        s.after[i], s.rests[i], s.P[i], s.F[i], s.a[i], s.least[i] = s.v[i], 0, 0.0, 0.0, 0.0, 0.0
        closes = closes or (s.touch[i] == 1 and s.v[i] < -still * s.rp[i, SIZE])
    copy(w.y0, s.y)
    s.work[0] = 0
    return closes


@jit
def collide(p, w, c, s):
    """Speeds behind the impact in the state of s. A status."""
    n_q = p.num.state_q
    for i in range(s.on.size):
        s.part[i] = s.touch[i]
        s.least[i] = 0.0 if s.rests[i] == 1 else max(0.0, -s.rp[i, RESTITUTION] * s.v[i])
        s.on[i] = 1 if s.touch[i] == 1 and (s.rests[i] == 1 or s.v[i] <= REST * c.speed * s.rp[i, SIZE]) else 0
    status = exchanged(p, s, c.now, w.y0, IMPULSES)
    copy(w.y0, s.y)
    for k in range(p.num.state_v):
        s.y[n_q + k] += p.joints.tree.du[k]
    return status


@jit
def push(p, w, c, s):
    """Which limits press, of those that do not move apart. A status."""
    for i in range(s.on.size):
        s.part[i] = 1 if s.touch[i] == 1 and (s.rests[i] == 1 or s.after[i] <= REST * c.speed * s.rp[i, SIZE]) else 0
        s.on[i] = s.part[i]
    return exchanged(p, s, c.now, s.y, FORCES)


@jit
def rest(p, w, c, s):
    """Limits that would open and be touched again within so small a height that they rest: they are held through the impact, even if it
    pulls; what that takes is given back by their force, in the time of the flight that there is not. True if there are others than
    before.                                                                                                         [limits-2]"""
    changed = False
    for i in range(s.on.size):
        if s.rests[i] == 1 and s.on[i] == 0:
            s.rests[i], changed = -1, True
        elif s.touch[i] == 1 and s.rests[i] == 0 and s.part[i] == 0 and s.rp[i, RESTITUTION] < 1 and s.a[i] < 0 \
                and s.after[i]**2 <= -2 * s.a[i] * s.low * s.rp[i, SIZE]:
            s.rests[i], changed = 1, True
            s.fall[i] = 2 * s.after[i] / -s.a[i] / (1 - s.rp[i, RESTITUTION])
    return changed


@jit
def tell(p, c, s, i, before, after):
    """Of an impact, and of a change.                                                                     as in [zeno-1]"""
    W, log, room = p.x.W, s.log[0], s.log[1]
    if s.P[i] != 0:
        note(W, log, room, s.ip[i, IMPACTS], c.now, abs(s.P[i]), -s.P[i] * (s.v[i] + s.after[i]) / 2 + 0.0)
    if before != after:
        bounces = s.rests[i] == 1 and s.P[i] > 0
        note(W, log, room, s.ip[i, CHANGES], c.now + (s.fall[i] if bounces else 0.0), LEAVES if after == OPEN else TOUCHES, np.nan)


@jit
def gains(s):
    """Whether an impact gives more energy than it takes, as different restitutions may: then Poisson's law is taken."""
    gain, moved = 0.0, 0.0
    for i in range(s.on.size):
        gain += s.P[i] * (s.v[i] + s.after[i]) / 2
        moved += abs(s.P[i] * s.v[i])
    return gain > GAIN * moved


@jit
def settled(p, w, c, s):
    """States behind what happens, and what is held from there on, in the history."""
    lost, weakest = 0.0, SLIGHT * largest(s, s.F)
    for i in range(s.on.size):
        lost -= s.P[i] * (s.v[i] + s.after[i]) / 2
        h = s.ip[i, PHASE]
        before, after = p.x.H[h], SLIDES if s.on[i] == 1 and s.F[i] > weakest else OPEN
        tell(p, c, s, i, before, after)
        p.x.H[h] = after
        p.x.H[h + ROOM] = max(0.0, -gap(s, w.y0, i)) + ROUNDING * s.rp[i, SIZE] if s.touch[i] == 1 else 0.0
    copy(s.y, w.y0)
    w.y0[w.y0.size - 2] += lost
    w.y0[w.y0.size - 1] += s.work[0]


@jit
def crowded(c, s):
    """Whether instants do not get on, which Python tells."""
    s.crowd[1] = s.crowd[1] + 1 if c.now - s.crowd[0] <= 10 * c.least else 0
    s.crowd[0] = c.now
    return s.crowd[1] > CROWD


@jit
def meet(p, w, c, s):
    """The state y0 at c.now right behind what happens to limits there. A status; nothing has changed unless DONE."""
    if crowded(c, s):
        return NOT_FINITE
    closes, status = see(p, w, c, s), DONE
    for _ in range(2 * s.on.size + 2):
        if closes:
            status = collide(p, w, c, s)
        if status == DONE:
            status = push(p, w, c, s)
        if status != DONE or not closes or not rest(p, w, c, s):
            break
    else:
        status = NOT_FINITE
    if status == DONE and not gains(s):
        settled(p, w, c, s)
        return DONE
    return NOT_FINITE


@entry
def take_up(problem, steps, c, limits):
    """As `take`, from Python: a run goes on with what is held in its history."""
    return take(reference(problem), reference(steps), c, reference(limits))
