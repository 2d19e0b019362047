"""Generalized-alpha in absolute coordinates: index 3, in tiles."""
from typing import Any, NamedTuple

import numpy as np

from ....kernels.evaluation import evaluate, retract
from ....kernels.evaluation import run as evaluate_once  # compiled once: only the step itself gains by inlining
from ....kernels.jit import jit
from ....kernels.ode import load
from ....kernels.so3 import mat2, mul, scale, store, store2, tangent_inverse, vec
from ....kernels.states import copy, copy_part, flushed
from ....kernels.status import DONE
from ....kernels.tile_solver import factors, solved
from ..time_loop.chosen_steps import share
from ..time_loop.rows import store_energies, store_motion
from .alpha_memory import scales

PASSES = 6       # of `cleaned`: factors that are not of here and now, and not of M alone, leave a part each time
LEFT = 0.01      # of the error of a step: what it may leave
ROUNDED = 100.0  # times the rounding of positions: a velocity across the constraints that moves no more than that in a step is nothing else


class Soft(NamedTuple):
    """What these coordinates need besides."""
    soft: np.ndarray    # the regularisation of the multiplier rows
    q: np.ndarray
    settling: Any = ()  # with error control: where states are made consistent


@jit
def put(p, w, c, o):
    """The bodies at the trial state."""
    retract(p.d, w.y0, o.dq, c.h, p.x.q)


