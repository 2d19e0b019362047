"""Generalized-alpha with error control: the jitted loop. It adds to the step of `stepper` the choice of the next step by its local
error, steps that end at jumps, and dense output. docs/theory/integrators.md"""
import numpy as np

from ...kernels.evaluation import retract
from ...kernels.evaluation import run as evaluate  # compiled once: only the step itself gains by inlining
from ...kernels.expression_vm import JUMPS
from ...kernels.jit import entry, jit
from ...kernels.so3 import dot, mat2, mul, store, vec
from ...kernels.status import DONE, EVENT, MORE, OPEN, SINGULAR, UNDERFLOW
from .control_memory import (
    AFTER,
    AGE,
    BEYOND,
    BRANCH,
    E_BAD,
    ERROR,
    FACTORED,
    FAILURES,
    FRESH,
    GAP,
    GROWN,
    H1,
    H2,
    H_ALG,
    H_BAD,
    HELD,
    JUMPY,
    KEPT,
    LAST,
    LATER,
    LEAST,
    MOST,
    NEXT,
    NOW,
    OUT0,
    OUT_STEP,
    OUTPUT,
    OUTPUTS,
    REJECTED,
    SINGULAR_PASSED,
    SPEED,
    STAGNANT,
    STOP,
    TARGET,
    USUAL,
    WAIT,
    WIDEST,
)
from .local_error import change_step, estimate
from .stepper import (
    FACTORISATIONS,
    FACTORS_OK,
    FALLBACK,
    HISTORIES,
    ITERATIONS,
    POWERED,
    RATIO,
    STEPS,
    STORED,
    T1,
    H,
    add_energy,
    copy,
    restore,
    step,
)

REFRESH = 20       # steps that factors are kept: the estimate needs them near the current position
NEAR = 1e-6        # a jump in this first part of a step is passed without a step to it
NARROW = 1e-13     # a jump is located to this part of the step
BACK = 1e-9        # a step to a jump that ends behind it is made shorter by this part, then by eight times as much ...
TURN = 1.0         # rad
NEGLIGIBLE = 2e-5  # of the usual step: a jump does nothing in it that matters, whatever the estimate says
TINY = 1e-2        # of the usual step: shorter ones may have the whole error of a usual one
FORCE = 20.0       # a jump of multipliers that much larger than that of inertia forces is one of a singular position


