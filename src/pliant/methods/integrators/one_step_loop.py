"""One-step methods on y' = F(t, y): the jitted loop. A kernel of the method, called by its address, makes a step and gives its
error and the polynomial for values in between; the loop chooses the next step, ends steps at jumps and keeps rows.

    y(t + s h) = y0 + sum_k P[k] s^k,  k = 1, 2, ...                                                    [ode-2]
"""
from typing import Any, NamedTuple

import numpy as np

from ...kernels.by_reference import reference
from ...kernels.evaluation import run as evaluate
from ...kernels.expression_vm import HELD, JUMPS
from ...kernels.jit import entry, inlined, jit
from ...kernels.ode import FACTORISATIONS as FACTORED_
from ...kernels.ode import ITERATIONS as ITERATED_
from ...kernels.ode import N_V, STATE_Q, STATE_V, call_status, load
from ...kernels.status import DONE, EVENT, MORE, SINGULAR, UNDERFLOW
from .adaptive import NARROW, TINY, TURN
from .control_memory import (
    AFTER,
    BEYOND,
    BRANCH,
    E_BAD,
    EPS,
    ERROR,
    FAILURES,
    FRESH,
    GROWN,
    H1,
    H_BAD,
    JUMPY,
    LAST,
    LEAST,
    MOST,
    NEXT,
    NOW,
    OUT0,
    OUT_STEP,
    OUTPUT,
    OUTPUTS,
    REJECTED,
    SOUGHT,
    SPEED,
    STAGNANT,
    STOP,
    TARGET,
    USUAL,
)
from .stepper import END, FACTORISATIONS, HISTORIES, ITERATIONS, STEPS, STORED, STRIDE, copy

# tune: length and start of the step; exponent of the error per second in h; what is allowed, and the largest speed; how much the method
# wants the next step to be longer (0: as follows from the error)
H, T0, EXPONENT, EPS_, SPEED_, WISH = range(6)
# code: addresses of the kernels of the formulation and of the method; of what implicit ones solve and begin with; whether steps are fixed;
# whether P belongs to the step; whether f1 is known; what the kernel is asked for; whether rows of the last step are still to be kept; in
# joint coordinates what moves the bodies
RHS, CORRECT, STEP, SOLVER, STARTER, FIXED, READY, KNOWN, ASKED, PENDING, UNFOLD = range(11)
MAKE, BETWEEN = range(2)  # a step, the polynomial
ONSET = 1e-2              # of the speed that an acceleration gives over the size of the model: out of rest no velocity is known yet
SLOWEST, FASTEST = 0.2, 5.0
REACH, ARRIVED, PASS = 1, 2, 3  # of note[TARGET]: the step is to end behind a jump; it has not come so far; it has
NEXT_TO = 1e-9            # of the usual step: a jump so near is passed without a step
RESTLESS = 1000           # steps with too large an error and hardly any other of usual length end a run
ATTEMPTS = 4              # steps to come past a singular position, or to end at a jump


class Steps(NamedTuple):
    """What one-step methods remember (y0, f0), and their work arrays."""
    y0: np.ndarray
    f0: np.ndarray
    y1: np.ndarray
    f1: np.ndarray
    error: np.ndarray
    weight: np.ndarray  # 1 / size of the model for lengths, 2 for quaternions, of velocities times the speed, 0 for energies
    P: np.ndarray
    K: np.ndarray       # stages
    z: np.ndarray
    table: np.ndarray   # numbers of the method
    own: Any            # what implicit methods remember


@jit
def at(w, s, y):
    """[ode-2]"""
    for i in range(y.size):
        value = w.P[w.P.shape[0] - 1, i] * s
        for k in range(w.P.shape[0] - 2, 0, -1):
            value = (value + w.P[k, i]) * s
        y[i] = w.y0[i] + value


@inlined
def place(p, code, t, y):
    """The bodies as a state has them."""
    if p.joints.used.size > 0:
        call_status(code[UNFOLD], (p, t, y))
    else:
        load(p, y)


@jit
def prepared(p, w, tune, code):
    """P for the step just made."""
    if code[READY] == 0:
        code[ASKED] = BETWEEN
        call_status(code[STEP], (p, w, tune, code))
        code[READY] = 1


