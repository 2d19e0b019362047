"""The loop of error control: of all methods, in both coordinates. It chooses the next step by the error of the last one, ends steps at
jumps of functions, and keeps rows in between. docs/theory/explicit.md"""
import numpy as np

from ....kernels.by_reference import opaque, reference
from ....kernels.contract import TURNING
from ....kernels.jit import entry, inlined, jit
from ....kernels.ode import call_status
from ....kernels.states import copy, larger
from ....kernels.status import CROWDED, DONE, ENDED, MORE, OPEN, SINGULAR, SPUN, UNDERFLOW
from .control import ARRIVED, PASS, REACH, TINY, TURN
from .delays import keep_records, recorded
from .fixed_steps import finish_step, make_step
from .intervals import next_interval
from .jump_search import NONE, first_jump
from .rows import keep, keep_outputs
from .speeds import ONSET, reached, speeds, turning
from .steep_laws import paced, passed_over

SLOWEST, FASTEST = 0.2, 5.0
NEXT_TO = 1e-9            # of the usual step: a jump so near is passed without a step
AGAIN = 10                # jumps right behind each other: from there on
FARTHER = 1000.0          # smallest steps to behind a jump
STEADY = 1.5              # times that of a longer step: the error per second of one that passes a jump
RESTLESS = 1000           # steps with too large an error and hardly any other of usual length end a run
ATTEMPTS = 4              # steps to come past a singular position, to end at a jump, or until a joint is told to be open


@jit
def way_behind(w, c):
    """The shortest step to behind a jump. Where functions have jumped again and again just now they have not got there: what moves slowly
    moves by less than the rounding of its place in the smallest step, as at the turning point of a body that grazes another."""
    again = c.jumps >= AGAIN and c.now - w.jumped[(c.jumps - AGAIN) % w.jumped.size] <= AGAIN * FARTHER * c.least
    return FARTHER * c.least if again else c.least


@jit
def reach(p, w, c, o, t1):
    """A step that is good otherwise, and whether a function has jumped in it: True if it is to be made again up to there. Functions go on
    smoothly beyond their jumps during a step, so its polynomial is as good there as anywhere. Where joints are open in it, it is made
    again, shorter."""
    s = first_jump(p, w, c, o)
    if c.loose > 1 and not bearable(c, c.loose):
        refuse(c, c.loose)
        return True
    if s == NONE:
        if c.target == REACH:  # the jump is next to here
            c.target = ARRIVED
        return False
    if c.target != REACH:
        c.target, c.beyond, c.sought = REACH, 0, c.h
    c.beyond += 1
    if (1 - s) * c.h <= c.least or (c.beyond > ATTEMPTS and s > 0.5):
        c.target, c.after = PASS, t1
        return False
    c.rejected += 1
    behind = way_behind(w, c)
    c.next = max(s * c.h, behind)
    if c.next <= max(NEXT_TO * c.usual, 10 * c.least, behind):  # Taylor's formula is exact, and it is too short a step for implicit methods
        c.target, c.after = PASS, c.now + c.next
    return True


@jit
def share(c):
    """The local error that a step may have."""
    return c.eps * max(c.h, c.brief)


@jit
def over_allowed(p, w, c, error, ahead):
    """A local error over what is allowed: positions in sizes of the model, velocities in their speeds so far, ``ahead``: also
    at the end of the step."""
    n_q, worst = p.num.state_q, 0.0
    for k in range(n_q + p.num.state_v):
        e = w.weight[k] * abs(error[k])
        if k >= n_q:
            e /= max(w.speed[k - n_q], reached(w, n_q, k - n_q, w.y1, w.f0, ONSET)) if ahead else w.speed[k - n_q]
        worst = larger(worst, e)
    return worst / share(c)


@jit
def judge(p, w, c):
    """The same of the step just made."""
    return over_allowed(p, w, c, w.error, True)


@jit
def smallest(c):
    """Whether there is hardly a shorter step than this one."""
    return c.h * SLOWEST < c.least


@jit
def bearable(c, error):
    """Whether a step with too large an error is taken: where shorter steps do not help - rounding next to a singular position, or a jump
    that no function tells of - and it is so short that its error is not more than a usual step may have. Where accelerations jump by much,
    as of a ball that slides over an edge, that would take less than the smallest step: these may err by the accuracy, all together, unless
    the error per second grows the shorter they are, as next to a pole."""
    helps = c.grown == 0 or error <= c.e_bad * (c.h / c.h_bad) ** (c.exponent / 3)
    jumps = c.grown == 1 and error <= STEADY * c.e_bad
    spared = jumps and smallest(c) and c.spent + error * share(c) <= c.within
    return spared or (error * c.h <= c.usual and (c.h < TINY * c.usual or not helps))


@jit
def remembered(p, w, c, o):
    """Records of the step for delays. False if their polynomials are not good enough: it is made again, shorter."""
    if c.known == 0 and w.call.rhs != 0 and call_status(w.call.rhs, (p, c.t1, w.y1, w.f1)) == DONE:
        c.known = 1
    left = recorded(p, w, c, o) / share(c)
    if left > 1 and not bearable(c, left):
        refuse(c, left)
        return False
    return True


