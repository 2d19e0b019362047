"""The linear algebra of implicit methods in joint coordinates: q = q0 exp(z), z' = T^-1(z) u, u' = a(t, q, u) by recursion, loops closed.

Derivatives K = da/dz and D = da/du are exact, by recursive passes (`tree_slopes`). Equations of a step,

    sigma dz - du = r1,   sigma du - K dz - D du = r2:   (sigma^2 - sigma D - K) dz = r2 + sigma r1 - D r1     [tree-1]
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.contract import call_python
from ...kernels.dense import lu_factorise, lu_solve
from ...kernels.evaluation import retract
from ...kernels.jit import jit
from ...kernels.ode import FACTORISATIONS, ITERATIONS, POWERED, STATE_Q, STATE_V, call_status
from ...kernels.status import DONE, SINGULAR
from .implicit import (
    ERROR,
    FACTORED,
    FINISH_BDF,
    H_FACTORS,
    HELD,
    ITERATE,
    ITERATE_BDF,
    KEPT,
    MATRICES,
    R1,
    R2,
    RIGHT,
    ROWS,
    SIGMA,
    SIGMA_FACTORS,
    SIZE,
    TASK,
    TILES,
    WORK,
    A,
    G,
    V,
    W,
    Y,
    Z,
    largest,
    rate,
)
from .implicit_solver import add_motion, slopes, transform
from .one_step_loop import RHS, T0, H
from .radau_table import COMPLEX, REAL, C
from .stepper import copy

TANGENTS = 12  # of num: the address of what makes derivatives; the others are those of `implicit`
LEAST = 6     # columns of S: three stages of two energies


class OwnTree(NamedTuple):
    """What implicit methods remember in joint coordinates; see `implicit.Own` for what it shares with that."""
    S: np.ndarray
    B: np.ndarray
    mix: np.ndarray
    past: np.ndarray
    num: np.ndarray
    par: np.ndarray
    lam: np.ndarray
    K: np.ndarray        # da/dz, da/du
    D: np.ndarray
    E: np.ndarray        # factors, real and complex
    F: np.ndarray
    pivots: np.ndarray
    f: np.ndarray        # F(t, y)
    y: np.ndarray        # where derivatives are asked for

    @classmethod
    def of(cls, n_u: int, n_y: int) -> OwnTree:
        n = max(LEAST, n_u)
        K, D, E = (np.zeros((n_u, n_u)) for _ in range(3))
        return cls(np.zeros((ROWS, n)), np.zeros((5, n), complex), np.zeros((2 * KEPT + 5, 12 * n)), np.zeros((HELD, 1 + n_y)),
                   np.zeros(TANGENTS + 1, np.int64), np.zeros(12), np.zeros(n), K, D, E, np.zeros((n_u, n_u), complex),
                   np.zeros((2, n_u), np.int64), np.zeros(n_y), np.zeros(n_y))


@jit
def tangents(p, w, t, y):
    """K and D at a state, by `tree_tangents`."""
    copy(y, w.own.y)
    return int(call_python(w.own.num[TANGENTS], t, 0.0, 0.0))


@jit
def state_of(p, w, i):
    """The state of stage i in w.z; energies are of no account."""
    S, n_q = w.own.S, p.num[STATE_Q]
    copy(w.y0, w.z)
    for k in range(p.num[STATE_V]):
        S[G, k], w.z[n_q + k] = S[Z + i, k], S[V + i, k]
    retract(p.maps, w.y0, S[G], 1.0, w.z)


@jit
def matrix(o, sigma, out, n):
    """sigma^2 - sigma D - K"""
    for i in range(n):
        for j in range(n):
            out[i, j] = -sigma * o.D[i, j] - o.K[i, j]
        out[i, i] += sigma * sigma


@jit
def renew(p, w, t, i):
    """K and D at stage i."""
    state_of(p, w, i)
    return tangents(p, w, t, w.z)


@jit
def radau_matrices(p, w, tune):
    """At the second stage as predicted, or at the start, and the factors."""
    o, h, n = w.own, tune[H], p.num[STATE_V]
    if o.num[TILES] <= 0:
        status = tangents(p, w, tune[T0], w.y0) if o.num[TILES] < 0 else renew(p, w, tune[T0] + w.table[C + 1] * h, 1)
        if status != DONE:
            return status
        o.num[TILES], o.num[FACTORED] = 2, 0
    if o.num[FACTORED] == 1 and o.par[H_FACTORS] == h:
        return DONE
    o.num[FACTORED] = 0
    matrix(o, w.table[REAL] / h, o.E, n)
    matrix(o, complex(w.table[COMPLEX], w.table[COMPLEX + 1]) / h, o.F, n)
    p.num[FACTORISATIONS] += 2
    if not lu_factorise(o.E, n, o.pivots[0]) or not lu_factorise(o.F, n, o.pivots[1]):
        return SINGULAR
    o.num[FACTORED], o.par[H_FACTORS] = 1, h
    return DONE


@jit
def bdf_matrices(p, w, tune):
    """At the predicted end of the step."""
    o, n = w.own, p.num[STATE_V]
    status = renew(p, w, tune[T0] + tune[H], 0)
    if status != DONE:
        return status
    matrix(o, o.par[SIGMA], o.E, n)
    p.num[FACTORISATIONS] += 1
    o.num[FACTORED], o.num[TILES], o.par[SIGMA_FACTORS] = 1, 2, o.par[SIGMA]
    return DONE if lu_factorise(o.E, n, o.pivots[0]) else SINGULAR


@jit
def increment(o, factors, pivots, sigma, r, first, n):
    """[tree-1]: rows first and first + 1 of r hold r1 and r2, then dz and du; the next one is used."""
    for i in range(n):
        value = r[first + 1, i] + sigma * r[first, i]
        for j in range(n):
            value -= o.D[i, j] * r[first, j]
        r[first + 2, i] = value
    lu_solve(factors, n, pivots, r, first + 2)
    for k in range(n):
        r[first + 1, k] = sigma * r[first + 2, k] - r[first, k]
        r[first, k] = r[first + 2, k]


@jit
def defects(p, w, code, i, t):
    """What is left of the equations at stage i. A status."""
    o, S, n_q, n = w.own, w.own.S, p.num[STATE_Q], p.num[STATE_V]
    state_of(p, w, i)
    status = call_status(code[RHS], (p, t, w.z, o.f))
    for k in range(n):
        S[Y, k] = S[V + i, k]
        S[R2 + i, k] = o.f[n_q + k] - S[A + i, k]
    rate(p.maps, S, n, i)
    for k in range(n):
        S[R1 + i, k] = S[Y, k] - S[W + i, k]
    return status


@jit
def radau_iteration(p, w, tune, code):
    """One iteration on all stages."""
    o, n, h, c, finite = w.own, p.num[STATE_V], tune[H], w.table, True
    slopes(w, p.num[STATE_Q], n, h)
    for i in range(3):
        finite = defects(p, w, code, i, tune[T0] + c[C + i] * h) == DONE and finite
    transform(w, n, 2)
    increment(o, o.E, o.pivots[0], c[REAL] / h, o.S, RIGHT, n)
    increment(o, o.F, o.pivots[1], complex(c[COMPLEX], c[COMPLEX + 1]) / h, o.B, 0, n)
    size = add_motion(w, tune, p.num[STATE_Q], n)
    o.par[SIZE] = size if finite else np.inf


@jit
def bdf_iteration(p, w, tune, code):
    """One iteration: z' = sigma z + what the past gives (row W + 1), likewise u'."""
    o, S, n, s = w.own, w.own.S, p.num[STATE_V], w.own.par[SIGMA]
    for k in range(n):
        S[W, k], S[A, k] = s * S[Z, k] + S[W + 1, k], s * S[V, k] + S[A + 1, k]
    status = defects(p, w, code, 0, tune[T0] + tune[H])
    for k in range(n):
        S[RIGHT, k], S[RIGHT + 1, k] = S[R1, k], S[R2, k]
    increment(o, o.E, o.pivots[0], s, S, RIGHT, n)
    for k in range(n):
        S[Z, k] += S[RIGHT, k]
        S[V, k] += S[RIGHT + 1, k]
    o.par[SIZE] = largest(w, tune, p.num[STATE_Q], n, RIGHT, RIGHT + 1) if status == DONE else np.inf


@jit
def powers(p, w, tune, code):
    """Power lost, and of loads and drives, at the stages of Radau's method: in row RIGHT."""
    o, n_y = w.own, w.z.size
    for i in range(3):
        state_of(p, w, i)
        call_status(code[RHS], (p, tune[T0] + w.table[C + i] * tune[H], w.z, o.f))
        o.S[RIGHT, i], o.S[RIGHT, 3 + i] = o.f[n_y - 2], o.f[n_y - 1]


@jit
def finish_bdf(p, w, tune, code):
    """y1, but for energies, and its derivative."""
    state_of(p, w, 0)
    copy(w.z, w.y1)
    return call_status(code[RHS], (p, tune[T0] + tune[H], w.y1, w.f1))


@jit
def solver(p, w, tune, code):
    """What own.num[TASK] asks for."""
    o, task, n = w.own, w.own.num[TASK], p.num[STATE_V]
    if task == MATRICES:
        return radau_matrices(p, w, tune)
    if task == ITERATE:
        p.num[ITERATIONS] += 1
        radau_iteration(p, w, tune, code)
    elif task == ERROR:  # of the slopes in rows RIGHT and G
        for k in range(n):
            o.S[RIGHT + 1, k] = o.S[G, k]
        increment(o, o.E, o.pivots[0], w.table[REAL] / tune[H], o.S, RIGHT, n)
    elif task == WORK:
        if p.num[POWERED] == 1:
            powers(p, w, tune, code)
    elif task == FINISH_BDF:
        return finish_bdf(p, w, tune, code)
    elif task == ITERATE_BDF:
        p.num[ITERATIONS] += 1
        bdf_iteration(p, w, tune, code)
    else:
        return bdf_matrices(p, w, tune)
    return DONE
