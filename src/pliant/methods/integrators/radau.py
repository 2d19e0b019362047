"""Radau IIA with three stages: the kernel of one step. docs/theory/radau_bdf.md

    sum_j (A^-1)_ij z_j = h z'_i,   sum_j (A^-1)_ij (v_j - v0) = h v'_i,   [ggl-1] at t0 + c_i h,   q1 = q0 exp(z_3), v1 = v_3     [radau-1]

A^-1 = X diag(g, b, conj b) X^-1: one real and one complex system [ggl-2] with sigma = g / h and b / h.     Hairer, Wanner II, IV.8
"""
import numpy as np

from ...kernels.evaluation import retract
from ...kernels.jit import jit
from ...kernels.ode import POWERED, STATE_Q, STATE_V, call_status
from ...kernels.status import DONE, NEWTON_FAILED, NOT_FINITE
from .adaptive import TINY
from .implicit import (
    ERROR,
    ETA,
    ITERATE,
    LAST_H,
    LAST_T0,
    MATRICES,
    MIXED,
    MOST_ITERATIONS,
    NODES,
    PAST,
    RIGHT,
    ROUNDING,
    SIZE,
    TASK,
    THETA,
    TILES,
    TOLERANCE,
    TRIES,
    USUAL_H,
    WORK,
    G,
    L,
    N,
    P,
    V,
    W,
    Y,
    Z,
    add_node,
    clear,
    judged,
    largest,
    rate,
    to_error,
)
from .mixing import X, gather, mix, scaled
from .one_step_loop import ASKED, BETWEEN, EPS_, FIXED, SOLVER, T0, WISH, H
from .radau_table import AHEAD_L, AHEAD_V, BASIS, BUBBLE, POWERS, REAL, SLOPE, A, C
from .stepper import AMPLIFIED

# rows of own.S: what velocities and multipliers are extrapolated by; the error, and that of energies; velocities and multipliers at the
# start; energies at the stages
V_AHEAD, L_AHEAD, Z_ERROR, V_ERROR, E_ERROR, START, ENERGIES = P, P + 3, P + 5, P + 6, P + 7, P + 8, P + 9
KAPPA = 0.03      # what Newton's method may leave, of the error allowed
GOOD = 1e-3       # rate of convergence that lets matrices be kept
EXPECTED = 20.0   # the error of order 5 over e, in units of e / h^2 u''
PASSABLE = 1e-7   # increments that may be left next to a singular position, with fixed steps
AWAY = 20.0       # the same for a step away from one, over what is usual next to one
SWEEPS = 3
FORCE = 100.0     # unit of multipliers in `mixing`, in the largest one


@jit
def remember(w, lam, tune, n_q, n_v):
    """After an accepted step: what the next one is extrapolated from; the velocities and multipliers at its start."""
    o, S, c = w.own, w.own.S, w.table
    if o.par[LAST_T0] == tune[T0]:
        return
    o.num[PAST] = min(o.num[PAST] + 1, 2)
    if o.num[PAST] == 2:
        for k in range(n_v):
            x, y, z = S[V, k] - S[V + 2, k], S[V + 1, k] - S[V + 2, k], S[START, k] - S[V + 2, k]
            for l in range(3):
                S[V_AHEAD + l, k] = c[AHEAD_V + 3 * l] * x + c[AHEAD_V + 3 * l + 1] * y + c[AHEAD_V + 3 * l + 2] * z
        guide = 0.0 if o.num[MIXED] > 0 else 1.0  # multipliers of stages next to a singular position are none
        for k in range(n_v, lam.size):
            x, y = guide * (S[L, k] - S[L + 2, k]), guide * (S[L + 1, k] - S[L + 2, k])
            for l in range(2):
                S[L_AHEAD + l, k] = c[AHEAD_L + 2 * l] * x + c[AHEAD_L + 2 * l + 1] * y
        o.par[LAST_H] = tune[T0] - o.par[LAST_T0]
        o.par[USUAL_H] = max(o.par[LAST_H], 0.98 * o.par[USUAL_H])
    o.num[MIXED], o.num[TRIES] = 0, 0
    for k in range(lam.size):
        S[START, k] = w.y0[n_q + k] if k < n_v else lam[k]
    o.par[LAST_T0], o.num[TILES] = tune[T0], 1 if o.num[TILES] > 0 and o.par[THETA] < GOOD else 0


