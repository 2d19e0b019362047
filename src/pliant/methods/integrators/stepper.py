"""Newmark's formulas with averaged accelerations on the manifold, index 3: the jitted step and loop of generalized-alpha, HHT and
Newmark, which differ in four numbers. They know no family. docs/theory/integrators.md

    q = q0 exp(h dq),   M v' + C_q^T lam = f,   C(q, t) = 0          (Bruls, Cardona, Arnold 2012, doi 10.1016/j.mechmachtheory.2011.07.017)
"""
from typing import NamedTuple

import numpy as np

from ...kernels.block_lu import factorise, solve
from ...kernels.contract import DISSIPATION, POWER, call_python
from ...kernels.evaluation import evaluate, retract
from ...kernels.jit import entry, jit
from ...kernels.so3 import mat2, mul, scale, store, store2, tangent_inverse, vec
from ...kernels.status import DONE, MORE, NEWTON_FAILED, NOT_FINITE, SINGULAR

# ctl: start, step; see `threshold`; end of the step; the step over the last one; parameters of the method
T0, H, TOLERANCE, FLOOR, ROUNDING, T1, RATIO, ALPHA_M, ALPHA_F, BETA, GAMMA = range(11)
(STEPS, END, ITERATIONS, FACTORISATIONS, FACTORS_OK, FULL_NEWTON, STRIDE, STORED, MAX_ITERATIONS, FALLBACK,
 POWERED, HISTORIES) = range(12)                            # count
AMPLIFIED = 5e5                                             # how much a nearly singular position may amplify rounding
DISSIPATED, WORK = range(2)                                 # entries of Work.total and Work.power


class Work(NamedTuple):
    """What the method remembers between steps (alg, a1, total, power), and its work arrays."""
    alg: np.ndarray     # algorithmic acceleration
    a0: np.ndarray      # acceleration at the start of the step, and one step before
    a1: np.ndarray
    lam0: np.ndarray    # multipliers likewise
    lam1: np.ndarray
    v0: np.ndarray
    alg0: np.ndarray
    q0: np.ndarray
    dq: np.ndarray
    weight: np.ndarray  # 1 / characteristic length for displacements, 1 for rotations, 0 for padding
    soft: np.ndarray    # the regularisation of the multiplier rows
    total: np.ndarray   # dissipated energy and work so far
    power: np.ndarray   # their rates at the last step
    pivots: np.ndarray


@jit
def copy(a, b):
    """b = a. (A slice assignment would do, but its error message costs 1.7 s of compilation.)"""
    for k in range(a.size):
        b[k] = a[k]


@jit
def flushed(x):
    """x, or zero when it is so small that its products would be denormal, which processors treat a hundred times slower."""
    return 0 * x if x.real * x.real + x.imag * x.imag < 1e-200 else x


@jit
def rms(x, w, n):
    """Root mean square of the weighted real parts."""
    total = 0.0
    for k in range(n):
        total += (w[k] * x[k].real) ** 2
    return np.sqrt(total / n) if n > 0 else 0.0


@jit
def scales(ctl, h):
    """What an increment of positions is in accelerations and in velocities."""
    return (1 - ctl[ALPHA_M]) / (h * h * ctl[BETA] * (1 - ctl[ALPHA_F])), ctl[GAMMA] / (h * ctl[BETA])


@jit
def predict(x, w, ctl, n_v):
    """Start values: accelerations and multipliers extrapolated linearly, the rest by the formulas of the method."""
    h, ratio, am, af, beta, gamma = ctl[H], ctl[RATIO], ctl[ALPHA_M], ctl[ALPHA_F], ctl[BETA], ctl[GAMMA]
    copy(x.q, w.q0)
    for k in range(n_v):
        a, old = x.a[k], w.alg[k]
        guess = a + ratio * (a - w.a1[k])
        new = ((1 - af) * guess + af * a - am * old) / (1 - am)
        w.v0[k], w.a0[k], w.alg0[k] = x.v[k], a, old
        w.dq[k] = x.v[k] + h * ((0.5 - beta) * old + beta * new)
        x.v[k] += h * ((1 - gamma) * old + gamma * new)
        x.a[k] = guess
    for k in range(n_v, x.lam.size):
        w.lam0[k] = x.lam[k]
        x.lam[k] += ratio * (x.lam[k] - w.lam1[k])


@jit
def accept(x, w, ctl, n_v):
    """The algorithmic acceleration of the finished step."""
    am, af = ctl[ALPHA_M], ctl[ALPHA_F]
    for k in range(n_v):
        x.v[k], x.a[k] = flushed(x.v[k]), flushed(x.a[k])
        w.alg[k] = ((1 - af) * x.a[k] + af * w.a0[k] - am * w.alg0[k]) / (1 - am)
        w.a1[k] = w.a0[k]
    for k in range(n_v, x.lam.size):
        x.lam[k] = flushed(x.lam[k])
        w.lam1[k] = w.lam0[k]


@jit
def restore(x, w, n_v):
    """Back to the start of the step."""
    copy(w.q0, x.q)
    for k in range(n_v):
        x.v[k], x.a[k], w.alg[k] = w.v0[k], w.a0[k], w.alg0[k]
    for k in range(n_v, x.lam.size):
        x.lam[k] = w.lam0[k]


