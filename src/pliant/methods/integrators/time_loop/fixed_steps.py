"""The loop of fixed steps: of all methods, in both coordinates."""
import numpy as np

from ....kernels.by_reference import opaque, reference
from ....kernels.contract import TURNING
from ....kernels.evaluation import run as evaluate
from ....kernels.jit import entry, inlined
from ....kernels.ode import call_status
from ....kernels.states import copy
from ....kernels.status import CROWDED, DONE, ENDED, MORE, OPEN, SPUN
from .control import MAKE
from .delays import keep_records, recorded
from .rows import keep, place


@inlined
def finish_step(p, w, c, t1):
    """The step is accepted: constraints, derivative, history. A status."""
    iterations, factorisations, gap = p.num.iterations, p.num.factorisations, p.par.position_gap
    if w.call.correct != 0:
        p.par.position_gap = 0.0  # of this step alone
        status = call_status(w.call.correct, (p, t1, w.y1))
        here, p.par.position_gap = p.par.position_gap, gap
        if status != DONE:
            return status
        if here > c.widest:
            return OPEN
        p.par.position_gap = max(gap, here)
    if c.known == 0 or p.num.iterations > iterations:
        status = call_status(w.call.rhs, (p, t1, w.y1, w.f1))
        if status != DONE:
            return status
    if c.histories == 1:
        place(p, w, t1, w.y1)
        p.x.E[TURNING] = 0
        evaluate(w.history, p.d, p.x, t1, 0.0, 0.0, 0.0)
        turning = p.x.E[TURNING].real  # also of complex runs
        if turning == np.inf or (c.fixed == 1 and turning * c.h >= np.pi):
            return SPUN
    c.iterations += p.num.iterations - iterations
    c.factorisations += p.num.factorisations - factorisations
    c.steps += 1
    c.fresh = 0
    c.h1, c.now = c.h, t1
    return DONE


@inlined
def make_step(p, w, c, o):
    """The method's step; its work is counted. A status."""
    c.ready, c.known, c.asked, c.t0, c.wish = 0, 0, MAKE, c.now, 0.0
    iterations, factorisations = p.num.iterations, p.num.factorisations
    status = call_status(w.call.step, (p, w, c, o))
    c.iterations += p.num.iterations - iterations
    c.factorisations += p.num.factorisations - factorisations
    return status


@inlined
def keep_row(p, w, c, rows):
    """The row at the end of a step, if one is due, or if it is the last one. DONE, MORE if there is no room for another, or ENDED."""
    if c.output <= c.outputs and c.now > w.due[c.output - 1] - 0.5 * c.next:
        keep(p, w, c, w.due[c.output - 1], w.y0, rows[c.stored])
        c.output += 1
    elif c.finished == 1:
        keep(p, w, c, c.now, w.y0, rows[c.stored])
    if c.finished == 1:
        return ENDED
    return MORE if c.stored == rows.shape[0] else DONE


@entry
def fixed_steps(problem, steps, c, own, max_steps, rows):
    """Steps until the end, a full store, or max_steps (Python chooses them so that it gets control back every 50 ms)."""
    p, w, o = reference(problem), reference(steps), opaque(own)
    c.stored = 0
    if c.structure == 1:  # Python has passed an instant at the end of the last step
        c.structure = 0
        status = keep_row(p, w, c, rows)
        if status != DONE:
            return status
    for _ in range(max_steps):
        if c.steps >= c.end:
            return DONE
        t1 = c.last if c.steps + 1 == c.end else c.first + (c.steps + 1) * c.next
        c.h, c.t1 = c.next, t1
        status = make_step(p, w, c, o)
        if status == DONE:
            status = finish_step(p, w, c, t1)
        if status != DONE:
            return status
        if w.delays[1] > 0:
            recorded(p, w, c, o)
            if not keep_records(p, w, c):
                return CROWDED
        copy(w.y1, w.y0)
        copy(w.f1, w.f0)
        if c.events > 0:
            status = call_status(w.call.occur, (p, w, c, o))
            if status != DONE:
                return status
        status = keep_row(p, w, c, rows)
        if status != DONE:
            return status
    return MORE


@entry
def evaluate_at(p, rhs, t, y, out):
    """F(t, y); ``rhs``: the address of its kernel. A status."""
    return call_status(rhs, (reference(p), t, y, out))