@jit
def predict(d, w, tune, n_q, n_v):
    """Velocities and multipliers by the polynomials of the last step, positions by the formula of the method."""
    S, c, h = w.own.S, w.table, tune[H]
    known = w.own.num[PAST] == 2
    for i in range(3):
        x = c[C + i] * h / w.own.par[LAST_H] if known else 0.0
        for k in range(n_v):
            S[Z + i, k], S[N + i, k] = 0.0, 0.0
            S[V + i, k] = w.y0[n_q + k] + (x * (S[V_AHEAD, k] + x * (S[V_AHEAD + 1, k] + x * S[V_AHEAD + 2, k])) if known
                                           else c[C + i] * h * w.f0[n_q + k])
        for k in range(n_v, S.shape[1]):
            S[L + i, k] = S[START, k] + x * (S[L_AHEAD, k] + x * S[L_AHEAD + 1, k])
    for _ in range(SWEEPS):
        for i in range(3):
            rate(d, S, n_v, i)
            for k in range(n_v):
                S[W + i, k] = S[Y, k]
        for i in range(3):
            for k in range(n_v):
                S[Z + i, k] = h * (c[A + 3 * i] * S[W, k] + c[A + 3 * i + 1] * S[W + 1, k] + c[A + 3 * i + 2] * S[W + 2, k])


@jit
def newton(p, w, tune, code):
    """The stages with kept matrices. DONE, NEWTON_FAILED or NOT_FINITE."""
    o, before, theta = w.own, 0.0, 0.0
    allowed = max(o.par[ROUNDING], o.par[TOLERANCE] if code[FIXED] == 1 else KAPPA * tune[EPS_] * tune[H])
    eta, most = max(o.par[ETA], 1e-16) ** 0.8, o.num[MOST_ITERATIONS]
    o.num[TASK] = ITERATE
    for m in range(most):
        call_status(code[SOLVER], (p, w, tune, code))
        size = o.par[SIZE]
        if not size < np.inf:
            return NOT_FINITE
        if m > 0:
            theta = size / before if before > 0 else 0.0
            if theta >= 1 or size * theta ** (most - 1 - m) / (1 - theta) > allowed:
                o.par[THETA] = 1.0
                noise = o.num[TILES] == 2 and theta > 0.3 and size <= AMPLIFIED * o.par[ROUNDING]
                return DONE if noise else NEWTON_FAILED
            eta = theta / (1 - theta)
        before = size
        if size <= o.par[ROUNDING] or (eta * size <= allowed and (m > 0 or eta < 1)):
            o.par[ETA], o.par[THETA] = eta, theta
            return DONE
    o.par[THETA] = 1.0
    return NEWTON_FAILED


@jit
def mixed(p, w, tune, code):
    """The same by `mixing`, from the predicted values."""
    o, force, n_v = w.own, 0.0, p.num[STATE_V]
    allowed = max(o.par[ROUNDING], o.par[TOLERANCE] if code[FIXED] == 1 else KAPPA * tune[EPS_] * tune[H])
    for k in range(n_v, o.S.shape[1]):
        force = max(force, abs(o.S[START, k]))
    scaled(w, tune, p.num[STATE_Q], n_v, FORCE * force if force > 0 else 1.0)
    o.num[TASK], o.par[THETA] = ITERATE, 1.0
    for _ in range(o.num[MOST_ITERATIONS]):
        gather(o.mix, o.S, X)
        call_status(code[SOLVER], (p, w, tune, code))
        if not o.par[SIZE] < np.inf:
            return NOT_FINITE
        mix(o.mix, o.S, o.num)
        if o.par[SIZE] <= allowed:
            return DONE
    noise = AMPLIFIED * o.par[ROUNDING] * (1.0 if o.num[TRIES] == 0 else AWAY)
    passable = PASSABLE if code[FIXED] == 1 else max(0.3 * tune[EPS_] * tune[H], noise)
    return DONE if o.par[SIZE] <= passable else NEWTON_FAILED


@jit
def energies(p, w, tune, code):
    """Dissipated energy and work: at the stages by the formula of the method, and what their slope lacks at the start."""
    S, h, n_q, n_v, c = w.own.S, tune[H], p.num[STATE_Q], p.num[STATE_V], w.table
    for e in range(2):
        w.y1[n_q + n_v + e] = w.y0[n_q + n_v + e]
    if p.num[POWERED] == 0:
        return
    w.own.num[TASK] = WORK
    call_status(code[SOLVER], (p, w, tune, code))
    for e in range(2):
        k = n_q + n_v + e
        S[E_ERROR, e] = h * w.f0[k]
        for i in range(3):
            total = 0.0
            for j in range(3):
                total += h * c[A + 3 * i + j] * S[RIGHT, 3 * e + j]
            S[ENERGIES, 3 * e + i] = total
            S[E_ERROR, e] -= c[SLOPE + i] * total
        w.y1[k] += S[ENERGIES, 3 * e + 2]


