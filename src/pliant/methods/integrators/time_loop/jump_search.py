"""Where in a step a function jumps. Every choice that an expression makes has a margin: the difference that is compared, negative beyond
the jump. Functions are held on their branches during a step, so margins are smooth along its polynomial. docs/theory/explicit.md"""
import numpy as np

from ....kernels.by_reference import opaque
from ....kernels.evaluation import run as evaluate
from ....kernels.expression_vm import SCRATCH, SLOPE
from ....kernels.jit import entry, jit
from ....kernels.ode import call_status
from ....kernels.states import copy
from ....kernels.status import DONE
from .control import NARROW, SAMPLES
from .rows import at, place, prepared, react

NONE = 2.0              # in place of a part of the step: there is no jump in it
FAR = 4.0               # of its change in this step and the one before: a margin above that needs no look
NEAR = 1.0              # of its change over the step: a margin below that is looked at closely
DIP = 0.5               # the same for the parabola through three values: its vertex is an eighth of their range beyond them at most
VERTICES = 6            # parabolas on the way to the lowest margin
STALE = 30              # secants before halves are taken
DIVES = 40              # tangents on the way to the lowest gaps between two samples, one within the other
SLIM = 0.1              # of the gaps at both ends: where tangents meet above that, there is no dip between
# rows of margins: at the start of the step before, at samples of this one, and between those
PAST, START, MIDDLE, END, LOW, HIGH, TRIED = 0, 1, 1 + SAMPLES // 2, SAMPLES, SAMPLES + 1, SAMPLES + 2, SAMPLES + 3
LEFT, RIGHT = SAMPLES + 4, SAMPLES + 5  # of a part of the step; behind it those of parts to come, up to DIVES
ROWS = RIGHT + DIVES + 1


@jit
def scan(W, last, first_look, site, slope):
    """Choices that are held, each with its margin behind it: margins are forgotten, or those known are listed, with the places of their
    rates if these are known as well. Their number."""
    count, k = 0, SCRATCH
    while k < last:
        if np.isnan(W[k]):
            k += 1
            continue
        if first_look:
            W[k + 1] = np.nan
        elif W[k] == SLOPE:
            slope[count - 1] = k + 1
        elif not np.isnan(W[k + 1]):
            site[count], slope[count] = k + 1, 0
            count += 1
        k += 2
    return count


@entry
def find_sites(program, d, x, t, last, site, slope):
    """The margins that an evaluation of forces writes; W from SCRATCH to ``last`` is of choices."""
    scan(x.W, last, True, site, slope)
    evaluate(program, d, x, t, 1.0, 0.0, 0.0)
    return scan(x.W, last, False, site, slope)


@jit
def margins(p, w, c, t, y, row):
    """All of them at a state, and whether one is negative. Those of limits of a tree need no bodies."""
    if w.call.look == 0 or w.decide.rows.shape[0] > 0:
        place(p, w, t, y)
    if c.reactive == 1:
        react(p, w, c, t, y)
    elif c.reacts == 1:
        call_status(w.call.rhs, (p, t, y, w.f))
    evaluate(w.decide, p.d, p.x, t, 0.0, 0.0, 0.0)
    if w.call.look != 0:
        call_status(w.call.look, (p, w, c, opaque(w.call.stops), t, y))
    beyond = False
    for i in range(c.sites):
        w.margin[row, i] = p.x.W[w.site[i]]
        w.pace[row, i] = p.x.W[w.slope[i]] * c.h if w.slope[i] > 0 else 0.0
        beyond = beyond or w.margin[row, i] < 0
    return beyond


@jit
def sampled(p, w, c, s, row):
    """The same at a part s of the step."""
    at(w, s, w.z)
    return margins(p, w, c, c.now + s * c.h, w.z, row)


@jit
def loose(p, w, c):
    """How far the polynomial is from what joints and drives ask for in the middle of the step, beyond its end, over what positions may be
    wrong by. These hold where the method asks; in between, where drives alone move the bodies, no error of the step tells of it."""
    x, apart = p.x, 0.0
    if p.joints.used.size > 0:  # all of its coordinates have errors of their own
        return 0.0
    place(p, w, c.t1, w.y1)
    evaluate(p.residual, p.d, x, c.t1, 0.0, 0.0, 0.0)
    copy(x.R, x.V)
    place(p, w, c.now + c.h / 2, w.z)
    evaluate(p.residual, p.d, x, c.now + c.h / 2, 0.0, 0.0, 0.0)
    for k in range(p.num.n_v, x.R.size):
        apart = max(apart, abs(x.R[k] - x.V[k]) * p.unit[k])
    return apart / c.within


