"""Whether a step passes over something: a bell, a smooth step, the spike of a table or a close encounter that a law has at some place of
the motion, and that none of its evaluations has met. Every steep function of a law writes its argument u, which is smooth along the
polynomial of the step, and has a phase that grows with u, by one where the function changes so much that a step must see it; the
argument may pass one unit in a step.                                                                docs/theory/explicit.md"""
import numpy as np

from ....functions.compile import BELL, FRACTION, POWER, RISE, STEP, TABLE, TURN, WAVE
from ....kernels.evaluation import run as evaluate
from ....kernels.expression_vm import PLACE, SCRATCH, SPEED
from ....kernels.jit import jit
from ....kernels.ode import call_status
from ....kernels.states import copy
from ....kernels.status import DONE
from ....kernels.tables import table_phase
from .control import NEVER, SAMPLES
from .jump_search import NONE, VERTICES, closer, vertex
from .python_laws import first_unseen
from .rows import at, hermite, place, prepared

FAINT = -60.0      # exponent of what is nothing: e^-60 = 1e-26
FAR = 4.0          # times its change in this step and in the one before: so far from there an argument is not looked for
BEYOND = 0.25      # of the range of three values: how far the extreme value between them may be beyond that of their parabola
HALVES = 50        # on the way to where a unit is passed
ENOUGH = 0.5       # of a unit: a step that comes so far is long enough
FAINTEST = 1e-3    # of a unit: what is outside
INTO = 0.25        # of the way inside: the first step there
FINE = 0.2         # of the way from outside to inside: so exactly it is known where that begins
SPARE = 0.8        # of a unit, that the next step is to pass
PASSED_OVER = 1e-9  # of the usual step: what is thinner is a jump to all methods
START, END, TRIED, ROWS = 0, SAMPLES - 1, SAMPLES, SAMPLES + 1


@jit
def phase(kind, val, u):
    """Of a steep function: it grows by one where the function

        e^u, a^n = e^u    has grown by e^4;  tanh u, atan u, the smooth step    has passed a quarter of its range;
        sin u, cos u      has passed 2 rad;  1/u, log u        has an argument e^2 times as large."""
    if kind >= TABLE:
        return table_phase(val, kind - TABLE, u)
    if kind in (BELL, POWER):
        return max(u, FAINT) / 4
    if kind == RISE:
        return 2 * np.tanh(u)
    if kind == TURN:
        return 4 / np.pi * np.arctan(u)
    if kind == STEP:
        u = min(max(u, 0.0), 1.0)
        return 4 * u * u * (3 - 2 * u)
    return u / 2 if kind == WAVE else 0.5 * np.log(max(abs(u), 1e-300))


@jit
def units(p, w, i, low, high):
    """What the argument of function i passes between two values; nothing that ends at a pole."""
    kind = p.d.tab[w.watched[i] + 1]
    if np.isnan(low) or np.isnan(high) or kind in (PLACE, SPEED) or (kind == FRACTION and low <= 0 <= high):
        return 0.0
    return abs(phase(kind, p.d.val, high) - phase(kind, p.d.val, low))


@jit
def may_pass(p, w, i, low, high):
    """Whether a unit may be passed between two bounds of an argument; there may be a pole between bounds."""
    return (p.d.tab[w.watched[i] + 1] == FRACTION and low <= 0 <= high) or not units(p, w, i, low, high) <= 1


@jit
def look(p, w, t, y, row):
    """Arguments of all steep functions at a state."""
    place(p, w, t, y)
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    for i in range(w.watched.size):
        w.argument[row, i] = p.x.W[SCRATCH + w.watched[i] + 2]


@jit
def look_at(p, w, c, s, row):
    """The same at a part s of the step."""
    at(w, s, w.z)
    look(p, w, c.now + s * c.h, w.z, row)


@jit
def passing(p, w, row, widen):
    """The most units that an argument has passed from the start of the step to a row. ``widen``: the row counts as passed."""
    most = 0.0
    for i in range(w.watched.size):
        u = w.argument[row, i]
        low, high = min(w.lowest[i], u), max(w.highest[i], u)
        most = max(most, units(p, w, i, low, high))
        if widen:
            w.lowest[i], w.highest[i] = low, high
    return most


@jit
def recall(p, w, c):
    """Arguments at the start of the step, and how much they changed in that before it."""
    if c.watch_begin == c.now:  # the step is made again
        return
    if c.watch_end == c.now:
        for i in range(w.watched.size):
            w.change[i] = abs(w.argument[END, i] - w.argument[START, i]) / (c.now - c.watch_begin)
        copy(w.argument[END], w.argument[START])
    else:
        look(p, w, c.now, w.y0, START)
        w.change[:] = np.inf
    c.watch_begin = c.now


@jit
def calm(p, w, c):
    """Whether no argument comes near a place where its function is steep."""
    for i in range(w.watched.size):
        a, b = w.argument[START, i], w.argument[END, i]
        around = FAR * (abs(b - a) + w.change[i] * c.h)
        if may_pass(p, w, i, min(a, b) - around, max(a, b) + around):
            return False
    return True