@jit
def end_of(count, aim, steps):
    """When so many fixed steps have been made."""
    return aim[LAST] if steps == count[END] else aim[OUT0] + steps * aim[NEXT]


@jit
def keep_outputs(p, w, tune, code, count, aim, note, rows):
    """Rows for the output times up to now. True if all are kept."""
    n_q, n, n_v = p.x.q.size, p.x.v.size, p.num[N_V]
    if note[FRESH] == 1 and aim[NOW] < aim[STOP]:
        return True
    while note[OUTPUT] <= note[OUTPUTS]:
        t = aim[LAST] if note[OUTPUT] == note[OUTPUTS] else aim[OUT0] + note[OUTPUT] * aim[OUT_STEP]
        if code[FIXED] == 1:  # exactly as the ends of steps
            t = end_of(count, aim, note[OUTPUT] * count[STRIDE])
        if t > aim[NOW]:
            return True
        if count[STORED] == rows.shape[0]:
            return False
        row = rows[count[STORED]]
        for k in range(row.size):
            row[k] = 0
        h = tune[H]
        if t == aim[NOW] or note[FRESH] == 1:
            copy(w.y1, w.z)
        else:
            prepared(p, w, tune, code)
            at(w, max(0.0, 1 - (aim[NOW] - t) / h), w.z)
        begin = aim[NOW] - h
        row[0] = begin if t < begin <= t + NARROW * abs(t) else t  # a row at a jump shows what comes after it
        row[1], row[2] = w.z[w.z.size - 2], w.z[w.z.size - 1]
        if p.joints.used.size > 0:
            place(p, code, row[0], w.z)
            for k in range(n_q):
                row[3 + k] = p.x.q[k]
            for k in range(n_v):
                row[3 + n_q + k] = p.x.v[k]
        else:
            for k in range(n_q + n_v):
                row[3 + k] = w.z[k]
            for k in range(n_v):
                row[3 + n_q + n + k] = w.f1[n_q + k]
        for k in range(n_v, n):
            row[3 + n_q + 2 * n + k] = p.x.lam[k]
        for k in range(p.x.H.size):
            row[3 + n_q + 3 * n + k] = p.x.H[k]
        count[STORED] += 1
        note[OUTPUT] += 1
    return True


@jit
def branch(p, code, t, y):
    """A number that changes when a function takes another branch at a jump."""
    place(p, code, t, y)
    held, p.x.W[HELD] = p.x.W[HELD], 0
    evaluate(p.residual, p.d, p.x, t, 0.0, 0.0, 0.0)
    p.x.W[HELD] = held
    return p.x.W[JUMPS].real


@jit
def locate(p, w, tune, code, aim):
    """Where in the step a function jumps: the part of it that ends just behind the jump. Functions go on smoothly beyond their jumps
    during a step, so its polynomial is as good there as anywhere."""
    prepared(p, w, tune, code)
    before, after = 0.0, 1.0
    while after - before > NARROW:
        middle = (before + after) / 2
        at(w, middle, w.z)
        if branch(p, code, aim[NOW] + middle * tune[H], w.z) == aim[BRANCH]:
            before = middle
        else:
            after = middle
    return after


@jit
def reach(p, w, tune, code, aim, note, t1):
    """A step that is good otherwise, and whether a function has jumped in it: True if it is to be made again up to there."""
    jumped = branch(p, code, t1, w.y1) != aim[BRANCH]
    if not jumped:
        if note[TARGET] == REACH:  # the jump is next to here
            note[TARGET] = ARRIVED
        return False
    s = locate(p, w, tune, code, aim)
    if note[TARGET] != REACH:
        note[TARGET], note[BEYOND], aim[SOUGHT] = REACH, 0, tune[H]
    note[BEYOND] += 1
    if (1 - s) * tune[H] <= aim[LEAST] or note[BEYOND] > ATTEMPTS:
        note[TARGET], aim[AFTER] = PASS, t1
        return False
    note[REJECTED] += 1
    aim[NEXT] = max(s * tune[H], aim[LEAST])
    if aim[NEXT] <= NEXT_TO * aim[USUAL]:  # so near that Taylor's formula is exact, and too short a step for implicit methods
        note[TARGET], aim[AFTER] = PASS, aim[NOW] + aim[NEXT]
    return True


