"""Matrices and iterations of Radau IIA and BDF, for both coordinates. docs/theory/radau_bdf.md"""
from __future__ import annotations

from typing import Any

import numpy as np

from ....kernels.jit import jit, variant
from ....kernels.status import DONE
from .coordinates import defects, factor_bdf, factor_pair, filtered, finish_bdf, linearise, power_at, solve_bdf, solve_pair
from .stages import (
    ERROR,
    FINISH_BDF,
    ITERATE,
    ITERATE_BDF,
    MATRICES,
    R1,
    RIGHT,
    WORK,
    A,
    V,
    W,
    Z,
    largest,
    size_of,
)


@jit
def slopes(w, o, n_q, n_v, h):
    """z' and v' at the stages of Radau's method, by its formula."""
    S, table = o.S, o.radau.inverse
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        for i in range(3):
            a, b, d = table[i, 0] / h, table[i, 1] / h, table[i, 2] / h
            S[W + i, k] = a * S[Z, k] + b * S[Z + 1, k] + d * S[Z + 2, k]
            S[A + i, k] = a * (S[V, k] - v0) + b * (S[V + 1, k] - v0) + d * (S[V + 2, k] - v0)


@jit
def transform(o):
    """What is left of the equations at the three stages (rows R1, ...), for the real and the complex system: rows RIGHT, ... and B."""
    S, B, y, pair = o.S, o.B, o.radau.Y_real, o.radau.Y_pair
    for l in range(3):
        R = R1 + 3 * l
        for k in range(S.shape[1]):
            S[RIGHT + l, k] = y[0] * S[R, k] + y[1] * S[R + 1, k] + y[2] * S[R + 2, k]
            B[l, k] = complex(pair[0, 0] * S[R, k] + pair[0, 1] * S[R + 1, k] + pair[0, 2] * S[R + 2, k],
                              pair[1, 0] * S[R, k] + pair[1, 1] * S[R + 1, k] + pair[1, 2] * S[R + 2, k])


@jit
def add_back(o, row, source, complex_source, first, last):
    """Solutions of both systems added to the stages in S[row], S[row + 1], S[row + 2]."""
    S, B = o.S, o.B
    for i in range(3):
        x, re, im = o.radau.X_real[i], 2 * o.radau.X_pair[0, i], 2 * o.radau.X_pair[1, i]
        for k in range(first, last):
            S[row + i, k] += x * S[source, k] + re * B[complex_source, k].real - im * B[complex_source, k].imag


@jit
def add_motion(w, c, o, n_q, n_v):
    """Increments of z and v to the stages; the largest."""
    S, B, size = o.S, o.B, 0.0
    for i in range(3):
        x, re, im = o.radau.X_real[i], 2 * o.radau.X_pair[0, i], 2 * o.radau.X_pair[1, i]
        for k in range(n_v):
            first = x * S[RIGHT, k] + re * B[0, k].real - im * B[0, k].imag
            second = x * S[RIGHT + 1, k] + re * B[1, k].real - im * B[1, k].imag
            S[Z + i, k] += first
            S[V + i, k] += second
            s = size_of(w.weight[n_q + k], c.speed, first, second)
            if not s <= size:
                size = s
    return size


def radau_matrices(p, w, c, o):
    """Derivatives, if there are none that may be used, and the factors. A status."""
    n, h = o.n, c.h
    if n.tiles <= 0:
        status = linearise(p, w, c, o)
        if status != DONE:
            return status
        n.tiles, n.factored = 2, 0
    if n.factored == 1 and n.h_factors == h:
        return DONE
    n.factored = 0
    p.num.factorisations += 2
    status = factor_pair(p, o, h)
    if status == DONE:
        n.factored, n.h_factors = 1, h
    return status


def radau_iteration(p, w, c, o):
    """One iteration on all stages."""
    n_q, n_v, h, finite = p.num.state_q, p.num.state_v, c.h, True
    p.num.iterations += 1
    slopes(w, o, n_q, n_v, h)
    for i in range(3):
        finite = defects(p, w, c, o, i, c.t0 + o.radau.c[i] * h) == DONE and finite
    transform(o)
    solve_pair(p, o, h)
    size = add_motion(w, c, o, n_q, n_v)
    o.n.size = size if finite else np.inf


def bdf_iteration(p, w, c, o):
    """One iteration: z' = sigma z + what the past gives (row W + 1), likewise v'."""
    S, n_v, s = o.S, p.num.state_v, o.n.sigma
    p.num.iterations += 1
    for k in range(n_v):
        S[W, k], S[A, k] = s * S[Z, k] + S[W + 1, k], s * S[V, k] + S[A + 1, k]
    status = defects(p, w, c, o, 0, c.t0 + c.h)
    solve_bdf(p, o, s)
    for k in range(n_v):
        S[Z, k] += S[RIGHT, k]
        S[V, k] += S[RIGHT + 1, k]
    o.n.size = largest(w, c, o, p.num.state_q, n_v, RIGHT, RIGHT + 1) if status == DONE else np.inf


def solver(p, w, c, o):
    """What o.n.task asks for. A kernel of its own, called by its address: compiled once for all methods."""
    task, status = o.n.task, DONE
    if task == MATRICES:
        status = radau_matrices(p, w, c, o)
    elif task == ITERATE:
        radau_iteration(p, w, c, o)
    elif task == ERROR:
        filtered(p, w, c, o)
    elif task == WORK:
        for i in range(3):
            power_at(p, w, c, o, i, c.t0 + o.radau.c[i] * c.h)
    elif task == FINISH_BDF:
        status = finish_bdf(p, w, c, o)
    elif task == ITERATE_BDF:
        bdf_iteration(p, w, c, o)
    else:
        p.num.factorisations += 1
        o.n.factored, o.n.tiles, o.n.sigma_factors = 1, 2, o.n.sigma
        status = factor_bdf(p, w, c, o)
    return status


def made_for(name: str, **kernels: Any) -> Any:
    """The solver with the kernels of `coordinates` for one kind of them."""
    def made(of: Any, **more: Any) -> Any:
        return variant(of, name, **{k: v for k, v in (kernels | more).items() if k in of.__code__.co_names})
    parts = {"radau_matrices": made(radau_matrices), "radau_iteration": made(radau_iteration), "bdf_iteration": made(bdf_iteration)}
    return made(solver, **parts)
