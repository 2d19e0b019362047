"""Radau IIA with three stages: the kernel of one step. docs/theory/radau_bdf.md

    sum_j (A^-1)_ij z_j = h z'_i,   sum_j (A^-1)_ij (v_j - v0) = h v'_i,   with [ggl-1] at t0 + c_i h,   q1 = q0 exp(z_3), v1 = v_3  [radau-1]

A^-1 = X diag(g, b, conj b) X^-1: one real and one complex system [ggl-2] with sigma = g / h and b / h.     Hairer, Wanner II, IV.8
"""
import numpy as np

from ..formulations.contract import ITERATIONS, N_V, POWERED
from ..kernels.contract import DISSIPATION, POWER
from ..kernels.jit import jit
from ..kernels.loop import retract
from ..kernels.loop import run as evaluate
from ..kernels.tiles import subtract_image
from .implicit import (
    ETA,
    FACTORED,
    H_FACTORS,
    KNOWN_TILES,
    LAST_H,
    LAST_T0,
    MIXED,
    MOST_ITERATIONS,
    NODES,
    PAST,
    ROUNDING,
    THETA,
    TOLERANCE,
    add_node,
    clear,
    defects,
    factored,
    increment,
    place,
    rate,
    size_of,
    tiles_of,
    to_state,
)
from .mixing import X, gather, mix, scaled
from .one_step_loop import ASKED, BETWEEN, EPS_, FIXED, SPEED_, T0, H
from .stepper import AMPLIFIED, DONE, NEWTON_FAILED, NOT_FINITE, SINGULAR

# where things are in the table
C, A, INVERSE, REAL, COMPLEX, X_REAL, X_COMPLEX, Y_REAL, Y_COMPLEX, SLOPE, AHEAD_V, AHEAD_L, BASIS, BUBBLE, POWERS = (
    0, 3, 12, 21, 22, 24, 27, 33, 36, 42, 45, 54, 58, 67, 71)
V_AHEAD, L_AHEAD, Z_ERROR, V_ERROR, E_ERROR, START, ENERGIES = 0, 3, 5, 6, 7, 8, 9  # rows of own.P
KAPPA = 0.03      # what Newton's method may leave, of the error allowed
GOOD = 1e-3       # rate of convergence that lets matrices be kept
EXPECTED = 0.3    # the error of order 5, over that of order 3 to the power 5/3 (both relative, per time that the motion takes)
PASSABLE = 1e-7   # increments that may be left next to a singular position, with fixed steps
SWEEPS = 3
FORCE = 100.0     # unit of multipliers in `mixing`, in the largest one


@jit
def remember(p, w, tune):
    """After an accepted step: what the next one is extrapolated from; the multipliers at its start."""
    o, n_v, table = w.own, p.num[N_V], w.table
    if o.par[LAST_T0] == tune[T0]:
        return
    o.num[PAST] = min(o.num[PAST] + 1, 2)
    if o.num[PAST] == 2:
        for k in range(n_v):
            for l in range(3):
                o.P[V_AHEAD + l, k] = (table[AHEAD_V + 3 * l] * (o.V[0, k] - o.V[2, k]) + table[AHEAD_V + 3 * l + 1] * (o.V[1, k] - o.V[2, k])
                                       + table[AHEAD_V + 3 * l + 2] * (o.P[START, k] - o.V[2, k]))
        for k in range(n_v, p.x.lam.size):
            for l in range(2):
                o.P[L_AHEAD + l, k] = (table[AHEAD_L + 2 * l] * (o.L[0, k] - o.L[2, k])
                                       + table[AHEAD_L + 2 * l + 1] * (o.L[1, k] - o.L[2, k]))
        o.par[LAST_H] = tune[T0] - o.par[LAST_T0]
    if o.num[MIXED] > 0:  # multipliers of stages next to a singular position are no guide
        for k in range(n_v, p.x.lam.size):
            o.P[L_AHEAD, k], o.P[L_AHEAD + 1, k] = 0.0, 0.0
    o.num[MIXED] = 0
    for k in range(n_v):  # of velocities, at the start of the step
        o.P[START, k] = w.y0[p.x.q.size + k]
    for k in range(n_v, p.x.lam.size):
        o.P[START, k] = p.x.lam[k]
    o.par[LAST_T0], o.num[KNOWN_TILES] = tune[T0], 1 if o.num[KNOWN_TILES] > 0 and o.par[THETA] < GOOD else 0