@jit
def speeds(p, w, y, f, speed):
    """The largest speed so far, in sizes of the model."""
    n_q, n_v, strongest = p.num[STATE_Q], p.num[STATE_V], 0.0
    for k in range(n_v):
        speed = max(speed, w.weight[n_q + k] * abs(y[n_q + k]))
        strongest = max(strongest, w.weight[n_q + k] * abs(f[n_q + k]))
    return max(speed, ONSET * np.sqrt(strongest))


@jit
def judge(p, w, tune, aim):
    """Local error per second over what is allowed: positions in sizes of the model, velocities in the largest one."""
    n_q, n_v, worst = p.num[STATE_Q], p.num[STATE_V], 0.0
    speed = speeds(p, w, w.y1, w.f0, aim[SPEED])
    for k in range(n_q):
        e = w.weight[k] * abs(w.error[k])
        if not e <= worst:
            worst = e
    for k in range(n_q, n_q + n_v):
        e = w.weight[k] * abs(w.error[k]) / speed
        if not e <= worst:
            worst = e
    return worst / (tune[H] * aim[EPS])


@jit
def bearable(tune, aim, note, error):
    """Whether a step with too large an error is taken: where shorter steps do not help - rounding next to a singular position, or a jump
    that no function tells of - and it is so short that its error is not more than a usual step may have."""
    helps = note[GROWN] == 0 or error <= aim[E_BAD] * (tune[H] / aim[H_BAD]) ** (tune[EXPONENT] / 3)
    return error * tune[H] <= aim[USUAL] and (tune[H] < TINY * aim[USUAL] or not helps)


@jit
def turning(p, code, t, y):
    """The fastest angular velocity."""
    first, v, fastest = p.x.q.size, y, 0.0
    if p.joints.used.size > 0:
        place(p, code, t, y)
        first, v = 0, p.x.v
    for j in range(p.d.rotations.shape[0]):
        i = first + p.d.rotations[j, 0]
        fastest = max(fastest, v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2])
    return np.sqrt(fastest)


@jit
def begin_step(tune, code, count, aim, note):
    """Length and end of the next step; the last ones before the end are no stubs."""
    left = aim[STOP] - aim[NOW]
    code[READY], code[KNOWN], code[ASKED] = 0, 0, MAKE
    tune[T0], tune[EPS_], tune[SPEED_], tune[WISH] = aim[NOW], aim[EPS], aim[SPEED], 0.0
    if code[FIXED] == 1:
        tune[H] = aim[NEXT]
        return end_of(count, aim, count[STEPS] + 1)
    h = min(aim[NEXT], aim[MOST])
    if note[TARGET] > 0:
        tune[H] = h
        return aim[NOW] + h
    if h >= 0.999 * left:
        tune[H] = left
        return aim[STOP]
    tune[H] = min(h, 0.5 * left)
    return aim[NOW] + tune[H]


@inlined
def finish_step(p, w, history, tune, code, count, aim, note, t1):
    """The step is accepted: constraints, derivative, history. A status."""
    iterations, factorisations = p.num[ITERATED_], p.num[FACTORED_]
    status = call_status(code[CORRECT], (p, t1, w.y1))
    if status != DONE:
        return status
    if code[KNOWN] == 0 or p.num[ITERATED_] > iterations:
        status = call_status(code[RHS], (p, t1, w.y1, w.f1))
        if status != DONE:
            return status
    if count[HISTORIES] == 1:
        place(p, code, t1, w.y1)
        evaluate(history, p.d, p.x, t1, 0.0, 0.0, 0.0)
    count[ITERATIONS] += p.num[ITERATED_] - iterations
    count[FACTORISATIONS] += p.num[FACTORED_] - factorisations
    count[STEPS] += 1
    note[FRESH] = 0
    aim[H1], aim[NOW] = tune[H], t1
    return DONE


@inlined
def keep_rows(p, w, tune, code, count, aim, note, rows):
    """All rows of the last step, then its end is the start of the next one; PENDING if there is no room for them."""
    code[PENDING] = 0 if keep_outputs(p, w, tune, code, count, aim, note, rows) else 1
    if code[PENDING] == 0:
        copy(w.y1, w.y0)
        copy(w.f1, w.f0)


