"""Explicit Runge-Kutta methods: the kernel of one step, and the numbers of the methods.

    k_i = F(t + c_i h, y0 + h sum_j a_ij k_j),   y1 = y0 + h sum_i b_i k_i                              [rk-1]
    error = h sum_i e_i k_i,   y(t + s h) = y0 + h sum_i k_i sum_l d_il s^l                             [rk-2]

``table`` holds, one after the other: A (stages x stages), c, b, e, e2 (of DOP853, zero for others), D (stages x degree + 1).
"""
from __future__ import annotations

import numpy as np

from ...kernels.jit import inlined, jit
from ...kernels.ode import call_status
from ...kernels.status import DONE
from .one_step_loop import ASKED, BETWEEN, KNOWN, RHS, T0, H
from .stepper import copy

# table[0:4]: stages of a step, all stages (with those for the polynomial), whether the error needs F(t + h, y1), the
# degree of the polynomial
STAGES, ALL, END, DEGREE, HEAD = 0, 1, 2, 3, 4


@inlined
def stage(p, w, tune, code, i, n):
    """k_i; DONE if it could be computed."""
    h = tune[H]
    for k in range(w.z.size):
        total = 0.0
        for j in range(i):
            a = w.table[HEAD + i * n + j]
            if a != 0:
                total += a * w.K[j, k]
        w.z[k] = w.y0[k] + h * total
    status = call_status(code[RHS], (p, tune[T0] + w.table[HEAD + n * n + i] * h, w.z, w.f1))
    if status == DONE:
        copy(w.f1, w.K[i])
    return status


@jit
def errors(w, h, m, n):
    """[rk-2]; with a second estimate e2 as in DOP853: e^2 / sqrt(e^2 + 0.01 e2^2), per component of the whole vector."""
    e, e2 = HEAD + n * n + 2 * n, HEAD + n * n + 3 * n
    big, small = 0.0, 0.0
    for k in range(w.error.size):
        first, second = 0.0, 0.0
        for i in range(m):
            first += w.table[e + i] * w.K[i, k]
            second += w.table[e2 + i] * w.K[i, k]
        w.error[k] = h * first
        big, small = big + (w.weight[k] * first) ** 2, small + (w.weight[k] * second) ** 2
    if small > 0:
        factor = np.sqrt(big / (big + 0.01 * small))
        for k in range(w.error.size):
            w.error[k] *= factor


@jit
def polynomial(w, h, n):
    """The coefficients of [ode-2]."""
    first, degree = HEAD + n * n + 4 * n, int(w.table[DEGREE])
    for l in range(1, degree + 1):
        for k in range(w.z.size):
            total = 0.0
            for i in range(n):
                total += w.table[first + i * (degree + 1) + l] * w.K[i, k]
            w.P[l, k] = h * total
    for l in range(degree + 1, w.P.shape[0]):
        for k in range(w.z.size):
            w.P[l, k] = 0


@jit
def step(p, w, tune, code):
    """A step, or the polynomial of the last one."""
    m, n, h = int(w.table[STAGES]), int(w.table[ALL]), tune[H]
    if code[ASKED] == BETWEEN:
        copy(w.f1, w.error)  # kept
        copy(w.f1, w.K[m])
        for i in range(m + 1, n):
            if stage(p, w, tune, code, i, n) != DONE:
                for k in range(w.z.size):
                    w.K[i, k] = w.K[m, k]
        polynomial(w, h, n)
        copy(w.error, w.f1)
        return DONE
    copy(w.f0, w.K[0])
    for i in range(1, m):
        status = stage(p, w, tune, code, i, n)
        if status != DONE:
            return status
    for k in range(w.z.size):
        total = 0.0
        for i in range(m):
            total += w.table[HEAD + n * n + n + i] * w.K[i, k]
        w.y1[k] = w.y0[k] + h * total
    if w.table[END] == 1:  # the error needs F at the end
        status = call_status(code[RHS], (p, tune[T0] + h, w.y1, w.f1))
        if status != DONE:
            return status
        copy(w.f1, w.K[m])
        code[KNOWN] = 1
        errors(w, h, m + 1, n)
    else:
        errors(w, h, m, n)
    return DONE