@jit
def next_step(c):
    """Length and end of the next step; the last ones before the end are no stubs."""
    left, h = c.stop - c.now, min(c.next, c.most)
    if c.target > 0:
        c.h = h
        return c.now + h
    if h >= 0.999 * left:
        c.h = left
        return c.stop
    c.h = min(h, 0.5 * left)
    return c.now + c.h


@jit
def refuse(c, error):
    """The step is made again, shorter."""
    c.rejected += 1
    c.grown, c.target = 1, 0
    c.h_bad, c.e_bad, c.error = c.h, error, error
    c.next = c.h * (max(SLOWEST, 0.9 * error ** (-1 / c.exponent)) if error < np.inf else 0.1)


@jit
def choose(p, w, c, error):
    """The next step after an accepted one."""
    factor = 0.9 * max(error, 1e-12) ** (-1 / c.exponent)
    factor = min(FASTEST, max(SLOWEST, factor))
    if c.wish > 0:
        factor = c.wish
    if c.grown == 1:  # right after a rejection
        factor = min(factor, 1.0)
    c.grown = 0
    c.usual = max(c.h, c.usual - 0.05 * min(c.usual, 20 * c.h))
    c.next = c.h * factor
    if c.histories == 1:  # turns are counted from step to step
        c.next = min(c.next, TURN / max(p.x.E[TURNING], 1e-300))
    c.next = min(c.next, c.swing / max(turning(p, w.y1), 1e-300))


@jit
def go_on(p, w, c, error):
    """After an accepted step: what follows from its error for the next one."""
    c.failures = 0
    if error > 1:
        c.stagnant += 1
    elif c.h > TINY * c.usual:
        c.stagnant = max(0, c.stagnant - 1)
    if c.stagnant > RESTLESS:
        return UNDERFLOW
    if error > 1:
        c.spent += error * share(c) if smallest(c) else 0.0
        c.next, c.grown = 0.5 * c.usual if c.h < TINY * c.usual else 2 * c.h, 0
    c.error = error
    speeds(p, w, c, c.now, w.y1, w.f1, ONSET)
    if error <= 1:
        choose(p, w, c, error)
    if w.watched.size > 0:
        paced(c)
    if c.target == ARRIVED:
        c.target, c.next = 0, c.sought
    return DONE


@jit
def failed(c, status):
    """After a step that could not be made: whether a shorter one is tried."""
    c.failures += 1
    if status == SPUN or c.h / 4 < c.least or (status in (SINGULAR, OPEN) and c.failures > ATTEMPTS):
        return False
    c.next, c.target = c.h * (c.wish if c.wish > 0 else 0.25), 0
    c.rejected += 1
    return True


@inlined
def keep_rows(p, w, c, o, rows):
    """All rows of the last step, then its end is the start of the next one; pending if there is no room for them."""
    c.pending = 0 if keep_outputs(p, w, c, o, rows) else 1
    if c.pending == 0:
        copy(w.y1, w.y0)
        copy(w.f1, w.f0)


@entry
def chosen_steps(problem, steps, c, own, max_steps, rows):
    """Steps until the end, a jump that Python must pass, a full store, or max_steps."""
    p, w, o = reference(problem), reference(steps), opaque(own)
    c.stored = 0
    if c.pending == 1:
        keep_rows(p, w, c, o, rows)
        return MORE
    for _ in range(max_steps):
        if c.finished == 1:
            keep(p, w, c, c.now, w.y0, rows[c.stored])
            return ENDED
        if c.target == PASS or c.now >= c.stop:
            if c.target != PASS and c.fresh == 1:  # a jump at the very end
                keep_rows(p, w, c, o, rows)
                if c.pending == 1:
                    return MORE
            status = next_interval(p, w, c, o)
            if status != MORE:
                return status
            continue
        t1 = next_step(c)
        c.t1 = t1
        status, error = make_step(p, w, c, o), 0.0
        if status == DONE:
            error = judge(p, w, c)
            if not error <= 1 and not bearable(c, error):
                refuse(c, error)
                if c.next < c.least:
                    return UNDERFLOW
                continue
            if w.watched.size > 0 and passed_over(p, w, c, o):
                continue
            if w.delays[1] > 0 and not remembered(p, w, c, o):
                if c.next < c.least:
                    return UNDERFLOW
                continue
            if c.jumpy == 1 and reach(p, w, c, o, t1):
                continue
            status = finish_step(p, w, c, t1)
            if status == DONE and w.delays[1] > 0 and not keep_records(p, w, c):
                return CROWDED
            c.wish = c.wish if status == DONE else 0.0  # it was for the step that follows
        if status != DONE:
            if not failed(c, status):
                return status
            continue
        if go_on(p, w, c, error) != DONE:
            return UNDERFLOW
        keep_rows(p, w, c, o, rows)
        if c.pending == 1:
            return MORE
    return MORE
