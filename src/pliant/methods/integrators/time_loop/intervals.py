"""Smooth intervals of a run: where one ends, and how the next one begins, at the start and behind a jump. docs/theory/explicit.md"""
import numpy as np

from ....kernels.by_reference import opaque, reference
from ....kernels.contract import TURNING
from ....kernels.evaluation import run as evaluate
from ....kernels.expression_vm import BEGINS, HELD, SCRATCH, STOPS
from ....kernels.jit import entry, jit
from ....kernels.ode import call_status, load, powers
from ....kernels.states import copy, copy_part, largest
from ....kernels.status import CHATTERS, DONE, EVENT, MORE, STRUCTURE, UNBEGUN
from .control import NEVER, PASS, PLACES, RATES, TURN, WATCHED
from .delays import keep_delayed, reflect, reflect_tick
from .instants import CALM, at_instant, happen, way_left
from .jump_search import find_sites
from .settling import carried, driven, release
from .speeds import speeds, turning


@entry
def next_stop(c, stops, limits, t):
    """The smooth interval that begins at t: where it ends, and the largest step in it."""
    while c.coming < stops.shape[0] - 1 and stops[c.coming, 1] <= t:
        c.coming += 1
    while c.segment < limits.shape[0] - 1 and limits[c.segment, 0] <= t + c.least:
        c.segment += 1
    c.stop, c.most = min(stops[c.coming, 0], c.instant, c.echo), limits[c.segment, 1]
    if limits[c.segment, 0] < c.stop - c.least:
        c.stop = limits[c.segment, 0]


@jit
def bounded(p, c):
    """The inside of the smooth interval, for what jumps at its ends."""
    if c.fixed == 0:
        p.x.W[BEGINS], p.x.W[STOPS] = c.now + c.least, c.stop - c.least


@entry
def chatters(c, jumped, t):
    """Whether this jump and the many before it, whose times are kept, came in too short a time."""
    jumped[c.jumps % jumped.size] = t
    c.jumps += 1
    return c.jumps >= jumped.size and t - jumped[c.jumps % jumped.size] < c.span


@jit
def choose_branches(p, w, c):
    """Of all functions, of the tangent's as well; and where the margins of those choices are that forces depend on."""
    if c.jumpy == 1:
        c.sites = find_sites(p.residual, p.d, p.x, c.now, SCRATCH + c.choices - 1, w.site, w.slope)
    elif c.choices > 0:
        evaluate(p.residual, p.d, p.x, c.now, 1.0, 0.0, 0.0)
    if c.choices > 0:
        evaluate(w.tangent, p.d, p.x, c.now, 1.0, 0.0, 0.0)


@jit
def notice_speed(p, w, c):
    """What errors of velocities are measured in at the start: also in what accelerations give over the size of the model."""
    if c.speed == 0:  # none is known yet
        w.speed[:] = 0
    c.speed = max(c.speed, c.slowest)
    speeds(p, w, c, c.now, w.y0, w.f0, 1.0)


@jit
def longest_swing(p, w, c):
    """The longest step in which rotations can be followed, from the state in x."""
    turns = 0.0
    if c.histories == 1:
        p.x.E[TURNING] = 0
        evaluate(w.history, p.d, p.x, c.now, 0.0, 0.0, 0.0)
        turns = p.x.E[TURNING].real
    return max(min(TURN / max(turns, 1e-300), c.swing / max(turning(p, w.y0), 1e-300)), c.least)


@jit
def largest_rate(p, w, f):
    """The largest of f, over sizes and speeds of the model."""
    n_q, worst = p.num.state_q, 0.0
    for k in range(n_q + p.num.state_v):
        worst = max(worst, w.weight[k] * abs(f[k]) / (1.0 if k < n_q else w.speed[k - n_q]))
    return worst


@jit
def suggested_step(p, w, c):
    """The first step: from the sizes of F and of its change along an Euler step.       Hairer, Norsett, Wanner I, II.4"""
    left = way_left(c)
    copy(w.f0, w.z)
    for k in range(p.maps.linear.shape[0]):
        i = p.maps.linear[k, 1]
        if w.weight[i] * abs(w.z[i]) > c.speed:  # an angle that grows as it does changes nothing
            w.z[i] = c.speed / w.weight[i]
    size = largest_rate(p, w, w.z)
    h = max(c.least, min(0.01 / max(size, 1e-300), left, c.most))
    for k in range(w.z.size):
        w.y1[k] = w.y0[k] + h * w.f0[k]
    status = call_status(w.call.rhs, (p, c.now + h, w.y1, w.z))
    if status != DONE or not largest(w.z, 0) < np.inf:  # a function that is not finite there: the run will say so
        return min(h / 100, left)
    for k in range(w.z.size):
        w.z[k] -= w.f0[k]
    rate = max(size, np.sqrt(largest_rate(p, w, w.z) / h), 1e-300)  # 1 / the time in which things change
    return min(100 * h, 0.5 * min(1.0, c.eps / rate) ** (1 / c.exponent) / rate, left, c.most)


@jit
def first_step(p, w, c):
    """Its length; the state of the start is in x again."""
    if w.call.rhs == 0:
        return longest_swing(p, w, c)
    h = suggested_step(p, w, c)
    call_status(w.call.rhs, (p, c.now, w.y0, w.z))
    copy(w.y0, w.y1)
    return c.caution * min(h, longest_swing(p, w, c))