@jit
def step(residual, tangent, d, lu, x, w, ctl, count, n_v):
    """One step by Newton, modified or full. The rows of motion are divided by bp, so factors survive a change of h.

    Converged when the increment still to come, judged by the rate, is below ``threshold``: a given fraction of the
    accelerations (an error e in the position of each step acts like an acceleration e bp), but not below rounding. Next to a
    singular position rounding errors are amplified: there the step ends when fresh factors make the increment no smaller.
    (One long function: taking the solution of the increment out of it made small models 15 to 40 % slower, inlined or not.)
    """
    h, t = ctl[H], ctl[T1]
    bp, gp = scales(ctl, h)
    threshold = max(ctl[TOLERANCE] * (rms(x.a, w.weight, n_v) + ctl[FLOOR]) / bp, ctl[ROUNDING])
    predict(x, w, ctl, n_v)
    before, age, fresh, strict = 0.0, 0, False, False
    for _ in range(count[MAX_ITERATIONS]):
        retract(d, w.q0, w.dq, h, x.q)
        for k in range(d.rotations.shape[0]):
            i = d.rotations[k, 0]
            store2(tangent_inverse(scale(h, vec(w.dq, i))), x.T, i // 6, 0)
        if count[FACTORS_OK] == 1 and count[FULL_NEWTON] == 0 and not strict:
            evaluate(residual, d, x, t, 1.0, gp / bp, 1 / bp)
            age += 1
        else:
            x.D[:] = 0
            evaluate(tangent, d, x, t, 1.0, gp / bp, 1 / bp)
            if count[FALLBACK] != 0:
                if call_python(count[FALLBACK], 0.0, 0.0, 0.0) == 0.0:
                    return SINGULAR
            elif not factorise(x.D, lu, w.pivots):
                return SINGULAR
            count[FACTORISATIONS] += 1
            count[FACTORS_OK], age, fresh = 1, 0, True
        for k in range(n_v):
            x.R[k] /= bp
        for k in range(n_v, x.R.size):  # so that multipliers of redundant equations stay bounded and unique
            x.R[k] -= w.soft[k] * x.lam[k] / bp
        if count[FALLBACK] != 0:
            call_python(count[FALLBACK], 1.0, 0.0, 0.0)
        else:
            solve(x.D, lu, x.R)
        for k in range(x.R.size):
            x.R[k] = flushed(x.R[k])
        for k in range(d.rotations.shape[0]):  # from an increment of q to one of h dq
            i = d.rotations[k, 0]
            store(mul(mat2(x.T, i // 6, 0), vec(x.R, i)), x.R, i)
        for k in range(n_v):
            w.dq[k] -= x.R[k] / h
            x.v[k] -= gp * x.R[k]
            x.a[k] -= bp * x.R[k]
        for k in range(n_v, x.R.size):
            x.lam[k] -= bp * x.R[k]
        count[ITERATIONS] += 1
        size = rms(x.R, w.weight, n_v)
        if not np.isfinite(size):
            return NOT_FINITE
        rate = size / before if before > 0 else 1.0
        stagnant = fresh and before > 0 and rate > 0.3 and size <= AMPLIFIED * ctl[ROUNDING]
        if size <= ctl[ROUNDING] or (rate < 1 and size * rate / (1 - rate) <= threshold) or stagnant:
            retract(d, w.q0, w.dq, h, x.q)
            accept(x, w, ctl, n_v)
            if age > 4:
                count[FACTORS_OK] = 0
            return DONE
        before = size
        if age > 1 and rate > 0.4:
            count[FACTORS_OK] = 0
        astray = fresh and not strict and age > 0 and rate > 2
        if astray or (not fresh and count[FACTORS_OK] == 0):  # kept factors may lead to another root: begin the step anew
            strict = astray  # with new factors; if those do not last an iteration either, with new ones in each
            count[FACTORS_OK] = 0
            restore(x, w, n_v)
            predict(x, w, ctl, n_v)
            before = 0.0
    return NEWTON_FAILED


@jit
def add_energy(power, d, x, w, ctl, count):
    """Dissipated energy and work of the step, by the trapezoidal rule."""
    x.E[:] = 0
    evaluate(power, d, x, ctl[T1], 0.0, 0.0, 0.0)
    for k, e in ((DISSIPATED, x.E[DISSIPATION]), (WORK, x.E[POWER])):
        w.total[k] += ctl[H] * (w.power[k] + e) / 2
        w.power[k] = e


@jit
def keep(x, w, ctl, count, rows):
    """One row: t, dissipated, work, q, v, a, lam, H."""
    row = rows[count[STORED]]
    row[0], row[1], row[2] = ctl[T1], w.total[0], w.total[1]
    i = 3
    for part in (x.q, x.v, x.a, x.lam, x.H):
        copy(part, row[i:])
        i += part.size
    count[STORED] += 1


@entry
def advance(residual, tangent, power, history, d, lu, x, w, ctl, count, n_v, max_steps, rows):
    """Steps until the end, a full store, or max_steps (Python chooses them so that it gets control back every 50 ms)."""
    count[STORED] = 0
    for _ in range(max_steps):
        if count[STEPS] >= count[END]:
            return DONE
        ctl[T1] = ctl[T0] + (count[STEPS] + 1) * ctl[H]
        status = step(residual, tangent, d, lu, x, w, ctl, count, n_v)
        if status != DONE:
            restore(x, w, n_v)
            count[FACTORS_OK] = 0
            return status
        count[STEPS] += 1
        if count[HISTORIES] == 1:
            evaluate(history, d, x, ctl[T1], 0.0, 0.0, 0.0)
        if count[POWERED] == 1:
            add_energy(power, d, x, w, ctl, count)
        if count[STEPS] % count[STRIDE] == 0 or count[STEPS] == count[END]:
            keep(x, w, ctl, count, rows)
            if count[STORED] == rows.shape[0]:
                return MORE
    return MORE