@jit
def turn(p, c, o):
    """T: from an increment of q1 to one of h dq."""
    for k in range(p.d.rotations.shape[0]):
        i = p.d.rotations[k, 0]
        store2(tangent_inverse(scale(c.h, vec(o.dq, i))), p.x.T, i // 6, 0)


@jit
def hold_speeds(p, c, o):
    """R of rows that hold for velocities only: V, over what turns an increment of positions into that of velocities   [rolling-7]"""
    gp = scales(o.n, c.h)[1]
    for i in range(p.d.speeds.size):
        k = p.d.speeds[i]
        p.x.R[k] += p.x.V[k] / gp


@jit
def residual(p, w, c, o, t):
    """R: the equations of motion, and of constraints. A status."""
    turn(p, c, o)
    evaluate(p.residual, p.d, p.x, t, 1.0, 0.0, 0.0)
    hold_speeds(p, c, o)
    return DONE


@jit
def matrix(p, w, c, o, t, cd, ck):
    """R, and factors of M + cd D + ck K. A status."""
    turn(p, c, o)
    p.x.D[:] = 0
    evaluate(p.tangent, p.d, p.x, t, 1.0, cd, ck)
    hold_speeds(p, c, o)
    return factors(p)


@jit
def solve(p, o, bp):
    """R <- the increment of positions and (times bp) multipliers."""
    x, n_v = p.x, p.num.n_v
    for k in range(n_v):
        x.R[k] /= bp
    for k in range(n_v, x.R.size):  # so that multipliers of redundant equations stay bounded and unique
        x.R[k] = x.R[k] - o.space.soft[k] * x.lam[k] / bp if o.n.along == 0 else 0.0
    solved(p)
    for k in range(x.R.size):
        x.R[k] = flushed(x.R[k])


@jit
def to_chart(p, w, c, o):
    """R <- the increment of h dq, from one of q1."""
    for k in range(p.d.rotations.shape[0]):
        i = p.d.rotations[k, 0]
        store(mul(mat2(p.x.T, i // 6, 0), vec(p.x.R, i)), p.x.R, i)


@jit
def finish(p, w, c, o, t1):
    """y1 and f1 from the trial state; energies by the trapezoidal rule, whose error is -h^3 p'' / 12. A status."""
    h, h1, first = c.h, o.n.h1, w.y1.size - 2
    store_motion(p, w)
    store_energies(p, w, c)
    if c.fixed == 0 and o.n.age > 0:
        for i in range(2):
            now, before = w.f1[first + i], w.f0[first + i]
            slope = (now - before) / h - (before - o.power1[i]) / h1
            w.y1[first + i] -= h**3 / 6 * slope / (h + h1)
    return DONE


@jit
def tangential(p, w, c, o, t, y):
    """y without its part across the constraints, which they take away: [M C^T; C 0] [y; mu] = [M y; 0]      [alpha-8]"""
    x, n_v = p.x, p.num.n_v
    if x.lam.size == n_v:
        return
    copy(x.a, o.keep)
    evaluate_once(p.residual, p.d, x, t, 1.0, 0.0, 0.0)
    for i in range(n_v, x.R.size):
        o.n.gap = max(o.n.gap, abs(x.R[i]))
    for i in range(n_v):
        o.y[i] = x.R[i]
        x.a[i] += y[i]
    evaluate_once(p.residual, p.d, x, t, 1.0, 0.0, 0.0)
    for i in range(x.R.size):
        x.R[i] = x.R[i] - o.y[i] if i < n_v else 0.0
    solved(p)
    copy(o.keep, x.a)
    copy_part(x.R, 0, y, 0, n_v)


@jit
def cleaned(p, w, c, o, t):
    """o.clean = a without rounding errors: at the positions in x, with velocities on the constraints,                 [alpha-11]

        [S C^T; C 0] [dv; nu] = [0; C_q v + C_t],   then [S C^T; C 0] [da; dlam] = [R; C''] until nothing is left"""
    x, n_v = p.x, p.num.n_v
    copy(x.a, o.keep)
    copy(x.v, o.keep_v)
    copy(x.lam, o.keep_lam)
    x.V[:] = 0
    evaluate_once(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    for i in range(x.R.size):
        x.R[i] = x.V[i] if i >= n_v else 0.0
    solved(p)
    for i in range(n_v):
        x.v[i] -= x.R[i]
    for _ in range(PASSES):
        evaluate_once(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
        copy(x.R, o.y)
        evaluate_once(p.residual, p.d, x, t, 1.0, 0.0, 0.0)
        copy_part(o.y, n_v, x.R, n_v, x.R.size - n_v)
        solved(p)
        most = 0.0
        for i in range(n_v):
            x.a[i] -= x.R[i]
            most = max(most, o.weight[i] * abs(x.R[i]) / w.speed[i])
        for i in range(n_v, x.R.size):
            x.lam[i] -= x.R[i]
        if most * c.h < LEFT * share(c):
            break
    copy_part(x.a, 0, o.clean, 0, n_v)
    copy(o.keep, x.a)
    copy(o.keep_v, x.v)
    copy(o.keep_lam, x.lam)


@jit
def renew(p, w, c, o, t):
    """Factors at the current state. True if there are some."""
    x = p.x
    bp, gp = scales(o.n, c.h)
    for j in range(x.T.shape[0]):
        for i in range(9):
            x.T[j, i] = 1.0 if i % 4 == 0 else 0.0
    x.D[:] = 0
    evaluate_once(p.tangent, p.d, x, t, 1.0, gp / bp, 1 / bp)
    good = factors(p) == DONE
    p.num.factorisations += 1
    o.n.factored = 1 if good else 0
    return good


@jit
def rescale(p, w, c, o):
    """The start of the step as it would be had it been reached with steps h: what lies across the constraints, see `prepare`; of rounding
    errors, which are there too, nothing is left."""
    x, n, n_q, n_v, t = p.x, o.n, p.x.q.size, p.num.n_v, c.t0
    load(p, w.y0)
    copy(o.rate, x.a)
    copy_part(o.lam0, n_v, x.lam, n_v, x.lam.size - n_v)
    if n.factored == 0 and not renew(p, w, c, o, t):
        return
    evaluate_once(p.residual, p.d, x, t, 1.0, 0.0, 0.0)
    for i in range(n_v):
        x.R[i] = 0
    solved(p)
    copy(x.q, o.space.q)
    retract(p.d, o.space.q, x.R, -1.0, x.q)
    x.V[:] = 0
    evaluate_once(p.rates, p.d, x, t, 0.0, 0.0, 0.0)
    for i in range(x.R.size):
        x.R[i] = x.V[i] if i >= n_v else 0.0
    solved(p)
    limit, most = 0.0, 0.0
    for i in range(n_v):
        limit = max(limit, o.weight[i] * abs(o.rate[i] - o.before[i]))
        most = max(most, o.weight[i] * abs(x.R[i]))
    limit *= n.h_alg  # next to a singular position the scaled rates would be a kick
    noise = most * n.h_alg < ROUNDED * n.rounding
    change = -1.0 if noise else ((c.h / n.h_alg) ** 2 - 1) * (limit / most if most > limit else 1.0)
    copy(x.q, w.y0)
    for i in range(n_v):
        w.y0[n_q + i] = x.v[i] + change * x.R[i]
