"""Energy-momentum method: the jitted step and loop. docs/theory/conserving.md

    r_1 = r_0 + h v_m,  R_1 = R_0 cay(h w_m),  v_m = (v_0 + v_1) / 2,  a_m = (v_1 - v_0) / h           [conserving-1]
    S (I a_m + w_m x I w_m) + moments, m a_m + forces at the middle + sigma M Delta = 0,   C(q_1, t_1) = 0

Delta = h (v_m, w_m) is the unknown; sigma makes the balance of energy exact.
"""
from typing import NamedTuple

import numpy as np

from ...compile.consistency import normalise
from ...kernels.block_lu import factorise, solve
from ...kernels.contract import DISSIPATION, ELASTIC, POWER, call_python
from ...kernels.evaluation import run as evaluate
from ...kernels.jit import entry, jit
from ...kernels.so3 import accumulate, add, cross, dot, dyad, mat_add, mul, rotation, scale, skew, store, store2, sub, tmul, vec
from ...kernels.status import DONE, MORE, NEWTON_FAILED, NOT_FINITE, SINGULAR
from .stepper import (
    AMPLIFIED,
    DISSIPATED,
    END,
    FACTORISATIONS,
    FALLBACK,
    FLOOR,
    HISTORIES,
    ITERATIONS,
    MAX_ITERATIONS,
    POWERED,
    ROUNDING,
    STEPS,
    STORED,
    STRIDE,
    T0,
    T1,
    TOLERANCE,
    WORK,
    H,
    copy,
    flushed,
    keep,
    rms,
)

STIFF, FREE = 7, 8  # ctl, after those of `stepper`: whether anything is elastic; whether no force comes from outside
SLOW = 0.1          # rate of the iteration above which factors are renewed
SURE = 0.05         # at least this rate is counted with: what is left of the equations is energy lost
LOST, MORE_PASSES = 1e-14, 3  # of the work of a step: energy that may be lost; passes that are made to find it
FAINT = 0.01        # of the regularisation, in the equations themselves: multipliers of redundant ones fade, and joints stay closed


class Programs(NamedTuple):
    """What is evaluated; ``inertia``: rigid bodies alone."""
    residual: NamedTuple
    tangent: NamedTuple
    power: NamedTuple
    history: NamedTuple
    inertia: NamedTuple
    energy: NamedTuple


class Middle(NamedTuple):
    """What the method remembers between steps (a1, lam1, total, elastic), and its work arrays."""
    q0: np.ndarray
    q1: np.ndarray
    v0: np.ndarray
    a0: np.ndarray
    a1: np.ndarray       # acceleration one step before
    lam0: np.ndarray
    lam1: np.ndarray
    move: np.ndarray     # Delta
    gap: np.ndarray      # C(q_1, t_1)
    inert: np.ndarray    # the part of R that is inertia and gravity
    along: np.ndarray    # M Delta, without its rigid part if the model is free
    weight: np.ndarray
    soft: np.ndarray
    mass: np.ndarray     # 6x6 per body
    links: np.ndarray    # tiles of constraint rows
    kept: np.ndarray     # their values at q_1
    total: np.ndarray
    elastic: np.ndarray  # energy at the start of the step, at its end
    pivots: np.ndarray


@jit
def compose(q, i, s, u, out):
    """out[i:i+4] = q[i:i+4] * (s, u), made of length one."""
    w, a, f = q[i], vec(q, i + 1), 1 / np.sqrt(s * s + dot(u, u))
    out[i] = f * (s * w - dot(a, u))
    store(scale(f, add(cross(a, u), add(scale(w, u), scale(s, a)))), out, i + 1)


@jit
def place(d, w, end, q):
    """q at the end of the step, q_0 cay(Delta), or in its middle, half of that rotation                [conserving-2]"""
    for k in range(d.linear.shape[0]):
        q[d.linear[k, 1]] = w.q0[d.linear[k, 1]] + (1.0 if end else 0.5) * w.move[d.linear[k, 0]]
    for k in range(d.rotations.shape[0]):
        u = scale(0.5, vec(w.move, d.rotations[k, 0]))
        compose(w.q0, d.rotations[k, 1], 1.0 if end else 1 + np.sqrt(1 + dot(u, u)), u, q)