@jit
def predict(p, w, tune):
    """Velocities and multipliers by the polynomials of the last step, positions by the formula of the method."""
    o, n_v, n_q, h = w.own, p.num[N_V], p.x.q.size, tune[H]
    for i in range(3):
        x = w.table[C + i] * h / o.par[LAST_H] if o.num[PAST] == 2 else 0.0
        for k in range(n_v):
            v = w.y0[n_q + k]
            if o.num[PAST] == 2:
                o.V[i, k] = v + x * (o.P[V_AHEAD, k] + x * (o.P[V_AHEAD + 1, k] + x * o.P[V_AHEAD + 2, k]))
            else:
                o.V[i, k] = v + w.table[C + i] * h * w.f0[n_q + k]
            o.Z[i, k], o.N[i, k] = 0.0, 0.0
        for k in range(n_v, p.x.lam.size):
            o.L[i, k] = o.P[START, k] + x * (o.P[L_AHEAD, k] + x * o.P[L_AHEAD + 1, k])
    for _ in range(SWEEPS):
        for i in range(3):
            rate(p, o, i)
            for k in range(n_v):
                o.W[i, k] = o.ay[k]
        for k in range(n_v):
            for i in range(3):
                o.Z[i, k] = h * (w.table[A + 3 * i] * o.W[0, k] + w.table[A + 3 * i + 1] * o.W[1, k] + w.table[A + 3 * i + 2] * o.W[2, k])


@jit
def matrices(p, w, tune):
    """Factors for this step, at its second stage as predicted, or before. DONE or SINGULAR."""
    o, n_q, h = w.own, p.x.q.size, tune[H]
    if o.num[KNOWN_TILES] == 0:
        for k in range(p.num[N_V]):
            o.A[1, k] = w.f0[n_q + k]
        place(p, w, 1)
        tiles_of(p, o, tune[T0] + w.table[C + 1] * h)
        o.num[KNOWN_TILES], o.num[FACTORED] = 2, 0
    if o.num[FACTORED] == 1 and o.par[H_FACTORS] == h:
        return DONE
    o.num[FACTORED] = 0
    if factored(p, o, h / complex(w.table[COMPLEX], w.table[COMPLEX + 1]), o.F) != DONE or factored(p, o, h / w.table[REAL], o.E) != DONE:
        return SINGULAR
    o.num[FACTORED], o.par[H_FACTORS] = 1, h
    return DONE


@jit
def iterate(p, w, tune):
    """One iteration of Newton's method on all stages; the size of the increment."""
    o, n, n_v, h, table, n_q = w.own, p.b.size, p.num[N_V], tune[H], w.table, p.x.q.size
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        for i in range(3):
            a, b, c = table[INVERSE + 3 * i] / h, table[INVERSE + 3 * i + 1] / h, table[INVERSE + 3 * i + 2] / h
            o.W[i, k] = a * o.Z[0, k] + b * o.Z[1, k] + c * o.Z[2, k]
            o.A[i, k] = a * (o.V[0, k] - v0) + b * (o.V[1, k] - v0) + c * (o.V[2, k] - v0)
    for i in range(3):
        defects(p, w, i, tune[T0] + table[C + i] * h)
    for R, a, b in ((o.R1, o.a1, o.b1), (o.R2, o.a2, o.b2), (o.R3, o.a3, o.b3)):
        for k in range(n):
            a[k] = table[Y_REAL] * R[0, k] + table[Y_REAL + 1] * R[1, k] + table[Y_REAL + 2] * R[2, k]
            b[k] = complex(table[Y_COMPLEX] * R[0, k] + table[Y_COMPLEX + 1] * R[1, k] + table[Y_COMPLEX + 2] * R[2, k],
                           table[Y_COMPLEX + 3] * R[0, k] + table[Y_COMPLEX + 4] * R[1, k] + table[Y_COMPLEX + 5] * R[2, k])
    increment(p, o, o.E, table[REAL] / h, o.a1, o.a2, o.a3, o.ay, o.ag)
    increment(p, o, o.F, complex(table[COMPLEX], table[COMPLEX + 1]) / h, o.b1, o.b2, o.b3, o.by, o.bg)
    p.num[ITERATIONS] += 1
    size = 0.0
    for i in range(3):
        x, re, im = table[X_REAL + i], 2 * table[X_COMPLEX + i], 2 * table[X_COMPLEX + 3 + i]
        for k in range(n):
            second = x * o.a2[k] + re * o.b2[k].real - im * o.b2[k].imag
            if k >= n_v:
                o.L[i, k] += second
                continue
            first = x * o.a1[k] + re * o.b1[k].real - im * o.b1[k].imag
            o.Z[i, k] += first
            o.V[i, k] += second
            o.N[i, k] += x * o.ay[k] + re * o.by[k].real - im * o.by[k].imag
            s = size_of(p, w, tune, k, first, second)
            if not s <= size:
                size = s
    return size