@jit
def excursion(p, w, c, i, j, sign):
    """A part of the step near sample j where ``sign`` times the argument i has its least value, if it has passed more than a unit there."""
    step, a = 1 / (SAMPLES - 1), (j - 1) / (SAMPLES - 1)
    b, d = a + step, a + 2 * step
    x, y, z = sign * w.argument[j - 1, i], sign * w.argument[j, i], sign * w.argument[j + 1, i]
    for _ in range(VERTICES):
        s, least = vertex(a, b, d, x, y, z)
        if s == NONE or abs(s - b) < 1e-12:
            return NONE
        least = sign * (least - BEYOND * (max(x, y, z) - min(x, y, z)))
        if not may_pass(p, w, i, min(w.lowest[i], least), max(w.highest[i], least)):
            return NONE
        look_at(p, w, c, s, TRIED)
        if passing(p, w, TRIED, False) > 1:
            return s
        a, b, d, x, y, z = closer(a, b, d, x, y, z, s, sign * w.argument[TRIED, i])
    return NONE


@jit
def too_far(p, w, c):
    """Parts of the step between which more than a unit is passed for the first time; the second is NONE if it never is."""
    for j in range(1, SAMPLES):
        after = j / (SAMPLES - 1) if passing(p, w, j, False) > 1 else NONE
        if after == NONE and j < SAMPLES - 1:
            for i in range(w.watched.size):
                after = min(after, excursion(p, w, c, i, j, 1.0), excursion(p, w, c, i, j, -1.0))
        if after != NONE:
            return (j - 1) / (SAMPLES - 1), after
        passing(p, w, j, True)
    return 0.0, NONE


@jit
def near_enough(p, w, c, before, after):
    """A part of the step in which about a unit is passed, between two where less and more are; NONE if that is too little to be seen."""
    for _ in range(HALVES):
        if after * c.h <= max(PASSED_OVER * c.usual, 10 * c.least):
            return NONE
        s = (before + after) / 2
        look_at(p, w, c, s, TRIED)
        if passing(p, w, TRIED, False) > 1:
            after = s
        else:
            before = s
            if passing(p, w, TRIED, True) >= ENOUGH:
                break
    return before if before > 0 else after


@jit
def entrance(p, w, c, inside):
    """Where in the step it begins that leads to the part ``inside``: a step is to end there if most of it leads there only. The next one is
    to end inside."""
    before, after = 0.0, inside
    copy(w.argument[START], w.lowest)
    copy(w.argument[START], w.highest)
    while after - before > FINE * (inside - before):
        s = (before + after) / 2
        look_at(p, w, c, s, TRIED)
        if passing(p, w, TRIED, False) > FAINTEST:
            after = s
        else:
            before = s
    c.enter = INTO * (inside - before) * c.h if before > 0.5 * inside else NEVER
    return before if before > 0.5 * inside else inside


@jit
def drawn(p, w, c, o, own):
    """P for the search: the method's own, or the cubic by both ends, which no stage in the middle of something steep can spoil. False if it
    is not known."""
    if own:
        prepared(p, w, c, o)
        return True
    if c.known == 0 or w.P.shape[0] < 4:
        return False
    hermite(w, c.h)
    for k in range(4, w.P.shape[0]):
        for i in range(w.z.size):
            w.P[k, i] = 0
    c.ready = 0
    return True


@jit
def searched(p, w, c, o):
    """A part of the step that passes about a unit; NONE if the whole does not pass more."""
    if c.known == 0 and w.call.rhs != 0 and call_status(w.call.rhs, (p, c.t1, w.y1, w.f1)) == DONE:
        c.known = 1
    for own in range(2):
        if not drawn(p, w, c, o, own == 1):
            continue
        for j in range(1, SAMPLES - 1):
            look_at(p, w, c, j / (SAMPLES - 1), j)
        copy(w.argument[START], w.lowest)
        copy(w.argument[START], w.highest)
        before, after = too_far(p, w, c)
        if after != NONE:
            s = near_enough(p, w, c, before, after)
            return entrance(p, w, c, s) if s != NONE else NONE
    return first_unseen(p, w, c) if c.looks > 0 else NONE


@jit
def passed_over(p, w, c, o):
    """True if a good step passes over something steep, and is to be made again, shorter."""
    recall(p, w, c)
    look(p, w, c.t1, w.y1, END)
    c.watch_end = c.t1
    copy(w.argument[START], w.lowest)
    copy(w.argument[START], w.highest)
    c.units = passing(p, w, END, False)
    s = searched(p, w, c, o) if c.looks > 0 or not calm(p, w, c) else NONE
    place(p, w, c.t1, w.y1)
    if s == NONE or s * c.h <= max(PASSED_OVER * c.usual, 10 * c.least):
        return False
    c.rejected += 1
    c.next, c.target = s * c.h, 0
    return True


@jit
def paced(c):
    """After an accepted step: the next one is not to pass more than a unit either."""
    c.next = min(c.next, SPARE * c.h / max(c.units, 1e-3), c.enter)
    c.enter = NEVER