@jit
def recall(p, w, c):
    """Margins of the start of the step, and of that before it as far as they are known."""
    if c.seen > 0 and c.looked == c.now:  # the step is made again
        return
    if c.seen > 0 and c.ended == c.now:
        copy(w.margin[START], w.margin[PAST])
        copy(w.margin[END], w.margin[START])
        for i in range(c.sites):  # per step, which has another length now
            w.pace[START, i] = w.pace[END, i] * (c.h / (c.now - c.looked))
        c.seen, c.passed = 2, c.now - c.looked
    else:
        margins(p, w, c, c.now, w.y0, START)
        c.seen = 1
    c.looked = c.now


@jit
def calm(w, c):
    """Whether all margins are large, compared with their change in this step and in the one before it: that tells of their slope."""
    if c.seen < 2:
        return False
    for i in range(c.sites):
        x, y, z = w.margin[PAST, i], w.margin[START, i], w.margin[END, i]
        if min(y, z) <= FAR * (abs(z - y) + abs(y - x) * c.h / c.passed):
            return False
        if w.slope[i] > 0 and min(y, z) <= max(abs(w.pace[START, i]), abs(w.pace[END, i])):
            return False
    return True


@jit
def near(w, c):
    """Whether a margin of the start, the middle or the end is small, compared with its change."""
    for i in range(c.sites):
        x, y, z = w.margin[START, i], w.margin[MIDDLE, i], w.margin[END, i]
        low, high = min(x, y, z), max(x, y, z)
        if low < NEAR * (high - low):
            return True
        if w.slope[i] > 0 and low < max(abs(w.pace[START, i]), abs(w.pace[MIDDLE, i]), abs(w.pace[END, i])):
            return True
    return False


@jit
def vertex(a, b, d, x, y, z):
    """Where the parabola through (a, x), (b, y), (d, z) is lowest, and its value there; NONE if that is not between a and d."""
    left, right = (y - x) / (b - a), (z - y) / (d - b)
    bend = (right - left) / (d - a)
    if not bend > 0:
        return NONE, 0.0
    slope = left + bend * (b - a)
    s = b - slope / (2 * bend)
    return (s, y - slope * slope / (4 * bend)) if a + 1e-6 * (d - a) < s < d else (NONE, 0.0)


@jit
def closer(a, b, d, x, y, z, s, g):
    """Three points around the lowest of four: (a, x), (b, y), (d, z) and (s, g)."""
    if s < b:
        return (a, s, b, x, g, y) if g <= y else (s, b, d, g, y, z)
    return (b, s, d, y, g, z) if g <= y else (a, b, s, x, y, g)


@jit
def dip(p, w, c, i, j):
    """A part of the step where margin i is negative though it is not at samples j - 1, j, j + 1; NONE if there is none."""
    step, x, y, z = 1 / (SAMPLES - 1), w.margin[START + j - 1, i], w.margin[START + j, i], w.margin[START + j + 1, i]
    a, b, d = (j - 1) * step, j * step, (j + 1) * step
    for _ in range(VERTICES):
        s, lowest = vertex(a, b, d, x, y, z)
        if s == NONE or lowest > DIP * (max(x, y, z) - min(x, y, z)) or abs(s - b) < 1e-9:
            return NONE
        if sampled(p, w, c, s, TRIED):
            return s
        a, b, d, x, y, z = closer(a, b, d, x, y, z, s, w.margin[TRIED, i])
    return NONE


@jit
def deepest(w, c, a, b, right):
    """Of gaps whose rates are known, and which close at the start of a part a .. b of the step and open at its end: where the tangents
    meet that meet lowest; NONE where all of them meet high. Bodies that pass by have gaps with sharp dips, of which parabolas know
    nothing."""
    place, lowest = NONE, np.inf
    for i in range(c.sites):
        u, v = w.pace[LEFT, i], w.pace[right, i]
        if w.slope[i] > 0 and u < 0 and v > 0:
            x, y = w.margin[LEFT, i], w.margin[right, i]
            meet = (x - y + v * (b - a)) / (v - u)
            low = x + u * meet
            if x >= 0 and y >= 0 and low <= SLIM * max(x, y) and low < lowest:
                place, lowest = min(max(a + meet, a + 0.05 * (b - a)), b - 0.05 * (b - a)), low
    return place


@jit
def put_row(w, c, source, target):
    for i in range(c.sites):
        w.margin[target, i], w.pace[target, i] = w.margin[source, i], w.pace[source, i]