@jit
def newton(p, w, tune, code, mixed):
    """The stages. DONE, NEWTON_FAILED or NOT_FINITE."""
    o, before = w.own, 0.0
    allowed = o.par[TOLERANCE] if code[FIXED] == 1 else KAPPA * tune[EPS_] * tune[H]
    allowed = max(allowed, o.par[ROUNDING])
    passable = PASSABLE if code[FIXED] == 1 else 0.3 * tune[EPS_] * tune[H]
    eta, theta = max(o.par[ETA], 1e-16) ** 0.8, 0.0
    most = o.num[MOST_ITERATIONS]
    if mixed:
        force = 0.0
        for k in range(p.num[N_V], p.x.lam.size):
            force = max(force, abs(o.P[START, k]))
        scaled(p, w, tune, FORCE * force)
    for m in range(most):
        if mixed:
            gather(o, X)
        size = iterate(p, w, tune)
        if not size < np.inf:
            return NOT_FINITE
        if mixed:
            mix(o)
            before = size
            if size <= allowed:
                o.par[THETA] = 1.0
                return DONE
            continue
        if m > 0:
            theta = size / before if before > 0 else 0.0
            if theta >= 1 or size * theta ** (most - 1 - m) / (1 - theta) > allowed:
                o.par[THETA] = 1.0
                noise = o.num[KNOWN_TILES] == 2 and theta > 0.3 and size <= AMPLIFIED * o.par[ROUNDING]
                return DONE if noise else NEWTON_FAILED
            eta = theta / (1 - theta)
        before = size
        if (m > 0 and eta * size <= allowed) or size <= o.par[ROUNDING] or (m == 0 and eta * size <= allowed and eta < 1):
            o.par[ETA], o.par[THETA] = eta, theta
            return DONE
    o.par[THETA] = 1.0
    return DONE if mixed and before <= passable else NEWTON_FAILED


@jit
def energies(p, w, tune):
    """Dissipated energy and work: at the stages by the formula of the method, and what their slope lacks at the start."""
    o, h, n_q, n_v, table = w.own, tune[H], p.x.q.size, p.num[N_V], w.table
    for e in range(2):
        w.y1[n_q + n_v + e] = w.y0[n_q + n_v + e]
    if p.num[POWERED] == 0:
        return
    for i in range(3):
        place(p, w, i)
        p.x.E[:] = 0
        evaluate(p.power, p.d, p.x, tune[T0] + table[C + i] * h, 0.0, 0.0, 0.0)
        o.a1[i], o.a1[3 + i] = p.x.E[DISSIPATION], p.x.E[POWER]
    for e in range(2):
        k = n_q + n_v + e
        o.P[E_ERROR, e] = h * w.f0[k]
        for i in range(3):
            total = 0.0
            for j in range(3):
                total += h * table[A + 3 * i + j] * o.a1[3 * e + j]
            o.P[ENERGIES, 3 * e + i] = total
            o.P[E_ERROR, e] -= table[SLOPE + i] * total
        w.y1[k] += o.P[ENERGIES, 3 * e + 2]