@jit
def begin(p, w, c, o, again):
    """A smooth interval begins with the state y0 at c.now; of a method that holds constraints, f0 and x have its accelerations.
    ``again``: behind an instant, with the step that was to come. A status."""
    following = c.next
    if w.call.take != 0:
        call_status(w.call.take, (p, w, c, opaque(w.call.stops)))
    p.x.W[HELD] = 1 - c.fixed
    release(p, c)
    if w.delays[1] > 0 and not again:
        reflect(p, w, c)
    next_stop(c, w.stops, w.limits, c.now)
    bounded(p, c)
    c.target, c.grown, c.beyond, c.failures, c.seen, c.fresh = 0, 0, 0, 0, 0, 1
    c.watch_begin, c.watch_end, c.enter = -NEVER, -NEVER, NEVER
    if again and w.call.again != 0:
        call_status(w.call.again, (p, w, c, o))
    elif w.call.anew != 0:
        call_status(w.call.anew, (p, w, c, o))
    if w.call.rhs == 0:
        load(p, w.y0)
        powers(p, c.now, w.f0, w.f0.size - 2)
    elif call_status(w.call.rhs, (p, c.now, w.y0, w.f0)) != DONE or not largest(w.f0, 0) < np.inf:
        return UNBEGUN
    copy(w.y0, w.y1)
    copy(w.f0, w.f1)
    choose_branches(p, w, c)
    notice_speed(p, w, c)
    if c.fixed == 0:
        c.next = min(following, longest_swing(p, w, c)) if again else first_step(p, w, c)
    if w.call.onset != 0:
        call_status(w.call.onset, (p, w, c, o))
    if not again:
        c.usual = c.next  # behind a jump things may be much faster
    return DONE


@entry
def begin_interval(problem, steps, c, own):
    """The same, from Python."""
    return begin(reference(problem), reference(steps), c, opaque(own), False)


@jit
def pass_jump(p, w, c, o, t, other):
    """From behind a jump, to which it may still be a little way: by Taylor's formula. MORE, ``other`` where Python passes it, or why it
    does not go on."""
    c.after = t
    keep_delayed(p, w, t)
    if w.call.settle != 0 and (w.call.rhs == 0 or driven(w, c)):
        if call_status(w.call.settle, (p, w, c, opaque(w.call.place))) != DONE:
            return other
    else:
        carried(p, w, c, t, p.y, w.z)
        copy_part(w.z, 0, w.y0, 0, p.num.state_q)
        copy_part(p.y, 0, w.y0, p.num.state_q, p.num.state_v)
    c.now = t
    if w.call.meet != 0:
        if call_status(w.call.meet, (p, w, c, opaque(w.call.stops))) != DONE:
            return other
    elif chatters(c, w.jumped, t):
        return CHATTERS
    if c.events == WATCHED:
        status = happen(p, w, c, c.now, CALM)
        if status == DONE and c.structure == 1:
            return STRUCTURE
        if status == DONE and c.changed == 1:
            status = resettled(p, w, c)
        if status != DONE:
            return status
    status = begin(p, w, c, o, False)
    return MORE if status == DONE else status


@jit
def resettled(p, w, c):
    """Accelerations of a method that holds constraints itself, after discrete values have changed. A status."""
    if w.call.rhs != 0:
        return DONE
    c.after, c.target = c.now, PASS
    return call_status(w.call.settle, (p, w, c, opaque(w.call.place)))


@jit
def pass_instant(p, w, c, o):
    """A tick: MORE, or why it does not go on."""
    keep_delayed(p, w, c.now)
    status = at_instant(p, w, c)
    if w.delays[1] > 0:
        reflect_tick(p, w, c)
    if status == DONE and c.structure == 1:
        return STRUCTURE
    if status == DONE:
        status = resettled(p, w, c)
    if status == DONE:
        status = begin(p, w, c, o, True)
    return MORE if status == DONE else status


@jit
def pass_echo(p, w, c, o):
    """A jump comes back from a delay: MORE, or why it does not go on."""
    keep_delayed(p, w, c.now)
    c.echoed = 1
    status = resettled(p, w, c)
    if status == DONE:
        status = begin(p, w, c, o, False)
    return MORE if status == DONE else status


@jit
def occur(p, w, c, o):
    """After a fixed step: a tick if it is one, and conditions, which are looked at there only. A status."""
    c.changed = 0
    status = DONE
    if c.instant <= c.now + 0.5 * c.next:
        c.now = c.instant
        status = at_instant(p, w, c)
    elif c.events == WATCHED:
        status = happen(p, w, c, c.now, CALM)
    if status == DONE and c.structure == 1:
        return STRUCTURE
    if status != DONE or c.changed == 0:
        return status
    status = resettled(p, w, c)
    return begin(p, w, c, o, True) if status == DONE else status


@jit
def next_interval(p, w, c, o):
    """At the end of a smooth interval: MORE if the next one has begun; EVENT or DONE where Python passes the jump, or at the end."""
    if c.target == PASS:
        return EVENT if c.through == 0 else pass_jump(p, w, c, o, max(c.after, c.now), EVENT)
    if c.now >= c.instant:
        return pass_instant(p, w, c, o)
    if c.now >= c.echo and c.now < c.last:
        return pass_echo(p, w, c, o)
    if c.now < w.stops[c.coming, 0]:  # from here on steps may be longer, or must be shorter
        next_stop(c, w.stops, w.limits, c.now)
        bounded(p, c)
        return MORE
    kind = w.stops[c.coming, 2]
    if c.through == 0 or kind == PLACES or (kind == RATES and w.call.settle == 0) or c.now >= c.last:
        return DONE
    return pass_jump(p, w, c, o, w.stops[c.coming, 1], DONE)