@jit
def interpolate(d, T, w, k, v1, a1, s, h, q, v):
    """State at the fraction s of the step: cubic in the increment on the tangent space, and in v             [alpha-10]"""
    a, b, c = s * (1 - s) ** 2, s * s * (3 - 2 * s), s * s * (s - 1)
    copy(v1, k.y)
    for j in range(d.rotations.shape[0]):
        i = d.rotations[j, 0]
        store(mul(mat2(T, i // 6, 0), vec(v1, i)), k.y, i)
    for i in range(v.size):
        k.y[i] = h * (a * w.v0[i] + b * w.dq[i] + c * k.y[i])
        v[i] = (1 - b) * w.v0[i] + b * v1[i] + h * (a * w.a0[i] + c * a1[i])
    retract(d, w.q0, k.y, 1.0, q)


@jit
def keep_outputs(d, x, w, k, ctl, count, aim, note, rows):
    """Rows for the output times that the last step has passed. True if all are kept."""
    h, n_q, n = ctl[H], x.q.size, x.v.size
    if note[FRESH] == 1 and aim[NOW] < aim[STOP]:
        return True
    while note[OUTPUT] <= note[OUTPUTS]:
        t = aim[LAST] if note[OUTPUT] == note[OUTPUTS] else aim[OUT0] + note[OUTPUT] * aim[OUT_STEP]
        if t > aim[NOW]:
            return True
        if count[STORED] == rows.shape[0]:
            return False
        begin, s = aim[NOW] - h, 1 - (aim[NOW] - t) / h  # negative if a hop over a jump has passed t
        a, b, c = s * (1 - s) ** 2, s * s * (3 - 2 * s), s * s * (s - 1)
        row = rows[count[STORED]]
        row[0] = begin if t < begin <= t + NARROW * abs(t) else t  # a row at a jump shows what comes after it
        for i in range(2):
            row[1 + i] = (1 - b) * k.total0[i] + b * w.total[i] + h * (a * k.power0[i] + c * w.power[i])
        interpolate(d, x.T, w, k, x.v, x.a, s, h, row[3:3 + n_q], row[3 + n_q:3 + n_q + n])
        copy(x.a, row[3 + n_q + n:])
        copy(x.lam, row[3 + n_q + 2 * n:])
        for i in range(x.H.size):
            row[3 + n_q + 3 * n + i] = (1 - s) * k.H0[i] + s * x.H[i]
        count[STORED] += 1
        note[OUTPUT] += 1
    return True


@jit
def branch(residual, d, x, t):
    """A number that changes when a function takes another branch at a jump."""
    evaluate(residual, d, x, t, 1.0, 0.0, 0.0)
    return x.W[JUMPS].real


@jit
def extrapolate(d, w, k, aim, note, tau, q, v):
    """State at the time tau after the start of the step, as if no function had jumped."""
    for i in range(v.size):
        slope = (w.a0[i] - k.a1[i]) / aim[H1] if note[AGE] > 0 else 0.0
        k.y[i] = tau * (w.v0[i] + tau * (w.a0[i] / 2 + tau * slope / 6))
        v[i] = w.v0[i] + tau * (w.a0[i] + tau * slope / 2)
    retract(d, w.q0, k.y, 1.0, q)


@jit
def locate(residual, d, x, w, k, ctl, aim, note, h):
    """Fractions of the step before and after a jump of a function, by bisection on the motion as it goes on from the start of the
    step; where that has no jump, on the interpolated one, which knows the forces after the jump."""
    copy(x.v, k.v)
    extrapolate(d, w, k, aim, note, h, x.q, x.v)
    free = branch(residual, d, x, aim[NOW] + h) != aim[BRANCH]
    before, after = 0.0, 1.0
    while after - before > NARROW:
        middle = (before + after) / 2
        if free:
            extrapolate(d, w, k, aim, note, middle * h, x.q, x.v)
        else:
            interpolate(d, x.T, w, k, k.v, x.a, middle, h, x.q, x.v)
        if branch(residual, d, x, aim[NOW] + middle * h) == aim[BRANCH]:
            before = middle
        else:
            after = middle
    copy(k.v, x.v)
    return before, after


@jit
def next_step(aim, note):
    """The step to try, so that the last ones before the end are no stubs; and whether it reaches the end."""
    left, h = aim[STOP] - aim[NOW], min(aim[NEXT], aim[MOST])
    if note[TARGET] == 1:
        return h, False
    if h >= 0.999 * left:
        return left, True
    return min(h, 0.5 * left), False


@jit
def reject(x, w, k, note, n_v):
    """Back to the start of a step that had converged."""
    restore(x, w, n_v)
    copy(k.a1, w.a1)
    copy(k.lam1, w.lam1)
    note[REJECTED] += 1
    note[TARGET] = 0


@jit
def aim_at_jump(residual, d, x, w, k, ctl, aim, note, h, n_v):
    """A function has jumped in the step: make it again up to there."""
    before, after = locate(residual, d, x, w, k, ctl, aim, note, h)
    note[BEYOND] = note[BEYOND] + 1 if note[TARGET] == 1 else 0
    if note[BEYOND] > 0:
        before, after = min(before, max(0.0, 1 - BACK * 8.0 ** note[BEYOND])), 1.0
    reject(x, w, k, note, n_v)
    if before < NEAR:
        note[TARGET], aim[AFTER] = 2, aim[NOW] + min(after, NEAR) * h
    else:
        note[TARGET], aim[AFTER], aim[NEXT] = 1, aim[NOW] + after * h, before * h


@jit
def passed_singular(x, w, k, n_v):
    """Whether multipliers jumped so much more than inertia forces that the estimate tells of a singular position: smaller steps
    would only come closer to it."""
    force, inertia = 0.0, 0.0
    for i in range(n_v, x.lam.size):
        force = max(force, abs(x.lam[i] - w.lam0[i]))
    for i in range(n_v):
        inertia = max(inertia, k.mass[i] * abs(x.a[i] - w.a0[i]))
    return force > FORCE * inertia


@jit
def after_rejection(aim, note, h, error):
    """A smaller step; where the error did not fall with it twice, it is noise, and the step is taken next time."""
    aim[NEXT] = h * max(0.2, 0.9 / np.sqrt(error))
    note[STAGNANT] = note[STAGNANT] + 1 if h < 0.8 * aim[H_BAD] and error > 0.6 * aim[E_BAD] else 0
    aim[H_BAD], aim[E_BAD] = h, error
    if note[GROWN] == 1:  # growing was wrong: wait twice as long before the next attempt
        note[WAIT] = min(64, 2 * note[WAIT] + 2)
    note[GROWN], note[LATER] = 0, note[WAIT]


@jit
def after_step(aim, note, h, error, slow):
    """The next step: unchanged unless it pays."""
    factor = 0.9 / np.sqrt(max(error, 1e-4))
    aim[USUAL] = max(h, 0.95 * aim[USUAL])
    aim[H_BAD], note[STAGNANT] = 0.0, 0
    if note[GROWN] == 1:
        note[WAIT] = 0
    note[GROWN], note[LATER] = 0, max(0, note[LATER] - 1)
    note[HELD] = max(4, note[HELD] - 1) if slow else max(0, note[HELD] - 1)
    aim[NEXT] = h
    if note[HELD] == 0 and factor > 1.2 and note[LATER] == 0:
        aim[NEXT], note[GROWN] = h * min(factor, 2.0), 1
    elif note[HELD] == 0 and factor < 0.95:
        aim[NEXT] = h * max(factor, 0.5)


@jit
def limit_turns(d, x, aim):
    """No body turns by more than TURN in a step: turns of joints could not be counted, and rotation vectors end at a full one."""
    fastest = 0.0
    for j in range(d.rotations.shape[0]):
        w = vec(x.v, d.rotations[j, 0])
        fastest = max(fastest, dot(w, w))
    if aim[NEXT] * np.sqrt(fastest) > TURN:
        aim[NEXT] = 0.8 * TURN / np.sqrt(fastest)


@jit
def begin_step(residual, tangent, rates, d, lu, x, w, k, ctl, count, aim, note, n_v):
    """Choose h and prepare the memory of the method for it."""
    h, last = next_step(aim, note)
    if note[AGE] > 0 and h != aim[H_ALG]:
        change_step(residual, tangent, rates, d, lu, x, w, k, ctl, count, aim, note, h, n_v)
    aim[H_ALG] = h
    ctl[H], ctl[T1], ctl[RATIO] = h, aim[STOP] if last else aim[NOW] + h, h / aim[H1] if note[AGE] > 0 else 0.0
    copy(w.a1, k.a1)
    copy(w.lam1, k.lam1)
    copy(x.H, k.H0)
    copy(w.total, k.total0)
    copy(w.power, k.power0)
    if note[FACTORED] != count[FACTORISATIONS]:
        note[FACTORED], note[KEPT] = count[FACTORISATIONS], 0
    note[KEPT] += 1
    if note[KEPT] > REFRESH:
        count[FACTORS_OK] = 0
    return h


@jit
def finish_step(power, history, d, x, w, k, ctl, count, aim, note):
    """The step is accepted."""
    h = ctl[H]
    count[STEPS] += 1
    note[AGE] += 1
    note[FRESH] = 0
    aim[NOW] = ctl[T1]
    copy(k.a1, k.a2)
    if count[HISTORIES] == 1:
        evaluate(history, d, x, ctl[T1], 0.0, 0.0, 0.0)
    if count[POWERED] == 1:
        add_energy(power, d, x, w, ctl, count)
        for i in range(2):  # the error of the trapezoidal rule is -h^3 p'' / 12
            if note[AGE] > 1:
                slope = (w.power[i] - k.power0[i]) / h - (k.power0[i] - k.power1[i]) / aim[H1]
                w.total[i] -= h**3 / 6 * slope / (h + aim[H1])
            k.power1[i] = k.power0[i]
    aim[H2], aim[H1] = aim[H1], h


@entry
def advance(residual, tangent, rates, power, history, d, lu, x, w, k, ctl, count, aim, note, n_v, max_steps, rows):
    """Steps until the end of a smooth piece, a full store, or max_steps."""
    count[STORED] = 0
    for _ in range(max_steps):
        if not keep_outputs(d, x, w, k, ctl, count, aim, note, rows):
            return MORE
        if note[TARGET] == 2:
            return EVENT
        if aim[NOW] >= aim[STOP]:
            return DONE
        h = begin_step(residual, tangent, rates, d, lu, x, w, k, ctl, count, aim, note, n_v)
        iterations, factorisations = count[ITERATIONS], count[FACTORISATIONS]
        status = step(residual, tangent, d, lu, x, w, ctl, count, n_v)
        if status != DONE:
            restore(x, w, n_v)
            count[FACTORS_OK], note[TARGET] = 0, 0
            note[FAILURES] += 1
            if count[FALLBACK] == 0 and (status == SINGULAR or note[FAILURES] > 1):  # another solver may do
                return status
            aim[NEXT] = h / 4
            if aim[NEXT] < aim[LEAST]:
                return status
            note[REJECTED] += 1
            continue
        note[FAILURES] = 0
        if note[JUMPY] == 1 and branch(residual, d, x, ctl[T1]) != aim[BRANCH]:
            aim_at_jump(residual, d, x, w, k, ctl, aim, note, h, n_v)
            continue
        aim[ERROR], speed = estimate(residual, tangent, d, lu, x, w, k, ctl, count, aim, note, n_v)
        singular = aim[ERROR] > 1 and passed_singular(x, w, k, n_v)
        unseen = aim[ERROR] > 1 and h < TINY * aim[USUAL] and (aim[ERROR] * h <= aim[USUAL] or h < NEGLIGIBLE * aim[USUAL])
        if aim[ERROR] > 1 and note[STAGNANT] < 2 and not singular and not unseen:
            reject(x, w, k, note, n_v)
            after_rejection(aim, note, h, aim[ERROR])
            if aim[NEXT] < aim[LEAST]:
                return UNDERFLOW
            continue
        aim[SPEED] = speed
        finish_step(power, history, d, x, w, k, ctl, count, aim, note)
        after_step(aim, note, h, aim[ERROR], count[FACTORISATIONS] > factorisations and count[ITERATIONS] - iterations > 4)
        limit_turns(d, x, aim)
        if singular:
            note[SINGULAR_PASSED] += 1
            note[HELD] = 20
        if unseen:  # a jump that no function has told of: what was before it says nothing about the next steps
            note[TARGET], aim[AFTER] = 2, aim[NOW] - 1
        elif note[TARGET] == 1:
            note[TARGET] = 2
        if aim[GAP] > aim[WIDEST]:
            return OPEN
    keep_outputs(d, x, w, k, ctl, count, aim, note, rows)
    return MORE