@jit
def stretch(d, x, w):
    """R += (S - 1) of the inertia torques: (S - 1) y = u x (u x y) / (s (s + 1)), u = Delta / 2, s^2 = 1 + u.u   [conserving-3]"""
    for k in range(d.rotations.shape[0]):
        i = d.rotations[k, 0]
        u = scale(0.5, vec(w.move, i))
        s = np.sqrt(1 + dot(u, u))
        accumulate(1 / (s * (s + 1)), cross(u, cross(u, vec(w.inert, i))), x.R, i)


@jit
def weigh(w, y, out, n_v):
    """out = M y"""
    for k in range(n_v // 6):
        for i in range(6):
            out[6 * k + i] = 0
            for j in range(6):
                out[6 * k + i] += w.mass[k, i, j] * y[6 * k + j]


@jit
def solve3(A, b):
    """x with A x = b, by Cramer's rule."""
    c0, c1, c2 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
    det = dot(c0, cross(c1, c2))
    if det == 0:
        return 0 * b[0], 0 * b[1], 0 * b[2]
    return dot(b, cross(c1, c2)) / det, dot(c0, cross(b, c2)) / det, dot(c0, cross(c1, b)) / det


@jit
def centre(d, x, w):
    """Mass, centre of mass and inertia about it of the whole, locked in the middle of the step. (Body k has the tile k.)"""
    m, c = 0.0, (0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        m += w.mass[k, 0, 0]
        c = add(c, scale(w.mass[k, 0, 0], vec(x.q, d.rotations[k, 1] - 3)))
    c = scale(1 / m, c)
    I = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        iq = d.rotations[k, 1]
        r, R = sub(vec(x.q, iq - 3), c), rotation(x.q, iq)
        I = mat_add(I, w.mass[k, 0, 0], dyad(scale(-1.0, r), r, dot(r, r)))
        for i in range(3):
            a = R[i], R[3 + i], R[6 + i]
            for j in range(3):
                I = mat_add(I, w.mass[k, 3 + i, 3 + j], dyad(a, (R[j], R[3 + j], R[6 + j]), 0.0))
    return m, c, I


@jit
def resultant(d, x, y, sign, inert, c):
    """Sum of forces, and of moments about c, of y - sign inert."""
    f, t = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0] - 3, d.rotations[k, 1]
        force, moment = sub(vec(y, i), scale(sign, vec(inert, i))), sub(vec(y, i + 3), scale(sign, vec(inert, i + 3)))
        f = add(f, force)
        t = add(t, add(cross(sub(vec(x.q, iq - 3), c), force), mul(rotation(x.q, iq), moment)))
    return f, t


@jit
def add_rigid(d, x, w, u, turn, c, y):
    """y += M times the rigid motion with velocity u of c and angular velocity turn"""
    for k in range(d.rotations.shape[0]):
        i, iq = d.rotations[k, 0] - 3, d.rotations[k, 1]
        accumulate(w.mass[k, 0, 0], add(u, cross(turn, sub(vec(x.q, iq - 3), c))), y, i)
        z = tmul(rotation(x.q, iq), turn)
        for j in range(3):
            y[i + 3 + j] += w.mass[k, 3 + j, 3] * z[0] + w.mass[k, 3 + j, 4] * z[1] + w.mass[k, 3 + j, 5] * z[2]


@jit
def free_momentum(d, x, w):
    """Inner forces of a free model sum to nothing, nor does sigma M Delta add to momenta                  [conserving-5]"""
    m, c, I = centre(d, x, w)
    f, t = resultant(d, x, x.R, 1.0, w.inert, c)
    add_rigid(d, x, w, scale(-1 / m, f), scale(-1.0, solve3(I, t)), c, x.R)
    f, t = resultant(d, x, w.along, 0.0, w.inert, c)
    add_rigid(d, x, w, scale(-1 / m, f), scale(-1.0, solve3(I, t)), c, w.along)


@jit
def balance(x, w, h, n_v):
    """R += sigma M Delta, sigma = (V_1 - V_0 + h (dissipation - power) - Delta . (R - inertia)) / Delta . M Delta    [conserving-4]"""
    left, size = w.elastic[1] - w.elastic[0] + h * (x.E[DISSIPATION] - x.E[POWER]), 0.0
    for k in range(n_v):
        left -= w.move[k] * (x.R[k] - w.inert[k])
        size += w.move[k] * w.along[k]
    if size > 1e-200:
        for k in range(n_v):
            x.R[k] += left / size * w.along[k]


@jit
def linearise(p, d, lu, x, w, ctl, count):
    """Factors of the iteration matrix: rows of motion in the middle, constraints at the end of the step. R is that of the middle."""
    h = ctl[H]
    copy(w.q1, x.q)
    x.D[:] = 0
    evaluate(p.tangent, d, x, ctl[T1], 1.0, h / 2, h * h / 4)
    for k in range(w.links.size):
        for i in range(6):
            for j in range(6):
                w.kept[k, i, j] = x.D[w.links[k], i, j]
    for k in range(d.rotations.shape[0]):  # from a right increment of q_1 to one of Delta
        i = d.rotations[k, 0]
        u = scale(0.5, vec(w.move, i))
        store2(mat_add(dyad(u, u, 1.0), 1.0, skew(u)), x.T, i // 6, 0)
    place(d, w, False, x.q)
    x.D[:] = 0
    evaluate(p.tangent, d, x, ctl[T1] - h / 2, 1.0, h / 2, h * h / 4)
    for k in range(w.links.size):
        for i in range(6):
            for j in range(6):
                x.D[w.links[k], i, j] = w.kept[k, i, j]
    count[FACTORISATIONS] += 1
    if count[FALLBACK] != 0:
        return call_python(count[FALLBACK], 0.0, 0.0, 0.0) != 0.0
    return factorise(x.D, lu, w.pivots)


@jit
def equations(p, d, lu, x, w, ctl, count, renew, n_v):
    """R of the step for Delta, scaled by h^2 / 2; new factors if asked for. False when those are singular."""
    h = ctl[H]
    for k in range(n_v):
        x.v[k] = w.move[k] / h
        x.a[k] = 2 * (x.v[k] - w.v0[k]) / h
    place(d, w, True, w.q1)
    copy(w.q1, x.q)
    evaluate(p.residual, d, x, ctl[T1], 0.0, 0.0, 0.0)
    copy(x.R, w.gap)
    if ctl[STIFF] != 0:
        x.E[:] = 0
        evaluate(p.energy, d, x, ctl[T1], 0.0, 0.0, 0.0)
        w.elastic[1] = x.E[ELASTIC]
    if renew and not linearise(p, d, lu, x, w, ctl, count):
        return False
    place(d, w, False, x.q)
    t = ctl[T1] - h / 2
    x.E[:] = 0
    if count[POWERED] == 1:
        evaluate(p.power, d, x, t, 0.0, 0.0, 0.0)
    evaluate(p.inertia, d, x, t, 0.0, 0.0, 0.0)
    copy(x.R, w.inert)
    evaluate(p.residual, d, x, t, 0.0, 0.0, 0.0)
    weigh(w, w.move, w.along, n_v)
    if ctl[FREE] != 0:
        free_momentum(d, x, w)
    balance(x, w, h, n_v)
    stretch(d, x, w)
    for k in range(n_v):
        x.R[k] *= h * h / 2
    for k in range(n_v, x.R.size):
        x.R[k] = w.gap[k] - FAINT * w.soft[k] * x.lam[k] * (h * h / 2)
    return True


@jit
def predict(x, w, h, n_v):
    """Start values: accelerations and multipliers extrapolated linearly."""
    copy(x.q, w.q0)
    for k in range(n_v):
        w.v0[k], w.a0[k] = x.v[k], x.a[k]
        w.move[k] = h * (x.v[k] + h / 2 * (2 * x.a[k] - w.a1[k]))
    for k in range(n_v, x.lam.size):
        w.lam0[k] = x.lam[k]
        x.lam[k] += x.lam[k] - w.lam1[k]


@jit
def restore(x, w, n_v):
    """Back to the start of the step."""
    copy(w.q0, x.q)
    for k in range(n_v):
        x.v[k], x.a[k] = w.v0[k], w.a0[k]
    for k in range(n_v, x.lam.size):
        x.lam[k] = w.lam0[k]


@jit
def accept(d, x, w, ctl, n_v):
    """The state at the end of the step; energies by the middle, where x is."""
    h = ctl[H]
    w.total[DISSIPATED] += h * x.E[DISSIPATION]
    w.total[WORK] += h * x.E[POWER]
    w.elastic[0] = w.elastic[1]
    copy(w.q1, x.q)
    normalise(d, x.q)
    for k in range(n_v):
        x.v[k], x.a[k] = flushed(2 * x.v[k] - w.v0[k]), flushed(x.a[k])
        w.a1[k] = w.a0[k]
    for k in range(n_v, x.lam.size):
        x.lam[k] = flushed(x.lam[k])
        w.lam1[k] = w.lam0[k]


@jit
def lost(x, w, h, n_v):
    """Energy that the step would lose over the work of inertia and gravity: multipliers may come later than positions."""
    left, work = 0.0, 0.0
    for k in range(n_v):
        left += w.move[k] * x.R[k]
        work += abs(w.move[k] * w.inert[k])
    return abs(left) > LOST * work * (h * h / 2)


@jit
def step(p, d, lu, x, w, ctl, count, n_v):
    """One step by Newton's method to rounding: what is not in the matrix (sigma, S, second derivatives of constraints) is small with h.
    Accepted after a last look at the equations, which leaves energies of the middle in x."""
    h, before, renew, last, passes = ctl[H], 0.0, True, False, 0
    threshold = max(ctl[TOLERANCE] * (rms(x.a, w.weight, n_v) + ctl[FLOOR]) * h * h / 2, ctl[ROUNDING])
    predict(x, w, h, n_v)
    for _ in range(count[MAX_ITERATIONS] + 1):
        if not equations(p, d, lu, x, w, ctl, count, renew, n_v):
            return SINGULAR
        if last:
            passes += 1
            if passes > MORE_PASSES or not lost(x, w, h, n_v):
                accept(d, x, w, ctl, n_v)
                return DONE
        if count[FALLBACK] != 0:
            call_python(count[FALLBACK], 1.0, 0.0, 0.0)
        else:
            solve(x.D, lu, x.R)
        for k in range(d.rotations.shape[0]):  # from an increment of q_1 to one of Delta
            i = d.rotations[k, 0]
            u = scale(0.5, vec(w.move, i))
            y = vec(x.R, i)
            store(add(add(y, cross(u, y)), scale(dot(u, y), u)), x.R, i)
        for k in range(n_v):
            w.move[k] -= flushed(x.R[k])
        for k in range(n_v, x.R.size):
            x.lam[k] -= 2 / (h * h) * flushed(x.R[k])
        count[ITERATIONS] += 1
        size = rms(x.R, w.weight, n_v)
        if not np.isfinite(size):
            return NOT_FINITE
        rate = max(SURE, size / before) if before > 0 else 1.0
        stagnant = before > 0 and rate > 0.3 and size <= AMPLIFIED * ctl[ROUNDING]
        last = size <= ctl[ROUNDING] or (rate < 1 and size * rate / (1 - rate) <= threshold) or stagnant
        renew, before = rate > SLOW and before > 0 and not last, size
    return NEWTON_FAILED


@entry
def advance(p, d, lu, x, w, ctl, count, n_v, max_steps, rows):
    """Steps until the end, a full store, or max_steps."""
    count[STORED] = 0
    for _ in range(max_steps):
        if count[STEPS] >= count[END]:
            return DONE
        ctl[T1] = ctl[T0] + (count[STEPS] + 1) * ctl[H]
        status = step(p, d, lu, x, w, ctl, count, n_v)
        if status != DONE:
            restore(x, w, n_v)
            return status
        count[STEPS] += 1
        if count[HISTORIES] == 1:
            evaluate(p.history, d, x, ctl[T1], 0.0, 0.0, 0.0)
        if count[STEPS] % count[STRIDE] == 0 or count[STEPS] == count[END]:
            keep(x, w, ctl, count, rows)
            if count[STORED] == rows.shape[0]:
                return MORE
    return MORE