@jit
def errors(p, w, tune, code):
    """(sigma - J)^-1 (F(t0, y0) - u'(0)), u the polynomial of collocation: the error e of a formula of order 3, h^4 times a fourth
    derivative. That of the method is of order 5: it is expected to be smaller by (h / tau)^2, which e over h^2 u'' tells    [radau-2]"""
    o, S, n_v, n_q, h, c = w.own, w.own.S, p.num[STATE_V], p.num[STATE_Q], tune[H], w.table
    for k in range(S.shape[1]):
        S[RIGHT, k], S[G, k] = 0.0, 0.0
    for k in range(n_v):
        v0 = w.y0[n_q + k]
        S[RIGHT, k], S[G, k] = v0, w.f0[n_q + k]
        S[W, k], S[W + 1, k] = 0.0, 0.0
        for i in range(3):
            bend = 2 * c[BASIS + 3 + i] + 3 * c[BASIS + 6 + i]  # second derivative at s = 1/2
            S[RIGHT, k] -= c[SLOPE + i] * S[Z + i, k] / h
            S[G, k] -= c[SLOPE + i] * (S[V + i, k] - v0) / h
            S[W, k] += bend * S[Z + i, k]
            S[W + 1, k] += bend * (S[V + i, k] - v0)
    o.num[TASK] = ERROR
    call_status(code[SOLVER], (p, w, tune, code))
    for k in range(n_v):
        S[Z_ERROR, k], S[V_ERROR, k] = c[REAL] * S[RIGHT, k], c[REAL] * S[RIGHT + 1, k]
    size, bent = largest(w, tune, n_q, n_v, RIGHT, RIGHT + 1), largest(w, tune, n_q, n_v, W, W + 1)
    factor = min(1.0, EXPECTED * size / bent) if bent > 0 else 1.0
    if o.num[TRIES] > 0:  # the noise of a start at a singular position is no error of the step
        factor /= AWAY
    to_error(p.maps, w, n_q, n_v, RIGHT, RIGHT + 1, factor)


@jit
def basis(c, s, i):
    """The polynomial through zero at the start that is one at stage i and zero at the others."""
    return s * (c[BASIS + i] + s * (c[BASIS + 3 + i] + s * c[BASIS + 6 + i]))


@jit
def polynomial(d, w, n_q, n_v, powered):
    """Values at the nodes: u, with the slope at the start set right as far as the motion is not stiff       [radau-3]"""
    S, c = w.own.S, w.table
    clear(w.P)
    for m in range(1, NODES + 1):
        s = m / NODES
        bubble = s * (c[BUBBLE] + s * (c[BUBBLE + 1] + s * (c[BUBBLE + 2] + s * c[BUBBLE + 3])))
        x, y, z = basis(c, s, 0), basis(c, s, 1), basis(c, s, 2)
        for k in range(n_v):
            v0 = w.y0[n_q + k]
            S[G, k] = x * S[Z, k] + y * S[Z + 1, k] + z * S[Z + 2, k] + bubble * S[Z_ERROR, k]
            S[Y, k] = v0 + x * (S[V, k] - v0) + y * (S[V + 1, k] - v0) + z * (S[V + 2, k] - v0) + bubble * S[V_ERROR, k]
        for e in range(2):
            k = n_q + n_v + e
            w.z[k] = w.y0[k]
            if powered:
                w.z[k] += x * S[ENERGIES, 3 * e] + y * S[ENERGIES, 3 * e + 1] + z * S[ENERGIES, 3 * e + 2] + bubble * S[E_ERROR, e]
        add_node(d, w, n_q, n_v, m, POWERS)


@jit
def step(p, w, tune, code):
    """A step, or the polynomial of the last one. Kept matrices that do not converge are made anew; if those do not either, the increments
    are mixed."""
    o, S, n_v, n_q = w.own, w.own.S, p.num[STATE_V], p.num[STATE_Q]
    if code[ASKED] == BETWEEN:
        polynomial(p.maps, w, n_q, n_v, p.num[POWERED] == 1)
        return DONE
    remember(w, w.own.lam, tune, n_q, n_v)
    status, plain, fresh = NEWTON_FAILED, True, 1
    for _ in range(4):
        predict(p.maps, w, tune, n_q, n_v)
        o.num[TASK] = MATRICES
        status = call_status(code[SOLVER], (p, w, tune, code))
        if status != DONE:
            return status
        status = newton(p, w, tune, code) if plain else mixed(p, w, tune, code)
        if status == DONE or fresh == 2:
            break
        if o.num[TILES] == 1:
            o.num[TILES] = 0
        elif plain:
            plain = False
        else:  # the second stage may be at a singular position, of all places
            fresh, o.num[TILES] = 2, -1
    tiny = code[FIXED] == 0 and tune[H] < TINY * o.par[USUAL_H] and o.num[TRIES] < 5
    if status == DONE:
        errors(p, w, tune, code)
    if tiny and (status != DONE or judged(w, tune, n_q, n_v) > 1):
        o.num[TRIES] += 1  # the start is at a singular position: away from it by a step of usual length
        tune[WISH] = (0.6 - 0.1 * o.num[TRIES]) * o.par[USUAL_H] / tune[H]
        return NEWTON_FAILED
    if status != DONE:
        return status
    energies(p, w, tune, code)
    for k in range(n_v):
        w.y1[n_q + k] = S[V + 2, k]
    retract(p.maps, w.y0, S[Z + 2], 1.0, w.y1)
    return DONE
