"""Newmark's formulas with averaged accelerations on the manifold: one step of generalized-alpha, HHT and Newmark, which differ in four
numbers, in absolute (index 3) and in joint coordinates. docs/theory/integrators.md

    q1 = q0 exp(h dq),   dq = v0 + h ((1/2 - beta) b0 + beta b1),   v1 = v0 + h ((1 - gamma) b0 + gamma b1)
    (1 - alpha_m) b1 + alpha_m b0 = (1 - alpha_f) a1 + alpha_f a0,   M a1 + C_q^T lam = f,   C(q1, t1) = 0        [alpha-1]

in joint coordinates a1 = a(t1, q1, v1).     Bruls, Cardona, Arnold 2012, doi 10.1016/j.mechmachtheory.2011.07.017
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ....kernels.jit import jit, variant, variants
from ....kernels.ode import kinematics
from ....kernels.states import copy, copy_part, flushed, rms
from ....kernels.status import DONE, NEWTON_FAILED, NOT_FINITE
from ..time_loop.control import BETWEEN
from ..time_loop.convergence import drift_of_states, settled, small, stagnant
from ..time_loop.rows import hermite
from ..time_loop.speeds import is_state, reached
from . import alpha_joint as joint
from .alpha_absolute import finish, matrix, put, residual, solve, to_chart
from .alpha_error import controlled, gauged, look_for_noise, prepare
from .alpha_memory import scales

SLOW = 4  # iterations with the same factors, after which they are made anew


@jit
def remember(p, w, c, o):
    """After an accepted step: its end is the start of the next one."""
    n, n_v = o.n, o.b0.size
    if n.last_t0 == c.t0:
        if n.grown == 1:  # growing was wrong: wait twice as long before the next attempt
            n.wait = min(64, 2 * n.wait + 2)
        n.grown, n.later = 0, n.wait
        return
    if n.grown == 1:
        n.wait = 0
    n.grown, n.later, n.growing = n.growing, max(0, n.later - 1), 0
    copy(o.before, o.older)
    if n.age >= 0:  # a step was made
        copy(o.b1, o.b0)
        copy(o.clean0, o.before)
        copy(o.lam0, o.lam1)
        copy_part(o.lam, n_v, o.lam0, n_v, o.lam.size - n_v)
        copy(o.power0, o.power1)
        n.h2, n.h1 = n.h1, c.h1
    copy_part(w.f0, p.num.state_q, o.rate, 0, n_v)
    copy(o.rate if n.age < 0 or c.fixed == 1 else o.clean, o.clean0)
    copy_part(w.f0, w.f0.size - 2, o.power0, 0, 2)
    n.age, n.told = n.age + 1, n.told + 1
    n.last_t0 = c.t0
    if c.fixed == 0 and c.error > 1 and c.units == 0:  # a jump that no function has told of: nothing before it tells what follows
        n.age = n.told = 0
        for past in (o.b0, o.clean0, o.before, o.older):
            copy(o.rate, past)
        copy(o.lam0, o.lam1)


@jit
def predict(w, c, o, n_q, ratio):
    """Start values: accelerations and multipliers extrapolated linearly, the rest by [alpha-1]."""
    h, am, af, beta, gamma = c.h, o.n.alpha_m, o.n.alpha_f, o.n.beta, o.n.gamma
    for k in range(o.b0.size):
        a, old, v0 = o.rate[k], o.b0[k], w.y0[n_q + k]
        guess = a + ratio * (o.clean0[k] - o.before[k])
        new = ((1 - af) * guess + af * a - am * old) / (1 - am)
        o.dq[k] = v0 + h * ((0.5 - beta) * old + beta * new)
        o.v[k] = v0 + h * ((1 - gamma) * old + gamma * new)
        o.a[k] = guess
    for k in range(o.b0.size, o.lam.size):
        o.lam[k] = o.lam0[k] + ratio * (o.lam0[k] - o.lam1[k])


@jit
def fastest_state(w, o, n_q):
    """The largest rate of a state at the start of the step, in its size."""
    most = 0.0
    for k in range(o.b0.size):
        if is_state(w, k):
            most = max(most, w.weight[n_q + k] * abs(o.rate[k]) / reached(w, n_q, k, w.y0, w.f0, 0.0))
    return most


@jit
def still_along(n, size, rate, fine):
    """Whether the iteration is to go on along the constraints: what is left of them is rounding errors, which are not to hide what is
    left of the equations of motion                                                                       [alpha-11]"""
    return n.along == 0 or (rate < 0.3 and size * rate / (1 - rate) > fine)


def newton(p, w, c, o, t, ratio):
    """Newton's method, modified or full. The rows of motion are divided by bp, so factors survive a change of h. A status.

    Converged as `convergence` says; an error e in the position of each step acts like an acceleration e bp.
    """
    n, h, n_q, n_v = o.n, c.h, p.num.state_q, o.b0.size
    bp, gp = scales(n, h)
    drift, drifted, enough = 0.0, 0.0, n.tolerance * h * fastest_state(w, o, n_q)
    fine = n.tolerance * (rms(o.rate, o.weight, n_v) + n.floor) / bp
    threshold = max(fine, n.rounding)
    predict(w, c, o, n_q, ratio)
    before, age, fresh, strict, n.along = 0.0, 0, False, False, 0
    for _ in range(n.most_iterations):
        put(p, w, c, o)
        if n.factored == 1 and n.full == 0 and not strict:
            status = residual(p, w, c, o, t)
            if status != DONE:
                return status
            age += 1
        else:
            status = matrix(p, w, c, o, t, gp / bp, 1 / bp)
            if status != DONE:
                return status
            p.num.factorisations += 1
            n.factored, age, fresh = 1, 0, True
        solve(p, o, bp)
        to_chart(p, w, c, o)
        for k in range(n_v):
            o.dq[k] -= o.R[k] / h
            o.v[k] -= gp * o.R[k]
            o.a[k] -= bp * o.R[k]
        for k in range(n_v, o.R.size):
            o.lam[k] -= bp * o.R[k]
        p.num.iterations += 1
        size = rms(o.R, o.weight, n_v)
        if not np.isfinite(size):
            return NOT_FINITE
        rate, drifted = size / before if before > 0 else 1.0, drift
        drift = drift_of_states(w, o.R, n_q, n_v, gp)
        moved = not (small(n, size, rate, threshold) or (fresh and stagnant(n, size, before)))
        if not moved and not settled(drift, drifted, enough):
            rate = drift / drifted if drifted > 0 else 1.0
        elif not moved:
            if n.cleaning == 1 and still_along(n, size, rate, fine):
                before, n.along = size, 1
                continue
            put(p, w, c, o)
            if age > SLOW:
                n.factored = 0
            return DONE
        before = size
        if age > 1 and rate > 0.4:
            n.factored = 0
        astray = fresh and not strict and age > 0 and rate > 2
        if astray or (not fresh and n.factored == 0):  # kept factors may lead to another root: begin the step anew
            strict = astray  # with new factors; if those do not last an iteration either, with new ones in each
            n.factored = 0
            predict(w, c, o, n_q, ratio)
            before = 0.0
    return NEWTON_FAILED


@jit
def average(o):
    """b1 of the finished step; numbers near zero are flushed."""
    am, af = o.n.alpha_m, o.n.alpha_f
    for k in range(o.b0.size):
        o.v[k], o.a[k] = flushed(o.v[k]), flushed(o.a[k])
        o.b1[k] = ((1 - af) * o.a[k] + af * o.rate[k] - am * o.b0[k]) / (1 - am)
    for k in range(o.b0.size, o.lam.size):
        o.lam[k] = flushed(o.lam[k])


@jit
def polynomial(p, w, h):
    """Cubic, by the slopes at both ends                                                                   [alpha-10]"""
    n_q = p.num.state_q
    kinematics(p.maps, w.y0, w.y0[n_q:], w.f0)
    kinematics(p.maps, w.y1, w.y1[n_q:], w.f1)
    hermite(w, h)


def step(p, w, c, o):
    """A step, or the polynomial of the last one."""
    n = o.n
    if c.asked == BETWEEN:
        polynomial(p, w, c.h)
        return DONE
    remember(p, w, c, o)
    ratio = 1.0
    if c.fixed == 0:
        prepare(p, w, c, o)
        ratio = c.h / n.h1 if n.age > 0 else 0.0
    status = newton(p, w, c, o, c.t1, ratio)
    if status != DONE:
        n.factored = 0
        return status
    average(o)
    status = finish(p, w, c, o, c.t1)
    c.known = 1
    if status == DONE and c.fixed == 0:
        status = controlled(p, w, c, o, c.t1)
    return status


@jit
def unneeded(p, w, c, o, *more):
    """In place of `controlled` and `prepare` with fixed steps: half of what there is to compile."""
    return DONE


def made_for(name: str, **kernels: Any) -> tuple[Any, Any]:
    """The step for error control, and for fixed steps, with the kernels of these coordinates."""
    found, *_, controlling = variants(name, newton, gauged, controlled, look_for_noise, prepare, step, **kernels)
    return controlling, variant(step, f"fixed_{name}", newton=found, controlled=unneeded, prepare=unneeded,
                                **{k: v for k, v in kernels.items() if k in step.__code__.co_names})


in_absolute = made_for("absolute")
in_joint = made_for("joint", put=joint.put, residual=joint.residual, matrix=joint.matrix, solve=joint.solve,
                    to_chart=joint.to_chart, finish=joint.finish, tangential=joint.unconstrained,
                    renew=joint.unconstrained, rescale=joint.unconstrained, cleaned=joint.unconstrained)
