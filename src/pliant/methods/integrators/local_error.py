"""The local error of a step of generalized-alpha, and what a change of step needs to stay smooth. docs/theory/integrators.md"""
import numpy as np

from ...kernels.block_lu import factorise, solve
from ...kernels.contract import call_python
from ...kernels.evaluation import retract
from ...kernels.evaluation import run as evaluate  # compiled once: only the step itself gains by inlining
from ...kernels.jit import jit
from ...kernels.so3 import accumulate, cross, vec
from .control_memory import AGE, EPS, GAP, H1, H2, H_ALG, HELD, KEPT, NOW, SPEED
from .stepper import ALPHA_F, ALPHA_M, BETA, FACTORISATIONS, FACTORS_OK, FALLBACK, GAMMA, T1, H, copy, scales

ONSET = 1e-2       # of the speed that an acceleration gives over the size of the model: out of rest no velocity is known yet


@jit
def constants(ctl):
    """Delta, c_q, c_v: alg belongs to t + Delta h; local errors c_q h^3 q''' and c_v h^3 v'''                  [alpha-6]"""
    shift = ctl[ALPHA_M] - ctl[ALPHA_F]
    return shift, 1 / 6 - ctl[BETA] - shift / 2, 1 / 6 - ctl[GAMMA] * (0.5 + shift) - shift * (ctl[ALPHA_M] - 0.5)


@jit
def local_errors(d, x, w, k, ctl, aim, note, n_v):
    """jerk = c_q a' (+ w x w' / 12 of rotations), snap = c_v a'', from accelerations of four times; alternating parts, which
    the method carries across the constraints, drop out of these differences                               [alpha-7]"""
    _, cq, cv = constants(ctl)
    h, h1, h2 = ctl[H], aim[H1], aim[H2]
    for i in range(n_v):
        s0 = (x.a[i] - w.a0[i]) / h
        k.jerk[i] = cq * (s0 if note[AGE] == 0 else (x.a[i] - k.a1[i]) / (h + h1))
        k.snap[i] = 0
        if note[AGE] >= 2:
            s1, s2 = (w.a0[i] - k.a1[i]) / h1, (k.a1[i] - k.a2[i]) / h2
            k.snap[i] = cv * ((s0 - s1) / (h + h1) + (s1 - s2) / (h1 + h2))
    for j in range(d.rotations.shape[0]):
        i = d.rotations[j, 0]
        accumulate(1 / 12, cross(vec(x.v, i), vec(x.a, i)), k.jerk, i)


@jit
def solve_with(lu, x, count):
    """x.R with the factors of the iteration matrix; call `renew` first if there are none."""
    if count[FALLBACK] != 0:
        call_python(count[FALLBACK], 1.0, 0.0, 0.0)
    else:
        solve(x.D, lu, x.R)


@jit
def tangential(residual, d, lu, x, k, count, aim, t, y, n_v):
    """y without its part across the constraints, which they take away: [M C^T; C 0] [y; mu] = [M y; 0]       [alpha-8]"""
    copy(x.a, k.keep)
    evaluate(residual, d, x, t, 1.0, 0.0, 0.0)
    for i in range(n_v, x.R.size):
        aim[GAP] = max(aim[GAP], abs(x.R[i]))
    for i in range(n_v):
        k.y[i] = x.R[i]
        x.a[i] += y[i]
    evaluate(residual, d, x, t, 1.0, 0.0, 0.0)
    for i in range(x.R.size):
        x.R[i] = x.R[i] - k.y[i] if i < n_v else 0.0
    solve_with(lu, x, count)
    copy(k.keep, x.a)
    for i in range(n_v):
        y[i] = x.R[i]