@jit
def errors(p, w, tune):
    """(sigma - J)^-1 (F(t0, y0) - u'(0)), u the polynomial of collocation: the error of a formula of order 3     [radau-2]"""
    o, n, n_v, n_q, h, table = w.own, p.b.size, p.num[N_V], p.x.q.size, tune[H], w.table
    for k in range(n):
        o.a1[k], o.a2[k], o.a3[k], o.ag[k], o.ay[k] = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        o.a1[k], o.ag[k] = v0, w.f0[n_q + k]
        for i in range(3):
            o.a1[k] -= table[SLOPE + i] * o.Z[i, k] / h
            o.ag[k] -= table[SLOPE + i] * (o.V[i, k] - v0) / h
    subtract_image(o.M, p.lu, o.ag, o.ay)
    for k in range(n_v):
        o.a2[k] = -o.ay[k]
    increment(p, o, o.E, table[REAL] / h, o.a1, o.a2, o.a3, o.ay, o.ag)
    size = 0.0
    for k in range(n_v):
        size = max(size, size_of(p, w, tune, k, o.a1[k], o.a2[k]))
    factor = EXPECTED * (size / (h * tune[SPEED_])) ** (2 / 3)
    for k in range(n_v):
        o.P[Z_ERROR, k], o.P[V_ERROR, k] = table[REAL] * o.a1[k], table[REAL] * o.a2[k]
        o.ag[k], o.ay[k] = factor * o.a1[k], factor * o.a2[k]
    to_state(p, w, o.ay, w.error)


@jit
def basis(table, s, i):
    """The polynomial through zero at the start that is one at stage i and zero at the others."""
    return s * (table[BASIS + i] + s * (table[BASIS + 3 + i] + s * table[BASIS + 6 + i]))


@jit
def polynomial(p, w):
    """Values at the nodes: u, with the slope at the start set right as far as the motion is not stiff       [radau-3]"""
    o, n_v, n_q, table = w.own, p.num[N_V], p.x.q.size, w.table
    clear(w.P)
    for m in range(1, NODES + 1):
        s = m / NODES
        bubble = s * (table[BUBBLE] + s * (table[BUBBLE + 1] + s * (table[BUBBLE + 2] + s * table[BUBBLE + 3])))
        a, b, c = basis(table, s, 0), basis(table, s, 1), basis(table, s, 2)
        for k in range(n_v):
            v0 = w.y0[n_q + k]
            o.ag[k] = a * o.Z[0, k] + b * o.Z[1, k] + c * o.Z[2, k] + bubble * o.P[Z_ERROR, k]
            o.ay[k] = v0 + a * (o.V[0, k] - v0) + b * (o.V[1, k] - v0) + c * (o.V[2, k] - v0) + bubble * o.P[V_ERROR, k]
        for e in range(2):
            k = n_q + n_v + e
            w.z[k] = w.y0[k]
            if p.num[POWERED] == 1:
                w.z[k] += a * o.P[ENERGIES, 3 * e] + b * o.P[ENERGIES, 3 * e + 1] + c * o.P[ENERGIES, 3 * e + 2] + bubble * o.P[E_ERROR, e]
        add_node(p, w, m, POWERS)


@jit
def step(p, w, tune, code):
    """A step, or the polynomial of the last one. Kept matrices that do not converge are made anew at the start of the step."""
    o, n_v, n_q = w.own, p.num[N_V], p.x.q.size
    if code[ASKED] == BETWEEN:
        polynomial(p, w)
        return DONE
    remember(p, w, tune)
    status, mixed = NEWTON_FAILED, False
    for _ in range(3):
        predict(p, w, tune)
        if matrices(p, w, tune) != DONE:
            return SINGULAR
        status = newton(p, w, tune, code, mixed)
        if status == DONE or mixed:
            break
        mixed = o.num[KNOWN_TILES] == 2
        o.num[KNOWN_TILES] = 2 if mixed else 0
    if status != DONE:
        return status
    errors(p, w, tune)
    energies(p, w, tune)
    for k in range(n_v):
        o.ag[k] = o.Z[2, k]
        w.y1[n_q + k] = o.V[2, k]
    retract(p.d, w.y0, o.ag, 1.0, w.y1)
    return DONE