@jit
def dive(p, w, c, j):
    """A part of the step where one of these gaps is negative though none is at samples j and j + 1; NONE if there is none. Every sample
    on the way is of all of them, and parts are looked at in their order."""
    a, depth, n = j / (SAMPLES - 1), 0, c.sites
    put_row(w, c, START + j, LEFT)
    put_row(w, c, START + j + 1, RIGHT)
    w.margin[RIGHT, n] = (j + 1) / (SAMPLES - 1)
    while depth >= 0:
        b = w.margin[RIGHT + depth, n]
        s = deepest(w, c, a, b, RIGHT + depth) if depth < DIVES and b - a >= NARROW else NONE
        if s == NONE:
            put_row(w, c, RIGHT + depth, LEFT)
            a, depth = b, depth - 1
            continue
        depth += 1
        if sampled(p, w, c, s, RIGHT + depth):
            return s
        w.margin[RIGHT + depth, n] = s
    return NONE


@jit
def beyond(w, c, row):
    """Whether a margin is negative there."""
    negative = False
    for i in range(c.sites):
        negative = negative or w.margin[row, i] < 0
    return negative


@jit
def bracket(p, w, c):
    """Parts of the step that the first jump is between; the second is NONE if there is no jump."""
    step = 1 / (SAMPLES - 1)
    for j in range(SAMPLES - 1):
        after = j * step if j > 0 and beyond(w, c, START + j) else (j + 1) * step if beyond(w, c, START + j + 1) else NONE
        if j == 0 and after != NONE:
            return 0.0, after
        for i in range(c.sites):
            if j > 0 and w.slope[i] == 0 and w.margin[START + j, i] >= 0 and w.margin[START + j + 1, i] >= 0:
                after = min(after, dip(p, w, c, i, j))
        after = min(after, dive(p, w, c, j))
        if after != NONE:
            return max(j - 1, 0) * step, after
    return 0.0, NONE


@jit
def crossing(w, c, before, after, first, second):
    """Where the first margin is zero, by secants between the rows LOW and HIGH times ``first`` and ``second``."""
    s = after
    for i in range(c.sites):
        x, y = first * w.margin[LOW, i], second * w.margin[HIGH, i]
        if y < 0:
            s = min(s, before + (after - before) * x / (x - y))
    return s


@jit
def taken(p, w, c, s, row):
    """Margins at a part s of the step, which may be one of the samples."""
    j = int(s * (SAMPLES - 1))
    if 0 < j < SAMPLES - 1 and s == j / (SAMPLES - 1):
        copy(w.margin[START + j], w.margin[row])
    else:
        sampled(p, w, c, s, row)


@jit
def narrowed(p, w, c, before, after):
    """The second of two parts of the step that the first jump is between, moved to right behind it: by secants, where an end that stays
    counts half each time (Dowell, Jarratt 1971)."""
    first, second, stays, n = 1.0, 1.0, 0, 0
    taken(p, w, c, before, LOW)
    taken(p, w, c, after, HIGH)
    while after - before > NARROW:
        n += 1
        s = crossing(w, c, before, after, first, second) if n < STALE else (before + after) / 2
        s = min(max(s, before + NARROW / 2), after - NARROW / 2)
        if sampled(p, w, c, s, TRIED):
            copy(w.margin[TRIED], w.margin[HIGH])
            after, second, first, stays = s, 1.0, first / 2 if stays == LOW else 1.0, LOW
        else:
            copy(w.margin[TRIED], w.margin[LOW])
            before, first, second, stays = s, 1.0, second / 2 if stays == HIGH else 1.0, HIGH
    return after


@jit
def first_jump(p, w, c, o):
    """The part of the step that ends just behind the first jump in it; NONE."""
    c.loose = 0.0
    recall(p, w, c)
    margins(p, w, c, c.t1, w.y1, END)
    c.ended = c.t1
    if calm(w, c):
        if w.call.look != 0:
            place(p, w, c.t1, w.y1)
        return NONE
    if beyond(w, c, START):
        return 0.0
    if c.known == 0 and w.call.rhs != 0 and call_status(w.call.rhs, (p, c.t1, w.y1, w.f1)) == DONE:
        c.known = 1
    prepared(p, w, c, o)
    sampled(p, w, c, 0.5, MIDDLE)
    after = NONE
    if near(w, c):
        c.loose = loose(p, w, c)
        for j in range(1, SAMPLES - 1):
            if START + j != MIDDLE:
                sampled(p, w, c, j / (SAMPLES - 1), START + j)
        before, after = bracket(p, w, c)
        if after != NONE:
            after = narrowed(p, w, c, before, after)
    place(p, w, c.t1, w.y1)
    if c.reacts == 1 and call_status(w.call.rhs, (p, c.t1, w.y1, w.f1)) == DONE:  # multipliers of the end of the step
        c.known = 1
    elif c.reactive == 1:
        react(p, w, c, c.t1, w.y1)
    return after