@jit
def choose(p, w, tune, code, aim, note, error):
    """The next step after an accepted one."""
    if code[FIXED] == 1:
        return
    factor = 0.9 * max(error, 1e-12) ** (-1 / tune[EXPONENT])
    factor = min(FASTEST, max(SLOWEST, factor))
    if tune[WISH] > 0:
        factor = tune[WISH]
    if note[GROWN] == 1:  # right after a rejection
        factor = min(factor, 1.0)
    note[GROWN] = 0
    aim[USUAL] = max(tune[H], aim[USUAL] - 0.05 * min(aim[USUAL], 20 * tune[H]))
    aim[NEXT] = tune[H] * factor
    fastest = turning(p, code, aim[NOW], w.y1)
    if aim[NEXT] * fastest > TURN:
        aim[NEXT] = 0.8 * TURN / fastest


@entry
def advance(problem, steps, history, tune, code, count, aim, note, max_steps, rows):
    """Steps until the end of a smooth piece, a full store, or max_steps."""
    p, w = reference(problem), reference(steps)
    count[STORED] = 0
    if code[PENDING] == 1:
        keep_rows(p, w, tune, code, count, aim, note, rows)
        return MORE
    for _ in range(max_steps):
        if note[TARGET] == PASS:
            return EVENT
        if aim[NOW] >= aim[STOP]:
            if note[FRESH] == 1:  # a jump at the very end
                keep_rows(p, w, tune, code, count, aim, note, rows)
            return DONE
        t1 = begin_step(tune, code, count, aim, note)
        factorisations, iterations = p.num[FACTORED_], p.num[ITERATED_]
        status = call_status(code[STEP], (p, w, tune, code))
        count[FACTORISATIONS] += p.num[FACTORED_] - factorisations
        count[ITERATIONS] += p.num[ITERATED_] - iterations
        error = 0.0
        if status == DONE and code[FIXED] == 0:
            error = judge(p, w, tune, aim)
            if not error <= 1 and not bearable(tune, aim, note, error):
                note[REJECTED] += 1
                note[GROWN], note[TARGET] = 1, 0
                aim[H_BAD], aim[E_BAD] = tune[H], error
                aim[NEXT] = tune[H] * (max(SLOWEST, 0.9 * error ** (-1 / tune[EXPONENT])) if error < np.inf else 0.1)
                aim[ERROR] = error
                if aim[NEXT] < aim[LEAST]:
                    return UNDERFLOW
                continue
            if note[JUMPY] == 1 and reach(p, w, tune, code, aim, note, t1):
                continue
        if status == DONE:
            status = finish_step(p, w, history, tune, code, count, aim, note, t1)
        if status != DONE:
            note[FAILURES] += 1
            if code[FIXED] == 1 or tune[H] / 4 < aim[LEAST] or (status == SINGULAR and note[FAILURES] > ATTEMPTS):
                return status
            aim[NEXT], note[TARGET] = tune[H] * (tune[WISH] if tune[WISH] > 0 else 0.25), 0
            note[REJECTED] += 1
            continue
        note[FAILURES] = 0
        if error > 1:
            note[STAGNANT] += 1
        elif tune[H] > TINY * aim[USUAL]:
            note[STAGNANT] = max(0, note[STAGNANT] - 1)
        if note[STAGNANT] > RESTLESS:
            return UNDERFLOW
        if error > 1:
            aim[NEXT], note[GROWN] = 0.5 * aim[USUAL] if tune[H] < TINY * aim[USUAL] else 2 * tune[H], 0
        aim[ERROR] = error
        aim[SPEED] = speeds(p, w, w.y1, w.f1, aim[SPEED])
        if error <= 1:
            choose(p, w, tune, code, aim, note, error)
        if note[TARGET] == ARRIVED:
            note[TARGET], aim[NEXT] = 0, aim[SOUGHT]
        keep_rows(p, w, tune, code, count, aim, note, rows)
        if code[PENDING] == 1:
            return MORE
    return MORE


@entry
def evaluate_at(p, code, t, y, out):
    """F(t, y) of the formulation."""
    return call_status(code[RHS], (reference(p), t, y, out))


class Interpreted(list[object]):
    """Codes without Numba: functions instead of addresses."""

    def __init__(self, code: np.ndarray, kernels: list[object]) -> None:
        super().__init__([*kernels, *code[len(kernels):].tolist()])