@jit
def renew(tangent, d, lu, x, w, ctl, count, t, h):
    """Factors of the iteration matrix at the current state."""
    bp, gp = scales(ctl, h)
    for j in range(x.T.shape[0]):
        for i in range(9):
            x.T[j, i] = 1.0 if i % 4 == 0 else 0.0
    x.D[:] = 0
    evaluate(tangent, d, x, t, 1.0, gp / bp, 1 / bp)
    if count[FALLBACK] != 0:
        good = call_python(count[FALLBACK], 0.0, 0.0, 0.0) != 0.0
    else:
        good = factorise(x.D, lu, w.pivots)
    count[FACTORISATIONS] += 1
    count[FACTORS_OK] = 1 if good else 0
    return good


@jit
def estimate(residual, tangent, d, lu, x, w, k, ctl, count, aim, note, n_v):
    """Local error per second over what is allowed, the larger one of positions (in sizes of the model) and of velocities (in
    the largest velocity so far), and that velocity. With new factors before it says no."""
    h, speed, worst = ctl[H], aim[SPEED], 0.0
    strongest = 0.0
    for i in range(n_v):
        speed = max(speed, w.weight[i] * abs(x.v[i]))
        strongest = max(strongest, w.weight[i] * abs(x.a[i]))
    speed = max(speed, ONSET * np.sqrt(strongest))
    project = x.lam.size > n_v
    for attempt in range(2):
        local_errors(d, x, w, k, ctl, aim, note, n_v)
        if project:
            tangential(residual, d, lu, x, k, count, aim, ctl[T1], k.jerk, n_v)
            tangential(residual, d, lu, x, k, count, aim, ctl[T1], k.snap, n_v)
        worst = 0.0
        for i in range(n_v):
            worst = max(worst, w.weight[i] * abs(k.jerk[i]), w.weight[i] * abs(k.snap[i]) / speed)
        worst *= h * h / aim[EPS]
        if worst <= 1 or not project or note[KEPT] <= 1 or attempt == 1 or not renew(tangent, d, lu, x, w, ctl, count, ctl[T1], h):
            break
    return worst, speed


@jit
def change_step(residual, tangent, rates, d, lu, x, w, k, ctl, count, aim, note, h, n_v):
    """The state as it would be had it been reached with steps h                                         [alpha-9]

    alg belongs to t + Delta h, so it moves by Delta (h - h_old) a'. The velocities carry the error c_q h^2 a' across the constraints, which
    is seen as C_q v + C_t: it is scaled by (h / h_old)^2. Without this the multipliers would oscillate. What the
    iteration left of the position constraints is removed, as its effect grows with 1 / h^2.
    """
    shift = constants(ctl)[0]
    for i in range(n_v):
        w.alg[i] += shift * (h - aim[H_ALG]) * (x.a[i] - w.a1[i]) / aim[H1]
    if x.lam.size == n_v or note[HELD] > 0:
        return
    if count[FACTORS_OK] == 0 and not renew(tangent, d, lu, x, w, ctl, count, aim[NOW], h):
        return
    evaluate(residual, d, x, aim[NOW], 1.0, 0.0, 0.0)
    for i in range(n_v):
        x.R[i] = 0
    solve_with(lu, x, count)
    copy(x.q, k.q)
    retract(d, k.q, x.R, -1.0, x.q)
    x.V[:] = 0
    evaluate(rates, d, x, aim[NOW], 0.0, 0.0, 0.0)
    change = (h / aim[H_ALG]) ** 2 - 1
    for i in range(x.R.size):
        x.R[i] = change * x.V[i] if i >= n_v else 0.0
    solve_with(lu, x, count)
    limit, most = 0.0, 0.0
    for i in range(n_v):
        limit = max(limit, w.weight[i] * abs(x.a[i] - w.a1[i]))
        most = max(most, w.weight[i] * abs(x.R[i]))
    limit *= abs(change) * aim[H_ALG]  # next to a singular position the scaled rates would be a kick
    for i in range(n_v):
        x.v[i] += x.R[i] * (limit / most if most > limit else 1.0)
